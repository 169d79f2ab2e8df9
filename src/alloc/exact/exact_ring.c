/* exact_ring.c - narrowing the ranges of a ring's cuts.
 *
 * From one cut to the next few points change sides, so the prices inside and
 * outside are kept in two tallies, and what a cut costs is known where the
 * ranges are looked at. That is not done at every cut: from cut to cut the
 * number inside changes by the open points between them at most, so if these
 * are few as compared with the range, what one cut is found to have does for
 * the next as well. So a round is nearly linear, and a hundred thousand points
 * are within reach.
 */
#include "exact.h"

#include <stdlib.h>

/* ---- memory ---- */

/* The points in the order of their ranks. */
static void order_points (const struct cuts *cuts, struct sides *sides)
{
    const uint32_t *rank = cuts->axes[0].rank;
    for (uint32_t i = 0; i < cuts->n; i++)
        sides->start[rank[i] + 2]++;
    for (uint32_t r = 1; r <= cuts->n + 1; r++)
        sides->start[r] += sides->start[r - 1];
    for (uint32_t i = 0; i < cuts->n; i++)
        sides->order[sides->start[rank[i] + 1]++] = i;
}

/* The near half of the ring, then the far one. */
static void order_round (const struct cuts *cuts, struct sides *sides)
{
    uint32_t at = 0;
    for (int far = 0; far < 2; far++)
        for (uint32_t i = 0; i < cuts->n; i++)
            if (cuts->axes[0].far[sides->order[i]] == (far > 0))
                sides->round[at++] = sides->order[i];
}

int search_on_ring (struct search *search, tori_error *err)
{
    uint32_t n = search->cuts.n;
    struct sides sides = {
        .start = calloc ((size_t)n + 2, sizeof *sides.start),
        .order = calloc ((size_t)n + 1, sizeof *sides.order),
        .round = calloc ((size_t)n + 1, sizeof *sides.round),
        .class = calloc ((size_t)n + 1, sizeof *sides.class),
        .scale = malloc (sizeof *sides.scale),
        .inside = malloc (sizeof *sides.inside),
        .outside = malloc (sizeof *sides.outside),
    };
    if (!sides.start || !sides.order || !sides.round || !sides.class
        || !sides.scale || !sides.inside || !sides.outside) {
        sides_clear (&sides);
        return tori_error_nomem (err);
    }
    order_points (&search->cuts, &sides);
    order_round (&search->cuts, &sides);
    search->sides = sides;
    search->ring = true;
    return 0;
}

void sides_clear (struct sides *sides)
{
    free (sides->start);
    free (sides->order);
    free (sides->round);
    free (sides->class);
    free (sides->scale);
    free (sides->inside);
    free (sides->outside);
}

/* ---- from cut to cut ---- */

/* Before the first cut, the near points are inside. */
static void begin (struct search *search)
{
    struct sides *sides = &search->sides;
    tally_reset (sides->inside);
    tally_reset (sides->outside);
    scale_begin (sides->scale, search->open);
    for (uint32_t i = 0; i < search->open; i++) {
        const struct offer *offer = &search->offers[i];
        bool far = search->cuts.axes[0].far[offer->point];
        uint16_t class = scale_add (sides->scale, i, offer->price);
        sides->class[offer->point] = class;
        tally_put (far ? sides->outside : sides->inside, class, offer->price);
    }
}

/* Go over a rank: its near points leave, and its far points enter. Returns how
 * many of them are open. */
static uint32_t cross (struct search *search, const struct node *node,
                       uint32_t rank)
{
    struct sides *sides = &search->sides;
    uint32_t open = 0;
    for (uint32_t i = sides->start[rank]; i < sides->start[rank + 1]; i++) {
        uint32_t point = sides->order[i];
        uint16_t class = sides->class[point];
        bool far = search->cuts.axes[0].far[point];
        amount price = search->price[point];
        if (node->marks[point] != OPEN)
            continue;
        tally_take (far ? sides->outside : sides->inside, class, price);
        tally_put (far ? sides->inside : sides->outside, class, price);
        open++;
    }
    return open;
}

/* Whether a cut may have so many inside, if that costs so much besides;
 * `fixed` is the bound without the open points. */
static bool may_have (const struct search *search, uint32_t cut, uint32_t n,
                      amount fixed)
{
    const struct sides *sides = &search->sides;
    uint32_t chosen = search->chosen_in[cut], inside = n - chosen;
    uint32_t outside = search->missing - inside;
    return n >= chosen && inside <= search->missing
           && inside <= sides->inside->in && outside <= sides->outside->in
           && fixed + tally_cheapest (sides->inside, sides->scale, inside)
                      + tally_cheapest (sides->outside, sides->scale, outside)
                  <= search->limit;
}

/* From `bad` to `good`, up or down, the value next to the last that a cut may
 * not have. That is one change, as the cost is convex: the cheapest set has
 * the least. */
static uint32_t first_good (const struct search *search, uint32_t cut,
                            int64_t bad, int64_t good, amount fixed)
{
    while (bad - good > 1 || good - bad > 1) {
        int64_t middle = (bad + good) / 2;
        if (may_have (search, cut, (uint32_t)middle, fixed))
            good = middle;
        else
            bad = middle;
    }
    return (uint32_t)good;
}

/* Of a cut's own share what is above the chord goes to the cost as well; that
 * is not convex, and so a few values are tried. */
enum { FEW = 4 };

static void tighten_cut (const struct search *search, struct node *node,
                         uint32_t cut, amount fixed)
{
    uint32_t low = node->low[cut], high = node->high[cut];
    uint32_t at = search->counts[cut], first, last;
    at = at < low ? low : at > high ? high : at;
    if (!may_have (search, cut, at, fixed)) {
        node->low[cut] = high + 1;
        return;
    }
    first = first_good (search, cut, (int64_t)low - 1, at, fixed);
    last = first_good (search, cut, (int64_t)high + 1, at, fixed);
    for (int i = 0; i < FEW && first < last; i++) {
        amount length = search->cuts.length[cut];
        if (!may_have (search, cut, first,
                       fixed + length * (first - low) * (high - first)))
            first++;
        else if (!may_have (search, cut, last,
                            fixed + length * (last - low) * (high - last)))
            last--;
        else
            break;
    }
    node->low[cut] = first;
    node->high[cut] = last;
}

/* A cut is looked at if this many times the open points since the last one are
 * its range or more. */
static const uint32_t OFTEN = 4;

bool sides_tighten (struct search *search, struct node *node, amount fixed,
                    bool *changed)
{
    uint64_t since = search->open;
    begin (search);
    for (uint32_t c = 0; c < search->cuts.ncuts; c++) {
        uint32_t width = node->high[c] - node->low[c];
        since += cross (search, node, c);
        if (width == 0 || since * OFTEN < width)
            continue;
        since = 0;
        tally_add_up (search->sides.inside, search->sides.scale);
        tally_add_up (search->sides.outside, search->sides.scale);
        tighten_cut (search, node, c, fixed);
        if (node->low[c] > node->high[c])
            return false;
        *changed |= node->high[c] - node->low[c] < width;
    }
    return true;
}
