/* tori gang sim - jobs on the queue tree, beside batch queues. */
#include <string.h>

#include <tori/gang.h>

#include "commands.h"
#include "emit.h"
#include "gangsim.h"
#include "result.h"
#include "sharing.h"
#include "site.h"
#include "table.h"
#include "terminal.h"

struct values {
    struct site_files site;
    struct fraction load;
    int sizes;
    struct fraction service;
    int64_t jobs;
    int64_t seed;
    struct sharing sharing;
    struct strings scheds;
    bool json;
};

#define AT(member) .offset = offsetof (struct values, member)

static const char *size_names (size_t i)
{
    return gang_sizes_list (i) ? gang_sizes_list (i)->name : NULL;
}

static const struct option options[] = {
    SITE_MACHINE (struct values),
    {.name = "load",
     .kind = OPTION_FRACTION,
     AT (load),
     .value = "X",
     .positive = true,
     .fallback = "0.9",
     .help = "the offered load, counted in partitions; 1 is all that the "
             "machine can do"},
    {.name = "sizes",
     .kind = OPTION_CHOICE,
     AT (sizes),
     .value = "RULE",
     .choices = size_names,
     .fallback = "powers",
     .help = "how many processors jobs take"},
    {.name = "service",
     .kind = OPTION_FRACTION,
     AT (service),
     .value = "SLOTS",
     .positive = true,
     .max = 1000000,
     .fallback = "10",
     .help = "the mean of the exponential run time, which is rounded up to "
             "whole slots"},
    {.name = "jobs",
     .kind = OPTION_INTEGER,
     AT (jobs),
     .value = "N",
     .min = 1,
     .max = 100000000,
     .fallback = "20000",
     .help = "how many arrive"},
    {.name = "seed",
     .kind = OPTION_INTEGER,
     AT (seed),
     .value = "N",
     .max = INT64_MAX,
     .fallback = "1",
     .help = "fixes what is random"},
    SHARING_OPTIONS (struct values, ""),
    {.name = "sched",
     .kind = OPTION_STRINGS,
     AT (scheds),
     .value = "NAME",
     .choices = scheduler_names,
     .help = "a scheduler to run the same jobs by; may be repeated; gang, "
             "fcfs and easy if not given"},
    {.name = "json", .kind = OPTION_FLAG, AT (json), .help = "print JSON"},
    {.name = NULL},
};

enum { MAX_SCHEDS = 16 };

struct study {
    const struct values *values;
    tori_machine *machine;
    tori_sim_gang how;
    tori_workload workload;
    const char *sched[MAX_SCHEDS];
    struct gang_run run[MAX_SCHEDS];
    size_t n;
};

/* ---- what is asked for ---- */

static int choose_scheds (struct study *study, tori_error *err)
{
    static const char *const usual[] = {"gang", "fcfs", "easy"};
    const struct strings *typed = &study->values->scheds;
    study->n = typed->n ? typed->n : sizeof usual / sizeof *usual;
    if (study->n > MAX_SCHEDS)
        return tori_error_set (err, TORI_INVALID,
                               "--sched: more than %d of them", MAX_SCHEDS);
    for (size_t i = 0; i < study->n; i++) {
        int index;
        study->sched[i] = typed->n ? typed->item[i] : usual[i];
        if (choice_parse ("--sched", study->sched[i], scheduler_names, &index,
                          err)
            < 0)
            return -1;
    }
    return 0;
}

static int run_all (struct study *study, tori_error *err)
{
    const struct values *v = study->values;
    struct gang_jobs jobs = {
        .sizes = (size_t)v->sizes,
        .n = (size_t)v->jobs,
        .load = fraction_value (v->load),
        .service = fraction_value (v->service),
        .slot = study->how.slot,
        .seed = (uint64_t)v->seed,
    };
    struct progress progress;
    int status = gang_workload (study->machine, &jobs, &study->workload, err);
    progress_begin (&progress);
    for (size_t i = 0; status == 0 && i < study->n; i++) {
        progress_update (&progress, i, study->n, "schedulers");
        status = gang_run (study->machine, &study->workload, study->sched[i],
                           &study->how, &study->run[i], err);
    }
    progress_end (&progress);
    return status;
}

/* ---- the answer ---- */

static bool is_gang (const struct study *study, size_t i)
{
    return !strcmp (study->sched[i], "gang");
}

static double per_second (uint64_t messages, const struct gang_run *run)
{
    return run->result.makespan > 0
               ? (double)messages / run->result.makespan
               : 0;
}

static void emit_classes (struct emit *e, const struct gang_run *run)
{
    emit_open (e, "classes", '[');
    for (int i = 0; i < GANG_CLASSES; i++) {
        const struct gang_class *class = &run->class[i];
        if (class->jobs == 0)
            continue;
        emit_open (e, NULL, '{');
        emit_count (e, "size", UINT64_C (1) << i);
        emit_count (e, "jobs", class->jobs);
        emit_real (e, "response", class->response);
        emit_real (e, "wait", class->wait);
        emit_real (e, "slowdown", class->slowdown);
        emit_close (e, '}');
    }
    emit_close (e, ']');
}

