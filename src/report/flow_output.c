/* Flow times as text, JSON and CSV, beside what the paper says of them. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "flow.h"
#include "view.h"
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

/* ---- rows ---- */

/* A simulation. */
struct run_row {
    size_t setting;
    char speed[16]; /* "1/4": what a node sends of what a link carries */
    char stretched[16];
    double inject, load;
    const char *pattern, *alloc;
    uint32_t rounds;
    struct flow_cell cell;
    char ranking[LIST];
    bool as_printed;
};

enum { RUNS = FLOW_SETTINGS * FLOW_PATTERNS * N };

#define AT(member) FIELD_AT (struct run_row, member)
static const struct field run_fields[] = {
    {"speed", FIELD_CHARS, AT (speed),
     "what a node sends of what a link carries", .title = "speed"},
    {"inject", FIELD_REAL, AT (inject), "the same as a number"},
    {"load", FIELD_REAL, AT (load),
     "the load that arrivals are stretched to; null: as they are"},
    {"arrivals", FIELD_CHARS, AT (stretched), "the same in words",
     .title = "load"},
    {"pattern", FIELD_TEXT, AT (pattern), "who sends to whom",
     .title = "messages"},
    {"rounds", FIELD_UINT, AT (rounds), "how often a job goes through it"},
    {"alloc", FIELD_TEXT, AT (alloc), "the allocator"},
    {"flow", FIELD_REAL, AT (cell.flow),
     "mean time from submission to end", "s", .decimals = 1},
    {"wait", FIELD_REAL, AT (cell.wait), "mean wait", "s"},
    {"stretch", FIELD_REAL, AT (cell.stretch),
     "time that jobs ran over that in the log, in the mean", .decimals = 4},
    {"utilization", FIELD_REAL, AT (cell.utilization), "the utilization"},
    {"ranking", FIELD_CHARS, AT (ranking),
     "the allocators by flow time, best first", .title = "best first"},
    {"as_printed", FIELD_FLAG, AT (as_printed),
     "whether the first three rank as printed", .title = "as printed"},
};
#undef AT
static const struct sheet run_sheet = {"runs", SHEET_FIELDS (run_fields)};

static struct run_row run_row (const struct flow *flow, size_t i)
{
    size_t s = i / N / FLOW_PATTERNS, p = i / N % FLOW_PATTERNS, a = i % N;
    const struct flow_setting *setting = &flow_settings[s];
    const struct flow_cell *cells = flow->cell[s][p];
    struct run_row row = {
        .setting = s,
        .stretched = "as it is",
        .inject = (double)setting->num / setting->den,
        .load = setting->load ? setting->load / 100.0 : NAN,
        .pattern = flow_patterns[p].name,
        .alloc = flow_allocs[a],
        .rounds = flow_patterns[p].rounds,
        .cell = cells[a],
        .as_printed = as_printed (cells),
    };
    snprintf (row.speed, sizeof row.speed, "%" PRIu32 "/%" PRIu32,
              setting->num, setting->den);
    if (setting->load)
        snprintf (row.stretched, sizeof row.stretched, "%d %%",
                  setting->load);
    describe (cells, row.ranking);
    return row;
}

/* All of them, for the caller to free; NULL without memory. */
static struct run_row *make_runs (const struct flow *flow, tori_error *err)
{
    struct run_row *rows = calloc (RUNS, sizeof *rows);
    if (!rows)
        tori_error_nomem (err);
    for (size_t i = 0; rows && i < RUNS; i++)
        rows[i] = run_row (flow, i);
    return rows;
}

/* Jobs flit by flit, and as flows. */
#define AT(member) FIELD_AT (struct flow_case, member)
static const struct field case_fields[] = {
    {"jobs", FIELD_TEXT, AT (place), "where the jobs are", .title = "jobs"},
    {"pattern", FIELD_TEXT, AT (pattern), "who sends to whom",
     .title = "messages"},
    {"flits", FIELD_UINT, AT (flits), "flits of a message",
     .title = "flits"},
    {"packet", FIELD_UINT, AT (packet), "flits of a packet",
     .title = "packets"},
    {"cycles", FIELD_REAL, AT (cycles),
     "when jobs end by flits, in the mean", "cycles", "cycles", 1},
    {"fluid", FIELD_REAL, AT (fluid), "the same by flows", "cycles", "fluid",
     1},
    {"apart", FIELD_REAL, AT (apart), "fluid over cycles, less 1",
     .title = "apart, %", .decimals = 1, .scale = 100},
    {"worst", FIELD_REAL, AT (worst),
     "the same of the job that is furthest apart", .title = "worst, %",
     .decimals = 1, .scale = 100},
};
#undef AT
static const struct sheet case_sheet = {"flits", SHEET_FIELDS (case_fields)};

