/* snapwrite.c - a snapshot as JSON, one job per line: it is read by people,
 * and compared line by line. Members that are as by default are left out. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

#include "bits.h"
#include "jobmembers.h"
#include "member.h"
#include "placement.h"
#include "snapshot.h"

/* Enough digits for a tick in a present-day time. */
#define FORMAT (JSON_ENCODE_ANY | JSON_REAL_PRECISION (16))

/* Setting a member that could not be made fails, so only the sum of the
 * failures has to be checked. */
static int set_integer (json_t *object, const char *key, int64_t value)
{
    return json_object_set_new (object, key, json_integer (value));
}

static int set_time (json_t *object, const char *key, tori_time time)
{
    return json_object_set_new (object, key, seconds_json (time));
}

static int set_text (json_t *object, const char *key, const char *value)
{
    return json_object_set_new (object, key, json_string (value));
}

static int set_true (json_t *object, const char *key, bool value)
{
    return value ? json_object_set_new (object, key, json_true ()) : 0;
}

/* ---- places ---- */

static json_t *nodes_json (const tori_machine *machine, const uint32_t *ids,
                           size_t n)
{
    char text[TORI_TEXT_MAX];
    json_t *list = json_array ();
    for (size_t i = 0; i < n; i++) {
        tori_node_format (machine, ids[i], text);
        if (json_array_append_new (list, json_string (text)) < 0) {
            json_decref (list);
            return NULL;
        }
    }
    return list;
}

/* A set of nodes, as boxes along the last dimension. */
static json_t *set_json (const tori_machine *machine, const uint64_t *set)
{
    json_t *list = json_array ();
    uint32_t n = tori_machine_nodes (machine), i = 0;
    int last = tori_machine_ndims (machine) - 1;
    uint32_t side = tori_machine_size (machine, last);
    while (i < n) {
        tori_box box = {.shape = *tori_machine_shape (machine)};
        char text[TORI_TEXT_MAX];
        uint32_t end = i;
        while (end < n && end / side == i / side && bits_test (set, end))
            end++;
        if (end == i) {
            i++;
            continue;
        }
        tori_machine_coords (machine, i, box.origin);
        for (int d = 0; d <= last; d++)
            box.shape.size[d] = d == last ? end - i : 1;
        tori_box_format (&box, text);
        if (json_array_append_new (list, json_string (text)) < 0) {
            json_decref (list);
            return NULL;
        }
        i = end;
    }
    return list;
}

static json_t *link_json (const tori_machine *machine, const tori_link *link)
{
    char text[TORI_LINK_TEXT];
    tori_link_format (machine, link, text);
    return json_string (text);
}

static json_t *links_json (const tori_machine *machine,
                           const tori_link links[], size_t n)
{
    json_t *list = json_array ();
    for (size_t i = 0; i < n; i++)
        if (json_array_append_new (list, link_json (machine, &links[i])) < 0) {
            json_decref (list);
            return NULL;
        }
    return list;
}

static json_t *boxes_json (const tori_placement *place)
{
    char text[TORI_TEXT_MAX];
    json_t *list = json_array ();
    for (size_t i = 0; i < place->nboxes; i++) {
        tori_box_format (tori_placement_box (place, i), text);
        if (json_array_append_new (list, json_string (text)) < 0) {
            json_decref (list);
            return NULL;
        }
    }
    return list;
}

/* The wiring is written only if it is not the usual one. */
int place_set (json_t *object, const tori_machine *machine,
               const tori_placement *place, tori_wiring usual)
{
    char text[TORI_TEXT_MAX];
    const tori_link *links;
    size_t n = placement_listed (place, &links);
    tori_shape across;
    int bad = 0;
    if (place->nboxes > 1)
        bad |= json_object_set_new (object, "boxes", boxes_json (place));
    if (place->nboxes > 1 && tori_placement_across (place, machine, &across)) {
        tori_shape_format (&across, text);
        bad |= set_text (object, "across", text);
    }
    if (place->nboxes <= 1 && place->count > 0
        && place->box.shape.ndims > 0) {
        tori_box_format (&place->box, text);
        bad |= set_text (object, "box", text);
    }
    if (place->count > 0 && !place->nboxes)
        bad |= json_object_set_new (
            object, "nodes",
            nodes_json (machine, place->nodes, place->count));
    if (place->nboxes && place->wiring != usual) {
        tori_wiring_format (machine, place->wiring, text);
        bad |= set_text (object, "box_wiring", text);
    }
    if (n > 0)
        bad |= json_object_set_new (object, "links",
                                    links_json (machine, links, n));
    return bad;
}

