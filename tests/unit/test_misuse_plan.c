/* Mistakes of callers with exact numbers and plans, as in test_misuse.c. */
#include "misuse.h"

#include <tori/exact.h>
#include <tori/plan.h>

#define LEAST (-TORI_WIDE_MAX - 1)

static void expect_text (tori_exact number, const char *text)
{
    char is[TORI_EXACT_TEXT];
    tori_exact_format (number, is);
    assert_string_equal (is, text);
}

/* ---- exact numbers ---- */

/* The least integer has no opposite of 128 bits. */
TEST (least_integer)
{
    tori_exact least = tori_exact_make (LEAST, 1), one = {1, 1}, sum = one;
    char text[TORI_EXACT_TEXT];
    expect_text (least, "-170141183460469231731687303715884105728");
    expect_text (tori_exact_make (LEAST, 2),
                 "-85070591730234615865843651857942052864");
    expect_text (tori_exact_make (LEAST, TORI_WIDE_MAX),
                 "-170141183460469231731687303715884105728/"
                 "170141183460469231731687303715884105727");
    tori_exact_decimal (least, text);
    assert_string_equal (text, "-170141183460469231731687303715884105728");
    assert_true (tori_exact_value (least) == -0x1p127);
    assert_true (tori_exact_compare (least, one) < 0);
    assert_true (tori_exact_compare (one, least) > 0);
    assert_int_equal (tori_exact_compare (least, least), 0);
    INVALID (tori_exact_sub (one, least, &sum, &err));
    INVALID (tori_exact_add (least, (tori_exact){-1, 1}, &sum, &err));
    INVALID (tori_exact_mul (least, (tori_exact){-1, 1}, &sum, &err));
    assert_int_equal (tori_exact_compare (sum, one), 0);
    assert_int_equal (tori_exact_add (least, one, &sum, NULL), 0);
    assert_true (sum.num == -TORI_WIDE_MAX && sum.den == 1);
}

/* Fractions over nothing, or less. */
TEST (no_number)
{
    static const tori_exact none[] = {{0, 0}, {1, 0}, {1, -2}, {-5, -1}};
    tori_exact big = {TORI_WIDE_MAX, 1}, half = {1, 2}, to = half;
    tori_wide lcm = 77;
    for (size_t i = 0; i < LENGTH (none); i++) {
        tori_exact made = tori_exact_make (none[i].num, none[i].den);
        char text[TORI_EXACT_TEXT];
        double value = tori_exact_value (none[i]);
        assert_true (made.num == 0 && made.den == 0);
        expect_text (none[i], "?");
        tori_exact_decimal (none[i], text);
        assert_string_equal (text, "?");
        assert_true (value != value);
        INVALID (tori_exact_add (none[i], half, &to, &err));
        INVALID (tori_exact_add (half, none[i], &to, &err));
        INVALID (tori_exact_sub (none[i], half, &to, &err));
        INVALID (tori_exact_mul (half, none[i], &to, &err));
        (void)tori_exact_compare (none[i], half);
        (void)tori_exact_compare (big, none[i]);
        (void)tori_exact_compare (none[i], none[i]);
        INVALID (tori_wide_lcm (none[i].den, 3, &lcm, &err));
        INVALID (tori_wide_lcm (3, none[i].den, &lcm, &err));
        assert_true (tori_wide_gcd (none[i].den, 3)
                     == (none[i].den < 0 ? 0 : 3));
    }
    assert_true (to.num == 1 && to.den == 2 && lcm == 77);
}

/* ---- plans ---- */

TEST (preemptive)
{
    static const tori_exact bad[]
        = {{0, 0}, {1, 0}, {1, -1}, {0, -1}, {-1, 1}, {LEAST, 1}};
    AUTO_MACHINE *machine = make_machine ("torus:4x4");
    tori_exact ten = {10, 1}, finish = ten;
    for (size_t i = 0; i < LENGTH (bad); i++) {
        tori_preemptive_job job[] = {{2, {1, 1}}, {1, bad[i]}};
        tori_preemptive plan;
        tori_preemptive_bound bound;
        size_t which = 77;
        INVALID (tori_preemptive_plan (machine, job, 2, ten, &plan, &err));
        INVALID (tori_preemptive_check (machine, job, 2, &which, &err));
        assert_int_equal (which, 1);
        INVALID (tori_preemptive_least (machine, job, 2, &finish, &err));
        INVALID (tori_preemptive_bounds (machine, job, 2, &bound, &err));
    }
    for (size_t i = 0; i < 3; i++) {
        tori_preemptive_job job = {2, {1, 1}};
        tori_preemptive plan;
        INVALID (
            tori_preemptive_plan (machine, &job, 1, bad[i], &plan, &err));
    }
    assert_int_equal (tori_exact_compare (finish, ten), 0);
    tori_preemptive_clear (NULL);
}

TEST (contention)
{
    AUTO_MACHINE *machine = make_machine ("torus:4x4");
    tori_contention_job job = {make_shape ("2x2"), {1, 0}};
    tori_contention *plan = NULL;
    tori_error why = {0};
    tori_exact number = {7, 7};
    assert_int_equal (
        tori_contention_create (machine, &job, 1, NULL, &plan, &why), -1);
    assert_int_equal (why.status, TORI_INVALID);
    assert_non_null (strstr (why.text, "denominator"));
    job.time = (tori_exact){5, 8};
    job.shape.ndims = 99;
    INVALID (tori_contention_create (machine, &job, 1, NULL, &plan, &err));
    job.shape.ndims = 2;
    assert_int_equal (
        tori_contention_create (machine, &job, 1, NULL, &plan, NULL), 0);
    assert_true (tori_contention_at (plan, 0).finish == 0.625);
    for (int i = 0; i < 2; i++) {
        size_t at = i ? SIZE_MAX : 1;
        tori_contention_place place = tori_contention_at (plan, at);
        char text[TORI_CONTENTION_TEXT] = "text";
        assert_true (place.finish == 0 && place.subtorus.shape.ndims == 0);
        tori_contention_text (plan, TORI_CONTENTION_START, at, text);
        assert_string_equal (text, "");
        tori_contention_text (plan, TORI_CONTENTION_MAKESPAN, at, text);
        assert_string_equal (text, "0.625");
        assert_false (tori_contention_exact (plan, TORI_CONTENTION_FINISH, at,
                                             &number));
        tori_contention_text (plan, (tori_contention_number)99, 0, text);
        assert_string_equal (text, "");
    }
    assert_true (number.num == 7);
    tori_contention_destroy (plan);
}
