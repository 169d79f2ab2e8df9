#include "ringfold.h"

#include <limits.h>

/* ---- the dimensions of each side ---- */

enum { NOBODY = -1 };

/* The owners of each dimension of the box: one side of the job, or two. */
struct ring_owners {
    int8_t side[TORI_MAX_DIMS][2];
};

struct sharing_out {
    const tori_shape *box;
    uint32_t closable;
    bool lines;
    tori_shape job; /* sorted, so that all rotations get the same */
    uint32_t left[TORI_MAX_DIMS]; /* the factor of each side that has no
                                   * dimension yet */
    struct ring_owners now, best;
    int fewest; /* closed in the best; INT_MAX: none yet */
    uint32_t closed;
};

static bool may_close (const struct sharing_out *s, int dim)
{
    return s->closable >> dim & 1;
}

/* The dimensions that have to be closed for one side, as bits; false if it
 * cannot be done. */
static bool close_side (const struct sharing_out *s, int side,
                        uint32_t *closed)
{
    int parts = 0, ring = NOBODY;
    bool even = false;
    for (int d = 0; d < s->box->ndims; d++)
        for (int half = 0; half < 2; half++) {
            if (s->now.side[d][half] != side)
                continue;
            parts++;
            even |= s->box->size[d] % 2 == 0;
            if (ring == NOBODY && may_close (s, d))
                ring = d;
        }
    if (s->job.size[side] == 2 || (parts > 1 && even))
        return true;
    if (ring == NOBODY)
        return false;
    *closed |= UINT32_C (1) << ring;
    return true;
}

/* Compare an assignment in which all dimensions have an owner. */
static void weigh_owners (struct sharing_out *s)
{
    uint32_t closed = 0;
    int n;
    for (int d = 0; d < s->box->ndims; d++)
        if (s->now.side[d][1] != NOBODY)
            closed |= UINT32_C (1) << d;
    for (int i = 0; i < s->job.ndims; i++)
        if (s->job.size[i] > 1 && !s->lines && !close_side (s, i, &closed))
            return;
    n = __builtin_popcount (closed);
    if (n < s->fewest) {
        s->fewest = n;
        s->closed = closed;
        s->best = s->now;
    }
}

/* Whether a side can take a part of this size. Among equal sides that have
 * nothing yet, only the first need be tried. */
static bool takes_part (const struct sharing_out *s, int side, uint32_t part)
{
    if (part == 1 || s->left[side] % part != 0)
        return false;
    for (int i = 0; s->left[side] == s->job.size[side] && i < side; i++)
        if (s->left[i] == s->left[side]
            && s->job.size[i] == s->job.size[side])
            return false;
    return true;
}

static void give_out (struct sharing_out *s, int dim);

static void give_whole (struct sharing_out *s, int dim)
{
    uint32_t size = s->box->size[dim];
    for (int i = 0; i < s->job.ndims; i++) {
        if (!takes_part (s, i, size))
            continue;
        s->left[i] /= size;
        s->now.side[dim][0] = (int8_t)i;
        give_out (s, dim + 1);
        s->now.side[dim][0] = NOBODY;
        s->left[i] *= size;
    }
}

/* The second half of a closed 4 goes to a side after that of the first. */
static void give_halves (struct sharing_out *s, int dim)
{
    for (int i = 0; i < s->job.ndims; i++) {
        if (!takes_part (s, i, 2))
            continue;
        s->left[i] /= 2;
        s->now.side[dim][0] = (int8_t)i;
        for (int j = i + 1; j < s->job.ndims; j++) {
            if (!takes_part (s, j, 2))
                continue;
            s->left[j] /= 2;
            s->now.side[dim][1] = (int8_t)j;
            give_out (s, dim + 1);
            s->now.side[dim][1] = NOBODY;
            s->left[j] *= 2;
        }
        s->now.side[dim][0] = NOBODY;
        s->left[i] *= 2;
    }
}

static void give_out (struct sharing_out *s, int dim)
{
    if (s->fewest == 0)
        return;
    if (dim == s->box->ndims) {
        weigh_owners (s);
        return;
    }
    if (s->box->size[dim] == 1) {
        give_out (s, dim + 1);
        return;
    }
    give_whole (s, dim);
    if (s->box->size[dim] == 4 && may_close (s, dim))
        give_halves (s, dim);
}

/* ---- the parts, in the order of the comb ---- */

/* The part that the comb is made of goes first: a closed one if all are odd,
 * else an even one. */
static bool leads_comb (const struct ringfold *fold,
                        const struct ringfold_part *part, bool even)
{
    return even ? part->size % 2 == 0 : fold->closed >> part->dim & 1;
}

static void put_leader_first (const struct ringfold *fold,
                              struct ringfold_part part[], int n)
{
    bool even = false;
    for (int i = 0; i < n; i++)
        even |= part[i].size % 2 == 0;
    for (int i = 0; i < n; i++)
        if (leads_comb (fold, &part[i], even)) {
            struct ringfold_part leader = part[i];
            for (; i > 0; i--)
                part[i] = part[i - 1];
            part[0] = leader;
            return;
        }
}

