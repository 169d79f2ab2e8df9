/* A. Hori et al., "Time Space Sharing Scheduling and Architectural Support",
 * 1995, section 4: how long it takes to drain a partition's network and to
 * save its routers, on partitions up to their 1,024 processors; and how long
 * the CM-5's all-fall-down takes instead. */
#include <inttypes.h>
#include <stdlib.h>

#include <tori/preempt.h>

#include "paper.h"
#include "saved_routers.h"

enum { FLITS = 16, SWITCHES = 6, SLICE = 300 };

/* A ring whose links have more virtual channels than Dmax, which is 1. */
enum { RING_CHANNELS = 8, RING_SEEDS = 20, RING_SWITCHES = 12, RING_SLICE = 97 };

/* The first is theirs: its network partitions as a hypercube does. */
static const struct {
    const char *machine, *name;
} machines[] = {
    {"mesh:2^10", "hypercube of 1024"},
    {"mesh:2^6", "hypercube of 64"},
    {"torus:8x8", "torus:8x8"},
    {"torus:16x16", "torus:16x16"},
    {"torus:32x32", "torus:32x32"},
    {"mesh:32x32", "mesh:32x32"},
    {"torus:8x8x8", "torus:8x8x8"},
    {"torus:10x10x10", "torus:10x10x10"},
};

/* Flits per node and cycle; the last is more than any of these can carry. */
static const double loads[] = {0.05, 0.2, 0.4, 1};

/* Nodes send to all others, or each to one. */
static const struct kind {
    const char *name;
    tori_drain_method method;
    uint32_t partners;
} kinds[] = {
    {"drain", TORI_DRAIN, 0},
    {"all-fall-down", TORI_ALL_FALL_DOWN, 0},
    {"drain", TORI_DRAIN, 1},
    {"all-fall-down", TORI_ALL_FALL_DOWN, 1},
};

enum {
    MACHINES = sizeof machines / sizeof *machines,
    LOADS = sizeof loads / sizeof *loads,
    KINDS = sizeof kinds / sizeof *kinds,
    ROWS = MACHINES * LOADS * KINDS
};

struct row {
    const char *machine, *name, *method;
    uint32_t partners;
    double load;
    uint64_t lost;
    uint32_t routers;
    double drain; /* mean of the switches */
    uint64_t drain_most, bound;
    uint64_t save, words, words_used;
    double messages, waiting; /* means: messages, packets */
    uint64_t sent, delivered, reordered;
    bool contents; /* every message that was sent arrived, once */
};

/* Rows are by machine, load and kind. */
struct study {
    const struct paper_setup *setup;
    struct row *rows;
    uint64_t drain, save; /* the most that the paper expects */
    size_t ring_late;     /* drains of the ring beyond the bound */
    struct saved_end end;
    struct saved_garbage garbage;
};

/* ---- computing ---- */

static void sum_up (const tori_preempt_result *result, struct row *row)
{
    *row = (struct row){.contents = true};
    for (size_t i = 0; i < result->nswitches; i++) {
        const tori_preempt_switch *s = &result->switches[i];
        const tori_drain_report *d = &s->drain;
        double n = (double)result->nswitches;
        row->routers = d->routers;
        row->bound = d->bound;
        row->save = d->save_cycles;
        row->words = d->words;
        if (d->words_used > row->words_used)
            row->words_used = d->words_used;
        if (d->cycles > row->drain_most)
            row->drain_most = d->cycles;
        row->drain += (double)d->cycles / n;
        row->messages += (double)s->messages / n;
        row->waiting += (double)d->waiting / n;
    }
    for (size_t i = 0; i < result->nprocesses; i++) {
        const tori_preempt_process *p = &result->processes[i];
        row->sent += p->sent;
        row->delivered += p->delivered;
        row->reordered += p->reordered;
        row->contents &= p->sum_sent == p->sum_delivered && p->terminated;
    }
}

