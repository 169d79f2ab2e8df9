/* stream.c - random jobs, and what happens to them and to their machine. */
#include "play.h"

#include <stdlib.h>

static const tori_wiring wirings[] = {TORI_WIRE_NONE, TORI_WIRE_MESH,
                                      TORI_WIRE_TORUS};

static const char *const pods[] = {"pod:3/2x2", "pod:4/3x2", "2*pod:2/2x3",
                                   "pod:2x2/2x2x2"};

/* Slices have the dimensions of a cube, and may have two along each. */
static tori_shape largest_shape (const tori_machine *machine)
{
    tori_shape shape = *tori_machine_shape (machine);
    int apart = tori_machine_apart (machine);
    for (int d = apart; apart > 0 && d < shape.ndims; d++)
        shape.size[d - apart] = 2 * shape.size[d];
    shape.ndims -= apart;
    return shape;
}

/* Mostly small, now and then as large as the machine, seldom too large. */
static tori_request random_shape_request (struct rng *rng,
                                          const tori_machine *machine)
{
    tori_request request = {.shape = largest_shape (machine)};
    tori_shape *shape = &request.shape;
    for (int d = 0; d < shape->ndims; d++) {
        uint32_t side = shape->size[d];
        if (side > 3 && chance (rng, 60))
            side = 3;
        shape->size[d] = between (rng, 1, side + chance (rng, 1));
    }
    request.count = (uint32_t)tori_shape_volume (shape);
    request.wiring = wirings[rng_below (rng, LENGTH (wirings))];
    request.fixed = chance (rng, 25);
    request.wrap = chance (rng, 40);
    return request;
}

static tori_request random_count_request (struct rng *rng,
                                          const tori_machine *machine)
{
    uint32_t nodes = tori_machine_nodes (machine);
    uint32_t most = chance (rng, 70) ? (nodes + 2) / 3 : nodes;
    tori_request request = {.count = between (rng, 1, most)};
    if (chance (rng, 2))
        request.count = chance (rng, 50) ? 0 : nodes + 1;
    return request;
}

static tori_request random_request (struct rng *rng,
                                    const tori_machine *machine,
                                    unsigned takes)
{
    bool shape = takes & TORI_BY_SHAPE;
    if (takes == (TORI_BY_SHAPE | TORI_BY_COUNT))
        shape = chance (rng, 50);
    if (chance (rng, 1))
        shape = !shape; /* what the allocator does not take */
    return shape ? random_shape_request (rng, machine)
                 : random_count_request (rng, machine);
}

static tori_time random_estimate (struct rng *rng, tori_time runtime,
                                  enum estimates estimates)
{
    if (estimates == EXACT || chance (rng, 20))
        return runtime;
    if (estimates == ANY && chance (rng, 50))
        return (tori_time)rng_below (rng, 12);
    return runtime + (tori_time)rng_below (rng, 10);
}

static void random_wishes (struct rng *rng, struct stream_job *job)
{
    if (chance (rng, 30))
        job->priority = (int32_t)between (rng, 0, 4) - 2;
    if (chance (rng, 50))
        job->flags = TORI_JOB_REQUEUE;
    if (chance (rng, 15))
        job->earliest = job->submit + between (rng, 0, 20);
    if (chance (rng, 10))
        job->hold = TORI_HOLD_USER;
}

/* Jobs that save their work now and then, or have saved some before. */
static void random_checkpoints (struct stream *stream)
{
    struct rng rng;
    rng_seed (&rng, stream->seed, 5);
    for (size_t i = 0; i < stream->njobs; i++) {
        struct stream_job *job = &stream->jobs[i];
        if (chance (&rng, 50))
            job->checkpoint = between (&rng, 1, 4);
        if (chance (&rng, 10))
            job->done = between (&rng, 1, 6);
    }
}

static void random_choices (struct rng *rng, const tori_machine *machine,
                            unsigned takes, struct stream_job *job)
{
    job->ninstead = between (rng, 1, LENGTH (job->instead));
    for (size_t i = 0; i < job->ninstead; i++)
        job->instead[i] = random_request (rng, machine, takes);
}

