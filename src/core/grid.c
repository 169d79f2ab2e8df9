#include "grid.h"

#include "bits.h"

/* Of a box's extent in one dimension, the part behind the wrap (`low`, from
 * coordinate 0) and where the rest begins. */
static void split (const tori_machine *machine, const tori_box *box, int dim,
                   uint32_t *low, uint32_t *high)
{
    uint32_t end = box->origin[dim] + box->shape.size[dim];
    *low = end > machine->shape.size[dim] ? end - machine->shape.size[dim] : 0;
    *high = box->origin[dim];
}

static bool spans (const tori_machine *machine, const tori_box *box, int dim)
{
    return box->shape.size[dim] == machine->shape.size[dim];
}

static void add_piece (struct runs *runs, uint64_t first, uint64_t count)
{
    runs->first[runs->pieces] = first;
    runs->count[runs->pieces] = count;
    runs->pieces++;
}

struct runs runs_of_box (const tori_machine *machine, const tori_box *box)
{
    struct runs runs;
    int inner = machine->shape.ndims - 1;
    uint32_t low, high, stride;

    runs.machine = machine;
    runs.base = 0;
    runs.pieces = 0;
    runs.piece = 0;
    runs.done = false;
    while (inner > 0 && spans (machine, box, inner))
        inner--;
    for (int d = 0; d < inner; d++) {
        split (machine, box, d, &runs.low[d], &runs.high[d]);
        runs.size[d] = box->shape.size[d];
        runs.step[d] = 0;
        if (runs.low[d] == 0)
            runs.base += (uint64_t)runs.high[d] * machine->stride[d];
    }
    runs.outer = inner;
    stride = machine->stride[inner];
    if (spans (machine, box, inner)) {
        add_piece (&runs, 0, (uint64_t)box->shape.size[inner] * stride);
        return runs;
    }
    split (machine, box, inner, &low, &high);
    if (low > 0)
        add_piece (&runs, 0, (uint64_t)low * stride);
    add_piece (&runs, (uint64_t)high * stride,
               (uint64_t)(box->shape.size[inner] - low) * stride);
    return runs;
}

/* The coordinate that a step of the walk stands for. */
static uint32_t coordinate (const struct runs *runs, int d, uint32_t step)
{
    return step < runs->low[d] ? step : runs->high[d] + step - runs->low[d];
}

/* On to the next row: count up the outer coordinates, the last fastest. */
static void advance (struct runs *runs)
{
    for (int d = runs->outer - 1; d >= 0; d--) {
        uint32_t before = coordinate (runs, d, runs->step[d]);
        bool carry = ++runs->step[d] == runs->size[d];
        uint32_t after;
        if (carry)
            runs->step[d] = 0;
        after = coordinate (runs, d, runs->step[d]);
        runs->base += (uint64_t)after * runs->machine->stride[d];
        runs->base -= (uint64_t)before * runs->machine->stride[d];
        if (!carry)
            return;
    }
    runs->done = true;
}

bool runs_next (struct runs *runs, uint64_t *ret_first, uint64_t *ret_count)
{
    if (runs->done)
        return false;
    *ret_first = runs->base + runs->first[runs->piece];
    *ret_count = runs->count[runs->piece];
    if (++runs->piece == runs->pieces) {
        runs->piece = 0;
        advance (runs);
    }
    return true;
}

void grid_set (const tori_machine *machine, const tori_box *box, uint64_t *set)
{
    struct runs runs = runs_of_box (machine, box);
    uint64_t first, count;
    while (runs_next (&runs, &first, &count))
        bits_set_range (set, first, count);
}

void grid_clear (const tori_machine *machine, const tori_box *box,
                 uint64_t *set)
{
    struct runs runs = runs_of_box (machine, box);
    uint64_t first, count;
    while (runs_next (&runs, &first, &count))
        bits_clear_range (set, first, count);
}

bool grid_any (const tori_machine *machine, const tori_box *box,
               const uint64_t *set)
{
    struct runs runs = runs_of_box (machine, box);
    uint64_t first, count;
    while (runs_next (&runs, &first, &count))
        if (bits_any_range (set, first, count))
            return true;
    return false;
}

uint64_t grid_count (const tori_machine *machine, const tori_box *box,
                     const uint64_t *set)
{
    struct runs runs = runs_of_box (machine, box);
    uint64_t first, count, sum = 0;
    while (runs_next (&runs, &first, &count))
        sum += bits_count_range (set, first, count);
    return sum;
}
