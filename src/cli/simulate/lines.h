/* lines.h - small text files, a line at a time.
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

/* Handle a line that is not empty, without its comment and the blanks around
 * it; the text may be changed. Lines are counted from 1. */
typedef int line_fn (void *arg, char *text, size_t line, tori_error *err);

/* Visit every such line until an error, which then begins with "FILE:LINE: ".
 * TORI_INVALID for a line that is too long or holds a zero byte and for damaged
 * or cut compressed data, TORI_FAILED for I/O and if the file cannot be opened
 * or is a directory. */
int lines_each (const char *path, line_fn *visit, void *arg, tori_error *err);

#endif