static void random_repairs (struct stream *stream)
{
    struct rng rng;
    rng_seed (&rng, stream->seed, 6);
    for (size_t i = 0; i < stream->njobs; i++)
        if (chance (&rng, 75))
            stream->jobs[i].flags |= TORI_JOB_REPAIR;
        else if (chance (&rng, 50))
            stream->jobs[i].flags |= TORI_JOB_STAYS;
}

/* A box or so, or most of the nodes. */
static uint64_t random_nodes (struct rng *rng, const tori_machine *machine)
{
    uint32_t n = tori_machine_nodes (machine);
    uint32_t first = between (rng, 0, n - 1), side = between (rng, 1, n);
    bool some = chance (rng, 50);
    uint64_t set = UINT64_C (1) << first;
    for (uint32_t i = 0; i < n; i++)
        if (some ? chance (rng, 85) : (i + n - first) % n < side)
            set |= UINT64_C (1) << i;
    return set;
}

static void random_jobs (struct stream *stream, struct rng *rng,
                         const struct stream_options *options)
{
    uint32_t gap = between (rng, 1, 5), longest = between (rng, 1, 14);
    tori_time submit = between (rng, 0, 3);
    stream->njobs = options->jobs;
    stream->jobs = make_array (options->jobs, sizeof *stream->jobs);
    for (size_t i = 0; i < stream->njobs; i++) {
        struct stream_job *job = &stream->jobs[i];
        if (chance (rng, 60))
            submit += between (rng, 0, gap);
        job->submit = submit;
        job->runtime = chance (rng, 8) ? 0 : between (rng, 0, longest);
        job->estimate = random_estimate (rng, job->runtime,
                                         options->estimates);
        job->request = random_request (rng, stream->machine, options->takes);
        if (options->changes)
            random_wishes (rng, job);
        if (chance (rng, options->limits))
            job->only = random_nodes (rng, stream->machine);
        if (chance (rng, options->choices))
            random_choices (rng, stream->machine, options->takes, job);
        if (options->patience && chance (rng, options->patience))
            job->patience = between (rng, 1, 15);
    }
}

/* Some may take the place of others, who choose what becomes of them. */
static void random_levels (struct stream *stream)
{
    struct rng rng;
    rng_seed (&rng, stream->seed, 6);
    for (size_t i = 0; i < stream->njobs; i++) {
        struct stream_job *job = &stream->jobs[i];
        if (chance (&rng, 40))
            job->level = between (&rng, 1, 3);
        if (chance (&rng, 50))
            job->checkpoint = between (&rng, 1, 4);
        if (chance (&rng, 30))
            job->preempted = chance (&rng, 50) ? TORI_PREEMPTED_KILL
                                               : TORI_PREEMPTED_NEVER;
        else if (chance (&rng, 50))
            job->preempted = TORI_PREEMPTED_SUSPEND;
    }
}

static struct mishap random_change (struct rng *rng, uint64_t njobs)
{
    struct mishap change = {.tag = rng_below (rng, njobs)};
    change.kind = PRIORITY + (enum mishap_kind)rng_below (rng, 5);
    change.change = (int32_t)rng_below (rng, 12);
    if (change.kind == PRIORITY)
        change.change -= 6;
    if (change.kind == HOLD)
        change.change = chance (rng, 40) ? change.change % 6 : TORI_HOLD_NONE;
    return change;
}

tori_link random_link (struct rng *rng, const tori_machine *machine)
{
    uint64_t ndims = (uint64_t)tori_machine_ndims (machine);
    tori_link link;
    do {
        link.dim = (int)rng_below (rng, ndims);
        link.layer = chance (rng, 50) ? TORI_FAR : TORI_NEAR;
        link.slot = (uint32_t)rng_below (rng, tori_machine_nodes (machine));
    } while (!tori_link_exists (machine, &link));
    return link;
}

static struct mishap random_mishap (struct rng *rng,
                                    const tori_machine *machine)
{
    struct mishap mishap = {.value = chance (rng, 60)};
    mishap.kind = NODE_DOWN + (enum mishap_kind)rng_below (rng, 3);
    mishap.node = (uint32_t)rng_below (rng, tori_machine_nodes (machine));
    if (mishap.kind == LINK_DOWN && tori_machine_links (machine) == 0)
        mishap.kind = NODE_DOWN;
    if (mishap.kind == LINK_DOWN)
        mishap.link = random_link (rng, machine);
    return mishap;
}

