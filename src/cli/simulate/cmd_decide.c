/* tori decide - compares the decisions of allocators, each in the situations
 * that the decisions of each of them lead to. */
#include <stdlib.h>
#include <string.h>

#include "asked.h"
#include "commands.h"
#include "matrix.h"
#include "names.h"
#include "plugin.h"
#include "machine_options.h"
#include "terminal.h"
#include "tuning.h"
#include "workload_options.h"

static const uint64_t DECIDE_STEPS = UINT64_C (1) << 26;

struct values {
    struct machine_options site;
    struct workload_options work;
    const char *allocs;
    int shapes;
    struct tuning tuning;
    int64_t workers;
    bool json;
};

#define AT(member) offsetof (struct values, member)

static const struct option options[] = {
    SITE_MESH_OR_TORUS (struct values),
    WORK_SOURCE (struct values),
    {"allocs", OPTION_STRING, AT (allocs), "LIST",
     .fallback = "mc1x1,mm,mm+inc,hilbert-bf",
     .help = "allocators that take a count, separated by commas; ./mine.so "
             "is one of your own (man tori_plugin)"},
    {"shapes", OPTION_CHOICE, AT (shapes), "RULE", .choices = shaping_names,
     .fallback = "count",
     .help = "how mc turns a number of nodes into a box; the others are "
             "asked for the number"},
    TUNING_COUNT (struct values),
    WORK_POLICY (struct values, batch_names, "fcfs"),
    WORK_CHANGES (struct values),
    SITE_DOWN (struct values),
    SITE_WRAP_ROW (struct values, SITE_WRAP_HELP, .with = "down"),
    OPTION_ROW_WORKERS (struct values,
                        "how many rows are computed in parallel"),
    OPTION_ROW_JSON (struct values),
    {.name = NULL},
};

/* ---- the allocators ---- */

struct names {
    char *text; /* the list, cut at its commas */
    const char **item;
    const tori_alloc_info **info;
    const tori_alloc_ops **ops; /* of those that are not tori's */
    size_t n;
};

static int add_name (struct names *names, char *text, tori_error *err)
{
    const tori_alloc_info *info;
    if (plugin_find (text, "--allocs", &info, err) < 0)
        return -1;
    if (!(info->takes & TORI_BY_COUNT))
        return tori_error_set (err, TORI_INVALID,
                               "--allocs: %s takes no count; see 'tori list "
                               "allocators'",
                               info->name);
    for (size_t i = 0; i < names->n; i++)
        if (!strcmp (names->item[i], info->name))
            return tori_error_set (err, TORI_INVALID,
                                   "--allocs: %s is given twice", text);
    names->info[names->n] = info;
    names->ops[names->n] = allocator_ops (info);
    names->item[names->n++] = info->name;
    return 0;
}

static int parse_names (const char *list, struct names *ret_names,
                        tori_error *err)
{
    struct names *names = ret_names;
    char *rest, *text;
    *names = (struct names){.text = strdup (list)};
    names->item = calloc (strlen (list) + 1, sizeof *names->item);
    names->info = calloc (strlen (list) + 1, sizeof *names->info);
    names->ops = calloc (strlen (list) + 1, sizeof *names->ops);
    if (!names->text || !names->item || !names->info || !names->ops)
        return tori_error_nomem (err);
    rest = names->text;
    while ((text = strsep (&rest, ",")))
        if (add_name (names, text, err) < 0)
            return -1;
    return 0;
}

/* At least one allocator must use shapes. */
static int check_shapes (const struct values *v, const struct names *names,
                         tori_error *err)
{
    for (size_t i = 0; i < names->n; i++)
        if (names->info[i]->takes & TORI_BY_SHAPE)
            return 0;
    if (shaping_chosen (v->shapes) == TORI_SHAPE_NONE)
        return 0;
    return tori_error_set (err, TORI_INVALID,
                           "--shapes: %s takes no shape; mc does",
                           names->item[0]);
}

/* At least one allocator must use each option. */
static int check_tuning (const struct values *v, const struct names *names,
                         tori_error *err)
{
    tori_alloc_info any = {.name = names->item[0]};
    for (size_t i = 0; i < names->n; i++)
        any.flags |= names->info[i]->flags;
    return tuning_check (&v->tuning, &any, err);
}

static void names_clear (struct names *names)
{
    free (names->text);
    free (names->item);
    free (names->info);
    free (names->ops);
}

/* ---- the experiment ---- */

