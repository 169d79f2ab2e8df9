#include "naive_pod.h"

#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "ringfold.h"

/* ---- a pod ---- */

struct pod {
    const tori_machine *machine;
    int ndims;
    uint32_t side[TORI_MAX_DIMS];
    uint32_t volume, cubes, pods;
};

static struct pod pod_of (const tori_machine *machine)
{
    char text[TORI_TEXT_MAX];
    struct pod pod = {.machine = machine, .volume = 1, .pods = 1};
    int apart = tori_machine_apart (machine);
    tori_machine_format (machine, text);
    if (strchr (text, '*'))
        pod.pods = tori_machine_size (machine, 0);
    pod.ndims = tori_machine_ndims (machine) - apart;
    for (int d = 0; d < pod.ndims; d++) {
        pod.side[d] = tori_machine_size (machine, apart + d);
        pod.volume *= pod.side[d];
    }
    pod.cubes = tori_machine_nodes (machine) / pod.volume / pod.pods;
    return pod;
}

/* ---- a slice, as a choice of cubes ---- */

struct choice {
    const struct pod *pod;
    tori_shape shape;
    tori_wiring wiring;
    uint32_t offset[TORI_MAX_DIMS];
    uint32_t across[TORI_MAX_DIMS];
    uint32_t cube[MOST_PIECES]; /* of the whole machine */
    uint32_t pieces;
};

/* The piece of a node of the job's grid, and its position in the cube. */
static uint32_t piece_of (const struct choice *c, const uint32_t x[],
                          uint32_t *ret_position)
{
    uint32_t piece = 0, position = 0;
    for (int d = 0; d < c->pod->ndims; d++) {
        uint32_t at = c->offset[d] + x[d];
        piece = piece * c->across[d] + at / c->pod->side[d];
        position = position * c->pod->side[d] + at % c->pod->side[d];
    }
    *ret_position = position;
    return piece;
}

static uint32_t node_of (const struct choice *c, const uint32_t x[])
{
    uint32_t position, piece = piece_of (c, x, &position);
    return c->cube[piece] * c->pod->volume + position;
}

static uint32_t coord (const struct pod *pod, uint32_t node, int d)
{
    uint32_t coords[TORI_MAX_DIMS];
    tori_machine_coords (pod->machine, node, coords);
    return coords[tori_machine_apart (pod->machine) + d];
}

/* The links that join two neighbours of the job's grid in dimension d: one
 * inside a cube, or two ports. Returns how many, 0 if they cannot be joined.
 */
static int joint (const struct pod *pod, uint32_t a, uint32_t b, int d,
                  bool ring, tori_link links[2])
{
    int dim = tori_machine_apart (pod->machine) + d;
    uint32_t at = coord (pod, a, d), to = coord (pod, b, d);
    links[0] = (tori_link){dim, TORI_NEAR, a};
    links[1] = (tori_link){dim, TORI_FAR, b};
    if (!ring && a / pod->volume == b / pod->volume && to == at + 1)
        return 1;
    return at == pod->side[d] - 1 && to == 0 ? 2 : 0;
}

/* ---- neighbours ---- */

/* The short side of a twisted torus; 0 if it cannot be one. */
static uint32_t short_side (const tori_shape *shape)
{
    uint32_t k = shape->size[0], longer = 0;
    for (int d = 0; d < shape->ndims; d++)
        k = shape->size[d] < k ? shape->size[d] : k;
    for (int d = 0; d < shape->ndims; d++) {
        if (shape->size[d] != k && shape->size[d] != 2 * k)
            return 0;
        longer += shape->size[d] == 2 * k;
    }
    return k > 1 && longer > 0 ? k : 0;
}

/* A wrap of a short side leads further in the long ones. */
static void shift_wrap (const tori_shape *shape, int dim, uint32_t y[])
{
    uint32_t k = short_side (shape);
    for (int d = 0; shape->size[dim] == k && d < shape->ndims; d++)
        if (shape->size[d] == 2 * k)
            y[d] = (y[d] + k) % (2 * k);
}

/* Call `visit` for all pairs of neighbours of a job's grid; false once that
 * says so. */
typedef bool pair_fn (void *arg, const uint32_t x[], const uint32_t y[], int d,
                      bool ring);

