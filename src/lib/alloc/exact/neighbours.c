#include "neighbours.h"

#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "row.h"

/* The windows of k neighbours. */
struct neighbours {
    struct row row;
    size_t k, count;
    wide *sums;   /* by the first stop */
    wide least;   /* of them */
    size_t *room; /* for a set */
};

static void neighbours_clear (struct neighbours *w)
{
    row_clear (&w->row);
    free (w->sums);
    free (w->room);
}

static int neighbours_init (struct neighbours *w, const struct cloud *cloud,
                            int dim, size_t k, tori_error *err)
{
    *w = (struct neighbours){.k = k, .count = cloud->n - k + 1};
    if (row_init (&w->row, cloud, dim, err) < 0)
        return -1;
    w->sums = malloc (cloud->n * sizeof *w->sums);
    w->room = malloc (k * sizeof *w->room);
    if (!w->sums || !w->room) {
        neighbours_clear (w);
        return tori_error_nomem (err);
    }
    row_sums (&w->row, k, w->sums);
    w->least = w->sums[0];
    for (size_t i = 1; i < w->count; i++)
        w->least = w->sums[i] < w->least ? w->sums[i] : w->least;
    return 0;
}

/* The least index in any of the best windows. */
static size_t least_index (const struct neighbours *w)
{
    size_t least = SIZE_MAX, seen = 0;
    for (size_t i = 0; i < w->count; i++) {
        if (w->sums[i] != w->least)
            continue;
        for (seen = seen < i ? i : seen; seen < i + w->k; seen++)
            if (w->row.stops[seen].index < least)
                least = w->row.stops[seen].index;
    }
    return least;
}

/* The best window whose indexes come first. It has the least index of all, so
 * the candidates overlap; of two sets the one comes first that has the least
 * index that is not in both. */
static size_t first_window (const struct neighbours *w)
{
    const struct stop *stops = w->row.stops;
    size_t first = SIZE_MAX, only_first = 0, only_next = 0, k = w->k;
    size_t least = least_index (w), at = 0;
    while (stops[at].index != least)
        at++;
    for (size_t i = at < k ? 0 : at - k + 1; i < w->count && i <= at; i++) {
        if (first != SIZE_MAX) {
            size_t leaves = stops[i - 1].index;
            size_t enters = stops[i + k - 1].index;
            only_first = leaves < only_first ? leaves : only_first;
            only_next = enters < only_next ? enters : only_next;
        }
        if (w->sums[i] != w->least
            || (first != SIZE_MAX && only_first < only_next))
            continue;
        first = i;
        only_first = only_next = SIZE_MAX;
    }
    return first;
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
int neighbours_choose (const struct cloud *cloud, int dim, size_t k,
                       size_t *ret_chosen, tori_error *err)
{
    struct neighbours w;
    if (neighbours_init (&w, cloud, dim, k, err) < 0)
        return -1;
    take_window (&w, ret_chosen);
    reverse_places (&w.row);
    take_window (&w, w.room);
    if (comes_first (w.room, ret_chosen, k))
        memcpy (ret_chosen, w.room, k * sizeof *ret_chosen);
    neighbours_clear (&w);
    return 0;
}
