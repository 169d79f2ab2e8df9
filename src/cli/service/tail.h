/* tail.h - read a file that may still grow. */
#ifndef TORI_CLI_TAIL_H
#define TORI_CLI_TAIL_H

#include <stdbool.h>
#include <stdio.h>

#include <tori/error.h>

/* A file, and the stream to which its text is copied. */
struct tail {
    char *path; /* NULL: no file */
    int fd;     /* -1: not opened yet */
    FILE *to;
    bool moved; /* there was something to read */
};

/* Copy what the file has beyond what was copied before. A file that does not
 * exist may appear later, unless its writer has ended. */
int tail_drain (struct tail *tail, bool ended, tori_error *err);

/* Close it, and free its path. */
void tail_clear (struct tail *tail);

#endif
