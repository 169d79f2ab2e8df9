/* ballwalk.h - the k free nodes nearest to a node, walked through.
 *
 * These are all nodes nearer than a radius, and at the radius those with the
 * lowest ids. They are visited row by row in the order of ids, so one walk is
 * enough.
 */
#ifndef TORI_ALLOC_BALLWALK_H
#define TORI_ALLOC_BALLWALK_H

#include "ballspace.h"

/* The least radius with k nodes of a set; how many of them are nearer. */
uint32_t ball_walk_radius (const struct ball_space *space,
                           const uint64_t *set, uint32_t centre, uint32_t k,
                           uint32_t *ret_nearer);

/* The nodes of the set that are nearer than this radius and `rest` of those at
 * it, in ascending order. */
void ball_walk_take (const struct ball_space *space, const uint64_t *set,
                     uint32_t centre, uint32_t radius, uint32_t rest,
                     uint32_t ret_nodes[]);

#endif