struct experiment {
    const struct values *values;
    struct site site;
    tori_workload workload;
    struct names names;
    struct matrix matrix;
    struct progress progress;
};

static void on_progress (void *arg, size_t decided, size_t total)
{
    struct experiment *x = arg;
    progress_update (&x->progress, decided, total, "jobs");
}

static int compute_experiment (struct experiment *x, tori_error *err)
{
    const struct values *v = x->values;
    tori_alloc_config tuning = tuning_of (&v->tuning, NULL);
    tori_decide_config config = {
        .size = sizeof config,
        .machine = x->site.machine,
        .sched = TORI_SCHED (scheduler_names ((size_t)v->work.sched),
                             .order = workload_order (&v->work),
                             .depth = (uint32_t)v->work.depth),
        .nallocs = x->names.n,
        .on_progress = on_progress,
        .arg = x,
        .initial = x->site.state,
    };
    int status;
    if (!tuning.steps)
        tuning.steps = DECIDE_STEPS;
    progress_begin (&x->progress);
    status = matrix_compute (&config, x->names.item, x->names.ops, &tuning,
                             &x->workload, (unsigned)v->workers, &x->matrix, err);
    progress_end (&x->progress);
    if (status == 0 && x->matrix.result.jobs == 0)
        return tori_error_set (err, TORI_INVALID,
                               "%s: none of %zu jobs ran, so there is nothing "
                               "to compare",
                               workload_name (&v->work), x->workload.n);
    return status;
}

static int print_answer (const struct experiment *x, FILE *out,
                         tori_error *err)
{
    const struct workload_options *work = &x->values->work;
    char machine[TORI_TEXT_MAX];
    tori_machine_format (x->site.machine, machine);
    fprintf (out, "%s on %s: %s, %s order, %zu jobs run, %zu rejected\n",
             workload_name (work), machine,
             scheduler_names ((size_t)work->sched),
             tori_order_name (workload_order (work)), x->matrix.result.jobs,
             x->matrix.result.rejected);
    fputs ("mean sum of pairwise distances of a job\nrows: the allocator "
           "that places the jobs; columns: the allocator that is asked\n\n",
           out);
    return matrix_print (&x->matrix, out, terminal_bold (), err);
}

static int run_decide (const void *values, FILE *out, tori_error *err)
{
    struct experiment x = {.values = values};
    const struct values *v = values;
    tori_workload_options how = {.size = sizeof how,
                                 .shaping = shaping_chosen (v->shapes)};
    int status = -1;
    if (workload_options_check (&v->work, err) == 0
        && parse_names (v->allocs, &x.names, err) == 0
        && check_tuning (v, &x.names, err) == 0
        && check_shapes (v, &x.names, err) == 0
        && site_open (&v->site, &x.site, err) == 0
        && workload_load (&v->work, x.site.machine, how, &x.workload, err) == 0
        && compute_experiment (&x, err) == 0)
        status = v->json ? asked_emit (&command_decide, v, &x.matrix, out, err)
                         : print_answer (&x, out, err);
    matrix_clear (&x.matrix);
    tori_workload_clear (&x.workload);
    site_close (&x.site);
    names_clear (&x.names);
    return status;
}

const struct command command_decide = {
    .name = "decide",
    .summary = "Compare the decisions of allocators in the same situations",
    .notes = "One allocator places the jobs. Whenever a job starts, every "
             "other allocator is asked where it would put that job. Its sum "
             "of pairwise distances is counted, but the job is not put "
             "there. This is repeated with each allocator placing the jobs: "
             "the experiment of Bender et al., \"Communication-Aware "
             "Processor Allocation for Supercomputers\", 2005. exact "
             "gives up a search that takes more than --steps, and ptas "
             "refuses one that would. Such a job is left out of their mean, "
             "which is marked, and a second "
             "table covers the jobs that every allocator decided. A row "
             "ends if the allocator that places gives up. With --json "
             "\"left_out\", \"common\" and \"ended\" tell this; they are "
             "present only if a search gave up.",
    .options = options,
    .size = sizeof (struct values),
    .examples = "tori decide --machine mesh:16x16 --trace FILE.swf.gz "
                "--limit 5000\n"
                "tori decide --machine torus:8x8x8 --allocs mm,mc1x1 "
                "--load 0.8 --json\n"
                "tori decide --machine mesh:8x8 --allocs mm,exact --steps "
                "1000000 --jobs 100",
    .status = {[2] = "bad usage, bad input, or every allocator that places "
                     "gave up"},
    .answer = &matrix_sheet,
    .run = run_decide,
};
