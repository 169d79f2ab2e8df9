/* sim.c - a workload through the scheduler, from event to event: ends,
 * failures and arrivals, and the measures between them. */
#include <string.h>

#include "build.h"
#include "choice.h"
#include "configure.h"
#include "job_columns.h"
#include "marks.h"
#include "measure.h"
#include "simcore.h"
#include "sized.h"

/* So many mean times to repair a node are long enough to wait for a machine on
 * which nothing runs. */
enum { PATIENCE = 1000 };

/* ---- measuring ---- */

/* Let time pass, and charge it to the reason that blocked the head of the
 * queue. */
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

/* ---- events ---- */

/* Let the network run up to a time, or until jobs end in it: *time is then
 * their end. */
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

static bool is_down (const struct sim *sim, const tori_sim_outage *outage)
{
    const tori_state *state = tori_sched_state (sim->sched);
    return outage->node == TORI_NO_NODE
               ? tori_state_link_down (state, &outage->link)
               : tori_state_node (state, outage->node) == TORI_NODE_DOWN;
}

static int bring_up (struct sim *sim, const tori_sim_outage *outage,
                     tori_error *err)
{
    if (outage->node == TORI_NO_NODE)
        return tori_sched_set_link_down (sim->sched, sim->now, &outage->link,
                                         false, err);
    return tori_sched_set_down (sim->sched, sim->now, outage->node, false,
                                err);
}

static int fail_together (struct sim *sim, tori_error *err)
{
    int64_t n = strike_happen (&sim->strike, sim->sched, sim->now, err);
    if (n < 0)
        return -1;
    sim->result.failures += (uint64_t)n;
    return sim_carry_out (sim, err);
}

static int apply_outage (struct sim *sim, const tori_sim_outage *outage,
                         tori_error *err)
{
    if (!outage->down && fail_together (sim, err) < 0)
        return -1;
    if (is_down (sim, outage) == outage->down)
        return 0;
    return outage->down ? strike_add (&sim->strike, sim->config->machine,
                                      outage, err)
                        : bring_up (sim, outage, err);
}

/* Apply failures and repairs up to now, in the order of the list; failures
 * without a repair in between happen at once. */
static int fail_due (struct sim *sim, tori_error *err)
{
    tori_sim_outage outage;
    while (failing_next (&sim->failing) <= sim->now)
        if (failing_take (&sim->failing, &outage, err) < 0
            || apply_outage (sim, &outage, err) < 0)
            return -1;
    return fail_together (sim, err);
}

/* A number from 0 to 1 for a job, by the seed and for one purpose. */
static double draw_for (const tori_sim_interrupts *how, const tori_work *work,
                        uint64_t stream)
{
    struct rng rng;
    rng_seed (&rng, how->seed, stream);
    rng_seed (&rng, rng_next (&rng), (uint64_t)work->id);
    return rng_uniform (&rng);
}

bool sim_is_urgent (const tori_sim_interrupts *how, const tori_work *work)
{
    enum { STREAM = 0x75726765 };
    return draw_for (how, work, STREAM) < how->urgent;
}

tori_time sim_lateness (const tori_sim_interrupts *how, const tori_work *work)
{
    enum { STREAM = 0x6c617465 };
    if (how->late == 0 || how->late_share == 0)
        return how->late;
    return draw_for (how, work, STREAM) < how->late_share ? how->late : 0;
}

/* The options of a job about interruptions. */
static void describe_interrupts (const struct sim *sim, const tori_work *work,
                                 tori_job_spec *spec)
{
    const tori_sim_interrupts *how = sim->config->interrupts;
    if (!how)
        return;
    spec->checkpoint = how->checkpoint;
    if (how->on_failure != TORI_ON_FAILURE_KILL)
        spec->flags = TORI_JOB_REQUEUE;
    if (how->on_failure == TORI_ON_FAILURE_REPAIR)
        spec->flags |= TORI_JOB_REPAIR;
    spec->preempted = how->preempted;
    spec->level = how->urgent > 0 && sim_is_urgent (how, work);
    spec->priority = spec->level;
}

