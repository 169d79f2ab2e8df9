/* Jobs that end when their messages are through: where nothing is in their
 * way the simulation is the one without a network, tick for tick. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include <tori/fluid.h>
#include <tori/sim.h>

/* ---- what a run told ---- */

struct told {
    int64_t id;
    tori_time start, finish;
    uint32_t count;
    uint32_t first; /* node */
};

struct run {
    const tori_machine *machine;
    struct told *told;
    size_t n, room;
    tori_sim_result result;
};

static int on_start (void *arg, const tori_sim_job *job, tori_error *err)
{
    struct run *run = arg;
    uint32_t *nodes = make_array (job->place->count, sizeof *nodes);
    assert_true (run->n < run->room);
    tori_placement_nodes (job->place, run->machine, nodes);
    run->told[run->n++] =
        (struct told){.id = job->work->id,
                      .start = job->start,
                      .finish = job->finish,
                      .count = job->place->count,
                      .first = nodes[0]};
    free (nodes);
    return 0;
}

static void simulate (struct run *run, tori_sim_config config,
                      const tori_workload *work)
{
    tori_error err;
    *run = (struct run){.machine = config.machine, .room = work->n};
    run->told = make_array (work->n, sizeof *run->told);
    config.on_start = on_start;
    config.arg = run;
    if (tori_sim_run (&config, work, &run->result, &err) < 0)
        fail_msg ("%s", err.text);
}

static void make_work (const tori_machine *machine, tori_shaping shaping,
                       uint64_t seed, tori_workload *work)
{
    tori_workload_options options = {
        .size = sizeof options,
        .shaping = shaping, .jobs = 120, .seed = seed, .load = 0.8};
    assert_int_equal (
        tori_workload_model ("lublin", machine, &options, work, NULL), 0);
}

/* ---- wide links ---- */

static void expect_same (const struct run *a, const struct run *b)
{
    assert_int_equal (a->n, b->n);
    for (size_t i = 0; i < a->n; i++)
        assert_memory_equal (&a->told[i], &b->told[i], sizeof *a->told);
    assert_true (a->result.response.mean == b->result.response.mean);
    assert_true (a->result.utilization == b->result.utilization);
    assert_true (a->result.makespan == b->result.makespan);
    assert_true (a->result.average == b->result.average);
    assert_int_equal (a->result.events, b->result.events);
    assert_true (b->result.stretch.max == 1 && b->result.stretch.mean == 1);
}

static void compare (tori_sim_config config, const tori_workload *work,
                     int pattern, uint32_t link)
{
    tori_sim_network network = {.size = sizeof network,
        .pattern = pattern, .link = link, .rounds = 2, .seed = 3};
    struct run plain, with;
    simulate (&plain, config, work);
    config.network = &network;
    simulate (&with, config, work);
    expect_same (&plain, &with);
    assert_true (with.result.messages > 0);
    free (plain.told);
    free (with.told);
}

/* Links that nothing can fill: every pattern, every scheduler. */
TEST (wide_links)
{
    AUTO_MACHINE *machine = make_machine ("torus:4x6");
    for (int pattern = 0; tori_pattern_list ((size_t)pattern); pattern++)
        for (size_t p = 0; tori_sched_list (p); p++) {
            bool shaped = (pattern + (int)p) % 2;
            tori_sim_config config = {
                .size = sizeof config,
                .machine = machine,
                .sched = TORI_SCHED (tori_sched_list (p)->name,
                                     TORI_ALLOC (shaped ? "first-fit" : "mm")),
            };
            tori_workload work;
            make_work (machine,
                       shaped ? TORI_SHAPE_FIRST_MATCH : TORI_SHAPE_NONE,
                       p + 1, &work);
            compare (config, &work, pattern, 1000);
            tori_workload_clear (&work);
        }
}

/* On a line a ring among neighbours has every link for itself. */
TEST (a_line)
{
    AUTO_MACHINE *machine = make_machine ("mesh:32");
    tori_sim_config config = {
        .size = sizeof config,
        .machine = machine,
        .sched = TORI_SCHED ("easy", TORI_ALLOC ("first-fit")),
    };
    tori_workload work;
    make_work (machine, TORI_SHAPE_FIRST_MATCH, 4, &work);
    compare (config, &work, tori_pattern_find ("ring"), 1);
    tori_workload_clear (&work);
}

/* ---- links that are shared ---- */

/* No job ends before its time, and some end after it; jobs are reported as
 * they started, and the measures are those of the reports. */
