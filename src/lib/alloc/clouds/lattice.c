#include "lattice.h"

#include <stdlib.h>
#include <string.h>

/* The length of a side; 0 for one that is too long to serve. */
static uint64_t find_side (const struct cloud *cloud, int dim)
{
    int64_t least;
    uint64_t span;
    if (cloud->ring[dim])
        return cloud->ring[dim] <= UINT32_MAX ? cloud->ring[dim] : 0;
    span = cloud_span (cloud, dim, &least);
    return span == 0 ? 1 : span <= UINT32_MAX ? 2 * span : 0;
}

/* Add all nodes that are within `reach` of node 0 in dimensions from `dim` on,
 * and in those before at `place`: up to `most` in all, and if there are more,
 * one more is counted. */
static void add_nodes (struct lattice *lattice, size_t most, int dim,
                       int64_t *place, uint64_t reach)
{
    struct cloud *cloud = &lattice->cloud;
    size_t ndims = (size_t)cloud->ndims;
    if (cloud->n > most)
        return;
    if (dim == cloud->ndims) {
        if (cloud->n < most)
            memcpy (lattice->coords + cloud->n * ndims, place,
                    ndims * sizeof *place);
        cloud->n++;
        return;
    }
    for (uint64_t at = 0; at < cloud->ring[dim]; at++) {
        uint64_t apart;
        if (at > reach && at < cloud->ring[dim] - reach)
            at = cloud->ring[dim] - reach; /* as near from the other side */
        if (at == cloud->ring[dim])
            break;
        apart = cloud_apart (cloud, dim, 0, (int64_t)at);
        place[dim] = (int64_t)at;
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

/* Balls until the next is too large, or has no more: then it is the torus. */
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

int lattice_create (const struct cloud *cloud, size_t least, size_t most,
                    struct lattice *ret_lattice, tori_error *err)
{
    struct lattice lattice = {.cloud = {.ndims = cloud->ndims}};
    for (int d = 0; d < cloud->ndims; d++)
        if (!(lattice.cloud.ring[d] = find_side (cloud, d)))
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