static void set_parts (struct ringfold *fold, const struct ring_owners *owners)
{
    uint8_t n = 0;
    for (int i = 0; i < fold->job.ndims; i++) {
        fold->first[i] = n;
        for (int d = 0; d < fold->box.ndims; d++) {
            bool half = owners->side[d][1] != NOBODY;
            for (int which = 0; which < 2; which++)
                if (owners->side[d][which] == i)
                    fold->part[n++] = (struct ringfold_part){
                        (uint8_t)d, which > 0, half ? 2 : fold->box.size[d]};
        }
        put_leader_first (fold, fold->part + fold->first[i],
                          n - fold->first[i]);
    }
    fold->first[fold->job.ndims] = n;
}

/* From the sorted sides back to those of the job: for each in turn, the first
 * that is as long. */
static void unsort_sides (struct sharing_out *s, const tori_shape *job)
{
    int8_t now[TORI_MAX_DIMS];
    uint32_t done = 0;
    for (int i = 0; i < job->ndims; i++) {
        int at = 0;
        while (done >> at & 1 || job->size[at] != s->job.size[i])
            at++;
        done |= UINT32_C (1) << at;
        now[i] = (int8_t)at;
    }
    for (int d = 0; d < s->box->ndims; d++) {
        int8_t *of = s->best.side[d];
        for (int half = 0; half < 2; half++)
            of[half] = of[half] == NOBODY ? NOBODY : now[of[half]];
        if (of[1] != NOBODY && of[1] < of[0]) { /* either half will do */
            int8_t first = of[1];
            of[1] = of[0];
            of[0] = first;
        }
    }
}

static bool find_fold (const tori_shape *job, const tori_shape *box,
                       uint32_t closable, bool lines,
                       struct ringfold *ret_fold)
{
    struct sharing_out s = {box, closable, lines, *job, .fewest = INT_MAX};
    if (tori_shape_volume (job) != tori_shape_volume (box))
        return false;
    tori_shape_sort (&s.job);
    for (int i = 0; i < job->ndims; i++)
        s.left[i] = s.job.size[i];
    for (int d = 0; d < box->ndims; d++)
        s.now.side[d][0] = s.now.side[d][1] = NOBODY;
    give_out (&s, 0);
    if (s.fewest == INT_MAX)
        return false;
    unsort_sides (&s, job);
    *ret_fold = (struct ringfold){.job = *job, .box = *box,
                                  .lines = lines, .closed = s.closed};
    set_parts (ret_fold, &s.best);
    return true;
}

bool ringfold_find (const tori_shape *job, const tori_shape *box,
                    uint32_t closable, struct ringfold *ret_fold)
{
    return find_fold (job, box, closable, false, ret_fold);
}

bool ringfold_find_lines (const tori_shape *job, const tori_shape *box,
                          uint32_t closable, struct ringfold *ret_fold)
{
    return find_fold (job, box, closable, true, ret_fold);
}

/* ---- the map ---- */

/* Halves of a closed 4 are the bits of a Gray code. */
static void add_part_coords (const struct ringfold_part *part, uint32_t at,
                             uint32_t coords[])
{
    uint32_t *to = &coords[part->dim];
    if (!part->high)
        *to = at;
    else if (at)
        *to = 3 - *to;
}

/* The t-th node of a path to and fro through all parts. */
static void walk_snake (const struct ringfold_part part[], int n, uint32_t t,
                        uint32_t coords[])
{
    for (int i = n - 1; i >= 0; i--) {
        uint32_t at = t % part[i].size;
        t /= part[i].size;
        add_part_coords (&part[i], t % 2 ? part[i].size - 1 - at : at, coords);
    }
}

struct comb_cell {
    uint32_t row, column;
};

/* The t-th node of a closed path through a grid: along row 0, back and forth
 * in the others without their column 0, and home through that. The last row
 * ends beside column 0 if the rows are even in number, or if the columns are a
 * ring. */
static struct comb_cell walk_comb (uint32_t rows, uint32_t columns, uint32_t t)
{
    uint32_t tooth = columns - 1, row;
    if (t < columns)
        return (struct comb_cell){0, t};
    if (t >= columns + (rows - 1) * tooth)
        return (struct comb_cell){rows * columns - t, 0};
    row = 1 + (t - columns) / tooth;
    t = (t - columns) % tooth;
    return (struct comb_cell){row, row % 2 ? tooth - t : 1 + t};
}

static void walk_ring (const struct ringfold_part part[], int n,
                       uint32_t length, uint32_t t, uint32_t coords[])
{
    uint32_t size = part->size;
    struct comb_cell at;
    if (n == 1) {
        add_part_coords (part, t, coords);
        return;
    }
    if (size % 2 == 0) { /* its coordinates are the rows */
        at = walk_comb (size, length / size, t);
    } else {
        at = walk_comb (length / size, size, t);
        at = (struct comb_cell){at.column, at.row};
    }
    add_part_coords (part, at.row, coords);
    walk_snake (part + 1, n - 1, at.column, coords);
}

/* First halves come before second ones, as their sides do. */
void ringfold_coords (const struct ringfold *fold, const uint32_t coords[],
                      uint32_t ret_coords[])
{
    for (int d = 0; d < fold->box.ndims; d++)
        ret_coords[d] = 0;
    for (int i = 0; i < fold->job.ndims; i++) {
        const struct ringfold_part *part = fold->part + fold->first[i];
        int n = fold->first[i + 1] - fold->first[i];
        if (fold->lines)
            walk_snake (part, n, coords[i], ret_coords);
        else if (n > 0)
            walk_ring (part, n, fold->job.size[i], coords[i], ret_coords);
    }
}
