/* saved.c - the state of a partition's routers, taken out of a network and put
 * back. */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "drain.h"
#include "grid.h"

/* ---- routers ---- */

uint64_t buffer_flits (const struct fabric *f, uint32_t number)
{
    const struct buffer *buffer = &f->buffers[number];
    const uint32_t *ring = ring_of (f, number);
    uint64_t sum;
    if (buffer->count == 0)
        return 0;
    sum = buffer->avail;
    for (unsigned i = 0; i + 1 < buffer->count; i++)
        sum += f->packets[ring[(buffer->head + i) % f->ring]].length;
    return buffer->count > 1 ? sum - buffer->missing : sum;
}

static bool is_link (const struct fabric *f, uint32_t lane)
{
    return way_direction (f, lane >> f->lane_bits) < f->own;
}

static uint32_t first_lane (const struct fabric *f, uint32_t router)
{
    return lane_at (f, way_at (f, router, 0), 0);
}

/* Empty a router. */
static void clear_router (const struct fabric *f, uint32_t router,
                          uint32_t credits)
{
    uint32_t first = first_lane (f, router), n = lanes_of (f);
    uint32_t ways = n >> f->lane_bits;
    memset (f->ways + way_at (f, router, 0), 0, ways * sizeof *f->ways);
    memset (f->buffers + first, 0, n * sizeof *f->buffers);
    memset (ring_of (f, first), 0, (size_t)n * f->ring * sizeof *f->rings);
    for (uint32_t l = 0; l < n; l++) {
        bool own = way_direction (f, l >> f->lane_bits) == f->own;
        f->lanes[first + l] = (struct net_lane){
            .credits = own ? UINT32_MAX : credits, .owner = NO_OWNER};
    }
    f->sources[router] = (struct net_source){NO_PACKET, NO_PACKET};
}

static void copy_router (const struct fabric *to, uint32_t t,
                         const struct fabric *from, uint32_t s)
{
    uint32_t a = first_lane (to, t), b = first_lane (from, s);
    uint32_t n = lanes_of (to), ways = n >> to->lane_bits;
    memcpy (to->ways + way_at (to, t, 0), from->ways + way_at (from, s, 0),
            ways * sizeof *to->ways);
    memcpy (to->lanes + a, from->lanes + b, n * sizeof *to->lanes);
    memcpy (to->buffers + a, from->buffers + b, n * sizeof *to->buffers);
    memcpy (ring_of (to, a), ring_of (from, b),
            (size_t)n * to->ring * sizeof *to->rings);
    to->sources[t] = from->sources[s];
    for (uint32_t l = 0; l < n; l++) {
        struct buffer *buffer = &to->buffers[a + l];
        buffer->lane = buffer_at (to, a, buffer_here (from, buffer->lane));
    }
}

/* ---- going through packets ---- */

/* Called with each place where a number of a packet is. */
typedef void visitor (void *arg, uint32_t *number, bool link);

/* The packets of a router: those of its buffers, in order; then the first of
 * its node and the queue after it, of which only the head and the end are
 * visited. A worm is visited in each of its routers. */
static void visit_router (const struct fabric *f, uint32_t router,
                          visitor *visit, void *arg)
{
    uint32_t first = first_lane (f, router);
    for (uint32_t l = first; l < first + lanes_of (f); l++) {
        struct buffer *buffer = &f->buffers[l];
        bool link = is_link (f, l);
        if (buffer->count == 0)
            continue;
        visit (arg, &buffer->packet, link);
        for (uint32_t i = 0; link && i + 1 < buffer->count; i++)
            visit (arg, &ring_of (f, l)[(buffer->head + i) % f->ring], link);
    }
}

/* ---- numbers ---- */

/* Packets and messages that are found, in order, and by old number the new.
 */
struct saved_census {
    const tori_net *net;
    uint32_t *packets, *packet_new;
    uint32_t *messages, *message_new;
    bool *under_way; /* by new number of a message */
    uint32_t npackets, nmessages;
};

static void meet_packet (void *arg, uint32_t *number, bool link)
{
    struct saved_census *c = arg;
    uint32_t message = c->net->fabric.packets[*number].message;
    if (c->packet_new[*number] == NO_PACKET) {
        c->packet_new[*number] = c->npackets;
        c->packets[c->npackets++] = *number;
    }
    if (c->message_new[message] == NO_PACKET) {
        c->message_new[message] = c->nmessages;
        c->messages[c->nmessages++] = message;
    }
    c->under_way[c->message_new[message]] |= link;
}

