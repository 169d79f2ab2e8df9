/* counts.h - what torid has done since it began, in numbers (metrics.c shows
 * them). */
#ifndef TORI_TORID_COUNTS_H
#define TORI_TORID_COUNTS_H

#include <tori/workload.h>

#include "tally.h"

enum { CODES = 600 };

struct counts {
    struct histogram decisions, commits;
    uint64_t codes[CODES]; /* answers by status of HTTP */
    uint64_t dropped;      /* events that watchers have missed */
    tori_time begun;       /* when torid began */
};

/* The bounds of times that torid takes, in seconds. */
extern const double quick_bounds[BUCKETS];

/* The seconds since a time of uv_hrtime. */
double seconds_since (uint64_t before);

void count_answer (struct counts *counts, int code);

#endif
