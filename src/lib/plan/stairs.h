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

/* No interval. */
#define STAIRS_NONE UINT32_MAX

struct stairs;

/* For `cells` cells, none of which exists yet. NULL without memory. */
struct stairs *stairs_create (uint32_t cells);
void stairs_destroy (struct stairs *stairs);

/* More cells, up to `end`, at the right end: with `left` time left, no less
 * than any other interval. */
void stairs_extend (struct stairs *stairs, uint32_t end, tori_wide left);

/* An interval is named by its first cell. The first with at least this much
 * time left, and the neighbours of one. STAIRS_NONE if there is none. */
uint32_t stairs_find (const struct stairs *stairs, tori_wide time);
uint32_t stairs_before (const struct stairs *stairs, uint32_t at);

tori_wide stairs_left (const struct stairs *stairs, uint32_t at);

/* The left `width` cells of an interval, which has as many or more, have no
 * time left; or they have `left`, which is more than the interval before has
 * and less than this one. */
void stairs_use_up (struct stairs *stairs, uint32_t at, uint32_t width);
void stairs_split (struct stairs *stairs, uint32_t at, uint32_t width,
                   tori_wide left);

#endif
