#include "nearest.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "pools.h"
#include "sorted.h"

/* ---- setting up ---- */

bool nearest_serves (const struct cloud *cloud, size_t k)
{
    wide total = 0;
    int64_t low;
    for (int d = 0; d < cloud->ndims; d++)
        total += cloud->ring[d] ? cloud->ring[d]
                                : cloud_span (cloud, d, &low);
    return 8 * total * (k + 1) < (wide)1 << 63 && cloud->n < UINT32_MAX;
}

static void count_from_least (struct nearest *near)
{
    for (size_t d = 0; d < near->ndims; d++) {
        int64_t low;
        cloud_span (near->cloud, (int)d, &low);
        for (size_t i = 0; i < near->n; i++)
            near->coords[i * near->ndims + d]
                = (uint64_t)cloud_point (near->cloud, i)[d] - (uint64_t)low;
    }
}

int nearest_init (struct nearest *near, const struct cloud *cloud, size_t k,
                  tori_error *err)
{
    size_t n = cloud->n, ndims = (size_t)cloud->ndims;
    *near = (struct nearest){.cloud = cloud, .n = n, .k = k, .ndims = ndims};
    near->nsigns = ndims < NEAREST_SIGNS ? ndims : NEAREST_SIGNS;
    near->ndirections = (size_t)1 << near->nsigns;
    near->coords = malloc (n * ndims * sizeof *near->coords);
    near->lows = malloc (n * sizeof *near->lows);
    near->highs = malloc (n * sizeof *near->highs);
    near->numbers = malloc (n * sizeof *near->numbers);
    near->upto = malloc ((n + 1) * sizeof *near->upto);
    near->moved = malloc (n * sizeof *near->moved);
    near->pools = malloc (2 * n * sizeof *near->pools);
    if (!near->coords || !near->lows || !near->highs || !near->numbers
        || !near->upto || !near->moved || !near->pools) {
        nearest_clear (near);
        return tori_error_nomem (err);
    }
    count_from_least (near);
    return 0;
}

void nearest_clear (struct nearest *near)
{
    free (near->coords);
    free (near->lows);
    free (near->highs);
    free (near->numbers);
    free (near->upto);
    free (near->moved);
    free (near->pools);
}

void nearest_box_clear (struct nearest_box *box)
{
    free (box->open);
    free (box->lows);
}

/* Room for n open points; one more, so that there is some. */
static int make_room (struct nearest_box *box, size_t n, tori_error *err)
{
    struct open_point *open = array_room (box->open, &box->room, n + 1,
                                          sizeof *open);
    uint64_t *lows;
    if (!open)
        return tori_error_nomem (err);
    box->open = open;
    lows = array_room (box->lows, &box->lows_room, n + 1, sizeof *lows);
    if (!lows)
        return tori_error_nomem (err);
    box->lows = lows;
    return 0;
}

/* ---- directions ---- */

enum side { ABOVE, BELOW, NEITHER };

/* Where a coordinate is, seen from one side of a box. */
static enum side side_of (const struct nearest *near,
                          const struct nearest_box *box, size_t dim,
                          uint64_t at)
{
    uint64_t low = box->low[dim], high = box->high[dim];
    uint64_t ring = near->cloud->ring[dim], below, above;
    if (!ring)
        return at <= low ? BELOW : at >= high ? ABOVE : NEITHER;
    below = high >= at ? high - at : high + ring - at;
    above = at >= low ? at - low : at + ring - low;
    if (below >= high - low && below <= ring - below)
        return BELOW;
    if (above >= high - low && above <= ring - above)
        return ABOVE;
    return NEITHER;
}

/* Add the least and the greatest distance from one side. */
static void add_reach (const struct nearest *near,
                       const struct nearest_box *box, size_t dim, uint64_t at,
                       struct open_point *open)
{
    uint64_t low = box->low[dim], high = box->high[dim];
    uint64_t ring = near->cloud->ring[dim], half = ring / 2;
    uint64_t opposite = at + half >= ring ? at + half - ring : at + half;
    uint64_t a = nearest_apart (near, dim, low, at);
    uint64_t b = nearest_apart (near, dim, high, at);
    if (at < low || at > high)
        open->low += a < b ? a : b;
    if (ring && opposite >= low && opposite <= high)
        open->high += half;
    else
        open->high += a > b ? a : b;
}

