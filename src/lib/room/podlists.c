#include "podlists.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

#define NO_LIST UINT32_MAX

static uint64_t hash_list (const struct podlist *list, const uint64_t mask[],
                           size_t words)
{
    uint64_t hash = (uint64_t)list->piece.below << 32 | list->piece.above;
    hash ^= (uint64_t)list->pod << 16;
    for (size_t w = 0; w < words; w++)
        hash = (hash ^ hash >> 29 ^ mask[w]) * UINT64_C (0x9e3779b97f4a7c15);
    return hash >> 20;
}

static bool is_same (const struct podlist *a, const struct podlist *b)
{
    return a->pod == b->pod && a->piece.below == b->piece.below
           && a->piece.above == b->piece.above;
}

/* The slot of a list in the table: its own, or the free one for it. */
static uint32_t *find_slot (const struct podlists *lists,
                            const struct podlist *list, const uint64_t mask[],
                            size_t words)
{
    for (uint64_t at = hash_list (list, mask, words);; at++) {
        uint32_t *slot = &lists->table[at & (lists->ntable - 1)];
        if (*slot == NO_LIST
            || (is_same (&lists->list[*slot], list)
                && memcmp (lists->mask + *slot * words, mask,
                           words * sizeof *mask)
                       == 0))
            return slot;
    }
}

static bool grow_table (struct podlists *lists, size_t words)
{
    size_t ntable = lists->ntable ? 2 * lists->ntable : 256;
    uint32_t *table = malloc (ntable * sizeof *table);
    if (!table)
        return false;
    memset (table, 0xff, ntable * sizeof *table);
    free (lists->table);
    lists->table = table;
    lists->ntable = ntable;
    for (uint32_t i = 0; i < lists->n; i++)
        *find_slot (lists, &lists->list[i], lists->mask + i * words, words)
            = i;
    return true;
}

static struct podlist *add_list (struct podlists *lists, uint32_t *slot,
                                 const struct podlist *list,
                                 const uint64_t mask[], size_t words)
{
    size_t n = lists->n + 1;
    struct podlist *more = array_room (lists->list, &lists->list_room, n,
                                       sizeof *more);
    uint64_t *masks = array_room (lists->mask, &lists->mask_room, n * words,
                                  sizeof *masks);
    lists->list = more ? more : lists->list;
    lists->mask = masks ? masks : lists->mask;
    if (!more || !masks)
        return NULL;
    memcpy (masks + lists->n * words, mask, words * sizeof *mask);
    more[lists->n] = *list;
    *slot = (uint32_t)lists->n++;
    return &more[*slot];
}

struct podlist *podlists_get (struct podlists *lists,
                              const struct podplan *plan, size_t words,
                              uint32_t pod, uint32_t piece)
{
    const uint64_t *mask = plan->mask + piece * words;
    struct podlist list = {.pod = pod, .piece = plan->piece[piece]};
    uint32_t *slot;
    if (!plan->linked)
        list.piece.below = list.piece.above = 0;
    if (2 * lists->n >= lists->ntable && !grow_table (lists, words))
        return NULL;
    slot = find_slot (lists, &list, mask, words);
    return *slot == NO_LIST ? add_list (lists, slot, &list, mask, words)
                            : &lists->list[*slot];
}

void podlists_clear (struct podlists *lists)
{
    for (size_t i = 0; i < lists->n; i++)
        free (lists->list[i].offer);
    free (lists->list);
    free (lists->mask);
    free (lists->table);
}
