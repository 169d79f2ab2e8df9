/* How many jobs a second a replay takes, reading not counted, in seconds of
 * processor time.
 *
 * Usage: replay [FOLDER]: where job logs are; if not given, $TORI_TRACES.
 * Without any, only the Lublin-Feitelson model is measured. Each row is the
 * best of three runs. */
#include <limits.h>
#include <unistd.h>

#include <tori/sim.h>

#include "bench.h"

enum { MODEL_JOBS = 20000, RUNS = 3 };

/* The source of jobs, and the factor of their sizes. */
struct source {
    const char *name;
    const char *file; /* NULL: the model */
    int64_t scale;
};

/* Those that fit 512 nodes. */
static const struct source sources[] = {
    {"CTC", "CTC-SP2-1996-3.1-cln.swf", 1},
    {"SDSC x4", "SDSC-SP2-1998-4.2-cln.swf", 4},
    {"lublin", NULL, 1},
};

struct row {
    const char *policy;
    const char *machine;
    tori_wiring wiring;
    double load; /* 0: the source's own */
    double goal; /* jobs a second, 0: none */
    size_t limit;
    bool counts; /* jobs are numbers of nodes, by row-ff */
};

static const struct row rows[] = {
    {"fcfs", "mesh:8x8x8", TORI_WIRE_NONE, 0, 500000, 0},
    {"fcfs", "multitorus:8x8x8", TORI_WIRE_TORUS, 0, 500000, 0},
    {"fcfs", "torus:8x8x8", TORI_WIRE_TORUS, 0, 500000, 0},
    {"easy", "mesh:8x8x8", TORI_WIRE_NONE, 0, 100000, 0},
    {"easy", "multitorus:8x8x8", TORI_WIRE_TORUS, 0, 100000, 0},
    {"easy", "torus:8x8x8", TORI_WIRE_TORUS, 0, 100000, 0},
    {"easy", "mesh:8x8x8", TORI_WIRE_NONE, 1.2, 30000, 0},
    {"easy", "multitorus:8x8x8", TORI_WIRE_TORUS, 1.2, 30000, 0},
    {"easy", "torus:8x8x8", TORI_WIRE_TORUS, 1.2, 30000, 0},
    {"backfill", "multitorus:8x8x8", TORI_WIRE_TORUS, 0, 0, 0},
    {"backfill", "multitorus:8x8x8", TORI_WIRE_TORUS, 1.2, 0, 0},
    {"conservative", "multitorus:8x8x8", TORI_WIRE_TORUS, 0, 0, 5000},
    {"conservative", "torus:8x8x8", TORI_WIRE_TORUS, 0, 0, 5000},
    {"conservative", "mesh:8x8x8", TORI_WIRE_NONE, 1.2, 0, 5000},
    {"conservative", "multitorus:8x8x8", TORI_WIRE_TORUS, 1.2, 0, 5000},
    {"conservative", "torus:8x8x8", TORI_WIRE_TORUS, 1.2, 0, 5000},
    {"conservative", "mesh:8x8x8", TORI_WIRE_NONE, 1.2, 0, 5000, true},
};

/* A machine that is nothing but so many processors: as a line, where a job may
 * have any of them. The goal is 20 times what pyss, a simulator in Python, does
 * with the same log on the same machine. */
