#include "matrix.h"

#include <pthread.h>
#include <stdlib.h>

#include "parallel.h"
#include "table.h"

/* Rows under way; the lock is over what they have done. */
struct rows {
    const tori_decide_config *config;
    const tori_workload *workload;
    struct matrix *matrix;
    pthread_mutex_t lock;
    size_t *finished; /* jobs of each row */
};

/* What a row's progress needs to know. */
struct row {
    struct rows *rows;
    size_t situation;
};

static void on_progress (void *arg, size_t finished, size_t total)
{
    const struct row *row = arg;
    struct rows *rows = row->rows;
    size_t n = rows->config->nallocs, sum = 0;
    pthread_mutex_lock (&rows->lock);
    rows->finished[row->situation] = finished;
    for (size_t i = 0; i < n; i++)
        sum += rows->finished[i];
    if (rows->config->on_progress)
        rows->config->on_progress (rows->config->arg, sum, n * total);
    pthread_mutex_unlock (&rows->lock);
}

static int compute_row (void *arg, size_t piece, tori_error *err)
{
    struct rows *rows = arg;
    struct matrix *matrix = rows->matrix;
    struct row row = {rows, piece};
    tori_decide_config config = *rows->config;
    tori_sim_result result;
    config.on_progress = on_progress;
    config.arg = &row;
    if (tori_decide_row (&config, piece, rows->workload,
                         matrix->mean + piece * matrix->n, &result, err)
        < 0)
        return -1;
    on_progress (&row, rows->workload->n, rows->workload->n);
    if (piece == 0)
        matrix->result = result;
    return 0;
}

int matrix_compute (const tori_decide_config *config,
                    const tori_workload *workload, unsigned workers,
                    struct matrix *ret_matrix, tori_error *err)
{
    size_t n = config->nallocs;
    struct rows rows = {
        .config = config, .workload = workload, .matrix = ret_matrix};
    struct parallel task = {
        .n = n, .workers = workers, .work = compute_row, .arg = &rows};
    int status;
    *ret_matrix = (struct matrix){.allocs = config->allocs, .n = n};
    ret_matrix->mean = calloc (n * n + 1, sizeof *ret_matrix->mean);
    rows.finished = calloc (n + 1, sizeof *rows.finished);
    if (!ret_matrix->mean || !rows.finished) {
        free (rows.finished);
        return tori_error_nomem (err);
    }
    pthread_mutex_init (&rows.lock, NULL);
    status = parallel_run (&task, err);
    pthread_mutex_destroy (&rows.lock);
    free (rows.finished);
    return status;
}

void matrix_clear (struct matrix *matrix)
{
    free (matrix->mean);
    *matrix = (struct matrix){0};
}

int matrix_print (const struct matrix *matrix, FILE *out, bool bold,
                  tori_error *err)
{
    size_t n = matrix->n;
    struct table_column *columns = calloc (n + 1, sizeof *columns);
    struct table *table;
    int status;
    if (!columns)
        return tori_error_nomem (err);
    columns[0] = (struct table_column){"situation", TABLE_TEXT};
    for (size_t i = 0; i < n; i++)
        columns[i + 1] =
            (struct table_column){matrix->allocs[i], TABLE_NUMBER};
    table = table_create (columns, n + 1);
    for (size_t i = 0; i < n; i++) {
        table_cell (table, "%s", matrix->allocs[i]);
        for (size_t j = 0; j < n; j++)
            table_cell (table, "%.1f", matrix_at (matrix, i, j));
    }
    status = table_print (table, out, bold, err);
    table_destroy (table);
    free (columns);
    return status;
}

void matrix_emit (struct emit *e, const char *key, const char *const allocs[],
                  size_t n, const double mean[])
{
    emit_open (e, key, '{');
    for (size_t i = 0; i < n; i++) {
        emit_open (e, allocs[i], '{');
        for (size_t j = 0; j < n; j++)
            emit_real (e, allocs[j], mean[i * n + j]);
        emit_close (e, '}');
    }
    emit_close (e, '}');
}
