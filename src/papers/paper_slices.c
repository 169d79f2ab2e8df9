/* slice-packer-torus (M. Nanyonga, 2026), a public program about slices of a
 * 16-ary 3-cube: how many of the free nodes can be placed, what a failure costs
 * a slice, and how often the slice can move. Its experiments are run again here
 * with our allocators, and then with what it leaves out: rotation, boxes that
 * wrap, folds, moves of other jobs, and cubes behind switches. The last part
 * asks what slices a pod of 144 cubes can promise.
 *
 * Its order of shapes for a number of nodes: the least diameter first, then the
 * largest bisection, then the lexicographically first; a side of 16 is a ring,
 * any other a line. It takes the first free box of the first shape that has
 * one. Boxes do not wrap. Jobs come until one finds no place, or until so many
 * nodes are busy. */
#include <math.h>
#include <stdlib.h>

#include <tori/alloc.h>
#include <tori/room.h>

#include "estimate.h"
#include "largest_box.h"
#include "paper.h"
#include "random.h"

#define COUNT(array) (sizeof (array) / sizeof *(array))

enum {
    SIDE = 16,
    NODES = SIDE * SIDE * SIDE,
    CUBE = 64, /* nodes of a cube of a pod */
    MAX_SEEDS = 20,
    JOBS = 64,    /* on a machine, at the most */
    SHAPES = 128, /* of a number of nodes, at the most */
    SIZES = 4,    /* 128, 256, 512 and 1,024 nodes */
    TRIALS = 60,  /* of a share of busy nodes, for each seed */
    STEPS = 20000 /* of a search for moves */
};

static const uint32_t sizes[SIZES] = {128, 256, 512, 1024};

/* ---- shapes ---- */

struct shape_rank {
    tori_shape shape;
    uint32_t diameter, bisection;
};

static struct shape_rank rank_shape (uint32_t x, uint32_t y, uint32_t z)
{
    struct shape_rank it = {.shape = {3, {x, y, z}}, .bisection = UINT32_MAX};
    for (int d = 0; d < 3; d++) {
        uint32_t side = it.shape.size[d], cut = x * y * z / side;
        it.diameter += side == SIDE ? side / 2 : side - 1;
        cut *= side == SIDE ? 2 : 1;
        if (side > 1 && cut < it.bisection)
            it.bisection = cut;
    }
    return it;
}

static int compare_ranks (const void *a, const void *b)
{
    const struct shape_rank *x = a, *y = b;
    if (x->diameter != y->diameter)
        return x->diameter < y->diameter ? -1 : 1;
    if (x->bisection != y->bisection)
        return x->bisection > y->bisection ? -1 : 1;
    for (int d = 0; d < 3; d++)
        if (x->shape.size[d] != y->shape.size[d])
            return x->shape.size[d] < y->shape.size[d] ? -1 : 1;
    return 0;
}

struct shape_list {
    struct shape_rank it[SHAPES];
    size_t n;
};

static void list_shapes (uint32_t nodes, struct shape_list *list)
{
    list->n = 0;
    for (uint32_t x = 1; x <= SIDE; x++)
        for (uint32_t y = 1; y <= SIDE; y++)
            if (nodes % (x * y) == 0 && nodes / (x * y) <= SIDE)
                list->it[list->n++] = rank_shape (x, y, nodes / (x * y));
    qsort (list->it, list->n, sizeof *list->it, compare_ranks);
}

/* ---- how jobs are packed ---- */

static const struct packing {
    const char *name, *machine, *alloc;
    bool wrap, folds;
} packings[] = {
    {"first box, as printed", "torus:16^3", "first-fit"},
    {"boxes may wrap", "torus:16^3", "first-fit", .wrap = true},
    {"best-fit", "torus:16^3", "best-fit"},
    {"isomorphic", "torus:16^3", "isomorphic", .folds = true},
    {"cubes behind switches", "pod:64/4x4x4", "cube-best"},
};
enum { PACKINGS = COUNT (packings), PRINTED = 0, SWITCHED = PACKINGS - 1 };

/* A machine with jobs on it. */
struct ground {
    const struct packing *packing;
    const struct shape_list *shapes; /* by size */
    tori_machine *machine;
    tori_state *state;
    tori_alloc *alloc;
    tori_placement place[JOBS];
    size_t n;
};

static int ground_open (struct ground *ground, const struct packing *packing,
                        const struct shape_list *shapes, tori_error *err)
{
    *ground = (struct ground){.packing = packing, .shapes = shapes};
    if (tori_machine_parse (packing->machine, &ground->machine, err) < 0
        || tori_state_create (ground->machine, &ground->state, err) < 0)
        return -1;
    return tori_alloc_create (ground->machine, TORI_ALLOC (packing->alloc),
                              &ground->alloc, err);
}

