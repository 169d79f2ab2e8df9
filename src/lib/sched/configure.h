/* configure.h - what is used of a scheduler beside tori/sched.h: its
 * configuration with the defaults filled in, and the few facts that are read
 * whenever a job starts. The public structures have more and cost more. */
#ifndef TORI_SCHED_CONFIGURE_H
#define TORI_SCHED_CONFIGURE_H

#include <tori/sched.h>

/* A copy of a caller's configuration, or of the defaults if it is NULL, that
 * names a policy and an allocator. TORI_INVALID for values that tori/sched.h
 * does not allow; whether the policy and the allocator exist is not
 * checked. */
int sched_configure (const tori_sched_config *config,
                     tori_sched_config *ret_config, tori_error *err);

/* The place of a running job, or NULL if it does not run; and when it would
 * have started if it had done all of its work without a break. */
const tori_placement *sched_look_running (const tori_sched *sched,
                                          tori_job job,
                                          tori_time *ret_begun);

/* TORI_INVALID if a policy of the program's own decides, where there are none
 * of `what`. */
int policy_check (const tori_sched *sched, const char *what, tori_error *err);

#endif
