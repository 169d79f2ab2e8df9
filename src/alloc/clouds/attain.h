/* attain.h - whether some centre has just these points as its k nearest.
 *
 * A centre of the grid (ranking.h) is one coordinate a dimension, and the
 * distance of a point from it a sum over the dimensions. All points of a set
 * are to be nearer than all others, equals by index; that is, with n points,
 * to have a lesser key: n times the distance, and the index.
 *
 * So there are two parties. One chooses a centre, the other a point of the set
 * and a point beside it, and wants the key of the first to be above that of
 * the second. Both choose by turns what is best against all that the other has
 * chosen so far. For the first this is easy in any number of dimensions: the
 * difference of sums of distances is a sum over dimensions, and is least where
 * every dimension's share is. It comes to an end in one of two ways:
 *
 *   - A centre is as wanted.
 *   - The least over all centres, of the sum of the differences for the pairs
 *     chosen so far, is not below 0. Then for every centre some pair is in the
 *     wrong order, and there is none.
 *
 * If neither comes soon, the grid is cut in two, where centres differed most,
 * and each part is looked at by itself.
 */
#ifndef TORI_ALLOC_ATTAIN_H
#define TORI_ALLOC_ATTAIN_H

#include "cuts.h"
#include "ranking.h"

/* Part of the grid: from the first rank up to before the end, counted within
 * the dimension. */
struct attain_box {
    size_t first[TORI_MAX_DIMS], end[TORI_MAX_DIMS];
};

struct attain {
    struct ranking ranking;
    const uint8_t *marks;   /* CHOSEN: of the set */
    uint64_t steps, budget; /* additions */

    size_t *start;  /* a centre to begin with, a rank a dimension */
    amount *shares; /* of the pairs so far, by value of a dimension */
    amount *keys;   /* of the centres so far, by point */

    /* Of the centres so far, by dimension. */
    size_t centre[TORI_MAX_DIMS]; /* the last of them */
    size_t least[TORI_MAX_DIMS], most[TORI_MAX_DIMS], sum[TORI_MAX_DIMS];
    size_t rounds;
};

/* -1 without memory. */
int attain_create (const struct cloud *cloud, struct attain *ret_attain,
                   tori_error *err);
void attain_clear (struct attain *attain);

/* All centres. */
struct attain_box attain_all (const struct attain *attain);

enum attain_answer { ATTAIN_NO, ATTAIN_YES, ATTAIN_UNKNOWN };

/* Whether a centre of the box is as wanted: attain->centre then is one.
 * Unknown if the budget is spent. */
enum attain_answer attain_find (struct attain *attain, const uint8_t marks[],
                                const struct attain_box *box);

/* The first of all such centres in lexicographic order: the same. */
enum attain_answer attain_first (struct attain *attain, const uint8_t marks[]);

#endif
