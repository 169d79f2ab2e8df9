/* slices.c - slice partitioning: only whole dimensions are recognised.
 *
 * As Kang, Yu, Youn, Lee and Kim describe them in "Isomorphic Strategy for
 * Processor Allocation in k-Ary n-Cube Systems", 2003, section 2: a cube is
 * cut into slices that span some dimensions whole and are one node thick in
 * the others. A request with m sides longer than 1 is given a whole slice of m
 * dimensions, however short its sides: 4x4 takes 8x8 of 8x8x8. The four differ
 * in the slices that they see:
 *
 *   eb         (Extended Buddy; Gautam and Chaudhary, 1993) those of the last
 *              m dimensions, in the order of ids.
 *   egc        (Extended Gray Code; the same, and Dommety, Chaudhary and
 *              Sabata, 1995) the nodes are numbered by the reflected Gray code
 *              of radix k, the last digit fastest. As in the strategy for
 *              hypercubes, k^m nodes with consecutive numbers will do that
 *              begin at a multiple of k^(m-1), if they form a slice of m
 *              dimensions; the lowest number wins. For k = 2 they always do
 *              and there are twice as many as for eb. For k > 2 only those
 *              from a multiple of k^m on do, which are the slices of eb: the
 *              order alone is another.
 *   k-partner  (k-ary Partner; Windisch, Lo and Bose, 1995) those of any m
 *              dimensions, so all there are: the combinations in lexicographic
 *              order of the slice's shape (the last dimensions first), each in
 *              the order of ids.
 *
 *   multiple-gc  (Multiple Gray Code; Dommety, Chaudhary and Sabata, 1995) the
 *              same slices as k-partner, by several Gray codes: one for each
 *              combination, with its dimensions as the last digits. The codes
 *              have the order of k-partner's combinations; in each, the slice
 *              with the lowest number wins.
 *
 * The paper says nothing of the following. A request with all its sides longer
 * than 1 takes the whole machine. If the machine's sides differ, the last m
 * dimensions may be too short: eb and egc then take the least number of last
 * dimensions that hold the shape in some rotation, and the Gray code is that
 * of mixed radix, two neighbours with sides of 2 being what k = 2 is above;
 * k-partner and multiple-gc look at the slices with the fewest nodes that hold
 * the shape, so
 * that a request takes as many nodes wherever it goes, as a scheduler's plan
 * needs it: on 4x8, 2x1 takes a line of four and is refused if only lines of
 * eight are free, which eb sees. A shape that is fixed
 * must be in the slice as it is. Slices are wired as a whole and never wrap.
 */
#include "boxscan.h"
#include "marks.h"
#include "placement.h"
#include "policy.h"

/* Whether there is something to cut a slice for: a shape that fits. */
static bool fits_machine (const tori_machine *machine,
                          const tori_request *request)
{
    return request->shape.ndims == machine->shape.ndims
           && tori_shape_volume (&request->shape) > 0
           && shape_within (request->shape, machine->shape, request->fixed);
}

/* The first free slice of this shape in the order of ids. */
static int place_slice (struct boxscan *scan, const tori_state *state,
                        const tori_request *request, const tori_shape *slice,
                        tori_placement *ret_place, tori_error *err)
{
    tori_request whole = {
        .shape = *slice, .wiring = request->wiring, .fixed = true};
    tori_box box;
    int found = boxscan_first (scan, state, &whole, true, &box, err);
    if (found > 0)
        *ret_place = placement_of_box (&box, request->wiring);
    return found;
}

/* ---- the last dimensions ---- */

/* The slice of the fewest last dimensions that hold the shape; the first of
 * these is therefore longer than 1. Returns that dimension; the number of
 * dimensions if none is needed. */
static int last_slice (const tori_machine *machine,
                       const tori_request *request, tori_shape *ret_slice)
{
    int first = machine->shape.ndims;
    ret_slice->ndims = machine->shape.ndims;
    for (int d = 0; d < first; d++)
        ret_slice->size[d] = 1;
    while (first > 0
           && !shape_within (request->shape, *ret_slice, request->fixed)) {
        first--;
        ret_slice->size[first] = machine->shape.size[first];
    }
    return first;
}

static const char *last_impossible (const void *data,
                                    const tori_request *request)
{
    const tori_machine *machine = boxscan_machine (data);
    tori_shape slice;
    last_slice (machine, request, &slice);
    if (!tori_wiring_possible (machine, &slice, request->wiring))
        return "a mesh dimension of the slice cannot be wired as a torus";
    return NULL;
}

static uint64_t last_nodes (const void *data, const tori_request *request)
{
    const tori_machine *machine = boxscan_machine (data);
    tori_shape slice;
    if (!fits_machine (machine, request))
        return tori_request_nodes (request);
    last_slice (machine, request, &slice);
    return tori_shape_volume (&slice);
}

static int eb_place (void *data, const tori_state *state,
                     const tori_request *request, tori_placement *ret_place,
                     tori_error *err)
{
    tori_shape slice;
    last_slice (state->machine, request, &slice);
    return place_slice (data, state, request, &slice, ret_place, err);
}

