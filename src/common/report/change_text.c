#include "change_text.h"

#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "clock.h"
#include "duration.h"
#include "number.h"

/* ---- NAME=VALUE,NAME=VALUE ---- */

typedef int pair_fn (void *arg, const char *name, const char *value,
                     tori_error *err);

/* The beginning of the next pair: after a comma that a name and "=" follow. A
 * value may have commas itself, as a box has. */
static char *next_pair (char *text)
{
    char *comma = strchr (text, ',');
    while (comma && comma[1 + strcspn (comma + 1, ",=")] != '=')
        comma = strchr (comma + 1, ',');
    return comma;
}

static int split_pairs (char *text, pair_fn *visit, void *arg, tori_error *err)
{
    int status = 0;
    while (text && status == 0) {
        char *next = next_pair (text), *value;
        if (next)
            *next++ = '\0';
        value = strchr (text, '=');
        if (!value)
            return tori_error_set (err, TORI_INVALID,
                                   "'%.40s': expected NAME=VALUE", text);
        *value++ = '\0';
        status = visit (arg, text, value, err);
        text = next;
    }
    return status;
}

static int each_pair (const char *text, pair_fn *visit, void *arg,
                      tori_error *err)
{
    char *copy = strdup (text);
    int status =
        copy ? split_pairs (copy, visit, arg, err) : tori_error_nomem (err);
    free (copy);
    return status;
}

static int read_number (const char *value, const char *what, uint32_t min,
                        uint32_t max, uint32_t *ret_number, tori_error *err)
{
    int64_t number;
    if (number_parse (value, what, min, max, &number, err) < 0)
        return -1;
    *ret_number = (uint32_t)number;
    return 0;
}

static int read_count (const char *value, uint32_t *ret_count, tori_error *err)
{
    return read_number (value, "count", 1, TORI_MAX_NODES, ret_count, err);
}

/* ---- jobs that are added ---- */

/* A job as it is read. */
struct adding {
    const tori_machine *machine;
    tori_snapshot_job *job;
};

/* A count, a SHAPE or SHAPE/WIRING. */
static int read_request (const char *value, tori_request *request,
                         tori_error *err)
{
    size_t n = strcspn (value, "/");
    char shape[TORI_TEXT_MAX];
    if (!value[n] && !strchr (value, 'x'))
        return read_count (value, &request->count, err);
    snprintf (shape, sizeof shape, "%.*s", (int)(n < 1000 ? n : 1000), value);
    if (tori_shape_parse (shape, &request->shape, err) < 0)
        return -1;
    return value[n] ? tori_wiring_parse (value + n + 1, &request->wiring, err)
                    : 0;
}

static int read_instead (const char *value, tori_snapshot_job *job,
                         tori_error *err)
{
    size_t n = job->spec.nalternatives;
    if (n == TORI_MAX_ALTERNATIVES)
        return tori_error_set (err, TORI_INVALID, "more than %d alternatives",
                               TORI_MAX_ALTERNATIVES);
    if (!job->alternatives)
        job->alternatives
            = calloc (TORI_MAX_ALTERNATIVES, sizeof *job->alternatives);
    if (!job->alternatives)
        return tori_error_nomem (err);
    job->spec.alternatives = job->alternatives;
    job->spec.nalternatives++;
    return read_request (value, &job->alternatives[n], err);
}

/* A box that it may use, beside those before. */
static int read_box (const char *value, const struct adding *it,
                     tori_error *err)
{
    uint32_t n = tori_machine_nodes (it->machine);
    tori_snapshot_job *job = it->job;
    tori_box box;
    if (tori_box_parse (it->machine, value, &box, err) < 0)
        return -1;
    if (!job->only)
        job->only = calloc (bits_words (n), sizeof *job->only);
    if (!job->only)
        return tori_error_nomem (err);
    for (uint32_t i = 0; i < n; i++)
        if (tori_box_contains (it->machine, &box, i))
            bits_set (job->only, i);
    job->spec.only = job->only;
    return 0;
}

/* A name, or the one that it had in the version before. */
static bool is_either (const char *name, const char *now, const char *old)
{
    return !strcmp (name, now) || !strcmp (name, old);
}

