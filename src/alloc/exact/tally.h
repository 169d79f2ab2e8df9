/* tally.h - the sum of the cheapest so many of a changing set, from below.
 *
 * Of n prices in ascending order some are in the set. They are in classes, and
 * of every class it is known how many are in, and their sum: to put one in or
 * to take one out takes O(1), to add up all classes as long as there are
 * classes, and then the m cheapest are asked for in O(log n).
 *
 * The sum of the m cheapest is convex in m. Where m ends a class it is exact.
 * Between two such it is no less than its tangents there, and the least price
 * of a class is the slope of one where the class begins. So the answer is
 * convex, too, and with a price a class it is exact.
 */
#ifndef TORI_ALLOC_TALLY_H
#define TORI_ALLOC_TALLY_H

#include "cuts.h"

enum { TALLY_CLASSES = 64 };

/* The classes of n prices; the last entry has the greatest price of all. */
struct scale {
    uint32_t n, classes;
    amount least[TALLY_CLASSES + 1];
};

struct tally {
    uint32_t in; /* how many of them are in */
    uint32_t count[TALLY_CLASSES];
    amount sum[TALLY_CLASSES];
    uint32_t count_before[TALLY_CLASSES + 1]; /* in the classes before */
    amount sum_before[TALLY_CLASSES + 1];
};

/* n prices will be added, in ascending order. */
void scale_begin (struct scale *scale, uint32_t n);

/* The price that so many come before. Returns its class. */
uint16_t scale_add (struct scale *scale, uint32_t place, amount price);

/* Empty it. */
void tally_reset (struct tally *tally);

/* A price of this class comes in or goes. */
void tally_put (struct tally *tally, uint16_t class, amount price);
void tally_take (struct tally *tally, uint16_t class, amount price);

/* After the last that came or went. */
void tally_add_up (struct tally *tally, const struct scale *scale);

/* What the cheapest so many of those that are in add up to, at least. */
amount tally_cheapest (const struct tally *tally, const struct scale *scale,
                       uint32_t many);

#endif
