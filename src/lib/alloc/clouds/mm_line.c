/* mm_line.c - MM and Gen-Alg for points that differ in one dimension only.
 *
 * The k nearest of a centre are neighbours in sorted order, ties apart: of the
 * two places at the radius the points of the lowest indexes are taken. Points
 * at one place are alike in every sum, so the sum is that of a window of k
 * neighbours all the same. A ring is a line on which the points recur. All
 * windows' sums are known after one pass: the distances of a point at one end
 * from the rest are sums of differences of coordinates, round a ring in two
 * parts, up to half way and beyond. So a centre costs a table look-up and, if
 * the two places tie, a bisection. */
#include <stdlib.h>

#include "mm.h"
#include "row.h"

struct mm_line {
    struct row row;
    size_t k;
    size_t *places; /* the first stop of every place; one more: the end */
    size_t nplaces;
    wide *sums; /* over pairs, of a window by its first stop modulo n */
};

/* ---- setting up ---- */

static void line_clear (struct mm_line *l)
{
    row_clear (&l->row);
    free (l->places);
    free (l->sums);
}

static void find_places (struct mm_line *l)
{
    const struct stop *stops = l->row.stops;
    for (size_t i = 0; i < l->row.nstops; i++)
        if (i == 0 || stops[i].at != stops[i - 1].at)
            l->places[l->nplaces++] = i;
    l->places[l->nplaces] = l->row.nstops;
}

static int line_init (struct mm_line *l, const struct cloud *cloud, int dim,
                      size_t k, tori_error *err)
{
    *l = (struct mm_line){.k = k};
    if (row_init (&l->row, cloud, dim, err) < 0)
        return -1;
    l->places = malloc ((l->row.nstops + 1) * sizeof *l->places);
    l->sums = malloc (cloud->n * sizeof *l->sums);
    if (!l->places || !l->sums) {
        line_clear (l);
        return tori_error_nomem (err);
    }
    find_places (l);
    row_sums (&l->row, k, l->sums);
    return 0;
}

/* ---- centres ---- */

/* The centre, and its surroundings. */
struct look {
    uint64_t at;
    size_t window;   /* k stops from here on are as near as the nearest */
    size_t left;     /* the first place nearer than the radius */
    size_t right;    /* the first place at the radius or beyond */
    uint64_t radius;
};

static uint64_t gap_between (uint64_t a, uint64_t b)
{
    return a < b ? b - a : a - b;
}

static uint64_t at_place (const struct mm_line *l, size_t place)
{
    return l->row.stops[l->places[place]].at;
}

/* Go on to a centre farther up: no end of the near range ever goes back. */
static void look_from (const struct mm_line *l, struct look *look, uint64_t at)
{
    size_t first = look->window, left = look->left, right = look->right;
    uint64_t radius, last;
    while (first + l->k < l->row.nstops
           && gap_between (at, l->row.stops[first + l->k].at)
                  <= gap_between (at, l->row.stops[first].at))
        first++;
    radius = gap_between (at, l->row.stops[first].at);
    last = gap_between (at, l->row.stops[first + l->k - 1].at);
    radius = last > radius ? last : radius;
    while ((wide)at_place (l, left) + radius <= at && radius > 0)
        left++;
    while (right < l->nplaces
           && at_place (l, right) < (wide)at + radius)
        right++;
    *look = (struct look){at, first, left, right, radius};
}

/* How many of the first `count` entries of two merged sorted lists are from
 * the first list. */
static size_t count_merged (const struct stop *a, size_t na,
                            const struct stop *b, size_t nb, size_t count)
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
static bool is_tie (const struct mm_line *l, const struct look *look)
{
    return look->radius > 0 && look->left > 0 && look->right < l->nplaces
           && (wide)at_place (l, look->left - 1) + look->radius == look->at
           && at_place (l, look->right) == (wide)look->at + look->radius
           && (!l->row.ring || look->radius != l->row.ring - look->radius);
}

/* The window whose sum is that of the k nearest. */
static size_t window_of (const struct mm_line *l, const struct look *look)
{
    size_t left, inner, end;
    if (!is_tie (l, look))
        return look->window;
    left = l->places[look->left - 1];
    inner = l->places[look->left];
    end = l->places[look->right];
    return inner
           - count_merged (
               l->row.stops + left, inner - left, l->row.stops + end,
               l->places[look->right + 1] - end, l->k - (end - inner));
}

/* The first point of the best place; equal sums go to the first place, or to
 * that of the first point. */
static size_t best_point (const struct mm_line *l, bool by_index)
{
    struct look look = {0};
    size_t best = SIZE_MAX, place = l->row.ring ? l->nplaces / 3 : 0;
    size_t end = l->row.ring ? 2 * place : l->nplaces;
    wide least = 0;
    for (; place < end; place++) {
        size_t point = l->row.stops[l->places[place]].index;
        wide sum;
        look_from (l, &look, at_place (l, place));
        sum = l->sums[window_of (l, &look) % l->row.n];
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
    struct mm_line l;
    wide *room = malloc (2 * cloud->n * sizeof *room);
    if (!room)
        return tori_error_nomem (err);
    if (line_init (&l, cloud, dim, k, err) < 0) {
        free (room);
        return -1;
    }
    mm_take_nearest (cloud, cloud_point (cloud, best_point (&l, by_index)), k,
                     room, ret_chosen);
    line_clear (&l);
    free (room);
    return 0;
}