static const struct {
    struct source source;
    struct row row;
} lines[] = {
#define LINE(nodes, load, peer)                                               \
    {"easy", "mesh:" #nodes, TORI_WIRE_NONE, load, 20 * (peer), 0, true}
    {{"KTH", "KTH-SP2-1996-2.1-cln.swf", 1}, LINE (100, 0, 3650)},
    {{"NASA", "NASA-iPSC-1993-3.1-cln.swf", 1}, LINE (128, 0, 6610)},
    {{"SDSC", "SDSC-SP2-1998-4.2-cln.swf", 1}, LINE (128, 0, 2270)},
    {{"CTC", "CTC-SP2-1996-3.1-cln.swf", 1}, LINE (338, 0, 520)},
    {{"SDSC x64", "SDSC-SP2-1998-4.2-cln.swf", 64}, LINE (93312, 0.7, 3880)},
    {{"lublin", NULL, 1}, LINE (93312, 0.7, 3930)},
#undef LINE
};

/* The workload of a row, from a log if there is a path. */
static void get_workload (const struct source *source, const struct row *row,
                          const char *path, const tori_machine *machine,
                          tori_workload *workload)
{
    tori_workload_options options = {.size = sizeof options,
                                     .shaping = row->counts
                                                    ? TORI_SHAPE_NONE
                                                    : TORI_SHAPE_FIRST_MATCH,
                                     .wiring = row->wiring,
                                     .torus_fraction = 1,
                                     .load = row->load,
                                     .scale_num = source->scale,
                                     .scale_den = 1,
                                     .limit = row->limit,
                                     .seed = 1,
                                     .jobs = row->limit ? row->limit
                                                        : MODEL_JOBS};
    if (path)
        BENCH_MUST (
            tori_workload_read (path, machine, &options, workload, &err));
    else
        BENCH_MUST (tori_workload_model ("lublin", machine, &options, workload,
                                         &err));
}

static double best_time (const tori_sim_config *config,
                         const tori_workload *workload,
                         tori_sim_result *result)
{
    double best = 0, time = 0;
    for (int run = 0; run < RUNS && time < 10; run++) {
        double start = bench_cpu ();
        BENCH_MUST (tori_sim_run (config, workload, result, &err));
        time = bench_cpu () - start;
        if (run == 0 || time < best)
            best = time;
    }
    return best;
}

static void measure (const struct source *source, const struct row *row,
                     const char *path)
{
    tori_machine *machine;
    tori_workload workload = {0};
    tori_sim_result result;
    double rate;
    BENCH_MUST (tori_machine_parse (row->machine, &machine, &err));
    get_workload (source, row, path, machine, &workload);
    tori_sim_config config = {
        .size = sizeof config,
        .machine = machine,
        .sched = TORI_SCHED (
            row->policy, TORI_ALLOC (row->counts ? "row-ff" : "first-fit")),
    };
    rate = (double)workload.n / best_time (&config, &workload, &result);
    printf ("%-8s %7zu %-13s %-17s %-6s %5.2f %5.2f %9.0f", source->name,
            workload.n, row->policy, row->machine,
            tori_wiring_name (row->wiring), result.offered,
            result.utilization, rate);
    if (row->goal > 0)
        printf (" %8.0f %6.2f", row->goal, rate / row->goal);
    printf ("\n");
    fflush (stdout);
    tori_workload_clear (&workload);
    tori_machine_destroy (machine);
}

/* Rows of a source, or a line that says that its log is missing. */
static void measure_all (const struct source *source, const struct row all[],
                         size_t n, const char *folder)
{
    char path[PATH_MAX];
    if (source->file) {
        snprintf (path, sizeof path, "%s/%s.gz", folder, source->file);
        if (access (path, R_OK) < 0)
            path[strlen (path) - strlen (".gz")] = '\0';
    }
    if (source->file && access (path, R_OK) < 0) {
        printf ("# there is no %s\n", path);
        return;
    }
    for (size_t i = 0; i < n; i++)
        measure (source, &all[i], source->file ? path : NULL);
}

int main (int argc, char **argv)
{
    const char *set = getenv ("TORI_TRACES");
    const char *folder = argc > 1 ? argv[1] : set ? set : ".";
    bench_machine ();
    printf (
        "# peers on this class of machine, jobs a second:\n"
        "#   1900  a simulator, EASY, 512-node mesh, 20000 jobs\n"
        "#  15700  the fastest topology-blind one in Python\n"
        "#  20000  a Python prototype, bit masks, FCFS, 8x8x8 with links\n");
    printf ("%-8s %7s %-13s %-17s %-6s %5s %5s %9s %8s %6s\n", "jobs of",
            "jobs", "policy", "machine", "wiring", "load", "util", "jobs/s",
            "goal", "times");
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++)
        measure_all (&sources[i], rows, sizeof rows / sizeof rows[0], folder);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        measure_all (&lines[i].source, &lines[i].row, 1, folder);
    return 0;
}
