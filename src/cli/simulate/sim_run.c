/* sim_run.c - the options of a simulation, and its run. */
#include "sim_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "duration.h"
#include "plugin.h"

/* ---- options ---- */

const tori_alloc_info *allocator_of (const struct sim_values *v)
{
    const tori_alloc_info *first, *counts;
    bool boxes =
        v->shapes < 0 || shaping_chosen (v->shapes) != TORI_SHAPE_NONE;
    return v->alloc
                   && allocators_parse (v->alloc, "--alloc", plugin_find,
                                        &first, &counts, NULL)
                          == 0
               ? first
               : usual_allocator (v->site.machine, boxes);
}

uint32_t instead_of (const struct sim_values *v)
{
    return v->instead > 0 ? (uint32_t)v->instead : 0;
}

tori_time patience_of (const struct sim_values *v)
{
    tori_time patience = 0;
    if (v->patience)
        duration_parse (v->patience, &patience, NULL);
    return patience;
}

const tori_alloc_info *counts_of (const struct sim_values *v)
{
    const tori_alloc_info *first, *counts = NULL;
    if (v->alloc)
        allocators_parse (v->alloc, "--alloc", plugin_find, &first, &counts,
                          NULL);
    if (counts
        || (!v->count_fraction.den && !(instead_of (v) & TORI_SIM_OR_COUNT)
            && shaping_of (v) != TORI_SHAPE_AS_GIVEN)
        || allocator_of (v)->takes & TORI_BY_COUNT)
        return counts;
    return usual_allocator (v->site.machine, false);
}

bool shares_time (const struct sim_values *v)
{
    return !strcmp (scheduler_names ((size_t)v->work.sched), "gang");
}

tori_shaping shaping_of (const struct sim_values *v)
{
    unsigned given = v->work.given;
    if (v->shapes >= 0)
        return shaping_chosen (v->shapes);
    if (!shares_time (v) && !(allocator_of (v)->takes & TORI_BY_SHAPE))
        return TORI_SHAPE_NONE;
    if (given & TORI_BY_SHAPE && (given & TORI_BY_COUNT || shares_time (v)))
        return TORI_SHAPE_AS_GIVEN;
    return shares_time (v) ? TORI_SHAPE_NONE : TORI_SHAPE_FIRST_MATCH;
}

const char *used_alloc (const void *values, const void *slot)
{
    const struct sim_values *v = values;
    return shares_time (v) ? NULL : allocator_of (v)->name;
}

const char *used_shapes (const void *values, const void *slot)
{
    return tori_shaping_name (shaping_of (values));
}

tori_estimates estimates_of (const struct sim_values *v)
{
    if (!workload_log (&v->work))
        return TORI_ESTIMATES_EXACT;
    if (v->estimates < 0 && v->at_limit == TORI_AT_LIMIT_RUN)
        return TORI_ESTIMATES_LOG;
    return v->estimates < 0 ? TORI_ESTIMATES_RAISED
                            : (tori_estimates)v->estimates;
}

const char *used_estimates (const void *values, const void *slot)
{
    return shares_time (values) ? NULL
                                : tori_estimates_name (estimates_of (values));
}

/* Refuse options that have no meaning with time sharing, in which jobs go to
 * partitions of the tree at once. */
static int check_sharing (const struct sim_values *v, tori_error *err)
{
    const struct tuning *tuning = &v->tuning;
    const struct option_rule rules[] = {
        {v->alloc, "--alloc: gang uses no allocator"},
        {tuning->epsilon.den || tuning->steps || tuning->hypercube
             || tuning->noncubic || tuning->spacing || tuning->slices,
         "--epsilon, --steps, --hypercube, --noncubic, --spacing and --slices "
         "are for allocators, and gang uses none"},
        {v->work.order >= 0, "--order: gang has no queue that jobs wait in"},
        {v->work.depth > 0, "--depth: gang plans no starts"},
        {v->estimates >= 0,
         "--estimates: gang does not ask how long jobs run"},
        {v->wiring != TORI_WIRE_NONE, "--wiring: gang reserves no links"},
        {v->fold, "--fold: gang does not fold"},
        {v->site.wrap, "--wrap: partitions of gang do not wrap around"},
        {v->no_rotate && shaping_of (v) == TORI_SHAPE_NONE,
         "--no-rotate is for boxes, and these jobs are counts"},
        {interrupts_given (&v->interrupts),
         "--failures, --mtbf, --urgent, --moves and --late: gang does not "
         "stop jobs"},
        {v->network, "--network: gang has no model of a network that jobs "
                     "share"},
    };
    return shares_time (v)
               ? options_check (rules, sizeof rules / sizeof *rules, err)
               : 0;
}

