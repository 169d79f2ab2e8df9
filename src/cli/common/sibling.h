/* sibling.h - programs in the same directory as this one, and modules of the
 * Python package that belongs to it. */
#ifndef TORI_CLI_SIBLING_H
#define TORI_CLI_SIBLING_H

#include <limits.h>
#include <stdio.h>
#include <sys/types.h>

#include <tori/error.h>

/* The path of a program. */
int sibling_path (const char *name, char ret_path[PATH_MAX], tori_error *err);

/* Execute a program. The words end with NULL; the first is set here. Returns
 * only on failure, -1; `lacking` says why the program may be missing. */
int sibling_become (const char *name, char *words[], const char *lacking,
                    tori_error *err);

/* Execute a module of the package, as `python3 -P -m MODULE` does, with the
 * words from PACKAGE_WORDS on; those before are set here. In a build, it is the package
 * that was built with this program; otherwise, the installed one. */
enum { PACKAGE_WORDS = 5 };
int package_become (char *module, char *words[], tori_error *err);

/* The output of a program that is called with one word, or of a module. -1 if
 * it cannot be started. */
struct sibling {
    FILE *out;
    pid_t pid;
};
int sibling_open (struct sibling *sibling, const char *name, char *word);
int package_open (struct sibling *sibling, char *module, char *words[]);
void sibling_close (struct sibling *sibling);

#endif
