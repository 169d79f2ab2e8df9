/* S. K. S. Gupta and P. K. Srimani, "Job Scheduling for Torus Connected
 * Networks", 1997, section 2: the example of 2.4.4 beside the printed
 * schedule, what else its jobs could take, and how far plans of random jobs
 * are from the least time without contention. */
#include <stdlib.h>
#include <string.h>

#include <tori/plan.h>

#include "emit.h"
#include "paper.h"
#include "random.h"
#include "table.h"
#include "wrap.h"

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
    struct apart apart; /* the first of the shortest */
    tori_exact stopped; /* the least if jobs may be stopped and moved */
};

static tori_shape square (uint32_t side)
{
    return (tori_shape){.ndims = 2, .size = {side, side}};
}

static int finish_of (const struct apart *apart, size_t i)
{
    return apart->start[i] + example[i].time;
}

/* When job i can start at its place: not before `now`, nor before the jobs
 * that have started and share links with it have ended. */
static int earliest (const tori_machine *machine, const struct apart *apart,
                     unsigned started, size_t i, int now)
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
    tori_shape shape = square (example[i].side);
    int makespan = apart->makespan;
    for (uint32_t p = 0; p < tori_subtorus_count (machine, &shape); p++) {
        tori_subtorus_at (machine, &shape, p, &apart->at[i]);
        apart->start[i] = earliest (machine, apart, started, i, now);
        if (finish_of (apart, i) > makespan)
            apart->makespan = finish_of (apart, i);
        if (apart->makespan < best->makespan)
            try_rest (machine, apart, started | 1U << i, apart->start[i],
                      best);
        apart->makespan = makespan;
    }
}

/* Jobs are taken in the order of their starts, in every such order. Some
 * shortest plan is among these: in the order of its own starts, no job of it
 * starts later here than there. */
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
        ex->job[i] = (tori_contention_job){
            square (example[i].side), tori_exact_make (example[i].time, 1)};
    if (least_stopped (machine, &ex->stopped, err) < 0)
        return -1;
    return tori_contention_create (machine, ex->job, JOBS, NULL, &ex->plan,
                                   err);
}

/* ---- gaps of random jobs ---- */

/* Dimensions are powers of two up to the largest, all as likely. */
static const struct kind {
    size_t jobs;
    uint32_t largest;
    const char *name;
} kinds[] = {{50, 8, "50, dimensions 1 to 8"},
             {50, 2, "50, dimensions 1 and 2"},
             {200, 1, "200, dimension 1"}};

static const uint64_t budgets[] = {0, 1, 100, 1000, 10000};

enum {
    KINDS = sizeof kinds / sizeof *kinds,
    BUDGETS = sizeof budgets / sizeof *budgets,
    SETS = 10,
    MOST_SETS = 20,
};

struct study {
    const struct paper_setup *setup;
    tori_machine *machine;
    struct example example;
    size_t sets;
    size_t budgets; /* as many of them as are within the limit */
    double gap[KINDS][BUDGETS][MOST_SETS];
};

static void random_jobs (const struct kind *kind, uint64_t seed,
                         tori_contention_job job[])
{
    uint64_t sizes = (uint64_t)__builtin_ctz (kind->largest) + 1;
    struct rng rng;
    rng_seed (&rng, seed, (uint64_t)(kind - kinds));
    for (size_t i = 0; i < kind->jobs; i++) {
        uint64_t log = rng_below (&rng, sizes);
        tori_wide tenths = (tori_wide)rng_below (&rng, 1000) + 1;
        job[i] = (tori_contention_job){square (UINT32_C (1) << log),
                                       tori_exact_make (tenths, 10)};
    }
}

static int measure_gap (struct study *study, size_t k, size_t b, size_t set,
                        tori_error *err)
{
    const struct kind *kind = &kinds[k];
    tori_contention_search search = {.steps = budgets[b],
                                     .seed = study->setup->seed + set};
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
    study->gap[k][b][set] = tori_contention_makespan (plan)
                                / tori_contention_bounds (plan).contention_free
                            - 1;
    tori_contention_destroy (plan);
    return 0;
}

static int work (void *arg, size_t piece, tori_error *err)
{
    struct study *study = arg;
    size_t cell = piece / study->sets;
    return measure_gap (study, cell / study->budgets, cell % study->budgets,
                        piece % study->sets, err);
}

static double mean_gap (const struct study *study, size_t k, size_t b)
{
    double sum = 0;
    for (size_t set = 0; set < study->sets; set++)
        sum += study->gap[k][b][set];
    return sum / (double)study->sets;
}

