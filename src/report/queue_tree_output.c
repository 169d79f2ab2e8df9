/* The study of the queue tree as text, JSON, CSV and figures. */
#include <stdlib.h>
#include <string.h>

#include "emit.h"
#include "figure.h"
#include "queue_tree.h"
#include "table.h"

#define COUNT(array) (sizeof (array) / sizeof *(array))

/* Seconds that a node takes for a message, to see what share of its time that
 * is; and slots in a second. */
#define MESSAGE_COST 10e-6
#define SLOTS_A_SECOND 10

static int finish (struct table *table, const struct tree_study *study,
                   FILE *out, tori_error *err)
{
    int status = table_print (table, out, study->setup->bold, err);
    table_destroy (table);
    return status;
}

/* ---- tables ---- */

static int print_table1 (const struct tree_study *study, FILE *out,
                         tori_error *err)
{
    static const struct table_column columns[]
        = {{"slot", TABLE_NUMBER}, {"PE0", TABLE_TEXT}, {"PE1", TABLE_TEXT},
           {"PE2", TABLE_TEXT},    {"PE3", TABLE_TEXT}};
    struct table *table = table_create (columns, COUNT (columns));
    for (int i = 0; i < 48; i++) {
        if (i % 4 == 0)
            table_cell (table, "%d", i / 4);
        table_cell (table, "Q%u(%u)", study->table1[i].node,
                    study->table1[i].process);
    }
    fprintf (out, "Table 1, as the nodes bring it about: %d of 48 cells as "
                  "printed\n",
             tree_table1_same (study));
    return finish (table, study, out, err);
}

/* Lines of the table and of the figure. */
struct source {
    const char *sched;
    size_t sizes;
    size_t measure;
};

static double percent (const struct tree_study *study, int load,
                       const struct source *source)
{
    size_t point = tree_find (study, TREE_LOADS, NULL, source->sched,
                              source->sizes, load);
    struct tree_sample mean = tree_mean (study, point);
    return 100 * tree_measure (&mean, source->measure);
}

static int print_utilization (const struct tree_study *study, FILE *out,
                              tori_error *err)
{
    static const struct table_column columns[]
        = {{"load, %", TABLE_NUMBER},      {"powers", TABLE_NUMBER},
           {"small", TABLE_NUMBER},        {"uniform", TABLE_NUMBER},
           {"single", TABLE_NUMBER},       {"uniform, asked", TABLE_NUMBER},
           {"fcfs, powers", TABLE_NUMBER}, {"easy, powers", TABLE_NUMBER}};
    static const struct source source[]
        = {{"gang", 0, TREE_MEASURE (held)},
           {"gang", 1, TREE_MEASURE (held)},
           {"gang", 2, TREE_MEASURE (held)},
           {"gang", 3, TREE_MEASURE (held)},
           {"gang", 2, TREE_MEASURE (utilization)},
           {"fcfs", 0, TREE_MEASURE (held)},
           {"easy", 0, TREE_MEASURE (held)}};
    struct table *table = table_create (columns, COUNT (columns));
    for (int i = 0; i < TREE_LOADS_N; i++) {
        table_cell (table, "%d", tree_loads[i]);
        for (size_t l = 0; l < COUNT (source); l++)
            table_cell (table, "%.2f",
                        percent (study, tree_loads[i], &source[l]));
    }
    fputs ("\nUtilization in %: processors in partitions that jobs hold, as "
           "the load is counted\n(printed: linear, stable at 99 %); and for "
           "uniform also the processors asked for\n",
           out);
    return finish (table, study, out, err);
}

