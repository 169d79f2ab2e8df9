/* assign.h - a shape onto any set of nodes.
 *
 * If the nodes do not form a box that the shape is folded into, halving
 * assigns the nodes to parts. The nodes are cut in the dimension in which they
 * reach furthest, the shape in its longest dimension. The lower part goes to
 * the lower part, and so on. Small shapes are then improved: two logical nodes
 * swap places as long as that brings logical neighbours closer (the sum of
 * squared distances falls). */
#ifndef TORI_ALLOC_ASSIGN_H
#define TORI_ALLOC_ASSIGN_H

#include <tori/cubes.h>

/* `nodes` are as many as the shape has, ascending. Writes `map`. */
int assign_halving (const tori_machine *machine, const tori_shape *shape,
                    const uint32_t nodes[], uint32_t map[], tori_error *err);

/* Improve a map onto these nodes. Large ones are left as they are. */
int assign_mend (const tori_machine *machine, const tori_shape *shape,
                 const uint32_t nodes[], uint32_t map[], tori_error *err);

#endif
