/* S. K. S. Gupta and P. K. Srimani, "Job Scheduling for Torus Connected
 * Networks", 1997, section 2: the example of 2.4.4 beside the printed
 * schedule, other times for its jobs, the gap between plans of random jobs and
 * the least time without contention, and between plans of few jobs and the
 * least plan. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tori/plan.h>

#include "paper.h"
#include "random.h"

static const char machine_name[] = "torus:8x8";

/* ---- the example ---- */

static const struct printed {
    uint32_t side;
    int time;
    double start, finish;
    uint32_t row, col;
} example[] = {{8, 2, 0, 2, 0, 0},   {4, 2, 2, 5.875, 0, 0},
               {4, 4, 2, 8.5, 1, 1}, {4, 4, 2, 9, 0, 1},
               {4, 1, 2, 4, 1, 0},   {2, 4, 4, 10.75, 1, 0}};

enum { JOBS = sizeof example / sizeof *example };

/* A plan in which jobs are never stopped and no two share a link while both
 * run. */
struct apart {
    tori_subtorus at[JOBS];
    int start[JOBS];
    int makespan;
};

struct example {
    tori_contention_job job[JOBS];
    tori_contention *plan;
    tori_contention *least; /* with starts at events */
    struct apart apart; /* the first of the shortest */
    tori_exact stopped; /* the least if jobs may be stopped and moved */
};

static tori_shape make_square (uint32_t side)
{
    return (tori_shape){.ndims = 2, .size = {side, side}};
}

static int finish_of (const struct apart *apart, size_t i)
{
    return apart->start[i] + example[i].time;
}

/* The earliest start of job i at its place: not before `now`, nor before the
 * end of started jobs that share links with it. */
static int find_earliest (const tori_machine *machine,
                          const struct apart *apart, unsigned started,
                          size_t i, int now)
{
    for (size_t j = 0; j < JOBS; j++)
        if (started >> j & 1 && finish_of (apart, j) > now
            && !tori_subtorus_link_disjoint (machine, &apart->at[i],
                                             &apart->at[j]))
            now = finish_of (apart, j);
    return now;
}

static void try_rest (const tori_machine *machine, struct apart *apart,
                      unsigned started, int now, struct apart *best);

/* Every place for job i, and all that can follow. */
static void try_job (const tori_machine *machine, struct apart *apart,
                     unsigned started, size_t i, int now, struct apart *best)
{
    tori_shape shape = make_square (example[i].side);
    int makespan = apart->makespan;
    for (uint32_t p = 0; p < tori_subtorus_count (machine, &shape); p++) {
        tori_subtorus_at (machine, &shape, p, &apart->at[i]);
        apart->start[i] = find_earliest (machine, apart, started, i, now);
        if (finish_of (apart, i) > makespan)
            apart->makespan = finish_of (apart, i);
        if (apart->makespan < best->makespan)
            try_rest (machine, apart, started | 1U << i, apart->start[i],
                      best);
        apart->makespan = makespan;
    }
}

/* Jobs are taken in the order of their starts, in every such order. A shortest
 * plan is among these: in the order of its own starts, none of its jobs starts
 * later here. */
static void try_rest (const tori_machine *machine, struct apart *apart,
                      unsigned started, int now, struct apart *best)
{
    if (started == (1U << JOBS) - 1)
        *best = *apart;
    for (size_t i = 0; i < JOBS; i++)
        if (!(started >> i & 1))
            try_job (machine, apart, started, i, now, best);
}

static int least_stopped (const tori_machine *machine, tori_exact *ret_least,
                          tori_error *err)
{
    tori_preemptive_job job[JOBS];
    for (size_t i = 0; i < JOBS; i++)
        job[i] = (tori_preemptive_job){example[i].side,
                                       tori_exact_make (example[i].time, 1)};
    return tori_preemptive_least (machine, job, JOBS, ret_least, err);
}

static int run_example (const tori_machine *machine, struct example *ex,
                        tori_error *err)
{
    struct apart apart = {.makespan = 0};
    ex->apart.makespan = INT32_MAX;
    try_rest (machine, &apart, 0, 0, &ex->apart);
    for (size_t i = 0; i < JOBS; i++)
        ex->job[i] =
            (tori_contention_job){make_square (example[i].side),
                                  tori_exact_make (example[i].time, 1)};
    if (least_stopped (machine, &ex->stopped, err) < 0
        || tori_contention_create (machine, ex->job, JOBS, NULL, &ex->plan,
                                   err)
               < 0)
        return -1;
    return tori_contention_create (
        machine, ex->job, JOBS,
        &(tori_contention_search){.steps = UINT64_MAX}, &ex->least, err);
}

