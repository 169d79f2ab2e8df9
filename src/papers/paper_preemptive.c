/* S. K. S. Gupta and P. K. Srimani, "Job Scheduling for Torus Connected
 * Networks", 1997: how a torus is divided (section 2.1, Figures 1, 3 and 4),
 * and plans without contention (section 3): the example of Figure 5, with the
 * profile after each of its jobs. Beyond the paper: what its condition on
 * dimensions would cost other jobs. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <tori/plan.h>
#include <tori/subtorus.h>

#include "paper.h"
#include "rounding.h"

enum { SIDE = 16, DEADLINE = 4, JOBS = 5, LEVELS = 4, TEXT = 96, HALVES = 2 };

/* Dimension, and time in halves. The text that we have of the paper prints the
 * profiles up to that of job 2 legibly. */
static const struct given {
    uint32_t dimension;
    int halves;
    const char *profile;
} given[JOBS] = {{8, 4, "([0,7],2) ([8,15],0)"},
                 {4, 8, "([0,7],2) ([12,15],0)"},
                 {4, 6, NULL},
                 {2, 4, NULL},
                 {2, 5, NULL}};

/* ---- rows ---- */

struct stay {
    size_t job;
    uint32_t dimension;
    double time;
    char positions[24];
    double start, finish;
};

#define AT(member) FIELD_AT (struct stay, member)
static const struct field stay_fields[] = {
    {"job", FIELD_SIZE, AT (job), "the job", .title = "job"},
    {"dimension", FIELD_UINT, AT (dimension), "its dimension",
     .title = "dimension"},
    {"time", FIELD_REAL, AT (time), "its time", .title = "time",
     .decimals = FIELD_SHORT},
    {"positions", FIELD_CHARS, AT (positions), "where it is",
     .title = "positions"},
    {"start", FIELD_REAL, AT (start), "from", .title = "start",
     .decimals = FIELD_SHORT},
    {"finish", FIELD_REAL, AT (finish), "until", .title = "finish",
     .decimals = FIELD_SHORT},
};
#undef AT
static const struct sheet stay_sheet = {"schedule", SHEET_FIELDS (stay_fields)};

struct profile {
    size_t job;
    char ours[TEXT];
    const char *printed;
};

#define AT(member) FIELD_AT (struct profile, member)
static const struct field profile_fields[] = {
    {"job", FIELD_SIZE, AT (job), "after this job", .title = "after job"},
    {"profile", FIELD_CHARS, AT (ours),
     "intervals of positions that have time left, and when they are free",
     .title = "profile"},
    {"printed", FIELD_TEXT, AT (printed),
     "the same as printed; null if it is not legible", .title = "printed"},
};
#undef AT
static const struct sheet profile_sheet
    = {"profiles", SHEET_FIELDS (profile_fields)};

/* The subtori of one size on torus:8x8, as entries of the availability
 * matrix. */
struct level {
    uint32_t side, entries, sets, set_size, expand;
    char matrix[16];
};

#define AT(member) FIELD_AT (struct level, member)
static const struct field level_fields[] = {
    {"side", FIELD_UINT, AT (side), "side of a subtorus", .title = "side"},
    {"matrix", FIELD_CHARS, AT (matrix), "the availability matrix",
     .title = "matrix"},
    {"entries", FIELD_UINT, AT (entries), "its entries, the subtori",
     .title = "subtori"},
    {"sets", FIELD_UINT, AT (sets), "link-disjoint sets of them",
     .title = "link-disjoint sets"},
    {"set_size", FIELD_UINT, AT (set_size), "subtori of a set",
     .title = "of"},
    {"expand", FIELD_UINT, AT (expand),
     "entries that consist of the four of the next level that the paper names",
     .title = "expand as printed"},
};
#undef AT
static const struct sheet level_sheet
    = {"levels", SHEET_FIELDS (level_fields)};

enum { STAYS, PROFILES, LEVEL_LIST, ROUNDING };

static const struct field answer_fields[] = {
    {"schedule", FIELD_LIST, .about = "Figure 5", .group = &stay_sheet},
    {"profiles", FIELD_LIST, .about = "the profile after each job",
     .group = &profile_sheet},
    {"levels", FIELD_LIST, .about = "Figures 1 and 3: subtori of torus:8x8",
     .group = &level_sheet},
    {"rounding", FIELD_LIST,
     .about = "what rounding dimensions up costs random jobs",
     .group = &rounding_sheet},
};
static const struct sheet answer_sheet
    = {"preemptive", SHEET_FIELDS (answer_fields)};

struct study {
    tori_machine *torus, *small; /* 16x16 and 8x8 */
    tori_preemptive plan;
    double least, longest, sum;
    bool disjoint[3]; /* 0,0 and 1,1; 1,0 and 0,1; 0,1 and 1,1 */
    double large, little; /* Figure 4: dilations over the overlap */
    uint64_t seed;
    struct rounding_row *rounding;
};

