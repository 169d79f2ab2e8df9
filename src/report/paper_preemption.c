/* A. Hori et al., "Time Space Sharing Scheduling and Architectural Support",
 * 1995, section 4: how long it takes to drain a partition's network and to
 * save its routers, on partitions up to their 1,024 processors; and what the
 * CM-5's way, by which all falls down, takes in its place. */
#include <inttypes.h>
#include <stdlib.h>

#include <tori/preempt.h>

#include "emit.h"
#include "paper.h"
#include "table.h"
#include "wrap.h"

enum { FLITS = 16, SWITCHES = 6, SLICE = 300 };

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

/* Flits a node a cycle; the last is more than any of these can carry. */
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
enum { STAYS, FALLS, STAYS_PAIRS, FALLS_PAIRS };

enum {
    MACHINES = sizeof machines / sizeof *machines,
    LOADS = sizeof loads / sizeof *loads,
    KINDS = sizeof kinds / sizeof *kinds,
    ROWS = MACHINES * LOADS * KINDS
};

struct row {
    uint32_t routers;
    double drain; /* mean of the switches */
    uint64_t drain_most, bound;
    uint64_t save, words, words_used;
    double messages, waiting; /* means: messages, packets */
    uint64_t sent, delivered, reordered;
    bool contents; /* all that was sent came, once */
};

