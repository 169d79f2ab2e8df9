#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "drain.h"
#include "grid.h"
#include "router.h"
#include "sized.h"

/* ---- the configuration ---- */

static bool is_ring (const tori_machine *machine, int dim)
{
    return tori_machine_wraps (machine, dim)
           && tori_machine_size (machine, dim) >= 4;
}

static void add_direction (tori_net *net, int dim, int step)
{
    struct fabric *f = &net->fabric;
    unsigned p = f->own++;
    bool ring = is_ring (net->machine, dim);
    net->direction[p] = (struct direction){dim, step, ring};
    net->other[p] = (uint8_t)(step < 0 ? p - 1 : p + 1);
    f->ringed |= (uint64_t)ring << p;
    net->rings |= ring;
}

/* Up and down; only one in a mesh of two nodes, none in one of one. A machine
 * that is not refused below has less than 64 directions. */
static void list_directions (tori_net *net)
{
    for (int d = 0; d < net->ndims; d++) {
        uint32_t size = tori_machine_size (net->machine, d);
        bool wraps = tori_machine_wraps (net->machine, d);
        net->first_direction[d] = (uint8_t)net->fabric.own;
        if (size == 2 && !wraps) {
            add_direction (net, d, 0);
        } else if (size >= 2) {
            add_direction (net, d, 1);
            add_direction (net, d, -1);
        }
    }
}

static void set_defaults (tori_net *net)
{
    tori_net_config *config = &net->config;
    bool adaptive = config->routing == TORI_ADAPTIVE;
    if (config->vcs == 0)
        config->vcs = adaptive && net->rings ? 3 : 2;
    if (config->buffer == 0)
        config->buffer = 8;
    if (config->width == 0)
        config->width = 1;
    if (config->packet == 0 && config->switching == TORI_CUT_THROUGH)
        config->packet = config->buffer;
    net->escapes = adaptive ? 1u + net->rings : config->vcs;
    net->fabric.adaptive = adaptive;
    net->plain = !adaptive && config->switching == TORI_WORMHOLE
                 && config->width == 1;
}

static int check_size (const tori_net *net, tori_error *err)
{
    if (net->fabric.nodes > TORI_NET_MAX_NODES)
        return tori_error_set (err, TORI_INVALID,
                               "a network has at most %d nodes",
                               TORI_NET_MAX_NODES);
    return 0;
}

/* Bits for n things. */
static unsigned bits_for (unsigned n)
{
    unsigned bits = 0;
    while (1u << bits < n)
        bits++;
    return bits;
}

static int check_channels (const tori_net *net, tori_error *err)
{
    const struct fabric *f = &net->fabric;
    uint32_t vcs = net->config.vcs;
    unsigned least = 1u + net->rings + f->adaptive, most = TORI_NET_MAX_VCS;
    while (most > 0 && bits_for (f->own + 1) + bits_for (most) > MOST_BITS)
        most--;
    if (most < least)
        return tori_error_set (err, TORI_INVALID,
                               "a network has no more than 31 links per "
                               "node, or 15 with rings");
    if (vcs < least)
        return tori_error_set (err, TORI_INVALID,
                               "at least %u virtual channels per link are "
                               "needed to prevent deadlock, not %" PRIu32,
                               least, vcs);
    if (vcs > most)
        return tori_error_set (err, TORI_INVALID,
                               "at most %u virtual channels per link on this "
                               "machine, not %" PRIu32,
                               most, vcs);
    return 0;
}

static int check_config (const tori_net *net, tori_error *err)
{
    const tori_net_config *c = &net->config;
    if ((unsigned)c->switching > TORI_CUT_THROUGH
        || (unsigned)c->routing > TORI_ADAPTIVE)
        return tori_error_set (err, TORI_INVALID,
                               "no such switching, or no such routing");
    if (check_size (net, err) < 0 || check_channels (net, err) < 0)
        return -1;
    if (c->buffer > TORI_NET_MAX_BUFFER || c->width > TORI_NET_MAX_WIDTH)
        return tori_error_set (err, TORI_INVALID,
                               "buffers have at most %d flits, links at most "
                               "%d a cycle",
                               TORI_NET_MAX_BUFFER, TORI_NET_MAX_WIDTH);
    if (c->switching == TORI_CUT_THROUGH && c->packet > c->buffer)
        return tori_error_set (err, TORI_INVALID,
                               "a packet of %" PRIu32 " flits does not fit a "
                               "buffer of %" PRIu32,
                               c->packet, c->buffer);
    return 0;
}

/* ---- create and destroy ---- */

