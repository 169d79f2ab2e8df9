#include "field.h"

#include "marks.h"

bool field_axes (struct field *field, const tori_machine *machine)
{
    int a = AXES;
    for (int i = 0; i < AXES; i++)
        field->axes[i] = (struct axis){.size = 1, .own = 1, .span = 1};
    for (int d = machine->shape.ndims; d-- > 0;) {
        uint32_t size = machine->shape.size[d];
        bool wraps = tori_machine_wraps (machine, d);
        if (size == 1)
            continue;
        if (a == 0)
            return false;
        field->axes[--a] = (struct axis){
            .size = size,
            .wraps = wraps,
            .half = {wraps ? (size - 1) / 2 : size - 1,
                     wraps ? size / 2 : size - 1},
            .own = size,
            .span = size,
        };
    }
    return true;
}

const bool *field_flags (const tori_machine *machine, const bool *flags,
                         int axis)
{
    const tori_shape *shape = &machine->shape;
    int a = AXES, d = shape->ndims;
    for (int i = 0; i < shape->ndims; i++)
        flags += shape->size[i];
    while (d-- > 0) {
        flags -= shape->size[d];
        if (shape->size[d] > 1 && --a == axis)
            return flags;
    }
    return NULL;
}
