/* replicas.h - a simulation repeated with several seeds, for programs and for
 * people: each measure as its mean over the seeds and a 95 % interval. */
#ifndef TORI_REPORT_REPLICAS_H
#define TORI_REPORT_REPLICAS_H

#include <stdbool.h>
#include <stdio.h>

#include <tori/sim.h>

#include "sheet.h"

struct replicas {
    uint64_t seed; /* the first; the others follow */
    size_t n;      /* at least 2 */
    const tori_sim_result *result;
    bool resampled; /* seeds are logs drawn from one log (estimate.h) */
    bool network; /* there were messages */
    bool losses;  /* jobs were interrupted */
    bool levels;  /* some were urgent */
};

/* The members of result.h, with an object of "mean" and "half_interval" for
 * each number, in the object that is open. */
void replicas_emit (struct emit *e, const struct replicas *replicas);

/* The results of each seed. */
extern const struct sheet replica_sheet;
void replicas_emit_runs (struct emit *e, const char *key,
                         const struct replicas *replicas);

/* A table: mean, half of the interval, least and most. */
int replicas_print (const struct replicas *replicas, FILE *out, bool bold,
                    tori_error *err);

#endif
