/* Slices and windows on k-ary n-cubes: eb, egc, k-partner, multiple-gc,
 * sniffing, efl and etc against their definitions (slices.c, windows.c), worked
 * out node by node on small machines. Strategies that recognise everything are
 * compared with a search through all places, so they find one whenever it
 * exists. */
#include "allocs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tori/alloc.h>

#include "naive_alloc.h"

/* ---- what all of them ask ---- */

/* Whether a rotation of the shape, or the shape itself, fits into sides. */
static bool holds (const tori_shape *sides, const tori_request *request)
{
    tori_shape *list;
    size_t n = naive_rotations (&request->shape, request->fixed, &list);
    bool found = false;
    for (size_t i = 0; i < n && !found; i++) {
        found = true;
        for (int d = 0; d < sides->ndims; d++)
            found &= list[i].size[d] <= sides->size[d];
    }
    free (list);
    return found;
}

/* Inside the machine, wrapped only where that may be. */
static bool inside (const tori_machine *machine, const tori_box *box,
                    bool wrap)
{
    for (int d = 0; d < box->shape.ndims; d++) {
        uint32_t S = tori_machine_size (machine, d);
        if (box->shape.size[d] > S
            || (box->origin[d] + box->shape.size[d] > S
                && !(wrap && tori_machine_kind (machine, d) == TORI_TORUS)))
            return false;
    }
    return true;
}

static bool ever_wired (const struct naive *naive, const tori_shape *shape,
                        tori_wiring wiring)
{
    tori_box box = {.shape = *shape};
    return naive_links (naive, &box, wiring, naive->scratch) >= 0;
}

static bool to_be_had (const struct naive *naive, const tori_box *box,
                       tori_wiring wiring)
{
    return naive_box_free (naive, box) && naive_can_wire (naive, box, wiring);
}

/* The first box of just this shape, from node 0 on. */
static bool first_box (const struct naive *naive, const tori_shape *shape,
                       const tori_request *request, bool wrap,
                       tori_box *ret_box)
{
    for (uint32_t id = 0; id < naive->n; id++) {
        *ret_box = (tori_box){.shape = *shape};
        tori_machine_coords (naive->machine, id, ret_box->origin);
        if (inside (naive->machine, ret_box, wrap)
            && to_be_had (naive, ret_box, request->wiring))
            return true;
    }
    return false;
}

/* ---- slices ---- */

/* Whole in the dimensions of the mask. */
static tori_shape slice_of (const tori_machine *machine, uint32_t mask)
{
    tori_shape slice = {.ndims = tori_machine_ndims (machine)};
    for (int d = 0; d < slice.ndims; d++)
        slice.size[d] = mask >> d & 1 ? tori_machine_size (machine, d) : 1;
    return slice;
}

static tori_shape last_slice (const struct naive *naive,
                              const tori_request *request)
{
    int n = tori_machine_ndims (naive->machine);
    uint32_t mask = 0;
    tori_shape slice = slice_of (naive->machine, 0);
    for (int d = n - 1; !holds (&slice, request); d--) {
        mask |= 1u << d;
        slice = slice_of (naive->machine, mask);
    }
    return slice;
}

static bool find_eb (const struct naive *naive, const tori_request *request,
                     tori_box *ret_box)
{
    tori_shape slice = last_slice (naive, request);
    return ever_wired (naive, &slice, request->wiring)
           && first_box (naive, &slice, request, false, ret_box);
}

static int compare_shapes (const tori_shape *a, const tori_shape *b)
{
    for (int d = 0; d < a->ndims; d++)
        if (a->size[d] != b->size[d])
            return a->size[d] < b->size[d] ? -1 : 1;
    return 0;
}

/* Goes to the next slice, as a pen that is drawn to and fro: the last dimension
 * that can go on does, and those after it turn round. False at the end. */
