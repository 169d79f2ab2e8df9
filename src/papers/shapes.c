#include "shapes.h"

#include <math.h>
#include <stdlib.h>

#include <tori/sim.h>

#include "paper.h"

/* ---- the limit curve ---- */

enum { STEPS = 2000, ROUNDS = 30 };

#define AT(member) FIELD_AT (struct curve_row, member)
static const struct field curve_fields[] = {
    {"degrees", FIELD_REAL, AT (degrees), "the direction",
     .title = "degrees"},
    {"radius", FIELD_REAL, AT (radius), "of the curve around an area of 1",
     .title = "curve", .decimals = 4},
    {"circle", FIELD_REAL, AT (circle), "of a circle of the same area",
     .title = "circle", .decimals = 4},
    {"ratio", FIELD_REAL, AT (ratio), "the first over the second",
     .title = "ratio", .decimals = 4},
};
#undef AT
const struct sheet curve_sheet = {"curve", SHEET_FIELDS (curve_fields)};

/* The curve is y = w(x) in the first quarter, from (0, 1) to (1, 0), at steps
 * of x. Its integral is W, and that of W is P. */
struct curve {
    double w[STEPS + 1], W[STEPS + 1], P[STEPS + 1];
};

static void integrate (const double of[STEPS + 1], double ret[STEPS + 1])
{
    ret[0] = 0;
    for (size_t i = 0; i < STEPS; i++)
        ret[i + 1] = ret[i] + (of[i] + of[i + 1]) / (2 * STEPS);
}

/* The place at which P has a value; near 0, P is like x^2. */
static double invert (const double P[STEPS + 1], double value)
{
    double root = sqrt (fmax (value, 0)), low, high;
    size_t i = 0;
    while (i < STEPS - 1 && sqrt (P[i + 1]) <= root)
        i++;
    low = sqrt (P[i]);
    high = sqrt (P[i + 1]);
    return ((double)i + (root - low) / (high - low)) / STEPS;
}

/* The sum of distances to all of a best shape is the same everywhere on its
 * boundary: P(x) + P(w(x)) = P(1), because that sum grows by 4 P(x) + 4 P(y)
 * from the centre to x, y. So w follows from P and P from w. A circle comes
 * first; each round divides the error by some ten. */
static void find_boundary (struct curve *curve)
{
    for (size_t i = 0; i <= STEPS; i++) {
        double x = (double)i / STEPS;
        curve->w[i] = sqrt (1 - x * x);
    }
    for (int round = 0; round < ROUNDS; round++) {
        integrate (curve->w, curve->W);
        integrate (curve->W, curve->P);
        for (size_t i = 0; i <= STEPS; i++)
            curve->w[i] = invert (curve->P, curve->P[STEPS] - curve->P[i]);
    }
}

/* The mean distance of two points of an area of 1. That of the first
 * coordinates is half of it. */
static double average_distance (const struct curve *curve)
{
    double area = 4 * curve->W[STEPS], moment[STEPS + 1], sums[STEPS + 1];
    double of[STEPS + 1];
    for (size_t i = 0; i <= STEPS; i++)
        of[i] = (double)i / STEPS * curve->w[i];
    integrate (of, moment);
    for (size_t i = 0; i <= STEPS; i++)
        of[i] = (4 * moment[STEPS] + 4 * curve->P[i]) * 2 * curve->w[i];
    integrate (of, sums);
    return 2 * 2 * sums[STEPS] / (area * area) / sqrt (area);
}

/* The distance of the boundary from the centre in a direction. */
static double find_radius (const struct curve *curve, double degrees)
{
    double slope = tan (degrees * M_PI / 180), before, after;
    size_t i = 1;
    while (i < STEPS && curve->w[i] > slope * (double)i / STEPS)
        i++;
    before = curve->w[i - 1] - slope * (double)(i - 1) / STEPS;
    after = curve->w[i] - slope * (double)i / STEPS;
    return ((double)(i - 1) + before / (before - after)) / STEPS
           * sqrt (1 + slope * slope);
}

