#include "position.h"

#include <stdio.h>

int refuse_at (const char *path, size_t line, const tori_error *why,
               tori_error *err)
{
    char text[256], number[32] = "";
    snprintf (text, sizeof text, "%.255s", why->text);
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = '?';
    if (line > 0)
        snprintf (number, sizeof number, ":%zu", line);
    return tori_error_set (err, why->status, "%.200s%s: %s", path, number,
                           text);
}
