/* `why`, a forecast and the simulation tell the same future, and every change
 * that is said to start a job starts it: with jobs that may not start yet, that
 * take the place of others, or that were suspended; and on all kinds of machines
 * with wirings, folds, alternatives, windows, and nodes out of service. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tori/forecast.h>
#include <tori/sim.h>
#include <tori/snapshot.h>
#include <tori/why.h>

#include "placement.h"

enum { MOST = 12, NEVER = -1, LATEST = 12 };

/* A scheduler in the middle of something. Tags are indexes. */
struct scene {
    tori_machine *machine;
    tori_sched *sched;
    tori_time now;
    tori_work work[MOST];
    size_t n, nrunning;
};

/* ---- a scene ---- */

static tori_request request_of (const tori_shape *shape)
{
    return (tori_request){.shape = *shape,
                          .count = (uint32_t)tori_shape_volume (shape)};
}

static tori_job_spec next_spec (struct scene *scene, struct rng *rng,
                                const tori_shape *shape)
{
    tori_job_spec spec = {
        .size = sizeof spec,
        .tag = scene->n,
        .request = request_of (shape),
        .estimate = between (rng, 1, 50),
        .level = chance (rng, 35) ? between (rng, 1, 2) : 0,
        .preempted = (tori_preempted)between (rng, 0, 3),
        .checkpoint = chance (rng, 30) ? between (rng, 1, 9) : 0,
    };
    return spec;
}

static void note_work (struct scene *scene, const tori_job_spec *spec)
{
    scene->work[scene->n] = (tori_work){.id = (int64_t)scene->n,
                                        .runtime = spec->estimate,
                                        .estimate = spec->estimate,
                                        .asked = spec->request.count,
                                        .request = spec->request,
                                        .owner = TORI_NO_OWNER};
    scene->n++;
}

/* A job runs in a random place, if that is free. */
static void add_running (struct scene *scene, struct rng *rng)
{
    tori_box box = random_box (rng, scene->machine, 3, false);
    tori_job_spec spec = next_spec (scene, rng, &box.shape);
    tori_time start = between (rng, 0, (uint32_t)scene->now);
    tori_placement place;
    tori_job job;
    spec.estimate += scene->now - start;
    assert_int_equal (
        tori_placement_of_boxes (&box, 1, TORI_WIRE_NONE, &place, NULL), 0);
    if (tori_sched_adopt (scene->sched, scene->now, &spec, start, &place, &job,
                          NULL)
        == 0) {
        note_work (scene, &spec);
        scene->nrunning++;
    }
    tori_placement_clear (&place);
}

static void add_suspended (struct scene *scene, struct rng *rng)
{
    tori_box box = random_box (rng, scene->machine, 3, false);
    tori_job_spec spec = next_spec (scene, rng, &box.shape);
    tori_placement place;
    tori_job job;
    spec.estimate++;
    spec.done = between (rng, 0, (uint32_t)spec.estimate - 1);
    assert_int_equal (
        tori_placement_of_boxes (&box, 1, TORI_WIRE_NONE, &place, NULL), 0);
    assert_int_equal (tori_sched_adopt_suspended (scene->sched, scene->now,
                                                  &spec, spec.done / 2, &place,
                                                  &job, NULL),
                      0);
    note_work (scene, &spec);
    tori_placement_clear (&place);
}

static void add_waiting (struct scene *scene, struct rng *rng)
{
    tori_box box = random_box (rng, scene->machine, 4, false);
    tori_job_spec spec = next_spec (scene, rng, &box.shape);
    tori_job job;
    if (chance (rng, 20)) {
        add_suspended (scene, rng);
        return;
    }
    spec.priority = chance (rng, 30) ? between (rng, 1, 2) : 0;
    if (chance (rng, 30))
        spec.earliest = scene->now + between (rng, 1, LATEST);
    if (chance (rng, 10))
        spec.hold = TORI_HOLD_USER;
    assert_int_equal (
        tori_sched_submit (scene->sched, scene->now, &spec, &job, NULL), 0);
    note_work (scene, &spec);
}

