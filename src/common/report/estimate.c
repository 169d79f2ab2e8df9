#include "estimate.h"

#include <math.h>

/* The normal distribution has 95 % within this of 0. */
static const double NORMAL = 1.959963984540054;
static const double PI = 3.141592653589793;

/* The probability that Student's t with this many degrees of freedom is within
 * t of 0: the finite sums of Abramowitz and Stegun, 26.7.3 and 26.7.4. */
static double student_within (double t, size_t freedom)
{
    double angle = atan (t / sqrt ((double)freedom));
    double square = cos (angle) * cos (angle);
    double term = freedom % 2 ? cos (angle) : 1, sum = 0;
    for (size_t i = freedom % 2 ? 3 : 2; i <= freedom; i += 2) {
        sum += term;
        term *= square * (double)(i - 1) / (double)i;
    }
    return freedom % 2 ? 2 / PI * (angle + sin (angle) * sum)
                       : sin (angle) * sum;
}

/* The t within which 95 % are. */
static double student_t (size_t freedom)
{
    double low = NORMAL, high = 12.71; /* for 1 degree of freedom: 12.706 */
    if (freedom > 1000) { /* the first terms of the series in 1/freedom */
        double f = (double)freedom, z = NORMAL, z3 = z * z * z;
        return z + (z3 + z) / (4 * f)
               + (5 * z3 * z * z + 16 * z3 + 3 * z) / (96 * f * f);
    }
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (student_within (middle, freedom) < 0.95)
            low = middle;
        else
            high = middle;
    }
    return high;
}

struct estimate estimate_from (double mean, double squares, size_t n)
{
    double count = (double)n;
    return (struct estimate){
        mean, student_t (n - 1) * sqrt (squares / (count - 1) / count)};
}

struct estimate estimate_resampled (struct estimate independent, size_t n)
{
    return (struct estimate){independent.mean,
                             independent.half * sqrt ((double)n)};
}

struct estimate estimate_of (const double value[], size_t n)
{
    double sum = 0, squares = 0, mean;
    for (size_t i = 0; i < n; i++)
        sum += value[i];
    mean = sum / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (value[i] - mean) * (value[i] - mean);
    return estimate_from (mean, squares, n);
}
