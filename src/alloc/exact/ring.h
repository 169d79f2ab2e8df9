/* ring.h - the best k of n points round a ring; see onedim.h. */
#ifndef TORI_ALLOC_RING_H
#define TORI_ALLOC_RING_H

#include "cloud.h"

/* Where a point is, counted from the least coordinate, and which it is. */
struct place {
    uint64_t at;
    size_t index;
};

/* The places are sorted, and within a ring of this length. */
struct ring {
    const struct place *places;
    size_t n, k;
    uint64_t length;
};

/* The sum over pairs of the k neighbours from each place on; n of them. -1
 * without memory. */
int ring_sums (const struct ring *ring, wide ret_sums[], tori_error *err);

/* Whether every set that is not k neighbours has a sum of `least` or more: 1
 * if that is proved, 0 if it is not known, -1 without memory. */
int ring_bound (const struct ring *ring, wide least, tori_error *err);

/* The same where few points are left out, by a program over them. */
int ring_left_bound (const struct ring *ring, wide least, tori_error *err);

/* Replace the chosen points by a best set if any has a sum below `best`.
 * TORI_GAVE_UP if that would take too long to find out. */
int ring_program (const struct ring *ring, wide best, size_t *ret_chosen,
                  tori_error *err);

#endif
