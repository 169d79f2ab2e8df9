/* number.h - numbers as people write them, taken exactly. */
#ifndef TORI_BASE_NUMBER_H
#define TORI_BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include <tori/error.h>

/* An exact rational in lowest terms, den > 0. */
struct fraction {
    int64_t num;
    int64_t den;
};

/* Read an unsigned decimal integer of at most `max` at *text and move past
 * it; false, and nothing moved, if there is none or it is larger. */
bool number_scan (const char **text, uint64_t max, uint64_t *ret_value);

/* The whole text as an integer in [min, max]. `what` names it in the error,
 * which quotes the text. */
int number_parse (const char *text, const char *what, int64_t min,
                  int64_t max, int64_t *ret_value, tori_error *err);

/* The whole text as a decimal ("2.5") or a fraction ("5/2"), exactly. */
int fraction_parse (const char *text, const char *what,
                    struct fraction *ret_fraction, tori_error *err);

/* A number from outside as a whole one, rounded towards 0. One outside [least,
 * most] becomes the nearer bound, and what is not a number becomes `least`: a
 * plain conversion of any of them is undefined. */
static inline int64_t number_clamp (double value, int64_t least, int64_t most)
{
    if (!(value > (double)least))
        return least;
    return value < (double)most ? (int64_t)value : most;
}

/* The sum, or the nearest to it that there is. */
static inline int64_t number_sum (int64_t a, int64_t b)
{
    int64_t sum;
    if (!__builtin_add_overflow (a, b, &sum))
        return sum;
    return a < 0 ? INT64_MIN : INT64_MAX;
}

static inline double fraction_value (struct fraction f)
{
    return (double)f.num / (double)f.den;
}

#endif
