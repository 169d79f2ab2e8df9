/* ask.h - questions to allocators and about requests, beside tori/alloc.h. */
#ifndef TORI_ALLOC_ASK_H
#define TORI_ALLOC_ASK_H

#include <tori/alloc.h>

/* Whether a request made by others has dimensions that a shape can have, and a
 * known wiring. TORI_INVALID if not. */
int request_check (const tori_request *request, tori_error *err);

/* Whether a job that moves must keep the sides of its box as they are: fixed,
 * or folded into dimensions that may not all be closed. */
bool request_keeps_sides (const tori_request *request);

/* A copy of a caller's configuration in our size. TORI_INVALID for a
 * configuration that tori/alloc.h does not allow; whether the allocator exists
 * is not checked. */
int alloc_config_read (const tori_alloc_config *config,
                       tori_alloc_config *ret_config, tori_error *err);

/* The description of the allocator of such a copy; NULL, and TORI_INVALID, if
 * there is no allocator of its name. */
const tori_alloc_info *alloc_config_info (const tori_alloc_config *config,
                                          tori_error *err);

/* The configuration of an allocator, with its name; the allocator owns it. */
const tori_alloc_config *alloc_config (const tori_alloc *alloc);

/* Whether a box of a foldable request is allowed at a site that offers only
 * some slices. */
bool alloc_offers (const tori_alloc *alloc, const tori_request *box);

/* A checked request with everything that is known about it without a state:
 * worked out once and then shared by the classes of a scheduler, its plans and
 * the allocator. It is valid for this allocator only. */
struct prepared {
    tori_request request; /* as the allocator sees it: the count of a shape is
                             0 unless fewer nodes than its volume are given.
                             Its sides are as asked for, since some allocators
                             try that rotation first (sniffing, isomorphic);
                             a scheduler sorts them */
    uint64_t volume; /* tori_request_nodes */
    uint64_t asked;  /* wanted nodes, by which a refusal is numerical or
                      * topological, whatever else would be taken */
    uint64_t nodes;  /* given by the allocator; if `never`, any value */
    const char *never; /* tori_alloc_impossible */
};

/* TORI_INVALID if request_check fails. A request for no nodes is valid, but
 * can never be placed. */
int alloc_prepare (const tori_alloc *alloc, const tori_request *request,
                   struct prepared *ret_prepared, tori_error *err);

/* As tori_alloc_place. */
tori_outcome alloc_place (tori_alloc *alloc, const tori_state *state,
                          const struct prepared *prepared,
                          tori_placement *ret_place, tori_error *err);

/* The same for callers that ask often and need no reasons: 1, 0 or -1. The
 * request must be possible. */
int alloc_try (tori_alloc *alloc, const tori_state *state,
               const struct prepared *prepared, tori_placement *ret_place,
               tori_error *err);

/* The same for a request that is asked for once; 0 if it is impossible. */
int alloc_try_once (tori_alloc *alloc, const tori_state *state,
                    const tori_request *request, tori_placement *ret_place,
                    tori_error *err);

/* As alloc_try, as if every link were up and free: the place that a request
 * would have if links did not matter. */
int alloc_try_unlinked (tori_alloc *alloc, const tori_state *state,
                        const struct prepared *prepared,
                        tori_placement *ret_place, tori_error *err);

/* Whether a placement made by others could be the allocator's answer to a
 * possible request, in some state: as many nodes as it gives, in a box of the
 * request's shape and wiring that wraps only if the request may; in a slice
 * that holds the shape; or, if shapes are folded, cut from a box. TORI_INVALID
 * if it is not a placement on this machine, or not for the request. */
int alloc_check_place (const tori_alloc *alloc,
                       const struct prepared *prepared,
                       const tori_placement *place, tori_error *err);

/* Whether it answers a shape with the wanted number of nodes, not with a
 * box. */
bool alloc_is_loose (const tori_alloc *alloc);

/* Whether it refuses a shape only if no free box of it can be wired. */
bool alloc_is_thorough (const tori_alloc *alloc);

/* Whether an allocator that refuses `smaller` in this state refuses `larger`
 * too, because a place for `larger` would contain one for `smaller`. Shapes
 * that may be rotated are sorted. */
bool alloc_refuses_too (const tori_alloc *alloc, const tori_state *state,
                        const tori_request *smaller,
                        const tori_request *larger);

/* How many nodes a request wants. */
uint64_t alloc_asked (const tori_request *request);

/* The box that has to be clear for the allocator to find the same place again:
 * an allocator that folds and rounds up needs the subcube around the place.
 * False if the nodes of the placement are enough. */
bool alloc_room (const tori_alloc *alloc, const tori_placement *place,
                 tori_box *ret_box);

#endif
