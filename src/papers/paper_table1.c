/* M. A. Bender et al., "Communication-Aware Processor Allocation for
 * Supercomputers", 2005, section 5: the simulations. table1_output.c prints
 * them.
 *
 * The paper's log, of the Cray T3D at Lawrence Livermore, was of a machine of
 * 256 processors, taken as a mesh of 16x16. Logs of other machines are scaled:
 * sizes are multiplied by 256 over the processors of the log's machine and
 * rounded up, so that a job takes the same share of the mesh as it took of its
 * own machine, the load is about the log's own, and no job is too large.
 */
#include <stdlib.h>
#include <string.h>

#include "table1.h"

/* ---- workloads ---- */

/* The header of a log names its machine. A log that cannot be read, or that
 * has no jobs, is refused before any time is spent. */
static int survey_log (const struct table1 *table1, struct table1_run *run,
                       tori_error *err)
{
    tori_workload_options options = {.size = sizeof options, .limit = 1};
    const struct table1_jobs jobs = {.limit = table1->setup->limit};
    tori_workload workload;
    if (tori_workload_read (run->path, table1->machine, &options, &workload,
                            err)
        < 0)
        return -1;
    run->log_procs = workload.log_procs;
    tori_workload_clear (&workload);
    if (run->log_procs > 0) {
        run->scale_num = TABLE1_NODES;
        run->scale_den = run->log_procs;
    }
    if (table1_load (table1, run, &jobs, &workload, err) < 0)
        return -1;
    tori_workload_clear (&workload);
    return 0;
}

/* ---- matrices ---- */

static void on_progress (void *arg, size_t finished, size_t total)
{
    const struct table1 *table1 = arg;
    size_t rows = total ? TABLE1_ALLOCS * finished / total : TABLE1_ALLOCS;
    table1_progress (table1, TABLE1_ALLOCS * table1->done + rows);
}

static int compute_matrix (struct table1 *table1, struct table1_run *run,
                           tori_error *err)
{
    tori_decide_config config = {
        .size = sizeof config,
        .machine = table1->machine,
        .sched = TORI_SCHED ("fcfs"),
        .nallocs = TABLE1_ALLOCS,
        .on_progress = on_progress,
        .arg = table1,
    };
    const struct table1_jobs jobs = {.limit = table1->setup->limit};
    tori_workload workload;
    int status;
    if (table1_load (table1, run, &jobs, &workload, err) < 0)
        return -1;
    run->jobs = workload.n;
    status = matrix_compute (&config, table1_allocs, &workload,
                             table1->setup->workers, &run->matrix, err);
    tori_workload_clear (&workload);
    return status;
}

/* ---- the entry ---- */

static int open_all (struct table1 *table1, tori_error *err)
{
    const struct paper_setup *setup = table1->setup;
    if (tori_machine_parse ("mesh:16x16", &table1->machine, err) < 0
        || traces_all (setup->traces, &table1->traces, err) < 0)
        return -1;
    table1->run = calloc (table1->traces.n + 1, sizeof *table1->run);
    if (!table1->run)
        return tori_error_nomem (err);
    table1->runs = table1->traces.n + 1;
    for (size_t i = 0; i < table1->runs; i++) {
        struct table1_run *run = &table1->run[i];
        *run = (struct table1_run){.scale_num = 1, .scale_den = 1};
        run->path = i < table1->traces.n ? table1->traces.path[i] : NULL;
        if (run->path && survey_log (table1, run, err) < 0)
            return -1;
    }
    return 0;
}

static int compute_study (struct paper_run *run, tori_error *err)
{
    struct table1 *table1 = run->study;
    table1->setup = run->setup;
    if (open_all (table1, err) < 0)
        return -1;
    for (; table1->done < table1->runs; table1->done++)
        if (compute_matrix (table1, &table1->run[table1->done], err) < 0)
            return -1;
    if (table1_diagonals (table1, err) < 0)
        return -1;
    return table1_make_rows (run, err);
}

static void clear_study (void *study)
{
    struct table1 *table1 = study;
    for (size_t i = 0; table1->run && i < table1->runs; i++)
        matrix_clear (&table1->run[i].matrix);
    free (table1->run);
    traces_clear (&table1->traces);
    tori_machine_destroy (table1->machine);
}

const struct paper paper_table1 = {
    .name = "table1",
    .citation = paper_bender_2005,
    .what = "Table 1: how well allocators decide, in the situations that each "
            "of them leads to",
    .takes = PAPER_TRACES | PAPER_LIMIT,
    .quick = {.limit = 15000},
    .answer = &table1_sheet,
    .size = sizeof (struct table1),
    .compute = compute_study,
    .judge = table1_judge,
    .print = table1_print,
    .clear = clear_study,
};