/* ---- jobs ---- */

/* A value of 0 is left out. */
static int set_number (json_t *object, const char *key, int64_t value)
{
    return value ? set_integer (object, key, value) : 0;
}

static int set_ticks (json_t *object, const char *key, tori_time time)
{
    return time ? set_time (object, key, time) : 0;
}

/* Write a member of a request or a tori_job_spec, from its place there, unless
 * it is as by default. */
typedef int put_fn (json_t *object, const char *key,
                    const tori_machine *machine, const void *at);

static int put_shape (json_t *object, const char *key,
                      const tori_machine *machine, const void *at)
{
    char text[TORI_TEXT_MAX];
    const tori_shape *shape = at;
    if (shape->ndims == 0)
        return 0;
    tori_shape_format (shape, text);
    return set_text (object, key, text);
}

static int put_count (json_t *object, const char *key,
                      const tori_machine *machine, const void *at)
{
    const tori_request *request =
        (const void *)((const char *)at - offsetof (tori_request, count));
    bool follows = request->shape.ndims > 0
                   && request->count == tori_shape_volume (&request->shape);
    return follows ? 0 : set_number (object, key, request->count);
}

static int put_wiring (json_t *object, const char *key,
                       const tori_machine *machine, const void *at)
{
    tori_wiring wiring = *(const tori_wiring *)at;
    return wiring == TORI_WIRE_NONE
               ? 0
               : set_text (object, key, tori_wiring_name (wiring));
}

static int put_fold (json_t *object, const char *key,
                     const tori_machine *machine, const void *at)
{
    return *(const uint16_t *)at & TORI_REQUEST_FOLD
               ? set_text (object, key, "rings")
               : 0;
}

static int put_flag (json_t *object, const char *key,
                     const tori_machine *machine, const void *at)
{
    return set_true (object, key, *(const bool *)at);
}

static int put_only (json_t *object, const char *key,
                     const tori_machine *machine, const void *at)
{
    const uint64_t *set = *(const uint64_t *const *)at;
    return set ? json_object_set_new (object, key, set_json (machine, set))
               : 0;
}

static int put_time (json_t *object, const char *key,
                     const tori_machine *machine, const void *at)
{
    return set_ticks (object, key, *(const tori_time *)at);
}

static int put_whole (json_t *object, const char *key,
                      const tori_machine *machine, const void *at)
{
    return set_number (object, key, *(const int64_t *)at);
}

static int put_tier (json_t *object, const char *key,
                     const tori_machine *machine, const void *at)
{
    return set_number (object, key, *(const uint32_t *)at);
}

static int put_preempted (json_t *object, const char *key,
                          const tori_machine *machine, const void *at)
{
    tori_preempted what = *(const tori_preempted *)at;
    return what ? set_text (object, key, tori_preempted_name (what)) : 0;
}

static int put_movable (json_t *object, const char *key,
                        const tori_machine *machine, const void *at)
{
    return *(const uint32_t *)at & TORI_JOB_STAYS
               ? json_object_set_new (object, key, json_false ())
               : 0;
}

static put_fn put_alternatives;

/* The types of the members that a snapshot has (jobrows.h). */
static put_fn *const writers[] = {
    [JOB_TYPE_SHAPE] = put_shape,     [JOB_TYPE_COUNT] = put_count,
    [JOB_TYPE_WIRING] = put_wiring,   [JOB_TYPE_FOLD] = put_fold,
    [JOB_TYPE_FLAG] = put_flag,       [JOB_TYPE_REQUESTS] = put_alternatives,
    [JOB_TYPE_NODES] = put_only,      [JOB_TYPE_TIME] = put_time,
    [JOB_TYPE_LIMIT] = put_time,      [JOB_TYPE_MOMENT] = put_time,
    [JOB_TYPE_WHOLE] = put_whole,     [JOB_TYPE_TIER] = put_tier,
    [JOB_TYPE_PREEMPTED] = put_preempted,
    [JOB_TYPE_MOVABLE] = put_movable,
};