static int check_allocs (const struct sim_values *v, tori_error *err)
{
    const tori_alloc_info *first, *counts;
    return v->alloc
               ? allocators_parse (v->alloc, "--alloc", plugin_find, &first,
                                   &counts, err)
               : 0;
}

/* Alternatives of jobs to their shape. */
static int check_instead (const struct sim_values *v, tori_error *err)
{
    bool shaped = shaping_of (v) != TORI_SHAPE_NONE;
    const struct option_rule rules[] = {
        {instead_of (v) && (!shaped || shares_time (v)),
         "--or: these jobs have no shape that others could replace"},
        {!instead_of (v) && patience_of (v) > 0,
         "--patience: jobs with no alternatives wait for their shape anyway"},
        {instead_of (v) && v->from,
         "--from: what jobs take instead of their shape is in the file"},
        {instead_of (v) & TORI_SIM_OR_BOXES && v->no_rotate,
         "--no-rotate: a shape that others may replace cannot be fixed"},
        {instead_of (v) & TORI_SIM_OR_COUNT && v->wiring != TORI_WIRE_NONE,
         "--wiring: any nodes have no links of their own, so --or takes only "
         "boxes"},
    };
    return options_check (rules, sizeof rules / sizeof *rules, err);
}

int sim_run_check (const struct sim_values *v, tori_error *err)
{
    bool shaped = shaping_of (v) != TORI_SHAPE_NONE;
    unsigned need = shaped ? TORI_BY_SHAPE : TORI_BY_COUNT; /* and the usual
                              allocator for counts: counts_of */
    tori_alloc_info both = *allocator_of (v);
    const struct option_rule rules[] = {
        {v->work.depth > 0
             && !strcmp (scheduler_names ((size_t)v->work.sched), "fcfs"),
         "fcfs plans no starts: it has no depth"},
        {v->torus_fraction.den && v->wiring != TORI_WIRE_TORUS,
         "--torus-fraction is for --wiring torus"},
        {v->network && v->site.down_links,
         "--network fluid: messages would cross links that are down, so it "
         "does not take --down-links"},
        {v->network && interrupts_given (&v->interrupts),
         "--network fluid: messages of a job that is stopped would be left "
         "over, so it does not take --failures, --mtbf, --urgent, --moves or "
         "--late"},
        {v->at_limit >= 0 && !workload_log (&v->work),
         "--at-limit: no job of a model runs longer than its limit"},
        {v->at_limit == TORI_AT_LIMIT_RUN && v->estimates >= 0
             && v->estimates != TORI_ESTIMATES_LOG,
         "--at-limit run: no job runs longer than its estimate unless "
         "--estimates is log"},
        {!shaped && v->wiring != TORI_WIRE_NONE,
         "--wiring is for boxes, and these jobs are counts"},
        {v->wiring != TORI_WIRE_NONE && !shares_time (v)
             && ((allocator_of (v)->flags & TORI_ALLOC_FOLDS)
                 || (allocator_of (v)->takes & TORI_BY_COUNT
                     && !allocator_ops (allocator_of (v)))),
         "--wiring: this allocator gives nodes or folds shapes, and reserves "
         "no links"},
        {sharing_given (&v->sharing) && !shares_time (v),
         "--slot, --switch-cost, --switch-model, --clock, --buffer, --hop, "
         "--degree and --branch are for --sched gang"},
        {v->no_rotate && (allocator_of (v)->flags & TORI_ALLOC_FOLDS)
             && !shares_time (v),
         "--no-rotate: a shape that is folded cannot be fixed"},
        {v->fold && !(allocator_of (v)->flags & TORI_ALLOC_RINGS),
         "--fold: this allocator does not fold rings"},
        {v->fold && v->no_rotate,
         "--no-rotate: a shape that is folded cannot be fixed"},
        {v->fold && v->network,
         "--network fluid does not know where nodes of a folded job are"},
        {v->count_fraction.den && (!shaped || shares_time (v)),
         "--count-fraction: these jobs are counts already"},
        {is_stdout (v->log) + is_stdout (v->out_swf) + v->json > 1,
         "only one of --log, --out-swf and --json can go to standard output"},
        {v->seeds
             && (v->log || v->out_swf || v->timing || v->snapshot || v->from),
         "--seeds: --log, --out-swf, --snapshot, --from and --timing are for "
         "one simulation"},
        {v->watch && v->seeds, "--watch is for one simulation, not --seeds"},
        {v->watch && shares_time (v),
         "--watch: jobs of gang have no nodes of their own"},
        {v->watch && (is_stdout (v->log) || is_stdout (v->out_swf)),
         "--watch draws on standard output: --log and --out-swf need a file"},
        {v->snapshot && shares_time (v),
         "--snapshot: gang has no scheduler that could be saved"},
        {v->from && (v->interrupts.moves || v->interrupts.move_cost.den),
         "--from: whether jobs are moved, and what that costs, is in the "
         "file"},
        {v->from && v->network, "--from: messages are not in a snapshot"},
        {v->from && (v->site.down || v->site.down_links),
         "--from: what is down is in the file"},
        {v->workers && !v->seeds, "--workers is for --seeds"},
        {v->seeds && workload_log (&v->work) && !v->torus_fraction.den
             && !v->count_fraction.den && !v->network && !v->work.resample
             && !v->interrupts.mtbf.den && !v->interrupts.urgent.den,
         "--seeds: nothing in a log is random without --resample, "
         "--torus-fraction, --count-fraction, --network, --mtbf or --urgent"},
        {v->from && v->work.resample,
         "--from: the jobs of the file are not in the log that --resample "
         "makes"},
        {!v->network && (v->pattern >= 0 || v->rounds || v->inject.den),
         "--pattern, --rounds and --inject are for --network fluid"},
        {v->inject.num > UINT32_MAX || v->inject.den > UINT32_MAX,
         "--inject: the fraction needs numbers above 2^32"},
    };
    if (counts_of (v)) {
        both.takes |= counts_of (v)->takes;
        both.flags |= counts_of (v)->flags;
    }
    if (workload_options_check (&v->work, err) < 0 || check_allocs (v, err) < 0
        || check_sharing (v, err) < 0
        || tuning_check (&v->tuning, &both, err) < 0
        || options_check (rules, sizeof rules / sizeof *rules, err) < 0
        || check_instead (v, err) < 0)
        return -1;
    if (!(both.takes & need) && !shares_time (v))
        return tori_error_set (
            err, TORI_INVALID, "--shapes %s: allocator %s takes no %s",
            tori_shaping_name (shaping_of (v)), allocator_of (v)->name,
            shaped ? "shape" : "count");
    return 0;
}

