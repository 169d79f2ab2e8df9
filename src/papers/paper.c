#include "paper.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "outfile.h"
#include "page.h"
#include "parallel.h"
#include "syserror.h"

const char paper_kang_2003[] =
    "M. Kang, C. Yu, H. Y. Youn, B. Lee, M. Kim: Isomorphic Strategy for "
    "Processor Allocation in k-Ary n-Cube Systems. 2003";

/* ---- the directory ---- */

/* DIRECTORY/NAME.ENDING, for the caller to free; NULL without memory. */
static char *paper_path (const char *directory, const char *name,
                         const char *ending)
{
    char *path;
    /* If it cannot be made, writing there says why. */
    (void)mkdir (directory, 0777);
    if (asprintf (&path, "%s/%s.%s", directory, name, ending) < 0)
        return NULL;
    return path;
}

/* The error is about the directory, so its name replaces the file's. */
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

/* Make the directory if it does not exist, and check that files can be written
 * into it, before much time is spent on results. */
static int open_out (const char *directory, tori_error *err)
{
    char *path;
    bool made;
    int status;
    if (!directory)
        return 0;
    made = mkdir (directory, 0777) == 0;
    if (!made && errno != EEXIST)
        return system_error (directory, errno, err);
    path = paper_path (directory, "new", "tmp");
    status = path ? try_file (directory, path, err) : tori_error_nomem (err);
    if (made)
        (void)rmdir (directory);
    free (path);
    return status;
}

/* ---- work ---- */

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

/* ---- lists ---- */

/* The field of the answer that is its i-th list of objects; NULL past the
 * end. */
static const struct field *list_field (const struct paper *paper, size_t list)
{
    for (size_t i = 0; i < paper->answer->n; i++) {
        const struct field *field = &paper->answer->field[i];
        if (field->kind == FIELD_LIST && list-- == 0)
            return field;
    }
    return NULL;
}

static const struct sheet *list_sheet (const struct paper_run *run,
                                       size_t list)
{
    return list_field (run->paper, list)->group;
}

void *paper_rows (struct paper_run *run, size_t list, size_t n, size_t size,
                  tori_error *err)
{
    void *rows = calloc (n + 1, size);
    if (!rows)
        tori_error_nomem (err);
    run->owned[list] = rows;
    run->list[list] = (struct rows){rows, n, size};
    return rows;
}

static struct rows verdict_rows (const struct paper_run *run)
{
    return (struct rows){run->verdicts.row, run->verdicts.n,
                         sizeof *run->verdicts.row};
}

static int write_list (const struct paper_run *run, const struct sheet *sheet,
                       const struct rows *rows, tori_error *err)
{
    char *path = paper_path (run->setup->out, sheet->name, "csv");
    struct outfile *out;
    int status = path ? outfile_create (path, &out, err)
                      : tori_error_nomem (err);
    free (path);
    if (status < 0)
        return -1;
    status = sheet_csv (sheet, rows->row, rows->n, rows->size,
                        outfile_stream (out), err);
    return outfile_end (out, status, err);
}

static void emit_lists (const struct paper_run *run, struct emit *e)
{
    const struct rows verdicts = verdict_rows (run);
    const struct field *field;
    sheet_emit_rows (e, verdicts_sheet.name, &verdicts_sheet, verdicts.row,
                     verdicts.n, verdicts.size);
    sheet_emit (e, run->paper->answer, run->study);
    for (size_t i = 0; (field = list_field (run->paper, i)); i++)
        sheet_emit_rows (e, field->name, field->group, run->list[i].row,
                         run->list[i].n, run->list[i].size);
}

static int emit_answer (const struct paper_run *run, tori_error *err)
{
    struct emit e = emit_to (run->out);
    if (run->setup->answer)
        answer_open (&e, run->setup->answer);
    else
        emit_open (&e, NULL, '{');
    emit_lists (run, &e);
    emit_close (&e, '}');
    if (run->setup->answer)
        return emit_end (&e, err);
    return e.nomem ? tori_error_nomem (err) : 0;
}

/* ---- the page ---- */

void paper_say (struct paper_run *run, const char *fmt, ...)
{
    char *text;
    size_t before, length;
    va_list ap;
    int n;
    va_start (ap, fmt);
    n = vasprintf (&text, fmt, ap);
    va_end (ap);
    if (n < 0) {
        run->status = tori_error_nomem (run->err);
        return;
    }
    before = strspn (text, "\n");
    length = (size_t)n;
    while (length > before && text[length - 1] == '\n')
        text[--length] = '\0';
    fprintf (run->out, "%.*s", (int)before, text);
    wrap_text (run->out, text + before, 0, 0);
    for (; length < (size_t)n; length++)
        fputc ('\n', run->out);
    free (text);
}

void paper_table (struct paper_run *run, size_t list)
{
    const struct rows *rows = &run->list[list];
    if (run->status == 0)
        run->status =
            sheet_print (list_sheet (run, list), rows->row, rows->n,
                         rows->size, run->out, run->setup->bold, run->err);
}

void paper_view (struct paper_run *run, size_t list, const struct rows *part,
                 const struct view *view)
{
    if (run->status == 0)
        run->status = view_print (view, list_sheet (run, list),
                                  part ? part : &run->list[list], run->out,
                                  run->setup->bold, run->err);
}

void paper_pivot (struct paper_run *run, size_t list, const struct rows *part,
                  const struct pivot *pivot)
{
    if (run->status == 0)
        run->status = pivot_print (pivot, list_sheet (run, list),
                                   part ? part : &run->list[list], run->out,
                                   run->setup->bold, run->err);
}

/* ---- an entry ---- */

/* The verdicts, then each list of the answer. */
static int write_lists (const struct paper_run *run, tori_error *err)
{
    const struct rows verdicts = verdict_rows (run);
    int status = write_list (run, &verdicts_sheet, &verdicts, err);
    for (size_t i = 0; status == 0 && list_field (run->paper, i); i++)
        status = write_list (run, list_sheet (run, i), &run->list[i], err);
    return status;
}

static void print_page (struct paper_run *run)
{
    run->status = sheet_print (&verdicts_sheet, run->verdicts.row,
                               run->verdicts.n, sizeof *run->verdicts.row,
                               run->out, run->setup->bold, run->err);
    fputc ('\n', run->out);
    if (run->status == 0)
        run->paper->print (run);
}

static int report_paper (struct paper_run *run, tori_error *err)
{
    const struct paper *paper = run->paper;
    bool files = run->setup->out;
    paper->judge (run);
    if (run->status < 0 || (files && write_lists (run, err) < 0))
        return -1;
    if (run->setup->json)
        run->status = emit_answer (run, err);
    else
        print_page (run);
    if (run->status < 0)
        return -1;
    return paper->check ? paper->check (run, err) : 0;
}

int paper_do (const struct paper *paper, const struct paper_setup *setup,
              FILE *out, tori_error *err)
{
    struct paper_run run
        = {.paper = paper, .setup = setup, .out = out, .err = err};
    int status = open_out (setup->out, err);
    if (status < 0)
        return -1;
    run.study = calloc (1, paper->size ? paper->size : 1);
    status = run.study ? paper->compute (&run, err) : tori_error_nomem (err);
    if (status == 0)
        status = report_paper (&run, err);
    if (run.study && paper->clear)
        paper->clear (run.study);
    for (size_t i = 0; i < PAPER_LISTS; i++)
        free (run.owned[i]);
    free (run.verdicts.row);
    free (run.study);
    return status;
}
