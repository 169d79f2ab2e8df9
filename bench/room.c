/* How long it takes to make room, by machine and by number of jobs.
 *
 * Machines are filled with boxes at random places, with sides up to a part of
 * the machine's, wired as meshes, until so many nodes are held. Requests are
 * boxes of any sides that do not fit, though enough nodes are free. A row is a
 * mean over requests: how many were possible, how many answers were proved
 * least, by how much the others exceed the bound, and the time, with all jobs
 * stopped and one after another. */
#include <tori/room.h>

#include "bench.h"
#include "random.h"

enum { NREQUESTS = 20, MAX_JOBS = 8192, DIMS = 3 };

struct scene {
    tori_machine *machine;
    tori_state *state;
    struct rng rng;
    uint32_t k;
    tori_placement place[MAX_JOBS];
    tori_room_job job[MAX_JOBS];
    size_t n;
};

struct row {
    const char *machine;
    unsigned full; /* percent */
    uint32_t side; /* of jobs, at most */
};

struct tally {
    unsigned asked, found, least;
    double over, seconds, slowest;
    uint64_t moved, moves, steps;
};

static uint32_t below (struct scene *scene, uint32_t n)
{
    return (uint32_t)rng_below (&scene->rng, n);
}

static void add_job (struct scene *scene, uint32_t longest)
{
    tori_placement *place = &scene->place[scene->n];
    *place = (tori_placement){.nboxes = 1, .wiring = TORI_WIRE_MESH,
                              .count = 1, .box.shape.ndims = DIMS};
    for (int d = 0; d < DIMS; d++) {
        uint32_t side = 1 + below (scene, longest);
        place->box.shape.size[d] = side;
        place->box.origin[d] = below (scene, scene->k - side + 1);
        place->count *= side;
    }
    if (tori_placement_hold (place, scene->state, NULL) == 0)
        scene->job[scene->n++].place = place;
}

static void fill (struct scene *scene, const struct row *row)
{
    uint32_t nodes = tori_machine_nodes (scene->machine);
    uint32_t left = nodes - (uint32_t)((uint64_t)nodes * row->full / 100);
    for (int tries = 0; tries < 1 << 20 && scene->n < MAX_JOBS
                        && tori_state_free_count (scene->state) > left;
         tries++)
        add_job (scene, row->side);
}

/* A box that does not fit, but for which enough nodes are free. */
static tori_request hard_request (struct scene *scene, tori_alloc *alloc)
{
    for (;;) {
        tori_request request = {.shape.ndims = DIMS,
                                .wiring = TORI_WIRE_MESH};
        tori_placement place = {0};
        for (int d = 0; d < DIMS; d++)
            request.shape.size[d] = 1 + below (scene, scene->k);
        request.count = (uint32_t)tori_shape_volume (&request.shape);
        if (tori_alloc_place (alloc, scene->state, &request, &place, NULL)
            == TORI_TOPOLOGICAL)
            return request;
    }
}

static void ask (struct scene *scene, const tori_request *request,
                 uint64_t flags, struct tally *tally)
{
    tori_room room = {0};
    double start = bench_cpu (), took;
    BENCH_MUST (tori_room_make (scene->state, scene->job, scene->n, request,
                                TORI_ROOM (.flags = flags), &room, &err));
    took = bench_cpu () - start;
    tally->seconds += took;
    tally->slowest = took > tally->slowest ? took : tally->slowest;
    tally->asked++;
    tally->found += room.found;
    tally->least += room.least;
    tally->moved += room.nodes;
    tally->moves += room.n;
    tally->steps += room.steps;
    if (room.found && !room.least)
        tally->over += (double)room.nodes / (double)room.bound - 1;
    tori_room_clear (&room);
}

static void report (const struct scene *scene, const struct row *row,
                    const char *how, const struct tally *t)
{
    unsigned open = t->found > t->least ? t->found - t->least : 0;
    printf ("%-12s %5u %% %6zu %-5s %5u %5u %5u %7.1f %6.2f %6.0f %9.2f "
            "%9.2f %9.0f\n",
            row->machine, row->full, scene->n, how, t->asked, t->found,
            t->least, t->found ? (double)t->moved / t->found : 0,
            t->found ? (double)t->moves / t->found : 0,
            open ? 100 * t->over / open : 0, 1e3 * t->seconds / t->asked,
            1e3 * t->slowest, (double)t->steps / t->asked);
    fflush (stdout);
}

static void run (struct scene *scene, const struct row *row)
{
    static const char *const how[] = {"stop", "live"};
    tori_alloc *alloc;
    memset (scene, 0, sizeof *scene);
    rng_seed (&scene->rng, 1, 0);
    BENCH_MUST (tori_machine_parse (row->machine, &scene->machine, &err));
    BENCH_MUST (tori_state_create (scene->machine, &scene->state, &err));
    BENCH_MUST (tori_alloc_create (scene->machine, TORI_ALLOC ("first-fit"),
                                   &alloc, &err));
    scene->k = tori_machine_size (scene->machine, 0);
    fill (scene, row);
    for (uint64_t flags = 0; flags <= TORI_ROOM_LIVE; flags++) {
        struct tally tally = {0};
        rng_seed (&scene->rng, 2, 0);
        for (int i = 0; i < NREQUESTS; i++) {
            tori_request request = hard_request (scene, alloc);
            ask (scene, &request, flags, &tally);
        }
        report (scene, row, how[flags], &tally);
    }
    tori_alloc_destroy (alloc);
    tori_state_destroy (scene->state);
    tori_machine_destroy (scene->machine);
}

int main (void)
{
    static const struct row rows[] = {
        {"torus:4^3", 50, 2},  {"torus:8^3", 30, 4},  {"torus:8^3", 50, 4},
        {"torus:8^3", 70, 4},  {"torus:8^3", 70, 2},  {"mesh:8^3", 50, 4},
        {"torus:16^3", 50, 8}, {"torus:16^3", 50, 4}, {"torus:32^3", 50, 16},
        {"torus:32^3", 50, 8},
    };
    static struct scene scene;
    bench_machine ();
    printf ("# nodes and moves: means of those found; over: by how much those "
            "not proved exceed the bound\n");
    printf ("%-12s %7s %6s %-5s %5s %5s %5s %7s %6s %6s %9s %9s %9s\n",
            "machine", "full", "jobs", "how", "asked", "found", "least",
            "nodes", "moves", "over,%", "ms", "most, ms", "steps");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        run (&scene, &rows[i]);
    return 0;
}
