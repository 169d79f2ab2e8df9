/* Exact numbers: what is read is what is written, sums agree with integers
 * over a common denominator, and what does not fit is refused. */
#include "support.h"

#include <stdio.h>
#include <string.h>

#include <tori/exact.h>

#include "random.h"
#include "wide.h"

static tori_exact number (const char *text)
{
    tori_exact n;
    tori_error err;
    if (tori_exact_parse (text, "x", &n, &err) < 0)
        fail_msg ("%s", err.text);
    return n;
}

static void assert_text (tori_exact n, const char *expected)
{
    char text[TORI_EXACT_TEXT];
    tori_exact_format (n, text);
    assert_string_equal (text, expected);
}

TEST (text)
{
    static const struct {
        const char *read, *written;
    } cases[] = {
        {"0", "0"},
        {"-0", "0"},
        {"4", "4"},
        {"+4.000", "4"},
        {"2.5", "5/2"},
        {".5", "1/2"},
        {"-0.125", "-1/8"},
        {"10/4", "5/2"},
        {"-10/4", "-5/2"},
        {"0.1", "1/10"},
        {"3.9999999999999999999999999",
         "39999999999999999999999999/10000000000000000000000000"},
        {"170141183460469231731687303715884105727",
         "170141183460469231731687303715884105727"},
        {"-1/170141183460469231731687303715884105727",
         "-1/170141183460469231731687303715884105727"},
    };
    for (size_t i = 0; i < LENGTH (cases); i++)
        assert_text (number (cases[i].read), cases[i].written);
}

/* A number of up to 128 bits; often a short one, or one at the end of what
 * fits. */
static tori_wide draw_wide (struct rng *rng)
{
    __extension__ typedef unsigned __int128 uwide;
    uwide bits = (uwide)rng_next (rng) << 64 | rng_next (rng);
    return (tori_wide)bits >> rng_below (rng, 128);
}

/* By the digits in base 2^32 of both: whether the product fits. */
static bool product_fits (tori_wide a, tori_wide b)
{
    __extension__ typedef unsigned __int128 uwide;
    uwide x = a < 0 ? -(uwide)a : (uwide)a, y = b < 0 ? -(uwide)b : (uwide)b;
    uint64_t digits[8] = {0};
    uwide low = 0;
    for (int i = 0; i < 4; i++) {
        uint64_t carry = 0;
        for (int j = 0; j < 4; j++) {
            uint64_t sum = (uint32_t)(x >> 32 * i)
                               * (uint64_t)(uint32_t)(y >> 32 * j)
                           + digits[i + j] + carry;
            digits[i + j] = (uint32_t)sum;
            carry = sum >> 32;
        }
        digits[i + 4] = carry;
    }
    for (int i = 4; i < 8; i++)
        if (digits[i])
            return false;
    for (int i = 3; i >= 0; i--)
        low = low << 32 | digits[i];
    return low <= (uwide)TORI_WIDE_MAX + ((a < 0) != (b < 0));
}

TEST (products)
{
    const tori_wide ends[] = {0, 1, -1, TORI_WIDE_MAX, -TORI_WIDE_MAX - 1};
    struct rng rng = seeded (1);
    size_t fits = 0;
    for (size_t i = 0; i < 20000; i++) {
        tori_wide a = draw_wide (&rng), b = draw_wide (&rng), product = 0;
        bool fit;
        if (i < 25) {
            a = ends[i / 5];
            b = ends[i % 5];
        }
        fit = product_fits (a, b);
        assert_int_equal (wide_mul_overflow (a, b, &product), !fit);
        fits += fit;
        if (fit && b != 0 && b != -1)
            assert_true (product / b == a && product % b == 0);
        if (fit && (b == 0 || b == -1))
            assert_true (product == (b == 0 ? 0 : -a));
    }
    assert_uint_in_range (fits, 1000, 19000);
}

TEST (bad_text)
{
    static const char *const bad[] = {
        "",
        "-",
        ".",
        "1.",
        "1/",
        "1/0",
        "/2",
        "1.5/2",
        "1/2/3",
        "0x1",
        "1e3",
        " 1",
        "1 ",
        "1/-2",
        "--1",
        "inf",
        ".5/2",
        "1//2",
        "170141183460469231731687303715884105728",
        "0.170141183460469231731687303715884105728",
    };
    for (size_t i = 0; i < LENGTH (bad); i++) {
        tori_exact n = {7, 3};
        tori_error err;
        assert_int_equal (tori_exact_parse (bad[i], "x", &n, &err), -1);
        assert_int_equal (err.status, TORI_INVALID);
        assert_true (n.num == 7 && n.den == 3);
    }
}

/* Numbers over 360360 are integers. */
enum { COMMON = 360360 };

static int64_t over_common (tori_exact n)
{
    assert_true (n.den > 0 && COMMON % n.den == 0);
    assert_true (tori_wide_gcd (n.den, n.num < 0 ? -n.num : n.num) == 1);
    return (int64_t)(n.num * (COMMON / n.den));
}

