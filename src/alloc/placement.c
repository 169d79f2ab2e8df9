/* Requests and placements of tori/alloc.h: what they hold, and holding it. */
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "bits.h"
#include "consecutive.h"
#include "marks.h"
#include "placement.h"
#include "taking.h"

uint64_t tori_request_nodes (const tori_request *request)
{
    return request->shape.ndims ? tori_shape_volume (&request->shape)
                                : request->count;
}

int request_check (const tori_request *request, tori_error *err)
{
    if (request->shape.ndims < 0 || request->shape.ndims > TORI_MAX_DIMS)
        return tori_error_set (err, TORI_INVALID,
                               "a shape of %d dimensions: up to %d are known",
                               request->shape.ndims, TORI_MAX_DIMS);
    return wiring_check (request->wiring, err);
}

void tori_placement_clear (tori_placement *place)
{
    if (!place)
        return;
    free (place->nodes);
    place->nodes = NULL;
    place->count = 0;
    place->is_box = false;
}

int tori_placement_copy (tori_placement *to, const tori_placement *from,
                         tori_error *err)
{
    tori_placement copy = *from;
    if (from->nodes) {
        copy.nodes = malloc (from->count * sizeof *copy.nodes);
        if (!copy.nodes)
            return tori_error_nomem (err);
        memcpy (copy.nodes, from->nodes, from->count * sizeof *copy.nodes);
    }
    *to = copy;
    return 0;
}

void tori_placement_nodes (const tori_placement *place,
                           const tori_machine *machine, uint32_t ids[])
{
    if (place->is_box)
        tori_box_nodes (machine, &place->box, ids);
    else if (place->count > 0)
        memcpy (ids, place->nodes, place->count * sizeof *ids);
}

