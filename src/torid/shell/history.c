/* history.c - how full the machine is and how long the queue, once a minute,
 * for those who look back.
 *
 * Samples are not part of the service's state: nothing is decided by them.
 * They go to the disk with the records of others; if there are none, one
 * commit in ten minutes is for them. A process of its own finds the largest
 * free box (errand.h). */
#include <stdlib.h>
#include <string.h>

#include "gauges.h"
#include "torid.h"

enum { MINUTE = 60, COMMIT_EVERY = 10 * MINUTE };

static int write_sample (struct errand *errand, int fd)
{
    struct torid *torid = errand->arg;
    json_t *sample = torid->history.sample;
    const tori_state *state
        = tori_sched_state (service_sched (torid->service));
    uint64_t largest;
    bool known;
    char *text;
    if (gauge_largest (state, &known, &largest, NULL) == 0 && known)
        json_object_set_new (sample, "largest",
                             json_integer ((json_int_t)largest));
    text = json_dumps (sample, JSON_COMPACT);
    return text ? errand_write (fd, text, strlen (text)) : -1;
}

/* If the process failed, the sample has no largest box. If memory runs out,
 * the sample is missing. */
static void on_written (struct errand *errand, char *text, size_t n)
{
    struct torid *torid = errand->arg;
    struct history *it = &torid->history;
    if (!text) {
        text = json_dumps (it->sample, JSON_COMPACT);
        n = text ? strlen (text) : 0;
    }
    if (text
        && journal_sample (torid->journal,
                           &(struct journal_sample){it->time, text, n}, NULL)
               == 0)
        torid->unsaved |= it->time % COMMIT_EVERY < MINUTE;
    free (text);
    json_decref (it->sample);
    it->sample = NULL;
}

static json_t *sample_json (const struct torid *torid, int64_t time)
{
    uint32_t n[4];
    const struct job_counts jobs = service_count (torid->service);
    gauge_nodes (tori_sched_state (service_sched (torid->service)), n);
    return json_pack ("{s:I, s:I, s:I, s:I, s:I, s:I}", "time", (json_int_t)time,
                      "busy", (json_int_t)n[TORI_NODE_BUSY], "free",
                      (json_int_t)n[TORI_NODE_FREE], "queued",
                      (json_int_t)jobs.queued, "running",
                      (json_int_t)jobs.running, "suspended",
                      (json_int_t)jobs.suspended);
}

/* Not while the one before is being made, nor while nothing can be kept. */
static void take_sample (struct torid *torid)
{
    struct history *it = &torid->history;
    if (it->sample || torid->stuck)
        return;
    it->time = torid_now (torid) / TORI_SECOND;
    it->sample = sample_json (torid, it->time);
    if (it->sample
        && errand_begin (&it->errand, &torid->errands, write_sample,
                         on_written, torid, NULL)
               < 0) {
        json_decref (it->sample);
        it->sample = NULL;
    }
}

static void on_tick (uv_timer_t *tick)
{
    enum { MINUTE_MS = MINUTE * 1000 };
    struct torid *torid = tick->data;
    int64_t past;
    torid_watch_clock (torid);
    past = torid_now (torid) / 1000 % MINUTE_MS;
    take_sample (torid);
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
    errand_stop (&torid->history.errand);
}
