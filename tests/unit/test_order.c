/* Orders of the queue that a program brings along. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tori/sim.h>
#include <tori/snapshot.h>

#include "random.h"

/* ---- orders ---- */

static int key_submit (void *arg, const tori_order_job *job, double *ret_key,
                       tori_error *err)
{
    *ret_key = 0;
    return 0;
}

static int key_shortest (void *arg, const tori_order_job *job,
                         double *ret_key, tori_error *err)
{
    *ret_key = (double)job->estimate;
    return 0;
}

static int key_smallest (void *arg, const tori_order_job *job,
                         double *ret_key, tori_error *err)
{
    *ret_key = (double)job->nodes;
    return 0;
}

static int key_largest (void *arg, const tori_order_job *job, double *ret_key,
                        tori_error *err)
{
    *ret_key = -(double)job->nodes;
    return 0;
}

/* The order of Tang et al., "Fault-aware, utility-based job scheduling on Blue
 * Gene/P systems", 2009: the wait over the estimate, cubed, times the nodes. */
static double wfp (const tori_order_job *job)
{
    double ratio = (double)(job->now - job->submit)
                   / (double)(job->estimate > 0 ? job->estimate : 1);
    return -ratio * ratio * ratio * (double)job->nodes;
}

static int key_wfp (void *arg, const tori_order_job *job, double *ret_key,
                    tori_error *err)
{
    *ret_key = wfp (job);
    return 0;
}

static const tori_order_ops wfp_order = {.size = sizeof wfp_order,
                                         .name = "wfp",
                                         .key = key_wfp,
                                         .flags = TORI_ORDER_AGES};

static const tori_order_ops like[] = {
    [TORI_ORDER_SUBMIT] = {sizeof *like, "a", key_submit, NULL, 0},
    [TORI_ORDER_SHORTEST] = {sizeof *like, "b", key_shortest, NULL, 0},
    [TORI_ORDER_SMALLEST] = {sizeof *like, "c", key_smallest, NULL, 0},
    [TORI_ORDER_LARGEST] = {sizeof *like, "d", key_largest, NULL, 0},
};

/* ---- simulations ---- */

enum { JOBS = 250 };

static void make_jobs (const tori_machine *machine, bool counts,
                       uint64_t seed, tori_workload *ret_work)
{
    *ret_work = (tori_workload){0};
    assert_int_equal (
        tori_workload_model (
            "lublin", machine,
            TORI_WORKLOAD (.jobs = JOBS, .load = 1.1, .seed = seed,
                           .shaping = counts ? TORI_SHAPE_NONE
                                             : TORI_SHAPE_COMPACT),
            ret_work, NULL),
        0);
}

static void simulate (const tori_machine *machine, const tori_workload *work,
                      const tori_sched_config *sched, tori_time start[JOBS])
{
    tori_sim_columns columns = {.size = sizeof columns, .start = start};
    tori_sim_config config = {.size = sizeof config,
                              .machine = machine,
                              .sched = sched,
                              .columns = &columns};
    tori_sim_result result;
    tori_error err = {0};
    if (tori_sim_run (&config, work, &result, &err) < 0)
        fail_msg ("%s", err.text);
}

/* An order that says what one of tori's says decides as that one does, also if
 * it is asked again and again. */
TEST (alike)
{
    static const char *const policies[]
        = {"fcfs", "backfill", "easy", "conservative"};
    AUTO_MACHINE *machine = make_machine ("torus:4x4x4");
    tori_time ours[JOBS], theirs[JOBS];
    for (int i = 0; i < 4 * 4 * 2 * 2; i++) {
        const char *policy = policies[i % 4];
        int order = i / 4 % 4;
        bool counts = i / 16 % 2;
        tori_order_ops own = like[order];
        const tori_alloc_config *alloc
            = TORI_ALLOC (counts ? "snake-bf" : "first-fit");
        tori_workload work;
        own.flags = i / 32 ? TORI_ORDER_AGES : 0;
        make_jobs (machine, counts, (uint64_t)i, &work);
        simulate (machine, &work,
                  TORI_SCHED (policy, alloc, .order = (tori_order)order),
                  theirs);
        simulate (machine, &work, TORI_SCHED (policy, alloc, .own_order = &own),
                  ours);
        assert_memory_equal (ours, theirs, sizeof ours);
        tori_workload_clear (&work);
    }
}

