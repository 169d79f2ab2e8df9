/* standing.h - how a policy did in a scene (contest.h), as a row. */
#ifndef TORI_REPORT_STANDING_H
#define TORI_REPORT_STANDING_H

#include <stdint.h>

#include "sheet.h"

/* One measure: its mean over the seeds, and by which part that is above the
 * first policy's, seed by seed; each with half of its 95 % interval, not a
 * number with a single seed. */
struct standing_measure {
    double mean, half;
    double difference, difference_half;
};

/* Response, wait, bounded slowdown, utilization, distance. */
enum { STANDING_MEASURES = 5, STANDING_TEXT = 160 };

struct standing {
    size_t scene, policy;
    char scene_text[STANDING_TEXT], policy_text[STANDING_TEXT];
    uint64_t seeds;
    struct standing_measure measure[STANDING_MEASURES];
};

extern const struct sheet standing_sheet;

#endif
