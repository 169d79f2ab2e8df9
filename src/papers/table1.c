/* Table 1 as printed, and the jobs that it is computed from. */
#include "table1.h"

const char *const table1_allocs[TABLE1_ALLOCS] = {"mc1x1", "mm", "mm+inc",
                                                  "hilbert-bf"};

const double table1_printed[TABLE1_ALLOCS * TABLE1_ALLOCS] = {
    5256, 5218, 5207, 5432, /* mc1x1 places the jobs */
    5323, 5288, 5276, 5531, /* mm */
    5319, 5281, 5269, 5495, /* mm+inc */
    5090, 5059, 5046, 5207, /* hilbert-bf */
};

/* The model's jobs if there is no limit, and their offered load. */
enum { MODEL_JOBS = 10000 };
#define MODEL_LOAD 0.7

const char *table1_name (const struct table1_run *run)
{
    if (!run->path)
        return "the model of Lublin and Feitelson for 256 nodes";
    return traces_name (run->path);
}

int table1_load (const struct table1 *table1, const struct table1_run *run,
                 const struct table1_jobs *jobs, tori_workload *ret_workload,
                 tori_error *err)
{
    tori_workload_options options = {
        .size = sizeof options,
        .scale_num = run->scale_num,
        .scale_den = run->scale_den,
        .limit = jobs->limit,
        .seed = table1->setup->seed + jobs->seed,
        .jobs = jobs->limit ? jobs->limit : MODEL_JOBS,
        .load = jobs->load,
    };
    if (run->path)
        return paper_read_log (run->path, table1->machine, &options,
                               ret_workload, err);
    if (jobs->load <= 0)
        options.load = MODEL_LOAD;
    return tori_workload_model ("lublin", table1->machine, &options,
                                ret_workload, err);
}

size_t table1_rows (const struct table1 *table1)
{
    return TABLE1_ALLOCS * table1->runs;
}

void table1_progress (const struct table1 *table1, size_t done)
{
    const struct paper_setup *setup = table1->setup;
    if (setup->on_progress)
        setup->on_progress (setup->arg, done,
                            table1_rows (table1)
                                + TABLE1_EACH * table1->runs);
}
