/* jobtable.h - jobs of a running torid as a table for people. */
#ifndef TORI_CLI_JOBTABLE_H
#define TORI_CLI_JOBTABLE_H

#include <jansson.h>

#include "table.h"

/* How a table looks: for lines that may be cut off, with a column for a letter
 * in front; or with one for what another system calls a job. */
enum job_table_kind { JOB_TABLE_PLAIN, JOB_TABLE_LETTERS, JOB_TABLE_ALIASES };

/* An empty table. NULL without memory. */
struct table *job_table (enum job_table_kind kind);

/* A row for a job, and for those that follow it, `n` in all: they differ in
 * their numbers only. The letter is for the table that has such. */
void job_table_add (struct table *table, enum job_table_kind kind,
                    const json_t *job, size_t n, char letter);

/* How many of a list of jobs, from the i-th on, are such: those of an array
 * that wait for the same reason. */
size_t jobs_alike (const json_t *jobs, size_t i);

#endif
