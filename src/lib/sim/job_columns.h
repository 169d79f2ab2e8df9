/* job_columns.h - what became of each job, in arrays of the caller's. */
#ifndef TORI_SIM_JOB_COLUMNS_H
#define TORI_SIM_JOB_COLUMNS_H

#include <tori/sim.h>

/* -1 and TORI_INVALID if columns lack what others need. */
int job_columns_check (const tori_sim_columns *columns, tori_error *err);

/* All of these do nothing if there are no columns. */

/* Say that none of the n jobs was started. */
void job_columns_begin (const tori_sim_columns *columns, size_t n);

/* The i-th job has ended, or was rejected. `pairwise` is the sum of distances
 * of its nodes, if that is known; or NULL. */
int job_columns_add (const tori_sim_config *config, size_t i,
                     const tori_sim_job *job, const uint64_t *pairwise,
                     tori_error *err);
int job_columns_reject (const tori_sim_columns *columns, size_t i,
                        const char *why, tori_error *err);

#endif
