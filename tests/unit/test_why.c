/* Explanations of waiting jobs are true: the reason and the place that misses
 * least by their definitions, and every change that is said to start the job
 * starts it, in the scheduler that it is made in. */
#include "play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tori/snapshot.h>
#include <tori/why.h>

#include "build.h"

enum { NCHANGES = TORI_CHANGE_MOVES + 1, NREASONS = TORI_REASON_GAVE_UP + 1 };

/* A scheduler in the middle of something, and what was looked at. */
struct scene {
    const struct stream *stream;
    const char *policy, *alloc, *counts;
    tori_order order;
    size_t windows;
    tori_time now, move;
    tori_sched *sched; /* before its run */
    tori_sched *after; /* a copy that has run */
    struct naive *naive; /* of that: owners are indexes of `running` */
    tori_job running[NAIVE_TAGS];
    tori_job_info info[NAIVE_TAGS];
    size_t nrunning;
    tori_job order_before[NAIVE_TAGS]; /* those that waited before the run */
    size_t nqueued;
    uint64_t asked; /* the tag of the one that is asked about */
    size_t *helped, *reasons; /* how often each was met */
    size_t kept; /* nodes kept by windows, over all explanations */
};

/* ---- a scene ---- */

static void run (tori_sched *sched, tori_time now)
{
    assert_int_equal (tori_sched_run (sched, now, NULL), 0);
}

static void drop_decisions (tori_sched *sched)
{
    tori_decision decision = {.size = sizeof decision};
    while (tori_sched_next (sched, &decision))
        ;
}

/* A part of the machine is to be free for a time, for everybody but a job. */
static void add_window (struct scene *scene, struct rng *rng,
                        const char *name)
{
    const tori_machine *machine = scene->stream->machine;
    tori_box box = random_box (rng, machine, 4, false);
    tori_placement place;
    uint64_t tag = between (rng, 0, 23);
    assert_int_equal (
        tori_placement_of_boxes (&box, 1, TORI_WIRE_NONE, &place, NULL), 0);
    tori_window window = {.size = sizeof window,
                          .name = name,
                          .from = scene->now + between (rng, 0, 9),
                          .place = &place,
                          .tags = &tag,
                          .ntags = 1};
    window.until = window.from + between (rng, 1, 20);
    assert_int_equal (
        tori_sched_add_window (scene->sched, scene->now, &window, NULL), 0);
    tori_placement_clear (&place);
}

/* Let jobs come and end for a while; some nodes are down. */
static void play_scene (struct scene *scene, struct rng *rng)
{
    const struct stream *stream = scene->stream;
    uint32_t nodes = tori_machine_nodes (stream->machine);
    for (size_t i = 0; i < stream->njobs; i++) {
        const struct stream_job *job = &stream->jobs[i];
        tori_job_spec spec = {.size = sizeof spec,
                              .estimate = job->estimate,
                              .tag = i,
                              .request = job->request,
                              .alternatives = job->instead,
                              .nalternatives = job->ninstead,
                              .only = job->only ? &job->only : NULL,
                              .priority = job->priority,
                              .earliest = job->earliest,
                              .hold = job->hold,
                              .done = job->done,
                              .flags = i % 7 == 3 ? TORI_JOB_STAYS : 0};
        tori_job number;
        scene->now += between (rng, 0, 2);
        if (chance (rng, 25)) {
            tori_time end;
            run (scene->sched, scene->now);
            drop_decisions (scene->sched);
            if (tori_sched_next_end (scene->sched, &end, &number))
                assert_int_equal (tori_sched_finish (scene->sched, scene->now,
                                                     number, NULL),
                                  0);
        }
        assert_int_equal (tori_sched_submit (scene->sched, scene->now, &spec,
                                             &number, NULL),
                          0);
        if (chance (rng, 5))
            assert_int_equal (
                tori_sched_set_down (scene->sched, scene->now,
                                     between (rng, 0, nodes - 1), true, NULL),
                0);
    }
    drop_decisions (scene->sched);
    for (size_t i = 0; i < scene->windows; i++)
        add_window (scene, rng, i ? "second" : "first");
}

static void model (struct scene *scene)
{
    const tori_machine *machine = scene->stream->machine;
    const tori_state *state = tori_sched_state (scene->after);
    scene->naive = naive_create (machine);
    scene->nrunning = tori_sched_running_jobs (scene->after, scene->running);
    for (size_t i = 0; i < scene->nrunning; i++) {
        scene->info[i].size = sizeof scene->info[i];
        assert_true (tori_sched_look (scene->after, scene->running[i],
                                      &scene->info[i]));
        naive_hold_place (scene->naive, scene->info[i].place, (int)i, false);
    }
    for (uint32_t i = 0; i < scene->naive->n; i++)
        scene->naive->nodes[i].down = tori_state_is_down (state, i);
}

