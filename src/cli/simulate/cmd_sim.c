/* tori sim - replay a workload, from a log or a model, through a scheduler. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "asked.h"
#include "cell_jobs.h"
#include "commands.h"
#include "duration.h"
#include "names.h"
#include "snapshot_source.h"
#include "parallel.h"
#include "plugin.h"
#include "sim_answer.h"
#include "replicas.h"
#include "result.h"
#include "sha256.h"

#define AT(member) offsetof (struct sim_values, member)

static int check_speed (const char *text, void *to, tori_error *err)
{
    tori_time speed;
    (void)to;
    if (duration_parse (text, &speed, err) < 0)
        return -1;
    if (speed <= 0)
        return tori_error_set (err, TORI_INVALID,
                               "expected a time above 0, such as 1h, not "
                               "'%.40s'",
                               text);
    return 0;
}

static int check_patience (const char *text, void *to, tori_error *err)
{
    tori_time patience;
    (void)to;
    return duration_parse (text, &patience, err);
}

static const struct option options[] = {
    SITE_MACHINE_IF (struct sim_values),
    SITE_LINKS (struct sim_values),
    {"from", OPTION_STRING, AT (from), "SNAPSHOT", .file = FILE_READ,
     .help = "continue from a snapshot (see 'tori help files'): the machine, "
             "what is down, the scheduler and the first jobs are those of the "
             "file; with --trace, --jobs-csv or --model, later jobs and all "
             "run times come from the log or model; otherwise jobs run as "
             "long as estimated"},
    WORK_SOURCE (struct sim_values),
    WORK_POLICY (struct sim_values, scheduler_names, "easy"),
    {"alloc", OPTION_STRING, AT (alloc), "NAME", .choices = allocator_names,
     .otherwise = used_alloc,
     .help = "the allocator; if not given, first-fit, and with --shapes count "
             "mm (hilbert-bf on more than 65536 nodes); two, such as "
             "first-fit+mm: one for shapes and one for counts (a comma is for "
             "'tori compare'); ./mine.so: one of your own (man "
             "tori_plugin)"},
    TUNING_COUNT (struct sim_values),
    TUNING_SHAPE (struct sim_values),
    {"wiring", OPTION_CHOICE, AT (wiring), "WIRING", .choices = wiring_names,
     .fallback = "none",
     .help = "the links that jobs reserve; with none, a mesh, a torus and a "
             "multi-torus hardly differ"},
    {"torus-fraction", OPTION_FRACTION, AT (torus_fraction), "P", .max = 1,
     .help = "with --wiring torus: the fraction of jobs that ask for a "
             "torus; the rest ask for a mesh (default 1)"},
    {"count-fraction", OPTION_FRACTION, AT (count_fraction), "P", .max = 1,
     .help = "the fraction of jobs that ask for any nodes, not for a shape; "
             "they share the queue, and there is an allocator for each kind "
             "(default 0)"},
    {"shapes", OPTION_CHOICE, AT (shapes), "RULE", .choices = shaping_names,
     .otherwise = used_shapes,
     .help = "how a number of nodes becomes a shape; with as-given, jobs that "
             "have a shape in the log keep it, others ask for a number of "
             "nodes, and there is an allocator for each kind; with count (or "
             "none), all ask for a number of nodes, and shapes of the log do "
             "not matter; with the others, all ask for shapes. If not given, "
             "count for an allocator that takes no shape; as-given for a "
             "table with columns of both, and for gang with a column of "
             "shapes; otherwise first-match, and for gang count"},
    {"or", OPTION_CHOICE, AT (instead), "RULE", .choices = instead_names,
     .help = "what jobs take if their shape has no place: other boxes of as "
             "many nodes, or up to an eighth more than they need, the "
             "smallest and most compact first; or any nodes, by count; or "
             "both, boxes first (none if not given)"},
    {"patience", OPTION_STRING, AT (patience), "DURATION", .with = "or",
     .parse = check_patience,
     .help = "how long jobs wait for their own shape before they take what "
             "--or allows, such as 1h (at once if not given)"},
    {"estimates", OPTION_CHOICE, AT (estimates), "RULE",
     .choices = estimates_names, .otherwise = used_estimates,
     .help = "which run time the scheduler is told for a job of a log: the "
             "requested time, or the run time if that is longer (raised, "
             "the default); the requested time, which the job may exceed "
             "(log); or the run time (exact, as for jobs of a model)"},
    {"at-limit", OPTION_CHOICE, AT (at_limit), "RULE",
     .choices = at_limit_names,
     .help = "what becomes of a job of a log that ran longer than it "
             "requested: it does so here, and the scheduler is told the "
             "requested time (run); or it ends at its limit, as many sites "
             "have it, and counts as a job of that run time (kill). If not "
             "given, --estimates raised lets no job have too low a limit"},
    WORK_CHANGES (struct sim_values),
    {"warm-up", OPTION_STRING, AT (part.warm_up), "PART",
     .parse = measured_part_parse,
     .help = "do not measure the jobs that are submitted first, when the "
             "machine fills up: of a time, such as 7d, a share of the jobs, "
             "10%, or a number, 500jobs; they run all the same"},
    {"cool-down", OPTION_STRING, AT (part.cool_down), "PART",
     .parse = measured_part_parse,
     .help = "the same for the jobs that are submitted last; with either, "
             "utilization is that of the time between, up to the last "
             "submission"},
    {"seeds", OPTION_INTEGER, AT (seeds), "N", .min = 2, .max = 1000,
     .help = "simulate N times, with seeds from --seed on; each measure is "
             "then a mean and half of its 95 % interval (Student's), and in "
             "JSON \"runs\" has the result of each seed"},
    OPTION_ROW_WORKERS (struct sim_values,
                        "with --seeds: how many simulations run in parallel"),
    SHARING_OPTIONS (struct sim_values, "for gang: "),
    {"fold", OPTION_CHOICE, AT (fold), "FOLD", .choices = fold_names,
     .fallback = "none",
     .help = "with rings, a job that asks for a torus or for no wiring, on a "
             "pod also for a mesh, may get a box with other sides, in which "
             "its neighbours are still neighbours and its rings are closed"},
    {"no-rotate", OPTION_FLAG, AT (no_rotate),
     .help = "take shapes as they are, not their rotations"},
    SITE_WRAP (struct sim_values),
    SITE_DOWN (struct sim_values),
    SITE_DOWN_LINKS (struct sim_values),
    INTERRUPTS_OPTIONS (struct sim_values),
    {"network", OPTION_CHOICE, AT (network), "MODEL", .choices = network_names,
     .fallback = "none",
     .help = "with fluid, a job ends when its messages have arrived; messages "
             "share the links of the network, and a job sends as much as its "
             "nodes can send in its run time; with none, it ends after its "
             "run time"},
    {"pattern", OPTION_CHOICE, AT (pattern), "NAME",
     .choices = flow_pattern_names,
     .help = "with --network fluid: who sends to whom, in phases; all-to-all "
             "if not given, which takes longest to simulate: a job of n nodes "
             "has n(n - 1) messages"},
    {"rounds", OPTION_INTEGER, AT (rounds), "N", .min = 1, .max = 1000000,
     .help = "with --network fluid: how often a job repeats all phases of "
             "its pattern, with messages shorter by that factor (1 if not "
             "given)"},
    {"inject", OPTION_FRACTION, AT (inject), "X", .max = 1, .positive = true,
     .help = "with --network fluid: the most that a node sends, as a "
             "fraction of what a link carries (1 if not given); the lower, "
             "the less jobs disturb each other"},
    {"log", OPTION_STRING, AT (log), "FILE",
     .file = FILE_WRITTEN,
     .help = "write one line of JSON per job, in the order of their starts; "
             "\"numerical\" and \"topological\" are how long it waited "
             "while the first in the queue lacked nodes, or a place for "
             "them; .gz is compressed"},
    {"log-format", OPTION_CHOICE, AT (log_format), "FORMAT",
     .choices = joblog_formats, .with = "log", .aside = true,
     .help = "how --log is written: lines of JSON (the default); csv, with "
             "the columns of Batsim's jobs.csv; events, a Gantt chart for "
             "chrome://tracing and Perfetto; or table, a CSV table with the "
             "owner, request, times, place, distance and fate of each job"},
    {"by", OPTION_CHOICE, AT (by), "WAY", .choices = group_names,
     .help = "also show the jobs of each user, group, queue, size (powers of "
             "two) or class (short: up to an hour; narrow: up to 8 nodes) by "
             "themselves"},
    {"out-swf", OPTION_STRING, AT (out_swf), "FILE",
     .file = FILE_WRITTEN,
     .help = "write the schedule in the Standard Workload Format; .gz is "
             "compressed"},
    {"snapshot", OPTION_STRING, AT (snapshot), "TIME:FILE",
     .file = FILE_WRITTEN_AT,
     .help = "write the scheduler as it is at this time, such as 7200 or 2h, "
             "for --from, 'tori why', 'tori forecast' and others; .gz is "
             "compressed"},
    {"no-distance", OPTION_FLAG, AT (no_distance),
     .help = "do not measure how far apart the nodes of a job are"},
    {"timing", OPTION_FLAG, AT (timing), .aside = true,
     .help = "also print how long the replay took"},
    {"watch", OPTION_FLAG, AT (watch), .aside = true,
     .help = "draw the machine while jobs run there: see above"},
    {"speed", OPTION_STRING, AT (speed), "DURATION", .with = "watch",
     .aside = true, .parse = check_speed,
     .help = "how much simulated time passes in a second, such as 1h; if not "
             "given, the whole run takes at most a minute, unless jobs wait "
             "for long"},
    OPTION_ROW_JSON (struct sim_values),
    {.name = NULL},
};

/* Whether the kind of the machine does not influence when jobs start. Without
 * links, wrapped boxes and messages, only best-fit depends on which nodes are
 * neighbours. */
