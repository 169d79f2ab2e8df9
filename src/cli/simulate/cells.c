/* cells.c - the outcomes of the cells of a grid. */
#include "cells.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tori/version.h>

#include "cell.h"
#include "parallel.h"
#include "terminal.h"
#include "syserror.h"

int cells_create (struct cells *cells, const struct design *design,
                  tori_error *err)
{
    *cells =
        (struct cells){.design = design,
                       .outcome = calloc (design->n, sizeof *cells->outcome),
                       .line = calloc (design->n, sizeof *cells->line),
                       .by = design->cell[0].values.by};
    return cells->outcome && cells->line ? 0 : tori_error_nomem (err);
}

void cells_clear (struct cells *cells)
{
    for (size_t i = 0; cells->outcome && cells->line && i < cells->design->n;
         i++) {
        json_decref (cells->outcome[i]);
        free (cells->line[i]);
        if (cells->jobs)
            cell_jobs_clear (&cells->jobs[i]);
    }
    free (cells->absent);
    free (cells->jobs);
    free (cells->outcome);
    free (cells->line);
    *cells = (struct cells){0};
}

/* Takes over the line and the outcome. */
static int take_outcome (struct cells *cells, size_t i, char *line,
                         json_t *outcome)
{
    if (cells->outcome[i]) {
        free (line);
        json_decref (outcome);
        return 0;
    }
    cells->outcome[i] = outcome;
    cells->line[i] = line;
    cells->n++;
    return 0;
}

/* ---- reading ---- */

/* Cells by their keys, which are compared as texts in canonical form. */
static json_t *index_of (const struct design *design)
{
    json_t *index = json_object ();
    for (size_t i = 0; index && i < design->n; i++) {
        json_t *key = json_loads (design->cell[i].key, 0, NULL);
        char *text = json_dumps (key, JSON_COMPACT);
        json_decref (key);
        if (!text
            || json_object_set_new (index, text, json_integer ((json_int_t)i))
                   < 0) {
            json_decref (index);
            index = NULL;
        }
        free (text);
    }
    return index;
}

/* Read a line of a file. The last line of a sweep that was killed may be
 * incomplete. */
static int take_line (struct cells *cells, const json_t *index,
                      const char *line, size_t length)
{
    json_t *outcome = json_loadb (line, length, 0, NULL);
    const char *version =
        json_string_value (json_object_get (outcome, "tori"));
    char *key = json_dumps (json_object_get (outcome, "config"), JSON_COMPACT);
    const json_t *at = key ? json_object_get (index, key) : NULL;
    char *copy = NULL;
    free (key);
    if (!at || !version || strcmp (version, tori_version ()) != 0) {
        json_decref (outcome);
        return 0;
    }
    copy = strndup (line, length);
    if (!copy) {
        json_decref (outcome);
        return -1;
    }
    return take_outcome (cells, (size_t)json_integer_value (at), copy,
                         outcome);
}

static int read_lines (struct cells *cells, const json_t *index,
                       const char *path, tori_error *err)
{
    FILE *in = fopen (path, "re");
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    int status = 0;
    if (!in)
        return system_error (path, errno, err);
    while (status == 0 && (n = getline (&line, &room, in)) > 0)
        if (line[n - 1] == '\n')
            status = take_line (cells, index, line, (size_t)n - 1);
    free (line);
    fclose (in);
    return status < 0 ? tori_error_nomem (err) : 0;
}

static bool has_outcomes (const char *name)
{
    size_t n = strlen (name);
    return n > 6 && !strcmp (name + n - 6, ".jsonl");
}

char *cells_path (const char *dir, const char *name)
{
    char *path = NULL;
    return asprintf (&path, "%s/%s", dir, name) < 0 ? NULL : path;
}

int cells_load (struct cells *cells, const char *dir, tori_error *err)
{
    DIR *folder = opendir (dir);
    json_t *index;
    int status = 0;
    if (!folder)
        return errno == ENOENT ? 0 : system_error (dir, errno, err);
    index = index_of (cells->design);
    if (!index)
        status = tori_error_nomem (err);
    for (const struct dirent *entry;
         status == 0 && (entry = readdir (folder));) {
        char *path;
        if (!has_outcomes (entry->d_name))
            continue;
        path = cells_path (dir, entry->d_name);
        status = path ? read_lines (cells, index, path, err)
                      : tori_error_nomem (err);
        free (path);
    }
    json_decref (index);
    closedir (folder);
    return status;
}

int cells_folder (const char *path, tori_error *err)
{
    if (mkdir (path, 0777) < 0 && errno != EEXIST)
        return system_error (path, errno, err);
    return 0;
}

/* ---- running ---- */

static bool is_in_part (const struct cells_how *how, size_t i)
{
    return how->parts < 2 || i % how->parts == how->part - 1;
}

/* The file for the jobs of a cell, by its number in the design. */
static char *per_job_path (const struct cells_how *how, size_t i)
{
    char name[32];
    snprintf (name, sizeof name, "jobs-%05zu.csv", i + 1);
    return cells_path (how->per_job, name);
}