/* ---- a day with a scheduler ---- */

/* The key of a waiting job from what the scheduler says of it. */
static double key_of (const tori_sched *sched, tori_job number, tori_time now)
{
    tori_job_spec spec = {.size = sizeof spec};
    tori_order_job job = {.now = now};
    assert_true (tori_sched_spec (sched, number, &spec));
    job.submit = tori_sched_now (sched) - spec.waited;
    job.estimate = spec.estimate;
    job.nodes = tori_request_nodes (&spec.request);
    return wfp (&job);
}

static void expect_sorted (const tori_sched *sched)
{
    size_t n = tori_sched_queued (sched);
    tori_job *jobs = make_array (n + 1, sizeof *jobs);
    tori_time now = tori_sched_now (sched);
    tori_sched_queued_jobs (sched, jobs);
    for (size_t i = 1; i < n; i++) {
        double before = key_of (sched, jobs[i - 1], now);
        double after = key_of (sched, jobs[i], now);
        assert_true (before < after
                     || (before == after && jobs[i - 1] < jobs[i]));
    }
    free (jobs);
}

static size_t count_planned (const tori_sched *sched)
{
    const tori_placement *place;
    tori_time start;
    tori_job job;
    size_t n = 0;
    while (tori_sched_promised (sched, n, &job, &start, &place))
        n++;
    return n;
}

struct day {
    tori_sched *sched;
    struct rng random;
    uint64_t told; /* a hash of all decisions */
};

/* A run, its decisions, and then perhaps the end of a job and a new one. */
static void pass (struct day *day, tori_time now)
{
    tori_decision decision = {.size = sizeof decision};
    tori_error err = {0};
    tori_job jobs[64], job;
    size_t n;
    if (tori_sched_run (day->sched, now, &err) < 0)
        fail_msg ("%s", err.text);
    while (tori_sched_next (day->sched, &decision))
        day->told = (day->told ^ decision.tag) * UINT64_C (1099511628211)
                    + (uint64_t)now;
    assert_true (tori_sched_running (day->sched) <= 64);
    n = tori_sched_running_jobs (day->sched, jobs);
    if (n > 0 && rng_below (&day->random, 3) == 0)
        assert_int_equal (tori_sched_finish (
                              day->sched, now,
                              jobs[rng_below (&day->random, n)], &err),
                          0);
    if (tori_sched_queued (day->sched) < 40)
        assert_int_equal (
            tori_sched_submit (
                day->sched, now,
                TORI_JOB (.tag = (uint64_t)now,
                          .estimate
                          = 1 + (tori_time)rng_below (&day->random, 50),
                          .request.count
                          = 1 + (uint32_t)rng_below (&day->random, 8)),
                &job, &err),
            0);
}

/* Write a scheduler, and read it again. */
static tori_sched *reread (tori_sched *sched, tori_snapshot **ret_snapshot)
{
    const tori_order_ops *orders[] = {&wfp_order};
    const tori_snapshot_own own
        = {.size = sizeof own, .orders = orders, .norders = 1};
    tori_snapshot *snapshot;
    tori_sched *again = NULL;
    tori_error err = {0};
    char *text;
    size_t size;
    assert_int_equal (tori_snapshot_take (sched, &snapshot, NULL), 0);
    assert_int_equal (tori_snapshot_format (snapshot, &text, &size, NULL), 0);
    tori_snapshot_destroy (snapshot);
    assert_int_equal (tori_snapshot_parse (text, size, "it", &snapshot, &err),
                      -1);
    assert_non_null (strstr (err.text, "it: order: unknown order 'wfp'"));
    if (tori_snapshot_parse_own (text, size, "it", &own, ret_snapshot, &err)
            < 0
        || tori_snapshot_sched (*ret_snapshot, NULL, &again, &err) < 0)
        fail_msg ("%s", err.text);
    free (text);
    return again;
}

