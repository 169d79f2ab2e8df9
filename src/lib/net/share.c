#include "share.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

/* Rates that differ by less, as a part of a link's capacity, are the same. */
#define TINY 1e-12

/* Changes that go on spreading after this many rounds are likely to affect all
 * flows. */
enum { MOST_ROUNDS = 8 };

_Static_assert (sizeof (struct share_link) == SHARE_LINE,
                "a link is a line of a cache");

/* ---- lists ---- */

/* Room for n numbers in all, at least one. */
static inline int list_reserve (struct share_list *list, size_t n,
                                tori_error *err)
{
    uint32_t *more = array_room (list->item, &list->room, n, sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    list->item = more;
    return 0;
}

static int list_add (struct share_list *list, uint32_t item, tori_error *err)
{
    if (list_reserve (list, list->n + 1, err) < 0)
        return -1;
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
    share->free = SHARE_NONE;
    share->nlinks = nlinks;
    share->links = aligned_alloc (SHARE_LINE,
                                  (nlinks + 1) * sizeof *share->links);
    if (!share->links) {
        free (share);
        return tori_error_nomem (err);
    }
    for (size_t i = 0; i < nlinks; i++)
        share->links[i] = (struct share_link){.capacity = capacity[i],
                                              .place = SHARE_NONE};
    *ret_share = share;
    return 0;
}

void share_destroy (struct share *share)
{
    if (!share)
        return;
    for (size_t i = 0; i < share->nlinks; i++)
        if (share->links[i].room)
            free (share->links[i].list.many);
    for (size_t i = 0; i < share->nflows; i++)
        free (share->flows[i].links);
    free (share->links);
    free (share->flows);
    free (share->dirty_links.item);
    free (share->dirty_flows.item);
    free (share->part_links.item);
    free (share->part_flows.item);
    free (share->changed.item);
    free (share->part_hops.item);
    free (share->part);
    free (share->queue.made);
    free (share->queue.sorted);
    free (share->queue.raised);
    free (share);
}

/* ---- flows come and go ---- */

/* Whether the flows of a link could fill it. */
static bool can_fill (const struct share_link *link)
{
    return link->wanted > link->capacity;
}

/* A flow has gone from a link that is the bottleneck of others. */
static int mark_link (struct share *share, uint32_t number, tori_error *err)
{
    if (list_add (&share->dirty_links, number, err) < 0)
        return -1;
    share->links[number].marked = true;
    return 0;
}

/* A number for a new flow: one that is free, or the next. */
static int take_number (struct share *share, uint32_t *ret_flow,
                        tori_error *err)
{
    struct share_flow *more;
    if (share->free != SHARE_NONE) {
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
    flow->nlinks = 0;
    flow->next = share->free;
    share->free = number;
}

/* Room for one flow more. */
static int grow_link (struct share_link *link, tori_error *err)
{
    uint32_t room = 2 * (link->room ? link->room : SHARE_FEW);
    uint32_t *more = reallocarray (link->room ? link->list.many : NULL, room,
                                   sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    if (link->room == 0)
        memcpy (more, link->list.few, sizeof link->list.few);
    link->list.many = more;
    link->room = room;
    return 0;
}

static int enter_link (struct share_link *link, uint32_t number, uint32_t cap,
                       tori_error *err)
{
    uint32_t room = link->room ? link->room : SHARE_FEW;
    uint32_t *flows;
    if (link->nflows == room && grow_link (link, err) < 0)
        return -1;
    flows = link->room ? link->list.many : link->list.few;
    flows[link->nflows++] = number;
    link->wanted += cap;
    return 0;
}

/* The last flow of the link's list takes its place. Lists are short, and long
 * ones are walked more often than this. */
static void leave_link (struct share_link *link, uint32_t number, uint32_t cap)
{
    uint32_t *flow = link->room ? link->list.many : link->list.few;
    uint32_t last = flow[--link->nflows];
    while (*flow != number)
        flow++;
    *flow = last;
    link->wanted -= cap;
}

/* The rate of a flow is to be found. */
static int mark_flow (struct share *share, uint32_t number, tori_error *err)
{
    if (share->flows[number].marked)
        return 0;
    if (list_add (&share->dirty_flows, number, err) < 0)
        return -1;
    share->flows[number].marked = true;
    return 0;
}

int share_extend (struct share *share, uint32_t number, uint32_t link,
                  tori_error *err)
{
    struct share_flow *flow = &share->flows[number];
    uint32_t *route = array_room (flow->links, &flow->room, flow->nlinks + 1,
                                  sizeof *route);
    if (!route)
        return tori_error_nomem (err);
    flow->links = route;
    if (mark_flow (share, number, err) < 0
        || enter_link (&share->links[link], number, flow->cap, err) < 0)
        return -1;
    route[flow->nlinks++] = link;
    return 0;
}

/* Enter a flow on its links, on all or on none. */
static int insert_flow (struct share *share, uint32_t number,
                        const uint32_t links[], size_t n, tori_error *err)
{
    struct share_flow *flow = &share->flows[number];
    uint32_t *route = array_room (flow->links, &flow->room, n, sizeof *route);
    if (!route)
        return tori_error_nomem (err);
    flow->links = route;
    for (size_t i = 0; i < n; i++) {
        route[i] = links[i];
        if (enter_link (&share->links[links[i]], number, flow->cap, err) < 0) {
            while (i-- > 0)
                leave_link (&share->links[links[i]], number, flow->cap);
            return -1;
        }
    }
    return 0;
}

int share_add (struct share *share, const uint32_t links[], size_t n,
               uint32_t cap, uint32_t *ret_flow, tori_error *err)
{
    uint32_t number = 0;
    struct share_flow *flow;
    if (take_number (share, &number, err) < 0)
        return -1;
    flow = &share->flows[number];
    flow->cap = cap;
    if (mark_flow (share, number, err) < 0
        || insert_flow (share, number, links, n, err) < 0) {
        give_back (share, number);
        return -1;
    }
    flow->rate = 0;
    flow->bottleneck = SHARE_NONE;
    flow->nlinks = (uint32_t)n;
    *ret_flow = number;
    return 0;
}

int share_remove (struct share *share, uint32_t number, tori_error *err)
{
    struct share_flow *flow = &share->flows[number];
    if (flow->bottleneck != SHARE_NONE)
        share->links[flow->bottleneck].bound--;
    for (uint32_t i = 0; i < flow->nlinks; i++) {
        struct share_link *link = &share->links[flow->links[i]];
        leave_link (link, number, flow->cap);
        if (link->bound > 0 && !link->marked
            && mark_link (share, flow->links[i], err) < 0)
            return -1;
    }
    give_back (share, number);
    return 0;
}

/* ---- whose rates may change ---- */

/* Room to look at that many more links. */
static int part_reserve (struct share *share, size_t links, tori_error *err)
{
    size_t n = share->part_links.n + links + 1;
    struct share_part *part =
        array_room (share->part, &share->part_room, n, sizeof *part);
    if (!part)
        return tori_error_nomem (err);
    share->part = part;
    if (list_reserve (&share->part_links, n, err) < 0)
        return -1;
    return list_reserve (&share->part_hops, share->part_hops.n + links + 1, err);
}

/* Visit a link that could be full, or no longer is. */
static uint32_t see_link (struct share *share, uint32_t number)
{
    struct share_link *link = &share->links[number];
    if (link->place == SHARE_NONE) {
        link->place = (uint32_t)share->part_links.n++;
        share->part_links.item[link->place] = number;
        share->part[link->place].seen = 0;
    }
    return link->place;
}

/* The rate of a flow is to be found anew. */
static int see_flow (struct share *share, uint32_t number, tori_error *err)
{
    struct share_flow *flow = &share->flows[number];
    size_t n = share->part_hops.n;
    if (flow->seen)
        return 0;
    if (list_add (&share->part_flows, number, err) < 0
        || part_reserve (share, flow->nlinks, err) < 0)
        return -1;
    flow->seen = true;
    flow->before = flow->rate;
    flow->hops = (uint32_t)n;
    for (uint32_t i = 0; i < flow->nlinks; i++)
        if (can_fill (&share->links[flow->links[i]])) {
            uint32_t place = see_link (share, flow->links[i]);
            share->part_hops.item[n++] = place;
            share->part[place].seen++;
        }
    flow->nhops = (uint32_t)(n - share->part_hops.n);
    share->part_hops.n = n;
    return 0;
}

/* Flows that have more than their part of a link will probably lose some of it
 * to new ones, so they are visited at once. */
static int see_faster (struct share *share, uint32_t number, tori_error *err)
{
    const struct share_link *link = &share->links[number];
    double part = (1 + TINY) * link->capacity / link->nflows;
    if (share->part[link->place].seen == link->nflows)
        return 0;
    for (uint32_t i = 0; i < link->nflows; i++) {
        uint32_t flow = share_flows (link)[i];
        if (share->flows[flow].rate > part && see_flow (share, flow, err) < 0)
            return -1;
    }
    return 0;
}

static int see_changes (struct share *share, tori_error *err)
{
    for (size_t i = 0; i < share->dirty_flows.n; i++) {
        uint32_t number = share->dirty_flows.item[i];
        if (share->flows[number].nlinks > 0
            && see_flow (share, number, err) < 0)
            return -1;
    }
    for (size_t i = 0, n = share->part_links.n; i < n; i++)
        if (see_faster (share, share->part_links.item[i], err) < 0)
            return -1;
    if (part_reserve (share, share->dirty_links.n, err) < 0)
        return -1;
    for (size_t i = 0; i < share->dirty_links.n; i++)
        see_link (share, share->dirty_links.item[i]);
    return 0;
}

/* All flows that are connected with these over links that could be full. */
static int see_connected (struct share *share, tori_error *err)
{
    for (size_t i = 0; i < share->part_links.n; i++) {
        const struct share_link *link =
            &share->links[share->part_links.item[i]];
        for (uint32_t u = 0; u < link->nflows; u++)
            if (see_flow (share, share_flows (link)[u], err) < 0)
                return -1;
    }
    return 0;
}

/* The load of a link: its sum, the fastest flow, and the slowest of the flows
 * that have just got it as their bottleneck. */
struct load {
    double sum, most, least;
};

static struct load load_of (const struct share *share, uint32_t number)
{
    const struct share_link *link = &share->links[number];
    const uint32_t *flows = share_flows (link);
    struct load load = {0, 0, HUGE_VAL};
    for (uint32_t i = 0; i < link->nflows; i++) {
        const struct share_flow *flow = &share->flows[flows[i]];
        load.sum += flow->rate;
        if (flow->rate > load.most)
            load.most = flow->rate;
        if (flow->seen && flow->bottleneck == number
            && flow->rate < load.least)
            load.least = flow->rate;
    }
    return load;
}

/* Visit flows on a link that need a new rate: those whose bottleneck it was
 * and no longer is, and those that are faster than one whose bottleneck it is
 * now. */
static int check_link (struct share *share, uint32_t number, tori_error *err)
{
    const struct share_link *link = &share->links[number];
    double nearly = TINY * link->capacity;
    struct load load;
    bool full;
    if (link->bound == 0 || share->part[link->place].seen == link->nflows)
        return 0;
    load = load_of (share, number);
    full = load.sum >= link->capacity - nearly;
    for (uint32_t i = 0; i < link->nflows; i++) {
        uint32_t other = share_flows (link)[i];
        const struct share_flow *flow = &share->flows[other];
        bool lost = flow->bottleneck == number
                    && (!full || flow->rate < load.most - nearly);
        if (!flow->seen && (lost || flow->rate > load.least + nearly)
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

/* ---- until no other flow is affected ---- */

static int fill_rates (struct share *share, tori_error *err)
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
        share->links[share->part_links.item[i]].place = SHARE_NONE;
    for (size_t i = 0; i < share->part_flows.n; i++)
        share->flows[share->part_flows.item[i]].seen = false;
    for (size_t i = 0; i < share->dirty_links.n; i++)
        share->links[share->dirty_links.item[i]].marked = false;
    for (size_t i = 0; i < share->dirty_flows.n; i++)
        share->flows[share->dirty_flows.item[i]].marked = false;
    share->part_links.n = share->part_flows.n = share->part_hops.n = 0;
    share->dirty_links.n = share->dirty_flows.n = 0;
}

int share_fill (struct share *share, tori_error *err)
{
    share->changed.n = 0;
    if (fill_rates (share, err) < 0 || list_changes (share, err) < 0)
        return -1;
    forget_part (share);
    return 0;
}
