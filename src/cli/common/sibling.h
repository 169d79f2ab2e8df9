/* sibling.h - programs in the same directory as this one. */
#ifndef TORI_CLI_SIBLING_H
#define TORI_CLI_SIBLING_H

#include <stdio.h>
#include <sys/types.h>

#include <tori/error.h>

/* Execute a program. The words end with NULL; the first is set here. Returns
 * only on failure, -1; `lacking` says why the program may be missing. */
int sibling_become (const char *name, char *words[], const char *lacking,
                    tori_error *err);

/* The output of a program that is called with one word. -1 if it cannot be
 * started. */
struct sibling {
    FILE *out;
    pid_t pid;
};
int sibling_open (struct sibling *sibling, const char *name, char *word);
void sibling_close (struct sibling *sibling);

#endif
