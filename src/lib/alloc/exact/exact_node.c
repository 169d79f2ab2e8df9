#include "exact.h"

#include <stdlib.h>
#include <string.h>

/* ---- ranges from marks ---- */

static uint32_t count_marks (const struct search *search,
                             const struct node *node, uint8_t mark)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < search->cuts.n; i++)
        count += node->marks[i] == mark;
    return count;
}

/* a - b, or 0. */
static uint32_t subtract_or_zero (uint32_t a, uint32_t b)
{
    return a > b ? a - b : 0;
}

static void raise_low (uint32_t *low, int64_t value)
{
    if (value > *low)
        *low = (uint32_t)value;
}

static void lower_high (uint32_t *high, int64_t value)
{
    if (value < *high)
        *high = (uint32_t)value;
}

static bool ranges_left (const struct search *search, const struct node *node)
{
    for (uint32_t c = 0; c < search->cuts.ncuts; c++)
        if (node->low[c] > node->high[c])
            return false;
    return true;
}

/* At least the chosen points are inside a cut, and those that find no place
 * outside; the bound for the most is similar. */
static bool count_inside (struct search *search, struct node *node)
{
    uint32_t chosen = count_marks (search, node, CHOSEN);
    uint32_t open = count_marks (search, node, OPEN), k = search->k;
    if (chosen > k || chosen + open < k)
        return false;
    cuts_count (&search->cuts, node->marks, CHOSEN, search->chosen_in);
    cuts_count (&search->cuts, node->marks, OPEN, search->open_in);
    for (uint32_t c = 0; c < search->cuts.ncuts; c++) {
        uint32_t in = search->chosen_in[c], more = search->open_in[c];
        uint32_t outside = chosen - in, room = outside + open - more;
        raise_low (&node->low[c], in);
        raise_low (&node->low[c], subtract_or_zero (k, room));
        lower_high (&node->high[c], in + more);
        lower_high (&node->high[c], k - outside);
    }
    return ranges_left (search, node);
}

/* From one cut to the next, as many points leave as are chosen at the rank
 * between them, and on the far half of a ring as many enter. */
static void find_steps (struct search *search, const struct node *node,
                        const struct cuts_axis *axis)
{
    uint32_t *down = search->steps_down, *up = search->steps_up;
    memset (down, 0, 2 * (axis->count + 1) * sizeof *down);
    memset (up, 0, 2 * (axis->count + 1) * sizeof *up);
    for (uint32_t i = 0; i < search->cuts.n; i++) {
        uint32_t *steps = axis->far[i] ? up : down;
        if (node->marks[i] == LEFT)
            continue;
        steps[2 * axis->rank[i] + 1]++; /* at most, and at least: */
        steps[2 * axis->rank[i]] += node->marks[i] == CHOSEN;
    }
}

static void follow_steps (struct search *search, struct node *node,
                          const struct cuts_axis *axis)
{
    const uint32_t *down = search->steps_down, *up = search->steps_up;
    uint32_t *low = node->low + axis->first;
    uint32_t *high = node->high + axis->first;
    find_steps (search, node, axis);
    for (uint32_t j = 1; j < axis->count; j++) {
        raise_low (&low[j], (int64_t)low[j - 1] + up[2 * j] - down[2 * j + 1]);
        lower_high (&high[j],
                    (int64_t)high[j - 1] + up[2 * j + 1] - down[2 * j]);
    }
    for (uint32_t j = axis->count; j-- > 1;) {
        raise_low (&low[j - 1], (int64_t)low[j] - up[2 * j + 1] + down[2 * j]);
        lower_high (&high[j - 1],
                    (int64_t)high[j] - up[2 * j] + down[2 * j + 1]);
    }
}

/* A way from `point` to `than` crosses the cuts that have one of them inside.
 * Across a cut with n points inside, which the way enters, the sum of distances
 * grows by its length times k - 2 n. False if it enters some and leaves others,
 * or if their lengths differ; the sets are then not restricted. */
static bool find_nearer (const struct search *search,
                         const struct cuts_axis *axis, uint32_t point,
                         uint32_t than, struct nearer *nearer)
{
    const amount *length = search->cuts.length + axis->first;
    uint32_t crossed = 0, last = 0;
    for (uint32_t j = 0; j < axis->count; j++) {
        bool inside = cuts_inside (axis, j, than);
        if (inside == cuts_inside (axis, j, point))
            continue;
        if (crossed > 0
            && (inside != nearer->inside || j != last + 1
                || length[j] != length[last]))
            return false;
        if (crossed == 0)
            nearer->first = axis->first + j;
        nearer->inside = inside;
        last = j;
        crossed++;
    }
    nearer->end = nearer->first + crossed;
    nearer->most = (uint32_t)((uint64_t)crossed * search->k / 2);
    return crossed > 0;
}

