/* tori gang table - which job runs where, slot by slot, while no job arrives
 * or ends. */
#include <stdlib.h>
#include <string.h>

#include <tori/gang.h>

#include "asked.h"
#include "commands.h"
#include "fieldrows.h"
#include "number.h"
#include "machine_options.h"
#include "table.h"
#include "terminal.h"

struct values {
    struct machine_options site;
    int64_t levels;
    int64_t degree;
    const char *queues;
    int64_t slots;
    bool json;
};

#define AT(member) offsetof (struct values, member)

static const struct option options[] = {
    {"levels", OPTION_INTEGER, AT (levels), "N", .min = 1, .max = 17,
     .help = "a full tree of N levels over a line of processors"},
    SITE_MESH_OR_TORUS_IF (struct values),
    {"degree", OPTION_INTEGER, AT (degree), "N", .min = 2,
     .max = TORI_GANG_MAX_DEGREE, .fallback = "2",
     .help = "how many parts a partition is split into"},
    {"queues", OPTION_STRING, AT (queues), "NODE:LENGTH,...", .required = true,
     .help = "how many processes each node has (0 if not named); nodes are "
             "numbered level by level from the root, 0"},
    {"slots", OPTION_INTEGER, AT (slots), "N", .min = 1, .max = 1000000,
     .help = "how many slots to show; one period if not given"},
    OPTION_ROW_JSON (struct values),
    {.name = NULL},
};

enum {
    MAX_LENGTH = 1000000,
    MAX_PROCESSORS = 1 << 16,
    MAX_CELLS = 10000000
};

struct front {
    tori_machine *machine;
    tori_gang_tree *tree;
    uint32_t *lengths; /* by node */
    bool *named;       /* by node: --queues names it */
    uint32_t processors;
    size_t slots, period;
    tori_gang_cell *cells;
};

/* ---- the request ---- */

static int open_line (const struct values *v, tori_machine **ret_machine,
                      tori_error *err)
{
    char text[TORI_TEXT_MAX];
    uint64_t processors = 1;
    for (int64_t i = 1; i < v->levels; i++) {
        processors *= (uint64_t)v->degree;
        if (processors > MAX_PROCESSORS)
            break;
    }
    snprintf (text, sizeof text, "mesh:%llu", (unsigned long long)processors);
    return tori_machine_parse (text, ret_machine, err);
}

static int open_tree (const struct values *v, struct front *front,
                      tori_error *err)
{
    if (!v->levels == !v->site.machine)
        return tori_error_set (err, TORI_INVALID, "%s",
                               v->levels
                                   ? "--levels and --machine exclude each "
                                     "other"
                                   : "one of --levels and --machine is "
                                     "needed");
    if (v->levels ? open_line (v, &front->machine, err) < 0
                  : tori_machine_parse (v->site.machine, &front->machine, err)
                        < 0)
        return -1;
    front->processors = tori_machine_nodes (front->machine);
    if (front->processors > MAX_PROCESSORS)
        return tori_error_set (err, TORI_INVALID,
                               "a table is for at most %d processors",
                               MAX_PROCESSORS);
    return tori_gang_tree_create (front->machine, (uint32_t)v->degree, 1,
                                  &front->tree, err);
}

/* NODE:LENGTH entries with commas between them. */
static int read_queues (const char *text, struct front *front, tori_error *err)
{
    uint32_t n = tori_gang_tree_nodes (front->tree);
    const char *p = text;
    front->lengths = calloc (n, sizeof *front->lengths);
    front->named = calloc (n, sizeof *front->named);
    if (!front->lengths || !front->named)
        return tori_error_nomem (err);
    do {
        uint64_t node, length;
        p += p > text;
        if (!number_scan (&p, UINT32_MAX, &node) || *p++ != ':'
            || !number_scan (&p, MAX_LENGTH, &length) || (*p && *p != ','))
            return tori_error_set (err, TORI_INVALID,
                                   "--queues: '%.60s' is not NODE:LENGTH,... "
                                   "with lengths up to %d",
                                   text, MAX_LENGTH);
        if (node >= n)
            return tori_error_set (err, TORI_INVALID,
                                   "--queues: there is no node %llu: the tree "
                                   "has nodes 0 to %u",
                                   (unsigned long long)node, n - 1);
        if (front->named[node])
            return tori_error_set (err, TORI_INVALID,
                                   "--queues: node %llu is named twice",
                                   (unsigned long long)node);
        front->named[node] = true;
        front->lengths[node] = (uint32_t)length;
    } while (*p == ',');
    return 0;
}

