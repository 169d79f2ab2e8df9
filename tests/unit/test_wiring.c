/* Which links partitions take, against the text of Aridor et al.,
 * "Multi-Toroidal Interconnects", 2004, section 2: the properties as sets of
 * links, what the links connect, and the theorem. */
#include "naive_alloc.h"
#include "support.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "marks.h"
#include "placement.h"
#include "rings.h"
#include "taking.h"

static const tori_wiring wirings[] = {TORI_WIRE_NONE, TORI_WIRE_MESH,
                                      TORI_WIRE_TORUS};

TEST (names)
{
    static const char *const bad[] = {"", "Torus", "toru", "toruss", " mesh"};
    static const char *const good[] = {"none", "mesh", "torus"};
    tori_wiring wiring;
    for (size_t i = 0; i < LENGTH (good); i++) {
        assert_int_equal (tori_wiring_parse (good[i], &wiring, NULL), 0);
        assert_int_equal (wiring, wirings[i]);
        assert_string_equal (tori_wiring_name (wiring), good[i]);
    }
    for (size_t i = 0; i < LENGTH (bad); i++) {
        tori_error err = {.status = TORI_OK};
        assert_int_equal (tori_wiring_parse (bad[i], &wiring, &err), -1);
        assert_int_equal (err.status, TORI_INVALID);
        assert_int_equal (wiring, TORI_WIRE_TORUS);
    }
}

/* One of the three, or mixed. */
static tori_wiring any_wiring (struct rng *rng, const tori_machine *machine)
{
    char text[TORI_MAX_DIMS + 1] = "";
    int ndims = tori_machine_ndims (machine);
    tori_wiring wiring;
    if (chance (rng, 60))
        return wirings[rng_below (rng, 3)];
    for (int d = 0; d < ndims; d++)
        text[d] = "mt"[rng_below (rng, 2)];
    assert_int_equal (tori_wiring_read (machine, text, &wiring, NULL), 0);
    for (int d = 0; d < ndims; d++)
        assert_int_equal (tori_wiring_closes (wiring, d), text[d] == 't');
    return wiring;
}

/* Texts of what is mixed. */
TEST (mixed)
{
    AUTO_MACHINE *machine = make_machine ("torus:4x4x4");
    static const char *const bad[] = {"tm", "tmmm", "tmx", "", "Tmm", "ttttt"};
    static const char *const good[] = {"tmm", "mtm", "mmt", "ttm", "ttt",
                                       "mesh", "torus", "none"};
    tori_wiring wiring = TORI_WIRE_NONE;
    char text[TORI_TEXT_MAX];
    for (size_t i = 0; i < LENGTH (bad); i++)
        assert_int_equal (tori_wiring_read (machine, bad[i], &wiring, NULL),
                          -1);
    for (size_t i = 0; i < LENGTH (good); i++) {
        assert_int_equal (tori_wiring_read (machine, good[i], &wiring, NULL),
                          0);
        tori_wiring_format (machine, wiring, text);
        assert_string_equal (text, good[i]);
    }
    assert_int_equal (tori_wiring_read (machine, "mmm", &wiring, NULL), 0);
    assert_int_equal (wiring, TORI_WIRE_MESH);
    assert_null (tori_wiring_name (tori_wiring_of_rings (1)));
}

/* More rings than dimensions, and other numbers, are no wiring. */
TEST (no_such_mix)
{
    AUTO_MACHINE *machine = make_machine ("torus:4x4x4");
    AUTO_STATE *of = make_state (machine);
    tori_box box = make_box (machine, "0,0,0/2x2x2");
    const tori_wiring bad[] = {tori_wiring_of_rings (8),
                               tori_wiring_of_rings (9),
                               (tori_wiring)(8 * 1 + 1), TORI_WIRE_MIXED};
    for (size_t i = 0; i < LENGTH (bad); i++) {
        tori_error err = {.status = TORI_OK};
        assert_int_equal (tori_wiring_take (of, &box, bad[i], &err), -1);
        assert_int_equal (err.status, TORI_INVALID);
    }
    assert_int_equal (tori_wiring_take (of, &box, tori_wiring_of_rings (5),
                                        NULL),
                      0);
    assert_int_equal (tori_state_links_taken (of), 4 * 4 + 4 + 4 * 4);
}

/* ---- one line ---- */

/* A partition of a 1-D machine and the links that the library gives it. */
struct line {
    tori_machine *machine;
    tori_kind kind;
    uint32_t S, first, n;
    tori_wiring wiring;
    struct line_link links[64];
    int nlinks;
};

static int add_line_link (void *arg, const tori_link *link)
{
    struct line *line = arg;
    struct line_link *to = &line->links[line->nlinks++];
    assert_true (tori_link_exists (line->machine, link));
    to->kind = tori_link_ends (line->machine, link, &to->a, &to->b);
    return 0;
}

static int compare_ends (const void *x, const void *y)
{
    const struct line_link *a = x, *b = y;
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    if (a->b != b->b)
        return a->b < b->b ? -1 : 1;
    return (a->kind > b->kind) - (a->kind < b->kind);
}