static void check_stretched (const struct run *run, const tori_workload *work)
{
    double response = 0, stretch = 0;
    size_t later = 0, with_runtime = 0;
    for (size_t i = 0; i < run->n; i++) {
        const struct told *told = &run->told[i];
        const tori_work *job = work->jobs;
        tori_time ran = told->finish - told->start;
        while (job->id != told->id)
            job++;
        assert_true (ran >= job->runtime);
        assert_true (i == 0 || told[-1].start <= told->start);
        later += ran > job->runtime;
        response += (double)(told->finish - job->submit) / TORI_SECOND;
        if (job->runtime > 0) {
            stretch += (double)ran / (double)job->runtime;
            with_runtime++;
        }
    }
    assert_true (later > 0);
    response /= (double)run->n;
    stretch /= (double)with_runtime;
    assert_true (run->result.response.mean > response * (1 - 1e-9)
                 && run->result.response.mean < response * (1 + 1e-9));
    assert_true (run->result.stretch.mean > stretch * (1 - 1e-9)
                 && run->result.stretch.mean < stretch * (1 + 1e-9));
}

TEST (shared_links)
{
    AUTO_MACHINE *machine = make_machine ("mesh:6x6");
    for (size_t p = 0; tori_sched_list (p); p++) {
        tori_sim_network network = {.size = sizeof network, .pattern = 0};
        tori_sim_config config = {
            .size = sizeof config,
            .machine = machine,
            .sched = TORI_SCHED (tori_sched_list (p)->name, TORI_ALLOC ("mm")),
            .network = &network,
        };
        tori_workload work;
        struct run run, again;
        make_work (machine, TORI_SHAPE_NONE, p + 9, &work);
        simulate (&run, config, &work);
        assert_int_equal (run.n, work.n);
        check_stretched (&run, &work);
        simulate (&again, config, &work);
        assert_memory_equal (run.told, again.told, run.n * sizeof *run.told);
        free (run.told);
        free (again.told);
        tori_workload_clear (&work);
    }
}

/* Four nodes in a row, all to all: a third of the messages at half the speed.
 * Job 2 waits for that, not for what was estimated. */
TEST (by_hand)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4");
    tori_work jobs[2] = {{.id = 1, .runtime = 9 * TORI_SECOND, .asked = 4},
                         {.id = 2, .runtime = 5 * TORI_SECOND, .asked = 1}};
    tori_workload work = {.jobs = jobs, .n = 2};
    tori_sim_network network = {.size = sizeof network, .pattern = tori_pattern_find ("all-to-all")};
    tori_sim_config config = {
        .size = sizeof config,
        .machine = machine,
        .sched = TORI_SCHED ("easy", TORI_ALLOC ("row-ff")),
        .network = &network,
    };
    struct run run;
    for (int i = 0; i < 2; i++) {
        jobs[i].estimate = jobs[i].runtime;
        jobs[i].request.count = jobs[i].asked;
    }
    simulate (&run, config, &work);
    assert_int_equal (run.told[0].finish, 12 * TORI_SECOND);
    assert_int_equal (run.told[1].start, 12 * TORI_SECOND);
    assert_int_equal (run.told[1].finish, 17 * TORI_SECOND);
    assert_int_equal (run.result.messages, 12);
    free (run.told);
}

/* The same job again and again, alone on the machine: as jobs differ in the
 * seed of a random pattern, they do not all take the same time. */
TEST (random_patterns_differ)
{
    enum { JOBS = 10 };
    AUTO_MACHINE *machine = make_machine ("mesh:16");
    tori_work jobs[JOBS];
    tori_workload work = {.jobs = jobs, .n = JOBS};
    tori_sim_network network
        = {.size = sizeof network, .pattern = tori_pattern_find ("random"), .seed = 7};
    tori_sim_config config = {
        .size = sizeof config,
        .machine = machine,
        .sched = TORI_SCHED ("fcfs", TORI_ALLOC ("row-ff")),
        .network = &network,
    };
    struct run run;
    size_t others = 0;
    for (int i = 0; i < JOBS; i++)
        jobs[i] = (tori_work){.id = i + 1,
                              .runtime = 9 * TORI_SECOND,
                              .estimate = 9 * TORI_SECOND,
                              .asked = 16,
                              .request.count = 16};
    simulate (&run, config, &work);
    assert_int_equal (run.n, JOBS);
    for (size_t i = 1; i < run.n; i++)
        others += run.told[i].finish - run.told[i].start
                  != run.told[0].finish - run.told[0].start;
    assert_true (others > 0);
    free (run.told);
}

/* ---- progress ---- */

static void count_progress (void *arg, size_t finished, size_t total)
{
    size_t *calls = arg;
    assert_int_equal (finished, ++*calls);
    assert_int_equal (total, 120);
}

/* A job of many messages takes long, so that each one that ends is news. */
TEST (progress_by_job)
{
    AUTO_MACHINE *machine = make_machine ("torus:4x6");
    tori_sim_network network = {.size = sizeof network};
    size_t calls = 0;
    tori_sim_config config = {
        .size = sizeof config,
        .machine = machine,
        .sched = TORI_SCHED ("easy", TORI_ALLOC ("mm")),
        .network = &network,
        .on_progress = count_progress,
        .arg = &calls,
    };
    tori_workload work;
    tori_sim_result result;
    make_work (machine, TORI_SHAPE_NONE, 5, &work);
    assert_int_equal (tori_sim_run (&config, &work, &result, NULL), 0);
    assert_int_equal (calls, work.n);
    tori_workload_clear (&work);
}
