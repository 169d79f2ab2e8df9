/* levels.h - free nodes in balls, around all nodes, by radius.
 *
 * For machines of up to three dimensions, with the last one across the lanes
 * of vectors; see centres.h.
 *
 * A node p has as many levels as it needs to find k free nodes, its radius
 * r(p), and no more: counts for a centre c are read at nodes p that are d hops
 * away, from levels up to r(c) - d; and r(c) <= r(p) + d, as the ball around
 * c with radius r(p) + d holds the one around p with its k free nodes. What
 * lies above is left from earlier requests.
 */
#ifndef TORI_ALLOC_LEVELS_H
#define TORI_ALLOC_LEVELS_H

#include "field.h"

/* Counts by radius. A level is a radius and has a row for every line of the
 * last dimension, padded by 8 at least on both sides. The first eight levels
 * are radii below 0, all zeros. */
struct table {
    uint16_t *slots;
    size_t room;
};

/* The balls across each dimension, and what they are made of: counts along the
 * last and the second dimension. */
enum { ACROSS, ALONG_LAST = AXES, ALONG_SECOND, TABLES, BALLS = TABLES };

/* A part of a row where some nodes need one radius more. */
struct run {
    uint32_t row, x, y, from, to;
};

/* To either side of a coordinate, slots away from it. */
struct hop {
    int64_t to[2];   /* where sums are put at a radius */
    int64_t end[2];  /* from where on they go round */
    int64_t left[2]; /* what is too far away on a ring */
    bool edge[2];    /* of a mesh: there is nothing to add to */
};

struct levels {
    struct field field;
    const tori_machine *machine;
    bool suits, ready;
    size_t level;
    uint32_t pad, pitch; /* of a row in a table */
    uint32_t free_pad, free_pitch;

    struct table tables[TABLES];
    int alias[TABLES]; /* in a plane, some of them are the same */
    uint16_t *sides[TABLES + 1][2]; /* sums on the way to a table, to balls */
    uint16_t *free; /* as the field has it, with padding before */
    uint16_t *few;  /* all ones where k are not found yet */
    struct run *runs;
    size_t nruns;
    struct hop *hops[2]; /* a coordinate of the first, second dimension */
};

/* Nothing is allocated yet. `suits` says whether the machine does. */
void levels_init (struct levels *levels, const tori_machine *machine);
void levels_clear (struct levels *levels);

/* Count around the centres that may be, as centres_find has them, until each
 * has k free nodes. 1 and the greatest radius, 0 if the tables would be too
 * large or counts could not be told from greater ones, -1 without memory. */
int levels_count (struct levels *levels, const uint64_t *free_nodes,
                  uint32_t k, const bool *occurs, uint32_t *ret_radius,
                  tori_error *err);

#endif
