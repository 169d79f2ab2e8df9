/* tori sim - replay a workload, from a log or a model, through a scheduler. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "asked.h"
#include "commands.h"
#include "emit.h"
#include "fields.h"
#include "interrupts.h"
#include "joblog.h"
#include "names.h"
#include "outlook.h"
#include "parallel.h"
#include "replicas.h"
#include "resume.h"
#include "result.h"
#include "schedule.h"
#include "sharing.h"
#include "site.h"
#include "terminal.h"
#include "tuning.h"
#include "work.h"

struct values {
    struct site_files site;
    struct work work;
    const char *alloc;
    struct tuning tuning;
    struct sharing sharing;
    struct interrupts interrupts;
    int wiring;
    struct fraction torus_fraction;
    struct fraction count_fraction;
    int shapes;
    int estimates;
    bool no_rotate;
    int network;
    int pattern;
    int64_t rounds;
    struct fraction inject;
    bool json;
    const char *log;
    const char *out_swf;
    const char *snapshot;
    const char *from;
    bool timing;
    bool no_distance;
    int64_t seeds;
    int64_t workers;
};

static const char *used_alloc (const void *values, const void *slot);
static const char *used_shapes (const void *values, const void *slot);
static const char *used_estimates (const void *values, const void *slot);

#define AT(member) offsetof (struct values, member)

static const struct option options[] = {
    SITE_MACHINE_IF (struct values),
    {"from", OPTION_STRING, AT (from), "SNAPSHOT", .file = FILE_READ,
     .help = "go on from a snapshot (see 'tori help files'): the machine, what "
             "is down, the scheduler and the first jobs are those of the "
             "file; with --trace or --model, jobs that come later and the run "
             "times of all are from there, otherwise jobs run as long as they "
             "are estimated to"},
    WORK_SOURCE (struct values),
    WORK_POLICY (struct values, scheduler_names, "easy"),
    {"alloc", OPTION_STRING, AT (alloc), "NAME", .choices = allocator_names,
     .otherwise = used_alloc,
     .help = "the allocator; if not given, first-fit, and with --shapes count "
             "mm (hilbert-bf on more than 65536 nodes); two, such as "
             "first-fit,mm: one for shapes and one for counts"},
    TUNING_COUNT (struct values),
    TUNING_SHAPE (struct values),
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
     .help = "how a number of nodes becomes a shape; if not given, "
             "first-match for an allocator that takes a shape, otherwise "
             "(and for gang) count"},
    {"estimates", OPTION_CHOICE, AT (estimates), "RULE",
     .choices = estimates_names, .otherwise = used_estimates,
     .help = "which run time the scheduler is told for a job of a log: the "
             "requested time, or the run time if that is longer (raised, "
             "the default); the requested time, which the job may exceed "
             "(log); or the run time (exact, as for jobs of a model)"},
    WORK_CHANGES (struct values),
    {"seeds", OPTION_INTEGER, AT (seeds), "N", .min = 2, .max = 1000,
     .help = "simulate N times, with seeds from --seed on; each measure is "
             "then a mean and half of its 95 % interval (Student's), and in "
             "JSON \"runs\" has the result of each seed"},
    OPTION_ROW_WORKERS (struct values,
                        "with --seeds: how many simulations run in parallel"),
    SHARING_OPTIONS (struct values, "of gang: "),
    {"no-rotate", OPTION_FLAG, AT (no_rotate),
     .help = "take shapes as they are, not their rotations"},
    SITE_WRAP (struct values),
    SITE_DOWN (struct values),
    SITE_DOWN_LINKS (struct values),
    INTERRUPTS_OPTIONS (struct values),
    {"network", OPTION_CHOICE, AT (network), "MODEL", .choices = network_names,
     .fallback = "none",
     .help = "with fluid, a job ends when its messages have arrived, which "
             "share the links of the network: it sends as much as its nodes "
             "can send in its run time; with none it ends after its run time"},
    {"pattern", OPTION_CHOICE, AT (pattern), "NAME",
     .choices = flow_pattern_names,
     .help = "with --network fluid: who sends to whom, in phases; all-to-all "
             "if not given"},
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
    {"out-swf", OPTION_STRING, AT (out_swf), "FILE",
     .file = FILE_WRITTEN,
     .help = "write the schedule in the Standard Workload Format; .gz is "
             "compressed"},
    {"snapshot", OPTION_STRING, AT (snapshot), "TIME:FILE",
     .file = FILE_WRITTEN_AT,
     .help = "write the scheduler as it is at this time, in seconds, for "
             "--from, 'tori why', 'tori forecast' and others; .gz is "
             "compressed"},
    {"no-distance", OPTION_FLAG, AT (no_distance),
     .help = "do not measure how far apart the nodes of a job are"},
    {"timing", OPTION_FLAG, AT (timing), .aside = true,
     .help = "also print how long the replay took"},
    OPTION_ROW_JSON (struct values),
    {.name = NULL},
};

/* ---- what the options ask for ---- */

