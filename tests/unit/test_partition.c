/* Open and closed partitions, and who disturbs whom, against all routes of all
 * pairs. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include <tori/partition.h>

enum { DOWN = 1 };

/* ---- routes by the walk ---- */

struct walks {
    const tori_machine *machine;
    tori_routing routing;
    const uint32_t *nodes;
    size_t n;
    bool *inside;
    bool *used; /* by node, dimension and direction */
    bool leaves;
};

static size_t link_of (const tori_machine *machine, uint32_t from, int dim,
                       int step)
{
    return ((size_t)from * (size_t)tori_machine_ndims (machine) + (size_t)dim)
               * 2
           + (step < 0 ? DOWN : 0);
}

static uint32_t neighbour (const tori_machine *machine, uint32_t node, int dim,
                           int step)
{
    uint32_t c[TORI_MAX_DIMS], size = tori_machine_size (machine, dim);
    tori_machine_coords (machine, node, c);
    c[dim] = (c[dim] + size + (uint32_t)step) % size;
    return tori_machine_id (machine, c);
}

static void walk_in_order (struct walks *walks, uint32_t a, uint32_t b)
{
    for (uint32_t at = a; at != b;) {
        int dim, step;
        uint32_t next =
            tori_route_next (walks->machine, a, at, b, &dim, &step);
        walks->used[link_of (walks->machine, at, dim, step)] = true;
        at = next;
        if (!walks->inside[at])
            walks->leaves = true;
    }
}

/* The step of a pair in each dimension, as seen on its way. */
static void steps_of (const tori_machine *machine, uint32_t a, uint32_t b,
                      int steps[])
{
    memset (steps, 0, TORI_MAX_DIMS * sizeof *steps);
    for (uint32_t at = a; at != b;) {
        int dim, step;
        at = tori_route_next (machine, a, at, b, &dim, &step);
        steps[dim] = step;
    }
}

static void walk_any (struct walks *walks, uint32_t at, uint32_t b,
                      const int steps[], bool *seen)
{
    uint32_t c[TORI_MAX_DIMS], t[TORI_MAX_DIMS];
    if (seen[at])
        return;
    seen[at] = true;
    if (!walks->inside[at])
        walks->leaves = true;
    tori_machine_coords (walks->machine, at, c);
    tori_machine_coords (walks->machine, b, t);
    for (int d = 0; d < tori_machine_ndims (walks->machine); d++)
        if (c[d] != t[d]) {
            walks->used[link_of (walks->machine, at, d, steps[d])] = true;
            walk_any (walks, neighbour (walks->machine, at, d, steps[d]), b,
                      steps, seen);
        }
}

static void walk_pair (struct walks *walks, uint32_t a, uint32_t b)
{
    int steps[TORI_MAX_DIMS];
    bool *seen;
    if (walks->routing == TORI_DIMENSION_ORDER) {
        walk_in_order (walks, a, b);
        return;
    }
    seen = make_array (tori_machine_nodes (walks->machine), sizeof *seen);
    steps_of (walks->machine, a, b, steps);
    walk_any (walks, a, b, steps, seen);
    free (seen);
}

static void walk_all (struct walks *walks, const tori_machine *machine,
                      tori_routing routing, const uint32_t *nodes, size_t n)
{
    uint32_t all = tori_machine_nodes (machine);
    *walks = (struct walks){machine, routing, nodes, n, NULL, NULL, false};
    walks->inside = make_array (all, sizeof *walks->inside);
    walks->used = make_array (link_of (machine, all, 0, 1),
                              sizeof *walks->used);
    for (size_t i = 0; i < n; i++)
        walks->inside[nodes[i]] = true;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            walk_pair (walks, nodes[i], nodes[j]);
}

static void walks_clear (struct walks *walks)
{
    free (walks->inside);
    free (walks->used);
}

/* ---- random partitions ---- */

struct some {
    tori_box box;
    uint32_t *nodes;
    tori_partition part;
};

/* All nodes of a box, or but for some, or any: lists that are nearly closed
 * are the ones to get wrong. */
static void some_list (struct rng *rng, const tori_machine *machine,
                       struct some *some)
{
    size_t n = 0, all = (size_t)tori_shape_volume (&some->box.shape);
    unsigned keep = (unsigned[]){100, 90, 50}[rng_below (rng, 3)];
    if (chance (rng, 30)) {
        all = tori_machine_nodes (machine);
        some->nodes = realloc (some->nodes, all * sizeof *some->nodes);
        assert_non_null (some->nodes);
        for (size_t i = 0; i < all; i++)
            some->nodes[i] = (uint32_t)i;
        keep = between (rng, 1, 60);
    }
    for (size_t i = 0; i < all; i++)
        if (chance (rng, keep))
            some->nodes[n++] = some->nodes[i];
    some->part = (tori_partition){.nodes = some->nodes, .n = n};
}

