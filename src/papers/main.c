/* tori-paper - published tables and figures, ours beside the printed ones. A
 * program of its own, which `tori paper` becomes: experiments are not what
 * tori is used for every day. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "asked.h"
#include "emit.h"
#include "files.h"
#include "misspelt.h"
#include "names.h"
#include "page.h"
#include "paper.h"
#include "paper_command.h"
#include "parallel.h"
#include "sheet.h"
#include "startup.h"
#include "syserror.h"
#include "table.h"
#include "terminal.h"

static const struct command command_paper;

/* ---- tori paper list ---- */

static size_t count_papers (void)
{
    size_t n = 0;
    while (paper_list (n))
        n++;
    return n;
}

static struct paper_entry row_of (const struct paper *paper)
{
    return (struct paper_entry){paper->name, paper->what, paper->citation,
                                NULL, NULL};
}

static int emit_papers (const struct paper_values *v, FILE *out,
                        tori_error *err)
{
    size_t n = count_papers ();
    struct paper_entry *row = calloc (n, sizeof *row);
    const struct rows rows = {row, n, sizeof *row};
    int status;
    for (size_t i = 0; row && i < n; i++)
        row[i] = row_of (paper_list (i));
    status = row ? asked_emit (&command_paper, v, &rows, out, err)
                 : tori_error_nomem (err);
    free (row);
    return status;
}

/* Citations are long: each entry is a paragraph, not a row. */
static void print_entry (const struct paper *paper, FILE *out)
{
    fprintf (out, "%s\n  ", paper->name);
    wrap_text (out, paper->what, 2, 2);
    fputs ("  ", out);
    wrap_text (out, paper->citation, 2, 2);
}

static int print_papers (FILE *out)
{
    const struct paper *paper;
    for (size_t i = 0; (paper = paper_list (i)); i++) {
        if (i > 0)
            fputc ('\n', out);
        print_entry (paper, out);
    }
    return 0;
}

static int list_papers (const struct paper_values *v, FILE *out,
                        tori_error *err)
{
    if (v->out || v->traces.n || v->model >= 0 || v->service || v->limit
        || v->jobs || v->seeds || v->workers || v->quick)
        return tori_error_set (err, TORI_INVALID,
                               "paper list: the only option is --json");
    return v->json ? emit_papers (v, out, err) : print_papers (out);
}

/* ---- tori paper NAME ---- */

static const char *known_name (const void *arg, size_t i)
{
    return paper_names (i);
}

static const struct paper *find_paper (const char *name, tori_error *err)
{
    const char *near = nearest_name (name, known_name, NULL);
    const struct paper *paper;
    char hint[80] = "";
    for (size_t i = 0; (paper = paper_list (i)); i++)
        if (!strcmp (paper->name, name))
            return paper;
    if (near)
        snprintf (hint, sizeof hint, " did you mean '%.40s'?", near);
    tori_error_set (err, TORI_INVALID,
                    "unknown paper '%.60s';%s see 'tori paper list'", name,
                    hint);
    return NULL;
}

/* The bar goes before the tables come. */
static void on_progress (void *arg, size_t done, size_t total)
{
    progress_update (arg, done, total, "simulations");
    if (done == total)
        progress_end (arg);
}

/* An option that would be ignored is an error: the user expects an effect. */
static int check_takes (const struct paper_values *v,
                        const struct paper *paper, tori_error *err)
{
    const struct {
        bool given;
        unsigned need;
        const char *name;
    } rules[] = {
        {v->traces.n > 0, PAPER_TRACES, "traces"},
        {v->model >= 0, PAPER_MODEL, "model"},
        {v->service, PAPER_SERVICE, "service"},
        {v->limit > 0, PAPER_LIMIT, "limit"},
        {v->jobs > 0, PAPER_JOBS, "jobs"},
        {v->seeds > 0, PAPER_SEEDS, "seeds"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].given && !(paper->takes & rules[i].need))
            return tori_error_set (err, TORI_INVALID,
                                   "paper %s: takes no --%s", paper->name,
                                   rules[i].name);
    return 0;
}

/* Whether a name is like those of the files that papers write. */
static bool is_product (const char *path)
{
    static const char *const endings[] = {".csv", ".svg", ".pdf", ".gp"};
    const char *dot = strrchr (path, '.');
    size_t i = 0;
    while (dot && i < 4 && strcmp (dot, endings[i]) != 0)
        i++;
    return dot && i < 4;
}

/* A log is not to be replaced by a table or a figure. */
static int check_logs (const struct paper_values *v, tori_error *err)
{
    for (size_t i = 0; i < v->traces.n; i++) {
        const struct named_file log = {"--traces", v->traces.item[i], false};
        if (files_check (&log, 1, err) < 0)
            return -1;
        if (v->out && is_product (log.path)
            && files_within (log.path, v->out))
            return tori_error_set (err, TORI_INVALID,
                                   "--traces: %.200s is in the folder of "
                                   "--out, and could be overwritten",
                                   log.path);
    }
    return 0;
}

