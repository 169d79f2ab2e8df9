/* M. Kang, C. Yu, H. Y. Youn, B. Lee, M. Kim, "Isomorphic Strategy for
 * Processor Allocation in k-Ary n-Cube Systems", 2003, section 5, Figures 9 to
 * 13. Beyond the figures: the three causes of delay that section 5.1 names,
 * service times that vary more than exponential ones, and the rule for sibling
 * subcubes that adapts to the load, which section 6 leaves for later. */
#include <math.h>
#include <stdlib.h>

#include "isomorphic_study.h"

enum {
    JOBS = 1000,
    QUICK_LENGTH = 1 /* in a short run, instead of SERVICE_LENGTH */
};

/* ---- a point as a row ---- */

#define AT(member) FIELD_AT (struct row, member)
#define MEASURE(name, which, ...)                                             \
    ESTIMATE (name, struct row, value[which], __VA_ARGS__, .decimals = 2)

static const struct field point_fields[] = {
    {"machine", FIELD_TEXT, AT (machine), "the machine", .title = "machine"},
    {"model", FIELD_TEXT, AT (model), "the model of the jobs"},
    {"what", FIELD_TEXT, AT (jobs), "machine and jobs in words",
     .title = "machine and jobs"},
    {"strategy", FIELD_TEXT, AT (strategy),
     "the allocator, and what it is asked for", .title = "strategy"},
    {"load", FIELD_REAL, AT (load), "the offered load", .title = "load",
     .decimals = 1},
    MEASURE ("response", RESPONSE, "mean response", "service times"),
    MEASURE ("numerical", NUMERICAL,
             "mean delay while fewer nodes are free than the first job asks "
             "for",
             "service times", "numerical"),
    MEASURE ("topological", TOPOLOGICAL,
             "mean delay while enough are free", "service times",
             "topological"),
    MEASURE ("utilization", UTILIZATION, "the utilization"),
    MEASURE ("numerical_held", NUMERICAL_HELD,
             "mean delay while fewer nodes are free than the first job holds "
             "at its start",
             "service times", "numerical, held"),
    MEASURE ("topological_held", TOPOLOGICAL_HELD,
             "mean delay while enough are free by that", "service times",
             "topological, held"),
    {"gain", FIELD_INT, AT (gain),
     "by how much isomorphic answers sooner than this", "%"},
    {"comparable", FIELD_FLAG, AT (comparable),
     "whether the load is at most nine tenths of the most that both achieve"},
    {"gain_shown", FIELD_NUMERAL, AT (gain_shown),
     "the gain, in brackets if it cannot be compared"},
    MEASURE ("unrecognised", UNRECOGNISED,
             "the part of it in which a box of this shape is free, though the "
             "strategy does not see it",
             "service times", "of it unrecognised"),
};
#undef AT
static const struct sheet point_sheet
    = {"points", SHEET_FIELDS (point_fields)};

static const struct field answer_fields[] = {
    {"seeds", FIELD_SIZE, FIELD_AT (struct study, seeds),
     "how many seeds each mean is of"},
    {"jobs", FIELD_SIZE, FIELD_AT (struct study, jobs),
     "how many jobs a simulation has"},
    {"service_jobs", FIELD_SIZE, FIELD_AT (struct study, service_jobs),
     "how many jobs a simulation of service times has"},
    {"points", FIELD_LIST, .about = "every machine, strategy and load",
     .group = &point_sheet},
    {"services", FIELD_LIST,
     .about = "etc and isomorphic by the distribution of service times",
     .group = &isomorphic_service_sheet},
};
static const struct sheet answer_sheet
    = {"isomorphic", SHEET_FIELDS (answer_fields)};

/* The mean of the seeds' means, and Student's interval. */
static struct estimate value_of (const struct study *study, size_t p, size_t l,
                                 size_t load, enum measure measure)
{
    double value[SEEDS];
    for (size_t i = 0; i < study->seeds; i++)
        value[i] = study->sample[p][l][load][i][measure];
    return estimate_of (value, study->seeds);
}

static struct row row_of (const struct study *study, size_t p, size_t l,
                          size_t load)
{
    const struct panel *panel = &isomorphic_panels[p];
    struct row row = {.panel = p,
                      .machine = panel->machine,
                      .model = panel->model,
                      .jobs = panel->title,
                      .strategy = panel->line[l]->name,
                      .load = isomorphic_load (load)};
    size_t ours = 0;
    while (panel->line[ours] != &line_isomorphic)
        ours++;
    for (int m = 0; m < MEASURES; m++)
        row.value[m] = value_of (study, p, l, load, (enum measure)m);
    if (row.value[RESPONSE].mean > 0)
        row.gain = (int)round (
            100
            * (1
               - value_of (study, p, ours, load, RESPONSE).mean
                     / row.value[RESPONSE].mean));
    return row;
}

