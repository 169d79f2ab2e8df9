/* A. Hori et al., "Time Space Sharing Scheduling and Architectural Support",
 * 1995, Figures 3 to 6: the load of a branch, where a new process goes, and
 * which partitions are closed. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <tori/gang.h>
#include <tori/partition.h>

#include "paper.h"

enum { NODES = 7, BIG = 4 };

/* Figure 5: the queues of the left branch as the text has them, and a right
 * branch that is lighter; its numbers are not in the text. */
static const uint32_t queues[NODES] = {0, 3, 2, 1, 2, 2, 1};

struct node_row {
    uint32_t node, level, size, processes;
    uint64_t load;
    bool chosen;
};

#define AT(member) FIELD_AT (struct node_row, member)
static const struct field node_fields[] = {
    {"node", FIELD_UINT, AT (node), "the node of the tree", .title = "node"},
    {"level", FIELD_UINT, AT (level), "its level", .title = "level"},
    {"size", FIELD_UINT, AT (size), "processors of its partition",
     .title = "processors"},
    {"processes", FIELD_UINT, AT (processes), "processes in its queue",
     .title = "processes"},
    {"load", FIELD_COUNT, AT (load),
     "virtual processors that its branch needs at once", .title = "load"},
    {"chosen", FIELD_FLAG, AT (chosen), "whether a new process of 1 goes there",
     .title = "new process"},
};
#undef AT
static const struct sheet node_sheet = {"tree", SHEET_FIELDS (node_fields)};

struct part_row {
    const char *machine, *partition;
    bool closed;
    char escape[64];
};

#define AT(member) FIELD_AT (struct part_row, member)
static const struct field part_fields[] = {
    {"machine", FIELD_TEXT, AT (machine), "the machine", .title = "machine"},
    {"partition", FIELD_TEXT, AT (partition), "the partition",
     .title = "partition"},
    {"closed", FIELD_FLAG, AT (closed), "whether no message leaves it",
     .title = "closed"},
    {"escape", FIELD_CHARS, AT (escape), "a message that does",
     .title = "a message that leaves it"},
};
#undef AT
static const struct sheet part_sheet
    = {"partitions", SHEET_FIELDS (part_fields)};

enum { TREE, PARTS };

static const struct field answer_fields[] = {
    {"tree", FIELD_LIST, .about = "Figure 5", .group = &node_sheet},
    {"partitions", FIELD_LIST, .about = "Figure 6", .group = &part_sheet},
};
static const struct sheet answer_sheet
    = {"partitions", SHEET_FIELDS (answer_fields)};

/* ---- Figure 5 ---- */

struct placed {
    uint32_t task, node;
};

static void on_place (void *arg, uint32_t task, uint32_t node, int64_t time)
{
    struct placed *placed = arg;
    if (task >= placed->task)
        *placed = (struct placed){task, node};
}

/* The queues are filled; then a process of one processor comes in. */
static int place_process (const tori_gang_tree *tree, uint32_t *ret_node,
                          tori_error *err)
{
    struct placed placed = {0, 0};
    const tori_gang_config config = {.size = sizeof config,
        .tree = tree, .slot = 1000, .on_place = on_place, .arg = &placed};
    const tori_gang_need need = {.count = 1};
    tori_gang_world *world;
    uint32_t task;
    int status = tori_gang_world_create (&config, &world, err);
    if (status < 0)
        return -1;
    for (uint32_t node = 0; node < NODES; node++)
        for (uint32_t i = 0; status == 0 && i < queues[node]; i++)
            status = tori_gang_world_put (world, node, TORI_GANG_FOREVER,
                                          &task, err);
    if (status == 0)
        status = tori_gang_world_run (world, 500, err);
    if (status == 0)
        status = tori_gang_world_add (world, 600, &need, TORI_GANG_FOREVER,
                                      &placed.task, err);
    if (status == 0)
        status = tori_gang_world_run (world, 5000, err);
    tori_gang_world_destroy (world);
    *ret_node = placed.node;
    return status;
}

/* The load of a branch is what its nodes say: from the leaves up, each is told
 * the loads of its subnodes. */
static int load_of (const tori_gang_tree *tree, uint32_t node,
                    uint64_t *ret_load, tori_error *err)
{
    tori_gang_place place;
    tori_gang_node *it;
    tori_gang_outbox out = {0};
    int status;
    tori_gang_tree_place (tree, node, &place);
    if (tori_gang_node_create (tree, node, "lightest", &it, err) < 0)
        return -1;
    status = 0;
    for (uint32_t i = 0; status == 0 && i < queues[node]; i++)
        status = tori_gang_node_handle (
            it, 0,
            &(tori_gang_message){.kind = TORI_GANG_RESUME,
                                 .from = TORI_GANG_HOST,
                                 .to = node,
                                 .task = i + 1},
            &out, err);
    for (uint32_t c = 0; status == 0 && c < place.children; c++) {
        tori_gang_message load = {.kind = TORI_GANG_LOAD,
                                  .from = place.first + c,
                                  .to = node};
        status = load_of (tree, load.from, &load.load, err);
        if (status == 0)
            status = tori_gang_node_handle (it, 0, &load, &out, err);
    }
    *ret_load = tori_gang_node_load (it);
    tori_gang_outbox_clear (&out);
    tori_gang_node_destroy (it);
    return status;
}

static int fill_tree (const tori_gang_tree *tree, struct node_row row[],
                      tori_error *err)
{
    uint32_t chosen;
    if (place_process (tree, &chosen, err) < 0)
        return -1;
    for (uint32_t i = 0; i < NODES; i++) {
        tori_gang_place place;
        tori_gang_tree_place (tree, i, &place);
        row[i] = (struct node_row){.node = i,
                                   .level = place.level,
                                   .size = place.size,
                                   .processes = queues[i],
                                   .chosen = i == chosen};
        if (load_of (tree, i, &row[i].load, err) < 0)
            return -1;
    }
    return 0;
}