static bool draw_on (const tori_machine *machine, bool back[], tori_box *box)
{
    for (int d = box->shape.ndims - 1; d >= 0; d--) {
        uint32_t last = tori_machine_size (machine, d) - 1;
        if (box->shape.size[d] > 1)
            continue;
        if (box->origin[d] != (back[d] ? 0 : last)) {
            box->origin[d] = back[d] ? box->origin[d] - 1
                                     : box->origin[d] + 1;
            return true;
        }
        back[d] = !back[d];
    }
    return false;
}

/* The first slice of this shape, to and fro. */
static bool first_drawn (const struct naive *naive, const tori_shape *shape,
                         const tori_request *request, bool wrap,
                         tori_box *ret_box)
{
    bool back[TORI_MAX_DIMS] = {false};
    (void)wrap;
    *ret_box = (tori_box){.shape = *shape};
    do
        if (to_be_had (naive, ret_box, request->wiring))
            return true;
    while (draw_on (naive->machine, back, ret_box));
    return false;
}

typedef bool first_fn (const struct naive *naive, const tori_shape *shape,
                       const tori_request *request, bool wrap,
                       tori_box *ret_box);

/* Every subset of the dimensions. */
static bool find_any_slice (const struct naive *naive, first_fn *first,
                            const tori_request *request, tori_box *ret_box)
{
    int n = tori_machine_ndims (naive->machine);
    uint64_t least = UINT64_MAX;
    bool found = false;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t mask = 0; mask < 1u << n; mask++) {
            tori_shape slice = slice_of (naive->machine, mask);
            uint64_t volume = tori_shape_volume (&slice);
            tori_box box;
            if (!holds (&slice, request)
                || !ever_wired (naive, &slice, request->wiring))
                continue;
            if (pass == 0 && volume < least)
                least = volume;
            if (pass == 0 || volume > least
                || (found && compare_shapes (&slice, &ret_box->shape) >= 0)
                || !first (naive, &slice, request, false, &box))
                continue;
            found = true;
            *ret_box = box;
        }
    return found;
}

static bool find_partner (const struct naive *naive,
                          const tori_request *request, tori_box *ret_box)
{
    return find_any_slice (naive, first_box, request, ret_box);
}

static bool find_multiple (const struct naive *naive,
                           const tori_request *request, tori_box *ret_box)
{
    return find_any_slice (naive, first_drawn, request, ret_box);
}

/* The nodes in the order of the reflected code: the code of the dimensions
 * behind, to and fro. The caller frees them. */
static uint32_t *gray_nodes (const tori_machine *machine)
{
    uint32_t N = tori_machine_nodes (machine), n = 1;
    uint32_t *list = make_array (N, sizeof *list);
    for (int d = tori_machine_ndims (machine) - 1; d >= 0; d--) {
        uint32_t S = tori_machine_size (machine, d);
        for (uint32_t c = 1; c < S; c++)
            for (uint32_t i = 0; i < n; i++)
                list[c * n + i]
                    = c * n + list[c % 2 ? n - 1 - i : i];
        n *= S;
    }
    return list;
}

/* Whether so many nodes are just a box, and which. */
static bool form_box (const tori_machine *machine, const uint32_t ids[],
                      uint64_t n, tori_box *ret_box)
{
    int ndims = tori_machine_ndims (machine);
    *ret_box = (tori_box){.shape.ndims = ndims};
    for (int d = 0; d < ndims; d++) {
        uint32_t low = UINT32_MAX, high = 0;
        for (uint64_t i = 0; i < n; i++) {
            uint32_t coords[TORI_MAX_DIMS];
            tori_machine_coords (machine, ids[i], coords);
            low = coords[d] < low ? coords[d] : low;
            high = coords[d] > high ? coords[d] : high;
        }
        ret_box->origin[d] = low;
        ret_box->shape.size[d] = high - low + 1;
    }
    return tori_shape_volume (&ret_box->shape) == n;
}

