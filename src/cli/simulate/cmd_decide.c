/* tori decide - compares the decisions of allocators, each in the situations
 * that the decisions of each of them lead to. The options are checked here; the
 * rest is python/tori/lab/commands/decide.py. */
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "lab_command.h"
#include "names.h"
#include "plugin.h"
#include "machine_options.h"
#include "tuning.h"
#include "workload_options.h"

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
    const tori_alloc_info **info;
    size_t n;
};

static int add_name (struct names *names, const char *text, tori_error *err)
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
        if (!strcmp (names->info[i]->name, info->name))
            return tori_error_set (err, TORI_INVALID,
                                   "--allocs: %s is given twice", text);
    names->info[names->n++] = info;
    return 0;
}

static int parse_names (const char *list, struct names *ret_names,
                        tori_error *err)
{
    struct names *names = ret_names;
    char *rest, *text;
    *names = (struct names){.text = strdup (list)};
    names->info = calloc (strlen (list) + 1, sizeof *names->info);
    if (!names->text || !names->info)
        return tori_error_nomem (err);
    rest = names->text;
    while ((text = strsep (&rest, ",")))
        if (add_name (names, text, err) < 0)
            return -1;
    return 0;
}

/* At least one allocator must use each option, and shapes. */
static int check_names (const struct values *v, const struct names *names,
                        tori_error *err)
{
    tori_alloc_info any = {.name = names->info[0]->name};
    for (size_t i = 0; i < names->n; i++) {
        any.flags |= names->info[i]->flags;
        any.takes |= names->info[i]->takes;
    }
    if (tuning_check (&v->tuning, &any, err) < 0)
        return -1;
    if (any.takes & TORI_BY_SHAPE
        || shaping_chosen (v->shapes) == TORI_SHAPE_NONE)
        return 0;
    return tori_error_set (err, TORI_INVALID,
                           "--shapes: %s takes no shape; mc does", any.name);
}

static int run_decide (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    struct names names = {0};
    int status = -1;
    if (workload_options_check (&v->work, err) == 0
        && parse_names (v->allocs, &names, err) == 0)
        status = check_names (v, &names, err);
    free (names.text);
    free (names.info);
    return status < 0 ? -1 : lab_become (&command_decide, v, err);
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
    .run = run_decide,
};
