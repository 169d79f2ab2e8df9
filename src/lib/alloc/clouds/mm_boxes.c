#include "mm_boxes.h"

#include <stdlib.h>
#include <string.h>

#include "mm.h"
#include "nearest.h"
#include "sorted.h"
#include "ticks.h"

/* Some centres, and a box that holds them. */
struct part {
    struct nearest_box box;
    uint64_t key; /* where its first centre comes in the order of centres */
    wide bound;
    size_t first[TORI_MAX_DIMS], end[TORI_MAX_DIMS]; /* on the grid: ranks */
    size_t from, to; /* for points: their range in search.order */
};

struct mm_search {
    struct nearest near;
    bool grid;
    size_t n, ndims;
    uint64_t steps, budget;

    /* On the grid. */
    struct ticks ticks;
    uint64_t stride[TORI_MAX_DIMS]; /* from rank to rank, in keys */

    size_t *order; /* for points: those of a part together */

    struct part *parts; /* two a level */
    size_t nparts;
    wide least;
    uint64_t best_key;
    uint64_t best[TORI_MAX_DIMS]; /* a centre with the best's nearest */
};

/* ---- setting up ---- */

/* Every halving of a box halves one of its sides. */
enum { MOST_HALVINGS = 64 };

static void search_clear (struct mm_search *s)
{
    nearest_clear (&s->near);
    ticks_clear (&s->ticks);
    free (s->order);
    for (size_t i = 0; s->parts && i < s->nparts; i++)
        nearest_box_clear (&s->parts[i].box);
    free (s->parts);
}

static int search_init (struct mm_search *s, const struct cloud *cloud,
                        size_t k, bool grid, tori_error *err)
{
    size_t n = cloud->n, ndims = (size_t)cloud->ndims;
    *s = (struct mm_search){.grid = grid,
                            .n = n,
                            .ndims = ndims,
                            .least = (wide)1 << 126,
                            .best_key = UINT64_MAX};
    if (nearest_init (&s->near, cloud, k, err) < 0)
        return -1;
    if (ticks_init (&s->ticks, cloud, err) < 0) {
        nearest_clear (&s->near);
        return -1;
    }
    s->nparts = 2 * (MOST_HALVINGS * ndims + 1);
    s->order = malloc (n * sizeof *s->order);
    s->parts = calloc (s->nparts, sizeof *s->parts);
    if (!s->order || !s->parts) {
        search_clear (s);
        return tori_error_nomem (err);
    }
    for (size_t i = 0; i < n; i++)
        s->order[i] = i;
    for (size_t d = ndims; grid && d-- > 0;)
        s->stride[d] = d + 1 == ndims
                           ? 1
                           : s->stride[d + 1] * s->ticks.count[d + 1];
    return 0;
}

/* ---- parts of the grid ---- */

static void box_grid (const struct mm_search *s, struct part *part)
{
    part->key = 0;
    for (size_t d = 0; d < s->ndims; d++) {
        part->box.low[d] = s->ticks.at[d][part->first[d]];
        part->box.high[d] = s->ticks.at[d][part->end[d] - 1];
        part->key += part->first[d] * s->stride[d];
    }
}

static void halve_grid (const struct mm_search *s, const struct part *part,
                        size_t dim, uint64_t middle, struct part *halves)
{
    size_t first = part->first[dim];
    for (int i = 0; i < 2; i++) {
        memcpy (halves[i].first, part->first, sizeof part->first);
        memcpy (halves[i].end, part->end, sizeof part->end);
    }
    halves[0].end[dim] = halves[1].first[dim]
        = first
          + count_below (s->ticks.at[dim] + first,
                         part->end[dim] - first, middle + 1);
    box_grid (s, &halves[0]);
    box_grid (s, &halves[1]);
}

/* ---- parts of the points ---- */

static void box_points (const struct mm_search *s, struct part *part)
{
    size_t size = s->ndims * sizeof (uint64_t);
    uint64_t *low = part->box.low, *high = part->box.high;
    part->key = s->order[part->from];
    memcpy (low, nearest_coords (&s->near, part->key), size);
    memcpy (high, low, size);
    for (size_t i = part->from + 1; i < part->to; i++) {
        const uint64_t *at = nearest_coords (&s->near, s->order[i]);
        if (s->order[i] < part->key)
            part->key = s->order[i];
        for (size_t d = 0; d < s->ndims; d++) {
            low[d] = at[d] < low[d] ? at[d] : low[d];
            high[d] = at[d] > high[d] ? at[d] : high[d];
        }
    }
}