/* ---- the reason ---- */

/* Whether it is the first in the queue that is not set aside. */
static bool is_head (const struct scene *scene, tori_job job)
{
    tori_job jobs[NAIVE_TAGS];
    size_t n = tori_sched_queued_jobs (scene->after, jobs);
    for (size_t i = 0; i < n; i++) {
        tori_job_info info = {.size = sizeof info};
        assert_true (tori_sched_look (scene->after, jobs[i], &info));
        if (!info.aside)
            return jobs[i] == job;
    }
    return false;
}

/* Whether it would be there in the time of a window that is not for it. */
static bool meets_window (const struct scene *scene, const tori_job_spec *spec,
                          const tori_window *window)
{
    tori_time length = spec->estimate - spec->done;
    return window->tags[0] != spec->tag
           && window->from < scene->now + (length > 0 ? length : 1)
           && scene->now < window->until;
}

/* How many waited before it when the run began; all, if it did not wait. */
static size_t rank_of (const struct scene *scene, tori_job job)
{
    size_t rank = 0;
    while (rank < scene->nqueued && scene->order_before[rank] != job)
        rank++;
    return rank == scene->nqueued ? 0 : rank;
}

/* The machine after the run, but for those with a higher rank that started in
 * it; and with the windows that a job meets as if they were taken. */
static struct naive *machine_at (const struct scene *scene, size_t rank,
                                 const tori_job_spec *beside)
{
    struct naive *naive = naive_create (scene->stream->machine);
    tori_window window = {.size = sizeof window};
    for (size_t i = 0; i < scene->nrunning; i++)
        if (rank_of (scene, scene->running[i]) <= rank)
            naive_hold_place (naive, scene->info[i].place, 0, false);
    for (uint32_t i = 0; i < naive->n; i++)
        naive->nodes[i].down = scene->naive->nodes[i].down;
    for (size_t i = 0; tori_sched_window (scene->after, i, &window); i++)
        if (beside && meets_window (scene, beside, &window))
            naive_hold_place (naive, window.place, 0, true);
    return naive;
}

/* The machine after the run, without the windows that have begun and are not
 * for this job; NULL: for any. */
static struct naive *machine_open (const struct scene *scene,
                                   const tori_job_spec *spec)
{
    struct naive *naive = machine_at (scene, SIZE_MAX, NULL);
    tori_window window = {.size = sizeof window};
    for (size_t i = 0; tori_sched_window (scene->after, i, &window); i++)
        if (window.from <= scene->now && scene->now < window.until
            && !(spec && window.tags[0] == spec->tag))
            naive_hold_place (naive, window.place, 0, true);
    return naive;
}

/* Why it does not fit there; TORI_REASON_STARTS if it does. */
static tori_reason refusal (struct naive *naive, const tori_request *request)
{
    struct survey survey;
    if (request->count > naive_free_count (naive))
        return TORI_REASON_NUMERICAL;
    if (request->shape.ndims == 0)
        return TORI_REASON_STARTS;
    survey = naive_survey (naive, request);
    return survey.found  ? TORI_REASON_STARTS
           : survey.free ? TORI_REASON_WIRING
                         : TORI_REASON_TOPOLOGICAL;
}

static tori_reason refusal_at (const struct scene *scene,
                               const tori_job_spec *spec, size_t rank,
                               bool beside)
{
    struct naive *naive = machine_at (scene, rank, beside ? spec : NULL);
    tori_reason reason;
    for (uint32_t i = 0; spec->only && i < naive->n; i++)
        if (!(*spec->only >> i & 1))
            naive->nodes[i].down = true;
    reason = refusal (naive, &spec->request);
    for (size_t i = 0; i < spec->nalternatives; i++) {
        tori_reason other = refusal (naive, &spec->alternatives[i]);
        if (reason != TORI_REASON_STARTS
            && (other == TORI_REASON_STARTS || other > reason))
            reason = other;
    }
    naive_destroy (naive);
    return reason;
}

