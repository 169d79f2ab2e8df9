#include "share.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

#define NONE UINT32_MAX

/* Rates that differ by less, as a part of a link's capacity, are the same. */
#define TINY 1e-12

/* Changes that go on spreading after so many rounds are likely to concern
 * everybody. */
enum { MOST_ROUNDS = 8 };

/* ---- lists ---- */

static int list_add (struct share_list *list, uint32_t item, tori_error *err)
{
    uint32_t *more =
        array_room (list->item, &list->room, list->n + 1, sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    list->item = more;
    list->item[list->n++] = item;
    return 0;
}

/* ---- making and releasing ---- */

int share_create (const uint32_t capacity[], size_t nlinks,
                  struct share **ret_share, tori_error *err)
{
    struct share *share = calloc (1, sizeof *share);
    if (!share)
        return tori_error_nomem (err);
    share->free = NONE;
    share->nlinks = nlinks;
    share->links = calloc (nlinks ? nlinks : 1, sizeof *share->links);
    if (!share->links) {
        free (share);
        return tori_error_nomem (err);
    }
    for (size_t i = 0; i < nlinks; i++)
        share->links[i].capacity = capacity[i];
    *ret_share = share;
    return 0;
}

void share_destroy (struct share *share)
{
    if (!share)
        return;
    for (size_t i = 0; i < share->nlinks; i++)
        free (share->links[i].uses);
    for (size_t i = 0; i < share->nflows; i++)
        free (share->flows[i].hops);
    free (share->links);
    free (share->flows);
    free (share->dirty_links.item);
    free (share->dirty_flows.item);
    free (share->part_links.item);
    free (share->part_flows.item);
    free (share->changed.item);
    heap_clear (&share->order);
    free (share);
}

/* ---- flows come and go ---- */

/* Whether the flows of a link could fill it. */
static bool can_fill (const struct share_link *link)
{
    return link->wanted > link->capacity;
}

static int mark_link (struct share *share, uint32_t number, tori_error *err)
{
    struct share_link *link = &share->links[number];
    if (link->marked)
        return 0;
    if (list_add (&share->dirty_links, number, err) < 0)
        return -1;
    link->marked = true;
    return 0;
}

/* A number for a new flow: one that is free, or the next. */
static int take_number (struct share *share, uint32_t *ret_flow,
                        tori_error *err)
{
    struct share_flow *more;
    if (share->free != NONE) {
        *ret_flow = share->free;
        share->free = share->flows[share->free].next;
        return 0;
    }
    more = array_room (share->flows, &share->room, share->nflows + 1,
                       sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    share->flows = more;
    memset (&more[share->nflows], 0, sizeof *more);
    *ret_flow = (uint32_t)share->nflows++;
    return 0;
}

static void give_back (struct share *share, uint32_t number)
{
    struct share_flow *flow = &share->flows[number];
    flow->nhops = 0;
    flow->next = share->free;
    share->free = number;
}

/* Room for all that a new flow needs, so that adding it cannot fail half way.
 */
static int make_room (struct share *share, struct share_flow *flow,
                      const uint32_t links[], size_t n, tori_error *err)
{
    struct share_hop *hops =
        array_room (flow->hops, &flow->room, n, sizeof *hops);
    if (!hops)
        return tori_error_nomem (err);
    flow->hops = hops;
    for (size_t i = 0; i < n; i++) {
        struct share_link *link = &share->links[links[i]];
        struct share_use *uses = array_room (link->uses, &link->room,
                                             link->nuses + 1, sizeof *uses);
        if (!uses)
            return tori_error_nomem (err);
        link->uses = uses;
    }
    return 0;
}

static void insert (struct share *share, uint32_t number,
                    const uint32_t links[], size_t n)
{
    struct share_flow *flow = &share->flows[number];
    flow->cap = NONE;
    flow->rate = 0;
    flow->bottleneck = NONE;
    flow->nhops = (uint32_t)n;
    for (size_t i = 0; i < n; i++)
        if (share->links[links[i]].capacity < flow->cap)
            flow->cap = share->links[links[i]].capacity;
    for (uint32_t i = 0; i < n; i++) {
        struct share_link *link = &share->links[links[i]];
        flow->hops[i] = (struct share_hop){links[i], link->nuses};
        link->uses[link->nuses++] = (struct share_use){number, i};
        link->wanted += flow->cap;
    }
}

int share_add (struct share *share, const uint32_t links[], size_t n,
               uint32_t *ret_flow, tori_error *err)
{
    uint32_t number = 0;
    if (take_number (share, &number, err) < 0)
        return -1;
    if (make_room (share, &share->flows[number], links, n, err) < 0
        || (!share->flows[number].marked
            && list_add (&share->dirty_flows, number, err) < 0)) {
        give_back (share, number);
        return -1;
    }
    share->flows[number].marked = true;
    insert (share, number, links, n);
    *ret_flow = number;
    return 0;
}

/* The last flow of the link's list takes the place. */
static void leave_link (struct share *share, const struct share_hop *hop,
                        uint32_t cap)
{
    struct share_link *link = &share->links[hop->link];
    struct share_use last = link->uses[--link->nuses];
    link->uses[hop->place] = last;
    share->flows[last.flow].hops[last.hop].place = hop->place;
    link->wanted -= cap;
}

int share_remove (struct share *share, uint32_t number, tori_error *err)
{
    struct share_flow *flow = &share->flows[number];
    for (uint32_t i = 0; i < flow->nhops; i++)
        if (can_fill (&share->links[flow->hops[i].link])
            && mark_link (share, flow->hops[i].link, err) < 0)
            return -1;
    for (uint32_t i = 0; i < flow->nhops; i++)
        leave_link (share, &flow->hops[i], flow->cap);
    give_back (share, number);
    return 0;
}

/* ---- whose rates may change ---- */

/* A link that is looked at: one that could be full, or no longer is. */
static int see_link (struct share *share, uint32_t number, tori_error *err)
{
    struct share_link *link = &share->links[number];
    if (link->seen)
        return 0;
    if (list_add (&share->part_links, number, err) < 0)
        return -1;
    link->seen = true;
    return 0;
}

/* The rate of a flow is to be found anew. */
static int see_flow (struct share *share, uint32_t number, tori_error *err)
{
    struct share_flow *flow = &share->flows[number];
    if (flow->seen)
        return 0;
    if (list_add (&share->part_flows, number, err) < 0)
        return -1;
    flow->seen = true;
    flow->before = flow->rate;
    for (uint32_t h = 0; h < flow->nhops; h++)
        if (can_fill (&share->links[flow->hops[h].link])
            && see_link (share, flow->hops[h].link, err) < 0)
            return -1;
    return 0;
}

static int see_changes (struct share *share, tori_error *err)
{
    for (size_t i = 0; i < share->dirty_flows.n; i++) {
        uint32_t number = share->dirty_flows.item[i];
        if (share->flows[number].nhops > 0
            && see_flow (share, number, err) < 0)
            return -1;
    }
    for (size_t i = 0; i < share->dirty_links.n; i++)
        if (see_link (share, share->dirty_links.item[i], err) < 0)
            return -1;
    return 0;
}

/* All flows that are connected with these over links that could be full. */
static int see_connected (struct share *share, tori_error *err)
{
    for (size_t i = 0; i < share->part_links.n; i++) {
        const struct share_link *link =
            &share->links[share->part_links.item[i]];
        for (uint32_t u = 0; u < link->nuses; u++)
            if (see_flow (share, link->uses[u].flow, err) < 0)
                return -1;
    }
    return 0;
}

/* What is carried on a link, and by the fastest flow. */
struct load {
    double sum, most;
};

static struct load load_of (const struct share *share,
                            const struct share_link *link)
{
    struct load load = {0, 0};
    for (uint32_t i = 0; i < link->nuses; i++) {
        double rate = share->flows[link->uses[i].flow].rate;
        load.sum += rate;
        if (rate > load.most)
            load.most = rate;
    }
    return load;
}

/* Flows on a link of which the rate has not been found anew but should be:
 * those whose bottleneck it was and no longer is, and those that are faster
 * than one whose bottleneck it is now. */
static int check_link (struct share *share, uint32_t number, tori_error *err)
{
    const struct share_link *link = &share->links[number];
    double nearly = TINY * link->capacity, least = HUGE_VAL;
    struct load load = load_of (share, link);
    bool full = load.sum >= link->capacity - nearly;
    for (uint32_t i = 0; i < link->nuses; i++) {
        const struct share_flow *flow = &share->flows[link->uses[i].flow];
        if (flow->seen && flow->bottleneck == number && flow->rate < least)
            least = flow->rate;
    }
    for (uint32_t i = 0; i < link->nuses; i++) {
        uint32_t other = link->uses[i].flow;
        const struct share_flow *flow = &share->flows[other];
        bool lost = flow->bottleneck == number
                    && (!full || flow->rate < load.most - nearly);
        if (!flow->seen && (lost || flow->rate > least + nearly)
            && see_flow (share, other, err) < 0)
            return -1;
    }
    return 0;
}

static int check_links (struct share *share, tori_error *err)
{
    for (size_t i = 0, n = share->part_links.n; i < n; i++)
        if (check_link (share, share->part_links.item[i], err) < 0)
            return -1;
    return 0;
}

/* ---- filling ---- */

/* Doubles that are not negative are in the order of their bits. */
static int64_t key_of (double value)
{
    int64_t key;
    memcpy (&key, &value, sizeof key);
    return key;
}

static double offer_of (const struct share_link *link)
{
    return link->left > 0 ? link->left / link->open : 0;
}

static int offer (struct share *share, uint32_t number, tori_error *err)
{
    return heap_push (&share->order, key_of (offer_of (&share->links[number])),
                      number, err);
}

/* What is left of a link by flows whose rates stay, and for how many. */
static int open_link (struct share *share, uint32_t number, tori_error *err)
{
    struct share_link *link = &share->links[number];
    link->left = link->capacity;
    link->open = 0;
    for (uint32_t i = 0; i < link->nuses; i++) {
        const struct share_flow *flow = &share->flows[link->uses[i].flow];
        if (flow->seen)
            link->open++;
        else
            link->left -= flow->rate;
    }
    if (link->open == 0 || !can_fill (link))
        return 0;
    return offer (share, number, err);
}

static void fix (struct share *share, uint32_t number, double rate,
                 uint32_t bottleneck)
{
    struct share_flow *flow = &share->flows[number];
    flow->fixed = true;
    flow->rate = rate;
    flow->bottleneck = bottleneck;
    for (uint32_t h = 0; h < flow->nhops; h++) {
        struct share_link *link = &share->links[flow->hops[h].link];
        if (!link->seen)
            continue;
        link->left -= rate;
        link->open--;
    }
}

/* The link that offers least: false if none is left that has flows to offer
 * anything to. What a link offers only grows, so one that is found to offer
 * more than when it was put in order goes back. */
static int least_offer (struct share *share, uint32_t *ret_link,
                        tori_error *err)
{
    while (share->order.n > 0) {
        struct event top = *heap_top (&share->order);
        uint32_t number = (uint32_t)top.what;
        const struct share_link *link = &share->links[number];
        if (link->open > 0 && key_of (offer_of (link)) <= top.time) {
            *ret_link = number;
            return 1;
        }
        heap_pop (&share->order);
        if (link->open > 0 && offer (share, number, err) < 0)
            return -1;
    }
    return 0;
}

static void fix_uses (struct share *share, uint32_t number)
{
    const struct share_link *link = &share->links[number];
    double rate = offer_of (link);
    for (uint32_t i = 0; i < link->nuses; i++) {
        uint32_t flow = link->uses[i].flow;
        if (share->flows[flow].seen && !share->flows[flow].fixed)
            fix (share, flow, rate, number);
    }
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

static int open_part (struct share *share, tori_error *err)
{
    sort_by_cap (share);
    share->order.n = 0;
    for (size_t i = 0; i < share->part_flows.n; i++)
        share->flows[share->part_flows.item[i]].fixed = false;
    for (size_t i = 0; i < share->part_links.n; i++)
        if (open_link (share, share->part_links.item[i], err) < 0)
            return -1;
    return 0;
}

/* The least of what links offer and of the caps is next. */
static int fill_part (struct share *share, tori_error *err)
{
    size_t at = 0;
    if (open_part (share, err) < 0)
        return -1;
    for (;;) {
        uint32_t link = 0, flow;
        int some = least_offer (share, &link, err);
        if (some < 0)
            return -1;
        while (at < share->part_flows.n
               && share->flows[share->part_flows.item[at]].fixed)
            at++;
        if (at == share->part_flows.n)
            return 0;
        flow = share->part_flows.item[at];
        if (some && offer_of (&share->links[link]) < share->flows[flow].cap)
            fix_uses (share, link);
        else
            fix (share, flow, share->flows[flow].cap, NONE);
    }
}

/* ---- until nobody else is concerned ---- */

static int fill (struct share *share, tori_error *err)
{
    size_t flows;
    int rounds = 0;
    if (see_changes (share, err) < 0)
        return -1;
    do {
        if (fill_part (share, err) < 0)
            return -1;
        flows = share->part_flows.n;
        if (check_links (share, err) < 0)
            return -1;
        if (share->part_flows.n > flows && ++rounds == MOST_ROUNDS
            && see_connected (share, err) < 0)
            return -1;
    } while (share->part_flows.n > flows);
    return 0;
}

static int list_changes (struct share *share, tori_error *err)
{
    for (size_t i = 0; i < share->part_flows.n; i++) {
        uint32_t number = share->part_flows.item[i];
        if (share->flows[number].rate != share->flows[number].before
            && list_add (&share->changed, number, err) < 0)
            return -1;
    }
    return 0;
}

static void forget_part (struct share *share)
{
    for (size_t i = 0; i < share->part_links.n; i++)
        share->links[share->part_links.item[i]].seen = false;
    for (size_t i = 0; i < share->part_flows.n; i++)
        share->flows[share->part_flows.item[i]].seen = false;
    for (size_t i = 0; i < share->dirty_links.n; i++)
        share->links[share->dirty_links.item[i]].marked = false;
    for (size_t i = 0; i < share->dirty_flows.n; i++)
        share->flows[share->dirty_flows.item[i]].marked = false;
    share->part_links.n = share->part_flows.n = 0;
    share->dirty_links.n = share->dirty_flows.n = 0;
}

int share_fill (struct share *share, tori_error *err)
{
    share->changed.n = 0;
    if (fill (share, err) < 0 || list_changes (share, err) < 0)
        return -1;
    forget_part (share);
    return 0;
}
