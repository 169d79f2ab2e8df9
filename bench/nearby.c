/* How long one allocation by count takes on a half-loaded machine.
 *
 * Jobs of the Lublin-Feitelson model at an offered load of 0.5 run first come,
 * first served, placed by the allocator that is measured: the machine is as
 * full and as fragmented as that allocator keeps it. At every start the
 * request is placed once more, beside what runs, and only that is timed, in
 * seconds of processor time; in turn with that of the start before, so that no
 * allocator sees the same machine twice running. A row ends early when it has
 * taken long enough; the number of calls says so.
 *
 * Three tables: the figures of peers beside ours, growth with the machine, and
 * growth with the number of nodes asked for.
 *
 * Usage: nearby [ALLOCATOR]...: only these, all if none is named. */
#include <tori/sim.h>

#include "bench.h"

/* The first 1/4 of the jobs find the machine too empty. */
enum { WARM_UP = 4 };

/* Processor time after which a row ends, and that one reading of the clock
 * should cover at the least. */
#define ROW_SECONDS 10.0
#define CALL_SECONDS 50e-6

struct row {
    const char *machine;
    const char *alloc;
    size_t jobs;
    uint32_t k;  /* ask for so many instead of the job's own; 0: not */
    double peer; /* microseconds; 0: none */
};

struct stream {
    const struct row *row;
    const tori_machine *machine;
    const tori_workload *workload;
    tori_state *state;  /* the running jobs */
    tori_state *before; /* the same at the start before */
    tori_request asked; /* then; no nodes: nothing yet */
    tori_alloc *alloc;
    tori_placement *held; /* a job */
    size_t started, calls;
    double time, k, busy;
};

static void place_once (struct stream *s, const tori_state *state,
                        const tori_request *request)
{
    tori_placement place = {0};
    BENCH_MUST (tori_alloc_place (s->alloc, state, request, &place, &err)
                        == TORI_PLACED
                    ? 0
                    : -1);
    tori_placement_clear (&place);
}

/* The time of one call: the mean of as many as the clock can tell. */
static double time_call (struct stream *s, const tori_request *request)
{
    for (size_t times = 1;; times *= 4) {
        double start = bench_cpu (), time;
        for (size_t i = 0; i < times; i++) {
            place_once (s, s->before, &s->asked);
            place_once (s, s->state, request);
        }
        time = bench_cpu () - start;
        if (time > CALL_SECONDS)
            return time / (2 * (double)times);
    }
}

static void measure (struct stream *s, const tori_work *work)
{
    tori_request request = work->request;
    double nodes = tori_machine_nodes (s->machine);
    uint32_t free_nodes = tori_state_free_count (s->state);
    if (s->row->k)
        request.count = s->row->k;
    if (request.count > free_nodes)
        return;
    if (s->asked.count > 0) {
        s->time += time_call (s, &request);
        s->k += request.count;
        s->busy += (nodes - free_nodes) / nodes;
        s->calls++;
    }
    BENCH_MUST (tori_state_copy (s->before, s->state, &err));
    s->asked = request;
}

static int on_place (void *arg, const tori_work *work,
                     const tori_placement *place, tori_error *err)
{
    struct stream *s = arg;
    tori_placement *held = &s->held[work - s->workload->jobs];
    if (++s->started > s->workload->n / WARM_UP)
        measure (s, work);
    if (s->time > ROW_SECONDS)
        return tori_error_set (err, TORI_NOT_NOW, "enough");
    if (tori_placement_copy (held, place, err) < 0)
        return -1;
    return tori_placement_hold (held, s->state, err);
}

static void on_finish (void *arg, const tori_work *work)
{
    struct stream *s = arg;
    tori_placement *held = &s->held[work - s->workload->jobs];
    tori_placement_release (held, s->state);
    tori_placement_clear (held);
}

static void replay (struct stream *s)
{
    tori_sim_config config = {
        .size = sizeof config,
        .machine = s->machine,
        .sched = TORI_SCHED ("fcfs", TORI_ALLOC (s->row->alloc)),
        .on_place = on_place,
        .on_finish = on_finish,
        .arg = s,
        .no_pairwise = true,
    };
    tori_sim_result result;
    tori_error err = {0};
    if (tori_sim_run (&config, s->workload, &result, &err) < 0
        && err.status != TORI_NOT_NOW) {
        fprintf (stderr, "%s: %s\n", s->row->alloc, err.text);
        exit (1);
    }
}

/* Means over the calls. */
struct means {
    size_t calls;
    double k, busy, us;
};

static struct means run_row (const struct row *row)
{
    tori_workload_options options = {
        .size = sizeof options,
        .load = 0.5, .seed = 1, .jobs = row->jobs};
    struct stream s = {.row = row};
    tori_machine *machine;
    tori_workload workload;
    struct means means;
    double calls;
    BENCH_MUST (tori_machine_parse (row->machine, &machine, &err));
    BENCH_MUST (
        tori_workload_model ("lublin", machine, &options, &workload, &err));
    BENCH_MUST (tori_state_create (machine, &s.state, &err));
    BENCH_MUST (tori_state_create (machine, &s.before, &err));
    BENCH_MUST (
        tori_alloc_create (machine, TORI_ALLOC (row->alloc), &s.alloc, &err));
    s.machine = machine;
    s.workload = &workload;
    s.held = calloc (workload.n, sizeof *s.held);
    if (!s.held)
        exit (1);
    replay (&s);
    calls = s.calls ? (double)s.calls : 1;
    means = (struct means){s.calls, s.k / calls, s.busy / calls,
                           1e6 * s.time / calls};
    for (size_t i = 0; i < workload.n; i++)
        tori_placement_clear (&s.held[i]);
    free (s.held);
    tori_alloc_destroy (s.alloc);
    tori_state_destroy (s.before);
    tori_state_destroy (s.state);
    tori_workload_clear (&workload);
    tori_machine_destroy (machine);
    return means;
}