static void lay_out (tori_net *net)
{
    struct fabric *f = &net->fabric;
    f->way_bits = bits_for (f->own + 1);
    f->lane_bits = bits_for (net->config.vcs);
    f->way_mask = (1u << f->way_bits) - 1;
    f->lane_mask = (1u << f->lane_bits) - 1;
    f->here_mask = (1u << (f->way_bits + f->lane_bits)) - 1;
    f->ring = net->config.buffer;
    f->other = net->other;
    net->nways = (size_t)f->nodes << f->way_bits;
    for (unsigned i = f->own; i < 64; i += 1u << f->way_bits)
        net->exits |= UINT64_C (1) << i;
}

/* Lanes to nodes get a credit back at once. Lanes that do not exist are never
 * asked for. */
static void fill_lanes (tori_net *net)
{
    const struct fabric *f = &net->fabric;
    for (size_t i = 0; i < net->nways + 1; i++)
        for (unsigned v = 0; v < 1u << f->lane_bits; v++) {
            struct net_lane *lane = &f->lanes[i << f->lane_bits | v];
            lane->owner = NO_OWNER;
            lane->credits = net->config.buffer;
            if (way_direction (f, (uint32_t)i) == f->own)
                lane->credits = UINT32_MAX;
        }
    for (uint32_t node = 0; node < f->nodes; node++)
        f->sources[node] = (struct net_source){NO_PACKET, NO_PACKET};
}

/* At least one item, so that NULL means that memory ran out. */
static void *allocate_array (size_t n, size_t size)
{
    return calloc (n ? n : 1, size);
}

/* With one router more than there are; its way is the one that no flit
 * takes. */
static int allocate_fabric (struct fabric *f, tori_error *err)
{
    size_t ways = ((size_t)f->nodes + 1) << f->way_bits;
    size_t lanes = ways << f->lane_bits;
    f->ways = allocate_array (ways, sizeof *f->ways);
    f->active = allocate_array (bits_words (ways), sizeof *f->active);
    f->to_way = allocate_array (ways, sizeof *f->to_way);
    f->from_way = allocate_array (ways, sizeof *f->from_way);
    f->carried = allocate_array (ways, sizeof *f->carried);
    f->lanes = allocate_array (lanes, sizeof *f->lanes);
    f->buffers = allocate_array (lanes, sizeof *f->buffers);
    f->rings = allocate_array (lanes * f->ring, sizeof *f->rings);
    f->sources = allocate_array (f->nodes, sizeof *f->sources);
    if (!f->ways || !f->active || !f->to_way || !f->from_way || !f->carried
        || !f->lanes || !f->buffers || !f->rings || !f->sources)
        return tori_error_nomem (err);
    return 0;
}

static int allocate_net (tori_net *net, tori_error *err)
{
    size_t n = net->fabric.nodes, ways = net->fabric.own + 1;
    net->link = allocate_array (net->nways, sizeof *net->link);
    net->coords = allocate_array (n * (size_t)net->ndims, sizeof *net->coords);
    net->parity = allocate_array (n, sizeof *net->parity);
    net->moves =
        allocate_array (n * ways * net->config.width, sizeof *net->moves);
    net->job_of = allocate_array (n, sizeof *net->job_of);
    net->stats = allocate_array (1, sizeof *net->stats);
    if (!net->link || !net->coords || !net->parity || !net->moves
        || !net->job_of || !net->stats)
        return tori_error_nomem (err);
    net->jobs = 1;
    return allocate_fabric (&net->fabric, err);
}

int tori_net_create (const tori_machine *machine,
                     const tori_net_config *config, tori_net **ret_net,
                     tori_error *err)
{
    tori_net_config own = {.size = sizeof own};
    tori_net *net;
    if ((config && SIZED_COPY (tori_net_config, &own, config, err) < 0)
        || grid_check (machine, "a network", err) < 0)
        return -1;
    net = calloc (1, sizeof *net);
    if (!net)
        return tori_error_nomem (err);
    net->machine = machine;
    net->fabric.nodes = tori_machine_nodes (machine);
    net->ndims = tori_machine_ndims (machine);
    net->free_packet = net->free_message = NO_PACKET;
    net->first_delivered = net->last_delivered = NO_PACKET;
    net->config = own;
    list_directions (net);
    set_defaults (net);
    if (check_config (net, err) < 0)
        goto fail;
    lay_out (net);
    if (allocate_net (net, err) < 0 || route_prepare (net, err) < 0)
        goto fail;
    fill_lanes (net);
    *ret_net = net;
    return 0;
fail:
    tori_net_destroy (net);
    return -1;
}

