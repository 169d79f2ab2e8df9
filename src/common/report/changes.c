#include "changes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "duration.h"
#include "jobread.h"
#include "number.h"

/* An error that names the change. */
static int name_change (const char *where, const tori_error *why,
                        tori_error *err)
{
    return tori_error_set (err, why->status, "%s: %s", where, why->text);
}

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
    return tori_error_set (err, TORI_INVALID,
                           "'%.40s': expected one of shape, count, wiring, "
                           "or, only, time, priority, tier",
                           name);
}

static int parse_job (const char *text, const tori_snapshot *snapshot,
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
    return 0;
}

static uint64_t highest_of (uint64_t last, const tori_snapshot_job *jobs,
                            size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (jobs[i].spec.tag > last)
            last = jobs[i].spec.tag;
    return last;
}

/* A reservation may admit a job that is not in the queue: its number counts,
 * too. */
static uint64_t highest_admitted (uint64_t last,
                                  const tori_snapshot_window *window)
{
    for (size_t i = 0; i < window->ntags; i++)
        if (window->tags[i] > last)
            last = window->tags[i];
    return last;
}

uint64_t id_free (const tori_snapshot *snapshot)
{
    uint64_t last = snapshot->next_id > 0 ? snapshot->next_id - 1 : 0;
    last = highest_of (last, snapshot->running, snapshot->nrunning);
    last = highest_of (last, snapshot->queue, snapshot->nqueued);
    for (size_t i = 0; i < snapshot->nwindows; i++)
        last = highest_admitted (last, &snapshot->windows[i]);
    return last + 1;
}

static int add_job (const struct change *change, tori_sched *sched,
                    tori_time now, uint64_t id, tori_error *err)
{
    tori_error why;
    tori_job job;
    tori_job_spec spec = change->job.spec;
    spec.tag = id;
    if (tori_sched_submit (sched, now, &spec, &job, &why) < 0)
        return name_change (change->where, &why, err);
    if (job == TORI_NO_JOB)
        return tori_error_set (err, TORI_NEVER,
                               "%s can never run on this machine",
                               change->where);
    return 0;
}

/* ---- jobs that are there ---- */

static int parse_id (const char *text, const tori_snapshot *snapshot,
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
        status = id ? parse_id (id, NULL, change, err)
                    : tori_error_nomem (err);
    free (id);
    return status < 0 ? NULL : value + 1;
}

static int parse_priority (const char *text, const tori_snapshot *snapshot,
                           struct change *change, tori_error *err)
{
    const char *value = read_target (text, change, err);
    return value ? number_parse (value, "priority", INT64_MIN, INT64_MAX,
                                 &change->value, err)
                 : -1;
}

static int parse_estimate (const char *text, const tori_snapshot *snapshot,
                           struct change *change, tori_error *err)
{
    const char *value = read_target (text, change, err);
    return value ? duration_parse (value, &change->value, err) : -1;
}

static int parse_hold (const char *text, const tori_snapshot *snapshot,
                       struct change *change, tori_error *err)
{
    change->value = TORI_HOLD_OPERATOR;
    return parse_id (text, snapshot, change, err);
}

static int cancel_job (tori_sched *sched, tori_time now, tori_job job,
                       int64_t value, tori_error *err)
{
    return tori_sched_cancel (sched, now, job, err);
}

static int hold_job (tori_sched *sched, tori_time now, tori_job job,
                     int64_t value, tori_error *err)
{
    return tori_sched_set_hold (sched, now, job, (tori_hold)value, err);
}

/* The job of this id: 1, and whether it runs; 0 or -1. */
static int find_job (const tori_sched *sched, uint64_t id, tori_job *ret_job,
                     bool *ret_runs, tori_error *err)
{
    size_t n = tori_sched_queued (sched) + tori_sched_running (sched);
    tori_job *jobs = calloc (n + 1, sizeof *jobs);
    int found = 0;
    if (!jobs)
        return tori_error_nomem (err);
    n = tori_sched_queued_jobs (sched, jobs);
    n += tori_sched_running_jobs (sched, jobs + n);
    for (size_t i = 0; i < n && !found; i++) {
        tori_job_info info = {.size = sizeof info};
        tori_sched_look (sched, jobs[i], &info);
        if (info.tag == id) {
            *ret_job = jobs[i];
            *ret_runs = info.phase == TORI_JOB_RUNNING;
            found = 1;
        }
    }
    free (jobs);
    return found;
}

