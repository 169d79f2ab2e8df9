/* tori net drain - processes share a partition in turns, and the network is
 * switched with them. */
#include <inttypes.h>
#include <string.h>

#include "asked.h"
#include "commands.h"
#include "emit.h"
#include "fields.h"
#include "number.h"
#include "routers.h"
#include "site.h"
#include "table.h"
#include "terminal.h"

struct values {
    struct site_files site;
    const char *box;
    int method;
    struct routers routers;
    struct fraction load;
    int64_t flits;
    int64_t processes, switches, slice, partners, hop, words, origin;
    int64_t seed;
    const char *checkpoint, *restart;
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
    SITE_MACHINE (struct values),
    {"box", OPTION_STRING, AT (box), "BOX",
     .help = "the partition, such as 0,0/4x4, which must be closed; if not "
             "given, the whole machine, or that of a checkpoint"},
    {"load", OPTION_FRACTION, AT (load), "X", .fallback = "0.2",
     .without = "restart",
     .help = "flits that a node begins to send in a cycle, by chance"},
    {"flits", OPTION_INTEGER, AT (flits), "N", .min = 1, .max = UINT32_MAX,
     .fallback = "16", .without = "restart",
     .help = "the length of a message"},
    {"method", OPTION_CHOICE, AT (method), "NAME", .fallback = "drain",
     .choices = method_names,
     .help = "packets stay where they are and go on from there, or fall to "
             "the nearest node and are sent again"},
    {"switches", OPTION_INTEGER, AT (switches), "N", .max = 1000000,
     .fallback = "4", .without = "restart",
     .help = "how many times the next process gets the partition"},
    {"slice", OPTION_INTEGER, AT (slice), "CYCLES", .min = 1, .max = INT32_MAX,
     .fallback = "500", .without = "restart", .help = "for how long"},
    {"partners", OPTION_INTEGER, AT (partners), "N", .min = 1,
     .max = UINT32_MAX, .without = "restart",
     .help = "others that a node sends to, far away; all if not given"},
    {"processes", OPTION_INTEGER, AT (processes), "N", .min = 1, .max = 64,
     .fallback = "2", .without = "restart", .help = "that take turns"},
    ROUTERS_SWITCHING (struct values, "cut-through",
                       "; with wormhole a drain stops them in their midst"),
    ROUTERS_CHANNELS (struct values, " (2 if not given)", "16", ""),
    ROUTERS_PACKET (struct values, "for cut-through, as long as a message or "
                                   "a buffer, whichever is shorter"),
    {"origin", OPTION_INTEGER, AT (origin), "I", .max = UINT32_MAX,
     .fallback = "0",
     .help = "where the signal starts: the I-th node of the partition"},
    {"hop", OPTION_INTEGER, AT (hop), "CYCLES", .min = 1, .max = 1000000,
     .fallback = "1", .help = "that the signal takes a link"},
    {"words", OPTION_INTEGER, AT (words), "N", .min = 1, .max = 1000000,
     .fallback = "1",
     .help = "that a router saves or restores in a cycle; a word is a flit"},
    {"seed", OPTION_INTEGER, AT (seed), "N", .max = INT64_MAX,
     .fallback = "1", .without = "restart", .help = "fixes what is random"},
    {"checkpoint", OPTION_STRING, AT (checkpoint), "FILE",
     .file = FILE_WRITTEN, .without = "restart",
     .help = "write the first process here at the first switch"},
    {"restart", OPTION_STRING, AT (restart), "FILE",
     .file = FILE_READ,
     .help = "run the process of a checkpoint to its end, and no other; its "
             "box, its routers, its messages and its turns are those of the "
             "checkpoint"},
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
    tori_net_config net; /* complete */
    tori_preempt_result result;
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
                               "box %s wraps round; --wrap allows it",
                               s->box_name);
    return 0;
}

/* The box and the routers of a checkpoint. A box that was given must be that
 * of the file, which is looked at when it is read. */
static int take_over (struct study *s, tori_error *err)
{
    const struct values *v = s->values;
    tori_box box;
    if (tori_saved_describe (s->machine, v->restart, &s->net, &box, err) < 0)
        return -1;
    if (!v->box)
        s->box = box;
    tori_box_format (&s->box, s->box_name);
    return 0;
}

/* The configuration with its defaults, for the output. */
static int complete (struct study *s, tori_error *err)
{
    const struct values *v = s->values;
    if (v->restart)
        return take_over (s, err);
    s->net = routers_config (&v->routers);
    if (!s->net.packet && s->net.switching == TORI_CUT_THROUGH)
        s->net.packet = v->flits < s->net.buffer ? (uint32_t)v->flits
                                                 : s->net.buffer;
    return routers_complete (s->machine, &s->net, err);
}