void search_keep_nearer (struct search *search, uint32_t point, uint32_t than)
{
    for (int a = 0; a < search->cuts.naxes; a++) {
        struct nearer nearer = {0};
        if (find_nearer (search, &search->cuts.axes[a], point, than, &nearer))
            search->nearer[search->nnearer++] = nearer;
    }
}

static bool follow_nearer (const struct search *search, struct node *node,
                           const struct nearer *nearer)
{
    uint32_t k = search->k, least = 0;
    for (uint32_t c = nearer->first; c < nearer->end; c++)
        least += nearer->inside ? node->low[c] : k - node->high[c];
    for (uint32_t c = nearer->first; c < nearer->end; c++) {
        int64_t spare = (int64_t)nearer->most - least;
        if (spare < 0)
            return false;
        if (nearer->inside)
            lower_high (&node->high[c], node->low[c] + spare);
        else
            raise_low (&node->low[c], node->high[c] - spare);
    }
    return true;
}

static bool narrow_ranges (struct search *search, struct node *node)
{
    if (!count_inside (search, node))
        return false;
    for (int i = 0; i < search->nnearer; i++)
        if (!follow_nearer (search, node, &search->nearer[i]))
            return false;
    for (int a = 0; a < search->cuts.naxes; a++)
        follow_steps (search, node, &search->cuts.axes[a]);
    return ranges_left (search, node);
}

/* The rooms for counts in cuts hold how many points leave and enter at most
 * from one cut to the next. */
int node_count_ways (struct search *search, const struct node *node,
                     double *ret_ways, tori_error *err)
{
    double ways = 1, of_axis;
    for (int a = 0; a < search->cuts.naxes; a++) {
        const struct cuts_axis *axis = &search->cuts.axes[a];
        find_steps (search, node, axis);
        for (uint32_t j = 1; j < axis->count; j++) {
            search->chosen_in[j] = search->steps_down[2 * j + 1];
            search->open_in[j] = search->steps_up[2 * j + 1];
        }
        if (strips_ways (search->strips, axis->count, node->low + axis->first,
                         node->high + axis->first, search->chosen_in,
                         search->open_in, &of_axis, err) < 0)
            return -1;
        ways *= of_axis;
    }
    *ret_ways = ways;
    return 0;
}

/* ---- prices ---- */

static int compare_offers (const void *a, const void *b)
{
    const struct offer *x = a, *y = b;
    if (x->price != y->price)
        return x->price < y->price ? -1 : 1;
    return (x->point > y->point) - (x->point < y->point);
}

void offers_sort (struct offer offers[], size_t n)
{
    qsort (offers, n, sizeof *offers, compare_offers);
}

amount search_sum (struct search *search, const uint8_t marks[])
{
    cuts_count (&search->cuts, marks, CHOSEN, search->counts);
    return cuts_sum (&search->cuts, search->counts, search->k);
}

/* The chord of n (k - n) over a range: n (k - low - high) + low high. Prices
 * of points by the slopes; the rest is in the bound at once. */
static void price_points (struct search *search, const struct node *node)
{
    const struct cuts *cuts = &search->cuts;
    search->bound = 0;
    for (uint32_t c = 0; c < cuts->ncuts; c++) {
        amount low = node->low[c], high = node->high[c];
        search->cut_price[c] = cuts->length[c] * (search->k - low - high);
        search->bound += cuts->length[c] * low * high;
    }
    cuts_price (cuts, search->cut_price, search->running, search->price);
}

/* The cheapest set, and with it the bound. */
static void relax_node (struct search *search, const struct node *node)
{
    search->open = 0;
    search->missing = search->k;
    price_points (search, node);
    for (uint32_t i = 0; i < search->cuts.n; i++) {
        search->relaxed[i] = node->marks[i] == CHOSEN ? CHOSEN : LEFT;
        if (node->marks[i] == CHOSEN) {
            search->bound += search->price[i];
            search->missing--;
        } else if (node->marks[i] == OPEN) {
            search->offers[search->open++]
                = (struct offer){search->price[i], i};
        }
    }
    offers_sort (search->offers, search->open);
    for (uint32_t i = 0; i < search->missing; i++) {
        search->bound += search->offers[i].price;
        search->relaxed[search->offers[i].point] = CHOSEN;
    }
}