static void open_random (struct scene *scene, uint64_t seed, uint32_t work)
{
    static const char *const machines[]
        = {"mesh:4", "mesh:4x4", "torus:3x4", "mesh:2x3x2", "mesh:5x3"};
    struct rng rng;
    tori_sched_config config = {.size = sizeof config, .work = work};
    rng_seed (&rng, seed, 29);
    *scene = (struct scene){
        .machine = make_machine (machines[seed % LENGTH (machines)]),
        .now = between (&rng, 0, 20)};
    config.policy = tori_sched_list (seed / 8 % 4)->name;
    config.alloc = TORI_ALLOC (seed / 4 % 2 ? "best-fit" : "first-fit");
    assert_int_equal (
        tori_sched_create (scene->machine, &config, &scene->sched, NULL), 0);
    for (uint32_t i = between (&rng, 0, 5); i-- > 0;)
        add_running (scene, &rng);
    for (uint32_t i = between (&rng, 1, 6); i-- > 0;)
        add_waiting (scene, &rng);
}

/* A scene that somebody wrote: jobs with a box run from 0 on, the others wait
 * in this order. */
struct row {
    const char *box, *shape;
    tori_time estimate;
    int64_t priority;
    uint32_t level;
    tori_preempted preempted;
};

struct story {
    const char *machine, *policy, *alloc;
    tori_time now;
    struct row rows[MOST];
};

static void add_row (struct scene *scene, const struct row *row)
{
    tori_box box = {0};
    tori_placement place;
    tori_job job;
    tori_job_spec spec = {.size = sizeof spec,
                          .tag = scene->n,
                          .estimate = row->estimate,
                          .priority = row->priority,
                          .level = row->level,
                          .preempted = row->preempted};
    tori_shape shape;
    if (row->box)
        box = make_box (scene->machine, row->box);
    shape = row->box ? box.shape : make_shape (row->shape);
    spec.request = request_of (&shape);
    note_work (scene, &spec);
    if (!row->box) {
        assert_int_equal (
            tori_sched_submit (scene->sched, scene->now, &spec, &job, NULL),
            0);
        return;
    }
    assert_int_equal (
        tori_placement_of_boxes (&box, 1, TORI_WIRE_NONE, &place, NULL), 0);
    assert_int_equal (tori_sched_adopt (scene->sched, scene->now, &spec, 0,
                                        &place, &job, NULL),
                      0);
    scene->nrunning++;
    tori_placement_clear (&place);
}

static void open_story (struct scene *scene, const struct story *story,
                        uint32_t work)
{
    tori_sched_config config = {.size = sizeof config,
                                .policy = story->policy,
                                .alloc = TORI_ALLOC (story->alloc),
                                .work = work};
    *scene = (struct scene){.machine = make_machine (story->machine),
                            .now = story->now};
    assert_int_equal (
        tori_sched_create (scene->machine, &config, &scene->sched, NULL), 0);
    for (size_t i = 0; story->rows[i].box || story->rows[i].shape; i++)
        add_row (scene, &story->rows[i]);
}

/* ---- a scene with everything ---- */

static void settle (tori_sched *sched, tori_time now)
{
    tori_decision decision = {.size = sizeof decision};
    do {
        assert_int_equal (tori_sched_run (sched, now, NULL), 0);
        while (tori_sched_next (sched, &decision))
            ;
    } while (tori_sched_unfinished (sched));
}

static tori_request random_request (const struct scene *scene,
                                    struct rng *rng)
{
    const tori_machine *machine = scene->machine;
    int first = tori_machine_is_pod (machine);
    int last = tori_machine_ndims (machine);
    tori_request request = {.count = between (rng, 1, 6)};
    if (!first && chance (rng, 15))
        return request;
    for (int d = first; d < last; d++) {
        uint32_t side = tori_machine_size (machine, d);
        request.shape.size[d - first] = between (rng, 1, side + 2 * first);
    }
    request.shape.ndims = last - first;
    request.count = (uint32_t)tori_shape_volume (&request.shape);
    if (chance (rng, 50))
        request.wiring = (tori_wiring)between (rng, 0, 2);
    request.wrap = chance (rng, 20);
    request.fixed = chance (rng, 20);
    if (!request.fixed && chance (rng, 20))
        request.flags = TORI_REQUEST_FOLD;
    return request;
}

