/* M. A. Bender et al., "Communication-Aware Processor Allocation for
 * Supercomputers", 2005, section 6: the log of the NASA Ames iPSC/860 with the
 * sizes of jobs divided by 4, on 32 processors, with messages that move
 * through the network; which allocator gives the least mean flow time.
 *
 * The paper gives neither the shape of the mesh (4x8, as it is said not to be
 * square), nor the pattern of the messages, nor how many there are. So there
 * are several patterns; nodes that send at the speed of a link for all of
 * their time in the log, at three quarters and at half of it; and, as jobs
 * that run longer may be more than the machine can take, two lower loads. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "flow.h"
#include "paper.h"

enum { ALLOCS = 4, PATTERNS = 4, SETTINGS = 5, LIST = 80 };

/* The paper ranks the first three of these, in this order. */
static const char *const allocs[ALLOCS]
    = {"mc1x1", "mm", "exact", "hilbert-bf"};
static const char *const printed[] = {"mc1x1", "mm", "exact", NULL};
enum { RANKED = 3 };

static const struct flow_pattern patterns[PATTERNS] = {
    {"all-to-all", 1}, {"nbody", 1}, {"random", 16}, {"ring", 1}};

/* The most that a node sends, as a part of a link's rate, and the load to
 * which arrivals are stretched, in percent; 0: as they are. */
static const struct setting {
    uint32_t num, den;
    int load;
} settings[SETTINGS]
    = {{1, 1, 0}, {3, 4, 0}, {1, 2, 0}, {1, 1, 30}, {1, 1, 20}};

#define LOG "NASA-iPSC-1993-3.1-cln.swf"

enum { RUNS = SETTINGS * PATTERNS * ALLOCS, MODEL_JOBS = 10000 };
#define MODEL_LOAD 0.47 /* as in the log */

/* ---- rows ---- */

/* A simulation. */
struct run_row {
    char speed[16]; /* "1/4": the rate of a node as a part of a link's rate */
    char stretched[16];
    double inject, load;
    const char *pattern, *alloc;
    uint32_t rounds;
    double flow, wait, stretch, utilization;
    char ranking[LIST];
    bool as_printed;
};

#define AT(member) FIELD_AT (struct run_row, member)
static const struct field run_fields[] = {
    {"speed", FIELD_CHARS, AT (speed),
     "what a node sends of what a link carries", .title = "speed"},
    {"inject", FIELD_REAL, AT (inject), "the same as a number"},
    {"load", FIELD_REAL, AT (load),
     "the load that arrivals are stretched to; null: as they are"},
    {"arrivals", FIELD_CHARS, AT (stretched), "the same in words",
     .title = "load"},
    {"pattern", FIELD_TEXT, AT (pattern), "who sends to whom",
     .title = "messages"},
    {"rounds", FIELD_UINT, AT (rounds), "how often a job goes through it"},
    {"alloc", FIELD_TEXT, AT (alloc), "the allocator"},
    {"flow", FIELD_REAL, AT (flow),
     "mean time from submission to end", "s", .decimals = 1},
    {"wait", FIELD_REAL, AT (wait), "mean wait", "s"},
    {"stretch", FIELD_REAL, AT (stretch),
     "time that jobs ran over that in the log, in the mean", .decimals = 4},
    {"utilization", FIELD_REAL, AT (utilization), "the utilization"},
    {"ranking", FIELD_CHARS, AT (ranking),
     "the allocators by flow time, best first", .title = "best first"},
    {"as_printed", FIELD_FLAG, AT (as_printed),
     "whether the first three rank as printed", .title = "as printed"},
};
#undef AT
static const struct sheet run_sheet = {"flow", SHEET_FIELDS (run_fields)};

