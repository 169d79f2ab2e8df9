#include "result.h"

#include <inttypes.h>
#include <math.h>

#include "table.h"

void summary_emit (struct emit *e, const char *key,
                   const tori_summary *summary)
{
    emit_open (e, key, '{');
    emit_real (e, "mean", summary->mean);
    emit_real (e, "p50", summary->p50);
    emit_real (e, "p90", summary->p90);
    emit_real (e, "p99", summary->p99);
    emit_real (e, "max", summary->max);
    emit_close (e, '}');
}

void result_emit (struct emit *e, const tori_sim_result *r)
{
    emit_count (e, "jobs", r->jobs);
    emit_count (e, "rejected", r->rejected);
    emit_real (e, "utilization", r->utilization);
    emit_real (e, "offered", r->offered);
    emit_real (e, "makespan", r->makespan);
    summary_emit (e, "response", &r->response);
    summary_emit (e, "wait", &r->wait);
    summary_emit (e, "slowdown", &r->slowdown);
    summary_emit (e, "bounded_slowdown", &r->bounded_slowdown);
    emit_count (e, "zero_runtime", r->zero_runtime);
    emit_open (e, "delay", '{');
    emit_real (e, "numerical", r->numerical);
    emit_real (e, "topological", r->topological);
    emit_close (e, '}');
    emit_real (e, "pairwise", r->pairwise);
    emit_real (e, "average", r->average);
    emit_real (e, "internal_fragmentation", r->internal_fragmentation);
    emit_real (e, "external_fragmentation", r->external_fragmentation);
    emit_count (e, "events", r->events);
}

static int print_measures (const tori_sim_result *r, FILE *out,
                           tori_error *err)
{
    static const struct table_column columns[2];
    struct table *table = table_create (columns, 2);
    int status;
    table_cell (table, "jobs");
    table_cell (table, "%zu run, %zu rejected", r->jobs, r->rejected);
    table_cell (table, "utilization");
    table_cell (table, "%.2f %% of an offered load of %.2f %%",
                100 * r->utilization, 100 * r->offered);
    table_cell (table, "makespan");
    table_cell (table, "%.0f s", r->makespan);
    table_cell (table, "delay");
    table_cell (table, "%.1f s for want of nodes, %.1f s for want of a box",
                r->numerical, r->topological);
    if (!isnan (r->average)) {
        table_cell (table, "distance");
        table_cell (table, "%.2f hops between two nodes of a job", r->average);
    }
    table_cell (table, "fragmentation");
    table_cell (table, "%.2f %% internal, %.2f %% external",
                100 * r->internal_fragmentation,
                100 * r->external_fragmentation);
    table_cell (table, "events");
    table_cell (table, "%" PRIu64, r->events);
    status = table_print (table, out, false, err);
    table_destroy (table);
    return status;
}

static void summary_row (struct table *table, const char *name,
                         const tori_summary *s, int decimals)
{
    const double values[] = {s->mean, s->p50, s->p90, s->p99, s->max};
    table_cell (table, "%s", name);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        table_cell (table, "%.*f", decimals, values[i]);
}

static int print_summaries (const tori_sim_result *r, FILE *out, bool bold,
                            tori_error *err)
{
    static const struct table_column columns[] = {
        {"", TABLE_TEXT},      {"mean", TABLE_NUMBER}, {"p50", TABLE_NUMBER},
        {"p90", TABLE_NUMBER}, {"p99", TABLE_NUMBER},  {"max", TABLE_NUMBER},
    };
    struct table *table =
        table_create (columns, sizeof columns / sizeof *columns);
    int status;
    summary_row (table, "response, s", &r->response, 1);
    summary_row (table, "wait, s", &r->wait, 1);
    summary_row (table, "slowdown", &r->slowdown, 2);
    summary_row (table, "bounded slowdown", &r->bounded_slowdown, 2);
    status = table_print (table, out, bold, err);
    table_destroy (table);
    return status;
}

/* Why the mean slowdown may be below the mean bounded one. */
static void print_zero_runtime (const tori_sim_result *r, FILE *out)
{
    if (r->zero_runtime > 0)
        fprintf (out,
                 "\njobs that ran for 0 s: %zu; they count as 10 s in bounded "
                 "slowdown, in slowdown not at all\n",
                 r->zero_runtime);
}

int result_print (const tori_sim_result *result, FILE *out, bool bold,
                  tori_error *err)
{
    if (print_measures (result, out, err) < 0)
        return -1;
    fputc ('\n', out);
    if (print_summaries (result, out, bold, err) < 0)
        return -1;
    print_zero_runtime (result, out);
    return 0;
}
