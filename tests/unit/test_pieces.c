/* A placement of several boxes is in everything what its boxes are one by one:
 * against the naive model of a state, at random. */
#include "alloc_world.h"

#include <stdlib.h>
#include <string.h>

#include "placement.h"

enum { MOST = 4, OWNER = 1000 };

struct pieces {
    tori_box box[MOST];
    size_t n;
    tori_wiring wiring;
    tori_placement place;
};

static struct pieces random_pieces (struct rng *rng,
                                    const tori_machine *machine)
{
    struct pieces pieces = {.n = between (rng, 1, MOST),
                            .wiring = random_wiring (rng)};
    for (size_t i = 0; i < pieces.n; i++)
        pieces.box[i] = random_box (rng, machine, 3, true);
    assert_int_equal (tori_placement_of_boxes (pieces.box, pieces.n,
                                               pieces.wiring, &pieces.place,
                                               NULL),
                      0);
    return pieces;
}

/* How often the boxes need each node and each link. */
static void count_needs (const struct naive *naive,
                         const struct pieces *pieces, int nodes[], int links[],
                         bool *ret_wirable)
{
    *ret_wirable = true;
    for (size_t i = 0; i < pieces->n; i++) {
        const tori_box *box = &pieces->box[i];
        int n = naive_links (naive, box, pieces->wiring, naive->scratch);
        for (uint32_t node = 0; node < naive->n; node++)
            nodes[node] += naive_contains (naive->machine, box, node);
        for (int k = 0; k < n; k++)
            links[naive->scratch[k]]++;
        *ret_wirable &= n >= 0;
    }
}

/* ---- what it is made of ---- */

static void check_nodes (const struct naive *naive,
                         const struct pieces *pieces, const int needs[])
{
    const tori_placement *place = &pieces->place;
    uint32_t *ids = make_array (place->count, sizeof *ids), n = 0;
    uint64_t sum, expected = 0;
    bool apart = true;
    tori_placement_nodes (place, naive->machine, ids);
    for (uint32_t node = 0; node < naive->n; node++) {
        assert_int_equal (
            tori_placement_contains (place, naive->machine, node),
            needs[node] > 0);
        apart &= needs[node] <= 1;
        for (int k = 0; k < needs[node]; k++)
            assert_int_equal (ids[n++], node);
    }
    assert_int_equal (n, place->count);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < i; j++)
            expected += tori_machine_distance (naive->machine, ids[i], ids[j]);
    assert_int_equal (
        tori_placement_pairwise (place, naive->machine, &sum, NULL), 0);
    assert_true (!apart || sum == expected);
    free (ids);
}

static void check_boxes (const struct pieces *pieces)
{
    for (size_t i = 0; i < pieces->n; i++)
        expect_same_box (tori_placement_box (&pieces->place, i),
                         &pieces->box[i]);
    assert_null (tori_placement_box (&pieces->place, pieces->n));
    assert_null (tori_placement_box (&pieces->place, SIZE_MAX));
}

static void check_links (const struct naive *naive,
                         const struct pieces *pieces, const int needs[])
{
    for (int d = 0; d < tori_machine_ndims (naive->machine); d++)
        for (uint32_t i = 0; i < 2 * naive->n; i++) {
            tori_link link = {d, i % 2 ? TORI_FAR : TORI_NEAR, i / 2};
            if (tori_link_exists (naive->machine, &link))
                assert_int_equal (tori_placement_uses_link (
                                      &pieces->place, naive->machine, &link),
                                  needs[naive_number (naive, &link)] > 0);
        }
}

/* ---- in a state ---- */

