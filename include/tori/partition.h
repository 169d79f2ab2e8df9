/* tori/partition.h - do partitions keep their messages to themselves?
 *
 *     tori_partition part = {.box = &box};
 *     tori_escape escape;
 *     bool closed;
 *     if (tori_partition_closed (machine, &part, &closed, &escape, &err) < 0)
 *         ...
 *
 * A partition is closed if every message between two of its nodes stays on its
 * nodes, and open if one can leave it (A. Hori et al., "Time Space Sharing
 * Scheduling and Architectural Support", 1995, section 3.2). Routes are those
 * of tori/net.h.
 *
 * A set of nodes is closed only if it is a box. The first dimension takes a
 * message from node a to the coordinate of node b. So if the set holds a and
 * b, it must hold the node that is like b in this dimension and like a in all
 * others. The same holds for the other dimensions in turn, so the set must be
 * the product of its coordinates. In one dimension, if a set of coordinates
 * has two gaps, the message from one side of a gap to the other leaves it.
 *
 * A box is closed if it is closed in every dimension: on a mesh always; on a
 * ring of S nodes if it has all S of them, or up to (S + 1) / 2. With S / 2 +
 * 1 nodes on an even ring, the way between the ends is half of the ring and
 * may go round either side. So such a box is open, except for some that are
 * hardly wider than one node in all other dimensions. With more nodes,
 * messages between the ends take the short way outside. Adaptive routing uses
 * no link outside a closed box either, so whether a box is closed does not
 * depend on the routing.
 *
 * Closed partitions that have no node in common share no link. Open ones may
 * disturb each other, and closed ones.
 */
#ifndef TORI_PARTITION_H
#define TORI_PARTITION_H

#include <tori/net.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A box, or a list of nodes without repeats if `box` is NULL. Both belong to
 * the caller. */
typedef struct tori_partition {
    const tori_box *box;
    const uint32_t *nodes;
    size_t n;
} tori_partition;

/* A message that leaves its partition, in dimension order: its source and
 * destination in the partition, and the first node on the way that is outside.
 */
typedef struct tori_escape {
    uint32_t src, dst;
    uint32_t outside;
} tori_escape;

/* Whether a partition is closed. `ret_escape` is filled in only if it is open;
 * it may be NULL. TORI_INVALID for a box or a node outside this machine and
 * for a node given twice; TORI_FAILED if memory runs out. For a box the cost
 * grows with the number of dimensions, for a list with the number of pairs of
 * nodes. */
int tori_partition_closed (const tori_machine *machine,
                           const tori_partition *part, bool *ret_closed,
                           tori_escape *ret_escape, tori_error *err);

/* Two partitions that share a link: the first such link by the node that it
 * leaves, then by dimension, upwards before downwards; and for each partition
 * one of its messages that can use this link. */
typedef struct tori_disturbance {
    size_t part[2];
    uint32_t from, to;
    int dim;
    int step; /* +1 or -1 */
    uint32_t src[2], dst[2];
} tori_disturbance;

/* Find all pairs of the n partitions that share a link, in the order of the
 * first, then of the second. The caller frees the list with free (). It is
 * NULL if there are no such pairs. Two boxes are compared by dimensions. For a
 * list of nodes, all links in use are found first: with dimension order from
 * all pairs of nodes, and with adaptive routing in one step per node of the
 * list and link of the machine. Fails as tori_partition_closed does. */
int tori_partition_disturb (const tori_machine *machine, tori_routing routing,
                            const tori_partition parts[], size_t n,
                            tori_disturbance **ret_list, size_t *ret_n,
                            tori_error *err);

#ifdef __cplusplus
}
#endif

#endif
