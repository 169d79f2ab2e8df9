/* Sums over pairs of nodes against their definition: pair by pair. */
#include "support.h"

#include <stdio.h>

static uint64_t naive_pairwise (const tori_machine *machine,
                                const uint32_t ids[], size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            sum += tori_machine_distance (machine, ids[i], ids[j]);
    return sum;
}

/* Nodes are in ascending order first, then in a random one, which must not
 * matter. */
static void check_nodes (struct rng *rng, const tori_machine *machine,
                         uint32_t ids[], size_t n)
{
    uint64_t expected = naive_pairwise (machine, ids, n), sum;
    assert_int_equal (tori_nodes_pairwise (machine, ids, n, &sum, NULL), 0);
    assert_int_equal (sum, expected);
    for (size_t i = n; i > 1; i--) {
        size_t j = rng_below (rng, i);
        uint32_t id = ids[j];
        ids[j] = ids[i - 1];
        ids[i - 1] = id;
    }
    assert_int_equal (tori_nodes_pairwise (machine, ids, n, &sum, NULL), 0);
    assert_int_equal (sum, expected);
}

TEST (boxes)
{
    struct rng rng = seeded (6);
    for (int round = 0; round < 1000; round++) {
        AUTO_MACHINE *machine = random_machine (&rng, 5, 300);
        tori_box box = random_box (&rng, machine, round % 2 ? 4 : 200, true);
        uint32_t ids[300];
        size_t n = (size_t)tori_shape_volume (&box.shape);
        tori_box_nodes (machine, &box, ids);
        assert_int_equal (tori_box_pairwise (machine, &box),
                          naive_pairwise (machine, ids, n));
        check_nodes (&rng, machine, ids, n);
    }
}

/* Every side of a box on every short line, ring and folded line. */
TEST (sides)
{
    static const char *const kinds[] = {"mesh", "torus", "multitorus"};
    for (size_t k = 0; k < LENGTH (kinds); k++)
        for (uint32_t size = 1; size <= 40; size++) {
            char text[TORI_TEXT_MAX];
            tori_machine *machine;
            uint32_t ids[40];
            snprintf (text, sizeof text, "%s:%u", kinds[k], size);
            machine = make_machine (text);
            for (uint32_t n = 1; n <= size; n++) {
                tori_box box = {.shape = {.ndims = 1, .size = {n}}};
                ids[n - 1] = n - 1;
                assert_int_equal (tori_box_pairwise (machine, &box),
                                  naive_pairwise (machine, ids, n));
            }
            tori_machine_destroy (machine);
        }
}

/* Runs of consecutive nodes and holes between them, long or short. */
static size_t random_runs (struct rng *rng, uint32_t nodes, uint32_t ids[],
                           size_t most)
{
    uint32_t hole = between (rng, 1, nodes), run = between (rng, 1, nodes);
    uint32_t at = between (rng, 0, hole);
    size_t n = 0;
    while (at < nodes && n < most) {
        uint32_t end = at + between (rng, 1, run);
        while (at < end && at < nodes && n < most)
            ids[n++] = at++;
        at += between (rng, 1, hole);
    }
    return n;
}

TEST (runs)
{
    struct rng rng = seeded (7);
    for (size_t round = 0; round < random_cases (6000); round++) {
        int dims = round % 3 ? 1 : 5;
        AUTO_MACHINE *machine = random_machine (&rng, dims, 200);
        uint32_t ids[200];
        size_t n = random_runs (&rng, tori_machine_nodes (machine), ids,
                                LENGTH (ids));
        check_nodes (&rng, machine, ids, n);
    }
}

/* On pods the way between cubes is another. Full cubes, parts, and repeats. */
TEST (pods)
{
    static const char *const pods[] = {"pod:1/4x3", "pod:5/3", "pod:6/2x4x3",
                                       "2*pod:2x2/1x5", "3*pod:3/2x2"};
    struct rng rng = seeded (9);
    for (size_t round = 0; round < random_cases (1500); round++) {
        AUTO_MACHINE *machine = make_machine (pods[round % LENGTH (pods)]);
        uint32_t ids[200];
        size_t n = random_runs (&rng, tori_machine_nodes (machine), ids,
                                LENGTH (ids) / 2);
        for (size_t i = 0; n > 0 && i < 3 && chance (&rng, 30); i++, n++)
            ids[n] = ids[rng_below (&rng, n)];
        check_nodes (&rng, machine, ids, n);
    }
}

