/* history.c - how full the machine is and how long the queue, once a minute,
 * for those who look back.
 *
 * Samples are no part of the service's state: nothing is decided by them. They
 * go to the disk with the records of others; if there are none, one commit in
 * ten minutes is for them. The largest free box is found by a thread, in a
 * copy. */
#include <stdlib.h>
#include <string.h>

#include "gauges.h"
#include "torid.h"

enum { MINUTE = 60, COMMIT_EVERY = 10 * MINUTE };

static void on_work (uv_work_t *work)
{
    struct history *it = work->data;
    uint64_t largest;
    bool known;
    if (gauge_largest (it->state, &known, &largest, NULL) == 0 && known)
        json_object_set_new (it->sample, "largest",
                             json_integer ((json_int_t)largest));
}

/* What cannot be kept, for want of memory, is missing. */
static void keep (struct torid *torid)
{
    struct history *it = &torid->history;
    char *text = json_dumps (it->sample, JSON_COMPACT);
    if (text
        && journal_sample (torid->journal,
                           &(struct journal_sample){
                               it->time, text, strlen (text)},
                           NULL)
               == 0)
        torid->unsaved |= it->time % COMMIT_EVERY == 0;
    free (text);
}

static void clear (struct history *it)
{
    tori_state_destroy (it->state);
    json_decref (it->sample);
    it->state = NULL;
    it->sample = NULL;
}

static void on_done (uv_work_t *work, int status)
{
    struct history *it = work->data;
    if (status == 0)
        keep (it->tick.data);
    clear (it);
}

static json_t *sample_json (const struct torid *torid, int64_t time)
{
    uint32_t n[4];
    size_t jobs[3];
    gauge_nodes (tori_sched_state (service_sched (torid->service)), n);
    service_count (torid->service, jobs);
    return json_pack ("{s:I, s:I, s:I, s:I, s:I}", "time", (json_int_t)time,
                      "busy", (json_int_t)n[TORI_NODE_BUSY], "free",
                      (json_int_t)n[TORI_NODE_FREE], "queued",
                      (json_int_t)jobs[0], "running", (json_int_t)jobs[1]);
}

/* Not while the one before is being made, nor while nothing can be kept. */
static void take (struct torid *torid)
{
    struct history *it = &torid->history;
    const tori_state *state
        = tori_sched_state (service_sched (torid->service));
    int64_t time = torid_now () / TORI_SECOND;
    if (it->sample || torid->stuck)
        return;
    it->time = time - time % MINUTE;
    it->work.data = it;
    it->sample = sample_json (torid, it->time);
    if (!it->sample
        || tori_state_create (torid->machine, &it->state, NULL) < 0
        || tori_state_copy (it->state, state, NULL) < 0
        || uv_queue_work (&torid->loop, &it->work, on_work, on_done) != 0)
        clear (it);
}

static void on_tick (uv_timer_t *tick)
{
    enum { MINUTE_MS = MINUTE * 1000 };
    struct torid *torid = tick->data;
    int64_t past = torid_now () / 1000 % MINUTE_MS;
    take (torid);
    uv_timer_start (tick, on_tick, (uint64_t)(MINUTE_MS - past), 0);
}

void history_begin (struct torid *torid)
{
    uv_timer_init (&torid->loop, &torid->history.tick);
    torid->history.tick.data = torid;
    on_tick (&torid->history.tick);
}

void history_end (struct torid *torid)
{
    if (torid->history.sample)
        uv_cancel ((uv_req_t *)&torid->history.work);
}
