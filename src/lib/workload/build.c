#include "build.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "keep.h"
#include "resample.h"
#include "sized.h"

__extension__ typedef unsigned __int128 uint128;

/* A log has 10^5 jobs but few sizes, most of them small: the shapes of a
 * thousand sizes are kept, each in the place of its last digits. */
enum { CACHE_SIZE = 1024 };

struct shape_cache {
    struct known {
        uint32_t count; /* 0: none */
        tori_shape shape;
    } known[CACHE_SIZE];
};

bool ticks_from_seconds (double seconds, tori_time *ret_ticks)
{
    if (!(seconds >= 0 && seconds <= (double)TORI_MAX_SECONDS))
        return false;
    *ret_ticks = (tori_time)floor (seconds * (double)TORI_SECOND + 0.5);
    return true;
}

/* ---- options ---- */

static int check_options (const tori_workload_options *o, tori_error *err)
{
    if (!(o->torus_fraction >= 0 && o->torus_fraction <= 1))
        return tori_error_set (err, TORI_INVALID,
                               "torus fraction %g: expected 0 to 1",
                               o->torus_fraction);
    if (!(o->count_fraction >= 0 && o->count_fraction <= 1))
        return tori_error_set (err, TORI_INVALID,
                               "count fraction %g: expected 0 to 1",
                               o->count_fraction);
    if (!(o->load >= 0) || isinf (o->load))
        return tori_error_set (err, TORI_INVALID,
                               "load %g: expected a number above 0", o->load);
    if (o->scale_num < 0 || o->scale_den < 0
        || (o->scale_num > 0) != (o->scale_den > 0))
        return tori_error_set (err, TORI_INVALID,
                               "scale %" PRId64 "/%" PRId64
                               ": expected a number above 0",
                               o->scale_num, o->scale_den);
    if (o->procs_per_node < 0)
        return tori_error_set (err, TORI_INVALID,
                               "processors per node %" PRId64
                               ": expected at least 1",
                               o->procs_per_node);
    if (o->resample < 0)
        return tori_error_set (err, TORI_INVALID,
                               "resample: expected a time above 0");
    if (o->flags & ~(uint64_t)TORI_REQUEST_FOLD)
        return tori_error_set (err, TORI_INVALID,
                               "requests have no flags %" PRIx64, o->flags);
    if (!tori_shaping_name (o->shaping)
        || !tori_wiring_name (o->wiring)
        || !tori_estimates_name (o->estimates)
        || (unsigned)o->at_limit > TORI_AT_LIMIT_KILL)
        return tori_error_set (err, TORI_INVALID,
                               "no such shaping, wiring, estimates or end at "
                               "the limit");
    return 0;
}

int builder_init (struct builder *b, const char *name,
                  const tori_machine *machine,
                  const tori_workload_options *options, tori_error *err)
{
    tori_workload_options own;
    if (SIZED_COPY (tori_workload_options, &own, options, err) < 0
        || check_options (&own, err) < 0)
        return -1;
    *b = (struct builder){
        .name = name,
        .machine = machine,
        .options = own,
        .work = {.log_start = -1},
        .shapes = calloc (1, sizeof *b->shapes),
    };
    if (!b->shapes)
        return tori_error_nomem (err);
    if (own.size_from
        && size_from_parse (own.size_from, &b->size_from, err) < 0) {
        builder_clear (b);
        return -1;
    }
    rng_seed (&b->wiring, own.seed, STREAM_WIRING);
    rng_seed (&b->counts, own.seed, STREAM_COUNTS);
    return 0;
}

void builder_clear (struct builder *b)
{
    free (b->shapes);
    free (b->marks);
    b->shapes = NULL;
    b->marks = NULL;
    tori_workload_clear (&b->work);
}

int builder_unscaled (const struct builder *b, tori_error *err)
{
    const tori_workload_options *o = &b->options;
    if (o->scale_num != o->scale_den || o->procs_per_node > 1)
        return tori_error_set (err, TORI_INVALID,
                               "model %s: its sizes are those of the machine"
                               " and cannot be scaled",
                               b->name);
    return 0;
}

