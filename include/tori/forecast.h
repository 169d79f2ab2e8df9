/* tori/forecast.h - when and where every job that waits will start.
 *
 *     static void show (void *arg, const tori_forecast *it)
 *     ...
 *     tori_forecast_each (sched, show, NULL, &err);
 *
 * A copy of the scheduler is run forward: no other job comes, nothing else
 * fails or comes up, and every job ends at its estimate. One that has outlived
 * its estimate ends in the next tick. So a job starts when it is said to, or
 * earlier or later as the others end before their estimates; under
 * conservative, and the first in the queue under easy, only earlier.
 *
 * "What if" is the same question put to a copy that was told something else
 * before (tori_sched_copy), or to the scheduler of a snapshot with another
 * policy (tori/snapshot.h).
 */
#ifndef TORI_FORECAST_H
#define TORI_FORECAST_H

#include <tori/sched.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tori_forecast {
    tori_job job;
    uint64_t tag;
    tori_time start;
    const tori_placement *place; /* valid during the call */
} tori_forecast;

/* Call `visit` for every job that waits and will start, in the order of their
 * starts; the scheduler is not changed. A job that is not visited will not
 * start as things are: only a repair or a release helps, or the allocator
 * gives up on it. Decisions not yet fetched are not reported. Fails without
 * memory. */
int tori_forecast_each (const tori_sched *sched,
                        void (*visit) (void *arg, const tori_forecast *it),
                        void *arg, tori_error *err);

#ifdef __cplusplus
}
#endif

#endif
