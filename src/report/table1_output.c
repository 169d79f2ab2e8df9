/* Table 1 of Bender et al. as text, JSON and CSV, ours beside the printed. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "table1.h"
#include "view.h"
#include "wrap.h"

enum { N = TABLE1_ALLOCS, LIST = 80, TEXT = 500 };

/* ---- rankings ---- */

/* The allocators, best first; ties in the order of the table. */
struct ranking {
    size_t alloc[N];
};

static struct ranking rank (const double value[N])
{
    struct ranking ranking;
    for (size_t i = 0; i < N; i++) {
        size_t at = i;
        while (at > 0 && value[i] < value[ranking.alloc[at - 1]]) {
            ranking.alloc[at] = ranking.alloc[at - 1];
            at--;
        }
        ranking.alloc[at] = i;
    }
    return ranking;
}


/* A line of the matrix: a row ranks decisions in one situation, a column
 * situations for one who decides, the diagonal those who do both. */
enum { ROWS = 0, COLUMNS = N, DIAGONAL = 2 * N };

static struct ranking rank_line (const double mean[N * N], size_t line)
{
    double value[N];
    for (size_t i = 0; i < N; i++) {
        size_t row = line < COLUMNS ? line : i;
        size_t column = line < COLUMNS || line == DIAGONAL ? i : line - N;
        value[i] = mean[row * N + column];
    }
    return rank (value);
}

static struct ranking rank_printed (size_t line)
{
    return rank_line (table1_printed, line);
}

static const char *describe (struct ranking ranking, char text[LIST])
{
    size_t used = 0;
    for (size_t i = 0; i < N; i++)
        used += (size_t)snprintf (text + used, LIST - used, "%s%s",
                                  i ? ", " : "",
                                  table1_allocs[ranking.alloc[i]]);
    return text;
}

static bool same_ranking (struct ranking a, struct ranking b)
{
    return memcmp (&a, &b, sizeof a) == 0;
}

/* Whether a line ranks as in the paper. */
static bool ranks_alike (const struct table1_run *run, size_t line)
{
    return same_ranking (rank_line (run->matrix.mean, line),
                         rank_printed (line));
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
    describe (rank_line (run->matrix.mean, line), row.ours);
    describe (rank_printed (line), row.printed);
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
        describe (rank (row.is.pairwise), row.by_sum);
        describe (rank (row.is.average), row.by_hops);
        return row;
    }
    for (size_t i = 0; i < N; i++)
        row.is.pairwise[i] = row.is.average[i] = NAN;
    return row;
}

/* ---- the diagonal in other cases ---- */

/* Of how many workloads something holds in a case. */
struct tally {
    const char *name;
    size_t known, as_printed, curve_first, curve_nearest;
};

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
    struct ranking printed = rank_printed (DIAGONAL);
    struct tally tally = {.name = table1_cases[c].name};
    for (size_t i = 0; i < table1->runs; i++) {
        const struct table1_diagonal *d = &table1->run[i].diagonal[c];
        struct ranking by_sum = rank (d->pairwise);
        if (d->jobs == 0)
            continue;
        tally.known++;
        tally.as_printed += same_ranking (by_sum, printed);
        tally.curve_first += by_sum.alloc[0] == CURVE;
        tally.curve_nearest += rank (d->average).alloc[0] == CURVE;
    }
    return tally;
}

static int print_rows (const struct sheet *sheet, const struct rows *rows,
                       const struct table1 *table1, FILE *out,
                       tori_error *err)
{
    fputc ('\n', out);
    return sheet_print (sheet, rows->row, rows->n, rows->size, out,
                        table1->setup->bold, err);
}

static int print_diagonals (const struct table1 *table1,
                            const struct rows *diagonals,
                            const struct rows *tallies, FILE *out,
                            tori_error *err)
{
    fputc ('\n', out);
    wrap_text (out,
               "The diagonal, where each allocator lives with its own "
               "decisions: as above; under EASY at an offered load of 0.9; "
               "with sizes rounded to the nearest powers of two; with jobs of "
               "at least 32 nodes only; and with both. Beside the sums, the "
               "hops between two nodes of a job, on average.",
               0, 0);
    if (print_rows (&diagonal_sheet, diagonals, table1, out, err) < 0)
        return -1;
    return print_rows (&tally_sheet, tallies, table1, out, err);
}

/* ---- the matrices ---- */

enum { ENTRIES = N * N, RANKINGS = 2 * N + 1 };

/* Room for the rows of all lists. */
struct all {
    struct run_row *run;
    struct entry_row *entry;
    struct ranking_row *ranking;
    struct diagonal_row *diagonal;
    struct tally tally[TABLE1_CASES];
};

static void print_missing (const struct table1 *table1, FILE *out)
{
    char places[300], text[TEXT];
    traces_say (table1->setup->traces, places, sizeof places);
    snprintf (text, TEXT,
              "No job logs are in %s; " TRACES_ARCHIVE " has some, and "
              "--traces says where they are.",
              places);
    fputc ('\n', out);
    wrap_text (out, text, 0, 0);
}

