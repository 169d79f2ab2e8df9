/* choice.h - one of a table of names, in what people and files say. */
#ifndef TORI_BASE_CHOICE_H
#define TORI_BASE_CHOICE_H

#include <stddef.h>

#include <tori/error.h>

/* The i-th name, or NULL behind the last. */
typedef const char *name_fn (size_t i);

/* Which of the names a text is, or TORI_INVALID with "unknown WHAT 'TEXT':
 * expected A, B or C". */
int choice_find (const char *what, name_fn *name, const char *text,
                size_t *ret_which, tori_error *err);

/* All of them with commas between them, `last` before the last, cut to fit
 * into `size` bytes. */
void choice_join (name_fn *name, const char *last, char *text, size_t size);

#endif
