#include "blockers.h"

#include <stdlib.h>

#include "marks.h"

static int make_memory (struct blockers *crowd, const tori_machine *machine,
                        tori_error *err)
{
    uint32_t longest = 1;
    if (crowd->held)
        return 0;
    for (int d = 0; d < machine->shape.ndims; d++)
        if (machine->shape.size[d] > longest)
            longest = machine->shape.size[d];
    crowd->line = malloc (longest * sizeof *crowd->line);
    crowd->held = malloc (machine->nodes * sizeof *crowd->held);
    if (crowd->line && crowd->held)
        return 0;
    blockers_clear (crowd);
    return tori_error_nomem (err);
}

/* Sums over `side` nodes from each on, round one line. */
static void slide_sums (struct blockers *crowd, uint32_t start,
                        uint32_t stride, uint32_t size, uint32_t side)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < size; i++) {
        crowd->line[i] = crowd->held[start + i * stride];
        sum += i < side ? crowd->line[i] : 0;
    }
    for (uint32_t i = 0; i < size; i++) {
        uint32_t next = i + side < size ? i + side : i + side - size;
        crowd->held[start + i * stride] = sum;
        sum += crowd->line[next] - crowd->line[i];
    }
}

static void slide_all (struct blockers *crowd, const tori_machine *machine,
                       int d, uint32_t side)
{
    uint32_t stride = machine->stride[d], size = machine->shape.size[d];
    for (uint32_t block = 0; block < machine->nodes; block += stride * size)
        for (uint32_t i = 0; i < stride; i++)
            slide_sums (crowd, block + i, stride, size, side);
}

int blockers_count (struct blockers *crowd, const struct occupancy *ground,
                    const tori_shape *shape, tori_error *err)
{
    const tori_machine *machine = ground->machine;
    if (tori_shape_equal (&crowd->shape, shape))
        return 0;
    if (make_memory (crowd, machine, err) < 0)
        return -1;
    for (uint32_t i = 0; i < machine->nodes; i++) {
        uint32_t owner = ground->owner[i];
        crowd->held[i] = owner != NO_OWNER && !ground->stays[owner];
    }
    for (int d = 0; d < machine->shape.ndims; d++)
        if (shape->size[d] > 1)
            slide_all (crowd, machine, d, shape->size[d]);
    crowd->shape = *shape;
    return 1;
}

void blockers_clear (struct blockers *crowd)
{
    free (crowd->held);
    free (crowd->line);
    *crowd = (struct blockers){0};
}
