/* A cycle: routers choose, then moves are carried out. See router.h. */
#include "router.h"

/* ---- what leaves ---- */

/* The first of the bits behind `last`, round. */
static inline unsigned in_turn (uint64_t bits, unsigned last)
{
    uint64_t behind = bits & ~bits_low (last + 1);
    return (unsigned)__builtin_ctzll (behind ? behind : bits);
}

/* The credits without which a packet does not begin. */
static uint32_t credits_to_begin (const tori_net *net, unsigned number,
                                  uint32_t length)
{
    if (number >= net->own)
        return 1;
    if (net->config.switching == TORI_CUT_THROUGH)
        return length;
    return number % net->config.vcs < net->escapes ? 1 : net->config.buffer;
}

/* Take a flit out of a buffer by a lane. Returns whether another may follow by
 * this lane. */
static inline bool leave (tori_net *net, uint32_t node, struct router *router,
                          struct lane *lane, unsigned number,
                          struct move **moves)
{
    struct move *move = (*moves)++;
    bool first = lane->owner == NO_OWNER;
    unsigned from = first ? in_turn (lane->waiting, lane->last) : lane->owner;
    struct buffer *buffer = &buffers_of (net, router)[from];
    bool last = buffer->left == 1;
    *move = (struct move){.node = node,
                          .packet = buffer->packet,
                          .from = (uint8_t)from,
                          .lane = (uint8_t)number,
                          .first = first,
                          .last = last};
    buffer->avail--;
    buffer->left--;
    lane->credits -= number < net->own;
    if (first) {
        lane->waiting &= ~(UINT64_C (1) << from);
        lane->last = (uint8_t)from;
        lane->owner = (uint8_t)from;
        buffer->lane = (uint16_t)number;
        if (net->escapes < net->config.vcs)
            head_granted (net, node, router, from);
        if (from == net->own)
            net->packets[buffer->packet].entered = net->time;
    }
    if (!last)
        return buffer->avail && lane->credits;
    lane->owner = NO_OWNER;
    return lane->waiting && lane->credits;
}

/* Whether a lane that is ready can be used: for certain if routing is plain.
 */
static inline bool usable (const tori_net *net, struct router *router,
                           const struct lane *lane, unsigned number)
{
    const struct buffer *buffers = buffers_of (net, router);
    const struct buffer *head;
    if (net->plain || lane->owner != NO_OWNER)
        return true;
    if (!lane->waiting)
        return false;
    head = &buffers[in_turn (lane->waiting, lane->last)];
    return lane->credits >= credits_to_begin (net, number, head->left);
}

/* Up to `width` flits by the lanes of one direction. */
static inline void leave_by (tori_net *net, uint32_t node,
                             struct router *router, unsigned p,
                             struct move **moves)
{
    unsigned base = p * net->config.vcs, width = net->config.width;
    uint8_t *turn = &lanes_of (router)[base].turn;
    uint64_t ready;
    while (width && (ready = router->ready >> base & net->group)) {
        unsigned v = in_turn (ready, *turn), number = base + v;
        struct lane *lane = &lanes_of (router)[number];
        bool more = false;
        if (usable (net, router, lane, number)) {
            more = leave (net, node, router, lane, number, moves);
            *turn = (uint8_t)v;
            width--;
        }
        if (!more)
            router->ready &= ~(UINT64_C (1) << number);
    }
}

/* All that a router sends, the directions from the `first`-th lane on, round:
 * an adaptive packet takes the first lane that is given to it. */
static inline void router_choose (tori_net *net, uint32_t node,
                                  struct router *router, uint64_t first,
                                  struct move **moves)
{
    uint64_t part[] = {router->ready & ~first, router->ready & first};
    for (int i = 0; i < 2; i++)
        while (part[i]) {
            unsigned p = net->direction_of[__builtin_ctzll (part[i])];
            part[i] &= ~(net->group << p * net->config.vcs);
            leave_by (net, node, router, p, moves);
        }
}

/* Returns how many flits move. */
static size_t choose_moves (tori_net *net)
{
    struct move *moves = net->moves;
    uint64_t first = 0;
    if (net->escapes < net->config.vcs && net->directions > 0)
        first = bits_low ((unsigned)(net->time % net->directions)
                          * net->config.vcs);
    for (size_t w = 0; w < bits_words (net->nodes); w++) {
        uint64_t asleep = 0;
        for (uint64_t left = net->active[w]; left; left &= left - 1) {
            uint32_t node =
                (uint32_t)(64 * w) + (uint32_t)__builtin_ctzll (left);
            struct router *router = router_at (net, node);
            router_choose (net, node, router, first, &moves);
            if (!router->ready)
                asleep |= left & -left;
        }
        net->active[w] &= ~asleep;
    }
    return (size_t)(moves - net->moves);
}

/* ---- what comes of it ---- */

