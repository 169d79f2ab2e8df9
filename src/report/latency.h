/* latency.h - latency against load: what is run, and what came out. */
#ifndef TORI_REPORT_LATENCY_H
#define TORI_REPORT_LATENCY_H

#include <tori/traffic.h>

#include "paper.h"

enum {
    LATENCY_PANELS = 8,
    LATENCY_LINES = 3,
    LATENCY_LOADS = 20, /* 5 % to 100 % */
    LATENCY_STEP = 5,
    LATENCY_FLITS = 8, /* of a message, and of a buffer */
    LATENCY_CYCLES = 10000
};

/* A machine and a pattern. */
struct latency_panel {
    const char *slug;
    const char *machine;
    const char *pattern;
};

/* A kind of network, and how it is drawn. */
struct latency_line {
    const char *name;
    tori_net_config net;
    const char *style;
};

struct latency_point {
    bool run; /* loads far beyond saturation are not */
    tori_traffic_outcome outcome;
};

/* Loads in percent of a flit a node a cycle. */
struct latency_curve {
    struct latency_point point[LATENCY_LOADS];
    int saturation; /* the highest whole load that is not saturated */
    double most;    /* flits a node a cycle that came out, at any load */
};

struct latency_study {
    const struct paper_setup *setup;
    uint64_t warmup, cycles;
    struct latency_curve curve[LATENCY_PANELS][LATENCY_LINES];
    double bound[LATENCY_PANELS]; /* load at which, in dimension order, the
                                     busiest link is busy all the time */
};

extern const struct latency_panel latency_panels[LATENCY_PANELS];
extern const struct latency_line latency_lines[LATENCY_LINES];

static inline int latency_load (int i)
{
    return LATENCY_STEP * (i + 1);
}

/* ---- latency_output.c ---- */

extern const struct sheet latency_sheet; /* of its JSON */

int latency_print (const struct latency_study *study, FILE *out,
                   tori_error *err);
int latency_emit (const struct latency_study *study, FILE *out,
                  tori_error *err);
int latency_write_csv (const struct latency_study *study, tori_error *err);
int latency_draw (const struct latency_study *study, tori_error *err);

#endif
