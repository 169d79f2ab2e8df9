/* tori/exact.h - exact numbers, for plans whose times must not be rounded.
 *
 *     tori_exact third, sum;
 *     char text[TORI_EXACT_TEXT];
 *     if (tori_exact_parse ("1/3", "a time", &third, &err) < 0
 *         || tori_exact_add (third, third, &sum, &err) < 0)
 *         ...
 *     tori_exact_format (sum, text);         "2/3"
 *
 * A number is a fraction of two 128-bit integers in lowest terms. A number
 * that does not fit is refused with TORI_INVALID; it is never rounded. 128
 * bits hold a time of a century in units of 10^-28 seconds. Libraries for
 * longer numbers end the program when memory runs out; this one never does.
 */
#ifndef TORI_EXACT_H
#define TORI_EXACT_H

#include <tori/error.h>

#ifdef __cplusplus
extern "C" {
#endif

__extension__ typedef __int128 tori_wide;

/* The largest tori_wide. */
#define TORI_WIDE_MAX ((tori_wide)(~(__extension__(unsigned __int128) 0) >> 1))

/* num/den in lowest terms, den > 0. If den is 0 or less, as in a zeroed
 * structure, it is not a number. Functions with an error then refuse it with
 * TORI_INVALID, its text is "?", its value is NaN, and comparing it gives an
 * unspecified result. */
typedef struct tori_exact {
    tori_wide num;
    tori_wide den;
} tori_exact;

/* Long enough for the text of any number. */
enum { TORI_EXACT_TEXT = 84 };

/* Parse a decimal ("2.5") or a fraction ("5/2"); it must be the whole text.
 * `what` names it in the error. */
int tori_exact_parse (const char *text, const char *what,
                      tori_exact *ret_number, tori_error *err);

/* "P/Q", or "P" when Q is 1. */
void tori_exact_format (tori_exact number, char text[TORI_EXACT_TEXT]);

/* A decimal with at most fifteen significant digits, rounded if there are more
 * (a half to the even digit). It has no exponent and no trailing zeros. */
void tori_exact_decimal (tori_exact number, char text[TORI_EXACT_TEXT]);

/* The nearest double, up to its last bit; the same on every machine. */
double tori_exact_value (tori_exact number);

/* num/den in lowest terms; not a number (zeroed) unless den > 0. */
tori_exact tori_exact_make (tori_wide num, tori_wide den);

/* Negative, zero or positive as a is less than, equal to or more than b. */
int tori_exact_compare (tori_exact a, tori_exact b);

/* a + b, a - b, a * b. TORI_INVALID if the answer does not fit. */
int tori_exact_add (tori_exact a, tori_exact b, tori_exact *ret_sum,
                    tori_error *err);
int tori_exact_sub (tori_exact a, tori_exact b, tori_exact *ret_difference,
                    tori_error *err);
int tori_exact_mul (tori_exact a, tori_exact b, tori_exact *ret_product,
                    tori_error *err);

/* The greatest common divisor and the least common multiple of two positive
 * numbers. The gcd of 0 and a number is that number; it is 0 if one is
 * negative. tori_wide_lcm fails with TORI_INVALID if the result does not fit,
 * or if one is not positive. */
tori_wide tori_wide_gcd (tori_wide a, tori_wide b);
int tori_wide_lcm (tori_wide a, tori_wide b, tori_wide *ret_lcm,
                   tori_error *err);

#ifdef __cplusplus
}
#endif

#endif
