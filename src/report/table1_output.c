/* Table 1 of Bender et al. as text, JSON and CSV, ours beside the printed. */
#include <inttypes.h>
#include <string.h>

#include "emit.h"
#include "table.h"
#include "table1.h"
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

/* ---- for people ---- */

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

static int print_matrix (const struct table1_run *run, FILE *out, bool bold,
                         tori_error *err)
{
    struct table_column columns[2 * N + 2] = {
        [0] = {"ours", TABLE_TEXT}, [N + 1] = {"printed", TABLE_TEXT}};
    struct table *table;
    int status;
    for (size_t i = 0; i < N; i++) {
        columns[i + 1].title = columns[N + i + 2].title = table1_allocs[i];
        columns[i + 1].align = columns[N + i + 2].align = TABLE_NUMBER;
    }
    table = table_create (columns, 2 * N + 2);
    for (size_t i = 0; i < N; i++) {
        table_cell (table, "%s", table1_allocs[i]);
        for (size_t j = 0; j < N; j++)
            table_cell (table, "%.1f", matrix_at (&run->matrix, i, j));
        table_cell (table, "%s", table1_allocs[i]);
        for (size_t j = 0; j < N; j++)
            table_cell (table, "%.0f", table1_printed[i * N + j]);
    }
    status = table_print (table, out, bold, err);
    table_destroy (table);
    return status;
}

/* In how many rows, or columns, the allocators rank so. */
static size_t count_lines (const struct table1_run *run, size_t first,
                           struct ranking ranking)
{
    size_t n = 0;
    for (size_t i = first; i < first + N; i++)
        n += same_ranking (rank_line (run->matrix.mean, i), ranking);
    return n;
}

/* "rank as printed: ..." or "rank ...; printed is ...". */
static void say_ranking (struct ranking ours, struct ranking printed,
                         const char *subject, FILE *out)
{
    char text[TEXT], list[LIST], theirs[LIST];
    describe (ours, list);
    if (same_ranking (ours, printed))
        snprintf (text, TEXT, "%s as printed: %s.", subject, list);
    else
        snprintf (text, TEXT, "%s %s; printed is %s.", subject, list,
                  describe (printed, theirs));
    wrap_text (out, text, 0, 0);
}

/* Lines that do not rank alike: which of them are as printed, and how the
 * others rank. */
static void say_lines (const struct table1_run *run, size_t first,
                       const char *line, const char *what, FILE *out)
{
    struct ranking printed = rank_printed (first);
    size_t alike = count_lines (run, first, printed);
    char text[TEXT], list[LIST];
    describe (printed, list);
    if (alike > 0)
        snprintf (text, TEXT,
                  "In %zu of %d %ss the %s rank as printed, %s; in the "
                  "others:",
                  alike, N, line, what, list);
    else
        snprintf (text, TEXT, "In no %s the %s rank as printed, %s, but:",
                  line, what, list);
    wrap_text (out, text, 0, 0);
    for (size_t i = 0; i < N; i++)
        if (!ranks_alike (run, first + i))
            fprintf (out, "  %s %s: %s\n", line, table1_allocs[i],
                     describe (rank_line (run->matrix.mean, first + i),
                               list));
}

/* The rankings in plain words. In the paper all rows rank alike, and all
 * columns do. */
static void print_rankings (const struct table1_run *run, FILE *out)
{
    static const struct {
        size_t first;
        const char *line, *what, *subject;
    } kinds[] = {
        {ROWS, "row", "decisions", "In every row the decisions rank"},
        {COLUMNS, "column", "situations",
         "In every column the situations rank"},
    };
    for (size_t i = 0; i < 2; i++) {
        size_t first = kinds[i].first;
        struct ranking ours = rank_line (run->matrix.mean, first);
        if (count_lines (run, first, ours) == N)
            say_ranking (ours, rank_printed (first), kinds[i].subject, out);
        else
            say_lines (run, first, kinds[i].line, kinds[i].what, out);
    }
    say_ranking (rank_line (run->matrix.mean, DIAGONAL),
                 rank_printed (DIAGONAL), "The diagonal ranks", out);
}

/* ---- the diagonal in other cases ---- */

enum audience { PEOPLE, PROGRAMS };

