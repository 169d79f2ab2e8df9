/* common_jobs.h - policies, compared on the jobs that all of them ran.
 *
 * In a scene in which all jobs ran to their end, the means of a policy are those
 * of all jobs. Where jobs were rejected or killed, the means over the jobs that
 * all policies ran become a member "compared" of the outcomes, and so do those
 * of each group of jobs. A sweep keeps no jobs, so the simulations of such a
 * scene run once more.
 */
#ifndef TORI_CLI_COMMON_JOBS_H
#define TORI_CLI_COMMON_JOBS_H

#include "cells.h"

/* All cells must have outcomes. They run again unless they have kept their
 * jobs. */
int common_jobs_compare (struct cells *cells, const struct cells_how *how,
                         tori_error *err);

/* Group the jobs of all outcomes in another way (group_names): the simulations
 * run once more. */
int common_jobs_regroup (struct cells *cells, int by, unsigned workers,
                         tori_error *err);

/* The name of a measure in "compared". */
const char *common_jobs_name (enum job_measure measure);

#endif