static void halve_points (struct mm_search *s, const struct part *part,
                          size_t dim, uint64_t middle, struct part *halves)
{
    size_t upto = part->from;
    for (size_t i = part->from; i < part->to; i++)
        if (nearest_coords (&s->near, s->order[i])[dim] <= middle) {
            size_t other = s->order[upto];
            s->order[upto++] = s->order[i];
            s->order[i] = other;
        }
    halves[0].from = part->from;
    halves[0].to = halves[1].from = upto;
    halves[1].to = part->to;
    box_points (s, &halves[0]);
    box_points (s, &halves[1]);
}

/* ---- the search ---- */

static bool is_hopeless (const struct mm_search *s, const struct part *part)
{
    return part->bound > s->least
           || (part->bound == s->least && part->key >= s->best_key);
}

/* Compare the sum of a part in which all centres have the same nearest. */
static void consider_part (struct mm_search *s, const struct part *part)
{
    wide sum = part->box.sum;
    if (sum > s->least || (sum == s->least && part->key >= s->best_key))
        return;
    s->least = sum;
    s->best_key = part->key;
    memcpy (s->best, part->box.low, sizeof s->best);
}

/* Cut a part in two across its longest side. A box of no sides has no open
 * points either. */
static void halve_part (struct mm_search *s, const struct part *part,
                        struct part *halves)
{
    const uint64_t *low = part->box.low, *high = part->box.high;
    size_t longest = 0;
    uint64_t middle;
    for (size_t d = 1; d < s->ndims; d++)
        if (high[d] - low[d] > high[longest] - low[longest])
            longest = d;
    middle = low[longest] + (high[longest] - low[longest]) / 2;
    if (s->grid)
        halve_grid (s, part, longest, middle, halves);
    else
        halve_points (s, part, longest, middle, halves);
}

static int enter_part (struct mm_search *s, const struct part *of,
                       struct part *part, tori_error *err)
{
    if (nearest_enter (&s->near, &of->box, &part->box, err) < 0)
        return -1;
    part->bound = nearest_bound (&s->near, &part->box, s->least);
    s->steps += of->box.nopen + 64;
    return 0;
}

/* The half that seems better goes first: so a good centre is soon known. 0, 1
 * if the budget is spent, or -1. */
static int visit_part (struct mm_search *s, const struct part *part,
                       struct part *halves, tori_error *err)
{
    int first, status;
    if (is_hopeless (s, part))
        return 0;
    if (s->steps > s->budget)
        return 1;
    if (part->box.rest == 0) {
        consider_part (s, part);
        return 0;
    }
    halve_part (s, part, halves);
    if (enter_part (s, part, &halves[0], err) < 0
        || enter_part (s, part, &halves[1], err) < 0)
        return -1;
    first = halves[1].bound < halves[0].bound;
    status = visit_part (s, &halves[first], halves + 2, err);
    if (status != 0)
        return status;
    return visit_part (s, &halves[!first], halves + 2, err);
}

/* Visit all centres; parts[1] holds the open points to begin with. */
static int visit_all (struct mm_search *s, tori_error *err)
{
    struct part *all = &s->parts[0];
    if (nearest_start (&s->near, &s->parts[1].box, err) < 0)
        return -1;
    memcpy (all->end, s->ticks.count, sizeof all->end);
    all->to = s->n;
    if (s->grid)
        box_grid (s, all);
    else
        box_points (s, all);
    if (enter_part (s, &s->parts[1], all, err) < 0)
        return -1;
    return visit_part (s, all, s->parts + 2, err);
}

/* ---- the answer ---- */

static int take_nearest (const struct mm_search *s, size_t *ret_chosen,
                         tori_error *err)
{
    wide *room = malloc (2 * s->n * sizeof *room);
    int64_t centre[TORI_MAX_DIMS];
    if (!room)
        return tori_error_nomem (err);
    for (size_t d = 0; d < s->ndims; d++)
        centre[d] = (int64_t)((uint64_t)s->ticks.least[d] + s->best[d]);
    mm_take_nearest (s->near.cloud, centre, s->near.k, room, ret_chosen);
    free (room);
    return 0;
}

int mm_choose_boxes (const struct cloud *cloud, size_t k, bool grid,
                     uint64_t steps, size_t *ret_chosen, tori_error *err)
{
    struct mm_search s;
    int status;
    if (search_init (&s, cloud, k, grid, err) < 0)
        return -1;
    s.budget = steps;
    status = visit_all (&s, err);
    if (status == 0)
        status = take_nearest (&s, ret_chosen, err);
    search_clear (&s);
    return status < 0 ? -1 : status == 0;
}
