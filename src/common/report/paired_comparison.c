#include "paired_comparison.h"

#include <math.h>
#include <stdlib.h>

static double value_of (const struct comparison *comparison, size_t scene,
                        size_t policy, size_t seed)
{
    size_t at =
        (scene * comparison->policies + policy) * comparison->seeds + seed;
    return comparison->value[at];
}

static bool is_absent (const struct comparison *comparison, size_t scene,
                       size_t seed)
{
    return comparison->absent
           && comparison->absent[scene * comparison->seeds + seed];
}

bool comparison_has (const struct comparison *comparison, size_t scene,
                     size_t policy)
{
    size_t n = 0;
    for (size_t i = 0; i < comparison->seeds; i++) {
        if (is_absent (comparison, scene, i))
            continue;
        if (isnan (value_of (comparison, scene, policy, i)))
            return false;
        n++;
    }
    return n > 0;
}

/* One value at a time, so that nothing is allocated: Welford's sums, and then
 * the interval as in estimate_of. */
struct sums {
    double mean, squares;
    size_t n;
};

static void add_value (struct sums *sums, double value)
{
    double delta = value - sums->mean;
    sums->n++;
    sums->mean += delta / (double)sums->n;
    sums->squares += delta * (value - sums->mean);
}

static struct estimate estimate_sums (const struct sums *sums, bool resampled)
{
    struct estimate is = {sums->n > 0 ? sums->mean : NAN, NAN};
    if (sums->n < 2)
        return is;
    is = estimate_from (sums->mean, sums->squares, sums->n);
    return resampled ? estimate_resampled (is, sums->n) : is;
}

struct estimate comparison_mean (const struct comparison *comparison,
                                 size_t scene, size_t policy)
{
    struct sums sums = {0};
    for (size_t i = 0; i < comparison->seeds; i++)
        if (!is_absent (comparison, scene, i))
            add_value (&sums, value_of (comparison, scene, policy, i));
    return estimate_sums (&sums, comparison->resampled);
}

struct estimate comparison_difference (const struct comparison *comparison,
                                       size_t scene, size_t policy,
                                       size_t base)
{
    struct sums sums = {0};
    for (size_t i = 0; i < comparison->seeds; i++) {
        double is = value_of (comparison, scene, policy, i);
        double was = value_of (comparison, scene, base, i);
        if (is_absent (comparison, scene, i))
            continue;
        add_value (&sums, is == was ? 0 : (is - was) / fabs (was));
    }
    return estimate_sums (&sums, comparison->resampled);
}

struct estimate comparison_excess (const struct comparison *comparison,
                                   size_t scene, size_t policy, size_t base)
{
    struct sums sums = {0};
    for (size_t i = 0; i < comparison->seeds; i++)
        if (!is_absent (comparison, scene, i))
            add_value (&sums, value_of (comparison, scene, policy, i)
                                  - value_of (comparison, scene, base, i));
    return estimate_sums (&sums, comparison->resampled);
}

size_t comparison_first (const struct comparison *comparison, size_t scene)
{
    size_t policy = 0;
    while (policy < comparison->policies
           && !comparison_has (comparison, scene, policy))
        policy++;
    return policy;
}

/* Whether `a` has values, and is better than `b`, which may have none. */
static bool is_better (const struct comparison *comparison, size_t scene,
                       size_t a, size_t b, bool most)
{
    double is, than;
    if (!comparison_has (comparison, scene, a) || b == comparison->policies)
        return comparison_has (comparison, scene, a);
    is = comparison_mean (comparison, scene, a).mean;
    than = comparison_mean (comparison, scene, b).mean;
    return most ? is > than : is < than;
}

size_t comparison_best (const struct comparison *comparison, size_t scene,
                        bool most)
{
    size_t best = comparison->policies;
    for (size_t i = 0; i < comparison->policies; i++)
        if (is_better (comparison, scene, i, best, most))
            best = i;
    return best;
}

size_t comparison_next (const struct comparison *comparison, size_t scene,
                        size_t best, bool most)
{
    size_t next = comparison->policies;
    for (size_t i = 0; i < comparison->policies; i++)
        if (is_better (comparison, scene, i, next, most)
            && !comparison_alike (comparison, scene, best, i))
            next = i;
    return next;
}

bool comparison_alike (const struct comparison *comparison, size_t scene,
                       size_t a, size_t b)
{
    struct estimate is = comparison_difference (comparison, scene, a, b);
    return fabs (is.mean) <= (isnan (is.half) ? 0.0005 : is.half);
}
