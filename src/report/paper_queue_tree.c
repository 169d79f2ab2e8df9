/* A. Hori et al., "Time Space Sharing Scheduling and Architectural Support",
 * 1995: what is simulated. queue_tree_output.c prints it.
 *
 * The paper prints Table 1 and says in words that utilization is linear in the
 * load, whatever the sizes, and stable at 99 %; that the tree may be unfair;
 * and that no node is a bottleneck. */
#include <stdlib.h>
#include <string.h>

#include "estimate.h"
#include "queue_tree.h"

enum {
    SEEDS = 5,    /* if it is not said how many */
    SERVICE = 10, /* slots, mean */
    SMALL = 1,    /* in the list of sizes */
    SINGLE = 3
};

/* A tenth of a second: 1995's and today's time sharing. */
#define SLOT (TORI_SECOND / 10)

const int tree_loads[TREE_LOADS_N]
    = {10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99};

/* ---- what is run ---- */

static struct tree_point *add_point (struct tree_study *study,
                                     enum tree_part part, const char *machine)
{
    struct tree_point *point = &study->point[study->points++];
    *point = (struct tree_point){.part = part,
                                 .load = 90,
                                 .sched = "gang",
                                 .branch = "lightest",
                                 .slot = SLOT};
    snprintf (point->machine, sizeof point->machine, "%s", machine);
    return point;
}

static void plan_loads (struct tree_study *study)
{
    static const char *const scheds[] = {"gang", "fcfs", "easy"};
    for (int i = 0; i < TREE_LOADS_N; i++)
        for (size_t s = 0; gang_sizes_list (s); s++)
            for (size_t b = 0; b < 3; b++) {
                struct tree_point *point
                    = add_point (study, TREE_LOADS, "mesh:8x8");
                point->sizes = s;
                point->sched = scheds[b];
                point->load = tree_loads[i];
            }
}

const char *tree_scale_machine (size_t i)
{
    static const char *const machines[]
        = {"mesh:2^3", "mesh:2^6", "mesh:2^9", "mesh:2^12"};
    return i < sizeof machines / sizeof *machines ? machines[i] : NULL;
}

int tree_scale_load (size_t i)
{
    static const int loads[] = {50, 90, 99};
    return i < sizeof loads / sizeof *loads ? loads[i] : 0;
}

static void plan_scale (struct tree_study *study)
{
    for (size_t m = 0; tree_scale_machine (m); m++)
        for (size_t l = 0; tree_scale_load (l); l++)
            for (size_t s = 0; gang_sizes_list (s); s++) {
                struct tree_point *point
                    = add_point (study, TREE_SCALE, tree_scale_machine (m));
                point->sizes = s;
                point->load = tree_scale_load (l);
            }
}

static void plan_branches (struct tree_study *study)
{
    static const int loads[] = {50, 90, 99};
    const tori_gang_policy_info *info;
    for (size_t i = 0; (info = tori_gang_policy_list (i)); i++)
        for (size_t j = 0; j < 3; j++) {
            struct tree_point *point
                = add_point (study, TREE_BRANCHES, "mesh:8x8");
            point->sizes = SMALL;
            point->branch = info->name;
            point->load = loads[j];
        }
}

static void plan_switches (struct tree_study *study)
{
    static const int costs[] = {0, 5, 10, 20, 50, 100};
    static const int divisors[] = {1, 10, 100, 500};
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
        add_point (study, TREE_SWITCHES, "mesh:8x8")->switch_cost = costs[i];
    for (size_t i = 0; i < sizeof divisors / sizeof *divisors; i++) {
        struct tree_point *point = add_point (study, TREE_DRAINS, "mesh:2^6");
        point->drain = true;
        point->slot = SLOT / divisors[i];
    }
}

static void plan_machines (struct tree_study *study)
{
    for (int log = TREE_LEAST_LOG; log <= TREE_MOST_LOG; log++)
        for (size_t sizes = SMALL; sizes <= SINGLE; sizes += SINGLE - SMALL) {
            char machine[32];
            snprintf (machine, sizeof machine, "mesh:2^%d", log);
            add_point (study, TREE_MACHINES, machine)->sizes = sizes;
        }
}

/* ---- simulations ---- */

