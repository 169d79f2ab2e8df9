#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bits.h"
#include "marks.h"

/* ---- random things ---- */

size_t random_cases (size_t n)
{
    const char *text = getenv ("TORI_CASES");
    double times = text ? strtod (text, NULL) : 0;
    if (times > 0)
        n = (double)n * times > 1 ? (size_t)((double)n * times) : 1;
#ifdef __SANITIZE_ADDRESS__
    return (n + 7) / 8;
#else
    return n;
#endif
}

struct rng seeded (uint64_t seed)
{
    struct rng rng;
    rng_seed (&rng, seed, 0);
    return rng;
}

uint32_t between (struct rng *rng, uint32_t low, uint32_t high)
{
    return low + (uint32_t)rng_below (rng, (uint64_t)high - low + 1);
}

bool chance (struct rng *rng, unsigned percent)
{
    return rng_below (rng, 100) < percent;
}

void *make_array (size_t n, size_t size)
{
    void *array = calloc (n ? n : 1, size);
    assert_non_null (array);
    return array;
}

tori_machine *make_machine (const char *text)
{
    tori_error err;
    tori_machine *machine;
    if (tori_machine_parse (text, &machine, &err) < 0)
        fail_msg ("%s: %s", text, err.text);
    return machine;
}

tori_state *make_state (const tori_machine *machine)
{
    tori_state *state;
    assert_int_equal (tori_state_create (machine, &state, NULL), 0);
    return state;
}

tori_box make_box (const tori_machine *machine, const char *text)
{
    tori_error err;
    tori_box box;
    if (tori_box_parse (machine, text, &box, &err) < 0)
        fail_msg ("%s: %s", text, err.text);
    return box;
}

tori_shape make_shape (const char *text)
{
    tori_error err;
    tori_shape shape;
    if (tori_shape_parse (text, &shape, &err) < 0)
        fail_msg ("%s: %s", text, err.text);
    return shape;
}

static uint32_t random_side (struct rng *rng, uint32_t most)
{
    unsigned die = (unsigned)rng_below (rng, 100);
    uint32_t side = die < 12   ? 1
                    : die < 25 ? 2
                    : die < 90 ? between (rng, 3, 9)
                    : die < 95 ? UINT32_C (1) << between (rng, 4, 6)
                               : between (rng, 65, 140);
    return side < most ? side : most;
}

tori_machine *random_machine (struct rng *rng, int max_dims,
                              uint32_t max_nodes)
{
    static const char *const kinds[] = {"mesh", "torus", "multitorus"};
    char text[TORI_TEXT_MAX];
    int ndims = (int)between (rng, 1, (uint32_t)max_dims);
    int at = snprintf (text, sizeof text, "%s:", kinds[rng_below (rng, 3)]);
    bool mixed = chance (rng, 50);
    for (int d = 0; d < ndims; d++) {
        uint32_t side = random_side (rng, max_nodes);
        char suffix[2] = {mixed ? "mtu"[rng_below (rng, 3)] : '\0', '\0'};
        if (suffix[0] == 'u') /* any orientation */
            suffix[0] = "ulf"[(side + (uint32_t)d) % 3];
        at += snprintf (text + at, sizeof text - (size_t)at, "%s%u%s",
                        d ? "x" : "", side, suffix);
        max_nodes /= side;
    }
    return make_machine (text);
}

tori_box random_box (struct rng *rng, const tori_machine *machine,
                     uint32_t longest, bool wrap)
{
    tori_box box = {.shape.ndims = tori_machine_ndims (machine)};
    for (int d = 0; d < box.shape.ndims; d++) {
        uint32_t S = tori_machine_size (machine, d);
        uint32_t n = between (rng, 1, S < longest ? S : longest);
        bool round = wrap && tori_machine_wraps (machine, d);
        box.shape.size[d] = n;
        box.origin[d] = between (rng, 0, round ? S - 1 : S - n);
    }
    return box;
}

