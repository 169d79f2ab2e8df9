/* The simulator: its rules of time, and its figures, on cases worked out by
 * hand. */
#include "simlog.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A job of a case: times in seconds. */
struct row {
    int submit, runtime, estimate;
    uint32_t count;
    const char *shape; /* or NULL */
};

enum { MAX_ROWS = 16 };

struct by_hand {
    tori_machine *machine;
    tori_work jobs[MAX_ROWS];
    tori_workload work;
    tori_alloc_config alloc;
    tori_sched_config sched;
    tori_sim_config config;
    struct run run;
};

static void set_up (struct by_hand *hand, const char *machine,
                    const char *policy, const char *alloc,
                    const struct row *rows, size_t n)
{
    memset (hand, 0, sizeof *hand);
    hand->machine = make_machine (machine);
    hand->alloc = *TORI_ALLOC (alloc);
    hand->sched = *TORI_SCHED (policy, &hand->alloc);
    hand->config = (tori_sim_config){.size = sizeof hand->config,
                                     .machine = hand->machine,
                                     .sched = &hand->sched};
    hand->work = (tori_workload){.jobs = hand->jobs, .n = n};
    for (size_t i = 0; i < n; i++) {
        tori_work *job = &hand->jobs[i];
        job->id = (int64_t)i + 1;
        job->submit = rows[i].submit * TORI_SECOND;
        job->runtime = rows[i].runtime * TORI_SECOND;
        job->estimate = rows[i].estimate * TORI_SECOND;
        job->asked = job->request.count = rows[i].count;
        if (rows[i].shape)
            job->request.shape = make_shape (rows[i].shape);
    }
}

static void tear_down (struct by_hand *hand)
{
    run_clear (&hand->run);
    tori_machine_destroy (hand->machine);
}

/* "1@0 2@10 ...": who started when, in the order of the log. */
static void expect_starts (const struct by_hand *hand, const char *expected)
{
    char text[256] = "";
    size_t at = 0;
    for (size_t i = 0; i < hand->run.n; i++)
        at += (size_t)snprintf (
            text + at, sizeof text - at, "%s%zu@%lld", i ? " " : "",
            hand->run.starts[i].job + 1,
            (long long)(hand->run.starts[i].start / TORI_SECOND));
    assert_string_equal (text, expected);
}

/* A job that arrives as another finishes finds its nodes free; jobs that
 * arrive together go in the order of the log. */
TEST (finish_before_arrival)
{
    static const struct row rows[] = {
        {0, 10, 10, 4, NULL}, {10, 5, 5, 4, NULL}, {10, 3, 3, 3, NULL},
        {10, 3, 3, 1, NULL},  {15, 0, 0, 4, NULL},
    };
    struct by_hand hand;
    set_up (&hand, "mesh:4", "fcfs", "row-ff", rows, LENGTH (rows));
    simulate (&hand.run, hand.config, &hand.work);
    expect_starts (&hand, "1@0 2@10 3@15 4@15 5@18");
    assert_int_equal (hand.run.result.events, 10);
    assert_int_equal (hand.run.result.jobs, 5);
    tear_down (&hand);
}

/* A job of length zero ends at the instant it starts, and the next one starts
 * at that instant. */
TEST (zero_length)
{
    static const struct row rows[] = {
        {5, 0, 0, 2, NULL}, {5, 0, 7, 2, NULL}, {5, 3, 3, 2, NULL},
        {6, 0, 0, 2, NULL}, {8, 1, 1, 2, NULL}, {8, 0, 0, 1, NULL},
    };
    struct by_hand hand;
    set_up (&hand, "mesh:2", "easy", "row-ff", rows, LENGTH (rows));
    simulate (&hand.run, hand.config, &hand.work);
    expect_starts (&hand, "1@5 2@5 3@5 4@8 5@8 6@9");
    expect_near (hand.run.result.makespan, 4);
    expect_near (hand.run.result.utilization, 8.0 / 8);
    tear_down (&hand);
}

/* In order of starts, not of the log: both end at 10, and who waits is put
 * where row-ff finds room. */
