#include "gangsim.h"

#include <math.h>
#include <stdlib.h>

#include "gangparts.h"
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

static uint32_t draw_uniform (struct rng *rng, uint32_t nodes)
{
    return (uint32_t)rng_below (rng, nodes) + 1;
}

static uint32_t draw_single (struct rng *rng, uint32_t nodes)
{
    (void)rng;
    (void)nodes;
    return 1;
}

static const struct {
    struct gang_sizes info;
    uint32_t (*draw) (struct rng *rng, uint32_t nodes);
} sizes[] = {
    {{"powers", "powers of two, equally likely"}, draw_powers},
    {{"small", "powers of two, each half as likely as the next smaller one"},
     draw_small},
    {{"uniform", "any number of processors, equally likely"}, draw_uniform},
    {{"single", "one processor"}, draw_single},
};

enum { NSIZES = sizeof sizes / sizeof sizes[0] };

const struct gang_sizes *gang_sizes_list (size_t i)
{
    return i < NSIZES ? &sizes[i].info : NULL;
}

/* ---- how many jobs ---- */

/* Streams of their own, so that jobs are the same at every load. */
enum { SIZES = 41, SERVICE, ARRIVALS };

static int open_parts (const tori_machine *machine,
                       const struct gang_jobs *jobs,
                       struct gang_parts **ret_parts, tori_error *err)
{
    return gang_parts_create (machine, jobs->degree ? jobs->degree : 2,
                              ret_parts, err);
}

/* The mean and the mean square of partitions. */
struct moments {
    double first, second;
};

static int sample_partitions (const tori_machine *machine,
                              const struct gang_jobs *jobs,
                              struct moments *ret_moments, tori_error *err)
{
    enum { DRAWS = 1 << 16 };
    uint32_t nodes = tori_machine_nodes (machine);
    struct gang_parts *parts;
    struct moments moments = {0};
    struct rng rng;
    if (open_parts (machine, jobs, &parts, err) < 0)
        return -1;
    rng_seed (&rng, 1, SIZES);
    for (int i = 0; i < DRAWS; i++) {
        double held
            = gang_parts_held (parts, sizes[jobs->sizes].draw (&rng, nodes));
        moments.first += held / DRAWS;
        moments.second += held * held / DRAWS;
    }
    gang_parts_destroy (parts);
    *ret_moments = moments;
    return 0;
}

/* Slots are rounded up, half of one in the mean. */
static double count_jobs (const tori_machine *machine,
                          const struct gang_jobs *jobs,
                          const struct moments *moments, double slots)
{
    return slots * jobs->load * tori_machine_nodes (machine)
           / (moments->first * (jobs->service + 0.5));
}

/* A queue with work w a job remembers for about E w^2 / E w / (1 - load)^2,
 * the relaxation time of a single server; w is the partition's part of the
 * machine times an exponential run time. */
int gang_jobs_enough (const tori_machine *machine,
                      const struct gang_jobs *jobs, size_t *ret_n,
                      tori_error *err)
{
    const double least = GANG_JOBS_LEAST, most = 1000000;
    double slots = 200 * jobs->service, idle = 1 - jobs->load, memory, n;
    struct moments moments;
    if (sample_partitions (machine, jobs, &moments, err) < 0)
        return -1;
    if (idle > 0) {
        memory = 2 * jobs->service * moments.second / moments.first
                 / tori_machine_nodes (machine) / (idle * idle);
        slots = slots < 10 * memory ? 10 * memory : slots;
    }
    n = count_jobs (machine, jobs, &moments, slots);
    *ret_n = (size_t)(n < least ? least : n > most ? most : n);
    return 0;
}

/* ---- workloads ---- */

static tori_time draw_service (struct rng *rng, const struct gang_jobs *jobs)
{
    double slots = floor (rng_exponential (rng, jobs->service)) + 1;
    return (tori_time)slots * jobs->slot;
}

static void draw_jobs (const struct gang_jobs *jobs, uint32_t nodes,
                       tori_work *work)
{
    struct rng size, service;
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
    }
}

/* Jobs from `first` to before `end`, that arrive one after another from a time
 * on, over a span that their work fills. */
struct part {
    size_t first, end;
    double begin, span;
    double held, asked; /* processor-time */
};

static void weigh_part (struct part *part, const tori_work *work,
                        const struct gang_parts *parts)
{
    part->held = part->asked = 0;
    for (size_t i = part->first; i < part->end; i++) {
        double runtime = (double)work[i].runtime;
        part->held += gang_parts_held (parts, work[i].asked) * runtime;
        part->asked += work[i].asked * runtime;
    }
}

/* The first job arrives at the beginning, and the first job of the next part
 * would at the end; if there is none, the last job does. */
static void draw_part (const struct part *part, size_t n, struct rng *rng,
                       tori_work *work)
{
    struct rng again = *rng;
    size_t gaps = part->end - part->first - (part->end == n);
    double sum = 0, time = 0;
    for (size_t i = 0; i < gaps; i++)
        sum += rng_exponential (rng, 1);
    for (size_t i = part->first; i < part->end; i++) {
        work[i].submit
            = (tori_time)floor (part->begin
                                + (sum > 0 ? time / sum * part->span : 0));
        if (i - part->first < gaps)
            time += rng_exponential (&again, 1);
    }
}

