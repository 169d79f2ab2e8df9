/* Exact numbers: fractions of 128 bits (tori/exact.h). */
#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "wide.h"

static int too_long (tori_error *err)
{
    return tori_error_set (err, TORI_INVALID,
                           "the exact number does not fit 128 bits");
}

/* ---- integers ---- */

__extension__ typedef unsigned __int128 uwide;

/* The least of the integers has one that only fits without a sign. */
static uwide magnitude (tori_wide a)
{
    return a < 0 ? 0 - (uwide)a : (uwide)a;
}

/* Most numbers are short, and a division of 64 bits is several times as fast
 * as one of 128. */
static uwide gcd_of (uwide a, uwide b)
{
    uint64_t x, y;
    while (b > UINT64_MAX || (b && a > UINT64_MAX)) {
        uwide rest = a % b;
        a = b;
        b = rest;
    }
    if (!b)
        return a;
    x = (uint64_t)a;
    y = (uint64_t)b;
    while (y) {
        uint64_t rest = x % y;
        x = y;
        y = rest;
    }
    return x;
}

tori_wide tori_wide_gcd (tori_wide a, tori_wide b)
{
    return a >= 0 && b >= 0 ? (tori_wide)gcd_of ((uwide)a, (uwide)b) : 0;
}

int tori_wide_lcm (tori_wide a, tori_wide b, tori_wide *ret_lcm,
                   tori_error *err)
{
    tori_wide lcm;
    if (a <= 0 || b <= 0)
        return tori_error_set (err, TORI_INVALID,
                               "only positive numbers have a common multiple");
    if (wide_mul_overflow (a / tori_wide_gcd (a, b), b, &lcm))
        return too_long (err);
    *ret_lcm = lcm;
    return 0;
}

/* ---- arithmetic ---- */

tori_exact tori_exact_make (tori_wide num, tori_wide den)
{
    tori_wide common;
    if (den <= 0)
        return (tori_exact){0, 0};
    common = (tori_wide)gcd_of ((uwide)den, magnitude (num));
    return (tori_exact){num / common, den / common};
}

static int check_operands (tori_exact a, tori_exact b, tori_error *err)
{
    if (a.den > 0 && b.den > 0)
        return 0;
    return tori_error_set (err, TORI_INVALID,
                           "a fraction whose denominator is not positive is "
                           "not a number");
}

int tori_exact_add (tori_exact a, tori_exact b, tori_exact *ret_sum,
                    tori_error *err)
{
    tori_wide den, x, y, num;
    if (check_operands (a, b, err) < 0)
        return -1;
    if (tori_wide_lcm (a.den, b.den, &den, err) < 0)
        return -1;
    if (wide_mul_overflow (a.num, den / a.den, &x)
        || wide_mul_overflow (b.num, den / b.den, &y)
        || __builtin_add_overflow (x, y, &num) || num < -TORI_WIDE_MAX)
        return too_long (err);
    *ret_sum = tori_exact_make (num, den);
    return 0;
}

int tori_exact_sub (tori_exact a, tori_exact b, tori_exact *ret_difference,
                    tori_error *err)
{
    if (b.num < -TORI_WIDE_MAX)
        return too_long (err);
    b.num = -b.num;
    return tori_exact_add (a, b, ret_difference, err);
}

int tori_exact_mul (tori_exact a, tori_exact b, tori_exact *ret_product,
                    tori_error *err)
{
    tori_exact x, y, product;
    if (check_operands (a, b, err) < 0)
        return -1;
    x = tori_exact_make (a.num, b.den);
    y = tori_exact_make (b.num, a.den);
    if (wide_mul_overflow (x.num, y.num, &product.num)
        || wide_mul_overflow (x.den, y.den, &product.den)
        || product.num < -TORI_WIDE_MAX)
        return too_long (err);
    *ret_product = product;
    return 0;
}

