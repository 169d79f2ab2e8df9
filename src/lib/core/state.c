#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "marks.h"

/* Every set of a state, by number, so that what concerns all of them is one
 * loop. Those of nodes come first, then those of each dimension. */
enum {
    NODE_SETS = 4,
    DIM_SETS = 6,
    MAX_SETS = NODE_SETS + DIM_SETS * TORI_MAX_DIMS
};

static int set_count (const tori_state *state)
{
    return NODE_SETS + DIM_SETS * state->machine->shape.ndims;
}

static uint64_t **set_number (tori_state *state, int i)
{
    static const size_t of_nodes[NODE_SETS] = {
        offsetof (tori_state, free), offsetof (tori_state, busy),
        offsetof (tori_state, down), offsetof (tori_state, drained)};
    int dim = (i - NODE_SETS) / DIM_SETS;
    if (i < NODE_SETS)
        return (uint64_t **)(void *)((char *)state + of_nodes[i]);
    switch ((i - NODE_SETS) % DIM_SETS) {
    case 0:
        return &state->taken[layer_index (dim, TORI_NEAR)];
    case 1:
        return &state->taken[layer_index (dim, TORI_FAR)];
    case 2:
        return &state->broken[layer_index (dim, TORI_NEAR)];
    case 3:
        return &state->broken[layer_index (dim, TORI_FAR)];
    case 4:
        return &state->ringed[dim];
    default:
        return &state->touched[dim];
    }
}

/* Read only, so the cast takes nothing away. */
static const uint64_t *get_set (const tori_state *state, int i)
{
    union {
        const tori_state *in;
        tori_state *out;
    } same = {state};
    return *set_number (same.out, i);
}

static int need_set (const tori_state *state, uint64_t **set, tori_error *err)
{
    if (!*set)
        *set = calloc (state->words, sizeof **set);
    return *set ? 0 : tori_error_nomem (err);
}

int tori_state_create (const tori_machine *machine, tori_state **ret_state,
                       tori_error *err)
{
    tori_state *state = calloc (1, sizeof *state);
    if (!state)
        return tori_error_nomem (err);
    state->machine = machine;
    state->words = bits_words (machine->nodes);
    state->free_count = machine->nodes;
    if (need_set (state, &state->free, err) < 0
        || need_set (state, &state->busy, err) < 0) {
        tori_state_destroy (state);
        return -1;
    }
    bits_set_range (state->free, 0, machine->nodes);
    *ret_state = state;
    return 0;
}

void tori_state_destroy (tori_state *state)
{
    if (!state)
        return;
    for (int i = 0; i < MAX_SETS; i++) /* the machine may be gone already */
        free (*set_number (state, i));
    free (state);
}

/* Copy the first n sets. */
static int copy_sets (tori_state *to, const tori_state *from, int n,
                      tori_error *err)
{
    size_t bytes = from->words * sizeof (uint64_t);
    for (int i = 0; i < n; i++)
        if (get_set (from, i) && need_set (to, set_number (to, i), err) < 0)
            return -1;
    for (int i = 0; i < n; i++) {
        const uint64_t *source = get_set (from, i);
        uint64_t *target = *set_number (to, i);
        if (source)
            memcpy (target, source, bytes);
        else if (target)
            memset (target, 0, bytes);
    }
    to->free_count = from->free_count;
    to->links_down = from->links_down;
    to->listed = from->listed;
    return 0;
}

int tori_state_copy (tori_state *to, const tori_state *from, tori_error *err)
{
    return copy_sets (to, from, set_count (from), err);
}

int state_copy_view (tori_state *to, const tori_state *from, tori_error *err)
{
    return copy_sets (to, from,
                      state_links_matter (from) ? set_count (from) : NODE_SETS,
                      err);
}

static bool all_zero (const uint64_t *set, size_t words)
{
    for (size_t i = 0; i < words; i++)
        if (set[i])
            return false;
    return true;
}

bool tori_state_equal (const tori_state *a, const tori_state *b)
{
    if (a->free_count != b->free_count || a->links_down != b->links_down
        || a->listed != b->listed)
        return false;
    for (int i = 0; i < set_count (a); i++) {
        const uint64_t *x = get_set (a, i), *y = get_set (b, i);
        if (x && y ? memcmp (x, y, a->words * sizeof *x) != 0
            : x    ? !all_zero (x, a->words)
            : y    ? !all_zero (y, a->words)
                   : false)
            return false;
    }
    return true;
}

const tori_machine *tori_state_machine (const tori_state *state)
{
    return state->machine;
}

uint32_t tori_state_free_count (const tori_state *state)
{
    return state->free_count;
}

const uint64_t *tori_state_free_bits (const tori_state *state)
{
    return state->free;
}

