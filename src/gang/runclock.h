/* runclock.h - the time that all ranks of a run agree on: the monotonic clock
 * of the first rank.
 *
 * A rank on another host asks the rank above it in the tree for the time. The
 * answer's time lies between question and reply, so the faster the exchange,
 * the better it is known: the offset can be off by half of its length. The
 * last exchanges, each weighted by that, give offset and drift. If an offset
 * contradicts the earlier ones, a clock has jumped, and they are void.
 *
 * Ranks with the same clock as the one above take over what it knows.
 */
#ifndef TORI_GANGRUN_RUNCLOCK_H
#define TORI_GANGRUN_RUNCLOCK_H

#include <stdbool.h>
#include <stdint.h>

enum { RUNCLOCK_SAMPLES = 32 };

/* Nanoseconds. Zeroed, it is the clock of the first rank. */
struct runclock_state {
    int64_t at;     /* local time */
    int64_t offset; /* agreed time less local time, then */
    double drift;   /* by how much the offset grows in a nanosecond */
    double wander;  /* how far the drift can be off */
    int64_t error;  /* how far the offset can be off */
};

struct runclock {
    struct runclock_state state;
    struct runclock_sample {
        int64_t at, offset, error;
    } sample[RUNCLOCK_SAMPLES];
    uint32_t samples; /* how many there were; the last ones are kept */
    uint32_t jumps;
};

int64_t runclock_agreed (const struct runclock *clock, int64_t local);
int64_t runclock_local (const struct runclock *clock, int64_t agreed);

/* An exchange: when it was asked and answered, by the local clock, and the
 * answer: the agreed time, and how far off that can be. Returns by how much
 * the clock has jumped, 0 if it has not. */
int64_t runclock_learn (struct runclock *clock, int64_t asked,
                        int64_t answered, int64_t agreed, int64_t error);

/* Take over what another rank on the same clock knows. */
void runclock_adopt (struct runclock *clock,
                     const struct runclock_state *state);

#endif
