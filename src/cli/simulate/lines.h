/* lines.h - small text files, a line at a time.
 *
 *     struct lines *lines;
 *     char *text;
 *     if (lines_open (path, &lines, err) < 0)
 *         return -1;
 *     while ((more = lines_next (lines, &text, err)) > 0)
 *         ...
 *     lines_close (lines);
 *
 * For files that people write: "#" starts a comment, blank lines do not
 * count, lines may end as they do on Windows. Compressed files are read as
 * they are; "-" is standard input.
 */
#ifndef TORI_CLI_LINES_H
#define TORI_CLI_LINES_H

#include <stddef.h>

#include <tori/error.h>

enum { LINES_LONGEST = 64 * 1024 };

struct lines;

/* TORI_FAILED if it cannot be opened or is a directory. */
int lines_open (const char *path, struct lines **ret_lines, tori_error *err);
void lines_close (struct lines *lines);

/* The next line that says something, without its comment and the blanks
 * around it; it may be changed, until the next call. 1 if there was one, 0 at
 * the end, -1 on an error: TORI_INVALID for a line that is too long or holds
 * a zero byte and for damaged or cut compressed data, TORI_FAILED for I/O. */
int lines_next (struct lines *lines, char **ret_text, tori_error *err);

/* The number of the line last read, from 1. */
size_t lines_number (const struct lines *lines);

/* Put "FILE:LINE: " in front of the text of an error. Returns -1. */
int lines_error (const struct lines *lines, tori_error *err);

#endif
