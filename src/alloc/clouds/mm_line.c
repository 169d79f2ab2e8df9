/* mm_line.c - MM and Gen-Alg where points differ in one dimension only.
 *
 * The k nearest of a centre are neighbours in sorted order, but for ties: of
 * the two places at the radius those of the lowest indexes are taken. Points
 * at one place are alike in every sum, so the sum is that of a window of k
 * neighbours all the same. A ring is a line on which the points recur. All
 * windows' sums are known after one pass: what a point at one end is away from
 * the rest are differences of coordinates added up, round a ring in two parts,
 * up to half way and beyond. So a centre costs a table look-up, and where the
 * two places tie, halving.
 */
#include <stdlib.h>

#include "mm.h"

struct stop {
    uint64_t at;
    size_t index;
};

/* Sorted points, thrice round a ring. */
struct stops {
    const struct cloud *cloud;
    int dim;
    uint64_t ring; /* 0: a line */
    size_t n, k;
    struct stop *stops;
    size_t nstops;
    wide *upto;     /* the sum of the places before a stop; one more */
    size_t *places; /* the first stop of every place; one more: the end */
    size_t nplaces;
    wide *sums; /* over pairs, of a window by its first stop */
};

static int compare_stops (const void *a, const void *b)
{
    const struct stop *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* ---- setting up ---- */

static void stops_clear (struct stops *s)
{
    free (s->stops);
    free (s->upto);
    free (s->places);
    free (s->sums);
}

static int stops_init (struct stops *s, const struct cloud *cloud, int dim,
                       size_t k, tori_error *err)
{
    size_t total = cloud->n * (cloud->ring[dim] ? 3 : 1);
    *s = (struct stops){.cloud = cloud, .dim = dim, .ring = cloud->ring[dim],
                        .n = cloud->n, .k = k, .nstops = total};
    s->stops = malloc (total * sizeof *s->stops);
    s->upto = malloc ((total + 1) * sizeof *s->upto);
    s->places = malloc ((total + 1) * sizeof *s->places);
    s->sums = malloc (total * sizeof *s->sums);
    if (s->stops && s->upto && s->places && s->sums)
        return 0;
    stops_clear (s);
    return tori_error_nomem (err);
}

static void sort_stops (struct stops *s)
{
    int64_t least = s->cloud->coords[s->dim];
    for (size_t i = 1; i < s->n; i++)
        if (cloud_point (s->cloud, i)[s->dim] < least)
            least = cloud_point (s->cloud, i)[s->dim];
    for (size_t i = 0; i < s->n; i++)
        s->stops[i] = (struct stop){
            (uint64_t)cloud_point (s->cloud, i)[s->dim] - (uint64_t)least, i};
    qsort (s->stops, s->n, sizeof *s->stops, compare_stops);
    for (size_t i = s->n; i < s->nstops; i++)
        s->stops[i] = (struct stop){s->stops[i - s->n].at + s->ring,
                                    s->stops[i - s->n].index};
    s->upto[0] = 0;
    for (size_t i = 0; i < s->nstops; i++) {
        s->upto[i + 1] = s->upto[i] + s->stops[i].at;
        if (i == 0 || s->stops[i].at != s->stops[i - 1].at)
            s->places[s->nplaces++] = i;
    }
    s->places[s->nplaces] = s->nstops;
}

/* ---- the sums of all windows ---- */

/* From stop i to those from `first` up to it; from `half` on the way is
 * straight. */
static wide sum_before (const struct stops *s, size_t i, size_t first,
                        size_t half)
{
    wide at = s->stops[i].at;
    if (half < first)
        half = first;
    return at * (i - half) - (s->upto[i] - s->upto[half])
           + (s->ring - at) * (half - first) + s->upto[half] - s->upto[first];
}

/* From stop i to those behind it, up to `end`; before `half` the way is
 * straight. */
static wide sum_behind (const struct stops *s, size_t i, size_t end,
                        size_t half)
{
    wide at = s->stops[i].at;
    if (half > end)
        half = end;
    return s->upto[half] - s->upto[i + 1] - at * (half - i - 1)
           + (s->ring + at) * (end - half) - (s->upto[end] - s->upto[half]);
}

/* The first stop that is no more than half a ring before stop i. */
static size_t half_before (const struct stops *s, size_t i, size_t half)
{
    while (s->ring && s->stops[i].at - s->stops[half].at > s->ring / 2)
        half++;
    return half;
}

/* The first stop that is more than half a ring behind stop i. */
static size_t half_behind (const struct stops *s, size_t i, size_t half)
{
    while (half < s->nstops
           && (!s->ring || s->stops[half].at - s->stops[i].at <= s->ring / 2))
        half++;
    return half;
}

static void sum_windows (struct stops *s)
{
    size_t before = 0, behind = 0;
    wide sum = 0;
    for (size_t i = 0; i < s->nstops; i++) {
        before = half_before (s, i, before);
        if (i >= s->k) {
            size_t out = i - s->k;
            behind = half_behind (s, out, behind > out ? behind : out);
            sum -= sum_behind (s, out, i, behind);
        }
        sum += sum_before (s, i, i < s->k ? 0 : i - s->k + 1, before);
        if (i + 1 >= s->k)
            s->sums[i + 1 - s->k] = sum;
    }
}

/* ---- centres ---- */

/* Where the centre is, and what is around it. */
struct look {
    uint64_t at;
    size_t window;   /* k stops from here on are as near as the nearest */
    size_t left;     /* the first place nearer than the radius */
    size_t right;    /* the first place at the radius or beyond */
    uint64_t radius;
};

static uint64_t gap (uint64_t a, uint64_t b)
{
    return a < b ? b - a : a - b;
}

static uint64_t at_place (const struct stops *s, size_t place)
{
    return s->stops[s->places[place]].at;
}

/* On to a centre farther up: no end of what is near ever goes back. */
static void look_from (const struct stops *s, struct look *look, uint64_t at)
{
    size_t first = look->window, left = look->left, right = look->right;
    uint64_t radius, last;
    while (first + s->k < s->nstops
           && gap (at, s->stops[first + s->k].at)
                  <= gap (at, s->stops[first].at))
        first++;
    radius = gap (at, s->stops[first].at);
    last = gap (at, s->stops[first + s->k - 1].at);
    radius = last > radius ? last : radius;
    while ((wide)at_place (s, left) + radius <= at && radius > 0)
        left++;
    while (right < s->nplaces
           && at_place (s, right) < (wide)at + radius)
        right++;
    *look = (struct look){at, first, left, right, radius};
}

/* Of two sorted lists, how many of the first `count` in all are of the
 * first. */
static size_t merged (const struct stop *a, size_t na, const struct stop *b,
                      size_t nb, size_t count)
{
    size_t low = count > nb ? count - nb : 0;
    size_t high = count < na ? count : na;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (a[middle].index < b[count - middle - 1].index)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Whether there are two places at the radius. Half round a ring it is one. */
static bool is_tie (const struct stops *s, const struct look *look)
{
    return look->radius > 0 && look->left > 0 && look->right < s->nplaces
           && (wide)at_place (s, look->left - 1) + look->radius == look->at
           && at_place (s, look->right) == (wide)look->at + look->radius
           && (!s->ring || look->radius != s->ring - look->radius);
}

/* The window whose sum is that of the k nearest. */
static size_t window_of (const struct stops *s, const struct look *look)
{
    size_t left, inner, end;
    if (!is_tie (s, look))
        return look->window;
    left = s->places[look->left - 1];
    inner = s->places[look->left];
    end = s->places[look->right];
    return inner
           - merged (s->stops + left, inner - left, s->stops + end,
                     s->places[look->right + 1] - end,
                     s->k - (end - inner));
}

/* The first point of the best place; of equal sums the first place, or that of
 * the first point. */
static size_t best_point (const struct stops *s, bool by_index)
{
    struct look look = {0};
    size_t best = SIZE_MAX, place = s->ring ? s->nplaces / 3 : 0;
    size_t end = s->ring ? 2 * place : s->nplaces;
    wide least = 0;
    for (; place < end; place++) {
        size_t point = s->stops[s->places[place]].index;
        wide sum;
        look_from (s, &look, at_place (s, place));
        sum = s->sums[window_of (s, &look)];
        if (best == SIZE_MAX || sum < least
            || (by_index && sum == least && point < best)) {
            least = sum;
            best = point;
        }
    }
    return best;
}

int mm_choose_line (const struct cloud *cloud, int dim, size_t k,
                    bool by_index, size_t *ret_chosen, tori_error *err)
{
    struct stops s;
    wide *room = malloc (2 * cloud->n * sizeof *room);
    if (!room)
        return tori_error_nomem (err);
    if (stops_init (&s, cloud, dim, k, err) < 0) {
        free (room);
        return -1;
    }
    sort_stops (&s);
    sum_windows (&s);
    mm_take_nearest (cloud, cloud_point (cloud, best_point (&s, by_index)), k,
                     room, ret_chosen);
    stops_clear (&s);
    free (room);
    return 0;
}