static void census_free (struct saved_census *c)
{
    free (c->packets);
    free (c->packet_new);
    free (c->messages);
    free (c->message_new);
    free (c->under_way);
}

static int census_room (struct saved_census *c, tori_error *err)
{
    size_t p = (size_t)c->net->npackets + 1, m = (size_t)c->net->nmessages + 1;
    c->packets = malloc (p * sizeof *c->packets);
    c->packet_new = malloc (p * sizeof *c->packet_new);
    c->messages = malloc (m * sizeof *c->messages);
    c->message_new = malloc (m * sizeof *c->message_new);
    c->under_way = calloc (m, sizeof *c->under_way);
    if (!c->packets || !c->packet_new || !c->messages || !c->message_new
        || !c->under_way)
        return tori_error_nomem (err);
    memset (c->packet_new, 0xff, p * sizeof *c->packet_new);
    memset (c->message_new, 0xff, m * sizeof *c->message_new);
    return 0;
}

/* All packets of the partition: it is closed, so no other router has any of
 * them. */
static int take_census (const tori_drain *d, struct saved_census *c,
                        tori_error *err)
{
    const struct fabric *f = &d->net->fabric;
    if (census_room (c, err) < 0)
        return -1;
    for (uint32_t i = 0; i < d->n; i++) {
        if (d->net->job_of[d->nodes[i]] != d->net->job_of[d->nodes[0]])
            return tori_error_set (err, TORI_INVALID,
                                   "its nodes are not of one job");
        visit_router (f, d->nodes[i], meet_packet, c);
        for (uint32_t p = f->sources[d->nodes[i]].first; p != NO_PACKET;
             p = f->packets[p].next)
            meet_packet (c, &p, false);
    }
    for (uint32_t m = 0; m < c->nmessages; m++)
        if (d->place[d->net->messages[c->messages[m]].is.src] == NO_NODE)
            return tori_error_set (err, TORI_INVALID,
                                   "a message of another partition is in its "
                                   "routers");
    return 0;
}

static void renumber_packet (void *arg, uint32_t *number, bool link)
{
    const uint32_t *new = arg;
    *number = new[*number];
}

/* The end of an empty queue has no meaning. */
static void renumber_queue (struct net_source *source, const uint32_t new[])
{
    if (source->first == NO_PACKET) {
        source->last = NO_PACKET;
        return;
    }
    source->first = new[source->first];
    source->last = new[source->last];
}

/* ---- saved states ---- */

void tori_saved_destroy (tori_saved *s)
{
    if (!s)
        return;
    free (s->nodes);
    free (s->fabric.ways);
    free (s->fabric.lanes);
    free (s->fabric.buffers);
    free (s->fabric.rings);
    free (s->fabric.sources);
    free (s->fabric.packets);
    free (s->messages);
    free (s->later);
    free (s);
}

/* Allocate the arrays of n routers. */
static bool fabric_for (const struct fabric *like, size_t n, size_t packets,
                        struct fabric *f)
{
    size_t lanes = n * lanes_of (like), ways = lanes >> like->lane_bits;
    *f = (struct fabric){.way_bits = like->way_bits,
                         .lane_bits = like->lane_bits,
                         .way_mask = like->way_mask,
                         .lane_mask = like->lane_mask,
                         .here_mask = like->here_mask,
                         .own = like->own,
                         .ring = like->ring,
                         .nodes = (uint32_t)n};
    f->ways = calloc (ways, sizeof *f->ways);
    f->lanes = calloc (lanes, sizeof *f->lanes);
    f->buffers = calloc (lanes, sizeof *f->buffers);
    f->rings = calloc (lanes * f->ring, sizeof *f->rings);
    f->sources = calloc (n, sizeof *f->sources);
    f->packets = calloc (packets + 1, sizeof *f->packets);
    return f->ways && f->lanes && f->buffers && f->rings && f->sources
           && f->packets;
}

/* An empty state for a box, with room for these; NULL without memory. */
static tori_saved *saved_create (const tori_net *net, const tori_box *box,
                                 uint32_t packets, uint32_t messages)
{
    tori_saved *s = calloc (1, sizeof *s);
    size_t n = tori_shape_volume (&box->shape);
    if (!s)
        return NULL;
    tori_machine_format (net->machine, s->machine);
    s->box = *box;
    s->config = net->config;
    s->npackets = packets;
    s->nmessages = messages;
    s->nodes = calloc (n, sizeof *s->nodes);
    s->messages = calloc ((size_t)messages + 1, sizeof *s->messages);
    if (!fabric_for (&net->fabric, n, packets, &s->fabric) || !s->nodes
        || !s->messages) {
        tori_saved_destroy (s);
        return NULL;
    }
    tori_box_nodes (net->machine, box, s->nodes);
    for (uint32_t i = 0; i < s->fabric.nodes; i++)
        clear_router (&s->fabric, i, net->config.buffer);
    return s;
}

