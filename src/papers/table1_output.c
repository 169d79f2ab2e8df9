/* Table 1 of Bender et al. as text, JSON and CSV, beside the printed one. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "table1.h"

enum { N = TABLE1_ALLOCS, LIST = TABLE1_LIST };

/* ---- rankings ---- */

static void describe_ranking (struct ranking ranking, char text[LIST])
{
    rank_text (table1_allocs, ranking.alloc, N, text, LIST);
}

static bool same_ranking (struct ranking a, struct ranking b)
{
    return memcmp (&a, &b, sizeof a) == 0;
}

/* Whether a line ranks as in the paper. */
static bool ranks_alike (const struct table1_run *run, size_t line)
{
    return same_ranking (table1_rank_line (run->matrix.mean, line),
                         table1_rank_printed (line));
}

/* ---- rows ---- */

struct run_row {
    const char *jobs_of;
    size_t jobs, rejected;
    int64_t log_procs;
    double scale, utilization;
};

#define AT(member) FIELD_AT (struct run_row, member)
static const struct field run_fields[] = {
    {"jobs_of", FIELD_TEXT, AT (jobs_of), "the log or the model"},
    {"jobs", FIELD_SIZE, AT (jobs), "jobs that ran"},
    {"rejected", FIELD_SIZE, AT (rejected), "jobs that are too large"},
    {"log_procs", FIELD_WHOLE, AT (log_procs),
     "processors of the log's machine, 0 if that is not known"},
    {"scale", FIELD_REAL, AT (scale), "what sizes are multiplied by"},
    {"utilization", FIELD_REAL, AT (utilization), "the utilization"},
};
#undef AT
static const struct sheet run_sheet = {"runs", SHEET_FIELDS (run_fields)};

struct entry_row {
    const char *jobs_of, *situation, *decision;
    double pairwise, printed;
};

#define AT(member) FIELD_AT (struct entry_row, member)
static const struct field entry_fields[] = {
    {"jobs_of", FIELD_TEXT, AT (jobs_of), "the log or the model"},
    {"situation", FIELD_TEXT, AT (situation),
     "the allocator that places the jobs"},
    {"decision", FIELD_TEXT, AT (decision), "the one that is asked"},
    {"pairwise", FIELD_REAL, AT (pairwise),
     "mean sum of pairwise distances of a job", "hops", .decimals = 1},
    {"printed", FIELD_REAL, AT (printed), "the same in the paper", "hops"},
};
#undef AT
static const struct sheet entry_sheet
    = {"table1", SHEET_FIELDS (entry_fields)};

struct ranking_row {
    const char *jobs_of, *line, *alloc;
    char ours[LIST], printed[LIST];
    bool as_printed;
};

#define AT(member) FIELD_AT (struct ranking_row, member)
static const struct field ranking_fields[] = {
    {"jobs_of", FIELD_TEXT, AT (jobs_of), "the log or the model"},
    {"line", FIELD_TEXT, AT (line),
     "a row ranks decisions, a column situations, the diagonal both",
     .title = "line"},
    {"alloc", FIELD_TEXT, AT (alloc), "which row or column", .title = "of"},
    {"ranking", FIELD_CHARS, AT (ours), "allocators there, best first",
     .title = "best first"},
    {"printed", FIELD_CHARS, AT (printed), "the same in the paper",
     .title = "printed"},
    {"as_printed", FIELD_FLAG, AT (as_printed), "whether these are the same",
     .title = "the same"},
};
#undef AT
static const struct sheet ranking_sheet
    = {"rankings", SHEET_FIELDS (ranking_fields)};

struct diagonal_row {
    const char *jobs_of, *brief;
    const char *name, *sched;
    struct table1_diagonal is;
    char by_sum[LIST], by_hops[LIST];
};

#define AT(member) FIELD_AT (struct diagonal_row, member)
#define SUM(i, alloc, over)                                                   \
    {"sum_" alloc, FIELD_REAL, AT (is.pairwise[i]),                           \
     "mean sum of pairwise distances of a job", "hops", over, 1}
#define HOPS(i, alloc, over)                                                  \
    {"hops_" alloc, FIELD_REAL, AT (is.average[i]),                           \
     "mean distance of two nodes of a job", "hops", over, 2}
