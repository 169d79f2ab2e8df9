/* Making room, victims and repair against every set, place and order there
 * is; and every answer carried out in the state. */
#include "naive_room.h"

#include <stdlib.h>
#include <string.h>

#include "alloc_world.h"
#include "placement.h"

enum { JOBS = 6, ENOUGH = 300000 };

struct scene {
    struct world world;
    tori_room_job job[PARTS];
    size_t n;
    tori_request request;
    tori_room_config config;
    uint64_t barred[2]; /* two sets of nodes */
};

/* ---- scenes ---- */

static void add_jobs (struct scene *scene, struct rng *rng, unsigned jobs,
                      uint32_t longest)
{
    struct world *world = &scene->world;
    for (int tries = 0; world->nparts < (int)jobs && tries < 40; tries++) {
        tori_box box = random_box (rng, world->machine, longest, true);
        world_add_box (world, &box, random_wiring (rng));
        if (chance (rng, 10) && world->nparts < (int)jobs)
            world_add_nodes (world, rng, world->naive->n, 15);
    }
}

/* One of the sets, or none. */
static const uint64_t *random_bar (struct scene *scene, struct rng *rng)
{
    return chance (rng, 25) ? &scene->barred[chance (rng, 50)] : NULL;
}

static void list_jobs (struct scene *scene, struct rng *rng)
{
    scene->n = (size_t)scene->world.nparts;
    for (int i = 0; i < 2; i++)
        scene->barred[i] = UINT64_C (1) << between (rng, 0, 40)
                           | UINT64_C (1) << between (rng, 0, 15);
    for (size_t j = 0; j < scene->n; j++) {
        const tori_placement *place = &scene->world.parts[j];
        scene->job[j]
            = (tori_room_job){.place = place,
                              .stays = chance (rng, 15),
                              .fixed = chance (rng, 15),
                              .wrap = chance (rng, 40),
                              .work = between (rng, 0, 9),
                              .barred = random_bar (scene, rng)};
    }
    scene->config.barred = random_bar (scene, rng);
}

/* Nodes and links down, some of them under jobs; nodes that no job of the list
 * holds. */
static void disturb (struct scene *scene, struct rng *rng, unsigned percent)
{
    struct world *world = &scene->world;
    if (chance (rng, 20))
        world_sprinkle (world, rng, 1);
    while (chance (rng, percent))
        naive_disturb_node (world->naive, world->state, rng);
    while (chance (rng, percent))
        naive_disturb_link (world->naive, world->state, rng);
}

/* A shape for which there are enough free nodes, but no free box. */
static bool is_hard (const struct scene *scene)
{
    const tori_request *request = &scene->request;
    return request->shape.ndims == tori_machine_ndims (scene->world.machine)
           && tori_request_nodes (request)
                  <= naive_free_count (scene->world.naive)
           && !naive_survey (scene->world.naive, request).found;
}

static void open_scene (struct scene *scene, struct rng *rng, unsigned jobs,
                        uint32_t nodes)
{
    memset (scene, 0, sizeof *scene);
    world_create (&scene->world, random_machine (rng, 3, nodes));
    if (chance (rng, 30))
        disturb (scene, rng, 40);
    add_jobs (scene, rng, between (rng, 1, jobs), 3);
    list_jobs (scene, rng);
    disturb (scene, rng, 25);
    for (int tries = chance (rng, 90) ? 20 : 1; tries > 0; tries--) {
        scene->request = random_request (rng, scene->world.machine);
        if (is_hard (scene))
            break;
    }
    scene->config.size = sizeof scene->config;
    if (chance (rng, 20))
        scene->config.moves = between (rng, 1, 3);
    if (chance (rng, 50))
        scene->config.round = between (rng, 1, 60);
}

static void close_scene (struct scene *scene)
{
    world_destroy (&scene->world);
}

static struct naive_room naive_of (struct scene *scene)
{
    return (struct naive_room){
        .naive = scene->world.naive,
        .job = scene->job,
        .n = scene->n,
        .request = &scene->request,
        .barred = scene->config.barred,
        .live = scene->config.flags & TORI_ROOM_LIVE,
        .moves = scene->config.moves ? (size_t)scene->config.moves : SIZE_MAX,
        .left = ENOUGH};
}

/* Whether it ever fits; if not, all say so. */
static bool is_possible (const struct scene *scene)
{
    if (scene->request.shape.ndims)
        return naive_possible (scene->world.machine, TORI_BY_SHAPE,
                               &scene->request);
    return scene->request.count <= scene->world.naive->n;
}

/* ---- answers, carried out ---- */