/* A box, or nodes, a while from now. */
static struct mishap random_window (struct rng *rng,
                                    const struct stream *stream)
{
    const tori_machine *machine = stream->machine;
    struct mishap window = {.kind = WINDOW,
                            .tag = rng_below (rng, stream->njobs)};
    tori_box box = {.shape = *tori_machine_shape (machine)};
    for (int d = 0; d < box.shape.ndims; d++) {
        uint32_t side = box.shape.size[d];
        bool apart = d < tori_machine_apart (machine); /* one cube */
        box.shape.size[d] = apart ? 1 : between (rng, 1, side);
        box.origin[d] = between (rng, 0, side - box.shape.size[d]);
    }
    window.place = (tori_placement){
        .count = (uint32_t)tori_shape_volume (&box.shape),
        .nboxes = 1,
        .box = box};
    window.change = (int32_t)rng_below (rng, 12);
    window.length = between (rng, 1, 15);
    if (chance (rng, 30))
        window.count = between (rng, 1, window.place.count);
    return window;
}

/* The place is found when it is time. */
static struct mishap random_move (struct rng *rng, uint64_t njobs)
{
    return (struct mishap){.kind = MOVE,
                           .tag = rng_below (rng, njobs),
                           .change = (int32_t)rng_below (rng, 1000),
                           .value = chance (rng, 40)};
}

static int by_time (const void *a, const void *b)
{
    const struct mishap *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

static void random_mishaps (struct stream *stream, struct rng *rng,
                            const struct stream_options *options)
{
    tori_time last = stream->jobs[stream->njobs - 1].submit + 20;
    size_t n = options->cancels + options->changes + options->mishaps
               + options->moves + options->failures + options->windows;
    stream->nmishaps = n;
    stream->mishaps = make_array (n, sizeof *stream->mishaps);
    for (size_t i = 0; i < n; i++) {
        struct mishap *mishap = &stream->mishaps[i];
        if (i < options->cancels) {
            mishap->kind = CANCEL;
            mishap->tag = rng_below (rng, stream->njobs);
        } else if (i < options->cancels + options->changes) {
            *mishap = random_change (rng, stream->njobs);
        } else if (i >= n - options->windows) {
            *mishap = random_window (rng, stream);
        } else if (i >= n - options->windows - options->moves) {
            *mishap = random_move (rng, stream->njobs);
        } else if (i >= n - options->windows - options->moves
                            - options->failures) {
            *mishap = (struct mishap){
                .kind = FAIL, .change = (int32_t)rng_below (rng, 1000)};
        } else {
            *mishap = random_mishap (rng, stream->machine);
        }
        mishap->at = (tori_time)rng_below (rng, (uint64_t)last + 1);
    }
    qsort (stream->mishaps, n, sizeof *stream->mishaps, by_time);
}

void stream_create (struct stream *stream, uint64_t seed,
                    const struct stream_options *options)
{
    struct rng rng = seeded (seed);
    *stream = (struct stream){
        .seed = seed,
        .levels = options->levels,
        .machine = options->pods
                       ? make_machine (pods[rng_below (&rng, LENGTH (pods))])
                       : random_machine (&rng, 4, options->max_nodes),
    };
    random_jobs (stream, &rng, options);
    if (options->changes)
        random_checkpoints (stream);
    if (options->levels)
        random_levels (stream);
    if (options->failures)
        random_repairs (stream);
    random_mishaps (stream, &rng, options);
}

void stream_destroy (struct stream *stream)
{
    tori_machine_destroy (stream->machine);
    free (stream->jobs);
    free (stream->mishaps);
}

void workload_of (const struct stream *stream, tori_workload *work)
{
    *work = (tori_workload){.n = stream->njobs};
    work->jobs = make_array (work->n, sizeof *work->jobs);
    for (size_t i = 0; i < work->n; i++) {
        const struct stream_job *from = &stream->jobs[i];
        tori_work *to = &work->jobs[i];
        to->id = (int64_t)i;
        to->submit = from->submit * TORI_SECOND;
        to->runtime = from->runtime * TORI_SECOND;
        to->estimate = from->estimate * TORI_SECOND;
        to->request = from->request;
        to->asked = from->request.count;
        if (i % 3 == 0 && to->asked > 1)
            to->asked--; /* the request was rounded up */
    }
}
