/* isocube.h - the free nodes of a k-ary n-cube, as a tree of subcubes.
 *
 * The free nodes of a machine, by the subcubes of isospace.h: which sizes are
 * available, the place of the first, taking and giving back.
 *
 * A halving of more than six dimensions is done in several steps of up to six
 * bits, so that the children of a cell fit a word. Cells exist only for
 * subcubes of which part is free or was taken by parts: an idle machine has
 * none, whatever its size, and subcubes that are free or were taken as a whole
 * need none. A cell has
 *
 *   - a bit for each child that is free as a whole (the status bitmap);
 *   - a link to each child that is a cell itself; of the lowest step, the
 *     bitmap in place of the link;
 *   - for each size below a child's, a bit for each child under which it is
 *     available, and the sizes for which there is such a bit. These replace
 *     the paper's free lists: the first free subcube of any size is found by
 *     going down once, and a change goes up no further than it matters.
 *
 * A size is the logarithm of a number of nodes. It is available in a cell if
 * it can be taken without breaking up a subcube of a larger halving: as one
 * child or as a group of them (siblings.h), or, in a halving of several steps,
 * as a part of one. Children that are all free become one free subcube at
 * once. So the available sizes and the first place depend only on the set of
 * free nodes.
 *
 * If sides were rounded up, the nodes that do not exist are taken for ever. */
#ifndef TORI_ALLOC_ISOCUBE_H
#define TORI_ALLOC_ISOCUBE_H

#include "isospace.h"
#include "siblings.h"

struct cell;

union link {
    struct cell *cell;
    uint64_t bits;
};

struct cell {
    uint64_t free;   /* children free as a whole */
    uint64_t below;  /* sizes available under other children */
    union link at[]; /* a link per child; then, per size, the children with
                      * it */
};

/* A step of the partitioning, the lowest first. */
struct isocube_step {
    unsigned bits;   /* 2^bits children */
    unsigned low;    /* size of a child */
    unsigned fan;    /* 2^bits */
    uint64_t full;   /* all children */
    uint64_t whole;  /* sizes of this halving that any free child has */
    size_t size;     /* of a cell, in bytes */
};

struct isocube {
    struct isospace space;
    const struct siblings *rule;
    unsigned nsteps;
    struct isocube_step step[ISOSPACE_BITS];
    uint8_t step_of[ISOSPACE_BITS + 1]; /* by size */

    bool free; /* all of it */
    union link root;
    size_t bytes; /* of all cells */
    uint64_t idle; /* sizes available when all nodes are free */
    uint32_t free_count;

    uint64_t tops; /* the highest address bit of every step */
};

/* A place in the tree: some children of a cell, there already or not. */
struct isocube_spot {
    union link *at[ISOSPACE_BITS]; /* the way down, from `made` up */
    uint64_t address;             /* of the cell, in the order of the tree */
    uint64_t children;
    unsigned size;
    unsigned step; /* of the cell */
    unsigned made; /* the lowest step with a cell on the way; nsteps: none */
};

/* All nodes free. TORI_INVALID for machines whose sides, rounded up, would
 * take an unreasonable number of cells. */
int isocube_create (const tori_machine *machine, tori_hypercube rule,
                    struct isocube **ret_iso, tori_error *err);
void isocube_destroy (struct isocube *iso);

/* Whether this size is available if all nodes are free. */
static inline bool isocube_possible (const struct isocube *iso, unsigned size)
{
    return size <= iso->space.bits && iso->idle >> size != 0;
}

/* The available sizes. The largest is the largest of all; smaller ones that
 * are missing are parts of larger ones. */
uint64_t isocube_sizes (const struct isocube *iso);
bool isocube_is_free (const struct isocube *iso, uint64_t address);

/* The place of the first subcube of this size (Algorithms 1 and 2): one that
 * is available, else in the smallest larger subcube that is free. */
bool isocube_find (struct isocube *iso, unsigned size,
                   struct isocube_spot *ret_spot);
struct cube isocube_cube (const struct isocube *iso,
                          const struct isocube_spot *spot);

/* Take the place that was just found. On failure, without memory, nothing is
 * taken. */
int isocube_take_spot (struct isocube *iso, const struct isocube_spot *spot,
                       tori_error *err);

/* Take a subcube that is free, or give one back that is taken. A subcube is
 * one that isocube_find could answer. Giving back a whole taken subcube needs
 * no memory; giving back part of it does. */
int isocube_take (struct isocube *iso, struct cube cube, tori_error *err);
int isocube_give (struct isocube *iso, struct cube cube, tori_error *err);

/* The subcube at this address that is a whole number of steps. */
static inline struct cube isocube_at (const struct isocube *iso,
                                      uint64_t address, unsigned step)
{
    unsigned low = step < iso->nsteps ? iso->step[step].low : iso->space.bits;
    return (struct cube){address, (UINT64_C (1) << low) - 1};
}

/* The first subcube of a size, and whether one of so many steps is free as a
 * whole. */
static inline struct cube isocube_first (unsigned size)
{
    return (struct cube){0, (UINT64_C (1) << size) - 1};
}

/* Whether address bits make a subcube that isocube_find could answer: all of
 * the lower steps and some of one. */
static inline bool isocube_is_subcube (const struct isocube *iso,
                                       struct cube cube)
{
    unsigned size = (unsigned)__builtin_popcountll (cube.wild);
    unsigned t = iso->step_of[size];
    unsigned low = t < iso->nsteps ? iso->step[t].low : iso->space.bits;
    uint64_t below = (UINT64_C (1) << low) - 1;
    return (cube.wild & below) == below
           && (t == iso->nsteps
               || cube.wild >> low < UINT64_C (1) << iso->step[t].bits);
}

bool isocube_is_whole (const struct isocube *iso, struct cube cube);

/* Visit the free parts of a subcube, as subcubes. */
typedef void isocube_see_fn (void *arg, struct cube cube);
void isocube_each_free (const struct isocube *iso, struct cube cube,
                        isocube_see_fn *see, void *arg);

/* Visit the subcubes of whole steps that a box is made of, the first *n at
 * most and as long as `act` returns 0. Sets *n to the number of successes;
 * returns whether that is all of them. */
typedef int isocube_act_fn (struct isocube *iso, struct cube cube,
                            tori_error *err);
bool isocube_each_part (struct isocube *iso, const tori_box *box, size_t *n,
                        isocube_act_fn *act, tori_error *err);

/* Memory, all told. */
size_t isocube_bytes (const struct isocube *iso);

#endif
