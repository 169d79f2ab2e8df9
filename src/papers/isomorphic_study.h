/* isomorphic_study.h - what the files of tori paper isomorphic share.
 * isomorphic_lines.c has the strategies and machines, isomorphic_replay.c
 * simulates them, paper_isomorphic.c asks for all of it, isomorphic_services.c
 * has the service times of section 5.1, isomorphic_output.c tables and figures,
 * and isomorphic_verdicts.c the verdicts. */
#ifndef TORI_PAPERS_ISOMORPHIC_STUDY_H
#define TORI_PAPERS_ISOMORPHIC_STUDY_H

#include <tori/sim.h>

#include "estimate.h"
#include "paper.h"

enum {
    LOADS = 9, /* 10 % to 90 % */
    SEEDS = 20,
    LINES = 8, /* strategies of a panel, at the most */
    PANELS = 6,
    CUBIC_16 = 2, /* in the list of panels */
    NONCUBIC = 3, /* and those that follow */
    SERVICES = 5,
    SERVICE_MACHINES = 3,
    SERVICE_LOADS = 4,
    SERVICE_LENGTH = 10, /* times as many jobs as in the figures */
    SERVICE_POINTS = SERVICES * SERVICE_MACHINES * SERVICE_LOADS
};

/* The lists of the answer. */
enum { POINT_LIST, SERVICE_LIST };

/* The measures of a simulation. A delay is numerical while fewer nodes are
 * free than the first of the queue asks for, or, by nodes held, than it has to
 * hold at its start. The part of the topological delay in which a box of the
 * shape asked for is free, though the strategy does not see it, is
 * unrecognised. */
enum measure {
    RESPONSE,
    NUMERICAL,
    TOPOLOGICAL,
    UNRECOGNISED,
    UTILIZATION,
    NUMERICAL_HELD,
    TOPOLOGICAL_HELD,
    MEASURES
};

/* An allocator, the request that it gets for a job, and its style in
 * figures. */
struct line {
    const char *name; /* in tables */
    const char *alloc;
    tori_noncubic noncubic;
    tori_hypercube hypercube;
    void (*reshape) (tori_request *request); /* NULL: the job as it is */
    bool gives_back; /* a box rounded up is held at the start, and the rest of
                        it given back at once */
    const char *style;
};

extern const struct line line_isomorphic_kept, line_isomorphic_list,
    line_isomorphic_adaptive, line_isomorphic, line_decomposed,
    line_etc_rounded, line_etc, line_eb_fixed, line_eb, line_egc,
    line_k_partner, line_multiple_gc;

/* A machine and a workload; figures of the paper by measure, or NULL. */
struct panel {
    const char *slug;
    const char *title;
    const char *machine;
    const char *model;
    const char *figure[MEASURES];
    const struct line *line[LINES]; /* the rest is NULL */
};

extern const struct panel isomorphic_panels[PANELS];

struct measure_name {
    const char *name, *slug, *label;
};
extern const struct measure_name isomorphic_measures[MEASURES];

double isomorphic_load (size_t i);

/* How many strategies a panel has. */
size_t isomorphic_lines_of (size_t panel);

struct row {
    size_t panel;
    const char *machine, *model, *jobs, *strategy;
    double load;
    struct estimate value[MEASURES];
    int gain;
    bool comparable;
    char gain_shown[16];
};

/* The measures of a strategy. */
enum { SERVED_RESPONSE, SERVED_UTILIZATION, SERVED_OFFERED, SERVED };

struct study {
    const struct paper_setup *setup;
    size_t jobs, seeds, service_jobs;
    tori_machine *machine[PANELS];
    double served[SERVICE_POINTS][SEEDS][2][SERVED]; /* etc, isomorphic */

    /* By panel, line, load, seed, measure. */
    double sample[PANELS][LINES][LOADS][SEEDS][MEASURES];
};

/* The options of a workload but for its load, jobs and service. */
tori_workload_options isomorphic_options (const struct study *study,
                                          size_t seed);

/* Simulate a strategy with the jobs of a workload. */
int isomorphic_replay (const struct line *line, const tori_machine *machine,
                       const tori_workload *workload,
                       tori_sim_result *ret_result, tori_error *err);

/* The same for a line of a panel: all of its measures. */
int isomorphic_simulate (const struct study *study, size_t p, size_t l,
                         const tori_workload *workload, double *sample,
                         tori_error *err);

/* ---- isomorphic_services.c ---- */

extern const struct sheet isomorphic_service_sheet;

/* A piece is a point and a seed. */
int isomorphic_run_service (struct study *study, size_t piece,
                            tori_error *err);
int isomorphic_make_services (struct paper_run *run, tori_error *err);
void isomorphic_judge_services (struct paper_run *run);
void isomorphic_print_services (struct paper_run *run);

/* ---- isomorphic_output.c ---- */

void isomorphic_print (struct paper_run *run);
void isomorphic_draw (struct paper_run *run);

/* The rows of a panel, which follow each other, and whose a row is. */
struct rows isomorphic_rows_of (const struct paper_run *run, size_t panel);
bool isomorphic_is_line (const struct row *row, const struct line *line);

/* The most that a strategy achieves on a panel, in percent. */
double isomorphic_levels_off (const struct paper_run *run, size_t panel,
                              const struct line *line);

/* ---- isomorphic_verdicts.c ---- */

void isomorphic_judge (struct paper_run *run);

/* At how many loads, from the least on, responses of two strategies on a panel
 * can be compared: up to nine tenths of what both achieve. */
size_t isomorphic_stable_loads (const struct paper_run *run, size_t panel,
                                const struct line *a, const struct line *b);

#endif
