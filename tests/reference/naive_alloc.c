#include "naive_alloc.h"

#include <stdlib.h>
#include <string.h>

#include "naive_regard.h"
#include "marks.h"
#include "placement.h"
#include "taking.h"

/* ---- sums over pairs ---- */

wide naive_pairs (const void *things, size_t n, naive_apart *apart)
{
    wide sum = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            sum += apart (things, i, j);
    return sum;
}

struct chosen {
    const struct cloud *cloud;
    const size_t *points;
};

static wide cloud_gap (const void *things, size_t i, size_t j)
{
    const struct chosen *chosen = things;
    return cloud_distance (chosen->cloud,
                           cloud_point (chosen->cloud, chosen->points[i]),
                           cloud_point (chosen->cloud, chosen->points[j]));
}

wide naive_cloud_pairs (const struct cloud *cloud, const size_t *chosen,
                        size_t k)
{
    return naive_pairs (&(struct chosen){cloud, chosen}, k, cloud_gap);
}

/* ---- boxes ---- */

static bool same_sides (const tori_shape *a, const tori_shape *b)
{
    tori_shape *list;
    size_t n = naive_rotations (a, false, &list);
    bool found = false;
    for (size_t i = 0; i < n; i++)
        found |= tori_shape_equal (&list[i], b);
    free (list);
    return found;
}

bool naive_inside (const tori_machine *machine, const tori_request *request,
                   const tori_box *box)
{
    if (box->shape.ndims != tori_machine_ndims (machine))
        return false;
    for (int d = 0; d < box->shape.ndims; d++) {
        uint32_t S = tori_machine_size (machine, d);
        bool may_wrap =
            request->wrap && tori_machine_kind (machine, d) == TORI_TORUS;
        if (box->origin[d] >= S || box->shape.size[d] > S
            || (box->origin[d] + box->shape.size[d] > S && !may_wrap))
            return false;
    }
    return true;
}

bool naive_allows (const tori_machine *machine, const tori_request *request,
                   const tori_box *box)
{
    bool shape = request->fixed
                     ? tori_shape_equal (&request->shape, &box->shape)
                     : same_sides (&request->shape, &box->shape);
    return shape && naive_inside (machine, request, box);
}

/* Whether the neighbour of a node, one step up or down a dimension, is a free
 * node outside the box. */
static bool touches (const struct naive *naive, const tori_box *box,
                     uint32_t node, int dim, bool up)
{
    uint32_t S = tori_machine_size (naive->machine, dim);
    uint32_t coords[TORI_MAX_DIMS];
    tori_machine_coords (naive->machine, node, coords);
    if (coords[dim] == (up ? S - 1 : 0)
        && tori_machine_kind (naive->machine, dim) != TORI_TORUS)
        return false;
    coords[dim] = (coords[dim] + (up ? 1 : S - 1)) % S;
    node = tori_machine_id (naive->machine, coords);
    return naive_is_free (naive, node)
           && !naive_contains (naive->machine, box, node);
}

/* The cost of best-fit: free nodes at the faces. */
static uint32_t exposed (const struct naive *naive, const tori_box *box)
{
    size_t n = (size_t)tori_shape_volume (&box->shape);
    uint32_t *ids = make_array (n, sizeof *ids);
    uint32_t sum = 0;
    naive_box_nodes (naive->machine, box, ids);
    for (size_t i = 0; i < n; i++)
        for (int d = 0; d < box->shape.ndims; d++)
            sum += (uint32_t)touches (naive, box, ids[i], d, false)
                   + (uint32_t)touches (naive, box, ids[i], d, true);
    free (ids);
    return sum;
}

struct naive_boxes naive_boxes_of (const struct naive *naive,
                                   const tori_request *request)
{
    struct naive_boxes boxes = {.naive = naive, .request = request};
    boxes.n =
        naive_rotations (&request->shape, request->fixed, &boxes.rotations);
    return boxes;
}