/* `how` has the directory, what JSON begins with, the threads and the
 * progress. */
static int run_paper (const struct paper_values *v, const struct paper *paper,
                      struct paper_setup how, FILE *out, tori_error *err)
{
    how.traces = (struct traces_places){v->traces.item, v->traces.n};
    how.model = v->model >= 0 ? model_names ((size_t)v->model) : NULL;
    how.service = v->service;
    how.limit = v->quick ? paper->quick.limit : (size_t)v->limit;
    how.jobs = (size_t)v->jobs;
    how.quick = v->quick;
    how.seed = (uint64_t)v->seed;
    how.seeds = v->quick ? paper->quick.seeds : (size_t)v->seeds;
    how.json = v->json;
    how.bold = terminal_bold ();
    return paper_do (paper, &how, out, err);
}

static int run_one (const struct paper_values *v, const struct paper *paper,
                    FILE *out, tori_error *err)
{
    const struct asked asked = {&command_paper, v};
    const struct answer answer = asked_answer (&asked);
    struct progress progress;
    const struct paper_setup how = {.out = v->out,
                                    .answer = &answer,
                                    .workers = (unsigned)v->workers,
                                    .on_progress = on_progress,
                                    .arg = &progress};
    int status;
    progress_begin (&progress);
    status = run_paper (v, paper, how, out, err);
    progress_end (&progress);
    return status;
}

/* ---- tori paper all: each takes the options that it has a use for ---- */

/* Two papers run at a time, because the last simulation of a paper, or the
 * only one, leaves processors idle. */
enum { AT_ONCE = 2 };

struct entry {
    struct paper_entry row; /* of the JSON; comes first */
    struct batch *batch;
    const struct paper *paper;
    char *text; /* its page, or its JSON, and how long that is */
    size_t size;
    size_t done, total; /* simulations */
    bool over, failed;
    tori_error why;
};

/* All papers. Their pages come in the order of the list. */
struct batch {
    const struct paper_values *values;
    FILE *out;
    struct entry *entry;
    size_t n;
    pthread_mutex_t lock; /* protects all below, and the progress of entries */
    struct progress progress;
    size_t shown; /* entries, from the first */
    size_t failed;
};

/* The directory of a paper, for the caller to free. */
static int directory_of (const struct paper_values *v,
                         const struct paper *paper, char **ret_directory,
                         tori_error *err)
{
    *ret_directory = NULL;
    if (!v->out)
        return 0;
    if (mkdir (v->out, 0777) < 0 && errno != EEXIST)
        return system_error (v->out, errno, err);
    return asprintf (ret_directory, "%s/%s", v->out, paper->name) < 0
               ? tori_error_nomem (err)
               : 0;
}

/* The bar counts the simulations of the papers that are under way. */
static void on_entry_progress (void *arg, size_t done, size_t total)
{
    struct entry *entry = arg;
    struct batch *batch = entry->batch;
    size_t all_done = 0, all = 0;
    pthread_mutex_lock (&batch->lock);
    entry->done = done;
    entry->total = total;
    for (size_t i = 0; i < batch->n; i++)
        if (!batch->entry[i].over) {
            all_done += batch->entry[i].done;
            all += batch->entry[i].total;
        }
    progress_update (&batch->progress, all_done, all, "simulations");
    pthread_mutex_unlock (&batch->lock);
}

/* The threads of each of the papers that run at a time. */
static unsigned share_workers (int64_t workers)
{
    return workers > AT_ONCE ? (unsigned)workers / AT_ONCE
                             : (unsigned)(workers > 0);
}

static int write_entry (struct entry *entry, FILE *out)
{
    const struct paper_values *v = entry->batch->values;
    struct paper_setup how = {.workers = share_workers (v->workers),
                              .on_progress = on_entry_progress,
                              .arg = entry};
    char *directory = NULL;
    int status = directory_of (v, entry->paper, &directory, &entry->why);
    how.out = directory;
    if (!v->json) {
        print_entry (entry->paper, out);
        fputc ('\n', out);
    }
    if (status == 0)
        status = run_paper (v, entry->paper, how, out, &entry->why);
    free (directory);
    return status;
}

/* The page goes to memory until its turn comes. */
static int fill_entry (struct entry *entry)
{
    FILE *out = open_memstream (&entry->text, &entry->size);
    int status;
    if (!out)
        return tori_error_nomem (&entry->why);
    status = write_entry (entry, out);
    if (fclose (out) != 0)
        return tori_error_nomem (&entry->why);
    return status;
}

static void print_text (struct batch *batch, struct entry *entry)
{
    if (batch->shown > 0)
        fputs ("\n\n", batch->out);
    if (entry->text)
        fwrite (entry->text, 1, entry->size, batch->out);
    free (entry->text);
    entry->text = NULL;
}

