/* route.c - the way of a packet: routing of router.h. */
#include <stdlib.h>

#include "router.h"
#include "steps.h"

/* Up to here a table of all hops is at most 1 MiB. */
enum { TABLE_NODES = 1024 };

/* ---- one dimension ---- */

/* The directions of a dimension stand side by side, up before down; a mesh of
 * two nodes has one that is up from one node and down from the other. */
static inline uint8_t hop_in (const tori_net *net, int dim, uint32_t c,
                              uint32_t t)
{
    enum sense way = sense_of (net->machine, dim, c, t);
    unsigned p = net->first_direction[dim], flags = 0;
    bool up = way == UP || (way == EITHER && t % 2 == 0);
    if (!up && net->direction[p].step != 0)
        p++;
    if (way == EITHER)
        flags |= HOP_TIE;
    if (up != (t > c))
        flags |= HOP_WRAP;
    return (uint8_t)(p | flags);
}

/* ---- all dimensions ---- */

/* The parity of the sum of a node's coordinates. */
static uint32_t parity_of (int ndims, const uint32_t coords[])
{
    uint32_t sum = 0;
    for (int d = 0; d < ndims; d++)
        sum ^= coords[d];
    return sum & 1;
}

static bool is_odd (const tori_machine *machine, uint32_t src, uint32_t dst)
{
    uint32_t s[TORI_MAX_DIMS], t[TORI_MAX_DIMS];
    tori_machine_coords (machine, src, s);
    tori_machine_coords (machine, dst, t);
    return parity_of (machine->shape.ndims, s)
           != parity_of (machine->shape.ndims, t);
}

uint32_t tori_route_next (const tori_machine *machine, uint32_t src,
                          uint32_t at, uint32_t dst, int *ret_dim,
                          int *ret_step)
{
    for (int d = 0; d < machine->shape.ndims; d++) {
        uint32_t c = grid_coord (machine, at, d);
        uint32_t t = grid_coord (machine, dst, d);
        bool up;
        if (c == t)
            continue;
        up = goes_up (machine, d, c, t, is_odd (machine, src, dst));
        *ret_dim = d;
        *ret_step = up ? 1 : -1;
        return at
               + (ring_next (machine->shape.size[d], c, up) - c)
                     * machine->stride[d];
    }
    return at;
}

static const uint32_t *coords_of (const tori_net *net, uint32_t node)
{
    return net->coords + (size_t)node * (size_t)net->ndims;
}

uint8_t route_compute (const tori_net *net, uint32_t at, uint32_t dst)
{
    const uint32_t *c = coords_of (net, at), *t = coords_of (net, dst);
    for (int d = 0; d < net->ndims; d++)
        if (c[d] != t[d])
            return hop_in (net, d, c[d], t[d]);
    return (uint8_t)net->fabric.own;
}

unsigned route_ways (const tori_net *net, uint32_t at,
                     const struct packet *packet, uint8_t ways[])
{
    const uint32_t *c = coords_of (net, at), *t = coords_of (net, packet->dst);
    unsigned n = 0;
    for (int d = 0; d < net->ndims; d++)
        if (c[d] != t[d])
            ways[n++] = HOP_DIRECTION
                        & (uint8_t)hop_for (&net->fabric,
                                            hop_in (net, d, c[d], t[d]),
                                            packet->odd);
    return n;
}

static uint32_t compute_distance (const tori_net *net, uint32_t a, uint32_t b)
{
    const uint32_t *c = coords_of (net, a), *t = coords_of (net, b);
    uint32_t sum = 0;
    for (int d = 0; d < net->ndims; d++) {
        uint32_t way = c[d] < t[d] ? t[d] - c[d] : c[d] - t[d];
        uint32_t size = net->machine->shape.size[d];
        if (net->machine->kind[d] == TORI_TORUS && way > size - way)
            way = size - way;
        sum += way;
    }
    return sum;
}

uint32_t route_distance (const tori_net *net, uint32_t a, uint32_t b)
{
    return net->hops ? net->hops[(size_t)a * net->fabric.nodes + b]
                     : compute_distance (net, a, b);
}

