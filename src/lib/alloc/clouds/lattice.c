#include "lattice.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* How far nodes are from node 0 along a dimension: down, and up. False for a
 * side that is too long to serve. */
static bool find_sides (const struct cloud *cloud, int dim,
                        const uint32_t *middle, struct lattice *lattice)
{
    uint64_t ring = cloud->ring[dim], span;
    int64_t least;
    lattice->cloud.ring[dim] = ring;
    if (ring) {
        lattice->down[dim] = (ring - 1) / 2;
        lattice->up[dim] = ring / 2;
        return ring <= UINT32_MAX;
    }
    span = cloud_span (cloud, dim, &least);
    lattice->down[dim] = middle ? middle[dim] : span;
    lattice->up[dim] = middle ? span - middle[dim] : span;
    return span <= UINT32_MAX;
}

static uint64_t lesser_of (uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Add all nodes that are within `reach` of node 0 in dimensions from `dim` on,
 * and in those before at `place`: up to `most` in all, and if there are more,
 * one more is counted. Node 0 comes first. */
static void add_nodes (struct lattice *lattice, size_t most, int dim,
                       int64_t *place, uint64_t reach)
{
    struct cloud *cloud = &lattice->cloud;
    size_t ndims = (size_t)cloud->ndims;
    uint64_t up, down;
    if (cloud->n > most)
        return;
    if (dim == cloud->ndims) {
        if (cloud->n < most)
            memcpy (lattice->coords + cloud->n * ndims, place,
                    ndims * sizeof *place);
        cloud->n++;
        return;
    }
    up = lesser_of (reach, lattice->up[dim]);
    down = lesser_of (reach, lattice->down[dim]);
    for (uint64_t apart = 0; apart <= up; apart++) {
        place[dim] = (int64_t)apart;
        add_nodes (lattice, most, dim + 1, place, reach - apart);
    }
    for (uint64_t apart = 1; apart <= down; apart++) {
        place[dim] = (int64_t)(cloud->ring[dim] - apart);
        add_nodes (lattice, most, dim + 1, place, reach - apart);
    }
}

static size_t fill_ball (struct lattice *lattice, size_t most, uint64_t reach)
{
    int64_t place[TORI_MAX_DIMS];
    lattice->cloud.n = 0;
    lattice->reach = reach;
    add_nodes (lattice, most, 0, place, reach);
    return lattice->cloud.n;
}

/* Balls until the next is too large, or has no more: then these are all. */
static void fill_most (struct lattice *lattice, size_t most)
{
    size_t n = 0, more = 1;
    uint64_t reach = 0;
    while (more <= most && more > n) {
        n = more;
        more = fill_ball (lattice, most, ++reach);
    }
    fill_ball (lattice, most, reach - 1);
    if (more == n)
        lattice->reach = UINT64_MAX;
}

int lattice_create (const struct cloud *cloud, const uint32_t *middle,
                    size_t least, size_t most, struct lattice *ret_lattice,
                    tori_error *err)
{
    struct lattice lattice = {.cloud = {.ndims = cloud->ndims}};
    for (int d = 0; d < cloud->ndims; d++)
        if (!find_sides (cloud, d, middle, &lattice))
            return 0;
    lattice.coords = malloc (most * (size_t)cloud->ndims
                             * sizeof *lattice.coords);
    if (!lattice.coords)
        return tori_error_nomem (err);
    lattice.cloud.coords = lattice.coords;
    fill_most (&lattice, most);
    if (lattice.cloud.n < least) {
        lattice_clear (&lattice);
        return 0;
    }
    *ret_lattice = lattice;
    return 1;
}

void lattice_clear (struct lattice *lattice)
{
    free (lattice->coords);
}

/* ---- all nodes ---- */

/* The least coordinate and the side of every dimension. Returns the number of
 * nodes, or 0 beyond `most`. */
static size_t measure_grid (const struct cloud *cloud, size_t most,
                            int64_t least[], uint64_t side[])
{
    wide nodes = 1;
    for (int d = 0; d < cloud->ndims && nodes <= most; d++) {
        side[d] = cloud_span (cloud, d, &least[d]);
        if (side[d] < UINT64_MAX)
            side[d]++;
        if (cloud->ring[d]) {
            side[d] = cloud->ring[d];
            least[d] = 0;
        }
        nodes *= side[d];
    }
    return nodes <= most ? (size_t)nodes : 0;
}

/* The nodes in order, the last dimension first. */
static void fill_grid (struct lattice_grid *grid, const int64_t least[],
                       const uint64_t side[])
{
    size_t ndims = (size_t)grid->cloud.ndims;
    for (size_t i = 0; i < grid->cloud.n; i++) {
        uint64_t rest = i;
        grid->point[i] = SIZE_MAX;
        for (size_t d = ndims; d-- > 0; rest /= side[d])
            grid->coords[i * ndims + d]
                = least[d] + (int64_t)(rest % side[d]);
    }
}

/* False if two points coincide. */
static bool place_points (struct lattice_grid *grid,
                          const struct cloud *cloud, const int64_t least[],
                          const uint64_t side[])
{
    for (size_t i = 0; i < cloud->n; i++) {
        size_t at = 0;
        for (int d = 0; d < cloud->ndims; d++)
            at = at * side[d]
                 + ((uint64_t)cloud_point (cloud, i)[d] - (uint64_t)least[d]);
        if (grid->point[at] != SIZE_MAX)
            return false;
        grid->point[at] = i;
    }
    return true;
}

int lattice_fill (const struct cloud *cloud, size_t most,
                  struct lattice_grid *ret_grid, tori_error *err)
{
    struct lattice_grid grid = {.cloud = *cloud};
    int64_t least[TORI_MAX_DIMS];
    uint64_t side[TORI_MAX_DIMS];
    grid.cloud.n = measure_grid (cloud, most, least, side);
    if (grid.cloud.n == 0)
        return 0;
    grid.coords = malloc (grid.cloud.n * (size_t)cloud->ndims
                          * sizeof *grid.coords);
    grid.point = malloc (grid.cloud.n * sizeof *grid.point);
    grid.cloud.coords = grid.coords;
    if (!grid.coords || !grid.point) {
        lattice_grid_clear (&grid);
        return tori_error_nomem (err);
    }
    fill_grid (&grid, least, side);
    if (!place_points (&grid, cloud, least, side)) {
        lattice_grid_clear (&grid);
        return 0;
    }
    *ret_grid = grid;
    return 1;
}

void lattice_grid_clear (struct lattice_grid *grid)
{
    free (grid->coords);
    free (grid->point);
}
