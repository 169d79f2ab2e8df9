/* check.c - checks all invariants that hold between two cycles. */
#include <inttypes.h>
#include <stdlib.h>

#include "drain.h"
#include "router.h"

struct sums {
    uint64_t flits;  /* in buffers of links */
    uint64_t queued; /* at their source */
};

static int report_wrong (const struct fabric *f, tori_error *err,
                         const char *what, uint32_t number)
{
    return tori_error_set (err, TORI_FAILED, "%s: node %" PRIu32 ", number %u",
                           what, node_of (f, number),
                           buffer_here (f, number));
}

/* Places in the buffer after a lane of a link. */
static int check_places (const struct fabric *f, uint32_t number, size_t all,
                         struct sums *sums, tori_error *err)
{
    const struct net_lane *lane = &f->lanes[number];
    uint32_t to = lane_at (f, f->to_way[number >> f->lane_bits],
                           lane_channel (f, number));
    uint64_t there = buffer_flits (f, to);
    sums->flits += there;
    if (lane->credits + there != all)
        return report_wrong (f, err, "places are neither credits nor flits",
                             number);
    return 0;
}

static int check_lane (const tori_net *net, uint32_t number, tori_error *err)
{
    const struct fabric *f = &net->fabric;
    const struct net_lane *lane = &f->lanes[number];
    uint32_t way = number >> f->lane_bits;
    bool ready = f->ways[way].ready >> lane_channel (f, number) & 1;
    bool frozen;
    if (lane->owner != NO_OWNER) {
        const struct buffer *buffer =
            &f->buffers[buffer_at (f, number, lane->owner)];
        if (buffer->lane != number || buffer->left == 0 || buffer->count == 0)
            return report_wrong (f, err, "a lane belongs to no packet",
                                 number);
    }
    if (bits_test (f->active, way) != (f->ways[way].ready != 0))
        return report_wrong (f, err, "a way is asleep", number);
    drains_held (net, number, &frozen);
    if (frozen)
        return 0;
    if (!ready && lane_usable (net, number))
        return report_wrong (f, err, "a lane is asleep", number);
    if (ready && net->plain && !lane_usable (net, number))
        return report_wrong (f, err, "a lane is awake in vain", number);
    return 0;
}

/* A buffer's first packet has a lane or waits for one, and not both. */
static int check_buffer (const tori_net *net, uint32_t number,
                         tori_error *err)
{
    const struct fabric *f = &net->fabric;
    const struct buffer *buffer = &f->buffers[number];
    unsigned here = buffer_here (f, number), owned = 0, waits = 0;
    uint32_t end = 1u << (f->way_bits + f->lane_bits);
    for (uint32_t i = 0; i < end; i++) {
        uint32_t l = buffer_at (f, number, i);
        const struct net_lane *lane = &f->lanes[l];
        bool frozen;
        owned += lane->owner == here;
        waits += (lane->waiting | drains_held (net, l, &frozen)) >> here & 1;
    }
    if (buffer->count == 0)
        return owned || waits ? report_wrong (f, err, "nothing waits", number)
                              : 0;
    if (owned + (waits > 0) != 1 || (!f->adaptive && waits > 1))
        return report_wrong (f, err, "a packet has not one way to go", number);
    if (waits && buffer->left != f->packets[buffer->packet].length)
        return report_wrong (f, err, "part of a packet waits", number);
    if (buffer->avail > buffer->left)
        return report_wrong (f, err, "a packet is longer than it is", number);
    return 0;
}

static int check_node (const tori_net *net, uint32_t node, struct sums *sums,
                       tori_error *err)
{
    const struct fabric *f = &net->fabric;
    const struct buffer *own = &f->buffers[own_buffer (f, node)];
    uint32_t begin = lane_at (f, way_at (f, node, 0), 0);
    uint32_t end = begin + (1u << (f->way_bits + f->lane_bits));
    for (uint32_t i = begin; i < end; i++)
        if (check_lane (net, i, err) < 0 || check_buffer (net, i, err) < 0)
            return -1;
    if (own->count)
        sums->queued += own->left;
    for (uint32_t p = f->sources[node].first; p != NO_PACKET;
         p = f->packets[p].next)
        sums->queued += f->packets[p].length;
    return 0;
}

static int check_links (const tori_net *net, struct sums *sums,
                        tori_error *err)
{
    const struct fabric *f = &net->fabric;
    for (size_t i = 0; i < net->links; i++)
        for (unsigned v = 0; v < net->config.vcs; v++)
            if (check_places (f, lane_at (f, net->link[i], v),
                              net->config.buffer, sums, err)
                < 0)
                return -1;
    return 0;
}

int tori_net_check (const tori_net *net, tori_error *err)
{
    struct sums sums = {0};
    uint64_t owed = net->owed_before;
    for (uint32_t node = 0; node < net->fabric.nodes; node++)
        if (check_node (net, node, &sums, err) < 0)
            return -1;
    if (check_links (net, &sums, err) < 0)
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
