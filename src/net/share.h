/* share.h - links shared fairly by flows.
 *
 * Rates are max-min fair: none can be made larger without making one smaller
 * that is not larger (D. Bertsekas and R. Gallager, "Data Networks", 1992,
 * section 6.5.2). Every flow then has a bottleneck, a link that is full and on
 * which no other flow is faster. They are found by filling: all rates grow
 * together; when a link is full, its flows stay at what they have.
 *
 * A machine has many jobs, of which one begins or ends something at a time.
 * Most links can never be full: their flows, each at the speed of its slowest
 * link (its cap), would not fill them, and they are left out. And most rates
 * stay: at first only the flows that came have theirs found, by filling what
 * the others leave. Then each link that was looked at is checked. Flows whose
 * bottleneck it was and is no longer, and flows that are faster than one whose
 * bottleneck it is now, are to be found anew as well, and so on, until every
 * flow has a bottleneck; rates with which this is so are the fair ones.
 */
#ifndef TORI_NET_SHARE_H
#define TORI_NET_SHARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tori/error.h>

#include "heap.h"

/* A hop of a flow: a link, and the flow's place in the link's list. */
struct share_hop {
    uint32_t link;
    uint32_t place;
};

struct share_flow {
    struct share_hop *hops;
    size_t room;
    uint32_t nhops; /* 0: not in use */
    uint32_t cap;
    double rate, before; /* before: it was found anew */
    uint32_t bottleneck;  /* a link; UINT32_MAX: its cap */
    uint32_t next;        /* of those not in use */
    bool fixed;    /* while filling */
    bool seen, marked;
};

struct share_use {
    uint32_t flow;
    uint32_t hop;
};

struct share_link {
    uint32_t capacity;
    uint32_t nuses;
    struct share_use *uses;
    size_t room;
    uint64_t wanted; /* sum of the caps */
    double left;     /* while filling: not yet given away, and to how many */
    uint32_t open;
    bool seen, marked;
};

/* A list of numbers that grows. */
struct share_list {
    uint32_t *item;
    size_t n, room;
};

struct share {
    struct share_link *links;
    size_t nlinks;
    struct share_flow *flows;
    size_t nflows, room; /* in use or free */
    uint32_t free;
    struct share_list dirty_links, dirty_flows;
    struct share_list part_links, part_flows; /* that are looked at */
    struct heap order;                        /* links by what they offer */
    struct share_list changed; /* flows whose rate is another one now */
};

/* Links of capacity 1 or more each. */
int share_create (const uint32_t capacity[], size_t nlinks,
                  struct share **ret_share, tori_error *err);
void share_destroy (struct share *share);

/* A flow over at least one link; it has no rate before share_fill. */
int share_add (struct share *share, const uint32_t links[], size_t n,
               uint32_t *ret_flow, tori_error *err);

/* Remove a flow; its number may be given to another. */
int share_remove (struct share *share, uint32_t flow, tori_error *err);

/* Make rates fair again after flows have come and gone. `changed` is then the
 * list of those flows whose rate is another one. After a failure (memory)
 * there is nothing left to do but to destroy it. */
int share_fill (struct share *share, tori_error *err);

#endif
