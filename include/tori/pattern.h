/* tori/pattern.h - who sends to whom: how the processes of a job talk.
 *
 *     int pattern = tori_pattern_find ("all-to-all");
 *     uint64_t phases = tori_pattern_phases (pattern, n);
 *     for (uint64_t p = 0; p < phases; p++) {
 *         tori_pattern_targets (pattern, n, p, seed, target);
 *         ...
 *     }
 *
 * A job is n processes, with ranks 0 to n - 1. It talks in phases. In a phase
 * a process sends at most one message, and no phase begins before the messages
 * of the previous one have arrived. All phases of a pattern, one after the
 * other, are a round. A job has any number of rounds. The nodes of a job get
 * their ranks in the order of their ids.
 *
 *   all-to-all  n - 1 phases: in phase p to rank + p + 1, round the ranks
 *   ring        one phase: to rank + 1, round the ranks
 *   random      one phase: to any other rank, at random
 *   nbody       n / 2 phases of a ring, then one half way round it:
 *               the communication of an n-body simulation
 *   fft         a phase per bit of n - 1: to the rank that differs in this
 *               bit, if there is such a rank
 *   transpose   one phase: the first s x s ranks are a matrix as large as
 *               there is room for; to the rank at the place mirrored in its
 *               diagonal
 *   complement  one phase: to rank n - 1 - rank
 */
#ifndef TORI_PATTERN_H
#define TORI_PATTERN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tori_pattern_info {
    const char *name;
    const char *summary; /* one line */
} tori_pattern_info;

/* The i-th pattern, or NULL past the end. A pattern's number is its index in
 * this list. */
const tori_pattern_info *tori_pattern_list (size_t i);

/* The pattern of this name, or -1. */
int tori_pattern_find (const char *name);

/* How many phases a round of n processes has; 0 for a single process, or if
 * there is no such pattern. */
uint64_t tori_pattern_phases (int pattern, uint32_t n);

/* Write to whom each of n processes sends in a phase. Phases count on over
 * rounds: phase p of round r is number r x phases + p. A process that sends
 * nothing has itself as its target. So do all if there is no such pattern.
 * `seed` determines all random choices; rounds differ. */
void tori_pattern_targets (int pattern, uint32_t n, uint64_t phase,
                           uint64_t seed, uint32_t ret_target[]);

#ifdef __cplusplus
}
#endif

#endif
