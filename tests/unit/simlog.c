#include "simlog.h"

#include <stdlib.h>
#include <string.h>

static int on_start (void *arg, const tori_sim_job *job, tori_error *err)
{
    struct run *run = arg;
    struct start *start = &run->starts[run->n++];
    assert_true (run->n <= run->work->n);
    assert_true (run->ended[job->work - run->work->jobs]);
    *start = (struct start){.job = (size_t)(job->work - run->work->jobs),
                            .start = job->start,
                            .finish = job->finish,
                            .numerical = job->numerical,
                            .topological = job->topological,
                            .waited = job->waited,
                            .ran = job->ran,
                            .starts = job->starts,
                            .moves = job->moves,
                            .level = job->level,
                            .killed = job->killed};
    return tori_placement_copy (&start->place, job->place, err);
}

/* Every job ends before it is told of. */
static void on_finish (void *arg, const tori_work *work)
{
    struct run *run = arg;
    bool *ended = &run->ended[work - run->work->jobs];
    assert_false (*ended);
    *ended = true;
}

static void on_run (void *arg, const tori_work *work, tori_time begin,
                    tori_time end, tori_time ran)
{
    struct run *run = arg;
    assert_true (work->submit <= begin && begin <= end);
    assert_true (ran <= end - begin);
    run->used += (double)work->asked * (double)ran;
}

static int on_pass (void *arg, const tori_sched *sched, tori_time now,
                    tori_time until, tori_error *err)
{
    struct run *run = arg;
    size_t n = tori_sched_running (sched);
    tori_job *jobs = make_array (n, sizeof *jobs);
    assert_true (now < until && (run->now == 0 || now == run->now));
    run->now = until;
    tori_sched_running_jobs (sched, jobs);
    for (size_t i = 0; i < n; i++) {
        tori_job_info info = {.size = sizeof info};
        assert_true (tori_sched_look (sched, jobs[i], &info));
        run->passed += (double)run->work->jobs[info.tag].asked
                       * (double)(until - now);
    }
    free (jobs);
    return 0;
}

/* The use is the sum of all runs. */
static void expect_used (const struct run *run, const tori_sim_config *config)
{
    double whole = run->result.makespan * (double)TORI_SECOND
                   * tori_machine_nodes (config->machine);
    bool shares = config->sched && config->sched->policy
                  && !strcmp (config->sched->policy, "gang");
    if (!config->window && whole > 0)
        expect_near (run->used / whole, run->result.utilization);
    if (!config->resume && whole > 0)
        expect_near (run->passed / whole, shares ? 0 : run->used / whole);
}

static void on_reject (void *arg, const tori_work *work, const char *why)
{
    struct run *run = arg;
    size_t job = (size_t)(work - run->work->jobs);
    assert_false (run->rejected[job]);
    run->rejected[job] = true;
    run->why = why;
}

static void on_progress (void *arg, size_t finished, size_t total)
{
    struct run *run = arg;
    assert_true (finished > run->progress && finished <= total);
    run->progress = finished;
    run->total = total;
}

/* Simulate, with the callbacks and `arg` of the configuration set here. */
void simulate (struct run *run, tori_sim_config config,
               const tori_workload *work)
{
    tori_error err;
    *run = (struct run){.work = work};
    run->starts = make_array (work->n, sizeof *run->starts);
    run->rejected = make_array (work->n, sizeof *run->rejected);
    run->ended = make_array (work->n, sizeof *run->ended);
    config.on_start = on_start;
    config.on_finish = on_finish;
    config.on_reject = on_reject;
    config.on_progress = on_progress;
    config.on_run = on_run;
    config.on_pass = on_pass;
    config.arg = run;
    config.result_size = sizeof run->result;
    if (tori_sim_run (&config, work, &run->result, &err) < 0)
        fail_msg ("%s", err.text);
    expect_used (run, &config);
}

void run_clear (struct run *run)
{
    for (size_t i = 0; i < run->n; i++)
        tori_placement_clear (&run->starts[i].place);
    free (run->starts);
    free (run->rejected);
    free (run->ended);
}

void expect_near (double value, double expected)
{
    double apart = value < expected ? expected - value : value - expected;
    double scale = expected < 0 ? -expected : expected;
    if (apart > 1e-9 * (scale > 1 ? scale : 1))
        fail_msg ("%.17g, not %.17g", value, expected);
}

void expect_summary (const tori_summary *is, double mean, double p50,
                     double p90, double p99, double max)
{
    expect_near (is->mean, mean);
    expect_near (is->p50, p50);
    expect_near (is->p90, p90);
    expect_near (is->p99, p99);
    expect_near (is->max, max);
}
