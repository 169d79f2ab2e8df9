/* The simulator on random workloads: whole runs against a naive simulator, and
 * every figure of a result against one that is computed anew from the log of
 * starts. In some of the runs jobs end after their estimates, and ends are
 * heard of late. */
#include "simlog.h"
#include "play.h"

#include <stdlib.h>
#include <string.h>

#include "allocs.h"
#include "ask.h"

enum { NORDERS = TORI_ORDER_LARGEST + 1 };

/* ---- a naive simulator ---- */

struct naive_run {
    const tori_workload *work;
    const tori_time *late; /* by job: how long after it the end is heard of */
    struct naive_sched *sched;
    tori_time *finish; /* by job; -1 while it has not started */
    size_t *starts;    /* jobs in the order of their starts */
    bool *ended;
    size_t nstarts, arrived;
    tori_time now;
};

static void naive_decide (struct naive_run *run)
{
    struct naive_decision decision;
    naive_sched_run (run->sched, run->now);
    while (naive_sched_next (run->sched, &decision))
        if (decision.kind == TORI_START) {
            run->starts[run->nstarts++] = decision.tag;
            run->finish[decision.tag]
                = run->now + run->work->jobs[decision.tag].runtime
                  + run->late[decision.tag];
        }
}

/* Returns whether any job ended. */
static bool naive_finish (struct naive_run *run)
{
    bool any = false;
    for (size_t i = 0; i < run->nstarts; i++) {
        size_t job = run->starts[i];
        if (run->finish[job] == run->now && !run->ended[job]) {
            naive_sched_end (run->sched, run->now, job);
            run->ended[job] = any = true;
        }
    }
    return any;
}

static void naive_instant (struct naive_run *run)
{
    const tori_work *jobs = run->work->jobs;
    naive_finish (run);
    for (; run->arrived < run->work->n
           && jobs[run->arrived].submit == run->now;
         run->arrived++) {
        tori_job_spec spec = {.size = sizeof spec,
                              .estimate = jobs[run->arrived].estimate,
                              .tag = run->arrived,
                              .request = jobs[run->arrived].request};
        naive_sched_submit (run->sched, run->now, &spec);
    }
    naive_decide (run);
    while (naive_finish (run))
        naive_decide (run);
}

static bool naive_next_event (const struct naive_run *run, tori_time *ret_at)
{
    tori_time next = TORI_TIME_MAX;
    if (run->arrived < run->work->n)
        next = run->work->jobs[run->arrived].submit;
    for (size_t i = 0; i < run->work->n; i++)
        if (run->finish[i] >= 0 && !run->ended[i] && run->finish[i] < next)
            next = run->finish[i];
    *ret_at = next;
    return next < TORI_TIME_MAX;
}

static void naive_simulate (struct naive_run *run, const tori_workload *work,
                            const tori_time late[], struct naive_sched *sched)
{
    *run = (struct naive_run){.work = work, .late = late, .sched = sched};
    run->finish = make_array (work->n, sizeof *run->finish);
    run->starts = make_array (work->n, sizeof *run->starts);
    run->ended = make_array (work->n, sizeof *run->ended);
    for (size_t i = 0; i < work->n; i++)
        run->finish[i] = -1;
    for (tori_time next; naive_next_event (run, &next);) {
        run->now = next;
        naive_instant (run);
    }
    for (size_t i = 0; i < work->n; i++)
        assert_true (sched->jobs[i].phase == NAIVE_GONE
                     || sched->jobs[i].aside);
}

static void naive_run_clear (struct naive_run *run)
{
    free (run->finish);
    free (run->starts);
    free (run->ended);
    naive_sched_destroy (run->sched);
}

static void compare_runs (const struct run *run,
                          const struct naive_run *naive)
{
    assert_int_equal (run->n, naive->nstarts);
    for (size_t i = 0; i < run->n; i++) {
        assert_int_equal (run->starts[i].job, naive->starts[i]);
        assert_int_equal (run->starts[i].finish,
                          naive->finish[naive->starts[i]]);
    }
}

/* ---- the figures, from the log ---- */

/* The entries of the log about a job. */
struct story {
    bool ran;
    tori_time submit, start, finish;
    int64_t asked; /* nodes, of which it may need more */
    int64_t nodes; /* that it needs */
    int64_t held;  /* that it got: of some allocators more */
    int64_t key;   /* in the queue */
};

struct stories {
    const tori_sim_config *config;
    const struct run *run;
    struct story *jobs;
    size_t n;
    tori_time *times; /* at which something happened, ascending */
    size_t ntimes;
};

static int by_value (const void *a, const void *b)
{
    tori_time x = *(const tori_time *)a, y = *(const tori_time *)b;
    return (x > y) - (x < y);
}

