/* Ranges of bits against loops over single bits, numbers against what they
 * mean, errors against what their header promises. */
#include <stddef.h>
#include <stdint.h>

#include <inttypes.h>
#include <stdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "array.h"
#include "bits.h"
#include "choice.h"
#include "number.h"
#include "random.h"
#include "utf8.h"

#define LENGTH(array) (sizeof (array) / sizeof (array)[0])

/* ---- bits ---- */

enum { NBITS = 300, ROUNDS = 10000 };

/* A set of exactly as many words as it needs, so that a sanitizer sees a look
 * beyond its end, and the same as one bool a bit. */
struct twin {
    uint64_t *set;
    bool bit[NBITS];
};

static void twin_fill (struct twin *twin, struct rng *rng)
{
    twin->set = calloc (bits_words (NBITS), sizeof *twin->set);
    assert_non_null (twin->set);
    for (unsigned i = 0; i < NBITS; i++) {
        twin->bit[i] = rng_below (rng, 2);
        if (twin->bit[i])
            bits_set (twin->set, i);
    }
}

static void twin_expect (const struct twin *twin)
{
    for (unsigned i = 0; i < 64 * bits_words (NBITS); i++)
        if (bits_test (twin->set, i) != (i < NBITS && twin->bit[i]))
            fail_msg ("bit %u", i);
}

TEST (bits_words)
{
    static const struct {
        uint64_t bits;
        size_t words;
    } cases[] = {{0, 0}, {1, 1}, {64, 1}, {65, 2}, {128, 2}, {129, 3},
                 {UINT64_C (1) << 30, 1 << 24}};
    for (size_t i = 0; i < LENGTH (cases); i++)
        assert_int_equal (bits_words (cases[i].bits), cases[i].words);
}

TEST (bits_low)
{
    for (unsigned n = 0; n <= 64; n++)
        for (unsigned i = 0; i < 64; i++)
            assert_int_equal (bits_low (n) >> i & 1, i < n);
}

TEST (bits_single)
{
    struct rng rng;
    struct twin twin;
    rng_seed (&rng, 1, 0);
    twin_fill (&twin, &rng);
    for (int round = 0; round < 1000; round++) {
        unsigned i = (unsigned)rng_below (&rng, NBITS);
        twin.bit[i] = !twin.bit[i];
        (twin.bit[i] ? bits_set : bits_clear) (twin.set, i);
        twin_expect (&twin);
    }
    free (twin.set);
}

/* The first n bits in a row that are set, one by one. */
static unsigned naive_run (const struct twin *twin, unsigned n)
{
    unsigned ones = 0;
    for (unsigned i = 0; i < NBITS; i++) {
        ones = twin->bit[i] ? ones + 1 : 0;
        if (ones == n)
            return i + 1 - n;
    }
    return NBITS;
}

/* One range: what is in it, then set it or clear it. */
static void check_range (struct twin *twin, unsigned first, unsigned n,
                         bool value)
{
    unsigned count = 0;
    for (unsigned i = first; i < first + n; i++) {
        count += twin->bit[i];
        twin->bit[i] = value;
    }
    assert_int_equal (bits_count_range (twin->set, first, n), count);
    assert_int_equal (bits_any_range (twin->set, first, n), count > 0);
    (value ? bits_set_range : bits_clear_range) (twin->set, first, n);
    twin_expect (twin);
}

TEST (bits_ranges)
{
    struct rng rng;
    struct twin twin;
    rng_seed (&rng, 2, 0);
    twin_fill (&twin, &rng);
    for (int round = 0; round < ROUNDS; round++) {
        unsigned first = (unsigned)rng_below (&rng, NBITS + 1);
        unsigned n = (unsigned)rng_below (&rng, NBITS - first + 1);
        if (round % 2)
            n = n % 7;
        check_range (&twin, first, n, rng_below (&rng, 2));
        n = 1 + (unsigned)rng_below (&rng, round % 2 ? 70 : NBITS);
        assert_int_equal (bits_find_run (twin.set, NBITS, n),
                          naive_run (&twin, n));
    }
    free (twin.set);
}

