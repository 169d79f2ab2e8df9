#include "naive_net.h"

#include <stdlib.h>
#include <string.h>

#include "router.h"

enum { NOT_OWNED = -1 };

struct flit {
    size_t packet;
    uint32_t number;
};

struct queue {
    struct flit *flit;
    size_t n, room;
    size_t there; /* flits of the first packet, when the cycle began */
    bool head;    /* the first of them, its own first flit among them */
};

struct naive_packet {
    size_t message;
    uint32_t src, dst, length;
    struct packet channels; /* which the library would take */
};

struct naive_net {
    const tori_net *net;
    const tori_machine *machine;
    tori_net_config config;
    uint32_t nodes;
    unsigned directions, lanes, own;
    struct queue *queues; /* by node and buffer */
    int *owner;           /* by node and lane, as all below */
    unsigned *last;
    size_t *room;   /* credits, for this cycle */
    unsigned *turn; /* by node and direction */
    struct naive_packet *packets;
    size_t npackets;
    uint64_t *delivered; /* by message */
    uint32_t *missing;
    size_t nmessages;
    uint64_t time;
};

struct naive_net *naive_net_create (const tori_net *net)
{
    struct naive_net *naive = make_array (1, sizeof *naive);
    size_t lanes;
    naive->net = net;
    naive->machine = tori_net_machine (net);
    naive->config = *tori_net_configuration (net);
    naive->nodes = tori_machine_nodes (naive->machine);
    naive->directions = net->fabric.own;
    naive->lanes = (naive->directions + 1) * naive->config.vcs;
    naive->own = naive->directions * naive->config.vcs;
    lanes = (size_t)naive->nodes * naive->lanes;
    naive->queues = make_array (lanes, sizeof *naive->queues);
    naive->owner = make_array (lanes, sizeof *naive->owner);
    naive->last = make_array (lanes, sizeof *naive->last);
    naive->room = make_array (lanes, sizeof *naive->room);
    naive->turn = make_array (lanes, sizeof *naive->turn);
    for (size_t i = 0; i < lanes; i++)
        naive->owner[i] = NOT_OWNED;
    return naive;
}

void naive_net_destroy (struct naive_net *naive)
{
    for (size_t i = 0; i < (size_t)naive->nodes * naive->lanes; i++)
        free (naive->queues[i].flit);
    free (naive->queues);
    free (naive->owner);
    free (naive->last);
    free (naive->room);
    free (naive->turn);
    free (naive->packets);
    free (naive->delivered);
    free (naive->missing);
    free (naive);
}

/* ---- queues ---- */

static size_t at (const struct naive_net *naive, uint32_t node, unsigned lane)
{
    return (size_t)node * naive->lanes + lane;
}

static void push (struct queue *queue, struct flit flit)
{
    if (queue->n == queue->room) {
        queue->room = 2 * queue->room + 4;
        queue->flit =
            reallocarray (queue->flit, queue->room, sizeof *queue->flit);
        assert_non_null (queue->flit);
    }
    queue->flit[queue->n++] = flit;
}

static struct flit pop (struct queue *queue)
{
    struct flit flit = queue->flit[0];
    memmove (queue->flit, queue->flit + 1, --queue->n * sizeof flit);
    return flit;
}

void naive_net_send (struct naive_net *naive, uint32_t src, uint32_t dst,
                     uint32_t flits)
{
    uint32_t most = naive->config.packet ? naive->config.packet : flits;
    size_t message = naive->nmessages++;
    naive->delivered = reallocarray (naive->delivered, naive->nmessages,
                                     sizeof *naive->delivered);
    naive->missing = reallocarray (naive->missing, naive->nmessages,
                                   sizeof *naive->missing);
    naive->delivered[message] = 0;
    naive->missing[message] = flits;
    while (flits > 0) {
        struct naive_packet packet = {.message = message,
                                      .src = src,
                                      .dst = dst,
                                      .channels = {.dst = dst}};
        packet.length = flits < most ? flits : most;
        route_packet (naive->net, src, &packet.channels);
        naive->packets = reallocarray (naive->packets, naive->npackets + 1,
                                       sizeof packet);
        naive->packets[naive->npackets++] = packet;
        for (uint32_t i = 0; i < packet.length; i++)
            push (&naive->queues[at (naive, src, naive->own)],
                  (struct flit){naive->npackets - 1, i});
        flits -= packet.length;
    }
}

/* ---- routes ---- */

/* The number of a direction: up before down, nothing for what has no links. */
static unsigned direction_number (const struct naive_net *naive, int dim,
                                  int step)
{
    unsigned p = 0;
    for (int d = 0; d <= dim; d++) {
        uint32_t size = tori_machine_size (naive->machine, d);
        bool single = size == 2 && !tori_machine_wraps (naive->machine, d);
        if (d == dim)
            return p + (!single && step < 0);
        p += size == 1 ? 0 : single ? 1 : 2;
    }
    return p;
}

