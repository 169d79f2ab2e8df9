#include "changes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "change_text.h"
#include "forecast_rows.h"
#include "jobread.h"
#include "number.h"
#include "snapshot.h"
#include "whycase.h"

/* An error that names the change. */
static int name_change (const char *where, const tori_error *why,
                        tori_error *err)
{
    return tori_error_set (err, why->status, "%s: %s", where, why->text);
}

/* ---- priorities ---- */

/* The priority that a queue adds to the one given to a job. */
static int64_t queue_priority (const tori_snapshot *snapshot,
                               const tori_snapshot_job *job)
{
    for (size_t i = 0; job && job->queue && i < snapshot->nqueues; i++)
        if (strcmp (snapshot->queues[i].name, job->queue) == 0)
            return snapshot->queues[i].priority;
    return 0;
}

/* The priority that fair share takes from a job that is not held. */
static int64_t share_penalty (const tori_snapshot *snapshot,
                              const tori_snapshot_job *job)
{
    for (size_t i = 0; job && job->user && i < snapshot->nusers; i++)
        if (strcmp (snapshot->users[i].name, job->user) == 0)
            return snapshot->users[i].penalty;
    return 0;
}

/* The priority by which a job goes, from the one given to it. */
static int64_t effective_priority (const tori_snapshot *snapshot,
                                   const tori_snapshot_job *job,
                                   int64_t given, tori_hold hold)
{
    int64_t base = number_sum (given, queue_priority (snapshot, job));
    return hold ? base : number_sum (base, -share_penalty (snapshot, job));
}

/* ---- jobs that are added ---- */

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
                    const tori_snapshot *snapshot, uint64_t id,
                    tori_error *err)
{
    tori_error why;
    tori_job job;
    tori_job_spec spec = change->job.spec;
    spec.tag = id;
    spec.priority = effective_priority (snapshot, &change->job, spec.priority,
                                        TORI_HOLD_NONE);
    if (tori_sched_submit (sched, snapshot->now, &spec, &job, &why) < 0)
        return name_change (change->where, &why, err);
    if (job == TORI_NO_JOB)
        return tori_error_set (err, TORI_NEVER,
                               "%s can never run on this machine",
                               change->where);
    return 0;
}

/* ---- jobs that are there ---- */

/* A job to change. */
struct target {
    tori_sched *sched;
    const tori_snapshot *snapshot;
    tori_job job;
    bool runs;
    tori_job_spec spec;
    const tori_snapshot_job *rule; /* of a job that waits, or NULL */
};

/* The job of this id: 1, 0 or -1. */
static int find_target (tori_sched *sched, const tori_snapshot *snapshot,
                        uint64_t id, struct target *ret_target,
                        tori_error *err)
{
    size_t n = tori_sched_queued (sched) + tori_sched_running (sched), next = 0;
    tori_job *jobs = calloc (n + 1, sizeof *jobs);
    int found = 0;
    if (!jobs)
        return tori_error_nomem (err);
    n = tori_sched_queued_jobs (sched, jobs);
    n += tori_sched_running_jobs (sched, jobs + n);
    for (size_t i = 0; i < n && !found; i++) {
        tori_job_info info = {.size = sizeof info};
        tori_sched_look (sched, jobs[i], &info);
        if (info.tag != id)
            continue;
        *ret_target = (struct target){sched, snapshot, jobs[i],
                                      info.phase == TORI_JOB_RUNNING,
                                      {.size = sizeof ret_target->spec},
                                      queued_find (snapshot, id, &next)};
        tori_sched_spec (sched, jobs[i], &ret_target->spec);
        found = 1;
    }
    free (jobs);
    return found;
}

/* The same, and an error if there is none. */
static int need_target (tori_sched *sched, const tori_snapshot *snapshot,
                        uint64_t id, bool runs, struct target *ret_target,
                        tori_error *err)
{
    int found = find_target (sched, snapshot, id, ret_target, err);
    if (found == 0)
        return tori_error_set (err, TORI_INVALID, "there is no job %" PRIu64,
                               id);
    if (found > 0 && ret_target->runs && !runs)
        return tori_error_set (err, TORI_INVALID,
                               "job %" PRIu64 " runs already", id);
    return found < 0 ? -1 : 0;
}

