/* Every member of the table of what a job asks for (jobrows.h), on its way from
 * a submission to the journal, an order, a snapshot and those who look. */
#include "office.h"

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

static const tori_alloc_config first_fit
    = {.size = sizeof first_fit, .name = "first-fit"};
static const tori_alloc_config mm = {.size = sizeof mm, .name = "mm"};
static const tori_sched_config by_both = {
    .size = sizeof by_both,
    .policy = "easy",
    .alloc = &first_fit,
    .counts = &mm,
    .flags = TORI_SCHED_PLACES,
};

static void begin (struct office *office)
{
    open_office (office, "torus:4x4", &by_both);
    office->now = 10 * TORI_SECOND;
}

static json_t *submission (json_t *job)
{
    return json_pack ("{s:s, s:s, s:b, s:[o]}", "in", "submit", "user", "ann",
                      "root", 1, "jobs", job);
}

static json_t *small_job (void)
{
    return json_of ("{'count':1, 'time_limit':9, 'command':['x']}");
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
 * it can start. Returns the order to start it. */
static const json_t *submit_all (struct office *office)
{
    json_t *ready = full_job ();
    json_object_del (ready, "after");
    json_object_del (ready, "hold");
    json_object_del (ready, "array"); /* it adds to the environment */
    tell (office, 201, submission (small_job ()));
    decide (office);
    tell (office, 201, submission (full_job ()));
    decide (office);
    tell (office, 201, submission (ready));
    decide (office);
    return json_array_get (office->orders, 0);
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

TEST (shown_and_passed_test)
{
    struct office office;
    const json_t *order;
    begin (&office);
    order = submit_all (&office);
    expect_shown (office.service);
    assert_int_equal (json_integer_value (json_object_get (order, "job")), 3);
    expect_members (order, JOB_PASSED);
    close_office (&office);
}

TEST (kept_test)
{
    struct office office;
    begin (&office);
    submit_all (&office);
    restart (&office, replayed (&office));
    expect_shown (office.service);
    restart (&office, reloaded (&office));
    expect_shown (office.service);
    close_office (&office);
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

TEST (snapshot_test)
{
    struct office office;
    json_t *snapshot, *job;
    begin (&office);
    submit_all (&office);
    snapshot = take_snapshot (office.service);
    job = find_queued (snapshot, 2);
    for (size_t i = 0; i < JOB_MEMBERS; i++)
        if (job_members[i].snapshot && i != JOB_fold
            && !json_object_get (job, job_members[i].snapshot))
            fail_msg ("%s is lost", job_members[i].name);
    json_decref (snapshot);
    close_office (&office);
}

/* The error names the member. */
TEST (mistyped_test)
{
    struct office office;
    begin (&office);
    submit_all (&office);
    for (size_t i = 0; i < JOB_MEMBERS; i++) {
        const struct job_member *member = &job_members[i];
        json_t *job = small_job ();
        json_object_set_new (job, member->name, sample (i, false));
        if (say (&office, submission (job)) != 400
            || !strstr (office.said, member->name))
            fail_msg ("%s: '%s'", member->name, office.said);
    }
    close_office (&office);
}

static bool change (struct office *office, int id, size_t i, bool good)
{
    int code;
    json_t *input = json_pack ("{s:s, s:s, s:b, s:i, s:o}", "in", "change",
                               "user", "ann", "root", 1, "id", id,
                               job_members[i].name, sample (i, good));
    code = say (office, input);
    decide (office);
    return code == 200;
}

TEST (changed_test)
{
    struct office office;
    json_t *waits = small_job ();
    begin (&office);
    json_object_set_new (waits, "hold", json_true ());
    /* A job can be changed to wait for an earlier one. */
    tell (&office, 201, submission (small_job ()));
    tell (&office, 201, submission (waits));
    decide (&office);
    for (size_t i = 0; i < JOB_MEMBERS; i++) {
        if (change (&office, 2, i, false))
            fail_msg ("%s is changed to anything", job_members[i].name);
        if (change (&office, 2, i, true) != job_may_change[i])
            fail_msg ("%s: '%s'", job_members[i].name, office.said);
    }
    close_office (&office);
}

/* Members that an earlier version accepted are still read. */
TEST (late_test)
{
    struct office office;
    json_t *job = small_job ();
    tori_error err;
    json_t *record;
    begin (&office);
    for (size_t i = 0; i < JOB_MEMBERS; i++)
        if (job_members[i].flags & JOB_LATE)
            json_object_set_new (job, job_members[i].name, sample (i, false));
    json_object_set_new (job, "of_old", json_true ());
    json_object_set_new (job, "time_limit", sample (JOB_time_limit, false));
    record = submission (job);
    json_object_set_new (record, "now", json_integer (0));
    assert_int_equal (service_replay (office.service, record, &err), 0);
    json_decref (record);
    close_office (&office);
}

static bool is_duration (size_t i)
{
    return job_members[i].type == JOB_TYPE_TIME
           || job_members[i].type == JOB_TYPE_LIMIT;
}

/* A time is seconds, however it was said. */
TEST (times_test)
{
    struct office office;
    json_t *job = small_job (), *seen;
    begin (&office);
    for (size_t i = 0; i < JOB_MEMBERS; i++)
        if (is_duration (i))
            json_object_set_new (job, job_members[i].name,
                                 json_string ("10m"));
    json_object_set_new (job, "alternatives", json_of ("[{'count':1}]"));
    tell (&office, 201, submission (job));
    decide (&office);
    seen = service_job (office.service, 1);
    for (size_t i = 0; i < JOB_MEMBERS; i++)
        if (is_duration (i)) {
            const json_t *in = job_members[i].flags & JOB_PASSED
                                   ? json_array_get (office.orders, 0)
                                   : seen;
            assert_int_equal (json_integer_value (json_object_get (
                                  in, job_members[i].name)),
                              600);
        }
    json_decref (seen);
    close_office (&office);
}
