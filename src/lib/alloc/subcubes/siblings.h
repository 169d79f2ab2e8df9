/* siblings.h - which groups of sibling subcubes are recognised.
 *
 * The 2^b children of a subcube, b at most 6, are the corners of a b-cube, and
 * a word has a bit for each that is free. A request between two levels takes
 * 2^l of them that form an l-cube: the Hypercube_Request of Kang et al.,
 * "Isomorphic Strategy for Processor Allocation in k-Ary n-Cube Systems",
 * 2003. Which l-cubes are seen depends on the rule:
 *
 *   buddy      2^l consecutive children from a multiple of 2^l on;
 *   gray       2^l consecutive ones, round the end, from a multiple of 2^(l-1)
 *              on, where children are numbered in Gray code (M.-S. Chen and
 *              K. G. Shin, "Processor Allocation in an N-Cube Multiprocessor
 *              Using Gray Codes", 1987);
 *   free-list  all of them (J. Kim, C. R. Das and W. Lin, "A Top-Down Processor
 *              Allocation Scheme for Hypercube Computers", 1991).
 *
 *   adaptive   those of buddy while more than half of the children are free,
 *              else those of free-list. The paper's section 6 wants a scheme
 *              that is fast at a low load and efficient in space at a high
 *              one, chosen for each bitmap.
 *
 * buddy and gray take the first. So does free-list among groups that are not
 * aligned, which it turns to last: before, it breaks up the smallest aligned
 * group that has as many. Breaking up any other would refuse jobs that fit.
 *
 * With gray, bit r of a word stands for the child at corner r ^ (r >> 1), and
 * with the others for the child at corner r.
 */
#ifndef TORI_ALLOC_SIBLINGS_H
#define TORI_ALLOC_SIBLINGS_H

#include <tori/alloc.h>

#include "bits.h"

enum { SIBLINGS_BITS = 6 };

struct siblings {
    /* Bit l: a group of 2^l of the free children is seen, for l below b. */
    uint64_t (*sizes) (uint64_t free, unsigned b);

    /* The group of 2^l to take, if there is one, l below b. Groups are in the
     * order of their first child, which for gray is the start of the group. */
    uint64_t (*choose) (uint64_t free, unsigned b, unsigned l);
    bool gray;
};

const struct siblings *siblings_find (tori_hypercube rule);

/* A set of children by their corners as a word, and back. */
uint64_t siblings_gray_ranks (uint64_t corners);
uint64_t siblings_gray_corners (uint64_t ranks);

static inline uint64_t siblings_ranks (const struct siblings *rule,
                                       uint64_t corners)
{
    return rule->gray ? siblings_gray_ranks (corners) : corners;
}

static inline uint64_t siblings_corners (const struct siblings *rule,
                                         uint64_t ranks)
{
    return rule->gray ? siblings_gray_corners (ranks) : ranks;
}

/* The group of the first child `slot` and those that differ in `dims`. */
static inline uint64_t siblings_span (unsigned slot, uint64_t dims)
{
    uint64_t group = UINT64_C (1) << slot;
    if (!(dims & (dims + 1))) /* the lowest ones, as always with buddy */
        return bits_low ((unsigned)dims + 1) << slot;
    for (; dims; dims &= dims - 1)
        group |= group << (dims & -dims);
    return group;
}

#endif
