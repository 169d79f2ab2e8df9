#include "sides.h"

#include "grid.h"
#include "taking.h"

tori_shape torus_sides (const tori_machine *machine)
{
    tori_shape sides = *tori_machine_shape (machine);
    for (int d = 0; d < sides.ndims; d++)
        if (machine->line[d])
            sides.size[d] = linkage_longest (machine->line[d]);
        else if (machine->kind[d] == TORI_MESH)
            sides.size[d] = 1;
    return sides;
}

/* Sorted, the longest against the longest. */
bool shape_within (tori_shape shape, tori_shape sides, bool fixed)
{
    if (!fixed) {
        tori_shape_sort (&shape);
        tori_shape_sort (&sides);
    }
    for (int d = 0; d < shape.ndims; d++)
        if (shape.size[d] > sides.size[d])
            return false;
    return true;
}

const char *sides_impossible (const tori_machine *machine,
                              const tori_request *request)
{
    if (!shape_within (request->shape, *tori_machine_shape (machine),
                       request->fixed))
        return "the shape does not fit the machine's sides";
    if (request->wiring == TORI_WIRE_TORUS
        && !shape_within (request->shape, torus_sides (machine),
                          request->fixed))
        return wiring_never (machine);
    return NULL;
}