/* Places that were named and are not there, beside others that are. */
static void print_absent (const struct table1 *table1, FILE *out)
{
    const struct traces_places *named = &table1->setup->traces;
    for (size_t i = 0; i < named->n; i++)
        if (traces_absent (named->item[i]))
            fprintf (out, "\n%s is not there, and left out.\n",
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

/* The paper's, which every entry has beside it. */
static int print_printed (const struct table1 *table1,
                          const struct entry_row *entries, FILE *out,
                          tori_error *err)
{
    static const struct pivot printed
        = {{"\nprinted\n\n", VIEW_COLUMNS (situation), NULL},
           "decision",
           {"printed"}};
    const struct rows rows = {entries, ENTRIES, sizeof *entries};
    return pivot_print (&printed, &entry_sheet, &rows, out,
                        table1->setup->bold, err);
}

/* A matrix, and how it ranks. */
static int print_run (const struct table1 *table1, size_t i,
                      const struct all *all, FILE *out, tori_error *err)
{
    static const struct pivot ours
        = {{NULL, VIEW_COLUMNS (situation), NULL}, "decision", {"pairwise"}};
    const struct rows entries
        = {all->entry + i * ENTRIES, ENTRIES, sizeof *all->entry};
    const struct rows rankings
        = {all->ranking + i * RANKINGS, RANKINGS, sizeof *all->ranking};
    print_title (&table1->run[i], out);
    if (pivot_print (&ours, &entry_sheet, &entries, out, table1->setup->bold,
                     err)
        < 0)
        return -1;
    return print_rows (&ranking_sheet, &rankings, table1, out, err);
}

static int print_runs (const struct table1 *table1, const struct all *all,
                       FILE *out, tori_error *err)
{
    wrap_text (out,
               "Mean sum of pairwise distances of a job on a 16x16 mesh, "
               "first come, first served. A row is the allocator that places "
               "the jobs (the situation), a column the one that is asked at "
               "every start (the decision). Printed are the figures of the "
               "paper, whose log is the LLNL Cray T3D's: 21323 jobs, 256 "
               "processors. Sums depend on the sizes of a log's jobs; what "
               "compares is how the allocators rank.",
               0, 0);
    if (table1->traces.n == 0)
        print_missing (table1, out);
    else
        print_absent (table1, out);
    if (print_printed (table1, all->entry, out, err) < 0)
        return -1;
    for (size_t i = 0; i < table1->runs; i++)
        if (print_run (table1, i, all, out, err) < 0)
            return -1;
    return 0;
}

/* ---- all rows ---- */

struct head {
    char left_out[TEXT];
};

static const struct field answer_fields[] = {
    {"left_out", FIELD_CHARS, FIELD_AT (struct head, left_out),
     "places of logs that were named and are not there"},
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
};
const struct sheet table1_sheet = {"table1", SHEET_FIELDS (answer_fields)};

static void all_clear (struct all *all)
{
    free (all->run);
    free (all->entry);
    free (all->ranking);
    free (all->diagonal);
}

static int make_all (const struct table1 *table1, struct all *all,
                     tori_error *err)
{
    size_t n = table1->runs;
    all->run = calloc (n, sizeof *all->run);
    all->entry = calloc (n * ENTRIES, sizeof *all->entry);
    all->ranking = calloc (n * RANKINGS, sizeof *all->ranking);
    all->diagonal = calloc (n * TABLE1_CASES, sizeof *all->diagonal);
    if (!all->run || !all->entry || !all->ranking || !all->diagonal)
        return tori_error_nomem (err);
    for (size_t i = 0; i < n; i++) {
        const struct table1_run *run = &table1->run[i];
        all->run[i] = run_row (run);
        for (size_t j = 0; j < ENTRIES; j++)
            all->entry[i * ENTRIES + j] = entry_row (run, j);
        for (size_t j = 0; j < RANKINGS; j++)
            all->ranking[i * RANKINGS + j] = ranking_row (run, j);
        for (size_t j = 0; j < TABLE1_CASES; j++)
            all->diagonal[i * TABLE1_CASES + j] = diagonal_row (run, j);
    }
    for (size_t c = 0; c < TABLE1_CASES; c++)
        all->tally[c] = count_diagonals (table1, c);
    return 0;
}

static struct head make_head (const struct table1 *table1)
{
    const struct traces_places *named = &table1->setup->traces;
    struct head head = {""};
    size_t used = 0;
    for (size_t i = 0; i < named->n && used < TEXT; i++)
        if (traces_absent (named->item[i]))
            used += (size_t)snprintf (head.left_out + used, TEXT - used,
                                      "%s%s", used ? ", " : "",
                                      named->item[i]);
    return head;
}

enum { RUN_LIST, ENTRY_LIST, RANKING_LIST, DIAGONAL_LIST, TALLY_LIST, LISTS };

static int report (const struct table1 *table1, const struct all *all,
                   FILE *out, tori_error *err)
{
    const struct paper_setup *setup = table1->setup;
    const struct head head = make_head (table1);
    size_t n = table1->runs;
    const struct rows list[LISTS]
        = {{all->run, n, sizeof *all->run},
           {all->entry, n * ENTRIES, sizeof *all->entry},
           {all->ranking, n * RANKINGS, sizeof *all->ranking},
           {all->diagonal, n * TABLE1_CASES, sizeof *all->diagonal},
           {all->tally, TABLE1_CASES, sizeof *all->tally}};
    const struct paper_lists lists = {&table1_sheet, &head, list};
    if (setup->out && paper_write_lists (setup->out, &lists, err) < 0)
        return -1;
    if (setup->json)
        return paper_emit_lists (setup, &lists, out, err);
    if (print_runs (table1, all, out, err) < 0)
        return -1;
    return print_diagonals (table1, &list[DIAGONAL_LIST], &list[TALLY_LIST],
                            out, err);
}

int table1_report (const struct table1 *table1, FILE *out, tori_error *err)
{
    struct all all = {0};
    int status = make_all (table1, &all, err);
    if (status == 0)
        status = report (table1, &all, out, err);
    all_clear (&all);
    return status;
}
