/* tori paper queue-tree for people: tables, verdicts and figures. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "gangsim.h"
#include "queue_tree_study.h"

/* ---- for people ---- */

static bool is_of_part (const void *row, const char *part)
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
    return is_of_part (row, "loads") && (is_gang (row) || is_power (row));
}

static bool of_asked (const void *row)
{
    return is_of_part (row, "loads") && is_gang (row);
}

static bool of_powers (const void *row)
{
    return is_of_part (row, "loads") && is_power (row);
}

static bool of_90 (const void *row)
{
    double load = ((const struct row *)row)->load;
    return is_of_part (row, "loads") && load > 0.895 && load < 0.905;
}

static bool of_scale (const void *row)
{
    return is_of_part (row, "scale");
}

static bool of_branches (const void *row)
{
    return is_of_part (row, "branches");
}

static bool of_switches (const void *row)
{
    return is_of_part (row, "switches");
}

static bool of_degrees (const void *row)
{
    return is_of_part (row, "degrees");
}

static bool of_drains (const void *row)
{
    return is_of_part (row, "drains");
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
static const struct view_column degree_columns[]
    = {{"sizes"},
       {"degree"},
       {"utilization", "asked for, %", .half = "utilization_half"},
       {"held", "held, %", .half = "held_half"},
       {"response"},
       {"slowdown", .half = "slowdown_half"},
       {"hops"},
       {"reach"},
       {"hot"}};
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
    {{"\nProcessors held on machines of 8, 512 and 4,096\n",
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
    {"\nThe same on machines of 8, 512 and 4,096 processors\n",
     VIEW_COLUMNS (machine_columns), of_scale},
};

static const struct view degree_view
    = {"\nHalves or quarters of 8x8 at a load of 90 %, and the ways in the "
       "partitions of jobs\n",
       VIEW_COLUMNS (degree_columns), of_degrees};

static void print_degrees (struct paper_run *run)
{
    fputs ("\nPrinted: a degree of two is best against fragmentation; on a 2-D "
           "mesh, hops increase and\nhot spots appear more easily (section "
           "3.1). Ours: partitions of 8x8, all pairs alike\n",
           run->out);
    paper_table (run, PARTITION_LIST);
    paper_view (run, POINT_LIST, NULL, &degree_view);
    fputs ("\nPrinted: DHC leaves no processor idle, and its overhead is heavy "
           "if threads are short\n(section 2.2). Ours: from which lifetime of "
           "threads on DHC does more, in times that it\ntakes to schedule a "
           "thread (blank: never)\n",
           run->out);
    paper_table (run, THREAD_LIST);
}

/* ---- verdicts ---- */

static bool is_load (const struct row *row, int percent)
{
    return lround (100 * row->load) == percent;
}

/* By how many percent of the machine held partitions are off the load. */
static double count_off (const struct row *row)
{
    return 100 * fabs (row->load - row->mean.held);
}

/* The row that is the most off: of the tree in a part, at the loads from
 * `least` to `most`. Every part has such a row. */
static const struct row *find_most_off (const struct paper_run *run,
                                        const char *part, double least,
                                        double most)
{
    const struct row *row = run->list[POINT_LIST].row, *found = NULL;
    for (size_t i = 0; i < run->list[POINT_LIST].n; i++)
        if (is_of_part (&row[i], part) && is_gang (&row[i])
            && row[i].load >= least && row[i].load <= most
            && (!found || count_off (&row[i]) > count_off (found)))
            found = &row[i];
    return found;
}

static void judge_linearity (struct paper_run *run)
{
    const struct row *loads = find_most_off (run, "loads", 0, 0.905);
    const struct row *scale = find_most_off (run, "scale", 0, 0.905);
    const struct row *most
        = count_off (loads) > count_off (scale) ? loads : scale;
    verdict_number (run,
                    &(struct published){"Section 2.1",
                                        "utilization linear in the load, for "
                                        "all sizes of jobs",
                                        "very good linearity",
                                        "it is off the line"},
                    most->load, most->mean.held,
                    "off by %.1f %% at most on 64 processors, %.1f "
                    "\302\261%.1f on %" PRIu32,
                    count_off (loads), count_off (scale),
                    100 * scale->held_half, scale->processors);
}

/* At 99 % on all machines, with all sizes. */
static void judge_stability (struct paper_run *run)
{
    const struct row *loads = find_most_off (run, "loads", 0.985, 1);
    const struct row *scale = find_most_off (run, "scale", 0.985, 1);
    const struct row *most
        = count_off (loads) > count_off (scale) ? loads : scale;
    verdict_number (run,
                    &(struct published){"Section 2.1",
                                        "stable at a load of 99 %, 8 to "
                                        "4,096 processors",
                                        "good stability",
                                        "part of the load is not taken"},
                    most->load, most->mean.held,
                    "%.1f \302\261%.1f %% or more of the machine is held",
                    100 * most->mean.held, 100 * most->held_half);
}

/* The values of a point with each seed. */
static void read_values (const struct paper_run *run, const struct row *row,
                         double (*value_of) (const struct sample *sample),
                         double value[MAX_SEEDS])
{
    const struct study *study = run->study;
    size_t p = (size_t)(row - (const struct row *)run->list[POINT_LIST].row);
    for (size_t i = 0; i < study->point[p].seeds; i++)
        value[i] = value_of (&study->sample[p][i]);
}

/* How far a point is ahead of another, which has the same jobs. */
static struct verdict_cases
compare_points (const struct paper_run *run, const struct row *less,
                double (*of_less) (const struct sample *sample),
                const struct row *more,
                double (*of_more) (const struct sample *sample))
{
    const struct study *study = run->study;
    struct verdict_cases cases = {0};
    double one[MAX_SEEDS], other[MAX_SEEDS];
    read_values (run, less, of_less, one);
    read_values (run, more, of_more, other);
    verdict_add_case (&cases, verdict_lead (one, other, study->seeds));
    return cases;
}

static double small_slowdown (const struct sample *sample)
{
    return sample->by_size[0];
}

static double large_slowdown (const struct sample *sample)
{
    return sample->by_size[6];
}

static double asked_for (const struct sample *sample)
{
    return sample->utilization;
}

static double mean_hops (const struct sample *sample)
{
    return sample->hops;
}

/* The mean slowdowns of jobs of 1 and of 64 processors by the tree. */
static void judge_sizes (struct paper_run *run)
{
    const struct row *row = run->list[POINT_LIST].row;
    struct verdict_cases cases;
    while (!is_of_part (row, "loads") || !is_gang (row) || !is_power (row)
           || !is_load (row, 50))
        row++;
    cases = compare_points (run, row, small_slowdown, row, large_slowdown);
    verdict_order (run,
                   &(struct published){"Section 2.1, Figure 4",
                                       "smaller processes more often",
                                       "may be", "they are not"},
                   &cases, "slowdown %.2f of 1, %.2f of 64 processors at 50 %%",
                   row->mean.by_size[0], row->mean.by_size[6]);
}

/* The row of a part with small or equal powers of two, at a load. */
static const struct row *find_row (const struct paper_run *run,
                                   const char *part, const char *sched,
                                   const char *branch, int load)
{
    const struct row *row = run->list[POINT_LIST].row;
    while (!is_of_part (row, part) || strcmp (row->sched, sched) != 0
           || strcmp (row->branch, branch) != 0 || !is_load (row, load))
        row++;
    return row;
}

static double held_part (const struct sample *sample)
{
    return sample->held;
}

static double mean_response (const struct sample *sample)
{
    return sample->response;
}

/* Beside batch queues, at the highest load. */
static void judge_batch (struct paper_run *run)
{
    const struct row *tree = find_row (run, "loads", "gang", "lightest", 99);
    const struct row *fcfs = find_row (run, "loads", "fcfs", "lightest", 99);
    const struct row *easy = find_row (run, "loads", "easy", "lightest", 99);
    struct verdict_cases cases
        = compare_points (run, fcfs, held_part, tree, held_part);
    verdict_order (run,
                   &(struct published){"Section 1",
                                       "higher utilization than batch "
                                       "scheduling, fcfs",
                                       "yes", "it is not higher"},
                   &cases,
                   "%.0f %% at a load of 99 %%, fcfs %.0f, easy (not of 1995) "
                   "%.0f",
                   100 * tree->mean.held, 100 * fcfs->mean.held,
                   100 * easy->mean.held);
}

/* New processes go where the load is lightest, or to each branch in turn. */
static void judge_balance (struct paper_run *run)
{
    const struct row *light
        = find_row (run, "branches", "gang", "lightest", 50);
    const struct row *turns
        = find_row (run, "branches", "gang", "round-robin", 50);
    struct verdict_cases cases
        = compare_points (run, light, mean_response, turns, mean_response);
    verdict_order (run,
                   &(struct published){"Section 2.1",
                                       "shorter response if the tree is "
                                       "balanced",
                                       "yes", "it is not shorter"},
                   &cases,
                   "%.1f slots at 50 %%, %.1f if branches take turns",
                   light->mean.response, turns->mean.response);
}

static double busiest_of (const struct paper_run *run)
{
    const struct row *row = run->list[POINT_LIST].row;
    double most = 0;
    for (size_t i = 0; i < run->list[POINT_LIST].n; i++)
        if (is_of_part (&row[i], "scale"))
            most = fmax (most, 100 * row[i].busiest_time);
    return most;
}

/* The row of uniform sizes; the first is of degree two, the next of four. */
static const struct row *find_degrees (const struct paper_run *run)
{
    const struct row *row = run->list[POINT_LIST].row;
    while (!is_of_part (row, "degrees")
           || strcmp (row->sizes, gang_sizes_list (QUEUE_TREE_UNIFORM)->name)
                  != 0)
        row++;
    return row;
}

static void judge_degrees (struct paper_run *run)
{
    const struct row *two = find_degrees (run), *four = two + 1;
    const struct partition *part = run->list[PARTITION_LIST].row;
    struct verdict_cases best
        = compare_points (run, four, asked_for, two, asked_for);
    struct verdict_cases hops
        = compare_points (run, four, mean_hops, two, mean_hops);
    verdict_order (run,
                   &(struct published){"Section 3.1",
                                       "degree two best against "
                                       "fragmentation",
                                       "yes", "four is"},
                   &best, "%.1f %% asked for, %.1f %% with four",
                   100 * two->mean.utilization, 100 * four->mean.utilization);
    verdict_compare (run,
                     &(struct published){"Section 3.1",
                                         "more hops and hot spots with degree "
                                         "two, for a partition",
                                         "increase", "they do not"},
                     part[1].hops_square > 1 && part[1].hot_square > 1,
                     "%.0f and %.0f %% above a square as large",
                     100 * (part[1].hops_square - 1),
                     100 * (part[1].hot_square - 1));
    verdict_order (run,
                   &(struct published){"Section 3.1",
                                       "more hops with degree two, for a job",
                                       "increase",
                                       "degree four gives it a larger "
                                       "partition"},
                   &hops, "%.2f, %.2f with four", two->mean.hops,
                   four->mean.hops);
    verdict_refuse (run,
                    &(struct published){"Section 2.2",
                                        "idle processors and overhead beside "
                                        "DHC",
                                        "fewer idle, more overhead",
                                        "no numbers are printed"},
                    "DHC ahead if threads live for %.1f overheads",
                    two->mean.utilization
                        / (two->mean.held - two->mean.utilization));
}

void queue_tree_judge (struct paper_run *run)
{
    const struct study *study = run->study;
    double busiest = busiest_of (run);
    verdict_compare (run,
                     &(struct published){"Table 1, Figure 3", "cells", "48",
                                         "see the table"},
                     study->table1_same == CELLS, "%d the same",
                     study->table1_same);
    verdict_compare (run,
                     &(struct published){"Section 2.1, Table 1",
                                         "slots until every process has run",
                                         "6", "another number"},
                     study->table1_round == 6, "%d", study->table1_round);
    judge_batch (run);
    judge_linearity (run);
    judge_stability (run);
    judge_sizes (run);
    judge_balance (run);
    verdict_compare (run,
                     &(struct published){"Section 2",
                                         "bottlenecks of a distributed "
                                         "scheduler",
                                         "avoided", "a node is overloaded"},
                     busiest < 100, "busiest node at most %.1f %% of its time",
                     busiest);
    judge_degrees (run);
}

/* ---- the page ---- */

void queue_tree_print (struct paper_run *run)
{
    const struct study *study = run->study;
    char jobs[64] = "as many jobs as it takes for a steady state";
    if (study->setup->quick)
        snprintf (jobs, sizeof jobs, "as few jobs as show a steady state");
    else if (study->jobs)
        snprintf (jobs, sizeof jobs, "%zu jobs", study->jobs);
    fprintf (run->out,
             "Poisson arrivals, exponential run times of mean 10 slots, "
             "rounded up to slots; %zu seeds\nof %s, the first and the last "
             "tenth not measured;\n64 processors unless said otherwise.%s\n\n",
             study->seeds, jobs,
             study->setup->quick
                 ? " Machines of 512 and more with powers of two\nhave the "
                   "seeds of a full run, and its jobs up to a load of 90 %."
                 : "");
    run->status = queue_tree_print_table1 (study, run->out, run->setup->bold,
                                           run->err);
    for (size_t i = 0; i < COUNT (pivots); i++)
        paper_pivot (run, POINT_LIST, NULL, &pivots[i]);
    for (size_t i = 0; i < COUNT (views); i++)
        paper_view (run, POINT_LIST, NULL, &views[i]);
    fputs ("\nWhat the network adds to a switch on partitions of a hypercube "
           "of 4,096: a drain at\nits bound, Dmax Lmax + Dmax Hmax, and the "
           "routers saved and restored\n",
           run->out);
    paper_table (run, COST_LIST);
    print_degrees (run);
}

/* ---- figures ---- */

static const struct plot_line utilization_lines[] = {
    {"fcfs, powers", "lw 2 pt 9 ps 0.6 lc rgb '#969696'"},
    {"easy, powers", "lw 2 pt 5 ps 0.6 lc rgb '#2166ac'"},
    {"gang, uniform", "lw 2 pt 4 ps 0.6 dt 2 lc rgb '#d6604d'",
     "tree, uniform"},
    {"gang, single", "lw 2 pt 6 ps 0.6 dt 3 lc rgb '#f4a582'", "tree, single"},
    {"gang, small", "lw 2 pt 8 ps 0.6 dt 4 lc rgb '#762a83'", "tree, small"},
    {"gang, powers", "lw 2 pt 7 ps 0.6 lc rgb '#b2182b'", "tree, powers"}};

static const struct plot_line slowdown_lines[] = {
    {"fcfs, powers", "lw 2 pt 9 ps 0.6 lc rgb '#969696'", "fcfs, 1",
     "slowdown_1"},
    {"easy, powers", "lw 2 pt 4 ps 0.6 dt 2 lc rgb '#4393c3'", "easy, 1",
     "slowdown_1"},
    {"easy, powers", "lw 2 pt 5 ps 0.6 lc rgb '#2166ac'", "easy, 64",
     "slowdown_64"},
    {"gang, powers", "lw 2 pt 6 ps 0.6 dt 2 lc rgb '#d6604d'", "tree, 1",
     "slowdown_1"},
    {"gang, powers", "lw 2 pt 7 ps 0.6 lc rgb '#b2182b'", "tree, 64",
     "slowdown_64"}};

static const struct plot_line message_lines[] = {
    {"gang, single", "lw 2 pt 5 ps 0.6 lc rgb '#2166ac'",
     "busiest node, single", "busiest_s"},
    {"gang, single", "lw 2 pt 4 ps 0.6 dt 2 lc rgb '#4393c3'",
     "average node, single", "average_s"},
    {"gang, small", "lw 2 pt 7 ps 0.6 lc rgb '#b2182b'", "busiest node, small",
     "busiest_s"},
    {"gang, small", "lw 2 pt 6 ps 0.6 dt 2 lc rgb '#d6604d'",
     "average node, small", "average_s"}};

static const struct {
    const char *name, *part;
    struct plot plot;
} plots[] = {
    {"utilization",
     "loads",
     {"Utilization over offered load, 64 processors", "offered load, %",
      "processors in partitions held, %", "all that is offered",
      .across = "who", .x = "load", .y = "held",
      PLOT_LINES (utilization_lines)}},
    {"slowdown",
     "loads",
     {"Mean slowdown by size, 64 processors", "offered load, %",
      "mean slowdown", .y_most = 20, .across = "who", .x = "load",
      PLOT_LINES (slowdown_lines)}},
    {"messages",
     "machines",
     {"Messages per second, load 90 %, slots of 0.1 s", "processors",
      "messages per second", .logarithmic = true, .across = "who",
      .x = "processors", PLOT_LINES (message_lines)}},
};

/* The rows of a part follow each other. */
void queue_tree_draw (struct paper_run *run)
{
    const struct row *row = run->list[POINT_LIST].row;
    for (size_t p = 0; p < COUNT (plots); p++) {
        struct rows part = {row, 0, sizeof *row};
        for (size_t i = 0; i < run->list[POINT_LIST].n; i++)
            if (is_of_part (&row[i], plots[p].part)) {
                part.row = part.n ? part.row : &row[i];
                part.n++;
            }
        paper_plot (run, POINT_LIST, &part, plots[p].name, &plots[p].plot);
    }
}