/* Submit a job; one that can never run has not come. */
static bool submit_any (struct scene *scene, struct rng *rng, bool waits,
                        tori_job *ret_job)
{
    tori_request other = random_request (scene, rng);
    uint64_t only = between (rng, 1, UINT32_MAX);
    tori_decision decision = {.size = sizeof decision};
    tori_job_spec spec = {
        .size = sizeof spec,
        .tag = scene->n,
        .request = random_request (scene, rng),
        .estimate = between (rng, waits ? 1 : LATEST + 1, 30),
        .priority = chance (rng, 20) ? between (rng, 1, 2) : 0,
        .level = waits && chance (rng, 15) ? between (rng, 1, 2) : 0,
        .preempted = (tori_preempted)between (rng, 0, 3),
        .checkpoint = chance (rng, 30) ? between (rng, 1, 9) : 0,
        .alternatives = &other,
        .nalternatives = chance (rng, 15),
        .only = chance (rng, 10) ? &only : NULL,
    };
    if (waits && chance (rng, 20))
        spec.earliest = scene->now + between (rng, 1, LATEST);
    if (waits && chance (rng, 5))
        spec.hold = TORI_HOLD_USER;
    assert_int_equal (
        tori_sched_submit (scene->sched, scene->now, &spec, ret_job, NULL), 0);
    while (*ret_job == TORI_NO_JOB && tori_sched_next (scene->sched, &decision))
        ;
    if (*ret_job == TORI_NO_JOB)
        return false;
    note_work (scene, &spec);
    return true;
}

/* A job runs wherever the scheduler puts it, or is forgotten. */
static void start_any (struct scene *scene, struct rng *rng)
{
    tori_job job;
    tori_job_info info = {.size = sizeof info};
    scene->now += between (rng, 0, 3);
    if (!submit_any (scene, rng, false, &job))
        return;
    settle (scene->sched, scene->now);
    assert_true (tori_sched_look (scene->sched, job, &info));
    if (info.phase == TORI_JOB_RUNNING) {
        scene->nrunning++;
        return;
    }
    assert_int_equal (tori_sched_cancel (scene->sched, scene->now, job, NULL),
                      0);
    scene->n--;
}

static void take_out (struct scene *scene, struct rng *rng)
{
    uint32_t nodes = tori_machine_nodes (scene->machine);
    uint32_t node = between (rng, 0, nodes - 1);
    const tori_state *state = tori_sched_state (scene->sched);
    bool down = tori_state_node (state, node) == TORI_NODE_FREE;
    assert_int_equal ((down ? tori_sched_set_down : tori_sched_set_drained) (
                          scene->sched, scene->now, node, true, NULL),
                      0);
}

static void add_window (struct scene *scene, struct rng *rng)
{
    tori_box box = random_box (rng, scene->machine, 3, false);
    tori_placement place;
    uint64_t tag = between (rng, 0, MOST);
    tori_window window = {.size = sizeof window,
                          .name = "window",
                          .from = scene->now + between (rng, 0, 20),
                          .place = &place,
                          .tags = &tag,
                          .ntags = chance (rng, 50)};
    window.until = window.from + between (rng, 1, 20);
    assert_int_equal (
        tori_placement_of_boxes (&box, 1, TORI_WIRE_NONE, &place, NULL), 0);
    assert_int_equal (
        tori_sched_add_window (scene->sched, scene->now, &window, NULL), 0);
    tori_placement_clear (&place);
}

