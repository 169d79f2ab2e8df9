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

/* Whether `a` has values, and is better than `b`, which may be none. */
static bool is_better (const struct contest *contest, size_t scene, size_t a,
                       size_t b, bool most)
{
    double is, than;
    if (!contest_has (contest, scene, a) || b == contest->policies)
        return contest_has (contest, scene, a);
    is = contest_mean (contest, scene, a).mean;
    than = contest_mean (contest, scene, b).mean;
    return most ? is > than : is < than;
}

size_t contest_best (const struct contest *contest, size_t scene, bool most)
{
    size_t best = contest->policies;
    for (size_t i = 0; i < contest->policies; i++)
        if (is_better (contest, scene, i, best, most))
            best = i;
    return best;
}

size_t contest_next (const struct contest *contest, size_t scene, size_t best,
                     bool most)
{
    size_t next = contest->policies;
    for (size_t i = 0; i < contest->policies; i++)
        if (is_better (contest, scene, i, next, most)
            && !contest_alike (contest, scene, best, i))
            next = i;
    return next;
}

bool contest_alike (const struct contest *contest, size_t scene, size_t a,
                    size_t b)
{
    struct estimate is = contest_difference (contest, scene, a, b);
    return fabs (is.mean) <= (isnan (is.half) ? 0.0005 : is.half);
}
