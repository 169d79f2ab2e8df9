/* table.c - the movement of the front, as the nodes bring it about. */
#include <stdlib.h>
#include <string.h>

#include "tree.h"

static size_t period_of (const tori_gang_tree *tree, const uint32_t lengths[],
                         uint32_t node)
{
    const struct tree_row *row = &tree->rows[node];
    size_t longest = 0;
    for (uint32_t i = 0; i < row->children; i++) {
        size_t period = period_of (tree, lengths, row->first + i);
        if (period > longest)
            longest = period;
    }
    return lengths[node] + longest;
}

size_t tori_gang_period (const tori_gang_tree *tree, const uint32_t lengths[])
{
    return period_of (tree, lengths, 0);
}

struct picture {
    const tori_gang_tree *tree;
    const uint32_t *first; /* task of a node: its queue is consecutive */
    uint32_t *ids;         /* room for all processors */
    tori_gang_cell *cells;
};

static void on_turn (void *arg, const tori_gang_turn *turn)
{
    struct picture *picture = arg;
    const tori_machine *machine = picture->tree->machine;
    tori_gang_cell *row
        = &picture->cells[(size_t)turn->slot * tori_machine_nodes (machine)];
    tori_gang_place place;
    tori_gang_tree_place (picture->tree, turn->node, &place);
    tori_box_nodes (machine, &place.box, picture->ids);
    for (uint32_t i = 0; i < place.size; i++)
        row[picture->ids[i]] = (tori_gang_cell){
            turn->node, turn->task - picture->first[turn->node]};
}

static int fill_queues (tori_gang_world *world, const tori_gang_tree *tree,
                        const uint32_t lengths[], uint32_t first[],
                        tori_error *err)
{
    uint32_t task = 0, n = 0;
    for (uint32_t i = 0; i < tree->n; i++) {
        first[i] = n;
        for (uint32_t j = 0; j < lengths[i]; j++, n++)
            if (tori_gang_world_put (world, i, TORI_GANG_FOREVER, &task, err)
                < 0)
                return -1;
    }
    return 0;
}

int tori_gang_table (const tori_gang_tree *tree, const uint32_t lengths[],
                     size_t slots, tori_gang_cell ret_cells[], tori_error *err)
{
    uint32_t processors = tori_machine_nodes (tree->machine);
    size_t n = slots * processors;
    uint32_t *first = calloc (tree->n, sizeof *first);
    uint32_t *ids = calloc (processors, sizeof *ids);
    tori_gang_cell *cells = calloc (n + 1, sizeof *cells);
    struct picture picture
        = {.tree = tree, .first = first, .ids = ids, .cells = cells};
    tori_gang_config config
        = {.size = sizeof config, .tree = tree, .slot = 1, .on_turn = on_turn, .arg = &picture};
    tori_gang_world *world = NULL;
    int answer = -1;
    if (!first || !ids || !cells) {
        tori_error_nomem (err);
        goto done;
    }
    for (size_t i = 0; i < n; i++)
        cells[i] = (tori_gang_cell){TORI_GANG_NONE, 0};
    if (tori_gang_world_create (&config, &world, err) < 0
        || fill_queues (world, tree, lengths, first, err) < 0
        || tori_gang_world_run (world, (int64_t)slots, err) < 0)
        goto done;
    memcpy (ret_cells, cells, n * sizeof *cells);
    answer = 0;
done:
    tori_gang_world_destroy (world);
    free (first);
    free (ids);
    free (cells);
    return answer;
}