/* Tell the direction of a point, and how far it is. */
static void see (const struct nearest *near, const struct nearest_box *box,
                 struct open_point *open)
{
    const uint64_t *at = nearest_coords (near, open->point);
    size_t direction = 0;
    for (size_t d = 0; d < near->ndims && direction < near->ndirections; d++) {
        enum side side = side_of (near, box, d, at[d]);
        if (side == NEITHER
            || (d >= near->nsigns && box->high[d] > box->low[d]))
            direction = near->ndirections;
        else if (d < near->nsigns && side == BELOW)
            direction |= (size_t)1 << d;
    }
    open->direction = (uint32_t)direction;
    if (direction < near->ndirections) {
        open->low = nearest_distance (near, box->low, at);
        return;
    }
    open->low = open->high = 0;
    for (size_t d = 0; d < near->ndims; d++)
        add_reach (near, box, d, at[d], open);
}

static bool precedes (const struct open_point *a, const struct open_point *b)
{
    return a->low < b->low || (a->low == b->low && a->point < b->point);
}

static int compare_open (const void *a, const void *b)
{
    return precedes (a, b) ? -1 : precedes (b, a);
}

/* Merge those that have just got a direction into the `old` ones. */
static void merge_new (struct open_point *open, size_t old, size_t fresh,
                       struct open_point *room)
{
    size_t to = old + fresh;
    memcpy (room, open + old, fresh * sizeof *room);
    qsort (room, fresh, sizeof *room, compare_open);
    while (fresh > 0)
        if (old > 0 && precedes (&room[fresh - 1], &open[old - 1]))
            open[--to] = open[--old];
        else
            open[--to] = room[--fresh];
}

/* What the points of a direction are farther from the low corner of a part
 * than from that of the whole, modulo 2^64. */
static uint64_t shift_of (const struct nearest *near,
                          const struct nearest_box *of,
                          const struct nearest_box *part, size_t direction)
{
    uint64_t shift = 0;
    for (size_t d = 0; d < near->nsigns; d++)
        shift += direction >> d & 1 ? part->low[d] - of->low[d]
                                    : of->low[d] - part->low[d];
    return shift;
}

/* Take over the points of a direction, with room for some more behind them;
 * where these begin. */
static size_t take_over (const struct nearest *near,
                         const struct nearest_box *of,
                         struct nearest_box *part, size_t direction,
                         size_t fresh)
{
    const struct open_point *from = of->open + of->start[direction];
    struct open_point *to = part->open + part->start[direction];
    size_t n = of->start[direction + 1] - of->start[direction];
    uint64_t shift = shift_of (near, of, part, direction);
    for (size_t i = 0; i < n; i++) {
        to[i] = from[i];
        to[i].low += shift;
    }
    part->start[direction + 1] = part->start[direction] + n + fresh;
    return part->start[direction] + n;
}

/* The open points of a box as they are seen from a part of it. */
static void inherit (struct nearest *near, const struct nearest_box *of,
                     struct nearest_box *part)
{
    size_t none = near->ndirections, fresh[NEAREST_DIRECTIONS + 1] = {0};
    size_t fill[NEAREST_DIRECTIONS + 1];
    size_t n = of->start[none + 1] - of->start[none];
    struct open_point *seen = near->moved;
    for (size_t i = 0; i < n; i++) {
        seen[i] = of->open[of->start[none] + i];
        see (near, part, &seen[i]);
        fresh[seen[i].direction]++;
    }
    part->start[0] = 0;
    for (size_t g = 0; g < none; g++)
        fill[g] = take_over (near, of, part, g, fresh[g]);
    fill[none] = part->start[none];
    part->start[none + 1] = part->start[none] + fresh[none];
    for (size_t i = 0; i < n; i++)
        part->open[fill[seen[i].direction]++] = seen[i];
    for (size_t g = 0; g < none; g++)
        if (fresh[g] > 0)
            merge_new (part->open + part->start[g],
                       part->start[g + 1] - part->start[g] - fresh[g],
                       fresh[g], near->moved);
}

/* ---- who may come before whom ---- */

/* How many of a direction come before a distance and index. */
static size_t count_before (const struct nearest_box *box, size_t direction,
                            uint64_t low, uint32_t point)
{
    size_t from = box->start[direction];
    size_t n = box->start[direction + 1] - from;
    size_t before = count_below (box->lows + from, n, low);
    if (before == n || box->lows[from + before] > low)
        return before;
    while (before < n) {
        size_t middle = before + (n - before) / 2;
        const struct open_point *open = &box->open[from + middle];
        if (open->low == low && open->point < point)
            before = middle + 1;
        else
            n = middle;
    }
    return before;
}

static bool is_empty (const struct nearest_box *box, size_t direction)
{
    return box->start[direction] == box->start[direction + 1];
}

/* How many may come before a point with a direction, and how many always
 * do. Of those without one, ties are taken for the worse. */
static size_t may_precede (const struct nearest *near,
                           const struct nearest_box *box, size_t direction,
                           const struct open_point *open)
{
    size_t count = count_below (near->lows, near->nnone,
                                open->low + box->width[direction] + 1);
    for (size_t g = 0; g < near->ndirections; g++)
        if (!is_empty (box, g))
            count += count_before (
                box, g, open->low + 2 * box->width[direction & ~g],
                open->point);
    return count;
}