/* TORI_OK, or why it cannot be held. */
static tori_status may_hold (const struct naive *naive, const int nodes[],
                             const int links[])
{
    for (uint32_t i = 0; i < naive->n; i++)
        if (nodes[i] > 1)
            return TORI_INVALID;
    for (size_t i = 0; i < naive->nlinks; i++)
        if (links[i] > 1)
            return TORI_INVALID;
    for (uint32_t i = 0; i < naive->n; i++)
        if (nodes[i] && !naive_is_free (naive, i))
            return TORI_NOT_NOW;
    for (size_t i = 0; i < naive->nlinks; i++)
        if (links[i]
            && (naive->links[i].owner != NOBODY || naive->links[i].down))
            return TORI_NOT_NOW;
    return TORI_OK;
}

static void check_held (struct world *world, const struct pieces *pieces,
                        const tori_state *before)
{
    uint32_t count = pieces->place.count;
    tori_placement copy;
    for (size_t i = 0; i < pieces->n; i++)
        naive_hold (world->naive, &pieces->box[i], pieces->wiring, OWNER);
    naive_expect (world->naive, world->state);
    assert_false (placement_free (&pieces->place, world->state));
    assert_true (placement_links_up (&pieces->place, world->state));
    assert_int_equal (placement_returning (&pieces->place, world->state),
                      count);
    assert_int_equal (tori_placement_copy (&copy, &pieces->place, NULL), 0);
    tori_placement_release (&copy, world->state);
    tori_placement_release (&copy, world->state);
    tori_placement_clear (&copy);
    naive_release (world->naive, OWNER);
    assert_true (tori_state_equal (world->state, before));
}

/* Blocked and free again, which asks for nothing. */
static void check_blocked (struct world *world, const struct pieces *pieces,
                           const tori_state *before)
{
    assert_true (placement_free (&pieces->place, world->state));
    assert_int_equal (placement_block (&pieces->place, world->state, NULL), 0);
    assert_false (placement_free (&pieces->place, world->state));
    placement_unblock (&pieces->place, world->state);
    assert_true (tori_state_equal (world->state, before));
}

/* Whether it was held. */
static bool check (struct world *world, struct pieces *pieces)
{
    struct naive *naive = world->naive;
    int *nodes = make_array (naive->n, sizeof *nodes);
    int *links = make_array (naive->nlinks, sizeof *links);
    AUTO_STATE *before = make_state (world->machine);
    tori_error err = {.status = TORI_OK};
    tori_status expected;
    bool wirable;
    tori_state_copy (before, world->state, NULL);
    count_needs (naive, pieces, nodes, links, &wirable);
    check_boxes (pieces);
    check_nodes (naive, pieces, nodes);
    if (wirable)
        check_links (naive, pieces, links);
    expected = may_hold (naive, nodes, links);
    if (tori_placement_hold (&pieces->place, world->state, &err) < 0) {
        assert_true (!wirable || err.status == expected);
        assert_true (tori_state_equal (world->state, before));
    } else {
        assert_true (wirable && expected == TORI_OK);
        check_held (world, pieces, before);
        check_blocked (world, pieces, before);
    }
    free (nodes);
    free (links);
    return err.status == TORI_OK;
}

/* Two placements meet where two of their boxes do. */
static void check_overlap (const tori_machine *machine, const struct pieces *a,
                           const struct pieces *b)
{
    bool any = false;
    for (size_t i = 0; i < a->n; i++)
        for (size_t j = 0; j < b->n; j++) {
            tori_placement x = placement_of_box (&a->box[i], a->wiring);
            tori_placement y = placement_of_box (&b->box[j], b->wiring);
            any |= placement_overlap (&x, &y, machine);
        }
    assert_int_equal (placement_overlap (&a->place, &b->place, machine), any);
}

