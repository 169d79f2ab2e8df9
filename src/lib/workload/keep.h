/* keep.h - which jobs of a log or model are kept: tori_workload_options. */
#ifndef TORI_WORKLOAD_KEEP_H
#define TORI_WORKLOAD_KEEP_H

#include <tori/workload.h>

/* Remove the jobs that do not meet all conditions of a text, and the flags of
 * the same jobs in `marks`. With a limit above 0, also remove the jobs after so
 * many that are kept. The number of those before that were removed is added to
 * work->left_out. `name` is that of the log or model, in messages. */
int keep_jobs (const char *text, const char *name, size_t limit,
               tori_workload *work, uint8_t *marks, tori_error *err);

#endif
