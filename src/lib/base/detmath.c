#include "detmath.h"

#include <math.h>

/* ln 2 in two parts. The first has 21 zero bits at its end, so that a
 * product with an exponent (11 bits) is exact. */
#define LN2_HIGH 0x1.62e42feep-1
#define LN2_LOW 0x1.a39ef35793c76p-33
#define LN2 0x1.62e42fefa39efp-1
#define INV_LN2 0x1.71547652b82fep+0
#define SQRT_HALF 0x1.6a09e667f3bcdp-1

/* e^r - 1 for |r| <= ln 2 / 2, by its power series: 13 terms leave less than
 * 2^-57. */
static double small_expm1 (double r)
{
    double sum = 0;
    for (int k = 13; k >= 3; k--)
        sum = (1 + sum) * r / k;
    return r + r * r / 2 * (1 + sum);
}

double det_exp (double x)
{
    double k;
    if (isnan (x))
        return x;
    if (x > 710)
        return HUGE_VAL;
    if (x < -746)
        return 0;
    k = floor (x * INV_LN2 + 0.5);
    return ldexp (1 + small_expm1 (x - k * LN2_HIGH - k * LN2_LOW), (int)k);
}

double det_exp2 (double x)
{
    double k;
    if (isnan (x))
        return x;
    if (x >= 1024)
        return HUGE_VAL;
    if (x < -1080)
        return 0;
    k = floor (x + 0.5);
    return ldexp (1 + small_expm1 ((x - k) * LN2), (int)k);
}

/* Split x = m * 2^k with m from sqrt(1/2) to sqrt(2). */
static double split_exponent (double x, double *ret_k)
{
    int k;
    double m = frexp (x, &k);
    if (m < SQRT_HALF) {
        m *= 2;
        k--;
    }
    *ret_k = k;
    return m;
}

/* ln (1 + f) - f for 1 + f from sqrt(1/2) to sqrt(2). With s = f / (2 + f),
 * ln (1 + f) = 2 artanh s = 2s + 2s^3/3 + ..., where 2s = f - f^2/2 + s f^2/2.
 * The f is left to the caller, who adds the large part of the answer last. */
static double log1p_rest (double f)
{
    double s = f / (2 + f), z = s * s, half = f * f / 2, sum = 0;
    for (int k = 21; k >= 3; k -= 2)
        sum = (sum + 2.0 / k) * z;
    return s * (half + sum) - half;
}

double det_log (double x)
{
    double k, f;
    if (isnan (x) || x < 0)
        return NAN;
    if (x == 0)
        return -HUGE_VAL;
    if (isinf (x))
        return x;
    f = split_exponent (x, &k) - 1;
    return k * LN2_HIGH + (f + (log1p_rest (f) + k * LN2_LOW));
}

double det_log2 (double x)
{
    double k, f;
    if (!(x > 0) || isinf (x))
        return det_log (x);
    f = split_exponent (x, &k) - 1;
    return k + (f + log1p_rest (f)) * INV_LN2;
}

double det_pow (double x, double y)
{
    if (y == 0)
        return 1;
    if (x == 0)
        return y > 0 ? 0 : HUGE_VAL;
    return det_exp (y * det_log (x));
}
