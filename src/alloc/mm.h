/* mm.h - the k points nearest to a centre, for the best of many centres.
 *
 * The algorithm MM of Bender et al., "Communication-Aware Processor
 * Allocation for Supercomputers: Finding Point Sets of Small Average
 * Distance", 2005, and Gen-Alg of Krumke et al., which they start from. They
 * differ in the centres only: the grid spanned by the coordinates of the
 * points (every dimension's coordinates combined in every way), in
 * lexicographic order, or the points themselves. Ties in distance go to the
 * lower index; the first centre of the least pairwise sum wins.
 */
#ifndef TORI_ALLOC_MM_H
#define TORI_ALLOC_MM_H

#include "cloud.h"

/* On any cloud. The plain ones go by definition, centre by centre, and the
 * others are held to them. MM is TORI_GAVE_UP if it is too long, the plain one
 * TORI_INVALID if the grid has more than 2^40 centres. */
cloud_fn mm_choose;
cloud_fn mm_choose_plain;
cloud_fn gen_alg_choose;
cloud_fn gen_alg_choose_plain;

/* Where points differ in one dimension only, on a line or a ring: O(n log n).
 * By MM, or if `by_index` by Gen-Alg. -1 without memory. */
int mm_choose_line (const struct cloud *cloud, int dim, size_t k,
                    bool by_index, size_t *ret_chosen, tori_error *err);

/* The local search of MM+Inc from a choice: the swap of a chosen point for
 * another that lowers the sum most, as long as one lowers it. Of equal swaps,
 * the one that gives up the lowest index, then that takes the lowest. */
int mm_improve (const struct cloud *cloud, size_t k, size_t *chosen,
                tori_error *err);

/* The same on a machine, fast: k free nodes, by MM if `grid`, else by Gen-Alg;
 * in ascending order. -1 without memory. `data` is working memory. */
int mm_nodes (void *data, const tori_state *state, uint32_t k, bool grid,
              uint32_t ret_nodes[], tori_error *err);

/* The least that any k nodes of this machine may sum up to, where that is
 * known: for fewer than 8 in up to three dimensions; 0 if not. The search ends
 * with the first centre of it. */
uint64_t mm_least_sum (const tori_machine *machine, uint32_t k);

int mm_create (const tori_machine *machine, void **ret_data, tori_error *err);
void mm_destroy (void *data);

#endif