static size_t must_precede (const struct nearest *near,
                            const struct nearest_box *box, size_t direction,
                            const struct open_point *open)
{
    size_t all = near->ndirections - 1;
    size_t count = count_below (near->highs, near->nnone,
                                open->low - box->width[all & ~direction]);
    for (size_t g = 0; g < near->ndirections; g++) {
        uint64_t nearer = 2 * box->width[g & ~direction];
        if (!is_empty (box, g) && open->low >= nearer)
            count += count_before (box, g, open->low - nearer, open->point);
    }
    return count;
}

/* The same for a point without, from its distances; the first counts itself,
 * too. */
static size_t may_be_within (const struct nearest *near,
                             const struct nearest_box *box, uint64_t high)
{
    size_t count = count_below (near->lows, near->nnone, high + 1);
    size_t all = near->ndirections - 1;
    for (size_t g = 0; g < near->ndirections; g++)
        if (!is_empty (box, g))
            count += count_before (box, g, high + box->width[all & ~g] + 1, 0);
    return count;
}

static size_t must_be_within (const struct nearest *near,
                              const struct nearest_box *box, uint64_t low)
{
    size_t count = count_below (near->highs, near->nnone, low);
    for (size_t g = 0; g < near->ndirections; g++)
        if (!is_empty (box, g) && low >= box->width[g])
            count += count_before (box, g, low - box->width[g], 0);
    return count;
}

/* ---- sure, open, out ---- */

/* What becomes of a direction: so many first ones are sure, and those from
 * `end` on are out. */
struct cut {
    size_t sure, end;
};

typedef size_t precede_fn (const struct nearest *near,
                           const struct nearest_box *box, size_t direction,
                           const struct open_point *open);

/* The first from `low` on, in a direction, that is not among the nearest if
 * so many precede it. */
static size_t first_beyond (const struct nearest *near,
                            const struct nearest_box *box, size_t direction,
                            size_t low, precede_fn *precede)
{
    const struct open_point *open = box->open + box->start[direction];
    size_t high = box->start[direction + 1] - box->start[direction];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (precede (near, box, direction, &open[middle]) < box->rest)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct cut cut_direction (const struct nearest *near,
                                 const struct nearest_box *box,
                                 size_t direction)
{
    struct cut cut;
    cut.sure = first_beyond (near, box, direction, 0, may_precede);
    cut.end = first_beyond (near, box, direction, cut.sure, must_precede);
    return cut;
}

/* Without a direction: sure whose greatest distance is below this, out whose
 * least is not below that. */
struct limits {
    uint64_t sure, out;
};

static struct limits find_limits (const struct nearest *near,
                                  const struct nearest_box *box)
{
    size_t low = 0, high = near->nnone;
    struct limits limits = {UINT64_MAX, UINT64_MAX};
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (may_be_within (near, box, near->highs[middle]) <= box->rest)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < near->nnone)
        limits.sure = near->highs[low];
    low = 0;
    high = near->nnone;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (must_be_within (near, box, near->lows[middle]) < box->rest)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < near->nnone)
        limits.out = near->lows[low];
    return limits;
}

/* Distances in order, to count them. */
static void list_distances (struct nearest *near, struct nearest_box *box)
{
    size_t directed = box->start[near->ndirections];
    const struct open_point *open = box->open + directed;
    for (size_t i = 0; i < directed; i++)
        box->lows[i] = box->open[i].low;
    near->nnone = nearest_nopen (near, box) - directed;
    for (size_t i = 0; i < near->nnone; i++) {
        near->lows[i] = open[i].low;
        near->highs[i] = open[i].high;
    }
    sort_numbers (near->lows, near->nnone, near->numbers);
    sort_numbers (near->highs, near->nnone, near->numbers);
}

/* Move the sure points of a direction out of the box, and close up the open
 * ones; where those end. */
static size_t close_up (struct nearest *near, struct nearest_box *box,
                        size_t direction, struct cut cut, size_t to)
{
    const struct open_point *open = box->open + box->start[direction];
    memcpy (near->moved + near->nmoved, open, cut.sure * sizeof *open);
    near->nmoved += cut.sure;
    memmove (box->open + to, open + cut.sure,
             (cut.end - cut.sure) * sizeof *open);
    box->start[direction] = to;
    return to + cut.end - cut.sure;
}