static int dims_of_slice (const tori_machine *machine, const tori_shape *shape)
{
    int m = 0;
    for (int d = 0; d < shape->ndims; d++) {
        if (shape->size[d] > 1
            && shape->size[d] != tori_machine_size (machine, d))
            return -1;
        m += shape->size[d] > 1;
    }
    return m;
}

static bool find_egc (const struct naive *naive, const tori_request *request,
                      tori_box *ret_box)
{
    const tori_machine *machine = naive->machine;
    tori_shape slice = last_slice (naive, request);
    uint64_t volume = tori_shape_volume (&slice);
    uint32_t *nodes, step = (uint32_t)volume;
    bool found = false;
    if (!ever_wired (naive, &slice, request->wiring))
        return false;
    for (int d = slice.ndims - 1; d >= 0; d--)
        if (slice.size[d] > 1)
            step = (uint32_t)volume / slice.size[d]; /* of its first */
    nodes = gray_nodes (machine);
    for (uint32_t at = 0; !found && at + volume <= naive->n; at += step)
        found = form_box (machine, nodes + at, volume, ret_box)
                && dims_of_slice (machine, &ret_box->shape)
                       == dims_of_slice (machine, &slice)
                && holds (&ret_box->shape, request)
                && ever_wired (naive, &ret_box->shape, request->wiring)
                && to_be_had (naive, ret_box, request->wiring);
    free (nodes);
    return found;
}

/* ---- windows ---- */

/* Whether a rotation is in the last dimensions. */
static bool in_last (const tori_shape *shape)
{
    bool longer = false;
    for (int d = 0; d < shape->ndims; d++) {
        if (longer && shape->size[d] == 1)
            return false;
        longer |= shape->size[d] > 1;
    }
    return true;
}

/* As given but for sides of 1 in front. */
static tori_shape as_given (const tori_request *request)
{
    tori_shape shape = request->shape;
    for (int i = 0; !request->fixed && i < shape.ndims; i++)
        for (int d = shape.ndims - 1; d > 0; d--)
            if (shape.size[d] == 1) {
                shape.size[d] = shape.size[d - 1];
                shape.size[d - 1] = 1;
            }
    return shape;
}

/* The one as given, then those of the last dimensions in order; of others only
 * if the machine is too short for these or cannot wire them. */
static bool find_sniffing (const struct naive *naive,
                           const tori_request *request, tori_box *ret_box)
{
    tori_shape *list, given = as_given (request);
    size_t n = naive_rotations (&request->shape, request->fixed, &list);
    bool found = false, any = false;
    for (int last = request->fixed ? 0 : 2; last >= 0 && !any; last--)
        for (size_t i = 0; i < n && !found; i++) {
            bool is_given = compare_shapes (&list[i], &given) == 0;
            tori_box box = {.shape = list[i]};
            if ((last == 2 && !is_given) || (last == 1 && !in_last (&list[i]))
                || !inside (naive->machine, &box, false)
                || !ever_wired (naive, &list[i], request->wiring))
                continue;
            found = first_box (naive, &list[i], request, request->wrap,
                               ret_box);
            any = found || last == 1;
        }
    free (list);
    return found;
}

/* The plain scan: every window, every node of it. */
static bool find_etc (const struct naive *naive, const tori_request *request,
                      tori_box *ret_box)
{
    tori_shape *list;
    size_t n = naive_rotations (&request->shape, request->fixed, &list);
    bool found = false;
    for (uint32_t id = 0; id < naive->n && !found; id++)
        for (size_t i = 0; i < n && !found; i++) {
            *ret_box = (tori_box){.shape = list[i]};
            tori_machine_coords (naive->machine, id, ret_box->origin);
            found = inside (naive->machine, ret_box, request->wrap)
                    && to_be_had (naive, ret_box, request->wiring);
        }
    free (list);
    return found;
}

/* Whether a free box has no free box around it. */
static bool maximal (const struct naive *naive, const tori_box *box)
{
    for (int d = 0; d < box->shape.ndims; d++) {
        tori_box more = *box;
        more.shape.size[d]++;
        if (inside (naive->machine, &more, false)
            && naive_box_free (naive, &more))
            return false;
        more.origin[d]--;
        if (box->origin[d] > 0 && naive_box_free (naive, &more))
            return false;
    }
    return true;
}

