/* linkage.h - a line whose links were given one by one, and the rings in it.
 *
 * A switch joins any two of its ports (Aridor et al., 2004, section 2). So
 * links wire a set of nodes as a ring if one closed walk goes over each of
 * them once and comes by every node of the set: if they hang together, an even
 * number of them ends at every switch, and some end at each of the nodes. Such
 * a set of links is a loop here. All loops of a line are found once, when the
 * machine is created; which of them are free is all that is left to ask.
 *
 * A set of links is a word: the link at slot i of layer TORI_NEAR is bit i,
 * and that of layer TORI_FAR is bit size + i. A set of nodes is a word, too.
 * A line has up to LINKAGE_NODES nodes, and two links for each, as many as
 * switches of six ports take. It then has at most 2^17 loops.
 */
#ifndef TORI_CORE_LINKAGE_H
#define TORI_CORE_LINKAGE_H

#include <tori/state.h>

enum { LINKAGE_NODES = 16, LINKAGE_LINKS = 2 * LINKAGE_NODES };

struct linkage_loop {
    uint32_t links, nodes;
};

struct linkage {
    tori_kind base; /* the kind whose links it has besides those given */
    uint32_t size;
    uint32_t links;
    uint32_t given; /* of the links */
    uint8_t ends[LINKAGE_LINKS][2]; /* the lower one first */
    char kind[LINKAGE_LINKS]; /* n, w, s; given: x, y, z if they join the
                                   same nodes */
    uint32_t ring[LINKAGE_NODES][LINKAGE_NODES + 1]; /* the cheapest loop of the
                                                  nodes from the first on, so
                                                  many; 0: none */
    struct linkage_loop *loop; /* few links first */
    size_t loops;
};

static inline uint32_t linkage_interval (uint32_t first, uint32_t n)
{
    return ((UINT32_C (1) << n) - 1) << first;
}

/* A line of this kind with no links given; more are added one by one, and then
 * its loops are found. TORI_INVALID for a line or a link that cannot be. */
int linkage_create (tori_kind base, uint32_t size, struct linkage **ret_line,
                 tori_error *err);
int linkage_add (struct linkage *line, uint64_t a, uint64_t b, tori_error *err);
int linkage_close (struct linkage *line, tori_error *err);
void linkage_destroy (struct linkage *line);

/* A loop of these nodes without the links that are busy: the one with the
 * fewest links outside the nodes, then with the fewest links, then with the
 * first. 0 if there is none. */
uint32_t linkage_ring (const struct linkage *line, uint32_t nodes, uint32_t busy);
bool linkage_has_ring (const struct linkage *line, uint32_t nodes, uint32_t busy);

/* A mesh of the nodes from `first` on: the first link that is not busy between
 * each two neighbours. 0 if there is none. */
uint32_t linkage_path (const struct linkage *line, uint32_t first, uint32_t n,
                    uint32_t busy);

/* The nodes in their order around a loop, from the lowest. Returns how many. */
uint32_t linkage_order (const struct linkage *line, uint32_t loop, uint32_t nodes,
                     uint8_t order[LINKAGE_NODES]);

/* The longest interval that could be a ring on the empty line. */
uint32_t linkage_longest (const struct linkage *line);

#endif
