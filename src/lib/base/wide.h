/* wide.h - products of 128-bit numbers.
 *
 * For __builtin_mul_overflow of these, clang calls a function that libgcc does
 * not have. */
#ifndef TORI_BASE_WIDE_H
#define TORI_BASE_WIDE_H

#include <stdbool.h>
#include <stdint.h>

#include <tori/exact.h>

/* Whether a product is too long, so that *ret_product is not set. */
static inline bool wide_mul_overflow (tori_wide a, tori_wide b,
                                      tori_wide *ret_product)
{
    __extension__ typedef unsigned __int128 uwide;
    bool small = a == (int64_t)a && b == (int64_t)b;
    uwide x = a < 0 ? -(uwide)a : (uwide)a, y = b < 0 ? -(uwide)b : (uwide)b;
    uwide most = (uwide)TORI_WIDE_MAX + ((a < 0) != (b < 0));
    if (!small && x > 0 && y > most / x)
        return true;
    *ret_product = small ? a * b
                   : (a < 0) != (b < 0) ? (tori_wide)-(x * y)
                                        : (tori_wide)(x * y);
    return false;
}

#endif