int cells_forget (struct cells *cells, const struct cells_how *how,
                  tori_error *err)
{
    for (size_t i = 0; how->per_job && i < cells->design->n; i++) {
        char *path = per_job_path (how, i);
        bool there = path && access (path, F_OK) == 0;
        if (!path)
            return tori_error_nomem (err);
        free (path);
        if (there || !cells->outcome[i])
            continue;
        json_decref (cells->outcome[i]);
        free (cells->line[i]);
        cells->outcome[i] = NULL;
        cells->line[i] = NULL;
        cells->n--;
    }
    return 0;
}

size_t cells_missing (const struct cells *cells, const struct cells_how *how)
{
    size_t n = 0;
    for (size_t i = 0; i < cells->design->n; i++)
        n += is_in_part (how, i) && !cells->outcome[i];
    return n;
}

static size_t seed_position (const struct design *design,
                             const struct cell *cell)
{
    return cell->scene * design->seeds
           + design_position (design, cell) % design->seeds;
}

int cells_find_absent (struct cells *cells, tori_error *err)
{
    const struct design *design = cells->design;
    if (cells->n == design->n)
        return 0;
    cells->absent = calloc (design->scenes * design->seeds,
                            sizeof *cells->absent);
    if (!cells->absent)
        return tori_error_nomem (err);
    for (size_t i = 0; i < design->n; i++)
        if (!cells->outcome[i])
            cells->absent[seed_position (design, &design->cell[i])] = true;
    return 0;
}

bool cells_is_absent (const struct cells *cells, size_t i)
{
    return cells->absent
           && cells->absent[seed_position (cells->design,
                                           &cells->design->cell[i])];
}

const json_t *cells_first (const struct cells *cells)
{
    size_t i = 0;
    while (i < cells->design->n && !cells->outcome[i])
        i++;
    return i < cells->design->n ? cells->outcome[i] : NULL;
}

const char *outcome_trace (const json_t *outcome)
{
    return json_string_value (
        json_object_get (json_object_get (outcome, "config"), "trace"));
}

struct crew {
    struct cells *cells;
    const struct cells_how *how;
    size_t *todo; /* cells */
    size_t n;
    int kept; /* a file, or -1 */
    const char *path;
    pthread_mutex_t lock;
    struct timespec synced; /* when the file was last synced */
    struct progress progress;
};

static int write_all (int file, const char *text, size_t n)
{
    while (n > 0) {
        ssize_t wrote = write (file, text, n);
        if (wrote < 0 && errno != EINTR)
            return -1;
        if (wrote > 0) {
            text += wrote;
            n -= (size_t)wrote;
        }
    }
    return 0;
}

static int kept_failed (const struct crew *crew, tori_error *err)
{
    return system_error (crew->path, errno, err);
}

/* Write a line at once, so that it survives if the sweep is killed. */
static int keep_line (const struct crew *crew, const char *line,
                      tori_error *err)
{
    if (crew->kept < 0)
        return 0;
    if (write_all (crew->kept, line, strlen (line)) < 0
        || write_all (crew->kept, "\n", 1) < 0)
        return kept_failed (crew, err);
    return 0;
}

/* Whether to sync the file: once a second, against a loss of power. A sync
 * takes longer than a short simulation. */
static bool is_due (struct crew *crew)
{
    struct timespec now;
    clock_gettime (CLOCK_MONOTONIC, &now);
    if (crew->kept < 0 || seconds_between (&crew->synced, &now) < 1)
        return false;
    crew->synced = now;
    return true;
}

static int sync_kept (const struct crew *crew, tori_error *err)
{
    return fdatasync (crew->kept) < 0 ? kept_failed (crew, err) : 0;
}

static int run_cell (const struct crew *crew, size_t i, char **ret_line,
                     tori_error *err)
{
    const struct cell *cell = &crew->cells->design->cell[i];
    struct cell_line line = {cell->values, cell->key};
    char *path = crew->how->per_job ? per_job_path (crew->how, i) : NULL;
    int status;
    if (crew->how->by > 0)
        line.values.by = crew->how->by - 1;
    status = crew->how->per_job && !path
                 ? tori_error_nomem (err)
                 : cell_run (&line, path,
                             crew->cells->jobs ? &crew->cells->jobs[i] : NULL,
                             ret_line, err);
    free (path);
    return status;
}

/* Take the groups of a cell that ran once more. */
static int take_groups (json_t *outcome, const json_t *again, tori_error *err)
{
    json_t *by = json_object_get (again, "by");
    if (!json_equal (json_object_get (outcome, "log_sha256"),
                     json_object_get (again, "log_sha256"))
        && outcome_trace (outcome))
        return tori_error_set (err, TORI_INVALID,
                               "%s: the log was changed since the sweep",
                               outcome_trace (outcome));
    if (by ? json_object_set (outcome, "by", by) < 0 : false)
        return tori_error_nomem (err);
    return 0;
}

