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

/* On any cloud. MM is TORI_GAVE_UP if it is too long. */
cloud_fn mm_choose;
cloud_fn gen_alg_choose;

/* By definition, centre by centre: MM if `grid`, else Gen-Alg. The reference
 * for the fast ways. -1 without memory. */
int mm_choose_plain (const struct cloud *cloud, size_t k, bool grid,
                     size_t *ret_chosen, tori_error *err);

/* The k points nearest to a place, in ascending order; ties go to the lowest
 * indexes. `room` is for 2 n. */
void mm_take_nearest (const struct cloud *cloud, const int64_t *centre,
                      size_t k, wide *room, size_t *ret_chosen);

/* For points that differ in one dimension only, on a line or a ring: O(n log
 * n). By MM, or if `by_index` by Gen-Alg. -1 without memory. */
int mm_choose_line (const struct cloud *cloud, int dim, size_t k,
                    bool by_index, size_t *ret_chosen, tori_error *err);

/* The local search of MM+Inc from a choice: the swap of a chosen point for
 * another that lowers the sum most, as long as one lowers it. Ties go to the
 * swap that gives up the lowest index, then to the one that takes the
 * lowest. */
int mm_improve (const struct cloud *cloud, size_t k, size_t *chosen,
                tori_error *err);

/* The same on a machine, fast: k free nodes, by MM if `grid`, else by Gen-Alg;
 * in ascending order. -1 without memory. `data` is working memory. */
int mm_nodes (void *data, const tori_state *state, uint32_t k, bool grid,
              uint32_t ret_nodes[], tori_error *err);

/* A lower bound of the sum of any k nodes of this machine, if it is known: for
 * fewer than 8 in up to three dimensions; else 0. The search ends with the
 * first centre that attains it. */
uint64_t mm_least_sum (const tori_machine *machine, uint32_t k);

/* The centres of MM as a set of nodes, or if not `grid` those of Gen-Alg; to
 * be freed. NULL without memory. */
uint64_t *mm_centres (const tori_state *state, bool grid);

int mm_create (const tori_machine *machine, void **ret_data, tori_error *err);
void mm_destroy (void *data);

#endif
