/* tori plan contention - jobs on interleaved subtori, which may share links
 * and then delay one another. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tori/plan.h>

#include "commands.h"
#include "fieldrows.h"
#include "number.h"
#include "plan_answer.h"
#include "planjobs.h"
#include "planlanes.h"
#include "machine_options.h"
#include "table.h"
#include "terminal.h"

struct values {
    struct machine_options site;
    const char *jobs;
    struct fraction improve; /* seconds */
    int64_t steps;
    int64_t seed;
    bool own_delay;
    struct pictures pictures;
    bool json;
};

#define AT(member) offsetof (struct values, member)

static const struct option options[] = {
    SITE_MESH_OR_TORUS (struct values),
    {"jobs", OPTION_STRING, AT (jobs), "FILE", .required = true,
     .file = FILE_READ,
     .help = "one job per line: DIMENSION TIME or SHAPE TIME, such as 4 2.5 "
             "or 4x2 5/2"},
    {"improve", OPTION_FRACTION, AT (improve), "DURATION", .unit = 1,
     .positive = true,
     .help = "after the first plan, search this long for a shorter one"},
    {"steps", OPTION_INTEGER, AT (steps), "N", .min = 1, .max = INT64_MAX,
     .help = "search N steps, or as many as --improve leaves time for"},
    {"seed", OPTION_INTEGER, AT (seed), "N", .max = INT64_MAX,
     .fallback = "1", .with = "steps improve",
     .help = "seed of the orders that are tried, for more than 16 jobs"},
    {"own-delay", OPTION_FLAG, AT (own_delay),
     .help = "a job overlaps with others for its own delay, too, and not only "
             "for the time that it asks for"},
    PICTURES_OPTIONS (struct values),
    OPTION_ROW_JSON (struct values),
    {.name = NULL},
};

/* ---- the request ---- */

enum { EXACT_TEXT = TORI_EXACT_TEXT + 2 };

/* The numbers of a plan; texts have all digits. */
struct plan_numbers {
    char makespan[TORI_CONTENTION_TEXT], longest[TORI_CONTENTION_TEXT],
        area[TORI_CONTENTION_TEXT], free[TORI_CONTENTION_TEXT];
    char makespan_exact[EXACT_TEXT];
    double events, first, gap;
    bool exact, least;
};

struct question {
    struct plan_question of;
    const char *name; /* of this kind of plan */
    tori_contention_job *job;
    size_t n;
    size_t timed; /* jobs that take time */
    tori_contention *plan;

    /* The search. */
    bool searches;
    uint64_t steps;        /* made so far */
    struct timespec begin; /* of the first step */
    struct progress progress;

    /* The answer. */
    bool feasible; /* false: there can never be a plan */
    bool own_delay;
    struct plan_numbers is;
};

static tori_shape shape_of (const struct question *q, size_t i)
{
    const struct planjob *job = &q->of.file.job[i];
    tori_shape shape = {.ndims = tori_machine_ndims (q->of.machine)};
    if (!job->dimension)
        return q->of.file.shape[job->shape];
    for (int d = 0; d < shape.ndims; d++)
        shape.size[d] = job->dimension;
    return shape;
}

static int convert_jobs (struct question *q, tori_error *err)
{
    q->n = q->of.file.n;
    q->job = calloc (q->n, sizeof *q->job);
    if (!q->job)
        return tori_error_nomem (err);
    for (size_t i = 0; i < q->n; i++) {
        q->job[i] =
            (tori_contention_job){shape_of (q, i), q->of.file.job[i].time};
        if (tori_contention_check (q->of.machine, &q->job[i], err) < 0)
            return planjobs_error (&q->of.file, i, err);
        q->timed += q->job[i].time.num > 0;
    }
    return 0;
}

/* Whether the search ends. The time for the first plan, which may be long,
 * does not count, and at least one step is made. Without --steps, progress is
 * measured in time. */