/* The whole part, rounded down, and what is left of the numerator. */
static tori_wide floor_of (tori_exact a, tori_wide *ret_rest)
{
    tori_wide whole = a.num / a.den, rest = a.num % a.den;
    *ret_rest = rest < 0 ? rest + a.den : rest;
    return rest < 0 ? whole - 1 : whole;
}

static bool is_short (tori_exact a)
{
    return a.num <= INT64_MAX && a.num >= -INT64_MAX && a.den <= INT64_MAX;
}

/* By continued fractions, since products of long numbers might not fit: if the
 * whole parts are equal, compare the inverses of the rests, the other way
 * round. A value that is not a number comes first there. */
int tori_exact_compare (tori_exact a, tori_exact b)
{
    if (is_short (a) && is_short (b)) {
        tori_wide x = a.num * b.den, y = b.num * a.den;
        return (x > y) - (x < y);
    }
    if (a.den <= 0 || b.den <= 0)
        return (a.den > 0) - (b.den > 0);
    for (int sign = 1;; sign = -sign) {
        tori_wide rest_a, rest_b;
        tori_wide whole_a = floor_of (a, &rest_a);
        tori_wide whole_b = floor_of (b, &rest_b);
        if (whole_a != whole_b)
            return whole_a < whole_b ? -sign : sign;
        if (!rest_a || !rest_b)
            return !rest_a && !rest_b ? 0 : rest_a ? sign : -sign;
        a = (tori_exact){a.den, rest_a};
        b = (tori_exact){b.den, rest_b};
    }
}

double tori_exact_value (tori_exact number)
{
    return number.den > 0 ? (double)number.num / (double)number.den : NAN;
}

/* ---- text ---- */

/* Append digits to a number; false if it gets too long. */
static bool append_digits (const char *from, const char *to, tori_wide *value)
{
    for (; from < to; from++)
        if (wide_mul_overflow (*value, 10, value)
            || __builtin_add_overflow (*value, *from - '0', value))
            return false;
    return true;
}

static const char *skip_digits (const char *p)
{
    while (isdigit ((unsigned char)*p))
        p++;
    return p;
}

/* "5" of "2.5"; zeros at the end say nothing. */
static const char *scan_decimals (const char *p, tori_wide *num,
                                  tori_wide *den)
{
    const char *end = skip_digits (p), *last = end;
    if (end == p)
        return NULL;
    while (last > p && last[-1] == '0')
        last--;
    if (!append_digits (p, last, num))
        return NULL;
    for (; p < last; p++)
        if (wide_mul_overflow (*den, 10, den))
            return NULL;
    return end;
}

static const char *scan_den (const char *p, tori_wide *den)
{
    const char *end = skip_digits (p);
    *den = 0;
    return append_digits (p, end, den) && *den > 0 ? end : NULL;
}

/* Whether a text that could not be read is a number all the same, only that it
 * has too many digits. */
static bool looks_like_number (const char *text)
{
    const char *p = text + (*text == '-' || *text == '+');
    const char *end = skip_digits (p), *more = end;
    if (*end == '.' || (*end == '/' && end > p))
        more = skip_digits (end + 1);
    if (*more || (*end && more == end + 1) || more == p)
        return false;
    return *end != '/' || strspn (end + 1, "0") < strlen (end + 1);
}

int tori_exact_parse (const char *text, const char *what,
                      tori_exact *ret_number, tori_error *err)
{
    const char *p = text + (*text == '-' || *text == '+');
    const char *end = skip_digits (p);
    tori_wide num = 0, den = 1;
    bool whole = end > p;
    if (!append_digits (p, end, &num))
        goto bad;
    p = end;
    if (*p == '.')
        p = scan_decimals (p + 1, &num, &den);
    else if (*p == '/' && whole)
        p = scan_den (p + 1, &den);
    else if (!whole)
        goto bad;
    if (!p || *p)
        goto bad;
    *ret_number = tori_exact_make (*text == '-' ? -num : num, den);
    return 0;
bad:
    if (looks_like_number (text))
        return tori_error_set (err, TORI_INVALID,
                               "%s: '%.60s' does not fit an exact number of "
                               "128 bits",
                               what, text);
    return tori_error_set (err, TORI_INVALID,
                           "%s: '%.60s' is not a number such as 2.5 or 5/2",
                           what, text);
}

