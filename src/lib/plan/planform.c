#include "planform.h"

#include "bits.h"

/* The bits of the offsets after a dimension. */
static int bits_below (const struct form *form, int dim)
{
    int below = 0;
    for (int d = dim + 1; d < form->ndims; d++)
        below += form->bits[d];
    return below;
}

static uint32_t low_bits (uint32_t number, int bits)
{
    return number & (uint32_t)bits_low ((unsigned)bits);
}

uint32_t form_line (const struct form *form, uint32_t place, int dim)
{
    int below = bits_below (form, dim);
    return place >> (below + form->bits[dim]) << below
           | low_bits (place, below);
}

uint32_t form_place_on (const struct form *form, uint32_t line, int dim)
{
    int below = bits_below (form, dim);
    return line >> below << (below + form->bits[dim]) | low_bits (line, below);
}

uint32_t form_lines_before (const struct form *form, int dim)
{
    uint32_t lines = 0;
    for (int d = 0; d < dim; d++)
        lines += UINT32_C (1) << (form->all - form->bits[d]);
    return lines;
}

struct agreeing agreeing_with (const struct form *from, uint32_t place,
                               const struct form *to, int without)
{
    struct agreeing walk = {0};
    int at = 0;
    for (int d = to->ndims - 1; d >= 0; d--) {
        int known = from->bits[d] < to->bits[d] ? from->bits[d] : to->bits[d];
        if (d != without) {
            uint32_t open = (uint32_t)(bits_low (to->bits[d])
                                       - bits_low ((unsigned)known));
            walk.fixed |= low_bits (place, known) << at;
            walk.mask |= open << at;
            at += to->bits[d];
        }
        place >>= from->bits[d];
    }
    return walk;
}