static bool is_enough (void *arg)
{
    struct question *q = arg;
    const struct values *v = q->of.values;
    double total = (double)v->steps;
    if (q->steps == 0)
        clock_gettime (CLOCK_MONOTONIC, &q->begin);
    else if (v->improve.den) {
        double limit = fraction_value (v->improve), elapsed;
        struct timespec now;
        clock_gettime (CLOCK_MONOTONIC, &now);
        elapsed = seconds_between (&q->begin, &now);
        if (elapsed >= limit)
            return true;
        if (!v->steps && elapsed > 0)
            total = (double)q->steps * limit / elapsed;
    }
    progress_update (&q->progress, (size_t)q->steps++, (size_t)total,
                     "steps");
    return false;
}

static int make_plan (struct question *q, tori_error *err)
{
    const struct values *v = q->of.values;
    tori_contention_search search = {
        .steps = v->steps ? (uint64_t)v->steps : UINT64_MAX,
        .seed = (uint64_t)v->seed,
        .enough = is_enough,
        .arg = q,
        .own_delay = v->own_delay,
    };
    int status;
    q->searches = v->improve.den || v->steps;
    if (!q->searches)
        search.steps = 0;
    progress_begin (&q->progress);
    status = tori_contention_create (q->of.machine, q->job, q->n, &search,
                                     &q->plan, err);
    progress_end (&q->progress);
    return status;
}

static void clear_question (void *question)
{
    struct question *q = question;
    tori_contention_destroy (q->plan);
    free (q->job);
}

/* ---- JSON ---- */

/* A number as a fraction, or "" if it is not known exactly. */
static void format_exact (const struct question *q,
                          tori_contention_number which, size_t i,
                          char text[EXACT_TEXT])
{
    tori_exact number;
    *text = '\0';
    if (!tori_contention_exact (q->plan, which, i, &number))
        return;
    tori_exact_format (number, text);
    if (number.den == 1)
        memcpy (text + strlen (text), "/1", 3);
}

struct job_row {
    size_t id, order;
    char start[TORI_CONTENTION_TEXT], start_exact[EXACT_TEXT];
    char finish[TORI_CONTENTION_TEXT], finish_exact[EXACT_TEXT];
    tori_subtorus subtorus;
    tori_exact time;
};

static struct job_row row_of (const struct question *q, size_t i)
{
    tori_contention_place at = tori_contention_at (q->plan, i);
    struct job_row row = {.id = i + 1,
                          .order = at.order + 1,
                          .subtorus = at.subtorus,
                          .time = q->job[i].time};
    tori_contention_text (q->plan, TORI_CONTENTION_START, i, row.start);
    tori_contention_text (q->plan, TORI_CONTENTION_FINISH, i, row.finish);
    format_exact (q, TORI_CONTENTION_START, i, row.start_exact);
    format_exact (q, TORI_CONTENTION_FINISH, i, row.finish_exact);
    return row;
}

static bool is_flat (const struct field *field, const void *row)
{
    return ((const struct job_row *)row)->subtorus.shape.ndims == 2;
}

static void emit_offset (struct emit *e, const struct field *field,
                         const void *arg)
{
    const struct job_row *row = arg;
    emit_counts (e, field->name, row->subtorus.offset,
                 (size_t)row->subtorus.shape.ndims);
}

/* The offset, the shape, the time and the order are enough to check a
 * plan. */
