#include <tori/cubes.h>

#include <stdlib.h>

#include "fold.h"
#include "isocube.h"

struct tori_cubes {
    struct isocube *iso;
    const tori_machine *machine;
    tori_noncubic noncubic;
};

int tori_cubes_create (const tori_machine *machine,
                       const tori_alloc_options *options,
                       tori_cubes **ret_cubes, tori_error *err)
{
    static const tori_alloc_options defaults;
    tori_cubes *cubes = calloc (1, sizeof *cubes);
    if (!cubes)
        return tori_error_nomem (err);
    if (!options)
        options = &defaults;
    cubes->machine = machine;
    cubes->noncubic = options->noncubic;
    if (isocube_create (machine, options->hypercube, &cubes->iso, err) < 0) {
        free (cubes);
        return -1;
    }
    *ret_cubes = cubes;
    return 0;
}

void tori_cubes_destroy (tori_cubes *cubes)
{
    if (!cubes)
        return;
    isocube_destroy (cubes->iso);
    free (cubes);
}

/* ---- parts of a subcube ---- */

/* Of a subcube, the 2^size addresses from `offset` on. */
static struct cube part_of_cube (struct cube cube, uint64_t offset,
                                 unsigned size)
{
    struct cube part = {cube.base, 0};
    for (unsigned i = 0; cube.wild; i++, cube.wild &= cube.wild - 1) {
        uint64_t lowest = cube.wild & -cube.wild;
        if (i < size)
            part.wild |= lowest;
        else if (offset >> i & 1)
            part.base |= lowest;
    }
    return part;
}

typedef int part_fn (struct isocube *iso, struct cube cube, tori_error *err);

/* Do something with the parts that a placement with a list of nodes is made
 * of, the first `n` of them: blocks of falling size, or single nodes. Returns
 * how many it was done with. */
static uint32_t each_part (tori_cubes *cubes, const tori_placement *place,
                           uint32_t n, part_fn *act, tori_error *err)
{
    struct cube whole = isocube_of_box (cubes->iso, &place->box);
    uint32_t i = 0, offset = 0;
    for (; i < n && offset < place->count; i++) {
        uint32_t left = place->count - offset, coords[TORI_MAX_DIMS];
        unsigned size = 31 - (unsigned)__builtin_clz (left);
        struct cube part;
        if (cubes->noncubic == TORI_NONCUBIC_DECOMPOSE) {
            part = part_of_cube (whole, offset, size);
            offset += UINT32_C (1) << size;
        } else {
            tori_machine_coords (cubes->machine, place->nodes[offset++],
                                 coords);
            part = isocube_at (cubes->iso,
                               isocube_address (cubes->iso, coords), 0);
        }
        if (act (cubes->iso, part, err) < 0)
            break;
    }
    return i;
}

static int take_parts (tori_cubes *cubes, const tori_placement *place,
                       tori_error *err)
{
    tori_error inner = {.status = TORI_OK};
    uint32_t done = each_part (cubes, place, UINT32_MAX, isocube_take, &inner);
    if (inner.status == TORI_OK)
        return 0;
    each_part (cubes, place, done, isocube_give, NULL);
    return tori_error_nomem (err);
}

/* ---- requests ---- */

static tori_outcome refuse (const tori_cubes *cubes,
                            const struct fold_measure *measure,
                            tori_error *err)
{
    uint32_t free_count = cubes->iso->free_count;
    if (measure->count == 0
        || !isocube_possible (cubes->iso, measure->size)) {
        tori_error_set (err, TORI_NEVER,
                        "the machine has no subcube as large as this");
        return TORI_UNPLACEABLE;
    }
    if (measure->count > free_count) {
        tori_error_set (err, TORI_NOT_NOW, "%u nodes asked for, %u free",
                        measure->count, free_count);
        return TORI_NUMERICAL;
    }
    tori_error_set (err, TORI_NOT_NOW,
                    "%u nodes are free, but not in a subcube of this size",
                    free_count);
    return TORI_TOPOLOGICAL;
}

/* Part of the subcube that was found. */
static int take_some (tori_cubes *cubes, const tori_shape *shape,
                      const tori_box *box, tori_placement *ret_place,
                      tori_error *err)
{
    tori_placement place = {.box = *box};
    if (fold_place (cubes->machine, shape, cubes->noncubic, &place, err) < 0)
        return -1;
    if (take_parts (cubes, &place, err) < 0) {
        tori_placement_clear (&place);
        return -1;
    }
    *ret_place = place;
    return 0;
}

tori_outcome tori_cubes_request (tori_cubes *cubes, const tori_shape *shape,
                                 tori_placement *ret_place, tori_error *err)
{
    struct fold_measure measure = fold_measure (shape, cubes->noncubic);
    struct isocube_spot spot;
    struct cube cube;
    tori_box box;
    if (measure.count == 0
        || !isocube_find (cubes->iso, measure.size, &spot))
        return refuse (cubes, &measure, err);
    cube = isocube_cube (cubes->iso, &spot);
    if (!measure.cubic) {
        isocube_box (cubes->iso, cube, &box);
        return take_some (cubes, shape, &box, ret_place, err) < 0
                   ? TORI_ERROR
                   : TORI_PLACED;
    }
    if (isocube_take_spot (cubes->iso, &spot, err) < 0)
        return TORI_ERROR;
    isocube_box (cubes->iso, cube, &ret_place->box);
    ret_place->is_box = true;
    ret_place->wiring = TORI_WIRE_NONE;
    ret_place->count = measure.count;
    ret_place->nodes = NULL;
    return TORI_PLACED;
}

void tori_cubes_release (tori_cubes *cubes, const tori_placement *place)
{
    if (place->is_box)
        isocube_give (cubes->iso, isocube_of_box (cubes->iso, &place->box),
                      NULL);
    else
        each_part (cubes, place, UINT32_MAX, isocube_give, NULL);
}

/* ---- nodes ---- */

static struct cube cube_of_node (const tori_cubes *cubes, uint32_t node)
{
    uint32_t coords[TORI_MAX_DIMS];
    tori_machine_coords (cubes->machine, node, coords);
    return isocube_at (cubes->iso, isocube_address (cubes->iso, coords), 0);
}

int tori_cubes_take_node (tori_cubes *cubes, uint32_t node, tori_error *err)
{
    struct cube cube = cube_of_node (cubes, node);
    if (!isocube_is_free (cubes->iso, cube.base))
        return tori_error_set (err, TORI_NOT_NOW, "node %u is not free", node);
    return isocube_take (cubes->iso, cube, err);
}

void tori_cubes_give_node (tori_cubes *cubes, uint32_t node)
{
    isocube_give (cubes->iso, cube_of_node (cubes, node), NULL);
}

bool tori_cubes_is_free (const tori_cubes *cubes, uint32_t node)
{
    return isocube_is_free (cubes->iso, cube_of_node (cubes, node).base);
}

uint32_t tori_cubes_free_count (const tori_cubes *cubes)
{
    return cubes->iso->free_count;
}

uint64_t tori_cubes_largest (const tori_cubes *cubes)
{
    uint64_t sizes = isocube_sizes (cubes->iso);
    return sizes ? UINT64_C (1) << (63 - __builtin_clzll (sizes)) : 0;
}

size_t tori_cubes_bytes (const tori_cubes *cubes)
{
    return sizeof *cubes + isocube_bytes (cubes->iso);
}