static tori_reason reason_of (const struct scene *scene, const tori_why *why)
{
    size_t rank = rank_of (scene, why->job);
    tori_job_info info = {.size = sizeof info};
    tori_reason reason;
    assert_true (tori_sched_look (scene->after, why->job, &info));
    if (info.phase == TORI_JOB_RUNNING)
        return TORI_REASON_STARTS;
    if (why->spec->hold)
        return TORI_REASON_HELD;
    if (why->spec->earliest > scene->now)
        return TORI_REASON_NOT_YET;
    if (info.aside)
        return TORI_REASON_NODES;
    reason = refusal_at (scene, why->spec, SIZE_MAX, false);
    if (reason != TORI_REASON_STARTS
        && refusal_at (scene, why->spec, rank, false) != TORI_REASON_STARTS)
        return reason;
    if (strcmp (scene->policy, "fcfs") == 0 && !is_head (scene, why->job))
        return TORI_REASON_ORDER;
    return refusal_at (scene, why->spec, rank, true) != TORI_REASON_STARTS
               ? TORI_REASON_WINDOW
               : TORI_REASON_RESERVED;
}

static bool reserved (const struct scene *scene, tori_job job)
{
    const tori_placement *place;
    tori_time start;
    int held = tori_sched_reservation (scene->after, job, &start, &place,
                                       NULL);
    assert_true (held >= 0);
    return held;
}

/* Whom it waits for is the first, or holds the only reservation. */
static void check_behind (const struct scene *scene, const tori_why *why)
{
    size_t n = 0;
    if (why->reason == TORI_REASON_ORDER)
        assert_true (is_head (scene, why->behind));
    else if (why->reason == TORI_REASON_RESERVED) {
        for (size_t i = 0; i < scene->nqueued; i++)
            n += reserved (scene, scene->order_before[i]);
        assert_true (why->behind == TORI_NO_JOB
                         ? n > 1 || reserved (scene, why->job)
                         : n == 1 && reserved (scene, why->behind)
                               && why->behind != why->job);
    } else {
        assert_true (why->behind == TORI_NO_JOB);
    }
}

static bool share_node (const struct scene *scene, const tori_placement *a,
                        const tori_placement *b)
{
    const tori_machine *machine = scene->stream->machine;
    for (uint32_t i = 0; i < tori_machine_nodes (machine); i++)
        if (tori_placement_contains (a, machine, i)
            && tori_placement_contains (b, machine, i))
            return true;
    return false;
}

/* The first window that it would meet, at its place or anywhere. */
static const char *find_window (const struct scene *scene, const tori_why *why,
                                bool there)
{
    tori_window window = {.size = sizeof window};
    const char *first = NULL;
    tori_time from = TORI_TIME_MAX;
    for (size_t i = 0; tori_sched_window (scene->after, i, &window); i++)
        if (why->reason == TORI_REASON_WINDOW && window.from < from
            && meets_window (scene, why->spec, &window)
            && (!there
                || (why->place.count > 0
                    && share_node (scene, &why->place, window.place)))) {
            first = window.name;
            from = window.from;
        }
    return first;
}

/* A window that is named is one that it would meet: the first at its place, if
 * there is one. */
static void check_window (const struct scene *scene, const tori_why *why)
{
    const char *there = find_window (scene, why, true);
    const char *first = there ? there : find_window (scene, why, false);
    assert_true (first ? strcmp (first, why->window) == 0 : !why->window);
}

/* ---- the place that misses least ---- */

static uint32_t missing (const struct naive *naive, const tori_box *box)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < naive->n; i++)
        n += naive_contains (naive->machine, box, i)
             && !naive_is_free (naive, i);
    return n;
}

static uint32_t miss_least (const struct scene *scene,
                            const tori_request *request, uint32_t least,
                            tori_box *best)
{
    struct naive_boxes boxes = naive_boxes_of (scene->naive, request);
    tori_box box;
    while (naive_boxes_next (&boxes, &box)) {
        uint32_t n = missing (scene->naive, &box);
        if (n >= least
            || !tori_wiring_possible (scene->stream->machine, &box.shape,
                                      request->wiring))
            continue;
        least = n;
        *best = box;
    }
    free (boxes.rotations);
    return least;
}

/* For all the boxes that it asks for. */
static void check_place (const struct scene *scene, const tori_why *why)
{
    const tori_job_spec *spec = why->spec;
    tori_box best = {.shape.ndims = 0};
    uint32_t least = UINT32_MAX;
    for (size_t i = 0; i <= spec->nalternatives; i++) {
        const tori_request *request
            = i ? &spec->alternatives[i - 1] : &spec->request;
        if (request->shape.ndims > 0)
            least = miss_least (scene, request, least, &best);
    }
    assert_int_equal (least, why->missing);
    expect_same_box (&why->place.box, &best);
}

