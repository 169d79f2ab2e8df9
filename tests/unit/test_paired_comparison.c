/* Policies on the same jobs: means and paired differences, by definition. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "cases.h"
#include "paired_comparison.h"

/* Two scenes, three policies, four seeds; the second policy has nothing in the
 * second scene. */
static const double values[] = {
    10, 20, 30, 40, 11,  22,  33,  44,  9,  19, 31, 39,
    5,  6,  7,  8,  NAN, NAN, NAN, NAN, 10, 12, 14, 16,
};
static const struct comparison comparison = {2, 3, 4, values};

static void assert_near (double is, double expected)
{
    assert_true (fabs (is - expected) < 1e-12 * (1 + fabs (expected)));
}

/* Student's t for three degrees of freedom. */
static const double student = 3.182446305284263;

TEST (means)
{
    struct estimate is = comparison_mean (&comparison, 0, 0);
    assert_near (is.mean, 25);
    assert_near (is.half, student * sqrt ((225 + 25 + 25 + 225) / 3.0 / 4));
    assert_true (isnan (comparison_mean (&comparison, 1, 1).mean));
}

/* Every seed is a tenth above: nothing is uncertain about that, although the
 * means are. */
TEST (pairs)
{
    struct estimate is = comparison_difference (&comparison, 0, 1, 0);
    assert_near (is.mean, 0.1);
    assert_true (is.half < 1e-12);
    is = comparison_difference (&comparison, 0, 2, 0);
    assert_near (is.mean, (-0.1 - 0.05 + 1.0 / 30 - 0.025) / 4);
    assert_false (comparison_alike (&comparison, 0, 1, 0));
    assert_true (comparison_alike (&comparison, 0, 2, 0));
    assert_true (comparison_alike (&comparison, 0, 0, 0));
}

TEST (best)
{
    assert_int_equal (comparison_first (&comparison, 1), 0);
    assert_int_equal (comparison_best (&comparison, 0, false), 2);
    assert_int_equal (comparison_best (&comparison, 0, true), 1);
    assert_int_equal (comparison_best (&comparison, 1, true), 2);
    assert_int_equal (comparison_next (&comparison, 0, 1, true), 0);
    assert_int_equal (comparison_next (&comparison, 0, 2, false), 1);
    assert_false (comparison_has (&comparison, 1, 1));
}

/* A policy that is twice another: 100 % above that, 50 % below in return. */
TEST (ways)
{
    assert_near (comparison_difference (&comparison, 1, 2, 0).mean, 1);
    assert_near (comparison_difference (&comparison, 1, 0, 2).mean, -0.5);
}

/* Nothing is known about the interval of one value. */
TEST (single)
{
    const struct comparison one = {1, 2, 1, values};
    assert_true (isnan (comparison_mean (&one, 0, 0).half));
    assert_near (comparison_difference (&one, 0, 1, 0).mean, 1);
    assert_false (comparison_alike (&one, 0, 0, 1));
    assert_true (comparison_alike (&one, 0, 1, 1));
}

/* With one seed, a difference that would be printed as 0.0 % is none. */
TEST (one_nearly_alike)
{
    static const double near[] = {1, 1.0004, 1.0006};
    const struct comparison one = {1, 3, 1, near};
    assert_true (comparison_alike (&one, 0, 1, 0));
    assert_false (comparison_alike (&one, 0, 2, 0));
}

/* None of zero is the same; a difference to zero is without bound. */
TEST (zero)
{
    static const double zero[] = {0, 0, 1};
    const struct comparison three = {1, 3, 1, zero};
    assert_near (comparison_difference (&three, 0, 1, 0).mean, 0);
    assert_true (isinf (comparison_difference (&three, 0, 2, 0).mean));
}

int main (void)
{
    cmocka_set_message_output (CM_OUTPUT_TAP);
    return run_cases (NULL, NULL);
}
