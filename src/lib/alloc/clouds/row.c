#include "row.h"

#include <stdlib.h>

/* ---- setting up ---- */

int row_find (const struct cloud *cloud)
{
    int found = -1;
    int64_t low;
    for (int d = 0; d < cloud->ndims; d++) {
        if (cloud_span (cloud, d, &low) == 0)
            continue;
        if (found >= 0)
            return -1;
        found = d;
    }
    return found < 0 ? 0 : found;
}

static int compare_stops (const void *a, const void *b)
{
    const struct stop *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Nodes of a machine come in order, and there may be a million of them. */
static void sort_stops (struct row *row, const struct cloud *cloud, int dim)
{
    bool sorted = true;
    int64_t least;
    cloud_span (cloud, dim, &least);
    for (size_t i = 0; i < row->n; i++) {
        row->stops[i] = (struct stop){
            (uint64_t)cloud_point (cloud, i)[dim] - (uint64_t)least, i};
        sorted = sorted
                 && (i == 0 || row->stops[i - 1].at <= row->stops[i].at);
    }
    if (!sorted)
        qsort (row->stops, row->n, sizeof *row->stops, compare_stops);
    for (size_t i = row->n; i < row->nstops; i++)
        row->stops[i] = (struct stop){row->stops[i - row->n].at + row->ring,
                                      row->stops[i - row->n].index};
    row->upto[0] = 0;
    for (size_t i = 0; i < row->nstops; i++)
        row->upto[i + 1] = row->upto[i] + row->stops[i].at;
}

int row_init (struct row *row, const struct cloud *cloud, int dim,
              tori_error *err)
{
    uint64_t ring = cloud->ring[dim];
    *row = (struct row){
        .ring = ring, .n = cloud->n, .nstops = cloud->n * (ring ? 3 : 1)};
    row->stops = malloc (row->nstops * sizeof *row->stops);
    row->upto = malloc ((row->nstops + 1) * sizeof *row->upto);
    if (!row->stops || !row->upto) {
        row_clear (row);
        return tori_error_nomem (err);
    }
    sort_stops (row, cloud, dim);
    return 0;
}

void row_clear (struct row *row)
{
    free (row->stops);
    free (row->upto);
    *row = (struct row){0};
}

/* ---- the sums of all windows ---- */

/* The sum of distances from stop i to those from `first` up to it; from `half`
 * on the way is straight. */
static wide sum_before (const struct row *row, size_t i, size_t first,
                        size_t half)
{
    wide at = row->stops[i].at;
    if (half < first)
        half = first;
    return at * (i - half) - (row->upto[i] - row->upto[half])
           + (row->ring - at) * (half - first) + row->upto[half]
           - row->upto[first];
}

/* The sum of distances from stop i to those past it, up to `end`; before
 * `half` the way is straight. */
static wide sum_behind (const struct row *row, size_t i, size_t end,
                        size_t half)
{
    wide at = row->stops[i].at;
    if (half > end)
        half = end;
    return row->upto[half] - row->upto[i + 1] - at * (half - i - 1)
           + (row->ring + at) * (end - half)
           - (row->upto[end] - row->upto[half]);
}

/* The first stop that is no more than half a ring before stop i. */
static size_t half_before (const struct row *row, size_t i, size_t half)
{
    while (row->ring && row->stops[i].at - row->stops[half].at > row->ring / 2)
        half++;
    return half;
}

/* The first stop that is more than half a ring past stop i. */
static size_t half_behind (const struct row *row, size_t i, size_t half)
{
    while (half < row->nstops
           && (!row->ring
               || row->stops[half].at - row->stops[i].at <= row->ring / 2))
        half++;
    return half;
}

void row_sums (const struct row *row, size_t k, wide ret_sums[])
{
    size_t before = 0, behind = 0;
    size_t end = row->ring ? row->n + k - 1 : row->n;
    wide sum = 0;
    for (size_t i = 0; i < end; i++) {
        before = half_before (row, i, before);
        if (i >= k) {
            size_t out = i - k;
            behind = half_behind (row, out, behind > out ? behind : out);
            sum -= sum_behind (row, out, i, behind);
        }
        sum += sum_before (row, i, i < k ? 0 : i - k + 1, before);
        if (i + 1 >= k)
            ret_sums[i + 1 - k] = sum;
    }
}