static void keep_relaxed (struct search *search)
{
    amount sum = search_sum (search, search->relaxed);
    if (sum >= search->found_sum)
        return;
    memcpy (search->found, search->relaxed, search->cuts.n);
    search->found_sum = sum;
    if (search->improving)
        search->limit = search_goal (search, sum);
}

/* Settle the points whose other choice would cost too much: a point of the
 * cheapest set is replaced by the first after it, and the reverse. */
static void settle_points (struct search *search, struct node *node,
                           bool *changed)
{
    const struct offer *offers = search->offers;
    uint32_t missing = search->missing, open = search->open;
    amount spare = search->limit - search->bound;
    for (uint32_t i = 0; i < open; i++) {
        if (i < missing ? missing < open
                              && offers[missing].price - offers[i].price
                                     <= spare
                        : missing > 0
                              && offers[i].price - offers[missing - 1].price
                                     <= spare)
            continue;
        node->marks[offers[i].point] = i < missing ? CHOSEN : LEFT;
        *changed = true;
    }
}

/* Running sums of the prices of the open points inside a cut, and outside.
 * Returns how many are inside. */
static uint32_t split_offers (struct search *search,
                              const struct cuts_axis *axis, uint32_t cut)
{
    uint32_t in = 0, out = 0;
    search->inner[0] = search->outer[0] = 0;
    for (uint32_t i = 0; i < search->open; i++) {
        const struct offer *offer = &search->offers[i];
        if (cuts_inside (axis, cut, offer->point)) {
            search->inner[in + 1] = search->inner[in] + offer->price;
            in++;
        } else {
            search->outer[out + 1] = search->outer[out] + offer->price;
            out++;
        }
    }
    return in;
}

/* Drop the ends of a cut's range that would cost too much, with so many
 * points inside and the cut's own share above the chord. `fixed` is the bound
 * without the open points. */
static void tighten_cut (struct search *search, struct node *node,
                         const struct cuts_axis *axis, uint32_t cut,
                         amount fixed)
{
    uint32_t c = axis->first + cut, low = node->low[c], high = node->high[c];
    uint32_t in = split_offers (search, axis, cut);
    uint32_t out = search->open - in, chosen = search->chosen_in[c];
    uint32_t new_low = high + 1, new_high = low;
    for (uint32_t n = low; n <= high; n++) {
        uint32_t inside = n - chosen, outside = search->missing - inside;
        amount cost;
        if (n < chosen || inside > search->missing || inside > in
            || outside > out)
            continue;
        cost = fixed + search->inner[inside] + search->outer[outside]
               + search->cuts.length[c] * (n - low) * (high - n);
        if (cost > search->limit)
            continue;
        if (new_low > high)
            new_low = n;
        new_high = n;
    }
    node->low[c] = new_low;
    node->high[c] = new_high;
}

/* All cuts use the same prices: older prices are a weaker bound, but a valid
 * one. */
static bool tighten_cuts (struct search *search, struct node *node,
                          bool *changed)
{
    amount fixed = search->bound;
    for (uint32_t i = 0; i < search->missing; i++)
        fixed -= search->offers[i].price;
    for (int a = 0; a < search->cuts.naxes; a++) {
        const struct cuts_axis *axis = &search->cuts.axes[a];
        for (uint32_t j = 0; j < axis->count; j++) {
            uint32_t c = axis->first + j;
            uint32_t width = node->high[c] - node->low[c];
            if (width == 0)
                continue;
            tighten_cut (search, node, axis, j, fixed);
            if (node->low[c] > node->high[c])
                return false;
            *changed |= node->high[c] - node->low[c] < width;
        }
    }
    return true;
}

/* ---- all of it ---- */

uint64_t search_round (const struct search *search)
{
    uint64_t n = search->cuts.n, axes = (uint64_t)search->cuts.naxes;
    return n * (search->cuts.ncuts + 8 * axes + 32);
}

bool node_narrow (struct search *search, struct node *node)
{
    for (bool changed = true; changed;) {
        changed = false;
        search->steps += search_round (search);
        if (!narrow_ranges (search, node))
            return false;
        relax_node (search, node);
        if (search->bound > search->limit)
            return false;
        keep_relaxed (search);
        if (search->bound > search->limit
            || !tighten_cuts (search, node, &changed))
            return false;
        settle_points (search, node, &changed);
    }
    return true;
}