static bool corner_window (const struct naive *naive,
                           const tori_request *request, const tori_box *box,
                           tori_box *ret_window)
{
    tori_shape *list;
    size_t n = naive_rotations (&request->shape, request->fixed, &list);
    bool found = false;
    for (size_t i = 0; i < n && !found; i++) {
        found = true;
        for (int d = 0; d < box->shape.ndims; d++)
            found &= list[i].size[d] <= box->shape.size[d];
        *ret_window = *box;
        ret_window->shape = list[i];
        found = found && to_be_had (naive, ret_window, request->wiring);
    }
    free (list);
    return found;
}

/* Every box there is: origins in the order of ids, at each the shapes in
 * lexicographic order. */
static bool find_efl (const struct naive *naive, const tori_request *request,
                      tori_box *ret_box)
{
    int n = tori_machine_ndims (naive->machine);
    uint64_t least = UINT64_MAX;
    for (uint32_t id = 0; id < naive->n; id++) {
        uint32_t room[TORI_MAX_DIMS], less[TORI_MAX_DIMS] = {0};
        tori_box box = {.shape.ndims = n}, window;
        tori_machine_coords (naive->machine, id, box.origin);
        for (int d = 0; d < n; d++)
            room[d] = tori_machine_size (naive->machine, d) - box.origin[d];
        do {
            for (int d = 0; d < n; d++)
                box.shape.size[d] = less[d] + 1;
            if (tori_shape_volume (&box.shape) < least
                && naive_box_free (naive, &box) && maximal (naive, &box)
                && corner_window (naive, request, &box, &window)) {
                least = tori_shape_volume (&box.shape);
                *ret_box = window;
            }
        } while (count_up (less, room, n));
    }
    return least < UINT64_MAX || find_etc (naive, request, ret_box);
}

static const struct {
    const char *name;
    bool (*find) (const struct naive *, const tori_request *, tori_box *);
} definitions[] = {
    {"eb", find_eb},           {"egc", find_egc}, {"k-partner", find_partner},
    {"multiple-gc", find_multiple},
    {"sniffing", find_sniffing}, {"efl", find_efl}, {"etc", find_etc},
};

/* ---- random cases ---- */

static tori_machine *random_cube (struct rng *rng)
{
    static const char *const cubes[] = {
        "mesh:4^3",  "torus:4^3",   "mesh:2^5",      "torus:3^3",
        "torus:2^4", "mesh:8^2",    "multitorus:4^3", "mesh:3^4",
        "torus:5^2", "mesh:2x2x4x2", "torus:2x1x2x3m", "torus:4mx4x4",
    };
    if (chance (rng, 40))
        return random_machine (rng, 4, 60);
    return make_machine (cubes[rng_below (rng, LENGTH (cubes))]);
}

static void fill (struct naive *naive, tori_state *s, struct rng *rng)
{
    for (uint32_t i = between (rng, 0, 8); i > 0; i--) {
        static const tori_wiring wirings[] = {TORI_WIRE_NONE, TORI_WIRE_MESH,
                                              TORI_WIRE_TORUS};
        tori_box box = random_box (rng, naive->machine, 3, true);
        tori_placement place = {
            .nboxes = 1, .box = box, .wiring = wirings[between (rng, 0, 2)],
            .count = (uint32_t)tori_shape_volume (&box.shape)};
        if (!naive_box_free (naive, &box)
            || !naive_wirable (naive, &box, place.wiring))
            continue;
        assert_int_equal (tori_placement_hold (&place, s, NULL), 0);
        naive_hold (naive, &box, place.wiring, (int)i);
    }
    for (uint32_t i = between (rng, 0, naive->n / 6); i > 0; i--)
        naive_disturb_node (naive, s, rng);
    for (uint32_t i = chance (rng, 20) ? 3 : 0; i > 0; i--)
        naive_disturb_link (naive, s, rng);
}

