#include "pairs.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

/* An open point, and twice what it adds to a sum at least. */
struct pairs_offer {
    wide price;
    uint32_t point;
};

/* What is settled. */
struct pairs_level {
    uint8_t *marks; /* of every point */
    wide *star;     /* of every point: its distances to the chosen ones */
    wide sum;       /* over pairs of chosen ones */
    uint32_t missing;
};

/* ---- distances ---- */

static const wide *row_of (const struct pairs *p, uint32_t point)
{
    return p->apart + (size_t)point * p->n;
}

static int compare_apart (const void *a, const void *b, void *arg)
{
    const wide *row = arg;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (row[x] != row[y])
        return row[x] < row[y] ? -1 : 1;
    return (x > y) - (x < y);
}

static void measure (struct pairs *p, const struct cloud *cloud, uint32_t i)
{
    wide *row = p->apart + (size_t)i * p->n;
    uint32_t *order = p->order + (size_t)i * p->n, at = 0;
    for (uint32_t j = 0; j < p->n; j++) {
        row[j] = cloud_distance (cloud, cloud_point (cloud, i),
                                 cloud_point (cloud, j));
        if (j != i)
            order[at++] = j;
    }
    qsort_r (order, at, sizeof *order, compare_apart, row);
    for (uint32_t j = 0; j < at; j++)
        p->near[(size_t)i * p->n + j] = row[order[j]];
    p->behind[i] = p->n;
    for (uint32_t j = p->n; j-- > i + 1;)
        if (row[j] == 0)
            p->behind[i] = j;
}

int pairs_create (const struct cloud *cloud, size_t k, struct pairs *ret_pairs,
                  tori_error *err)
{
    struct pairs p = {.n = (uint32_t)cloud->n, .k = (uint32_t)k};
    size_t n = cloud->n;
    p.apart = malloc (n * n * sizeof *p.apart);
    p.near = malloc (n * n * sizeof *p.near);
    p.order = malloc (n * n * sizeof *p.order);
    p.behind = malloc (n * sizeof *p.behind);
    p.offers = malloc (n * sizeof *p.offers);
    if (!p.apart || !p.near || !p.order || !p.behind || !p.offers) {
        pairs_clear (&p);
        return tori_error_nomem (err);
    }
    for (uint32_t i = 0; i < p.n; i++)
        measure (&p, cloud, i);
    *ret_pairs = p;
    return 0;
}

void pairs_clear (struct pairs *p)
{
    free (p->apart);
    free (p->near);
    free (p->order);
    free (p->behind);
    free (p->offers);
    for (size_t i = 0; i < p->nlevels; i++)
        free (p->levels[i].star);
    free (p->levels);
}

/* Have a level of this number. */
static int reach (struct pairs *p, size_t level, tori_error *err)
{
    struct pairs_level *levels;
    wide *star;
    if (level < p->nlevels)
        return 0;
    levels = array_room (p->levels, &p->room, level + 1, sizeof *levels);
    if (!levels)
        return tori_error_nomem (err);
    p->levels = levels;
    star = malloc (p->n * (sizeof *star + 1));
    if (!star)
        return tori_error_nomem (err);
    levels[p->nlevels++] = (struct pairs_level){
        .marks = (uint8_t *)(star + p->n), .star = star};
    return 0;
}

/* ---- marks ---- */

static void choose (struct pairs *p, struct pairs_level *level, uint32_t point)
{
    const wide *row = row_of (p, point);
    level->marks[point] = CHOSEN;
    level->sum += level->star[point];
    level->missing--;
    for (uint32_t i = 0; i < p->n; i++)
        level->star[i] += row[i];
}

/* With all behind it at the same place. */
static void leave (struct pairs *p, struct pairs_level *level, uint32_t point)
{
    for (; point < p->n && level->marks[point] == OPEN;
         point = p->behind[point])
        level->marks[point] = LEFT;
}

/* ---- prices ---- */

/* The distances to so many of the nearest open points. Which of them are open
 * no branch could foretell. */
static wide sum_nearest (struct pairs *p, const struct pairs_level *level,
                         uint32_t point, uint32_t count)
{
    const uint32_t *order = p->order + (size_t)point * p->n;
    const wide *near = p->near + (size_t)point * p->n;
    wide sum = 0;
    uint32_t i = 0;
    for (; count > 0 && i + 1 < p->n; i++) {
        uint32_t open = level->marks[order[i]] == OPEN;
        sum += near[i] & -(wide)open;
        count -= open;
    }
    p->steps += i + 16;
    return sum;
}

