/* matrix.h - the whole matrix of the situation and decision experiment: a row
 * an allocator that places the jobs, a column an allocator that is asked
 * (tori/decide.h). */
#ifndef TORI_REPORT_MATRIX_H
#define TORI_REPORT_MATRIX_H

#include <stdbool.h>
#include <stdio.h>

#include <tori/decide.h>

#include "emit.h"

struct matrix {
    const char *const *allocs; /* not owned */
    size_t n;
    double *mean; /* n rows of n */

    /* A request by count fits wherever enough nodes are free, so when jobs
     * start does not depend on the allocator: this holds of every row, but
     * for the distances, which are those of the first. */
    tori_sim_result result;
};

/* Compute all rows on `workers` threads (0: one a processor).
 * config->on_progress gets the jobs finished in all rows, never by two threads
 * at a time. The caller clears the matrix, in any case. */
int matrix_compute (const tori_decide_config *config,
                    const tori_workload *workload, unsigned workers,
                    struct matrix *ret_matrix, tori_error *err);
void matrix_clear (struct matrix *matrix);

static inline double matrix_at (const struct matrix *matrix, size_t situation,
                                size_t decision)
{
    return matrix->mean[situation * matrix->n + decision];
}

/* A table, the first column being the situation algorithms. */
int matrix_print (const struct matrix *matrix, FILE *out, bool bold,
                  tori_error *err);

/* {"mm":{"mm":X,...},...}, of n rows of n means, as a value of the object that
 * is open. */
void matrix_emit (struct emit *e, const char *key, const char *const allocs[],
                  size_t n, const double mean[]);

#endif
