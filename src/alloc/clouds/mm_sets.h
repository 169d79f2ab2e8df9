/* mm_sets.h - MM on few points in many dimensions, set by set.
 *
 * In d dimensions MM has up to n^d centres, but no more answers than there are
 * sets of k points; and mostly the best set of all is one. So sets are looked
 * for in place of centres: with the least sum (pairs.h), and such that some
 * centre has them as its k nearest (attain.h). Only if several of the least
 * sum are found, their first centres are compared.
 */
#ifndef TORI_ALLOC_MM_SETS_H
#define TORI_ALLOC_MM_SETS_H

#include "cloud.h"

/* Whether there are few enough points to try. */
bool mm_sets_serves (const struct cloud *cloud);

/* The answer of MM. 1, or 0 if so many steps, additions, are not enough; -1
 * without memory. */
int mm_choose_sets (const struct cloud *cloud, size_t k, uint64_t steps,
                    size_t *ret_chosen, tori_error *err);

#endif