TEST (backfilling)
{
    static const struct row rows[] = {
        {0, 10, 10, 3, NULL}, {1, 5, 5, 4, NULL}, {2, 8, 8, 1, NULL},
        {3, 7, 9, 1, NULL},
    };
    struct by_hand hand;
    set_up (&hand, "mesh:4", "easy", "row-ff", rows, LENGTH (rows));
    simulate (&hand.run, hand.config, &hand.work);
    /* The third ends at 10, when the second is to start. */
    expect_starts (&hand, "1@0 3@2 2@10 4@15");
    tear_down (&hand);
}

/* Four nodes in a line: jobs 1 and 3 have nodes 0 and 2 until 10, job 2 has
 * node 1 until 2. Job 4 wants two nodes side by side. From 1 to 2 only node 3
 * is free; from 2 to 10 nodes 1 and 3 are. It runs from 10 to 15. Job 5, five
 * nodes long, can never run. */
static const struct row fragmented[] = {
    {0, 10, 10, 1, "1"}, {0, 2, 2, 1, "1"},  {0, 10, 12, 1, "1"},
    {1, 5, 5, 2, "2"},   {1, 50, 50, 5, "5"},
};

TEST (figures)
{
    const tori_sim_result *result;
    struct by_hand hand;
    set_up (&hand, "mesh:4", "fcfs", "first-fit", fragmented,
            LENGTH (fragmented));
    simulate (&hand.run, hand.config, &hand.work);
    expect_starts (&hand, "1@0 2@0 3@0 4@10");
    result = &hand.run.result;
    assert_int_equal (result->jobs, 4);
    assert_int_equal (result->rejected, 1);
    assert_true (hand.run.rejected[4]);
    assert_string_equal (hand.run.why, "larger than the machine");
    assert_int_equal (result->events, 9);
    expect_near (result->makespan, 15);
    expect_near (result->utilization, 32.0 / 60);
    expect_near (result->offered, 32.0 / 4);
    /* 2, 10, 10, 14 */
    expect_summary (&result->response, 9, 10, 14, 14, 14);
    /* 0, 0, 0, 9 */
    expect_summary (&result->wait, 2.25, 0, 9, 9, 9);
    /* 1, 1, 1, 14 / 5 */
    expect_summary (&result->slowdown, 1.45, 1, 2.8, 2.8, 2.8);
    /* 1, 1, 1, 14 / 10 */
    expect_summary (&result->bounded_slowdown, 1.1, 1, 1.4, 1.4, 1.4);
    expect_near (result->numerical, 1.0 / 4);
    expect_near (result->topological, 8.0 / 4);
    expect_near (result->external_fragmentation, 2 * 8.0 / 60);
    expect_near (result->internal_fragmentation, 0);
    expect_near (result->pairwise, 1.0 / 4);
    expect_near (result->average, 1);
    tear_down (&hand);
}

/* The same where job 4 wants only one of its two nodes. */
TEST (internal_fragmentation)
{
    struct by_hand hand;
    set_up (&hand, "mesh:4", "backfill", "first-fit", fragmented,
            LENGTH (fragmented));
    hand.jobs[3].asked = 1;
    hand.config.no_pairwise = true;
    simulate (&hand.run, hand.config, &hand.work);
    expect_near (hand.run.result.utilization, 27.0 / 60);
    expect_near (hand.run.result.internal_fragmentation, 5.0 / 32);
    expect_near (hand.run.result.pairwise, 0);
    expect_near (hand.run.result.average, 0);
    tear_down (&hand);
}

/* With node 1 down jobs 1 and 4 can never start; nobody waits for them. */
TEST (down_from_the_start)
{
    static const struct row rows[] = {
        {0, 5, 5, 3, "3"}, {1, 5, 5, 2, "2"}, {2, 5, 5, 1, "1"},
        {3, 5, 5, 4, "4"}, {4, 5, 5, 2, "2"},
    };
    struct by_hand hand;
    tori_state *initial;
    set_up (&hand, "mesh:4", "fcfs", "first-fit", rows, LENGTH (rows));
    initial = make_state (hand.machine);
    assert_int_equal (tori_state_set_down (initial, 1, true, NULL), 0);
    hand.config.initial = initial;
    simulate (&hand.run, hand.config, &hand.work);
    expect_starts (&hand, "2@1 3@2 5@6");
    assert_int_equal (hand.run.result.rejected, 2);
    assert_true (hand.run.rejected[0] && hand.run.rejected[3]);
    assert_string_equal (hand.run.why,
                         "asks for more nodes than are in service");
    tori_state_destroy (initial);
    tear_down (&hand);
}

