#include "podmatch.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "bits.h"

enum { ARRAYS = 6 };
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

static bool has_many (const uint64_t set[], size_t words, uint32_t need)
{
    uint32_t n = 0;
    for (size_t w = 0; w < words && n < need; w++)
        n += (uint32_t)__builtin_popcountll (set[w]);
    return n >= need;
}

bool podmatch_begin (struct podmatch *match, struct podrooms *rooms,
                     const struct podcut *cut)
{
    match->words = rooms->words;
    match->type = rooms->plan->type + cut->first;
    match->ntypes = cut->ntypes;
    for (uint32_t t = 0; t < cut->ntypes; t++) {
        match->set[t] = podrooms_of (rooms, match->type[t].piece);
        if (!has_many (match->set[t], rooms->words, match->type[t].need))
            return false;
    }
    return true;
}

/* ---- all of them ---- */

/* Follow the way of the search back: the last type has room for one more cube,
 * which another gives up, and so on, until there is room for this one, which
 * fits `fit`. */
static void shift_cubes (struct podmatch *match, uint32_t t, uint32_t cube,
                         const uint64_t fit[])
{
    size_t words = match->type_words;
    uint32_t hole = match->start[t] + match->used[t]++;
    if (match->used[t] == match->type[t].need)
        bits_clear (match->spare, t);
    while (match->from[t] != NOBODY) {
        uint32_t next = match->start[match->from[t]] + match->via[t];
        match->slot[hole] = match->slot[next];
        for (size_t w = 0; w < words; w++) {
            match->fit[hole * words + w] = match->fit[next * words + w];
            match->reach[t * words + w] |= match->fit[hole * words + w];
        }
        hole = next;
        t = match->from[t];
    }
    match->slot[hole] = cube;
    for (size_t w = 0; w < words; w++) {
        match->fit[hole * words + w] = fit[w];
        match->reach[t * words + w] |= fit[w];
    }
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
 * fit no others. */
static bool rearrange_cubes (struct podmatch *match, uint32_t cube,
                             const uint64_t fit[])
{
    size_t words = match->type_words;
    uint32_t queued;
    memcpy (match->unseen, match->open, words * sizeof *match->open);
    queued = spread_search (match, fit, NOBODY, 0, 0);
    for (uint32_t i = 0; i < queued; i++) {
        uint32_t t = match->queue[i];
        if (bits_test (match->spare, t)) {
            shift_cubes (match, t, cube, fit);
            return true;
        }
        for (uint32_t j = 0; j < match->used[t] && leads_on (match, t); j++)
            queued = spread_search (
                match, match->fit + (match->start[t] + j) * words, t, j,
                queued);
    }
    memcpy (match->open, match->unseen, words * sizeof *match->open);
    return false;
}

/* The open types that a cube fits; false if there are none. */
static bool list_fitting (struct podmatch *match, uint32_t cube)
{
    uint64_t any = 0;
    for (size_t w = 0; w < match->type_words; w++) {
        uint64_t fit = 0;
        for (uint64_t open = match->open[w]; open; open &= open - 1) {
            uint32_t t = (uint32_t)__builtin_ctzll (open);
            fit |= (uint64_t)bits_test (match->set[64 * w + t], cube) << t;
        }
        match->fits[w] = fit;
        any |= fit;
    }
    return any != 0;
}

/* Usually there is room. */
static bool add_cube (struct podmatch *match, uint32_t cube)
{
    if (!list_fitting (match, cube))
        return false;
    for (size_t w = 0; w < match->type_words; w++) {
        uint64_t room = match->fits[w] & match->spare[w];
        if (room) {
            uint32_t t = (uint32_t)(64 * w) + (uint32_t)__builtin_ctzll (room);
            match->from[t] = NOBODY;
            shift_cubes (match, t, cube, match->fits);
            return true;
        }
    }
    return rearrange_cubes (match, cube, match->fits);
}

/* Cubes that have room for a piece of an open type, of the w-th word. */
static uint64_t any_room (const struct podmatch *match, size_t w)
{
    uint64_t any = 0;
    for (uint32_t t = 0; t < match->ntypes; t++)
        if (bits_test (match->open, t))
            any |= match->set[t][w];
    return any;
}

/* Whether there are as many cubes as pieces: often there are not. */
static bool are_enough (const struct podmatch *match, uint32_t pieces)
{
    uint32_t n = 0;
    for (size_t w = 0; w < match->words && n < pieces; w++)
        n += (uint32_t)__builtin_popcountll (any_room (match, w));
    return n >= pieces;
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
        match->used[t] = 0;
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

int podmatch_find (struct podmatch *match, tori_error *err)
{
    uint32_t pieces;
    if (make_sets (match, err) < 0)
        return -1;
    pieces = empty_types (match);
    if (!are_enough (match, pieces))
        return 0;
    for (size_t w = 0; w < match->words && pieces > 0; w++)
        for (uint64_t any = any_room (match, w); any && pieces > 0;
             any &= any - 1)
            pieces -= add_cube (match, (uint32_t)(64 * w)
                                           + (uint32_t)__builtin_ctzll (any));
    return pieces == 0;
}
