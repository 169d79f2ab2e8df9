/* The output of the service's clients for people: maps that fit, clock times.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clock.h"
#include "map.h"
#include "support.h"

/* ---- maps ---- */

/* The letters of a drawing that are not digits, blanks or commas. */
static size_t count_letters (const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += !strchr (" \n,0123456789", *text);
    return n;
}

/* No line is longer than the width, and no more lines than there is room for
 * are drawn, if so much as one plane has room; at scale 1 all nodes of the
 * planes are there, once. */
static void check_map (const tori_machine *machine, unsigned width,
                       unsigned height)
{
    uint32_t nodes = tori_machine_nodes (machine), shown;
    char *letters = malloc (nodes), *text = NULL;
    struct map_plan plan;
    size_t size, lines = 0, longest = 0;
    FILE *out = open_memstream (&text, &size);
    assert_non_null (letters);
    assert_non_null (out);
    memset (letters, 'a', nodes);
    map_plan (machine, width, height, &plan);
    map_draw_planes (machine, &plan, letters, 0, NULL, out);
    assert_int_equal (fclose (out), 0);
    for (const char *at = text; *at; lines++) {
        size_t n = strcspn (at, "\n");
        longest = n > longest ? n : longest;
        at += n + 1;
    }
    assert_true (lines <= height && lines <= plan.lines);
    assert_true (longest <= width);
    shown = plan.beside * plan.bands;
    shown = shown < plan.planes ? shown : plan.planes;
    assert_true (shown > 0);
    assert_int_equal (count_letters (text),
                      shown * plan.cell_rows * plan.cell_columns);
    if (plan.scale == 1)
        assert_int_equal (count_letters (text), nodes / plan.planes * shown);
    free (text);
    free (letters);
}

TEST (maps_fit)
{
    struct rng rng = seeded (17);
    for (size_t i = 0; i < random_cases (2000); i++) {
        AUTO_MACHINE *machine = random_machine (&rng, 5, 2000);
        check_map (machine, between (&rng, 12, 120), between (&rng, 2, 50));
    }
}

/* A cell that stands for several nodes has the letter of most of them. */
TEST (cells)
{
    static const char letters[] = "aab."
                                  "a.bb"
                                  "..cd"
                                  "...d";
    struct map_plan plan;
    AUTO_MACHINE *machine = make_machine ("mesh:4x4");
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream (&text, &size);
    map_plan (machine, 2, 2, &plan);
    map_draw_planes (machine, &plan, letters, 0, NULL, out);
    fclose (out);
    assert_string_equal (text, "ab\n.d\n");
    free (text);
}

/* ---- clocks ---- */

static tori_time parsed (const char *text)
{
    tori_time time = -1;
    assert_int_equal (clock_parse (text, clock_now (), &time, NULL), 0);
    return time / TORI_SECOND;
}

TEST (times_are_read)
{
    static const char *const wrong[]
        = {"", "soon", "25:00", "12:60", "2026-13-01", "2026-11-16 ", "+",
           "18", "2026-11-16 18:00x", "Mo", "Monday", "Mon 25:00", "Mon 8h"};
    tori_time now = time (NULL), hour, time;
    setenv ("TZ", "UTC", 1);
    tzset ();
    assert_int_equal (parsed ("2026-11-16 18:00"), 1794852000);
    assert_int_equal (parsed ("2026-11-16T18:00:01"), 1794852001);
    assert_int_equal (parsed ("2026-11-16"), 1794787200);
    assert_uint_in_range (parsed ("+1h20m") - now, 4800, 4860);
    assert_uint_in_range (parsed ("now") - now, 0, 60);
    hour = parsed ("18:00");
    assert_int_equal (hour % 86400, 18 * 3600);
    assert_uint_in_range (hour - now, 0, 86400);
    hour = parsed ("Mon 08:00"); /* 1970 began on a Thursday */
    assert_int_equal (hour % (7 * 86400), 4 * 86400 + 8 * 3600);
    assert_uint_in_range (hour - now, 0, 7 * 86400);
    assert_int_equal (parsed ("Sun") % (7 * 86400), 3 * 86400);
    for (size_t i = 0; i < LENGTH (wrong); i++)
        assert_int_equal (clock_parse (wrong[i], clock_now (), &time, NULL),
                          -1);
}

TEST (times_are_written)
{
    char text[CLOCK_TEXT_MAX];
    setenv ("TZ", "UTC", 1);
    tzset ();
    clock_format ((tori_time)1794852001 * TORI_SECOND - 1, text);
    assert_non_null (strstr (text, "18:00:00"));
    clock_format ((tori_time)2209086240 * TORI_SECOND, text);
    assert_string_equal (text, "2040-01-02 03:04:00");
    clock_format (clock_now (), text);
    assert_int_equal (strlen (text), strlen ("hh:mm:ss"));
    assert_false (time_is_clock ((tori_time)999999999 * TORI_SECOND));
    assert_true (time_is_clock (clock_now ()));
}
