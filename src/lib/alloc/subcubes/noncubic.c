#include "noncubic.h"

#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "fold.h"
#include "grid.h"
#include "heap.h"

enum { MOST_SEARCHED = 16 }; /* as a logarithm */

struct noncubic_search {
    struct isocube *iso;
    const tori_machine *machine;
    const tori_shape *shape;
    tori_noncubic how;
    uint32_t count;
    unsigned size;     /* of the subcubes that are looked at */
    tori_box box;      /* of the one that is */
    struct cube cube;
    tori_shape there;  /* the sides of it that are in the machine */
};

/* ---- the size that holds it on an idle machine ---- */

static tori_shape present_sides (const tori_machine *machine,
                                 const tori_box *box)
{
    tori_shape sides = box->shape;
    for (int d = 0; d < sides.ndims; d++) {
        uint32_t left = machine->shape.size[d] - box->origin[d];
        if (sides.size[d] > left)
            sides.size[d] = left;
    }
    return sides;
}

/* Whether the first subcube of a size, which has the most nodes, is enough. */
static bool would_hold (const struct isocube *iso, const tori_shape *shape,
                        tori_noncubic how, unsigned size)
{
    tori_shape there, straight;
    tori_box box;
    isospace_box (&iso->space, isocube_first (size), &box);
    there = present_sides (iso->space.machine, &box);
    if (fold_straight (shape, &there, &straight))
        return true;
    return how == TORI_NONCUBIC_DECOMPOSE && size <= MOST_SEARCHED
           && tori_shape_volume (shape) <= tori_shape_volume (&there);
}

bool noncubic_possible (const struct isocube *iso, const tori_shape *shape,
                        tori_noncubic how)
{
    struct fold_measure measure = fold_measure (shape, how);
    if (measure.count == 0 || measure.count > iso->space.machine->nodes)
        return false;
    return isocube_possible (iso, measure.size)
           || would_hold (iso, shape, how, iso->space.bits);
}

/* ---- one subcube ---- */

static void count_nodes (void *arg, struct cube cube)
{
    *(uint64_t *)arg += cube.wild + 1;
}

static int not_whole (struct isocube *iso, struct cube cube, tori_error *err)
{
    return !isocube_is_whole (iso, cube);
}

static bool box_is_free (const struct noncubic_search *s, const tori_box *box)
{
    size_t n = SIZE_MAX;
    return isocube_each_part (s->iso, box, &n, not_whole, NULL);
}

/* Try the shape as it is at the low corner. */
static bool try_straight (struct noncubic_search *s, uint64_t is_free,
                          tori_placement *place)
{
    tori_box box = s->box;
    if (!fold_straight (s->shape, &s->there, &box.shape))
        return false;
    if (s->how == TORI_NONCUBIC_ROUND_UP
            ? is_free != tori_shape_volume (&s->there)
            : !box_is_free (s, &box))
        return false;
    *place = (tori_placement){.nboxes = 1, .box = box, .count = s->count};
    return true;
}

/* ---- nodes that hang together ---- */

/* By address in the subcube: the free nodes that are not yet reached. */
struct flood {
    const struct noncubic_search *search;
    uint8_t *open;
    uint32_t *reached;
    uint32_t n;
    struct heap heap; /* to be reached, the lowest first */
};

static void mark_open (void *arg, struct cube cube)
{
    struct flood *flood = arg;
    memset (flood->open + (cube.base - flood->search->cube.base), 1,
            cube.wild + 1);
}

static int reach_node (struct flood *flood, uint64_t at, tori_error *err)
{
    if (!flood->open[at])
        return 0;
    flood->open[at] = 0;
    return heap_push (&flood->heap, (int64_t)at, at, err);
}

/* The neighbours of a node, inside the subcube. */
static int reach_around (struct flood *flood, uint64_t at, tori_error *err)
{
    const struct noncubic_search *s = flood->search;
    tori_box node;
    isospace_box (&s->iso->space, (struct cube){s->cube.base | at, 0}, &node);
    for (int d = 0; d < s->box.shape.ndims; d++)
        for (int up = 0; up < 2; up++) {
            uint32_t was = node.origin[d];
            if (was == (up ? s->box.origin[d] + s->box.shape.size[d] - 1
                           : s->box.origin[d]))
                continue;
            node.origin[d] = up ? was + 1 : was - 1;
            at = isospace_address (&s->iso->space, node.origin);
            if (reach_node (flood, at - s->cube.base, err) < 0)
                return -1;
            node.origin[d] = was;
        }
    return 0;
}

/* Reach as many nodes as are needed from a node on. */
static int flood_from (struct flood *flood, uint64_t at, tori_error *err)
{
    flood->n = 0;
    flood->heap.n = 0;
    if (reach_node (flood, at, err) < 0)
        return -1;
    while (flood->heap.n && flood->n < flood->search->count) {
        uint64_t next = heap_pop (&flood->heap).what;
        flood->reached[flood->n++] = (uint32_t)next;
        if (reach_around (flood, next, err) < 0)
            return -1;
    }
    return flood->n == flood->search->count;
}

