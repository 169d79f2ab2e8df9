/* Workloads on the queue tree: what tori_sim_run makes of tori/gang.h, and
 * the jobs and measures of `tori gang sim`. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tori/gang.h>
#include <tori/sim.h>

#include "gangparts.h"
#include "gangsim.h"

/* ---- a replay against the world itself, slot by slot ---- */

enum { MAX_JOBS = 60 };

struct told {
    size_t n;
    const tori_work *work[MAX_JOBS];
    tori_time start[MAX_JOBS], finish[MAX_JOBS];
    tori_box box[MAX_JOBS];
    size_t rejected;
};

static int tell_start (void *arg, const tori_sim_job *job, tori_error *err)
{
    struct told *told = arg;
    (void)err;
    assert_true (told->n < MAX_JOBS);
    assert_true (job->place->nboxes);
    told->work[told->n] = job->work;
    told->start[told->n] = job->start;
    told->finish[told->n] = job->finish;
    told->box[told->n] = job->place->box;
    told->n++;
    return 0;
}

static void tell_reject (void *arg, const tori_work *work, const char *why)
{
    struct told *told = arg;
    (void)work;
    assert_string_equal (why, "larger than the machine");
    told->rejected++;
}

struct slow {
    tori_time start[MAX_JOBS], finish[MAX_JOBS];
    uint32_t node[MAX_JOBS];
};

static void slow_place (void *arg, uint32_t task, uint32_t node, int64_t time)
{
    struct slow *slow = arg;
    (void)time;
    slow->node[task] = node;
}

static void slow_turn (void *arg, const tori_gang_turn *turn)
{
    struct slow *slow = arg;
    if (slow->start[turn->task] < 0)
        slow->start[turn->task] = turn->begin;
}

static void slow_finish (void *arg, uint32_t task, int64_t time)
{
    struct slow *slow = arg;
    slow->finish[task] = time;
}

static tori_workload random_workload (struct rng *rng, uint32_t nodes)
{
    tori_workload workload = {0};
    tori_time now = between (rng, 0, 1000);
    workload.n = between (rng, 1, MAX_JOBS);
    workload.jobs = make_array (workload.n, sizeof *workload.jobs);
    for (size_t i = 0; i < workload.n; i++) {
        tori_work *work = &workload.jobs[i];
        work->id = (int64_t)i + 1;
        work->submit = now += between (rng, 0, 300);
        work->runtime = work->estimate = between (rng, 0, 800);
        work->asked = work->request.count = between (rng, 1, nodes + 1);
    }
    return workload;
}

static void expect_same (const tori_workload *workload,
                         const tori_machine *machine, const struct told *told,
                         const tori_sim_gang *gang)
{
    struct slow slow;
    tori_gang_tree *tree = NULL;
    tori_gang_world *world = NULL;
    tori_gang_config config = {.size = sizeof config, .slot = gang->slot, .on_place = slow_place,
                               .on_turn = slow_turn,
                               .on_finish = slow_finish, .arg = &slow};
    uint32_t task_of[MAX_JOBS], nodes = tori_machine_nodes (machine);
    assert_int_equal (
        tori_gang_tree_create (machine, gang->degree, 1, &tree, NULL), 0);
    config.tree = tree;
    assert_int_equal (tori_gang_world_create (&config, &world, NULL), 0);
    assert_int_equal (tori_gang_world_run (world, 0, NULL), 0);
    for (size_t i = 0; i < workload->n; i++) {
        const tori_work *work = &workload->jobs[i];
        tori_gang_need need = {.count = work->asked};
        slow.start[i] = -1;
        task_of[i] = UINT32_MAX;
        if (work->asked <= nodes)
            assert_int_equal (
                tori_gang_world_add (world,
                                     work->submit - workload->jobs[0].submit,
                                     &need, work->runtime, &task_of[i], NULL),
                0);
    }
    assert_int_equal (tori_gang_world_run (world, INT64_MAX, NULL), 0);
    for (size_t i = 0; i < told->n; i++) {
        uint32_t task = task_of[told->work[i] - workload->jobs];
        tori_gang_place place;
        tori_time origin = workload->jobs[0].submit;
        tori_gang_tree_place (tree, slow.node[task], &place);
        assert_int_equal (told->start[i], origin + slow.start[task]);
        assert_int_equal (told->finish[i], origin + slow.finish[task]);
        assert_memory_equal (told->box[i].origin, place.box.origin,
                             (size_t)place.box.shape.ndims
                                 * sizeof (uint32_t));
    }
    tori_gang_world_destroy (world);
    tori_gang_tree_destroy (tree);
}

