#include "joined.h"

#include "grid.h"
#include "twist.h"

/* How many boxes are joined along each dimension, or NULL. */
static const tori_shape *across_of (const tori_placement *place)
{
    return place->pieces && place->pieces->across.ndims > 0
               ? &place->pieces->across
               : NULL;
}

bool tori_placement_across (const tori_placement *place,
                            const tori_machine *machine,
                            tori_shape *ret_across)
{
    const tori_shape *across = across_of (place);
    if (across) {
        *ret_across = *across;
        return true;
    }
    if (place->nboxes != 1)
        return false;
    ret_across->ndims = tori_machine_shape_dims (machine);
    for (int d = 0; d < ret_across->ndims; d++)
        ret_across->size[d] = 1;
    return true;
}

/* The distance in the list of pieces that follow each other in a dimension. */
static uint32_t step_of (const tori_shape *across, int dim)
{
    uint32_t step = 1;
    for (int d = dim + 1; d < across->ndims; d++)
        step *= across->size[d];
    return step;
}

/* The position of the i-th piece along a dimension. */
static uint32_t position_of (const tori_shape *across, uint32_t i, int dim)
{
    return i / step_of (across, dim) % across->size[dim];
}

/* The number of nodes that the first n pieces along a dimension have there. */
static uint32_t length_of (const tori_placement *place,
                           const tori_shape *across, int apart, int dim,
                           uint32_t n)
{
    uint32_t step = step_of (across, dim), sum = 0;
    for (uint32_t k = 0; k < n; k++)
        sum += box_at (place, k * step)->shape.size[apart + dim];
    return sum;
}

bool tori_placement_shape (const tori_placement *place,
                           const tori_machine *machine, tori_shape *ret_shape)
{
    tori_shape across;
    if (!tori_placement_across (place, machine, &across))
        return false;
    ret_shape->ndims = across.ndims;
    for (int d = 0; d < across.ndims; d++)
        ret_shape->size[d] =
            length_of (place, &across, machine->apart, d, across.size[d]);
    return true;
}

void tori_placement_begin (const tori_placement *place,
                           const tori_machine *machine, size_t i,
                           uint32_t at[TORI_MAX_DIMS])
{
    const tori_shape *across = across_of (place);
    int dims = across ? across->ndims : tori_machine_shape_dims (machine);
    for (int d = 0; d < dims; d++)
        at[d] = across ? length_of (place, across, machine->apart, d,
                                    position_of (across, (uint32_t)i, d))
                       : 0;
}

uint32_t joined_node (const tori_placement *place, const tori_machine *machine,
                      const uint32_t at[])
{
    const tori_shape *across = across_of (place);
    int apart = machine->apart;
    uint32_t coords[TORI_MAX_DIMS], piece = 0;
    for (int d = 0; d < machine->shape.ndims - apart; d++) {
        uint32_t rest = at[d], step = across ? step_of (across, d) : 0, k = 0;
        while (across && rest >= box_at (place, k)->shape.size[apart + d]) {
            rest -= box_at (place, k)->shape.size[apart + d];
            k += step;
        }
        piece += k;
        coords[apart + d] = (box_at (place, k)->origin[apart + d] + rest)
                            % machine->shape.size[apart + d];
    }
    for (int d = 0; d < apart; d++)
        coords[d] = box_at (place, piece)->origin[d];
    return tori_machine_id (machine, coords);
}

/* The dimensions whose links a list has. */
static uint32_t listed_dims (const tori_placement *place)
{
    uint32_t dims = 0;
    for (size_t i = 0; place->pieces && i < place->pieces->nlinks; i++)
        dims |= UINT32_C (1) << place->pieces->link[i].dim;
    return dims;
}

struct wires joined_wires (const tori_placement *place,
                           const tori_machine *machine, uint32_t i)
{
    const tori_shape *across = across_of (place);
    const tori_box *box = box_at (place, i);
    struct wires wires = {.wiring = place->wiring};
    if (!across)
        wires = wires_of_box (machine, box, place->wiring);
    wires.listed = listed_dims (place);
    for (int d = 0;
         across && place->wiring != TORI_WIRE_NONE && d < across->ndims; d++) {
        uint32_t n = across->size[d], at = position_of (across, i, d);
        uint32_t bit = UINT32_C (1) << (machine->apart + d);
        bool ring = tori_wiring_closes (place->wiring, machine->apart + d)
                    && (n > 1 || box->shape.size[machine->apart + d] > 1);
        wires.below |= at > 0 || ring ? bit : 0;
        wires.above |= at + 1 < n || ring ? bit : 0;
    }
    return wires;
}

uint32_t joined_twist (const tori_machine *machine, const tori_shape *shape)
{
    uint32_t k = machine->apart ? twist_side (shape) : 0;
    for (int d = 0; k > 0 && d < shape->ndims; d++)
        if (k % machine->shape.size[machine->apart + d] != 0)
            return 0;
    return k;
}

/* ---- can they be joined? ---- */

static bool can_twist (const tori_placement *place,
                       const tori_machine *machine)
{
    tori_shape shape;
    return tori_placement_shape (place, machine, &shape)
           && joined_twist (machine, &shape) > 0;
}

static int refuse_pieces (const char *why, tori_error *err)
{
    return tori_error_set (err, TORI_INVALID,
                           "the pieces of a slice cannot be joined: %s", why);
}

