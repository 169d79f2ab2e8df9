/* Making room on pods by moving jobs, against every set of jobs, every slice
 * and every order there is; and every answer carried out in the state. */
#include "pod_town.h"

#include <stdlib.h>
#include <string.h>

#include "placement.h"

enum { ENOUGH = 20000 };

/* The case that is played. */
struct played {
    size_t cases;
    uint64_t flags; /* of tori_room_config */
    bool folds, listed; /* requests may be folded; slices are listed */
};

struct scene {
    struct town town;
    struct crowd crowd;
    tori_request request;
    tori_room_config config;
    uint64_t barred[2]; /* two sets of nodes */
    tori_state *state;  /* of the slow search */
    uint64_t left;      /* slices that it may look at */
};

static tori_request request_of (const struct scene *scene, size_t job)
{
    const tori_room_job *it = &scene->crowd.job[job];
    tori_request request = {.wiring = it->place->wiring, .fixed = it->fixed};
    assert_true (tori_placement_shape (it->place, scene->town.machine,
                                       &request.shape));
    return request;
}

static bool is_barred (const uint64_t *barred, const uint32_t nodes[],
                       uint32_t n)
{
    for (uint32_t i = 0; barred && i < n; i++)
        if (barred[0] >> nodes[i] & 1)
            return true;
    return false;
}

/* ---- the slow search ---- */

struct step {
    struct scene *scene;
    unsigned set; /* who is still to go */
    const uint64_t *barred;
    bool (*go_on) (struct scene *scene, unsigned set);
};

/* Have a slice, and go on; its nodes count as drained. */
static bool have (void *arg, const uint32_t nodes[], uint32_t n)
{
    const struct step *step = arg;
    bool done;
    if (step->scene->left == 0)
        return true;
    step->scene->left--;
    if (is_barred (step->barred, nodes, n))
        return false;
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal (
            tori_state_set_drained (step->scene->state, nodes[i], true, NULL),
            0);
    done = step->go_on (step->scene, step->set);
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal (
            tori_state_set_drained (step->scene->state, nodes[i], false, NULL),
            0);
    return done;
}

static size_t first_of (unsigned set)
{
    return (size_t)__builtin_ctz (set);
}

/* Whether all of a set have a place. */
static bool pack (struct scene *scene, unsigned set)
{
    size_t j;
    tori_request request;
    struct step step = {scene, set & (set - 1), NULL, pack};
    if (set == 0)
        return true;
    j = first_of (set);
    request = request_of (scene, j);
    step.barred = scene->crowd.job[j].barred;
    return naive_each_slice (scene->state, &request, scene->config.slices,
                             have, &step);
}

static bool have_box (void *arg, const tori_request *box)
{
    struct step *step = arg;
    const struct town *town = &step->scene->town;
    return is_offered (town, box->shape)
           && naive_each_slice (step->scene->state, box, town->slices, have,
                                step);
}

static bool have_request (struct scene *scene, unsigned set,
                          bool (*go_on) (struct scene *scene, unsigned set))
{
    struct step step = {scene, set, scene->config.barred, go_on};
    return scene->request.flags
               ? naive_each_fold (scene->town.machine, &scene->request,
                                  have_box, &step)
               : have_box (&step, &scene->request);
}

static void lift (struct scene *scene, unsigned set, bool lift)
{
    for (size_t j = 0; j < scene->crowd.n; j++)
        if (set >> j & 1) {
            const tori_placement *place = scene->crowd.job[j].place;
            if (lift)
                placement_unblock (place, scene->state);
            else
                placement_block (place, scene->state, NULL);
        }
}

static bool stop_helps (struct scene *scene, unsigned set)
{
    bool helps;
    lift (scene, set, true);
    helps = have_request (scene, set, pack);
    lift (scene, set, false);
    return helps;
}

/* One after another, in every order; then the request. */
static bool live_helps (struct scene *scene, unsigned set)
{
    bool helps = false;
    if (set == 0)
        return have_request (scene, 0, pack);
    for (size_t j = 0; j < scene->crowd.n && !helps; j++) {
        struct step step = {scene, set & ~(1U << j),
                            scene->crowd.job[j].barred, live_helps};
        tori_request request;
        if (!(set >> j & 1))
            continue;
        request = request_of (scene, j);
        lift (scene, 1U << j, true);
        helps = naive_each_slice (scene->state, &request,
                                  scene->config.slices, have, &step);
        lift (scene, 1U << j, false);
    }
    return helps;
}

