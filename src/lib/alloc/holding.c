/* holding.c - placements in a state: what they take and give back. */
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "bits.h"
#include "consecutive.h"
#include "joined.h"
#include "marks.h"
#include "placement.h"

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

/* The error for the first node that is not free. */
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

/* Whether all nodes are in a set: those that are free, or busy. */
static bool all_within (const tori_placement *place, const tori_state *state,
                        const uint64_t *set)
{
    for (uint32_t i = 0; i < place->nboxes; i++) {
        const tori_box *box = box_at (place, i);
        if (grid_count (state->machine, box, set)
            != tori_shape_volume (&box->shape))
            return false;
    }
    return place->nboxes || list_within (place, set);
}

/* Let go of the links of the first n boxes. */
static void drop_links (const tori_placement *place, tori_state *state,
                        uint32_t n)
{
    for (uint32_t i = 0; i < n && place->wiring != TORI_WIRE_NONE; i++)
        wiring_unblock (state, box_at (place, i),
                        joined_wires (place, state->machine, i));
}

/* Take the links of a list. */
static int take_listed (const tori_placement *place, tori_state *state,
                        bool whatever, tori_error *err)
{
    const tori_link *link;
    size_t n = placement_listed (place, &link);
    if (!whatever && !links_free (state, link, n))
        return tori_error_set (err, TORI_NOT_NOW,
                               "a link of dimension %d is taken or down",
                               link[0].dim);
    return links_block (state, link, n, err);
}

/* Take the links of all boxes, or of none: by wiring_take or, if `whatever`,
 * by wiring_block. */
static int take_links (const tori_placement *place, tori_state *state,
                       bool whatever, tori_error *err)
{
    uint32_t i = 0;
    for (; i < place->nboxes && place->wiring != TORI_WIRE_NONE; i++)
        if ((whatever ? wiring_block : wiring_take) (
                state, box_at (place, i),
                joined_wires (place, state->machine, i), err)
            < 0)
            goto fail;
    if (take_listed (place, state, whatever, err) < 0)
        goto fail;
    return 0;
fail:
    drop_links (place, state, i);
    return -1;
}

static void hold_nodes (const tori_placement *place, tori_state *state)
{
    for (uint32_t i = 0; i < place->nboxes; i++)
        state_hold_box (state, box_at (place, i));
    if (!place->nboxes)
        hold_list (place, state);
}

static void release_nodes (const tori_placement *place, tori_state *state)
{
    uint32_t i = 0;
    uint64_t first, n;
    for (; i < place->nboxes; i++)
        state_release_box (state, box_at (place, i));
    while (!place->nboxes && next_run (place, &i, &first, &n))
        state_release_run (state, first, n);
}

int tori_placement_hold (const tori_placement *place, tori_state *state,
                         tori_error *err)
{
    if (placement_check (place, state->machine, err) < 0)
        return -1;
    if (!all_within (place, state, state->free))
        return not_free (place, state, err);
    if (take_links (place, state, false, err) < 0)
        return -1;
    hold_nodes (place, state);
    return 0;
}

bool placement_links_taken (const tori_placement *place,
                            const tori_state *state)
{
    const tori_link *link;
    size_t n = placement_listed (place, &link);
    for (uint32_t i = 0; i < place->nboxes; i++)
        if (place->wiring != TORI_WIRE_NONE
            && !wiring_taken (state, box_at (place, i),
                              joined_wires (place, state->machine, i)))
            return false;
    return links_taken (state, link, n);
}

void tori_placement_release (const tori_placement *place, tori_state *state)
{
    if (placement_check (place, state->machine, NULL) == 0
        && all_within (place, state, state->busy)
        && placement_links_taken (place, state))
        placement_unblock (place, state);
}

void placement_unblock (const tori_placement *place, tori_state *state)
{
    const tori_link *link;
    size_t n = placement_listed (place, &link);
    drop_links (place, state, place->nboxes);
    links_unblock (state, link, n);
    release_nodes (place, state);
}

bool placement_wirable (const tori_placement *place,
                        const tori_machine *machine)
{
    tori_link_run runs[TORI_MAX_RUNS];
    for (uint32_t i = 0; i < place->nboxes; i++)
        if (wiring_runs (machine, box_at (place, i),
                         joined_wires (place, machine, i), runs)
            < 0)
            return false;
    return true;
}

bool placement_links_free (const tori_placement *place,
                           const tori_state *state)
{
    const tori_link *link;
    size_t n = placement_listed (place, &link);
    for (uint32_t i = 0; i < place->nboxes; i++)
        if (!wiring_free (state, box_at (place, i),
                          joined_wires (place, state->machine, i)))
            return false;
    return links_free (state, link, n);
}