static int run_piece (void *arg, size_t piece, tori_error *err)
{
    struct study *study = arg;
    const struct kind *kind = &kinds[piece % KINDS];
    tori_machine *machine;
    tori_preempt_result result;
    tori_net_config net = {.size = sizeof net,
                           .switching = TORI_CUT_THROUGH,
                           .buffer = FLITS};
    tori_drain_config drain = {.size = sizeof drain, .method = kind->method};
    tori_preempt_config config = {.size = sizeof config,
        .net = &net,
        .drain = &drain,
        .partners = kind->partners,
        .switches = SWITCHES,
        .slice = study->setup->limit ? study->setup->limit : SLICE,
        .flits = FLITS,
        .load = loads[piece / KINDS % LOADS],
        .seed = study->setup->seed};
    int status;
    const char *name = machines[piece / KINDS / LOADS].machine;
    if (tori_machine_parse (name, &machine, err) < 0)
        return -1;
    config.machine = machine;
    status = tori_preempt_run (&config, &result, err);
    if (status == 0) {
        sum_up (&result, &study->rows[piece]);
        tori_preempt_clear (&result);
    }
    tori_machine_destroy (machine);
    return status;
}

static size_t count_late_switches (const tori_preempt_result *result)
{
    size_t late = 0;
    for (size_t i = 0; i < result->nswitches; i++)
        late += result->switches[i].drain.cycles
                > result->switches[i].drain.bound;
    return late;
}

/* The bound does not take into account that channels share a link. */
static int run_ring (struct study *study, tori_error *err)
{
    tori_net_config net = {.size = sizeof net,
                           .switching = TORI_CUT_THROUGH,
                           .buffer = FLITS,
                           .vcs = RING_CHANNELS};
    tori_preempt_config config
        = {.size = sizeof config,
           .net = &net,
           .switches = RING_SWITCHES,
           .slice = RING_SLICE,
           .flits = FLITS,
           .load = 1};
    tori_machine *machine;
    int status = 0;
    if (tori_machine_parse ("torus:3", &machine, err) < 0)
        return -1;
    config.machine = machine;
    for (uint64_t i = 0; status == 0 && i < RING_SEEDS; i++) {
        tori_preempt_result result;
        config.seed = study->setup->seed + i;
        status = tori_preempt_run (&config, &result, err);
        if (status < 0)
            break;
        study->ring_late += count_late_switches (&result);
        tori_preempt_clear (&result);
    }
    tori_machine_destroy (machine);
    return status;
}

/* ---- printing ---- */

/* The settings of a row, beside its results. */
static void name_rows (struct study *study)
{
    for (size_t i = 0; i < ROWS; i++) {
        struct row *row = &study->rows[i];
        uint32_t given = kinds[i % KINDS].partners;
        row->machine = machines[i / KINDS / LOADS].machine;
        row->name = machines[i / KINDS / LOADS].name;
        row->load = loads[i / KINDS % LOADS];
        row->method = kinds[i % KINDS].name;
        row->partners = given ? given : row->routers - 1;
        row->lost = row->sent - row->delivered + !row->contents;
    }
}

#define AT(member) FIELD_AT (struct row, member)
static const struct field row_fields[] = {
    {"machine", FIELD_TEXT, AT (machine), "the machine"},
    {"network", FIELD_TEXT, AT (name), "the same in words",
     .title = "machine"},
    {"routers", FIELD_UINT, AT (routers), "routers of the partition",
     .title = "routers"},
    {"load", FIELD_REAL, AT (load), "the load", "flits per node and cycle",
     "load", 2},
    {"method", FIELD_TEXT, AT (method), "how the network is emptied",
     .title = "method"},
    {"partners", FIELD_UINT, AT (partners), "nodes that each node sends to",
     .title = "partners"},
    {"messages", FIELD_REAL, AT (messages),
     "messages in routers at the signal, in the mean", .title = "messages"},
    {"waiting", FIELD_REAL, AT (waiting),
     "packets that wait at their source, in the mean"},
    {"drain", FIELD_REAL, AT (drain),
     "from the signal to the last interrupt, in the mean", "cycles", "drain",
     1},
    {"drain_most", FIELD_COUNT, AT (drain_most), "the same at most", "cycles",
     "most"},
    {"bound", FIELD_COUNT, AT (bound), "Dmax Lmax + Dmax Hmax", "cycles",
     "bound"},
    {"save", FIELD_COUNT, AT (save), "to save a router, one word per cycle",
     "cycles", "save"},
    {"words", FIELD_COUNT, AT (words), "words of a router"},
    {"words_used", FIELD_COUNT, AT (words_used),
     "words in use of the fullest router", .title = "words"},
    {"sent", FIELD_COUNT, AT (sent), "messages that were sent",
     .title = "sent"},
    {"delivered", FIELD_COUNT, AT (delivered), "messages that arrived"},
    {"reordered", FIELD_COUNT, AT (reordered),
     "messages overtaken by a later one of their pair",
     .title = "overtaken"},
    {"lost", FIELD_COUNT, AT (lost),
     "messages that did not arrive, or not as they were", .title = "lost"},
    {"contents", FIELD_FLAG, AT (contents),
     "whether all arrived as they were sent"},
};
static const struct sheet row_sheet = {"preemption",
                                       SHEET_FIELDS (row_fields)};

