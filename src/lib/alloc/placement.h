/* placement.h - operations on placements, whatever made them. */
#ifndef TORI_ALLOC_PLACEMENT_H
#define TORI_ALLOC_PLACEMENT_H

#include <tori/alloc.h>

#include "marks.h"

/* A placement of one box. */
tori_placement placement_of_box (const tori_box *box, tori_wiring wiring);

/* Whether a placement made by others is valid on this machine: a box of it
 * with as many nodes as it says, or nodes of it in ascending order.
 * TORI_INVALID if it is not. */
int placement_check (const tori_placement *place, const tori_machine *machine,
                     tori_error *err);

/* Whether two placements are the same. */
bool placement_equal (const tori_placement *a, const tori_placement *b);

/* Whether two placements need a node or a link in common. */
bool placement_overlap (const tori_placement *a, const tori_placement *b,
                        const tori_machine *machine);

/* A copy in memory of its own, or NULL; and its release. */
tori_placement *placement_duplicate (const tori_placement *place);
void placement_drop (tori_placement *place);

/* ---- which links ---- */

/* The links of the dimensions that it does not wire by the rule: how many. */
size_t placement_listed (const tori_placement *place,
                         const tori_link **ret_links);

/* Set them. They are sorted, and the placement's then. TORI_INVALID for links
 * that are not in the lines of its boxes, or there twice. */
int placement_set_links (tori_placement *place, const tori_machine *machine,
                         tori_link *links, size_t n, tori_error *err);

/* Whether a listed link of `a` is a link of `b`. */
bool placement_lists_of (const tori_placement *a, const tori_placement *b,
                         const tori_machine *machine);

/* ---- in a state ---- */

/* Mark what a placement holds as taken, whether or not it was already. */
int placement_block (const tori_placement *place, tori_state *state,
                     tori_error *err);

/* The reverse, whether or not it was. */
void placement_unblock (const tori_placement *place, tori_state *state);

/* How many of its nodes are neither down nor drained: so many come free. */
uint32_t placement_returning_some (const tori_placement *place,
                                   const tori_state *state);
static inline uint32_t placement_returning (const tori_placement *place,
                                            const tori_state *state)
{
    return state->down || state->drained
               ? placement_returning_some (place, state)
               : place->count;
}

/* Whether all of its links are taken; whether none is down. */
bool placement_links_taken (const tori_placement *place,
                            const tori_state *state);
bool placement_links_up (const tori_placement *place, const tori_state *state);

/* Whether all of its links are free and up. */
bool placement_links_free (const tori_placement *place,
                           const tori_state *state);

/* Whether the machine has the links that its boxes need. */
bool placement_wirable (const tori_placement *place,
                        const tori_machine *machine);

/* Whether all it needs is free: then hold can only fail for memory. */
bool placement_free (const tori_placement *place, const tori_state *state);

/* ---- in a view of a state ---- */

/* Blocking and releasing in a view of a state (state_copy_view). */
int view_block (const tori_placement *place, tori_state *view,
                tori_error *err);
void view_release (const tori_placement *place, tori_state *view);

/* Free nodes outside of `only` are free no longer. */
void view_confine (tori_state *view, const uint64_t only[]);

/* How many of these nodes are free. */
uint32_t state_free_within (const tori_state *state, const uint64_t only[]);

/* Whether all it needs is free there. */
bool view_free (const tori_placement *place, const tori_state *view);

/* The marks of a box as words, to block it in a view again and again while all
 * links are up. shadow_words is their number, 0 if the machine is so large
 * that it does not pay. `blank` is a state of the idle machine, and is again
 * afterwards. A view with shadows serves only searches of boxes. */
size_t shadow_words (const tori_machine *machine);
int shadow_cast (const tori_placement *place, tori_state *blank,
                 uint64_t shadow[], tori_error *err);
int view_shade (tori_state *view, const uint64_t shadow[], tori_error *err);

#endif
