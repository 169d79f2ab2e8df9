/* tori/exact.h - exact numbers, for plans whose times must not be rounded.
 *
 *     tori_exact third, sum;
 *     char text[TORI_EXACT_TEXT];
 *     if (tori_exact_parse ("1/3", "a time", &third, &err) < 0
 *         || tori_exact_add (third, third, &sum, &err) < 0)
 *         ...
 *     tori_exact_format (sum, text);         "2/3"
 *
 * A number is a fraction of two integers of 128 bits in lowest terms. Whatever
 * does not fit is refused with TORI_INVALID and never rounded. 128 bits hold a
 * time of a century in units of 10^-28 seconds; libraries for longer numbers
 * end the program when memory runs out, which this one never does.
 */
#ifndef TORI_EXACT_H
#define TORI_EXACT_H

#include <tori/error.h>

#ifdef __cplusplus
extern "C" {
#endif

__extension__ typedef __int128 tori_wide;

/* The largest of them. */
#define TORI_WIDE_MAX ((tori_wide)(~(__extension__(unsigned __int128) 0) >> 1))

/* num/den in lowest terms, den > 0. With a den of 0 or less, as in a zeroed
 * one, it is not a number: functions with an error refuse it with
 * TORI_INVALID, its text is "?", its value is NaN, and the result of comparing
 * it is unspecified. */
typedef struct tori_exact {
    tori_wide num;
    tori_wide den;
} tori_exact;

/* Long enough for the text of any number. */
enum { TORI_EXACT_TEXT = 84 };

/* A decimal ("2.5") or a fraction ("5/2"), all of the text. `what` names it in
 * the error. */
int tori_exact_parse (const char *text, const char *what,
                      tori_exact *ret_number, tori_error *err);

/* "P/Q", or "P" when Q is 1. */
void tori_exact_format (tori_exact number, char text[TORI_EXACT_TEXT]);

/* A decimal of fifteen significant digits, rounded if it has more (a half to
 * the even digit); no exponent and no zeros at the end. */
void tori_exact_decimal (tori_exact number, char text[TORI_EXACT_TEXT]);

/* The nearest double, give or take its last bit; the same on every machine. */
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

/* Of two positive numbers: the greatest number that divides both (with 0, the
 * other one; 0 if one is negative), and the least that both divide,
 * TORI_INVALID if that does not fit or one is not positive. */
tori_wide tori_wide_gcd (tori_wide a, tori_wide b);
int tori_wide_lcm (tori_wide a, tori_wide b, tori_wide *ret_lcm,
                   tori_error *err);

#ifdef __cplusplus
}
#endif

#endif
