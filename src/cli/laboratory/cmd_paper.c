/* tori paper - published tables and figures. The options are read here; the
 * papers are in the Python package (python/tori/lab/papers), but for some that
 * are still in C: tori-paper (src/papers/main.c). */
#include <stdlib.h>
#include <string.h>

#include "asked.h"
#include "commands.h"
#include "files.h"
#include "misspelt.h"
#include "names.h"
#include "paper_command.h"
#include "sibling.h"
#include "terminal.h"

static bool is_in_c (const char *name)
{
    static const char *const names[]
        = {"rfold"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp (names[i], name))
            return true;
    return false;
}

/* ---- papers in C ---- */

static int become_program (int argc, char *const argv[], tori_error *err)
{
    char **words = calloc ((size_t)argc + 2, sizeof *words);
    int status;
    if (!words)
        return tori_error_nomem (err);
    for (int i = 0; i < argc; i++)
        words[i + 1] = argv[i];
    status = sibling_become ("tori-paper", words,
                             "tori was installed without its papers", err);
    free (words);
    return status;
}

/* ---- papers in Python ---- */

/* An answer up to its first member, as a text. */
static int emit_beginning (struct emit *e, const struct paper_values *v)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream (&text, &size);
    struct emit beginning = emit_to (out);
    if (!out)
        return -1;
    asked_open (&beginning, &command_paper, v);
    fclose (out);
    emit_text (e, "beginning", text);
    free (text);
    return beginning.nomem ? -1 : 0;
}

static void emit_word (struct emit *e, const char *key, const char *word)
{
    if (word)
        emit_text (e, key, word);
    else
        emit_null (e, key);
}

static void emit_values (struct emit *e, const struct paper_values *v)
{
    emit_text (e, "name", v->name);
    emit_word (e, "out", v->out);
    emit_open (e, "traces", '[');
    for (size_t i = 0; i < v->traces.n; i++)
        emit_text (e, NULL, v->traces.item[i]);
    emit_close (e, ']');
    emit_word (e, "model",
               v->model >= 0 ? model_names ((size_t)v->model) : NULL);
    emit_word (e, "service", v->service);
    emit_whole (e, "limit", v->limit);
    emit_whole (e, "jobs", v->jobs);
    emit_whole (e, "seed", v->seed);
    emit_whole (e, "seeds", v->seeds);
    emit_whole (e, "workers", v->workers);
    emit_flag (e, "quick", v->quick);
    emit_flag (e, "json", v->json);
    emit_flag (e, "bold", terminal_bold ());
}

static void emit_names (struct emit *e, const char *key)
{
    emit_open (e, key, '[');
    for (size_t i = PAPER_WORDS; paper_names (i); i++)
        emit_text (e, NULL, paper_names (i));
    emit_close (e, ']');
}

static int emit_programs (struct emit *e, tori_error *err)
{
    char path[PATH_MAX];
    if (sibling_path ("tori", path, err) < 0)
        return -1;
    emit_text (e, "tori", path);
    if (sibling_path ("tori-paper", path, err) < 0)
        return -1;
    emit_text (e, "c", path);
    return 0;
}

static int become_module (const struct paper_values *v, tori_error *err)
{
    char module[] = "tori.lab.papers", *text = NULL;
    char *words[PACKAGE_WORDS + 2] = {NULL};
    size_t size;
    FILE *out = open_memstream (&text, &size);
    struct emit e = emit_to (out);
    int status;
    if (!out)
        return tori_error_nomem (err);
    emit_open (&e, NULL, '{');
    status = emit_beginning (&e, v) < 0 ? tori_error_nomem (err)
                                        : emit_programs (&e, err);
    emit_values (&e, v);
    emit_names (&e, "names");
    emit_close (&e, '}');
    if (fclose (out) != 0 || e.nomem)
        status = tori_error_nomem (err);
    words[PACKAGE_WORDS] = text;
    if (status == 0)
        status = package_become (module, words, err);
    free (text);
    return status;
}

/* ---- the command ---- */

/* Whether a name is like those of the files that papers write. */
static bool is_product (const char *path)
{
    static const char *const endings[] = {".csv", ".svg", ".pdf"};
    const char *dot = strrchr (path, '.');
    size_t i = 0;
    while (dot && i < 3 && strcmp (dot, endings[i]) != 0)
        i++;
    return dot && i < 3;
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

static const char *known_name (const void *arg, size_t i)
{
    return paper_names (i);
}

static int refuse_name (const char *name, tori_error *err)
{
    const char *near = nearest_name (name, known_name, NULL);
    char hint[80] = "";
    if (near)
        snprintf (hint, sizeof hint, " did you mean '%.40s'?", near);
    return tori_error_set (err, TORI_INVALID,
                           "unknown paper '%.60s';%s see 'tori paper list'",
                           name, hint);
}

static int run_words (int argc, char *const argv[], const void *values,
                      FILE *out, tori_error *err)
{
    const struct paper_values *v = values;
    size_t i = 0;
    while (paper_names (i) && strcmp (paper_names (i), v->name) != 0)
        i++;
    if (!paper_names (i))
        return refuse_name (v->name, err);
    if (check_logs (v, err) < 0)
        return -1;
    return is_in_c (v->name) ? become_program (argc, argv, err)
                             : become_module (v, err);
}

const struct command command_paper
    = {PAPER_COMMAND, .run_words = run_words};
