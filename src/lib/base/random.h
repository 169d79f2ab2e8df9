/* random.h - random numbers from a seed, the same on every machine.
 *
 * The generator is xoshiro256** of D. Blackman and S. Vigna, "Scrambled
 * linear pseudorandom number generators", 2021, its state filled by
 * SplitMix64. It lives in a struct of the caller's: no state is hidden.
 */
#ifndef TORI_BASE_RANDOM_H
#define TORI_BASE_RANDOM_H

#include <stdint.h>

struct rng {
    uint64_t s[4];
};

/* Start a sequence. Streams of one seed are as unrelated as seeds are: give
 * each purpose its own, so that more draws for one do not shift another. */
void rng_seed (struct rng *rng, uint64_t seed, uint64_t stream);

/* 64 random bits. */
uint64_t rng_next (struct rng *rng);

/* A multiple of 2^-53 in [0, 1). */
double rng_uniform (struct rng *rng);

/* A whole number in [0, n), each equally likely; n is at least 1. */
uint64_t rng_below (struct rng *rng, uint64_t n);

/* Exponential of the given mean. */
double rng_exponential (struct rng *rng, double mean);

/* Normal of mean 0 and variance 1. */
double rng_normal (struct rng *rng);

/* Gamma of this shape and scale, both above 0: the mean is their product. */
double rng_gamma (struct rng *rng, double shape, double scale);

#endif
