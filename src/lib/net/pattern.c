#include <tori/pattern.h>

#include <stdbool.h>
#include <string.h>

#include "random.h"

/* A phase of one round: the target of a rank of n. */
typedef uint32_t target_of (uint32_t rank, uint32_t n, uint64_t phase);

struct pattern {
    tori_pattern_info info;
    uint64_t (*phases) (uint32_t n);
    target_of *target; /* NULL: by chance */
};

/* By less than n. */
static uint32_t step_further (uint32_t rank, uint32_t by, uint32_t n)
{
    return rank < n - by ? rank + by : rank - (n - by);
}

/* ---- phases ---- */

static uint64_t one_phase (uint32_t n)
{
    (void)n;
    return 1;
}

static uint64_t phase_an_other (uint32_t n)
{
    return n - 1;
}

static uint64_t half_and_one (uint32_t n)
{
    return n / 2 + 1;
}

static uint64_t phase_a_bit (uint32_t n)
{
    uint64_t bits = 0;
    while ((uint64_t)1 << bits < n)
        bits++;
    return bits;
}

/* ---- targets ---- */

static uint32_t to_each (uint32_t rank, uint32_t n, uint64_t phase)
{
    return step_further (rank, (uint32_t)phase + 1, n);
}

static uint32_t to_next (uint32_t rank, uint32_t n, uint64_t phase)
{
    (void)phase;
    return step_further (rank, 1, n);
}

static uint32_t to_next_or_across (uint32_t rank, uint32_t n, uint64_t phase)
{
    return step_further (rank, phase < n / 2 ? 1 : n / 2, n);
}

static uint32_t to_flipped (uint32_t rank, uint32_t n, uint64_t phase)
{
    uint32_t target = rank ^ UINT32_C (1) << phase;
    return target < n ? target : rank;
}

/* The side of the largest square of no more than n, bit by bit. */
static uint64_t square_side (uint32_t n)
{
    uint64_t side = 0;
    for (uint64_t bit = 1 << 15; bit > 0; bit /= 2)
        if ((side + bit) * (side + bit) <= n)
            side += bit;
    return side;
}

static uint32_t to_mirrored (uint32_t rank, uint32_t n, uint64_t phase)
{
    uint64_t side = square_side (n);
    (void)phase;
    if (rank >= side * side)
        return rank;
    return (uint32_t)(rank % side * side + rank / side);
}

static uint32_t to_opposite (uint32_t rank, uint32_t n, uint64_t phase)
{
    (void)phase;
    return n - 1 - rank;
}

/* ---- the table ---- */

static const struct pattern patterns[] = {
    {{"all-to-all", "each to each other, one after the other"},
     phase_an_other, to_each},
    {{"ring", "each to the next"}, one_phase, to_next},
    {{"random", "each to another one, by chance"}, one_phase, NULL},
    {{"nbody", "half way round a ring step by step, then straight back"},
     half_and_one, to_next_or_across},
    {{"fft", "pairs whose ranks differ in a bit, bit by bit"}, phase_a_bit,
     to_flipped},
    {{"transpose", "each to its mirror image in a matrix"}, one_phase,
     to_mirrored},
    {{"complement", "the first to the last, and so on"}, one_phase,
     to_opposite},
};

const tori_pattern_info *tori_pattern_list (size_t i)
{
    return i < sizeof patterns / sizeof *patterns ? &patterns[i].info : NULL;
}

int tori_pattern_find (const char *name)
{
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        if (!strcmp (patterns[i].info.name, name))
            return (int)i;
    return -1;
}

static bool is_pattern (int pattern)
{
    return (unsigned)pattern < sizeof patterns / sizeof *patterns;
}

uint64_t tori_pattern_phases (int pattern, uint32_t n)
{
    return n < 2 || !is_pattern (pattern) ? 0 : patterns[pattern].phases (n);
}

static void by_chance (uint32_t n, uint64_t phase, uint64_t seed,
                       uint32_t ret_target[])
{
    struct rng rng;
    rng_seed (&rng, seed, phase);
    for (uint32_t rank = 0; rank < n; rank++)
        ret_target[rank] =
            step_further (rank, 1 + (uint32_t)rng_below (&rng, n - 1), n);
}

void tori_pattern_targets (int pattern, uint32_t n, uint64_t phase,
                           uint64_t seed, uint32_t ret_target[])
{
    const struct pattern *p;
    if (n < 2 || !is_pattern (pattern)) {
        for (uint32_t rank = 0; rank < n; rank++)
            ret_target[rank] = rank;
        return;
    }
    p = &patterns[pattern];
    if (!p->target) {
        by_chance (n, phase, seed, ret_target);
        return;
    }
    for (uint32_t rank = 0; rank < n; rank++)
        ret_target[rank] = p->target (rank, n, phase % p->phases (n));
}
