/* planrows.h - a plan as a table for people, and a summary below. */
#ifndef TORI_CLI_PLANROWS_H
#define TORI_CLI_PLANROWS_H

#include <stdio.h>

#include <tori/error.h>

#include "table.h"

/* How many of n rows are shown: at most a thousand. */
size_t planrows_shown (size_t n);

/* Print the table, which has the shown rows of `n`, destroy it, and print how
 * many rows are left out. Then print the summary, unless printing the table
 * failed. */
int planrows_print (struct table *table, size_t n,
                    void (*summary) (const void *arg, FILE *out),
                    const void *arg, FILE *out, tori_error *err);

#endif
