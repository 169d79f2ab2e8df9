/* isomorphic.h - Figures 9 to 13 of Kang et al., "Isomorphic Strategy for
 * Processor Allocation in k-Ary n-Cube Systems", 2003: what is run, and what
 * came out. */
#ifndef TORI_REPORT_ISOMORPHIC_H
#define TORI_REPORT_ISOMORPHIC_H

#include <tori/sim.h>

#include "estimate.h"
#include "paper.h"

enum {
    CUBE_LOADS = 9,  /* 10 % to 90 % */
    CUBE_SEEDS = 20,
    CUBE_JOBS = 1000,
    CUBE_LINES = 6,  /* strategies of a panel, at the most */
    CUBE_PANELS = 6
};

/* What is measured of a simulation. A delay is numerical while fewer nodes are
 * free than the first of the queue asks for, or, by nodes held, than it has to
 * hold at its start. */
enum cube_measure {
    CUBE_RESPONSE,
    CUBE_NUMERICAL,
    CUBE_TOPOLOGICAL,
    CUBE_UTILIZATION,
    CUBE_NUMERICAL_HELD,
    CUBE_TOPOLOGICAL_HELD,
    CUBE_MEASURES
};

/* An allocator, what of a job it is asked for, and how it is drawn. */
struct cube_line {
    const char *name; /* in tables */
    const char *alloc;
    tori_noncubic noncubic;
    void (*reshape) (tori_request *request); /* NULL: the job as it is */
    bool gives_back; /* a box rounded up is held at the start, and the rest of
                        it given back at once */
    const char *style;
};

/* A machine and a workload; figures of the paper by measure, or NULL. */
struct cube_panel {
    const char *slug;
    const char *title;
    const char *machine;
    const char *model;
    const char *figure[CUBE_MEASURES];
    const struct cube_line *line[CUBE_LINES]; /* NULL behind the last */
};

struct cube_study {
    const struct paper_setup *setup;
    size_t jobs;
    int seeds;
    tori_machine *machine[CUBE_PANELS];

    /* By panel, line, load, seed, measure. */
    double sample[CUBE_PANELS][CUBE_LINES][CUBE_LOADS][CUBE_SEEDS]
                 [CUBE_MEASURES];
};

extern const struct cube_panel cube_panels[CUBE_PANELS];

static inline double cube_load (int i)
{
    return (i + 1) / 10.0;
}

/* How many strategies a panel has. */
int cube_lines (const struct cube_panel *panel);

/* The mean of the seeds' means, and Student's interval. */
struct estimate cube_value (const struct cube_study *study, int panel,
                            int line, int load, enum cube_measure measure);

/* ---- isomorphic_output.c ---- */

extern const struct sheet cube_sheet; /* of its JSON */

/* CSV into the directory of the setup, and text or JSON. */
int cube_report (const struct cube_study *study, FILE *out, tori_error *err);
int cube_draw (const struct cube_study *study, tori_error *err);

#endif
