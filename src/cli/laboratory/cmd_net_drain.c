/* tori net drain - processes share a partition in turns, and the network
 * switches from one process to the next. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "asked.h"
#include "commands.h"
#include "fieldrows.h"
#include "number.h"
#include "routers.h"
#include "machine_options.h"
#include "terminal.h"

struct values {
    struct machine_options site;
    const char *box;
    int method;
    struct routers routers;
    struct fraction load;
    int64_t flits;
    int64_t processes, switches, slice, partners, hop, words, origin;
    int64_t seed;
    bool json;
};

#define AT(member) offsetof (struct values, member)

static const char *const methods[] = {[TORI_DRAIN] = "drain",
                                      [TORI_ALL_FALL_DOWN] = "all-fall-down",
                                      NULL};

static const char *method_names (size_t i)
{
    return methods[i];
}

static const struct option options[] = {
    SITE_MESH_OR_TORUS (struct values),
    {"box", OPTION_STRING, AT (box), "BOX",
     .help = "the partition, such as 0,0/4x4, which must be closed; if not "
             "given, the whole machine"},
    {"load", OPTION_FRACTION, AT (load), "X", .fallback = "0.2",
     .help = "the mean number of flits that a node sends per cycle, at "
             "random times"},
    {"flits", OPTION_INTEGER, AT (flits), "N", .min = 1, .max = UINT32_MAX,
     .fallback = "16",
     .help = "the length of a message"},
    {"method", OPTION_CHOICE, AT (method), "NAME", .fallback = "drain",
     .choices = method_names,
     .help = "packets stay where they are and continue from there, or are "
             "taken out at the nearest node and sent again"},
    {"switches", OPTION_INTEGER, AT (switches), "N", .max = 1000000,
     .fallback = "4",
     .help = "how often the partition is switched to the next process"},
    {"slice", OPTION_INTEGER, AT (slice), "CYCLES", .min = 1, .max = INT32_MAX,
     .fallback = "500", .help = "how long a process has the partition"},
    {"partners", OPTION_INTEGER, AT (partners), "N", .min = 1,
     .max = UINT32_MAX,
     .help = "how many others a node sends to, the far ones; all if not "
             "given"},
    {"processes", OPTION_INTEGER, AT (processes), "N", .min = 1, .max = 64,
     .fallback = "2", .help = "how many processes take turns"},
    ROUTERS_SWITCHING (struct values, "cut-through",
                       "; with wormhole, a drain stops in the middle of a "
                       "packet"),
    ROUTERS_CHANNELS (struct values, " (2 if not given)", "16", ""),
    ROUTERS_PACKET (struct values, "for cut-through, as long as a message or "
                                   "a buffer, whichever is shorter"),
    {"origin", OPTION_INTEGER, AT (origin), "I", .max = UINT32_MAX,
     .fallback = "0",
     .help = "where the signal starts: the I-th node of the partition"},
    {"hop", OPTION_INTEGER, AT (hop), "CYCLES", .min = 1, .max = 1000000,
     .fallback = "1", .help = "how long the signal takes per link"},
    {"words", OPTION_INTEGER, AT (words), "N", .min = 1, .max = 1000000,
     .fallback = "1",
     .help = "words that a router saves or restores per cycle; a word is a "
             "flit"},
    {"seed", OPTION_INTEGER, AT (seed), "N", .max = INT64_MAX,
     .fallback = "1", .help = "seed of all random choices"},
    SITE_WRAP (struct values),
    OPTION_ROW_JSON (struct values),
    {.name = NULL},
};

/* ---- the run ---- */

struct study {
    const struct values *values;
    tori_machine *machine;
    tori_box box;
    char box_name[TORI_TEXT_MAX];
    tori_net_config net; /* with its defaults */
    tori_preempt_result result;

    /* The question, for the answer. */
    const char *method, *switching;
    int64_t flits;
    double load;
};

static int find_box (struct study *s, tori_error *err)
{
    const struct values *v = s->values;
    s->box.shape.ndims = tori_machine_ndims (s->machine);
    for (int d = 0; d < s->box.shape.ndims; d++)
        s->box.shape.size[d] = tori_machine_size (s->machine, d);
    if (v->box && tori_box_parse (s->machine, v->box, &s->box, err) < 0)
        return -1;
    tori_box_format (&s->box, s->box_name);
    if (!v->site.wrap && tori_box_wraps (s->machine, &s->box))
        return tori_error_set (err, TORI_INVALID,
                               "box %s wraps around; --wrap allows it",
                               s->box_name);
    return 0;
}

/* The configuration with its defaults, for the output. */
static int complete_config (struct study *s, tori_error *err)
{
    const struct values *v = s->values;
    s->net = routers_config (&v->routers);
    if (!s->net.packet && s->net.switching == TORI_CUT_THROUGH)
        s->net.packet = v->flits < s->net.buffer ? (uint32_t)v->flits
                                                 : s->net.buffer;
    return routers_complete (s->machine, &s->net, err);
}

