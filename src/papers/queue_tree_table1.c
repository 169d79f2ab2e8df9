/* Table 1: the movement of the front, as the nodes bring it about. */
#include "queue_tree_study.h"
#include "table.h"

int queue_tree_move_front (struct study *study, tori_error *err)
{
    static const uint32_t lengths[] = {2, 2, 1, 1, 2, 3, 2};
    tori_machine *machine;
    tori_gang_tree *tree;
    int status;
    if (tori_machine_parse ("mesh:4", &machine, err) < 0)
        return -1;
    status = tori_gang_tree_create (machine, 2, 1, &tree, err);
    if (status == 0) {
        status =
            tori_gang_table (tree, lengths, CELLS / 4, study->table1, err);
        tori_gang_tree_destroy (tree);
    }
    tori_machine_destroy (machine);
    return status;
}

/* Slots until every process of the 13 has run. */
static int count_round (const tori_gang_cell cell[CELLS])
{
    enum { PROCESSES = 13 };
    bool ran[8][4] = {{false}};
    int n = 0, i = 0;
    for (; i < CELLS && n < PROCESSES; i++) {
        bool *it = &ran[cell[i].node % 8][cell[i].process % 4];
        n += !*it;
        *it = true;
    }
    return (i + 3) / 4;
}

/* As printed, node and process, slot by slot. */
static const struct {
    uint8_t node, process;
} printed[48] = {
    {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 1}, {0, 1}, {0, 1}, {0, 1},
    {1, 0}, {1, 0}, {2, 0}, {2, 0}, {1, 1}, {1, 1}, {5, 0}, {6, 0},
    {3, 0}, {4, 0}, {5, 1}, {6, 1}, {3, 0}, {4, 1}, {5, 2}, {6, 0},
    {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 1}, {0, 1}, {0, 1}, {0, 1},
    {1, 0}, {1, 0}, {2, 0}, {2, 0}, {1, 1}, {1, 1}, {5, 0}, {6, 1},
    {3, 0}, {4, 0}, {5, 1}, {6, 0}, {3, 0}, {4, 1}, {5, 2}, {6, 1},
};

void queue_tree_count_cells (struct study *study)
{
    const tori_gang_cell *cell = study->table1;
    study->table1_cells = CELLS;
    study->table1_same = 0;
    study->table1_round = count_round (cell);
    for (int i = 0; i < CELLS; i++)
        study->table1_same += cell[i].node == printed[i].node
                              && cell[i].process == printed[i].process;
}

int queue_tree_print_table1 (const struct study *study, FILE *out, bool bold,
                             tori_error *err)
{
    static const struct table_column columns[]
        = {{"slot", TABLE_NUMBER}, {"PE0", TABLE_TEXT}, {"PE1", TABLE_TEXT},
           {"PE2", TABLE_TEXT},    {"PE3", TABLE_TEXT}};
    struct table *table = table_create (columns, COUNT (columns));
    for (int i = 0; i < CELLS; i++) {
        if (i % 4 == 0)
            table_cell (table, "%d", i / 4);
        table_cell (table, "Q%u(%u)", study->table1[i].node,
                    study->table1[i].process);
    }
    fprintf (out, "Table 1, as the nodes bring it about: %d of 48 cells as "
                  "printed\n",
             study->table1_same);
    return table_print (table, out, bold, err);
}
