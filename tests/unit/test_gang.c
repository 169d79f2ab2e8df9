/* The queue tree: Table 1 of Hori et al., 1995, to the letter; the movement of
 * the front against its definition; and a node on its own. */
#include "naive_gang.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- the tree ---- */

TEST (partitions_nest)
{
    struct rng rng = seeded (1);
    for (int round = 0; round < 60; round++) {
        AUTO_MACHINE *machine = random_machine (&rng, 3, 300);
        uint32_t leaf = chance (&rng, 50) ? 1 : between (&rng, 2, 9);
        uint32_t degree = between (&rng, 2, 9);
        tori_gang_tree *tree = make_tree (machine, degree, leaf);
        uint32_t next = 1;
        for (uint32_t i = 0; i < tori_gang_tree_nodes (tree); i++) {
            tori_gang_place place, below;
            uint32_t sum = 0;
            tori_gang_tree_place (tree, i, &place);
            assert_int_equal (place.children == 0, place.size <= leaf);
            assert_true (place.children <= degree);
            assert_int_equal (tori_shape_volume (&place.box.shape),
                              place.size);
            if (place.children == 0)
                continue;
            assert_int_equal (place.first, next);
            next += place.children;
            for (uint32_t j = 0; j < place.children; j++) {
                tori_gang_tree_place (tree, place.first + j, &below);
                assert_int_equal (below.parent, i);
                assert_int_equal (below.level, place.level + 1);
                sum += below.size;
                for (uint32_t k = 0; k < j; k++) {
                    tori_gang_place other;
                    tori_gang_tree_place (tree, place.first + k, &other);
                    assert_false (tori_box_overlap (machine, &other.box,
                                                    &below.box));
                }
            }
            assert_int_equal (sum, place.size);
        }
        assert_int_equal (next, tori_gang_tree_nodes (tree));
        tori_gang_tree_destroy (tree);
    }
}

static void expect_parts (const char *machine_text, uint32_t degree,
                          const char *expected)
{
    AUTO_MACHINE *machine = make_machine (machine_text);
    tori_gang_tree *tree = make_tree (machine, degree, 1);
    tori_gang_place root, place;
    char all[256] = "", text[TORI_TEXT_MAX];
    size_t n = 0;
    tori_gang_tree_place (tree, 0, &root);
    for (uint32_t i = 0; i < root.children; i++) {
        tori_gang_tree_place (tree, root.first + i, &place);
        tori_box_format (&place.box, text);
        n += (size_t)snprintf (all + n, sizeof all - n, "%s%s", i ? " " : "",
                               text);
    }
    assert_string_equal (all, expected);
    tori_gang_tree_destroy (tree);
}

TEST (the_longest_side_is_cut)
{
    expect_parts ("mesh:4x8", 2, "0,0/4x4 0,4/4x4");
    expect_parts ("mesh:4x4", 2, "0,0/2x4 2,0/2x4");
    expect_parts ("mesh:5x3", 2, "0,0/3x3 3,0/2x3");
    expect_parts ("mesh:4x4", 4, "0,0/2x2 0,2/2x2 2,0/2x2 2,2/2x2");
    expect_parts ("mesh:7x2", 3, "0,0/3x2 3,0/2x2 5,0/2x2");
    expect_parts ("mesh:2", 5, "0/1 1/1");
}

/* ---- the front ---- */

static const uint32_t table1_lengths[] = {2, 2, 1, 1, 2, 3, 2};

/* Hori et al., 1995, Table 1. */
static const char *const table1[12][4] = {
    {"Q0(0)", "Q0(0)", "Q0(0)", "Q0(0)"},
    {"Q0(1)", "Q0(1)", "Q0(1)", "Q0(1)"},
    {"Q1(0)", "Q1(0)", "Q2(0)", "Q2(0)"},
    {"Q1(1)", "Q1(1)", "Q5(0)", "Q6(0)"},
    {"Q3(0)", "Q4(0)", "Q5(1)", "Q6(1)"},
    {"Q3(0)", "Q4(1)", "Q5(2)", "Q6(0)"},
    {"Q0(0)", "Q0(0)", "Q0(0)", "Q0(0)"},
    {"Q0(1)", "Q0(1)", "Q0(1)", "Q0(1)"},
    {"Q1(0)", "Q1(0)", "Q2(0)", "Q2(0)"},
    {"Q1(1)", "Q1(1)", "Q5(0)", "Q6(1)"},
    {"Q3(0)", "Q4(0)", "Q5(1)", "Q6(0)"},
    {"Q3(0)", "Q4(1)", "Q5(2)", "Q6(1)"},
};

