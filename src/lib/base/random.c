#include "random.h"

#include <math.h>

#include "detmath.h"

__extension__ typedef unsigned __int128 uint128;

/* SplitMix64: a Weyl sequence through a mixing function. */
static uint64_t split_mix (uint64_t *state)
{
    uint64_t z = *state += UINT64_C (0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C (0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C (0x94d049bb133111eb);
    return z ^ z >> 31;
}

void rng_seed (struct rng *rng, uint64_t seed, uint64_t stream)
{
    /* Mixed twice: seed 1, stream 2 shall not resemble seed 2, stream 1. */
    uint64_t state = split_mix (&seed) ^ stream;
    state = split_mix (&state);
    for (int i = 0; i < 4; i++)
        rng->s[i] = split_mix (&state);
}

static uint64_t rotate (uint64_t x, int k)
{
    return x << k | x >> (64 - k);
}

uint64_t rng_next (struct rng *rng)
{
    uint64_t *s = rng->s;
    uint64_t answer = rotate (s[1] * 5, 7) * 9;
    uint64_t shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate (s[3], 45);
    return answer;
}

double rng_uniform (struct rng *rng)
{
    return (double)(rng_next (rng) >> 11) * 0x1p-53;
}

/* The high half of bits * n, where the few low halves that would favour some
 * answers are drawn again (D. Lemire, "Fast random integer generation in an
 * interval", 2019). */
uint64_t rng_below (struct rng *rng, uint64_t n)
{
    uint64_t least = -n % n;
    uint128 product;
    do {
        product = (uint128)rng_next (rng) * n;
    } while ((uint64_t)product < least);
    return (uint64_t)(product >> 64);
}

/* Uniform in (0, 1]: the logarithm is finite. */
static double uniform_above_0 (struct rng *rng)
{
    return 1 - rng_uniform (rng);
}

double rng_exponential (struct rng *rng, double mean)
{
    return -mean * det_log (uniform_above_0 (rng));
}

/* The polar method (G. Marsaglia and T. A. Bray, 1964), of which the second
 * variate is dropped: keeping it would be state. */
double rng_normal (struct rng *rng)
{
    double u, v, square;
    do {
        u = 2 * rng_uniform (rng) - 1;
        v = 2 * rng_uniform (rng) - 1;
        square = u * u + v * v;
    } while (square >= 1 || square == 0);
    return u * sqrt (-2 * det_log (square) / square);
}

/* G. Marsaglia and W. W. Tsang, "A simple method for generating gamma
 * variables", 2000, for shapes of at least 1. */
static double gamma_above_1 (struct rng *rng, double shape)
{
    double d = shape - 1.0 / 3, c = 1 / sqrt (9 * d);
    for (;;) {
        double x = rng_normal (rng);
        double t = 1 + c * x;
        double v = t * t * t;
        if (t <= 0)
            continue;
        double u = uniform_above_0 (rng);
        if (det_log (u) < x * x / 2 + d * (1 - v + det_log (v)))
            return d * v;
    }
}

double rng_gamma (struct rng *rng, double shape, double scale)
{
    if (shape >= 1)
        return scale * gamma_above_1 (rng, shape);
    double boosted = gamma_above_1 (rng, shape + 1);
    return scale * boosted * det_pow (uniform_above_0 (rng), 1 / shape);
}
