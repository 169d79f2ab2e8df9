/* The service does large requests of one user in steps: chains of jobs that
 * wait for one another, and arrays that wait for many. */
#include "support.h"

#include <jansson.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "service.h"

struct site {
    tori_machine *machine;
    struct service *service;
    json_t *records;
    size_t events; /* of the last call */
    char said[512];
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

static void open_site (struct site *site)
{
    *site = (struct site){.records = json_array ()};
    assert_int_equal (tori_machine_parse ("torus:4x4", &site->machine, NULL),
                      0);
    site->service = make_service (site->machine);
}

static void close_site (struct site *site)
{
    service_destroy (site->service);
    tori_machine_destroy (site->machine);
    json_decref (site->records);
}

static void take_effects (struct site *site)
{
    struct effect effect;
    site->events = 0;
    while (service_next (site->service, &effect)) {
        site->events += effect.kind == EFFECT_EVENT;
        if (effect.kind == EFFECT_RECORD)
            json_array_append (site->records, effect.value);
        json_decref (effect.value);
    }
}

/* The status, and in site->said why it is refused; takes over the input. */
static int tell (struct site *site, json_t *input)
{
    struct reply reply = {0};
    tori_error err = {0};
    const json_t *why;
    if (service_do (site->service, 0, input, &reply, &err) < 0)
        fail_msg ("%s", err.text);
    why = json_object_get (json_object_get (reply.body, "error"), "message");
    snprintf (site->said, sizeof site->said, "%s",
              why ? json_string_value (why) : "");
    json_decref (reply.body);
    json_decref (input);
    take_effects (site);
    return reply.code;
}

static void decide (struct site *site)
{
    tori_error err = {0};
    if (service_decide (site->service, 0, &err) < 0)
        fail_msg ("%s", err.text);
    take_effects (site);
}

static json_t *job_after (const char *after, size_t id)
{
    json_t *job = json_pack ("{s:s, s:i, s:[s]}", "shape", "1x1", "estimate",
                             9, "command", "x");
    char text[40];
    snprintf (text, sizeof text, "%s:%zu", after, id);
    if (id > 0)
        json_object_set_new (job, "after", json_string (text));
    else
        json_object_set_new (job, "hold", json_true ());
    return job;
}

static json_t *submission (json_t *jobs)
{
    return json_pack ("{s:s, s:s, s:o}", "in", "submit", "user", "ann",
                      "jobs", jobs);
}

/* Jobs 1 to n, each after the one before; the first is held. Half of them are
 * submitted at once, the others one by one. */
static void submit_chain (struct site *site, const char *after, size_t n)
{
    json_t *jobs = json_array ();
    for (size_t i = 0; i < n / 2; i++)
        json_array_append_new (jobs, job_after (after, i));
    assert_int_equal (tell (site, submission (jobs)), 201);
    for (size_t i = n / 2; i < n; i++)
        assert_int_equal (
            tell (site, submission (json_pack ("[o]", job_after (after, i)))),
            201);
    decide (site);
}

static int cancel (struct site *site, int id)
{
    return tell (site, json_pack ("{s:s, s:s, s:i}", "in", "cancel", "user",
                                  "ann", "id", id));
}

static void expect_queued (const struct service *service, size_t n)
{
    assert_int_equal (service_count (service).queued, n);
}

static char *saved_text (struct service *service)
{
    size_t n;
    char *text = service_save (service, &n);
    assert_non_null (text);
    return text;
}

static void expect_same (struct service *a, struct service *b)
{
    char *one = saved_text (a), *two = saved_text (b);
    assert_string_equal (one, two);
    free (one);
    free (two);
}

/* The service after a restart: from its journal, or from a snapshot. */
static struct service *replayed (const struct site *site)
{
    struct service *service = make_service (site->machine);
    tori_error err = {0};
    json_t *record;
    size_t i;
    json_array_foreach (site->records, i, record)
        if (service_replay (service, record, &err) < 0)
            fail_msg ("record %zu: %s", i, err.text);
    assert_int_equal (service_ready (service, &err), 0);
    return service;
}

static struct service *reloaded (const struct site *site)
{
    struct service *service = make_service (site->machine);
    char *text = saved_text (site->service);
    tori_error err = {0};
    if (service_load (service, text, strlen (text), &err) < 0)
        fail_msg ("%s", err.text);
    assert_int_equal (service_ready (service, &err), 0);
    free (text);
    return service;
}

/* Go on with another one instead of the service. */
static void restart (struct site *site, struct service *service)
{
    expect_same (service, site->service);
    service_destroy (site->service);
    site->service = service;
}

/* Until nothing is left to do; how many turns that takes. In none of them does
 * more happen than in a few thousand steps. */
static size_t come_to_rest (struct site *site)
{
    size_t turns = 0;
    while (service_wake (site->service) <= 0) {
        decide (site);
        assert_uint_in_range (site->events, 0, 3000);
        turns++;
    }
    return turns;
}

/* ---- chains ---- */

enum { LONG = 20000 };

/* The end of one brings about all others, in turns that are short; and torid
 * may be restarted between any two of them. */
static void *cancel_head (void *arg)
{
    struct site site;
    open_site (&site);
    submit_chain (&site, "ok", LONG);
    expect_queued (site.service, LONG);
    assert_int_equal (cancel (&site, 1), 200);
    assert_uint_in_range (site.events, 1, 3000);
    restart (&site, replayed (&site));
    decide (&site);
    assert_uint_in_range (site.events, 1, 3000);
    restart (&site, reloaded (&site));
    decide (&site);
    restart (&site, replayed (&site));
    come_to_rest (&site);
    expect_queued (site.service, 0);
    restart (&site, replayed (&site));
    restart (&site, reloaded (&site));
    close_site (&site);
    return NULL;
}

static int release (struct site *site, int id)
{
    return tell (site, json_pack ("{s:s, s:s, s:i, s:b}", "in", "change",
                                  "user", "ann", "id", id, "hold", 0));
}

static int say_ended (struct site *site, int id, int status)
{
    return tell (site, json_pack ("{s:s, s:s, s:i, s:i, s:i}", "in",
                                  "executor", "is", "ended", "job", id,
                                  "attempt", 1, "status", status));
}

/* The head is released, runs and fails. */
static void *fail_head (void *arg)
{
    struct site site;
    open_site (&site);
    submit_chain (&site, "ok", LONG);
    assert_int_equal (release (&site, 1), 200);
    decide (&site);
    assert_int_equal (say_ended (&site, 1, 3), 200);
    come_to_rest (&site);
    expect_queued (site.service, 0);
    restart (&site, replayed (&site));
    close_site (&site);
    return NULL;
}

/* With a stack that a call for each job would not fit into. */
static void in_small_stack (void *(*play) (void *))
{
    pthread_attr_t small;
    pthread_t thread;
    assert_int_equal (pthread_attr_init (&small), 0);
    assert_int_equal (pthread_attr_setstacksize (&small, 512 << 10), 0);
    assert_int_equal (pthread_create (&thread, &small, play, NULL), 0);
    assert_int_equal (pthread_join (thread, NULL), 0);
    pthread_attr_destroy (&small);
}

static void test_cancelled_head (void **state)
{
    in_small_stack (cancel_head);
}

static void test_failed_head (void **state)
{
    in_small_stack (fail_head);
}

/* A job that is submitted while a chain ends is not lost, and waits for the
 * jobs that it names. */
static void test_others_meanwhile (void **state)
{
    struct site site;
    open_site (&site);
    submit_chain (&site, "ok", 5000);
    assert_int_equal (cancel (&site, 1), 200);
    assert_int_equal (
        tell (&site, submission (json_pack ("[o, o]", job_after ("any", 5000),
                                            job_after ("ok", 4000)))),
        201);
    assert_int_equal (
        tell (&site, submission (json_pack ("[o]", job_after ("ok", 2)))),
        422);
    assert_int_equal (cancel (&site, 3000), 200);
    restart (&site, replayed (&site));
    assert_true (come_to_rest (&site) > 2);
    decide (&site);
    json_t *job = service_job (site.service, 5001);
    assert_string_equal (json_string_value (json_object_get (job, "state")),
                         "running");
    json_decref (job);
    expect_queued (site.service, 0);
    restart (&site, reloaded (&site));
    close_site (&site);
}

/* Dependencies are known after a restart, too: of all jobs that wait for one,
 * one is cancelled, one waits for another as well. */
static void test_many_for_one (void **state)
{
    struct site site;
    json_t *jobs = json_array (), *both = job_after ("any", 1);
    open_site (&site);
    assert_int_equal (
        tell (&site, submission (json_pack ("[o, o]", job_after ("", 0),
                                            job_after ("", 0)))),
        201);
    json_object_set_new (both, "after",
                         json_pack ("[s, s, s]", "any:2", "any:1", "any:1"));
    json_object_set_new (both, "array", json_string ("1-3000"));
    json_array_append_new (jobs, both);
    for (int i = 0; i < 3000; i++)
        json_array_append_new (jobs, job_after ("any", 1));
    assert_int_equal (tell (&site, submission (jobs)), 201);
    for (int id = 4000; id < 5000; id++)
        assert_int_equal (cancel (&site, id), 200);
    restart (&site, reloaded (&site));
    assert_int_equal (cancel (&site, 1), 200);
    restart (&site, reloaded (&site));
    restart (&site, replayed (&site));
    come_to_rest (&site);
    expect_queued (site.service, 1 + 5000 - 16);
    restart (&site, reloaded (&site));
    assert_int_equal (cancel (&site, 2), 200);
    come_to_rest (&site);
    restart (&site, replayed (&site));
    for (int id = 10; id < 4000; id += 1001) {
        json_t *job = service_job (site.service, (uint64_t)id);
        assert_null (json_object_get (job, "hold"));
        json_decref (job);
    }
    close_site (&site);
}

/* A snapshot and the records after it lead to the same as all records: jobs
 * that were cancelled before, alone or of an array, are no steps. */
static void test_steps_after_snapshot (void **state)
{
    struct site site;
    struct service *other;
    json_t *jobs = json_array (), *wide = job_after ("ok", 1), *record;
    tori_error err = {0};
    size_t i, before;
    open_site (&site);
    json_object_set_new (wide, "array", json_string ("1-2000"));
    json_array_append_new (jobs, job_after ("", 0));
    json_array_append_new (jobs, wide);
    for (i = 0; i < 2000; i++)
        json_array_append_new (jobs, job_after ("ok", 1));
    json_array_append_new (jobs, job_after ("", 0));
    json_array_append_new (jobs, job_after ("ok", 4002));
    assert_int_equal (tell (&site, submission (jobs)), 201);
    for (int id = 2; id < 3500; id += 3)
        assert_int_equal (cancel (&site, id), 200);
    assert_int_equal (cancel (&site, 4003), 200);
    decide (&site);
    other = reloaded (&site);
    before = json_array_size (site.records);
    assert_int_equal (cancel (&site, 4002), 200);
    assert_int_equal (cancel (&site, 1), 200);
    come_to_rest (&site);
    expect_queued (site.service, 0);
    for (i = before; (record = json_array_get (site.records, i)); i++)
        if (service_replay (other, record, &err) < 0)
            fail_msg ("record %zu: %s", i, err.text);
    restart (&site, other);
    restart (&site, replayed (&site));
    close_site (&site);
}

/* ---- limits ---- */

static void set (struct site *site, const struct service_policy *policy)
{
    tori_error err = {0};
    if (service_set_policy (site->service, 0, policy, &err) < 0)
        fail_msg ("%s", err.text);
    take_effects (site);
}

static void expect_refused (struct site *site, json_t *input, int code,
                            const char *why)
{
    assert_int_equal (tell (site, input), code);
    assert_string_equal (site->said, why);
}

/* Takes over the value. */
static json_t *one_with (bool root, const char *key, json_t *value)
{
    json_t *job = job_after ("", 0);
    json_object_set_new (job, key, value);
    return json_pack ("{s:s, s:s, s:b, s:[o]}", "in", "submit", "user", "ann",
                      "root", root, "jobs", job);
}

static json_t *many_times (const char *word, size_t n)
{
    json_t *list = json_array ();
    for (size_t i = 0; i < n; i++)
        json_array_append_new (list, json_string (word));
    return list;
}

/* A single request is bounded, for operators as well. */
static void test_bounded_requests (void **state)
{
    struct site site;
    open_site (&site);
    set (&site, &(struct service_policy){.array = 10, .after = 5});
    assert_int_equal (tell (&site, one_with (false, "array",
                                             json_string ("5-14"))),
                      201);
    for (int root = 0; root < 2; root++) {
        expect_refused (
            &site, one_with (root, "array", json_string ("0-100000")), 422,
            "array: it has 100001 jobs, and may have at most 10 (max-array)");
        expect_refused (&site,
                        one_with (root, "after", many_times ("any:1", 6)),
                        422,
                        "after: it waits for 6 jobs, and may wait for at most "
                        "5 (max-after)");
    }
    assert_int_equal (
        tell (&site, one_with (false, "after", many_times ("any:1", 5))),
        201);
    set (&site, &(struct service_policy){.array = 1, .after = 1});
    restart (&site, replayed (&site));
    restart (&site, reloaded (&site));
    expect_queued (site.service, 11);
    close_site (&site);
}

/* So are the jobs of a user, and of all: an array fits, or is refused before
 * any of it is there. */
static void test_bounded_jobs (void **state)
{
    const struct service_policy policy = {.user = {.queued = 100}, .jobs = 105};
    struct site site;
    json_t *other;
    open_site (&site);
    set (&site, &policy);
    assert_int_equal (tell (&site, one_with (false, "array",
                                             json_string ("1-98"))),
                      201);
    expect_refused (&site, one_with (false, "array", json_string ("1-3")),
                    429,
                    "a user may have at most 100 waiting jobs (max-queued)");
    assert_int_equal (tell (&site, one_with (false, "array",
                                             json_string ("1-2"))),
                      201);
    other = one_with (false, "array", json_string ("1-6"));
    json_object_set_new (other, "user", json_string ("bob"));
    expect_refused (&site, other, 429,
                    "there may be at most 105 jobs that wait or run, of all "
                    "users (max-jobs); there are 100");
    assert_int_equal (tell (&site, one_with (true, "array",
                                             json_string ("1-6"))),
                      201);
    restart (&site, replayed (&site));
    close_site (&site);
}

static json_t *many_letters (size_t n)
{
    char *text = calloc (1, n + 1);
    json_t *value;
    memset (text, '#', n);
    value = json_string (text);
    free (text);
    return value;
}

static json_t *held_script (bool root, size_t n, const char *array)
{
    json_t *input = one_with (root, "script", many_letters (n));
    if (array)
        json_object_set_new (
            json_array_get (json_object_get (input, "jobs"), 0), "array",
            json_string (array));
    return input;
}

static size_t saved_size (struct service *service)
{
    char *text = saved_text (service);
    size_t n = strlen (text);
    free (text);
    return n;
}

/* So is the memory that submissions take; that of an array counts once, until
 * its last job has ended. */
static void test_bounded_store (void **state)
{
    static const char full[] = "what a user has submitted and has not ended "
                               "may take at most 1 MiB (max-stored)";
    struct site site;
    open_site (&site);
    set (&site, &(struct service_policy){.stored = 1});
    assert_int_equal (tell (&site, held_script (false, 600000, "1-5")), 201);
    expect_refused (&site, held_script (false, 600000, NULL), 429, full);
    expect_refused (&site, one_with (false, "command", many_times ("", 10000)),
                    429, full);
    assert_int_equal (tell (&site, held_script (true, 600000, NULL)), 201);
    assert_int_equal (cancel (&site, 6), 200);
    for (int id = 1; id < 5; id++)
        assert_int_equal (cancel (&site, id % 2 ? id : 6 - id), 200);
    restart (&site, replayed (&site));
    restart (&site, reloaded (&site));
    expect_refused (&site, held_script (false, 600000, NULL), 429, full);
    assert_int_equal (cancel (&site, 5), 200);
    assert_int_equal (tell (&site, held_script (false, 600000, NULL)), 201);
    restart (&site, replayed (&site));
    set (&site, &(struct service_policy){.stored = 0});
    assert_int_equal (tell (&site, held_script (false, 2000000, NULL)), 201);
    set (&site, &(struct service_policy){.stored = 1});
    restart (&site, replayed (&site));
    restart (&site, reloaded (&site));
    expect_refused (&site, one_with (false, "name", json_string ("x")), 429,
                    full);
    close_site (&site);
}

/* A job that has ended keeps 8 KiB of what is shown of it: the largest members
 * go first, and with the event of its end they have all been told. */
static void test_ended_little (void **state)
{
    enum { WORDS = 10000 };
    struct site site;
    json_t *input, *job;
    open_site (&site);
    input = one_with (false, "command", many_times ("word", WORDS));
    job = json_array_get (json_object_get (input, "jobs"), 0);
    json_object_set_new (job, "name", json_string ("short"));
    json_object_set_new (job, "output", many_letters (7000));
    json_object_set_new (job, "error", many_letters (7001));
    json_object_set_new (job, "_remark", many_letters (600000));
    json_object_set_new (job, "hold", json_true ());
    assert_int_equal (tell (&site, input), 201);
    assert_uint_in_range (saved_size (site.service), 600000, 800000);
    assert_int_equal (cancel (&site, 1), 200);
    assert_uint_in_range (saved_size (site.service), 7000, 10000);
    for (int i = 0; i < 2; i++) {
        job = service_job (site.service, 1);
        assert_null (json_object_get (job, "command"));
        assert_null (json_object_get (job, "error"));
        assert_non_null (json_object_get (job, "output"));
        assert_non_null (json_object_get (job, "name"));
        assert_non_null (json_object_get (job, "estimate"));
        json_decref (job);
        restart (&site, replayed (&site));
        restart (&site, reloaded (&site));
    }
    close_site (&site);
}

/* A job that has ended keeps what is shown of it, and nothing else. */
static void test_ended_store (void **state)
{
    struct site site;
    json_t *input, *job;
    open_site (&site);
    input = held_script (false, 600000, "1-3");
    job = json_array_get (json_object_get (input, "jobs"), 0);
    json_object_set_new (job, "environment", json_pack ("{s:s}", "A", "b"));
    assert_int_equal (tell (&site, input), 201);
    assert_int_equal (tell (&site, held_script (false, 600000, NULL)), 201);
    assert_uint_in_range (saved_size (site.service), 1200000, 1210000);
    assert_int_equal (cancel (&site, 2), 200);
    assert_int_equal (cancel (&site, 1), 200);
    assert_int_equal (cancel (&site, 4), 200);
    assert_uint_in_range (saved_size (site.service), 600000, 610000);
    restart (&site, reloaded (&site));
    assert_int_equal (cancel (&site, 3), 200);
    assert_uint_in_range (saved_size (site.service), 1, 10000);
    job = service_job (site.service, 1);
    assert_int_equal (json_array_size (json_object_get (job, "command")), 1);
    json_decref (job);
    restart (&site, replayed (&site));
    restart (&site, reloaded (&site));
    close_site (&site);
}

/* ---- what users may ask for ---- */

/* Without queues, too, only operators preempt the jobs of others, and keep
 * their own from being preempted. */
static void test_tiers (void **state)
{
    struct site site;
    open_site (&site);
    expect_refused (
        &site, one_with (false, "level", json_integer (4000000000)), 403,
        "tier: jobs of queue 'default' have 0; only operators may ask for "
        "more");
    expect_refused (&site,
                    one_with (false, "preempted", json_string ("never")), 403,
                    "preempted: jobs of queue 'default' can be preempted; "
                    "only operators may ask for 'never'");
    assert_int_equal (tell (&site, one_with (false, "level",
                                             json_integer (0))),
                      201);
    assert_int_equal (tell (&site, one_with (false, "preempted",
                                             json_string ("suspend"))),
                      201);
    assert_int_equal (tell (&site, one_with (true, "level",
                                             json_integer (4000000000))),
                      201);
    assert_int_equal (tell (&site, one_with (true, "preempted",
                                             json_string ("never"))),
                      201);
    restart (&site, replayed (&site));
    close_site (&site);
}

/* A journal of a version that let anybody have that is still read. */
static void test_old_tiers (void **state)
{
    struct site site;
    json_t *record;
    tori_error err = {0};
    open_site (&site);
    record = one_with (false, "level", json_integer (4000000000));
    assert_int_equal (service_replay (site.service, record, &err), 0);
    expect_queued (site.service, 0); /* nobody has told the scheduler */
    assert_int_equal (service_ready (site.service, &err), 0);
    expect_queued (site.service, 1);
    json_decref (record);
    close_site (&site);
}

/* Takes over the value. */
static json_t *change (int id, bool root, const char *key, json_t *value)
{
    return json_pack ("{s:s, s:s, s:b, s:i, s:o}", "in", "change", "user",
                      "ann", "root", root, "id", id, key, value);
}

/* A change is refused if it could not be submitted, before the job runs or
 * while it does. */
static void test_changes (void **state)
{
    static const struct service_queue queues[]
        = {{.name = "short",
            .max_estimate = 1800 * TORI_SECOND,
            .max_nodes = 8}};
    static const char too_long[] = "jobs of queue 'short' run for at most 30m";
    struct site site;
    open_site (&site);
    set (&site, &(struct service_policy){.queues = queues,
                                         .nqueues = 1,
                                         .user = {.nodes = 6}});
    assert_int_equal (tell (&site, one_with (false, "estimate",
                                             json_integer (1800))),
                      201);
    for (int runs = 0; runs < 2; runs++) {
        expect_refused (&site,
                        change (1, false, "estimate", json_integer (1801)),
                        422, too_long);
        expect_refused (&site,
                        change (1, false, "estimate",
                                json_integer (315360000)),
                        422, too_long);
        assert_int_equal (tell (&site, change (1, false, "estimate",
                                               json_integer (1700))),
                          200);
        if (!runs) {
            expect_refused (
                &site, change (1, false, "count", json_integer (9)), 422,
                "it asks for 9 nodes; jobs of queue 'short' have at most 8");
            expect_refused (&site,
                            change (1, false, "count", json_integer (7)), 422,
                            "it asks for 7 nodes; a user may have at most 6 "
                            "at once");
            assert_int_equal (tell (&site, change (1, false, "priority",
                                                   json_integer (1))),
                              403);
            assert_int_equal (release (&site, 1), 200);
            decide (&site);
        }
    }
    assert_int_equal (
        tell (&site, change (1, true, "estimate", json_integer (7200))), 200);
    decide (&site);
    restart (&site, replayed (&site));
    close_site (&site);
}

/* ---- an executor returns ---- */

static double processor_time (void)
{
    struct timespec t;
    clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Jobs 1 to n run, each on a node of its own. */
static void run_jobs (struct site *site, int n)
{
    json_t *jobs = json_array ();
    for (int i = 0; i < n; i++)
        json_array_append_new (jobs, json_pack ("{s:s, s:i, s:[s]}", "shape",
                                                "1", "estimate", 9, "command",
                                                "x"));
    assert_int_equal (tell (site, submission (jobs)), 201);
    decide (site);
    for (int i = 1; i <= n; i++)
        tell (site, json_pack ("{s:s, s:s, s:i, s:i}", "in", "executor", "is",
                               "started", "job", i, "attempt", 1));
}

/* It lists all jobs but the last, in reverse, and old attempts as well. */
static void test_executor_returns (void **state)
{
    enum { MANY = 20000 };
    struct site site = {.records = json_array ()};
    json_t *jobs = json_array ();
    struct job_counts counts;
    double before;
    assert_int_equal (tori_machine_parse ("mesh:20000", &site.machine, NULL),
                      0);
    site.service = make_service (site.machine);
    run_jobs (&site, MANY);
    for (int i = MANY - 1; i > 0; i--) {
        json_array_append_new (
            jobs, json_pack ("{s:i, s:i}", "job", i, "attempt", 0));
        json_array_append_new (
            jobs, json_pack ("{s:i, s:i}", "job", i, "attempt", 1));
    }
    before = processor_time ();
    assert_int_equal (service_greet (site.service, NULL), 0);
    tell (&site, json_pack ("{s:s, s:s, s:o}", "in", "executor", "is",
                            "running", "jobs", jobs));
    assert_true (processor_time () - before < 2);
    counts = service_count (site.service);
    assert_int_equal (counts.running, MANY - 1);
    assert_int_equal (counts.ended, 1);
    close_site (&site);
}

int main (void)
{
    const struct CMUnitTest tests[]
        = {cmocka_unit_test (test_cancelled_head),
           cmocka_unit_test (test_executor_returns),
        cmocka_unit_test (test_failed_head),
           cmocka_unit_test (test_others_meanwhile),
           cmocka_unit_test (test_many_for_one),
           cmocka_unit_test (test_steps_after_snapshot),
           cmocka_unit_test (test_bounded_requests),
           cmocka_unit_test (test_bounded_jobs),
           cmocka_unit_test (test_bounded_store),
           cmocka_unit_test (test_ended_little),
           cmocka_unit_test (test_ended_store),
           cmocka_unit_test (test_tiers),
           cmocka_unit_test (test_old_tiers),
           cmocka_unit_test (test_changes)};
    return cmocka_run_group_tests (tests, NULL, NULL);
}
