/* adaptive.c - adaptive routing: a packet asks for the lane of dimension
 * order, and for the other channels of all links that lead nearer. */
#include "router.h"

/* The next packet in turn may be able to take the lane although this one was
 * not. */
static void stop_asking (const struct fabric *f, uint32_t number,
                         uint32_t buffer)
{
    struct net_lane *lane = &f->lanes[number];
    lane->waiting &= ~(UINT64_C (1) << buffer_here (f, buffer));
    lane_wake (f, number,
               lane->waiting && lane->owner == NO_OWNER && lane->credits > 0);
}

typedef void visitor (const struct fabric *f, uint32_t number,
                      uint32_t buffer);

static void all_lanes (const tori_net *net, uint32_t buffer, visitor *visit)
{
    const struct fabric *f = &net->fabric;
    struct packet *packet = &f->packets[f->buffers[buffer].packet];
    uint32_t node = node_of (f, buffer);
    uint8_t ways[TORI_MAX_DIMS];
    unsigned n = route_ways (net, node, packet, ways);
    visit (f, route_lane (net, f, node, packet), buffer);
    for (unsigned i = 0; i < n; i++)
        for (unsigned v = net->escapes; v < net->config.vcs; v++)
            visit (f, lane_at (f, way_at (f, node, ways[i]), v), buffer);
}

void adaptive_ask (const tori_net *net, uint32_t buffer)
{
    all_lanes (net, buffer, lane_ask);
}

void adaptive_granted (const tori_net *net, uint32_t buffer)
{
    all_lanes (net, buffer, stop_asking);
}