const char *find_trace (const char *name)
{
    static char path[4096];
    const char *folder = getenv ("TORI_TRACES");
    snprintf (path, sizeof path, "%s/%s", folder ? folder : "", name);
    if (!folder || access (path, R_OK) < 0) {
        print_message ("no %s in $TORI_TRACES: skipped\n", name);
        skip ();
    }
    return path;
}

/* ---- by definition ---- */

void expect_same_box (const tori_box *is, const tori_box *should)
{
    char a[TORI_TEXT_MAX], b[TORI_TEXT_MAX];
    tori_box_format (is, a);
    tori_box_format (should, b);
    assert_string_equal (a, b);
}

bool count_up (uint32_t digits[], const uint32_t limits[], int n)
{
    for (int d = n - 1; d >= 0; d--) {
        if (++digits[d] < limits[d])
            return true;
        digits[d] = 0;
    }
    return false;
}

bool naive_contains (const tori_machine *machine, const tori_box *box,
                     uint32_t node)
{
    uint32_t coords[TORI_MAX_DIMS];
    tori_machine_coords (machine, node, coords);
    for (int d = 0; d < box->shape.ndims; d++) {
        bool found = false;
        for (uint32_t i = 0; i < box->shape.size[d]; i++)
            if ((box->origin[d] + i) % tori_machine_size (machine, d)
                == coords[d])
                found = true;
        if (!found)
            return false;
    }
    return true;
}

/* The node at some offset in a box. */
static uint32_t node_at (const tori_machine *machine, const tori_box *box,
                         const uint32_t offset[])
{
    uint32_t coords[TORI_MAX_DIMS];
    for (int d = 0; d < box->shape.ndims; d++)
        coords[d] = (box->origin[d] + offset[d])
                    % tori_machine_size (machine, d);
    return tori_machine_id (machine, coords);
}

void naive_box_nodes (const tori_machine *machine, const tori_box *box,
                      uint32_t ids[])
{
    uint32_t offset[TORI_MAX_DIMS] = {0};
    do {
        *ids++ = node_at (machine, box, offset);
    } while (count_up (offset, box->shape.size, box->shape.ndims));
}

/* A rotation that is partly built, and the sides that are left for the rest.
 */
struct choice {
    const tori_shape *sides; /* ascending */
    bool used[TORI_MAX_DIMS];
    tori_shape built;
    tori_shape *list;
    size_t n;
};

/* Each of the different sides that are left may come next. */
static void choose_sides (struct choice *choice)
{
    uint32_t before = 0;
    if (choice->built.ndims == choice->sides->ndims) {
        choice->list = realloc (choice->list,
                                (choice->n + 1) * sizeof *choice->list);
        assert_non_null (choice->list);
        choice->list[choice->n++] = choice->built;
        return;
    }
    for (int i = 0; i < choice->sides->ndims; i++) {
        uint32_t side = choice->sides->size[i];
        if (choice->used[i] || side == before)
            continue;
        before = side;
        choice->used[i] = true;
        choice->built.size[choice->built.ndims++] = side;
        choose_sides (choice);
        choice->built.ndims--;
        choice->used[i] = false;
    }
}

static int compare_sides (const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

size_t naive_rotations (const tori_shape *shape, bool fixed,
                        tori_shape **ret_list)
{
    tori_shape sides = *shape;
    struct choice choice = {.sides = &sides};
    if (fixed) {
        *ret_list = make_array (1, sizeof **ret_list);
        (*ret_list)[0] = *shape;
        return 1;
    }
    qsort (sides.size, (size_t)sides.ndims, sizeof sides.size[0],
           compare_sides);
    choose_sides (&choice);
    *ret_list = choice.list;
    return choice.n;
}

static struct line_link line_link (uint32_t i, uint32_t j, char kind)
{
    struct line_link link = {i < j ? i : j, i < j ? j : i, kind};
    return link;
}

/* The cyclic order of the switches from..from+n-1 in the folded ring: the
 * even steps upwards, the odd ones back (Property 3, for odd and even n). */
static void folded_order (uint32_t from, uint32_t n, uint32_t ret_order[])
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < n; i += 2)
        ret_order[at++] = from + i;
    for (uint32_t i = n; i-- > 0;)
        if (i % 2)
            ret_order[at++] = from + i;
}

