/* spec.h - a job: programs, and how many processes of each.
 *
 * A job has one stage, or several that are joined by pipes. The stages sit
 * beside each other in one partition and run at the same time; the output of
 * all processes of a stage goes into the first process of the next. In words:
 *
 *     [-n COUNT] [-t DURATION] [--OPTION [VALUE]]... [--] PROGRAM [ARGUMENT...]
 *     [| [-n COUNT] ...]
 *
 * COUNT is 1 if not given. -t, in the first stage, is when the job comes,
 * counted from the start of the run. So are options of the whole job, which
 * are in a table (spec.c).
 */
#ifndef TORI_GANGRUN_SPEC_H
#define TORI_GANGRUN_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"
#include "number.h"

/* A number of units as a multiple of `unit`: truncated, -1 below zero, and
 * limited to what fits. */
int64_t time_of (struct fraction f, int64_t unit);

struct spec_stage {
    uint32_t count;
    char **argv; /* ends in NULL */
};

struct spec {
    int64_t start; /* nanoseconds */
    char *cwd;     /* NULL: where the ranks are */
    bool input;    /* the first process reads input */
    /* options: */
    int64_t detach; /* the client does not wait for it */
    int64_t mpi; /* 1 above its mpi_kind; 0: what the program was built with */
    int64_t pin; /* each process to a core of its own */
    int64_t pty; /* a terminal: 1 above the rows, which are above 16 bits of
                    columns; 0: none */
    int64_t restart; /* how often it may begin again after the death of a
                        rank */
    int64_t shares; /* turns in a pass; 0 is 1 */
    char *output;   /* the file for its output, with %j and %r; NULL: the
                       client that waits for it */
    char **env;    /* NAME=VALUE, ends in NULL; NULL: that of the ranks */
    size_t stages;
    struct spec_stage *stage;
};

/* More than a system lets a program start with, 6 MB of words and
 * variables. */
enum { SPEC_MAX_BYTES = 8 << 20 };

/* A NULL among the words is a bar; a word "|" is a word like others.
 * TORI_INVALID for words that are not a job. */
int spec_parse (const char *const words[], size_t n, struct spec **ret_spec,
                tori_error *err);
/* For words that a shell has split: a word "|" becomes NULL. A word with
 * nothing but backslashes in front of the bar loses the first of them, so that
 * any word can be given. */
void spec_find_bars (const char *words[], size_t n);
/* A line of a job file: words as a shell splits them, with quotes and
 * backslashes; no variables and no patterns. A bar that stands by itself
 * separates programs, a quoted bar does not. */
int spec_parse_line (const char *line, struct spec **ret_spec,
                     tori_error *err);
void spec_destroy (struct spec *spec);

/* An option of the whole job, by its name; the value of a flag does not
 * matter. TORI_INVALID for an unknown name or a bad value. */
int spec_set (struct spec *spec, const char *name, const char *value,
              tori_error *err);

/* Give a job an environment, of which a copy is kept. */
int spec_set_env (struct spec *spec, char *const env[], tori_error *err);

/* All processes of all stages. */
uint32_t spec_count (const struct spec *spec);
/* The stage of the index-th process, and which one of the stage it is. */
size_t spec_stage_of (const struct spec *spec, uint32_t index,
                      uint32_t *ret_rank);
/* The index of the first process of a stage. */
uint32_t spec_first (const struct spec *spec, size_t stage);

/* To bytes and back. TORI_INVALID for bytes that are not a job. */
int spec_pack (const struct spec *spec, struct bytes *bytes, tori_error *err);
int spec_unpack (const void *data, size_t n, struct spec **ret_spec,
                 tori_error *err);

#endif