static const tori_alloc_info *allocator_of (const struct values *v)
{
    const tori_alloc_info *first, *counts;
    bool boxes =
        v->shapes < 0 || shaping_chosen (v->shapes) != TORI_SHAPE_NONE;
    return v->alloc && allocators_parse (v->alloc, &first, &counts, NULL) == 0
               ? first
               : usual_allocator (v->site.machine, boxes);
}

/* The allocator of counts, if shapes have another. */
static const tori_alloc_info *counts_of (const struct values *v)
{
    const tori_alloc_info *first, *counts = NULL;
    if (v->alloc)
        allocators_parse (v->alloc, &first, &counts, NULL);
    if (counts || !v->count_fraction.den
        || allocator_of (v)->takes & TORI_BY_COUNT)
        return counts;
    return usual_allocator (v->site.machine, false);
}

static bool shares_time (const struct values *v)
{
    return !strcmp (scheduler_names ((size_t)v->work.sched), "gang");
}

static tori_shaping shaping_of (const struct values *v)
{
    if (v->shapes >= 0)
        return shaping_chosen (v->shapes);
    if (shares_time (v))
        return TORI_SHAPE_NONE;
    return allocator_of (v)->takes & TORI_BY_SHAPE ? TORI_SHAPE_FIRST_MATCH
                                                   : TORI_SHAPE_NONE;
}

static const char *used_alloc (const void *values, const void *slot)
{
    const struct values *v = values;
    return shares_time (v) ? NULL : allocator_of (v)->name;
}

static const char *used_shapes (const void *values, const void *slot)
{
    return tori_shaping_name (shaping_of (values));
}

static tori_estimates estimates_of (const struct values *v)
{
    if (!v->work.trace)
        return TORI_ESTIMATES_EXACT;
    return v->estimates < 0 ? TORI_ESTIMATES_RAISED
                            : (tori_estimates)v->estimates;
}

static const char *used_estimates (const void *values, const void *slot)
{
    return shares_time (values) ? NULL
                                : tori_estimates_name (estimates_of (values));
}

/* Options that have no meaning where time is shared: jobs go to partitions of
 * the tree, at once. */
static int check_sharing (const struct values *v, tori_error *err)
{
    const struct tuning *tuning = &v->tuning;
    const struct option_rule rules[] = {
        {v->alloc, "--alloc: gang uses no allocator"},
        {tuning->epsilon.den || tuning->steps || tuning->hypercube
             || tuning->noncubic,
         "--epsilon, --steps, --hypercube and --noncubic are for "
         "allocators, and gang uses none"},
        {v->work.order >= 0, "--order: gang has no queue that jobs wait in"},
        {v->work.depth > 0, "--depth: gang makes no reservations"},
        {v->estimates >= 0,
         "--estimates: gang does not ask how long jobs run"},
        {v->wiring != TORI_WIRE_NONE, "--wiring: gang reserves no links"},
        {v->site.wrap, "--wrap: partitions of gang do not wrap around"},
        {v->no_rotate && shaping_of (v) == TORI_SHAPE_NONE,
         "--no-rotate is for boxes, and these jobs are counts"},
        {interrupts_given (&v->interrupts),
         "--failures, --mtbf, --urgent and --moves: gang does not stop jobs"},
        {v->network, "--network: gang has no model of a network that jobs "
                     "share"},
    };
    return shares_time (v)
               ? options_check (rules, sizeof rules / sizeof *rules, err)
               : 0;
}

static int check_allocs (const struct values *v, tori_error *err)
{
    const tori_alloc_info *first, *counts;
    return v->alloc ? allocators_parse (v->alloc, &first, &counts, err) : 0;
}