/* Without one of its links a ring is no ring. */
TEST (link_down_from_the_start)
{
    static const struct row rows[] = {{0, 5, 5, 2, "2"}, {0, 5, 5, 2, "2"}};
    struct by_hand hand;
    tori_state *initial;
    tori_link link;
    set_up (&hand, "torus:4", "easy", "first-fit", rows, LENGTH (rows));
    hand.jobs[0].request.wiring = TORI_WIRE_TORUS;
    hand.jobs[1].request.wiring = TORI_WIRE_MESH;
    initial = make_state (hand.machine);
    assert_int_equal (tori_link_parse (hand.machine, "0-1", &link, NULL), 0);
    assert_int_equal (tori_state_set_link_down (initial, &link, true, NULL),
                      0);
    assert_int_equal (tori_state_set_drained (initial, 1, true, NULL), 0);
    hand.config.initial = initial;
    simulate (&hand.run, hand.config, &hand.work);
    expect_starts (&hand, "2@0");
    assert_int_equal (hand.run.starts[0].place.box.origin[0], 2);
    assert_true (hand.run.rejected[0]);
    tori_state_destroy (initial);
    tear_down (&hand);
}

TEST (nothing)
{
    static const tori_sim_result nothing;
    static const struct row rows[] = {{3, 5, 5, 5, "5"}};
    struct by_hand hand;
    set_up (&hand, "mesh:4", "fcfs", "first-fit", rows, LENGTH (rows));
    simulate (&hand.run, hand.config, &hand.work);
    assert_int_equal (hand.run.result.rejected, 1);
    assert_int_equal (hand.run.result.events, 1);
    hand.run.result.rejected = 0;
    hand.run.result.events = 0;
    assert_memory_equal (&hand.run.result, &nothing, sizeof nothing);
    run_clear (&hand.run);
    hand.work.n = 0;
    simulate (&hand.run, hand.config, &hand.work);
    assert_memory_equal (&hand.run.result, &nothing, sizeof nothing);
    tear_down (&hand);
}

static int stop_at_once (void *arg, const tori_sim_job *job, tori_error *err)
{
    ++*(int *)arg;
    tori_error_set (err, TORI_FAILED, "enough");
    return 1;
}

TEST (stopped)
{
    tori_sim_result result = {.jobs = 77};
    struct by_hand hand;
    tori_error err;
    int calls = 0;
    set_up (&hand, "mesh:4", "fcfs", "first-fit", fragmented,
            LENGTH (fragmented));
    hand.config.on_start = stop_at_once;
    hand.config.arg = &calls;
    assert_int_equal (tori_sim_run (&hand.config, &hand.work, &result, &err),
                      -1);
    assert_int_equal (calls, 1);
    assert_int_equal (err.status, TORI_FAILED);
    assert_string_equal (err.text, "enough");
    assert_int_equal (result.jobs, 77);
    hand.config.on_start = NULL;
    hand.sched.policy = "lottery";
    assert_int_equal (tori_sim_run (&hand.config, &hand.work, &result, &err),
                      -1);
    assert_int_equal (err.status, TORI_INVALID);
    tori_machine_destroy (hand.machine);
}

TEST (progress)
{
    enum { MANY = 5000 };
    struct by_hand hand;
    tori_work *jobs = make_array (MANY, sizeof *jobs);
    set_up (&hand, "mesh:4", "fcfs", "row-ff", NULL, 0);
    for (int i = 0; i < MANY; i++) {
        jobs[i].submit = i;
        jobs[i].runtime = jobs[i].estimate = 2;
        jobs[i].asked = jobs[i].request.count = 1;
    }
    hand.work = (tori_workload){.jobs = jobs, .n = MANY};
    simulate (&hand.run, hand.config, &hand.work);
    assert_true (hand.run.progress > 0);
    assert_int_equal (hand.run.total, MANY);
    tear_down (&hand);
    free (jobs);
}

/* The columns say of each job what on_start and on_reject say; any of them may
 * be left out. */
