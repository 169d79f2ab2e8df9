/* S. K. S. Gupta and P. K. Srimani, "Job Scheduling for Torus Connected
 * Networks", 1997, section 2.2: jobs on interleaved subtori that share links
 * dilate each other. Their model's dilation beside that of jobs whose messages
 * are simulated flit by flit.
 *
 * A job sends all the time, in phases, as the model supposes. It runs alone
 * first and then with others, all from cycle 0 on; its dilation is the time it
 * takes then over the time it took alone. */
#include <stdlib.h>
#include <string.h>

#include <tori/subtorus.h>
#include <tori/traffic.h>

#include "paper.h"

static const struct setting {
    const char *machine;
    uint32_t side; /* of the subtori */
} settings[] = {{"torus:8x8", 4}, {"torus:16x16", 8}, {"torus:16x16", 4}};

/* Rounds make about 64 phases of 16 nodes. */
static const struct pattern {
    const char *name;
    const char *pattern;
    uint32_t rounds;
    uint32_t packet; /* flits at most; 0: the whole message */
} patterns[] = {{"ring", "ring", 64, 0},
                {"ring, packets of 8", "ring", 64, 8},
                {"neighbour", "neighbour", 16, 0},
                {"random", "random", 64, 0},
                {"transpose", "transpose", 64, 0},
                {"fft", "fft", 16, 0},
                {"all-to-all", "all-to-all", 4, 0}};

static const uint32_t flits[] = {1, 8, 64};

/* The jobs beside the one that is measured, which has offset 0,0. */
enum company {
    ROW,  /* subtori of the same rows, `jobs` in all */
    SET,  /* link-disjoint ones, as many as there are */
    EVERY /* all subtori of the shape */
};

static const struct group {
    const char *name;
    enum company company;
    uint32_t jobs;  /* of a row */
    uint32_t share; /* the others are this many times shorter */
} groups[] = {{"disjoint", SET, 0, 1},   {"2 in a row", ROW, 2, 1},
              {"3 in a row", ROW, 3, 1}, {"4 in a row", ROW, 4, 1},
              {"2, half", ROW, 2, 2},    {"2, quarter", ROW, 2, 4},
              {"all", EVERY, 0, 1}};

enum {
    SETTINGS = sizeof settings / sizeof *settings,
    PATTERNS = sizeof patterns / sizeof *patterns,
    LENGTHS = sizeof flits / sizeof *flits,
    GROUPS = sizeof groups / sizeof *groups,
    CASES = SETTINGS * PATTERNS * LENGTHS,
    MOST = 16 /* jobs */
};

struct row {
    const char *machine, *pattern, *name, *jobs;
    char subtori[64];
    uint32_t side, packet, flits;
    double predicted, measured;
};

/* Rows are by setting, pattern, length and group; empty if the machine does
 * not have such a company. */
struct study {
    const struct paper_setup *setup;
    struct row *rows;
};

/* ---- one simulation ---- */

/* The jobs of a group, the measured one first. */
struct company_of {
    tori_machine *machine;
    tori_subtorus subtorus[MOST];
    tori_traffic_job job[MOST];
    uint32_t *nodes;
    uint32_t n;
    uint32_t stride;
    uint32_t packet;
};

static int find_pattern (const char *name)
{
    return strcmp (name, "neighbour") == 0 ? TORI_TRAFFIC_NEIGHBOUR
                                           : tori_pattern_find (name);
}

/* The offset of the i-th; false past the end. */
static bool offset_of (const struct company_of *c, const struct group *group,
                       uint32_t i, uint32_t offset[2])
{
    uint32_t k = c->stride;
    offset[0] = offset[1] = 0;
    if (group->company == ROW)
        offset[1] = i;
    else if (group->company == SET)
        offset[0] = offset[1] = i;
    else {
        offset[0] = i / k;
        offset[1] = i % k;
    }
    return i < MOST && offset[0] < k && offset[1] < k
           && (group->company != ROW || i < group->jobs);
}

static void add_job (struct company_of *c, const tori_traffic_job *like,
                     const tori_shape *shape, const uint32_t offset[2])
{
    uint32_t i = c->n++, volume = shape->size[0] * shape->size[1];
    uint32_t *nodes = c->nodes + (size_t)i * volume;
    c->subtorus[i] = (tori_subtorus){.shape = *shape,
                                     .offset = {offset[0], offset[1]}};
    tori_subtorus_nodes (c->machine, &c->subtorus[i], nodes);
    c->job[i] = *like;
    c->job[i].nodes = nodes;
    c->job[i].n = volume;
    c->job[i].shape = &c->subtorus[i].shape;
}

