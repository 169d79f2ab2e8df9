#include "result.h"

#include "table.h"

/* ---- what is measured ---- */

#define AT(member) FIELD_AT (tori_summary, member)
static const struct field summary_fields[] = {
    {"mean", FIELD_REAL, AT (mean), "the mean", .title = "mean",
     .decimals = 2},
    {"p50", FIELD_REAL, AT (p50), "the median, by nearest rank",
     .title = "p50", .decimals = 2},
    {"p90", FIELD_REAL, AT (p90), "the 90th percentile, by nearest rank",
     .title = "p90", .decimals = 2},
    {"p99", FIELD_REAL, AT (p99), "the 99th percentile, by nearest rank",
     .title = "p99", .decimals = 2},
    {"max", FIELD_REAL, AT (max), "the largest", .title = "max",
     .decimals = 2},
};
#undef AT
const struct sheet summary_sheet = {"summary", SHEET_FIELDS (summary_fields)};

#define AT(member) FIELD_AT (tori_sim_result, member)
static const struct field delay_fields[] = {
    {"numerical", FIELD_REAL, AT (numerical),
     "mean time a job waits while the first in the queue lacks nodes", "s",
     "delay for lack of nodes", 1},
    {"topological", FIELD_REAL, AT (topological),
     "mean time a job waits while the first in the queue has enough nodes, "
     "but no place for them",
     "s", "delay for lack of a box", 1},
};
static const struct sheet delay_sheet = {"delay", SHEET_FIELDS (delay_fields)};

