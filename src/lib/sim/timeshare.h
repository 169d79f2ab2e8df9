/* timeshare.h - a workload on the queue tree. */
#ifndef TORI_SIM_TIMESHARE_H
#define TORI_SIM_TIMESHARE_H

#include <tori/sim.h>

extern const tori_sched_info gang_info;

/* tori_sim_run for the policy `gang`. */
int timeshare_run (const tori_sim_config *config,
                   const tori_workload *workload, tori_sim_result *ret_result,
                   tori_error *err);

#endif
