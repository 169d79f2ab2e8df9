/* RFold (arXiv 2510.03891, 2025): jobs of its model on 4,096 nodes, as a torus
 * and as cubes behind switches, by its policies and by tori's.
 *
 * Its FirstFit is an allocator here (rfold_first_fit), its Reconfig a small
 * simulation, since its places cannot all be joined (rfold_reconfig.h). Its
 * RFold looks for paths through single cubes, with a time limit;
 * bench/rfold_starts.py runs its own code.
 */
#include <stdlib.h>
#include <string.h>

#include <tori/sim.h>

#include "rfold_reconfig.h"
#include "paper.h"

static const char TORUS[] = "torus:16^3", POD[] = "pod:64/4x4x4";

static const struct policy {
    const char *name;
    const char *machine;
    const char *alloc;
    const char *sched;
    uint64_t spacing;
    bool turned;  /* rfold_first_fit in place of `alloc` */
    bool reconfig;
    bool fold;
    bool all;     /* in the table of all jobs */
    bool fitting; /* in the table of those that fit the torus */
} policies[] = {
    {"FirstFit", TORUS, NULL, "fcfs", .turned = true, .all = true},
    {"Reconfig", POD, NULL, "fcfs", .reconfig = true, .all = true},
    {"label sets", TORUS, "anchors", "fcfs", .fitting = true},
    {"torus3d, every 4", TORUS, "anchors", "fcfs", 4, .fitting = true},
    {"torus3d, every node", TORUS, "anchors", "fcfs", 1, .fitting = true},
    {"any box", TORUS, "first-fit", "fcfs", .fitting = true},
    {"cubes", POD, "cube-best", "fcfs", .all = true, .fitting = true},
    {"cubes, folded", POD, "cube-best", "fcfs", .fold = true, .all = true,
     .fitting = true},
    {"label sets", TORUS, "anchors", "easy", .fitting = true},
    {"torus3d, every 4", TORUS, "anchors", "easy", 4, .fitting = true},
    {"torus3d, every node", TORUS, "anchors", "easy", 1, .fitting = true},
    {"any box", TORUS, "first-fit", "easy", .fitting = true},
    {"cubes", POD, "cube-best", "easy", .all = true, .fitting = true},
    {"cubes, folded", POD, "cube-best", "easy", .fold = true, .all = true,
     .fitting = true},
};

/* The first is of all jobs, the others of those that fit the torus. */
static const double loads[] = {0.17, 0.2, 0.4, 0.6, 0.8};

enum {
    POLICIES = sizeof policies / sizeof *policies,
    LOADS = sizeof loads / sizeof *loads,
    SEEDS = 5,
    JOBS = 1000,
    SIDE = 16,  /* of the torus */
    RARELY = 30 /* more than one job in so many fits the torus */
};

struct row {
    const char *jobs_of, *policy, *sched, *machine;
    double load, jobs, placeable, joined, utilization;
    double response, median, p90; /* hours */
};

struct study {
    const struct paper_setup *setup;
    size_t seeds;
    struct row *rows; /* by load, policy, seed */
};

static const double HOUR = 3600;

/* ---- FirstFit as RFold has it ---- */

/* Sides ascend in RFold's model, except for those of 1, which come last. A
 * request may have been turned on its way here. */
static tori_shape as_drawn (tori_shape shape)
{
    tori_shape drawn = {.ndims = 3, .size = {1, 1, 1}};
    int n = 0;
    tori_shape_sort (&shape);
    for (int d = 0; d < 3; d++)
        if (shape.size[d] > 1)
            drawn.size[n++] = shape.size[d];
    return drawn;
}

/* Every rotation in turn, all places for each. */
static int place_first (void *data, const tori_state *state,
                        const tori_request *request,
                        tori_placement *ret_place, tori_error *err)
{
    const tori_shape drawn = as_drawn (request->shape);
    for (size_t i = 0; i < 6; i++) {
        tori_request turned = *request;
        tori_outcome outcome;
        turned.fixed = true;
        for (int d = 0; d < 3; d++)
            turned.shape.size[d] = drawn.size[rfold_order[i][d]];
        outcome = tori_alloc_place (data, state, &turned, ret_place, err);
        if (outcome == TORI_PLACED)
            return 1;
        if (outcome == TORI_ERROR)
            return -1;
    }
    return 0;
}

static int create_first (const tori_machine *machine,
                         const tori_alloc_config *config, void **ret_data,
                         tori_error *err)
{
    tori_alloc *alloc;
    if (tori_alloc_create (machine, TORI_ALLOC ("first-fit"), &alloc, err) < 0)
        return -1;
    *ret_data = alloc;
    return 0;
}

static void destroy_first (void *data)
{
    tori_alloc_destroy (data);
}

