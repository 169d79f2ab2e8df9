/* ballrows.h - how many free nodes are in the balls across a dimension.
 *
 * The nodes of a ball that share a coordinate of some dimension, `along`, are
 * a ball in the other dimensions, with the radius that is left. The counts of
 * these balls are kept in rows, one row per node: slot 0 is for radius -1,
 * which has no nodes, slot 1 for radius 0 and so on. The rows of all nodes
 * would take too much memory. But one of the other dimensions, `across`, can
 * be counted first, from the nodes themselves. After that no row needs a row
 * at another coordinate of that dimension. So rows are kept for one slab at a
 * time: the nodes of one coordinate.
 *
 * With c(x, r) counted in some dimensions, one more makes
 *
 *     before(x, r) = c(x, r) + before(x-1, r-1)
 *     beyond(x, r) = c(x, r) + beyond(x+1, r-1)
 *     all(x, r) = before(x, r) + beyond(x+1, r-1)
 *
 * The radii are consecutive in memory, so each line is an addition of vectors.
 * If a dimension wraps, x goes round as often as r allows, and the part
 * farther than half way is subtracted from `all`. */
#ifndef TORI_ALLOC_BALLROWS_H
#define TORI_ALLOC_BALLROWS_H

#include "ballspace.h"

struct ball_rows {
    const struct ball_space *space;
    uint8_t *open; /* 1 if a node is free */
    int along, across;
    uint32_t radius; /* the counts go up to this */
    size_t row;      /* slots, some more */
    bool sides;      /* `before` and `beyond` of the first dimension, too */
    size_t before, beyond; /* their distance from the row of all */
    size_t step;           /* to the row next to it in the first dimension */
    uint32_t *slots;       /* rows of a slab; before them one that is read */
    uint32_t *sums; /* lines along `across`: free nodes before a coordinate */
    size_t line;    /* sums of one */
    uint32_t *lines; /* rows of a line */
    size_t slots_room, sums_room, lines_room;
    const uint32_t **at; /* the rows of a line, also beyond its ends */
};

/* Initialise from all zeros; a second call does nothing. -1 without memory;
 * ball_rows_clear is needed in any case. */
int ball_rows_init (struct ball_rows *rows, const struct ball_space *space,
                    tori_error *err);
void ball_rows_clear (struct ball_rows *rows);

void ball_rows_load (struct ball_rows *rows, const uint64_t *free_nodes);

/* Go on to balls across this dimension. If it is not the first and there are
 * more than two, there are two more rows per node: one for the nodes of a ball
 * whose coordinate of the first dimension is no higher, and one for those
 * whose coordinate is no lower, round a ring again and again. -1 without
 * memory. */
int ball_rows_start (struct ball_rows *rows, int along, tori_error *err);

/* The sums of a line along `across`: from coordinate a up to b, b not
 * included, there are sums[b] - sums[a] free nodes. Round a ring, coordinates
 * go one round below 0 and one beyond the end. */
static inline const uint32_t *ball_rows_sums (const struct ball_rows *rows,
                                              uint32_t line)
{
    const struct ball_axis *axis = &rows->space->axes[rows->across];
    return rows->sums + 1 + line * rows->line
           + (axis->wraps ? axis->size : 0);
}

/* In two dimensions, the nodes nearer than a radius to a centre are in one
 * piece of each line across. How many there are on the lines from one offset
 * to another along the other dimension; and on each line of the ball, by its
 * offset. */
uint32_t ball_rows_within (const struct ball_rows *rows,
                           const uint32_t centre[], uint32_t radius,
                           int64_t from, int64_t to);
void ball_rows_pieces (const struct ball_rows *rows, const uint32_t centre[],
                       uint32_t radius, uint32_t *histogram);

/* Count for a slab, up to this radius or some more. 1, 0 if that takes more
 * than half a GiB, -1 without memory. */
int ball_rows_count (struct ball_rows *rows, uint32_t slab, uint32_t radius,
                     tori_error *err);

/* The nodes of a slab. */
uint32_t ball_rows_nodes (const struct ball_rows *rows);
uint32_t ball_rows_node (const struct ball_rows *rows, uint32_t slab,
                         uint32_t index);

/* A line of a slab along the dimension. */
struct ball_line {
    uint32_t index;                 /* of its first node in the slab */
    uint32_t first, step;           /* its nodes in the machine */
    uint32_t coords[TORI_MAX_DIMS]; /* of the first one */
    const uint32_t *const *at; /* the row of each coordinate, and of those
                                  next to the ends round a ring */
};

/* The first line of a slab, or the next; false past the end. */
bool ball_rows_line (struct ball_rows *rows, uint32_t slab, bool first,
                     struct ball_line *line);

/* The counts of whole balls around the nodes of a line: rows, one after the
 * other. They are there until the next are asked for. */
const uint32_t *ball_rows_whole (struct ball_rows *rows,
                                 const struct ball_line *line);

#endif
