/* wrap.h - text in lines of a page's width. */
#ifndef TORI_BASE_WRAP_H
#define TORI_BASE_WRAP_H

#include <stddef.h>
#include <stdio.h>

enum { PAGE_WIDTH = 79 };

/* Print words so that no line passes PAGE_WIDTH, and end the line; later lines
 * start at `indent`. `column` is where the first word goes. */
void wrap_text (FILE *out, const char *text, size_t column, size_t indent);

#endif
