/* startup.h - what all programs do first and last: find the command that was
 * typed, its help, the one line of an error, and standard output, whose
 * failure is a failure like any other. */
#ifndef TORI_USAGE_STARTUP_H
#define TORI_USAGE_STARTUP_H

#include "options.h"

/* The whole of `main`: the exit status. Where `speaks` says false, a command
 * that many ranks of mpirun run prints neither help nor errors; NULL: all
 * do. */
int startup (const struct command *root, bool (*speaks) (void), int argc,
             char **argv);

/* What every program but `tori` has among its options: tori has commands for
 * it. Their values hold a `struct about about`. */
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

/* Whether one of them was given: then it is done, with this status. */
bool about_done (const struct about *about, const struct command *root,
                 FILE *out, int *ret_status, tori_error *err);

#endif
