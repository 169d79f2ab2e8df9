/* use_table.h - what users, queues or accounts of a running torid have used in
 * a time. */
#ifndef TORI_CLI_USE_TABLE_H
#define TORI_CLI_USE_TABLE_H

#include <stdio.h>

#include <jansson.h>

#include <tori/error.h>

#include "jobs.h"

/* "user", "queue", "account"; NULL past the end. */
const char *use_key (size_t i);

/* Sum up what jobs have used of the machine within a time, by a member of
 * theirs: a list, most first. NULL without memory. */
json_t *use_sum (const json_t *jobs, const char *key, struct use_span span);

/* Print the list as a table or as CSV. */
int use_print (const json_t *uses, const char *key, bool csv, FILE *out,
               tori_error *err);

#endif