static const struct field printed_fields[] = {
    {"drain", FIELD_COUNT, FIELD_AT (struct study, drain),
     "what the paper expects a drain to take at most", "cycles"},
    {"save", FIELD_COUNT, FIELD_AT (struct study, save),
     "what it expects saving to take at most", "cycles"},
};
static const struct sheet printed_sheet
    = {"printed", SHEET_FIELDS (printed_fields)};

static const struct field answer_fields[] = {
    {"printed", FIELD_GROUP, .about = "of 1,024 processors",
     .group = &printed_sheet},
    {"rows", FIELD_LIST, .about = "every simulation", .group = &row_sheet},
};
static const struct sheet answer_sheet
    = {"preemption", SHEET_FIELDS (answer_fields)};

/* The longest drains of the paper's machine, at any load. */
static uint64_t longest_drain (const struct study *study)
{
    uint64_t most = 0;
    for (size_t i = 0; i < LOADS * KINDS; i++)
        if (kinds[i % KINDS].method == TORI_DRAIN
            && study->rows[i].drain_most > most)
            most = study->rows[i].drain_most;
    return most;
}

/* Messages that were overtaken, and rows whose drain took longer than the
 * bound. */
static uint64_t count_overtaken (const struct study *study,
                                 tori_drain_method method)
{
    uint64_t n = 0;
    for (size_t i = 0; i < ROWS; i++)
        if (kinds[i % KINDS].method == method)
            n += study->rows[i].reordered;
    return n;
}

static int count_late (const struct study *study)
{
    int n = 0;
    for (size_t i = 0; i < ROWS; i++)
        n += kinds[i % KINDS].method == TORI_DRAIN
             && study->rows[i].drain_most > study->rows[i].bound;
    return n;
}

static void judge_channels (struct paper_run *run)
{
    const struct study *study = run->study;
    verdict_compare (run,
                     &(struct published){"Section 4",
                                         "the same, more virtual channels than "
                                         "Dmax",
                                         "never exceeded",
                                         "channels take turns on a link"},
                     study->ring_late == 0,
                     "exceeded in %zu of %d drains of torus:3 with %d "
                     "channels",
                     study->ring_late, RING_SEEDS * RING_SWITCHES,
                     RING_CHANNELS);
}

/* Saved routers are good for more than fast switches. */
static void judge_saved (struct paper_run *run)
{
    const struct study *study = run->study;
    const struct saved_end *end = &study->end;
    const struct saved_garbage *garbage = &study->garbage;
    uint64_t lost = 0;
    for (size_t i = 0; i < ROWS; i++)
        lost += study->rows[i].lost;
    verdict_compare (run,
                     &(struct published){"Section 3.3",
                                         "the end of a computation, by saved "
                                         "routers",
                                         "detected", "some looks are wrong"},
                     end->wrong == 0,
                     "%zu of %zu looks right, %zu without routers",
                     end->looks - end->wrong, end->looks,
                     end->looks - end->blind);
    verdict_compare (run,
                     &(struct published){"Section 3.3",
                                         "global garbage collection, by saved "
                                         "routers",
                                         "the same technique",
                                         "some objects are marked wrong"},
                     garbage->wrong == 0,
                     "%zu of %zu marks right, %zu living objects lost without "
                     "routers",
                     garbage->objects - garbage->wrong, garbage->objects,
                     garbage->blind);
    verdict_compare (run,
                     &(struct published){"Section 3.3",
                                         "checkpointing: routers are stored "
                                         "and restored",
                                         "can be restarted",
                                         "messages are lost"},
                     lost == 0, "%" PRIu64 " messages lost in %d switches",
                     lost, ROWS * SWITCHES);
}