static void make_some (struct rng *rng, const tori_machine *machine,
                       struct some *some)
{
    some->box = random_box (rng, machine, 64, true);
    some->part = (tori_partition){
        .n = (size_t)tori_shape_volume (&some->box.shape)};
    some->nodes = make_array (some->part.n, sizeof *some->nodes);
    tori_box_nodes (machine, &some->box, some->nodes);
    if (chance (rng, 50))
        some_list (rng, machine, some);
    else
        some->part.box = &some->box;
}

static size_t count_of (const struct some *some)
{
    return some->part.box ? (size_t)tori_shape_volume (&some->box.shape)
                          : some->part.n;
}

/* ---- tests ---- */

static void check_escape (const struct walks *walks, const tori_escape *escape)
{
    uint32_t at = escape->src;
    int dim, step;
    assert_true (walks->inside[escape->src] && walks->inside[escape->dst]);
    while (walks->inside[at]) {
        assert_true (at != escape->dst);
        at = tori_route_next (walks->machine, escape->src, at, escape->dst,
                              &dim, &step);
    }
    assert_int_equal (at, escape->outside);
}

TEST (closed_as_walked)
{
    struct rng rng = seeded (1);
    size_t closed_ones = 0, open_ones = 0;
    for (int round = 0; round < 3000; round++) {
        AUTO_MACHINE *machine = random_machine (&rng, 4, 48);
        tori_routing routing = chance (&rng, 50) ? TORI_ADAPTIVE
                                                 : TORI_DIMENSION_ORDER;
        struct some some;
        struct walks walks;
        tori_escape escape;
        bool closed;
        make_some (&rng, machine, &some);
        walk_all (&walks, machine, routing, some.nodes, count_of (&some));
        assert_int_equal (tori_partition_closed (machine, &some.part, &closed,
                                                 &escape, NULL),
                          0);
        assert_int_equal (closed, !walks.leaves);
        if (!closed)
            check_escape (&walks, &escape);
        closed_ones += closed;
        open_ones += !closed;
        walks_clear (&walks);
        free (some.nodes);
    }
    assert_true (closed_ones > 300 && open_ones > 300);
}

/* The pair's route has the link. */
static void check_pair (const struct walks *walks,
                        const tori_disturbance *found, int k)
{
    uint32_t pair[2] = {found->src[k], found->dst[k]};
    struct walks one;
    assert_true (walks->inside[pair[0]] && walks->inside[pair[1]]);
    walk_all (&one, walks->machine, walks->routing, pair, 0);
    walk_pair (&one, pair[0], pair[1]);
    assert_true (one.used[link_of (walks->machine, found->from, found->dim,
                                   found->step)]);
    walks_clear (&one);
}

/* The first common link, or the number of links. */
static size_t first_common (const struct walks *a, const struct walks *b)
{
    size_t n = link_of (a->machine, tori_machine_nodes (a->machine), 0, 1);
    size_t i = 0;
    while (i < n && !(a->used[i] && b->used[i]))
        i++;
    return i;
}

enum { PARTS = 4 };

static size_t check_all (const tori_machine *machine, tori_routing routing,
                         const struct some some[])
{
    size_t links = link_of (machine, tori_machine_nodes (machine), 0, 1);
    struct walks walks[PARTS];
    tori_partition parts[PARTS];
    tori_disturbance *list;
    size_t n, at = 0;
    for (int i = 0; i < PARTS; i++) {
        parts[i] = some[i].part;
        walk_all (&walks[i], machine, routing, some[i].nodes,
                  count_of (&some[i]));
    }
    assert_int_equal (tori_partition_disturb (machine, routing, parts, PARTS,
                                              &list, &n, NULL),
                      0);
    for (size_t i = 0; i < PARTS; i++)
        for (size_t j = i + 1; j < PARTS; j++) {
            size_t link = first_common (&walks[i], &walks[j]);
            if (link == links)
                continue;
            assert_true (at < n);
            assert_int_equal (list[at].part[0], i);
            assert_int_equal (list[at].part[1], j);
            assert_int_equal (link_of (machine, list[at].from, list[at].dim,
                                       list[at].step),
                              link);
            assert_int_equal (neighbour (machine, list[at].from, list[at].dim,
                                         list[at].step),
                              list[at].to);
            check_pair (&walks[i], &list[at], 0);
            check_pair (&walks[j], &list[at], 1);
            at++;
        }
    assert_int_equal (at, n);
    for (int i = 0; i < PARTS; i++)
        walks_clear (&walks[i]);
    free (list);
    return n;
}

