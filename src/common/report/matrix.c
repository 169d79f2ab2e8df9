#include "matrix.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "fieldrows.h"
#include "page.h"
#include "parallel.h"
#include "table.h"

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
                        const tori_alloc_ops *const ops[],
                        const tori_alloc_config *tuning, tori_error *err)
{
    size_t n = rows->config->nallocs;
    rows->decided = calloc (n + 1, sizeof *rows->decided);
    rows->result = calloc (n + 1, sizeof *rows->result);
    rows->alloc = calloc (n + 1, sizeof *rows->alloc);
    rows->allocs = calloc (n + 1, sizeof *rows->allocs);
    if (!rows->decided || !rows->result || !rows->alloc || !rows->allocs)
        return tori_error_nomem (err);
    for (size_t i = 0; i < n; i++) {
        rows->alloc[i] = tuning ? *tuning : *TORI_ALLOC (NULL);
        rows->alloc[i].name = names[i];
        rows->alloc[i].ops = ops ? ops[i] : NULL;
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
                    const tori_alloc_ops *const ops[],
                    const tori_alloc_config *tuning,
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
        status = create_rows (&rows, names, ops, tuning, err);
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

/* ---- for people ---- */

/* Means of one kind; `jobs`, if not NULL, is a column of its own. */
static int print_means (const struct matrix *matrix, const double *mean,
                        const size_t *jobs, FILE *out, bool bold,
                        tori_error *err)
{
    size_t n = matrix->n, first = jobs ? 2 : 1;
    struct table_column *columns = calloc (n + 2, sizeof *columns);
    struct table *table;
    int status;
    if (!columns)
        return tori_error_nomem (err);
    columns[0] = (struct table_column){"situation", TABLE_TEXT};
    columns[1] = (struct table_column){"jobs", TABLE_NUMBER};
    for (size_t i = 0; i < n; i++)
        columns[i + first]
            = (struct table_column){matrix->allocs[i], TABLE_NUMBER};
    table = table_create (columns, n + first);
    for (size_t i = 0; i < n * n; i++) {
        if (i % n == 0)
            table_cell (table, "%s", matrix->allocs[i / n]);
        if (i % n == 0 && jobs)
            table_cell (table, "%zu", jobs[i / n]);
        if (isnan (mean[i]))
            table_cell (table, "-");
        else
            table_cell (table, "%.1f%s", mean[i],
                        !jobs && matrix->left_out[i] ? "*" : "");
    }
    status = table_print (table, out, bold, err);
    free (columns);
    return status;
}

/* Whether any allocator gave up anything. */
static bool matrix_has_gaps (const struct matrix *matrix)
{
    for (size_t i = 0; i < matrix->n * matrix->n; i++)
        if (matrix->left_out[i] || matrix->ended[i / matrix->n].status)
            return true;
    return false;
}

/* Whether a job was left out of a row that was completed. */
static bool leaves_out (const struct matrix *matrix)
{
    for (size_t i = 0; i < matrix->n * matrix->n; i++)
        if (matrix->left_out[i])
            return true;
    return false;
}

/* Which rows and jobs are missing, a paragraph each. */
static void print_gaps (const struct matrix *matrix, FILE *out)
{
    size_t n = matrix->n;
    for (size_t i = 0; i < n; i++) {
        if (matrix->ended[i].status)
            wrap_text (out, matrix->ended[i].text, 0, 2);
        for (size_t j = 0; j < n; j++)
            if (matrix->left_out[i * n + j])
                fprintf (out, "%s places: %s gave up %zu of %zu jobs\n",
                         matrix->allocs[i], matrix->allocs[j],
                         matrix->left_out[i * n + j], matrix->result.jobs);
    }
}

int matrix_print (const struct matrix *matrix, FILE *out, bool bold,
                  tori_error *err)
{
    if (print_means (matrix, matrix->mean, NULL, out, bold, err) < 0)
        return -1;
    if (!matrix_has_gaps (matrix))
        return 0;
    fputc ('\n', out);
    print_gaps (matrix, out);
    if (!leaves_out (matrix))
        return 0;
    wrap_text (
        out,
        "* only over the jobs it did not give up, so it does not compare "
        "with the others in its row. The table below does: it has the "
        "jobs of each row that every allocator decided.",
        0, 0);
    fputc ('\n', out);
    return print_means (matrix, matrix->common, matrix->common_jobs, out, bold,
                        err);
}

/* ---- for programs ---- */

/* {"mm":{"mm":X,...},...}, of n rows of n means; NAN is null. */
static void emit_means (struct emit *e, const struct field *field,
                        const struct matrix *matrix, const double mean[])
{
    size_t n = matrix->n;
    emit_open (e, field->name, '{');
    for (size_t i = 0; i < n; i++) {
        emit_open (e, matrix->allocs[i], '{');
        for (size_t j = 0; j < n; j++)
            emit_real (e, matrix->allocs[j], mean[i * n + j]);
        emit_close (e, '}');
    }
    emit_close (e, '}');
}

static void emit_situation (struct emit *e, const struct field *field,
                            const void *matrix)
{
    emit_means (e, field, matrix, ((const struct matrix *)matrix)->mean);
}

static void emit_common (struct emit *e, const struct field *field,
                         const void *matrix)
{
    emit_means (e, field, matrix, ((const struct matrix *)matrix)->common);
}

static void emit_left_out (struct emit *e, const struct field *field,
                           const void *arg)
{
    const struct matrix *matrix = arg;
    size_t n = matrix->n;
    emit_open (e, field->name, '{');
    for (size_t i = 0; i < n; i++) {
        if (matrix->ended[i].status)
            continue;
        emit_open (e, matrix->allocs[i], '{');
        for (size_t j = 0; j < n; j++)
            emit_count (e, matrix->allocs[j], matrix->left_out[i * n + j]);
        emit_close (e, '}');
    }
    emit_close (e, '}');
}

static void emit_common_jobs (struct emit *e, const struct field *field,
                              const void *arg)
{
    const struct matrix *matrix = arg;
    emit_open (e, field->name, '{');
    for (size_t i = 0; i < matrix->n; i++)
        emit_count (e, matrix->allocs[i], matrix->common_jobs[i]);
    emit_close (e, '}');
}

static void emit_ended (struct emit *e, const struct field *field,
                        const void *arg)
{
    const struct matrix *matrix = arg;
    emit_open (e, field->name, '{');
    for (size_t i = 0; i < matrix->n; i++)
        if (matrix->ended[i].status)
            emit_text (e, matrix->allocs[i], matrix->ended[i].text);
    emit_close (e, '}');
}

static bool has_gaps (const struct field *field, const void *matrix)
{
    return matrix_has_gaps (matrix);
}

static const struct field decision_fields[] = {
    MEASURE ("*", "hops",
             "the mean pairwise sum of what this one would choose there"),
};
SHEET (decision);

static const struct field situation_fields[] = {
    OBJECT ("*", decision, "jobs are placed by this allocator"),
};
SHEET (situation);

static const struct field times_fields[] = {
    FIELD ("*", "how often this one gave up"),
};
SHEET (times);

static const struct field given_up_fields[] = {
    OBJECT ("*", times, "jobs are placed by this allocator"),
};
SHEET (given_up);

static const struct field number_fields[] = {
    FIELD ("*", "jobs are placed by this allocator"),
};
SHEET (number);

static const struct field common_fields[] = {
    {"situation", FIELD_BY, .about = "the same sums over these jobs",
     .group = &situation_sheet, .by = emit_common},
    {"jobs", FIELD_BY,
     .about = "for each allocator that places the jobs, how many they are",
     .group = &number_sheet, .by = emit_common_jobs},
};
SHEET (common);

#define AT(member) FIELD_AT (struct matrix, member)
static const struct field matrix_fields[] = {
    {"situation", FIELD_BY,
     .about = "for each allocator that places the jobs, what each would "
              "choose",
     .group = &situation_sheet, .by = emit_situation},
    {"jobs", FIELD_SIZE, AT (result.jobs), "jobs that ran"},
    {"rejected", FIELD_SIZE, AT (result.rejected),
     "jobs that can never run here"},
    {"left_out", FIELD_BY,
     .about = "how often a search gave up, in each situation",
     .group = &given_up_sheet, .by = emit_left_out, .when = has_gaps},
    {"common", FIELD_GROUP, .about = "the jobs on which no search gave up",
     .group = &common_sheet, .when = has_gaps},
    {"ended", FIELD_BY,
     .about = "situations that ended early because the allocator that places "
              "gave up",
     .group = &number_sheet, .by = emit_ended, .when = has_gaps},
};
const struct sheet matrix_sheet = {"decide", SHEET_FIELDS (matrix_fields)};
