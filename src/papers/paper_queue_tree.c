/* A. Hori et al., "Time Space Sharing Scheduling and Architectural Support",
 * 1995.
 *
 * The paper prints Table 1 and states that utilization is linear in the load,
 * for all sizes, and stable at 99 %; that the tree may be unfair; and that no
 * node is a bottleneck. Section 3.1 prefers halves to quarters of a mesh, at
 * the price of longer ways and hot spots; section 2.2 compares the tree with
 * distributed hierarchical control (DHC), which schedules threads.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tori/gang.h>

#include "estimate.h"
#include "gangsim.h"
#include "paper.h"
#include "table.h"

#define COUNT(array) (sizeof (array) / sizeof *(array))

enum {
    SEEDS = 5,    /* if the number is not given */
    SERVICE = 10, /* slots, mean */
    FILL = 60,    /* of --quick: mean run times that a run lasts for */
    FEW = 10000,  /* and its jobs, at least */
    FULL = 50000, /* the same near a load of 1 */
    SMALL = 1,    /* in the list of sizes */
    UNIFORM = 2,
    SINGLE = 3,
    CELLS = 48, /* of Table 1 */
    CLASSES = 13,
    MAX_POINTS = 256,
    MAX_SEEDS = 20,
    LEAST_LOG = 3, /* of processors of a machine */
    MOST_LOG = 12,
    MAX_LEVELS = 8, /* of a tree of 64 */
    DEGREES = 2,
    USES = 3
};

static const uint32_t degrees[DEGREES] = {2, 4};

/* A tenth of a second: 1995's and today's time sharing. Seconds that a node
 * takes for a message, to see what share of its time that is. */
#define SLOT (TORI_SECOND / 10)
#define SLOTS_PER_SECOND 10
#define MESSAGE_COST 10e-6

/* ---- rows ---- */

/* The results of one run, or means over seeds: doubles and nothing else. */
struct sample {
    double offered, utilization, held;
    double response, wait, slowdown, slowdown_p99; /* times in slots */
    double spread, fairness;
    double by_size[CLASSES];       /* slowdown; 0 if there are no such jobs */
    double arrivals;               /* jobs per slot */
    double root, busiest, average; /* messages per slot, of a node */
    double switches;               /* per turn */
    double switch_most;            /* the cost of a switch, seconds */
    double hops, reach, hot;       /* in the partitions of jobs, mean of all */
};

struct row {
    const char *part, *machine, *sizes, *sched, *branch;
    char who[32]; /* scheduler and sizes */
    uint32_t processors, degree;
    double load, switch_cost, slot;
    struct sample mean;
    double slowdown_half, held_half, utilization_half;
    double drain; /* the most that a switch costs, of a slot */
    double jobs_s, root_s, busiest_s, average_s; /* per second */
    double root_job, busiest_job, busiest_time;
};

