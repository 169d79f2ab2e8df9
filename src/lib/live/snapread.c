/* snapread.c - a snapshot from its JSON.
 *
 * The parser reads in pieces and stops at the first thing that is not JSON, so
 * that a file of brackets, however long, is refused after a few thousand of
 * them (jansson allows 2,048 levels). */
#include <stdlib.h>
#include <string.h>

#include "holds.h"
#include "jobread.h"
#include "nodelist.h"
#include "sized.h"
#include "snapshot.h"
#include "source.h"

/* ---- names ---- */

static const char *hold_name (size_t i)
{
    return tori_hold_name ((tori_hold)i);
}

/* ---- jobs ---- */

/* Keep the place of a member that means nothing; only count those past the
 * first ones. */
static int keep_place (void *arg, const char *place)
{
    tori_snapshot *snapshot = arg;
    char *copy;
    if (snapshot->nunknown++ >= TORI_SNAPSHOT_UNKNOWN)
        return 0;
    copy = strdup (place);
    snapshot->unknown[snapshot->nunknown - 1] = copy;
    /* It is shown on a terminal, and comes from a file. */
    for (char *c = copy; c && *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = '?';
    return copy ? 0 : -1;
}

int snapshot_note_unknown (const struct member_of *of, tori_snapshot *snapshot,
                         tori_error *err)
{
    return member_unknown (of, keep_place, snapshot) < 0
               ? tori_error_nomem (err)
               : 0;
}

/* ---- members of all jobs ---- */

static int read_id (const struct member_of *job, uint64_t *ret_id,
                    tori_error *err)
{
    int64_t id;
    int found = member_integer (job, "id", 0, &id, err);
    if (found == 0)
        return member_bad (job, "id", err, "is missing");
    if (found > 0)
        *ret_id = (uint64_t)id;
    return found < 0 ? -1 : 0;
}

/* The state of a job, and the times that it may start. */
static int read_state (const struct member_of *job, tori_job_spec *spec,
                       tori_error *err)
{
    int64_t turn = 0;
    size_t hold = TORI_HOLD_NONE;
    bool again = false, repair = false;
    if (member_time (job, "done", &spec->done, err) < 0
        || member_integer (job, "turn", 0, &turn, err) < 0
        || member_bool (job, "requeue", &again, err) < 0
        || member_bool (job, "repair", &repair, err) < 0
        || choice_read (job, "hold", "hold", hold_name, &hold, err) < 0)
        return -1;
    spec->hold = (tori_hold)hold;
    spec->turn = (uint64_t)turn;
    if (again)
        spec->flags |= TORI_JOB_REQUEUE;
    if (repair)
        spec->flags |= TORI_JOB_REPAIR;
    return 0;
}

/* A text for people. */
static int read_text (const struct member_of *of, const char *key,
                      char **ret_text, tori_error *err)
{
    const char *text;
    int found = member_text (of, key, &text, err);
    if (found <= 0)
        return found;
    *ret_text = strdup (text);
    return *ret_text ? 0 : tori_error_nomem (err);
}

/* ---- rules for held jobs ---- */

static int read_after (const struct member_of *of, const json_t *list,
                       tori_snapshot_job *job, tori_error *err)
{
    for (; job->nafter < json_array_size (list); job->nafter++) {
        const char *text
            = json_string_value (json_array_get (list, job->nafter));
        if (!text || !after_parse (text, &job->after[job->nafter]))
            return member_bad (of, "after", err,
                               "expected \"ok:ID\", \"failed:ID\" or "
                               "\"any:ID\"");
    }
    return 0;
}

static int read_array (const struct member_of *of, tori_snapshot_job *job,
                       tori_error *err)
{
    int64_t array = 0, limit = 0;
    if (member_integer (of, "array", 0, &array, err) < 0
        || member_integer (of, "array_limit", 0, &limit, err) < 0
        || member_bool (of, "array_waits", &job->array_waits, err) < 0
        || member_bool (of, "late", &job->late, err) < 0)
        return -1;
    if (limit > UINT32_MAX)
        return member_bad (of, "array_limit", err, "too large");
    job->array = (uint64_t)array;
    job->array_limit = (uint32_t)limit;
    return 0;
}

static int read_rules (const struct member_of *of, tori_snapshot_job *job,
                       tori_error *err)
{
    const json_t *after = NULL;
    if (read_text (of, "user", &job->user, err) < 0
        || read_text (of, "queue", &job->queue, err) < 0
        || member_list (of, "after", &after, err) < 0)
        return -1;
    job->after = calloc (json_array_size (after) + 1, sizeof *job->after);
    if (!job->after)
        return tori_error_nomem (err);
    return read_after (of, after, job, err) < 0 ? -1
                                                : read_array (of, job, err);
}

static int read_limits (const struct member_of *of, const char *of_running,
                        const char *of_nodes,
                        tori_snapshot_limits *ret_limits, tori_error *err)
{
    int64_t running = 0, nodes = 0;
    if (member_integer (of, of_running, 0, &running, err) < 0
        || member_integer (of, of_nodes, 0, &nodes, err) < 0)
        return -1;
    *ret_limits = (tori_snapshot_limits){(uint64_t)running, (uint64_t)nodes};
    return 0;
}

static int read_name (const struct member_of *of, char **ret_name,
                      tori_error *err)
{
    if (read_text (of, "name", ret_name, err) < 0)
        return -1;
    return *ret_name ? 0 : member_bad (of, "name", err, "is missing");
}

/* A time at which a queue is open, after the one before it. */
static int read_span (const struct member_of *of, tori_snapshot *snapshot,
                      tori_snapshot_queue *queue, tori_error *err)
{
    tori_snapshot_span *span = &queue->open[queue->nopen];
    tori_time least = queue->nopen > 0 ? span[-1].until : 0;
    if (!json_is_object (of->object))
        return member_bad (of, NULL, err, "expected an object");
    if (member_moment (of, "from", snapshot->now, &span->from, err) < 0
        || member_moment (of, "until", snapshot->now, &span->until, err) < 0)
        return -1;
    if (span->from < least || span->until <= span->from)
        return member_bad (of, "until", err,
                           "expected times in ascending order");
    queue->nopen++;
    return snapshot_note_unknown (of, snapshot, err);
}

static int read_open (const struct member_of *of, tori_snapshot *snapshot,
                      tori_snapshot_queue *queue, tori_error *err)
{
    const json_t *list = NULL;
    int found = member_list (of, "open", &list, err);
    if (found <= 0)
        return found;
    queue->open = calloc (json_array_size (list) + 1, sizeof *queue->open);
    if (!queue->open)
        return tori_error_nomem (err);
    for (size_t i = 0; i < json_array_size (list); i++) {
        struct member_names known = {.n = 0};
        const struct member_of span
            = {json_array_get (list, i), of->file, of->list, of->i, "open",
               &known};
        if (read_span (&span, snapshot, queue, err) < 0)
            return -1;
    }
    return 0;
}

static int read_queue (const struct member_of *of, tori_snapshot *snapshot,
                       tori_error *err)
{
    tori_snapshot_queue *queue = &snapshot->queues[of->i];
    int64_t tier = 0;
    size_t preempted = TORI_PREEMPTED_REQUEUE;
    if (read_name (of, &queue->name, err) < 0
        || member_integer (of, "priority", INT64_MIN, &queue->priority, err)
               < 0
        || member_integer (of, "tier", 0, &tier, err) < 0
        || choice_read (of, "preempted", "value", job_preempted_name,
                        &preempted, err)
               < 0)
        return -1;
    if (tier > UINT32_MAX)
        return member_bad (of, "tier", err, "too large");
    queue->tier = (uint32_t)tier;
    queue->preempted = (tori_preempted)preempted;
    return read_limits (of, "running", "nodes", &queue->limits, err) < 0
                   || read_limits (of, "user_running", "user_nodes",
                                   &queue->each, err)
                          < 0
               ? -1
               : read_open (of, snapshot, queue, err);
}

static int read_user (const struct member_of *of, tori_snapshot *snapshot,
                      tori_error *err)
{
    tori_snapshot_user *user = &snapshot->users[of->i];
    if (read_name (of, &user->name, err) < 0
        || member_integer (of, "penalty", 0, &user->penalty, err) < 0)
        return -1;
    return 0;
}

static int read_user_limits (const struct member_of *root,
                             tori_snapshot *snapshot, tori_error *err)
{
    struct member_names known = {.n = 0};
    struct member_of limits;
    int found = member_object (root, "user_limits", &limits, err);
    if (found <= 0)
        return found;
    limits.known = &known;
    return read_limits (&limits, "running", "nodes", &snapshot->user_limits,
                        err)
                   < 0
               ? -1
               : snapshot_note_unknown (&limits, snapshot, err);
}

/* ---- jobs ---- */

/* The members of all jobs, and whether the estimate was given. */
static int read_job (const struct member_of *of, tori_snapshot *snapshot,
                     tori_snapshot_job *job, bool *ret_told, tori_error *err)
{
    const struct job_reading how = {.machine = snapshot->machine,
                                    .now = snapshot->now,
                                    .unknown = keep_place,
                                    .arg = snapshot};
    uint64_t given;
    if (job_read (of, &how, job, &given, err) < 0
        || read_id (of, &job->spec.tag, err) < 0
        || read_text (of, "alias", &job->alias, err) < 0
        || read_text (of, "why", &job->why, err) < 0
        || read_rules (of, job, err) < 0
        || read_state (of, &job->spec, err) < 0
        || member_moment (of, "submit", snapshot->now, &job->submit, err) < 0)
        return -1;
    if (snapshot->now >= 0 && job->submit > snapshot->now)
        return member_bad (of, "submit", err, "in the future");
    *ret_told = given & JOB_BIT (time_limit);
    return 0;
}

static uint64_t asked_for (const tori_request *request)
{
    return request->count ? request->count : tori_request_nodes (request);
}

/* A running job without a request asked for the place that it has; it has at
 * least as many nodes as it asked for. */
static int ask_for_place (const struct member_of *of, tori_job_spec *spec,
                          const tori_machine *machine,
                          const tori_placement *place, tori_error *err)
{
    tori_request *request = &spec->request;
    uint64_t least = asked_for (request);
    for (size_t i = 0; i < spec->nalternatives; i++)
        if (asked_for (&spec->alternatives[i]) < least)
            least = asked_for (&spec->alternatives[i]);
    if (least > place->count)
        return member_bad (of, request->count ? "count" : "shape", err,
                           "more nodes than its place has");
    if (!request_is_empty (request))
        return 0;
    request->count = place->count;
    (void)tori_placement_shape (place, machine, &request->shape);
    return 0;
}

/* The estimate of a running job, from its end. */
static int guess_estimate (const struct member_of *of, tori_job_spec *spec,
                           tori_time runs, tori_error *err)
{
    if (runs < spec->lost)
        return member_bad (of, "lost", err, "more than it runs");
    if (__builtin_add_overflow (runs - spec->lost, spec->done,
                                &spec->estimate))
        spec->estimate = TORI_TIME_MAX;
    return 0;
}

static int read_ends (const struct member_of *of, tori_snapshot_job *job,
                      tori_time now, bool told, tori_error *err)
{
    tori_time end = 0;
    int ends;
    if (member_moment (of, "start", now, &job->start, err) < 0
        || member_time (of, "lost", &job->spec.lost, err) < 0)
        return -1;
    if (now >= 0 && job->start > now)
        return member_bad (of, "start", err, "in the future");
    ends = member_moment (of, "end", now, &end, err);
    if (ends > 0 && end < job->start)
        return member_bad (of, "end", err, "before its start");
    if (ends == 0 && !told)
        return member_bad (of, "end", err, "is missing");
    if (ends < 0 || told)
        return ends < 0 ? -1 : 0;
    return guess_estimate (of, &job->spec, end - job->start, err);
}

static int read_running (const struct member_of *of, tori_snapshot *snapshot,
                         tori_error *err)
{
    tori_snapshot_job *job = &snapshot->running[of->i];
    bool told;
    int placed;
    if (read_job (of, snapshot, job, &told, err) < 0
        || read_ends (of, job, snapshot->now, told, err) < 0)
        return -1;
    placed = wired_place_read (of, snapshot->machine,
                               job->spec.request.wiring, &job->place, err);
    if (placed == 0)
        return member_bad (of, "box", err, "is missing, and so are its nodes");
    if (placed < 0)
        return -1;
    return ask_for_place (of, &job->spec, snapshot->machine, &job->place,
                          err);
}

static int read_promise (const struct member_of *of, tori_snapshot *snapshot,
                         tori_snapshot_job *job, tori_error *err)
{
    struct member_names known = {.n = 0};
    struct member_of promise;
    int found = member_object (of, "promise", &promise, err);
    if (found <= 0)
        return found;
    promise.known = &known;
    job->promised = true;
    found = member_moment (&promise, "start", snapshot->now, &job->promised_at,
                           err);
    if (found == 0)
        return member_bad (&promise, "start", err, "is missing");
    if (found < 0)
        return -1;
    if (wired_place_read (&promise, snapshot->machine,
                          job->spec.request.wiring, &job->promised_place, err)
        < 0)
        return -1;
    return snapshot_note_unknown (&promise, snapshot, err);
}

/* The place at which a suspended job continues. Its work is saved, unless the
 * file says otherwise. */
static int read_suspended (const struct member_of *of, tori_snapshot *snapshot,
                           tori_snapshot_job *job, tori_error *err)
{
    struct member_names known = {.n = 0};
    struct member_of it;
    int found = member_object (of, "suspended", &it, err);
    if (found <= 0)
        return found;
    it.known = &known;
    job->suspended = true;
    job->saved = job->spec.done;
    if (member_time (&it, "saved", &job->saved, err) < 0)
        return -1;
    if (job->saved > job->spec.done)
        return member_bad (&it, "saved", err, "more than it has done");
    found = wired_place_read (&it, snapshot->machine,
                              job->spec.request.wiring, &job->place, err);
    if (found == 0)
        return member_bad (&it, "box", err, "is missing, and so are its nodes");
    return found < 0 ? -1 : snapshot_note_unknown (&it, snapshot, err);
}

static int read_queued (const struct member_of *of, tori_snapshot *snapshot,
                        tori_error *err)
{
    tori_snapshot_job *job = &snapshot->queue[of->i];
    bool told;
    if (read_job (of, snapshot, job, &told, err) < 0
        || job_read_wish (of, &job->spec, err) < 0)
        return -1;
    if (!told)
        return member_bad (of, JOB_KEY (time_limit), err, "is missing");
    if (read_promise (of, snapshot, job, err) < 0
        || read_suspended (of, snapshot, job, err) < 0)
        return -1;
    return 0;
}

/* ---- windows ---- */

static int read_window (const struct member_of *of, tori_snapshot *snapshot,
                        tori_error *err)
{
    tori_snapshot_window *window = &snapshot->windows[of->i];
    const char *id = "";
    if (window_read (of, snapshot->machine, snapshot->now, window, err) < 0
        || member_text (of, "id", &id, err) < 0)
        return -1;
    window->id = strdup (id);
    return window->id ? 0 : tori_error_nomem (err);
}

/* ---- lists ---- */

typedef int read_fn (const struct member_of *of, tori_snapshot *snapshot,
                     tori_error *err);

/* Zeroed items for a list, as many as it has objects; none if there is no such
 * list. NULL on failure. */
static void *make_items (const struct member_of *root, const char *key,
                         size_t size, const json_t **ret_list, size_t *ret_n,
                         tori_error *err)
{
    const json_t *list = NULL;
    void *items;
    if (member_list (root, key, &list, err) < 0)
        return NULL;
    items = calloc (json_array_size (list) + 1, size);
    if (!items) {
        tori_error_nomem (err);
        return NULL;
    }
    *ret_list = list;
    *ret_n = json_array_size (list);
    return items;
}

static int read_each (const struct member_of *root, const char *key,
                      const json_t *list, tori_snapshot *snapshot,
                      read_fn *read, tori_error *err)
{
    for (size_t i = 0; i < json_array_size (list); i++) {
        struct member_names known = {.n = 0};
        struct member_of of = {json_array_get (list, i), root->file, key, i,
                               NULL, &known};
        if (read (&of, snapshot, err) < 0
            || snapshot_note_unknown (&of, snapshot, err) < 0)
            return -1;
    }
    return 0;
}

static int read_lists (const struct member_of *root, tori_snapshot *snapshot,
                       tori_error *err)
{
    const json_t *list;
    const char *reservations
        = member_name (root, "reservations", "windows", err);
    if (!reservations)
        return -1;
    snapshot->running
        = make_items (root, "running", sizeof *snapshot->running, &list,
                      &snapshot->nrunning, err);
    if (!snapshot->running
        || read_each (root, "running", list, snapshot, read_running, err) < 0)
        return -1;
    snapshot->queue = make_items (root, "queue", sizeof *snapshot->queue,
                                  &list, &snapshot->nqueued, err);
    if (!snapshot->queue
        || read_each (root, "queue", list, snapshot, read_queued, err) < 0)
        return -1;
    snapshot->windows
        = make_items (root, reservations, sizeof *snapshot->windows, &list,
                      &snapshot->nwindows, err);
    if (!snapshot->windows
        || read_each (root, reservations, list, snapshot, read_window, err)
               < 0)
        return -1;
    snapshot->queues = make_items (root, "queues", sizeof *snapshot->queues,
                                   &list, &snapshot->nqueues, err);
    if (!snapshot->queues
        || read_each (root, "queues", list, snapshot, read_queue, err) < 0)
        return -1;
    snapshot->users = make_items (root, "users", sizeof *snapshot->users,
                                  &list, &snapshot->nusers, err);
    if (!snapshot->users
        || read_each (root, "users", list, snapshot, read_user, err) < 0)
        return -1;
    return read_user_limits (root, snapshot, err);
}

static int read_outages (const struct member_of *root, tori_snapshot *snapshot,
                         tori_error *err)
{
    const tori_machine *machine = snapshot->machine;
    if (nodelist_read (root, "down", machine, &snapshot->down,
                       &snapshot->ndown, err)
            < 0
        || nodelist_read (root, "drained", machine, &snapshot->drained,
                          &snapshot->ndrained, err)
               < 0
        || linklist_read (root, "down_links", machine, &snapshot->down_links,
                          &snapshot->ndown_links, err)
               < 0)
        return -1;
    return 0;
}

/* ---- all of it ---- */

static int read_version (const struct member_of *root, tori_error *err)
{
    int64_t version = TORI_SNAPSHOT_VERSION;
    if (!json_is_object (root->object))
        return member_bad (root, NULL, err, "not a snapshot: expected an "
                                            "object");
    if (member_integer (root, "tori_snapshot", 1, &version, err) < 0)
        return -1;
    if (version > TORI_SNAPSHOT_VERSION)
        return member_bad (root, "tori_snapshot", err,
                           "version %lld is newer than %d, the newest that "
                           "is known",
                           (long long)version, TORI_SNAPSHOT_VERSION);
    return 0;
}

static int read_machine (const struct member_of *root, tori_snapshot *snapshot,
                         tori_error *err)
{
    const char *text;
    tori_error why;
    int found = member_text (root, "machine", &text, err);
    if (found == 0)
        return member_bad (root, "machine", err, "is missing");
    if (found < 0)
        return -1;
    if (tori_machine_parse (text, &snapshot->machine, &why) < 0)
        return member_blame (root, "machine", &why, err);
    return 0;
}

static void not_before (tori_snapshot *snapshot, tori_time time)
{
    if (snapshot->now < time)
        snapshot->now = time;
}

/* Without a time it is the time of the last submission or start. */
static void guess_now (tori_snapshot *snapshot)
{
    not_before (snapshot, 0);
    for (size_t i = 0; i < snapshot->nrunning; i++) {
        not_before (snapshot, snapshot->running[i].submit);
        not_before (snapshot, snapshot->running[i].start);
    }
    for (size_t i = 0; i < snapshot->nqueued; i++)
        not_before (snapshot, snapshot->queue[i].submit);
}

static int read_root (const struct member_of *root,
                      const tori_snapshot_own *own, tori_snapshot *snapshot,
                      tori_error *err)
{
    if (read_version (root, err) < 0 || read_machine (root, snapshot, err) < 0
        || member_moment (root, "now", -1, &snapshot->now, err) < 0
        || snapshot_read_policy (root, own, snapshot, err) < 0
        || read_outages (root, snapshot, err) < 0
        || read_lists (root, snapshot, err) < 0
        || snapshot_note_unknown (root, snapshot, err) < 0)
        return -1;
    guess_now (snapshot);
    return snapshot_check (snapshot, err);
}

static int from_json (const json_t *json, const char *name,
                      const tori_snapshot_own *own,
                      tori_snapshot **ret_snapshot, tori_error *err)
{
    struct member_names known = {.n = 0};
    struct member_of root = {.object = json, .file = name, .known = &known};
    tori_snapshot *snapshot = calloc (1, sizeof *snapshot);
    if (!snapshot)
        return tori_error_nomem (err);
    snapshot->now = -1;
    snapshot->name = strdup (name);
    if (!snapshot->name) {
        tori_error_nomem (err);
        goto fail;
    }
    if (read_root (&root, own, snapshot, err) < 0)
        goto fail;
    *ret_snapshot = snapshot;
    return 0;
fail:
    tori_snapshot_destroy (snapshot);
    return -1;
}

/* ---- bytes ---- */

struct feed {
    struct source *source;
    tori_error why; /* for a failure to read */
};

static size_t feed_more (void *buffer, size_t size, void *arg)
{
    struct feed *feed = arg;
    ssize_t n = source_read (feed->source, buffer, size, &feed->why);
    return n < 0 ? (size_t)-1 : (size_t)n;
}

static int read_source (struct source *source, const tori_snapshot_own *own,
                        tori_snapshot **ret_snapshot, tori_error *err)
{
    struct feed feed = {.source = source};
    const char *name = source_name (source);
    json_error_t why;
    int status;
    json_t *json = json_load_callback (feed_more, &feed,
                                       JSON_REJECT_DUPLICATES, &why);
    if (!json && feed.why.status)
        return tori_error_set (err, feed.why.status, "%s", feed.why.text);
    if (!json && json_error_code (&why) == json_error_out_of_memory)
        return tori_error_nomem (err);
    if (!json)
        return tori_error_set (err, TORI_INVALID, "%s:%d: not JSON: %s", name,
                               why.line, why.text);
    status = from_json (json, name, own, ret_snapshot, err);
    json_decref (json);
    return status;
}

/* Copy the policies that the program brings along; none, if `from` is NULL. */
static int copy_own (tori_snapshot_own *to, const tori_snapshot_own *from,
                     tori_error *err)
{
    *to = (tori_snapshot_own){.size = sizeof *to};
    return from ? SIZED_COPY (tori_snapshot_own, to, from, err) : 0;
}

int tori_snapshot_read_own (const char *path, const tori_snapshot_own *own,
                            tori_snapshot **ret_snapshot, tori_error *err)
{
    tori_snapshot_own mine;
    struct source *source;
    int status;
    if (copy_own (&mine, own, err) < 0 || source_open (path, &source, err) < 0)
        return -1;
    status = read_source (source, &mine, ret_snapshot, err);
    source_close (source);
    return status;
}

int tori_snapshot_read (const char *path, tori_snapshot **ret_snapshot,
                        tori_error *err)
{
    return tori_snapshot_read_own (path, NULL, ret_snapshot, err);
}

int tori_snapshot_parse_own (const char *text, size_t size, const char *name,
                             const tori_snapshot_own *own,
                             tori_snapshot **ret_snapshot, tori_error *err)
{
    tori_snapshot_own mine;
    struct source *source;
    int status;
    if (copy_own (&mine, own, err) < 0
        || source_open_memory (text, size, name, &source, err) < 0)
        return -1;
    status = read_source (source, &mine, ret_snapshot, err);
    source_close (source);
    return status;
}

int tori_snapshot_parse (const char *text, size_t size, const char *name,
                         tori_snapshot **ret_snapshot, tori_error *err)
{
    return tori_snapshot_parse_own (text, size, name, NULL, ret_snapshot, err);
}