tori_sim_network network_of (const struct sim_values *v, uint64_t seed)
{
    return (tori_sim_network){.size = sizeof (tori_sim_network),
        .pattern = v->pattern >= 0 ? v->pattern : 0,
        .rounds = (uint32_t)v->rounds,
        .link = v->inject.den ? (uint32_t)v->inject.den : 1,
        .node = v->inject.den ? (uint32_t)v->inject.num : 1,
        .seed = seed,
    };
}

/* ---- the replay ---- */

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

void reasons_emit (struct emit *e, const char *key,
                   const struct reasons *reasons)
{
    emit_open (e, key, '{');
    for (size_t i = 0; i < reasons->n; i++)
        emit_count (e, reasons->all[i].why, reasons->all[i].n);
    emit_close (e, '}');
}

static int on_start (void *arg, const tori_sim_job *job, tori_error *err)
{
    struct sim_run *replay = arg;
    if (replay->schedule)
        schedule_add (replay->schedule, job);
    return replay->log ? joblog_add (replay->log, job, err) : 0;
}

static void on_reject (void *arg, const tori_work *work, const char *why)
{
    struct sim_run *replay = arg;
    reasons_add (&replay->reasons, why);
    if (replay->log)
        joblog_reject (replay->log, work, why);
}

static void on_gave_up (void *arg, const tori_work *work, const char *why)
{
    struct sim_run *replay = arg;
    replay->gave_up.happened = true;
    replay->gave_up.job = work->id;
    replay->gave_up.nodes = work->asked;
    snprintf (replay->gave_up.why, sizeof replay->gave_up.why, "%s", why);
}