static int make_tree (struct paper_run *run, tori_error *err)
{
    struct node_row *row = paper_rows (run, TREE, NODES, sizeof *row, err);
    tori_machine *machine;
    tori_gang_tree *tree;
    int status;
    if (!row || tori_machine_parse ("mesh:4", &machine, err) < 0)
        return -1;
    status = tori_gang_tree_create (machine, 2, 1, &tree, err);
    if (status == 0) {
        status = fill_tree (tree, row, err);
        tori_gang_tree_destroy (tree);
    }
    tori_machine_destroy (machine);
    return status;
}

/* ---- Figure 6 ---- */

static int judge_part (const tori_machine *machine,
                       const tori_partition *part, struct part_row *row,
                       tori_error *err)
{
    tori_escape escape;
    uint32_t c[3][TORI_MAX_DIMS];
    if (tori_partition_closed (machine, part, &row->closed, &escape, err) < 0)
        return -1;
    if (row->closed)
        return 0;
    tori_machine_coords (machine, escape.src, c[0]);
    tori_machine_coords (machine, escape.dst, c[1]);
    tori_machine_coords (machine, escape.outside, c[2]);
    snprintf (row->escape, sizeof row->escape,
              "from %" PRIu32 ",%" PRIu32 " to %" PRIu32 ",%" PRIu32
              ", by %" PRIu32 ",%" PRIu32,
              c[0][0], c[0][1], c[1][0], c[1][1], c[2][0], c[2][1]);
    return 0;
}

/* A is an L around the square B, the first 2x2 of a 4x4 mesh. */
static int make_parts (struct paper_run *run, tori_error *err)
{
    struct part_row *row = paper_rows (run, PARTS, 2, sizeof *row, err);
    const tori_box square = {.shape = {.ndims = 2, .size = {2, 2}}};
    uint32_t nodes[BIG * BIG], n = 0;
    tori_machine *machine;
    int status;
    if (!row || tori_machine_parse ("mesh:4x4", &machine, err) < 0)
        return -1;
    for (uint32_t i = 0; i < BIG * BIG; i++)
        if (i / BIG >= 2 || i % BIG >= 2)
            nodes[n++] = i;
    row[0] = (struct part_row){"mesh:4x4", "A, an L around B"};
    row[1] = (struct part_row){"mesh:4x4", "B, a square of 2x2"};
    status = judge_part (machine,
                         &(tori_partition){.nodes = nodes, .n = n}, &row[0],
                         err);
    if (status == 0)
        status = judge_part (machine, &(tori_partition){.box = &square},
                             &row[1], err);
    tori_machine_destroy (machine);
    return status;
}

/* ---- the entry ---- */

static int compute_study (struct paper_run *run, tori_error *err)
{
    return make_tree (run, err) < 0 ? -1 : make_parts (run, err);
}

static void judge_study (struct paper_run *run)
{
    const struct node_row *node = run->list[TREE].row;
    const struct part_row *part = run->list[PARTS].row;
    uint32_t at = 0;
    while (at < NODES - 1 && !node[at].chosen)
        at++;
    verdict_compare (run,
                     &(struct published){"Figure 5",
                                         "load of the left node of level 2",
                                         "9", "another load"},
                     node[1].load == 9, "%" PRIu64, node[1].load);
    verdict_compare (run,
                     &(struct published){
                         "Figure 5", "a new process of 1 goes to",
                         "the lighter subnode, until its size",
                         "it goes elsewhere"},
                     node[2].load < node[1].load && node[6].load < node[5].load
                         && at == 6,
                     "node %" PRIu32 ", by loads %" PRIu64 " < %" PRIu64
                     " and %" PRIu64 " < %" PRIu64,
                     at, node[2].load, node[1].load, node[6].load,
                     node[5].load);
    verdict_compare (run,
                     &(struct published){"Figure 6", "partition A of a mesh",
                                         "open", "it is closed"},
                     !part[0].closed, "%s",
                     part[0].closed ? "closed" : "open");
    verdict_compare (run,
                     &(struct published){"Figure 6", "partition B of a mesh",
                                         "closed", "it is open"},
                     part[1].closed, "%s",
                     part[1].closed ? "closed" : "open");
    verdict_draw (run,
                  &(struct published){"Figure 1",
                                      "processes that share time and space",
                                      "-"},
                  "tori gang table --levels 3 --queues 0:2,1:2,2:1,3:1,4:2");
    verdict_draw (run,
                  &(struct published){"Figure 2",
                                      "piped processes side by side", "-"},
                  "tori gang pipe --socket SOCKET -n 4 A '|' -n 2 B");
    verdict_refuse (run,
                    &(struct published){"Figure 7", "an example of CCCB",
                                        "a drawing",
                                        "it partitions as a hypercube, which "
                                        "is simulated instead"},
                    "-");
}

static void print_study (struct paper_run *run)
{
    paper_say (run,
               "A queue tree over four processors as in Figure 5: the left "
               "branch has the queues of the text, the right one is "
               "lighter.\n");
    paper_table (run, TREE);
    paper_say (run, "\nThe partitions of Figure 6, with X-Y routing.\n");
    paper_table (run, PARTS);
}

const struct paper paper_partitions = {
    .name = "partitions",
    .citation = paper_hori_1995,
    .what = "Figures 5 and 6: where a new process goes, and which partitions "
            "are closed",
    .answer = &answer_sheet,
    .compute = compute_study,
    .judge = judge_study,
    .print = print_study,
};
