#include "folding.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "ask.h"
#include "joined.h"
#include "marks.h"
#include "placement.h"
#include "rings.h"
#include "sides.h"

/* ---- one box ---- */

/* On a pod rings go through whole cubes. */
static bool is_closable_slice (const tori_machine *machine, tori_wiring wiring,
                               const tori_shape *box, int dim)
{
    return wiring != TORI_WIRE_NONE
           && box->size[dim] % machine->shape.size[machine->apart + dim] == 0;
}

/* A ring that does not fill its line of a torus is closed by the rest of the
 * line. Its ends are many hops apart then, so only a shape as it was asked for
 * (`straight`) may have one. */
static bool is_closable (const tori_machine *machine, tori_wiring wiring,
                         const tori_shape *box, int dim, bool straight)
{
    bool wraps = tori_machine_wraps (machine, dim);
    bool fills = wraps && box->size[dim] == machine->shape.size[dim];
    if (wiring != TORI_WIRE_TORUS)
        return fills;
    if (machine->line[dim])
        fills = box->size[dim] <= linkage_longest (machine->line[dim]);
    return (fills || (wraps && straight)
            || kind_is_multitorus (machine->kind[dim]))
           && tori_wiring_closes (tori_wiring_of_rings (1U << dim), dim);
}

/* A box is an ordinary torus if all of its dimensions are closed. */
static tori_wiring wiring_of (const tori_machine *machine, tori_wiring asked,
                              const tori_shape *box, uint32_t closed)
{
    if (asked == TORI_WIRE_NONE || (asked == TORI_WIRE_MESH && closed == 0))
        return asked;
    for (int d = 0; d < box->ndims; d++)
        if (box->size[d] > 1 && !(closed >> d & 1))
            return tori_wiring_of_rings (closed << machine->apart);
    return TORI_WIRE_TORUS;
}

/* Whether a pod has a cube for every piece. */
static bool has_cubes (const tori_machine *machine, const tori_shape *box)
{
    uint64_t pieces = 1, cubes = 1;
    for (int d = machine->pods; d < machine->apart; d++)
        cubes *= machine->shape.size[d];
    for (int d = 0; d < box->ndims && pieces <= cubes; d++) {
        uint32_t side = machine->shape.size[machine->apart + d];
        pieces *= ((uint64_t)box->size[d] + side - 1) / side;
    }
    return pieces <= cubes;
}

bool folding_of (const tori_machine *machine, const tori_request *request,
                 const tori_shape *box, struct ringfold *ret_fold,
                 tori_wiring *ret_wiring)
{
    bool straight = folding_rotated (&request->shape, box);
    bool lines = request->wiring == TORI_WIRE_MESH;
    uint32_t closable = 0;
    if ((lines && !machine->apart) || request->wiring == TORI_WIRE_TWISTED
        || (machine->apart && !has_cubes (machine, box)))
        return false;
    for (int d = 0; d < box->ndims; d++)
        closable |= (uint32_t)(machine->apart
                                   ? is_closable_slice (
                                       machine, request->wiring, box, d)
                                   : is_closable (machine, request->wiring,
                                                  box, d, straight))
                    << d;
    if (!(lines ? ringfold_find_lines : ringfold_find) (&request->shape, box,
                                                        closable, ret_fold))
        return false;
    *ret_wiring
        = wiring_of (machine, request->wiring, box, ret_fold->closed);
    return true;
}

/* ---- without folding ---- */

/* Whether an idle pod has room for a shape, in some rotation. */
static bool fits_pod (const tori_machine *machine, const tori_request *own)
{
    tori_shape shape = own->shape;
    tori_shape_sort (&shape);
    do {
        bool whole = true;
        for (int d = 0; d < shape.ndims; d++)
            whole &= own->wiring < TORI_WIRE_TORUS || shape.size[d] == 1
                     || is_closable_slice (machine, TORI_WIRE_TORUS, &shape,
                                           d);
        if (own->wiring == TORI_WIRE_TWISTED)
            whole = joined_twist (machine, &shape) > 0;
        if (whole && has_cubes (machine, &shape))
            return true;
    } while (tori_shape_next_rotation (&shape));
    return false;
}

bool folding_straight (const tori_machine *machine,
                       const tori_request *request,
                       tori_request *ret_straight)
{
    tori_request own = *request;
    int n = 0, ndims = tori_machine_shape_dims (machine);
    own.flags = 0;
    for (int i = 0; i < request->shape.ndims; i++)
        if (request->shape.size[i] > 1)
            own.shape.size[n++] = request->shape.size[i];
    if (n > ndims)
        return false;
    while (n < ndims)
        own.shape.size[n++] = 1;
    own.shape.ndims = n;
    if (machine->apart ? !fits_pod (machine, &own)
                       : sides_impossible (machine, &own) != NULL)
        return false;
    *ret_straight = own;
    return true;
}

