/* The diagonal of Table 1, where each allocator places the jobs by its own
 * decisions, under conditions that the paper leaves open: the scheduler, the
 * load, and which sizes jobs have. */
#include "parallel.h"
#include "table1.h"

/* The Cray T3D of the paper's log gave out powers of two. */
const struct table1_case table1_cases[TABLE1_CASES] = {
    {"as above", "fcfs", 0, false, 1},
    {"EASY, load 0.9", "easy", 0.9, false, 1},
    {"powers of two", "fcfs", 0, true, 1},
    {"32 nodes or more", "fcfs", 0, false, 32},
    {"powers, 32 or more", "fcfs", 0, true, 32},
};

/* The lesser of two that are equally near. */
static uint32_t nearest_power (uint32_t size)
{
    uint32_t power = 1;
    while (2 * power <= size)
        power *= 2;
    return size - power > 2 * power - size ? 2 * power : power;
}

static void choose_jobs (const struct table1_case *is, tori_workload *workload)
{
    size_t kept = 0;
    for (size_t i = 0; i < workload->n; i++) {
        tori_work work = workload->jobs[i];
        if (is->powers)
            work.request.count = work.asked = nearest_power (work.asked);
        if (work.asked >= is->least)
            workload->jobs[kept++] = work;
    }
    workload->n = kept;
}

/* The first jobs of a case, of all that a run has. */
static int load_case (const struct table1 *table1,
                      const struct table1_run *run,
                      const struct table1_case *is, uint64_t seed,
                      tori_workload *ret_workload, tori_error *err)
{
    size_t limit = table1->setup->limit;
    const struct table1_jobs jobs = {
        .load = is->load, .limit = is->least > 1 ? 0 : limit, .seed = seed};
    if (table1_load (table1, run, &jobs, ret_workload, err) < 0)
        return -1;
    choose_jobs (is, ret_workload);
    if (limit && ret_workload->n > limit)
        ret_workload->n = limit;
    return 0;
}

/* The i-th part of a workload, to be used as long as that is there. */
static tori_workload cut_part (const tori_workload *workload, size_t i)
{
    tori_workload part = *workload;
    size_t first = workload->n * i / TABLE1_PARTS;
    part.jobs += first;
    part.n = workload->n * (i + 1) / TABLE1_PARTS - first;
    return part;
}

static int simulate_diagonal (const struct table1 *table1, const char *policy,
                              const tori_workload *workload,
                              struct table1_diagonal *diagonal,
                              tori_error *err)
{
    diagonal->jobs = workload->n;
    for (size_t i = 0; workload->n > 0 && i < TABLE1_ALLOCS; i++) {
        tori_sim_config config = {
            .size = sizeof config,
            .machine = table1->machine,
            .sched = TORI_SCHED (policy, TORI_ALLOC (table1_allocs[i])),
        };
        tori_sim_result result;
        if (tori_sim_run (&config, workload, &result, err) < 0)
            return -1;
        diagonal->jobs = result.jobs;
        diagonal->pairwise[i] = result.pairwise;
        diagonal->average[i] = result.average;
    }
    return 0;
}

static int run_part (const struct table1 *table1, struct table1_run *run,
                     size_t asked, size_t part, tori_error *err)
{
    const struct table1_case *is = &table1_cases[asked ? TABLE1_JUDGED : 0];
    tori_workload all, cut;
    int status;
    if (load_case (table1, run, is, run->path ? 0 : part, &all, err) < 0)
        return -1;
    cut = run->path ? cut_part (&all, part) : all;
    status = simulate_diagonal (table1, is->policy, &cut,
                                &run->part[asked][part], err);
    tori_workload_clear (&all);
    return status;
}

/* A piece is a workload in a case, or a part of it. */
static int run_piece (void *arg, size_t piece, tori_error *err)
{
    struct table1 *table1 = arg;
    struct table1_run *run = &table1->run[piece / TABLE1_EACH];
    size_t at = piece % TABLE1_EACH, part = at - TABLE1_CASES;
    const struct table1_case *is;
    tori_workload workload;
    int status;
    if (at >= TABLE1_CASES)
        return run_part (table1, run, part / TABLE1_PARTS,
                         part % TABLE1_PARTS, err);
    is = &table1_cases[at];
    if (load_case (table1, run, is, 0, &workload, err) < 0)
        return -1;
    status = simulate_diagonal (table1, is->policy, &workload,
                                &run->diagonal[at], err);
    tori_workload_clear (&workload);
    return status;
}

static void on_done (void *arg, size_t done)
{
    table1_progress (arg, table1_rows (arg) + done);
}

int table1_diagonals (struct table1 *table1, tori_error *err)
{
    struct parallel parallel = {
        .n = table1->runs * TABLE1_EACH,
        .workers = table1->setup->workers,
        .work = run_piece,
        .on_done = on_done,
        .arg = table1,
    };
    return parallel_run (&parallel, err);
}
