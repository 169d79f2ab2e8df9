#include "share.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

#define NONE UINT32_MAX

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

/* ---- what is connected with a change ---- */

static int see_flow (struct share *share, uint32_t number, tori_error *err)
{
    struct share_flow *flow = &share->flows[number];
    if (flow->seen)
        return 0;
    if (list_add (&share->part_flows, number, err) < 0)
        return -1;
    flow->seen = true;
    flow->fixed = false;
    return 0;
}

static int see_uses (struct share *share, const struct share_link *link,
                     tori_error *err)
{
    for (uint32_t i = 0; i < link->nuses; i++)
        if (see_flow (share, link->uses[i].flow, err) < 0)
            return -1;
    return 0;
}

static int see_link (struct share *share, uint32_t number, tori_error *err)
{
    struct share_link *link = &share->links[number];
    if (link->seen || !can_fill (link))
        return 0;
    if (list_add (&share->part_links, number, err) < 0)
        return -1;
    link->seen = true;
    link->left = link->capacity;
    link->open = link->nuses;
    return see_uses (share, link, err);
}

static int find_part (struct share *share, tori_error *err)
{
    for (size_t i = 0; i < share->dirty_flows.n; i++) {
        uint32_t number = share->dirty_flows.item[i];
        if (share->flows[number].nhops > 0
            && see_flow (share, number, err) < 0)
            return -1;
    }
    for (size_t i = 0; i < share->dirty_links.n; i++)
        if (see_uses (share, &share->links[share->dirty_links.item[i]], err)
            < 0)
            return -1;
    for (size_t i = 0; i < share->part_flows.n; i++) {
        const struct share_flow *flow =
            &share->flows[share->part_flows.item[i]];
        for (uint32_t h = 0; h < flow->nhops; h++)
            if (see_link (share, flow->hops[h].link, err) < 0)
                return -1;
    }
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

static int fix (struct share *share, uint32_t number, double rate,
                tori_error *err)
{
    struct share_flow *flow = &share->flows[number];
    flow->fixed = true;
    for (uint32_t h = 0; h < flow->nhops; h++) {
        struct share_link *link = &share->links[flow->hops[h].link];
        if (!link->seen)
            continue;
        link->left -= rate;
        link->open--;
    }
    if (flow->rate == rate)
        return 0;
    flow->rate = rate;
    return list_add (&share->changed, number, err);
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

static int fix_uses (struct share *share, uint32_t number, tori_error *err)
{
    const struct share_link *link = &share->links[number];
    double rate = offer_of (link);
    for (uint32_t i = 0; i < link->nuses; i++) {
        uint32_t flow = link->uses[i].flow;
        if (!share->flows[flow].fixed && fix (share, flow, rate, err) < 0)
            return -1;
    }
    return 0;
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

/* The least of what links offer and of the caps is next. */
static int fill_part (struct share *share, tori_error *err)
{
    size_t at = 0;
    sort_by_cap (share);
    for (size_t i = 0; i < share->part_links.n; i++)
        if (offer (share, share->part_links.item[i], err) < 0)
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
        if (some && offer_of (&share->links[link]) < share->flows[flow].cap) {
            if (fix_uses (share, link, err) < 0)
                return -1;
        } else if (fix (share, flow, share->flows[flow].cap, err) < 0) {
            return -1;
        }
    }
}

static void forget_part (struct share *share)
{
    for (size_t i = 0; i < share->part_links.n; i++)
        share->links[share->part_links.item[i]].seen = false;
    for (size_t i = 0; i < share->part_flows.n; i++)
        share->flows[share->part_flows.item[i]].seen = false;
    share->part_links.n = 0;
    share->part_flows.n = 0;
    share->order.n = 0;
}

static void forget_changes (struct share *share)
{
    for (size_t i = 0; i < share->dirty_links.n; i++)
        share->links[share->dirty_links.item[i]].marked = false;
    for (size_t i = 0; i < share->dirty_flows.n; i++)
        share->flows[share->dirty_flows.item[i]].marked = false;
    share->dirty_links.n = 0;
    share->dirty_flows.n = 0;
}

int share_fill (struct share *share, tori_error *err)
{
    int status;
    share->changed.n = 0;
    status = find_part (share, err);
    if (status == 0)
        status = fill_part (share, err);
    forget_part (share);
    if (status == 0)
        forget_changes (share);
    return status;
}
