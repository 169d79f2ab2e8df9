/* plan_answer.h - what `tori plan contention` and `tori plan preemptive` have
 * in common: the course of the command, its table for people, and the answer
 * if no plan can ever exist. */
#ifndef TORI_CLI_PLAN_ANSWER_H
#define TORI_CLI_PLAN_ANSWER_H

#include <stdio.h>

#include <tori/error.h>

#include "options.h"
#include "pictures.h"
#include "sheet.h"
#include "table.h"

/* Why no plan can ever exist, and the fields of an answer that has this. */
struct plan_never {
    const char *reason; /* NULL: a plan may exist */
    tori_error why;
};
extern const struct sheet plan_never_sheet;

/* A command, and the question that it answers. */
struct plan_command {
    const struct command *command;
    const void *values;
    const struct pictures *pictures;
    bool json;
    void *question;           /* the row of the command's answer */
    struct plan_never *never; /* of the question */

    /* Returns the exit status, not 0 if there is no plan, or -1. */
    int (*solve) (void *question, tori_error *err);
    int (*print) (const void *question, FILE *out, tori_error *err);
    int (*draw) (const void *question, FILE *out, tori_error *err);
};

/* Solve the question and answer it as JSON, table or picture. Returns the exit
 * status, or -1. */
int plan_run (const struct plan_command *plan, FILE *out, tori_error *err);

/* How many of n rows are shown: at most a thousand. */
size_t plan_rows_shown (size_t n);

/* Print the table, which has the shown rows of `n`, destroy it, and print how
 * many rows are left out. */
int plan_rows_print (struct table *table, size_t n, FILE *out,
                     tori_error *err);

#endif
