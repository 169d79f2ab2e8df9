/* Narrowing the ranges of a ring's cuts, all of them in O(n log n).
 *
 * From one cut to the next few points change sides, so the prices inside and
 * outside are kept in two tallies. Nothing else is done about rings of many
 * points that takes longer, and so a hundred thousand are within reach.
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

int search_on_ring (struct search *search, tori_error *err)
{
    uint32_t n = search->cuts.n;
    struct sides sides = {
        .start = calloc ((size_t)n + 2, sizeof *sides.start),
        .order = calloc ((size_t)n + 1, sizeof *sides.order),
        .place = calloc ((size_t)n + 1, sizeof *sides.place),
    };
    if (!sides.start || !sides.order || !sides.place) {
        tori_error_nomem (err);
        goto fail;
    }
    if (tally_create (n, &sides.inside, err) < 0
        || tally_create (n, &sides.outside, err) < 0)
        goto fail;
    order_points (&search->cuts, &sides);
    search->sides = sides;
    search->ring = true;
    return 0;
fail:
    sides_clear (&sides);
    return -1;
}

void sides_clear (struct sides *sides)
{
    free (sides->start);
    free (sides->order);
    free (sides->place);
    tally_clear (&sides->inside);
    tally_clear (&sides->outside);
}

/* ---- from cut to cut ---- */

/* Before the first cut, the near points are inside. */
static void begin (struct search *search)
{
    struct sides *sides = &search->sides;
    tally_reset (&sides->inside, search->open);
    tally_reset (&sides->outside, search->open);
    for (uint32_t i = 0; i < search->open; i++) {
        const struct offer *offer = &search->offers[i];
        bool far = search->cuts.axes[0].far[offer->point];
        sides->place[offer->point] = i;
        tally_put (far ? &sides->outside : &sides->inside, i, offer->price);
    }
}

/* Go over a rank: its near points leave, and its far points enter. */
static void cross (struct search *search, const struct node *node,
                   uint32_t rank)
{
    struct sides *sides = &search->sides;
    for (uint32_t i = sides->start[rank]; i < sides->start[rank + 1]; i++) {
        uint32_t point = sides->order[i], place = sides->place[point];
        bool far = search->cuts.axes[0].far[point];
        amount price;
        if (node->marks[point] != OPEN)
            continue;
        price = search->offers[place].price;
        tally_take (far ? &sides->outside : &sides->inside, place, price);
        tally_put (far ? &sides->inside : &sides->outside, place, price);
    }
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
           && inside <= sides->inside.in && outside <= sides->outside.in
           && fixed + tally_cheapest (&sides->inside, inside)
                      + tally_cheapest (&sides->outside, outside)
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

bool sides_tighten (struct search *search, struct node *node, amount fixed,
                    bool *changed)
{
    begin (search);
    for (uint32_t c = 0; c < search->cuts.ncuts; c++) {
        uint32_t width = node->high[c] - node->low[c];
        cross (search, node, c);
        if (width == 0)
            continue;
        tighten_cut (search, node, c, fixed);
        if (node->low[c] > node->high[c])
            return false;
        *changed |= node->high[c] - node->low[c] < width;
    }
    return true;
}