static tori_request random_request (struct rng *rng,
                                    const tori_machine *machine)
{
    static const tori_wiring wirings[] = {TORI_WIRE_NONE, TORI_WIRE_NONE,
                                          TORI_WIRE_MESH, TORI_WIRE_TORUS};
    tori_request request = {.shape = *tori_machine_shape (machine)};
    uint32_t longest = between (rng, 1, 4);
    for (int d = 0; d < request.shape.ndims; d++) {
        uint32_t S = request.shape.size[d];
        request.shape.size[d] = chance (rng, 40)
                                    ? 1
                                    : between (rng, 1,
                                               S < longest ? S : longest);
    }
    request.count = (uint32_t)tori_shape_volume (&request.shape);
    request.wiring = wirings[between (rng, 0, 3)];
    request.fixed = chance (rng, 15);
    request.wrap = chance (rng, 30);
    return request;
}

static const char *describe (const struct naive *naive, const char *name,
                             const tori_request *request)
{
    static char text[4 * TORI_TEXT_MAX];
    char machine[TORI_TEXT_MAX], shape[TORI_TEXT_MAX];
    tori_machine_format (naive->machine, machine);
    tori_shape_format (&request->shape, shape);
    snprintf (text, sizeof text, "%s on %s: %s %s%s%s", name, machine, shape,
              tori_wiring_name (request->wiring),
              request->fixed ? " fixed" : "", request->wrap ? " wrap" : "");
    return text;
}

/* Whether the answer is the one of the definition; counts those placed. */
static void check (const struct naive *naive, const tori_state *s, size_t i,
                   tori_alloc *alloc, const tori_request *request,
                   unsigned placed[])
{
    const char *what = describe (naive, definitions[i].name, request);
    char is[TORI_TEXT_MAX], should[TORI_TEXT_MAX];
    tori_placement place = {0};
    tori_box box;
    bool found = definitions[i].find (naive, request, &box);
    tori_outcome outcome = tori_alloc_place (alloc, s, request, &place, NULL);
    if (found != (outcome == TORI_PLACED))
        fail_msg ("%s: %s", what, tori_outcome_name (outcome));
    if (!found)
        return;
    placed[i]++;
    tori_box_format (&place.box, is);
    tori_box_format (&box, should);
    if (place.nboxes == 0 || strcmp (is, should) != 0)
        fail_msg ("%s: %s instead of %s", what, is, should);
    tori_placement_clear (&place);
}

/* Some requests to everyone on a machine that is partly taken. */
static void compare (const tori_machine *machine, struct rng *rng,
                     uint32_t fills, unsigned placed[])
{
    struct naive *naive = naive_create (machine);
    AUTO_STATE *s = make_state (machine);
    while (fills-- > 0)
        fill (naive, s, rng);
    for (size_t i = 0; i < LENGTH (definitions); i++) {
        AUTO_ALLOC *alloc = make_alloc (machine, definitions[i].name);
        for (int k = 0; k < 6; k++) {
            tori_request request = random_request (rng, machine);
            check (naive, s, i, alloc, &request, placed);
        }
    }
    naive_destroy (naive);
}

TEST (definitions)
{
    unsigned placed[LENGTH (definitions)] = {0};
    struct rng rng = seeded (21);
    for (int round = 0; round < 2000; round++) {
        tori_machine *machine = random_cube (&rng);
        compare (machine, &rng, 1, placed);
        tori_machine_destroy (machine);
    }
    for (size_t i = 0; i < LENGTH (definitions); i++)
        assert_true (placed[i] > 1000);
}

/* Sets of several words, lines longer than a word, and shapes with more
 * rotations than are worth opening. */