/* List what a job by shape takes instead of it. */
static size_t list_alternatives (const struct sim *sim, const tori_work *work,
                                 tori_request others[TORI_MAX_ALTERNATIVES])
{
    uint64_t instead = sim->config->instead;
    tori_shape shapes[TORI_MAX_ALTERNATIVES - 1];
    size_t n = 0;
    if (work->request.shape.ndims == 0)
        return 0;
    if (instead & TORI_SIM_OR_BOXES)
        n = tori_shape_others (sim->config->machine, &work->request.shape,
                               (uint64_t)work->asked + work->asked / 8, shapes,
                               TORI_MAX_ALTERNATIVES - 1);
    for (size_t i = 0; i < n; i++) {
        others[i] = work->request;
        others[i].shape = shapes[i];
    }
    if (instead & TORI_SIM_OR_COUNT)
        others[n++] = (tori_request){.count = work->asked};
    return n;
}

static int submit_job (struct sim *sim, size_t which, tori_error *err)
{
    const tori_work *work = &sim->workload->jobs[which];
    struct career *career = &sim->careers[which];
    tori_request others[TORI_MAX_ALTERNATIVES];
    tori_job_spec spec = {.size = sizeof spec,
                          .estimate = work->estimate,
                          .tag = which,
                          .request = work->request,
                          .alternatives = others,
                          .nalternatives =
                              list_alternatives (sim, work, others),
                          .patience = sim->config->patience};
    *career = (struct career){.measured = true};
    sim_wait (sim, career);
    describe_interrupts (sim, work, &spec);
    career->level = spec.level;
    return tori_sched_submit (sim->sched, sim->now, &spec, &career->job, err);
}

static int submit_due (struct sim *sim, tori_error *err)
{
    const tori_workload *workload = sim->workload;
    for (; sim->arrived < workload->n
           && workload->jobs[sim->arrived].submit == sim->now;
         sim->arrived++, sim->result.events++)
        if (submit_job (sim, sim->arrived, err) < 0)
            return -1;
    return 0;
}

static bool is_due (struct sim *sim)
{
    const struct event *next = sim_next_finish (sim);
    return next && next->time == sim->now;
}

/* Whether a job of length zero ends at once: 1, 0, or -1. */
static int zero_length_due (struct sim *sim, tori_error *err)
{
    tori_time now = sim->now;
    return run_network (sim, &now, err) < 0 ? -1 : is_due (sim);
}

static int run_instant (struct sim *sim, tori_error *err)
{
    if (sim_finish_due (sim, err) < 0 || fail_due (sim, err) < 0
        || submit_due (sim, err) < 0 || sim_decide (sim, err) < 0)
        return -1;
    for (;;) {
        int due = zero_length_due (sim, err);
        if (due <= 0)
            return due;
        if (sim_finish_due (sim, err) < 0 || sim_decide (sim, err) < 0)
            return -1;
    }
}

/* The time at which a job next ends, comes or may start at last, or
 * TORI_TIME_MAX. */
static tori_time next_of_jobs (struct sim *sim)
{
    const struct event *finish = sim_next_finish (sim);
    tori_time next = finish ? finish->time : TORI_TIME_MAX, wake;
    if (tori_sched_queued (sim->sched) > 0
        && tori_sched_wake (sim->sched, &wake) && wake > sim->now
        && wake < next)
        next = wake;
    if (sim->arrived < sim->workload->n
        && sim->workload->jobs[sim->arrived].submit < next)
        next = sim->workload->jobs[sim->arrived].submit;
    return next;
}

/* The time of the next event, or TORI_TIME_MAX. Failures matter only while
 * there are jobs. If nothing runs or comes, but jobs wait, nodes that they
 * need may come up again; but if they need large parts of the machine, that
 * may never happen. */
static tori_time next_event (struct sim *sim)
{
    const tori_sim_interrupts *how = sim->config->interrupts;
    tori_time next = next_of_jobs (sim);
    tori_time failure = failing_next (&sim->failing);
    if (failure < sim->now)
        failure = sim->now; /* before the first job */
    if (next < TORI_TIME_MAX || tori_sched_running (sim->sched) > 0)
        sim->lively = sim->now;
    else if (tori_sched_queued (sim->sched) == 0
             || (how && how->mtbf
                 && (failure - sim->lively) / PATIENCE > how->mttr))
        return next;
    return failure < next ? failure : next;
}

