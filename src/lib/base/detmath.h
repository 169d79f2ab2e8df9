/* detmath.h - elementary functions with the same last bit on every machine.
 *
 * C libraries differ in the last bit of log and exp, and a job that starts a
 * tick earlier changes everything after it. These functions use only
 * additions, multiplications and divisions of doubles, which IEEE 754 defines
 * exactly (the project is compiled without fused operations), and operations
 * that are exact everywhere: frexp, ldexp, floor. IEEE 754 also defines sqrt
 * exactly: use the library's.
 */
#ifndef TORI_BASE_DETMATH_H
#define TORI_BASE_DETMATH_H

/* e^x within 1 ulp; 0 and infinity beyond the range of a double. */
double det_exp (double x);

/* 2^x within 1 ulp, exact for whole x. */
double det_exp2 (double x);

/* The natural logarithm within 1 ulp: -infinity for 0, NaN below. */
double det_log (double x);

/* The logarithm to base 2 within 2 ulp, exact for powers of two. */
double det_log2 (double x);

/* x^y for x >= 0 by way of the logarithm: the relative error grows with
 * |y log x| ulp. */
double det_pow (double x, double y);

#endif