static uint64_t sum_of_pod (uint32_t cubes)
{
    char text[TORI_TEXT_MAX];
    tori_machine *machine;
    uint32_t *ids;
    uint64_t sum;
    snprintf (text, sizeof text, "pod:%u/4x4x4", cubes);
    machine = make_machine (text);
    ids = calloc (64 * (size_t)cubes, sizeof *ids);
    assert_non_null (ids);
    for (uint32_t i = 0; i < 64 * cubes; i++)
        ids[i] = i;
    assert_int_equal (tori_nodes_pairwise (machine, ids, 64 * (size_t)cubes,
                                           &sum, NULL),
                      0);
    free (ids);
    tori_machine_destroy (machine);
    return sum;
}

/* All pairs of cubes are alike. */
TEST (whole_pods)
{
    uint64_t in = sum_of_pod (1), across = sum_of_pod (2) - 2 * in;
    assert_int_equal (sum_of_pod (128), 128 * in + 128 * 127 / 2 * across);
}

/* Repeats count as nodes at distance 0. */
TEST (repeats)
{
    struct rng rng = seeded (8);
    for (size_t round = 0; round < random_cases (1500); round++) {
        AUTO_MACHINE *machine = random_machine (&rng, 5, 5000);
        uint32_t ids[40];
        size_t n = rng_below (&rng, LENGTH (ids) + 1);
        for (size_t i = 0; i < n; i++)
            ids[i] = i && chance (&rng, 20)
                         ? ids[rng_below (&rng, i)]
                         : between (&rng, 0,
                                    tori_machine_nodes (machine) - 1);
        check_nodes (&rng, machine, ids, n);
    }
}

/* The sum of i (n - i) for i from 1 to n - 1 is n (n - 1) (n + 1) / 6. */
TEST (large)
{
    static const struct {
        const char *machine;
        uint64_t sum;
    } cases[] = {
        {"mesh:1048576", UINT64_C (192153584100966400)},
        {"mesh:1073741824", UINT64_MAX},
        {"torus:1048576", UINT64_C (144115188075855872)}, /* n^3 / 8 */
        {"mesh:2^10", UINT64_C (512) * 512 * 10},
    };
    for (size_t i = 0; i < LENGTH (cases); i++) {
        AUTO_MACHINE *machine = make_machine (cases[i].machine);
        tori_box box = {.shape = *tori_machine_shape (machine)};
        assert_int_equal (tori_box_pairwise (machine, &box), cases[i].sum);
    }
}

/* Few nodes of a line that is as long as can be: what they are many of counts,
 * not its length. */
TEST (few_of_many)
{
    enum { LONG = 1 << 30 };
    static const struct {
        const char *machine;
        uint32_t ids[5];
        uint64_t sum;
    } cases[] = {
        {"mesh:1073741824", {0, 1, 2, LONG - 2, LONG - 1},
         UINT64_C (6) * LONG - 10},
        {"torus:1073741824", {0, 1, 2, LONG - 2, LONG - 1}, 20},
        {"torus:1x1073741824x1", {0, 1, LONG / 2, LONG / 2 + 1, LONG - 1},
         UINT64_C (3) * LONG},
    };
    for (size_t i = 0; i < LENGTH (cases); i++) {
        AUTO_MACHINE *machine = make_machine (cases[i].machine);
        uint64_t sum;
        assert_int_equal (
            naive_pairwise (machine, cases[i].ids, LENGTH (cases[i].ids)),
            cases[i].sum);
        assert_int_equal (tori_nodes_pairwise (machine, cases[i].ids,
                                               LENGTH (cases[i].ids), &sum,
                                               NULL),
                          0);
        assert_int_equal (sum, cases[i].sum);
    }
}