const tori_alloc_ops rfold_first_fit = {
    .size = sizeof rfold_first_fit,
    .info = {.name = "rfold-first-fit",
             .summary = "the first free box, rotation by rotation",
             .takes = TORI_BY_SHAPE},
    .create = create_first,
    .destroy = destroy_first,
    .place = place_first,
};

/* ---- Reconfig, first come, first served ---- */

struct running {
    tori_time end;
    struct rfold_place place;
};

struct reconfig {
    struct rfold_cubes cubes;
    struct running *running;
    size_t n;
    size_t joined;
};

/* When the next running job ends; jobs that have ended until then release
 * their nodes. */
static tori_time next_end (const struct reconfig *it)
{
    tori_time first = TORI_TIME_MAX;
    for (size_t i = 0; i < it->n; i++)
        first = it->running[i].end < first ? it->running[i].end : first;
    return first;
}

static void pass_until (struct reconfig *it, tori_time now)
{
    for (size_t i = 0; i < it->n;) {
        if (it->running[i].end > now) {
            i++;
            continue;
        }
        rfold_cubes_release (&it->cubes, &it->running[i].place);
        it->running[i] = it->running[--it->n];
    }
}

/* When a job starts, not before now; TORI_TIME_MAX if it never can. */
static tori_time start_at (struct reconfig *it, const tori_work *work,
                           tori_time now)
{
    struct running *next = &it->running[it->n];
    while (!rfold_cubes_place (&it->cubes, work->request.shape.size,
                               &next->place)) {
        if (it->n == 0)
            return TORI_TIME_MAX;
        now = next_end (it);
        pass_until (it, now);
        next = &it->running[it->n];
    }
    next->end = now + work->runtime;
    it->joined += next->place.joined;
    it->n++;
    return now;
}

static int compare_times (const void *a, const void *b)
{
    tori_time x = *(const tori_time *)a, y = *(const tori_time *)b;
    return (x > y) - (x < y);
}

static double to_hours (tori_time time)
{
    return (double)time / (double)TORI_SECOND / HOUR;
}

static void measure_row (struct row *row, tori_time response[], size_t n,
                         size_t all)
{
    double sum = 0;
    qsort (response, n, sizeof *response, compare_times);
    for (size_t i = 0; i < n; i++)
        sum += to_hours (response[i]);
    row->jobs = (double)n;
    row->placeable = (double)n / (double)all;
    if (n == 0)
        return;
    row->response = sum / (double)n;
    row->median = to_hours (response[(n + 1) / 2 - 1]);
    row->p90 = to_hours (response[(9 * n + 9) / 10 - 1]);
}

static int run_reconfig (const tori_workload *work, struct row *row,
                         tori_error *err)
{
    struct reconfig it = {
        .running = calloc (work->n + 1, sizeof *it.running)};
    tori_time *response = calloc (work->n + 1, sizeof *response);
    tori_time now = 0, last = 0;
    double used = 0;
    size_t n = 0;
    for (size_t i = 0; it.running && response && i < work->n; i++) {
        const tori_work *job = &work->jobs[i];
        tori_time start;
        now = job->submit > now ? job->submit : now;
        pass_until (&it, now);
        start = start_at (&it, job, now);
        if (start == TORI_TIME_MAX)
            continue;
        now = start;
        last = now + job->runtime > last ? now + job->runtime : last;
        used += job->asked * (double)job->runtime;
        response[n++] = now + job->runtime - job->submit;
    }
    if (it.running && response) {
        measure_row (row, response, n, work->n);
        row->joined = n ? (double)it.joined / (double)n : 0;
        row->utilization = last ? used / ((double)last * 64 * RFOLD_CUBES) : 0;
    }
    free (response);
    free (it.running);
    return it.running && response ? 0 : tori_error_nomem (err);
}

/* ---- the others ---- */

/* On cubes a job gets a torus, if the idle machine can wire it as one. */
static int set_wiring (const struct policy *policy,
                       const tori_machine *machine, tori_workload *work,
                       tori_error *err)
{
    tori_alloc *alloc;
    if (policy->machine == TORUS)
        return 0;
    if (tori_alloc_create (machine, TORI_ALLOC (policy->alloc), &alloc, err)
        < 0)
        return -1;
    for (size_t i = 0; i < work->n; i++) {
        tori_request *request = &work->jobs[i].request;
        request->flags = policy->fold ? TORI_REQUEST_FOLD : 0;
        request->wiring = TORI_WIRE_TORUS;
        if (tori_alloc_impossible (alloc, request))
            request->wiring = TORI_WIRE_MESH;
    }
    tori_alloc_destroy (alloc);
    return 0;
}

