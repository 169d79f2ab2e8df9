/* tori plan preemptive - jobs that may be stopped and moved, and that share no
 * link: a plan that meets a deadline, or that ends as early as possible. */
#include <stdlib.h>
#include <string.h>

#include <tori/plan.h>

#include "commands.h"
#include "fieldrows.h"
#include "plan_answer.h"
#include "planjobs.h"
#include "machine_options.h"
#include "table.h"

struct values {
    struct machine_options site;
    const char *jobs;
    const char *deadline;
    bool min;
    struct pictures pictures;
    bool json;
};

#define AT(member) offsetof (struct values, member)

static const struct option options[] = {
    SITE_MESH_OR_TORUS (struct values),
    {"jobs", OPTION_STRING, AT (jobs), "FILE", .required = true,
     .file = FILE_READ,
     .help = "one job per line: DIMENSION TIME"},
    {"deadline", OPTION_STRING, AT (deadline), "T",
     .help = "when all jobs must be done, a positive decimal or fraction"},
    {"min", OPTION_FLAG, AT (min),
     .help = "find the least time in which they can be done"},
    PICTURES_OPTIONS (struct values),
    OPTION_ROW_JSON (struct values),
    {.name = NULL},
};

static int check_options (const struct values *v, tori_error *err)
{
    const struct option_rule rules[] = {
        {v->min && v->deadline, "--deadline and --min exclude each other"},
        {!v->min && !v->deadline, "one of --deadline and --min is missing"},
    };
    if (options_check (rules, sizeof rules / sizeof *rules, err) < 0)
        return -1;
    return pictures_check (&v->pictures, v->json, err);
}

/* ---- the request ---- */

struct question {
    struct plan_question of;
    const char *name; /* of this kind of plan */
    uint32_t side;
    tori_preemptive_job *job;
    size_t n;
    tori_exact deadline; /* with --min, the least finish */
    tori_exact least;
    tori_preemptive_bound bound;
    tori_preemptive plan;

    /* The answer. */
    double gap;    /* of the end of the plan to the least one */
    size_t failed; /* the id of the job that is too late */
};

/* On a machine of two dimensions, 4x4 may stand for 4. */
static int dimension_of (const struct question *q, size_t i,
                         uint32_t *ret_dimension, tori_error *err)
{
    const struct planjob *job = &q->of.file.job[i];
    const tori_shape *shape;
    bool equal;
    if (job->dimension) {
        *ret_dimension = job->dimension;
        return 0;
    }
    shape = &q->of.file.shape[job->shape];
    equal = shape->ndims == tori_machine_ndims (q->of.machine);
    for (int d = 1; d < shape->ndims; d++)
        equal &= shape->size[d] == shape->size[0];
    if (!equal) {
        char text[TORI_TEXT_MAX];
        tori_shape_format (shape, text);
        tori_error_set (err, TORI_INVALID,
                        "shape %.60s: expected one number, the side of a "
                        "subtorus with equal sides",
                        text);
        return planjobs_error (&q->of.file, i, err);
    }
    *ret_dimension = shape->size[0];
    return 0;
}

static int convert_jobs (struct question *q, tori_error *err)
{
    size_t bad;
    q->n = q->of.file.n;
    q->job = calloc (q->n, sizeof *q->job);
    if (!q->job)
        return tori_error_nomem (err);
    for (size_t i = 0; i < q->n; i++) {
        q->job[i].time = q->of.file.job[i].time;
        if (dimension_of (q, i, &q->job[i].dimension, err) < 0)
            return -1;
    }
    if (tori_preemptive_check (q->of.machine, q->job, q->n, &bad, err) < 0)
        return bad < q->n ? planjobs_error (&q->of.file, bad, err) : -1;
    return 0;
}

static int parse_deadline (const char *text, struct question *q,
                           tori_error *err)
{
    if (!text)
        return 0;
    if (tori_exact_parse (text, "--deadline", &q->deadline, err) < 0)
        return -1;
    if (q->deadline.num <= 0)
        return tori_error_set (err, TORI_INVALID,
                               "--deadline: %.60s is not positive", text);
    return 0;
}