/* All offsets in a word and all lengths up to a word, which is where shifts
 * by 64 lurk. */
TEST (bits_get_put)
{
    struct rng rng;
    struct twin twin;
    rng_seed (&rng, 3, 0);
    twin_fill (&twin, &rng);
    for (unsigned first = 0; first < NBITS; first++)
        for (unsigned n = 1; n <= 64 && first + n <= NBITS; n++) {
            uint64_t value = rng_next (&rng), expected = 0;
            for (unsigned i = 0; i < n; i++)
                expected |= (uint64_t)twin.bit[first + i] << i;
            assert_int_equal (bits_get (twin.set, first, n), expected);
            bits_put (twin.set, first, n, value);
            for (unsigned i = 0; i < n; i++)
                twin.bit[first + i] = value >> i & 1;
            twin_expect (&twin);
        }
    free (twin.set);
}

/* ---- whole numbers ---- */

TEST (number_scan)
{
    static const struct {
        const char *text;
        uint64_t max;
        bool good;
        uint64_t value;
        size_t length;
    } cases[] = {
        {"7", 9, true, 7, 1},
        {"007x8", 9, true, 7, 3},
        {"0", 0, true, 0, 1},
        {"1", 0, false, 0, 0},
        {"9", 8, false, 0, 0},
        {"10", 9, false, 0, 0},
        {"10", 10, true, 10, 2},
        {"", 9, false, 0, 0},
        {"x", 9, false, 0, 0},
        {"-1", 9, false, 0, 0},
        {"+1", 9, false, 0, 0},
        {" 1", 9, false, 0, 0},
        {"4294967295", UINT32_MAX, true, UINT32_MAX, 10},
        {"4294967296", UINT32_MAX, false, 0, 0},
        {"18446744073709551615", UINT64_MAX, true, UINT64_MAX, 20},
        {"18446744073709551616", UINT64_MAX, false, 0, 0},
        {"18446744073709551620", UINT64_MAX, false, 0, 0},
        {"99999999999999999999999", UINT64_MAX, false, 0, 0},
    };
    for (size_t i = 0; i < LENGTH (cases); i++) {
        const char *p = cases[i].text;
        uint64_t value = 42;
        assert_int_equal (number_scan (&p, cases[i].max, &value),
                          cases[i].good);
        assert_int_equal (value, cases[i].good ? cases[i].value : 42);
        assert_int_equal (p - cases[i].text, cases[i].length);
    }
}

/* No double is converted that does not fit. */
TEST (number_clamp)
{
    static const struct {
        double value;
        int64_t least, most, is;
    } cases[] = {
        {2.9, 0, 9, 2},
        {-2.9, -9, 9, -2},
        {9.5, 0, 9, 9},
        {-0.5, 0, 9, 0},
        {1e300, -5, 5, 5},
        {-1e300, -5, 5, -5},
        {INFINITY, 0, INT64_MAX, INT64_MAX},
        {-INFINITY, INT64_MIN, 0, INT64_MIN},
        {NAN, -7, 7, -7},
        {0x1p63, INT64_MIN, INT64_MAX, INT64_MAX},
        {-0x1p63, INT64_MIN, INT64_MAX, INT64_MIN},
        {0x1.fffffffffffffp62, 0, INT64_MAX, INT64_C (0x7ffffffffffffc00)},
    };
    for (size_t i = 0; i < LENGTH (cases); i++)
        assert_int_equal (number_clamp (cases[i].value, cases[i].least,
                                        cases[i].most),
                          cases[i].is);
}

/* Every bound against every number near it. */
TEST (number_scan_bounds)
{
    for (uint64_t max = 0; max <= 120; max++)
        for (uint64_t value = 0; value <= 250; value++) {
            char text[24];
            const char *p = text;
            uint64_t got = 0;
            snprintf (text, sizeof text, "%" PRIu64, value);
            assert_int_equal (number_scan (&p, max, &got), value <= max);
            assert_int_equal (got, value <= max ? value : 0);
        }
}

