#include "gkeslice.h"

#include <stdio.h>

/* Dimensions by their sides, the shortest first. */
static void sort_dims (const tori_shape *across, int order[GKE_DIMS])
{
    for (int d = 0; d < GKE_DIMS; d++) {
        int at = d;
        for (; at > 0 && across->size[order[at - 1]] > across->size[d]; at--)
            order[at] = order[at - 1];
        order[at] = d;
    }
}

void gkeslice_topology (const tori_shape *across, char text[TORI_TEXT_MAX])
{
    int order[GKE_DIMS];
    sort_dims (across, order);
    snprintf (text, TORI_TEXT_MAX, "%ux%ux%u",
              GKE_SIDE * across->size[order[0]],
              GKE_SIDE * across->size[order[1]],
              GKE_SIDE * across->size[order[2]]);
}

size_t gkeslice_piece (const tori_shape *across, size_t i)
{
    int order[GKE_DIMS];
    uint32_t at[GKE_DIMS];
    size_t piece = 0;
    sort_dims (across, order);
    for (int k = GKE_DIMS; k-- > 0;) {
        uint32_t n = across->size[order[k]];
        at[order[k]] = (uint32_t)(i % n);
        i /= n;
    }
    for (int d = 0; d < GKE_DIMS; d++)
        piece = piece * across->size[d] + at[d];
    return piece;
}
