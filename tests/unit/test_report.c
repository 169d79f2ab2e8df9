/* Reports: tables line up, CSV and JSON can be read back. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <math.h>

#include "cases.h"
#include "emit.h"
#include "estimate.h"
#include "random.h"
#include "sparkline.h"
#include "table.h"

/* The output of `write`, as a text for the caller to free. */
static char *written (void (*write) (FILE *out, const void *arg),
                      const void *arg)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream (&text, &size);
    assert_non_null (out);
    write (out, arg);
    assert_int_equal (fclose (out), 0);
    return text;
}

/* ---- tables ---- */

static const struct table_column columns[] = {
    {"name", TABLE_TEXT},
    {"n", TABLE_NUMBER},
    {"note", TABLE_TEXT},
};

static struct table *sample (void)
{
    struct table *table = table_create (columns, 3);
    const char *notes[] = {"", "a, \"b\"", "\xc3\xa9t\xc3\xa9"};
    for (int i = 0; i < 3; i++) {
        table_cell (table, "row %d", i);
        table_cell (table, "%d", i * i * i * 100);
        table_cell (table, "%s", notes[i]);
    }
    return table;
}

static void print (FILE *out, const void *table)
{
    tori_error err;
    assert_int_equal (table_print ((void *)(uintptr_t)table, out, false, &err),
                      0);
}

static void print_csv (FILE *out, const void *table)
{
    tori_error err;
    assert_int_equal (table_csv ((void *)(uintptr_t)table, out, &err), 0);
}

static void check_writing (void (*write) (FILE *, const void *),
                           struct table *table, const char *expected)
{
    char *text = written (write, table);
    assert_string_equal (text, expected);
    free (text);
}

TEST (columns_line_up_and_lines_end_without_blanks)
{
    check_writing (print, sample (),
                   "name     n  note\n"
                   "row 0    0\n"
                   "row 1  100  a, \"b\"\n"
                   "row 2  800  \xc3\xa9t\xc3\xa9\n");
}

TEST (width_counts_characters)
{
    static const struct table_column two[] = {{NULL, TABLE_NUMBER},
                                              {NULL, TABLE_TEXT}};
    struct table *table = table_create (two, 2);
    table_cell (table, "%s", "\xc3\xa9t\xc3\xa9");
    table_cell (table, "a");
    table_cell (table, "1");
    table_cell (table, "b");
    check_writing (print, table, "\xc3\xa9t\xc3\xa9  a\n  1  b\n");
}

TEST (csv_quotes_what_needs_it)
{
    check_writing (print_csv, sample (),
                   "name,n,note\n"
                   "row 0,0,\n"
                   "row 1,100,\"a, \"\"b\"\"\"\n"
                   "row 2,800,\xc3\xa9t\xc3\xa9\n");
}

TEST (csv_has_no_formulas_for_spreadsheets)
{
    static const char *const cells[]
        = {"=1+1", "+x", "-x, y", "@SUM(A1)", "\tz", "-1.5", "+2", "-",
           "a=b", "a;=1", "a\t@x;-y", "a;\"=1", "a;b", "a;-5"};
    static const struct table_column one[] = {{"t", TABLE_TEXT}};
    struct table *table = table_create (one, 1);
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
        table_cell (table, "%s", cells[i]);
    check_writing (print_csv, table,
                   "t\n\"'=1+1\"\n\"'+x\"\n\"'-x, y\"\n"
                   "\"'@SUM(A1)\"\n\"'\tz\"\n-1.5\n+2\n-\na=b\n"
                   "a;'=1\na\t'@x;'-y\n\"a;\"\"'=1\"\na;b\na;-5\n");
}

TEST (a_table_without_rows_is_its_titles)
{
    check_writing (print, table_create (columns, 3), "name  n  note\n");
    check_writing (print_csv, table_create (columns, 3), "name,n,note\n");
}

TEST (no_table_is_a_want_of_memory)
{
    tori_error err;
    table_cell (NULL, "into the void");
    assert_int_equal (table_print (NULL, stdout, false, &err), -1);
    assert_int_equal (err.status, TORI_FAILED);
    table_destroy (NULL);
}

/* ---- JSON ---- */

