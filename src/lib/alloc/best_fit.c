/* best_fit.c - the free box that leaves the fewest fragments.
 *
 * The rule: a line of the machine falls into runs of free nodes. A box cut out
 * of a run leaves up to two of them, one at either side, so in every line it
 * crosses, in every dimension, it makes (sides with a free neighbour) - 1 new
 * fragments. The number of lines is the same wherever the box goes, so the
 * fewest fragments means the fewest free nodes that touch its faces. Among
 * equals the lowest origin wins, then the first rotation in lexicographic
 * order.
 *
 * The first few boxes are looked at one by one. If there are more, which on a
 * machine that is not full there are, a table of sums is made for the others
 * (faces.h).
 */
#include <stdlib.h>

#include "boxscan.h"
#include "faces.h"
#include "marks.h"
#include "placement.h"
#include "policy.h"

/* A table costs as much as one box for so many nodes of the machine. */
enum { NODES_A_BOX = 1024 };

struct best_fit {
    void *scan;
    struct faces faces;
};

struct best_box {
    const tori_state *state;
    const tori_request *request;
    struct faces *faces;
    enum { UNTRIED, LOADED, USELESS } table;
    uint64_t seen;
    int inner; /* the last dimension longer than 1 */
    int status;
    tori_error *err;
    uint64_t touching; /* free nodes at its faces; UINT64_MAX: none yet */
    uint32_t origin;
    tori_box box;
};

/* Free nodes in the plane one step beyond a face of the box. */
static uint64_t beyond_face (const tori_state *state, const tori_box *box,
                             int dim, bool high)
{
    const tori_machine *machine = state->machine;
    uint32_t size = machine->shape.size[dim], at = box->origin[dim];
    tori_box plane;
    if (box->shape.size[dim] == size)
        return 0;
    at = high ? at + box->shape.size[dim] : at + size - 1;
    if (!tori_machine_wraps (machine, dim)
        && (high ? at >= size : box->origin[dim] == 0))
        return 0;
    plane = box_with (box, dim, at % size, 1);
    return grid_count (machine, &plane, state->free);
}

/* The sum over all faces, given up once it exceeds `enough`. */
static uint64_t count_touching (const tori_state *state, const tori_box *box,
                                uint64_t enough)
{
    uint64_t sum = 0;
    for (int d = 0; d < box->shape.ndims && sum <= enough; d++)
        sum += beyond_face (state, box, d, false)
               + beyond_face (state, box, d, true);
    return sum;
}

/* A box that so many nodes touch: if it is better, it is kept. */
static void consider_box (struct best_box *best, const tori_box *box,
                          unsigned offset, uint64_t sum)
{
    const tori_machine *machine = best->state->machine;
    tori_box moved;
    uint32_t origin;
    if (sum > best->touching)
        return;
    moved = *box;
    moved.origin[best->inner] += offset;
    origin = tori_machine_id (machine, moved.origin);
    if (sum == best->touching && origin >= best->origin)
        return;
    best->touching = sum;
    best->origin = origin;
    best->box = moved;
}

static void look_at_each (struct best_box *best, const tori_box *box,
                          uint64_t origins)
{
    for (; origins; origins &= origins - 1) {
        unsigned offset = (unsigned)__builtin_ctzll (origins);
        tori_box moved = *box;
        moved.origin[best->inner] += offset;
        consider_box (best, box, offset,
                      count_touching (best->state, &moved, best->touching));
    }
}

static void look_at_row (struct best_box *best, const tori_box *box,
                         uint64_t origins)
{
    unsigned n = 64 - (unsigned)__builtin_clzll (origins);
    uint32_t sums[FACES_ROW], least = UINT32_MAX;
    if (!tori_shape_equal (&best->faces->shape, &box->shape))
        faces_set (best->faces, &box->shape);
    faces_count (best->faces, box->origin, n, sums);
    for (unsigned i = 0; i < n; i++) {
        uint32_t sum = sums[i] | (origins >> i & 1 ? 0 : UINT32_MAX);
        least = sum < least ? sum : least;
    }
    if (least > best->touching)
        return;
    for (unsigned i = 0; i < n; i++)
        if (origins >> i & 1 && sums[i] == least) {
            consider_box (best, box, i, least);
            return;
        }
}

/* The boxes of a row. */
static bool compare_row (void *arg, const tori_box *box, uint64_t origins)
{
    struct best_box *best = arg;
    const tori_machine *machine = best->state->machine;
    best->seen += (unsigned)__builtin_popcountll (origins);
    if (best->table == UNTRIED && best->seen > machine->nodes / NODES_A_BOX) {
        int done = faces_load (best->faces, best->state, best->request,
                               best->err);
        best->table = done > 0 ? LOADED : USELESS;
        best->status = done < 0 ? -1 : 0;
    }
    if (best->table == LOADED)
        look_at_row (best, box, origins);
    else
        look_at_each (best, box, origins);
    return best->status < 0;
}

static int last_dim (const tori_shape *shape)
{
    int last = shape->ndims - 1;
    while (last > 0 && shape->size[last] == 1)
        last--;
    return last;
}

static int place_best_fit (void *data, const tori_state *state,
                           const tori_request *request,
                           tori_placement *ret_place, tori_error *err)
{
    struct best_fit *fit = data;
    struct best_box best = {.state = state,
                            .request = request,
                            .faces = &fit->faces,
                            .inner = last_dim (&state->machine->shape),
                            .err = err,
                            .touching = UINT64_MAX};
    if (boxscan_each (fit->scan, state, request, compare_row, &best, err) < 0
        || best.status < 0)
        return -1;
    if (best.touching == UINT64_MAX)
        return 0;
    *ret_place = placement_of_box (&best.box, request->wiring);
    return 1;
}

static void destroy_best_fit (void *data)
{
    struct best_fit *fit = data;
    if (!fit)
        return;
    boxscan_destroy (fit->scan);
    faces_clear (&fit->faces);
    free (fit);
}

static int create_best_fit (const tori_machine *machine, void **ret_data,
                            tori_error *err)
{
    struct best_fit *fit = calloc (1, sizeof *fit);
    if (!fit)
        return tori_error_nomem (err);
    faces_init (&fit->faces, machine);
    if (boxscan_create (machine, &fit->scan, err) < 0) {
        destroy_best_fit (fit);
        return -1;
    }
    *ret_data = fit;
    return 0;
}

const struct alloc_ops best_fit_ops = {
    .info =
        {
            .name = "best-fit",
            .summary = "the free box that the fewest free nodes touch",
            .takes = TORI_BY_SHAPE,
            .flags = TORI_ALLOC_RINGS,
        },
    .thorough = true,
    .create = create_best_fit,
    .destroy = destroy_best_fit,
    .place = place_best_fit,
};
