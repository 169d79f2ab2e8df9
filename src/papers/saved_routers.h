/* saved_routers.h - what saved routers tell beside the messages in them: that a
 * computation has ended, and which objects are garbage (A. Hori et al., "Time
 * Space Sharing Scheduling and Architectural Support", 1995, section 3.3). */
#ifndef TORI_PAPERS_SAVED_ROUTERS_H
#define TORI_PAPERS_SAVED_ROUTERS_H

#include <stddef.h>
#include <stdint.h>

#include <tori/error.h>

/* A diffusing computation on 16 nodes that is preempted again and again. At
 * each look it has ended, or not, and its saved state says so, or not. */
struct saved_end {
    size_t looks, wrong;
    size_t blind; /* looks at which it had not ended though all nodes were
                     idle: the wrong answers without the routers */
    uint32_t messages;
};
int saved_end_run (uint64_t seed, struct saved_end *ret_end, tori_error *err);

/* 16 nodes that pass on and drop references to objects. At each look, an
 * object is alive or garbage, as is known by counting, and it is marked as
 * that, or not. */
struct saved_garbage {
    size_t looks, objects; /* objects at all looks */
    size_t garbage, wrong;
    size_t blind; /* living objects that would be taken for garbage without the
                     routers */
};
int saved_garbage_run (uint64_t seed, struct saved_garbage *ret_garbage,
                       tori_error *err);

#endif