TEST (columns)
{
    static const struct row rows[] = {{0, 10, 10, 3, NULL},
                                      {1, 5, 5, 2, NULL},
                                      {2, 5, 5, 9, NULL},
                                      {3, 2, 2, 1, NULL}};
    uint8_t fate[LENGTH (rows)];
    tori_time start[LENGTH (rows)], finish[LENGTH (rows)],
        waited[LENGTH (rows)], ran[LENGTH (rows)];
    uint32_t starts[LENGTH (rows)], nodes[LENGTH (rows)];
    uint64_t pairwise[LENGTH (rows)];
    tori_sim_columns columns = {.size = sizeof columns, .fate = fate};
    struct by_hand hand;
    tori_error err;
    set_up (&hand, "mesh:4", "fcfs", "row-ff", rows, LENGTH (rows));
    hand.config.columns = &columns;
    simulate (&hand.run, hand.config, &hand.work);
    run_clear (&hand.run);
    columns = (tori_sim_columns){.size = sizeof columns, .fate = fate,
                                 .start = start, .finish = finish,
                                 .waited = waited, .ran = ran,
                                 .starts = starts, .nodes = nodes,
                                 .pairwise = pairwise};
    simulate (&hand.run, hand.config, &hand.work);
    assert_int_equal (hand.run.n, 3);
    for (size_t k = 0; k < hand.run.n; k++) {
        const struct start *is = &hand.run.starts[k];
        assert_int_equal (fate[is->job], TORI_FATE_DONE);
        assert_int_equal (start[is->job], is->start);
        assert_int_equal (finish[is->job], is->finish);
        assert_int_equal (waited[is->job], is->waited);
        assert_int_equal (ran[is->job], is->ran);
        assert_int_equal (starts[is->job], 1);
        assert_int_equal (nodes[is->job], is->place.count);
    }
    assert_int_equal (pairwise[0], 4);
    assert_int_equal (pairwise[1], 1);
    assert_int_equal (fate[2], TORI_FATE_REJECTED);
    assert_int_equal (start[2], -1);
    assert_int_equal (nodes[2], 0);
    assert_string_equal (tori_fate_name (TORI_FATE_REJECTED), "rejected");
    assert_null (tori_fate_name ((tori_fate)4));
    columns.size = 0;
    assert_int_equal (
        tori_sim_run (&hand.config, &hand.work, &hand.run.result, &err), -1);
    assert_int_equal (err.status, TORI_INVALID);
    tear_down (&hand);
}

/* The last place of each job, and why it was killed or rejected. */
TEST (texts)
{
    static const struct row rows[] = {{0, 10, 10, 4, "2x2"},
                                      {0, 9, 9, 3, NULL},
                                      {1, 5, 5, 99, NULL},
                                      {4, 1, 1, 2, NULL}};
    static const char *const place[] = {"0,0/2x2", "2-3 7", "", "0-1"};
    static const tori_sim_outage outages[] = {{2 * TORI_SECOND, 0, {0}, true},
                                              {3 * TORI_SECOND, 0, {0}, false}};
    uint64_t placement[LENGTH (rows)], reason[LENGTH (rows)];
    tori_sim_texts texts = {0};
    tori_sim_columns columns = {.size = sizeof columns,
                                .placement = placement, .reason = reason};
    tori_sim_interrupts interrupts = {.size = sizeof interrupts,
                                      .outages = outages,
                                      .noutages = LENGTH (outages),
                                      .on_failure = TORI_ON_FAILURE_KILL};
    struct by_hand hand;
    tori_error err;
    set_up (&hand, "mesh:4x4", "fcfs", "first-fit", rows, LENGTH (rows));
    hand.sched.counts = TORI_ALLOC ("snake-ff");
    hand.config.columns = &columns;
    hand.config.interrupts = &interrupts;
    assert_int_equal (
        tori_sim_run (&hand.config, &hand.work, &hand.run.result, &err), -1);
    assert_int_equal (err.status, TORI_INVALID);
    columns.texts = &texts;
    simulate (&hand.run, hand.config, &hand.work);
    for (size_t i = 0; i < LENGTH (rows); i++)
        assert_string_equal (texts.bytes + placement[i], place[i]);
    assert_string_equal (texts.bytes + reason[0],
                         "a node or link under it failed");
    assert_int_equal (reason[1], 0);
    assert_string_equal (texts.bytes + reason[2], "larger than the machine");
    assert_int_equal (placement[2], 0);
    tori_sim_texts_clear (&texts);
    assert_null (texts.bytes);
    tear_down (&hand);
}

