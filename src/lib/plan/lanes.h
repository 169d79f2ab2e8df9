/* lanes.h - the jobs of a batch in the places of its stages.
 *
 * In a stage, a class has so many places side by side, the largest class at
 * position 0. Sort the stages by the places of one class, the fewest first:
 * its profile is then like stairs, and the algorithm of Gupta and Srimani fills
 * it, one place for each job. Back in the order of the stages, each part of a
 * job is cut where stages that follow each other do so no more, or where the
 * class moves to other positions. No job ever runs beside itself, because
 * stages were moved as a whole. */
#ifndef TORI_PLAN_LANES_H
#define TORI_PLAN_LANES_H

#include "stages.h"

/* The segments, sorted by job and time; finish times are in ticks times
 * stages->den. To be freed. TORI_INVALID if numbers do not fit. */
int lanes_fill (const struct batch *batch, const struct stages *stages,
                tori_segment **ret_segment, size_t *ret_n, tori_error *err);

#endif