/* ---- save ---- */

/* Packets with their new numbers. Only in a queue one leads to the next. */
static void copy_packets (const tori_drain *d, const struct saved_census *c,
                          tori_saved *s)
{
    const struct fabric *f = &d->net->fabric;
    struct packet *to = s->fabric.packets;
    for (uint32_t i = 0; i < c->npackets; i++) {
        to[i] = f->packets[c->packets[i]];
        to[i].message = c->message_new[to[i].message];
        to[i].next = NO_PACKET;
    }
    for (uint32_t i = 0; i < d->n; i++)
        for (uint32_t p = f->sources[d->nodes[i]].first; p != NO_PACKET;
             p = f->packets[p].next)
            if (f->packets[p].next != NO_PACKET)
                to[c->packet_new[p]].next =
                    c->packet_new[f->packets[p].next];
}

static void copy_messages (const tori_net *net, const struct saved_census *c,
                           tori_saved *s)
{
    for (uint32_t i = 0; i < c->nmessages; i++) {
        s->messages[i] = net->messages[c->messages[i]];
        s->messages[i].next = NO_PACKET;
        s->under_way += c->under_way[i];
    }
}

static void forget_packets (tori_net *net, const struct saved_census *c)
{
    for (uint32_t i = 0; i < c->npackets; i++) {
        net->fabric.packets[c->packets[i]].next = net->free_packet;
        net->free_packet = c->packets[i];
    }
    for (uint32_t i = 0; i < c->nmessages; i++) {
        net->messages[c->messages[i]].next = net->free_message;
        net->free_message = c->messages[i];
    }
    net->pending -= c->nmessages;
}

/* Flits under way in a saved state, and those that have not left. */
static void count_flits (const tori_saved *s, uint64_t *ret_flits,
                         uint64_t *ret_queued)
{
    const struct fabric *f = &s->fabric;
    uint64_t flits = 0, queued = 0;
    for (uint32_t i = 0; i < f->nodes; i++) {
        uint32_t first = first_lane (f, i), own = own_buffer (f, i);
        for (uint32_t l = first; l < first + lanes_of (f); l++)
            if (is_link (f, l))
                flits += buffer_flits (f, l);
        if (f->buffers[own].count)
            queued += f->buffers[own].left;
        for (uint32_t p = f->sources[i].first; p != NO_PACKET;
             p = f->packets[p].next)
            queued += f->packets[p].length;
    }
    *ret_flits = flits;
    *ret_queued = queued;
}

/* The network's counters, without the saved state or with it again. They are
 * unsigned: what is owed may be less than nothing for a while. */
static void adjust_counters (tori_net *net, const tori_saved *s, bool out)
{
    uint64_t flits, queued;
    count_flits (s, &flits, &queued);
    net->flits += out ? 0 - flits : flits;
    net->owed_before += out ? 0 - (flits + queued) : flits + queued;
}

/* ---- emptying routers ---- */

struct saved_chain {
    struct packet *packets;
    uint32_t first, last;
};

static void append_packet (void *arg, uint32_t *number, bool link)
{
    struct saved_chain *chain = arg;
    uint32_t p = *number;
    if (chain->first == NO_PACKET)
        chain->first = p;
    else
        chain->packets[chain->last].next = p;
    chain->last = p;
}

/* Move the packets of a router to the beginning of its node's queue. (The
 * queue of the node is a chain already.) */
static void fall_down (tori_saved *s, uint32_t i)
{
    const struct fabric *f = &s->fabric;
    struct net_source behind = f->sources[i];
    struct saved_chain chain = {f->packets, NO_PACKET, NO_PACKET};
    visit_router (f, i, append_packet, &chain);
    if (chain.first == NO_PACKET)
        return;
    f->packets[chain.last].next = behind.first;
    if (behind.first == NO_PACKET)
        behind.last = chain.last;
    clear_router (f, i, s->config.buffer);
    f->sources[i] = (struct net_source){chain.first, behind.last};
}

