#include "stairs.h"

#include <stdlib.h>

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

uint32_t stairs_find (const struct stairs *stairs, tori_wide time)
{
    uint32_t i = 1;
    if (stairs->most[1] < time)
        return STAIRS_NONE;
    while (i < stairs->leaves)
        i = 2 * i + (stairs->most[2 * i] < time);
    return i - stairs->leaves;
}

tori_wide stairs_left (const struct stairs *stairs, uint32_t at)
{
    return stairs->most[stairs->leaves + at];
}

/* ---- the list ---- */

uint32_t stairs_before (const struct stairs *stairs, uint32_t at)
{
    return stairs->step[at].before;
}

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
    if (last != STAIRS_NONE && stairs_left (stairs, last) == left)
        stairs->step[last].width += end - cells;
    else
        insert_interval (stairs, cells, end - cells, left, last, STAIRS_NONE);
    stairs->cells = end;
}

void stairs_use_up (struct stairs *stairs, uint32_t at, uint32_t width)
{
    struct stair_step old = stairs->step[at];
    tori_wide left = stairs_left (stairs, at);
    stairs->step[at].width = 0;
    set_left (stairs, at, 0);
    if (old.width > width)
        insert_interval (stairs, at + width, old.width - width, left,
                         old.before, old.after);
    else
        join_intervals (stairs, old.before, old.after);
}

void stairs_split (struct stairs *stairs, uint32_t at, uint32_t width,
                   tori_wide left)
{
    struct stair_step old = stairs->step[at];
    tori_wide rest = stairs_left (stairs, at);
    stairs->step[at].width = width;
    set_left (stairs, at, left);
    if (old.width > width)
        insert_interval (stairs, at + width, old.width - width, rest, at,
                         old.after);
}
