/* tori gang sim - jobs on the queue tree, beside batch queues. */
#include <string.h>

#include <tori/gang.h>

#include "asked.h"
#include "commands.h"
#include "fieldrows.h"
#include "gangsim.h"
#include "result.h"
#include "sharing.h"
#include "machine_options.h"
#include "table.h"
#include "terminal.h"
#include "workload_options.h"

struct values {
    struct machine_options site;
    struct fraction load;
    int sizes;
    struct fraction service;
    int64_t jobs; /* 0: enough */
    struct fraction warm_up;
    int64_t seed;
    struct sharing sharing;
    struct strings scheds;
    bool json;
};

#define AT(member) offsetof (struct values, member)

static const char *size_names (size_t i)
{
    return gang_sizes_list (i) ? gang_sizes_list (i)->name : NULL;
}

static const struct option options[] = {
    SITE_MESH_OR_TORUS (struct values),
    {"load", OPTION_FRACTION, AT (load), "X", .positive = true,
     .fallback = "0.9",
     .help = "the offered load, from 0 to 2: processor time of the "
             "partitions that jobs hold over that of the machine"},
    {"sizes", OPTION_CHOICE, AT (sizes), "RULE", .choices = size_names,
     .fallback = "powers", .help = "the distribution of job sizes"},
    {"service", OPTION_FRACTION, AT (service), "SLOTS", .positive = true,
     .max = 1000000, .fallback = "10",
     .help = "the mean run time; run times are exponential, rounded up to "
             "whole slots"},
    {"jobs", OPTION_INTEGER, AT (jobs), "N", .min = 1, .max = 100000000,
     .help = "the number of jobs; if not given, enough for a steady state: "
             "20000 to 1000000, by load, sizes and machine"},
    {"warm-up", OPTION_FRACTION, AT (warm_up), "X", .fallback = "0.1",
     .help = "the fraction of the jobs to leave out at the beginning, and "
             "again at the end; below 1/2"},
    {"seed", OPTION_INTEGER, AT (seed), "N", .max = INT64_MAX, .fallback = "1",
     .help = "seed of all random choices"},
    SHARING_OPTIONS (struct values, ""),
    {"sched", OPTION_STRINGS, AT (scheds), "NAME", .choices = scheduler_names,
     .help = "a scheduler that runs the same jobs; gang, fcfs and easy if not "
             "given"},
    OPTION_ROW_JSON (struct values),
    {.name = NULL},
};

enum { MAX_SCHEDS = 16 };

struct study {
    const struct values *values;
    tori_machine *machine;
    struct sharing_how sharing;
    struct gang_work work;
    const char *sched[MAX_SCHEDS];
    struct gang_run run[MAX_SCHEDS];
    size_t n;
    double load;
    double begin, end; /* of what is measured, in seconds */
};

/* ---- the request ---- */

static int choose_scheds (struct study *study, tori_error *err)
{
    static const char *const usual[] = {"gang", "fcfs", "easy"};
    const struct strings *typed = &study->values->scheds;
    study->n = typed->n ? typed->n : sizeof usual / sizeof *usual;
    if (study->n > MAX_SCHEDS)
        return tori_error_set (err, TORI_INVALID,
                               "--sched: more than %d schedulers", MAX_SCHEDS);
    for (size_t i = 0; i < study->n; i++) {
        int index;
        study->sched[i] = typed->n ? typed->item[i] : usual[i];
        if (choice_parse ("--sched", study->sched[i], scheduler_names, &index,
                          err)
            < 0)
            return -1;
        for (size_t j = 0; j < i; j++)
            if (!strcmp (study->sched[i], study->sched[j]))
                return tori_error_set (err, TORI_INVALID,
                                       "--sched: %s is given twice",
                                       study->sched[i]);
    }
    return 0;
}

/* A load of twice the machine's capacity is the limit: above 1 there is no
 * steady state anyway. */
static int check_values (const struct values *v, tori_error *err)
{
    const double most = 2;
    if (load_check (v->load, most, err) < 0)
        return -1;
    if (fraction_value (v->warm_up) >= 0.5)
        return tori_error_set (err, TORI_INVALID,
                               "--warm-up: %g is not below 1/2",
                               fraction_value (v->warm_up));
    return 0;
}

