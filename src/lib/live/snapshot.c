/* snapshot.c - a scheduler becomes a snapshot, and a snapshot a scheduler. */
#include "snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "configure.h"
#include "jobread.h"
#include "marks.h"

static void clear_jobs (tori_snapshot_job *jobs, size_t n)
{
    for (size_t i = 0; i < n; i++)
        job_clear (&jobs[i]);
    free (jobs);
}

static void queue_clear (tori_snapshot_queue *queue)
{
    free (queue->name);
    free (queue->open);
}

void tori_snapshot_destroy (tori_snapshot *snapshot)
{
    if (!snapshot)
        return;
    clear_jobs (snapshot->running, snapshot->nrunning);
    clear_jobs (snapshot->queue, snapshot->nqueued);
    for (size_t i = 0; i < snapshot->nwindows; i++)
        snapshot_window_clear (&snapshot->windows[i]);
    free (snapshot->windows);
    for (size_t i = 0; i < snapshot->nqueues; i++)
        queue_clear (&snapshot->queues[i]);
    free (snapshot->queues);
    for (size_t i = 0; i < snapshot->nusers; i++)
        free (snapshot->users[i].name);
    free (snapshot->users);
    free (snapshot->down);
    free (snapshot->drained);
    free (snapshot->down_links);
    for (size_t i = 0; i < TORI_SNAPSHOT_UNKNOWN; i++)
        free (snapshot->unknown[i]);
    free (snapshot->policy);
    free (snapshot->alloc_shape);
    free (snapshot->slices);
    free (snapshot->alloc_count);
    free (snapshot->name);
    tori_machine_destroy (snapshot->machine);
    free (snapshot);
}

/* ---- the scheduler of a snapshot ---- */

/* Whether a job asks for a shape, or for a count, or would take one. */
static bool asks_for (const tori_job_spec *spec, bool shape)
{
    bool found = (spec->request.shape.ndims > 0) == shape;
    for (size_t i = 0; i < spec->nalternatives; i++)
        found |= (spec->alternatives[i].shape.ndims > 0) == shape;
    return found;
}

static bool any_asks (const tori_snapshot_job *jobs, size_t n, bool shape)
{
    for (size_t i = 0; i < n; i++)
        if (asks_for (&jobs[i].spec, shape))
            return true;
    return false;
}

static bool asked_for (const tori_snapshot *snapshot, bool shape)
{
    return any_asks (snapshot->queue, snapshot->nqueued, shape)
           || any_asks (snapshot->running, snapshot->nrunning, shape);
}

/* Whether a job has alternatives or may take the place of others, which needs
 * a scheduler that plans places. */
static bool any_demands (const tori_snapshot_job *jobs, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (jobs[i].spec.nalternatives > 0 || jobs[i].spec.level > 0
            || jobs[i].spec.only || jobs[i].suspended)
            return true;
    return false;
}

static bool needs_places (const tori_snapshot *snapshot)
{
    return snapshot->places || snapshot->nwindows > 0
           || any_demands (snapshot->queue, snapshot->nqueued)
           || any_demands (snapshot->running, snapshot->nrunning);
}

const tori_alloc_info *snapshot_alloc (const tori_snapshot *snapshot,
                                       const char *name)
{
    const tori_alloc_ops *own[] = {snapshot->shape_ops, snapshot->count_ops};
    for (int i = 0; i < 2; i++)
        if (own[i] && strcmp (own[i]->info.name, name) == 0)
            return &own[i]->info;
    return tori_alloc_find (name);
}

/* The allocators for shapes and for counts: those that are named, and the
 * usual ones for all other requests. One that takes both serves alone; without
 * any request, one for shapes. */
static void choose_allocs (const tori_snapshot *snapshot,
                           const char **ret_first, const char **ret_counts)
{
    const char *shape = snapshot->alloc_shape, *count = snapshot->alloc_count;
    const tori_alloc_info *info
        = shape ? snapshot_alloc (snapshot, shape) : NULL;
    if (!shape && (asked_for (snapshot, true) || !count)
        && !(count && snapshot_alloc (snapshot, count)->takes & TORI_BY_SHAPE)
        && (asked_for (snapshot, true) || !asked_for (snapshot, false)))
        shape = tori_machine_is_pod (snapshot->machine) ? "cube-best"
                                                        : "first-fit";
    if (!count && asked_for (snapshot, false)
        && !(info && info->takes & TORI_BY_COUNT))
        count = "mm";
    if (info && info->takes & TORI_BY_COUNT)
        count = NULL;
    *ret_first = shape ? shape : count;
    *ret_counts = shape ? count : NULL;
}

