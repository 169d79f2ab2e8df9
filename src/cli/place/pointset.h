/* pointset.h - a file of points: decimals with commas or blanks between them,
 * one point per line. They are kept exactly, as whole multiples of the least
 * power of ten that any of them needs. */
#ifndef TORI_CLI_POINTSET_H
#define TORI_CLI_POINTSET_H

#include <tori/points.h>

struct pointset {
    tori_points points; /* in the order of the file */
    int64_t *coords;
    size_t room;     /* in coordinates */
    unsigned places; /* coordinates are in units of 10^-places */
};

/* Read a file, "-" for standard input (see lines.h). TORI_INVALID with
 * FILE:LINE for a line that is not a point, or not of as many dimensions as
 * the first, and for a file without points. In any case pointset_clear
 * releases what there is. */
int pointset_read (const char *path, struct pointset *ret_set,
                   tori_error *err);

/* A number in units of 10^-places as a decimal, without zeros at its end. */
enum { POINTSET_TEXT = 48 };
void pointset_format (uint64_t size, bool negative, unsigned places,
                      char text[POINTSET_TEXT]);

void pointset_clear (struct pointset *set);

#endif
