#include "podoffers.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "bits.h"
#include "marks.h"
#include "taking.h"

#define NOT_ASKED UINT32_MAX

/* ---- a piece in a cube ---- */

bool podtenant_hinders (const struct podcrowd *crowd, size_t tenant,
                        const uint64_t mask[])
{
    size_t words = crowd->space.words;
    const uint64_t *has = crowd->mask + tenant * words;
    uint64_t common = 0;
    if (crowd->ground.off[crowd->tenant[tenant].job])
        return false;
    for (size_t w = 0; w < words; w++)
        common |= has[w] & mask[w];
    return common != 0;
}

/* Nodes of a piece, in the w-th word, that are barred, or neither free nor
 * held by a job that may go. */
static uint64_t missing_nodes (const struct podoffers *offers, uint32_t cube,
                               size_t w, uint64_t mask)
{
    const struct podcrowd *crowd = offers->crowd;
    const struct podspace *space = &crowd->space;
    uint64_t left = mask & ~crowd->free[cube * space->words + w], bars = 0;
    uint32_t n = space->volume - 64 * (uint32_t)w;
    for (size_t t = crowd->first[cube]; left && t < crowd->first[cube + 1];
         t++)
        if (!crowd->ground.off[crowd->tenant[t].job])
            left &= ~crowd->mask[t * space->words + w];
    if (offers->barred)
        bars = bits_get (offers->barred,
                         (uint64_t)cube * space->volume + 64 * w,
                         n < 64 ? n : 64);
    return left | (mask & bars);
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

static uint32_t count_free (const struct podcrowd *crowd, uint32_t cube)
{
    uint32_t n = 0;
    for (size_t w = 0; w < crowd->space.words; w++)
        n += (uint32_t)__builtin_popcountll (
            crowd->free[cube * crowd->space.words + w]);
    return n;
}

/* Whether a piece finds room in a cube once the jobs that may go are gone. */
static bool make_offer (const struct podoffers *offers, uint32_t piece,
                        uint32_t cube, struct podoffer *ret_offer)
{
    const struct podcrowd *crowd = offers->crowd;
    const uint64_t *mask = offers->plan->mask + piece * crowd->space.words;
    uint32_t at = offers->pod * crowd->space.cubes + cube;
    struct podoffer offer = {.cube = cube, .left = count_free (crowd, at)};
    for (size_t w = 0; w < crowd->space.words; w++)
        if (missing_nodes (offers, at, w, mask[w]))
            return false;
    for (size_t t = crowd->first[at]; t < crowd->first[at + 1]; t++)
        if (podtenant_hinders (crowd, t, mask)) {
            offer.share += crowd->tenant[t].share;
            offer.weight += crowd->ground.weight[crowd->tenant[t].job];
        }
    *ret_offer = offer;
    return !offers->plan->linked || are_links_up (offers, piece, cube);
}

/* ---- all offers ---- */

int podoffers_begin (struct podoffers *offers, tori_error *err)
{
    size_t cubes = offers->crowd->space.cubes, n = offers->plan->npieces + 1;
    struct podoffer *offer = array_room (offers->offer, &offers->offer_room,
                                         n * cubes, sizeof *offer);
    uint32_t *counts = array_room (offers->n, &offers->n_room, n,
                                   sizeof *counts);
    offers->offer = offer ? offer : offers->offer;
    offers->n = counts ? counts : offers->n;
    if (!offer || !counts)
        return tori_error_nomem (err);
    memset (counts, 0xff, n * sizeof *counts);
    return 0;
}

void podoffers_clear (struct podoffers *offers)
{
    free (offers->offer);
    free (offers->n);
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
static void sort_offers (struct podoffer offer[], uint32_t n)
{
    static const uint32_t gaps[] = {1750, 701, 301, 132, 57, 23, 10, 4, 1};
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++)
        for (uint32_t gap = gaps[g], i = gap; i < n; i++) {
            struct podoffer it = offer[i];
            uint32_t at = i;
            for (; at >= gap && is_before (&it, &offer[at - gap]); at -= gap)
                offer[at] = offer[at - gap];
            offer[at] = it;
        }
}

bool podoffers_ask (struct podoffers *offers, uint32_t piece)
{
    uint32_t cubes = offers->crowd->space.cubes, n = 0;
    struct podoffer *offer = offers->offer + (size_t)piece * cubes;
    if (offers->n[piece] != NOT_ASKED)
        return false;
    for (uint32_t cube = 0; cube < cubes; cube++)
        n += make_offer (offers, piece, cube, &offer[n]);
    sort_offers (offer, n);
    offers->n[piece] = n;
    return true;
}

/* ---- cubes for all pieces ---- */

int podassign_create (struct podassign *assign, uint32_t cubes,
                      tori_error *err)
{
    if (podmatch_create (&assign->match, cubes, err) < 0)
        return -1;
    assign->liked = calloc (cubes, sizeof *assign->liked);
    assign->rank = calloc (cubes, sizeof *assign->rank);
    return assign->liked && assign->rank ? 0 : tori_error_nomem (err);
}

void podassign_clear (struct podassign *assign)
{
    podmatch_clear (&assign->match);
    free (assign->liked);
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

static void put_in_order (struct podassign *assign,
                          const struct podoffers *offers,
                          const struct podcut *cut, uint64_t most,
                          bool shares)
{
    uint32_t cubes = offers->crowd->space.cubes;
    for (uint32_t i = 0; i < cubes; i++)
        assign->liked[i] = (struct podoffer){.share = UINT64_MAX, .cube = i};
    for (uint32_t t = 0; t < cut->ntypes; t++)
        like_cubes (assign, offers, offers->plan->type[cut->first + t].piece,
                    most, shares);
    sort_offers (assign->liked, cubes);
    for (uint32_t i = 0; i < cubes; i++)
        assign->rank[assign->liked[i].cube] = i;
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
        const struct podoffer *liked = &assign->liked[assign->match.slot[i]];
        *ret_least += liked->share;
        ret_cubes[i] = liked->cube;
    }
    return 1;
}
