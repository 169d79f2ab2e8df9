/* configure.h - how a scheduler is to be made, with nothing left out. */
#ifndef TORI_SCHED_CONFIGURE_H
#define TORI_SCHED_CONFIGURE_H

#include <tori/sched.h>

/* A copy of a caller's configuration, or of the defaults if it is NULL, that
 * names a policy and an allocator. TORI_INVALID for one that tori/sched.h does
 * not allow; whether there are such a policy and such an allocator is not
 * looked at. */
int sched_configure (const tori_sched_config *config,
                     tori_sched_config *ret_config, tori_error *err);

#endif
