/* tori plan check - whether a plan holds, from its JSON alone. */
#include <string.h>

#include "asked.h"
#include "commands.h"
#include "emit.h"
#include "fields.h"
#include "plancheck.h"
#include "planjobs.h"

struct values {
    const char *file;
    const char *jobs;
    bool json;
};

static const struct option options[] = {
    {"file", OPTION_STRING, offsetof (struct values, file), "FILE",
     .required = true, .operand = true, .file = FILE_READ,
     .help = "what 'tori plan contention --json' or 'tori plan preemptive "
             "--json' printed; - is standard input"},
    {"jobs", OPTION_STRING, offsetof (struct values, jobs), "JOBS",
     .file = FILE_READ,
     .help = "the jobs that were planned; the plan must have all of them, "
             "in the same order"},
    OPTION_ROW_JSON (struct values),
    {.name = NULL},
};

/* One row per kind of plan, with the name of its length. */
static const struct kind {
    const char *name;
    const char *length;
    int (*check) (const struct planfile *file, tori_error *err);
} kinds[] = {
    {"contention", "makespan", plancheck_contention},
    {"preemptive", "finish", plancheck_preemptive},
};

static const struct kind *find_kind (const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp (kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

/* ---- the jobs that were planned ---- */

/* Whether a side, as the file of jobs has it, is that of the plan. */
static bool same_side (const json_t *value, uint32_t side)
{
    return json_is_integer (value) && json_integer_value (value) == side;
}

/* "shape" of plans with contention, "dimension" of preemptive ones. */
static bool same_shape (const struct planjobs *jobs, size_t i,
                        const json_t *object)
{
    const struct planjob *job = &jobs->job[i];
    const json_t *shape = json_object_get (object, "shape");
    const tori_shape *wanted =
        job->dimension ? NULL : &jobs->shape[job->shape];
    size_t n = json_array_size (shape);
    if (!shape)
        return same_side (json_object_get (object, "dimension"),
                          wanted ? wanted->size[0] : job->dimension);
    if (wanted && (size_t)wanted->ndims != n)
        return false;
    for (size_t d = 0; d < n; d++)
        if (!same_side (json_array_get (shape, d),
                        wanted ? wanted->size[d] : job->dimension))
            return false;
    return true;
}

static int compare_job (const struct planjobs *jobs, size_t i,
                        const json_t *object, tori_error *err)
{
    char where[WHERE_TEXT], text[TORI_EXACT_TEXT];
    tori_exact time;
    where_text (where, "job", i);
    if (field_exact (object, where, "time", &time, err) < 0)
        return -1;
    if (!same_shape (jobs, i, object)) {
        char wanted[TORI_TEXT_MAX];
        planjobs_dimension (jobs, i, wanted);
        return tori_error_set (err, TORI_NOT_NOW,
                               "%s is a different job: %s:%zu asks for %.60s",
                               where, jobs->name, jobs->job[i].line, wanted);
    }
    if (tori_exact_compare (time, jobs->job[i].time) != 0) {
        tori_exact_format (jobs->job[i].time, text);
        return tori_error_set (err, TORI_NOT_NOW,
                               "%s is a different job: %s:%zu takes %s", where,
                               jobs->name, jobs->job[i].line, text);
    }
    return 0;
}

static int compare_jobs (const struct planfile *file, const char *path,
                         tori_error *err)
{
    struct longlist list;
    struct planjobs jobs;
    int status;
    if (planfile_list (file, "jobs", &list, err) < 0
        || planjobs_read (path, &jobs, err) < 0)
        return -1;
    status = 0;
    if (list.n != jobs.n)
        status = tori_error_set (err, TORI_NOT_NOW,
                                 "it has %zu jobs, but %s has %zu", list.n,
                                 jobs.name, jobs.n);
    for (size_t i = 0; i < jobs.n && status == 0; i++) {
        json_t *object = longlist_next (&list, err);
        status = object ? compare_job (&jobs, i, object, err) : -1;
        json_decref (object);
    }
    planjobs_clear (&jobs);
    return status;
}

/* ---- the answer ---- */

static int emit_answer (const struct values *v, const struct kind *kind,
                        const char *fault, FILE *out, tori_error *err)
{
    struct emit e = emit_to (out);
    asked_open (&e, "plan check", &command_plan_check, v);
    emit_flag (&e, "ok", !fault);
    emit_text (&e, "plan", kind->name);
    if (fault)
        emit_text (&e, "fault", fault);
    emit_close (&e, '}');
    return emit_end (&e, err);
}

static void print_answer (const struct planfile *file, const struct kind *kind,
                          const char *fault, FILE *out)
{
    const json_t *length = json_object_get (file->root, kind->length);
    struct longlist jobs = {0};
    planfile_list (file, "jobs", &jobs, NULL);
    if (fault)
        fprintf (out, "%s: does not hold: %s\n", file->name, fault);
    else
        fprintf (out, "%s: holds: %zu job%s on %s, %s %.10g\n", file->name,
                 jobs.n, jobs.n == 1 ? "" : "s",
                 json_string_value (json_object_get (file->root, "machine")),
                 kind->length, json_number_value (length));
}

/* What is wrong with the file, rather than with the plan, is an error. */
static int check (const struct planfile *file, const struct values *v,
                  FILE *out, tori_error *err)
{
    const struct kind *kind = find_kind (file->kind);
    tori_error why = {0};
    int status;
    if (!kind)
        return planfile_verify (file, err) < 0
                   ? -1
                   : tori_error_set (err, TORI_INVALID,
                                     "%s: \"plan\" is '%.40s': expected "
                                     "contention or preemptive",
                                     file->name, file->kind);
    status = kind->check (file, &why);
    if (status < 0 && planfile_verify (file, err) < 0)
        return -1;
    if (status == 0 && v->jobs && compare_jobs (file, v->jobs, &why) < 0) {
        status = -1;
        if (why.status != TORI_NOT_NOW) {
            *err = why;
            return -1;
        }
    }
    if (status < 0 && why.status != TORI_NOT_NOW) {
        if (why.status == TORI_INVALID)
            return tori_error_set (err, TORI_INVALID, "%s: %s", file->name,
                                   why.text);
        *err = why;
        return -1;
    }
    if (v->json
        && emit_answer (v, kind, status < 0 ? why.text : NULL, out, err) < 0)
        return -1;
    if (!v->json)
        print_answer (file, kind, status < 0 ? why.text : NULL, out);
    return status < 0 ? TORI_NOT_NOW : 0;
}

static int run (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    struct planfile file;
    int status;
    if (planfile_read (v->file, &file, err) < 0)
        return -1;
    status = check (&file, v, out, err);
    planfile_clear (&file);
    return status;
}

const struct command command_plan_check = {
    .name = "check",
    .summary = "Check that a plan holds, from its JSON alone",
    .notes = "In a contention plan, no two jobs may have a node at the same "
             "time, and every job must end when its time and its delays "
             "say. Delays are added up ring by ring, in doubles; "
             "differences below 2^-42 of the makespan count as rounding. In "
             "a preemptive plan, no two jobs may have a position at the "
             "same time, no job may run in two places, and every job must "
             "get its time before the deadline, in exact numbers. None of "
             "this uses the code that makes plans. Lower bounds and the gap "
             "are computed from the jobs again. But the least time without "
             "contention and all bounds of a preemptive plan come from the "
             "functions that made them, so an error in those would not be "
             "found.",
    .options = options,
    .size = sizeof (struct values),
    .examples = "tori plan contention --machine torus:8x8 --jobs FILE --json "
                "> PLAN\ntori plan check PLAN",
    .status = {[0] = "the plan holds",
               [3] = "it does not hold; the job and the fault are printed"},
    .answer = &answer_plan_check,
    .run = run,
};
