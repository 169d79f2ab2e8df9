#include "traffic_result.h"

#include <inttypes.h>
#include <stdlib.h>

#include "outfile.h"
#include "sheet.h"
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

#define AT(member) FIELD_AT (tori_traffic_sample, member)
static const struct field latency_fields[] = {
    {"mean", FIELD_REAL, AT (mean), "the mean", "cycles", "mean", 2},
    {"p50", FIELD_COUNT, AT (p50), "the median, by nearest rank", "cycles",
     "p50"},
    {"p90", FIELD_COUNT, AT (p90), "the 90th percentile", "cycles", "p90"},
    {"p99", FIELD_COUNT, AT (p99), "the 99th percentile", "cycles", "p99"},
    {"max", FIELD_COUNT, AT (max), "the largest", "cycles", "max"},
};
#undef AT
static const struct sheet latency_sheet
    = {"latency", SHEET_FIELDS (latency_fields)};

#define AT(member) FIELD_AT (tori_traffic_outcome, member)
static const struct field outcome_fields[] = {
    {"messages", FIELD_COUNT, AT (messages), "messages measured",
     .title = "messages"},
    {"flits", FIELD_COUNT, AT (flits), "their flits"},
    {"latency", FIELD_GROUP, AT (latency), "from being sent to delivery",
     .group = &latency_sheet},
    {"waited", FIELD_REAL, AT (waited),
     "the part of that spent at the source, on average", "cycles", "waited",
     2},
    {"blocked", FIELD_REAL, AT (blocked),
     "time on the way beyond what a message would need alone, on average",
     "cycles", "blocked", 2},
    {"hops", FIELD_REAL, AT (hops), "links that a message takes, on average",
     .title = "hops", .decimals = 2},
    {"offered", FIELD_REAL, AT (offered),
     "flits per node and cycle that it would send", .title = "offered",
     .decimals = 4},
    {"accepted", FIELD_REAL, AT (accepted),
     "flits per node and cycle that arrived", .title = "accepted",
     .decimals = 4},
    {"finish", FIELD_COUNT, AT (finish), "the cycle after its last delivery",
     .title = "finish"},
    {"saturated", FIELD_FLAG, AT (saturated),
     "whether it offers more than the network takes"},
    {"unfinished", FIELD_FLAG, AT (unfinished),
     "whether it was cut short by the limit"},
};
#undef AT
const struct sheet outcome_sheet = {"jobs", SHEET_FIELDS (outcome_fields)};

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
    if (outfile_create_packed (path, &out, err) < 0)
        return -1;
    table = table_create (columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < result->nlinks; i++)
        add_link (table, machine, &result->links[i],
                  load_of (&result->links[i], result, config));
    return outfile_end (out, table_csv (table, outfile_stream (out), err),
                        err);
}

/* ---- the jobs ---- */

struct job_row {
    const char *box, *note;
    tori_traffic_outcome outcome;
};

#define AT(member) FIELD_AT (struct job_row, member)
static const struct field job_fields[] = {
    {"box", FIELD_TEXT, AT (box), .title = "box"},
    {NULL, FIELD_BESIDE, AT (outcome), .group = &outcome_sheet},
    {"note", FIELD_TEXT, AT (note), .title = ""},
};
static const struct sheet job_sheet = {"jobs", SHEET_FIELDS (job_fields)};

int outcomes_print (const char *const names[],
                    const tori_traffic_result *result, FILE *out, bool bold,
                    tori_error *err)
{
    struct job_row *rows = calloc (result->njobs + 1, sizeof *rows);
    int status;
    if (!rows)
        return tori_error_nomem (err);
    for (size_t i = 0; i < result->njobs; i++) {
        const tori_traffic_outcome *o = &result->jobs[i];
        rows[i] = (struct job_row){names[i],
                                   o->saturated    ? "saturated"
                                   : o->unfinished ? "unfinished"
                                                   : NULL,
                                   *o};
    }
    status = sheet_print (&job_sheet, rows, result->njobs, sizeof *rows, out,
                          bold, err);
    free (rows);
    return status;
}
