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
 * least index that is not in both. Where that index occurs again and again, as
 * round a ring, the windows in question are those around its first occurrence
 * at `at` or behind. */
static size_t first_window (const struct place *places, const wide *sums,
                            size_t windows, size_t k, size_t at)
{
    wide best = sums[0];
    size_t first = SIZE_MAX, least, only_first = 0, only_next = 0;
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

static void take_window (const struct place *places, size_t window, size_t k,
                         size_t *ret_chosen)
{
    for (size_t i = 0; i < k; i++)
        ret_chosen[i] = places[window + i].index;
    qsort (ret_chosen, k, sizeof *ret_chosen, compare_sizes);
}

static void best_window (struct place *places, size_t n, size_t k,
                         int (*compare) (const void *, const void *),
                         wide *sums, size_t *ret_chosen)
{
    qsort (places, n, sizeof *places, compare);
    slide (places, n, k, sums);
    take_window (places, first_window (places, sums, n - k + 1, k, 0), k,
                 ret_chosen);
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

/* ---- a ring ---- */

/* Three turns of places and sums: the windows around a point of the second
 * are all there. */
struct turns {
    struct place *places;
    wide *sums;
};

static void turns_clear (struct turns *turns)
{
    free (turns->places);
    free (turns->sums);
}

/* One turn. */
static int turns_create (const struct cloud *cloud, int dim, size_t k,
                         struct turns *ret_turns, tori_error *err)
{
    size_t n = cloud->n;
    struct turns turns = {malloc (3 * n * sizeof *turns.places),
                          malloc (2 * n * sizeof *turns.sums)};
    struct ring ring = {turns.places, n, k, cloud->ring[dim]};
    int status = -1;
    if (!turns.places || !turns.sums) {
        tori_error_nomem (err);
    } else {
        find_places (cloud, dim, turns.places);
        qsort (turns.places, n, sizeof *turns.places, compare_up);
        status = ring_sums (&ring, turns.sums, err);
    }
    if (status < 0)
        turns_clear (&turns);
    else
        *ret_turns = turns;
    return status;
}

/* Windows that are still in question: next[w] is w, or leads to the next one
 * behind; the last entry is none. */
static size_t next_window (size_t *next, size_t window)
{
    while (next[window] != window) {
        next[window] = next[next[window]];
        window = next[window];
    }
    return window;
}

static void drop_windows (size_t *next, size_t low, size_t high)
{
    for (size_t w = next_window (next, low); w < high;
         w = next_window (next, w))
        next[w] = w + 1;
}

/* Of the windows of what is left out, drop those that hold the point at this
 * place, unless all do. */
static void drop_holders (size_t *next, size_t n, size_t left, size_t at)
{
    bool wraps = at + 1 < left;
    size_t low = at + 1 + (wraps ? n : 0) - left, high = at + 1;
    if (wraps && next_window (next, high) < low) {
        drop_windows (next, 0, high);
        drop_windows (next, low, n);
    } else if (!wraps
               && (next_window (next, 0) < low
                   || next_window (next, high) < n)) {
        drop_windows (next, low, high);
    }
}

/* Of more than half of the points, the first set is the one that leaves out
 * what comes last: point by point in the order of indexes, none that leaves it
 * out, if there are others. `room` is for 2n + 1. */
static size_t first_large_arc (const struct turns *turns, size_t n, size_t k,
                               wide least, size_t *room)
{
    size_t *next = room, *at = room + n + 1;
    for (size_t i = 0; i < n; i++) {
        next[(i + k) % n] = (i + k) % n + (turns->sums[i] != least);
        at[turns->places[i].index] = i;
    }
    next[n] = n;
    for (size_t i = 0; i < n; i++)
        drop_holders (next, n, n - k, at[i]);
    return (next_window (next, 0) + n - k) % n;
}

/* The first of the best neighbours, points at one place in this order; which
 * does not change the sums. `room` is for 2n + 1. */
static void best_arc (struct turns *turns, size_t n, size_t k, wide least,
                      int (*compare) (const void *, const void *),
                      size_t *room, size_t *ret_chosen)
{
    size_t first;
    qsort (turns->places, n, sizeof *turns->places, compare);
    for (size_t i = n; i < 3 * n; i++)
        turns->places[i] = turns->places[i - n];
    for (size_t i = n; i < 2 * n; i++)
        turns->sums[i] = turns->sums[i - n];
    first = 2 * k > n ? first_large_arc (turns, n, k, least, room)
                      : first_window (turns->places, turns->sums, 2 * n, k, n);
    take_window (turns->places, first, k, ret_chosen);
}

static wide least_sum (const wide *sums, size_t n)
{
    wide least = sums[0];
    for (size_t i = 1; i < n; i++)
        least = sums[i] < least ? sums[i] : least;
    return least;
}

/* The first of the best neighbours. */
static int choose_arc (struct turns *turns, size_t n, size_t k,
                       size_t *ret_chosen, tori_error *err)
{
    wide least = least_sum (turns->sums, n);
    size_t *room = malloc ((2 * n + 1 + k) * sizeof *room);
    if (!room)
        return tori_error_nomem (err);
    best_arc (turns, n, k, least, compare_down, room + k, room);
    best_arc (turns, n, k, least, compare_up, room + k, ret_chosen);
    if (comes_first (room, ret_chosen, k))
        memcpy (ret_chosen, room, k * sizeof *room);
    free (room);
    return 0;
}

int onedim_arcs (const struct cloud *cloud, int dim, size_t k,
                 size_t *ret_chosen, tori_error *err)
{
    size_t n = cloud->n;
    struct ring ring = {NULL, n, k, cloud->ring[dim]};
    struct turns turns;
    wide better;
    int status;
    if (turns_create (cloud, dim, k, &turns, err) < 0)
        return -1;
    ring.places = turns.places;
    better = least_sum (turns.sums, n) + 1;
    status = ring_bound (&ring, better, err);
    if (status == 0)
        status = ring_left_bound (&ring, better, err);
    if (status >= 0
        && choose_arc (&turns, n, k, ret_chosen, err) < 0)
        status = -1;
    turns_clear (&turns);
    return status;
}

int onedim_program (const struct cloud *cloud, int dim, size_t k,
                    size_t *ret_chosen, tori_error *err)
{
    struct turns turns;
    struct ring ring = {NULL, cloud->n, k, cloud->ring[dim]};
    wide least;
    int status;
    if (turns_create (cloud, dim, k, &turns, err) < 0)
        return -1;
    ring.places = turns.places;
    least = least_sum (turns.sums, cloud->n);
    status = choose_arc (&turns, cloud->n, k, ret_chosen, err);
    if (status == 0)
        status = ring_bound (&ring, least, err);
    if (status == 0)
        status = ring_left_bound (&ring, least, err);
    if (status == 0)
        status = ring_program (&ring, least, ret_chosen, err);
    if (status == 0)
        qsort (ret_chosen, k, sizeof *ret_chosen, compare_sizes);
    turns_clear (&turns);
    return status < 0 ? -1 : 0;
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

int onedim_line (const struct cloud *cloud, int dim, size_t k,
                 size_t *ret_chosen, tori_error *err)
{
    struct place *places = malloc (cloud->n * sizeof *places);
    int status;
    if (!places)
        return tori_error_nomem (err);
    find_places (cloud, dim, places);
    status = choose_line (places, cloud->n, k, ret_chosen, err);
    free (places);
    return status;
}
