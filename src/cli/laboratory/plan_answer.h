/* plan_answer.h - what `tori plan contention` and `tori plan preemptive` have
 * in common: the course of the command, its table for people, and the answer
 * if no plan can ever exist. */
#ifndef TORI_CLI_PLAN_ANSWER_H
#define TORI_CLI_PLAN_ANSWER_H

#include <stdio.h>

#include <tori/error.h>

#include "options.h"
#include "pictures.h"
#include "planjobs.h"
#include "sheet.h"
#include "table.h"

/* Why no plan can ever exist, and the fields of an answer that has this. */
struct plan_never {
    const char *reason; /* NULL: a plan may exist */
    tori_error why;
};
extern const struct sheet plan_never_sheet;

/* A question, which is the row of the command's answer, begins with this. */
struct plan_question {
    const void *values;
    const struct pictures *pictures;
    bool json;
    tori_machine *machine;
    struct planjobs file;
    struct plan_never never;
};

/* Whether no plan can ever exist, and whether one may. */
field_when_fn plan_is_never, plan_may_be;

struct plan_command {
    const struct command *command;

    /* Returns the exit status, not 0 if there is no plan, or -1. */
    int (*solve) (void *question, tori_error *err);
    int (*print) (const void *question, FILE *out, tori_error *err);
    int (*draw) (const void *question, FILE *out, tori_error *err);
    void (*clear) (void *question); /* its own part */
};

/* Solve the question, answer it as JSON, table or picture, and clear it.
 * Returns the exit status, or -1. */
int plan_run (const struct plan_command *plan, struct plan_question *question,
              FILE *out, tori_error *err);

/* How many of n rows are shown: at most a thousand. */
size_t plan_rows_shown (size_t n);

/* Print the table, which has the shown rows of `n`, destroy it, and print how
 * many rows are left out. */
int plan_rows_print (struct table *table, size_t n, FILE *out,
                     tori_error *err);

#endif