/* Options that contradict each other; the first that applies is said. */
static int check_options (const struct values *v, tori_error *err)
{
    bool shaped = shaping_of (v) != TORI_SHAPE_NONE;
    unsigned need = shaped ? TORI_BY_SHAPE : TORI_BY_COUNT;
    tori_alloc_info both = *allocator_of (v);
    const struct option_rule rules[] = {
        {v->torus_fraction.den && v->wiring != TORI_WIRE_TORUS,
         "--torus-fraction is for --wiring torus"},
        {v->network && v->site.down_links,
         "--network fluid: messages would cross links that are down, so it "
         "does not take --down-links"},
        {v->network && interrupts_given (&v->interrupts),
         "--network fluid: messages of a job that is stopped would be left "
         "over, so it does not take --failures, --mtbf, --urgent or --moves"},
        {!shaped && v->wiring != TORI_WIRE_NONE,
         "--wiring is for boxes, and these jobs are counts"},
        {v->wiring != TORI_WIRE_NONE && !shares_time (v)
             && ((allocator_of (v)->flags & TORI_ALLOC_FOLDS)
                 || (allocator_of (v)->takes & TORI_BY_COUNT)),
         "--wiring: this allocator gives nodes or folds shapes, and reserves "
         "no links"},
        {sharing_given (&v->sharing) && !shares_time (v),
         "--slot, --switch-cost, --switch-model, --clock, --buffer, --hop, "
         "--degree and --branch are for --sched gang"},
        {v->no_rotate && (allocator_of (v)->flags & TORI_ALLOC_FOLDS)
             && !shares_time (v),
         "--no-rotate: a shape that is folded cannot be fixed"},
        {v->count_fraction.den && (!shaped || shares_time (v)),
         "--count-fraction: these jobs are counts already"},
        {is_stdout (v->log) + is_stdout (v->out_swf) + v->json > 1,
         "only one of --log, --out-swf and --json can go to standard output"},
        {v->seeds
             && (v->log || v->out_swf || v->timing || v->snapshot || v->from),
         "--seeds: --log, --out-swf, --snapshot, --from and --timing are for "
         "one simulation"},
        {v->snapshot && shares_time (v),
         "--snapshot: gang has no scheduler that could be saved"},
        {v->from && (v->interrupts.moves || v->interrupts.move_cost.den),
         "--from: whether jobs are moved, and what that costs, is in the "
         "file"},
        {v->from && v->network, "--from: messages are not in a snapshot"},
        {v->from && (v->site.down || v->site.down_links),
         "--from: what is down is in the file"},
        {v->workers && !v->seeds, "--workers is for --seeds"},
        {v->seeds && v->work.trace && !v->torus_fraction.den
             && !v->count_fraction.den && !v->network
             && !v->interrupts.mtbf.den && !v->interrupts.urgent.den,
         "--seeds: nothing in a log is random without --torus-fraction, "
         "--count-fraction, --network, --mtbf or --urgent"},
        {!v->network && (v->pattern >= 0 || v->rounds || v->inject.den),
         "--pattern, --rounds and --inject are for --network fluid"},
        {v->inject.num > UINT32_MAX || v->inject.den > UINT32_MAX,
         "--inject: the fraction needs numbers above 2^32"},
    };
    if (counts_of (v)) {
        both.takes |= counts_of (v)->takes;
        both.flags |= counts_of (v)->flags;
    }
    if (work_check (&v->work, err) < 0 || check_allocs (v, err) < 0
        || check_sharing (v, err) < 0
        || tuning_check (&v->tuning, &both, err) < 0
        || options_check (rules, sizeof rules / sizeof *rules, err) < 0)
        return -1;
    if (!(both.takes & need) && !shares_time (v))
        return tori_error_set (
            err, TORI_INVALID, "--shapes %s: allocator %s takes no %s",
            tori_shaping_name (shaping_of (v)), allocator_of (v)->name,
            shaped ? "shape" : "count");
    return 0;
}

/* Whether the kind of the machine has no say in when jobs start: without
 * links, without boxes that wrap and messages that meet, only best-fit asks
 * which nodes are neighbours. */
static bool kinds_alike (const struct values *v)
{
    return v->wiring == TORI_WIRE_NONE && !v->site.wrap && !v->network
           && strcmp (allocator_of (v)->name, "best-fit") != 0;
}

/* Who needs no links does not miss those that are down. */
static bool links_ignored (const struct values *v)
{
    return v->site.down_links && v->wiring == TORI_WIRE_NONE;
}

/* It matters to those who compare kinds of machines. */
static void print_links_note (const struct values *v, FILE *out)
{
    if (v->wiring == TORI_WIRE_NONE && !shares_time (v))
        fprintf (out, "\nno links are reserved%s\n",
                 kinds_alike (v) ? ": a mesh, a torus and a multi-torus "
                                   "schedule alike"
                                 : "");
    if (links_ignored (v))
        fputs ("\nlinks that are down are ignored: no links are reserved\n",
               out);
    if (v->network && v->site.down)
        fputs ("\nnodes that are down still pass messages on\n", out);
}

