/* kube_ranks.h - which node has which rank of a job.
 *
 * A job has coordinates of its own: rank r of a job of shape 4x4x8 is its
 * place r in row-major order, the last dimension fastest. If the box lies
 * turned, each side of the shape goes along the first side of the box that has
 * its length and is not taken yet. A slice of a pod is one box to its job. A job
 * that was folded has the order that torid gives. A job that got another shape,
 * which will do as well, has its ranks in that. A job without a shape, or of
 * boxes that are not joined, has its nodes in the order in which torid lists
 * them. */
#ifndef TORI_KUBE_RANKS_H
#define TORI_KUBE_RANKS_H

#include <jansson.h>
#include <tori/alloc.h>

/* The node of each rank, by an order to start; `ask` is what the job asked for:
 * its shape, if any, and its alternatives. A list from malloc, or NULL if the
 * order has no nodes. */
uint32_t *kube_ranks (const tori_machine *machine, const json_t *order,
                      const json_t *ask, size_t *ret_n);

/* The box or the slice of an order, without its wiring; -1 if it has none. */
int kube_order_place (const tori_machine *machine, const json_t *order,
                      tori_placement *ret_place);

/* Numbers in a short form, in which runs that go up are one word: "0-7,64".
 * From malloc; NULL without memory. */
char *kube_ranks_format (const uint32_t ids[], size_t n);

/* And back; NULL if it is not such a text, or a number is not below `most`. */
uint32_t *kube_ranks_parse (const char *text, uint32_t most, size_t *ret_n);

#endif
