/* line.h - the free nodes of a machine along an order, and their runs.
 *
 * An allocator on a curve is asked again and again, about states that differ
 * by a job or two from the one before. Putting all nodes in order each time
 * would cost more than everything else, so a line keeps the set of free nodes
 * by position, next to a copy of the set by id that it was made from.
 * Comparing the copy with the state tells which bits to move: a job's worth of
 * them. A set of this kind depends on nothing but the state, whatever came
 * before.
 *
 * Runs of free positions are found a word at a time.
 */
#ifndef TORI_ALLOC_LINE_H
#define TORI_ALLOC_LINE_H

#include <tori/state.h>

#include "orders.h"

/* Consecutive positions that are free; those before and after are not. */
struct run {
    uint32_t first;
    uint32_t count;
};

struct line;

/* A line along an order, NULL for the order of ids. It takes its memory, a
 * dozen bytes a node (none in the order of ids), when first used. The machine
 * must outlive it. NULL without memory. */
struct line *line_create (const tori_machine *machine, order_fn *order,
                          tori_error *err);
void line_destroy (struct line *line);

/* Bring it up to date with a state, which must not change before the calls
 * below are done. -1 without memory, which only the first call needs. */
int line_update (struct line *line, const tori_state *state, tori_error *err);

/* Visit the runs of `least` positions or more, in order, until `visit` returns
 * true. */
typedef bool line_visit_fn (void *arg, const struct run *run);
void line_each (const struct line *line, uint32_t least, line_visit_fn *visit,
                void *arg);

/* The first position from which on `count` free nodes span the least; no run
 * may be that long, and so many must be free. */
uint32_t line_least_span (const struct line *line, uint32_t count);

/* The ids of `count` free nodes from a free position on, in ascending
 * order. */
void line_collect (struct line *line, uint32_t first, uint32_t count,
                   uint32_t ids[]);

#endif