static int compare_offers (const void *a, const void *b)
{
    const struct pairs_offer *x = a, *y = b;
    if (x->price != y->price)
        return x->price < y->price ? -1 : 1;
    return (x->point > y->point) - (x->point < y->point);
}

/* Returns how many there are. */
static uint32_t make_offers (struct pairs *p, const struct pairs_level *level)
{
    uint32_t open = 0;
    for (uint32_t i = 0; i < p->n; i++)
        if (level->marks[i] == OPEN)
            p->offers[open++] = (struct pairs_offer){
                2 * level->star[i]
                    + sum_nearest (p, level, i, level->missing - 1),
                i};
    qsort (p->offers, open, sizeof *p->offers, compare_offers);
    return open;
}

/* Settle those whose other choice would cost more than is spare. Whether
 * there are any. */
static bool settle (struct pairs *p, struct pairs_level *level, uint32_t open,
                    wide spare)
{
    const struct pairs_offer *offers = p->offers;
    uint32_t missing = level->missing;
    wide last = offers[missing - 1].price;
    wide next = missing < open ? offers[missing].price : 0;
    bool settled = false;
    for (uint32_t i = missing; i < open; i++)
        if (offers[i].price - last > spare) {
            leave (p, level, offers[i].point);
            settled = true;
        }
    for (uint32_t i = 0; i < missing; i++)
        if (missing == open || next - offers[i].price > spare) {
            choose (p, level, offers[i].point);
            settled = true;
        }
    return settled;
}

/* All that follows from the limit. False if there is no set up to it. */
static bool narrow (struct pairs *p, struct pairs_level *level)
{
    bool settled = true;
    while (settled && level->missing > 0) {
        uint32_t open = make_offers (p, level);
        wide bound = 2 * level->sum;
        if (open < level->missing)
            return false;
        for (uint32_t i = 0; i < level->missing; i++)
            bound += p->offers[i].price;
        if (bound > 2 * p->limit)
            return false;
        settled = settle (p, level, open, 2 * p->limit - bound);
    }
    return level->sum <= p->limit;
}

/* ---- the search ---- */

/* Nothing is missing: tell of the set. */
static int tell (struct pairs *p, struct pairs_level *level, tori_error *err)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (level->marks[i] == OPEN)
            level->marks[i] = LEFT;
    return p->on_set (p->arg, p, level->marks, level->sum, err);
}

/* The next level, with one point more. */
static void descend (struct pairs *p, size_t depth, uint32_t point)
{
    const struct pairs_level *from = &p->levels[depth];
    struct pairs_level *to = &p->levels[depth + 1];
    memcpy (to->marks, from->marks, p->n);
    memcpy (to->star, from->star, p->n * sizeof *to->star);
    to->sum = from->sum;
    to->missing = from->missing;
    choose (p, to, point);
}

/* All sets with what a level has: those with the cheapest point first, then
 * those without it. */
static int explore (struct pairs *p, size_t depth, tori_error *err)
{
    if (p->on_node && p->nodes++ % 1024 == 0)
        p->on_node (p->arg, p->steps);
    while (narrow (p, &p->levels[depth])) {
        uint32_t point = p->offers[0].point;
        int status;
        if (p->levels[depth].missing == 0)
            return tell (p, &p->levels[depth], err);
        if (p->steps > p->budget)
            return 1;
        if (reach (p, depth + 1, err) < 0)
            return -1;
        descend (p, depth, point);
        status = explore (p, depth + 1, err);
        if (status != 0)
            return status;
        leave (p, &p->levels[depth], point);
    }
    return 0;
}

int pairs_search (struct pairs *p, tori_error *err)
{
    struct pairs_level *root;
    if (reach (p, 0, err) < 0)
        return -1;
    root = &p->levels[0];
    root->sum = 0;
    root->missing = p->k;
    memset (root->marks, OPEN, p->n);
    for (uint32_t i = 0; i < p->n; i++)
        root->star[i] = 0;
    if (p->with_first)
        choose (p, root, 0);
    return explore (p, 0, err);
}
