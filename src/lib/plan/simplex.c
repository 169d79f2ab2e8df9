#include "simplex.h"
#include "wide.h"

#include <stdint.h>
#include <stdlib.h>

__extension__ typedef unsigned __int128 uwide;

bool simplex_create (size_t rows, struct simplex *ret_simplex)
{
    struct simplex simplex = {.rows = rows, .det = 1};
    simplex.table = rows <= SIMPLEX_MOST_ROWS
                        ? calloc (rows * (rows + 1), sizeof *simplex.table)
                        : NULL;
    simplex.column = calloc (rows, sizeof *simplex.column);
    if (!simplex.table || !simplex.column) {
        simplex_clear (&simplex);
        return false;
    }
    *ret_simplex = simplex;
    return true;
}

void simplex_clear (struct simplex *simplex)
{
    free (simplex->table);
    free (simplex->column);
    *simplex = (struct simplex){0};
}

bool simplex_express (struct simplex *simplex, const tori_wide entry[])
{
    for (size_t i = 0; i < simplex->rows; i++) {
        const tori_wide *inverse = simplex_line (simplex, i) + 1;
        tori_wide sum = 0, product;
        for (size_t j = 0; j < simplex->rows; j++)
            if (entry[j] && inverse[j]
                && (wide_mul_overflow (entry[j], inverse[j], &product)
                    || __builtin_add_overflow (sum, product, &sum)))
                return false;
        simplex->column[i] = sum;
    }
    return true;
}

/* Whether line i, divided by its entry of the column, comes before line j. The
 * lines of an inverse are never multiples of each other. */
static bool comes_before (const struct simplex *simplex, size_t i, size_t j)
{
    const tori_wide *a = simplex_line (simplex, i);
    const tori_wide *b = simplex_line (simplex, j);
    int order = 0;
    for (size_t k = 0; order == 0 && k <= simplex->rows; k++)
        if (a[k] || b[k])
            order = tori_exact_compare (
                (tori_exact){a[k], simplex->column[i]},
                (tori_exact){b[k], simplex->column[j]});
    return order < 0;
}

size_t simplex_leaving (const struct simplex *simplex)
{
    size_t best = simplex->rows;
    for (size_t i = 0; i < simplex->rows; i++)
        if (simplex->column[i] > 0
            && (best == simplex->rows || comes_before (simplex, i, best)))
            best = i;
    return best;
}

/* ---- pivots ---- */

/* Two's complement of 256 bits. */
struct long_product {
    uwide high, low;
};

static struct long_product multiply (tori_wide a, tori_wide b)
{
    uint64_t a0 = (uint64_t)a, b0 = (uint64_t)b;
    uwide a1 = (uwide)a >> 64, b1 = (uwide)b >> 64;
    uwide low = (uwide)a0 * b0;
    uwide one = a1 * b0 + (low >> 64), two = a0 * b1 + (uint64_t)one;
    struct long_product product = {
        .high = a1 * b1 + (one >> 64) + (two >> 64),
        .low = two << 64 | (uint64_t)low,
    };
    /* As if both had no sign, up to here. */
    product.high -= (a < 0 ? (uwide)b : 0) + (b < 0 ? (uwide)a : 0);
    return product;
}

/* A divisor d = 2^shift times an odd number, with its inverse modulo 2^128. */
struct divisor {
    uwide magnitude;
    uwide inverse;
    int shift;
};

static struct divisor prepare_divisor (tori_wide d)
{
    struct divisor divisor = {.magnitude = (uwide)d};
    uwide odd = (uwide)d, inverse;
    while (!(odd & 1)) {
        odd >>= 1;
        divisor.shift++;
    }
    inverse = odd; /* right in three bits, and each round doubles them */
    for (int bits = 3; bits < 128; bits *= 2)
        inverse *= 2 - odd * inverse;
    divisor.inverse = inverse;
    return divisor;
}

/* (a b - c d) / divisor, which has no remainder. False if it does not fit. */
static bool divide_difference (tori_wide a, tori_wide b, tori_wide c,
                               tori_wide d, const struct divisor *by,
                               tori_wide *ret_quotient)
{
    struct long_product x = multiply (a, b), y = multiply (c, d), size;
    uwide low;
    x.high -= y.high + (x.low < y.low);
    x.low -= y.low;
    size = x;
    if (size.high >> 127) {
        size.high = ~size.high + !size.low;
        size.low = 0 - size.low;
    }
    /* The quotient stays below 2^126. */
    if (size.high >> 126
        || (size.high << 2 | size.low >> 126) >= by->magnitude)
        return false;
    low = by->shift ? x.low >> by->shift | x.high << (128 - by->shift) : x.low;
    *ret_quotient = (tori_wide)(low * by->inverse);
    return true;
}

static bool is_within (tori_wide a, tori_wide limit)
{
    return a < limit && a > -limit;
}

/* Most numbers are short. Then products fit 128 bits. */
static bool is_short (tori_wide a)
{
    return is_within (a, INT64_MAX / 2);
}

static bool combine (tori_wide a, tori_wide b, tori_wide c, tori_wide d,
                     const struct divisor *by, tori_wide *ret_quotient)
{
    if (is_short (a) && is_short (b) && is_short (c) && is_short (d)) {
        uwide difference = (uwide)((a * b - c * d) >> by->shift);
        *ret_quotient = (tori_wide)(difference * by->inverse);
    } else if (!divide_difference (a, b, c, d, by, ret_quotient)) {
        return false;
    }
    return is_within (*ret_quotient, SIMPLEX_LIMIT);
}

bool simplex_pivot (struct simplex *simplex, size_t leaving)
{
    struct divisor by = prepare_divisor (simplex->det);
    const tori_wide *from = simplex_line (simplex, leaving);
    tori_wide pivot = simplex->column[leaving];
    for (size_t i = 0; i < simplex->rows; i++) {
        tori_wide *line = simplex_line (simplex, i);
        tori_wide factor = simplex->column[i];
        if (i == leaving || (!factor && pivot == simplex->det))
            continue;
        for (size_t j = 0; j <= simplex->rows; j++)
            if ((line[j] || from[j])
                && !combine (pivot, line[j], factor, from[j], &by, &line[j]))
                return false;
    }
    simplex->det = pivot;
    return true;
}