/* Whether there are as many pieces as `across` says. */
static bool has_pieces (const tori_placement *place, const tori_shape *across,
                        const tori_machine *machine)
{
    return machine->apart && across->ndims == tori_machine_shape_dims (machine)
           && tori_shape_volume (across) == place->nboxes;
}

static bool in_one_cube (const tori_machine *machine, const tori_box *box)
{
    for (int d = 0; d < machine->apart; d++)
        if (box->shape.size[d] > 1)
            return false;
    return true;
}

/* Check a piece in one dimension: like those beside it, up to the faces to
 * which others are joined and, in a ring, a whole side. */
static const char *check_piece (const tori_placement *place,
                                const tori_shape *across,
                                const tori_machine *machine, uint32_t i, int d)
{
    const tori_box *box = box_at (place, i);
    uint32_t at = position_of (across, i, d),
             dim = (uint32_t)(machine->apart + d);
    const tori_box *like = box_at (place, at * step_of (across, d));
    uint32_t first = box->origin[dim], size = box->shape.size[dim];
    bool ring =
        tori_wiring_closes (place->wiring, machine->apart + d)
        && (across->size[d] > 1 || size > 1);
    if (first != like->origin[dim] || size != like->shape.size[dim])
        return "they are not at equal positions of their cubes";
    if ((at > 0 || ring) && first != 0)
        return "one does not begin at the face of its cube";
    if ((at + 1 < across->size[d] || ring)
        && first + size != machine->shape.size[dim])
        return "one does not end at the face of its cube";
    return NULL;
}

int joined_check (const tori_placement *place, const tori_machine *machine,
                  tori_error *err)
{
    const tori_shape *across = across_of (place);
    const char *why = NULL;
    if (!across && place->wiring == TORI_WIRE_TWISTED)
        return refuse_pieces ("a twisted torus needs more than one", err);
    if (!across)
        return 0;
    if (!has_pieces (place, across, machine))
        return refuse_pieces ("there is another number of them", err);
    if (place->wiring == TORI_WIRE_TWISTED && !can_twist (place, machine))
        why = "a twisted torus has sides of K and 2K, K whole cubes";
    for (uint32_t i = 0; i < place->nboxes && !why; i++) {
        const tori_box *box = box_at (place, i);
        if (!in_one_cube (machine, box))
            why = "one is not in a cube";
        if (machine->pods && box->origin[0] != place->box.origin[0])
            why = "they are in different pods";
        for (int d = 0; d < across->ndims && !why; d++)
            why = check_piece (place, across, machine, i, d);
    }
    return why ? refuse_pieces (why, err) : 0;
}

/* ---- cross-connects ---- */

/* Visit the cross-connects of a face, node by node. */
static int cross_face (const tori_machine *machine, const tori_box *box,
                       const tori_box *next, int dim,
                       int (*visit) (void *arg, const tori_cross *cross),
                       void *arg)
{
    tori_box face = box_with (box, dim, machine->shape.size[dim] - 1, 1);
    tori_box other = box_with (next, dim, 0, 1);
    uint32_t from = tori_machine_id (machine, face.origin);
    uint32_t to = tori_machine_id (machine, other.origin);
    struct runs runs = runs_of_box (machine, &face);
    uint64_t first, count;
    while (runs_next (&runs, &first, &count))
        for (; count > 0; count--, first++) {
            tori_cross cross = {dim, (uint32_t)first,
                                (uint32_t)first - from + to};
            int answer = visit (arg, &cross);
            if (answer)
                return answer;
        }
    return 0;
}

/* The piece half a ring further in a dimension. */
static uint32_t half_way (const tori_shape *across, uint32_t i, int dim)
{
    uint32_t step = step_of (across, dim), half = across->size[dim] / 2;
    return position_of (across, i, dim) < half ? i + half * step
                                               : i - half * step;
}

/* The piece after the i-th in a dimension, round the ring. `twisted` are the
 * sides of a slice of which `twist` is the short one, if that is not 0. */
static uint32_t next_piece (const tori_shape *across, uint32_t i, int dim,
                            const tori_shape *twisted, uint32_t twist)
{
    uint32_t step = step_of (across, dim), n = across->size[dim];
    uint32_t at = position_of (across, i, dim);
    if (at + 1 < n)
        return i + step;
    i -= at * step;
    for (int d = 0; twisted->size[dim] == twist && d < across->ndims; d++)
        if (twisted->size[d] > twist)
            i = half_way (across, i, d);
    return i;
}

int tori_placement_crosses (const tori_placement *place,
                            const tori_machine *machine,
                            int (*visit) (void *arg, const tori_cross *cross),
                            void *arg)
{
    tori_shape across, shape;
    uint32_t twist = 0;
    int answer = 0;
    if (!machine->apart || !tori_placement_across (place, machine, &across)
        || !tori_placement_shape (place, machine, &shape))
        return 0;
    if (place->wiring == TORI_WIRE_TWISTED)
        twist = joined_twist (machine, &shape);
    for (int d = 0; d < across.ndims; d++)
        for (uint32_t i = 0; i < place->nboxes && !answer; i++) {
            int dim = machine->apart + d;
            if (joined_wires (place, machine, i).above >> dim & 1)
                answer = cross_face (
                    machine, box_at (place, i),
                    box_at (place,
                            next_piece (&across, i, d, &shape, twist)),
                    dim, visit, arg);
        }
    return answer;
}