static void check_blockers (const struct scene *scene, const tori_why *why)
{
    size_t n = 0;
    for (size_t i = 0; i < scene->nrunning; i++) {
        size_t k = 0;
        uint32_t nodes = 0;
        if (!naive_share (scene->naive, &why->place, scene->info[i].place))
            continue;
        n++;
        while (k < why->nblockers
               && why->blockers[k].job != scene->running[i])
            k++;
        assert_true (k < why->nblockers);
        for (uint32_t node = 0; node < scene->naive->n; node++)
            nodes += scene->naive->nodes[node].owner == (int)i
                     && naive_contains (scene->stream->machine,
                                        &why->place.box, node);
        assert_int_equal (why->blockers[k].nodes, nodes);
    }
    assert_int_equal (why->nblockers, n);
}

/* No larger box is free. */
static void check_largest (const struct scene *scene, const tori_why *why)
{
    struct naive *naive = machine_open (scene, NULL);
    tori_request request = {.shape = *tori_machine_shape (scene->stream->machine),
                            .fixed = true};
    uint64_t most = 0;
    uint32_t sides[TORI_MAX_DIMS] = {0};
    do {
        for (int d = 0; d < request.shape.ndims; d++)
            request.shape.size[d] = sides[d] + 1;
        if (tori_shape_volume (&request.shape) > most
            && naive_survey (naive, &request).found)
            most = tori_shape_volume (&request.shape);
    } while (count_up (sides,
                       tori_machine_shape (scene->stream->machine)->size,
                       request.shape.ndims));
    assert_int_equal (why->largest.shape.ndims > 0
                          ? tori_shape_volume (&why->largest.shape)
                          : 0,
                      most);
    if (most > 0)
        assert_true (naive_box_free (naive, &why->largest));
    naive_destroy (naive);
}

/* ---- changes that help ---- */

/* Whether a job starts in the next run, where it is said to. */
static bool starts (tori_sched *sched, tori_time now, uint64_t tag,
                    const tori_placement *place)
{
    tori_decision decision = {.size = sizeof decision};
    bool found = false;
    run (sched, now);
    while (tori_sched_next (sched, &decision)) {
        if (decision.kind != TORI_START || decision.tag != tag)
            continue;
        found = true;
        if (place->nboxes)
            expect_same_box (&decision.place->box, &place->box);
    }
    return found;
}

static void check_ending (const struct scene *scene, const tori_why *why,
                          const tori_help *help)
{
    tori_sched *copy;
    assert_int_equal (tori_sched_copy (scene->after, &copy, NULL), 0);
    assert_int_equal (tori_sched_finish (copy, scene->now, help->job, NULL),
                      0);
    assert_true (starts (copy, scene->now, why->tag, &help->place));
    tori_sched_destroy (copy);
}

static int compare_tags (const void *a, const void *b)
{
    const tori_snapshot_job *x = a, *y = b;
    return (x->spec.tag > y->spec.tag) - (x->spec.tag < y->spec.tag);
}

/* Its scheduler; where it goes first now, nothing was promised to others. */
static tori_sched *make_sched (tori_snapshot *snapshot)
{
    tori_sched *sched;
    if (tori_snapshot_sched (snapshot, NULL, &sched, NULL) == 0)
        return sched;
    for (size_t i = 0; i < snapshot->nqueued; i++)
        snapshot->queue[i].promised = false;
    assert_int_equal (tori_snapshot_sched (snapshot, NULL, &sched, NULL), 0);
    return sched;
}

/* A scheduler in which the job has asked for that from the beginning. */
static bool starts_as (const struct scene *scene, uint64_t tag,
                       const tori_job_spec *spec, const tori_placement *place)
{
    tori_snapshot *snapshot;
    tori_sched *sched;
    bool found;
    assert_int_equal (tori_snapshot_take (scene->after, &snapshot, NULL), 0);
    qsort (snapshot->queue, snapshot->nqueued, sizeof *snapshot->queue,
           compare_tags);
    for (size_t i = 0; i < snapshot->nqueued; i++)
        if (snapshot->queue[i].spec.tag == tag) {
            snapshot->queue[i].promised = false;
            snapshot->queue[i].spec = *spec;
        }
    sched = make_sched (snapshot);
    found = starts (sched, scene->now, tag, place);
    tori_sched_destroy (sched);
    tori_snapshot_destroy (snapshot);
    return found;
}

static void check_request (const struct scene *scene, const tori_why *why,
                           const tori_help *help)
{
    assert_true (starts_as (scene, why->tag, &help->spec, &help->place));
}

