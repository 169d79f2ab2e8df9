/* queue_tree_study.h - what the files of tori paper queue-tree share: points
 * that are run, and the rows made of them. paper_queue_tree.c runs them,
 * queue_tree_ways.c has the ways in partitions, queue_tree_table1.c Table 1,
 * queue_tree_sheets.c the fields of the answer, queue_tree_output.c tables,
 * verdicts and figures. */
#ifndef TORI_PAPERS_QUEUE_TREE_STUDY_H
#define TORI_PAPERS_QUEUE_TREE_STUDY_H

#include <tori/gang.h>

#include "paper.h"

#define COUNT(array) (sizeof (array) / sizeof *(array))

enum {
    QUEUE_TREE_UNIFORM = 2, /* in the list of sizes */
    CELLS = 48,             /* of Table 1 */
    CLASSES = 13,
    MAX_POINTS = 256,
    MAX_SEEDS = 20,
    MAX_LEVELS = 8, /* of a tree of 64 */
    DEGREES = 2
};

/* The results of one run, or means over seeds: doubles and nothing else. */
struct sample {
    double offered, utilization, held;
    double response, wait, slowdown, slowdown_p99; /* times in slots */
    double spread, fairness;
    double by_size[CLASSES];       /* slowdown; 0 if there are no such jobs */
    double arrivals;               /* jobs per slot */
    double root, busiest, average; /* messages per slot, of a node */
    double switches;               /* per turn */
    double switch_most;            /* the cost of a switch, seconds */
    double hops, reach, hot;       /* in the partitions of jobs, mean of all */
};

struct row {
    const char *part, *machine, *sizes, *sched, *branch;
    char who[32]; /* scheduler and sizes */
    uint32_t processors, degree;
    double load, switch_cost, slot;
    struct sample mean;
    double slowdown_half, held_half, utilization_half;
    double drain; /* the most that a switch costs, of a slot */
    double jobs_s, root_s, busiest_s, average_s; /* per second */
    double root_job, busiest_job, busiest_time;
};

/* The network's part of a switch, by the partition. */
struct cost {
    int processors;
    uint64_t cycles;
    double us;
};

/* The ways in a partition, with routes in dimension order. */
struct partition {
    uint32_t degree, processors;
    char box[TORI_TEXT_MAX];
    double hops, reach, hot; /* as in struct sample */
    double hops_square, hot_square; /* over those of a square as large */
};

/* The tree and DHC by the part of a partition that threads use. */
struct threads {
    uint32_t degree;
    const char *sizes;
    double used, busy, lifetime;
};

/* Something to run, with each seed. */
struct point {
    const char *part;
    char machine[32];
    size_t sizes; /* gangsim.h */
    int load;     /* percent */
    const char *sched;
    const char *branch;
    uint32_t degree;
    int switch_cost; /* thousandths of a slot */
    bool drain;      /* and what the network adds */
    tori_time slot;
    size_t seeds;
};

struct study {
    const struct paper_setup *setup;
    size_t jobs; /* of a run; 0: enough for a steady state */
    size_t seeds;
    struct point point[MAX_POINTS];
    size_t points;
    struct sample sample[MAX_POINTS][MAX_SEEDS];
    tori_gang_cell table1[CELLS];
    int table1_same, table1_cells;
    int table1_round; /* slots until every process has run */
    double limit; /* of the jobs of a run */
    struct cost cost[CLASSES];
    struct partition partition[DEGREES * MAX_LEVELS];
    size_t partitions;
    struct threads threads[MAX_POINTS];
    size_t nthreads;
};

extern const uint32_t queue_tree_degrees[DEGREES];

/* The lists of the answer. */
enum { POINT_LIST, COST_LIST, PARTITION_LIST, THREAD_LIST };
extern const struct sheet queue_tree_answer;

/* The first partition of every level, for each degree. */
int queue_tree_list_ways (struct study *study, tori_error *err);

/* The mean over jobs of the ways in their partitions. */
int queue_tree_measure_ways (const tori_machine *machine, uint32_t degree,
                             const tori_workload *work, struct sample *sample,
                             tori_error *err);

/* Table 1: bring it about, count the cells that are as printed, print it. */
int queue_tree_move_front (struct study *study, tori_error *err);
void queue_tree_count_cells (struct study *study);
int queue_tree_print_table1 (const struct study *study, FILE *out, bool bold,
                             tori_error *err);

void queue_tree_judge (struct paper_run *run);
void queue_tree_print (struct paper_run *run);
void queue_tree_draw (struct paper_run *run);

#endif