/* The measured job, and its company, except for their places. */
static tori_traffic_job job_like (const struct study *study, size_t i,
                                  uint32_t share)
{
    const struct pattern *pattern = &patterns[i / LENGTHS % PATTERNS];
    uint32_t rounds = pattern->rounds;
    if (study->setup->limit && rounds > study->setup->limit)
        rounds = (uint32_t)study->setup->limit;
    rounds /= share;
    return (tori_traffic_job){.pattern = find_pattern (pattern->pattern),
                              .flits = flits[i % LENGTHS],
                              .rounds = rounds ? rounds : 1};
}

static int company_open (const struct study *study, size_t i,
                         const struct group *group, struct company_of *c,
                         tori_error *err)
{
    const struct setting *setting = &settings[i / LENGTHS / PATTERNS];
    tori_shape shape = {.ndims = 2, .size = {setting->side, setting->side}};
    uint32_t offset[2];
    *c = (struct company_of){0};
    if (tori_machine_parse (setting->machine, &c->machine, err) < 0)
        return -1;
    c->nodes = calloc (tori_machine_nodes (c->machine), sizeof *c->nodes);
    if (!c->nodes)
        return tori_error_nomem (err);
    c->stride = tori_subtorus_stride (c->machine, &shape, 0);
    c->packet = patterns[i / LENGTHS % PATTERNS].packet;
    for (uint32_t k = 0; offset_of (c, group, k, offset); k++) {
        tori_traffic_job like = job_like (study, i, k ? group->share : 1);
        add_job (c, &like, &shape, offset);
    }
    return 0;
}

static void company_close (struct company_of *c)
{
    free (c->nodes);
    tori_machine_destroy (c->machine);
}

/* When the first of n jobs ends. */
static int simulate_jobs (const struct study *study,
                          const struct company_of *c, uint32_t n,
                          double *ret_finish, tori_error *err)
{
    tori_net_config net = {.size = sizeof net, .vcs = 2, .buffer = 8,
                           .packet = c->packet};
    tori_traffic_config config = {.size = sizeof config,
        .machine = c->machine,
        .net = &net,
        .jobs = c->job,
        .njobs = n,
        .seed = study->setup->seed};
    tori_traffic_result result;
    if (tori_traffic_run (&config, &result, err) < 0)
        return -1;
    *ret_finish = (double)result.jobs[0].finish;
    tori_traffic_clear (&result);
    return 0;
}

/* Theorem 1 for the first job: 1/m of the time that each other job overlaps
 * with it, if they share links; m, the number of jobs that can share a link,
 * is the stride. */
static double predict_dilation (const struct company_of *c,
                                const struct group *group)
{
    double load = 0;
    for (uint32_t i = 1; i < c->n; i++)
        if (!tori_subtorus_link_disjoint (c->machine, &c->subtorus[0],
                                          &c->subtorus[i]))
            load += 1.0 / group->share / c->stride;
    return 1 + load;
}

static struct row row_of (size_t i, size_t g)
{
    const struct setting *setting = &settings[i / LENGTHS / PATTERNS];
    const struct pattern *pattern = &patterns[i / LENGTHS % PATTERNS];
    struct row row = {
        .machine = setting->machine,
        .pattern = pattern->pattern,
        .name = pattern->name,
        .jobs = groups[g].name,
        .side = setting->side,
        .packet = pattern->packet ? pattern->packet : flits[i % LENGTHS],
        .flits = flits[i % LENGTHS],
    };
    snprintf (row.subtori, sizeof row.subtori, "%s, %ux%u", setting->machine,
              (unsigned)setting->side, (unsigned)setting->side);
    return row;
}

/* `alone` is the time of the measured job without company, which is the same in
 * all groups of a case; 0 if it is not known yet. */
static int compute_cell (struct study *study, size_t i, size_t g,
                         double *alone, tori_error *err)
{
    const struct group *group = &groups[g];
    struct row *row = &study->rows[i * GROUPS + g];
    struct company_of c;
    double together;
    int status = company_open (study, i, group, &c, err);
    if (status == 0 && (group->company != ROW || c.n == group->jobs)) {
        if (*alone == 0)
            status = simulate_jobs (study, &c, 1, alone, err);
        if (status == 0)
            status = simulate_jobs (study, &c, c.n, &together, err);
        if (status == 0) {
            *row = row_of (i, g);
            row->predicted = predict_dilation (&c, group);
            row->measured = together / *alone;
        }
    }
    company_close (&c);
    return status;
}

static int run_case (void *arg, size_t i, tori_error *err)
{
    double alone = 0;
    int status = 0;
    for (size_t g = 0; status == 0 && g < GROUPS; g++)
        status = compute_cell (arg, i, g, &alone, err);
    return status;
}

