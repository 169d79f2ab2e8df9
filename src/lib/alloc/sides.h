/* sides.h - whether shapes are short enough for a machine. */
#ifndef TORI_ALLOC_SIDES_H
#define TORI_ALLOC_SIDES_H

#include <tori/alloc.h>

/* Whether some rotation of a shape (or the shape as it is, if `fixed`) is no
 * longer than `sides` in any dimension. Both have as many dimensions. */
bool shape_within (tori_shape shape, tori_shape sides, bool fixed);

/* The sides of the machine that may carry a side longer than 1 of a torus. */
tori_shape torus_sides (const tori_machine *machine);

/* Why no box of the request's shape could ever be free and wired, as a fixed
 * text, or NULL. It has as many dimensions as the machine. */
const char *sides_impossible (const tori_machine *machine,
                              const tori_request *request);

#endif