TEST (larger)
{
    static const char *const larger[] = {
        "mesh:6x5x7", "mesh:8x8x4", "torus:3x70", "mesh:130", "mesh:3^5"};
    unsigned placed[LENGTH (definitions)] = {0};
    struct rng rng = seeded (22);
    for (size_t i = 0; i < LENGTH (larger); i++) {
        AUTO_MACHINE *machine = make_machine (larger[i]);
        for (int round = 0; round < 12; round++)
            compare (machine, &rng, between (&rng, 1, 4), placed);
    }
    for (size_t i = 3; i < LENGTH (definitions); i++)
        assert_true (placed[i] > 100);
}

/* ---- examples ---- */

static void expect (const char *name, const tori_machine *machine,
                    const tori_state *s, const char *shape, const char *box)
{
    tori_request request = {.shape = make_shape (shape)};
    tori_placement place = {0};
    tori_alloc *alloc;
    char text[TORI_TEXT_MAX] = "";
    alloc = make_alloc (machine, name);
    if (tori_alloc_place (alloc, s, &request, &place, NULL) == TORI_PLACED)
        tori_box_format (&place.box, text);
    assert_string_equal (text, box);
    tori_alloc_destroy (alloc);
}

static void take (tori_state *s, const char *text)
{
    tori_box box = make_box (tori_state_machine (s), text);
    tori_placement place = {
        .nboxes = 1, .box = box,
        .count = (uint32_t)tori_shape_volume (&box.shape)};
    assert_int_equal (tori_placement_hold (&place, s, NULL), 0);
}

/* Figure 1 of Kang et al.: a 4-ary 2-cube on an 8-ary 3-cube, where every
 * slice of the last two dimensions has lost a node. */
TEST (figure_1)
{
    AUTO_MACHINE *machine = make_machine ("mesh:8^3");
    AUTO_STATE *s = make_state (machine);
    expect ("eb", machine, s, "4x4x1", "0,0,0/1x8x8");
    expect ("k-partner", machine, s, "4x4x1", "0,0,0/1x8x8");
    expect ("sniffing", machine, s, "4x4x1", "0,0,0/1x4x4");
    take (s, "0,0,0/8x1x1");
    expect ("eb", machine, s, "4x4x1", "");
    expect ("egc", machine, s, "4x4x1", "");
    expect ("k-partner", machine, s, "4x4x1", "0,1,0/8x1x8");
    expect ("sniffing", machine, s, "4x4x1", "0,0,1/1x4x4");
    take (s, "0,0,4/8x8x1");
    take (s, "0,4,0/8x1x4");
    take (s, "0,4,5/8x1x3");
    expect ("k-partner", machine, s, "4x4x1", "");
    expect ("sniffing", machine, s, "4x4x1", "");
    expect ("etc", machine, s, "4x4x1", "0,0,1/4x4x1");
}

/* On a hypercube two halves of neighbouring slices are a slice to the Gray
 * code, and not to Buddy: Chen and Shin's example of what it sees more. */
TEST (gray)
{
    AUTO_MACHINE *machine = make_machine ("mesh:2^3");
    AUTO_STATE *s = make_state (machine);
    take (s, "0,0,0");
    take (s, "1,1,0"); /* of 000 001 011 010 110 111 101 100: two in a row */
    expect ("eb", machine, s, "1x1x2", "0,1,0/1x1x2");
    take (s, "0,1,0");
    expect ("eb", machine, s, "1x1x2", "1,0,0/1x1x2");
    take (s, "1,0,0");
    expect ("eb", machine, s, "1x1x2", "");
    expect ("egc", machine, s, "1x1x2", "0,0,1/1x2x1");
}

/* Sides that differ: as given, or the other way round. */
TEST (sniffing_turns)
{
    AUTO_MACHINE *machine = make_machine ("mesh:8x8");
    AUTO_STATE *s = make_state (machine);
    expect ("sniffing", machine, s, "3x2", "0,0/3x2");
    take (s, "0,2/8x6");
    expect ("sniffing", machine, s, "3x2", "0,0/3x2");
    expect ("sniffing", machine, s, "2x3", "0,0/3x2");
}
