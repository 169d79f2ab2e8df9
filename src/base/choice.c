#include "choice.h"

#include <stdio.h>
#include <string.h>

int choice_find (const char *what, name_fn *name, const char *text,
                size_t *ret_which, tori_error *err)
{
    char known[TORI_ERROR_TEXT];
    for (size_t i = 0; name (i); i++)
        if (strcmp (name (i), text) == 0) {
            *ret_which = i;
            return 0;
        }
    choice_join (name, " or ", known, sizeof known);
    return tori_error_set (err, TORI_INVALID,
                           "unknown %s '%.60s': expected %s", what, text,
                           known);
}

void choice_join (name_fn *name, const char *last, char *text, size_t size)
{
    size_t at = 0;
    text[0] = '\0';
    for (size_t i = 0; name (i) && at < size; i++) {
        const char *between = name (i + 1) ? ", " : last;
        at += (size_t)snprintf (text + at, size - at, "%s%s",
                                i ? between : "", name (i));
    }
}
