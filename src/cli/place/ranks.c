#include "ranks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "orders.h"
#include "outfile.h"
#include "rings.h"

const char *rank_order_name (size_t i)
{
    static const char *const names[] = {[RANKS_ROW] = "row",
                                        [RANKS_MORTON] = "morton",
                                        [RANKS_HILBERT] = "hilbert",
                                        [RANKS_FOLDED] = "folded"};
    return i < sizeof names / sizeof *names ? names[i] : NULL;
}

const char *rank_format_name (size_t i)
{
    static const char *const names[] = {[RANKS_MPICH] = "mpich",
                                        [RANKS_OPENMPI] = "openmpi",
                                        [RANKS_SLURM] = "slurm",
                                        [RANKS_TENSTORRENT] = "tenstorrent",
                                        [RANKS_TENSTORRENT_MESH]
                                        = "tenstorrent-mesh"};
    return i < sizeof names / sizeof *names ? names[i] : NULL;
}

/* ---- orders of the places in a box; a place is its row-major number ---- */

static void coords_in (const tori_shape *shape, uint32_t place,
                       uint32_t coords[])
{
    for (int d = shape->ndims; d-- > 0;) {
        coords[d] = place % shape->size[d];
        place /= shape->size[d];
    }
}

/* The coordinate whose highest bit differs decides; on a tie, the first. */
static int compare_morton (const void *a, const void *b, void *arg)
{
    const tori_shape *shape = arg;
    uint32_t x[TORI_MAX_DIMS], y[TORI_MAX_DIMS], most = 0;
    int answer = 0;
    coords_in (shape, *(const uint32_t *)a, x);
    coords_in (shape, *(const uint32_t *)b, y);
    for (int d = 0; d < shape->ndims; d++) {
        uint32_t differ = x[d] ^ y[d];
        if (most < differ && most < (differ ^ most)) {
            most = differ;
            answer = x[d] < y[d] ? -1 : 1;
        }
    }
    return answer;
}

static uint32_t fold_place (const tori_shape *shape, uint32_t place)
{
    uint32_t coords[TORI_MAX_DIMS], at = 0;
    coords_in (shape, place, coords);
    for (int d = 0; d < shape->ndims; d++)
        at = at * shape->size[d] + ring_place (coords[d], shape->size[d]);
    return at;
}

static int order_places (tori_shape *shape, enum rank_order order,
                         uint32_t places[], tori_error *err)
{
    uint32_t n = (uint32_t)tori_shape_volume (shape);
    if (order == RANKS_HILBERT)
        return order_hilbert (shape, places, err);
    for (uint32_t i = 0; i < n; i++)
        places[i] = order == RANKS_FOLDED ? fold_place (shape, i) : i;
    if (order == RANKS_MORTON)
        qsort_r (places, n, sizeof *places, compare_morton, shape);
    return 0;
}

/* ---- nodes ---- */

static uint32_t node_in (const tori_machine *machine, const tori_box *box,
                         uint32_t place)
{
    uint32_t coords[TORI_MAX_DIMS];
    coords_in (&box->shape, place, coords);
    for (int d = 0; d < box->shape.ndims; d++)
        coords[d] = (coords[d] + box->origin[d])
                    % tori_machine_size (machine, d);
    return tori_machine_id (machine, coords);
}

/* Order the nodes of the placement that are in a box, as the box orders
 * them. */
static int order_box (const tori_placement *place,
                      const tori_machine *machine, const tori_box *box,
                      enum rank_order order, uint32_t **ids, tori_error *err)
{
    tori_shape shape = box->shape;
    uint32_t n = (uint32_t)tori_shape_volume (&shape);
    uint32_t *places = malloc (n * sizeof *places);
    int status = places ? order_places (&shape, order, places, err)
                        : tori_error_nomem (err);
    for (uint32_t i = 0; i < n && status == 0; i++) {
        uint32_t node = node_in (machine, box, places[i]);
        if (tori_placement_contains (place, machine, node))
            *(*ids)++ = node;
    }
    free (places);
    return status;
}

/* Enter the nodes of a piece of a slice at their places in the box of the
 * job. */
