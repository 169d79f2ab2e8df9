#include "script.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "syserror.h"

enum { LONGEST = 1 << 20 };

bool script_is (const char *path)
{
    FILE *file = strcmp (path, "-") ? fopen (path, "re") : NULL;
    bool is = file ? fgetc (file) == '#' && fgetc (file) == '!'
                   : !strcmp (path, "-");
    if (file)
        fclose (file);
    return is;
}

static const char mark[] = "#TORI";

bool script_lacks_mark (const char *path)
{
    FILE *file = script_is (path) ? NULL : fopen (path, "re");
    char line[256];
    bool found = false;
    while (file && !found && fgets (line, sizeof line, file)
           && (line[0] == '#' || line[0] == '\n'))
        found = !strncmp (line, mark, sizeof mark - 1)
                && strchr (" \t", line[sizeof mark - 1]);
    if (file)
        fclose (file);
    return found;
}

/* ---- the text ---- */

static int fill_text (FILE *file, struct script *script, tori_error *err)
{
    size_t n;
    script->text = malloc (LONGEST + 2);
    if (!script->text)
        return tori_error_nomem (err);
    n = fread (script->text, 1, LONGEST + 1, file);
    script->text[n] = '\0';
    if (ferror (file))
        return system_error (script->path, errno, err);
    if (n > LONGEST)
        return tori_error_set (err, TORI_INVALID,
                               "%.400s: longer than %d bytes", script->path,
                               LONGEST);
    json_t *text = json_stringn (script->text, n);
    bool good = text && strlen (script->text) == n;
    json_decref (text);
    return good ? 0
                : tori_error_set (err, TORI_INVALID, "%.400s: not UTF-8",
                                  script->path);
}

static int read_text (struct script *script, tori_error *err)
{
    bool named = strcmp (script->path, "-");
    FILE *file = named ? fopen (script->path, "re") : stdin;
    int status;
    if (!file)
        return system_error (script->path, errno, err);
    status = fill_text (file, script, err);
    if (named)
        fclose (file);
    if (status == 0 && strncmp (script->text, "#!", 2))
        return tori_error_set (err, TORI_INVALID,
                               "%.400s: a script begins with #!",
                               script->path);
    return status;
}

/* ---- the lines ---- */

static int name_line (const struct script *script, size_t line,
                      tori_error *err)
{
    tori_error inner = *err;
    return tori_error_set (err, inner.status, "%.300s:%zu: %.400s",
                           script->path, line, inner.text);
}

static int add_line (struct script *script, size_t number, const char *at,
                     size_t n, tori_error *err)
{
    struct script_line *more = reallocarray (
        script->line, script->lines + 1, sizeof *more);
    char *text = strndup (at, n);
    int status = -1;
    if (more) {
        script->line = more;
        more[script->lines] = (struct script_line){.number = number};
    }
    if (more && text) {
        status = words_split (text, 0, &more[script->lines++].words, err);
        if (status < 0)
            name_line (script, number, err);
    } else {
        tori_error_nomem (err);
    }
    free (text);
    return status;
}

static int read_lines (struct script *script, tori_error *err)
{
    const char *at = script->text;
    for (size_t number = 1; *at == '#' || *at == '\n'; number++) {
        size_t n = strcspn (at, "\r\n"), skip = sizeof mark - 1;
        if (!strncmp (at, mark, skip) && strchr (" \t", at[skip])
            && add_line (script, number, at + skip, n - skip, err) < 0)
            return -1;
        at += strcspn (at, "\n");
        at += *at == '\n';
    }
    return 0;
}

int script_read (const char *path, struct script *ret_script,
                 tori_error *err)
{
    struct script script = {.path = path};
    if (read_text (&script, err) < 0 || read_lines (&script, err) < 0) {
        script_clear (&script);
        return -1;
    }
    *ret_script = script;
    return 0;
}

void script_clear (struct script *script)
{
    for (size_t i = 0; i < script->lines; i++)
        words_clear (&script->line[i].words);
    if (script->said)
        options_free (script->command, script->said);
    free (script->said);
    free (script->line);
    free (script->text);
    *script = (struct script){0};
}

/* ---- their options ---- */

/* The first operand among values, or NULL. */
static const char *operand_of (const struct command *command,
                               const void *values)
{
    for (const struct option *o = command->options; o->name; o++) {
        const struct strings *list
            = (const void *)((const char *)values + o->offset);
        if (o->operand && o->kind == OPTION_STRINGS && list->n > 0)
            return list->item[0];
    }
    return NULL;
}

/* Parse the words of the first lines as a command line. The words belong to
 * the script. */
static int parse_lines (const struct script *script, size_t lines,
                        const struct command *command, void *values,
                        tori_error *err)
{
    char **words;
    size_t n = 0, at = 0;
    bool help = false;
    int status;
    for (size_t i = 0; i < lines; i++)
        n += script->line[i].words.n;
    words = calloc (n + 1, sizeof *words);
    if (!words)
        return tori_error_nomem (err);
    for (size_t i = 0; i < lines; i++)
        for (size_t k = 0; k < script->line[i].words.n; k++)
            words[at++] = (char *)(uintptr_t)script->line[i].words.item[k];
    status = options_parse (command, "tori submit", (int)n, words, values,
                            &help, err);
    free (words);
    if (status >= 0 && operand_of (command, values))
        return tori_error_set (err, TORI_INVALID,
                               "'%.40s' is not an option: what runs is the "
                               "script",
                               operand_of (command, values));
    return status < 0 ? -1 : 0;
}

/* Add the line to the error: the first line up to which parsing fails in the
 * same way. */
static int blame_line (const struct script *script,
                       const struct command *command, tori_error *err)
{
    size_t lines = 1;
    for (; lines < script->lines; lines++) {
        void *values = calloc (1, command->size + 1);
        tori_error why = {0};
        bool same = values
                    && parse_lines (script, lines, command, values, &why) < 0
                    && !strcmp (why.text, err->text);
        if (values)
            options_free (command, values);
        free (values);
        if (same)
            break;
    }
    return name_line (script, script->line[lines - 1].number, err);
}

int script_apply (struct script *script, const struct command *command,
                  void *values, tori_error *err)
{
    if (script->lines == 0)
        return 0;
    script->command = command;
    script->said = calloc (1, command->size + 1);
    if (!script->said)
        return tori_error_nomem (err);
    if (parse_lines (script, script->lines, command, script->said, err) < 0)
        return blame_line (script, command, err);
    options_inherit (command, values, script->said);
    return 0;
}
