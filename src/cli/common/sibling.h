/* sibling.h - programs that are where this one is. */
#ifndef TORI_CLI_SIBLING_H
#define TORI_CLI_SIBLING_H

#include <stdio.h>
#include <sys/types.h>

#include <tori/error.h>

/* Become a program. The words end with NULL; the first is set here. Returns
 * only on failure, -1; `lacking` says why there may be no such program. */
int sibling_become (const char *name, char *words[], const char *lacking,
                    tori_error *err);

/* What a program prints when it is called with one word. -1 if it cannot be
 * started. */
struct sibling {
    FILE *out;
    pid_t pid;
};
int sibling_open (struct sibling *sibling, const char *name, char *word);
void sibling_close (struct sibling *sibling);

#endif
