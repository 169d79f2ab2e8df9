/* folding.h - requests whose rings may be folded (TORI_REQUEST_FOLD), as
 * requests for boxes that may not.
 *
 * They are tried one after the other: first those whose rings take no links of
 * others, or the fewest; among these the shape as it was asked for; then those
 * that close the fewest dimensions, then the most compact (the shortest
 * longest side, and so on), then in lexicographic order.
 *
 * A dimension of a torus is closed all the way round, a dimension of a
 * multi-torus by the links of the box (TORI_WIRE_TORUS). A shorter ring of a
 * torus takes the rest of its line, too, and its ends are many hops apart:
 * only the shape as it was asked for may have one. A job that is wired as a
 * mesh has no rings. On a pod its sides are folded as lines; elsewhere it is
 * not folded. */
#ifndef TORI_ALLOC_FOLDING_H
#define TORI_ALLOC_FOLDING_H

#include <tori/alloc.h>

#include "ringfold.h"

/* Foldings are kept, because the same requests come again and again. */
enum { FOLDINGS_KEPT = 128 };

struct foldings {
    struct folding *kept[FOLDINGS_KEPT];
};

void foldings_clear (struct foldings *foldings);

/* One of the requests. */
struct folded {
    tori_request request;
    uint64_t beyond;  /* links outside the box that its rings take */
    bool folded;      /* not as it was asked for */
    int rings;        /* dimensions that are closed */
    tori_shape sides; /* sorted */
};

/* All of them, in order. Valid until the next call. */
int foldings_get (struct foldings *foldings, const tori_machine *machine,
                  const tori_request *request, const struct folded **ret_boxes,
                  size_t *ret_n, tori_error *err);

/* Whether there are any that the idle machine could serve. */
bool folding_possible (const tori_machine *machine,
                       const tori_request *request);

/* Whether a box carries the request, folded, and with which wiring. */
bool folding_of (const tori_machine *machine, const tori_request *request,
                 const tori_shape *box, struct ringfold *ret_fold,
                 tori_wiring *ret_wiring);

/* Whether a box has the sides of a shape, in some order; sides of 1 do not
 * matter. */
bool folding_rotated (const tori_shape *shape, const tori_shape *box);

/* The request without folding: with as many sides as the machine has
 * dimensions. False if it has more, or never fits like that. */
bool folding_straight (const tori_machine *machine,
                       const tori_request *request,
                       tori_request *ret_straight);

#endif