TEST (a_replay_is_the_world)
{
    struct rng rng = seeded (5);
    for (int round = 0; round < 150; round++) {
        AUTO_MACHINE *machine = random_machine (&rng, 3, 64);
        uint32_t nodes = tori_machine_nodes (machine);
        tori_workload workload = random_workload (&rng, nodes);
        tori_sim_gang gang = {.size = sizeof gang, .slot = between (&rng, 1, 60),
                              .degree = between (&rng, 2, 4)};
        struct told told = {0};
        tori_sim_config config = {
            .size = sizeof config,
            .machine = machine,
            .sched = TORI_SCHED ("gang"),
            .gang = &gang,
            .on_start = tell_start,
            .on_reject = tell_reject,
            .arg = &told,
        };
        tori_sim_result result;
        double asked = 0;
        tori_time last = 0;
        assert_int_equal (tori_sim_run (&config, &workload, &result, NULL), 0);
        assert_int_equal (told.n + told.rejected, workload.n);
        assert_int_equal (result.jobs, told.n);
        assert_int_equal (result.rejected, told.rejected);
        for (size_t i = 0; i < told.n; i++) {
            const tori_work *work = told.work[i];
            assert_true (i == 0 || told.start[i - 1] <= told.start[i]);
            assert_true (told.start[i] >= work->submit);
            assert_true (told.finish[i] - told.start[i] >= work->runtime);
            asked += (double)work->asked * (double)work->runtime;
            if (told.finish[i] > last)
                last = told.finish[i];
        }
        if (told.n && last > workload.jobs[0].submit)
            assert_true (
                fabs (result.utilization
                      - asked / nodes
                            / (double)(last - workload.jobs[0].submit))
                < 1e-9);
        expect_same (&workload, machine, &told, &gang);
        free (workload.jobs);
    }
}

/* A job at a time waits for nobody, whatever the slots are. */
TEST (one_at_a_time)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4x4");
    tori_work jobs[3] = {
        {.submit = 7, .runtime = 1000, .asked = 3, .request = {.count = 3}},
        {.submit = 5000, .runtime = 17, .asked = 16,
         .request = {.count = 16}},
        {.submit = 6000, .runtime = 0, .asked = 1, .request = {.count = 1}},
    };
    tori_workload workload = {.jobs = jobs, .n = 3};
    tori_sim_gang gang = {.size = sizeof gang, .slot = 64};
    tori_sim_config config = {
        .size = sizeof config,
        .machine = machine,
        .sched = TORI_SCHED ("gang"),
        .gang = &gang,
    };
    tori_sim_result result;
    assert_int_equal (tori_sim_run (&config, &workload, &result, NULL), 0);
    assert_true (result.slowdown.max == 1);
    assert_true (result.wait.max == 0);
    assert_true (result.internal_fragmentation
                 == 1000.0 / (4 * 1000 + 16 * 17));
}

TEST (policies_are_listed)
{
    size_t n = 0;
    while (tori_sched_list (n)) {
        assert_ptr_equal (tori_sim_policy_list (n), tori_sched_list (n));
        n++;
    }
    assert_string_equal (tori_sim_policy_list (n)->name, "gang");
    assert_null (tori_sim_policy_list (n + 1));
    assert_null (tori_sim_policy_list (SIZE_MAX));
}

/* ---- tori gang sim ---- */

/* ---- a part of a replay ---- */

/* The part of a run in a window, turn by turn or job by job. */
struct seen {
    tori_sim_window window;
    const tori_workload *workload;
    const tori_gang_tree *tree;
    size_t job[MAX_JOBS]; /* of a process */
    tori_time origin;
    double asked, held;
    uint64_t turns;
    size_t jobs;
    double response;
};