/* Jobs flit by flit, and as flows. */
#define AT(member) FIELD_AT (struct flow_case, member)
static const struct field case_fields[] = {
    {"jobs", FIELD_TEXT, AT (place), "where the jobs are", .title = "jobs"},
    {"pattern", FIELD_TEXT, AT (pattern), "who sends to whom",
     .title = "messages"},
    {"flits", FIELD_UINT, AT (flits), "flits of a message",
     .title = "flits"},
    {"packet", FIELD_UINT, AT (packet), "flits of a packet",
     .title = "packets"},
    {"cycles", FIELD_REAL, AT (cycles),
     "when jobs end by flits, in the mean", "cycles", "cycles", 1},
    {"fluid", FIELD_REAL, AT (fluid), "the same by flows", "cycles", "fluid",
     1},
    {"apart", FIELD_REAL, AT (apart), "fluid over cycles, less 1",
     .title = "apart, %", .decimals = 1, .scale = 100},
    {"worst", FIELD_REAL, AT (worst),
     "the same of the job that is furthest apart", .title = "worst, %",
     .decimals = 1, .scale = 100},
};
#undef AT
static const struct sheet case_sheet
    = {"flow-flits", SHEET_FIELDS (case_fields)};

struct flow {
    const struct paper_setup *setup;
    tori_machine *machine;
    char *path; /* of the log; NULL: a model's jobs */
    tori_workload workload[SETTINGS];
    const char *jobs_of;
    size_t jobs;
    const char *const *printed;
    struct run_row *run; /* by setting, pattern and allocator */
    struct flow_case *flits;
};

#define AT(member) FIELD_AT (struct flow, member)
static const struct field answer_fields[] = {
    {"jobs_of", FIELD_TEXT, AT (jobs_of), "the log or the model"},
    {"jobs", FIELD_SIZE, AT (jobs), "how many jobs there are"},
    {"printed", FIELD_NAMES, AT (printed),
     "the allocators as the paper ranks them"},
    {"runs", FIELD_LIST, .about = "every simulation", .group = &run_sheet},
    {"flits", FIELD_LIST, .about = "the fluid model beside the flit level",
     .group = &case_sheet},
};
#undef AT
static const struct sheet answer_sheet = {"flow",
                                          SHEET_FIELDS (answer_fields)};

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