/* A job that moves is allowed to, and takes all of its nodes with it. */
static void check_move (const struct scene *scene, const tori_help_move *move)
{
    tori_job_spec spec = {.size = sizeof spec};
    tori_job_info info = {.size = sizeof info};
    assert_true (tori_sched_spec (scene->after, move->job, &spec)
                 && tori_sched_look (scene->after, move->job, &info));
    assert_int_equal (spec.tag, move->tag);
    assert_false (spec.flags & TORI_JOB_STAYS);
    assert_int_equal (info.place->count, move->from->count);
    assert_int_equal (move->to->count, move->from->count);
    if (move->from->nboxes)
        expect_same_box (&info.place->box, &move->from->box);
}

/* A scheduler in which the others go to their new places. */
static void check_moves (const struct scene *scene, const tori_why *why,
                         const tori_help *help)
{
    tori_job jobs[NAIVE_TAGS];
    const tori_placement *to[NAIVE_TAGS];
    tori_sched *copy;
    uint64_t nodes = 0;
    for (size_t i = 0; i < help->nmoves; i++) {
        check_move (scene, &help->moves[i]);
        jobs[i] = help->moves[i].job;
        to[i] = help->moves[i].to;
        nodes += to[i]->count;
    }
    assert_true (help->nmoves > 0 && nodes == help->nodes);
    assert_int_equal (tori_sched_copy (scene->after, &copy, NULL), 0);
    assert_int_equal (tori_sched_move_all (copy, scene->now, jobs, to,
                                           help->nmoves, NULL),
                      0);
    assert_true (starts (copy, scene->now, why->tag, &help->place));
    tori_sched_destroy (copy);
}

/* Each change is of its kind, and no other. */
static void check_kind (const tori_why *why, const tori_help *help)
{
    const tori_job_spec *is = &help->spec, *was = why->spec;
    uint64_t nodes = tori_request_nodes (&is->request);
    assert_int_equal (is->tag, was->tag);
    assert_true (help->change == TORI_CHANGE_ESTIMATE
                     ? is->estimate < was->estimate
                     : is->estimate == was->estimate);
    assert_true (help->change == TORI_CHANGE_WIRING
                     ? is->request.wiring < was->request.wiring
                     : is->request.wiring == was->request.wiring);
    assert_true (help->change == TORI_CHANGE_COUNT
                     ? nodes < tori_request_nodes (&was->request)
                           && 2 * nodes >= tori_request_nodes (&was->request)
                     : nodes == tori_request_nodes (&was->request));
    assert_true (is->request.fixed == was->request.fixed);
    assert_true (help->change == TORI_CHANGE_SHAPE
                 || help->change == TORI_CHANGE_COUNT
                 || tori_shape_equal (&is->request.shape,
                                      &was->request.shape));
}

/* ---- all of it ---- */

typedef void check_fn (const struct scene *scene, const tori_why *why,
                       const tori_help *help);

static check_fn *const checks[NCHANGES] = {
    [TORI_CHANGE_WIRING] = check_request,
    [TORI_CHANGE_SHAPE] = check_request,
    [TORI_CHANGE_COUNT] = check_request,
    [TORI_CHANGE_ESTIMATE] = check_request,
    [TORI_CHANGE_JOB] = check_ending,
    [TORI_CHANGE_MOVES] = check_moves,
};

/* How many nodes are free that it may use. */
static uint32_t free_for (const struct naive *naive, const tori_job_spec *spec)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < naive->n; i++)
        n += naive_is_free (naive, i)
             && (!spec->only || *spec->only >> i & 1);
    return n;
}

static void check_kept (struct scene *scene, const tori_why *why)
{
    struct naive *naive = machine_open (scene, why->spec);
    assert_int_equal (why->kept, why->free - free_for (naive, why->spec));
    scene->kept += why->kept;
    naive_destroy (naive);
}

static int check (void *arg, const tori_why *why)
{
    struct scene *scene = arg;
    char text[512];
    tori_why_text (why, scene->stream->machine, text, sizeof text);
    assert_true (text[0] != '\0');
    assert_int_equal (why->reason, reason_of (scene, why));
    assert_int_equal (why->free, free_for (scene->naive, why->spec));
    check_kept (scene, why);
    check_behind (scene, why);
    check_window (scene, why);
    scene->reasons[why->reason]++;
    if (why->place.count > 0) {
        check_place (scene, why);
        check_blockers (scene, why);
    }
    if (why->reason == TORI_REASON_TOPOLOGICAL)
        check_largest (scene, why);
    for (size_t i = 0; i < why->nhelps; i++) {
        const tori_help *help = &why->helps[i];
        scene->helped[help->change]++;
        check_kind (why, help);
        checks[help->change](scene, why, help);
    }
    return 0;
}

