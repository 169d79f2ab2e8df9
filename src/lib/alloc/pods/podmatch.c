#include "podmatch.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "bits.h"

enum { ARRAYS = 8 };
#define NOBODY UINT32_MAX

/* A cut has no more types than pieces, nor more pieces than cubes. */
int podmatch_create (struct podmatch *ret_match, uint32_t cubes,
                     tori_error *err)
{
    struct podmatch *match = ret_match;
    size_t n = cubes;
    *match = (struct podmatch){0};
    match->memory = calloc (ARRAYS * n, sizeof *match->memory);
    match->set = calloc (n, sizeof *match->set);
    if (!match->memory || !match->set)
        return tori_error_nomem (err);
    match->slot = match->memory;
    match->start = match->memory + n;
    match->used = match->memory + 2 * n;
    match->from = match->memory + 3 * n;
    match->via = match->memory + 4 * n;
    match->queue = match->memory + 5 * n;
    match->amount = match->memory + 6 * n;
    match->full = match->memory + 7 * n;
    return 0;
}

void podmatch_clear (struct podmatch *match)
{
    free (match->memory);
    free (match->set);
    free (match->fit);
    free (match->reach);
}

/* ---- each type by itself ---- */

bool podmatch_begin (struct podmatch *match, struct podrooms *rooms,
                     const struct podcut *cut)
{
    match->words = rooms->words;
    match->items = rooms->kinds;
    match->alike = rooms->alike;
    match->kind = NULL;
    match->type = rooms->plan->type + cut->first;
    match->ntypes = cut->ntypes;
    for (uint32_t t = 0; t < cut->ntypes; t++) {
        uint32_t piece = match->type[t].piece;
        match->set[t] = podrooms_of (rooms, piece);
        if (rooms->total[piece] < match->type[t].need)
            return false;
    }
    return true;
}

void podmatch_take_cubes (struct podmatch *match,
                          const struct podrooms *rooms)
{
    match->items = rooms->n;
    match->alike = NULL;
    match->kind = rooms->kind;
}

/* ---- all of them ---- */

/* A type has some cubes of an item. */
static void fill_slot (struct podmatch *match, uint32_t t, uint32_t slot,
                       uint32_t item, uint32_t amount, const uint64_t fit[])
{
    size_t words = match->type_words;
    match->slot[slot] = item;
    match->amount[slot] = amount;
    for (size_t w = 0; w < words; w++) {
        match->fit[slot * words + w] = fit[w];
        match->reach[t * words + w] |= fit[w];
    }
}

static void fill_type (struct podmatch *match, uint32_t t, uint32_t amount)
{
    match->full[t] += amount;
    if (match->full[t] == match->type[t].need)
        bits_clear (match->spare, t);
}

/* The most that can go the way of the search: the last type has so much room,
 * and the others give up so many. */
static uint32_t way_width (const struct podmatch *match, uint32_t t,
                           uint32_t amount)
{
    uint32_t room = match->type[t].need - match->full[t];
    amount = room < amount ? room : amount;
    for (; match->from[t] != NOBODY; t = match->from[t]) {
        uint32_t slot = match->start[match->from[t]] + match->via[t];
        if (match->amount[slot] < amount)
            amount = match->amount[slot];
    }
    return amount;
}

/* Follow the way of the search back: the last type has room for more cubes,
 * which another gives up, and so on, until there is room for those of this
 * item, which fits `fit`. Returns how many. */
static uint32_t shift_cubes (struct podmatch *match, uint32_t t, uint32_t item,
                             uint32_t amount, const uint64_t fit[])
{
    uint32_t hole = match->start[t] + match->used[t]++;
    amount = way_width (match, t, amount);
    fill_type (match, t, amount);
    while (match->from[t] != NOBODY) {
        uint32_t next = match->start[match->from[t]] + match->via[t];
        fill_slot (match, t, hole, match->slot[next], amount,
                   match->fit + next * match->type_words);
        t = match->from[t];
        match->amount[next] -= amount;
        hole = match->amount[next] > 0 ? match->start[t] + match->used[t]++
                                       : next;
    }
    fill_slot (match, t, hole, item, amount, fit);
    return amount;
}

/* Types that a cube could be given to and that were not reached yet. */
static uint32_t spread_search (struct podmatch *match, const uint64_t fit[],
                               uint32_t from, uint32_t via, uint32_t queued)
{
    for (size_t w = 0; w < match->type_words; w++) {
        uint64_t new = fit[w] & match->unseen[w];
        match->unseen[w] &= ~new;
        for (; new; new &= new - 1) {
            uint32_t u = (uint32_t)(64 * w) + (uint32_t)__builtin_ctzll (new);
            match->from[u] = from;
            match->via[u] = via;
            match->queue[queued++] = u;
        }
    }
    return queued;
}

static bool leads_on (const struct podmatch *match, uint32_t t)
{
    uint64_t new = 0;
    for (size_t w = 0; w < match->type_words; w++)
        new |= match->reach[t * match->type_words + w] & match->unseen[w];
    return new != 0;
}

/* A shortest way to a type with room: each type notes the one before it. If
 * there is none, the types that were reached are full for good: their cubes
 * fit no others. Returns how many cubes found room. */
