/* Windows of the executor: it says all that there are, and the service keeps
 * exactly these, whatever it was told before. */
#include "support.h"

#include <jansson.h>

#include "service.h"

struct site {
    tori_machine *machine;
    struct service *service;
    json_t *records; /* all of them */
};

static struct service *make_service (const tori_machine *machine)
{
    struct service *service = NULL;
    assert_int_equal (
        service_create (machine, TORI_SCHED ("easy", TORI_ALLOC ("first-fit")),
                        &service, NULL),
        0);
    return service;
}

static void begin (struct site *site)
{
    site->machine = make_machine ("torus:4x2");
    site->service = make_service (site->machine);
    site->records = json_array ();
}

static void end (struct site *site)
{
    service_destroy (site->service);
    tori_machine_destroy (site->machine);
    json_decref (site->records);
}

/* Tell it, decide, and keep the records: how many of the input there were. */
static int tell (struct site *site, int now, json_t *input)
{
    struct reply reply = {0};
    struct effect effect;
    int found = 0;
    tori_time at = now * (tori_time)TORI_SECOND;
    assert_int_equal (service_do (site->service, at, input, &reply, NULL), 0);
    assert_int_equal (service_decide (site->service, at, NULL), 0);
    while (service_next (site->service, &effect)) {
        if (effect.kind == EFFECT_RECORD) {
            json_array_append (site->records, effect.value);
            found += json_object_get (effect.value, "in") != NULL;
        }
        json_decref (effect.value);
    }
    json_decref (reply.body);
    json_decref (input);
    return found;
}

/* Half of the time by the name of the version before. */
static int say (struct site *site, int now, const char *reservations)
{
    const char *name = now % 2 ? "reservations" : "windows";
    return tell (site, now,
                 json_pack ("{s:s, s:s, s:o}", "in", "executor", "is", name,
                            name, json_loads (reservations, 0, NULL)));
}

/* The reservations, as "ID KEY FROM-UNTIL NODES;". */
static void expect (const struct service *service, const char *expected)
{
    json_t *all = service_reservations (service);
    char text[256] = "";
    for (size_t i = 0; i < json_array_size (all); i++) {
        const json_t *is = json_array_get (all, i);
        const char *key = json_string_value (json_object_get (is, "key"));
        size_t n = strlen (text);
        snprintf (text + n, sizeof text - n, "%d %s %g-%g %zu;",
                  (int)json_integer_value (json_object_get (is, "id")),
                  key ? key : "-",
                  json_number_value (json_object_get (is, "from")),
                  json_number_value (json_object_get (is, "until")),
                  json_array_size (json_object_get (is, "nodes")));
    }
    assert_string_equal (text, expected);
    json_decref (all);
}

#define A "{\"key\":\"a\",\"nodes\":[\"0,0/2x2\"],\"from\":100,\"until\":200}"
#define B "{\"key\":\"b\",\"nodes\":[\"3,1\"],\"from\":50,\"until\":60}"
#define LONGER_A \
    "{\"key\":\"a\",\"nodes\":[\"0,0/2x2\"],\"from\":100,\"until\":300}"
#define WIDER_A \
    "{\"key\":\"a\",\"nodes\":[\"0,0/3x2\"],\"from\":100,\"until\":300}"

/* The same again is no news. */
static void test_all (void **state)
{
    struct site site;
    begin (&site);
    assert_int_equal (say (&site, 1, "[" A "," B "]"), 1);
    expect (site.service, "1 a 100-200 4;2 b 50-60 1;");
    assert_int_equal (say (&site, 2, "[" B "," A "]"), 0);
    assert_int_equal (say (&site, 3, "[" LONGER_A "," B "]"), 1);
    expect (site.service, "2 b 50-60 1;3 a 100-300 4;");
    assert_int_equal (say (&site, 4, "[" WIDER_A "]"), 1);
    expect (site.service, "4 a 100-300 6;");
    assert_int_equal (say (&site, 5, "[]"), 1);
    assert_int_equal (say (&site, 6, "[]"), 0);
    expect (site.service, "");
    end (&site);
}

/* Those of operators stay, and what makes no sense is passed over. */
static void test_others (void **state)
{
    struct site site;
    begin (&site);
    tell (&site, 1,
          json_pack ("{s:s, s:b, s:[s], s:i, s:i}", "in", "window", "root", 1,
                     "nodes", "1,1", "from", 10, "until", 20));
    assert_int_equal (
        say (&site, 2,
             "[7, "
             "{\"key\":\"n\",\"count\":2,\"until\":9},{\"nodes\":[\"0,0\"],"
             "\"until\":9}, {\"key\":\"a\"}, "
             "{\"key\":\"b\",\"nodes\":[\"9,9\"],\"from\":5,\"until\":9},"
             "{\"key\":\"c\",\"nodes\":[\"0,0\"],\"from\":0,\"until\":1},"
             "{\"key\":\"d\",\"nodes\":[\"0,0\"],\"from\":0,\"until\":9}]"),
        1);
    expect (site.service, "1 - 10-20 1;2 d 0-9 1;");
    assert_int_equal (say (&site, 3, "{}"), 0);
    assert_int_equal (say (&site, 4, "[]"), 1);
    expect (site.service, "1 - 10-20 1;");
    end (&site);
}

/* A job that would run into one waits, and starts when it is gone. */
static void test_jobs (void **state)
{
    struct site site;
    json_t *job;
    begin (&site);
    say (&site, 1, "[" A "]");
    tell (&site, 2,
          json_pack ("{s:s, s:s, s:[{s:s, s:i, s:[s]}]}", "in", "submit",
                     "user", "ann", "jobs", "shape", "4x2", "estimate", 150,
                     "command", "x"));
    job = service_job (site.service, 1);
    assert_string_equal (json_string_value (json_object_get (job, "state")),
                         "queued");
    json_decref (job);
    say (&site, 3, "[]");
    job = service_job (site.service, 1);
    assert_string_not_equal (
        json_string_value (json_object_get (job, "state")), "queued");
    json_decref (job);
    end (&site);
}

/* The journal brings all of it back, with its numbers. */
static void test_replay (void **state)
{
    struct service *again;
    struct site site;
    begin (&site);
    say (&site, 1, "[" A "," B "]");
    say (&site, 2, "[" LONGER_A "," B "]");
    say (&site, 3, "[" LONGER_A "]");
    again = make_service (site.machine);
    for (size_t i = 0; i < json_array_size (site.records); i++)
        assert_int_equal (
            service_replay (again, json_array_get (site.records, i), NULL), 0);
    expect (again, "3 a 100-300 4;");
    service_destroy (site.service);
    site.service = again;
    assert_int_equal (say (&site, 4, "[" LONGER_A "]"), 0);
    say (&site, 5, "[" LONGER_A "," B "]");
    expect (site.service, "3 a 100-300 4;4 b 50-60 1;");
    end (&site);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_all), cmocka_unit_test (test_others),
        cmocka_unit_test (test_jobs), cmocka_unit_test (test_replay)};
    return cmocka_run_group_tests (tests, NULL, NULL);
}
