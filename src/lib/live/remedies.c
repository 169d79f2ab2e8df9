/* remedies.c - the changes that would start a job.
 *
 * Changes of the job alone are questions to the scheduler (probe.h). The end
 * of another job is tried out in a copy: after it any waiting job may take
 * what comes free, so one try shows all jobs that start. If jobs may take the
 * place of others, a question about one job is not enough, and every answer is
 * tried out as well; so is every change that may change what others get. */
#include <stdlib.h>
#include <string.h>

#include <tori/workload.h>

#include "placement.h"
#include "probe.h"
#include "whywork.h"

/* Copies in which an ending or moves are tried out, and questions whether a
 * job fits without another; for a few jobs, so many times as many. */
enum { TRIES = 48, FITS = 4096 };

/* On a pod a question for a shape takes up to half a millisecond, and there
 * are a thousand shapes. A few jobs may ask so many times as often. */
enum { POD_ASKS = 1024, LONGER = 16 };

void tries_allow (struct whywork *work, bool few)
{
    work->tries = few ? LONGER * TRIES : TRIES;
    work->fits_left = few ? LONGER * FITS : FITS;
}

void shapes_allow (struct whywork *work, bool few)
{
    work->asks = UINT64_MAX;
    if (tori_machine_is_pod (work->machine))
        work->asks = few ? LONGER * POD_ASKS : POD_ASKS;
}

/* ---- another request ---- */

/* Try out a change that was found; the place is set if it is certain. */
static int try_out (struct whywork *work, const tori_why *why, tori_help *help,
                    tori_error *err)
{
    tori_placement place = {0};
    int found = trial_request (work, why->job, &help->spec, &place, err);
    if (found > 0 && work->stirs && !placement_equal (&place, &help->place))
        tori_placement_clear (&place);
    tori_placement_clear (&help->place);
    help->place = place;
    return found;
}

static int ask_change (struct whywork *work, const tori_why *why,
                       tori_change change, const tori_job_spec *spec,
                       tori_help *ret_help, tori_error *err)
{
    tori_help help = {.change = change, .spec = *spec, .job = TORI_NO_JOB};
    int found = probe_start (work->after, why->job, spec, &help.place, err);
    if (found > 0 && (work->delicate || work->stirs))
        found = try_out (work, why, &help, err);
    if (found > 0)
        *ret_help = help;
    return found;
}

/* Ask for a weaker wiring. */
static int ask_wiring (struct whywork *work, const tori_why *why,
                       tori_help *ret_help, tori_error *err)
{
    tori_job_spec spec = *why->spec;
    int found = 0;
    while (found == 0 && spec.request.wiring != TORI_WIRE_NONE) {
        spec.request.wiring = (tori_wiring)(spec.request.wiring - 1);
        found =
            ask_change (work, why, TORI_CHANGE_WIRING, &spec, ret_help, err);
    }
    return found;
}

/* Whether a shape of the list has a place now, planned starts aside: without a
 * place it need not be asked for. 1, 0 or -1. */
static int has_place (struct whywork *work, const tori_request *request,
                      size_t i, tori_error *err)
{
    size_t folds = request->flags & TORI_REQUEST_FOLD;
    size_t kind = 4 * (size_t)request->wiring + 2 * folds + request->wrap;
    signed char *fits = &work->fits[kind * work->nshapes + i];
    if (*fits == 0) {
        int found = probe_fits (work->after, request, err);
        if (found < 0)
            return -1;
        *fits = found ? 1 : -1;
    }
    return *fits > 0;
}

/* Ask for a shape, with its sides in any order: the first order that serves, if
 * the job may not be rotated. Of the list, it is the shape with this index. */
enum { NOT_LISTED = SIZE_MAX };
static int ask_sides (struct whywork *work, const tori_why *why,
                      tori_change change, const tori_shape *shape,
                      size_t listed, tori_help *ret_help, tori_error *err)
{
    tori_job_spec spec = *why->spec;
    tori_request *request = &spec.request;
    int found;
    request->shape = *shape;
    request->count = (uint32_t)tori_shape_volume (shape);
    if (request->fixed)
        tori_shape_sort (&request->shape);
    do {
        found = listed != NOT_LISTED && !request->fixed
                    ? has_place (work, request, listed, err)
                    : probe_fits (work->after, request, err);
        if (found > 0) {
            work->asks--;
            found = ask_change (work, why, change, &spec, ret_help, err);
        }
    } while (found == 0 && work->asks > 0 && request->fixed
             && tori_shape_next_rotation (&request->shape));
    return found;
}

/* Fewer nodes than half of them are no help. */
static bool is_half (uint64_t nodes, uint64_t of)
{
    return nodes < of && nodes >= of - nodes;
}

/* The first shape of the list that serves: with as many nodes, or with
 * fewer. */
static int ask_shapes (struct whywork *work, const tori_why *why,
                       tori_change change, tori_help *ret_help,
                       tori_error *err)
{
    uint64_t volume = tori_shape_volume (&why->spec->request.shape);
    int found = 0;
    for (size_t i = 0; i < work->nshapes && found == 0 && work->asks > 0;
         i++) {
        uint64_t its = tori_shape_volume (&work->shapes[i]);
        if (change == TORI_CHANGE_SHAPE ? its == volume
                                        : is_half (its, volume))
            found = ask_sides (work, why, change, &work->shapes[i], i,
                               ret_help, err);
    }
    return found;
}

