#include "traffic_result.h"

#include <inttypes.h>
#include <stdlib.h>

#include "fieldrows.h"
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

/* ---- links ---- */

void node_emit (struct emit *e, const struct field *field, const void *row)
{
    const tori_machine *const *machine = row;
    const uint32_t *node = (const void *)((const char *)row + field->offset);
    emit_node (e, field->name, *machine, *node);
}

static struct link_row row_of (const struct net_links *links,
                               const tori_net_link *link)
{
    double most = (double)links->result->measured * links->config->width;
    return (struct link_row){links->machine, *link,
                             most > 0 ? (double)link->flits / most : 0};
}

#define AT(member) FIELD_AT (struct link_row, member)
static const struct field link_ends_fields[] = {
    {"from", FIELD_BY, AT (is.from), "the node that it leaves",
     .by = node_emit},
    {"to", FIELD_BY, AT (is.to), "the node that it enters", .by = node_emit},
    {"dim", FIELD_INT, AT (is.dim), "the dimension along which it lies"},
};
const struct sheet link_ends_sheet = {"link ends",
                                      SHEET_FIELDS (link_ends_fields)};

static const struct field net_link_fields[] = {
    BESIDE (link_ends),
    {"step", FIELD_INT, AT (is.step), "1 or -1: the way it goes"},
    {"flits", FIELD_COUNT, AT (is.flits), "flits that it carried"},
    {"load", FIELD_REAL, AT (load),
     "the fraction of the time that it is busy"},
};
const struct sheet net_link_sheet = {"net link",
                                     SHEET_FIELDS (net_link_fields)};
#undef AT

static const struct net_links *links_at (const struct field *field,
                                         const void *row)
{
    return (const void *)((const char *)row + field->offset);
}

void net_links_emit (struct emit *e, const struct field *field,
                     const void *row)
{
    const struct net_links *links = links_at (field, row);
    emit_open (e, field->name, '[');
    for (size_t i = 0; i < links->result->nlinks; i++) {
        struct link_row link = row_of (links, &links->result->links[i]);
        sheet_emit_object (e, NULL, field->group, &link);
    }
    emit_close (e, ']');
}

struct loads_row {
    size_t links;
    double mean, most;
    bool busy;
    struct link_row busiest;
};

static bool has_busiest (const struct field *field, const void *row)
{
    return ((const struct loads_row *)row)->busy;
}

#define AT(member) FIELD_AT (struct loads_row, member)
static const struct field link_loads_fields[] = {
    {"links", FIELD_SIZE, AT (links), "how many links there are"},
    {"mean", FIELD_REAL, AT (mean),
     "the fraction of time that a link is busy, on average"},
    {"max", FIELD_REAL, AT (most), "the same of the busiest link"},
    {"busiest", FIELD_GROUP, AT (busiest), "that link",
     .group = &link_ends_sheet, .when = has_busiest},
};
const struct sheet link_loads_sheet = {"link loads",
                                       SHEET_FIELDS (link_loads_fields)};
#undef AT

void link_loads_emit (struct emit *e, const struct field *field,
                      const void *row)
{
    const struct net_links *links = links_at (field, row);
    struct link_loads loads = link_loads (links->result, links->config);
    struct loads_row all = {links->result->nlinks, loads.mean, loads.most,
                            loads.busiest != NULL};
    if (loads.busiest)
        all.busiest = row_of (links, loads.busiest);
    sheet_emit_object (e, field->name, field->group, &all);
}

static void add_link (struct table *table, const struct link_row *link)
{
    char from[TORI_TEXT_MAX], to[TORI_TEXT_MAX];
    tori_node_format (link->machine, link->is.from, from);
    tori_node_format (link->machine, link->is.to, to);
    table_cell (table, "%s", from);
    table_cell (table, "%s", to);
    table_cell (table, "%d", link->is.dim);
    table_cell (table, "%d", link->is.step);
    table_cell (table, "%" PRIu64, link->is.flits);
    table_cell (table, "%.6f", link->load);
}

int net_links_write (const struct net_links *links, const char *path,
                     tori_error *err)
{
    static const struct table_column columns[] = {
        {"from"}, {"to"}, {"dim"}, {"step"}, {"flits"}, {"load"}};
    struct table *table;
    struct outfile *out;
    if (outfile_create_packed (path, &out, err) < 0)
        return -1;
    table = table_create (columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < links->result->nlinks; i++) {
        struct link_row row = row_of (links, &links->result->links[i]);
        add_link (table, &row);
    }
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