/* ---- Gray code ---- */

/* The digits of a number in the reflected Gray code of some dimensions: a digit
 * runs backwards if an odd number of digits before it is odd. The coordinates
 * in other dimensions stay. */
static void set_digits (const tori_machine *machine, const int dims[], int n,
                        uint64_t number, uint32_t coords[])
{
    for (int i = n - 1; i >= 0; i--) {
        uint32_t size = machine->shape.size[dims[i]];
        uint32_t digit = (uint32_t)(number % size);
        number /= size;
        coords[dims[i]] = number % 2 ? size - 1 - digit : digit;
    }
}

/* The same for the first dimensions. */
static void gray_digits (const tori_machine *machine, int ndims,
                         uint64_t number, uint32_t coords[])
{
    int dims[TORI_MAX_DIMS];
    for (int d = 0; d < ndims; d++)
        dims[d] = d;
    set_digits (machine, dims, ndims, number, coords);
}

/* The slice that begins with a block of nodes, which has all the dimensions of
 * the slice but its first; false if they do not form a slice. Two blocks that
 * do not begin at an even number differ in another dimension. */
static bool slice_from (const tori_machine *machine, const tori_shape *slice,
                        int first, uint64_t block, tori_box *ret_box)
{
    uint32_t next[TORI_MAX_DIMS];
    int turn = 0;
    *ret_box = (tori_box){.shape = *slice};
    gray_digits (machine, first + 1, block, ret_box->origin);
    if (block % machine->shape.size[first] == 0) {
        ret_box->origin[first] = 0;
        return true;
    }
    gray_digits (machine, first + 1, block + 1, next);
    while (next[turn] == ret_box->origin[turn])
        turn++;
    ret_box->shape.size[first] = 1;
    ret_box->shape.size[turn] = 2;
    ret_box->origin[turn] = 0;
    return machine->shape.size[turn] == 2;
}

static bool slice_free (const tori_state *state, const tori_request *request,
                        const tori_box *box)
{
    return grid_count (state->machine, box, state->free)
               == tori_shape_volume (&box->shape)
           && shape_within (request->shape, box->shape, request->fixed)
           && tori_wiring_possible (state->machine, &box->shape,
                                    request->wiring)
           && tori_wiring_free (state, box, request->wiring);
}

/* The first free slice of all that begin `step` blocks apart. */
static bool first_slice (const tori_state *state, const tori_request *request,
                         const tori_shape *slice, int first, tori_box *ret_box)
{
    const tori_machine *machine = state->machine;
    uint64_t blocks = machine->nodes / machine->stride[first];
    uint32_t size = machine->shape.size[first];
    uint32_t step = size == 2 ? 1 : size;
    for (uint64_t block = 0; block + size <= blocks; block += step)
        if (slice_from (machine, slice, first, block, ret_box)
            && slice_free (state, request, ret_box))
            return true;
    return false;
}

static bool first_node (const tori_state *state, tori_box *ret_box)
{
    const tori_machine *machine = state->machine;
    int n = machine->shape.ndims;
    for (uint64_t i = 0; i < machine->nodes; i++) {
        gray_digits (machine, n, i, ret_box->origin);
        if (tori_state_is_free (state,
                                tori_machine_id (machine, ret_box->origin)))
            return true;
    }
    return false;
}

static int egc_place (void *data, const tori_state *state,
                      const tori_request *request, tori_placement *ret_place,
                      tori_error *err)
{
    tori_shape slice;
    tori_box box;
    int first = last_slice (state->machine, request, &slice);
    box.shape = slice;
    if (first < slice.ndims
            ? !first_slice (state, request, &slice, first, &box)
            : !first_node (state, &box))
        return 0;
    *ret_place = placement_of_box (&box, request->wiring);
    return 1;
}

/* ---- any dimensions ---- */

/* Whether a side of the request may go along a dimension. */
static bool is_usable (const tori_machine *machine, tori_wiring wiring,
                       int dim)
{
    return wiring != TORI_WIRE_TORUS || machine->kind[dim] != TORI_MESH;
}

/* The shortest dimension not yet in the slice that takes a side, the last of
 * equals; -1 if none does. */
static int shortest_for (const tori_machine *machine, tori_wiring wiring,
                         const tori_shape *slice, uint32_t side)
{
    int best = -1;
    for (int d = machine->shape.ndims - 1; d >= 0; d--)
        if (slice->size[d] == 1 && machine->shape.size[d] >= side
            && is_usable (machine, wiring, d)
            && (best < 0
                || machine->shape.size[d] < machine->shape.size[best]))
            best = d;
    return best;
}

/* The slice with the fewest nodes that holds the shape: the longest side goes
 * to the shortest dimension that takes it, and so on. A dimension that takes a
 * side takes any shorter one, so nothing is lost by it. All slices with so few
 * nodes have the same sides. */
