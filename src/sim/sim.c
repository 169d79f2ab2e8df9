/* sim.c - a workload through the scheduler, from event to event: arrivals and
 * finishes, and what is measured between them. */
#include <stdlib.h>
#include <string.h>

#include <tori/sim.h>

#include "choice.h"
#include "configure.h"
#include "heap.h"
#include "ledger.h"
#include "marks.h"
#include "measure.h"
#include "network.h"
#include "sized.h"
#include "timeshare.h"
#include "workcheck.h"

enum { PROGRESS_EVERY = 64 }; /* finished jobs */

/* The delays so far. */
struct delays {
    tori_time numerical, topological;
};

enum { NOT_TOLD = -1 };

/* What is kept of a job from its submission on. */
struct life {
    tori_job job;
    struct delays delays; /* before its submission; then of the job */
    tori_time start;
    uint64_t entry; /* in the ledger, or NOT_TOLD */
};

struct sim {
    const tori_sim_config *config;
    const tori_workload *workload;
    tori_sched *sched;
    struct heap finishes; /* what: index of the job */
    size_t arrived;       /* jobs submitted so far */
    tori_time now, last_finish;
    struct network *network; /* or NULL */

    struct life *lives; /* by job */
    struct ledger ledger;
    struct measures measures;
    size_t finished;

    struct delays delays; /* up to now */
    bool looked;
    node_time unusable;
    tori_sim_result result;
};

/* ---- setting up ---- */

static int allocate (struct sim *sim, tori_error *err)
{
    size_t n = sim->workload->n;
    sim->lives = malloc ((n ? n : 1) * sizeof *sim->lives);
    if (!sim->lives)
        return tori_error_nomem (err);
    if (measures_create (&sim->measures, sim->config, n, err) < 0)
        return -1;
    if (!sim->config->network)
        return 0;
    return network_create (sim->config->machine, sim->config->network,
                           &sim->network, err);
}

static void clear (struct sim *sim)
{
    tori_sched_destroy (sim->sched);
    heap_clear (&sim->finishes);
    free (sim->lives);
    ledger_clear (&sim->ledger);
    measures_clear (&sim->measures);
    network_destroy (sim->network);
}

static int copy_links_down (struct sim *sim, tori_error *err)
{
    const tori_state *initial = sim->config->initial;
    if (initial->links_down == 0)
        return 0;
    for (int dim = 0; dim < initial->machine->shape.ndims; dim++)
        for (uint32_t i = 0; i < 2 * initial->machine->nodes; i++) {
            tori_link link = {dim, i % 2 ? TORI_FAR : TORI_NEAR, i / 2};
            if (tori_state_link_down (initial, &link)
                && tori_sched_set_link_down (sim->sched, sim->now, &link, true,
                                             err)
                       < 0)
                return -1;
        }
    return 0;
}

/* The machine need not be whole at the start. */
static int copy_initial (struct sim *sim, tori_error *err)
{
    const tori_state *initial = sim->config->initial;
    if (!initial)
        return 0;
    for (uint32_t i = 0; i < initial->machine->nodes; i++) {
        tori_node_state is = tori_state_node (initial, i);
        if ((is == TORI_NODE_DOWN
             && tori_sched_set_down (sim->sched, sim->now, i, true, err) < 0)
            || (is == TORI_NODE_DRAINED
                && tori_sched_set_drained (sim->sched, sim->now, i, true, err)
                       < 0))
            return -1;
    }
    return copy_links_down (sim, err);
}

/* A job of the scheduler that is gone on from. */
static int resume_job (struct sim *sim, tori_job number, tori_error *err)
{
    tori_job_info info = {.size = sizeof info};
    tori_time end;
    tori_sched_look (sim->sched, number, &info);
    if (info.tag >= sim->workload->n)
        return tori_error_set (err, TORI_INVALID,
                               "a job that is none of the workload");
    sim->lives[info.tag]
        = (struct life){.job = number, .entry = (uint64_t)NOT_TOLD};
    if (info.tag >= sim->arrived)
        sim->arrived = info.tag + 1;
    if (info.phase != TORI_JOB_RUNNING)
        return 0;
    end = info.start + sim->workload->jobs[info.tag].runtime;
    return heap_push (&sim->finishes, end > sim->now ? end : sim->now,
                      info.tag, err);
}