static bool kinds_alike (const struct sim_values *v, bool links)
{
    return !links && !v->site.wrap && !v->network
           && strcmp (allocator_of (v)->name, "best-fit") != 0;
}

/* Whether failed links are ignored, because no job needs links. */
static bool links_ignored (const struct sim_values *v, bool links)
{
    return v->site.down_links && !links;
}

/* This matters to users who compare kinds of machines. */
static void print_links_note (const struct sim_values *v, bool links,
                              FILE *out)
{
    if (!links && !shares_time (v))
        fprintf (out, "\nno links are reserved%s\n",
                 kinds_alike (v, links)
                     ? ": a mesh, a torus and a multi-torus schedule alike"
                     : "");
    if (links_ignored (v, links))
        fputs ("\nlinks that are down are ignored: no links are reserved\n",
               out);
    if (v->network && v->site.down)
        fputs ("\nnodes that are down still pass messages on\n", out);
}

/* ---- the answer ---- */

static int emit_answer (const struct sim_run *replay, FILE *out,
                        tori_error *err)
{
    struct sim_row row = {.run = replay,
                          .log_sha256 = replay->workload.log_sha256,
                          .links = replay->links,
                          .ignored =
                              links_ignored (replay->values, replay->links)};
    return asked_emit (&command_sim, replay->values, &row, out, err);
}

