/* usage.h - the links that the messages of a partition can take.
 *
 * In dimension order a message from a to b crosses a line of dimension d that
 * has b's coordinates before d and a's after it. In a box all lines of a
 * dimension are the same, so one of them gives the links in use, without a
 * look at any pair. For a list of nodes all pairs are followed.
 *
 * Half way round a ring the direction depends on whether all coordinates of
 * source and destination make an odd sum, so both parities are kept apart. */
#ifndef TORI_NET_USAGE_H
#define TORI_NET_USAGE_H

#include <tori/partition.h>

#include "bits.h"
#include "grid.h"

/* For a box, by dimension: coordinates that its messages get to, and those at
 * which they leave a node upwards or downwards, as sets. A link of dimension d
 * is in use if its coordinate d is one of those, and all others are
 * covered. */
struct cross {
    uint64_t *cover[TORI_MAX_DIMS];
    uint64_t *way[TORI_MAX_DIMS][2]; /* upwards, downwards */
};

/* The step that a message from a to b takes in a dimension: 0 for none. */
int usage_step (const tori_machine *machine, uint32_t a, uint32_t b, int dim);

/* A dimension other than `dim` in which a box has coordinates of both
 * parities, -1 for none: two neighbours across the end of an odd ring are both
 * even. And one of its coordinates there whose parity is not that of c. */
int usage_parity_dim (const tori_machine *machine, const tori_box *box,
                      int dim);
uint32_t usage_other_parity (const tori_machine *machine, const tori_box *box,
                             int dim, uint32_t c);

/* The links of a machine as bits: by node that they leave, by dimension,
 * upwards before downwards. */
static inline uint64_t usage_bit (const tori_machine *machine, uint32_t node,
                                  int dim, bool down)
{
    return ((uint64_t)node * (uint64_t)machine->shape.ndims + (uint64_t)dim)
               * 2
           + down;
}

static inline uint64_t usage_bits (const tori_machine *machine)
{
    return usage_bit (machine, machine->nodes, 0, false);
}

/* Whether the messages of a box are the product of its dimensions: not if
 * adaptive routing meets ways of equal length. */
bool usage_is_product (const tori_machine *machine, tori_routing routing,
                       const tori_box *box);

int usage_of_box (const tori_machine *machine, tori_routing routing,
                  const tori_box *box, struct cross *ret_cross,
                  tori_error *err);
void usage_clear (struct cross *cross);

/* Add the links in use to an empty set. */
void usage_fill_box (const tori_machine *machine, const struct cross *cross,
                     uint64_t *links);
int usage_fill_list (const tori_machine *machine, tori_routing routing,
                     const uint32_t nodes[], size_t n, uint64_t *links,
                     tori_error *err);

/* A message of a partition that can go over a link, which is in use. */
void usage_pair_of_box (const tori_machine *machine, const tori_box *box,
                        const tori_disturbance *link, uint32_t *ret_src,
                        uint32_t *ret_dst);
void usage_pair_of_list (const tori_machine *machine, tori_routing routing,
                         const uint32_t nodes[], size_t n,
                         const tori_disturbance *link, uint32_t *ret_src,
                         uint32_t *ret_dst);

#endif