static void emit_links_note (struct emit *e, const struct values *v)
{
    emit_flag (e, "links_reserved", v->wiring != TORI_WIRE_NONE);
    if (links_ignored (v))
        emit_flag (e, "down_links_ignored", true);
}

/* What messages do, if there are any. */
static tori_sim_network network_of (const struct values *v, uint64_t seed)
{
    return (tori_sim_network){
        .pattern = v->pattern >= 0 ? v->pattern : 0,
        .rounds = (uint32_t)v->rounds,
        .link = v->inject.den ? (uint32_t)v->inject.den : 1,
        .node = v->inject.den ? (uint32_t)v->inject.num : 1,
        .seed = seed,
    };
}

/* ---- the replay ---- */

/* Why jobs were rejected, and how many for each reason. There are fewer
 * different reasons than room. */
enum { MAX_REASONS = 16 };

struct reasons {
    struct {
        const char *why;
        size_t n;
    } all[MAX_REASONS];
    size_t n;
};

static void reasons_add (struct reasons *reasons, const char *why)
{
    size_t i = 0;
    while (i < reasons->n && strcmp (reasons->all[i].why, why) != 0)
        i++;
    if (i == MAX_REASONS)
        return;
    if (i == reasons->n) {
        reasons->all[i].why = why;
        reasons->n++;
    }
    reasons->all[i].n++;
}

struct replay {
    const struct values *values;
    tori_snapshot *from; /* or NULL */
    tori_sched *resume;  /* its scheduler */
    struct snapshot_at snapshot;
    const struct site *site;
    uint64_t seed;
    tori_sim_interrupts interrupts;
    bool alone; /* no others run at the same time */
    tori_workload workload;
    struct joblog *log;        /* or NULL */
    struct schedule *schedule; /* or NULL */
    struct progress progress;
    struct reasons reasons;
    struct {
        bool happened;
        int64_t job; /* its number in the log */
        uint32_t nodes;
        char why[TORI_ERROR_TEXT];
    } gave_up;
    tori_sim_result result;
    double seconds;
};

static int on_start (void *arg, const tori_sim_job *job, tori_error *err)
{
    struct replay *replay = arg;
    if (replay->schedule)
        schedule_add (replay->schedule, job);
    return replay->log ? joblog_add (replay->log, job, err) : 0;
}

static void on_reject (void *arg, const tori_work *work, const char *why)
{
    struct replay *replay = arg;
    (void)work;
    reasons_add (&replay->reasons, why);
}

static void on_gave_up (void *arg, const tori_work *work, const char *why)
{
    struct replay *replay = arg;
    replay->gave_up.happened = true;
    replay->gave_up.job = work->id;
    replay->gave_up.nodes = work->asked;
    snprintf (replay->gave_up.why, sizeof replay->gave_up.why, "%s", why);
}

static void on_progress (void *arg, size_t finished, size_t total)
{
    struct replay *replay = arg;
    progress_update (&replay->progress, finished, total, "jobs");
}

static int on_look (void *arg, tori_sched *sched, tori_error *err)
{
    struct replay *replay = arg;
    return snapshot_save (sched, &replay->workload, replay->snapshot.file,
                          err);
}

static int load_jobs (struct replay *replay, tori_error *err)
{
    const struct values *v = replay->values;
    struct work work = v->work;
    tori_workload_options how = {
        .size = sizeof how,
        .shaping = shaping_of (v),
        .wiring = (tori_wiring)v->wiring,
        .torus_fraction =
            v->torus_fraction.den ? fraction_value (v->torus_fraction) : 1,
        .count_fraction =
            v->count_fraction.den ? fraction_value (v->count_fraction) : 0,
        .wrap = v->site.wrap,
        .fixed = v->no_rotate,
        .estimates = estimates_of (v),
    };
    work.seed = (int64_t)replay->seed;
    return work_load (&work, replay->site->machine, how, &replay->workload,
                      err);
}

/* The jobs of a snapshot, and those that come later. */
static int load_workload (struct replay *replay, tori_error *err)
{
    const struct work *work = &replay->values->work;
    tori_workload later = {0};
    if (!replay->from)
        return load_jobs (replay, err);
    if (work->trace || work->model >= 0) {
        if (load_jobs (replay, err) < 0)
            return -1;
        later = replay->workload;
        replay->workload = (tori_workload){0};
    }
    if (resume_workload (replay->from, &later, &replay->workload, err) < 0) {
        tori_workload_clear (&later);
        return -1;
    }
    return tori_snapshot_sched (replay->from, NULL, &replay->resume, err);
}

