/* queue_tree.h - the study of the distributed queue tree: what is run and what
 * comes out. */
#ifndef TORI_REPORT_QUEUE_TREE_H
#define TORI_REPORT_QUEUE_TREE_H

#include <tori/gang.h>

#include "gangsim.h"
#include "paper.h"

enum tree_part {
    TREE_LOADS,    /* loads, distributions of sizes, schedulers */
    TREE_BRANCHES, /* where new processes go */
    TREE_SWITCHES, /* what a switch costs */
    TREE_MACHINES, /* messages on machines of all sizes */
    TREE_PARTS
};

/* Something to run, with as many seeds as there are. */
struct tree_point {
    enum tree_part part;
    char machine[16];
    size_t sizes; /* gangsim.h */
    int load;     /* percent */
    const char *sched;
    const char *branch;
    int switch_cost; /* thousandths of a slot */
};

enum { TREE_CLASSES = 13, TREE_MAX_POINTS = 128, TREE_MAX_SEEDS = 20 };

/* Of one run, or means over seeds. */
struct tree_sample {
    double offered, utilization;
    double response, wait, slowdown, slowdown_p99; /* times in slots */
    double spread, fairness;
    double by_size[TREE_CLASSES]; /* slowdown; 0 if there are no such jobs */
    double arrivals;              /* jobs a slot */
    double root, busiest, average; /* messages a slot, of a node */
    double switches;               /* a turn */
};

struct tree_study {
    const struct paper_setup *setup;
    size_t jobs;
    size_t seeds;
    struct tree_point point[TREE_MAX_POINTS];
    size_t points;
    struct tree_sample sample[TREE_MAX_POINTS][TREE_MAX_SEEDS];
    tori_gang_cell table1[48];
};

enum { TREE_LOADS_N = 11 };
extern const int tree_loads[TREE_LOADS_N];

/* The means over seeds, and half the width of a 95 % interval of the mean
 * slowdown. */
struct tree_sample tree_mean (const struct tree_study *study, size_t point);
double tree_half (const struct tree_study *study, size_t point);

/* The first point of a part that has these; SIZE_MAX if there is none. */
size_t tree_find (const struct tree_study *study, enum tree_part part,
                  const char *sched, size_t sizes, int load);

/* Cells of the printed Table 1 in our slots. */
int tree_table1_same (const struct tree_study *study);

int tree_print (const struct tree_study *study, FILE *out, tori_error *err);
int tree_emit (const struct tree_study *study, FILE *out, tori_error *err);
int tree_write_csv (const struct tree_study *study, tori_error *err);
int tree_draw (const struct tree_study *study, tori_error *err);

#endif