/* One of an alternative: a request, and nothing else of a job. */
static json_t *request_json (const tori_machine *machine,
                             const tori_request *request)
{
    json_t *object = json_object ();
    int bad = 0;
    for (size_t i = 0; i < JOB_MEMBERS; i++) {
        const struct job_member *member = &job_members[i];
        size_t at = member->offset - offsetof (struct job_ask, spec.request);
        if (job_is_wish[i])
            bad |= writers[member->type](object, member->snapshot, machine,
                                         (const char *)request + at);
    }
    if (!bad)
        return object;
    json_decref (object);
    return NULL;
}

static int put_alternatives (json_t *object, const char *key,
                             const tori_machine *machine, const void *at)
{
    const tori_job_spec *spec =
        (const void *)((const char *)at
                       - offsetof (tori_job_spec, alternatives));
    json_t *list = spec->nalternatives ? json_array () : NULL;
    int bad = 0;
    if (!spec->nalternatives)
        return 0;
    for (size_t i = 0; i < spec->nalternatives; i++)
        bad |= json_array_append_new (
            list, request_json (machine, &spec->alternatives[i]));
    return bad | json_object_set_new (object, key, list);
}

/* Its wishes but the time limit: a running job has an end instead. */
static int set_wishes (json_t *object, const tori_machine *machine,
                       const tori_job_spec *spec)
{
    int bad = 0;
    for (size_t i = 0; i < JOB_MEMBERS; i++) {
        const struct job_member *member = &job_members[i];
        const void *at = (const char *)spec + member->offset;
        if (!member->snapshot || i == JOB_time_limit)
            continue;
        bad |= writers[member->type](object, member->snapshot, machine, at);
        if (job_old_names[i])
            bad |=
                writers[member->type](object, job_old_names[i], machine, at);
    }
    return bad;
}

/* Its progress since it was submitted. */
static int set_progress (json_t *object, const tori_job_spec *spec)
{
    int bad = set_number (object, "turn", (int64_t)spec->turn)
              | set_true (object, "requeue", spec->flags & TORI_JOB_REQUEUE)
              | set_true (object, "repair", spec->flags & TORI_JOB_REPAIR)
              | set_ticks (object, "done", spec->done);
    if (spec->hold)
        bad |= set_text (object, "hold", tori_hold_name (spec->hold));
    return bad;
}

static json_t *after_json (const tori_snapshot_job *job)
{
    json_t *list = json_array ();
    for (size_t i = 0; i < job->nafter; i++)
        if (json_array_append_new (
                list, json_sprintf ("%s:%" PRIu64,
                                    tori_after_name (job->after[i].kind),
                                    job->after[i].tag))
            < 0) {
            json_decref (list);
            return NULL;
        }
    return list;
}

/* The rules by which it is released. */
static int set_rules (json_t *object, const tori_snapshot_job *job)
{
    int bad = set_number (object, "array", (int64_t)job->array)
              | set_number (object, "array_limit", job->array_limit)
              | set_true (object, "array_waits", job->array_waits)
              | set_true (object, "late", job->late);
    if (job->user)
        bad |= set_text (object, "user", job->user);
    if (job->queue)
        bad |= set_text (object, "queue", job->queue);
    if (job->nafter > 0)
        bad |= json_object_set_new (object, "after", after_json (job));
    return bad;
}

/* The members of all jobs; NULL on failure. */
static json_t *job_json (const tori_snapshot *snapshot,
                         const tori_snapshot_job *job)
{
    json_t *object = json_object ();
    int bad = set_integer (object, "id", (int64_t)job->spec.tag)
              | set_wishes (object, snapshot->machine, &job->spec)
              | set_progress (object, &job->spec)
              | set_rules (object, job);
    if (job->alias)
        bad |= set_text (object, "alias", job->alias);
    if (job->why)
        bad |= set_text (object, "why", job->why);
    if (job->submit >= 0)
        bad |= set_time (object, "submit", job->submit);
    if (!bad)
        return object;
    json_decref (object);
    return NULL;
}

/* By its name of today, and by that of the version before. */
static int set_limit (json_t *object, tori_time estimate)
{
    return set_time (object, "time_limit", estimate)
           | set_time (object, "estimate", estimate);
}

json_t *wishes_json (const tori_machine *machine,
                     const tori_snapshot_job *job)
{
    json_t *object = json_object ();
    int bad = set_wishes (object, machine, &job->spec)
              | set_limit (object, job->spec.estimate)
              | (job->queue ? set_text (object, "queue", job->queue) : 0);
    if (!bad)
        return object;
    json_decref (object);
    return NULL;
}