static int load_interrupts (struct replay *replay, tori_error *err)
{
    return interrupts_read (&replay->values->interrupts,
                            replay->site->machine, replay->seed,
                            &replay->interrupts, err);
}

/* Before the replay, so that a file that cannot be written costs no time. */
static int open_outputs (struct replay *replay, tori_error *err)
{
    const struct values *v = replay->values;
    if (v->log
        && joblog_create (v->log, replay->site->machine,
                          interrupts_given (&v->interrupts), &replay->log,
                          err)
               < 0)
        return -1;
    if (v->out_swf
        && schedule_create (v->out_swf, &replay->workload, &replay->schedule,
                            err)
               < 0)
        return -1;
    return 0;
}

/* What happened to which job, and what can be done. */
static int say_gave_up (const struct replay *replay, tori_error *err)
{
    return tori_error_set (err, TORI_GAVE_UP,
                           "job %lld, of %u nodes: %s; raise --steps",
                           (long long)replay->gave_up.job,
                           replay->gave_up.nodes, replay->gave_up.why);
}

static int simulate (struct replay *replay, tori_error *err)
{
    const struct values *v = replay->values;
    struct timespec begin, end;
    tori_alloc_config tuning = tuning_of (&v->tuning, allocator_of (v));
    tori_alloc_config counts = tuning_of (&v->tuning, counts_of (v));
    tori_sim_network network = network_of (v, replay->seed);
    tori_sim_preempt preempt;
    tori_sim_gang gang;
    const tori_sim_look look = {replay->snapshot.time, on_look};
    tori_sched_config sched
        = *TORI_SCHED (scheduler_names ((size_t)v->work.sched), &tuning,
                       work_order (&v->work),
                       .depth = (uint32_t)v->work.depth,
                       .counts = counts.name ? &counts : NULL);
    tori_sim_config config = {
        .size = sizeof config,
        .machine = replay->site->machine,
        .sched = &sched,
        .on_start = v->log || v->out_swf ? on_start : NULL,
        .on_reject = on_reject,
        .on_gave_up = on_gave_up,
        .on_progress = replay->alone ? on_progress : NULL,
        .arg = replay,
        .initial = replay->site->state,
        .no_pairwise = v->no_distance,
        .network = v->network ? &network : NULL,
        .gang = &gang,
        .look = v->snapshot ? &look : NULL,
        .resume = replay->resume,
        .interrupts
        = interrupts_given (&v->interrupts) ? &replay->interrupts : NULL,
    };
    int status;
    if (sharing_of (&v->sharing, &preempt, &gang, err) < 0
        || interrupts_sched (&v->interrupts, &sched, err) < 0)
        return -1;
    if (replay->alone)
        progress_begin (&replay->progress);
    clock_gettime (CLOCK_MONOTONIC, &begin);
    status = tori_sim_run (&config, &replay->workload, &replay->result, err);
    clock_gettime (CLOCK_MONOTONIC, &end);
    progress_end (&replay->progress);
    replay->seconds = seconds_between (&begin, &end);
    if (v->no_distance)
        replay->result.pairwise = replay->result.average = NAN;
    return replay->gave_up.happened ? say_gave_up (replay, err) : status;
}

/* ---- the answer ---- */

static void emit_network (struct emit *e, const struct replay *replay)
{
    tori_sim_network network = network_of (replay->values, replay->seed);
    if (!replay->values->network)
        return;
    emit_open (e, "network", '{');
    emit_text (e, "pattern", flow_pattern_names ((size_t)network.pattern));
    sheet_emit (e, &network_sheet, &replay->result);
    emit_close (e, '}');
}

static int emit_answer (const struct replay *replay, FILE *out,
                        tori_error *err)
{
    struct emit e = emit_to (out);
    asked_open (&e, "sim", &command_sim, replay->values);
    sheet_emit (&e, &result_sheet, &replay->result);
    if (interrupts_given (&replay->values->interrupts))
        sheet_emit (&e, &losses_sheet, &replay->result);
    if (replay->values->interrupts.urgent.den)
        sheet_emit (&e, &levels_sheet, &replay->result);
    emit_network (&e, replay);
    emit_open (&e, "rejections", '{');
    for (size_t i = 0; i < replay->reasons.n; i++)
        emit_count (&e, replay->reasons.all[i].why, replay->reasons.all[i].n);
    emit_close (&e, '}');
    emit_links_note (&e, replay->values);
    emit_count (&e, "unusable", replay->workload.unusable);
    emit_count (&e, "outlived", replay->workload.outlived);
    if (replay->workload.log_procs > 0)
        emit_count (&e, "log_procs", (size_t)replay->workload.log_procs);
    if (replay->values->timing)
        emit_real (&e, "seconds", replay->seconds);
    emit_close (&e, '}');
    return emit_end (&e, err);
}