/* Whether the rest of the way in this dimension passes the wrap link. */
static bool will_wrap (const struct naive_net *naive, uint32_t src,
                       uint32_t node, uint32_t dst, int dim)
{
    int d, step;
    while (node != dst) {
        uint32_t c[TORI_MAX_DIMS], t[TORI_MAX_DIMS];
        uint32_t next =
            tori_route_next (naive->machine, src, node, dst, &d, &step);
        if (d > dim)
            return false;
        tori_machine_coords (naive->machine, node, c);
        tori_machine_coords (naive->machine, next, t);
        if (d == dim && (step > 0) != (t[d] > c[d]))
            return true;
        node = next;
    }
    return false;
}

static unsigned ordered_lane (const struct naive_net *naive, uint32_t node,
                              const struct naive_packet *packet)
{
    int d, step, class = NO_RING;
    unsigned p = naive->directions;
    if (node != packet->dst) {
        tori_route_next (naive->machine, packet->src, node, packet->dst, &d,
                         &step);
        p = direction_number (naive, d, step);
        if (tori_machine_wraps (naive->machine, d)
            && tori_machine_size (naive->machine, d) > 3)
            class = will_wrap (naive, packet->src, node, packet->dst, d)
                            || (packet->channels.low
                                && !will_wrap (naive, packet->src,
                                               packet->src, packet->dst, d))
                        ? BEFORE_WRAP
                        : AFTER_WRAP;
    }
    return p * naive->config.vcs + packet->channels.lane[class];
}

/* Whether a lane leads nearer, on a channel that is not of the escape. */
static bool adaptive_lane (const struct naive_net *naive, uint32_t src,
                           uint32_t node, uint32_t dst, unsigned lane)
{
    uint32_t c[TORI_MAX_DIMS], t[TORI_MAX_DIMS], x[TORI_MAX_DIMS];
    if (lane >= naive->own || lane % naive->config.vcs < naive->net->escapes)
        return false;
    tori_machine_coords (naive->machine, node, c);
    tori_machine_coords (naive->machine, dst, t);
    for (int d = 0; d < tori_machine_ndims (naive->machine); d++) {
        int dim, step;
        if (c[d] == t[d])
            continue;
        memcpy (x, t, sizeof x);
        x[d] = c[d]; /* as if only this dimension were left */
        tori_route_next (naive->machine, src,
                         tori_machine_id (naive->machine, x), dst, &dim,
                         &step);
        if (direction_number (naive, dim, step) == lane / naive->config.vcs)
            return true;
    }
    return false;
}

static bool asks_for (const struct naive_net *naive, uint32_t node,
                      unsigned buffer, unsigned lane)
{
    const struct queue *queue = &naive->queues[at (naive, node, buffer)];
    const struct naive_packet *packet;
    if (!queue->head || queue->there == 0)
        return false;
    packet = &naive->packets[queue->flit[0].packet];
    return ordered_lane (naive, node, packet) == lane
           || (naive->config.routing == TORI_ADAPTIVE
               && adaptive_lane (naive, packet->src, node, packet->dst,
                                 lane));
}

/* ---- a cycle ---- */

/* The buffer that is next in turn for a lane, or -1. */
static int next_for (const struct naive_net *naive, uint32_t node,
                     unsigned lane)
{
    unsigned buffers = naive->own + 1;
    for (unsigned i = 1; i <= buffers; i++) {
        unsigned b = (naive->last[at (naive, node, lane)] + i) % buffers;
        if (asks_for (naive, node, b, lane))
            return (int)b;
    }
    return -1;
}

/* The buffer that may send a flit by a lane, or -1. */
static int sender (const struct naive_net *naive, uint32_t node,
                   unsigned lane)
{
    size_t i = at (naive, node, lane), need = 1;
    int b = naive->owner[i];
    if (b != NOT_OWNED)
        return naive->queues[at (naive, node, (unsigned)b)].there > 0
                       && naive->room[i] > 0
                   ? b
                   : -1;
    b = next_for (naive, node, lane);
    if (b < 0)
        return -1;
    if (naive->config.switching == TORI_CUT_THROUGH && lane < naive->own)
        need = naive
                   ->packets[naive->queues[at (naive, node, (unsigned)b)]
                                 .flit[0]
                                 .packet]
                   .length;
    else if (lane < naive->own
             && lane % naive->config.vcs >= naive->net->escapes)
        need = naive->config.buffer;
    return naive->room[i] >= need ? b : -1;
}

