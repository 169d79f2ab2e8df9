/* timeshare.c - the jobs of a workload as processes of a world of tori/gang.h.
 *
 * The world has the clock; jobs are handed to it at the time of their
 * submission, and its reports are kept until all have ended, because a job's
 * finish is not known when it starts. */
#include <stdlib.h>

#include <tori/gang.h>

#include "ask.h"
#include "marks.h"
#include "measure.h"
#include "simcore.h"

enum { PROGRESS_EVERY = 64 }; /* finished jobs */

const tori_sched_info gang_info
    = {"gang", "everyone at once, in slots: the queue tree"};

/* A process: its job, and the times of its life. */
struct life {
    size_t job;
    uint32_t node;
    int64_t start, finish; /* from the origin on */
    int64_t before, by;    /* ticks that it had run when the window began, and
                            * when it ended */
};

/* Before the window begins, before it ends, and afterwards. */
enum stage { BEFORE, WITHIN, BEHIND };

struct timeshare {
    const tori_sim_config *config;
    const tori_workload *workload;
    tori_gang_tree *shape;
    tori_gang_world *world;
    tori_time origin; /* slots are counted from here */
    struct life *life;
    size_t lives, finished;
    enum stage stage;
    tori_time *switch_more; /* by node, or NULL */
    uint64_t *messages;     /* by node, before the window */
    tori_sim_gang_result tree;
    struct measures measures;
    tori_sim_result result;
};

/* ---- reports of the world ---- */

static void on_place (void *arg, uint32_t task, uint32_t node, int64_t time)
{
    struct timeshare *share = arg;
    (void)time;
    share->life[task].node = node;
}

static void on_start (void *arg, uint32_t task, int64_t time)
{
    struct timeshare *share = arg;
    share->life[task].start = time;
}

static void on_finish (void *arg, uint32_t task, int64_t time)
{
    struct timeshare *share = arg;
    const tori_sim_config *config = share->config;
    share->life[task].finish = time;
    if (config->on_finish)
        config->on_finish (config->arg,
                           &share->workload->jobs[share->life[task].job]);
    if (++share->finished % PROGRESS_EVERY == 0 && config->on_progress)
        config->on_progress (config->arg, share->finished, share->workload->n);
}

/* ---- setting up ---- */

static int check_config (const tori_sim_config *config, tori_error *err)
{
    const tori_state *initial = config->initial;
    if (config->interrupts)
        return tori_error_set (err, TORI_INVALID,
                               "gang does not stop jobs");
    if (config->network)
        return tori_error_set (err, TORI_INVALID,
                               "gang knows of no network that jobs share");
    if (initial
        && tori_state_free_count (initial)
               != tori_machine_nodes (config->machine))
        return tori_error_set (err, TORI_INVALID,
                               "gang needs the machine as a whole, and nodes "
                               "of it are down");
    if (initial && initial->links_down > 0)
        return tori_error_set (err, TORI_INVALID,
                               "gang needs the machine as a whole, and links "
                               "of it are down");
    return 0;
}

/* Cycles are shorter than ticks; a tick that is begun counts. */
static tori_time ticks_of (uint64_t cycles, uint64_t clock)
{
    node_time ticks = (node_time)cycles * TORI_SECOND;
    return (tori_time)((ticks + clock - 1) / clock);
}

/* The cost of a switch, and the network's part of it. */
static int price_switches (struct timeshare *share, const tori_sim_gang *how,
                           tori_error *err)
{
    const uint64_t usual = 50000000;
    const tori_sim_preempt *preempt = how->preempt;
    uint32_t n = tori_gang_tree_nodes (share->shape);
    tori_sim_gang_result *tree = &share->tree;
    uint64_t *cycles;
    int status;
    tree->switch_least = tree->switch_most = how->switch_cost;
    if (!preempt)
        return 0;
    cycles = calloc (n, sizeof *cycles);
    share->switch_more = calloc (n, sizeof *share->switch_more);
    status = cycles && share->switch_more
                 ? tori_gang_switch_cycles (share->shape, preempt->net,
                                            preempt->drain, cycles, err)
                 : tori_error_nomem (err);
    for (uint32_t i = 0; status == 0 && i < n; i++)
        share->switch_more[i] = ticks_of (
            cycles[i], preempt->clock ? preempt->clock : usual);
    if (status == 0) {
        tree->switch_most += share->switch_more[0];
        tree->switch_least += share->switch_more[n - 1];
    }
    free (cycles);
    return status;
}

