#include "snapshot_source.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tori/workload.h>

#include "http_client.h"
#include "jobs.h"
#include "number.h"
#include "whycase.h"

bool snapshot_is_job (const char *operand)
{
    return (*operand && !operand[strspn (operand, "0123456789")])
           || job_is_alias (operand);
}

/* Move the time to the clock's: torid's own does not advance between
 * events. */
static void set_now (json_t *value)
{
    double now = (double)(clock_now () / TORI_SECOND);
    if (json_number_value (json_object_get (value, "now")) < now)
        json_object_set_new (value, "now", json_real (now));
}

static int parse_json (const json_t *value, tori_snapshot **ret_snapshot,
                       tori_error *err)
{
    char *text = json_dumps (value, JSON_REAL_PRECISION (16));
    int status;
    if (!text)
        return tori_error_nomem (err);
    status = tori_snapshot_parse (text, strlen (text), "torid", ret_snapshot,
                                  err);
    free (text);
    return status;
}

/* Drop the jobs that were only tried. */
static void drop_late (json_t *value)
{
    json_t *queue = json_object_get (value, "queue");
    for (size_t i = json_array_size (queue); i-- > 0;)
        if (json_is_true (
                json_object_get (json_array_get (queue, i), "late")))
            json_array_remove (queue, i);
}

int snapshot_submit (const char *socket, json_t *jobs,
                     tori_snapshot **ret_before, tori_snapshot **ret_with,
                     tori_error *err)
{
    json_t *body = json_pack ("{s:O}", "jobs", jobs), *state = NULL;
    int status = body ? call (socket, "POST", "/v1/snapshot", body, &state,
                              err)
                      : tori_error_nomem (err);
    if (status == 0) {
        set_now (state);
        status = parse_json (state, ret_with, err);
    }
    if (status == 0 && ret_before) {
        drop_late (state);
        status = parse_json (state, ret_before, err);
    }
    json_decref (body);
    json_decref (state);
    return status < 0 ? -1 : 0;
}

static int fetch_snapshot (const char *socket, tori_snapshot **ret_snapshot,
                           tori_error *err)
{
    json_t *answer = NULL;
    int status;
    if (call (socket, "GET", "/v1/snapshot", NULL, &answer, err) < 0)
        return -1;
    set_now (answer);
    status = parse_json (answer, ret_snapshot, err);
    json_decref (answer);
    return status;
}

int snapshot_open (const char *socket, const char *path,
                   const tori_snapshot_own *own, tori_snapshot **ret_snapshot, tori_error *err)
{
    const tori_snapshot *snapshot;
    if ((path && !snapshot_is_job (path)
             ? tori_snapshot_read_own (path, own, ret_snapshot, err)
             : fetch_snapshot (socket, ret_snapshot, err))
        < 0)
        return -1;
    snapshot = *ret_snapshot;
    for (size_t i = 0; i < snapshot->nunknown && i < TORI_SNAPSHOT_UNKNOWN;
         i++)
        fprintf (stderr, "tori: %s: %s: unknown member, ignored\n",
                 snapshot->name, snapshot->unknown[i]);
    if (snapshot->nunknown > TORI_SNAPSHOT_UNKNOWN)
        fprintf (stderr, "tori: %s: and %zu more\n", snapshot->name,
                 snapshot->nunknown - TORI_SNAPSHOT_UNKNOWN);
    return 0;
}

int snapshot_open_with (const char *socket, const char *path,
                        const char *alloc, struct plugins *plugins,
                        tori_snapshot **ret_snapshot, tori_error *err)
{
    if (alloc && (!path || snapshot_is_job (path)))
        return tori_error_set (err, TORI_INVALID,
                               "--alloc is for a snapshot in a file, and "
                               "torid has only tori's allocators");
    return plugins_of_snapshot (alloc, plugins, err) < 0
               ? -1
               : snapshot_open (socket, path, &plugins->own, ret_snapshot,
                                err);
}

/* ---- which jobs ---- */

