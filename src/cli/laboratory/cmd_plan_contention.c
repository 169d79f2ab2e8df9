/* tori plan contention - jobs on interleaved subtori, which may share links
 * and then delay one another. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tori/plan.h>

#include "asked.h"
#include "commands.h"
#include "emit.h"
#include "fields.h"
#include "number.h"
#include "pictures.h"
#include "planjobs.h"
#include "planlanes.h"
#include "planrows.h"
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
    {"improve", OPTION_FRACTION, AT (improve), "SECONDS", .positive = true,
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

struct question {
    const struct values *values;
    tori_machine *machine;
    struct planjobs file;
    tori_contention_job *job;
    size_t n;
    tori_contention *plan;

    /* The search. */
    bool searches;
    uint64_t steps;        /* made so far */
    struct timespec begin; /* of the first step */
    struct progress progress;
};

static tori_shape shape_of (const struct question *q, size_t i)
{
    const struct planjob *job = &q->file.job[i];
    tori_shape shape = {.ndims = tori_machine_ndims (q->machine)};
    if (!job->dimension)
        return q->file.shape[job->shape];
    for (int d = 0; d < shape.ndims; d++)
        shape.size[d] = job->dimension;
    return shape;
}

static int convert_jobs (struct question *q, tori_error *err)
{
    q->n = q->file.n;
    q->job = calloc (q->n, sizeof *q->job);
    if (!q->job)
        return tori_error_nomem (err);
    for (size_t i = 0; i < q->n; i++) {
        q->job[i] =
            (tori_contention_job){shape_of (q, i), q->file.job[i].time};
        if (tori_contention_check (q->machine, &q->job[i], err) < 0)
            return planjobs_error (&q->file, i, err);
    }
    return 0;
}

/* Whether the search ends. The time for the first plan, which may be long,
 * does not count, and at least one step is made. Without --steps, progress is
 * measured in time. */
static bool is_enough (void *arg)
{
    struct question *q = arg;
    const struct values *v = q->values;
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
    const struct values *v = q->values;
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
    status = tori_contention_create (q->machine, q->job, q->n, &search,
                                     &q->plan, err);
    progress_end (&q->progress);
    return status;
}

static int solve_question (struct question *q, tori_error *err)
{
    const struct values *v = q->values;
    if (pictures_check (&v->pictures, v->json, err) < 0
        || tori_machine_parse (v->site.machine, &q->machine, err) < 0
        || tori_contention_check (q->machine, NULL, err) < 0
        || planjobs_read (v->jobs, &q->file, err) < 0
        || convert_jobs (q, err) < 0)
        return -1;
    return make_plan (q, err);
}

static void question_clear (struct question *q)
{
    tori_contention_destroy (q->plan);
    planjobs_clear (&q->file);
    free (q->job);
    tori_machine_destroy (q->machine);
}

static double gap_of (const struct question *q)
{
    return tori_contention_makespan (q->plan)
               / tori_contention_bounds (q->plan).events
           - 1;
}

/* ---- JSON ---- */

static void emit_time_of (struct emit *e, const char *key,
                          const struct question *q,
                          tori_contention_number which, size_t i)
{
    char text[TORI_CONTENTION_TEXT];
    tori_contention_text (q->plan, which, i, text);
    emit_number (e, key, text);
}

/* The member KEY as an exact fraction, if it is known exactly. */
static void emit_exact_of (struct emit *e, const char *key,
                           const struct question *q,
                           tori_contention_number which, size_t i)
{
    char text[TORI_EXACT_TEXT + 2];
    tori_exact number;
    if (!tori_contention_exact (q->plan, which, i, &number))
        return;
    tori_exact_format (number, text);
    if (number.den == 1)
        memcpy (text + strlen (text), "/1", 3);
    emit_text (e, key, text);
}

/* Rows and columns exist in two dimensions only. The offset, the shape, the
 * time and the order are enough to check a plan. */