/* ---- the trend of waits and of the backlog ---- */

/* A job that ran to its end. */
struct waiter {
    tori_time from, until; /* it waits; the sum of all its waiting at once */
    double work;
    bool measured;
};

enum { INSTANTS = 1000 };

struct trend {
    double waits, backlog, growth, least;
    bool saturated;
};

static int by_number (const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The later above the earlier, less the reverse, and its deviation without a
 * trend: n (n - 1) (2n + 5) / 18 less t (t - 1) (2t + 5) / 18 for each t that
 * are alike. A step of 1 towards 0 is for continuity. */
static double naive_rank_test (const double *values, int n)
{
    double sorted[20], above = 0, below = 0;
    double variance = n * (n - 1) * (2 * n + 5) / 18.0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < j; i++) {
            above += values[i] < values[j];
            below += values[i] > values[j];
        }
    memcpy (sorted, values, (size_t)n * sizeof *sorted);
    qsort (sorted, (size_t)n, sizeof *sorted, by_number);
    for (int i = 0, t; i < n; i += t) {
        for (t = 1; i + t < n && sorted[i + t] == sorted[i]; t++)
            ;
        variance -= t * (t - 1) * (2 * t + 5) / 18.0;
    }
    if (above == below || variance < 1e-9)
        return 0;
    return (above > below ? above - below - 1 : above - below + 1)
           / sqrt (variance);
}

/* The lower median of the slopes of all pairs. */
static double naive_slope (const double *values, int n)
{
    double slopes[190];
    size_t k = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < j; i++)
            slopes[k++] = (values[j] - values[i]) / (j - i);
    qsort (slopes, k, sizeof *slopes, by_number);
    return slopes[(k + 1) / 2 - 1];
}

/* The work of those that wait at an instant: so many thousandths of the span
 * after its begin. */
static double naive_backlog (const struct waiter *jobs, size_t n,
                             tori_time begin, tori_time span, int instant)
{
    double work = 0;
    for (size_t i = 0; i < n; i++)
        if ((jobs[i].from - begin) * INSTANTS <= span * instant
            && span * instant < (jobs[i].until - begin) * INSTANTS)
            work += jobs[i].work;
    return work;
}

/* By the definition in doc/algorithms.md. Jobs in the order of submission. */
static struct trend naive_trend (const struct waiter *jobs, size_t n,
                                 double nodes)
{
    struct trend trend = {0};
    double waits[20] = {0}, backlog[20] = {0}, least = HUGE_VAL, all = 0;
    size_t measured = 0, members[20] = {0}, k = 0;
    tori_time begin = -1, end = 0;
    int batches;
    for (size_t i = 0; i < n; i++)
        if (jobs[i].measured) {
            measured++;
            begin = begin < 0 ? jobs[i].from : begin;
            end = jobs[i].from;
        }
    if (measured < 100 || end == begin)
        return trend;
    batches = measured < 2000 ? 10 : 20;
    for (size_t i = 0; i < n; i++)
        if (jobs[i].measured) {
            size_t batch = k++ * (size_t)batches / measured;
            waits[batch] += (double)(jobs[i].until - jobs[i].from);
            members[batch]++;
        }
    for (int j = 1; j <= INSTANTS; j++) {
        double work = naive_backlog (jobs, n, begin, end - begin, j);
        backlog[(j - 1) / (INSTANTS / batches)] += work;
        all += work;
        if (j > INSTANTS / 10 && work < least)
            least = work;
    }
    for (int i = 0; i < batches; i++) {
        waits[i] /= (double)members[i];
        backlog[i] /= (double)INSTANTS / batches;
    }
    trend.waits = naive_rank_test (waits, batches);
    trend.backlog = naive_rank_test (backlog, batches);
    trend.growth = naive_slope (backlog, batches) * batches
                   / ((double)(end - begin) * nodes);
    trend.least = all > 0 ? least / (all / INSTANTS) : 0;
    trend.saturated = (trend.waits > 1.6449 && trend.backlog > 1.6449
                       && trend.growth >= 0.01)
                      || trend.least > 0.1;
    return trend;
}

/* A stream of jobs on 16 nodes, which offers a load. Returns whether it was
 * saturated. */
