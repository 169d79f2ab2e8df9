#include "gangsim.h"

#include <math.h>
#include <stdlib.h>

#include "random.h"

/* ---- sizes ---- */

static unsigned log2_down (uint32_t n)
{
    unsigned log = 0;
    while (n >>= 1)
        log++;
    return log;
}

static unsigned log2_up (uint32_t n)
{
    return n > 1 ? log2_down (n - 1) + 1 : 0;
}

/* What a job holds: the next power of two, or the machine. */
static double partition_of (uint32_t size, uint32_t nodes)
{
    uint64_t power = UINT64_C (1) << log2_up (size);
    return power < nodes ? (double)power : (double)nodes;
}

static uint32_t draw_powers (struct rng *rng, uint32_t nodes)
{
    return UINT32_C (1) << rng_below (rng, log2_down (nodes) + 1);
}

/* 2^k is half as likely as 2^(k-1). */
static uint32_t draw_small (struct rng *rng, uint32_t nodes)
{
    unsigned most = log2_down (nodes);
    uint64_t pick = rng_below (rng, (UINT64_C (2) << most) - 1) + 1;
    return UINT32_C (1) << (most - log2_down ((uint32_t)pick));
}

static double mean_powers (uint32_t nodes)
{
    unsigned most = log2_down (nodes);
    return (double)((UINT64_C (2) << most) - 1) / (most + 1);
}

static double mean_small (uint32_t nodes)
{
    unsigned most = log2_down (nodes);
    return (double)(most + 1) * (double)(UINT64_C (1) << most)
           / (double)((UINT64_C (2) << most) - 1);
}

static uint32_t draw_uniform (struct rng *rng, uint32_t nodes)
{
    return (uint32_t)rng_below (rng, nodes) + 1;
}

/* As many sizes hold 2^k as it is more than 2^(k-1). */
static double mean_uniform (uint32_t nodes)
{
    double sum = 1;
    for (uint32_t size = 2; size <= nodes;) {
        uint64_t last = UINT64_C (1) << log2_up (size);
        if (last > nodes)
            last = nodes;
        sum += (double)(last - size + 1) * partition_of (size, nodes);
        size = (uint32_t)last + 1;
    }
    return sum / nodes;
}

static uint32_t draw_single (struct rng *rng, uint32_t nodes)
{
    (void)rng;
    (void)nodes;
    return 1;
}

static double mean_single (uint32_t nodes)
{
    (void)nodes;
    return 1;
}

static const struct {
    struct gang_sizes info;
    uint32_t (*draw) (struct rng *rng, uint32_t nodes);
    double (*mean) (uint32_t nodes); /* of what they hold */
} sizes[] = {
    {{"powers", "powers of two, all alike"}, draw_powers, mean_powers},
    {{"small", "powers of two, each half as often as the one below"},
     draw_small, mean_small},
    {{"uniform", "any number of processors, all alike"}, draw_uniform,
     mean_uniform},
    {{"single", "one processor"}, draw_single, mean_single},
};

enum { NSIZES = sizeof sizes / sizeof sizes[0] };

const struct gang_sizes *gang_sizes_list (size_t i)
{
    return i < NSIZES ? &sizes[i].info : NULL;
}

double gang_sizes_mean (size_t i, uint32_t nodes)
{
    return sizes[i].mean (nodes);
}

/* ---- workloads ---- */

static tori_time draw_service (struct rng *rng, const struct gang_jobs *jobs)
{
    double slots = floor (rng_exponential (rng, jobs->service)) + 1;
    return (tori_time)slots * jobs->slot;
}

/* Streams of their own, so that jobs are the same at every load. */
enum { SIZES = 41, SERVICE, ARRIVALS };