bool naive_boxes_next (struct naive_boxes *boxes, tori_box *ret_box)
{
    while (boxes->at < boxes->naive->n * boxes->n) {
        tori_box box = {.shape = boxes->rotations[boxes->at % boxes->n]};
        tori_machine_coords (boxes->naive->machine,
                             (uint32_t)(boxes->at / boxes->n), box.origin);
        boxes->at++;
        if (naive_inside (boxes->naive->machine, boxes->request, &box)) {
            *ret_box = box;
            return true;
        }
    }
    return false;
}

/* A state with the links of the model. */
static tori_state *state_of_links (const struct naive *naive)
{
    tori_state *state = make_state (naive->machine);
    assert_int_equal (state_need_links (state, NULL), 0);
    for (int d = 0; d < tori_machine_ndims (naive->machine); d++)
        for (uint32_t i = 0; i < 2 * naive->n; i++) {
            tori_link link = {d, i % 2 ? TORI_FAR : TORI_NEAR, i / 2};
            const struct naive_link *is;
            if (!tori_link_exists (naive->machine, &link))
                continue;
            is = &naive->links[naive_number (naive, &link)];
            if (is->owner != NOBODY)
                assert_int_equal (links_block (state, &link, 1, NULL), 0);
            if (is->down)
                tori_state_set_link_down (state, &link, true, NULL);
        }
    return state;
}

static bool has_multitorus (const tori_machine *machine)
{
    bool has = false;
    for (int d = 0; d < tori_machine_ndims (machine); d++)
        has |= kind_is_multitorus (tori_machine_kind (machine, d));
    return has;
}

bool naive_wire (const struct naive *naive, const tori_box *box,
                 tori_wiring wiring, tori_placement *ret_place)
{
    tori_placement place = placement_of_box (box, wiring);
    tori_state *state;
    bool found = naive_wirable (naive, box, wiring);
    if (!found && has_multitorus (naive->machine)
        && naive_links (naive, box, wiring, naive->scratch) >= 0) {
        state = state_of_links (naive);
        found = tori_placement_wire (&place, state, NULL) == 0
                && placement_free (&place, state);
        tori_state_destroy (state);
    }
    if (found)
        *ret_place = place;
    else
        tori_placement_clear (&place);
    return found;
}

bool naive_can_wire (const struct naive *naive, const tori_box *box,
                     tori_wiring wiring)
{
    tori_placement place;
    bool found = naive_wire (naive, box, wiring, &place);
    if (found)
        tori_placement_clear (&place);
    return found;
}

struct numbers {
    const struct naive *naive;
    size_t *ret;
    int n;
};

static int add_number (void *arg, const tori_link *link)
{
    struct numbers *numbers = arg;
    numbers->ret[numbers->n++] = naive_number (numbers->naive, link);
    return 0;
}

int naive_place_links (const struct naive *naive, const tori_placement *place,
                       size_t ret[])
{
    struct numbers numbers = {naive, ret, 0};
    const tori_link *links;
    if (!place->nboxes)
        return 0;
    if (placement_listed (place, &links) == 0
        && !tori_machine_is_pod (naive->machine))
        return naive_links (naive, &place->box, place->wiring, ret);
    tori_placement_each_link (place, naive->machine, add_number, &numbers);
    return numbers.n;
}

struct survey naive_survey (const struct naive *naive,
                            const tori_request *request)
{
    struct naive_boxes boxes = naive_boxes_of (naive, request);
    struct survey survey = {0};
    tori_box box;
    while (!survey.found && naive_boxes_next (&boxes, &box)) {
        bool is_free = naive_box_free (naive, &box);
        if ((survey.possible && !is_free)
            || !naive_has_links (naive->machine, &box, request->wiring))
            continue;
        survey.possible = true;
        if (!is_free)
            continue;
        survey.free = true;
        survey.found = naive_can_wire (naive, &box, request->wiring);
        survey.first = box;
    }
    free (boxes.rotations);
    return survey;
}