static bool each_pair (const struct pod *pod, const tori_shape *shape,
                       tori_wiring wiring, pair_fn *visit, void *arg)
{
    uint32_t x[TORI_MAX_DIMS] = {0}, y[TORI_MAX_DIMS];
    int apart = tori_machine_apart (pod->machine);
    if (wiring == TORI_WIRE_TWISTED && !short_side (shape))
        return false;
    do {
        for (int d = 0; d < shape->ndims; d++) {
            bool ring = x[d] + 1 == shape->size[d];
            if (wiring == TORI_WIRE_NONE || shape->size[d] == 1
                || (ring && !tori_wiring_closes (wiring, apart + d)))
                continue;
            memcpy (y, x, sizeof y);
            y[d] = ring ? 0 : x[d] + 1;
            if (ring && wiring == TORI_WIRE_TWISTED)
                shift_wrap (shape, d, y);
            if (!visit (arg, x, y, d, ring))
                return false;
        }
    } while (count_up (x, shape->size, shape->ndims));
    return true;
}

struct wanting {
    const struct choice *choice;
    const tori_state *state;
    bool links;
};

static bool can_join (void *arg, const uint32_t x[], const uint32_t y[], int d,
                      bool ring)
{
    const struct wanting *w = arg;
    const struct pod *pod = w->choice->pod;
    uint32_t a = node_of (w->choice, x), b = node_of (w->choice, y);
    tori_link links[2];
    int n = joint (pod, a, b, d, ring, links);
    for (int e = 0; e < pod->ndims; e++)
        if (e != d && coord (pod, a, e) != coord (pod, b, e))
            return false;
    for (int i = 0; w->links && i < n; i++)
        if (tori_state_link_down (w->state, &links[i]))
            return false;
    return n > 0;
}

static bool all_free (const struct choice *c, const tori_state *state)
{
    uint32_t x[TORI_MAX_DIMS] = {0};
    do
        if (!tori_state_is_free (state, node_of (c, x)))
            return false;
    while (count_up (x, c->shape.size, c->shape.ndims));
    return true;
}

/* ---- what it costs ---- */

static uint32_t free_in (const struct pod *pod, const tori_state *state,
                         uint32_t cube)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < pod->volume; i++)
        n += tori_state_is_free (state, cube * pod->volume + i);
    return n;
}

/* From the nodes that it takes in each of its cubes. */
static struct slices costs (const struct pod *pod, const tori_state *state,
                            const uint32_t cube[], const uint32_t taken[],
                            uint32_t pieces)
{
    struct slices it = {.found = true, .fewest = pieces, .pieces = pieces};
    for (uint32_t i = 0; i < pieces; i++) {
        uint32_t free = free_in (pod, state, cube[i]);
        it.cubes[i] = cube[i];
        it.left += free - taken[i];
        it.broken += free == pod->volume && taken[i] < free;
    }
    qsort (it.cubes, pieces, sizeof *it.cubes, compare_ids);
    return it;
}

static bool earlier (const struct slices *a, const struct slices *b)
{
    if (a->fewest != b->fewest)
        return a->fewest < b->fewest;
    for (uint32_t i = 0; i < a->fewest; i++)
        if (a->cubes[i] != b->cubes[i])
            return a->cubes[i] < b->cubes[i];
    return false;
}

static bool cheaper (const struct slices *a, const struct slices *b)
{
    if (a->broken != b->broken)
        return a->broken < b->broken;
    return a->left != b->left ? a->left < b->left : a->pieces < b->pieces;
}

void naive_better (struct slices *best, const struct slices *other)
{
    if (!other->found)
        return;
    if (!best->found || earlier (other, best)) {
        best->fewest = other->fewest;
        memcpy (best->cubes, other->cubes, sizeof best->cubes);
    }
    if (!best->found || cheaper (other, best)) {
        best->broken = other->broken;
        best->left = other->left;
        best->pieces = other->pieces;
    }
    best->found = true;
}

/* ---- all choices ---- */

/* The request of a search, and the function that gets each result: true to
 * stop. */
typedef bool choice_fn (void *arg, const struct choice *c);

struct seeking {
    const tori_state *state;
    bool links; /* have to be up */
    bool aligned;
    choice_fn *visit;
    void *arg;
};