/* ---- the plan ---- */

static int plan_jobs (const struct study *study, size_t n,
                      tori_preemptive *ret_plan, tori_error *err)
{
    tori_preemptive_job job[JOBS];
    for (size_t i = 0; i < n; i++)
        job[i] = (tori_preemptive_job){
            given[i].dimension, tori_exact_make (given[i].halves, HALVES)};
    return tori_preemptive_plan (study->torus, job, n,
                                 tori_exact_make (DEADLINE, 1), ret_plan, err);
}

static double time_of (const tori_preemptive *plan, tori_wide ticks)
{
    return tori_exact_value (tori_exact_make (ticks, plan->unit));
}

/* Positions that are busy until the deadline are left out, as in the paper. */
static void write_profile (const tori_preemptive *plan, char text[TEXT])
{
    double until[SIDE] = {0};
    size_t used = 0;
    for (size_t i = 0; i < plan->segments; i++)
        for (uint32_t p = 0; p < plan->segment[i].size; p++) {
            double finish = time_of (plan, plan->segment[i].finish);
            double *at = &until[plan->segment[i].first + p];
            *at = finish > *at ? finish : *at;
        }
    text[0] = '\0';
    for (uint32_t p = 0, q; p < SIDE; p = q) {
        for (q = p + 1; q < SIDE && until[q] == until[p];)
            q++;
        if (until[p] < DEADLINE && used < TEXT)
            used += (size_t)snprintf (text + used, TEXT - used,
                                      "%s([%" PRIu32 ",%" PRIu32 "],%g)",
                                      used ? " " : "", p, q - 1, until[p]);
    }
}

static int make_profiles (struct paper_run *run, tori_error *err)
{
    struct profile *row = paper_rows (run, PROFILES, JOBS, sizeof *row, err);
    for (size_t i = 0; row && i < JOBS; i++) {
        tori_preemptive plan;
        if (plan_jobs (run->study, i + 1, &plan, err) < 0)
            return -1;
        row[i] = (struct profile){.job = i + 1, .printed = given[i].profile};
        write_profile (&plan, row[i].ours);
        tori_preemptive_clear (&plan);
    }
    return row ? 0 : -1;
}

static int make_stays (struct paper_run *run, tori_error *err)
{
    struct study *study = run->study;
    const tori_preemptive *plan = &study->plan;
    struct stay *row = paper_rows (run, STAYS, plan->segments, sizeof *row,
                                   err);
    for (size_t i = 0; row && i < plan->segments; i++) {
        const tori_segment *is = &plan->segment[i];
        row[i] = (struct stay){
            .job = is->job + 1,
            .dimension = given[is->job].dimension,
            .time = (double)given[is->job].halves / HALVES,
            .start = time_of (plan, is->start),
            .finish = time_of (plan, is->finish)};
        snprintf (row[i].positions, sizeof row[i].positions,
                  "%" PRIu32 "-%" PRIu32, is->first,
                  is->first + is->size - 1);
    }
    return row ? 0 : -1;
}

static int find_least (struct study *study, tori_error *err)
{
    tori_preemptive_job job[JOBS];
    tori_exact least;
    for (size_t i = 0; i < JOBS; i++) {
        double time = (double)given[i].halves / HALVES;
        double side = given[i].dimension;
        job[i] = (tori_preemptive_job){
            given[i].dimension, tori_exact_make (given[i].halves, HALVES)};
        study->longest = time > study->longest ? time : study->longest;
        study->sum += time * side * side / (SIDE * SIDE);
    }
    if (tori_preemptive_least (study->torus, job, JOBS, &least, err) < 0)
        return -1;
    study->least = tori_exact_value (least);
    return 0;
}

/* ---- subtori ---- */

static tori_subtorus subtorus_at (uint32_t side, uint32_t row, uint32_t col)
{
    return (tori_subtorus){.shape = {.ndims = 2, .size = {side, side}},
                           .offset = {row, col}};
}

/* Whether all nodes of one are nodes of the other. */
static bool is_within (const tori_machine *machine, const tori_subtorus *part,
                       const tori_subtorus *whole)
{
    uint32_t n = part->shape.size[0] * part->shape.size[1], nodes[64];
    bool within = true;
    tori_subtorus_nodes (machine, part, nodes);
    for (uint32_t i = 0; i < n; i++)
        within &= tori_subtorus_contains (machine, whole, nodes[i]);
    return within;
}