static void ground_clear (struct ground *ground)
{
    while (ground->n > 0) {
        tori_placement *place = &ground->place[--ground->n];
        tori_placement_release (place, ground->state);
        tori_placement_clear (place);
    }
}

static void ground_close (struct ground *ground)
{
    ground_clear (ground);
    tori_alloc_destroy (ground->alloc);
    tori_state_destroy (ground->state);
    tori_machine_destroy (ground->machine);
}

/* The slice of whole cubes with sides as equal as can be. */
static tori_shape cubes_shape (uint32_t cubes)
{
    tori_shape shape = {3, {4, 4, 4}};
    for (int d = 2; cubes > 1; d = (d + 2) % 3, cubes /= 2)
        shape.size[d] *= 2;
    return shape;
}

/* Place a job. Returns 1 if it has a place, 0 if not, -1 on an error. */
static int place_job (struct ground *ground, size_t size, tori_error *err)
{
    const struct packing *packing = ground->packing;
    bool pod = packing == &packings[SWITCHED];
    const struct shape_list *list = &ground->shapes[size];
    tori_placement *place = &ground->place[ground->n];
    for (size_t i = 0; i < (pod ? 1 : list->n); i++) {
        tori_request request = {
            .count = sizes[size],
            .shape = pod ? cubes_shape (sizes[size] / CUBE)
                         : list->it[i].shape,
            .wiring = pod ? TORI_WIRE_TORUS : TORI_WIRE_NONE,
            .fixed = !pod && !packing->folds,
            .wrap = packing->wrap,
        };
        tori_outcome outcome;
        *place = (tori_placement){0};
        outcome = tori_alloc_place (ground->alloc, ground->state, &request,
                                    place, err);
        if (outcome == TORI_ERROR
            || (outcome == TORI_PLACED
                && tori_placement_hold (place, ground->state, err) < 0))
            return -1;
        if (outcome == TORI_PLACED) {
            ground->n++;
            return 1;
        }
    }
    return 0;
}

/* Place up to so many jobs of sizes from the given one on, until so many nodes
 * are busy or a job finds no place. */
static int fill_ground (struct ground *ground, size_t jobs, uint32_t busy,
                        size_t first, size_t last, struct rng *rng,
                        tori_error *err)
{
    int placed = 1;
    while (placed > 0 && ground->n < jobs
           && NODES - tori_state_free_count (ground->state) < busy)
        placed = place_job (
            ground, first + (size_t)rng_below (rng, last - first + 1), err);
    return placed < 0 ? -1 : 0;
}

/* ---- free nodes and the largest slice ---- */

static const struct {
    int busy;       /* percent */
    double printed; /* percent of the free nodes that cannot be placed */
} levels[] = {{10, 8}, {25, NAN}, {40, 20}, {55, 30}, {70, NAN}, {85, 29}};
enum { LEVELS = COUNT (levels) };

struct capacity {
    const char *packing;
    double busy;
    struct estimate overstated, gaps, free;
    double printed;
};

#define ESTIMATE(name, type, member, ...)                                     \
    {name, FIELD_REAL, FIELD_AT (type, member.mean), __VA_ARGS__},            \
    {                                                                         \
        name "_half", FIELD_REAL, FIELD_AT (type, member.half),               \
            "half of its 95 % interval"                                       \
    }
#define AT(member) FIELD_AT (struct capacity, member)
static const struct field capacity_fields[] = {
    {"packing", FIELD_TEXT, AT (packing), "how jobs are placed",
     .title = "packing"},
    {"busy", FIELD_REAL, AT (busy), "jobs come until this part is busy",
     .title = "busy, %", .scale = 100},
    ESTIMATE ("free", struct capacity, free, "free nodes", .title = "free"),
    ESTIMATE ("overstated", struct capacity, overstated,
              "the part of the free nodes that the largest slice does not "
              "have",
              .title = "overstated, %", .decimals = 1, .scale = 100),
    ESTIMATE ("gaps", struct capacity, gaps,
              "the part of the trials in which the largest slice has fewer "
              "nodes than are free",
              .title = "trials with a gap, %", .decimals = 0, .scale = 100),
    {"printed", FIELD_REAL, AT (printed), "overstated, as printed",
     .title = "printed, %", .decimals = 0, .scale = 100},
};
#undef AT
static const struct sheet capacity_sheet
    = {"capacity", SHEET_FIELDS (capacity_fields)};

/* Sums over the trials of a seed. */
struct room_sums {
    double free, placeable, gaps;
};

/* With switches any cubes can be joined: the largest box of up to four free
 * cubes along each side. */
