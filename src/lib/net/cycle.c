/* cycle.c - a cycle: routers choose, then moves are carried out. See
 * router.h. */
#include "drain.h"
#include "router.h"

/* One of two values, without a branch: the compiler must not know that it has
 * seen the condition before, or it makes a branch of all that depends on
 * it. */
always_inline uint64_t choose_value (bool first, uint64_t one, uint64_t other)
{
    __asm__ ("" : "+r"(first));
    return first ? one : other;
}

always_inline bool is_own (const struct fabric *f, uint32_t lane)
{
    return way_direction (f, lane >> f->lane_bits) == f->own;
}

/* ---- leaving ---- */

/* Take a flit out of a buffer by a lane. Returns whether another may follow by
 * this lane. A packet that has begun already is the only one to choose from,
 * so there is no need to know whether it has. */
always_inline bool leave_buffer (const struct fabric *f, uint32_t number,
                                 struct move *move)
{
    struct net_lane *lane = &f->lanes[number];
    bool first = lane->owner == NO_OWNER;
    uint64_t owner = UINT64_C (1) << (lane->owner & 63);
    unsigned here =
        in_turn (choose_value (first, lane->waiting, owner), lane->last);
    uint32_t from = buffer_at (f, number, here);
    struct buffer *buffer = &f->buffers[from];
    bool last = buffer->left == 1;
    *move = (struct move){.from = from,
                          .lane = number,
                          .packet = buffer->packet,
                          .first = first,
                          .last = last};
    buffer->avail--;
    buffer->left--;
    buffer->lane = number;
    lane->credits--;
    lane->waiting &= ~(UINT64_C (1) << here);
    lane->last = (uint8_t)here;
    lane->owner = (uint8_t)choose_value (last, NO_OWNER, here);
    return (choose_value (last, lane->waiting, buffer->avail) != 0)
           & (lane->credits > 0);
}

/* The credits that a packet needs to begin. */
static uint32_t credits_to_begin (const tori_net *net, uint32_t number,
                                  uint32_t length)
{
    const struct fabric *f = &net->fabric;
    if (way_direction (f, number >> f->lane_bits) == f->own)
        return 1;
    if (net->config.switching == TORI_CUT_THROUGH)
        return length;
    return lane_channel (f, number) < net->escapes ? 1 : net->config.buffer;
}

bool lane_usable (const tori_net *net, uint32_t number)
{
    const struct fabric *f = &net->fabric;
    const struct net_lane *lane = &f->lanes[number];
    const struct buffer *head;
    if (lane->owner != NO_OWNER)
        return lane->credits > 0
               && f->buffers[buffer_at (f, number, lane->owner)].avail > 0;
    if (!lane->waiting)
        return false;
    head = &f->buffers[buffer_at (f, number,
                                  in_turn (lane->waiting, lane->last))];
    return lane->credits >= credits_to_begin (net, number, head->left);
}

/* Let up to `width` flits leave by one way. */
static struct move *leave_by (tori_net *net, uint32_t number,
                              struct move *moves)
{
    const struct fabric *f = &net->fabric;
    struct way *way = &f->ways[number];
    unsigned width = net->config.width;
    while (width && way->ready) {
        unsigned v = in_turn (way->ready, way->turn);
        uint32_t lane = lane_at (f, number, v);
        bool more = false;
        if (lane_usable (net, lane)) {
            more = leave_buffer (f, lane, moves);
            if (moves->first && f->adaptive)
                adaptive_granted (net, moves->from);
            moves++;
            way->turn = (uint8_t)v;
            width--;
        }
        if (!more)
            way->ready &= (uint16_t)~(1u << v);
    }
    if (!way->ready)
        bits_clear (f->active, number);
    return moves;
}

/* Try the ways from the `first` on, round: an adaptive packet takes the first
 * lane that it is given. */
static struct move *router_choose (tori_net *net, uint32_t node,
                                   unsigned first, struct move *moves)
{
    const struct fabric *f = &net->fabric;
    for (unsigned i = 0; i <= f->own; i++) {
        unsigned p = first + i;
        uint32_t way;
        if (p > f->own)
            p -= f->own + 1;
        way = way_at (f, node, p);
        if (f->ways[way].ready)
            moves = leave_by (net, way, moves);
    }
    return moves;
}

