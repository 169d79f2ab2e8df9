/* Links and states against their definitions: by loops over all nodes and
 * links of small random machines. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "marks.h"

/* ---- links ---- */

/* A line of S switches: S-1 links on a mesh, S on a torus, 2S-1 on a
 * multi-torus; two for two nodes that close a ring, none for one. */
TEST (link_counts)
{
    for (uint32_t S = 1; S <= 40; S++) {
        static const char *const kinds[] = {"mesh", "torus", "multitorus"};
        const uint64_t per_line[] = {S - 1, S == 1 ? 0 : S,
                                     S == 1 ? 0 : S == 2 ? 2 : 2 * S - 1};
        for (size_t k = 0; k < LENGTH (kinds); k++) {
            char text[40];
            snprintf (text, sizeof text, "%s:%ux3mx1t", kinds[k], S);
            AUTO_MACHINE *machine = make_machine (text);
            assert_int_equal (tori_machine_links (machine),
                              3 * per_line[k] + 2 * S);
        }
    }
}

/* The links of the machine are those of the model, each in one slot. */
static void check_link_slots (const struct naive *naive)
{
    const tori_machine *machine = naive->machine;
    bool *seen = make_array (naive->nlinks, sizeof *seen);
    size_t n = 0;
    for (int d = 0; d < tori_machine_ndims (machine); d++)
        for (int layer = TORI_NEAR; layer <= TORI_FAR; layer++)
            for (uint32_t slot = 0; slot < naive->n; slot++) {
                tori_link link = {d, (tori_layer)layer, slot};
                size_t number;
                if (!tori_link_exists (machine, &link))
                    continue;
                number = naive_number (naive, &link);
                assert_false (seen[number]);
                seen[number] = true;
                n++;
            }
    assert_int_equal (n, naive->nlinks);
    assert_int_equal (tori_machine_links (machine), n);
    free (seen);
}

/* Every link is found by the text of its ends, either way round; without a
 * kind the neighbour link, or what else joins the two. */
static void check_link_text (const struct naive *naive, size_t number)
{
    const tori_machine *machine = naive->machine;
    const struct naive_link *is = &naive->links[number];
    char a[TORI_TEXT_MAX], b[TORI_TEXT_MAX], text[3 * TORI_TEXT_MAX];
    bool near = false;
    tori_link link;
    size_t found;
    tori_node_format (machine, is->a, a);
    tori_node_format (machine, is->b, b);
    snprintf (text, sizeof text, "%s-%s %c", a, b, is->kind);
    assert_int_equal (tori_link_parse (machine, text, &link, NULL), 0);
    assert_int_equal (naive_number (naive, &link), number);
    snprintf (text, sizeof text, "%s-%s %c", b, a, is->kind);
    assert_int_equal (tori_link_parse (machine, text, &link, NULL), 0);
    assert_int_equal (naive_number (naive, &link), number);
    snprintf (text, sizeof text, "%s-%s", a, b);
    assert_int_equal (tori_link_parse (machine, text, &link, NULL), 0);
    found = naive_number (naive, &link);
    for (size_t i = 0; i < naive->nlinks; i++)
        near |= naive->links[i].a == is->a && naive->links[i].b == is->b
                && naive->links[i].kind == 'n';
    assert_int_equal (naive->links[found].a, is->a);
    assert_int_equal (naive->links[found].b, is->b);
    assert_int_equal (naive->links[found].kind, near ? 'n' : is->kind);
}

TEST (links)
{
    struct rng rng = seeded (10);
    for (int round = 0; round < 150; round++) {
        AUTO_MACHINE *machine = random_machine (&rng, 5, 200);
        struct naive *naive = naive_create (machine);
        check_link_slots (naive);
        for (int i = 0; i < 50 && naive->nlinks; i++)
            check_link_text (naive, rng_below (&rng, naive->nlinks));
        naive_destroy (naive);
    }
}

TEST (link_two_nodes)
{
    AUTO_MACHINE *torus = make_machine ("torus:2"),
                 *multi = make_machine ("multitorus:2");
    tori_link n, w, s;
    assert_int_equal (tori_link_parse (torus, "0-1 n", &n, NULL), 0);
    assert_int_equal (tori_link_parse (torus, "0-1 w", &w, NULL), 0);
    assert_int_equal (tori_link_parse (torus, "0-1 s", &s, NULL), -1);
    assert_int_not_equal (n.slot, w.slot);
    assert_int_equal (tori_link_parse (multi, "0-1 n", &n, NULL), 0);
    assert_int_equal (tori_link_parse (multi, "0-1 s", &s, NULL), 0);
    assert_int_equal (tori_link_parse (multi, "0-1 w", &w, NULL), -1);
    assert_int_not_equal (n.layer, s.layer);
}