/* The same is said of a job that alone is asked about. */
static int check_one (void *arg, const tori_why *why)
{
    struct scene *scene = arg;
    assert_int_equal (why->tag, scene->asked);
    scene->asked = UINT64_MAX;
    return check (scene, why);
}

static void check_some (struct scene *scene)
{
    tori_job_info info = {.size = sizeof info};
    if (scene->nqueued == 0)
        return;
    tori_sched_look (scene->sched, scene->order_before[scene->nqueued / 2],
                     &info);
    scene->asked = info.tag;
    assert_int_equal (tori_why_some (scene->sched, &info.tag, 1, check_one,
                                     scene, NULL),
                      0);
    assert_true (scene->asked == UINT64_MAX);
    assert_int_equal (tori_why_some (scene->sched, NULL, 0, check_one, scene,
                                     NULL),
                      0);
}

/* Play it, and a copy runs. */
static void open_scene (struct scene *scene, struct rng *rng)
{
    tori_sched_config config = {
        .size = sizeof config,
        .policy = scene->policy,
        .alloc = TORI_ALLOC (scene->alloc),
        .counts = scene->counts ? TORI_ALLOC (scene->counts) : NULL,
        .order = scene->order,
        .flags = scene->windows ? TORI_SCHED_PLACES : 0,
        .move = scene->move,
    };
    assert_int_equal (tori_sched_create (scene->stream->machine,
                                         &config, &scene->sched, NULL),
                      0);
    play_scene (scene, rng);
    scene->nqueued = tori_sched_queued_jobs (scene->sched,
                                             scene->order_before);
    assert_int_equal (tori_sched_copy (scene->sched, &scene->after, NULL), 0);
    run (scene->after, scene->now);
    drop_decisions (scene->after);
}

static void look_at (struct scene *scene, uint64_t seed)
{
    struct rng rng;
    rng_seed (&rng, seed, 11);
    scene->move = (tori_time)(seed % 3);
    open_scene (scene, &rng);
    model (scene);
    assert_int_equal (tori_why_each (scene->sched, check, scene, NULL), 0);
    check_some (scene);
    naive_destroy (scene->naive);
    tori_sched_destroy (scene->after);
    tori_sched_destroy (scene->sched);
}

struct counts {
    size_t helped[NCHANGES], reasons[NREASONS], kept;
    bool windows; /* some scenes have one */
};

/* The allocators: one, or one for shapes and one for counts. */
struct placers {
    const char *alloc, *counts;
};

static void one_scene (uint64_t seed, size_t i, const char *policy,
                       struct placers placers, struct counts *counts)
{
    unsigned takes = tori_alloc_find (placers.alloc)->takes;
    struct stream_options options
        = {.takes = takes,
           .jobs = 24,
           .changes = i % 2,
           .max_nodes = 48,
           .choices = i % 4 == 3 && takes & TORI_BY_SHAPE ? 50 : 0,
           .limits = i % 4 == 1 && takes & TORI_BY_SHAPE ? 40 : 0,
           .estimates = OVER};
    struct stream stream;
    struct scene scene = {.stream = &stream,
                          .policy = policy,
                          .alloc = placers.alloc,
                          .counts = placers.counts,
                          .order = (tori_order)(i % 4),
                          .windows = counts->windows && i % 3 == 2
                                         ? 1 + i / 3 % 2
                                         : 0,
                          .helped = counts->helped,
                          .reasons = counts->reasons};
    if (placers.counts)
        options.takes |= tori_alloc_find (placers.counts)->takes;
    stream_create (&stream, seed, &options);
    look_at (&scene, seed + 1);
    counts->kept += scene.kept;
    stream_destroy (&stream);
}

/* It is chance what less than so many cases have. */
enum { FEW = 20 };

static void many_scenes (uint64_t seed, const struct placers placers[],
                         size_t n, struct counts *counts)
{
    for (size_t p = 0; tori_sched_list (p); p++)
        for (size_t a = 0; a < n; a++)
            for (size_t i = 0; i < random_cases (67); i++)
                one_scene (seed++, i, tori_sched_list (p)->name, placers[a],
                           counts);
    if (random_cases (67) < FEW)
        return;
    for (size_t i = 0; i < NCHANGES; i++)
        assert_true (counts->helped[i] > random_cases (4));
    assert_true (counts->reasons[TORI_REASON_WIRING] > random_cases (3)
                 && counts->reasons[TORI_REASON_RESERVED] > random_cases (14)
                 && counts->reasons[TORI_REASON_WINDOW] > 10);
    assert_true (!counts->windows || counts->kept > random_cases (14));
}