static void open_varied (struct scene *scene, uint64_t seed, uint32_t work)
{
    static const char *const machines[]
        = {"torus:4x3", "multitorus:4x4", "pod:3/2x2", "mesh:5x2",
           "multitorus:7", "pod:2/2x2x2", "torus:3x2x2"};
    static const char *const allocs[2][2]
        = {{"first-fit", "best-fit"}, {"cube-first", "cube-best"}};
    struct rng rng;
    bool pod;
    tori_sched_config config = {.size = sizeof config,
                                .work = work,
                                .flags = TORI_SCHED_PLACES};
    rng_seed (&rng, seed, 31);
    *scene = (struct scene){
        .machine = make_machine (machines[seed % LENGTH (machines)])};
    pod = tori_machine_is_pod (scene->machine);
    config.policy = tori_sched_list (between (&rng, 0, 3))->name;
    config.alloc = TORI_ALLOC (allocs[pod][between (&rng, 0, 1)]);
    config.counts = pod ? NULL : TORI_ALLOC ("mm");
    config.order = (tori_order)between (&rng, 0, 3);
    if (chance (&rng, 30) && strcmp (config.policy, "fcfs") != 0)
        config.depth = between (&rng, 1, 3);
    if (chance (&rng, 10))
        config.flags |= TORI_SCHED_MOVES;
    assert_int_equal (
        tori_sched_create (scene->machine, &config, &scene->sched, NULL), 0);
    for (uint32_t i = between (&rng, 0, 4); i-- > 0;)
        start_any (scene, &rng);
    for (uint32_t i = between (&rng, 0, 2); i-- > 0;)
        take_out (scene, &rng);
    settle (scene->sched, scene->now);
    if (chance (&rng, 30))
        add_window (scene, &rng);
    for (uint32_t i = between (&rng, 1, 5); i-- > 0;) {
        tori_job job;
        submit_any (scene, &rng, true, &job);
    }
}

/* A story, or else a random scene. */
struct origin {
    const struct story *story;
    uint64_t seed;
    bool varied;
};

static void open_scene (struct scene *scene, const struct origin *origin,
                        uint32_t work)
{
    if (origin->story)
        open_story (scene, origin->story, work);
    else
        (origin->varied ? open_varied : open_random) (scene, origin->seed,
                                                      work);
}

static void close_scene (struct scene *scene)
{
    tori_sched_destroy (scene->sched);
    tori_machine_destroy (scene->machine);
}

/* ---- starts ---- */

struct starts {
    const struct scene *scene;
    tori_time at[MOST];
    uint32_t nodes[MOST]; /* bit sets; 0 if they are not told */
};

static uint32_t nodes_of (const struct scene *scene,
                          const tori_placement *place)
{
    uint32_t ids[32], set = 0;
    assert_true (place->count <= LENGTH (ids));
    tori_placement_nodes (place, scene->machine, ids);
    for (uint32_t i = 0; i < place->count; i++)
        set |= UINT32_C (1) << ids[i];
    return set;
}

static struct starts no_starts (const struct scene *scene)
{
    struct starts starts = {.scene = scene};
    for (size_t i = 0; i < MOST; i++)
        starts.at[i] = NEVER;
    return starts;
}

static void on_forecast (void *arg, const tori_forecast *it)
{
    struct starts *starts = arg;
    if (it->tag < starts->scene->nrunning || starts->at[it->tag] != NEVER)
        return;
    starts->at[it->tag] = it->start;
    starts->nodes[it->tag] = nodes_of (starts->scene, it->place);
}

/* Jobs start that run in the time from now on. */
static int on_pass (void *arg, const tori_sched *sched, tori_time now,
                    tori_time until, tori_error *err)
{
    struct starts *starts = arg;
    tori_job jobs[MOST];
    size_t n = tori_sched_running_jobs (sched, jobs);
    for (size_t i = 0; i < n; i++) {
        tori_job_info info = {.size = sizeof info};
        assert_true (tori_sched_look (sched, jobs[i], &info));
        on_forecast (starts,
                     &(tori_forecast){jobs[i], info.tag, now, info.place});
    }
    return 0;
}

static void simulate (const struct scene *scene, struct starts *starts)
{
    tori_work work[MOST];
    tori_workload workload = {.jobs = work, .n = scene->n};
    tori_sim_config config = {.size = sizeof config,
                              .machine = scene->machine,
                              .on_pass = on_pass,
                              .arg = starts,
                              .resume = scene->sched};
    tori_sim_result result;
    tori_error err = {0};
    memcpy (work, scene->work, sizeof work);
    if (tori_sim_run (&config, &workload, &result, &err) < 0)
        fail_msg ("the simulation: %s", err.text);
}

/* ---- helps ---- */

/* As a driver does: decisions are carried out. */
static void run_once (tori_sched *sched, tori_time now)
{
    tori_decision decision = {.size = sizeof decision};
    assert_int_equal (tori_sched_run (sched, now, NULL), 0);
    while (tori_sched_next (sched, &decision))
        ;
}

