/* simplex.h - the basis of a linear program, in whole numbers.
 *
 * A program has as many basic variables as rows. The inverse of the matrix of
 * their columns is kept times its determinant. All its numbers are then whole,
 * and stay so: a pivot multiplies, subtracts and divides without a remainder.
 * They are minors of that matrix, which are small if its entries are. Numbers
 * have 128 bits, products 256. A number that does not fit ends the search and
 * is reported; nothing is rounded.
 *
 * The variable that leaves is chosen by the lexicographic rule. So the search
 * never returns to a basis that it has left, however many rows are tight. */
#ifndef TORI_PLAN_SIMPLEX_H
#define TORI_PLAN_SIMPLEX_H

#include <stdbool.h>
#include <stddef.h>

#include <tori/exact.h>

/* All numbers of a table are less, so that those of a column can be added up
 * without a check. A table of more rows would not fit any memory. */
#define SIMPLEX_LIMIT ((tori_wide)1 << 110)
enum { SIMPLEX_MOST_ROWS = 1 << 16 };

struct simplex {
    size_t rows;
    tori_wide det;     /* positive */
    tori_wide *table;  /* a line for each basic variable: its value, then its
                          row of the inverse, all times det */
    tori_wide *column; /* the entering variable in terms of the basic ones,
                          times det */
};

/* The table is zero, and det is 1. The caller fills in the first basis: the
 * first number in each line that is not 0 must be positive, and all are within
 * the limit. False without memory. */
bool simplex_create (size_t rows, struct simplex *ret_simplex);
void simplex_clear (struct simplex *simplex);

static inline tori_wide *simplex_line (const struct simplex *simplex, size_t i)
{
    return simplex->table + i * (simplex->rows + 1);
}

/* Fill in `column` for a variable with these entries, one for each row. False
 * if a number does not fit. */
bool simplex_express (struct simplex *simplex, const tori_wide entry[]);

/* The basic variable that leaves for the one in `column`; `rows` if none
 * limits it. */
size_t simplex_leaving (const struct simplex *simplex);

/* Exchange them. False if a number does not fit. */
bool simplex_pivot (struct simplex *simplex, size_t leaving);

#endif
