/* neighbours.h - the best k points of a line or a ring, where these are
 * neighbours.
 *
 * On a line a best set is k neighbours in sorted order, so a window that
 * slides over the sorted points finds it: linear time after sorting (Leung et
 * al., "Algorithmic support for commodity-based parallel computing systems",
 * 2003, have a dynamic program for the same).
 *
 * Round a ring neighbours are not always best. Three clusters of three points
 * a third of the ring apart and single points opposite each: of ten, the best
 * leave out two single points (0 1 1 1 2 3 3 3 4 5 5 5 on a ring of 6 has a
 * sum of 69 so, but 70 for any ten neighbours). They are in two cases:
 *
 *   - A set lies within half a ring, where it is a line, or three of its
 *     points do not, R being the ring. These are R apart in all, and any point
 *     is R / 2 or more from the three together: as far as two of them are
 *     apart from these two, and so for all three pairs. So such a set has no
 *     less than (k - 1) R / 2, and what its other k - 3 points have. With
 *     W (k) the best of k neighbours, no k points have less than
 *
 *         L (k) = min (W (k), (k - 1) R / 2 + L (k - 3))
 *
 *     and if W (k) is the lesser, only neighbours have it. At equal distances
 *     that is so for up to a third of the points.
 *   - The n points are at equal distances, as on an idle machine. Let x be how
 *     many chosen points are among m = n / 2 neighbours, rounded up: of the n
 *     different x every one stands for a diameter, and all for as long, so
 *     best is the greatest sum of x^2. From one x to the next is a step of 1
 *     at most, the sum of all is k m, and they are from some B, 0 or what the
 *     other n - m places cannot hold, to some A, k or m. Let F (j) be how many
 *     are j or more: the sum of all F is fixed, that of j F (j) to be
 *     greatest. A turn passes each number between the least x and the greatest
 *     twice at least, so there F falls by 2 or more from j to j + 1; for
 *     neighbours it falls by just 2 everywhere between B and A. So what F is
 *     above that of neighbours falls from the least x to the greatest; below,
 *     where all x count, it is not less than 0, and above, where none does,
 *     not more. It sums up to 0 and changes its sign once, downwards: the sum
 *     of j F (j) is no greater, and as great only for neighbours.
 */
#ifndef TORI_ALLOC_NEIGHBOURS_H
#define TORI_ALLOC_NEIGHBOURS_H

#include "cloud.h"

/* The first best set, in lexicographic order of indexes: 1 on a line, and on a
 * ring where neighbours are known to be best and which of them come first is
 * told soon; 0 if not, -1 without memory. */
int neighbours_choose (const struct cloud *cloud, int dim, size_t k,
                       size_t *ret_chosen, tori_error *err);

#endif