/* Digits in front of `end`; returns the first. */
static char *put_digits (char *end, uwide value)
{
    uint64_t low;
    for (; value > UINT64_MAX; value /= 10)
        *--end = (char)('0' + value % 10);
    low = (uint64_t)value;
    do
        *--end = (char)('0' + low % 10);
    while (low /= 10);
    return end;
}

static bool put_unknown (tori_exact number, char text[TORI_EXACT_TEXT])
{
    if (number.den > 0)
        return false;
    text[0] = '?';
    text[1] = '\0';
    return true;
}

void tori_exact_format (tori_exact number, char text[TORI_EXACT_TEXT])
{
    char buffer[TORI_EXACT_TEXT];
    char *p = buffer + sizeof buffer - 1;
    *p = '\0';
    if (put_unknown (number, text))
        return;
    if (number.den != 1) {
        p = put_digits (p, (uwide)number.den);
        *--p = '/';
    }
    p = put_digits (p, magnitude (number.num));
    if (number.num < 0)
        *--p = '-';
    memcpy (text, p, (size_t)(buffer + sizeof buffer - p));
}

/* ---- decimals ---- */

enum { SIGNIFICANT = 15, MOST_DECIMALS = 36 };

/* The last digit, in front of a point if need be. */
static bool is_odd (const char *last)
{
    last -= *last == '.';
    return (*last - '0') % 2;
}

/* Add one to the last digit of a number that has a zero in front. */
static void round_up (char *last)
{
    for (; *last == '9' || *last == '.'; last--)
        if (*last == '9')
            *last = '0';
    ++*last;
}

/* The digits behind the point, by long division, and the rest. Zeros in front
 * do not count if nothing is in front of them. */
static char *put_decimals (char *p, tori_wide *rest, tori_wide den, int digits)
{
    for (int i = 0; *rest && digits < SIGNIFICANT && i < MOST_DECIMALS; i++) {
        if (den <= (tori_wide)(UINT64_MAX / 10)) {
            uint64_t ten = (uint64_t)*rest * 10;
            *p = (char)('0' + ten / (uint64_t)den);
            *rest = ten % (uint64_t)den;
        } else {
            *p = (char)('0' + *rest * 10 / den);
            *rest = *rest * 10 % den;
        }
        digits += digits || *p != '0';
        p++;
    }
    return p;
}

/* Numbers whose denominator times ten does not fit are shortened; the change
 * is beyond the digits that are printed. */
static tori_exact shortened (tori_exact number)
{
    while (number.den > TORI_WIDE_MAX / 10) {
        number.num /= 10;
        number.den /= 10;
    }
    return number;
}

void tori_exact_decimal (tori_exact number, char text[TORI_EXACT_TEXT])
{
    char buffer[2 * TORI_EXACT_TEXT], *point = buffer + TORI_EXACT_TEXT, *p;
    tori_wide rest;
    uwide num;
    char *first;
    if (put_unknown (number, text))
        return;
    number = shortened (number);
    num = magnitude (number.num);
    rest = (tori_wide)(num % (uwide)number.den);
    first = put_digits (point, num / (uwide)number.den);
    *point = '.';
    p = put_decimals (point + 1, &rest, number.den,
                      *first == '0' ? 0 : (int)(point - first));
    *--first = '0';
    if (rest > number.den - rest
        || (rest == number.den - rest && is_odd (p - 1)))
        round_up (p - 1);
    while (p[-1] == '0')
        p--;
    p -= p[-1] == '.';
    *p = '\0';
    first += *first == '0';
    if (number.num < 0 && strcmp (first, "0") != 0)
        *--first = '-';
    memcpy (text, first, (size_t)(p + 1 - first));
}