static int print_scale (const struct tree_study *study, FILE *out,
                        tori_error *err)
{
    static const struct table_column columns[]
        = {{"load, %", TABLE_NUMBER}, {"machine", TABLE_TEXT},
           {"powers", TABLE_NUMBER},  {"small", TABLE_NUMBER},
           {"uniform", TABLE_NUMBER}, {"single", TABLE_NUMBER}};
    struct table *table = table_create (columns, COUNT (columns));
    const char *machine;
    for (size_t l = 0; tree_scale_load (l); l++)
        for (size_t m = 0; (machine = tree_scale_machine (m)); m++) {
            table_cell (table, "%d", tree_scale_load (l));
            table_cell (table, "%s", machine);
            for (size_t s = 0; gang_sizes_list (s); s++) {
                size_t point = tree_find (study, TREE_SCALE, machine, "gang",
                                          s, tree_scale_load (l));
                struct tree_sample mean = tree_mean (study, point);
                table_cell (
                    table, "%.2f ±%.2f", 100 * mean.held,
                    100 * tree_half (study, point, TREE_MEASURE (held)));
            }
        }
    fputs ("\nThe same on machines of 8 to 4,096 processors\n", out);
    return finish (table, study, out, err);
}

static double slowdown_half (const struct tree_study *study, size_t point)
{
    return tree_half (study, point, TREE_MEASURE (slowdown));
}

static const char *const all_scheds[] = {"gang", "fcfs", "easy"};

static void put_scheduler (struct table *table, const struct tree_study *study,
                           const char *sched, size_t sizes, int load)
{
    size_t point = tree_find (study, TREE_LOADS, NULL, sched, sizes, load);
    struct tree_sample mean = tree_mean (study, point);
    table_cell (table, "%s", sched);
    table_cell (table, "%.1f", mean.response);
    table_cell (table, "%.1f", mean.wait);
    table_cell (table, "%.2f ±%.2f", mean.slowdown,
                slowdown_half (study, point));
    table_cell (table, "%.1f", mean.slowdown_p99);
    table_cell (table, "%.3f", mean.fairness);
    table_cell (table, "%.2f", mean.spread);
}

static int print_schedulers (const struct tree_study *study, FILE *out,
                             tori_error *err)
{
    static const struct table_column columns[]
        = {{"load, %", TABLE_NUMBER},      {"scheduler", TABLE_TEXT},
           {"response", TABLE_NUMBER},     {"wait", TABLE_NUMBER},
           {"slowdown", TABLE_NUMBER},     {"p99", TABLE_NUMBER},
           {"fairness", TABLE_NUMBER},     {"largest/least", TABLE_NUMBER}};
    struct table *table = table_create (columns, COUNT (columns));
    for (int i = 0; i < TREE_LOADS_N; i++)
        for (size_t s = 0; s < COUNT (all_scheds); s++) {
            table_cell (table, "%d", tree_loads[i]);
            put_scheduler (table, study, all_scheds[s], 0, tree_loads[i]);
        }
    fputs ("\nResponse and wait in slots, slowdown, and how alike the mean "
           "slowdowns of sizes are\n(Jain's index; the largest over the "
           "least); powers of two, all alike\n",
           out);
    return finish (table, study, out, err);
}

static int print_distributions (const struct tree_study *study, FILE *out,
                                tori_error *err)
{
    static const struct table_column columns[]
        = {{"sizes", TABLE_TEXT},      {"scheduler", TABLE_TEXT},
           {"response", TABLE_NUMBER}, {"wait", TABLE_NUMBER},
           {"slowdown", TABLE_NUMBER}, {"p99", TABLE_NUMBER},
           {"fairness", TABLE_NUMBER}, {"largest/least", TABLE_NUMBER}};
    struct table *table = table_create (columns, COUNT (columns));
    for (size_t sizes = 0; gang_sizes_list (sizes); sizes++)
        for (size_t s = 0; s < COUNT (all_scheds); s++) {
            table_cell (table, "%s", gang_sizes_list (sizes)->name);
            put_scheduler (table, study, all_scheds[s], sizes, 90);
        }
    fputs ("\nThe same for all sizes at a load of 90 %\n", out);
    return finish (table, study, out, err);
}

