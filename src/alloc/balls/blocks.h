/* blocks.h - eight centres side by side; the inside of centres.h. */
#ifndef TORI_ALLOC_BLOCKS_H
#define TORI_ALLOC_BLOCKS_H

#include "diamonds.h"
#include "levels.h"
#include "twins.h"

struct centres {
    struct levels levels;
    struct diamonds diamonds;
    struct field *field; /* of one of these */
    struct twins twins;
    uint64_t *bound; /* a centre */
    uint64_t *least; /* of the bounds of eight */
    size_t dense;    /* room for so many centres */

    lanes *room[AXES + 1]; /* of the following */
    lanes *taken[AXES];    /* of the surface, by offset from the centre */
    lanes *caps[2];        /* nodes behind a step to the left, the right */
    size_t reach;          /* room of these */

    uint32_t flush; /* squares of k whose sum fits 32 bits */
    uint32_t chord; /* g of bounds.c */
    uint64_t best;
    uint32_t best_node;
};

struct block {
    uint32_t coords[AXES]; /* of the first; the last one goes up by lanes */
    size_t dense;          /* where the first is in dense rows */
    int64_t at;            /* and in tables */
};

static inline struct block block_at (const struct centres *centres, size_t row,
                                     uint32_t z)
{
    const struct axis *axes = centres->field->axes;
    struct block block = {
        .coords = {axes[0].first + (uint32_t)(row / axes[1].own),
                   axes[1].first + (uint32_t)(row % axes[1].own),
                   axes[2].first + z},
        .dense = row * centres->field->width + z,
    };
    for (int a = 0; a < AXES; a++)
        block.at += axes[a].at[block.coords[a]];
    return block;
}

static inline uint32_t block_node (const struct centres *centres,
                                   const struct block *block, int lane)
{
    const struct axis *axes = centres->field->axes;
    return (block->coords[0] * axes[1].size + block->coords[1])
               * axes[2].size
           + block->coords[2] + (uint32_t)lane;
}

/* How far to go to one side within a radius: for the last axis, until the
 * lanes are all beyond the edge. */
static inline uint32_t limit (const struct centres *centres,
                       const struct block *block, int axis, int side,
                       uint32_t radius)
{
    const struct axis *a = &centres->field->axes[axis];
    uint32_t c = block->coords[axis];
    uint32_t edge = side ? a->size - 1 - c
                         : c + (axis == AXES - 1 ? LANES - 1 : 0);
    return least (radius, a->wraps ? a->half[side] : edge);
}

/* ---- sums ---- */

/* What the nodes of eight centres add up to: distances from the centre, and
 * sums of products that are no greater than k^2. One is of the squares of the
 * nodes behind each step away from the centre; see bounds.c for the others. */
enum { SQUARES, GAINS, PRODUCTS };

struct sums {
    struct wides away;
    struct wides of[PRODUCTS];
    uint64_t more[PRODUCTS][LANES]; /* moved here lest it overflow */
    uint32_t room;                  /* how many products may yet be added */
    bool moved;
};

void sums_start (const struct centres *centres, struct sums *sums);

/* Make room for so many products, or as many as there can be. */
void sums_need (const struct centres *centres, struct sums *sums,
                uint32_t products);

/* The sum of a kind of products by lane. */
void sums_total (const struct sums *sums, int kind,
                 uint64_t ret_total[LANES]);

/* Round a ring, two nodes on either side are nearer the other way if they
 * are more than half the ring apart: what that saves, from the nodes behind
 * each step to the left and to the right, goes to the squares. */
void sums_opposite (const struct centres *centres, const struct axis *a,
                    const uint32_t steps[2], struct sums *sums);

/* One more step away from the centre with c nodes behind it. */
static inline void sums_step (struct sums *sums, lanes c)
{
    quad low = widen_low (c), high = widen_high (c);
    sums->away.low += low;
    sums->away.high += high;
    sums->of[SQUARES].low += low * low;
    sums->of[SQUARES].high += high * high;
}

/* ---- a search ---- */

/* Look for k nodes. False if the machine or the number does not suit. */
bool centres_start (struct centres *centres, const tori_state *state,
                    uint32_t k);

/* Room for what is kept by centre of the field, and by offset up to a radius.
 * -1 without memory. */
int centres_room (struct centres *centres, uint32_t radius, tori_error *err);

/* A centre of this sum: if it is the best so far, it is kept. */
void centres_consider (struct centres *centres, uint32_t node, uint64_t sum);

/* Try all centres of the field that may be better. */
void centres_search (struct centres *centres);

/* ---- bounds and surfaces ---- */

/* No centre of the block has a lesser sum than its bound, which this finds;
 * centres that are not allowed have none. Returns the least. */
uint64_t bound_block (struct centres *centres, const struct block *block);

/* Take what is missing to k nodes from the surface of the balls of this
 * radius, in the order of ids, for the lanes that are marked, into `taken`. */
void take_surface (struct centres *centres, const struct block *block,
                   uint32_t radius, lanes marked);

#endif