static bool first_fit (const struct naive *naive, const tori_request *request,
                       tori_box *ret_box)
{
    struct survey survey = naive_survey (naive, request);
    *ret_box = survey.first;
    return survey.found;
}

/* The first of those that touch the fewest free nodes. */
static bool best_fit (const struct naive *naive, const tori_request *request,
                      tori_box *ret_box)
{
    struct naive_boxes boxes = naive_boxes_of (naive, request);
    uint32_t least = UINT32_MAX;
    tori_box box;
    while (least > 0 && naive_boxes_next (&boxes, &box)) {
        uint32_t is;
        if (!naive_box_free (naive, &box)
            || !naive_can_wire (naive, &box, request->wiring))
            continue;
        is = exposed (naive, &box);
        if (is < least) {
            least = is;
            *ret_box = box;
        }
    }
    free (boxes.rotations);
    return least < UINT32_MAX;
}

static bool place_box (const struct naive *naive, const tori_request *request,
                       bool best, tori_placement *ret_place)
{
    tori_box box;
    return tori_shape_volume (&request->shape) <= naive_free_count (naive)
           && (best ? best_fit : first_fit) (naive, request, &box)
           && naive_wire (naive, &box, request->wiring, ret_place);
}

/* ---- rows ---- */

/* How many free nodes there are from `at` on without a gap. */
static uint32_t run_at (const struct naive *naive, uint32_t at)
{
    uint32_t n = 0;
    while (at + n < naive->n && naive_is_free (naive, at + n))
        n++;
    return n;
}

/* How many ids from `at` on contain `count` free nodes. */
static uint32_t span_at (const struct naive *naive, uint32_t at,
                         uint32_t count)
{
    uint32_t end = at;
    while (count > 0 && end < naive->n)
        count -= naive_is_free (naive, end++);
    return count ? UINT32_MAX : end - at;
}

/* The front of the first (or shortest) run that is long enough, else where
 * the nodes span the fewest ids. */
static uint32_t row_start (const struct naive *naive, uint32_t count,
                           bool best)
{
    uint32_t start = UINT32_MAX, least = UINT32_MAX;
    for (uint32_t at = 0; at < naive->n; at += run_at (naive, at) + 1) {
        uint32_t run = run_at (naive, at);
        if (run >= count && (best ? run < least : start == UINT32_MAX)) {
            start = at;
            least = run;
        }
    }
    for (uint32_t at = 0; at < naive->n && start == UINT32_MAX; at++)
        if (naive_is_free (naive, at) && span_at (naive, at, count) < least)
            least = span_at (naive, at, count);
    for (uint32_t at = 0; start == UINT32_MAX; at++)
        if (naive_is_free (naive, at) && span_at (naive, at, count) == least)
            start = at;
    return start;
}

static bool place_row (const struct naive *naive, const tori_request *request,
                       bool best, tori_placement *ret_place)
{
    tori_placement place = {.wiring = TORI_WIRE_NONE};
    uint32_t at;
    if (request->count > naive_free_count (naive))
        return false;
    at = row_start (naive, request->count, best);
    place.nodes = make_array (request->count, sizeof *place.nodes);
    for (; place.count < request->count; at++)
        if (naive_is_free (naive, at))
            place.nodes[place.count++] = at;
    *ret_place = place;
    return true;
}

/* ---- the table ---- */

static const struct {
    const char *name;
    bool (*place) (const struct naive *, const tori_request *, bool best,
                   tori_placement *);
    bool best;
    bool slow; /* too slow for streams of decisions */
} definitions[] = {
    {"first-fit", place_box, false, false},
    {"best-fit", place_box, true, false},
    {"row-ff", place_row, false, false},
    {"row-bf", place_row, true, false},
    {"regard", naive_regard, true, true},
};

static size_t find (const char *alloc)
{
    size_t i = 0;
    while (i < LENGTH (definitions) && strcmp (definitions[i].name, alloc))
        i++;
    return i;
}

