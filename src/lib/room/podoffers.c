#include "podoffers.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "bits.h"
#include "marks.h"
#include "taking.h"

#define NOT_ASKED UINT32_MAX

/* ---- a piece in a cube ---- */

/* Whether a tenant has nodes of a piece. */
static bool has_some (const struct podcrowd *crowd, size_t tenant,
                      const uint64_t mask[])
{
    size_t words = crowd->space.words;
    const uint64_t *has = crowd->mask + tenant * words;
    uint64_t common = 0;
    for (size_t w = 0; w < words; w++)
        common |= has[w] & mask[w];
    return common != 0;
}

bool podtenant_hinders (const struct podcrowd *crowd, size_t tenant,
                        const uint64_t mask[])
{
    return !crowd->ground.off[crowd->tenant[tenant].job]
           && has_some (crowd, tenant, mask);
}

/* Whether nodes of a piece, in the w-th word, are neither free nor held by a
 * job that may go. */
static bool are_missing (const struct podcrowd *crowd, uint32_t cube, size_t w,
                         uint64_t mask)
{
    size_t words = crowd->space.words;
    uint64_t left = mask & ~crowd->free[cube * words + w];
    for (size_t t = crowd->first[cube]; left && t < crowd->first[cube + 1];
         t++)
        if (!crowd->ground.off[crowd->tenant[t].job])
            left &= ~crowd->mask[t * words + w];
    return left != 0;
}

static bool is_barred (const struct podoffers *offers, uint32_t cube, size_t w,
                       uint64_t mask)
{
    uint32_t volume = offers->crowd->space.volume;
    uint32_t n = volume - 64 * (uint32_t)w;
    return offers->barred
           && (mask
               & bits_get (offers->barred, (uint64_t)cube * volume + 64 * w,
                           n < 64 ? n : 64));
}

static bool are_links_up (const struct podoffers *offers, uint32_t piece,
                          uint32_t cube)
{
    const struct podplan *plan = offers->plan;
    struct podspace space = offers->crowd->space;
    struct wires wires = {.wiring = TORI_WIRE_MESH,
                          .below = plan->piece[piece].below,
                          .above = plan->piece[piece].above};
    tori_box box;
    space.pod = offers->pod;
    box = podspace_box (&space, cube,
                        plan->span + piece * 2 * (size_t)space.ndims);
    return wiring_links_up (offers->state, &box, wires);
}

static uint32_t count_nodes (const uint64_t set[], size_t words)
{
    uint32_t n = 0;
    for (size_t w = 0; w < words; w++)
        n += (uint32_t)__builtin_popcountll (set[w]);
    return n;
}

static void add_tenant (const struct podcrowd *crowd, size_t t,
                        struct podoffer *offer)
{
    offer->share += crowd->tenant[t].share;
    offer->weight += crowd->ground.weight[crowd->tenant[t].job];
}

/* Whether a piece finds room in a cube once the jobs that may go are gone. */
static bool make_offer (const struct podoffers *offers, uint32_t piece,
                        uint32_t cube, struct podoffer *ret_offer)
{
    const struct podcrowd *crowd = offers->crowd;
    size_t words = crowd->space.words;
    const uint64_t *mask = offers->plan->mask + piece * words;
    uint32_t at = offers->pod * crowd->space.cubes + cube;
    struct podoffer offer = {.cube = cube};
    for (size_t w = 0; w < words; w++)
        if (are_missing (crowd, at, w, mask[w])
            || is_barred (offers, at, w, mask[w]))
            return false;
    offer.left = count_nodes (crowd->free + at * words, words);
    for (size_t t = crowd->first[at]; t < crowd->first[at + 1]; t++)
        if (podtenant_hinders (crowd, t, mask))
            add_tenant (crowd, t, &offer);
    *ret_offer = offer;
    return !offers->plan->linked || are_links_up (offers, piece, cube);
}

/* The same at first: no job was away, and nothing is barred. */
static bool make_first (const struct podoffers *offers, uint32_t piece,
                        uint32_t cube, struct podoffer *ret_offer)
{
    const struct podcrowd *crowd = offers->crowd;
    size_t words = crowd->space.words;
    const uint64_t *mask = offers->plan->mask + piece * words;
    uint32_t at = offers->pod * crowd->space.cubes + cube;
    struct podoffer offer = {.cube = cube, .left = crowd->left[at]};
    for (size_t w = 0; w < words; w++)
        if (mask[w] & ~crowd->ever[at * words + w])
            return false;
    for (size_t t = crowd->first[at]; t < crowd->first[at + 1]; t++)
        if (has_some (crowd, t, mask))
            add_tenant (crowd, t, &offer);
    *ret_offer = offer;
    return !offers->plan->linked || are_links_up (offers, piece, cube);
}

/* ---- all offers ---- */

