/* A. Hori et al., "Time Space Sharing Scheduling and Architectural Support",
 * 1995.
 *
 * The paper prints Table 1 and states that utilization is linear in the load,
 * for all sizes, and stable at 99 %; that the tree may be unfair; and that no
 * node is a bottleneck. Section 3.1 prefers halves to quarters of a mesh, at
 * the price of longer ways and hot spots; section 2.2 compares the tree with
 * distributed hierarchical control (DHC), which schedules threads.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "estimate.h"
#include "gangsim.h"
#include "queue_tree_study.h"

enum {
    SEEDS = 5,    /* if the number is not given */
    SERVICE = 10, /* slots, mean */
    POWERS = 0,   /* in the list of sizes */
    SMALL = 1,
    SINGLE = 3,
    LARGE = 512, /* processors */
    STEADY = 90, /* percent: above this, runs are long */
    LEAST_LOG = 3, /* of processors of a machine */
    MOST_LOG = 12,
    USES = 3
};

/* A tenth of a second: 1995's and today's time sharing. Seconds that a node
 * takes for a message, to see what share of its time that is. */
#define SLOT (TORI_SECOND / 10)
#define SLOTS_PER_SECOND 10
#define MESSAGE_COST 10e-6

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

/* Batch schedulers have powers of two at all loads, and the other sizes at
 * 90 %. */
static void plan_loads (struct study *study)
{
    static const int loads[] = {10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99};
    static const char *const scheds[] = {"gang", "fcfs", "easy"};
    for (int i = 0; i < (int)COUNT (loads); i++)
        for (size_t s = 0; gang_sizes_list (s); s++)
            for (size_t b = 0; b < (s == 0 || loads[i] == 90 ? 3 : 1); b++) {
                struct point *point
                    = add_point (study, "loads", "mesh:8x8");
                point->sizes = s;
                point->sched = scheds[b];
                point->load = loads[i];
            }
}