static void judge_study (struct paper_run *run)
{
    const struct study *study = run->study;
    const struct row *row = study->rows, *small = row + LOADS * KINDS;
    uint64_t drain = longest_drain (study), ordered, fallen;
    int late = count_late (study);
    ordered = count_overtaken (study, TORI_DRAIN);
    fallen = count_overtaken (study, TORI_ALL_FALL_DOWN);
    verdict_compare (run,
                     &(struct published){"Section 4",
                                         "bound Dmax Lmax + Dmax Hmax, 2 "
                                         "virtual channels",
                                         "never exceeded", "it is exceeded"},
                     late == 0, "exceeded in %d of %d drains", late,
                     ROWS / 2);
    judge_channels (run);
    verdict_compare (run,
                     &(struct published){"Section 4",
                                         "drain of 1,024 processors, cycles",
                                         "< 200", "it takes longer"},
                     drain < study->drain,
                     "%" PRIu64 ", by the bound %" PRIu64, drain, row->bound);
    verdict_compare (run,
                     &(struct published){"Section 4",
                                         "saving or restoring routers, cycles",
                                         "< 2,000", "it takes longer"},
                     row->save < study->save, "%" PRIu64, row->save);
    verdict_compare (run,
                     &(struct published){"Section 3.3",
                                         "order of messages after a drain",
                                         "preserved", "messages overtake"},
                     ordered == 0, "%" PRIu64 " overtaken", ordered);
    verdict_compare (run,
                     &(struct published){"Section 3.3",
                                         "the same after all-fall-down",
                                         "not preserved", "none overtakes"},
                     fallen > 0, "%" PRIu64 " overtaken", fallen);
    verdict_compare (run,
                     &(struct published){
                         "Section 3.3", "time to preempt a network",
                         "may not depend on its size",
                         "the bound grows with the diameter"},
                     small->bound == row->bound,
                     "%" PRIu64 " cycles for 64, %" PRIu64 " for 1,024",
                     small->bound, row->bound);
    judge_saved (run);
    verdict_refuse (run,
                    &(struct published){"Section 4",
                                        "a switch on the RWC-1, us", "< 500",
                                        "kernels are not simulated"},
                    "%.1f for the network at 50 MHz",
                    (double)(row->bound + 2 * row->save) / 50);
    verdict_refuse (run,
                    &(struct published){"Section 4",
                                        "a switch on the CM-5, us", "4,000",
                                        "it was measured on that machine"},
                    "-");
}

static void print_study (struct paper_run *run)
{
    const struct study *study = run->study;
    paper_say (run,
               "Messages in routers; cycles from the signal to the last "
               "interrupt (mean and most of the switches) beside Dmax Lmax + "
               "Dmax Hmax; cycles to save a router, one word per cycle; words "
               "of the fullest one; messages overtaken by a later one of "
               "their pair. The same where all falls down, and with one "
               "partner for each node.\n");
    paper_table (run, 0);
    paper_say (run,
               "\nWith 1,024 processors the paper expects less than %" PRIu64
               " cycles to drain and less than 2,000 to save or restore the "
               "routers. Here a hypercube of 1024 took up to %" PRIu64
               " and %" PRIu64 ".",
               study->drain, longest_drain (study), study->rows[0].save);
}

static int compute_study (struct paper_run *run, tori_error *err)
{
    struct study *study = run->study;
    *study = (struct study){.setup = run->setup, .drain = 200, .save = 2000};
    study->rows = paper_rows (run, 0, ROWS, sizeof *study->rows, err);
    if (!study->rows
        || run_ring (study, err) < 0
        || saved_end_run (run->setup->seed, &study->end, err) < 0
        || saved_garbage_run (run->setup->seed, &study->garbage, err) < 0
        || paper_do_pieces (run->setup, ROWS, run_piece, study, err) < 0)
        return -1;
    name_rows (study);
    return 0;
}

const struct paper paper_preemption = {
    .name = "preemption",
    .citation = paper_hori_1995,
    .what = "network preemption: how long a partition's network takes to be "
            "drained and saved, against the bound of section 4, and compared "
            "with the CM-5's all-fall-down",
    .takes = PAPER_LIMIT,
    .quick = {.limit = 40},
    .answer = &answer_sheet,
    .size = sizeof (struct study),
    .compute = compute_study,
    .judge = judge_study,
    .print = print_study,
};