/* Whether a job runs after a run. */
static bool begins (tori_sched *sched, tori_time now, uint64_t tag)
{
    tori_job jobs[MOST];
    size_t n;
    bool found = false;
    run_once (sched, now);
    n = tori_sched_running_jobs (sched, jobs);
    for (size_t i = 0; i < n; i++) {
        tori_job_info info = {.size = sizeof info};
        assert_true (tori_sched_look (sched, jobs[i], &info));
        found |= info.tag == tag;
    }
    return found;
}

/* Whether it starts in a file in which it asks for that. */
static bool starts_in_file (const struct scene *scene, const tori_help *help)
{
    tori_snapshot *snapshot;
    tori_sched *sched;
    bool found;
    assert_int_equal (tori_snapshot_take (scene->sched, &snapshot, NULL), 0);
    for (size_t i = 0; i < snapshot->nqueued; i++) {
        if (snapshot->queue[i].spec.tag == help->spec.tag)
            snapshot->queue[i].spec = help->spec;
        assert_false (snapshot->queue[i].promised);
    }
    assert_int_equal (tori_snapshot_sched (snapshot, NULL, &sched, NULL), 0);
    found = begins (sched, scene->now, help->spec.tag);
    tori_sched_destroy (sched);
    tori_snapshot_destroy (snapshot);
    return found;
}

/* ... and if a service that has run replaces its request. */
static bool starts_instead (const struct scene *scene, tori_sched *after,
                            tori_job job, const tori_help *help)
{
    tori_sched *sched;
    bool found;
    assert_int_equal (tori_sched_copy (after, &sched, NULL), 0);
    assert_int_equal (tori_sched_cancel (sched, scene->now, job, NULL), 0);
    assert_int_equal (
        tori_sched_submit (sched, scene->now, &help->spec, &job, NULL), 0);
    found = begins (sched, scene->now, help->spec.tag);
    tori_sched_destroy (sched);
    return found;
}

static bool is_running (const tori_sched *sched, tori_job job)
{
    tori_job_info info = {.size = sizeof info};
    return tori_sched_look (sched, job, &info)
           && info.phase == TORI_JOB_RUNNING;
}

static bool runs_at (const tori_sched *sched, tori_job job,
                     const tori_placement *place)
{
    tori_job_info info = {.size = sizeof info};
    return tori_sched_look (sched, job, &info) && info.place
           && placement_equal (info.place, place);
}

/* Whether all that the help is about run, those that move where they are said
 * to: some may start in the run. */
static bool applies (const tori_sched *sched, const tori_help *help)
{
    for (size_t i = 0; i < help->nmoves; i++)
        if (!runs_at (sched, help->moves[i].job, help->moves[i].from))
            return false;
    return help->change != TORI_CHANGE_JOB || is_running (sched, help->job);
}

/* Whether it starts after other jobs have ended or moved. */
static bool starts_after (const struct scene *scene, tori_sched *before,
                          const tori_help *help)
{
    tori_job jobs[MOST];
    const tori_placement *to[MOST];
    tori_sched *sched;
    bool found;
    assert_int_equal (tori_sched_copy (before, &sched, NULL), 0);
    for (size_t i = 0; i < help->nmoves; i++) {
        jobs[i] = help->moves[i].job;
        to[i] = help->moves[i].to;
    }
    assert_int_equal (help->change == TORI_CHANGE_JOB
                          ? tori_sched_finish (sched, scene->now, help->job,
                                               NULL)
                          : tori_sched_move_all (sched, scene->now, jobs, to,
                                                 help->nmoves, NULL),
                      0);
    found = begins (sched, scene->now, help->spec.tag);
    tori_sched_destroy (sched);
    return found;
}

static bool is_true (const struct scene *scene, tori_sched *before,
                     tori_job job, const tori_help *help)
{
    if (!applies (before, help))
        return true;
    if (help->change == TORI_CHANGE_JOB || help->change == TORI_CHANGE_MOVES)
        return starts_after (scene, before, help);
    return before == scene->sched
               ? starts_in_file (scene, help)
               : starts_instead (scene, before, job, help);
}

/* ---- all of it ---- */

enum { MOMENTS = 64 };

/* A run that stops after every question: the scheduler before it, and at each
 * stop. Decisions are left in it, so it goes on as a run in one piece does. */
struct slow_run {
    struct scene scene;
    tori_sched *at[MOMENTS];
    size_t n;
};

