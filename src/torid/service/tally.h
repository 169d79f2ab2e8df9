/* tally.h - what has become of jobs since the service was made, in numbers. A
 * replay does not count: it happened before. */
#ifndef TORI_SERVICE_TALLY_H
#define TORI_SERVICE_TALLY_H

#include <stdint.h>

enum { BUCKETS = 10, SIZES = 5 };

/* How often a value was at most each of the bounds, and any value. */
struct histogram {
    uint64_t upto[BUCKETS + 1];
    double sum;
};

void histogram_add (struct histogram *histogram, const double bounds[],
                    double value);

/* The bounds of waits, in seconds. */
extern const double wait_bounds[BUCKETS];

/* Sizes of jobs: the most nodes, but for the last; and names. */
extern const uint32_t size_bounds[SIZES - 1];
extern const char *const size_names[SIZES];

struct job_tally {
    uint64_t submitted, ended_well, ended_badly;
    double good, bad; /* node-seconds of jobs that have ended well, or not */
    struct histogram waits[SIZES]; /* until the first start, by size */
};

/* An event of a job, by its name. */
struct service_job;
void tally_event (struct job_tally *tally, const char *event,
                  const struct service_job *job);

#endif
