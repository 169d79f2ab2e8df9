#include "podmatch.h"

#include <stdlib.h>
#include <string.h>

#include "bits.h"

enum { ARRAYS = 7 };
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
    match->seen = match->memory + 6 * n;
    return 0;
}

void podmatch_clear (struct podmatch *match)
{
    free (match->memory);
    free (match->set);
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

static bool fits_type (const struct podmatch *match, uint32_t cube, uint32_t t)
{
    return bits_test (match->set[t], cube);
}

static bool has_spare (const struct podmatch *match, uint32_t t)
{
    return match->used[t] < match->type[t].need;
}

/* Follow the way of the search back: the last type has room for one more cube,
 * which another gives up, and so on, until there is room for this one. */
static void shift_cubes (struct podmatch *match, uint32_t t, uint32_t cube)
{
    uint32_t *hole = &match->slot[match->start[t] + match->used[t]++];
    while (match->from[t] != NOBODY) {
        uint32_t *next =
            &match->slot[match->start[match->from[t]] + match->via[t]];
        *hole = *next;
        hole = next;
        t = match->from[t];
    }
    *hole = cube;
}

/* Types that a cube could be given to and that were not seen yet. */
static uint32_t spread_search (struct podmatch *match, uint32_t cube,
                               uint32_t from, uint32_t via, uint32_t queued)
{
    for (uint32_t u = 0; u < match->ntypes; u++)
        if (match->seen[u] != match->search && fits_type (match, cube, u)) {
            match->seen[u] = match->search;
            match->from[u] = from;
            match->via[u] = via;
            match->queue[queued++] = u;
        }
    return queued;
}

/* A shortest way to a type with room: each type notes the one before it. */
static bool rearrange_cubes (struct podmatch *match, uint32_t cube)
{
    uint32_t queued;
    match->search++;
    queued = spread_search (match, cube, NOBODY, 0, 0);
    for (uint32_t i = 0; i < queued; i++) {
        uint32_t t = match->queue[i];
        if (has_spare (match, t)) {
            shift_cubes (match, t, cube);
            return true;
        }
        for (uint32_t j = 0; j < match->used[t]; j++)
            queued = spread_search (match, match->slot[match->start[t] + j], t,
                                    j, queued);
    }
    return false;
}

/* Usually there is room. */
static bool add_cube (struct podmatch *match, uint32_t cube)
{
    for (uint32_t t = 0; t < match->ntypes; t++)
        if (has_spare (match, t) && fits_type (match, cube, t)) {
            match->slot[match->start[t] + match->used[t]++] = cube;
            return true;
        }
    return match->ntypes > 1 && rearrange_cubes (match, cube);
}

/* Cubes that have room for any piece, of the w-th word. */
static uint64_t any_room (const struct podmatch *match, size_t w)
{
    uint64_t any = 0;
    for (uint32_t t = 0; t < match->ntypes; t++)
        any |= match->set[t][w];
    return any;
}

bool podmatch_find (struct podmatch *match)
{
    uint32_t pieces = 0;
    match->search = 0;
    memset (match->seen, 0, match->ntypes * sizeof *match->seen);
    for (uint32_t t = 0; t < match->ntypes; t++) {
        match->start[t] = pieces;
        match->used[t] = 0;
        pieces += match->type[t].need;
    }
    for (size_t w = 0; w < match->words && pieces > 0; w++)
        for (uint64_t any = any_room (match, w); any && pieces > 0;
             any &= any - 1)
            pieces -= add_cube (match, (uint32_t)(64 * w)
                                           + (uint32_t)__builtin_ctzll (any));
    return pieces == 0;
}