/* Shapes with as many nodes, if not all are listed: the most compact first. */
static int ask_others (struct whywork *work, const tori_why *why,
                       tori_help *ret_help, tori_error *err)
{
    enum { MOST = 256 };
    const tori_shape *shape = &why->spec->request.shape;
    tori_shape others[MOST];
    size_t n = tori_shape_others (work->machine, shape,
                                  tori_shape_volume (shape), others, MOST);
    int found = 0;
    for (size_t i = 0; i < n && found == 0 && work->asks > 0; i++)
        found = ask_sides (work, why, TORI_CHANGE_SHAPE, &others[i],
                           NOT_LISTED, ret_help, err);
    return found;
}

/* The largest smaller count with which the job starts: if a number of nodes
 * serves, fewer do, too. */
static int ask_count (struct whywork *work, const tori_why *why,
                      tori_help *ret_help, tori_error *err)
{
    tori_job_spec spec = *why->spec;
    uint32_t below = (spec.request.count - 1) / 2; /* no help: see is_half */
    uint32_t low = below, high = spec.request.count;
    if (high > why->free + 1)
        high = why->free + 1;
    while (high > low + 1) {
        int found;
        spec.request.count = low + (high - low) / 2;
        found =
            ask_change (work, why, TORI_CHANGE_COUNT, &spec, ret_help, err);
        if (found < 0)
            return -1;
        if (found)
            tori_placement_clear (&ret_help->place); /* any nodes will do */
        *(found ? &low : &high) = spec.request.count;
    }
    return low > below;
}

/* The longest time limit that ends before a planned start or a window
 * begins. */
