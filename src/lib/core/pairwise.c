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
#include <string.h>

#include "compare.h"
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

/* A walk over stretches in ascending order: those of ids, or of a histogram of
 * coordinates. */
struct pair_walk {
    const uint32_t *ids; /* or NULL */
    const uint32_t *histogram;
    size_t at, n;
};

static bool next_counted (struct pair_walk *walk, struct stretch *ret)
{
    const uint32_t *counts = walk->histogram;
    size_t at = walk->at, end;
    while (at < walk->n && counts[at] == 0)
        at++;
    for (end = at; end < walk->n && counts[end] == counts[at]; end++)
        ;
    walk->at = end;
    if (at == end)
        return false;
    *ret = (struct stretch){(uint32_t)at, (uint32_t)(end - at), counts[at]};
    return true;
}

static bool next_stretch (struct pair_walk *walk, struct stretch *ret)
{
    if (!walk->ids)
        return next_counted (walk, ret);
    if (walk->at == walk->n)
        return false;
    *ret = (struct stretch){
        walk->ids[walk->at],
        (uint32_t)consecutive (walk->ids + walk->at, walk->n - walk->at), 1};
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

/* Along a line a step is taken by as many pairs as have it between them. Also
 * tells how far apart the first and the last node are. */
static wide along_line (struct pair_walk walk, uint64_t nodes,
                        uint32_t *ret_span)
{
    struct stretch is;
    uint64_t below = 0;
    uint32_t first = 0, last = 0;
    wide sum = 0;
    while (next_stretch (&walk, &is)) {
        uint32_t steps = is.length - 1;
        if (below == 0)
            first = is.first;
        sum += (wide)below * (nodes - below) * (is.first - last);
        below += is.each;
        if (steps > 0)
            sum += growing (below, nodes - below, is.each, steps);
        below += (uint64_t)is.each * steps;
        last = is.first + steps;
    }
    *ret_span = last - first;
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

static void pass_stretch (struct passed *passed, const struct stretch *is)
{
    passed->nodes += (wide)is->each * is->length;
    passed->coords += (wide)is->each * coords_of (is);
}

/* The hops saved by pairs of a passed node and a node of a stretch. */
static wide saved_over (uint32_t size, const struct passed *passed,
                        const struct stretch *is)
{
    wide apart = passed->nodes * coords_of (is) - passed->coords * is->length;
    return is->each * (2 * apart - passed->nodes * is->length * size);
}

/* The hops saved by pairs of a node of stretch `a` and a later node, in
 * another stretch or in the same one. */
static wide saved_between (uint32_t size, const struct stretch *a,
                           const struct stretch *b)
{
    int64_t apart = (int64_t)b->first - a->first, end = apart + b->length;
    wide saved = saved_up_to (size, end - 1) - saved_up_to (size, apart - 1)
                 - saved_up_to (size, end - 1 - a->length)
                 + saved_up_to (size, apart - 1 - a->length);
    return saved * a->each * b->each;
}

/* The hops saved by all pairs: of every stretch with what it has passed, and
 * with what only a part of it has passed, which may be itself. */
static wide saved_round (struct pair_walk walk, uint32_t size)
{
    struct pair_walk behind = walk, ahead;
    struct stretch is, far, partly;
    struct passed passed = {0, 0};
    uint32_t over = size / 2 + 1;
    bool more = next_stretch (&behind, &far);
    wide saved = 0;
    while (next_stretch (&walk, &is)) {
        while (more && far.first + far.length - 1 + over <= is.first) {
            pass_stretch (&passed, &far);
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

static wide sum_up (const tori_machine *machine, int dim,
                    struct pair_walk walk, uint64_t nodes)
{
    uint32_t size = machine->shape.size[dim], span;
    wide sum = along_line (walk, nodes, &span);
    if (tori_machine_wraps (machine, dim) && span > size / 2)
        sum -= saved_round (walk, size);
    return sum;
}

/* ---- any nodes, counted by their coordinates ---- */

/* A dimension. Units are counted: nodes in the last dimension, then
 * rows of them, planes, and so on, each with so many nodes. Those that follow
 * one another are counted together, however many. */
struct level {
    uint32_t size;
    uint32_t *counts; /* nodes at a coordinate, less those before it */
    uint32_t row;     /* what was counted last is of this row of units, */
    uint32_t waiting; /* and so many nodes of it are not counted above yet */
};

static void count_units (struct level *level, int dim, uint32_t first,
                         uint32_t n, uint32_t each);

/* Nodes of one row of units. */
static void count_row (struct level *level, int dim, uint32_t row,
                       uint32_t nodes)
{
    struct level *is = &level[dim];
    if (row != is->row && is->waiting > 0 && dim > 0) {
        count_units (level, dim - 1, is->row, 1, is->waiting);
        is->waiting = 0;
    }
    is->row = row;
    is->waiting += nodes;
}

/* Count n units from `first` on, each with so many nodes: up to the end of a
 * row, then whole rows, then the rest. */
static void count_units (struct level *level, int dim, uint32_t first,
                         uint32_t n, uint32_t each)
{
    struct level *is = &level[dim];
    uint32_t row = is->row, at = first - row * is->size, more;
    if (at >= is->size) {
        row = first / is->size;
        at = first - row * is->size;
    }
    while (n > 0) {
        more = n < is->size - at ? n : is->size - at;
        if (more == is->size && n >= 2 * is->size) {
            uint32_t rows = n / is->size;
            is->counts[0] += rows * each;
            count_units (level, dim - 1, row, rows, is->size * each);
            row += rows;
            n -= rows * is->size;
            continue;
        }
        is->counts[at] += each;
        is->counts[at + more] -= each;
        count_row (level, dim, row++, more * each);
        n -= more;
        at = 0;
    }
}
/* How many ids at the front of a list are consecutive. */
static size_t run_length (const uint32_t ids[], size_t n, bool in_order)
{
    size_t length = 1;
    if (in_order)
        return consecutive (ids, n);
    while (length < n && ids[length] == ids[length - 1] + 1)
        length++;
    return length;
}

static int count_nodes (const tori_machine *machine, const uint32_t ids[],
                        size_t n, bool in_order, struct level level[],
                        tori_error *err)
{
    int last = machine->shape.ndims - 1;
    for (size_t i = 0; i < n;) {
        size_t length = run_length (ids + i, n - i, in_order);
        if (node_check (machine, ids[i], err) < 0
            || node_check (machine, ids[i + length - 1], err) < 0)
            return -1;
        count_units (level, last, ids[i], (uint32_t)length, 1);
        i += length;
    }
    for (int d = last; d > 0; d--)
        if (level[d].waiting > 0)
            count_units (level, d - 1, level[d].row, 1, level[d].waiting);
    return 0;
}

/* A short side is summed up step by step sooner than by stretches, in 64 bits
 * if there are few enough nodes. Counts are added up on the way. */
enum { SHORT_SIDE = 64 };
static const uint64_t FEW_NODES = (uint64_t)1 << 24;

static wide sum_short (const tori_machine *machine, int dim,
                       uint32_t counts[], uint64_t nodes)
{
    uint32_t size = machine->shape.size[dim], span = 0;
    uint64_t sum = 0, below = counts[0];
    for (uint32_t i = 1; i < size; i++) {
        uint64_t pairs = below * (nodes - below);
        span += pairs > 0;
        sum += pairs;
        counts[i] += counts[i - 1];
        below += counts[i];
    }
    if (tori_machine_wraps (machine, dim) && span > size / 2)
        sum -= (uint64_t)saved_round (
            (struct pair_walk){.histogram = counts, .n = size}, size);
    return sum;
}

static wide sum_long (const tori_machine *machine, int dim, uint32_t counts[],
                      uint64_t nodes)
{
    uint32_t size = machine->shape.size[dim];
    for (uint32_t i = 1; i < size; i++)
        counts[i] += counts[i - 1];
    return sum_up (machine, dim,
                   (struct pair_walk){.histogram = counts, .n = size}, nodes);
}

static wide sum_counted (const tori_machine *machine,
                         const struct level level[], uint64_t nodes)
{
    wide sum = 0;
    for (int d = 0; d < machine->shape.ndims; d++)
        sum += level[d].size <= SHORT_SIDE && nodes < FEW_NODES
                   ? sum_short (machine, d, level[d].counts, nodes)
                   : sum_long (machine, d, level[d].counts, nodes);
    return sum;
}

enum { FEW_COUNTS = 128 /* that need no memory */ };

static int counted_pairwise (const tori_machine *machine,
                             const uint32_t ids[], size_t n, bool in_order,
                             wide *ret_sum, tori_error *err)
{
    struct level level[TORI_MAX_DIMS];
    uint32_t few[FEW_COUNTS], *counts = few;
    size_t room = 0;
    int status;
    for (int d = 0; d < machine->shape.ndims; d++)
        room += machine->shape.size[d] + 1;
    if (room <= FEW_COUNTS)
        memset (few, 0, room * sizeof *few);
    else
        counts = calloc (room, sizeof *counts);
    if (!counts)
        return tori_error_nomem (err);
    room = 0;
    for (int d = 0; d < machine->shape.ndims; d++) {
        level[d] = (struct level){machine->shape.size[d], counts + room, 0, 0};
        room += machine->shape.size[d] + 1;
    }
    status = count_nodes (machine, ids, n, in_order, level, err);
    if (status == 0)
        *ret_sum = sum_counted (machine, level, n);
    if (counts != few)
        free (counts);
    return status;
}

/* The dimension that has all nodes of the machine in its line, or -1. */
static int only_dim (const tori_machine *machine)
{
    for (int d = 0; d < machine->shape.ndims; d++)
        if (machine->shape.size[d] == machine->nodes)
            return d;
    return -1;
}

/* ---- pods ---- */

/* Between cubes dimensions are not independent, but only positions count: how
 * many nodes are at each tells the sum, as if all were in different cubes. Pairs
 * of one cube are put right one by one. */
struct pod_pairs {
    const tori_machine *machine;
    uint32_t volume;  /* of a cube */
    uint32_t *ids;    /* ascending */
    uint32_t *counts; /* by position */
    uint32_t *at;     /* positions that have nodes */
    size_t n, positions;
};

/* Hops between two positions, in two cubes. */
static uint32_t distance_apart (const struct pod_pairs *it, uint32_t p,
                                uint32_t q)
{
    return tori_machine_distance (it->machine, p, it->volume + q);
}

static wide sum_positions (struct pod_pairs *it)
{
    wide sum = 0;
    for (size_t i = 0; i < it->n; i++) {
        uint32_t p = it->ids[i] % it->volume;
        if (it->counts[p]++ == 0)
            it->at[it->positions++] = p;
    }
    for (size_t i = 0; i < it->positions; i++) {
        uint32_t p = it->at[i];
        uint64_t here = it->counts[p];
        sum += (wide)triangle (here - 1) * distance_apart (it, p, p);
        for (size_t j = 0; j < i; j++)
            sum += (wide)(here * it->counts[it->at[j]])
                   * distance_apart (it, p, it->at[j]);
    }
    return sum;
}

static wide put_right (const struct pod_pairs *it, wide sum)
{
    uint32_t volume = it->volume;
    for (size_t i = 0; i < it->n; i++)
        for (size_t j = i;
             j-- > 0 && it->ids[j] / volume == it->ids[i] / volume;) {
            sum += tori_machine_distance (it->machine, it->ids[i], it->ids[j]);
            sum -=
                distance_apart (it, it->ids[i] % volume, it->ids[j] % volume);
        }
    return sum;
}

static int pod_pairwise (const tori_machine *machine, const uint32_t ids[],
                         size_t n, uint64_t *ret_sum, tori_error *err)
{
    struct pod_pairs it = {machine, grid_cube (machine), .n = n};
    int status = 0;
    for (size_t i = 0; i < n; i++)
        if (node_check (machine, ids[i], err) < 0)
            return -1;
    it.ids = malloc ((n + 1) * sizeof *it.ids);
    it.at = malloc ((n + 1) * sizeof *it.at);
    it.counts = calloc (it.volume, sizeof *it.counts);
    if (it.ids && it.at && it.counts) {
        for (size_t i = 0; i < n; i++)
            it.ids[i] = ids[i];
        qsort (it.ids, n, sizeof *it.ids, compare_ids);
        *ret_sum = fitting (put_right (&it, sum_positions (&it)));
    } else {
        status = tori_error_nomem (err);
    }
    free (it.ids);
    free (it.at);
    free (it.counts);
    return status;
}

/* ---- any nodes ---- */

int nodes_pairwise (const tori_machine *machine, const uint32_t ids[],
                    size_t n, bool in_order, uint64_t *ret_sum,
                    tori_error *err)
{
    int dim = only_dim (machine);
    wide sum = 0;
    if (n == 1 && node_check (machine, ids[0], err) < 0)
        return -1;
    if (n == 1) {
        *ret_sum = 0;
        return 0;
    }
    if (machine->apart)
        return pod_pairwise (machine, ids, n, ret_sum, err);
    if (in_order && dim >= 0)
        sum = sum_up (machine, dim, (struct pair_walk){.ids = ids, .n = n}, n);
    else if (counted_pairwise (machine, ids, n, in_order, &sum, err) < 0)
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