TEST (number_parse)
{
    static const struct {
        const char *text;
        int64_t min, max;
        bool good;
        int64_t value;
    } cases[] = {
        {"0", 0, 0, true, 0},
        {"-0", 0, 0, true, 0},
        {"+5", 0, 9, true, 5},
        {"-5", -9, 9, true, -5},
        {"10", 0, 9, false, 0},
        {"-1", 0, 9, false, 0},
        {"5", 6, 9, false, 0},
        {"9223372036854775807", 0, INT64_MAX, true, INT64_MAX},
        {"9223372036854775808", 0, INT64_MAX, false, 0},
        {"-9223372036854775807", INT64_MIN, 0, true, -INT64_MAX},
        {"-9223372036854775808", INT64_MIN, 0, true, INT64_MIN},
        {"-9223372036854775809", INT64_MIN, 0, false, 0},
        {"-9223372036854775808", -INT64_MAX, 0, false, 0},
        {"", 0, 9, false, 0},
        {"-", -9, 9, false, 0},
        {"+", -9, 9, false, 0},
        {"+-1", -9, 9, false, 0},
        {"--1", -9, 9, false, 0},
        {" 1", 0, 9, false, 0},
        {"1 ", 0, 9, false, 0},
        {"1.0", 0, 9, false, 0},
        {"0x1", 0, 9, false, 0},
        {"1e0", 0, 9, false, 0},
    };
    for (size_t i = 0; i < LENGTH (cases); i++) {
        tori_error err = {.status = TORI_OK};
        int64_t value = 42;
        int answer = number_parse (cases[i].text, "jobs", cases[i].min,
                                   cases[i].max, &value, &err);
        if (answer != (cases[i].good ? 0 : -1))
            fail_msg ("'%s' gave %d", cases[i].text, answer);
        assert_int_equal (value, cases[i].good ? cases[i].value : 42);
        if (cases[i].good)
            continue;
        assert_int_equal (err.status, TORI_INVALID);
        assert_non_null (strstr (err.text, "jobs"));
        assert_non_null (strstr (err.text, cases[i].text));
    }
}

/* ---- fractions ---- */

TEST (fraction_parse)
{
    static const struct {
        const char *text;
        int64_t num, den;
    } cases[] = {
        {"0", 0, 1},
        {"-0", 0, 1},
        {"0.000", 0, 1},
        {"0/7", 0, 1},
        {"2.5", 5, 2},
        {"5/2", 5, 2},
        {"-2.50", -5, 2},
        {"+10/4", 5, 2},
        {".5", 1, 2},
        {"0.1", 1, 10},
        {"1.000001", 1000001, 1000000},
        {"007", 7, 1},
        {"9223372036854775807", INT64_MAX, 1},
        {"-9223372036854775807", -INT64_MAX, 1},
        {"1/9223372036854775807", 1, INT64_MAX},
        {"9223372036854775807/9223372036854775807", 1, 1},
        {"2.50000000000000000000000000000", 5, 2},
        {"0.000000000000000001", 1, INT64_C (1000000000000000000)},
        {"922337203685477580.7", INT64_MAX, 10},
        {"9.223372036854775807", INT64_MAX, INT64_C (1000000000000000000)},
    };
    for (size_t i = 0; i < LENGTH (cases); i++) {
        struct fraction f;
        tori_error err;
        if (fraction_parse (cases[i].text, "load", &f, &err) < 0)
            fail_msg ("%s", err.text);
        assert_int_equal (f.num, cases[i].num);
        assert_int_equal (f.den, cases[i].den);
    }
}