static int ask_estimate (struct whywork *work, const tori_why *why,
                         tori_help *ret_help, tori_error *err)
{
    tori_job_spec spec = *why->spec;
    tori_time left = spec.estimate - spec.done;
    size_t low = 0, high = work->nfreed; /* below low the job starts */
    while (high > 0 && work->freed[high - 1] - work->now >= left)
        high--;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        tori_help help = {0};
        int found;
        spec.estimate = work->freed[middle] - work->now + spec.done;
        found =
            ask_change (work, why, TORI_CHANGE_ESTIMATE, &spec, &help, err);
        if (found < 0)
            return -1;
        if (found) {
            if (low > 0)
                tori_placement_clear (&ret_help->place);
            *ret_help = help;
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0;
}

/* ---- another job ends ---- */

int help_from (struct whywork *work, const struct tried_change *trial,
               const tori_why *why, tori_change change, tori_help *ret_help,
               tori_error *err)
{
    tori_help help = {
        .change = change, .spec = *why->spec, .job = TORI_NO_JOB};
    int found = trial_starts (work, why->job, trial->change, trial->arg,
                              trial->upshot, err);
    if (found > 0)
        found = upshot_find (trial->upshot, why->job, &help.place, err);
    if (found > 0)
        *ret_help = help;
    return found;
}

static int end_job (tori_sched *copy, void *arg, tori_error *err)
{
    const tori_job *job = arg;
    return tori_sched_finish (copy, tori_sched_now (copy), *job, err);
}

static int try_ending (struct whywork *work, struct ending *ending,
                       tori_error *err)
{
    work->tries--;
    ending->known = true;
    return trial_make (work, end_job, &ending->job, &ending->after, err);
}

static uint64_t lost_work (const tori_sched *sched, const tori_job_info *info,
                           tori_job job, tori_time now)
{
    tori_job_spec spec = {.size = sizeof spec};
    uint64_t work;
    tori_sched_spec (sched, job, &spec);
    return __builtin_mul_overflow ((uint64_t)(spec.done + now - info->start),
                                   info->place->count, &work)
               ? UINT64_MAX
               : work;
}

/* The least work that is lost, then the job with the lowest number: the same
 * wherever the jobs lie. */
static int compare_endings (const void *a, const void *b)
{
    const struct ending *x = a, *y = b;
    if (x->work != y->work)
        return x->work < y->work ? -1 : 1;
    return (x->job > y->job) - (x->job < y->job);
}

static bool begins_now (const struct whywork *work, tori_job job)
{
    bool found = false;
    for (size_t i = 0; i < work->nbegun && !found; i++)
        found = work->begun[i] == job;
    return found;
}

int endings_list (struct whywork *work, tori_error *err)
{
    work->endings = calloc (work->nrunning + 1, sizeof *work->endings);
    if (!work->endings)
        return tori_error_nomem (err);
    for (size_t i = 0; i < work->nrunning; i++)
        if (!begins_now (work, work->running[i]))
            work->endings[work->nendings++] = (struct ending){
                .i = i,
                .work = lost_work (work->after, &work->info[i],
                                   work->running[i], work->now),
                .job = work->running[i]};
    qsort (work->endings, work->nendings, sizeof *work->endings,
           compare_endings);
    return 0;
}

/* Whether a job has a place without another that runs, whatever the order of
 * the queue: 1, 0 or -1. */
static int fits_without (struct whywork *work, const tori_why *why,
                         const tori_placement *place, tori_error *err)
{
    const tori_job_spec *spec = why->spec;
    int found;
    if (spec->nalternatives == 0 && !why->suspended) {
        if (why->free + (uint64_t)place->count
            < tori_request_nodes (&spec->request))
            return 0;
        if (spec->request.shape.ndims == 0)
            return 1;
    }
    if (work->fits_left == 0)
        return 0;
    work->fits_left--;
    if (!work->spare
        && (tori_state_create (work->machine, &work->spare, err) < 0
            || tori_state_copy (work->spare, work->state, err) < 0))
        return -1;
    placement_unblock (place, work->spare);
    found = probe_fits_in (work->after, why->job, work->spare, err);
    return placement_block (place, work->spare, err) < 0 ? -1 : found;
}

/* Whether a running job can start another by its end, as far as can be seen
 * without a try: 1, 0 or -1. */
static int is_promising (struct whywork *work, const tori_why *why,
                         const struct ending *ending, tori_error *err)
{
    if (ending->known)
        return 1;
    return work->tries == 0 ? 0
                            : fits_without (work, why,
                                            work->info[ending->i].place, err);
}

static int ask_jobs (struct whywork *work, const tori_why *why,
                     tori_help *ret_help, tori_error *err)
{
    int found = 0;
    for (size_t i = 0; i < work->nendings && found == 0; i++) {
        struct ending *ending = &work->endings[i];
        found = is_promising (work, why, ending, err);
        if (found > 0 && !ending->known)
            found = try_ending (work, ending, err) < 0 ? -1 : 1;
        if (found > 0)
            found = help_from (work,
                               &(struct tried_change){end_job, &ending->job,
                                                      &ending->after},
                               why, TORI_CHANGE_JOB, ret_help, err);
        if (found > 0) {
            ret_help->job = ending->job;
            ret_help->tag = work->info[ending->i].tag;
        }
    }
    return found;
}

/* ---- all of them ---- */

typedef int ask_fn (struct whywork *work, const tori_why *why,
                    tori_help *ret_help, tori_error *err);

static int ask_shape (struct whywork *work, const tori_why *why,
                      tori_help *ret_help, tori_error *err)
{
    return work->all_shapes
               ? ask_shapes (work, why, TORI_CHANGE_SHAPE, ret_help, err)
               : ask_others (work, why, ret_help, err);
}

static int ask_smaller (struct whywork *work, const tori_why *why,
                        tori_help *ret_help, tori_error *err)
{
    return why->spec->request.shape.ndims == 0
               ? ask_count (work, why, ret_help, err)
               : ask_shapes (work, why, TORI_CHANGE_COUNT, ret_help, err);
}

/* The changes that are worth a question, by the reason. */
static size_t choose_questions (const struct whywork *work,
                                const tori_why *why,
                                ask_fn *ret_asks[MAX_HELPS])
{
    bool shaped = why->spec->request.shape.ndims > 0;
    tori_reason reason = why->reason;
    size_t n = 0;
    if (reason == TORI_REASON_STARTS || reason == TORI_REASON_HELD
        || reason == TORI_REASON_NOT_YET || reason == TORI_REASON_GAVE_UP
        || reason == TORI_REASON_NEVER)
        return 0;
    if (why->suspended) { /* only its own place helps */
        ret_asks[0] = ask_jobs;
        return reason != TORI_REASON_NODES;
    }
    if (shaped && reason != TORI_REASON_NUMERICAL)
        ret_asks[n++] = ask_wiring;
    if (shaped && work->sided && reason != TORI_REASON_NUMERICAL)
        ret_asks[n++] = ask_shape;
    if (!shaped || work->sided)
        ret_asks[n++] = ask_smaller;
    if (reason == TORI_REASON_RESERVED || reason == TORI_REASON_WINDOW)
        ret_asks[n++] = ask_estimate;
    if (shaped && work->sided && !why->spec->only
        && (reason == TORI_REASON_TOPOLOGICAL || reason == TORI_REASON_WIRING))
        ret_asks[n++] = moves_ask;
    if (reason != TORI_REASON_NODES)
        ret_asks[n++] = ask_jobs;
    return n;
}

int remedies_find (struct whywork *work, const tori_why *why,
                   tori_help ret_helps[MAX_HELPS], tori_error *err)
{
    ask_fn *asks[MAX_HELPS];
    size_t n = choose_questions (work, why, asks);
    int helps = 0;
    for (size_t i = 0; i < n; i++) {
        int found = asks[i](work, why, &ret_helps[helps], err);
        if (found < 0) {
            while (helps-- > 0)
                tori_placement_clear (&ret_helps[helps].place);
            return -1;
        }
        helps += found;
    }
    return helps;
}

void remedies_clear (struct whywork *work)
{
    for (size_t i = 0; work->endings && i < work->nendings; i++)
        upshot_clear (&work->endings[i].after);
    free (work->endings);
}
