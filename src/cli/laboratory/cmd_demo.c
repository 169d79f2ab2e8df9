/* tori demo - what a multi-torus is good for, on a workload that needs no log:
 * the comparison of Aridor et al., "Multi-Toroidal Interconnects", 2004, at
 * one offered load. */
#include "asked.h"
#include "commands.h"
#include "emit.h"
#include "fields.h"
#include "number.h"
#include "table.h"
#include "terminal.h"
#include "work.h"

#include <tori/tori.h>

struct values {
    int64_t jobs;
    struct fraction load;
    int64_t seed;
    bool json;
};

static const struct option options[] = {
    {"jobs", OPTION_INTEGER, offsetof (struct values, jobs), "N", .min = 1,
     .max = INT32_MAX, .fallback = "5000", .help = "the number of jobs"},
    {"load", OPTION_FRACTION, offsetof (struct values, load), "X",
     .positive = true, .fallback = "0.9", .help = "the offered load, up to 5"},
    OPTION_ROW_SEED (struct values, "seed of the workload"),
    OPTION_ROW_JSON (struct values),
    {.name = NULL},
};

/* The machines and what jobs ask of them, and the schedulers to try. */
static const struct scenario {
    const char *machine;
    const char *jobs;
    double torus_fraction;
} scenarios[] = {
    {"torus:8x8x8", "all mesh", 0},
    {"torus:8x8x8", "half torus", 0.5},
    {"torus:8x8x8", "all torus", 1},
    {"multitorus:8x8x8", "all torus", 1},
};

static const char *const policies[] = {"fcfs", "backfill", "easy"};

enum {
    SCENARIOS = sizeof scenarios / sizeof *scenarios,
    POLICIES = sizeof policies / sizeof *policies,
};

typedef tori_sim_result grid_of_results[SCENARIOS][POLICIES];

static int run_policies (const struct values *v, const tori_machine *machine,
                         const struct scenario *scenario,
                         tori_sim_result ret_results[POLICIES],
                         tori_error *err)
{
    tori_workload workload = {0};
    tori_workload_options how = {
        .size = sizeof how,
        .shaping = TORI_SHAPE_FIRST_MATCH,
        .wiring = TORI_WIRE_TORUS,
        .torus_fraction = scenario->torus_fraction,
        .load = fraction_value (v->load),
        .seed = (uint64_t)v->seed,
        .jobs = (size_t)v->jobs,
    };
    int status = tori_workload_model ("lublin", machine, &how, &workload, err);
    for (int i = 0; status == 0 && i < POLICIES; i++) {
        tori_sim_config config = {
            .size = sizeof config,
            .machine = machine,
            .sched = TORI_SCHED (policies[i], TORI_ALLOC ("first-fit")),
            .no_pairwise = true,
        };
        status = tori_sim_run (&config, &workload, &ret_results[i], err);
    }
    tori_workload_clear (&workload);
    return status;
}

static int run_scenarios (const struct values *v, grid_of_results ret_results,
                          tori_error *err)
{
    struct progress progress;
    int status = 0;
    progress_begin (&progress);
    for (int i = 0; status == 0 && i < SCENARIOS; i++) {
        tori_machine *machine = NULL;
        status = tori_machine_parse (scenarios[i].machine, &machine, err);
        if (status == 0)
            status =
                run_policies (v, machine, &scenarios[i], ret_results[i], err);
        tori_machine_destroy (machine);
        progress_update (&progress, (size_t)i + 1, SCENARIOS, "scenarios");
    }
    progress_end (&progress);
    return status;
}

static int print_results (const struct values *v, grid_of_results results,
                          FILE *out, tori_error *err)
{
    static const struct table_column columns[] = {
        {"machine", TABLE_TEXT}, {"jobs", TABLE_TEXT},
        {"fcfs", TABLE_NUMBER},  {"backfill", TABLE_NUMBER},
        {"easy", TABLE_NUMBER},  {"wait under easy", TABLE_NUMBER},
    };
    struct table *table =
        table_create (columns, sizeof columns / sizeof *columns);
    int status;
    for (int i = 0; i < SCENARIOS; i++) {
        table_cell (table, "%s", scenarios[i].machine);
        table_cell (table, "%s", scenarios[i].jobs);
        for (int j = 0; j < POLICIES; j++)
            table_cell (table, "%.1f %%", 100 * results[i][j].utilization);
        table_cell (table, "%.1f h", results[i][2].wait.mean / 3600);
    }
    fprintf (out,
             "Utilization by %lld jobs of the model of Lublin and Feitelson, "
             "offered load %.0f %%:\n\n",
             (long long)v->jobs, 100 * fraction_value (v->load));
    status = table_print (table, out, terminal_bold (), err);
    table_destroy (table);
    return status;
}

static int emit_results (const struct values *v, grid_of_results results,
                         FILE *out, tori_error *err)
{
    struct emit e = emit_to (out);
    asked_open (&e, "demo", &command_demo, v);
    emit_open (&e, "results", '[');
    for (int i = 0; i < SCENARIOS; i++)
        for (int j = 0; j < POLICIES; j++) {
            emit_open (&e, NULL, '{');
            emit_text (&e, "machine", scenarios[i].machine);
            emit_real (&e, "torus_fraction", scenarios[i].torus_fraction);
            emit_text (&e, "sched", policies[j]);
            emit_real (&e, "offered", results[i][j].offered);
            emit_real (&e, "utilization", results[i][j].utilization);
            emit_real (&e, "wait", results[i][j].wait.mean);
            emit_close (&e, '}');
        }
    emit_close (&e, ']');
    emit_close (&e, '}');
    return emit_end (&e, err);
}

static int run (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    grid_of_results results;
    if (load_check (v->load, WORK_MOST_LOAD, err) < 0
        || run_scenarios (v, results, err) < 0)
        return -1;
    return v->json ? emit_results (v, results, out, err)
                   : print_results (v, results, out, err);
}

const struct command command_demo = {
    .name = "demo",
    .summary = "Compare a torus with a multi-torus on a built-in workload",
    .notes = "Jobs ask for boxes wired as a mesh or as a torus. Few tori "
             "fit side by side on a plain torus. A multi-torus can wire any "
             "free box as a torus.",
    .options = options,
    .size = sizeof (struct values),
    .examples = "tori demo\n"
                "tori demo --load 0.6 --jobs 20000",
    .answer = &answer_demo,
    .run = run,
};
