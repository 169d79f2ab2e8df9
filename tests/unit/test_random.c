/* Elementary functions against the C library's, and random numbers against
 * their published sequence and the moments of their distributions. */
#include <stddef.h>
#include <stdint.h>

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "cases.h"
#include "detmath.h"
#include "random.h"

enum { SAMPLES = 200000 };

/* How many doubles apart, for two of the same sign. */
static double ulps (double a, double b)
{
    if (a == b)
        return 0;
    double larger = fmax (fabs (a), fabs (b));
    return fabs (a - b) / (nextafter (larger, HUGE_VAL) - larger);
}

TEST (exp)
{
    struct rng rng;
    double worst = 0;
    rng_seed (&rng, 1, 0);
    for (int i = 0; i < SAMPLES; i++) {
        double x = (rng_uniform (&rng) - 0.5) * (i % 2 ? 1400 : 2);
        worst = fmax (worst, ulps (det_exp (x), exp (x)));
    }
    assert_true (worst <= 2); /* 1 of ours, 1 of the library's */
    assert_true (det_exp (0) == 1);
    assert_true (det_exp (-0.0) == 1);
    assert_true (det_exp (800) == HUGE_VAL);
    assert_true (det_exp (HUGE_VAL) == HUGE_VAL);
    assert_true (det_exp (-800) == 0);
    assert_true (det_exp (-HUGE_VAL) == 0);
    assert_true (isnan (det_exp (NAN)));
    assert_true (ulps (det_exp (709.78), exp (709.78)) <= 2);
    assert_true (fabs (det_exp (-740) - exp (-740)) <= 2 * DBL_TRUE_MIN);
    assert_true (det_exp (1e-300) == 1);
}

TEST (exp2)
{
    struct rng rng;
    double worst = 0;
    rng_seed (&rng, 2, 0);
    for (int i = 0; i < SAMPLES; i++) {
        double x = (rng_uniform (&rng) - 0.5) * (i % 2 ? 2000 : 40);
        worst = fmax (worst, ulps (det_exp2 (x), exp2 (x)));
    }
    assert_true (worst <= 2);
    for (int k = -1074; k < 1024; k++)
        assert_true (det_exp2 (k) == ldexp (1, k));
    assert_true (det_exp2 (1024) == HUGE_VAL);
    assert_true (det_exp2 (-2000) == 0);
    assert_true (isnan (det_exp2 (NAN)));
}

TEST (log)
{
    struct rng rng;
    double worst = 0, worst2 = 0;
    rng_seed (&rng, 3, 0);
    for (int i = 0; i < SAMPLES; i++) {
        double x = 0.5 + rng_uniform (&rng);
        if (i % 2)
            x = ldexp (x, (int)rng_below (&rng, 2000) - 1000);
        else if (i % 3 == 0)
            x = 1 + (x - 1) * 1e-9;
        worst = fmax (worst, ulps (det_log (x), log (x)));
        worst2 = fmax (worst2, ulps (det_log2 (x), log2 (x)));
    }
    assert_true (worst <= 2);
    assert_true (worst2 <= 3);
    for (int k = -1074; k < 1024; k++)
        assert_true (det_log2 (ldexp (1, k)) == k);
    assert_true (det_log (1) == 0);
    assert_true (det_log (0) == -HUGE_VAL);
    assert_true (det_log2 (0) == -HUGE_VAL);
    assert_true (isnan (det_log (-1)));
    assert_true (isnan (det_log2 (-1)));
    assert_true (isnan (det_log (NAN)));
    assert_true (det_log (HUGE_VAL) == HUGE_VAL);
    assert_true (ulps (det_log (DBL_MAX), log (DBL_MAX)) <= 2);
    assert_true (ulps (det_log (DBL_TRUE_MIN), log (DBL_TRUE_MIN)) <= 2);
}

TEST (pow)
{
    struct rng rng;
    rng_seed (&rng, 4, 0);
    for (int i = 0; i < SAMPLES / 10; i++) {
        double x = rng_uniform (&rng) * 100;
        double y = (rng_uniform (&rng) - 0.5) * 40;
        double bound = 4 + 2 * fabs (y * log (x));
        assert_true (ulps (det_pow (x, y), pow (x, y)) <= bound);
    }
    assert_true (det_pow (0, 0) == 1);
    assert_true (det_pow (0, 2) == 0);
    assert_true (det_pow (0, -2) == HUGE_VAL);
    assert_true (det_pow (7, 0) == 1);
}