static bool is_choice (const struct choice *c, const struct seeking *seeking)
{
    struct wanting w = {c, seeking->state, seeking->links};
    return all_free (c, seeking->state)
           && each_pair (c->pod, &c->shape, c->wiring, can_join, &w);
}

static bool used (const struct choice *c, uint32_t n, uint32_t cube)
{
    for (uint32_t i = 0; i < n; i++)
        if (c->cube[i] == cube)
            return true;
    return false;
}

/* All ways to give cubes of a pod to the pieces from the n-th on. */
static bool choose (struct choice *c, uint32_t n, uint32_t pod,
                    const struct seeking *seeking)
{
    uint32_t first = pod * c->pod->cubes;
    bool stop = false;
    if (n == c->pieces || n == MOST_PIECES)
        return is_choice (c, seeking) && seeking->visit (seeking->arg, c);
    for (uint32_t i = first; i < first + c->pod->cubes && !stop; i++)
        if (!used (c, n, i)) {
            c->cube[n] = i;
            stop = choose (c, n + 1, pod, seeking);
        }
    return stop;
}

static bool is_aligned (const struct choice *c)
{
    bool is = true;
    if (tori_shape_volume (&c->shape) >= c->pod->volume)
        return true;
    for (int d = 0; d < c->pod->ndims; d++)
        is &= c->offset[d] % c->shape.size[d] == 0
              && (c->across[d] == 1 || c->shape.size[d] > c->pod->side[d]);
    return is;
}

static bool try_offset (struct choice *c, const struct seeking *seeking)
{
    uint64_t pieces = 1;
    bool stop = false;
    for (int d = 0; d < c->pod->ndims; d++) {
        c->across[d] =
            (c->offset[d] + c->shape.size[d] - 1) / c->pod->side[d] + 1;
        pieces *= c->across[d];
    }
    if (pieces > c->pod->cubes || (seeking->aligned && !is_aligned (c)))
        return false;
    assert_true (pieces <= MOST_PIECES);
    c->pieces = (uint32_t)pieces;
    for (uint32_t pod = 0; pod < c->pod->pods && !stop; pod++)
        stop = choose (c, 0, pod, seeking);
    return stop;
}

static bool seek (const tori_request *request, const struct seeking *seeking)
{
    struct pod pod = pod_of (tori_state_machine (seeking->state));
    struct choice c = {.pod = &pod, .wiring = request->wiring};
    tori_shape *list;
    size_t n = naive_rotations (&request->shape, request->fixed, &list);
    bool stop = false;
    for (size_t i = 0; i < n && !stop; i++) {
        c.shape = list[i];
        memset (c.offset, 0, sizeof c.offset);
        do
            stop = try_offset (&c, seeking);
        while (!stop && count_up (c.offset, pod.side, pod.ndims));
    }
    free (list);
    return stop;
}

/* ---- the best of them, and each ---- */

struct weighing {
    const tori_state *state;
    struct slices best;
};

static bool weigh (void *arg, const struct choice *c)
{
    struct weighing *weighing = arg;
    uint32_t taken[MOST_PIECES] = {0}, x[TORI_MAX_DIMS] = {0}, position;
    struct slices it;
    do
        taken[piece_of (c, x, &position)]++;
    while (count_up (x, c->shape.size, c->shape.ndims));
    it = costs (c->pod, weighing->state, c->cube, taken, c->pieces);
    naive_better (&weighing->best, &it);
    return false;
}

struct slices naive_slices (const tori_state *state,
                            const tori_request *request, bool links)
{
    struct weighing weighing = {.state = state};
    struct seeking seeking = {state, links, false, weigh, &weighing};
    seek (request, &seeking);
    return weighing.best;
}

struct slices naive_aligned (const tori_state *state,
                             const tori_request *request, bool links)
{
    struct weighing weighing = {.state = state};
    struct seeking seeking = {state, links, true, weigh, &weighing};
    seek (request, &seeking);
    return weighing.best;
}

struct telling {
    naive_slice_fn *visit;
    void *arg;
};

