/* The difference between the fluid model and the flit level: the same jobs on
 * mesh:8x8 by both. The flit level has buffers, packets that wait for each
 * other and the time that the first flit takes; flows have only the last. */
#include <stdlib.h>

#include <tori/fluid.h>
#include <tori/traffic.h>

#include "flow.h"
#include "random.h"

enum { SIDE = 8, NODES = SIDE * SIDE, MAX_JOBS = 4, SEED = 1 };

/* Ticks of the fluid model in a cycle. */
enum { TICKS = 1000 };

/* The job that each node belongs to. */
struct place {
    const char *name;
    uint32_t jobs;
    void (*fill) (uint32_t job_of[NODES]);
};

static void one_job (uint32_t job_of[NODES])
{
    for (uint32_t i = 0; i < NODES; i++)
        job_of[i] = 0;
}

static void fill_quadrants (uint32_t job_of[NODES])
{
    for (uint32_t i = 0; i < NODES; i++)
        job_of[i] = i / SIDE / (SIDE / 2) * 2 + i % SIDE / (SIDE / 2);
}

/* As many nodes each, anywhere. */
static void scatter_jobs (uint32_t job_of[NODES])
{
    struct rng rng;
    rng_seed (&rng, SEED, 0);
    for (uint32_t i = 0; i < NODES; i++) {
        uint32_t j = (uint32_t)rng_below (&rng, i + 1);
        job_of[i] = job_of[j];
        job_of[j] = i % MAX_JOBS;
    }
}

static const struct place places[FLOW_PLACES] = {
    {"one job of 64 nodes", 1, one_job},
    {"four jobs, a quadrant each", 4, fill_quadrants},
    {"four jobs, scattered", 4, scatter_jobs},
};

static const struct flow_pattern talks[FLOW_TALKS] = {
    {"all-to-all", 1}, {"nbody", 1}, {"random", 16}, {"ring", 1}, {"fft", 1}};

/* Long messages hold up the packets after them; cut into packets they do so
 * less. */
static const struct {
    uint32_t flits, packet;
} lengths[FLOW_LENGTHS] = {{16, 16}, {128, 128}, {128, 16}};

/* The nodes of all jobs, one job after another. */
struct jobs {
    uint32_t n;
    uint32_t nodes[NODES];
    uint32_t first[MAX_JOBS + 1];
    uint64_t ends[2][MAX_JOBS]; /* cycles; ticks */
};

static void share_out (const struct place *place, struct jobs *jobs)
{
    uint32_t job_of[NODES], at = 0;
    place->fill (job_of);
    jobs->n = place->jobs;
    for (uint32_t j = 0; j < jobs->n; j++) {
        jobs->first[j] = at;
        for (uint32_t i = 0; i < NODES; i++)
            if (job_of[i] == j)
                jobs->nodes[at++] = i;
    }
    jobs->first[jobs->n] = at;
}

static int run_flits (const tori_machine *machine, struct jobs *jobs,
                      const struct flow_pattern *talk, uint32_t flits,
                      uint32_t packet, tori_error *err)
{
    tori_traffic_job list[MAX_JOBS] = {0};
    tori_net_config net = {.size = sizeof net, .packet = packet};
    tori_traffic_config config = {.size = sizeof config,
        .machine = machine, .net = &net, .jobs = list, .njobs = jobs->n,
        .seed = SEED};
    tori_traffic_result result;
    for (uint32_t j = 0; j < jobs->n; j++)
        list[j] = (tori_traffic_job){
            .nodes = jobs->nodes + jobs->first[j],
            .n = jobs->first[j + 1] - jobs->first[j],
            .pattern = tori_pattern_find (talk->name),
            .flits = flits,
            .rounds = talk->rounds,
        };
    if (tori_traffic_run (&config, &result, err) < 0)
        return -1;
    for (uint32_t j = 0; j < jobs->n; j++)
        jobs->ends[0][j] = result.jobs[j].finish;
    tori_traffic_clear (&result);
    return 0;
}

static int start_flows (tori_fluid *fluid, const struct jobs *jobs,
                        const struct flow_pattern *talk, uint32_t flits,
                        tori_error *err)
{
    for (uint32_t j = 0; j < jobs->n; j++) {
        tori_fluid_job job = {
            .nodes = jobs->nodes + jobs->first[j],
            .n = jobs->first[j + 1] - jobs->first[j],
            .pattern = tori_pattern_find (talk->name),
            .rounds = talk->rounds,
            .seed = SEED,
            .message = (uint64_t)flits * TICKS,
        };
        if (tori_fluid_start (fluid, &job, j, err) < 0)
            return -1;
    }
    return 0;
}

static int run_flows (const tori_machine *machine, struct jobs *jobs,
                      const struct flow_pattern *talk, uint32_t flits,
                      tori_error *err)
{
    tori_fluid_config config = {.size = sizeof config, .latency = TICKS};
    tori_fluid *fluid;
    uint64_t tag;
    int status;
    if (tori_fluid_create (machine, &config, &fluid, err) < 0)
        return -1;
    status = start_flows (fluid, jobs, talk, flits, err);
    while (status >= 0
           && (status = tori_fluid_run (fluid, INT64_MAX, &tag, err)) > 0)
        jobs->ends[1][tag] = (uint64_t)tori_fluid_time (fluid);
    tori_fluid_destroy (fluid);
    return status;
}

static void compare_levels (const struct jobs *jobs,
                            struct flow_case *ret_case)
{
    for (uint32_t j = 0; j < jobs->n; j++) {
        double cycles = (double)jobs->ends[0][j];
        double fluid = (double)jobs->ends[1][j] / TICKS;
        double apart = (fluid - cycles) / cycles;
        double worst = ret_case->worst;
        ret_case->cycles += cycles / jobs->n;
        ret_case->fluid += fluid / jobs->n;
        if (apart * apart > worst * worst)
            ret_case->worst = apart;
    }
    ret_case->apart = (ret_case->fluid - ret_case->cycles) / ret_case->cycles;
}

int flow_case_run (size_t i, struct flow_case *ret_case, tori_error *err)
{
    const struct flow_pattern *talk = &talks[i / FLOW_LENGTHS % FLOW_TALKS];
    const struct place *place = &places[i / FLOW_LENGTHS / FLOW_TALKS];
    uint32_t flits = lengths[i % FLOW_LENGTHS].flits;
    uint32_t packet = lengths[i % FLOW_LENGTHS].packet;
    tori_machine *machine;
    struct jobs jobs;
    int status;
    if (tori_machine_parse ("mesh:8x8", &machine, err) < 0)
        return -1;
    share_out (place, &jobs);
    status = run_flits (machine, &jobs, talk, flits, packet, err);
    if (status == 0)
        status = run_flows (machine, &jobs, talk, flits, err);
    tori_machine_destroy (machine);
    if (status < 0)
        return -1;
    *ret_case = (struct flow_case){.place = place->name,
                                   .pattern = talk->name,
                                   .flits = flits,
                                   .packet = packet};
    compare_levels (&jobs, ret_case);
    return 0;
}
