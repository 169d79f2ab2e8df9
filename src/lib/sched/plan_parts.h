/* plan_parts.h - shared by plan.c, which keeps planned starts, and
 * plan_search.c, which finds them. */
#ifndef TORI_SCHED_PLAN_PARTS_H
#define TORI_SCHED_PLAN_PARTS_H

#include "core.h"

/* The expected end of a running job; an overdue one may end any moment. */
static inline tori_time plan_expected_end (const tori_sched *sched,
                                           tori_time end)
{
    return end > sched->now ? end : time_add (sched->now, 1);
}

/* Whether planned starts have shadows (placement.h). */
bool plan_has_shadows (const tori_sched *sched);

/* Make the profile, unless it is up to date. */
int plan_make_profile (tori_sched *sched, tori_error *err);

/* Push the nodes of the running jobs, and nothing else, to a profile, which is
 * then yet to be sorted. */
int plan_running_profile (const tori_sched *sched, struct profile *profile,
                          tori_error *err);

/* The planned start of the job itself, which is not in its way. */
struct span plan_own_span (const tori_sched *sched, const struct job *job);

/* The index of the first planned start at t or later. */
size_t plan_find (const tori_sched *sched, tori_time t);

/* The place that a planned start blocks, so that the allocator finds it again
 * when the time has come. */
const tori_placement *plan_room (const tori_sched *sched,
                                 const tori_placement *place,
                                 tori_placement *scratch);

/* The job may start earlier than planned at a time in [from, until). */
void plan_set_hope (tori_sched *sched, struct job *job, tori_time from,
                    tori_time until);

/* The planned start of a job comes later, at the same place. */
void plan_delay (tori_sched *sched, job_slot slot, tori_time at);

/* Give the job this planned start; takes over the placement. */
int plan_reserve (tori_sched *sched, job_slot slot, tori_time at,
                  tori_placement *place, tori_error *err);

#endif