bool tori_state_is_free (const tori_state *state, uint32_t node)
{
    return node < state->machine->nodes && bits_test (state->free, node);
}

bool tori_state_is_busy (const tori_state *state, uint32_t node)
{
    return node < state->machine->nodes && bits_test (state->busy, node);
}

static bool is_marked (const uint64_t *set, uint64_t i)
{
    return set && bits_test (set, i);
}

bool tori_state_is_down (const tori_state *state, uint32_t node)
{
    return node < state->machine->nodes && is_marked (state->down, node);
}

bool tori_state_is_drained (const tori_state *state, uint32_t node)
{
    return node < state->machine->nodes && is_marked (state->drained, node);
}

tori_node_state tori_state_node (const tori_state *state, uint32_t node)
{
    if (node >= state->machine->nodes || is_marked (state->down, node))
        return TORI_NODE_DOWN;
    if (is_marked (state->drained, node))
        return TORI_NODE_DRAINED;
    return bits_test (state->busy, node) ? TORI_NODE_BUSY : TORI_NODE_FREE;
}

/* ---- runs of nodes ---- */

/* The nodes of a run that are in its first word: their bits. The rest of the
 * run is left. */
static uint64_t cut_word (uint64_t *first, uint64_t *count)
{
    unsigned shift = *first % 64;
    unsigned n = *count < 64 - shift ? (unsigned)*count : 64 - shift;
    *first += n;
    *count -= n;
    return bits_low (n) << shift;
}

static uint64_t word_of (const uint64_t *set, size_t word)
{
    return set ? set[word] : 0;
}

/* How many bits there are; mostly all of the mask, or none. */
static uint32_t count_marks (uint64_t bits, uint64_t mask, uint32_t all)
{
    if (bits == mask)
        return all;
    return bits ? (uint32_t)__builtin_popcountll (bits) : 0;
}

/* Bring the free bits of so many nodes of a word in line with their other
 * marks. */
static void refresh_word (tori_state *state, size_t word, uint64_t mask,
                          uint32_t n)
{
    uint64_t before = state->free[word] & mask;
    uint64_t now = mask
                   & ~(state->busy[word] | word_of (state->down, word)
                       | word_of (state->drained, word));
    state->free[word] ^= before ^ now;
    state->free_count += count_marks (now, mask, n)
                         - count_marks (before, mask, n);
}

void state_hold_run (tori_state *state, uint64_t first, uint64_t count)
{
    while (count > 0) {
        size_t word = (size_t)(first / 64);
        uint64_t from = first, mask = cut_word (&first, &count);
        state->busy[word] |= mask;
        refresh_word (state, word, mask, (uint32_t)(first - from));
    }
}

void state_release_run (tori_state *state, uint64_t first, uint64_t count)
{
    while (count > 0) {
        size_t word = (size_t)(first / 64);
        uint64_t from = first, mask = cut_word (&first, &count);
        state->busy[word] &= ~mask;
        refresh_word (state, word, mask, (uint32_t)(first - from));
    }
}

uint64_t state_unfit_run (const tori_state *state, uint64_t first,
                          uint64_t count)
{
    uint64_t unfit = 0;
    while (count > 0) {
        size_t word = (size_t)(first / 64);
        uint64_t mask = cut_word (&first, &count);
        mask &= word_of (state->down, word) | word_of (state->drained, word);
        unfit += (uint64_t)__builtin_popcountll (mask);
    }
    return unfit;
}

/* ---- marks ---- */

static int set_mark (tori_state *state, uint64_t **set, uint32_t node,
                     bool value, tori_error *err)
{
    if (node_check (state->machine, node, err) < 0)
        return -1;
    if (!value && !*set)
        return 0;
    if (need_set (state, set, err) < 0)
        return -1;
    if (value)
        bits_set (*set, node);
    else
        bits_clear (*set, node);
    refresh_word (state, node / 64, UINT64_C (1) << node % 64, 1);
    return 0;
}

int tori_state_set_down (tori_state *state, uint32_t node, bool down,
                         tori_error *err)
{
    return set_mark (state, &state->down, node, down, err);
}

int tori_state_set_drained (tori_state *state, uint32_t node, bool drained,
                            tori_error *err)
{
    return set_mark (state, &state->drained, node, drained, err);
}

void state_hold_box (tori_state *state, const tori_box *box)
{
    state->free_count
        -= (uint32_t)grid_move (state->machine, box, state->free, state->busy);
}

void state_release_box (tori_state *state, const tori_box *box)
{
    struct runs runs;
    uint64_t first, count;
    if (!state->down && !state->drained) {
        state->free_count += (uint32_t)grid_move (state->machine, box,
                                                  state->busy, state->free);
        return;
    }
    runs = runs_of_box (state->machine, box);
    while (runs_next (&runs, &first, &count))
        state_release_run (state, first, count);
}
