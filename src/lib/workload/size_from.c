#include "size_from.h"

#include <stdio.h>
#include <string.h>

#include "number.h"

int size_from_parse (const char *text, struct size_from *ret_from,
                     tori_error *err)
{
    size_t n = strcspn (text, ":");
    const char *pattern = text[n] ? text + n + 1 : "";
    const char *mark = strchr (pattern, '#');
    if (n == 0 || n >= sizeof ret_from->field
        || strlen (pattern) >= sizeof ret_from->pattern
        || (text[n] && (!mark || strchr (mark + 1, '#'))))
        return tori_error_set (err, TORI_INVALID,
                               "size from '%.60s': expected FIELD or "
                               "FIELD:PATTERN with one # for the number, such "
                               "as 21, last::#x or cores",
                               text);
    snprintf (ret_from->field, sizeof ret_from->field, "%.*s", (int)n, text);
    snprintf (ret_from->pattern, sizeof ret_from->pattern, "%s", pattern);
    return 0;
}

int64_t size_from_number (const struct size_from *from)
{
    const char *at = from->field;
    uint64_t number;
    if (strcmp (from->field, "last") == 0)
        return 0;
    return number_scan (&at, 10000, &number) && !*at && number > 0
               ? (int64_t)number
               : -1;
}

/* The number at `text`, if `after` follows it. */
static bool read_number (const char *text, const char *end, const char *after,
                         int64_t *ret_size)
{
    uint64_t value = 0;
    const char *at = text;
    for (; at < end && *at >= '0' && *at <= '9'; at++)
        if (__builtin_mul_overflow (value, 10, &value)
            || __builtin_add_overflow (value, (unsigned)(*at - '0'), &value)
            || value > INT64_MAX)
            return false;
    if (at == text || (size_t)(end - at) < strlen (after)
        || strncmp (at, after, strlen (after)) != 0)
        return false;
    *ret_size = (int64_t)value;
    return true;
}

bool size_from_read (const struct size_from *from, const char *text,
                     size_t length, int64_t *ret_size)
{
    const char *end = text + length;
    const char *mark = strchr (from->pattern, '#');
    size_t before = mark ? (size_t)(mark - from->pattern) : 0;
    int64_t size;
    if (!mark) {
        bool whole = read_number (text, end, "", &size)
                     && strspn (text, "0123456789") >= length;
        if (whole)
            *ret_size = size;
        return whole;
    }
    for (const char *at = text; (size_t)(end - at) > before; at++)
        if (strncmp (at, from->pattern, before) == 0
            && !(before == 0 && at > text && at[-1] >= '0' && at[-1] <= '9')
            && read_number (at + before, end, mark + 1, ret_size))
            return true;
    return false;
}