/* The links of a folded ring through n > 2 switches of a line of S. If two
 * links join the same switches, at the ends of the machine, the ring takes the
 * one that is there for rings; elsewhere there is only the neighbour link. */
static size_t folded_ring (uint32_t S, uint32_t from, uint32_t n,
                           struct line_link ret[])
{
    uint32_t *order = make_array (n, sizeof *order);
    folded_order (from, n, order);
    for (uint32_t i = 0; i < n; i++) {
        struct line_link link = line_link (order[i], order[(i + 1) % n], 's');
        bool edge = link.a == 0 || link.b == S - 1;
        if (link.b - link.a == 1 && !edge)
            link.kind = 'n';
        ret[i] = link;
    }
    free (order);
    return n;
}

static bool is_multitorus (tori_kind kind)
{
    return kind == TORI_MULTITORUS || kind == TORI_MULTITORUS_LEFT
           || kind == TORI_MULTITORUS_FACING;
}

size_t naive_line (tori_kind kind, uint32_t S, struct line_link ret[])
{
    size_t n = 0;
    if (kind == TORI_APART)
        return 0;
    for (uint32_t i = 0; i + 1 < S; i++)
        ret[n++] = line_link (i, i + 1, 'n');
    if (kind == TORI_SWITCHED) { /* ports, at both ends */
        ret[n++] = line_link (0, 0, '-');
        ret[n++] = line_link (S - 1, S - 1, '+');
    }
    if (kind == TORI_TORUS && S > 1)
        ret[n++] = line_link (0, S - 1, 'w');
    if (is_multitorus (kind) && S == 2)
        ret[n++] = line_link (0, 1, 's');
    if (is_multitorus (kind) && S > 2)
        n += folded_ring (S, 0, S, ret + n);
    return n;
}

/* Property 2, and the same round the end of a torus line. */
static int wire_mesh (uint32_t S, uint32_t first, uint32_t n,
                      struct line_link ret[])
{
    for (uint32_t k = 0; k + 1 < n; k++) {
        uint32_t i = (first + k) % S, j = (first + k + 1) % S;
        ret[k] = line_link (i, j, j == 0 ? 'w' : 'n');
    }
    return (int)n - 1;
}

/* Properties 3 to 5. */
static int wire_multitorus (tori_kind kind, uint32_t S, uint32_t i, uint32_t n,
                            struct line_link ret[])
{
    bool left = kind == TORI_MULTITORUS_LEFT
                || (kind == TORI_MULTITORUS_FACING && i + 1 + i > S - 1);
    if (n > 2)
        return (int)folded_ring (S, i, n, ret);
    ret[0] = line_link (i, i + 1, 'n');
    if (i == 0 || i + 2 == S) {
        ret[1] = line_link (i, i + 1, 's');
        return 2;
    }
    if (left) {
        ret[1] = line_link (i - 1, i + 1, 's');
        ret[2] = line_link (i - 1, i, 'n');
    } else {
        ret[1] = line_link (i, i + 2, 's');
        ret[2] = line_link (i + 1, i + 2, 'n');
    }
    return 3;
}

int naive_wire_line (tori_kind kind, uint32_t S, uint32_t first, uint32_t n,
                     tori_wiring wiring, struct line_link ret[])
{
    if (wiring == TORI_WIRE_NONE || n == 1)
        return 0; /* Property 1 */
    if (wiring == TORI_WIRE_MESH)
        return wire_mesh (S, first, n, ret);
    if (is_multitorus (kind))
        return wire_multitorus (kind, S, first, n, ret);
    return kind == TORI_TORUS ? (int)naive_line (kind, S, ret) : -1;
}

