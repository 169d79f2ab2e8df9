#include "traffic_result.h"

#include <inttypes.h>

#include "outfile.h"
#include "table.h"

struct link_loads link_loads (const tori_traffic_result *result,
                              const tori_net_config *config)
{
    double most = (double)result->measured * config->width, sum = 0;
    struct link_loads loads = {0};
    if (most == 0)
        return loads;
    for (size_t i = 0; i < result->nlinks; i++) {
        const tori_net_link *link = &result->links[i];
        sum += (double)link->flits;
        if (!loads.busiest || link->flits > loads.busiest->flits)
            loads.busiest = link;
    }
    if (loads.busiest) {
        loads.mean = sum / most / (double)result->nlinks;
        loads.most = (double)loads.busiest->flits / most;
    }
    return loads;
}

void outcome_emit (struct emit *e, const tori_traffic_outcome *o)
{
    emit_count (e, "messages", o->messages);
    emit_count (e, "flits", o->flits);
    emit_open (e, "latency", '{');
    emit_real (e, "mean", o->latency.mean);
    emit_count (e, "p50", o->latency.p50);
    emit_count (e, "p90", o->latency.p90);
    emit_count (e, "p99", o->latency.p99);
    emit_count (e, "max", o->latency.max);
    emit_close (e, '}');
    emit_real (e, "waited", o->waited);
    emit_real (e, "blocked", o->blocked);
    emit_real (e, "hops", o->hops);
    emit_real (e, "offered", o->offered);
    emit_real (e, "accepted", o->accepted);
    emit_count (e, "finish", o->finish);
    emit_flag (e, "saturated", o->saturated);
    emit_flag (e, "unfinished", o->unfinished);
}

static void emit_node (struct emit *e, const char *key,
                       const tori_machine *machine, uint32_t node)
{
    uint32_t coords[TORI_MAX_DIMS];
    tori_machine_coords (machine, node, coords);
    emit_counts (e, key, coords, (size_t)tori_machine_ndims (machine));
}

void loads_emit (struct emit *e, const char *key, const tori_machine *machine,
                 const tori_traffic_result *result,
                 const tori_net_config *config)
{
    struct link_loads loads = link_loads (result, config);
    emit_open (e, key, '{');
    emit_count (e, "links", result->nlinks);
    emit_real (e, "mean", loads.mean);
    emit_real (e, "max", loads.most);
    if (loads.busiest) {
        emit_open (e, "busiest", '{');
        emit_node (e, "from", machine, loads.busiest->from);
        emit_node (e, "to", machine, loads.busiest->to);
        emit_count (e, "dim", (uint64_t)loads.busiest->dim);
        emit_close (e, '}');
    }
    emit_close (e, '}');
}

/* ---- every link ---- */

static double load_of (const tori_net_link *link,
                       const tori_traffic_result *result,
                       const tori_net_config *config)
{
    double most = (double)result->measured * config->width;
    return most > 0 ? (double)link->flits / most : 0;
}

void links_emit (struct emit *e, const char *key, const tori_machine *machine,
                 const tori_traffic_result *result,
                 const tori_net_config *config)
{
    emit_open (e, key, '[');
    for (size_t i = 0; i < result->nlinks; i++) {
        const tori_net_link *link = &result->links[i];
        emit_open (e, NULL, '{');
        emit_node (e, "from", machine, link->from);
        emit_node (e, "to", machine, link->to);
        emit_count (e, "dim", (uint64_t)link->dim);
        emit_whole (e, "step", link->step);
        emit_count (e, "flits", link->flits);
        emit_real (e, "load", load_of (link, result, config));
        emit_close (e, '}');
    }
    emit_close (e, ']');
}

static void add_link (struct table *table, const tori_machine *machine,
                      const tori_net_link *link, double load)
{
    char from[TORI_TEXT_MAX], to[TORI_TEXT_MAX];
    tori_node_format (machine, link->from, from);
    tori_node_format (machine, link->to, to);
    table_cell (table, "%s", from);
    table_cell (table, "%s", to);
    table_cell (table, "%d", link->dim);
    table_cell (table, "%d", link->step);
    table_cell (table, "%" PRIu64, link->flits);
    table_cell (table, "%.6f", load);
}

int links_write (const tori_machine *machine,
                 const tori_traffic_result *result,
                 const tori_net_config *config, const char *path,
                 tori_error *err)
{
    static const struct table_column columns[] = {
        {"from"}, {"to"}, {"dim"}, {"step"}, {"flits"}, {"load"}};
    struct table *table;
    struct outfile *out;
    int status;
    if (outfile_create_packed (path, &out, err) < 0)
        return -1;
    table = table_create (columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < result->nlinks; i++)
        add_link (table, machine, &result->links[i],
                  load_of (&result->links[i], result, config));
    status = table_csv (table, outfile_stream (out), err);
    if (status == 0)
        status = outfile_commit (out, err);
    table_destroy (table);
    outfile_destroy (out);
    return status;
}

/* ---- the jobs ---- */

int outcomes_print (const char *const names[],
                    const tori_traffic_result *result, FILE *out, bool bold,
                    tori_error *err)
{
    static const struct table_column columns[] = {
        {"box", TABLE_TEXT},        {"messages", TABLE_NUMBER},
        {"mean", TABLE_NUMBER},     {"p50", TABLE_NUMBER},
        {"p90", TABLE_NUMBER},      {"p99", TABLE_NUMBER},
        {"max", TABLE_NUMBER},      {"waited", TABLE_NUMBER},
        {"blocked", TABLE_NUMBER},  {"hops", TABLE_NUMBER},
        {"offered", TABLE_NUMBER},  {"accepted", TABLE_NUMBER},
        {"finish", TABLE_NUMBER},   {"", TABLE_TEXT}};
    struct table *table =
        table_create (columns, sizeof columns / sizeof *columns);
    int status;
    for (size_t i = 0; i < result->njobs; i++) {
        const tori_traffic_outcome *o = &result->jobs[i];
        const uint64_t ranks[] = {o->latency.p50, o->latency.p90,
                                  o->latency.p99, o->latency.max};
        table_cell (table, "%s", names[i]);
        table_cell (table, "%" PRIu64, o->messages);
        table_cell (table, "%.2f", o->latency.mean);
        for (size_t j = 0; j < sizeof ranks / sizeof *ranks; j++)
            table_cell (table, "%" PRIu64, ranks[j]);
        table_cell (table, "%.2f", o->waited);
        table_cell (table, "%.2f", o->blocked);
        table_cell (table, "%.2f", o->hops);
        table_cell (table, "%.4f", o->offered);
        table_cell (table, "%.4f", o->accepted);
        table_cell (table, "%" PRIu64, o->finish);
        table_cell (table, "%s",
                    o->saturated    ? "saturated"
                    : o->unfinished ? "unfinished"
                                    : "");
    }
    status = table_print (table, out, bold, err);
    table_destroy (table);
    return status;
}