static void spread_piece (const tori_placement *place,
                          const tori_machine *machine, const tori_shape *shape,
                          size_t i, uint32_t at[])
{
    const tori_box *box = tori_placement_box (place, i);
    uint32_t first[TORI_MAX_DIMS], n = (uint32_t)tori_shape_volume (&box->shape);
    int apart = tori_machine_apart (machine);
    tori_placement_begin (place, machine, i, first);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t coords[TORI_MAX_DIMS], to = 0;
        coords_in (&box->shape, k, coords);
        for (int d = 0; d < shape->ndims; d++)
            to = to * shape->size[d] + first[d] + coords[apart + d];
        at[to] = node_in (machine, box, k);
    }
}

/* To its job, a slice of a pod is one box. */
static int order_slice (const tori_placement *place,
                        const tori_machine *machine, tori_shape *shape,
                        enum rank_order order, uint32_t ids[], tori_error *err)
{
    uint32_t *places = malloc (place->count * sizeof *places);
    uint32_t *at = malloc (place->count * sizeof *at);
    int status = places && at ? order_places (shape, order, places, err)
                              : tori_error_nomem (err);
    for (size_t i = 0; i < place->nboxes && status == 0; i++)
        spread_piece (place, machine, shape, i, at);
    for (uint32_t i = 0; i < place->count && status == 0; i++)
        ids[i] = at[places[i]];
    free (places);
    free (at);
    return status;
}

int ranks_order (const tori_placement *place, const tori_machine *machine,
                 enum rank_order order, uint32_t ids[], tori_error *err)
{
    const tori_box all = {.shape = *tori_machine_shape (machine)};
    tori_shape slice;
    if (tori_machine_is_pod (machine)
        && tori_placement_shape (place, machine, &slice))
        return order_slice (place, machine, &slice, order, ids, err);
    if (place->nboxes == 0)
        return order_box (place, machine, &all, order, &ids, err);
    for (size_t i = 0; i < place->nboxes; i++)
        if (order_box (place, machine, tori_placement_box (place, i), order,
                       &ids, err)
            < 0)
            return -1;
    return 0;
}

/* Neighbours in the map are neighbours on the machine, so `folded` equals
 * `row`. */
int ranks_order_map (const uint32_t map[], const tori_shape *shape,
                     enum rank_order order, uint32_t ids[], tori_error *err)
{
    tori_shape own = *shape;
    uint32_t n = (uint32_t)tori_shape_volume (shape);
    if (order_places (&own, order == RANKS_FOLDED ? RANKS_ROW : order, ids,
                      err)
        < 0)
        return -1;
    for (uint32_t i = 0; i < n; i++)
        ids[i] = map[ids[i]];
    return 0;
}

/* The row-major number of a place in the whole machine is its node id. */
int ranks_order_all (const tori_machine *machine, enum rank_order order,
                     uint32_t ids[], tori_error *err)
{
    tori_shape shape = *tori_machine_shape (machine);
    return order_places (&shape, order, ids, err);
}

/* ---- names and files ---- */

int ranks_names (const char *names, const tori_machine *machine,
                 struct nodemap *map, tori_error *err)
{
    return access (names, F_OK) == 0
               ? nodemap_file (map, machine, names, err)
               : nodemap_pattern (map, machine, names, NODEMAP_LAST, err);
}

static void write_rank (const char *name, size_t rank,
                        enum rank_format format, FILE *out)
{
    if (format == RANKS_OPENMPI)
        fprintf (out, "rank %zu=%s slot=0\n", rank, name);
    else
        fprintf (out, format == RANKS_MPICH ? "%s:1\n" : "%s\n", name);
}

static int check_names (const struct nodemap *map, const uint32_t ids[],
                        size_t n, tori_error *err)
{
    char text[TORI_TEXT_MAX];
    for (size_t i = 0; i < n; i++)
        if (!map->names[ids[i]]) {
            tori_node_format (map->machine, ids[i], text);
            return tori_error_set (err, TORI_INVALID,
                                   "--names: node %.200s has no name", text);
        }
    return 0;
}

int ranks_write (const struct nodemap *map, const uint32_t ids[], size_t n,
                 enum rank_format format, const char *path, tori_error *err)
{
    struct outfile *out;
    if (check_names (map, ids, n, err) < 0
        || outfile_create (path, &out, err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        write_rank (map->names[ids[i]], i, format, outfile_stream (out));
    return outfile_end (out, 0, err);
}