static uint32_t largest_slice (uint32_t cubes)
{
    uint32_t best = 0;
    for (uint32_t x = 1; x <= 4; x++)
        for (uint32_t y = 1; y <= 4; y++)
            for (uint32_t z = 1; z <= 4; z++)
                if (x * y * z <= cubes && x * y * z > best)
                    best = x * y * z;
    return best * CUBE;
}

static int measure_room (struct ground *ground, int busy, size_t trials,
                         struct rng *rng, struct room_sums *sums,
                         tori_error *err)
{
    bool pod = ground->packing == &packings[SWITCHED];
    for (size_t i = 0; i < trials; i++) {
        uint32_t room, placeable;
        if (fill_ground (ground, JOBS, (uint32_t)(NODES * busy + 99) / 100, 0,
                         SIZES - 1, rng, err)
            < 0)
            return -1;
        room = tori_state_free_count (ground->state);
        placeable = pod ? largest_slice (room / CUBE)
                        : largest_box (ground->state, ground->packing->wrap);
        sums->free += room;
        sums->placeable += placeable;
        sums->gaps += placeable < room;
        ground_clear (ground);
    }
    return 0;
}

/* ---- what a failure costs a slice ---- */

struct loss {
    const char *where, *at;
    double lost, share, printed;
};

#define AT(member) FIELD_AT (struct loss, member)
static const struct field loss_fields[] = {
    {"where", FIELD_TEXT, AT (where), "which node fails", .title = "where"},
    {"at", FIELD_TEXT, AT (at), "its coordinates", .title = "node"},
    {"lost", FIELD_REAL, AT (lost),
     "nodes that the largest box without it does not have",
     .title = "nodes lost", .decimals = 0},
    {"share", FIELD_REAL, AT (share), "the same, of all",
     .title = "of the slice, %", .decimals = 1, .scale = 100},
    {"printed", FIELD_REAL, AT (printed), "as printed",
     .title = "printed, %", .decimals = 1, .scale = 100},
};
#undef AT
static const struct sheet loss_sheet = {"losses", SHEET_FIELDS (loss_fields)};

/* The nodes that a 16x16x16 slice loses: up to the failed plane, from the
 * nearer face, in the best dimension. */
static double lost_nodes (const uint32_t at[3])
{
    uint32_t planes = SIDE;
    for (int d = 0; d < 3; d++) {
        uint32_t low = at[d] + 1, high = SIDE - at[d];
        uint32_t least = low < high ? low : high;
        planes = least < planes ? least : planes;
    }
    return (double)planes * SIDE * SIDE;
}

static double mean_lost (void)
{
    double sum = 0;
    for (uint32_t i = 0; i < NODES; i++) {
        const uint32_t at[3] = {i / SIDE / SIDE, i / SIDE % SIDE, i % SIDE};
        sum += lost_nodes (at);
    }
    return sum / NODES;
}

static int make_losses (struct paper_run *run, tori_error *err)
{
    static const struct {
        const char *where, *at;
        uint32_t node[3];
        double printed;
    } places[] = {{"corner", "0,0,0", {0, 0, 0}, 0.062},
                  {"face", "0,8,8", {0, 8, 8}, 0.062},
                  {"interior", "4,8,8", {4, 8, 8}, 0.312},
                  {"centre", "8,8,8", {8, 8, 8}, 0.5}};
    enum { PLACES = COUNT (places) };
    struct loss *row = paper_rows (run, 1, PLACES + 2, sizeof *row, err);
    if (!row)
        return -1;
    for (size_t i = 0; i < PLACES; i++)
        row[i] = (struct loss){.where = places[i].where,
                               .at = places[i].at,
                               .lost = lost_nodes (places[i].node),
                               .printed = places[i].printed};
    row[PLACES] = (struct loss){"any: mean", "", mean_lost (), 0, NAN};
    /* 63 cubes are a box of 3x3x7. */
    row[PLACES + 1] = (struct loss){"any, cubes behind switches", "", CUBE, 0,
                                    NAN};
    for (size_t i = 0; i < PLACES + 2; i++)
        row[i].share = row[i].lost / NODES;
    return 0;
}

/* ---- failures ---- */

/* The jobs before a failure: a random number of them, or as many as it takes
 * until so many nodes are busy. */
static const struct scene {
    const char *name;
    size_t failures; /* for each seed */
    int busy;        /* percent; 0: 2 to 6 jobs */
    size_t last;     /* sizes are from 256 nodes to this */
    double printed;
} scenes[] = {
    {"2 to 6 jobs", 120, 0, 3, 97}, {"25 % busy", 40, 25, 2, NAN},
    {"50 % busy", 40, 50, 2, NAN},  {"75 % busy", 40, 75, 2, NAN},
    {"95 % busy", 40, 95, 2, NAN},
};

