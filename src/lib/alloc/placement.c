/* placement.c - requests and placements of tori/alloc.h. */
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "compare.h"
#include "joined.h"
#include "marks.h"
#include "placement.h"
#include "twist.h"

uint64_t tori_request_nodes (const tori_request *request)
{
    return request->shape.ndims ? tori_shape_volume (&request->shape)
                                : request->count;
}

int request_check (const tori_request *request, tori_error *err)
{
    if (request->shape.ndims < 0 || request->shape.ndims > TORI_MAX_DIMS)
        return tori_error_set (err, TORI_INVALID,
                               "a shape of %d dimensions: up to %d are known",
                               request->shape.ndims, TORI_MAX_DIMS);
    if (request->flags & ~TORI_REQUEST_FOLD)
        return tori_error_set (err, TORI_INVALID, "there are no flags %x",
                               request->flags);
    if (request->flags && (request->fixed || request->shape.ndims == 0))
        return tori_error_set (err, TORI_INVALID, "%s cannot be folded",
                               request->fixed ? "a fixed shape" : "a count");
    return wiring_check (request->wiring, err);
}

bool request_keeps_sides (const tori_request *request)
{
    return request->fixed || request->flags & TORI_REQUEST_FOLD;
}

/* ---- the parts of a placement ---- */

const tori_box *tori_placement_box (const tori_placement *place, size_t i)
{
    return i < place->nboxes ? box_at (place, (uint32_t)i) : NULL;
}

tori_placement placement_of_box (const tori_box *box, tori_wiring wiring)
{
    tori_placement place = {.nboxes = 1, .wiring = wiring, .box = *box};
    place.count = (uint32_t)tori_shape_volume (&box->shape);
    return place;
}

static struct tori_pieces *make_pieces (const tori_box boxes[], size_t n,
                                        const tori_shape *across)
{
    struct tori_pieces *pieces = calloc (1, sizeof *pieces + n * sizeof *boxes);
    if (!pieces)
        return NULL;
    pieces->n = n;
    pieces->across = *across;
    if (n > 0)
        memcpy (pieces->box, boxes, n * sizeof *boxes);
    return pieces;
}

static void free_pieces (struct tori_pieces *pieces)
{
    if (pieces)
        free (pieces->link);
    free (pieces);
}

static struct tori_pieces *copy_pieces (const struct tori_pieces *from)
{
    struct tori_pieces *pieces
        = make_pieces (from->box, from->n, &from->across);
    if (!pieces || from->nlinks == 0)
        return pieces;
    pieces->link = malloc (from->nlinks * sizeof *pieces->link);
    if (!pieces->link) {
        free (pieces);
        return NULL;
    }
    memcpy (pieces->link, from->link, from->nlinks * sizeof *pieces->link);
    pieces->nlinks = from->nlinks;
    return pieces;
}

size_t placement_listed (const tori_placement *place,
                         const tori_link **ret_links)
{
    *ret_links = place->pieces ? place->pieces->link : NULL;
    return place->pieces ? place->pieces->nlinks : 0;
}

static int make_place (const tori_box boxes[], uint64_t n,
                       const tori_shape *across, tori_wiring wiring,
                       tori_placement *ret_place, tori_error *err)
{
    tori_placement place;
    if (n < 1 || n > UINT32_MAX)
        return tori_error_set (err, TORI_INVALID, "a placement of %llu boxes",
                               (unsigned long long)n);
    place = placement_of_box (&boxes[0], wiring);
    place.nboxes = (uint32_t)n;
    for (size_t i = 1; i < n; i++)
        place.count += (uint32_t)tori_shape_volume (&boxes[i].shape);
    if (n > 1 && !(place.pieces = make_pieces (boxes + 1, n - 1, across)))
        return tori_error_nomem (err);
    *ret_place = place;
    return 0;
}

int tori_placement_of_boxes (const tori_box boxes[], size_t n,
                             tori_wiring wiring, tori_placement *ret_place,
                             tori_error *err)
{
    return make_place (boxes, n, &(tori_shape){0}, wiring, ret_place, err);
}

/* Whether ascending nodes are nodes of the machine, each once. */
static int check_nodes (const tori_machine *machine, const uint32_t nodes[],
                        size_t n, tori_error *err)
{
    for (size_t i = 1; i < n; i++)
        if (nodes[i] == nodes[i - 1])
            return tori_error_set (err, TORI_INVALID,
                                   "node %u is given twice", nodes[i]);
    if (nodes[n - 1] >= machine->nodes)
        return tori_error_set (err, TORI_INVALID,
                               "there is no node %u: the machine has %u",
                               nodes[n - 1], machine->nodes);
    return 0;
}