void curve_find (struct curve_row row[CURVE_ROWS], double *ret_average,
                 double *ret_circle)
{
    struct curve curve;
    double area;
    find_boundary (&curve);
    area = 4 * curve.W[STEPS];
    for (size_t i = 0; i < CURVE_ROWS; i++) {
        double degrees = 15.0 * (double)i;
        double radius = find_radius (&curve, degrees) / sqrt (area);
        double circle = sqrt (1 / M_PI);
        row[i]
            = (struct curve_row){degrees, radius, circle, radius / circle};
    }
    *ret_average = average_distance (&curve);
    *ret_circle = 512 / (45 * M_PI * M_PI) / sqrt (M_PI);
}

/* ---- rectangles ---- */

enum { SIDE = 16, NODES = SIDE * SIDE, LONGEST = 5 };

static const char mesh[] = "mesh:16x16";

static bool is_rectangle (const tori_placement *place,
                          const tori_machine *machine,
                          const tori_shape *asked)
{
    uint32_t low[2] = {SIDE, SIDE}, high[2] = {0}, sides[2];
    for (uint32_t node = 0; node < NODES; node++) {
        uint32_t at[2] = {node / SIDE, node % SIDE};
        if (!tori_placement_contains (place, machine, node))
            continue;
        for (int d = 0; d < 2; d++) {
            low[d] = at[d] < low[d] ? at[d] : low[d];
            high[d] = at[d] > high[d] ? at[d] : high[d];
        }
    }
    for (int d = 0; d < 2; d++)
        sides[d] = high[d] + 1 - low[d];
    return place->count == sides[0] * sides[1]
           && (sides[0] == asked->size[0] || sides[0] == asked->size[1]);
}

static int place_rectangle (const tori_machine *machine, uint32_t a,
                            uint32_t b, uint32_t *n, tori_error *err)
{
    tori_request request = {.shape = {.ndims = 2, .size = {a, b}}};
    tori_placement place = {0};
    tori_state *state = NULL;
    tori_alloc *alloc = NULL;
    int status = tori_state_create (machine, &state, err);
    if (status == 0)
        status = tori_alloc_create (machine, TORI_ALLOC ("mc"), &alloc, err);
    if (status == 0
        && tori_alloc_place (alloc, state, &request, &place, err)
               != TORI_PLACED)
        status = -1;
    if (status == 0)
        *n += is_rectangle (&place, machine, &request.shape);
    tori_placement_clear (&place);
    tori_alloc_destroy (alloc);
    tori_state_destroy (state);
    return status;
}

int rectangles_count (uint32_t *ret_n, tori_error *err)
{
    tori_machine *machine;
    uint32_t n = 0;
    int status = tori_machine_parse (mesh, &machine, err);
    if (status < 0)
        return -1;
    for (uint32_t i = 0; status == 0 && i < RECTANGLES; i++)
        status = place_rectangle (machine, 1 + i / LONGEST, 1 + i % LONGEST,
                                  &n, err);
    tori_machine_destroy (machine);
    *ret_n = n;
    return status;
}

/* ---- patches ---- */

enum { JOBS = 1000 };
#define LOAD 0.7

static const char *const allocs[PATCH_ROWS]
    = {"mc1x1", "mm", "mm+inc", "hilbert-bf"};

#define AT(member) FIELD_AT (struct patch_row, member)
#define MEAN(name, about, over)                                               \
    ESTIMATE (#name, struct patch_row, name, about, .title = over,            \
              .decimals = 2)
static const struct field patch_fields[] = {
    {"alloc", FIELD_TEXT, AT (alloc), "the allocator", .title = "allocator"},
    MEAN (small, "patches of up to 4 free nodes, mean over time",
          "small patches"),
    MEAN (nodes, "the nodes in them", "nodes in them"),
    MEAN (all, "patches of any size", "all patches"),
    MEAN (more, "small patches beyond those of mc1x1, same jobs",
          "more than mc1x1"),
};
#undef AT
const struct sheet patch_sheet = {"patches", SHEET_FIELDS (patch_fields)};