/* The allocator of this name, if the program brought it along. */
static void set_own (const tori_snapshot *snapshot, tori_alloc_config *config)
{
    if (config->name == snapshot->alloc_shape && snapshot->shape_ops) {
        config->ops = snapshot->shape_ops;
        config->arg = snapshot->shape_arg;
    } else if (config->name == snapshot->alloc_count && snapshot->count_ops) {
        config->ops = snapshot->count_ops;
        config->arg = snapshot->count_arg;
    }
}

/* A slice of a pod has a shape; only several boxes that are joined are one. */
static int blame_count (const tori_snapshot *snapshot, const char *list,
                        size_t i, const tori_snapshot_job *job,
                        tori_error *err)
{
    bool loose = job->place.nboxes > 1;
    tori_error why;
    tori_error_set (&why, TORI_INVALID,
                    loose ? "job %llu has several boxes on a pod: how many "
                            "there are along each dimension is expected"
                          : "job %llu has no shape: on a pod one is expected, "
                            "not a count",
                    (unsigned long long)job->spec.tag);
    return snapshot_blame (snapshot, list, i, loose ? "across" : "shape", &why,
                           err);
}

static int check_shapes (const tori_snapshot *snapshot, const char *list,
                         const tori_snapshot_job *jobs, size_t n,
                         tori_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (asks_for (&jobs[i].spec, false))
            return blame_count (snapshot, list, i, &jobs[i], err);
    return 0;
}

static int create_sched (const tori_snapshot *snapshot, tori_sched **ret_sched,
                         tori_error *err)
{
    uint32_t flags = (needs_places (snapshot) ? TORI_SCHED_PLACES : 0)
                     | (snapshot->moves ? TORI_SCHED_MOVES : 0)
                     | (snapshot->restarts ? TORI_SCHED_RESTARTS : 0);
    tori_alloc_config alloc = {.size = sizeof alloc,
                               .epsilon = snapshot->epsilon,
                               .hypercube = snapshot->hypercube,
                               .noncubic = snapshot->noncubic,
                               .steps = snapshot->steps,
                               .spacing = snapshot->spacing,
                               .slices = snapshot->slices};
    tori_alloc_config counts = alloc;
    tori_error why;
    if (tori_machine_is_pod (snapshot->machine) && !snapshot->alloc_count
        && (check_shapes (snapshot, "running", snapshot->running,
                          snapshot->nrunning, err)
                < 0
            || check_shapes (snapshot, "queue", snapshot->queue,
                             snapshot->nqueued, err)
                   < 0))
        return -1;
    choose_allocs (snapshot, &alloc.name, &counts.name);
    set_own (snapshot, &alloc);
    set_own (snapshot, &counts);
    if (tori_sched_create (
            snapshot->machine,
            TORI_SCHED (snapshot->policy, &alloc, snapshot->order,
                        .flags = flags,
                        .depth = snapshot->depth, .work = snapshot->work,
                        .move = snapshot->move,
                        .counts = counts.name ? &counts : NULL,
                        .own_order = snapshot->own_order),
            ret_sched, &why)
        == 0)
        return 0;
    return tori_error_set (err, why.status, "%s%s%s",
                           snapshot->name ? snapshot->name : "",
                           snapshot->name ? ": " : "", why.text);
}

/* A job as it is known, with the time since it was submitted. */
static tori_job_spec spec_of (const tori_snapshot *snapshot,
                              const tori_snapshot_job *job)
{
    tori_job_spec spec = job->spec;
    if (job->submit >= 0)
        spec.waited = snapshot->now - job->submit;
    return spec;
}

static int adopt_running (const tori_snapshot *snapshot, tori_sched *sched,
                          tori_error *err)
{
    for (size_t i = 0; i < snapshot->nrunning; i++) {
        const tori_snapshot_job *job = &snapshot->running[i];
        tori_job_spec spec = spec_of (snapshot, job);
        tori_error why;
        tori_job number;
        if (tori_sched_adopt (sched, snapshot->now, &spec, job->start,
                              &job->place, &number, &why)
            < 0)
            return snapshot_blame (snapshot, "running", i, NULL, &why, err);
    }
    return 0;
}

