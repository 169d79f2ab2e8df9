/* terminal.h - what only people see: bold headings and progress. */
#ifndef TORI_CLI_TERMINAL_H
#define TORI_CLI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

/* Whether standard output is a terminal that may be given bold text:
 * NO_COLOR is unset or empty and TERM is not dumb. */
bool terminal_bold (void);

/* Whether an output that may have been named (or is NULL) is standard output.
 */
bool is_stdout (const char *path);

/* How wide the terminal on standard output is; 79 if it is none. */
unsigned terminal_columns (void);

/* A bar on standard error, if that is a terminal, and nothing otherwise. */
struct progress {
    bool shown; /* is a terminal */
    bool drawn; /* there is something to erase */
    struct timespec begin;
    struct timespec last;
};

void progress_begin (struct progress *progress);

/* Draw it again, if the last time is a while ago. `unit` is what is counted,
 * such as "jobs". */
void progress_update (struct progress *progress, size_t done, size_t total,
                      const char *unit);

/* Erase it. */
void progress_end (struct progress *progress);

/* Seconds between two times of the monotonic clock. */
double seconds_between (const struct timespec *from,
                        const struct timespec *to);

#endif
