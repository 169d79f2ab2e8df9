/* tori/cubes.h - subcubes of a machine, by isomorphic partitioning.
 *
 *     tori_cubes *cubes;
 *     tori_placement place = {0};
 *     if (tori_cubes_create (machine, NULL, &cubes, &err) < 0)
 *         ...
 *     if (tori_cubes_request (cubes, &shape, &place, &err) == TORI_PLACED) {
 *         ...
 *         tori_cubes_release (cubes, &place);
 *         tori_placement_clear (&place);
 *     }
 *     tori_cubes_destroy (cubes);
 *
 * After Kang, Yu, Youn, Lee and Kim, "Isomorphic Strategy for Processor
 * Allocation in k-Ary n-Cube Systems", 2003. The machine is halved in all
 * dimensions at once, the longest ones first where sides differ, and so on
 * down to nodes. A request whose sides are powers of two gets, of the subcubes
 * that this makes, the first of its volume: one of them, or a group of
 * siblings that form a box. So a request is folded: it gets as many nodes as
 * its shape has in a box with sides as equal as possible, and 2x2x8 becomes
 * 2x4x4. Only the volume of the shape matters for where it goes; it need not
 * have as many dimensions as the machine, and may be longer.
 *
 * Which groups of siblings are seen is the option `hypercube`: buddy (aligned
 * ones), gray (also those that are contiguous in Gray code), free-list (all
 * that form a box). That is exact where up to six sides are halved at once.
 * Where it is more, the dimensions are dealt with in parts of up to six, as
 * equal as possible, the last dimensions first: 2^10 in two parts of five.
 * buddy sees the same groups as without parts. gray and free-list see those
 * that are a group of their kind in one part and span the parts behind that
 * one whole. Others are not seen, such as two siblings of which only a
 * dimension before the last part tells one from the other, unless a larger
 * group is free around them. They never refuse what buddy would place.
 * All three are statically optimal: while nothing is given back, a request
 * whose sides are powers of two is placed as long as its nodes are free, if
 * all sides of the machine are powers of two.
 *
 * Sides that are no powers of two: with `noncubic` round-up they are rounded
 * up, the place for the larger shape is sought, and of that only the nodes of
 * the request are taken. With decompose the request is a connected set of
 * subcubes inside a subcube of the next power of two nodes (15 nodes, as of
 * 3x5, in a 4x4). If that is as many as the rounded shape has and no step of
 * the fold is longer than a hop, both take the same nodes: 7x7 of an 8x8 is
 * 7x7. Else the first ones by address are taken.
 * Where no such subcube is free as a whole, decompose tries those of which
 * enough nodes are free and hang together (up to 2^16 nodes a subcube). A
 * shape that was not folded is answered as a box.
 *
 * A machine's own sides need not be powers of two: what is missing is never
 * free, and part of what a request with round-up gives back at once. A request
 * that no subcube of its size could hold even on an idle machine, but the
 * machine itself could, goes into the next larger one: 5x5 into the 8x8 that
 * 6x5 is part of.
 *
 * Requests and releases of cubic shapes take a time that grows with the number
 * of halvings, not of nodes; of other boxes, with their surface; of lists,
 * with their nodes. Where all sides are powers of two an idle machine takes a
 * few KiB, however large. Otherwise it takes a cell for each subcube across
 * the border of what is there, which grows with that border: 1.9 MB for 255^3,
 * 10 MB for 3^13 and 22 MB for 5^10, and 3^15 is refused.
 *
 * The allocator `isomorphic` of tori/alloc.h answers the same for a state.
 */
#ifndef TORI_CUBES_H
#define TORI_CUBES_H

#include <tori/alloc.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tori_cubes tori_cubes;

/* All nodes free. Of the configuration, which may be NULL, `hypercube` and
 * `noncubic` matter. The machine must outlive the cubes. TORI_INVALID if its
 * sides are so far from powers of two that this is unreasonable. */
int tori_cubes_create (const tori_machine *machine,
                       const tori_alloc_config *config,
                       tori_cubes **ret_cubes, tori_error *err);
void tori_cubes_destroy (tori_cubes *cubes);

/* Take nodes for a shape. The answer is a box if the sides are powers of two
 * or the shape was not folded, otherwise a list of nodes and, in `box`, the
 * subcube that they are part of, as far as the machine goes. Only for
 * TORI_PLACED is `ret_place` written, and its former contents are not
 * released. Refusals are as of tori_alloc_place; a shape has 1 to
 * TORI_MAX_DIMS dimensions here, or it is TORI_INVALID. */
tori_outcome tori_cubes_request (tori_cubes *cubes, const tori_shape *shape,
                                 tori_placement *ret_place, tori_error *err);

/* Give back what a request took. Cannot fail. Does nothing if any node of it
 * is free, or not of this machine, or if it has more than one box, so a second
 * release is harmless as long as no other job has what was released. Once
 * others hold all of these nodes, a second release frees them unnoticed. */
void tori_cubes_release (tori_cubes *cubes, const tori_placement *place);

/* Take one node, which is down for instance, and give it back. Taking fails
 * with TORI_NOT_NOW if it is not free, TORI_INVALID if there is no such node.
 * Giving back does nothing if the node is free or does not exist. */
int tori_cubes_take_node (tori_cubes *cubes, uint32_t node, tori_error *err);
void tori_cubes_give_node (tori_cubes *cubes, uint32_t node);

/* Whether a node is free; false for a node outside the machine. And how many
 * nodes are free. */
bool tori_cubes_is_free (const tori_cubes *cubes, uint32_t node);
uint32_t tori_cubes_free_count (const tori_cubes *cubes);

/* The most nodes that a request of any shape could get now as one subcube. */
uint64_t tori_cubes_largest (const tori_cubes *cubes);

/* Bytes of memory in use, all told. */
size_t tori_cubes_bytes (const tori_cubes *cubes);

/* Where each node of a shape has gone: nodes[i] is the id of the i-th logical
 * node, row-major in the shape as requested. `place` is what a folding
 * allocator (or tori_cubes_request) answered to the shape, `noncubic` the
 * option it had. TORI_INVALID if the place is not of such a shape.
 *
 * Every node of the placement is the image of one logical node. A shape that
 * was not folded is only rotated. Otherwise a line of nodes is folded back and
 * forth, so that a step between logical neighbours is a step in one dimension
 * of the machine, of the length that tori_fold_dilation tells or less: 1
 * wherever a line is folded into dimensions that the shape does not use. For a
 * decomposed shape that is in no box of its own there is no such bound: the
 * best of a few maps is taken, and tori_fold_steps measures it. That takes
 * time, a second or so for some thousand nodes. */
int tori_fold_map (const tori_machine *machine, const tori_shape *shape,
                   tori_noncubic noncubic, const tori_placement *place,
                   uint32_t nodes[], tori_error *err);

/* How far logical neighbours are apart in a map: the most, and on average; 0
 * if there are none. */
void tori_fold_steps (const tori_machine *machine, const tori_shape *shape,
                      const uint32_t map[], uint32_t *ret_longest,
                      double *ret_average);

/* The longest such step when a shape goes into a box of this shape, both
 * rounded up to powers of two, of the same volume then; 0 if it is not. */
uint32_t tori_fold_dilation (const tori_shape *shape, const tori_shape *box);

#ifdef __cplusplus
}
#endif

#endif