/* People look for the end; the estimate is written only if it does not follow
 * from that. */
static int set_running (json_t *object, const tori_snapshot *snapshot,
                        const tori_snapshot_job *job)
{
    tori_time estimate = job->spec.estimate;
    tori_time rest = estimate - job->spec.done, end = job->start;
    bool follows = rest >= 0
                   && !__builtin_add_overflow (end, rest, &end)
                   && !__builtin_add_overflow (end, job->spec.lost, &end);
    if (!follows && rest >= 0)
        end = TORI_TIME_MAX;
    return place_set (object, snapshot->machine, &job->place,
                      job->spec.request.wiring)
           | set_time (object, "start", job->start)
           | set_time (object, "end", end)
           | set_ticks (object, "lost", job->spec.lost)
           | (follows ? 0 : set_limit (object, estimate));
}

static int set_promise (json_t *object, const tori_snapshot *snapshot,
                        const tori_snapshot_job *job)
{
    json_t *promise;
    if (!job->promised)
        return 0;
    promise = json_object ();
    if (set_time (promise, "start", job->promised_at)
        | place_set (promise, snapshot->machine, &job->promised_place,
                     job->spec.request.wiring)) {
        json_decref (promise);
        return -1;
    }
    return json_object_set_new (object, "promise", promise);
}

static int set_suspended (json_t *object, const tori_snapshot *snapshot,
                          const tori_snapshot_job *job)
{
    json_t *it;
    if (!job->suspended)
        return 0;
    it = json_object ();
    if ((job->saved != job->spec.done ? set_time (it, "saved", job->saved) : 0)
        | place_set (it, snapshot->machine, &job->place,
                     job->spec.request.wiring)) {
        json_decref (it);
        return -1;
    }
    return json_object_set_new (object, "suspended", it);
}

static int set_queued (json_t *object, const tori_snapshot *snapshot,
                       const tori_snapshot_job *job)
{
    return set_limit (object, job->spec.estimate)
           | set_promise (object, snapshot, job)
           | set_suspended (object, snapshot, job);
}

typedef int set_fn (json_t *object, const tori_snapshot *snapshot,
                    const tori_snapshot_job *job);

/* Write a value, and release it; NULL is a value that could not be made. */
static int put_value (FILE *to, json_t *value, tori_error *err)
{
    int bad = !value || json_dumpf (value, to, FORMAT) < 0;
    json_decref (value);
    /* The caller checks the stream for errors. */
    return bad && !ferror (to) ? tori_error_nomem (err) : 0;
}

static int put_jobs (const tori_snapshot *snapshot, const char *key,
                     const tori_snapshot_job *jobs, size_t n, set_fn *set,
                     FILE *to, tori_error *err)
{
    fprintf (to, ",\n \"%s\": [", key);
    for (size_t i = 0; i < n; i++) {
        json_t *job;
        if (jobs[i].spec.tag > INT64_MAX)
            return tori_error_set (err, TORI_INVALID,
                                   "%s[%zu].id: too large for JSON", key, i);
        job = job_json (snapshot, &jobs[i]);
        if (job && set (job, snapshot, &jobs[i]) != 0) {
            json_decref (job);
            job = NULL;
        }
        fputs (i ? ",\n  " : "\n  ", to);
        if (put_value (to, job, err) < 0)
            return -1;
    }
    fputs ("]", to);
    return 0;
}

/* ---- the rest ---- */

static json_t *alloc_json (const tori_snapshot *snapshot)
{
    json_t *alloc = json_object ();
    int bad = 0;
    if (snapshot->alloc_shape)
        bad |= set_text (alloc, "shape", snapshot->alloc_shape);
    if (snapshot->alloc_count)
        bad |= set_text (alloc, "count", snapshot->alloc_count);
    if (snapshot->epsilon > 0)
        bad |= json_object_set_new (alloc, "epsilon",
                                    json_real (snapshot->epsilon));
    if (snapshot->steps > 0)
        bad |= set_integer (alloc, "steps", (int64_t)snapshot->steps);
    if (snapshot->spacing > 0)
        bad |= set_integer (alloc, "spacing", (int64_t)snapshot->spacing);
    if (snapshot->slices)
        bad |= set_text (alloc, "slices", snapshot->slices);
    if (snapshot->hypercube)
        bad |= set_text (alloc, "hypercube",
                         tori_hypercube_name ((int)snapshot->hypercube));
    if (snapshot->noncubic)
        bad |= set_text (alloc, "noncubic",
                         tori_noncubic_name ((int)snapshot->noncubic));
    if (!bad)
        return alloc;
    json_decref (alloc);
    return NULL;
}

