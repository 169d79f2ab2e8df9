/* rings.c - paths without a common link, from left to right along a line.
 *
 * Between a node and the next no more than three links cross: two that begin
 * or end there and one that passes over. Which hop has which of them is all
 * that the rest of the line needs to know of what is to the left. So the line
 * is walked once, with the cheapest way to reach each such assignment. At a
 * node every hop has an even number of links, or an odd one where it begins or
 * ends. That makes paths, and perhaps rings beside them, which the cheapest
 * answer does not have.
 */
#include "rings.h"

#include <stdlib.h>

#include "bits.h"
#include "marks.h"

enum {
    REACH = 16, /* how far outside the partition links are looked for */
    MOST = 64   /* assignments between two nodes: the dearest are dropped */
};

/* The cost of a link outside the partition, in links. */
#define OUTSIDE (UINT64_C (1) << 32)

/* The hops that have the links across, from 1, or 0: the link that passed over
 * this node, the neighbour link, and the one that passes over the next. */
enum { OVER, NEAR, FAR, ACROSS };

struct crossing {
    uint32_t hop[ACROSS];
    uint32_t before; /* at the node to the left: its index */
    uint64_t cost;
};

struct frontier {
    size_t n;
    struct crossing cross[MOST];
};

/* The hops that may have links of a node. */
struct parties {
    uint32_t odd[8]; /* those that must have one more, or one less */
    size_t nodd;
    uint32_t pair[8]; /* those that may have two more */
    size_t npair;
};

static uint32_t side_of (const struct section *s)
{
    return s->state->machine->shape.size[s->dim];
}

static uint32_t last_of (const struct section *s)
{
    return s->first + s->n - 1;
}

/* ---- links ---- */

/* The slot of the link that begins at node i, or of the second one (0, 1) as
 * OVER. False if there is no such link. */
static bool slot_of (const struct section *s, uint32_t i, int which,
                     tori_link *ret_link)
{
    uint32_t S = side_of (s);
    uint32_t slot = which == OVER ? S - 2 : which == NEAR ? i
                    : i == S - 2  ? S - 1
                                  : i;
    ret_link->dim = s->dim;
    ret_link->layer = which == NEAR ? TORI_NEAR : TORI_FAR;
    ret_link->slot = s->start + slot * s->state->machine->stride[s->dim];
    if (which == OVER)
        return i == 0;
    return i < S - 1 && !(which == FAR && S == 2);
}

static bool has_free (const struct section *s, uint32_t i, int which)
{
    tori_link link;
    return slot_of (s, i, which, &link)
           && !tori_state_link_taken (s->state, &link)
           && !tori_state_link_down (s->state, &link);
}

static uint64_t cost_of (const struct section *s, uint32_t i, int which)
{
    uint32_t end = i + 1 + (which == FAR && i + 2 < side_of (s));
    return 1 + (i < s->first || end > last_of (s) ? OUTSIDE : 0);
}

/* ---- hops ---- */

/* The two ends of hop k, from 0. */
static void hop_ends (const struct section *s, uint32_t k, uint32_t *ret_low,
                      uint32_t *ret_high)
{
    bool single = !s->ring || k == 0 || k == s->n - 1;
    uint32_t low = s->ring && k > 0 ? s->first + k - 1 : s->first + k;
    *ret_low = low;
    *ret_high = low + (single ? 1 : 2);
}

static void toggle_hop (struct parties *p, uint32_t hop)
{
    for (size_t i = 0; i < p->nodd; i++)
        if (p->odd[i] == hop) {
            p->odd[i] = p->odd[--p->nodd];
            return;
        }
    p->odd[p->nodd++] = hop;
}

/* The hops that begin or end at node i, which is one of the partition, or all
 * that begin there. */
static size_t hops_at (const struct section *s, uint32_t i, bool begin,
                       uint32_t hops[3])
{
    uint32_t all = s->ring ? s->n : s->n - 1;
    uint32_t at = i - s->first, low, high;
    size_t n = 0;
    for (uint32_t k = at > 0 ? at - 1 : 0; k <= at + 1 && k < all; k++) {
        hop_ends (s, k, &low, &high);
        if (low == i || (high == i && !begin))
            hops[n++] = k + 1;
    }
    return n;
}

