/* Flow times as text, JSON and CSV, beside what the paper says of them. */
#include <inttypes.h>
#include <string.h>

#include "emit.h"
#include "flow.h"
#include "table.h"
#include "wrap.h"

enum { N = FLOW_ALLOCS, LIST = 80, TEXT = 700 };

/* The allocators that the paper ranks, best first: the first three of ours. */
enum { RANKED = 3 };

/* ---- rankings ---- */

/* The first n allocators, best first; ties in the order of the table. */
static void rank (const struct flow_cell cell[N], size_t n, size_t ranking[])
{
    for (size_t i = 0; i < n; i++) {
        size_t at = i;
        while (at > 0 && cell[i].flow < cell[ranking[at - 1]].flow) {
            ranking[at] = ranking[at - 1];
            at--;
        }
        ranking[at] = i;
    }
}

static const char *describe (const struct flow_cell cell[N], char text[LIST])
{
    size_t ranking[N], used = 0;
    rank (cell, N, ranking);
    for (size_t i = 0; i < N; i++)
        used += (size_t)snprintf (text + used, LIST - used, "%s%s",
                                  i ? ", " : "", flow_allocs[ranking[i]]);
    return text;
}

static bool as_printed (const struct flow_cell cell[N])
{
    size_t ranking[N];
    rank (cell, RANKED, ranking);
    for (size_t i = 0; i < RANKED; i++)
        if (ranking[i] != i)
            return false;
    return true;
}

/* ---- tables ---- */

/* Print a table, or write it as NAME.csv, and destroy it. */
static int show (const struct flow *flow, struct table *table, FILE *out,
                 tori_error *err)
{
    int status = table_print (table, out, flow->setup->bold, err);
    table_destroy (table);
    return status;
}

static int store (const struct flow *flow, struct table *table,
                  const char *name, tori_error *err)
{
    int status = paper_write_csv (flow->setup->out, name, table, err);
    table_destroy (table);
    return status;
}

/* What a case is, and when its jobs end, with so many decimals. */
static void fill_case (struct table *table, const struct flow_case *c,
                       int decimals)
{
    table_cell (table, "%s", c->place);
    table_cell (table, "%s", c->pattern);
    table_cell (table, "%" PRIu32, c->flits);
    table_cell (table, "%" PRIu32, c->packet);
    table_cell (table, "%.*f", decimals, c->cycles);
    table_cell (table, "%.*f", decimals, c->fluid);
}

/* ---- for people ---- */

static const char *jobs_of (const struct flow *flow)
{
    const char *slash = flow->path ? strrchr (flow->path, '/') : NULL;
    if (!flow->path)
        return flow->setup->model;
    return slash ? slash + 1 : flow->path;
}

static void print_intro (const struct flow *flow, FILE *out)
{
    char text[TEXT];
    snprintf (text, sizeof text,
              "Mean flow time of a job, in seconds, on a 4x8 mesh, first "
              "come, first served: %s, %zu jobs%s. A job ends when its "
              "messages are through (tori sim --network fluid). exact is the "
              "greedy placement of least pairwise distance at each step. "
              "Printed: mc1x1 was best, followed by mm, and then greedy; "
              "hilbert-bf was much worse than all three, in part due to "
              "difficulties using it on a nonsquare mesh.",
              jobs_of (flow), flow->workload[0].n,
              flow->path ? ", sizes / 4" : "");
    wrap_text (out, text, 0, 0);
}