static void describe_gang (const struct sim_run *replay, const char *machine,
                           char *text, size_t size)
{
    const struct sim_values *v = replay->values;
    struct sharing_how how = {0};
    sharing_of (&v->sharing, &how, NULL);
    snprintf (text, size,
              "%s on %s: gang, slots of %g s, switches of %g s%s, degree %u, "
              "%s branch, shapes %s",
              workload_name (&v->work), machine,
              (double)how.gang.slot / (double)TORI_SECOND,
              (double)how.gang.switch_cost / (double)TORI_SECOND,
              how.gang.preempt ? " and a drain" : "", how.gang.degree,
              how.gang.policy,
              tori_shaping_name (shaping_of (v)));
}

/* The log, model or snapshot that the jobs come from. */
static const char *source_of (const struct sim_values *v)
{
    return v->from && !workload_log (&v->work) && v->work.model < 0
               ? v->from
               : workload_name (&v->work);
}

/* Describe the run in one line: its jobs, machine and policies. */
static void describe_run (const struct sim_run *replay, char *text,
                          size_t size)
{
    const struct sim_values *v = replay->values;
    char machine[TORI_TEXT_MAX];
    int pattern = network_of (v, 0).pattern;
    tori_machine_format (replay->site->machine, machine);
    if (shares_time (v)) {
        describe_gang (replay, machine, text, size);
        return;
    }
    snprintf (text, size,
              "%s on %s: %s, %s order, %s%s%s, shapes %s%s%s, wiring %s, "
              "estimates %s%s%s",
              source_of (v), machine, scheduler_names ((size_t)v->work.sched),
              tori_order_name (workload_order (&v->work)),
              allocator_of (v)->name, counts_of (v) ? "+" : "",
              counts_of (v) ? counts_of (v)->name : "",
              tori_shaping_name (shaping_of (v)),
              instead_of (v) ? " or " : "",
              instead_of (v) ? instead_names (instead_of (v)) : "",
              tori_wiring_name ((tori_wiring)v->wiring),
              tori_estimates_name (estimates_of (v)),
              v->network ? ", messages " : "",
              v->network ? flow_pattern_names ((size_t)pattern) : "");
}

