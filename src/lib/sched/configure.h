/* configure.h - a scheduler's configuration with the defaults filled in. */
#ifndef TORI_SCHED_CONFIGURE_H
#define TORI_SCHED_CONFIGURE_H

#include <tori/sched.h>

/* A copy of a caller's configuration, or of the defaults if it is NULL, that
 * names a policy and an allocator. TORI_INVALID for values that tori/sched.h
 * does not allow; whether the policy and the allocator exist is not
 * checked. */
int sched_configure (const tori_sched_config *config,
                     tori_sched_config *ret_config, tori_error *err);

#endif
