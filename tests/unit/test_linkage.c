/* Lines whose links were given one by one, against every walk. */
#include "support.h"

#include <stdio.h>
#include <string.h>

#include "grid.h"
#include "naive_line.h"
#include "placement.h"
#include "taking.h"

/* Lines of the papers and others, for every property below. */
static const char *const lines[] = {
    "links:1",
    "links:2+0-1",
    "links:2+0-1+0-1",
    "links:8+0-2+2-4+4-6+6-7+7-5+5-3+3-1+1-0", /* Figure 3 */
    "mesh:8+0-7",
    "torus:2+0-1",
    "torus:4+0-1+2-3+2-3",
    "torus:8+0-1+4-5+2-7+2-7+3-6+3-6", /* BlueGene/L, the X lines */
    "torus:6+0-2+2-4+4-0",
    "multitorus:7+0-6",
    "mesh:6+0-5+0-3+2-5+0-1",
    "links:6+0-1+1-2+2-0+3-4+4-5+5-3",
    "links:6+0-1+1-2+2-0+2-3+3-4+4-5+5-3",
};

static struct naive_line naive_of (const tori_machine *machine)
{
    const struct linkage *line = machine->line[0];
    struct naive_line naive = {.size = line->size};
    for (uint32_t i = 0; i < 2 * line->size; i++) {
        tori_link link = {0, (tori_layer)(i / line->size), i % line->size};
        uint32_t *ends = naive.ends[naive.links];
        if (tori_link_ends (machine, &link, &ends[0], &ends[1]))
            naive.links++;
    }
    assert_int_equal (naive.links, tori_machine_links (machine));
    return naive;
}

/* The bit of every link of the naive line. */
static void find_bits (const struct linkage *line, uint32_t bits[])
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < 2 * line->size; i++)
        if (line->links >> i & 1)
            bits[n++] = UINT32_C (1) << i;
}

static int cost_of (const struct linkage *line, uint32_t links, uint32_t nodes)
{
    int cost = 0;
    for (uint32_t i = 0; i < 2 * line->size; i++)
        if (links >> i & 1) {
            uint32_t ends = UINT32_C (1) << line->ends[i][0]
                            | UINT32_C (1) << line->ends[i][1];
            cost += ends & ~nodes ? NAIVE_LINE_OUTSIDE + 1 : 1;
        }
    return cost;
}

/* The ring is the cheapest there is, and the order of its nodes is one in
 * which its links lead around. */
static void check_ring (const struct linkage *line, const struct naive_line *naive,
                        const uint32_t bits[], uint32_t nodes, uint32_t busy)
{
    uint32_t ring = linkage_ring (line, nodes, busy), order[LINKAGE_NODES];
    uint8_t found[LINKAGE_NODES];
    struct naive_line own = *naive;
    int least = naive_line_ring (naive, nodes);
    assert_int_equal (linkage_has_ring (line, nodes, busy), least >= 0);
    assert_int_equal (ring ? cost_of (line, ring, nodes) : -1, least);
    if (!ring)
        return;
    assert_int_equal (ring & busy, 0);
    assert_int_equal (linkage_order (line, ring, nodes, found),
                      __builtin_popcount (nodes));
    for (int i = 0; i < __builtin_popcount (nodes); i++)
        order[i] = found[i];
    for (uint32_t i = 0; i < naive->links; i++)
        own.busy[i] = !(ring & bits[i]);
    assert_true (naive_line_in_order (&own, order,
                                      (uint32_t)__builtin_popcount (nodes)));
}