static void print_network (const struct sim_run *replay, FILE *out)
{
    const tori_summary *stretch = &replay->result.stretch;
    if (replay->values->network)
        fprintf (out,
                 "\n%" PRIu64 " messages; jobs ran %.3f times as long as in "
                              "the log on average, %.3f at most\n",
                 replay->result.messages, stretch->mean, stretch->max);
}

static int print_losses (const struct sim_run *replay, FILE *out,
                         tori_error *err)
{
    if (!sim_run_interrupts (replay))
        return 0;
    fputc ('\n', out);
    if (sheet_print_down (&losses_sheet, &replay->result, out, err) < 0)
        return -1;
    if (!replay->values->interrupts.urgent.den)
        return 0;
    fputc ('\n', out);
    return sheet_print_down (&levels_sheet, &replay->result, out, err);
}

/* Print what happened to jobs that requested too little time. */
static void print_estimates (const struct sim_run *replay, FILE *out)
{
    static const char *const became[] = {
        [TORI_ESTIMATES_RAISED] = "; their estimates were raised",
        [TORI_ESTIMATES_LOG] = "; they exceeded their estimates",
        [TORI_ESTIMATES_EXACT] = "",
    };
    const struct sim_values *v = replay->values;
    size_t n = replay->workload.outlived;
    if (n > 0 && !shares_time (v))
        fprintf (out, "\njobs that ran longer than they requested: %zu%s\n", n,
                 v->at_limit == TORI_AT_LIMIT_KILL ? "; they ended at their "
                                                     "limits"
                                                   : became[estimates_of (v)]);
}

/* Print which jobs carry the means, if failures hardly let them finish. */
static void print_hopeless (const struct sim_run *replay, FILE *out)
{
    const tori_work *first;
    size_t n = sim_run_hopeless (replay, &first);
    char length[DURATION_TEXT_MAX];
    if (n == 0)
        return;
    duration_format (first->runtime, length);
    fprintf (out,
             "\n%zu job%s can hardly ever finish, because failures are "
             "frequent; the first is job %lld, of %u nodes for %s\n",
             n, n == 1 ? "" : "s", (long long)first->id, first->asked, length);
    if (replay->hopeless_ran == 0)
        fputs ("none of them ran to its end, so the means are without such "
               "jobs; but others may have waited for them\n",
               out);
    else if (replay->steady.jobs > 0)
        fprintf (out,
                 "%zu ran to %s end; without such jobs the mean response is "
                 "%.2f s and the mean wait %.2f s\n",
                 replay->hopeless_ran,
                 replay->hopeless_ran == 1 ? "its" : "their",
                 replay->steady.response, replay->steady.wait);
}

/* Print which jobs the numbers are about, if they are not all. */
static void print_chosen (const struct sim_run *replay, FILE *out)
{
    const tori_workload *workload = &replay->workload;
    size_t kept = workload->blocks ? 0 : workload->n;
    if (workload->left_out > 0 && kept > 0)
        fprintf (out, "\nkept: %zu of %s%zu jobs (--keep)\n", kept,
                 replay->values->work.limit > 0 ? "the first " : "",
                 kept + workload->left_out);
    if (workload->left_out > 0 && kept == 0)
        fprintf (out, "\nleft out: %zu jobs (--keep)\n", workload->left_out);
    if (workload->blocks > 0)
        fprintf (out,
                 "\nresampled: %zu jobs in %zu blocks; %zu jobs after the "
                 "last whole block of the log are left out\n",
                 workload->n, workload->blocks, workload->rest);
    if (sim_run_has_window (replay))
        fprintf (out,
                 "\nmeasured: %zu of %zu jobs, those submitted from %.0f s to "
                 "%.0f s\n",
                 replay->measured, workload->n,
                 (double)replay->window.begin / (double)TORI_SECOND,
                 (double)replay->window.end / (double)TORI_SECOND);
}

