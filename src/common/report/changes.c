#include "changes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "duration.h"
#include "number.h"

/* What everything is done to. */
struct changing {
    tori_sched *sched;
    const tori_snapshot *snapshot;
};

/* An error with the option in front. */
static int blame (const char *option, const tori_error *why, tori_error *err)
{
    return tori_error_set (err, why->status, "%s: %s", option, why->text);
}

/* ---- NAME=VALUE,NAME=VALUE ---- */

typedef int pair_fn (void *arg, const char *name, const char *value,
                     tori_error *err);

/* Where the next pair begins: after a comma with a name and "=" behind it. A
 * value may have commas itself, as a box has. */
static char *next_pair (char *text)
{
    char *comma = strchr (text, ',');
    while (comma && comma[1 + strcspn (comma + 1, ",=")] != '=')
        comma = strchr (comma + 1, ',');
    return comma;
}

static int split (char *text, pair_fn *visit, void *arg, tori_error *err)
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
    int status = copy ? split (copy, visit, arg, err) : tori_error_nomem (err);
    free (copy);
    return status;
}

/* ---- jobs that are added ---- */

static int read_count (const char *value, uint32_t *ret_count, tori_error *err)
{
    int64_t number;
    if (number_parse (value, "count", 1, TORI_MAX_NODES, &number, err) < 0)
        return -1;
    *ret_count = (uint32_t)number;
    return 0;
}