/* ---- the map of the nodes ---- */

/* For a shape that is only rotated: each side along the first dimension that
 * is as long and not taken. */
static bool find_rotation (const tori_shape *job, const tori_shape *box,
                           struct ringfold *ret_fold)
{
    struct ringfold fold = {.job = *job, .box = *box};
    uint32_t taken = 0;
    uint8_t n = 0;
    for (int i = 0; i < job->ndims; i++) {
        int d = 0;
        fold.first[i] = n;
        if (job->size[i] == 1)
            continue;
        while (d < box->ndims
               && (taken >> d & 1 || box->size[d] != job->size[i]))
            d++;
        if (d == box->ndims)
            return false;
        taken |= UINT32_C (1) << d;
        fold.part[n++]
            = (struct ringfold_part){(uint8_t)d, .size = job->size[i]};
    }
    fold.first[job->ndims] = n;
    *ret_fold = fold;
    return tori_shape_volume (job) == tori_shape_volume (box);
}

bool folding_rotated (const tori_shape *shape, const tori_shape *box)
{
    struct ringfold fold;
    return find_rotation (shape, box, &fold);
}

static bool find_map (const tori_placement *place, const tori_machine *machine,
                      const tori_request *request, struct ringfold *ret_fold)
{
    tori_wiring wiring;
    tori_shape box;
    return tori_placement_shape (place, machine, &box)
           && (find_rotation (&request->shape, &box, ret_fold)
               || ((request->flags & TORI_REQUEST_FOLD)
                   && folding_of (machine, request, &box, ret_fold, &wiring)));
}

/* The place of the i-th node around the ring, where links were given one by
 * one: those of the list, or of the rule. All lines have the same. */
static uint32_t linked_place (const tori_placement *place,
                              const tori_machine *machine, int d, uint32_t i)
{
    const struct linkage *line = machine->line[d];
    uint32_t first = place->box.origin[d], n = place->box.shape.size[d];
    uint32_t links = 0;
    uint8_t order[LINKAGE_NODES];
    const tori_link *listed;
    size_t m = placement_listed (place, &listed);
    for (size_t k = 0; k < m; k++)
        if (listed[k].dim == d)
            links |= UINT32_C (1)
                     << (grid_coord (machine, listed[k].slot, d)
                         + (listed[k].layer == TORI_FAR ? line->size : 0));
    if (!links)
        links = line->ring[first][n];
    return n == 1 || i >= linkage_order (line, links, linkage_interval (first, n),
                                      order)
               ? i
               : order[i] - first;
}

/* From places along the rings of a box to coordinates: on a multi-torus rings
 * are folded. */
static void follow_rings (const tori_placement *place,
                          const tori_machine *machine, const tori_shape *box,
                          uint32_t at[])
{
    for (int d = 0; !machine->apart && d < box->ndims; d++)
        if (machine->line[d] && tori_wiring_closes (place->wiring, d))
            at[d] = linked_place (place, machine, d, at[d]);
        else if (kind_is_multitorus (machine->kind[d])
            && tori_wiring_closes (place->wiring, d))
            at[d] = ring_place (at[d], box->size[d]);
}

/* Step to the next node of a shape. */
static void next_node (const tori_shape *shape, uint32_t coords[])
{
    int i = shape->ndims - 1;
    while (i >= 0 && ++coords[i] == shape->size[i])
        coords[i--] = 0;
}

int tori_placement_map (const tori_placement *place,
                        const tori_machine *machine,
                        const tori_request *request, uint32_t nodes[],
                        tori_error *err)
{
    struct ringfold fold;
    uint32_t coords[TORI_MAX_DIMS] = {0}, at[TORI_MAX_DIMS];
    if (request_check (request, err) < 0
        || placement_check (place, machine, err) < 0)
        return -1;
    if (!find_map (place, machine, request, &fold))
        return tori_error_set (err, TORI_INVALID,
                               "a place that is not a box for this shape");
    for (uint32_t i = 0; i < place->count; i++) {
        ringfold_coords (&fold, coords, at);
        follow_rings (place, machine, &fold.box, at);
        nodes[i] = joined_node (place, machine, at);
        next_node (&request->shape, coords);
    }
    return 0;
}

/* ---- all boxes ---- */

/* The boxes of a request. */
struct folding {
    tori_request request;
    struct folded *all;
    size_t n, room;
};