/* Whether the four subtori that the paper names are within one. */
static bool expands (const tori_machine *machine, const tori_subtorus *whole,
                     uint32_t stride)
{
    bool all = true;
    for (uint32_t i = 0; i < 4; i++) {
        tori_subtorus part
            = subtorus_at (whole->shape.size[0] / 2,
                           whole->offset[0] + i / 2 * stride,
                           whole->offset[1] + i % 2 * stride);
        all &= is_within (machine, &part, whole);
    }
    return all;
}

static struct level level_of (const tori_machine *machine, uint32_t side)
{
    tori_shape shape = {.ndims = 2, .size = {side, side}};
    uint32_t stride = tori_subtorus_stride (machine, &shape, 0);
    struct level level = {
        .side = side,
        .entries = tori_subtorus_count (machine, &shape),
        .sets = tori_subtorus_sets (machine, &shape),
        .set_size = tori_subtorus_set_size (machine, &shape)};
    for (uint32_t i = 0; side > 1 && i < level.entries; i++) {
        tori_subtorus whole;
        tori_subtorus_at (machine, &shape, i, &whole);
        level.expand += expands (machine, &whole, stride);
    }
    snprintf (level.matrix, sizeof level.matrix, "%" PRIu32 "x%" PRIu32,
              stride, stride);
    return level;
}

static int make_levels (struct paper_run *run, tori_error *err)
{
    struct study *study = run->study;
    struct level *row = paper_rows (run, LEVEL_LIST, LEVELS, sizeof *row, err);
    for (uint32_t i = 0; row && i < LEVELS; i++)
        row[i] = level_of (study->small, UINT32_C (8) >> i);
    return row ? 0 : -1;
}

/* Figure 4: a job of 4x4 at 0,0 and one of 2x2 at 0,1 share rows; each is
 * dilated by the part of a ring's nodes that the other has. */
static void find_dilations (struct study *study)
{
    tori_subtorus large = subtorus_at (4, 0, 0), little = subtorus_at (2, 0, 1);
    tori_subtorus at[4] = {subtorus_at (4, 0, 0), subtorus_at (4, 1, 1),
                           subtorus_at (4, 1, 0), subtorus_at (4, 0, 1)};
    const tori_machine *m = study->small;
    if (tori_subtorus_shared_dim (m, &large, &little) == 1) {
        study->large
            = 1.0 / tori_subtorus_stride (m, &little.shape, 1);
        study->little = 1.0 / tori_subtorus_stride (m, &large.shape, 1);
    }
    study->disjoint[0] = tori_subtorus_link_disjoint (m, &at[0], &at[1]);
    study->disjoint[1] = tori_subtorus_link_disjoint (m, &at[2], &at[3]);
    study->disjoint[2] = tori_subtorus_link_disjoint (m, &at[3], &at[1]);
}

static int measure_piece (void *arg, size_t piece, tori_error *err)
{
    const struct study *study = arg;
    return rounding_measure (piece, study->seed, &study->rounding[piece],
                             err);
}

static int make_rounding (struct paper_run *run, tori_error *err)
{
    struct study *study = run->study;
    study->seed = run->setup->seed;
    study->rounding = paper_rows (run, ROUNDING, ROUNDING_ROWS,
                                  sizeof *study->rounding, err);
    if (!study->rounding)
        return -1;
    return paper_do_pieces (run->setup, ROUNDING_ROWS, measure_piece, study,
                            err);
}

static int compute_study (struct paper_run *run, tori_error *err)
{
    struct study *study = run->study;
    if (tori_machine_parse ("torus:16x16", &study->torus, err) < 0
        || tori_machine_parse ("torus:8x8", &study->small, err) < 0
        || plan_jobs (study, JOBS, &study->plan, err) < 0
        || find_least (study, err) < 0)
        return -1;
    find_dilations (study);
    return make_stays (run, err) < 0 || make_profiles (run, err) < 0
                   || make_levels (run, err) < 0
                   || make_rounding (run, err) < 0
               ? -1
               : 0;
}

/* ---- verdicts ---- */

