#include "torid.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

tori_time torid_now (void)
{
    struct timespec t;
    clock_gettime (CLOCK_REALTIME, &t);
    return (tori_time)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

void torid_log (const char *level, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start (args, fmt);
    vsnprintf (text, sizeof text, fmt, args);
    va_end (args);
    fprintf (stderr, "torid: level=%s message=\"%s\"\n", level, text);
}

void torid_stir (struct torid *torid)
{
    torid->stirred = true;
}