/* Remove the patch of a node from the free nodes and count it. */
static uint32_t take_patch (bool is_free[NODES], uint32_t node)
{
    uint32_t stack[NODES], n = 0, count = 0;
    stack[n++] = node;
    is_free[node] = false;
    while (n > 0) {
        uint32_t at = stack[--n], x = at % SIDE, y = at / SIDE;
        const uint32_t near[4]
            = {x > 0 ? at - 1 : at, x + 1 < SIDE ? at + 1 : at,
               y > 0 ? at - SIDE : at, y + 1 < SIDE ? at + SIDE : at};
        count++;
        for (int i = 0; i < 4; i++)
            if (is_free[near[i]]) {
                is_free[near[i]] = false;
                stack[n++] = near[i];
            }
    }
    return count;
}

/* Weigh the patches by the time that they last. */
static int count_patches (void *arg, const tori_sched *sched, tori_time now,
                          tori_time until, tori_error *err)
{
    const tori_state *state = tori_sched_state (sched);
    struct patch_sample *sample = arg;
    double weight = (double)(until - now);
    bool is_free[NODES];
    for (uint32_t node = 0; node < NODES; node++)
        is_free[node] = tori_state_is_free (state, node);
    for (uint32_t node = 0; node < NODES; node++) {
        uint32_t n = is_free[node] ? take_patch (is_free, node) : 0;
        sample->all += n > 0 ? weight : 0;
        sample->small += n > 0 && n <= PATCH_SMALL ? weight : 0;
        sample->nodes += n <= PATCH_SMALL ? weight * n : 0;
    }
    return 0;
}

static int simulate (const tori_machine *machine, const char *alloc,
                     const tori_workload *workload,
                     struct patch_sample *sample, tori_error *err)
{
    tori_sim_config config = {
        .size = sizeof config,
        .machine = machine,
        .sched = TORI_SCHED ("fcfs", TORI_ALLOC (alloc)),
        .on_pass = count_patches,
        .arg = sample,
    };
    tori_sim_result result;
    double time;
    if (tori_sim_run (&config, workload, &result, err) < 0)
        return -1;
    time = result.makespan * (double)TORI_SECOND;
    sample->all /= time;
    sample->small /= time;
    sample->nodes /= time;
    return 0;
}

int patches_measure (size_t piece, uint64_t seed,
                     struct patch_sample *ret_sample, tori_error *err)
{
    const tori_workload_options options
        = {.size = sizeof options,
           .jobs = JOBS,
           .load = LOAD,
           .seed = seed + piece % PATCH_SEEDS};
    struct patch_sample sample = {0};
    tori_workload workload = {0};
    tori_machine *machine;
    int status = tori_machine_parse (mesh, &machine, err);
    if (status < 0)
        return -1;
    status = tori_workload_model ("lublin", machine, &options, &workload,
                                  err);
    if (status == 0)
        status = simulate (machine, allocs[piece / PATCH_SEEDS], &workload,
                           &sample, err);
    tori_workload_clear (&workload);
    tori_machine_destroy (machine);
    *ret_sample = sample;
    return status;
}

void patches_sum_up (const struct patch_sample sample[PATCH_PIECES],
                     struct patch_row row[PATCH_ROWS])
{
    for (size_t i = 0; i < PATCH_ROWS; i++) {
        const struct patch_sample *of = &sample[i * PATCH_SEEDS];
        double small[PATCH_SEEDS], nodes[PATCH_SEEDS], all[PATCH_SEEDS];
        double more[PATCH_SEEDS];
        for (size_t s = 0; s < PATCH_SEEDS; s++) {
            small[s] = of[s].small;
            nodes[s] = of[s].nodes;
            all[s] = of[s].all;
            more[s] = of[s].small - sample[s].small;
        }
        row[i] = (struct patch_row){
            .alloc = allocs[i],
            .small = estimate_of (small, PATCH_SEEDS),
            .nodes = estimate_of (nodes, PATCH_SEEDS),
            .all = estimate_of (all, PATCH_SEEDS),
            .more = estimate_of (more, PATCH_SEEDS),
        };
    }
}
