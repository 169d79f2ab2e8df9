/* rings.h - wiring a line of a multi-torus around links that are down.
 *
 * A switch joins any two of its ports (Aridor et al., 2004, section 2). So a
 * ring may pass through a switch without the node there, or once with it and
 * once without, whoever the node belongs to: links are dedicated, switches are
 * not. Property 5 of the paper already has such a ring. A node that is down
 * says nothing about its switch.
 *
 * The nodes of a partition keep the order around the ring that the rule gives
 * them (i, i+2, ... and back), or along the line of a mesh, because all lines
 * of a box must have the same order: nodes that are neighbours across lines
 * have the same place in their lines. So a ring is a set of paths, one from
 * each node to the next, with no link in common. Among all such sets we find
 * the one with the fewest links outside the partition, then with the fewest
 * links.
 */
#ifndef TORI_WIRING_RINGS_H
#define TORI_WIRING_RINGS_H

#include <tori/wiring.h>

/* The place on the line of the i-th of n nodes around a ring. */
static inline uint32_t ring_place (uint32_t i, uint32_t n)
{
    return i < (n + 1) / 2 ? 2 * i : 2 * (n - 1 - i) + 1;
}

/* A partition's n nodes, 2 or more, from the coordinate `first` on, in the line
 * of dimension `dim` that begins with node `start`. A ring, or a mesh. */
struct section {
    const tori_state *state;
    int dim;
    uint32_t start;
    uint32_t first, n;
    bool ring;
};

/* Whether there are free links to wire it by. */
bool ring_exists (const struct section *section);

/* Such links, by layer and slot: 1; 0 if there are none, -1 without memory.
 * There is room for two links a node of the line. */
int ring_find (const struct section *section, tori_link links[],
               size_t *ret_n, tori_error *err);

#endif