static int cancel_job (const struct target *it, const struct change *change,
                       tori_error *err)
{
    return tori_sched_cancel (it->sched, it->snapshot->now, it->job, err);
}

static int set_estimate (const struct target *it, const struct change *change,
                         tori_error *err)
{
    return tori_sched_set_estimate (it->sched, it->snapshot->now, it->job,
                                    change->value, err);
}

static int set_priority (const struct target *it, int64_t priority,
                         tori_error *err)
{
    return priority == it->spec.priority
               ? 0
               : tori_sched_set_priority (it->sched, it->snapshot->now,
                                          it->job, priority, err);
}

/* As 'tori change --priority': the queue and fair share still count. */
static int give_priority (const struct target *it,
                          const struct change *change, tori_error *err)
{
    return set_priority (it,
                         effective_priority (it->snapshot, it->rule,
                                             change->value, it->spec.hold),
                         err);
}

/* The priority of a job if it were not held. */
static int64_t unheld_priority (const struct target *it)
{
    return it->spec.hold
               ? number_sum (it->spec.priority,
                             -share_penalty (it->snapshot, it->rule))
               : it->spec.priority;
}

/* As 'tori change --before': among equals, the one that was submitted first
 * goes first. */
static int put_before (const struct target *it, const struct change *change,
                       tori_error *err)
{
    struct target other;
    uint64_t id = (uint64_t)change->value;
    int64_t missing;
    if (id == change->id)
        return tori_error_set (err, TORI_INVALID,
                               "job %" PRIu64 " cannot go before itself", id);
    if (need_target (it->sched, it->snapshot, id, false, &other, err) < 0)
        return -1;
    missing = number_sum (
        number_sum (unheld_priority (&other), change->id > id),
        -unheld_priority (it));
    return missing > 0
               ? set_priority (it, number_sum (it->spec.priority, missing),
                               err)
               : 0;
}

/* Fair share counts for jobs that are not held. */
static int set_hold (const struct target *it, tori_hold hold, tori_error *err)
{
    int64_t free = unheld_priority (it);
    int64_t held
        = number_sum (free, share_penalty (it->snapshot, it->rule));
    if (set_priority (it, hold ? held : free, err) < 0)
        return -1;
    return tori_sched_set_hold (it->sched, it->snapshot->now, it->job, hold,
                                err);
}

static int hold_job (const struct target *it, const struct change *change,
                     tori_error *err)
{
    return set_hold (it, TORI_HOLD_OPERATOR, err);
}

/* As 'tori release', which does not end what ends by itself. The job may still
 * wait for other jobs; a forecast knows about limits. */
static int release_job (const struct target *it, const struct change *change,
                        tori_error *err)
{
    const tori_snapshot_job *rule = it->rule;
    if (!it->spec.hold || hold_passes (it->spec.hold))
        return 0;
    return set_hold (it,
                     rule && rule->nafter > 0     ? TORI_HOLD_DEPENDENCY
                     : rule && rule->array_waits ? TORI_HOLD_ARRAY
                                                 : TORI_HOLD_NONE,
                     err);
}

/* ---- nodes ---- */

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
    change_parse_fn *parse;
    /* One of these; a reservation and a job that is added have neither. */
    int (*change_job) (const struct target *it, const struct change *change,
                       tori_error *err);
    int (*change_node) (tori_sched *sched, tori_time now, uint32_t node,
                        tori_error *err);
    bool runs; /* also for jobs that run */
    const char *old; /* its name in the version before, or NULL */
};