/* The wiring of a box in one dimension. */
static tori_wiring naive_wiring (tori_wiring wiring, int dim)
{
    if (wiring <= TORI_WIRE_TORUS)
        return wiring;
    return (uint32_t)wiring >> (3 + dim) & 1 ? TORI_WIRE_TORUS
                                             : TORI_WIRE_MESH;
}

/* The links of a box in one of the lines that it crosses, which the caller
 * frees; -1 if that can never be. Only a torus may need the whole line. */
static int wire_box (const tori_machine *machine, const tori_box *box, int dim,
                     tori_wiring wiring, struct line_link **ret_line)
{
    uint32_t S = tori_machine_size (machine, dim);
    uint32_t side = box->shape.size[dim];
    wiring = naive_wiring (wiring, dim);
    *ret_line = make_array (LINE_LINKS (wiring == TORI_WIRE_TORUS ? S : side),
                            sizeof **ret_line);
    return naive_wire_line (tori_machine_kind (machine, dim), S,
                            box->origin[dim], side, wiring, *ret_line);
}

bool naive_has_links (const tori_machine *machine, const tori_box *box,
                      tori_wiring wiring)
{
    bool has = true;
    for (int d = 0; d < box->shape.ndims && has; d++) {
        struct line_link *line;
        has = wire_box (machine, box, d, wiring, &line) >= 0;
        free (line);
    }
    return has;
}

/* ---- the model of a state ---- */

/* The node in the same line with another coordinate. */
static uint32_t node_in_line (const tori_machine *machine, uint32_t node,
                              int dim, uint32_t coord)
{
    uint32_t coords[TORI_MAX_DIMS];
    tori_machine_coords (machine, node, coords);
    coords[dim] = coord;
    return tori_machine_id (machine, coords);
}

/* The links of a line in the order of their lower ends, which begin at
 * ret_from[]. */
static struct line_link *line_by_end (tori_kind kind, uint32_t S,
                                      size_t ret_from[])
{
    struct line_link *line = make_array (LINE_LINKS (S), sizeof *line);
    struct line_link *sorted = make_array (LINE_LINKS (S), sizeof *sorted);
    size_t n = naive_line (kind, S, line);
    for (size_t i = 0; i < n; i++)
        ret_from[line[i].a + 1]++;
    for (uint32_t a = 0; a < S; a++)
        ret_from[a + 1] += ret_from[a];
    for (size_t i = n; i-- > 0;)
        sorted[--ret_from[line[i].a + 1]] = line[i];
    for (uint32_t a = 0; a < S; a++)
        ret_from[a] = ret_from[a + 1];
    ret_from[S] = n;
    free (line);
    return sorted;
}

static void add_links (struct naive *naive, int dim)
{
    uint32_t S = tori_machine_size (naive->machine, dim);
    size_t *from = make_array (S + 1, sizeof *from);
    struct line_link *line
        = line_by_end (tori_machine_kind (naive->machine, dim), S, from);
    for (uint32_t node = 0; node < naive->n; node++) {
        uint32_t coords[TORI_MAX_DIMS];
        tori_machine_coords (naive->machine, node, coords);
        naive->first[(size_t)dim * naive->n + node] = naive->nlinks;
        for (size_t i = from[coords[dim]]; i < from[coords[dim] + 1]; i++)
            naive->links[naive->nlinks++] = (struct naive_link){
                .dim = dim,
                .a = node,
                .b = node_in_line (naive->machine, node, dim, line[i].b),
                .kind = line[i].kind,
                .owner = NOBODY,
            };
    }
    free (line);
    free (from);
}