static int print_answer (const struct sim_run *replay, FILE *out,
                         tori_error *err)
{
    char text[2 * TORI_TEXT_MAX];
    describe_run (replay, text, sizeof text);
    fprintf (out, "%s\n\n", text);
    if (result_print (&replay->result, out, terminal_bold (), err) < 0)
        return -1;
    if (print_losses (replay, out, err) < 0)
        return -1;
    if (replay->groups.n > 0)
        fputc ('\n', out);
    if (replay->groups.n > 0
        && groups_print (&replay->groups, out, terminal_bold (), err) < 0)
        return -1;
    print_chosen (replay, out);
    if (replay->too_large > 0 && workload_log (&replay->values->work))
        fprintf (out,
                 "\nwarning: %zu of %zu jobs ask for more nodes than the "
                 "machine has, up to %u: sizes may be processors "
                 "(--procs-per-node), or be in another field (--size-from)\n",
                 replay->too_large, replay->workload.n, replay->largest);
    if (sim_run_unshaped (replay) > 0)
        fprintf (out,
                 "\n%zu of %zu jobs have a shape in the log, and ask for a "
                 "number of nodes; --shapes as-given keeps the shapes\n",
                 sim_run_unshaped (replay), replay->workload.n);
    print_network (replay, out);
    print_links_note (replay->values, replay->links, out);
    for (size_t i = 0; i < replay->reasons.n; i++)
        fprintf (out, "\n%zu rejected: %s\n", replay->reasons.all[i].n,
                 replay->reasons.all[i].why);
    if (replay->reasons.n > 0)
        fprintf (out, "the jobs that were not rejected offer a load of "
                      "%.2f %%\n",
                 100 * replay->result.accepted);
    print_hopeless (replay, out);
    if (replay->result.saturated)
        fputs ("\nsaturated: the queue grew over the run or was never short "
               "again, so waits tell how long the run is\n",
               out);
    if (replay->workload.log_procs > 0)
        fprintf (out, "\nthe log is of a machine of %" PRId64 " processor%s\n",
                 replay->workload.log_procs,
                 replay->workload.log_procs == 1 ? "" : "s");
    print_estimates (replay, out);
    if (replay->workload.unusable)
        fprintf (out,
                 "\nrecords without a size or a run time, left out: %zu\n",
                 replay->workload.unusable);
    if (replay->values->timing)
        fprintf (out, "\n%.3f s, %.0f jobs/s\n", replay->seconds,
                 (double)replay->workload.n / replay->seconds);
    sparkline_print (&replay->busy,
                     tori_machine_nodes (replay->site->machine),
                     terminal_utf8 (), out);
    return 0;
}

static int commit_outputs (struct sim_run *replay, tori_error *err)
{
    char note[2 * TORI_TEXT_MAX];
    describe_run (replay, note, sizeof note);
    if (replay->log && joblog_commit (replay->log, err) < 0)
        return -1;
    if (replay->schedule
        && schedule_commit (replay->schedule, replay->site->machine, note, err)
               < 0)
        return -1;
    return 0;
}

static int answer_run (const struct sim_run *replay, FILE *out,
                       tori_error *err)
{
    const struct sim_values *v = replay->values;
    if (v->json)
        return emit_answer (replay, out, err);
    if (is_stdout (v->log) || is_stdout (v->out_swf))
        return 0;
    return print_answer (replay, out, err);
}

/* Run with a watch if one is asked for. The watch ends before the answer is
 * printed. If the user stopped it, there is no answer. */
