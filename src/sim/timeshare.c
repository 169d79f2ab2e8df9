/* Jobs of a workload as processes of a world of tori/gang.h. The world has the
 * clock; jobs are handed to it as the time of their submission comes, and what
 * it tells of them is kept until all have ended, because a job's finish is not
 * known when it starts. */
#include "timeshare.h"

#include <stdlib.h>

#include <tori/gang.h>

#include "measure.h"

enum { PROGRESS_EVERY = 1024 }; /* finished jobs */

const tori_sched_info gang_info
    = {"gang", "everyone at once, in slots: the queue tree"};

/* A process: which job it is, and what became of it. */
struct life {
    size_t job;
    uint32_t node;
    int64_t start, finish; /* from the origin on */
};

struct timeshare {
    const tori_sim_config *config;
    const tori_workload *workload;
    tori_gang_tree *tree;
    tori_gang_world *world;
    tori_time origin; /* slots are counted from here */
    struct life *life;
    size_t lives, finished;
    struct measures measures;
    tori_sim_result result;
};

/* ---- what the world tells ---- */

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

static int check (const tori_sim_config *config, tori_error *err)
{
    const tori_state *initial = config->initial;
    if (config->network)
        return tori_error_set (err, TORI_INVALID,
                               "gang knows of no network that jobs share");
    if (initial
        && tori_state_free_count (initial)
               != tori_machine_nodes (config->machine))
        return tori_error_set (err, TORI_INVALID,
                               "gang needs the machine as a whole, and nodes "
                               "of it are down");
    return 0;
}

static int open_world (struct timeshare *share, tori_error *err)
{
    static const tori_sim_gang none = {0};
    const tori_sim_gang *how
        = share->config->gang ? share->config->gang : &none;
    tori_gang_config config = {
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
                               how->leaf ? how->leaf : 1, &share->tree, err)
        < 0)
        return -1;
    config.tree = share->tree;
    return tori_gang_world_create (&config, &share->world, err);
}

static int allocate (struct timeshare *share, tori_error *err)
{
    size_t n = share->workload->n;
    share->life = malloc ((n ? n : 1) * sizeof *share->life);
    if (!share->life)
        return tori_error_nomem (err);
    return measures_create (&share->measures, share->config, n, err);
}

static void clear (struct timeshare *share)
{
    tori_gang_world_destroy (share->world);
    tori_gang_tree_destroy (share->tree);
    free (share->life);
    measures_clear (&share->measures);
}

/* ---- the replay ---- */

static void reject (struct timeshare *share, const tori_work *work)
{
    share->result.rejected++;
    if (share->config->on_reject)
        share->config->on_reject (share->config->arg, work,
                                  "larger than the machine");
}

static int submit (struct timeshare *share, size_t job, tori_error *err)
{
    const tori_work *work = &share->workload->jobs[job];
    const tori_request *request = &work->request;
    tori_gang_need need = {.count = request->count,
                           .fixed = request->fixed,
                           .shape = request->shape};
    uint32_t task;
    share->result.events++;
    if (request->shape.ndims > 0 && request->wiring != TORI_WIRE_NONE)
        return tori_error_set (err, TORI_INVALID,
                               "gang reserves no links for jobs");
    if (!tori_gang_tree_holds (share->tree, &need)) {
        reject (share, work);
        return 0;
    }
    share->life[share->lives] = (struct life){.job = job};
    if (tori_gang_world_add (share->world, work->submit - share->origin, &need,
                             work->runtime, &task, err)
        < 0)
        return -1;
    share->lives++;
    return 0;
}

/* The world is told of a job when its time comes, so that what waits there is
 * little. */
static int replay (struct timeshare *share, tori_error *err)
{
    const tori_workload *workload = share->workload;
    for (size_t i = 0; i < workload->n; i++) {
        if (tori_gang_world_run (share->world,
                                 workload->jobs[i].submit - share->origin, err)
                < 0
            || submit (share, i, err) < 0)
            return -1;
    }
    return tori_gang_world_run (share->world, INT64_MAX, err);
}

/* ---- results ---- */

static int by_start (const void *a, const void *b)
{
    const struct life *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->job < y->job ? -1 : 1;
}

static int report (struct timeshare *share, const struct life *life,
                   tori_error *err)
{
    const tori_sim_config *config = share->config;
    tori_placement place = {.is_box = true};
    tori_gang_place partition;
    tori_sim_job job = {
        .work = &share->workload->jobs[life->job],
        .start = share->origin + life->start,
        .finish = share->origin + life->finish,
        .place = &place,
    };
    tori_gang_tree_place (share->tree, life->node, &partition);
    place.box = partition.box;
    place.count = partition.size;
    if (measures_add (&share->measures, &job, job.work->runtime, err) < 0)
        return -1;
    if (config->on_start)
        return config->on_start (config->arg, &job, err) ? -1 : 0;
    return 0;
}

static void count_messages (const struct timeshare *share,
                            tori_sim_gang_result *result)
{
    *result = (tori_sim_gang_result){
        .turns = tori_gang_world_turns (share->world),
        .switches = tori_gang_world_switches (share->world),
        .root = tori_gang_world_messages (share->world, 0)};
    for (uint32_t i = 0; i < tori_gang_tree_nodes (share->tree); i++) {
        uint64_t messages = tori_gang_world_messages (share->world, i);
        result->messages += messages;
        if (messages > result->busiest) {
            result->busiest = messages;
            result->busiest_node = i;
        }
    }
}

static int conclude (struct timeshare *share, tori_error *err)
{
    int64_t last = 0;
    qsort (share->life, share->lives, sizeof *share->life, by_start);
    for (size_t i = 0; i < share->lives; i++) {
        if (report (share, &share->life[i], err) < 0)
            return -1;
        if (share->life[i].finish > last)
            last = share->life[i].finish;
    }
    measures_conclude (&share->measures, share->workload, last,
                       &share->result);
    share->result.events
        += share->finished + tori_gang_world_turns (share->world);
    if (share->config->gang && share->config->gang->result)
        count_messages (share, share->config->gang->result);
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
    if (check (config, err) < 0 || open_world (&share, err) < 0
        || allocate (&share, err) < 0 || replay (&share, err) < 0
        || conclude (&share, err) < 0)
        goto done;
    *ret_result = share.result;
    answer = 0;
done:
    clear (&share);
    return answer;
}
