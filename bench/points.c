/* How long it takes to choose n/16 of n points, and how that grows.
 *
 * Points at random, the same for all allocators: on a line and a ring of 10^9,
 * in the plane and in space as wide in every dimension, and on half of the
 * places of a square grid, where there are ties. Processor time in
 * milliseconds; the best of three calls, or of one that took long. A row ends
 * when a call takes long, and where an allocator gives up. The last column is
 * by what factor the last doubling of n, and so of k, made it longer: 2 is
 * linear, 4 quadratic.
 *
 * Usage: points [ALLOCATOR]...: only these, all if none is named. */
#include <tori/points.h>

#include "bench.h"
#include "random.h"

#define COUNT(array) (sizeof (array) / sizeof (array)[0])

/* Processor time after which a row ends, and a call is not repeated. */
#define ROW_SECONDS 1.0
#define CALL_SECONDS 0.5

enum { WIDE = 1000000000, MOST = 16000, FRACTION = 16 };

static const size_t sizes[] = {1000, 2000, 4000, 8000, MOST};

/* In how many dimensions they choose from a thousand points within seconds. */
static const struct {
    const char *name;
    int most_dims;
} known[] = {
    {"mc1x1", 3},  {"mm", 3},         {"gen-alg", 3}, {"mm+inc", 3},
    {"row-bf", 3}, {"hilbert-bf", 3}, {"exact", 1},
};

struct ground {
    const char *name;
    int ndims;
    bool ring; /* round, or lines */
    bool grid; /* places of a square */
};

static const struct ground grounds[] = {
    {.name = "line", .ndims = 1},
    {.name = "ring", .ndims = 1, .ring = true},
    {.name = "plane", .ndims = 2},
    {.name = "grid", .ndims = 2, .grid = true},
    {.name = "space", .ndims = 3},
};

/* Every other place or so of a square of 2n, row by row, n of them. */
static void make_grid (size_t n, struct rng *rng, int64_t *ret_coords)
{
    uint64_t side = 1, left = n, places;
    while (side * side < 2 * n)
        side++;
    places = side * side;
    for (uint64_t i = 0; left > 0; i++, places--)
        if (rng_below (rng, places) < left) {
            *ret_coords++ = (int64_t)(i / side);
            *ret_coords++ = (int64_t)(i % side);
            left--;
        }
}

static void make_points (const struct ground *ground, size_t n,
                         int64_t *ret_coords)
{
    struct rng rng;
    rng_seed (&rng, 1, n);
    if (ground->grid) {
        make_grid (n, &rng, ret_coords);
        return;
    }
    for (size_t i = 0; i < n * (size_t)ground->ndims; i++)
        ret_coords[i] = (int64_t)rng_below (&rng, WIDE);
}

/* Seconds of one call; GAVE_UP if there was no answer. */
#define GAVE_UP 1e9

static double time_call (const char *alloc, const tori_points *points,
                         size_t k)
{
    static size_t chosen[MOST];
    double start = bench_cpu ();
    if (tori_points_choose (TORI_ALLOC (alloc), points, k, chosen, NULL, NULL)
        < 0)
        return GAVE_UP;
    return bench_cpu () - start;
}

static double best_time (const char *alloc, const tori_points *points,
                         size_t k)
{
    double best = time_call (alloc, points, k);
    for (int i = 1; i < 3 && best < CALL_SECONDS; i++) {
        double time = time_call (alloc, points, k);
        best = time < best ? time : best;
    }
    return best;
}

static void print_row (const struct ground *ground, const char *alloc)
{
    static int64_t coords[3 * MOST];
    static const uint64_t around[] = {WIDE, WIDE, WIDE};
    double time = 0, last = 0, before = 0;
    printf ("%-6s %-10s", ground->name, alloc);
    for (size_t i = 0; i < COUNT (sizes); i++) {
        tori_points points = {ground->ndims, sizes[i], coords,
                              ground->ring ? around : NULL};
        if (time > ROW_SECONDS) {
            printf (" %9s", "");
            continue;
        }
        make_points (ground, sizes[i], coords);
        time = best_time (alloc, &points, sizes[i] / FRACTION);
        if (time == GAVE_UP) {
            printf (" %9s", "gave up");
            continue;
        }
        before = last;
        last = time;
        printf (" %9.2f", 1e3 * time);
        fflush (stdout);
    }
    if (before > 0)
        printf (" %6.1f", last / before);
    printf ("\n");
}

static bool is_wanted (const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp (argv[i], name) == 0)
            return true;
    return argc == 1;
}

int main (int argc, char **argv)
{
    bench_machine ();
    printf ("# n/16 of n points: ms a call\n%-6s %-10s", "points",
            "allocator");
    for (size_t i = 0; i < COUNT (sizes); i++)
        printf (" %9zu", sizes[i]);
    printf (" %6s\n", "growth");
    for (size_t g = 0; g < COUNT (grounds); g++)
        for (size_t a = 0; a < COUNT (known); a++)
            if (is_wanted (known[a].name, argc, argv)
                && grounds[g].ndims <= known[a].most_dims)
                print_row (&grounds[g], known[a].name);
    return 0;
}
