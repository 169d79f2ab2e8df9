/* podplan.h - all cuts of a job's request, worked out once.
 *
 * Jobs ask for the same again and again, and the cuts of a shape depend only
 * on the cubes. Few of their pieces differ: the 384 cuts of 5x6x3 in cubes of
 * 4x4x4 have some hundred. So a plan has the cuts, and apart from them the
 * pieces, each with its nodes as a set. */
#ifndef TORI_ALLOC_PODS_PODPLAN_H
#define TORI_ALLOC_PODS_PODPLAN_H

#include <tori/alloc.h>

#include "podcut.h"

/* The wanted shape as it is, not rotated. */
struct podform {
    tori_shape shape;
    tori_wiring wiring;
};

/* Several forms: the rotations of requests. The owner frees `form`. */
struct podforms {
    struct podform *form;
    size_t n, room;
};

/* Add each rotation of a request, or only the request if it is fixed. */
int podforms_add (struct podforms *forms, const tori_request *request,
                  tori_error *err);

/* Whether they are the rotations of the same request. */
bool podforms_same (const struct podforms *a, const struct podforms *b);

/* A form that begins at an offset. */
struct podcut {
    uint32_t pieces;
    uint32_t offset; /* a node of a cube */
    uint32_t form;   /* its number */
    uint32_t first;  /* of its types */
    uint32_t ntypes;
};

/* Pieces of a cut that lie alike. */
struct podtype {
    uint32_t piece; /* the number of the piece */
    uint32_t need;  /* how many */
};

struct podpiece {
    uint32_t size;         /* nodes */
    uint32_t below, above; /* joined there: bits of dimensions */
};

struct podplan {
    struct podforms forms;
    bool linked;
    struct podcut *cut; /* by number of pieces, offset and form */
    size_t ncuts, cut_room;
    struct podtype *type;
    size_t ntypes, type_room;
    uint32_t most_types; /* of a cut */
    struct podpiece *piece;
    uint32_t *span; /* per piece and dimension: its first node and end */
    uint64_t *mask; /* per piece: space->words */
    size_t npieces, piece_room, span_room, mask_room;
    uint32_t *table; /* pieces by their hash, or NO_PIECE */
    size_t ntable;
};

/* A machine may see hundreds of shapes, and working out a plan costs more than
 * a decision. The plans of folds are large, and fewer are kept. */
enum { PODPLANS = 512, LARGE_PODPLANS = 64, SMALL_PODFORMS = 6 };

struct podplans {
    struct podplan *kept[PODPLANS];
};

void podplans_clear (struct podplans *plans);

/* The plan of these forms, which are copied. It is valid until the next call;
 * NULL without memory. */
const struct podplan *podplans_get (struct podplans *plans,
                                    const struct podspace *space,
                                    const struct podforms *forms,
                                    bool linked);

/* The placement of a cut in cubes of the present pod, type after type. */
int podplan_lay (const struct podplan *plan, const struct podspace *space,
                 const struct podcut *cut, const uint32_t cubes[],
                 tori_placement *ret_place, tori_error *err);

#endif