/* ---- gaps of random jobs ---- */

/* Dimensions are powers of two up to the largest, all as likely. */
static const struct kind {
    size_t jobs;
    uint32_t largest;
    const char *name;
    uint64_t stream; /* of random numbers */
} kinds[] = {{50, 8, "50, dimensions 1 to 8", 0},
             {50, 2, "50, dimensions 1 and 2", 1},
             {200, 1, "200, dimension 1", 2}};

static const struct budget {
    uint64_t steps;
    const char *name;
} budgets[] = {{0, "no search"},
               {1, "1 step"},
               {100, "100"},
               {1000, "1000"},
               {10000, "10000"}};

enum {
    KINDS = sizeof kinds / sizeof *kinds,
    BUDGETS = sizeof budgets / sizeof *budgets,
    SETS = 10,
};

struct gap {
    struct kind kind;
    struct budget budget;
    size_t set;
    double gap, mean;
};

/* Plans of few jobs, above the least: the paper's, the same with the longest
 * job of each size first, and what few steps find. The last counts a job's own
 * delay, and so does its least plan. */
enum { CNP, LONGEST, STEPS, OWN_DELAY, FEW_PLANS };
static const char *const few_plans[FEW_PLANS] = {
    "CNP_Alloc", "longest first", "100 steps", "CNP_Alloc, own delay"};
static const size_t usual_jobs[] = {5, 6, 7, 8, 10, 12};

enum {
    FEW_JOBS = sizeof usual_jobs / sizeof *usual_jobs,
    QUICK_JOBS = 3, /* of these numbers, for --quick */
    USUAL_LIMIT = 10000,
    PROOF_STEPS = 100 /* for each step of the limit */
};

struct few_set {
    bool proved[FEW_PLANS];
    double above[FEW_PLANS];
    double open[FEW_PLANS]; /* the best plan found, above the bound */
};

struct study {
    const struct paper_setup *setup;
    tori_machine *machine;
    struct example example;
    size_t sets;
    size_t budgets;  /* as many as are within the limit */
    struct gap *gap; /* by kind, budget, set */
    size_t few_jobs[FEW_JOBS]; /* of a set */
    size_t fews;               /* of these numbers */
    struct few_set *few;       /* by number of jobs, set */
};

static void random_jobs (const struct kind *kind, uint64_t seed,
                         tori_contention_job job[])
{
    uint64_t sizes = (uint64_t)__builtin_ctz (kind->largest) + 1;
    struct rng rng;
    rng_seed (&rng, seed, kind->stream);
    for (size_t i = 0; i < kind->jobs; i++) {
        uint64_t log = rng_below (&rng, sizes);
        tori_wide tenths = (tori_wide)rng_below (&rng, 1000) + 1;
        job[i] = (tori_contention_job){make_square (UINT32_C (1) << log),
                                       tori_exact_make (tenths, 10)};
    }
}

static int measure_gap (const struct study *study, const struct kind *kind,
                        struct gap *gap, tori_error *err)
{
    tori_contention_search search = {.steps = gap->budget.steps,
                                     .seed = study->setup->seed + gap->set};
    tori_contention_job *job = calloc (kind->jobs, sizeof *job);
    tori_contention *plan;
    int status;
    if (!job)
        return tori_error_nomem (err);
    random_jobs (kind, search.seed, job);
    status = tori_contention_create (study->machine, job, kind->jobs, &search,
                                     &plan, err);
    free (job);
    if (status < 0)
        return -1;
    gap->gap = tori_contention_makespan (plan)
                   / tori_contention_bounds (plan).contention_free
               - 1;
    tori_contention_destroy (plan);
    return 0;
}

static int run_piece (void *arg, size_t piece, tori_error *err)
{
    struct study *study = arg;
    size_t cell = piece / study->sets, k = cell / study->budgets;
    struct gap *gap = &study->gap[piece];
    *gap = (struct gap){.kind = kinds[k],
                        .budget = budgets[cell % study->budgets],
                        .set = piece % study->sets};
    return measure_gap (study, &kinds[k], gap, err);
}