static uint32_t rearrange_cubes (struct podmatch *match, uint32_t item,
                                 uint32_t amount, const uint64_t fit[])
{
    size_t words = match->type_words;
    uint32_t queued;
    memcpy (match->unseen, match->open, words * sizeof *match->open);
    queued = spread_search (match, fit, NOBODY, 0, 0);
    for (uint32_t i = 0; i < queued; i++) {
        uint32_t t = match->queue[i];
        if (bits_test (match->spare, t))
            return shift_cubes (match, t, item, amount, fit);
        for (uint32_t j = 0; j < match->used[t] && leads_on (match, t); j++)
            queued = spread_search (
                match, match->fit + (match->start[t] + j) * words, t, j,
                queued);
    }
    memcpy (match->open, match->unseen, words * sizeof *match->open);
    return 0;
}

/* The open types that an item fits; false if there are none. */
static bool list_fitting (struct podmatch *match, uint32_t item)
{
    uint32_t kind = match->kind ? match->kind[item] : item;
    uint64_t any = 0;
    for (size_t w = 0; w < match->type_words; w++) {
        uint64_t fit = 0;
        for (uint64_t open = match->open[w]; open; open &= open - 1) {
            uint32_t t = (uint32_t)__builtin_ctzll (open);
            fit |= (uint64_t)bits_test (match->set[64 * w + t], kind) << t;
        }
        match->fits[w] = fit;
        any |= fit;
    }
    return any != 0;
}

/* The first type with room of those that an item fits; NOBODY: none. */
static uint32_t find_spare (const struct podmatch *match)
{
    for (size_t w = 0; w < match->type_words; w++) {
        uint64_t room = match->fits[w] & match->spare[w];
        if (room)
            return (uint32_t)(64 * w) + (uint32_t)__builtin_ctzll (room);
    }
    return NOBODY;
}

/* Take as many cubes of an item as find room, no more than `most`; usually
 * there is room. */
static uint32_t add_item (struct podmatch *match, uint32_t item, uint32_t most)
{
    uint32_t n = match->alike ? match->alike[item] : 1, more = n, added = 0;
    n = n < most ? n : most;
    if (!list_fitting (match, item))
        return 0;
    while (added < n && more > 0) {
        uint32_t t = find_spare (match);
        if (t == NOBODY) {
            more = rearrange_cubes (match, item, n - added, match->fits);
        } else {
            match->from[t] = NOBODY;
            more = shift_cubes (match, t, item, n - added, match->fits);
        }
        added += more;
    }
    return added;
}

/* The cubes of the w-th word that have room for a piece of an open type. */
static uint64_t any_room (const struct podmatch *match, size_t w)
{
    uint64_t any = 0;
    for (uint32_t t = 0; t < match->ntypes; t++)
        if (bits_test (match->open, t))
            any |= match->set[t][w];
    return any;
}

/* Whether there are as many cubes as pieces: often there are not. Those that
 * are members of kinds have been counted before. */
static bool are_enough (const struct podmatch *match, uint32_t pieces)
{
    uint32_t n = 0;
    for (size_t w = 0; w < match->words && n < pieces && !match->kind; w++) {
        uint64_t any = any_room (match, w);
        if (!match->alike)
            n += (uint32_t)__builtin_popcountll (any);
        for (; any && match->alike; any &= any - 1)
            n += match->alike[64 * w + (size_t)__builtin_ctzll (any)];
    }
    return n >= pieces || match->kind;
}

/* No type has a cube: returns the number of pieces. */
static uint32_t empty_types (struct podmatch *match)
{
    size_t words = match->type_words;
    uint32_t pieces = 0;
    memset (match->reach, 0, (match->ntypes + 4) * words * sizeof *match->reach);
    match->open = match->reach + match->ntypes * words;
    match->unseen = match->open + words;
    match->spare = match->unseen + words;
    match->fits = match->spare + words;
    for (uint32_t t = 0; t < match->ntypes; t++) {
        bits_set (match->open, t);
        bits_set (match->spare, t);
        match->start[t] = pieces;
        match->used[t] = match->full[t] = 0;
        pieces += match->type[t].need;
    }
    return pieces;
}

static int make_sets (struct podmatch *match, tori_error *err)
{
    size_t n = 0;
    uint64_t *fit, *reach;
    match->type_words = bits_words (match->ntypes);
    for (uint32_t t = 0; t < match->ntypes; t++)
        n += match->type[t].need;
    fit = array_room (match->fit, &match->fit_room, n * match->type_words,
                      sizeof *fit);
    reach = array_room (match->reach, &match->reach_room,
                        (match->ntypes + (size_t)4) * match->type_words,
                        sizeof *reach);
    match->fit = fit ? fit : match->fit;
    match->reach = reach ? reach : match->reach;
    return fit && reach ? 0 : tori_error_nomem (err);
}

/* Match the items of all sets; returns how many pieces have no cube. */
static uint32_t add_all (struct podmatch *match, uint32_t pieces)
{
    for (size_t w = 0; w < match->words && pieces > 0; w++)
        for (uint64_t any = any_room (match, w); any && pieces > 0;
             any &= any - 1)
            pieces -= add_item (
                match, (uint32_t)(64 * w) + (uint32_t)__builtin_ctzll (any),
                pieces);
    return pieces;
}

int podmatch_find (struct podmatch *match, tori_error *err)
{
    uint32_t pieces;
    if (make_sets (match, err) < 0)
        return -1;
    pieces = empty_types (match);
    if (!are_enough (match, pieces))
        return 0;
    if (!match->kind)
        return add_all (match, pieces) == 0;
    for (uint32_t i = 0; i < match->items && pieces > 0; i++)
        pieces -= add_item (match, i, 1);
    return pieces == 0;
}