/* A copy, so that nothing changes here. */
static int take_look (struct sim *sim, tori_error *err)
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

static int tell_pass (const struct sim *sim, tori_time until, tori_error *err)
{
    const tori_sim_config *config = sim->config;
    tori_error own;
    if (!config->on_pass || until == sim->now)
        return 0;
    own = (tori_error){0};
    return config->on_pass (config->arg, sim->sched, sim->now, until, &own)
                   == 0
               ? 0
               : measures_stop (&own, err);
}

/* Jobs that start again and again may outlive the limit that the workload was
 * checked for. */
static int check_time (tori_time next, tori_error *err)
{
    if (next < TORI_TIME_MAX && next > TORI_TIME_MAX / 2)
        return tori_error_set (err, TORI_INVALID,
                               "jobs that are started again do not end before "
                               "the end of time");
    return 0;
}

int sim_check_stop (const tori_sim_config *config, tori_error *err)
{
    return config->stop && *config->stop
               ? tori_error_set (err, TORI_FAILED, "the simulation was "
                                                   "stopped")
               : 0;
}

static int replay_events (struct sim *sim, tori_error *err)
{
    if (sim->config->resume && sim_decide (sim, err) < 0)
        return -1;
    for (;;) {
        tori_time next = next_event (sim);
        if (sim_check_stop (sim->config, err) < 0
            || check_time (next, err) < 0)
            return -1;
        if (run_network (sim, &next, err) < 0
            || (looks_before (sim, next) && take_look (sim, err) < 0))
            return -1;
        if (next < TORI_TIME_MAX) {
            if (tell_pass (sim, next, err) < 0)
                return -1;
            pass_time (sim, next);
            if (run_instant (sim, err) < 0)
                return -1;
        } else if (tori_sched_queued (sim->sched) > 0) {
            if (sim_give_up_head (sim, err) < 0 || sim_decide (sim, err) < 0)
                return -1;
        } else {
            return 0;
        }
    }
}

/* ---- results ---- */

static void conclude_result (struct sim *sim)
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

static int check_outage (const tori_sim_config *config, size_t i,
                         tori_error *err)
{
    const tori_sim_outage *outage = &config->interrupts->outages[i];
    bool is_link = outage->node == TORI_NO_NODE;
    if (outage->time < (i ? outage[-1].time : 0))
        return tori_error_set (err, TORI_INVALID,
                               "failure %zu comes before %s", i,
                               i ? "the one before it" : "time 0");
    if (is_link ? tori_link_exists (config->machine, &outage->link)
                : outage->node < tori_machine_nodes (config->machine))
        return 0;
    return tori_error_set (err, TORI_INVALID, "failure %zu: no such %s", i,
                           is_link ? "link" : "node");
}

static int check_interrupts (const tori_sim_config *config, tori_error *err)
{
    const tori_sim_interrupts *how = config->interrupts;
    if (!how)
        return 0;
    if (config->network)
        return tori_error_set (err, TORI_INVALID,
                               "jobs cannot be interrupted with a network");
    if (how->mtbf < 0 || how->mttr < 0 || how->checkpoint < 0
        || how->late < 0)
        return tori_error_set (err, TORI_INVALID,
                               "interrupts with a time below 0");
    if (how->mtbf && (!how->mttr || how->noutages))
        return tori_error_set (err, TORI_INVALID,
                               "random failures need a time to repair, and no "
                               "list");
    if ((unsigned)how->on_failure > TORI_ON_FAILURE_REPAIR
        || !tori_preempted_name (how->preempted))
        return tori_error_set (err, TORI_INVALID,
                               "no such fate of a job: %d",
                               tori_preempted_name (how->preempted)
                                   ? (int)how->on_failure
                                   : (int)how->preempted);
    if (!(how->urgent >= 0 && how->urgent <= 1))
        return tori_error_set (err, TORI_INVALID,
                               "a share of urgent jobs that is not from 0 to "
                               "1");
    if (!(how->late_share >= 0 && how->late_share <= 1))
        return tori_error_set (err, TORI_INVALID,
                               "a share of late jobs that is not from 0 to 1");
    for (size_t i = 0; i < how->noutages; i++)
        if (check_outage (config, i, err) < 0)
            return -1;
    return 0;
}