static json_t *tags_json (const tori_snapshot_window *window)
{
    json_t *list = json_array ();
    for (size_t i = 0; i < window->ntags; i++)
        if (json_array_append_new (
                list, json_integer ((json_int_t)window->tags[i]))
            < 0) {
            json_decref (list);
            return NULL;
        }
    return list;
}

static json_t *window_json (const tori_snapshot *snapshot,
                            const tori_snapshot_window *window)
{
    json_t *object = json_object ();
    int bad = set_text (object, "id", window->id)
              | place_set (object, snapshot->machine, &window->place,
                           TORI_WIRE_NONE)
              | set_number (object, "count", (int64_t)window->count)
              | set_time (object, "from", window->from);
    if (window->until < TORI_TIME_MAX)
        bad |= set_time (object, "until", window->until);
    if (window->ntags > 0)
        bad |= json_object_set_new (object, "jobs", tags_json (window));
    if (!bad)
        return object;
    json_decref (object);
    return NULL;
}

static int put_windows (const tori_snapshot *snapshot, const char *key,
                        FILE *to, tori_error *err)
{
    if (snapshot->nwindows == 0)
        return 0;
    fprintf (to, ",\n \"%s\": [", key);
    for (size_t i = 0; i < snapshot->nwindows; i++) {
        fputs (i ? ",\n  " : "\n  ", to);
        if (put_value (to, window_json (snapshot, &snapshot->windows[i]), err)
            < 0)
            return -1;
    }
    fputs ("]", to);
    return 0;
}

/* ---- rules for held jobs ---- */

static int set_limits (json_t *object, const tori_snapshot_limits *limits)
{
    return set_number (object, "running", (int64_t)limits->running)
           | set_number (object, "nodes", (int64_t)limits->nodes);
}

static int set_open (json_t *object, const tori_snapshot_queue *queue)
{
    json_t *list = queue->open ? json_array () : NULL;
    int bad = queue->open ? json_object_set_new (object, "open", list) : 0;
    for (size_t i = 0; i < queue->nopen && !bad; i++) {
        json_t *span = json_object ();
        bad = set_time (span, "from", queue->open[i].from)
              | set_time (span, "until", queue->open[i].until);
        bad |= json_array_append_new (list, span);
    }
    return bad;
}

static json_t *queue_json (const tori_snapshot_queue *queue)
{
    json_t *object = json_object ();
    int bad = set_text (object, "name", queue->name)
              | set_number (object, "priority", queue->priority)
              | set_number (object, "tier", queue->tier)
              | set_limits (object, &queue->limits)
              | set_number (object, "user_running",
                            (int64_t)queue->each.running)
              | set_number (object, "user_nodes", (int64_t)queue->each.nodes)
              | set_open (object, queue);
    if (queue->preempted)
        bad |= set_text (object, "preempted",
                         tori_preempted_name (queue->preempted));
    if (!bad)
        return object;
    json_decref (object);
    return NULL;
}

static json_t *user_json (const tori_snapshot_user *user)
{
    json_t *object = json_object ();
    int bad = set_text (object, "name", user->name)
              | set_number (object, "penalty", user->penalty);
    if (!bad)
        return object;
    json_decref (object);
    return NULL;
}

static int put_user_limits (const tori_snapshot_limits *limits, FILE *to,
                            tori_error *err)
{
    json_t *object;
    if (limits->running == 0 && limits->nodes == 0)
        return 0;
    object = json_object ();
    if (set_limits (object, limits)) {
        json_decref (object);
        object = NULL;
    }
    fputs (",\n \"user_limits\": ", to);
    return put_value (to, object, err);
}

