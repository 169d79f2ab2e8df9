#include "isospace.h"

#include <stdlib.h>

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

enum { SPREAD_BITS = 8 };

/* The address bits of a coordinate, bit by bit. */
static uint64_t spread_slowly (const struct isospace *space, int dim,
                               uint32_t coord)
{
    uint64_t address = 0;
    for (unsigned i = 0; i < space->bits; i++)
        if (space->dim[i] == dim && coord & space->side[i])
            address |= UINT64_C (1) << i;
    return address;
}

/* Tables that do it a byte at a time. A dimension of one node has none. */
static void size_tables (struct isospace *space, bool fill)
{
    space->nspread = 0;
    space->nentries = 0;
    for (int d = 0; d < space->machine->shape.ndims; d++) {
        unsigned k = log2_up (space->machine->shape.size[d]);
        for (unsigned shift = 0; shift < k; shift += SPREAD_BITS) {
            unsigned bits = k - shift < SPREAD_BITS ? k - shift : SPREAD_BITS;
            unsigned n = 1u << bits;
            if (fill) {
                uint64_t *entries = space->entries + space->nentries;
                for (uint32_t i = 0; i < n; i++)
                    entries[i] = spread_slowly (space, d, i << shift);
                space->spread[space->nspread] = (struct isospace_spread){
                    entries, d, shift, n - 1};
            }
            space->nspread++;
            space->nentries += n;
        }
    }
}

int isospace_init (struct isospace *space, const tori_machine *machine,
                   tori_error *err)
{
    *space = (struct isospace){.machine = machine};
    lay_out (space);
    size_tables (space, false);
    space->spread = calloc (space->nspread + 1, sizeof *space->spread);
    space->entries = calloc (space->nentries + 1, sizeof *space->entries);
    if (!space->spread || !space->entries)
        return tori_error_nomem (err);
    size_tables (space, true);
    return 0;
}

uint64_t isospace_address (const struct isospace *space,
                           const uint32_t coords[])
{
    uint64_t address = 0;
    for (unsigned i = 0; i < space->nspread; i++) {
        const struct isospace_spread *table = &space->spread[i];
        address |= table->bits[coords[table->dim] >> table->shift
                               & table->mask];
    }
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
    struct cube cube = {0, 0};
    for (unsigned i = 0; i < space->nspread; i++) {
        const struct isospace_spread *table = &space->spread[i];
        uint32_t first = box->origin[table->dim];
        uint32_t beyond = box->shape.size[table->dim] - 1;
        cube.base |= table->bits[first >> table->shift & table->mask];
        cube.wild |= table->bits[beyond >> table->shift & table->mask];
    }
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

void isospace_clear (struct isospace *space)
{
    free (space->spread);
    free (space->entries);
    *space = (struct isospace){0};
}

size_t isospace_bytes (const struct isospace *space)
{
    return space->nentries * sizeof *space->entries
           + space->nspread * sizeof *space->spread;
}
