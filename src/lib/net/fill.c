/* fill.c - the rates of some flows, those of the part, by filling links.
 *
 * All rates grow together; when a link is full, its flows keep their rates. So
 * the link that offers its flows least is next, again and again. */
#include <math.h>
#include <stdlib.h>

#include "array.h"
#include "share.h"

/* ---- offers in order ----
 *
 * When the least offer is taken, the others only grow. So they are sorted
 * coarsely, into buckets, and exactly only in the bucket whose turn it is.
 * Most offers there are the same and in order, or their flows have got their
 * rates before. */

static bool comes_before (const struct share_offer *a,
                          const struct share_offer *b)
{
    return a->rate != b->rate ? a->rate < b->rate : a->order < b->order;
}

static int compare_offers (const void *a, const void *b)
{
    return comes_before (a, b) ? -1 : 1;
}

static uint32_t bucket_of (const struct share_queue *queue, double rate)
{
    double bucket = rate * queue->scale;
    return bucket < SHARE_BUCKETS ? (uint32_t)bucket : SHARE_BUCKETS - 1;
}

/* Make the offer of a place that has none. Offers of at least the largest cap
 * do not matter. */
static void make_offer (struct share_queue *queue, uint32_t place, double rate)
{
    uint32_t *bucket;
    if (rate >= queue->cap)
        return;
    bucket = &queue->first[bucket_of (queue, rate)];
    queue->made[place] = (struct share_offer){rate, queue->order++, *bucket};
    *bucket = place;
}

/* The next bucket's turn. Offers were put in front of each other. */
static void sort_bucket (struct share_queue *queue,
                         const struct share_part part[])
{
    uint32_t place = queue->first[queue->bucket];
    struct share_offer *end = queue->sorted + queue->room, *at = end;
    bool sorted = true;
    queue->first[queue->bucket] = SHARE_NONE;
    while (place != SHARE_NONE) {
        struct share_offer offer = queue->made[place];
        if (part[place].open > 0) {
            sorted &= at == end || comes_before (&offer, at);
            *--at = (struct share_offer){offer.rate, offer.order, place};
        }
        place = offer.place;
    }
    queue->at = (size_t)(at - queue->sorted);
    if (!sorted)
        qsort (at, (size_t)(end - at), sizeof *at, compare_offers);
}

/* Offers that were raised and are still of this bucket are in a heap. */
static void sink_offer (struct share_queue *queue, struct share_offer offer)
{
    struct share_offer *heap = queue->raised;
    size_t n = queue->nraised, at = 0;
    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n)
            child += comes_before (&heap[child + 1], &heap[child]);
        if (!comes_before (&heap[child], &offer))
            break;
        heap[at] = heap[child];
    }
    heap[at] = offer;
}

static void raise_offer (struct share_queue *queue, struct share_offer offer)
{
    struct share_offer *heap = queue->raised;
    size_t at = queue->nraised++;
    for (; at > 0 && comes_before (&offer, &heap[(at - 1) / 2]);
         at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = offer;
}

/* The least offer; NULL if there is none. */
static const struct share_offer *find_least (struct share_queue *queue,
                                             const struct share_part part[])
{
    const struct share_offer *sorted;
    while (queue->at == queue->room && queue->nraised == 0) {
        while (queue->bucket < SHARE_BUCKETS
               && queue->first[queue->bucket] == SHARE_NONE)
            queue->bucket++;
        if (queue->bucket == SHARE_BUCKETS)
            return NULL;
        sort_bucket (queue, part);
    }
    sorted = queue->sorted + queue->at;
    if (queue->nraised > 0
        && (queue->at == queue->room || comes_before (queue->raised, sorted)))
        return queue->raised;
    return sorted;
}

/* Take out the least offer. */
static void drop_offer (struct share_queue *queue,
                        const struct share_offer *offer)
{
    if (offer != queue->raised)
        queue->at++;
    else if (--queue->nraised > 0)
        sink_offer (queue, queue->raised[queue->nraised]);
}

/* ---- links ---- */

static double offer_of (const struct share_part *part)
{
    return part->left > 0 ? part->left / part->open : 0;
}

/* The capacity of a link that is left by flows whose rates stay. */
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
    const struct share_offer *offer;
    while ((offer = find_least (queue, share->part))) {
        uint32_t place = offer->place;
        const struct share_part *part = &share->part[place];
        double rate;
        if (part->open == 0) {
            drop_offer (queue, offer);
            continue;
        }
        rate = offer_of (part);
        if (rate <= offer->rate)
            return rate < most ? place : SHARE_NONE;
        drop_offer (queue, offer);
        if (rate < queue->cap && bucket_of (queue, rate) == queue->bucket)
            raise_offer (queue,
                         (struct share_offer){rate, queue->order++, place});
        else
            make_offer (queue, place, rate);
    }
    return SHARE_NONE;
}

/* ---- flows ---- */

static void fix_rate (struct share *share, struct share_flow *flow,
                      double rate, uint32_t bottleneck)
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

/* Give all flows of a link that have no rate yet its offer; returns how
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
            fix_rate (share, flow, rate, number);
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
    struct share_offer **all[] = {&queue->made, &queue->sorted,
                                  &queue->raised};
    for (size_t i = 0; i < 3 && places > queue->room; i++) {
        struct share_offer *more =
            reallocarray (*all[i], 2 * places, sizeof *more);
        if (!more)
            return tori_error_nomem (err);
        *all[i] = more;
    }
    if (places > queue->room)
        queue->room = 2 * places;
    queue->at = queue->room;
    queue->nraised = 0;
    queue->cap = cap;
    queue->scale = SHARE_BUCKETS / cap;
    queue->order = queue->bucket = 0;
    for (size_t i = 0; i < SHARE_BUCKETS; i++)
        queue->first[i] = SHARE_NONE;
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
            fix_rate (share, flow, flow->cap, SHARE_NONE);
            left--;
        }
    }
    return 0;
}