int tori_placement_of_nodes (const tori_machine *machine,
                             const uint32_t nodes[], size_t n,
                             tori_placement *ret_place, tori_error *err)
{
    uint32_t *own;
    if (n < 1 || n > machine->nodes)
        return tori_error_set (err, TORI_INVALID, "a placement of %zu nodes",
                               n);
    own = malloc (n * sizeof *own);
    if (!own)
        return tori_error_nomem (err);
    memcpy (own, nodes, n * sizeof *own);
    qsort (own, n, sizeof *own, compare_ids);
    if (check_nodes (machine, own, n, err) < 0) {
        free (own);
        return -1;
    }
    *ret_place = (tori_placement){.count = (uint32_t)n, .nodes = own};
    return 0;
}

int tori_placement_of_pieces (const tori_box pieces[],
                              const tori_shape *across, tori_wiring wiring,
                              tori_placement *ret_place, tori_error *err)
{
    return make_place (pieces, tori_shape_volume (across), across, wiring,
                       ret_place, err);
}

void tori_placement_clear (tori_placement *place)
{
    if (!place)
        return;
    free (place->nodes);
    free_pieces (place->pieces);
    place->nodes = NULL;
    place->pieces = NULL;
    place->count = place->nboxes = 0;
}

int tori_placement_copy (tori_placement *to, const tori_placement *from,
                         tori_error *err)
{
    uint32_t *nodes = NULL;
    struct tori_pieces *pieces = NULL;
    if (from->nodes) {
        nodes = malloc (from->count * sizeof *nodes);
        if (!nodes)
            return tori_error_nomem (err);
        memcpy (nodes, from->nodes, from->count * sizeof *nodes);
    }
    if (from->pieces) {
        pieces = copy_pieces (from->pieces);
        if (!pieces) {
            free (nodes);
            return tori_error_nomem (err);
        }
    }
    *to = *from;
    to->nodes = nodes;
    to->pieces = pieces;
    return 0;
}

tori_placement *placement_duplicate (const tori_placement *place)
{
    tori_placement *copy = malloc (sizeof *copy);
    if (copy && tori_placement_copy (copy, place, NULL) == 0)
        return copy;
    free (copy);
    return NULL;
}

void placement_drop (tori_placement *place)
{
    tori_placement_clear (place);
    free (place);
}

void tori_placement_nodes (const tori_placement *place,
                           const tori_machine *machine, uint32_t ids[])
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < place->nboxes; i++) {
        const tori_box *box = box_at (place, i);
        tori_box_nodes (machine, box, ids + n);
        n += (uint32_t)tori_shape_volume (&box->shape);
    }
    if (place->nboxes > 1)
        qsort (ids, n, sizeof *ids, compare_ids);
    if (!place->nboxes && place->count > 0)
        memcpy (ids, place->nodes, place->count * sizeof *ids);
}

bool tori_placement_contains (const tori_placement *place,
                              const tori_machine *machine, uint32_t node)
{
    for (uint32_t i = 0; i < place->nboxes; i++)
        if (tori_box_contains (machine, box_at (place, i), node))
            return true;
    return !place->nboxes && place->count > 0
           && bsearch (&node, place->nodes, place->count, sizeof node,
                       compare_ids);
}

static bool box_uses_link (const tori_machine *machine, const tori_box *box,
                           struct wires wires, const tori_link *link)
{
    tori_link_run runs[TORI_MAX_RUNS];
    int n = wiring_runs (machine, box, wires, runs);
    for (int i = 0; i < n; i++) {
        tori_box slots
            = box_with (box, runs[i].dim, runs[i].first, runs[i].count);
        if (runs[i].dim == link->dim && runs[i].layer == link->layer
            && tori_box_contains (machine, &slots, link->slot))
            return true;
    }
    return false;
}

bool tori_placement_uses_link (const tori_placement *place,
                               const tori_machine *machine,
                               const tori_link *link)
{
    const tori_link *listed;
    if (placement_listed (place, &listed) > 0
        && bsearch (link, place->pieces->link, place->pieces->nlinks,
                    sizeof *link, compare_links))
        return true;
    for (uint32_t i = 0; i < place->nboxes; i++)
        if (box_uses_link (machine, box_at (place, i),
                           joined_wires (place, machine, i), link))
            return true;
    return false;
}