static void expect_place (const struct scene *scene,
                          const tori_request *request,
                          const tori_placement *place)
{
    assert_int_equal (place->nboxes > 0, request->shape.ndims > 0);
    if (!place->nboxes) {
        assert_int_equal (place->count, request->count);
        return;
    }
    assert_true (naive_allows (scene->world.machine, request, &place->box));
    assert_int_equal (place->wiring, request->wiring);
}

static void move_one (const struct scene *scene, tori_state *state,
                      const tori_room_move *move, bool leave, bool arrive)
{
    const tori_room_job *job = &scene->job[move->job];
    tori_request request = naive_job_request (job);
    tori_error err;
    assert_false (job->stays);
    expect_place (scene, &request, &move->to);
    assert_true (naive_may_go (scene->world.naive, job->barred, &move->to));
    if (leave)
        tori_placement_release (job->place, state);
    if (arrive && tori_placement_hold (&move->to, state, &err) < 0)
        fail_msg ("%s: %s",
                  world_describe (&scene->world, &scene->request, "move"),
                  err.text);
}

static void expect_moves (const struct scene *scene, const tori_room *room)
{
    AUTO_STATE *state = make_state (scene->world.machine);
    bool live = scene->config.flags & TORI_ROOM_LIVE;
    uint64_t nodes = 0;
    assert_int_equal (tori_state_copy (state, scene->world.state, NULL), 0);
    for (size_t i = 0; i < room->n; i++) {
        nodes += scene->job[room->moves[i].job].place->count;
        move_one (scene, state, &room->moves[i], true, live);
    }
    for (size_t i = 0; i < room->n && !live; i++)
        move_one (scene, state, &room->moves[i], false, true);
    expect_place (scene, &scene->request, &room->place);
    assert_true (naive_may_go (scene->world.naive, scene->config.barred,
                               &room->place));
    assert_int_equal (tori_placement_hold (&room->place, state, NULL), 0);
    assert_int_equal (room->nodes, nodes);
    assert_true (room->bound <= nodes);
    assert_true (scene->config.moves == 0 || room->n <= scene->config.moves);
}

/* Whether the rule about lists that are barred from nodes may spoil a
 * proof. */
static bool is_doubtful (const struct scene *scene)
{
    for (size_t j = 0; j < scene->n; j++)
        if (!scene->job[j].place->nboxes && scene->job[j].barred
            && !scene->job[j].stays)
            return true;
    return false;
}

static void expect_least (const struct scene *scene, const tori_room *room,
                          const struct naive_least *least, const char *what)
{
    if (room->found == least->found && room->least
        && (!room->found
            || (room->nodes == least->weight && room->n == least->jobs
                && room->bound == room->nodes)))
        return;
    fail_msg ("%s: %s: %d, %u in %u where %d, %u in %u",
              world_describe (&scene->world, &scene->request, what),
              room->least ? "least" : "not least", room->found,
              (unsigned)room->nodes, (unsigned)room->n, least->found,
              (unsigned)least->weight, (unsigned)least->jobs);
}

static void make (const struct scene *scene, tori_room *ret_room)
{
    tori_error err;
    if (tori_room_make (scene->world.state, scene->job, scene->n,
                        &scene->request, &scene->config, ret_room, &err)
        < 0)
        fail_msg ("%s", err.text);
}

/* ---- making room ---- */

static void expect_never (const struct scene *scene)
{
    tori_room room;
    tori_error err;
    assert_int_equal (tori_room_make (scene->world.state, scene->job, scene->n,
                                      &scene->request, NULL, &room, &err),
                      -1);
    assert_int_equal (err.status, TORI_NEVER);
    assert_int_equal (tori_room_victims (scene->world.state, scene->job,
                                         scene->n, &scene->request, NULL,
                                         &room, &err),
                      -1);
    assert_int_equal (err.status, TORI_NEVER);
}

/* A result of few steps is an answer, and what they prove is true. */
static void expect_hasty (struct scene *scene, struct rng *rng,
                          const struct naive_least *least)
{
    tori_room room = {0};
    scene->config.steps = between (rng, 1, 300);
    make (scene, &room);
    if (room.found) {
        expect_moves (scene, &room);
        assert_true (least->found && room.nodes >= least->weight);
    }
    if (least->found)
        assert_true (room.bound <= least->weight);
    if (room.least)
        expect_least (scene, &room, least, "few steps");
    tori_room_clear (&room);
}

/* What a search finds while it goes on. */
struct watched {
    const struct scene *scene;
    tori_room last; /* the sums */
    size_t calls, most;
    bool stopped;
};

