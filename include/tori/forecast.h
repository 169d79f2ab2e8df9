/* tori/forecast.h - when and where every job that waits will start.
 *
 *     static void show (void *arg, const tori_forecast *it)
 *     ...
 *     tori_forecast_each (sched, show, NULL, &err);
 *
 * A copy of the scheduler runs forward: no other job arrives, nothing else
 * fails or comes up, and every job ends at its estimate. A job that has
 * outlived its estimate ends in the next tick. When jobs really end before
 * their estimates, a job may start earlier or later than forecast. Under
 * conservative it only starts earlier, and so does the first job of the queue
 * under easy.
 *
 * For "what if", ask a copy of the scheduler (tori_sched_copy) after telling
 * it what changes, or a scheduler made from a snapshot with another policy
 * (tori/snapshot.h).
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

/* Call `visit` for every waiting job that will start, in the order of starts.
 * The scheduler does not change. A job that is not visited will not start as
 * things are: it needs a repair or a release, or the allocator gives up on it.
 * Decisions not yet fetched are not reported. Fails only if memory runs out.
 */
int tori_forecast_each (const tori_sched *sched,
                        void (*visit) (void *arg, const tori_forecast *it),
                        void *arg, tori_error *err);

#ifdef __cplusplus
}
#endif

#endif
