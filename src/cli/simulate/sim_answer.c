/* sim_answer.c - the description of the answer. */
#include "sim_answer.h"

#include "fieldrows.h"
#include "provenance.h"
#include "result.h"

static bool has_given_up (const struct field *field, const void *arg)
{
    const struct sim_run *run = ((const struct sim_row *)arg)->run;
    return run && run->gave_up.happened;
}

static bool has_result (const struct field *field, const void *arg)
{
    return !has_given_up (field, arg);
}

static bool has_run (const struct field *field, const void *arg)
{
    return ((const struct sim_row *)arg)->run && has_result (field, arg);
}

static bool has_seeds (const struct field *field, const void *arg)
{
    return ((const struct sim_row *)arg)->replicas != NULL;
}

/* The fields of the run, which the row only points to. */
static void emit_run (struct emit *e, const struct field *field,
                      const void *arg)
{
    sheet_emit (e, field->group, ((const struct sim_row *)arg)->run);
}

static void emit_seeds (struct emit *e, const struct field *field,
                        const void *arg)
{
    emit_count (e, field->name, ((const struct sim_row *)arg)->replicas->n);
}

static void emit_measures (struct emit *e, const struct field *field,
                           const void *arg)
{
    const struct sim_row *row = arg;
    const struct sim_run *run = row->run;
    struct sim_measures is;
    if (row->replicas) {
        replicas_emit (e, row->replicas);
        return;
    }
    is = (struct sim_measures){
        .result = run->result,
        .losses = sim_run_interrupts (run),
        .levels = run->values->interrupts.urgent.den,
        .network = run->values->network,
        .pattern = flow_pattern_names (
            (size_t)network_of (run->values, run->seed).pattern),
    };
    sheet_emit (e, field->group, &is);
}

static void emit_runs (struct emit *e, const struct field *field,
                       const void *arg)
{
    replicas_emit_runs (e, field->name,
                        ((const struct sim_row *)arg)->replicas);
}

static void emit_rejections (struct emit *e, const struct field *field,
                             const void *arg)
{
    reasons_emit (e, field->name,
                  &((const struct sim_row *)arg)->run->reasons);
}

static void emit_groups (struct emit *e, const struct field *field,
                         const void *arg)
{
    const struct job_groups *groups
        = &((const struct sim_row *)arg)->run->groups;
    sheet_emit_rows (e, field->name, field->group, groups->all, groups->n,
                     sizeof *groups->all);
}

static bool has_groups (const struct field *field, const void *arg)
{
    const struct sim_run *run = ((const struct sim_row *)arg)->run;
    return run && run->groups.n > 0;
}

static void emit_reason (struct emit *e, const struct field *field,
                         const void *run)
{
    emit_text (e, field->name, "gave-up");
}

static bool has_procs (const struct field *field, const void *run)
{
    return ((const struct sim_run *)run)->workload.log_procs > 0;
}

static bool is_timed (const struct field *field, const void *run)
{
    return ((const struct sim_run *)run)->values->timing;
}

static void emit_saturated (struct emit *e, const struct field *field,
                            const void *run)
{
    const struct sim_run *it = run;
    emit_flag (e, field->name, it->result.saturated);
}

static void emit_unshaped (struct emit *e, const struct field *field,
                           const void *run)
{
    emit_count (e, field->name, sim_run_unshaped (run));
}

static bool has_unshaped (const struct field *field, const void *run)
{
    return sim_run_unshaped (run) > 0;
}

static bool has_steady (const struct field *field, const void *run)
{
    return ((const struct sim_run *)run)->steady.jobs > 0;
}

static bool has_window (const struct field *field, const void *run)
{
    return sim_run_has_window (run);
}

static bool has_blocks (const struct field *field, const void *run)
{
    return ((const struct sim_run *)run)->workload.blocks > 0;
}

static void emit_window (struct emit *e, const struct field *field,
                         const void *arg)
{
    const struct sim_run *run = arg;
    emit_open (e, field->name, '{');
    emit_count (e, "jobs", run->measured);
    emit_real (e, "begin", (double)run->window.begin / (double)TORI_SECOND);
    emit_real (e, "end", (double)run->window.end / (double)TORI_SECOND);
    emit_close (e, '}');
}

static const struct field window_fields[] = {
    FIELD ("jobs", "how many are submitted in it"),
    FIELD ("begin", "its begin, in seconds of the log"),
    FIELD ("end", "its end"),
};
SHEET (window);

static const struct field blocks_fields[] = {
    {"blocks", FIELD_SIZE, FIELD_AT (struct sim_run, workload.blocks),
     "how many were drawn"},
    {"rest", FIELD_SIZE, FIELD_AT (struct sim_run, workload.rest),
     "jobs after the last whole block of the log, which are never drawn"},
};
SHEET (blocks);

static const struct field steady_fields[] = {
    {"jobs", FIELD_SIZE, FIELD_AT (tori_sim_class, jobs),
     "how many ran to their end"},
    {"wait", FIELD_REAL, FIELD_AT (tori_sim_class, wait),
     "mean time that they waited", "s"},
    {"response", FIELD_REAL, FIELD_AT (tori_sim_class, response),
     "mean time from submission to finish", "s"},
};
SHEET (steady);