static bool is_dearer (const tori_room *a, const tori_room *b)
{
    return a->nodes != b->nodes ? a->nodes > b->nodes : a->n > b->n;
}

static bool watch (void *arg, const tori_room *so_far)
{
    struct watched *watched = arg;
    assert_false (watched->stopped);
    assert_false (so_far->least);
    assert_true (so_far->found || !watched->last.found);
    if (so_far->found) {
        expect_moves (watched->scene, so_far);
        assert_false (watched->last.found
                      && is_dearer (so_far, &watched->last));
    }
    watched->last = *so_far;
    watched->stopped = ++watched->calls >= watched->most;
    return watched->stopped;
}

/* Answers get no dearer, and the last is what a search gives that is ended. */
static void expect_watched (struct scene *scene, struct rng *rng,
                            const tori_room *whole)
{
    struct watched watched = {.scene = scene, .most = between (rng, 1, 60)};
    tori_room room = {0};
    scene->config.steps = 0;
    scene->config.watch = watch;
    scene->config.watch_arg = &watched;
    make (scene, &room);
    if (watched.stopped) {
        assert_true (room.found == watched.last.found
                     && room.nodes == watched.last.nodes
                     && room.n == watched.last.n);
        assert_false (room.found && is_dearer (whole, &room));
    } else {
        assert_true (room.found == whole->found && room.nodes == whole->nodes
                     && room.n == whole->n && room.steps == whole->steps);
    }
    scene->config.watch = NULL;
    tori_room_clear (&room);
}

static void expect_count (const struct scene *scene, const tori_room *room)
{
    uint32_t usable = 0;
    for (uint32_t i = 0; i < scene->world.naive->n; i++)
        usable += naive_is_free (scene->world.naive, i)
                  && !(scene->config.barred
                       && scene->config.barred[0] >> i & 1);
    assert_int_equal (room->found, usable >= scene->request.count);
    assert_true (room->least && room->n == 0);
}

/* All that is proved is true, and all is proved, except for lists that are
 * barred; whether the slow search came to an end. */
static bool compare_moves (struct scene *scene, struct rng *rng)
{
    struct naive_room naive = naive_of (scene);
    struct naive_least least = {0};
    tori_room room = {0};
    bool ended = false;
    make (scene, &room);
    if (room.found)
        expect_moves (scene, &room);
    if (!scene->request.shape.ndims)
        expect_count (scene, &room);
    else if (!is_doubtful (scene) || naive.live)
        ended = naive_moves (&naive, &least);
    if (ended && (room.least || !is_doubtful (scene)))
        expect_least (scene, &room, &least, naive.live ? "live" : "moves");
    if (scene->request.shape.ndims)
        expect_watched (scene, rng, &room);
    if (ended)
        expect_hasty (scene, rng, &least);
    tori_room_clear (&room);
    return ended && least.jobs > 0;
}

static void play_moves (uint64_t seed, size_t cases, unsigned jobs,
                        uint32_t nodes, uint64_t flags)
{
    struct rng rng = seeded (seed);
    size_t compared = 0;
    cases = random_cases (cases);
    for (size_t i = 0; i < cases; i++) {
        struct scene scene;
        open_scene (&scene, &rng, jobs, nodes);
        scene.config.flags = flags;
        if (is_possible (&scene))
            compared += compare_moves (&scene, &rng);
        else
            expect_never (&scene);
        close_scene (&scene);
    }
    assert_true (compared >= cases / 8);
}

TEST (moves)
{
    play_moves (1, 2000, JOBS, 16, 0);
}

TEST (live)
{
    play_moves (2, 1400, 4, 12, TORI_ROOM_LIVE);
}

/* Two equal jobs in the middle row, and the request fits only between them:
 *
 *     ..   ..        down
 *      bb aa
 *     ..   ..
 *
 * Each has to go to its own side, though b's place comes first and a is first
 * in the list. */
TEST (sides)
{
    static const uint32_t down[] = {0, 1, 5, 6, 14, 15, 19, 20};
    struct scene scene = {.config = {.size = sizeof scene.config,
                                     .flags = TORI_ROOM_LIVE}};
    tori_room room = {0};
    tori_box box;
    world_create (&scene.world, make_machine ("mesh:3x7"));
    box = make_box (scene.world.machine, "1,4/1x2");
    world_add_box (&scene.world, &box, TORI_WIRE_NONE);
    box = make_box (scene.world.machine, "1,1/1x2");
    world_add_box (&scene.world, &box, TORI_WIRE_NONE);
    for (size_t i = 0; i < LENGTH (down); i++)
        assert_int_equal (
            tori_state_set_down (scene.world.state, down[i], true, NULL), 0);
    for (; scene.n < 2; scene.n++)
        scene.job[scene.n].place = &scene.world.parts[scene.n];
    scene.request.shape = make_shape ("3x3");
    make (&scene, &room);
    expect_moves (&scene, &room);
    expect_least (&scene, &room, &(struct naive_least){true, 4, 2}, "sides");
    tori_room_clear (&room);
    close_scene (&scene);
}

