/* workcheck.h - whether the times of a workload fit the range of tori_time. */
#ifndef TORI_WORKLOAD_WORKCHECK_H
#define TORI_WORKLOAD_WORKCHECK_H

#include <tori/workload.h>

/* Whether jobs go by submission, no time is negative, and all would end before
 * half of TORI_TIME_MAX if they ran one after the other by their estimates: no
 * schedule, and no plan, then leaves the range of the clock. If not,
 * TORI_INVALID with "NAME: job ID: what is wrong"; NAME may be NULL. */
int workload_check (const tori_workload *work, const char *name,
                    tori_error *err);

#endif