enum { SIZES_SHOWN = 7 };

static int print_sizes (const struct tree_study *study, FILE *out,
                        tori_error *err)
{
    static const struct table_column columns[]
        = {{"load, %", TABLE_NUMBER}, {"scheduler", TABLE_TEXT},
           {"1", TABLE_NUMBER},       {"2", TABLE_NUMBER},
           {"4", TABLE_NUMBER},       {"8", TABLE_NUMBER},
           {"16", TABLE_NUMBER},      {"32", TABLE_NUMBER},
           {"64", TABLE_NUMBER}};
    static const int loads[] = {30, 50, 70, 90, 99};
    struct table *table = table_create (columns, COUNT (columns));
    for (size_t i = 0; i < COUNT (loads); i++)
        for (size_t s = 0; s < COUNT (all_scheds); s++) {
            size_t point = tree_find (study, TREE_LOADS, NULL, all_scheds[s],
                                      0, loads[i]);
            struct tree_sample mean = tree_mean (study, point);
            table_cell (table, "%d", loads[i]);
            table_cell (table, "%s", all_scheds[s]);
            for (int c = 0; c < SIZES_SHOWN; c++)
                table_cell (table, "%.2f", mean.by_size[c]);
        }
    fputs ("\nMean slowdown by size (printed: smaller processes may be "
           "scheduled more often)\n",
           out);
    return finish (table, study, out, err);
}

static int print_branches (const struct tree_study *study, FILE *out,
                           tori_error *err)
{
    static const struct table_column columns[]
        = {{"load, %", TABLE_NUMBER},  {"branch", TABLE_TEXT},
           {"utilization", TABLE_NUMBER}, {"response", TABLE_NUMBER},
           {"slowdown", TABLE_NUMBER}, {"fairness", TABLE_NUMBER}};
    struct table *table = table_create (columns, COUNT (columns));
    for (size_t i = 0; i < study->points; i++) {
        const struct tree_point *point = &study->point[i];
        struct tree_sample mean = tree_mean (study, i);
        if (point->part != TREE_BRANCHES)
            continue;
        table_cell (table, "%d", point->load);
        table_cell (table, "%s", point->branch);
        table_cell (table, "%.2f", 100 * mean.held);
        table_cell (table, "%.1f", mean.response);
        table_cell (table, "%.2f ±%.2f", mean.slowdown,
                    slowdown_half (study, i));
        table_cell (table, "%.3f", mean.fairness);
    }
    fputs ("\nWhere new processes go; sizes small\n", out);
    return finish (table, study, out, err);
}

static int print_switches (const struct tree_study *study, FILE *out,
                           tori_error *err)
{
    static const struct table_column columns[]
        = {{"cost, % of a slot", TABLE_NUMBER},
           {"utilization", TABLE_NUMBER},
           {"response", TABLE_NUMBER},
           {"slowdown", TABLE_NUMBER},
           {"switches a turn", TABLE_NUMBER}};
    struct table *table = table_create (columns, COUNT (columns));
    for (size_t i = 0; i < study->points; i++) {
        const struct tree_point *point = &study->point[i];
        struct tree_sample mean = tree_mean (study, i);
        if (point->part != TREE_SWITCHES)
            continue;
        table_cell (table, "%.1f", point->switch_cost / 10.0);
        table_cell (table, "%.2f", 100 * mean.held);
        table_cell (table, "%.1f", mean.response);
        table_cell (table, "%.2f ±%.2f", mean.slowdown,
                    slowdown_half (study, i));
        table_cell (table, "%.2f", mean.switches);
    }
    fputs ("\nWhat a switch costs, at a load of 90 %, powers of two (RWC-1: "
           "below 0.5 ms, that is 0.5 % of\na slot of a tenth of a second; "
           "CM-5: 4 ms, 4 %)\n",
           out);
    return finish (table, study, out, err);
}