static int put_rules (const tori_snapshot *snapshot, FILE *to, tori_error *err)
{
    for (size_t i = 0; i < snapshot->nqueues; i++) {
        fputs (i ? ",\n  " : ",\n \"queues\": [\n  ", to);
        if (put_value (to, queue_json (&snapshot->queues[i]), err) < 0)
            return -1;
    }
    if (snapshot->nqueues > 0)
        fputs ("]", to);
    for (size_t i = 0; i < snapshot->nusers; i++) {
        fputs (i ? ",\n  " : ",\n \"users\": [\n  ", to);
        if (put_value (to, user_json (&snapshot->users[i]), err) < 0)
            return -1;
    }
    if (snapshot->nusers > 0)
        fputs ("]", to);
    return put_user_limits (&snapshot->user_limits, to, err);
}

/* Write a list of what is down, if there is anything. */
static int put_down (const char *key, size_t n, json_t *list, FILE *to,
                     tori_error *err)
{
    if (n == 0) {
        json_decref (list);
        return 0;
    }
    fprintf (to, ",\n \"%s\": ", key);
    return put_value (to, list, err);
}

static int put_head (const tori_snapshot *snapshot, FILE *to, tori_error *err)
{
    const tori_machine *machine = snapshot->machine;
    char text[TORI_TEXT_MAX];
    tori_machine_format (machine, text);
    fprintf (to, "{\"tori_snapshot\": %d,\n \"machine\": \"%s\",\n \"now\": ",
             TORI_SNAPSHOT_VERSION, text);
    if (put_value (to, seconds_json (snapshot->now), err) < 0)
        return -1;
    fprintf (to, ",\n \"sched\": \"%s\",\n \"order\": ", snapshot->policy);
    if (put_value (to,
                   json_string (snapshot->own_order
                                    ? snapshot->own_order->name
                                    : tori_order_name (snapshot->order)),
                   err)
        < 0)
        return -1;
    if (snapshot->depth)
        fprintf (to, ",\n \"depth\": %u", snapshot->depth);
    if (snapshot->work)
        fprintf (to, ",\n \"work\": %u", snapshot->work);
    if (snapshot->places)
        fputs (",\n \"places\": true", to);
    if (snapshot->moves)
        fputs (",\n \"moves\": true", to);
    if (snapshot->restarts)
        fputs (",\n \"restarts\": true", to);
    if (snapshot->next_id > 0)
        fprintf (to, ",\n \"next_id\": %" PRIu64, snapshot->next_id);
    if (snapshot->usage_weight > 0)
        fprintf (to, ",\n \"usage_weight\": %" PRId64,
                 snapshot->usage_weight);
    if (snapshot->move)
        fputs (",\n \"move\": ", to);
    if (snapshot->move
        && put_value (to, seconds_json (snapshot->move), err) < 0)
        return -1;
    fputs (",\n \"alloc\": ", to);
    if (put_value (to, alloc_json (snapshot), err) < 0
        || put_down ("down", snapshot->ndown,
                     nodes_json (machine, snapshot->down, snapshot->ndown), to,
                     err)
               < 0
        || put_down (
               "drained", snapshot->ndrained,
               nodes_json (machine, snapshot->drained, snapshot->ndrained), to,
               err)
               < 0)
        return -1;
    return put_down ("down_links", snapshot->ndown_links,
                     links_json (snapshot->machine, snapshot->down_links,
                                 snapshot->ndown_links),
                     to, err);
}

int tori_snapshot_write (const tori_snapshot *snapshot, FILE *to,
                         tori_error *err)
{
    if (put_head (snapshot, to, err) < 0
        || put_jobs (snapshot, "running", snapshot->running,
                     snapshot->nrunning, set_running, to, err)
               < 0
        || put_jobs (snapshot, "queue", snapshot->queue, snapshot->nqueued,
                     set_queued, to, err)
               < 0
        || put_windows (snapshot, "reservations", to, err) < 0
        || put_windows (snapshot, "windows", to, err) < 0
        || put_rules (snapshot, to, err) < 0)
        return -1;
    fputs ("}\n", to);
    return 0;
}

int tori_snapshot_format (const tori_snapshot *snapshot, char **ret_text,
                          size_t *ret_size, tori_error *err)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream (&text, &size);
    int status;
    if (!to)
        return tori_error_nomem (err);
    status = tori_snapshot_write (snapshot, to, err);
    if (ferror (to) && status == 0)
        status = tori_error_nomem (err);
    if (fclose (to) != 0 && status == 0)
        status = tori_error_nomem (err);
    if (status < 0) {
        free (text);
        return -1;
    }
    *ret_text = text;
    *ret_size = size;
    return 0;
}