static int solve_question (void *question, tori_error *err)
{
    struct question *q = question;
    const struct values *v = q->of.values;
    if (check_options (v, err) < 0 || parse_deadline (v->deadline, q, err) < 0
        || tori_machine_parse (v->site.machine, &q->of.machine, err) < 0
        || tori_preemptive_side (q->of.machine, &q->side, err) < 0
        || planjobs_read (v->jobs, &q->of.file, err) < 0
        || convert_jobs (q, err) < 0)
        return -1;
    if (tori_preemptive_least (q->of.machine, q->job, q->n, &q->least, err) < 0
        || tori_preemptive_bounds (q->of.machine, q->job, q->n, &q->bound, err)
               < 0)
        return -1;
    if (v->min)
        q->deadline = q->least;
    if (tori_preemptive_plan (q->of.machine, q->job, q->n, q->deadline,
                              &q->plan, err)
        < 0)
        return -1;
    q->gap = q->least.num ? tori_exact_value (q->plan.finish)
                                    / tori_exact_value (q->least)
                                - 1
                          : 0;
    q->failed = q->plan.failed + 1;
    return q->plan.feasible ? 0 : TORI_NOT_NOW;
}

static void clear_question (void *question)
{
    struct question *q = question;
    tori_preemptive_clear (&q->plan);
    free (q->job);
}

static double ticks_value (const struct question *q, tori_wide ticks)
{
    return tori_exact_value (tori_exact_make (ticks, q->plan.unit));
}

/* In two dimensions, any set of link-disjoint subtori could lie along the
 * diagonal as well. In more dimensions some sets could not
 * (doc/experiments/preemptive.md). */
static bool on_plane (const struct question *q)
{
    return tori_machine_ndims (q->of.machine) == 2;
}

/* ---- JSON ---- */

struct segment_row {
    size_t id;
    tori_segment is;
    tori_exact start, finish;
};

#undef AT
#define AT(member) FIELD_AT (struct segment_row, member)
static const struct field segment_fields[] = {
    {"id", FIELD_SIZE, AT (id),
     "the job, from 1 on, in the order of the file"},
    {"first", FIELD_UINT, AT (is.first),
     "its first position along the diagonal"},
    {"size", FIELD_UINT, AT (is.size), "its dimension"},
    {"start", FIELD_EXACT, AT (start), "when it starts"},
    {"finish", FIELD_EXACT, AT (finish), "when it ends"},
};
SHEET (segment);

static void emit_segments (struct emit *e, const struct field *field,
                           const void *arg)
{
    const tori_preemptive *plan = &((const struct question *)arg)->plan;
    emit_open (e, field->name, '[');
    for (size_t i = 0; i < plan->segments; i++) {
        const tori_segment *is = &plan->segment[i];
        struct segment_row row = {is->job + 1, *is,
                                  tori_exact_make (is->start, plan->unit),
                                  tori_exact_make (is->finish, plan->unit)};
        sheet_emit_object (e, NULL, field->group, &row);
    }
    emit_close (e, ']');
}

struct job_row {
    size_t id;
    tori_preemptive_job is;
};

#undef AT
#define AT(member) FIELD_AT (struct job_row, member)
static const struct field job_fields[] = {
    {"id", FIELD_SIZE, AT (id), "the job, from 1 on"},
    {"dimension", FIELD_UINT, AT (is.dimension), "its dimension"},
    {"time", FIELD_EXACT, AT (is.time), "how long it takes"},
};
SHEET (job);

static void emit_jobs (struct emit *e, const struct field *field,
                       const void *arg)
{
    const struct question *q = arg;
    emit_open (e, field->name, '[');
    for (size_t i = 0; i < q->n; i++) {
        struct job_row row = {i + 1, q->job[i]};
        sheet_emit_object (e, NULL, field->group, &row);
    }
    emit_close (e, ']');
}

static bool is_feasible (const struct field *field, const void *arg)
{
    return ((const struct question *)arg)->plan.feasible;
}

static bool is_late (const struct field *field, const void *arg)
{
    return plan_may_be (field, arg) && !is_feasible (field, arg);
}

static bool has_deadline (const struct field *field, const void *arg)
{
    const struct question *q = arg;
    return ((const struct values *)q->of.values)->deadline;
}

#undef AT
#define AT(member) FIELD_AT (struct question, member)
static const struct field plan_fields[] = {
    {"finish", FIELD_EXACT, AT (plan.finish), "when the last job ends"},
    {"preemptions", FIELD_SIZE, AT (plan.preemptions),
     "how often a job is stopped"},
    {"stages", FIELD_SIZE, AT (plan.stages),
     "how often the dimensions that run change, with the first time; only if "
     "some dimension does not divide the next",
     .when = field_is_set},
    {"segments", FIELD_LIST, .about = "the plan", .group = &segment_sheet,
     .by = emit_segments},
    {"gap", FIELD_REAL, AT (gap), "finish over the least finish, less 1"},
};
SHEET (plan);

static const struct field bound_fields[] = {
    {"longest", FIELD_EXACT, AT (bound.longest), "the longest job"},
    {"area", FIELD_EXACT, AT (bound.area), "all work over all positions"},
};
SHEET (bound);