/* There is no answer without this job: what is said of it beside the error. */
static int emit_gave_up (const struct replay *replay, FILE *out,
                         tori_error *err)
{
    struct emit e = emit_to (out);
    asked_open (&e, "sim", &command_sim, replay->values);
    emit_text (&e, "reason", "gave-up");
    emit_whole (&e, "job", replay->gave_up.job);
    emit_count (&e, "nodes", replay->gave_up.nodes);
    emit_text (&e, "detail", replay->gave_up.why);
    emit_close (&e, '}');
    return emit_end (&e, err);
}

static void describe_gang (const struct replay *replay, const char *machine,
                           char *text, size_t size)
{
    const struct values *v = replay->values;
    tori_sim_preempt preempt;
    tori_sim_gang gang = {0};
    sharing_of (&v->sharing, &preempt, &gang, NULL);
    snprintf (text, size,
              "%s on %s: gang, slots of %g s, switches of %g s%s, degree %u, "
              "%s branch, shapes %s",
              work_name (&v->work), machine,
              (double)gang.slot / (double)TORI_SECOND,
              (double)gang.switch_cost / (double)TORI_SECOND,
              gang.preempt ? " and a drain" : "", gang.degree,
              gang.policy, tori_shaping_name (shaping_of (v)));
}

/* Where its jobs come from. */
static const char *source_of (const struct values *v)
{
    return v->from && !v->work.trace && v->work.model < 0
               ? v->from
               : work_name (&v->work);
}

/* One line: what ran where, and by which rules. */
static void describe (const struct replay *replay, char *text, size_t size)
{
    const struct values *v = replay->values;
    char machine[TORI_TEXT_MAX];
    int pattern = network_of (v, 0).pattern;
    tori_machine_format (replay->site->machine, machine);
    if (shares_time (v)) {
        describe_gang (replay, machine, text, size);
        return;
    }
    snprintf (text, size,
              "%s on %s: %s, %s order, %s%s%s, shapes %s, wiring %s, "
              "estimates %s%s%s",
              source_of (v), machine,
              scheduler_names ((size_t)v->work.sched),
              tori_order_name (work_order (&v->work)),
              allocator_of (v)->name, counts_of (v) ? "," : "",
              counts_of (v) ? counts_of (v)->name : "",
              tori_shaping_name (shaping_of (v)),
              tori_wiring_name ((tori_wiring)v->wiring),
              tori_estimates_name (estimates_of (v)),
              v->network ? ", messages " : "",
              v->network ? flow_pattern_names ((size_t)pattern) : "");
}

static void print_network (const struct replay *replay, FILE *out)
{
    const tori_summary *stretch = &replay->result.stretch;
    if (replay->values->network)
        fprintf (out,
                 "\n%" PRIu64 " messages; jobs ran %.3f times as long as in "
                              "the log on average, %.3f at most\n",
                 replay->result.messages, stretch->mean, stretch->max);
}

static int print_losses (const struct replay *replay, FILE *out,
                         tori_error *err)
{
    if (!interrupts_given (&replay->values->interrupts))
        return 0;
    fputc ('\n', out);
    if (sheet_print_down (&losses_sheet, &replay->result, out, err) < 0)
        return -1;
    if (!replay->values->interrupts.urgent.den)
        return 0;
    fputc ('\n', out);
    return sheet_print_down (&levels_sheet, &replay->result, out, err);
}

/* What became of jobs that requested too little time. */
static void print_estimates (const struct replay *replay, FILE *out)
{
    static const char *const became[] = {
        [TORI_ESTIMATES_RAISED] = "; their estimates were raised",
        [TORI_ESTIMATES_LOG] = "; they exceeded their estimates",
        [TORI_ESTIMATES_EXACT] = "",
    };
    size_t n = replay->workload.outlived;
    if (n > 0 && !shares_time (replay->values))
        fprintf (out, "\njobs that ran longer than they requested: %zu%s\n", n,
                 became[estimates_of (replay->values)]);
}

