/* twist.h - twisted tori: how far apart nodes of a slice are if its wraps are
 * shifted.
 *
 * All sides are K or 2K. A path that leaves a side of K at one end comes back
 * at the other, K further in every dimension of 2K. Sides of 2K wrap as usual.
 * So K x 2K is a square turned by 45 degrees, and K x K x 2K and K x 2K x 2K
 * are what the face-centred and the body-centred cubic lattice repeat. All
 * dimensions are then alike, which they are not in the straight torus. After
 * Camara, Moreto, Vallejo, Beivide, Miguel-Alonso, Martinez and Navaridas,
 * "Twisted Torus Topologies for Enhanced Interconnection Networks", 2010.
 */
#ifndef TORI_WIRING_TWIST_H
#define TORI_WIRING_TWIST_H

#include <tori/machine.h>

/* K, or 0 if the shape cannot be twisted: K is 2 or more, and there is a side
 * of K and one of 2K, and no other. */
uint32_t twist_side (const tori_shape *shape);

/* Hops between two nodes. `k` is 0 in the straight torus. */
uint32_t twist_distance (const tori_shape *shape, uint32_t k,
                         const uint32_t a[], const uint32_t b[]);

struct twist_measures {
    uint32_t diameter;
    uint64_t sum;       /* of the distances from one node to all others */
    double average;     /* over pairs of nodes */
    uint64_t bisection; /* links between halves, see twist_bisection */
};

/* Any node is like any other, so one is looked from. Takes a time that grows
 * with the nodes. */
struct twist_measures twist_measure (const tori_shape *shape, uint32_t k);

/* The fewest links between two halves that are made of planes: of the straight
 * torus, with an even longest side, the fewest of all halves. 0 if there are
 * no such halves. */
uint64_t twist_bisection (const tori_shape *shape, uint32_t k);

#endif