static int draw_workload (struct study *study, tori_error *err)
{
    const struct values *v = study->values;
    struct gang_jobs jobs = {
        .sizes = (size_t)v->sizes,
        .n = (size_t)v->jobs,
        .load = study->load,
        .service = fraction_value (v->service),
        .warm_up = fraction_value (v->warm_up),
        .degree = study->sharing.gang.degree,
        .slot = study->sharing.gang.slot,
        .seed = (uint64_t)v->seed,
    };
    if (jobs.n == 0
        && gang_jobs_enough (study->machine, &jobs, &jobs.n, err) < 0)
        return -1;
    return gang_workload (study->machine, &jobs, &study->work, err);
}

static int run_all (struct study *study, tori_error *err)
{
    struct progress progress;
    int status = draw_workload (study, err);
    progress_begin (&progress);
    for (size_t i = 0; status == 0 && i < study->n; i++) {
        progress_update (&progress, i, study->n, "schedulers");
        status = gang_run (study->machine, &study->work, study->sched[i],
                           &study->sharing.gang, &study->run[i], err);
    }
    progress_end (&progress);
    return status;
}

/* ---- the answer ---- */

static bool is_gang (const char *sched)
{
    return !strcmp (sched, "gang");
}

static double seconds (tori_time ticks)
{
    return (double)ticks / (double)TORI_SECOND;
}

static double per_second (uint64_t messages, const struct gang_run *run)
{
    return (double)messages / run->seconds;
}

struct class_row {
    uint64_t size;
    struct gang_class is;
};

#undef AT
#define AT(member) FIELD_AT (struct class_row, member)
static const struct field class_fields[] = {
    {"size", FIELD_COUNT, AT (size), "jobs of up to this many nodes"},
    {"jobs", FIELD_SIZE, AT (is.jobs), "how many there are"},
    {"response", FIELD_REAL, AT (is.response), "mean response", "s"},
    {"wait", FIELD_REAL, AT (is.wait), "mean wait", "s"},
    {"slowdown", FIELD_REAL, AT (is.slowdown), "mean slowdown"},
};
SHEET (class);

/* A scheduler as a row of the answer. */
struct sched_row {
    const char *name;
    const struct gang_run *run;
    tori_sim_result result;
    double spread, fairness;
    tori_sim_gang_result tree;
    double switch_least, switch_most;
    double root_per_second, busiest_per_second;
};

static struct sched_row row_of (const char *name, const struct gang_run *run)
{
    const tori_sim_gang_result *tree = &run->tree;
    return (struct sched_row){
        .name = name,
        .run = run,
        .result = run->result,
        .spread = run->spread,
        .fairness = run->fairness,
        .tree = *tree,
        .switch_least = seconds (tree->switch_least),
        .switch_most = seconds (tree->switch_most),
        .root_per_second = per_second (tree->root, run),
        .busiest_per_second = per_second (tree->busiest, run),
    };
}

static void emit_classes (struct emit *e, const struct field *field,
                          const void *arg)
{
    const struct gang_run *run = ((const struct sched_row *)arg)->run;
    emit_open (e, field->name, '[');
    for (int i = 0; i < GANG_CLASSES; i++) {
        struct class_row row = {UINT64_C (1) << i, run->class[i]};
        if (row.is.jobs > 0)
            sheet_emit_object (e, NULL, field->group, &row);
    }
    emit_close (e, ']');
}

static bool has_tree (const struct field *field, const void *arg)
{
    return is_gang (((const struct sched_row *)arg)->name);
}

#undef AT
#define AT(member) FIELD_AT (struct sched_row, member)
static const struct field cost_fields[] = {
    {"least", FIELD_REAL, AT (switch_least), "the least", "s"},
    {"most", FIELD_REAL, AT (switch_most), "the most", "s"},
};
SHEET (cost);

static const struct field messages_fields[] = {
    {"total", FIELD_COUNT, AT (tree.messages), "of all nodes of the tree"},
    {"root", FIELD_COUNT, AT (tree.root), "of the root"},
    {"busiest", FIELD_COUNT, AT (tree.busiest), "of the busiest node"},
    {"busiest_node", FIELD_UINT, AT (tree.busiest_node), "which one that is"},
    {"root_per_second", FIELD_REAL, AT (root_per_second),
     "of the root, per second"},
    {"busiest_per_second", FIELD_REAL, AT (busiest_per_second),
     "of the busiest node, per second"},
};
SHEET (messages);