/* ---- packets ---- */

/* Numbers that look random and are the same for a pair, everywhere. */
static uint64_t mix_pair (uint32_t src, uint32_t dst)
{
    uint64_t x = ((uint64_t)src << 32 | dst) * UINT64_C (0x9e3779b97f4a7c15);
    x = (x ^ x >> 29) * UINT64_C (0xbf58476d1ce4e5b9);
    return x ^ x >> 32;
}

/* A channel out of n by 16 bits of the pair's number. */
static uint8_t choose_channel (uint64_t bits, uint32_t n)
{
    return (uint8_t)((bits & 0xffff) * n >> 16);
}

/* Half of the packets of dimension order keep to the first class of a ring if
 * they may: otherwise the second one would carry most of the traffic. */
void route_packet (const tori_net *net, uint32_t src, struct packet *packet)
{
    uint64_t bits = mix_pair (src, packet->dst);
    uint32_t half = net->escapes / 2;
    packet->odd = net->parity[src] != net->parity[packet->dst];
    packet->low = !net->fabric.adaptive && bits >> 16 & 1;
    packet->wrapped = UINT8_MAX;
    packet->lane[NO_RING] = choose_channel (bits, net->escapes);
    packet->lane[NO_RING_EITHER] = packet->lane[NO_RING];
    packet->lane[BEFORE_WRAP] = choose_channel (bits, half);
    packet->lane[AFTER_WRAP] =
        (uint8_t)(half + choose_channel (bits, net->escapes - half));
}

/* ---- tables ---- */

/* The neighbour in a direction; NO_NODE if there is none. */
static uint32_t find_neighbour (const tori_net *net, uint32_t node,
                                const struct direction *way, int sign)
{
    const tori_machine *machine = net->machine;
    uint32_t c = grid_coord (machine, node, way->dim);
    uint32_t next = way->step == 0
                        ? 1 - c
                        : ring_next (machine->shape.size[way->dim], c,
                                     way->step * sign > 0);
    if (!tori_machine_wraps (machine, way->dim)
        && (next > c ? next - c : c - next) != 1)
        return NO_NODE;
    return node + (next - c) * machine->stride[way->dim];
}

static void fill_ways (tori_net *net)
{
    struct fabric *f = &net->fabric;
    for (uint32_t node = 0; node < f->nodes; node++) {
        f->from_way[way_at (f, node, f->own)] = (uint32_t)net->nways;
        for (unsigned p = 0; p < f->own; p++) {
            const struct direction *direction = &net->direction[p];
            uint32_t way = way_at (f, node, p);
            uint32_t to = find_neighbour (net, node, direction, 1);
            uint32_t from = find_neighbour (net, node, direction, -1);
            if (from != NO_NODE)
                f->from_way[way] = way_at (f, from, p);
            if (to == NO_NODE)
                continue;
            f->to_way[way] = way_at (f, to, p);
            net->link[net->links++] = way;
        }
    }
}

int route_prepare (tori_net *net, tori_error *err)
{
    uint32_t nodes = net->fabric.nodes;
    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t *coords = net->coords + (size_t)node * (size_t)net->ndims;
        tori_machine_coords (net->machine, node, coords);
        net->parity[node] = (uint8_t)parity_of (net->ndims, coords);
    }
    fill_ways (net);
    if (nodes > TABLE_NODES)
        return 0;
    net->fabric.table = malloc ((size_t)nodes * nodes);
    net->hops = calloc ((size_t)nodes * nodes, sizeof *net->hops);
    if (!net->fabric.table || !net->hops)
        return tori_error_nomem (err);
    for (uint32_t at = 0; at < nodes; at++)
        for (uint32_t dst = 0; dst < nodes; dst++) {
            size_t place = (size_t)at * nodes + dst;
            net->fabric.table[place] = route_compute (net, at, dst);
            net->hops[place] = (uint16_t)compute_distance (net, at, dst);
        }
    return 0;
}