TEST (disturb_as_walked)
{
    struct rng rng = seeded (2);
    size_t found = 0;
    for (int round = 0; round < 800; round++) {
        AUTO_MACHINE *machine = random_machine (&rng, 4, 40);
        struct some some[PARTS];
        for (int i = 0; i < PARTS; i++)
            make_some (&rng, machine, &some[i]);
        found += check_all (machine, TORI_DIMENSION_ORDER, some);
        found += check_all (machine, TORI_ADAPTIVE, some);
        for (int i = 0; i < PARTS; i++)
            free (some[i].nodes);
    }
    assert_true (found > 800);
}

/* Sides of a ring, one by one: S of S, up to half of it, and the two kinds
 * of half and one more. */
TEST (sides_of_a_ring)
{
    static const struct {
        const char *machine, *box;
        bool closed;
    } cases[] = {
        {"mesh:8", "0/7", true},       {"torus:8", "6/4", true},
        {"torus:8", "2/5", false},     {"torus:8", "1/5", false},
        {"torus:8", "0/6", false},     {"torus:8", "0/8", true},
        {"torus:6", "2/4", true},      {"torus:6", "1/4", false},
        {"torus:2x6", "0,2/2x4", false}, {"torus:7", "5/4", true},
        {"torus:7", "5/5", false},     {"multitorus:8", "0/7", true},
        {"torus:2x2", "0,0/2x2", true},
    };
    for (size_t i = 0; i < LENGTH (cases); i++) {
        AUTO_MACHINE *machine = make_machine (cases[i].machine);
        tori_box box = make_box (machine, cases[i].box);
        tori_partition part = {.box = &box};
        bool closed;
        assert_int_equal (
            tori_partition_closed (machine, &part, &closed, NULL, NULL), 0);
        assert_int_equal (closed, cases[i].closed);
    }
}

/* Figure 6 of Hori et al.: a partition in the shape of an L is left by X-Y
 * routing through the one in its corner, which is closed. */
TEST (figure_6)
{
    static const uint32_t ell[] = {0, 1, 2, 3, 4, 8, 12};
    AUTO_MACHINE *machine = make_machine ("mesh:4x4");
    tori_box corner = make_box (machine, "1,1/3x3");
    tori_partition parts[] = {{.nodes = ell, .n = LENGTH (ell)},
                              {.box = &corner}};
    tori_disturbance *list;
    tori_escape escape;
    bool closed;
    size_t n;
    assert_int_equal (
        tori_partition_closed (machine, &parts[0], &closed, &escape, NULL), 0);
    assert_false (closed);
    assert_true (tori_box_contains (machine, &corner, escape.outside));
    assert_int_equal (
        tori_partition_closed (machine, &parts[1], &closed, NULL, NULL), 0);
    assert_true (closed);
    assert_int_equal (tori_partition_disturb (machine, TORI_DIMENSION_ORDER,
                                              parts, 2, &list, &n, NULL),
                      0);
    assert_int_equal (n, 1);
    free (list);
}

/* Boxes of a large machine: in no time, and what is closed shares nothing. */
TEST (large_boxes)
{
    AUTO_MACHINE *machine = make_machine ("torus:128x128x64");
    tori_box boxes[] = {make_box (machine, "100,0,0/64x128x16"),
                        make_box (machine, "0,0,16/100x64x16"),
                        make_box (machine, "110,0,16/10x64x16")};
    tori_partition parts[] = {
        {.box = &boxes[0]}, {.box = &boxes[1]}, {.box = &boxes[2]}};
    tori_disturbance *list;
    size_t n;
    assert_int_equal (tori_partition_disturb (machine, TORI_ADAPTIVE, parts, 3,
                                              &list, &n, NULL),
                      0);
    assert_int_equal (n, 1);
    assert_int_equal (list[0].part[0], 1);
    assert_int_equal (list[0].part[1], 2);
    free (list);
}

TEST (bad_nodes)
{
    static const uint32_t nodes[] = {0, 16};
    AUTO_MACHINE *machine = make_machine ("mesh:4x4");
    tori_partition part = {.nodes = nodes, .n = 2};
    tori_disturbance *list;
    tori_error err;
    size_t n;
    bool closed;
    assert_int_equal (
        tori_partition_closed (machine, &part, &closed, NULL, &err), -1);
    assert_int_equal (err.status, TORI_INVALID);
    assert_int_equal (tori_partition_disturb (machine, TORI_DIMENSION_ORDER,
                                              &part, 1, &list, &n, &err),
                      -1);
    assert_int_equal (err.status, TORI_INVALID);
}