static tori_exact random_number (struct rng *rng)
{
    int64_t num = (int64_t)rng_below (rng, 2001) - 1000;
    return tori_exact_make (num, (tori_wide)rng_below (rng, 15) + 1);
}

TEST (arithmetic)
{
    struct rng rng = seeded (1);
    for (int i = 0; i < 20000; i++) {
        tori_exact a = random_number (&rng), b = random_number (&rng), c;
        int64_t x = over_common (a), y = over_common (b);
        assert_int_equal (tori_exact_add (a, b, &c, NULL), 0);
        assert_int_equal (over_common (c), x + y);
        assert_int_equal (tori_exact_sub (a, b, &c, NULL), 0);
        assert_int_equal (over_common (c), x - y);
        assert_int_equal (tori_exact_mul (a, b, &c, NULL), 0);
        assert_true (c.num * b.den * a.den == a.num * b.num * c.den);
        assert_int_equal (tori_exact_compare (a, b), (x > y) - (x < y));
    }
}

/* Products of these do not fit, so they cannot be compared by multiplying. */
TEST (close)
{
    tori_exact less = number ("99999999999999999999999999999999999999/"
                              "100000000000000000000000000000000000000");
    tori_exact more = number ("100000000000000000000000000000000000000/"
                              "99999999999999999999999999999999999999");
    assert_int_equal (tori_exact_compare (less, more), -1);
    assert_int_equal (tori_exact_compare (more, less), 1);
    assert_int_equal (tori_exact_compare (less, less), 0);
    assert_int_equal (tori_exact_compare (less, number ("1")), -1);
    assert_int_equal (tori_exact_compare (more, number ("1")), 1);
    less.num = -less.num;
    more.num = -more.num;
    assert_int_equal (tori_exact_compare (less, more), 1);
    assert_int_equal (tori_exact_compare (less, number ("0")), -1);
}

static void assert_too_long (int status, const tori_error *err)
{
    assert_int_equal (status, -1);
    assert_int_equal (err->status, TORI_INVALID);
    assert_non_null (strstr (err->text, "128 bits"));
}

TEST (too_long)
{
    tori_exact most = {TORI_WIDE_MAX, 1}, least = {1, TORI_WIDE_MAX}, n;
    tori_exact other = {1, TORI_WIDE_MAX - 1};
    tori_error err;
    assert_too_long (tori_exact_add (most, number ("1"), &n, &err), &err);
    assert_too_long (tori_exact_add (least, other, &n, &err), &err);
    assert_too_long (tori_exact_mul (most, number ("2"), &n, &err), &err);
    assert_too_long (tori_exact_mul (least, number ("1/2"), &n, &err), &err);
    assert_int_equal (tori_exact_mul (most, least, &n, &err), 0);
    assert_text (n, "1");
    assert_int_equal (tori_exact_sub (most, most, &n, &err), 0);
    assert_text (n, "0");
}

/* Fifteen digits, as printf rounds where a double is exact. */
TEST (decimal)
{
    static const struct {
        const char *read, *written;
    } cases[] = {
        {"0", "0"},
        {"-4", "-4"},
        {"5/2", "2.5"},
        {"1/3", "0.333333333333333"},
        {"2/3", "0.666666666666667"},
        {"-200/3", "-66.6666666666667"},
        {"1/3000", "0.000333333333333333"},
        {"0.9999999999999999", "1"},
        {"9.9999999999999995", "10"},
        {"999999999999999.5", "1000000000000000"},
        {"123456789012345678901", "123456789012345678901"},
        {"123456789012345678901.5", "123456789012345678902"},
        {"0.1", "0.1"},
        {"-1/170141183460469231731687303715884105727", "0"},
        {"170141183460469231731687303715884105726/"
         "170141183460469231731687303715884105727",
         "1"},
        {"113427455640312821154458202477256070485/"
         "170141183460469231731687303715884105727",
         "0.666666666666667"},
    };
    for (size_t i = 0; i < LENGTH (cases); i++) {
        char text[TORI_EXACT_TEXT];
        tori_exact_decimal (number (cases[i].read), text);
        assert_string_equal (text, cases[i].written);
    }
}

TEST (random_decimals)
{
    struct rng rng = seeded (2);
    for (int i = 0; i < 20000; i++) {
        tori_exact n = tori_exact_make (
            (tori_wide)rng_below (&rng, UINT64_C (1) << between (&rng, 1, 40)),
            (tori_wide)1 << between (&rng, 0, 12));
        char text[TORI_EXACT_TEXT], expected[64];
        tori_exact_decimal (n, text);
        snprintf (expected, sizeof expected, "%.15g", tori_exact_value (n));
        if (!strchr (expected, 'e'))
            assert_string_equal (text, expected);
    }
}

TEST (value)
{
    assert_true (tori_exact_value (number ("5/2")) == 2.5);
    assert_true (tori_exact_value (number ("-1/3")) == -1.0 / 3);
    assert_true (tori_exact_value (number ("0.1")) == 0.1);
}