static double overlap (const tori_sim_window *window, tori_time begin,
                       tori_time end)
{
    begin = begin < window->begin ? window->begin : begin;
    end = end > window->end ? window->end : end;
    return begin < end ? (double)(end - begin) : 0;
}

static void see_turn (void *arg, const tori_gang_turn *turn)
{
    struct seen *seen = arg;
    const tori_work *work = &seen->workload->jobs[seen->job[turn->task]];
    double time = overlap (&seen->window, seen->origin + turn->begin,
                           seen->origin + turn->end);
    tori_gang_place place;
    tori_gang_tree_place (seen->tree, turn->node, &place);
    seen->asked += time * work->asked;
    seen->held += time * place.size;
    seen->turns += seen->origin + turn->begin >= seen->window.begin
                   && seen->origin + turn->begin < seen->window.end;
}

static void see_job (struct seen *seen, const tori_work *work,
                     tori_time finish)
{
    if (work->submit < seen->window.begin || work->submit >= seen->window.end)
        return;
    seen->jobs++;
    seen->response += (double)(finish - work->submit) / TORI_SECOND;
}

static void see_finish (void *arg, uint32_t task, int64_t time)
{
    struct seen *seen = arg;
    see_job (seen, &seen->workload->jobs[seen->job[task]],
             seen->origin + time);
}

/* All turns, in a world that passes over none. */
static void see_gang (struct seen *seen, const tori_machine *machine,
                      const tori_sim_gang *gang)
{
    tori_gang_tree *tree = NULL;
    tori_gang_world *world = NULL;
    tori_gang_config config = {.size = sizeof config, .slot = gang->slot, .on_turn = see_turn,
                               .on_finish = see_finish, .arg = seen};
    assert_int_equal (
        tori_gang_tree_create (machine, gang->degree, 1, &tree, NULL), 0);
    seen->tree = config.tree = tree;
    assert_int_equal (tori_gang_world_create (&config, &world, NULL), 0);
    for (size_t i = 0; i < seen->workload->n; i++) {
        const tori_work *work = &seen->workload->jobs[i];
        tori_gang_need need = {.count = work->asked};
        uint32_t task;
        if (work->asked > tori_machine_nodes (machine))
            continue;
        assert_int_equal (
            tori_gang_world_add (world, work->submit - seen->origin, &need,
                                 work->runtime, &task, NULL),
            0);
        seen->job[task] = i;
    }
    assert_int_equal (tori_gang_world_run (world, INT64_MAX, NULL), 0);
    tori_gang_world_destroy (world);
    tori_gang_tree_destroy (tree);
}

static int see_start (void *arg, const tori_sim_job *job, tori_error *err)
{
    struct seen *seen = arg;
    double time = overlap (&seen->window, job->start, job->finish);
    (void)err;
    seen->asked += time * job->work->asked;
    seen->held += time * job->place->count;
    see_job (seen, job->work, job->finish);
    return 0;
}

static void expect_seen (const struct seen *seen, uint32_t nodes,
                         const tori_sim_result *result)
{
    double whole
        = nodes * (double)(seen->window.end - seen->window.begin);
    assert_true (fabs (result->utilization - seen->asked / whole) < 1e-9);
    assert_true (fabs (result->held - seen->held / whole) < 1e-9);
    assert_int_equal (result->jobs, seen->jobs);
    if (seen->jobs)
        assert_true (fabs (result->response.mean
                           - seen->response / (double)seen->jobs)
                     < 1e-9);
}

/* The window counts what happens in it, and jobs that are submitted in it. */
TEST (a_window_sees_what_is_in_it)
{
    struct rng rng = seeded (6);
    for (int round = 0; round < 200; round++) {
        AUTO_MACHINE *machine = random_machine (&rng, 3, 64);
        uint32_t nodes = tori_machine_nodes (machine);
        tori_workload workload = random_workload (&rng, nodes);
        tori_sim_gang_result tree;
        tori_sim_gang gang = {.size = sizeof gang, .slot = between (&rng, 1, 60),
                              .degree = between (&rng, 2, 4),
                              .result = &tree};
        struct seen seen = {.window = {.size = sizeof seen.window},
                            .workload = &workload,
                            .origin = workload.jobs[0].submit};
        bool batch = round % 2;
        tori_sim_config config = {
            .size = sizeof config,
            .machine = machine,
            .sched =
                TORI_SCHED (batch ? "easy" : "gang", TORI_ALLOC ("row-ff")),
            .gang = &gang,
            .window = &seen.window,
            .on_start = batch ? see_start : NULL,
            .arg = &seen,
        };
        tori_sim_result result;
        seen.window.begin = between (&rng, 0, 8000);
        seen.window.end = seen.window.begin + between (&rng, 1, 8000);
        assert_int_equal (tori_sim_run (&config, &workload, &result, NULL), 0);
        if (!batch)
            see_gang (&seen, machine, &gang);
        expect_seen (&seen, nodes, &result);
        if (!batch)
            assert_int_equal (tree.turns, seen.turns);
        free (workload.jobs);
    }
}