static void settle (struct nearest *near, struct nearest_box *box)
{
    struct cut cuts[NEAREST_DIRECTIONS];
    struct limits limits;
    size_t none = near->ndirections, to = 0, from = box->start[none];
    list_distances (near, box);
    for (size_t g = 0; g < none; g++)
        cuts[g] = cut_direction (near, box, g);
    limits = find_limits (near, box);
    near->nmoved = 0;
    for (size_t g = 0; g < none; g++)
        to = close_up (near, box, g, cuts[g], to);
    box->start[none] = to;
    for (; from < box->start[none + 1]; from++)
        if (box->open[from].high < limits.sure)
            near->moved[near->nmoved++] = box->open[from];
        else if (box->open[from].low < limits.out)
            box->open[to++] = box->open[from];
    box->start[none + 1] = to;
    box->rest -= near->nmoved;
}

/* ---- sums ---- */

/* The distances from `at` to n sorted coordinates, which are summed up to each
 * in near->upto. Round a ring, they are as on a line up to half of it before
 * and behind, and the rest of the ring beyond. */
static uint64_t sum_from (const struct nearest *near, const uint64_t *sorted,
                          size_t n, uint64_t at, uint64_t ring)
{
    const uint64_t *upto = near->upto;
    size_t here = count_below (sorted, n, at), low = 0, high = n;
    if (ring) {
        uint64_t half = ring / 2;
        low = at > half ? count_below (sorted, n, at - half) : 0;
        high = count_below (sorted, n, at + half + 1);
    }
    return (ring - at) * low + upto[low] + at * (here - low)
           - (upto[here] - upto[low]) + (upto[high] - upto[here])
           - at * (high - here) + (ring + at) * (n - high)
           - (upto[n] - upto[high]);
}

/* What one dimension of the moved points adds. */
static void add_dimension (struct nearest *near, struct nearest_box *box,
                           size_t dim)
{
    uint64_t *sorted = near->numbers, ring = near->cloud->ring[dim];
    size_t n = near->nmoved, nopen = nearest_nopen (near, box);
    wide twice = 0;
    for (size_t i = 0; i < n; i++)
        sorted[i] = nearest_coords (near, near->moved[i].point)[dim];
    sort_numbers (sorted, n, near->lows);
    near->upto[0] = 0;
    for (size_t i = 0; i < n; i++)
        near->upto[i + 1] = near->upto[i] + sorted[i];
    for (size_t i = 0; i < nopen; i++) {
        uint64_t at = nearest_coords (near, box->open[i].point)[dim];
        box->open[i].star += sum_from (near, sorted, n, at, ring);
    }
    for (size_t i = 0; i < n; i++)
        twice += sum_from (near, sorted, n, sorted[i], ring);
    box->sum += twice / 2;
}

/* Few are added one by one. */
static void add_point (struct nearest *near, struct nearest_box *box,
                       size_t moved)
{
    const uint64_t *at = nearest_coords (near, near->moved[moved].point);
    size_t nopen = nearest_nopen (near, box);
    for (size_t i = 0; i < nopen; i++)
        box->open[i].star += nearest_distance (
            near, at, nearest_coords (near, box->open[i].point));
    for (size_t i = 0; i < moved; i++)
        box->sum += nearest_distance (
            near, at, nearest_coords (near, near->moved[i].point));
}

static void add_moved (struct nearest *near, struct nearest_box *box)
{
    enum { FEW = 16 };
    for (size_t i = 0; i < near->nmoved; i++)
        box->sum += near->moved[i].star;
    if (near->nmoved <= FEW)
        for (size_t i = 0; i < near->nmoved; i++)
            add_point (near, box, i);
    else
        for (size_t d = 0; d < near->ndims; d++)
            add_dimension (near, box, d);
}

/* ---- boxes ---- */

static void find_widths (const struct nearest *near, struct nearest_box *box)
{
    box->width[0] = 0;
    for (size_t set = 1; set < near->ndirections; set++) {
        size_t d = (size_t)__builtin_ctzll (set);
        box->width[set] = box->width[set & (set - 1)] + box->high[d]
                          - box->low[d];
    }
}

int nearest_start (struct nearest *near, struct nearest_box *box,
                   tori_error *err)
{
    if (make_room (box, near->n, err) < 0)
        return -1;
    memset (box->start, 0, sizeof box->start);
    for (size_t i = 0; i < near->n; i++)
        box->open[i] = (struct open_point){
            .point = (uint32_t)i, .high = UINT64_MAX,
            .direction = (uint32_t)near->ndirections};
    box->start[near->ndirections + 1] = near->n;
    box->rest = near->k;
    box->sum = 0;
    return 0;
}

int nearest_enter (struct nearest *near, const struct nearest_box *of,
                   struct nearest_box *part, tori_error *err)
{
    if (make_room (part, nearest_nopen (near, of), err) < 0)
        return -1;
    find_widths (near, part);
    part->rest = of->rest;
    part->sum = of->sum;
    inherit (near, of, part);
    settle (near, part);
    add_moved (near, part);
    return 0;
}
