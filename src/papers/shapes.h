/* shapes.h - Bender et al., "Communication-Aware Processor Allocation for
 * Supercomputers", 2005: the curve of Figure 3, to which the best clusters
 * tend; the rectangles of MC (Figure 1); and the small patches of free nodes
 * that, by Section 6, shapes of either kind leave over time. */
#ifndef TORI_PAPERS_SHAPES_H
#define TORI_PAPERS_SHAPES_H

#include <stddef.h>
#include <stdint.h>

#include <tori/error.h>

#include "estimate.h"
#include "sheet.h"

/* The boundary of an area of 1, in a direction; it is the same in all four
 * quarters and on both sides of their diagonals. */
struct curve_row {
    double degrees, radius, circle; /* of the same area */
    double ratio;                   /* of both */
};

enum { CURVE_ROWS = 4 };
extern const struct sheet curve_sheet;

/* Also the average distance within the curve and within the circle. */
void curve_find (struct curve_row row[CURVE_ROWS], double *ret_average,
                 double *ret_circle);

/* How many of RECTANGLES requests, 1x1 to 5x5, MC places as a rectangle of the
 * sides asked for on an idle mesh:16x16. */
enum { RECTANGLES = 25 };
int rectangles_count (uint32_t *ret_n, tori_error *err);

/* Patches are connected free nodes. All are means over time, then over
 * seeds. */
struct patch_row {
    const char *alloc;
    struct estimate small; /* patches of up to PATCH_SMALL nodes */
    struct estimate nodes; /* the nodes in them */
    struct estimate all;   /* patches of any size */
    struct estimate more;  /* small ones beyond those of the first row */
};

enum { PATCH_ROWS = 4, PATCH_SEEDS = 5, PATCH_SMALL = 4 };
extern const struct sheet patch_sheet;

/* A piece is an allocator and a seed. */
enum { PATCH_PIECES = PATCH_ROWS * PATCH_SEEDS };
struct patch_sample {
    double small, nodes, all;
};
int patches_measure (size_t piece, uint64_t seed,
                     struct patch_sample *ret_sample, tori_error *err);
void patches_sum_up (const struct patch_sample sample[PATCH_PIECES],
                     struct patch_row row[PATCH_ROWS]);

#endif
