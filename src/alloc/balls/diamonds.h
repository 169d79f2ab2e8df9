/* diamonds.h - free nodes in balls, around some centres, in little memory.
 *
 * Levels (levels.h) take memory for every node and every radius, too much for
 * millions of nodes. Here there are two numbers a node and dimension, whatever
 * the radius is. They are read four at a time.
 *
 * The nodes of a ball that share a coordinate are a diamond in the other two
 * dimensions, y and z: |y - c| + |z - d| <= r. With u = y + z and v = y - z it
 * is a square: u and v are each within r of those of its centre. Sums over
 * squares are differences of a table at their four corners. For such a table Q
 * it is enough that
 *
 *     Q(u, v) = Q(u-1, v) + Q(u, v-1) - Q(u-1, v-1) + (1 if that is free)
 *
 * wherever a square may be; with what it begins does not matter, as that is
 * subtracted again. Where u + v is even there is a node, at y = (u + v) / 2
 * and z = (u - v) / 2, and where it is odd there is none. So Q is two tables
 * in y and z, T of the nodes and W of what is between them:
 *
 *     W(y, z) = T(y-1, z) + T(y-1, z+1) - W(y-1, z)
 *     T(y, z) = W(y, z) + W(y, z-1) - T(y-1, z) + (1 if the node is free)
 *
 * and a diamond has
 *
 *     T(y+r, z) + T(y-r-1, z) - W(y, z+r) - W(y, z-r-1)
 *
 * Numbers go round at 2^16, as only differences count. With a dimension less
 * diamonds are stretches of a line, and two numbers of a table of sums do.
 *
 * The tables are made for a box of centres and what is as far around it as
 * their radii may be. Round a ring the nodes there are those that come next.
 * As no ball may meet itself, radii are at most half of a ring.
 */
#ifndef TORI_ALLOC_DIAMONDS_H
#define TORI_ALLOC_DIAMONDS_H

#include "field.h"

struct diamonds {
    struct field field;
    const tori_machine *machine;
    bool suits;
    uint32_t reach, most; /* no radius is longer; no reach */
    uint16_t *tables;     /* the free nodes, then two a dimension */
    size_t room, slots;   /* of all of them, and in each */
    uint16_t *dense;      /* what is kept by centre */
    size_t dense_room;
    uint16_t *clear; /* all ones where a centre sees a whole ball, all free */
    int64_t *places; /* of all coordinates */
};

/* Nothing is allocated yet. `suits` says whether the machine does. */
void diamonds_init (struct diamonds *diamonds, const tori_machine *machine);
void diamonds_clear (struct diamonds *diamonds);

/* How many slots a table has around so many centres. */
uint64_t diamonds_slots (const struct diamonds *diamonds,
                         const uint32_t own[AXES], uint32_t reach);

/* Make the tables for the centres from `first` on, `own` of them a dimension:
 * of these the free ones or, unless `occurs` is NULL, those of the grid. -1
 * without memory. */
int diamonds_make (struct diamonds *diamonds, const uint64_t *free_nodes,
                   const bool *occurs, const uint32_t first[AXES],
                   const uint32_t own[AXES], uint32_t reach, tori_error *err);

/* Find the radii of the centres for k nodes, at least 2. False if one has not
 * so many within reach. If `leave`, such centres have a radius of UINT16_MAX
 * and are no more allowed. Returns whether all have, and the greatest. */
bool diamonds_count (struct diamonds *diamonds, uint32_t k, bool leave,
                     uint32_t *ret_radius);

/* Whether counts of this k within this reach can be told from greater ones. */
bool diamonds_serve (uint32_t k, uint32_t reach);

#endif