enum remedy {
    SAME_SHAPE,
    ROTATED,
    WRAPPING,
    FOLDED,
    OTHERS_MOVE,
    ENOUGH_NODES,
    ON_CUBES,
    REMEDIES
};
enum { SCENES = COUNT (scenes) };

static const char *const remedies[REMEDIES] = {
    "the same shape elsewhere",
    "or rotated",
    "or wrapping",
    "or folded",
    "or other jobs move",
    "as many nodes are free",
    "cubes behind switches: repaired",
};

struct rescue {
    const char *scene, *remedy;
    size_t failures;
    struct estimate rescued;
    double printed;
};

#define AT(member) FIELD_AT (struct rescue, member)
static const struct field rescue_fields[] = {
    {"scene", FIELD_TEXT, AT (scene), "the jobs before the failure",
     .title = "jobs"},
    {"remedy", FIELD_TEXT, AT (remedy), "where the job may go",
     .title = "the job goes on"},
    {"failures", FIELD_SIZE, AT (failures), "failures for each seed",
     .title = "failures"},
    ESTIMATE ("rescued", struct rescue, rescued,
              "of these, how many jobs go on with all their nodes",
              .title = "rescued", .decimals = 1),
    {"printed", FIELD_REAL, AT (printed), "as printed", .title = "printed",
     .decimals = 0},
};
#undef AT
static const struct sheet rescue_sheet
    = {"rescues", SHEET_FIELDS (rescue_fields)};

static int fill_scene (struct ground *ground, const struct scene *scene,
                       struct rng *rng, tori_error *err)
{
    size_t jobs = scene->busy ? JOBS : 2 + (size_t)rng_below (rng, 5);
    uint32_t busy = scene->busy ? (uint32_t)(NODES * scene->busy + 99) / 100
                                : NODES + 1;
    return fill_ground (ground, jobs, busy, 1, scene->last, rng, err);
}

/* A node of a job. */
static int choose_node (const struct ground *ground, size_t job,
                        struct rng *rng, uint32_t *ret_node, tori_error *err)
{
    const tori_placement *place = &ground->place[job];
    uint32_t *ids = calloc (place->count, sizeof *ids);
    if (!ids)
        return tori_error_nomem (err);
    tori_placement_nodes (place, ground->machine, ids);
    *ret_node = ids[rng_below (rng, place->count)];
    free (ids);
    return 0;
}

static tori_request request_for (const tori_placement *place,
                                 enum remedy remedy)
{
    return (tori_request){
        .count = place->count,
        .shape = place->box.shape,
        .fixed = remedy == SAME_SHAPE,
        .wrap = remedy >= WRAPPING,
        .flags = remedy >= FOLDED ? TORI_REQUEST_FOLD : 0,
    };
}

/* Whether there is room for the request after moves of the other jobs. */
static int try_moves (const struct ground *ground, size_t job,
                      const tori_request *request, tori_error *err)
{
    tori_room_job others[JOBS];
    tori_room room = {0};
    size_t n = 0;
    int status;
    for (size_t i = 0; i < ground->n; i++)
        if (i != job)
            others[n++] = (tori_room_job){.place = &ground->place[i],
                                          .wrap = true};
    status = tori_room_make (ground->state, others, n, request,
                             TORI_ROOM (.steps = STEPS), &room, err);
    if (status == 0)
        status = room.found;
    tori_room_clear (&room);
    return status;
}

/* Whether a remedy helps a job that is off the machine. */
static int try_remedy (const struct ground *ground, size_t job,
                       enum remedy remedy, tori_error *err)
{
    const tori_placement *old = &ground->place[job];
    tori_request request = request_for (old, remedy);
    tori_placement place = {0};
    tori_outcome outcome;
    if (remedy == ENOUGH_NODES)
        return tori_state_free_count (ground->state) >= old->count;
    if (remedy == OTHERS_MOVE)
        return try_moves (ground, job, &request, err);
    outcome = tori_alloc_place (ground->alloc, ground->state, &request,
                                &place, err);
    tori_placement_clear (&place);
    return outcome == TORI_ERROR ? -1 : outcome == TORI_PLACED;
}

/* Each remedy includes those before it. */
static int try_remedies (const struct ground *ground, size_t job,
                         double rescued[REMEDIES], tori_error *err)
{
    int found = 0;
    for (int r = SAME_SHAPE; r <= ENOUGH_NODES; r++) {
        if (!found)
            found = try_remedy (ground, job, (enum remedy)r, err);
        if (found < 0)
            return -1;
        rescued[r] += found;
    }
    return 0;
}

/* Whether the pieces of a slice that are intact can stay, or the slice can go
 * elsewhere. */