static int resume (struct sim *sim, tori_error *err)
{
    size_t n = tori_sched_queued (sim->sched) + tori_sched_running (sim->sched);
    tori_job *jobs = calloc (n + 1, sizeof *jobs);
    int status = 0;
    if (!jobs)
        return tori_error_nomem (err);
    n = tori_sched_running_jobs (sim->sched, jobs);
    n += tori_sched_queued_jobs (sim->sched, jobs + n);
    sim->now = tori_sched_now (sim->sched);
    for (size_t i = 0; i < n && status == 0; i++)
        status = resume_job (sim, jobs[i], err);
    free (jobs);
    while (sim->arrived < sim->workload->n
           && sim->workload->jobs[sim->arrived].submit <= sim->now)
        sim->arrived++; /* rejected before */
    return status;
}

static int make_sched (struct sim *sim, tori_error *err)
{
    const tori_sim_config *config = sim->config;
    return config->resume
               ? tori_sched_copy (config->resume, &sim->sched, err)
               : tori_sched_create (config->machine, config->sched,
                                    &sim->sched, err);
}

/* ---- measuring ---- */

/* Let time pass: what blocked the head of the queue until now is charged. */
static void pass_time (struct sim *sim, tori_time now)
{
    tori_time passed = now - sim->now;
    tori_reason blocked = tori_sched_blocked (sim->sched);
    if (blocked == TORI_REASON_NUMERICAL)
        sim->delays.numerical += passed;
    else if (blocked != TORI_REASON_UNKNOWN) {
        const tori_state *state = tori_sched_state (sim->sched);
        sim->delays.topological += passed;
        sim->unusable
            += (node_time)measures_inside (&sim->measures, sim->now, now)
               * tori_state_free_count (state);
    }
    sim->now = now;
}

static int report (struct sim *sim, const tori_sim_job *job, tori_error *err)
{
    tori_time had
        = measures_inside (&sim->measures, job->start, job->finish);
    if (measures_add (&sim->measures, job, had, err) < 0)
        return -1;
    return measures_tell (&sim->measures, job, err);
}

/* Those that have ended, and all that started before them. */
static int report_ended (struct sim *sim, tori_error *err)
{
    tori_sim_job job;
    while (ledger_next (&sim->ledger, &job))
        if (report (sim, &job, err) < 0)
            return -1;
    return 0;
}

/* ---- decisions ---- */

static int tell_place (const struct sim *sim, const tori_decision *decision,
                       tori_error *err)
{
    const tori_sim_config *config = sim->config;
    tori_error own = {0};
    if (!config->on_place
        || config->on_place (config->arg,
                             &sim->workload->jobs[decision->tag],
                             decision->place, &own)
               == 0)
        return 0;
    return measures_stop (&own, err);
}

static int on_start (struct sim *sim, const tori_decision *decision,
                     tori_error *err)
{
    const tori_work *work = &sim->workload->jobs[decision->tag];
    struct life *life = &sim->lives[decision->tag];
    life->start = sim->now;
    life->delays.numerical = sim->delays.numerical - life->delays.numerical;
    life->delays.topological
        = sim->delays.topological - life->delays.topological;
    if (tell_place (sim, decision, err) < 0
        || ledger_add (&sim->ledger, decision->place, &life->entry, err) < 0)
        return -1;
    if (sim->network)
        return network_start (sim->network, work->runtime, decision->place,
                              decision->tag, err);
    return heap_push (&sim->finishes, sim->now + work->runtime, decision->tag,
                      err);
}

static void on_reject (struct sim *sim, uint64_t tag, const char *why)
{
    sim->result.rejected++;
    if (sim->config->on_reject)
        sim->config->on_reject (sim->config->arg, &sim->workload->jobs[tag],
                                why);
}

/* A service can let a job wait that the allocator gives up on. What a
 * simulation measures would then be the limit of the search. */
static int check_decided (const struct sim *sim, tori_error *err)
{
    const tori_work *work;
    const char *why;
    uint64_t tag;
    tori_job job;
    if (!tori_sched_gave_up (sim->sched, &job, &tag, &why))
        return 0;
    work = &sim->workload->jobs[tag];
    if (sim->config->on_gave_up)
        sim->config->on_gave_up (sim->config->arg, work, why);
    return tori_error_set (err, TORI_GAVE_UP, "job %lld, of %u nodes: %s",
                           (long long)work->id, work->asked, why);
}

