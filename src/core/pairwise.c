/* pairwise.c - hops of all pairs of nodes of a set, summed up.
 *
 * Dimensions add up, so there is a sum for each of them, of nodes on a line or
 * on a ring. It is made of stretches: coordinates with equally many nodes at
 * each. A box has one in every dimension. Nodes in ascending order on a
 * machine that is a single line have one for each run of consecutive ids. All
 * others are counted by their coordinates first. A stretch costs the same
 * however long it is, and what has no nodes costs next to nothing.
 *
 * Sums have 128 bits: enough for any set without repeats.
 */
#include <stdlib.h>

#include "consecutive.h"
#include "grid.h"

__extension__ typedef unsigned __int128 wide;

static uint64_t fitting (wide sum)
{
    return sum < UINT64_MAX ? (uint64_t)sum : UINT64_MAX;
}

/* 1 + 2 + ... + n, and the sum of these from 1 to n; n is below 2^32. */
static uint64_t triangle (uint64_t n)
{
    return n * (n + 1) / 2;
}

static wide pyramid (uint64_t n)
{
    return n % 3 == 1 ? (wide)triangle (n) * ((n + 2) / 3)
                      : (wide)(triangle (n) / 3) * (n + 2);
}

/* On a ring, who is `apart` steps apart along the line, more than half way
 * round, saves 2 apart - size steps by going the other way. This is the sum of
 * the sums of that up to `apart`: what a stretch with that many steps saves
 * within itself. */
static wide saved_up_to (uint32_t size, int64_t apart)
{
    uint64_t beyond = (uint64_t)apart - size / 2;
    if (apart <= size / 2)
        return 0;
    return 2 * pyramid (beyond) - size % 2 * triangle (beyond);
}

/* ---- boxes ---- */

/* Every pair of coordinates of a dimension occurs once for every pair of
 * positions in the others, (volume / side)^2 times. */
uint64_t tori_box_pairwise (const tori_machine *machine, const tori_box *box)
{
    uint64_t volume = tori_shape_volume (&box->shape);
    wide total = 0, sum;
    for (int d = 0; d < box->shape.ndims; d++) {
        uint32_t side = box->shape.size[d];
        wide across = volume / side;
        sum = pyramid (side - 1);
        if (tori_machine_wraps (machine, d))
            sum -= saved_up_to (machine->shape.size[d], side - 1);
        if (__builtin_mul_overflow (sum, across * across, &sum)
            || __builtin_add_overflow (total, sum, &total))
            return UINT64_MAX;
    }
    return fitting (total);
}

/* ---- stretches of a dimension ---- */

struct stretch {
    uint32_t first, length;
    uint32_t each; /* nodes at each of the coordinates */
};

/* A walk over stretches in ascending order: over ids, or over a histogram,
 * where it takes coordinates one by one. */
struct walk {
    const uint32_t *ids; /* or NULL */
    const uint32_t *histogram;
    size_t at, n;
};

static inline bool next_stretch (struct walk *walk, struct stretch *ret)
{
    if (!walk->ids)
        while (walk->at < walk->n && walk->histogram[walk->at] == 0)
            walk->at++;
    if (walk->at == walk->n)
        return false;
    if (walk->ids)
        *ret = (struct stretch){
            walk->ids[walk->at],
            (uint32_t)consecutive (walk->ids + walk->at, walk->n - walk->at),
            1};
    else
        *ret = (struct stretch){(uint32_t)walk->at, 1,
                                walk->histogram[walk->at]};
    walk->at += ret->length;
    return true;
}

/* The sum of (below + each t) (above - each t) for t from 0 to n - 1. */
static wide growing (wide below, wide above, wide each, uint64_t n)
{
    wide squares = 2 * pyramid (n - 1) - triangle (n - 1);
    return below * above * n + each * (above - below) * triangle (n - 1)
           - each * each * squares;
}

/* Along a line a step is taken by as many pairs as have it between them. */
static wide along_line (struct walk walk, uint64_t nodes)
{
    struct stretch is;
    uint64_t below = 0, last = 0;
    wide sum = 0;
    while (next_stretch (&walk, &is)) {
        uint32_t steps = is.length - 1;
        sum += (wide)below * (nodes - below) * (is.first - last);
        below += is.each;
        if (steps > 0)
            sum += growing (below, nodes - below, is.each, steps);
        below += (uint64_t)is.each * steps;
        last = is.first + steps;
    }
    return sum;
}

/* ---- the other way round ---- */

/* Nodes that others are all more than half way round from. */
struct passed {
    wide nodes, coords; /* how many, and the sum of their coordinates */
};

static uint64_t coords_of (const struct stretch *is)
{
    return (uint64_t)is->first * is->length + triangle (is->length - 1);
}

static void pass (struct passed *passed, const struct stretch *is)
{
    passed->nodes += (wide)is->each * is->length;
    passed->coords += (wide)is->each * coords_of (is);
}

