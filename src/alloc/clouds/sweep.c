#include "sweep.h"

#include <stdlib.h>
#include <string.h>

static const size_t NOT_HELD = SIZE_MAX;

/* A point by some key; among equals the first. */
struct entry {
    uint64_t key;
    size_t point;
    size_t slot; /* in the heap: where it is held */
};

struct sweep {
    const struct cloud *cloud;
    size_t n, k, ndims;
    size_t along, across; /* the row's dimension, and that of rows in a plane;
                             ndims if there is no second line */
    uint64_t *coords;     /* n a dimension, counted from the least */
    uint64_t *values;     /* the distinct ones, sorted: n a dimension */
    size_t count[TORI_MAX_DIMS];
    uint64_t stride[TORI_MAX_DIMS]; /* of a centre's place in the order */
    size_t at[TORI_MAX_DIMS];       /* the row: ranks of its coordinates */
    size_t *by_along;               /* the points, by that coordinate */
    uint64_t *base;     /* distance of a point from the plane of rows */
    struct entry *left, *right; /* the plane's points, for both sides */
    struct entry *order;        /* the points ahead of a row, nearest first */

    /* The k nearest of the centre at hand. */
    size_t *held;       /* a point a slot */
    uint64_t *places;   /* their coordinates: k a dimension */
    size_t *slot_of;    /* a point */
    struct entry *heap; /* those passed, the farthest on top */
    size_t nheap;
    wide sum;           /* over pairs of these */

    size_t *best;
    wide least;
    uint64_t best_key;
};

static const uint64_t *coords_of (const struct sweep *s, size_t dim)
{
    return s->coords + dim * s->n;
}

static uint64_t gap (uint64_t a, uint64_t b)
{
    return a < b ? b - a : a - b;
}

static uint64_t gap_in (const struct sweep *s, size_t dim, uint64_t a,
                        uint64_t b)
{
    uint64_t apart = gap (a, b), ring = s->cloud->ring[dim];
    return ring && ring - apart < apart ? ring - apart : apart;
}

/* ---- setting up ---- */

bool sweep_serves (const struct cloud *cloud, size_t k)
{
    wide total = 0;
    bool line = false;
    int64_t low;
    for (int d = 0; d < cloud->ndims; d++) {
        total += cloud_span (cloud, d, &low);
        line = line || !cloud->ring[d];
    }
    return line && 4 * total * k < (wide)1 << 63;
}

static int compare_values (const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static int compare_entries (const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->point > y->point) - (x->point < y->point);
}

static void find_values (struct sweep *s, size_t dim)
{
    uint64_t *coords = s->coords + dim * s->n;
    uint64_t *values = s->values + dim * s->n;
    size_t kept = 1;
    int64_t low;
    cloud_span (s->cloud, (int)dim, &low);
    for (size_t i = 0; i < s->n; i++)
        values[i] = coords[i] = (uint64_t)cloud_point (s->cloud, i)[dim]
                                - (uint64_t)low;
    qsort (values, s->n, sizeof *values, compare_values);
    for (size_t i = 1; i < s->n; i++)
        if (values[i] != values[kept - 1])
            values[kept++] = values[i];
    s->count[dim] = kept;
}

/* Rows along the line with the most coordinates: these cost least. Planes
 * along the line with the most of the rest. */
static void choose_dimensions (struct sweep *s)
{
    s->along = s->across = s->ndims;
    for (size_t d = 0; d < s->ndims; d++) {
        if (s->cloud->ring[d])
            continue;
        if (s->along == s->ndims || s->count[d] > s->count[s->along]) {
            s->across = s->along;
            s->along = d;
        } else if (s->across == s->ndims
                   || s->count[d] > s->count[s->across]) {
            s->across = d;
        }
    }
}

static void sort_along (struct sweep *s)
{
    for (size_t i = 0; i < s->n; i++)
        s->order[i] = (struct entry){coords_of (s, s->along)[i], i, 0};
    qsort (s->order, s->n, sizeof *s->order, compare_entries);
    for (size_t i = 0; i < s->n; i++) {
        s->by_along[i] = s->order[i].point;
        s->slot_of[i] = NOT_HELD;
    }
}

