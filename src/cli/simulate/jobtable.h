/* jobtable.h - jobs of a running torid as a table for people. */
#ifndef TORI_CLI_JOBTABLE_H
#define TORI_CLI_JOBTABLE_H

#include <jansson.h>

#include "table.h"

/* Which columns a table has: those for lines that may be cut off, with a
 * letter in front; or all, and with these flags also the names of jobs in
 * another system, their queues and their arrays. */
enum job_columns {
    JOB_COLUMNS_LETTERS = 1,
    JOB_COLUMNS_ALIASES = 2,
    JOB_COLUMNS_QUEUES = 4,
    JOB_COLUMNS_ARRAYS = 8
};

/* An empty table. NULL without memory. */
struct table *job_table (unsigned columns);

/* Add a row for a job and those that follow it, `n` in all, which differ only
 * in their numbers. The letter is for JOB_COLUMNS_LETTERS. */
void job_table_add (struct table *table, unsigned columns, const json_t *job,
                    size_t n, char letter);

/* Add a cell with a text member of a job or of another row, safe for a
 * terminal. */
void job_text_cell (struct table *table, const json_t *row, const char *key);

/* How many jobs of a list, from the i-th on, share a row: jobs of one array
 * that wait for the same reason. */
size_t jobs_alike (const json_t *jobs, size_t i);

#endif
