/* naive_cube.h - which subcubes isomorphic partitioning has and which of them
 * is the first that is free, from its definition (Kang et al., "Isomorphic
 * Strategy for Processor Allocation in k-Ary n-Cube Systems", 2003): all
 * worked out box by box, node by node.
 */
#ifndef TORI_TESTS_NAIVE_CUBE_H
#define TORI_TESTS_NAIVE_CUBE_H

#include <tori/alloc.h>

#include "support.h"

/* Ways to see subcubes among siblings. */
extern const tori_hypercube rules[4];

struct naive_cube {
    const tori_machine *machine;
    int n, k[TORI_MAX_DIMS]; /* a side has at most 2^k nodes */
    tori_hypercube rule;
    bool *is_free; /* by node */
};

/* An idle machine. The caller frees is_free. */
struct naive_cube naive_cube_create (const tori_machine *machine,
                                     tori_hypercube rule);

/* Levels, from single nodes to the whole machine: the number of the last, and
 * the subcube of one at an origin. */
int naive_cube_top (const struct naive_cube *naive);
tori_box naive_cube_box (const struct naive_cube *naive, int level,
                         const uint32_t origin[]);

/* Take or free a box that is not so yet. */
void naive_cube_mark (struct naive_cube *naive, const tori_box *box,
                      bool is_free);

/* The first free subcube of 2^size nodes; false if there is none. */
bool naive_cube_find (const struct naive_cube *naive, int size,
                      tori_box *ret);

/* The least k with 2^k >= n. */
int log2_up (uint32_t n);

/* Up to six dimensions, powers of two or any sides, up to so many nodes. */
tori_machine *some_machine (struct rng *rng, uint32_t most, bool cubic);

/* A shape of up to `most` nodes in some number of dimensions. */
tori_shape some_shape (struct rng *rng, uint32_t most, bool cubic);

#endif
