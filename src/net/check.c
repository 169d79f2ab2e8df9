/* What must hold between two cycles, by going through everything. */
#include <inttypes.h>
#include <stdlib.h>

#include "router.h"

struct sums {
    uint64_t flits;  /* in buffers of links */
    uint64_t queued; /* at their source */
};

static int wrong (tori_error *err, const char *what, uint32_t node,
                  unsigned number)
{
    return tori_error_set (err, TORI_FAILED, "%s: node %" PRIu32 ", number %u",
                           what, node, number);
}

/* Flits in a buffer of a link. */
static uint64_t held (const tori_net *net, struct router *router,
                      unsigned number)
{
    const struct buffer *buffer = &buffers_of (net, router)[number];
    const uint32_t *ring = ring_of (net, router, number);
    uint64_t sum;
    if (buffer->count == 0)
        return 0;
    sum = buffer->avail;
    for (unsigned i = 0; i + 1 < buffer->count; i++)
        sum += net->packets[ring[(buffer->head + i) % net->config.buffer]]
                   .length;
    return buffer->count > 1 ? sum - buffer->missing : sum;
}

static int check_link (const tori_net *net, uint32_t node, unsigned number,
                       struct sums *sums, tori_error *err)
{
    struct router *router = router_at (net, node);
    const struct lane *lane = &lanes_of (router)[number];
    unsigned p = net->direction_of[number];
    uint32_t to = net->to[(size_t)node * net->directions + p];
    uint64_t there;
    if (to == NO_NODE)
        return lane->waiting || lane->owner != NO_OWNER
                   ? wrong (err, "a packet wants a link that is not there",
                            node, number)
                   : 0;
    there = held (net, router_at (net, to), number);
    sums->flits += there;
    if (lane->credits + there != net->config.buffer)
        return wrong (err, "places are neither credits nor flits", node,
                      number);
    return 0;
}

/* Whether a flit could leave by a lane now. */
static bool could_leave (const tori_net *net, struct router *router,
                         unsigned number)
{
    const struct lane *lane = &lanes_of (router)[number];
    const struct buffer *buffers = buffers_of (net, router);
    if (lane->credits == 0)
        return false;
    if (lane->owner != NO_OWNER)
        return buffers[lane->owner].avail > 0;
    return net->plain && lane->waiting;
}

static int check_lane (const tori_net *net, uint32_t node, unsigned number,
                       tori_error *err)
{
    struct router *router = router_at (net, node);
    const struct lane *lane = &lanes_of (router)[number];
    const struct buffer *buffers = buffers_of (net, router);
    bool ready = router->ready >> number & 1;
    if (lane->owner != NO_OWNER
        && (buffers[lane->owner].lane != number
            || buffers[lane->owner].left == 0
            || buffers[lane->owner].count == 0))
        return wrong (err, "a lane belongs to no packet", node, number);
    if (ready && !bits_test (net->active, node))
        return wrong (err, "a router is asleep", node, number);
    if (!ready && could_leave (net, router, number))
        return wrong (err, "a lane is asleep", node, number);
    if (ready && net->plain && !could_leave (net, router, number))
        return wrong (err, "a lane is awake in vain", node, number);
    return 0;
}

/* A buffer's first packet has a lane or waits for one, and not both. */
static int check_buffer (const tori_net *net, uint32_t node, unsigned number,
                         tori_error *err)
{
    struct router *router = router_at (net, node);
    const struct buffer *buffer = &buffers_of (net, router)[number];
    unsigned owned = 0, waits = 0;
    for (unsigned i = 0; i < net->lanes; i++) {
        owned += lanes_of (router)[i].owner == number;
        waits += lanes_of (router)[i].waiting >> number & 1;
    }
    if (buffer->count == 0)
        return owned || waits ? wrong (err, "nothing waits", node, number) : 0;
    if (owned + (waits > 0) != 1 || (net->escapes == net->config.vcs
                                     && waits > 1))
        return wrong (err, "a packet has not one way to go", node, number);
    if (waits && buffer->left != net->packets[buffer->packet].length)
        return wrong (err, "part of a packet waits", node, number);
    if (buffer->avail > buffer->left)
        return wrong (err, "a packet is longer than it is", node, number);
    return 0;
}

static int check_node (const tori_net *net, uint32_t node, struct sums *sums,
                       tori_error *err)
{
    struct router *router = router_at (net, node);
    const struct buffer *own = &buffers_of (net, router)[net->own];
    for (unsigned i = 0; i < net->lanes; i++)
        if (check_lane (net, node, i, err) < 0)
            return -1;
    for (unsigned i = 0; i <= net->own; i++)
        if (check_buffer (net, node, i, err) < 0)
            return -1;
    for (unsigned i = 0; i < net->own; i++)
        if (check_link (net, node, i, sums, err) < 0)
            return -1;
    if (own->count)
        sums->queued += own->left;
    for (uint32_t p = router->first; p != NO_PACKET;
         p = net->packets[p].next)
        sums->queued += net->packets[p].length;
    return 0;
}

int tori_net_check (const tori_net *net, tori_error *err)
{
    struct sums sums = {0};
    uint64_t owed = net->owed_before;
    for (uint32_t node = 0; node < net->nodes; node++)
        if (check_node (net, node, &sums, err) < 0)
            return -1;
    for (uint32_t job = 0; job < net->jobs; job++)
        owed += net->stats[job].flits_sent - net->stats[job].flits_delivered;
    if (sums.flits != net->flits || sums.flits + sums.queued != owed)
        return tori_error_set (err, TORI_FAILED,
                               "%" PRIu64 " flits under way and %" PRIu64
                               " owed, but %" PRIu64 " in buffers and %" PRIu64
                               " at their source",
                               net->flits, owed, sums.flits, sums.queued);
    return 0;
}
