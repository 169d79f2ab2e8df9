/* strips.h - the strips of an approximation scheme, and the ways to cut.
 *
 * Bender et al., "Communication-Aware Processor Allocation for
 * Supercomputers", 2005, section 4, cut the plane into vertical and horizontal
 * strips such that each holds its share of a best set, and take from each cell
 * the points that come first along a gradient. This is their scheme, with
 * fewer strips, and without guessing how many points each cell has.
 *
 * A sum of distances is a sum over cuts (cuts.h): a cut with n of k points
 * inside has n (k - n) pairs across it. Let 0 = e0 < e1 < ... < em = k, and
 * let g be linear between these ends and equal to n (k - n) at them. A strip
 * is what lies between the cuts with e(j) and with e(j + 1) points inside.
 * There g has the slope k - e(j) - e(j + 1). That is the paper's gradient: with
 * k / m points in each strip it is (2i + 1 - m) k / m for the i-th from the
 * left.
 *
 * n (k - n) is concave. So g is below it, and g is the least of its m lines.
 * If someone says which line each cut has, a set costs a constant and a price
 * for each of its points, and the k cheapest points are best. No set costs
 * less by these lines than by g, and with the strips of a best set this set
 * costs as much as by g. So, over all ways to assign lines to cuts,
 *
 *     least cost of the k cheapest <= g of the best set <= its sum.
 *
 * The ends are such that n (k - n) <= (1 + epsilon) g for every whole n. So
 * the sum of the k cheapest is at most 1 + epsilon times their cost, and for
 * the way with the least cost it is within 1 + epsilon of the best.
 *
 * With n = k sin^2 (t), the greatest ratio of n (k - n) and g between two ends
 * is 1 / cos^2 of the difference of their t. So a strip may be as wide as
 * arctan (sqrt (epsilon)) of a quarter turn: m is about pi / 2 / arctan (sqrt
 * (epsilon)), which does not depend on k. It is 2 for an epsilon of 1, 3 for a
 * third and more, 4 for 0.18, 5 for 0.11. Ends are whole numbers, which may
 * take more strips, but never twice as many: two strips that are as wide as
 * they can be reach beyond the one that would end at a fraction.
 *
 * Along a line the number inside never rises from one cut to the next, so c
 * cuts have at most (c + m - 1 over m - 1) ways: a polynomial in n.
 */
#ifndef TORI_ALLOC_STRIPS_H
#define TORI_ALLOC_STRIPS_H

#include "cuts.h"

struct strips {
    uint32_t *ends; /* count + 1, from 0 to k */
    uint32_t count;
};

/* The fewest strips with whole ends. Epsilon is above 0. -1 without memory. */
int strips_create (uint32_t k, double epsilon, struct strips *ret_strips,
                   tori_error *err);
void strips_clear (struct strips *strips);

/* An end strictly between two numbers, the one nearest to n; of two, the
 * lower. Returns 0 if there is none: the two are within one strip. */
uint32_t strips_end_near (const struct strips *strips, uint32_t low,
                          uint32_t high, uint32_t n);

/* In how many ways the cuts of an axis can be in strips, if cut c has between
 * low[c] and high[c] points inside, and between cuts j - 1 and j at most
 * fall[j] points leave and rise[j] enter. -1 without memory. */
int strips_ways (const struct strips *strips, uint32_t ncuts,
                 const uint32_t low[], const uint32_t high[],
                 const uint32_t fall[], const uint32_t rise[],
                 double *ret_ways, tori_error *err);

#endif