static int run_watched (struct sim_run *replay, tori_error *err)
{
    const struct sim_values *v = replay->values;
    tori_time speed = 0;
    if (v->speed && duration_parse (v->speed, &speed, err) < 0)
        return -1;
    if (v->watch
        && sim_watch_open (replay->site->machine, &replay->workload, speed,
                           &replay->watch, err)
               < 0)
        return -1;
    if (sim_run_execute (replay, err) < 0)
        return -1;
    sim_watch_close (replay->watch);
    replay->watch = NULL;
    return 0;
}

/* Run, and measure the jobs apart that failures let finish. */
static int run_apart (struct sim_run *replay, tori_error *err)
{
    struct cell_jobs jobs = {0};
    const tori_work *first;
    size_t hopeless = sim_run_hopeless (replay, &first);
    int status
        = sim_run_jobs (replay, hopeless ? &jobs : NULL, run_watched, err);
    if (status == 0 && hopeless) {
        replay->hopeless = hopeless;
        for (size_t i = 0; i < jobs.n; i++) {
            replay->steady.jobs += jobs.ran[i];
            replay->hopeless_ran
                += jobs.fate[i] == TORI_FATE_DONE && !jobs.ran[i];
        }
        replay->steady.response
            = cell_jobs_mean (&jobs, jobs.ran, JOB_RESPONSE);
        replay->steady.wait = cell_jobs_mean (&jobs, jobs.ran, JOB_WAIT);
    }
    cell_jobs_clear (&jobs);
    return status;
}

static int run_one (const struct sim_values *v, const struct site *site,
                    tori_snapshot *from, FILE *out, tori_error *err)
{
    struct sim_run replay = {.values = v,
                             .site = site,
                             .from = from,
                             .seed = (uint64_t)v->work.seed,
                             .alone = true};
    tori_error late;
    int status = -1;
    if (v->snapshot
        && snapshot_at_parse (v->snapshot, &replay.snapshot, err) < 0)
        return -1;
    if (v->snapshot && from && replay.snapshot.time < from->now)
        return tori_error_set (err, TORI_INVALID,
                               "--snapshot: its time is before that of --from, "
                               "%.15g s",
                               (double)from->now / (double)TORI_SECOND);
    if (sim_run_load (&replay, err) == 0 && run_apart (&replay, err) == 0
        && commit_outputs (&replay, err) == 0)
        status = answer_run (&replay, out, err);
    if (replay.gave_up.happened && v->json)
        (void)emit_answer (&replay, out, &late);
    if (status == 0 && replay.result.jobs == 0)
        fprintf (stderr, "tori: %s: none of %zu jobs ran\n",
                 source_of (v), replay.workload.n);
    sim_run_clear (&replay);
    sim_watch_close (replay.watch);
    return status;
}

/* ---- several seeds ---- */

struct repetition {
    const struct sim_values *values;
    const struct site *site;
    tori_sim_result *result; /* by seed */
    char log_sha256[SHA256_TEXT]; /* of the first seed's log */
    _Atomic bool links;      /* some job of some seed reserves links */
    struct progress progress;
};

static int run_repetition (void *arg, size_t i, tori_error *err)
{
    struct repetition *all = arg;
    struct sim_run replay = {.values = all->values,
                             .site = all->site,
                             .seed = (uint64_t)all->values->work.seed + i};
    int status = -1;
    if (sim_run_load (&replay, err) == 0)
        status = sim_run_execute (&replay, err);
    all->result[i] = replay.result;
    if (i == 0)
        snprintf (all->log_sha256, sizeof all->log_sha256, "%s",
                  replay.workload.log_sha256);
    if (replay.links)
        all->links = true;
    sim_run_clear (&replay);
    return status;
}

static void on_repeated (void *arg, size_t done)
{
    struct repetition *all = arg;
    progress_update (&all->progress, done, (size_t)all->values->seeds,
                     "seeds");
}