static const struct field tree_fields[] = {
    {"turns", FIELD_COUNT, AT (tree.turns), "turns of all jobs"},
    {"switches", FIELD_COUNT, AT (tree.switches),
     "turns in which the process changed"},
    {"switch_cost", FIELD_GROUP, .about = "what a switch costs",
     .group = &cost_sheet},
    {"messages", FIELD_GROUP, .about = "messages in the queue tree",
     .group = &messages_sheet},
};
SHEET (tree);

static const struct field sched_fields[] = {
    {"name", FIELD_TEXT, AT (name), "the scheduler"},
    {"held", FIELD_REAL, AT (result.held), "node-time that jobs held, of all"},
    {.kind = FIELD_BESIDE, AT (result), .group = &result_sheet},
    {"classes", FIELD_LIST, .about = "jobs by their size",
     .group = &class_sheet, .by = emit_classes},
    {"spread", FIELD_REAL, AT (spread),
     "the largest mean slowdown of a class over the smallest"},
    {"fairness", FIELD_REAL, AT (fairness),
     "Jain's index of the slowdowns, from 0 to 1"},
    {.kind = FIELD_BESIDE, .group = &tree_sheet, .when = has_tree},
};
SHEET (sched);

static void emit_scheds (struct emit *e, const struct field *field,
                         const void *arg)
{
    const struct study *study = arg;
    emit_open (e, field->name, '[');
    for (size_t i = 0; i < study->n; i++) {
        struct sched_row row = row_of (study->sched[i], &study->run[i]);
        sheet_emit_object (e, NULL, field->group, &row);
    }
    emit_close (e, ']');
}

#undef AT
#define AT(member) FIELD_AT (struct study, member)
static const struct field window_fields[] = {
    {"begin", FIELD_REAL, AT (begin), "when measuring begins", "s"},
    {"end", FIELD_REAL, AT (end), "when it ends", "s"},
};
SHEET (window);

static const struct field gang_sim_fields[] = {
    {"load", FIELD_REAL, AT (load), "the offered load"},
    {"arrivals", FIELD_SIZE, AT (work.workload.n), "jobs that arrived"},
    {"window", FIELD_GROUP, .about = "the part that is measured",
     .group = &window_sheet},
    {"schedulers", FIELD_LIST, .about = "what each did", .group = &sched_sheet,
     .by = emit_scheds},
};
static ANSWER (gang_sim);

static int emit_answer (struct study *study, FILE *out, tori_error *err)
{
    study->begin = seconds (study->work.window.begin);
    study->end = seconds (study->work.window.end);
    return asked_emit (&command_gang_sim, study->values, study, out, err);
}

/* The number of decimals that show a tenth of a slot, however short slots
 * are. */
static int count_decimals (const struct study *study)
{
    int n = 1;
    for (tori_time slot = study->sharing.gang.slot; slot < TORI_SECOND; slot *= 10)
        n++;
    return n;
}

static void print_head (const struct study *study, FILE *out)
{
    double load = study->load;
    size_t jobs = study->run[0].result.jobs, all = study->work.workload.n;
    fprintf (out,
             "offered: %.2f %% of the processors in partitions, %.2f %% asked "
             "for\n%zu of %zu jobs measured, over %.*f s\n",
             100 * load, 100 * load * study->work.asked, jobs, all,
             count_decimals (study) - 1, study->run[0].seconds);
    if (load >= 1)
        fputs ("there is no steady state at this load: the results grow "
               "with the number of jobs\n",
               out);
    fputc ('\n', out);
}

static int print_runs (const struct study *study, FILE *out, tori_error *err)
{
    static const struct table_column columns[] = {
        {"scheduler", TABLE_TEXT}, {"utilization", TABLE_NUMBER},
        {"held", TABLE_NUMBER},    {"response", TABLE_NUMBER},
        {"p99", TABLE_NUMBER},     {"wait", TABLE_NUMBER},
        {"slowdown", TABLE_NUMBER}, {"p99", TABLE_NUMBER},
        {"fairness", TABLE_NUMBER},
    };
    struct table *table
        = table_create (columns, sizeof columns / sizeof *columns);
    int places = count_decimals (study);
    for (size_t i = 0; i < study->n; i++) {
        const struct gang_run *run = &study->run[i];
        table_cell (table, "%s", study->sched[i]);
        table_cell (table, "%.2f %%", 100 * run->result.utilization);
        table_cell (table, "%.2f %%", 100 * run->result.held);
        table_cell (table, "%.*f", places, run->result.response.mean);
        table_cell (table, "%.*f", places, run->result.response.p99);
        table_cell (table, "%.*f", places, run->result.wait.mean);
        table_cell (table, "%.2f", run->result.slowdown.mean);
        table_cell (table, "%.1f", run->result.slowdown.p99);
        table_cell (table, "%.3f", run->fairness);
    }
    return table_print (table, out, terminal_bold (), err);
}