/* Machines too large for the slow search: answers can be carried out, moving
 * one after another is no cheaper than all at once, and no job that stays makes
 * anything cheaper. */
static void compare_large (struct scene *scene)
{
    tori_room stop = {0}, live = {0}, fewer = {0};
    scene->config.steps = 5000;
    make (scene, &stop);
    scene->job[0].stays = true;
    make (scene, &fewer);
    scene->job[0].stays = false;
    if (stop.found)
        expect_moves (scene, &stop);
    if (fewer.found)
        assert_true (stop.bound <= fewer.nodes);
    if (stop.least && !stop.found)
        assert_false (fewer.found);
    scene->config.flags = TORI_ROOM_LIVE;
    make (scene, &live);
    if (live.found) {
        expect_moves (scene, &live);
        assert_true (stop.bound <= live.nodes);
        assert_true (stop.found || !stop.least);
    }
    tori_room_clear (&stop);
    tori_room_clear (&live);
    tori_room_clear (&fewer);
}

TEST (large)
{
    struct rng rng = seeded (5);
    for (size_t i = 0; i < random_cases (40); i++) {
        struct scene scene;
        open_scene (&scene, &rng, PARTS - 1, 600);
        for (size_t j = 0; j < scene.n; j++) {
            scene.job[j].stays = false;
            scene.job[j].barred = NULL;
        }
        scene.config.barred = NULL;
        if (scene.n > 0 && is_possible (&scene))
            compare_large (&scene);
        close_scene (&scene);
    }
}

/* ---- victims ---- */

static void expect_victims (const struct scene *scene, const tori_room *room)
{
    AUTO_STATE *state = make_state (scene->world.machine);
    uint64_t work = 0;
    assert_int_equal (tori_state_copy (state, scene->world.state, NULL), 0);
    for (size_t i = 0; i < room->n; i++) {
        const tori_room_job *job = &scene->job[room->moves[i].job];
        assert_false (job->stays);
        tori_placement_release (job->place, state);
        work += job->work;
    }
    expect_place (scene, &scene->request, &room->place);
    assert_true (naive_may_go (scene->world.naive, scene->config.barred,
                               &room->place));
    assert_int_equal (tori_placement_hold (&room->place, state, NULL), 0);
    assert_int_equal (room->nodes, work);
}

static void ask_victims (struct scene *scene, uint64_t steps,
                         const struct naive_least *least)
{
    tori_room room = {0};
    tori_error err;
    scene->config.steps = steps;
    if (tori_room_victims (scene->world.state, scene->job, scene->n,
                           &scene->request, &scene->config, &room, &err)
        < 0)
        fail_msg ("%s", err.text);
    if (room.found)
        expect_victims (scene, &room);
    if (steps == 0 || room.least)
        expect_least (scene, &room, least, "victims");
    else if (room.found)
        assert_true (least->found && room.nodes >= least->weight);
    tori_room_clear (&room);
}

static void compare_victims (struct scene *scene, struct rng *rng)
{
    struct naive_room naive = naive_of (scene);
    struct naive_least least;
    naive.moves = SIZE_MAX;
    assert_true (naive_victims (&naive, &least));
    ask_victims (scene, 0, &least);
    ask_victims (scene, between (rng, 1, 20), &least);
}

TEST (victims)
{
    struct rng rng = seeded (3);
    for (size_t i = 0; i < random_cases (2000); i++) {
        struct scene scene;
        open_scene (&scene, &rng, 8, 30);
        if (is_possible (&scene))
            compare_victims (&scene, &rng);
        close_scene (&scene);
    }
}

/* ---- repair ---- */

static void expect_box (struct scene *scene, const tori_room *room)
{
    struct naive_room naive = naive_of (scene);
    tori_placement place;
    uint64_t nodes;
    bool found = naive_shift (&naive, &place, &nodes);
    assert_true (room->least);
    assert_int_equal (room->found, found);
    if (found) {
        assert_int_equal (room->nodes, nodes);
        assert_true (placement_equal (&room->place, &place));
        tori_placement_clear (&place);
    }
}

