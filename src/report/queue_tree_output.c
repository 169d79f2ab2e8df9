/* The study of the queue tree as text, JSON, CSV and figures. */
#include <stdlib.h>
#include <string.h>

#include "figure.h"
#include "queue_tree.h"
#include "table.h"
#include "view.h"

#define COUNT(array) (sizeof (array) / sizeof *(array))

/* Seconds that a node takes for a message, to see what share of its time that
 * is; and slots in a second. */
#define MESSAGE_COST 10e-6
#define SLOTS_A_SECOND 10

/* ---- a point as a row ---- */

struct row {
    const char *part, *machine, *sizes, *sched, *branch;
    char who[32]; /* scheduler and sizes */
    double load, switch_cost, slot;
    struct tree_sample mean;
    double slowdown_half, held_half;
    double drain; /* the most that a switch costs, of a slot */
    double jobs_s, root_s, busiest_s, average_s; /* a second */
    double root_job, busiest_job, busiest_time;
};

#define AT(member) FIELD_AT (struct row, member)
#define MEAN(name, ...)                                                       \
    {#name, FIELD_REAL, AT (mean.name), __VA_ARGS__}
#define SIZE(log, size)                                                       \
    {"slowdown_" #size, FIELD_REAL, AT (mean.by_size[log]),                   \
     "mean slowdown of jobs of up to this many processors, 0 if there are "   \
     "none",                                                                  \
     .title = #size, .decimals = 2}

static const struct field point_fields[] = {
    {"part", FIELD_TEXT, AT (part), "which table it is for"},
    {"machine", FIELD_TEXT, AT (machine), "the machine", .title = "machine"},
    {"sizes", FIELD_TEXT, AT (sizes), "how sizes are distributed",
     .title = "sizes"},
    {"who", FIELD_CHARS, AT (who), "scheduler and sizes"},
    {"load", FIELD_REAL, AT (load), "the offered load, by partitions",
     .title = "load, %", .scale = 100},
    {"sched", FIELD_TEXT, AT (sched), "the scheduler", .title = "scheduler"},
    {"branch", FIELD_TEXT, AT (branch), "where new processes go",
     .title = "branch"},
    {"switch_cost", FIELD_REAL, AT (switch_cost),
     "what a switch costs, of a slot", .title = "cost, % of a slot",
     .decimals = 1, .scale = 100},
    {"slot", FIELD_REAL, AT (slot), "how long a slot is", "s"},
    MEAN (offered, "the offered load that was measured"),
    MEAN (utilization, "processors that jobs asked for, of all",
          .decimals = 2, .scale = 100),
    MEAN (held, "processors in partitions that jobs hold, of all",
          .title = "utilization", .decimals = 2, .scale = 100),
    {"held_half", FIELD_REAL, AT (held_half),
     "half of the 95 % interval of held"},
    MEAN (response, "mean response", "slots", "response", 1),
    MEAN (wait, "mean wait", "slots", "wait", 1),
    MEAN (slowdown, "mean slowdown", .title = "slowdown", .decimals = 2),
    {"slowdown_half", FIELD_REAL, AT (slowdown_half),
     "half of the 95 % interval of slowdown"},
    MEAN (slowdown_p99, "the 99th percentile of slowdown", .title = "p99",
          .decimals = 1),
    MEAN (spread, "the largest mean slowdown of a size over the least",
          .title = "largest/least", .decimals = 2),
    MEAN (fairness, "Jain's index of the mean slowdowns of sizes",
          .title = "fairness", .decimals = 3),
    MEAN (arrivals, "jobs per slot"),
    MEAN (root, "messages per slot of the root"),
    MEAN (busiest, "messages per slot of the busiest node"),
    MEAN (average, "messages per slot of a node, in the mean"),
    MEAN (switches, "switches per turn", .title = "switches a turn",
          .decimals = 2),
    MEAN (switch_most, "the most that a switch costs", "s"),
    {"drain", FIELD_REAL, AT (drain), "the same, of a slot",
     .title = "cost at most, % of a slot", .decimals = 2, .scale = 100},
    {"jobs_s", FIELD_REAL, AT (jobs_s), "jobs per second",
     .title = "jobs/s", .decimals = 2},
    {"root_s", FIELD_REAL, AT (root_s), "messages per second of the root",
     .title = "root", .decimals = 1},
    {"busiest_s", FIELD_REAL, AT (busiest_s),
     "messages per second of the busiest node", .title = "busiest",
     .decimals = 1},
    {"average_s", FIELD_REAL, AT (average_s),
     "messages per second of a node, in the mean", .title = "average",
     .decimals = 1},
    {"root_job", FIELD_REAL, AT (root_job), "messages per job of the root",
     .title = "root per job", .decimals = 1},
    {"busiest_job", FIELD_REAL, AT (busiest_job),
     "messages per job of the busiest node", .title = "busiest per job",
     .decimals = 1},
    {"busiest_time", FIELD_REAL, AT (busiest_time),
     "the part of its time that the busiest node takes for messages of 10 us",
     .title = "busiest's time, %", .decimals = 3, .scale = 100},
    SIZE (0, 1),
    SIZE (1, 2),
    SIZE (2, 4),
    SIZE (3, 8),
    SIZE (4, 16),
    SIZE (5, 32),
    SIZE (6, 64),
    SIZE (7, 128),
    SIZE (8, 256),
    SIZE (9, 512),
    SIZE (10, 1024),
    SIZE (11, 2048),
    SIZE (12, 4096),
};
static const struct sheet point_sheet = {"points", SHEET_FIELDS (point_fields)};

static const char *const part_names[TREE_PARTS] = {
    [TREE_LOADS] = "loads",       [TREE_SCALE] = "scale",
    [TREE_BRANCHES] = "branches", [TREE_SWITCHES] = "switches",
    [TREE_DRAINS] = "drains",     [TREE_MACHINES] = "machines",
};

static struct row row_of (const struct tree_study *study, size_t i)
{
    const struct tree_point *point = &study->point[i];
    struct row row = {
        .part = part_names[point->part],
        .machine = point->machine,
        .sizes = gang_sizes_list (point->sizes)->name,
        .sched = point->sched,
        .branch = point->branch,
        .load = point->load / 100.0,
        .switch_cost = point->switch_cost / 1000.0,
        .slot = (double)point->slot / (double)TORI_SECOND,
        .mean = tree_mean (study, i),
        .slowdown_half = tree_half (study, i, TREE_MEASURE (slowdown)),
        .held_half = tree_half (study, i, TREE_MEASURE (held)),
    };
    const struct tree_sample *mean = &row.mean;
    snprintf (row.who, sizeof row.who, "%s, %s", row.sched, row.sizes);
    row.drain = mean->switch_most / row.slot;
    row.jobs_s = SLOTS_A_SECOND * mean->arrivals;
    row.root_s = SLOTS_A_SECOND * mean->root;
    row.busiest_s = SLOTS_A_SECOND * mean->busiest;
    row.average_s = SLOTS_A_SECOND * mean->average;
    row.root_job = mean->root / mean->arrivals;
    row.busiest_job = mean->busiest / mean->arrivals;
    row.busiest_time = row.busiest_s * MESSAGE_COST;
    return row;
}

/* All of them, for the caller to free; NULL without memory. */
static struct row *make_rows (const struct tree_study *study, tori_error *err)
{
    struct row *row = calloc (study->points + 1, sizeof *row);
    if (!row)
        tori_error_nomem (err);
    for (size_t i = 0; row && i < study->points; i++)
        row[i] = row_of (study, i);
    return row;
}

static struct rows rows_of (const struct tree_study *study,
                            const struct row *row)
{
    return (struct rows){row, study->points, sizeof *row};
}

/* ---- what the network adds to a switch, by the partition ---- */

struct cost {
    int processors;
    uint64_t cycles;
    double us;
};

static const struct field cost_fields[] = {
    {"processors", FIELD_INT, FIELD_AT (struct cost, processors),
     "processors of a partition of a hypercube", .title = "processors"},
    {"cycles", FIELD_COUNT, FIELD_AT (struct cost, cycles),
     "cycles that the network adds to a switch", .title = "cycles"},
    {"us", FIELD_REAL, FIELD_AT (struct cost, us), "the same at 50 MHz",
     "us", "us at 50 MHz", 2},
};
static const struct sheet cost_sheet = {"costs", SHEET_FIELDS (cost_fields)};

static void make_costs (const struct tree_study *study,
                        struct cost costs[TREE_CLASSES])
{
    for (int i = 0; i < TREE_CLASSES; i++)
        costs[i] = (struct cost){1 << i, study->cycles[i],
                                 (double)study->cycles[i] / 50};
}

/* ---- for people ---- */

static bool is (const void *row, const char *part)
{
    return strcmp (((const struct row *)row)->part, part) == 0;
}

static bool is_power (const struct row *row)
{
    return strcmp (row->sizes, gang_sizes_list (0)->name) == 0;
}

static bool is_gang (const struct row *row)
{
    return strcmp (row->sched, "gang") == 0;
}

static bool of_utilization (const void *row)
{
    return is (row, "loads") && (is_gang (row) || is_power (row));
}

static bool of_asked (const void *row)
{
    return is (row, "loads") && is_gang (row);
}

static bool of_powers (const void *row)
{
    return is (row, "loads") && is_power (row);
}

static bool of_90 (const void *row)
{
    double load = ((const struct row *)row)->load;
    return is (row, "loads") && load > 0.895 && load < 0.905;
}

static bool of_scale (const void *row)
{
    return is (row, "scale");
}

static bool of_branches (const void *row)
{
    return is (row, "branches");
}

static bool of_switches (const void *row)
{
    return is (row, "switches");
}

static bool of_drains (const void *row)
{
    return is (row, "drains");
}

static const struct view_column load_column[] = {{"load"}};
static const struct view_column scale_columns[] = {{"load"}, {"machine"}};
#define SCHEDULER_COLUMNS                                                     \
    {"sched"}, {"response"}, {"wait"},                                        \
        {"slowdown", .half = "slowdown_half"}, {"slowdown_p99"},              \
        {"fairness"}, {"spread"}
static const struct view_column scheduler_columns[]
    = {{"load"}, SCHEDULER_COLUMNS};
static const struct view_column distribution_columns[]
    = {{"sizes"}, SCHEDULER_COLUMNS};
static const struct view_column size_columns[] = {
    {"load"},        {"sched"},       {"slowdown_1"},
    {"slowdown_2"},  {"slowdown_4"},  {"slowdown_8"},
    {"slowdown_16"}, {"slowdown_32"}, {"slowdown_64"}};
static const struct view_column branch_columns[]
    = {{"load"},     {"branch"},
       {"held"},     {"response"},
       {"slowdown", .half = "slowdown_half"}, {"fairness"}};
static const struct view_column switch_columns[]
    = {{"switch_cost"}, {"held"},
       {"response"},    {"slowdown", .half = "slowdown_half"},
       {"switches"}};
static const struct view_column drain_columns[]
    = {{"slot", "slot, ms", 1, 1000}, {"drain"}, {"held"}, {"response"},
       {"slowdown", .half = "slowdown_half"}};
#define MESSAGE_COLUMNS                                                       \
    {"jobs_s"}, {"root_s"}, {"busiest_s"}, {"average_s"}, {"root_job"},       \
        {"busiest_job"}, {"busiest_time"}
static const struct view_column message_columns[]
    = {{"load"}, {"sizes"}, MESSAGE_COLUMNS};
static const struct view_column machine_columns[]
    = {{"machine"}, {"load"}, {"sizes"}, MESSAGE_COLUMNS};

/* In the order of the page. */
static const struct pivot pivots[] = {
    {{"\nUtilization in %: processors in partitions that jobs hold, as the "
      "load is counted\n(printed: linear, stable at 99 %)\n",
      VIEW_COLUMNS (load_column), of_utilization},
     "who",
     {"held"}},
    {{"\nThe processors that jobs asked for, of all, in %\n",
      VIEW_COLUMNS (load_column), of_asked},
     "sizes",
     {"utilization"}},
    {{"\nProcessors held on machines of 8 to 4,096\n",
      VIEW_COLUMNS (scale_columns), of_scale},
     "sizes",
     {"held", .half = "held_half"}},
};

static const struct view views[] = {
    {"\nResponse and wait in slots, slowdown, and how alike the mean "
     "slowdowns of sizes are\n(Jain's index; the largest over the least); "
     "powers of two, all alike\n",
     VIEW_COLUMNS (scheduler_columns), of_powers},
    {"\nThe same for all sizes at a load of 90 %\n",
     VIEW_COLUMNS (distribution_columns), of_90},
    {"\nMean slowdown by size (printed: smaller processes may be scheduled "
     "more often)\n",
     VIEW_COLUMNS (size_columns), of_powers},
    {"\nWhere new processes go; sizes small\n",
     VIEW_COLUMNS (branch_columns), of_branches},
    {"\nWhat a switch costs, at a load of 90 %, powers of two (RWC-1: below "
     "0.5 ms, that is 0.5 % of\na slot of a tenth of a second; CM-5: 4 ms, "
     "4 %)\n",
     VIEW_COLUMNS (switch_columns), of_switches},
    {"\nThe network's part alone, on a hypercube of 64 at a load of 90 %, "
     "powers of two: how\nshort slots may be. Costs are rounded up to "
     "microseconds\n",
     VIEW_COLUMNS (drain_columns), of_drains},
    {"\nMessages per second, sent and received, with slots of a tenth of a "
     "second; the busiest\nnode's time if a message takes 10 us\n",
     VIEW_COLUMNS (message_columns), of_asked},
    {"\nThe same on machines of 8 to 4,096 processors\n",
     VIEW_COLUMNS (machine_columns), of_scale},
};

static int print_table1 (const struct tree_study *study, FILE *out,
                         tori_error *err)
{
    static const struct table_column columns[]
        = {{"slot", TABLE_NUMBER}, {"PE0", TABLE_TEXT}, {"PE1", TABLE_TEXT},
           {"PE2", TABLE_TEXT},    {"PE3", TABLE_TEXT}};
    struct table *table = table_create (columns, COUNT (columns));
    int status;
    for (int i = 0; i < 48; i++) {
        if (i % 4 == 0)
            table_cell (table, "%d", i / 4);
        table_cell (table, "Q%u(%u)", study->table1[i].node,
                    study->table1[i].process);
    }
    fprintf (out, "Table 1, as the nodes bring it about: %d of 48 cells as "
                  "printed\n",
             tree_table1_same (study));
    status = table_print (table, out, study->setup->bold, err);
    table_destroy (table);
    return status;
}

static int print_costs (const struct tree_study *study, FILE *out,
                        tori_error *err)
{
    struct cost costs[TREE_CLASSES];
    make_costs (study, costs);
    fputs ("\nWhat the network adds to a switch on partitions of a hypercube "
           "of 4,096: a drain at\nits bound, Dmax Lmax + Dmax Hmax, and the "
           "routers saved and restored\n",
           out);
    return sheet_print (&cost_sheet, costs, TREE_CLASSES, sizeof *costs, out,
                        study->setup->bold, err);
}

static int print_views (const struct tree_study *study, const struct row *row,
                        FILE *out, tori_error *err)
{
    const struct rows rows = rows_of (study, row);
    bool bold = study->setup->bold;
    for (size_t i = 0; i < COUNT (pivots); i++)
        if (pivot_print (&pivots[i], &point_sheet, &rows, out, bold, err) < 0)
            return -1;
    for (size_t i = 0; i < COUNT (views); i++)
        if (view_print (&views[i], &point_sheet, &rows, out, bold, err) < 0)
            return -1;
    return 0;
}

int tree_print (const struct tree_study *study, FILE *out, tori_error *err)
{
    char jobs[64] = "as many jobs as it takes for a steady state";
    struct row *row = make_rows (study, err);
    int status;
    if (!row)
        return -1;
    if (study->jobs)
        snprintf (jobs, sizeof jobs, "%zu jobs", study->jobs);
    fprintf (out,
             "Poisson arrivals, exponential run times of mean 10 slots, "
             "rounded up to slots; %zu seeds\nof %s, the first and the last "
             "tenth not measured;\n64 processors unless said otherwise.\n\n",
             study->seeds, jobs);
    status = print_table1 (study, out, err);
    if (status == 0)
        status = print_views (study, row, out, err);
    if (status == 0)
        status = print_costs (study, out, err);
    free (row);
    return status;
}

/* ---- for programs ---- */

static const struct field tree_fields[] = {
    {"seeds", FIELD_WRITTEN, .about = "how many seeds"},
    {"jobs", FIELD_WRITTEN, .about = "with --limit: jobs of a run"},
    {"table1_same", FIELD_WRITTEN,
     .about = "cells of Table 1 that are as printed"},
    {"table1_cells", FIELD_WRITTEN, .about = "cells of Table 1"},
    {"points", FIELD_LIST, .about = "what was run", .group = &point_sheet},
    {"costs", FIELD_LIST, .about = "what the network adds to a switch",
     .group = &cost_sheet},
};
const struct sheet tree_sheet = {"queue-tree", SHEET_FIELDS (tree_fields)};

int tree_emit (const struct tree_study *study, FILE *out, tori_error *err)
{
    struct emit e = emit_to (out);
    struct row *row = make_rows (study, err);
    struct cost costs[TREE_CLASSES];
    if (!row)
        return -1;
    make_costs (study, costs);
    answer_open (&e, study->setup->answer);
    emit_count (&e, "seeds", study->seeds);
    if (study->jobs)
        emit_count (&e, "jobs", study->jobs);
    emit_count (&e, "table1_same", (uint64_t)tree_table1_same (study));
    emit_count (&e, "table1_cells", 48);
    sheet_emit_rows (&e, "points", &point_sheet, row, study->points,
                     sizeof *row);
    sheet_emit_rows (&e, "costs", &cost_sheet, costs, TREE_CLASSES,
                     sizeof *costs);
    emit_close (&e, '}');
    free (row);
    return emit_end (&e, err);
}

int tree_write_csv (const struct tree_study *study, tori_error *err)
{
    struct row *row = make_rows (study, err);
    struct rows rows;
    int status;
    if (!row)
        return -1;
    rows = rows_of (study, row);
    status = paper_write_rows (study->setup->out, "points", &point_sheet,
                               &rows, err);
    free (row);
    return status;
}

/* ---- figures ---- */

/* A line of a figure: what of which points. */
struct curve {
    const char *title, *style, *sched;
    size_t sizes;
    size_t measure;
    double scale; /* 0: as it is */
};

enum { MAX_CURVES = 6, MAX_X = TREE_LOADS_N };

#define BY_SIZE(log) (TREE_MEASURE (by_size) + (log) * sizeof (double))

static const struct drawing {
    const char *name, *title, *x_label, *y_label, *diagonal;
    double y_most;
    bool machines; /* x is processors, of TREE_MACHINES; else loads */
    struct curve curve[MAX_CURVES];
} drawings[] = {
    {.name = "utilization",
     .title = "Utilization over offered load, 64 processors",
     .x_label = "offered load, %",
     .y_label = "processors in partitions held, %",
     .diagonal = "all that is offered",
     .curve = {{"fcfs, powers", "lw 2 pt 9 ps 0.6 lc rgb '#969696'", "fcfs", 0,
                TREE_MEASURE (held), 100},
               {"easy, powers", "lw 2 pt 5 ps 0.6 lc rgb '#2166ac'", "easy", 0,
                TREE_MEASURE (held), 100},
               {"tree, uniform", "lw 2 pt 4 ps 0.6 dt 2 lc rgb '#d6604d'",
                "gang", 2, TREE_MEASURE (held), 100},
               {"tree, single", "lw 2 pt 6 ps 0.6 dt 3 lc rgb '#f4a582'",
                "gang", 3, TREE_MEASURE (held), 100},
               {"tree, small", "lw 2 pt 8 ps 0.6 dt 4 lc rgb '#762a83'",
                "gang", 1, TREE_MEASURE (held), 100},
               {"tree, powers", "lw 2 pt 7 ps 0.6 lc rgb '#b2182b'", "gang", 0,
                TREE_MEASURE (held), 100}}},
    {.name = "slowdown",
     .title = "Mean slowdown by size, 64 processors",
     .x_label = "offered load, %",
     .y_label = "mean slowdown",
     .y_most = 20,
     .curve = {{"fcfs, 1", "lw 2 pt 9 ps 0.6 lc rgb '#969696'", "fcfs", 0,
                BY_SIZE (0)},
               {"easy, 1", "lw 2 pt 4 ps 0.6 dt 2 lc rgb '#4393c3'", "easy", 0,
                BY_SIZE (0)},
               {"easy, 64", "lw 2 pt 5 ps 0.6 lc rgb '#2166ac'", "easy", 0,
                BY_SIZE (6)},
               {"tree, 1", "lw 2 pt 6 ps 0.6 dt 2 lc rgb '#d6604d'", "gang", 0,
                BY_SIZE (0)},
               {"tree, 64", "lw 2 pt 7 ps 0.6 lc rgb '#b2182b'", "gang", 0,
                BY_SIZE (6)}}},
    {.name = "messages",
     .title = "Messages a second, load 90 %, slots of 0.1 s",
     .x_label = "processors",
     .y_label = "messages a second",
     .machines = true,
     .curve = {{"busiest node, single", "lw 2 pt 5 ps 0.6 lc rgb '#2166ac'",
                "gang", 3, TREE_MEASURE (busiest), SLOTS_A_SECOND},
               {"average node, single",
                "lw 2 pt 4 ps 0.6 dt 2 lc rgb '#4393c3'", "gang", 3,
                TREE_MEASURE (average), SLOTS_A_SECOND},
               {"busiest node, small", "lw 2 pt 7 ps 0.6 lc rgb '#b2182b'",
                "gang", 1, TREE_MEASURE (busiest), SLOTS_A_SECOND},
               {"average node, small",
                "lw 2 pt 6 ps 0.6 dt 2 lc rgb '#d6604d'", "gang", 1,
                TREE_MEASURE (average), SLOTS_A_SECOND}}},
};

static size_t point_at (const struct tree_study *study,
                        const struct drawing *drawing,
                        const struct curve *curve, size_t i)
{
    char machine[16];
    if (!drawing->machines)
        return tree_find (study, TREE_LOADS, NULL, curve->sched, curve->sizes,
                          tree_loads[i]);
    snprintf (machine, sizeof machine, "mesh:2^%zu", TREE_LEAST_LOG + i);
    return tree_find (study, TREE_MACHINES, machine, curve->sched,
                      curve->sizes, 90);
}

static double height_of (const struct tree_study *study,
                         const struct drawing *drawing,
                         const struct curve *curve, size_t i)
{
    struct tree_sample mean
        = tree_mean (study, point_at (study, drawing, curve, i));
    return (curve->scale > 0 ? curve->scale : 1)
           * tree_measure (&mean, curve->measure);
}

static int draw (const struct tree_study *study, const struct drawing *drawing,
                 tori_error *err)
{
    double x[MAX_X], y[MAX_CURVES][MAX_X];
    struct figure_line line[MAX_CURVES];
    struct figure figure = {.title = drawing->title,
                            .x_label = drawing->x_label,
                            .y_label = drawing->y_label,
                            .diagonal = drawing->diagonal,
                            .y_most = drawing->y_most,
                            .logarithmic = drawing->machines,
                            .x = x,
                            .n = drawing->machines
                                     ? TREE_MOST_LOG - TREE_LEAST_LOG + 1
                                     : TREE_LOADS_N,
                            .line = line};
    char *path = paper_path (study->setup->out, drawing->name, "svg");
    int status;
    if (!path)
        return tori_error_nomem (err);
    for (size_t i = 0; i < figure.n; i++)
        x[i] = drawing->machines ? 1 << (TREE_LEAST_LOG + i) : tree_loads[i];
    for (size_t l = 0; l < MAX_CURVES && drawing->curve[l].title; l++) {
        for (size_t i = 0; i < figure.n; i++)
            y[l][i] = height_of (study, drawing, &drawing->curve[l], i);
        line[figure.lines++] = (struct figure_line){
            drawing->curve[l].title, drawing->curve[l].style, y[l]};
    }
    status = figure_draw (&figure, path, err);
    free (path);
    return status;
}

int tree_draw (const struct tree_study *study, tori_error *err)
{
    tori_error inner = {.status = TORI_FAILED};
    for (size_t i = 0; i < COUNT (drawings); i++)
        if (draw (study, &drawings[i], &inner) < 0)
            return paper_no_figures (study->setup->out, &inner, err);
    return 0;
}
