#include "number.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include <tori/exact.h>

bool number_scan (const char **text, uint64_t max, uint64_t *ret_value)
{
    const char *p = *text;
    uint64_t value = 0;
    if (!isdigit ((unsigned char)*p))
        return false;
    for (; isdigit ((unsigned char)*p); p++) {
        unsigned digit = (unsigned)(*p - '0');
        if (digit > max || value > (max - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *text = p;
    *ret_value = value;
    return true;
}

int number_parse (const char *text, const char *what, int64_t min,
                  int64_t max, int64_t *ret_value, tori_error *err)
{
    const char *p = text;
    bool negative = *p == '-';
    uint64_t magnitude;
    int64_t value;
    if (*p == '-' || *p == '+')
        p++;
    if (!number_scan (&p, (uint64_t)INT64_MAX + negative, &magnitude) || *p)
        goto bad;
    value = (int64_t)(negative ? 0 - magnitude : magnitude);
    if (value < min || value > max)
        goto bad;
    *ret_value = value;
    return 0;
bad:
    return tori_error_set (err, TORI_INVALID,
                           "%s: '%.60s' is not a whole number from %" PRId64
                           " to %" PRId64,
                           what, text, min, max);
}

/* The digits after a decimal point, appended to *num. Zeros at their end
 * add nothing, so however many of them fit. */
static bool scan_decimals (const char **text, uint64_t *num, uint64_t *den)
{
    const char *p = *text, *end = p + strspn (p, "0123456789"), *last = end;
    if (p == end)
        return false;
    while (last > p && last[-1] == '0')
        last--;
    for (; p < last; p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        if (*den > INT64_MAX / 10 || *num > ((uint64_t)INT64_MAX - digit) / 10)
            return false;
        *num = *num * 10 + digit;
        *den *= 10;
    }
    *text = end;
    return true;
}

int fraction_parse (const char *text, const char *what,
                    struct fraction *ret_fraction, tori_error *err)
{
    const char *p = text;
    bool negative = *p == '-';
    uint64_t num = 0, den = 1, common;
    if (*p == '-' || *p == '+')
        p++;
    if (!number_scan (&p, INT64_MAX, &num) && *p != '.')
        goto bad;
    if (*p == '.') {
        p++;
        if (!scan_decimals (&p, &num, &den))
            goto bad;
    } else if (*p == '/') {
        p++;
        if (!number_scan (&p, INT64_MAX, &den) || den == 0)
            goto bad;
    }
    if (*p)
        goto bad;
    common = (uint64_t)tori_wide_gcd (num, den);
    ret_fraction->num = (int64_t)(num / common);
    ret_fraction->den = (int64_t)(den / common);
    if (negative)
        ret_fraction->num = -ret_fraction->num;
    return 0;
bad:
    return tori_error_set (err, TORI_INVALID,
                           "%s: '%.60s' is not a number such as 2.5 or 5/2",
                           what, text);
}
