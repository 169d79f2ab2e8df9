#include "move_order.h"

#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "occupancy.h"
#include "placement.h"

/* What an allocator does in the time of a step. */
enum { WORDS_A_STEP = 4096, PAIRS_A_STEP = 64 };

static const tori_placement *old_place (const struct move_order *convoy,
                                        size_t i)
{
    return convoy->job[convoy->move[i].job].place;
}

/* Free nodes for a list: 1, 0 or -1. */
static int place_list (struct move_order *convoy, size_t i, tori_state *state,
                       tori_error *err)
{
    tori_request request = {.count = old_place (convoy, i)->count};
    uint64_t nodes = tori_state_free_count (state);
    int placed;
    convoy->steps->spent += 1 + nodes * request.count / PAIRS_A_STEP;
    placed = state_bar (state, convoy->job[convoy->move[i].job].barred,
                            convoy->shut, err);
    if (placed == 0 && tori_state_free_count (state) >= request.count)
        placed = alloc_try_once (convoy->loose, state, &request,
                                 &convoy->move[i].to, err);
    state_unbar (state, convoy->shut);
    return placed;
}

/* ---- lists with nodes that they may not use ---- */

/* A list, and the free nodes that it may use. */
struct choosy {
    size_t i;
    uint32_t count, allowed;
    const uint64_t *barred; /* or NULL */
};

/* Those with the least choice first: if their sets are nested, they all get
 * their nodes, whichever these are, if there are enough. */
static int compare_choosy (const void *a, const void *b)
{
    const struct choosy *x = a, *y = b;
    if (x->allowed != y->allowed)
        return x->allowed < y->allowed ? -1 : 1;
    return (x->i > y->i) - (x->i < y->i);
}

static uint32_t count_allowed (const tori_state *state, const uint64_t *barred)
{
    uint32_t n = 0;
    for (size_t word = 0; word < state->words; word++)
        n += (uint32_t)__builtin_popcountll (
            state->free[word] & ~(barred ? barred[word] : 0));
    return n;
}

/* Whether one may use no free node that the other may not. */
static bool is_within (const tori_state *state, const struct choosy *a,
                       const struct choosy *b)
{
    if (a->barred == b->barred || !b->barred)
        return true;
    for (size_t word = 0; word < state->words; word++)
        if (state->free[word] & b->barred[word]
            & ~(a->barred ? a->barred[word] : 0))
            return false;
    return true;
}

/* Whether all that may use nothing else have nodes enough. It is quick, and
 * mostly right: the allocator need not be asked in vain. */
static bool may_suffice (struct move_order *convoy, const tori_state *state,
                         const struct choosy lists[], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t wanted = 0;
        for (size_t j = 0; j <= i; j++)
            if (is_within (state, &lists[j], &lists[i]))
                wanted += lists[j].count;
        convoy->steps->spent += 1 + i * state->words / WORDS_A_STEP;
        if (wanted > lists[i].allowed)
            return false;
    }
    return true;
}

static size_t list_choosy (const struct move_order *convoy,
                           const tori_state *state, struct choosy lists[])
{
    size_t n = 0;
    bool any = false;
    for (size_t i = 0; i < convoy->n; i++) {
        const uint64_t *barred = convoy->job[convoy->move[i].job].barred;
        if (old_place (convoy, i)->nboxes)
            continue;
        any = any || barred;
        lists[n++] = (struct choosy){.i = i,
                                     .count = old_place (convoy, i)->count,
                                     .barred = barred};
    }
    for (size_t i = 0; i < n && any; i++)
        lists[i].allowed = count_allowed (state, lists[i].barred);
    if (any)
        qsort (lists, n, sizeof *lists, compare_choosy);
    return n;
}

static int scatter_lists (struct move_order *convoy, tori_state *after,
                          const struct choosy lists[], size_t n,
                          tori_error *err)
{
    int placed = 1;
    size_t done = 0;
    for (; done < n && placed > 0; done++) {
        placed = place_list (convoy, lists[done].i, after, err);
        if (placed > 0)
            (void)placement_block (&convoy->move[lists[done].i].to, after,
                                   NULL);
    }
    while (done-- > 0)
        placement_unblock (&convoy->move[lists[done].i].to, after);
    return placed;
}

int move_order_scatter (struct move_order *convoy, tori_state *after,
                        tori_error *err)
{
    struct choosy *lists = calloc (convoy->n + 1, sizeof *lists);
    size_t n;
    int placed;
    if (!lists)
        return tori_error_nomem (err);
    n = list_choosy (convoy, after, lists);
    placed = n > 0 && lists[0].allowed > 0
                     && !may_suffice (convoy, after, lists, n)
                 ? 0
                 : scatter_lists (convoy, after, lists, n, err);
    free (lists);
    return placed;
}

/* ---- one after another ---- */

static void note_step (struct move_order *convoy, size_t i)
{
    convoy->moved[i] = true;
    convoy->order[convoy->done++] = i;
}