static bool tell (void *arg, const struct choice *c)
{
    const struct telling *telling = arg;
    uint32_t x[TORI_MAX_DIMS] = {0}, n = 0;
    uint32_t *nodes = make_array (tori_shape_volume (&c->shape),
                                  sizeof *nodes);
    bool stop;
    do
        nodes[n++] = node_of (c, x);
    while (count_up (x, c->shape.size, c->shape.ndims));
    stop = telling->visit (telling->arg, nodes, n);
    free (nodes);
    return stop;
}

bool naive_each_slice (const tori_state *state, const tori_request *request,
                       bool aligned, naive_slice_fn *visit, void *arg)
{
    struct telling telling = {visit, arg};
    struct seeking seeking = {state, true, aligned, tell, &telling};
    return seek (request, &seeking);
}

struct slices naive_slice (const tori_state *state,
                           const tori_placement *place)
{
    struct pod pod = pod_of (tori_state_machine (state));
    uint32_t cube[MOST_PIECES], taken[MOST_PIECES];
    assert_true (place->nboxes <= MOST_PIECES);
    for (size_t i = 0; i < place->nboxes; i++) {
        const tori_box *box = tori_placement_box (place, i);
        cube[i] = tori_machine_id (pod.machine, box->origin) / pod.volume;
        taken[i] = (uint32_t)tori_shape_volume (&box->shape);
    }
    return costs (&pod, state, cube, taken, place->nboxes);
}

/* ---- a placement ---- */

struct crosses {
    tori_cross list[1024];
    size_t n;
};

static int note_cross (void *arg, const tori_cross *cross)
{
    struct crosses *crosses = arg;
    assert_true (crosses->n < LENGTH (crosses->list));
    crosses->list[crosses->n++] = *cross;
    return 0;
}

/* The nodes of the job's grid, row by row, from the pieces and where they
 * begin. */
static uint32_t *map_grid (const tori_machine *machine,
                           const tori_placement *place,
                           const tori_shape *shape)
{
    uint32_t *map = make_array (place->count, sizeof *map);
    memset (map, 0xff, place->count * sizeof *map);
    for (size_t i = 0; i < place->nboxes; i++) {
        const tori_box *box = tori_placement_box (place, i);
        int apart = tori_machine_apart (machine);
        uint32_t at[TORI_MAX_DIMS], x[TORI_MAX_DIMS] = {0};
        tori_placement_begin (place, machine, i, at);
        do {
            uint32_t coords[TORI_MAX_DIMS], k = 0;
            for (int d = 0; d < apart; d++) {
                assert_int_equal (box->shape.size[d], 1);
                coords[d] = box->origin[d];
            }
            for (int d = 0; d < shape->ndims; d++) {
                coords[apart + d] = box->origin[apart + d] + x[d];
                assert_true (coords[apart + d]
                             < tori_machine_size (machine, apart + d));
                k = k * shape->size[d] + at[d] + x[d];
            }
            assert_true (k < place->count && map[k] == UINT32_MAX);
            map[k] = tori_machine_id (machine, coords);
        } while (count_up (x, box->shape.size + apart, shape->ndims));
    }
    return map;
}

struct checking {
    const struct pod *pod;
    const tori_shape *shape;
    const uint32_t *map;
    const struct crosses *crosses;
    bool *needs; /* a link each: NEAR and FAR of every node and dimension */
    size_t crossed;
};

static size_t link_number (const tori_machine *machine, const tori_link *link)
{
    return ((size_t)link->slot * (size_t)tori_machine_ndims (machine)
            + (size_t)link->dim)
               * 2
           + (link->layer == TORI_FAR);
}

static uint32_t mapped (const struct checking *c, const uint32_t x[])
{
    uint32_t k = 0;
    for (int d = 0; d < c->shape->ndims; d++)
        k = k * c->shape->size[d] + x[d];
    return c->map[k];
}

static bool check_pair (void *arg, const uint32_t x[], const uint32_t y[],
                        int d, bool ring)
{
    struct checking *c = arg;
    tori_link links[2];
    uint32_t a = mapped (c, x), b = mapped (c, y);
    int n = joint (c->pod, a, b, d, ring, links);
    size_t found = 0;
    assert_true (n > 0);
    for (int i = 0; i < n; i++) {
        bool *need = &c->needs[link_number (c->pod->machine, &links[i])];
        assert_true (tori_link_exists (c->pod->machine, &links[i]));
        assert_false (*need); /* a port is in one cross-connect */
        *need = true;
    }
    for (size_t i = 0; i < c->crosses->n; i++)
        found += c->crosses->list[i].dim == links[0].dim
                 && c->crosses->list[i].from == a
                 && c->crosses->list[i].to == b;
    assert_int_equal (found, n == 2);
    c->crossed += n == 2;
    for (int e = 0; e < c->pod->ndims; e++) /* equal positions */
        assert_true (e == d || coord (c->pod, a, e) == coord (c->pod, b, e));
    return true;
}

