/* tail.h - read what is in a file that may still grow. */
#ifndef TORI_CLI_TAIL_H
#define TORI_CLI_TAIL_H

#include <stdbool.h>
#include <stdio.h>

#include <tori/error.h>

/* A file, and where its text goes. */
struct tail {
    char *path; /* NULL: there is none */
    int fd;     /* -1: not opened yet */
    FILE *to;
    bool moved; /* there was something to read */
};

/* Pass on what there is now, behind what was passed on before. A file that is
 * not there may come, unless who writes it has ended. */
int tail_drain (struct tail *tail, bool ended, tori_error *err);

/* Close it, and free its path. */
void tail_clear (struct tail *tail);

#endif