struct answers {
    struct scene *scene;
    tori_sched *after; /* it has run */
    struct slow_run run;
    struct starts starts;
    uint64_t seed;
    size_t helps, wrong;
};

static void check_help (struct answers *answers, tori_sched *before,
                        const tori_why *why, const tori_help *help)
{
    if (is_true (answers->scene, before, why->job, help))
        return;
    answers->wrong++;
    printf ("seed %llu: job %llu does not start after a change of %s %s the "
            "run\n",
            (unsigned long long)answers->seed, (unsigned long long)why->tag,
            tori_change_name (help->change),
            before == answers->after ? "after" : "before");
}

/* Whether too few nodes are free for anything that it takes. */
static bool lacks_nodes (const tori_why *why)
{
    uint32_t least = why->spec->request.count;
    for (size_t i = 0; i < why->spec->nalternatives; i++)
        if (why->spec->alternatives[i].count < least)
            least = why->spec->alternatives[i].count;
    return least > why->free;
}

/* ---- what keeps a job off ---- */

static void note_moment (struct slow_run *run, const tori_sched *sched)
{
    assert_true (run->n < MOMENTS);
    assert_int_equal (tori_sched_copy (sched, &run->at[run->n++], NULL), 0);
}

static void run_slowly (const struct origin *origin, struct slow_run *run)
{
    struct scene *scene = &run->scene;
    open_scene (scene, origin, 1);
    run->n = 0;
    note_moment (run, scene->sched);
    do {
        assert_int_equal (tori_sched_run (scene->sched, scene->now, NULL), 0);
        note_moment (run, scene->sched);
    } while (tori_sched_unfinished (scene->sched));
}

static void close_run (struct slow_run *run)
{
    while (run->n > 0)
        tori_sched_destroy (run->at[--run->n]);
    close_scene (&run->scene);
}

/* Whether a job runs at this moment or a later one. */
static bool runs_from (const struct slow_run *run, size_t moment, tori_job job)
{
    for (size_t i = moment; i < run->n; i++)
        if (is_running (run->at[i], job))
            return true;
    return false;
}

static bool is_suspended (const tori_sched *sched, tori_job job)
{
    tori_job_info info = {.size = sizeof info};
    return tori_sched_look (sched, job, &info) && info.suspended;
}

/* Whether a suspended job waits that will continue: it goes before the
 * queue. */
static bool has_sleeper (const struct slow_run *run, size_t moment)
{
    tori_job jobs[MOST];
    size_t n = tori_sched_queued_jobs (run->at[moment], jobs);
    while (n-- > 0)
        if (is_suspended (run->at[moment], jobs[n])
            && !is_suspended (run->at[run->n - 1], jobs[n]))
            return true;
    return false;
}

/* Whether it waits at a moment, and none that goes before it will start: its
 * turn, or after that. */
static bool has_turn (const struct slow_run *run, size_t moment, tori_job job)
{
    tori_job jobs[MOST];
    size_t n = tori_sched_queued_jobs (run->at[moment], jobs);
    if (has_sleeper (run, moment))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (jobs[i] == job)
            return true;
        if (runs_from (run, moment, jobs[i]))
            return false;
    }
    return false;
}

/* Whether all that run in one run in another at the same places. */
static bool all_stay (const tori_sched *before, const tori_sched *after)
{
    tori_job jobs[MOST];
    size_t n = tori_sched_running_jobs (before, jobs);
    while (n-- > 0) {
        tori_job_info is = {.size = sizeof is}, was = {.size = sizeof was};
        assert_true (tori_sched_look (before, jobs[n], &was));
        if (!tori_sched_look (after, jobs[n], &is)
            || is.phase != TORI_JOB_RUNNING
            || !placement_equal (is.place, was.place))
            return false;
    }
    return true;
}

/* Whether it would start at a moment beside all that run if no other
 * waited. */
static bool starts_alone (const tori_sched *moment, tori_time now,
                          tori_job own)
{
    tori_job jobs[MOST];
    tori_sched *sched;
    size_t n;
    bool found;
    assert_int_equal (tori_sched_copy (moment, &sched, NULL), 0);
    n = tori_sched_queued_jobs (sched, jobs);
    for (size_t i = 0; i < n; i++)
        if (jobs[i] != own)
            assert_int_equal (tori_sched_cancel (sched, now, jobs[i], NULL),
                              0);
    do
        assert_int_equal (tori_sched_run (sched, now, NULL), 0);
    while (tori_sched_unfinished (sched));
    found = is_running (sched, own) && all_stay (moment, sched);
    tori_sched_destroy (sched);
    return found;
}

