#include "grid.h"

#include "bits.h"

/* Splits a box's extent in one dimension into the part after the wrap (`low`,
 * from coordinate 0) and the beginning of the rest. */
static void split_dimension (const tori_machine *machine, const tori_box *box,
                             int dim, uint32_t *low, uint32_t *high)
{
    uint32_t end = box->origin[dim] + box->shape.size[dim];
    *low = end > machine->shape.size[dim] ? end - machine->shape.size[dim] : 0;
    *high = box->origin[dim];
}

static bool spans_dimension (const tori_machine *machine, const tori_box *box,
                             int dim)
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
    while (inner > 0 && spans_dimension (machine, box, inner))
        inner--;
    for (int d = 0; d < inner; d++) {
        split_dimension (machine, box, d, &runs.low[d], &runs.high[d]);
        runs.size[d] = box->shape.size[d];
        runs.step[d] = 0;
        if (runs.low[d] == 0)
            runs.base += (uint64_t)runs.high[d] * machine->stride[d];
    }
    runs.outer = inner;
    stride = machine->stride[inner];
    if (spans_dimension (machine, box, inner)) {
        add_piece (&runs, 0, (uint64_t)box->shape.size[inner] * stride);
        return runs;
    }
    split_dimension (machine, box, inner, &low, &high);
    if (low > 0)
        add_piece (&runs, 0, (uint64_t)low * stride);
    add_piece (&runs, (uint64_t)high * stride,
               (uint64_t)(box->shape.size[inner] - low) * stride);
    return runs;
}

/* The coordinate that a step of the walk stands for. */
static uint32_t coordinate_at (const struct runs *runs, int d, uint32_t step)
{
    return step < runs->low[d] ? step : runs->high[d] + step - runs->low[d];
}

/* On to the next row: count up the outer coordinates, the last fastest. */
static void advance_runs (struct runs *runs)
{
    for (int d = runs->outer - 1; d >= 0; d--) {
        uint32_t before = coordinate_at (runs, d, runs->step[d]);
        bool carry = ++runs->step[d] == runs->size[d];
        uint32_t after;
        if (carry)
            runs->step[d] = 0;
        after = coordinate_at (runs, d, runs->step[d]);
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
        advance_runs (runs);
    }
    return true;
}

/* ---- words and masks ---- */

/* Called for a word and the bits of the box in it; true ends the walk. */
typedef bool word_fn (void *arg, size_t word, uint64_t mask);

#define INLINE static inline __attribute__ ((always_inline))

/* The piecewise walk: a run may lie across words. */
INLINE bool each_run (const tori_machine *machine, const tori_box *box,
                      word_fn *visit, void *arg)
{
    struct runs runs = runs_of_box (machine, box);
    uint64_t first, count;
    while (runs_next (&runs, &first, &count))
        while (count > 0) {
            unsigned shift = first % 64;
            unsigned n = count < 64 - shift ? (unsigned)count : 64 - shift;
            if (visit (arg, (size_t)(first / 64), bits_low (n) << shift))
                return true;
            first += n;
            count -= n;
        }
    return false;
}

/* The box's bits within one block of the dimensions that fill words. */
static uint64_t block_pattern (const tori_machine *machine,
                               const tori_box *box)
{
    uint64_t pattern = 1;
    for (int d = machine->shape.ndims - 1; d >= machine->block; d--) {
        uint64_t row = 0;
        for (uint32_t i = 0; i < box->shape.size[d]; i++)
            row |= pattern << (box->origin[d] + i) * machine->stride[d];
        pattern = row;
    }
    return pattern;
}

/* The walk over blocks: one pattern, shifted to where each block lies. */
INLINE bool each_block (const tori_machine *machine, const tori_box *box,
                        word_fn *visit, void *arg)
{
    uint64_t pattern = block_pattern (machine, box), at = 0;
    uint32_t step[TORI_MAX_DIMS];
    int d;
    for (d = 0; d < machine->block; d++) {
        at += (uint64_t)box->origin[d] * machine->stride[d];
        step[d] = 0;
    }
    do {
        if (visit (arg, (size_t)(at / 64), pattern << at % 64))
            return true;
        for (d = machine->block - 1; d >= 0; d--) {
            at += machine->stride[d];
            if (++step[d] < box->shape.size[d])
                break;
            at -= (uint64_t)box->shape.size[d] * machine->stride[d];
            step[d] = 0;
        }
    } while (d >= 0);
    return false;
}

INLINE bool each_word (const tori_machine *machine, const tori_box *box,
                       word_fn *visit, void *arg)
{
    if (machine->block < machine->shape.ndims
        && !(machine->wraps && tori_box_wraps (machine, box)))
        return each_block (machine, box, visit, arg);
    return each_run (machine, box, visit, arg);
}

struct sets {
    uint64_t *one, *two;
    const uint64_t *read;
    uint64_t count;
};

INLINE bool set_word (void *arg, size_t word, uint64_t mask)
{
    struct sets *sets = arg;
    sets->one[word] |= mask;
    return false;
}

INLINE bool clear_word (void *arg, size_t word, uint64_t mask)
{
    struct sets *sets = arg;
    sets->one[word] &= ~mask;
    return false;
}

INLINE bool test_word (void *arg, size_t word, uint64_t mask)
{
    const struct sets *sets = arg;
    return (sets->read[word] & mask) != 0;
}

INLINE bool count_word (void *arg, size_t word, uint64_t mask)
{
    struct sets *sets = arg;
    sets->count += (unsigned)__builtin_popcountll (sets->read[word] & mask);
    return false;
}

INLINE bool move_word (void *arg, size_t word, uint64_t mask)
{
    struct sets *sets = arg;
    sets->count += (unsigned)__builtin_popcountll (sets->one[word] & mask);
    sets->one[word] &= ~mask;
    sets->two[word] |= mask;
    return false;
}

void grid_set (const tori_machine *machine, const tori_box *box, uint64_t *set)
{
    struct sets sets = {.one = set};
    each_word (machine, box, set_word, &sets);
}

void grid_clear (const tori_machine *machine, const tori_box *box,
                 uint64_t *set)
{
    struct sets sets = {.one = set};
    each_word (machine, box, clear_word, &sets);
}

bool grid_any (const tori_machine *machine, const tori_box *box,
               const uint64_t *set)
{
    struct sets sets = {.read = set};
    return each_word (machine, box, test_word, &sets);
}

uint64_t grid_count (const tori_machine *machine, const tori_box *box,
                     const uint64_t *set)
{
    struct sets sets = {.read = set};
    each_word (machine, box, count_word, &sets);
    return sets.count;
}

uint64_t grid_move (const tori_machine *machine, const tori_box *box,
                    uint64_t *from, uint64_t *to)
{
    struct sets sets = {.one = from, .two = to};
    each_word (machine, box, move_word, &sets);
    return sets.count;
}
