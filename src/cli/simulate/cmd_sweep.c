/* tori sweep - a grid of simulations that may take days. The options are read
 * here; the rest is python/tori/lab/commands/sweep.py. */
#include "commands.h"
#include "grid_options.h"
#include "lab_command.h"

struct values {
    struct design_options design;
    const char *out;
    const char *svg, *pdf;
    int measure; /* or -1 */
    int64_t workers;
    const char *part;
    struct strings merge;
    int64_t slurm;
    const char *executor;
    bool per_job;
    bool json;
};

#define ROW(id, ...) DESIGN_ROW (struct values, id, __VA_ARGS__),
#define SHARED_ROW(id, ...)                                                   \
    DESIGN_SHARED_ROW (struct values, id, __VA_ARGS__),
static const struct option options[] = {
    DESIGN_OPTIONS (struct values, ROW, SHARED_ROW, .max = 100000, .fallback = "1",
                    .help = "how many seeds, from the first on"),
    {"out", OPTION_STRING, offsetof (struct values, out), "DIR",
     .required = true,
     .help = "where the results are kept; a sweep that was stopped goes on "
             "from what is there"},
    {"part", OPTION_STRING, offsetof (struct values, part), "I/N",
     .help = "run only the I-th of N parts, for several machines with one "
             "folder, or a folder each; --merge puts them together"},
    {"merge", OPTION_STRINGS, offsetof (struct values, merge), "DIR",
     .help = "run nothing, but add what is in this folder; the grid must be "
             "given as it was"},
    {"slurm", OPTION_INTEGER, offsetof (struct values, slurm), "N", .min = 1,
     .max = 100000, .without = "part merge",
     .help = "run nothing, but print a script: sbatch runs N parts of it as "
             "an array, and sh then puts them together"},
    {"executor", OPTION_STRING, offsetof (struct values, executor), "WHERE",
     .aside = true,
     .help = "where simulations run: processes of this machine (processes, if "
             "not given), those of MPI (mpi; python3-mpi4py), the workers of "
             "a Dask scheduler (dask:ADDRESS; python3-distributed), or tasks "
             "of Slurm (slurm: as --slurm, with as many parts as -j says, or "
             "16); all have the same files"},
    {"per-job", OPTION_FLAG, offsetof (struct values, per_job),
     .help = "also write a table of the jobs of each cell, DIR/jobs/"
             "jobs-00001.csv and so on, in the order of cells.csv: see 'tori "
             "sim --log-format table'"},
    FIGURE_OPTIONS (struct values),
    OPTION_ROW_JSON (struct values),
    {.name = NULL},
};
#undef SHARED_ROW
#undef ROW

static int run_sweep (const void *values, FILE *out, tori_error *err)
{
    return lab_become (&command_sweep, values, err);
}

const struct command command_sweep = {
    .name = "sweep",
    .summary = "Simulate every combination of machines, policies and loads",
    .notes = "Every option may have several values, with commas between them, "
             "and numbers may be a range, FROM:TO:STEP. Every combination is "
             "a cell, simulated as by 'tori sim'. A finished cell is on disk "
             "at once: a sweep that was stopped continues where it was, and "
             "one with more values runs only what is new. At the end DIR has "
             "cells.jsonl and cells.csv, in the order of the design. Their "
             "bytes are the same for any number of workers. The table has "
             "means over the seeds with 95 % intervals, and compares policies "
             "seed by seed, as 'tori compare' does: on the jobs that all of "
             "them ran. Where jobs were rejected or killed, the simulations "
             "of that scene run a second time to find these. Combinations that "
             "make no sense are left out, as by 'tori compare'.",
    .options = options,
    .size = sizeof (struct values),
    .examples = "tori sweep --machine torus:8x8x8,mesh:8x8x8 --sched "
                "fcfs,easy --load 0.2:1.0:0.1 --seeds 20 --out results\n"
                "tori sweep --machine torus:8^3 --alloc first-fit,best-fit "
                "--load 0.9 --seeds 100 --out results --slurm 50",
    .run = run_sweep,
};
