/* queue_tree.h - the study of the distributed queue tree: what is run and what
 * comes out. */
#ifndef TORI_REPORT_QUEUE_TREE_H
#define TORI_REPORT_QUEUE_TREE_H

#include <tori/gang.h>

#include "gangsim.h"
#include "paper.h"
#include "sheet.h"

enum tree_part {
    TREE_LOADS,    /* loads, distributions of sizes, schedulers */
    TREE_SCALE,    /* utilization on machines of all sizes */
    TREE_BRANCHES, /* where new processes go */
    TREE_SWITCHES, /* what a switch costs */
    TREE_DRAINS,   /* the same by the model of network preemption */
    TREE_MACHINES, /* messages on machines of all sizes */
    TREE_PARTS
};

/* Something to run, with as many seeds as there are. */
struct tree_point {
    enum tree_part part;
    char machine[32];
    size_t sizes; /* gangsim.h */
    int load;     /* percent */
    const char *sched;
    const char *branch;
    int switch_cost; /* thousandths of a slot */
    bool drain;      /* and what the network adds */
    tori_time slot;
};

enum { TREE_CLASSES = 13, TREE_MAX_POINTS = 256, TREE_MAX_SEEDS = 20 };

/* Of one run, or means over seeds. */
struct tree_sample {
    double offered, utilization, held;
    double response, wait, slowdown, slowdown_p99; /* times in slots */
    double spread, fairness;
    double by_size[TREE_CLASSES]; /* slowdown; 0 if there are no such jobs */
    double arrivals;              /* jobs a slot */
    double root, busiest, average; /* messages a slot, of a node */
    double switches;               /* a turn */
    double switch_most;            /* what one cost, seconds */
};

/* A measure of a sample, by its place in it. */
#define TREE_MEASURE(member) offsetof (struct tree_sample, member)
double tree_measure (const struct tree_sample *sample, size_t measure);

struct tree_study {
    const struct paper_setup *setup;
    size_t jobs; /* of a run; 0: enough for a steady state */
    size_t seeds;
    struct tree_point point[TREE_MAX_POINTS];
    size_t points;
    struct tree_sample sample[TREE_MAX_POINTS][TREE_MAX_SEEDS];
    tori_gang_cell table1[48];
    uint64_t cycles[TREE_CLASSES]; /* of a switch on 2^i processors */
};

enum { TREE_LOADS_N = 11, TREE_LEAST_LOG = 3, TREE_MOST_LOG = 12 };
extern const int tree_loads[TREE_LOADS_N];

/* The means over seeds, and half the width of a 95 % interval of the mean of a
 * measure. */
struct tree_sample tree_mean (const struct tree_study *study, size_t point);
double tree_half (const struct tree_study *study, size_t point,
                  size_t measure);

/* The first point of a part that has these, on any machine if it is NULL;
 * SIZE_MAX if there is none. */
size_t tree_find (const struct tree_study *study, enum tree_part part,
                  const char *machine, const char *sched, size_t sizes,
                  int load);

/* The machines of TREE_SCALE, and its loads; NULL and 0 behind the last. */
const char *tree_scale_machine (size_t i);
int tree_scale_load (size_t i);

/* Cells of the printed Table 1 in our slots. */
int tree_table1_same (const struct tree_study *study);

extern const struct sheet tree_sheet; /* of its JSON */

int tree_print (const struct tree_study *study, FILE *out, tori_error *err);
int tree_emit (const struct tree_study *study, FILE *out, tori_error *err);
int tree_write_csv (const struct tree_study *study, tori_error *err);
int tree_draw (const struct tree_study *study, tori_error *err);

#endif