/* On a machine with many dimensions, at most so many boxes are tried. */
enum { MOST_BOXES = 4096 };

/* The links outside the box that its rings take in a dimension. */
static uint64_t links_beyond (const tori_machine *machine,
                              const tori_shape *box, tori_wiring wiring)
{
    uint64_t links = 0, volume = tori_shape_volume (box);
    for (int d = 0; !machine->apart && d < box->ndims; d++)
        if (tori_machine_wraps (machine, d) && box->size[d] > 1
            && tori_wiring_closes (wiring, d))
            links += volume / box->size[d]
                     * (machine->shape.size[d] - box->size[d]);
    return links;
}

/* The most of these links over the possible rotations. */
static uint64_t most_beyond (const tori_machine *machine,
                             const tori_request *request)
{
    tori_shape shape = request->shape;
    uint64_t most = 0;
    int left = MOST_BOXES;
    if (machine->apart)
        return 0;
    if (!request->fixed)
        tori_shape_sort (&shape);
    do {
        uint64_t links = links_beyond (machine, &shape, request->wiring);
        if (links > most && tori_shape_fits (&shape, machine)
            && tori_wiring_possible (machine, &shape, request->wiring))
            most = links;
    } while (!request->fixed && --left > 0
             && tori_shape_next_rotation (&shape));
    return most;
}

static int add_box (struct folding *list, const tori_machine *machine,
                    const tori_request *request, bool folded, int rings,
                    tori_error *err)
{
    struct folded *grown
        = array_room (list->all, &list->room, list->n + 1, sizeof *grown);
    struct folded *it;
    if (!grown)
        return tori_error_nomem (err);
    list->all = grown;
    it = &grown[list->n++];
    *it = (struct folded){*request, .folded = folded, .rings = rings,
                          .sides = request->shape};
    it->beyond = most_beyond (machine, request);
    tori_shape_sort (&it->sides);
    return 0;
}

/* All boxes of a volume, in lexicographic order. */
struct box_walk {
    tori_shape most; /* the longest sides */
    int (*visit) (void *arg, const tori_shape *box); /* not 0: the end */
    void *arg;
    tori_shape box;
    int left;
};

/* Whether the dimensions from this one on have room for so many nodes. */
static bool has_room (const tori_shape *most, int dim, uint64_t left)
{
    for (; dim < most->ndims && left > 1; dim++)
        left = (left + most->size[dim] - 1) / most->size[dim];
    return left <= 1;
}

static int walk_boxes (struct box_walk *walk, int dim, uint64_t left)
{
    uint32_t most;
    int status = 0;
    if (dim == walk->most.ndims && walk->left-- > 0)
        return walk->visit (walk->arg, &walk->box);
    if (walk->left <= 0 || !has_room (&walk->most, dim, left))
        return 0;
    most = walk->most.size[dim];
    for (uint32_t side = 1; side <= most && side <= left && !status; side++)
        if (left % side == 0) {
            walk->box.size[dim] = side;
            status = walk_boxes (walk, dim + 1, left / side);
        }
    return status;
}

/* A slice may be as long as all cubes of a pod in a row. */
static tori_shape longest_sides (const tori_machine *machine)
{
    tori_shape most = machine->shape;
    uint32_t cubes = 1;
    most.ndims = tori_machine_shape_dims (machine);
    for (int d = machine->pods; d < machine->apart; d++)
        cubes *= machine->shape.size[d];
    for (int d = 0; machine->apart && d < most.ndims; d++)
        most.size[d] = cubes * machine->shape.size[machine->apart + d];
    return most;
}

static int each_box (const tori_machine *machine, const tori_request *request,
                     int (*visit) (void *arg, const tori_shape *box),
                     void *arg)
{
    struct box_walk walk = {longest_sides (machine), visit, arg,
                            .left = MOST_BOXES};
    walk.box.ndims = walk.most.ndims;
    return walk_boxes (&walk, 0, tori_shape_volume (&request->shape));
}

/* ---- possible at all ---- */

struct fold_question {
    const tori_machine *machine;
    const tori_request *request;
};

static int carries_request (void *arg, const tori_shape *box)
{
    const struct fold_question *q = arg;
    struct ringfold fold;
    tori_wiring wiring;
    return folding_of (q->machine, q->request, box, &fold, &wiring);
}

bool folding_possible (const tori_machine *machine,
                       const tori_request *request)
{
    struct fold_question q = {machine, request};
    tori_request own;
    return folding_straight (machine, request, &own)
           || each_box (machine, request, carries_request, &q);
}