/* ---- few jobs ---- */

static int by_time (const void *a, const void *b)
{
    const tori_contention_job *x = a, *y = b;
    return tori_exact_compare (y->time, x->time);
}

/* A search of the jobs: the plan before it, the best one found, whether that
 * is proved to be the least, and how far above the bound it is. */
struct found {
    double first, length, open;
    bool proved;
};

static int search_few (const struct study *study,
                       const tori_contention_job job[], size_t n,
                       const tori_contention_search *search,
                       struct found *ret_found, tori_error *err)
{
    tori_contention *plan;
    if (tori_contention_create (study->machine, job, n, search, &plan, err)
        < 0)
        return -1;
    *ret_found = (struct found){
        .first = tori_contention_first (plan),
        .length = tori_contention_makespan (plan),
        .proved = tori_contention_is_least (plan),
    };
    ret_found->open
        = ret_found->length / tori_contention_bounds (plan).events - 1;
    tori_contention_destroy (plan);
    return 0;
}

/* The steps in which a plan is to be proved. */
static uint64_t steps_of_proof (const struct study *study)
{
    uint64_t limit = study->setup->limit;
    return PROOF_STEPS * (limit ? limit : USUAL_LIMIT);
}

static int run_few (void *arg, size_t piece, tori_error *err)
{
    struct study *study = arg;
    const struct kind kind
        = {study->few_jobs[piece / study->sets], 8, NULL, 3};
    const uint64_t steps = steps_of_proof (study);
    struct few_set *few = &study->few[piece];
    const tori_contention_search search[FEW_PLANS]
        = {[CNP] = {.steps = steps},
           [STEPS] = {.steps = 100},
           [OWN_DELAY] = {.steps = steps, .own_delay = true}};
    tori_contention_job job[TORI_CONTENTION_BRANCH];
    struct found found[FEW_PLANS];
    for (int i = 0; i < FEW_PLANS; i++) {
        random_jobs (&kind, study->setup->seed + piece % study->sets, job);
        if (i == LONGEST)
            qsort (job, kind.jobs, sizeof *job, by_time);
        if (search_few (study, job, kind.jobs, &search[i], &found[i], err) < 0)
            return -1;
    }
    for (int i = 0; i < FEW_PLANS; i++) {
        const struct found *best = &found[i == OWN_DELAY ? OWN_DELAY : CNP];
        double length = i == STEPS ? found[i].length : found[i].first;
        few->above[i] = length / best->length - 1;
        few->proved[i] = best->proved;
        few->open[i] = best->proved ? 0 : best->open;
    }
    return 0;
}

/* Each with the mean of its sets, which follow each other. */
static void set_means (struct study *study)
{
    size_t cells = KINDS * study->budgets, sets = study->sets;
    for (size_t cell = 0; cell < cells; cell++) {
        struct gap *gap = &study->gap[cell * sets];
        double sum = 0;
        for (size_t i = 0; i < sets; i++)
            sum += gap[i].gap;
        for (size_t i = 0; i < sets; i++)
            gap[i].mean = sum / (double)sets;
    }
}

/* ---- rows ---- */

enum { OFFSET = 24 };

struct job_row {
    size_t id;
    char shape[OFFSET];
    struct printed printed;
    double start, finish;
    char offset[OFFSET], printed_offset[OFFSET];
    int apart_start, apart_finish;
    char apart_offset[OFFSET];
};

#define AT(member) FIELD_AT (struct job_row, member)
static const struct field job_fields[] = {
    {"id", FIELD_SIZE, AT (id), "the job", .title = "job"},
    {"shape", FIELD_CHARS, AT (shape), "its shape", .title = "shape"},
    {"time", FIELD_INT, AT (printed.time), "what it takes alone",
     .title = "time"},
    {"start", FIELD_REAL, AT (start), "when it starts by the algorithm",
     .title = "start", .decimals = FIELD_SHORT},
    {"printed_start", FIELD_REAL, AT (printed.start), "the same as printed",
     .title = "printed", .decimals = FIELD_SHORT},
    {"finish", FIELD_REAL, AT (finish), "when it ends by the algorithm",
     .title = "finish", .decimals = FIELD_SHORT},
    {"printed_finish", FIELD_REAL, AT (printed.finish), "the same as printed",
     .title = "printed", .decimals = FIELD_SHORT},
    {"offset", FIELD_CHARS, AT (offset), "where it is by the algorithm",
     .title = "offset"},
    {"printed_offset", FIELD_CHARS, AT (printed_offset),
     "the same as printed", .title = "printed"},
    {"apart_start", FIELD_INT, AT (apart_start),
     "when it starts in the shortest plan without shared links",
     .title = "apart: start"},
    {"apart_finish", FIELD_INT, AT (apart_finish), "when it ends there",
     .title = "finish"},
    {"apart_offset", FIELD_CHARS, AT (apart_offset), "where it is there",
     .title = "offset"},
};
#undef AT
static const struct sheet job_sheet = {"example", SHEET_FIELDS (job_fields)};

