/* Who gets how much: policies of the service, queues, usage and limits. */
#include "support.h"

#include <string.h>

#include <jansson.h>

#include <tori/workload.h>

#include "service.h"

/* A service, and all that it has recorded. */
struct office {
    tori_machine *machine;
    struct service *service;
    json_t *records;
    tori_time now;
};

static struct service *make_service (const tori_machine *machine)
{
    struct service *service = NULL;
    assert_int_equal (service_create (machine,
                                      TORI_SCHED ("easy",
                                                  TORI_ALLOC ("first-fit")),
                                      &service, NULL),
                      0);
    return service;
}

static void open_office (struct office *o, const char *machine)
{
    *o = (struct office){.records = json_array ()};
    assert_int_equal (tori_machine_parse (machine, &o->machine, NULL), 0);
    o->service = make_service (o->machine);
}

static void close_office (struct office *o)
{
    service_destroy (o->service);
    tori_machine_destroy (o->machine);
    json_decref (o->records);
}

static void take_records (struct office *o)
{
    struct effect effect;
    while (service_next (o->service, &effect)) {
        if (effect.kind == EFFECT_RECORD)
            json_array_append (o->records, effect.value);
        json_decref (effect.value);
    }
}

/* ---- what was recorded is what there is ---- */

/* All but the scheduler. */
static char *save_without_core (struct service *service)
{
    size_t n;
    char *text = service_save (service, &n);
    char *core = text ? strstr (text, "\n{\"tori_snapshot\"") : NULL;
    assert_non_null (core);
    *core = 0;
    return text;
}

/* Whether two services are the same. A scheduler that is made again counts its
 * jobs from another number on. */
static void expect_same (struct office *o, struct service *again)
{
    char *a = save_without_core (o->service), *b = save_without_core (again);
    assert_string_equal (a, b);
    free (a);
    free (b);
}

/* Replayed, and loaded from a snapshot, it is the same. */
static void expect_kept (struct office *o)
{
    struct service *replayed = make_service (o->machine);
    struct service *loaded = make_service (o->machine);
    json_t *record;
    tori_error err = {0};
    size_t i, n;
    char *saved;
    take_records (o);
    saved = service_save (o->service, &n);
    json_array_foreach (o->records, i, record)
        if (service_replay (replayed, record, &err) < 0)
            fail_msg ("record %zu: %s", i, err.text);
    expect_same (o, replayed);
    if (service_load (loaded, saved, n, &err) < 0)
        fail_msg ("load: %s", err.text);
    expect_same (o, loaded);
    free (saved);
    service_destroy (replayed);
    service_destroy (loaded);
}

/* ---- policies ---- */

static void set (struct office *o, const struct service_policy *policy)
{
    tori_error err = {0};
    if (service_set_policy (o->service, o->now, policy, &err) < 0)
        fail_msg ("%s", err.text);
    take_records (o);
}

static const struct service_queue two_queues[]
    = {{.name = "batch"},
       {.name = "urgent",
        .priority = 1000,
        .max_estimate = 600 * TORI_SECOND,
        .level = 1,
        .preempted = TORI_PREEMPTED_NEVER,
        .limits = {.running = 2}}};

static const struct service_policy a_policy
    = {.half_life = 86400 * TORI_SECOND,
       .weight = 500,
       .requeues = 3,
       .user = {.queued = 100, .nodes = 64},
       .queues = two_queues,
       .nqueues = 2};

static void test_policy_is_kept (void **state)
{
    struct office o;
    const struct service_policy *is;
    open_office (&o, "torus:4x4");
    set (&o, &a_policy);
    is = service_policy (o.service);
    assert_int_equal (is->half_life, 86400 * TORI_SECOND);
    assert_int_equal (is->user.nodes, 64);
    assert_int_equal (is->nqueues, 2);
    assert_string_equal (is->queues[1].name, "urgent");
    assert_int_equal (is->queues[1].preempted, TORI_PREEMPTED_NEVER);
    assert_int_equal (is->queues[1].limits.running, 2);
    expect_kept (&o);
    assert_int_equal (json_array_size (o.records), 1);
    set (&o, &a_policy); /* the same again is no change */
    assert_int_equal (json_array_size (o.records), 1);
    set (&o, &(struct service_policy){0});
    assert_int_equal (json_array_size (o.records), 2);
    expect_kept (&o);
    close_office (&o);
}

static void test_policy_that_makes_no_sense (void **state)
{
    static const struct service_queue twice[] = {{.name = "a"}, {.name = "a"}};
    static const struct service_queue no_name[] = {{.priority = 1}};
    const struct {
        struct service_policy policy;
        const char *why;
    } all[] = {{{.queues = twice, .nqueues = 2},
                "policy: queues[1].name: there is another queue 'a'"},
               {{.queues = no_name, .nqueues = 1},
                "policy: queues[0].name: is missing"},
               {{.half_life = -1},
                "policy: half_life: expected a whole number of at least 0"},
               {{.user.rate = -5},
                "policy: user.rate: expected a whole number of at least 0"}};
    struct office o;
    open_office (&o, "torus:4x4");
    set (&o, &a_policy);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        tori_error err = {0};
        assert_int_equal (
            service_set_policy (o.service, 0, &all[i].policy, &err), -1);
        assert_string_equal (err.text, all[i].why);
        assert_int_equal (err.status, TORI_INVALID);
    }
    assert_int_equal (service_policy (o.service)->nqueues, 2);
    expect_kept (&o);
    close_office (&o);
}

int main (void)
{
    const struct CMUnitTest tests[]
        = {cmocka_unit_test (test_policy_is_kept),
           cmocka_unit_test (test_policy_that_makes_no_sense)};
    return cmocka_run_group_tests (tests, NULL, NULL);
}
