/* Shares of users: policies of the service, queues, usage and limits. */
#include "office.h"

#include <math.h>

#include <tori/workload.h>

#include "detmath.h"
#include "service_internal.h"

static const tori_alloc_config mm = {.size = sizeof mm, .name = "mm"};
static const tori_sched_config by_mm = {
    .size = sizeof by_mm,
    .policy = "easy",
    .alloc = &mm,
    .flags = TORI_SCHED_PLACES, /* as levels need them */
};

/* ---- policies ---- */

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

TEST (policy_is_kept)
{
    struct office o;
    const struct service_policy *is;
    size_t n;
    open_office (&o, "torus:4x4", &by_mm);
    set_policy (&o, &a_policy);
    is = service_policy (o.service);
    assert_int_equal (is->half_life, 86400 * TORI_SECOND);
    assert_int_equal (is->user.nodes, 64);
    assert_int_equal (is->nqueues, 2);
    assert_string_equal (is->queues[1].name, "urgent");
    assert_int_equal (is->queues[1].preempted, TORI_PREEMPTED_NEVER);
    assert_int_equal (is->queues[1].limits.running, 2);
    expect_kept (&o);
    n = json_array_size (o.records);
    set_policy (&o, &a_policy); /* the same again is no change */
    assert_int_equal (json_array_size (o.records), n);
    set_policy (&o, &(struct service_policy){0});
    assert_int_equal (json_array_size (o.records), n + 1);
    expect_kept (&o);
    close_office (&o);
}