/* The links are those that the properties name. */
static void expect_property_links (struct line *line)
{
    struct line_link expected[64];
    int n = naive_wire_line (line->kind, line->S, line->first, line->n,
                             line->wiring, expected);
    assert_true (n <= (int)LENGTH (expected));
    assert_int_equal (line->nlinks, n < 0 ? 0 : n);
    if (n <= 0)
        return;
    qsort (expected, (size_t)n, sizeof *expected, compare_ends);
    qsort (line->links, (size_t)n, sizeof *expected, compare_ends);
    for (int i = 0; i < n; i++)
        assert_int_equal (compare_ends (&line->links[i], &expected[i]), 0);
}

/* As many as the properties say. */
static void expect_property_count (const struct line *line)
{
    bool edge = line->first == 0 || line->first + line->n == line->S;
    int n = (int)line->n, expected;
    if (n == 1)
        expected = 0; /* Property 1 */
    else if (line->wiring == TORI_WIRE_MESH)
        expected = n - 1; /* Property 2 */
    else if (line->kind == TORI_MESH)
        expected = 0; /* cannot be */
    else if (line->kind == TORI_TORUS)
        expected = (int)line->S;
    else if (n > 2)
        expected = n; /* Property 3 */
    else
        expected = edge ? 2 : 3; /* Properties 4 and 5 */
    assert_int_equal (line->nlinks, expected);
}

static bool is_member (const struct line *line, uint32_t i)
{
    return (i + line->S - line->first) % line->S < line->n;
}

/* How many of the links end at each switch. */
static void count_ends (const struct line *line, int degree[])
{
    for (uint32_t i = 0; i < line->S; i++)
        degree[i] = 0;
    for (int i = 0; i < line->nlinks; i++) {
        degree[line->links[i].a]++;
        degree[line->links[i].b]++;
    }
}

/* A mesh: one link from each unit to the next and none besides. */
static void expect_path (const struct line *line)
{
    for (uint32_t k = 0; k + 1 < line->n; k++) {
        uint32_t i = (line->first + k) % line->S, j = (i + 1) % line->S;
        int joining = 0;
        for (int l = 0; l < line->nlinks; l++)
            joining += line->links[l].a == (i < j ? i : j)
                       && line->links[l].b == (i < j ? j : i);
        assert_int_equal (joining, 1);
    }
    assert_int_equal (line->nlinks, line->n - 1);
}

/* Follow the ring from the first unit until it is back: the number of links
 * it goes over. A switch that two links end at joins them, with its own unit
 * between them if that is of the partition. */
static int follow_ring (const struct line *line, int visits[])
{
    bool used[64] = {false};
    uint32_t at = line->first;
    int steps = 0;
    for (int found = 0; found >= 0;) {
        found = -1;
        for (int i = 0; i < line->nlinks && found < 0; i++)
            if (!used[i]
                && (line->links[i].a == at || line->links[i].b == at))
                found = i;
        if (found < 0)
            break;
        used[found] = true;
        visits[at]++;
        steps++;
        at = line->links[found].a == at ? line->links[found].b
                                        : line->links[found].a;
    }
    assert_int_equal (at, line->first);
    return steps;
}

/* Whether the ring may pass through a switch whose unit is another's. */
static bool may_pass (const struct line *line, uint32_t i)
{
    bool left = line->kind == TORI_MULTITORUS_LEFT
                || (line->kind == TORI_MULTITORUS_FACING
                    && line->first >= line->S - 1 - line->first);
    return line->kind == TORI_TORUS
           || (line->n == 2 && line->first > 0
               && line->first + 2 < line->S
               && i == (left ? line->first - 1 : line->first + 2));
}

/* A torus: one cycle, over all links, with each unit in it once. */
static void expect_cycle (const struct line *line)
{
    int degree[64], visits[64] = {0};
    count_ends (line, degree);
    assert_int_equal (follow_ring (line, visits), line->nlinks);
    for (uint32_t i = 0; i < line->S; i++) {
        bool on = is_member (line, i) || may_pass (line, i);
        assert_int_equal (degree[i], on ? 2 : 0);
        assert_int_equal (visits[i], on ? 1 : 0);
    }
}

static void check_line (struct line *line)
{
    tori_box box = {.origin = {line->first},
                    .shape = {.ndims = 1, .size = {line->n}}};
    line->nlinks = 0;
    tori_wiring_each (line->machine, &box, line->wiring, add_line_link, line);
    expect_property_links (line);
    if (line->wiring == TORI_WIRE_NONE) {
        assert_int_equal (line->nlinks, 0);
        return;
    }
    expect_property_count (line);
    if (line->n > 1 && line->wiring == TORI_WIRE_MESH)
        expect_path (line);
    else if (line->n > 1 && line->kind != TORI_MESH)
        expect_cycle (line);
}

static const struct {
    tori_kind kind;
    const char *name;
} kinds[] = {
    {TORI_MESH, "mesh"},
    {TORI_TORUS, "torus"},
    {TORI_MULTITORUS, "multitorus"},
    {TORI_MULTITORUS_LEFT, "multitorus-left"},
    {TORI_MULTITORUS_FACING, "multitorus-facing"},
};

