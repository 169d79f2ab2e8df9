#include "cloud.h"

#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "compare.h"
#include "marks.h"

uint64_t cloud_span (const struct cloud *cloud, int dim, int64_t *ret_low)
{
    int64_t low = cloud->coords[dim], high = low;
    for (size_t i = 1; i < cloud->n; i++) {
        int64_t at = cloud_point (cloud, i)[dim];
        low = at < low ? at : low;
        high = at > high ? at : high;
    }
    *ret_low = low;
    return (uint64_t)high - (uint64_t)low;
}

wide cloud_distance (const struct cloud *cloud, const int64_t *a,
                     const int64_t *b)
{
    wide sum = 0;
    for (int d = 0; d < cloud->ndims; d++)
        sum += cloud_apart (cloud, d, a[d], b[d]);
    return sum;
}

/* Every gap between sorted points is crossed by (points before) x (points
 * after) pairs. */
static wide line_sum (const int64_t *sorted, size_t k)
{
    wide sum = 0;
    for (size_t i = 1; i < k; i++)
        sum += (wide)((uint64_t)sorted[i] - (uint64_t)sorted[i - 1]) * i
               * (k - i);
    return sum;
}

/* The same round a ring: the points before a point are as far as the
 * difference up to half a ring, and the rest of the ring beyond. Two running
 * sums. */
static wide ring_sum (const int64_t *sorted, size_t k, uint64_t ring)
{
    wide sum = 0, near = 0, far = 0;
    for (size_t i = 0, half = 0; i < k; i++) {
        wide at = (wide)sorted[i];
        for (; (uint64_t)sorted[i] - (uint64_t)sorted[half] > ring / 2;
             half++) {
            near -= (wide)sorted[half];
            far += (wide)sorted[half];
        }
        sum += (i - half) * at - near + far + half * ((wide)ring - at);
        near += at;
    }
    return sum;
}

int cloud_pairwise (const struct cloud *cloud, const size_t *chosen, size_t k,
                    wide *ret_sum, tori_error *err)
{
    int64_t *coords = malloc ((k + 1) * sizeof *coords);
    wide sum = 0;
    if (!coords)
        return tori_error_nomem (err);
    for (int d = 0; d < cloud->ndims; d++) {
        for (size_t i = 0; i < k; i++)
            coords[i] = cloud_point (cloud, chosen[i])[d];
        qsort (coords, k, sizeof *coords, compare_coords);
        sum += cloud->ring[d] ? ring_sum (coords, k, cloud->ring[d])
                              : line_sum (coords, k);
    }
    free (coords);
    *ret_sum = sum;
    return 0;
}

/* ---- results of a search that gives up ---- */

void cloud_keep (const tori_alloc_config *options, const size_t *chosen,
                 size_t k, double best, double at_least)
{
    tori_search *search = options->search;
    if (!search)
        return;
    search->found = true;
    search->best = best;
    search->at_least = at_least;
    if (!search->chosen)
        return;
    memcpy (search->chosen, chosen, k * sizeof *chosen);
    qsort (search->chosen, k, sizeof *chosen, compare_sizes);
}

void cloud_spend (const tori_alloc_config *options, uint64_t steps,
                  uint64_t limit)
{
    if (!options->search)
        return;
    options->search->steps = steps;
    options->search->limit = limit;
}

void cloud_progress (const tori_alloc_config *options, uint64_t steps,
                     uint64_t limit)
{
    if (options->on_progress)
        options->on_progress (options->arg, steps < limit ? steps : limit,
                              limit);
}

/* Points by their index become nodes by their id. */
static void name_nodes (const tori_search *search, const uint32_t *ids,
                        size_t k)
{
    for (size_t i = 0; search && search->found && search->chosen && i < k; i++)
        search->chosen[i] = ids[search->chosen[i]];
}

/* ---- machines ---- */

/* The free nodes of a machine as a cloud, and their ids, both to be released.
 * -1 without memory. */
static int gather_cloud (const tori_state *state, uint32_t **ret_ids,
                         struct cloud *ret_cloud, tori_error *err)
{
    const tori_machine *machine = state->machine;
    size_t n = state->free_count, at = 0;
    size_t ndims = (size_t)machine->shape.ndims;
    uint32_t *ids = malloc ((n + 1) * sizeof *ids);
    int64_t *coords = malloc ((n + 1) * ndims * sizeof *coords);
    if (!ids || !coords) {
        free (ids);
        free (coords);
        return tori_error_nomem (err);
    }
    for (uint32_t id = 0; id < machine->nodes; id++) {
        if (!bits_test (state->free, id))
            continue;
        for (size_t d = 0; d < ndims; d++)
            coords[at * ndims + d] = grid_coord (machine, id, (int)d);
        ids[at++] = id;
    }
    *ret_cloud = (struct cloud){.ndims = machine->shape.ndims, .n = n,
                                .coords = coords};
    for (int d = 0; d < machine->shape.ndims; d++)
        if (tori_machine_wraps (machine, d))
            ret_cloud->ring[d] = machine->shape.size[d];
    *ret_ids = ids;
    return 0;
}

static void release_cloud (uint32_t *ids, struct cloud *cloud)
{
    free (ids);
    free ((void *)(uintptr_t)cloud->coords);
}

int cloud_place (cloud_fn *choose, const tori_alloc_config *options,
                 const tori_state *state, const tori_request *request,
                 tori_placement *ret_place, tori_error *err)
{
    tori_alloc_config used = options ? *options : (tori_alloc_config){0};
    tori_search known = {0}, *wanted = used.search;
    size_t k = request->count, *chosen = NULL;
    uint32_t *ids = NULL, *nodes = NULL;
    struct cloud cloud;
    int answer = -1;
    if (gather_cloud (state, &ids, &cloud, err) < 0)
        return -1;
    chosen = malloc (k * sizeof *chosen);
    nodes = malloc (k * sizeof *nodes);
    if (!chosen || !nodes) {
        tori_error_nomem (err);
        goto done;
    }
    /* Another search may have left its result: keep only this one's. */
    if (wanted) {
        known.chosen = wanted->chosen;
        used.search = &known;
    }
    if (choose (&cloud, k, &used, chosen, err) < 0) {
        name_nodes (&known, ids, k);
        if (wanted)
            *wanted = known;
        goto done;
    }
    for (size_t i = 0; i < k; i++)
        nodes[i] = ids[chosen[i]];
    *ret_place = (tori_placement){.count = request->count, .nodes = nodes};
    nodes = NULL;
    answer = 1;
done:
    free (nodes);
    free (chosen);
    release_cloud (ids, &cloud);
    return answer;
}