static void on_progress (void *arg, size_t finished, size_t total)
{
    struct sim_run *replay = arg;
    progress_update (&replay->progress, finished, total, "jobs");
}

static void on_run (void *arg, const tori_work *work, tori_time begin,
                    tori_time end, tori_time ran)
{
    struct sim_run *replay = arg;
    if (begin < end)
        sparkline_add (&replay->busy, begin, end,
                       (double)work->asked * (double)ran
                           / (double)(end - begin));
}

static int on_pass (void *arg, const tori_sched *sched, tori_time now,
                    tori_time until, tori_error *err)
{
    struct sim_run *replay = arg;
    return sim_watch_pass (replay->watch, sched, now, until, err);
}

static int on_look (void *arg, tori_sched *sched, tori_error *err)
{
    struct sim_run *replay = arg;
    return snapshot_save (sched, &replay->workload, replay->snapshot.file,
                          err);
}

static int load_jobs (struct sim_run *replay, tori_error *err)
{
    const struct sim_values *v = replay->values;
    struct workload_options work = v->work;
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
        .flags = v->fold ? TORI_REQUEST_FOLD : 0,
        .estimates = estimates_of (v),
        .at_limit = v->at_limit < 0 ? TORI_AT_LIMIT_RUN
                                    : (tori_at_limit)v->at_limit,
    };
    work.seed = (int64_t)replay->seed;
    return workload_load (&work, replay->site->machine, how, &replay->workload,
                          err);
}

