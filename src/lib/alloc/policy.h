/* policy.h - the parts of an allocator, for those who write one.
 *
 * An allocator is one file with one `const struct alloc_ops`, a declaration
 * below, and a row in the table of alloc.c; nothing else knows it. It gets
 * only requests that the idle machine could serve and for which enough nodes
 * are free. Code that asks allocators includes ask.h instead. */
#ifndef TORI_ALLOC_POLICY_H
#define TORI_ALLOC_POLICY_H

#include <tori/alloc.h>

#include "cloud.h"
#include "folding.h"
#include "sides.h"

struct alloc_ops {
    tori_alloc_info info;
    bool loose; /* answers a shape with `count` nodes, not with a box */
    bool outside;  /* its answers are checked: outside.h */
    bool thorough; /* refuses a shape only if no free box of it can be wired */

    /* Working memory, handed to the functions below. Both may be NULL. */
    int (*create) (const tori_machine *machine, void **ret_data,
                   tori_error *err);
    void (*destroy) (void *data);

    /* Instead of create, for allocators with options. */
    int (*create_with) (const tori_machine *machine,
                        const tori_alloc_config *config, void **ret_data,
                        tori_error *err);

    /* Why a request that fits the machine (a shape, its sides) can
     * nevertheless not be placed when it is idle, as a fixed text, or NULL.
     * May be NULL. */
    const char *(*impossible) (const void *data, const tori_request *request);

    /* How many nodes a request takes, if that is not its volume; for an
     * impossible one, any number. May be NULL. */
    uint64_t (*nodes) (const void *data, const tori_request *request);

    /* The box that has to be clear for the allocator to find the same place
     * again, if that is more than the place itself. False if the nodes of the
     * placement are enough; NULL means always false. */
    bool (*room) (const void *data, const tori_placement *place,
                  tori_box *ret_box);

    /* The missing thing when a shape is refused and enough nodes are free.
     * NULL: a box of this shape. */
    const char *missing;

    /* By count, on any points: see cloud.h. May be NULL. */
    cloud_fn *choose;

    /* Find a place: 1 and `ret_place`, 0 if there is none now, -1 without
     * memory. A count must always be served: enough nodes are free. The
     * placement is a box (placement_of_box of placement.h) or a list: `nodes`
     * comes from malloc, ascends and belongs to the placement. May be NULL:
     * `choose` is then asked for the free nodes. */
    int (*place) (void *data, const tori_state *state,
                  const tori_request *request, tori_placement *ret_place,
                  tori_error *err);

    /* The same for any one of the n boxes of a folded request (folding.h).
     * NULL: the first that has a place. */
    int (*place_any) (void *data, const tori_state *state,
                      const struct folded boxes[], size_t n,
                      tori_placement *ret_place, tori_error *err);
};

extern const struct alloc_ops first_fit_ops;
extern const struct alloc_ops best_fit_ops;
extern const struct alloc_ops anchors_ops;
extern const struct alloc_ops isomorphic_ops;
extern const struct alloc_ops eb_ops;
extern const struct alloc_ops egc_ops;
extern const struct alloc_ops k_partner_ops;
extern const struct alloc_ops multiple_gc_ops;
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
extern const struct alloc_ops regard_ops;
extern const struct alloc_ops exact_ops;
extern const struct alloc_ops ptas_ops;
extern const struct alloc_ops cube_first_ops;
extern const struct alloc_ops cube_best_ops;

/* The allocator of this name, or NULL. */
const struct alloc_ops *alloc_find (const char *name);

#endif
