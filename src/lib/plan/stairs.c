#include "stairs.h"

#include <stdlib.h>

/* An interval is named by its first cell. */
#define STAIRS_NONE UINT32_MAX

struct stair_step {
    uint32_t width; /* 0: no interval begins here */
    uint32_t before, after;
};

struct stairs {
    uint32_t cells; /* that are there, used up or not */
    uint32_t first, last;
    uint32_t leaves; /* a power of two */
    struct stair_step *step;
    tori_wide *most; /* the tree: root 1, children 2i and 2i+1, leaves last;
                        0 where nothing is left */
};

struct stairs *stairs_create (uint32_t cells)
{
    struct stairs *stairs = calloc (1, sizeof *stairs);
    if (!stairs)
        return NULL;
    stairs->first = stairs->last = STAIRS_NONE;
    for (stairs->leaves = 1; stairs->leaves < cells;)
        stairs->leaves *= 2;
    stairs->step = calloc (stairs->leaves, sizeof *stairs->step);
    stairs->most = calloc (2 * (size_t)stairs->leaves, sizeof *stairs->most);
    if (!stairs->step || !stairs->most) {
        stairs_destroy (stairs);
        return NULL;
    }
    return stairs;
}

void stairs_destroy (struct stairs *stairs)
{
    if (!stairs)
        return;
    free (stairs->step);
    free (stairs->most);
    free (stairs);
}

/* ---- the tree ---- */

static void set_left (struct stairs *stairs, uint32_t at, tori_wide left)
{
    tori_wide *most = stairs->most;
    uint32_t i = stairs->leaves + at;
    most[i] = left;
    for (i /= 2; i > 0; i /= 2) {
        tori_wide more =
            most[2 * i] > most[2 * i + 1] ? most[2 * i] : most[2 * i + 1];
        if (most[i] == more)
            return;
        most[i] = more;
    }
}

/* The first interval with at least this much time left, or STAIRS_NONE. */
static uint32_t find_interval (const struct stairs *stairs, tori_wide time)
{
    uint32_t i = 1;
    if (stairs->most[1] < time)
        return STAIRS_NONE;
    while (i < stairs->leaves)
        i = 2 * i + (stairs->most[2 * i] < time);
    return i - stairs->leaves;
}

static tori_wide left_at (const struct stairs *stairs, uint32_t at)
{
    return stairs->most[stairs->leaves + at];
}

/* ---- the list ---- */

/* Make two intervals, or the ends of the list, neighbours. */
static void join_intervals (struct stairs *stairs, uint32_t before,
                            uint32_t after)
{
    if (before == STAIRS_NONE)
        stairs->first = after;
    else
        stairs->step[before].after = after;
    if (after == STAIRS_NONE)
        stairs->last = before;
    else
        stairs->step[after].before = before;
}

static void insert_interval (struct stairs *stairs, uint32_t at,
                             uint32_t width, tori_wide left, uint32_t before,
                             uint32_t after)
{
    stairs->step[at].width = width;
    join_intervals (stairs, before, at);
    join_intervals (stairs, at, after);
    set_left (stairs, at, left);
}

/* ---- changes of intervals ---- */

void stairs_extend (struct stairs *stairs, uint32_t end, tori_wide left)
{
    uint32_t last = stairs->last, cells = stairs->cells;
    if (end == cells)
        return;
    if (last != STAIRS_NONE && left_at (stairs, last) == left)
        stairs->step[last].width += end - cells;
    else
        insert_interval (stairs, cells, end - cells, left, last, STAIRS_NONE);
    stairs->cells = end;
}

/* The left `width` cells of an interval, which has as many or more, have no
 * time left. */
static void use_up (struct stairs *stairs, uint32_t at, uint32_t width)
{
    struct stair_step old = stairs->step[at];
    tori_wide left = left_at (stairs, at);
    stairs->step[at].width = 0;
    set_left (stairs, at, 0);
    if (old.width > width)
        insert_interval (stairs, at + width, old.width - width, left,
                         old.before, old.after);
    else
        join_intervals (stairs, old.before, old.after);
}

/* They have `left`, which is more than the interval before has and less than
 * this one. */
static void split_interval (struct stairs *stairs, uint32_t at, uint32_t width,
                            tori_wide left)
{
    struct stair_step old = stairs->step[at];
    tori_wide rest = left_at (stairs, at);
    stairs->step[at].width = width;
    set_left (stairs, at, left);
    if (old.width > width)
        insert_interval (stairs, at + width, old.width - width, rest, at,
                         old.after);
}

/* Step 1: there is no such interval. Step 3: an interval has exactly the time.
 * Otherwise the job takes all of the interval before, and the rest from this
 * one (step 4); nothing, if there is none before (step 2). */
int stairs_place (struct stairs *stairs, uint32_t width, tori_wide time,
                  struct stair_part part[2])
{
    uint32_t at = find_interval (stairs, time), before;
    tori_wide left, all = 0;
    if (at == STAIRS_NONE)
        return 0;
    left = left_at (stairs, at);
    if (left == time) {
        part[0] = (struct stair_part){at, left, time};
        use_up (stairs, at, width);
        return 1;
    }
    before = stairs->step[at].before;
    if (before != STAIRS_NONE) {
        all = left_at (stairs, before);
        part[1] = (struct stair_part){before, all, all};
        use_up (stairs, before, width);
    }
    part[0] = (struct stair_part){at, left, time - all};
    split_interval (stairs, at, width, left - (time - all));
    return before == STAIRS_NONE ? 1 : 2;
}
