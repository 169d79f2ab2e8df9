/* size_from.h - where a log has the sizes of its jobs, if not in the usual
 * fields: tori_workload_options. */
#ifndef TORI_WORKLOAD_SIZE_FROM_H
#define TORI_WORKLOAD_SIZE_FROM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tori/error.h>

struct size_from {
    char field[64];    /* a column's name, or a number from 1 on, or "last" */
    char pattern[128]; /* with a # for the number; "": the whole field */
};

/* "21", "last::#x" or "cores". TORI_INVALID for anything else. */
int size_from_parse (const char *text, struct size_from *ret_from,
                     tori_error *err);

/* The number of a field, from 1 on; 0 for the last one; -1 if it is a name. */
int64_t size_from_number (const struct size_from *from);

/* Read the number in a field. False if there is none. */
bool size_from_read (const struct size_from *from, const char *text,
                     size_t length, int64_t *ret_size);

#endif