/* What the network takes of a switch, by the partition. */
static int print_costs (const struct tree_study *study, FILE *out,
                        tori_error *err)
{
    static const struct table_column columns[]
        = {{"processors", TABLE_NUMBER},
           {"cycles", TABLE_NUMBER},
           {"us at 50 MHz", TABLE_NUMBER}};
    struct table *table = table_create (columns, COUNT (columns));
    for (int i = 0; i < TREE_CLASSES; i++) {
        table_cell (table, "%d", 1 << i);
        table_cell (table, "%llu", (unsigned long long)study->cycles[i]);
        table_cell (table, "%.2f", (double)study->cycles[i] / 50);
    }
    fputs ("\nWhat the network adds to a switch on partitions of a hypercube "
           "of 4,096: a drain at\nits bound, Dmax Lmax + Dmax Hmax, and the "
           "routers saved and restored\n",
           out);
    return finish (table, study, out, err);
}

static int print_drains (const struct tree_study *study, FILE *out,
                         tori_error *err)
{
    static const struct table_column columns[]
        = {{"slot, ms", TABLE_NUMBER},
           {"cost at most, % of a slot", TABLE_NUMBER},
           {"utilization", TABLE_NUMBER},
           {"response", TABLE_NUMBER},
           {"slowdown", TABLE_NUMBER}};
    struct table *table = table_create (columns, COUNT (columns));
    for (size_t i = 0; i < study->points; i++) {
        const struct tree_point *point = &study->point[i];
        struct tree_sample mean = tree_mean (study, i);
        double slot = (double)point->slot / (double)TORI_SECOND;
        if (point->part != TREE_DRAINS)
            continue;
        table_cell (table, "%g", 1000 * slot);
        table_cell (table, "%.2f", 100 * mean.switch_most / slot);
        table_cell (table, "%.2f", 100 * mean.held);
        table_cell (table, "%.1f", mean.response);
        table_cell (table, "%.2f ±%.2f", mean.slowdown,
                    slowdown_half (study, i));
    }
    fputs ("\nThe network's part alone, on a hypercube of 64 at a load of 90 "
           "%, powers of two: how\nshort slots may be. Costs are rounded up "
           "to microseconds\n",
           out);
    return finish (table, study, out, err);
}

static double a_second (double a_slot)
{
    return a_slot * SLOTS_A_SECOND;
}

/* What nodes handle, a second and a job; the busiest node may be another one
 * than the root. */
#define MESSAGE_COLUMNS                                                      \
    {"jobs/s", TABLE_NUMBER}, {"root", TABLE_NUMBER},                        \
        {"busiest", TABLE_NUMBER}, {"average", TABLE_NUMBER},                \
        {"root a job", TABLE_NUMBER}, {"busiest a job", TABLE_NUMBER},       \
    {                                                                        \
        "busiest's time, %", TABLE_NUMBER                                    \
    }

static void put_messages (struct table *table, const struct tree_study *study,
                          size_t point)
{
    struct tree_sample mean = tree_mean (study, point);
    table_cell (table, "%.2f", a_second (mean.arrivals));
    table_cell (table, "%.1f", a_second (mean.root));
    table_cell (table, "%.1f", a_second (mean.busiest));
    table_cell (table, "%.1f", a_second (mean.average));
    table_cell (table, "%.1f", mean.root / mean.arrivals);
    table_cell (table, "%.1f", mean.busiest / mean.arrivals);
    table_cell (table, "%.3f", 100 * a_second (mean.busiest) * MESSAGE_COST);
}