static int do_cell (void *arg, size_t piece, tori_error *err)
{
    struct crew *crew = arg;
    size_t i = crew->todo[piece];
    json_t *outcome;
    char *line;
    bool due;
    int status;
    if (run_cell (crew, i, &line, err) < 0)
        return -1;
    outcome = json_loads (line, 0, NULL);
    if (!outcome) {
        free (line);
        return tori_error_nomem (err);
    }
    pthread_mutex_lock (&crew->lock);
    status = crew->how->by > 0
                 ? take_groups (crew->cells->outcome[i], outcome, err)
                 : keep_line (crew, line, err);
    take_outcome (crew->cells, i, line, outcome);
    due = is_due (crew);
    pthread_mutex_unlock (&crew->lock);
    return status == 0 && due ? sync_kept (crew, err) : status;
}

static void on_done (void *arg, size_t done)
{
    struct crew *crew = arg;
    progress_update (&crew->progress, done, crew->n, "cells");
}

/* Open the file to which outcomes are appended. It is locked, if the file
 * system has locks, so that no two sweeps append to it. */
static int open_kept (struct crew *crew, tori_error *err)
{
    crew->kept =
        open (crew->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (crew->kept < 0)
        return kept_failed (crew, err);
    if (flock (crew->kept, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
        return tori_error_set (err, TORI_FAILED,
                               "%s: another sweep is running there",
                               crew->path);
    return write_all (crew->kept, "\n", 1); /* ends an incomplete line */
}

static char *kept_path (const struct cells_how *how)
{
    char name[64] = "done.jsonl";
    if (how->parts > 1)
        snprintf (name, sizeof name, "part-%zu-of-%zu.jsonl", how->part,
                  how->parts);
    return cells_path (how->dir, name);
}

static int run_crew (struct crew *crew, const struct cells_how *how,
                     tori_error *err)
{
    const struct parallel parallel = {.n = crew->n,
                                      .workers = how->workers,
                                      .work = do_cell,
                                      .on_done = on_done,
                                      .arg = crew};
    int status;
    pthread_mutex_init (&crew->lock, NULL);
    progress_begin (&crew->progress);
    status = parallel_run (&parallel, err);
    if (status == 0 && crew->kept >= 0)
        status = sync_kept (crew, err);
    progress_end (&crew->progress);
    pthread_mutex_destroy (&crew->lock);
    return status;
}

int cells_run (struct cells *cells, const struct cells_how *how,
               tori_error *err)
{
    struct crew crew = {.cells = cells,
                        .how = how,
                        .todo = calloc (cells->design->n, sizeof *crew.todo),
                        .kept = -1};
    char *path = how->dir ? kept_path (how) : NULL;
    int status = 0;
    crew.path = path;
    if (how->per_job && cells_folder (how->per_job, err) < 0)
        status = -1;
    if (how->keep_jobs)
        cells->jobs = calloc (cells->design->n, sizeof *cells->jobs);
    if (status == 0
        && (!crew.todo || (how->dir && !path)
            || (how->keep_jobs && !cells->jobs)))
        status = tori_error_nomem (err);
    /* Begin at the end: users mostly list loads, sizes or schedulers from the
     * fastest to the slowest, and a long cell that is run last keeps one
     * worker busy while the others are idle. */
    for (size_t i = cells->design->n; status == 0 && i-- > 0;)
        if (is_in_part (how, i) && !cells->outcome[i])
            crew.todo[crew.n++] = i;
    if (status == 0 && crew.n > 0 && path)
        status = open_kept (&crew, err);
    if (status == 0 && crew.n > 0)
        status = run_crew (&crew, how, err);
    if (crew.kept >= 0)
        close (crew.kept);
    free (crew.todo);
    free (path);
    return status;
}

int cells_again (struct cells *cells, const struct cells_how *how,
                 size_t first, size_t end, tori_error *err)
{
    const struct cells_how again = {.workers = how->workers, .by = how->by};
    struct crew crew = {.cells = cells,
                        .how = &again,
                        .todo = calloc (end - first + 1, sizeof *crew.todo),
                        .kept = -1};
    int status;
    cells->jobs = calloc (cells->design->n, sizeof *cells->jobs);
    for (size_t i = first; crew.todo && i < end; i++)
        if (cells->outcome[i] && !json_object_get (cells->outcome[i], "error"))
            crew.todo[crew.n++] = i;
    status = crew.todo && cells->jobs ? run_crew (&crew, &again, err)
                                      : tori_error_nomem (err);
    free (crew.todo);
    return status;
}

void cells_drop_jobs (struct cells *cells)
{
    for (size_t i = 0; cells->jobs && i < cells->design->n; i++)
        cell_jobs_clear (&cells->jobs[i]);
    free (cells->jobs);
    cells->jobs = NULL;
}

double cells_number (const struct cells *cells, size_t i, const char *group,
                     const char *name)
{
    const json_t *result = json_object_get (cells->outcome[i], "result");
    const json_t *value = json_object_get (
        group ? json_object_get (result, group) : result, name);
    return json_is_number (value) ? json_number_value (value) : NAN;
}
