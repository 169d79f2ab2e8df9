#include "assign.h"

#include <stdlib.h>
#include <string.h>

/* Up to so many nodes are improved, in at most so many passes. */
enum { MOST_MENDED = 1024, MOST_PASSES = 24 };

/* ---- halving ---- */

struct point {
    uint64_t key; /* a coordinate, then the id */
    uint32_t id;
};

struct halving {
    const tori_shape *machine, *logical;
    uint32_t *map;
};

static int compare_points (const void *a, const void *b)
{
    uint64_t x = ((const struct point *)a)->key;
    uint64_t y = ((const struct point *)b)->key;
    return (x > y) - (x < y);
}

static void coords_in (const tori_shape *shape, uint32_t id, uint32_t coords[])
{
    for (int d = shape->ndims - 1; d >= 0; d--) {
        coords[d] = id % shape->size[d];
        id /= shape->size[d];
    }
}

/* The dimension in which points reach furthest, and its length. */
static int widest_dim (const tori_shape *shape, const struct point points[],
                       size_t n, uint32_t *ret_reach)
{
    uint32_t low[TORI_MAX_DIMS] = {0}, high[TORI_MAX_DIMS] = {0};
    uint32_t coords[TORI_MAX_DIMS];
    int best = 0;
    coords_in (shape, points[0].id, low);
    coords_in (shape, points[0].id, high);
    for (size_t i = 1; i < n; i++) {
        coords_in (shape, points[i].id, coords);
        for (int d = 0; d < shape->ndims; d++) {
            low[d] = coords[d] < low[d] ? coords[d] : low[d];
            high[d] = coords[d] > high[d] ? coords[d] : high[d];
        }
    }
    for (int d = 1; d < shape->ndims; d++)
        if (high[d] - low[d] > high[best] - low[best])
            best = d;
    *ret_reach = high[best] - low[best];
    return best;
}

/* Order points by that dimension. Returns how far they reach. */
static uint32_t order_points (const tori_shape *shape, struct point points[],
                              size_t n)
{
    uint32_t coords[TORI_MAX_DIMS], reach;
    int dim = widest_dim (shape, points, n, &reach);
    for (size_t i = 0; i < n; i++) {
        coords_in (shape, points[i].id, coords);
        points[i].key = (uint64_t)coords[dim] << 32 | points[i].id;
    }
    qsort (points, n, sizeof *points, compare_points);
    return reach;
}

/* How many points are in the lower half of their range. */
static size_t lower_half (const struct point points[], size_t n,
                          uint32_t reach)
{
    uint64_t first = points[0].key >> 32;
    size_t k = 1;
    while (k < n && points[k].key >> 32 <= first + (reach - 1) / 2)
        k++;
    return k;
}

/* The depth is about the logarithm of the number of nodes. */
static void halve_points (const struct halving *h, struct point shape[],
                          struct point nodes[], size_t n)
{
    while (n > 1) {
        uint32_t reach = order_points (h->machine, nodes, n);
        size_t k = lower_half (nodes, n, reach);
        order_points (h->logical, shape, n);
        halve_points (h, shape, nodes, k);
        shape += k;
        nodes += k;
        n -= k;
    }
    h->map[shape->id] = nodes->id;
}

int assign_halving (const tori_machine *machine, const tori_shape *shape,
                    const uint32_t nodes[], uint32_t map[], tori_error *err)
{
    uint32_t n = (uint32_t)tori_shape_volume (shape);
    struct point *points = malloc (2 * (size_t)n * sizeof *points);
    struct halving h = {tori_machine_shape (machine), shape, map};
    if (!points)
        return tori_error_nomem (err);
    for (uint32_t i = 0; i < n; i++) {
        points[i].id = i;
        points[n + i].id = nodes[i];
    }
    halve_points (&h, points, points + n, n);
    free (points);
    return 0;
}

/* ---- mending ---- */

