/* jobtable.h - jobs of a running torid as a table for people. */
#ifndef TORI_CLI_JOBTABLE_H
#define TORI_CLI_JOBTABLE_H

#include <jansson.h>

#include "table.h"

/* An empty table; with a column for a letter in front, and for lines that may
 * be cut off, if so wished. NULL without memory. */
struct table *job_table (bool lettered);

/* A row for a job, and for those that follow it, `n` in all: they differ in
 * their numbers only. 0: there is no letter. */
void job_table_add (struct table *table, const json_t *job, size_t n,
                    char letter);

/* How many of a list of jobs, from the i-th on, are such: those of an array
 * that wait for the same reason. */
size_t jobs_alike (const json_t *jobs, size_t i);

#endif
