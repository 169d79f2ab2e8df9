/* podoffers.h - the cubes of a pod that could have a piece, and the jobs that
 * it pushes away there.
 *
 * A place of a slice costs as much as the jobs in its way. A job in several of
 * its cubes has a share in each: the sum of the shares is no more than the
 * cost of the place, whichever cubes are chosen. So a matching of pieces and
 * cubes by shares (podmatch.h) is a lower bound of the cost of a cut, or shows
 * that it has no place at all. */
#ifndef TORI_ROOM_PODOFFERS_H
#define TORI_ROOM_PODOFFERS_H

#include "podlists.h"
#include "podmatch.h"

/* The offers of a pod, as of podoffers_begin. */
struct podoffers {
    const struct podcrowd *crowd;
    struct podlists *lists; /* of the whole question */
    const struct podplan *plan;
    const tori_state *state; /* for its links */
    const uint64_t *barred;
    uint32_t pod;
    const struct podoffer **list; /* per piece, by share, then by nodes left */
    uint32_t *n;                  /* per piece: how many, if it was asked for */
    struct podoffer *offer;       /* per piece: a list of its own */
    size_t list_room, n_room, offer_room;

    /* Cubes that are not as they were at first, or have barred nodes. */
    uint32_t *changed, nchanged;
    bool *differs; /* by cube */
    struct podoffer *fresh;
};

/* Whether a tenant is there and in the way of a piece. */
bool podtenant_hinders (const struct podcrowd *crowd, size_t tenant,
                        const uint64_t mask[]);

/* Begin with a pod: all members before `list` are set. */
int podoffers_begin (struct podoffers *offers, tori_error *err);
void podoffers_clear (struct podoffers *offers);

/* List the offers for a piece: 1 if they were not asked for since
 * podoffers_begin, 0 if they were, -1 without memory. */
int podoffers_ask (struct podoffers *offers, uint32_t piece, tori_error *err);

static inline const struct podoffer *
podoffers_of (const struct podoffers *offers, uint32_t piece)
{
    return offers->list[piece];
}

/* Cubes for all pieces of a cut. */
struct podassign {
    struct podmatch match;
    struct podoffer *liked; /* by cube: of its cheapest piece */
    uint64_t *order;        /* cubes with a price, left and number, in order */
    uint32_t *rank;         /* by cube: its index there */
    uint64_t *set;          /* per type */
    size_t set_room;
};

int podassign_create (struct podassign *assign, uint32_t cubes,
                      tori_error *err);
void podassign_clear (struct podassign *assign);

/* Find cubes for a cut whose pieces were all asked for, by shares or by
 * weights: 1, and the sum of the least of each cube; 0 if there are none, -1
 * without memory. Offers heavier than `most` do not count. `ret_cubes` has the
 * cubes of each type. */
int podassign_find (struct podassign *assign, const struct podoffers *offers,
                    const struct podcut *cut, uint64_t most, bool shares,
                    uint32_t ret_cubes[], uint64_t *ret_least,
                    tori_error *err);

#endif
