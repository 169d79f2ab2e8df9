#include "onedim.h"

#include <stdlib.h>
#include <string.h>

#include "cuts.h"
#include "ring.h"

static int compare_up (const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static int compare_down (const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->index < y->index) - (x->index > y->index);
}

static int compare_sizes (const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Differences from the least coordinate fit, whatever the coordinates are. */
static void find_places (const struct cloud *cloud, int dim,
                         struct place *places)
{
    int64_t least = cloud->coords[dim];
    for (size_t i = 0; i < cloud->n; i++)
        if (cloud_point (cloud, i)[dim] < least)
            least = cloud_point (cloud, i)[dim];
    for (size_t i = 0; i < cloud->n; i++)
        places[i] = (struct place){
            (uint64_t)cloud_point (cloud, i)[dim] - (uint64_t)least, i};
}

/* ---- a line ---- */

/* The sum of every window, the next from the one before. */
static void slide (const struct place *places, size_t n, size_t k, wide *sums)
{
    wide sum = 0, within = 0; /* of places, but for the first */
    for (size_t i = 1; i < k; i++) {
        sum += (wide)(places[i].at - places[i - 1].at) * i * (k - i);
        within += places[i].at;
    }
    sums[0] = sum;
    for (size_t i = 1; i + k <= n; i++) {
        wide ends = (wide)places[i - 1].at + places[i + k - 1].at;
        sum += (k - 1) * ends - 2 * within;
        within += places[i + k - 1].at;
        within -= places[i].at;
        sums[i] = sum;
    }
}

/* The least index in any of the best windows. */
static size_t least_index (const struct place *places, const wide *sums,
                           size_t windows, size_t k, wide best)
{
    size_t least = SIZE_MAX, seen = 0;
    for (size_t i = 0; i < windows; i++) {
        if (sums[i] != best)
            continue;
        for (seen = seen < i ? i : seen; seen < i + k; seen++)
            if (places[seen].index < least)
                least = places[seen].index;
    }
    return least;
}

/* The best window whose indexes come first. It has the least index of all, so
 * those in question overlap; of two sets that one comes first which has the
 * least index that is not in both. */
static size_t first_window (const struct place *places, const wide *sums,
                            size_t windows, size_t k)
{
    wide best = sums[0];
    size_t first = SIZE_MAX, least, only_first = 0, only_next = 0, at = 0;
    for (size_t i = 1; i < windows; i++)
        if (sums[i] < best)
            best = sums[i];
    least = least_index (places, sums, windows, k, best);
    while (places[at].index != least)
        at++;
    for (size_t i = at < k ? 0 : at - k + 1; i < windows && i <= at; i++) {
        if (first != SIZE_MAX) {
            size_t leaves = places[i - 1].index;
            size_t enters = places[i + k - 1].index;
            only_first = leaves < only_first ? leaves : only_first;
            only_next = enters < only_next ? enters : only_next;
        }
        if (sums[i] != best || (first != SIZE_MAX && only_first < only_next))
            continue;
        first = i;
        only_first = only_next = SIZE_MAX;
    }
    return first;
}

static wide best_window (struct place *places, size_t n, size_t k,
                         int (*compare) (const void *, const void *),
                         wide *sums, size_t *ret_chosen)
{
    size_t window;
    qsort (places, n, sizeof *places, compare);
    slide (places, n, k, sums);
    window = first_window (places, sums, n - k + 1, k);
    for (size_t i = 0; i < k; i++)
        ret_chosen[i] = places[window + i].index;
    qsort (ret_chosen, k, sizeof *ret_chosen, compare_sizes);
    return sums[window];
}

static bool comes_first (const size_t *a, const size_t *b, size_t k)
{
    for (size_t i = 0; i < k; i++)
        if (a[i] != b[i])
            return a[i] < b[i];
    return false;
}

/* In a best set only one of the two outermost places can be taken in part: of
 * s points at two places, c (s - c) pairs are apart. In part, the points that
 * come first go first: they are in a window at the right end if points at one
 * place are sorted up, at the left end if sorted down. */
static int choose_line (struct place *places, size_t n, size_t k,
                        size_t *ret_chosen, tori_error *err)
{
    wide *sums = malloc ((n - k + 1) * sizeof *sums);
    size_t *other = malloc (k * sizeof *other);
    int status = -1;
    if (sums && other) {
        best_window (places, n, k, compare_up, sums, ret_chosen);
        best_window (places, n, k, compare_down, sums, other);
        if (comes_first (other, ret_chosen, k))
            memcpy (ret_chosen, other, k * sizeof *other);
        status = 0;
    } else {
        tori_error_nomem (err);
    }
    free (other);
    free (sums);
    return status;
}

/* ---- either ---- */

static bool varies (const struct cloud *cloud, int dim)
{
    for (size_t i = 1; i < cloud->n; i++)
        if (cloud_point (cloud, i)[dim] != cloud->coords[dim])
            return true;
    return false;
}

int onedim_find (const struct cloud *cloud)
{
    int found = -1;
    for (int d = 0; d < cloud->ndims; d++) {
        if (!varies (cloud, d))
            continue;
        if (found >= 0)
            return -1;
        found = d;
    }
    return found < 0 ? 0 : found;
}

int onedim_choose (const struct cloud *cloud, int dim, size_t k,
                   size_t *ret_chosen, tori_error *err)
{
    struct place *places = malloc (cloud->n * sizeof *places);
    int status;
    if (!places)
        return tori_error_nomem (err);
    find_places (cloud, dim, places);
    if (cloud->ring[dim]) {
        qsort (places, cloud->n, sizeof *places, compare_up);
        status = ring_choose (places, cloud->n, cloud->ring[dim], k,
                              ret_chosen, err);
        if (status == 0)
            qsort (ret_chosen, k, sizeof *ret_chosen, compare_sizes);
    } else {
        status = choose_line (places, cloud->n, k, ret_chosen, err);
    }
    free (places);
    return status;
}