static int answer_all (const struct repetition *all, FILE *out,
                       tori_error *err)
{
    const struct sim_values *v = all->values;
    const struct replicas replicas = {.seed = (uint64_t)v->work.seed,
                                      .n = (size_t)v->seeds,
                                      .result = all->result,
                                      .resampled = v->work.resample,
                                      .network = v->network,
                                      .losses
                                      = interrupts_stop (&v->interrupts),
                                      .levels = v->interrupts.urgent.den};
    const struct sim_run like = {.values = v, .site = all->site};
    const struct sim_row row = {.replicas = &replicas,
                                .log_sha256 = all->log_sha256,
                                .links = all->links,
                                .ignored = links_ignored (v, all->links)};
    char text[2 * TORI_TEXT_MAX];
    if (v->json)
        return asked_emit (&command_sim, v, &row, out, err);
    describe_run (&like, text, sizeof text);
    fprintf (out,
             "%s\n%" PRId64 " seeds from %" PRId64 " on: means and 95 %% "
             "intervals %s\n\n",
             text, v->seeds, v->work.seed,
             v->work.resample ? "of a log like this one"
                              : "over the seeds");
    if (replicas_print (&replicas, out, terminal_bold (), err) < 0)
        return -1;
    print_links_note (v, all->links, out);
    return 0;
}

static int run_all (const struct sim_values *v, const struct site *site, FILE *out,
                    tori_error *err)
{
    struct repetition all = {.values = v,
                             .site = site,
                             .result = calloc ((size_t)v->seeds,
                                               sizeof *all.result)};
    const struct parallel parallel = {.n = (size_t)v->seeds,
                                      .workers = (unsigned)v->workers,
                                      .work = run_repetition,
                                      .on_done = on_repeated,
                                      .arg = &all};
    int status;
    if (!all.result)
        return tori_error_nomem (err);
    progress_begin (&all.progress);
    status = parallel_run (&parallel, err);
    progress_end (&all.progress);
    if (status == 0)
        status = answer_all (&all, out, err);
    free (all.result);
    return status;
}

/* ---- continuing from a snapshot ---- */

static int choice_of (const char *(*names) (size_t i), const char *name)
{
    int i = 0;
    while (strcmp (names ((size_t)i), name) != 0)
        i++;
    return i;
}

enum { ALLOCS_TEXT = 4096 };

/* Name two allocators as in --alloc. The name of a file stays as it was
 * typed. */
static void name_allocs (const char *typed, const char *first,
                         const char *counts, char text[ALLOCS_TEXT])
{
    const tori_alloc_info *one, *other = NULL;
    bool file = typed
                && (!tori_alloc_find (first)
                    || (*counts && !tori_alloc_find (counts)))
                && allocators_parse (typed, "--alloc", plugin_find, &one,
                                     &other, NULL)
                       == 0;
    snprintf (text, ALLOCS_TEXT, "%s%s%s", file ? typed : first,
              *counts && !other ? "+" : "", other ? "" : counts);
}

/* Set the options that the snapshot implies. */
static int use_snapshot (struct sim_values *v, const tori_snapshot *from,
                         char machine[TORI_TEXT_MAX], char allocs[ALLOCS_TEXT],
                         tori_error *err)
{
    tori_sched_config config = {.size = sizeof config};
    tori_sched *sched;
    if (tori_snapshot_sched (from, NULL, &sched, err) < 0)
        return -1;
    tori_sched_get_config (sched, &config);
    tori_machine_format (from->machine, machine);
    v->site.machine = machine;
    v->work.sched = choice_of (scheduler_names, config.policy);
    v->work.order = (int)config.order;
    v->work.depth = config.depth;
    name_allocs (v->alloc, config.alloc->name,
                 config.counts ? config.counts->name : "", allocs);
    v->alloc = allocs;
    tori_sched_destroy (sched);
    return 0;
}

static int run_from (const struct sim_values *v, FILE *out, tori_error *err)
{
    struct sim_values own = *v;
    struct site site = {0};
    char machine[TORI_TEXT_MAX], allocs[ALLOCS_TEXT];
    struct plugins plugins;
    tori_snapshot *from;
    int status = -1;
    if (plugins_named (v->alloc, "--alloc", &plugins, err) < 0
        || snapshot_open (NULL, v->from, &plugins.own, &from, err) < 0)
        return -1;
    workload_look (&own.work);
    if (use_snapshot (&own, from, machine, allocs, err) == 0
        && sim_run_check (&own, err) == 0
        && site_open (&own.site, &site, err) == 0)
        status = run_one (&own, &site, from, out, err);
    site_close (&site);
    tori_snapshot_destroy (from);
    return status;
}