static int run_sim (const struct policy *policy, const tori_machine *machine,
                    tori_workload *work, struct row *row, tori_error *err)
{
    tori_alloc_config alloc = {.size = sizeof alloc,
                               .name = policy->alloc,
                               .spacing = policy->spacing,
                               .ops = policy->turned ? &rfold_first_fit
                                                     : NULL};
    tori_sched_config sched = {.size = sizeof sched,
                               .policy = policy->sched,
                               .alloc = &alloc};
    tori_sim_config config = {.size = sizeof config,
                              .machine = machine,
                              .sched = &sched,
                              .no_pairwise = true};
    tori_sim_result result;
    if (set_wiring (policy, machine, work, err) < 0
        || tori_sim_run (&config, work, &result, err) < 0)
        return -1;
    row->jobs = (double)result.jobs;
    row->placeable = result.placeable;
    row->joined = 1;
    row->utilization = result.utilization;
    row->response = result.response.mean / HOUR;
    row->median = result.response.p50 / HOUR;
    row->p90 = result.response.p90 / HOUR;
    return 0;
}

static bool fits_torus (const tori_work *job)
{
    bool fits = true;
    for (int d = 0; d < 3; d++)
        fits &= job->request.shape.size[d] <= SIDE;
    return fits;
}

/* The first jobs that fit the torus, stretched to the load. */
static void keep_fitting (tori_workload *work, size_t jobs, double load,
                          const tori_machine *machine)
{
    size_t n = 0;
    double factor;
    for (size_t i = 0; i < work->n && n < jobs; i++)
        if (fits_torus (&work->jobs[i]))
            work->jobs[n++] = work->jobs[i];
    work->n = n;
    factor = tori_workload_offered (work, machine) / load;
    for (size_t i = 0; i < n; i++)
        work->jobs[i].submit
            = (tori_time)((double)work->jobs[i].submit * factor);
}

static int compute_cell (const struct study *study,
                         const struct policy *policy, size_t at, size_t seed,
                         struct row *row, tori_error *err)
{
    size_t jobs = study->setup->limit ? study->setup->limit : JOBS;
    bool all = at == 0;
    tori_machine *machine;
    tori_workload work;
    int status;
    if (tori_machine_parse (policy->machine, &machine, err) < 0)
        return -1;
    status = tori_workload_model (
        "rfold", machine,
        TORI_WORKLOAD (.shaping = TORI_SHAPE_COMPACT, .wrap = true,
                       .load = loads[at],
                       .jobs = all ? jobs : RARELY * jobs,
                       .seed = study->setup->seed + seed),
        &work, err);
    if (status == 0) {
        if (!all)
            keep_fitting (&work, jobs, loads[at], machine);
        status = policy->reconfig ? run_reconfig (&work, row, err)
                                  : run_sim (policy, machine, &work, row, err);
        tori_workload_clear (&work);
    }
    tori_machine_destroy (machine);
    return status;
}

/* Pieces are by load, policy and seed. */
static bool is_wanted (size_t of)
{
    const struct policy *policy = &policies[of % POLICIES];
    return of < POLICIES ? policy->all : policy->fitting;
}

static int work_piece (void *arg, size_t piece, tori_error *err)
{
    struct study *study = arg;
    size_t of = piece / study->seeds;
    if (!is_wanted (of))
        return 0;
    return compute_cell (study, &policies[of % POLICIES], of / POLICIES,
                         piece % study->seeds, &study->rows[piece], err);
}

/* ---- rows ---- */

static void add_row (struct row *to, const struct row *from, double n)
{
    to->jobs += from->jobs;
    to->placeable += from->placeable / n;
    to->joined += from->joined / n;
    to->utilization += from->utilization / n;
    to->response += from->response / n;
    to->median += from->median / n;
    to->p90 += from->p90 / n;
}

static struct row mean_row (const struct study *study, size_t of)
{
    const struct policy *policy = &policies[of % POLICIES];
    struct row row = {.jobs_of = of < POLICIES ? "all" : "fitting",
                      .policy = policy->name,
                      .sched = policy->sched,
                      .machine = policy->machine,
                      .load = loads[of / POLICIES]};
    for (size_t i = 0; i < study->seeds; i++)
        add_row (&row, &study->rows[of * study->seeds + i],
                 (double)study->seeds);
    return row;
}