/* The request, so that a reader can check the plan. */
static const struct field request_fields[] = {
    {"plan", FIELD_TEXT, AT (name), "preemptive"},
    {"machine", FIELD_MACHINE, AT (of.machine), "the machine"},
    {"deadline", FIELD_EXACT, AT (deadline), "the deadline",
     .when = has_deadline},
    {"least", FIELD_EXACT, AT (least), "the least possible finish time"},
    {"lower_bound", FIELD_GROUP, .about = "what no plan can beat",
     .group = &bound_sheet},
    {"jobs", FIELD_LIST, .about = "the jobs", .group = &job_sheet,
     .by = emit_jobs},
};
SHEET (request);

static const struct field preemptive_fields[] = {
    {"feasible", FIELD_FLAG, AT (plan.feasible),
     "whether there is a plan by the deadline"},
    {.kind = FIELD_BESIDE, .group = &plan_sheet, .when = is_feasible},
    {"failed", FIELD_SIZE, AT (failed),
     "the job that cannot be done by the deadline", .when = is_late},
    {.kind = FIELD_BESIDE, .group = &request_sheet, .when = plan_may_be},
    {.kind = FIELD_BESIDE,
     AT (of.never),
     .group = &plan_never_sheet,
     .when = plan_is_never},
};
static ANSWER (preemptive);

/* ---- for people ---- */

/* A time as a decimal if it has few decimals, else as a fraction. */
static const char *exact_text (tori_exact time, char text[TORI_EXACT_TEXT])
{
    if (1000000 % time.den == 0 && time.num / time.den < 100000000)
        tori_exact_decimal (time, text);
    else
        tori_exact_format (time, text);
    return text;
}

static void print_summary (const struct question *q, FILE *out)
{
    char finish[TORI_EXACT_TEXT], other[TORI_EXACT_TEXT];
    exact_text (q->plan.finish, finish);
    if (!has_deadline (NULL, q))
        fprintf (out, "finish       %s, the least %s\n", finish,
                 on_plane (q) ? "there is" : "along the diagonal");
    else
        fprintf (out, "finish       %s, deadline %s\n", finish,
                 exact_text (q->deadline, other));
    fprintf (out, "preemptions  %zu", q->plan.preemptions);
    if (q->plan.stages)
        fprintf (out, ", stages %zu\n", q->plan.stages);
    else
        fprintf (out, " of at most %zu\n", q->n - 1);
    exact_text (q->bound.longest, finish);
    fprintf (out, "lower bound  longest job %s, area %s", finish,
             exact_text (q->bound.area, other));
    exact_text (q->least, finish);
    fprintf (out, "; least finish %s, gap %.1f %%\n", finish, 100 * q->gap);
}

static void print_refusal (const struct question *q, FILE *out)
{
    size_t failed = q->plan.failed;
    char deadline[TORI_EXACT_TEXT], least[TORI_EXACT_TEXT];
    exact_text (q->deadline, deadline);
    fprintf (out,
             "%s:%zu: job %zu finds no place before the deadline %s; the "
             "least deadline for all jobs%s is %s\n",
             q->of.file.name, q->of.file.job[failed].line, failed + 1,
             deadline, on_plane (q) ? "" : " along the diagonal",
             exact_text (q->least, least));
}

static void print_job (const struct question *q, size_t job,
                       struct table *table)
{
    char text[TORI_EXACT_TEXT];
    table_cell (table, "%zu", job + 1);
    table_cell (table, "%u", q->job[job].dimension);
    table_cell (table, "%s", exact_text (q->job[job].time, text));
}

static void print_segment (const struct question *q, const tori_segment *s,
                           struct table *table)
{
    tori_exact start = tori_exact_make (s->start, q->plan.unit);
    tori_exact finish = tori_exact_make (s->finish, q->plan.unit);
    char text[TORI_EXACT_TEXT];
    print_job (q, s->job, table);
    table_cell (table, s->size > 1 ? "%u-%u" : "%u", s->first,
                s->first + s->size - 1);
    table_cell (table, "%s", exact_text (start, text));
    table_cell (table, "%s", exact_text (finish, text));
}

/* A job of time 0 has no segment. */
static void print_nothing (const struct question *q, size_t job,
                           struct table *table)
{
    print_job (q, job, table);
    table_cell (table, "-");
    table_cell (table, "0");
    table_cell (table, "0");
}

/* Segments are in the order of jobs. */
static size_t print_rows (const struct question *q, size_t shown,
                          struct table *table)
{
    const tori_segment *s = q->plan.segment, *end = s + q->plan.segments;
    size_t rows = 0;
    for (size_t job = 0; job < q->n; job++) {
        if (!q->job[job].time.num && rows++ < shown)
            print_nothing (q, job, table);
        for (; s < end && s->job == job; s++)
            if (rows++ < shown)
                print_segment (q, s, table);
    }
    return rows;
}

