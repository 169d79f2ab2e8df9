/* choice.h - find a name that people or files give in a table of names. */
#ifndef TORI_BASE_CHOICE_H
#define TORI_BASE_CHOICE_H

#include <stddef.h>

#include <tori/error.h>

/* The i-th name, or NULL past the end. */
typedef const char *name_fn (size_t i);

/* Which of the names a text is, or TORI_INVALID with "unknown WHAT 'TEXT':
 * expected A, B or C". */
int choice_find (const char *what, name_fn *name, const char *text,
                 size_t *ret_which, tori_error *err);

/* Add the names to the text of an error, commas between them and `last` before
 * the last, as many as there is room for: if that is not all, "..." stands for
 * the others. Returns -1. */
int choice_list (name_fn *name, const char *last, tori_error *err);

#endif
