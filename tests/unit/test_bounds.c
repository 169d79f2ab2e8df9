/* The service does large requests of one user in steps: chains of jobs that
 * wait for one another, and arrays that wait for many. */
#include "office.h"

#include <pthread.h>
#include <time.h>

static json_t *job_after (const char *after, size_t id)
{
    json_t *job = json_of ("{'shape':'1x1', 'estimate':9, 'command':['x']}");
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
static void submit_chain (struct office *office, const char *after, size_t n)
{
    json_t *jobs = json_array ();
    for (size_t i = 0; i < n / 2; i++)
        json_array_append_new (jobs, job_after (after, i));
    tell (office, 201, submission (jobs));
    for (size_t i = n / 2; i < n; i++)
        tell (office, 201,
              submission (json_pack ("[o]", job_after (after, i))));
    decide (office);
}

static void cancel (struct office *office, int id)
{
    tell (office, 200, json_of ("{'in':'cancel', 'user':'ann', 'id':%d}", id));
}

static void expect_queued (const struct service *service, size_t n)
{
    assert_int_equal (service_count (service).queued, n);
}

/* Until nothing is left to do; how many turns that takes. In none of them does
 * more happen than in a few thousand steps. */
static size_t come_to_rest (struct office *office)
{
    size_t turns = 0;
    while (service_wake (office->service) <= 0) {
        decide (office);
        assert_uint_in_range (json_array_size (office->events), 0, 3000);
        turns++;
    }
    return turns;
}

/* ---- chains ---- */

enum { LONG = 8000 };

/* The end of one brings about all others, in turns that are short; and torid
 * may be restarted between any two of them. */
static void *cancel_head (void *arg)
{
    struct office office;
    open_office (&office, "torus:4x4", NULL);
    submit_chain (&office, "ok", LONG);
    expect_queued (office.service, LONG);
    cancel (&office, 1);
    assert_uint_in_range (json_array_size (office.events), 1, 3000);
    restart (&office, replayed (&office));
    decide (&office);
    assert_uint_in_range (json_array_size (office.events), 1, 3000);
    restart (&office, reloaded (&office));
    decide (&office);
    restart (&office, replayed (&office));
    come_to_rest (&office);
    expect_queued (office.service, 0);
    restart (&office, replayed (&office));
    restart (&office, reloaded (&office));
    close_office (&office);
    return NULL;
}

static void release (struct office *office, int id)
{
    tell (
        office, 200,
        json_of ("{'in':'change', 'user':'ann', 'id':%d, 'hold':false}", id));
}

static void say_ended (struct office *office, int id, int status)
{
    tell (office, 200,
          json_of ("{'in':'executor', 'is':'ended', 'job':%d, 'attempt':1,"
                   " 'status':%d}",
                   id, status));
}

/* The head is released, runs and fails. */
static void *fail_head (void *arg)
{
    struct office office;
    open_office (&office, "torus:4x4", NULL);
    submit_chain (&office, "ok", LONG);
    release (&office, 1);
    decide (&office);
    say_ended (&office, 1, 3);
    come_to_rest (&office);
    expect_queued (office.service, 0);
    restart (&office, replayed (&office));
    close_office (&office);
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

TEST (cancelled_head)
{
    in_small_stack (cancel_head);
}

TEST (failed_head)
{
    in_small_stack (fail_head);
}

/* A job that is submitted while a chain ends is not lost, and waits for the
 * jobs that it names. */
TEST (others_meanwhile)
{
    struct office office;
    open_office (&office, "torus:4x4", NULL);
    submit_chain (&office, "ok", 5000);
    cancel (&office, 1);
    tell (&office, 201,
          submission (json_pack ("[o, o]", job_after ("any", 5000),
                                 job_after ("ok", 4000))));
    tell (&office, 422, submission (json_pack ("[o]", job_after ("ok", 2))));
    cancel (&office, 3000);
    restart (&office, replayed (&office));
    assert_true (come_to_rest (&office) > 2);
    decide (&office);
    json_t *job = service_job (office.service, 5001);
    assert_string_equal (json_string_value (json_object_get (job, "state")),
                         "running");
    json_decref (job);
    expect_queued (office.service, 0);
    restart (&office, reloaded (&office));
    close_office (&office);
}

/* Dependencies are known after a restart, too: of all jobs that wait for one,
 * one is cancelled, one waits for another as well. */
TEST (many_for_one)
{
    struct office office;
    json_t *jobs = json_array (), *both = job_after ("any", 1);
    open_office (&office, "torus:4x4", NULL);
    tell (&office, 201,
          submission (
              json_pack ("[o, o]", job_after ("", 0), job_after ("", 0))));
    json_object_set_new (both, "after",
                         json_pack ("[s, s, s]", "any:2", "any:1", "any:1"));
    json_object_set_new (both, "array", json_string ("1-3000"));
    json_array_append_new (jobs, both);
    for (int i = 0; i < 3000; i++)
        json_array_append_new (jobs, job_after ("any", 1));
    tell (&office, 201, submission (jobs));
    for (int id = 4000; id < 5000; id++)
        cancel (&office, id);
    restart (&office, reloaded (&office));
    cancel (&office, 1);
    restart (&office, reloaded (&office));
    restart (&office, replayed (&office));
    come_to_rest (&office);
    expect_queued (office.service, 1 + 5000 - 16);
    restart (&office, reloaded (&office));
    cancel (&office, 2);
    come_to_rest (&office);
    restart (&office, replayed (&office));
    for (int id = 10; id < 4000; id += 1001) {
        json_t *job = service_job (office.service, (uint64_t)id);
        assert_null (json_object_get (job, "hold"));
        json_decref (job);
    }
    close_office (&office);
}

/* A snapshot and the records after it lead to the same as all records: jobs
 * that were cancelled before, alone or of an array, are no steps. */
TEST (steps_after_snapshot)
{
    struct office office;
    struct service *other;
    json_t *jobs = json_array (), *wide = job_after ("ok", 1), *record;
    tori_error err = {0};
    size_t i, before;
    open_office (&office, "torus:4x4", NULL);
    json_object_set_new (wide, "array", json_string ("1-2000"));
    json_array_append_new (jobs, job_after ("", 0));
    json_array_append_new (jobs, wide);
    for (i = 0; i < 2000; i++)
        json_array_append_new (jobs, job_after ("ok", 1));
    json_array_append_new (jobs, job_after ("", 0));
    json_array_append_new (jobs, job_after ("ok", 4002));
    tell (&office, 201, submission (jobs));
    for (int id = 2; id < 3500; id += 3)
        cancel (&office, id);
    cancel (&office, 4003);
    decide (&office);
    other = reloaded (&office);
    before = json_array_size (office.records);
    cancel (&office, 4002);
    cancel (&office, 1);
    come_to_rest (&office);
    expect_queued (office.service, 0);
    for (i = before; (record = json_array_get (office.records, i)); i++)
        if (service_replay (other, record, &err) < 0)
            fail_msg ("record %zu: %s", i, err.text);
    restart (&office, other);
    restart (&office, replayed (&office));
    close_office (&office);
}

/* ---- limits ---- */

static void expect_refused (struct office *office, json_t *input, int code,
                            const char *why)
{
    tell (office, code, input);
    assert_string_equal (office->said, why);
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
TEST (bounded_requests)
{
    struct office office;
    open_office (&office, "torus:4x4", NULL);
    set_policy (&office, &(struct service_policy){.array = 10, .after = 5});
    tell (&office, 201, one_with (false, "array", json_string ("5-14")));
    for (int root = 0; root < 2; root++) {
        expect_refused (
            &office, one_with (root, "array", json_string ("0-100000")), 422,
            "array: it has 100001 jobs, and may have at most 10 (max-array)");
        expect_refused (&office,
                        one_with (root, "after", many_times ("any:1", 6)), 422,
                        "after: it waits for 6 jobs, and may wait for at most "
                        "5 (max-after)");
    }
    tell (&office, 201, one_with (false, "after", many_times ("any:1", 5)));
    set_policy (&office, &(struct service_policy){.array = 1, .after = 1});
    restart (&office, replayed (&office));
    restart (&office, reloaded (&office));
    expect_queued (office.service, 11);
    close_office (&office);
}

/* So are the jobs of a user, and of all: an array fits, or is refused before
 * any of it is there. */
TEST (bounded_jobs)
{
    const struct service_policy policy = {.user = {.queued = 100},
                                          .jobs = 105};
    struct office office;
    json_t *other;
    open_office (&office, "torus:4x4", NULL);
    set_policy (&office, &policy);
    tell (&office, 201, one_with (false, "array", json_string ("1-98")));
    expect_refused (&office, one_with (false, "array", json_string ("1-3")),
                    429,
                    "a user may have at most 100 waiting jobs (max-queued)");
    tell (&office, 201, one_with (false, "array", json_string ("1-2")));
    other = one_with (false, "array", json_string ("1-6"));
    json_object_set_new (other, "user", json_string ("bob"));
    expect_refused (&office, other, 429,
                    "there may be at most 105 jobs that wait or run, of all "
                    "users (max-jobs); there are 100");
    tell (&office, 201, one_with (true, "array", json_string ("1-6")));
    restart (&office, replayed (&office));
    close_office (&office);
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

/* So is the memory that submissions take; that of an array counts once, until
 * its last job has ended. */
TEST (bounded_store)
{
    static const char full[] = "what a user has submitted and has not ended "
                               "may take at most 1 MiB (max-stored)";
    struct office office;
    open_office (&office, "torus:4x4", NULL);
    set_policy (&office, &(struct service_policy){.stored = 1});
    tell (&office, 201, held_script (false, 600000, "1-5"));
    expect_refused (&office, held_script (false, 600000, NULL), 429, full);
    expect_refused (&office,
                    one_with (false, "_remark", many_times ("", 10000)), 429,
                    full);
    tell (&office, 201, held_script (true, 600000, NULL));
    cancel (&office, 6);
    for (int id = 1; id < 5; id++)
        cancel (&office, id % 2 ? id : 6 - id);
    restart (&office, replayed (&office));
    restart (&office, reloaded (&office));
    expect_refused (&office, held_script (false, 600000, NULL), 429, full);
    cancel (&office, 5);
    tell (&office, 201, held_script (false, 600000, NULL));
    restart (&office, replayed (&office));
    set_policy (&office, &(struct service_policy){.stored = 0});
    tell (&office, 201, held_script (false, 2000000, NULL));
    set_policy (&office, &(struct service_policy){.stored = 1});
    restart (&office, replayed (&office));
    restart (&office, reloaded (&office));
    expect_refused (&office, one_with (false, "name", json_string ("x")), 429,
                    full);
    close_office (&office);
}

/* A long queue, planned a part of it in each turn, or all of it at once: how
 * many turns that took. */
static int plan_queue (struct office *office, uint32_t work,
                       int *ret_unplanned)
{
    static const tori_alloc_config alloc
        = {.size = sizeof alloc, .name = "first-fit"};
    tori_sched_config config = {.size = sizeof config,
                                .policy = "conservative",
                                .alloc = &alloc,
                                .work = work};
    int turns = 1;
    *ret_unplanned = 0;
    open_office (office, "torus:4x4", &config);
    for (int i = 1; i <= 40; i++)
        tell (office, 201,
              json_of ("{'in': 'submit', 'user': 'ann', 'jobs': [{'command': "
                       "['x'], 'shape': '%dx%d', 'time_limit': %d}]}",
                       1 + i % 4, 1 + i / 4 % 4, 60 + 7 * i % 11));
    for (decide (office); service_wake (office->service) <= office->now;
         decide (office)) {
        *ret_unplanned += job_has (office, 40, "reason", "unknown");
        turns++;
    }
    assert_false (job_has (office, 40, "reason", "unknown"));
    return turns;
}

/* So is the planning of one turn. Meanwhile the jobs that are not planned yet
 * say so, and the same comes of it. */
TEST (bounded_planning)
{
    struct office whole, parts;
    json_t *a, *b;
    int unplanned;
    bool more;
    assert_int_equal (plan_queue (&whole, 0, &unplanned), 1);
    assert_in_range (plan_queue (&parts, 2, &unplanned), 10, 1000);
    assert_in_range (unplanned, 1, 1000);
    a = service_jobs (whole.service, &(struct job_filter){0}, 0, 100, &more);
    b = service_jobs (parts.service, &(struct job_filter){0}, 0, 100, &more);
    assert_int_equal (json_array_size (a), 40);
    assert_true (json_equal (a, b));
    json_decref (a);
    json_decref (b);
    whole.config = parts.config = NULL;
    close_office (&whole);
    close_office (&parts);
}

/* The position in the queue that the last of n jobs is shown with. */
static json_int_t last_position (struct office *office, uint64_t n)
{
    bool more;
    json_t *list = service_jobs (office->service, &(struct job_filter){0},
                                 n - 1, 1, &more);
    json_int_t is = json_integer_value (
        json_object_get (json_array_get (list, 0), "position"));
    json_decref (list);
    return is;
}

/* Positions are found at once in a short queue, and now and then in a long
 * one: a list of ten jobs does not sort them all. */
TEST (bounded_positions)
{
    enum { FEW = 4000, MANY = 8000 };
    struct office office;
    open_office (&office, "torus:4x4", NULL);
    for (int n = FEW, gone = 1; n <= MANY; n += MANY - FEW, gone++) {
        tell (&office, 201,
              json_of ("{'in': 'submit', 'user': 'ann', 'jobs': [{'command': "
                       "['x'], 'shape': '4x4', 'time_limit': 60, 'array': "
                       "'1-%d'}]}",
                       MANY - FEW));
        office.now += TORI_SECOND;
        decide (&office);
        assert_int_equal (last_position (&office, (uint64_t)n), n - gone);
        cancel (&office, 1 + gone);
        assert_int_equal (last_position (&office, (uint64_t)n),
                          n == FEW ? n - gone - 1 : n - gone);
        office.now += TORI_SECOND;
        decide (&office);
        assert_int_equal (last_position (&office, (uint64_t)n), n - gone - 1);
    }
    close_office (&office);
}

/* A submission counts for more than its text: its entry and its key are kept. */
TEST (bounded_keys)
{
    struct office office;
    char key[256];
    int n = 0;
    open_office (&office, "torus:4x4", NULL);
    set_policy (&office, &(struct service_policy){.stored = 1});
    for (int code = 201; code == 201 && n < 1024; n++) {
        json_t *input = one_with (false, "hold", json_true ());
        struct reply reply = {0};
        snprintf (key, sizeof key, "%0255d", n);
        json_object_set_new (input, "key", json_string (key));
        assert_int_equal (service_do (office.service, office.now, input,
                                      &reply, NULL),
                          0);
        code = reply.code;
        json_decref (reply.body);
        json_decref (input);
    }
    assert_in_range (n, 500, 1000);
    close_office (&office);
}

/* A job that has ended keeps 8 KiB of what is shown of it: the largest members
 * go first, and with the event of its end they have all been told. */
TEST (ended_little)
{
    enum { WORDS = 4096 };
    struct office office;
    json_t *input, *job;
    open_office (&office, "torus:4x4", NULL);
    input = one_with (false, "command", many_times ("word", WORDS));
    job = json_array_get (json_object_get (input, "jobs"), 0);
    json_object_set_new (job, "name", json_string ("short"));
    json_object_set_new (job, "output", many_letters (7000));
    json_object_set_new (job, "error", many_letters (7001));
    json_object_set_new (job, "_remark", many_letters (600000));
    json_object_set_new (job, "hold", json_true ());
    tell (&office, 201, input);
    assert_uint_in_range (saved_size (&office), 600000, 800000);
    cancel (&office, 1);
    assert_uint_in_range (saved_size (&office), 7000, 10000);
    for (int i = 0; i < 2; i++) {
        job = service_job (office.service, 1);
        assert_null (json_object_get (job, "command"));
        assert_null (json_object_get (job, "error"));
        assert_non_null (json_object_get (job, "output"));
        assert_non_null (json_object_get (job, "name"));
        assert_non_null (json_object_get (job, "estimate"));
        json_decref (job);
        restart (&office, replayed (&office));
        restart (&office, reloaded (&office));
    }
    close_office (&office);
}

/* A job that has ended keeps what is shown of it, and nothing else. */
TEST (ended_store)
{
    struct office office;
    json_t *input, *job;
    open_office (&office, "torus:4x4", NULL);
    input = held_script (false, 600000, "1-3");
    job = json_array_get (json_object_get (input, "jobs"), 0);
    json_object_set_new (job, "environment", json_pack ("{s:s}", "A", "b"));
    tell (&office, 201, input);
    tell (&office, 201, held_script (false, 600000, NULL));
    assert_uint_in_range (saved_size (&office), 1200000, 1210000);
    cancel (&office, 2);
    cancel (&office, 1);
    cancel (&office, 4);
    assert_uint_in_range (saved_size (&office), 600000, 610000);
    restart (&office, reloaded (&office));
    cancel (&office, 3);
    assert_uint_in_range (saved_size (&office), 1, 10000);
    job = service_job (office.service, 1);
    assert_int_equal (json_array_size (json_object_get (job, "command")), 1);
    json_decref (job);
    restart (&office, replayed (&office));
    restart (&office, reloaded (&office));
    close_office (&office);
}

/* ---- what users may ask for ---- */

/* Without queues, too, only operators preempt the jobs of others, and keep
 * their own from being preempted. */
TEST (tiers)
{
    struct office office;
    open_office (&office, "torus:4x4", NULL);
    expect_refused (
        &office, one_with (false, "level", json_integer (4000000000)), 403,
        "tier: jobs of queue 'default' have 0; only operators may ask for "
        "more");
    expect_refused (&office,
                    one_with (false, "preempted", json_string ("never")), 403,
                    "preempted: jobs of queue 'default' can be preempted; "
                    "only operators may ask for 'never'");
    tell (&office, 201, one_with (false, "level", json_integer (0)));
    tell (&office, 201,
          one_with (false, "preempted", json_string ("suspend")));
    tell (&office, 201, one_with (true, "level", json_integer (4000000000)));
    tell (&office, 201, one_with (true, "preempted", json_string ("never")));
    restart (&office, replayed (&office));
    close_office (&office);
}

/* A journal of a version that let anybody have that is still read. */
TEST (old_tiers)
{
    struct office office;
    json_t *record;
    tori_error err = {0};
    open_office (&office, "torus:4x4", NULL);
    record = one_with (false, "level", json_integer (4000000000));
    assert_int_equal (service_replay (office.service, record, &err), 0);
    expect_queued (office.service, 0); /* nobody has told the scheduler */
    assert_int_equal (service_ready (office.service, &err), 0);
    expect_queued (office.service, 1);
    json_decref (record);
    close_office (&office);
}

/* Takes over the value. */
static json_t *change (int id, bool root, const char *key, json_t *value)
{
    return json_pack ("{s:s, s:s, s:b, s:i, s:o}", "in", "change", "user",
                      "ann", "root", root, "id", id, key, value);
}

/* A change is refused if it could not be submitted, before the job runs or
 * while it does. */
TEST (changes)
{
    static const struct service_queue queues[]
        = {{.name = "short",
            .max_estimate = 1800 * TORI_SECOND,
            .max_nodes = 8}};
    static const char too_long[] = "jobs of queue 'short' run for at most 30m";
    struct office office;
    open_office (&office, "torus:4x4", NULL);
    set_policy (&office, &(struct service_policy){.queues = queues,
                                                  .nqueues = 1,
                                                  .user = {.nodes = 6}});
    tell (&office, 201, one_with (false, "estimate", json_integer (1800)));
    for (int runs = 0; runs < 2; runs++) {
        expect_refused (&office,
                        change (1, false, "estimate", json_integer (1801)),
                        422, too_long);
        expect_refused (
            &office, change (1, false, "estimate", json_integer (315360000)),
            422, too_long);
        tell (&office, 200,
              change (1, false, "estimate", json_integer (1700)));
        if (!runs) {
            expect_refused (
                &office, change (1, false, "count", json_integer (9)), 422,
                "it asks for 9 nodes; jobs of queue 'short' have at most 8");
            expect_refused (&office,
                            change (1, false, "count", json_integer (7)), 422,
                            "it asks for 7 nodes; a user may have at most 6 "
                            "at once");
            tell (&office, 403,
                  change (1, false, "priority", json_integer (1)));
            release (&office, 1);
            decide (&office);
        }
    }
    tell (&office, 200, change (1, true, "estimate", json_integer (7200)));
    decide (&office);
    restart (&office, replayed (&office));
    close_office (&office);
}

/* ---- an executor returns ---- */

static double processor_time (void)
{
    struct timespec t;
    clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Jobs 1 to n run, each on a node of its own. */
static void run_jobs (struct office *office, int n)
{
    json_t *jobs = json_array ();
    for (int i = 0; i < n; i++)
        json_array_append_new (
            jobs, json_of ("{'shape':'1', 'estimate':9, 'command':['x']}"));
    tell (office, 201, submission (jobs));
    decide (office);
    for (int i = 1; i <= n; i++)
        tell (office, 200,
              json_of ("{'in':'executor', 'is':'started', 'job':%d,"
                       " 'attempt':1}",
                       i));
}

/* It lists all jobs but the last, in reverse, and old attempts as well. */
TEST (executor_returns)
{
    enum { MANY = 20000 };
    struct office office;
    json_t *jobs = json_array ();
    struct job_counts counts;
    double before;
    open_office (&office, "mesh:20000", NULL);
    run_jobs (&office, MANY);
    for (int i = MANY - 1; i > 0; i--) {
        json_array_append_new (
            jobs, json_pack ("{s:i, s:i}", "job", i, "attempt", 0));
        json_array_append_new (
            jobs, json_pack ("{s:i, s:i}", "job", i, "attempt", 1));
    }
    before = processor_time ();
    assert_int_equal (service_greet (office.service, NULL), 0);
    tell (&office, 200,
          json_pack ("{s:s, s:s, s:o}", "in", "executor", "is", "running",
                     "jobs", jobs));
    assert_true (processor_time () - before < 2);
    counts = service_count (office.service);
    assert_int_equal (counts.running, MANY - 1);
    assert_int_equal (counts.ended, 1);
    close_office (&office);
}