static void emit_tree (struct emit *e, const struct gang_run *run)
{
    const tori_sim_gang_result *tree = &run->tree;
    emit_count (e, "turns", tree->turns);
    emit_count (e, "switches", tree->switches);
    emit_open (e, "messages", '{');
    emit_count (e, "total", tree->messages);
    emit_count (e, "root", tree->root);
    emit_count (e, "busiest", tree->busiest);
    emit_count (e, "busiest_node", tree->busiest_node);
    emit_real (e, "root_per_second", per_second (tree->root, run));
    emit_real (e, "busiest_per_second", per_second (tree->busiest, run));
    emit_close (e, '}');
}

static int emit_answer (const struct study *study, FILE *out, tori_error *err)
{
    struct emit e = emit_to (out);
    emit_open (&e, NULL, '{');
    emit_real (&e, "load", fraction_value (study->values->load));
    emit_open (&e, "schedulers", '[');
    for (size_t i = 0; i < study->n; i++) {
        const struct gang_run *run = &study->run[i];
        emit_open (&e, NULL, '{');
        emit_text (&e, "name", study->sched[i]);
        result_emit (&e, &run->result);
        emit_classes (&e, run);
        emit_real (&e, "spread", run->spread);
        emit_real (&e, "fairness", run->fairness);
        if (is_gang (study, i))
            emit_tree (&e, run);
        emit_close (&e, '}');
    }
    emit_close (&e, ']');
    emit_close (&e, '}');
    return emit_end (&e, err);
}

static int print_runs (const struct study *study, FILE *out, tori_error *err)
{
    static const struct table_column columns[] = {
        {"scheduler", TABLE_TEXT},     {"utilization", TABLE_NUMBER},
        {"response", TABLE_NUMBER},    {"p99", TABLE_NUMBER},
        {"wait", TABLE_NUMBER},        {"slowdown", TABLE_NUMBER},
        {"p99", TABLE_NUMBER},         {"fairness", TABLE_NUMBER},
    };
    struct table *table
        = table_create (columns, sizeof columns / sizeof *columns);
    int status;
    for (size_t i = 0; i < study->n; i++) {
        const struct gang_run *run = &study->run[i];
        table_cell (table, "%s", study->sched[i]);
        table_cell (table, "%.2f %%", 100 * run->result.utilization);
        table_cell (table, "%.1f", run->result.response.mean);
        table_cell (table, "%.1f", run->result.response.p99);
        table_cell (table, "%.1f", run->result.wait.mean);
        table_cell (table, "%.2f", run->result.slowdown.mean);
        table_cell (table, "%.1f", run->result.slowdown.p99);
        table_cell (table, "%.3f", run->fairness);
    }
    status = table_print (table, out, terminal_bold (), err);
    table_destroy (table);
    return status;
}

static int print_classes (const struct study *study, FILE *out,
                          tori_error *err)
{
    struct table_column columns[MAX_SCHEDS + 2]
        = {{"size", TABLE_NUMBER}, {"jobs", TABLE_NUMBER}};
    struct table *table;
    int status;
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
    status = table_print (table, out, terminal_bold (), err);
    table_destroy (table);
    return status;
}

static void print_tree (const struct gang_run *run, FILE *out)
{
    const tori_sim_gang_result *tree = &run->tree;
    fprintf (out,
             "\n%llu turns, %llu switches; messages a second: the root %.2f, "
             "the busiest node, %u, %.2f\n",
             (unsigned long long)tree->turns,
             (unsigned long long)tree->switches,
             per_second (tree->root, run), tree->busiest_node,
             per_second (tree->busiest, run));
}

static int print_answer (const struct study *study, FILE *out, tori_error *err)
{
    if (print_runs (study, out, err) < 0
        || print_classes (study, out, err) < 0)
        return -1;
    for (size_t i = 0; i < study->n; i++)
        if (is_gang (study, i))
            print_tree (&study->run[i], out);
    return 0;
}

static int run (const void *values, FILE *out, tori_error *err)
{
    struct study study = {.values = values};
    int status = -1;
    if (choose_scheds (&study, err) == 0
        && tori_machine_parse (study.values->site.machine, &study.machine, err)
               == 0
        && sharing_of (&study.values->sharing, &study.how, err) == 0
        && run_all (&study, err) == 0)
        status = study.values->json ? emit_answer (&study, out, err)
                                    : print_answer (&study, out, err);
    tori_workload_clear (&study.workload);
    tori_machine_destroy (study.machine);
    return status;
}

const struct command command_gang_sim = {
    .name = "sim",
    .summary = "Run jobs on the queue tree, and by batch schedulers",
    .notes = "Arrivals are a Poisson process, stretched until the offered "
             "load is exactly what is asked for. Batch schedulers get the "
             "same jobs as counts of nodes anywhere and know their run times. "
             "Times are in seconds. Fairness is Jain's index of the mean "
             "slowdowns by size: 1 if they are all the same.",
    .options = options,
    .size = sizeof (struct values),
    .examples = "tori gang sim --machine mesh:8x8 --load 0.99\n"
                "tori gang sim --machine mesh:2^12 --sizes small --slot 0.1 "
                "--switch-cost 0.0005 --sched gang --json",
    .run = run,
};