#define SUMMARY(name, words, unit, text)                                      \
    {#name, FIELD_GROUP, AT (name), words, unit, text, .group = &summary_sheet}

static const struct field result_fields[] = {
    {"jobs", FIELD_SIZE, AT (jobs), "jobs that ran to their end",
     .title = "jobs run"},
    {"rejected", FIELD_SIZE, AT (rejected), "jobs that can never run here",
     .title = "jobs rejected"},
    {"placeable", FIELD_REAL, AT (placeable),
     "the part of the jobs that can be placed at all",
     .title = "jobs that can be placed", .decimals = 2, .scale = 100},
    {"utilization", FIELD_REAL, AT (utilization),
     "node-time that jobs asked for, over that from the first submission to "
     "the last finish",
     .title = "utilization", .decimals = 2, .scale = 100},
    {"offered", FIELD_REAL, AT (offered),
     "the load: node-time asked for, over that of the span of submissions",
     .title = "offered load", .decimals = 2, .scale = 100},
    {"accepted", FIELD_REAL, AT (accepted),
     "the offered load without the jobs that were rejected"},
    {"makespan", FIELD_REAL, AT (makespan),
     "from the first submission to the last finish", "s", "makespan", 0},
    SUMMARY (response, "from submission to finish", "s", "response, s"),
    SUMMARY (wait, "from submission to start", "s", "wait, s"),
    SUMMARY (slowdown, "response over run time, where that is above 0", NULL,
             "slowdown"),
    SUMMARY (bounded_slowdown,
             "the same with run times of at least 10 s, at least 1, of all "
             "jobs",
             NULL, "bounded slowdown"),
    {"zero_runtime", FIELD_SIZE, AT (zero_runtime),
     "jobs that ran for 0 s: they count as 10 s in bounded slowdown, in "
     "slowdown not at all"},
    {"delay", FIELD_GROUP, .about = "why jobs waited",
     .group = &delay_sheet},
    {"pairwise", FIELD_REAL, AT (pairwise),
     "mean over jobs of the sum of distances over unordered pairs of nodes",
     "hops"},
    {"average", FIELD_REAL, AT (average),
     "mean over jobs of two or more nodes of the distance between two of "
     "them",
     "hops", "distance", 2},
    {"internal_fragmentation", FIELD_REAL, AT (internal_fragmentation),
     "node-time held but not asked for, of that held",
     .title = "internal fragmentation", .decimals = 2, .scale = 100},
    {"external_fragmentation", FIELD_REAL, AT (external_fragmentation),
     "node-time free while the first in the queue has enough nodes but no "
     "place for them, of all",
     .title = "external fragmentation", .decimals = 2, .scale = 100},
    {"events", FIELD_COUNT, AT (events), "submissions and finishes",
     .title = "events"},
};
const struct sheet result_sheet = {"sim", SHEET_FIELDS (result_fields)};

static const struct field losses_fields[] = {
    {"goodput", FIELD_REAL, AT (goodput),
     "the work of the jobs that ran to their end, as a part of the same "
     "node-time as utilization",
     .title = "goodput", .decimals = 2, .scale = 100},
    {"lost", FIELD_REAL, AT (lost),
     "node-time that jobs ran beyond that: work done again, or for nothing",
     "node-s", "lost node-time", 0},
    {"failures", FIELD_COUNT, AT (failures), "nodes and links that went down",
     .title = "failures"},
    {"killed", FIELD_COUNT, AT (killed),
     "jobs that started and did not run to their end",
     .title = "jobs killed"},
    {"requeues", FIELD_COUNT, AT (requeues),
     "how often a job was stopped and put back into the queue",
     .title = "requeues"},
    {"repairs", FIELD_COUNT, AT (repairs),
     "how often a job under which something failed continued elsewhere",
     .title = "repairs"},
    {"moves", FIELD_COUNT, AT (moves),
     "how often a running job was moved to make room", .title = "moves"},
    {"suspensions", FIELD_COUNT, AT (suspensions),
     "how often a job was stopped, to continue where it was",
     .title = "suspensions"},
};
const struct sheet losses_sheet = {"losses", SHEET_FIELDS (losses_fields)};

#define CLASS(name, words)                                                    \
    {"jobs", FIELD_SIZE, FIELD_AT (tori_sim_class, jobs),                     \
     "how many ran to their end", .title = words " jobs"},                    \
    {"wait", FIELD_REAL, FIELD_AT (tori_sim_class, wait),                     \
     "mean time that they waited", "s", "mean wait of " words " jobs", 1},    \
    {"response", FIELD_REAL, FIELD_AT (tori_sim_class, response),             \
     "mean time from submission to finish", "s",                              \
     "mean response of " words " jobs", 1}
static const struct field urgent_fields[] = {CLASS (urgent, "urgent")};
static const struct sheet urgent_sheet
    = {"urgent", SHEET_FIELDS (urgent_fields)};
static const struct field others_fields[] = {CLASS (others, "other")};
static const struct sheet others_sheet
    = {"others", SHEET_FIELDS (others_fields)};

static const struct field levels_fields[] = {
    {"urgent", FIELD_GROUP, AT (urgent), "with --urgent: of the urgent jobs",
     .group = &urgent_sheet},
    {"others", FIELD_GROUP, AT (others), "with --urgent: of the others",
     .group = &others_sheet},
};
const struct sheet levels_sheet = {"levels", SHEET_FIELDS (levels_fields)};

static const struct field network_fields[] = {
    {"messages", FIELD_COUNT, AT (messages), "messages that were sent"},
    SUMMARY (stretch, "time that jobs ran over that in the log", NULL,
             "stretch"),
};
const struct sheet network_sheet = {"network", SHEET_FIELDS (network_fields)};
#undef AT

/* ---- for people ---- */

/* A group with a title is a row of this table. */
struct summary_row {
    const char *name;
    tori_summary summary;
};

static const struct field row_fields[] = {
    {"measure", FIELD_TEXT, FIELD_AT (struct summary_row, name),
     .title = ""},
    {"summary", FIELD_GROUP, FIELD_AT (struct summary_row, summary),
     .group = &summary_sheet},
};
static const struct sheet row_sheet = {"rows", SHEET_FIELDS (row_fields)};

static int print_summaries (const tori_sim_result *result, FILE *out,
                            bool bold, tori_error *err)
{
    struct summary_row rows[8];
    size_t n = 0;
    for (size_t i = 0; i < result_sheet.n; i++) {
        const struct field *field = &result_sheet.field[i];
        if (field->group == &summary_sheet)
            rows[n++] = (struct summary_row){
                field->title,
                *(const tori_summary *)(const void *)((const char *)result
                                                      + field->offset)};
    }
    return sheet_print (&row_sheet, rows, n, sizeof *rows, out, bold, err);
}

/* Explain why the mean slowdown may be below the mean bounded one. */
static void print_zero_runtime (const tori_sim_result *r, FILE *out)
{
    if (r->zero_runtime > 0)
        fprintf (out,
                 "\njobs that ran for 0 s: %zu; they count as 10 s in bounded "
                 "slowdown, in slowdown not at all\n",
                 r->zero_runtime);
}

/* ---- all measures of a run ---- */

#define AT(member) FIELD_AT (struct sim_measures, member)
static const struct field messages_fields[] = {
    {"pattern", FIELD_TEXT, AT (pattern), "who sends to whom",
     .when = field_is_set},
    {.kind = FIELD_BESIDE, AT (result), .group = &network_sheet},
};
static const struct sheet messages_sheet = {"messages",
                                            SHEET_FIELDS (messages_fields)};

static bool has_losses (const struct field *field, const void *row)
{
    return ((const struct sim_measures *)row)->losses;
}

static bool has_levels (const struct field *field, const void *row)
{
    return ((const struct sim_measures *)row)->levels;
}

static bool has_network (const struct field *field, const void *row)
{
    return ((const struct sim_measures *)row)->network;
}

static const struct field measures_fields[] = {
    {.kind = FIELD_BESIDE, AT (result), .group = &result_sheet},
    {.kind = FIELD_BESIDE,
     AT (result),
     .group = &losses_sheet,
     .when = has_losses},
    {.kind = FIELD_BESIDE,
     AT (result),
     .group = &levels_sheet,
     .when = has_levels},
    {"network", FIELD_GROUP, .about = "with --network fluid",
     .group = &messages_sheet, .when = has_network},
};
const struct sheet measures_sheet = {"measures",
                                     SHEET_FIELDS (measures_fields)};
#undef AT

int result_print (const tori_sim_result *result, FILE *out, bool bold,
                  tori_error *err)
{
    if (sheet_print_down (&result_sheet, result, out, err) < 0)
        return -1;
    fputc ('\n', out);
    if (print_summaries (result, out, bold, err) < 0)
        return -1;
    print_zero_runtime (result, out);
    return 0;
}