/* Check arguments that a caller may have filled in wrongly. */
static int check_arguments (const tori_sim_config *config,
                            const tori_workload *workload, tori_error *err)
{
    const tori_sim_window *window = config->window;
    size_t which;
    if (!config->sched->own_policy
        && choice_find ("scheduler", policy_name, config->sched->policy, &which,
                        err)
               < 0)
        return -1;
    if (config->instead & ~(uint64_t)(TORI_SIM_OR_BOXES | TORI_SIM_OR_COUNT))
        return tori_error_set (err, TORI_INVALID,
                               "no such alternatives of jobs: %llu",
                               (unsigned long long)config->instead);
    if (check_interrupts (config, err) < 0
        || job_columns_check (config->columns, err) < 0)
        return -1;
    if (window && (window->begin < 0 || window->end < window->begin))
        return tori_error_set (err, TORI_INVALID,
                               "a window from %lld to %lld: expected 0 <= "
                               "begin <= end",
                               (long long)window->begin,
                               (long long)window->end);
    return workload_check (workload, NULL, err);
}

static int run_sim (const tori_sim_config *config,
                    const tori_workload *workload, tori_sim_result *ret_result,
                    tori_error *err)
{
    struct sim sim = {.config = config, .workload = workload};
    int status = sim_set_up (&sim, err);
    if (status == 0)
        status = replay_events (&sim, err);
    if (status == 0) {
        conclude_result (&sim);
        *ret_result = sim.result;
    }
    sim_clear (&sim);
    return status;
}

/* The parts that a configuration points to, each in its present size. */
struct sim_parts {
    tori_sched_config sched;
    tori_sim_columns columns;
    tori_sim_network network;
    tori_sim_gang gang;
    tori_sim_preempt preempt;
    tori_sim_window window;
    tori_sim_look look;
    tori_sim_interrupts interrupts;
};

/* Copy a part, if there is one, and let its owner point to the copy. */
#define OWN(owner, member, type)                                              \
    ((owner).member                                                           \
     && (SIZED_COPY (type, &parts->member, (owner).member, err) < 0           \
         || ((owner).member = &parts->member, false)))

static int own_parts (tori_sim_config *own, struct sim_parts *parts,
                      tori_error *err)
{
    if (OWN (*own, columns, tori_sim_columns)
        || OWN (*own, network, tori_sim_network)
        || OWN (*own, gang, tori_sim_gang)
        || OWN (*own, window, tori_sim_window)
        || OWN (*own, look, tori_sim_look)
        || OWN (*own, interrupts, tori_sim_interrupts)
        || (own->gang && OWN (parts->gang, preempt, tori_sim_preempt))
        || sched_configure (own->sched, &parts->sched, err) < 0)
        return -1;
    own->sched = &parts->sched;
    return 0;
}

static int check_result (tori_sim_config *own, tori_error *err)
{
    if (own->result_size == 0)
        own->result_size = FIRST_RESULT;
    return own->result_size >= FIRST_RESULT
               ? 0
               : tori_error_set (err, TORI_INVALID,
                                 "result_size: a tori_sim_result has at least "
                                 "%d bytes",
                                 (int)FIRST_RESULT);
}

/* Fill in as much as the caller has room for; what it has beyond ours is 0. */
static void give_result (const tori_sim_result *result, size_t size,
                         tori_sim_result *ret_result)
{
    size_t known = size < sizeof *result ? size : sizeof *result;
    memcpy (ret_result, result, known);
    memset ((char *)ret_result + known, 0, size - known);
}

int tori_sim_run (const tori_sim_config *config, const tori_workload *workload,
                  tori_sim_result *ret_result, tori_error *err)
{
    struct sim_parts parts;
    tori_sim_config own;
    tori_sim_result result;
    if (SIZED_COPY (tori_sim_config, &own, config, err) < 0
        || own_parts (&own, &parts, err) < 0)
        return -1;
    if (check_result (&own, err) < 0
        || check_arguments (&own, workload, err) < 0)
        return -1;
    if ((!parts.sched.own_policy
                 && strcmp (parts.sched.policy, gang_info.name) == 0
             ? timeshare_run (&own, workload, &result, err)
             : run_sim (&own, workload, &result, err))
        < 0)
        return -1;
    give_result (&result, own.result_size, ret_result);
    return 0;
}