static const struct field diagonal_fields[] = {
    {"jobs_of", FIELD_TEXT, AT (jobs_of), "the log or the model"},
    {"short", FIELD_TEXT, AT (brief), "the same in short",
     .title = "jobs of"},
    {"case", FIELD_TEXT, AT (name), "scheduler, load and sizes",
     .title = "case"},
    {"sched", FIELD_TEXT, AT (sched), "the scheduler"},
    {"jobs", FIELD_SIZE, AT (is.jobs),
     "how many jobs there are; of 0 nothing is known", .title = "jobs"},
    SUM (0, "mc1x1", "sum: mc1x1"),
    SUM (1, "mm", "mm"),
    SUM (2, "mm+inc", "mm+inc"),
    SUM (3, "hilbert-bf", "hilbert-bf"),
    HOPS (0, "mc1x1", "hops: mc1x1"),
    HOPS (1, "mm", "mm"),
    HOPS (2, "mm+inc", "mm+inc"),
    HOPS (3, "hilbert-bf", "hilbert-bf"),
    {"ranking", FIELD_CHARS, AT (by_sum), "allocators by sums, best first"},
    {"ranking_by_hops", FIELD_CHARS, AT (by_hops), "by hops, best first"},
};
#undef AT
static const struct sheet diagonal_sheet
    = {"diagonal", SHEET_FIELDS (diagonal_fields)};

static struct run_row run_row (const struct table1_run *run)
{
    const tori_sim_result *result = &run->matrix.result;
    return (struct run_row){table1_name (run),
                            result->jobs,
                            result->rejected,
                            run->log_procs,
                            (double)run->scale_num / (double)run->scale_den,
                            result->utilization};
}

static struct entry_row entry_row (const struct table1_run *run, size_t i)
{
    return (struct entry_row){table1_name (run), table1_allocs[i / N],
                              table1_allocs[i % N], run->matrix.mean[i],
                              table1_printed[i]};
}

static struct ranking_row ranking_row (const struct table1_run *run,
                                       size_t line)
{
    struct ranking_row row = {
        .jobs_of = table1_name (run),
        .line = line < COLUMNS    ? "row"
                : line < DIAGONAL ? "column"
                                  : "diagonal",
        .alloc = line < DIAGONAL ? table1_allocs[line % N] : NULL,
        .as_printed = ranks_alike (run, line)};
    describe_ranking (table1_rank_line (run->matrix.mean, line), row.ours);
    describe_ranking (table1_rank_printed (line), row.printed);
    return row;
}

static struct diagonal_row diagonal_row (const struct table1_run *run,
                                         size_t c)
{
    struct diagonal_row row = {
        .jobs_of = table1_name (run),
        .brief = run->path ? table1_name (run) : "the model",
        .name = table1_cases[c].name,
        .sched = table1_cases[c].policy,
        .is = run->diagonal[c]};
    if (row.is.jobs > 0) {
        describe_ranking (table1_ranking_of (row.is.pairwise), row.by_sum);
        describe_ranking (table1_ranking_of (row.is.average), row.by_hops);
        return row;
    }
    for (size_t i = 0; i < N; i++)
        row.is.pairwise[i] = row.is.average[i] = NAN;
    return row;
}

/* ---- the diagonal in other cases ---- */


#define AT(member) FIELD_AT (struct tally, member)
static const struct field tally_fields[] = {
    {"case", FIELD_TEXT, AT (name), "scheduler, load and sizes",
     .title = "case"},
    {"workloads", FIELD_SIZE, AT (known), "workloads that have such jobs",
     .title = "workloads"},
    {"as_printed", FIELD_SIZE, AT (as_printed),
     "those whose diagonal ranks as printed", .title = "ranks as printed"},
    {"curve_first", FIELD_SIZE, AT (curve_first),
     "those in which hilbert-bf is first by sums",
     .title = "hilbert-bf first by sums"},
    {"curve_nearest", FIELD_SIZE, AT (curve_nearest),
     "those in which it is first by hops", .title = "by hops"},
};
#undef AT
static const struct sheet tally_sheet = {"tally", SHEET_FIELDS (tally_fields)};