TEST (link_refused)
{
    static const char *const cases[][2] = {
        {"mesh:4x4", "0,0-0,0"},      {"mesh:4x4", "0,0-1,1"},
        {"mesh:4x4", "0,0-0,2"},      {"mesh:4x4", "0,0-0,3"},
        {"mesh:4x4", "0,0-0,1 s"},    {"mesh:4x4", "0,0-0,1 w"},
        {"mesh:4x4", "0,0-0,1 x"},    {"mesh:4x4", "0,0-0,1 nn"},
        {"mesh:4x4", "0,0-0,1 "},     {"mesh:4x4", "0,0-0,1  n"},
        {"mesh:4x4", "0,0-0,1 n "},   {"mesh:4x4", "0,0 n-0,1"},
        {"mesh:4x4", "0,0"},          {"mesh:4x4", "0,0-"},
        {"mesh:4x4", "-0,1"},         {"mesh:4x4", "-"},
        {"mesh:4x4", ""},             {"mesh:4x4", "0,0-0,1-0,2"},
        {"mesh:4x4", "0,0-0,4"},      {"mesh:4x4", "0-1"},
        {"torus:5", "0-2"},           {"torus:5", "0-4 n"},
        {"torus:5", "0-4 s"},         {"multitorus:5", "0-3"},
        {"multitorus:5", "0-4"},      {"multitorus:5", "1-2 s"},
        {"multitorus:5", "0-2 n"},    {"multitorus:5", "0-2 w"},
        {"mesh:1x4", "0,0-1,0"},
    };
    for (size_t i = 0; i < LENGTH (cases); i++) {
        AUTO_MACHINE *machine = make_machine (cases[i][0]);
        tori_error err = {.status = TORI_OK};
        tori_link link = {.dim = 42};
        if (tori_link_parse (machine, cases[i][1], &link, &err) == 0)
            fail_msg ("'%s' is taken for a link of %s", cases[i][1],
                      cases[i][0]);
        assert_int_equal (err.status, TORI_INVALID);
        assert_int_equal (link.dim, 42);
    }
}

/* However long the text is, what is behind a number is not dropped. */
TEST (link_long_text)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4");
    char text[2 * TORI_TEXT_MAX];
    tori_link link;
    memset (text, '0', sizeof text);
    snprintf (text + TORI_TEXT_MAX + 50, 20, "x-1");
    assert_int_equal (tori_link_parse (machine, text, &link, NULL), -1);
    memset (text, '0', sizeof text);
    snprintf (text + TORI_TEXT_MAX + 50, 20, "3-1");
    assert_int_equal (tori_link_parse (machine, text, &link, NULL), -1);
}

/* A link that the machine does not have does not exist in any sense and cannot
 * go down. */
TEST (link_none)
{
    static const tori_link cases[] = {
        {-1, TORI_NEAR, 0}, {-1000, TORI_NEAR, 0}, {2, TORI_NEAR, 0},
        {1000, TORI_FAR, 0}, {0, TORI_NEAR, 20}, {0, TORI_NEAR, UINT32_MAX},
        {0, TORI_NEAR, 15}, {0, TORI_FAR, 0}, {1, TORI_NEAR, 4},
    };
    AUTO_MACHINE *machine = make_machine ("mesh:4x5");
    AUTO_STATE *s = make_state (machine), *fresh = make_state (machine);
    for (size_t i = 0; i < LENGTH (cases); i++) {
        tori_error err = {.status = TORI_OK};
        assert_false (tori_link_exists (machine, &cases[i]));
        assert_int_equal (tori_state_set_link_down (s, &cases[i], true, &err),
                          -1);
        assert_int_equal (err.status, TORI_INVALID);
    }
    assert_true (tori_state_equal (s, fresh));
}

/* ---- states ---- */

/* Busy, down and drained are independent of one another, and a node is free
 * when it is none of them: all eight combinations, reached in any order. */
