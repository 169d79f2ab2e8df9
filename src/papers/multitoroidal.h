/* multitoroidal.h - the study of Aridor et al., "Multi-Toroidal
 * Interconnects", 2004: its simulations and results.
 *
 * A panel is one graph of the paper, or one that it does not have: a workload
 * under a scheduler with jobs of one kind of shapes. It has a point for every
 * offered load, and a point has a simulation for each of four configurations:
 * a machine and the share of the jobs that ask for a torus.
 */
#ifndef TORI_PAPERS_MULTITOROIDAL_H
#define TORI_PAPERS_MULTITOROIDAL_H

#include <tori/sim.h>

#include "graph.h"
#include "paper.h"

enum { CONFIGS = 4, LOADS = 9, LOGS = 2, SOURCES = LOGS + 1, EXPERIMENTS = 4 };

/* By their places in the table of configurations. */
enum { TORUS_MESHES, TORUS_HALF, TORUS_TORI, MULTITORUS_TORI };

/* A graph counts as straight while utilization is a share of the load: this
 * one, by its place in the table of shares. The others show how much a reading
 * depends on it. */
enum { SHARES = 3, STRAIGHT_SHARE = 1 };

struct config {
    const char *title;   /* of a line in a figure */
    const char *column;  /* of a table for people */
    const char *machine; /* its name */
    double torus_fraction;
    const char *style; /* of the line, in gnuplot's words */
};

/* The claim of the paper's text: up to which load the graphs of torus jobs are
 * straight, in percent, and how far apart they are. 0: no claim. */
struct claim {
    double torus, multitorus, factor;
};

struct experiment {
    const char *figure; /* its number; NULL: not in the paper */
    const char *policy;
    const char *shapes;
    tori_shaping shaping;
    struct claim claim[LOGS];
};

/* Jobs: of a log, or of a model. */
struct source {
    const char *name;
    const char *slug;  /* in file names */
    const char *file;  /* of a log, without .gz */
    const char *model; /* or this */
    char part;         /* in the paper's figures; 0: not in the paper */
    int64_t scale;
    char *path; /* of a log; NULL: not found; owned */
    size_t jobs;
    double offered; /* as logged */
};

struct multi_point {
    tori_sim_result result[CONFIGS];
    bool differs;  /* the torus with meshes and the multi-torus with tori */
    int64_t where; /* the first job in which they do, by its id */
};

struct multi_panel {
    const struct experiment *experiment;
    const struct source *source;
    struct multi_point point[LOADS];
    struct reading straight[SHARES][CONFIGS]; /* of the two with tori only */
};

struct multi_study {
    const struct paper_setup *setup;
    tori_machine *torus, *multitorus;
    struct source source[SOURCES];
    size_t sources;
    struct multi_panel *panel; /* by experiment, then source */
    size_t panels;
    bool coincide;
};

extern const struct config multitoroidal_configs[CONFIGS];
extern const double multitoroidal_shares[SHARES];

/* The offered load of the i-th point, in percent. */
static inline int load_percent (int i)
{
    return 20 + 10 * i;
}

/* Whether there are jobs of this source. */
static inline bool source_there (const struct source *source)
{
    return source->path || source->model;
}

/* ---- multitoroidal_output.c ---- */

extern const struct sheet multitoroidal_sheet; /* of its JSON */

/* The rows of results, tables and figures. */
int study_rows (struct paper_run *run, tori_error *err);
void study_judge (struct paper_run *run);
void study_print (struct paper_run *run);
void study_draw (struct paper_run *run);

/* The first panel and point at which the two graphs that must coincide do
 * not; false if they do everywhere. */
bool study_differs (const struct multi_study *study,
                    const struct multi_panel **ret_panel, int *ret_load);

/* The name of a panel: "Figure 12a: CTC SP2, fcfs, first-match shapes". */
enum { PANEL_TEXT = 128 };
void panel_title (const struct multi_panel *panel, char text[PANEL_TEXT]);

#endif