static int count_visit (void *arg, const tori_link *link)
{
    (void)link;
    ++*(size_t *)arg;
    return 0;
}

static void check_links (const struct pod *pod, const tori_placement *place,
                         const bool needs[])
{
    size_t total = 0, visited = 0;
    for (uint32_t node = 0; node < tori_machine_nodes (pod->machine); node++)
        for (int d = 0; d < tori_machine_ndims (pod->machine); d++)
            for (int layer = 0; layer < 2; layer++) {
                tori_link link = {d, (tori_layer)layer, node};
                bool need = needs[link_number (pod->machine, &link)];
                assert_int_equal (
                    tori_placement_uses_link (place, pod->machine, &link),
                    need);
                total += need;
            }
    tori_placement_each_link (place, pod->machine, count_visit, &visited);
    assert_int_equal (visited, total);
}

/* Hops in the job's grid, round its rings. */
static uint64_t hops_in_grid (const struct pod *pod, const tori_shape *shape,
                              tori_wiring wiring)
{
    int apart = tori_machine_apart (pod->machine);
    uint32_t x[TORI_MAX_DIMS] = {0};
    uint64_t sum = 0;
    do {
        uint32_t y[TORI_MAX_DIMS] = {0};
        do
            for (int d = 0; d < shape->ndims; d++) {
                uint32_t gap = x[d] < y[d] ? y[d] - x[d] : x[d] - y[d];
                if (tori_wiring_closes (wiring, apart + d)
                    && gap > shape->size[d] - gap)
                    gap = shape->size[d] - gap;
                sum += gap;
            }
        while (count_up (y, shape->size, shape->ndims));
    } while (count_up (x, shape->size, shape->ndims));
    return sum / 2;
}

/* A graph of up to so many nodes. */
struct grid_graph {
    const tori_shape *shape;
    bool joined[256][256];
};

static uint32_t number_in (const tori_shape *shape, const uint32_t x[])
{
    uint32_t k = 0;
    for (int d = 0; d < shape->ndims; d++)
        k = k * shape->size[d] + x[d];
    return k;
}

static bool note_pair (void *arg, const uint32_t x[], const uint32_t y[],
                       int d, bool ring)
{
    struct grid_graph *graph = arg;
    uint32_t a = number_in (graph->shape, x), b = number_in (graph->shape, y);
    graph->joined[a][b] = graph->joined[b][a] = true;
    return true;
}

/* Hops from a node to all others, by a search along the links. */
static uint64_t hops_from (const struct grid_graph *graph, uint32_t n,
                           uint32_t from)
{
    uint32_t hops[256] = {0}, queue[256] = {from}, queued = 1;
    bool seen[256] = {0};
    uint64_t sum = 0;
    seen[from] = true;
    for (uint32_t i = 0; i < queued; i++)
        for (uint32_t j = 0; j < n; j++)
            if (graph->joined[queue[i]][j] && !seen[j]) {
                seen[j] = true;
                hops[j] = hops[queue[i]] + 1;
                sum += hops[j];
                queue[queued++] = j;
            }
    assert_int_equal (queued, n);
    return sum;
}

static uint64_t hops_twisted (const struct pod *pod, const tori_shape *shape)
{
    struct grid_graph *graph = make_array (1, sizeof *graph);
    uint32_t n = (uint32_t)tori_shape_volume (shape);
    uint64_t sum = 0;
    assert_true (n <= LENGTH (graph->joined));
    graph->shape = shape;
    each_pair (pod, shape, TORI_WIRE_TWISTED, note_pair, graph);
    for (uint32_t i = 0; i < n; i++)
        sum += hops_from (graph, n, i);
    free (graph);
    return sum / 2;
}