static void free_fabric (struct fabric *f)
{
    free (f->ways);
    free (f->active);
    free (f->to_way);
    free (f->from_way);
    free (f->carried);
    free (f->lanes);
    free (f->buffers);
    free (f->rings);
    free (f->sources);
    free (f->table);
    free (f->packets);
}

void tori_net_destroy (tori_net *net)
{
    if (!net)
        return;
    while (net->drains)
        tori_drain_release (net->drains);
    free_fabric (&net->fabric);
    free (net->link);
    free (net->coords);
    free (net->parity);
    free (net->hops);
    free (net->moves);
    free (net->job_of);
    free (net->stats);
    free (net->messages);
    free (net);
}

/* ---- jobs ---- */

static int need_job (tori_net *net, uint32_t job, tori_error *err)
{
    tori_net_stats *stats;
    if (job < net->jobs)
        return 0;
    if (job >= TORI_NET_MAX_JOBS)
        return tori_error_set (err, TORI_INVALID,
                               "job %" PRIu32 ": numbers are below %d", job,
                               TORI_NET_MAX_JOBS);
    stats = reallocarray (net->stats, (size_t)job + 1, sizeof *stats);
    if (!stats)
        return tori_error_nomem (err);
    memset (stats + net->jobs, 0,
            ((size_t)job + 1 - net->jobs) * sizeof *stats);
    net->stats = stats;
    net->jobs = job + 1;
    return 0;
}