struct mend {
    const tori_machine *machine;
    const tori_shape *shape;
    const uint32_t *nodes; /* ascending */
    uint32_t n;
    uint32_t *map, *at; /* logical to id; index in nodes to logical */
};

/* The logical neighbours of a logical node. */
static int list_neighbours (const tori_shape *shape, uint32_t i,
                            uint32_t ret_near[2 * TORI_MAX_DIMS])
{
    uint32_t stride = 1;
    int n = 0;
    for (int d = shape->ndims - 1; d >= 0; d--) {
        uint32_t at = i / stride % shape->size[d];
        if (at > 0)
            ret_near[n++] = i - stride;
        if (at + 1 < shape->size[d])
            ret_near[n++] = i + stride;
        stride *= shape->size[d];
    }
    return n;
}

static uint64_t cost_of (const struct mend *m, uint32_t i)
{
    uint32_t near[2 * TORI_MAX_DIMS];
    int n = list_neighbours (m->shape, i, near);
    uint64_t sum = 0;
    for (int j = 0; j < n; j++) {
        uint64_t hops = tori_machine_distance (m->machine, m->map[i],
                                               m->map[near[j]]);
        sum += hops * hops;
    }
    return sum;
}

/* The index of a node in the set, or n. */
static uint32_t index_of (const struct mend *m, uint32_t id)
{
    uint32_t low = 0, high = m->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (m->nodes[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < m->n && m->nodes[low] == id ? low : m->n;
}

static void swap_places (struct mend *m, uint32_t a, uint32_t b)
{
    uint32_t id = m->map[a];
    m->map[a] = m->map[b];
    m->map[b] = id;
    m->at[index_of (m, m->map[a])] = a;
    m->at[index_of (m, m->map[b])] = b;
}

/* Let a logical node move to this place if that is better. A link between the
 * two counts twice before and after. */
static bool try_place (struct mend *m, uint32_t a, uint32_t place)
{
    uint32_t b = m->at[place];
    uint64_t before;
    if (a == b)
        return false;
    before = cost_of (m, a) + cost_of (m, b);
    swap_places (m, a, b);
    if (cost_of (m, a) + cost_of (m, b) < before)
        return true;
    swap_places (m, a, b);
    return false;
}

/* The places beside a node. */
static bool try_around (struct mend *m, uint32_t a, uint32_t id)
{
    uint32_t coords[TORI_MAX_DIMS];
    bool better = false;
    tori_machine_coords (m->machine, id, coords);
    for (int d = 0; d < tori_machine_ndims (m->machine); d++)
        for (int by = -1; by <= 1; by += 2) {
            uint32_t was = coords[d], place;
            coords[d] += (uint32_t)by;
            if (coords[d] < tori_machine_size (m->machine, d)) {
                place = index_of (m, tori_machine_id (m->machine, coords));
                if (place < m->n)
                    better |= try_place (m, a, place);
            }
            coords[d] = was;
        }
    return better;
}

static bool mend_once (struct mend *m)
{
    bool better = false;
    for (uint32_t a = 0; a < m->n; a++) {
        uint32_t near[2 * TORI_MAX_DIMS];
        int n = list_neighbours (m->shape, a, near);
        for (int j = 0; j < n; j++)
            better |= try_around (m, a, m->map[near[j]]);
    }
    return better;
}

int assign_mend (const tori_machine *machine, const tori_shape *shape,
                 const uint32_t nodes[], uint32_t map[], tori_error *err)
{
    struct mend m = {machine, shape, nodes,
                     (uint32_t)tori_shape_volume (shape), map, NULL};
    if (m.n > MOST_MENDED)
        return 0;
    m.at = malloc (m.n * sizeof *m.at);
    if (!m.at)
        return tori_error_nomem (err);
    for (uint32_t i = 0; i < m.n; i++)
        m.at[index_of (&m, map[i])] = i;
    for (int pass = 0; pass < MOST_PASSES && mend_once (&m); pass++)
        continue;
    free (m.at);
    return 0;
}
