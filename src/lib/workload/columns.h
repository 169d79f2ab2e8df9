/* columns.h - a log that is a table: a line that names the columns, then one
 * job per line.
 *
 * Columns are separated by bars, as `sacct --parsable2` prints them, or by
 * commas, semicolons or tabs; these may be quoted (RFC 4180). The name of a
 * column says what it is; case, blanks, dashes and underscores do not matter.
 * If several columns are for one thing, the one that comes first in columns.c
 * counts.
 */
#ifndef TORI_WORKLOAD_COLUMNS_H
#define TORI_WORKLOAD_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include <tori/error.h>

struct cutter;

enum role {
    ROLE_ID,
    ROLE_SUBMIT,
    ROLE_START,
    ROLE_END,
    ROLE_RUNTIME,
    ROLE_ESTIMATE,
    ROLE_MINUTES, /* an estimate */
    ROLE_NODES,
    ROLE_PROCS,
    ROLE_SHAPE,
    ROLE_WIRING,
    ROLE_STATE,
    ROLE_USER, /* the others as in tori_work_owner */
    ROLE_GROUP,
    ROLE_APP,
    ROLE_QUEUE,
    ROLE_PARTITION,
    ROLES
};

enum { ROLE_OWNERS = ROLES - ROLE_USER, ROLE_NAMES = 12 };

struct columns {
    struct cutter *lines;
    char separator;
    bool slurm;    /* jobs are as Slurm numbers them */
    char *names;   /* the line that the names were cut from */
    char **name;   /* of every column */
    char **field;  /* of a row */
    size_t n;
    size_t at[ROLES][ROLE_NAMES]; /* columns + 1, best first; 0 ends them */
    bool sized;    /* sizes come from a column that the caller knows */
    bool strict;   /* a column of any other name is refused, but not Slurm's;
                    * `nan` and `null` are values */
};

/* Whether a line begins a table, and is not a record of a log. */
bool columns_begin (const char *line);

/* Read the names of the line last cut. Columns are zero except `strict`.
 * TORI_INVALID with "FILE:LINE: what is wrong", also if a time, a run time or
 * a size is missing. Close them in any case. */
int columns_open (struct columns *columns, struct cutter *lines,
                  tori_error *err);
void columns_close (struct columns *columns);

/* The next row: 1, 0 at the end, -1. */
int columns_next (struct columns *columns, tori_error *err);

/* Whether there is a column for this; and its text, NULL if that is not known.
 */
bool columns_has (const struct columns *columns, enum role role);
const char *columns_text (const struct columns *columns, enum role role);

/* Fail because of the value of columns_text: "FILE:LINE: NAME: why". */
int columns_blame (const struct columns *columns, enum role role,
                   const tori_error *why, tori_error *err);

/* The same: "FILE:LINE: NAME: expected this,
 * found 'that'". */
int columns_fail (const struct columns *columns, enum role role,
                  const char *expected, tori_error *err);

#endif