static int set_outages (const tori_snapshot *snapshot, tori_sched *sched,
                        tori_error *err)
{
    tori_time now = snapshot->now;
    for (size_t i = 0; i < snapshot->ndown; i++)
        if (tori_sched_set_down (sched, now, snapshot->down[i], true, err) < 0)
            return -1;
    for (size_t i = 0; i < snapshot->ndrained; i++)
        if (tori_sched_set_drained (sched, now, snapshot->drained[i], true,
                                    err)
            < 0)
            return -1;
    for (size_t i = 0; i < snapshot->ndown_links; i++)
        if (tori_sched_set_link_down (sched, now, &snapshot->down_links[i],
                                      true, err)
            < 0)
            return -1;
    return 0;
}

/* The time of submission, which breaks ties in the queue. */
struct rank {
    tori_time submit;
    size_t i;
};

static int compare_ranks (const void *a, const void *b)
{
    const struct rank *x = a, *y = b;
    if (x->submit != y->submit)
        return x->submit < y->submit ? -1 : 1;
    return x->i < y->i ? -1 : 1;
}

static struct rank *rank_queue (const tori_snapshot *snapshot)
{
    struct rank *ranks = calloc (snapshot->nqueued + 1, sizeof *ranks);
    tori_time submit = 0;
    for (size_t i = 0; ranks && i < snapshot->nqueued; i++) {
        const tori_snapshot_job *job = &snapshot->queue[i];
        if (job->submit >= 0)
            submit = job->submit;
        ranks[i] = (struct rank){submit, i};
    }
    if (ranks)
        qsort (ranks, snapshot->nqueued, sizeof *ranks, compare_ranks);
    return ranks;
}

static int submit_one (const tori_snapshot *snapshot,
                       const tori_snapshot_job *job, tori_sched *sched,
                       tori_job *ret_job, tori_error *err)
{
    tori_job_spec spec = spec_of (snapshot, job);
    return job->suspended
               ? tori_sched_adopt_suspended (sched, snapshot->now, &spec,
                                             job->saved, &job->place, ret_job,
                                             err)
               : tori_sched_submit (sched, snapshot->now, &spec, ret_job,
                                    err);
}

/* Submit the jobs in their order, those that are late or the others; the i-th
 * of the list becomes jobs[i]. */
static int submit_queue (const tori_snapshot *snapshot, tori_sched *sched,
                         bool late, tori_job jobs[], tori_error *err)
{
    struct rank *ranks = rank_queue (snapshot);
    int status = 0;
    if (!ranks)
        return tori_error_nomem (err);
    for (size_t k = 0; k < snapshot->nqueued && status == 0; k++) {
        size_t i = ranks[k].i;
        tori_error why;
        if (snapshot->queue[i].late == late
            && submit_one (snapshot, &snapshot->queue[i], sched, &jobs[i],
                           &why)
                   < 0)
            status = snapshot_blame (snapshot, "queue", i, NULL, &why, err);
    }
    free (ranks);
    return status;
}

/* Windows that are over already are left out. */
static int add_windows (const tori_snapshot *snapshot, tori_sched *sched,
                        tori_error *err)
{
    for (size_t i = 0; i < snapshot->nwindows; i++) {
        const tori_snapshot_window *it = &snapshot->windows[i];
        tori_window window = {.size = sizeof window,
                              .name = it->id,
                              .from = it->from,
                              .until = it->until,
                              .place = it->count ? NULL : &it->place,
                              .count = it->count,
                              .tags = it->tags,
                              .ntags = it->ntags};
        tori_error why;
        if (it->until > snapshot->now
            && tori_sched_add_window (sched, snapshot->now, &window, &why)
                   < 0)
            return snapshot_blame (snapshot, "reservations", i, NULL, &why, err);
    }
    return 0;
}

static int keep_promises (const tori_snapshot *snapshot, tori_sched *sched,
                          const tori_job jobs[], tori_error *err)
{
    for (size_t i = 0; i < snapshot->nqueued; i++) {
        const tori_snapshot_job *job = &snapshot->queue[i];
        const tori_placement *place = &job->promised_place;
        tori_error why;
        if (job->promised && !job->late
            && tori_sched_reserve (sched, jobs[i], job->promised_at,
                                   place->count ? place : NULL, &why)
                   < 0)
            return snapshot_blame (snapshot, "queue", i, "promise", &why, err);
    }
    return 0;
}

