/* naive_gang.h - the movement of the front by its definition, recursively, and
 * random trees to try it on. Helpers that can fail end the test. */
#ifndef TORI_TESTS_NAIVE_GANG_H
#define TORI_TESTS_NAIVE_GANG_H

#include <tori/gang.h>

#include "support.h"

tori_gang_tree *make_tree (const tori_machine *machine, uint32_t degree,
                           uint32_t leaf);

/* Lengths of queues, many of them 0, up to `most`; the caller frees them. */
uint32_t *random_lengths (struct rng *rng, const tori_gang_tree *tree,
                          uint32_t most);

/* The longest sum of lengths from a node down to a leaf. */
uint32_t naive_height (const tori_gang_tree *tree, const uint32_t lengths[],
                       uint32_t node);

/* The first `slots` slots, to be freed; as tori_gang_table. */
tori_gang_cell *naive_table (const tori_gang_tree *tree,
                             const uint32_t lengths[], size_t slots);

#endif