/* ---- beside the peers ---- */

static const struct {
    const char *machine;
    size_t jobs;
    double mc1x1, hilbert; /* of peers */
} machines[] = {
    {"mesh:16x16", 2000, 2750, 24},
    {"mesh:16^3", 800, 26e3, 263},
    {"mesh:32^3", 400, 291e3, 21e3},
};

static const char *const known[] = {
    "mc1x1",      "mm",         "gen-alg",  "mm+inc", "mc", "regard",
    "hilbert-bf", "hilbert-ss", "snake-bf", "row-bf",
};

/* The ones of these to measure. */
struct choice {
    const char *name[sizeof known / sizeof known[0]];
    size_t n;
};

#define COUNT(array) (sizeof (array) / sizeof (array)[0])

/* The peers' allocators of the same idea: mc1x1, and curves by best fit. */
static double peer_of (size_t machine, const char *alloc)
{
    if (strcmp (alloc, "mc1x1") == 0)
        return machines[machine].mc1x1;
    return strcmp (alloc, "hilbert-bf") == 0 ? machines[machine].hilbert : 0;
}

static void beside_peers (const struct choice *choice)
{
    printf ("\n# beside peers on this class of machine; goals: 100 times as "
            "fast as a peer, mm in 3 times mc1x1\n"
            "%-11s %-10s %5s %7s %5s %10s %9s %6s %8s\n",
            "machine", "allocator", "calls", "mean k", "busy", "us a call",
            "peer, us", "times", "of mc1x1");
    for (size_t m = 0; m < COUNT (machines); m++) {
        double mc1x1 = 0;
        for (size_t a = 0; a < choice->n; a++) {
            struct row row = {.machine = machines[m].machine,
                              .alloc = choice->name[a],
                              .jobs = machines[m].jobs,
                              .peer = peer_of (m, choice->name[a])};
            struct means means = run_row (&row);
            if (strcmp (row.alloc, "mc1x1") == 0)
                mc1x1 = means.us;
            printf ("%-11s %-10s %5zu %7.1f %5.2f %10.2f", row.machine,
                    row.alloc, means.calls, means.k, means.busy, means.us);
            if (row.peer > 0)
                printf (" %9.0f %6.0f", row.peer, row.peer / means.us);
            else
                printf (" %9s %6s", "", "");
            if (mc1x1 > 0)
                printf (" %8.2f", means.us / mc1x1);
            printf ("\n");
            fflush (stdout);
        }
    }
}

/* ---- growth ---- */

/* A line an allocator, a column a row of `rows`. */
static void print_growth (const struct choice *choice, struct row rows[],
                          size_t n)
{
    for (size_t a = 0; a < choice->n; a++) {
        printf ("%-10s", choice->name[a]);
        for (size_t i = 0; i < n; i++) {
            rows[i].alloc = choice->name[a];
            printf (" %10.2f", run_row (&rows[i]).us);
            fflush (stdout);
        }
        printf ("\n");
    }
}

static void growth_in_nodes (const struct choice *choice)
{
    struct row rows[] = {
        {.machine = "mesh:8x8", .jobs = 400},
        {.machine = "mesh:16x16", .jobs = 400},
        {.machine = "mesh:32x32", .jobs = 400},
        {.machine = "mesh:64x64", .jobs = 400},
        {.machine = "mesh:8^3", .jobs = 400},
        {.machine = "mesh:16^3", .jobs = 400},
        {.machine = "mesh:32^3", .jobs = 400},
    };
    printf ("\n# growth with the machine, and so with k: us a call\n%-10s",
            "allocator");
    for (size_t i = 0; i < COUNT (rows); i++)
        printf (" %10s", rows[i].machine);
    printf ("\n");
    print_growth (choice, rows, COUNT (rows));
}

static void growth_in_count (const struct choice *choice, const char *machine)
{
    static const uint32_t counts[] = {1, 4, 16, 64, 256, 1024};
    struct row rows[COUNT (counts)];
    printf ("\n# growth with k, the nodes asked for, on %s: us a call\n%-10s",
            machine, "k");
    for (size_t i = 0; i < COUNT (counts); i++) {
        rows[i] = (struct row){
            .machine = machine, .jobs = 200, .k = counts[i]};
        printf (" %10u", counts[i]);
    }
    printf ("\n");
    print_growth (choice, rows, COUNT (rows));
}

static bool is_wanted (const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp (argv[i], name) == 0)
            return true;
    return argc == 1;
}

int main (int argc, char **argv)
{
    struct choice choice = {.n = 0};
    for (size_t i = 0; i < COUNT (known); i++)
        if (is_wanted (known[i], argc, argv))
            choice.name[choice.n++] = known[i];
    bench_machine ();
    beside_peers (&choice);
    growth_in_nodes (&choice);
    growth_in_count (&choice, "mesh:64x64");
    growth_in_count (&choice, "mesh:16^3");
    return 0;
}
