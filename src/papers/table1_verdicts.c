/* Verdicts on Table 1 of Bender et al., and how its lines rank. */
#include <stdlib.h>
#include <string.h>

#include "table1.h"

enum { N = TABLE1_ALLOCS };

/* ---- rankings ---- */

struct ranking table1_ranking_of (const double value[N])
{
    struct ranking ranking;
    rank (value, N, ranking.alloc);
    return ranking;
}

struct ranking table1_rank_line (const double mean[N * N], size_t line)
{
    double value[N];
    for (size_t i = 0; i < N; i++) {
        size_t row = line < COLUMNS ? line : i;
        size_t column = line < COLUMNS || line == DIAGONAL ? i : line - N;
        value[i] = mean[row * N + column];
    }
    return table1_ranking_of (value);
}

struct ranking table1_rank_printed (size_t line)
{
    return table1_rank_line (table1_printed, line);
}

/* ---- verdicts ---- */

/* How many lines of a kind rank as printed, in their first places. */
static size_t count_lines (const struct table1 *table1, size_t from,
                           size_t places)
{
    size_t same = 0;
    for (size_t i = 0; i < table1->runs; i++)
        for (size_t line = from; line < from + N; line++) {
            struct ranking ours_is
                = table1_rank_line (table1->run[i].matrix.mean, line);
            struct ranking is = table1_rank_printed (line);
            same += memcmp (&ours_is, &is, places * sizeof *is.alloc) == 0;
        }
    return same;
}

/* In how many workloads of the judged case hilbert-bf is first and mc1x1
 * second. */
static size_t count_leading (const struct table1 *table1)
{
    struct ranking is = table1_rank_printed (DIAGONAL);
    size_t n = 0;
    for (size_t i = 0; i < table1->runs; i++) {
        const struct table1_diagonal *d
            = &table1->run[i].diagonal[TABLE1_JUDGED];
        struct ranking ours_is = table1_ranking_of (d->pairwise);
        n += d->jobs > 0
             && memcmp (&ours_is, &is, 2 * sizeof *is.alloc) == 0;
    }
    return n;
}

/* The intervals of an order: in how many it is sure, and in how many the other
 * order is. The rest hold 0. */
struct certainty {
    size_t n, sure, otherwise;
};

static void count_certain (struct certainty *certainty, struct estimate lead)
{
    certainty->n++;
    certainty->sure += lead.mean > lead.half;
    certainty->otherwise += lead.mean < -lead.half;
}

/* An order that not all workloads have as printed. It differs if one of the
 * intervals says so, or if there are none; else nothing is decided. */
static void judge_order (struct paper_run *run, struct published of, bool same,
                         struct certainty certainty, const char *text)
{
    if (!same && certainty.n > 0 && certainty.otherwise == 0) {
        of.why = "intervals hold 0";
        verdict_refuse (run, &of, "%s", text);
    } else {
        of.why = "they rank otherwise";
        verdict_compare (run, &of, same, "%s", text);
    }
}

/* mm+inc before mm in the judged case: by the parts of each workload. */
static void judge_swaps (struct paper_run *run)
{
    const struct lead_row *lead = run->list[LEAD_LIST].row;
    struct certainty certainty = {0};
    char text[VERDICT_TEXT];
    for (size_t i = 0; i < run->list[LEAD_LIST].n; i++)
        if (lead[i].parts > 1)
            count_certain (&certainty, lead[i].mm);
    snprintf (text, sizeof text, "sure in %zu of %zu workloads",
              certainty.sure, certainty.n);
    judge_order (run,
                 (struct published){"Table 1, diagonal",
                                    "the same: mm+inc before mm",
                                    "5269 and 5288"},
                 certainty.n > 0 && certainty.sure == certainty.n, certainty,
                 text);
}

/* The cost of situation a beyond that of b in a column, as a part of b: over
 * the workloads, with room for a value of each. */
static struct estimate compare_situations (const struct table1 *table1,
                                           size_t a, size_t b, size_t column,
                                           double value[])
{
    for (size_t i = 0; i < table1->runs; i++) {
        const double *mean = table1->run[i].matrix.mean;
        value[i] = mean[a * N + column] / mean[b * N + column] - 1;
    }
    return estimate_of (value, table1->runs);
}

/* The situations of a column after the best: by the workloads together. */
static void judge_others (struct paper_run *run)
{
    const struct table1 *table1 = run->study;
    size_t n = N * table1->runs, same = count_lines (table1, COLUMNS, N);
    double *value = calloc (table1->runs + 1, sizeof *value);
    struct certainty certainty = {0};
    char text[VERDICT_TEXT];
    if (!value) {
        run->status = tori_error_nomem (run->err);
        return;
    }
    for (size_t c = 0; table1->runs > 1 && c < N; c++) {
        struct ranking is = table1_rank_printed (COLUMNS + c);
        for (size_t i = 2; i < N; i++)
            count_certain (&certainty,
                           compare_situations (table1, is.alloc[i],
                                               is.alloc[i - 1], c, value));
    }
    free (value);
    snprintf (text, sizeof text, "so in %zu of %zu columns", same, n);
    judge_order (run,
                 (struct published){"Table 1, columns",
                                    "the order of the others",
                                    "mc1x1, mm+inc, mm"},
                 same == n, certainty, text);
}

static void judge_diagonal (struct paper_run *run)
{
    const struct table1 *table1 = run->study;
    const struct tally *tally = run->list[TALLY_LIST].row;
    size_t n = table1->runs, known = tally[TABLE1_JUDGED].known;
    size_t leading = count_leading (table1);
    verdict_compare (run,
                     &(struct published){
                         "Table 1, diagonal", "all jobs, as the logs are",
                         "hilbert-bf, mc1x1, mm+inc, mm",
                         "its log, scheduler and load are not known"},
                     tally[0].as_printed == n, "so in %zu of %zu workloads",
                     tally[0].as_printed, n);
    verdict_compare (run,
                     &(struct published){"Table 1, diagonal",
                                         "powers of two of 32 nodes or more",
                                         "hilbert-bf, then mc1x1",
                                         "others lead"},
                     known > 0 && leading == known,
                     "so in %zu of %zu workloads", leading, known);
    judge_swaps (run);
}

void table1_judge (struct paper_run *run)
{
    const struct table1 *table1 = run->study;
    size_t n = N * table1->runs, rows = count_lines (table1, ROWS, N);
    size_t best = count_lines (table1, COLUMNS, 1);
    verdict_refuse (run,
                    &(struct published){"Table 1", "sums of distances",
                                        "5046 to 5531",
                                        "its log is not available to us"},
                    "-");
    verdict_compare (run,
                     &(struct published){"Table 1, rows", "decisions",
                                         "mm+inc, mm, mc1x1, hilbert-bf",
                                         "they rank otherwise"},
                     rows == n, "so in %zu of %zu rows", rows, n);
    verdict_compare (run,
                     &(struct published){"Table 1, columns",
                                         "the best situations", "hilbert-bf",
                                         "others are the best"},
                     best == n, "so in %zu of %zu columns", best, n);
    judge_others (run);
    judge_diagonal (run);
}
