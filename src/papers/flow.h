/* flow.h - jobs on a small machine, flit by flit and as flows. */
#ifndef TORI_PAPERS_FLOW_H
#define TORI_PAPERS_FLOW_H

#include <tori/pattern.h>

#include "paper.h"

struct flow_pattern {
    const char *name;
    uint32_t rounds;
};

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
    double worst; /* the same for the job with the largest difference */
};

/* Compute the i-th case. */
int flow_case_run (size_t i, struct flow_case *ret_case, tori_error *err);

#endif
