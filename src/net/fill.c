/* The rates of some flows, those of the part, by filling links: all rates grow
 * together; when a link is full, its flows stay at what they have. So the link
 * that offers its flows least is next, again and again. */
#include <math.h>
#include <stdlib.h>

#include "array.h"
#include "share.h"

/* ---- offers, the least first: a heap ---- */

static bool before (const struct share_offer *a, const struct share_offer *b)
{
    return a->rate != b->rate ? a->rate < b->rate : a->order < b->order;
}

/* Those of the largest cap and more are of no interest. */
static void make_offer (struct share_queue *queue, uint32_t place, double rate)
{
    const struct share_offer offer = {rate, queue->order, place};
    struct share_offer *heap = queue->heap;
    size_t at = queue->n;
    if (rate >= queue->cap)
        return;
    queue->order++;
    queue->n++;
    for (; at > 0 && before (&offer, &heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = offer;
}

static void drop_least (struct share_queue *queue)
{
    struct share_offer *heap = queue->heap;
    struct share_offer last = heap[--queue->n];
    size_t n = queue->n, at = 0;
    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n)
            child += before (&heap[child + 1], &heap[child]);
        if (!before (&heap[child], &last))
            break;
        heap[at] = heap[child];
    }
    heap[at] = last;
}

/* ---- links ---- */

static double offer_of (const struct share_part *part)
{
    return part->left > 0 ? part->left / part->open : 0;
}

/* What is left of a link by flows whose rates stay. */
static double left_of (const struct share *share,
                       const struct share_link *link)
{
    const uint32_t *flows = share_flows (link);
    double left = link->capacity;
    for (uint32_t i = 0; i < link->nflows; i++) {
        const struct share_flow *flow = &share->flows[flows[i]];
        if (!flow->seen)
            left -= flow->rate;
    }
    return left;
}

static void open_link (struct share *share, uint32_t place)
{
    struct share_part *part = &share->part[place];
    const struct share_link *link =
        &share->links[share->part_links.item[place]];
    part->open = part->seen;
    if (part->open == 0)
        return;
    part->left = part->open == link->nflows ? link->capacity
                                            : left_of (share, link);
    make_offer (&share->queue, place, offer_of (part));
}

/* The place of the link that offers least, if that is less than `most`, else
 * SHARE_NONE. A link that is found to offer more than when it was put in order
 * goes back. */
static uint32_t least_offer (struct share *share, double most)
{
    struct share_queue *queue = &share->queue;
    while (queue->n > 0) {
        struct share_offer offer = queue->heap[0];
        const struct share_part *part = &share->part[offer.place];
        double rate = part->open > 0 ? offer_of (part) : queue->cap;
        if (rate <= offer.rate)
            return rate < most ? offer.place : SHARE_NONE;
        drop_least (queue);
        make_offer (queue, offer.place, rate);
    }
    return SHARE_NONE;
}

/* ---- flows ---- */

static void fix (struct share *share, struct share_flow *flow, double rate,
                 uint32_t bottleneck)
{
    const uint32_t *hop = share->part_hops.item + flow->hops;
    const uint32_t *end = hop + flow->nhops;
    struct share_part *part = share->part;
    if (flow->bottleneck != SHARE_NONE)
        share->links[flow->bottleneck].bound--;
    if (bottleneck != SHARE_NONE)
        share->links[bottleneck].bound++;
    flow->fixed = true;
    flow->rate = rate;
    flow->bottleneck = bottleneck;
    for (; hop < end; hop++) {
        part[*hop].left -= rate;
        part[*hop].open--;
    }
}

/* All flows of a link that have no rate yet get what it offers; returns how
 * many. */
static size_t fix_flows (struct share *share, uint32_t place)
{
    const struct share_part *part = &share->part[place];
    uint32_t number = share->part_links.item[place];
    const uint32_t *next = share_flows (&share->links[number]);
    double rate = offer_of (part);
    size_t n = part->open;
    while (part->open > 0) {
        struct share_flow *flow = &share->flows[*next++];
        if (flow->seen && !flow->fixed)
            fix (share, flow, rate, number);
    }
    return n;
}

/* Flows in the order of their caps; mostly they are all the same. */
static void sort_by_cap (struct share *share)
{
    uint32_t *item = share->part_flows.item;
    for (size_t i = 1; i < share->part_flows.n; i++) {
        uint32_t one = item[i];
        size_t at = i;
        for (; at > 0
               && share->flows[item[at - 1]].cap > share->flows[one].cap;
             at--)
            item[at] = item[at - 1];
        item[at] = one;
    }
}

/* ---- all ---- */

static int open_queue (struct share_queue *queue, size_t places, double cap,
                       tori_error *err)
{
    struct share_offer *more = array_room (queue->heap, &queue->room,
                                           places + 1, sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    queue->heap = more;
    queue->n = 0;
    queue->order = 0;
    queue->cap = cap;
    return 0;
}

static int open_part (struct share *share, tori_error *err)
{
    const struct share_list *flows = &share->part_flows;
    sort_by_cap (share);
    if (open_queue (&share->queue, share->part_links.n,
                    share->flows[flows->item[flows->n - 1]].cap, err)
        < 0)
        return -1;
    for (size_t i = 0; i < flows->n; i++)
        share->flows[flows->item[i]].fixed = false;
    for (uint32_t i = 0; i < share->part_links.n; i++)
        open_link (share, i);
    return 0;
}

/* The least of what links offer and of the caps is next. */
int fill_part (struct share *share, tori_error *err)
{
    const struct share_list *flows = &share->part_flows;
    size_t at = 0, left = flows->n;
    if (left == 0)
        return 0;
    if (open_part (share, err) < 0)
        return -1;
    while (left > 0) {
        struct share_flow *flow;
        uint32_t place;
        while (share->flows[flows->item[at]].fixed)
            at++;
        flow = &share->flows[flows->item[at]];
        place = least_offer (share, flow->cap);
        if (place != SHARE_NONE) {
            left -= fix_flows (share, place);
        } else {
            fix (share, flow, flow->cap, SHARE_NONE);
            left--;
        }
    }
    return 0;
}