static void diagonal_row (struct table *table, enum audience audience,
                          const struct table1_run *run, size_t c)
{
    const struct table1_diagonal *diagonal = &run->diagonal[c];
    int digits = audience == PEOPLE ? 0 : 5;
    bool brief = audience == PEOPLE && !run->path;
    table_cell (table, "%s", brief ? "the model" : table1_name (run));
    table_cell (table, "%s", table1_cases[c].name);
    table_cell (table, "%zu", diagonal->jobs);
    for (size_t i = 0; i < 2 * N; i++)
        if (diagonal->jobs == 0)
            table_cell (table, "%s", audience == PEOPLE ? "-" : "");
        else if (i < N)
            table_cell (table, "%.*f", digits + 1, diagonal->pairwise[i]);
        else
            table_cell (table, "%.*f", digits + 2, diagonal->average[i - N]);
}

/* Columns: the allocators twice, by sums and by hops. */
static struct table *diagonal_table (const struct table1 *table1,
                                     enum audience audience)
{
    static const struct table_column columns[][3 + 2 * N] = {
        [PEOPLE] = {{"jobs of", TABLE_TEXT},
                    {"case", TABLE_TEXT},
                    {"jobs", TABLE_NUMBER},
                    {"sum: mc1x1", TABLE_NUMBER},
                    {"mm", TABLE_NUMBER},
                    {"mm+inc", TABLE_NUMBER},
                    {"hilbert-bf", TABLE_NUMBER},
                    {"hops: mc1x1", TABLE_NUMBER},
                    {"mm", TABLE_NUMBER},
                    {"mm+inc", TABLE_NUMBER},
                    {"hilbert-bf", TABLE_NUMBER}},
        [PROGRAMS] = {{"jobs of"},
                      {"case"},
                      {"jobs"},
                      {"sum_mc1x1"},
                      {"sum_mm"},
                      {"sum_mm+inc"},
                      {"sum_hilbert-bf"},
                      {"hops_mc1x1"},
                      {"hops_mm"},
                      {"hops_mm+inc"},
                      {"hops_hilbert-bf"}},
    };
    struct table *table = table_create (columns[audience], 3 + 2 * N);
    for (size_t i = 0; i < table1->runs * TABLE1_CASES; i++)
        diagonal_row (table, audience, &table1->run[i / TABLE1_CASES],
                      i % TABLE1_CASES);
    return table;
}

/* Of how many workloads something holds in a case. */
struct tally {
    size_t known, as_printed, curve_first, curve_nearest;
};

static struct tally count_diagonals (const struct table1 *table1, size_t c)
{
    enum { CURVE = N - 1 }; /* hilbert-bf, which the paper has first */
    struct ranking printed = rank_printed (DIAGONAL);
    struct tally tally = {0};
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

static struct table *tally_table (const struct table1 *table1)
{
    static const struct table_column columns[] = {
        {"case", TABLE_TEXT},
        {"workloads", TABLE_NUMBER},
        {"ranks as printed", TABLE_NUMBER},
        {"hilbert-bf first by sums", TABLE_NUMBER},
        {"by hops", TABLE_NUMBER}};
    struct table *table
        = table_create (columns, sizeof columns / sizeof *columns);
    for (size_t c = 0; c < TABLE1_CASES; c++) {
        struct tally tally = count_diagonals (table1, c);
        table_cell (table, "%s", table1_cases[c].name);
        table_cell (table, "%zu", tally.known);
        table_cell (table, "%zu", tally.as_printed);
        table_cell (table, "%zu", tally.curve_first);
        table_cell (table, "%zu", tally.curve_nearest);
    }
    return table;
}

static int print_and_destroy (struct table *table, const struct table1 *table1,
                              FILE *out, tori_error *err)
{
    int status;
    fputc ('\n', out);
    status = table_print (table, out, table1->setup->bold, err);
    table_destroy (table);
    return status;
}

static int print_diagonals (const struct table1 *table1, FILE *out,
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
    if (print_and_destroy (diagonal_table (table1, PEOPLE), table1, out, err)
        < 0)
        return -1;
    return print_and_destroy (tally_table (table1), table1, out, err);
}

/* ---- all of it ---- */

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

int table1_print (const struct table1 *table1, FILE *out, tori_error *err)
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
    for (size_t i = 0; i < table1->runs; i++) {
        const struct table1_run *run = &table1->run[i];
        print_title (run, out);
        if (print_matrix (run, out, table1->setup->bold, err) < 0)
            return -1;
        fputc ('\n', out);
        print_rankings (run, out);
    }
    return print_diagonals (table1, out, err);
}

/* ---- for programs ---- */

static void emit_ranking (struct emit *e, const char *key,
                          struct ranking ranking)
{
    emit_open (e, key, '[');
    for (size_t i = 0; i < N; i++)
        emit_text (e, NULL, table1_allocs[ranking.alloc[i]]);
    emit_close (e, ']');
}

