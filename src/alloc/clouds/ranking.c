#include "ranking.h"

#include <stdlib.h>

static int compare_values (const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Sort and drop repeats; returns how many are left. */
static size_t distinct (int64_t *values, size_t n)
{
    size_t kept = 1;
    qsort (values, n, sizeof *values, compare_values);
    for (size_t i = 1; i < n; i++)
        if (values[i] != values[kept - 1])
            values[kept++] = values[i];
    return kept;
}

static size_t rank_of (const int64_t *values, size_t count, int64_t value)
{
    size_t low = 0;
    while (count > 1) {
        size_t half = count / 2;
        if (values[low + half] <= value)
            low += half;
        count -= half;
    }
    return low;
}

/* The ranks of one dimension; its distinct values go behind the others'. */
static void rank_dimension (struct ranking *ranking, int dim)
{
    const struct cloud *cloud = ranking->cloud;
    int64_t *values = ranking->values + ranking->total;
    size_t ndims = (size_t)cloud->ndims, count;
    for (size_t i = 0; i < cloud->n; i++)
        values[i] = cloud_point (cloud, i)[dim];
    count = distinct (values, cloud->n);
    for (size_t i = 0; i < cloud->n; i++)
        ranking->ranks[i * ndims + (size_t)dim] = ranking->total
            + rank_of (values, count, cloud_point (cloud, i)[dim]);
    ranking->first[dim] = ranking->total;
    ranking->count[dim] = count;
    ranking->total += count;
}

void ranking_clear (struct ranking *ranking)
{
    free (ranking->values);
    free (ranking->ranks);
}

int ranking_init (struct ranking *ranking, const struct cloud *cloud,
                  tori_error *err)
{
    size_t entries = cloud->n * (size_t)cloud->ndims;
    *ranking = (struct ranking){.cloud = cloud};
    ranking->values = malloc (entries * sizeof *ranking->values);
    ranking->ranks = malloc (entries * sizeof *ranking->ranks);
    if (!ranking->values || !ranking->ranks) {
        ranking_clear (ranking);
        return tori_error_nomem (err);
    }
    for (int d = 0; d < cloud->ndims; d++)
        rank_dimension (ranking, d);
    return 0;
}

wide ranking_centres (const struct ranking *ranking)
{
    wide centres = 1;
    for (int d = 0; d < ranking->cloud->ndims; d++)
        if (centres >> 64 == 0)
            centres *= ranking->count[d];
    return centres;
}