void naive_check_slice (const tori_machine *machine,
                        const tori_request *request,
                        const tori_placement *place)
{
    tori_shape a = request->shape, b;
    assert_true (tori_placement_shape (place, machine, &b));
    if (!request->fixed) {
        tori_shape_sort (&a);
        tori_shape_sort (&b);
    }
    assert_true (tori_shape_equal (&a, &b));
    assert_int_equal (place->wiring, request->wiring);
    naive_check_joints (machine, place);
}

void naive_check_joints (const tori_machine *machine,
                         const tori_placement *place)
{
    struct pod pod = pod_of (machine);
    struct crosses crosses = {.n = 0};
    tori_shape shape;
    struct checking c = {&pod, &shape, .crosses = &crosses};
    uint64_t sum;
    uint32_t *map;
    assert_true (tori_placement_shape (place, machine, &shape));
    assert_int_equal (place->count, tori_shape_volume (&shape));
    c.map = map = map_grid (machine, place, &shape);
    c.needs = make_array ((size_t)tori_machine_nodes (machine)
                              * (size_t)tori_machine_ndims (machine) * 2,
                          sizeof *c.needs);
    tori_placement_crosses (place, machine, note_cross, &crosses);
    each_pair (&pod, &shape, place->wiring, check_pair, &c);
    assert_int_equal (c.crossed, crosses.n);
    check_links (&pod, place, c.needs);
    assert_int_equal (tori_placement_pairwise (place, machine, &sum, NULL), 0);
    assert_int_equal (sum, place->wiring == TORI_WIRE_TWISTED
                               ? hops_twisted (&pod, &shape)
                               : hops_in_grid (&pod, &shape, place->wiring));
    free (map);
    free (c.needs);
}

/* ---- folds ---- */

/* The same sides, but for those of 1. */
bool naive_rotated (const tori_shape *job, const tori_shape *box)
{
    tori_shape a = *job, b = *box;
    tori_shape_sort (&a);
    tori_shape_sort (&b);
    for (int i = 1; i <= a.ndims || i <= b.ndims; i++)
        if ((i <= a.ndims ? a.size[a.ndims - i] : 1)
            != (i <= b.ndims ? b.size[b.ndims - i] : 1))
            return false;
    return true;
}

/* The box with these sides, folded, and as it was asked for. */
static bool visit_box (const tori_machine *machine,
                       const tori_request *request, tori_request *box,
                       naive_fold_fn *visit, void *arg)
{
    int apart = tori_machine_apart (machine);
    bool mesh = request->wiring == TORI_WIRE_MESH;
    bool wired = request->wiring != TORI_WIRE_NONE;
    uint32_t closable = 0, all = 0;
    struct ringfold fold;
    for (int d = 0; d < box->shape.ndims; d++) {
        uint32_t side = tori_machine_size (machine, apart + d);
        closable |= (uint32_t)(wired && box->shape.size[d] % side == 0) << d;
        all |= (uint32_t)(box->shape.size[d] > 1) << d;
    }
    if ((mesh ? ringfold_find_lines : ringfold_find) (
            &request->shape, &box->shape, closable, &fold)) {
        box->wiring = !wired              ? TORI_WIRE_NONE
                      : all & ~fold.closed ? tori_wiring_of_rings (fold.closed
                                                                   << apart)
                                           : TORI_WIRE_TORUS;
        if (visit (arg, box))
            return true;
    }
    box->wiring = request->wiring;
    return naive_rotated (&request->shape, &box->shape) && visit (arg, box);
}

bool naive_each_fold (const tori_machine *machine,
                      const tori_request *request, naive_fold_fn *visit,
                      void *arg)
{
    uint32_t n = (uint32_t)tori_shape_volume (&request->shape);
    uint32_t x[TORI_MAX_DIMS] = {0}, most[TORI_MAX_DIMS];
    tori_request box = {.fixed = true};
    box.shape.ndims = tori_machine_shape_dims (machine);
    for (int d = 0; d < box.shape.ndims; d++)
        most[d] = n;
    do {
        for (int d = 0; d < box.shape.ndims; d++)
            box.shape.size[d] = x[d] + 1;
        if (tori_shape_volume (&box.shape) == n
            && visit_box (machine, request, &box, visit, arg))
            return true;
    } while (count_up (x, most, box.shape.ndims));
    return false;
}