static void tell_jobs (struct stories *stories)
{
    const tori_workload *work = stories->run->work;
    AUTO_ALLOC *alloc = make_alloc (stories->config->machine,
                        stories->config->sched->alloc->name);
    for (size_t i = 0; i < stories->n; i++) {
        const tori_work *job = &work->jobs[i];
        struct story *story = &stories->jobs[i];
        story->submit = job->submit;
        story->start = story->finish = TORI_TIME_MAX;
        story->asked = (int64_t)alloc_asked (&job->request);
        story->nodes = (int64_t)nodes_given (alloc, &job->request);
        story->key = stories->config->sched->order == TORI_ORDER_SUBMIT ? 0
                     : stories->config->sched->order == TORI_ORDER_SHORTEST
                         ? job->estimate
                     : stories->config->sched->order == TORI_ORDER_SMALLEST
                         ? story->nodes
                         : -story->nodes;
    }
}

static void tell (struct stories *stories, const tori_sim_config *config,
                  const struct run *run)
{
    *stories = (struct stories){.config = config, .run = run};
    stories->n = run->work->n;
    stories->jobs = make_array (stories->n, sizeof *stories->jobs);
    stories->times = make_array (3 * stories->n, sizeof *stories->times);
    tell_jobs (stories);
    for (size_t i = 0; i < run->n; i++) {
        struct story *story = &stories->jobs[run->starts[i].job];
        assert_false (story->ran);
        story->ran = true;
        story->held = run->starts[i].place.count;
        story->start = run->starts[i].start;
        story->finish = run->starts[i].finish;
        stories->times[stories->ntimes++] = story->start;
        stories->times[stories->ntimes++] = story->finish;
    }
    for (size_t i = 0; i < stories->n; i++)
        stories->times[stories->ntimes++] = stories->jobs[i].submit;
    qsort (stories->times, stories->ntimes, sizeof *stories->times, by_value);
}

static void stories_clear (struct stories *stories)
{
    free (stories->jobs);
    free (stories->times);
}

static int64_t free_from (const struct stories *stories, tori_time t)
{
    int64_t n = stories->config->initial
                    ? tori_state_free_count (stories->config->initial)
                    : tori_machine_nodes (stories->config->machine);
    for (size_t i = 0; i < stories->n; i++)
        if (stories->jobs[i].start <= t && stories->jobs[i].finish > t)
            n -= stories->jobs[i].held;
    return n;
}

/* The first job that waits from t on. No job waits for those that never ran:
 * they were rejected, or set aside. */
static const struct story *head_from (const struct stories *stories,
                                      tori_time t)
{
    const struct story *head = NULL;
    for (size_t i = 0; i < stories->n; i++) {
        const struct story *job = &stories->jobs[i];
        if (job->submit <= t && job->start > t
            && job->ran
            && (!head || job->key < head->key))
            head = job;
    }
    return head;
}

/* How long the head of the queue lacked nodes or a box. */
struct delay {
    tori_time numerical, topological;
    double unusable; /* free node-time meanwhile */
};

static struct delay delay_between (const struct stories *stories,
                                   tori_time from, tori_time until)
{
    struct delay delay = {0};
    for (size_t i = 0; i + 1 < stories->ntimes; i++) {
        tori_time t = stories->times[i], passed = stories->times[i + 1] - t;
        int64_t free_nodes = free_from (stories, t);
        const struct story *head = head_from (stories, t);
        if (!head || passed == 0 || t < from || t >= until)
            continue;
        if (head->asked > free_nodes) {
            delay.numerical += passed;
        } else {
            delay.topological += passed;
            delay.unusable += (double)passed * (double)free_nodes;
        }
    }
    return delay;
}

