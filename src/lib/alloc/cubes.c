#include <tori/cubes.h>

#include <stdlib.h>

#include "array.h"
#include "ask.h"
#include "fold.h"
#include "grid.h"
#include "noncubic.h"
#include "placement.h"

struct tori_cubes {
    struct isocube *iso;
    const tori_machine *machine;
    tori_noncubic noncubic;

    /* Room for the addresses of a list, as long as any that was taken, so
     * that giving it back needs no memory. */
    uint64_t *addresses;
    size_t room;
};

int tori_cubes_create (const tori_machine *machine,
                       const tori_alloc_config *config,
                       tori_cubes **ret_cubes, tori_error *err)
{
    tori_alloc_config own = {0};
    tori_cubes *cubes;
    if (grid_check (machine, "subcubes", err) < 0
        || (config && alloc_config_read (config, &own, err) < 0))
        return -1;
    cubes = calloc (1, sizeof *cubes);
    if (!cubes)
        return tori_error_nomem (err);
    cubes->machine = machine;
    cubes->noncubic = own.noncubic;
    if (isocube_create (machine, own.hypercube, &cubes->iso, err) < 0) {
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
    free (cubes->addresses);
    free (cubes);
}

/* ---- parts ---- */

static int compare_addresses (const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The addresses of a list of nodes in order. There is room. */
static void sort_addresses (tori_cubes *cubes, const tori_placement *place)
{
    for (uint32_t i = 0; i < place->count; i++) {
        uint32_t coords[TORI_MAX_DIMS];
        tori_machine_coords (cubes->machine, place->nodes[i], coords);
        cubes->addresses[i] = isospace_address (&cubes->iso->space, coords);
    }
    qsort (cubes->addresses, place->count, sizeof *cubes->addresses,
           compare_addresses);
}

/* The largest aligned subcube from here on that is wholly in the list. */
static struct cube largest_from (const uint64_t addresses[], size_t left)
{
    uint64_t first = addresses[0];
    struct cube cube = {first, 0};
    for (uint64_t n = 2; n <= left && !(first & (n - 1))
                         && addresses[n - 1] == first + n - 1;
         n *= 2)
        cube.wild = n - 1;
    return cube;
}

/* Do something with the subcubes that a list of nodes is made of, the first *n
 * of them, as isocube_each_part does for a box. The same list always gives the
 * same subcubes. */
static bool each_in_list (tori_cubes *cubes, const tori_placement *place,
                          size_t *n, isocube_act_fn *act, tori_error *err)
{
    size_t done = 0, i = 0;
    sort_addresses (cubes, place);
    while (i < place->count) {
        struct cube cube
            = largest_from (cubes->addresses + i, place->count - i);
        if (done == *n || act (cubes->iso, cube, err) != 0)
            break;
        i += (size_t)cube.wild + 1;
        done++;
    }
    *n = done;
    return i == place->count;
}

static bool each_part (tori_cubes *cubes, const tori_placement *place,
                       size_t *n, isocube_act_fn *act, tori_error *err)
{
    return place->nboxes
               ? isocube_each_part (cubes->iso, &place->box, n, act, err)
               : each_in_list (cubes, place, n, act, err);
}

static int need_room (tori_cubes *cubes, const tori_placement *place,
                      tori_error *err)
{
    uint64_t *more;
    if (place->nboxes)
        return 0;
    more = array_room (cubes->addresses, &cubes->room, place->count,
                       sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    cubes->addresses = more;
    return 0;
}

static int take_parts (tori_cubes *cubes, const tori_placement *place,
                       tori_error *err)
{
    size_t n = SIZE_MAX;
    if (need_room (cubes, place, err) < 0)
        return -1;
    if (each_part (cubes, place, &n, isocube_take, err))
        return 0;
    each_part (cubes, place, &n, isocube_give, NULL);
    return -1;
}

/* ---- requests ---- */

static tori_outcome refuse_shape (const tori_cubes *cubes,
                                  const tori_shape *shape,
                                  const struct fold_measure *measure,
                                  tori_error *err)
{
    uint32_t free_count = cubes->iso->free_count;
    if (!noncubic_possible (cubes->iso, shape, cubes->noncubic)) {
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
                    "%u nodes are free, but not in a subcube for this shape",
                    free_count);
    return TORI_TOPOLOGICAL;
}

/* Place a shape in part of a subcube. */
static tori_outcome request_some (tori_cubes *cubes, const tori_shape *shape,
                                  const struct fold_measure *measure,
                                  tori_placement *ret_place, tori_error *err)
{
    tori_placement place;
    int found = noncubic_find (cubes->iso, shape, cubes->noncubic, &place,
                               err);
    if (found <= 0)
        return found < 0 ? TORI_ERROR
                         : refuse_shape (cubes, shape, measure, err);
    if (take_parts (cubes, &place, err) < 0) {
        tori_placement_clear (&place);
        return TORI_ERROR;
    }
    *ret_place = place;
    return TORI_PLACED;
}

tori_outcome tori_cubes_request (tori_cubes *cubes, const tori_shape *shape,
                                 tori_placement *ret_place, tori_error *err)
{
    struct fold_measure measure;
    struct isocube_spot spot;
    struct cube cube;
    tori_box box;
    if (shape->ndims < 1 || shape->ndims > TORI_MAX_DIMS) {
        tori_error_set (err, TORI_INVALID,
                        "a shape of %d dimensions: expected 1 to %d",
                        shape->ndims, TORI_MAX_DIMS);
        return TORI_ERROR;
    }
    measure = fold_measure (shape, cubes->noncubic);
    if (tori_shape_volume (shape) == 0) {
        tori_error_set (err, TORI_INVALID, "no nodes asked for");
        return TORI_ERROR;
    }
    if (measure.count == 0)
        return refuse_shape (cubes, shape, &measure, err);
    if (!measure.cubic || !isocube_possible (cubes->iso, measure.size))
        return request_some (cubes, shape, &measure, ret_place, err);
    if (!isocube_find (cubes->iso, measure.size, &spot))
        return refuse_shape (cubes, shape, &measure, err);
    cube = isocube_cube (cubes->iso, &spot);
    if (isocube_take_spot (cubes->iso, &spot, err) < 0)
        return TORI_ERROR;
    isospace_box (&cubes->iso->space, cube, &box);
    *ret_place = placement_of_box (&box, TORI_WIRE_NONE);
    return TORI_PLACED;
}

/* A box with sides of powers of two was taken as one subcube if it is one,
 * any other in parts. */
static bool is_cubic (const tori_placement *place)
{
    const tori_shape *shape = &place->box.shape;
    uint32_t other = 0;
    for (int d = 0; d < shape->ndims; d++)
        other |= shape->size[d] & (shape->size[d] - 1);
    return place->nboxes && !other;
}

/* The same for a placement as a whole. */
static bool each_cube (tori_cubes *cubes, const tori_placement *place,
                       isocube_act_fn *act)
{
    size_t n = SIZE_MAX;
    struct cube cube;
    if (is_cubic (place)) {
        cube = isospace_cube (&cubes->iso->space, &place->box);
        if (isocube_is_subcube (cubes->iso, cube))
            return act (cubes->iso, cube, NULL) == 0;
    }
    return each_part (cubes, place, &n, act, NULL);
}

static void see_free (void *arg, struct cube cube)
{
    bool *any = arg;
    (void)cube;
    *any = true;
}

/* Stops at a subcube of which a node is free. */
static int expect_taken (struct isocube *iso, struct cube cube,
                         tori_error *err)
{
    bool any = false;
    (void)err;
    isocube_each_free (iso, cube, see_free, &any);
    return any ? -1 : 0;
}

/* Whether a place could have been taken: no node of it is free, and no list is
 * longer than those that were taken. A place that was taken as a whole is
 * checked as a whole. */
static bool is_taken (tori_cubes *cubes, const tori_placement *place)
{
    return place->nboxes <= 1
           && (place->nboxes || place->count <= cubes->room)
           && placement_check (place, cubes->machine, NULL) == 0
           && !(place->nboxes && tori_box_wraps (cubes->machine, &place->box))
           && each_cube (cubes, place, expect_taken);
}

void tori_cubes_release (tori_cubes *cubes, const tori_placement *place)
{
    if (is_taken (cubes, place))
        each_cube (cubes, place, isocube_give);
}

/* ---- nodes ---- */

static struct cube cube_of_node (const tori_cubes *cubes, uint32_t node)
{
    uint32_t coords[TORI_MAX_DIMS];
    tori_machine_coords (cubes->machine, node, coords);
    return isocube_at (cubes->iso,
                       isospace_address (&cubes->iso->space, coords), 0);
}

int tori_cubes_take_node (tori_cubes *cubes, uint32_t node, tori_error *err)
{
    struct cube cube;
    if (node_check (cubes->machine, node, err) < 0)
        return -1;
    cube = cube_of_node (cubes, node);
    if (!isocube_is_free (cubes->iso, cube.base))
        return tori_error_set (err, TORI_NOT_NOW, "node %u is not free", node);
    return isocube_take (cubes->iso, cube, err);
}

void tori_cubes_give_node (tori_cubes *cubes, uint32_t node)
{
    if (node < tori_machine_nodes (cubes->machine)
        && !tori_cubes_is_free (cubes, node))
        isocube_give (cubes->iso, cube_of_node (cubes, node), NULL);
}

bool tori_cubes_is_free (const tori_cubes *cubes, uint32_t node)
{
    return node < tori_machine_nodes (cubes->machine)
           && isocube_is_free (cubes->iso, cube_of_node (cubes, node).base);
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
    return sizeof *cubes + isocube_bytes (cubes->iso)
           + cubes->room * sizeof *cubes->addresses;
}
