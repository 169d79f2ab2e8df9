/* tori net - how messages fare in the network. */
#include <inttypes.h>
#include <string.h>

#include "asked.h"
#include "commands.h"
#include "fieldrows.h"
#include "heat.h"
#include "messagelog.h"
#include "names.h"
#include "net_partitions.h"
#include "net_down.h"
#include "netjobs.h"
#include "number.h"
#include "routers.h"
#include "machine_options.h"
#include "targets.h"
#include "terminal.h"
#include "traffic_result.h"

struct values {
    struct machine_options site;
    struct strings boxes;
    int pattern;
    const char *messages;
    struct routers routers;
    int routing;
    int64_t flits, rounds;
    struct fraction rate;
    const char *warmup;
    int64_t cycles;
    int64_t seed;
    const char *heat, *links, *log;
    bool json;
};

#define AT(member) offsetof (struct values, member)

static const char *const routing[] = {[TORI_DIMENSION_ORDER] = "dor",
                                      [TORI_ADAPTIVE] = "adaptive", NULL};

static const char *routing_names (size_t i)
{
    return routing[i];
}

static const struct option options[] = {
    SITE_MESH_OR_TORUS (struct values),
    {"box", OPTION_STRINGS, AT (boxes), "BOX",
     .help = "a partition, such as 0,0/4x8, whose nodes send messages to "
             "each other; the whole machine if not given"},
    {"pattern", OPTION_CHOICE, AT (pattern), "NAME",
     .choices = net_pattern_names,
     .help = "who sends to whom, by rank in the box (random if not given); "
             "transpose needs a box of two or more dimensions whose sides "
             "read the same backwards, and otherwise uses the largest square "
             "of ranks, which is printed; fft needs a power of two; ranks without a partner send nothing, and their "
             "number is printed"},
    {"messages", OPTION_STRING, AT (messages), "FILE",
     .file = FILE_READ,
     .help = "with --pattern file: one message per line, SRC DST FLITS "
             "[CYCLE]"},
    {"rate", OPTION_FRACTION, AT (rate), "X", .positive = true,
     .help = "send at random times, X flits per node and cycle; if not "
             "given, a phase of the pattern starts when the phase before it "
             "has been delivered"},
    {"rounds", OPTION_INTEGER, AT (rounds), "N", .min = 1, .max = UINT32_MAX,
     .help = "without --rate: how often all phases of the pattern are "
             "repeated (1 if not given)"},
    {"flits", OPTION_INTEGER, AT (flits), "N", .min = 1, .max = UINT32_MAX,
     .fallback = "8", .help = "the length of a message"},
    ROUTERS_SWITCHING (struct values, "wormhole", ""),
    {"routing", OPTION_CHOICE, AT (routing), "NAME", .fallback = "dor",
     .choices = routing_names,
     .help = "the route: in dimension order, or any shortest route (except "
             "that exactly half way round a ring the direction is fixed)"},
    ROUTERS_CHANNELS (struct values,
                      "; if not given, 2, or 3 for adaptive routing on a "
                      "torus",
                      "8",
                      "; if at least twice the width, a message alone takes "
                      "hops + ceil (flits / width) cycles"),
    ROUTERS_PACKET (struct values, "they stay whole, or for cut-through are "
                                   "cut to the length of a buffer"),
    {"cycles", OPTION_INTEGER, AT (cycles), "N", .min = 1,
     .max = INT64_MAX / 4,
     .help = "with --rate: how many cycles are measured (10000 if not "
             "given); without: the cycle at which the run ends at the latest"},
    {"warm-up", OPTION_STRING, AT (warmup), "N", .old = "warmup",
     .help = "with --rate: cycles before the measurement starts (1000 if "
             "not given)"},
    OPTION_ROW_SEED (struct values, "seed of all random choices"),
    {"heat", OPTION_STRING, AT (heat), "FILE.svg",
     .file = FILE_WRITTEN,
     .help = "draw how busy each link was"},
    {"links", OPTION_STRING, AT (links), "FILE.csv",
     .file = FILE_WRITTEN,
     .help = "write what each link carried as CSV; with --json it is also "
             "in the answer"},
    {"log", OPTION_STRING, AT (log), "FILE",
     .file = FILE_WRITTEN,
     .help = "write one line of JSON per message, in the order of delivery"},
    SITE_DOWN (struct values),
    SITE_DOWN_PLAIN_LINKS (struct values),
    SITE_WRAP (struct values),
    OPTION_ROW_JSON (struct values),
    {.name = NULL},
};

/* ---- the run ---- */

struct study {
    const struct values *values;
    struct site site;
    const tori_machine *machine;
    struct netjobs jobs;
    int pattern;    /* a pattern of tori/traffic.h */
    int64_t warmup; /* cycles */
    tori_net_config net;
    tori_traffic_result result;
    struct net_partitions partitions;
    struct net_links links; /* of the result */
    int64_t flits;
    double rate; /* 0: none */
};

