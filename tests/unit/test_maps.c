/* The map of a folded job: the order to the executor, the running job and its
 * record in the history agree. */
#include "support.h"

#include <jansson.h>

#include "service.h"

struct told {
    json_t *order; /* the last one to start a job */
    json_t *past;  /* the last job that ended, as the history has it */
};

static void keep (json_t **kept, json_t *value)
{
    json_decref (*kept);
    *kept = json_incref (value);
}

static void note (struct told *told, const struct effect *effect)
{
    const char *event
        = json_string_value (json_object_get (effect->value, "event"));
    const char *order
        = json_string_value (json_object_get (effect->value, "do"));
    if (effect->kind == EFFECT_ORDER && order && !strcmp (order, "start"))
        keep (&told->order, effect->value);
    if (effect->kind == EFFECT_EVENT && event && !strcmp (event, "ended"))
        keep (&told->past, json_object_get (effect->value, "job"));
}

static void tell (struct service *service, int now, json_t *input,
                  struct told *told)
{
    const tori_time at = now * (tori_time)TORI_SECOND;
    struct reply reply = {0};
    struct effect effect;
    assert_true (service_do (service, at, input, &reply, NULL) >= 0);
    assert_int_equal (service_decide (service, at, NULL), 0);
    while (service_next (service, &effect)) {
        note (told, &effect);
        json_decref (effect.value);
    }
    json_decref (reply.body);
    json_decref (input);
}

/* Ids, as the executor gets them, of coordinates. */
static json_t *ids_of (const tori_machine *machine, const json_t *map)
{
    json_t *ids = json_array ();
    for (size_t i = 0; i < json_array_size (map); i++) {
        uint32_t coords[TORI_MAX_DIMS];
        const json_t *node = json_array_get (map, i);
        for (size_t d = 0; d < json_array_size (node); d++)
            coords[d]
                = (uint32_t)json_integer_value (json_array_get (node, d));
        json_array_append_new (
            ids, json_integer (tori_machine_id (machine, coords)));
    }
    return ids;
}

/* The job, which goes on, has ended, or is only in the history, was mapped as
 * the executor was told. */
static void check_map (const tori_machine *machine, const json_t *job,
                       const struct told *told)
{
    json_t *ids = ids_of (machine, json_object_get (job, "map"));
    assert_non_null (json_object_get (job, "map"));
    assert_true (json_equal (ids, json_object_get (told->order, "map")));
    json_decref (ids);
}

static void check_seen (const struct service *service,
                        const tori_machine *machine, const struct told *told)
{
    json_t *job = service_job (service, 1);
    check_map (machine, job, told);
    json_decref (job);
}

static void run (const char *name, const char *alloc, const char *ask)
{
    tori_machine *machine = make_machine (name);
    struct told told = {0};
    struct service *service = NULL;
    const int later = 26 * 3600;
    assert_int_equal (service_create (machine,
                                      TORI_SCHED ("easy", TORI_ALLOC (alloc)),
                                      &service, NULL),
                      0);
    tell (service, 1,
          json_pack ("{s:s, s:s, s:o}", "in", "submit", "user", "ann", "jobs",
                     json_loads (ask, 0, NULL)),
          &told);
    check_seen (service, machine, &told);
    tell (service, 2,
          json_pack ("{s:s, s:s, s:i, s:i, s:i, s:n}", "in", "executor", "is",
                     "ended", "job", 1, "attempt", 1, "status", 0, "signal"),
          &told);
    check_seen (service, machine, &told);
    tell (service, later,
          json_pack ("{s:s, s:s, s:o}", "in", "submit", "user", "ann", "jobs",
                     json_loads (ask, 0, NULL)),
          &told);
    assert_null (service_job (service, 1));
    assert_null (json_object_get (told.past, "map"));
    service_set_map (service, told.past);
    check_map (machine, told.past, &told);
    json_decref (told.past);
    json_decref (told.order);
    service_destroy (service);
    tori_machine_destroy (machine);
}

#define REST "\"estimate\":60,\"command\":[\"x\"]"

static void test_pods (void **state)
{
    run ("pod:4/2x2", "cube-best",
         "[{\"shape\":\"4\",\"wiring\":\"torus\",\"fold\":\"rings\"," REST
         "}]");
    run ("pod:4/4x4x4", "cube-best",
         "[{\"shape\":\"16x8\",\"wiring\":\"torus\",\"fold\":\"rings\"," REST
         "}]");
}

/* Its ring is folded once more, by how the box is wired. */
static void test_boxes (void **state)
{
    run ("multitorus:8x8", "first-fit",
         "[{\"shape\":\"8\",\"wiring\":\"torus\",\"fold\":\"rings\"," REST
         "}]");
    run ("torus:8x8", "first-fit",
         "[{\"shape\":\"16\",\"wiring\":\"torus\",\"fold\":\"rings\"," REST
         "}]");
}

static void test_alternatives (void **state)
{
    run ("pod:4/2x2", "cube-best",
         "[{\"alternatives\":[{\"shape\":\"4\",\"wiring\":\"torus\",\"fold\":\"rings\"},"
         "{\"shape\":\"2x1\",\"wiring\":\"mesh\"}]," REST "}]");
}

int main (void)
{
    const struct CMUnitTest tests[]
        = {cmocka_unit_test (test_pods), cmocka_unit_test (test_boxes),
           cmocka_unit_test (test_alternatives)};
    return cmocka_run_group_tests (tests, NULL, NULL);
}