/* 1 if the box can move now, and does. */
static int move_box (struct move_order *convoy, size_t i, tori_error *err)
{
    const tori_placement *to = &convoy->move[i].to;
    bool clear;
    convoy->steps->spent++;
    placement_unblock (old_place (convoy, i), convoy->state);
    clear = placement_free (to, convoy->state);
    if (placement_block (clear ? to : old_place (convoy, i), convoy->state,
                         err)
        < 0)
        return -1;
    if (clear)
        note_step (convoy, i);
    return clear;
}

/* Move all boxes that can move. */
static int move_boxes (struct move_order *convoy, tori_error *err)
{
    bool any = true;
    while (any) {
        any = false;
        for (size_t i = 0; i < convoy->n; i++) {
            int moved = convoy->moved[i] || !old_place (convoy, i)->nboxes
                            ? 0
                            : move_box (convoy, i, err);
            if (moved < 0)
                return -1;
            any = any || moved;
        }
    }
    return 0;
}

/* The state as a list sees it that is to move: without itself, and with the
 * new places of all others. */
static int draw_view (struct move_order *convoy, size_t i, tori_error *err)
{
    if (tori_state_copy (convoy->view, convoy->state, err) < 0)
        return -1;
    placement_unblock (old_place (convoy, i), convoy->view);
    if (placement_block (convoy->target, convoy->view, err) < 0)
        return -1;
    for (size_t j = 0; j < convoy->n; j++)
        if (!convoy->moved[j] && old_place (convoy, j)->nboxes
            && placement_block (&convoy->move[j].to, convoy->view, err) < 0)
            return -1;
    return 0;
}

static int move_list (struct move_order *convoy, size_t i, tori_error *err)
{
    int placed;
    convoy->steps->spent++;
    if (draw_view (convoy, i, err) < 0)
        return -1;
    placed = place_list (convoy, i, convoy->view, err);
    if (placed <= 0)
        return placed;
    placement_unblock (old_place (convoy, i), convoy->state);
    note_step (convoy, i);
    return placement_block (&convoy->move[i].to, convoy->state, err) < 0 ? -1
                                                                         : 1;
}

static int retreat_to (struct move_order *convoy, size_t done, tori_error *err)
{
    while (convoy->done > done) {
        size_t i = convoy->order[--convoy->done];
        convoy->moved[i] = false;
        placement_unblock (&convoy->move[i].to, convoy->state);
        if (!old_place (convoy, i)->nboxes)
            tori_placement_clear (&convoy->move[i].to);
        if (placement_block (old_place (convoy, i), convoy->state, err) < 0)
            return -1;
    }
    return 0;
}

static int advance_lists (struct move_order *convoy, tori_error *err)
{
    size_t begun = convoy->done, boxes;
    if (move_boxes (convoy, err) < 0)
        return -1;
    if (convoy->done == convoy->n)
        return 1;
    boxes = convoy->done;
    for (size_t i = 0; i < convoy->n && !steps_over (convoy->steps); i++) {
        int moved = convoy->moved[i] || old_place (convoy, i)->nboxes
                        ? 0
                        : move_list (convoy, i, err);
        if (moved > 0)
            moved = advance_lists (convoy, err);
        if (moved)
            return moved;
        if (retreat_to (convoy, boxes, err) < 0)
            return -1;
    }
    return retreat_to (convoy, begun, err);
}

/* Put the moves in their order. */
static int sort_moves (struct move_order *convoy, tori_error *err)
{
    tori_room_move *sorted = malloc ((convoy->n + 1) * sizeof *sorted);
    if (!sorted)
        return tori_error_nomem (err);
    for (size_t i = 0; i < convoy->n; i++)
        sorted[i] = convoy->move[convoy->order[i]];
    memcpy (convoy->move, sorted, convoy->n * sizeof *sorted);
    free (sorted);
    return 1;
}

static int open_convoy (struct move_order *convoy, const tori_state *before,
                        tori_error *err)
{
    const tori_machine *machine = tori_state_machine (before);
    convoy->order = calloc (convoy->n + 1, sizeof *convoy->order);
    convoy->moved = calloc (convoy->n + 1, sizeof *convoy->moved);
    if (!convoy->order || !convoy->moved)
        return tori_error_nomem (err);
    if (tori_state_create (machine, &convoy->state, err) < 0
        || tori_state_create (machine, &convoy->view, err) < 0)
        return -1;
    return tori_state_copy (convoy->state, before, err);
}

int move_order_find (struct move_order *convoy, const tori_state *before,
                     tori_error *err)
{
    int status = open_convoy (convoy, before, err);
    if (status == 0)
        status = advance_lists (convoy, err);
    if (status > 0)
        status = sort_moves (convoy, err);
    tori_state_destroy (convoy->state);
    tori_state_destroy (convoy->view);
    free (convoy->order);
    free (convoy->moved);
    return status;
}
