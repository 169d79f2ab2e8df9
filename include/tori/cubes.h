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
 * dimensions at once (the longest ones first where sides differ), and its
 * parts are halved again, down to nodes. A request whose sides are powers of
 * two gets the first free part of its volume: one of these subcubes, or a
 * group of siblings that form a box. So a request is folded: it gets as many
 * nodes as its shape has, in a box with sides as equal as possible. 2x2x8
 * becomes 2x4x4. Only the volume of the shape matters for where it goes. The
 * shape need not have as many dimensions as the machine, and its sides may be
 * longer.
 *
 * The option `hypercube` says which groups of siblings are recognised: buddy
 * (aligned groups), gray (also groups that are contiguous in Gray code),
 * free-list (all that form a box), adaptive (as buddy in a subcube of which
 * more than half is free, as free-list in others). This is exact if up to six
 * sides are halved at once. If more are, the dimensions are handled in parts
 * of up to six, as equal as possible, the last dimensions first: 2^10 in two
 * parts of five. buddy then recognises the same groups as without parts. The
 * others recognise groups that are of their kind in one part and span all of
 * the later parts. They miss others, such as two siblings that differ only in
 * a dimension before the last part, unless a larger group is free around them.
 * They never refuse what buddy would place. All are statically optimal if all
 * sides of the machine are powers of two: while nothing is given back, a
 * request whose sides are powers of two is placed as long as enough nodes are
 * free.
 *
 * Sides that are not powers of two: with `noncubic` round-up they are rounded
 * up. A place for the larger shape is found, and only the nodes of the request
 * are taken from it. With decompose the request becomes a connected set of
 * subcubes inside a subcube whose number of nodes is the next power of two (15
 * nodes, such as 3x5, in a 4x4). If the rounded shape has as many nodes and no
 * step of the fold is longer than a hop, both take the same nodes: 7x7 of an
 * 8x8 is 7x7. Otherwise the first nodes by address are taken. If no such
 * subcube is entirely free, decompose tries those in which enough free nodes
 * are connected (up to 2^16 nodes per subcube). A shape that was not folded is
 * answered with a box.
 *
 * The machine's own sides need not be powers of two. The missing nodes are
 * never free, and are part of what a request with round-up gives back at once.
 * If no subcube of its size could hold a request even on an idle machine, but
 * the machine itself could, the request goes into the next larger subcube: 5x5
 * into the 8x8 that 6x5 is part of.
 *
 * For cubic shapes, the time of a request or release grows with the number of
 * halvings, not of nodes; for other boxes, with their surface; for lists, with
 * their nodes. If all sides are powers of two, an idle machine takes a few
 * KiB, however large it is. Otherwise it takes a cell for each subcube across
 * the border of the machine, so memory grows with that border: 1.9 MB for
 * 255^3, 10 MB for 3^13 and 22 MB for 5^10; 3^15 is refused.
 *
 * The allocator `isomorphic` of tori/alloc.h gives the same answers for a
 * state.
 */
#ifndef TORI_CUBES_H
#define TORI_CUBES_H

#include <tori/alloc.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tori_cubes tori_cubes;

/* Create cubes in which all nodes are free. The configuration may be NULL;
 * only its `hypercube` and `noncubic` matter. The machine must outlive the
 * cubes. TORI_INVALID if its sides are so far from powers of two that this is
 * unreasonable. */
int tori_cubes_create (const tori_machine *machine,
                       const tori_alloc_config *config,
                       tori_cubes **ret_cubes, tori_error *err);
void tori_cubes_destroy (tori_cubes *cubes);

/* Take nodes for a shape. The answer is a box if the sides are powers of two
 * or the shape was not folded. Otherwise it is a list of nodes, and `box` is
 * the subcube that they are part of, as far as the machine goes. `ret_place`
 * is written only for TORI_PLACED, and what it held before is not released.
 * Refusals are those of tori_alloc_place. A shape must have 1 to TORI_MAX_DIMS
 * dimensions here, or it is TORI_INVALID. */
tori_outcome tori_cubes_request (tori_cubes *cubes, const tori_shape *shape,
                                 tori_placement *ret_place, tori_error *err);

/* Give back what a request took. This cannot fail. It does nothing if any node
 * of the placement is free or not of this machine, or if there is more than
 * one box. So a second release is harmless as long as no other job has what
 * was released. Once other jobs hold all of these nodes, a second release
 * silently frees them. */
void tori_cubes_release (tori_cubes *cubes, const tori_placement *place);

/* Take one node, for instance one that is down, and give it back. Taking fails
 * with TORI_NOT_NOW if the node is not free, and with TORI_INVALID if there is
 * no such node. Giving back does nothing if the node is free or does not
 * exist. */
int tori_cubes_take_node (tori_cubes *cubes, uint32_t node, tori_error *err);
void tori_cubes_give_node (tori_cubes *cubes, uint32_t node);

/* Whether a node is free (false for a node outside the machine), and how many
 * nodes are free. */
bool tori_cubes_is_free (const tori_cubes *cubes, uint32_t node);
uint32_t tori_cubes_free_count (const tori_cubes *cubes);

/* The most nodes that a request of any shape could get now as one subcube. */
uint64_t tori_cubes_largest (const tori_cubes *cubes);

/* Bytes of memory in use, in total. */
size_t tori_cubes_bytes (const tori_cubes *cubes);

/* Map each node of a shape to its node in the machine: nodes[i] is the id of
 * the i-th logical node, row-major in the shape as requested. `place` is what
 * a folding allocator (or tori_cubes_request) gave for the shape, and
 * `noncubic` is the option it had. TORI_INVALID if the place is not one of
 * such a shape.
 *
 * Every node of the placement is the image of one logical node. A shape that
 * was not folded is only rotated. Otherwise a line of nodes is folded back and
 * forth. A step between logical neighbours is then a step in one dimension of
 * the machine, no longer than tori_fold_dilation says: 1 wherever a line is
 * folded into dimensions that the shape does not use. A decomposed shape that
 * has no box of its own has no such bound: the best of a few maps is taken,
 * and tori_fold_steps measures it. That takes time: a second or so for some
 * thousand nodes. */
int tori_fold_map (const tori_machine *machine, const tori_shape *shape,
                   tori_noncubic noncubic, const tori_placement *place,
                   uint32_t nodes[], tori_error *err);

/* How far apart logical neighbours are in a map: at most, and on average; 0 if
 * there are none. */
void tori_fold_steps (const tori_machine *machine, const tori_shape *shape,
                      const uint32_t map[], uint32_t *ret_longest,
                      double *ret_average);

/* The longest such step when a shape goes into a box of this shape. Both are
 * rounded up to powers of two and must then have the same volume; 0 if they do
 * not. */
uint32_t tori_fold_dilation (const tori_shape *shape, const tori_shape *box);

#ifdef __cplusplus
}
#endif

#endif
