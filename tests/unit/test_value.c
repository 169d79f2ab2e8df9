/* Long numbers: what is equal is found equal, what is close and not equal is
 * found unclear, and the rest compares as it is. */
#include <string.h>

#include "support.h"
#include "value.h"

enum { MOST = VALUE_MOST_WORDS + 1 };

static struct scale scale_of (int words, int whole)
{
    struct scale scale = {.words = words, .point = 64 * words - whole};
    scale_unit (&scale, 0);
    return scale;
}

static void set (const struct scale *scale, uint64_t *to, tori_wide num,
                 tori_wide den, double *bound)
{
    bool rounded = false;
    assert_true (value_of_exact (scale, tori_exact_make (num, den), to,
                                 &rounded));
    *bound = rounded;
}

/* a/d + b/d is (a+b)/d, whatever was rounded, and less than (a+b+1)/d; with
 * one word's worth of precision or sixteen. */
TEST (sums)
{
    struct rng rng;
    rng_seed (&rng, 1, 1);
    for (int round = 0; round < 20000; round++) {
        struct scale scale = scale_of (2 << between (&rng, 0, 3), 60);
        uint64_t a[MOST], b[MOST], sum[MOST], more[MOST];
        tori_wide x = between (&rng, 0, 1000), y = between (&rng, 0, 1000);
        tori_wide d = between (&rng, 1, 100);
        double bound[4];
        set (&scale, a, x, d, &bound[0]);
        set (&scale, b, y, d, &bound[1]);
        set (&scale, sum, x + y, d, &bound[2]);
        set (&scale, more, x + y + 1, d, &bound[3]);
        value_add (&scale, a, a, b);
        bound[0] += bound[1];
        assert_int_equal (
            value_compare (&scale, a, sum, bound[0] + bound[2]), 0);
        assert_true (value_compare (&scale, a, more, bound[0] + bound[3])
                     < 0);
        value_sub (&scale, a, a, b);
        set (&scale, sum, x, d, &bound[2]);
        assert_int_equal (
            value_compare (&scale, a, sum, bound[0] + bound[1] + bound[2]),
            0);
        assert_false (scale.unclear);
    }
}

/* Halving and adding up again, and multiplying, give the same number. */
TEST (halves)
{
    struct rng rng;
    rng_seed (&rng, 2, 1);
    for (int round = 0; round < 20000; round++) {
        struct scale scale = scale_of (2 << between (&rng, 0, 3), 60);
        uint64_t a[MOST], half[MOST], sum[MOST];
        uint32_t bits = between (&rng, 0, 5);
        double bound, error;
        set (&scale, a, between (&rng, 1, 1000000), between (&rng, 1, 1000),
             &bound);
        value_copy (&scale, half, a);
        error = bound + value_halve (&scale, half, (int)bits);
        value_zero (&scale, sum);
        for (uint32_t i = 0; i < UINT32_C (1) << bits; i++)
            value_add (&scale, sum, sum, half);
        error *= 1 << bits;
        assert_int_equal (value_compare (&scale, sum, a, error + bound), 0);
        assert_false (scale.unclear);
    }
}

/* Three thirds are one. One and the last bit are not, but with the bound of
 * three thirds it looks as if they might be: unclear, and clear with twice the
 * words. */
TEST (unclear)
{
    for (int words = 2; words <= 4; words *= 2) {
        struct scale scale = scale_of (words, 28); /* a point at 100 bits */
        uint64_t thirds[MOST], one[MOST], above[MOST];
        double bound, none;
        set (&scale, thirds, 1, 3, &bound);
        value_add (&scale, one, thirds, thirds);
        value_add (&scale, thirds, thirds, one);
        set (&scale, one, 1, 1, &none);
        set (&scale, above, ((tori_wide)1 << 100) + 1, (tori_wide)1 << 100,
             &none);
        assert_int_equal (value_compare (&scale, thirds, one, 3 * bound), 0);
        assert_false (scale.unclear);
        assert_true (value_compare (&scale, thirds, above, 3 * bound) < 0);
        assert_int_equal (scale.unclear, words == 2);
        assert_true (value_compare (&scale, above, one, 0) > 0);
    }
}

/* Larger units of bounds do not change what is clear by far. */
TEST (units)
{
    struct scale scale = scale_of (16, 60);
    uint64_t a[MOST], b[MOST];
    double bound = 1, none;
    set (&scale, a, 1, 3, &none);
    set (&scale, b, 1, 2, &none);
    for (int unit = 0; unit <= 900; unit += 300) {
        scale_unit (&scale, unit);
        assert_true (value_compare (&scale, a, b, bound) < 0);
        assert_true (value_compare (&scale, b, a, bound) > 0);
        assert_int_equal (value_compare (&scale, a, a, bound), 0);
        assert_false (scale.unclear);
        bound_widen (&bound, 300);
        assert_true (bound > 0);
    }
}

TEST (format)
{
    static const struct {
        int64_t num, den;
        int places;
        const char *text;
    } rows[] = {{0, 1, 18, "0"},        {1, 1, 0, "1"},
                {1, 3, 5, "0.33333"},   {2, 3, 5, "0.66667"},
                {1, 8, 3, "0.125"},     {1, 8, 2, "0.13"},
                {1, 8, 10, "0.125"},    {1000, 1, 3, "1000"},
                {1999, 1000, 2, "2"},   {1, 1000, 2, "0"},
                {123456789, 1000, 20, "123456.789"},
                {999999, 1000000, 3, "1"}};
    for (int words = 2; words <= 16; words *= 2)
        for (size_t i = 0; i < LENGTH (rows); i++) {
            struct scale scale = scale_of (words, 40);
            uint64_t value[MOST];
            char text[VALUE_TEXT];
            double bound;
            set (&scale, value, rows[i].num, rows[i].den, &bound);
            value_format (&scale, value, rows[i].places, text);
            assert_string_equal (text, rows[i].text);
            assert_true (value_approximate (&scale, value)
                         <= (double)rows[i].num / (double)rows[i].den);
        }
}

/* 1/p has no remainder modulo p. */
TEST (prime)
{
    struct scale scale = scale_of (2, 40);
    uint64_t value[MOST];
    bool rounded;
    assert_false (value_of_exact (
        &scale, tori_exact_make (1, (tori_wide)VALUE_PRIME), value,
        &rounded));
}
