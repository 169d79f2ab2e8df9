#include "podmatch.h"

#include <stdlib.h>
#include <string.h>

#include "compare.h"

enum { ARRAYS = 7 };
#define NOBODY UINT32_MAX

/* A pattern has no more types than pieces, nor more pieces than cubes. */
int podmatch_create (struct podmatch *ret_match, const struct podspace *space,
                     const struct podpattern *pattern, tori_error *err)
{
    struct podmatch *match = ret_match;
    size_t n = space->cubes;
    *match = (struct podmatch){.space = space, .pattern = pattern};
    match->memory = calloc (ARRAYS * n, sizeof *match->memory);
    if (!match->memory)
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
}

/* Whether a cube has room for a piece of a type, and its links are up. */
static bool fits (const struct podmatch *match, uint32_t cube, size_t t)
{
    const struct podspace *space = match->space;
    const struct piece_type *type = &match->pattern->type[t];
    tori_box box;
    if (!podspace_has (space, cube, match->pattern->mask + t * space->words))
        return false;
    if (!match->state)
        return true;
    box = podspace_box (space, cube, type->first, type->end);
    return wiring_links_up (match->state, &box, type->wires);
}

static bool has_spare (const struct podmatch *match, size_t t)
{
    return match->used[t] < match->pattern->type[t].need;
}

/* Along the way that the search has come: the last type has room for one more
 * cube, which another gives up, and so on, until there is room for this one.
 */
static void shift (struct podmatch *match, uint32_t t, uint32_t cube)
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
static uint32_t spread (struct podmatch *match, uint32_t cube, uint32_t from,
                        uint32_t via, uint32_t queued)
{
    for (uint32_t u = 0; u < match->pattern->ntypes; u++)
        if (match->seen[u] != match->search && fits (match, cube, u)) {
            match->seen[u] = match->search;
            match->from[u] = from;
            match->via[u] = via;
            match->queue[queued++] = u;
        }
    return queued;
}

/* A shortest way to a type with room: by whom each type was reached. */
static bool rearrange (struct podmatch *match, uint32_t cube)
{
    uint32_t queued;
    match->search++;
    queued = spread (match, cube, NOBODY, 0, 0);
    for (uint32_t i = 0; i < queued; i++) {
        uint32_t t = match->queue[i];
        if (has_spare (match, t)) {
            shift (match, t, cube);
            return true;
        }
        for (uint32_t j = 0; j < match->used[t]; j++)
            queued =
                spread (match, match->slot[match->start[t] + j], t, j, queued);
    }
    return false;
}

/* Mostly there is room. */
static bool add (struct podmatch *match, uint32_t cube)
{
    size_t n = match->pattern->ntypes;
    for (size_t t = 0; t < n; t++)
        if (has_spare (match, t) && fits (match, cube, t)) {
            match->slot[match->start[t] + match->used[t]++] = cube;
            return true;
        }
    return n > 1 && rearrange (match, cube);
}

bool podmatch_find (struct podmatch *match, const tori_state *state,
                    const uint32_t order[], uint32_t n)
{
    const struct podpattern *pattern = match->pattern;
    uint32_t pieces = 0;
    match->state = state;
    match->search = 0;
    memset (match->seen, 0, pattern->ntypes * sizeof *match->seen);
    for (size_t t = 0; t < pattern->ntypes; t++) {
        match->start[t] = pieces;
        match->used[t] = 0;
        pieces += pattern->type[t].need;
    }
    for (uint32_t i = 0; i < n && pieces > 0; i++)
        pieces -= add (match, order[i]);
    for (size_t t = 0; pieces == 0 && t < pattern->ntypes; t++)
        qsort (match->slot + match->start[t], match->used[t],
               sizeof *match->slot, compare_ids);
    return pieces == 0;
}
