/* gkeslice.h - slices of Google Kubernetes Engine (GKE): cubes of 4x4x4 chips,
 * joined to a torus.
 *
 * Sides ascend there, so dimensions may change their order. Cubes are listed
 * row by row of the sides, the last one fastest. */
#ifndef TORI_GKESLICE_H
#define TORI_GKESLICE_H

#include <tori/machine.h>

enum { GKE_DIMS = 3, GKE_SIDE = 4, GKE_CHIPS_MOST = 9216 };
#define GKE_TYPE "tpu7x"
#define GKE_VERSION "accelerator.gke.io/v1beta1"

/* A slice of so many cubes along each dimension: its sides in chips, such as
 * 4x4x8. */
void gkeslice_topology (const tori_shape *across, char text[TORI_TEXT_MAX]);

/* Which of its pieces, in row-major order, is the i-th cube that GKE lists. */
size_t gkeslice_piece (const tori_shape *across, size_t i);

#endif