static void empty_routers (tori_drain *d)
{
    const struct fabric *f = &d->net->fabric;
    for (uint32_t i = 0; i < d->n; i++) {
        clear_router (f, d->nodes[i], d->net->config.buffer);
        for (unsigned p = 0; p <= f->own; p++)
            bits_clear (f->active, way_at (f, d->nodes[i], p));
    }
}

static void fill_saved (tori_drain *d, struct saved_census *c, tori_saved *s)
{
    tori_net *net = d->net;
    struct fabric *f = &s->fabric;
    s->time = net->time;
    s->job = net->job_of[d->nodes[0]];
    drain_give_back (d);
    for (uint32_t i = 0; i < d->n; i++) {
        copy_router (f, i, &net->fabric, d->nodes[i]);
        visit_router (f, i, renumber_packet, c->packet_new);
        renumber_queue (&f->sources[i], c->packet_new);
    }
    copy_packets (d, c, s);
    copy_messages (net, c, s);
    forget_packets (net, c);
    adjust_counters (net, s, true);
    empty_routers (d);
    s->resend = d->config.method == TORI_ALL_FALL_DOWN;
    for (uint32_t i = 0; s->resend && i < d->n; i++)
        fall_down (s, i);
}

int tori_drain_save (tori_drain *d, tori_saved **ret_saved, tori_error *err)
{
    struct saved_census census = {.net = d->net};
    tori_saved *s = NULL;
    int status = -1;
    if (!tori_drain_done (d))
        return tori_error_set (err, TORI_INVALID,
                               "the partition has not been drained yet");
    if (take_census (d, &census, err) == 0) {
        s = saved_create (d->net, &d->box, census.npackets, census.nmessages);
        status = s ? 0 : tori_error_nomem (err);
    }
    if (status == 0) {
        fill_saved (d, &census, s);
        *ret_saved = s;
    }
    census_free (&census);
    return status;
}

/* ---- load ---- */

static bool same_config (const tori_net_config *a, const tori_net_config *b)
{
    return a->switching == b->switching && a->routing == b->routing
           && a->vcs == b->vcs && a->buffer == b->buffer
           && a->width == b->width && a->packet == b->packet;
}

/* Whether a state belongs to this box of a network like this. */
static bool saved_fits (const tori_saved *s, const tori_net *net,
                        const tori_box *box)
{
    char machine[TORI_TEXT_MAX];
    tori_machine_format (net->machine, machine);
    return !strcmp (machine, s->machine) && box_equal (box, &s->box)
           && same_config (&net->config, &s->config);
}

static bool is_empty (const tori_drain *d)
{
    const struct fabric *f = &d->net->fabric;
    for (uint32_t i = 0; i < d->n; i++) {
        uint32_t first = first_lane (f, d->nodes[i]);
        for (uint32_t l = first; l < first + lanes_of (f); l++)
            if (f->buffers[l].count)
                return false;
    }
    return true;
}

static int check_load (const tori_drain *d, const tori_saved *s,
                       tori_error *err)
{
    if (!saved_fits (s, d->net, &d->box))
        return tori_error_set (err, TORI_INVALID,
                               "the state is of another partition, machine or "
                               "network");
    if (s->time > d->net->time)
        return tori_error_set (err, TORI_INVALID,
                               "the state is of cycle %llu, the network at "
                               "cycle %llu",
                               (unsigned long long)s->time,
                               (unsigned long long)d->net->time);
    if (!tori_drain_done (d) || !is_empty (d))
        return tori_error_set (err, TORI_INVALID,
                               "the routers are not drained and empty");
    return 0;
}

/* Reserve its packets and messages, and those that wait to be sent. */
static int reserve_all (tori_net *net, const tori_saved *s, tori_error *err)
{
    uint64_t packets = s->npackets;
    for (size_t i = 0; i < s->nlater; i++) {
        uint32_t most = s->config.packet, flits = s->later[i].flits;
        packets += most ? flits / most + (flits % most != 0) : 1;
    }
    return packets_reserve (net, packets, s->nmessages + s->nlater, err);
}

/* Give new numbers to its packets and messages. Times are shifted by its
 * absence, so that they show what the network did. */
static void move_in (tori_net *net, const tori_saved *s, uint32_t packet[],
                     uint32_t message[])
{
    uint64_t away = net->time - s->time;
    for (uint32_t i = 0; i < s->nmessages; i++) {
        struct message *to;
        message[i] = message_new (net);
        to = &net->messages[message[i]];
        *to = s->messages[i];
        to->is.job = s->job;
        to->is.sent += away;
        if (to->is.entered != UINT64_MAX)
            to->is.entered += away;
    }
    for (uint32_t i = 0; i < s->npackets; i++)
        packet[i] = packet_new (net);
    for (uint32_t i = 0; i < s->npackets; i++) {
        struct packet *to = &net->fabric.packets[packet[i]];
        *to = s->fabric.packets[i];
        to->job = s->job;
        to->message = message[to->message];
        to->entered += away;
        if (to->next < s->npackets)
            to->next = packet[to->next];
    }
    net->pending += s->nmessages;
}

