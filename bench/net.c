/* Messages in the network: flit-hops a second of processor time on one core,
 * traffic and statistics included, by length of messages, load, size and kind
 * of network; and what a cycle costs in which little happens. */
#include <inttypes.h>
#include <tori/traffic.h>

#include "bench.h"

struct row {
    const char *machine;
    double rate;
    uint32_t flits;
    tori_net_config net;
    uint64_t cycles;
};

static void run_row (const void *arg)
{
    const struct row *row = arg;
    tori_machine *machine;
    tori_traffic_result result;
    uint32_t n, *nodes;
    double begin, seconds;
    BENCH_MUST (tori_machine_parse (row->machine, &machine, &err));
    n = tori_machine_nodes (machine);
    nodes = calloc (n, sizeof *nodes);
    if (!nodes)
        exit (1);
    for (uint32_t i = 0; i < n; i++)
        nodes[i] = i;
    tori_traffic_job job = {.nodes = nodes,
                            .n = n,
                            .flits = row->flits,
                            .pattern = tori_pattern_find ("random")};
    tori_traffic_config config = {.size = sizeof config, .machine = machine,
                                  .net = &row->net,
                                  .jobs = &job,
                                  .njobs = 1,
                                  .rate = row->rate,
                                  .warmup = 1000,
                                  .cycles = row->cycles,
                                  .seed = 1};
    begin = bench_cpu ();
    BENCH_MUST (tori_traffic_run (&config, &result, &err));
    seconds = bench_cpu () - begin;
    printf ("%-14s %6g %5" PRIu32 " %7.2f %9.3f %9.1f %9.0f%s\n",
            row->machine, row->rate, row->flits,
            (double)result.flit_hops / seconds / 1e6, result.jobs[0].accepted,
            result.jobs[0].latency.mean,
            seconds * 1e9 / (double)result.cycles,
            result.jobs[0].saturated ? "  saturated" : "");
    tori_traffic_clear (&result);
    tori_machine_destroy (machine);
    free (nodes);
}

static void header (const char *title)
{
    printf ("\n%s\n%-14s %6s %5s %7s %9s %9s %9s\n", title, "machine", "rate",
            "flits", "Mfh/s", "accepted", "latency", "ns/cycle");
}

static void by_length (void)
{
    static const uint32_t flits[] = {1, 2, 4, 8, 16, 64};
    header ("length of messages: 2 virtual channels of 8 flits, wormhole");
    for (size_t i = 0; i < sizeof flits / sizeof *flits; i++)
        bench_apart (run_row, &(struct row){.machine = "torus:8x8",
                                            .rate = 0.2,
                                            .flits = flits[i],
                                            .net = {.size = sizeof (tori_net_config),
                                                    .vcs = 2},
                                            .cycles = 200000});
}

static void by_load (void)
{
    static const double rates[] = {0.0001, 0.01, 0.05, 0.1,
                                   0.3,    0.4,  0.5,  0.8};
    header ("load");
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        bench_apart (run_row, &(struct row){.machine = "torus:8x8",
                                            .rate = rates[i],
                                            .flits = 8,
                                            .net = {.size = sizeof (tori_net_config),
                                                    .vcs = 2},
                                            .cycles = 50000});
}

static void by_size (void)
{
    static const struct {
        const char *machine;
        uint64_t cycles;
    } rows[] = {{"torus:4x4", 200000}, {"torus:16x16", 10000},
                {"torus:32x32", 2000}, {"torus:8x8x8", 5000},
                {"mesh:8x8", 50000},   {"mesh:2^10", 4000},
                {"torus:256x256", 100}};
    header ("size");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        bench_apart (run_row, &(struct row){.machine = rows[i].machine,
                                            .rate = 0.1,
                                            .flits = 8,
                                            .net = {.size = sizeof (tori_net_config),
                                                    .vcs = 2},
                                            .cycles = rows[i].cycles});
}

static void by_kind (void)
{
    enum { SIZE = sizeof (tori_net_config) };
    static const tori_net_config kinds[] = {
        {.size = SIZE, .vcs = 4},
        {.size = SIZE, .vcs = 2, .switching = TORI_CUT_THROUGH},
        {.size = SIZE, .vcs = 3, .routing = TORI_ADAPTIVE},
        {.size = SIZE, .vcs = 3,
         .routing = TORI_ADAPTIVE,
         .switching = TORI_CUT_THROUGH},
        {.size = SIZE, .vcs = 2, .width = 2}};
    header ("4 channels; cut-through; adaptive; both; 2 flits a cycle");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        bench_apart (run_row, &(struct row){.machine = "torus:8x8",
                                            .rate = 0.2,
                                            .flits = 8,
                                            .net = kinds[i],
                                            .cycles = 50000});
}

int main (void)
{
    bench_machine ();
    by_length ();
    by_load ();
    by_size ();
    by_kind ();
    return 0;
}