static int print_messages (const struct tree_study *study, FILE *out,
                           tori_error *err)
{
    static const struct table_column columns[]
        = {{"sizes", TABLE_TEXT}, {"load, %", TABLE_NUMBER}, MESSAGE_COLUMNS};
    struct table *table = table_create (columns, COUNT (columns));
    for (size_t sizes = 0; gang_sizes_list (sizes); sizes++)
        for (int i = 0; i < TREE_LOADS_N; i++) {
            table_cell (table, "%s", gang_sizes_list (sizes)->name);
            table_cell (table, "%d", tree_loads[i]);
            put_messages (table, study,
                          tree_find (study, TREE_LOADS, NULL, "gang", sizes,
                                     tree_loads[i]));
        }
    fputs ("\nMessages a second, sent and received, with slots of a tenth of "
           "a second; the busiest\nnode's time if a message takes 10 us\n",
           out);
    return finish (table, study, out, err);
}

static int print_machines (const struct tree_study *study, FILE *out,
                           tori_error *err)
{
    static const struct table_column columns[]
        = {{"sizes", TABLE_TEXT}, {"machine", TABLE_TEXT},
           {"load, %", TABLE_NUMBER}, MESSAGE_COLUMNS};
    struct table *table = table_create (columns, COUNT (columns));
    const char *machine;
    for (size_t sizes = 0; gang_sizes_list (sizes); sizes++)
        for (size_t m = 0; (machine = tree_scale_machine (m)); m++)
            for (size_t l = 0; tree_scale_load (l); l++) {
                table_cell (table, "%s", gang_sizes_list (sizes)->name);
                table_cell (table, "%s", machine);
                table_cell (table, "%d", tree_scale_load (l));
                put_messages (table, study,
                              tree_find (study, TREE_SCALE, machine, "gang",
                                         sizes, tree_scale_load (l)));
            }
    fputs ("\nThe same on machines of 8 to 4,096 processors\n", out);
    return finish (table, study, out, err);
}

int tree_print (const struct tree_study *study, FILE *out, tori_error *err)
{
    static int (*const parts[]) (const struct tree_study *, FILE *,
                                 tori_error *)
        = {print_table1,        print_utilization, print_scale,
           print_schedulers,    print_distributions, print_sizes,
           print_branches,      print_switches,    print_costs,
           print_drains,        print_messages,    print_machines};
    char jobs[64] = "as many jobs as it takes for a steady state";
    if (study->jobs)
        snprintf (jobs, sizeof jobs, "%zu jobs", study->jobs);
    fprintf (out,
             "Poisson arrivals, exponential run times of mean 10 slots, "
             "rounded up to slots; %zu seeds\nof %s, the first and the last "
             "tenth not measured;\n64 processors unless said otherwise.\n\n",
             study->seeds, jobs);
    for (size_t i = 0; i < COUNT (parts); i++)
        if (parts[i](study, out, err) < 0)
            return -1;
    return 0;
}

/* ---- programs ---- */

static const char *const part_names[TREE_PARTS] = {
    [TREE_LOADS] = "loads",
    [TREE_SCALE] = "scale",
    [TREE_BRANCHES] = "branches",
    [TREE_SWITCHES] = "switches",
    [TREE_DRAINS] = "drains",
    [TREE_MACHINES] = "machines",
};

static const struct {
    const char *name;
    size_t offset;
} measures[] = {
    {"offered", TREE_MEASURE (offered)},
    {"utilization", TREE_MEASURE (utilization)},
    {"held", TREE_MEASURE (held)},
    {"response", TREE_MEASURE (response)},
    {"wait", TREE_MEASURE (wait)},
    {"slowdown", TREE_MEASURE (slowdown)},
    {"slowdown_p99", TREE_MEASURE (slowdown_p99)},
    {"spread", TREE_MEASURE (spread)},
    {"fairness", TREE_MEASURE (fairness)},
    {"arrivals", TREE_MEASURE (arrivals)},
    {"root", TREE_MEASURE (root)},
    {"busiest", TREE_MEASURE (busiest)},
    {"average", TREE_MEASURE (average)},
    {"switches", TREE_MEASURE (switches)},
    {"switch_most", TREE_MEASURE (switch_most)},
};

