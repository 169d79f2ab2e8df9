#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "grid.h"
#include "router.h"

/* ---- the configuration ---- */

static bool is_ring (const tori_machine *machine, int dim)
{
    return tori_machine_wraps (machine, dim)
           && tori_machine_size (machine, dim) >= 4;
}

static void add_direction (tori_net *net, int dim, int step)
{
    unsigned p = net->directions++;
    net->direction[p] = (struct direction){.dim = dim,
                                           .step = step,
                                           .other = (uint8_t)(p + 1),
                                           .ring = is_ring (net->machine,
                                                            dim)};
    if (step < 0)
        net->direction[p].other = (uint8_t)(p - 1);
}

/* Up and down; only one where a mesh has two nodes, none where one. A machine
 * of 32 dimensions has 64 directions at the most. */
static void list_directions (tori_net *net)
{
    for (int d = 0; d < net->ndims; d++) {
        uint32_t size = tori_machine_size (net->machine, d);
        bool wraps = tori_machine_wraps (net->machine, d);
        net->first_direction[d] = (uint8_t)net->directions;
        net->rings |= is_ring (net->machine, d);
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
    net->plain = !adaptive && config->switching == TORI_WORMHOLE;
}

static int check_config (const tori_net *net, tori_error *err)
{
    const tori_net_config *c = &net->config;
    unsigned least = 1u + net->rings + (c->routing == TORI_ADAPTIVE);
    unsigned most = TORI_NET_MAX_LANES / (net->directions + 1);
    if (net->nodes > TORI_NET_MAX_NODES)
        return tori_error_set (err, TORI_INVALID,
                               "a network has at most %d nodes",
                               TORI_NET_MAX_NODES);
    if (c->vcs < least)
        return tori_error_set (err, TORI_INVALID,
                               "virtual channels a link: at least %u are "
                               "needed here to rule out deadlock, not "
                               "%" PRIu32,
                               least, c->vcs);
    if (c->vcs > most)
        return tori_error_set (err, TORI_INVALID,
                               "virtual channels a link: at most %u on this "
                               "machine, not %" PRIu32,
                               most, c->vcs);
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
    size_t lanes = (net->directions + 1) * (size_t)net->config.vcs;
    net->lanes = (unsigned)lanes;
    net->own = net->lanes - net->config.vcs;
    net->group = bits_low (net->config.vcs);
    for (unsigned i = 0; i < net->lanes; i++)
        net->direction_of[i] = (uint8_t)(i / net->config.vcs);
    net->buffers_at = sizeof (struct router) + lanes * sizeof (struct lane);
    net->rings_at =
        net->buffers_at + (net->own + 1) * sizeof (struct buffer);
    net->block = net->rings_at
                 + (size_t)net->own * net->config.buffer * sizeof (uint32_t);
    net->block = (net->block + 7) / 8 * 8;
}

static void fill_router (tori_net *net, struct router *router)
{
    struct lane *lanes = lanes_of (router);
    router->first = router->last = NO_PACKET;
    for (unsigned i = 0; i < net->lanes; i++) {
        lanes[i].owner = NO_OWNER;
        lanes[i].credits = i < net->own ? net->config.buffer : 1;
    }
}

/* At least one, so that NULL is a want of memory. */
static void *array (size_t n, size_t size)
{
    return calloc (n ? n : 1, size);
}

static int allocate (tori_net *net, tori_error *err)
{
    size_t n = net->nodes, links = n * net->directions;
    net->routers = array (n, net->block);
    net->active = array (bits_words (n), sizeof *net->active);
    net->to = array (links, sizeof *net->to);
    net->from = array (links, sizeof *net->from);
    net->link = array (links, sizeof *net->link);
    net->carried = array (links, sizeof *net->carried);
    net->coords = array (n * (size_t)net->ndims, sizeof *net->coords);
    net->parity = array (n, sizeof *net->parity);
    net->moves =
        array ((links + n) * net->config.width, sizeof *net->moves);
    net->job_of = array (n, sizeof *net->job_of);
    net->stats = array (1, sizeof *net->stats);
    if (!net->routers || !net->active || !net->to || !net->from || !net->link
        || !net->carried || !net->coords || !net->parity || !net->moves
        || !net->job_of || !net->stats)
        return tori_error_nomem (err);
    net->jobs = 1;
    return 0;
}

int tori_net_create (const tori_machine *machine,
                     const tori_net_config *config, tori_net **ret_net,
                     tori_error *err)
{
    tori_net *net = calloc (1, sizeof *net);
    if (!net)
        return tori_error_nomem (err);
    net->machine = machine;
    net->nodes = tori_machine_nodes (machine);
    net->ndims = tori_machine_ndims (machine);
    net->free_packet = net->free_message = NO_PACKET;
    net->first_delivered = net->last_delivered = NO_PACKET;
    if (config)
        net->config = *config;
    list_directions (net);
    set_defaults (net);
    if (check_config (net, err) < 0)
        goto fail;
    lay_out (net);
    if (allocate (net, err) < 0 || route_prepare (net, err) < 0)
        goto fail;
    for (uint32_t node = 0; node < net->nodes; node++)
        fill_router (net, router_at (net, node));
    *ret_net = net;
    return 0;
fail:
    tori_net_destroy (net);
    return -1;
}

void tori_net_destroy (tori_net *net)
{
    if (!net)
        return;
    free (net->routers);
    free (net->active);
    free (net->to);
    free (net->from);
    free (net->link);
    free (net->carried);
    free (net->coords);
    free (net->parity);
    free (net->moves);
    free (net->table);
    free (net->job_of);
    free (net->stats);
    free (net->packets);
    free (net->messages);
    free (net);
}

/* ---- jobs ---- */

static int need_job (tori_net *net, uint32_t job, tori_error *err)
{
    tori_net_stats *stats;
    if (job < net->jobs)
        return 0;
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
        if (nodes[i] >= net->nodes)
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

/* See that `more` packets and a message can be had. */
static int reserve (tori_net *net, uint32_t more, tori_error *err)
{
    uint64_t packets = (uint64_t)net->npackets + more;
    if (packets >= NO_PACKET || net->nmessages >= NO_PACKET - 1)
        return tori_error_set (err, TORI_FAILED, "too many packets");
    if (packets > net->packet_room) {
        uint64_t room = packets + packets / 2 + 64;
        struct packet *p = reallocarray (net->packets, room, sizeof *p);
        if (!p)
            return tori_error_nomem (err);
        net->packets = p;
        net->packet_room = room < NO_PACKET ? (uint32_t)room : NO_PACKET;
    }
    if (net->nmessages == net->message_room) {
        uint64_t room = (uint64_t)net->message_room * 3 / 2 + 64;
        struct message *m = reallocarray (net->messages, room, sizeof *m);
        if (!m)
            return tori_error_nomem (err);
        net->messages = m;
        net->message_room = room < NO_PACKET ? (uint32_t)room : NO_PACKET;
    }
    return 0;
}

static uint32_t new_packet (tori_net *net)
{
    uint32_t number = net->free_packet;
    if (number == NO_PACKET)
        return net->npackets++;
    net->free_packet = net->packets[number].next;
    return number;
}

static uint32_t new_message (tori_net *net)
{
    uint32_t number = net->free_message;
    if (number == NO_PACKET)
        return net->nmessages++;
    net->free_message = net->messages[number].next;
    return number;
}

/* Behind all others of its source. */
static void enqueue (tori_net *net, uint32_t src, uint32_t number)
{
    struct router *router = router_at (net, src);
    net->packets[number].next = NO_PACKET;
    if (router->first == NO_PACKET)
        router->first = number;
    else
        net->packets[router->last].next = number;
    router->last = number;
    if (buffers_of (net, router)[net->own].count == 0)
        source_next (net, src, router);
}

/* Packets of full length first. */
static void cut_up (tori_net *net, uint32_t message)
{
    const tori_net_message *is = &net->messages[message].is;
    uint32_t most = net->config.packet ? net->config.packet : is->flits;
    struct packet like = {.dst = is->dst, .message = message};
    route_packet (net, is->src, &like);
    for (uint32_t rest = is->flits; rest;) {
        uint32_t number = new_packet (net);
        like.length = rest < most ? rest : most;
        rest -= like.length;
        net->packets[number] = like;
        enqueue (net, is->src, number);
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
    if (src >= net->nodes || dst >= net->nodes || flits == 0)
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
    if (reserve (net, packets, err) < 0)
        return -1;
    number = new_message (net);
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
    struct packet *packet = &net->packets[number];
    struct message *message = &net->messages[packet->message];
    uint32_t width = net->config.width;
    uint64_t alone = message->is.hops + packet->length / width
                     + (packet->length % width != 0);
    /* Small buffers may be what holds a packet up: never less than 0. */
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

/* ---- what is asked ---- */

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
    return net->job_of[node];
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
        sum += net->carried[net->link[i]];
    return sum;
}

size_t tori_net_links (const tori_net *net)
{
    return net->links;
}

bool tori_net_link_at (const tori_net *net, size_t i, tori_net_link *ret_link)
{
    const struct direction *way;
    size_t at;
    if (i >= net->links)
        return false;
    at = net->link[i];
    way = &net->direction[at % net->directions];
    *ret_link = (tori_net_link){.from = (uint32_t)(at / net->directions),
                                .to = net->to[at],
                                .dim = way->dim,
                                .step = way->step,
                                .flits = net->carried[at]};
    if (way->step == 0)
        ret_link->step = ret_link->to > ret_link->from ? 1 : -1;
    return true;
}

void tori_net_reset_counts (tori_net *net)
{
    for (uint32_t job = 0; job < net->jobs; job++)
        net->owed_before +=
            net->stats[job].flits_sent - net->stats[job].flits_delivered;
    memset (net->carried, 0,
            (size_t)net->nodes * net->directions * sizeof *net->carried);
    memset (net->stats, 0, net->jobs * sizeof *net->stats);
}
