/* manuals.h - manual pages as files. */
#ifndef TORI_USAGE_MANUALS_H
#define TORI_USAGE_MANUALS_H

#include "options.h"
#include "page.h"

struct outfile;

/* Begin DIR/manSECTION/NAME.SECTION, with "-" for the blanks of the name; and
 * end it. */
int manual_begin (const char *dir, const char *name, int section,
                  struct outfile **ret_file, tori_error *err);

/* The pages of a command and all below. */
int manuals_write (const struct command *root, const char *dir,
                   tori_error *err);

#endif