static struct tally count_diagonals (const struct table1 *table1, size_t c)
{
    enum { CURVE = N - 1 }; /* hilbert-bf, which the paper has first */
    struct ranking printed = table1_rank_printed (DIAGONAL);
    struct tally tally = {.name = table1_cases[c].name};
    for (size_t i = 0; i < table1->runs; i++) {
        const struct table1_diagonal *d = &table1->run[i].diagonal[c];
        struct ranking by_sum = table1_ranking_of (d->pairwise);
        if (d->jobs == 0)
            continue;
        tally.known++;
        tally.as_printed += same_ranking (by_sum, printed);
        tally.curve_first += by_sum.alloc[0] == CURVE;
        tally.curve_nearest +=
            table1_ranking_of (d->average).alloc[0] == CURVE;
    }
    return tally;
}

/* ---- intervals ---- */

#define AT(member) FIELD_AT (struct lead_row, member)
#define LEAD(name, about, over)                                               \
    {#name, FIELD_REAL, AT (name.mean), about, "%", over, .decimals = 2},     \
    {                                                                         \
        #name "_half", FIELD_REAL, AT (name.half),                            \
            "half of its 95 % interval", "%"                                  \
    }
static const struct field lead_fields[] = {
    {"jobs_of", FIELD_TEXT, AT (jobs_of), "the log or the model"},
    {"short", FIELD_TEXT, AT (brief), "the same in short",
     .title = "jobs of"},
    {"case", FIELD_TEXT, AT (name), "which jobs, and how they are scheduled",
     .title = "case"},
    {"parts", FIELD_SIZE, AT (parts),
     "parts of a log one after the other, or seeds of the model",
     .title = "parts"},
    LEAD (mc1x1, "what mc1x1 pays more than hilbert-bf",
          "mc1x1 over hilbert-bf, %"),
    LEAD (inc, "what mm+inc pays more than mc1x1", "mm+inc over mc1x1, %"),
    LEAD (mm, "what mm pays more than mm+inc", "mm over mm+inc, %"),
    {"ranking", FIELD_CHARS, AT (first),
     "allocators by sums of the whole workload, best first; = between two that "
     "the parts do not tell apart, in the printed order",
     .title = "best first"},
};
#undef AT
static const struct sheet lead_sheet = {"leads", SHEET_FIELDS (lead_fields)};

/* Whether an allocator surely pays less than another, by the parts. */
static bool is_ahead (const struct table1_run *run, size_t asked, size_t a,
                      size_t b)
{
    size_t parts;
    struct estimate lead = table1_lead (run, asked, b, a, &parts);
    return parts > 1 && lead.mean > lead.half;
}

/* Neighbours that the parts do not tell apart come in the printed order. */
static struct ranking settle_ranking (const struct table1_run *run,
                                      size_t asked, const double sum[N])
{
    struct ranking is = table1_ranking_of (sum);
    struct ranking printed = table1_rank_printed (DIAGONAL);
    size_t place[N];
    for (size_t i = 0; i < N; i++)
        place[printed.alloc[i]] = i;
    for (size_t round = 0; round < N; round++)
        for (size_t i = 0; i + 1 < N; i++) {
            size_t a = is.alloc[i], b = is.alloc[i + 1];
            if (place[a] > place[b] && !is_ahead (run, asked, a, b)) {
                is.alloc[i] = b;
                is.alloc[i + 1] = a;
            }
        }
    return is;
}

static void describe_sure (const struct table1_run *run, size_t asked,
                           const double sum[N], char text[LIST])
{
    struct ranking is = settle_ranking (run, asked, sum);
    size_t used = 0;
    for (size_t i = 0; i < N && used < LIST; i++) {
        const char *between = ", ";
        if (i > 0 && !is_ahead (run, asked, is.alloc[i - 1], is.alloc[i]))
            between = " = ";
        used += (size_t)snprintf (text + used, LIST - used, "%s%s",
                                  i > 0 ? between : "",
                                  table1_allocs[is.alloc[i]]);
    }
}

/* The first case is 0, the last is 1. */
static struct lead_row lead_row (const struct table1_run *run, size_t asked)
{
    enum { MC1X1, MM, INC, CURVE };
    size_t at = asked ? TABLE1_JUDGED : 0;
    struct lead_row row = {
        .jobs_of = table1_name (run),
        .brief = run->path ? table1_name (run) : "the model",
        .name = table1_cases[at].name};
    row.mc1x1 = table1_lead (run, asked, MC1X1, CURVE, &row.parts);
    row.inc = table1_lead (run, asked, INC, MC1X1, &row.parts);
    row.mm = table1_lead (run, asked, MM, INC, &row.parts);
    if (run->diagonal[at].jobs > 0)
        describe_sure (run, asked, run->diagonal[at].pairwise, row.first);
    return row;
}

/* ---- the matrices ---- */

enum { ENTRIES = N * N, RANKINGS = 2 * N + 1 };

static void print_missing (struct paper_run *run)
{
    char places[300];
    traces_say (run->setup->traces, places, sizeof places);
    paper_say (run,
               "\nNo job logs are in %s; " TRACES_ARCHIVE " has some, and "
               "--traces says where they are.",
               places);
}

/* Named places that are missing, beside others that exist. */
static void print_absent (const struct table1 *table1, FILE *out)
{
    const struct traces_places *named = &table1->setup->traces;
    for (size_t i = 0; i < named->n; i++)
        if (traces_absent (named->item[i]))
            fprintf (out, "\n%s does not exist and was left out.\n",
                     named->item[i]);
}

static void print_title (const struct table1_run *run, FILE *out)
{
    const tori_sim_result *result = &run->matrix.result;
    fprintf (out, "\n%s\n%zu jobs", table1_name (run), result->jobs);
    if (result->rejected)
        fprintf (out, ", %zu too large", result->rejected);
    if (run->log_procs)
        fprintf (out, ", log of %" PRId64 " processor%s", run->log_procs,
                 run->log_procs == 1 ? "" : "s");
    if (run->scale_num != run->scale_den)
        fprintf (out, ", sizes x %" PRId64 "/%" PRId64, run->scale_num,
                 run->scale_den);
    fprintf (out, ", utilization %.1f %%\n\n", 100 * result->utilization);
}

static const struct view_column situation[]
    = {{"situation", .title = "situation"}};

static const struct pivot ours
    = {{NULL, VIEW_COLUMNS (situation), NULL}, "decision", {"pairwise"}};
static const struct pivot printed
    = {{"\nprinted\n\n", VIEW_COLUMNS (situation), NULL},
       "decision",
       {"printed"}};

/* The i-th of parts of n rows each. */
static struct rows part_of (const struct rows *rows, size_t i, size_t n)
{
    return (struct rows){(const char *)rows->row + i * n * rows->size, n,
                         rows->size};
}

/* A matrix, and how it ranks. */
static void print_run (struct paper_run *run, size_t i)
{
    const struct table1 *table1 = run->study;
    static const struct view_column columns[]
        = {{"line"}, {"alloc"}, {"ranking"}, {"printed"}, {"as_printed"}};
    static const struct view rankings
        = {"\n", VIEW_COLUMNS (columns), NULL};
    const struct rows entries = part_of (&run->list[ENTRY_LIST], i, ENTRIES);
    const struct rows lines = part_of (&run->list[RANKING_LIST], i, RANKINGS);
    print_title (&table1->run[i], run->out);
    paper_pivot (run, ENTRY_LIST, &entries, &ours);
    paper_view (run, RANKING_LIST, &lines, &rankings);
}

static bool has_parts (const void *row)
{
    return ((const struct lead_row *)row)->parts > 1;
}

static const struct view_column lead_columns[]
    = {{"short"},
       {"case"},
       {"parts"},
       {"mc1x1", .half = "mc1x1_half"},
       {"inc", .half = "inc_half"},
       {"mm", .half = "mm_half"},
       {"ranking"}};
static const struct view leads
    = {NULL, VIEW_COLUMNS (lead_columns), has_parts};

void table1_print (struct paper_run *run)
{
    const struct table1 *table1 = run->study;
    const struct rows first = part_of (&run->list[ENTRY_LIST], 0, ENTRIES);
    paper_say (run,
               "Mean sum of pairwise distances of a job on a 16x16 mesh, "
               "first come, first served. A row is the allocator that places "
               "the jobs (the situation), a column the one that is asked at "
               "every start (the decision). Printed are the figures of the "
               "paper, whose log is the LLNL Cray T3D's: 21323 jobs, 256 "
               "processors. Sums depend on the sizes of a log's jobs; what "
               "compares is how the allocators rank.");
    if (table1->traces.n == 0)
        print_missing (run);
    else
        print_absent (table1, run->out);
    paper_pivot (run, ENTRY_LIST, &first, &printed);
    for (size_t i = 0; i < table1->runs; i++)
        print_run (run, i);
    paper_say (run,
               "\nThe diagonal, where each allocator lives with its own "
               "decisions: as above; under EASY at an offered load of 0.9; "
               "with sizes rounded to the nearest powers of two; with jobs of "
               "at least 32 nodes only; and with both. Beside the sums, the "
               "hops between two nodes of a job, on average.\n");
    paper_table (run, DIAGONAL_LIST);
    fputc ('\n', run->out);
    paper_table (run, TALLY_LIST);
    paper_say (run,
               "\nHow sure the first and the last case are: what an allocator "
               "pays more than the next of the printed order, with 95 %% "
               "intervals over %d parts of a log, one after the other, or %d "
               "seeds of the model. An interval that holds 0 decides nothing: "
               "= stands between two allocators that are not told apart, in "
               "the printed order. With fewer jobs, the sums above may rank "
               "such allocators otherwise.\n",
               TABLE1_PARTS, TABLE1_PARTS);
    paper_view (run, LEAD_LIST, NULL, &leads);
}

/* ---- all rows ---- */

static const struct field answer_fields[] = {
    {"left_out", FIELD_CHARS, FIELD_AT (struct table1, left_out),
     "named places of logs that do not exist"},
    {"runs", FIELD_LIST, .about = "every log, and the model",
     .group = &run_sheet},
    {"table", FIELD_LIST, .about = "the entries of Table 1",
     .group = &entry_sheet},
    {"rankings", FIELD_LIST, .about = "how rows, columns and diagonals rank",
     .group = &ranking_sheet},
    {"diagonals", FIELD_LIST, .about = "the diagonal in other cases",
     .group = &diagonal_sheet},
    {"tally", FIELD_LIST, .about = "how many workloads rank as printed",
     .group = &tally_sheet},
    {"leads", FIELD_LIST,
     .about = "how sure the order is with powers of two, 32 or more",
     .group = &lead_sheet},
};
const struct sheet table1_sheet = {"table1", SHEET_FIELDS (answer_fields)};

static void list_absent (struct table1 *table1)
{
    const struct traces_places *named = &table1->setup->traces;
    size_t used = 0, room = sizeof table1->left_out;
    for (size_t i = 0; i < named->n && used < room; i++)
        if (traces_absent (named->item[i]))
            used += (size_t)snprintf (table1->left_out + used, room - used,
                                      "%s%s", used ? ", " : "",
                                      named->item[i]);
}

int table1_make_rows (struct paper_run *run, tori_error *err)
{
    struct table1 *table1 = run->study;
    size_t n = table1->runs;
    struct run_row *row = paper_rows (run, RUN_LIST, n, sizeof *row, err);
    struct entry_row *entry
        = paper_rows (run, ENTRY_LIST, n * ENTRIES, sizeof *entry, err);
    struct ranking_row *ranking
        = paper_rows (run, RANKING_LIST, n * RANKINGS, sizeof *ranking, err);
    struct diagonal_row *diagonal = paper_rows (
        run, DIAGONAL_LIST, n * TABLE1_CASES, sizeof *diagonal, err);
    struct tally *tally
        = paper_rows (run, TALLY_LIST, TABLE1_CASES, sizeof *tally, err);
    struct lead_row *lead = paper_rows (run, LEAD_LIST, TABLE1_ASKED * n, sizeof *lead, err);
    if (!row || !entry || !ranking || !diagonal || !tally || !lead)
        return -1;
    for (size_t i = 0; i < n; i++) {
        const struct table1_run *is = &table1->run[i];
        row[i] = run_row (is);
        for (size_t j = 0; j < TABLE1_ASKED; j++)
            lead[j * n + i] = lead_row (is, j);
        for (size_t j = 0; j < ENTRIES; j++)
            entry[i * ENTRIES + j] = entry_row (is, j);
        for (size_t j = 0; j < RANKINGS; j++)
            ranking[i * RANKINGS + j] = ranking_row (is, j);
        for (size_t j = 0; j < TABLE1_CASES; j++)
            diagonal[i * TABLE1_CASES + j] = diagonal_row (is, j);
    }
    for (size_t c = 0; c < TABLE1_CASES; c++)
        tally[c] = count_diagonals (table1, c);
    list_absent (table1);
    return 0;
}
