/* planform.h - shapes whose strides are powers of two, and their places.
 *
 * A place is a number whose bits are those of its offsets, the last dimension
 * lowest, and masks tell how places of different forms relate.
 */
#ifndef TORI_PLAN_PLANFORM_H
#define TORI_PLAN_PLANFORM_H

#include <stdbool.h>
#include <stdint.h>

#include <tori/machine.h>

struct form {
    int ndims;
    uint8_t bits[TORI_MAX_DIMS]; /* of an offset: log2 of the stride */
    int all;                     /* of a place */
};

/* The number of a place with the offset of one dimension left out: its line in
 * that dimension. And some place of a line. */
uint32_t form_line (const struct form *form, uint32_t place, int dim);
uint32_t form_place_on (const struct form *form, uint32_t line, int dim);

/* How many lines there are in the dimensions before this one. */
uint32_t form_lines_before (const struct form *form, int dim);

/* A walk over the places of a form, or its lines of a dimension, whose offsets
 * agree with those of a place of another form. Offsets agree in as many of
 * their low bits as both have; the other bits take every value. */
struct agreeing {
    uint32_t fixed, mask, sub;
    bool done;
};

/* `without` is the dimension of the lines, or -1 for places. */
struct agreeing agreeing_with (const struct form *from, uint32_t place,
                               const struct form *to, int without);

static inline bool agreeing_next (struct agreeing *walk, uint32_t *ret_number)
{
    if (walk->done)
        return false;
    *ret_number = walk->fixed | walk->sub;
    walk->sub = (walk->sub - walk->mask) & walk->mask;
    walk->done = walk->sub == 0;
    return true;
}

#endif
