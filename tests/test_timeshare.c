/* Workloads on the queue tree: what tori_sim_run makes of tori/gang.h, and
 * the jobs and measures of `tori gang sim`. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tori/gang.h>
#include <tori/sim.h>

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
    assert_true (job->place->is_box);
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
    tori_gang_config config = {.slot = gang->slot, .on_place = slow_place,
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

static void a_replay_is_the_world (void **state)
{
    struct rng rng;
    (void)state;
    rng_seed (&rng, 5, 0);
    for (int round = 0; round < 150; round++) {
        tori_machine *machine = random_machine (&rng, 3, 64);
        uint32_t nodes = tori_machine_nodes (machine);
        tori_workload workload = random_workload (&rng, nodes);
        tori_sim_gang gang = {.slot = between (&rng, 1, 60),
                              .degree = between (&rng, 2, 4)};
        struct told told = {0};
        tori_sim_config config
            = {.machine = machine, .policy = "gang", .gang = &gang,
               .on_start = tell_start, .on_reject = tell_reject,
               .arg = &told};
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
        tori_machine_destroy (machine);
    }
}

/* A job at a time waits for nobody, whatever the slots are. */
static void one_at_a_time (void **state)
{
    tori_machine *machine = make_machine ("mesh:4x4");
    tori_work jobs[3] = {
        {.submit = 7, .runtime = 1000, .asked = 3, .request = {.count = 3}},
        {.submit = 5000, .runtime = 17, .asked = 16,
         .request = {.count = 16}},
        {.submit = 6000, .runtime = 0, .asked = 1, .request = {.count = 1}},
    };
    tori_workload workload = {.jobs = jobs, .n = 3};
    tori_sim_gang gang = {.slot = 64};
    tori_sim_config config
        = {.machine = machine, .policy = "gang", .gang = &gang};
    tori_sim_result result;
    (void)state;
    assert_int_equal (tori_sim_run (&config, &workload, &result, NULL), 0);
    assert_true (result.slowdown.max == 1);
    assert_true (result.wait.max == 0);
    assert_true (result.internal_fragmentation
                 == 1000.0 / (4 * 1000 + 16 * 17));
    tori_machine_destroy (machine);
}

static void policies_are_listed (void **state)
{
    size_t n = 0;
    (void)state;
    while (tori_sched_list (n)) {
        assert_ptr_equal (tori_sim_policy_list (n), tori_sched_list (n));
        n++;
    }
    assert_string_equal (tori_sim_policy_list (n)->name, "gang");
    assert_null (tori_sim_policy_list (n + 1));
    assert_null (tori_sim_policy_list (SIZE_MAX));
}

/* ---- tori gang sim ---- */

/* The load is what was asked for, to a tick a job. */
static void the_load_is_exact (void **state)
{
    tori_machine *machine = make_machine ("mesh:8x8");
    (void)state;
    for (size_t s = 0; gang_sizes_list (s); s++)
        for (double load = 0.1; load < 1; load += 0.2) {
            struct gang_jobs jobs = {.sizes = s, .n = 500, .load = load,
                                     .service = 4, .slot = 1000, .seed = 3};
            tori_workload workload;
            double held = 0;
            assert_int_equal (gang_workload (machine, &jobs, &workload, NULL),
                              0);
            for (size_t i = 0; i < workload.n; i++) {
                const tori_work *work = &workload.jobs[i];
                uint32_t power = 1;
                while (power < work->asked)
                    power *= 2;
                held += (double)power * (double)work->runtime;
                assert_true (i == 0 || work[-1].submit <= work->submit);
                assert_true (work->runtime > 0 && work->runtime % 1000 == 0);
                assert_true (work->asked >= 1 && work->asked <= 64);
            }
            assert_true (
                fabs (held / 64 / (double)workload.jobs[499].submit / load - 1)
                < 1e-5);
            tori_workload_clear (&workload);
        }
    tori_machine_destroy (machine);
}

/* As often as they say: of 2^k processors, alike or half as often. */
static void sizes_are_distributed (void **state)
{
    tori_machine *machine = make_machine ("mesh:8");
    static const double share[4][4]
        = {{0.25, 0.25, 0.25, 0.25},
           {8.0 / 15, 4.0 / 15, 2.0 / 15, 1.0 / 15},
           {1.0 / 8, 1.0 / 8, 2.0 / 8, 4.0 / 8},
           {1, 0, 0, 0}};
    (void)state;
    for (size_t s = 0; s < 4; s++) {
        struct gang_jobs jobs = {.sizes = s, .n = 20000, .load = 0.2,
                                 .service = 1, .slot = 1000, .seed = 9};
        tori_sim_gang how = {.slot = 1000};
        tori_workload workload;
        struct gang_run run;
        double held = 0;
        assert_int_equal (gang_workload (machine, &jobs, &workload, NULL), 0);
        assert_int_equal (
            gang_run (machine, &workload, "fcfs", &how, &run, NULL), 0);
        for (size_t i = 0; i < workload.n; i++)
            held += pow (2, ceil (log2 (workload.jobs[i].asked)));
        assert_true (fabs (held / 20000 / gang_sizes_mean (s, 8) - 1) < 0.02);
        for (int c = 0; c < 4; c++)
            assert_true (fabs ((double)run.class[c].jobs / 20000 - share[s][c])
                         < 0.02);
        tori_workload_clear (&workload);
    }
    tori_machine_destroy (machine);
}

/* Hori et al.: utilization is linear in the load, whatever the sizes. */
static void utilization_is_linear (void **state)
{
    tori_machine *machine = make_machine ("mesh:4x4");
    (void)state;
    for (size_t s = 0; gang_sizes_list (s); s++)
        for (int percent = 10; percent <= 90; percent += 20) {
            struct gang_jobs jobs
                = {.sizes = s, .n = 5000, .load = percent / 100.0,
                   .service = 5, .slot = TORI_SECOND, .seed = 2};
            tori_sim_gang how = {.slot = TORI_SECOND};
            tori_workload workload;
            struct gang_run run;
            assert_int_equal (gang_workload (machine, &jobs, &workload, NULL),
                              0);
            assert_int_equal (
                gang_run (machine, &workload, "gang", &how, &run, NULL), 0);
            assert_true (run.result.utilization
                         > 0.97 * run.result.offered);
            assert_true (run.result.utilization
                         <= run.result.offered + 1e-6);
            assert_true (run.spread >= 1);
            assert_true (run.fairness > 0 && run.fairness <= 1 + 1e-9);
            assert_true (run.tree.root <= run.tree.busiest);
            assert_true (run.tree.switches <= run.tree.turns);
            tori_workload_clear (&workload);
        }
    tori_machine_destroy (machine);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (a_replay_is_the_world),
        cmocka_unit_test (one_at_a_time),
        cmocka_unit_test (policies_are_listed),
        cmocka_unit_test (the_load_is_exact),
        cmocka_unit_test (sizes_are_distributed),
        cmocka_unit_test (utilization_is_linear),
    };
    return cmocka_run_group_tests_name ("timeshare", tests, NULL, NULL);
}