TEST (truth)
{
    static const struct placers placers[]
        = {{"first-fit"}, {"best-fit"}, {"row-bf"}, {"mm"}};
    struct counts counts = {.windows = true};
    many_scenes (9000, placers, LENGTH (placers), &counts);
}

/* Shapes and counts in one queue. */
TEST (mixed)
{
    static const struct placers placers[]
        = {{"first-fit", "mm"}, {"best-fit", "row-ff"}};
    struct counts counts = {.windows = true};
    many_scenes (19000, placers, LENGTH (placers), &counts);
}

/* A job that outlived its estimate ends in an instant in which places were
 * searched for in vain before. */
TEST (overdue)
{
    struct counts counts = {0};
    one_scene (35363, 363, "conservative", (struct placers){"best-fit"},
               &counts);
}

/* ---- pods ---- */

static const tori_help *help_of (const tori_why *why, tori_change change)
{
    for (size_t i = 0; i < why->nhelps; i++)
        if (why->helps[i].change == change)
            return &why->helps[i];
    return NULL;
}

/* Every shape of the pod that would start a job: none if no help says so, and
 * none with more nodes than the help. */
static void check_shapes (const struct scene *scene, const tori_why *why)
{
    const tori_shape sides = longest_sides (scene->stream->machine);
    const tori_help *same = help_of (why, TORI_CHANGE_SHAPE);
    const tori_help *fewer = help_of (why, TORI_CHANGE_COUNT);
    uint64_t volume = tori_shape_volume (&why->spec->request.shape);
    uint64_t most
        = fewer ? tori_shape_volume (&fewer->spec.request.shape) : 0;
    uint32_t at[TORI_MAX_DIMS] = {0};
    do {
        tori_job_spec spec = *why->spec;
        uint64_t nodes = 1;
        for (int d = 0; d < sides.ndims; d++)
            nodes *= spec.request.shape.size[d] = at[d] + 1;
        spec.request.fixed = false;
        spec.request.count = (uint32_t)nodes;
        if (nodes == volume ? !same && why->reason != TORI_REASON_NUMERICAL
                            : nodes < volume && 2 * nodes >= volume
                                  && nodes > most)
            assert_false (starts_as (scene, why->tag, &spec,
                                     &(const tori_placement){0}));
    } while (count_up (at, sides.size, sides.ndims));
}

static int check_pod (void *arg, const tori_why *why)
{
    struct scene *scene = arg;
    bool asked = why->reason == TORI_REASON_NUMERICAL
                 || why->reason == TORI_REASON_TOPOLOGICAL
                 || why->reason == TORI_REASON_WIRING
                 || why->reason == TORI_REASON_RESERVED;
    for (size_t i = 0; i < why->nhelps; i++) {
        const tori_help *help = &why->helps[i];
        scene->helped[help->change]++;
        check_kind (why, help);
        checks[help->change](scene, why, help);
    }
    if (asked)
        check_shapes (scene, why);
    return 0;
}

/* Helps alone, and that there are no others of kinds shape and count. */
TEST (pods)
{
    size_t helped[NCHANGES] = {0}, cases = random_cases (67);
    for (uint64_t seed = 1; seed <= cases; seed++) {
        const struct stream_options options = {.takes = TORI_BY_SHAPE,
                                               .jobs = 12,
                                               .estimates = OVER,
                                               .pods = true};
        struct rng rng;
        struct stream stream;
        struct scene scene = {.stream = &stream,
                              .policy = seed % 2 ? "easy" : "fcfs",
                              .alloc = seed % 3 ? "cube-best" : "cube-first",
                              .helped = helped};
        stream_create (&stream, 23000 + seed, &options);
        rng_seed (&rng, seed, 12);
        open_scene (&scene, &rng);
        assert_false (tori_why_each (scene.sched, check_pod, &scene, NULL));
        tori_sched_destroy (scene.after);
        tori_sched_destroy (scene.sched);
        stream_destroy (&stream);
    }
    assert_true (cases < FEW
                 || (helped[TORI_CHANGE_SHAPE] > cases / 30
                     && helped[TORI_CHANGE_COUNT] > cases / 2));
}

