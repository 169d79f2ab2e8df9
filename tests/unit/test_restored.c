/* The service after its state has gone back: what an executor has of the future
 * that was lost. */
#include "support.h"

#include <jansson.h>

#include "service.h"

#define IDENTITY "0123456789abcdef0123456789abcdef"
#define FIRST "\"state\":\"" IDENTITY ".1\""
#define JOB "\"estimate\":600,\"command\":[\"true\"]"
#define READY "{\"in\":\"executor\",\"is\":\"ready\",\"version\":1}"
#define NOBODY                                                                \
    "{\"in\":\"executor\",\"is\":\"running\",\"jobs\":[]}"

struct site {
    tori_machine *machine;
    struct service *service;
    char orders[4096]; /* what came of the last input: "WHAT JOB.ATTEMPT;" */
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

static void note_order (struct site *site, const json_t *order)
{
    size_t n = strlen (site->orders);
    snprintf (site->orders + n, sizeof site->orders - n, "%s %lld.%lld;",
              json_string_value (json_object_get (order, "do")),
              json_integer_value (json_object_get (order, "job")),
              json_integer_value (json_object_get (order, "attempt")));
}

static void tell (struct site *site, int now, const char *text)
{
    json_t *input = json_loads (text, 0, NULL);
    struct reply reply = {0};
    struct effect effect;
    tori_time at = now * (tori_time)TORI_SECOND;
    assert_non_null (input);
    assert_int_equal (service_do (site->service, at, input, &reply, NULL), 0);
    assert_true (reply.code < 300);
    assert_int_equal (service_decide (site->service, at, NULL), 0);
    *site->orders = 0;
    while (service_next (site->service, &effect)) {
        if (effect.kind == EFFECT_ORDER)
            note_order (site, effect.value);
        json_decref (effect.value);
    }
    json_decref (reply.body);
    json_decref (input);
}

static void begin (struct site *site)
{
    site->machine = make_machine ("torus:4x4");
    site->service = make_service (site->machine);
    assert_int_equal (service_begin_epoch (site->service, 0, IDENTITY, 1, 0,
                                           NULL, NULL),
                      0);
    tell (site, 1, READY);
    tell (site, 1, NOBODY);
}

/* As after a crash at this moment. */
static void come_back (struct site *site)
{
    size_t n;
    char *text = service_save (site->service, &n);
    assert_non_null (text);
    service_destroy (site->service);
    site->service = make_service (site->machine);
    assert_int_equal (service_load (site->service, text, n, NULL), 0);
    assert_int_equal (service_ready (site->service, NULL), 0);
    free (text);
}

/* As from a backup of this moment. */
static void go_back (struct site *site, int now)
{
    come_back (site);
    assert_int_equal (service_begin_epoch (site->service,
                                           now * (tori_time)TORI_SECOND,
                                           IDENTITY, 2, 10, NULL, NULL),
                      0);
}

static void end (struct site *site)
{
    service_destroy (site->service);
    tori_machine_destroy (site->machine);
}

/* Job 1 runs; in the lost future it was suspended for job 5, which has its
 * nodes: job 1 is resumed when these are free, not before and not never. */
static void test_suspended (void **state)
{
    struct site site;
    begin (&site);
    tell (&site, 2, "{\"in\":\"submit\",\"user\":\"ann\",\"jobs\":[{\"shape\":"
                    "\"4x2\"," JOB "},{\"shape\":\"4x1\"," JOB "}]}");
    assert_string_equal (site.orders, "start 1.1;start 2.1;");
    tell (&site, 3, "{\"in\":\"executor\",\"is\":\"started\",\"job\":1,"
                    "\"attempt\":1," FIRST "}");
    tell (&site, 3, "{\"in\":\"executor\",\"is\":\"started\",\"job\":2,"
                    "\"attempt\":1," FIRST "}");
    go_back (&site, 9);
    tell (&site, 9, READY);
    tell (&site, 9, "{\"in\":\"executor\",\"is\":\"running\",\"jobs\":["
                    "{\"job\":1,\"attempt\":1," FIRST "},"
                    "{\"job\":2,\"attempt\":1," FIRST "},"
                    "{\"job\":5,\"attempt\":1," FIRST ",\"ids\":[0,1]}]}");
    assert_int_equal (service_strangers (site.service), 1);
    assert_string_equal (site.orders, "resume 2.1;");
    tell (&site, 10, "{\"in\":\"executor\",\"is\":\"ended\",\"job\":5,"
                     "\"attempt\":1," FIRST ",\"status\":0}");
    assert_int_equal (service_strangers (site.service), 0);
    assert_string_equal (site.orders, "forget 5.1;resume 1.1;");
    end (&site);
}

/* Job 1 is to start again, on nodes that job 2 is leaving; in the lost future
 * it did. That attempt has the number of the one to come. */
static void test_not_ordered (void **state)
{
    struct site site;
    begin (&site);
    tell (&site, 2, "{\"in\":\"submit\",\"root\":true,\"user\":\"ann\","
                    "\"jobs\":[{\"shape\":\"4x4\",\"level\":1," JOB "}]}");
    tell (&site, 3, "{\"in\":\"executor\",\"is\":\"failed\",\"job\":1,"
                    "\"attempt\":1," FIRST ",\"why\":\"no\",\"retry\":true,"
                    "\"hold\":true}");
    tell (&site, 4, "{\"in\":\"submit\",\"user\":\"ann\",\"jobs\":["
                    "{\"shape\":\"4x4\",\"preempted\":\"requeue\"," JOB
                    "}]}");
    assert_string_equal (site.orders, "start 2.1;");
    tell (&site, 5, "{\"in\":\"executor\",\"is\":\"started\",\"job\":2,"
                    "\"attempt\":1," FIRST "}");
    tell (&site, 6, "{\"in\":\"change\",\"user\":\"ann\",\"root\":true,"
                    "\"id\":1,\"hold\":false}");
    assert_string_equal (site.orders, "stop 2.1;");
    go_back (&site, 9);
    tell (&site, 9, READY);
    tell (&site, 9, "{\"in\":\"executor\",\"is\":\"running\",\"jobs\":["
                    "{\"job\":1,\"attempt\":2," FIRST ",\"ids\":[8,9]}]}");
    assert_int_equal (service_strangers (site.service), 1);
    assert_string_equal (site.orders, "");
    tell (&site, 10, "{\"in\":\"executor\",\"is\":\"ended\",\"job\":1,"
                     "\"attempt\":2," FIRST ",\"status\":0}");
    assert_int_equal (service_strangers (site.service), 0);
    assert_non_null (strstr (site.orders, "start 1.3;"));
    end (&site);
}

/* In the lost future, jobs of the executor's own queue were started: the
 * executor is told to look after them, until it has heard that. */
static void test_disowned (void **state)
{
    const char *const a = "{\"in\":\"executor\",\"is\":\"running\",\"jobs\":["
                          "{\"job\":7,\"attempt\":1,\"key\":\"a\"}]}";
    const char *const both = "{\"in\":\"executor\",\"is\":\"running\","
                             "\"jobs\":[{\"job\":7,\"attempt\":1,\"key\":"
                             "\"a\"},{\"job\":8,\"attempt\":2,\"key\":"
                             "\"b\"}]}";
    struct site site;
    begin (&site);
    tell (&site, 2, a);
    assert_string_equal (site.orders, "");
    go_back (&site, 9);
    tell (&site, 9, READY);
    tell (&site, 9, both);
    assert_string_equal (site.orders, "disown 7.1;disown 8.2;");
    come_back (&site);
    tell (&site, 10, READY);
    tell (&site, 10, both);
    assert_string_equal (site.orders, "disown 7.1;disown 8.2;");
    tell (&site, 11, a); /* it has heard of job 8 */
    assert_string_equal (site.orders, "disown 7.1;");
    come_back (&site);
    tell (&site, 12, both); /* job 8 may have begun once more */
    assert_string_equal (site.orders, "disown 7.1;");
    tell (&site, 13, NOBODY);
    tell (&site, 14, both);
    assert_string_equal (site.orders, "");
    end (&site);
}

/* An operator ends a process that nobody knows while the executor is away: it
 * is told again when it lists what it has, until that is gone. */
static void test_ended_unheard (void **state)
{
    const char *const one
        = "{\"in\":\"executor\",\"is\":\"running\",\"jobs\":[{\"job\":7,"
          "\"attempt\":1,\"ids\":[3]," FIRST "},{\"job\":8,\"attempt\":1,"
          "\"ids\":[4]," FIRST "}]}";
    struct site site;
    begin (&site);
    go_back (&site, 9);
    tell (&site, 9, READY);
    tell (&site, 9, one);
    assert_int_equal (service_strangers (site.service), 2);
    tell (&site, 10, "{\"in\":\"end-unknown\",\"id\":7,\"root\":true}");
    assert_string_equal (site.orders, "stop 7.1;");
    tell (&site, 11, READY);
    tell (&site, 11, one);
    assert_string_equal (site.orders, "stop 7.1;");
    tell (&site, 12, NOBODY);
    assert_string_equal (site.orders, "");
    assert_int_equal (service_strangers (site.service), 0);
    tell (&site, 13, one);
    assert_string_equal (site.orders, "");
    end (&site);
}

static json_t *look (const struct site *site, uint64_t id)
{
    json_t *job = service_job (site->service, id);
    assert_non_null (job);
    return job;
}

static void assert_member (const struct site *site, uint64_t id,
                           const char *key, const char *text)
{
    json_t *job = look (site, id);
    const char *value = json_string_value (json_object_get (job, key));
    if (!text)
        assert_null (value);
    else {
        assert_non_null (value);
        assert_non_null (strstr (value, text));
    }
    json_decref (job);
}

#define LOST(job)                                                             \
    "{\"in\":\"executor\",\"is\":\"ended\",\"job\":" #job                      \
    ",\"attempt\":1," FIRST ",\"status\":null,\"signal\":9,\"lost\":true,"      \
    "\"why\":\"its guard was killed\"}"

/* Jobs 1 and 2 have ended since the backup, in a way that only the lost future
 * knew; 3, 4 and 5 wait for them. */
static void begin_doubt (struct site *site)
{
    begin (site);
    tell (site, 2, "{\"in\":\"submit\",\"user\":\"ann\",\"jobs\":["
                   "{\"shape\":\"4x2\"," JOB "},{\"shape\":\"4x1\"," JOB "},"
                   "{\"shape\":\"1x1\",\"after\":\"ok:1\"," JOB "},"
                   "{\"shape\":\"1x1\",\"after\":\"failed:2\"," JOB "},"
                   "{\"shape\":\"1x1\",\"after\":\"any:1\"," JOB "}]}");
    tell (site, 3, "{\"in\":\"executor\",\"is\":\"started\",\"job\":1,"
                   "\"attempt\":1," FIRST "}");
    tell (site, 3, "{\"in\":\"executor\",\"is\":\"started\",\"job\":2,"
                   "\"attempt\":1," FIRST "}");
}

/* The files of the executor are those of the backup for job 1, and do not know
 * job 2. Neither end is known, so dependents wait for a person. */
static void test_unknown_outcome (void **state)
{
    struct site site;
    begin_doubt (&site);
    go_back (&site, 9000);
    tell (&site, 9000, READY);
    tell (&site, 9000, LOST (1));
    tell (&site, 9000, NOBODY);
    for (int again = 0; again < 2; again++) {
        for (uint64_t id = 1; id <= 2; id++) {
            json_t *job = look (&site, id);
            assert_true (json_is_null (json_object_get (job, "signal")));
            assert_true (json_is_null (json_object_get (job, "status")));
            assert_int_equal (json_number_value (json_object_get (job, "end")),
                              602);
            json_decref (job);
            assert_member (&site, id, "why", "outcome is unknown");
            assert_member (&site, id + 2, "state", "queued");
            assert_member (&site, id + 2, "hold", "user");
        }
        assert_member (&site, 3, "why", "the outcome of job 1 is unknown");
        assert_member (&site, 4, "why", "release this job");
        assert_member (&site, 5, "state", "running");
        come_back (&site);
    }
    tell (&site, 9001, "{\"in\":\"change\",\"user\":\"ann\",\"id\":3,"
                       "\"hold\":false}");
    assert_member (&site, 3, "state", "running");
    assert_member (&site, 3, "why", NULL);
    tell (&site, 9002, "{\"in\":\"cancel\",\"user\":\"ann\",\"id\":4}");
    assert_member (&site, 4, "why", "cancelled");
    end (&site);
}

/* A job that is killed after the executor has been heard was killed. */
static void test_killed_later (void **state)
{
    struct site site;
    begin_doubt (&site);
    go_back (&site, 9);
    tell (&site, 9, READY);
    tell (&site, 9, "{\"in\":\"executor\",\"is\":\"running\",\"jobs\":["
                    "{\"job\":1,\"attempt\":1," FIRST "},"
                    "{\"job\":2,\"attempt\":1," FIRST "}]}");
    tell (&site, 10, LOST (1));
    tell (&site, 10, LOST (2));
    assert_member (&site, 1, "why", "its guard was killed");
    assert_member (&site, 3, "why", "ended otherwise");
    assert_member (&site, 4, "state", "running");
    end (&site);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_suspended),
        cmocka_unit_test (test_not_ordered),
        cmocka_unit_test (test_disowned),
        cmocka_unit_test (test_ended_unheard),
        cmocka_unit_test (test_unknown_outcome),
        cmocka_unit_test (test_killed_later),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