/* ---- tables ---- */

static struct table *make_example (const struct example *ex)
{
    static const struct table_column columns[] = {
        {"job", TABLE_NUMBER},     {"shape", TABLE_TEXT},
        {"time", TABLE_NUMBER},    {"start", TABLE_NUMBER},
        {"printed", TABLE_NUMBER}, {"finish", TABLE_NUMBER},
        {"printed", TABLE_NUMBER}, {"offset", TABLE_TEXT},
        {"printed", TABLE_TEXT},   {"apart: start", TABLE_NUMBER},
        {"finish", TABLE_NUMBER},  {"offset", TABLE_TEXT}};
    struct table *table =
        table_create (columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < JOBS; i++) {
        const struct printed *p = &example[i];
        tori_contention_place at = tori_contention_at (ex->plan, i);
        table_cell (table, "%zu", i + 1);
        table_cell (table, "%ux%u", p->side, p->side);
        table_cell (table, "%d", p->time);
        table_cell (table, "%.10g", at.start);
        table_cell (table, "%.10g", p->start);
        table_cell (table, "%.10g", at.finish);
        table_cell (table, "%.10g", p->finish);
        table_cell (table, "%u,%u", at.subtorus.offset[0],
                    at.subtorus.offset[1]);
        table_cell (table, "%u,%u", p->row, p->col);
        table_cell (table, "%d", ex->apart.start[i]);
        table_cell (table, "%d", finish_of (&ex->apart, i));
        table_cell (table, "%u,%u", ex->apart.at[i].offset[0],
                    ex->apart.at[i].offset[1]);
    }
    return table;
}

static void length_row (struct table *table, const char *what, double length,
                        const char *printed)
{
    table_cell (table, "%s", what);
    table_cell (table, "%.10g", length);
    table_cell (table, "%s", printed);
}

static struct table *make_lengths (const struct example *ex)
{
    static const struct table_column columns[] = {{"plan", TABLE_TEXT},
                                                  {"length", TABLE_NUMBER},
                                                  {"printed", TABLE_NUMBER}};
    struct table *table = table_create (columns, 3);
    length_row (table, "by the algorithm, with contention",
                tori_contention_makespan (ex->plan), "10.75");
    length_row (table, "least, no shared links, jobs not stopped",
                ex->apart.makespan, "10");
    length_row (table, "least, no shared links, jobs stopped and moved",
                tori_exact_value (ex->stopped), "");
    length_row (table, "least, as if shared links did not matter",
                tori_contention_bounds (ex->plan).contention_free, "");
    return table;
}

static struct table *make_gaps (const struct study *study)
{
    static const struct table_column columns[1 + BUDGETS] = {
        {"jobs", TABLE_TEXT},     {"no search", TABLE_NUMBER},
        {"1 step", TABLE_NUMBER}, {"100", TABLE_NUMBER},
        {"1000", TABLE_NUMBER},   {"10000", TABLE_NUMBER}};
    struct table *table = table_create (columns, 1 + study->budgets);
    for (size_t k = 0; k < KINDS; k++) {
        table_cell (table, "%s", kinds[k].name);
        for (size_t b = 0; b < study->budgets; b++)
            table_cell (table, "%.0f", 100 * mean_gap (study, k, b));
    }
    return table;
}

/* ---- output ---- */

enum { EXAMPLE, LENGTHS, GAPS, TABLES };

static int print_tables (const struct study *study,
                         struct table *const table[TABLES], FILE *out,
                         tori_error *err)
{
    char text[256];
    wrap_text (out,
               "The example of section 2.4.4 on torus:8x8: the plan by the "
               "paper's algorithm, as printed there, and the shortest one in "
               "which jobs are kept apart: no two share a link, and none is "
               "stopped (all plans were tried).",
               0, 0);
    fputc ('\n', out);
    if (table_print (table[EXAMPLE], out, study->setup->bold, err) < 0)
        return -1;
    fputc ('\n', out);
    if (table_print (table[LENGTHS], out, study->setup->bold, err) < 0)
        return -1;
    snprintf (text, sizeof text,
              "What plans take longer than the least time without "
              "contention, in %%: means of %zu sets of jobs on %s, times "
              "from 0.1 to 100, by the steps of the search.",
              study->sets, machine_name);
    fputc ('\n', out);
    wrap_text (out, text, 0, 0);
    fputc ('\n', out);
    return table_print (table[GAPS], out, study->setup->bold, err);
}