/* Beside the 64 processors above. */
static void plan_scale (struct study *study)
{
    static const char *const machines[] = {"mesh:2^3", "mesh:2^9", "mesh:2^12"};
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
            point->degree = queue_tree_degrees[d];
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

static uint32_t processors_of (const char *machine)
{
    unsigned log = 6; /* mesh:8x8 */
    sscanf (machine, "mesh:2^%u", &log);
    return UINT32_C (1) << log;
}

/* Whether a few jobs hold much of a large machine, so that results vary from
 * run to run, and a verdict rests on them. */
static bool is_variable (const struct point *point)
{
    return (point->sizes == POWERS || point->sizes == SMALL)
           && processors_of (point->machine) >= LARGE
           && strcmp (point->part, "scale") == 0;
}

/* In short runs, variable points have the seeds of a full run. */
static size_t seeds_of (const struct study *study, const struct point *point)
{
    return study->setup->quick && is_variable (point) && study->seeds < SEEDS
               ? SEEDS
               : study->seeds;
}

/* And all jobs, where that does not take long. Tenths. */
static size_t part_of_jobs (const struct study *study,
                            const struct point *point)
{
    bool steady = point->load <= STEADY;
    if (!study->setup->quick)
        return 10;
    if (is_variable (point))
        return steady ? 10 : 2;
    return steady ? 2 : 1;
}

static int draw_jobs (const struct study *study, const struct point *point,
                      const tori_machine *machine, struct gang_jobs *jobs,
                      struct gang_work *work, tori_error *err)
{
    jobs->n = study->jobs;
    if (jobs->n == 0 && gang_jobs_enough (machine, jobs, &jobs->n, err) < 0)
        return -1;
    if (study->setup->quick) {
        jobs->n = jobs->n * part_of_jobs (study, point) / 10;
        if (jobs->n < GANG_JOBS_LEAST)
            jobs->n = GANG_JOBS_LEAST;
    }
    return gang_workload (machine, jobs, work, err);
}

/* The network of doc/experiments/preemption.md. */
static const tori_net_config network = {.size = sizeof network,
                                        .switching = TORI_CUT_THROUGH,
                                        .vcs = 2,
                                        .buffer = 16};
static const tori_sim_preempt preempt
    = {.size = sizeof preempt, .net = &network,
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
    tori_sim_gang how = {.size = sizeof how, .policy = point->branch,
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
        status = queue_tree_measure_ways (machine, point->degree,
                                          &work.workload, ret_sample, err);
    gang_work_clear (&work);
    return status;
}

/* Whether two points are the same run: the tree does not depend on how the
 * machine is wired. Ways do, so degrees are always run. */
static bool is_same_run (const struct point *a, const struct point *b)
{
    return processors_of (a->machine) == processors_of (b->machine)
           && a->sizes == b->sizes && a->load == b->load
           && !strcmp (a->sched, b->sched) && !strcmp (a->branch, b->branch)
           && a->degree == b->degree && a->switch_cost == b->switch_cost
           && !a->drain && !b->drain && a->slot == b->slot
           && strcmp (b->part, "degrees") != 0;
}

/* The first point that is the same run as a point. */
static size_t find_run (const struct study *study, size_t p)
{
    size_t q = 0;
    while (q < p && !is_same_run (&study->point[q], &study->point[p]))
        q++;
    return q;
}

static int run_piece (void *arg, size_t piece, tori_error *err)
{
    struct study *study = arg;
    size_t p = piece / MAX_SEEDS, seed = piece % MAX_SEEDS;
    tori_machine *machine;
    int status;
    if (seed >= study->point[p].seeds || find_run (study, p) < p)
        return 0;
    if (tori_machine_parse (study->point[p].machine, &machine, err) < 0)
        return -1;
    status = simulate_point (study, &study->point[p], seed, machine,
                             &study->sample[p][seed], err);
    tori_machine_destroy (machine);
    return status;
}

/* ---- the network's part of a switch ---- */

/* On the largest hypercube: the first partition of every level. */
static int read_cycles (struct study *study, const tori_gang_tree *tree,
                        tori_error *err)
{
    uint32_t nodes = tori_gang_tree_nodes (tree);
    uint64_t *cycles = calloc (nodes, sizeof *cycles);
    int status = cycles ? tori_gang_switch_cycles (tree, preempt.net,
                                                   preempt.drain, cycles, err)
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
        for (size_t i = 0; i < study->point[point].seeds; i++) {
            memcpy (value, &study->sample[point][i], sizeof value);
            all[i] = value[m];
        }
        estimate = estimate_of (all, study->point[point].seeds);
        mean[m] = estimate.mean;
        half[m] = estimate.half;
    }
    memcpy (ret_mean, mean, sizeof mean);
    memcpy (ret_half, half, sizeof half);
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
    for (size_t i = 0; i < study->points; i++)
        study->point[i].seeds
            = seeds_of (study, &study->point[find_run (study, i)]);
    row = paper_rows (run, POINT_LIST, study->points, sizeof *row, err);
    if (!row || queue_tree_move_front (study, err) < 0
        || price_switches (study, err) < 0
        || queue_tree_list_ways (study, err) < 0
        || paper_do_pieces (setup, study->points * MAX_SEEDS, run_piece, study,
                            err)
               < 0)
        return -1;
    queue_tree_count_cells (study);
    for (size_t i = 0; i < study->points; i++) {
        memcpy (study->sample[i], study->sample[find_run (study, i)],
                sizeof study->sample[i]);
        row[i] = row_of (study, i);
        if (strcmp (row[i].part, "degrees") == 0)
            compare_threads (study, &row[i]);
    }
    run->list[COST_LIST] =
        (struct rows){study->cost, CLASSES, sizeof *study->cost};
    run->list[PARTITION_LIST] = (struct rows){
        study->partition, study->partitions, sizeof *study->partition};
    run->list[THREAD_LIST] =
        (struct rows){study->threads, study->nthreads, sizeof *study->threads};
    return 0;
}

const struct paper paper_queue_tree = {
    .name = "queue-tree",
    .citation = paper_hori_1995,
    .what = "Table 1, and what time sharing gains and costs beside batch "
            "queues",
    .takes = PAPER_LIMIT | PAPER_SEEDS,
    .quick = {.seeds = 2},
    .answer = &queue_tree_answer,
    .size = sizeof (struct study),
    .compute = compute_study,
    .judge = queue_tree_judge,
    .print = queue_tree_print,
    .draw = queue_tree_draw,
};