/* Kinds on which the rule wires every free box. */
static const char *const uniform[] = {"multitorus", "multitorus-left"};

static tori_machine *make_line (const char *kind, uint32_t S)
{
    char text[40];
    snprintf (text, sizeof text, "%s:%u", kind, S);
    return make_machine (text);
}

/* Every extent of every line of up to 9 nodes, and some longer ones. */
static void check_lines_of (tori_kind kind, const char *name, uint32_t S)
{
    struct line line = {.kind = kind, .S = S};
    line.machine = make_line (name, S);
    for (line.n = 1; line.n <= S; line.n++)
        for (line.first = 0; line.first < S; line.first++) {
            if (line.first + line.n > S && kind != TORI_TORUS)
                continue;
            for (size_t w = 0; w < LENGTH (wirings); w++) {
                line.wiring = wirings[w];
                check_line (&line);
            }
        }
    tori_machine_destroy (line.machine);
}

TEST (lines)
{
    for (size_t k = 0; k < LENGTH (kinds); k++)
        for (uint32_t S = 1; S <= 12; S++)
            check_lines_of (kinds[k].kind, kinds[k].name, S);
}

/* ---- boxes ---- */

/* The links of a box as the library visits them. */
struct visit {
    const struct naive *naive;
    size_t *numbers;
    int n;
    int stop; /* after so many */
    tori_link last;
};

/* The first node of a link's line. */
static uint32_t line_start (const tori_machine *machine,
                            const tori_link *link)
{
    uint32_t coords[TORI_MAX_DIMS];
    tori_machine_coords (machine, link->slot, coords);
    coords[link->dim] = 0;
    return tori_machine_id (machine, coords);
}

/* By dimension, line, layer, slot. */
static bool before (const tori_machine *machine, const tori_link *x,
                    const tori_link *y)
{
    uint32_t i = line_start (machine, x), j = line_start (machine, y);
    if (x->dim != y->dim)
        return x->dim < y->dim;
    if (i != j)
        return i < j;
    return x->layer != y->layer ? x->layer < y->layer : x->slot < y->slot;
}

static int add_number (void *arg, const tori_link *link)
{
    struct visit *visit = arg;
    const tori_machine *machine = visit->naive->machine;
    assert_true (tori_link_exists (machine, link));
    assert_true (visit->n == 0 || before (machine, &visit->last, link));
    visit->last = *link;
    visit->numbers[visit->n++] = naive_number (visit->naive, link);
    return visit->n == visit->stop ? 17 : 0;
}

