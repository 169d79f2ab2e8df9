/* The response time of a job under first come, first served is the sum of
 * service, numerical and topological delay, to the tick, with every allocator.
 */
#include "cases.h"

#include <stddef.h>
#include <stdint.h>

#include <tori/sim.h>

struct seen {
    size_t jobs;
    tori_time numerical, topological, last_start;
};

static int on_start (void *arg, const tori_sim_job *job, tori_error *err)
{
    struct seen *seen = arg;
    const tori_work *work = job->work;
    assert_true (job->numerical >= 0 && job->topological >= 0);
    assert_true (job->finish - work->submit
                 == work->runtime + job->numerical + job->topological);
    assert_true (job->start >= seen->last_start);
    seen->last_start = job->start;
    seen->numerical += job->numerical;
    seen->topological += job->topological;
    seen->jobs++;
    return 0;
}

/* Replay 300 jobs of a model, enough to queue. */
static struct seen replay (const char *machine_text, const char *model,
                           const tori_alloc_config *alloc)
{
    tori_workload_options options = {.size = sizeof options,
                                     .shaping = TORI_SHAPE_FIRST_MATCH,
                                     .jobs = 300,
                                     .seed = 3,
                                     .load = 0.9};
    struct seen seen = {0};
    tori_sim_config config = {
        .size = sizeof config,
        .sched = TORI_SCHED ("fcfs", alloc),
        .on_start = on_start,
        .arg = &seen,
        .no_pairwise = true,
    };
    tori_machine *machine;
    tori_workload workload;
    tori_sim_result result;
    tori_error err;
    if (tori_machine_parse (machine_text, &machine, &err) < 0
        || tori_workload_model (model, machine, &options, &workload, &err) < 0)
        fail_msg ("%s", err.text);
    config.machine = machine;
    if (tori_sim_run (&config, &workload, &result, &err) < 0)
        fail_msg ("%s on %s: %s", alloc->name, machine_text, err.text);
    assert_int_equal (seen.jobs, result.jobs);
    assert_int_equal (seen.jobs + result.rejected, workload.n);
    tori_workload_clear (&workload);
    tori_machine_destroy (machine);
    return seen;
}

static void check (const tori_alloc_config *alloc)
{
    const tori_alloc_info *info = tori_alloc_find (alloc->name);
    static const char *const machines[] = {"torus:4^3", "mesh:8x4x2"};
    static const char *const models[] = {"isomorphic", "cubic", "noncubic"};
    for (size_t i = 0; i < 6; i++) {
        struct seen seen = replay (machines[i / 3], models[i % 3], alloc);
        assert_true (seen.numerical > 0);
        /* With such jobs and whole boxes there is some of both. */
        if (i % 3 == 2 && !(info->flags & TORI_ALLOC_SLICES)
            && !(info->takes & TORI_BY_COUNT))
            assert_true (seen.topological > 0);
    }
}

TEST (allocators)
{
    const tori_alloc_info *alloc;
    for (size_t i = 0; (alloc = tori_alloc_list (i)); i++)
        if ((alloc->takes & TORI_BY_SHAPE)
            && !(alloc->flags & TORI_ALLOC_PODS))
            check (TORI_ALLOC (alloc->name));
}

TEST (isomorphic)
{
    for (int h = 0; tori_hypercube_name (h); h++)
        for (int n = 0; tori_noncubic_name (n); n++)
            check (TORI_ALLOC ("isomorphic", .hypercube = (tori_hypercube)h,
                               .noncubic = (tori_noncubic)n));
}