static int print_plan (const void *question, FILE *out, tori_error *err)
{
    const struct question *q = question;
    static const struct table_column columns[] = {
        {"job", TABLE_NUMBER},   {"dimension", TABLE_NUMBER},
        {"time", TABLE_NUMBER},  {"positions", TABLE_TEXT},
        {"start", TABLE_NUMBER}, {"finish", TABLE_NUMBER}};
    struct table *table;
    size_t rows;
    if (!q->plan.feasible) {
        print_refusal (q, out);
        return 0;
    }
    table = table_create (columns, 6);
    rows = print_rows (q, plan_rows_shown (SIZE_MAX), table);
    if (plan_rows_print (table, rows, out, err) < 0)
        return -1;
    print_summary (q, out);
    return 0;
}

/* ---- pictures ---- */

static void fill_bars (const struct question *q, struct gantt_bar *bar)
{
    for (size_t i = 0; i < q->plan.segments; i++) {
        const tori_segment *s = &q->plan.segment[i];
        bar[i] = (struct gantt_bar){
            .job = s->job + 1,
            .low = s->first,
            .high = s->first + s->size,
            .start = ticks_value (q, s->start),
            .finish = ticks_value (q, s->finish),
        };
    }
}

static int draw_plan (const void *question, FILE *out, tori_error *err)
{
    const struct question *q = question;
    struct gantt_bar *bar = calloc (q->plan.segments + 1, sizeof *bar);
    char machine[TORI_TEXT_MAX], title[TORI_TEXT_MAX + 64];
    /* Without jobs that take time, the picture is empty, but not narrow. */
    double end = q->deadline.num ? tori_exact_value (q->deadline) : 1;
    struct gantt gantt = {.title = title,
                          .lane_title = "positions",
                          .lanes = q->side,
                          .end = end,
                          .deadline = end,
                          .bar = bar,
                          .bars = q->plan.segments};
    int status;
    if (!bar)
        return tori_error_nomem (err);
    fill_bars (q, bar);
    tori_machine_format (q->of.machine, machine);
    snprintf (title, sizeof title, "Preemptive plan of %zu jobs on %s", q->n,
              machine);
    status = pictures_draw (q->of.pictures, &gantt, out, err);
    free (bar);
    return status;
}

static int run_plan_preemptive (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    static const struct plan_command plan = {
        .command = &command_plan_preemptive,
        .solve = solve_question,
        .print = print_plan,
        .draw = draw_plan,
        .clear = clear_question,
    };
    struct question question = {
        .of = {v, &v->pictures, v->json},
        .name = "preemptive",
    };
    return plan_run (&plan, &question.of, out, err);
}

const struct command command_plan_preemptive = {
    .name = "preemptive",
    .path = "plan preemptive",
    .summary = "Plan jobs that may be stopped and moved, by a deadline or as "
               "early as possible",
    .notes = "Jobs get subtori along the diagonal of the machine, which "
             "share no link: a subtorus of dimension D at positions A to "
             "A+D-1 has the nodes whose coordinates are all in that range. "
             "So the dimensions of the jobs that run at the same time add "
             "up to at most the shortest side of the machine. The answer is "
             "exact: a deadline that can be met along the diagonal is met. In "
             "two dimensions nothing is better; in more, subtori off the "
             "diagonal might be. If each dimension among the jobs divides the "
             "next larger one, as powers of two do, a million jobs take a "
             "second, and there are fewer preemptions than jobs. Other "
             "dimensions take a linear program: less than a second for all "
             "dimensions up to 64. Its plan is the shortest one, for any "
             "deadline; it "
             "consists of stages, and in a stage the same number of jobs of "
             "each dimension run. A job of time 0 is done at once. A deadline "
             "must be positive. Numbers that do not fit 128 bits are an "
             "error. In JSON, \"failed\" is the id of the first job that "
             "finds no place, larger dimensions first.",
    .options = options,
    .size = sizeof (struct values),
    .examples =
        "tori plan preemptive --machine torus:16x16 --jobs FILE --deadline 4\n"
        "tori plan preemptive --machine torus:16x16 --jobs FILE --min --gantt",
    .status = {[0] = "there is a plan",
               [3] = "no plan along the diagonal meets the deadline; the "
                     "least deadline is printed",
               [4] = "a job is larger than the machine, or the machine has no "
                     "subtori"},
    .answer = &answer_preemptive,
    .run = run_plan_preemptive,
};
