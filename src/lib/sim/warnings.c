/* warnings.c - when the measures of a run mislead. */
#include <tori/sim.h>

#include "detmath.h"
#include "sized.h"

bool tori_sim_is_saturated (const tori_workload *workload,
                            const tori_sim_result *result)
{
    double span;
    tori_time longest = 0;
    if (workload->n < 2 || result->jobs == 0)
        return false;
    span = (double)(workload->jobs[workload->n - 1].submit
                    - workload->jobs[0].submit)
           / (double)TORI_SECOND;
    for (size_t i = 0; i < workload->n; i++)
        if (workload->jobs[i].runtime > longest)
            longest = workload->jobs[i].runtime;
    return result->makespan - span
           > (double)longest / (double)TORI_SECOND + span / 10;
}

/* Whether at most `spare` nodes are down at fewer than one in 100 moments, if
 * the number of those that are down is Poisson's with this mean. */
static bool are_rarely_up (double spare, double mean)
{
    double term = det_exp (-mean), sum = term;
    if (spare < 0 || spare >= mean)
        return false;
    for (double k = 1; k <= spare; k++) {
        term *= mean / k;
        sum += term;
    }
    return sum < 0.01;
}

/* A run without a failure has the probability exp (-n) for n expected
 * failures. */
int tori_sim_is_hopeless (const tori_machine *machine,
                          const tori_sim_interrupts *interrupts,
                          const tori_work *work, tori_error *err)
{
    tori_sim_interrupts is;
    tori_time run = work->runtime;
    double nodes = tori_machine_nodes (machine), mtbf, mttr;
    if (!interrupts)
        return 0;
    if (SIZED_COPY (tori_sim_interrupts, &is, interrupts, err) < 0)
        return -1;
    if (is.mtbf <= 0)
        return 0;
    if (is.checkpoint > 0 && is.checkpoint < run)
        run = is.checkpoint;
    mtbf = (double)is.mtbf;
    mttr = (double)is.mttr;
    return work->asked * (double)run / mtbf > det_log (100)
           || are_rarely_up (nodes - work->asked,
                             nodes * mttr / (mtbf + mttr));
}