/* ---- printing ---- */

#define AT(member) FIELD_AT (struct row, member)
static const struct field row_fields[] = {
    {"machine", FIELD_TEXT, AT (machine), "the machine"},
    {"side", FIELD_UINT, AT (side), "the side of a subtorus"},
    {"subtori", FIELD_CHARS, AT (subtori), "both in words",
     .title = "subtori"},
    {"pattern", FIELD_TEXT, AT (pattern), "who sends to whom"},
    {"traffic", FIELD_TEXT, AT (name), "the same in words",
     .title = "pattern"},
    {"packet", FIELD_UINT, AT (packet), "flits of a packet"},
    {"flits", FIELD_UINT, AT (flits), "flits of a message",
     .title = "flits"},
    {"jobs", FIELD_TEXT, AT (jobs), "where the other jobs are"},
    {"predicted", FIELD_REAL, AT (predicted),
     "how many times as long as alone the job takes, by the model",
     .decimals = 2},
    {"measured", FIELD_REAL, AT (measured), "the same with messages",
     .decimals = 2},
};
static const struct sheet row_sheet = {"dilation", SHEET_FIELDS (row_fields)};

static const struct field answer_fields[] = {
    {"cells", FIELD_LIST, .about = "every case", .group = &row_sheet},
};
static const struct sheet answer_sheet
    = {"dilation", SHEET_FIELDS (answer_fields)};

/* The least and the most that was measured in a company; of all patterns with
 * messages of more than a flit. */
static void measured_range (const struct paper_run *run, const char *jobs,
                            double *least, double *most)
{
    const struct row *row = run->list[0].row;
    *least = 1e9;
    *most = 0;
    for (size_t i = 0; i < run->list[0].n; i++) {
        if (strcmp (row[i].jobs, jobs) != 0 || row[i].flits == 1
            || strcmp (row[i].subtori, "torus:8x8, 4x4") != 0)
            continue;
        *least = row[i].measured < *least ? row[i].measured : *least;
        *most = row[i].measured > *most ? row[i].measured : *most;
    }
}

static void judge_study (struct paper_run *run)
{
    double least, most;
    measured_range (run, "disjoint", &least, &most);
    verdict_compare (run,
                     &(struct published){"Section 2.1, Figure 1",
                                         "dilation on link-disjoint subtori",
                                         "1", "messages meet"},
                     least > 0.995 && most < 1.005, "%.2f to %.2f", least,
                     most);
    measured_range (run, "2 in a row", &least, &most);
    verdict_number (run,
                    &(struct published){
                        "Section 2.2", "dilation of two jobs in a row of 8x8",
                        "1.5 for all", "it depends on the messages"},
                    1.5, most - 1.5 > 1.5 - least ? most : least,
                    "%.2f to %.2f", least, most);
}

static void print_study (struct paper_run *run)
{
    static const struct view_column model[] = {{"subtori"}};
    static const struct view_column columns[]
        = {{"subtori"}, {"traffic"}, {"flits"}};
    static const struct pivot predicted
        = {{"\nBy the model\n", VIEW_COLUMNS (model), NULL},
           "jobs",
           {"predicted"}};
    static const struct pivot measured
        = {{"\nMeasured\n", VIEW_COLUMNS (columns), NULL},
           "jobs",
           {"measured"}};
    paper_say (run,
               "How many times as long as alone a job takes on the subtorus "
               "of offset 0,0. The others are link-disjoint with it, or in "
               "its rows, as long as it or shorter, or everywhere.");
    paper_pivot (run, 0, NULL, &predicted);
    paper_pivot (run, 0, NULL, &measured);
}

/* Keep the rows that were computed. */
static size_t drop_empty (struct row rows[])
{
    size_t n = 0;
    for (size_t i = 0; i < CASES * GROUPS; i++)
        if (rows[i].machine)
            rows[n++] = rows[i];
    return n;
}

static int compute_study (struct paper_run *run, tori_error *err)
{
    struct study study = {.setup = run->setup};
    study.rows = paper_rows (run, 0, CASES * GROUPS, sizeof *study.rows, err);
    if (!study.rows
        || paper_do_pieces (run->setup, CASES, run_case, &study, err) < 0)
        return -1;
    run->list[0].n = drop_empty (study.rows);
    return 0;
}

const struct paper paper_dilation = {
    .name = "dilation",
    .citation = paper_gupta_1997,
    .what = "the model of contention of section 2.2 held against messages: "
            "how much longer jobs take that share links",
    .takes = PAPER_LIMIT,
    .answer = &answer_sheet,
    .compute = compute_study,
    .judge = judge_study,
    .print = print_study,
};