TEST (random)
{
    size_t held[MOST + 1] = {0};
    struct rng rng = seeded (31);
    for (size_t round = 0; round < random_cases (400); round++) {
        struct world world;
        world_create (&world, random_machine (&rng, 3, 150));
        if (chance (&rng, 50))
            world_fill (&world, &rng);
        for (int i = 0; i < 10; i++) {
            struct pieces pieces = random_pieces (&rng, world.machine);
            struct pieces other = random_pieces (&rng, world.machine);
            held[pieces.n] += check (&world, &pieces);
            check_overlap (world.machine, &pieces, &other);
            tori_placement_clear (&pieces.place);
            tori_placement_clear (&other.place);
        }
        world_destroy (&world);
    }
    for (size_t n = 1; n <= MOST; n++)
        assert_true (held[n] > 0);
}

/* Placements that were put together by hand, and wrong. */
TEST (wrong)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4x4");
    AUTO_STATE *state = make_state (machine);
    tori_box boxes[] = {make_box (machine, "0,0/2x2"),
                        make_box (machine, "2,2/2x2")};
    tori_placement place = {0}, wrong;
    tori_error err;
    assert_int_equal (
        tori_placement_of_boxes (boxes, 0, TORI_WIRE_NONE, &place, &err), -1);
    assert_int_equal (err.status, TORI_INVALID);
    assert_int_equal (
        tori_placement_of_boxes (boxes, 2, TORI_WIRE_NONE, &place, &err), 0);
    for (int i = 0; i < 3; i++) {
        wrong = place;
        wrong.count += i == 0;
        wrong.nboxes = i == 1 ? 3 : 2;
        wrong.pieces = i == 2 ? NULL : place.pieces;
        assert_int_equal (tori_placement_hold (&wrong, state, &err), -1);
        assert_int_equal (err.status, TORI_INVALID);
        tori_placement_release (&wrong, state);
    }
    assert_int_equal (tori_placement_hold (&place, state, &err), 0);
    tori_placement_clear (&place);
    assert_int_equal (place.nboxes, 0);
}

/* Each of several segments begins by itself, and no switch joins them. */
TEST (not_joined)
{
    AUTO_MACHINE *machine = make_machine ("pod:4/4x4x4");
    tori_box boxes[] = {make_box (machine, "0,0,0,0/1x4x4x4"),
                        make_box (machine, "2,1,0,2/1x2x2x2")};
    tori_placement place;
    tori_shape shape;
    assert_int_equal (
        tori_placement_of_boxes (boxes, 2, TORI_WIRE_MESH, &place, NULL), 0);
    assert_false (tori_placement_shape (&place, machine, &shape));
    for (size_t i = 0; i < 2; i++) {
        uint32_t at[TORI_MAX_DIMS] = {7, 7, 7, 7};
        tori_placement_begin (&place, machine, i, at);
        for (int d = 0; d < 3; d++)
            assert_int_equal (at[d], 0);
        assert_int_equal (at[3], 7);
    }
    tori_placement_clear (&place);
}

/* A list of nodes: sorted, and each a node of the machine, once. */
TEST (of_nodes)
{
    static const uint32_t given[] = {9, 2, 15, 3}, sorted[] = {2, 3, 9, 15};
    static const uint32_t wrong[][2] = {{5, 5}, {4, 16}};
    AUTO_MACHINE *machine = make_machine ("mesh:4x4");
    AUTO_STATE *state = make_state (machine);
    tori_placement place = {.count = 7};
    tori_error err;
    for (size_t i = 0; i < LENGTH (wrong); i++) {
        assert_int_equal (
            tori_placement_of_nodes (machine, wrong[i], 2, &place, &err), -1);
        assert_int_equal (err.status, TORI_INVALID);
        assert_int_equal (place.count, 7);
    }
    assert_int_equal (
        tori_placement_of_nodes (machine, given, 0, &place, &err), -1);
    assert_int_equal (
        tori_placement_of_nodes (machine, given, 4, &place, &err), 0);
    assert_int_equal (place.count, 4);
    assert_memory_equal (place.nodes, sorted, sizeof sorted);
    assert_int_equal (tori_placement_hold (&place, state, &err), 0);
    assert_int_equal (tori_state_free_count (state), 12);
    tori_placement_clear (&place);
}