static struct tree_sample sample_of (const struct gang_run *run,
                                     const struct tree_point *point,
                                     const tori_machine *machine)
{
    double slot = (double)point->slot / (double)TORI_SECOND;
    double slots = run->seconds / slot;
    double nodes = 2.0 * tori_machine_nodes (machine) - 1;
    struct tree_sample sample = {
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
    for (int i = 0; i < TREE_CLASSES; i++)
        sample.by_size[i] = run->class[i].slowdown;
    return sample;
}

/* The network of doc/preemption.md. */
static const tori_sim_preempt preempt
    = {.net = {.switching = TORI_CUT_THROUGH, .vcs = 2, .buffer = 16},
       .clock = 50000000};

static int simulate (const struct tree_study *study,
                     const struct tree_point *point, size_t seed,
                     const tori_machine *machine,
                     struct tree_sample *ret_sample, tori_error *err)
{
    struct gang_jobs jobs = {
        .sizes = point->sizes,
        .n = study->jobs,
        .load = point->load / 100.0,
        .service = SERVICE,
        .warm_up = 0.1,
        .slot = point->slot,
        .seed = study->setup->seed + seed,
    };
    tori_sim_gang how = {.policy = point->branch,
                         .slot = point->slot,
                         .switch_cost
                         = point->slot * point->switch_cost / 1000,
                         .preempt = point->drain ? &preempt : NULL};
    struct gang_work work;
    struct gang_run run;
    int status;
    if ((jobs.n == 0 && gang_jobs_enough (machine, &jobs, &jobs.n, err) < 0)
        || gang_workload (machine, &jobs, &work, err) < 0)
        return -1;
    status = gang_run (machine, &work, point->sched, &how, &run, err);
    gang_work_clear (&work);
    if (status == 0)
        *ret_sample = sample_of (&run, point, machine);
    return status;
}

static int run_piece (void *arg, size_t piece, tori_error *err)
{
    struct tree_study *study = arg;
    size_t p = piece / study->seeds, seed = piece % study->seeds;
    tori_machine *machine;
    int status;
    if (tori_machine_parse (study->point[p].machine, &machine, err) < 0)
        return -1;
    status = simulate (study, &study->point[p], seed, machine,
                       &study->sample[p][seed], err);
    tori_machine_destroy (machine);
    return status;
}

/* ---- Table 1 ---- */

static int move_front (struct tree_study *study, tori_error *err)
{
    static const uint32_t lengths[] = {2, 2, 1, 1, 2, 3, 2};
    tori_machine *machine;
    tori_gang_tree *tree;
    int status;
    if (tori_machine_parse ("mesh:4", &machine, err) < 0)
        return -1;
    status = tori_gang_tree_create (machine, 2, 1, &tree, err);
    if (status == 0) {
        status = tori_gang_table (tree, lengths, 12, study->table1, err);
        tori_gang_tree_destroy (tree);
    }
    tori_machine_destroy (machine);
    return status;
}

/* ---- the network's part of a switch ---- */

/* On the largest hypercube: the first partition of every level. */
static int read_cycles (struct tree_study *study, const tori_gang_tree *tree,
                        tori_error *err)
{
    uint32_t nodes = tori_gang_tree_nodes (tree);
    uint64_t *cycles = calloc (nodes, sizeof *cycles);
    int status = cycles ? tori_gang_switch_cycles (tree, &preempt.net,
                                                   &preempt.drain, cycles, err)
                        : tori_error_nomem (err);
    for (uint32_t log = 0; status == 0 && log < TREE_CLASSES; log++)
        study->cycles[log] = cycles[(UINT32_C (1) << (TREE_MOST_LOG - log))
                                    - 1];
    free (cycles);
    return status;
}

static int price_switches (struct tree_study *study, tori_error *err)
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

/* ---- Table 1 as printed ---- */

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

int tree_table1_same (const struct tree_study *study)
{
    int same = 0;
    for (int i = 0; i < 48; i++)
        same += study->table1[i].node == printed[i].node
                && study->table1[i].process == printed[i].process;
    return same;
}

/* ---- statistics ---- */

/* A sample is doubles and nothing else. */
enum { MEMBERS = sizeof (struct tree_sample) / sizeof (double) };

struct tree_sample tree_mean (const struct tree_study *study, size_t point)
{
    struct tree_sample mean;
    double sum[MEMBERS] = {0}, value[MEMBERS];
    for (size_t i = 0; i < study->seeds; i++) {
        memcpy (value, &study->sample[point][i], sizeof value);
        for (int m = 0; m < MEMBERS; m++)
            sum[m] += value[m] / (double)study->seeds;
    }
    memcpy (&mean, sum, sizeof mean);
    return mean;
}

double tree_measure (const struct tree_sample *sample, size_t measure)
{
    double value;
    memcpy (&value, (const char *)sample + measure, sizeof value);
    return value;
}

double tree_half (const struct tree_study *study, size_t point, size_t measure)
{
    double value[TREE_MAX_SEEDS];
    for (size_t i = 0; i < study->seeds; i++)
        value[i] = tree_measure (&study->sample[point][i], measure);
    return estimate_of (value, study->seeds).half;
}

size_t tree_find (const struct tree_study *study, enum tree_part part,
                  const char *machine, const char *sched, size_t sizes,
                  int load)
{
    for (size_t i = 0; i < study->points; i++) {
        const struct tree_point *point = &study->point[i];
        if (point->part == part
            && (!machine || strcmp (point->machine, machine) == 0)
            && strcmp (point->sched, sched) == 0 && point->sizes == sizes
            && point->load == load)
            return i;
    }
    return SIZE_MAX;
}

/* ---- the entry ---- */

static int compute (struct tree_study *study, tori_error *err)
{
    const struct paper_setup *setup = study->setup;
    plan_loads (study);
    plan_scale (study);
    plan_branches (study);
    plan_switches (study);
    plan_machines (study);
    if (paper_open_out (setup->out, err) < 0)
        return -1;
    if (move_front (study, err) < 0 || price_switches (study, err) < 0)
        return -1;
    return paper_do_pieces (setup, study->points * study->seeds, run_piece,
                            study, err);
}

static int run (const struct paper_setup *setup, FILE *out, tori_error *err)
{
    struct tree_study *study = calloc (1, sizeof *study);
    int status;
    if (!study)
        return tori_error_nomem (err);
    study->setup = setup;
    study->jobs = setup->limit;
    study->seeds = setup->seeds ? setup->seeds : SEEDS;
    status = compute (study, err);
    if (status == 0)
        status = setup->json ? tree_emit (study, out, err)
                             : tree_print (study, out, err);
    if (status == 0 && setup->out)
        status = tree_write_csv (study, err);
    if (status == 0 && setup->out)
        status = tree_draw (study, err);
    free (study);
    return status;
}

const struct paper paper_queue_tree = {
    .name = "queue-tree",
    .citation = paper_hori_1995,
    .what = "Table 1, and what time sharing gains and costs beside batch "
            "queues",
    .takes = PAPER_LIMIT | PAPER_SEEDS,
    .answer = &tree_sheet,
    .run = run,
};