#define RUN(member) FIELD_AT (struct sim_run, member)
static const struct field run_fields[] = {
    {"unusable", FIELD_SIZE, RUN (workload.unusable),
     "records without a size or a run time, which were left out"},
    {"submitted", FIELD_SIZE, RUN (workload.n), "jobs that were submitted"},
    {"left_out", FIELD_SIZE, RUN (workload.left_out),
     "with --keep: jobs that were not kept", .when = field_is_set},
    {"resampled", FIELD_GROUP,
     .about = "with --resample: the blocks of the log", .group = &blocks_sheet,
     .when = has_blocks},
    {"window", FIELD_BY,
     .about = "with --warm-up or --cool-down: the part that is measured",
     .group = &window_sheet, .by = emit_window, .when = has_window},
    {"too_large", FIELD_SIZE, RUN (too_large),
     "jobs that ask for more nodes than the machine has",
     .when = field_is_set},
    {"unshaped", FIELD_BY, .type = "integer",
     .about = "jobs that have a shape in the log, and ask for a number of "
              "nodes because of --shapes",
     .by = emit_unshaped, .when = has_unshaped},
    {"outlived", FIELD_SIZE, RUN (workload.outlived),
     "jobs of the log that ran longer than requested: see --estimates"},
    {"saturated", FIELD_BY,
     .about = "whether the queue grew over the run or was never short again, "
              "so that waits tell how long the run is: doc/algorithms.md",
     .by = emit_saturated},
    {"hopeless", FIELD_SIZE, RUN (hopeless),
     "with --mtbf: jobs that can hardly ever finish, if there are any",
     .when = field_is_set},
    {"hopeless_ran", FIELD_SIZE, RUN (hopeless_ran),
     "of these, jobs that ran to their end, and so are in the means",
     .when = field_is_set},
    {"steady", FIELD_GROUP, RUN (steady),
     "with --mtbf: means without the jobs that can hardly ever finish, if "
     "there are any",
     .group = &steady_sheet, .when = has_steady},
    {"log_procs", FIELD_WHOLE, RUN (workload.log_procs),
     "processors of the log's machine, if the log says", .when = has_procs},
    {"seconds", FIELD_REAL, RUN (seconds),
     "with --timing: how long the replay took", "s", .when = is_timed},
};
SHEET (run);

/* A simulation that gave up on a job has no result: describe the job. */
static const struct field gave_up_fields[] = {
    {"reason", FIELD_BY, .about = "gave-up, if a search did",
     .by = emit_reason},
    {"job", FIELD_WHOLE, RUN (gave_up.job), "the job that it gave up on"},
    {"nodes", FIELD_UINT, RUN (gave_up.nodes), "how many nodes that asks for"},
    {"detail", FIELD_CHARS, RUN (gave_up.why), "why it gave up"},
};
SHEET (gave_up);

static const struct field rejection_fields[] = {
    FIELD ("*", "for this reason"),
};
SHEET (rejection);

static const struct field links_fields[] = {
    {"links_reserved", FIELD_FLAG, FIELD_AT (struct sim_row, links),
     "whether jobs reserve links; if not, kinds of machines hardly differ"},
    {"down_links_ignored", FIELD_FLAG, FIELD_AT (struct sim_row, ignored),
     "true if links are down, and ignored because none are reserved",
     .when = field_is_set},
};
SHEET (links);

static void emit_commit (struct emit *e, const struct field *field,
                         const void *row)
{
    emit_text (e, field->name, provenance_commit ());
}

static bool has_commit (const struct field *field, const void *row)
{
    return *provenance_commit ();
}

static const struct field sim_fields[] = {
    {"commit", FIELD_BY,
     .about = "the commit that tori was built from, if that is known",
     .by = emit_commit, .when = has_commit},
    {"log_sha256", FIELD_TEXT, FIELD_AT (struct sim_row, log_sha256),
     "the checksum of the log's file, as sha256sum prints it",
     .when = field_is_set},
    {"seeds", FIELD_BY,
     .about = "with --seeds: how many; each measure is then an object of mean "
              "and half_interval, half of the 95 % interval",
     .by = emit_seeds, .when = has_seeds},
    {.kind = FIELD_BESIDE,
     .group = &measures_sheet,
     .by = emit_measures,
     .when = has_result},
    {"runs", FIELD_LIST, .about = "with --seeds: the result of each",
     .group = &replica_sheet, .by = emit_runs, .when = has_seeds},
    {"rejections", FIELD_BY, .about = "how many jobs were rejected",
     .group = &rejection_sheet, .by = emit_rejections, .when = has_run},
    {"by", FIELD_LIST, .about = "with --by: the jobs of each",
     .group = &job_group_sheet, .by = emit_groups, .when = has_groups},
    {.kind = FIELD_BESIDE, .group = &links_sheet, .when = has_result},
    {.kind = FIELD_BESIDE,
     .group = &run_sheet,
     .by = emit_run,
     .when = has_run},
    {.kind = FIELD_BESIDE,
     .group = &gave_up_sheet,
     .by = emit_run,
     .when = has_given_up},
};
ANSWER (sim);
