/* Shapes of slices, and jobs that are put on machines. */
#include <stdlib.h>

#include "slices_study.h"

const uint32_t slices_sizes[SIZES] = {128, 256, 512, 1024};

/* ---- shapes ---- */

static struct shape_rank rank_shape (uint32_t x, uint32_t y, uint32_t z)
{
    struct shape_rank it = {.shape = {3, {x, y, z}}, .bisection = UINT32_MAX};
    for (int d = 0; d < 3; d++) {
        uint32_t side = it.shape.size[d], cut = x * y * z / side;
        it.diameter += side == SIDE ? side / 2 : side - 1;
        cut *= side == SIDE ? 2 : 1;
        if (side > 1 && cut < it.bisection)
            it.bisection = cut;
    }
    return it;
}

static int compare_ranks (const void *a, const void *b)
{
    const struct shape_rank *x = a, *y = b;
    if (x->diameter != y->diameter)
        return x->diameter < y->diameter ? -1 : 1;
    if (x->bisection != y->bisection)
        return x->bisection > y->bisection ? -1 : 1;
    for (int d = 0; d < 3; d++)
        if (x->shape.size[d] != y->shape.size[d])
            return x->shape.size[d] < y->shape.size[d] ? -1 : 1;
    return 0;
}

void slices_list_shapes (uint32_t nodes, struct shape_list *list)
{
    list->n = 0;
    for (uint32_t x = 1; x <= SIDE; x++)
        for (uint32_t y = 1; y <= SIDE; y++)
            if (nodes % (x * y) == 0 && nodes / (x * y) <= SIDE)
                list->it[list->n++] = rank_shape (x, y, nodes / (x * y));
    qsort (list->it, list->n, sizeof *list->it, compare_ranks);
}

/* ---- how jobs are packed ---- */

const struct packing slices_packings[PACKINGS] = {
    {"first box, as printed", "torus:16^3", "first-fit"},
    {"boxes may wrap", "torus:16^3", "first-fit", .wrap = true},
    {"best-fit", "torus:16^3", "best-fit"},
    {"isomorphic", "torus:16^3", "isomorphic", .folds = true},
    {"cubes behind switches", "pod:64/4x4x4", "cube-best"},
};

int ground_open (struct ground *ground, const struct packing *packing,
                 const struct shape_list *shapes, tori_error *err)
{
    *ground = (struct ground){.packing = packing, .shapes = shapes};
    if (tori_machine_parse (packing->machine, &ground->machine, err) < 0
        || tori_state_create (ground->machine, &ground->state, err) < 0)
        return -1;
    return tori_alloc_create (ground->machine, TORI_ALLOC (packing->alloc),
                              &ground->alloc, err);
}

void ground_clear (struct ground *ground)
{
    while (ground->n > 0) {
        tori_placement *place = &ground->place[--ground->n];
        tori_placement_release (place, ground->state);
        tori_placement_clear (place);
    }
}

void ground_close (struct ground *ground)
{
    ground_clear (ground);
    tori_alloc_destroy (ground->alloc);
    tori_state_destroy (ground->state);
    tori_machine_destroy (ground->machine);
}

tori_shape slices_cubes_shape (uint32_t cubes)
{
    tori_shape shape = {3, {4, 4, 4}};
    for (int d = 2; cubes > 1; d = (d + 2) % 3, cubes /= 2)
        shape.size[d] *= 2;
    return shape;
}

/* Place a job. Returns 1 if it has a place, 0 if not, -1 on an error. */
static int place_job (struct ground *ground, size_t size, tori_error *err)
{
    const struct packing *packing = ground->packing;
    bool pod = packing == &slices_packings[SWITCHED];
    const struct shape_list *list = &ground->shapes[size];
    tori_placement *place = &ground->place[ground->n];
    for (size_t i = 0; i < (pod ? 1 : list->n); i++) {
        tori_request request = {
            .count = slices_sizes[size],
            .shape = pod ? slices_cubes_shape (slices_sizes[size] / CUBE)
                         : list->it[i].shape,
            .wiring = pod ? TORI_WIRE_TORUS : TORI_WIRE_NONE,
            .fixed = !pod && !packing->folds,
            .wrap = packing->wrap,
        };
        tori_outcome outcome;
        *place = (tori_placement){0};
        outcome = tori_alloc_place (ground->alloc, ground->state, &request,
                                    place, err);
        if (outcome == TORI_ERROR
            || (outcome == TORI_PLACED
                && tori_placement_hold (place, ground->state, err) < 0))
            return -1;
        if (outcome == TORI_PLACED) {
            ground->n++;
            return 1;
        }
    }
    return 0;
}

int ground_fill (struct ground *ground, size_t jobs, uint32_t busy,
                 size_t first, size_t last, struct rng *rng, tori_error *err)
{
    int placed = 1;
    while (placed > 0 && ground->n < jobs
           && NODES - tori_state_free_count (ground->state) < busy)
        placed = place_job (
            ground, first + (size_t)rng_below (rng, last - first + 1), err);
    return placed < 0 ? -1 : 0;
}
