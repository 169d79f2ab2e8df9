/* paired_comparison.h - policies compared on the same jobs.
 *
 * A comparison has scenes (a machine, a workload, a load), policies, and
 * seeds. In a scene with a seed all policies get the same jobs, so any
 * difference between two of them is due to the policies. Differences are taken
 * seed by seed, and their interval is much narrower than those of the two
 * means.
 */
#ifndef TORI_REPORT_PAIRED_COMPARISON_H
#define TORI_REPORT_PAIRED_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>

#include "estimate.h"

struct comparison {
    size_t scenes, policies, seeds;
    const double *value; /* one measure: by scene, then policy, then seed; NAN
                            for a missing value */
    bool resampled; /* seeds are logs drawn from one log (estimate.h) */
    const bool *absent; /* by scene, then seed: not all policies have been
                           simulated with it, so it does not count; NULL: all
                           have */
};

/* Whether a policy has values in a scene, for all seeds that count. */
bool comparison_has (const struct comparison *comparison, size_t scene,
                     size_t policy);

/* The mean over seeds, and half of its 95 % interval; not a number with a
 * single seed. */
struct estimate comparison_mean (const struct comparison *comparison,
                                 size_t scene, size_t policy);

/* By which part a policy is above (below: negative) another, seed by seed. */
struct estimate comparison_difference (const struct comparison *comparison,
                                       size_t scene, size_t policy,
                                       size_t base);

/* How far above (below: negative) another, in the unit of the values. */
struct estimate comparison_excess (const struct comparison *comparison,
                                   size_t scene, size_t policy, size_t base);

/* The first policy that has values in a scene; the one with the least mean, or
 * with the most. `policies` if there is none. */
size_t comparison_first (const struct comparison *comparison, size_t scene);
size_t comparison_best (const struct comparison *comparison, size_t scene,
                        bool most);

/* The best policy among those that are not like `best`; `policies` if there is
 * none. */
size_t comparison_next (const struct comparison *comparison, size_t scene,
                        size_t best, bool most);

/* Whether two may be the same: the interval of the difference of `a` to `b`
 * has 0 in it. With a single seed, whether they are the same to a tenth of a
 * percent. */
bool comparison_alike (const struct comparison *comparison, size_t scene,
                       size_t a, size_t b);

#endif