TEST (fraction_refused)
{
    static const char *const cases[] = {
        "", "-", "+", ".", "-.", "5.", "5./2", "/2", "5/", "5/0", "5/-2",
        "5/+2", "5//2", "1/2/3", "1.5/2", "1/2.5", "1e3", "1.5e3", "nan",
        "inf", "0x10", " 1", "1 ", "1.5 ", "1..5", "1.5.5", "+-1", "1,5",
        "9223372036854775808", "1/9223372036854775808",
        "922337203685477580.8", "99999999999999999999.5",
        "0.00000000000000000001",
    };
    for (size_t i = 0; i < LENGTH (cases); i++) {
        struct fraction f = {42, 43};
        tori_error err = {.status = TORI_OK};
        if (fraction_parse (cases[i], "load", &f, &err) == 0)
            fail_msg ("'%s' is taken for %" PRId64 "/%" PRId64, cases[i],
                      f.num, f.den);
        assert_int_equal (err.status, TORI_INVALID);
        assert_int_equal (f.num, 42);
        assert_int_equal (f.den, 43);
    }
}

/* For two numbers, b above 0. */
static int64_t greatest_divisor (int64_t a, int64_t b)
{
    int64_t best = 1;
    for (int64_t i = 1; i <= b; i++)
        if (a % i == 0 && b % i == 0)
            best = i;
    return best;
}

/* Lowest terms and the same value, as a fraction and as a decimal. */
TEST (fraction_random)
{
    struct rng rng;
    rng_seed (&rng, 4, 0);
    for (int round = 0; round < 2000; round++) {
        int64_t p = (int64_t)rng_below (&rng, 1000);
        int64_t q = (int64_t)rng_below (&rng, 999) + 1;
        int64_t common = greatest_divisor (p, q);
        struct fraction f;
        char text[64];
        snprintf (text, sizeof text, "%" PRId64 "/%" PRId64, p, q);
        assert_int_equal (fraction_parse (text, "x", &f, NULL), 0);
        assert_int_equal (f.num, p / common);
        assert_int_equal (f.den, q / common);
        snprintf (text, sizeof text, "%" PRId64 ".%03" PRId64, p, q);
        assert_int_equal (fraction_parse (text, "x", &f, NULL), 0);
        assert_int_equal (f.num * 1000, (p * 1000 + q) * f.den);
        assert_int_equal (greatest_divisor (f.num, f.den), 1);
        assert_true (fraction_value (f) == (double)f.num / (double)f.den);
    }
}

/* ---- errors ---- */

