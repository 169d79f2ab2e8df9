/* tori/subtorus.h - interleaved subtori, and the links that they use.
 *
 * After Gupta and Srimani, "Job Scheduling for Torus Connected Networks",
 * 1997, section 2.1, for any number of dimensions and sides of any length.
 *
 * Take a dimension of N nodes, and let d divide N. A subtorus with d nodes in
 * it has every K-th node, where K = N/d is its stride: the nodes whose
 * coordinate leaves the remainder `offset` when divided by K. The paper writes
 * T^(a,b) for the subtorus with offset a,b. Neighbours in a subtorus are K
 * hops apart. So an edge of the subtorus spans K links of the machine, and all
 * edges of a row span the whole ring that the row lies on. A subtorus with one
 * node in a dimension has one edge there. It goes round the ring from the node
 * to itself, so it also spans the ring.
 *
 * So two subtori share a link of a dimension if and only if their offsets
 * agree in all other dimensions, modulo the greatest common divisor of the two
 * strides. They share a node if and only if their offsets agree in every
 * dimension. If they share no node, they share links of at most one dimension,
 * and none if they disagree in two.
 *
 * A shape or subtorus that a function takes must fit the machine;
 * tori_subtorus_check says whether it does.
 */
#ifndef TORI_SUBTORUS_H
#define TORI_SUBTORUS_H

#include <tori/machine.h>
#include <tori/state.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tori_subtorus {
    tori_shape shape;
    uint32_t offset[TORI_MAX_DIMS]; /* each below the stride */
} tori_subtorus;

/* Check whether the machine has subtori of this shape. Returns 0, or -1 with
 * TORI_INVALID for another number of dimensions, or with TORI_NEVER for a
 * dimension that is not a torus, for a side longer than the machine's and for
 * one that does not divide it. */
int tori_subtorus_check (const tori_machine *machine, const tori_shape *shape,
                         tori_error *err);

/* The stride of a dimension, and the number of subtori of this shape: the
 * product of the strides. */
uint32_t tori_subtorus_stride (const tori_machine *machine,
                               const tori_shape *shape, int dim);
uint32_t tori_subtorus_count (const tori_machine *machine,
                              const tori_shape *shape);

/* The subtorus of an index, and back. The subtori of a shape are numbered
 * row-major by their offsets, the last dimension fastest. */
void tori_subtorus_at (const tori_machine *machine, const tori_shape *shape,
                       uint32_t index, tori_subtorus *ret_subtorus);
uint32_t tori_subtorus_index (const tori_machine *machine,
                              const tori_subtorus *subtorus);

/* Whether a node belongs to the subtorus, and the ids of its nodes in
 * ascending order. `ids` has room for the volume of the shape. */
bool tori_subtorus_contains (const tori_machine *machine,
                             const tori_subtorus *subtorus, uint32_t id);
void tori_subtorus_nodes (const tori_machine *machine,
                          const tori_subtorus *subtorus, uint32_t ids[]);

/* span(e): the links of the machine that an edge of the subtorus spans. The
 * edge is the one from `node` to the next node in the dimension. `links` has
 * room for as many as the stride. Returns how many there are: the stride, or 0
 * in a dimension of the machine with one node, which has no links. */
uint32_t tori_subtorus_span (const tori_machine *machine,
                             const tori_subtorus *subtorus, uint32_t node,
                             int dim, tori_link links[]);

/* Whether any edge of the subtorus spans this link. */
bool tori_subtorus_uses (const tori_machine *machine,
                         const tori_subtorus *subtorus,
                         const tori_link *link);

/* Whether two subtori, of the same shape or not, have no node in common, and
 * whether they have no link in common. */
bool tori_subtorus_node_disjoint (const tori_machine *machine,
                                  const tori_subtorus *a,
                                  const tori_subtorus *b);
bool tori_subtorus_link_disjoint (const tori_machine *machine,
                                  const tori_subtorus *a,
                                  const tori_subtorus *b);

/* The dimension whose links two subtori share, if they have no node in common;
 * -1 if they are link-disjoint. */
int tori_subtorus_shared_dim (const tori_machine *machine,
                              const tori_subtorus *a, const tori_subtorus *b);

/* Maximal link-disjoint sets: how many there are, and the size of each. Let K
 * be the longest stride. The most subtori of a shape that can be pairwise
 * link-disjoint are the number of subtori divided by K, and all subtori of the
 * shape fall into K such sets. (Two subtori of a set differ in the offsets of
 * at least two strides. So they still differ without the offset of the longest
 * stride, and there can be no more of them. Set s holds the subtori whose
 * offset for the longest stride is s plus the other offsets, modulo K: two
 * that differ in one of the others differ in this one too.) In two dimensions
 * that is max(K1, K2) sets of min(K1, K2). */
uint32_t tori_subtorus_sets (const tori_machine *machine,
                             const tori_shape *shape);
uint32_t tori_subtorus_set_size (const tori_machine *machine,
                                 const tori_shape *shape);

/* The i-th of a set, in row-major order of the other offsets. */
void tori_subtorus_of_set (const tori_machine *machine,
                           const tori_shape *shape, uint32_t set, uint32_t i,
                           tori_subtorus *ret_subtorus);

#ifdef __cplusplus
}
#endif

#endif