static int compute_study (struct study *s, tori_error *err)
{
    const struct values *v = s->values;
    tori_drain_config drain = {.size = sizeof drain,
                               .method = (tori_drain_method)v->method,
                               .origin = (uint32_t)v->origin,
                               .hop = (uint32_t)v->hop,
                               .words = (uint32_t)v->words};
    tori_preempt_config config = {.size = sizeof config,
        .machine = s->machine,
        .box = &s->box,
        .net = &s->net,
        .drain = &drain,
        .processes = (uint32_t)v->processes,
        .switches = (uint32_t)v->switches,
        .slice = (uint64_t)v->slice,
        .partners = (uint32_t)v->partners,
        .flits = (uint32_t)v->flits,
        .load = s->load,
        .seed = (uint64_t)v->seed};
    struct progress progress;
    int status;
    if ((uint64_t)v->partners >= tori_shape_volume (&s->box.shape))
        return tori_error_set (err, TORI_INVALID,
                               "--partners: a node of %s has only %" PRIu64
                               " others",
                               s->box_name,
                               tori_shape_volume (&s->box.shape) - 1);
    progress_begin (&progress);
    status = tori_preempt_run (&config, &s->result, err);
    progress_end (&progress);
    return status;
}

/* ---- the answer ---- */

#undef AT
#define AT(member) FIELD_AT (tori_preempt_switch, member)
static const struct field switch_fields[] = {
    {"signal", FIELD_COUNT, AT (drain.begun),
     "the cycle in which it is told", .title = "signal"},
    {"from", FIELD_UINT, AT (from), "the process that stops",
     .title = "from"},
    {"to", FIELD_UINT, AT (to), "the one that goes on", .title = "to"},
    {"cycles", FIELD_COUNT, AT (drain.cycles),
     "cycles until the network is empty", .title = "drain"},
    {"bound", FIELD_COUNT, AT (drain.bound),
     "what that is proved to be at most", .title = "bound"},
    {"interrupts", FIELD_UINT, AT (drain.interrupts),
     "interrupts that it takes"},
    {"save_cycles", FIELD_COUNT, AT (drain.save_cycles),
     "cycles that saving takes", .title = "save"},
    {"words", FIELD_COUNT, AT (drain.words), "words saved"},
    {"words_used", FIELD_COUNT, AT (drain.words_used),
     "words of them in use", .title = "words"},
    {"messages", FIELD_COUNT, AT (messages), "messages in the network",
     .title = "messages"},
    {"packets", FIELD_COUNT, AT (drain.packets), "packets in the network",
     .title = "packets"},
    {"flits", FIELD_COUNT, AT (drain.flits), "flits in the network",
     .title = "flits"},
    {"waiting", FIELD_COUNT, AT (drain.waiting),
     "messages that wait at their source", .title = "waiting"},
    {"sends", FIELD_COUNT, AT (sends), "messages that are being sent",
     .title = "sends"},
};
#undef AT
static const struct sheet switch_sheet
    = {"switches", SHEET_FIELDS (switch_fields)};

struct process_row {
    size_t process;
    tori_preempt_process is;
    char digest[32];
    bool kept;
};

#define AT(member) FIELD_AT (struct process_row, member)
static const struct field process_fields[] = {
    {"process", FIELD_SIZE, AT (process), "which one, from 0 on",
     .title = "process"},
    {"sent", FIELD_COUNT, AT (is.sent), "messages that it sent",
     .title = "sent"},
    {"delivered", FIELD_COUNT, AT (is.delivered), "messages that arrived",
     .title = "delivered"},
    {"reordered", FIELD_COUNT, AT (is.reordered),
     "messages that arrived out of order", .title = "out of order"},
    {"digest", FIELD_CHARS, AT (digest), "a checksum of their contents",
     .title = "digest"},
    {"kept", FIELD_FLAG, AT (kept), "whether all arrived as they were sent",
     .title = "order kept"},
    {"terminated", FIELD_FLAG, AT (is.terminated),
     "whether it ran to its end", .title = "ended"},
};
#undef AT
static const struct sheet process_sheet
    = {"processes", SHEET_FIELDS (process_fields)};

static struct process_row row_of (const tori_preempt_result *result, size_t i)
{
    struct process_row row = {.process = i, .is = result->processes[i]};
    row.kept = tori_preempt_kept (&row.is);
    snprintf (row.digest, sizeof row.digest, "%016" PRIx64,
              row.is.sum_delivered);
    return row;
}

static void emit_switches (struct emit *e, const struct field *field,
                           const void *arg)
{
    const tori_preempt_result *result = &((const struct study *)arg)->result;
    sheet_emit_rows (e, field->name, field->group, result->switches,
                     result->nswitches, sizeof *result->switches);
}

static void emit_processes (struct emit *e, const struct field *field,
                            const void *arg)
{
    const tori_preempt_result *result = &((const struct study *)arg)->result;
    emit_open (e, field->name, '[');
    for (size_t i = 0; i < result->nprocesses; i++) {
        struct process_row row = row_of (result, i);
        sheet_emit_object (e, NULL, field->group, &row);
    }
    emit_close (e, ']');
}

