/* Shapes of tori/machine.h: text, volume, order, rotations. */
#include <stdio.h>
#include <string.h>

#include <tori/machine.h>

#include "number.h"

int tori_shape_parse (const char *text, tori_shape *ret_shape, tori_error *err)
{
    const char *p = text;
    tori_shape shape = {0};
    uint64_t size;
    do {
        if (shape.ndims == TORI_MAX_DIMS)
            return tori_error_set (err, TORI_INVALID,
                                   "shape '%.40s...' has more than %d "
                                   "dimensions",
                                   text, TORI_MAX_DIMS);
        if (!number_scan (&p, UINT32_MAX, &size) || size == 0)
            goto bad;
        shape.size[shape.ndims++] = (uint32_t)size;
    } while (*p++ == 'x');
    if (p[-1])
        goto bad;
    *ret_shape = shape;
    return 0;
bad:
    return tori_error_set (err, TORI_INVALID,
                           "bad shape '%.60s': expected sides from 1 to "
                           "2^32 - 1, such as 4x4x2",
                           text);
}

void tori_shape_format (const tori_shape *shape, char text[TORI_TEXT_MAX])
{
    size_t at = 0;
    text[0] = '\0';
    for (int d = 0; d < shape->ndims; d++)
        at += (size_t)snprintf (text + at, TORI_TEXT_MAX - at, "%s%u",
                                d ? "x" : "", shape->size[d]);
}

uint64_t tori_shape_volume (const tori_shape *shape)
{
    uint64_t volume = 1;
    for (int d = 0; d < shape->ndims; d++)
        if (__builtin_mul_overflow (volume, shape->size[d], &volume))
            return UINT64_MAX;
    return volume;
}

bool tori_shape_equal (const tori_shape *a, const tori_shape *b)
{
    return a->ndims == b->ndims
           && memcmp (a->size, b->size,
                      (size_t)a->ndims * sizeof a->size[0])
                  == 0;
}

void tori_shape_sort (tori_shape *shape)
{
    for (int i = 1; i < shape->ndims; i++) {
        uint32_t size = shape->size[i];
        int j = i;
        for (; j > 0 && shape->size[j - 1] > size; j--)
            shape->size[j] = shape->size[j - 1];
        shape->size[j] = size;
    }
}

static void swap (uint32_t *a, uint32_t *b)
{
    uint32_t t = *a;
    *a = *b;
    *b = t;
}

bool tori_shape_next_rotation (tori_shape *shape)
{
    uint32_t *size = shape->size;
    int last = shape->ndims - 1, i = last - 1, j = last;
    while (i >= 0 && size[i] >= size[i + 1])
        i--;
    if (i < 0)
        return false;
    while (size[j] <= size[i])
        j--;
    swap (&size[i], &size[j]);
    for (i++, j = last; i < j; i++, j--)
        swap (&size[i], &size[j]);
    return true;
}

bool tori_shape_fits (const tori_shape *shape, const tori_machine *machine)
{
    if (shape->ndims != tori_machine_ndims (machine))
        return false;
    for (int d = 0; d < shape->ndims; d++)
        if (shape->size[d] > tori_machine_size (machine, d))
            return false;
    return true;
}
