#include "opening.h"

#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "erosion.h"
#include "marks.h"

/* With more than this, the search is worth more than what it saves. */
enum { MOST_ROTATIONS = 24 };

void opening_init (struct opening *opening, const tori_machine *machine)
{
    *opening = (struct opening){
        .machine = machine, .words = bits_words (machine->nodes)};
}

void opening_clear (struct opening *opening)
{
    free (opening->nodes);
    opening->nodes = NULL;
}

/* An erosion looks ahead by up to as many words as there are. */
static int need_memory (struct opening *opening, tori_error *err)
{
    size_t padded = 2 * opening->words + 2;
    if (opening->nodes)
        return 0;
    opening->nodes = calloc (opening->words + 1 + 3 * padded,
                             sizeof *opening->nodes);
    if (!opening->nodes)
        return tori_error_nomem (err);
    opening->padded = opening->nodes + opening->words + 1;
    opening->work[0] = opening->padded + padded;
    opening->work[1] = opening->work[0] + padded;
    return 0;
}

/* The steps that erode by a window. */
static struct erosion steps_of (const tori_machine *machine,
                                const tori_shape *shape,
                                struct shift shifts[MAX_SHIFTS])
{
    struct erosion erosion = {.shifts = shifts};
    for (int d = 0; d < shape->ndims; d++)
        erosion_extend (&erosion, machine->stride[d], 1, shape->size[d]);
    return erosion;
}

/* Take away the origins from which a window would leave the machine. */
static void keep_inside (const tori_machine *machine, const tori_shape *shape,
                         uint64_t *origins)
{
    tori_box whole = {.shape = machine->shape};
    for (int d = 0; d < shape->ndims; d++) {
        uint32_t beyond = shape->size[d] - 1;
        tori_box slab = box_with (&whole, d, machine->shape.size[d] - beyond,
                                  beyond);
        if (beyond > 0)
            grid_clear (machine, &slab, origins);
    }
}

/* to = from | from << shift. */
static void shift_or (uint64_t *restrict to, const uint64_t *restrict from,
                      size_t n, uint64_t shift)
{
    size_t by = (size_t)(shift / 64);
    unsigned high = shift % 64;
    memcpy (to, from, (by < n ? by : n) * sizeof *to);
    if (by < n)
        to[by] = from[by] | from[0] << high;
    for (size_t i = by + 1; high == 0 && i < n; i++)
        to[i] = from[i] | from[i - by];
    for (size_t i = by + 1; high > 0 && i < n; i++)
        to[i] = from[i] | from[i - by] << high
                | from[i - by - 1] >> (64 - high);
}

/* The same steps in the other direction. `at` is which buffer has them. */
static const uint64_t *grow (struct opening *opening,
                             const struct erosion *steps, int at)
{
    for (int i = 0; i < steps->n; i++, at = !at)
        shift_or (opening->work[!at], opening->work[at], opening->words,
                  steps->shifts[i].bits);
    return opening->work[at];
}

/* Add the windows of one rotation. */
static void add_windows (struct opening *opening, const tori_shape *shape)
{
    struct shift shifts[MAX_SHIFTS];
    struct erosion steps = steps_of (opening->machine, shape, shifts);
    size_t length = opening->words + erosion_lead (&steps);
    int at = !(steps.n % 2);
    const uint64_t *windows;
    struct eroded eroded;
    if (!erode (&steps, opening->padded, length, true, opening->work, &eroded))
        return;
    if (steps.n == 0)
        memcpy (opening->work[at], opening->padded,
                opening->words * sizeof *opening->padded);
    keep_inside (opening->machine, shape, opening->work[at]);
    windows = grow (opening, &steps, at);
    for (size_t i = 0; i < opening->words; i++)
        opening->nodes[i] |= windows[i];
}

static bool few_rotations (tori_shape shape)
{
    int n = 1;
    tori_shape_sort (&shape);
    while (n <= MOST_ROTATIONS && tori_shape_next_rotation (&shape))
        n++;
    return n <= MOST_ROTATIONS;
}

int opening_of (struct opening *opening, const tori_state *state,
                const tori_request *request, tori_error *err)
{
    tori_shape shape = request->shape;
    size_t bytes = opening->words * sizeof *opening->nodes;
    uint64_t any = 0;
    if (need_memory (opening, err) < 0)
        return -1;
    if (!request->fixed && !few_rotations (shape)) {
        memcpy (opening->nodes, state->free, bytes);
        return 1;
    }
    memset (opening->nodes, 0, bytes);
    memcpy (opening->padded, state->free, bytes);
    if (!request->fixed)
        tori_shape_sort (&shape);
    do {
        if (tori_shape_fits (&shape, opening->machine))
            add_windows (opening, &shape);
    } while (!request->fixed && tori_shape_next_rotation (&shape));
    for (size_t i = 0; i < opening->words; i++)
        any |= opening->nodes[i];
    return any != 0;
}
