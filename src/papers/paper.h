/* paper.h - published tables and figures, computed again.
 *
 * One table of entries; an entry names a paper, computes lists of rows that a
 * sheet describes, judges each published value by them (verdicts.h), and prints
 * tables of them beside the paper's. JSON and CSV follow from the sheet. A new
 * entry is a module of the Python package (python/tori/lab/papers/).
 */
#ifndef TORI_PAPERS_PAPER_H
#define TORI_PAPERS_PAPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <tori/error.h>
#include <tori/workload.h>

#include "emit.h"
#include "verdicts.h"
#include "view.h"

/* The options that an entry takes beside those of all entries. An entry
 * without random numbers or parallel work ignores `seed` and `workers`. */
enum paper_takes {
    PAPER_TRACES = 1,
    PAPER_MODEL = 2,
    PAPER_LIMIT = 4,
    PAPER_SEEDS = 8,
    PAPER_SERVICE = 16,
    PAPER_JOBS = 32
};

/* How an entry is to be run. */
struct paper_setup {
    const char *out;    /* directory for CSV and figures; NULL: none */
    const char *model;  /* also run this model of a workload; NULL: none */
    const char *service; /* the distribution of service times (see
                            tori_workload_model); NULL: exponential */
    size_t limit;       /* how many jobs of each log; 0: all */
    size_t jobs;        /* of a small set, up to 16; 0: as usual */
    bool quick;         /* --quick, for entries that no limit suits */
    uint64_t seed;      /* fixes what is random */
    size_t seeds;       /* repetitions, from `seed` on, 2 to 20; 0: all */
    unsigned workers;   /* threads; 0: one per processor */
    bool json;
    const struct answer *answer; /* what JSON begins with (emit.h); NULL: it
                                    is a member of another answer */
    bool bold; /* the output is a terminal */

    /* Called now and then, never by two threads at a time. May be NULL. */
    void (*on_progress) (void *arg, size_t done, size_t total);
    void *arg;
};

struct paper_run;

struct paper {
    const char *name;
    const char *citation; /* "A. Author, B. Author: Title. YEAR" */
    const char *what;     /* its subject, one line */
    unsigned takes; /* enum paper_takes */

    /* Options for a run of less than a minute; 0: as if not given. */
    struct {
        size_t limit, seeds;
    } quick;

    const struct sheet *answer; /* the fields of its JSON (sheet.h) */
    size_t size; /* of its study */

    /* Compute the study, and set the rows of every list of the answer. */
    int (*compute) (struct paper_run *run, tori_error *err);

    void (*judge) (struct paper_run *run); /* its verdicts (verdicts.h);
                                              every entry has some */
    void (*print) (struct paper_run *run); /* its page for people */

    /* Whether the results can be trusted; NULL: always. */
    int (*check) (const struct paper_run *run, tori_error *err);
    void (*clear) (void *study); /* frees the members of the study; NULL:
                                    none */
};

/* Print an entry to `out`, as text or JSON; with a directory, also write each
 * list of its answer as CSV, named as its sheet. */
int paper_do (const struct paper *paper, const struct paper_setup *setup,
              FILE *out, tori_error *err);

extern const struct paper paper_rfold;

/* For paper rfold: first fit, rotation by rotation. */
extern const tori_alloc_ops rfold_first_fit;

/* The i-th entry, NULL past the end (papers.c). */
const struct paper *paper_list (size_t i);

/* ---- for entries ---- */

enum { PAPER_LISTS = 6 };

/* An entry under way. It keeps the first error of printing, so the calls need
 * no checks. */
struct paper_run {
    const struct paper *paper;
    const struct paper_setup *setup;
    void *study; /* `size` bytes, zero at first; the answer's own fields too */

    /* The rows of each list of objects of the answer, in turn. */
    struct rows list[PAPER_LISTS];
    void *owned[PAPER_LISTS];
    struct verdicts verdicts;

    FILE *out;
    tori_error *err;
    int status;
};

/* Citations of papers that have several entries. */
extern const char paper_kang_2003[];

/* A struct estimate as two fields: the mean, with what follows the name and
 * the place of any field, and half of its interval. */
#define ESTIMATE(name, type, member, ...)                                     \
    {name, FIELD_REAL, FIELD_AT (type, member.mean), __VA_ARGS__},            \
    {                                                                         \
        name "_half", FIELD_REAL, FIELD_AT (type, member.half),               \
            "half of its 95 % interval"                                       \
    }

/* Room for n rows of a list, zero at first, kept as long as the run. NULL
 * without memory. */
void *paper_rows (struct paper_run *run, size_t list, size_t n, size_t size,
                  tori_error *err);

/* Do pieces of work 0 to n-1, which depend only on their input, on the threads
 * of the setup (parallel.h), and show the progress. */
int paper_do_pieces (const struct paper_setup *setup, size_t n,
                     int (*work) (void *arg, size_t piece, tori_error *err),
                     void *arg, tori_error *err);

/* A paragraph; newlines at its beginning and end stay. */
void paper_say (struct paper_run *run, const char *fmt, ...)
    __attribute__ ((format (printf, 2, 3)));

/* A list as a table: all of it, or the part that a view or pivot picks; with
 * some of its rows, or all if `part` is NULL. */
void paper_table (struct paper_run *run, size_t list);
void paper_view (struct paper_run *run, size_t list, const struct rows *part,
                 const struct view *view);
void paper_pivot (struct paper_run *run, size_t list, const struct rows *part,
                  const struct pivot *pivot);

#endif