static const struct change_kind kinds[] = {
    {"reservation", change_parse_window, .old = "window"},
    {"cancel", change_parse_id, cancel_job, .runs = true},
    {"priority", change_parse_priority, give_priority},
    {"before", change_parse_before, put_before},
    {"time", change_parse_estimate, set_estimate, .runs = true,
     .old = "estimate"},
    {"hold", change_parse_id, hold_job},
    {"release", change_parse_id, release_job},
    {"up", change_parse_nodes, .change_node = set_up},
    {"down", change_parse_nodes, .change_node = set_down},
    {"drain", change_parse_nodes, .change_node = drain_node},
    {"add", change_parse_job},
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
    return !strcmp (name, kind->name)
           || (kind->old && !strcmp (name, kind->old));
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

static void clear_change (struct change *change)
{
    free (change->where);
    snapshot_window_clear (&change->window);
    job_clear (&change->job);
}

void changes_clear (struct changes *changes)
{
    for (size_t i = 0; i < changes->n; i++)
        clear_change (&changes->item[i]);
    free (changes->item);
    *changes = (struct changes){0};
}

/* ---- what they need ---- */

/* The kinds of requests that the allocators of a scheduler take. */
static unsigned sched_takes (const tori_sched *sched)
{
    tori_sched_config config = {.size = sizeof config};
    tori_sched_get_config (sched, &config);
    return (config.alloc->ops ? &config.alloc->ops->info
                              : tori_alloc_find (config.alloc->name))
               ->takes
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
static int name_alloc (const tori_snapshot *snapshot, char **name,
                       const char *other, const char *usual, tori_error *err)
{
    const tori_alloc_info *info
        = other ? snapshot_alloc (snapshot, other) : NULL;
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
        && name_alloc (snapshot, &snapshot->alloc_shape,
                       snapshot->alloc_count, "first-fit", err)
               < 0)
        return -1;
    if (new & TORI_BY_COUNT
        && name_alloc (snapshot, &snapshot->alloc_count,
                       snapshot->alloc_shape, "mm", err)
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
                       const tori_snapshot *snapshot, tori_error *err)
{
    struct target it;
    return need_target (sched, snapshot, change->id, change->kind->runs, &it,
                        err)
                   < 0
               ? -1
               : change->kind->change_job (&it, change, err);
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
        status = change_job (change, sched, snapshot, &why);
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
                     ? add_job (change, sched, snapshot, id++, err)
                     : make_change (change, sched, snapshot, err))
                < 0)
                return -1;
        }
    return 0;
}

/* ---- their limits ---- */

static int enroll_job (const tori_snapshot_job *from, uint64_t id,
                       tori_snapshot_job *to, tori_error *err)
{
    *to = (tori_snapshot_job){.spec.tag = id};
    if (from->user && change_copy_name (from->user, &to->user, err) < 0)
        return -1;
    return from->queue ? change_copy_name (from->queue, &to->queue, err) : 0;
}

int changes_enroll (const struct changes *changes, tori_snapshot *snapshot,
                    tori_error *err)
{
    uint64_t id = id_free (snapshot);
    tori_snapshot_job *more = reallocarray (
        snapshot->queue, snapshot->nqueued + changes->n + 1, sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    snapshot->queue = more;
    for (size_t i = 0; i < changes->n; i++)
        if (changes->item[i].kind == kind_add
            && enroll_job (&changes->item[i].job, id++,
                           &more[snapshot->nqueued++], err)
                   < 0)
            return -1;
    return 0;
}

/* ---- as submissions ---- */

static int append_job (json_t *list, const tori_machine *machine,
                       const tori_snapshot_job *job)
{
    json_t *object = wishes_json (machine, job);
    if (object && job->user
        && json_object_set_new (object, "user", json_string (job->user)) < 0) {
        json_decref (object);
        return -1;
    }
    return json_array_append_new (list, object);
}

json_t *changes_take_jobs (struct changes *changes,
                           const tori_machine *machine)
{
    json_t *list = json_array ();
    size_t kept = 0;
    int bad = 0;
    for (size_t i = 0; i < changes->n; i++) {
        struct change *change = &changes->item[i];
        if (change->kind != kind_add) {
            changes->item[kept++] = *change;
            continue;
        }
        bad |= append_job (list, machine, &change->job);
        clear_change (change);
    }
    changes->n = kept;
    if (!bad)
        return list;
    json_decref (list);
    return NULL;
}
