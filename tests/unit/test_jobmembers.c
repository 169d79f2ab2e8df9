/* Every member of the table of what a job asks for (jobrows.h), on its way from
 * a submission to the journal, an order, a snapshot and those who look. */
#include "support.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "jobmembers.h"
#include "service_internal.h"

/* A value of each type that is not the usual one, and one that is none. */
static const struct {
    const char *good, *bad;
} samples[] = {
    [JOB_TYPE_TEXT] = {"\"/text\"", "7"},
    [JOB_TYPE_SHAPE] = {"\"2x2\"", "\"2by2\""},
    [JOB_TYPE_COUNT] = {"3", "0"},
    [JOB_TYPE_WIRING] = {"\"mesh\"", "\"wool\""},
    [JOB_TYPE_FOLD] = {"\"none\"", "\"paper\""},
    [JOB_TYPE_FLAG] = {"true", "1"},
    [JOB_TYPE_REQUESTS] = {"[{\"shape\": \"1x2\", \"fixed\": true}]",
                      "[{\"count\": \"2\"}]"},
    [JOB_TYPE_NODES] = {"[\"0,0/4x2\"]", "[\"9,9\"]"},
    [JOB_TYPE_TIME] = {"600", "\"long\""},
    [JOB_TYPE_LIMIT] = {"600", "\"600\""},
    [JOB_TYPE_MOMENT] = {"5", "-5"},
    [JOB_TYPE_WHOLE] = {"12", "1.5"},
    [JOB_TYPE_TIER] = {"2", "-1"},
    [JOB_TYPE_PREEMPTED] = {"\"never\"", "\"often\""},
    [JOB_TYPE_MOVABLE] = {"false", "\"no\""},
    [JOB_TYPE_FAILURE] = {"\"repair\"", "\"weep\""},
    [JOB_TYPE_WORDS] = {"[\"true\"]", "[]"},
    [JOB_TYPE_AFTERS] = {"[\"any:1\"]", "[1]"},
    [JOB_TYPE_RANGE] = {"\"3-3\"", "\"3-1\""},
    [JOB_TYPE_VARIABLES] = {"{\"A\": \"b\"}", "{\"A\": 1}"},
};

static json_t *sample (size_t i, bool good)
{
    const struct job_member *member = &job_members[i];
    const char *text = good ? samples[member->type].good
                            : samples[member->type].bad;
    json_t *value = json_loads (i == JOB_queue && good ? "\"default\"" : text,
                                JSON_DECODE_ANY, NULL);
    assert_non_null (value);
    return value;
}

struct site {
    tori_machine *machine;
    struct service *service;
    json_t *records;
    json_t *order; /* the last to start a job */
};

