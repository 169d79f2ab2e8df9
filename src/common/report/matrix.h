/* matrix.h - the whole matrix of the situation and decision experiment: a row
 * for each allocator that places the jobs, a column for each that is asked
 * (tori/decide.h), for papers. */
#ifndef TORI_REPORT_MATRIX_H
#define TORI_REPORT_MATRIX_H

#include <tori/decide.h>

struct matrix {
    const char *const *allocs; /* not owned */
    size_t n;
    double *mean;   /* n rows of n; NAN if nothing was decided */
    double *common; /* the same over the jobs that all of a row decided */
    size_t *left_out;    /* n rows of n: jobs that were given up */
    size_t *common_jobs; /* of each row */
    tori_error *ended;   /* of each row: TORI_GAVE_UP if it could not go on */

    /* A request by count fits wherever enough nodes are free, so when jobs
     * start does not depend on the allocator: this holds for every row, except
     * for the distances, which are those of the first. */
    tori_sim_result result;
};

/* Compute all rows on `workers` threads (0: one per processor), of the
 * allocators with these names, config->nallocs of them. config->on_progress
 * gets the jobs decided in all rows, never by two threads at a time. The
 * caller clears the matrix, in any case. A row whose situation gives up is left empty; TORI_GAVE_UP if all
 * are. */
int matrix_compute (const tori_decide_config *config,
                    const char *const names[],
                    const tori_workload *workload, unsigned workers,
                    struct matrix *ret_matrix, tori_error *err);
void matrix_clear (struct matrix *matrix);

#endif
