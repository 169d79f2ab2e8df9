#include "podrooms.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "bits.h"
#include "marks.h"
#include "taking.h"

#define NO_KIND UINT32_MAX

int podrooms_create (struct podrooms *ret_rooms, struct podspace *space,
                     tori_error *err)
{
    struct podrooms *rooms = ret_rooms;
    size_t n = space->cubes, volume = space->volume + (size_t)1;
    *rooms = (struct podrooms){.space = space, .ntable = 2};
    while (rooms->ntable < 2 * n)
        rooms->ntable *= 2;
    rooms->order = calloc (n, sizeof *rooms->order);
    rooms->kind = calloc (n, sizeof *rooms->kind);
    rooms->free = calloc (n * space->words, sizeof *rooms->free);
    rooms->count = calloc (n, sizeof *rooms->count);
    rooms->alike = calloc (n, sizeof *rooms->alike);
    rooms->first = calloc (n, sizeof *rooms->first);
    rooms->table = calloc (rooms->ntable, sizeof *rooms->table);
    rooms->many = calloc (volume, sizeof *rooms->many);
    rooms->least = calloc (volume, sizeof *rooms->least);
    return rooms->order && rooms->kind && rooms->free && rooms->count
                   && rooms->alike && rooms->first && rooms->table
                   && rooms->many && rooms->least
               ? 0
               : tori_error_nomem (err);
}

void podrooms_clear (struct podrooms *rooms)
{
    free (rooms->order);
    free (rooms->kind);
    free (rooms->free);
    free (rooms->count);
    free (rooms->alike);
    free (rooms->first);
    free (rooms->table);
    free (rooms->many);
    free (rooms->least);
    free (rooms->set);
    free (rooms->total);
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

/* ---- kinds ---- */

/* The kind with these free nodes, or the slot for a new one. */
static uint32_t *find_kind (const struct podrooms *rooms,
                            const uint64_t free[])
{
    size_t words = rooms->space->words;
    uint64_t at = 0;
    for (size_t w = 0; w < words; w++)
        at = (at ^ at >> 29 ^ free[w]) * UINT64_C (0x9e3779b97f4a7c15);
    for (at >>= 20;; at++) {
        uint32_t *slot = &rooms->table[at & (rooms->ntable - 1)];
        if (*slot == NO_KIND
            || memcmp (rooms->free + *slot * words, free,
                       words * sizeof *free)
                   == 0)
            return slot;
    }
}

static uint32_t add_kind (struct podrooms *rooms, uint32_t cube)
{
    size_t words = rooms->space->words;
    uint32_t kind = rooms->kinds++;
    memcpy (rooms->free + kind * words, rooms->space->free + cube * words,
            words * sizeof *rooms->free);
    rooms->count[kind] = rooms->space->count[cube];
    rooms->first[kind] = cube;
    rooms->alike[kind] = 0;
    return kind;
}

static void list_kinds (struct podrooms *rooms)
{
    size_t words = rooms->space->words;
    rooms->kinds = 0;
    memset (rooms->table, 0xff, rooms->ntable * sizeof *rooms->table);
    for (uint32_t i = 0; i < rooms->n; i++) {
        uint32_t cube = rooms->order[i], own = NO_KIND, *kind = &own;
        if (!rooms->state)
            kind = find_kind (rooms, rooms->space->free + cube * words);
        if (*kind == NO_KIND)
            *kind = add_kind (rooms, cube);
        rooms->kind[i] = *kind;
        rooms->alike[*kind]++;
    }
    rooms->words = bits_words (rooms->kinds);
}

static int make_sets (struct podrooms *rooms, tori_error *err)
{
    size_t n = rooms->plan->npieces + 1, before = rooms->seen_room;
    uint32_t *seen =
        array_room (rooms->seen, &rooms->seen_room, n, sizeof *seen);
    uint32_t *total =
        array_room (rooms->total, &rooms->total_room, n, sizeof *total);
    uint64_t *set;
    rooms->seen = seen ? seen : rooms->seen;
    rooms->total = total ? total : rooms->total;
    if (!seen || !total)
        return tori_error_nomem (err);
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

static void put_in_order (struct podrooms *rooms)
{
    const struct podspace *space = rooms->space;
    memset (rooms->many, 0,
            (space->volume + (size_t)1) * sizeof *rooms->many);
    for (uint32_t i = 0; i < space->cubes; i++)
        rooms->many[space->count[i]]++;
    if (rooms->by_count)
        order_by_count (rooms);
    else
        order_by_number (rooms);
    sum_up (rooms);
    list_kinds (rooms);
}

int podrooms_look (struct podrooms *rooms, const struct podplan *plan,
                   const tori_state *state, uint32_t pod, bool by_count,
                   tori_error *err)
{
    const tori_state *links = plan->linked ? state : NULL;
    bool same = rooms->plan && rooms->by_count == by_count
                && !rooms->state == !links;
    podspace_look (rooms->space, state, pod);
    same &= rooms->changes == rooms->space->changes;
    rooms->plan = plan;
    rooms->by_count = by_count;
    rooms->state = links;
    rooms->changes = rooms->space->changes;
    if (!same)
        put_in_order (rooms);
    return make_sets (rooms, err);
}

/* ---- rooms ---- */

/* The set for up to 64 kinds, of one word each. */
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
        tori_box box = podspace_box (rooms->space, rooms->first[at], span);
        if (!wiring_links_up (rooms->state, &box, wires))
            set &= ~(left & -left);
    }
    return set;
}

static uint32_t count_cubes (const struct podrooms *rooms, uint32_t first,
                             uint64_t set)
{
    uint32_t n = 0;
    for (; set; set &= set - 1)
        n += rooms->alike[first + (uint32_t)__builtin_ctzll (set)];
    return n;
}

const uint64_t *podrooms_of (struct podrooms *rooms, uint32_t piece)
{
    size_t words = rooms->space->words;
    const uint64_t *mask = rooms->plan->mask + piece * words;
    uint64_t *set = rooms->set + piece * rooms->words;
    if (rooms->seen[piece] == rooms->look)
        return set;
    rooms->seen[piece] = rooms->look;
    rooms->total[piece] = 0;
    for (uint32_t first = 0; first < rooms->kinds; first += 64) {
        uint32_t n = rooms->kinds - first < 64 ? rooms->kinds - first : 64;
        const uint64_t *free = rooms->free + first * words;
        uint64_t found = words == 1 ? small_cubes (free, n, *mask)
                                    : large_cubes (free, n, words, mask);
        if (rooms->state)
            found = drop_broken (rooms, piece, first, found);
        rooms->total[piece] += count_cubes (rooms, first, found);
        set[first / 64] = found;
    }
    return set;
}