static void emit_everything (FILE *out, const void *arg)
{
    static const uint32_t coords[] = {3, 0, UINT32_MAX};
    struct emit e = emit_to (out);
    emit_open (&e, NULL, '{');
    emit_open (&e, "empty", '[');
    emit_close (&e, ']');
    emit_open (&e, "nested", '[');
    emit_counts (&e, NULL, coords, 3);
    emit_open (&e, NULL, '{');
    emit_close (&e, '}');
    emit_close (&e, ']');
    emit_flag (&e, "yes", true);
    emit_null (&e, "nothing");
    emit_text (&e, "text", "a \"quoted\"\n\xc3\xa9");
    emit_text (&e, "latin", "caf\xe9");
    emit_whole (&e, "least", INT64_MIN);
    emit_count (&e, "most", INT64_MAX);
    emit_count (&e, "beyond", UINT64_MAX);
    emit_real (&e, "third", 1.0 / 3);
    emit_real (&e, "nan", NAN);
    emit_close (&e, '}');
    assert_int_equal (emit_end (&e, NULL), 0);
}

TEST (json_is_valid_and_in_order)
{
    char *text = written (emit_everything, NULL);
    json_t *value = json_loads (
        text, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, NULL);
    assert_non_null (value);
    json_decref (value);
    assert_string_equal (
        text, "{\"empty\":[],\"nested\":[[3,0,4294967295],{}],\"yes\":true,"
              "\"nothing\":null,\"text\":\"a \\\"quoted\\\"\\n\xc3\xa9\","
              "\"latin\":\"caf?\",\"least\":-9223372036854775808,"
              "\"most\":9223372036854775807,\"beyond\":18446744073709551615,"
              "\"third\":0.333333333333333,\"nan\":null}\n");
    free (text);
}

static void emit_one_time (FILE *out, const void *arg)
{
    struct emit e = emit_to (out);
    emit_time (&e, NULL, *(const tori_time *)arg);
}

