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
    const struct command *command; /* whose options they are */
    void *said;                    /* its values; NULL: not yet */
};

/* Whether a word names one: a file that begins with "#!", or "-", which is
 * standard input. */
bool script_is (const char *path);

/* Whether a file has lines with options as a script has them, which do not
 * count, as it does not begin with "#!". */
bool script_lacks_mark (const char *path);

/* Read one. TORI_FAILED if it cannot be read; TORI_INVALID for one that is too
 * long, not UTF-8, or has a line that cannot be split. */
int script_read (const char *path, struct script *ret_script,
                 tori_error *err);
void script_clear (struct script *script);

/* Fill what was not given in the values of a command with what its lines say.
 * What is filled in belongs to the script. */
int script_apply (struct script *script, const struct command *command,
                  void *values, tori_error *err);

#endif