/* ---- the list of a request ---- */

struct fold_listing {
    struct folding *list;
    const tori_machine *machine;
    tori_shape own; /* sorted; no dimensions if it never fits */
    uint64_t beyond; /* of that */
    tori_error *err;
};

/* The requested shape, wired in the same way, is there already, unless this
 * rotation is better than others. */
static int list_box (void *arg, const tori_shape *box)
{
    struct fold_listing *l = arg;
    tori_request folded = l->list->request;
    tori_shape sides = *box;
    struct ringfold fold;
    if (!folding_of (l->machine, &folded, box, &fold, &folded.wiring))
        return 0;
    tori_shape_sort (&sides);
    if (folded.wiring == l->list->request.wiring
        && tori_shape_equal (&sides, &l->own)
        && links_beyond (l->machine, box, folded.wiring) >= l->beyond)
        return 0;
    folded.shape = *box;
    folded.fixed = true;
    folded.flags = 0;
    return add_box (l->list, l->machine, &folded, true,
                    __builtin_popcount (fold.closed), l->err);
}

static int by_longest (const tori_shape *a, const tori_shape *b)
{
    for (int d = a->ndims - 1; d >= 0; d--)
        if (a->size[d] != b->size[d])
            return a->size[d] < b->size[d] ? -1 : 1;
    return 0;
}

static int by_sides (const tori_shape *a, const tori_shape *b)
{
    for (int d = 0; d < a->ndims; d++)
        if (a->size[d] != b->size[d])
            return a->size[d] < b->size[d] ? -1 : 1;
    return 0;
}

static int in_order (const void *x, const void *y)
{
    const struct folded *a = x, *b = y;
    int order;
    if (a->beyond != b->beyond)
        return a->beyond < b->beyond ? -1 : 1;
    if (a->folded != b->folded)
        return a->folded ? 1 : -1;
    if (a->rings != b->rings)
        return a->rings - b->rings;
    order = by_longest (&a->sides, &b->sides);
    return order ? order : by_sides (&a->request.shape, &b->request.shape);
}

static void folding_destroy (struct folding *list)
{
    if (!list)
        return;
    free (list->all);
    free (list);
}

static int fill_list (struct folding *list, const tori_machine *machine,
                      tori_error *err)
{
    struct fold_listing l = {list, machine, .err = err};
    tori_request own;
    if (folding_straight (machine, &list->request, &own)) {
        if (add_box (list, machine, &own, false, 0, err) < 0)
            return -1;
        l.own = list->all[0].sides;
        l.beyond = list->all[0].beyond;
    }
    if (each_box (machine, &list->request, list_box, &l) < 0)
        return -1;
    if (list->n > 1)
        qsort (list->all, list->n, sizeof *list->all, in_order);
    return 0;
}

static int folding_create (const tori_machine *machine,
                           const tori_request *request,
                           struct folding **ret_list, tori_error *err)
{
    struct folding *list = calloc (1, sizeof *list);
    if (!list)
        return tori_error_nomem (err);
    list->request = *request;
    if (fill_list (list, machine, err) < 0) {
        folding_destroy (list);
        return -1;
    }
    *ret_list = list;
    return 0;
}

/* ---- kept foldings ---- */

void foldings_clear (struct foldings *foldings)
{
    for (int i = 0; i < FOLDINGS_KEPT; i++)
        folding_destroy (foldings->kept[i]);
}

static struct folding **where_kept (struct foldings *foldings,
                                    const tori_request *request)
{
    uint64_t hash = (uint64_t)request->wiring << 1 | request->wrap;
    for (int d = 0; d < request->shape.ndims; d++)
        hash = (hash ^ request->shape.size[d]) * UINT64_C (0x9e3779b97f4a7c15);
    return &foldings->kept[hash >> 32 & (FOLDINGS_KEPT - 1)];
}

static bool same_request (const tori_request *a, const tori_request *b)
{
    return a->wiring == b->wiring && a->wrap == b->wrap
           && tori_shape_equal (&a->shape, &b->shape);
}

int foldings_get (struct foldings *foldings, const tori_machine *machine,
                  const tori_request *request, const struct folded **ret_boxes,
                  size_t *ret_n, tori_error *err)
{
    struct folding **kept = where_kept (foldings, request);
    if (!*kept || !same_request (&(*kept)->request, request)) {
        struct folding *list = NULL;
        if (folding_create (machine, request, &list, err) < 0)
            return -1;
        folding_destroy (*kept);
        *kept = list;
    }
    *ret_boxes = (*kept)->all;
    *ret_n = (*kept)->n;
    return 0;
}
