/* table1.h - Table 1 of Bender et al., "Communication-Aware Processor
 * Allocation for Supercomputers", 2005: its runs and results. */
#ifndef TORI_PAPERS_TABLE1_H
#define TORI_PAPERS_TABLE1_H

#include "estimate.h"
#include "matrix.h"
#include "paper.h"
#include "traces.h"

enum { TABLE1_ALLOCS = 4, TABLE1_NODES = 256, TABLE1_LIST = 80 };

/* As in the paper: the allocators, and the table row by row. */
extern const char *const table1_allocs[TABLE1_ALLOCS];
extern const double table1_printed[TABLE1_ALLOCS * TABLE1_ALLOCS];

/* A case in which the diagonal alone is computed. */
enum { TABLE1_CASES = 5 };
struct table1_case {
    const char *name;
    const char *policy;
    double load;    /* offered; 0: as for the matrix */
    bool powers;    /* sizes are rounded to the nearest powers of two */
    uint32_t least; /* smaller jobs are left out */
};
extern const struct table1_case table1_cases[TABLE1_CASES];

/* The first and the last case are judged by parts, so that there are intervals:
 * a log is cut into as many parts, one after the other; of the model there are
 * as many seeds. */
enum {
    TABLE1_PARTS = 5,
    TABLE1_JUDGED = TABLE1_CASES - 1,
    TABLE1_ASKED = 2, /* cases in parts */
    TABLE1_EACH = TABLE1_CASES + TABLE1_ASKED * TABLE1_PARTS /* simulations of
                                                                a workload */
};

/* The results by allocator: means over jobs of the sum of pairwise distances,
 * and of the hops between two nodes. */
struct table1_diagonal {
    size_t jobs; /* 0: none is left, and there is no result */
    double pairwise[TABLE1_ALLOCS];
    double average[TABLE1_ALLOCS];
};

/* A workload and its matrix. */
struct table1_run {
    const char *path;  /* of a log, or NULL: the model */
    int64_t log_procs; /* of its machine; 0: unknown */
    int64_t scale_num, scale_den; /* of sizes, to fill the mesh alike */
    size_t jobs;
    struct matrix matrix;
    struct table1_diagonal diagonal[TABLE1_CASES];
    struct table1_diagonal part[TABLE1_ASKED][TABLE1_PARTS];
};

struct table1 {
    const struct paper_setup *setup;
    tori_machine *machine;
    struct traces traces;
    struct table1_run *run; /* a log each, then the model */
    size_t runs, done;
    char left_out[500]; /* places of missing logs */
};

/* The name of a workload: the log's file, or the model. */
const char *table1_name (const struct table1_run *run);

/* The jobs of a run. */
struct table1_jobs {
    double load;   /* offered; 0: a log's own, or the model's */
    size_t limit;  /* how many at the most; 0: all */
    uint64_t seed; /* of the model, beyond that of the run */
};

int table1_load (const struct table1 *table1, const struct table1_run *run,
                 const struct table1_jobs *jobs, tori_workload *ret_workload,
                 tori_error *err);

/* Progress counts the rows of all matrices, then the diagonals. */
size_t table1_rows (const struct table1 *table1);
void table1_progress (const struct table1 *table1, size_t done);

/* ---- table1_diagonal.c ---- */

int table1_diagonals (struct table1 *table1, tori_error *err);

/* ---- table1_verdicts.c ---- */

/* The allocators, best first. */
struct ranking {
    size_t alloc[TABLE1_ALLOCS];
};

/* A line of the matrix: a row ranks decisions in one situation, a column
 * situations for one decider, the diagonal allocators in both roles. */
enum { ROWS = 0, COLUMNS = TABLE1_ALLOCS, DIAGONAL = 2 * TABLE1_ALLOCS };

struct ranking table1_ranking_of (const double value[TABLE1_ALLOCS]);
struct ranking
table1_rank_line (const double mean[TABLE1_ALLOCS * TABLE1_ALLOCS],
                  size_t line);
struct ranking table1_rank_printed (size_t line);

/* How much more allocator a pays than b over the parts of a workload, in
 * percent; of the first case (0) or of the last (1). `ret_parts`: how many
 * parts have jobs; less than 2: there is no result. */
struct estimate table1_lead (const struct table1_run *run, size_t asked,
                             size_t a, size_t b, size_t *ret_parts);

void table1_judge (struct paper_run *run);

/* ---- table1_output.c ---- */

/* The lists of the answer. */
enum {
    RUN_LIST,
    ENTRY_LIST,
    RANKING_LIST,
    DIAGONAL_LIST,
    TALLY_LIST,
    LEAD_LIST
};

/* In how many workloads something holds in a case. */
struct tally {
    const char *name;
    size_t known, as_printed, curve_first, curve_nearest;
};

/* How much more one allocator pays than another, in percent, over the parts of
 * a workload in a judged case. */
struct lead_row {
    const char *jobs_of, *brief, *name; /* of the case */
    size_t parts; /* that have such jobs; less than 2: no result */
    struct estimate mc1x1, inc, mm;
    char first[TABLE1_LIST]; /* best first; "=" between two that the parts do
                                not tell apart */
};

extern const struct sheet table1_sheet; /* of its JSON */

int table1_make_rows (struct paper_run *run, tori_error *err);
void table1_print (struct paper_run *run);

#endif