struct length_row {
    const char *plan;
    double length, printed;
};

#define AT(member) FIELD_AT (struct length_row, member)
static const struct field length_fields[] = {
    {"plan", FIELD_TEXT, AT (plan), "which plan", .title = "plan"},
    {"length", FIELD_REAL, AT (length), "how long it takes",
     .title = "length", .decimals = FIELD_SHORT},
    {"printed", FIELD_REAL, AT (printed),
     "the same as printed; null if it is not", .title = "printed",
     .decimals = FIELD_SHORT},
};
#undef AT
static const struct sheet length_sheet
    = {"lengths", SHEET_FIELDS (length_fields)};

struct few_row {
    size_t jobs;
    const char *plan;
    size_t sets, proved;
    double mean, worst, open;
};

#define AT(member) FIELD_AT (struct few_row, member)
static const struct field few_fields[] = {
    {"jobs", FIELD_SIZE, AT (jobs), "how many jobs there are",
     .title = "jobs"},
    {"plan", FIELD_TEXT, AT (plan), "how they are planned", .title = "plan"},
    {"sets", FIELD_SIZE, AT (sets), "how many sets of jobs", .title = "sets"},
    {"proved", FIELD_SIZE, AT (proved),
     "in how many the best plan found is proved to be the least",
     .title = "proved"},
    {"mean", FIELD_REAL, AT (mean),
     "the plan's length over the best one found, less 1: the mean",
     .title = "mean", .scale = 100, .decimals = 1},
    {"worst", FIELD_REAL, AT (worst), "the same: the worst",
     .title = "worst", .scale = 100, .decimals = 1},
    {"open", FIELD_REAL, AT (open),
     "the best plan found over the lower bound, less 1, where it is not proved: "
     "the worst",
     .title = "open", .scale = 100, .decimals = 1},
};
#undef AT
static const struct sheet few_sheet = {"few", SHEET_FIELDS (few_fields)};

#define AT(member) FIELD_AT (struct gap, member)
static const struct field gap_fields[] = {
    {"what", FIELD_TEXT, AT (kind.name), "what jobs there are",
     .title = "jobs"},
    {"jobs", FIELD_SIZE, AT (kind.jobs), "how many jobs there are"},
    {"largest", FIELD_UINT, AT (kind.largest), "the largest dimension"},
    {"search", FIELD_TEXT, AT (budget.name), "how far is searched"},
    {"steps", FIELD_COUNT, AT (budget.steps), "the same in steps"},
    {"set", FIELD_SIZE, AT (set), "which set of jobs, from 0"},
    {"gap", FIELD_REAL, AT (gap),
     "the plan's length over the least without contention, less 1"},
    {"mean", FIELD_REAL, AT (mean), "the mean of all sets", .scale = 100},
};
#undef AT
static const struct sheet gap_sheet = {"gaps", SHEET_FIELDS (gap_fields)};

static const struct field answer_fields[] = {
    {"example", FIELD_LIST, .about = "jobs of the example",
     .group = &job_sheet},
    {"lengths", FIELD_LIST, .about = "how long its plans are",
     .group = &length_sheet},
    {"few", FIELD_LIST, .about = "plans of few jobs beside the least",
     .group = &few_sheet},
    {"gaps", FIELD_LIST, .about = "plans of random jobs",
     .group = &gap_sheet},
};
static const struct sheet answer_sheet
    = {"contention", SHEET_FIELDS (answer_fields)};

static void write_offset (uint32_t row, uint32_t col, char text[OFFSET])
{
    snprintf (text, OFFSET, "%" PRIu32 ",%" PRIu32, row, col);
}

