/* Files of jobs for plans: what is read is within its range and names its
 * line, and jobs that pass the checks of a machine have plans that keep to
 * their bounds. */
#include <tori/plan.h>

#include "fuzz.h"
#include "planjobs.h"

enum { MOST = 24 };

static void check_jobs (const struct planjobs *jobs)
{
    MUST (jobs->n > 0);
    for (size_t i = 0; i < jobs->n; i++) {
        const struct planjob *job = &jobs->job[i];
        MUST (job->time.num >= 0 && job->time.den > 0);
        MUST (job->dimension || job->shape < jobs->shapes);
        MUST (job->line > (i ? job[-1].line : 0));
    }
}

/* The least deadline can be met, and not before the bounds. */
static void plan_preemptive (const tori_machine *machine,
                             const struct planjobs *jobs)
{
    tori_preemptive_job job[MOST];
    tori_preemptive_bound bound;
    tori_preemptive plan;
    tori_exact least;
    size_t bad;
    for (size_t i = 0; i < jobs->n; i++)
        job[i] = (tori_preemptive_job){.dimension = jobs->job[i].dimension,
                                       .time = jobs->job[i].time};
    if (tori_preemptive_check (machine, job, jobs->n, &bad, NULL) < 0
        || tori_preemptive_least (machine, job, jobs->n, &least, NULL) < 0
        || tori_preemptive_bounds (machine, job, jobs->n, &bound, NULL) < 0)
        return;
    MUST (tori_exact_compare (least, bound.longest) >= 0);
    MUST (tori_exact_compare (least, bound.area) >= 0);
    if (tori_preemptive_plan (machine, job, jobs->n, least, &plan, NULL) < 0)
        return;
    MUST (plan.feasible && tori_exact_compare (plan.finish, least) == 0);
    MUST (plan.stages || plan.preemptions < jobs->n);
    tori_preemptive_clear (&plan);
}

static void plan_contention (const tori_machine *machine,
                             const struct planjobs *jobs)
{
    tori_contention_job job[MOST];
    tori_contention *plan;
    for (size_t i = 0; i < jobs->n; i++) {
        const struct planjob *is = &jobs->job[i];
        job[i].time = is->time;
        job[i].shape = (tori_shape){.ndims = 2,
                                    .size = {is->dimension, is->dimension}};
        if (!is->dimension)
            job[i].shape = jobs->shape[is->shape];
        if (tori_contention_check (machine, &job[i], NULL) < 0)
            return;
    }
    if (tori_contention_create (machine, job, jobs->n, NULL, &plan, NULL) < 0)
        return;
    MUST (tori_contention_makespan (plan)
          >= tori_contention_bounds (plan).longest * (1 - 1e-12));
    tori_contention_destroy (plan);
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    struct fuzz_file file = fuzz_file (data, size);
    struct planjobs jobs;
    tori_machine *machine;
    tori_error err = {0};
    if (planjobs_read (file.path, &jobs, &err) < 0) {
        fuzz_refused (&file, &err);
    } else {
        check_jobs (&jobs);
        MUST (tori_machine_parse ("torus:8x8", &machine, NULL) == 0);
        if (jobs.n <= MOST) {
            plan_preemptive (machine, &jobs);
            plan_contention (machine, &jobs);
        }
        tori_machine_destroy (machine);
        planjobs_clear (&jobs);
    }
    fuzz_file_close (&file);
    return 0;
}
