/* Windows of the executor: it says all that there are, and the service keeps
 * exactly these, whatever it was told before. */
#include "support.h"

#include <stdlib.h>
#include <time.h>

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

static struct service *replay (const struct site *site)
{
    struct service *again = make_service (site->machine);
    for (size_t i = 0; i < json_array_size (site->records); i++)
        assert_int_equal (service_replay (again,
                                          json_array_get (site->records, i),
                                          NULL),
                          0);
    return again;
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
    again = replay (&site);
    expect (again, "3 a 100-300 4;");
    service_destroy (site.service);
    site.service = again;
    assert_int_equal (say (&site, 4, "[" LONGER_A "]"), 0);
    say (&site, 5, "[" LONGER_A "," B "]");
    expect (site.service, "3 a 100-300 4;4 b 50-60 1;");
    end (&site);
}

static void submit_as (struct site *site, int now, const char *user,
                       const char *groups)
{
    tell (site, now,
          json_pack ("{s:s, s:s, s:s*, s:[{s:s, s:i, s:[s]}]}", "in", "submit",
                     "user", user, "groups", groups, "jobs", "shape", "1x1",
                     "estimate", 150, "command", "x"));
}

/* The states of jobs by number, a letter each. */
static void expect_states (const struct service *service, const char *expected)
{
    char text[16] = "";
    for (size_t i = 0; expected[i]; i++) {
        json_t *job = service_job (service, i + 1);
        text[i] = json_string_value (json_object_get (job, "state"))[0];
        json_decref (job);
    }
    assert_string_equal (text, expected);
}

/* Jobs of the users and of the members of the groups run inside, whether they
 * are there before or come later; a replay knows them, too. */
static void test_users (void **state)
{
    struct site site;
    begin (&site);
    tell (&site, 1,
          json_pack ("{s:s, s:b, s:[s], s:i, s:i}", "in", "window", "root", 1,
                     "nodes", "0,0/4x2", "from", 1, "until", 20));
    submit_as (&site, 2, "ann", NULL);
    submit_as (&site, 2, "bob", "physics chemistry");
    submit_as (&site, 2, "carl", "chemistry");
    submit_as (&site, 2, "dora", NULL);
    expect_states (site.service, "qqqq");
    tell (&site, 20,
          json_pack ("{s:s, s:b, s:[s], s:i, s:i, s:[s], s:[s], s:[s]}", "in",
                     "window", "root", 1, "nodes", "0,0/4x2", "from", 20,
                     "until", 1000, "users", "ann", "of_groups", "physics",
                     "members", "dora"));
    expect_states (site.service, "rqqr");
    submit_as (&site, 21, "bob", "physics");
    expect_states (site.service, "rrqrr");
    submit_as (&site, 22, "carl", "physic");
    submit_as (&site, 22, "ann", NULL);
    expect_states (site.service, "rrqrrqr");
    service_destroy (site.service);
    site.service = replay (&site);
    expect_states (site.service, "rrqrrqr");
    submit_as (&site, 23, "bob", NULL);
    submit_as (&site, 23, "eve", NULL);
    expect_states (site.service, "rrqrrqrrq");
    end (&site);
}

/* Submit a job of a time limit in seconds that fills the machine, and end
 * it. */
static void fill (struct site *site, int now, int limit)
{
    tell (site, now,
          json_pack ("{s:s, s:s, s:[{s:s, s:i, s:[s]}]}", "in", "submit",
                     "user", "eve", "jobs", "shape", "4x2", "estimate", limit,
                     "command", "x"));
}

static void cancel (struct site *site, int now, int id)
{
    tell (site, now,
          json_pack ("{s:s, s:b, s:i}", "in", "cancel", "root", 1, "id", id));
}

/* Time 0 is a Thursday. A reservation from 01:00 to 02:00 comes every day, and
 * each day is kept free; those of four weeks are planned. */
static void test_again (void **state)
{
    enum { HOUR = 3600, DAY = 24 * HOUR };
    struct site site;
    json_t *all;
    begin (&site);
    tell (&site, 10,
          json_pack ("{s:s, s:b, s:[s], s:s, s:s, s:[s]}", "in", "window",
                     "root", 1, "nodes", "0,0/4x2", "every", "01:00-02:00",
                     "name", "daily", "users", "ann"));
    all = service_reservations (site.service);
    assert_int_equal (json_array_size (json_object_get (
                          json_array_get (all, 0), "times")),
                      28);
    json_decref (all);
    expect (site.service, "1 - 3600-7200 8;");
    fill (&site, 20, DAY); /* not on any day */
    fill (&site, 20, HOUR);
    expect_states (site.service, "qq");
    cancel (&site, 30, 2);
    fill (&site, 40, HOUR - 39);
    expect_states (site.service, "qeq");
    cancel (&site, HOUR, 3);
    tell (&site, 2 * HOUR, json_pack ("{s:s}", "in", "nothing"));
    expect (site.service, "1 - 90000-93600 8;");
    fill (&site, 2 * HOUR, 23 * HOUR + 1); /* into the second */
    fill (&site, 2 * HOUR, 23 * HOUR);
    expect_states (site.service, "qeeqr");
    submit_as (&site, 2 * HOUR, "ann", NULL);
    service_destroy (site.service);
    site.service = replay (&site);
    expect (site.service, "1 - 90000-93600 8;");
    cancel (&site, 3 * HOUR, 5);
    tell (&site, 40 * DAY, json_pack ("{s:s}", "in", "nothing"));
    expect (site.service, "1 - 3.4596e+06-3.4632e+06 8;");
    tell (&site, 40 * DAY + 1,
          json_pack ("{s:s, s:b, s:i}", "in", "unwindow", "root", 1, "id",
                     1));
    expect (site.service, "");
    end (&site);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_all), cmocka_unit_test (test_others),
        cmocka_unit_test (test_jobs), cmocka_unit_test (test_replay),
        cmocka_unit_test (test_users), cmocka_unit_test (test_again)};
    setenv ("TZ", "UTC", 1);
    tzset ();
    return cmocka_run_group_tests (tests, NULL, NULL);
}
