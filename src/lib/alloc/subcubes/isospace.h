/* isospace.h - the addresses of isomorphic partitioning, and their subcubes.
 *
 * After Kang, Yu, Youn, Lee and Kim, "Isomorphic Strategy for Processor
 * Allocation in k-Ary n-Cube Systems", 2003, section 4. A system of sides 2^k
 * is halved in all n dimensions at once into 2^n subcubes, these again, and so
 * on down to nodes; with unequal sides the longest are halved first, until the
 * others are as short. Down to a node this takes as many address bits as the
 * system has: for each halving one bit per dimension, the last dimension
 * lowest. The address of a node is these bits put together, so that a subcube
 * is a range of addresses. Sides that are not powers of two are rounded up.
 *
 * The addresses depend only on the machine, not on the free nodes: those are
 * in isocube.h. */
#ifndef TORI_ALLOC_ISOSPACE_H
#define TORI_ALLOC_ISOSPACE_H

#include <stddef.h>

#include <tori/alloc.h>

/* Rounded up, the 2^30 nodes of the largest machine become 2^39 at most. */
enum { ISOSPACE_BITS = 48, ISOSPACE_HALVINGS = 31 };

/* A subcube: the address of its first node, and the address bits in which the
 * others differ. */
struct cube {
    uint64_t base, wild;
};

struct isospace {
    const tori_machine *machine;
    unsigned bits; /* in an address */
    uint8_t halved[ISOSPACE_HALVINGS]; /* dimensions, last halving first */
    uint8_t dim[ISOSPACE_BITS];        /* of an address bit */
    uint32_t side[ISOSPACE_BITS];      /* its worth in that dimension */
};

/* Lay the addresses of a machine out. */
void isospace_init (struct isospace *space, const tori_machine *machine);

/* Subcubes as boxes, boxes that are subcubes, and nodes as addresses. */
void isospace_box (const struct isospace *space, struct cube cube,
                   tori_box *ret_box);
struct cube isospace_cube (const struct isospace *space, const tori_box *box);
uint64_t isospace_address (const struct isospace *space,
                           const uint32_t coords[]);

/* The position of a subcube relative to a box: outside, across its border, or
 * inside. */
enum isospace_lie { ISOSPACE_OUTSIDE, ISOSPACE_ACROSS, ISOSPACE_INSIDE };
enum isospace_lie isospace_lies (const struct isospace *space,
                                 struct cube cube, const tori_box *box);

#endif
