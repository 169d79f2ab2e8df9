/* tori/subtorus.h - interleaved subtori, and the links that they use.
 *
 * After Gupta and Srimani, "Job Scheduling for Torus Connected Networks",
 * 1997, section 2.1, for any number of dimensions and sides of any length.
 *
 * A subtorus with d nodes in a dimension of N nodes, d a divisor of N, has
 * every K-th node of it, K = N/d its stride: those whose coordinate leaves the
 * rest `offset` when divided by K. What the paper writes T^(a,b) is the
 * subtorus with offset a,b. Its neighbours are K hops apart, so that an edge
 * of the subtorus spans K links of the machine, and all edges of a row of it
 * span the whole ring that the row lies on. A subtorus with one node in a
 * dimension has there one edge, which goes round the ring from the node to
 * itself and spans it as well.
 *
 * So two subtori share a link of a dimension if and only if their offsets
 * agree in all other dimensions, modulo the greatest common divisor of the two
 * strides; and a node if and only if they agree in every dimension. If they
 * share no node, they share links of at most one dimension, and none if they
 * disagree in two.
 *
 * Where a function takes a shape or a subtorus, it fits the machine:
 * tori_subtorus_check says so.
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

/* Whether the machine has subtori of this shape: 0, or -1 with TORI_INVALID
 * for another number of dimensions, or TORI_NEVER for a dimension that is not
 * a torus, for a side longer than the machine's and for one that does not
 * divide it. */
int tori_subtorus_check (const tori_machine *machine, const tori_shape *shape,
                         tori_error *err);

/* The stride of a dimension, and the number of subtori of this shape: the
 * product of the strides. */
uint32_t tori_subtorus_stride (const tori_machine *machine,
                               const tori_shape *shape, int dim);
uint32_t tori_subtorus_count (const tori_machine *machine,
                              const tori_shape *shape);

/* The subtori of a shape are counted row-major by their offsets, the last
 * dimension fastest. */
void tori_subtorus_at (const tori_machine *machine, const tori_shape *shape,
                       uint32_t index, tori_subtorus *ret_subtorus);
uint32_t tori_subtorus_index (const tori_machine *machine,
                              const tori_subtorus *subtorus);

/* The nodes: the ids in ascending order, `ids` has room for the volume of the
 * shape. */
bool tori_subtorus_contains (const tori_machine *machine,
                             const tori_subtorus *subtorus, uint32_t id);
void tori_subtorus_nodes (const tori_machine *machine,
                          const tori_subtorus *subtorus, uint32_t ids[]);

/* span(e): the links of the machine that an edge of the subtorus spans, the
 * edge from a node of it to the next one of the dimension. `links` has room
 * for as many as the stride. Returns how many there are: the stride, or 0 in a
 * dimension of the machine with one node, which has no links. */
uint32_t tori_subtorus_span (const tori_machine *machine,
                             const tori_subtorus *subtorus, uint32_t node,
                             int dim, tori_link links[]);

/* Whether any of its edges spans this link. */
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

/* The dimension whose links two subtori share that have no node in common; -1
 * if they are link-disjoint. */
int tori_subtorus_shared_dim (const tori_machine *machine,
                              const tori_subtorus *a, const tori_subtorus *b);

/* Maximal link-disjoint sets. As many subtori of a shape can be pairwise
 * link-disjoint as there are subtori divided by the longest stride K, and
 * all subtori of the shape fall into K such sets. (Two of a set differ in two
 * strides' offsets or more, so leaving out that of the longest stride tells
 * them apart still: there are no more of them. Set s holds those of which the
 * longest stride's offset is s plus the others, modulo K: two that differ in
 * one of the others differ in this one too.) On two dimensions that is
 * max(K1, K2) sets of min(K1, K2). */
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
