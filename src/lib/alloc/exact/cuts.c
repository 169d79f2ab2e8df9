#include "cuts.h"

#include <stdlib.h>
#include <string.h>

/* The position of a point on an axis: its coordinate, or on a ring twice the
 * coordinate modulo the ring's length, so that opposite points coincide. */
struct cut_spot {
    uint64_t at;
    uint32_t point;
};

static int compare_spots (const void *a, const void *b)
{
    const struct cut_spot *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->point > y->point) - (x->point < y->point);
}

static void find_spots (const struct cloud *cloud, int dim,
                        struct cuts_axis *axis, struct cut_spot *spots)
{
    uint64_t ring = cloud->ring[dim];
    int64_t least;
    cloud_span (cloud, dim, &least);
    for (uint32_t i = 0; i < cloud->n; i++) {
        uint64_t at = (uint64_t)cloud_point (cloud, i)[dim]
                      - (uint64_t)least;
        axis->far[i] = ring && at >= ring - at;
        if (ring)
            at = axis->far[i] ? at - (ring - at) : at + at;
        spots[i] = (struct cut_spot){at, i};
    }
    qsort (spots, cloud->n, sizeof *spots, compare_spots);
}

/* Ranks of the points, and the cuts between ranks; round a ring, also the one
 * after the last rank. */
static void cut_axis (struct cuts *cuts, struct cuts_axis *axis, uint64_t ring,
                      const struct cut_spot *spots)
{
    uint32_t rank = 0, n = cuts->n;
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0 && spots[i].at != spots[i - 1].at) {
            cuts->length[axis->first + rank]
                = (amount)(spots[i].at - spots[i - 1].at) * (ring ? 1 : 2);
            rank++;
        }
        axis->rank[spots[i].point] = rank;
    }
    axis->count = rank;
    if (ring)
        cuts->length[axis->first + axis->count++]
            = (amount)ring - spots[n - 1].at + spots[0].at;
}

int cuts_create (const struct cloud *cloud, struct cuts *ret_cuts,
                 tori_error *err)
{
    struct cuts cuts = {.n = (uint32_t)cloud->n};
    struct cut_spot *spots = malloc (cloud->n * sizeof *spots);
    if (!spots)
        goto nomem;
    for (int d = 0; d < cloud->ndims; d++) {
        struct cuts_axis *axis = &cuts.axes[cuts.naxes];
        amount *length;
        int64_t least;
        if (cloud_span (cloud, d, &least) == 0)
            continue;
        length = realloc (cuts.length, (cuts.ncuts + cloud->n)
                                           * sizeof *length);
        if (!length)
            goto nomem;
        cuts.length = length;
        cuts.naxes++;
        axis->first = cuts.ncuts;
        axis->rank = malloc (cloud->n * sizeof *axis->rank);
        axis->far = malloc (cloud->n * sizeof *axis->far);
        if (!axis->rank || !axis->far)
            goto nomem;
        find_spots (cloud, d, axis, spots);
        cut_axis (&cuts, axis, cloud->ring[d], spots);
        cuts.ncuts += axis->count;
    }
    free (spots);
    *ret_cuts = cuts;
    return 0;
nomem:
    free (spots);
    cuts_clear (&cuts);
    return tori_error_nomem (err);
}

void cuts_clear (struct cuts *cuts)
{
    for (int a = 0; a < cuts->naxes; a++) {
        free (cuts->axes[a].rank);
        free (cuts->axes[a].far);
    }
    free (cuts->length);
}

/* Around a point: the cuts before its rank, or those from its rank on. So its
 * mark counts from cut 0 until its rank, or from its rank until the end. */
void cuts_count (const struct cuts *cuts, const uint8_t marks[], uint8_t mark,
                 uint32_t ret_counts[])
{
    memset (ret_counts, 0, cuts->ncuts * sizeof *ret_counts);
    for (int a = 0; a < cuts->naxes; a++) {
        const struct cuts_axis *axis = &cuts->axes[a];
        uint32_t *counts = ret_counts + axis->first, inside = 0;
        for (uint32_t i = 0; i < cuts->n; i++) {
            uint32_t rank = axis->rank[i];
            if (marks[i] != mark)
                continue;
            inside += !axis->far[i];
            if (rank < axis->count) /* steps, in arithmetic modulo 2^32 */
                counts[rank] += axis->far[i] ? 1 : UINT32_MAX;
        }
        for (uint32_t j = 0; j < axis->count; j++)
            counts[j] = inside += counts[j];
    }
}

amount cuts_sum (const struct cuts *cuts, const uint32_t counts[], uint32_t k)
{
    amount sum = 0;
    for (uint32_t c = 0; c < cuts->ncuts; c++)
        sum += cuts->length[c] * counts[c] * (k - counts[c]);
    return sum;
}

void cuts_price (const struct cuts *cuts, const amount cut_price[],
                 amount running[], amount ret_price[])
{
    memset (ret_price, 0, cuts->n * sizeof *ret_price);
    for (int a = 0; a < cuts->naxes; a++) {
        const struct cuts_axis *axis = &cuts->axes[a];
        running[0] = 0;
        for (uint32_t j = 0; j < axis->count; j++)
            running[j + 1] = running[j] + cut_price[axis->first + j];
        for (uint32_t i = 0; i < cuts->n; i++) {
            amount before = running[axis->rank[i]];
            ret_price[i] += axis->far[i] ? running[axis->count] - before
                                         : before;
        }
    }
}