TEST (table_1)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4");
    tori_gang_tree *tree = make_tree (machine, 2, 1);
    tori_gang_cell cells[48];
    assert_int_equal (tori_gang_tree_nodes (tree), LENGTH (table1_lengths));
    assert_int_equal (
        tori_gang_table (tree, table1_lengths, 12, cells, NULL), 0);
    for (int i = 0; i < 48; i++) {
        char name[32];
        snprintf (name, sizeof name, "Q%u(%u)", cells[i].node,
                  cells[i].process);
        assert_string_equal (name, table1[i / 4][i % 4]);
    }
    tori_gang_tree_destroy (tree);
}

struct front {
    tori_machine *machine;
    tori_gang_tree *tree;
    uint32_t *lengths;
    uint32_t processors;
    size_t slots;
    tori_gang_cell *cells;
};

static void front_open (struct front *front, struct rng *rng)
{
    front->machine = random_machine (rng, 3, 40);
    front->processors = tori_machine_nodes (front->machine);
    front->tree = make_tree (front->machine, between (rng, 2, 5),
                             chance (rng, 70) ? 1 : between (rng, 2, 4));
    front->lengths = random_lengths (rng, front->tree, between (rng, 1, 5));
    front->slots = between (rng, 1, 120);
    front->cells = make_array (front->slots * front->processors,
                               sizeof *front->cells);
    assert_int_equal (tori_gang_table (front->tree, front->lengths,
                                       front->slots, front->cells, NULL),
                      0);
}

static void front_close (struct front *front)
{
    free (front->cells);
    free (front->lengths);
    tori_gang_tree_destroy (front->tree);
    tori_machine_destroy (front->machine);
}

TEST (the_front_moves_by_its_definition)
{
    struct rng rng = seeded (2);
    for (int round = 0; round < 400; round++) {
        struct front front;
        tori_gang_cell *naive;
        front_open (&front, &rng);
        naive = naive_table (front.tree, front.lengths, front.slots);
        for (size_t i = 0; i < front.slots * front.processors; i++) {
            assert_int_equal (front.cells[i].node, naive[i].node);
            if (naive[i].node != TORI_GANG_NONE)
                assert_int_equal (front.cells[i].process, naive[i].process);
        }
        free (naive);
        front_close (&front);
    }
}

/* Whether each process is in the slots [begin, begin + period). */
static void expect_everybody (const struct front *front, size_t begin,
                              size_t period)
{
    for (uint32_t node = 0; node < tori_gang_tree_nodes (front->tree); node++)
        for (uint32_t j = 0; j < front->lengths[node]; j++) {
            bool seen = false;
            for (size_t i = begin * front->processors;
                 !seen && i < (begin + period) * front->processors; i++)
                seen = front->cells[i].node == node
                       && front->cells[i].process == j;
            assert_true (seen);
        }
}

/* Also that a process that runs has its partition whole: no processor of it
 * runs another. */
TEST (everybody_runs_in_a_period)
{
    struct rng rng = seeded (3);
    for (int round = 0; round < 150; round++) {
        struct front front;
        size_t period;
        front_open (&front, &rng);
        period = naive_height (front.tree, front.lengths, 0);
        assert_int_equal (tori_gang_period (front.tree, front.lengths),
                          period);
        for (size_t begin = 0; period && begin + period <= front.slots;
             begin += period)
            expect_everybody (&front, begin, period);
        for (size_t i = 0; i < front.slots * front.processors; i++) {
            const tori_gang_cell *cell = &front.cells[i];
            size_t same = 0, row = i / front.processors * front.processors;
            tori_gang_place place;
            if (cell->node == TORI_GANG_NONE)
                continue;
            tori_gang_tree_place (front.tree, cell->node, &place);
            for (size_t j = row; j < row + front.processors; j++)
                same += front.cells[j].node == cell->node
                        && front.cells[j].process == cell->process;
            assert_int_equal (same, place.size);
        }
        front_close (&front);
    }
}

/* ---- a node on its own ---- */