/* A job, and what it takes instead. */
struct added {
    tori_job_spec spec;
    tori_request instead[TORI_MAX_ALTERNATIVES];
    const tori_machine *machine;
    uint64_t *only; /* of its spec */
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

static int read_instead (const char *value, struct added *added,
                         tori_error *err)
{
    size_t n = added->spec.nalternatives++;
    if (n == TORI_MAX_ALTERNATIVES)
        return tori_error_set (err, TORI_INVALID, "more than %d alternatives",
                               TORI_MAX_ALTERNATIVES);
    added->spec.alternatives = added->instead;
    return read_request (value, &added->instead[n], err);
}

/* A box that it may use, beside those before. */
static int read_box (const char *value, struct added *added, tori_error *err)
{
    uint32_t n = tori_machine_nodes (added->machine);
    tori_box box;
    if (tori_box_parse (added->machine, value, &box, err) < 0)
        return -1;
    if (!added->only)
        added->only = calloc (bits_words (n), sizeof *added->only);
    if (!added->only)
        return tori_error_nomem (err);
    for (uint32_t i = 0; i < n; i++)
        if (tori_box_contains (added->machine, &box, i))
            bits_set (added->only, i);
    added->spec.only = added->only;
    return 0;
}

static int read_level (const char *value, uint32_t *ret_level,
                       tori_error *err)
{
    int64_t level;
    if (number_parse (value, "level", 0, UINT32_MAX, &level, err) < 0)
        return -1;
    *ret_level = (uint32_t)level;
    return 0;
}

/* A job whose estimate has not been told yet has a negative one. */
static int read_wish (void *arg, const char *name, const char *value,
                      tori_error *err)
{
    struct added *added = arg;
    tori_job_spec *spec = &added->spec;
    if (strcmp (name, "or") == 0)
        return read_instead (value, added, err);
    if (strcmp (name, "only") == 0)
        return read_box (value, added, err);
    if (strcmp (name, "shape") == 0)
        return tori_shape_parse (value, &spec->request.shape, err);
    if (strcmp (name, "wiring") == 0)
        return tori_wiring_parse (value, &spec->request.wiring, err);
    if (strcmp (name, "count") == 0)
        return read_count (value, &spec->request.count, err);
    if (strcmp (name, "estimate") == 0)
        return duration_parse (value, &spec->estimate, err);
    if (strcmp (name, "priority") == 0)
        return number_parse (value, "priority", INT64_MIN, INT64_MAX,
                             &spec->priority, err);
    if (strcmp (name, "level") == 0)
        return read_level (value, &spec->level, err);
    return tori_error_set (err, TORI_INVALID,
                           "'%.40s': expected one of shape, count, wiring, "
                           "or, only, estimate, priority, level",
                           name);
}

/* The caller frees `only`, whatever comes of it. */
static int parse_job (const char *text, const tori_machine *machine,
                      struct added *added, tori_error *err)
{
    tori_job_spec *spec = &added->spec;
    *added = (struct added){.spec.size = sizeof *spec,
                            .spec.estimate = -1,
                            .machine = machine};
    if (each_pair (text, read_wish, added, err) < 0)
        return -1;
    if (!spec->request.shape.ndims && !spec->request.count)
        return tori_error_set (err, TORI_INVALID, "a shape or a count is "
                                                  "missing");
    if (spec->estimate < 0)
        return tori_error_set (err, TORI_INVALID, "no estimate");
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

/* A window may be for a job that is not in the queue: it has a number, too. */
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

/* `what` names it in errors. */
static int add_job (struct changing *it, tori_job_spec *spec, uint64_t id,
                    const char *what, tori_error *err)
{
    tori_error why;
    tori_job job;
    spec->tag = id;
    if (tori_sched_submit (it->sched, it->snapshot->now, spec, &job, &why)
        < 0)
        return blame (what, &why, err);
    if (job == TORI_NO_JOB)
        return tori_error_set (err, TORI_NEVER,
                               "%s can never run on this machine", what);
    return 0;
}

static int add_text (const char *text, struct changing *it, uint64_t id,
                     tori_error *err)
{
    char what[120];
    struct added added;
    tori_error why;
    int status = parse_job (text, it->snapshot->machine, &added, &why);
    snprintf (what, sizeof what, "--add: %.100s", text);
    if (status < 0)
        blame ("--add", &why, err);
    else
        status = add_job (it, &added.spec, id, what, err);
    free (added.only);
    return status;
}

static int add_jobs (const struct changes *changes, struct changing *it,
                     tori_error *err)
{
    uint64_t id = id_free (it->snapshot);
    char what[40];
    for (size_t i = 0; i < changes->add.n; i++)
        if (add_text (changes->add.item[i], it, id + i, err) < 0)
            return -1;
    for (size_t i = 0; i < changes->njobs; i++) {
        tori_job_spec spec = changes->jobs[i].spec;
        snprintf (what, sizeof what, "jobs[%zu]", i);
        if (add_job (it, &spec, id + changes->add.n + i, what, err) < 0)
            return -1;
    }
    return 0;
}

/* ---- what they need ---- */

/* What the allocators of a scheduler take. */
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
    unsigned kinds = kind_of (&spec->request);
    for (size_t i = 0; i < spec->nalternatives; i++)
        kinds |= kind_of (&spec->alternatives[i]);
    return kinds;
}

/* Name the usual allocator for what nobody has asked for yet, beside one that
 * goes together with another. */
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

/* Promises of numbers of nodes are void where places are promised. */
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
    for (size_t i = 0; i < changes->add.n; i++) {
        struct added added;
        tori_error why;
        int status = parse_job (changes->add.item[i], snapshot->machine,
                                &added, &why);
        free (added.only);
        if (status < 0)
            return blame ("--add", &why, err);
        if (admit_job (&added.spec, sched_takes (sched), snapshot, err) < 0)
            return -1;
    }
    for (size_t i = 0; i < changes->njobs; i++)
        if (admit_job (&changes->jobs[i].spec, sched_takes (sched), snapshot,
                       err)
            < 0)
            return -1;
    return 0;
}

/* ---- jobs that are there ---- */

/* What becomes of a job; `value` is what follows ID=. */
typedef int job_fn (struct changing *it, tori_job job, const char *value,
                    tori_error *err);

static int cancel (struct changing *it, tori_job job, const char *value,
                   tori_error *err)
{
    return tori_sched_cancel (it->sched, it->snapshot->now, job, err);
}

