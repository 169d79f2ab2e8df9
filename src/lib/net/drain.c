/* drain.c - the drain signal: freezing routers, interrupts. See
 * tori/drain.h. */
#include <inttypes.h>
#include <stdlib.h>

#include <tori/partition.h>

#include "drain.h"
#include "sized.h"

/* ---- the signal ---- */

/* The lanes of a router, and of the buffers there, begin with this one. */
static uint32_t first_lane (const tori_drain *d, uint32_t i)
{
    const struct fabric *f = &d->net->fabric;
    return lane_at (f, way_at (f, d->nodes[i], 0), 0);
}

static void reach_router (tori_drain *d, uint32_t i)
{
    d->frozen[i] = d->net->time;
    d->order[d->reached++] = i;
}

/* A router passes the signal on by every port of the partition. */
static void pass_signal (tori_drain *d, uint32_t i)
{
    const struct fabric *f = &d->net->fabric;
    for (uint64_t left = d->out[i]; left; left &= left - 1) {
        unsigned p = (unsigned)__builtin_ctzll (left);
        uint32_t way = f->to_way[way_at (f, d->nodes[i], p)];
        uint32_t to = d->place[way >> f->way_bits];
        d->awaited[to] &= ~(UINT64_C (1) << p);
        if (d->frozen[to] == NEVER)
            reach_router (d, to);
    }
}

static void spread_signal (tori_drain *d)
{
    while (d->passed < d->reached
           && d->frozen[d->order[d->passed]] + d->config.hop <= d->net->time)
        pass_signal (d, d->order[d->passed++]);
}

/* ---- frozen routers ---- */

/* No packet begins: the bits of packets that wait for a lane are hidden. */
static void hold_router (tori_drain *d, uint32_t i)
{
    const struct fabric *f = &d->net->fabric;
    uint32_t first = first_lane (d, i), n = lanes_of (f);
    uint64_t *held = d->held + (size_t)i * n;
    for (uint32_t l = 0; l < n; l++) {
        struct net_lane *lane = &f->lanes[first + l];
        struct way *way = &f->ways[(first + l) >> f->lane_bits];
        unsigned ready = 1u << lane_channel (f, l);
        held[l] |= lane->waiting;
        lane->waiting = 0;
        if (d->halt || lane->owner == NO_OWNER)
            way->ready &= (uint16_t)~ready;
    }
    for (unsigned p = 0; p <= f->own; p++) {
        uint32_t way = way_at (f, d->nodes[i], p);
        if (!f->ways[way].ready)
            bits_clear (f->active, way);
    }
}

void drain_give_back (tori_drain *d)
{
    const struct fabric *f = &d->net->fabric;
    uint32_t n = lanes_of (f);
    for (uint32_t i = 0; i < d->n; i++)
        for (uint32_t l = 0; l < n; l++) {
            uint64_t *held = &d->held[(size_t)i * n + l];
            f->lanes[first_lane (d, i) + l].waiting |= *held;
            *held = 0;
        }
}

/* Whether no packet is coming in or going out. */
static bool at_rest (const tori_drain *d, uint32_t i)
{
    const struct fabric *f = &d->net->fabric;
    uint32_t first = first_lane (d, i);
    if (d->halt)
        return true;
    for (uint32_t l = first; l < first + lanes_of (f); l++)
        if (f->buffers[l].missing || f->lanes[l].owner != NO_OWNER)
            return false;
    return true;
}

/* ---- emptying routers ---- */

static uint64_t router_flits (const tori_drain *d, uint32_t i)
{
    const struct fabric *f = &d->net->fabric;
    uint32_t first = first_lane (d, i);
    uint64_t sum = 0;
    for (uint32_t l = 0; l < lanes_of (f); l++)
        if (way_direction (f, l >> f->lane_bits) < f->own)
            sum += buffer_flits (f, first + l);
    return sum;
}

/* Flits leave by the way out to the node, when it is not in use. They are only
 * counted: a frozen router needs no room, so their places need not become
 * free. Returns whether all have left. */
static bool empty_router (tori_drain *d, uint32_t i)
{
    const struct fabric *f = &d->net->fabric;
    uint64_t there = router_flits (d, i);
    uint32_t exit = lane_at (f, way_at (f, d->nodes[i], f->own), 0);
    bool busy = false;
    if (d->fallen[i] == there)
        return true;
    for (unsigned v = 0; v < d->net->config.vcs; v++)
        busy |= f->lanes[exit + v].owner != NO_OWNER;
    if (!busy)
        d->fallen[i] += d->net->config.width;
    if (d->fallen[i] > there)
        d->fallen[i] = there;
    return false;
}

/* ---- a cycle ---- */

static void look_at (tori_drain *d, uint32_t i)
{
    bool down = true;
    if (d->frozen[i] == NEVER)
        return;
    hold_router (d, i);
    if (d->quiet[i])
        return;
    if (d->config.method == TORI_ALL_FALL_DOWN)
        down = empty_router (d, i);
    if (!down || d->awaited[i] || !at_rest (d, i))
        return;
    d->quiet[i] = true;
    d->interrupts[d->ninterrupts++] =
        (tori_interrupt){d->nodes[i], d->net->time};
}

