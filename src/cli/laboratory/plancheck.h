/* plancheck.h - whether a plan holds, from its file alone.
 *
 * The code that checks whether a plan can be carried out knows nothing of how
 * plans are made: it lays the plan out on the machine, node by node and ring
 * by ring, and adds up. Bounds are another matter. The least time without
 * contention, and the bounds of preemptive plans, come from the planner's own
 * least.c. So the check finds bounds that are not those of the jobs, but no
 * fault in least.c. (The tests compare that with linear programs.)
 *
 * Returns 0 if the plan holds. If it does not, returns -1 with TORI_NOT_NOW,
 * and the job and the fault in the text; TORI_INVALID if something is missing
 * in the file.
 */
#ifndef TORI_CLI_PLANCHECK_H
#define TORI_CLI_PLANCHECK_H

#include "planfile.h"

/* No two jobs have a node at the same time; every job ends when its time and
 * its delays by those it shares rings with say; the makespan is the last
 * finish, and the bounds and the gap are those of the jobs. Numbers are
 * doubles: differences of 2^-42 of the makespan, a quarter of 10^-12, are
 * taken for rounding, and a job that is shorter than that cannot be told from
 * none. */
int plancheck_contention (const struct planfile *file, tori_error *err);

/* No two jobs have a position, nor a job two, at the same time; every job gets
 * its time on as many positions as its dimension says, before the deadline,
 * with fewer preemptions than jobs. In exact numbers. The least finish and the
 * bounds are what the library says of the jobs. */
int plancheck_preemptive (const struct planfile *file, tori_error *err);

#endif