/* ---- what jobs hold ---- */

/* By the definition, node by node. */
static double naive_held (const tori_gang_tree *tree, uint32_t node,
                          uint32_t count)
{
    tori_gang_place place, part;
    double sum = 0, processors = 0;
    tori_gang_tree_place (tree, node, &place);
    for (uint32_t i = 0; i < place.children; i++) {
        tori_gang_tree_place (tree, place.first + i, &part);
        if (part.size < count)
            continue;
        sum += part.size * naive_held (tree, place.first + i, count);
        processors += part.size;
    }
    return processors > 0 ? sum / processors : place.size;
}

TEST (parts_are_held)
{
    struct rng rng = seeded (8);
    for (int round = 0; round < 100; round++) {
        AUTO_MACHINE *machine = random_machine (&rng, 3, 200);
        uint32_t degree = between (&rng, 2, 9), nodes;
        tori_gang_tree *tree = NULL;
        struct gang_parts *parts = NULL;
        nodes = tori_machine_nodes (machine);
        assert_int_equal (
            tori_gang_tree_create (machine, degree, 1, &tree, NULL), 0);
        assert_int_equal (gang_parts_create (machine, degree, &parts, NULL),
                          0);
        for (uint32_t count = 1; count <= nodes; count++) {
            double held = gang_parts_held (parts, count);
            assert_true (fabs (held - naive_held (tree, 0, count)) < 1e-9);
            assert_true (held >= count && held <= nodes);
        }
        gang_parts_destroy (parts);
        tori_gang_tree_destroy (tree);
    }
}

/* Halves of halves: the next power of two. */
TEST (powers_are_held)
{
    AUTO_MACHINE *machine = make_machine ("mesh:8x8");
    struct gang_parts *parts = NULL;
    assert_int_equal (gang_parts_create (machine, 2, &parts, NULL), 0);
    for (uint32_t count = 1, power = 1; count <= 64; count++) {
        power = count > power ? 2 * power : power;
        assert_true (gang_parts_held (parts, count) == power);
    }
    gang_parts_destroy (parts);
}

/* ---- jobs ---- */

/* The time that jobs hold nodes from one time to before another, of all that
 * there is until the latter comes. */
static double load_of (const struct gang_work *work, size_t first, size_t end,
                       const struct gang_parts *parts, uint32_t nodes)
{
    const tori_work *jobs = work->workload.jobs;
    size_t until = end < work->workload.n ? end : end - 1;
    double held = 0;
    for (size_t i = first; i < end; i++)
        held += gang_parts_held (parts, jobs[i].asked)
                * (double)jobs[i].runtime;
    return held / nodes / (double)(jobs[until].submit - jobs[first].submit);
}