static void sweep_clear (struct sweep *s)
{
    free (s->coords);
    free (s->values);
    free (s->by_along);
    free (s->base);
    free (s->left);
    free (s->right);
    free (s->order);
    free (s->held);
    free (s->places);
    free (s->slot_of);
    free (s->heap);
    free (s->best);
}

static int sweep_init (struct sweep *s, const struct cloud *cloud, size_t k,
                       tori_error *err)
{
    size_t n = cloud->n, ndims = (size_t)cloud->ndims;
    *s = (struct sweep){.cloud = cloud, .n = n, .k = k, .ndims = ndims};
    s->coords = malloc (n * ndims * sizeof *s->coords);
    s->values = malloc (n * ndims * sizeof *s->values);
    s->by_along = malloc (n * sizeof *s->by_along);
    s->base = calloc (n, sizeof *s->base);
    s->left = malloc (n * sizeof *s->left);
    s->right = malloc (n * sizeof *s->right);
    s->order = malloc (n * sizeof *s->order);
    s->held = malloc (k * sizeof *s->held);
    s->places = malloc (k * ndims * sizeof *s->places);
    s->slot_of = malloc (n * sizeof *s->slot_of);
    s->heap = malloc ((k + 1) * sizeof *s->heap);
    s->best = malloc (k * sizeof *s->best);
    if (!s->coords || !s->values || !s->by_along || !s->base || !s->left
        || !s->right || !s->order || !s->held || !s->places || !s->slot_of
        || !s->heap || !s->best) {
        sweep_clear (s);
        return tori_error_nomem (err);
    }
    for (size_t d = 0; d < ndims; d++)
        find_values (s, d);
    for (size_t d = ndims; d-- > 0;)
        s->stride[d] = d + 1 == ndims ? 1 : s->stride[d + 1] * s->count[d + 1];
    s->least = (wide)1 << 126;
    s->best_key = UINT64_MAX;
    choose_dimensions (s);
    sort_along (s);
    return 0;
}

/* ---- the heap: the farthest on top ---- */

static void sift (struct entry *heap, size_t n, size_t at)
{
    struct entry moved = heap[at];
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= n)
            break;
        if (child + 1 < n
            && compare_entries (&heap[child], &heap[child + 1]) < 0)
            child++;
        if (compare_entries (&moved, &heap[child]) >= 0)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
}

static void push (struct sweep *s, struct entry entry)
{
    size_t at = s->nheap++;
    for (; at > 0 && compare_entries (&s->heap[(at - 1) / 2], &entry) < 0;
         at = (at - 1) / 2)
        s->heap[at] = s->heap[(at - 1) / 2];
    s->heap[at] = entry;
}

static void pop (struct sweep *s)
{
    s->heap[0] = s->heap[--s->nheap];
    if (s->nheap > 1)
        sift (s->heap, s->nheap, 0);
}

/* ---- the k nearest ---- */

static void hold (struct sweep *s, size_t slot, size_t point)
{
    s->held[slot] = point;
    s->slot_of[point] = slot;
    for (size_t d = 0; d < s->ndims; d++)
        s->places[d * s->k + slot] = coords_of (s, d)[point];
}

static void hold_none (struct sweep *s)
{
    for (size_t i = 0; i < s->k; i++)
        s->slot_of[s->held[i]] = NOT_HELD;
}

/* From a point to those in the slots from `first` on. */
static uint64_t distances (const struct sweep *s, size_t point, size_t first)
{
    uint64_t sum = 0;
    for (size_t d = 0; d < s->ndims; d++) {
        const uint64_t *places = s->places + d * s->k;
        uint64_t at = coords_of (s, d)[point];
        if (s->cloud->ring[d])
            for (size_t i = first; i < s->k; i++)
                sum += gap_in (s, d, at, places[i]);
        else
            for (size_t i = first; i < s->k; i++)
                sum += gap (at, places[i]);
    }
    return sum;
}

