#include "naive_gang.h"

#include <stdlib.h>

tori_gang_tree *make_tree (const tori_machine *machine, uint32_t degree,
                           uint32_t leaf)
{
    tori_gang_tree *tree = NULL;
    assert_int_equal (tori_gang_tree_create (machine, degree, leaf, &tree,
                                             NULL),
                      0);
    return tree;
}

uint32_t *random_lengths (struct rng *rng, const tori_gang_tree *tree,
                          uint32_t most)
{
    uint32_t n = tori_gang_tree_nodes (tree);
    uint32_t *lengths = make_array (n, sizeof *lengths);
    unsigned percent = between (rng, 5, 100);
    for (uint32_t i = 0; i < n; i++)
        if (chance (rng, percent))
            lengths[i] = between (rng, 1, most);
    return lengths;
}

static tori_gang_place place_of (const tori_gang_tree *tree, uint32_t node)
{
    tori_gang_place place;
    tori_gang_tree_place (tree, node, &place);
    return place;
}

static uint32_t longest_below (const tori_gang_tree *tree,
                               const uint32_t lengths[], uint32_t node)
{
    tori_gang_place place = place_of (tree, node);
    uint32_t longest = 0;
    for (uint32_t i = 0; i < place.children; i++) {
        uint32_t height = naive_height (tree, lengths, place.first + i);
        if (height > longest)
            longest = height;
    }
    return longest;
}

uint32_t naive_height (const tori_gang_tree *tree, const uint32_t lengths[],
                       uint32_t node)
{
    return lengths[node] + longest_below (tree, lengths, node);
}

struct front {
    const tori_gang_tree *tree;
    const uint32_t *lengths;
    uint32_t *next; /* whose turn it is in each queue */
    tori_gang_cell *cells;
};

static void paint (struct front *front, uint32_t node, size_t slot)
{
    const tori_machine *machine = tori_gang_tree_machine (front->tree);
    uint32_t processors = tori_machine_nodes (machine);
    tori_gang_place place = place_of (front->tree, node);
    for (uint32_t i = 0; i < processors; i++)
        if (tori_box_contains (machine, &place.box, i)) {
            tori_gang_cell *cell = &front->cells[slot * processors + i];
            assert_true (cell->node == TORI_GANG_NONE);
            *cell = (tori_gang_cell){node, front->next[node]};
        }
    front->next[node] = (front->next[node] + 1) % front->lengths[node];
}

/* A node has the slots [begin, end): pass after pass, the last one cut. */
static void move (struct front *front, uint32_t node, size_t begin, size_t end)
{
    tori_gang_place place = place_of (front->tree, node);
    uint32_t own = front->lengths[node];
    uint32_t below = longest_below (front->tree, front->lengths, node);
    if (own + below == 0)
        return;
    while (begin < end) {
        size_t pass = begin + own + below;
        for (uint32_t i = 0; i < own && begin < end; i++)
            paint (front, node, begin++);
        if (pass > end)
            pass = end;
        for (uint32_t i = 0; i < place.children && begin < pass; i++)
            move (front, place.first + i, begin, pass);
        begin = pass;
    }
}

tori_gang_cell *naive_table (const tori_gang_tree *tree,
                             const uint32_t lengths[], size_t slots)
{
    uint32_t processors = tori_machine_nodes (tori_gang_tree_machine (tree));
    struct front front = {
        .tree = tree,
        .lengths = lengths,
        .next = make_array (tori_gang_tree_nodes (tree), sizeof (uint32_t)),
        .cells = make_array (slots * processors, sizeof (tori_gang_cell)),
    };
    for (size_t i = 0; i < slots * processors; i++)
        front.cells[i].node = TORI_GANG_NONE;
    move (&front, 0, 0, slots);
    free (front.next);
    return front.cells;
}