static int pattern_of (const struct values *v)
{
    if (v->pattern < 0)
        return v->messages ? TORI_TRAFFIC_LIST : tori_pattern_find ("random");
    return net_pattern (v->pattern);
}

/* Whether a file is written to standard output, instead of the answer. */
static bool stdout_taken (const struct values *v)
{
    return is_stdout (v->heat) || is_stdout (v->links) || is_stdout (v->log);
}

/* Options that contradict each other; the error names the first conflict. */
static int check_values (const struct study *s, tori_error *err)
{
    const struct values *v = s->values;
    bool file = s->pattern == TORI_TRAFFIC_LIST, rate = v->rate.den != 0;
    const struct option_rule rules[] = {
        {file != (v->messages != NULL),
         "--pattern file and --messages FILE go together"},
        {rate && file, "--rate: messages of a file have their own times"},
        {rate && v->rounds, "--rate: rounds are for phases, without a rate"},
        {rate && fraction_value (v->rate) > (double)v->routers.width,
         "--rate: a node cannot send more flits per cycle than a link "
         "carries"},
        {!rate && v->warmup, "--warm-up is for messages at a --rate"},
        {is_stdout (v->heat) + is_stdout (v->links) + is_stdout (v->log)
                 + v->json
             > 1,
         "only one of --heat, --links, --log and --json can go to standard "
         "output"},
    };
    return options_check (rules, sizeof rules / sizeof *rules, err);
}

static int read_warmup (struct study *s, tori_error *err)
{
    const char *text = s->values->warmup ? s->values->warmup : "1000";
    return number_parse (text, "--warm-up", 0, INT64_MAX / 4, &s->warmup, err);
}

static int open_study (struct study *s, tori_error *err)
{
    const struct values *v = s->values;
    s->pattern = pattern_of (v);
    if (check_values (s, err) < 0 || read_warmup (s, err) < 0
        || site_open (&v->site, &s->site, err) < 0)
        return -1;
    s->machine = s->site.machine;
    s->links = (struct net_links){s->machine, &s->result, &s->net};
    if ((v->heat && heat_check (s->machine, err) < 0)
        || netjobs_open (s->machine, &v->boxes, v->site.wrap, &s->jobs, err)
               < 0)
        return -1;
    for (size_t i = 0; i < s->jobs.n; i++) {
        s->jobs.job[i].pattern = s->pattern;
        s->jobs.job[i].flits = (uint32_t)v->flits;
        s->jobs.job[i].rounds = (uint32_t)v->rounds;
    }
    if (v->messages
        && netjobs_read (&s->jobs, s->machine, v->messages, err) < 0)
        return -1;
    return net_down_check (&s->site, (tori_routing)v->routing, &s->jobs, err);
}

/* The log is written only if the run succeeds. */
static int run_traffic (struct study *s, tori_traffic_config *config,
                        tori_error *err)
{
    struct messagelog *log = NULL;
    int status = 0;
    if (s->values->log) {
        status = messagelog_create (s->values->log, s->machine, &log, err);
        config->on_message = messagelog_add;
        config->arg = log;
    }
    if (status == 0)
        status = tori_traffic_run (config, &s->result, err);
    if (status == 0 && log)
        status = messagelog_commit (log, err);
    messagelog_destroy (log);
    return status;
}

static int compute_study (struct study *s, tori_error *err)
{
    const struct values *v = s->values;
    tori_traffic_config config = {.size = sizeof config, .machine = s->machine,
                                  .jobs = s->jobs.job,
                                  .njobs = s->jobs.n,
                                  .rate = s->rate,
                                  .warmup = (uint64_t)s->warmup,
                                  .cycles = (uint64_t)v->cycles,
                                  .limit = (uint64_t)v->cycles,
                                  .seed = (uint64_t)v->seed};
    struct progress progress;
    int status;
    s->net = routers_config (&v->routers);
    s->net.routing = (tori_routing)v->routing;
    if (routers_complete (s->machine, &s->net, err) < 0)
        return -1;
    config.net = &s->net;
    progress_begin (&progress);
    status = run_traffic (s, &config, err);
    progress_end (&progress);
    return status;
}

/* ---- the answer ---- */

static int draw_heat (const struct study *s, tori_error *err)
{
    const struct values *v = s->values;
    char machine[TORI_TEXT_MAX], title[TORI_TEXT_MAX + 64];
    struct heat heat = {.machine = s->machine,
                        .links = s->result.links,
                        .nlinks = s->result.nlinks,
                        .most = (double)s->result.measured * s->net.width,
                        .boxes = s->jobs.box,
                        .nboxes = v->boxes.n,
                        .title = title};
    if (!v->heat)
        return 0;
    tori_machine_format (s->machine, machine);
    snprintf (title, sizeof title, "%s, %s: load of the links", machine,
              net_pattern_name (s->pattern));
    return heat_write (&heat, v->heat, err);
}