TEST (node_flags)
{
    AUTO_MACHINE *machine = make_machine ("mesh:3");
    for (int order = 0; order < 6; order++)
        for (int flags = 0; flags < 8; flags++) {
            static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                             {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
            AUTO_STATE *s = make_state (machine);
            bool busy = flags & 1, down = flags & 2, drained = flags & 4;
            for (int i = 0; i < 3; i++) {
                int what = orders[order][i];
                if (what == 0 && busy)
                    state_hold_node (s, 1);
                if (what == 1)
                    tori_state_set_down (s, 1, down, NULL);
                if (what == 2)
                    tori_state_set_drained (s, 1, drained, NULL);
            }
            assert_int_equal (tori_state_node (s, 1),
                              down      ? TORI_NODE_DOWN
                              : drained ? TORI_NODE_DRAINED
                              : busy    ? TORI_NODE_BUSY
                                        : TORI_NODE_FREE);
            assert_int_equal (tori_state_is_free (s, 1), flags == 0);
            assert_int_equal (tori_state_is_busy (s, 1), busy);
            assert_int_equal (tori_state_free_count (s), flags ? 2 : 3);
        }
}

/* A held box, for the random walks below. */
struct held {
    bool is;
    tori_box box;
};

/* Hold a free box or release a held one. */
static void step_held (struct held *held, int owner, struct naive *naive,
                       tori_state *s, struct rng *rng)
{
    if (held->is) {
        state_release_box (s, &held->box);
        naive_release (naive, owner);
        held->is = false;
        return;
    }
    held->box = random_box (rng, naive->machine, 4, true);
    if (!naive_box_free (naive, &held->box))
        return;
    state_hold_box (s, &held->box);
    naive_hold (naive, &held->box, TORI_WIRE_NONE, owner);
    held->is = true;
}

static void walk_state (struct naive *naive, tori_state *s, struct rng *rng,
                        struct held held[], size_t nheld, int steps)
{
    while (steps-- > 0) {
        size_t i = rng_below (rng, nheld);
        if (chance (rng, 30))
            naive_disturb_node (naive, s, rng);
        else if (chance (rng, 20))
            naive_disturb_link (naive, s, rng);
        else
            step_held (&held[i], (int)i, naive, s, rng);
        naive_expect (naive, s);
    }
}

TEST (states)
{
    struct rng rng = seeded (11);
    for (int round = 0; round < 60; round++) {
        AUTO_MACHINE *machine = random_machine (&rng, 4, 120);
        struct naive *naive = naive_create (machine);
        AUTO_STATE *s = make_state (machine), *fresh = make_state (machine);
        struct held held[6] = {0};
        naive_expect (naive, s);
        walk_state (naive, s, &rng, held, LENGTH (held), 60);
        for (size_t i = 0; i < LENGTH (held); i++)
            if (held[i].is)
                step_held (&held[i], (int)i, naive, s, &rng);
        naive_expect (naive, s);
        naive_repair (naive, s);
        assert_true (tori_state_equal (s, fresh));
        naive_destroy (naive);
    }
}

/* The bitmap says of each node what tori_state_is_free says. */
static void expect_free_bits (const tori_state *s)
{
    const uint64_t *bits = tori_state_free_bits (s);
    uint32_t n = tori_machine_nodes (tori_state_machine (s));
    for (uint32_t i = 0; i < (n + 63) / 64 * 64; i++)
        assert_int_equal (bits[i / 64] >> i % 64 & 1,
                          tori_state_is_free (s, i));
}

/* Nodes one by one, too. */
TEST (state_nodes)
{
    AUTO_MACHINE *machine = make_machine ("mesh:9x9");
    struct naive *naive = naive_create (machine);
    AUTO_STATE *s = make_state (machine);
    struct rng rng = seeded (12);
    for (int step = 0; step < 500; step++) {
        uint32_t node = between (&rng, 0, naive->n - 1);
        if (chance (&rng, 40)) {
            naive_disturb_node (naive, s, &rng);
        } else if (naive->nodes[node].owner == NOBODY) {
            naive->nodes[node].owner = 1;
            state_hold_node (s, node);
        } else {
            naive->nodes[node].owner = NOBODY;
            state_release_node (s, node);
        }
        naive_expect (naive, s);
        expect_free_bits (s);
    }
    naive_destroy (naive);
}

/* A copy is equal, is what the original was, and goes its own way; into a
 * state that holds other things it leaves nothing of them. */
TEST (state_copy)
{
    struct rng rng = seeded (13);
    for (int round = 0; round < 100; round++) {
        AUTO_MACHINE *machine = random_machine (&rng, 4, 120);
        struct naive *naive = naive_create (machine),
                     *other = naive_create (machine);
        AUTO_STATE *a = make_state (machine), *b = make_state (machine);
        struct held held[4] = {0}, more[4] = {0};
        walk_state (naive, a, &rng, held, LENGTH (held),
                    (int)between (&rng, 0, 12));
        walk_state (other, b, &rng, more, LENGTH (more),
                    (int)between (&rng, 0, 12));
        assert_int_equal (tori_state_copy (b, a, NULL), 0);
        assert_true (tori_state_equal (a, b) && tori_state_equal (b, a));
        naive_expect (naive, b);
        tori_state_set_down (b, 0, !naive->nodes[0].down, NULL);
        assert_false (tori_state_equal (a, b) || tori_state_equal (b, a));
        naive_expect (naive, a);
        naive_destroy (naive);
        naive_destroy (other);
    }
    tori_state_destroy (NULL);
}

/* A set that was needed once and is empty again is as good as none, whichever
 * of the two states has it. */
TEST (state_equal_empty)
{
    AUTO_MACHINE *machine = make_machine ("torus:4x4");
    AUTO_STATE *a = make_state (machine), *b = make_state (machine);
    tori_link link = {0, TORI_NEAR, 5};
    tori_state_set_drained (a, 3, true, NULL);
    tori_state_set_link_down (a, &link, true, NULL);
    assert_false (tori_state_equal (a, b) || tori_state_equal (b, a));
    tori_state_set_drained (a, 3, false, NULL);
    assert_false (tori_state_equal (a, b) || tori_state_equal (b, a));
    tori_state_set_link_down (a, &link, false, NULL);
    assert_true (tori_state_equal (a, b) && tori_state_equal (b, a));
    assert_ptr_equal (tori_state_machine (a), machine);
}