static void print_title (size_t setting, FILE *out)
{
    const struct flow_setting *is = &flow_settings[setting];
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

static int print_setting (const struct flow *flow, size_t setting, FILE *out,
                        tori_error *err)
{
    static const struct table_column columns[] = {
        {"messages", TABLE_TEXT},     {"mc1x1", TABLE_NUMBER},
        {"mm", TABLE_NUMBER},         {"exact", TABLE_NUMBER},
        {"hilbert-bf", TABLE_NUMBER}, {"best first", TABLE_TEXT},
        {"as printed", TABLE_TEXT},
    };
    struct table *table =
        table_create (columns, sizeof columns / sizeof *columns);
    char list[LIST];
    for (size_t p = 0; p < FLOW_PATTERNS; p++) {
        const struct flow_cell *cell = flow->cell[setting][p];
        table_cell (table, "%s", flow_patterns[p].name);
        for (size_t a = 0; a < N; a++)
            table_cell (table, "%.1f", cell[a].flow);
        table_cell (table, "%s", describe (cell, list));
        table_cell (table, "%s", as_printed (cell) ? "yes" : "no");
    }
    print_title (setting, out);
    return show (flow, table, out, err);
}

static int print_stretch (const struct flow *flow, FILE *out, tori_error *err)
{
    static const struct table_column columns[] = {
        {"speed", TABLE_TEXT},   {"load", TABLE_TEXT},
        {"messages", TABLE_TEXT},
        {"mc1x1", TABLE_NUMBER}, {"mm", TABLE_NUMBER},
        {"exact", TABLE_NUMBER}, {"hilbert-bf", TABLE_NUMBER},
    };
    struct table *table =
        table_create (columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < FLOW_SETTINGS * FLOW_PATTERNS; i++) {
        size_t s = i / FLOW_PATTERNS, p = i % FLOW_PATTERNS;
        table_cell (table, "%" PRIu32 "/%" PRIu32, flow_settings[s].num,
                    flow_settings[s].den);
        if (flow_settings[s].load)
            table_cell (table, "%d %%", flow_settings[s].load);
        else
            table_cell (table, "as it is");
        table_cell (table, "%s", flow_patterns[p].name);
        for (size_t a = 0; a < N; a++)
            table_cell (table, "%.4f", flow->cell[s][p][a].stretch);
    }
    fputs ("\ntime that jobs ran over their time in the log, mean\n", out);
    return show (flow, table, out, err);
}

static double percent (double ours, double reference)
{
    return 100 * (ours - reference) / reference;
}

static int print_cases (const struct flow *flow, FILE *out, tori_error *err)
{
    static const struct table_column columns[] = {
        {"jobs", TABLE_TEXT},    {"messages", TABLE_TEXT},
        {"flits", TABLE_NUMBER}, {"packets", TABLE_NUMBER},
        {"cycles", TABLE_NUMBER}, {"fluid", TABLE_NUMBER},
        {"apart", TABLE_NUMBER}, {"worst", TABLE_NUMBER},
    };
    struct table *table =
        table_create (columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < FLOW_CASES; i++) {
        const struct flow_case *c = &flow->cases[i];
        fill_case (table, c, 1);
        table_cell (table, "%+.1f %%", percent (c->fluid, c->cycles));
        table_cell (table, "%+.1f %%", 100 * c->worst);
    }
    fputs ("\nThe fluid model beside the flit level: when jobs end, on an 8x8 "
           "mesh, wormhole,\n2 virtual channels of 8 flits; mean over the "
           "jobs, and the job that is furthest\napart. Messages of so many "
           "flits are sent in packets of so many.\n\n",
           out);
    return show (flow, table, out, err);
}

int flow_print (const struct flow *flow, FILE *out, tori_error *err)
{
    print_intro (flow, out);
    for (size_t s = 0; s < FLOW_SETTINGS; s++)
        if (print_setting (flow, s, out, err) < 0)
            return -1;
    if (print_stretch (flow, out, err) < 0)
        return -1;
    return print_cases (flow, out, err);
}

/* ---- for programs ---- */

static void emit_cell (struct emit *e, const char *name,
                       const struct flow_cell *cell)
{
    emit_open (e, name, '{');
    emit_real (e, "flow", cell->flow);
    emit_real (e, "wait", cell->wait);
    emit_real (e, "stretch", cell->stretch);
    emit_real (e, "utilization", cell->utilization);
    emit_close (e, '}');
}

static void emit_runs (struct emit *e, const struct flow *flow)
{
    emit_open (e, "runs", '[');
    for (size_t i = 0; i < FLOW_SETTINGS * FLOW_PATTERNS; i++) {
        size_t s = i / FLOW_PATTERNS, p = i % FLOW_PATTERNS;
        emit_open (e, NULL, '{');
        emit_real (e, "inject",
                   (double)flow_settings[s].num / flow_settings[s].den);
        if (flow_settings[s].load)
            emit_real (e, "load", flow_settings[s].load / 100.0);
        emit_text (e, "pattern", flow_patterns[p].name);
        emit_count (e, "rounds", flow_patterns[p].rounds);
        for (size_t a = 0; a < N; a++)
            emit_cell (e, flow_allocs[a], &flow->cell[s][p][a]);
        emit_flag (e, "as_printed", as_printed (flow->cell[s][p]));
        emit_close (e, '}');
    }
    emit_close (e, ']');
}

static void emit_cases (struct emit *e, const struct flow *flow)
{
    emit_open (e, "flits", '[');
    for (size_t i = 0; i < FLOW_CASES; i++) {
        const struct flow_case *c = &flow->cases[i];
        emit_open (e, NULL, '{');
        emit_text (e, "jobs", c->place);
        emit_text (e, "pattern", c->pattern);
        emit_count (e, "flits", c->flits);
        emit_count (e, "packet", c->packet);
        emit_real (e, "cycles", c->cycles);
        emit_real (e, "fluid", c->fluid);
        emit_real (e, "worst", c->worst);
        emit_close (e, '}');
    }
    emit_close (e, ']');
}

int flow_emit (const struct flow *flow, FILE *out, tori_error *err)
{
    struct emit e = emit_to (out);
    answer_open (&e, flow->setup->answer);
    emit_text (&e, "jobs_of", jobs_of (flow));
    emit_count (&e, "jobs", flow->workload[0].n);
    emit_open (&e, "printed", '[');
    for (size_t i = 0; i < RANKED; i++)
        emit_text (&e, NULL, flow_allocs[i]);
    emit_close (&e, ']');
    emit_runs (&e, flow);
    emit_cases (&e, flow);
    emit_close (&e, '}');
    return emit_end (&e, err);
}

static int write_runs (const struct flow *flow, tori_error *err)
{
    static const struct table_column columns[] = {
        {"inject", TABLE_TEXT},    {"load", TABLE_NUMBER},
        {"pattern", TABLE_TEXT},   {"alloc", TABLE_TEXT},
        {"flow", TABLE_NUMBER},    {"wait", TABLE_NUMBER},
        {"stretch", TABLE_NUMBER},
    };
    struct table *table =
        table_create (columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < FLOW_SETTINGS * FLOW_PATTERNS * N; i++) {
        size_t a = i % N, p = i / N % FLOW_PATTERNS;
        const struct flow_setting *setting
            = &flow_settings[i / N / FLOW_PATTERNS];
        const struct flow_cell *cell =
            &flow->cell[i / N / FLOW_PATTERNS][p][a];
        table_cell (table, "%" PRIu32 "/%" PRIu32, setting->num,
                    setting->den);
        if (setting->load)
            table_cell (table, "0.%d", setting->load);
        else
            table_cell (table, "%s", "");
        table_cell (table, "%s", flow_patterns[p].name);
        table_cell (table, "%s", flow_allocs[a]);
        table_cell (table, "%.6f", cell->flow);
        table_cell (table, "%.6f", cell->wait);
        table_cell (table, "%.6f", cell->stretch);
    }
    return store (flow, table, "flow", err);
}

static int write_cases (const struct flow *flow, tori_error *err)
{
    static const struct table_column columns[] = {
        {"jobs", TABLE_TEXT},    {"pattern", TABLE_TEXT},
        {"flits", TABLE_NUMBER}, {"packet", TABLE_NUMBER},
        {"cycles", TABLE_NUMBER}, {"fluid", TABLE_NUMBER},
        {"worst", TABLE_NUMBER},
    };
    struct table *table =
        table_create (columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < FLOW_CASES; i++) {
        const struct flow_case *c = &flow->cases[i];
        fill_case (table, c, 3);
        table_cell (table, "%.6f", c->worst);
    }
    return store (flow, table, "flow-flits", err);
}

int flow_write_csv (const struct flow *flow, tori_error *err)
{
    return write_runs (flow, err) < 0 ? -1 : write_cases (flow, err);
}
