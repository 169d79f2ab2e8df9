#include "choice.h"

#include <stdio.h>
#include <string.h>

int choice_find (const char *what, name_fn *name, const char *text,
                 size_t *ret_which, tori_error *err)
{
    for (size_t i = 0; name (i); i++)
        if (strcmp (name (i), text) == 0) {
            *ret_which = i;
            return 0;
        }
    tori_error_set (err, TORI_INVALID, "unknown %s '%.60s': expected ", what,
                    text);
    return choice_list (name, " or ", err);
}

/* As long as names follow, room is kept to say that they do. */
int choice_list (name_fn *name, const char *last, tori_error *err)
{
    static const char more[] = "...";
    size_t at = err ? strlen (err->text) : 0;
    const char *text = err ? name (0) : NULL;
    for (size_t i = 1; text; i++) {
        const char *next = name (i);
        const char *behind = !next ? "" : name (i + 1) ? ", " : last;
        size_t room = sizeof err->text - at;
        size_t need = next ? sizeof more : 1;
        if (strlen (text) + strlen (behind) + need > room) {
            text = more;
            next = NULL;
            behind = "";
        }
        snprintf (err->text + at, room, "%s%s", text, behind);
        at += strlen (err->text + at);
        text = next;
    }
    return -1;
}