/* Those that come back from further right, having begun there. */
static void add_visitors (const struct section *s, uint32_t i,
                          struct parties *p)
{
    uint32_t begin = i < s->first ? s->first : i + 1;
    if (begin <= last_of (s) && (i < s->first || !s->ring))
        p->npair += hops_at (s, begin, true, p->pair + p->npair);
}

static struct parties parties_at (const struct section *s, uint32_t i,
                                  const struct crossing *c)
{
    struct parties p = {.nodd = 0};
    uint32_t hops[3];
    size_t n = i >= s->first && i <= last_of (s) ? hops_at (s, i, false, hops)
                                                 : 0;
    bool end = i + 1 == side_of (s);
    for (size_t k = 0; k < n; k++)
        toggle_hop (&p, hops[k]);
    for (int which = OVER; which <= (end ? FAR : NEAR); which++)
        if (c->hop[which])
            toggle_hop (&p, c->hop[which]);
    if (!end && c->hop[FAR])
        p.pair[p.npair++] = c->hop[FAR];
    if (!end)
        add_visitors (s, i, &p);
    return p;
}

/* ---- one node further ---- */

static void keep_crossing (struct frontier *to, const struct crossing *c)
{
    struct crossing *dearest = &to->cross[0];
    for (size_t k = 0; k < to->n; k++) {
        struct crossing *old = &to->cross[k];
        if (old->hop[OVER] == c->hop[OVER] && old->hop[NEAR] == c->hop[NEAR]
            && old->hop[FAR] == c->hop[FAR]) {
            if (c->cost < old->cost)
                *old = *c;
            return;
        }
        if (old->cost > dearest->cost)
            dearest = old;
    }
    if (to->n < MOST)
        to->cross[to->n++] = *c;
    else if (c->cost < dearest->cost)
        *dearest = *c;
}

/* With these hops on the links to the right of node i, if they are free. */
static void offer_crossing (const struct section *s, uint32_t i,
                            struct crossing c, uint32_t near, uint32_t far,
                            struct frontier *to)
{
    if ((near && !has_free (s, i, NEAR)) || (far && !has_free (s, i, FAR)))
        return;
    c.hop[NEAR] = near;
    c.hop[FAR] = far;
    c.cost += (near ? cost_of (s, i, NEAR) : 0)
              + (far ? cost_of (s, i, FAR) : 0);
    keep_crossing (to, &c);
}

/* All ways to share out the two links among those with an odd number. */
static void share_out (const struct section *s, uint32_t i,
                       const struct parties *p, struct crossing c,
                       struct frontier *to)
{
    if (p->nodd > 2)
        return;
    if (p->nodd > 0) {
        uint32_t other = p->nodd > 1 ? p->odd[1] : 0;
        offer_crossing (s, i, c, p->odd[0], other, to);
        offer_crossing (s, i, c, other, p->odd[0], to);
        return;
    }
    offer_crossing (s, i, c, 0, 0, to);
    for (size_t k = 0; k < p->npair; k++)
        offer_crossing (s, i, c, p->pair[k], p->pair[k], to);
}

/* The first node has a second link to the next, as if it came from the left. */
static void share_first (const struct section *s, struct parties p,
                         struct crossing c, struct frontier *to)
{
    uint32_t hops[16];
    size_t n = 0;
    share_out (s, 0, &p, c, to);
    if (!has_free (s, 0, OVER))
        return;
    for (size_t k = 0; k < p.nodd; k++)
        hops[n++] = p.odd[k];
    for (size_t k = 0; k < p.npair; k++)
        hops[n++] = p.pair[k];
    c.cost += cost_of (s, 0, OVER);
    for (size_t k = 0; k < n; k++) {
        struct parties with = p;
        toggle_hop (&with, hops[k]);
        c.hop[OVER] = hops[k];
        share_out (s, 0, &with, c, to);
    }
}

