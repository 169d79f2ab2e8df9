#include "podspace.h"

#include <stdlib.h>

#include "bits.h"
#include "marks.h"

static int check_machine (const tori_machine *machine, tori_error *err)
{
    if (!machine->apart)
        return tori_error_set (err, TORI_INVALID,
                               "there are no cubes: this machine is not a "
                               "pod");
    if (grid_cube (machine) > MOST_IN_CUBE)
        return tori_error_set (err, TORI_INVALID,
                               "cubes of more than %d nodes are not served",
                               MOST_IN_CUBE);
    return 0;
}

/* A slab after the other: a node is in the slabs above its coordinate. */
static int make_slabs (struct podspace *space, tori_error *err)
{
    size_t n = 0;
    for (int d = 0; d < space->ndims; d++) {
        space->first_slab[d] = n;
        n += space->side[d] + (size_t)1;
    }
    space->slabs = calloc (n * space->words, sizeof *space->slabs);
    if (!space->slabs)
        return tori_error_nomem (err);
    for (uint32_t node = 0; node < space->volume; node++)
        for (int d = 0; d < space->ndims; d++) {
            uint32_t at =
                grid_coord (space->machine, node, space->machine->apart + d);
            for (uint32_t k = at + 1; k <= space->side[d]; k++)
                bits_set (space->slabs
                              + (space->first_slab[d] + k) * space->words,
                          node);
        }
    return 0;
}

int podspace_create (const tori_machine *machine, struct podspace *ret_space,
                     tori_error *err)
{
    struct podspace *space = ret_space;
    *space = (struct podspace){.machine = machine};
    if (check_machine (machine, err) < 0)
        return -1;
    space->ndims = tori_machine_shape_dims (machine);
    space->side = machine->shape.size + machine->apart;
    space->volume = grid_cube (machine);
    space->words = bits_words (space->volume);
    space->pods = machine->pods ? machine->shape.size[0] : 1;
    space->cubes = machine->nodes / space->volume / space->pods;
    space->free = calloc (space->cubes * space->words, sizeof *space->free);
    space->count = calloc (space->cubes, sizeof *space->count);
    if (!space->free || !space->count)
        return tori_error_nomem (err);
    return make_slabs (space, err);
}

void podspace_clear (struct podspace *space)
{
    free (space->slabs);
    free (space->free);
    free (space->count);
}

/* Copy the free nodes of a cube, which begins at a node; whether they differ
 * from those of the cube at the last look. */
static bool look_at_cube (const struct podspace *space, const uint64_t *set,
                          uint64_t node, uint64_t *out)
{
    uint64_t other = 0;
    for (uint32_t left = space->volume; left > 0; out++) {
        unsigned n = left < 64 ? left : 64;
        uint64_t word = bits_get (set, node, n);
        other |= word ^ *out;
        *out = word;
        node += n;
        left -= n;
    }
    return other != 0;
}

/* From one look to the next, few cubes change. */
void podspace_look (struct podspace *space, const tori_state *state,
                    uint32_t pod)
{
    uint64_t node = (uint64_t)pod * space->cubes * space->volume;
    uint64_t *out = space->free;
    bool other = false;
    space->pod = pod;
    for (uint32_t cube = 0; cube < space->cubes;
         cube++, node += space->volume, out += space->words) {
        if (!look_at_cube (space, state->free, node, out))
            continue;
        space->count[cube] = 0;
        for (size_t w = 0; w < space->words; w++)
            space->count[cube] += (uint32_t)__builtin_popcountll (out[w]);
        other = true;
    }
    space->changes += other;
}

void podspace_mask (const struct podspace *space, const uint32_t span[],
                    uint64_t mask[])
{
    for (int d = 0; d < space->ndims; d++) {
        const uint64_t *slabs =
            space->slabs + space->first_slab[d] * space->words;
        const uint64_t *below = slabs + span[2 * d] * space->words;
        const uint64_t *upto = slabs + span[2 * d + 1] * space->words;
        for (size_t w = 0; w < space->words; w++)
            mask[w] = (d ? mask[w] : UINT64_MAX) & upto[w] & ~below[w];
    }
}

tori_box podspace_box (const struct podspace *space, uint32_t cube,
                       const uint32_t span[])
{
    const tori_machine *machine = space->machine;
    int apart = machine->apart;
    tori_box box = {.shape.ndims = machine->shape.ndims};
    uint32_t node = (space->pod * space->cubes + cube) * space->volume;
    tori_machine_coords (machine, node, box.origin);
    for (int d = 0; d < apart; d++)
        box.shape.size[d] = 1;
    for (int d = 0; d < space->ndims; d++) {
        box.origin[apart + d] = span[2 * d];
        box.shape.size[apart + d] = span[2 * d + 1] - span[2 * d];
    }
    return box;
}
