/* naive_pod.h - slices of a pod by their definition: every offset, rotation
 * and choice of cubes is tried, and what a slice needs is found neighbour by
 * neighbour of the job's own grid.
 */
#ifndef TORI_TESTS_NAIVE_POD_H
#define TORI_TESTS_NAIVE_POD_H

#include <tori/alloc.h>

#include "support.h"

enum { MOST_PIECES = 8 };

/* The answer to a request in a state. */
struct slices {
    bool found;
    uint32_t fewest;             /* pieces */
    uint32_t cubes[MOST_PIECES]; /* of these the first, in ascending order */
    uint32_t broken; /* the fewest empty cubes that are not filled */
    uint32_t left;   /* then the fewest nodes that remain in its cubes */
    uint32_t pieces; /* then the fewest pieces */
};

struct slices naive_slices (const tori_state *state,
                            const tori_request *request, bool links);

/* The same where cubes are cut into small slices, side by side: one with fewer
 * nodes than a cube begins at a multiple of each of its sides, and is in two
 * cubes only along a side that is longer than theirs. */
struct slices naive_aligned (const tori_state *state,
                             const tori_request *request, bool links);

/* Call for every slice that can be had, with its nodes, until `visit` returns
 * true; whether it did. A slice may come more than once. */
typedef bool naive_slice_fn (void *arg, const uint32_t nodes[], uint32_t n);
bool naive_each_slice (const tori_state *state, const tori_request *request,
                       bool aligned, naive_slice_fn *visit, void *arg);

/* Whether a box has the sides of a job in some order. */
bool naive_rotated (const tori_shape *job, const tori_shape *box);

/* Call for every box, its sides as they are, that carries a request whose
 * rings may be folded, until `visit` returns true; whether it did. */
typedef bool naive_fold_fn (void *arg, const tori_request *box);
bool naive_each_fold (const tori_machine *machine,
                      const tori_request *request, naive_fold_fn *visit,
                      void *arg);

/* The cubes of a placement in ascending order, and what it breaks and leaves.
 */
struct slices naive_slice (const tori_state *state,
                           const tori_placement *place);

/* The better of both, in each respect. */
void naive_better (struct slices *best, const struct slices *other);

/* Whether a placement is a slice of the request, and sound. */
void naive_check_slice (const tori_machine *machine,
                        const tori_request *request,
                        const tori_placement *place);

/* Whether it is sound: every node of the job's grid
 * has a node of its own, neighbours are joined in a cube or by a
 * cross-connect, and what it takes is that and no more. */
void naive_check_joints (const tori_machine *machine,
                         const tori_placement *place);

#endif