static void emit_point (struct emit *e, const struct tree_study *study,
                        size_t i)
{
    const struct tree_point *point = &study->point[i];
    struct tree_sample mean = tree_mean (study, i);
    emit_open (e, NULL, '{');
    emit_text (e, "part", part_names[point->part]);
    emit_text (e, "machine", point->machine);
    emit_text (e, "sizes", gang_sizes_list (point->sizes)->name);
    emit_real (e, "load", point->load / 100.0);
    emit_text (e, "sched", point->sched);
    emit_text (e, "branch", point->branch);
    emit_real (e, "switch_cost", point->switch_cost / 1000.0);
    emit_real (e, "slot", (double)point->slot / (double)TORI_SECOND);
    emit_real (e, "slowdown_half", slowdown_half (study, i));
    for (size_t m = 0; m < COUNT (measures); m++)
        emit_real (e, measures[m].name,
                   tree_measure (&mean, measures[m].offset));
    emit_open (e, "by_size", '[');
    for (int c = 0; c < TREE_CLASSES; c++)
        emit_real (e, NULL, mean.by_size[c]);
    emit_close (e, ']');
    emit_close (e, '}');
}

int tree_emit (const struct tree_study *study, FILE *out, tori_error *err)
{
    struct emit e = emit_to (out);
    answer_open (&e, study->setup->answer);
    emit_count (&e, "seeds", study->seeds);
    if (study->jobs)
        emit_count (&e, "jobs", study->jobs);
    emit_count (&e, "table1_same", (uint64_t)tree_table1_same (study));
    emit_count (&e, "table1_cells", 48);
    emit_open (&e, "points", '[');
    for (size_t i = 0; i < study->points; i++)
        emit_point (&e, study, i);
    emit_close (&e, ']');
    emit_close (&e, '}');
    return emit_end (&e, err);
}

/* ---- files ---- */

static void csv_row (struct table *table, const struct tree_study *study,
                     size_t i)
{
    const struct tree_point *point = &study->point[i];
    struct tree_sample mean = tree_mean (study, i);
    table_cell (table, "%s", part_names[point->part]);
    table_cell (table, "%s", point->machine);
    table_cell (table, "%s", gang_sizes_list (point->sizes)->name);
    table_cell (table, "%.2f", point->load / 100.0);
    table_cell (table, "%s", point->sched);
    table_cell (table, "%s", point->branch);
    table_cell (table, "%.3f", point->switch_cost / 1000.0);
    table_cell (table, "%g", (double)point->slot / (double)TORI_SECOND);
    for (size_t m = 0; m < COUNT (measures); m++)
        table_cell (table, "%.6f",
                    tree_measure (&mean, measures[m].offset));
    for (int c = 0; c < TREE_CLASSES; c++)
        table_cell (table, "%.6f", mean.by_size[c]);
}

enum { NAMED = 8, COLUMNS = NAMED + COUNT (measures) + TREE_CLASSES };

int tree_write_csv (const struct tree_study *study, tori_error *err)
{
    struct table_column columns[COLUMNS]
        = {{"part"},  {"machine"}, {"sizes"},      {"load"},
           {"sched"}, {"branch"},  {"switch_cost"}, {"slot"}};
    char titles[TREE_CLASSES][32];
    struct table *table;
    int status;
    for (size_t m = 0; m < COUNT (measures); m++)
        columns[NAMED + m].title = measures[m].name;
    for (int c = 0; c < TREE_CLASSES; c++) {
        snprintf (titles[c], sizeof titles[c], "slowdown_%d", 1 << c);
        columns[NAMED + COUNT (measures) + (size_t)c].title = titles[c];
    }
    table = table_create (columns, COLUMNS);
    for (size_t i = 0; i < study->points; i++)
        csv_row (table, study, i);
    status = paper_write_csv (study->setup->out, "points", table, err);
    table_destroy (table);
    return status;
}

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
