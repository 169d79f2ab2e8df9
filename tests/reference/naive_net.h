/* naive_net.h - a network by definition: a queue of flits a buffer, and every
 * cycle everything is looked at.
 *
 * It follows tori/net.h and shares nothing with the library but the channel
 * that a pair of nodes has (any would do, it only has to be the same one).
 * Routes are those of tori_route_next.
 */
#ifndef TORI_TESTS_NAIVE_NET_H
#define TORI_TESTS_NAIVE_NET_H

#include <tori/net.h>

#include "support.h"

struct naive_net;

struct naive_net *naive_net_create (const tori_net *net);
void naive_net_destroy (struct naive_net *naive);

/* By the library's number for a message, starting at 0. */
void naive_net_send (struct naive_net *naive, uint32_t src, uint32_t dst,
                     uint32_t flits);
void naive_net_step (struct naive_net *naive);

/* The cycle behind the one in which the last flit of a message came out; 0 if
 * that is still to come. */
uint64_t naive_net_delivered (const struct naive_net *naive, size_t message);

#endif