/* The load is what was asked for, to a tick a job, in each of the parts. */
TEST (the_load_is_exact)
{
    static const struct {
        const char *machine;
        uint32_t degree;
    } rows[] = {{"mesh:8x8", 2}, {"mesh:5x7", 3}};
    for (size_t m = 0; m < LENGTH (rows); m++)
        for (size_t s = 0; gang_sizes_list (s); s++)
            for (double load = 0.1; load < 1; load += 0.2) {
                AUTO_MACHINE *machine = make_machine (rows[m].machine);
                uint32_t nodes = tori_machine_nodes (machine);
                struct gang_jobs jobs
                    = {.sizes = s, .n = 500, .load = load, .service = 4,
                       .warm_up = 0.2, .degree = rows[m].degree,
                       .slot = 1000, .seed = 3};
                struct gang_work work;
                struct gang_parts *parts;
                assert_int_equal (
                    gang_parts_create (machine, rows[m].degree, &parts, NULL),
                    0);
                assert_int_equal (gang_workload (machine, &jobs, &work, NULL),
                                  0);
                for (size_t i = 0; i < work.workload.n; i++) {
                    const tori_work *job = &work.workload.jobs[i];
                    assert_true (i == 0 || job[-1].submit <= job->submit);
                    assert_true (job->runtime > 0 && job->runtime % 1000 == 0);
                    assert_true (job->asked >= 1 && job->asked <= nodes);
                }
                assert_true (
                    fabs (load_of (&work, 0, 100, parts, nodes) / load - 1)
                    < 1e-4);
                assert_true (
                    fabs (load_of (&work, 100, 400, parts, nodes) / load - 1)
                    < 1e-4);
                assert_true (
                    fabs (load_of (&work, 400, 500, parts, nodes) / load - 1)
                    < 1e-4);
                assert_int_equal (work.window.begin,
                                  work.workload.jobs[100].submit);
                assert_int_equal (work.window.end,
                                  work.workload.jobs[400].submit);
                assert_true (work.asked > 0 && work.asked <= 1);
                gang_work_clear (&work);
                gang_parts_destroy (parts);
            }
}

/* Without a warm-up it is all of them; one job is nothing to measure. */
TEST (few_jobs)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4");
    for (size_t n = 1; n < 30; n++)
        for (double warm_up = 0; warm_up < 0.5; warm_up += 0.15) {
            struct gang_jobs jobs
                = {.n = n, .load = 0.5, .service = 2, .warm_up = warm_up,
                   .slot = 1000, .seed = n};
            size_t ends = (size_t)(warm_up * (double)n);
            struct gang_work work;
            struct gang_run run;
            tori_sim_gang how = {.size = sizeof how, .slot = 1000};
            if (n == 1) {
                tori_error err;
                assert_int_equal (
                    gang_workload (machine, &jobs, &work, &err), -1);
                assert_int_equal (err.status, TORI_INVALID);
                continue;
            }
            assert_int_equal (gang_workload (machine, &jobs, &work, NULL), 0);
            assert_int_equal (
                gang_run (machine, &work, "gang", &how, &run, NULL), 0);
            assert_int_equal (run.result.jobs, n - 2 * ends);
            assert_true (run.seconds > 0);
            gang_work_clear (&work);
        }
}

/* As often as they say: of 2^k processors, alike or half as often. */
TEST (sizes_are_distributed)
{
    AUTO_MACHINE *machine = make_machine ("mesh:8");
    static const double share[4][4]
        = {{0.25, 0.25, 0.25, 0.25},
           {8.0 / 15, 4.0 / 15, 2.0 / 15, 1.0 / 15},
           {1.0 / 8, 1.0 / 8, 2.0 / 8, 4.0 / 8},
           {1, 0, 0, 0}};
    for (size_t s = 0; s < 4; s++) {
        struct gang_jobs jobs = {.sizes = s, .n = 20000, .load = 0.2,
                                 .service = 1, .slot = 1000, .seed = 9};
        tori_sim_gang how = {.size = sizeof how, .slot = 1000};
        struct gang_work work;
        struct gang_run run;
        assert_int_equal (gang_workload (machine, &jobs, &work, NULL), 0);
        assert_int_equal (gang_run (machine, &work, "fcfs", &how, &run, NULL),
                          0);
        for (int c = 0; c < 4; c++)
            assert_true (fabs ((double)run.class[c].jobs / 20000 - share[s][c])
                         < 0.02);
        gang_work_clear (&work);
    }
}

static struct gang_run run_at (const char *text, size_t sizes, double load,
                               size_t n)
{
    AUTO_MACHINE *machine = make_machine (text);
    struct gang_jobs jobs = {.sizes = sizes, .n = n, .load = load,
                             .service = 5, .warm_up = 0.1,
                             .slot = TORI_SECOND, .seed = 2};
    tori_sim_gang how = {.size = sizeof how, .slot = TORI_SECOND};
    struct gang_work work;
    struct gang_run run;
    if (n == 0)
        assert_int_equal (gang_jobs_enough (machine, &jobs, &jobs.n, NULL),
                          0);
    assert_int_equal (gang_workload (machine, &jobs, &work, NULL), 0);
    assert_int_equal (gang_run (machine, &work, "gang", &how, &run, NULL), 0);
    gang_work_clear (&work);
    return run;
}

