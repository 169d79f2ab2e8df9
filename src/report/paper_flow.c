/* M. A. Bender et al., "Communication-Aware Processor Allocation for
 * Supercomputers", 2005, section 6: the log of the NASA Ames iPSC/860 with the
 * sizes of jobs divided by 4, on 32 processors, with messages that move through
 * the network; which allocator gives the least mean flow time. What is
 * simulated; flow_output.c prints it.
 *
 * The paper gives neither the shape of the mesh (4x8, as it is said not to be
 * square), nor the pattern of the messages, nor how many there are. So there
 * are several patterns; nodes that send at the speed of a link for all of
 * their time in the log, at three quarters and at half of it; and, as jobs
 * that run longer may be more than the machine can take, two lower loads. */
#include <stdlib.h>
#include <string.h>

#include "flow.h"
#include "traces.h"

const char *const flow_allocs[FLOW_ALLOCS] = {"mc1x1", "mm", "exact",
                                              "hilbert-bf"};
const struct flow_pattern flow_patterns[FLOW_PATTERNS] = {
    {"all-to-all", 1}, {"nbody", 1}, {"random", 16}, {"ring", 1}};
const struct flow_setting flow_settings[FLOW_SETTINGS] = {
    {1, 1, 0}, {3, 4, 0}, {1, 2, 0}, {1, 1, 30}, {1, 1, 20}};

#define LOG "NASA-iPSC-1993-3.1-cln.swf"

enum {
    RUNS = FLOW_SETTINGS * FLOW_PATTERNS * FLOW_ALLOCS,
    MODEL_JOBS = 10000
};
#define MODEL_LOAD 0.47 /* as in the log */

/* ---- the jobs ---- */

static int find_log (struct flow *flow, tori_error *err)
{
    const struct paper_setup *setup = flow->setup;
    char places[300];
    int found;
    if (setup->model)
        return 0;
    found = traces_find (setup->traces, LOG, &flow->path, err);
    if (found != 0)
        return found < 0 ? -1 : 0;
    traces_say (setup->traces, places, sizeof places);
    return tori_error_set (err, TORI_FAILED,
                           LOG ", plain or .gz, is not in %s; "
                           TRACES_ARCHIVE " has it, --traces says where it "
                           "is, and --model lublin does without",
                           places);
}

static int load (struct flow *flow, size_t setting, tori_error *err)
{
    const struct paper_setup *setup = flow->setup;
    tori_workload *workload = &flow->workload[setting];
    tori_workload_options options = {
        .load = flow_settings[setting].load / 100.0,
        .scale_num = 1,
        .scale_den = flow->path ? 4 : 1,
        .limit = setup->limit,
        .seed = setup->seed,
        .jobs = setup->limit ? setup->limit : MODEL_JOBS,
    };
    if (flow->path)
        return paper_read_log (flow->path, flow->machine, &options, workload,
                               err);
    if (options.load <= 0)
        options.load = MODEL_LOAD;
    return tori_workload_model (setup->model, flow->machine, &options,
                                workload, err);
}

static int load_all (struct flow *flow, tori_error *err)
{
    for (size_t i = 0; i < FLOW_SETTINGS; i++)
        if (load (flow, i, err) < 0)
            return -1;
    return 0;
}

/* ---- simulations ---- */

static int simulate (struct flow *flow, size_t piece, tori_error *err)
{
    size_t alloc = piece % FLOW_ALLOCS;
    size_t pattern = piece / FLOW_ALLOCS % FLOW_PATTERNS;
    size_t setting = piece / FLOW_ALLOCS / FLOW_PATTERNS;
    tori_sim_network network = {
        .pattern = tori_pattern_find (flow_patterns[pattern].name),
        .rounds = flow_patterns[pattern].rounds,
        .node = flow_settings[setting].num,
        .link = flow_settings[setting].den,
        .seed = flow->setup->seed,
    };
    tori_sim_config config = {
        .size = sizeof config,
        .machine = flow->machine,
        .sched = TORI_SCHED ("fcfs", TORI_ALLOC (flow_allocs[alloc])),
        .no_pairwise = true,
        .network = &network,
    };
    tori_sim_result result;
    if (tori_sim_run (&config, &flow->workload[setting], &result, err) < 0)
        return -1;
    flow->cell[setting][pattern][alloc] = (struct flow_cell){
        .flow = result.response.mean,
        .wait = result.wait.mean,
        .stretch = result.stretch.mean,
        .utilization = result.utilization,
    };
    return 0;
}

static int work (void *arg, size_t piece, tori_error *err)
{
    struct flow *flow = arg;
    if (piece < RUNS)
        return simulate (flow, piece, err);
    return flow_case_run (piece - RUNS, &flow->cases[piece - RUNS], err);
}

static int compute (struct flow *flow, tori_error *err)
{
    return paper_do_pieces (flow->setup, RUNS + FLOW_CASES, work, flow, err);
}

/* ---- the entry ---- */

static int run (const struct paper_setup *setup, FILE *out, tori_error *err)
{
    struct flow flow = {.setup = setup};
    int status = -1;
    if (tori_machine_parse ("mesh:4x8", &flow.machine, err) == 0
        && find_log (&flow, err) == 0
        && paper_open_out (setup->out, err) == 0
        && load_all (&flow, err) == 0)
        status = compute (&flow, err);
    if (status == 0 && setup->out)
        status = flow_write_csv (&flow, err);
    if (status == 0)
        status = setup->json ? flow_emit (&flow, out, err)
                             : flow_print (&flow, out, err);
    for (size_t i = 0; i < FLOW_SETTINGS; i++)
        tori_workload_clear (&flow.workload[i]);
    free (flow.path);
    tori_machine_destroy (flow.machine);
    return status;
}

const struct paper paper_flow = {
    .name = "flow",
    .citation = paper_bender_2005,
    .what = "Section 6: which allocator gives the least flow time once "
            "messages share the links",
    .takes = PAPER_TRACES | PAPER_MODEL | PAPER_LIMIT,
    .answer = &flow_sheet,
    .run = run,
};