static int run_sim (const void *values, FILE *out, tori_error *err)
{
    const struct sim_values *v = values;
    struct sim_values own = *v;
    char allocs[ALLOCS_TEXT];
    struct site site = {0};
    int status = -1;
    if (v->from && v->site.machine)
        return tori_error_set (err, TORI_INVALID,
                               "--from: the machine is in the file");
    if (v->from)
        return run_from (v, out, err);
    if (!v->site.machine)
        return tori_error_set (err, TORI_INVALID,
                               "--machine KIND:SIZES is missing; see 'tori sim "
                               "--help'");
    if (v->by >= 0 && v->seeds)
        return tori_error_set (err, TORI_INVALID,
                               "--by is for one simulation; 'tori compare "
                               "--by' has intervals over seeds");
    workload_look (&own.work);
    if (sim_run_check (&own, err) < 0)
        return -1;
    if (!shares_time (&own) && counts_of (&own)) {
        name_allocs (v->alloc, allocator_of (&own)->name,
                     counts_of (&own)->name, allocs);
        own.alloc = allocs;
    }
    if (site_open (&own.site, &site, err) == 0)
        status = own.seeds ? run_all (&own, &site, out, err)
                           : run_one (&own, &site, NULL, out, err);
    site_close (&site);
    return status;
}

const struct command command_sim = {
    .name = "sim",
    .summary = "Replay a workload through a scheduler and measure it",
    .notes = "The workload is a job log (--trace) or comes from a model. At "
             "each instant, jobs finish first, then jobs arrive in log order, "
             "then the scheduler runs. A job that would not fit on the idle "
             "machine, because of what is down, is set aside: no job waits "
             "for it, and it is rejected at the end. With --log - or "
             "--out-swf - only that file is printed.\n"
             "Slowdown is response time over run time, for jobs that run "
             "longer than 0 s. Bounded slowdown covers all jobs, counts a run "
             "time below 10 s as 10 s, and is at least 1. So its mean is "
             "larger where many jobs run for 0 s (\"zero_runtime\"). With "
             "--network fluid, stretch is the time that jobs ran over their "
             "time in the log. Utilization then counts the time that they "
             "ran, and the offered load counts their time in the log. The "
             "last line is the utilization over time, in blocks of eight "
             "heights, or in digits where the locale is not UTF-8.\n"
             "With --failures or --mtbf, whatever fails or is repaired at an "
             "instant comes before the arrivals. A job that is stopped and "
             "started again waits whenever it does not run, and its response "
             "time ends with its last run. Goodput counts the work of jobs "
             "that ran to their end; utilization counts all the time that "
             "jobs ran. Failures stop when the last job has ended. A job is "
             "given up if even the idle machine has no place for it for 1,000 "
             "times the mean time to repair.\n"
             "With --sched gang, slots are counted from the first "
             "submission.\n"
             "exact may give up on a job, and ptas may refuse it. This ends "
             "the simulation with status 2. With --json, \"reason\" is \"gave-up\", \"job\" "
             "is its number and \"detail\" tells what happened. --steps "
             "allows a longer search.\n"
             "With --watch in a terminal, a map of the machine shows where "
             "jobs run, with a letter and a colour for each. Above the map "
             "are how much is busy and why the first job in the queue waits. "
             "Keys: + and - change the speed, space stops the time, left and "
             "right show other planes, q leaves the picture and goes on "
             "without it, Ctrl-C ends the simulation. The answer is the same "
             "as without --watch.",
    .options = options,
    .size = sizeof (struct sim_values),
    .examples = "tori sim --machine multitorus:8x8x8 --wiring torus "
                "--load 0.8\n"
                "tori sim --machine torus:8x8x8 --trace FILE.swf.gz "
                "--sched easy --json\n"
                "tori sim --machine torus:8^3 --model lublin --jobs 20000 "
                "--seed 2 --log jobs.json\n"
                "tori sim --machine torus:8^3 --model cubic --load 0.5 "
                "--sched fcfs --alloc isomorphic --seeds 10\n"
                "tori sim --machine mesh:16x16 --alloc mm --load 0.5 "
                "--network fluid --pattern nbody\n"
                "tori sim --machine torus:8x8x8 --load 0.8 --watch --speed "
                "6h",
    .status = {[2] = "bad usage, bad input, or a search that gave up"},
    .answer = &answer_sim,
    .run = run_sim,
};
