/* tori report - a sweep as one HTML page that opens from disk. The options are
 * read here; the rest is python/tori/lab/commands/report.py. */
#include "commands.h"
#include "groups.h"
#include "lab_command.h"

struct values {
    const char *dir;
    const char *out;
    int64_t cell, workers;
    int by;
    bool json;
};

static const struct option options[] = {
    {"dir", OPTION_STRING, offsetof (struct values, dir), "DIR",
     .operand = true, .required = true,
     .help = "what 'tori sweep --out DIR' has written"},
    {"out", OPTION_STRING, offsetof (struct values, out), "FILE",
     .file = FILE_WRITTEN,
     .help = "where the report goes; if not given, DIR/report.html"},
    {"cell", OPTION_INTEGER, offsetof (struct values, cell), "N", .min = 1,
     .max = INT32_MAX,
     .help = "which simulation is replayed: its line in cells.csv, not "
             "counting the header; if not given, the one with the shortest "
             "response in the last scene"},
    {"by", OPTION_CHOICE, offsetof (struct values, by), "WAY",
     .choices = group_names,
     .help = "compare the waits of the jobs of each user, group, queue, size "
             "or class by themselves; if the sweep was not made with the same "
             "--by, all its simulations run once more"},
    OPTION_ROW_WORKERS (struct values,
                        "with --by: how many simulations run in parallel"),
    OPTION_ROW_JSON (struct values),
    {.name = NULL},
};

static int run_report (const void *values, FILE *out, tori_error *err)
{
    return lab_become (&command_report, values, err);
}

const struct command command_report = {
    .name = "report",
    .summary = "Write a sweep as one HTML page, with a replay in 3-D",
    .notes = "The page holds everything and opens from disk, without a "
             "network: the comparison of 'tori sweep', plots over the load "
             "with intervals, and one simulation, run once more, as a replay "
             "of the machine in 3-D, as a Gantt chart, and as waits by size "
             "and by user. A sweep with --by has its groups there, too, and "
             "--by here has them for any sweep. A "
             "sweep that is not finished has a page of what there is, which "
             "says what is missing.",
    .options = options,
    .size = sizeof (struct values),
    .examples = "tori sweep --machine torus:8x8x8 --sched fcfs,easy --load "
                "0.5:0.9:0.1 --seeds 10 --out results\n"
                "tori report results\n"
                "tori report results --by size",
    .run = run_report,
};