static struct job_row job_row (const struct example *ex, size_t i)
{
    const struct printed *p = &example[i];
    const uint32_t *apart = ex->apart.at[i].offset;
    tori_contention_place at = tori_contention_at (ex->plan, i);
    struct job_row row = {.id = i + 1,
                          .printed = *p,
                          .start = at.start,
                          .finish = at.finish,
                          .apart_start = ex->apart.start[i],
                          .apart_finish = finish_of (&ex->apart, i)};
    snprintf (row.shape, OFFSET, "%" PRIu32 "x%" PRIu32, p->side, p->side);
    write_offset (at.subtorus.offset[0], at.subtorus.offset[1], row.offset);
    write_offset (p->row, p->col, row.printed_offset);
    write_offset (apart[0], apart[1], row.apart_offset);
    return row;
}

/* ---- output ---- */

enum { EXAMPLE, LENGTHS, FEW, GAPS };

/* The finish of job 3 is a misprint: its last matrix has 5.5 left at 4. */
static const char *explain_finish (const struct job_row *job)
{
    return job->id == 3 && job->finish == 4 + 5.5
               ? "a misprint: its last matrix has 4 + 5.5"
               : "see the table";
}

static void judge_jobs (struct paper_run *run)
{
    const struct job_row *job = run->list[EXAMPLE].row;
    size_t starts = 0, offsets = 0;
    for (size_t i = 0; i < JOBS; i++) {
        char value[40], printed[24];
        starts += job[i].start == job[i].printed.start;
        offsets += strcmp (job[i].offset, job[i].printed_offset) == 0;
        snprintf (value, sizeof value, "finish of job %zu", job[i].id);
        snprintf (printed, sizeof printed, "%g", job[i].printed.finish);
        verdict_compare (run,
                         &(struct published){"Section 2.4.4", value, printed,
                                             explain_finish (&job[i])},
                         job[i].finish == job[i].printed.finish, "%g",
                         job[i].finish);
    }
    verdict_compare (run,
                     &(struct published){"Section 2.4.4", "starts", "6",
                                         "see the table"},
                     starts == JOBS, "%zu the same", starts);
    verdict_compare (run,
                     &(struct published){"Section 2.4.4", "places", "6",
                                         "see the table"},
                     offsets == JOBS, "%zu the same", offsets);
}

static void judge_study (struct paper_run *run)
{
    const struct length_row *length = run->list[LENGTHS].row;
    judge_jobs (run);
    verdict_compare (run,
                     &(struct published){"Section 2.4.4, Figure 2",
                                         "schedule length", "10.75",
                                         "see the table"},
                     length[0].length == length[0].printed, "%g",
                     length[0].length);
    verdict_compare (run,
                     &(struct published){"Section 2.4.4",
                                         "length if dilation is ignored",
                                         "10", "see the table"},
                     length[1].length == length[1].printed, "%g",
                     length[1].length);
    verdict_refuse (run,
                    &(struct published){"Section 2.4.4",
                                        "time for n jobs on m x m",
                                        "O(n log n + n m^2)",
                                        "bounds, not times; make bench-parts "
                                        "measures times"},
                    "O(n log n + n m^2)");
}

static void print_study (struct paper_run *run)
{
    static const struct view_column what[] = {{"what"}};
    static const struct pivot gaps
        = {{NULL, VIEW_COLUMNS (what), NULL}, "search", {"mean"}};
    const struct study *study = run->study;
    paper_say (run,
               "The example of section 2.4.4 on torus:8x8: the plan by the "
               "paper's algorithm, as printed there, and the shortest one in "
               "which jobs are kept apart: no two share a link, and none is "
               "stopped (all plans were tried).\n");
    paper_table (run, EXAMPLE);
    fputc ('\n', run->out);
    paper_table (run, LENGTHS);
    paper_say (run,
               "\nWhat plans of few jobs take longer than the best plan with "
               "starts at events that %" PRIu64 " steps find, in %%, on %s: "
               "dimensions 1 to 8, times from 0.1 to 100. In how many sets "
               "that is proved to be the least; where it is not, it is at most "
               "by the last column above the least.\n",
               steps_of_proof (study), machine_name);
    paper_table (run, FEW);
    paper_say (run,
               "\nWhat plans take longer than the least time without "
               "contention, in %%: means of %zu sets of jobs on %s, times "
               "from 0.1 to 100, by the steps of the search.\n",
               study->sets, machine_name);
    paper_pivot (run, GAPS, NULL, &gaps);
}

