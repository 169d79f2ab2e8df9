#include "pointset.h"

#include <stdlib.h>

#include "array.h"
#include "lines.h"
#include "number.h"

/* Scan a coordinate at *text, a 64-bit integer. */
static bool scan_coordinate (const char **text, int64_t *ret_value)
{
    bool negative = **text == '-';
    const char *at = *text + negative;
    uint64_t size;
    if (!number_scan (&at, (uint64_t)INT64_MAX + negative, &size))
        return false;
    *ret_value = negative && size > 0 ? -(int64_t)(size - 1) - 1
                                      : (int64_t)size;
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
static int scan_point (const char *text, int64_t point[TORI_MAX_DIMS],
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
                           "'%.60s' is not a point: expected whole numbers "
                           "of 64 bits such as 3,-1,4",
                           text);
}

static int add_point (struct pointset *set, const int64_t point[], int ndims,
                      tori_error *err)
{
    tori_points *points = &set->points;
    size_t used = points->n * (size_t)ndims;
    int64_t *grown = array_room (set->coords, &set->room,
                                 used + (size_t)ndims, sizeof *grown);
    if (!grown)
        return tori_error_nomem (err);
    points->coords = set->coords = grown;
    for (int d = 0; d < ndims; d++)
        set->coords[used + (size_t)d] = point[d];
    points->ndims = ndims;
    points->n++;
    return 0;
}

static int enter_point (void *arg, char *text, size_t line, tori_error *err)
{
    struct pointset *set = arg;
    int64_t point[TORI_MAX_DIMS];
    int ndims = scan_point (text, point, err);
    if (ndims < 0)
        return -1;
    if (set->points.n > 0 && ndims != set->points.ndims)
        return tori_error_set (err, TORI_INVALID,
                               "'%.60s' has %d coordinate%s, the points "
                               "before it have %d",
                               text, ndims, ndims == 1 ? "" : "s",
                               set->points.ndims);
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

void pointset_clear (struct pointset *set)
{
    free (set->coords);
    *set = (struct pointset){0};
}