static int print_answer (const struct replay *replay, FILE *out,
                         tori_error *err)
{
    char text[2 * TORI_TEXT_MAX];
    describe (replay, text, sizeof text);
    fprintf (out, "%s\n\n", text);
    if (result_print (&replay->result, out, terminal_bold (), err) < 0)
        return -1;
    if (print_losses (replay, out, err) < 0)
        return -1;
    print_network (replay, out);
    print_links_note (replay->values, out);
    for (size_t i = 0; i < replay->reasons.n; i++)
        fprintf (out, "\n%zu rejected: %s\n", replay->reasons.all[i].n,
                 replay->reasons.all[i].why);
    if (replay->workload.log_procs > 0)
        fprintf (out, "\nthe log is of a machine of %" PRId64 " processor%s\n",
                 replay->workload.log_procs,
                 replay->workload.log_procs == 1 ? "" : "s");
    print_estimates (replay, out);
    if (replay->workload.unusable)
        fprintf (out,
                 "\n%zu records without a size or a runtime were left "
                 "out\n",
                 replay->workload.unusable);
    if (replay->values->timing)
        fprintf (out, "\n%.3f s, %.0f jobs/s\n", replay->seconds,
                 (double)replay->workload.n / replay->seconds);
    return 0;
}

static int commit_outputs (struct replay *replay, tori_error *err)
{
    char note[2 * TORI_TEXT_MAX];
    describe (replay, note, sizeof note);
    if (replay->log && joblog_commit (replay->log, err) < 0)
        return -1;
    if (replay->schedule
        && schedule_commit (replay->schedule, replay->site->machine, note, err)
               < 0)
        return -1;
    return 0;
}

static int answer (const struct replay *replay, FILE *out, tori_error *err)
{
    const struct values *v = replay->values;
    if (v->json)
        return emit_answer (replay, out, err);
    if (is_stdout (v->log) || is_stdout (v->out_swf))
        return 0;
    return print_answer (replay, out, err);
}

static int run_one (const struct values *v, const struct site *site,
                    tori_snapshot *from, FILE *out, tori_error *err)
{
    struct replay replay = {.values = v,
                            .site = site,
                            .from = from,
                            .seed = (uint64_t)v->work.seed,
                            .alone = true};
    tori_error late;
    int status = -1;
    if (v->snapshot
        && snapshot_at_parse (v->snapshot, &replay.snapshot, err) < 0)
        return -1;
    if (load_workload (&replay, err) == 0
        && load_interrupts (&replay, err) == 0
        && open_outputs (&replay, err) == 0 && simulate (&replay, err) == 0
        && commit_outputs (&replay, err) == 0)
        status = answer (&replay, out, err);
    if (replay.gave_up.happened && v->json)
        (void)emit_gave_up (&replay, out, &late);
    if (status == 0 && replay.result.jobs == 0)
        fprintf (stderr, "tori: %s: none of %zu jobs ran\n",
                 source_of (v), replay.workload.n);
    joblog_destroy (replay.log);
    schedule_destroy (replay.schedule);
    tori_sched_destroy (replay.resume);
    interrupts_clear (&replay.interrupts);
    tori_workload_clear (&replay.workload);
    return status;
}

/* ---- several seeds ---- */

struct repetition {
    const struct values *values;
    const struct site *site;
    tori_sim_result *result; /* by seed */
    struct progress progress;
};

static int repeat (void *arg, size_t i, tori_error *err)
{
    struct repetition *all = arg;
    struct replay replay = {.values = all->values,
                            .site = all->site,
                            .seed = (uint64_t)all->values->work.seed + i};
    int status = -1;
    if (load_workload (&replay, err) == 0
        && load_interrupts (&replay, err) == 0)
        status = simulate (&replay, err);
    all->result[i] = replay.result;
    interrupts_clear (&replay.interrupts);
    tori_workload_clear (&replay.workload);
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
    const struct values *v = all->values;
    const struct replicas replicas = {.seed = (uint64_t)v->work.seed,
                                      .n = (size_t)v->seeds,
                                      .result = all->result,
                                      .network = v->network,
                                      .losses
                                      = interrupts_given (&v->interrupts),
                                      .levels = v->interrupts.urgent.den};
    const struct replay like = {.values = v, .site = all->site};
    char text[2 * TORI_TEXT_MAX];
    struct emit e = emit_to (out);
    if (v->json) {
        asked_open (&e, "sim", &command_sim, v);
        if (replicas_emit (&e, &replicas, err) < 0)
            return -1;
        emit_links_note (&e, v);
        emit_close (&e, '}');
        return emit_end (&e, err);
    }
    describe (&like, text, sizeof text);
    fprintf (out,
             "%s\n%" PRId64 " seeds from %" PRId64 " on: means and 95 %% "
             "intervals over the seeds\n\n",
             text, v->seeds, v->work.seed);
    if (replicas_print (&replicas, out, terminal_bold (), err) < 0)
        return -1;
    print_links_note (v, out);
    return 0;
}

