#include "ranking.h"

#include <stdio.h>

void rank (const double value[], size_t n, size_t ranking[])
{
    for (size_t i = 0; i < n; i++) {
        size_t at = i;
        for (; at > 0 && value[i] < value[ranking[at - 1]]; at--)
            ranking[at] = ranking[at - 1];
        ranking[at] = i;
    }
}

void rank_text (const char *const names[], const size_t ranking[], size_t n,
                char *text, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < n && used < size; i++)
        used += (size_t)snprintf (text + used, size - used, "%s%s",
                                  i ? ", " : "", names[ranking[i]]);
}
