/* fold.h - shapes into boxes of other sides.
 *
 * Both have sides that are powers of two and the same volume. The longest side
 * of the shape goes along the longest of the box, and so on. The excess of a
 * side is folded over into the dimensions in which the box is longer than the
 * shape. So the coordinate of a logical dimension is cut into digits, each of
 * which goes to a physical dimension. The digits count up and down (a
 * reflected code): a step changes one digit by one. If two digits share a
 * physical dimension, the shorter has the lower place, and a step of the other
 * is as long as the shorter digit counts. */
#ifndef TORI_ALLOC_FOLD_H
#define TORI_ALLOC_FOLD_H

#include <tori/cubes.h>

struct fold_digit {
    uint8_t bits;
    uint8_t from, at; /* the logical dimension, and its bit */
    uint8_t to;       /* the physical dimension */
    uint8_t shift;    /* its bit there */
};

struct fold {
    struct fold_digit digit[2 * TORI_MAX_DIMS];
    int n;
};

/* The shape with its sides rounded up to powers of two. */
tori_shape fold_rounded_up (const tori_shape *shape);

/* The subcube around the box of a placement, as far as it is in the machine: a
 * box, whose sides need not be powers of two. */
tori_box fold_subcube (const tori_machine *machine, const tori_box *box);

/* The size of a request for a shape. Computed for every request; most are
 * cubic, and the sum of logarithms is enough. */
struct fold_measure {
    uint32_t count; /* nodes; 0 if it has none or more than any machine */
    bool cubic;     /* all sides are powers of two */
    unsigned size;  /* of the subcube that it is put into, as a logarithm */
};

struct fold_measure fold_measure (const tori_shape *shape,
                                  tori_noncubic noncubic);

/* The place of a shape in a box of these sides, without folding: the longest
 * side, rounded up, along the longest, and so on, or if that is too long, not
 * rounded up. False if it is too long even so. */
bool fold_straight (const tori_shape *shape, const tori_shape *box,
                    tori_shape *ret_shape);

/* The placement of a shape that goes into the box in `place`: the box; a part
 * of it at its low corner, if the shape need not be folded; or the nodes of it
 * that are needed, those of a decomposed shape being the first by address.
 * Fills in the rest of `place`. */
int fold_place (const tori_machine *machine, const tori_shape *shape,
                tori_noncubic noncubic, tori_placement *place,
                tori_error *err);

#endif