static int try_repair (const struct ground *ground, size_t job,
                       double rescued[REMEDIES], tori_error *err)
{
    const tori_room_job it = {.place = &ground->place[job]};
    tori_room room = {0};
    int status = tori_room_repair (ground->state, &it,
                                   TORI_ROOM (.steps = STEPS), &room, err);
    if (status == 0)
        rescued[ON_CUBES] += room.found;
    tori_room_clear (&room);
    return status;
}

/* A node of a job fails. The job is off the machine while another place is
 * sought, except for a repair. */
static int fail_node (struct ground *ground, struct rng *rng,
                      double rescued[REMEDIES], tori_error *err)
{
    bool pod = ground->packing == &packings[SWITCHED];
    size_t job = (size_t)rng_below (rng, ground->n);
    tori_placement *place = &ground->place[job];
    uint32_t node = 0;
    int status;
    if (choose_node (ground, job, rng, &node, err) < 0
        || tori_state_set_down (ground->state, node, true, err) < 0)
        return -1;
    if (pod) {
        status = try_repair (ground, job, rescued, err);
    } else {
        tori_placement_release (place, ground->state);
        status = try_remedies (ground, job, rescued, err);
    }
    if (tori_state_set_down (ground->state, node, false, err) < 0)
        return -1;
    return status < 0 || pod ? status
                             : tori_placement_hold (place, ground->state, err);
}

static int run_scene (struct ground *ground, const struct scene *scene,
                      size_t failures, struct rng *rng,
                      double rescued[REMEDIES], tori_error *err)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < failures; i++) {
        status = fill_scene (ground, scene, rng, err);
        if (status == 0)
            status = fail_node (ground, rng, rescued, err);
        ground_clear (ground);
    }
    return status;
}

/* ---- what a pod can promise ---- */

/* Google Cloud (Cluster-level reliability for trillion-parameter models on
 * TPUs, 2026): 130 of the 144 cubes of a pod are healthy with a confidence of
 * 95 %, by a binomial model. */
enum {
    CUBES = 144,
    HEALTHY = 130,
    PROMISES = 8,  /* slices of 1, 2, 4, ... 128 cubes */
    PODS = 200     /* sets of healthy cubes, for each seed */
};
static const double CONFIDENCE = 0.95;

/* The machine of cubes in which nothing is switched. */
static const char FIXED_TORUS[] = "torus:4x6x6";

struct promise {
    uint32_t cubes;
    char slice[TORI_TEXT_MAX];
    struct estimate switched, fixed;
    double share;
    uint32_t by_count; /* of 130 */
};

#define AT(member) FIELD_AT (struct promise, member)
static const struct field promise_fields[] = {
    {"cubes", FIELD_UINT, AT (cubes), "cubes of a slice", .title = "cubes"},
    {"slice", FIELD_CHARS, AT (slice), "the slice in nodes",
     .title = "slice"},
    {"by_count", FIELD_UINT, AT (by_count), "slices of 130 cubes",
     .title = "of 130 cubes"},
    ESTIMATE ("switched", struct promise, switched,
              "slices at once with 95 % confidence, any cubes joined",
              .title = "switched", .decimals = 1),
    {"share", FIELD_REAL, AT (share), "the same in nodes, of all",
     .title = "of the pod, %", .decimals = 0, .scale = 100},
    ESTIMATE ("fixed", struct promise, fixed,
              "the same on a torus of 4x6x6 cubes without switches, first fit",
              .title = "not switched", .decimals = 1),
};
#undef AT
static const struct sheet promise_sheet
    = {"promises", SHEET_FIELDS (promise_fields)};

/* How likely it is that at least so many of n cubes are healthy. */
static double chance_of (uint32_t n, uint32_t least, double healthy)
{
    double sum = 0, term = 1;
    for (uint32_t i = 0; i < n; i++)
        term *= healthy;
    for (uint32_t k = n; k >= least && k > 0; k--) {
        sum += term;
        term *= (double)k / (n - k + 1) * (1 - healthy) / healthy;
    }
    return sum;
}