struct naive *naive_create (const tori_machine *machine)
{
    struct naive *naive = make_array (1, sizeof *naive);
    size_t ndims = (size_t)tori_machine_ndims (machine);
    naive->machine = machine;
    naive->n = tori_machine_nodes (machine);
    naive->nodes = make_array (naive->n, sizeof *naive->nodes);
    naive->links = make_array (2 * ndims * naive->n, sizeof *naive->links);
    naive->first = make_array (ndims * naive->n + 1, sizeof *naive->first);
    for (uint32_t i = 0; i < naive->n; i++)
        naive->nodes[i].owner = NOBODY;
    for (int d = 0; d < (int)ndims; d++)
        add_links (naive, d);
    naive->first[ndims * naive->n] = naive->nlinks;
    naive->scratch = make_array (naive->nlinks, sizeof *naive->scratch);
    return naive;
}

void naive_destroy (struct naive *naive)
{
    free (naive->nodes);
    free (naive->links);
    free (naive->first);
    free (naive->scratch);
    free (naive);
}

size_t naive_find (const struct naive *naive, int dim, uint32_t a, uint32_t b,
                   char kind)
{
    size_t at = (size_t)dim * naive->n + (a < b ? a : b);
    for (size_t i = naive->first[at]; i < naive->first[at + 1]; i++)
        if (naive->links[i].b == (a < b ? b : a)
            && naive->links[i].kind == kind)
            return i;
    fail_msg ("no link %c of dimension %d from %u to %u", kind, dim, a, b);
    return 0;
}

size_t naive_number (const struct naive *naive, const tori_link *link)
{
    uint32_t a, b;
    char kind = tori_link_ends (naive->machine, link, &a, &b);
    a = node_in_line (naive->machine, link->slot, link->dim, a);
    b = node_in_line (naive->machine, link->slot, link->dim, b);
    return naive_find (naive, link->dim, a, b, kind);
}

/* The links of one dimension: the same in every line that the box crosses. */
static int links_of_dim (const struct naive *naive, const tori_box *box,
                         int dim, tori_wiring wiring, size_t ret[])
{
    const tori_machine *machine = naive->machine;
    struct line_link *line;
    int n = wire_box (machine, box, dim, wiring, &line);
    uint32_t offset[TORI_MAX_DIMS] = {0};
    tori_shape lines = box->shape;
    int total = 0;
    lines.size[dim] = 1;
    if (n > 0)
        do {
            uint32_t node = node_at (machine, box, offset);
            for (int i = 0; i < n; i++)
                ret[total++] = naive_find (
                    naive, dim, node_in_line (machine, node, dim, line[i].a),
                    node_in_line (machine, node, dim, line[i].b),
                    line[i].kind);
        } while (count_up (offset, lines.size, lines.ndims));
    free (line);
    return n < 0 ? -1 : total;
}

int naive_links (const struct naive *naive, const tori_box *box,
                 tori_wiring wiring, size_t ret[])
{
    int total = 0;
    for (int d = 0; d < box->shape.ndims; d++) {
        int n = links_of_dim (naive, box, d, wiring, ret + total);
        if (n < 0)
            return -1;
        total += n;
    }
    return total;
}

bool naive_is_free (const struct naive *naive, uint32_t node)
{
    const struct naive_node *is = &naive->nodes[node];
    return is->owner == NOBODY && !is->down && !is->drained;
}

uint32_t naive_free_count (const struct naive *naive)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < naive->n; i++)
        sum += naive_is_free (naive, i);
    return sum;
}

bool naive_box_free (const struct naive *naive, const tori_box *box)
{
    uint32_t offset[TORI_MAX_DIMS] = {0};
    do {
        if (!naive_is_free (naive, node_at (naive->machine, box, offset)))
            return false;
    } while (count_up (offset, box->shape.size, box->shape.ndims));
    return true;
}

bool naive_wirable (const struct naive *naive, const tori_box *box,
                    tori_wiring wiring)
{
    int n = naive_links (naive, box, wiring, naive->scratch);
    for (int i = 0; i < n; i++) {
        const struct naive_link *link = &naive->links[naive->scratch[i]];
        if (link->owner != NOBODY || link->down)
            return false;
    }
    return n >= 0;
}

