/* cells_write.c - the outcomes of the cells of a grid as files: cells.jsonl and
 * cells.csv. */
#include "cells.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "outfile.h"

#define WHOLE "cells.jsonl"
#define TABLE "cells.csv"

/* Columns in the order in which they first occur. */
struct columns {
    json_t *at; /* name: number */
};

/* Rename a measure that has the name of an option: jobs, some of which may not
 * run. */
static const char *result_name (const char *name)
{
    return !strcmp (name, "jobs") ? "jobs_run" : name;
}

typedef void visit_fn (void *arg, const char *name, const json_t *value);

/* Visit numbers, texts and flags. Members of objects have the names of
 * both. */
static void each_scalar (const char *before, const json_t *object,
                         bool of_result, visit_fn *visit, void *arg)
{
    const char *key;
    json_t *value;
    json_t *of = (json_t *)(uintptr_t)object;
    json_object_foreach (of, key, value)
    {
        char name[160];
        snprintf (name, sizeof name, "%s%s%s", before, *before ? "_" : "",
                  key);
        if (json_is_object (value))
            each_scalar (name, value, of_result, visit, arg);
        else if (!json_is_array (value))
            visit (arg, of_result ? result_name (name) : name, value);
    }
}

static void each_column (const json_t *outcome, visit_fn *visit, void *arg)
{
    static const char *const more[]
        = {"saturated", "hopeless", "unshaped",
           "error",     "log_sha256", "commit"};
    each_scalar ("", json_object_get (outcome, "config"), false, visit, arg);
    each_scalar ("", json_object_get (outcome, "result"), true, visit, arg);
    each_scalar ("compared", json_object_get (outcome, "compared"), false,
                 visit, arg);
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        const json_t *value = json_object_get (outcome, more[i]);
        if (value)
            visit (arg, more[i], value);
    }
}

static void note_column (void *arg, const char *name, const json_t *value)
{
    struct columns *columns = arg;
    if (!json_object_get (columns->at, name))
        json_object_set_new (
            columns->at, name,
            json_integer ((json_int_t)json_object_size (columns->at)));
}

static void write_text (FILE *out, const char *text)
{
    bool quoted = strpbrk (text, ",\"\n") != NULL;
    if (!quoted) {
        fputs (text, out);
        return;
    }
    fputc ('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc ('"', out);
        fputc (*text, out);
    }
    fputc ('"', out);
}

static void write_value (FILE *out, const json_t *value)
{
    if (json_is_string (value))
        write_text (out, json_string_value (value));
    else if (value && !json_is_null (value))
        json_dumpf (value, out, JSON_ENCODE_ANY | JSON_REAL_PRECISION (15));
}

struct row {
    const struct columns *columns;
    const json_t **value;
};

static void note_value (void *arg, const char *name, const json_t *value)
{
    struct row *row = arg;
    row->value[json_integer_value (json_object_get (row->columns->at, name))] =
        value;
}

static int write_rows (const struct cells *cells,
                       const struct columns *columns, FILE *out)
{
    size_t n = json_object_size (columns->at);
    const json_t **value = calloc (n + 1, sizeof *value);
    struct row row = {columns, value};
    if (!value)
        return -1;
    for (size_t i = 0; i < cells->design->n; i++) {
        memset (value, 0, n * sizeof *value);
        each_column (cells->outcome[i], note_value, &row);
        for (size_t j = 0; j < n; j++) {
            write_value (out, value[j]);
            fputc (j + 1 < n ? ',' : '\n', out);
        }
    }
    free (value);
    return 0;
}

static int write_table (const struct cells *cells, FILE *out, tori_error *err)
{
    struct columns columns = {json_object ()};
    const char *name;
    json_t *at;
    int status;
    if (!columns.at)
        return tori_error_nomem (err);
    for (size_t i = 0; i < cells->design->n; i++)
        each_column (cells->outcome[i], note_column, &columns);
    json_object_foreach (columns.at, name, at)
        fprintf (out, "%s%s", json_integer_value (at) > 0 ? "," : "", name);
    fputc ('\n', out);
    status = write_rows (cells, &columns, out);
    json_decref (columns.at);
    return status < 0 ? tori_error_nomem (err) : 0;
}

static int write_whole (const struct cells *cells, FILE *out, tori_error *err)
{
    for (size_t i = 0; i < cells->design->n; i++)
        fprintf (out, "%s\n", cells->line[i]);
    return 0;
}

static int write_file (const struct cells *cells, const char *path,
                       int (*write) (const struct cells *cells, FILE *out,
                                     tori_error *err),
                       tori_error *err)
{
    struct outfile *out;
    if (outfile_create (path, &out, err) < 0)
        return -1;
    return outfile_end (out, write (cells, outfile_stream (out), err), err);
}

int cells_csv (const struct cells *cells, const char *path, tori_error *err)
{
    return write_file (cells, path, write_table, err);
}

/* Remove the files of the run: their lines are in cells.jsonl now. */
static void remove_kept (const char *dir)
{
    DIR *folder = opendir (dir);
    for (const struct dirent *entry; folder && (entry = readdir (folder));)
        if (cells_has_outcomes (entry->d_name) && strcmp (entry->d_name, WHOLE) != 0
            && (!strcmp (entry->d_name, "done.jsonl")
                || !strncmp (entry->d_name, "part-", 5)))
            unlinkat (dirfd (folder), entry->d_name, 0);
    if (folder)
        closedir (folder);
}

int cells_write (const struct cells *cells, const char *dir, tori_error *err)
{
    char *whole = cells_path (dir, WHOLE), *table = cells_path (dir, TABLE);
    int status;
    if (!whole || !table)
        status = tori_error_nomem (err);
    else
        status = write_file (cells, whole, write_whole, err) < 0
                         || cells_csv (cells, table, err) < 0
                     ? -1
                     : 0;
    if (status == 0)
        remove_kept (dir);
    free (whole);
    free (table);
    return status;
}