static void advance_frontier (const struct section *s, uint32_t i,
                              const struct frontier *from, struct frontier *to)
{
    to->n = 0;
    for (size_t k = 0; k < from->n; k++) {
        const struct crossing *c = &from->cross[k];
        struct parties p = parties_at (s, i, c);
        struct crossing next = {.before = (uint32_t)k, .cost = c->cost};
        if (i + 1 < side_of (s))
            next.hop[OVER] = c->hop[FAR];
        if (i == 0)
            share_first (s, p, next, to);
        else
            share_out (s, i, &p, next, to);
    }
}

/* ---- the line ---- */

/* The nodes that are walked, [begin, end). */
static uint32_t begin_of (const struct section *s)
{
    return s->first > REACH ? s->first - REACH : 0;
}

static uint32_t end_of (const struct section *s)
{
    uint32_t last = last_of (s), S = side_of (s);
    return S - last > REACH ? last + REACH : S;
}

/* Nothing is taken to the left. The rest of it need not be cleared: it is
 * large, and this is asked often. */
static void begin_empty (struct frontier *frontier)
{
    frontier->n = 1;
    frontier->cross[0] = (struct crossing){.cost = 0};
}

/* The way that leaves no link open, or NULL. */
static const struct crossing *closed (const struct frontier *layer)
{
    for (size_t k = 0; k < layer->n; k++) {
        const uint32_t *hop = layer->cross[k].hop;
        if (!hop[OVER] && !hop[NEAR] && !hop[FAR])
            return &layer->cross[k];
    }
    return NULL;
}

bool ring_exists (const struct section *s)
{
    struct frontier layers[2];
    uint32_t i = begin_of (s), end = end_of (s);
    int now = 0;
    begin_empty (&layers[0]);
    for (; i < end && layers[now].n > 0; i++, now = !now)
        advance_frontier (s, i, &layers[now], &layers[!now]);
    return closed (&layers[now]) != NULL;
}

/* The links of the way that ends with `c`, those of one layer of links. */
static size_t collect_hops (const struct section *s,
                            const struct crossing *const way[], int which,
                            tori_link links[])
{
    uint32_t begin = begin_of (s), end = end_of (s);
    size_t n = 0;
    for (uint32_t i = begin; i < end; i++)
        if (way[i - begin]->hop[which] && (which != OVER || i == 0)
            && slot_of (s, i, which, &links[n]))
            n++;
    return n;
}

/* In the order of slots: the last two of the folded ring are its ends. */
static size_t list_slots (const struct section *s,
                          const struct crossing *const way[],
                          tori_link links[])
{
    size_t n = collect_hops (s, way, NEAR, links);
    size_t far = collect_hops (s, way, FAR, links + n);
    tori_link *last = &links[n + far - 1];
    size_t over = collect_hops (s, way, OVER, links + n + far);
    if (over && far && last->slot > last[1].slot) {
        tori_link swap = *last;
        *last = last[1];
        last[1] = swap;
    }
    return n + far + over;
}

int ring_find (const struct section *s, tori_link links[], size_t *ret_n,
               tori_error *err)
{
    uint32_t n = end_of (s) - begin_of (s);
    struct frontier *layers = malloc ((n + (size_t)1) * sizeof *layers);
    const struct crossing **way = malloc ((n + (size_t)1) * sizeof *way);
    const struct crossing *at = NULL;
    int found = layers && way ? 0 : tori_error_nomem (err);
    if (found == 0) {
        begin_empty (&layers[0]);
        for (uint32_t i = 0; i < n; i++)
            advance_frontier (s, begin_of (s) + i, &layers[i], &layers[i + 1]);
        at = closed (&layers[n]);
    }
    if (at) {
        for (uint32_t i = n; i-- > 0; at = &layers[i].cross[at->before])
            way[i] = at;
        *ret_n = list_slots (s, way, links);
        found = 1;
    }
    free (layers);
    free (way);
    return found;
}