static void check_line (const char *text, struct rng *rng, int rounds)
{
    AUTO_MACHINE *machine = make_machine (text);
    const struct linkage *line = machine->line[0];
    struct naive_line naive = naive_of (machine);
    uint32_t bits[NAIVE_LINE_LINKS];
    find_bits (line, bits);
    for (int round = 0; round < rounds; round++) {
        uint32_t busy = 0;
        for (uint32_t i = 0; i < naive.links; i++) {
            naive.busy[i] = round > 0 && chance (rng, 25);
            busy |= naive.busy[i] ? bits[i] : 0;
        }
        for (uint32_t nodes = 3; nodes < UINT32_C (1) << line->size; nodes++)
            if (__builtin_popcount (nodes) > 1)
                check_ring (line, &naive, bits, nodes, busy);
    }
}

/* Every set of nodes, adjacent or not. */
TEST (rings)
{
    struct rng rng = seeded (1);
    for (size_t i = 0; i < LENGTH (lines); i++)
        check_line (lines[i], &rng, 3);
}

static void random_line (struct rng *rng, char text[], size_t room)
{
    static const char *const kinds[] = {"links", "mesh", "torus"};
    uint32_t size = between (rng, 2, 6), links = between (rng, 0, size);
    int at = snprintf (text, room, "%s:%u", kinds[rng_below (rng, 3)], size);
    for (uint32_t i = 0; i < links; i++) {
        uint32_t a = between (rng, 0, size - 2);
        uint32_t b = between (rng, a + 1, size - 1);
        if (i % 3 == 0) /* never more than three between two nodes */
            at += snprintf (text + at, room - (size_t)at, "+%u-%u", a, b);
    }
    snprintf (text + at, room - (size_t)at, "%s", links ? "" : "+0-1");
}

TEST (random_rings)
{
    struct rng rng = seeded (2);
    for (int i = 0; i < 60; i++) {
        char text[TORI_TEXT_MAX];
        random_line (&rng, text, sizeof text);
        check_line (text, &rng, 2);
    }
}

/* ---- partitions that come and go ---- */

enum { PARTS = 4 };

struct town {
    tori_machine *machine;
    tori_state *state;
    tori_placement place[PARTS];
    bool is[PARTS];
    uint32_t nodes[PARTS];
};

static void note_busy (const struct town *town, struct naive_line *naive)
{
    const struct linkage *line = town->machine->line[0];
    uint32_t n = 0;
    for (uint32_t i = 0; i < 2 * line->size; i++) {
        tori_link link = {0, (tori_layer)(i / line->size), i % line->size};
        if (tori_link_exists (town->machine, &link))
            naive->busy[n++] = tori_state_link_taken (town->state, &link);
    }
}

static bool joint_rings (const struct town *town)
{
    struct naive_line naive = naive_of (town->machine);
    uint32_t sets[PARTS];
    int n = 0;
    for (int i = 0; i < PARTS; i++)
        if (town->is[i] && __builtin_popcount (town->nodes[i]) > 1)
            sets[n++] = town->nodes[i];
    return naive_line_rings (&naive, sets, n);
}

/* A free interval gets links if and only if a walk over free ones exists. */
static void try_interval (struct town *town, int i, struct rng *rng)
{
    uint32_t S = tori_machine_size (town->machine, 0);
    uint32_t n = between (rng, 1, S < 4 ? S : 4), first = between (rng, 0, S - n);
    tori_box box = {.origin = {first}, .shape = {.ndims = 1, .size = {n}}};
    struct naive_line naive = naive_of (town->machine);
    bool can;
    for (uint32_t k = 0; k < n; k++)
        if (!tori_state_is_free (town->state, first + k))
            return;
    note_busy (town, &naive);
    can = n == 1 || naive_line_ring (&naive, linkage_interval (first, n)) >= 0;
    assert_int_equal (tori_wiring_free (town->state, &box, TORI_WIRE_TORUS),
                      can);
    assert_int_equal (tori_placement_of_boxes (&box, 1, TORI_WIRE_TORUS,
                                               &town->place[i], NULL),
                      0);
    if (!can) {
        tori_error err = {.status = TORI_OK};
        assert_true (tori_placement_wire (&town->place[i], town->state, &err) < 0
                     || tori_placement_hold (&town->place[i], town->state, &err)
                            < 0);
        tori_placement_clear (&town->place[i]);
        return;
    }
    assert_int_equal (
        tori_placement_wire (&town->place[i], town->state, NULL), 0);
    assert_int_equal (
        tori_placement_hold (&town->place[i], town->state, NULL), 0);
    town->is[i] = true;
    town->nodes[i] = linkage_interval (first, n);
    assert_true (joint_rings (town));
}