void drains_sweep (tori_net *net)
{
    for (tori_drain *d = net->drains; d; d = d->next) {
        spread_signal (d);
        for (uint32_t i = 0; i < d->n; i++)
            look_at (d, i);
    }
}

bool drains_busy (const tori_net *net)
{
    for (const tori_drain *d = net->drains; d; d = d->next)
        if (!tori_drain_done (d))
            return true;
    return false;
}

uint64_t drains_held (const tori_net *net, uint32_t lane, bool *ret_frozen)
{
    const struct fabric *f = &net->fabric;
    *ret_frozen = false;
    for (const tori_drain *d = net->drains; d; d = d->next) {
        uint32_t i = d->place[node_of (f, lane)];
        if (i == NO_NODE)
            continue;
        *ret_frozen = d->frozen[i] != NEVER;
        return d->held[(size_t)i * lanes_of (f) + buffer_here (f, lane)];
    }
    return 0;
}

/* ---- start and end ---- */

static int check_box (const tori_net *net, const tori_box *box,
                      tori_error *err)
{
    tori_partition part = {.box = box};
    char src[TORI_TEXT_MAX], dst[TORI_TEXT_MAX], out[TORI_TEXT_MAX];
    tori_escape escape;
    bool closed;
    if (tori_partition_closed (net->machine, &part, &closed, &escape, err) < 0)
        return -1;
    if (!closed) {
        tori_node_format (net->machine, escape.src, src);
        tori_node_format (net->machine, escape.dst, dst);
        tori_node_format (net->machine, escape.outside, out);
        return tori_error_set (err, TORI_INVALID,
                               "an open partition cannot be drained: a "
                               "message from %s to %s goes by %s",
                               src, dst, out);
    }
    for (const tori_drain *d = net->drains; d; d = d->next)
        if (tori_box_overlap (net->machine, &d->box, box))
            return tori_error_set (err, TORI_INVALID,
                                   "a part of it is being drained already");
    return 0;
}

static int check_start (const tori_net *net, const tori_box *box,
                        const tori_drain_config *config, tori_error *err)
{
    if (check_box (net, box, err) < 0)
        return -1;
    if (config->origin >= tori_shape_volume (&box->shape))
        return tori_error_set (err, TORI_INVALID,
                               "a drain starts at one of the %" PRIu64
                               " nodes of its partition, 0 to %" PRIu64
                               ", not at %u",
                               tori_shape_volume (&box->shape),
                               tori_shape_volume (&box->shape) - 1,
                               config->origin);
    if ((unsigned)config->method > TORI_ALL_FALL_DOWN)
        return tori_error_set (err, TORI_INVALID,
                               "there is no method %u to drain",
                               (unsigned)config->method);
    if (config->method == TORI_ALL_FALL_DOWN
        && net->config.switching != TORI_CUT_THROUGH)
        return tori_error_set (err, TORI_INVALID,
                               "packets can fall down only where a router has "
                               "room for them: with cut-through");
    return 0;
}

static int allocate_drain (tori_drain *d, tori_error *err)
{
    size_t n = d->n, lanes = n * lanes_of (&d->net->fabric);
    d->nodes = calloc (n, sizeof *d->nodes);
    d->place = calloc (d->net->fabric.nodes, sizeof *d->place);
    d->out = calloc (n, sizeof *d->out);
    d->awaited = calloc (n, sizeof *d->awaited);
    d->frozen = calloc (n, sizeof *d->frozen);
    d->fallen = calloc (n, sizeof *d->fallen);
    d->quiet = calloc (n, sizeof *d->quiet);
    d->held = calloc (lanes, sizeof *d->held);
    d->order = calloc (n, sizeof *d->order);
    d->interrupts = calloc (n, sizeof *d->interrupts);
    if (!d->nodes || !d->place || !d->out || !d->awaited || !d->frozen
        || !d->fallen || !d->quiet || !d->held || !d->order || !d->interrupts)
        return tori_error_nomem (err);
    return 0;
}

static void drain_free (tori_drain *d)
{
    free (d->nodes);
    free (d->place);
    free (d->out);
    free (d->awaited);
    free (d->frozen);
    free (d->fallen);
    free (d->quiet);
    free (d->held);
    free (d->order);
    free (d->interrupts);
    free (d);
}

/* Find the routers, and the ports of each that belong to the partition. */
static void find_ports (tori_drain *d)
{
    const tori_net *net = d->net;
    const struct fabric *f = &net->fabric;
    tori_box_nodes (net->machine, &d->box, d->nodes);
    for (uint32_t node = 0; node < f->nodes; node++)
        d->place[node] = NO_NODE;
    for (uint32_t i = 0; i < d->n; i++) {
        d->place[d->nodes[i]] = i;
        d->frozen[i] = NEVER;
    }
    for (size_t l = 0; l < net->links; l++) {
        uint32_t way = net->link[l];
        uint32_t from = d->place[way >> f->way_bits];
        uint32_t to = d->place[f->to_way[way] >> f->way_bits];
        uint64_t port = UINT64_C (1) << way_direction (f, way);
        if (from == NO_NODE || to == NO_NODE)
            continue;
        d->out[from] |= port;
        d->awaited[to] |= port;
    }
}