static int make_lists (struct podoffers *offers, tori_error *err)
{
    size_t cubes = offers->crowd->space.cubes, n = offers->plan->npieces + 1;
    struct podoffer *offer = array_room (offers->offer, &offers->offer_room,
                                         n * cubes, sizeof *offer);
    uint32_t *counts = array_room (offers->n, &offers->n_room, n,
                                   sizeof *counts);
    const struct podoffer **list
        = array_room (offers->list, &offers->list_room, n, sizeof *list);
    offers->offer = offer ? offer : offers->offer;
    offers->n = counts ? counts : offers->n;
    offers->list = list ? list : offers->list;
    if (!offers->changed)
        offers->changed = calloc (cubes, sizeof *offers->changed);
    if (!offers->differs)
        offers->differs = calloc (cubes, sizeof *offers->differs);
    if (!offers->fresh)
        offers->fresh = calloc (cubes, sizeof *offers->fresh);
    return offer && counts && list && offers->changed && offers->differs
                   && offers->fresh
               ? 0
               : tori_error_nomem (err);
}

int podoffers_begin (struct podoffers *offers, tori_error *err)
{
    const struct podspace *space = &offers->crowd->space;
    if (make_lists (offers, err) < 0)
        return -1;
    memset (offers->n, 0xff, (offers->plan->npieces + 1) * sizeof *offers->n);
    offers->nchanged = 0;
    for (uint32_t cube = 0; cube < space->cubes; cube++) {
        uint32_t at = offers->pod * space->cubes + cube;
        offers->differs[cube]
            = offers->crowd->changes[at] > 0
              || (offers->barred
                  && bits_any_range (offers->barred,
                                     (uint64_t)at * space->volume,
                                     space->volume));
        if (offers->differs[cube])
            offers->changed[offers->nchanged++] = cube;
    }
    return 0;
}

void podoffers_clear (struct podoffers *offers)
{
    free (offers->list);
    free (offers->n);
    free (offers->offer);
    free (offers->changed);
    free (offers->differs);
    free (offers->fresh);
}

static inline bool is_before (const struct podoffer *x,
                              const struct podoffer *y)
{
    if (x->share != y->share)
        return x->share < y->share;
    return x->left != y->left ? x->left < y->left : x->cube < y->cube;
}

/* Shell's sort: lists are short, there are very many of them, and qsort calls
 * a function for each comparison. */
static const uint32_t gaps[] = {1750, 701, 301, 132, 57, 23, 10, 4, 1};

static void sort_offers (struct podoffer offer[], uint32_t n)
{
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++)
        for (uint32_t gap = gaps[g], i = gap; i < n; i++) {
            struct podoffer it = offer[i];
            uint32_t at = i;
            for (; at >= gap && is_before (&it, &offer[at - gap]); at -= gap)
                offer[at] = offer[at - gap];
            offer[at] = it;
        }
}

/* The list of a piece at first. */
static const struct podlist *list_first (struct podoffers *offers,
                                         uint32_t piece)
{
    const struct podspace *space = &offers->crowd->space;
    struct podlist *list = podlists_get (offers->lists, offers->plan,
                                         space->words, offers->pod, piece);
    uint32_t n = 0;
    if (!list)
        return NULL;
    if (list->offer)
        return list;
    for (uint32_t cube = 0; cube < space->cubes; cube++)
        n += make_first (offers, piece, cube, &offers->fresh[n]);
    list->offer = malloc ((n + (size_t)1) * sizeof *list->offer);
    if (!list->offer)
        return NULL;
    sort_offers (offers->fresh, n);
    memcpy (list->offer, offers->fresh, n * sizeof *list->offer);
    list->n = n;
    return list;
}

/* The list at first with other offers for the cubes that differ. */
static uint32_t merge_offers (struct podoffers *offers, uint32_t piece,
                              const struct podlist *first,
                              struct podoffer *out)
{
    const struct podoffer *fresh = offers->fresh;
    uint32_t n = 0, next = 0, many = 0;
    for (uint32_t i = 0; i < offers->nchanged; i++)
        many += make_offer (offers, piece, offers->changed[i],
                            &offers->fresh[many]);
    sort_offers (offers->fresh, many);
    for (uint32_t i = 0; i < first->n; i++) {
        if (offers->differs[first->offer[i].cube])
            continue;
        while (next < many && is_before (&fresh[next], &first->offer[i]))
            out[n++] = fresh[next++];
        out[n++] = first->offer[i];
    }
    while (next < many)
        out[n++] = fresh[next++];
    return n;
}

int podoffers_ask (struct podoffers *offers, uint32_t piece, tori_error *err)
{
    uint32_t cubes = offers->crowd->space.cubes;
    struct podoffer *own = offers->offer + (size_t)piece * cubes;
    const struct podlist *first;
    if (offers->n[piece] != NOT_ASKED)
        return 0;
    first = list_first (offers, piece);
    if (!first)
        return tori_error_nomem (err);
    if (offers->nchanged > 0) {
        offers->n[piece] = merge_offers (offers, piece, first, own);
        offers->list[piece] = own;
    } else {
        offers->n[piece] = first->n;
        offers->list[piece] = first->offer;
    }
    return 1;
}

