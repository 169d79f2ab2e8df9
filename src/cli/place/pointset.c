#include "pointset.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "lines.h"
#include "number.h"

/* A coordinate as it is written: value / 10^places. */
struct decimal {
    int64_t value;
    unsigned places;
};

/* 10^18 is the largest power of ten in 64 bits. */
enum { MOST_PLACES = 18 };

/* Scan the digits after a point at *text into *size and *ret_places. Zeros at
 * the end do not count. */
static bool scan_places (const char **text, uint64_t *size,
                         unsigned *ret_places)
{
    size_t digits = strspn (*text, "0123456789"), used = digits;
    while (used > 0 && (*text)[used - 1] == '0')
        used--;
    if (used > MOST_PLACES)
        return false;
    for (size_t i = 0; i < used; i++)
        if (__builtin_mul_overflow (*size, 10, size)
            || __builtin_add_overflow (*size, (*text)[i] - '0', size))
            return false;
    *ret_places = (unsigned)used;
    *text += digits;
    return digits > 0;
}

/* Scan a coordinate at *text, a decimal whose digits fit 64 bits. */
static bool scan_coordinate (const char **text, struct decimal *ret_value)
{
    bool negative = **text == '-';
    const char *at = *text + negative;
    uint64_t size, most = (uint64_t)INT64_MAX + negative;
    unsigned places = 0;
    if (!number_scan (&at, most, &size))
        return false;
    if (*at == '.') {
        at++;
        if (!scan_places (&at, &size, &places) || size > most)
            return false;
    }
    ret_value->value = negative && size > 0 ? -(int64_t)(size - 1) - 1
                                            : (int64_t)size;
    ret_value->places = places;
    *text = at;
    return true;
}

/* Skip the separator of two coordinates: a comma, blanks, or both. */
static bool scan_between (const char **text)
{
    const char *at = *text;
    while (*at == ' ' || *at == '\t')
        at++;
    if (*at == ',')
        at++;
    while (*at == ' ' || *at == '\t')
        at++;
    if (at == *text)
        return false;
    *text = at;
    return true;
}

/* Scan the coordinates of a line; returns how many, or -1. */
static int scan_point (const char *text, struct decimal point[TORI_MAX_DIMS],
                       tori_error *err)
{
    const char *at = text;
    int n = 0;
    for (;;) {
        if (n == TORI_MAX_DIMS)
            return tori_error_set (err, TORI_INVALID,
                                   "more than %d coordinates", TORI_MAX_DIMS);
        if (!scan_coordinate (&at, &point[n]))
            break;
        n++;
        if (*at == '\0')
            return n;
        if (!scan_between (&at))
            break;
    }
    return tori_error_set (err, TORI_INVALID,
                           "'%.60s' is not a point: expected numbers of "
                           "64 bits such as 3,-1,4 or 1.5,-2.25, with up to "
                           "%d decimals",
                           text, MOST_PLACES);
}

/* Multiply by 10^places; false beyond 64 bits. */
static bool scale_coords (int64_t coords[], size_t n, unsigned places)
{
    for (size_t i = 0; i < n; i++)
        for (unsigned p = 0; p < places; p++)
            if (__builtin_mul_overflow (coords[i], 10, &coords[i]))
                return false;
    return true;
}

/* Bring a point and all before it to the most places of any. */
static bool unify_places (struct pointset *set, struct decimal point[],
                          int ndims)
{
    unsigned before = set->places, places = before;
    for (int d = 0; d < ndims; d++)
        if (point[d].places > places)
            places = point[d].places;
    set->places = places;
    if (!scale_coords (set->coords, set->points.n * (size_t)ndims,
                       places - before))
        return false;
    for (int d = 0; d < ndims; d++)
        if (!scale_coords (&point[d].value, 1, places - point[d].places))
            return false;
    return true;
}

static int add_point (struct pointset *set, const struct decimal point[],
                      int ndims, tori_error *err)
{
    tori_points *points = &set->points;
    size_t used = points->n * (size_t)ndims;
    int64_t *grown = array_room (set->coords, &set->room,
                                 used + (size_t)ndims, sizeof *grown);
    if (!grown)
        return tori_error_nomem (err);
    points->coords = set->coords = grown;
    for (int d = 0; d < ndims; d++)
        set->coords[used + (size_t)d] = point[d].value;
    points->ndims = ndims;
    points->n++;
    return 0;
}

static int enter_point (void *arg, char *text, size_t line, tori_error *err)
{
    struct pointset *set = arg;
    struct decimal point[TORI_MAX_DIMS];
    int ndims = scan_point (text, point, err);
    if (ndims < 0)
        return -1;
    if (set->points.n > 0 && ndims != set->points.ndims)
        return tori_error_set (err, TORI_INVALID,
                               "'%.60s' has %d coordinate%s, the points "
                               "before it have %d",
                               text, ndims, ndims == 1 ? "" : "s",
                               set->points.ndims);
    if (!unify_places (set, point, ndims))
        return tori_error_set (err, TORI_INVALID,
                               "'%.60s': not all points up to here fit 64 "
                               "bits in units of 1e-%u, the least that any "
                               "of them needs",
                               text, set->places);
    return add_point (set, point, ndims, err);
}

int pointset_read (const char *path, struct pointset *ret_set, tori_error *err)
{
    *ret_set = (struct pointset){0};
    if (lines_each (path, enter_point, ret_set, err) < 0)
        return -1;
    return ret_set->points.n > 0
               ? 0
               : tori_error_set (err, TORI_INVALID, "%s: no points", path);
}

void pointset_format (uint64_t size, bool negative, unsigned places,
                      char text[POINTSET_TEXT])
{
    char digits[POINTSET_TEXT];
    int n = snprintf (digits, sizeof digits, "%0*" PRIu64, (int)places + 1,
                      size);
    int whole = n - (int)places;
    while (n > whole && digits[n - 1] == '0')
        n--;
    snprintf (text, POINTSET_TEXT, "%s%.*s%s%.*s", negative ? "-" : "", whole,
              digits, n > whole ? "." : "", n - whole, digits + whole);
}

void pointset_clear (struct pointset *set)
{
    free (set->coords);
    *set = (struct pointset){0};
}
