/* resample.h - logs that might as well have been: blocks of a log, such as its
 * weeks, drawn at random.
 *
 * A log is one sample. Blocks that are drawn with replacement make others of
 * the same length, which have its daily and weekly cycles and the dependence
 * between jobs of one block. How far results of these differ tells how sure the
 * result of the log is: Zakay and Feitelson, "Workload resampling for
 * performance evaluation of parallel job schedulers", 2013; Künsch, "The
 * jackknife and the bootstrap for general stationary observations", 1989.
 */
#ifndef TORI_WORKLOAD_RESAMPLE_H
#define TORI_WORKLOAD_RESAMPLE_H

#include <tori/workload.h>

#include "random.h"

/* Replace the jobs, which are sorted, by those of blocks of this length, as
 * many as the log has whole ones. Jobs after the last whole block are counted
 * in work->rest. Jobs are numbered from 1 on. */
int resample_blocks (tori_workload *work, tori_time length, const char *name,
                     struct rng *rng, tori_error *err);

#endif