static int refuse_twice (const char *name, tori_error *err)
{
    return tori_error_set (err, TORI_INVALID, "%s: given twice", name);
}

int change_copy_name (const char *value, char **ret_name, tori_error *err)
{
    free (*ret_name);
    *ret_name = strdup (value);
    return *ret_name ? 0 : tori_error_nomem (err);
}

/* A job whose estimate has not been read yet has a negative one. */
static int read_wish (void *arg, const char *name, const char *value,
                      tori_error *err)
{
    const struct adding *it = arg;
    tori_job_spec *spec = &it->job->spec;
    if (strcmp (name, "or") == 0)
        return read_instead (value, it->job, err);
    if (strcmp (name, "only") == 0)
        return read_box (value, it, err);
    if (strcmp (name, "shape") == 0)
        return tori_shape_parse (value, &spec->request.shape, err);
    if (strcmp (name, "wiring") == 0)
        return tori_wiring_parse (value, &spec->request.wiring, err);
    if (strcmp (name, "count") == 0)
        return read_count (value, &spec->request.count, err);
    if (is_either (name, "time", "estimate"))
        return spec->estimate >= 0 ? refuse_twice ("time", err)
                                   : duration_parse (value, &spec->estimate,
                                                     err);
    if (strcmp (name, "priority") == 0)
        return number_parse (value, "priority", INT64_MIN, INT64_MAX,
                             &spec->priority, err);
    if (is_either (name, "tier", "level"))
        return spec->level > 0 ? refuse_twice ("tier", err)
                               : read_number (value, "tier", 0, UINT32_MAX,
                                              &spec->level, err);
    if (strcmp (name, "user") == 0)
        return change_copy_name (value, &it->job->user, err);
    if (strcmp (name, "queue") == 0)
        return change_copy_name (value, &it->job->queue, err);
    return tori_error_set (err, TORI_INVALID,
                           "'%.40s': expected one of shape, count, wiring, "
                           "or, only, time, priority, tier, user, queue",
                           name);
}

/* The queue of a job, as far as the snapshot knows queues: the first for a job
 * that names none. */
static int find_queue (const tori_snapshot *snapshot,
                       const tori_snapshot_job *job,
                       const tori_snapshot_queue **ret_queue, tori_error *err)
{
    *ret_queue = NULL;
    for (size_t i = 0; i < snapshot->nqueues && !*ret_queue; i++)
        if (!job->queue || strcmp (snapshot->queues[i].name, job->queue) == 0)
            *ret_queue = &snapshot->queues[i];
    return *ret_queue || !job->queue
               ? 0
               : tori_error_set (err, TORI_INVALID,
                                 "there is no queue '%.40s'", job->queue);
}

/* A job gets the tier, the fate and the name of its queue. */
static int enter_queue (const tori_snapshot *snapshot, tori_snapshot_job *job,
                        tori_error *err)
{
    const tori_snapshot_queue *queue;
    if (find_queue (snapshot, job, &queue, err) < 0)
        return -1;
    if (!queue)
        return 0;
    if (job->spec.level == 0)
        job->spec.level = queue->tier;
    job->spec.preempted = queue->preempted;
    return job->queue ? 0 : change_copy_name (queue->name, &job->queue, err);
}

int change_parse_job (const char *text, const tori_snapshot *snapshot,
                      struct change *change, tori_error *err)
{
    tori_job_spec *spec = &change->job.spec;
    struct adding it = {snapshot->machine, &change->job};
    *spec = (tori_job_spec){.size = sizeof *spec, .estimate = -1};
    if (each_pair (text, read_wish, &it, err) < 0)
        return -1;
    if (!spec->request.shape.ndims && !spec->request.count)
        return tori_error_set (err, TORI_INVALID, "a shape or a count is "
                                                  "missing");
    if (spec->estimate < 0)
        return tori_error_set (err, TORI_INVALID, "no time limit");
    return enter_queue (snapshot, &change->job, err);
}

/* ---- jobs that are there ---- */

int change_parse_id (const char *text, const tori_snapshot *snapshot,
                     struct change *change, tori_error *err)
{
    int64_t id;
    if (number_parse (text, "id", 0, INT64_MAX, &id, err) < 0)
        return -1;
    change->id = (uint64_t)id;
    return 0;
}