/* What pairs of one that was passed and one of a stretch save. */
static wide saved_over (uint32_t size, const struct passed *passed,
                        const struct stretch *is)
{
    wide apart = passed->nodes * coords_of (is) - passed->coords * is->length;
    return is->each * (2 * apart - passed->nodes * is->length * size);
}

/* What pairs of one of a stretch and one behind it save, in another stretch or
 * in the same one. */
static wide saved_between (uint32_t size, const struct stretch *a,
                           const struct stretch *b)
{
    int64_t apart = (int64_t)b->first - a->first, end = apart + b->length;
    wide saved = saved_up_to (size, end - 1) - saved_up_to (size, apart - 1)
                 - saved_up_to (size, end - 1 - a->length)
                 + saved_up_to (size, apart - 1 - a->length);
    return saved * a->each * b->each;
}

/* What all pairs save: for every stretch, with what it has passed and with
 * what only a part of it has, which may be itself. */
static wide saved_round (struct walk walk, uint32_t size)
{
    struct walk behind = walk, ahead;
    struct stretch is, far, partly;
    struct passed passed = {0, 0};
    uint32_t over = size / 2 + 1;
    bool more = next_stretch (&behind, &far);
    wide saved = 0;
    while (next_stretch (&walk, &is)) {
        while (more && far.first + far.length - 1 + over <= is.first) {
            pass (&passed, &far);
            more = next_stretch (&behind, &far);
        }
        saved += saved_over (size, &passed, &is);
        partly = far;
        ahead = behind;
        while (more && partly.first + over <= is.first + is.length - 1) {
            saved += saved_between (size, &partly, &is);
            if (!next_stretch (&ahead, &partly))
                break;
        }
    }
    return saved;
}

static wide sum_up (const tori_machine *machine, int dim, struct walk walk,
                    uint64_t nodes)
{
    wide sum = along_line (walk, nodes);
    if (tori_machine_wraps (machine, dim))
        sum -= saved_round (walk, machine->shape.size[dim]);
    return sum;
}

/* ---- any nodes ---- */

/* Count nodes by their coordinates, one dimension after the other. Those of a
 * row mostly follow each other. */
static int count_nodes (const tori_machine *machine, const uint32_t ids[],
                        size_t n, uint32_t counts[], tori_error *err)
{
    const uint32_t *size = machine->shape.size;
    int last = machine->shape.ndims - 1;
    for (int d = 0; d < last; d++)
        counts += size[d];
    for (size_t i = 0; i < n;) {
        uint32_t row = ids[i] / size[last], first = row * size[last];
        uint32_t *at = counts;
        size_t begin = i;
        if (node_check (machine, ids[i], err) < 0)
            return -1;
        for (; i < n && ids[i] - first < size[last]; i++)
            at[ids[i] - first]++;
        for (int d = last - 1; d >= 0; d--) {
            at -= size[d];
            at[row % size[d]] += (uint32_t)(i - begin);
            row /= size[d];
        }
    }
    return 0;
}

static int counted_pairwise (const tori_machine *machine,
                             const uint32_t ids[], size_t n, wide *ret_sum,
                             tori_error *err)
{
    uint32_t *counts, *at;
    size_t room = 0;
    wide sum = 0;
    for (int d = 0; d < machine->shape.ndims; d++)
        room += machine->shape.size[d];
    counts = at = calloc (room, sizeof *counts);
    if (!counts)
        return tori_error_nomem (err);
    if (count_nodes (machine, ids, n, counts, err) < 0) {
        free (counts);
        return -1;
    }
    for (int d = 0; d < machine->shape.ndims; d++) {
        uint32_t size = machine->shape.size[d];
        sum += sum_up (machine, d, (struct walk){.histogram = at, .n = size},
                       n);
        at += size;
    }
    free (counts);
    *ret_sum = sum;
    return 0;
}

/* The dimension that has all nodes of the machine in its line, or -1. */
static int only_dim (const tori_machine *machine)
{
    for (int d = 0; d < machine->shape.ndims; d++)
        if (machine->shape.size[d] == machine->nodes)
            return d;
    return -1;
}

int nodes_pairwise (const tori_machine *machine, const uint32_t ids[],
                    size_t n, bool in_order, uint64_t *ret_sum,
                    tori_error *err)
{
    int dim = only_dim (machine);
    wide sum = 0;
    if (in_order && dim >= 0)
        sum = sum_up (machine, dim, (struct walk){.ids = ids, .n = n}, n);
    else if (counted_pairwise (machine, ids, n, &sum, err) < 0)
        return -1;
    *ret_sum = fitting (sum);
    return 0;
}

int tori_nodes_pairwise (const tori_machine *machine, const uint32_t ids[],
                         size_t n, uint64_t *ret_sum, tori_error *err)
{
    bool in_order = n > 0 && ids[n - 1] < machine->nodes;
    for (size_t i = 1; i < n; i++)
        in_order &= ids[i - 1] < ids[i];
    return nodes_pairwise (machine, ids, n, in_order, ret_sum, err);
}
