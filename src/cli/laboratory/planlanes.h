/* planlanes.h - a plan on interleaved subtori as bars of a Gantt picture.
 *
 * The nodes of a subtorus are spread over the machine. Put in the order of the
 * lowest bits of their coordinates, dimension by dimension, then of the next
 * bits and so on, they lie side by side: the four subtori of 4x4 on 8x8 are
 * the four quarters, from top to bottom 0,0 0,1 1,0 1,1, and those of 2x2
 * within them. So every job with equal sides is one bar, as high as it is
 * large; others are several. Jobs that take no time have none.
 */
#ifndef TORI_CLI_PLANLANES_H
#define TORI_CLI_PLANLANES_H

#include <tori/plan.h>

#include "gantt.h"

struct planlanes {
    int ndims;
    uint8_t bits[TORI_MAX_DIMS]; /* of the longest strides among the jobs */
    struct gantt_bar *bar;
    size_t bars;
    size_t room;
    uint32_t lanes;
};

int planlanes_create (const tori_machine *machine, const tori_contention *plan,
                      size_t n, struct planlanes *ret_lanes, tori_error *err);
void planlanes_clear (struct planlanes *lanes);

/* Label lanes by their offset; `arg` is the planlanes. */
void planlanes_label (const void *arg, uint32_t low, uint32_t high,
                      char text[GANTT_LABEL]);

#endif
