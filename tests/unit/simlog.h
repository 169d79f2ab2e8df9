/* simlog.h - a simulation, and all that it said while it ran.
 */
#ifndef TORI_TESTS_SIMLOG_H
#define TORI_TESTS_SIMLOG_H

#include <tori/sim.h>

#include "support.h"

struct start {
    size_t job; /* its index in the workload */
    tori_time start, finish, numerical, topological, waited, ran;
    uint32_t starts, moves, level;
    bool killed;
    tori_placement place;
};

struct run {
    const tori_workload *work;
    struct start *starts; /* room for all jobs */
    size_t n;
    bool *rejected;  /* by job */
    bool *ended;
    const char *why; /* of the last rejection */
    size_t progress, total;
    double used;   /* node-ticks of all runs */
    double passed; /* the same, as time passed */
    tori_time now;
    tori_sim_result result;
};

/* Simulate, with the callbacks and `arg` of the configuration set here. */
void simulate (struct run *run, tori_sim_config config,
               const tori_workload *work);
void run_clear (struct run *run);

void expect_near (double value, double expected);
void expect_summary (const tori_summary *is, double mean, double p50,
                     double p90, double p99, double max);

#endif