static int fill_sched (const tori_snapshot *snapshot, tori_sched *sched,
                       bool promises, tori_error *err)
{
    tori_job *jobs = calloc (snapshot->nqueued + 1, sizeof *jobs);
    int status = -1;
    if (!jobs)
        return tori_error_nomem (err);
    if (adopt_running (snapshot, sched, err) == 0
        && set_outages (snapshot, sched, err) == 0
        && submit_queue (snapshot, sched, false, jobs, err) == 0
        && add_windows (snapshot, sched, err) == 0
        && (!promises || keep_promises (snapshot, sched, jobs, err) == 0)
        && submit_queue (snapshot, sched, true, jobs, err) == 0)
        status = 0;
    free (jobs);
    return status;
}

int tori_snapshot_sched (const tori_snapshot *snapshot,
                         const tori_sched_config *config,
                         tori_sched **ret_sched, tori_error *err)
{
    tori_sched *sched;
    int made = config
                   ? tori_sched_create (snapshot->machine, config, &sched, err)
                   : create_sched (snapshot, &sched, err);
    if (made < 0)
        return -1;
    if (fill_sched (snapshot, sched, !config, err) < 0) {
        tori_sched_destroy (sched);
        return -1;
    }
    *ret_sched = sched;
    return 0;
}

/* ---- the snapshot of a scheduler ---- */

static int copy_name (char **to, const char *from, tori_error *err)
{
    *to = strdup (from);
    return *to ? 0 : tori_error_nomem (err);
}

/* The name of an allocator, and the allocator itself if it is not one of
 * tori's. */
static int take_alloc (tori_snapshot *snapshot, const tori_alloc_config *alloc,
                       bool shapes, tori_error *err)
{
    if (shapes) {
        snapshot->shape_ops = alloc->ops;
        snapshot->shape_arg = alloc->arg;
    } else {
        snapshot->count_ops = alloc->ops;
        snapshot->count_arg = alloc->arg;
    }
    return copy_name (shapes ? &snapshot->alloc_shape : &snapshot->alloc_count,
                      alloc->name, err);
}

static bool takes_shapes (const tori_alloc_config *alloc)
{
    return (alloc->ops ? &alloc->ops->info : tori_alloc_find (alloc->name))
               ->takes
           & TORI_BY_SHAPE;
}

static int take_config (tori_snapshot *snapshot, const tori_sched *sched,
                        tori_error *err)
{
    char text[TORI_TEXT_MAX];
    tori_sched_config config = {.size = sizeof config};
    const tori_alloc_config *alloc;
    tori_sched_get_config (sched, &config);
    alloc = config.alloc;
    snapshot->now = tori_sched_now (sched);
    snapshot->order = config.order;
    snapshot->own_order = config.own_order;
    snapshot->depth = config.depth;
    snapshot->work = config.work;
    snapshot->move = config.move;
    snapshot->epsilon = alloc->epsilon;
    snapshot->hypercube = alloc->hypercube;
    snapshot->noncubic = alloc->noncubic;
    snapshot->steps = alloc->steps;
    snapshot->spacing = alloc->spacing;
    if (alloc->slices && copy_name (&snapshot->slices, alloc->slices, err) < 0)
        return -1;
    tori_machine_format (tori_state_machine (tori_sched_state (sched)), text);
    if (tori_machine_parse (text, &snapshot->machine, err) < 0
        || copy_name (&snapshot->policy, config.policy, err) < 0)
        return -1;
    snapshot->places = config.flags & TORI_SCHED_PLACES;
    snapshot->moves = config.flags & TORI_SCHED_MOVES;
    snapshot->restarts = config.flags & TORI_SCHED_RESTARTS;
    if (config.counts && take_alloc (snapshot, config.counts, false, err) < 0)
        return -1;
    return take_alloc (snapshot, alloc, takes_shapes (alloc), err);
}

typedef size_t list_fn (const tori_sched *sched, tori_job ret_jobs[]);
typedef int take_fn (tori_snapshot_job *job, tori_sched *sched,
                     tori_job number, const tori_job_info *info,
                     tori_error *err);

static int take_running (tori_snapshot_job *job, tori_sched *sched,
                         tori_job number, const tori_job_info *info,
                         tori_error *err)
{
    job->start = info->start;
    return tori_placement_copy (&job->place, info->place, err);
}

