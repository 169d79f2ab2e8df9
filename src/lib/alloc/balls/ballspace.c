#include "ballspace.h"

#include "grid.h"

struct ball_space ball_space_of (const tori_machine *machine)
{
    struct ball_space space = {.machine = machine};
    for (int d = 0; d < machine->shape.ndims; d++) {
        uint32_t size = machine->shape.size[d];
        bool wraps = tori_machine_wraps (machine, d);
        if (size > 1)
            space.axes[space.n++] = (struct ball_axis){
                .size = size,
                .stride = machine->stride[d],
                .wraps = wraps,
                .left = (size - 1) / 2,
                .right = size / 2,
            };
    }
    for (int a = space.n - 2; a >= 0; a--) {
        const struct ball_axis *next = &space.axes[a + 1];
        space.axes[a].later = next->later
                              + (next->wraps ? next->right : next->size - 1);
    }
    return space;
}

/* Round a ring of this size, two nodes that are more than half of it apart are
 * nearer the other way. */
static uint64_t count_saved (const uint32_t *histogram, uint32_t n,
                             uint32_t size)
{
    uint64_t sum = 0, before = 0, apart = 0;
    uint32_t half = size / 2;
    for (uint32_t v = half + 1; v < n; v++) {
        apart += before + (uint64_t)histogram[v - half - 1] * (half + 1);
        before += histogram[v - half - 1];
        sum += histogram[v] * (2 * apart - size * before);
    }
    return sum;
}

uint64_t ball_sum (const struct ball_axis *axis, const uint32_t *histogram,
                   uint32_t n, uint64_t k)
{
    uint64_t sum = 0, below = 0;
    for (uint32_t i = 0; i < n; i++) {
        below += histogram[i];
        sum += below * (k - below);
    }
    return axis->wraps && n > axis->size / 2
               ? sum - count_saved (histogram, n, axis->size)
               : sum;
}