struct least {
    bool found;
    uint64_t nodes;
    size_t jobs;
};

/* The cost of a set; false if one of it has to stay, or it is too large. */
static bool price (const struct scene *scene, unsigned set,
                   struct least *ret_cost)
{
    *ret_cost = (struct least){.found = true};
    for (size_t j = 0; j < scene->crowd.n; j++)
        if (set >> j & 1) {
            if (scene->crowd.job[j].stays)
                return false;
            ret_cost->nodes += scene->crowd.job[j].place->count;
            ret_cost->jobs++;
        }
    return scene->config.moves == 0 || ret_cost->jobs <= scene->config.moves;
}

/* False if it gave up. */
static bool find_least (struct scene *scene, struct least *ret_least)
{
    bool live = scene->config.flags & TORI_ROOM_LIVE;
    struct least least = {0}, cost;
    scene->left = ENOUGH;
    for (unsigned set = 0; set < 1U << scene->crowd.n && scene->left > 0;
         set++)
        if (price (scene, set, &cost)
            && (!least.found || cost.nodes < least.nodes
                || (cost.nodes == least.nodes && cost.jobs < least.jobs))
            && (live ? live_helps : stop_helps) (scene, set))
            least = cost;
    *ret_least = least;
    return scene->left > 0;
}

/* ---- scenes ---- */

static const uint64_t *random_bar (struct scene *scene, struct rng *rng)
{
    return chance (rng, 20) ? &scene->barred[chance (rng, 50)] : NULL;
}

/* Some leave again, so that what is free is in pieces. */
static void thin_out (struct scene *scene, struct rng *rng)
{
    struct crowd *crowd = &scene->crowd;
    size_t n = 0;
    for (size_t i = 0; i < crowd->n; i++) {
        if (chance (rng, 35)) {
            tori_placement_release (&crowd->place[i], scene->town.state);
            tori_placement_clear (&crowd->place[i]);
            continue;
        }
        crowd->place[n] = crowd->place[i];
        crowd->job[n] = crowd->job[i];
        crowd->job[n].place = &crowd->place[n];
        crowd->job[n].fixed = chance (rng, 20);
        crowd->job[n].barred = random_bar (scene, rng);
        n++;
    }
    crowd->n = n;
}

static bool fits (void *state, const tori_request *box)
{
    return naive_slices (state, box, true).found;
}

static bool is_hard (const struct scene *scene)
{
    tori_state *state = scene->town.state;
    return tori_request_nodes (&scene->request)
               <= tori_state_free_count (state)
           && !(scene->request.flags
                    ? naive_each_fold (scene->town.machine, &scene->request,
                                       fits, state)
                    : fits (state, &scene->request));
}

/* The list of slices is set when jobs are there already. */
static void open_scene (struct scene *scene, struct rng *rng,
                        const struct played *play)
{
    *scene = (struct scene){.config = {.size = sizeof scene->config,
                                       .flags = play->flags}};
    make_town (&scene->town, rng);
    for (int i = 0; i < 2; i++)
        scene->barred[i] = UINT64_C (1) << between (rng, 0, 15);
    fill_town (&scene->town, rng, &scene->crowd);
    thin_out (scene, rng);
    if (play->listed)
        list_slices (&scene->town, rng, 60);
    scene->config.slices = scene->town.slices;
    if (chance (rng, 20))
        tori_state_set_drained (
            scene->town.state,
            between (rng, 0, tori_machine_nodes (scene->town.machine) - 1),
            true, NULL);
    for (int tries = 0; tries < 20; tries++) {
        scene->request = (play->folds ? random_fold : random_slice) (
            rng, scene->town.machine);
        if (is_hard (scene))
            break;
    }
    scene->config.barred = random_bar (scene, rng);
    scene->config.moves = chance (rng, 20) ? between (rng, 1, 2) : 0;
    scene->config.round = chance (rng, 50) ? between (rng, 1, 60) : 0;
    scene->state = make_state (scene->town.machine);
    tori_state_copy (scene->state, scene->town.state, NULL);
}

static void close_scene (struct scene *scene)
{
    tori_state_destroy (scene->state);
    clear_crowd (&scene->crowd);
    clear_town (&scene->town);
}

/* ---- answers, carried out ---- */