static struct move *choose_any (tori_net *net)
{
    const struct fabric *f = &net->fabric;
    struct move *moves = net->moves;
    uint64_t group = bits_low (1u << f->way_bits);
    unsigned first = 0;
    if (f->adaptive && f->own > 0)
        first = (unsigned)(net->time % f->own);
    for (size_t w = 0; w < bits_words (net->nways); w++)
        for (uint64_t left = f->active[w]; left;) {
            unsigned bit = (unsigned)__builtin_ctzll (left);
            uint32_t node = (uint32_t)((64 * w + bit) >> f->way_bits);
            left &= ~(group << way_at (f, node, 0) % 64);
            moves = router_choose (net, node, first, moves);
        }
    return moves;
}

/* If every lane that is ready can be used and ways do not affect each other,
 * they are visited one by one, and the only decision is when to stop: first
 * links, then the ways to nodes. */
always_inline struct move *choose_plain (const struct fabric *f, size_t words,
                                         uint64_t which, struct move *moves)
{
    for (size_t w = 0; w < words; w++) {
        uint64_t asleep = 0;
        for (uint64_t left = f->active[w] & which; left; left &= left - 1) {
            unsigned bit = (unsigned)__builtin_ctzll (left);
            uint32_t number = (uint32_t)(64 * w) + bit;
            struct way *way = &f->ways[number];
            unsigned v = in_turn (way->ready, way->turn);
            bool more = leave_buffer (f, lane_at (f, number, v), moves++);
            way->ready ^= (uint16_t)((unsigned)!more << v);
            way->turn = (uint8_t)v;
            asleep |= (uint64_t)(way->ready == 0) << bit;
        }
        f->active[w] &= ~asleep;
    }
    return moves;
}

/* ---- arriving ---- */

/* A packet is now the first in its buffer, with `avail` flits there. */
always_inline void come_first (const tori_net *net, const struct fabric *f,
                               uint32_t number, uint32_t packet,
                               uint32_t length, uint32_t avail)
{
    struct buffer *buffer = &f->buffers[number];
    buffer->packet = packet;
    buffer->left = length;
    buffer->avail = avail;
    if (f->adaptive)
        adaptive_ask (net, number);
    else
        lane_ask (f,
                  route_lane (net, f, node_of (f, number),
                              &f->packets[packet]),
                  number);
}

/* The next packet of a node is now its first. */
static void source_next (const tori_net *net, uint32_t buffer)
{
    const struct fabric *f = &net->fabric;
    struct net_source *source = &f->sources[node_of (f, buffer)];
    uint32_t packet = source->first, length = f->packets[packet].length;
    source->first = f->packets[packet].next;
    come_first (net, f, buffer, packet, length, length);
}

/* The last flit of a buffer's first packet has left it, and there are others.
 */
static void next_packet (const tori_net *net, uint32_t number)
{
    const struct fabric *f = &net->fabric;
    struct buffer *buffer = &f->buffers[number];
    uint32_t packet, length, missing;
    if (is_own (f, number)) {
        source_next (net, number);
        return;
    }
    packet = ring_of (f, number)[buffer->head];
    length = f->packets[packet].length;
    missing = buffer->count == 1 ? buffer->missing : 0;
    if (++buffer->head == f->ring)
        buffer->head = 0;
    come_first (net, f, number, packet, length, length - missing);
}

/* A flit has left a buffer: its place is free, and the lane that fills it has
 * one credit more. (There is no place to free at the source.) */
always_inline void set_free (const tori_net *net, const struct fabric *f,
                             const struct move *move)
{
    uint32_t way = f->from_way[move->from >> f->lane_bits];
    uint32_t number = lane_at (f, way, lane_channel (f, move->from));
    struct net_lane *lane = &f->lanes[number];
    uint32_t owner = buffer_at (f, number, buffer_here (f, lane->owner));
    struct buffer *buffer = &f->buffers[move->from];
    lane->credits++;
    lane_wake (f, number,
               choose_value (lane->owner == NO_OWNER, lane->waiting,
                             f->buffers[owner].avail)
                   != 0);
    buffer->count -= move->last;
    if (move->last & (buffer->count > 0))
        next_packet (net, move->from);
}