static int compare_ids (const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

bool tori_placement_contains (const tori_placement *place,
                              const tori_machine *machine, uint32_t node)
{
    if (place->is_box)
        return tori_box_contains (machine, &place->box, node);
    return place->count > 0
           && bsearch (&node, place->nodes, place->count, sizeof node,
                       compare_ids);
}

bool tori_placement_uses_link (const tori_placement *place,
                               const tori_machine *machine,
                               const tori_link *link)
{
    tori_link_run runs[TORI_MAX_RUNS];
    int n = place->is_box ? tori_wiring_runs (machine, &place->box,
                                              place->wiring, runs)
                          : 0;
    for (int i = 0; i < n; i++) {
        tori_box slots = box_with (&place->box, runs[i].dim, runs[i].first,
                                   runs[i].count);
        if (runs[i].dim == link->dim && runs[i].layer == link->layer
            && tori_box_contains (machine, &slots, link->slot))
            return true;
    }
    return false;
}

int tori_placement_pairwise (const tori_placement *place,
                             const tori_machine *machine, uint64_t *ret_sum,
                             tori_error *err)
{
    if (!place->is_box)
        return nodes_pairwise (machine, place->nodes, place->count, true,
                               ret_sum, err);
    *ret_sum = tori_box_pairwise (machine, &place->box);
    return 0;
}

/* Whether a list is as the header says. */
static int check_list (const tori_placement *place,
                       const tori_machine *machine, tori_error *err)
{
    for (uint32_t i = 0; i < place->count; i++) {
        if (node_check (machine, place->nodes[i], err) < 0)
            return -1;
        if (i > 0 && place->nodes[i] <= place->nodes[i - 1])
            return tori_error_set (err, TORI_INVALID,
                                   "the nodes of a placement are not in "
                                   "ascending order, each once");
    }
    return 0;
}

int placement_check (const tori_placement *place, const tori_machine *machine,
                     tori_error *err)
{
    if (!place->is_box)
        return check_list (place, machine, err);
    if (wiring_check (place->wiring, err) < 0
        || box_check (machine, &place->box, err) < 0)
        return -1;
    if (tori_shape_volume (&place->box.shape) != place->count)
        return tori_error_set (err, TORI_INVALID,
                               "a placement of %u nodes is a box of another "
                               "number",
                               place->count);
    return 0;
}

/* ---- lists in a state ---- */

/* The next run of consecutive nodes of a list, from its ith on; false past the
 * end. */
static bool next_run (const tori_placement *list, uint32_t *i,
                      uint64_t *ret_first, uint64_t *ret_count)
{
    if (*i == list->count)
        return false;
    *ret_first = list->nodes[*i];
    *ret_count = consecutive (list->nodes + *i, list->count - *i);
    *i += (uint32_t)*ret_count;
    return true;
}

static void hold_list (const tori_placement *list, tori_state *state)
{
    uint32_t i = 0;
    uint64_t first, n;
    while (next_run (list, &i, &first, &n))
        state_hold_run (state, first, n);
}

static bool list_within (const tori_placement *list, const uint64_t *set)
{
    uint32_t i = 0;
    uint64_t first, n;
    while (next_run (list, &i, &first, &n))
        if (bits_count_range (set, first, n) < n)
            return false;
    return true;
}

/* ---- holding and releasing ---- */

/* Which node is in the way: the first that is not free. */
static int not_free (const tori_placement *place, const tori_state *state,
                     tori_error *err)
{
    char text[TORI_TEXT_MAX];
    uint32_t node = 0;
    while (tori_state_is_free (state, node)
           || !tori_placement_contains (place, state->machine, node))
        node++;
    tori_node_format (state->machine, node, text);
    return tori_error_set (err, TORI_NOT_NOW, "node %s is not free", text);
}

static bool all_free (const tori_placement *place, const tori_state *state)
{
    if (place->is_box)
        return grid_count (state->machine, &place->box, state->free)
               == place->count;
    return list_within (place, state->free);
}

int tori_placement_hold (const tori_placement *place, tori_state *state,
                         tori_error *err)
{
    if (placement_check (place, state->machine, err) < 0)
        return -1;
    if (!all_free (place, state))
        return not_free (place, state, err);
    if (place->is_box) {
        if (place->wiring != TORI_WIRE_NONE
            && tori_wiring_take (state, &place->box, place->wiring, err) < 0)
            return -1;
        state_hold_box (state, &place->box);
    } else {
        hold_list (place, state);
    }
    return 0;
}

/* Whether all that the placement would hold is held, by whomever. */
static bool all_held (const tori_placement *place, const tori_state *state)
{
    if (placement_check (place, state->machine, NULL) < 0)
        return false;
    if (place->is_box)
        return grid_count (state->machine, &place->box, state->busy)
                   == place->count
               && (place->wiring == TORI_WIRE_NONE
                   || wiring_taken (state, &place->box, place->wiring));
    return list_within (place, state->busy);
}

void tori_placement_release (const tori_placement *place, tori_state *state)
{
    if (all_held (place, state))
        placement_unblock (place, state);
}

void placement_unblock (const tori_placement *place, tori_state *state)
{
    if (place->is_box) {
        wiring_unblock (state, &place->box, place->wiring);
        state_release_box (state, &place->box);
    } else {
        uint32_t i = 0;
        uint64_t first, n;
        while (next_run (place, &i, &first, &n))
            state_release_run (state, first, n);
    }
}

bool placement_free (const tori_placement *place, const tori_state *state)
{
    return all_free (place, state)
           && (!place->is_box
               || tori_wiring_free (state, &place->box, place->wiring));
}

bool placement_links_up (const tori_placement *place, const tori_state *state)
{
    return !place->is_box
           || wiring_links_up (state, &place->box, place->wiring);
}

int placement_block (const tori_placement *place, tori_state *state,
                     tori_error *err)
{
    if (!place->is_box) {
        hold_list (place, state);
        return 0;
    }
    if (wiring_block (state, &place->box, place->wiring, err) < 0)
        return -1;
    state_hold_box (state, &place->box);
    return 0;
}

int view_block (const tori_placement *place, tori_state *view, tori_error *err)
{
    if (!place->is_box || state_links_matter (view))
        return placement_block (place, view, err);
    state_hold_box (view, &place->box);
    return 0;
}

void view_release (const tori_placement *place, tori_state *view)
{
    if (!place->is_box || state_links_matter (view))
        placement_unblock (place, view);
    else
        state_release_box (view, &place->box);
}

enum { MOST_SHADOW = 128 }; /* words */

size_t shadow_words (const tori_machine *machine)
{
    size_t sets = machine->wraps ? 1 + 2 * (size_t)machine->shape.ndims : 1;
    size_t words = bits_words (machine->nodes) * sets;
    return words <= MOST_SHADOW ? words : 0;
}

/* One set behind the other: the nodes, and of every dimension what is ringed
 * and what is touched. */
int shadow_cast (const tori_placement *place, tori_state *blank,
                 uint64_t shadow[], tori_error *err)
{
    size_t n = blank->words;
    if (view_block (place, blank, err) < 0)
        return -1;
    memcpy (shadow, blank->busy, n * sizeof *shadow);
    for (int d = 0; blank->machine->wraps && d < blank->machine->shape.ndims;
         d++) {
        const uint64_t *sets[] = {blank->ringed[d], blank->touched[d]};
        for (int i = 0; i < 2; i++) {
            shadow += n;
            if (sets[i])
                memcpy (shadow, sets[i], n * sizeof *shadow);
            else
                memset (shadow, 0, n * sizeof *shadow);
        }
    }
    view_release (place, blank);
    return 0;
}

int view_shade (tori_state *view, const uint64_t shadow[], tori_error *err)
{
    const tori_machine *machine = view->machine;
    uint32_t left = 0;
    if (machine->wraps && state_need_links (view, err) < 0)
        return -1;
    for (size_t i = 0; i < view->words; i++) {
        view->free[i] &= ~*shadow++;
        left += (unsigned)__builtin_popcountll (view->free[i]);
    }
    view->free_count = left;
    for (int d = 0; machine->wraps && d < machine->shape.ndims; d++) {
        uint64_t *sets[] = {view->ringed[d], view->touched[d]};
        for (int i = 0; i < 2; i++, shadow += view->words)
            for (size_t j = 0; sets[i] && j < view->words; j++)
                sets[i][j] |= shadow[j];
    }
    return 0;
}

static bool list_overlaps (const tori_placement *list,
                           const tori_placement *other,
                           const tori_machine *machine)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (tori_placement_contains (other, machine, list->nodes[i]))
            return true;
    return false;
}

/* Boxes apart from each other need the same link only on torus lines. */
bool placement_overlap (const tori_placement *a, const tori_placement *b,
                        const tori_machine *machine)
{
    tori_link link;
    if (!a->is_box || !b->is_box)
        return a->is_box ? list_overlaps (b, a, machine)
                         : list_overlaps (a, b, machine);
    if (tori_box_overlap (machine, &a->box, &b->box))
        return true;
    return machine->wraps
           && tori_wiring_conflict (machine, &a->box, a->wiring, &b->box,
                                    b->wiring, &link);
}

uint32_t placement_returning (const tori_placement *place,
                              const tori_state *state)
{
    uint64_t first, n, unfit = 0;
    uint32_t i = 0;
    if (!state->down && !state->drained)
        return place->count;
    if (place->is_box) {
        struct runs runs = runs_of_box (state->machine, &place->box);
        while (runs_next (&runs, &first, &n))
            unfit += state_unfit_run (state, first, n);
    } else {
        while (next_run (place, &i, &first, &n))
            unfit += state_unfit_run (state, first, n);
    }
    return place->count - (uint32_t)unfit;
}
