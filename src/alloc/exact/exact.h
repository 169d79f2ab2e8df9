/* exact.h - what branch and bound knows of the sets that it still looks for.
 *
 * The sum over pairs is a sum over cuts of length x n (k - n), concave in n,
 * the number of chosen points inside (cuts.h). A node of the search holds for
 * every cut the least and the most that n may be, and for every point whether
 * it is chosen, left out, or open. Over the range of a cut, n (k - n) lies
 * above its chord, which is linear in n: so every point has a price, and the
 * cheapest open points bound the sum from below. The bound is exact where the
 * cheapest points meet the ends of the ranges, and a branch halves a range
 * where they do not.
 *
 * Everything else narrows a node. A range loses the values that would cost
 * too much, the cut's own share taken exactly, not by the chord. A point is
 * settled if the other choice would cost too much. And since the sum is
 * concave in the set (a sum of L1 distances is of negative type), in a best
 * set no point p could be replaced by a point q nearer to the set: if q is
 * nearer for all counts in the ranges, then q is chosen wherever p is. On
 * lines this makes the set convex, towards its median.
 */
#ifndef TORI_ALLOC_EXACT_H
#define TORI_ALLOC_EXACT_H

#include "cuts.h"
#include "tally.h"

struct node {
    uint32_t *low, *high; /* of every cut */
    uint8_t *marks;       /* of every point */
};

/* A point and its price. */
struct offer {
    amount price;
    uint32_t point;
};

/* What is inside a ring's cut, and what outside, from cut to cut. */
struct sides {
    uint32_t *start, *order; /* points by rank, from start[rank] on */
    uint32_t *round;         /* points in their order round the ring */
    uint16_t *class;         /* of the price of an open point */
    struct scale *scale;
    struct tally *inside, *outside;
};

struct search {
    struct cuts cuts;
    bool idle_torus; /* all its nodes: some best set has the first */
    bool ring; /* one axis: a round is nearly O(n), by the sides */
    uint32_t k;
    double epsilon;   /* best sets are looked for unless found / (1 + epsilon)
                         is no more than they have; 0: all of them */
    amount limit;     /* what is looked for has a sum of at most this */
    bool improving;   /* what is found lowers the limit to its goal */
    bool gathering;   /* of all best sets the first is found */
    uint64_t ties;    /* nodes with sets as good at best, while gathering */
    uint8_t *found;   /* CHOSEN where the best set so far has a point */
    amount found_sum; /* twice its sum of distances */
    amount proved;    /* twice what every sum is at least */
    uint64_t steps, budget;
    uint64_t nodes;
    void (*on_node) (void *arg, uint64_t steps); /* after each; NULL */
    void *arg;
    struct node *path; /* from the root to the one at hand, and the memory of
                          those that were deeper */
    size_t depth;      /* nodes there is memory for */

    /* The narrowing of one node at a time. */
    amount bound;     /* below which no set of the node is */
    uint32_t open;    /* points, their offers in ascending order */
    uint32_t missing; /* points to choose of them */
    uint8_t *relaxed; /* the cheapest set */
    uint32_t *counts; /* and how many of it are inside each cut */
    struct offer *offers, *room;

    /* Room for passing values. */
    uint32_t *chosen_in, *open_in;          /* a cut */
    uint32_t *steps_down, *steps_up;        /* a rank */
    amount *cut_price, *running, *price;    /* a cut, a cut, a point */
    amount *ahead, *behind;                 /* a cut and one an axis */
    amount *rows;                           /* twice that */
    amount *inner, *outer;                  /* a point */
    struct sides sides;                     /* of a ring */
};

int search_create (const struct cloud *cloud, uint32_t k,
                   struct search *ret_search, tori_error *err);
void search_clear (struct search *search);

/* All points are on one ring, and may be many. */
int search_on_ring (struct search *search, tori_error *err);

/* If a set of this sum is found (twice it, as all sums here): what is then
 * worth looking for has at most this. */
amount search_goal (const struct search *search, amount found);

/* From the k points nearest to one, go to the k points nearest to the set as
 * long as these are better. What is better than search->found_sum is kept.
 * Returns the sum of the distances of the point to its k nearest. The marks
 * are room. */
amount search_descend (struct search *search, const struct cloud *cloud,
                       uint32_t point, uint8_t marks[]);

/* Look for sets within the limit among those that the marks allow. Unless the
 * budget is spent, no best set of them is within the limit then, or it was
 * found, or one within its goal. */
int search_explore (struct search *search, const uint8_t marks[],
                    tori_error *err);

/* The same in two steps: first what follows from the limit alone, into the
 * marks, and then, with more points marked, as often as need be. */
int search_narrow (struct search *search, uint8_t ret_marks[],
                   tori_error *err);
int search_explore_on (struct search *search, const uint8_t marks[],
                       tori_error *err);

void sides_clear (struct sides *sides);

/* Drop the ends of all ranges of a ring that would cost too much. `fixed` is
 * the bound without the open points. False if nothing is left. */
bool sides_tighten (struct search *search, struct node *node, amount fixed,
                    bool *changed);

/* Settle what is surely nearer to the chosen points than some chosen one, or
 * farther than some left out, round a ring; see exact_level.c. */
void sides_settle (struct search *search, struct node *node, bool *changed);

/* By price; those of one price stay in their order. `room` is for as many. */
void offers_sort (struct offer offers[], size_t n, struct offer room[]);

/* What a round of narrowing costs, roughly, in additions. */
uint64_t search_round (const struct search *search);

/* The sum of a set, by marks; its counts are left in search->counts. */
amount search_sum (struct search *search, const uint8_t marks[]);

/* Into search->ahead and search->behind: running sums, over the cuts of every
 * axis, of how much farther from the chosen points than a point before the cut
 * one behind it is, at least, and their distance; and one before it than one
 * behind it. */
void node_slopes (struct search *search, const struct node *node);

/* Narrow a node until nothing more follows. False if no set within the limit
 * is left in it. Keeps the cheapest set if it is better than the one found so
 * far. */
bool node_narrow (struct search *search, struct node *node);

#endif