static bool least_slice (const tori_machine *machine,
                         const tori_request *request, tori_shape *ret_slice)
{
    tori_shape sides = request->shape;
    ret_slice->ndims = sides.ndims;
    for (int d = 0; d < sides.ndims; d++)
        ret_slice->size[d]
            = request->fixed && sides.size[d] > 1 ? machine->shape.size[d] : 1;
    if (request->fixed)
        return true;
    tori_shape_sort (&sides);
    for (int i = sides.ndims - 1; i >= 0 && sides.size[i] > 1; i--) {
        int dim = shortest_for (machine, request->wiring, ret_slice,
                                sides.size[i]);
        if (dim < 0)
            return false;
        ret_slice->size[dim] = machine->shape.size[dim];
    }
    return true;
}

static uint64_t partner_nodes (const void *data, const tori_request *request)
{
    const tori_machine *machine = boxscan_machine (data);
    tori_shape slice;
    if (!fits_machine (machine, request)
        || !least_slice (machine, request, &slice))
        return tori_request_nodes (request);
    return tori_shape_volume (&slice);
}

static bool is_slice (const tori_machine *machine, const tori_shape *shape)
{
    for (int d = 0; d < shape->ndims; d++)
        if (shape->size[d] > 1 && shape->size[d] != machine->shape.size[d])
            return false;
    return true;
}

/* Finds a free slice of just this shape. */
typedef int slice_fn (struct boxscan *scan, const tori_state *state,
                      const tori_request *request, const tori_shape *slice,
                      tori_placement *ret_place, tori_error *err);

/* Try each combination of dimensions in turn. */
static int place_any_slice (slice_fn *place, void *data,
                            const tori_state *state,
                            const tori_request *request,
                            tori_placement *ret_place, tori_error *err)
{
    const tori_machine *machine = state->machine;
    tori_shape slice;
    least_slice (machine, request, &slice);
    if (request->fixed)
        return place (data, state, request, &slice, ret_place, err);
    tori_shape_sort (&slice);
    do {
        int found = 0;
        if (is_slice (machine, &slice)
            && tori_wiring_possible (machine, &slice, request->wiring))
            found = place (data, state, request, &slice, ret_place, err);
        if (found)
            return found;
    } while (tori_shape_next_rotation (&slice));
    return 0;
}

static int partner_place (void *data, const tori_state *state,
                          const tori_request *request,
                          tori_placement *ret_place, tori_error *err)
{
    return place_any_slice (place_slice, data, state, request, ret_place,
                            err);
}

/* The first free slice in the Gray code that has the slice's dimensions last:
 * the other digits number the slices. */
static int place_by_code (struct boxscan *scan, const tori_state *state,
                          const tori_request *request,
                          const tori_shape *slice, tori_placement *ret_place,
                          tori_error *err)
{
    const tori_machine *machine = state->machine;
    uint64_t slices = machine->nodes / tori_shape_volume (slice);
    tori_box box = {.shape = *slice};
    int dims[TORI_MAX_DIMS], n = 0;
    (void)scan;
    (void)err;
    for (int d = 0; d < slice->ndims; d++)
        if (slice->size[d] == 1)
            dims[n++] = d;
    for (uint64_t i = 0; i < slices; i++) {
        set_digits (machine, dims, n, i, box.origin);
        if (slice_free (state, request, &box)) {
            *ret_place = placement_of_box (&box, request->wiring);
            return 1;
        }
    }
    return 0;
}

static int multiple_place (void *data, const tori_state *state,
                           const tori_request *request,
                           tori_placement *ret_place, tori_error *err)
{
    return place_any_slice (place_by_code, data, state, request, ret_place,
                            err);
}

/* The common part of the four. */
#define SLICER(title, text)                                                   \
    .info = {.name = title, .summary = text, .takes = TORI_BY_SHAPE,          \
             .flags = TORI_ALLOC_PLANES | TORI_ALLOC_SLICES},                 \
    .create = boxscan_create, .destroy = boxscan_destroy,                                     \
    .missing = "slice that holds this shape"

const struct alloc_ops eb_ops = {
    SLICER ("eb", "extended Buddy: the first free slice of the last "
                  "dimensions"),
    .impossible = last_impossible,
    .nodes = last_nodes,
    .place = eb_place,
};

const struct alloc_ops egc_ops = {
    SLICER ("egc", "extended Gray code: the first free slice in Gray code "
                   "order"),
    .impossible = last_impossible,
    .nodes = last_nodes,
    .place = egc_place,
};

const struct alloc_ops k_partner_ops = {
    SLICER ("k-partner", "k-ary Partner: the first free slice of any "
                         "dimensions, as short as holds the shape"),
    .nodes = partner_nodes,
    .place = partner_place,
};

const struct alloc_ops multiple_gc_ops = {
    SLICER ("multiple-gc", "multiple Gray code: the first free slice of any "
                           "dimensions, in the order of Gray codes"),
    .nodes = partner_nodes,
    .place = multiple_place,
};
