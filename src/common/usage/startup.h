/* startup.h - the first and last steps of all programs: find the command,
 * print its help or the one line of an error, and check standard output, whose
 * failure is a failure like any other. */
#ifndef TORI_USAGE_STARTUP_H
#define TORI_USAGE_STARTUP_H

#include "options.h"

/* The whole of `main`: the exit status. If `speaks` returns false, a command
 * that many ranks of mpirun run prints neither help nor errors; NULL: all
 * print. */
int startup (const struct command *root, bool (*speaks) (void), int argc,
             char **argv);

/* Options of every program but `tori`, which has commands for them. Their
 * values hold a `struct about about`. */
struct about {
    bool version;
    int completion;
    const char *manuals;
};

#define OPTION_ROWS_ABOUT(values)                                         \
    {.name = "version", .kind = OPTION_FLAG,                              \
     OPTION_AT (values, about.version), .aside = true,                    \
     .help = "print the version"},                                        \
        {.name = "completion", .kind = OPTION_CHOICE,                     \
         OPTION_AT (values, about.completion), .value = "SHELL",          \
         .choices = complete_shells, .aside = true,                       \
         .help = "print a completion script for a shell"},                \
    {                                                                     \
        .name = "manuals", .kind = OPTION_STRING,                         \
        OPTION_AT (values, about.manuals), .value = "DIR",                \
        .aside = true,                                                    \
        .help = "write all manual pages below DIR"                        \
    }

/* Whether one of them was given; it has been executed, with this status. */
bool about_done (const struct about *about, const struct command *root,
                 FILE *out, int *ret_status, tori_error *err);

#endif