static int open_world (struct timeshare *share, tori_error *err)
{
    static const tori_sim_gang none = {.size = sizeof none};
    const tori_sim_gang *how
        = share->config->gang ? share->config->gang : &none;
    tori_gang_config config = {.size = sizeof config,
        .policy = how->policy,
        .slot = how->slot ? how->slot : TORI_SECOND,
        .hop = how->hop,
        .switch_cost = how->switch_cost,
        .on_place = on_place,
        .on_start = on_start,
        .on_finish = on_finish,
        .arg = share,
    };
    if (tori_gang_tree_create (share->config->machine,
                               how->degree ? how->degree : 2,
                               how->leaf ? how->leaf : 1, &share->shape, err)
            < 0
        || price_switches (share, how, err) < 0)
        return -1;
    config.tree = share->shape;
    config.switch_more = share->switch_more;
    return tori_gang_world_create (&config, &share->world, err);
}

static int allocate_arrays (struct timeshare *share, tori_error *err)
{
    size_t n = share->workload->n;
    share->life = malloc ((n ? n : 1) * sizeof *share->life);
    share->messages = calloc (tori_gang_tree_nodes (share->shape),
                              sizeof *share->messages);
    if (!share->life || !share->messages)
        return tori_error_nomem (err);
    return measures_create (&share->measures, share->config, share->workload,
                            err);
}

static void clear_timeshare (struct timeshare *share)
{
    tori_gang_world_destroy (share->world);
    tori_gang_tree_destroy (share->shape);
    free (share->life);
    free (share->messages);
    free (share->switch_more);
    measures_clear (&share->measures);
}

/* ---- the window ---- */

static int64_t had_by (const struct timeshare *share, size_t task,
                       int64_t time)
{
    const tori_work *work = &share->workload->jobs[share->life[task].job];
    return work->runtime
           - tori_gang_world_left (share->world, (uint32_t)task, time);
}

static void begin_window (struct timeshare *share, int64_t time)
{
    tori_sim_gang_result *tree = &share->tree;
    for (size_t i = 0; i < share->lives; i++)
        share->life[i].before = had_by (share, i, time);
    for (uint32_t i = 0; i < tori_gang_tree_nodes (share->shape); i++)
        share->messages[i] = tori_gang_world_messages (share->world, i);
    tree->turns = tori_gang_world_turns (share->world);
    tree->switches = tori_gang_world_switches (share->world);
}

static void count_messages (struct timeshare *share)
{
    tori_sim_gang_result *tree = &share->tree;
    for (uint32_t i = 0; i < tori_gang_tree_nodes (share->shape); i++) {
        uint64_t messages = tori_gang_world_messages (share->world, i)
                            - share->messages[i];
        tree->messages += messages;
        if (i == 0)
            tree->root = messages;
        if (messages > tree->busiest) {
            tree->busiest = messages;
            tree->busiest_node = i;
        }
    }
}

static void end_window (struct timeshare *share, int64_t time)
{
    tori_sim_gang_result *tree = &share->tree;
    for (size_t i = 0; i < share->lives; i++)
        share->life[i].by = had_by (share, i, time);
    tree->turns = tori_gang_world_turns (share->world) - tree->turns;
    tree->switches = tori_gang_world_switches (share->world) - tree->switches;
    count_messages (share);
}

/* Let the world go on, and stop at the begin and the end of the window.
 * Without a window everything is in it. */
static int run_until (struct timeshare *share, int64_t until, tori_error *err)
{
    static void (*const step[]) (struct timeshare *, int64_t)
        = {[BEFORE] = begin_window, [WITHIN] = end_window};
    const tori_sim_window *window = share->config->window;
    while (window && share->stage < BEHIND) {
        int64_t time = (share->stage == BEFORE ? window->begin : window->end)
                       - share->origin;
        if (time > until)
            break;
        if (tori_gang_world_run (share->world, time, err) < 0)
            return -1;
        step[share->stage++](share, time);
    }
    return tori_gang_world_run (share->world, until, err);
}

/* ---- the replay ---- */

static int reject_job (struct timeshare *share, const tori_work *work,
                       const char *why, tori_error *err)
{
    share->result.rejected++;
    return measures_tell_rejected (&share->measures, work, why, err);
}

