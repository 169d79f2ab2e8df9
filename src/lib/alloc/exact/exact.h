/* exact.h - the state of branch and bound: the sets that it still looks for.
 *
 * The sum over pairs is a sum over cuts of length x n (k - n), concave in n,
 * the number of chosen points inside (cuts.h). A node of the search holds for
 * every cut the least and the most that n may be, and for every point whether
 * it is chosen, left out, or open. Over the range of a cut, n (k - n) lies
 * above its chord, which is linear in n: so every point has a price, and the
 * cheapest open points bound the sum from below. The bound is exact if the
 * cheapest points meet the ends of the ranges, and a branch halves a range in
 * which they do not.
 *
 * Everything else narrows a node. A range loses the values that would cost too
 * much, the cut's own share taken exactly, not by the chord. A point is
 * settled if the other choice would cost too much.
 *
 * With strips a range is split only where a strip ends. When no range is left
 * to split, the cheapest set is within 1 + epsilon of the bound (strips.h), so
 * with `improving` the node is settled. Each split has a way to cut on either
 * side that the other has not, so there are fewer nodes than twice the
 * ways. */
#ifndef TORI_ALLOC_EXACT_H
#define TORI_ALLOC_EXACT_H

#include "cuts.h"
#include "strips.h"

/* The allocator on any points. */
cloud_fn exact_choose;

struct node {
    uint32_t *low, *high; /* of every cut */
    uint8_t *marks;       /* of every point */
};

/* A point and its price. */
struct offer {
    amount price;
    uint32_t point;
};

/* The points inside these cuts, or else those outside, are at most so many in
 * all, each counted for every cut. */
struct nearer {
    uint32_t first, end;
    bool inside;
    uint32_t most;
};

struct search {
    struct cuts cuts;
    struct nearer nearer[2 * TORI_MAX_DIMS];
    int nnearer;
    bool with_first; /* only sets with the first point are looked for */
    uint32_t k;
    double epsilon;   /* best sets are looked for unless found / (1 + epsilon)
                       * is no more than their sum; 0: all of them */
    const struct strips *strips; /* for this epsilon; or NULL */
    amount limit;     /* only sets with at most this sum are looked for */
    bool improving;   /* a set that is found lowers the limit to its goal */
    uint8_t *found;   /* CHOSEN where the best set so far has a point */
    amount found_sum; /* twice its sum of distances */
    amount proved;    /* twice a lower bound of every sum */
    uint64_t steps, budget;
    double settled; /* the part of the search that is over: a node has half of
                       what the one above it has */
    void (*on_node) (void *arg, uint64_t steps); /* called after each node; or
                                                  * NULL */
    void *arg;
    struct node *path; /* from the root to the one at hand, and the memory of
                          those that were deeper */
    size_t depth;      /* nodes there is memory for */

    /* The present node while it is narrowed. */
    amount bound;     /* no set of the node is below it */
    uint32_t open;    /* points, their offers in ascending order */
    uint32_t missing; /* points to choose of them */
    uint8_t *relaxed; /* the cheapest set */
    uint32_t *counts; /* and how many of it are inside each cut */
    struct offer *offers;

    /* Room for passing values. */
    uint32_t *chosen_in, *open_in;          /* a cut */
    uint32_t *steps_down, *steps_up;        /* a rank */
    amount *cut_price, *running, *price;    /* a cut, a cut, a point */
    amount *inner, *outer;                  /* a point */
};

int search_create (const struct cloud *cloud, uint32_t k,
                   struct search *ret_search, tori_error *err);
void search_clear (struct search *search);

/* The largest sum that is worth looking for after a set of this sum was found
 * (both doubled, as all sums here). */
amount search_goal (const struct search *search, amount found);

/* From the k points nearest to a point, go to the k points nearest to the set
 * as long as these are better. Sets better than search->found_sum are kept.
 * Returns the sum of the distances of the point to its k nearest. The marks
 * are scratch memory. */
amount search_descend (struct search *search, const struct cloud *cloud,
                       uint32_t point, uint8_t marks[]);

/* Look only for sets that are as near to a point as to another one, by the sum
 * of distances. The two differ in one dimension. Up to 2 TORI_MAX_DIMS times.
 */
void search_keep_nearer (struct search *search, uint32_t point,
                         uint32_t than);

/* Look for sets within the limit among those that the marks allow. Unless the
 * budget is spent, afterwards either no best set of them is within the limit,
 * or it was found, or a set within its goal. */
int search_explore (struct search *search, const uint8_t marks[],
                    tori_error *err);

/* Narrow the root of such a search, and count in how many ways its cuts can be
 * in strips: 0 if nothing is left. -1 without memory. */
int search_count_ways (struct search *search, const uint8_t marks[],
                       double *ret_ways, tori_error *err);

/* The first of the best sets, in lexicographic order of indexes: into
 * search->found, which is one of them, and its sum the least. That may be
 * harder than the proof. It gets a quarter of the budget; points that are not
 * settled then follow the best set found. The marks are scratch memory. */
int search_first (struct search *search, uint8_t marks[], tori_error *err);

/* The marks to begin with. */
void search_open (const struct search *search, uint8_t ret_marks[]);

/* Sort by price, then by index. */
void offers_sort (struct offer offers[], size_t n);

/* The rough cost of a round of narrowing, in additions. */
uint64_t search_round (const struct search *search);

/* The sum of a set, by marks; its counts are left in search->counts. */
amount search_sum (struct search *search, const uint8_t marks[]);

/* Narrow a node until nothing more follows. False if no set within the limit
 * is left in it. Keeps the cheapest set if it is better than the one found so
 * far. */
bool node_narrow (struct search *search, struct node *node);

/* In how many ways the cuts of a node can be in strips. -1 without memory. */
int node_count_ways (struct search *search, const struct node *node,
                     double *ret_ways, tori_error *err);

#endif
