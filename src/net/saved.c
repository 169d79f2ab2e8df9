#include <string.h>

#include "router.h"

/* Where the parts of a router are: each is one piece of its array. */
struct part {
    void *at;
    size_t bytes;
};

enum { PARTS = 5 };

static void find_parts (const tori_net *net, uint32_t node,
                        struct part part[PARTS])
{
    const struct fabric *f = &net->fabric;
    size_t ways = (size_t)1 << f->way_bits, lanes = ways << f->lane_bits;
    part[0] = (struct part){f->ways + node * ways, ways * sizeof *f->ways};
    part[1] = (struct part){f->lanes + node * lanes, lanes * sizeof *f->lanes};
    part[2] =
        (struct part){f->buffers + node * lanes, lanes * sizeof *f->buffers};
    part[3] = (struct part){f->rings + node * lanes * f->ring,
                            lanes * f->ring * sizeof *f->rings};
    part[4] = (struct part){f->sources + node, sizeof *f->sources};
}

size_t router_bytes (const tori_net *net)
{
    struct part part[PARTS];
    size_t sum = 0;
    find_parts (net, 0, part);
    for (int i = 0; i < PARTS; i++)
        sum += part[i].bytes;
    return sum;
}

void router_save (const tori_net *net, uint32_t node, void *to)
{
    struct part part[PARTS];
    unsigned char *at = to;
    find_parts (net, node, part);
    for (int i = 0; i < PARTS; i++) {
        memcpy (at, part[i].at, part[i].bytes);
        at += part[i].bytes;
    }
}

void router_load (tori_net *net, uint32_t node, const void *from)
{
    struct fabric *f = &net->fabric;
    struct part part[PARTS];
    const unsigned char *at = from;
    find_parts (net, node, part);
    for (int i = 0; i < PARTS; i++) {
        memcpy (part[i].at, at, part[i].bytes);
        at += part[i].bytes;
    }
    for (unsigned p = 0; p <= f->own; p++) {
        uint32_t way = way_at (f, node, p);
        bits_clear (f->active, way);
        if (f->ways[way].ready)
            bits_set (f->active, way);
    }
    net->awake = true;
}
