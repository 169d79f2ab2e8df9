/* onedim.h - points that differ in one dimension only: on a line or a ring.
 *
 * On a line a best set is k neighbours in sorted order, so a window that
 * slides over the sorted points finds it: linear time after sorting (Leung et
 * al., "Algorithmic support for commodity-based parallel computing systems",
 * 2003, have a dynamic program for the same).
 *
 * Round a ring neighbours are not always best. Three clusters of three points
 * a third of the ring apart and single points opposite each: of ten, the best
 * leave out two single points (0 1 1 1 2 3 3 3 4 5 5 5 on a ring of 6 has a
 * sum of 69 so, but 70 for any ten neighbours). But a set that is not
 * neighbours has points on all sides, and so much is known about them
 * (ringbound.c; ringleft.c, where few are left out) that neighbours are nearly
 * always proved best at once, in about the time that it takes to find them. Where they are not, exact.c looks
 * further, in rounds that are nearly linear and some hundreds of which do. If
 * it gives up, for few of many points there is a dynamic program over the
 * diameters, in O(n k^3).
 */
#ifndef TORI_ALLOC_ONEDIM_H
#define TORI_ALLOC_ONEDIM_H

#include "cloud.h"

/* The one dimension in which the points differ (any, if in none); -1 if there
 * are several. */
int onedim_find (const struct cloud *cloud);

/* On a line: the first best set, in lexicographic order of indexes. */
int onedim_line (const struct cloud *cloud, int dim, size_t k,
                 size_t *ret_chosen, tori_error *err);

/* On a ring: the first best set of neighbours. Returns 1 if it is proved that
 * nothing else is as good, 0 if it is not. */
int onedim_arcs (const struct cloud *cloud, int dim, size_t k,
                 size_t *ret_chosen, tori_error *err);

/* On a ring: any best set, by the program if need be; neighbours unless others
 * are better. TORI_GAVE_UP if it is too long. */
int onedim_program (const struct cloud *cloud, int dim, size_t k,
                    size_t *ret_chosen, tori_error *err);

#endif