struct naive_move {
    uint32_t node;
    unsigned lane;
    struct flit flit;
};

static struct flit take (struct naive_net *naive, uint32_t node,
                         unsigned lane, unsigned buffer)
{
    size_t i = at (naive, node, lane);
    struct queue *queue = &naive->queues[at (naive, node, buffer)];
    struct flit flit = pop (queue);
    const struct naive_packet *packet = &naive->packets[flit.packet];
    queue->there--;
    queue->head = false;
    if (lane < naive->own)
        naive->room[i]--;
    if (flit.number == 0)
        naive->last[i] = buffer;
    naive->owner[i] =
        flit.number + 1 == packet->length ? NOT_OWNED : (int)buffer;
    if (flit.number + 1 == packet->length)
        assert_int_equal (queue->there, 0);
    return flit;
}

static size_t choose_by (struct naive_net *naive, uint32_t node, unsigned p,
                         struct naive_move *moves)
{
    unsigned vcs = naive->config.vcs;
    unsigned *turn = &naive->turn[at (naive, node, p)];
    size_t n = 0;
    while (n < naive->config.width) {
        int b = -1;
        unsigned v = 0;
        for (unsigned i = 1; i <= vcs && b < 0; i++) {
            v = (*turn + i) % vcs;
            b = sender (naive, node, p * vcs + v);
        }
        if (b < 0)
            break;
        *turn = v;
        moves[n].node = node;
        moves[n].lane = p * vcs + v;
        moves[n++].flit = take (naive, node, p * vcs + v, (unsigned)b);
    }
    return n;
}

/* The node behind a link. */
static uint32_t behind (const struct naive_net *naive, uint32_t node,
                        unsigned p)
{
    for (int d = 0; d < tori_machine_ndims (naive->machine); d++)
        for (int step = 1; step >= -1; step -= 2) {
            uint32_t c[TORI_MAX_DIMS];
            uint32_t size = tori_machine_size (naive->machine, d);
            if (size < 2 || direction_number (naive, d, step) != p)
                continue;
            tori_machine_coords (naive->machine, node, c);
            if (size == 2)
                c[d] = 1 - c[d];
            else
                c[d] = (c[d] + size + (uint32_t)step) % size;
            return tori_machine_id (naive->machine, c);
        }
    return NO_NODE;
}

/* The state when the cycle began. */
static void look (struct naive_net *naive)
{
    for (uint32_t node = 0; node < naive->nodes; node++) {
        for (unsigned b = 0; b <= naive->own; b++) {
            struct queue *queue = &naive->queues[at (naive, node, b)];
            queue->there = 0;
            while (queue->there < queue->n
                   && queue->flit[queue->there].packet
                          == queue->flit[0].packet)
                queue->there++;
            queue->head = queue->n > 0 && queue->flit[0].number == 0;
        }
        for (unsigned l = 0; l < naive->own; l++)
            naive->room[at (naive, node, l)] =
                naive->config.buffer
                - naive->queues[at (naive,
                                    behind (naive, node,
                                            l / naive->config.vcs),
                                    l)]
                      .n;
        for (unsigned l = naive->own; l < naive->lanes; l++)
            naive->room[at (naive, node, l)] = 1;
    }
}

static void move_flit (struct naive_net *naive, const struct naive_move *move)
{
    size_t message = naive->packets[move->flit.packet].message;
    unsigned p = move->lane / naive->config.vcs;
    if (p < naive->directions) {
        struct queue *queue =
            &naive->queues[at (naive, behind (naive, move->node, p),
                               move->lane)];
        push (queue, move->flit);
        assert_true (queue->n <= naive->config.buffer);
        return;
    }
    assert_int_equal (move->node, naive->packets[move->flit.packet].dst);
    if (--naive->missing[message] == 0)
        naive->delivered[message] = naive->time + 1;
}

void naive_net_step (struct naive_net *naive)
{
    unsigned ways = naive->directions + 1, first = 0;
    struct naive_move *moves = make_array (
        (size_t)naive->nodes * ways * naive->config.width, sizeof *moves);
    size_t n = 0;
    if (naive->config.routing == TORI_ADAPTIVE && naive->directions)
        first = (unsigned)(naive->time % naive->directions);
    look (naive);
    for (uint32_t node = 0; node < naive->nodes; node++)
        for (unsigned i = 0; i < ways; i++)
            n += choose_by (naive, node, (first + i) % ways, moves + n);
    for (size_t i = 0; i < n; i++)
        move_flit (naive, &moves[i]);
    free (moves);
    naive->time++;
}

uint64_t naive_net_delivered (const struct naive_net *naive, size_t message)
{
    return naive->delivered[message];
}