/* As soon as all rows are known. */
static void mark_comparable (struct paper_run *run, struct row *row, size_t l,
                             size_t load)
{
    const struct line *line = isomorphic_panels[row->panel].line[l];
    row->comparable = load < isomorphic_stable_loads (run, row->panel, line,
                                                      &line_isomorphic);
    snprintf (row->gain_shown, sizeof row->gain_shown,
              row->comparable ? "%d" : "(%d)", row->gain);
}

/* Panel by panel, strategy by strategy, load by load. */
static int make_rows (struct paper_run *run, tori_error *err)
{
    struct row *rows = paper_rows (run, POINT_LIST, PANELS * LINES * LOADS,
                                   sizeof *rows, err);
    size_t n = 0;
    for (size_t p = 0; rows && p < PANELS; p++)
        for (size_t l = 0; l < isomorphic_lines_of (p); l++)
            for (size_t i = 0; i < LOADS; i++)
                rows[n++] = row_of (run->study, p, l, i);
    run->list[POINT_LIST].n = n;
    n = 0;
    for (size_t p = 0; rows && p < PANELS; p++)
        for (size_t l = 0; l < isomorphic_lines_of (p); l++)
            for (size_t i = 0; i < LOADS; i++)
                mark_comparable (run, &rows[n++], l, i);
    return rows ? 0 : -1;
}

/* ---- simulations ---- */

/* A piece is a panel at a load with a seed: every strategy gets the same
 * jobs. */
static int run_piece (void *arg, size_t piece, tori_error *err)
{
    struct study *study = arg;
    size_t seed = piece % study->seeds, load = piece / study->seeds % LOADS;
    size_t p = piece / study->seeds / LOADS;
    int status = 0;
    tori_workload_options options = isomorphic_options (study, seed);
    tori_workload workload;
    options.load = isomorphic_load (load);
    options.jobs = study->jobs;
    options.service = study->setup->service;
    if (tori_workload_model (isomorphic_panels[p].model, study->machine[p],
                             &options, &workload, err)
        < 0)
        return -1;
    for (size_t l = 0; status == 0 && l < isomorphic_lines_of (p); l++)
        status = isomorphic_simulate (study, p, l, &workload,
                                 study->sample[p][l][load][seed], err);
    tori_workload_clear (&workload);
    return status;
}

/* A piece of the figures, or of the service times. */
static int run_any (void *arg, size_t piece, tori_error *err)
{
    struct study *study = arg;
    size_t figures = PANELS * LOADS * study->seeds;
    return piece < figures
               ? run_piece (arg, piece, err)
               : isomorphic_run_service (study, piece - figures, err);
}

static int compute_study (struct paper_run *run, tori_error *err)
{
    struct study *study = run->study;
    study->setup = run->setup;
    study->jobs = run->setup->limit ? run->setup->limit : JOBS;
    study->service_jobs
        = (run->setup->quick ? QUICK_LENGTH : SERVICE_LENGTH) * study->jobs;
    study->seeds = run->setup->seeds ? run->setup->seeds : SEEDS;
    for (size_t p = 0; p < PANELS; p++)
        if (tori_machine_parse (isomorphic_panels[p].machine,
                                &study->machine[p], err)
            < 0)
            return -1;
    if (paper_do_pieces (run->setup,
                         (PANELS * LOADS + SERVICE_POINTS) * study->seeds,
                         run_any, study, err)
            < 0
        || make_rows (run, err) < 0)
        return -1;
    return isomorphic_make_services (run, err);
}

static void clear_study (void *arg)
{
    struct study *study = arg;
    for (size_t p = 0; p < PANELS; p++)
        tori_machine_destroy (study->machine[p]);
}

const struct paper paper_isomorphic = {
    .name = "isomorphic",
    .citation = paper_kang_2003,
    .what = "Figures 9-13: response time and delays of jobs that ask for "
            "subcubes",
    .takes = PAPER_LIMIT | PAPER_SEEDS | PAPER_SERVICE,
    .quick = {.seeds = 10},
    .answer = &answer_sheet,
    .size = sizeof (struct study),
    .compute = compute_study,
    .judge = isomorphic_judge,
    .print = isomorphic_print,
    .draw = isomorphic_draw,
    .clear = clear_study,
};