static void play_line (const char *text, struct rng *rng)
{
    struct town town = {.machine = make_machine (text)};
    AUTO_STATE *fresh = make_state (town.machine);
    town.state = make_state (town.machine);
    for (int step = 0; step < 60; step++) {
        int i = (int)rng_below (rng, PARTS);
        if (!town.is[i]) {
            try_interval (&town, i, rng);
            continue;
        }
        tori_placement_release (&town.place[i], town.state);
        tori_placement_clear (&town.place[i]);
        town.is[i] = false;
    }
    for (int i = 0; i < PARTS; i++)
        if (town.is[i]) {
            tori_placement_release (&town.place[i], town.state);
            tori_placement_clear (&town.place[i]);
        }
    assert_true (tori_state_equal (town.state, fresh));
    tori_state_destroy (town.state);
    tori_machine_destroy (town.machine);
}

TEST (partitions)
{
    struct rng rng = seeded (3);
    for (size_t i = 0; i < LENGTH (lines); i++)
        play_line (lines[i], &rng);
}

/* ---- links by name, and machines by text ---- */

TEST (names)
{
    for (size_t i = 0; i < LENGTH (lines); i++) {
        tori_machine *machine = make_machine (lines[i]), *again;
        char text[TORI_TEXT_MAX], name[TORI_LINK_TEXT];
        tori_machine_format (machine, text);
        again = make_machine (text);
        assert_int_equal (tori_machine_links (again),
                          tori_machine_links (machine));
        for (uint32_t k = 0; k < 2 * machine->nodes; k++) {
            tori_link link = {0, k % 2 ? TORI_FAR : TORI_NEAR, k / 2}, found;
            if (!tori_link_exists (machine, &link))
                continue;
            tori_link_format (machine, &link, name);
            assert_int_equal (tori_link_parse (again, name, &found, NULL), 0);
            assert_int_equal (compare_links (&link, &found), 0);
        }
        tori_machine_destroy (machine);
        tori_machine_destroy (again);
    }
}

TEST (texts)
{
    static const char *const same[] = {
        "torus:8+0-1+4-5+2-7+2-7+3-6+3-6x4x4",
        "mesh:4x4t+0-2",
        "links:4+0-1+1-2x3u",
        "multitorus-left:4x4k+0-1+1-2",
    };
    static const char *const bad[] = {
        "torus:8+",        "torus:8+0",      "torus:8+0-",
        "torus:8+0-8",     "torus:8+3-3",    "torus:17+0-1",
        "torus:4+0-1+0-1+0-1+0-1",           "multitorus:4+0-1+0-1",
        "pod:4/4x4+0-1",   "torus:8+0-1u",
        "torus:3+0-1+0-1+0-2+1-2",
    };
    tori_machine *machine;
    char text[TORI_TEXT_MAX];
    for (size_t i = 0; i < LENGTH (same); i++) {
        machine = make_machine (same[i]);
        tori_machine_format (machine, text);
        assert_string_equal (text, same[i]);
        tori_machine_destroy (machine);
    }
    for (size_t i = 0; i < LENGTH (bad); i++) {
        tori_error err = {.status = TORI_OK};
        assert_int_equal (tori_machine_parse (bad[i], &machine, &err), -1);
        assert_int_equal (err.status, TORI_INVALID);
    }
    machine = make_machine ("mesh:3^2+0-2");
    tori_machine_format (machine, text);
    assert_string_equal (text, "mesh:3+0-2x3+0-2");
    tori_machine_destroy (machine);
}
