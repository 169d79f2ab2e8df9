/* cuts.h - a sum of distances as a sum over cuts.
 *
 * Between two neighbouring coordinates of a line runs a cut. The distance of a
 * pair of points is the length of the cuts between them. If n of k points are
 * beyond a cut, n (k - n) pairs are across it. So the sum over pairs is the
 * sum over cuts of length x n (k - n). On a ring the cuts are diameters: of
 * all diameters, as many separate two points as the points are apart. The
 * inside of a cut is then half a ring.
 *
 * On every axis the cuts are in order, and a point is inside those before its
 * rank, or, on the far half of a ring, inside those from its rank on. So sums
 * over the cuts around a point are differences of running sums.
 *
 * Lengths are doubled, since a diameter may fall between two coordinates: the
 * sums here are twice the sums of distances. */
#ifndef TORI_ALLOC_CUTS_H
#define TORI_ALLOC_CUTS_H

#include "cloud.h"

__extension__ typedef __int128 amount;
#define AMOUNT_MAX ((amount)(~(wide)0 >> 1))

enum { OPEN, CHOSEN, LEFT }; /* marks of points */

/* One dimension in which the points differ. */
struct cuts_axis {
    uint32_t first, count; /* its cuts */
    uint32_t *rank;        /* of every point, up to `count` */
    bool *far;             /* inside the cuts from its rank on */
};

struct cuts {
    uint32_t n;
    uint32_t ncuts;
    int naxes;
    amount *length;
    struct cuts_axis axes[TORI_MAX_DIMS];
};

/* The cuts between the points of a cloud of fewer than 2^31. */
int cuts_create (const struct cloud *cloud, struct cuts *ret_cuts,
                 tori_error *err);
void cuts_clear (struct cuts *cuts);

static inline bool cuts_inside (const struct cuts_axis *axis, uint32_t cut,
                                uint32_t point)
{
    return axis->far[point] ? axis->rank[point] <= cut
                            : axis->rank[point] > cut;
}

/* How many of the points with this mark are inside each cut. */
void cuts_count (const struct cuts *cuts, const uint8_t marks[], uint8_t mark,
                 uint32_t ret_counts[]);

/* Twice the sum over pairs of k points, so many of them inside each cut. */
amount cuts_sum (const struct cuts *cuts, const uint32_t counts[], uint32_t k);

/* The price of each point: the sum of the prices of the cuts around it. The
 * running sums need room for ncuts + 1. */
void cuts_price (const struct cuts *cuts, const amount cut_price[],
                 amount running[], amount ret_price[]);

#endif
