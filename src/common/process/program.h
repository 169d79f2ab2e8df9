/* program.h - a child that becomes another program, as a shell would do it. */
#ifndef TORI_PROCESS_PROGRAM_H
#define TORI_PROCESS_PROGRAM_H

#include <stdbool.h>
#include <sys/types.h>

/* The exit statuses that a shell gives for a program that did not run, or was
 * ended by a signal. */
enum { NOT_RUNNABLE = 126, NOT_FOUND = 127, SIGNALLED = 128 };

/* Back to what a program may expect: a session of its own, no signal blocked
 * or ignored. It dies with its parent; a child whose parent is already gone
 * ends here. */
void program_reset (pid_t parent);

/* Make these its standard input, output and error. */
void program_files (int in, int out, int err);

/* Become the program: in a directory, unless that is NULL or "", and with the words of the caller's
 * `environ`. The lowest `files` descriptors stay open. Returns only on failure, with an error number and, in *ret_what,
 * which of the words or the directory it is about; other descriptors are then
 * still open. */
int program_become (const char *dir, char *const argv[], unsigned files,
                    const char **ret_what);

/* Whether a program that was not found is a script whose interpreter is not
 * there, and which one that is. */
enum { PROGRAM_LINE = 256 };
bool program_lacks (const char *name, char interpreter[PROGRAM_LINE]);

/* Close every descriptor from the number `first` on, but for these. */
void close_all_but (const int keep[], size_t n, int first);

#endif