#define AT(member) FIELD_AT (struct row, member)
static const struct field row_fields[] = {
    {"jobs_of", FIELD_TEXT, AT (jobs_of),
     "all jobs of the model, or those that fit the torus"},
    {"policy", FIELD_TEXT, AT (policy), "who places jobs", .title = "policy"},
    {"sched", FIELD_TEXT, AT (sched), "the scheduler", .title = "scheduler"},
    {"machine", FIELD_TEXT, AT (machine), "the machine", .title = "machine"},
    {"load", FIELD_REAL, AT (load), "the load that arrivals are drawn at",
     .title = "load", .decimals = 2},
    {"jobs", FIELD_REAL, AT (jobs), "jobs that ran, of all seeds"},
    {"placeable", FIELD_REAL, AT (placeable),
     "the part of the jobs that can be placed at all",
     .title = "can be placed, %", .decimals = 1, .scale = 100},
    {"joined", FIELD_REAL, AT (joined),
     "the part of the places whose nodes can be joined to the box asked for",
     .title = "can be wired, %", .decimals = 1, .scale = 100},
    {"utilization", FIELD_REAL, AT (utilization),
     "node-time asked for, over that until the last finish",
     .title = "utilization, %", .decimals = 1, .scale = 100},
    {"response", FIELD_REAL, AT (response),
     "mean time from submission to finish", "h", "completion, h", 1},
    {"median", FIELD_REAL, AT (median), "the median of that", "h",
     "median, h", 1},
    {"p90", FIELD_REAL, AT (p90), "its 90th percentile", "h", "p90, h", 1},
};
static const struct sheet row_sheet = {"rfold", SHEET_FIELDS (row_fields)};

static const struct field answer_fields[] = {
    {"cells", FIELD_LIST, .about = "every policy at every load, means over "
                                   "seeds",
     .group = &row_sheet},
};
static const struct sheet answer_sheet
    = {"rfold", SHEET_FIELDS (answer_fields)};

static bool is_of_all (const void *row)
{
    return strcmp (((const struct row *)row)->jobs_of, "all") == 0;
}

static bool is_fitting (const void *row)
{
    return !is_of_all (row);
}

/* The mean completion time of all jobs by a policy, first come, first
 * served. */
static double completion_of (const struct paper_run *run, const char *policy)
{
    const struct row *row = run->list[0].row;
    while (!is_of_all (row) || strcmp (row->policy, policy) != 0)
        row++;
    return row->response;
}

static void judge_study (struct paper_run *run)
{
    static const char why[] = "its code ran other jobs of the model";
    verdict_refuse (run,
                    &(struct published){"its code",
                                        "mean completion by Reconfig, h",
                                        "341", why},
                    "%.0f", completion_of (run, "Reconfig"));
    verdict_refuse (run,
                    &(struct published){"its code",
                                        "mean completion with folding, h",
                                        "114", why},
                    "%.0f", completion_of (run, "cubes, folded"));
}

static void print_study (struct paper_run *run)
{
    static const struct view_column columns[]
        = {{"policy"}, {"sched"},    {"machine"}, {"placeable"},
           {"joined"}, {"response"}, {"median"},  {"p90"},
           {"utilization"}};
    static const struct view_column by[] = {{"policy"}, {"sched"}};
    static const struct view all
        = {"\nAll jobs, at a load of 0.17\n", VIEW_COLUMNS (columns),
           is_of_all};
    static const struct pivot response
        = {{"\nJobs that fit the torus: mean completion time in hours, by "
            "load\n",
            VIEW_COLUMNS (by), is_fitting},
           "load",
           {"response"}};
    paper_say (run,
               "Jobs of RFold's model on 4,096 nodes, as a torus of 16x16x16 "
               "or as 64 cubes of 4x4x4 behind switches. FirstFit and "
               "Reconfig are RFold's policies. Its own code had mean "
               "completion times of 341 h by Reconfig and 114 h with folding, "
               "on other jobs of the model.");
    paper_view (run, 0, NULL, &all);
    paper_pivot (run, 0, NULL, &response);
}

static int compute_study (struct paper_run *run, tori_error *err)
{
    struct study study = {.setup = run->setup,
                          .seeds = run->setup->seeds ? run->setup->seeds
                                                     : SEEDS};
    size_t all = LOADS * POLICIES, n = 0;
    struct row *rows = paper_rows (run, 0, all, sizeof *rows, err);
    int status;
    if (!rows)
        return -1;
    study.rows = calloc (all * study.seeds, sizeof *study.rows);
    if (!study.rows)
        return tori_error_nomem (err);
    status = paper_do_pieces (run->setup, all * study.seeds, work_piece,
                              &study, err);
    for (size_t of = 0; status == 0 && of < all; of++)
        if (is_wanted (of))
            rows[n++] = mean_row (&study, of);
    run->list[0].n = n;
    free (study.rows);
    return status;
}

const struct paper paper_rfold = {
    .name = "rfold",
    .citation = "S. Chen: RFold (arXiv 2510.03891). 2025",
    .what = "jobs of its model on a torus and on cubes behind switches: how "
            "long they take, by its policies and by ours",
    .takes = PAPER_LIMIT | PAPER_SEEDS,
    .quick = {.limit = 300, .seeds = 2},
    .answer = &answer_sheet,
    .compute = compute_study,
    .judge = judge_study,
    .print = print_study,
};