static const struct field answer_fields[] = {
    {"jobs_of", FIELD_WRITTEN, .about = "the log or the model"},
    {"jobs", FIELD_WRITTEN, .about = "how many jobs there are"},
    {"printed", FIELD_LIST, .about = "the allocators as the paper ranks them"},
    {"runs", FIELD_LIST, .about = "every simulation", .group = &run_sheet},
    {"flits", FIELD_LIST, .about = "the fluid model beside the flit level",
     .group = &case_sheet},
};
const struct sheet flow_sheet = {"flow", SHEET_FIELDS (answer_fields)};

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

static const struct view_column by_pattern[]
    = {{"pattern"}, {"ranking"}, {"as_printed"}};
static const struct view_column by_setting[]
    = {{"speed"}, {"arrivals"}, {"pattern"}};

/* The runs of one setting follow each other. */
static int print_settings (const struct flow *flow,
                           const struct run_row runs[], FILE *out,
                           tori_error *err)
{
    static const struct pivot pivot
        = {{NULL, VIEW_COLUMNS (by_pattern), NULL}, "alloc", {"flow"}};
    enum { EACH = RUNS / FLOW_SETTINGS };
    for (size_t s = 0; s < FLOW_SETTINGS; s++) {
        const struct rows rows = {runs + s * EACH, EACH, sizeof *runs};
        print_title (s, out);
        if (pivot_print (&pivot, &run_sheet, &rows, out, flow->setup->bold,
                         err)
            < 0)
            return -1;
    }
    return 0;
}

static int print_stretch (const struct flow *flow,
                          const struct run_row runs[], FILE *out,
                          tori_error *err)
{
    static const struct pivot pivot
        = {{"\ntime that jobs ran over their time in the log, mean\n",
            VIEW_COLUMNS (by_setting), NULL},
           "alloc",
           {"stretch"}};
    const struct rows rows = {runs, RUNS, sizeof *runs};
    return pivot_print (&pivot, &run_sheet, &rows, out, flow->setup->bold,
                        err);
}

static int print_cases (const struct flow *flow, FILE *out, tori_error *err)
{
    fputs ("\nThe fluid model beside the flit level: when jobs end, on an 8x8 "
           "mesh, wormhole,\n2 virtual channels of 8 flits; mean over the "
           "jobs, and the job that is furthest\napart. Messages of so many "
           "flits are sent in packets of so many.\n\n",
           out);
    return sheet_print (&case_sheet, flow->cases, FLOW_CASES,
                        sizeof *flow->cases, out, flow->setup->bold, err);
}

int flow_print (const struct flow *flow, FILE *out, tori_error *err)
{
    struct run_row *runs = make_runs (flow, err);
    int status = -1;
    if (!runs)
        return -1;
    print_intro (flow, out);
    if (print_settings (flow, runs, out, err) == 0
        && print_stretch (flow, runs, out, err) == 0)
        status = print_cases (flow, out, err);
    free (runs);
    return status;
}

/* ---- for programs ---- */

int flow_emit (const struct flow *flow, FILE *out, tori_error *err)
{
    struct run_row *runs = make_runs (flow, err);
    struct emit e = emit_to (out);
    if (!runs)
        return -1;
    answer_open (&e, flow->setup->answer);
    emit_text (&e, "jobs_of", jobs_of (flow));
    emit_count (&e, "jobs", flow->workload[0].n);
    emit_open (&e, "printed", '[');
    for (size_t i = 0; i < RANKED; i++)
        emit_text (&e, NULL, flow_allocs[i]);
    emit_close (&e, ']');
    sheet_emit_rows (&e, "runs", &run_sheet, runs, RUNS, sizeof *runs);
    sheet_emit_rows (&e, "flits", &case_sheet, flow->cases, FLOW_CASES,
                     sizeof *flow->cases);
    emit_close (&e, '}');
    free (runs);
    return emit_end (&e, err);
}

int flow_write_csv (const struct flow *flow, tori_error *err)
{
    const struct rows cases
        = {flow->cases, FLOW_CASES, sizeof *flow->cases};
    struct run_row *run = make_runs (flow, err);
    const struct rows runs = {run, RUNS, sizeof *run};
    const char *out = flow->setup->out;
    int status = -1;
    if (run && paper_write_rows (out, "flow", &run_sheet, &runs, err) == 0)
        status = paper_write_rows (out, "flow-flits", &case_sheet, &cases,
                                   err);
    free (run);
    return status;
}
