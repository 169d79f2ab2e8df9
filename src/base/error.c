#include <stdarg.h>
#include <stdio.h>

#include <tori/error.h>

int tori_error_set (tori_error *err, tori_status status, const char *fmt, ...)
{
    if (err) {
        va_list ap;
        err->status = status;
        va_start (ap, fmt);
        vsnprintf (err->text, sizeof err->text, fmt, ap);
        va_end (ap);
    }
    return -1;
}

int tori_error_nomem (tori_error *err)
{
    return tori_error_set (err, TORI_FAILED, "out of memory");
}
