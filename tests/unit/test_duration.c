/* Times as people write them. */
#include "support.h"

#include <tori/workload.h>

#include "duration.h"

static void expect_format (tori_time time, const char *should)
{
    char text[DURATION_TEXT_MAX];
    duration_format (time, text);
    assert_string_equal (text, should);
}

TEST (format)
{
    expect_format (0, "0s");
    expect_format (1, "0s");
    expect_format (-1, "0s");
    expect_format (-90 * TORI_SECOND, "-1m30s");
    expect_format (4800 * TORI_SECOND, "1h20m");
    expect_format (180000 * TORI_SECOND, "2d2h");
    expect_format (TORI_SECOND / 2, "0.5s");
    expect_format (60 * TORI_SECOND + TORI_SECOND / 100, "1m0.01s");
    expect_format (TORI_SECOND - 1, "1s");
    expect_format (TORI_TIME_MAX, "106751991d4h54.776s");
    expect_format (INT64_MIN, "-106751991d4h54.776s");
}

static void expect_about (tori_time time, const char *should)
{
    char text[DURATION_TEXT_MAX];
    duration_about (time, text);
    assert_string_equal (text, should);
}

TEST (about)
{
    expect_about (0, "0s");
    expect_about (59700000, "59.7s");
    expect_about (60500000, "1m1s");
    expect_about (3599600000, "1h");
    expect_about (-3630 * TORI_SECOND, "-1h1m");
    expect_about (90000 * TORI_SECOND, "1d1h");
    expect_about (88200 * TORI_SECOND - 1, "1d");
    expect_about (TORI_TIME_MAX, "106751991d4h54.776s");
    expect_about (INT64_MIN, "-106751991d4h54.776s");
}

static void expect_moment (const char *text, tori_time should)
{
    tori_time is = -7;
    assert_int_equal (moment_parse (text, 100 * TORI_SECOND, &is, NULL), 0);
    assert_int_equal (is, should);
}

static void expect_bad (const char *text)
{
    tori_time is = -7;
    tori_error err;
    assert_int_equal (moment_parse (text, 100 * TORI_SECOND, &is, &err), -1);
    assert_int_equal (err.status, TORI_INVALID);
    assert_int_equal (is, -7);
}

TEST (parse)
{
    static const char *const wrong[]
        = {"",       "x",      "1x",     "1h1h",  "1m2h",  "1:2:3:4", "1:60",
           "1:2:60", "-1e2",   "1e2",    "1h20",  "+",     "- 1",     ":1",
           "1:",     "-101",   "1h 20m", "0x10",  ".5",    "1.2.3",   "1d1:00",
           "1-",     "1-24",   "1-2:60", "1-2-3", "5/0",   "1ms2s",   "2dd",
           "+1:00",  "-0:01",  "1.5-2",  "1us1ms", "99999999999999999",
           "+9223372036854",   "1-2:3:4:5"};
    expect_moment ("90", 90 * TORI_SECOND);
    expect_moment ("2.5", 2500000);
    expect_moment ("5/2", 2500000);
    expect_moment ("0.12345678", 123456);
    expect_moment ("+1h20m", 4900 * TORI_SECOND);
    expect_moment ("-1m", 40 * TORI_SECOND);
    expect_moment ("-100", 0);
    expect_moment ("9:00", 32400 * TORI_SECOND);
    expect_moment ("1:20:30.5", 4830 * TORI_SECOND + 500000);
    expect_moment ("100:00:00", 360000 * TORI_SECOND);
    expect_moment ("2-12", 216000 * TORI_SECOND);
    expect_moment ("2-12:30", 217800 * TORI_SECOND);
    expect_moment ("0-00:00:01.5", 1500000);
    expect_moment ("0.5d", 43200 * TORI_SECOND);
    expect_moment ("2d3h4m5s", 183845 * TORI_SECOND);
    expect_moment ("1m0.01s", 60010000);
    expect_moment ("1s250ms", 1250000);
    expect_moment ("1500us", 1500);
    for (size_t i = 0; i < LENGTH (wrong); i++)
        expect_bad (wrong[i]);
}

/* A form with two meanings is refused, and the message has both. */
static void expect_two (int (*parse) (const char *, tori_time *, tori_error *),
                        const char *text, const char *one, const char *other)
{
    tori_time is = -7;
    tori_error err;
    assert_int_equal (parse (text, &is, &err), -1);
    assert_int_equal (err.status, TORI_INVALID);
    assert_int_equal (is, -7);
    assert_non_null (strstr (err.text, one));
    assert_non_null (strstr (err.text, other));
    assert_int_equal (parse (one, &is, NULL), 0);
    assert_int_equal (parse (other, &is, NULL), 0);
}

TEST (two_meanings)
{
    tori_time is;
    expect_two (duration_parse, "1:00", "1h", "1m");
    expect_two (duration_parse, "90:30", "3d18h30m", "1h30m30s");
    expect_two (limit_parse, "1:30", "1h30m", "1m30s");
    expect_two (limit_parse, "60", "1m", "1h");
    expect_two (limit_parse, "2.5", "2.5s", "2m30s");
    assert_int_equal (duration_parse ("60", &is, NULL), 0);
    assert_int_equal (is, 60 * TORI_SECOND);
    assert_int_equal (limit_parse ("0", &is, NULL), 0);
    assert_int_equal (is, 0);
}

static void expect_hours (const char *text, int64_t num, int64_t den)
{
    struct fraction is;
    assert_int_equal (duration_fraction (text, "--mtbf", 3600, &is, NULL), 0);
    assert_int_equal (is.num, num);
    assert_int_equal (is.den, den);
}

TEST (fraction)
{
    struct fraction is;
    tori_error err;
    expect_hours ("5/2", 5, 2);
    expect_hours ("-1", -1, 1);
    expect_hours ("0s", 0, 1);
    expect_hours ("90m", 3, 2);
    expect_hours ("2-12", 60, 1);
    expect_hours ("1us", 1, 3600 * TORI_SECOND);
    assert_int_equal (duration_fraction ("1:00", "--mtbf", 3600, &is, &err),
                      -1);
    assert_memory_equal (err.text, "--mtbf: '1:00' has two", 22);
}

/* A printed duration is read as the same one, to the millisecond. */
TEST (there_and_back)
{
    struct rng rng;
    rng_seed (&rng, 5, 5);
    for (int i = 0; i < 2000; i++) {
        tori_time time = (tori_time)(rng_next (&rng) >> (1 + i % 60));
        tori_time milli = TORI_SECOND / 1000, back;
        char text[DURATION_TEXT_MAX];
        duration_format (time, text);
        assert_int_equal (duration_parse (text, &back, NULL), 0);
        assert_true (back % milli == 0 && back - time <= milli / 2
                     && time - back <= milli / 2);
    }
}
