/* look.h - the few facts that the simulator reads whenever a job starts; the
 * public structures have more and cost more. */
#ifndef TORI_SCHED_LOOK_H
#define TORI_SCHED_LOOK_H

#include <tori/sched.h>

/* The place of a running job, or NULL if it does not run; and when it would
 * have started if it had done all of its work without a break. */
const tori_placement *sched_look_running (const tori_sched *sched,
                                          tori_job job,
                                          tori_time *ret_begun);

#endif
