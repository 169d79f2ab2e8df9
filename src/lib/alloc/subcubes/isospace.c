#include "isospace.h"

#include "grid.h"

static unsigned log2_up (uint32_t n)
{
    return n > 1 ? 32 - (unsigned)__builtin_clz (n - 1) : 0;
}

/* The halvings from the last to the first: in the a-th from below, the
 * dimensions that are longer than 2^a. */
static void lay_out (struct isospace *space)
{
    const tori_shape *sides = &space->machine->shape;
    for (unsigned a = 0; a < ISOSPACE_HALVINGS; a++)
        for (int d = sides->ndims - 1; d >= 0; d--)
            if (log2_up (sides->size[d]) > a) {
                space->halved[a]++;
                space->dim[space->bits] = (uint8_t)d;
                space->side[space->bits++] = 1u << a;
            }
}

void isospace_init (struct isospace *space, const tori_machine *machine)
{
    *space = (struct isospace){.machine = machine};
    lay_out (space);
}

uint64_t isospace_address (const struct isospace *space,
                           const uint32_t coords[])
{
    uint64_t address = 0;
    for (unsigned i = 0; i < space->bits; i++)
        if (coords[space->dim[i]] & space->side[i])
            address |= UINT64_C (1) << i;
    return address;
}

void isospace_box (const struct isospace *space, struct cube cube,
                  tori_box *ret_box)
{
    int ndims = space->machine->shape.ndims;
    uint32_t *sides = ret_box->shape.size;
    ret_box->shape.ndims = ndims;
    for (int d = 0; d < ndims; d++) {
        ret_box->origin[d] = 0;
        sides[d] = 1;
    }
    for (; cube.base; cube.base &= cube.base - 1) {
        unsigned i = (unsigned)__builtin_ctzll (cube.base);
        ret_box->origin[space->dim[i]] |= space->side[i];
    }
    for (; cube.wild; cube.wild &= cube.wild - 1) {
        unsigned i = (unsigned)__builtin_ctzll (cube.wild);
        sides[space->dim[i]] += space->side[i];
    }
}

struct cube isospace_cube (const struct isospace *space, const tori_box *box)
{
    struct cube cube = {isospace_address (space, box->origin), 0};
    uint32_t beyond[TORI_MAX_DIMS];
    for (int d = 0; d < box->shape.ndims; d++)
        beyond[d] = box->shape.size[d] - 1;
    cube.wild = isospace_address (space, beyond);
    return cube;
}

enum isospace_lie isospace_lies (const struct isospace *space,
                                 struct cube cube, const tori_box *box)
{
    enum isospace_lie lie = ISOSPACE_INSIDE;
    tori_box at;
    isospace_box (space, cube, &at);
    for (int d = 0; d < box->shape.ndims; d++) {
        uint32_t end = at.origin[d] + at.shape.size[d];
        uint32_t box_end = box->origin[d] + box->shape.size[d];
        if (end <= box->origin[d] || at.origin[d] >= box_end)
            return ISOSPACE_OUTSIDE;
        if (at.origin[d] < box->origin[d] || end > box_end)
            lie = ISOSPACE_ACROSS;
    }
    return lie;
}