static void emit_kept (struct emit *e, const struct field *field,
                       const void *arg)
{
    const tori_preempt_result *result = &((const struct study *)arg)->result;
    bool kept = true;
    for (size_t i = 0; i < result->nprocesses; i++)
        kept &= tori_preempt_kept (&result->processes[i]);
    emit_flag (e, field->name, kept);
}

#define AT(member) FIELD_AT (struct study, member)
static const struct field net_drain_fields[] = {
    {"machine", FIELD_MACHINE, AT (machine), "the machine"},
    {"box", FIELD_CHARS, AT (box_name), "the partition"},
    {"method", FIELD_TEXT, AT (method), "how the network is emptied"},
    {"switching", FIELD_TEXT, AT (switching), "wormhole or cut-through"},
    {.kind = FIELD_BESIDE, AT (net), .group = &routers_sheet},
    {"flits", FIELD_WHOLE, AT (flits), "the length of a message"},
    {"load", FIELD_REAL, AT (load), "flits per node and cycle"},
    {"switches", FIELD_LIST, .about = "each switch of processes",
     .group = &switch_sheet, .by = emit_switches},
    {"processes", FIELD_LIST, .about = "the processes",
     .group = &process_sheet, .by = emit_processes},
    {"order_kept", FIELD_BY,
     .about = "whether every message arrived, in order", .by = emit_kept},
    {"cycles", FIELD_COUNT, AT (result.cycles), "cycles in all"},
};
#undef AT
static ANSWER (net_drain);

static void print_config (const struct study *s, FILE *out)
{
    const struct values *v = s->values;
    const tori_preempt_switch *first = s->result.switches;
    char machine[TORI_TEXT_MAX];
    tori_machine_format (s->machine, machine);
    fprintf (out, "%s, box %s: %s, ", machine, s->box_name,
             routers_switching (s->net.switching));
    routers_print (&s->net, out);
    fprintf (out,
             "messages of %" PRId64 " flit%s, %g flits per node and cycle\n",
             v->flits, v->flits == 1 ? "" : "s", s->load);
    if (s->result.nswitches)
        fprintf (out,
                 "%s: %" PRIu32 " routers, Dmax %" PRIu32 ", Lmax %" PRIu32
                 ", Hmax %" PRId64 "\n",
                 s->method, first->drain.routers, first->drain.diameter,
                 first->drain.longest, v->hop);
}

static int print_switches (const struct study *s, FILE *out, tori_error *err)
{
    if (s->result.nswitches == 0)
        return 0;
    fputc ('\n', out);
    return sheet_print (&switch_sheet, s->result.switches,
                        s->result.nswitches, sizeof *s->result.switches, out,
                        terminal_bold (), err);
}

static int print_processes (const struct study *s, FILE *out, tori_error *err)
{
    size_t n = s->result.nprocesses;
    struct process_row *rows = calloc (n + 1, sizeof *rows);
    int status;
    if (!rows)
        return tori_error_nomem (err);
    for (size_t i = 0; i < n; i++)
        rows[i] = row_of (&s->result, i);
    fputc ('\n', out);
    status = sheet_print (&process_sheet, rows, n, sizeof *rows, out,
                          terminal_bold (), err);
    free (rows);
    return status;
}

static int print_answer (const struct study *s, FILE *out, tori_error *err)
{
    print_config (s, out);
    if (print_switches (s, out, err) < 0 || print_processes (s, out, err) < 0)
        return -1;
    fprintf (out, "\n%" PRIu64 " cycles\n", s->result.cycles);
    return 0;
}

static int run_net_drain (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    struct study s = {.values = v,
                      .method = methods[v->method],
                      .switching =
                          routers_switching ((size_t)v->routers.switching),
                      .flits = v->flits,
                      .load = fraction_value (v->load)};
    int status = -1;
    if (tori_machine_parse (v->site.machine, &s.machine, err) == 0
        && find_box (&s, err) == 0 && complete_config (&s, err) == 0
        && compute_study (&s, err) == 0)
        status = v->json ? asked_emit (&command_net_drain, v, &s, out, err)
                         : print_answer (&s, out, err);
    tori_preempt_clear (&s.result);
    tori_machine_destroy (s.machine);
    return status;
}

const struct command command_net_drain = {
    .name = "drain",
    .path = "net drain",
    .summary = "Switch processes and their network: drain, save, restore",
    .notes = "Processes take turns on a partition. Each row is a switch: "
             "the cycle of the signal, the cycles from there to the last "
             "interrupt beside the bound Dmax Lmax + Dmax Hmax, the cycles "
             "to save the routers (restoring takes as many), the words of "
             "the fullest router, what is in the routers and in the queues "
             "of nodes, and the messages that nodes sent between the signal "
             "and their interrupt. Order is kept if every message arrived "
             "once, and in order for every pair of nodes.",
    .options = options,
    .size = sizeof (struct values),
    .examples =
        "tori net drain --machine mesh:2^10 --load 0.4\n"
        "tori net drain --machine torus:8x8 --method all-fall-down\n"
        "tori net drain --machine torus:8x8 --switching wormhole --json",
    .answer = &answer_net_drain,
    .run = run_net_drain,
};