static void put_routers (tori_net *net, const tori_saved *s, uint32_t packet[])
{
    struct fabric *f = &net->fabric;
    for (uint32_t i = 0; i < s->fabric.nodes; i++) {
        copy_router (f, s->nodes[i], &s->fabric, i);
        visit_router (f, s->nodes[i], renumber_packet, packet);
        renumber_queue (&f->sources[s->nodes[i]], packet);
    }
}

/* Send each packet by its own way from the node that it fell to. */
static void send_again (tori_net *net, const tori_saved *s, uint32_t packet[])
{
    for (uint32_t i = 0; i < s->fabric.nodes; i++) {
        uint32_t next;
        for (uint32_t p = s->fabric.sources[i].first; p != NO_PACKET;
             p = next) {
            struct packet *to = &net->fabric.packets[packet[p]];
            tori_net_message *is = &net->messages[to->message].is;
            uint32_t hops = route_distance (net, s->nodes[i], to->dst);
            next = s->fabric.packets[p].next;
            is->hops = hops < is->hops ? hops : is->hops;
            route_packet (net, s->nodes[i], to);
            source_send (net, s->nodes[i], packet[p]);
        }
    }
}

/* There is room for all of them. */
static void send_later (tori_net *net, const tori_saved *s)
{
    for (size_t i = 0; i < s->nlater; i++)
        tori_net_send (net, s->later[i].src, s->later[i].dst,
                       s->later[i].flits, s->later[i].tag, NULL);
}

int tori_drain_load (tori_drain *d, tori_saved *s, tori_error *err)
{
    tori_net *net = d->net;
    uint32_t *packet = NULL, *message = NULL;
    int status = -1;
    if (check_load (d, s, err) < 0)
        return -1;
    packet = malloc (((size_t)s->npackets + 1) * sizeof *packet);
    message = malloc (((size_t)s->nmessages + 1) * sizeof *message);
    if (!packet || !message) {
        tori_error_nomem (err);
        goto out;
    }
    if (reserve_all (net, s, err) < 0
        || tori_net_assign (net, s->job, d->nodes, d->n, err) < 0)
        goto out;
    move_in (net, s, packet, message);
    adjust_counters (net, s, false);
    if (s->resend)
        send_again (net, s, packet);
    else
        put_routers (net, s, packet);
    send_later (net, s);
    tori_saved_destroy (s);
    status = 0;
out:
    free (packet);
    free (message);
    return status;
}

/* ---- queries and sending ---- */

uint64_t tori_saved_time (const tori_saved *s)
{
    return s->time;
}

uint32_t tori_saved_job (const tori_saved *s)
{
    return s->job;
}

uint64_t tori_saved_messages (const tori_saved *s)
{
    return s->nmessages + s->nlater;
}

uint64_t tori_saved_under_way (const tori_saved *s)
{
    return s->under_way;
}

static bool has_node (const tori_saved *s, uint32_t node)
{
    for (uint32_t i = 0; i < s->fabric.nodes; i++)
        if (s->nodes[i] == node)
            return true;
    return false;
}

int tori_saved_send (tori_saved *s, uint32_t src, uint32_t dst, uint32_t flits,
                     uint64_t tag, tori_error *err)
{
    struct later *more;
    if (!has_node (s, src) || !has_node (s, dst) || flits == 0)
        return tori_error_set (err, TORI_INVALID,
                               "a message has at least one flit and goes from "
                               "node to node of the partition");
    more = array_room (s->later, &s->later_room, s->nlater + 1, sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    s->later = more;
    more[s->nlater++] = (struct later){src, dst, flits, tag};
    return 0;
}

tori_progress tori_saved_progress (const tori_saved *s,
                                   const tori_local local[], size_t n)
{
    uint64_t calls = 0;
    bool idle = tori_saved_messages (s) == 0;
    for (size_t i = 0; i < n; i++) {
        idle &= local[i].idle;
        calls += local[i].calls;
    }
    if (!idle)
        return TORI_RUNNING;
    return calls ? TORI_WAITING : TORI_TERMINATED;
}
