#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "syserror.h"

/* Errors quote what people and files gave us. One line is promised, and a
 * terminal should not obey what is in it. */
static void make_printable (char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = '?';
}

int tori_error_set (tori_error *err, tori_status status, const char *fmt, ...)
{
    if (err) {
        va_list ap;
        err->status = status;
        va_start (ap, fmt);
        vsnprintf (err->text, sizeof err->text, fmt, ap);
        va_end (ap);
        make_printable (err->text);
    }
    return -1;
}

int tori_error_nomem (tori_error *err)
{
    return tori_error_set (err, TORI_FAILED, "out of memory");
}

/* A long path leaves room for the reason. */
int system_error (const char *what, int error, tori_error *err)
{
    return tori_error_set (err, TORI_FAILED, "%.400s: %s", what,
                           strerror (error));
}