bool placement_free (const tori_placement *place, const tori_state *state)
{
    return all_within (place, state, state->free)
           && placement_links_free (place, state);
}

bool placement_links_up (const tori_placement *place, const tori_state *state)
{
    const tori_link *link;
    size_t n = placement_listed (place, &link);
    for (uint32_t i = 0; i < place->nboxes; i++)
        if (!wiring_links_up (state, box_at (place, i),
                              joined_wires (place, state->machine, i)))
            return false;
    return links_up (state, link, n);
}

int placement_block (const tori_placement *place, tori_state *state,
                     tori_error *err)
{
    if (take_links (place, state, true, err) < 0)
        return -1;
    hold_nodes (place, state);
    return 0;
}

int view_block (const tori_placement *place, tori_state *view, tori_error *err)
{
    const tori_link *links;
    if (state_links_matter (view) || placement_listed (place, &links) > 0)
        return placement_block (place, view, err);
    hold_nodes (place, view);
    return 0;
}

void view_release (const tori_placement *place, tori_state *view)
{
    if (state_links_matter (view))
        placement_unblock (place, view);
    else
        release_nodes (place, view);
}

/* Whether the lines of a box on torus dimensions are free, by their marks: a
 * shadow has no more of the links. */
static bool lines_free (const tori_state *view, const tori_box *box,
                        tori_wiring wiring)
{
    const tori_machine *machine = view->machine;
    for (int d = 0; d < machine->shape.ndims; d++) {
        const uint64_t *marks = tori_wiring_closes (wiring, d)
                                    ? view->touched[d]
                                    : view->ringed[d];
        if (box->shape.size[d] > 1 && marks
            && grid_count (machine, box, marks) > 0)
            return false;
    }
    return true;
}

bool view_free (const tori_placement *place, const tori_state *view)
{
    if (state_disturbed (view))
        return placement_free (place, view);
    if (!all_within (place, view, view->free))
        return false;
    for (uint32_t i = 0; i < place->nboxes; i++)
        if (place->wiring != TORI_WIRE_NONE && state_links_matter (view)
            && !lines_free (view, box_at (place, i), place->wiring))
            return false;
    return true;
}

enum { MOST_SHADOW = 512 }; /* words */

size_t shadow_words (const tori_machine *machine)
{
    size_t sets = machine->wraps ? 1 + 2 * (size_t)machine->shape.ndims : 1;
    size_t words = bits_words (machine->nodes) * sets;
    return words <= MOST_SHADOW ? words : 0;
}

/* One set after the other: the nodes, and for every dimension the ringed and
 * the touched lines. */
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

uint32_t state_free_within (const tori_state *state, const uint64_t only[])
{
    uint32_t n = 0;
    for (size_t i = 0; i < state->words; i++)
        n += (uint32_t)__builtin_popcountll (state->free[i] & only[i]);
    return n;
}

void view_confine (tori_state *view, const uint64_t only[])
{
    view->free_count = state_free_within (view, only);
    for (size_t i = 0; i < view->words; i++)
        view->free[i] &= only[i];
}

int view_shade (tori_state *view, const uint64_t shadow[], tori_error *err)
{
    const tori_machine *machine = view->machine;
    if (machine->wraps && state_need_links (view, err) < 0)
        return -1;
    for (size_t i = 0; i < view->words; i++) {
        uint64_t lost = view->free[i] & *shadow++;
        if (!lost) /* usual; counting takes long on some machines */
            continue;
        view->free[i] ^= lost;
        view->free_count -= (unsigned)__builtin_popcountll (lost);
    }
    for (int d = 0; machine->wraps && d < machine->shape.ndims; d++) {
        uint64_t *sets[] = {view->ringed[d], view->touched[d]};
        for (int i = 0; i < 2; i++, shadow += view->words)
            for (size_t j = 0; sets[i] && j < view->words; j++)
                sets[i][j] |= shadow[j];
    }
    return 0;
}

uint32_t placement_returning_some (const tori_placement *place,
                                   const tori_state *state)
{
    uint64_t first, n, unfit = 0;
    uint32_t i = 0;
    for (; i < place->nboxes; i++) {
        struct runs runs = runs_of_box (state->machine, box_at (place, i));
        while (runs_next (&runs, &first, &n))
            unfit += state_unfit_run (state, first, n);
    }
    while (!place->nboxes && next_run (place, &i, &first, &n))
        unfit += state_unfit_run (state, first, n);
    return place->count - (uint32_t)unfit;
}
