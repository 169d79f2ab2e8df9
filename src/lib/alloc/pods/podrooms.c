#include "podrooms.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "bits.h"
#include "marks.h"
#include "taking.h"

int podrooms_create (struct podrooms *ret_rooms, struct podspace *space,
                     tori_error *err)
{
    struct podrooms *rooms = ret_rooms;
    size_t n = space->cubes, volume = space->volume + (size_t)1;
    *rooms = (struct podrooms){.space = space};
    rooms->order = calloc (n, sizeof *rooms->order);
    rooms->free = calloc (n * space->words, sizeof *rooms->free);
    rooms->count = calloc (n, sizeof *rooms->count);
    rooms->many = calloc (volume, sizeof *rooms->many);
    rooms->least = calloc (volume, sizeof *rooms->least);
    return rooms->order && rooms->free && rooms->count && rooms->many
                   && rooms->least
               ? 0
               : tori_error_nomem (err);
}

void podrooms_clear (struct podrooms *rooms)
{
    free (rooms->order);
    free (rooms->free);
    free (rooms->count);
    free (rooms->many);
    free (rooms->least);
    free (rooms->set);
    free (rooms->seen);
}

/* ---- the order ---- */

static void order_by_number (struct podrooms *rooms)
{
    const struct podspace *space = rooms->space;
    rooms->n = 0;
    for (uint32_t i = 0; i < space->cubes; i++)
        if (space->count[i] > 0)
            rooms->order[rooms->n++] = i;
}

/* `many` counts the cubes with exactly so many nodes: summed up, the position
 * of the next one. */
static void order_by_count (struct podrooms *rooms)
{
    const struct podspace *space = rooms->space;
    uint32_t *next = rooms->least, n = 0;
    for (uint32_t v = 1; v <= space->volume; v++) {
        next[v] = n;
        n += rooms->many[v];
    }
    for (uint32_t i = 0; i < space->cubes; i++)
        if (space->count[i] > 0)
            rooms->order[next[space->count[i]]++] = i;
    rooms->n = n;
}

/* From cubes with exactly so many nodes to those with as many or more. */
static void sum_up (struct podrooms *rooms)
{
    uint32_t least = UINT32_MAX, many = 0;
    for (uint32_t v = rooms->space->volume + 1; v-- > 0;) {
        least = rooms->many[v] ? v : least;
        many += rooms->many[v];
        rooms->least[v] = least;
        rooms->many[v] = many;
    }
}

static void gather_cubes (struct podrooms *rooms)
{
    const struct podspace *space = rooms->space;
    for (uint32_t i = 0; i < rooms->n; i++) {
        uint32_t cube = rooms->order[i];
        rooms->count[i] = space->count[cube];
        for (size_t w = 0; w < space->words; w++)
            rooms->free[i * space->words + w] =
                space->free[cube * space->words + w];
    }
}

static int make_sets (struct podrooms *rooms, tori_error *err)
{
    size_t n = rooms->plan->npieces + 1, before = rooms->seen_room;
    uint32_t *seen =
        array_room (rooms->seen, &rooms->seen_room, n, sizeof *seen);
    uint64_t *set;
    if (!seen)
        return tori_error_nomem (err);
    rooms->seen = seen;
    memset (seen + before, 0, (rooms->seen_room - before) * sizeof *seen);
    set = array_room (rooms->set, &rooms->set_room, n * (rooms->words + 1),
                      sizeof *set);
    if (!set)
        return tori_error_nomem (err);
    rooms->set = set;
    if (++rooms->look == 0) { /* begin again: none was made */
        memset (seen, 0, rooms->seen_room * sizeof *seen);
        rooms->look = 1;
    }
    return 0;
}

int podrooms_look (struct podrooms *rooms, const struct podplan *plan,
                   const tori_state *state, uint32_t pod, bool by_count,
                   tori_error *err)
{
    struct podspace *space = rooms->space;
    podspace_look (space, state, pod);
    rooms->plan = plan;
    rooms->by_count = by_count;
    rooms->state = plan->linked ? state : NULL;
    memset (rooms->many, 0,
            (space->volume + (size_t)1) * sizeof *rooms->many);
    for (uint32_t i = 0; i < space->cubes; i++)
        rooms->many[space->count[i]]++;
    if (by_count)
        order_by_count (rooms);
    else
        order_by_number (rooms);
    sum_up (rooms);
    rooms->empty = by_count ? rooms->n - rooms->many[space->volume] : rooms->n;
    gather_cubes (rooms);
    rooms->words = bits_words (rooms->n);
    return make_sets (rooms, err);
}

/* ---- rooms ---- */

/* The set for up to 64 cubes of one word each. */
static uint64_t small_cubes (const uint64_t *free, uint32_t n, uint64_t mask)
{
    uint64_t set = 0;
    for (uint32_t i = 0; i < n; i++)
        set |= (uint64_t)((mask & ~free[i]) == 0) << i;
    return set;
}

static uint64_t large_cubes (const uint64_t *free, uint32_t n, size_t words,
                             const uint64_t mask[])
{
    uint64_t set = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t missing = 0;
        for (size_t w = 0; w < words; w++)
            missing |= mask[w] & ~free[i * words + w];
        set |= (uint64_t)(missing == 0) << i;
    }
    return set;
}

/* Remove cubes from a set whose links are not up. */
static uint64_t drop_broken (const struct podrooms *rooms, uint32_t piece,
                             uint32_t first, uint64_t set)
{
    const struct podpiece *it = &rooms->plan->piece[piece];
    const uint32_t *span =
        rooms->plan->span + piece * 2 * (size_t)rooms->space->ndims;
    struct wires wires = {
        .wiring = TORI_WIRE_MESH, .below = it->below, .above = it->above};
    for (uint64_t left = set; left; left &= left - 1) {
        uint32_t at = first + (uint32_t)__builtin_ctzll (left);
        tori_box box = podspace_box (rooms->space, rooms->order[at], span);
        if (!wiring_links_up (rooms->state, &box, wires))
            set &= ~(left & -left);
    }
    return set;
}

const uint64_t *podrooms_of (struct podrooms *rooms, uint32_t piece)
{
    size_t words = rooms->space->words;
    const uint64_t *mask = rooms->plan->mask + piece * words;
    uint64_t *set = rooms->set + piece * rooms->words;
    if (rooms->seen[piece] == rooms->look)
        return set;
    rooms->seen[piece] = rooms->look;
    for (uint32_t first = 0; first < rooms->n; first += 64) {
        uint32_t n = rooms->n - first < 64 ? rooms->n - first : 64;
        const uint64_t *free = rooms->free + first * words;
        uint64_t found;
        if (first >= rooms->empty)
            found = bits_low (n);
        else if (rooms->count[first + n - 1] < rooms->plan->piece[piece].size
                 && rooms->by_count)
            found = 0;
        else
            found = words == 1 ? small_cubes (free, n, *mask)
                               : large_cubes (free, n, words, mask);
        set[first / 64] =
            rooms->state ? drop_broken (rooms, piece, first, found) : found;
    }
    return set;
}
