/* tori-paper - published tables and figures, ours beside the printed ones:
 * those that are not in the Python package yet. `tori paper` becomes it. */
#include <stdlib.h>
#include <string.h>

#include "asked.h"
#include "emit.h"
#include "misspelt.h"
#include "names.h"
#include "paper.h"
#include "paper_command.h"
#include "sheet.h"
#include "startup.h"
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
    return (struct paper_entry){paper->name, paper->what, paper->citation};
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

/* `how` has the directory, what JSON begins with, the threads and the
 * progress. */
static int run_paper (const struct paper_values *v, const struct paper *paper,
                      struct paper_setup how, FILE *out, tori_error *err)
{
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

static int run_words (const void *values, FILE *out, tori_error *err)
{
    const struct paper_values *v = values;
    const struct paper *paper;
    if (!strcmp (v->name, "list"))
        return emit_papers (v, out, err);
    paper = find_paper (v->name, err);
    return paper && check_takes (v, paper, err) == 0
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
