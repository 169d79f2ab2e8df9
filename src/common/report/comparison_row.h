/* comparison_row.h - how a policy did in a scene (paired_comparison.h), as a
 * row. */
#ifndef TORI_REPORT_COMPARISON_ROW_H
#define TORI_REPORT_COMPARISON_ROW_H

#include <stdint.h>

#include "sheet.h"

/* One measure: its mean over the seeds, and by which part that is above the
 * first policy's, seed by seed; each with half of its 95 % interval, not a
 * number with a single seed. */
struct comparison_measure {
    double mean, half;
    double difference, difference_half;
};

/* Response, wait, bounded slowdown, utilization, distance. */
enum { COMPARISON_MEASURES = 5, COMPARISON_TEXT = 160 };

struct comparison_row {
    size_t scene, policy;
    char scene_text[COMPARISON_TEXT], policy_text[COMPARISON_TEXT];
    uint64_t seeds;
    uint64_t saturated; /* simulations */
    uint64_t ran, rejected, killed; /* jobs, over all seeds */
    uint64_t hopeless; /* jobs that can hardly ever finish: with several
                          policies they are not compared */
    uint64_t compared; /* of those that ran: as many are compared */
    double accepted;   /* the load that was offered, without the rejected; the
                          mean over the seeds */
    struct comparison_measure measure[COMPARISON_MEASURES];
};

extern const struct sheet comparison_row_sheet, comparison_measure_sheet;

#endif