static int write_tables (const char *directory,
                         struct table *const table[TABLES], tori_error *err)
{
    static const char *const names[TABLES] = {"example", "lengths", "gaps"};
    for (int i = 0; i < TABLES; i++)
        if (paper_write_csv (directory, names[i], table[i], err) < 0)
            return -1;
    return 0;
}

static void emit_job (struct emit *e, const struct example *ex, size_t i)
{
    tori_contention_place at = tori_contention_at (ex->plan, i);
    uint32_t printed[2] = {example[i].row, example[i].col};
    emit_open (e, NULL, '{');
    emit_count (e, "id", i + 1);
    emit_real (e, "start", at.start);
    emit_real (e, "finish", at.finish);
    emit_counts (e, "offset", at.subtorus.offset, 2);
    emit_real (e, "printed_start", example[i].start);
    emit_real (e, "printed_finish", example[i].finish);
    emit_counts (e, "printed_offset", printed, 2);
    emit_whole (e, "apart_start", ex->apart.start[i]);
    emit_whole (e, "apart_finish", finish_of (&ex->apart, i));
    emit_counts (e, "apart_offset", ex->apart.at[i].offset, 2);
    emit_close (e, '}');
}

static void emit_gaps (struct emit *e, const struct study *study, size_t k,
                       size_t b)
{
    emit_open (e, NULL, '{');
    emit_count (e, "jobs", kinds[k].jobs);
    emit_count (e, "largest", kinds[k].largest);
    emit_count (e, "steps", budgets[b]);
    emit_real (e, "mean", mean_gap (study, k, b));
    emit_open (e, "gaps", '[');
    for (size_t set = 0; set < study->sets; set++)
        emit_real (e, NULL, study->gap[k][b][set]);
    emit_close (e, ']');
    emit_close (e, '}');
}

static int emit (const struct study *study, FILE *out, tori_error *err)
{
    const struct example *ex = &study->example;
    struct emit e = emit_to (out);
    answer_open (&e, study->setup->answer);
    emit_open (&e, "example", '[');
    for (size_t i = 0; i < JOBS; i++)
        emit_job (&e, ex, i);
    emit_close (&e, ']');
    emit_real (&e, "makespan", tori_contention_makespan (ex->plan));
    emit_whole (&e, "apart", ex->apart.makespan);
    emit_exact (&e, "apart_stopped", ex->stopped);
    emit_real (&e, "contention_free",
               tori_contention_bounds (ex->plan).contention_free);
    emit_open (&e, "gaps", '[');
    for (size_t cell = 0; cell < KINDS * study->budgets; cell++)
        emit_gaps (&e, study, cell / study->budgets, cell % study->budgets);
    emit_close (&e, ']');
    emit_close (&e, '}');
    return emit_end (&e, err);
}

static int report (const struct study *study, FILE *out, tori_error *err)
{
    struct table *table[TABLES] = {make_example (&study->example),
                                   make_lengths (&study->example),
                                   make_gaps (study)};
    int status = 0;
    if (study->setup->out)
        status = write_tables (study->setup->out, table, err);
    if (status == 0)
        status = study->setup->json ? emit (study, out, err)
                                    : print_tables (study, table, out, err);
    for (int i = 0; i < TABLES; i++)
        table_destroy (table[i]);
    return status;
}

static size_t budgets_within (size_t limit)
{
    size_t n = BUDGETS;
    while (limit && budgets[n - 1] > limit)
        n--;
    return n;
}

static int run (const struct paper_setup *setup, FILE *out, tori_error *err)
{
    struct study *study = calloc (1, sizeof *study);
    int status = -1;
    if (!study)
        return tori_error_nomem (err);
    study->setup = setup;
    study->sets = setup->seeds ? setup->seeds : SETS;
    study->budgets = budgets_within (setup->limit);
    if (paper_open_out (setup->out, err) == 0
        && tori_machine_parse (machine_name, &study->machine, err) == 0
        && run_example (study->machine, &study->example, err) == 0
        && paper_do_pieces (setup, KINDS * study->budgets * study->sets, work,
                            study, err)
               == 0)
        status = report (study, out, err);
    tori_contention_destroy (study->example.plan);
    tori_machine_destroy (study->machine);
    free (study);
    return status;
}

const struct paper paper_contention = {
    .name = "contention",
    .citation = paper_gupta_1997,
    .what = "section 2.4.4: the example as printed, its 10 without shared "
            "links, and what the search for an order gains",
    .takes = PAPER_LIMIT | PAPER_SEEDS,
    .run = run,
};
