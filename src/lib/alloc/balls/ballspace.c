#include "ballspace.h"

#include "grid.h"

struct ball_space ball_space_of (const tori_machine *machine)
{
    struct ball_space space = {.machine = machine};
    for (int d = 0; d < machine->shape.ndims; d++) {
        uint32_t size = machine->shape.size[d];
        bool wraps = tori_machine_wraps (machine, d);
        if (size > 1)
            space.axes[space.n++] = (struct ball_axis){
                .size = size,
                .stride = machine->stride[d],
                .wraps = wraps,
                .left = (size - 1) / 2,
                .right = size / 2,
            };
    }
    for (int a = space.n - 2; a >= 0; a--) {
        const struct ball_axis *next = &space.axes[a + 1];
        space.axes[a].later = next->later
                              + (next->wraps ? next->right : next->size - 1);
    }
    return space;
}
