/* Published figures: the machinery behind them. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <regex.h>
#include <stdatomic.h>
#include <unistd.h>

#include "page.h"
#include "paper.h"
#include "paper_command.h"
#include "parallel.h"
#include "random.h"
#include "support.h"

/* ---- pieces of work ---- */

enum { PIECES = 200 };

struct tally {
    atomic_int times[PIECES];
    size_t last_done;
    size_t fails_at; /* this piece and all behind it; SIZE_MAX: none */
};

static int count_piece (void *arg, size_t piece, tori_error *err)
{
    struct tally *tally = arg;
    atomic_fetch_add (&tally->times[piece], 1);
    if (piece >= tally->fails_at)
        return tori_error_set (err, TORI_INVALID, "piece %zu", piece);
    return 0;
}

static void count_done (void *arg, size_t done)
{
    struct tally *tally = arg;
    assert_int_equal (done, tally->last_done + 1);
    tally->last_done = done;
}

static struct parallel counting (struct tally *tally, unsigned workers)
{
    return (struct parallel){.n = PIECES,
                             .workers = workers,
                             .work = count_piece,
                             .on_done = count_done,
                             .arg = tally};
}

TEST (every_piece_once)
{
    const unsigned workers[] = {0, 1, 2, 7, 1000};
    for (size_t i = 0; i < sizeof workers / sizeof *workers; i++) {
        struct tally tally = {.fails_at = SIZE_MAX};
        struct parallel parallel = counting (&tally, workers[i]);
        tori_error err;
        assert_int_equal (parallel_run (&parallel, &err), 0);
        assert_int_equal (tally.last_done, PIECES);
        for (size_t p = 0; p < PIECES; p++)
            assert_int_equal (tally.times[p], 1);
    }
}

TEST (first_failure_is_told)
{
    for (unsigned workers = 1; workers <= 8; workers++) {
        struct tally tally = {.fails_at = 50};
        struct parallel parallel = counting (&tally, workers);
        tori_error err;
        assert_int_equal (parallel_run (&parallel, &err), -1);
        assert_int_equal (err.status, TORI_INVALID);
        assert_string_equal (err.text, "piece 50");
        assert_true (tally.last_done <= 50 + workers);
    }
}

TEST (no_pieces)
{
    struct tally tally = {.fails_at = 0};
    struct parallel parallel = counting (&tally, 3);
    tori_error err;
    parallel.n = 0;
    assert_int_equal (parallel_run (&parallel, &err), 0);
}

/* ---- text ---- */

TEST (wrapped_lines)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream (&text, &size);
    const char *words = "it was the best of times it was the worst of times "
                        "it was the age of wisdom it was the age of folly it "
                        "was the epoch of belief";
    wrap_text (out, words, 0, 3);
    assert_int_equal (fclose (out), 0);
    for (char *line = text; *line; line += strcspn (line, "\n") + 1) {
        assert_true (strcspn (line, "\n") <= PAGE_WIDTH);
        assert_true (line == text || strspn (line, " ") == 3);
    }
    assert_true (strchr (text, '\n') != strrchr (text, '\n'));
    free (text);
}

/* ---- the table of papers ---- */

/* "A. Author, B. Author: Title. YEAR", and nothing else. */
TEST (cited_in_one_style)
{
    const struct paper *paper;
    regex_t style;
    assert_int_equal (regcomp (&style,
                               "^([A-Z]\\. )+[A-Z][a-z]+"
                               "(, ([A-Z]\\. )+[A-Z][a-z]+)*: "
                               "[A-Z][^\"]+\\. (19|20)[0-9][0-9]$",
                               REG_EXTENDED | REG_NOSUB),
                      0);
    for (size_t i = 0; (paper = paper_list (i)); i++)
        if (regexec (&style, paper->citation, 0, NULL, 0) != 0)
            fail_msg ("%s: %s", paper->name, paper->citation);
    regfree (&style);
}

