/* Pictures of plans: what is on the bars and where they are. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gantt.h"

static const struct gantt_bar bars[] = {{1, 0, 8, 0, 2},
                                        {2, 8, 12, 0, 4},
                                        {30, 12, 16, 0, 0.5},
                                        {30, 0, 4, 2, 4},
                                        {4, 4, 6, 2, 4}};

static const struct gantt plan = {.title = "a < b & c",
                                  .lane_title = "lane",
                                  .lanes = 16,
                                  .end = 4,
                                  .deadline = 4,
                                  .bar = bars,
                                  .bars = LENGTH (bars)};

static void assert_text (const struct gantt *gantt, unsigned columns,
                         const char *expected)
{
    char *text;
    size_t size;
    FILE *out = open_memstream (&text, &size);
    assert_non_null (out);
    assert_int_equal (gantt_text (gantt, columns, out, NULL), 0);
    assert_int_equal (fclose (out), 0);
    assert_string_equal (text, expected);
    free (text);
}

/* Lanes in which the same happens share a line; half a unit is four cells
 * here, enough for a number of two digits. */
TEST (text)
{
    assert_text (&plan, 39,
                 "0-3    1---------------30--------------\n"
                 "4-5    1---------------4---------------\n"
                 "6-7    1---------------................\n"
                 "8-11   2-------------------------------\n"
                 "12-15  30--............................\n"
                 "lane   0                              4\n");
}

static void letters (const void *arg, uint32_t low, uint32_t high,
                     char text[GANTT_LABEL])
{
    snprintf (text, GANTT_LABEL, "%s%c", (const char *)arg, (char)('a' + low));
    assert_int_equal (high, low + 1);
}

/* Numbers that do not fit, bars shorter than a cell, names of lanes, and a
 * width that is too small to keep to. */
TEST (short_bars)
{
    static const struct gantt_bar few[] = {
        {123, 0, 1, 0, 10}, {7, 1, 2, 50, 50.1}, {8, 1, 2, 99, 100}};
    struct gantt gantt = {.title = "",
                          .lane_title = "",
                          .lanes = 2,
                          .end = 100,
                          .bar = few,
                          .bars = LENGTH (few),
                          .label = letters,
                          .arg = "lane "};
    assert_text (&gantt, 5,
                 "lane a  ##..................\n"
                 "lane b  ..........#........8\n"
                 "        0                100\n"
                 "#       jobs too short for their number\n");
}

static size_t count (const char *text, const char *what)
{
    size_t n = 0;
    for (; (text = strstr (text, what)); text++)
        n++;
    return n;
}

/* Draw a plan into a file and read it. */
static void draw_svg (const struct gantt *gantt, char *text, size_t size)
{
    char path[] = "test_gantt.XXXXXX";
    int fd = mkstemp (path);
    FILE *in;
    assert_true (fd >= 0);
    close (fd);
    assert_int_equal (gantt_svg (gantt, path, NULL), 0);
    in = fopen (path, "r");
    assert_non_null (in);
    text[fread (text, 1, size - 1, in)] = '\0';
    fclose (in);
    unlink (path);
    assert_string_equal (text + strlen (text) - 7, "</svg>\n");
}

TEST (svg)
{
    static char text[1 << 16];
    draw_svg (&plan, text, sizeof text);
    assert_int_equal (count (text, "<rect x="), LENGTH (bars));
    assert_non_null (strstr (text, "a &lt; b &amp; c"));
    assert_non_null (strstr (text, "<title>job 4, 4-5, 2 to 4</title>"));
    assert_int_equal (count (text, "stroke-dasharray"), 1);
    assert_int_equal (count (text, "<svg "), 1);
}

/* A plan that takes no time: an axis up to 1, and the picture ends. */
TEST (no_time)
{
    static char text[1 << 16];
    static const struct gantt_bar none[] = {{1, 0, 1, 0, 0}};
    struct gantt gantt = {.title = "",
                          .lane_title = "",
                          .lanes = 1,
                          .bar = none,
                          .bars = LENGTH (none)};
    draw_svg (&gantt, text, sizeof text);
    assert_int_equal (count (text, "<line "), 11);
    assert_int_equal (count (text, "nan"), 0);
    assert_text (&gantt, 5,
                 "0  #...................\n"
                 "   0                  1\n"
                 "#  jobs too short for their number\n");
}

TEST (svg_fails)
{
    tori_error err;
    assert_int_equal (gantt_svg (&plan, "no/such/place.svg", &err), -1);
    assert_int_equal (err.status, TORI_FAILED);
}