#undef AT
#define AT(member) FIELD_AT (struct job_row, member)
static const struct field job_fields[] = {
    {"id", FIELD_SIZE, AT (id),
     "the job, from 1 on, in the order of the file"},
    {"start", FIELD_DIGITS, AT (start), "when it starts"},
    {"finish", FIELD_DIGITS, AT (finish), "when it ends"},
    {"row", FIELD_UINT, AT (subtorus.offset[0]),
     "in two dimensions: the first coordinate of its offset", .when = is_flat},
    {"col", FIELD_UINT, AT (subtorus.offset[1]), "the second one",
     .when = is_flat},
    {"offset", FIELD_BY,
     .about = "where its subtorus begins; 0 if its time is 0",
     .by = emit_offset},
    {"shape", FIELD_SHAPE, AT (subtorus.shape), "its sides"},
    {"time", FIELD_EXACT, AT (time), "how long it takes alone"},
    {"order", FIELD_SIZE, AT (order),
     "its place in the order in which jobs were placed"},
    {"start_exact", FIELD_CHARS, AT (start_exact),
     "when it starts, in full, if that is a fraction", .when = field_is_set},
    {"finish_exact", FIELD_CHARS, AT (finish_exact),
     "when it ends, in full, if that is a fraction", .when = field_is_set},
};
SHEET (job);

static void emit_jobs (struct emit *e, const struct field *field,
                       const void *arg)
{
    const struct question *q = arg;
    emit_open (e, field->name, '[');
    for (size_t i = 0; i < q->n; i++) {
        struct job_row row = row_of (q, i);
        sheet_emit_object (e, NULL, field->group, &row);
    }
    emit_close (e, ']');
}

static bool is_searched (const struct field *field, const void *arg)
{
    return ((const struct question *)arg)->searches;
}

static bool has_event_bound (const struct field *field, const void *arg)
{
    const struct question *q = arg;
    return q->searches && q->timed <= TORI_CONTENTION_BRANCH;
}

#undef AT
#define AT(member) FIELD_AT (struct question, member)
static const struct field bound_fields[] = {
    {"longest", FIELD_DIGITS, AT (is.longest), "the longest job"},
    {"area", FIELD_DIGITS, AT (is.area), "all work over all nodes"},
    {"contention_free", FIELD_DIGITS, AT (is.free),
     "the least makespan if jobs did not delay each other"},
    {"events", FIELD_REAL, AT (is.events),
     "with --steps or --improve, up to 16 jobs: what no plan that starts jobs "
     "at events can beat",
     .when = has_event_bound},
};
SHEET (bound);

static const struct field plan_fields[] = {
    {"makespan", FIELD_DIGITS, AT (is.makespan), "when the last job ends"},
    {"makespan_exact", FIELD_CHARS, AT (is.makespan_exact),
     "the same in full, if that is a fraction", .when = field_is_set},
    {"exact", FIELD_FLAG, AT (is.exact), "whether numbers are exact"},
    {"jobs", FIELD_LIST, .about = "the plan, in the order of the file",
     .group = &job_sheet, .by = emit_jobs},
    {"lower_bound", FIELD_GROUP,
     .about = "what no plan can beat; `events` holds among plans that start "
              "jobs at events",
     .group = &bound_sheet},
    {"gap", FIELD_REAL, AT (is.gap),
     "makespan over the highest of these, less 1"},
    {"steps", FIELD_COUNT, AT (steps),
     "with --steps or --improve: steps that were made", .when = is_searched},
    {"least", FIELD_FLAG, AT (is.least),
     "with these: whether no plan that starts jobs at events is shorter",
     .when = is_searched},
    {"makespan_before", FIELD_REAL, AT (is.first),
     "with these: the makespan of the first plan", .when = is_searched},
    {"own_delay", FIELD_FLAG, AT (own_delay), "with --own-delay: true",
     .when = field_is_set},
    {"plan", FIELD_TEXT, AT (name), "contention"},
    {"machine", FIELD_MACHINE, AT (of.machine), "the machine"},
};
SHEET (plan);

static const struct field contention_fields[] = {
    {.kind = FIELD_BESIDE, .group = &plan_sheet, .when = plan_may_be},
    {"feasible", FIELD_FLAG, AT (feasible),
     "false if there can never be a plan", .when = plan_is_never},
    {.kind = FIELD_BESIDE,
     AT (of.never),
     .group = &plan_never_sheet,
     .when = plan_is_never},
};
static ANSWER (contention);

