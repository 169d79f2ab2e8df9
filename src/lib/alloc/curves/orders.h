/* orders.h - the nodes of a machine in a line.
 *
 * An order lists every node once. Nodes near each other in it should be near
 * each other in the machine, so that a run of the order is a compact set:
 *
 *   row      by id, the last dimension fastest
 *   snake    the same, but every other row backwards, every other plane
 *            backwards and so on, so that neighbours in the order are
 *            neighbours in the machine
 *   hilbert  a Hilbert curve for boxes of any sides, see hilbert.c; here,
 *            too, neighbours in the order are neighbours in the machine
 */
#ifndef TORI_ALLOC_ORDERS_H
#define TORI_ALLOC_ORDERS_H

#include <tori/machine.h>

/* Fill in the ids of the nodes of a box in its order; `ids` has room for its
 * volume. -1 without memory. */
typedef int order_fn (const tori_shape *shape, uint32_t ids[],
                      tori_error *err);

order_fn order_snake, order_hilbert;

#endif