void naive_hold (struct naive *naive, const tori_box *box, tori_wiring wiring,
                 int owner)
{
    uint32_t offset[TORI_MAX_DIMS] = {0};
    assert_true (naive_wirable (naive, box, wiring));
    int n = naive_links (naive, box, wiring, naive->scratch);
    for (int i = 0; i < n; i++)
        naive->links[naive->scratch[i]].owner = owner;
    do {
        uint32_t node = node_at (naive->machine, box, offset);
        assert_true (naive_is_free (naive, node));
        naive->nodes[node].owner = owner;
    } while (count_up (offset, box->shape.size, box->shape.ndims));
}

void naive_release (struct naive *naive, int owner)
{
    for (uint32_t i = 0; i < naive->n; i++)
        if (naive->nodes[i].owner == owner)
            naive->nodes[i].owner = NOBODY;
    for (size_t i = 0; i < naive->nlinks; i++)
        if (naive->links[i].owner == owner)
            naive->links[i].owner = NOBODY;
}

void naive_disturb_node (struct naive *naive, tori_state *state,
                         struct rng *rng)
{
    uint32_t node = (uint32_t)rng_below (rng, naive->n);
    bool value = chance (rng, 60);
    if (chance (rng, 50)) {
        naive->nodes[node].down = value;
        assert_int_equal (tori_state_set_down (state, node, value, NULL), 0);
    } else {
        naive->nodes[node].drained = value;
        assert_int_equal (tori_state_set_drained (state, node, value, NULL),
                          0);
    }
}

void naive_disturb_link (struct naive *naive, tori_state *state,
                         struct rng *rng)
{
    tori_link link = {
        .dim = (int)rng_below (rng,
                               (uint64_t)tori_machine_ndims (naive->machine)),
        .layer = chance (rng, 50) ? TORI_FAR : TORI_NEAR,
        .slot = (uint32_t)rng_below (rng, naive->n),
    };
    bool value = chance (rng, 60);
    if (!tori_link_exists (naive->machine, &link))
        return;
    naive->links[naive_number (naive, &link)].down = value;
    assert_int_equal (tori_state_set_link_down (state, &link, value, NULL), 0);
}

void naive_repair (struct naive *naive, tori_state *state)
{
    for (uint32_t i = 0; i < naive->n; i++) {
        naive->nodes[i].down = naive->nodes[i].drained = false;
        tori_state_set_down (state, i, false, NULL);
        tori_state_set_drained (state, i, false, NULL);
    }
    for (size_t i = 0; i < naive->nlinks; i++)
        naive->links[i].down = false;
    for (int d = 0; d < tori_machine_ndims (naive->machine); d++)
        for (uint32_t i = 0; i < 2 * naive->n; i++) {
            tori_link link = {d, i % 2 ? TORI_FAR : TORI_NEAR, i / 2};
            if (tori_link_exists (naive->machine, &link))
                tori_state_set_link_down (state, &link, false, NULL);
        }
}

/* ---- state against model ---- */

static void expect_nodes (const struct naive *naive, const tori_state *state)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < naive->n; i++) {
        const struct naive_node *node = &naive->nodes[i];
        bool busy = node->owner != NOBODY;
        tori_node_state is = node->down      ? TORI_NODE_DOWN
                             : node->drained ? TORI_NODE_DRAINED
                             : busy          ? TORI_NODE_BUSY
                                             : TORI_NODE_FREE;
        assert_int_equal (tori_state_node (state, i), is);
        assert_int_equal (tori_state_is_free (state, i),
                          is == TORI_NODE_FREE);
        assert_int_equal (tori_state_is_busy (state, i), busy);
    }
    for (size_t i = 0; i < bits_words (naive->n); i++)
        bits += (uint32_t)__builtin_popcountll (state->free[i]);
    assert_int_equal (bits, naive_free_count (naive));
    assert_int_equal (tori_state_free_count (state), bits);
}