static void expect_list (struct scene *scene, const tori_room *room)
{
    struct naive_room naive = naive_of (scene);
    uint64_t least, sum;
    bool found = naive_patch (&naive, &least);
    assert_true (room->least);
    assert_int_equal (room->found, found);
    if (found) {
        assert_int_equal (tori_placement_pairwise (
                              &room->place, scene->world.machine, &sum, NULL),
                          0);
        assert_int_equal (sum, least);
    }
}

static bool is_whole (const struct scene *scene)
{
    const struct naive *naive = scene->world.naive;
    for (uint32_t i = 0; i < naive->n; i++)
        if (naive->nodes[i].owner == 0 && naive->nodes[i].down)
            return false;
    for (size_t i = 0; i < naive->nlinks; i++)
        if (naive->links[i].owner == 0 && naive->links[i].down)
            return false;
    return true;
}

static void expect_unmoved (const struct scene *scene, const tori_room *room)
{
    uint32_t ids[64], old[64];
    assert_true (room->found && room->least && room->nodes == 0);
    tori_placement_nodes (&room->place, scene->world.machine, ids);
    tori_placement_nodes (scene->job[0].place, scene->world.machine, old);
    assert_memory_equal (ids, old, room->place.count * sizeof *ids);
}

/* A job's place in a state from which it is gone is free but for what it
 * keeps. */
static void expect_held (const struct scene *scene, const tori_room *room)
{
    AUTO_STATE *state = make_state (scene->world.machine);
    assert_int_equal (tori_state_copy (state, scene->world.state, NULL), 0);
    tori_placement_release (scene->job[0].place, state);
    for (uint32_t i = 0; i < scene->world.naive->n; i++)
        if (scene->world.naive->nodes[i].owner == 0)
            assert_int_equal (tori_state_set_drained (state, i, false, NULL),
                              0);
    assert_int_equal (tori_placement_hold (&room->place, state, NULL), 0);
}

static bool compare_repair (struct scene *scene)
{
    tori_room room = {0};
    tori_error err;
    bool whole = is_whole (scene);
    if (tori_room_repair (scene->world.state, scene->job, NULL, &room, &err)
        < 0)
        fail_msg ("%s", err.text);
    if (whole)
        expect_unmoved (scene, &room);
    else if (scene->job[0].place->nboxes)
        expect_box (scene, &room);
    else
        expect_list (scene, &room);
    if (room.found && !whole)
        expect_held (scene, &room);
    tori_room_clear (&room);
    return !whole;
}

TEST (repair)
{
    struct rng rng = seeded (4);
    size_t hit = 0, cases = random_cases (2000);
    for (size_t i = 0; i < cases; i++) {
        struct scene scene;
        open_scene (&scene, &rng, 3, 20);
        if (chance (&rng, 30) && scene.n == 0)
            world_add_nodes (&scene.world, &rng, scene.world.naive->n, 40);
        list_jobs (&scene, &rng);
        disturb (&scene, &rng, 75);
        if (scene.n > 0)
            hit += compare_repair (&scene);
        close_scene (&scene);
    }
    assert_true (hit > cases / 5);
}

/* ---- what is refused ---- */

static void expect_invalid (const tori_state *state, const tori_room_job *jobs,
                            size_t n, const tori_request *request,
                            const tori_room_config *config, const char *text)
{
    tori_room room;
    tori_error err;
    assert_int_equal (
        tori_room_make (state, jobs, n, request, config, &room, &err), -1);
    assert_int_equal (err.status, TORI_INVALID);
    assert_string_equal (err.text, text);
}

TEST (refusals)
{
    AUTO_MACHINE *machine = make_machine ("torus:4x4");
    AUTO_STATE *state = make_state (machine);
    tori_placement a = {.nboxes = 1, .count = 4,
                        .box = make_box (machine, "0,0/2x2")};
    tori_placement b = a, c = a;
    tori_request request = {.shape = make_shape ("2x2")}, none = {0};
    tori_room_job jobs[] = {{.place = &a}, {.place = &b}, {.place = &c}};
    b.box = make_box (machine, "2,2/2x2");
    c.wiring = TORI_WIRE_TORUS;
    assert_int_equal (tori_placement_hold (&a, state, NULL), 0);
    expect_invalid (state, jobs, 2, &request, NULL,
                    "job 1 of the list does not hold its nodes");
    b.box = a.box;
    expect_invalid (state, jobs, 2, &request, NULL,
                    "jobs 0 and 1 of the list hold the same node");
    expect_invalid (state, jobs + 2, 1, &request, NULL,
                    "job 0 of the list does not hold its links");
    expect_invalid (state, jobs, 1, &none, NULL, "no nodes asked for");
    expect_invalid (state, jobs, 1, &request, TORI_ROOM (.flags = 2),
                    "there is no flag 2");
}
