/* Two clocks whose truth is known: what a rank concludes from exchanges is
 * never further off than it says. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "cases.h"
#include "random.h"
#include "runclock.h"

#define SECOND INT64_C (1000000000)

/* A clock that starts somewhere and goes too fast or too slow. */
struct wrong {
    int64_t ahead;
    double drift;
};

static int64_t read_at (const struct wrong *wrong, int64_t truth)
{
    return truth + wrong->ahead + (int64_t)(wrong->drift * (double)truth);
}

/* One exchange of which each way takes some time, seldom the same. */
static int64_t exchange (struct runclock *clock, const struct wrong *wrong,
                         struct rng *rng, int64_t truth, int64_t slow)
{
    int64_t out = 20000 + (int64_t)rng_below (rng, (uint64_t)slow);
    int64_t back = 20000 + (int64_t)rng_below (rng, (uint64_t)slow);
    return runclock_learn (clock, read_at (wrong, truth),
                           read_at (wrong, truth + out + back), truth + out,
                           0);
}

static int64_t off_by (const struct runclock *clock, const struct wrong *wrong,
                       int64_t truth)
{
    return llabs (runclock_agreed (clock, read_at (wrong, truth)) - truth);
}

TEST (offset_and_drift)
{
    struct rng rng;
    rng_seed (&rng, 21, 0);
    for (int round = 0; round < 200; round++) {
        struct wrong wrong
            = {(int64_t)rng_below (&rng, 20000) * SECOND / 1000
                   - 10 * SECOND,
               ((double)rng_below (&rng, 1001) - 500) / 1e6};
        struct runclock clock = {0};
        int64_t truth = (int64_t)rng_below (&rng, 1000) * SECOND;
        for (int i = 0; i < 100; i++, truth += SECOND / 4) {
            assert_int_equal (
                exchange (&clock, &wrong, &rng, truth, 200000), 0);
            assert_true (off_by (&clock, &wrong, truth) < 240000);
            if (i > RUNCLOCK_SAMPLES) {
                assert_true (off_by (&clock, &wrong, truth + SECOND / 4)
                             < 150000);
                assert_true (clock.state.error < 400000);
                assert_true (fabs (clock.state.drift
                                   + wrong.drift / (1 + wrong.drift))
                             < 60e-6);
            }
        }
    }
}

/* The way back is the way there. */
TEST (there_and_back)
{
    struct rng rng;
    rng_seed (&rng, 22, 0);
    for (int round = 0; round < 1000; round++) {
        struct runclock clock
            = {.state = {.at = (int64_t)rng_below (&rng, 1u << 30),
                         .offset = (int64_t)rng_below (&rng, 1u << 31)
                                   - (1 << 30),
                         .drift = ((double)rng_below (&rng, 2001) - 1000)
                                  / 1e6}};
        int64_t agreed = (int64_t)rng_below (&rng, 1000) * SECOND;
        int64_t local = runclock_local (&clock, agreed);
        assert_true (llabs (runclock_agreed (&clock, local) - agreed) <= 2000);
    }
}

/* Exchanges that take long say little, and are weighed so. */
TEST (slow_exchanges)
{
    struct wrong wrong = {3 * SECOND, 50e-6};
    struct runclock clock = {0};
    struct rng rng;
    int64_t truth = 0;
    rng_seed (&rng, 23, 0);
    for (int i = 0; i < 200; i++, truth += SECOND / 4) {
        int64_t slow = i % 4 == 0 ? 50000 : 20000000;
        assert_int_equal (exchange (&clock, &wrong, &rng, truth, slow), 0);
        if (i > RUNCLOCK_SAMPLES)
            assert_true (off_by (&clock, &wrong, truth) < 200000);
    }
}

/* A clock that jumps is noticed at the next exchange, by how much, once. */
TEST (jump)
{
    struct wrong wrong = {-SECOND, -100e-6};
    struct runclock clock = {0};
    struct rng rng;
    int64_t truth = 0, jump;
    rng_seed (&rng, 24, 0);
    for (int i = 0; i < 60; i++, truth += SECOND / 4)
        assert_int_equal (exchange (&clock, &wrong, &rng, truth, 50000), 0);
    wrong.ahead += 2 * SECOND;
    jump = exchange (&clock, &wrong, &rng, truth, 50000);
    assert_true (llabs (jump + 2 * SECOND) < 1000000);
    assert_int_equal (clock.jumps, 1);
    assert_true (off_by (&clock, &wrong, truth) < 100000);
    for (int i = 0; i < 60; i++, truth += SECOND / 4)
        assert_int_equal (exchange (&clock, &wrong, &rng, truth, 50000), 0);
    assert_true (off_by (&clock, &wrong, truth) < 100000);
}