static int decide (struct sim *sim, tori_error *err)
{
    tori_decision decision = {.size = sizeof decision};
    if (tori_sched_run (sim->sched, sim->now, err) < 0
        || check_decided (sim, err) < 0)
        return -1;
    while (tori_sched_next (sim->sched, &decision)) {
        if (decision.kind == TORI_REJECT)
            on_reject (sim, decision.tag, decision.why);
        else if (decision.kind == TORI_START
                 && on_start (sim, &decision, err) < 0)
            return -1;
    }
    return 0;
}

/* ---- events ---- */

/* Let the network run up to a time, or until jobs end in it: *time is then
 * when they do. */
static int run_network (struct sim *sim, tori_time *time, tori_error *err)
{
    uint64_t what;
    int ended;
    if (!sim->network)
        return 0;
    while ((ended = network_run (sim->network, time, &what, err)) > 0)
        if (heap_push (&sim->finishes, *time, what, err) < 0)
            return -1;
    return ended;
}

/* Nothing more happens to a job. */
static void end_job (struct sim *sim, size_t which)
{
    const tori_sim_config *config = sim->config;
    const struct life *life = &sim->lives[which];
    tori_sim_job job = {
        .work = &sim->workload->jobs[which],
        .start = life->start,
        .finish = sim->now,
        .numerical = life->delays.numerical,
        .topological = life->delays.topological,
    };
    if (life->entry != (uint64_t)NOT_TOLD)
        ledger_end (&sim->ledger, life->entry, &job);
    sim->last_finish = sim->now;
    sim->result.events++;
    if (config->on_finish)
        config->on_finish (config->arg, job.work);
    if (++sim->finished % PROGRESS_EVERY == 0 && config->on_progress)
        config->on_progress (config->arg, sim->finished, sim->workload->n);
}

static int finish_due (struct sim *sim, tori_error *err)
{
    while (sim->finishes.n > 0
           && heap_top (&sim->finishes)->time == sim->now) {
        uint64_t which = heap_pop (&sim->finishes).what;
        if (tori_sched_finish (sim->sched, sim->now, sim->lives[which].job,
                               err)
            < 0)
            return -1;
        end_job (sim, which);
    }
    return report_ended (sim, err);
}

static int submit_due (struct sim *sim, tori_error *err)
{
    const tori_workload *workload = sim->workload;
    while (sim->arrived < workload->n
           && workload->jobs[sim->arrived].submit == sim->now) {
        const tori_work *work = &workload->jobs[sim->arrived];
        tori_job_spec spec = {.size = sizeof spec,
                              .estimate = work->estimate,
                              .tag = sim->arrived,
                              .request = work->request};
        struct life *life = &sim->lives[sim->arrived];
        *life = (struct life){.delays = sim->delays};
        if (tori_sched_submit (sim->sched, sim->now, &spec, &life->job, err)
            < 0)
            return -1;
        sim->arrived++;
        sim->result.events++;
    }
    return 0;
}

static bool is_due (const struct sim *sim)
{
    return sim->finishes.n > 0 && heap_top (&sim->finishes)->time == sim->now;
}

/* Whether a job of length zero ends at once: 1, 0, or -1. */
static int zero_length_due (struct sim *sim, tori_error *err)
{
    tori_time now = sim->now;
    return run_network (sim, &now, err) < 0 ? -1 : is_due (sim);
}

static int instant (struct sim *sim, tori_error *err)
{
    if (finish_due (sim, err) < 0 || submit_due (sim, err) < 0
        || decide (sim, err) < 0)
        return -1;
    for (;;) {
        int due = zero_length_due (sim, err);
        if (due <= 0)
            return due;
        if (finish_due (sim, err) < 0 || decide (sim, err) < 0)
            return -1;
    }
}

/* The time of the next event, or TORI_TIME_MAX. */
static tori_time next_event (const struct sim *sim)
{
    tori_time next = TORI_TIME_MAX;
    if (sim->finishes.n > 0)
        next = heap_top (&sim->finishes)->time;
    if (sim->arrived < sim->workload->n
        && sim->workload->jobs[sim->arrived].submit < next)
        next = sim->workload->jobs[sim->arrived].submit;
    return next;
}

/* Nothing runs and nothing comes, but jobs wait: those that were set aside,
 * for parts of the machine that are down for good. */
