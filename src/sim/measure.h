/* measure.h - what is measured of jobs, one after another. */
#ifndef TORI_SIM_MEASURE_H
#define TORI_SIM_MEASURE_H

#include <tori/sim.h>

/* Node-time in ticks, exactly: 2^24 nodes for a year is beyond 64 bits. */
__extension__ typedef unsigned __int128 node_time;

struct measures {
    const tori_machine *machine;
    bool no_pairwise;
    double *response, *wait, *slowdown, *bounded;
    size_t n, with_runtime, with_pairs;
    double pairwise, average;
    node_time asked, held;
};

/* Room for n jobs. In any case measures_clear releases what there is. */
int measures_create (struct measures *measures, const tori_machine *machine,
                     size_t n, bool no_pairwise, tori_error *err);
void measures_clear (struct measures *measures);

int measures_add (struct measures *measures, const tori_sim_job *job,
                  tori_error *err);

/* Fill in what follows from the jobs; the span is from the first submission to
 * the last finish. The samples are reordered. */
void measures_conclude (struct measures *measures, tori_time span,
                        tori_sim_result *result);

#endif