static int load_jobs (struct flow *flow, size_t setting, tori_error *err)
{
    const struct paper_setup *setup = flow->setup;
    tori_workload *workload = &flow->workload[setting];
    tori_workload_options options = {
        .size = sizeof options,
        .load = settings[setting].load / 100.0,
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
    const char *slash = flow->path ? strrchr (flow->path, '/') : NULL;
    for (size_t i = 0; i < SETTINGS; i++)
        if (load_jobs (flow, i, err) < 0)
            return -1;
    flow->jobs = flow->workload[0].n;
    flow->jobs_of = slash        ? slash + 1
                    : flow->path ? flow->path
                                 : flow->setup->model;
    return 0;
}

/* ---- simulations ---- */

static struct run_row row_of (size_t piece, const tori_sim_result *result)
{
    const struct setting *setting = &settings[piece / ALLOCS / PATTERNS];
    const struct flow_pattern *pattern
        = &patterns[piece / ALLOCS % PATTERNS];
    struct run_row row = {
        .stretched = "as it is",
        .inject = (double)setting->num / setting->den,
        .load = setting->load ? setting->load / 100.0 : NAN,
        .pattern = pattern->name,
        .alloc = allocs[piece % ALLOCS],
        .rounds = pattern->rounds,
        .flow = result->response.mean,
        .wait = result->wait.mean,
        .stretch = result->stretch.mean,
        .utilization = result->utilization,
    };
    snprintf (row.speed, sizeof row.speed, "%" PRIu32 "/%" PRIu32,
              setting->num, setting->den);
    if (setting->load)
        snprintf (row.stretched, sizeof row.stretched, "%d %%",
                  setting->load);
    return row;
}

static int simulate_setting (struct flow *flow, size_t piece, tori_error *err)
{
    size_t pattern = piece / ALLOCS % PATTERNS;
    size_t setting = piece / ALLOCS / PATTERNS;
    tori_sim_network network = {.size = sizeof network,
        .pattern = tori_pattern_find (patterns[pattern].name),
        .rounds = patterns[pattern].rounds,
        .node = settings[setting].num,
        .link = settings[setting].den,
        .seed = flow->setup->seed,
    };
    tori_sim_config config = {
        .size = sizeof config,
        .machine = flow->machine,
        .sched = TORI_SCHED ("fcfs", TORI_ALLOC (allocs[piece % ALLOCS])),
        .no_pairwise = true,
        .network = &network,
    };
    tori_sim_result result;
    if (tori_sim_run (&config, &flow->workload[setting], &result, err) < 0)
        return -1;
    flow->run[piece] = row_of (piece, &result);
    return 0;
}

static int run_piece (void *arg, size_t piece, tori_error *err)
{
    struct flow *flow = arg;
    if (piece < RUNS)
        return simulate_setting (flow, piece, err);
    return flow_case_run (piece - RUNS, &flow->flits[piece - RUNS], err);
}

/* How the allocators of one pattern and setting rank. */
static void rank_runs (struct run_row runs[ALLOCS])
{
    size_t ranking[ALLOCS];
    double flow[ALLOCS];
    bool same = true;
    for (size_t i = 0; i < ALLOCS; i++)
        flow[i] = runs[i].flow;
    rank (flow, RANKED, ranking);
    for (size_t i = 0; i < RANKED; i++)
        same &= ranking[i] == i;
    rank (flow, ALLOCS, ranking);
    for (size_t i = 0; i < ALLOCS; i++) {
        rank_text (allocs, ranking, ALLOCS, runs[i].ranking, LIST);
        runs[i].as_printed = same;
    }
}

/* ---- for people ---- */

static void print_title (const struct setting *is, FILE *out)
{
    fputs ("\nnodes send ", out);
    if (is->num == is->den)
        fputs ("as much as a link carries", out);
    else
        fprintf (out, "%" PRIu32 "/%" PRIu32 " of what a link carries",
                 is->num, is->den);
    if (is->load)
        fprintf (out, ", arrivals stretched to a load of %d %%", is->load);
    fputc ('\n', out);
}

static const struct view_column by_pattern[]
    = {{"pattern"}, {"ranking"}, {"as_printed"}};
static const struct view_column by_setting[]
    = {{"speed"}, {"arrivals"}, {"pattern"}};
static const struct pivot times
    = {{NULL, VIEW_COLUMNS (by_pattern), NULL}, "alloc", {"flow"}};
static const struct pivot stretches
    = {{"\ntime that jobs ran over their time in the log, mean\n",
        VIEW_COLUMNS (by_setting), NULL},
       "alloc",
       {"stretch"}};

/* The runs of one setting follow each other. */
static void print_study (struct paper_run *run)
{
    enum { EACH = RUNS / SETTINGS };
    const struct flow *flow = run->study;
    paper_say (run,
               "Mean flow time of a job, in seconds, on a 4x8 mesh, first "
               "come, first served: %s, %zu jobs%s. A job ends when its "
               "messages are through (tori sim --network fluid). exact is the "
               "greedy placement of least pairwise distance at each step. "
               "Printed: mc1x1 was best, followed by mm, and then greedy; "
               "hilbert-bf was much worse than all three, in part due to "
               "difficulties using it on a nonsquare mesh.",
               flow->jobs_of, flow->jobs, flow->path ? ", sizes / 4" : "");
    for (size_t s = 0; s < SETTINGS; s++) {
        const struct rows rows
            = {flow->run + s * EACH, EACH, sizeof *flow->run};
        print_title (&settings[s], run->out);
        paper_pivot (run, 0, &rows, &times);
    }
    paper_pivot (run, 0, NULL, &stretches);
    paper_say (run,
               "\nThe fluid model beside the flit level: when jobs end, on an "
               "8x8 mesh, wormhole, 2 virtual channels of 8 flits; mean over "
               "the jobs, and the job that is furthest apart. The columns "
               "flits and packets are the lengths of both, in flits.\n");
    paper_table (run, 1);
}

/* ---- verdicts ---- */

/* In how many cases the greedy placement is not the best of the three, and the
 * cases in which all three rank as printed, and in which hilbert-bf is the
 * worst of the four. */
struct counts {
    int beaten;
    struct verdict_cases as_printed, worst;
};

/* One log has no interval. */
static void add_case (struct verdict_cases *cases, bool so)
{
    verdict_add_case (cases, (struct estimate){so ? 1 : -1, 0});
}

static struct counts count_cases (const struct flow *flow)
{
    enum { GREEDY = 2, CURVE = 3 };
    struct counts counts = {0};
    for (size_t i = 0; i < RUNS; i += ALLOCS) {
        const struct run_row *row = &flow->run[i];
        bool best = true, worst = true;
        for (size_t a = 0; a < RANKED; a++) {
            best &= row[GREEDY].flow <= row[a].flow;
            worst &= row[CURVE].flow > row[a].flow;
        }
        counts.beaten += !best;
        add_case (&counts.worst, worst);
        add_case (&counts.as_printed, row->as_printed);
    }
    return counts;
}

static void judge_study (struct paper_run *run)
{
    enum { EACH = RUNS / ALLOCS };
    const struct counts counts = count_cases (run->study);
    verdict_compare (run,
                     &(struct published){"Section 6",
                                         "a case in which greedy is not the "
                                         "best over time",
                                         "1 log", "there is none"},
                     counts.beaten > 0, "%d of %d cases", counts.beaten,
                     EACH);
    verdict_order (run,
                   &(struct published){
                       "Section 6", "flow time: mc1x1, mm, greedy", "1 log",
                       "mesh, pattern and amount of messages are not given"},
                   &counts.as_printed, "%zu of %d cases",
                   counts.as_printed.sure, EACH);
    verdict_order (run,
                   &(struct published){
                       "Section 6", "hilbert-bf worse than all three",
                       "1 log, much", "our curve has no break on 4x8"},
                   &counts.worst, "%zu of %d cases", counts.worst.sure, EACH);
}

/* ---- the entry ---- */

static int compute_study (struct paper_run *run, tori_error *err)
{
    struct flow *flow = run->study;
    flow->setup = run->setup;
    flow->printed = printed;
    flow->run = paper_rows (run, 0, RUNS, sizeof *flow->run, err);
    flow->flits = paper_rows (run, 1, FLOW_CASES, sizeof *flow->flits, err);
    if (!flow->run || !flow->flits
        || tori_machine_parse ("mesh:4x8", &flow->machine, err) < 0
        || find_log (flow, err) < 0 || load_all (flow, err) < 0
        || paper_do_pieces (run->setup, RUNS + FLOW_CASES, run_piece, flow,
                            err)
               < 0)
        return -1;
    for (size_t i = 0; i < RUNS; i += ALLOCS)
        rank_runs (flow->run + i);
    return 0;
}

static void clear_study (void *study)
{
    struct flow *flow = study;
    for (size_t i = 0; i < SETTINGS; i++)
        tori_workload_clear (&flow->workload[i]);
    free (flow->path);
    tori_machine_destroy (flow->machine);
}

const struct paper paper_flow = {
    .name = "flow",
    .citation = paper_bender_2005,
    .what = "Section 6: which allocator gives the least flow time once "
            "messages share the links",
    .takes = PAPER_TRACES | PAPER_MODEL | PAPER_LIMIT,
    .quick = {.limit = 3000},
    .answer = &answer_sheet,
    .size = sizeof (struct flow),
    .compute = compute_study,
    .judge = judge_study,
    .print = print_study,
    .clear = clear_study,
};