static void fill_numbers (struct question *q)
{
    tori_contention_bound bound = tori_contention_bounds (q->plan);
    tori_contention_text (q->plan, TORI_CONTENTION_MAKESPAN, 0,
                          q->is.makespan);
    tori_contention_text (q->plan, TORI_CONTENTION_LONGEST, 0, q->is.longest);
    tori_contention_text (q->plan, TORI_CONTENTION_AREA, 0, q->is.area);
    tori_contention_text (q->plan, TORI_CONTENTION_FREE, 0, q->is.free);
    format_exact (q, TORI_CONTENTION_MAKESPAN, 0, q->is.makespan_exact);
    q->is.events = bound.events;
    q->is.first = tori_contention_first (q->plan);
    q->is.gap = q->timed
                    ? tori_contention_makespan (q->plan) / bound.events - 1
                    : 0;
    q->is.exact = tori_contention_is_exact (q->plan);
    q->is.least = tori_contention_is_least (q->plan);
}

static int solve_question (void *question, tori_error *err)
{
    struct question *q = question;
    const struct values *v = q->of.values;
    if (pictures_check (&v->pictures, v->json, err) < 0
        || tori_machine_parse (v->site.machine, &q->of.machine, err) < 0
        || tori_contention_check (q->of.machine, NULL, err) < 0
        || planjobs_read (v->jobs, &q->of.file, err) < 0
        || convert_jobs (q, err) < 0 || make_plan (q, err) < 0)
        return -1;
    fill_numbers (q);
    return 0;
}

/* ---- for people ---- */

static void print_offset (struct table *table, const tori_subtorus *subtorus)
{
    char text[TORI_TEXT_MAX];
    size_t used = 0;
    for (int d = 0; d < subtorus->shape.ndims; d++)
        used += (size_t)snprintf (text + used, sizeof text - used,
                                  d ? ",%u" : "%u", subtorus->offset[d]);
    table_cell (table, "%s", text);
}

static void print_summary (const struct question *q, FILE *out)
{
    tori_contention_bound bound = tori_contention_bounds (q->plan);
    fprintf (out, "makespan     %.10g", tori_contention_makespan (q->plan));
    if (q->searches)
        fprintf (out, ", %s%.10g before a search of %llu step%s",
                 q->is.least ? "the least with starts at events, " : "",
                 q->is.first, (unsigned long long)q->steps,
                 q->steps == 1 ? "" : "s");
    fprintf (out,
             "\nlower bound  longest job %.10g, area %.10g, without "
             "contention %.10g",
             bound.longest, bound.area, bound.contention_free);
    if (has_event_bound (NULL, q))
        fprintf (out, ", at events %.10g", bound.events);
    fprintf (out, "; gap %.1f %%%s\n", 100 * q->is.gap,
             has_event_bound (NULL, q) ? " among starts at events" : "");
    if (!q->is.exact)
        fputs ("not exact    some times were too close to compare in 1,024 "
               "bits, and were taken as they look\n",
               out);
}

static int print_plan (const void *question, FILE *out, tori_error *err)
{
    const struct question *q = question;
    static const struct table_column columns[] = {
        {"job", TABLE_NUMBER},   {"shape", TABLE_TEXT},
        {"time", TABLE_NUMBER},  {"offset", TABLE_TEXT},
        {"start", TABLE_NUMBER}, {"finish", TABLE_NUMBER}};
    struct table *table = table_create (columns, 6);
    size_t n = plan_rows_shown (q->n);
    for (size_t i = 0; i < n; i++) {
        tori_contention_place at = tori_contention_at (q->plan, i);
        char shape[TORI_TEXT_MAX];
        tori_shape_format (&at.subtorus.shape, shape);
        table_cell (table, "%zu", i + 1);
        table_cell (table, "%s", shape);
        table_cell (table, "%.10g", at.time);
        if (q->job[i].time.num)
            print_offset (table, &at.subtorus);
        else
            table_cell (table, "-");
        table_cell (table, "%.10g", at.start);
        table_cell (table, "%.10g", at.finish);
    }
    if (plan_rows_print (table, q->n, out, err) < 0)
        return -1;
    print_summary (q, out);
    return 0;
}

