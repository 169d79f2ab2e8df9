#include "targets.h"

#include <string.h>

/* ---- boxes ---- */

static void unrank_coords (const tori_shape *shape, uint32_t rank,
                           uint32_t coords[])
{
    for (int d = shape->ndims; d-- > 0;) {
        coords[d] = rank % shape->size[d];
        rank /= shape->size[d];
    }
}

static uint32_t rank_of (const tori_shape *shape, const uint32_t coords[])
{
    uint32_t rank = 0;
    for (int d = 0; d < shape->ndims; d++)
        rank = rank * shape->size[d] + coords[d];
    return rank;
}

/* Phases 2d and 2d + 1 are the ways up and down dimension d. */
static void to_neighbours (const tori_traffic_job *job, uint64_t phase,
                           uint32_t ret_target[])
{
    int d = (int)(phase / 2 % (uint64_t)job->shape->ndims);
    uint32_t size = job->shape->size[d], coords[TORI_MAX_DIMS];
    for (uint32_t rank = 0; rank < job->n; rank++) {
        unrank_coords (job->shape, rank, coords);
        coords[d] = (coords[d] + (phase % 2 ? size - 1 : 1)) % size;
        ret_target[rank] = rank_of (job->shape, coords);
    }
}

/* A box of more than one dimension whose sides read the same backwards. */
static bool turns_round (const tori_shape *shape)
{
    int n = shape ? shape->ndims : 0;
    for (int d = 0; d < n; d++)
        if (shape->size[d] != shape->size[n - 1 - d])
            return false;
    return n > 1;
}

static void to_transposed (const tori_traffic_job *job, uint32_t ret_target[])
{
    uint32_t coords[TORI_MAX_DIMS], other[TORI_MAX_DIMS];
    int n = job->shape->ndims;
    for (uint32_t rank = 0; rank < job->n; rank++) {
        unrank_coords (job->shape, rank, coords);
        for (int d = 0; d < n; d++)
            other[d] = coords[n - 1 - d];
        ret_target[rank] = rank_of (job->shape, other);
    }
}

/* ---- all jobs ---- */

uint64_t targets_phases (const tori_traffic_job *job)
{
    if (job->n < 2 || job->pattern == TORI_TRAFFIC_LIST)
        return 0;
    if (job->pattern == TORI_TRAFFIC_NEIGHBOUR)
        return 2 * (uint64_t)job->shape->ndims;
    return tori_pattern_phases (job->pattern, job->n);
}

static bool is_transpose (const tori_traffic_job *job)
{
    return job->pattern >= 0
           && !strcmp (tori_pattern_list ((size_t)job->pattern)->name,
                       "transpose");
}

uint32_t targets_square (const tori_traffic_job *job)
{
    uint32_t side = 0;
    if (!is_transpose (job) || turns_round (job->shape))
        return 0;
    while ((uint64_t)(side + 1) * (side + 1) <= job->n)
        side++;
    return side;
}

void targets_fill (const tori_traffic_job *job, uint64_t phase, uint64_t seed,
                   uint32_t ret_target[])
{
    if (job->pattern == TORI_TRAFFIC_NEIGHBOUR)
        to_neighbours (job, phase, ret_target);
    else if (is_transpose (job) && turns_round (job->shape))
        to_transposed (job, ret_target);
    else
        tori_pattern_targets (job->pattern, job->n, phase, seed, ret_target);
}