/* ---- machines with too many shapes to ask for all ---- */

/* One job has a slice of the machine, so what is free is a box. */
struct rest {
    tori_shape free; /* its sides in ascending order */
    size_t *helped;
};

static bool goes_in (const tori_shape *shape, const struct rest *rest)
{
    for (int d = 0; d < shape->ndims; d++)
        if (shape->size[d] > rest->free.size[d])
            return false;
    return true;
}

/* Whether a box of so many nodes goes in, with sides from this one on. */
static bool goes_in_somehow (uint64_t nodes, uint32_t side, int dim,
                             const struct rest *rest)
{
    bool found = false;
    if (dim == rest->free.ndims - 1)
        return nodes >= side && nodes <= rest->free.size[dim];
    for (; side <= rest->free.size[dim] && !found; side++)
        found = nodes % side == 0
                && goes_in_somehow (nodes / side, side, dim + 1, rest);
    return found;
}

static int check_rest (void *arg, const tori_why *why)
{
    const struct rest *rest = arg;
    uint64_t nodes = tori_shape_volume (&why->spec->request.shape);
    uint64_t most = tori_shape_volume (&rest->free);
    bool given[NCHANGES] = {false};
    assert_int_equal (tori_shape_volume (&why->largest.shape), most);
    for (size_t i = 0; i < why->nhelps; i++) {
        const tori_help *help = &why->helps[i];
        tori_shape shape = help->spec.request.shape;
        uint64_t its = tori_shape_volume (&shape);
        given[help->change] = true;
        rest->helped[help->change]++;
        tori_shape_sort (&shape);
        if (help->change == TORI_CHANGE_SHAPE)
            assert_true (its == nodes && goes_in (&shape, rest));
        if (help->change == TORI_CHANGE_COUNT)
            assert_true (its < nodes && 2 * its >= nodes
                         && goes_in (&shape, rest)
                         && (nodes <= most || its == most));
    }
    assert_int_equal (given[TORI_CHANGE_SHAPE],
                      goes_in_somehow (nodes, 1, 0, rest));
    assert_true (given[TORI_CHANGE_SHAPE] || given[TORI_CHANGE_COUNT]
                 || 2 * most < nodes);
    return 0;
}

static void submit (tori_sched *sched, const tori_shape *shape, bool fixed)
{
    tori_job_spec spec = {.size = sizeof spec,
                          .request = {.shape = *shape, .fixed = fixed},
                          .estimate = 100 * TORI_SECOND};
    tori_job job;
    assert_int_equal (tori_sched_submit (sched, 0, &spec, &job, NULL), 0);
}

/* A box that the machine has, and the rest has not. */
static tori_shape too_large (struct rng *rng, const tori_shape *sides,
                             const struct rest *rest)
{
    tori_shape shape = *sides, sorted;
    do {
        for (int d = 0; d < shape.ndims; d++)
            shape.size[d] = between (rng, 2, sides->size[d]);
        sorted = shape;
        tori_shape_sort (&sorted);
    } while (goes_in (&sorted, rest));
    return shape;
}

TEST (many_shapes)
{
    static const char *const machines[]
        = {"mesh:32x32x32", "mesh:24x40x36", "mesh:64x64x64", "mesh:60x70",
           "mesh:700x500",  "mesh:12x12x12x12", "mesh:4x4x300"};
    size_t helped[NCHANGES] = {0};
    struct rng rng = seeded (31);
    for (size_t i = 0; i < random_cases (20 * LENGTH (machines)); i++) {
        AUTO_MACHINE *machine
            = make_machine (machines[i % LENGTH (machines)]);
        tori_shape sides = *tori_machine_shape (machine), slice = sides, large;
        struct rest rest = {.free = sides, .helped = helped};
        tori_sched *sched;
        slice.size[0] = between (&rng, 1, sides.size[0] - 1);
        rest.free.size[0] -= slice.size[0];
        tori_shape_sort (&rest.free);
        large = too_large (&rng, &sides, &rest);
        assert_int_equal (
            tori_sched_create (
                machine, TORI_SCHED ("easy", TORI_ALLOC ("first-fit")), &sched,
                NULL),
            0);
        submit (sched, &slice, true);
        run (sched, 0);
        submit (sched, &large, false);
        assert_int_equal (tori_why_each (sched, check_rest, &rest, NULL), 0);
        tori_sched_destroy (sched);
    }
    assert_true (helped[TORI_CHANGE_SHAPE] > 0);
    assert_true (helped[TORI_CHANGE_COUNT] > 0);
}
