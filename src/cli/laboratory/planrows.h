/* planrows.h - a plan as a table for people, and a summary below. */
#ifndef TORI_CLI_PLANROWS_H
#define TORI_CLI_PLANROWS_H

#include <stdio.h>

#include <tori/error.h>

#include "table.h"

/* How many of n rows are shown: nobody reads more than a thousand. */
size_t planrows_shown (size_t n);

/* Print the table that has the first of `n` rows, destroy it, and say how many
 * are left out. Then the summary, which is not printed below half a table. */
int planrows_print (struct table *table, size_t n,
                    void (*summary) (const void *arg, FILE *out),
                    const void *arg, FILE *out, tori_error *err);

#endif