#define AT(member) FIELD_AT (struct row, member)
#define MEAN(name, ...)                                                       \
    {#name, FIELD_REAL, AT (mean.name), __VA_ARGS__}
#define SIZE(log, size)                                                       \
    {"slowdown_" #size, FIELD_REAL, AT (mean.by_size[log]),                   \
     "mean slowdown of jobs of up to this many processors, 0 if there are "   \
     "none",                                                                  \
     .title = #size, .decimals = 2}

static const struct field point_fields[] = {
    {"part", FIELD_TEXT, AT (part), "which table it is for"},
    {"machine", FIELD_TEXT, AT (machine), "the machine", .title = "machine"},
    {"processors", FIELD_UINT, AT (processors), "its processors"},
    {"sizes", FIELD_TEXT, AT (sizes), "how sizes are distributed",
     .title = "sizes"},
    {"who", FIELD_CHARS, AT (who), "scheduler and sizes"},
    {"load", FIELD_REAL, AT (load), "the offered load, by partitions",
     .title = "load, %", .scale = 100},
    {"sched", FIELD_TEXT, AT (sched), "the scheduler", .title = "scheduler"},
    {"branch", FIELD_TEXT, AT (branch), "where new processes go",
     .title = "branch"},
    {"switch_cost", FIELD_REAL, AT (switch_cost),
     "what a switch costs, of a slot", .title = "cost, % of a slot",
     .decimals = 1, .scale = 100},
    {"slot", FIELD_REAL, AT (slot), "how long a slot is", "s"},
    MEAN (offered, "the offered load that was measured"),
    MEAN (utilization, "processors that jobs asked for, of all",
          .decimals = 2, .scale = 100),
    MEAN (held, "processors in partitions that jobs hold, of all",
          .title = "utilization", .decimals = 2, .scale = 100),
    {"held_half", FIELD_REAL, AT (held_half),
     "half of the 95 % interval of held"},
    MEAN (response, "mean response", "slots", "response", 1),
    MEAN (wait, "mean wait", "slots", "wait", 1),
    MEAN (slowdown, "mean slowdown", .title = "slowdown", .decimals = 2),
    {"slowdown_half", FIELD_REAL, AT (slowdown_half),
     "half of the 95 % interval of slowdown"},
    MEAN (slowdown_p99, "the 99th percentile of slowdown", .title = "p99",
          .decimals = 1),
    MEAN (spread, "the largest mean slowdown of a size over the least",
          .title = "largest/least", .decimals = 2),
    MEAN (fairness, "Jain's index of the mean slowdowns of sizes",
          .title = "fairness", .decimals = 3),
    MEAN (arrivals, "jobs per slot"),
    MEAN (root, "messages per slot of the root"),
    MEAN (busiest, "messages per slot of the busiest node"),
    MEAN (average, "messages per slot of a node, in the mean"),
    MEAN (switches, "switches per turn", .title = "switches a turn",
          .decimals = 2),
    MEAN (switch_most, "the most that a switch costs", "s"),
    {"drain", FIELD_REAL, AT (drain), "the same, of a slot",
     .title = "cost at most, % of a slot", .decimals = 2, .scale = 100},
    {"jobs_s", FIELD_REAL, AT (jobs_s), "jobs per second",
     .title = "jobs/s", .decimals = 2},
    {"root_s", FIELD_REAL, AT (root_s), "messages per second of the root",
     .title = "root", .decimals = 1},
    {"busiest_s", FIELD_REAL, AT (busiest_s),
     "messages per second of the busiest node", .title = "busiest",
     .decimals = 1},
    {"average_s", FIELD_REAL, AT (average_s),
     "messages per second of a node, in the mean", .title = "average",
     .decimals = 1},
    {"root_job", FIELD_REAL, AT (root_job), "messages per job of the root",
     .title = "root per job", .decimals = 1},
    {"busiest_job", FIELD_REAL, AT (busiest_job),
     "messages per job of the busiest node", .title = "busiest per job",
     .decimals = 1},
    {"busiest_time", FIELD_REAL, AT (busiest_time),
     "the part of its time that the busiest node takes for messages of 10 us",
     .title = "busiest's time, %", .decimals = 3, .scale = 100},
    SIZE (0, 1),
    SIZE (1, 2),
    SIZE (2, 4),
    SIZE (3, 8),
    SIZE (4, 16),
    SIZE (5, 32),
    SIZE (6, 64),
    SIZE (7, 128),
    SIZE (8, 256),
    SIZE (9, 512),
    SIZE (10, 1024),
    SIZE (11, 2048),
    SIZE (12, 4096),
    {"utilization_half", FIELD_REAL, AT (utilization_half),
     "half of the 95 % interval of utilization"},
    {"degree", FIELD_UINT, AT (degree), "parts of a partition",
     .title = "degree"},
    MEAN (hops, "hops between two processors of a job's partition, mean; 0 "
                "except for degrees",
          .title = "hops", .decimals = 2),
    MEAN (reach, "the most hops there", .title = "most", .decimals = 2),
    MEAN (hot, "messages on its busiest link if every processor sends one",
          .title = "busiest link", .decimals = 2),
};
#undef AT
static const struct sheet point_sheet = {"points",
                                         SHEET_FIELDS (point_fields)};

/* The network's part of a switch, by the partition. */
struct cost {
    int processors;
    uint64_t cycles;
    double us;
};

static const struct field cost_fields[] = {
    {"processors", FIELD_INT, FIELD_AT (struct cost, processors),
     "processors of a partition of a hypercube", .title = "processors"},
    {"cycles", FIELD_COUNT, FIELD_AT (struct cost, cycles),
     "cycles that the network adds to a switch", .title = "cycles"},
    {"us", FIELD_REAL, FIELD_AT (struct cost, us), "the same at 50 MHz",
     "us", "us at 50 MHz", 2},
};
static const struct sheet cost_sheet = {"costs", SHEET_FIELDS (cost_fields)};

/* The ways in a partition, with routes in dimension order. */
struct partition {
    uint32_t degree, processors;
    char box[TORI_TEXT_MAX];
    double hops, reach, hot; /* as in struct sample */
    double hops_square, hot_square; /* over those of a square as large */
};

#define AT(member) FIELD_AT (struct partition, member)
static const struct field partition_fields[] = {
    {"degree", FIELD_UINT, AT (degree), "parts of a partition",
     .title = "degree"},
    {"processors", FIELD_UINT, AT (processors), "processors of a partition",
     .title = "processors"},
    {"box", FIELD_CHARS, AT (box), "the partition", .title = "partition"},
    {"hops", FIELD_REAL, AT (hops), "hops between two processors, mean",
     .title = "hops", .decimals = 2},
    {"reach", FIELD_REAL, AT (reach), "the most hops", .title = "most"},
    {"hot", FIELD_REAL, AT (hot),
     "messages on the busiest link if every processor sends one",
     .title = "busiest link", .decimals = 2},
    {"hops_square", FIELD_REAL, AT (hops_square),
     "hops over those of a square of as many processors",
     .title = "hops/square", .decimals = 2},
    {"hot_square", FIELD_REAL, AT (hot_square),
     "the busiest link over that of a square",
     .title = "busiest/square", .decimals = 2},
};
#undef AT
static const struct sheet partition_sheet
    = {"partitions", SHEET_FIELDS (partition_fields)};

/* The tree and DHC by the part of a partition that threads use. */
struct threads {
    uint32_t degree;
    const char *sizes;
    double used, busy, lifetime;
};

#define AT(member) FIELD_AT (struct threads, member)
static const struct field thread_fields[] = {
    {"sizes", FIELD_TEXT, AT (sizes), "how sizes are distributed",
     .title = "sizes"},
    {"degree", FIELD_UINT, AT (degree), "parts of a partition",
     .title = "degree"},
    {"used", FIELD_REAL, AT (used),
     "the part of its processors on which a job has a thread",
     .title = "used by threads, %", .scale = 100},
    {"busy", FIELD_REAL, AT (busy),
     "the part of the processors held that has something to do, in the tree",
     .title = "busy, of held, %", .decimals = 1, .scale = 100},
    {"lifetime", FIELD_REAL, AT (lifetime),
     "DHC does more if threads live longer than this, in times that it takes "
     "to schedule one; null: never",
     .title = "DHC does more from", .decimals = 1},
};
#undef AT
static const struct sheet thread_sheet
    = {"threads", SHEET_FIELDS (thread_fields)};

/* Something to run, with each seed. */
struct point {
    const char *part;
    char machine[32];
    size_t sizes; /* gangsim.h */
    int load;     /* percent */
    const char *sched;
    const char *branch;
    uint32_t degree;
    int switch_cost; /* thousandths of a slot */
    bool drain;      /* and what the network adds */
    tori_time slot;
};

struct study {
    const struct paper_setup *setup;
    size_t jobs; /* of a run; 0: enough for a steady state */
    size_t seeds;
    struct point point[MAX_POINTS];
    size_t points;
    struct sample sample[MAX_POINTS][MAX_SEEDS];
    tori_gang_cell table1[CELLS];
    int table1_same, table1_cells;
    double limit; /* of the jobs of a run */
    struct cost cost[CLASSES];
    struct partition partition[DEGREES * MAX_LEVELS];
    size_t partitions;
    struct threads threads[MAX_POINTS];
    size_t nthreads;
};

#define AT(member) FIELD_AT (struct study, member)
static const struct field answer_fields[] = {
    {"seeds", FIELD_SIZE, AT (seeds), "how many seeds"},
    {"jobs", FIELD_REAL, AT (limit),
     "jobs of a run; null without --limit: as many as it takes"},
    {"table1_same", FIELD_INT, AT (table1_same),
     "cells of Table 1 that are as printed"},
    {"table1_cells", FIELD_INT, AT (table1_cells), "cells of Table 1"},
    {"points", FIELD_LIST, .about = "what was run", .group = &point_sheet},
    {"costs", FIELD_LIST, .about = "what the network adds to a switch",
     .group = &cost_sheet},
    {"partitions", FIELD_LIST, .about = "the ways in partitions of 8x8",
     .group = &partition_sheet},
    {"threads", FIELD_LIST, .about = "the tree beside DHC",
     .group = &thread_sheet},
};
#undef AT
static const struct sheet answer_sheet
    = {"queue-tree", SHEET_FIELDS (answer_fields)};

/* ---- what is run ---- */

static struct point *add_point (struct study *study, const char *part,
                                const char *machine)
{
    struct point *point = &study->point[study->points++];
    *point = (struct point){.part = part,
                            .load = 90,
                            .sched = "gang",
                            .branch = "lightest",
                            .degree = 2,
                            .slot = SLOT};
    snprintf (point->machine, sizeof point->machine, "%s", machine);
    return point;
}

static void plan_loads (struct study *study)
{
    static const int loads[] = {10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99};
    static const char *const scheds[] = {"gang", "fcfs", "easy"};
    for (int i = 0; i < (int)COUNT (loads); i++)
        for (size_t s = 0; gang_sizes_list (s); s++)
            for (size_t b = 0; b < 3; b++) {
                struct point *point
                    = add_point (study, "loads", "mesh:8x8");
                point->sizes = s;
                point->sched = scheds[b];
                point->load = loads[i];
            }
}

static void plan_scale (struct study *study)
{
    static const char *const machines[]
        = {"mesh:2^3", "mesh:2^6", "mesh:2^9", "mesh:2^12"};
    static const int loads[] = {50, 90, 99};
    for (size_t m = 0; m < COUNT (machines); m++)
        for (size_t l = 0; l < COUNT (loads); l++)
            for (size_t s = 0; gang_sizes_list (s); s++) {
                struct point *point
                    = add_point (study, "scale", machines[m]);
                point->sizes = s;
                point->load = loads[l];
            }
}

static void plan_branches (struct study *study)
{
    static const int loads[] = {50, 90, 99};
    const tori_gang_policy_info *info;
    for (size_t i = 0; (info = tori_gang_policy_list (i)); i++)
        for (size_t j = 0; j < 3; j++) {
            struct point *point
                = add_point (study, "branches", "mesh:8x8");
            point->sizes = SMALL;
            point->branch = info->name;
            point->load = loads[j];
        }
}

static void plan_switches (struct study *study)
{
    static const int costs[] = {0, 5, 10, 20, 50, 100};
    static const int divisors[] = {1, 10, 100, 500};
    for (size_t i = 0; i < COUNT (costs); i++)
        add_point (study, "switches", "mesh:8x8")->switch_cost = costs[i];
    for (size_t i = 0; i < COUNT (divisors); i++) {
        struct point *point = add_point (study, "drains", "mesh:2^6");
        point->drain = true;
        point->slot = SLOT / divisors[i];
    }
}

static void plan_degrees (struct study *study)
{
    for (size_t s = 0; gang_sizes_list (s); s++)
        for (size_t d = 0; d < DEGREES; d++) {
            struct point *point = add_point (study, "degrees", "mesh:8x8");
            point->sizes = s;
            point->degree = degrees[d];
        }
}

static void plan_machines (struct study *study)
{
    for (int log = LEAST_LOG; log <= MOST_LOG; log++)
        for (size_t sizes = SMALL; sizes <= SINGLE; sizes += SINGLE - SMALL) {
            char machine[32];
            snprintf (machine, sizeof machine, "mesh:2^%d", log);
            add_point (study, "machines", machine)->sizes = sizes;
        }
}

/* ---- ways ---- */

/* All pairs of processors alike, dimension by dimension. On a link, those
 * messages meet that come from before it and go beyond it: most of them in the
 * middle of the longest line. */
static struct partition measure_box (const tori_box *box, uint32_t degree)
{
    struct partition it = {.degree = degree};
    double n = (double)tori_shape_volume (&box->shape), root = sqrt (n);
    it.processors = (uint32_t)n;
    tori_shape_format (&box->shape, it.box);
    for (int d = 0; n > 1 && d < box->shape.ndims; d++) {
        uint32_t side = box->shape.size[d], half = side / 2;
        double s = side;
        it.hops += n / (n - 1) * (s * s - 1) / (3 * s);
        it.reach += s - 1;
        it.hot = fmax (it.hot, (double)half * (side - half) * n / s / (n - 1));
    }
    it.hops_square = n > 1 ? it.hops * 3 / (2 * root) : NAN;
    it.hot_square = n > 1 ? it.hot * 4 * (n - 1) / (n * root) : NAN;
    return it;
}

/* The first partition of every level; all of a level are alike on 8x8. */
static int list_partitions (const tori_machine *machine, uint32_t degree,
                            struct partition list[MAX_LEVELS], size_t *ret_n,
                            tori_error *err)
{
    tori_gang_tree *tree;
    size_t n = 0;
    if (tori_gang_tree_create (machine, degree, 1, &tree, err) < 0)
        return -1;
    for (uint32_t i = 0; i < tori_gang_tree_nodes (tree); i++) {
        tori_gang_place place;
        tori_gang_tree_place (tree, i, &place);
        if (place.level == n && n < MAX_LEVELS)
            list[n++] = measure_box (&place.box, degree);
    }
    tori_gang_tree_destroy (tree);
    *ret_n = n;
    return 0;
}

static int list_ways (struct study *study, tori_error *err)
{
    tori_machine *machine;
    int status = tori_machine_parse ("mesh:8x8", &machine, err);
    if (status < 0)
        return -1;
    for (size_t d = 0; status == 0 && d < DEGREES; d++) {
        size_t n = 0;
        status = list_partitions (machine, degrees[d],
                                  &study->partition[study->partitions], &n,
                                  err);
        study->partitions += n;
    }
    tori_machine_destroy (machine);
    return status;
}

/* The mean over jobs of the ways in their partitions. */
static int measure_ways (const tori_machine *machine, uint32_t degree,
                         const tori_workload *work, struct sample *sample,
                         tori_error *err)
{
    struct partition list[MAX_LEVELS];
    size_t n;
    if (list_partitions (machine, degree, list, &n, err) < 0)
        return -1;
    for (size_t i = 0; i < work->n; i++) {
        size_t level = n - 1;
        while (level > 0 && list[level].processors < work->jobs[i].asked)
            level--;
        sample->hops += list[level].hops / (double)work->n;
        sample->reach += list[level].reach / (double)work->n;
        sample->hot += list[level].hot / (double)work->n;
    }
    return 0;
}

/* ---- simulations ---- */

static struct sample sample_of (const struct gang_run *run,
                                     const struct point *point,
                                     const tori_machine *machine)
{
    double slot = (double)point->slot / (double)TORI_SECOND;
    double slots = run->seconds / slot;
    double nodes = 2.0 * tori_machine_nodes (machine) - 1;
    struct sample sample = {
        .offered = run->result.offered,
        .utilization = run->result.utilization,
        .held = run->result.held,
        .response = run->result.response.mean / slot,
        .wait = run->result.wait.mean / slot,
        .slowdown = run->result.slowdown.mean,
        .slowdown_p99 = run->result.slowdown.p99,
        .spread = run->spread,
        .fairness = run->fairness,
        .arrivals = (double)run->result.jobs / slots,
        .root = (double)run->tree.root / slots,
        .busiest = (double)run->tree.busiest / slots,
        .average = (double)run->tree.messages / slots / nodes,
        .switches = run->tree.turns ? (double)run->tree.switches
                                          / (double)run->tree.turns
                                    : 0,
        .switch_most = (double)run->tree.switch_most / (double)TORI_SECOND,
    };
    for (int i = 0; i < CLASSES; i++)
        sample.by_size[i] = run->class[i].slowdown;
    return sample;
}

/* The jobs of a short run. It must last for FILL times the mean run time, or
 * it ends before the machine is full; near a load of 1, queues take longer to
 * build up. */
static int draw_few (const struct point *point, const tori_machine *machine,
                     struct gang_jobs *jobs, struct gang_work *work,
                     tori_error *err)
{
    bool full = point->load > 95 && strcmp (point->part, "scale") == 0;
    double fill = FILL * jobs->service * (double)jobs->slot, span;
    jobs->n = full ? FULL : FEW;
    if (gang_workload (machine, jobs, work, err) < 0)
        return -1;
    span = (double)work->workload.jobs[jobs->n - 1].submit;
    if (span >= fill)
        return 0;
    gang_work_clear (work);
    jobs->n = (size_t)((double)jobs->n * fill / (span > 1 ? span : 1));
    return gang_workload (machine, jobs, work, err);
}

static int draw_jobs (const struct study *study, const struct point *point,
                      const tori_machine *machine, struct gang_jobs *jobs,
                      struct gang_work *work, tori_error *err)
{
    jobs->n = study->jobs;
    if (study->setup->quick)
        return draw_few (point, machine, jobs, work, err);
    if (jobs->n == 0 && gang_jobs_enough (machine, jobs, &jobs->n, err) < 0)
        return -1;
    return gang_workload (machine, jobs, work, err);
}

/* The network of doc/preemption.md. */
static const tori_sim_preempt preempt
    = {.net = {.switching = TORI_CUT_THROUGH, .vcs = 2, .buffer = 16},
       .clock = 50000000};

static int simulate_point (const struct study *study,
                           const struct point *point, size_t seed,
                           const tori_machine *machine,
                           struct sample *ret_sample, tori_error *err)
{
    struct gang_jobs jobs = {
        .sizes = point->sizes,
        .load = point->load / 100.0,
        .service = SERVICE,
        .warm_up = 0.1,
        .degree = point->degree,
        .slot = point->slot,
        .seed = study->setup->seed + seed,
    };
    tori_sim_gang how = {.policy = point->branch,
                         .degree = point->degree,
                         .slot = point->slot,
                         .switch_cost
                         = point->slot * point->switch_cost / 1000,
                         .preempt = point->drain ? &preempt : NULL};
    struct gang_work work;
    struct gang_run run;
    int status;
    if (draw_jobs (study, point, machine, &jobs, &work, err) < 0)
        return -1;
    status = gang_run (machine, &work, point->sched, &how, &run, err);
    if (status == 0)
        *ret_sample = sample_of (&run, point, machine);
    if (status == 0 && strcmp (point->part, "degrees") == 0)
        status = measure_ways (machine, point->degree, &work.workload,
                               ret_sample, err);
    gang_work_clear (&work);
    return status;
}

static int run_piece (void *arg, size_t piece, tori_error *err)
{
    struct study *study = arg;
    size_t p = piece / study->seeds, seed = piece % study->seeds;
    tori_machine *machine;
    int status;
    if (tori_machine_parse (study->point[p].machine, &machine, err) < 0)
        return -1;
    status = simulate_point (study, &study->point[p], seed, machine,
                             &study->sample[p][seed], err);
    tori_machine_destroy (machine);
    return status;
}

/* ---- Table 1 ---- */

static int move_front (struct study *study, tori_error *err)
{
    static const uint32_t lengths[] = {2, 2, 1, 1, 2, 3, 2};
    tori_machine *machine;
    tori_gang_tree *tree;
    int status;
    if (tori_machine_parse ("mesh:4", &machine, err) < 0)
        return -1;
    status = tori_gang_tree_create (machine, 2, 1, &tree, err);
    if (status == 0) {
        status =
            tori_gang_table (tree, lengths, CELLS / 4, study->table1, err);
        tori_gang_tree_destroy (tree);
    }
    tori_machine_destroy (machine);
    return status;
}

/* As printed, node and process, slot by slot. */
static const struct {
    uint8_t node, process;
} printed[48] = {
    {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 1}, {0, 1}, {0, 1}, {0, 1},
    {1, 0}, {1, 0}, {2, 0}, {2, 0}, {1, 1}, {1, 1}, {5, 0}, {6, 0},
    {3, 0}, {4, 0}, {5, 1}, {6, 1}, {3, 0}, {4, 1}, {5, 2}, {6, 0},
    {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 1}, {0, 1}, {0, 1}, {0, 1},
    {1, 0}, {1, 0}, {2, 0}, {2, 0}, {1, 1}, {1, 1}, {5, 0}, {6, 1},
    {3, 0}, {4, 0}, {5, 1}, {6, 0}, {3, 0}, {4, 1}, {5, 2}, {6, 1},
};

static int table1_same (const tori_gang_cell cell[CELLS])
{
    int same = 0;
    for (int i = 0; i < CELLS; i++)
        same += cell[i].node == printed[i].node
                && cell[i].process == printed[i].process;
    return same;
}

/* ---- the network's part of a switch ---- */

/* On the largest hypercube: the first partition of every level. */
static int read_cycles (struct study *study, const tori_gang_tree *tree,
                        tori_error *err)
{
    uint32_t nodes = tori_gang_tree_nodes (tree);
    uint64_t *cycles = calloc (nodes, sizeof *cycles);
    int status = cycles ? tori_gang_switch_cycles (tree, &preempt.net,
                                                   &preempt.drain, cycles, err)
                        : tori_error_nomem (err);
    for (uint32_t log = 0; status == 0 && log < CLASSES; log++) {
        uint64_t n = cycles[(UINT32_C (1) << (MOST_LOG - log)) - 1];
        study->cost[log] = (struct cost){1 << log, n, (double)n / 50};
    }
    free (cycles);
    return status;
}

static int price_switches (struct study *study, tori_error *err)
{
    tori_machine *machine;
    tori_gang_tree *tree;
    int status;
    if (tori_machine_parse ("mesh:2^12", &machine, err) < 0)
        return -1;
    status = tori_gang_tree_create (machine, 2, 1, &tree, err);
    if (status == 0) {
        status = read_cycles (study, tree, err);
        tori_gang_tree_destroy (tree);
    }
    tori_machine_destroy (machine);
    return status;
}

/* ---- means ---- */

enum { MEMBERS = sizeof (struct sample) / sizeof (double) };

/* The mean over seeds and half of its 95 % interval, member by member. */
static void sum_up (const struct study *study, size_t point,
                    struct sample *ret_mean, struct sample *ret_half)
{
    double mean[MEMBERS], half[MEMBERS], value[MEMBERS], all[MAX_SEEDS];
    for (int m = 0; m < MEMBERS; m++) {
        struct estimate estimate;
        for (size_t i = 0; i < study->seeds; i++) {
            memcpy (value, &study->sample[point][i], sizeof value);
            all[i] = value[m];
        }
        estimate = estimate_of (all, study->seeds);
        mean[m] = estimate.mean;
        half[m] = estimate.half;
    }
    memcpy (ret_mean, mean, sizeof mean);
    memcpy (ret_half, half, sizeof half);
}

static uint32_t processors_of (const char *machine)
{
    unsigned log = 6; /* mesh:8x8 */
    sscanf (machine, "mesh:2^%u", &log);
    return UINT32_C (1) << log;
}

static struct row row_of (const struct study *study, size_t i)
{
    const struct point *point = &study->point[i];
    struct row row = {
        .part = point->part,
        .machine = point->machine,
        .processors = processors_of (point->machine),
        .sizes = gang_sizes_list (point->sizes)->name,
        .sched = point->sched,
        .branch = point->branch,
        .degree = point->degree,
        .load = point->load / 100.0,
        .switch_cost = point->switch_cost / 1000.0,
        .slot = (double)point->slot / (double)TORI_SECOND,
    };
    const struct sample *mean = &row.mean;
    struct sample half;
    sum_up (study, i, &row.mean, &half);
    row.slowdown_half = half.slowdown;
    row.held_half = half.held;
    row.utilization_half = half.utilization;
    snprintf (row.who, sizeof row.who, "%s, %s", row.sched, row.sizes);
    row.drain = mean->switch_most / row.slot;
    row.jobs_s = SLOTS_PER_SECOND * mean->arrivals;
    row.root_s = SLOTS_PER_SECOND * mean->root;
    row.busiest_s = SLOTS_PER_SECOND * mean->busiest;
    row.average_s = SLOTS_PER_SECOND * mean->average;
    row.root_job = mean->root / mean->arrivals;
    row.busiest_job = mean->busiest / mean->arrivals;
    row.busiest_time = row.busiest_s * MESSAGE_COST;
    return row;
}

/* A processor of the tree is idle if its job did not ask for it, or has no
 * thread there; one of DHC only while threads are scheduled. If that takes o
 * and a thread lives for t, DHC is busy for t/(t + o). */
static void compare_threads (struct study *study, const struct row *row)
{
    static const double uses[USES] = {1, 0.75, 0.5};
    for (int i = 0; i < USES; i++) {
        double busy = row->mean.utilization / row->mean.held * uses[i];
        study->threads[study->nthreads++]
            = (struct threads){row->degree, row->sizes, uses[i], busy,
                               busy < 0.999 ? busy / (1 - busy) : NAN};
    }
}

static int compute_study (struct paper_run *run, tori_error *err)
{
    const struct paper_setup *setup = run->setup;
    struct study *study = run->study;
    struct row *row;
    study->setup = setup;
    study->jobs = setup->limit;
    study->limit = setup->limit ? (double)setup->limit : NAN;
    study->seeds = setup->seeds ? setup->seeds : SEEDS;
    plan_loads (study);
    plan_scale (study);
    plan_branches (study);
    plan_switches (study);
    plan_machines (study);
    plan_degrees (study);
    row = paper_rows (run, 0, study->points, sizeof *row, err);
    if (!row || move_front (study, err) < 0 || price_switches (study, err) < 0
        || list_ways (study, err) < 0
        || paper_do_pieces (setup, study->points * study->seeds, run_piece,
                            study, err)
               < 0)
        return -1;
    study->table1_same = table1_same (study->table1);
    study->table1_cells = CELLS;
    for (size_t i = 0; i < study->points; i++) {
        row[i] = row_of (study, i);
        if (strcmp (row[i].part, "degrees") == 0)
            compare_threads (study, &row[i]);
    }
    run->list[1] = (struct rows){study->cost, CLASSES, sizeof *study->cost};
    run->list[2] = (struct rows){study->partition, study->partitions,
                                 sizeof *study->partition};
    run->list[3] = (struct rows){study->threads, study->nthreads,
                                 sizeof *study->threads};
    return 0;
}

/* ---- for people ---- */

static bool is_of_part (const void *row, const char *part)
{
    return strcmp (((const struct row *)row)->part, part) == 0;
}

static bool is_power (const struct row *row)
{
    return strcmp (row->sizes, gang_sizes_list (0)->name) == 0;
}

static bool is_gang (const struct row *row)
{
    return strcmp (row->sched, "gang") == 0;
}

static bool of_utilization (const void *row)
{
    return is_of_part (row, "loads") && (is_gang (row) || is_power (row));
}

static bool of_asked (const void *row)
{
    return is_of_part (row, "loads") && is_gang (row);
}

static bool of_powers (const void *row)
{
    return is_of_part (row, "loads") && is_power (row);
}

static bool of_90 (const void *row)
{
    double load = ((const struct row *)row)->load;
    return is_of_part (row, "loads") && load > 0.895 && load < 0.905;
}

static bool of_scale (const void *row)
{
    return is_of_part (row, "scale");
}

static bool of_branches (const void *row)
{
    return is_of_part (row, "branches");
}

static bool of_switches (const void *row)
{
    return is_of_part (row, "switches");
}

static bool of_degrees (const void *row)
{
    return is_of_part (row, "degrees");
}

static bool of_drains (const void *row)
{
    return is_of_part (row, "drains");
}

static const struct view_column load_column[] = {{"load"}};
static const struct view_column scale_columns[] = {{"load"}, {"machine"}};
#define SCHEDULER_COLUMNS                                                     \
    {"sched"}, {"response"}, {"wait"},                                        \
        {"slowdown", .half = "slowdown_half"}, {"slowdown_p99"},              \
        {"fairness"}, {"spread"}
static const struct view_column scheduler_columns[]
    = {{"load"}, SCHEDULER_COLUMNS};
static const struct view_column distribution_columns[]
    = {{"sizes"}, SCHEDULER_COLUMNS};
static const struct view_column size_columns[] = {
    {"load"},        {"sched"},       {"slowdown_1"},
    {"slowdown_2"},  {"slowdown_4"},  {"slowdown_8"},
    {"slowdown_16"}, {"slowdown_32"}, {"slowdown_64"}};
static const struct view_column branch_columns[]
    = {{"load"},     {"branch"},
       {"held"},     {"response"},
       {"slowdown", .half = "slowdown_half"}, {"fairness"}};
static const struct view_column switch_columns[]
    = {{"switch_cost"}, {"held"},
       {"response"},    {"slowdown", .half = "slowdown_half"},
       {"switches"}};
static const struct view_column drain_columns[]
    = {{"slot", "slot, ms", 1, 1000}, {"drain"}, {"held"}, {"response"},
       {"slowdown", .half = "slowdown_half"}};
static const struct view_column degree_columns[]
    = {{"sizes"},
       {"degree"},
       {"utilization", "asked for, %", .half = "utilization_half"},
       {"held", "held, %", .half = "held_half"},
       {"response"},
       {"slowdown", .half = "slowdown_half"},
       {"hops"},
       {"reach"},
       {"hot"}};
#define MESSAGE_COLUMNS                                                       \
    {"jobs_s"}, {"root_s"}, {"busiest_s"}, {"average_s"}, {"root_job"},       \
        {"busiest_job"}, {"busiest_time"}
static const struct view_column message_columns[]
    = {{"load"}, {"sizes"}, MESSAGE_COLUMNS};
static const struct view_column machine_columns[]
    = {{"machine"}, {"load"}, {"sizes"}, MESSAGE_COLUMNS};

/* In the order of the page. */
static const struct pivot pivots[] = {
    {{"\nUtilization in %: processors in partitions that jobs hold, as the "
      "load is counted\n(printed: linear, stable at 99 %)\n",
      VIEW_COLUMNS (load_column), of_utilization},
     "who",
     {"held"}},
    {{"\nThe processors that jobs asked for, of all, in %\n",
      VIEW_COLUMNS (load_column), of_asked},
     "sizes",
     {"utilization"}},
    {{"\nProcessors held on machines of 8 to 4,096\n",
      VIEW_COLUMNS (scale_columns), of_scale},
     "sizes",
     {"held", .half = "held_half"}},
};

static const struct view views[] = {
    {"\nResponse and wait in slots, slowdown, and how alike the mean "
     "slowdowns of sizes are\n(Jain's index; the largest over the least); "
     "powers of two, all alike\n",
     VIEW_COLUMNS (scheduler_columns), of_powers},
    {"\nThe same for all sizes at a load of 90 %\n",
     VIEW_COLUMNS (distribution_columns), of_90},
    {"\nMean slowdown by size (printed: smaller processes may be scheduled "
     "more often)\n",
     VIEW_COLUMNS (size_columns), of_powers},
    {"\nWhere new processes go; sizes small\n",
     VIEW_COLUMNS (branch_columns), of_branches},
    {"\nWhat a switch costs, at a load of 90 %, powers of two (RWC-1: below "
     "0.5 ms, that is 0.5 % of\na slot of a tenth of a second; CM-5: 4 ms, "
     "4 %)\n",
     VIEW_COLUMNS (switch_columns), of_switches},
    {"\nThe network's part alone, on a hypercube of 64 at a load of 90 %, "
     "powers of two: how\nshort slots may be. Costs are rounded up to "
     "microseconds\n",
     VIEW_COLUMNS (drain_columns), of_drains},
    {"\nMessages per second, sent and received, with slots of a tenth of a "
     "second; the busiest\nnode's time if a message takes 10 us\n",
     VIEW_COLUMNS (message_columns), of_asked},
    {"\nThe same on machines of 8 to 4,096 processors\n",
     VIEW_COLUMNS (machine_columns), of_scale},
};

static const struct view degree_view
    = {"\nHalves or quarters of 8x8 at a load of 90 %, and the ways in the "
       "partitions of jobs\n",
       VIEW_COLUMNS (degree_columns), of_degrees};

static void print_degrees (struct paper_run *run)
{
    fputs ("\nPrinted: a degree of two is best against fragmentation; on a 2-D "
           "mesh, hops increase and\nhot spots appear more easily (section "
           "3.1). Ours: partitions of 8x8, all pairs alike\n",
           run->out);
    paper_table (run, 2);
    paper_view (run, 0, NULL, &degree_view);
    fputs ("\nPrinted: DHC leaves no processor idle, and its overhead is heavy "
           "if threads are short\n(section 2.2). Ours: from which lifetime of "
           "threads on DHC does more, in times that it\ntakes to schedule a "
           "thread (blank: never)\n",
           run->out);
    paper_table (run, 3);
}

static int print_table1 (const struct study *study, FILE *out, bool bold,
                         tori_error *err)
{
    static const struct table_column columns[]
        = {{"slot", TABLE_NUMBER}, {"PE0", TABLE_TEXT}, {"PE1", TABLE_TEXT},
           {"PE2", TABLE_TEXT},    {"PE3", TABLE_TEXT}};
    struct table *table = table_create (columns, COUNT (columns));
    for (int i = 0; i < CELLS; i++) {
        if (i % 4 == 0)
            table_cell (table, "%d", i / 4);
        table_cell (table, "Q%u(%u)", study->table1[i].node,
                    study->table1[i].process);
    }
    fprintf (out, "Table 1, as the nodes bring it about: %d of 48 cells as "
                  "printed\n",
             study->table1_same);
    return table_print (table, out, bold, err);
}

/* ---- verdicts ---- */

static bool is_load (const struct row *row, int percent)
{
    return lround (100 * row->load) == percent;
}

/* By how many percent of the machine held partitions are off the load. */
static double count_off (const struct row *row)
{
    return 100 * fabs (row->load - row->mean.held);
}

/* The row that is the most off: of the tree in a part, at the loads from
 * `least` to `most`. Every part has such a row. */
static const struct row *find_most_off (const struct paper_run *run,
                                        const char *part, double least,
                                        double most)
{
    const struct row *row = run->list[0].row, *found = NULL;
    for (size_t i = 0; i < run->list[0].n; i++)
        if (is_of_part (&row[i], part) && is_gang (&row[i])
            && row[i].load >= least && row[i].load <= most
            && (!found || count_off (&row[i]) > count_off (found)))
            found = &row[i];
    return found;
}

/* Linear: no point up to 90 % is surely off the load by 1 % of its machine. */
static void judge_linearity (struct paper_run *run)
{
    const struct row *loads = find_most_off (run, "loads", 0, 0.905);
    const struct row *scale = find_most_off (run, "scale", 0, 0.905);
    const struct row *row = run->list[0].row;
    bool linear = true;
    for (size_t i = 0; i < run->list[0].n; i++)
        if ((is_of_part (&row[i], "loads") || is_of_part (&row[i], "scale"))
            && is_gang (&row[i]) && row[i].load <= 0.905)
            linear &= count_off (&row[i]) - 100 * row[i].held_half < 1;
    verdict_compare (run,
                     &(struct published){
                         "Section 2.1",
                         "utilization linear in the load, for all sizes of "
                         "jobs",
                         "very good linearity", "it is off the line"},
                     linear,
                     "off by %.1f %% at most on 64 processors, %.1f \302\261%.1f "
                     "on %" PRIu32,
                     count_off (loads), count_off (scale),
                     100 * scale->held_half, scale->processors);
}

/* The mean slowdown of jobs of 2^log processors by the tree, powers of two. */
static double slowdown_of (const struct paper_run *run, int percent, int log)
{
    const struct row *row = run->list[0].row;
    while (!is_of_part (row, "loads") || !is_gang (row) || !is_power (row)
           || !is_load (row, percent))
        row++;
    return row->mean.by_size[log];
}

static double busiest_of (const struct paper_run *run)
{
    const struct row *row = run->list[0].row;
    double most = 0;
    for (size_t i = 0; i < run->list[0].n; i++)
        if (is_of_part (&row[i], "scale"))
            most = fmax (most, 100 * row[i].busiest_time);
    return most;
}

/* The row of uniform sizes; the first is of degree two, the next of four. */
static const struct row *find_degrees (const struct paper_run *run)
{
    const struct row *row = run->list[0].row;
    while (!is_of_part (row, "degrees")
           || strcmp (row->sizes, gang_sizes_list (UNIFORM)->name) != 0)
        row++;
    return row;
}

static void judge_degrees (struct paper_run *run)
{
    const struct row *two = find_degrees (run), *four = two + 1;
    const struct partition *part = run->list[2].row;
    verdict_compare (run,
                     &(struct published){"Section 3.1",
                                         "degree two best against "
                                         "fragmentation",
                                         "yes", "four is"},
                     two->mean.utilization > four->mean.utilization,
                     "%.1f %% asked for, %.1f %% with four",
                     100 * two->mean.utilization,
                     100 * four->mean.utilization);
    verdict_compare (run,
                     &(struct published){"Section 3.1",
                                         "more hops and hot spots with degree "
                                         "two, for a partition",
                                         "increase", "they do not"},
                     part[1].hops_square > 1 && part[1].hot_square > 1,
                     "%.0f and %.0f %% above a square as large",
                     100 * (part[1].hops_square - 1),
                     100 * (part[1].hot_square - 1));
    verdict_compare (run,
                     &(struct published){"Section 3.1",
                                         "more hops with degree two, for a "
                                         "job",
                                         "increase",
                                         "degree four gives it a larger "
                                         "partition"},
                     two->mean.hops > four->mean.hops, "%.2f, %.2f with four",
                     two->mean.hops, four->mean.hops);
    verdict_refuse (run,
                    &(struct published){"Section 2.2",
                                        "idle processors and overhead beside "
                                        "DHC",
                                        "fewer idle, more overhead",
                                        "no numbers are printed"},
                    "DHC ahead if threads live for %.1f overheads",
                    two->mean.utilization
                        / (two->mean.held - two->mean.utilization));
}

static void judge_study (struct paper_run *run)
{
    const struct study *study = run->study;
    double full = count_off (find_most_off (run, "scale", 0.985, 1));
    double small = slowdown_of (run, 50, 0), large = slowdown_of (run, 50, 6);
    double busiest = busiest_of (run);
    verdict_compare (run,
                     &(struct published){"Table 1", "cells", "48",
                                         "see the table"},
                     study->table1_same == CELLS, "%d the same",
                     study->table1_same);
    judge_linearity (run);
    verdict_compare (run,
                     &(struct published){"Section 2.1",
                                         "stable at a load of 99 %, 8 to "
                                         "4,096 processors",
                                         "good stability",
                                         "a tenth of the load is not taken"},
                     full < 9.9, "%.1f %% or more of the machine is held",
                     99 - full);
    verdict_compare (run,
                     &(struct published){"Section 2.1, Figure 4",
                                         "smaller processes more often",
                                         "may be", "they are not"},
                     small < large,
                     "slowdown %.2f of 1, %.2f of 64 processors at 50 %%",
                     small, large);
    verdict_compare (run,
                     &(struct published){"Section 2",
                                         "bottlenecks of a distributed "
                                         "scheduler",
                                         "avoided", "a node is overloaded"},
                     busiest < 50, "busiest node at most %.1f %% of its time",
                     busiest);
    judge_degrees (run);
}

static void print_study (struct paper_run *run)
{
    const struct study *study = run->study;
    char jobs[64] = "as many jobs as it takes for a steady state";
    if (study->setup->quick)
        snprintf (jobs, sizeof jobs, "as few jobs as fill the machine");
    else if (study->jobs)
        snprintf (jobs, sizeof jobs, "%zu jobs", study->jobs);
    fprintf (run->out,
             "Poisson arrivals, exponential run times of mean 10 slots, "
             "rounded up to slots; %zu seeds\nof %s, the first and the last "
             "tenth not measured;\n64 processors unless said otherwise.\n\n",
             study->seeds, jobs);
    run->status = print_table1 (study, run->out, run->setup->bold, run->err);
    for (size_t i = 0; i < COUNT (pivots); i++)
        paper_pivot (run, 0, NULL, &pivots[i]);
    for (size_t i = 0; i < COUNT (views); i++)
        paper_view (run, 0, NULL, &views[i]);
    fputs ("\nWhat the network adds to a switch on partitions of a hypercube "
           "of 4,096: a drain at\nits bound, Dmax Lmax + Dmax Hmax, and the "
           "routers saved and restored\n",
           run->out);
    paper_table (run, 1);
    print_degrees (run);
}

/* ---- figures ---- */

static const struct plot_line utilization_lines[] = {
    {"fcfs, powers", "lw 2 pt 9 ps 0.6 lc rgb '#969696'"},
    {"easy, powers", "lw 2 pt 5 ps 0.6 lc rgb '#2166ac'"},
    {"gang, uniform", "lw 2 pt 4 ps 0.6 dt 2 lc rgb '#d6604d'",
     "tree, uniform"},
    {"gang, single", "lw 2 pt 6 ps 0.6 dt 3 lc rgb '#f4a582'", "tree, single"},
    {"gang, small", "lw 2 pt 8 ps 0.6 dt 4 lc rgb '#762a83'", "tree, small"},
    {"gang, powers", "lw 2 pt 7 ps 0.6 lc rgb '#b2182b'", "tree, powers"}};

static const struct plot_line slowdown_lines[] = {
    {"fcfs, powers", "lw 2 pt 9 ps 0.6 lc rgb '#969696'", "fcfs, 1",
     "slowdown_1"},
    {"easy, powers", "lw 2 pt 4 ps 0.6 dt 2 lc rgb '#4393c3'", "easy, 1",
     "slowdown_1"},
    {"easy, powers", "lw 2 pt 5 ps 0.6 lc rgb '#2166ac'", "easy, 64",
     "slowdown_64"},
    {"gang, powers", "lw 2 pt 6 ps 0.6 dt 2 lc rgb '#d6604d'", "tree, 1",
     "slowdown_1"},
    {"gang, powers", "lw 2 pt 7 ps 0.6 lc rgb '#b2182b'", "tree, 64",
     "slowdown_64"}};

static const struct plot_line message_lines[] = {
    {"gang, single", "lw 2 pt 5 ps 0.6 lc rgb '#2166ac'",
     "busiest node, single", "busiest_s"},
    {"gang, single", "lw 2 pt 4 ps 0.6 dt 2 lc rgb '#4393c3'",
     "average node, single", "average_s"},
    {"gang, small", "lw 2 pt 7 ps 0.6 lc rgb '#b2182b'",
     "busiest node, small", "busiest_s"},
    {"gang, small", "lw 2 pt 6 ps 0.6 dt 2 lc rgb '#d6604d'",
     "average node, small", "average_s"}};

static const struct {
    const char *name, *part;
    struct plot plot;
} plots[] = {
    {"utilization", "loads",
     {"Utilization over offered load, 64 processors", "offered load, %",
      "processors in partitions held, %", "all that is offered",
      .across = "who", .x = "load", .y = "held",
      PLOT_LINES (utilization_lines)}},
    {"slowdown", "loads",
     {"Mean slowdown by size, 64 processors", "offered load, %",
      "mean slowdown", .y_most = 20, .across = "who", .x = "load",
      PLOT_LINES (slowdown_lines)}},
    {"messages", "machines",
     {"Messages per second, load 90 %, slots of 0.1 s", "processors",
      "messages per second", .logarithmic = true, .across = "who",
      .x = "processors", PLOT_LINES (message_lines)}},
};

/* The rows of a part follow each other. */
static void draw_figures (struct paper_run *run)
{
    const struct row *row = run->list[0].row;
    for (size_t p = 0; p < COUNT (plots); p++) {
        struct rows part = {row, 0, sizeof *row};
        for (size_t i = 0; i < run->list[0].n; i++)
            if (is_of_part (&row[i], plots[p].part)) {
                part.row = part.n ? part.row : &row[i];
                part.n++;
            }
        paper_plot (run, 0, &part, plots[p].name, &plots[p].plot);
    }
}

const struct paper paper_queue_tree = {
    .name = "queue-tree",
    .citation = paper_hori_1995,
    .what = "Table 1, and what time sharing gains and costs beside batch "
            "queues",
    .takes = PAPER_LIMIT | PAPER_SEEDS,
    .quick = {.seeds = 2},
    .answer = &answer_sheet,
    .size = sizeof (struct study),
    .compute = compute_study,
    .judge = judge_study,
    .print = print_study,
    .draw = draw_figures,
};