static double draw_jobs (const struct gang_jobs *jobs, uint32_t nodes,
                         tori_work *work)
{
    struct rng size, service;
    double held = 0;
    rng_seed (&size, jobs->seed, SIZES);
    rng_seed (&service, jobs->seed, SERVICE);
    for (size_t i = 0; i < jobs->n; i++) {
        uint32_t count = sizes[jobs->sizes].draw (&size, nodes);
        tori_time runtime = draw_service (&service, jobs);
        work[i] = (tori_work){.id = (int64_t)i + 1,
                              .runtime = runtime,
                              .estimate = runtime,
                              .asked = count,
                              .request = {.count = count}};
        held += partition_of (count, nodes) * (double)runtime;
    }
    return held;
}

/* Arrivals over a span, the last one at its end. */
static void draw_arrivals (const struct gang_jobs *jobs, double span,
                           tori_work *work)
{
    struct rng rng;
    double last = 0, time = 0;
    rng_seed (&rng, jobs->seed, ARRIVALS);
    for (size_t i = 1; i < jobs->n; i++)
        last += rng_exponential (&rng, 1);
    rng_seed (&rng, jobs->seed, ARRIVALS);
    for (size_t i = 1; i < jobs->n; i++) {
        time += rng_exponential (&rng, 1);
        work[i].submit = (tori_time)floor (time / last * span);
    }
}

int gang_workload (const tori_machine *machine, const struct gang_jobs *jobs,
                   tori_workload *ret_workload, tori_error *err)
{
    uint32_t nodes = tori_machine_nodes (machine);
    tori_work *work = calloc (jobs->n + 1, sizeof *work);
    double held, span;
    if (!work)
        return tori_error_nomem (err);
    held = draw_jobs (jobs, nodes, work);
    span = held / nodes / jobs->load;
    if (!(span < (double)TORI_MAX_SECONDS * (double)TORI_SECOND)) {
        free (work);
        return tori_error_set (err, TORI_INVALID,
                               "jobs that arrive over more than %lld seconds",
                               (long long)TORI_MAX_SECONDS);
    }
    draw_arrivals (jobs, span, work);
    *ret_workload = (tori_workload){
        .jobs = work, .n = jobs->n, .log_start = -1};
    ret_workload->offered = tori_workload_offered (ret_workload, machine);
    return 0;
}

/* ---- runs ---- */

static double seconds (tori_time ticks)
{
    return (double)ticks / (double)TORI_SECOND;
}

/* Jobs are told in start order, so sums come out the same every time. */
static int add_job (void *arg, const tori_sim_job *job, tori_error *err)
{
    struct gang_run *run = arg;
    struct gang_class *class = &run->class[log2_up (job->work->asked)];
    tori_time response = job->finish - job->work->submit;
    (void)err;
    class->jobs++;
    class->response += seconds (response);
    class->wait += seconds (job->start - job->work->submit);
    class->slowdown += seconds (response) / seconds (job->work->runtime);
    return 0;
}

static void conclude (struct gang_run *run)
{
    double sum = 0, squares = 0, least = 0, most = 0;
    int n = 0;
    for (int i = 0; i < GANG_CLASSES; i++) {
        struct gang_class *class = &run->class[i];
        if (class->jobs == 0)
            continue;
        class->response /= (double)class->jobs;
        class->wait /= (double)class->jobs;
        class->slowdown /= (double)class->jobs;
        sum += class->slowdown;
        squares += class->slowdown * class->slowdown;
        if (n == 0 || class->slowdown < least)
            least = class->slowdown;
        if (class->slowdown > most)
            most = class->slowdown;
        n++;
    }
    run->spread = least > 0 ? most / least : 0;
    run->fairness = squares > 0 ? sum * sum / (n * squares) : 0;
}

int gang_run (const tori_machine *machine, const tori_workload *workload,
              const char *policy, const tori_sim_gang *how,
              struct gang_run *ret_run, tori_error *err)
{
    struct gang_run run = {0};
    tori_sim_gang gang = *how;
    tori_sim_config config = {.machine = machine,
                              .policy = policy,
                              .alloc = "row-ff",
                              .on_start = add_job,
                              .arg = &run,
                              .no_pairwise = true,
                              .gang = &gang};
    gang.result = &run.tree;
    if (tori_sim_run (&config, workload, &run.result, err) < 0)
        return -1;
    conclude (&run);
    *ret_run = run;
    return 0;
}