/* Called with the lock held. JSON is written when all are over. */
static void show_entries (struct batch *batch)
{
    for (; batch->shown < batch->n && batch->entry[batch->shown].over;
         batch->shown++) {
        struct entry *entry = &batch->entry[batch->shown];
        progress_end (&batch->progress);
        if (!batch->values->json)
            print_text (batch, entry);
        batch->failed += entry->failed;
        if (entry->failed)
            fprintf (stderr, "tori: paper %s: %s\n", entry->paper->name,
                     entry->why.text);
        progress_begin (&batch->progress);
    }
}

/* One of which the log is missing does not stop the others. */
static int run_entry (void *arg, size_t i, tori_error *err)
{
    struct batch *batch = arg;
    struct entry *entry = &batch->entry[i];
    int status = fill_entry (entry);
    pthread_mutex_lock (&batch->lock);
    entry->failed = status < 0;
    entry->over = true;
    show_entries (batch);
    pthread_mutex_unlock (&batch->lock);
    return 0;
}

static int run_batch (struct batch *batch, tori_error *err)
{
    const struct parallel papers
        = {.n = batch->n,
           .workers = batch->values->workers == 1 ? 1 : AT_ONCE,
           .work = run_entry,
           .arg = batch};
    int status;
    for (size_t i = 0; i < batch->n; i++)
        batch->entry[i] = (struct entry){.row = row_of (paper_list (i)),
                                         .batch = batch,
                                         .paper = paper_list (i),
                                         .why = {.status = TORI_FAILED}};
    pthread_mutex_init (&batch->lock, NULL);
    progress_begin (&batch->progress);
    status = parallel_run (&papers, err);
    progress_end (&batch->progress);
    pthread_mutex_destroy (&batch->lock);
    if (status < 0 || batch->failed == 0)
        return status;
    return tori_error_set (err, TORI_FAILED,
                           "%zu of %zu papers are incomplete", batch->failed,
                           batch->n);
}

static int emit_batch (const struct batch *batch, tori_error *err)
{
    const struct rows rows = {batch->entry, batch->n, sizeof *batch->entry};
    for (size_t i = 0; i < batch->n; i++) {
        struct entry *entry = &batch->entry[i];
        entry->row.result = entry->text;
        entry->row.error = entry->failed ? entry->why.text : NULL;
    }
    return asked_emit (&command_paper, batch->values, &rows, batch->out, err);
}

static int run_all (const struct paper_values *v, FILE *out, tori_error *err)
{
    struct batch batch = {.values = v, .out = out, .n = count_papers ()};
    int status;
    if (check_logs (v, err) < 0)
        return -1;
    batch.entry = calloc (batch.n, sizeof *batch.entry);
    if (!batch.entry)
        return tori_error_nomem (err);
    status = run_batch (&batch, err);
    if (v->json && emit_batch (&batch, err) < 0)
        status = -1;
    for (size_t i = 0; i < batch.n; i++)
        free (batch.entry[i].text);
    free (batch.entry);
    return status;
}

static int run_words (const void *values, FILE *out, tori_error *err)
{
    const struct paper_values *v = values;
    const struct paper *paper;
    if (!strcmp (v->name, "list"))
        return list_papers (v, out, err);
    if (!strcmp (v->name, "all"))
        return run_all (v, out, err);
    paper = find_paper (v->name, err);
    return paper && check_takes (v, paper, err) == 0
                   && check_logs (v, err) == 0
               ? run_one (v, paper, out, err)
               : -1;
}

static const struct command command_paper = {PAPER_COMMAND, .run = run_words};

/* The same words, so that messages are those of tori. */
static const struct command *const commands[] = {&command_paper, NULL};
static const struct command command_tori
    = {.name = "tori", .commands = commands, .ranks = true};

/* ---- the fields of answers ---- */

static void print_field (void *arg, const char *name, const char *text)
{
    printf ("%s\t%s\n", name, text);
}

static int print_fields (void)
{
    const struct paper *paper;
    for (size_t i = 0; (paper = paper_list (i)); i++) {
        printf ("tori paper %s\n", paper->name);
        sheet_each_field (&verdicts_answer, print_field, NULL);
        sheet_each_field (paper->answer, print_field, NULL);
    }
    return fflush (stdout) == 0 ? 0 : TORI_FAILED;
}

int main (int argc, char **argv)
{
    char tori[] = "tori", paper[] = "paper";
    char **words = calloc ((size_t)argc + 2, sizeof *words);
    int status;
    if (argc == 2 && !strcmp (argv[1], PAPER_FIELDS)) {
        free (words);
        return print_fields ();
    }
    if (!words)
        return TORI_FAILED;
    words[0] = tori;
    words[1] = paper;
    for (int i = 1; i < argc; i++)
        words[i + 1] = argv[i];
    status = startup (&command_tori, NULL, argc + 1, words);
    free (words);
    return status;
}