bool naive_alloc_known (const char *alloc)
{
    size_t i = find (alloc);
    return i < LENGTH (definitions) && !definitions[i].slow;
}

bool naive_place (const struct naive *naive, const char *alloc,
                  const tori_request *request, tori_placement *ret_place)
{
    size_t i = find (alloc);
    assert_true (i < LENGTH (definitions));
    return definitions[i].place (naive, request, definitions[i].best,
                                 ret_place);
}

bool naive_possible (const tori_machine *machine, unsigned takes,
                     const tori_request *request)
{
    struct naive idle = {.machine = machine, .n = tori_machine_nodes (machine)};
    bool possible = false;
    struct naive_boxes boxes;
    tori_box box;
    if (!request->shape.ndims)
        return (takes & TORI_BY_COUNT) && request->count > 0
               && request->count <= idle.n;
    if (!(takes & TORI_BY_SHAPE))
        return false;
    boxes = naive_boxes_of (&idle, request);
    while (!possible && naive_boxes_next (&boxes, &box))
        possible = naive_has_links (machine, &box, request->wiring);
    free (boxes.rotations);
    return possible;
}

/* ---- holding ---- */

/* The caller frees the ids. */
static uint32_t *nodes_of (const struct naive *naive,
                           const tori_placement *place)
{
    uint32_t *ids = make_array (place->count, sizeof *ids);
    if (place->nboxes > 1)
        tori_placement_nodes (place, naive->machine, ids);
    else if (place->nboxes)
        naive_box_nodes (naive->machine, &place->box, ids);
    else
        memcpy (ids, place->nodes, place->count * sizeof *ids);
    return ids;
}

void naive_hold_place (struct naive *naive, const tori_placement *place,
                       int owner, bool by_force)
{
    uint32_t *ids = nodes_of (naive, place);
    int links;
    assert_true (by_force || naive_place_free (naive, place));
    links = naive_place_links (naive, place, naive->scratch);
    for (uint32_t i = 0; i < place->count; i++)
        naive->nodes[ids[i]].owner = owner;
    for (int i = 0; i < links; i++)
        naive->links[naive->scratch[i]].owner = owner;
    free (ids);
}

bool naive_place_free (const struct naive *naive, const tori_placement *place)
{
    int n = naive_place_links (naive, place, naive->scratch);
    uint32_t *ids = nodes_of (naive, place);
    bool is_free = n >= 0;
    for (int i = 0; i < n; i++) {
        const struct naive_link *link = &naive->links[naive->scratch[i]];
        is_free &= link->owner == NOBODY && !link->down;
    }
    for (uint32_t i = 0; i < place->count; i++)
        is_free &= naive_is_free (naive, ids[i]);
    free (ids);
    return is_free;
}

static bool share_node (const struct naive *naive, const tori_placement *a,
                        const tori_placement *b)
{
    bool *marked = make_array (naive->n, sizeof *marked);
    uint32_t *of_a = nodes_of (naive, a), *of_b = nodes_of (naive, b);
    bool found = false;
    for (uint32_t i = 0; i < a->count; i++)
        marked[of_a[i]] = true;
    for (uint32_t i = 0; i < b->count; i++)
        found |= marked[of_b[i]];
    free (marked);
    free (of_a);
    free (of_b);
    return found;
}

static bool share_link (const struct naive *naive, const tori_placement *a,
                        const tori_placement *b)
{
    bool *marked = make_array (naive->nlinks, sizeof *marked);
    bool found = false;
    int n = naive_place_links (naive, a, naive->scratch);
    for (int i = 0; i < n; i++)
        marked[naive->scratch[i]] = true;
    n = naive_place_links (naive, b, naive->scratch);
    for (int i = 0; i < n; i++)
        found |= marked[naive->scratch[i]];
    free (marked);
    return found;
}

bool naive_share (const struct naive *naive, const tori_placement *a,
                  const tori_placement *b)
{
    return share_node (naive, a, b)
           || (a->nboxes && b->nboxes && share_link (naive, a, b));
}