static struct service *make_service (const tori_machine *machine)
{
    struct service *service = NULL;
    assert_int_equal (service_create (machine,
                                      TORI_SCHED ("easy",
                                                  TORI_ALLOC ("first-fit"),
                                                  .counts = TORI_ALLOC ("mm"),
                                                  .flags = TORI_SCHED_PLACES),
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
    json_decref (site->order);
}

static void take_effects (struct site *site)
{
    struct effect effect;
    while (service_next (site->service, &effect)) {
        if (effect.kind == EFFECT_RECORD)
            json_array_append (site->records, effect.value);
        if (effect.kind == EFFECT_ORDER
            && json_object_get (effect.value, "nodes")) {
            json_decref (site->order);
            site->order = json_incref (effect.value);
        }
        json_decref (effect.value);
    }
}

/* The status; takes over the input, and gives *ret_text, if not NULL, what is
 * said of it. */
static int tell (struct site *site, json_t *input, char ret_text[512])
{
    enum { NOW = 10 };
    struct reply reply = {0};
    tori_error err = {0};
    const char *why;
    if (service_do (site->service, NOW * TORI_SECOND, input, &reply, &err) < 0)
        fail_msg ("%s", err.text);
    why = json_string_value (json_object_get (
        json_object_get (reply.body, "error"), "message"));
    if (ret_text)
        snprintf (ret_text, 512, "%s", why ? why : "");
    else if (why)
        print_message ("%s\n", why);
    json_decref (reply.body);
    json_decref (input);
    if (service_decide (site->service, NOW * TORI_SECOND, &err) < 0)
        fail_msg ("%s", err.text);
    take_effects (site);
    return reply.code;
}

static json_t *submission (json_t *job)
{
    return json_pack ("{s:s, s:s, s:b, s:[o]}", "in", "submit", "user", "ann",
                      "root", 1, "jobs", job);
}

static json_t *small_job (void)
{
    return json_pack ("{s:i, s:i, s:[s]}", "count", 1, "time_limit", 9,
                      "command", "x");
}

/* A job with a value for every member that a user may give. */
static json_t *full_job (void)
{
    json_t *job = json_object ();
    for (size_t i = 0; i < JOB_MEMBERS; i++)
        if (!(job_members[i].flags & JOB_IS_FOREIGN))
            json_object_set_new (job, job_members[i].name, sample (i, true));
    return job;
}

/* Job 1 is another. Job 2 has all members and waits; job 3 has those with which
 * it can start. */
static void submit_all (struct site *site)
{
    json_t *ready = full_job ();
    json_object_del (ready, "after");
    json_object_del (ready, "hold");
    json_object_del (ready, "array"); /* it adds to the environment */
    assert_int_equal (tell (site, submission (small_job ()), NULL), 201);
    assert_int_equal (tell (site, submission (full_job ()), NULL), 201);
    assert_int_equal (tell (site, submission (ready), NULL), 201);
}

static void expect_members (const json_t *in, unsigned flag)
{
    for (size_t i = 0; i < JOB_MEMBERS; i++) {
        const struct job_member *member = &job_members[i];
        const json_t *found = json_object_get (in, member->name);
        json_t *wanted = sample (i, true);
        if ((member->flags & flag) && !(member->flags & JOB_IS_FOREIGN)
            && !json_equal (found, wanted))
            fail_msg ("%s is lost", member->name);
        json_decref (wanted);
    }
}

static void expect_shown (const struct service *service)
{
    json_t *job = service_job (service, 2);
    expect_members (job, JOB_IS_SHOWN);
    json_decref (job);
}

static void shown_and_passed_test (void **state)
{
    struct site site;
    open_site (&site);
    submit_all (&site);
    expect_shown (site.service);
    assert_int_equal (json_integer_value (json_object_get (site.order, "job")),
                      3);
    expect_members (site.order, JOB_PASSED);
    close_site (&site);
}

static char *saved_text (const struct service *service, size_t *ret_n)
{
    char *text = service_save (service, ret_n);
    assert_non_null (text);
    return text;
}

static void expect_same (const struct service *a, const struct service *b)
{
    size_t n, m;
    char *one = saved_text (a, &n), *two = saved_text (b, &m);
    assert_string_equal (one, two);
    free (one);
    free (two);
}

static void kept_test (void **state)
{
    struct site site;
    struct service *replayed, *loaded;
    tori_error err;
    char *text;
    size_t n, i;
    json_t *record;
    open_site (&site);
    submit_all (&site);
    replayed = make_service (site.machine);
    json_array_foreach (site.records, i, record)
        assert_int_equal (service_replay (replayed, record, &err), 0);
    assert_int_equal (service_ready (replayed, &err), 0);
    loaded = make_service (site.machine);
    text = saved_text (site.service, &n);
    assert_int_equal (service_load (loaded, text, n, &err), 0);
    assert_int_equal (service_ready (loaded, &err), 0);
    expect_same (site.service, replayed);
    expect_same (site.service, loaded);
    expect_shown (replayed);
    expect_shown (loaded);
    free (text);
    service_destroy (replayed);
    service_destroy (loaded);
    close_site (&site);
}

static json_t *find_queued (const json_t *snapshot, json_int_t id)
{
    size_t i;
    json_t *job;
    json_array_foreach (json_object_get (snapshot, "queue"), i, job)
        if (json_integer_value (json_object_get (job, "id")) == id)
            return job;
    return NULL;
}

/* The scheduler as a snapshot. */
static json_t *take_snapshot (struct service *service)
{
    tori_snapshot *snapshot = NULL;
    char *text = NULL;
    size_t size = 0;
    json_t *core = NULL;
    FILE *to = open_memstream (&text, &size);
    int status = to && core_make (service, NULL) == 0
                         && tori_snapshot_take (service->sched, &snapshot,
                                                NULL)
                                == 0
                     ? tori_snapshot_write (snapshot, to, NULL)
                     : -1;
    tori_snapshot_destroy (snapshot);
    if (to && fclose (to) == 0 && status == 0)
        core = json_loadb (text, size, 0, NULL);
    free (text);
    return core;
}

static void snapshot_test (void **state)
{
    struct site site;
    json_t *snapshot, *job;
    open_site (&site);
    submit_all (&site);
    snapshot = take_snapshot (site.service);
    job = find_queued (snapshot, 2);
    for (size_t i = 0; i < JOB_MEMBERS; i++)
        if (job_members[i].snapshot && i != JOB_fold
            && !json_object_get (job, job_members[i].snapshot))
            fail_msg ("%s is lost", job_members[i].name);
    json_decref (snapshot);
    close_site (&site);
}

/* The error names the member. */
static void mistyped_test (void **state)
{
    struct site site;
    open_site (&site);
    submit_all (&site);
    for (size_t i = 0; i < JOB_MEMBERS; i++) {
        const struct job_member *member = &job_members[i];
        json_t *job = small_job ();
        char text[512];
        json_object_set_new (job, member->name, sample (i, false));
        if (tell (&site, submission (job), text) != 400
            || !strstr (text, member->name))
            fail_msg ("%s: '%s'", member->name, text);
    }
    close_site (&site);
}

static bool change (struct site *site, int id, size_t i, bool good,
                    char text[512])
{
    json_t *input = json_pack ("{s:s, s:s, s:b, s:i, s:o}", "in", "change",
                               "user", "ann", "root", 1, "id", id,
                               job_members[i].name, sample (i, good));
    return tell (site, input, text) == 200;
}

static void changed_test (void **state)
{
    struct site site;
    json_t *waits = small_job ();
    open_site (&site);
    json_object_set_new (waits, "hold", json_true ());
    /* A job can be changed to wait for an earlier one. */
    assert_int_equal (tell (&site, submission (small_job ()), NULL), 201);
    assert_int_equal (tell (&site, submission (waits), NULL), 201);
    for (size_t i = 0; i < JOB_MEMBERS; i++) {
        char text[512];
        if (change (&site, 2, i, false, text))
            fail_msg ("%s is changed to anything", job_members[i].name);
        if (change (&site, 2, i, true, text) != job_may_change[i])
            fail_msg ("%s: '%s'", job_members[i].name, text);
    }
    close_site (&site);
}

/* Members that an earlier version accepted are still read. */
static void late_test (void **state)
{
    struct site site;
    json_t *job = small_job ();
    tori_error err;
    json_t *record;
    open_site (&site);
    for (size_t i = 0; i < JOB_MEMBERS; i++)
        if (job_members[i].flags & JOB_LATE)
            json_object_set_new (job, job_members[i].name, sample (i, false));
    json_object_set_new (job, "of_old", json_true ());
    json_object_set_new (job, "time_limit", sample (JOB_time_limit, false));
    record = submission (job);
    json_object_set_new (record, "now", json_integer (0));
    assert_int_equal (service_replay (site.service, record, &err), 0);
    json_decref (record);
    close_site (&site);
}

static bool is_duration (size_t i)
{
    return job_members[i].type == JOB_TYPE_TIME
           || job_members[i].type == JOB_TYPE_LIMIT;
}

/* A time is seconds, however it was said. */
static void times_test (void **state)
{
    struct site site;
    json_t *job = small_job (), *seen;
    open_site (&site);
    for (size_t i = 0; i < JOB_MEMBERS; i++)
        if (is_duration (i))
            json_object_set_new (job, job_members[i].name,
                                 json_string ("10m"));
    json_object_set_new (job, "alternatives", json_pack ("[{s:i}]", "count", 1));
    assert_int_equal (tell (&site, submission (job), NULL), 201);
    seen = service_job (site.service, 1);
    for (size_t i = 0; i < JOB_MEMBERS; i++)
        if (is_duration (i)) {
            const json_t *in = job_members[i].flags & JOB_PASSED ? site.order
                                                                 : seen;
            assert_int_equal (json_integer_value (json_object_get (
                                  in, job_members[i].name)),
                              600);
        }
    json_decref (seen);
    close_site (&site);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (shown_and_passed_test),
        cmocka_unit_test (kept_test),
        cmocka_unit_test (snapshot_test),
        cmocka_unit_test (mistyped_test),
        cmocka_unit_test (changed_test),
        cmocka_unit_test (late_test),
        cmocka_unit_test (times_test),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
