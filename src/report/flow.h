/* flow.h - flow time by the network: the closing experiment of Bender et al.,
 * and how far the fluid model that it is done with is from flits. */
#ifndef TORI_REPORT_FLOW_H
#define TORI_REPORT_FLOW_H

#include <tori/pattern.h>
#include <tori/sim.h>

#include "paper.h"

enum { FLOW_ALLOCS = 4, FLOW_PATTERNS = 4, FLOW_SETTINGS = 5 };

extern const char *const flow_allocs[FLOW_ALLOCS];

struct flow_pattern {
    const char *name;
    uint32_t rounds;
};

extern const struct flow_pattern flow_patterns[FLOW_PATTERNS];

/* What a node sends at most, as a part of what a link carries, and the load to
 * which arrivals are stretched, in percent; 0: as they are. */
struct flow_setting {
    uint32_t num, den;
    int load;
};

extern const struct flow_setting flow_settings[FLOW_SETTINGS];

/* Of a simulation. */
struct flow_cell {
    double flow; /* mean time from submission to end, seconds */
    double wait;
    double stretch; /* mean */
    double utilization;
};

/* Jobs on a small machine, flit by flit and as flows. */
enum { FLOW_PLACES = 3, FLOW_TALKS = 5, FLOW_LENGTHS = 3 };
enum { FLOW_CASES = FLOW_PLACES * FLOW_TALKS * FLOW_LENGTHS };

struct flow_case {
    const char *place;
    const char *pattern;
    uint32_t flits;
    uint32_t packet; /* flits */
    double cycles; /* mean over the jobs of when they end */
    double fluid;
    double apart; /* fluid over cycles, less 1 */
    double worst; /* the same of the job where it is most */
};

struct flow {
    const struct paper_setup *setup;
    tori_machine *machine;
    char *path; /* of the log; NULL: a model's jobs */
    tori_workload workload[FLOW_SETTINGS];
    struct flow_cell cell[FLOW_SETTINGS][FLOW_PATTERNS][FLOW_ALLOCS];
    struct flow_case cases[FLOW_CASES];
};

/* ---- flow_cases.c ---- */

/* Compute the i-th case. */
int flow_case_run (size_t i, struct flow_case *ret_case, tori_error *err);

/* ---- flow_output.c ---- */

extern const struct sheet flow_sheet; /* of its JSON */

int flow_print (const struct flow *flow, FILE *out, tori_error *err);
int flow_emit (const struct flow *flow, FILE *out, tori_error *err);
int flow_write_csv (const struct flow *flow, tori_error *err);

#endif