/* Load the jobs of a snapshot, and those that arrive later. */
static int load_workload (struct sim_run *replay, tori_error *err)
{
    const struct workload_options *work = &replay->values->work;
    tori_workload later = {0};
    if (!replay->from)
        return load_jobs (replay, err);
    if (workload_log (work) || work->model >= 0) {
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

static int load_interrupts (struct sim_run *replay, tori_error *err)
{
    return interrupts_read (&replay->values->interrupts, replay->site->machine,
                            replay->seed, &replay->interrupts, err);
}

bool sim_run_interrupts (const struct sim_run *replay)
{
    return interrupts_stop (&replay->values->interrupts)
           || (replay->from && resume_interrupts (replay->from));
}

size_t sim_run_unshaped (const struct sim_run *replay)
{
    return workload_log (&replay->values->work) ? replay->workload.unshaped
                                                : 0;
}

bool sim_run_is_hopeless (const struct sim_run *replay, const tori_work *work)
{
    return tori_sim_is_hopeless (replay->site->machine, &replay->interrupts,
                                 work, NULL)
           > 0;
}

size_t sim_run_hopeless (const struct sim_run *replay,
                         const tori_work **ret_first)
{
    size_t n = 0;
    for (size_t i = 0; i < replay->workload.n; i++) {
        const tori_work *work = &replay->workload.jobs[i];
        if (!sim_run_is_hopeless (replay, work))
            continue;
        if (n++ == 0)
            *ret_first = work;
    }
    return n;
}

/* Called before the replay, so that a file that cannot be written costs no
 * time. */
static int open_outputs (struct sim_run *replay, tori_error *err)
{
    const struct sim_values *v = replay->values;
    const struct joblog_options log = {
        .machine = replay->site->machine,
        .format = v->log_format >= 0 ? v->log_format : 0,
        .name = workload_name (&v->work),
        .to = replay->log_to,
        .more = sim_run_interrupts (replay),
        .interrupts = replay->interrupts.mtbf > 0 ? &replay->interrupts : NULL,
    };
    if ((v->log || replay->log_to)
        && joblog_create (v->log, &log, &replay->log, err) < 0)
        return -1;
    if (v->out_swf
        && schedule_create (v->out_swf, &replay->workload, &replay->schedule,
                            err)
               < 0)
        return -1;
    return 0;
}

/* Whether a job reserves links, by the options or by the log. */
static bool reserves_links (const struct sim_run *replay)
{
    size_t i = 0;
    while (i < replay->workload.n
           && replay->workload.jobs[i].request.wiring == TORI_WIRE_NONE)
        i++;
    return replay->values->wiring != TORI_WIRE_NONE
           || (i < replay->workload.n && !shares_time (replay->values));
}

bool sim_run_has_window (const struct sim_run *replay)
{
    return replay->values->part.warm_up || replay->values->part.cool_down;
}

static int load_window (struct sim_run *replay, tori_error *err)
{
    replay->measured = replay->workload.n;
    if (!sim_run_has_window (replay))
        return 0;
    if (measured_part_window (&replay->values->part, &replay->workload,
                              &replay->window, err)
        < 0)
        return -1;
    replay->measured
        = measured_part_jobs (&replay->window, &replay->workload);
    return 0;
}

static void count_large (struct sim_run *replay)
{
    uint32_t nodes = tori_machine_nodes (replay->site->machine);
    for (size_t i = 0; i < replay->workload.n; i++) {
        uint32_t asked = replay->workload.jobs[i].asked;
        replay->too_large += asked > nodes;
        replay->largest = asked > replay->largest ? asked : replay->largest;
    }
}

int sim_run_load (struct sim_run *replay, tori_error *err)
{
    if (load_workload (replay, err) < 0 || load_interrupts (replay, err) < 0
        || load_window (replay, err) < 0 || open_outputs (replay, err) < 0)
        return -1;
    if (replay->workload.n > 0)
        replay->busy.begin = replay->workload.jobs[0].submit;
    replay->links = reserves_links (replay);
    count_large (replay);
    return 0;
}

/* Set the error to the job that was given up, and the remedy. */
static int set_gave_up_error (const struct sim_run *replay, tori_error *err)
{
    return tori_error_set (err, TORI_GAVE_UP,
                           "job %lld, of %u nodes: %s; raise --steps",
                           (long long)replay->gave_up.job,
                           replay->gave_up.nodes, replay->gave_up.why);
}

/* With a watch, nothing else is shown. */
static void set_callbacks (struct sim_run *replay, tori_sim_config *config)
{
    config->arg = replay;
    config->on_start =
        replay->log || replay->values->out_swf ? on_start : NULL;
    config->on_reject = on_reject;
    config->on_gave_up = on_gave_up;
    config->on_progress = replay->alone && !replay->watch ? on_progress : NULL;
    config->on_run = replay->alone && !replay->values->json ? on_run : NULL;
    config->on_pass = replay->watch ? on_pass : NULL;
}

int sim_run_execute (struct sim_run *replay, tori_error *err)
{
    const struct sim_values *v = replay->values;
    struct timespec begin, end;
    tori_alloc_config tuning = tuning_of (&v->tuning, allocator_of (v));
    tori_alloc_config counts = tuning_of (&v->tuning, counts_of (v));
    tori_sim_network network = network_of (v, replay->seed);
    struct sharing_how sharing;
    const tori_sim_look look = {.size = sizeof look, replay->snapshot.time, on_look};
    tori_sched_config sched = *TORI_SCHED (
        scheduler_names ((size_t)v->work.sched), &tuning,
        workload_order (&v->work), .depth = (uint32_t)v->work.depth,
        .counts = counts_of (v) ? &counts : NULL,
        .flags = instead_of (v) ? TORI_SCHED_PLACES : 0);
    tori_sim_config config = {
        .size = sizeof config,
        .result_size = sizeof replay->result,
        .machine = replay->site->machine,
        .sched = &sched,
        .initial = replay->site->state,
        .no_pairwise = v->no_distance,
        .network = v->network ? &network : NULL,
        .gang = &sharing.gang,
        .window = sim_run_has_window (replay) ? &replay->window : NULL,
        .look = v->snapshot ? &look : NULL,
        .resume = replay->resume,
        .columns = replay->columns,
        .instead = instead_of (v),
        .patience = patience_of (v),
        .interrupts =
            interrupts_given (&v->interrupts) ? &replay->interrupts : NULL,
    };
    int status;
    set_callbacks (replay, &config);
    if (sharing_of (&v->sharing, &sharing, err) < 0
        || interrupts_sched (&v->interrupts, &sched, err) < 0)
        return -1;
    if (config.on_progress)
        progress_begin (&replay->progress);
    clock_gettime (CLOCK_MONOTONIC, &begin);
    status = tori_sim_run (&config, &replay->workload, &replay->result, err);
    clock_gettime (CLOCK_MONOTONIC, &end);
    progress_end (&replay->progress);
    replay->seconds = seconds_between (&begin, &end);
    if (v->no_distance)
        replay->result.pairwise = replay->result.average = NAN;
    return replay->gave_up.happened ? set_gave_up_error (replay, err) : status;
}

/* Busy nodes and failures make no difference to this, nor does the part that is
 * measured. */
int sim_run_suits (const struct sim_values *v, tori_error *why,
                   tori_error *err)
{
    struct sim_values own = *v;
    struct site site = {0};
    struct sim_run replay = {.values = &own, .site = &site};
    int status;
    own.site = (struct machine_options){.machine = v->site.machine,
                                        .links = v->site.links,
                                        .wrap = v->site.wrap};
    own.interrupts = (struct interrupts){0};
    own.part = (struct measured_part){0};
    status = site_open (&own.site, &site, err);
    if (status == 0 && sim_run_execute (&replay, why) < 0)
        status = why->status == TORI_INVALID ? 1 : -1;
    if (status < 0 && why->status)
        *err = *why;
    sim_run_clear (&replay);
    site_close (&site);
    return status;
}

static int take_jobs (struct sim_run *replay, struct cell_jobs *jobs,
                      tori_error *err)
{
    cell_jobs_take (jobs, &replay->workload);
    for (size_t i = 0; i < jobs->n; i++) {
        const tori_work *work = &replay->workload.jobs[i];
        bool measured = !sim_run_has_window (replay)
                        || measured_part_has (&replay->window, work);
        jobs->hopeless[i] = sim_run_is_hopeless (replay, work);
        jobs->ran[i] &= measured && !jobs->hopeless[i];
        if (!measured && jobs->fate[i] == TORI_FATE_DONE)
            jobs->fate[i] = TORI_FATE_NONE;
    }
    return replay->values->by < 0
               ? 0
               : groups_make (jobs, &replay->workload, replay->values->by,
                              &replay->groups, err);
}

int sim_run_jobs (struct sim_run *replay, struct cell_jobs *jobs,
                  int (*execute) (struct sim_run *replay, tori_error *err),
                  tori_error *err)
{
    struct cell_jobs own = {0};
    int status = 0;
    if (!jobs && replay->values->by >= 0)
        jobs = &own;
    if (jobs)
        status = cell_jobs_create (jobs, replay->workload.n,
                                   !replay->values->no_distance, err);
    replay->columns = jobs ? &jobs->columns : NULL;
    if (status == 0)
        status = execute (replay, err);
    replay->columns = NULL;
    if (status == 0 && jobs)
        status = take_jobs (replay, jobs, err);
    if (status < 0 && jobs)
        cell_jobs_clear (jobs);
    cell_jobs_clear (&own);
    return status;
}

void sim_run_clear (struct sim_run *replay)
{
    groups_clear (&replay->groups);
    joblog_destroy (replay->log);
    schedule_destroy (replay->schedule);
    tori_sched_destroy (replay->resume);
    interrupts_clear (&replay->interrupts);
    tori_workload_clear (&replay->workload);
}