/* The first flit of a packet comes into a buffer. */
always_inline void packet_arrives (const tori_net *net,
                                   const struct fabric *f, uint32_t number,
                                   const struct move *move)
{
    struct buffer *buffer = &f->buffers[number];
    struct packet *packet = &f->packets[move->packet];
    packet->entered =
        choose_value (is_own (f, move->from), net->time, packet->entered);
    buffer->missing = packet->length - 1;
    if (buffer->count++ == 0) {
        come_first (net, f, number, move->packet, packet->length, 1);
    } else {
        uint32_t end = buffer->head + buffer->count - 2u;
        if (end >= f->ring)
            end -= f->ring;
        ring_of (f, number)[end] = move->packet;
    }
}

/* Another flit of it comes. */
always_inline void flit_arrives (const struct fabric *f, uint32_t number)
{
    struct buffer *buffer = &f->buffers[number];
    bool alone = buffer->count == 1;
    bool was_empty = alone & (buffer->avail == 0);
    buffer->missing--;
    buffer->avail += alone;
    lane_wake (f, buffer->lane,
               was_empty & (f->lanes[buffer->lane].credits > 0));
}

/* A flit goes over a link. */
always_inline void pass_on (const tori_net *net, const struct fabric *f,
                            const struct move *move)
{
    uint32_t way = move->lane >> f->lane_bits;
    uint32_t to = lane_at (f, f->to_way[way], lane_channel (f, move->lane));
    f->carried[way]++;
    if (move->first)
        packet_arrives (net, f, to, move);
    else
        flit_arrives (f, to);
}

/* A flit has come out at its destination. Its lane always has credits. */
always_inline void deliver_flit (tori_net *net, const struct fabric *f,
                                 const struct move *move)
{
    struct packet *packet = &f->packets[move->packet];
    if (move->first && is_own (f, move->from))
        packet->entered = net->time;
    f->lanes[move->lane].credits++;
    net->stats[packet->job].flits_delivered++;
    if (move->last)
        packet_delivered (net, move->packet);
}

/* Moves over links, or to nodes, or both. */
enum which { LINKS = 1, EXITS = 2 };

always_inline void carry_out (tori_net *net, const struct fabric *f,
                              const struct move *move, const struct move *end,
                              unsigned which)
{
    uint64_t flits = 0;
    for (; move < end; move++) {
        bool out = which == EXITS || (which & EXITS && is_own (f, move->lane));
        flits += is_own (f, move->from);
        set_free (net, f, move);
        if (out) {
            flits--;
            deliver_flit (net, f, move);
        } else {
            pass_on (net, f, move);
        }
    }
    net->flits += flits;
}

void tori_net_step (tori_net *net)
{
    const struct fabric f = net->fabric;
    size_t words = bits_words (net->nways);
    struct move *begin = net->moves, *middle = begin, *end = begin;
    if (net->drains)
        drains_sweep (net);
    if (net->awake && net->plain) {
        middle = choose_plain (&f, words, ~net->exits, begin);
        end = choose_plain (&f, words, net->exits, middle);
        carry_out (net, &f, begin, middle, LINKS);
        carry_out (net, &f, middle, end, EXITS);
    } else if (net->awake) {
        end = choose_any (net);
        carry_out (net, &f, begin, end, LINKS | EXITS);
    }
    /* If nothing moves nothing changes, and nothing will move. */
    net->awake = (end > begin && net->pending > 0) || drains_busy (net);
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

void source_send (tori_net *net, uint32_t node, uint32_t packet)
{
    const struct fabric *f = &net->fabric;
    uint32_t number = own_buffer (f, node);
    struct net_source *source = &f->sources[node];
    f->packets[packet].next = NO_PACKET;
    if (source->first == NO_PACKET)
        source->first = packet;
    else
        f->packets[source->last].next = packet;
    source->last = packet;
    if (f->buffers[number].count++ == 0)
        source_next (net, number);
}