/* The moment after the last job had to give way: then all are looked at
 * again. */
static size_t last_upset (const struct slow_run *run)
{
    size_t last = 0;
    for (size_t i = 1; i < run->n; i++) {
        tori_job jobs[MOST];
        size_t n = tori_sched_running_jobs (run->at[i - 1], jobs);
        while (n > 0)
            if (!is_running (run->at[i], jobs[--n]))
                last = i;
    }
    return last;
}

/* Whether it could have started at its turn, but for what others that wait
 * have reserved. */
static bool is_kept_off (const struct answers *answers, const tori_why *why)
{
    const struct slow_run *run = &answers->run;
    for (size_t i = last_upset (run); i < run->n; i++)
        if (has_turn (run, i, why->job)
            && starts_alone (run->at[i], answers->scene->now, why->job))
            return true;
    return false;
}

/* ---- the reason ---- */

static bool has_windows (const tori_sched *sched)
{
    tori_window window = {.size = sizeof window};
    return tori_sched_window (sched, 0, &window);
}

/* It starts now if that is said, too few nodes are free if that is said, and
 * it is kept off by a reservation if that is said. */
static void check_reason (struct answers *answers, const tori_why *why)
{
    tori_job_info info = {.size = sizeof info};
    bool runs = is_running (answers->after, why->job);
    bool right = runs == (why->reason == TORI_REASON_STARTS);
    bool lacks = lacks_nodes (why);
    if (!tori_sched_look (answers->after, why->job, &info))
        return; /* killed as soon as it had started */
    if (why->reason == TORI_REASON_NUMERICAL
        || why->reason == TORI_REASON_TOPOLOGICAL)
        right &= lacks == (why->reason == TORI_REASON_NUMERICAL);
    if (why->suspended)
        right &= (why->reason == TORI_REASON_RESERVED
                  || why->reason == TORI_REASON_WINDOW)
                 == placement_free (why->suspended,
                                    tori_sched_state (answers->after));
    else if (why->reason >= TORI_REASON_NUMERICAL
             && !(why->reason == TORI_REASON_ORDER
                  && has_windows (answers->after)))
        right &= is_kept_off (answers, why)
                 == (why->reason == TORI_REASON_RESERVED
                     || why->reason == TORI_REASON_ORDER);
    if (right)
        return;
    answers->wrong++;
    printf ("seed %llu: job %llu waits for the reason %s\n",
            (unsigned long long)answers->seed, (unsigned long long)why->tag,
            tori_reason_name (why->reason));
}

static int on_why (void *arg, const tori_why *why)
{
    struct answers *answers = arg;
    answers->starts.at[why->tag] = why->starts ? why->start : NEVER;
    if (why->starts)
        answers->starts.nodes[why->tag]
            = nodes_of (answers->scene, &why->start_place);
    check_reason (answers, why);
    for (size_t i = 0; i < why->nhelps; i++) {
        answers->helps++;
        check_help (answers, answers->scene->sched, why, &why->helps[i]);
        check_help (answers, answers->after, why, &why->helps[i]);
    }
    return 0;
}

static size_t compare_starts (uint64_t seed, const struct starts *is,
                              const struct starts *should, const char *what)
{
    const struct scene *scene = is->scene;
    for (size_t i = scene->nrunning; i < scene->n; i++)
        if (is->at[i] != should->at[i]
            || (is->nodes[i] && is->nodes[i] != should->nodes[i])) {
            printf ("seed %llu: job %zu starts at %lld, by %s at %lld\n",
                    (unsigned long long)seed, i, (long long)is->at[i], what,
                    (long long)should->at[i]);
            return 1;
        }
    return 0;
}