/* Each has another name, which is among the words that may be typed. */
TEST (papers_are_named)
{
    const struct paper *paper, *other;
    size_t i = 0;
    for (; (paper = paper_list (i)); i++) {
        size_t known = PAPER_WORDS;
        while (paper_names (known)
               && strcmp (paper_names (known), paper->name) != 0)
            known++;
        assert_non_null (paper_names (known));
        assert_true (*paper->name && *paper->what && *paper->citation);
        assert_true (paper->compute && paper->judge && paper->print);
        for (size_t j = 0; j < i && (other = paper_list (j)); j++)
            assert_string_not_equal (paper->name, other->name);
    }
}

/* ---- verdicts ---- */

/* A value is reproduced, or differs, or cannot be compared; a reason is shown
 * unless it is reproduced. */
TEST (verdicts_say_why)
{
    tori_error err;
    struct paper_run run = {.err = &err};
    const struct published value
        = {"Table 1", "cells", "48", "one is another"};
    struct verdict_row *row;
    for (int i = 0; i < 40; i++) {
        verdict_compare (&run, &value, i % 2 == 0, "%d", i);
        verdict_refuse (&run, &value, "-");
    }
    assert_int_equal (run.status, 0);
    assert_int_equal (run.verdicts.n, 80);
    row = run.verdicts.row;
    assert_string_equal (row[0].shown, "reproduced");
    assert_string_equal (row[0].why, "");
    assert_string_equal (row[2].ours, "1");
    assert_string_equal (row[2].shown, "differs: one is another");
    assert_string_equal (row[79].shown, "cannot be compared: one is another");
    free (row);
}

/* The rules that all entries share: a number is within a tenth; an order is
 * sure in every case, or surely another in one, or undecided. */
TEST (verdicts_follow_rules)
{
    tori_error err;
    struct paper_run run = {.err = &err};
    const struct published value = {"Figure 1", "load", "40", "it is another"};
    static const double numbers[] = {36, 44, 35.9, 44.1};
    static const struct verdict_cases cases[]
        = {{3, 3, 0}, {3, 2, 1}, {3, 2, 0}, {0}};
    static const char *const shown[]
        = {"reproduced",
           "reproduced",
           "differs: it is another",
           "differs: it is another",
           "reproduced",
           "differs: it is another",
           "cannot be compared: intervals hold 0",
           "cannot be compared: there is no such case",
           "a drawing"};
    for (int i = 0; i < 4; i++)
        verdict_number (&run, &value, 40, numbers[i], "%g", numbers[i]);
    for (int i = 0; i < 4; i++)
        verdict_order (&run, &value, &cases[i], "%zu", cases[i].sure);
    verdict_draw (&run, &value, "tori gang table");
    assert_int_equal (run.verdicts.n, 9);
    for (int i = 0; i < 9; i++)
        assert_string_equal (run.verdicts.row[i].shown, shown[i]);
    free (run.verdicts.row);
}

/* A lead beyond its interval is sure; one of exactly nothing is none. */
TEST (leads_make_cases)
{
    static const double a[] = {1, 2, 3}, near[] = {1.1, 1.9, 3.2},
                        far[] = {2, 3, 4.1};
    struct verdict_cases cases = {0};
    verdict_add_case (&cases, verdict_lead (a, far, 3));
    assert_true (cases.n == 1 && cases.sure == 1 && cases.otherwise == 0);
    verdict_add_case (&cases, verdict_lead (a, near, 3));
    assert_true (cases.n == 2 && cases.sure == 1 && cases.otherwise == 0);
    verdict_add_case (&cases, verdict_lead (far, a, 3));
    assert_true (cases.n == 3 && cases.sure == 1 && cases.otherwise == 1);
    verdict_add_case (&cases, verdict_lead (a, a, 3));
    assert_true (cases.n == 4 && cases.sure == 1 && cases.otherwise == 2);
    verdict_add_case (&cases, verdict_lead (a, far, 1));
    assert_true (cases.n == 5 && cases.sure == 2 && cases.otherwise == 2);
}
