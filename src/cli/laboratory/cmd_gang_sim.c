/* tori gang sim - jobs on the queue tree, beside batch queues. */
#include <string.h>

#include <tori/gang.h>

#include "asked.h"
#include "commands.h"
#include "emit.h"
#include "fields.h"
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
    tori_sim_preempt preempt;
    tori_sim_gang how;
    struct gang_work work;
    const char *sched[MAX_SCHEDS];
    struct gang_run run[MAX_SCHEDS];
    size_t n;
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
        .load = fraction_value (v->load),
        .service = fraction_value (v->service),
        .warm_up = fraction_value (v->warm_up),
        .degree = study->how.degree,
        .slot = study->how.slot,
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

static double seconds (tori_time ticks)
{
    return (double)ticks / (double)TORI_SECOND;
}

static double per_second (uint64_t messages, const struct gang_run *run)
{
    return (double)messages / run->seconds;
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
    emit_open (e, "switch_cost", '{');
    emit_real (e, "least", seconds (tree->switch_least));
    emit_real (e, "most", seconds (tree->switch_most));
    emit_close (e, '}');
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
    asked_open (&e, "gang sim", &command_gang_sim, study->values);
    emit_real (&e, "load", fraction_value (study->values->load));
    emit_count (&e, "arrivals", study->work.workload.n);
    emit_open (&e, "window", '{');
    emit_real (&e, "begin", seconds (study->work.window.begin));
    emit_real (&e, "end", seconds (study->work.window.end));
    emit_close (&e, '}');
    emit_open (&e, "schedulers", '[');
    for (size_t i = 0; i < study->n; i++) {
        const struct gang_run *run = &study->run[i];
        emit_open (&e, NULL, '{');
        emit_text (&e, "name", study->sched[i]);
        emit_real (&e, "held", run->result.held);
        sheet_emit (&e, &result_sheet, &run->result);
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

/* The number of decimals that show a tenth of a slot, however short slots
 * are. */
static int count_decimals (const struct study *study)
{
    int n = 1;
    for (tori_time slot = study->how.slot; slot < TORI_SECOND; slot *= 10)
        n++;
    return n;
}

static void print_head (const struct study *study, FILE *out)
{
    double load = fraction_value (study->values->load);
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
        if (is_gang (study, i))
            print_tree (&study->run[i], out);
    return 0;
}

static int run_gang_sim (const void *values, FILE *out, tori_error *err)
{
    struct study study = {.values = values};
    int status = -1;
    if (check_values (study.values, err) == 0
        && choose_scheds (&study, err) == 0
        && tori_machine_parse (study.values->site.machine, &study.machine, err)
               == 0
        && sharing_of (&study.values->sharing, &study.preempt, &study.how, err)
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
