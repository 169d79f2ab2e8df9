/* The largest free box against its definition: every shape at every origin,
 * node by node. */
#include <string.h>

#include "support.h"

/* Within the machine, and in a pod within a cube. A range that goes all the
 * way round begins at 0. */
static bool may_be (const tori_machine *machine, const tori_box *box,
                    bool wrap)
{
    for (int d = 0; d < box->shape.ndims; d++) {
        uint32_t size = tori_machine_size (machine, d);
        uint32_t side = box->shape.size[d], end = box->origin[d] + side;
        if (d < tori_machine_apart (machine) && side > 1)
            return false;
        if (end > size
            && (!wrap || !tori_machine_wraps (machine, d) || side == size))
            return false;
    }
    return true;
}

static bool all_free (const tori_state *state, const tori_box *box)
{
    const tori_machine *machine = tori_state_machine (state);
    for (uint32_t i = 0; i < tori_machine_nodes (machine); i++)
        if (naive_contains (machine, box, i) && !tori_state_is_free (state, i))
            return false;
    return true;
}

/* Shapes and origins count up, so the first of equals is kept. */
static bool naive_largest (const tori_state *state, bool wrap,
                           tori_box *ret_box)
{
    const tori_machine *machine = tori_state_machine (state);
    const uint32_t *sizes = tori_machine_shape (machine)->size;
    int ndims = tori_machine_ndims (machine);
    uint32_t sides[TORI_MAX_DIMS] = {0};
    uint64_t most = 0;
    do {
        tori_box box = {.shape.ndims = ndims};
        for (int d = 0; d < ndims; d++)
            box.shape.size[d] = sides[d] + 1;
        if (tori_shape_volume (&box.shape) <= most)
            continue;
        do
            if (may_be (machine, &box, wrap) && all_free (state, &box)) {
                most = tori_shape_volume (&box.shape);
                *ret_box = box;
                break;
            }
        while (count_up (box.origin, sizes, ndims));
    } while (count_up (sides, sizes, ndims));
    return most > 0;
}

static void check (const tori_state *state, bool wrap)
{
    tori_box found, expected;
    bool some = naive_largest (state, wrap, &expected);
    assert_int_equal (
        tori_state_largest_box (state, wrap, &found, NULL), some);
    if (some)
        expect_same_box (&found, &expected);
}

static void take_some (tori_state *state, struct rng *rng)
{
    uint32_t n = tori_machine_nodes (tori_state_machine (state));
    unsigned percent = between (rng, 0, 3) * 15;
    for (uint32_t i = 0; i < n; i++)
        if (chance (rng, percent))
            assert_int_equal (tori_state_set_down (state, i, true, NULL), 0);
}

static void check_random (tori_machine *machine, struct rng *rng)
{
    AUTO_STATE *state = make_state (machine);
    take_some (state, rng);
    check (state, false);
    check (state, true);
    tori_machine_destroy (machine);
}

TEST (random)
{
    struct rng rng = seeded (41);
    for (size_t i = 0; i < random_cases (334); i++)
        check_random (random_machine (&rng, 5, 100), &rng);
}

TEST (pods)
{
    struct rng rng = seeded (42);
    for (size_t i = 0; i < random_cases (67); i++) {
        check_random (make_machine ("pod:4/2x3x4"), &rng);
        check_random (make_machine ("pod:3/4x4"), &rng);
    }
}

TEST (full)
{
    AUTO_MACHINE *machine = make_machine ("torus:4x4");
    AUTO_STATE *state = make_state (machine);
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal (tori_state_set_down (state, i, true, NULL), 0);
    check (state, false);
}

/* Too many boxes to look at all of them: the answer is none, in a moment. */
TEST (given_up)
{
    AUTO_MACHINE *machine = make_machine ("mesh:2^24");
    AUTO_STATE *state = make_state (machine);
    tori_box box;
    for (uint32_t i = 0; i < tori_machine_nodes (machine); i += 3)
        assert_int_equal (tori_state_set_down (state, i, true, NULL), 0);
    assert_int_equal (tori_state_largest_box (state, false, &box, NULL),
                      0);
}