static int write_links (const struct study *s, tori_error *err)
{
    return s->values->links
               ? net_links_write (&s->links, s->values->links, err)
               : 0;
}

/* A job as a row of the answer. */
struct job_row {
    const char *box;
    uint64_t nodes, silent;
    uint32_t square;
    struct net_partition partition;
    tori_traffic_outcome outcome;
};

#undef AT
#define AT(member) FIELD_AT (struct job_row, member)
static const struct field job_fields[] = {
    {"box", FIELD_TEXT, AT (box), "its nodes"},
    {"nodes", FIELD_COUNT, AT (nodes), "how many there are"},
    {"silent", FIELD_COUNT, AT (silent), "how many of them send nothing",
     .when = field_is_set},
    {"square", FIELD_UINT, AT (square),
     "with transpose, in a box that cannot be turned: the side of the square "
     "of ranks that it uses",
     .when = field_is_set},
    {.kind = FIELD_BESIDE, AT (partition), .group = &net_partition_sheet},
    {.kind = FIELD_BESIDE, AT (outcome), .group = &outcome_sheet},
};
SHEET (job);

static void emit_jobs (struct emit *e, const struct field *field,
                       const void *arg)
{
    const struct study *s = arg;
    emit_open (e, field->name, '[');
    for (size_t i = 0; i < s->jobs.n; i++) {
        const tori_traffic_job *job = &s->jobs.job[i];
        struct job_row row = {s->jobs.name[i],
                              job->n,
                              netjobs_silent (job),
                              targets_square (job),
                              {&s->partitions, i},
                              s->result.jobs[i]};
        sheet_emit_object (e, NULL, field->group, &row);
    }
    emit_close (e, ']');
}

static void emit_pattern (struct emit *e, const struct field *field,
                          const void *arg)
{
    const struct study *s = arg;
    emit_text (e, field->name, net_pattern_name (s->pattern));
}

static void emit_switching (struct emit *e, const struct field *field,
                            const void *arg)
{
    const struct study *s = arg;
    emit_text (e, field->name, routers_switching (s->net.switching));
}

static void emit_routing (struct emit *e, const struct field *field,
                          const void *arg)
{
    const struct study *s = arg;
    emit_text (e, field->name, routing[s->net.routing]);
}

static bool has_flits (const struct field *field, const void *arg)
{
    return ((const struct study *)arg)->pattern != TORI_TRAFFIC_LIST;
}

static bool shows_links (const struct field *field, const void *arg)
{
    return ((const struct study *)arg)->values->links != NULL;
}

#undef AT
#define AT(member) FIELD_AT (struct study, member)
static const struct field net_fields[] = {
    {"machine", FIELD_MACHINE, AT (machine), "the machine"},
    {"pattern", FIELD_BY, .about = "who sends to whom", .by = emit_pattern},
    {"switching", FIELD_BY, .about = "wormhole or cut-through",
     .by = emit_switching},
    {"routing", FIELD_BY, .about = "how messages find their way",
     .by = emit_routing},
    {.kind = FIELD_BESIDE, AT (net), .group = &routers_sheet},
    {"flits", FIELD_WHOLE, AT (flits), "the length of a message",
     .when = has_flits},
    {"rate", FIELD_REAL, AT (rate),
     "flits per node and cycle, if sent at random times",
     .when = field_is_set},
    {"jobs", FIELD_LIST, .about = "the messages of each box",
     .group = &job_sheet, .by = emit_jobs},
    {"disturb", FIELD_LIST, AT (partitions), "which boxes share links",
     .group = &disturb_sheet, .by = net_disturb_emit},
    {"load", FIELD_BY, AT (links), "how busy the links are",
     .group = &link_loads_sheet, .by = link_loads_emit},
    {"links", FIELD_LIST, AT (links), "with --links: every link",
     .group = &net_link_sheet, .by = net_links_emit, .when = shows_links},
    {"measured", FIELD_COUNT, AT (result.measured),
     "cycles that were measured"},
    {"cycles", FIELD_COUNT, AT (result.cycles), "cycles in all"},
    {"flit_hops", FIELD_COUNT, AT (result.flit_hops),
     "flits over links, in all"},
};
static ANSWER (net);