/* Keys that grow with time: the queue is always in their order, at most the
 * first jobs have planned starts, and a copy and a scheduler from a snapshot
 * decide alike. */
TEST (ages)
{
    static const char *const policies[]
        = {"fcfs", "backfill", "easy", "conservative"};
    static const size_t depth[] = {0, 0, 1, SIZE_MAX};
    AUTO_MACHINE *machine = make_machine ("mesh:4x4");
    for (size_t i = 0; i < 24; i++) {
        struct day day = {0}, copy, again;
        tori_snapshot *snapshot;
        rng_seed (&day.random, i, 0);
        assert_int_equal (
            tori_sched_create (machine,
                               TORI_SCHED (policies[i % 4],
                                           TORI_ALLOC ("snake-bf"),
                                           .own_order = &wfp_order,
                                           .flags = i / 4 % 2
                                                        ? TORI_SCHED_PLACES
                                                        : 0),
                               &day.sched, NULL),
            0);
        for (tori_time now = 0; now < 150; now++) {
            pass (&day, now);
            assert_true (count_planned (day.sched) <= depth[i % 4]);
        }
        assert_int_equal (tori_sched_run (day.sched, 150, NULL), 0);
        expect_sorted (day.sched);
        while (tori_sched_next (day.sched, &(tori_decision){
                                               sizeof (tori_decision)}))
            ;
        copy = again = day;
        assert_int_equal (tori_sched_copy (day.sched, &copy.sched, NULL), 0);
        again.sched = reread (day.sched, &snapshot);
        for (tori_time now = 151; now < 250; now++) {
            pass (&day, now);
            pass (&copy, now);
            pass (&again, now);
        }
        assert_true (day.told == copy.told);
        assert_true (day.told == again.told);
        tori_sched_destroy (again.sched);
        tori_sched_destroy (copy.sched);
        tori_sched_destroy (day.sched);
        tori_snapshot_destroy (snapshot);
    }
}

/* Under policies without planned starts it is as if the driver gave each job a
 * priority before every run. */
static void give_priorities (tori_sched *sched, tori_time now)
{
    tori_job jobs[64];
    double keys[64];
    size_t n = tori_sched_queued (sched);
    assert_true (n <= 64);
    n = tori_sched_queued_jobs (sched, jobs);
    for (size_t i = 0; i < n; i++)
        keys[i] = key_of (sched, jobs[i], now);
    for (size_t i = 0; i < n; i++) {
        int64_t worse = 0;
        for (size_t k = 0; k < n; k++)
            worse += keys[k] > keys[i]
                     || (keys[k] == keys[i] && jobs[k] > jobs[i]);
        assert_int_equal (
            tori_sched_set_priority (sched, now, jobs[i], worse, NULL), 0);
    }
}

/* ---- what is refused ---- */

static int key_nan (void *arg, const tori_order_job *job, double *ret_key,
                    tori_error *err)
{
    *ret_key = NAN;
    return 0;
}

/* Fails as long as told to. */
static int key_fails (void *arg, const tori_order_job *job, double *ret_key,
                      tori_error *err)
{
    *ret_key = 0;
    return *(bool *)arg ? tori_error_set (err, TORI_FAILED, "no key today")
                        : 0;
}

static int key_silent (void *arg, const tori_order_job *job, double *ret_key,
                       tori_error *err)
{
    return -1;
}

static void expect_bad (tori_order_ops ops, const char *text)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4x4");
    tori_sched *sched;
    tori_error err = {0};
    assert_int_equal (
        tori_sched_create (machine, TORI_SCHED ("easy", .own_order = &ops),
                           &sched, &err),
        -1);
    assert_int_equal (err.status, TORI_INVALID);
    assert_string_equal (err.text, text);
}