TEST (error)
{
    tori_error err;
    char text[2 * TORI_ERROR_TEXT];
    assert_int_equal (tori_error_set (&err, TORI_NEVER, "%d of %s", 3, "x"),
                      -1);
    assert_int_equal (err.status, TORI_NEVER);
    assert_string_equal (err.text, "3 of x");
    assert_int_equal (tori_error_set (NULL, TORI_NEVER, "%d", 3), -1);
    assert_int_equal (tori_error_nomem (NULL), -1);
    assert_int_equal (tori_error_nomem (&err), -1);
    assert_int_equal (err.status, TORI_FAILED);
    memset (text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    tori_error_set (&err, TORI_INVALID, "%s", text);
    assert_int_equal (strlen (err.text), TORI_ERROR_TEXT - 1);
}

/* So many names of one length, "000", "001" and so on. */
static struct {
    size_t n;
    int length;
} numbers;

static const char *number_name (size_t i)
{
    static char text[3][64]; /* two are kept while the next is asked for */
    if (i >= numbers.n)
        return NULL;
    snprintf (text[i % 3], sizeof text[0], "%0*zu", numbers.length, i);
    return text[i % 3];
}

/* All names if they fit, to the last byte; else whole names and "...". */
TEST (error_list)
{
    for (int length = 3; length < 40; length++)
        for (size_t n = 0; n < 600; n += n < 60 ? 1 : 50) {
            size_t all = 3 + n * ((size_t)length + 2) - (n ? 2 : 0);
            tori_error err;
            const char *end;
            numbers.n = n;
            numbers.length = length;
            tori_error_set (&err, TORI_INVALID, "of ");
            assert_int_equal (choice_list (number_name, ", ", &err), -1);
            end = strstr (err.text, "...");
            assert_int_equal (end == NULL, all < TORI_ERROR_TEXT);
            assert_int_equal (strlen (err.text) == all, !end);
            if (end) {
                size_t whole = (size_t)(end - err.text) - 3;
                assert_int_equal (whole % ((size_t)length + 2), 0);
                assert_string_equal (end, "...");
                assert_true (whole + (size_t)length + 2 + sizeof "of ..."
                             > TORI_ERROR_TEXT);
            }
        }
    assert_int_equal (choice_list (number_name, ", ", NULL), -1);
}

/* The last is set off. */
TEST (error_choice)
{
    tori_error err;
    size_t which = 7;
    numbers.n = 3;
    numbers.length = 1;
    assert_int_equal (choice_find ("x", number_name, "2", &which, &err), 0);
    assert_int_equal (which, 2);
    assert_int_equal (choice_find ("x", number_name, "3", &which, &err), -1);
    assert_int_equal (which, 2);
    assert_int_equal (err.status, TORI_INVALID);
    assert_string_equal (err.text, "unknown x '3': expected 0, 1 or 2");
}

/* One line, and nothing that a terminal obeys, whatever is quoted. */
TEST (error_printable)
{
    tori_error err;
    for (int c = 1; c < 256; c++) {
        tori_error_set (&err, TORI_INVALID, "a%cb", c);
        assert_int_equal (strlen (err.text), 3);
        assert_true ((unsigned char)err.text[1] >= ' ');
        assert_true (err.text[1] != 0x7f);
        if (c >= ' ' && c != 0x7f)
            assert_int_equal ((unsigned char)err.text[1], c);
    }
}

/* ---- UTF-8 ---- */

/* A character, by definition; how many bytes it has. */
static size_t encode (uint32_t c, char to[5])
{
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n; i-- > 1; c >>= 6)
        to[i] = (char)(0x80 | (c & 0x3f));
    to[0] = (char)(n == 1 ? c : (0xf00 >> n & 0xff) | c);
    to[n] = 0;
    return n;
}

/* Exactly the characters that there are; none that is cut. */
TEST (utf8)
{
    char text[5];
    size_t found = 0;
    for (uint32_t c = 1; c < 0x140000; c++) {
        bool none = (c >= 0xd800 && c < 0xe000) || c >= 0x110000;
        size_t n = encode (c, text);
        assert_int_equal (utf8_length (text), none ? 0 : n);
        text[n - 1] = 0;
        assert_true (n == 1 || utf8_length (text) == 0);
    }
    for (uint32_t bytes = 0; bytes < 1 << 24; bytes++) {
        const char all[]
            = {(char)(bytes >> 16), (char)(bytes >> 8), (char)bytes, 0};
        found += utf8_length (all) == 3;
    }
    assert_int_equal (found, 0x10000 - 0x800 - 0x800);
}

/* The others are left as they are. */
TEST (utf8_mend)
{
    char text[] = "\xe9t\xc3\xa9 \xe2\x82 \xe2\x82\xac \xc0\x80\xc3";
    utf8_mend (text);
    assert_string_equal (text, "?t\xc3\xa9 ?? \xe2\x82\xac ???");
}

/* ---- arrays that grow ---- */

/* The content of the array stays; an impossible size changes nothing. */
TEST (array)
{
    size_t room = 0, grown = 0;
    uint64_t *items = NULL;
    for (size_t n = 0; n < 5000; n++) {
        size_t before = room;
        items = array_room (items, &room, n + 1, sizeof *items);
        assert_non_null (items);
        assert_true (room > n);
        grown += room != before;
        items[n] = n * n;
    }
    assert_true (grown <= 10);
    for (size_t n = 0; n < 5000; n++)
        assert_int_equal (items[n], n * n);
    grown = room;
    assert_null (array_room (items, &room, SIZE_MAX / 4, sizeof *items));
    assert_int_equal (room, grown);
    free (items);
}