/* The reached nodes as ids. The placement owns them. */
static void give_nodes (struct flood *flood, tori_placement *place)
{
    const struct noncubic_search *s = flood->search;
    for (uint32_t i = 0; i < s->count; i++) {
        tori_box node;
        isospace_box (&s->iso->space,
                      (struct cube){s->cube.base | flood->reached[i], 0},
                      &node);
        flood->reached[i] = tori_machine_id (s->machine, node.origin);
    }
    qsort (flood->reached, s->count, sizeof *flood->reached, compare_ids);
    *place = (tori_placement){
        .box = s->box, .count = s->count, .nodes = flood->reached};
    place->box.shape = s->there;
    flood->reached = NULL;
}

static int try_connected (struct noncubic_search *s, tori_placement *place,
                          tori_error *err)
{
    size_t volume = (size_t)1 << s->size;
    struct flood flood = {.search = s};
    int found = 0;
    flood.open = calloc (volume, sizeof *flood.open);
    flood.reached = malloc (s->count * sizeof *flood.reached);
    if (!flood.open || !flood.reached) {
        found = tori_error_nomem (err);
        goto done;
    }
    isocube_each_free (s->iso, s->cube, mark_open, &flood);
    for (size_t at = 0; at < volume && !found; at++)
        if (flood.open[at])
            found = flood_from (&flood, at, err);
    if (found > 0)
        give_nodes (&flood, place);
done:
    heap_clear (&flood.heap);
    free (flood.open);
    free (flood.reached);
    return found;
}

static int try_subcube (struct noncubic_search *s, tori_placement *place,
                        tori_error *err)
{
    uint64_t is_free = 0;
    s->there = present_sides (s->machine, &s->box);
    if (tori_shape_volume (&s->there) < s->count)
        return 0;
    s->cube = isospace_cube (&s->iso->space, &s->box);
    isocube_each_free (s->iso, s->cube, count_nodes, &is_free);
    if (is_free < s->count)
        return 0;
    if (try_straight (s, is_free, place))
        return 1;
    return s->how == TORI_NONCUBIC_DECOMPOSE && s->size <= MOST_SEARCHED
               ? try_connected (s, place, err)
               : 0;
}

/* ---- all of them ---- */

static bool next_subcube (struct noncubic_search *s)
{
    for (int d = s->box.shape.ndims - 1; d >= 0; d--) {
        s->box.origin[d] += s->box.shape.size[d];
        if (s->box.origin[d] < s->machine->shape.size[d])
            return true;
        s->box.origin[d] = 0;
    }
    return false;
}

static int search_size (struct noncubic_search *s, tori_placement *place,
                        tori_error *err)
{
    int found;
    isospace_box (&s->iso->space, isocube_first (s->size), &s->box);
    do
        found = try_subcube (s, place, err);
    while (found == 0 && next_subcube (s));
    return found;
}

/* If all sides are powers of two, no subcube sticks out. */
static bool worth_it (const struct isocube *iso, tori_noncubic how)
{
    return how == TORI_NONCUBIC_DECOMPOSE
           || iso->space.machine->nodes != UINT64_C (1) << iso->space.bits;
}

static int search_subcubes (struct isocube *iso, const tori_shape *shape,
                            tori_noncubic how,
                            const struct fold_measure *measure,
                            tori_placement *place, tori_error *err)
{
    struct noncubic_search s = {.iso = iso,
                                .machine = iso->space.machine,
                                .shape = shape,
                                .how = how,
                                .count = measure->count,
                                .size = measure->size < iso->space.bits
                                            ? measure->size
                                            : iso->space.bits};
    int found;
    if (measure->count == 0 || measure->count > iso->free_count
        || !worth_it (iso, how))
        return 0;
    for (;; s.size++) {
        found = search_size (&s, place, err);
        if (found || s.size == iso->space.bits
            || isocube_possible (iso, s.size)
            || would_hold (iso, shape, how, s.size))
            return found;
    }
}

int noncubic_find (struct isocube *iso, const tori_shape *shape,
                   tori_noncubic how, tori_placement *ret_place,
                   tori_error *err)
{
    struct fold_measure measure = fold_measure (shape, how);
    tori_placement place = {0};
    struct isocube_spot spot;
    int found;
    if (isocube_find (iso, measure.size, &spot)) {
        isospace_box (&iso->space, isocube_cube (iso, &spot), &place.box);
        found = 1;
        if (fold_place (iso->space.machine, shape, how, &place, err) < 0)
            found = -1;
    } else {
        found = search_subcubes (iso, shape, how, &measure, &place, err);
    }
    if (found > 0)
        *ret_place = place;
    return found;
}