static void judge_subtori (struct paper_run *run)
{
    const struct study *study = run->study;
    const struct level *level = run->list[LEVEL_LIST].row;
    uint32_t expand = 0, wanted = 0;
    for (size_t i = 0; i < LEVELS - 1; i++) {
        expand += level[i].expand;
        wanted += level[i].entries;
    }
    verdict_compare (run,
                     &(struct published){"Figure 1",
                                         "4x4 subtori of 8x8, in link-disjoint "
                                         "sets",
                                         "4, in 2 sets of 2", "others"},
                     level[1].entries == 4 && level[1].sets == 2
                         && level[1].set_size == 2,
                     "%" PRIu32 ", in %" PRIu32 " sets of %" PRIu32,
                     level[1].entries, level[1].sets, level[1].set_size);
    verdict_compare (run,
                     &(struct published){"Section 2.1",
                                         "link-disjoint: 0,0 and 1,1; 1,0 and "
                                         "0,1; 0,1 and 1,1",
                                         "yes, yes, no", "others"},
                     study->disjoint[0] && study->disjoint[1]
                         && !study->disjoint[2],
                     "%s, %s, %s", study->disjoint[0] ? "yes" : "no",
                     study->disjoint[1] ? "yes" : "no",
                     study->disjoint[2] ? "yes" : "no");
    verdict_compare (run,
                     &(struct published){"Figure 3",
                                         "entries that expand to the four "
                                         "named",
                                         "all", "some do not"},
                     expand == wanted, "%" PRIu32 " of %" PRIu32, expand,
                     wanted);
    verdict_compare (run,
                     &(struct published){"Figure 4",
                                         "dilation of 4x4 and of 2x2, over "
                                         "their overlap",
                                         "1/4 and 1/2", "others"},
                     study->large == 0.25 && study->little == 0.5,
                     "%g and %g", study->large, study->little);
}

static void judge_profiles (struct paper_run *run)
{
    const struct profile *row = run->list[PROFILES].row;
    for (size_t i = 0; i < JOBS; i++) {
        char value[40];
        struct published of
            = {"Section 3", value, row[i].printed ? row[i].printed : "-",
               row[i].printed ? "another profile" : "not legible"};
        snprintf (value, sizeof value, "profile after job %zu", row[i].job);
        if (row[i].printed)
            verdict_compare (run, &of,
                             strcmp (row[i].ours, row[i].printed) == 0, "%s",
                             row[i].ours);
        else
            verdict_refuse (run, &of, "%s", row[i].ours);
    }
}

static void judge_study (struct paper_run *run)
{
    const struct study *study = run->study;
    judge_subtori (run);
    verdict_compare (run,
                     &(struct published){"Figure 5",
                                         "the jobs meet the deadline of 4",
                                         "yes", "they do not"},
                     study->plan.feasible, "%s, the least is %g",
                     study->plan.feasible ? "yes" : "no", study->least);
    verdict_compare (run,
                     &(struct published){"Theorem 2", "preemptions",
                                         "at most 4", "more"},
                     study->plan.preemptions < JOBS, "%zu",
                     study->plan.preemptions);
    verdict_refuse (run,
                    &(struct published){"Theorem 3", "time for n jobs",
                                        "O(n log n)",
                                        "bounds, not times; make bench-parts "
                                        "measures times"},
                    "O(n log n)");
    judge_profiles (run);
    verdict_compare (run,
                     &(struct published){
                         "Section 4", "the least finish is between",
                         "the longest job and the sum of t d^2 / m^2",
                         "both are lower bounds"},
                     study->longest <= study->least
                         && study->least <= study->sum,
                     "it is %g; they are %g and %g", study->least,
                     study->longest, study->sum);
}

static void print_study (struct paper_run *run)
{
    const struct study *study = run->study;
    paper_say (run,
               "The example of section 3 on torus:16x16 with a deadline of 4, "
               "by the paper's algorithm: where jobs are along the diagonal "
               "(Figure 5; tori plan preemptive --gantt draws it).\n");
    paper_table (run, STAYS);
    paper_say (run,
               "\nThe profile after each job: intervals of positions, and "
               "when they are free. Intervals without time left are dropped.\n");
    paper_table (run, PROFILES);
    paper_say (run,
               "\nSubtori of torus:8x8 (Figure 1), which are the entries of "
               "the availability matrix (Figure 3). An entry a,b expands to "
               "a,b; a,b+s; a+s,b and a+s,b+s, where s is the stride.\n");
    paper_table (run, LEVEL_LIST);
    paper_say (run,
               "\nThe algorithm needs dimensions that divide each other. What "
               "rounding up to such dimensions costs beside the least time "
               "with the true ones: random dimensions up to the side, times "
               "from 0.1 to 100, %" PRIu32 " sets of jobs in each row. For "
               "each set, the best divisors of the side are chosen, and the "
               "best of all numbers.\n",
               study->rounding->sets);
    paper_table (run, ROUNDING);
}

static void clear_study (void *arg)
{
    struct study *study = arg;
    tori_preemptive_clear (&study->plan);
    tori_machine_destroy (study->torus);
    tori_machine_destroy (study->small);
}

const struct paper paper_preemptive = {
    .name = "preemptive",
    .citation = paper_gupta_1997,
    .what = "Figures 1, 3, 4 and 5: how a torus is divided, and the "
            "preemptive example with its profiles; what rounding up costs",
    .answer = &answer_sheet,
    .size = sizeof (struct study),
    .compute = compute_study,
    .judge = judge_study,
    .print = print_study,
    .clear = clear_study,
};