static int compute (struct study *s, tori_error *err)
{
    const struct values *v = s->values;
    tori_preempt_config config = {
        .machine = s->machine,
        .box = &s->box,
        .net = s->net,
        .drain = {.method = (tori_drain_method)v->method,
                  .origin = (uint32_t)v->origin,
                  .hop = (uint32_t)v->hop,
                  .words = (uint32_t)v->words},
        .processes = (uint32_t)v->processes,
        .switches = (uint32_t)v->switches,
        .slice = (uint64_t)v->slice,
        .partners = (uint32_t)v->partners,
        .flits = (uint32_t)v->flits,
        .load = fraction_value (v->load),
        .seed = (uint64_t)v->seed,
        .checkpoint = v->checkpoint,
        .restart = v->restart};
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

static bool all_kept (const struct study *s)
{
    for (size_t i = 0; i < s->result.nprocesses; i++)
        if (!tori_preempt_kept (&s->result.processes[i]))
            return false;
    return true;
}

static void emit_config (struct emit *e, const struct study *s)
{
    const struct values *v = s->values;
    char machine[TORI_TEXT_MAX];
    tori_machine_format (s->machine, machine);
    emit_text (e, "machine", machine);
    emit_text (e, "box", s->box_name);
    emit_text (e, "method", methods[v->method]);
    emit_text (e, "switching", routers_switching (s->net.switching));
    routers_emit (e, &s->net);
    if (v->restart)
        return;
    emit_count (e, "flits", (uint64_t)v->flits);
    emit_real (e, "load", fraction_value (v->load));
}

static void emit_switch (struct emit *e, const tori_preempt_switch *change)
{
    const tori_drain_report *drain = &change->drain;
    emit_open (e, NULL, '{');
    emit_count (e, "from", change->from);
    emit_count (e, "to", change->to);
    emit_count (e, "signal", drain->begun);
    emit_count (e, "cycles", drain->cycles);
    emit_count (e, "bound", drain->bound);
    emit_count (e, "interrupts", drain->interrupts);
    emit_count (e, "words", drain->words);
    emit_count (e, "words_used", drain->words_used);
    emit_count (e, "save_cycles", drain->save_cycles);
    emit_count (e, "messages", change->messages);
    emit_count (e, "packets", drain->packets);
    emit_count (e, "flits", drain->flits);
    emit_count (e, "waiting", drain->waiting);
    emit_count (e, "sends", change->sends);
    emit_close (e, '}');
}

static void emit_process (struct emit *e, const tori_preempt_process *process)
{
    char digest[32];
    snprintf (digest, sizeof digest, "%016" PRIx64, process->sum_delivered);
    emit_open (e, NULL, '{');
    emit_count (e, "sent", process->sent);
    emit_count (e, "delivered", process->delivered);
    emit_count (e, "reordered", process->reordered);
    emit_text (e, "digest", digest);
    emit_flag (e, "kept", tori_preempt_kept (process));
    emit_flag (e, "terminated", process->terminated);
    emit_close (e, '}');
}

static int emit_answer (const struct study *s, FILE *out, tori_error *err)
{
    struct emit e = emit_to (out);
    asked_open (&e, "net drain", &command_net_drain, s->values);
    emit_config (&e, s);
    emit_open (&e, "switches", '[');
    for (size_t i = 0; i < s->result.nswitches; i++)
        emit_switch (&e, &s->result.switches[i]);
    emit_close (&e, ']');
    emit_open (&e, "processes", '[');
    for (size_t i = 0; i < s->result.nprocesses; i++)
        emit_process (&e, &s->result.processes[i]);
    emit_close (&e, ']');
    emit_flag (&e, "order_kept", all_kept (s));
    emit_count (&e, "cycles", s->result.cycles);
    emit_close (&e, '}');
    return emit_end (&e, err);
}

static void print_config (const struct study *s, FILE *out)
{
    const struct values *v = s->values;
    const tori_preempt_switch *first = s->result.switches;
    char machine[TORI_TEXT_MAX];
    tori_machine_format (s->machine, machine);
    fprintf (out, "%s, box %s: %s, ", machine, s->box_name,
             routers_switching (s->net.switching));
    routers_print (&s->net, out);
    if (!v->restart)
        fprintf (out,
                 "messages of %" PRId64 " flit%s, %g flits a node a cycle\n",
                 v->flits, v->flits == 1 ? "" : "s",
                 fraction_value (v->load));
    if (s->result.nswitches)
        fprintf (out,
                 "%s: %" PRIu32 " routers, Dmax %" PRIu32 ", Lmax %" PRIu32
                 ", Hmax %" PRId64 "\n",
                 methods[v->method], first->drain.routers,
                 first->drain.diameter, first->drain.longest, v->hop);
}

static int print_switches (const struct study *s, FILE *out, tori_error *err)
{
    static const struct table_column columns[] = {
        {"signal", TABLE_NUMBER},   {"from", TABLE_NUMBER},
        {"to", TABLE_NUMBER},       {"drain", TABLE_NUMBER},
        {"bound", TABLE_NUMBER},    {"save", TABLE_NUMBER},
        {"words", TABLE_NUMBER},    {"messages", TABLE_NUMBER},
        {"packets", TABLE_NUMBER},  {"flits", TABLE_NUMBER},
        {"waiting", TABLE_NUMBER},  {"sends", TABLE_NUMBER}};
    struct table *table;
    int status;
    if (s->result.nswitches == 0)
        return 0;
    table = table_create (columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < s->result.nswitches; i++) {
        const tori_preempt_switch *change = &s->result.switches[i];
        const tori_drain_report *drain = &change->drain;
        table_cell (table, "%" PRIu64, drain->begun);
        table_cell (table, "%" PRIu32, change->from);
        table_cell (table, "%" PRIu32, change->to);
        table_cell (table, "%" PRIu64, drain->cycles);
        table_cell (table, "%" PRIu64, drain->bound);
        table_cell (table, "%" PRIu64, drain->save_cycles);
        table_cell (table, "%" PRIu64, drain->words_used);
        table_cell (table, "%" PRIu64, change->messages);
        table_cell (table, "%" PRIu64, drain->packets);
        table_cell (table, "%" PRIu64, drain->flits);
        table_cell (table, "%" PRIu64, drain->waiting);
        table_cell (table, "%" PRIu64, change->sends);
    }
    fputc ('\n', out);
    status = table_print (table, out, terminal_bold (), err);
    table_destroy (table);
    return status;
}

static int print_processes (const struct study *s, FILE *out, tori_error *err)
{
    static const struct table_column columns[] = {
        {"process", TABLE_NUMBER},   {"sent", TABLE_NUMBER},
        {"delivered", TABLE_NUMBER}, {"out of order", TABLE_NUMBER},
        {"digest", TABLE_TEXT},      {"order", TABLE_TEXT},
        {"ended", TABLE_TEXT}};
    struct table *table =
        table_create (columns, sizeof columns / sizeof *columns);
    int status;
    for (size_t i = 0; i < s->result.nprocesses; i++) {
        const tori_preempt_process *process = &s->result.processes[i];
        table_cell (table, "%zu", i);
        table_cell (table, "%" PRIu64, process->sent);
        table_cell (table, "%" PRIu64, process->delivered);
        table_cell (table, "%" PRIu64, process->reordered);
        table_cell (table, "%016" PRIx64, process->sum_delivered);
        table_cell (table, "%s",
                    tori_preempt_kept (process) ? "kept" : "not kept");
        table_cell (table, "%s", process->terminated ? "yes" : "no");
    }
    fputc ('\n', out);
    status = table_print (table, out, terminal_bold (), err);
    table_destroy (table);
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

static int run (const void *values, FILE *out, tori_error *err)
{
    struct study s = {.values = values};
    int status = -1;
    if (tori_machine_parse (s.values->site.machine, &s.machine, err) == 0
        && find_box (&s, err) == 0 && complete (&s, err) == 0
        && compute (&s, err) == 0)
        status = s.values->json ? emit_answer (&s, out, err)
                                : print_answer (&s, out, err);
    tori_preempt_clear (&s.result);
    tori_machine_destroy (s.machine);
    return status;
}

const struct command command_net_drain = {
    .name = "drain",
    .summary = "Switch processes and their network: drain, save, restore",
    .notes = "Processes take turns on a partition. A row is a switch: the "
             "cycle of the signal, cycles from there to the last interrupt "
             "beside the bound Dmax Lmax + Dmax Hmax, cycles to save the "
             "routers (as many to restore), words of the fullest router, what "
             "is in the routers and in the queues of nodes, and messages that "
             "nodes sent after the signal and before their interrupt. Order "
             "is kept if all that a process sent came, once and in order for "
             "every pair of nodes.",
    .options = options,
    .size = sizeof (struct values),
    .examples = "tori net drain --machine mesh:2^10 --load 0.4\n"
                "tori net drain --machine torus:8x8 --method all-fall-down\n"
                "tori net drain --machine torus:8x8 --checkpoint job.ckpt\n"
                "tori net drain --machine torus:8x8 --restart job.ckpt --json",
    .answer = &answer_net_drain,
    .run = run,
};