static uint64_t distance (const struct sweep *s, size_t a, size_t b)
{
    uint64_t sum = 0;
    for (size_t d = 0; d < s->ndims; d++)
        sum += gap_in (s, d, coords_of (s, d)[a], coords_of (s, d)[b]);
    return sum;
}

/* Give up what is on top of the heap. */
static void swap (struct sweep *s, size_t in)
{
    size_t slot = s->heap[0].slot, out = s->heap[0].point;
    pop (s);
    s->sum += (wide)distances (s, in, 0) - distance (s, in, out)
              - distances (s, out, 0);
    s->slot_of[out] = NOT_HELD;
    hold (s, slot, in);
}

static void add_up (struct sweep *s)
{
    s->sum = 0;
    for (size_t i = 0; i + 1 < s->k; i++)
        s->sum += distances (s, s->held[i], i + 1);
}

/* Is it the best so far? Keys tell the order of centres. */
static void evaluate (struct sweep *s, uint64_t key)
{
    if (s->sum > s->least || (s->sum == s->least && key >= s->best_key))
        return;
    s->least = s->sum;
    s->best_key = key;
    memcpy (s->best, s->held, s->k * sizeof *s->best);
}

/* ---- a row ---- */

/* What the centre passes on its way to `to`. Keys are distances from where the
 * row begins, so counted from the far end of it. */
static size_t pass_points (struct sweep *s, size_t passed, uint64_t to,
                           const uint64_t *from_row)
{
    const uint64_t *along = coords_of (s, s->along);
    uint64_t end = s->values[s->along * s->n + s->count[s->along] - 1];
    for (; passed < s->n && along[s->by_along[passed]] < to; passed++) {
        size_t point = s->by_along[passed];
        if (s->slot_of[point] != NOT_HELD)
            push (s, (struct entry){from_row[point] + end - along[point],
                                    point, s->slot_of[point]});
    }
    return passed;
}

/* Whether the point ahead is nearer than the farthest of those passed. */
static bool nearer (const struct sweep *s, const struct entry *ahead,
                    uint64_t at)
{
    uint64_t end = s->values[s->along * s->n + s->count[s->along] - 1];
    struct entry in = {ahead->key - at, ahead->point, 0};
    struct entry out = {s->heap[0].key + at - end, s->heap[0].point, 0};
    return compare_entries (&in, &out) < 0;
}

/* All centres of a row. Its points are in s->order by distance from the
 * centre at 0; `from_row` has their distances from the row itself. */
static void sweep_row (struct sweep *s, const uint64_t *from_row,
                       uint64_t key)
{
    const uint64_t *along = coords_of (s, s->along);
    const uint64_t *values = s->values + s->along * s->n;
    size_t next = s->k, passed = 0;
    s->nheap = 0;
    for (size_t i = 0; i < s->k; i++)
        hold (s, i, s->order[i].point);
    add_up (s);
    for (size_t j = 0; j < s->count[s->along]; j++) {
        uint64_t at = values[j];
        passed = pass_points (s, passed, at, from_row);
        for (;;) {
            while (next < s->n && along[s->order[next].point] < at)
                next++;
            if (next == s->n || s->nheap == 0
                || !nearer (s, &s->order[next], at))
                break;
            swap (s, s->order[next++].point);
        }
        evaluate (s, key + j * s->stride[s->along]);
    }
    hold_none (s);
}

/* ---- a plane of rows ---- */

/* Points on the left of a row are farther the farther left they are; keys are
 * kept from being negative. */
static void sort_plane (struct sweep *s)
{
    const uint64_t *along = coords_of (s, s->along);
    const uint64_t *across = coords_of (s, s->across);
    uint64_t end = s->values[s->across * s->n + s->count[s->across] - 1];
    for (size_t i = 0; i < s->n; i++) {
        uint64_t key = s->base[i] + along[i];
        s->left[i] = (struct entry){key + end - across[i], i, 0};
        s->right[i] = (struct entry){key + across[i], i, 0};
    }
    qsort (s->left, s->n, sizeof *s->left, compare_entries);
    qsort (s->right, s->n, sizeof *s->right, compare_entries);
}

