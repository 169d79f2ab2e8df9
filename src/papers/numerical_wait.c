#include "numerical_wait.h"

#include <stdlib.h>

/* Time goes from event to event. All events at one instant happen before time
 * passes, so their order does not matter. */
struct sweep {
    const struct numerical_wait_job *job;
    size_t n;
    const struct numerical_wait_job *
        *ending;       /* jobs in the order of finishes */
    tori_time *before; /* `lacked` when a job came */
    size_t arrived, started, ended;
    uint32_t free;
    tori_time now;
    tori_time lacked; /* how long the first of the queue lacked nodes */
    tori_time sum;
};

static int by_finish (const void *a, const void *b)
{
    const struct numerical_wait_job *const *x = a, *const *y = b;
    return ((*x)->finish > (*y)->finish) - ((*x)->finish < (*y)->finish);
}

static void pass_time (struct sweep *sweep, tori_time to)
{
    if (sweep->started < sweep->arrived
        && sweep->job[sweep->started].need > sweep->free)
        sweep->lacked += to - sweep->now;
    sweep->now = to;
}

/* Handle all events of this instant. */
static void handle_events (struct sweep *sweep)
{
    size_t n = sweep->n;
    for (;
         sweep->ended < n && sweep->ending[sweep->ended]->finish <= sweep->now;
         sweep->ended++)
        sweep->free += sweep->ending[sweep->ended]->held;
    for (;
         sweep->arrived < n && sweep->job[sweep->arrived].submit <= sweep->now;
         sweep->arrived++)
        sweep->before[sweep->arrived] = sweep->lacked;
    for (;
         sweep->started < n && sweep->job[sweep->started].start <= sweep->now;
         sweep->started++) {
        sweep->free -= sweep->job[sweep->started].held;
        sweep->sum += sweep->lacked - sweep->before[sweep->started];
    }
}

/* The next event; there is a job that has not started. */
static tori_time next_event (const struct sweep *sweep)
{
    tori_time time = sweep->job[sweep->started].start;
    if (sweep->arrived < sweep->n && sweep->job[sweep->arrived].submit < time)
        time = sweep->job[sweep->arrived].submit;
    if (sweep->ended < sweep->n && sweep->ending[sweep->ended]->finish < time)
        time = sweep->ending[sweep->ended]->finish;
    return time;
}

int numerical_wait_sum (const struct numerical_wait_job job[], size_t n,
                        uint32_t nodes, tori_time *ret_sum, tori_error *err)
{
    struct sweep sweep = {
        .job = job,
        .n = n,
        .ending = calloc (n + 1, sizeof *sweep.ending),
        .before = calloc (n + 1, sizeof *sweep.before),
        .free = nodes,
        .now = n ? job[0].submit : 0,
    };
    bool there = sweep.ending && sweep.before;
    for (size_t i = 0; there && i < n; i++)
        sweep.ending[i] = &job[i];
    if (there) {
        qsort (sweep.ending, n, sizeof *sweep.ending, by_finish);
        for (handle_events (&sweep); sweep.started < n; handle_events (&sweep))
            pass_time (&sweep, next_event (&sweep));
        *ret_sum = sweep.sum;
    }
    free (sweep.ending);
    free (sweep.before);
    return there ? 0 : tori_error_nomem (err);
}
