/* stairs.h - the profile of a preemptive plan: the time left at each position.
 *
 * The m positions of a machine are cut into intervals, each with the time that
 * it has left before the deadline. An interval with no time left is gone. The
 * time left strictly increases from left to right: the profile is like stairs,
 * and stays so (Lemma 1 of Gupta and Srimani, 1997). A job takes a piece from
 * the left end of one interval or of two neighbours. The rest of the second
 * lies between the two, in time as in space. So an interval never has to move:
 * the order of positions is the order of times left. A tree over the positions
 * is enough, with the most time left below each node; it never changes and
 * need not be balanced. Finding the interval for a job, and changing one,
 * takes log2 (m) steps. */
#ifndef TORI_PLAN_STAIRS_H
#define TORI_PLAN_STAIRS_H

#include <stdbool.h>
#include <stdint.h>

#include <tori/exact.h>

struct stairs;

/* For `cells` cells, none of which exists yet. NULL without memory. */
struct stairs *stairs_create (uint32_t cells);
void stairs_destroy (struct stairs *stairs);

/* More cells, up to `end`, at the right end: with `left` time left, no less
 * than any other interval. */
void stairs_extend (struct stairs *stairs, uint32_t end, tori_wide left);

/* A job runs on cells from `cell` on, for `time`, from when they had `left`
 * time left. */
struct stair_part {
    uint32_t cell;
    tori_wide left;
    tori_wide time;
};

/* Place a job: the algorithm of Gupta and Srimani. All intervals have a
 * multiple of `width` cells, and the time is positive. Returns the number of
 * parts, the earlier one first; 0 if there is no place. */
int stairs_place (struct stairs *stairs, uint32_t width, tori_wide time,
                  struct stair_part part[2]);

#endif