static int take_queued (tori_snapshot_job *job, tori_sched *sched,
                        tori_job number, const tori_job_info *info,
                        tori_error *err)
{
    const tori_placement *place;
    int held;
    job->suspended = info->suspended != NULL;
    job->saved = info->saved;
    if (info->suspended
        && tori_placement_copy (&job->place, info->suspended, err) < 0)
        return -1;
    held = tori_sched_reservation (sched, number, &job->promised_at, &place,
                                   err);
    if (held <= 0)
        return held;
    job->promised = true;
    return place ? tori_placement_copy (&job->promised_place, place, err) : 0;
}

/* The spec points to memory of the scheduler: copy it. */
static int own_only (tori_snapshot_job *job, const tori_sched *sched,
                     tori_error *err)
{
    size_t size = tori_sched_state (sched)->words * sizeof *job->only;
    if (!job->spec.only)
        return 0;
    job->only = malloc (size);
    if (!job->only)
        return tori_error_nomem (err);
    memcpy (job->only, job->spec.only, size);
    job->spec.only = job->only;
    return 0;
}

static int own_spec (tori_snapshot_job *job, const tori_sched *sched,
                     tori_error *err)
{
    size_t n = job->spec.nalternatives;
    if (own_only (job, sched, err) < 0)
        return -1;
    if (n == 0)
        return 0;
    job->alternatives = malloc (n * sizeof *job->alternatives);
    if (!job->alternatives)
        return tori_error_nomem (err);
    memcpy (job->alternatives, job->spec.alternatives,
            n * sizeof *job->alternatives);
    job->spec.alternatives = job->alternatives;
    return 0;
}

/* Whether it matters when these jobs were submitted. */
static bool needs_times (const tori_sched *sched, const tori_job *numbers,
                         size_t n)
{
    tori_sched_config config = {.size = sizeof config};
    bool timed;
    tori_sched_get_config (sched, &config);
    timed = config.own_order != NULL;
    for (size_t i = 0; i < n && !timed; i++) {
        tori_job_spec spec = {.size = sizeof spec};
        tori_sched_spec (sched, numbers[i], &spec);
        timed = spec.patience > 0;
    }
    return timed;
}

static int take_each (tori_snapshot_job *jobs, tori_sched *sched,
                      const tori_job *numbers, size_t n, take_fn *take,
                      tori_error *err)
{
    bool timed = needs_times (sched, numbers, n);
    for (size_t i = 0; i < n; i++) {
        tori_job_info info = {.size = sizeof info};
        tori_sched_look (sched, numbers[i], &info);
        jobs[i].spec.size = sizeof jobs[i].spec;
        tori_sched_spec (sched, numbers[i], &jobs[i].spec);
        jobs[i].submit = timed ? tori_sched_now (sched) - jobs[i].spec.waited
                               : -1;
        if (own_spec (&jobs[i], sched, err) < 0
            || take (&jobs[i], sched, numbers[i], &info, err) < 0)
            return -1;
    }
    return 0;
}

/* The n jobs of a list; NULL on failure. */
static tori_snapshot_job *take_jobs (tori_sched *sched, list_fn *list,
                                     size_t n, take_fn *take, tori_error *err)
{
    tori_job *numbers = calloc (n + 1, sizeof *numbers);
    tori_snapshot_job *jobs = calloc (n + 1, sizeof *jobs);
    int status = -1;
    if (numbers && jobs) {
        list (sched, numbers);
        status = take_each (jobs, sched, numbers, n, take, err);
    } else {
        tori_error_nomem (err);
    }
    free (numbers);
    if (status == 0)
        return jobs;
    clear_jobs (jobs, jobs ? n : 0);
    return NULL;
}

static int take_all (tori_snapshot *snapshot, tori_sched *sched,
                     tori_error *err)
{
    size_t running = tori_sched_running (sched);
    size_t queued = tori_sched_queued (sched);
    snapshot->running = take_jobs (sched, tori_sched_running_jobs, running,
                                   take_running, err);
    if (!snapshot->running)
        return -1;
    snapshot->nrunning = running;
    snapshot->queue = take_jobs (sched, tori_sched_queued_jobs, queued,
                                 take_queued, err);
    if (!snapshot->queue)
        return -1;
    snapshot->nqueued = queued;
    return 0;
}

