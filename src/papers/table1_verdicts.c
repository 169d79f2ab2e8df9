/* Verdicts on Table 1 of Bender et al., and how its lines rank. */
#include <math.h>

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

struct estimate table1_lead (const struct table1_run *run, size_t asked,
                             size_t a, size_t b, size_t *ret_parts)
{
    double value[TABLE1_PARTS];
    size_t n = 0;
    for (size_t i = 0; i < TABLE1_PARTS; i++) {
        const double *sum = run->part[asked][i].pairwise;
        if (run->part[asked][i].jobs > 0 && sum[b] > 0)
            value[n++] = 100 * (sum[a] / sum[b] - 1);
    }
    *ret_parts = n;
    return n < 2 ? (struct estimate){NAN, NAN} : estimate_of (value, n);
}

/* The sum of an allocator in a line of a workload. */
static double line_sum (const struct table1_run *run, size_t line,
                        size_t alloc)
{
    return line < COLUMNS ? run->matrix.mean[line * N + alloc]
                          : run->matrix.mean[alloc * N + line - COLUMNS];
}

/* How much more b pays in a line than a, as a part of a: the mean over the
 * workloads, and its interval if there are two or more. */
static struct estimate compare_sums (const struct table1 *table1,
                                     size_t line, size_t a, size_t b)
{
    double n = (double)table1->runs, mean = 0, squares = 0;
    for (size_t i = 0; i < table1->runs; i++)
        mean += (line_sum (&table1->run[i], line, b)
                     / line_sum (&table1->run[i], line, a)
                 - 1)
                / n;
    for (size_t i = 0; i < table1->runs; i++) {
        double off = line_sum (&table1->run[i], line, b)
                         / line_sum (&table1->run[i], line, a)
                     - 1 - mean;
        squares += off * off;
    }
    return table1->runs > 1 ? estimate_from (mean, squares, table1->runs)
                            : (struct estimate){mean, 0};
}

/* The cases of some lines: the neighbours in the printed order, from a place
 * to another. */
static struct verdict_cases count_lines (const struct table1 *table1,
                                         size_t from, size_t first,
                                         size_t last)
{
    struct verdict_cases cases = {0};
    for (size_t line = from; line < from + N; line++) {
        struct ranking is = table1_rank_printed (line);
        for (size_t i = first; i < last; i++)
            verdict_add_case (&cases, compare_sums (table1, line, is.alloc[i],
                                                    is.alloc[i + 1]));
    }
    return cases;
}

/* Neighbours in the printed order of the diagonal, from a place to another. A
 * case is a pair in a workload, by its parts. */
static struct verdict_cases count_leads (const struct table1 *table1,
                                         size_t asked, size_t first,
                                         size_t last)
{
    struct ranking is = table1_rank_printed (DIAGONAL);
    struct verdict_cases cases = {0};
    for (size_t i = 0; i < table1->runs; i++)
        for (size_t place = first; place < last; place++) {
            size_t parts;
            struct estimate lead
                = table1_lead (&table1->run[i], asked, is.alloc[place + 1],
                               is.alloc[place], &parts);
            if (parts > 1)
                verdict_add_case (&cases, lead);
        }
    return cases;
}

static void judge_lines (struct paper_run *run, const char *where,
                         const char *value, const char *printed,
                         struct verdict_cases cases)
{
    verdict_order (run,
                   &(struct published){where, value, printed,
                                       "some surely rank otherwise"},
                   &cases, "sure in %zu of %zu pairs, otherwise in %zu",
                   cases.sure, cases.n, cases.otherwise);
}

static void judge_diagonal (struct paper_run *run)
{
    static const char where[] = "Table 1, diagonal";
    const struct table1 *table1 = run->study;
    judge_lines (run, where, "all jobs, as the logs are",
                 "hilbert-bf, mc1x1, mm+inc, mm",
                 count_leads (table1, 0, 0, N - 1));
    judge_lines (run, where,
                 "powers of two of 32 or more: hilbert-bf before mc1x1",
                 "5207 and 5256", count_leads (table1, 1, 0, 1));
    judge_lines (run, where, "the same: mc1x1 before mm+inc", "5256 and 5269",
                 count_leads (table1, 1, 1, 2));
    judge_lines (run, where, "the same: mm+inc before mm", "5269 and 5288",
                 count_leads (table1, 1, 2, 3));
}

void table1_judge (struct paper_run *run)
{
    const struct table1 *table1 = run->study;
    verdict_refuse (run,
                    &(struct published){"Table 1", "sums of distances",
                                        "5046 to 5531",
                                        "its log is not available to us"},
                    "-");
    judge_lines (run, "Table 1, rows", "decisions",
                 "mm+inc, mm, mc1x1, hilbert-bf",
                 count_lines (table1, ROWS, 0, N - 1));
    judge_lines (run, "Table 1, columns", "the best situations", "hilbert-bf",
                 count_lines (table1, COLUMNS, 0, 1));
    judge_lines (run, "Table 1, columns", "the order of the others",
                 "mc1x1, mm+inc, mm",
                 count_lines (table1, COLUMNS, 1, N - 1));
    judge_diagonal (run);
}
