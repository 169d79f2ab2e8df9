/* look.h - what the simulator looks at whenever a job starts: the little of it
 * that it needs, where the public structures have all that there is. */
#ifndef TORI_SCHED_LOOK_H
#define TORI_SCHED_LOOK_H

#include <tori/sched.h>

/* Where a running job is, or NULL if it does not run; and when it would have
 * started if it had done all of its work in one go. */
const tori_placement *sched_look_running (const tori_sched *sched,
                                          tori_job job,
                                          tori_time *ret_begun);

#endif