static int print_classes (const struct study *study, FILE *out,
                          tori_error *err)
{
    struct table_column columns[MAX_SCHEDS + 2]
        = {{"size", TABLE_NUMBER}, {"jobs", TABLE_NUMBER}};
    struct table *table;
    for (size_t i = 0; i < study->n; i++)
        columns[i + 2]
            = (struct table_column){study->sched[i], TABLE_NUMBER};
    table = table_create (columns, study->n + 2);
    for (int c = 0; c < GANG_CLASSES; c++) {
        if (study->run[0].class[c].jobs == 0)
            continue;
        table_cell (table, "%llu", 1ULL << c);
        table_cell (table, "%zu", study->run[0].class[c].jobs);
        for (size_t i = 0; i < study->n; i++)
            table_cell (table, "%.2f", study->run[i].class[c].slowdown);
    }
    fputs ("\nslowdown by size, up to:\n", out);
    return table_print (table, out, terminal_bold (), err);
}

static void print_tree (const struct gang_run *run, FILE *out)
{
    const tori_sim_gang_result *tree = &run->tree;
    fprintf (out, "\n%llu turn%s, %llu switch%s",
             (unsigned long long)tree->turns, tree->turns == 1 ? "" : "s",
             (unsigned long long)tree->switches,
             tree->switches == 1 ? "" : "es");
    if (tree->switch_least < tree->switch_most)
        fprintf (out,
                 " of %lld us on the smallest partitions to %lld us on the "
                 "whole machine",
                 (long long)tree->switch_least, (long long)tree->switch_most);
    fprintf (out,
             "\nmessages per second: %.2f at the root, %.2f at the busiest "
             "node, %u\n",
             per_second (tree->root, run), per_second (tree->busiest, run),
             tree->busiest_node);
}

static int print_answer (const struct study *study, FILE *out, tori_error *err)
{
    print_head (study, out);
    if (print_runs (study, out, err) < 0
        || print_classes (study, out, err) < 0)
        return -1;
    for (size_t i = 0; i < study->n; i++)
        if (is_gang (study->sched[i]))
            print_tree (&study->run[i], out);
    return 0;
}

static int run_gang_sim (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    struct study study = {.values = v, .load = fraction_value (v->load)};
    int status = -1;
    if (check_values (study.values, err) == 0
        && choose_scheds (&study, err) == 0
        && tori_machine_parse (study.values->site.machine, &study.machine, err)
               == 0
        && sharing_of (&study.values->sharing, &study.sharing, err)
               == 0
        && run_all (&study, err) == 0)
        status = study.values->json ? emit_answer (&study, out, err)
                                    : print_answer (&study, out, err);
    gang_work_clear (&study.work);
    tori_machine_destroy (study.machine);
    return status;
}

const struct command command_gang_sim = {
    .name = "sim",
    .path = "gang sim",
    .summary = "Compare the queue tree with batch schedulers",
    .notes = "The load counts partitions: a job of 5 processors holds a "
             "partition of 8, or the smallest one of the tree that is large "
             "enough. Utilization is the processor time that jobs asked for "
             "and got, and held is that of the partitions they got it in, "
             "both relative to the whole machine. While the machine keeps "
             "up, held equals the load. Both are measured from the first "
             "arrival after the warm-up to the first arrival after the "
             "measured jobs. The other columns are of the jobs that arrive "
             "in this time, followed to their end. Arrivals are a Poisson "
             "process, stretched to match the offered load exactly. Batch "
             "schedulers get the same jobs as numbers of nodes anywhere, "
             "hold what was asked for, and know run times. Times are in "
             "seconds. Fairness is Jain's index of the mean slowdowns by "
             "size: 1 if all are equal.",
    .options = options,
    .size = sizeof (struct values),
    .examples = "tori gang sim --machine mesh:8x8 --load 0.99\n"
                "tori gang sim --machine mesh:2^12 --sizes small --slot 0.1 "
                "--switch-cost 0.0005 --sched gang --json\n"
                "tori gang sim --machine mesh:2^10 --slot 0.01 --switch-model "
                "drain",
    .answer = &answer_gang_sim,
    .run = run_gang_sim,
};