/* A place has become free behind a lane. */
static inline void credit (tori_net *net, uint32_t node, unsigned number)
{
    struct router *router = router_at (net, node);
    struct lane *lane = &lanes_of (router)[number];
    lane->credits++;
    if (lane->owner == NO_OWNER
            ? lane->waiting != 0
            : buffers_of (net, router)[lane->owner].avail > 0)
        router_wake (net, node, router, number);
}

/* A packet is now the first in its buffer, with `avail` flits there. */
static inline void come_first (tori_net *net, uint32_t node,
                               struct router *router, unsigned number,
                               uint32_t packet, uint32_t avail)
{
    struct buffer *buffer = &buffers_of (net, router)[number];
    buffer->packet = packet;
    buffer->left = net->packets[packet].length;
    buffer->avail = avail;
    head_ask (net, node, router, number);
}

void source_next (tori_net *net, uint32_t node, struct router *router)
{
    struct buffer *buffer = &buffers_of (net, router)[net->own];
    uint32_t packet = router->first;
    buffer->count = packet != NO_PACKET;
    if (packet == NO_PACKET)
        return;
    router->first = net->packets[packet].next;
    come_first (net, node, router, net->own, packet,
                net->packets[packet].length);
}

/* The last flit of a buffer's first packet has left it. */
static inline void next_packet (tori_net *net, uint32_t node,
                                struct router *router, unsigned number)
{
    struct buffer *buffer = &buffers_of (net, router)[number];
    uint32_t packet, avail;
    if (number == net->own) {
        source_next (net, node, router);
        return;
    }
    if (--buffer->count == 0)
        return;
    packet = ring_of (net, router, number)[buffer->head];
    avail = net->packets[packet].length;
    if (buffer->count == 1)
        avail -= buffer->missing;
    if (++buffer->head == net->config.buffer)
        buffer->head = 0;
    come_first (net, node, router, number, packet, avail);
}

/* The first flit of a packet comes into a buffer. */
static inline void packet_arrives (tori_net *net, uint32_t node,
                                   struct router *router, unsigned number,
                                   uint32_t packet)
{
    struct buffer *buffer = &buffers_of (net, router)[number];
    buffer->missing = net->packets[packet].length - 1;
    if (buffer->count++ == 0) {
        come_first (net, node, router, number, packet, 1);
    } else {
        uint32_t end = buffer->head + buffer->count - 2u;
        if (end >= net->config.buffer)
            end -= net->config.buffer;
        ring_of (net, router, number)[end] = packet;
    }
}

/* Another flit of it comes. */
static inline void flit_arrives (tori_net *net, uint32_t node,
                                 struct router *router, unsigned number)
{
    struct buffer *buffer = &buffers_of (net, router)[number];
    buffer->missing--;
    if (buffer->count > 1 || buffer->avail++ > 0)
        return;
    if (lanes_of (router)[buffer->lane].credits > 0)
        router_wake (net, node, router, buffer->lane);
}

static inline void arrive (tori_net *net, const struct move *move)
{
    unsigned p = net->direction_of[move->lane];
    size_t at = (size_t)move->node * net->directions + p;
    uint32_t node = net->to[at];
    struct router *router = router_at (net, node);
    net->carried[at]++;
    if (move->first)
        packet_arrives (net, node, router, move->lane, move->packet);
    else
        flit_arrives (net, node, router, move->lane);
}

/* A flit has come out at its destination. */
static inline void deliver (tori_net *net, const struct move *move)
{
    const struct packet *packet = &net->packets[move->packet];
    net->flits--;
    net->stats[net->messages[packet->message].is.job].flits_delivered++;
    if (move->last)
        packet_delivered (net, move->packet);
}

static inline void carry_out (tori_net *net, const struct move *move)
{
    if (move->from == net->own) {
        net->flits++;
    } else {
        unsigned p = net->direction_of[move->from];
        credit (net, net->from[(size_t)move->node * net->directions + p],
                move->from);
    }
    if (move->last)
        next_packet (net, move->node, router_at (net, move->node),
                     move->from);
    if (move->lane < net->own)
        arrive (net, move);
    else
        deliver (net, move);
}

void tori_net_step (tori_net *net)
{
    size_t n = net->awake ? choose_moves (net) : 0;
    for (size_t i = 0; i < n; i++)
        carry_out (net, &net->moves[i]);
    /* If nothing moves nothing changes, and nothing will move. */
    net->awake = n > 0 && net->pending > 0;
    net->time++;
}

void tori_net_run (tori_net *net, uint64_t until, bool stop)
{
    uint64_t pending = net->pending;
    while (net->time < until && net->awake
           && !(stop && net->pending < pending))
        tori_net_step (net);
    if (!net->awake && until != UINT64_MAX && net->time < until
        && !(stop && net->pending < pending))
        net->time = until;
}

bool tori_net_idle (const tori_net *net)
{
    return !net->awake;
}