/* A request without a count wants all of its shape. */
static uint32_t asked_for (const tori_request *request)
{
    uint64_t nodes = tori_request_nodes (request);
    if (request->count > 0)
        return request->count;
    return nodes < UINT32_MAX ? (uint32_t)nodes : UINT32_MAX;
}

static int submit_job (struct timeshare *share, size_t job, tori_error *err)
{
    const tori_work *work = &share->workload->jobs[job];
    const tori_request *request = &work->request;
    tori_gang_need need = {.fixed = request->fixed, .shape = request->shape};
    uint32_t task;
    share->result.events++;
    if (request_check (request, err) < 0)
        return -1;
    if (request->shape.ndims > 0 && request->wiring != TORI_WIRE_NONE)
        return tori_error_set (err, TORI_INVALID,
                               "gang reserves no links for jobs");
    need.count = asked_for (request);
    if (need.count == 0 || !tori_gang_tree_holds (share->shape, &need))
        return reject_job (share, work,
                           need.count ? "larger than the machine"
                                      : "no nodes asked for",
                           err);
    share->life[share->lives] = (struct life){.job = job};
    if (tori_gang_world_add (share->world, work->submit - share->origin, &need,
                             work->runtime, &task, err)
        < 0)
        return -1;
    share->lives++;
    return 0;
}

/* Jobs are handed over when their time comes, so that few wait in the
 * world. */
static int replay_jobs (struct timeshare *share, tori_error *err)
{
    const tori_workload *workload = share->workload;
    for (size_t i = 0; i < workload->n; i++) {
        if (sim_check_stop (share->config, err) < 0
            || run_until (share, workload->jobs[i].submit - share->origin, err)
                < 0
            || submit_job (share, i, err) < 0)
            return -1;
    }
    if (run_until (share, INT64_MAX, err) < 0)
        return -1;
    if (!share->config->window)
        end_window (share, INT64_MAX);
    return 0;
}

/* ---- results ---- */

static int by_start (const void *a, const void *b)
{
    const struct life *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->job > y->job) - (x->job < y->job);
}

static int report_job (struct timeshare *share, const struct life *life,
                       tori_error *err)
{
    tori_placement place = {.nboxes = 1};
    tori_gang_place partition;
    tori_sim_job job = {
        .work = &share->workload->jobs[life->job],
        .start = share->origin + life->start,
        .finish = share->origin + life->finish,
        .place = &place,
        .starts = 1,
    };
    tori_gang_tree_place (share->shape, life->node, &partition);
    place.box = partition.box;
    place.count = partition.size;
    job.waited = job.start - job.work->submit;
    job.ran = job.work->runtime;
    measures_hold (&share->measures, job.work->asked, place.count,
                   job.ran, life->by - life->before);
    measures_tell_run (&share->measures, job.work, job.start, job.finish,
                       job.ran);
    if (measures_add (&share->measures, &job, err) < 0)
        return -1;
    return measures_tell (&share->measures, &job, err);
}

static int conclude_result (struct timeshare *share, tori_error *err)
{
    int64_t last = 0;
    qsort (share->life, share->lives, sizeof *share->life, by_start);
    for (size_t i = 0; i < share->lives; i++) {
        if (report_job (share, &share->life[i], err) < 0)
            return -1;
        if (share->life[i].finish > last)
            last = share->life[i].finish;
    }
    measures_conclude (&share->measures, share->workload, last,
                       &share->result);
    share->result.events
        += share->finished + tori_gang_world_turns (share->world);
    if (share->config->gang && share->config->gang->result)
        *share->config->gang->result = share->tree;
    return 0;
}

int timeshare_run (const tori_sim_config *config,
                   const tori_workload *workload, tori_sim_result *ret_result,
                   tori_error *err)
{
    struct timeshare share = {.config = config, .workload = workload};
    int answer = -1;
    if (workload->n > 0)
        share.origin = workload->jobs[0].submit;
    if (check_config (config, err) < 0 || open_world (&share, err) < 0
        || allocate_arrays (&share, err) < 0 || replay_jobs (&share, err) < 0
        || conclude_result (&share, err) < 0)
        goto done;
    *ret_result = share.result;
    answer = 0;
done:
    clear_timeshare (&share);
    return answer;
}
