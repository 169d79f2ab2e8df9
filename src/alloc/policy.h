/* policy.h - what an allocator is made of.
 *
 * An allocator is one file with one `const struct alloc_ops` and a row in the
 * table of alloc.c; nothing else knows it. It is handed only requests that
 * the idle machine could serve and for which enough nodes are free.
 */
#ifndef TORI_ALLOC_POLICY_H
#define TORI_ALLOC_POLICY_H

#include <tori/alloc.h>

#include "cloud.h"

struct alloc_ops {
    tori_alloc_info info;
    bool loose; /* answers a shape with `count` nodes, not with a box */
    bool thorough; /* refuses a shape only if no free box of it can be wired */

    /* Working memory, handed to the functions below. Both may be NULL. */
    int (*create) (const tori_machine *machine, void **ret_data,
                   tori_error *err);
    void (*destroy) (void *data);

    /* In place of create, by those that have options. */
    int (*create_with) (const tori_machine *machine,
                        const tori_alloc_options *options, void **ret_data,
                        tori_error *err);

    /* Why a shape that fits the machine's sides is nevertheless not to be had
     * on the idle machine, as a fixed text, or NULL. May be NULL. */
    const char *(*impossible) (const void *data, const tori_request *request);

    /* How many nodes a request takes, where that is not its volume; of one
     * that is impossible, anything. May be NULL. */
    uint64_t (*nodes) (const void *data, const tori_request *request);

    /* By count, on any points: see cloud.h. May be NULL. */
    cloud_fn *choose;

    /* Find a place: 1 and `ret_place`, 0 if there is none now, -1 without
     * memory. May be NULL: `choose` is then asked for the free nodes. */
    int (*place) (void *data, const tori_state *state,
                  const tori_request *request, tori_placement *ret_place,
                  tori_error *err);
};

extern const struct alloc_ops first_fit_ops;
extern const struct alloc_ops best_fit_ops;
extern const struct alloc_ops isomorphic_ops;
extern const struct alloc_ops eb_ops;
extern const struct alloc_ops egc_ops;
extern const struct alloc_ops k_partner_ops;
extern const struct alloc_ops sniffing_ops;
extern const struct alloc_ops efl_ops;
extern const struct alloc_ops etc_ops;
extern const struct alloc_ops row_ff_ops;
extern const struct alloc_ops row_bf_ops;
extern const struct alloc_ops row_ss_ops;
extern const struct alloc_ops snake_ff_ops;
extern const struct alloc_ops snake_bf_ops;
extern const struct alloc_ops snake_ss_ops;
extern const struct alloc_ops hilbert_ff_ops;
extern const struct alloc_ops hilbert_bf_ops;
extern const struct alloc_ops hilbert_ss_ops;
extern const struct alloc_ops mc1x1_ops;
extern const struct alloc_ops mc_ops;
extern const struct alloc_ops mm_ops;
extern const struct alloc_ops gen_alg_ops;
extern const struct alloc_ops mm_inc_ops;
extern const struct alloc_ops exact_ops;
extern const struct alloc_ops ptas_ops;

/* The allocator of this name, or NULL. */
const struct alloc_ops *alloc_find (const char *name);

/* The error of a name that no allocator has; it tells those that are. -1. */
int alloc_unknown (const char *name, tori_error *err);

/* Whether some rotation of a shape (or the shape as it is, if `fixed`) is no
 * longer than `sides` in any dimension. Both have as many dimensions. */
bool shape_within (tori_shape shape, tori_shape sides, bool fixed);

/* A placement of one box. */
tori_placement placement_of_box (const tori_box *box, tori_wiring wiring);

/* Mark what a placement holds as taken, whether or not it was already. */
int placement_block (const tori_placement *place, tori_state *state,
                     tori_error *err);

/* The reverse, whether or not it was. */
void placement_unblock (const tori_placement *place, tori_state *state);

/* Whether a placement made by others is one on this machine: a box of it with
 * as many nodes as it says, or nodes of it in ascending order. TORI_INVALID if
 * it is not. */
int placement_check (const tori_placement *place, const tori_machine *machine,
                     tori_error *err);

/* Whether such a placement could be the allocator's answer to a request that
 * is not impossible, in some state: as many nodes as it gives, in a box of the
 * request's shape and wiring that wraps only if the request may; in a slice
 * that holds the shape; or, where shapes are folded, cut from a box.
 * TORI_INVALID if it is not one on this machine, or not of the request. */
int alloc_check_place (const tori_alloc *alloc, const tori_request *request,
                       const tori_placement *place, tori_error *err);

/* Whether a request made by others has dimensions that a shape can have, and
 * a wiring that there is. TORI_INVALID if it has not. */
int request_check (const tori_request *request, tori_error *err);

/* TORI_INVALID for options that are none of those there are. */
int alloc_options_check (const tori_alloc_options *options, tori_error *err);

/* The same, and releasing, in a view of a state (state_copy_view). */
int view_block (const tori_placement *place, tori_state *view,
                tori_error *err);
void view_release (const tori_placement *place, tori_state *view);

/* What a box takes from a search while all links are up, as words: to block it
 * in a view again and again. How many words, 0 where the machine is so large
 * that it does not pay. `blank` is a state of the idle machine, and is again
 * afterwards. The view is then good for searches of boxes alone. */
size_t shadow_words (const tori_machine *machine);
int shadow_cast (const tori_placement *place, tori_state *blank,
                 uint64_t shadow[], tori_error *err);
int view_shade (tori_state *view, const uint64_t shadow[], tori_error *err);

/* Whether two placements need a node or a link in common. */
bool placement_overlap (const tori_placement *a, const tori_placement *b,
                        const tori_machine *machine);

/* How many of its nodes are neither down nor drained: so many come free. */
uint32_t placement_returning (const tori_placement *place,
                              const tori_state *state);

/* Whether none of its links is down. */
bool placement_links_up (const tori_placement *place, const tori_state *state);

/* Whether all it needs is free, and if so, hold succeeds but for memory. */
bool placement_free (const tori_placement *place, const tori_state *state);

/* How many nodes the allocator gives for a request: a loose one as many as are
 * wanted, others a whole box, or a slice that holds it. */
uint64_t alloc_nodes (const tori_alloc *alloc, const tori_request *request);

/* How many nodes it asks for: what is wanted of it, by which a refusal is
 * numerical or topological, whatever else the allocator would take. */
uint64_t alloc_asked (const tori_request *request);

/* The box that has to be clear for the allocator to place the same again:
 * one that folds and rounds up needs the subcube around what it takes. False
 * if the nodes of the placement are enough. */
bool alloc_room (const tori_alloc *alloc, const tori_placement *place,
                 tori_box *ret_box);

/* Whether an allocator that refuses `smaller` in this state refuses `larger`
 * too, because a place for that would have one for `smaller` in it. Shapes
 * that may be rotated are sorted. */
bool alloc_refuses_too (const tori_alloc *alloc, const tori_state *state,
                        const tori_request *smaller,
                        const tori_request *larger);

/* As tori_alloc_place for those who ask often and need no reasons: 1, 0 or
 * -1. The request must be possible (tori_alloc_impossible). */
int alloc_try (tori_alloc *alloc, const tori_state *state,
               const tori_request *request, tori_placement *ret_place,
               tori_error *err);

#endif
