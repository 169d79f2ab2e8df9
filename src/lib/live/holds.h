/* holds.h - holds that end by themselves: the dependencies, arrays, limits and
 * hours of queues of a snapshot, as a forecast runs through them. */
#ifndef TORI_LIVE_HOLDS_H
#define TORI_LIVE_HOLDS_H

#include <tori/snapshot.h>

/* Read "ok:17", "failed:17" or "any:17". */
bool after_parse (const char *text, tori_after *ret_after);

/* The rules of a snapshot for the jobs of a scheduler. Jobs of the snapshot
 * that the scheduler no longer has count as killed. */
struct holds;
int holds_open (const tori_snapshot *rules, tori_sched *sched,
                struct holds **ret_holds, tori_error *err);
void holds_destroy (struct holds *holds); /* NULL is allowed */

/* Note that jobs started or stopped: the limits may allow others now. */
void holds_stir (struct holds *holds);

/* The job with this tag has left the scheduler: it ended as others expect, or
 * was killed. */
int holds_end (struct holds *holds, uint64_t tag, bool killed,
               tori_error *err);

/* Hold and release jobs of the scheduler as the rules say. Returns whether
 * anything changed, or -1. Without rules (NULL) nothing does. */
int holds_settle (struct holds *holds, tori_time now, tori_error *err);

/* When a queue in which jobs wait opens or closes next, which may let jobs
 * start; TORI_TIME_MAX if none does. */
tori_time holds_wake (const struct holds *holds);

/* The condition on which a job was released. */
tori_condition holds_condition (const struct holds *holds, uint64_t tag);

#endif