static int run_all (const struct values *v, const struct site *site, FILE *out,
                    tori_error *err)
{
    struct repetition all = {.values = v,
                             .site = site,
                             .result = calloc ((size_t)v->seeds,
                                               sizeof *all.result)};
    const struct parallel parallel = {.n = (size_t)v->seeds,
                                      .workers = (unsigned)v->workers,
                                      .work = repeat,
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

/* ---- going on from a snapshot ---- */

static int choice_of (const char *(*names) (size_t i), const char *name)
{
    int i = 0;
    while (strcmp (names ((size_t)i), name) != 0)
        i++;
    return i;
}

enum { ALLOCS_TEXT = 80 };

/* As --alloc would name them. */
static void name_allocs (const char *first, const char *counts,
                         char text[ALLOCS_TEXT])
{
    snprintf (text, ALLOCS_TEXT, "%.30s%s%.30s", first, *counts ? "," : "",
              counts);
}

/* The options that the snapshot stands for. */
static int use_snapshot (struct values *v, const tori_snapshot *from,
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
    name_allocs (config.alloc->name, config.counts ? config.counts->name : "",
                 allocs);
    v->alloc = allocs;
    tori_sched_destroy (sched);
    return 0;
}

static int run_from (const struct values *v, FILE *out, tori_error *err)
{
    struct values own = *v;
    struct site site = {0};
    char machine[TORI_TEXT_MAX], allocs[ALLOCS_TEXT];
    tori_snapshot *from;
    int status = -1;
    if (snapshot_open (NULL, v->from, &from, err) < 0)
        return -1;
    if (use_snapshot (&own, from, machine, allocs, err) == 0
        && check_options (&own, err) == 0
        && site_open (&own.site, &site, err) == 0)
        status = run_one (&own, &site, from, out, err);
    site_close (&site);
    tori_snapshot_destroy (from);
    return status;
}

static int run (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    struct values own;
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
    if (check_options (v, err) < 0)
        return -1;
    own = *v;
    if (!shares_time (v) && counts_of (v)) {
        name_allocs (allocator_of (v)->name, counts_of (v)->name, allocs);
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
             "each instant, jobs finish first, then arrive in log order, "
             "then the scheduler runs. A job that would not fit on the idle "
             "machine, because of what is down, is set aside: nobody waits "
             "for it, and it is rejected at the end. With --failures or "
             "--mtbf, what fails or is repaired at an instant comes before "
             "the arrivals. A job that is stopped and started again waits "
             "all the time that it does not run, and its response is up to "
             "its last end. Goodput counts the work of jobs that ran to their "
             "end, utilization all the time that jobs ran. Failures end when "
             "the last job has ended. A job for which the idle machine has "
             "no place for 1,000 times the mean time to repair is given up. "
             "With --log - or "
             "--out-swf - only that file is printed. Slowdown is response "
             "time over run time, for jobs that run longer than 0 s. "
             "Bounded slowdown covers all jobs, counts a run time below 10 "
             "s as 10 s, and is at least 1; so its mean is larger where "
             "many jobs run for 0 s (\"zero_runtime\"). With --network "
             "fluid, stretch is the time that jobs ran over their time in "
             "the log; utilization counts the time that they ran, the "
             "offered load their time in the log. exact and ptas may give "
             "up on a job. This ends the simulation with status 2, and with "
             "--json \"reason\" is \"gave-up\", \"job\" is its number and "
             "\"detail\" tells what happened. --steps allows a longer "
             "search.",
    .options = options,
    .size = sizeof (struct values),
    .examples = "tori sim --machine multitorus:8x8x8 --wiring torus "
                "--load 0.8\n"
                "tori sim --machine torus:8x8x8 --trace FILE.swf.gz "
                "--sched easy --json\n"
                "tori sim --machine torus:8^3 --model lublin --jobs 20000 "
                "--seed 2 --log jobs.json\n"
                "tori sim --machine torus:8^3 --model cubic --load 0.5 "
                "--sched fcfs --alloc isomorphic --seeds 10\n"
                "tori sim --machine mesh:16x16 --alloc mm --load 0.5 "
                "--network fluid --pattern nbody",
    .status = {[2] = "bad usage, bad input, or a search that gave up"},
    .answer = &answer_sim,
    .run = run,
};