enum { WARM_UP, MEASURED, COOL_DOWN, PARTS };

static void cut_parts (const struct gang_jobs *jobs, struct part part[PARTS])
{
    size_t ends = (size_t)(jobs->warm_up * (double)jobs->n);
    part[WARM_UP].first = 0;
    part[WARM_UP].end = part[MEASURED].first = ends;
    part[MEASURED].end = part[COOL_DOWN].first = jobs->n - ends;
    part[COOL_DOWN].end = jobs->n;
}

static int draw_arrivals (const struct gang_jobs *jobs, uint32_t nodes,
                          struct part part[PARTS], tori_work *work,
                          tori_error *err)
{
    struct rng rng;
    double time = 0;
    rng_seed (&rng, jobs->seed, ARRIVALS);
    for (int i = 0; i < PARTS; i++) {
        part[i].begin = time;
        part[i].span = part[i].held / nodes / jobs->load;
        time += part[i].span;
    }
    if (!(time < (double)TORI_MAX_SECONDS * (double)TORI_SECOND))
        return tori_error_set (err, TORI_INVALID,
                               "jobs that arrive over more than %lld seconds",
                               (long long)TORI_MAX_SECONDS);
    for (int i = 0; i < PARTS; i++)
        if (part[i].first < part[i].end)
            draw_part (&part[i], jobs->n, &rng, work);
    return 0;
}

static tori_sim_window window_of (const struct part *part, size_t n,
                                  const tori_work *work)
{
    return (tori_sim_window){.size = sizeof (tori_sim_window), work[part->first].submit,
                             part->end < n ? work[part->end].submit
                                           : work[n - 1].submit + 1};
}

/* Rates are over the time between arrivals, so one job has no rate. */
static int find_window (const struct part *part, size_t n,
                        const tori_work *work, tori_sim_window *ret_window,
                        tori_error *err)
{
    tori_sim_window window = window_of (part, n, work);
    if (window.end - window.begin <= 1)
        return tori_error_set (err, TORI_INVALID,
                               "too few jobs to measure: %zu", n);
    *ret_window = window;
    return 0;
}

int gang_workload (const tori_machine *machine, const struct gang_jobs *jobs,
                   struct gang_work *ret_work, tori_error *err)
{
    uint32_t nodes = tori_machine_nodes (machine);
    tori_work *work = calloc (jobs->n + 1, sizeof *work);
    struct gang_parts *parts = NULL;
    struct part part[PARTS];
    tori_sim_window window;
    if (!work)
        return tori_error_nomem (err);
    if (open_parts (machine, jobs, &parts, err) < 0)
        goto fail;
    draw_jobs (jobs, nodes, work);
    cut_parts (jobs, part);
    for (int i = 0; i < PARTS; i++)
        weigh_part (&part[i], work, parts);
    if (draw_arrivals (jobs, nodes, part, work, err) < 0
        || find_window (&part[MEASURED], jobs->n, work, &window, err) < 0)
        goto fail;
    *ret_work = (struct gang_work){
        .workload = {.jobs = work, .n = jobs->n, .log_start = -1},
        .window = window,
        .asked = part[MEASURED].asked / part[MEASURED].held,
    };
    ret_work->workload.offered
        = tori_workload_offered (&ret_work->workload, machine);
    gang_parts_destroy (parts);
    return 0;
fail:
    gang_parts_destroy (parts);
    free (work);
    return -1;
}

void gang_work_clear (struct gang_work *work)
{
    tori_workload_clear (&work->workload);
}

/* ---- runs ---- */

static double to_seconds (tori_time ticks)
{
    return (double)ticks / (double)TORI_SECOND;
}

/* Jobs are reported in start order, so sums come out the same every time. */
static int add_job (void *arg, const tori_sim_job *job, tori_error *err)
{
    struct gang_run *run = arg;
    tori_time submit = job->work->submit;
    struct gang_class *class = &run->class[log2_up (job->work->asked)];
    tori_time response = job->finish - submit;
    (void)err;
    if (submit < run->window->begin || submit >= run->window->end)
        return 0;
    class->jobs++;
    class->response += to_seconds (response);
    class->wait += to_seconds (job->start - submit);
    class->slowdown += to_seconds (response) / to_seconds (job->work->runtime);
    return 0;
}

static void conclude_run (struct gang_run *run)
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

int gang_run (const tori_machine *machine, const struct gang_work *work,
              const char *policy, const tori_sim_gang *how,
              struct gang_run *ret_run, tori_error *err)
{
    struct gang_run run = {
        .window = &work->window,
        .seconds = to_seconds (work->window.end - work->window.begin)};
    tori_sim_gang gang = *how;
    tori_sim_config config = {
        .size = sizeof config,
        .machine = machine,
        .sched = TORI_SCHED (policy, TORI_ALLOC ("row-ff")),
        .on_start = add_job,
        .arg = &run,
        .no_pairwise = true,
        .gang = &gang,
        .window = &work->window,
    };
    gang.result = &run.tree;
    if (tori_sim_run (&config, &work->workload, &run.result, err) < 0)
        return -1;
    conclude_run (&run);
    run.result.pairwise = run.result.average = NAN; /* not measured */
    *ret_run = run;
    return 0;
}