static int move_front (const struct values *v, struct front *front,
                       tori_error *err)
{
    front->period = tori_gang_period (front->tree, front->lengths);
    front->slots = v->slots ? (size_t)v->slots : front->period;
    if (front->slots > MAX_CELLS / front->processors)
        return tori_error_set (err, TORI_INVALID,
                               "%zu slots of %u processors are more than the "
                               "%d cells that a table may have; --slots N "
                               "shows fewer",
                               front->slots, front->processors, MAX_CELLS);
    front->cells = calloc (front->slots * front->processors + 1,
                           sizeof *front->cells);
    if (!front->cells)
        return tori_error_nomem (err);
    return tori_gang_table (front->tree, front->lengths, front->slots,
                            front->cells, err);
}

/* ---- the answer ---- */

enum { NAME_TEXT = 32 };

static void cell_name (const tori_gang_cell *cell, char text[NAME_TEXT])
{
    snprintf (text, NAME_TEXT, "Q%u(%u)", cell->node, cell->process);
}

static void emit_slots (struct emit *e, const struct field *field,
                        const void *arg)
{
    const struct front *front = arg;
    char name[NAME_TEXT];
    emit_open (e, field->name, '[');
    for (size_t slot = 0; slot < front->slots; slot++) {
        const tori_gang_cell *row = &front->cells[slot * front->processors];
        emit_open (e, NULL, '[');
        for (uint32_t i = 0; i < front->processors; i++) {
            cell_name (&row[i], name);
            if (row[i].node == TORI_GANG_NONE)
                emit_null (e, NULL);
            else
                emit_text (e, NULL, name);
        }
        emit_close (e, ']');
    }
    emit_close (e, ']');
}

static const struct field gang_table_fields[] = {
    {"slots", FIELD_LIST,
     .about = "for each slot the name of what runs on each processor, null "
              "where it is idle",
     .by = emit_slots},
    {"period", FIELD_SIZE, FIELD_AT (struct front, period),
     "slots after which the table repeats"},
};
static ANSWER (gang_table);

enum { MAX_COLUMNS = 64, TITLE_TEXT = 16 };

/* One row per slot, one column per processor. */
static int print_answer (const struct front *front, FILE *out, tori_error *err)
{
    struct table_column columns[MAX_COLUMNS + 1] = {{"slot", TABLE_NUMBER}};
    char titles[MAX_COLUMNS][TITLE_TEXT], name[NAME_TEXT];
    struct table *table;
    if (front->processors > MAX_COLUMNS)
        return tori_error_set (err, TORI_INVALID,
                               "%u processors are too many for a table, "
                               "which has at most %d; --json takes up to %d",
                               front->processors, MAX_COLUMNS,
                               MAX_PROCESSORS);
    if (front->slots == 0) {
        fputs ("nothing to run: all queues are empty\n", out);
        return 0;
    }
    for (uint32_t i = 0; i < front->processors; i++) {
        snprintf (titles[i], TITLE_TEXT, "PE%u", i);
        columns[i + 1] = (struct table_column){titles[i], TABLE_TEXT};
    }
    table = table_create (columns, front->processors + 1);
    for (size_t i = 0; i < front->slots * front->processors; i++) {
        const tori_gang_cell *cell = &front->cells[i];
        if (i % front->processors == 0)
            table_cell (table, "%zu", i / front->processors);
        cell_name (cell, name);
        table_cell (table, "%s", cell->node == TORI_GANG_NONE ? "-" : name);
    }
    return table_print (table, out, terminal_bold (), err);
}

static int run_gang_table (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    struct front front = {0};
    int status = -1;
    if (open_tree (v, &front, err) == 0
        && read_queues (v->queues, &front, err) == 0
        && move_front (v, &front, err) == 0)
        status = v->json
                     ? asked_emit (&command_gang_table, v, &front, out, err)
                     : print_answer (&front, out, err);
    free (front.cells);
    free (front.lengths);
    free (front.named);
    tori_gang_tree_destroy (front.tree);
    tori_machine_destroy (front.machine);
    return status;
}

const struct command command_gang_table = {
    .name = "table",
    .path = "gang table",
    .summary = "Show who runs where, slot by slot",
    .notes = "In a pass, a node runs each process of its own queue for one "
             "slot, then its subnodes side by side. A subnode with a "
             "shorter pass starts again, and is cut off where the pass of "
             "its parent ends. Every queue remembers whose turn is next. "
             "Q5(1) is process 1 in the queue of node 5; - is idle. A table "
             "is for up to 64 processors, --json for up to 65536.",
    .options = options,
    .size = sizeof (struct values),
    .examples = "tori gang table --levels 3 --queues "
                "0:2,1:2,2:1,3:1,4:2,5:3,6:2 --slots 12\n"
                "tori gang table --machine mesh:4x4 --degree 4 --queues "
                "0:1,2:3 --json",
    .answer = &answer_gang_table,
    .run = run_gang_table,
};