static bool check_trend (uint64_t seed, size_t n, const char *policy,
                         double load, tori_sim_config config)
{
    tori_work *jobs = make_array (n, sizeof *jobs);
    struct waiter *waiters = make_array (n, sizeof *waiters);
    tori_workload work = {.jobs = jobs, .n = n};
    tori_machine *machine = make_machine ("mesh:4x4");
    struct trend trend;
    struct run run;
    struct rng rng;
    tori_time now = 5 * TORI_SECOND;
    rng_seed (&rng, seed, 48);
    for (size_t i = 0; i < n; i++) {
        jobs[i] = (tori_work){.id = (int64_t)i + 1, .submit = now};
        jobs[i].asked = jobs[i].request.count = 1 + (uint32_t)rng_below (&rng, 16);
        jobs[i].runtime = (tori_time)rng_below (&rng, 20 * TORI_SECOND);
        jobs[i].estimate = jobs[i].runtime;
        now += (tori_time)(2 * rng_uniform (&rng) * 8.5 * 10 / 16 / load
                           * TORI_SECOND);
    }
    config.size = sizeof config;
    config.machine = machine;
    config.sched = TORI_SCHED (policy, TORI_ALLOC ("row-ff"));
    simulate (&run, config, &work);
    for (size_t i = 0; i < run.n; i++) {
        const struct start *start = &run.starts[i];
        tori_time submit = jobs[start->job].submit;
        if (start->killed)
            continue;
        waiters[start->job] = (struct waiter){
            .from = submit,
            .until = start->finish - start->ran,
            .work = (double)jobs[start->job].asked
                    * (double)jobs[start->job].runtime,
            .measured = !config.window
                        || (submit >= config.window->begin
                            && submit < config.window->end)};
    }
    trend = naive_trend (waiters, n, 16);
    expect_near (run.result.wait_trend, trend.waits);
    expect_near (run.result.backlog_trend, trend.backlog);
    expect_near (run.result.backlog_growth, trend.growth);
    expect_near (run.result.backlog_least, trend.least);
    assert_int_equal (run.result.saturated, trend.saturated);
    run_clear (&run);
    tori_machine_destroy (machine);
    free (waiters);
    free (jobs);
    return trend.saturated;
}

/* Against the definition: few and many jobs, light and heavy loads, gang,
 * failures, and a window. */
TEST (trend)
{
    static const char *const policies[] = {"fcfs", "easy", "gang"};
    static const size_t sizes[] = {0, 1, 99, 100, 137, 1999, 2000, 2311};
    static const double loads[] = {0.1, 0.6, 0.8, 1.3};
    const tori_sim_interrupts failures = {.size = sizeof failures,
                                          .mtbf = 2000 * TORI_SECOND,
                                          .mttr = 10 * TORI_SECOND};
    const tori_sim_window window = {.size = sizeof window,
                                    .begin = 90 * TORI_SECOND,
                                    .end = 900 * TORI_SECOND};
    for (size_t s = 0; s < LENGTH (sizes); s++)
        for (size_t p = 0; p < LENGTH (policies); p++)
            for (size_t l = 0; l < LENGTH (loads); l++)
                check_trend (s, sizes[s], policies[p], loads[l],
                             (tori_sim_config){0});
    for (size_t l = 0; l < LENGTH (loads); l++) {
        check_trend (l, 300, "easy", loads[l],
                     (tori_sim_config){.interrupts = &failures});
        check_trend (l, 300, "easy", loads[l],
                     (tori_sim_config){.window = &window});
    }
}

/* Small runs of many seeds: at twice the load that can be carried all are
 * saturated, at half of it few are. */
TEST (trend_rates)
{
    int light = 0, heavy = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        light += check_trend (seed, 300, "easy", 0.4, (tori_sim_config){0});
        heavy += check_trend (seed, 300, "easy", 1.6, (tori_sim_config){0});
    }
    assert_true (light <= 4);
    assert_int_equal (heavy, 40);
}

/* A job of 10 s that needs the machine comes every `apart` seconds, and `more`
 * of them at the first moment. Every 9 s, each waits a second longer than the
 * one before, and a tenth of what comes stays: a ninth of what the machine can
 * do. Ten batches in ascending order have a score of 45, and its deviation is
 * the root of 125. Every 10 s, the backlog stays as it is: the first batch of
 * waits is below nine that are alike, a score of 9, and the root of 33. */
