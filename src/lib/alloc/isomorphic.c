/* isomorphic.c - isomorphic partitioning as an allocator.
 *
 * The tree of isocube.h follows the state: before each question the free nodes
 * are compared, a word at a time, with those at the last one, and the nodes
 * that have changed are taken or given back, in subcubes as large as possible.
 * The answer is then that of tori_cubes_request, and depends on the free nodes
 * alone, because the tree does. */
#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "fold.h"
#include "marks.h"
#include "noncubic.h"
#include "placement.h"
#include "policy.h"

struct follower {
    const tori_machine *machine;
    struct isocube *iso;
    tori_noncubic noncubic;
    size_t words;
    uint64_t *seen; /* the free nodes that the tree has */
};

static void destroy_follower (void *data)
{
    struct follower *follower = data;
    if (!follower)
        return;
    isocube_destroy (follower->iso);
    free (follower->seen);
    free (follower);
}

static int create_follower (const tori_machine *machine,
                            const tori_alloc_config *config, void **ret_data,
                            tori_error *err)
{
    struct follower *follower = calloc (1, sizeof *follower);
    if (!follower)
        return tori_error_nomem (err);
    follower->machine = machine;
    follower->noncubic = config->noncubic;
    follower->words = bits_words (machine->nodes);
    follower->seen = calloc (follower->words, sizeof *follower->seen);
    if (!follower->seen) {
        tori_error_nomem (err);
        goto fail;
    }
    bits_set_range (follower->seen, 0, machine->nodes);
    if (isocube_create (machine, config->hypercube, &follower->iso, err) < 0)
        goto fail;
    *ret_data = follower;
    return 0;
fail:
    destroy_follower (follower);
    return -1;
}

/* ---- following ---- */

static bool is_inside (const tori_machine *machine, const tori_box *box)
{
    for (int d = 0; d < box->shape.ndims; d++)
        if (box->origin[d] + box->shape.size[d] > machine->shape.size[d])
            return false;
    return true;
}

/* Whether all nodes of a box have become free, or taken. */
static bool all_changed (const struct follower *follower,
                         const tori_state *state, const tori_box *box,
                         bool freed)
{
    const uint64_t *none = freed ? follower->seen : state->free;
    const uint64_t *all = freed ? state->free : follower->seen;
    return is_inside (follower->machine, box)
           && !grid_any (follower->machine, box, none)
           && grid_count (follower->machine, box, all)
                  == tori_shape_volume (&box->shape);
}

/* The largest subcube from this node on that has changed as a whole. */
static struct cube changed_cube (const struct follower *follower,
                                 const tori_state *state, uint32_t node,
                                 bool freed, tori_box *ret_box)
{
    const struct isocube *iso = follower->iso;
    struct cube cube = isocube_at (iso, 0, 0);
    tori_box box;
    tori_machine_coords (follower->machine, node, box.origin);
    cube.base = isospace_address (&iso->space, box.origin);
    isospace_box (&iso->space, cube, ret_box);
    for (unsigned t = 1; t <= iso->nsteps; t++) {
        struct cube larger = isocube_at (iso, cube.base, t);
        if (larger.base & larger.wild)
            break;
        isospace_box (&iso->space, larger, &box);
        if (!all_changed (follower, state, &box, freed))
            break;
        cube = larger;
        *ret_box = box;
    }
    return cube;
}

static int follow_node (struct follower *follower, const tori_state *state,
                        uint32_t node, tori_error *err)
{
    bool freed = bits_test (state->free, node);
    tori_box box;
    struct cube cube = changed_cube (follower, state, node, freed, &box);
    if (freed ? isocube_give (follower->iso, cube, err) < 0
              : isocube_take (follower->iso, cube, err) < 0)
        return -1;
    if (freed)
        grid_set (follower->machine, &box, follower->seen);
    else
        grid_clear (follower->machine, &box, follower->seen);
    return 0;
}

/* The first word from i on that has changed, or the end. Most have not, and
 * the library compares many at a time. */
static size_t next_change (const struct follower *follower,
                           const tori_state *state, size_t i)
{
    enum { MANY = 64 };
    const uint64_t *seen = follower->seen, *now = state->free;
    while (i + MANY <= follower->words
           && memcmp (seen + i, now + i, MANY * sizeof *seen) == 0)
        i += MANY;
    while (i < follower->words && seen[i] == now[i])
        i++;
    return i;
}

static int follow_state (struct follower *follower, const tori_state *state,
                         tori_error *err)
{
    for (size_t i = next_change (follower, state, 0); i < follower->words;
         i = next_change (follower, state, i))
        while (follower->seen[i] != state->free[i]) {
            uint64_t changed = follower->seen[i] ^ state->free[i];
            uint32_t node = (uint32_t)(64 * i)
                            + (uint32_t)__builtin_ctzll (changed);
            if (follow_node (follower, state, node, err) < 0)
                return -1;
        }
    return 0;
}

/* ---- answering ---- */

static int place_isomorphic (void *data, const tori_state *state,
                             const tori_request *request,
                             tori_placement *ret_place, tori_error *err)
{
    struct follower *follower = data;
    struct fold_measure measure
        = fold_measure (&request->shape, follower->noncubic);
    struct isocube_spot spot;
    tori_box box;
    if (follow_state (follower, state, err) < 0)
        return -1;
    if (!measure.cubic || !isocube_possible (follower->iso, measure.size))
        return noncubic_find (follower->iso, &request->shape,
                              follower->noncubic, ret_place, err);
    if (!isocube_find (follower->iso, measure.size, &spot))
        return 0;
    isospace_box (&follower->iso->space,
                  isocube_cube (follower->iso, &spot), &box);
    *ret_place = placement_of_box (&box, TORI_WIRE_NONE);
    return 1;
}

/* Rounded up, all of the subcube was free, and is searched for again. */
static bool find_room (const void *data, const tori_placement *place,
                       tori_box *ret_box)
{
    const struct follower *follower = data;
    if (follower->noncubic != TORI_NONCUBIC_ROUND_UP)
        return false;
    *ret_box = fold_subcube (follower->machine, &place->box);
    return true;
}

static const char *isomorphic_impossible (const void *data,
                                          const tori_request *request)
{
    const struct follower *follower = data;
    if (request->wiring != TORI_WIRE_NONE)
        return "a folded shape reserves no links";
    if (request->fixed)
        return "a shape that is folded cannot be fixed";
    if (!noncubic_possible (follower->iso, &request->shape,
                            follower->noncubic))
        return "the machine has no subcube as large as this";
    return NULL;
}

const struct alloc_ops isomorphic_ops = {
    .info =
        {
            .name = "isomorphic",
            .summary = "the first subcube of the volume, by halving in all "
                       "dimensions",
            .takes = TORI_BY_SHAPE,
            .flags = TORI_ALLOC_FOLDS,
        },
    .create_with = create_follower,
    .destroy = destroy_follower,
    .place = place_isomorphic,
    .impossible = isomorphic_impossible,
    .room = find_room,
    .missing = "subcube for this shape",
};