static void emit_job (struct emit *e, const struct question *q, size_t i)
{
    tori_contention_place at = tori_contention_at (q->plan, i);
    size_t ndims = (size_t)at.subtorus.shape.ndims;
    emit_open (e, NULL, '{');
    emit_count (e, "id", i + 1);
    emit_time_of (e, "start", q, TORI_CONTENTION_START, i);
    emit_time_of (e, "finish", q, TORI_CONTENTION_FINISH, i);
    if (ndims == 2) {
        emit_count (e, "row", at.subtorus.offset[0]);
        emit_count (e, "col", at.subtorus.offset[1]);
    }
    emit_counts (e, "offset", at.subtorus.offset, ndims);
    emit_counts (e, "shape", at.subtorus.shape.size, ndims);
    emit_exact (e, "time", q->job[i].time);
    emit_count (e, "order", at.order + 1);
    emit_exact_of (e, "start_exact", q, TORI_CONTENTION_START, i);
    emit_exact_of (e, "finish_exact", q, TORI_CONTENTION_FINISH, i);
    emit_close (e, '}');
}

static int emit_answer (const struct question *q, FILE *out, tori_error *err)
{
    struct emit e = emit_to (out);
    char text[TORI_TEXT_MAX];
    tori_machine_format (q->machine, text);
    asked_open (&e, "plan contention", &command_plan_contention, q->values);
    emit_time_of (&e, "makespan", q, TORI_CONTENTION_MAKESPAN, 0);
    emit_exact_of (&e, "makespan_exact", q, TORI_CONTENTION_MAKESPAN, 0);
    emit_flag (&e, "exact", tori_contention_is_exact (q->plan));
    emit_open (&e, "jobs", '[');
    for (size_t i = 0; i < q->n; i++)
        emit_job (&e, q, i);
    emit_close (&e, ']');
    emit_open (&e, "lower_bound", '{');
    emit_time_of (&e, "longest", q, TORI_CONTENTION_LONGEST, 0);
    emit_time_of (&e, "area", q, TORI_CONTENTION_AREA, 0);
    emit_time_of (&e, "contention_free", q, TORI_CONTENTION_FREE, 0);
    if (q->searches && q->n <= TORI_CONTENTION_BRANCH)
        emit_real (&e, "events", tori_contention_bounds (q->plan).events);
    emit_close (&e, '}');
    emit_real (&e, "gap", gap_of (q));
    if (q->searches) {
        emit_count (&e, "steps", q->steps);
        emit_flag (&e, "least", tori_contention_is_least (q->plan));
        emit_real (&e, "makespan_before", tori_contention_first (q->plan));
    }
    if (q->values->own_delay)
        emit_flag (&e, "own_delay", true);
    emit_text (&e, "plan", "contention");
    emit_text (&e, "machine", text);
    emit_close (&e, '}');
    return emit_end (&e, err);
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

static void print_summary (const void *arg, FILE *out)
{
    const struct question *q = arg;
    tori_contention_bound bound = tori_contention_bounds (q->plan);
    fprintf (out, "makespan     %.10g", tori_contention_makespan (q->plan));
    if (q->searches)
        fprintf (out, ", %s%.10g before a search of %llu step%s",
                 tori_contention_is_least (q->plan)
                     ? "the least with starts at events, "
                     : "",
                 tori_contention_first (q->plan),
                 (unsigned long long)q->steps, q->steps == 1 ? "" : "s");
    fprintf (out,
             "\nlower bound  longest job %.10g, area %.10g, without "
             "contention %.10g",
             bound.longest, bound.area, bound.contention_free);
    if (q->searches && q->n <= TORI_CONTENTION_BRANCH)
        fprintf (out, ", at events %.10g", bound.events);
    fprintf (out, "; gap %.1f %%\n", 100 * gap_of (q));
    if (!tori_contention_is_exact (q->plan))
        fputs ("not exact    some times were too close to compare in 1,024 "
               "bits, and were taken as they look\n",
               out);
}

static int print_plan (const struct question *q, FILE *out, tori_error *err)
{
    static const struct table_column columns[] = {
        {"job", TABLE_NUMBER},   {"shape", TABLE_TEXT},
        {"time", TABLE_NUMBER},  {"offset", TABLE_TEXT},
        {"start", TABLE_NUMBER}, {"finish", TABLE_NUMBER}};
    struct table *table = table_create (columns, 6);
    size_t n = planrows_shown (q->n);
    for (size_t i = 0; i < n; i++) {
        tori_contention_place at = tori_contention_at (q->plan, i);
        char shape[TORI_TEXT_MAX];
        tori_shape_format (&at.subtorus.shape, shape);
        table_cell (table, "%zu", i + 1);
        table_cell (table, "%s", shape);
        table_cell (table, "%.10g", at.time);
        print_offset (table, &at.subtorus);
        table_cell (table, "%.10g", at.start);
        table_cell (table, "%.10g", at.finish);
    }
    return planrows_print (table, q->n, print_summary, q, out, err);
}

static int draw_plan (const struct question *q, FILE *out, tori_error *err)
{
    char machine[TORI_TEXT_MAX], title[TORI_TEXT_MAX + 64];
    struct planlanes lanes;
    struct gantt gantt = {.title = title,
                          .lane_title = "subtori",
                          .end = tori_contention_makespan (q->plan),
                          .label = planlanes_label,
                          .arg = &lanes};
    int status;
    if (planlanes_create (q->machine, q->plan, q->n, &lanes, err) < 0)
        return -1;
    gantt.lanes = lanes.lanes;
    gantt.bar = lanes.bar;
    gantt.bars = lanes.bars;
    tori_machine_format (q->machine, machine);
    snprintf (title, sizeof title, "Plan of %zu jobs with contention on %s",
              q->n, machine);
    status = pictures_draw (&q->values->pictures, &gantt, out, err);
    planlanes_clear (&lanes);
    return status;
}

static int answer_plan (const struct question *q, FILE *out, tori_error *err)
{
    const struct values *v = q->values;
    int status = 0;
    if (v->json)
        status = emit_answer (q, out, err);
    else if (!pictures_take_stdout (&v->pictures))
        status = print_plan (q, out, err);
    if (status == 0 && pictures_asked (&v->pictures))
        status = draw_plan (q, out, err);
    return status;
}

static int run_plan_contention (const void *values, FILE *out, tori_error *err)
{
    struct question question = {.values = values};
    const struct asked asked = {"plan contention", &command_plan_contention,
                                values};
    int status = solve_question (&question, err);
    if (status == 0)
        status = answer_plan (&question, out, err);
    else if (err->status == TORI_NEVER && question.values->json)
        status = planjobs_never (&asked, out, err);
    question_clear (&question);
    return status;
}

const struct command command_plan_contention = {
    .name = "contention",
    .summary = "Plan jobs on interleaved subtori that delay each other "
               "where they share links",
    .notes = "A job of shape 4x2 at offset 1,3 on torus:8x8 has the nodes "
             "whose first coordinate is 1 modulo 2 and whose second is 3 "
             "modulo 4. DIMENSION D stands for the shape with all sides D. "
             "All sides are powers of two. Jobs are taken largest first, "
             "then in the order of the file. Each starts as early as it "
             "can, at the first offset where the running jobs delay it "
             "least. Two jobs that share the rings of a dimension and "
             "overlap in time delay each other: each by the time of the "
             "overlap, times the other's share of the nodes of a ring. "
             "--steps searches for a shorter plan and never makes it "
             "longer; the same seed and number of steps give the same plan. "
             "Up to 16 jobs are searched by branch and bound over all plans "
             "that start each job at time 0 or at the end of another, in "
             "any order and at any offset. If the search ends by itself, no "
             "such plan is shorter; otherwise it gives a lower bound. For "
             "more jobs, each step tries another order of jobs of equal "
             "size. The number of steps that --improve makes "
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
