/* The first packet of a buffer asks for lanes: in dimension order for one, the
 * same for all messages of its pair, adaptively for several. */
#include "router.h"

static void ask (tori_net *net, uint32_t node, struct router *router,
                 unsigned buffer, unsigned number)
{
    struct lane *lane = &lanes_of (router)[number];
    lane->waiting |= UINT64_C (1) << buffer;
    if (lane->owner == NO_OWNER && lane->credits > 0)
        router_wake (net, node, router, number);
}

/* The next in turn may be able to take the lane where this one was not. */
static void stop (tori_net *net, uint32_t node, struct router *router,
                  unsigned buffer, unsigned number)
{
    struct lane *lane = &lanes_of (router)[number];
    lane->waiting &= ~(UINT64_C (1) << buffer);
    if (lane->waiting && lane->owner == NO_OWNER && lane->credits > 0)
        router_wake (net, node, router, number);
}

typedef void visitor (tori_net *net, uint32_t node, struct router *router,
                      unsigned buffer, unsigned number);

/* The lane of a hop in dimension order. */
static unsigned lane_of (const tori_net *net, const struct packet *packet,
                         unsigned hop)
{
    unsigned p = hop & HOP_DIRECTION;
    const struct direction *way = &net->direction[p];
    int class = NO_RING;
    if (p < net->directions && way->ring)
        class = hop & HOP_WRAP || packet->low >> way->dim & 1 ? BEFORE_WRAP
                                                              : AFTER_WRAP;
    return p * net->config.vcs + packet->lane[class];
}

/* The channels of every direction that leads nearer, but for the first. */
static void adaptive_lanes (tori_net *net, uint32_t node,
                            struct router *router, unsigned buffer,
                            const struct packet *packet, visitor *visit)
{
    uint8_t ways[TORI_MAX_DIMS];
    unsigned n = route_ways (net, node, packet, ways), vcs = net->config.vcs;
    for (unsigned i = 0; i < n; i++)
        for (unsigned v = net->escapes; v < vcs; v++)
            visit (net, node, router, buffer, ways[i] * vcs + v);
}

static void all_lanes (tori_net *net, uint32_t node, struct router *router,
                       unsigned buffer, visitor *visit)
{
    const struct packet *packet =
        &net->packets[buffers_of (net, router)[buffer].packet];
    visit (net, node, router, buffer,
           lane_of (net, packet, route_first (net, node, packet)));
    if (net->escapes < net->config.vcs)
        adaptive_lanes (net, node, router, buffer, packet, visit);
}

void head_ask (tori_net *net, uint32_t node, struct router *router,
               unsigned buffer)
{
    all_lanes (net, node, router, buffer, ask);
}

void head_granted (tori_net *net, uint32_t node, struct router *router,
                   unsigned buffer)
{
    all_lanes (net, node, router, buffer, stop);
}
