/* The slices that a pod of 144 cubes can promise. */
#include <stdlib.h>

#include "slices_study.h"

static const double CONFIDENCE = 0.95;

/* The machine of cubes in which nothing is switched. */
static const char FIXED_TORUS[] = "torus:4x6x6";

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
const struct sheet slices_promise_sheet
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

double slices_cube_health (void)
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

int slices_promise (size_t pods, struct rng *rng, double switched[PROMISES],
                    double fixed[PROMISES], tori_error *err)
{
    static const struct packing packing
        = {.machine = FIXED_TORUS, .alloc = "first-fit"};
    uint32_t joined[PROMISES][PODS], apart[PROMISES][PODS];
    double health = slices_cube_health ();
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
