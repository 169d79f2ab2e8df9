/* grid.h - the inside of a machine, and walking the nodes of a box.
 *
 * Every set of nodes (free, busy) and of link slots has one bit per node, in
 * the order of ids. So a box is a few runs of consecutive bits: one for each
 * row of its last dimension, or fewer where it spans all of the last
 * dimensions. If the last dimensions together fill words evenly (8x8 nodes
 * are one word), the part of a box in them is one pattern of bits, the same in
 * every word. All marking, testing and counting works on words with such
 * masks.
 */
#ifndef TORI_CORE_GRID_H
#define TORI_CORE_GRID_H

#include <tori/machine.h>

#include "linkage.h"

struct tori_machine {
    tori_shape shape;
    tori_kind kind[TORI_MAX_DIMS];
    struct linkage *line[TORI_MAX_DIMS]; /* of TORI_LINKED dimensions */
    uint32_t stride[TORI_MAX_DIMS]; /* ids between neighbours */
    uint32_t nodes;
    bool wraps; /* in any dimension */
    bool searched; /* in some dimension a free box may lack the links that the
                      rule of wiring gives it, so others are searched for */
    bool pods;  /* the first dimension counts pods */
    int apart;  /* so many dimensions count cubes and pods; 0: no pod */
    int block;  /* the dimensions from here on fill words of 64 evenly */
};

static inline bool kind_is_multitorus (tori_kind kind)
{
    return kind == TORI_MULTITORUS || kind == TORI_MULTITORUS_LEFT
           || kind == TORI_MULTITORUS_FACING;
}

/* Whether other links than those of the rule may wire a box. */
static inline bool kind_is_flexible (tori_kind kind)
{
    return kind_is_multitorus (kind) || kind == TORI_LINKED;
}

/* A walk over the runs of a box, in ascending order of ids, wrapped or not. */
struct runs {
    const tori_machine *machine;
    int outer;                     /* dimensions before the runs' own */
    uint32_t low[TORI_MAX_DIMS];   /* nodes of a wrapped box behind the wrap */
    uint32_t high[TORI_MAX_DIMS];  /* where its other part begins */
    uint32_t size[TORI_MAX_DIMS];
    uint32_t step[TORI_MAX_DIMS];  /* how far the walk is */
    uint64_t base;                 /* id of the outer coordinates */
    uint64_t first[2], count[2];   /* the one or two pieces of every run */
    int pieces;
    int piece;
    bool done;
};

struct runs runs_of_box (const tori_machine *machine, const tori_box *box);

/* The next run: `count` ids from `first` on. False past the end. */
bool runs_next (struct runs *runs, uint64_t *ret_first, uint64_t *ret_count);

/* Sets of bits over the nodes of a box. */
void grid_set (const tori_machine *machine, const tori_box *box,
               uint64_t *set);
void grid_clear (const tori_machine *machine, const tori_box *box,
                 uint64_t *set);
bool grid_any (const tori_machine *machine, const tori_box *box,
               const uint64_t *set);
uint64_t grid_count (const tori_machine *machine, const tori_box *box,
                     const uint64_t *set);

/* Clear a box in one set and set it in another. Returns how many bits were
 * set in the first. */
uint64_t grid_move (const tori_machine *machine, const tori_box *box,
                    uint64_t *from, uint64_t *to);

/* The same box with another extent in one dimension. Copies no more than the
 * dimensions there are. */
static inline tori_box box_with (const tori_box *box, int dim, uint32_t first,
                                 uint32_t count)
{
    tori_box other;
    other.shape.ndims = box->shape.ndims;
    for (int d = 0; d < box->shape.ndims; d++) {
        other.origin[d] = box->origin[d];
        other.shape.size[d] = box->shape.size[d];
    }
    other.origin[dim] = first;
    other.shape.size[dim] = count;
    return other;
}

/* Whether a box made by others is one of this machine: as many dimensions, its
 * origin a node, sides of 1 up to the machine's, and past the end of a side
 * only where that wraps. TORI_INVALID if it is not. */
int box_check (const tori_machine *machine, const tori_box *box,
               tori_error *err);

/* How many nodes two boxes have in common. */
uint64_t box_common (const tori_machine *machine, const tori_box *a,
                     const tori_box *b);

/* Whether two boxes are the same. */
bool box_equal (const tori_box *a, const tori_box *b);

/* TORI_INVALID for a pod, whose cubes are no grid: for what needs one. */
int grid_check (const tori_machine *machine, const char *what,
                tori_error *err);

/* TORI_INVALID unless it is a node of this machine. */
int node_check (const tori_machine *machine, uint32_t node, tori_error *err);

/* As tori_nodes_pairwise, where nodes that are said to be in order are of this
 * machine, ascending, each once. */
int nodes_pairwise (const tori_machine *machine, const uint32_t ids[],
                    size_t n, bool in_order, uint64_t *ret_sum,
                    tori_error *err);

/* How many nodes a cube of a pod has: with consecutive ids. */
static inline uint32_t grid_cube (const tori_machine *machine)
{
    return machine->stride[machine->apart - 1];
}

/* How many planes of its last two dimensions a cube of a pod has: pictures
 * keep them together. 0 on other machines. */
static inline uint32_t grid_cube_planes (const tori_machine *machine)
{
    uint32_t planes = machine->apart > 0;
    for (int d = machine->apart; d < machine->shape.ndims - 2; d++)
        planes *= machine->shape.size[d];
    return planes;
}

/* The coordinate of a node in one dimension. */
static inline uint32_t grid_coord (const tori_machine *machine, uint32_t id,
                                   int dim)
{
    return id / machine->stride[dim] % machine->shape.size[dim];
}

#endif
