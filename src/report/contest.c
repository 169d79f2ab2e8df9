#include "contest.h"

#include <math.h>
#include <stdlib.h>

static double value_of (const struct contest *contest, size_t scene,
                        size_t policy, size_t seed)
{
    size_t at = (scene * contest->policies + policy) * contest->seeds + seed;
    return contest->value[at];
}

bool contest_has (const struct contest *contest, size_t scene, size_t policy)
{
    for (size_t i = 0; i < contest->seeds; i++)
        if (isnan (value_of (contest, scene, policy, i)))
            return false;
    return true;
}

/* One value at a time, so that there is nothing to allocate: Welford's sums,
 * and then the interval as estimate_of has it. */
struct sums {
    double mean, squares;
    size_t n;
};

static void add (struct sums *sums, double value)
{
    double delta = value - sums->mean;
    sums->n++;
    sums->mean += delta / (double)sums->n;
    sums->squares += delta * (value - sums->mean);
}

static struct estimate estimate_sums (const struct sums *sums)
{
    if (sums->n < 2)
        return (struct estimate){sums->mean, NAN};
    return estimate_from (sums->mean, sums->squares, sums->n);
}

struct estimate contest_mean (const struct contest *contest, size_t scene,
                              size_t policy)
{
    struct sums sums = {0};
    for (size_t i = 0; i < contest->seeds; i++)
        add (&sums, value_of (contest, scene, policy, i));
    return estimate_sums (&sums);
}

struct estimate contest_difference (const struct contest *contest,
                                    size_t scene, size_t policy, size_t base)
{
    struct sums sums = {0};
    for (size_t i = 0; i < contest->seeds; i++) {
        double is = value_of (contest, scene, policy, i);
        double was = value_of (contest, scene, base, i);
        add (&sums, is == was ? 0 : (is - was) / fabs (was));
    }
    return estimate_sums (&sums);
}

size_t contest_first (const struct contest *contest, size_t scene)
{
    size_t policy = 0;
    while (policy < contest->policies && !contest_has (contest, scene, policy))
        policy++;
    return policy;
}

size_t contest_best (const struct contest *contest, size_t scene, bool most)
{
    size_t best = contest_first (contest, scene);
    for (size_t i = best + 1; i < contest->policies; i++) {
        double a, b;
        if (!contest_has (contest, scene, i))
            continue;
        a = contest_mean (contest, scene, i).mean;
        b = contest_mean (contest, scene, best).mean;
        if (most ? a > b : a < b)
            best = i;
    }
    return best;
}

bool contest_alike (const struct contest *contest, size_t scene, size_t a,
                    size_t b)
{
    struct estimate is = contest_difference (contest, scene, a, b);
    return fabs (is.mean) <= (isnan (is.half) ? 0.0005 : is.half);
}
