/* paper.h - published tables and figures, computed again.
 *
 * One table of entries; an entry is a row that names a paper and a function
 * that computes its tables or figures, prints ours beside what is printed
 * there, and writes CSV and figures if wished. A new entry is a file
 * paper_NAME.c with one constant, a declaration here and a row in paper.c.
 */
#ifndef TORI_REPORT_PAPER_H
#define TORI_REPORT_PAPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <tori/error.h>
#include <tori/workload.h>

#include "emit.h"
#include "traces.h"

/* What an entry takes of its setup, beside what all of them do. One that has
 * nothing random or parallel to do ignores `seed` and `workers`. */
enum paper_takes {
    PAPER_TRACES = 1,
    PAPER_MODEL = 2,
    PAPER_LIMIT = 4,
    PAPER_SEEDS = 8
};

/* How an entry is to be run. */
struct paper_setup {
    const char *out;    /* directory for CSV and figures; NULL: none */
    struct traces_places traces; /* of job logs */
    const char *model;  /* also run this model of a workload; NULL: none */
    size_t limit;       /* the first so many jobs of each log; 0: all */
    uint64_t seed;      /* fixes what is random */
    size_t seeds;       /* repetitions, from `seed` on, 2 to 20; 0: all */
    unsigned workers;   /* threads; 0: one a processor */
    bool json;
    const struct answer *answer; /* what JSON begins with (emit.h) */
    bool bold; /* the output is a terminal */

    /* Called now and then, never by two threads at a time. May be NULL. */
    void (*on_progress) (void *arg, size_t done, size_t total);
    void *arg;
};

struct sheet;

struct paper {
    const char *name;
    const char *citation; /* "A. Author, B. Author: Title. YEAR" */
    const char *what; /* it shows, one line */
    unsigned takes; /* enum paper_takes */
    const struct sheet *answer; /* the fields of its JSON (sheet.h) */

    /* Print to `out`. If only figures could not be drawn, everything else has
     * been printed and written when this fails. */
    int (*run) (const struct paper_setup *setup, FILE *out, tori_error *err);
};

extern const struct paper paper_multitoroidal;
extern const struct paper paper_clusters;
extern const struct paper paper_manhattan_median;
extern const struct paper paper_table1;
extern const struct paper paper_flow;
extern const struct paper paper_isomorphic;
extern const struct paper paper_latency;
extern const struct paper paper_queue_tree;
extern const struct paper paper_preemption;
extern const struct paper paper_dilation;
extern const struct paper paper_contention;

/* The i-th entry, or NULL behind the last. */
const struct paper *paper_list (size_t i);

/* ---- for entries ---- */

struct table;

/* Citations of papers that have several entries. */
extern const char paper_bender_2005[];
extern const char paper_hori_1995[];
extern const char paper_gupta_1997[];

/* Make the directory if there is none, and see that files can be written into
 * it, before much time is spent on what goes there. NULL: nothing to do. */
int paper_open_out (const char *directory, tori_error *err);

/* Read a log, as tori_workload_read does, of which at least one job fits on
 * the machine: TORI_INVALID if none does. */
int paper_read_log (const char *path, const tori_machine *machine,
                    const tori_workload_options *options,
                    tori_workload *ret_workload, tori_error *err);

/* Do pieces of work 0 to n-1, which depend on nothing but what they read, on
 * the threads of the setup (parallel.h), and show the progress. */
int paper_do_pieces (const struct paper_setup *setup, size_t n,
                     int (*work) (void *arg, size_t piece, tori_error *err),
                     void *arg, tori_error *err);

/* Write a table as DIRECTORY/NAME.csv. */
int paper_write_csv (const char *directory, const char *name,
                     const struct table *table, tori_error *err);

/* The same of the rows of a sheet (view.h). */
struct rows;
int paper_write_rows (const char *directory, const char *name,
                      const struct sheet *sheet, const struct rows *rows,
                      tori_error *err);

/* An answer that is made of lists of rows: `sheet` describes it, its own
 * fields are in `head`, and `list` has the rows of each list of objects in
 * turn. As JSON, and as a file of CSV for each list, named as its sheet. */
struct paper_lists {
    const struct sheet *sheet;
    const void *head; /* NULL: it has none but the lists */
    const struct rows *list;
};

int paper_emit_lists (const struct paper_setup *setup,
                      const struct paper_lists *lists, FILE *out,
                      tori_error *err);
int paper_write_lists (const char *directory, const struct paper_lists *lists,
                       tori_error *err);

/* The error that figures could not be drawn, and why; the tables are there.
 * Returns -1. */
int paper_no_figures (const char *directory, const tori_error *why,
                      tori_error *err);

/* DIRECTORY/NAME.ENDING, for the caller to free; NULL without memory. */
char *paper_path (const char *directory, const char *name, const char *ending);

#endif
