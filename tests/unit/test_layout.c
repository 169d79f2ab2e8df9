/* Piped programs are in disjoint partitions of the tree, as small as can be,
 * within the partition of their job. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "layout.h"
#include "random.h"

static tori_gang_tree *make_tree (const char *text, uint32_t degree,
                                  tori_machine **ret_machine)
{
    tori_gang_tree *tree;
    assert_int_equal (tori_machine_parse (text, ret_machine, NULL), 0);
    assert_int_equal (
        tori_gang_tree_create (*ret_machine, degree, 1, &tree, NULL), 0);
    return tree;
}

static struct spec *make_spec (const char *line)
{
    struct spec *spec;
    assert_int_equal (spec_parse_line (line, &spec, NULL), 0);
    return spec;
}

static void expect_box (const tori_gang_tree *tree, uint32_t node,
                        const char *expected)
{
    tori_gang_place place;
    char text[TORI_TEXT_MAX];
    tori_gang_tree_place (tree, node, &place);
    tori_box_format (&place.box, text);
    assert_string_equal (text, expected);
}

/* The root's partition, asked for or not. */
TEST (known_layouts)
{
    static const struct {
        const char *machine, *line;
        uint32_t need;
        const char *box[4];
    } rows[] = {
        {"mesh:8", "-n 4 a | -n 2 b", 6, {"0/4", "4/2"}},
        {"mesh:8", "a | -n 4 b | -n 2 c", 7, {"6/1", "0/4", "4/2"}},
        {"mesh:8", "a | b | c | d", 4, {"0/1", "1/1", "2/1", "3/1"}},
        {"mesh:8", "-n 3 a | b", 5, {"0/4", "4/1"}},
        {"mesh:4", "-n 3 a | b", 4, {"0/4", "0/4"}}, /* none: the job's own */
        {"mesh:4", "-n 3 a", 3, {"0/4"}},
        {"mesh:4x4", "-n 4 a | -n 8 b", 12, {"2,0/2x2", "0,0/2x4"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        tori_machine *machine;
        tori_gang_tree *tree = make_tree (rows[i].machine, 2, &machine);
        struct spec *spec = make_spec (rows[i].line);
        uint32_t most = tori_machine_nodes (machine);
        struct layout layout;
        assert_int_equal (layout_need (tree, spec, most, NULL), rows[i].need);
        assert_int_equal (layout_make (tree, spec, 0, &layout, NULL), 0);
        for (size_t j = 0; j < spec->stages; j++)
            expect_box (tree, layout.node[j], rows[i].box[j]);
        layout_clear (&layout);
        spec_destroy (spec);
        tori_gang_tree_destroy (tree);
        tori_machine_destroy (machine);
    }
}

static void check_stage (const tori_gang_tree *tree, const struct spec *spec,
                         const struct layout *layout, size_t stage,
                         unsigned char *owner)
{
    const tori_machine *machine = tori_gang_tree_machine (tree);
    uint32_t count = spec->stage[stage].count;
    const uint32_t *mine = layout->processor + spec_first (spec, stage);
    tori_gang_place place, below;
    uint32_t *all;
    tori_gang_tree_place (tree, layout->node[stage], &place);
    assert_true (place.size >= count);
    for (uint32_t i = 0; i < place.children; i++) {
        tori_gang_tree_place (tree, place.first + i, &below);
        assert_true (below.size < count); /* else it had been smaller */
    }
    all = calloc (place.size, sizeof *all);
    assert_non_null (all);
    tori_box_nodes (machine, &place.box, all);
    for (uint32_t i = 0; i < place.size; i++) {
        assert_int_equal (owner[all[i]], 1); /* of the job, nobody's yet */
        owner[all[i]] = 2;
    }
    assert_memory_equal (mine, all, count * sizeof *all);
    free (all);
}

static void check_node (const tori_gang_tree *tree, const struct spec *spec,
                        uint32_t node)
{
    const tori_machine *machine = tori_gang_tree_machine (tree);
    unsigned char *owner = calloc (tori_machine_nodes (machine), 1);
    struct layout layout;
    tori_gang_place place;
    uint32_t *all;
    tori_gang_tree_place (tree, node, &place);
    all = calloc (place.size, sizeof *all);
    assert_non_null (owner);
    assert_non_null (all);
    tori_box_nodes (machine, &place.box, all);
    for (uint32_t i = 0; i < place.size; i++)
        owner[all[i]] = 1;
    assert_int_equal (layout_make (tree, spec, node, &layout, NULL), 0);
    assert_int_equal (layout.disjoint, spec->stages > 1);
    if (layout.disjoint)
        for (size_t i = 0; i < spec->stages; i++)
            check_stage (tree, spec, &layout, i, owner);
    layout_clear (&layout);
    free (owner);
    free (all);
}

/* Every partition that is as large as was asked for has a part for each. */
TEST (parts_are_disjoint_partitions)
{
    static const char *const machines[]
        = {"mesh:8", "mesh:13", "torus:4x4", "mesh:5x3", "mesh:2x3x4"};
    struct rng r;
    rng_seed (&r, 7, 0);
    for (int round = 0; round < 300; round++) {
        tori_machine *machine;
        tori_gang_tree *tree
            = make_tree (machines[rng_below (&r, 5)],
                         (uint32_t)(2 + rng_below (&r, 3)), &machine);
        uint32_t most = tori_machine_nodes (machine), need;
        char line[64] = "-n1 a";
        struct spec *spec;
        for (uint64_t n = rng_below (&r, 4); n > 0; n--) {
            size_t at = strlen (line);
            snprintf (line + at, sizeof line - at, " | -n %u b",
                      (unsigned)(1 + rng_below (&r, 4)));
        }
        spec = make_spec (line);
        need = layout_need (tree, spec, UINT32_MAX, NULL);
        assert_true (need >= spec_count (spec));
        assert_int_equal (layout_need (tree, spec, need - 1, NULL),
                          need > 1 ? spec_count (spec) : 1);
        for (uint32_t i = 0; i < tori_gang_tree_nodes (tree); i++) {
            tori_gang_place place;
            tori_gang_tree_place (tree, i, &place);
            if (place.size >= need && need <= most)
                check_node (tree, spec, i);
        }
        spec_destroy (spec);
        tori_gang_tree_destroy (tree);
        tori_machine_destroy (machine);
    }
}