/* The matrix and its rankings, as members of the object that is open. */
static void emit_means (struct emit *e, const double mean[N * N])
{
    matrix_emit (e, "situation", table1_allocs, N, mean);
    emit_open (e, "rows", '{');
    for (size_t i = 0; i < N; i++)
        emit_ranking (e, table1_allocs[i], rank_line (mean, ROWS + i));
    emit_close (e, '}');
    emit_open (e, "columns", '{');
    for (size_t i = 0; i < N; i++)
        emit_ranking (e, table1_allocs[i], rank_line (mean, COLUMNS + i));
    emit_close (e, '}');
    emit_ranking (e, "diagonal", rank_line (mean, DIAGONAL));
}

static void emit_by_alloc (struct emit *e, const char *key,
                           const double value[N])
{
    emit_open (e, key, '{');
    for (size_t i = 0; i < N; i++)
        emit_real (e, table1_allocs[i], value[i]);
    emit_close (e, '}');
}

static void emit_diagonal (struct emit *e, const struct table1_run *run,
                           size_t c)
{
    const struct table1_diagonal *diagonal = &run->diagonal[c];
    emit_open (e, NULL, '{');
    emit_text (e, "case", table1_cases[c].name);
    emit_text (e, "sched", table1_cases[c].policy);
    emit_count (e, "jobs", diagonal->jobs);
    if (diagonal->jobs > 0) {
        emit_by_alloc (e, "pairwise", diagonal->pairwise);
        emit_by_alloc (e, "average", diagonal->average);
        emit_ranking (e, "rank", rank (diagonal->pairwise));
        emit_ranking (e, "rank_by_average", rank (diagonal->average));
    }
    emit_close (e, '}');
}

static void emit_run (struct emit *e, const struct table1_run *run)
{
    const tori_sim_result *result = &run->matrix.result;
    emit_open (e, NULL, '{');
    emit_text (e, "jobs_of", table1_name (run));
    emit_count (e, "jobs", result->jobs);
    emit_count (e, "rejected", result->rejected);
    emit_whole (e, "log_procs", run->log_procs);
    emit_real (e, "scale", (double)run->scale_num / (double)run->scale_den);
    emit_real (e, "utilization", result->utilization);
    emit_means (e, run->matrix.mean);
    emit_open (e, "diagonals", '[');
    for (size_t c = 0; c < TABLE1_CASES; c++)
        emit_diagonal (e, run, c);
    emit_close (e, ']');
    emit_close (e, '}');
}

int table1_emit (const struct table1 *table1, FILE *out, tori_error *err)
{
    struct emit e = emit_to (out);
    answer_open (&e, table1->setup->answer);
    emit_open (&e, "printed", '{');
    emit_text (&e, "jobs_of", "LLNL Cray T3D");
    emit_count (&e, "jobs", 21323);
    emit_means (&e, table1_printed);
    emit_close (&e, '}');
    emit_open (&e, "left_out", '[');
    for (size_t i = 0; i < table1->setup->traces.n; i++)
        if (traces_absent (table1->setup->traces.item[i]))
            emit_text (&e, NULL, table1->setup->traces.item[i]);
    emit_close (&e, ']');
    emit_open (&e, "runs", '[');
    for (size_t i = 0; i < table1->runs; i++)
        emit_run (&e, &table1->run[i]);
    emit_close (&e, ']');
    emit_close (&e, '}');
    return emit_end (&e, err);
}

/* A line an entry: ours and the printed one. */
int table1_write_csv (const struct table1 *table1, tori_error *err)
{
    static const struct table_column columns[] = {
        {"jobs of", TABLE_TEXT},  {"situation", TABLE_TEXT},
        {"decision", TABLE_TEXT}, {"pairwise", TABLE_NUMBER},
        {"printed", TABLE_NUMBER},
    };
    struct table *table = table_create (columns, 5);
    int status;
    for (size_t i = 0; i < table1->runs * N * N; i++) {
        const struct table1_run *run = &table1->run[i / (N * N)];
        size_t row = i / N % N, column = i % N;
        table_cell (table, "%s", table1_name (run));
        table_cell (table, "%s", table1_allocs[row]);
        table_cell (table, "%s", table1_allocs[column]);
        table_cell (table, "%.6f", matrix_at (&run->matrix, row, column));
        table_cell (table, "%.0f", table1_printed[i % (N * N)]);
    }
    status = paper_write_csv (table1->setup->out, "table1", table, err);
    table_destroy (table);
    if (status < 0)
        return -1;
    table = diagonal_table (table1, PROGRAMS);
    status = paper_write_csv (table1->setup->out, "diagonal", table, err);
    table_destroy (table);
    return status;
}
