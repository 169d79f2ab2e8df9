/* What would start a waiting job: by definition, over every running job, every
 * set of moves and every shape; and the same advice in a mirror. */
#include "naive_room.h"

#include <stdlib.h>

#include <tori/why.h>

#include "alloc_world.h"

enum { NCHANGES = TORI_CHANGE_MOVES + 1, ENOUGH = 300000, LONG = 1000 };

/* Running jobs, and one that waits. */
struct scene {
    struct world world;
    tori_room_job job[PARTS];
    tori_time start[PARTS];
    size_t n;
    tori_time now;
    tori_request request;
    size_t *helped; /* how often each kind was met */
};

/* What was proposed, wherever it is. */
struct advice {
    bool has[NCHANGES];
    uint64_t ends; /* the tag of the job that ends */
    uint64_t moved, moves;
    uint64_t nodes[NCHANGES]; /* of the request */
    tori_request request[NCHANGES];
};

/* ---- scenes ---- */

static bool is_hard (const struct scene *scene)
{
    return scene->request.shape.ndims
               == tori_machine_ndims (scene->world.machine)
           && naive_possible (scene->world.machine, TORI_BY_SHAPE,
                              &scene->request)
           && !naive_survey (scene->world.naive, &scene->request).found;
}

static bool open_scene (struct scene *scene, struct rng *rng)
{
    struct world *world = &scene->world;
    unsigned jobs = between (rng, 1, 5);
    world_create (world, random_machine (rng, 3, 40));
    for (int tries = 0; world->nparts < (int)jobs && tries < 40; tries++) {
        tori_box box = random_box (rng, world->machine, 4, true);
        world_add_box (world, &box,
                       chance (rng, 30) ? random_wiring (rng)
                                        : TORI_WIRE_NONE);
    }
    scene->n = (size_t)world->nparts;
    scene->now = 20;
    for (size_t j = 0; j < scene->n; j++) {
        scene->job[j] = (tori_room_job){.place = &world->parts[j],
                                        .stays = chance (rng, 15),
                                        .fixed = chance (rng, 15),
                                        .wrap = chance (rng, 40)};
        scene->start[j] = between (rng, 0, 20);
    }
    for (int tries = 20; tries > 0; tries--) {
        scene->request = random_request (rng, world->machine);
        scene->request.count
            = (uint32_t)tori_shape_volume (&scene->request.shape);
        if (is_hard (scene))
            return true;
    }
    return false;
}

/* The same place seen in a mirror. */
static tori_placement mirror (const tori_machine *machine,
                              const tori_placement *place)
{
    tori_placement other = *place;
    for (int d = 0; d < place->box.shape.ndims; d++) {
        uint32_t size = tori_machine_size (machine, d);
        other.box.origin[d] = (2 * size - place->box.origin[d]
                               - place->box.shape.size[d])
                              % size;
    }
    return other;
}

static tori_sched *make_sched (const struct scene *scene, bool mirrored)
{
    tori_sched *sched;
    tori_job number;
    assert_int_equal (
        tori_sched_create (scene->world.machine,
                           TORI_SCHED ("easy", TORI_ALLOC ("first-fit")),
                           &sched, NULL),
        0);
    for (size_t j = 0; j < scene->n; j++) {
        const tori_room_job *job = &scene->job[j];
        tori_placement place = mirrored
                                   ? mirror (scene->world.machine, job->place)
                                   : *job->place;
        tori_job_spec spec = {.size = sizeof spec,
                              .request = naive_job_request (job),
                              .estimate = LONG + (tori_time)j,
                              .tag = j,
                              .flags = job->stays ? TORI_JOB_STAYS : 0};
        assert_int_equal (tori_sched_adopt (sched, scene->now, &spec,
                                            scene->start[j], &place, &number,
                                            NULL),
                          0);
    }
    tori_job_spec spec = {.size = sizeof spec,
                          .request = scene->request,
                          .estimate = 2 * LONG,
                          .tag = PARTS};
    assert_int_equal (
        tori_sched_submit (sched, scene->now, &spec, &number, NULL), 0);
    return sched;
}

/* ---- advice ---- */