/* Hori et al.: utilization is linear in the load, whatever the sizes. */
TEST (utilization_is_linear)
{
    for (size_t s = 0; gang_sizes_list (s); s++)
        for (int percent = 10; percent <= 90; percent += 20) {
            struct gang_run run = run_at ("mesh:4x4", s, percent / 100.0,
                                          20000);
            assert_true (fabs (100 * run.result.held / percent - 1) < 0.02);
            assert_true (fabs (run.result.utilization / run.result.offered - 1)
                         < 0.02);
            assert_true (run.result.utilization <= run.result.held);
            assert_true (run.spread >= 1);
            assert_true (run.fairness > 0 && run.fairness <= 1 + 1e-9);
            assert_true (run.tree.root <= run.tree.busiest);
            assert_true (run.tree.switches <= run.tree.turns);
        }
}

/* And stable at 99 %, on machines of all sizes, if the run is long enough. */
TEST (stable_at_99)
{
    static const struct {
        const char *machine;
        size_t sizes;
    } rows[] = {{"mesh:2^3", 0}, {"mesh:2^6", 2}, {"mesh:2^9", 3}};
    for (size_t i = 0; i < LENGTH (rows); i++) {
        struct gang_run run = run_at (rows[i].machine, rows[i].sizes, 0.99, 0);
        assert_true (fabs (run.result.held - 0.99) < 0.005);
    }
}

/* More for a heavier load, and for a larger machine if jobs are no larger. */
TEST (jobs_are_enough)
{
    static const char *const machines[] = {"mesh:2^3", "mesh:2^8", "mesh:2^12"};
    size_t before = 0;
    for (size_t i = 0; i < LENGTH (machines); i++) {
        AUTO_MACHINE *machine = make_machine (machines[i]);
        struct gang_jobs jobs
            = {.sizes = 3, .load = 0.9, .service = 10, .slot = TORI_SECOND};
        size_t n, heavy;
        assert_int_equal (gang_jobs_enough (machine, &jobs, &n, NULL), 0);
        assert_true (n >= 20000 && n <= 1000000 && n >= before);
        jobs.load = 0.99;
        assert_int_equal (gang_jobs_enough (machine, &jobs, &heavy, NULL), 0);
        assert_true (heavy >= n && heavy <= 1000000);
        before = n;
    }
    assert_true (before > 20000);
}

/* The cost of a switch is the time of the network and of the kernels. */
TEST (drains_cost_time)
{
    AUTO_MACHINE *machine = make_machine ("mesh:2^6");
    struct gang_jobs jobs = {.n = 500, .load = 0.5, .service = 5,
                             .slot = 1000, .seed = 1};
    tori_sim_preempt preempt
        = {.size = sizeof preempt, .net = &(tori_net_config){.size = sizeof (tori_net_config), .switching = TORI_CUT_THROUGH, .vcs = 2, .buffer = 16},
           .clock = 1000000};
    tori_sim_gang how = {.size = sizeof how, .slot = 1000, .switch_cost = 7};
    struct gang_work work;
    struct gang_run without, with;
    assert_int_equal (gang_workload (machine, &jobs, &work, NULL), 0);
    assert_int_equal (gang_run (machine, &work, "gang", &how, &without, NULL),
                      0);
    assert_int_equal (without.tree.switch_least, 7);
    assert_int_equal (without.tree.switch_most, 7);
    how.preempt = &preempt;
    assert_int_equal (gang_run (machine, &work, "gang", &how, &with, NULL),
                      0);
    /* one processor: four words saved and restored; 64: Dmax 6, Lmax 16, and
     * 220 words */
    assert_int_equal (with.tree.switch_least, 7 + 8);
    assert_int_equal (with.tree.switch_most, 7 + 6 * 16 + 6 + 2 * 220);
    assert_true (with.result.response.mean > without.result.response.mean);
    gang_work_clear (&work);
}