int tori_placement_each_link (const tori_placement *place,
                              const tori_machine *machine,
                              int (*visit) (void *arg, const tori_link *link),
                              void *arg)
{
    const tori_link *link;
    size_t n = placement_listed (place, &link);
    int answer = 0;
    for (uint32_t i = 0; i < place->nboxes && answer == 0; i++)
        answer = wiring_each (machine, box_at (place, i),
                              joined_wires (place, machine, i), visit, arg);
    for (size_t i = 0; i < n && answer == 0; i++)
        answer = visit (arg, &link[i]);
    return answer;
}

/* A slice is a mesh or a torus of its own. In a twisted one all nodes are
 * alike. */
static uint64_t pairwise_of_slice (const tori_shape *shape, int first,
                                   tori_wiring wiring)
{
    struct tori_machine slice = {.shape = *shape};
    tori_box box = {.shape = *shape};
    if (wiring == TORI_WIRE_TWISTED)
        return twist_measure (shape, twist_side (shape)).sum
               * tori_shape_volume (shape) / 2;
    for (int d = 0; d < shape->ndims; d++)
        slice.kind[d] = tori_wiring_closes (wiring, first + d) ? TORI_TORUS
                                                               : TORI_MESH;
    return tori_box_pairwise (&slice, &box);
}

/* The sum over the pieces as a list. */
static int pairwise_of_pieces (const tori_placement *place,
                               const tori_machine *machine, uint64_t *ret_sum,
                               tori_error *err)
{
    uint32_t *nodes = malloc (place->count * sizeof *nodes);
    int status;
    if (!nodes)
        return tori_error_nomem (err);
    tori_placement_nodes (place, machine, nodes);
    status = nodes_pairwise (machine, nodes, place->count, true, ret_sum, err);
    free (nodes);
    return status;
}

int tori_placement_pairwise (const tori_placement *place,
                             const tori_machine *machine, uint64_t *ret_sum,
                             tori_error *err)
{
    tori_shape shape;
    if (!place->nboxes)
        return nodes_pairwise (machine, place->nodes, place->count, true,
                               ret_sum, err);
    if (machine->apart && tori_placement_shape (place, machine, &shape)) {
        *ret_sum = pairwise_of_slice (&shape, machine->apart, place->wiring);
        return 0;
    }
    if (place->nboxes > 1)
        return pairwise_of_pieces (place, machine, ret_sum, err);
    *ret_sum = tori_box_pairwise (machine, &place->box);
    return 0;
}

/* Whether a list is as the header says. */
static int check_list (const tori_placement *place,
                       const tori_machine *machine, tori_error *err)
{
    if (place->count > 0 && !place->nodes)
        return tori_error_set (err, TORI_INVALID,
                               "a placement of %u nodes has none",
                               place->count);
    for (uint32_t i = 0; i < place->count; i++) {
        if (node_check (machine, place->nodes[i], err) < 0)
            return -1;
        if (i > 0 && place->nodes[i] <= place->nodes[i - 1])
            return tori_error_set (err, TORI_INVALID,
                                   "the nodes of a placement are not in "
                                   "ascending order, each once");
    }
    return 0;
}

/* Whether the i-th box of one placement and the j-th of another need the same
 * node or, by the rule, the same link. */
static bool boxes_conflict (const tori_machine *machine,
                            const tori_placement *a, uint32_t i,
                            const tori_placement *b, uint32_t j, bool links)
{
    tori_link link;
    return tori_box_overlap (machine, box_at (a, i), box_at (b, j))
           || (links
               && wiring_conflict (machine, box_at (a, i),
                                   joined_wires (a, machine, i), box_at (b, j),
                                   joined_wires (b, machine, j), &link));
}

/* Whether pieces keep clear of one another. They are boxes of the machine. */
static int check_apart (const tori_placement *place,
                        const tori_machine *machine, bool links,
                        tori_error *err)
{
    for (uint32_t i = 1; i < place->nboxes; i++)
        for (uint32_t j = 0; j < i; j++)
            if (boxes_conflict (machine, place, i, place, j, links))
                return tori_error_set (err, TORI_INVALID,
                                       "two boxes of a placement need the "
                                       "same node or link");
    return 0;
}