TEST (trend_by_hand)
{
    static const struct {
        int apart, more;
        double score, variance, growth, least;
        bool saturated;
    } rows[] = {{9, 0, 44, 125, 1. / 9, 0.2, true},
                {10, 0, 0, 1, 0, 0, false},
                {10, 2, 8, 33, 0, 1, true},
                {11, 1, -8, 33, 0, 0, false}};
    for (size_t r = 0; r < LENGTH (rows); r++) {
        enum { N = 200 };
        tori_work jobs[N] = {0};
        const tori_workload work = {.jobs = jobs, .n = N};
        tori_sim_config config = {.size = sizeof config,
                                  .sched = TORI_SCHED ("fcfs",
                                                       TORI_ALLOC ("row-ff"))};
        tori_machine *machine = make_machine ("mesh:4");
        tori_sim_result *is;
        struct run run;
        for (int i = 0; i < N; i++) {
            int before = i < rows[r].more ? i : rows[r].more;
            jobs[i].id = i + 1;
            jobs[i].submit = (i - before) * rows[r].apart * TORI_SECOND;
            jobs[i].runtime = jobs[i].estimate = 10 * TORI_SECOND;
            jobs[i].asked = jobs[i].request.count = 4;
        }
        config.machine = machine;
        simulate (&run, config, &work);
        is = &run.result;
        expect_near (is->wait_trend, rows[r].score / sqrt (rows[r].variance));
        assert_true (fabs (is->backlog_growth - rows[r].growth) < 0.01);
        assert_true (fabs (is->backlog_least - rows[r].least) < 0.05);
        assert_int_equal (is->saturated, rows[r].saturated);
        run_clear (&run);
        tori_machine_destroy (machine);
    }
}

/* What programs of 0.1 are told: the last job comes at 10 and the longest takes
 * 5, so a run is saturated if it ends more than 6 later. */
TEST (saturated)
{
    static const struct row rows[] = {{0, 5, 5, 4, NULL}, {10, 4, 4, 4, NULL}};
    struct by_hand hand;
    tori_sim_result result = {.jobs = 2, .makespan = 16};
    set_up (&hand, "mesh:4", "fcfs", "row-ff", rows, LENGTH (rows));
    assert_false (tori_sim_is_saturated (&hand.work, &result));
    result.makespan = 16.5;
    assert_true (tori_sim_is_saturated (&hand.work, &result));
    hand.work.n = 1;
    assert_false (tori_sim_is_saturated (&hand.work, &result));
    tear_down (&hand);
}

/* Four nodes for 100 s have 400 s in which one may fail: with an mtbf of 86 s
 * that is 4.65, more than ln 100 = 4.605. Six nodes of 8 are rarely up together if
 * the others are down for most of the time. */
TEST (hopeless)
{
    tori_machine *machine = make_machine ("mesh:8");
    tori_sim_interrupts is = {.size = sizeof is, .mtbf = 86 * TORI_SECOND,
                              .mttr = 1};
    tori_work work = {.asked = 4, .runtime = 100 * TORI_SECOND};
    assert_int_equal (tori_sim_is_hopeless (machine, &is, &work, NULL), 1);
    assert_int_equal (tori_sim_is_hopeless (machine, NULL, &work, NULL), 0);
    is.mtbf = 87 * TORI_SECOND;
    assert_int_equal (tori_sim_is_hopeless (machine, &is, &work, NULL), 0);
    is.checkpoint = 50 * TORI_SECOND;
    is.mtbf = 44 * TORI_SECOND;
    assert_int_equal (tori_sim_is_hopeless (machine, &is, &work, NULL), 0);
    work = (tori_work){.asked = 8, .runtime = TORI_SECOND};
    is.mttr = 60 * TORI_SECOND; /* 4.6 of 8 nodes are down: e^-4.6 = 0.00995 */
    assert_int_equal (tori_sim_is_hopeless (machine, &is, &work, NULL), 1);
    is.mttr = 58 * TORI_SECOND;
    assert_int_equal (tori_sim_is_hopeless (machine, &is, &work, NULL), 0);
    tori_machine_destroy (machine);
}