/* The bits themselves, which must not depend on machine or compiler. */
TEST (same_bits)
{
    assert_true (det_exp (1) == 0x1.5bf0a8b14576ap+1);
    assert_true (det_exp (-3.25) == 0x1.3da368521902dp-5);
    assert_true (det_log (10) == 0x1.26bb1bbb55516p+1);
    assert_true (det_log (0.3) == -0x1.34378fcbda721p+0);
}

/* The first outputs of xoshiro256** from the state 1, 2, 3, 4. */
TEST (generator)
{
    struct rng rng = {{1, 2, 3, 4}};
    assert_true (rng_next (&rng) == UINT64_C (11520));
    assert_true (rng_next (&rng) == UINT64_C (0));
    assert_true (rng_next (&rng) == UINT64_C (1509978240));
    assert_true (rng_next (&rng) == UINT64_C (1215971899390074240));
}

TEST (streams_differ)
{
    struct rng a, b;
    for (uint64_t seed = 0; seed < 20; seed++)
        for (uint64_t stream = 0; stream < 20; stream++) {
            rng_seed (&a, seed, stream);
            rng_seed (&b, stream, seed);
            assert_int_equal (rng_next (&a) == rng_next (&b), seed == stream);
            rng_seed (&a, seed, stream);
            rng_seed (&b, seed, stream + 1);
            assert_true (rng_next (&a) != rng_next (&b));
        }
}

TEST (below)
{
    struct rng rng;
    unsigned seen[6] = {0};
    rng_seed (&rng, 5, 0);
    for (int i = 0; i < 60000; i++)
        seen[rng_below (&rng, 6)]++;
    for (int i = 0; i < 6; i++)
        assert_uint_in_range (seen[i], 9600, 10400);
    for (int i = 0; i < 100; i++)
        assert_int_equal (rng_below (&rng, 1), 0);
    /* Two thirds of the range of 64 bits: the plain remainder would give the
     * lower half twice as often. */
    unsigned low = 0;
    uint64_t n = UINT64_MAX / 3 * 2;
    for (int i = 0; i < 60000; i++) {
        uint64_t x = rng_below (&rng, n);
        assert_true (x < n);
        low += x < n / 2;
    }
    assert_uint_in_range (low, 29400, 30600);
}

/* The mean and the variance of a sample within five standard errors. */
struct moments {
    double n, sum, square;
};

static void add (struct moments *m, double x)
{
    m->n++;
    m->sum += x;
    m->square += x * x;
}

static void assert_moments (const struct moments *m, double mean,
                            double variance, double kurtosis)
{
    double got = m->sum / m->n;
    double var = m->square / m->n - got * got;
    assert_true (fabs (got - mean) < 5 * sqrt (variance / m->n));
    assert_true (fabs (var - variance)
                 < 5 * variance * sqrt ((kurtosis - 1) / m->n));
}

TEST (distributions)
{
    struct rng rng;
    struct moments uniform = {0}, exponential = {0}, normal = {0};
    rng_seed (&rng, 6, 0);
    for (int i = 0; i < SAMPLES; i++) {
        double x = rng_uniform (&rng);
        assert_true (x >= 0 && x < 1);
        add (&uniform, x);
        x = rng_exponential (&rng, 3);
        assert_true (x >= 0 && isfinite (x));
        add (&exponential, x);
        add (&normal, rng_normal (&rng));
    }
    assert_moments (&uniform, 0.5, 1.0 / 12, 1.8);
    assert_moments (&exponential, 3, 9, 9);
    assert_moments (&normal, 0, 1, 3);
}

TEST (gamma)
{
    static const double shapes[] = {0.3, 1, 4.2, 10.2303, 312};
    struct rng rng;
    rng_seed (&rng, 7, 0);
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
        struct moments m = {0};
        double shape = shapes[k];
        for (int i = 0; i < SAMPLES / 2; i++) {
            double x = rng_gamma (&rng, shape, 0.5);
            assert_true (x >= 0 && isfinite (x));
            add (&m, x);
        }
        assert_moments (&m, shape * 0.5, shape * 0.25, 3 + 6 / shape);
    }
}