TEST (policy_that_makes_no_sense)
{
    static const struct service_queue twice[] = {{.name = "a"}, {.name = "a"}};
    static const struct service_queue no_name[] = {{.priority = 1}};
    const struct {
        struct service_policy policy;
        const char *why;
    } all[] = {{{.queues = twice, .nqueues = 2},
                "policy: queues[1].name: queue 'a' is given twice"},
               {{.queues = no_name, .nqueues = 1},
                "policy: queues[0].name: is missing"},
               {{.half_life = -1},
                "policy: half_life: expected a whole number of at least 0"},
               {{.user.rate = -5},
                "policy: user.rate: expected a whole number of at least 0"}};
    struct office o;
    open_office (&o, "torus:4x4", &by_mm);
    set_policy (&o, &a_policy);
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

/* ---- work ---- */

static json_t *a_job (int count, int seconds)
{
    return json_of ("{'command':['true'], 'count':%d, 'estimate':%d}", count,
                    seconds);
}

static uint64_t submit_as (struct office *o, const char *user, bool root,
                           json_t *job)
{
    json_t *body = ask (o, 201,
                        json_pack ("{s:s, s:s, s:b, s:[o]}", "in", "submit",
                                   "user", user, "root", root, "jobs", job));
    json_t *id = json_array_get (json_object_get (body, "ids"), 0);
    uint64_t first = (uint64_t)json_integer_value (id);
    json_decref (body);
    return first;
}

static uint64_t submit (struct office *o, const char *user, json_t *job)
{
    return submit_as (o, user, false, job);
}

/* It ended so long ago, and that is heard now. */
static void end_late (struct office *o, uint64_t id, tori_time ago)
{
    tell (o, 200,
          json_of ("{'in':'executor', 'is':'ended', 'job':%ju, 'attempt':1,"
                   " 'status':0, 'at':%.6f}",
                   (uintmax_t)id, (double)(o->now - ago) / TORI_SECOND));
}

static void end (struct office *o, uint64_t id)
{
    end_late (o, id, 0);
}

/* ---- usage ---- */

static json_t *user_of (json_t *users, const char *name)
{
    json_t *user;
    size_t i;
    json_array_foreach (users, i, user)
        if (!strcmp (json_string_value (json_object_get (user, "user")), name))
            return user;
    return NULL;
}

static double number_of (const json_t *object, const char *key)
{
    return json_number_value (json_object_get (object, key));
}

/* How long after `from` and before `until` a job ran, in seconds. */
static double ran (const struct office *o, const json_t *job, double from,
                   double until)
{
    double start = number_of (job, "start"), end = number_of (job, "end");
    if (!json_object_get (job, "start"))
        return 0;
    if (!json_object_get (job, "end"))
        end = (double)o->now / (double)TORI_SECOND;
    start = start > from ? start : from;
    end = end < until ? end : until;
    return end > start ? end - start : 0;
}

/* Usage as it is defined: the node-seconds of every minute up to the last
 * whole one, each of which counts half after a half-life. */
static double usage_by_hand (const struct office *o, json_t *jobs,
                             const char *name)
{
    double half_life = (double)service_policy (o->service)->half_life / 6e7;
    int64_t last = o->now / (60 * TORI_SECOND);
    double sum = 0;
    json_t *job;
    size_t i;
    json_array_foreach (jobs, i, job) {
        if (strcmp (json_string_value (json_object_get (job, "user")), name))
            continue;
        for (int64_t k = 1; k <= last; k++)
            sum += number_of (job, "count")
                   * ran (o, job, 60.0 * (double)(k - 1), 60.0 * (double)k)
                   * pow (2, (double)(k - last) / half_life);
    }
    return sum;
}

static const char *const users[] = {"ann", "bob", "cleo"};
enum { USERS = 3 };

/* Every job that waits has the priority that it is owed. */
static void check_priorities (const struct office *o, json_t *all)
{
    tori_sched *sched = service_sched (o->service);
    tori_job jobs[1000];
    size_t n = tori_sched_queued_jobs (sched, jobs);
    for (size_t i = 0; i < n; i++) {
        tori_job_spec spec = {.size = sizeof spec};
        json_t *job;
        assert_true (tori_sched_spec (sched, jobs[i], &spec));
        job = service_job (o->service, spec.tag);
        const char *name
            = json_string_value (json_object_get (job, "user"));
        assert_int_equal (
            spec.priority,
            (int64_t)number_of (job, "priority")
                - (int64_t)number_of (user_of (all, name), "penalty"));
        json_decref (job);
    }
}

static void check_usage (struct office *o)
{
    double weight = (double)service_policy (o->service)->weight;
    json_t *all = service_users (o->service);
    bool more;
    json_t *jobs = service_jobs (o->service,
                                 &(struct job_filter){0}, 0, 100000, &more);
    double by_hand[USERS], total = 0;
    for (int k = 0; k < USERS; k++)
        total += by_hand[k] = usage_by_hand (o, jobs, users[k]);
    for (int k = 0; k < USERS; k++) {
        const json_t *user = user_of (all, users[k]);
        double penalty = total > 0 ? weight * by_hand[k] / total : 0;
        if (fabs (number_of (user, "usage") - by_hand[k])
            > 3 + 1e-9 * by_hand[k]) /* less than 1 is forgotten */
            fail_msg ("%s: %f, not %f", users[k], number_of (user, "usage"),
                      by_hand[k]);
        if (fabs (number_of (user, "penalty") - penalty)
            > 1 + weight / 100 + 9 * weight / (total + 1)) /* whole percent */
            fail_msg ("%s: %f, not %f", users[k], number_of (user, "penalty"),
                      penalty);
    }
    check_priorities (o, all);
    json_decref (jobs);
    json_decref (all);
}

static void stir (struct office *o, struct rng *rng, uint64_t *last)
{
    uint64_t id = rng_below (rng, *last + 1) + 1;
    json_t *job;
    if (*last < 900 && rng_below (rng, 3) == 0) {
        job = a_job ((int)rng_below (rng, 12) + 1, 3600);
        if (rng_below (rng, 4) == 0)
            json_object_set_new (job, "priority", json_integer (-7));
        *last = submit (o, users[rng_below (rng, USERS)], job);
    } else if (id <= *last && job_has (o, id, "state", "running")) {
        end_late (o, id,
                  (tori_time)rng_below (rng, 900) * (TORI_SECOND / 2));
    }
    decide (o);
}

/* Penalties are those of the last whole minute. */
static void check_next_minute (struct office *o)
{
    o->now += 60 * TORI_SECOND;
    decide (o);
    check_usage (o);
}

TEST (usage_is_what_it_is_defined_as)
{
    const struct service_policy policy
        = {.half_life = 1800 * TORI_SECOND, .weight = 1000};
    struct rng rng = seeded (7);
    uint64_t last = 0;
    struct office o;
    open_office (&o, "torus:4x4", &by_mm);
    set_policy (&o, &policy);
    for (int i = 0; i < 1200; i++) {
        o.now += (tori_time)rng_below (&rng, 40) * TORI_SECOND / 2;
        stir (&o, &rng, &last);
        if (i % 60 == 0)
            check_next_minute (&o);
        if (i % 300 == 0)
            expect_kept (&o);
    }
    assert_true (last > 100);
    expect_kept (&o);
    close_office (&o);
}

static double end_of (struct office *o, uint64_t id)
{
    json_t *job = service_job (o->service, id);
    double end = number_of (job, "end");
    json_decref (job);
    return end;
}

/* Neither before it started nor in the future. */
TEST (when_it_ended)
{
    const struct {
        int ago, end;
    } cases[] = {{0, 100}, {1, 99}, {40, 60}, {90, 10}, {91, 100}, {-1, 100}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct office o;
        uint64_t id;
        open_office (&o, "torus:4x4", &by_mm);
        o.now = 10 * TORI_SECOND;
        id = submit (&o, "ann", a_job (4, 3600));
        decide (&o);
        o.now = 100 * TORI_SECOND;
        end_late (&o, id, cases[i].ago * TORI_SECOND);
        assert_float_equal (end_of (&o, id), cases[i].end, 0);
        expect_kept (&o);
        close_office (&o);
    }
}

/* ---- the example of doc/shares.md ---- */

static const struct service_queue of_the_example[]
    = {{.name = "batch"}, {.name = "urgent", .priority = 1000}};

/* The ids of jobs that wait, the first first. */
static void expect_order (const struct office *o, const uint64_t ids[],
                          size_t n)
{
    tori_sched *sched = service_sched (o->service);
    tori_job jobs[16];
    assert_int_equal (tori_sched_queued (sched), n);
    tori_sched_queued_jobs (sched, jobs);
    for (size_t i = 0; i < n; i++) {
        tori_job_spec spec = {.size = sizeof spec};
        assert_true (tori_sched_spec (sched, jobs[i], &spec));
        assert_int_equal (spec.tag, ids[i]);
    }
}

static void run_for_an_hour (struct office *o, const char *user, int count)
{
    uint64_t id = submit (o, user, a_job (count, 3600));
    decide (o);
    o->now += 3600 * TORI_SECOND;
    end (o, id);
    decide (o);
}

static void expect_user (const struct office *o, const char *name,
                         double usage, double share, int penalty)
{
    json_t *all = service_users (o->service), *user = user_of (all, name);
    assert_float_equal (number_of (user, "usage"), usage, 1);
    assert_float_equal (number_of (user, "share"), share, 0.001);
    assert_int_equal (number_of (user, "penalty"), penalty);
    json_decref (all);
}

/* An operator changes a job. */
static void change (struct office *o, uint64_t id, const char *key,
                    const char *value)
{
    tell (o, 200,
          json_of ("{'in':'change', 'id':%ju, 'root':true, '%s':%s}",
                   (uintmax_t)id, key, value));
}

static void drain (struct office *o, const char *state)
{
    tell (o, 200,
          json_of ("{'in':'node', 'node':'0,0,0/4x4x4', 'state':'%s',"
                   " 'root':true}",
                   state));
}

TEST (worked_example)
{
    const struct service_policy policy = {.half_life = 86400 * TORI_SECOND,
                                          .weight = 1000,
                                          .queues = of_the_example,
                                          .nqueues = 2};
    uint64_t alice, bob, carol, urgent;
    json_t *job = a_job (64, 60);
    struct office o;
    open_office (&o, "torus:4x4x4", &by_mm);
    set_policy (&o, &policy);
    o.now = 9 * 3600 * TORI_SECOND;
    run_for_an_hour (&o, "alice", 64);
    expect_user (&o, "alice", 227159, 1, 1000);
    o.now += 23 * 3600 * TORI_SECOND;
    run_for_an_hour (&o, "bob", 16);
    expect_user (&o, "alice", 113580, 0.667, 660);
    expect_user (&o, "bob", 56790, 0.333, 330);
    drain (&o, "drain");
    alice = submit (&o, "alice", a_job (64, 60));
    bob = submit (&o, "bob", a_job (64, 60));
    carol = submit (&o, "carol", a_job (64, 60));
    expect_order (&o, (uint64_t[]){carol, bob, alice}, 3);
    change (&o, alice, "priority", "500");
    expect_order (&o, (uint64_t[]){carol, alice, bob}, 3);
    json_object_set_new (job, "queue", json_string ("urgent"));
    urgent = submit (&o, "alice", job);
    expect_order (&o, (uint64_t[]){urgent, carol, alice, bob}, 4);
    drain (&o, "resume");
    decide (&o);
    assert_true (job_has (&o, urgent, "state", "running"));
    expect_kept (&o);
    close_office (&o);
}

TEST (who_may_raise_a_priority)
{
    struct office o;
    uint64_t id;
    json_t *job = a_job (1, 60);
    open_office (&o, "torus:4x4", &by_mm);
    id = submit (&o, "alice", a_job (1, 60));
    json_object_set_new (job, "priority", json_integer (1));
    tell (&o, 403,
          json_pack ("{s:s, s:s, s:[O]}", "in", "submit", "user", "alice",
                     "jobs", job));
    tell (&o, 201,
          json_pack ("{s:s, s:b, s:[o]}", "in", "submit", "root", 1, "jobs",
                     job));
    for (int priority = -1; priority <= 1; priority++)
        for (int root = 0; root < 2; root++)
            tell (&o, priority > 0 && !root ? 403 : 200,
                  json_of ("{'in':'change', 'user':'alice', 'root':%s,"
                           " 'id':%ju, 'priority':%d}",
                           root ? "true" : "false", (uintmax_t)id, priority));
    expect_kept (&o);
    close_office (&o);
}

/* ---- queues ---- */

static void refused (struct office *o, int code, const char *why,
                     json_t *input)
{
    tell (o, code, input);
    assert_string_equal (o->said, why);
}

static json_t *submission (const char *user, json_t *job)
{
    return json_pack ("{s:s, s:s, s:[o]}", "in", "submit", "user", user,
                      "jobs", job);
}

/* With other members. */
static json_t *job_with (int count, int seconds, const char *members)
{
    return json_of ("{'command':['true'], 'count':%d, 'estimate':%d, %s}",
                    count, seconds, members);
}

static tori_job_spec spec_of (struct office *o, uint64_t id)
{
    tori_sched *sched = service_sched (o->service);
    tori_job jobs[16];
    size_t n = tori_sched_queued_jobs (sched, jobs);
    for (size_t i = 0; i < n; i++) {
        tori_job_spec spec = {.size = sizeof spec};
        if (tori_sched_spec (sched, jobs[i], &spec) && spec.tag == id)
            return spec;
    }
    fail_msg ("no job %d", (int)id);
    return (tori_job_spec){0};
}

static void expect_text (const struct office *o, uint64_t id, const char *key,
                         const char *text)
{
    json_t *job = service_job (o->service, id);
    assert_string_equal (text_of (job, key), text);
    json_decref (job);
}

TEST (queues)
{
    static const struct service_queue queues[]
        = {{.name = "batch", .max_nodes = 8},
           {.name = "urgent",
            .max_estimate = 600 * TORI_SECOND,
            .level = 1,
            .preempted = TORI_PREEMPTED_NEVER},
           {.name = "idle", .priority = -100}};
    struct office o;
    uint64_t id;
    open_office (&o, "torus:4x4", &by_mm);
    refused (&o, 422, "there is no queue 'idle'; there is default",
             submission ("ann", job_with (1, 60, "'queue':'idle'")));
    set_policy (&o, &(struct service_policy){.queues = queues, .nqueues = 3});
    id = submit (&o, "ann", a_job (1, 60));
    expect_text (&o, id, "queue", "batch");
    refused (&o, 422,
             "there is no queue 'fast'; there are batch, urgent and idle",
             submission ("ann", job_with (1, 60, "'queue':'fast'")));
    refused (&o, 422,
             "it asks for 9 nodes; jobs of queue 'batch' have at most 8",
             submission ("ann", a_job (9, 60)));
    refused (&o, 422, "jobs of queue 'urgent' run for at most 10m",
             submission ("ann", job_with (1, 601, "'queue':'urgent'")));
    refused (&o, 403,
             "tier: jobs of queue 'batch' have 0; only operators may ask for "
             "more",
             submission ("ann", job_with (1, 60, "'level':1")));
    id = submit (&o, "ann", job_with (9, 600, "'queue':'urgent'"));
    assert_int_equal (spec_of (&o, id).level, 1);
    assert_int_equal (spec_of (&o, id).preempted, TORI_PREEMPTED_NEVER);
    id = submit (&o, "ann", job_with (9, 600, "'queue':'idle'"));
    assert_int_equal (spec_of (&o, id).priority, -100);
    expect_kept (&o);
    close_office (&o);
}

/* ---- limits ---- */

TEST (refused_beyond_limits)
{
    static const struct service_queue queues[]
        = {{.name = "all", .limits = {.queued = 5, .rate = 5}}};
    struct office o;
    open_office (&o, "torus:4x4", &by_mm);
    set_policy (&o, &(struct service_policy){
                        .user = {.queued = 3, .rate = 4, .nodes = 10},
                        .queues = queues,
                        .nqueues = 1});
    refused (&o, 422,
             "it asks for 11 nodes; a user may have at most 10 at once",
             submission ("ann", a_job (11, 60)));
    for (int i = 0; i < 3; i++)
        submit (&o, "ann", a_job (1, 60));
    refused (&o, 429, "a user may have at most 3 waiting jobs (max-queued)",
             submission ("ann", a_job (1, 60)));
    refused (&o, 429,
             "a user may submit 4 times per minute; there were 3 in this one",
             json_pack ("{s:s, s:s, s:[o, o]}", "in", "submit", "user", "ann",
                        "jobs", a_job (1, 60), a_job (1, 60)));
    submit (&o, "bob", a_job (1, 60));
    submit (&o, "bob", a_job (1, 60));
    refused (&o, 429,
             "queue 'all' takes at most 5 submissions per minute; it had 5 in "
             "this one",
             submission ("bob", a_job (1, 60)));
    o.now += 60 * TORI_SECOND;
    refused (&o, 429,
             "queue 'all' is full: it may have at most 5 waiting jobs "
             "(max-queued)",
             submission ("bob", a_job (1, 60)));
    decide (&o); /* all start */
    submit (&o, "bob", job_with (1, 60, "'array':'1-2'"));
    refused (&o, 429, "a user may have at most 3 waiting jobs (max-queued)",
             submission ("bob", job_with (1, 60, "'array':'1-2'")));
    expect_kept (&o);
    close_office (&o);
}

static const struct service_queue one_at_a_time[]
    = {{.name = "all"}, {.name = "few", .limits = {.running = 1}}};

TEST (waits_for_a_limit)
{
    struct office o;
    uint64_t id[8];
    open_office (&o, "torus:4x4", &by_mm);
    set_policy (&o, &(struct service_policy){.user = {.nodes = 8},
                                             .queues = one_at_a_time,
                                             .nqueues = 2});
    id[0] = submit (&o, "ann", a_job (5, 60));
    id[1] = submit (&o, "ann", a_job (4, 60));
    id[2] = submit (&o, "ann", a_job (1, 60));
    id[3] = submit (&o, "bob", job_with (1, 60, "'queue':'few'"));
    id[4] = submit (&o, "bob", job_with (1, 60, "'queue':'few'"));
    id[5] = submit (&o, "bob", a_job (6, 60));
    decide (&o);
    assert_true (job_has (&o, id[0], "state", "running"));
    expect_text (&o, id[1], "limit", "the user's limit of 8 nodes");
    expect_text (&o, id[1], "hold", "share");
    expect_text (&o, id[2], "limit", "the user's limit of 8 nodes");
    assert_true (job_has (&o, id[3], "state", "running"));
    expect_text (&o, id[4], "limit", "queue few's limit of 1 running job");
    assert_true (job_has (&o, id[5], "state", "running"));
    expect_kept (&o);
    end (&o, id[0]);
    decide (&o);
    assert_true (job_has (&o, id[1], "state", "running"));
    assert_true (job_has (&o, id[2], "state", "running"));
    set_policy (&o, &(struct service_policy){0});
    decide (&o);
    assert_true (job_has (&o, id[4], "state", "running"));
    expect_kept (&o);
    close_office (&o);
}

/* One that is suspended will run again, and then counts as it did before. */
TEST (suspended_counts)
{
    struct office o;
    uint64_t first, urgent, second;
    json_t *job = job_with (12, 60, "'level':1");
    open_office (&o, "torus:4x4", &by_mm);
    set_policy (&o, &(struct service_policy){.user = {.running = 1}});
    first = submit (&o, "ann", job_with (8, 60, "'preempted':'suspend'"));
    decide (&o);
    urgent = submit_as (&o, "bob", true, job);
    decide (&o);
    assert_true (job_has (&o, urgent, "state", "running"));
    assert_true (job_has (&o, first, "state", "queued"));
    second = submit (&o, "ann", a_job (1, 60));
    change (&o, second, "priority", "5");
    decide (&o);
    expect_text (&o, first, "limit", "");
    end (&o, urgent);
    decide (&o);
    assert_true (job_has (&o, first, "state", "running"));
    expect_text (&o, second, "limit", "the user's limit of 1 running job");
    expect_kept (&o);
    close_office (&o);
}

/* The line is another as soon as a penalty is, even that of a user whose jobs
 * are all held back. */
TEST (line_follows_usage)
{
    const struct service_policy policy = {.half_life = 86400 * TORI_SECOND,
                                          .weight = 20,
                                          .queues = one_at_a_time,
                                          .nqueues = 2};
    struct office o;
    uint64_t carol, alice, bob;
    json_t *job = job_with (8, 60, "'queue':'few', 'priority':-15");
    open_office (&o, "torus:4x4", &by_mm);
    set_policy (&o, &policy);
    run_for_an_hour (&o, "bob", 8);
    carol = submit (&o, "carol", a_job (12, 86400));
    alice = submit (&o, "alice", job);
    bob = submit (&o, "bob", job_with (2, 60, "'queue':'few'"));
    decide (&o);
    assert_true (job_has (&o, carol, "state", "running"));
    expect_text (&o, alice, "limit", "");
    expect_text (&o, bob, "limit", "queue few's limit of 1 running job");
    o.now += 3600 * TORI_SECOND;
    decide (&o);
    assert_true (job_has (&o, bob, "state", "running"));
    expect_text (&o, alice, "limit", "queue few's limit of 1 running job");
    expect_kept (&o);
    close_office (&o);
}

/* The use of a job while it ran counts when it is requeued. */
TEST (suspended_rank)
{
    const struct service_policy policy
        = {.half_life = 86400 * TORI_SECOND, .weight = 20};
    struct office o;
    uint64_t first, urgent, second;
    open_office (&o, "torus:4x4", &by_mm);
    set_policy (&o, &policy);
    first = submit (&o, "ann", job_with (12, 7200, "'preempted':'suspend'"));
    decide (&o);
    o.now += 3600 * TORI_SECOND;
    urgent = submit_as (&o, "bob", true, job_with (8, 600, "'level':1"));
    decide (&o);
    assert_true (job_has (&o, urgent, "state", "running"));
    second = submit (&o, "carol", a_job (16, 60));
    expect_order (&o, (uint64_t[]){second, first}, 2);
    expect_kept (&o);
    close_office (&o);
}

/* The jobs and nodes of a user or a queue, counted over all jobs. */
struct tally {
    int jobs, nodes;
    bool closed;
};

static void tally_up (struct tally *tally, const json_t *job)
{
    tally->jobs++;
    tally->nodes += (int)number_of (job, "count");
}

static int index_of (const char *const names[], const char *name)
{
    int i = 0;
    while (strcmp (names[i], name))
        i++;
    return i;
}

static const char *const queue_names[] = {"wide", "narrow"};

/* No user exceeds a limit, and each job that waits for a limit would exceed
 * one: its own, or that of another job that waits in front of it for the same.
 */
static void check_limits (struct office *o, json_t *jobs)
{
    struct tally user[USERS] = {0}, queue[2] = {0};
    json_t *job;
    size_t i;
    json_array_foreach (jobs, i, job)
        if (!strcmp (text_of (job, "state"), "running")) {
            tally_up (&user[index_of (users, text_of (job, "user"))], job);
            tally_up (&queue[index_of (queue_names, text_of (job, "queue"))],
                      job);
        }
    for (int k = 0; k < USERS; k++)
        assert_true (user[k].jobs <= 3 && user[k].nodes <= 9);
    assert_true (queue[1].jobs <= 2);
    json_array_foreach (jobs, i, job) { /* in the order of the queue */
        struct tally *u = &user[index_of (users, text_of (job, "user"))];
        int q = index_of (queue_names, text_of (job, "queue"));
        int nodes = (int)number_of (job, "count");
        bool waits = !strcmp (text_of (job, "hold"), "share");
        if (strcmp (text_of (job, "state"), "queued")
            || (json_object_get (job, "hold") && !waits))
            continue;
        if (!u->closed && !queue[q].closed) {
            u->closed = u->jobs + 1 > 3 || u->nodes + nodes > 9;
            if (!u->closed) {
                tally_up (u, job);
                queue[q].closed = q == 1 && queue[q].jobs + 1 > 2;
            }
        }
        assert_int_equal (waits, u->closed || queue[q].closed);
        assert_int_equal (waits, *text_of (job, "limit") != 0);
        if (!waits)
            tally_up (&queue[q], job);
    }
}

static void submit_some (struct office *o, struct rng *rng)
{
    json_t *job = a_job ((int)rng_below (rng, 9) + 1, 3600);
    if (rng_below (rng, 2))
        json_object_set_new (job, "queue", json_string ("narrow"));
    if (rng_below (rng, 6) == 0)
        json_object_set_new (job, "hold", json_true ());
    if (rng_below (rng, 8) == 0)
        json_object_set_new (job, "array", json_string ("1-3%1"));
    submit (o, users[rng_below (rng, USERS)], job);
}

static void end_some (struct office *o, struct rng *rng, json_t *jobs)
{
    json_t *job;
    size_t i;
    json_array_foreach (jobs, i, job) {
        uint64_t id = (uint64_t)number_of (job, "id");
        if (json_object_get (job, "hold") && rng_below (rng, 9) == 0)
            change (o, id, "hold", "false");
        if (!strcmp (text_of (job, "state"), "running")
            && rng_below (rng, 5) == 0)
            end (o, id);
    }
}

static json_t *jobs_of (struct office *o)
{
    bool more;
    return service_jobs (o->service,
                                 &(struct job_filter){0}, 0, 100000, &more);
}

static size_t count_ended (const json_t *jobs)
{
    size_t n = 0;
    for (size_t i = 0; i < json_array_size (jobs); i++)
        n += !strcmp (text_of (json_array_get (jobs, i), "state"), "ended");
    return n;
}

static void check_a_stream (uint64_t seed)
{
    static const struct service_queue queues[]
        = {{.name = "wide"}, {.name = "narrow", .limits = {.running = 2}}};
    struct rng rng = seeded (seed);
    struct office o;
    open_office (&o, "torus:4x4", &by_mm);
    set_policy (&o,
                &(struct service_policy){.user = {.running = 3, .nodes = 9},
                                         .queues = queues,
                                         .nqueues = 2});
    for (int i = 0; i < 250; i++) {
        json_t *jobs = jobs_of (&o);
        o.now += TORI_SECOND;
        end_some (&o, &rng, jobs);
        if (i < 50)
            submit_some (&o, &rng);
        decide (&o);
        json_decref (jobs);
        jobs = jobs_of (&o);
        check_limits (&o, jobs);
        if (i % 100 == 0)
            expect_kept (&o);
        if (i == 249) /* nobody is forgotten */
            assert_int_equal (count_ended (jobs), json_array_size (jobs));
        json_decref (jobs);
    }
    close_office (&o);
}

TEST (limits_hold)
{
    for (uint64_t seed = 1; seed <= 4; seed++)
        check_a_stream (seed);
}

/* ---- the past ---- */

static size_t count_known (const struct office *o)
{
    const struct job_counts n = service_count (o->service);
    return n.queued + n.running + n.suspended + n.ended;
}

/* One job, under a key of its own. */
static void one_job (struct office *o, int number)
{
    char key[32], user[32];
    json_t *body;
    uint64_t id;
    snprintf (key, sizeof key, "key %d", number);
    snprintf (user, sizeof user, "user %d", number % 50);
    body = ask (o, 201,
                json_pack ("{s:s, s:s, s:s, s:[o]}", "in", "submit", "user",
                           user, "key", key, "jobs", a_job (4, 600)));
    id = (uint64_t)json_integer_value (
        json_array_get (json_object_get (body, "ids"), 0));
    json_decref (body);
    decide (o);
    o->now += 600 * TORI_SECOND;
    end (o, id);
    decide (o);
    o->now += 3000 * TORI_SECOND;
    json_array_clear (o->records); /* nobody reads them again */
}

/* A job runs on, and the clock says another century: the usage is that of one
 * minute after another, to the last bit, or of their series. */
static void check_future (tori_time half_life, int64_t epochs, bool exactly)
{
    struct office o;
    struct account naive = {0};
    const struct account *user;
    open_office (&o, "torus:4x4", &by_mm);
    set_policy (
        &o, &(struct service_policy){.half_life = half_life, .weight = 10});
    submit (&o, "ann", json_pack ("{s:i, s:i, s:[s]}", "count", 5, "estimate",
                                  60, "command", "x"));
    decide (&o);
    naive = *account_find (&o.service->users, "ann");
    assert_int_equal (naive.nodes, 5);
    o.now += epochs * EPOCH;
    decide (&o);
    user = account_find (&o.service->users, "ann");
    if (exactly) {
        double factor = det_exp2 (-(double)EPOCH / (double)half_life);
        for (int64_t k = 0; k < epochs; k++)
            account_age (&naive, factor);
        assert_true (user->usage == naive.usage);
        expect_kept (&o);
    } else {
        double share = (double)EPOCH / (double)half_life * log (2);
        double most = 5 * 60 * (double)epochs, least = 5 * 60 / share;
        double is = most < least ? most : least;
        assert_true (user->usage > 0.5 * is && user->usage < 1.01 * is);
    }
    close_office (&o);
}

TEST (far_future)
{
    const tori_time day = 86400 * TORI_SECOND;
    const int64_t year = 525600;
    check_future (7 * day, 40 * year, true);
    check_future (7 * day, 100000 * year, false);
    check_future (400 * 365 * day, 100000 * year, false);
}

TEST (a_year_without_growth)
{
    struct office o;
    size_t known = 0, size = 0;
    open_office (&o, "torus:4x4", &by_mm);
    set_policy (&o, &(struct service_policy){
                        .half_life = 7 * 86400 * TORI_SECOND, .weight = 1000});
    for (int hour = 0; hour < 365 * 24; hour++) {
        one_job (&o, hour);
        if (hour == 5000) {
            known = count_known (&o);
            size = saved_size (&o);
        }
    }
    assert_int_equal (count_known (&o), known);
    assert_int_equal (known, 25); /* of a day, and the last */
    assert_true (saved_size (&o) < size + size / 10);
    close_office (&o);
}

/* Not more than the last 10,000, however little time has passed. */
TEST (many_at_once)
{
    struct office o;
    uint64_t first;
    open_office (&o, "torus:4x4", &by_mm);
    for (int i = 0; i < 6; i++) {
        first = submit (&o, "ann", job_with (1, 60, "'array':'1-2500'"));
        for (uint64_t id = first; id < first + 2500; id++)
            tell (&o, 200,
                  json_of ("{'in':'cancel', 'id':%ju, 'root':true}",
                           (uintmax_t)id));
        o.now += 10 * TORI_SECOND;
    }
    assert_int_equal (count_known (&o), 15000);
    o.now = 60 * TORI_SECOND;
    decide (&o);
    assert_int_equal (count_known (&o), 10000);
    refused (&o, 422, "after: job 1 ended too long ago to be waited for",
             submission ("ann", job_with (1, 60, "'after':'any:1'")));
    refused (&o, 422, "after: there is no job 15001",
             submission ("ann", job_with (1, 60, "'after':'any:15001'")));
    expect_kept (&o);
    close_office (&o);
}

/* ---- what the jobs of an array ask for ---- */

static json_t *wordy_job (const char *array)
{
    char text[2000] = "", members[2100];
    memset (text, 'x', sizeof text - 1);
    snprintf (members, sizeof members,
              "'array':'%s', 'environment':{'X':'%s'}", array, text);
    return job_with (1, 60, members);
}

/* It is saved once, and theirs together when it is loaded; but not what was
 * changed for one of them. */
TEST (arrays_share_what_they_ask_for)
{
    struct office o;
    struct service *loaded;
    uint64_t first;
    size_t few;
    open_office (&o, "torus:4x4", &by_mm);
    first = submit (&o, "ann", wordy_job ("1-10"));
    few = saved_size (&o);
    submit (&o, "ann", wordy_job ("1-10"));
    submit (&o, "bob", wordy_job ("1-200"));
    assert_true (saved_size (&o) < few + 2 * 2000 + 210 * 100);
    change (&o, first + 1, "priority", "7");
    expect_kept (&o);
    loaded = reloaded (&o);
    struct service_job **all = loaded->jobs.all;
    assert_ptr_not_equal (all[0]->ask, all[1]->ask);
    for (size_t i = 3; i < 10; i++)
        assert_ptr_equal (all[i]->ask, all[2]->ask);
    for (size_t i = 21; i < 220; i++)
        assert_ptr_equal (all[i]->ask, all[20]->ask);
    assert_non_null (json_object_get (all[1]->ask->members, "priority"));
    assert_null (json_object_get (all[2]->ask->members, "priority"));
    service_destroy (loaded);
    close_office (&o);
}

/* ---- earlier versions ---- */

/* As version 0.1.0 of November 2026 wrote it. New members of a job must not
 * change the hash of this one. */
static const char earlier[]
    = "{\"tori_service\":3,\"now\":1794858579417658,\"next_id\":3,"
      "\"tickets\":2,\"keys\":{\" a\":[1],\" b\":[2]},"
      "\"hash\":3298117712211520488,\"nodes\":[[15,2]],\"windows\":[],"
      "\"last_window\":0,\"users\":[[\"ann\",-310948440,2,0.0,0]],"
      "\"queues\":[[\"default\",-310948440,2,0.0,0]],"
      "\"machine\":\"mesh:4x4\",\"policy\":{\"half_life\":0,\"weight\":0,"
      "\"requeues\":0,\"history\":0,\"user\":{\"queued\":0,\"running\":0,"
      "\"nodes\":0,\"rate\":0},\"queues\":[]},\"remarks\":{\"15\":\"x\"},"
      "\"asked\":{}}\n"
      "{\"user\":\"ann\",\"ask\":{\"estimate\":60,\"count\":8},"
      "\"key\":\"a\",\"id\":1,\"state\":1,\"attempt\":1,\"out\":1,"
      "\"started\":1,\"fresh\":1,\"since\":1794858578868555,"
      "\"submit\":1794858578868555,\"start\":1794858578868555,"
      "\"place\":{\"nodes\":[\"0,1\",\"1,0\",\"1,1\",\"1,2\",\"2,0\","
      "\"2,1\",\"2,2\",\"3,1\"]}}\n"
      "{\"user\":\"ann\",\"ask\":{\"estimate\":60,\"count\":16},"
      "\"key\":\"b\",\"id\":2,\"submit\":1794858578871017}\n";

TEST (earlier_version)
{
    struct office o;
    tori_error err = {0};
    open_office (&o, "mesh:4x4", &by_mm);
    service_load (o.service, earlier, sizeof earlier - 1, &err);
    assert_string_equal (err.text, "");
    assert_int_equal (service_ready (o.service, NULL), 0);
    assert_true (job_has (&o, 1, "state", "running"));
    close_office (&o);
}

/* ---- requeues ---- */

static void set_node (struct office *o, const char *state)
{
    tell (o, 200,
          json_of ("{'in':'node', 'node':'0,0', 'state':'%s', 'root':true}",
                   state));
}

static void gone (struct office *o, uint64_t id, int attempt)
{
    tell (o, 200,
          json_of ("{'in':'executor', 'is':'ended', 'job':%ju, 'attempt':%d,"
                   " 'signal':9}",
                   (uintmax_t)id, attempt));
}

/* It starts as often as it may, before those that came later, and then no
 * more. */
TEST (requeues)
{
    struct office o;
    uint64_t id, later;
    open_office (&o, "torus:4x4", &by_mm);
    set_policy (&o, &(struct service_policy){.requeues = 2});
    id = submit (&o, "ann", a_job (16, 60));
    later = submit (&o, "bob", a_job (16, 60));
    for (int attempt = 1; attempt <= 3; attempt++) {
        decide (&o);
        assert_true (job_has (&o, id, "state", "running"));
        assert_true (job_has (&o, later, "state", "queued"));
        o.now += TORI_SECOND;
        set_node (&o, "down");
        set_node (&o, "up");
        gone (&o, id, attempt);
        expect_kept (&o);
    }
    expect_text (&o, id, "why",
                 "node 0,0 failed under it, and it was requeued 2 times "
                 "before");
    assert_true (job_has (&o, later, "state", "running"));
    close_office (&o);
}

/* The busiest users have a row each, all others one together, also a user who
 * has its name. */
TEST (loads)
{
    enum { CROWD = 30 };
    struct service_load loads[SERVICE_LOADS + 1];
    struct office o;
    int64_t queued = 0, running = 0, nodes = 0;
    open_office (&o, "torus:8x8", &by_mm);
    assert_int_equal (service_loads (o.service, false, loads), 1);
    for (int i = 0; i < CROWD; i++) {
        char name[16];
        snprintf (name, sizeof name, "u%02d", i);
        submit (&o, name, a_job (i % 2 ? 2 : 1, 60));
    }
    submit (&o, "other", a_job (19, 60));
    submit (&o, "u00", a_job (2, 60)); /* waits */
    decide (&o);
    assert_int_equal (service_loads (o.service, false, loads),
                      SERVICE_LOADS + 1);
    for (size_t i = 0; i <= SERVICE_LOADS; i++) {
        queued += loads[i].queued;
        running += loads[i].running;
        nodes += loads[i].nodes;
    }
    assert_int_equal (queued, 1);
    assert_int_equal (running, CROWD + 1);
    assert_int_equal (nodes, CROWD / 2 * 3 + 19);
    assert_string_equal (loads[0].name, "u01");
    assert_string_equal (loads[CROWD / 2].name, "u00");
    assert_string_equal (loads[SERVICE_LOADS].name, "other");
    assert_int_equal (loads[SERVICE_LOADS].nodes, 19 + 10);
    assert_int_equal (service_loads (o.service, true, loads), 2);
    assert_string_equal (loads[0].name, "default");
    assert_int_equal (loads[0].running, CROWD + 1);
    close_office (&o);
}

/* With accounts, the usage of the account over its target counts first, then
 * the user's part of the usage of the account. */
TEST (accounts)
{
    static const char *const accounts[]
        = {"physics 10 ann bob", "chemistry 30 carl"};
    const struct service_policy policy = {.half_life = INT64_C (36500) * 86400
                                                       * TORI_SECOND,
                                          .weight = 10200,
                                          .accounts = accounts,
                                          .naccounts = 2};
    /* By hand: physics has used 3 of 4 parts, of a target of 10/41, so its
     * excess is 0.75 / (0.75 + 0.244) = 75 %; chemistry 1 of 4, of 30/41: 25
     * %. ann has used 66 % of what physics has, bob 33 %. */
    struct office o;
    json_t *all;
    open_office (&o, "torus:4x4", &by_mm);
    set_policy (&o, &policy);
    o.now += TORI_SECOND * 60;
    run_for_an_hour (&o, "ann", 8);
    run_for_an_hour (&o, "bob", 4);
    run_for_an_hour (&o, "carl", 4);
    submit (&o, "dora", a_job (1, 60));
    decide (&o);
    all = service_accounts (o.service);
    assert_int_equal (json_array_size (all), 3);
    assert_string_equal (
        json_string_value (json_object_get (json_array_get (all, 2),
                                            "account")),
        "other");
    assert_float_equal (number_of (json_array_get (all, 0), "target"),
                        10.0 / 41, 1e-9);
    json_decref (all);
    expect_user (&o, "ann", 8 * 3600, 0.5, 75 * 101 + 66);
    expect_user (&o, "bob", 4 * 3600, 0.25, 75 * 101 + 33);
    expect_user (&o, "carl", 4 * 3600, 0.25, 25 * 101 + 100);
    expect_user (&o, "dora", 0, 0, 0);
    expect_kept (&o);
    close_office (&o);
}

/* Accounts that make no sense are refused. */
TEST (bad_accounts)
{
    static const char *const bad[][2]
        = {{"physics", ""},       {"physics x ann", ""},
           {"physics 0 ann", ""}, {" ", ""},
           {"a 1 ann", "a 2 bob"}, {"a 1 ann", "b 2 bob ann"}};
    struct office o;
    open_office (&o, "torus:4x4", &by_mm);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const struct service_policy policy
            = {.accounts = bad[i], .naccounts = *bad[i][1] ? 2 : 1};
        tori_error err = {0};
        assert_int_equal (service_set_policy (o.service, 0, &policy, &err),
                          -1);
        assert_int_equal (err.status, TORI_INVALID);
    }
    close_office (&o);
}