/* The health of a cube by which 130 of 144 are healthy with 95 %. */
static double health_of_cube (void)
{
    double low = 0.5, high = 1;
    for (int i = 0; i < 50; i++) {
        double middle = (low + high) / 2;
        if (chance_of (CUBES, HEALTHY, middle) < CONFIDENCE)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* Slices of 2^log cubes that can be taken one after the other, by first fit. */
static int count_fixed (tori_alloc *alloc, tori_state *state, unsigned log,
                        uint32_t *ret_n, tori_error *err)
{
    tori_placement place[CUBES];
    tori_request request = {.shape = {3, {1, 1, 1}}, .wrap = true};
    tori_outcome outcome = TORI_PLACED;
    uint32_t n = 0;
    for (unsigned i = 0; i < log; i++)
        request.shape.size[2 - i % 3] *= 2;
    request.count = 1u << log;
    while (n < CUBES) {
        place[n] = (tori_placement){0};
        outcome = tori_alloc_place (alloc, state, &request, &place[n], err);
        if (outcome == TORI_PLACED
            && tori_placement_hold (&place[n], state, err) < 0)
            outcome = TORI_ERROR;
        if (outcome != TORI_PLACED)
            break;
        n++;
    }
    *ret_n = n;
    while (n > 0) {
        tori_placement_release (&place[--n], state);
        tori_placement_clear (&place[n]);
    }
    return outcome == TORI_ERROR ? -1 : 0;
}

static int compare_counts (const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The number that all but a twentieth of the pods reach. */
static double promised (uint32_t counts[], size_t pods)
{
    qsort (counts, pods, sizeof *counts, compare_counts);
    return counts[(size_t)((double)pods * (1 - CONFIDENCE))];
}

static int set_health (tori_state *state, double health, struct rng *rng,
                       uint32_t *ret_healthy, tori_error *err)
{
    *ret_healthy = 0;
    for (uint32_t i = 0; i < CUBES; i++) {
        bool down = rng_uniform (rng) >= health;
        *ret_healthy += !down;
        if (tori_state_set_down (state, i, down, err) < 0)
            return -1;
    }
    return 0;
}

static int promise_slices (size_t pods, struct rng *rng,
                           double switched[PROMISES], double fixed[PROMISES],
                           tori_error *err)
{
    static const struct packing packing
        = {.machine = FIXED_TORUS, .alloc = "first-fit"};
    uint32_t joined[PROMISES][PODS], apart[PROMISES][PODS];
    double health = health_of_cube ();
    struct ground ground;
    int status = ground_open (&ground, &packing, NULL, err);
    for (size_t i = 0; status == 0 && i < pods; i++) {
        uint32_t healthy = 0;
        status = set_health (ground.state, health, rng, &healthy, err);
        for (unsigned log = 0; status == 0 && log < PROMISES; log++) {
            joined[log][i] = healthy >> log;
            status = count_fixed (ground.alloc, ground.state, log,
                                  &apart[log][i], err);
        }
    }
    for (unsigned log = 0; status == 0 && log < PROMISES; log++) {
        switched[log] = promised (joined[log], pods);
        fixed[log] = promised (apart[log], pods);
    }
    ground_close (&ground);
    return status;
}

/* ---- the study ---- */

struct study {
    const struct paper_setup *setup;
    size_t seeds, trials, pods;
    struct shape_list shapes[SIZES];
    struct room_sums room[PACKINGS][LEVELS][MAX_SEEDS];
    double rescued[SCENES][REMEDIES][MAX_SEEDS];
    double switched[PROMISES][MAX_SEEDS], fixed[PROMISES][MAX_SEEDS];
};

static const struct field answer_fields[] = {
    {"seeds", FIELD_SIZE, FIELD_AT (struct study, seeds),
     "how many seeds each mean is of"},
    {"trials", FIELD_SIZE, FIELD_AT (struct study, trials),
     "how many trials a seed has for each part of busy nodes"},
    {"capacity", FIELD_LIST,
     .about = "free nodes beside the largest slice that can be placed",
     .group = &capacity_sheet},
    {"losses", FIELD_LIST, .about = "what a failed node costs a slice",
     .group = &loss_sheet},
    {"rescues", FIELD_LIST, .about = "jobs that go on after a failure",
     .group = &rescue_sheet},
    {"promises", FIELD_LIST,
     .about = "slices that a pod of 144 cubes can promise",
     .group = &promise_sheet},
};
static const struct sheet answer_sheet
    = {"slices", SHEET_FIELDS (answer_fields)};

/* Every packing gets the same sizes, as far as it places them. */
static int run_levels (struct study *study, size_t p, size_t seed,
                       tori_error *err)
{
    struct ground ground;
    int status = ground_open (&ground, &packings[p], study->shapes, err);
    for (size_t l = 0; status == 0 && l < LEVELS; l++) {
        struct rng rng;
        rng_seed (&rng, study->setup->seed + seed, l);
        status = measure_room (&ground, levels[l].busy, study->trials, &rng,
                               &study->room[p][l][seed], err);
    }
    ground_close (&ground);
    return status;
}

static size_t failures_of (const struct study *study, size_t scene)
{
    size_t limit = study->setup->limit, all = scenes[scene].failures;
    return limit && limit < all ? limit : all;
}

static int run_scenes (struct study *study, size_t p, size_t seed,
                       tori_error *err)
{
    struct ground ground;
    int status = ground_open (&ground, &packings[p], study->shapes, err);
    for (size_t s = 0; status == 0 && s < SCENES; s++) {
        double rescued[REMEDIES] = {0};
        struct rng rng;
        rng_seed (&rng, study->setup->seed + seed, LEVELS + s);
        status = run_scene (&ground, &scenes[s], failures_of (study, s), &rng,
                            rescued, err);
        for (int r = 0; r < REMEDIES; r++)
            if ((r == ON_CUBES) == (p == SWITCHED))
                study->rescued[s][r][seed] = rescued[r];
    }
    ground_close (&ground);
    return status;
}

static int run_promises (struct study *study, size_t seed, tori_error *err)
{
    double switched[PROMISES], fixed[PROMISES];
    struct rng rng;
    rng_seed (&rng, study->setup->seed + seed, LEVELS + SCENES);
    if (promise_slices (study->pods, &rng, switched, fixed, err) < 0)
        return -1;
    for (size_t i = 0; i < PROMISES; i++) {
        study->switched[i][seed] = switched[i];
        study->fixed[i][seed] = fixed[i];
    }
    return 0;
}

/* A piece is a packing, a machine of failures, or the promises, of a seed. */
static int run_piece (void *arg, size_t piece, tori_error *err)
{
    struct study *study = arg;
    size_t seed = piece % study->seeds, part = piece / study->seeds;
    if (part < PACKINGS)
        return run_levels (study, part, seed, err);
    if (part == PACKINGS + 2)
        return run_promises (study, seed, err);
    return run_scenes (study, part == PACKINGS ? PRINTED : SWITCHED, seed,
                       err);
}

static struct capacity capacity_of (const struct study *study, size_t p,
                                    size_t l)
{
    const struct room_sums *sums = study->room[p][l];
    double overstated[MAX_SEEDS], gaps[MAX_SEEDS], room[MAX_SEEDS];
    for (size_t i = 0; i < study->seeds; i++) {
        overstated[i] = 1 - sums[i].placeable / sums[i].free;
        gaps[i] = sums[i].gaps / (double)study->trials;
        room[i] = sums[i].free / (double)study->trials;
    }
    return (struct capacity){
        .packing = packings[p].name,
        .busy = levels[l].busy / 100.0,
        .overstated = estimate_of (overstated, study->seeds),
        .gaps = estimate_of (gaps, study->seeds),
        .free = estimate_of (room, study->seeds),
        .printed = p == PRINTED ? levels[l].printed / 100 : NAN,
    };
}

static struct promise promise_of (const struct study *study, unsigned log)
{
    tori_shape shape = cubes_shape (1u << log);
    struct promise row = {
        .cubes = 1u << log,
        .by_count = HEALTHY >> log,
        .switched = estimate_of (study->switched[log], study->seeds),
        .fixed = estimate_of (study->fixed[log], study->seeds),
    };
    tori_shape_format (&shape, row.slice);
    row.share = row.switched.mean * row.cubes / CUBES;
    return row;
}

static int make_rows (struct paper_run *run, tori_error *err)
{
    const struct study *study = run->study;
    struct capacity *capacity
        = paper_rows (run, 0, PACKINGS * LEVELS, sizeof *capacity, err);
    struct rescue *rescue
        = paper_rows (run, 2, SCENES * REMEDIES, sizeof *rescue, err);
    struct promise *promise
        = paper_rows (run, 3, PROMISES, sizeof *promise, err);
    if (!capacity || !rescue || !promise)
        return -1;
    for (size_t i = 0; i < PACKINGS * LEVELS; i++)
        capacity[i] = capacity_of (study, i / LEVELS, i % LEVELS);
    for (size_t i = 0; i < SCENES * REMEDIES; i++) {
        const struct scene *scene = &scenes[i / REMEDIES];
        size_t r = i % REMEDIES;
        rescue[i] = (struct rescue){
            scene->name, remedies[r], failures_of (study, i / REMEDIES),
            estimate_of (study->rescued[i / REMEDIES][r], study->seeds),
            r == SAME_SHAPE && !study->setup->limit ? scene->printed : NAN};
    }
    for (unsigned i = 0; i < PROMISES; i++)
        promise[i] = promise_of (study, i);
    return make_losses (run, err);
}

static int compute_study (struct paper_run *run, tori_error *err)
{
    struct study *study = run->study;
    study->setup = run->setup;
    study->seeds = run->setup->seeds ? run->setup->seeds : MAX_SEEDS;
    study->trials = run->setup->limit && run->setup->limit < TRIALS
                        ? run->setup->limit
                        : TRIALS;
    study->pods = run->setup->limit && run->setup->limit < PODS
                      ? run->setup->limit
                      : PODS;
    for (size_t i = 0; i < SIZES; i++)
        list_shapes (sizes[i], &study->shapes[i]);
    if (paper_do_pieces (run->setup, (PACKINGS + 3) * study->seeds, run_piece,
                         study, err)
        < 0)
        return -1;
    return make_rows (run, err);
}

/* ---- verdicts ---- */

static void judge_capacity (struct paper_run *run)
{
    const struct capacity *row = run->list[0].row;
    for (size_t i = 0; i < LEVELS; i++) {
        char value[VERDICT_TEXT], printed[VERDICT_TEXT];
        if (isnan (row[i].printed))
            continue;
        snprintf (value, sizeof value,
                  "free nodes overstate the largest slice, %d %% busy, %%",
                  levels[i].busy);
        snprintf (printed, sizeof printed, "%.0f", 100 * row[i].printed);
        verdict_compare (run,
                         &(struct published){"Finding 2", value, printed,
                                             "other arrivals"},
                         verdict_near (row[i].printed, row[i].overstated.mean),
                         "%.1f \302\261%.1f", 100 * row[i].overstated.mean,
                         100 * row[i].overstated.half);
    }
}

static void judge_study (struct paper_run *run)
{
    const struct loss *loss = run->list[1].row;
    const struct rescue *rescue = run->list[2].row;
    double share = rescue[SAME_SHAPE].rescued.mean
                   / (double)rescue[SAME_SHAPE].failures;
    judge_capacity (run);
    verdict_compare (run,
                     &(struct published){"Finding 3",
                                         "a failure costs a slice, %",
                                         "6 to 50", "other geometry"},
                     fabs (loss[0].share - 0.0625) < 1e-9
                         && fabs (loss[3].share - 0.5) < 1e-9,
                     "%.0f to %.0f, %.0f on average", 100 * loss[0].share,
                     100 * loss[3].share, 100 * loss[4].share);
    verdict_compare (run,
                     &(struct published){"Finding 4",
                                         "a move of the same shape exists, of "
                                         "120 failures",
                                         "97", "other arrivals"},
                     verdict_near (97.0 / 120, share), "%.1f", 120 * share);
}

/* ---- for people ---- */

static const struct view_column capacity_columns[]
    = {{"packing"},
       {"busy"},
       {"free", .half = "free_half"},
       {"overstated", .half = "overstated_half"},
       {"printed"},
       {"gaps", .half = "gaps_half"}};
static const struct view capacity_view
    = {NULL, VIEW_COLUMNS (capacity_columns), NULL};
static const struct view_column rescue_columns[]
    = {{"scene"}, {"remedy"}, {"failures"},
       {"rescued", .half = "rescued_half"}, {"printed"}};
static const struct view rescue_view
    = {NULL, VIEW_COLUMNS (rescue_columns), NULL};
static const struct view_column promise_columns[]
    = {{"cubes"},
       {"slice"},
       {"by_count"},
       {"switched", .half = "switched_half"},
       {"share"},
       {"fixed", .half = "fixed_half"}};
static const struct view promise_view
    = {NULL, VIEW_COLUMNS (promise_columns), NULL};

static void print_study (struct paper_run *run)
{
    const struct study *study = run->study;
    paper_say (run,
               "Jobs of 128 to 1,024 nodes on 4,096 nodes, %zu seeds of %zu "
               "trials; means and 95 %% intervals over seeds. How many of the "
               "free nodes the largest slice does not have:\n",
               study->seeds, study->trials);
    paper_view (run, 0, NULL, &capacity_view);
    paper_say (run, "\nWhat it costs a 16x16x16 slice to be a box again after "
                    "a failure:\n");
    paper_table (run, 1);
    paper_say (run,
               "\nA node of a job fails. How many jobs go on with as many "
               "nodes (each line includes those above it; the last one is of "
               "another machine):\n");
    paper_view (run, 2, NULL, &rescue_view);
    paper_say (run,
               "\nA pod of %d cubes of %d nodes, of which %d are healthy with "
               "a confidence of 95 %%, so a cube is healthy with %.4f. How "
               "many slices of a size it can promise at once with 95 %%, with "
               "switches and as a fixed torus of 4x6x6 cubes:\n",
               CUBES, CUBE, HEALTHY, health_of_cube ());
    paper_view (run, 3, NULL, &promise_view);
}

const struct paper paper_slices = {
    .name = "slices",
    .citation = "M. Nanyonga: Slice-packer-torus. 2026",
    .what = "slices of a 16-ary 3-cube: free nodes that cannot be placed, and "
            "what a failure costs",
    .takes = PAPER_LIMIT | PAPER_SEEDS,
    .quick = {.seeds = 5},
    .answer = &answer_sheet,
    .size = sizeof (struct study),
    .compute = compute_study,
    .judge = judge_study,
    .print = print_study,
};
