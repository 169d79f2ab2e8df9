/* common_jobs.h - the policies of a sweep, compared on the jobs that all of
 * them ran.
 *
 * A sweep keeps no jobs. In a scene in which all jobs ran to their end, the
 * means of a policy are those of all jobs. Where jobs were rejected or killed,
 * its simulations run once more, and the means over the jobs that all of them
 * ran become a member "compared" of their outcomes.
 */
#ifndef TORI_CLI_COMMON_JOBS_H
#define TORI_CLI_COMMON_JOBS_H

#include "cells.h"

/* All cells must have outcomes. */
int common_jobs_compare (struct cells *cells, const struct cells_how *how,
                         tori_error *err);

/* The name of a measure in "compared". */
const char *common_jobs_name (enum job_measure measure);

#endif