/* Returns how many links there are in one layer. */
static size_t expect_layer (const struct naive *naive, const tori_state *state,
                            int dim, tori_layer layer)
{
    size_t n = 0;
    for (uint32_t slot = 0; slot < naive->n; slot++) {
        tori_link link = {dim, layer, slot};
        const struct naive_link *is;
        if (!tori_link_exists (naive->machine, &link)) {
            assert_false (tori_state_link_taken (state, &link));
            assert_false (tori_state_link_down (state, &link));
            continue;
        }
        is = &naive->links[naive_number (naive, &link)];
        assert_int_equal (tori_state_link_taken (state, &link),
                          is->owner != NOBODY);
        assert_int_equal (tori_state_link_down (state, &link), is->down);
        n++;
    }
    return n;
}

static void expect_links (const struct naive *naive, const tori_state *state)
{
    size_t n = 0, taken = 0, down = 0;
    for (int d = 0; d < tori_machine_ndims (naive->machine); d++)
        n += expect_layer (naive, state, d, TORI_NEAR)
             + expect_layer (naive, state, d, TORI_FAR);
    assert_int_equal (n, naive->nlinks);
    for (size_t i = 0; i < naive->nlinks; i++) {
        taken += naive->links[i].owner != NOBODY;
        down += naive->links[i].down;
    }
    assert_int_equal (tori_state_links_taken (state), taken);
    assert_int_equal (state->links_down, down);
}

static bool marked (const uint64_t *set, uint32_t node)
{
    return set && bits_test (set, node);
}

/* A line is ringed when one partition has all of its links, touched when some
 * link is taken or down. */
static void line_marks (const struct naive *naive, int dim, uint32_t start,
                        bool *ret_ringed, bool *ret_touched)
{
    uint32_t S = tori_machine_size (naive->machine, dim);
    size_t n = 0, taken = 0, down = 0, same = 0;
    int owner = NOBODY;
    for (uint32_t c = 0; c < S; c++) {
        uint32_t node = node_in_line (naive->machine, start, dim, c);
        size_t at = (size_t)dim * naive->n + node;
        for (size_t i = naive->first[at]; i < naive->first[at + 1]; i++) {
            owner = n++ == 0 ? naive->links[i].owner : owner;
            taken += naive->links[i].owner != NOBODY;
            down += naive->links[i].down;
            same += naive->links[i].owner == owner;
        }
    }
    *ret_ringed = taken > 0 && taken == n && same == n;
    *ret_touched = taken + down > 0;
}

static void expect_marks_of_line (const struct naive *naive,
                                  const tori_state *state, int dim,
                                  uint32_t start)
{
    bool ringed, touched;
    line_marks (naive, dim, start, &ringed, &touched);
    for (uint32_t c = 0; c < tori_machine_size (naive->machine, dim); c++) {
        uint32_t node = node_in_line (naive->machine, start, dim, c);
        assert_int_equal (marked (state->ringed[dim], node), ringed);
        assert_int_equal (marked (state->touched[dim], node), touched);
    }
}

static void expect_marks (const struct naive *naive, const tori_state *state)
{
    for (int d = 0; d < tori_machine_ndims (naive->machine); d++) {
        if (tori_machine_kind (naive->machine, d) != TORI_TORUS) {
            assert_null (state->ringed[d]);
            assert_null (state->touched[d]);
            continue;
        }
        for (uint32_t node = 0; node < naive->n; node++)
            if (node_in_line (naive->machine, node, d, 0) == node)
                expect_marks_of_line (naive, state, d, node);
    }
}

void naive_expect (const struct naive *naive, const tori_state *state)
{
    expect_nodes (naive, state);
    expect_links (naive, state);
    expect_marks (naive, state);
}