static int compare_numbers (const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

static void expect_same_numbers (size_t a[], size_t b[], int n)
{
    qsort (a, (size_t)n, sizeof *a, compare_numbers);
    qsort (b, (size_t)n, sizeof *b, compare_numbers);
    assert_memory_equal (a, b, (size_t)n * sizeof *a);
}

/* Every link once, in order, and they are those of the model. */
static void check_each (const struct naive *naive, const tori_box *box,
                        tori_wiring wiring)
{
    struct visit visit = {.naive = naive};
    size_t *expected = make_array (naive->nlinks, sizeof *expected);
    int n = naive_links (naive, box, wiring, expected);
    visit.numbers = make_array (naive->nlinks, sizeof *visit.numbers);
    assert_int_equal (tori_wiring_each (naive->machine, box, wiring,
                                        add_number, &visit),
                      0);
    assert_int_equal (visit.n, n < 0 ? 0 : n);
    if (n > 0) {
        expect_same_numbers (visit.numbers, expected, n);
        visit.n = 0;
        visit.stop = (n + 1) / 2;
        assert_int_equal (tori_wiring_each (naive->machine, box, wiring,
                                            add_number, &visit),
                          17);
        assert_int_equal (visit.n, visit.stop);
    }
    assert_int_equal (
        tori_wiring_possible (naive->machine, &box->shape, wiring), n >= 0);
    free (visit.numbers);
    free (expected);
}

/* The runs name the same links, by coordinates. */
static void check_runs (const struct naive *naive, const tori_box *box,
                        tori_wiring wiring)
{
    tori_link_run runs[TORI_MAX_RUNS];
    int n = tori_wiring_runs (naive->machine, box, wiring, runs), total = 0;
    size_t *expected = make_array (naive->nlinks, sizeof *expected);
    size_t *got = make_array (naive->nlinks, sizeof *got);
    int count = naive_links (naive, box, wiring, expected);
    assert_int_equal (n < 0, count < 0);
    for (int r = 0; r < n; r++) {
        tori_box slots = *box;
        uint32_t ids[600];
        assert_true (r == 0 || runs[r].dim >= runs[r - 1].dim);
        assert_true (runs[r].count > 0);
        slots.origin[runs[r].dim] = runs[r].first;
        slots.shape.size[runs[r].dim] = runs[r].count;
        naive_box_nodes (naive->machine, &slots, ids);
        for (uint64_t i = 0; i < tori_shape_volume (&slots.shape); i++) {
            tori_link link = {runs[r].dim, runs[r].layer, ids[i]};
            assert_true (tori_link_exists (naive->machine, &link));
            got[total++] = naive_number (naive, &link);
        }
    }
    assert_int_equal (total, count < 0 ? 0 : count);
    if (total)
        expect_same_numbers (got, expected, total);
    free (expected);
    free (got);
}

TEST (boxes)
{
    struct rng rng = seeded (1);
    for (int round = 0; round < 300; round++) {
        AUTO_MACHINE *machine = random_machine (&rng, 5, 300);
        struct naive *naive = naive_create (machine);
        for (int i = 0; i < 8; i++) {
            tori_box box = random_box (&rng, machine, i % 2 ? 4 : 200, true);
            tori_wiring wiring
                = i < 6 ? wirings[i / 2] : any_wiring (&rng, machine);
            check_each (naive, &box, wiring);
            check_runs (naive, &box, wiring);
        }
        naive_destroy (naive);
    }
}

/* Two boxes conflict if some link is needed by both, and the one that is
 * named is. They may share nodes: planned partitions do. */
static void check_conflict (const struct naive *naive, const tori_box *a,
                            tori_wiring wiring_a, const tori_box *b,
                            tori_wiring wiring_b)
{
    bool *of_a = make_array (naive->nlinks, sizeof *of_a);
    bool *of_both = make_array (naive->nlinks, sizeof *of_both);
    bool any = false;
    tori_link link = {.dim = -1};
    int n = naive_links (naive, a, wiring_a, naive->scratch);
    for (int i = 0; i < n; i++)
        of_a[naive->scratch[i]] = true;
    n = naive_links (naive, b, wiring_b, naive->scratch);
    for (int i = 0; i < n; i++) {
        of_both[naive->scratch[i]] = of_a[naive->scratch[i]];
        any |= of_a[naive->scratch[i]];
    }
    assert_int_equal (tori_wiring_conflict (naive->machine, a, wiring_a, b,
                                            wiring_b, &link),
                      any);
    if (any)
        assert_true (of_both[naive_number (naive, &link)]);
    free (of_a);
    free (of_both);
}

TEST (conflict)
{
    struct rng rng = seeded (2);
    for (int round = 0; round < 300; round++) {
        AUTO_MACHINE *machine = random_machine (&rng, 4, 200);
        struct naive *naive = naive_create (machine);
        for (int i = 0; i < 20; i++) {
            tori_box a = random_box (&rng, machine, 4, true);
            tori_box b = random_box (&rng, machine, 4, true);
            check_conflict (naive, &a, any_wiring (&rng, machine), &b,
                            any_wiring (&rng, machine));
        }
        naive_destroy (naive);
    }
}

/* ---- partitions that come and go ---- */

enum { PARTS = 12 };

struct part {
    bool is;
    tori_box box;
    tori_wiring wiring;
};

struct world {
    tori_machine *machine;
    struct naive *naive;
    tori_state *state;
    struct part parts[PARTS];
};

static void world_create (struct world *world, tori_machine *machine)
{
    memset (world, 0, sizeof *world);
    world->machine = machine;
    world->naive = naive_create (machine);
    world->state = make_state (machine);
}

static void world_destroy (struct world *world)
{
    tori_state_destroy (world->state);
    naive_destroy (world->naive);
    tori_machine_destroy (world->machine);
}

/* Wire a free box if its links are to be had, else see it refused with
 * nothing changed. */
static void try_hold (struct world *world, int i, tori_box box,
                      tori_wiring wiring)
{
    tori_error err = {.status = TORI_OK};
    bool wirable = naive_wirable (world->naive, &box, wiring);
    bool possible = tori_wiring_possible (world->machine, &box.shape, wiring);
    int answer = tori_wiring_take (world->state, &box, wiring, &err);
    assert_int_equal (answer, wirable ? 0 : -1);
    if (!wirable) {
        assert_int_equal (err.status, possible ? TORI_NOT_NOW : TORI_NEVER);
        naive_expect (world->naive, world->state);
        return;
    }
    state_hold_box (world->state, &box);
    naive_hold (world->naive, &box, wiring, i);
    world->parts[i] = (struct part){true, box, wiring};
}

static void release (struct world *world, int i)
{
    struct part *part = &world->parts[i];
    tori_wiring_give (world->state, &part->box, part->wiring);
    state_release_box (world->state, &part->box);
    naive_release (world->naive, i);
    part->is = false;
}

/* A partition goes, or one comes where there is room. */
static void step (struct world *world, struct rng *rng, uint32_t longest,
                  bool wrap)
{
    int i = (int)rng_below (rng, PARTS);
    if (world->parts[i].is && chance (rng, 50)) {
        release (world, i);
        return;
    }
    for (int attempt = 0; attempt < 10 && !world->parts[i].is; attempt++) {
        tori_box box = random_box (rng, world->machine, longest, wrap);
        if (naive_box_free (world->naive, &box))
            try_hold (world, i, box, any_wiring (rng, world->machine));
    }
}

/* In a random order. */
static void release_all (struct world *world, struct rng *rng)
{
    int order[PARTS];
    for (int i = 0; i < PARTS; i++) {
        int j = (int)rng_below (rng, (uint64_t)i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    for (int i = 0; i < PARTS; i++)
        if (world->parts[order[i]].is)
            release (world, order[i]);
}

/* The theorem: a free box can be wired, mesh or torus, whatever is there. */
static void expect_wirable (const struct world *world, const tori_box *box)
{
    if (!naive_box_free (world->naive, box))
        return;
    for (size_t w = 0; w < LENGTH (wirings); w++) {
        tori_link link;
        assert_true (tori_wiring_free (world->state, box, wirings[w]));
        assert_true (naive_wirable (world->naive, box, wirings[w]));
        for (int i = 0; i < PARTS; i++)
            if (world->parts[i].is)
                assert_false (tori_wiring_conflict (
                    world->machine, box, wirings[w], &world->parts[i].box,
                    world->parts[i].wiring, &link));
    }
}

/* Links follow from a partition's extent alone, so the theorem for lines is
 * that no two extents beside each other need the same link: all of them. */
TEST (theorem_pairs)
{
    for (uint32_t S = 2, k = 0; S <= 14; S += k, k = !k) {
        tori_machine *machine = make_line (uniform[k], S);
        tori_box a = {.shape.ndims = 1}, b = {.shape.ndims = 1};
        uint32_t *i = &a.origin[0], *n = &a.shape.size[0];
        uint32_t *j = &b.origin[0], *m = &b.shape.size[0];
        tori_link link;
        for (*i = 0; *i < S; ++*i)
            for (*n = 1; *i + *n < S; ++*n)
                for (*j = *i + *n; *j < S; ++*j)
                    for (*m = 1; *j + *m <= S; ++*m)
                        for (int w = 0; w < 4; w++)
                            assert_false (tori_wiring_conflict (
                                machine, &a, wirings[1 + w / 2], &b,
                                wirings[1 + w % 2], &link));
        tori_machine_destroy (machine);
    }
}

static void check_theorem_on_line (struct world *world)
{
    uint32_t S = tori_machine_size (world->machine, 0);
    for (uint32_t first = 0; first < S; first++)
        for (uint32_t n = 1; first + n <= S; n++) {
            tori_box box = {.origin = {first},
                            .shape = {.ndims = 1, .size = {n}}};
            expect_wirable (world, &box);
        }
}

TEST (theorem_lines)
{
    struct rng rng = seeded (3);
    for (uint32_t S = 2, k = 0; S <= 9; S += k, k = !k) {
        struct world world;
        world_create (&world, make_line (uniform[k], S));
        AUTO_STATE *fresh = make_state (world.machine);
        for (int i = 0; i < 400; i++) {
            step (&world, &rng, i % 3 ? 3 : S, false);
            check_theorem_on_line (&world);
            naive_expect (world.naive, world.state);
        }
        release_all (&world, &rng);
        assert_true (tori_state_equal (world.state, fresh));
        world_destroy (&world);
    }
}

/* Figure 9: pairs of both orientations leave no links for the one between
 * them, by the rule or otherwise. Paired the other way round, it has some. */
TEST (figure_9)
{
    static const uint32_t firsts[] = {1, 5, 3};
    for (size_t k = 2; k < LENGTH (kinds); k++) {
        tori_machine *machine = make_line (kinds[k].name, 8);
        AUTO_STATE *it = make_state (machine);
        bool mixed = kinds[k].kind == TORI_MULTITORUS_FACING;
        for (size_t i = 0; i < LENGTH (firsts); i++) {
            tori_box box = {.origin = {firsts[i]},
                            .shape = {.ndims = 1, .size = {2}}};
            bool lacking = mixed && i == 2;
            assert_int_equal (tori_wiring_free (it, &box, TORI_WIRE_TORUS),
                              !lacking);
            assert_int_equal (tori_wiring_take (it, &box, TORI_WIRE_TORUS,
                                                NULL),
                              lacking ? -1 : 0);
        }
        tori_machine_destroy (machine);
    }
}

/* A pair that was wired otherwise than by the rule does not need the links of
 * the rule, which another has. */
TEST (facing_pairs)
{
    AUTO_MACHINE *machine = make_machine ("multitorus-facing:8");
    AUTO_STATE *it = make_state (machine);
    tori_placement place[2];
    for (uint32_t i = 0; i < 2; i++) {
        tori_box box = {.origin = {3 + 2 * i},
                        .shape = {.ndims = 1, .size = {2}}};
        place[i] = placement_of_box (&box, TORI_WIRE_TORUS);
        assert_int_equal (tori_placement_wire (&place[i], it, NULL), 0);
        assert_int_equal (tori_placement_hold (&place[i], it, NULL), 0);
    }
    assert_int_equal (tori_state_links_taken (it), 6);
    assert_false (placement_overlap (&place[0], &place[1], machine));
    for (uint32_t i = 0; i < 2; i++) {
        tori_placement_release (&place[i], it);
        tori_placement_clear (&place[i]);
    }
    assert_int_equal (tori_state_links_taken (it), 0);
}

static void check_theorem_3d (struct world *world, struct rng *rng)
{
    AUTO_STATE *fresh = make_state (world->machine);
    for (int i = 0; i < 30; i++) {
        step (world, rng, i % 2 ? 3 : 9, false);
        for (int k = 0; k < 20; k++) {
            tori_box box = random_box (rng, world->machine, k % 2 ? 2 : 9,
                                       false);
            expect_wirable (world, &box);
        }
        naive_expect (world->naive, world->state);
    }
    release_all (world, rng);
    assert_true (tori_state_equal (world->state, fresh));
}

TEST (theorem_3d)
{
    struct rng rng = seeded (4);
    for (uint32_t S = 2; S <= 9; S++)
        for (int round = 0; round < 5; round++) {
            uint32_t side[3] = {between (&rng, 2, 9), between (&rng, 2, 9),
                                between (&rng, 2, 9)};
            char text[60];
            struct world world;
            side[round % 3] = S;
            snprintf (text, sizeof text, "multitorus:%ux%ux%u", side[0],
                      side[1], side[2]);
            world_create (&world, make_machine (text));
            check_theorem_3d (&world, &rng);
            world_destroy (&world);
        }
}

/* On any machine, with nodes and links down before and while partitions are
 * there: what is refused is what the model refuses, and when all partitions
 * are gone, nothing is left but what is down. */
static void walk_any (struct world *world, struct rng *rng)
{
    AUTO_STATE *after = make_state (world->machine);
    for (int i = 0; i < 40; i++) {
        tori_box box = random_box (rng, world->machine, 4, true);
        tori_wiring wiring = any_wiring (rng, world->machine);
        if (chance (rng, 15))
            naive_disturb_node (world->naive, world->state, rng);
        else if (chance (rng, 20))
            naive_disturb_link (world->naive, world->state, rng);
        else
            step (world, rng, 5, true);
        naive_expect (world->naive, world->state);
        assert_int_equal (
            tori_wiring_free (world->state, &box, wiring),
            (state_disturbed (world->state) ? naive_can_wire : naive_wirable) (
                world->naive, &box, wiring));
    }
    release_all (world, rng);
    naive_expect (world->naive, world->state);
    for (uint32_t i = 0; i < world->naive->n; i++) {
        tori_state_set_down (after, i, world->naive->nodes[i].down, NULL);
        tori_state_set_drained (after, i, world->naive->nodes[i].drained,
                                NULL);
    }
    for (int d = 0; d < tori_machine_ndims (world->machine); d++)
        for (uint32_t i = 0; i < 2 * world->naive->n; i++) {
            tori_link link = {d, i % 2 ? TORI_FAR : TORI_NEAR, i / 2};
            if (tori_link_exists (world->machine, &link)) {
                size_t number = naive_number (world->naive, &link);
                tori_state_set_link_down (
                    after, &link, world->naive->links[number].down, NULL);
            }
        }
    assert_true (tori_state_equal (world->state, after));
}

TEST (walks)
{
    struct rng rng = seeded (5);
    for (int round = 0; round < 150; round++) {
        struct world world;
        world_create (&world, random_machine (&rng, 4, 200));
        walk_any (&world, &rng);
        world_destroy (&world);
    }
}

/* A link that goes down under a partition stays the partition's; once both
 * are over the link is as it was. */
TEST (down_while_taken)
{
    struct world world;
    world_create (&world, make_machine ("torus:4x4"));
    AUTO_STATE *fresh = make_state (world.machine);
    tori_link link = {0, TORI_NEAR, 0};
    try_hold (&world, 0, make_box (world.machine, "0,0/2x2"),
              TORI_WIRE_TORUS);
    assert_true (tori_state_link_taken (world.state, &link));
    assert_int_equal (
        tori_state_set_link_down (world.state, &link, true, NULL), 0);
    assert_true (tori_state_link_taken (world.state, &link));
    release (&world, 0);
    assert_false (tori_state_link_taken (world.state, &link));
    assert_true (tori_state_link_down (world.state, &link));
    tori_state_set_link_down (world.state, &link, false, NULL);
    assert_true (tori_state_equal (world.state, fresh));
    world_destroy (&world);
}

/* ---- 4x4x4 tori in an 8x8x8 torus ---- */

enum { MAX_ORIGINS = 512 };

/* All places for a 4x4x4 box and which of them can be wired as tori at the
 * same time. */
struct packing {
    int n;
    tori_box boxes[MAX_ORIGINS];
    bool together[MAX_ORIGINS][MAX_ORIGINS];
};

static struct packing *make_packing (const tori_machine *machine,
                                     uint32_t origins)
{
    struct packing *packing = make_array (1, sizeof *packing);
    const uint32_t limits[] = {origins, origins, origins};
    tori_box box = {.shape = make_shape ("4x4x4")};
    tori_link link;
    do {
        packing->boxes[packing->n++] = box;
    } while (count_up (box.origin, limits, 3));
    for (int i = 0; i < packing->n; i++)
        for (int j = 0; j < packing->n; j++)
            packing->together[i][j]
                = !tori_box_overlap (machine, &packing->boxes[i],
                                     &packing->boxes[j])
                  && !tori_wiring_conflict (machine, &packing->boxes[i],
                                            TORI_WIRE_TORUS,
                                            &packing->boxes[j],
                                            TORI_WIRE_TORUS, &link);
    return packing;
}

/* The most boxes that go together with all those chosen, by trying every
 * set. */
static int most (const struct packing *packing, int chosen[], int n, int from)
{
    int best = n;
    for (int i = from; i < packing->n; i++) {
        bool fits = true;
        int with;
        for (int k = 0; k < n && fits; k++)
            fits = packing->together[chosen[k]][i];
        if (!fits)
            continue;
        chosen[n] = i;
        with = most (packing, chosen, n + 1, i + 1);
        best = with > best ? with : best;
    }
    return best;
}

/* The paper's text says that only two 4x4x4 tori fit into an 8x8x8 torus at
 * once. Four do. A torus takes the 4x4 lines that it crosses in each
 * dimension whole, so two of them may share a line in no dimension: seen
 * along any axis they must lie beside each other, that is, be apart in at
 * least two of the three dimensions. The corners 000, 011, 101 and 110 of the
 * cube are so, pairwise. A fifth finds no lines: each takes 16 of the 64 of a
 * dimension. Two is what is left after a bad start: 000 and 111 together shut
 * out all other corners. */
TEST (packing)
{
    AUTO_MACHINE *machine = make_machine ("torus:8x8x8");
    static const uint32_t origins[] = {5, 8}; /* without wrap and with */
    for (size_t i = 0; i < LENGTH (origins); i++) {
        struct packing *packing = make_packing (machine, origins[i]);
        int chosen[MAX_ORIGINS];
        assert_int_equal (most (packing, chosen, 0, 0), 4);
        free (packing);
    }
}

/* The same on the state itself, corner by corner. */
static int fill_corners (const char *machine, const char *const corners[],
                         int n)
{
    struct world world;
    int held = 0;
    world_create (&world, make_machine (machine));
    for (int i = 0; i < n; i++) {
        try_hold (&world, i, make_box (world.machine, corners[i]),
                  TORI_WIRE_TORUS);
        held += world.parts[i].is;
    }
    naive_expect (world.naive, world.state);
    world_destroy (&world);
    return held;
}

TEST (corners)
{
    static const char *const good[] = {
        "0,0,0/4x4x4", "0,4,4/4x4x4", "4,0,4/4x4x4", "4,4,0/4x4x4",
        "0,0,4/4x4x4", "0,4,0/4x4x4", "4,0,0/4x4x4", "4,4,4/4x4x4",
    };
    static const char *const bad[] = {
        "0,0,0/4x4x4", "4,4,4/4x4x4", "0,4,4/4x4x4", "4,0,4/4x4x4",
        "4,4,0/4x4x4", "0,0,4/4x4x4", "0,4,0/4x4x4", "4,0,0/4x4x4",
    };
    assert_int_equal (fill_corners ("torus:8x8x8", good, 8), 4);
    assert_int_equal (fill_corners ("torus:8x8x8", bad, 8), 2);
    assert_int_equal (fill_corners ("multitorus:8x8x8", good, 8), 8);
}

/* ---- around links that are down ---- */

enum { MOST_LINKS = 20, OUTSIDE_COST = 100 };

/* Every way to join the nodes of a partition in the order of the paper, by
 * paths through links that are up: hop after hop, link after link. */
struct detours {
    uint32_t S, first, n;
    size_t links;
    struct line_link link[MOST_LINKS];
    bool gone[MOST_LINKS]; /* down, or in use */
    uint32_t order[MOST_LINKS];
    size_t hops;
    int best; /* the least cost, or INT_MAX */
};

static void order_of_ring (struct detours *d)
{
    uint32_t k = 0;
    for (uint32_t i = 0; i < d->n; i += 2)
        d->order[k++] = d->first + i;
    for (uint32_t i = d->n; i-- > 0;)
        if (i % 2)
            d->order[k++] = d->first + i;
    d->order[k] = d->order[0];
    d->hops = d->n;
}

static void order_of_mesh (struct detours *d)
{
    for (uint32_t i = 0; i < d->n; i++)
        d->order[i] = d->first + i;
    d->hops = d->n - 1;
}

static int cost_of_link (const struct detours *d, size_t i)
{
    return d->link[i].a < d->first || d->link[i].b > d->first + d->n - 1
               ? OUTSIDE_COST + 1
               : 1;
}

static void walk_detours (struct detours *d, size_t hop, uint32_t at, int cost)
{
    if (cost >= d->best)
        return;
    if (at == d->order[hop + 1] && ++hop == d->hops) {
        d->best = cost;
        return;
    }
    for (size_t i = 0; i < d->links; i++) {
        uint32_t a = d->link[i].a, b = d->link[i].b;
        if (d->gone[i] || (a != at && b != at))
            continue;
        d->gone[i] = true;
        walk_detours (d, hop, a == at ? b : a, cost + cost_of_link (d, i));
        d->gone[i] = false;
    }
}

static struct detours make_detours (uint32_t S, uint32_t first, uint32_t n,
                                    bool ring)
{
    struct detours d = {.S = S, .first = first, .n = n, .best = INT_MAX};
    d.links = naive_line (TORI_MULTITORUS, S, d.link);
    (ring ? order_of_ring : order_of_mesh) (&d);
    return d;
}

static tori_link link_of_line (const tori_machine *machine,
                               const struct line_link *link)
{
    char text[40];
    tori_link found;
    snprintf (text, sizeof text, "%u-%u %c", link->a, link->b, link->kind);
    assert_int_equal (tori_link_parse (machine, text, &found, NULL), 0);
    return found;
}

/* The links that were found are up, cost the least, and are enough. */
static void check_found (const struct section *section, struct detours d)
{
    const tori_machine *machine = tori_state_machine (section->state);
    tori_link links[2 * MOST_LINKS];
    size_t n = 0;
    int cost = 0, least = d.best;
    assert_int_equal (ring_find (section, links, &n, NULL), 1);
    for (size_t i = 0; i < n; i++)
        assert_true (i == 0 || compare_links (&links[i - 1], &links[i]) < 0);
    for (size_t k = 0; k < d.links; k++) {
        tori_link link = link_of_line (machine, &d.link[k]);
        bool has = bsearch (&link, links, n, sizeof link, compare_links);
        assert_false (has && d.gone[k]);
        cost += has ? cost_of_link (&d, k) : 0;
        d.gone[k] = !has;
    }
    assert_int_equal (cost, least);
    d.best = INT_MAX;
    walk_detours (&d, 0, d.order[0], 0);
    assert_int_equal (d.best, least);
}

/* With these links down; returns whether there is a way. */
static bool check_detours (const tori_machine *machine, struct detours d,
                           uint64_t down, bool ring)
{
    AUTO_STATE *state = make_state (machine);
    struct section section = {state, 0, 0, d.first, d.n, ring};
    for (size_t i = 0; i < d.links; i++) {
        tori_link link = link_of_line (machine, &d.link[i]);
        d.gone[i] = down >> i & 1;
        tori_state_set_link_down (state, &link, d.gone[i], NULL);
    }
    walk_detours (&d, 0, d.order[0], 0);
    assert_int_equal (ring_exists (&section), d.best < INT_MAX);
    if (d.best < INT_MAX)
        check_found (&section, d);
    return d.best < INT_MAX;
}

static void each_set_down (const tori_machine *machine, struct detours d,
                           bool ring, struct rng *rng)
{
    bool all = d.links <= 9;
    uint64_t sets = all ? UINT64_C (1) << d.links : 40;
    for (uint64_t i = 0; i < sets; i++) {
        uint64_t down = i;
        if (!all) /* few are down, or some */
            down = rng_below (rng, UINT64_C (1) << d.links)
                   & rng_below (rng, UINT64_C (1) << d.links)
                   & (i % 4 ? rng_below (rng, UINT64_C (1) << d.links)
                            : UINT64_MAX);
        check_detours (machine, d, down, ring);
    }
}

TEST (detours)
{
    struct rng rng = seeded (6);
    for (uint32_t S = 2; S <= 8; S++) {
        char text[40];
        snprintf (text, sizeof text, "multitorus:%u", S);
        AUTO_MACHINE *machine = make_machine (text);
        for (uint32_t first = 0; first + 2 <= S; first++)
            for (uint32_t n = 2; first + n <= S; n++)
                for (int ring = 0; ring < 2; ring++)
                    each_set_down (machine, make_detours (S, first, n, ring),
                                   ring, &rng);
    }
}

/* A line of 8, any partition there, any one link down: 420 cases. The rule
 * wires 303 tori and 336 meshes; with paths around the link it is all. */
TEST (one_link_down)
{
    AUTO_MACHINE *machine = make_machine ("multitorus:8");
    int rule[2] = {0}, wired[2] = {0};
    for (uint32_t first = 0; first + 2 <= 8; first++)
        for (uint32_t n = 2; first + n <= 8; n++)
            for (int ring = 0; ring < 2; ring++) {
                struct detours d = make_detours (8, first, n, ring);
                struct line_link own[LINE_LINKS (8)];
                int links = naive_wire_line (TORI_MULTITORUS, 8, first, n,
                                             wirings[1 + ring], own);
                rule[ring] += (int)d.links - links;
                for (size_t i = 0; i < d.links; i++)
                    wired[ring] += check_detours (machine, d,
                                                  UINT64_C (1) << i, ring);
            }
    assert_int_equal (rule[true], 303);
    assert_int_equal (wired[true], 420);
    assert_int_equal (rule[false], 336);
    assert_int_equal (wired[false], 420);
}
