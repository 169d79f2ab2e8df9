/* The events that the service sends to clients that watch. */
#include "support.h"

#include <jansson.h>

#include "service.h"

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

/* Submit as many jobs as are written there, and decide. */
static void submit (struct service *service, const char *jobs)
{
    json_t *input = json_pack ("{s:s, s:s, s:o}", "in", "submit", "user",
                               "ann", "jobs", json_loads (jobs, 0, NULL));
    struct reply reply = {0};
    tori_error err = {0};
    assert_int_equal (service_do (service, 0, input, &reply, &err), 0);
    assert_int_equal (reply.code, 201);
    assert_int_equal (service_decide (service, 0, &err), 0);
    json_decref (reply.body);
    json_decref (input);
}

static void cancel (struct service *service, int id)
{
    json_t *input = json_pack ("{s:s, s:s, s:i}", "in", "cancel", "user",
                               "ann", "id", id);
    struct reply reply = {0};
    assert_int_equal (service_do (service, 0, input, &reply, NULL), 0);
    assert_int_equal (reply.code, 200);
    json_decref (reply.body);
    json_decref (input);
}

/* How many events there are, and *ret_records: how many records. */
static int count_events (struct service *service, int *ret_records)
{
    struct effect effect;
    int events = 0;
    *ret_records = 0;
    while (service_next (service, &effect)) {
        events += effect.kind == EFFECT_EVENT;
        *ret_records += effect.kind == EFFECT_RECORD;
        json_decref (effect.value);
    }
    return events;
}

#define JOB "{\"shape\":\"2x2\",\"estimate\":9,\"command\":[\"x\"]"

/* Nothing else depends on whether anybody watches; and an end is told always,
 * since it is kept. */
static void test_nobody_watches (void **state)
{
    static const int begun[] = {0, 5};
    for (int watched = 0; watched < 2; watched++) {
        tori_machine *machine;
        struct service *service;
        int records;
        assert_int_equal (tori_machine_parse ("torus:4x2", &machine, NULL),
                          0);
        service = make_service (machine);
        service_watch (service, watched);
        submit (service, "[" JOB "}," JOB "}," JOB ",\"hold\":true}]");
        /* Three are submitted, and two of them start. */
        assert_int_equal (count_events (service, &records), begun[watched]);
        assert_int_equal (records, 4);
        cancel (service, 3);
        assert_int_equal (count_events (service, &records), 1);
        service_destroy (service);
        tori_machine_destroy (machine);
    }
}

int main (void)
{
    const struct CMUnitTest tests[]
        = {cmocka_unit_test (test_nobody_watches)};
    return cmocka_run_group_tests (tests, NULL, NULL);
}