TEST (times_are_exact)
{
    static const struct {
        tori_time time;
        const char *text;
    } cases[] = {
        {0, "0"},
        {TORI_SECOND, "1"},
        {60 * TORI_SECOND, "60"},
        {TORI_SECOND / 2, "0.5"},
        {1, "0.000001"},
        {INT64_C (987654321000000001), "987654321000.000001"},
        {-3 * TORI_SECOND / 2, "-1.5"},
        {TORI_TIME_MAX, "9223372036854.775807"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = written (emit_one_time, &cases[i].time);
        assert_string_equal (text, cases[i].text);
        free (text);
    }
}

TEST (a_want_of_memory_is_told_at_the_end)
{
    struct emit e = emit_to (stdout);
    tori_error err;
    e.out = fopen ("/dev/null", "w");
    assert_non_null (e.out);
    emit_value (&e, "lost", NULL);
    assert_int_equal (emit_end (&e, &err), -1);
    assert_int_equal (err.status, TORI_FAILED);
    fclose (e.out);
}

/* ---- estimates ---- */

/* For 1, 2, 3 the deviation is 1. Student's t of two degrees of freedom is
 * sqrt (2) * 0.95 / sqrt (1 - 0.95^2) = 4.3027. */
TEST (three_values)
{
    static const double value[] = {3, 1, 2};
    struct estimate is = estimate_of (value, 3);
    assert_true (is.mean == 2);
    assert_true (fabs (is.half
                       - sqrt (2. / 3) * 0.95 / sqrt (1 - 0.95 * 0.95))
                 < 1e-12);
}

/* The integral of Student's density from -t to t, by Simpson's rule. */
static double integrate_student (double t, double freedom)
{
    enum { STEPS = 20000 };
    double scale = exp (lgamma ((freedom + 1) / 2) - lgamma (freedom / 2))
                   / sqrt (freedom * 3.141592653589793);
    double sum = 0;
    for (int i = 0; i <= STEPS; i++) {
        double x = t * (2. * i / STEPS - 1);
        double weight = i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2;
        sum += weight * pow (1 + x * x / freedom, -(freedom + 1) / 2);
    }
    return scale * sum * (2 * t / STEPS) / 3;
}

/* 95 % are within t, for few values and for many. */
TEST (interval_has_its_probability)
{
    static const size_t many[] = {50, 121, 999, 1000, 1001, 1002, 10000};
    for (size_t i = 0; i < 40 + sizeof many / sizeof *many; i++) {
        size_t n = i < 40 ? i + 2 : many[i - 40];
        double count = (double)n;
        struct estimate is = estimate_from (0, count * (count - 1), n);
        assert_true (fabs (integrate_student (is.half, count - 1) - 0.95)
                     < 1e-8);
    }
}

/* The same again and again is sure; and the more values, half of them 0 and
 * half 1, the narrower the interval, which is never below the normal one. */
TEST (intervals_narrow)
{
    double value[1000], last = INFINITY;
    for (size_t n = 2; n <= 1000; n += 2) {
        struct estimate is;
        for (size_t i = 0; i < n; i++)
            value[i] = (double)(i % 2);
        is = estimate_of (value, n);
        assert_true (is.mean == 0.5 && is.half < last);
        assert_true (is.half >= 1.95 * 0.5 / sqrt ((double)n - 1));
        last = is.half;
        for (size_t i = 0; i < n; i++)
            value[i] = 7;
        is = estimate_of (value, n);
        assert_true (is.mean == 7 && is.half == 0);
    }
}

/* ---- sparklines ---- */

enum { RUNS = 300 };

struct spell {
    tori_time from, until;
    double nodes;
};

/* By definition. */
static double busy_between (const struct spell *all, double low, double high)
{
    double sum = 0;
    for (size_t i = 0; i < RUNS; i++) {
        double from = fmax (low, (double)all[i].from);
        double until = fmin (high, (double)all[i].until);
        if (from < until)
            sum += all[i].nodes * (until - from);
    }
    return sum / (high - low);
}

/* The most nodes at once: when something begins. */
static double busy_most (const struct spell *all)
{
    double most = 0;
    for (size_t i = 0; i < RUNS; i++) {
        double from = (double)all[i].from;
        most = fmax (most, busy_between (all, from, from + 1));
    }
    return most;
}

/* Whatever time it takes, every column is what it was then, but for what
 * happens at its ends: in a cell, of which there are at least 32 in it. */
TEST (sparklines_are_means)
{
    struct rng rng;
    rng_seed (&rng, 1, 1);
    for (int scale = 0; scale < 45; scale += 5) {
        struct sparkline line = {.begin = 77};
        struct spell all[RUNS];
        double sum = 0, total = 0, span, most;
        for (size_t i = 0; i < RUNS; i++) {
            tori_time at = 77 + (tori_time)(rng_next (&rng) >> (63 - scale));
            tori_time runs = (tori_time)(rng_next (&rng) >> (63 - scale));
            all[i] = (struct spell){at, at + runs / 8 + 1,
                                    (double)(rng_next (&rng) % 9)};
            sparkline_add (&line, all[i].from, all[i].until, all[i].nodes);
            total += all[i].nodes * (double)(runs / 8 + 1);
        }
        most = busy_most (all);
        span = (double)(line.end - line.begin);
        for (size_t i = 0; i < SPARKLINE_COLUMNS; i++) {
            double wide = span / SPARKLINE_COLUMNS;
            double low = 77 + wide * (double)i;
            double part = sparkline_part (&line, i, 1);
            double is = busy_between (all, low, low + wide);
            assert_true (fabs (part - is) <= most / 32);
            sum += part * wide;
        }
        assert_true (fabs (sum - total) <= 1e-3 * total);
    }
}

static void draw_sparkline (FILE *out, const void *utf8)
{
    struct sparkline line = {0};
    for (tori_time i = 0; i < 10; i++)
        sparkline_add (&line, 6 * i * TORI_SECOND, 6 * (i + 1) * TORI_SECOND,
                       (double)i);
    sparkline_add (&line, 54 * TORI_SECOND, 60 * TORI_SECOND, 1);
    sparkline_print (&line, 10, utf8 != NULL, out);
}

TEST (sparklines_are_read)
{
    char *plain = written (draw_sparkline, NULL);
    char *blocks = written (draw_sparkline, "");
    assert_string_equal (plain,
                         "\nutilization over 1m, from 0 (0 %) to 9 (100 %):\n"
                         "0000001111112222223333334444445555556666667777778888"
                         "88999999\n");
    assert_string_equal (blocks,
                         "\nutilization over 1m, from ▁ (0 %) to █ (100 %):\n"
                         "▁▁▁▁▁▁▁▁▁▁▁▁▂▂▂▂▂▂▃▃▃▃▃▃▄▄▄▄▄▄▅▅▅▅▅▅▅▅▅▅▅▅▆▆▆▆▆▆▇▇▇▇▇▇"
                         "██████\n");
    free (plain);
    free (blocks);
}
