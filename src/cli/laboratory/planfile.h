/* planfile.h - a plan as `tori plan ... --json` prints it, read back. */
#ifndef TORI_CLI_PLANFILE_H
#define TORI_CLI_PLANFILE_H

#include <jansson.h>
#include <stdint.h>

#include <tori/exact.h>
#include <tori/machine.h>

#include "longlist.h"

enum { PLANFILE_LISTS = 2 };

struct planfile {
    char *name;   /* of the file, for messages */
    char *text;   /* all of it */
    size_t size;
    json_t *root; /* all but the items of: */
    struct longlist list[PLANFILE_LISTS]; /* jobs, and segments if any */
    const char *kind; /* "contention", "preemptive" */
    tori_machine *machine;
};

/* Read a file: TORI_INVALID with FILE:LINE if it is not JSON, with FILE if it
 * is no plan. The items of its lists are not looked at yet. */
int planfile_read (const char *path, struct planfile *ret_file,
                   tori_error *err);
void planfile_clear (struct planfile *file);

/* Whether the lists are JSON: TORI_INVALID with FILE:LINE if they are not. To
 * be asked before any other fault of the plan is said. */
int planfile_verify (const struct planfile *file, tori_error *err);

/* The list of that name, which must not be empty, for longlist_next. */
int planfile_list (const struct planfile *file, const char *key,
                   struct longlist *ret_list, tori_error *err);

/* Members of an object, which `where` names in messages, as in "job 3".
 * TORI_INVALID if it is missing or not what it should be. */
int field_count (const json_t *object, const char *where, const char *key,
                 uint64_t max, uint64_t *ret_count, tori_error *err);
int field_real (const json_t *object, const char *where, const char *key,
                double *ret_value, tori_error *err);

/* The text KEY_exact; the number KEY beside it must be the same, rounded. */
int field_exact (const json_t *object, const char *where, const char *key,
                 tori_exact *ret_number, tori_error *err);

/* A list of as many counts as the machine has dimensions. */
int field_coords (const json_t *object, const char *where, const char *key,
                  int ndims, uint32_t ret_coords[], tori_error *err);

/* "WHAT I", for messages; i counts from 0, I from 1. */
enum { WHERE_TEXT = 48 };
void where_text (char text[WHERE_TEXT], const char *what, size_t i);

#endif