static int set_priority (struct changing *it, tori_job job, const char *value,
                         tori_error *err)
{
    int64_t priority;
    if (number_parse (value, "priority", INT64_MIN, INT64_MAX, &priority, err)
        < 0)
        return -1;
    return tori_sched_set_priority (it->sched, it->snapshot->now, job,
                                    priority, err);
}

static int set_estimate (struct changing *it, tori_job job, const char *value,
                         tori_error *err)
{
    tori_time estimate;
    if (duration_parse (value, &estimate, err) < 0)
        return -1;
    return tori_sched_set_estimate (it->sched, it->snapshot->now, job,
                                    estimate, err);
}

static int hold (struct changing *it, tori_job job, const char *value,
                 tori_error *err)
{
    return tori_sched_set_hold (it->sched, it->snapshot->now, job,
                                TORI_HOLD_OPERATOR, err);
}

static int release (struct changing *it, tori_job job, const char *value,
                    tori_error *err)
{
    return tori_sched_set_hold (it->sched, it->snapshot->now, job,
                                TORI_HOLD_NONE, err);
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

/* An option that changes jobs. */
struct job_option {
    const char *name;
    job_fn *change;
    bool pairs; /* ID=VALUE, not ID */
    bool runs;  /* also for jobs that run */
};

static int change_job (struct changing *it, const struct job_option *option,
                       const char *id, const char *value, tori_error *err)
{
    int64_t number;
    tori_job job = TORI_NO_JOB;
    bool runs = false;
    int found;
    if (number_parse (id, "id", 0, INT64_MAX, &number, err) < 0)
        return -1;
    found = find_job (it->sched, (uint64_t)number, &job, &runs, err);
    if (found == 0)
        return tori_error_set (err, TORI_INVALID,
                               "there is no job %" PRId64, number);
    if (found > 0 && runs && !option->runs)
        return tori_error_set (err, TORI_INVALID,
                               "job %" PRId64 " runs already", number);
    return found < 0 ? -1 : option->change (it, job, value, err);
}

/* "ID" or "ID=VALUE". */
static int change_word (struct changing *it, const struct job_option *option,
                        const char *word, tori_error *err)
{
    char *id = strdup (word), *value = id ? strchr (id, '=') : NULL;
    int status;
    if (!id)
        return tori_error_nomem (err);
    if (value && option->pairs)
        *value++ = '\0';
    status = option->pairs && !value
                 ? tori_error_set (err, TORI_INVALID,
                                   "'%.40s': expected ID=VALUE", word)
                 : change_job (it, option, id, value, err);
    free (id);
    return status;
}

static int change_jobs (struct changing *it, const struct job_option *option,
                        const struct strings *words, tori_error *err)
{
    for (size_t i = 0; i < words->n; i++) {
        tori_error why;
        if (change_word (it, option, words->item[i], &why) < 0)
            return blame (option->name, &why, err);
    }
    return 0;
}

static int change_all_jobs (struct changing *it,
                            const struct changes *changes, tori_error *err)
{
    static const struct job_option options[] = {
        {"--cancel", cancel, false, true},
        {"--priority", set_priority, true, false},
        {"--estimate", set_estimate, true, true},
        {"--hold", hold, false, false},
        {"--release", release, false, false},
    };
    const struct strings *words[]
        = {&changes->cancel, &changes->priority, &changes->estimate,
           &changes->hold, &changes->release};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (change_jobs (it, &options[i], words[i], err) < 0)
            return -1;
    return 0;
}

/* ---- nodes ---- */

typedef int node_fn (tori_sched *sched, tori_time now, uint32_t node,
                     tori_error *err);

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

static int drain (tori_sched *sched, tori_time now, uint32_t node,
                  tori_error *err)
{
    return tori_sched_set_drained (sched, now, node, true, err);
}

static int change_nodes (struct changing *it, const char *option,
                         const struct strings *boxes, node_fn *change,
                         tori_error *err)
{
    const tori_machine *machine = it->snapshot->machine;
    for (size_t i = 0; i < boxes->n; i++) {
        tori_error why;
        tori_box box;
        if (tori_box_parse (machine, boxes->item[i], &box, &why) < 0)
            return blame (option, &why, err);
        for (uint32_t n = 0; n < tori_machine_nodes (machine); n++)
            if (tori_box_contains (machine, &box, n)
                && change (it->sched, it->snapshot->now, n, err) < 0)
                return -1;
    }
    return 0;
}

/* ---- windows ---- */

struct opening {
    const tori_snapshot *snapshot;
    tori_box box; /* of no dimensions: none yet */
    uint32_t count;
    tori_time from, until;
    uint64_t *tags;
    size_t ntags;
};

/* "20,21" */
static int read_tags (struct opening *it, const char *text, tori_error *err)
{
    it->tags = calloc (strlen (text) + 1, sizeof *it->tags);
    if (!it->tags)
        return tori_error_nomem (err);
    do {
        if (!number_scan (&text, INT64_MAX, &it->tags[it->ntags++])
            || (*text && *text != ','))
            return tori_error_set (err, TORI_INVALID,
                                   "'%.40s': expected ids of jobs", text);
    } while (*text++);
    return 0;
}

static int read_opening (void *arg, const char *name, const char *value,
                         tori_error *err)
{
    struct opening *it = arg;
    tori_time now = it->snapshot->now;
    if (strcmp (name, "box") == 0)
        return tori_box_parse (it->snapshot->machine, value, &it->box, err);
    if (strcmp (name, "count") == 0)
        return read_count (value, &it->count, err);
    if (strcmp (name, "from") == 0)
        return moment_parse (value, now, &it->from, err);
    if (strcmp (name, "until") == 0)
        return moment_parse (value, now, &it->until, err);
    if (strcmp (name, "jobs") == 0 && !it->tags)
        return read_tags (it, value, err);
    return tori_error_set (err, TORI_INVALID,
                           "'%.40s': expected box, count, from, until or "
                           "jobs, each once",
                           name);
}

static int add_window (struct opening *it, size_t i, tori_sched *sched,
                       tori_error *err)
{
    char name[40];
    tori_placement place;
    tori_window window = {.size = sizeof window,
                          .name = name,
                          .from = it->from,
                          .until = it->until,
                          .place = it->count ? NULL : &place,
                          .count = it->count,
                          .tags = it->tags,
                          .ntags = it->ntags};
    int status;
    snprintf (name, sizeof name, "what-if %zu", i + 1);
    if (it->count)
        return tori_sched_add_window (sched, it->snapshot->now, &window, err);
    if (it->box.shape.ndims == 0)
        return tori_error_set (err, TORI_INVALID, "a box or a count is "
                                                  "missing");
    if (tori_placement_of_boxes (&it->box, 1, TORI_WIRE_NONE, &place, err) < 0)
        return -1;
    status = tori_sched_add_window (sched, it->snapshot->now, &window, err);
    tori_placement_clear (&place);
    return status;
}

int changes_windows (const struct changes *changes, tori_sched *sched,
                     const tori_snapshot *snapshot, tori_error *err)
{
    for (size_t i = 0; i < changes->window.n; i++) {
        struct opening opening = {.snapshot = snapshot,
                                  .from = snapshot->now,
                                  .until = TORI_TIME_MAX};
        tori_error why;
        int status = each_pair (changes->window.item[i], read_opening,
                                &opening, &why);
        if (status == 0)
            status = add_window (&opening, i, sched, &why);
        free (opening.tags);
        if (status < 0)
            return blame ("--window", &why, err);
    }
    return 0;
}

/* ---- all of them ---- */

int changes_make (const struct changes *changes, tori_sched *sched,
                  const tori_snapshot *snapshot, tori_error *err)
{
    struct changing it = {sched, snapshot};
    if (change_all_jobs (&it, changes, err) < 0
        || change_nodes (&it, "--up", &changes->up, set_up, err) < 0
        || change_nodes (&it, "--down", &changes->down, set_down, err) < 0
        || change_nodes (&it, "--drain", &changes->drain, drain, err) < 0)
        return -1;
    return add_jobs (changes, &it, err);
}