/* ---- cubes for all pieces ---- */

int podassign_create (struct podassign *assign, uint32_t cubes,
                      tori_error *err)
{
    if (podmatch_create (&assign->match, cubes, err) < 0)
        return -1;
    assign->liked = calloc (cubes, sizeof *assign->liked);
    assign->order = calloc (cubes, sizeof *assign->order);
    assign->rank = calloc (cubes, sizeof *assign->rank);
    return assign->liked && assign->order && assign->rank
               ? 0
               : tori_error_nomem (err);
}

void podassign_clear (struct podassign *assign)
{
    podmatch_clear (&assign->match);
    free (assign->liked);
    free (assign->order);
    free (assign->rank);
    free (assign->set);
}

/* A cube has the price of its cheapest piece, so sets of cubes have a weight
 * that does not depend on the assignment of pieces. */
static void like_cubes (struct podassign *assign,
                        const struct podoffers *offers, uint32_t piece,
                        uint64_t most, bool shares)
{
    const struct podoffer *offer = podoffers_of (offers, piece);
    for (uint32_t i = 0; i < offers->n[piece]; i++) {
        struct podoffer *liked = &assign->liked[offer[i].cube];
        uint64_t price = shares ? offer[i].share : offer[i].weight;
        if (offer[i].weight <= most && price < liked->share) {
            liked->share = price;
            liked->left = offer[i].left;
        }
    }
}

static void sort_keys (uint64_t key[], uint32_t n)
{
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++)
        for (uint32_t gap = gaps[g], i = gap; i < n; i++) {
            uint64_t it = key[i];
            uint32_t at = i;
            for (; at >= gap && it < key[at - gap]; at -= gap)
                key[at] = key[at - gap];
            key[at] = it;
        }
}

static unsigned count_bits (uint32_t number)
{
    return 32 - (unsigned)__builtin_clz (number);
}

/* By price, then by nodes left, then by number, as one number: a price has up
 * to 31 bits, and the others up to 32 together, since no machine has more than
 * 2^30 nodes. */
static void put_in_order (struct podassign *assign,
                          const struct podoffers *offers,
                          const struct podcut *cut, uint64_t most,
                          bool shares)
{
    const struct podspace *space = &offers->crowd->space;
    unsigned low = count_bits (space->cubes);
    unsigned left = count_bits (space->volume);
    uint32_t n = 0;
    for (uint32_t i = 0; i < space->cubes; i++)
        assign->liked[i] = (struct podoffer){.share = UINT64_MAX, .cube = i};
    for (uint32_t t = 0; t < cut->ntypes; t++)
        like_cubes (assign, offers, offers->plan->type[cut->first + t].piece,
                    most, shares);
    for (uint32_t i = 0; i < space->cubes; i++)
        if (assign->liked[i].share < UINT64_MAX)
            assign->order[n++] = (assign->liked[i].share << left
                                  | assign->liked[i].left)
                                     << low
                                 | i;
    sort_keys (assign->order, n);
    for (uint32_t i = 0; i < n; i++) {
        assign->order[i] &= (UINT64_C (1) << low) - 1;
        assign->rank[assign->order[i]] = i;
    }
}

static int make_sets (struct podassign *assign,
                      const struct podoffers *offers,
                      const struct podcut *cut, uint64_t most,
                      tori_error *err)
{
    struct podmatch *match = &assign->match;
    size_t words = bits_words (offers->crowd->space.cubes);
    uint64_t *set = array_room (assign->set, &assign->set_room,
                                cut->ntypes * words, sizeof *set);
    if (!set)
        return tori_error_nomem (err);
    assign->set = set;
    memset (set, 0, cut->ntypes * words * sizeof *set);
    match->words = words;
    match->alike = match->kind = NULL;
    match->type = offers->plan->type + cut->first;
    match->ntypes = cut->ntypes;
    for (uint32_t t = 0; t < cut->ntypes; t++, set += words) {
        uint32_t piece = match->type[t].piece;
        const struct podoffer *offer = podoffers_of (offers, piece);
        match->set[t] = set;
        for (uint32_t i = 0; i < offers->n[piece]; i++)
            if (offer[i].weight <= most)
                bits_set (set, assign->rank[offer[i].cube]);
    }
    return 0;
}

int podassign_find (struct podassign *assign, const struct podoffers *offers,
                    const struct podcut *cut, uint64_t most, bool shares,
                    uint32_t ret_cubes[], uint64_t *ret_least,
                    tori_error *err)
{
    int found;
    put_in_order (assign, offers, cut, most, shares);
    if (make_sets (assign, offers, cut, most, err) < 0)
        return -1;
    found = podmatch_find (&assign->match, err);
    if (found <= 0)
        return found;
    *ret_least = 0;
    for (uint32_t i = 0; i < cut->pieces; i++) {
        const struct podoffer *liked
            = &assign->liked[assign->order[assign->match.slot[i]]];
        *ret_least += liked->share;
        ret_cubes[i] = liked->cube;
    }
    return 1;
}