int tori_net_assign (tori_net *net, uint32_t job, const uint32_t nodes[],
                     size_t n, tori_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (nodes[i] >= net->fabric.nodes)
            return tori_error_set (err, TORI_INVALID,
                                   "node %" PRIu32 " is not of this machine",
                                   nodes[i]);
    if (need_job (net, job, err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        net->job_of[nodes[i]] = job;
    return 0;
}

/* ---- messages ---- */

int packets_reserve (tori_net *net, uint64_t packets, uint64_t messages,
                     tori_error *err)
{
    packets += net->npackets;
    messages += net->nmessages;
    if (packets >= NO_PACKET || messages >= NO_PACKET)
        return tori_error_set (err, TORI_FAILED, "too many packets");
    if (packets > net->packet_room) {
        uint64_t room = packets + packets / 2 + 64;
        struct packet *p = reallocarray (net->fabric.packets, room, sizeof *p);
        if (!p)
            return tori_error_nomem (err);
        net->fabric.packets = p;
        net->packet_room = room < NO_PACKET ? (uint32_t)room : NO_PACKET;
    }
    if (messages > net->message_room) {
        uint64_t room = messages + messages / 2 + 64;
        struct message *m = reallocarray (net->messages, room, sizeof *m);
        if (!m)
            return tori_error_nomem (err);
        net->messages = m;
        net->message_room = room < NO_PACKET ? (uint32_t)room : NO_PACKET;
    }
    return 0;
}

uint32_t packet_new (tori_net *net)
{
    uint32_t number = net->free_packet;
    if (number == NO_PACKET)
        return net->npackets++;
    net->free_packet = net->fabric.packets[number].next;
    return number;
}

uint32_t message_new (tori_net *net)
{
    uint32_t number = net->free_message;
    if (number == NO_PACKET)
        return net->nmessages++;
    net->free_message = net->messages[number].next;
    return number;
}

/* Packets of full length first. */
static void cut_up (tori_net *net, uint32_t message)
{
    const tori_net_message *is = &net->messages[message].is;
    uint32_t most = net->config.packet ? net->config.packet : is->flits;
    struct packet like = {
        .dst = is->dst, .message = message, .job = is->job};
    route_packet (net, is->src, &like);
    for (uint32_t rest = is->flits; rest;) {
        uint32_t number = packet_new (net);
        like.length = rest < most ? rest : most;
        rest -= like.length;
        net->fabric.packets[number] = like;
        source_send (net, is->src, number);
    }
}

static void count_sent (tori_net *net, const tori_net_message *is)
{
    tori_net_stats *stats = &net->stats[is->job];
    stats->sent++;
    stats->flits_sent += is->flits;
    net->pending++;
    net->awake = true;
}

int tori_net_send (tori_net *net, uint32_t src, uint32_t dst, uint32_t flits,
                   uint64_t tag, tori_error *err)
{
    uint32_t packets = 1, number;
    if (src >= net->fabric.nodes || dst >= net->fabric.nodes || flits == 0)
        return tori_error_set (err, TORI_INVALID,
                               "a message has at least one flit and goes from "
                               "node to node of the machine");
    if (net->job_of[src] != net->job_of[dst])
        return tori_error_set (err, TORI_INVALID,
                               "nodes %" PRIu32 " and %" PRIu32
                               " are not of one job",
                               src, dst);
    if (net->config.packet)
        packets = flits / net->config.packet
                  + (flits % net->config.packet != 0);
    if (packets_reserve (net, packets, 1, err) < 0)
        return -1;
    number = message_new (net);
    net->messages[number] = (struct message){
        .is = {.src = src,
               .dst = dst,
               .flits = flits,
               .job = net->job_of[src],
               .tag = tag,
               .hops = route_distance (net, src, dst),
               .sent = net->time,
               .entered = UINT64_MAX},
        .packets = packets};
    count_sent (net, &net->messages[number].is);
    cut_up (net, number);
    return 0;
}

static void message_delivered (tori_net *net, uint32_t number)
{
    struct message *message = &net->messages[number];
    tori_net_message *is = &message->is;
    tori_net_stats *stats = &net->stats[is->job];
    uint64_t latency;
    is->delivered = net->time + 1;
    latency = is->delivered - is->sent;
    stats->delivered++;
    stats->latency += latency;
    if (latency > stats->latency_most)
        stats->latency_most = latency;
    stats->waited += is->entered - is->sent;
    stats->blocked += is->blocked;
    stats->hops += is->hops;
    net->pending--;
    message->next = NO_PACKET;
    if (net->first_delivered == NO_PACKET)
        net->first_delivered = number;
    else
        net->messages[net->last_delivered].next = number;
    net->last_delivered = number;
}

void packet_delivered (tori_net *net, uint32_t number)
{
    struct packet *packet = &net->fabric.packets[number];
    struct message *message = &net->messages[packet->message];
    uint32_t width = net->config.width;
    uint64_t alone = message->is.hops + packet->length / width
                     + (packet->length % width != 0);
    /* Small buffers may hold a packet up: never less than 0. */
    message->is.blocked += net->time + 1 - packet->entered - alone;
    if (packet->entered < message->is.entered)
        message->is.entered = packet->entered;
    packet->next = net->free_packet;
    net->free_packet = number;
    if (--message->packets == 0)
        message_delivered (net, packet->message);
}

bool tori_net_receive (tori_net *net, tori_net_message *ret_message)
{
    uint32_t number = net->first_delivered;
    if (number == NO_PACKET)
        return false;
    *ret_message = net->messages[number].is;
    net->first_delivered = net->messages[number].next;
    net->messages[number].next = net->free_message;
    net->free_message = number;
    return true;
}

/* ---- queries ---- */

const tori_machine *tori_net_machine (const tori_net *net)
{
    return net->machine;
}

const tori_net_config *tori_net_configuration (const tori_net *net)
{
    return &net->config;
}

uint32_t tori_net_job (const tori_net *net, uint32_t node)
{
    return node < net->fabric.nodes ? net->job_of[node] : UINT32_MAX;
}

uint64_t tori_net_time (const tori_net *net)
{
    return net->time;
}

uint64_t tori_net_pending (const tori_net *net)
{
    return net->pending;
}

uint64_t tori_net_flits (const tori_net *net)
{
    return net->flits;
}

void tori_net_job_stats (const tori_net *net, uint32_t job,
                         tori_net_stats *ret_stats)
{
    *ret_stats = job < net->jobs ? net->stats[job] : (tori_net_stats){0};
}

uint64_t tori_net_flit_hops (const tori_net *net)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < net->links; i++)
        sum += net->fabric.carried[net->link[i]];
    return sum;
}

size_t tori_net_links (const tori_net *net)
{
    return net->links;
}

bool tori_net_link_at (const tori_net *net, size_t i, tori_net_link *ret_link)
{
    const struct fabric *f = &net->fabric;
    const struct direction *direction;
    uint32_t way;
    if (i >= net->links)
        return false;
    way = net->link[i];
    direction = &net->direction[way_direction (f, way)];
    *ret_link = (tori_net_link){.from = way >> f->way_bits,
                                .to = f->to_way[way] >> f->way_bits,
                                .dim = direction->dim,
                                .step = direction->step,
                                .flits = f->carried[way]};
    if (direction->step == 0)
        ret_link->step = ret_link->to > ret_link->from ? 1 : -1;
    return true;
}

void tori_net_reset_counts (tori_net *net)
{
    for (uint32_t job = 0; job < net->jobs; job++)
        net->owed_before +=
            net->stats[job].flits_sent - net->stats[job].flits_delivered;
    memset (net->fabric.carried, 0,
            net->nways * sizeof *net->fabric.carried);
    memset (net->stats, 0, net->jobs * sizeof *net->stats);
}
