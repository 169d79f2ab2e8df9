#include "neighbours.h"

#include <stdlib.h>
#include <string.h>

#include "row.h"

/* The windows of k neighbours: on a ring, from the stops of two turns on. */
struct neighbours {
    struct row row;
    size_t k, count;
    wide *sums;   /* by the first stop modulo n */
    wide least;   /* of them */
    wide *others; /* room for the sums of fewer neighbours */
    size_t *room; /* for a set */
};

/* The least sum of k neighbours; all of them into `sums`. */
static wide least_sum (const struct row *row, size_t k, wide *sums)
{
    size_t count = row->ring ? row->n : row->n - k + 1;
    wide least;
    row_sums (row, k, sums);
    least = sums[0];
    for (size_t i = 1; i < count; i++)
        least = sums[i] < least ? sums[i] : least;
    return least;
}

static void neighbours_clear (struct neighbours *w)
{
    row_clear (&w->row);
    free (w->sums);
    free (w->others);
    free (w->room);
}

static int neighbours_init (struct neighbours *w, const struct cloud *cloud,
                            int dim, size_t k, tori_error *err)
{
    *w = (struct neighbours){.k = k};
    if (row_init (&w->row, cloud, dim, err) < 0)
        return -1;
    w->sums = malloc (cloud->n * sizeof *w->sums);
    w->others = malloc (cloud->n * sizeof *w->others);
    w->room = malloc (k * sizeof *w->room);
    if (!w->sums || !w->others || !w->room) {
        neighbours_clear (w);
        return tori_error_nomem (err);
    }
    w->least = least_sum (&w->row, k, w->sums);
    w->count = w->row.ring ? 2 * w->row.n : w->row.n - k + 1;
    return 0;
}

/* ---- the first of the best windows ---- */

/* The least index in any of the best windows. */
static size_t least_index (const struct neighbours *w)
{
    size_t least = SIZE_MAX, seen = 0;
    for (size_t i = 0; i < w->count; i++) {
        if (w->sums[i % w->row.n] != w->least)
            continue;
        for (seen = seen < i ? i : seen; seen < i + w->k; seen++)
            if (w->row.stops[seen].index < least)
                least = w->row.stops[seen].index;
    }
    return least;
}

/* The best window whose indexes come first. It has the least index of all, so
 * those in question overlap; of two sets that one comes first which has the
 * least index that is not in both. Round a ring that index recurs, and the
 * windows in question are those around its place in the second turn. */
static size_t first_window (const struct neighbours *w)
{
    const struct stop *stops = w->row.stops;
    size_t first = SIZE_MAX, only_first = 0, only_next = 0, k = w->k;
    size_t least = least_index (w), at = w->row.ring ? w->row.n : 0;
    while (stops[at].index != least)
        at++;
    for (size_t i = at < k ? 0 : at - k + 1; i < w->count && i <= at; i++) {
        if (first != SIZE_MAX) {
            size_t leaves = stops[i - 1].index;
            size_t enters = stops[i + k - 1].index;
            only_first = leaves < only_first ? leaves : only_first;
            only_next = enters < only_next ? enters : only_next;
        }
        if (w->sums[i % w->row.n] != w->least
            || (first != SIZE_MAX && only_first < only_next))
            continue;
        first = i;
        only_first = only_next = SIZE_MAX;
    }
    return first;
}

static int compare_sizes (const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

static void take_window (const struct neighbours *w, size_t *ret_set)
{
    size_t first = first_window (w);
    for (size_t i = 0; i < w->k; i++)
        ret_set[i] = w->row.stops[first + i].index;
    qsort (ret_set, w->k, sizeof *ret_set, compare_sizes);
}

/* The points at one place in reverse. */
static void reverse_places (struct row *row)
{
    for (size_t i = 0, end; i < row->nstops; i = end) {
        for (end = i + 1;
             end < row->nstops && row->stops[end].at == row->stops[i].at;)
            end++;
        for (size_t a = i, b = end - 1; a < b; a++, b--) {
            struct stop stop = row->stops[a];
            row->stops[a] = row->stops[b];
            row->stops[b] = stop;
        }
    }
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
static void take_first (struct neighbours *w, size_t *ret_chosen)
{
    take_window (w, ret_chosen);
    reverse_places (&w->row);
    take_window (w, w->room);
    if (comes_first (w->room, ret_chosen, w->k))
        memcpy (ret_chosen, w->room, w->k * sizeof *ret_chosen);
}

/* ---- whether they are best ---- */

static bool is_even (const struct row *row)
{
    for (size_t i = 1; i <= row->n; i++)
        if ((wide)(row->stops[i].at - row->stops[i - 1].at) * row->n
            != row->ring)
            return false;
    return true;
}

/* Sums to look at, about a second's worth. */
static const size_t MOST_SUMS = (size_t)1 << 26;

/* Whether all sets that do not fit into half a ring have more: by twice L,
 * which is taken for 0 where it would take too long. */
static bool beat_others (const struct neighbours *w)
{
    wide ring = w->row.ring, bound = 0;
    size_t most = 3 * (MOST_SUMS / w->row.n);
    size_t j = w->k > most ? w->k - most : w->k % 3;
    while ((j += 3) < w->k) {
        wide least = 2 * least_sum (&w->row, j, w->others);
        bound += (j - 1) * ring;
        bound = least < bound ? least : bound;
    }
    return 2 * w->least < bound + (w->k - 1) * ring;
}

static bool are_best (const struct neighbours *w)
{
    return !w->row.ring || is_even (&w->row) || beat_others (w);
}

/* No set comes before the first k points. */
static int first_points_best (const struct neighbours *w,
                              const struct cloud *cloud, size_t *ret_chosen,
                              tori_error *err)
{
    wide sum;
    for (size_t i = 0; i < w->k; i++)
        ret_chosen[i] = i;
    if (cloud_pairwise (cloud, ret_chosen, w->k, &sum, err) < 0)
        return -1;
    return sum == w->least;
}

/* Round a ring, windows that hold more than half of the points may overlap at
 * both ends, and the first of them is not looked for. */
static int choose (struct neighbours *w, const struct cloud *cloud,
                   size_t *ret_chosen, tori_error *err)
{
    int status;
    if (!are_best (w))
        return 0;
    status = first_points_best (w, cloud, ret_chosen, err);
    if (status != 0 || (w->row.ring && 2 * w->k > w->row.n))
        return status;
    take_first (w, ret_chosen);
    return 1;
}

int neighbours_choose (const struct cloud *cloud, int dim, size_t k,
                       size_t *ret_chosen, tori_error *err)
{
    struct neighbours w;
    int status;
    if (neighbours_init (&w, cloud, dim, k, err) < 0)
        return -1;
    status = choose (&w, cloud, ret_chosen, err);
    neighbours_clear (&w);
    return status;
}