struct study {
    const struct paper_setup *setup;
    struct row rows[ROWS]; /* by machine, load, kind */
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

static int simulate (void *arg, size_t piece, tori_error *err)
{
    struct study *study = arg;
    const struct kind *kind = &kinds[piece % KINDS];
    tori_machine *machine;
    tori_preempt_result result;
    tori_preempt_config config = {
        .net = {.switching = TORI_CUT_THROUGH, .buffer = FLITS},
        .drain.method = kind->method,
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

/* ---- printing ---- */

static uint32_t partners (const struct row *row, size_t i)
{
    uint32_t given = kinds[i % KINDS].partners;
    return given ? given : row->routers - 1;
}

/* All simulations, a row each. */
static struct table *make_list (const struct study *study)
{
    static const struct table_column columns[] = {
        {"machine", TABLE_TEXT},      {"routers", TABLE_NUMBER},
        {"load", TABLE_NUMBER},       {"method", TABLE_TEXT},
        {"partners", TABLE_NUMBER},   {"drain", TABLE_NUMBER},
        {"drain_most", TABLE_NUMBER}, {"bound", TABLE_NUMBER},
        {"save", TABLE_NUMBER},       {"words", TABLE_NUMBER},
        {"words_used", TABLE_NUMBER}, {"messages", TABLE_NUMBER},
        {"waiting", TABLE_NUMBER},    {"sent", TABLE_NUMBER},
        {"delivered", TABLE_NUMBER},  {"reordered", TABLE_NUMBER}};
    struct table *table =
        table_create (columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < ROWS; i++) {
        const struct row *row = &study->rows[i];
        table_cell (table, "%s", machines[i / KINDS / LOADS].machine);
        table_cell (table, "%" PRIu32, row->routers);
        table_cell (table, "%g", loads[i / KINDS % LOADS]);
        table_cell (table, "%s", kinds[i % KINDS].name);
        table_cell (table, "%" PRIu32, partners (row, i));
        table_cell (table, "%.2f", row->drain);
        table_cell (table, "%" PRIu64, row->drain_most);
        table_cell (table, "%" PRIu64, row->bound);
        table_cell (table, "%" PRIu64, row->save);
        table_cell (table, "%" PRIu64, row->words);
        table_cell (table, "%" PRIu64, row->words_used);
        table_cell (table, "%.1f", row->messages);
        table_cell (table, "%.1f", row->waiting);
        table_cell (table, "%" PRIu64, row->sent);
        table_cell (table, "%" PRIu64, row->delivered);
        table_cell (table, "%" PRIu64, row->reordered);
    }
    return table;
}

static void fill_row (struct table *table, const struct row row[KINDS],
                      size_t i)
{
    const struct row *stays = &row[STAYS], *falls = &row[FALLS];
    uint64_t lost = 0;
    for (int k = 0; k < KINDS; k++)
        lost += row[k].sent - row[k].delivered + !row[k].contents;
    table_cell (table, "%s", machines[i / LOADS].name);
    table_cell (table, "%" PRIu32, stays->routers);
    table_cell (table, "%g", loads[i % LOADS]);
    table_cell (table, "%.0f", stays->messages);
    table_cell (table, "%.1f", stays->drain);
    table_cell (table, "%" PRIu64, stays->drain_most);
    table_cell (table, "%" PRIu64, stays->bound);
    table_cell (table, "%" PRIu64, stays->save);
    table_cell (table, "%" PRIu64, stays->words_used);
    table_cell (table, "%" PRIu64,
                stays->reordered + row[STAYS_PAIRS].reordered);
    table_cell (table, "%.1f", falls->drain);
    table_cell (table, "%" PRIu64, falls->drain_most);
    table_cell (table, "%" PRIu64, falls->reordered);
    table_cell (table, "%" PRIu64, row[FALLS_PAIRS].reordered);
    table_cell (table, "%" PRIu64, row[FALLS_PAIRS].sent);
    table_cell (table, "%" PRIu64, lost);
}

static struct table *make_table (const struct study *study)
{
    static const struct table_column columns[] = {
        {"machine", TABLE_TEXT},    {"routers", TABLE_NUMBER},
        {"load", TABLE_NUMBER},     {"messages", TABLE_NUMBER},
        {"drain", TABLE_NUMBER},    {"most", TABLE_NUMBER},
        {"bound", TABLE_NUMBER},    {"save", TABLE_NUMBER},
        {"words", TABLE_NUMBER},    {"overtaken", TABLE_NUMBER},
        {"fall", TABLE_NUMBER},     {"most", TABLE_NUMBER},
        {"overtaken", TABLE_NUMBER}, {"pairs", TABLE_NUMBER},
        {"of", TABLE_NUMBER},       {"lost", TABLE_NUMBER}};
    struct table *table =
        table_create (columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < MACHINES * LOADS; i++)
        fill_row (table, &study->rows[i * KINDS], i);
    return table;
}

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

static int print (const struct study *study, struct table *table, FILE *out,
                  tori_error *err)
{
    char text[400];
    fputs ("Messages in routers; cycles from the signal to the last interrupt "
           "(mean and\nmost of the switches) beside Dmax Lmax + Dmax Hmax; "
           "cycles to save a router, a\nword a cycle; words of the fullest "
           "one; messages overtaken by a later one of\ntheir pair. The same "
           "where all falls down, the last time with one partner for\neach "
           "node.\n\n",
           out);
    if (table_print (table, out, study->setup->bold, err) < 0)
        return -1;
    snprintf (text, sizeof text,
              "With 1,024 processors the paper expects less than 200 cycles "
              "to drain and less than 2,000 to save or restore the routers. "
              "Here a hypercube of 1024 took up to %" PRIu64 " and %" PRIu64
              ".",
              longest_drain (study), study->rows[0].save);
    fputc ('\n', out);
    wrap_text (out, text, 0, 0);
    return 0;
}

static void emit_row (struct emit *e, const struct row *row, size_t i)
{
    emit_open (e, NULL, '{');
    emit_text (e, "machine", machines[i / KINDS / LOADS].machine);
    emit_count (e, "routers", row->routers);
    emit_real (e, "load", loads[i / KINDS % LOADS]);
    emit_text (e, "method", kinds[i % KINDS].name);
    emit_count (e, "partners", partners (row, i));
    emit_real (e, "drain", row->drain);
    emit_count (e, "drain_most", row->drain_most);
    emit_count (e, "bound", row->bound);
    emit_count (e, "save", row->save);
    emit_count (e, "words", row->words);
    emit_count (e, "words_used", row->words_used);
    emit_real (e, "messages", row->messages);
    emit_real (e, "waiting", row->waiting);
    emit_count (e, "sent", row->sent);
    emit_count (e, "delivered", row->delivered);
    emit_count (e, "reordered", row->reordered);
    emit_flag (e, "contents", row->contents);
    emit_close (e, '}');
}

static int emit (const struct study *study, FILE *out, tori_error *err)
{
    struct emit e = emit_to (out);
    answer_open (&e, study->setup->answer);
    emit_open (&e, "printed", '{');
    emit_count (&e, "drain", 200);
    emit_count (&e, "save", 2000);
    emit_close (&e, '}');
    emit_open (&e, "rows", '[');
    for (size_t i = 0; i < ROWS; i++)
        emit_row (&e, &study->rows[i], i);
    emit_close (&e, ']');
    emit_close (&e, '}');
    return emit_end (&e, err);
}

static int report (const struct study *study, FILE *out, tori_error *err)
{
    struct table *table = make_table (study), *list = make_list (study);
    int status = 0;
    if (study->setup->out)
        status = paper_write_csv (study->setup->out, "preemption", list, err);
    if (status == 0)
        status = study->setup->json ? emit (study, out, err)
                                    : print (study, table, out, err);
    table_destroy (table);
    table_destroy (list);
    return status;
}

static int run (const struct paper_setup *setup, FILE *out, tori_error *err)
{
    struct study *study = calloc (1, sizeof *study);
    int status = -1;
    if (!study)
        return tori_error_nomem (err);
    study->setup = setup;
    if (paper_open_out (setup->out, err) == 0
        && paper_do_pieces (setup, ROWS, simulate, study, err) == 0)
        status = report (study, out, err);
    free (study);
    return status;
}

const struct paper paper_preemption = {
    .name = "preemption",
    .citation = paper_hori_1995,
    .what = "network preemption: how long a partition's network takes to be "
            "drained and saved, against the bound of section 4, and beside "
            "letting all fall down",
    .takes = PAPER_LIMIT,
    .run = run,
};
