/* tori/forecast.h - when and where every job that waits will start.
 *
 *     static void show (void *arg, const tori_forecast *it)
 *     ...
 *     tori_forecast_each (sched, show, NULL, &err);
 *
 * A copy of the scheduler runs forward as in tori/sim.h: no other job arrives,
 * nothing else fails or comes up, and every job ends at its estimate. A job
 * with an estimate of 0 ends at the instant of its start, and the scheduler
 * runs again. A job that has outlived its estimate ends in the next tick. Jobs
 * become eligible and take the place of others as they will. A job that starts
 * and has to give way at the same instant counts as not started then.
 *
 * So a forecast may differ from a planned start (tori_sched_reservation),
 * which knows neither of jobs that may not start yet nor of those that will
 * take the place of others. tori/why.h gives the start of the forecast.
 *
 * When jobs really end before their estimates, a job may start earlier or
 * later than forecast. Under conservative it starts no later than planned, and
 * so does the first job of the queue under easy, unless another job comes to
 * stand before it. A forecast may be earlier than the planned start: plans are
 * made one after another, and each only once when something comes free. Then a
 * job that comes later may take the gap.
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

/* The end of another job that a job waits for: it ended well, it failed, or
 * either. */
typedef enum tori_after_kind {
    TORI_AFTER_OK,
    TORI_AFTER_FAILED,
    TORI_AFTER_ANY
} tori_after_kind;

/* "ok", "failed", "any"; NULL for anything else. */
const char *tori_after_name (tori_after_kind kind);

typedef struct tori_after {
    uint64_t tag; /* of the other job */
    tori_after_kind kind;
} tori_after;

/* A held job starts at its forecast on a condition. `hold` is the last hold
 * that ends before its start (TORI_HOLD_NONE: there is no condition). `job` is
 * the other job whose end releases it, as `kind` says, if that is known. */
typedef struct tori_condition {
    tori_hold hold;
    bool known;
    tori_after job;
} tori_condition;

/* The condition in words, cut to `size` bytes: "job 12 ends well at its time
 * limit". Empty if there is none. */
void tori_condition_text (const tori_condition *condition, char *text,
                          size_t size);

/* A running job that gives way when another one starts: it is killed,
 * requeued, suspended or moved. */
typedef struct tori_push {
    uint64_t tag;
    tori_decision_kind how; /* TORI_KILL, _REQUEUE, _SUSPEND or _MOVE */
} tori_push;

/* "killed", "requeued", "suspended", "moved"; NULL for anything else. */
const char *tori_push_name (tori_decision_kind how);

typedef struct tori_forecast {
    tori_job job;
    uint64_t tag;
    tori_time start;
    const tori_placement *place; /* valid during the call */
    tori_condition condition;    /* only from tori_forecast_by */
    const tori_push *pushes;     /* the jobs that give way to it; valid during
                                    the call */
    size_t npushes;
} tori_forecast;

/* Call `visit` for every waiting job that will start, in the order of starts.
 * The scheduler does not change. A job that is not visited will not start as
 * things are: it needs a repair or a release, the allocator gives up on it, or
 * more than half of TORI_TIME_MAX passes before. A job that is requeued after
 * it has started may be visited more than once. Decisions not yet fetched are
 * not reported. Fails if memory runs out, and with TORI_INVALID and the job's
 * tag for a time limit of more than half of TORI_TIME_MAX. */
int tori_forecast_each (const tori_sched *sched,
                        void (*visit) (void *arg, const tori_forecast *it),
                        void *arg, tori_error *err);

/* The same with rules by which held jobs are released: what jobs wait for, and
 * the limits of arrays, users and queues, and the hours of queues in a
 * snapshot (tori/snapshot.h). The tags of jobs are the ids of the snapshot. Its other members are not used,
 * and NULL stands for no rules. Every job is assumed to end in the way that
 * others wait for, unless another job takes its place and kills it: then jobs
 * that wait for it to end well are cancelled. A hold without a rule stays. */
struct tori_snapshot;
int tori_forecast_by (const tori_sched *sched,
                      const struct tori_snapshot *rules,
                      void (*visit) (void *arg, const tori_forecast *it),
                      void *arg, tori_error *err);

#ifdef __cplusplus
}
#endif

#endif