static int by_size (const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The value whose rank is the least that is no less than percent of n. */
static double nearest_rank (const double *sorted, size_t n, size_t percent)
{
    size_t rank = 1;
    while (rank * 100 < percent * n)
        rank++;
    return sorted[rank - 1];
}

static void check_summary (const tori_summary *is, double *values, size_t n)
{
    double sum = 0;
    if (n == 0) {
        expect_summary (is, 0, 0, 0, 0, 0);
        return;
    }
    qsort (values, n, sizeof *values, by_size);
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    expect_summary (is, sum / (double)n, nearest_rank (values, n, 50),
                    nearest_rank (values, n, 90), nearest_rank (values, n, 99),
                    values[n - 1]);
}

static double in_seconds (tori_time ticks)
{
    return (double)ticks / 1e6;
}

/* The four summaries, each of a number a job. */
static void check_summaries (const struct stories *stories)
{
    const tori_sim_result *result = &stories->run->result;
    double *values[4];
    size_t n[4] = {0};
    for (int k = 0; k < 4; k++)
        values[k] = make_array (stories->n, sizeof *values[k]);
    for (size_t i = 0; i < stories->n; i++) {
        const struct story *job = &stories->jobs[i];
        double response, runtime;
        if (!job->ran)
            continue;
        response = in_seconds (job->finish - job->submit);
        runtime = in_seconds (stories->run->work->jobs[i].runtime);
        values[0][n[0]++] = response;
        values[1][n[1]++] = in_seconds (job->start - job->submit);
        if (runtime > 0)
            values[2][n[2]++] = response / runtime;
        if (runtime < 10)
            runtime = 10;
        values[3][n[3]++] = response > runtime ? response / runtime : 1;
    }
    check_summary (&result->response, values[0], n[0]);
    check_summary (&result->wait, values[1], n[1]);
    check_summary (&result->slowdown, values[2], n[2]);
    check_summary (&result->bounded_slowdown, values[3], n[3]);
    assert_int_equal (result->zero_runtime, n[3] - n[2]);
    for (int k = 0; k < 4; k++)
        free (values[k]);
}

static double quotient (double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

/* Node-time asked for and held, of those that ran; and the load offered. */
static void check_use (const struct stories *stories)
{
    const tori_sim_result *result = &stories->run->result;
    const tori_work *jobs = stories->run->work->jobs;
    double nodes = tori_machine_nodes (stories->config->machine);
    double asked = 0, held = 0, offered = 0;
    tori_time last = 0, first_submit = TORI_TIME_MAX, last_submit = 0;
    for (size_t i = 0; i < stories->n; i++) {
        const struct story *job = &stories->jobs[i];
        if (job->ran) {
            asked += jobs[i].asked * in_seconds (job->finish - job->start);
            held += (double)job->held * in_seconds (job->finish - job->start);
            last = job->finish > last ? job->finish : last;
        }
        if (jobs[i].asked > nodes)
            continue;
        offered += jobs[i].asked * in_seconds (jobs[i].runtime);
        if (first_submit == TORI_TIME_MAX)
            first_submit = jobs[i].submit;
        last_submit = jobs[i].submit;
    }
    expect_near (result->makespan,
                 stories->run->n ? in_seconds (last - jobs[0].submit) : 0);
    expect_near (result->utilization,
                 quotient (asked, nodes * result->makespan));
    expect_near (result->internal_fragmentation,
                 quotient (held - asked, held));
    expect_near (result->offered,
                 quotient (offered,
                           nodes * in_seconds (last_submit - first_submit)));
}

/* Hops, pair by pair. */
static void check_distances (const struct stories *stories)
{
    const tori_machine *machine = stories->config->machine;
    uint32_t *ids = make_array (tori_machine_nodes (machine), sizeof *ids);
    double sum = 0, average = 0;
    size_t pairs = 0;
    for (size_t i = 0; i < stories->run->n; i++) {
        const tori_placement *place = &stories->run->starts[i].place;
        double k = place->count, hops = 0;
        tori_placement_nodes (place, machine, ids);
        for (uint32_t a = 0; a < place->count; a++)
            for (uint32_t b = 0; b < a; b++)
                hops += tori_machine_distance (machine, ids[a], ids[b]);
        sum += hops;
        if (place->count > 1) {
            average += hops / (k * (k - 1) / 2);
            pairs++;
        }
    }
    expect_near (stories->run->result.pairwise,
                 quotient (sum, (double)stories->run->n));
    expect_near (stories->run->result.average,
                 quotient (average, (double)pairs));
    free (ids);
}

/* The reason for which each job waited. */
static void check_delays (const struct stories *stories)
{
    const struct run *run = stories->run;
    bool fcfs = strcmp (stories->config->sched->policy, "fcfs") == 0;
    double numerical = 0, topological = 0;
    struct delay all = delay_between (stories, 0, TORI_TIME_MAX);
    for (size_t i = 0; i < run->n; i++) {
        const struct start *start = &run->starts[i];
        const struct story *job = &stories->jobs[start->job];
        struct delay delay = delay_between (stories, job->submit, job->start);
        assert_int_equal (start->numerical, delay.numerical);
        assert_int_equal (start->topological, delay.topological);
        if (fcfs)
            assert_int_equal (start->start - job->submit,
                              start->numerical + start->topological);
        numerical += in_seconds (delay.numerical);
        topological += in_seconds (delay.topological);
    }
    expect_near (run->result.numerical, quotient (numerical, (double)run->n));
    expect_near (run->result.topological,
                 quotient (topological, (double)run->n));
    expect_near (run->result.external_fragmentation,
                 quotient (all.unusable / 1e6,
                           tori_machine_nodes (stories->config->machine)
                               * run->result.makespan));
}

/* The end of a job is heard of at once, or as late as was said. */
static void check_length (const tori_sim_interrupts *how, tori_time length,
                          tori_time runtime)
{
    bool all = how && how->late_share == 1;
    assert_true ((length == runtime && !all)
                 || (how && length == runtime + how->late));
}

/* Everybody ran once or was rejected, and the figures are right. */
static void check_run (const tori_sim_config *config, const struct run *run)
{
    struct stories stories;
    size_t rejected = 0;
    tell (&stories, config, run);
    for (size_t i = 0; i < stories.n; i++) {
        assert_int_equal (stories.jobs[i].ran, !run->rejected[i]);
        rejected += run->rejected[i];
        if (stories.jobs[i].ran)
            check_length (config->interrupts,
                          stories.jobs[i].finish - stories.jobs[i].start,
                          run->work->jobs[i].runtime);
    }
    assert_int_equal (run->result.jobs, run->n);
    assert_int_equal (run->result.rejected, rejected);
    assert_int_equal (run->result.events, run->work->n + run->n);
    check_summaries (&stories);
    check_use (&stories);
    check_distances (&stories);
    check_delays (&stories);
    stories_clear (&stories);
}

/* ---- random runs ---- */

/* Against the naive simulator, where it knows the policy and the allocator. */
static void compare_with_naive (const tori_sim_config *config,
                                const struct run *run)
{
    struct naive_sched *sched =
        naive_sched_create (config->machine, config->sched->policy,
                            config->sched->order, config->sched->alloc->name);
    struct naive_run naive;
    tori_time *late;
    if (!sched)
        return;
    late = make_array (run->work->n, sizeof *late);
    for (size_t i = 0; i < run->n; i++)
        late[run->starts[i].job] = run->starts[i].finish - run->starts[i].start
                                   - run->work->jobs[run->starts[i].job].runtime;
    for (uint32_t i = 0; config->initial && i < sched->machine->n; i++)
        if (!tori_state_is_free (config->initial, i))
            naive_sched_set_node (sched, 0, i, false, true);
    naive_simulate (&naive, run->work, late, sched);
    compare_runs (run, &naive);
    naive_run_clear (&naive);
    free (late);
}

static void play_sim (uint64_t seed, const struct stream_options *options,
                      tori_sim_config config, bool broken)
{
    tori_state *initial = NULL;
    struct stream stream;
    tori_workload work;
    struct run run;
    stream_create (&stream, seed, options);
    workload_of (&stream, &work);
    config.machine = stream.machine;
    if (broken) {
        uint32_t middle = tori_machine_nodes (stream.machine) / 2;
        initial = make_state (stream.machine);
        tori_state_set_down (initial, middle, true, NULL);
        config.initial = initial;
    }
    simulate (&run, config, &work);
    check_run (&config, &run);
    compare_with_naive (&config, &run);
    run_clear (&run);
    tori_state_destroy (initial);
    tori_workload_clear (&work);
    stream_destroy (&stream);
}

/* Once with an allocator that has no definition in the tests. */
static size_t count_runs (const tori_alloc_info *alloc, size_t streams)
{
    if (alloc->flags & TORI_ALLOC_SEARCHES)
        return 0;
    return naive_alloc_known (alloc->name) ? NORDERS * streams : 1;
}

/* Every policy with every allocator, the orders in turn. In every other run
 * jobs outlive their estimates, and ends are heard of late: of all jobs or of
 * some, by less than a tick of the stream or by more. */
static void play_sims (uint64_t seed, size_t streams, bool broken)
{
    const tori_alloc_info *alloc;
    for (size_t a = 0; (alloc = plain_alloc (a)); a++)
        for (size_t p = 0; tori_sched_list (p); p++)
            for (size_t i = 0; i < count_runs (alloc, streams); i++, seed++) {
                bool late = seed / NORDERS % 2;
                struct stream_options options = {.takes = alloc->takes,
                                                 .jobs = 40,
                                                 .estimates = late ? ANY : OVER,
                                                 .max_nodes = 36};
                tori_sim_interrupts how = {
                    .size = sizeof how,
                    .seed = seed,
                    .late = (tori_time)(1 + seed % 7) * TORI_SECOND / 2,
                    .late_share = seed % 3 ? 0.5 : 1};
                tori_sim_config config = {
                    .size = sizeof config,
                    .sched = TORI_SCHED (tori_sched_list (p)->name,
                                         TORI_ALLOC (alloc->name),
                                         (tori_order)(seed % NORDERS)),
                    .interrupts = late ? &how : NULL,
                };
                play_sim (seed, &options, config, broken);
            }
}

TEST (random_runs)
{
    play_sims (1, random_cases (3), false);
}

TEST (random_runs_on_broken_machines)
{
    play_sims (100000, random_cases (2), true);
}
