/* script.h - a batch script: a program with lines that hold options.
 *
 *     #!/bin/sh
 *     #TORI --shape 4x4x2 --time 1:00:00
 *     #TORI --output "log of today"
 *     ./program
 *
 * Such lines stand among the comments and empty lines at the beginning. They
 * are split into words as a shell does it.
 */
#ifndef TORI_CLI_SCRIPT_H
#define TORI_CLI_SCRIPT_H

#include "options.h"
#include "words.h"

struct script {
    const char *path;
    char *text;
    struct script_line {
        size_t number; /* from 1 */
        struct wordlist words;
    } *line;
    size_t lines;
    const struct command *command; /* the command whose options they are */
    void *said;                    /* its values; NULL: not parsed yet */
};

/* Whether a word names a script: a file that begins with "#!", or "-", which
 * is standard input. */
bool script_is (const char *path);

/* Whether a file has lines with options that do not count, because the file
 * does not begin with "#!". */
bool script_lacks_mark (const char *path);

/* Read a script. TORI_FAILED if it cannot be read; TORI_INVALID if it is too
 * long, not UTF-8, or has a line that cannot be split. */
int script_read (const char *path, struct script *ret_script,
                 tori_error *err);
void script_clear (struct script *script);

/* Set values of a command that were not given from the lines of the script.
 * These values belong to the script. */
int script_apply (struct script *script, const struct command *command,
                  void *values, tori_error *err);

#endif
