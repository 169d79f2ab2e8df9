/* share.h - links shared fairly by flows.
 *
 * Rates are max-min fair: no rate can be raised without lowering another that
 * is not larger (D. Bertsekas and R. Gallager, "Data Networks", 1992, section
 * 6.5.2). Every flow then has a bottleneck, a link that is full and on which
 * no other flow is faster. They are found by filling (fill.c).
 *
 * A machine has many jobs, and at a time only one of them begins or ends
 * something. Most links can never be full: their flows, each at its cap, would
 * not fill them. These links are left out. Most rates also stay. At first,
 * only the new flows get rates, by filling what the others leave. Then each
 * link that was visited is checked. Flows whose bottleneck it was and is no
 * longer need new rates as well, and so do flows that are faster than one
 * whose bottleneck it is now. This goes on until every flow has a bottleneck;
 * then the rates are the fair ones.
 */
#ifndef TORI_NET_SHARE_H
#define TORI_NET_SHARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tori/error.h>

#define SHARE_NONE UINT32_MAX

struct share_flow {
    uint32_t *links; /* of its route */
    size_t room;
    uint32_t nlinks; /* 0: not in use */
    uint32_t cap;
    double rate, before; /* before: it was found anew */
    uint32_t bottleneck;  /* a link; SHARE_NONE: its cap */
    uint32_t next;        /* of those not in use */
    uint32_t hops, nhops; /* of the part, if seen */
    bool fixed;           /* while filling: it has its rate */
    bool seen, marked;
};

/* Most links have few flows, which are kept with the link: all of it is a line
 * of a cache. */
enum { SHARE_FEW = 8, SHARE_LINE = 64 };

struct share_link {
    uint32_t nflows; /* that use it, each once */
    uint32_t room;   /* for more than a few: 0 if they are here */
    uint32_t capacity;
    uint32_t bound;  /* flows whose bottleneck it is */
    uint64_t wanted; /* sum of the caps */
    uint32_t place;  /* in the part; SHARE_NONE: not looked at */
    bool marked;
    union {
        uint32_t few[SHARE_FEW];
        uint32_t *many;
    } list;
};

static inline const uint32_t *share_flows (const struct share_link *link)
{
    return link->room ? link->list.many : link->list.few;
}

/* A list of numbers that grows. */
struct share_list {
    uint32_t *item;
    size_t n, room;
};

/* A link that is looked at, while it is filled. */
struct share_part {
    double left;   /* not yet given away */
    uint32_t open; /* flows that have no rate yet */
    uint32_t seen; /* flows of the part */
};

/* The offer of a link to each of its flows that have no rate yet. */
struct share_offer {
    double rate;
    uint32_t order; /* in which they were made: breaks ties */
    uint32_t place; /* of the link; in a bucket, of the next one there */
};

enum { SHARE_BUCKETS = 128 };

/* Offers, the least first. */
struct share_queue {
    struct share_offer *made;   /* by place, in buckets by their rate */
    struct share_offer *sorted; /* of the bucket whose turn it is */
    struct share_offer *raised; /* into that bucket, since: a heap */
    size_t at, nraised, room;   /* at: the next of those sorted */
    double cap, scale;          /* scale: buckets a unit */
    uint32_t order;
    uint32_t bucket;
    uint32_t first[SHARE_BUCKETS]; /* place */
};

struct share {
    struct share_link *links;
    size_t nlinks;
    struct share_flow *flows;
    size_t nflows, room; /* in use or free */
    uint32_t free;
    struct share_list dirty_links, dirty_flows;
    struct share_list part_links, part_flows; /* that are looked at */
    struct share_list part_hops; /* places of links, of one flow after the
                                    other */
    struct share_part *part; /* by place */
    size_t part_room;
    struct share_queue queue;
    struct share_list changed; /* flows whose rate has changed */
};

/* Links of capacity 1 or more each. */
int share_create (const uint32_t capacity[], size_t nlinks,
                  struct share **ret_share, tori_error *err);
void share_destroy (struct share *share);

/* A flow over at least one link, which is never faster than its cap of 1 or
 * more; it has no rate before share_fill. */
int share_add (struct share *share, const uint32_t links[], size_t n,
               uint32_t cap, uint32_t *ret_flow, tori_error *err);

/* Add a link to a flow. */
int share_extend (struct share *share, uint32_t flow, uint32_t link,
                  tori_error *err);

/* Remove a flow; its number may be given to another. */
int share_remove (struct share *share, uint32_t flow, tori_error *err);

/* Make rates fair again after flows have come and gone. `changed` is then the
 * list of the flows whose rate has changed. After a failure (memory) it can
 * only be destroyed. */
int share_fill (struct share *share, tori_error *err);

/* ---- fill.c ---- */

/* Find the rates of the flows of the part, with the capacity that others
 * leave. */
int fill_part (struct share *share, tori_error *err);

#endif