int tori_drain_start (tori_net *net, const tori_box *box,
                      const tori_drain_config *config, tori_drain **ret_drain,
                      tori_error *err)
{
    tori_drain_config own = {.size = sizeof own};
    tori_drain *d;
    if ((config && SIZED_COPY (tori_drain_config, &own, config, err) < 0)
        || check_start (net, box, &own, err) < 0)
        return -1;
    own.hop += own.hop == 0;
    own.words += own.words == 0;
    d = calloc (1, sizeof *d);
    if (!d)
        return tori_error_nomem (err);
    d->net = net;
    d->box = *box;
    d->config = own;
    d->halt = net->config.switching == TORI_WORMHOLE;
    d->begun = net->time;
    d->n = (uint32_t)tori_shape_volume (&box->shape);
    if (allocate_drain (d, err) < 0) {
        drain_free (d);
        return -1;
    }
    find_ports (d);
    reach_router (d, own.origin);
    d->next = net->drains;
    net->drains = d;
    net->awake = true;
    *ret_drain = d;
    return 0;
}

/* Lanes by which a flit can leave again. */
static void wake_router (tori_drain *d, uint32_t i)
{
    const struct fabric *f = &d->net->fabric;
    uint32_t first = first_lane (d, i);
    for (unsigned p = 0; p <= f->own; p++) {
        uint32_t way = way_at (f, d->nodes[i], p);
        f->ways[way].ready = 0;
        bits_clear (f->active, way);
    }
    for (uint32_t l = 0; l < lanes_of (f); l++)
        lane_wake (f, first + l, lane_usable (d->net, first + l));
}

void tori_drain_release (tori_drain *d)
{
    tori_drain **link;
    if (!d)
        return;
    drain_give_back (d);
    for (uint32_t i = 0; i < d->n; i++)
        wake_router (d, i);
    for (link = &d->net->drains; *link != d; link = &(*link)->next)
        ;
    *link = d->next;
    d->net->awake = true;
    drain_free (d);
}

/* ---- queries ---- */

bool tori_drain_done (const tori_drain *d)
{
    return d->ninterrupts == d->n;
}

bool tori_drain_interrupt (tori_drain *d, tori_interrupt *ret_interrupt)
{
    if (d->taken == d->ninterrupts)
        return false;
    *ret_interrupt = d->interrupts[d->taken++];
    return true;
}

/* The most hops: half of a ring that is all in the box. */
static uint32_t find_diameter (const tori_drain *d)
{
    const tori_machine *machine = d->net->machine;
    uint32_t sum = 0;
    for (int dim = 0; dim < d->box.shape.ndims; dim++) {
        uint32_t side = d->box.shape.size[dim];
        bool ring = tori_machine_wraps (machine, dim)
                    && side == tori_machine_size (machine, dim);
        sum += ring ? side / 2 : side - 1;
    }
    return sum;
}

static void report_bound (const tori_drain *d, tori_drain_report *r)
{
    const tori_net_config *config = &d->net->config;
    r->diameter = find_diameter (d);
    r->longest = 1;
    if (!d->halt)
        r->longest = (config->packet + config->width - 1) / config->width;
    r->bound = (uint64_t)r->diameter * r->longest
               + (uint64_t)r->diameter * d->config.hop;
}

static void report_words (const tori_drain *d, tori_drain_report *r)
{
    const tori_net_config *config = &d->net->config;
    for (uint32_t i = 0; i < d->n; i++) {
        uint64_t ports = (uint64_t)__builtin_popcountll (d->out[i]);
        uint64_t state = 2 * (ports + 1) * config->vcs;
        uint64_t all = state + ports * config->vcs * config->buffer;
        uint64_t used = state + router_flits (d, i);
        r->words = all > r->words ? all : r->words;
        r->words_used = used > r->words_used ? used : r->words_used;
    }
    r->save_cycles = (r->words + d->config.words - 1) / d->config.words;
}

static void report_packets (const tori_drain *d, tori_drain_report *r)
{
    const struct fabric *f = &d->net->fabric;
    for (uint32_t i = 0; i < d->n; i++) {
        uint32_t first = first_lane (d, i);
        r->flits += router_flits (d, i);
        for (uint32_t l = 0; l < lanes_of (f); l++) {
            uint32_t count = f->buffers[first + l].count;
            if (way_direction (f, l >> f->lane_bits) < f->own)
                r->packets += count;
            else
                r->waiting += count;
        }
    }
}

void tori_drain_report_now (const tori_drain *d, tori_drain_report *ret_report)
{
    tori_drain_report r = {.routers = d->n,
                           .interrupts = d->ninterrupts,
                           .begun = d->begun};
    if (d->ninterrupts)
        r.cycles = d->interrupts[d->ninterrupts - 1].cycle - d->begun;
    report_bound (d, &r);
    report_words (d, &r);
    report_packets (d, &r);
    *ret_report = r;
}