static int give_up_head (struct sim *sim, tori_error *err)
{
    tori_job_info info = {.size = sizeof info};
    uint64_t tag = 0;
    tori_job job = 0;
    tori_sched_head (sim->sched, &job, &tag);
    tori_sched_look (sim->sched, job, &info);
    if (tori_sched_cancel (sim->sched, sim->now, job, err) < 0)
        return -1;
    on_reject (sim, tag, info.aside ? info.aside : "it is never placed");
    return decide (sim, err);
}

/* A copy, so that nothing changes here. */
static int look (struct sim *sim, tori_error *err)
{
    const tori_sim_look *at = sim->config->look;
    tori_sched *copy;
    int status;
    sim->looked = true;
    if (tori_sched_copy (sim->sched, &copy, err) < 0)
        return -1;
    status = tori_sched_run (copy, at->at, err);
    if (status == 0 && at->on_look (sim->config->arg, copy, err) != 0)
        status = -1;
    tori_sched_destroy (copy);
    return status;
}

static bool looks_before (const struct sim *sim, tori_time next)
{
    return sim->config->look && !sim->looked && sim->config->look->at < next;
}

static int replay (struct sim *sim, tori_error *err)
{
    if (sim->config->resume && decide (sim, err) < 0)
        return -1;
    for (;;) {
        tori_time next = next_event (sim);
        if (run_network (sim, &next, err) < 0
            || (looks_before (sim, next) && look (sim, err) < 0))
            return -1;
        if (next < TORI_TIME_MAX) {
            pass_time (sim, next);
            if (instant (sim, err) < 0)
                return -1;
        } else if (tori_sched_queued (sim->sched) > 0) {
            if (give_up_head (sim, err) < 0)
                return -1;
        } else {
            return 0;
        }
    }
}

/* ---- results ---- */

static void conclude (struct sim *sim)
{
    tori_sim_result *result = &sim->result;
    double nodes = tori_machine_nodes (sim->config->machine);
    tori_time span = 0;
    if (sim->finished > 0)
        span = sim->last_finish - sim->workload->jobs[0].submit;
    measures_conclude (&sim->measures, sim->workload, span, result);
    result->external_fragmentation
        = measure_ratio ((double)sim->unusable,
                         nodes * (double)measures_span (&sim->measures, span));
    if (sim->network)
        result->messages = network_messages (sim->network);
}

const tori_sched_info *tori_sim_policy_list (size_t i)
{
    size_t n = 0;
    while (tori_sched_list (n))
        n++;
    return i == n ? &gang_info : tori_sched_list (i);
}

static const char *policy_name (size_t i)
{
    const tori_sched_info *info = tori_sim_policy_list (i);
    return info ? info->name : NULL;
}

/* What anybody may have put together by hand. */
static int check (const tori_sim_config *config, const tori_workload *workload,
                  tori_error *err)
{
    const tori_sim_window *window = config->window;
    size_t which;
    if (choice_find ("scheduler", policy_name, config->sched->policy, &which,
                     err)
        < 0)
        return -1;
    if (window && (window->begin < 0 || window->end < window->begin))
        return tori_error_set (err, TORI_INVALID,
                               "a window from %lld to %lld: expected 0 <= "
                               "begin <= end",
                               (long long)window->begin,
                               (long long)window->end);
    return workload_check (workload, NULL, err);
}

static int run (const tori_sim_config *config, const tori_workload *workload,
                tori_sim_result *ret_result, tori_error *err)
{
    struct sim sim = {.config = config, .workload = workload};
    int answer = -1;
    if (workload->n > 0)
        sim.now = workload->jobs[0].submit;
    if (make_sched (&sim, err) < 0 || allocate (&sim, err) < 0
        || (config->resume ? resume : copy_initial) (&sim, err) < 0
        || replay (&sim, err) < 0)
        goto done;
    conclude (&sim);
    *ret_result = sim.result;
    answer = 0;
done:
    clear (&sim);
    return answer;
}

int tori_sim_run (const tori_sim_config *config, const tori_workload *workload,
                  tori_sim_result *ret_result, tori_error *err)
{
    tori_sched_config sched;
    tori_sim_config own;
    if (SIZED_COPY (tori_sim_config, &own, config, err) < 0
        || sched_configure (own.sched, &sched, err) < 0)
        return -1;
    own.sched = &sched;
    if (check (&own, workload, err) < 0)
        return -1;
    if (strcmp (sched.policy, gang_info.name) == 0)
        return timeshare_run (&own, workload, ret_result, err);
    return run (&own, workload, ret_result, err);
}