int waiting_read (const char *snapshot, const struct strings *words,
                  const char *socket, struct waiting_ids *ret_ids, tori_error *err)
{
    size_t first = snapshot && snapshot_is_job (snapshot);
    uint64_t *ids = calloc (words->n + 2, sizeof *ids);
    if (!ids)
        return tori_error_nomem (err);
    for (size_t i = 0; i < words->n + first; i++) {
        int64_t id;
        const char *text = i < first ? snapshot : words->item[i - first];
        if ((job_is_alias (text)
                 ? job_find (socket, text, &id, err)
                 : number_parse (text, "id", 0, INT64_MAX, &id, err))
            < 0) {
            free (ids);
            return -1;
        }
        ids[i] = (uint64_t)id;
    }
    *ret_ids = (struct waiting_ids){.id = ids,
                                .n = words->n + first,
                                .socket = socket,
                                .live = !snapshot || first};
    return 0;
}

/* Why a job is not among those that wait: it runs, has ended, or is not
 * known. */
static void say_missing (const struct waiting_ids *ids,
                         const tori_snapshot *snapshot, uint64_t id,
                         tori_error *err)
{
    const char *name = snapshot->name;
    char remark[JOB_TEXT_MAX];
    json_t *job = NULL;
    tori_error_set (err, TORI_INVALID, "%s%sno job %llu waits",
                    name ? name : "", name ? ": " : "",
                    (unsigned long long)id);
    if (!ids->live || job_fetch (ids->socket, (json_int_t)id, &job, err) < 0)
        return;
    job_remark (job, remark);
    if (!job_is (job, "queued"))
        tori_error_set (err, TORI_INVALID,
                        job_is (job, "ended") ? "job %llu has ended: %s"
                                              : "job %llu runs at %s",
                        (unsigned long long)id, remark);
    json_decref (job);
}

int waiting_keep (struct waiting_ids *ids, const tori_snapshot *snapshot,
                  tori_error *err)
{
    size_t kept = 0, next = 0, n = ids->n;
    for (size_t i = 0; i < n; i++) {
        if (queued_find (snapshot, ids->id[i], &next))
            ids->id[kept++] = ids->id[i];
        else if (!*ids->missing.text)
            say_missing (ids, snapshot, ids->id[i], &ids->missing);
    }
    ids->n = kept;
    if (n == 0 || kept > 0)
        return 0;
    *err = ids->missing;
    return -1;
}

int waiting_end (struct waiting_ids *ids, int status, tori_error *err)
{
    free (ids->id);
    if (status < 0 || !*ids->missing.text)
        return status;
    *err = ids->missing;
    return -1;
}

/* ---- missing jobs ---- */

void ids_print (const struct ids_said *ids, const char *what, FILE *out)
{
    for (size_t i = 0; i < ids->n; i++)
        fprintf (out, "job %llu %s\n", (unsigned long long)ids->id[i], what);
}

/* ---- times ---- */

static void format_seconds (tori_time time, char text[TIME_TEXT_MAX])
{
    double milli = round ((double)time / (TORI_SECOND / 1000));
    snprintf (text, TIME_TEXT_MAX, "%.15g", milli / 1000);
}

void start_format (tori_time time, char text[CLOCK_TEXT_MAX])
{
    if (time_is_clock (time))
        clock_format (time, text);
    else
        format_seconds (time, text);
}

void limit_format (tori_time time, char text[DURATION_TEXT_MAX])
{
    duration_format (time < TORI_SECOND ? time : time - time % TORI_SECOND,
                     text);
}

/* Round to whole seconds if the times are clock times. */
static tori_time round_wait (tori_time wait, tori_time now)
{
    return time_is_clock (now)
               ? (wait + TORI_SECOND / 2) / TORI_SECOND * TORI_SECOND
               : wait;
}

void moment_format (tori_time time, tori_time now, char text[LENGTH_TEXT_MAX])
{
    char when[CLOCK_TEXT_MAX], duration[DURATION_TEXT_MAX];
    start_format (time, when);
    duration_about (round_wait (time - now, now), duration);
    snprintf (text, LENGTH_TEXT_MAX, "%s%s, in %s", when,
              time_is_clock (time) ? "" : " s", duration);
}

bool start_is_soon (tori_time start, tori_time now)
{
    return start == now + 1;
}

void wait_format (tori_time start, tori_time now,
                  char text[DURATION_TEXT_MAX])
{
    if (start <= now + 1)
        snprintf (text, DURATION_TEXT_MAX, start > now ? "soon" : "now");
    else
        duration_about (round_wait (start - now, now), text);
}