TEST (bad_messages)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4");
    tori_gang_tree *tree = make_tree (machine, 2, 1);
    tori_gang_outbox out = {0};
    tori_gang_node *node = NULL;
    tori_error err;
    tori_gang_message message = {.kind = TORI_GANG_ADD_TASK, .to = 1};
    assert_int_equal (tori_gang_node_create (tree, 0, "best", &node, &err),
                      -1);
    assert_int_equal (err.status, TORI_INVALID);
    assert_null (node);
    assert_int_equal (tori_gang_node_create (tree, 0, "lowest", &node, &err),
                      0);
    assert_int_equal (tori_gang_node_handle (node, 0, &message, &out, &err),
                      -1);
    assert_int_equal (err.status, TORI_INVALID);
    message = (tori_gang_message){.kind = TORI_GANG_RUN};
    assert_int_equal (tori_gang_node_handle (node, 0, &message, &out, &err),
                      -1);
    message = (tori_gang_message){.kind = TORI_GANG_LOAD, .from = 5};
    assert_int_equal (tori_gang_node_handle (node, 0, &message, &out, &err),
                      -1);
    message = (tori_gang_message){.kind = TORI_GANG_ADD_TASK,
                                  .need = {.count = 5}};
    assert_int_equal (tori_gang_node_handle (node, 0, &message, &out, &err),
                      -1);
    assert_int_equal (err.status, TORI_NEVER);
    assert_int_equal (out.n, 0);
    /* who is not there cannot leave; who is there comes once */
    message = (tori_gang_message){.kind = TORI_GANG_DONE, .task = 3};
    assert_int_equal (tori_gang_node_handle (node, 0, &message, &out, &err),
                      0);
    message.kind = TORI_GANG_RESUME;
    for (int i = 0; i < 2; i++)
        assert_int_equal (
            tori_gang_node_handle (node, 0, &message, &out, &err), 0);
    assert_int_equal (tori_gang_node_length (node), 1);
    assert_int_equal (tori_gang_node_task (node, 0), 3);
    assert_int_equal (tori_gang_node_load (node), 4);
    assert_int_equal (out.n, 0);
    tori_gang_outbox_clear (&out);
    tori_gang_node_destroy (node);
    tori_gang_tree_destroy (tree);
}

/* Turns by definition: in every pass, each process as often as it has shares.
 * One that leaves takes all of its turns with it. */
TEST (shares_are_turns_in_a_pass)
{
    enum { TASKS = 4, SLOTS = 600 };
    const uint32_t shares[TASKS + 1] = {0, 0, 3, 1, 2}; /* the first is 1 */
    AUTO_MACHINE *machine = make_machine ("mesh:4");
    tori_gang_tree *tree = make_tree (machine, 2, 1);
    tori_gang_message message = {.kind = TORI_GANG_ACTIVATE,
                                 .from = TORI_GANG_HOST,
                                 .end = TORI_GANG_FOREVER};
    tori_gang_outbox out = {0};
    tori_gang_node *node;
    uint32_t ran[TASKS + 1] = {0}, pass = 7;
    assert_int_equal (tori_gang_node_create (tree, 0, "lowest", &node, NULL),
                      0);
    assert_int_equal (tori_gang_node_handle (node, 0, &message, &out, NULL),
                      0);
    for (uint32_t i = 1; i <= TASKS; i++) {
        message = (tori_gang_message){.kind = TORI_GANG_ADD_TASK,
                                      .from = TORI_GANG_HOST,
                                      .task = i,
                                      .shares = shares[i],
                                      .need = {.count = 4}};
        assert_int_equal (
            tori_gang_node_handle (node, 0, &message, &out, NULL), 0);
    }
    assert_int_equal (tori_gang_node_height (node), pass);
    assert_int_equal (tori_gang_node_load (node), 4 * pass);
    for (int64_t slot = 1; slot <= SLOTS; slot++) {
        out.n = 0;
        message = (tori_gang_message){.kind = TORI_GANG_WAKE, .slot = slot};
        assert_int_equal (
            tori_gang_node_handle (node, slot, &message, &out, NULL), 0);
        ran[out.item[0].task]++;
        if (slot == SLOTS / 2) { /* asleep for no time, and awake again */
            message = (tori_gang_message){.kind = TORI_GANG_SUSPEND,
                                          .from = TORI_GANG_HOST,
                                          .task = 2};
            tori_gang_node_handle (node, slot, &message, &out, NULL);
            assert_int_equal (tori_gang_node_length (node), pass - shares[2]);
            message.kind = TORI_GANG_RESUME;
            message.shares = shares[2];
            tori_gang_node_handle (node, slot, &message, &out, NULL);
            assert_int_equal (tori_gang_node_length (node), pass);
        }
    }
    for (uint32_t i = 1; i <= TASKS; i++) {
        uint32_t due = SLOTS / pass * (shares[i] ? shares[i] : 1);
        assert_uint_in_range (ran[i], due - 4, due + 4);
    }
    message.shares = TORI_GANG_MAX_SHARES + 1;
    assert_int_equal (tori_gang_node_handle (node, SLOTS, &message, &out,
                                             NULL),
                      -1);
    tori_gang_outbox_clear (&out);
    tori_gang_node_destroy (node);
    tori_gang_tree_destroy (tree);
}

