/* remarks.c - why the first jobs of the queue wait, for an executor whose
 * users look at a queue of its own.
 *
 * An executor says in its greeting how often it wants to hear. The work is
 * that of a question about all waiting jobs (api_look.c), in a process of its
 * own. It takes at most a twentieth of a processor, however long the queue is,
 * and only new remarks are sent. */
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "torid.h"
#include "whycase.h"

enum { JOBS_MOST = 100, SHARE = 20 };

/* ---- in a process of its own ---- */

/* The executor has other names for jobs, so the text does not name the first
 * job: its key is added later. */
static json_t *explain_job (const tori_why *why, const tori_machine *machine)
{
    tori_why plain = *why;
    char text[512];
    plain.behind = TORI_NO_JOB;
    tori_why_text (&plain, machine, text, sizeof text);
    return json_pack (
        "{s:I, s:s, s:s, s:I, s:o}", "id", (json_int_t)why->tag, "reason",
        tori_reason_name (why->reason), "text", text, "behind",
        why->behind == TORI_NO_JOB ? 0 : (json_int_t)why->behind_tag, "start",
        why->starts ? json_integer (why->start / TORI_SECOND) : json_null ());
}

struct explaining {
    tori_snapshot *snapshot;
    json_t *made;
};

static int on_why (void *arg, const tori_why *why)
{
    struct explaining *it = arg;
    if (why->reason != TORI_REASON_STARTS)
        json_array_append_new (it->made,
                               explain_job (why, it->snapshot->machine));
    return json_array_size (it->made) >= JOBS_MOST;
}

static int write_remarks (struct errand *errand, int fd)
{
    struct torid *torid = errand->arg;
    struct explaining it = {.made = json_array ()};
    struct why_case why = {0};
    tori_error err;
    char *text;
    if (!it.made
        || service_snapshot (torid->service, &it.snapshot, &err) < 0)
        return -1;
    if (why_open (it.snapshot, NULL, 0, &why, &err) == 0)
        (void)why_each (&why, on_why, &it, &err);
    text = json_dumps (it.made, JSON_COMPACT);
    return text ? errand_write (fd, text, strlen (text)) : -1;
}

/* ---- in the loop ---- */

/* The order that tells the executor why a job waits. */
static json_t *order_of (const struct torid *torid, const char *key,
                         const json_t *made)
{
    const char *behind = service_key (
        torid->service,
        (uint64_t)json_integer_value (json_object_get (made, "behind")));
    return json_pack ("{s:s, s:s, s:O, s:O, s:O, s:O, s:s*}", "do", "remark",
                      "key", key, "job", json_object_get (made, "id"),
                      "reason", json_object_get (made, "reason"),
                      "text", json_object_get (made, "text"), "start",
                      json_object_get (made, "start"), "behind", behind);
}

static void say_new (struct torid *torid, const json_t *all, json_t *said)
{
    struct remarks *it = &torid->remarks;
    size_t i;
    json_t *made;
    json_array_foreach (all, i, made) {
        const char *key = service_key (
            torid->service,
            (uint64_t)json_integer_value (json_object_get (made, "id")));
        json_t *order = key ? order_of (torid, key, made) : NULL;
        if (!order)
            continue;
        if (!json_equal (order, json_object_get (it->said, key)))
            executor_pipe_say (torid, order);
        json_object_set_new (said, key, order);
    }
}

/* Withdraw the remarks on other jobs, which may still wait. */
static void take_back (struct torid *torid, const json_t *said)
{
    const char *key;
    json_t *old;
    json_object_foreach (torid->remarks.said, key, old)
        if (!json_object_get (said, key)) {
            json_t *order
                = json_pack ("{s:s, s:s, s:n, s:n, s:n}", "do", "remark",
                             "key", key, "reason", "text", "start");
            executor_pipe_say (torid, order);
            json_decref (order);
        }
}

static void on_tick (uv_timer_t *tick);

static void wait_for_next (struct remarks *it, uint64_t took)
{
    uint64_t pause = SHARE * took / 1000000;
    uv_timer_start (&it->tick, on_tick, pause > it->every ? pause : it->every,
                    0);
}

static void on_written (struct errand *errand, char *text, size_t n)
{
    struct torid *torid = errand->arg;
    struct remarks *it = &torid->remarks;
    json_t *made = text ? json_loadb (text, n, 0, NULL) : NULL;
    json_t *said = json_object ();
    free (text);
    if (made && said && it->every > 0 && torid->ready && !torid->ending) {
        say_new (torid, made, said);
        take_back (torid, said);
        json_decref (it->said);
        it->said = json_incref (said);
    }
    json_decref (said);
    json_decref (made);
    if (it->every > 0 && !torid->ending)
        wait_for_next (it, uv_hrtime () - it->begun);
}

/* A shadow decides nothing, and an executor that is away hears nothing. */
static bool begin_work (struct torid *torid)
{
    struct remarks *it = &torid->remarks;
    if (!torid->ready || service_lags (torid->service))
        return false;
    it->begun = uv_hrtime ();
    return errand_begin (&it->errand, &torid->errands, write_remarks, on_written,
                        torid, NULL)
           == 0;
}

static void on_tick (uv_timer_t *tick)
{
    struct torid *torid = tick->data;
    if (!begin_work (torid))
        wait_for_next (&torid->remarks, 0);
}

void remarks_begin (struct torid *torid)
{
    uv_timer_init (&torid->loop, &torid->remarks.tick);
    torid->remarks.tick.data = torid;
}

void remarks_want (struct torid *torid, double seconds)
{
    enum { LEAST = 100, MOST = 3600 * 1000 };
    struct remarks *it = &torid->remarks;
    double every = 1000 * seconds;
    json_decref (it->said);
    it->said = NULL;
    it->every = (uint64_t)number_clamp (every, LEAST, MOST);
    if (!(seconds > 0))
        it->every = 0;
    if (it->every == 0)
        uv_timer_stop (&it->tick);
    else if (!it->errand.pid)
        wait_for_next (it, 0);
}

void remarks_end (struct torid *torid)
{
    errand_stop (&torid->remarks.errand);
}

void remarks_clear (struct torid *torid)
{
    json_decref (torid->remarks.said);
}