static void print_config (const struct study *s, FILE *out)
{
    const struct values *v = s->values;
    char machine[TORI_TEXT_MAX];
    tori_machine_format (s->machine, machine);
    fprintf (out, "%s: %s, %s, ", machine,
             routers_switching (s->net.switching),
             s->net.routing == TORI_ADAPTIVE ? "adaptive" : "dimension order");
    routers_print (&s->net, out);
    fputs (net_pattern_name (s->pattern), out);
    if (s->pattern != TORI_TRAFFIC_LIST)
        fprintf (out, ", messages of %" PRId64 " flit%s", v->flits,
                 v->flits == 1 ? "" : "s");
    if (v->rate.den)
        fprintf (out,
                 ", %g flits per node and cycle, %" PRIu64
                 " cycles after %" PRId64,
                 fraction_value (v->rate), s->result.measured, s->warmup);
    else
        fprintf (out, ", %" PRIu64 " cycle%s", s->result.cycles,
                 s->result.cycles == 1 ? "" : "s");
    fputs ("\n\n", out);
}

static void print_loads (const struct study *s, FILE *out)
{
    struct link_loads loads = link_loads (&s->result, &s->net);
    char from[TORI_TEXT_MAX], to[TORI_TEXT_MAX];
    if (!loads.busiest)
        return;
    tori_node_format (s->machine, loads.busiest->from, from);
    tori_node_format (s->machine, loads.busiest->to, to);
    fprintf (out,
             "\nlinks: %zu, busy for %.2f %% of the time; the busiest, from "
             "%s to %s, for %.2f %%\n",
             s->result.nlinks, 100 * loads.mean, from, to, 100 * loads.most);
}

/* How a pattern is used that does not fit its box, and messages that it does
 * not send. */
static void print_silent (const struct study *s, FILE *out)
{
    for (size_t i = 0; i < s->jobs.n; i++) {
        uint64_t silent = netjobs_silent (&s->jobs.job[i]);
        uint32_t square = targets_square (&s->jobs.job[i]);
        if (square > 0)
            fprintf (out,
                     "%s: transpose turns a square of %u x %u ranks, because "
                     "the box cannot be turned\n",
                     s->jobs.name[i], square, square);
        if (silent > 0)
            fprintf (out,
                     "%s: %" PRIu64 " of %" PRIu64 " messages of a round are "
                     "not sent: their nodes have no partner in the pattern\n",
                     s->jobs.name[i], silent,
                     s->jobs.job[i].n * targets_phases (&s->jobs.job[i]));
    }
}

static int print_answer (const struct study *s, FILE *out, tori_error *err)
{
    print_config (s, out);
    if (outcomes_print ((const char *const *)s->jobs.name, &s->result, out,
                        terminal_bold (), err)
        < 0)
        return -1;
    print_loads (s, out);
    print_silent (s, out);
    if (s->values->boxes.n > 0)
        net_partitions_print (&s->partitions, out);
    return 0;
}

static int run_net (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    struct study s = {.values = v,
                      .flits = v->flits,
                      .rate = v->rate.den ? fraction_value (v->rate) : 0};
    int status = -1;
    if (open_study (&s, err) == 0 && compute_study (&s, err) == 0
        && net_partitions_find (s.machine, s.net.routing, &s.jobs,
                                &s.partitions, err)
               == 0
        && draw_heat (&s, err) == 0 && write_links (&s, err) == 0)
        status = v->json ? asked_emit (&command_net, v, &s, out, err)
                 : stdout_taken (v) ? 0
                                    : print_answer (&s, out, err);
    net_partitions_clear (&s.partitions);
    tori_traffic_clear (&s.result);
    netjobs_clear (&s.jobs);
    site_close (&s.site);
    return status;
}

static const struct command *const commands[] = {&command_net_drain, NULL};

const struct command command_net = {
    .name = "net",
    .summary = "Send messages through the network, flit by flit",
    .notes = "Latency is the number of cycles from sending to delivery. "
             "Waited is the part spent at the source, and blocked is how "
             "much longer a message travelled than it would have alone. "
             "These and hops are means over messages. Offered and accepted "
             "are in flits per node and cycle. A job is saturated if its "
             "messages pile up: they take longer and longer, or less than "
             "95 % of what was offered was delivered. It is unfinished if "
             "--cycles cut it short. In JSON, load is that of the links, "
             "where 1 is all they can carry. A partition is closed if no "
             "message between two of its nodes can leave it; otherwise it "
             "is open, and such a message is shown. Two partitions disturb "
             "each other if their messages can share a link. Routers know "
             "nothing of what is down: a run is refused if a message could "
             "meet it.",
    .options = options,
    .size = sizeof (struct values),
    .commands = commands,
    .examples = "tori net --machine torus:8x8 --pattern random --rate 0.2\n"
                "tori net --machine mesh:8x8 --pattern all-to-all "
                "--box 0,0/4x8 --box 4,0/4x8\n"
                "tori net --machine torus:8x8x8 --pattern transpose "
                "--rate 1/5 --routing adaptive --heat links.svg --json",
    .status = {[3] = "a message would meet a node or link that is down"},
    .answer = &answer_net,
    .run = run_net,
};