static int draw_plan (const void *question, FILE *out, tori_error *err)
{
    const struct question *q = question;
    char machine[TORI_TEXT_MAX], title[TORI_TEXT_MAX + 64];
    struct planlanes lanes;
    struct gantt gantt = {.title = title,
                          .lane_title = "subtori",
                          .end = q->timed ? tori_contention_makespan (q->plan)
                                          : 1,
                          .label = planlanes_label,
                          .arg = &lanes};
    int status;
    if (planlanes_create (q->of.machine, q->plan, q->n, &lanes, err) < 0)
        return -1;
    gantt.lanes = lanes.lanes;
    gantt.bar = lanes.bar;
    gantt.bars = lanes.bars;
    tori_machine_format (q->of.machine, machine);
    snprintf (title, sizeof title, "Plan of %zu jobs with contention on %s",
              q->n, machine);
    status = pictures_draw (q->of.pictures, &gantt, out, err);
    planlanes_clear (&lanes);
    return status;
}

static int run_plan_contention (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    static const struct plan_command plan = {
        .command = &command_plan_contention,
        .solve = solve_question,
        .print = print_plan,
        .draw = draw_plan,
        .clear = clear_question,
    };
    struct question question = {
        .of = {v, &v->pictures, v->json},
        .name = "contention",
        .own_delay = v->own_delay,
    };
    return plan_run (&plan, &question.of, out, err);
}

const struct command command_plan_contention = {
    .name = "contention",
    .path = "plan contention",
    .summary = "Plan jobs on interleaved subtori that delay each other "
               "where they share links",
    .notes = "A job of shape 4x2 at offset 1,3 on torus:8x8 has the nodes "
             "whose first coordinate is 1 modulo 2 and whose second is 3 "
             "modulo 4. DIMENSION D stands for the shape with all sides D. "
             "Sides are the machine's divided by powers of two: 12, 6 or 3 of "
             "12, not 4. Then delays are halves, quarters and so on of times, "
             "which end in binary and stay exact. Jobs are taken largest first, "
             "then in the order of the file. Each starts as early as it "
             "can, at the first offset where the running jobs delay it "
             "least. Two jobs that share the rings of a dimension and "
             "overlap in time delay each other: each by the time of the "
             "overlap, times the other's share of the nodes of a ring. A job "
             "of time 0 ends at 0 and takes no links. "
             "--steps searches for a shorter plan and never makes it "
             "longer; the same seed and number of steps give the same plan. "
             "Up to 16 jobs are searched by branch and bound over all plans "
             "that start each job at time 0 or at the end of another, in "
             "any order and at any offset. If the search ends by itself, no "
             "such plan is shorter; otherwise it gives a lower bound. For "
             "more jobs, each step tries another order of jobs of equal "
             "size; so does every other step after the first 1,000 for up to "
             "16 jobs, 20,000 times, and the shorter plan counts. The number of steps that --improve makes "
             "depends on the speed of the computer; it is printed, and "
             "--steps with it gives the plan again. In JSON, \"exact\" "
             "tells whether all times were compared as exact numbers; "
             "fractions of a power of two are also printed as fractions.",
    .options = options,
    .size = sizeof (struct values),
    .examples =
        "tori plan contention --machine torus:8x8 --jobs FILE\n"
        "tori plan contention --machine torus:8x8 --jobs FILE --steps 100000",
    .status = {[0] = "there is a plan",
               [4] = "a job is larger than the machine, or the machine has no "
                     "subtori"},
    .answer = &answer_contention,
    .run = run_plan_contention,
};