static void expect_place (const struct scene *scene,
                          const tori_request *request, const uint64_t *barred,
                          const tori_placement *place)
{
    uint32_t nodes[64];
    if (request->flags)
        assert_int_equal (tori_placement_map (place, scene->town.machine,
                                              request, nodes, NULL),
                          0);
    else
        naive_check_slice (scene->town.machine, request, place);
    tori_placement_nodes (place, scene->town.machine, nodes);
    assert_false (is_barred (barred, nodes, place->count));
    check_aligned (&scene->town, place);
}

static void expect_moves (struct scene *scene, const tori_room *room)
{
    bool live = scene->config.flags & TORI_ROOM_LIVE;
    tori_state *state = scene->state;
    uint64_t nodes = 0;
    tori_state_copy (state, scene->town.state, NULL);
    for (size_t i = 0; i < room->n; i++) {
        const tori_room_move *move = &room->moves[i];
        const tori_room_job *job = &scene->crowd.job[move->job];
        tori_request request = request_of (scene, move->job);
        assert_false (job->stays);
        expect_place (scene, &request, job->barred, &move->to);
        tori_placement_release (job->place, state);
        if (live)
            assert_int_equal (tori_placement_hold (&move->to, state, NULL),
                              0);
        nodes += job->place->count;
    }
    for (size_t i = 0; i < room->n && !live; i++)
        assert_int_equal (
            tori_placement_hold (&room->moves[i].to, state, NULL), 0);
    expect_place (scene, &scene->request, scene->config.barred, &room->place);
    assert_int_equal (tori_placement_hold (&room->place, state, NULL), 0);
    assert_int_equal (room->nodes, nodes);
    assert_true (room->bound <= nodes);
    assert_true (scene->config.moves == 0 || room->n <= scene->config.moves);
    tori_state_copy (state, scene->town.state, NULL);
}

/* False if it can never be. */
static bool make (struct scene *scene, tori_room *ret_room)
{
    tori_error err = {.status = TORI_OK};
    *ret_room = (tori_room){0};
    if (tori_room_make (scene->town.state, scene->crowd.job, scene->crowd.n,
                        &scene->request, &scene->config, ret_room, &err)
        == 0)
        return true;
    assert_int_equal (err.status, TORI_NEVER);
    assert_non_null (
        tori_alloc_impossible (scene->town.best, &scene->request));
    return false;
}

static void expect_least (const tori_room *room, const struct least *least)
{
    assert_true (room->least);
    assert_int_equal (room->found, least->found);
    if (!room->found)
        return;
    assert_int_equal (room->nodes, least->nodes);
    assert_int_equal (room->n, least->jobs);
    assert_int_equal (room->bound, room->nodes);
}

/* A result of few steps is an answer, and what they prove is true. */
static void expect_hasty (struct scene *scene, struct rng *rng,
                          const struct least *least)
{
    tori_room room;
    scene->config.steps = between (rng, 1, 200);
    assert_true (make (scene, &room));
    if (room.found) {
        expect_moves (scene, &room);
        assert_true (least->found && room.nodes >= least->nodes);
    }
    if (least->found)
        assert_true (room.bound <= least->nodes);
    if (room.least)
        expect_least (&room, least);
    tori_room_clear (&room);
}

/* Whether moves helped. */
static bool compare (struct scene *scene, struct rng *rng)
{
    struct least least;
    tori_room room;
    bool moved = false;
    if (!make (scene, &room))
        return false;
    if (room.found)
        expect_moves (scene, &room);
    if (find_least (scene, &least)) {
        expect_least (&room, &least);
        expect_hasty (scene, rng, &least);
        moved = least.jobs > 0;
    }
    tori_room_clear (&room);
    return moved;
}

static void play (uint64_t stream, const struct played *play)
{
    size_t moved = 0, cases = random_cases (play->cases);
    for (uint64_t seed = 1; seed <= cases; seed++) {
        struct scene scene;
        struct rng rng;
        rng_seed (&rng, seed, stream);
        open_scene (&scene, &rng, play);
        moved += compare (&scene, &rng);
        close_scene (&scene);
    }
    if (moved < cases / 40)
        fail_msg ("moves helped in %zu of %zu cases", moved, cases);
}

TEST (moves)
{
    play (7, &(const struct played){.cases = 1000});
}

TEST (live)
{
    play (8, &(const struct played){.cases = 1000, .flags = TORI_ROOM_LIVE});
}

TEST (folds)
{
    play (9, &(const struct played){.cases = 400, .folds = true});
}

TEST (listed)
{
    play (10, &(const struct played){.cases = 400, .listed = true});
    play (11, &(const struct played){.cases = 200, .listed = true,
                                     .folds = true});
}
