#include "matrix.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "parallel.h"

/* Rows under way; the lock protects their results. */
struct matrix_rows {
    const tori_decide_config *config;
    tori_alloc_config *alloc;
    const tori_alloc_config **allocs; /* their addresses */
    const tori_workload *workload;
    struct matrix *matrix;
    pthread_mutex_t lock;
    size_t *decided; /* jobs of each row */
    tori_sim_result *result; /* of each row */
};

/* The argument of a row's progress function. */
struct matrix_row {
    struct matrix_rows *rows;
    size_t situation;
};

static void on_progress (void *arg, size_t decided, size_t total)
{
    const struct matrix_row *row = arg;
    struct matrix_rows *rows = row->rows;
    size_t n = rows->config->nallocs, sum = 0;
    pthread_mutex_lock (&rows->lock);
    rows->decided[row->situation] = decided;
    for (size_t i = 0; i < n; i++)
        sum += rows->decided[i];
    if (rows->config->on_progress)
        rows->config->on_progress (rows->config->arg, sum, n * total);
    pthread_mutex_unlock (&rows->lock);
}

/* A row as the matrix keeps it. Without a decision there is no mean. */
static void keep_row (struct matrix *matrix, size_t row,
                      const tori_decide_cell *cells, size_t common,
                      const tori_sim_result *result)
{
    matrix->common_jobs[row] = common;
    for (size_t i = 0; i < matrix->n; i++) {
        size_t at = row * matrix->n + i;
        bool none = cells[i].left_out > 0
                    && cells[i].left_out == result->jobs;
        matrix->mean[at] = none ? (double)NAN : cells[i].mean;
        matrix->common[at] = common ? cells[i].common : (double)NAN;
        matrix->left_out[at] = cells[i].left_out;
    }
}

static void keep_end (struct matrix *matrix, size_t row, const tori_error *why)
{
    matrix->ended[row] = *why;
    for (size_t i = 0; i < matrix->n; i++)
        matrix->mean[row * matrix->n + i]
            = matrix->common[row * matrix->n + i] = (double)NAN;
}

static int compute_row (void *arg, size_t piece, tori_error *err)
{
    struct matrix_rows *rows = arg;
    struct matrix *matrix = rows->matrix;
    struct matrix_row row = {rows, piece};
    tori_decide_config config = *rows->config;
    tori_decide_cell *cells = calloc (matrix->n, sizeof *cells);
    tori_error why;
    size_t common;
    int status;
    if (!cells)
        return tori_error_nomem (err);
    config.allocs = rows->allocs;
    config.on_progress = on_progress;
    config.arg = &row;
    status = tori_decide_cells (&config, piece, rows->workload, cells, &common,
                                &rows->result[piece], &why);
    if (status == 0)
        keep_row (matrix, piece, cells, common, &rows->result[piece]);
    else if (why.status == TORI_GAVE_UP)
        keep_end (matrix, piece, &why);
    else
        tori_error_set (err, why.status, "%s", why.text);
    free (cells);
    if (status < 0 && why.status != TORI_GAVE_UP)
        return -1;
    on_progress (&row, rows->workload->n, rows->workload->n);
    return 0;
}

static int create_matrix (const char *const names[], size_t n,
                          struct matrix *matrix, tori_error *err)
{
    *matrix = (struct matrix){.allocs = names, .n = n};
    matrix->mean = calloc (n * n + 1, sizeof *matrix->mean);
    matrix->common = calloc (n * n + 1, sizeof *matrix->common);
    matrix->left_out = calloc (n * n + 1, sizeof *matrix->left_out);
    matrix->common_jobs = calloc (n + 1, sizeof *matrix->common_jobs);
    matrix->ended = calloc (n + 1, sizeof *matrix->ended);
    return matrix->mean && matrix->common && matrix->left_out
                   && matrix->common_jobs && matrix->ended
               ? 0
               : tori_error_nomem (err);
}

static int create_rows (struct matrix_rows *rows, const char *const names[],
                        tori_error *err)
{
    size_t n = rows->config->nallocs;
    rows->decided = calloc (n + 1, sizeof *rows->decided);
    rows->result = calloc (n + 1, sizeof *rows->result);
    rows->alloc = calloc (n + 1, sizeof *rows->alloc);
    rows->allocs = calloc (n + 1, sizeof *rows->allocs);
    if (!rows->decided || !rows->result || !rows->alloc || !rows->allocs)
        return tori_error_nomem (err);
    for (size_t i = 0; i < n; i++) {
        rows->alloc[i] = *TORI_ALLOC (names[i]);
        rows->allocs[i] = &rows->alloc[i];
    }
    return 0;
}

static void clear_rows (struct matrix_rows *rows)
{
    free (rows->decided);
    free (rows->result);
    free (rows->alloc);
    free (rows->allocs);
}

/* The result of the first row that was completed. */
static int find_result (struct matrix_rows *rows, tori_error *err)
{
    struct matrix *matrix = rows->matrix;
    size_t i = 0;
    while (i < matrix->n && matrix->ended[i].status)
        i++;
    if (matrix->n > 0 && i == matrix->n)
        return tori_error_set (err, TORI_GAVE_UP, "%s",
                               matrix->ended[0].text);
    matrix->result = rows->result[i];
    return 0;
}

int matrix_compute (const tori_decide_config *config,
                    const char *const names[],
                    const tori_workload *workload, unsigned workers,
                    struct matrix *ret_matrix, tori_error *err)
{
    struct matrix_rows rows = {
        .config = config, .workload = workload, .matrix = ret_matrix};
    struct parallel task = {.n = config->nallocs,
                            .workers = workers,
                            .work = compute_row,
                            .arg = &rows};
    int status = create_matrix (names, config->nallocs, ret_matrix, err);
    if (status == 0)
        status = create_rows (&rows, names, err);
    if (status == 0) {
        pthread_mutex_init (&rows.lock, NULL);
        status = parallel_run (&task, err);
        pthread_mutex_destroy (&rows.lock);
    }
    if (status == 0)
        status = find_result (&rows, err);
    clear_rows (&rows);
    return status;
}

void matrix_clear (struct matrix *matrix)
{
    free (matrix->mean);
    free (matrix->common);
    free (matrix->left_out);
    free (matrix->common_jobs);
    free (matrix->ended);
    *matrix = (struct matrix){0};
}