static size_t count_kind (const tori_gang_outbox *out, tori_gang_kind kind)
{
    size_t n = 0;
    for (size_t i = 0; i < out->n; i++)
        n += out->item[i].kind == kind;
    return n;
}

/* A node that has said that it is empty has given its slots back: an
 * activation that was sent before that was heard is void. */
TEST (slots_given_back_are_gone)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4");
    tori_gang_tree *tree = make_tree (machine, 2, 1);
    static const struct {
        tori_gang_message message;
        size_t runs, loads;
    } rows[] = {
        {{.kind = TORI_GANG_RESUME, .task = 1}, 0, 1},
        {{.kind = TORI_GANG_ACTIVATE, .end = 10, .seen = 1}, 1, 0},
        {{.kind = TORI_GANG_DONE, .task = 1}, 0, 1},
        {{.kind = TORI_GANG_RESUME, .task = 2}, 0, 1},
        {{.kind = TORI_GANG_ACTIVATE, .end = 10, .seen = 1}, 0, 0},
        {{.kind = TORI_GANG_ACTIVATE, .end = 10, .seen = 3}, 1, 0},
        {{.kind = TORI_GANG_RESUME, .task = 3}, 0, 1},
        {{.kind = TORI_GANG_SUSPEND, .task = 2}, 1, 1}, /* 3 takes over */
    };
    tori_gang_outbox out = {0};
    tori_gang_node *node = NULL;
    assert_int_equal (tori_gang_node_create (tree, 1, "lightest", &node,
                                             NULL),
                      0);
    for (size_t i = 0; i < LENGTH (rows); i++) {
        tori_gang_message message = rows[i].message;
        message.to = 1;
        out.n = 0;
        assert_int_equal (
            tori_gang_node_handle (node, 5, &message, &out, NULL), 0);
        assert_int_equal (count_kind (&out, TORI_GANG_RUN), rows[i].runs);
        assert_int_equal (count_kind (&out, TORI_GANG_LOAD), rows[i].loads);
    }
    tori_gang_outbox_clear (&out);
    tori_gang_node_destroy (node);
    tori_gang_tree_destroy (tree);
}

/* The branch to which the root sends a process of `count`, its own number if
 * it keeps it. */
static uint32_t sent_to (tori_gang_node *root, uint64_t task, uint32_t count)
{
    tori_gang_outbox out = {0};
    tori_gang_message message = {.kind = TORI_GANG_ADD_TASK,
                                 .from = TORI_GANG_HOST,
                                 .task = task,
                                 .need = {.count = count}};
    uint32_t to = TORI_GANG_NONE;
    assert_int_equal (tori_gang_node_handle (root, 0, &message, &out, NULL),
                      0);
    for (size_t i = 0; i < out.n; i++)
        if (out.item[i].kind == TORI_GANG_ADD_TASK)
            to = out.item[i].to;
        else if (out.item[i].kind == TORI_GANG_PLACED)
            to = out.item[i].from;
    tori_gang_outbox_clear (&out);
    return to;
}

TEST (a_limited_subnode_takes_no_more)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4");
    tori_gang_tree *tree = make_tree (machine, 2, 1);
    tori_gang_node *root;
    assert_int_equal (tori_gang_node_create (tree, 0, "lightest", &root, NULL),
                      0);
    tori_gang_node_limit (root, 0, 1);
    assert_int_equal (sent_to (root, 1, 2), 2);
    assert_int_equal (sent_to (root, 2, 2), 2);
    assert_int_equal (sent_to (root, 3, 1), 1);
    tori_gang_node_limit (root, 1, 0);
    for (uint64_t task = 4; task < 9; task++)
        assert_int_equal (sent_to (root, task, 1), 1);
    assert_int_equal (sent_to (root, 9, 2), 0);
    tori_gang_node_destroy (root);
    tori_gang_tree_destroy (tree);
}