/* Returns how many answers were wrong. */
static size_t compare_answers (const struct origin *origin, size_t *helps)
{
    struct scene scene;
    struct answers answers = {.scene = &scene, .seed = origin->seed};
    struct starts forecast, simulated;
    open_scene (&scene, origin, 0);
    answers.starts = forecast = simulated = no_starts (&scene);
    assert_int_equal (tori_sched_copy (scene.sched, &answers.after, NULL), 0);
    run_once (answers.after, scene.now);
    run_slowly (origin, &answers.run);
    assert_int_equal (
        tori_forecast_each (scene.sched, on_forecast, &forecast, NULL), 0);
    simulate (&scene, &simulated);
    assert_int_equal (tori_why_each (scene.sched, on_why, &answers, NULL), 0);
    answers.wrong += compare_starts (origin->seed, &forecast, &simulated,
                                     "the simulation")
                     + compare_starts (origin->seed, &answers.starts,
                                       &forecast, "a forecast");
    *helps += answers.helps;
    close_run (&answers.run);
    tori_sched_destroy (answers.after);
    close_scene (&scene);
    return answers.wrong;
}

TEST (one_future)
{
    size_t helps = 0, wrong = 0, cases = random_cases (667);
    for (uint64_t seed = 0; seed < cases; seed++)
        wrong += compare_answers (&(struct origin){.seed = seed}, &helps) > 0;
    assert_int_equal (wrong, 0);
    assert_true (helps > cases / 2);
}

TEST (varied_future)
{
    size_t helps = 0, wrong = 0, cases = random_cases (667);
    for (uint64_t seed = 0; seed < cases; seed++)
        wrong += compare_answers (&(struct origin){.seed = seed,
                                                   .varied = true},
                                  &helps)
                 > 0;
    assert_int_equal (wrong, 0);
    assert_true (helps > cases / 2);
}

static void expect_story (const struct story *story)
{
    size_t helps = 0;
    assert_int_equal (
        compare_answers (&(struct origin){.story = story}, &helps), 0);
}

/* With 1x2 nodes the job of 2x3 would start if the reservation stayed where it
 * was planned. But the last job has started beside it since, so that best-fit
 * plans it elsewhere. */
TEST (reservation_moves)
{
    expect_story (&(struct story){
        "mesh:5x3", "easy", "best-fit", 7,
        {{.box = "0,1/3x2", .estimate = 27},
         {.box = "2,0/2x1", .estimate = 8},
         {.shape = "2x4", .estimate = 22},
         {.shape = "2x3", .estimate = 28},
         {.shape = "1x2", .estimate = 28}}});
    expect_story (&(struct story){ /* it will not start where it was planned */
        "mesh:5x3", "easy", "best-fit", 7,
        {{.box = "0,1/3x2", .estimate = 27},
         {.box = "2,0/2x1", .estimate = 8},
         {.shape = "2x4", .estimate = 22},
         {.shape = "1x2", .estimate = 28}}});
}

/* The running job makes room for the first of the queue, which makes room for
 * the last. Then it starts anew, in front of the reservation that keeps the
 * second off. */
TEST (restart_overtakes)
{
    expect_story (&(struct story){
        "mesh:4", "easy", "first-fit", 4,
        {{.box = "0/3", .estimate = 5, .preempted = TORI_PREEMPTED_REQUEUE},
         {.shape = "4", .estimate = 35, .priority = 1, .level = 1,
          .preempted = TORI_PREEMPTED_REQUEUE},
         {.shape = "1", .estimate = 33, .priority = 1},
         {.shape = "1", .estimate = 21, .level = 2}}});
}

/* A job that had to give way is kept off by a job after it, which planned its
 * start while the first one ran, and then starts itself. */
TEST (kept_off_from_behind)
{
    expect_story (&(struct story){
        "mesh:4", "conservative", "first-fit", 0,
        {{.shape = "4", .estimate = 29, .preempted = TORI_PREEMPTED_REQUEUE},
         {.shape = "2", .estimate = 45},
         {.shape = "1", .estimate = 12},
         {.shape = "1", .estimate = 11, .level = 2}}});
    expect_story (&(struct story){
        "mesh:2x3x2", "conservative", "first-fit", 8,
        {{.box = "0,0,1/1x3x1", .estimate = 23},
         {.shape = "1x2x3", .estimate = 26,
          .preempted = TORI_PREEMPTED_REQUEUE},
         {.shape = "1x2x2", .estimate = 1},
         {.shape = "1x1x2", .estimate = 42, .level = 1}}});
}