/* Merge the two sides of a row at `row`. */
static void merge_sides (struct sweep *s, uint64_t row)
{
    const uint64_t *across = coords_of (s, s->across);
    uint64_t end = s->values[s->across * s->n + s->count[s->across] - 1];
    size_t l = 0, r = 0;
    for (size_t i = 0; i < s->n; i++) {
        struct entry left, right;
        while (l < s->n && across[s->left[l].point] >= row)
            l++;
        while (r < s->n && across[s->right[r].point] < row)
            r++;
        left = l < s->n ? s->left[l] : (struct entry){0};
        right = r < s->n ? s->right[r] : (struct entry){0};
        left.key += row - end;
        right.key -= row;
        if (r == s->n || (l < s->n && compare_entries (&left, &right) < 0)) {
            s->order[i] = left;
            l++;
        } else {
            s->order[i] = right;
            r++;
        }
    }
}

static void sweep_plane (struct sweep *s, uint64_t key, uint64_t *from_row)
{
    const uint64_t *across = coords_of (s, s->across);
    sort_plane (s);
    for (size_t j = 0; j < s->count[s->across]; j++) {
        uint64_t row = s->values[s->across * s->n + j];
        merge_sides (s, row);
        for (size_t i = 0; i < s->n; i++)
            from_row[i] = s->base[i] + gap (across[i], row);
        sweep_row (s, from_row, key + j * s->stride[s->across]);
    }
}

/* There is no second line: the plane is a row. */
static void sweep_single (struct sweep *s, uint64_t key)
{
    for (size_t i = 0; i < s->n; i++)
        s->order[i] = (struct entry){
            s->base[i] + coords_of (s, s->along)[i], i, 0};
    qsort (s->order, s->n, sizeof *s->order, compare_entries);
    sweep_row (s, s->base, key);
}

/* ---- all planes ---- */

static bool is_outer (const struct sweep *s, size_t dim)
{
    return dim != s->along && dim != s->across;
}

/* Distances from the plane at hand, and its place in the order of centres. */
static uint64_t enter_plane (struct sweep *s)
{
    uint64_t key = 0;
    memset (s->base, 0, s->n * sizeof *s->base);
    for (size_t d = 0; d < s->ndims; d++) {
        uint64_t at = s->values[d * s->n + s->at[d]];
        if (!is_outer (s, d))
            continue;
        key += s->at[d] * s->stride[d];
        for (size_t i = 0; i < s->n; i++)
            s->base[i] += gap_in (s, d, coords_of (s, d)[i], at);
    }
    return key;
}

static bool next_plane (struct sweep *s)
{
    for (size_t d = s->ndims; d-- > 0;) {
        if (!is_outer (s, d))
            continue;
        if (++s->at[d] < s->count[d])
            return true;
        s->at[d] = 0;
    }
    return false;
}

static int compare_sizes (const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

int sweep_choose (const struct cloud *cloud, size_t k, size_t *ret_chosen,
                  tori_error *err)
{
    struct sweep s;
    uint64_t *from_row = malloc (cloud->n * sizeof *from_row);
    if (!from_row)
        return tori_error_nomem (err);
    if (sweep_init (&s, cloud, k, err) < 0) {
        free (from_row);
        return -1;
    }
    do {
        uint64_t key = enter_plane (&s);
        if (s.across < s.ndims)
            sweep_plane (&s, key, from_row);
        else
            sweep_single (&s, key);
    } while (next_plane (&s));
    memcpy (ret_chosen, s.best, k * sizeof *ret_chosen);
    qsort (ret_chosen, k, sizeof *ret_chosen, compare_sizes);
    sweep_clear (&s);
    free (from_row);
    return 0;
}