static int make_rows (struct paper_run *run, tori_error *err)
{
    const struct example *ex = &((struct study *)run->study)->example;
    const struct length_row lengths[] = {
        {"by the algorithm, with contention",
         tori_contention_makespan (ex->plan), 10.75},
        {"least, no shared links, jobs not stopped", ex->apart.makespan, 10},
        {"least, with contention and starts at events",
         tori_contention_makespan (ex->least), NAN},
        {"least, no shared links, jobs stopped and moved",
         tori_exact_value (ex->stopped), NAN},
        {"least, as if shared links did not matter",
         tori_contention_bounds (ex->plan).contention_free, NAN}};
    struct job_row *job = paper_rows (run, EXAMPLE, JOBS, sizeof *job, err);
    void *length = paper_rows (run, LENGTHS, sizeof lengths / sizeof *lengths,
                               sizeof *lengths, err);
    if (!job || !length)
        return -1;
    for (size_t i = 0; i < JOBS; i++)
        job[i] = job_row (ex, i);
    memcpy (length, lengths, sizeof lengths);
    return 0;
}

static int make_few_rows (struct paper_run *run, tori_error *err)
{
    const struct study *study = run->study;
    struct few_row *row
        = paper_rows (run, FEW, study->fews * FEW_PLANS, sizeof *row, err);
    if (!row)
        return -1;
    for (size_t k = 0; k < study->fews; k++)
        for (size_t p = 0; p < FEW_PLANS; p++, row++) {
            *row = (struct few_row){.jobs = study->few_jobs[k],
                                    .plan = few_plans[p],
                                    .sets = study->sets};
            for (size_t i = 0; i < study->sets; i++) {
                const struct few_set *few = &study->few[k * study->sets + i];
                row->proved += few->proved[p];
                row->mean += few->above[p] / (double)study->sets;
                row->worst = fmax (row->worst, few->above[p]);
                row->open = fmax (row->open, few->open[p]);
            }
        }
    return 0;
}

static size_t budgets_within (size_t limit)
{
    size_t n = BUDGETS;
    while (limit && budgets[n - 1].steps > limit)
        n--;
    return n;
}

static void choose_few (struct study *study, size_t jobs)
{
    study->fews = jobs ? 1 : study->setup->quick ? QUICK_JOBS : FEW_JOBS;
    memcpy (study->few_jobs, usual_jobs, sizeof usual_jobs);
    if (jobs)
        study->few_jobs[0] = jobs;
}

static int compute_study (struct paper_run *run, tori_error *err)
{
    const struct paper_setup *setup = run->setup;
    struct study *study = run->study;
    size_t pieces;
    study->setup = setup;
    study->sets = setup->seeds ? setup->seeds : SETS;
    study->budgets = budgets_within (setup->limit);
    pieces = KINDS * study->budgets * study->sets;
    study->gap = paper_rows (run, GAPS, pieces, sizeof *study->gap, err);
    choose_few (study, setup->jobs);
    study->few = calloc (study->fews * study->sets, sizeof *study->few);
    if (!study->few)
        return tori_error_nomem (err);
    if (!study->gap
        || tori_machine_parse (machine_name, &study->machine, err) < 0
        || run_example (study->machine, &study->example, err) < 0
        || paper_do_pieces (setup, study->fews * study->sets, run_few, study,
                            err)
               < 0
        || paper_do_pieces (setup, pieces, run_piece, study, err) < 0)
        return -1;
    set_means (study);
    if (make_few_rows (run, err) < 0)
        return -1;
    return make_rows (run, err);
}

static void clear_study (void *arg)
{
    struct study *study = arg;
    tori_contention_destroy (study->example.plan);
    tori_contention_destroy (study->example.least);
    free (study->few);
    tori_machine_destroy (study->machine);
}

const struct paper paper_contention = {
    .name = "contention",
    .citation = paper_gupta_1997,
    .what = "section 2.4.4: the example as printed, its 10 without shared "
            "links, its least plan, and what searches gain",
    .takes = PAPER_LIMIT | PAPER_SEEDS | PAPER_JOBS,
    .quick = {.limit = 9999},
    .answer = &answer_sheet,
    .size = sizeof (struct study),
    .compute = compute_study,
    .judge = judge_study,
    .print = print_study,
    .clear = clear_study,
};