/* ---- windows ---- */

static int take_window (tori_snapshot_window *to, const tori_window *from,
                        tori_error *err)
{
    to->from = from->from;
    to->until = from->until;
    to->tags = malloc ((from->ntags + 1) * sizeof *to->tags);
    if (!to->tags)
        return tori_error_nomem (err);
    to->ntags = from->ntags;
    for (size_t i = 0; i < from->ntags; i++)
        to->tags[i] = from->tags[i];
    return copy_name (&to->id, from->name, err) < 0
               ? -1
               : tori_placement_copy (&to->place, from->place, err);
}

static int take_windows (tori_snapshot *snapshot, const tori_sched *sched,
                         tori_error *err)
{
    tori_window window = {.size = sizeof window};
    size_t n = 0;
    while (tori_sched_window (sched, n, &window))
        n++;
    snapshot->windows = calloc (n + 1, sizeof *snapshot->windows);
    if (!snapshot->windows)
        return tori_error_nomem (err);
    for (size_t i = 0; tori_sched_window (sched, i, &window); i++) {
        snapshot->nwindows++;
        if (take_window (&snapshot->windows[i], &window, err) < 0)
            return -1;
    }
    return 0;
}

/* ---- outages ---- */

/* The nodes for which `is` returns true. */
static int take_nodes (const tori_state *state,
                       bool (*is) (const tori_state *, uint32_t),
                       uint32_t **ret_ids, size_t *ret_n, tori_error *err)
{
    uint32_t nodes = tori_machine_nodes (tori_state_machine (state));
    size_t n = 0;
    for (uint32_t i = 0; i < nodes; i++)
        n += is (state, i);
    *ret_ids = calloc (n + 1, sizeof **ret_ids);
    if (!*ret_ids)
        return tori_error_nomem (err);
    for (uint32_t i = 0; i < nodes; i++)
        if (is (state, i))
            (*ret_ids)[(*ret_n)++] = i;
    return 0;
}

/* The i-th slot of all layers and dimensions, if there is a link that is
 * down. */
static bool down_link (const tori_state *state, uint64_t i, tori_link *ret)
{
    uint32_t nodes = tori_machine_nodes (tori_state_machine (state));
    tori_link link = {(int)(i / nodes / 2),
                      i / nodes % 2 ? TORI_FAR : TORI_NEAR,
                      (uint32_t)(i % nodes)};
    *ret = link;
    return tori_state_link_down (state, &link);
}

static int take_links (const tori_state *state, tori_link **ret_links,
                       size_t *ret_n, tori_error *err)
{
    const tori_machine *machine = tori_state_machine (state);
    uint64_t slots = state->links_down == 0
                         ? 0
                         : 2 * (uint64_t)tori_machine_nodes (machine)
                               * (uint64_t)tori_machine_ndims (machine);
    size_t n = 0;
    tori_link link;
    for (uint64_t i = 0; i < slots; i++)
        n += down_link (state, i, &link);
    *ret_links = calloc (n + 1, sizeof **ret_links);
    if (!*ret_links)
        return tori_error_nomem (err);
    for (uint64_t i = 0; i < slots && *ret_n < n; i++)
        if (down_link (state, i, &link))
            (*ret_links)[(*ret_n)++] = link;
    return 0;
}

int tori_snapshot_take (tori_sched *sched, tori_snapshot **ret_snapshot,
                        tori_error *err)
{
    const tori_state *state = tori_sched_state (sched);
    tori_snapshot *snapshot;
    if (policy_check (sched, "snapshots", err) < 0)
        return -1;
    snapshot = calloc (1, sizeof *snapshot);
    if (!snapshot)
        return tori_error_nomem (err);
    if (take_config (snapshot, sched, err) < 0
        || take_all (snapshot, sched, err) < 0
        || take_windows (snapshot, sched, err) < 0
        || take_nodes (state, tori_state_is_down, &snapshot->down,
                       &snapshot->ndown, err)
               < 0
        || take_nodes (state, tori_state_is_drained, &snapshot->drained,
                       &snapshot->ndrained, err)
               < 0
        || take_links (state, &snapshot->down_links, &snapshot->ndown_links,
                       err)
               < 0) {
        tori_snapshot_destroy (snapshot);
        return -1;
    }
    *ret_snapshot = snapshot;
    return 0;
}