/* `links`: two boxes must not need the same link. */
static int check_place (const tori_placement *place,
                        const tori_machine *machine, bool links,
                        tori_error *err)
{
    uint64_t nodes = 0;
    if (!place->nboxes)
        return check_list (place, machine, err);
    if (wiring_check_on (machine, place->wiring, err) < 0)
        return -1;
    if (place->nboxes != (place->pieces ? place->pieces->n : 0) + 1)
        return tori_error_set (err, TORI_INVALID,
                               "a placement of %u boxes has another number",
                               place->nboxes);
    for (uint32_t i = 0; i < place->nboxes; i++) {
        if (box_check (machine, box_at (place, i), err) < 0)
            return -1;
        nodes += tori_shape_volume (&box_at (place, i)->shape);
    }
    if (nodes != place->count)
        return tori_error_set (err, TORI_INVALID,
                               "a placement of %u nodes has boxes of "
                               "another number",
                               place->count);
    if (joined_check (place, machine, err) < 0)
        return -1;
    return check_apart (place, machine, links, err);
}

int placement_check (const tori_placement *place, const tori_machine *machine,
                     tori_error *err)
{
    return check_place (place, machine, machine->wraps || machine->searched,
                        err);
}

/* ---- which links ---- */

static int refuse_link (const tori_machine *machine, const tori_link *link,
                        const char *why, tori_error *err)
{
    uint32_t coords[TORI_MAX_DIMS], a, b;
    char text[TORI_TEXT_MAX];
    char kind = tori_link_ends (machine, link, &a, &b);
    tori_machine_coords (machine, link->slot, coords);
    coords[link->dim] = a;
    tori_node_format (machine, tori_machine_id (machine, coords), text);
    return tori_error_set (err, TORI_INVALID, "link %u-%u %c at node %.80s %s",
                           a, b, kind, text, why);
}

/* Whether a line that a box of the placement crosses has the link. */
static bool on_line (const tori_placement *place, const tori_machine *machine,
                     const tori_link *link)
{
    for (uint32_t i = 0; i < place->nboxes; i++) {
        tori_box line = box_with (box_at (place, i), link->dim, 0,
                                  machine->shape.size[link->dim]);
        if (tori_box_contains (machine, &line, link->slot))
            return true;
    }
    return false;
}

static int check_links (const tori_placement *place,
                        const tori_machine *machine, const tori_link links[],
                        size_t n, tori_error *err)
{
    for (size_t i = 0; i < n; i++) {
        if (!kind_is_flexible (machine->kind[links[i].dim]))
            return refuse_link (machine, &links[i],
                                "is in a dimension that has no others", err);
        if (!on_line (place, machine, &links[i]))
            return refuse_link (machine, &links[i],
                                "is in no line of the box", err);
        if (i > 0 && compare_links (&links[i - 1], &links[i]) == 0)
            return refuse_link (machine, &links[i], "is there twice", err);
    }
    return 0;
}

/* Replace the links of a placement; it owns the new ones. */
static int set_links (tori_placement *place, tori_link *links, size_t n,
                      tori_error *err)
{
    if (n > 0 && !place->pieces) {
        place->pieces = make_pieces (NULL, 0, &(tori_shape){0});
        if (!place->pieces)
            return tori_error_nomem (err);
    }
    if (n > 0)
        qsort (links, n, sizeof *links, compare_links);
    if (place->pieces) {
        free (place->pieces->link);
        place->pieces->link = links;
        place->pieces->nlinks = n;
    }
    return 0;
}

int placement_set_links (tori_placement *place, const tori_machine *machine,
                         tori_link *links, size_t n, tori_error *err)
{
    qsort (links, n, sizeof *links, compare_links);
    return check_links (place, machine, links, n, err) < 0
               ? -1
               : set_links (place, links, n, err);
}

/* Boxes must not take each other's links: those listed so far are taken in a
 * scratch state. */
static int list_boxes (const tori_placement *place, tori_state *state,
                       uint32_t dims, struct linklist *list, tori_error *err)
{
    struct wires wires = {place->wiring, dims};
    for (uint32_t i = 0; i < place->nboxes; i++) {
        size_t before = list->n;
        if (wiring_list (state, box_at (place, i), place->wiring, dims, list,
                         err)
                < 0
            || links_block (state, list->link + before, list->n - before, err)
                   < 0
            || wiring_block (state, box_at (place, i), wires, err) < 0)
            return -1;
    }
    return 0;
}