static int note (void *arg, const tori_why *why)
{
    struct advice *advice = arg;
    for (size_t i = 0; i < why->nhelps; i++) {
        const tori_help *help = &why->helps[i];
        advice->has[help->change] = true;
        advice->request[help->change] = help->spec.request;
        advice->nodes[help->change] = tori_request_nodes (&help->spec.request);
        if (help->change == TORI_CHANGE_JOB)
            advice->ends = help->tag;
        if (help->change == TORI_CHANGE_MOVES) {
            advice->moved = help->nodes;
            advice->moves = help->nmoves;
        }
    }
    return 0;
}

static struct advice advise (const struct scene *scene, bool mirrored)
{
    struct advice advice = {{false}};
    tori_sched *sched = make_sched (scene, mirrored);
    assert_int_equal (
        tori_why_some (sched, &(uint64_t){PARTS}, 1, note, &advice, NULL), 0);
    tori_sched_destroy (sched);
    return advice;
}

/* ---- ends ---- */

static uint64_t lost (const struct scene *scene, size_t j)
{
    return (uint64_t)(scene->now - scene->start[j])
           * scene->job[j].place->count;
}

/* Of the jobs whose end makes room: the one that loses the least work, the
 * first of them. */
static void check_ends (const struct scene *scene, const struct advice *advice)
{
    size_t best = scene->n;
    for (size_t j = 0; j < scene->n; j++) {
        naive_release (scene->world.naive, (int)j);
        if (naive_survey (scene->world.naive, &scene->request).found
            && (best == scene->n || lost (scene, j) < lost (scene, best)))
            best = j;
        naive_hold_place (scene->world.naive, scene->job[j].place, (int)j,
                          false);
    }
    assert_int_equal (advice->has[TORI_CHANGE_JOB], best < scene->n);
    if (best < scene->n)
        assert_int_equal (advice->ends, best);
}

/* ---- moves ---- */

/* Nobody else waits, so nothing is in the way of the cheapest moves. */
static void check_moves (struct scene *scene, const struct advice *advice)
{
    struct naive_least least;
    struct naive_room room = {.naive = scene->world.naive,
                              .job = scene->job,
                              .n = scene->n,
                              .request = &scene->request,
                              .moves = SIZE_MAX,
                              .left = ENOUGH};
    if (tori_request_nodes (&scene->request)
            > naive_free_count (scene->world.naive)
        || !naive_moves (&room, &least))
        return;
    assert_int_equal (advice->has[TORI_CHANGE_MOVES], least.found);
    if (least.found) {
        assert_int_equal (advice->moved, least.weight);
        assert_int_equal (advice->moves, least.jobs);
    }
}

/* ---- in a mirror ---- */

static bool goes_round (const struct scene *scene)
{
    for (size_t j = 0; j < scene->n; j++)
        for (int d = 0; d < scene->job[j].place->box.shape.ndims; d++)
            if (scene->job[j].place->box.origin[d]
                    + scene->job[j].place->box.shape.size[d]
                > tori_machine_size (scene->world.machine, d))
                return true;
    return false;
}

static void check_mirror (const struct scene *scene,
                          const struct advice *advice)
{
    struct advice other;
    if (goes_round (scene))
        return;
    other = advise (scene, true);
    for (int i = 0; i < NCHANGES; i++) {
        assert_int_equal (advice->has[i], other.has[i]);
        assert_int_equal (advice->nodes[i], other.nodes[i]);
    }
    assert_int_equal (advice->ends, other.ends);
    assert_int_equal (advice->moved, other.moved);
    assert_int_equal (advice->moves, other.moves);
}

TEST (advice)
{
    size_t helped[NCHANGES] = {0}, cases = random_cases (3000);
    for (uint64_t seed = 0; seed < cases; seed++) {
        struct scene scene = {.n = 0};
        struct rng rng;
        rng_seed (&rng, seed, 48);
        if (open_scene (&scene, &rng)) {
            struct advice advice = advise (&scene, false);
            check_ends (&scene, &advice);
            check_moves (&scene, &advice);
            check_mirror (&scene, &advice);
            for (int i = 0; i < NCHANGES; i++)
                helped[i] += advice.has[i];
        }
        world_destroy (&scene.world);
    }
    assert_true (helped[TORI_CHANGE_JOB] > cases / 5
                 && helped[TORI_CHANGE_MOVES] > cases / 30);
}