/* With conditions, which jobs are the first ones is known at the end. */
bool builder_full (const struct builder *b)
{
    return b->options.limit > 0 && !b->options.keep
           && b->work.n >= b->options.limit;
}

/* ---- a job ---- */

/* Processors to nodes, scaled and rounded up. A number larger than any machine
 * stays so. */
static uint32_t nodes_asked (const tori_workload_options *o,
                             const struct draft *draft)
{
    uint128 n = (uint128)draft->procs;
    if (o->scale_num > 0)
        n = (n * (uint128)o->scale_num + (uint128)o->scale_den - 1)
            / (uint128)o->scale_den;
    if (o->procs_per_node > 0 && !draft->in_nodes)
        n = (n + (uint128)o->procs_per_node - 1) / (uint128)o->procs_per_node;
    return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

/* A count that is larger than the machine has no shape and stays a count. */
static tori_shape shape_of (struct builder *b, uint32_t count)
{
    struct known *known = &b->shapes->known[count % CACHE_SIZE];
    if (b->options.shaping == TORI_SHAPE_NONE
        || b->options.shaping == TORI_SHAPE_AS_GIVEN
        || count > tori_machine_nodes (b->machine))
        return (tori_shape){0};
    if (known->count != count
        && tori_shape_count (b->machine, b->options.shaping, count,
                             &known->shape))
        known->count = count;
    return known->shape;
}

/* The draw is compared with the fraction: a job that is a torus at one
 * fraction is one at every larger fraction. */
static tori_wiring draw_wiring (struct builder *b)
{
    double draw = rng_uniform (&b->wiring);
    if (b->options.wiring != TORI_WIRE_TORUS)
        return b->options.wiring;
    return draw < b->options.torus_fraction ? TORI_WIRE_TORUS
                                             : TORI_WIRE_MESH;
}

static int make_room (struct builder *b, tori_error *err)
{
    tori_work *jobs = array_room (b->work.jobs, &b->room, b->work.n + 1,
                                  sizeof *jobs);
    uint8_t *marks
        = array_room (b->marks, &b->marks_room, b->work.n + 1, sizeof *marks);
    if (jobs)
        b->work.jobs = jobs;
    if (marks)
        b->marks = marks;
    return jobs && marks ? 0 : tori_error_nomem (err);
}

/* A box stays as it is, unless jobs are to be counts. */
static tori_shape request_shape (struct builder *b, const struct draft *draft,
                                 uint32_t asked)
{
    if (draft->shape.ndims > 0 && b->options.shaping != TORI_SHAPE_NONE)
        return draft->shape;
    return shape_of (b, asked);
}

const char *tori_estimates_name (tori_estimates estimates)
{
    static const char *const names[] = {"raised", "log", "exact"};
    return (unsigned)estimates < sizeof names / sizeof *names
               ? names[estimates]
               : NULL;
}

static tori_time runtime_of (const struct builder *b,
                             const struct draft *draft)
{
    return b->options.at_limit == TORI_AT_LIMIT_KILL
                   && draft->runtime > draft->estimate
               ? draft->estimate
               : draft->runtime;
}

static tori_time estimate_of (const struct builder *b,
                              const struct draft *draft)
{
    tori_time runtime = runtime_of (b, draft);
    bool outlived = runtime > draft->estimate;
    if (b->options.estimates == TORI_ESTIMATES_EXACT
        || (b->options.estimates == TORI_ESTIMATES_RAISED && outlived))
        return runtime;
    return draft->estimate;
}

static tori_request request_of (struct builder *b, const struct draft *draft,
                                uint32_t asked)
{
    tori_request request = {.count = asked,
                            .shape = request_shape (b, draft, asked),
                            .wiring = draw_wiring (b),
                            .fixed = b->options.fixed,
                            .wrap = b->options.wrap};
    if (request.shape.ndims > 0)
        request.flags = (uint16_t)b->options.flags;
    if (draft->wired)
        request.wiring
            = request.shape.ndims > 0 ? draft->wiring : TORI_WIRE_NONE;
    if (rng_uniform (&b->counts) < b->options.count_fraction
        || (b->options.shaping == TORI_SHAPE_AS_GIVEN
            && request.shape.ndims == 0))
        request = (tori_request){.count = asked};
    return request;
}

int builder_add (struct builder *b, const struct draft *draft,
                 tori_error *err)
{
    uint32_t asked = nodes_asked (&b->options, draft);
    if (make_room (b, err) < 0)
        return -1;
    b->marks[b->work.n]
        = (uint8_t)((draft->runtime > draft->estimate ? MARK_LATE : 0)
                    | (draft->shape.ndims > 0
                               && b->options.shaping == TORI_SHAPE_NONE
                           ? MARK_UNSHAPED
                           : 0));
    b->work.jobs[b->work.n++] = (tori_work){
        .id = draft->id,
        .submit = draft->submit,
        .runtime = runtime_of (b, draft),
        .estimate = estimate_of (b, draft),
        .asked = asked,
        .request = request_of (b, draft, asked),
        .owner = draft->owner,
    };
    return 0;
}

/* ---- labels ---- */

const char *tori_work_label_field (size_t i)
{
    static const char *const fields[]
        = {"User", "Group", "Executable", "Queue", "Partition"};
    return i < sizeof fields / sizeof *fields ? fields[i] : NULL;
}

int builder_label (struct builder *b, size_t field, const char *text,
                   tori_error *err)
{
    tori_work_label *labels = array_room (b->work.labels, &b->labels_room,
                                          b->work.nlabels + 1,
                                          sizeof *labels);
    char *own = strdup (text);
    if (labels)
        b->work.labels = labels;
    if (!labels || !own) {
        free (own);
        return tori_error_nomem (err);
    }
    labels[b->work.nlabels++]
        = (tori_work_label){tori_work_label_field (field), own};
    return 0;
}

/* ---- the whole ---- */

static bool is_sorted (const tori_workload *work)
{
    for (size_t i = 1; i < work->n; i++)
        if (work->jobs[i].submit < work->jobs[i - 1].submit)
            return false;
    return true;
}

/* By submission; qsort is not stable, so then by position in the log, which is
 * the position in memory. */
static int compare_jobs (const void *a, const void *b)
{
    const tori_work *x = *(const tori_work *const *)a;
    const tori_work *y = *(const tori_work *const *)b;
    if (x->submit != y->submit)
        return x->submit < y->submit ? -1 : 1;
    return x < y ? -1 : x > y;
}

static int sort_jobs (tori_workload *work, tori_error *err)
{
    if (is_sorted (work))
        return 0;
    tori_work *sorted = reallocarray (NULL, work->n, sizeof *sorted);
    const tori_work **order = reallocarray (NULL, work->n, sizeof *order);
    if (!sorted || !order) {
        free (sorted);
        free (order);
        return tori_error_nomem (err);
    }
    for (size_t i = 0; i < work->n; i++)
        order[i] = &work->jobs[i];
    qsort (order, work->n, sizeof *order, compare_jobs);
    for (size_t i = 0; i < work->n; i++)
        sorted[i] = *order[i];
    free (order);
    free (work->jobs);
    work->jobs = sorted;
    return 0;
}

/* Multiply the distances from the first submission to reach the requested
 * load. */
static int stretch_arrivals (struct builder *b, tori_error *err)
{
    tori_workload *work = &b->work;
    double load = b->options.load;
    if (load == 0 || b->paced || work->n == 0)
        return 0;
    if (work->offered == 0)
        return tori_error_set (err, TORI_INVALID,
                               "%s: no stretching of arrivals gives a load of"
                               " %g: the jobs have no node-time or all arrive"
                               " at once",
                               b->name, load);
    double factor = work->offered / load;
    tori_time first = work->jobs[0].submit;
    for (size_t i = 0; i < work->n; i++) {
        double after = (double)(work->jobs[i].submit - first) * factor;
        if (!(after < 0x1p61))
            return tori_error_set (err, TORI_INVALID,
                                   "%s: a load of %g stretches arrivals"
                                   " beyond all time",
                                   b->name, load);
        work->jobs[i].submit = first + (tori_time)floor (after + 0.5);
    }
    work->offered = tori_workload_offered (work, b->machine);
    return 0;
}

/* Choose the jobs by the options: conditions, then the first ones, then blocks
 * of these. */
static int choose_jobs (struct builder *b, tori_error *err)
{
    const tori_workload_options *o = &b->options;
    tori_workload *work = &b->work;
    struct rng rng;
    if (o->size_from && work->n == 0 && work->unusable > 0)
        return tori_error_set (err, TORI_INVALID,
                               "%s: none of %zu records has a size by '%.60s'",
                               b->name, work->unusable, o->size_from);
    if (o->keep
        && keep_jobs (o->keep, b->name, o->limit, work, b->marks, err) < 0)
        return -1;
    if (o->limit > 0 && work->n > o->limit)
        work->n = o->limit;
    for (size_t i = 0; i < work->n; i++) {
        work->outlived += (b->marks[i] & MARK_LATE) > 0;
        work->unshaped += (b->marks[i] & MARK_UNSHAPED) > 0;
    }
    if (sort_jobs (work, err) < 0)
        return -1;
    rng_seed (&rng, o->seed, STREAM_BLOCKS);
    return o->resample
               ? resample_blocks (work, o->resample, b->name, &rng, err)
               : 0;
}

int builder_finish (struct builder *b, tori_workload *ret_workload,
                    tori_error *err)
{
    if (choose_jobs (b, err) < 0)
        return -1;
    b->work.offered = tori_workload_offered (&b->work, b->machine);
    if (stretch_arrivals (b, err) < 0
        || workload_check (&b->work, b->name, err) < 0)
        return -1;
    *ret_workload = b->work;
    b->work = (tori_workload){0};
    return 0;
}

double tori_workload_offered (const tori_workload *workload,
                              const tori_machine *machine)
{
    uint32_t nodes = tori_machine_nodes (machine);
    tori_time first = TORI_TIME_MAX, last = 0;
    uint128 work = 0;
    for (size_t i = 0; i < workload->n; i++) {
        const tori_work *job = &workload->jobs[i];
        if (job->asked > nodes)
            continue;
        work += (uint128)job->asked * (uint128)job->runtime;
        first = job->submit < first ? job->submit : first;
        last = job->submit > last ? job->submit : last;
    }
    if (last <= first)
        return 0;
    return (double)work
           / ((double)nodes * (double)((uint64_t)last - (uint64_t)first));
}

void tori_workload_clear (tori_workload *workload)
{
    if (!workload)
        return;
    for (size_t i = 0; i < workload->nlabels; i++)
        free (workload->labels[i].text);
    free (workload->labels);
    free (workload->jobs);
    *workload = (tori_workload){0};
}

/* ---- times ---- */

static int refuse_job (const char *name, const tori_work *job,
                       const char *what, tori_error *err)
{
    return tori_error_set (err, TORI_INVALID, "%s%sjob %" PRId64 ": %s",
                           name ? name : "", name ? ": " : "", job->id, what);
}

/* The estimate, or the runtime if that is longer. */
static uint64_t length_of (const tori_work *job)
{
    return (uint64_t)(job->estimate > job->runtime ? job->estimate
                                                   : job->runtime);
}

int workload_check (const tori_workload *work, const char *name,
                    tori_error *err)
{
    const uint64_t most = TORI_TIME_MAX / 2;
    uint64_t lengths = 0;
    for (size_t i = 0; i < work->n; i++) {
        const tori_work *job = &work->jobs[i];
        if (job->submit < 0 || job->runtime < 0 || job->estimate < 0)
            return refuse_job (name, job, "a negative time", err);
        if (i > 0 && job->submit < job[-1].submit)
            return refuse_job (name, job,
                               "submitted before the job in front of "
                               "it",
                               err);
        lengths += length_of (job);
        if (lengths > most || (uint64_t)job->submit > most - lengths)
            return tori_error_set (
                err, TORI_INVALID,
                "%s%sjob %" PRId64 ": the times of the jobs up to this one "
                "add up to more than %" PRIu64 " seconds",
                name ? name : "", name ? ": " : "", job->id,
                most / (uint64_t)TORI_SECOND);
    }
    return 0;
}
