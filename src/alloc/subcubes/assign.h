/* assign.h - a shape onto any set of nodes.
 *
 * Where the nodes form no box that the shape is folded into, which node takes
 * which part is chosen by halving: the nodes are cut in the dimension in which
 * they reach furthest, the shape in its longest, the lower part goes to the
 * lower part, and so on. Small ones are then mended: two logical nodes swap
 * places as long as that brings logical neighbours closer (the sum of squared
 * distances falls).
 */
#ifndef TORI_ALLOC_ASSIGN_H
#define TORI_ALLOC_ASSIGN_H

#include <tori/cubes.h>

/* `nodes` are as many as the shape has, ascending. Writes `map`. */
int assign_halving (const tori_machine *machine, const tori_shape *shape,
                    const uint32_t nodes[], uint32_t map[], tori_error *err);

/* Mend a map onto these nodes. Large ones are left as they are. */
int assign_mend (const tori_machine *machine, const tori_shape *shape,
                 const uint32_t nodes[], uint32_t map[], tori_error *err);

#endif
