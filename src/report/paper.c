#include "paper.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "outfile.h"
#include "parallel.h"
#include "table.h"
#include "view.h"

const char paper_bender_2005[] =
    "M. A. Bender, D. P. Bunde, E. D. Demaine, S. P. Fekete, V. J. Leung, "
    "H. Meijer, C. A. Phillips: Communication-Aware Processor Allocation for "
    "Supercomputers: Finding Point Sets of Small Average Distance. 2005";

const char paper_hori_1995[] =
    "A. Hori, T. Yokota, Y. Ishikawa, S. Sakai, H. Konaka, M. Maeda, "
    "T. Tomokiyo, J. Nolte, H. Matsuoka, K. Okamoto, H. Hirono: Time Space "
    "Sharing Scheduling and Architectural Support. 1995";

const char paper_gupta_1997[] =
    "S. K. S. Gupta, P. K. Srimani: Job Scheduling for Torus Connected "
    "Networks. 1997";

static const struct paper *const papers[] = {
    &paper_multitoroidal,
    &paper_clusters,
    &paper_manhattan_median,
    &paper_table1,
    &paper_flow,
    &paper_isomorphic,
    &paper_latency,
    &paper_queue_tree,
    &paper_preemption,
    &paper_dilation,
    &paper_contention,
};

const struct paper *paper_list (size_t i)
{
    return i < sizeof papers / sizeof *papers ? papers[i] : NULL;
}

char *paper_path (const char *directory, const char *name, const char *ending)
{
    char *path;
    /* Whoever writes there is told why it cannot be made. */
    (void)mkdir (directory, 0777);
    if (asprintf (&path, "%s/%s.%s", directory, name, ending) < 0)
        return NULL;
    return path;
}

/* The reason is that of the directory, so its name replaces the file's. */
static int try_file (const char *directory, const char *path, tori_error *err)
{
    tori_error inner;
    const char *reason;
    if (outfile_probe (path, &inner) == 0)
        return 0;
    reason = strrchr (inner.text, ':');
    return tori_error_set (err, inner.status, "%s%s", directory,
                           reason ? reason : "");
}

int paper_open_out (const char *directory, tori_error *err)
{
    char *path;
    bool made;
    int status;
    if (!directory)
        return 0;
    made = mkdir (directory, 0777) == 0;
    if (!made && errno != EEXIST)
        return tori_error_set (err, TORI_FAILED, "%s: %s", directory,
                               strerror (errno));
    path = paper_path (directory, "new", "tmp");
    status = path ? try_file (directory, path, err) : tori_error_nomem (err);
    if (made)
        (void)rmdir (directory);
    free (path);
    return status;
}

static bool any_fits (const tori_workload *workload,
                      const tori_machine *machine)
{
    for (size_t i = 0; i < workload->n; i++)
        if (workload->jobs[i].asked <= tori_machine_nodes (machine))
            return true;
    return false;
}

int paper_read_log (const char *path, const tori_machine *machine,
                    const tori_workload_options *options,
                    tori_workload *ret_workload, tori_error *err)
{
    tori_workload workload;
    size_t n;
    if (tori_workload_read (path, machine, options, &workload, err) < 0)
        return -1;
    if (any_fits (&workload, machine)) {
        *ret_workload = workload;
        return 0;
    }
    n = workload.n;
    tori_workload_clear (&workload);
    return tori_error_set (err, TORI_INVALID,
                           "%s: none of %zu jobs fits on %u nodes, so there "
                           "is nothing to compare",
                           path, n, tori_machine_nodes (machine));
}

struct pieces {
    const struct paper_setup *setup;
    size_t n;
    int (*work) (void *arg, size_t piece, tori_error *err);
    void *arg;
};

static int do_piece (void *arg, size_t piece, tori_error *err)
{
    const struct pieces *pieces = arg;
    return pieces->work (pieces->arg, piece, err);
}

static void on_done (void *arg, size_t done)
{
    const struct pieces *pieces = arg;
    if (pieces->setup->on_progress)
        pieces->setup->on_progress (pieces->setup->arg, done, pieces->n);
}

int paper_do_pieces (const struct paper_setup *setup, size_t n,
                     int (*work) (void *arg, size_t piece, tori_error *err),
                     void *arg, tori_error *err)
{
    struct pieces pieces = {setup, n, work, arg};
    struct parallel parallel = {.n = n,
                                .workers = setup->workers,
                                .work = do_piece,
                                .on_done = on_done,
                                .arg = &pieces};
    return parallel_run (&parallel, err);
}

static int open_csv (const char *directory, const char *name,
                     struct outfile **ret_out, tori_error *err)
{
    char *path = paper_path (directory, name, "csv");
    int status = path ? outfile_create (path, ret_out, err)
                      : tori_error_nomem (err);
    free (path);
    return status;
}

static int close_csv (struct outfile *out, int status, tori_error *err)
{
    if (status == 0)
        status = outfile_commit (out, err);
    outfile_destroy (out);
    return status;
}

int paper_write_csv (const char *directory, const char *name,
                     const struct table *table, tori_error *err)
{
    struct outfile *out;
    if (open_csv (directory, name, &out, err) < 0)
        return -1;
    return close_csv (out, table_csv (table, outfile_stream (out), err), err);
}

int paper_write_rows (const char *directory, const char *name,
                      const struct sheet *sheet, const struct rows *rows,
                      tori_error *err)
{
    struct outfile *out;
    if (open_csv (directory, name, &out, err) < 0)
        return -1;
    return close_csv (out,
                      sheet_csv (sheet, rows->row, rows->n, rows->size,
                                 outfile_stream (out), err),
                      err);
}

int paper_emit_lists (const struct paper_setup *setup,
                      const struct paper_lists *lists, FILE *out,
                      tori_error *err)
{
    const struct rows *rows = lists->list;
    struct emit e = emit_to (out);
    answer_open (&e, setup->answer);
    sheet_emit (&e, lists->sheet, lists->head);
    for (size_t i = 0; i < lists->sheet->n; i++) {
        const struct field *field = &lists->sheet->field[i];
        if (field->kind != FIELD_LIST)
            continue;
        sheet_emit_rows (&e, field->name, field->group, rows->row, rows->n,
                         rows->size);
        rows++;
    }
    emit_close (&e, '}');
    return emit_end (&e, err);
}

int paper_write_lists (const char *directory, const struct paper_lists *lists,
                       tori_error *err)
{
    const struct rows *rows = lists->list;
    for (size_t i = 0; i < lists->sheet->n; i++) {
        const struct field *field = &lists->sheet->field[i];
        if (field->kind == FIELD_LIST
            && paper_write_rows (directory, field->group->name, field->group,
                                 rows++, err)
                   < 0)
            return -1;
    }
    return 0;
}

int paper_no_figures (const char *directory, const tori_error *why,
                      tori_error *err)
{
    return tori_error_set (err, why->status,
                           "the tables are in %.200s, the figures are not: %s",
                           directory, why->text);
}