TEST (bad_ops)
{
    size_t size = sizeof (tori_order_ops);
    expect_bad ((tori_order_ops){0}, "the size of a tori_order_ops is not set");
    expect_bad ((tori_order_ops){size, NULL, key_nan, NULL, 0},
                "an order needs a name and a key");
    expect_bad ((tori_order_ops){size, "mine", NULL, NULL, 0},
                "an order needs a name and a key");
    expect_bad ((tori_order_ops){size, "largest", key_nan, NULL, 0},
                "the order 'largest' has the name of one of tori's");
    expect_bad ((tori_order_ops){size, "mine", key_nan, NULL, 2},
                "there are no flags 2 of an order");
}

static void expect_no_key (tori_order_ops ops, tori_status status,
                           const char *text)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4x4");
    tori_sched *sched;
    tori_job job = 99;
    tori_error err = {0};
    assert_int_equal (
        tori_sched_create (machine, TORI_SCHED ("easy", .own_order = &ops),
                           &sched, NULL),
        0);
    assert_int_equal (
        tori_sched_submit (sched, 5, TORI_JOB (.tag = 7, .request.count = 2),
                           &job, &err),
        -1);
    assert_int_equal (err.status, status);
    assert_string_equal (err.text, text);
    assert_int_equal (tori_sched_queued (sched), 0);
    assert_int_equal (tori_sched_now (sched), 0);
    assert_int_equal (job, 99);
    tori_sched_destroy (sched);
}

TEST (no_key)
{
    size_t size = sizeof (tori_order_ops);
    bool fails = true;
    expect_no_key ((tori_order_ops){size, "mine", key_nan, NULL, 0},
                   TORI_INVALID,
                   "the order 'mine' gave job 7 a key that is not a number");
    expect_no_key ((tori_order_ops){size, "mine", key_fails, &fails, 0},
                   TORI_FAILED, "no key today");
    expect_no_key ((tori_order_ops){size, "mine", key_silent, NULL, 0},
                   TORI_FAILED, "the order 'mine' failed");
}

/* A run that gets no keys changes nothing; the next one continues. */
TEST (fails_later)
{
    bool fails = false;
    tori_order_ops ops
        = {sizeof ops, "mine", key_fails, &fails, TORI_ORDER_AGES};
    AUTO_MACHINE *machine = make_machine ("mesh:4x4");
    tori_decision decision = {.size = sizeof decision};
    tori_sched *sched;
    tori_job job;
    tori_error err = {0};
    assert_int_equal (
        tori_sched_create (machine, TORI_SCHED ("easy", .own_order = &ops),
                           &sched, NULL),
        0);
    assert_int_equal (
        tori_sched_submit (sched, 0, TORI_JOB (.request.count = 2), &job, &err),
        0);
    fails = true;
    assert_int_equal (tori_sched_run (sched, 1, &err), -1);
    assert_string_equal (err.text, "no key today");
    assert_int_equal (tori_sched_set_estimate (sched, 1, job, 9, &err), -1);
    assert_false (tori_sched_next (sched, &decision));
    fails = false;
    assert_int_equal (tori_sched_run (sched, 1, &err), 0);
    assert_true (tori_sched_next (sched, &decision));
    tori_sched_destroy (sched);
}

TEST (priorities)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4x4");
    for (uint64_t seed = 1; seed <= 10; seed++) {
        const char *policy = seed % 2 ? "fcfs" : "backfill";
        struct day ours = {0}, theirs = {0};
        rng_seed (&ours.random, seed, 0);
        rng_seed (&theirs.random, seed, 0);
        assert_int_equal (tori_sched_create (machine,
                                             TORI_SCHED (policy,
                                                         TORI_ALLOC (
                                                             "snake-bf"),
                                                         .own_order
                                                         = &wfp_order),
                                             &ours.sched, NULL),
                          0);
        assert_int_equal (
            tori_sched_create (machine,
                               TORI_SCHED (policy, TORI_ALLOC ("snake-bf")),
                               &theirs.sched, NULL),
            0);
        for (tori_time now = 0; now < 200; now++) {
            pass (&ours, 2 * now + 1);
            give_priorities (theirs.sched, 2 * now + 1);
            pass (&theirs, 2 * now + 1);
        }
        assert_true (ours.told == theirs.told);
        tori_sched_destroy (ours.sched);
        tori_sched_destroy (theirs.sched);
    }
}