/* "ID=VALUE": read the id. Returns the value, or NULL. */
static const char *read_target (const char *text, struct change *change,
                                tori_error *err)
{
    const char *value = strchr (text, '=');
    char *id = value ? strndup (text, (size_t)(value - text)) : NULL;
    int status;
    if (!value)
        status = tori_error_set (err, TORI_INVALID,
                                 "'%.40s': expected ID=VALUE", text);
    else
        status = id ? change_parse_id (id, NULL, change, err)
                    : tori_error_nomem (err);
    free (id);
    return status < 0 ? NULL : value + 1;
}

int change_parse_priority (const char *text, const tori_snapshot *snapshot,
                           struct change *change, tori_error *err)
{
    const char *value = read_target (text, change, err);
    return value ? number_parse (value, "priority", INT64_MIN, INT64_MAX,
                                 &change->value, err)
                 : -1;
}

int change_parse_estimate (const char *text, const tori_snapshot *snapshot,
                           struct change *change, tori_error *err)
{
    const char *value = read_target (text, change, err);
    return value ? limit_parse (value, &change->value, err) : -1;
}

int change_parse_before (const char *text, const tori_snapshot *snapshot,
                         struct change *change, tori_error *err)
{
    const char *value = read_target (text, change, err);
    return value ? number_parse (value, "id", 0, INT64_MAX, &change->value,
                                 err)
                 : -1;
}

/* ---- nodes ---- */

int change_parse_nodes (const char *text, const tori_snapshot *snapshot,
                        struct change *change, tori_error *err)
{
    return tori_box_parse (snapshot->machine, text, &change->box, err);
}

/* ---- windows ---- */

struct opening {
    const tori_snapshot *snapshot;
    struct change *change;
};

/* "20,21" */
static int read_tags (tori_snapshot_window *window, const char *text,
                      tori_error *err)
{
    window->tags = calloc (strlen (text) + 1, sizeof *window->tags);
    if (!window->tags)
        return tori_error_nomem (err);
    do {
        if (!number_scan (&text, INT64_MAX, &window->tags[window->ntags++])
            || (*text && *text != ','))
            return tori_error_set (err, TORI_INVALID,
                                   "'%.40s': expected ids of jobs", text);
    } while (*text++);
    return 0;
}

/* Seconds, "+1h"; or, if the snapshot has times of the clock, as 'tori reserve'
 * takes them: "18:00" or "2026-11-16 18:00". */
static int read_moment (const char *value, tori_time now, tori_time *ret_time,
                        tori_error *err)
{
    bool digits = strspn (value, "0123456789.") == strlen (value);
    return digits || !time_is_clock (now)
               ? moment_parse (value, now, ret_time, err)
               : clock_parse (value, now, ret_time, err);
}

static int read_opening (void *arg, const char *name, const char *value,
                         tori_error *err)
{
    const struct opening *it = arg;
    tori_snapshot_window *window = &it->change->window;
    tori_time now = it->snapshot->now;
    if (strcmp (name, "box") == 0)
        return change_parse_nodes (value, it->snapshot, it->change, err);
    if (strcmp (name, "count") == 0)
        return read_count (value, &it->change->count, err);
    if (strcmp (name, "from") == 0)
        return read_moment (value, now, &window->from, err);
    if (strcmp (name, "until") == 0)
        return read_moment (value, now, &window->until, err);
    if (strcmp (name, "jobs") == 0 && !window->tags)
        return read_tags (window, value, err);
    return tori_error_set (err, TORI_INVALID,
                           "'%.40s': expected box, count, from, until or "
                           "jobs, each once",
                           name);
}

int change_parse_window (const char *text, const tori_snapshot *snapshot,
                         struct change *change, tori_error *err)
{
    struct opening it = {snapshot, change};
    change->window.from = snapshot->now;
    change->window.until = TORI_TIME_MAX;
    if (each_pair (text, read_opening, &it, err) < 0)
        return -1;
    return change->count || change->box.shape.ndims
               ? 0
               : tori_error_set (err, TORI_INVALID, "a box or a count is "
                                                    "missing");
}