static int list_links (const tori_placement *place, const tori_state *state,
                       uint32_t dims, struct linklist *list, tori_error *err)
{
    tori_state *copy = NULL;
    int status;
    if (place->nboxes == 1)
        return wiring_list (state, &place->box, place->wiring, dims, list,
                            err);
    status = tori_state_create (state->machine, &copy, err);
    if (status == 0)
        status = tori_state_copy (copy, state, err);
    if (status == 0)
        status = list_boxes (place, copy, dims, list, err);
    tori_state_destroy (copy);
    return status;
}

int tori_placement_wire (tori_placement *place, const tori_state *state,
                         tori_error *err)
{
    struct linklist list = {0};
    uint32_t dims = 0;
    /* Boxes that need the same link of the rule get others. */
    if (check_place (place, state->machine, state->machine->wraps, err) < 0)
        return -1;
    for (uint32_t i = 0; i < place->nboxes && state_disturbed (state); i++)
        dims |= wiring_hindered (state, box_at (place, i), place->wiring);
    if ((dims && list_links (place, state, dims, &list, err) < 0)
        || set_links (place, list.link, list.n, err) < 0) {
        free (list.link);
        return -1;
    }
    return 0;
}

/* ---- compared with others ---- */

static bool same_links (const tori_placement *a, const tori_placement *b)
{
    const tori_link *x, *y;
    size_t n = placement_listed (a, &x), m = placement_listed (b, &y);
    for (size_t i = 0; i < n && n == m; i++)
        if (compare_links (&x[i], &y[i]) != 0)
            return false;
    return n == m;
}

/* Whether both are joined in the same way, or not joined. */
static bool same_joints (const tori_placement *a, const tori_placement *b)
{
    return !a->pieces || !b->pieces
           || tori_shape_equal (&a->pieces->across, &b->pieces->across);
}

bool placement_equal (const tori_placement *a, const tori_placement *b)
{
    if (a->count != b->count || a->nboxes != b->nboxes
        || a->wiring != b->wiring || !same_joints (a, b))
        return false;
    for (uint32_t i = 0; i < a->nboxes; i++)
        if (!box_equal (box_at (a, i), box_at (b, i)))
            return false;
    return a->nboxes
               ? same_links (a, b)
               : memcmp (a->nodes, b->nodes, a->count * sizeof *a->nodes) == 0;
}

/* The first place from i on whose node is not less. */
static uint32_t skip_to (const tori_placement *list, uint32_t i,
                         uint32_t node)
{
    uint32_t end = list->count;
    while (i < end) {
        uint32_t middle = i + (end - i) / 2;
        if (list->nodes[middle] < node)
            i = middle + 1;
        else
            end = middle;
    }
    return i;
}

/* Lists are in ascending order, and mostly of long runs of nodes: so this jumps
 * from one run to the next. */
static bool lists_overlap (const tori_placement *a, const tori_placement *b)
{
    uint32_t i = 0, j = 0;
    while (i < a->count && j < b->count) {
        if (a->nodes[i] == b->nodes[j])
            return true;
        if (a->nodes[i] < b->nodes[j])
            i = skip_to (a, i + 1, b->nodes[j]);
        else
            j = skip_to (b, j + 1, a->nodes[i]);
    }
    return false;
}

static bool list_overlaps (const tori_placement *list,
                           const tori_placement *other,
                           const tori_machine *machine)
{
    if (!other->nboxes)
        return lists_overlap (list, other);
    for (uint32_t i = 0; i < list->count; i++)
        if (tori_placement_contains (other, machine, list->nodes[i]))
            return true;
    return false;
}

bool placement_lists_of (const tori_placement *a, const tori_placement *b,
                         const tori_machine *machine)
{
    const tori_link *link;
    size_t n = placement_listed (a, &link);
    for (size_t i = 0; i < n; i++)
        if (tori_placement_uses_link (b, machine, &link[i]))
            return true;
    return false;
}

bool placement_overlap (const tori_placement *a, const tori_placement *b,
                        const tori_machine *machine)
{
    if (!a->nboxes || !b->nboxes)
        return a->nboxes ? list_overlaps (b, a, machine)
                         : list_overlaps (a, b, machine);
    for (uint32_t i = 0; i < a->nboxes; i++)
        for (uint32_t j = 0; j < b->nboxes; j++)
            if (boxes_conflict (machine, a, i, b, j,
                                machine->wraps || machine->searched))
                return true;
    return placement_lists_of (a, b, machine)
           || placement_lists_of (b, a, machine);
}
