/* counts.h - what torid has done so far, in numbers (metrics.c shows them).
 * They begin anew with every start. */
#ifndef TORI_TORID_COUNTS_H
#define TORI_TORID_COUNTS_H

#include <jansson.h>
#include <stdbool.h>

#include <tori/workload.h>

enum { BUCKETS = 10, SIZES = 5, CODES = 600 };

/* How often a value was at most each of the bounds, and any value. */
struct histogram {
    uint64_t upto[BUCKETS + 1];
    double sum;
};

/* The bounds: of times that torid takes, and that jobs wait, in seconds. */
extern const double quick_bounds[BUCKETS], wait_bounds[BUCKETS];

/* The most nodes of jobs of a size, but for the last; and its name. */
extern const uint32_t size_bounds[SIZES - 1];
extern const char *const size_names[SIZES];

struct counts {
    struct histogram decisions, commits, waits[SIZES];
    uint64_t codes[CODES]; /* answers by status of HTTP */
    uint64_t submitted, ended_well, ended_badly;
    double good, bad; /* node-seconds of jobs that have ended well, or not */
    uint64_t dropped; /* events that watchers have missed */
    tori_time begun;  /* when torid began */
};

void histogram_add (struct histogram *histogram, const double bounds[],
                    double value);

/* The seconds since a time of uv_hrtime. */
double seconds_since (uint64_t before);

void count_answer (struct counts *counts, int code);

/* An event: {"event": "started", "job": {...}}. */
void count_event (struct counts *counts, const tori_machine *machine,
                  const json_t *event);

#endif