/* ---- nodes ---- */

static int parse_nodes (const char *text, const tori_snapshot *snapshot,
                        struct change *change, tori_error *err)
{
    return tori_box_parse (snapshot->machine, text, &change->box, err);
}

static int set_up (tori_sched *sched, tori_time now, uint32_t node,
                   tori_error *err)
{
    return tori_sched_set_down (sched, now, node, false, err) < 0
                   || tori_sched_set_drained (sched, now, node, false, err) < 0
               ? -1
               : 0;
}

static int set_down (tori_sched *sched, tori_time now, uint32_t node,
                     tori_error *err)
{
    return tori_sched_set_down (sched, now, node, true, err);
}

static int drain_node (tori_sched *sched, tori_time now, uint32_t node,
                       tori_error *err)
{
    return tori_sched_set_drained (sched, now, node, true, err);
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

static int read_opening (void *arg, const char *name, const char *value,
                         tori_error *err)
{
    const struct opening *it = arg;
    tori_snapshot_window *window = &it->change->window;
    tori_time now = it->snapshot->now;
    if (strcmp (name, "box") == 0)
        return parse_nodes (value, it->snapshot, it->change, err);
    if (strcmp (name, "count") == 0)
        return read_count (value, &it->change->count, err);
    if (strcmp (name, "from") == 0)
        return moment_parse (value, now, &window->from, err);
    if (strcmp (name, "until") == 0)
        return moment_parse (value, now, &window->until, err);
    if (strcmp (name, "jobs") == 0 && !window->tags)
        return read_tags (window, value, err);
    return tori_error_set (err, TORI_INVALID,
                           "'%.40s': expected box, count, from, until or "
                           "jobs, each once",
                           name);
}

static int parse_window (const char *text, const tori_snapshot *snapshot,
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

static int add_window (const struct change *change, size_t i,
                       tori_sched *sched, tori_time now, tori_error *err)
{
    char name[40];
    tori_placement place = {0};
    const tori_snapshot_window *it = &change->window;
    tori_window window = {.size = sizeof window,
                          .name = name,
                          .from = it->from,
                          .until = it->until,
                          .place = change->count ? NULL : &place,
                          .count = change->count,
                          .tags = it->tags,
                          .ntags = it->ntags};
    int status;
    snprintf (name, sizeof name, "what-if %zu", i + 1);
    if (!change->count
        && tori_placement_of_boxes (&change->box, 1, TORI_WIRE_NONE, &place,
                                    err)
               < 0)
        return -1;
    status = tori_sched_add_window (sched, now, &window, err);
    tori_placement_clear (&place);
    return status;
}

/* ---- kinds ---- */

struct change_kind {
    const char *name;
    int (*parse) (const char *text, const tori_snapshot *snapshot,
                  struct change *change, tori_error *err);
    /* One of these; a reservation and a job that is added have neither. */
    int (*change_job) (tori_sched *sched, tori_time now, tori_job job,
                       int64_t value, tori_error *err);
    int (*change_node) (tori_sched *sched, tori_time now, uint32_t node,
                        tori_error *err);
    bool runs; /* also for jobs that run */
    const char *old; /* its name in the version before, or NULL */
};

static const struct change_kind kinds[] = {
    {"reservation", parse_window, .old = "window"},
    {"cancel", parse_id, cancel_job, .runs = true},
    {"priority", parse_priority, tori_sched_set_priority},
    {"time", parse_estimate, tori_sched_set_estimate, .runs = true,
     .old = "estimate"},
    {"hold", parse_hold, hold_job},
    {"release", parse_id, hold_job},
    {"up", parse_nodes, .change_node = set_up},
    {"down", parse_nodes, .change_node = set_down},
    {"drain", parse_nodes, .change_node = drain_node},
    {"add", parse_job},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const struct change_kind *const kind_window = &kinds[0];
static const struct change_kind *const kind_add = &kinds[KINDS - 1];

const char *change_name (size_t i)
{
    if (i < KINDS)
        return kinds[i].name;
    i -= KINDS;
    for (size_t k = 0; k < KINDS; k++)
        if (kinds[k].old && i-- == 0)
            return kinds[k].old;
    return NULL;
}

static bool is_kind (const struct change_kind *kind, const char *name)
{
    return is_either (name, kind->name, kind->old ? kind->old : kind->name);
}

static struct change *new_change (struct changes *changes,
                                  const struct change_kind *kind,
                                  const char *where, tori_error *err)
{
    struct change *more = reallocarray (changes->item, changes->n + 1,
                                        sizeof *more);
    char *copy = strdup (where);
    changes->item = more ? more : changes->item;
    if (!more || !copy) {
        free (copy);
        tori_error_nomem (err);
        return NULL;
    }
    more[changes->n] = (struct change){.kind = kind, .where = copy};
    return &more[changes->n++];
}

static int parse_change (struct change *change, const tori_snapshot *snapshot,
                         const char *text, tori_error *err)
{
    tori_error why;
    char where[240];
    if (change->kind->parse (text, snapshot, change, &why) < 0)
        return name_change (change->where, &why, err);
    if (change->kind != kind_add)
        return 0;
    /* There may be many: say which. */
    snprintf (where, sizeof where, "%.100s: %.100s", change->where, text);
    free (change->where);
    change->where = strdup (where);
    return change->where ? 0 : tori_error_nomem (err);
}

int changes_add (struct changes *changes, const tori_snapshot *snapshot,
                 const char *name, const char *where, const char *text,
                 tori_error *err)
{
    for (size_t i = 0; i < KINDS; i++)
        if (is_kind (&kinds[i], name)) {
            struct change *change
                = new_change (changes, &kinds[i], where, err);
            return change ? parse_change (change, snapshot, text, err) : -1;
        }
    return tori_error_set (err, TORI_INVALID, "there is no change '%.40s'",
                           name);
}

int changes_add_job (struct changes *changes, const char *where,
                     tori_snapshot_job *job, tori_error *err)
{
    struct change *change = new_change (changes, kind_add, where, err);
    if (!change) {
        job_clear (job);
        return -1;
    }
    change->job = *job;
    return 0;
}

void changes_clear (struct changes *changes)
{
    for (size_t i = 0; i < changes->n; i++) {
        free (changes->item[i].where);
        snapshot_window_clear (&changes->item[i].window);
        job_clear (&changes->item[i].job);
    }
    free (changes->item);
    *changes = (struct changes){0};
}

/* ---- what they need ---- */

/* The kinds of requests that the allocators of a scheduler take. */
static unsigned sched_takes (const tori_sched *sched)
{
    tori_sched_config config = {.size = sizeof config};
    tori_sched_get_config (sched, &config);
    return tori_alloc_find (config.alloc->name)->takes
           | (config.counts ? TORI_BY_COUNT : 0);
}

static unsigned kind_of (const tori_request *request)
{
    return request->shape.ndims > 0 ? TORI_BY_SHAPE : TORI_BY_COUNT;
}

static unsigned kinds_of (const tori_job_spec *spec)
{
    unsigned all = kind_of (&spec->request);
    for (size_t i = 0; i < spec->nalternatives; i++)
        all |= kind_of (&spec->alternatives[i]);
    return all;
}

/* Name the usual allocator for requests that did not occur before, beside one
 * that goes together with another. */
static int name_alloc (char **name, const char *other, const char *usual,
                       tori_error *err)
{
    const tori_alloc_info *info = other ? tori_alloc_find (other) : NULL;
    if (*name
        || (info && info->flags & (TORI_ALLOC_FOLDS | TORI_ALLOC_SLICES)))
        return 0;
    *name = strdup (usual);
    return *name ? 0 : tori_error_nomem (err);
}

/* Planned starts by numbers of nodes are void when planned starts are
 * places. */
static void void_counts (tori_snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->nqueued; i++)
        if (snapshot->queue[i].promised_place.count == 0)
            snapshot->queue[i].promised = false;
}

static int admit_job (const tori_job_spec *spec, unsigned takes,
                      tori_snapshot *snapshot, tori_error *err)
{
    unsigned new = kinds_of (spec) & ~takes;
    if (new & TORI_BY_SHAPE
        && name_alloc (&snapshot->alloc_shape, snapshot->alloc_count,
                       "first-fit", err)
               < 0)
        return -1;
    if (new & TORI_BY_COUNT
        && name_alloc (&snapshot->alloc_count, snapshot->alloc_shape, "mm",
                       err)
               < 0)
        return -1;
    snapshot->places
        |= spec->nalternatives > 0 || spec->only || spec->level > 0;
    if (new || snapshot->places)
        void_counts (snapshot);
    return 0;
}

int changes_admit (const struct changes *changes, const tori_sched *sched,
                   tori_snapshot *snapshot, tori_error *err)
{
    for (size_t i = 0; i < changes->n; i++)
        if (changes->item[i].kind == kind_add
            && admit_job (&changes->item[i].job.spec, sched_takes (sched),
                          snapshot, err)
                   < 0)
            return -1;
    return 0;
}

/* ---- making them ---- */

int changes_windows (const struct changes *changes, tori_sched *sched,
                     const tori_snapshot *snapshot, tori_error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < changes->n; i++) {
        const struct change *change = &changes->item[i];
        tori_error why;
        if (change->kind == kind_window
            && add_window (change, n++, sched, snapshot->now, &why) < 0)
            return name_change (change->where, &why, err);
    }
    return 0;
}

static int change_job (const struct change *change, tori_sched *sched,
                       tori_time now, tori_error *err)
{
    tori_job job = TORI_NO_JOB;
    bool runs = false;
    int found = find_job (sched, change->id, &job, &runs, err);
    if (found == 0)
        return tori_error_set (err, TORI_INVALID, "there is no job %" PRIu64,
                               change->id);
    if (found > 0 && runs && !change->kind->runs)
        return tori_error_set (err, TORI_INVALID,
                               "job %" PRIu64 " runs already", change->id);
    return found < 0 ? -1
                     : change->kind->change_job (sched, now, job,
                                                 change->value, err);
}

static int change_nodes (const struct change *change, tori_sched *sched,
                         const tori_snapshot *snapshot, tori_error *err)
{
    const tori_machine *machine = snapshot->machine;
    for (uint32_t i = 0; i < tori_machine_nodes (machine); i++)
        if (tori_box_contains (machine, &change->box, i)
            && change->kind->change_node (sched, snapshot->now, i, err) < 0)
            return -1;
    return 0;
}

static int make_change (const struct change *change, tori_sched *sched,
                        const tori_snapshot *snapshot, tori_error *err)
{
    tori_error why;
    int status = 0;
    if (change->kind->change_job)
        status = change_job (change, sched, snapshot->now, &why);
    else if (change->kind->change_node)
        status = change_nodes (change, sched, snapshot, &why);
    return status < 0 ? name_change (change->where, &why, err) : 0;
}

int changes_make (const struct changes *changes, tori_sched *sched,
                  const tori_snapshot *snapshot, tori_error *err)
{
    uint64_t id = id_free (snapshot);
    for (size_t k = 0; k < KINDS; k++)
        for (size_t i = 0; i < changes->n; i++) {
            const struct change *change = &changes->item[i];
            if (change->kind != &kinds[k])
                continue;
            if ((change->kind == kind_add
                     ? add_job (change, sched, snapshot->now, id++, err)
                     : make_change (change, sched, snapshot, err))
                < 0)
                return -1;
        }
    return 0;
}
