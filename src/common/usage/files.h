/* files.h - the files that a command line names, checked before any work.
 *
 * A file that is both read and written would be lost: an output replaces the
 * file of its name. Nor can two outputs go to one file. Files are compared by
 * inode, not by name: links and other spellings of a path lead to the same
 * file. Devices and sockets do not count, because writing replaces nothing in
 * them.
 */
#ifndef TORI_USAGE_FILES_H
#define TORI_USAGE_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include <tori/error.h>

struct named_file {
    const char *label; /* the option that names it, such as --log */
    const char *path;  /* "-" is standard input or output */
    bool written;      /* otherwise read */
};

/* Whether they can be used together, and with standard output, where every
 * command writes: 0, or -1 with TORI_INVALID. */
int files_check (const struct named_file files[], size_t n, tori_error *err);

/* Whether the files to be written can be: 0, or -1 with TORI_FAILED. Nothing
 * is changed. */
int files_probe (const struct named_file files[], size_t n, tori_error *err);

/* Whether the file is in the folder itself, not further down. */
bool files_within (const char *path, const char *folder);

#endif
