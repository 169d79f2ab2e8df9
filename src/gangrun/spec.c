#include "spec.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "number.h"
#include "words.h"

enum { MAX_COUNT = 1 << 20, MAX_SECONDS = 1000000000 };

static void free_texts (char **texts)
{
    for (char **text = texts; text && *text; text++)
        free (*text);
    free (texts);
}

void spec_destroy (struct spec *spec)
{
    if (!spec)
        return;
    for (size_t i = 0; i < spec->stages; i++)
        free_texts (spec->stage[i].argv);
    free_texts (spec->env);
    free (spec->stage);
    free (spec->cwd);
    free (spec);
}

static struct spec_stage *add_stage (struct spec *spec, size_t words,
                                     tori_error *err)
{
    struct spec_stage *more
        = realloc (spec->stage, (spec->stages + 1) * sizeof *more);
    if (!more) {
        tori_error_nomem (err);
        return NULL;
    }
    spec->stage = more;
    more += spec->stages;
    *more = (struct spec_stage){.count = 1,
                                .argv = calloc (words + 1, sizeof (char *))};
    if (!more->argv) {
        tori_error_nomem (err);
        return NULL;
    }
    spec->stages++;
    return more;
}

/* Also keeps the sum from running over. */
static int check_count (const struct spec *spec, tori_error *err)
{
    return spec_count (spec) <= MAX_COUNT
               ? 0
               : tori_error_set (err, TORI_INVALID,
                                 "a job of more than %d processes", MAX_COUNT);
}

/* ---- words ---- */

int64_t time_of (struct fraction f, int64_t unit)
{
    __extension__ typedef __int128 wide;
    wide time = (wide)f.num * unit / f.den;
    return time > INT64_MAX ? INT64_MAX : time < 0 ? -1 : (int64_t)time;
}

static int set_start (struct spec *spec, const char *text, tori_error *err)
{
    struct fraction f;
    if (spec->stages > 1)
        return tori_error_set (err, TORI_INVALID,
                               "-t belongs in front of the first program");
    if (fraction_parse (text, "-t", &f, err) < 0)
        return -1;
    if (f.num < 0 || f.num / f.den >= MAX_SECONDS)
        return tori_error_set (err, TORI_INVALID,
                               "-t: '%.40s' is not from 0 to %d seconds", text,
                               MAX_SECONDS);
    spec->start = time_of (f, 1000000000);
    return 0;
}

/* The options in front of a program: how many words they are, or -1. */
static int read_options (struct spec *spec, struct spec_stage *stage,
                         const char *const words[], size_t n, tori_error *err)
{
    size_t i = 0;
    while (i < n && words[i][0] == '-' && strcmp (words[i], "--")) {
        char letter = words[i][1];
        const char *value = words[i][1] && words[i][2] ? words[i] + 2 : NULL;
        int64_t count;
        if (letter != 'n' && letter != 't')
            return tori_error_set (err, TORI_INVALID,
                                   "unknown option '%.40s' of a job: expected "
                                   "-n COUNT or -t SECONDS, then the program",
                                   words[i]);
        if (!value && i + 1 < n)
            value = words[++i];
        if (!value)
            return tori_error_set (err, TORI_INVALID, "-%c needs a value",
                                   letter);
        if (letter == 't' && set_start (spec, value, err) < 0)
            return -1;
        if (letter == 'n') {
            if (number_parse (value, "-n", 1, MAX_COUNT, &count, err) < 0)
                return -1;
            stage->count = (uint32_t)count;
        }
        i++;
    }
    return (int)(i + (i < n && !strcmp (words[i], "--")));
}

static int read_stage (struct spec *spec, const char *const words[], size_t n,
                       tori_error *err)
{
    struct spec_stage *stage = add_stage (spec, n, err);
    int used = stage ? read_options (spec, stage, words, n, err) : -1;
    if (used < 0)
        return -1;
    if ((size_t)used == n || !words[used][0])
        return tori_error_set (err, TORI_INVALID,
                               "a job without a program: expected -n COUNT "
                               "PROGRAM [ARGUMENT...]");
    for (size_t i = (size_t)used; i < n; i++)
        if (!(stage->argv[i - (size_t)used] = strdup (words[i])))
            return tori_error_nomem (err);
    return check_count (spec, err);
}

int spec_parse (const char *const words[], size_t n, struct spec **ret_spec,
                tori_error *err)
{
    struct spec *spec = calloc (1, sizeof *spec);
    size_t from = 0;
    if (!spec)
        return tori_error_nomem (err);
    for (size_t i = 0; i <= n; i++)
        if (i == n || !words[i]) {
            /* Without words there may be no array of them, either. */
            if (read_stage (spec, from ? words + from : words, i - from, err)
                < 0) {
                spec_destroy (spec);
                return -1;
            }
            from = i + 1;
        }
    *ret_spec = spec;
    return 0;
}

void spec_find_bars (const char *words[], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t escapes = strspn (words[i], "\\");
        if (strcmp (words[i] + escapes, "|"))
            continue;
        words[i] = escapes > 0 ? words[i] + 1 : NULL;
    }
}

/* ---- a line ---- */

int spec_parse_line (const char *line, struct spec **ret_spec, tori_error *err)
{
    struct wordlist words = {0};
    int status = words_split (line, '|', &words, err);
    if (status == 0)
        status = spec_parse (words.item, words.n, ret_spec, err);
    words_clear (&words);
    return status;
}

/* ---- where a process belongs ---- */

uint32_t spec_first (const struct spec *spec, size_t stage)
{
    uint32_t first = 0;
    for (size_t i = 0; i < stage; i++)
        first += spec->stage[i].count;
    return first;
}

uint32_t spec_count (const struct spec *spec)
{
    return spec_first (spec, spec->stages);
}

size_t spec_stage_of (const struct spec *spec, uint32_t index,
                      uint32_t *ret_rank)
{
    size_t stage = 0;
    for (; index >= spec->stage[stage].count; stage++)
        index -= spec->stage[stage].count;
    *ret_rank = index;
    return stage;
}

/* ---- the environment ---- */

static size_t count_texts (char *const texts[])
{
    size_t n = 0;
    while (texts[n])
        n++;
    return n;
}

int spec_set_env (struct spec *spec, char *const env[], tori_error *err)
{
    size_t n = count_texts (env);
    char **copy = calloc (n + 1, sizeof *copy);
    for (size_t i = 0; copy && i < n; i++)
        if (!(copy[i] = strdup (env[i]))) {
            free_texts (copy);
            copy = NULL;
        }
    if (!copy)
        return tori_error_nomem (err);
    free_texts (spec->env);
    spec->env = copy;
    return 0;
}

/* ---- bytes ---- */

static int pack_texts (char *const texts[], struct bytes *bytes,
                       tori_error *err)
{
    size_t n = count_texts (texts);
    if (bytes_add_number (bytes, (int64_t)n, err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (bytes_add_text (bytes, texts[i], err) < 0)
            return -1;
    return 0;
}

static int pack_env (const struct spec *spec, struct bytes *bytes,
                     tori_error *err)
{
    return spec->env ? pack_texts (spec->env, bytes, err)
                     : bytes_add_number (bytes, -1, err);
}

int spec_pack (const struct spec *spec, struct bytes *bytes, tori_error *err)
{
    if (bytes_add_number (bytes, spec->start, err) < 0
        || bytes_add_text (bytes, spec->cwd ? spec->cwd : "", err) < 0
        || bytes_add_number (bytes, spec->input, err) < 0
        || pack_env (spec, bytes, err) < 0
        || bytes_add_number (bytes, (int64_t)spec->stages, err) < 0)
        return -1;
    for (size_t i = 0; i < spec->stages; i++)
        if (bytes_add_number (bytes, spec->stage[i].count, err) < 0
            || pack_texts (spec->stage[i].argv, bytes, err) < 0)
            return -1;
    return 0;
}

static int cut (tori_error *err)
{
    return tori_error_set (err, TORI_INVALID, "a job that is cut");
}

static int unpack_texts (struct reader *reader, char *to[], int64_t n,
                         tori_error *err)
{
    for (int64_t i = 0; i < n; i++) {
        const char *text = reader_text (reader);
        if (!text)
            return cut (err);
        if (!(to[i] = strdup (text)))
            return tori_error_nomem (err);
    }
    return 0;
}

/* How many texts follow; each takes a byte at least. */
static int unpack_number (struct reader *reader, int64_t least,
                          int64_t *ret_n, tori_error *err)
{
    if (reader_number (reader, ret_n) < 0 || *ret_n < least
        || (*ret_n > 0 && (uint64_t)*ret_n > reader->left))
        return cut (err);
    return 0;
}

static int unpack_env (struct reader *reader, struct spec *spec,
                       tori_error *err)
{
    int64_t n;
    if (unpack_number (reader, -1, &n, err) < 0)
        return -1;
    if (n < 0)
        return 0;
    spec->env = calloc ((size_t)n + 1, sizeof *spec->env);
    return spec->env ? unpack_texts (reader, spec->env, n, err)
                     : tori_error_nomem (err);
}

static int unpack_stage (struct reader *reader, struct spec *spec,
                         tori_error *err)
{
    struct spec_stage *stage;
    int64_t count, words;
    if (reader_number (reader, &count) < 0 || count < 1 || count > MAX_COUNT)
        return cut (err);
    if (unpack_number (reader, 1, &words, err) < 0)
        return -1;
    stage = add_stage (spec, (size_t)words, err);
    if (!stage)
        return -1;
    stage->count = (uint32_t)count;
    if (unpack_texts (reader, stage->argv, words, err) < 0)
        return -1;
    return check_count (spec, err);
}

int spec_unpack (const void *data, size_t n, struct spec **ret_spec,
                 tori_error *err)
{
    struct reader reader = {data, n};
    struct spec *spec = calloc (1, sizeof *spec);
    const char *cwd;
    int64_t stages, input;
    if (!spec)
        return tori_error_nomem (err);
    if (reader_number (&reader, &spec->start) < 0 || spec->start < 0
        || spec->start / 1000000000 > MAX_SECONDS
        || !(cwd = reader_text (&reader))
        || reader_number (&reader, &input) < 0) {
        cut (err);
        goto fail;
    }
    if (*cwd && !(spec->cwd = strdup (cwd))) {
        tori_error_nomem (err);
        goto fail;
    }
    spec->input = input != 0;
    if (unpack_env (&reader, spec, err) < 0
        || unpack_number (&reader, 1, &stages, err) < 0)
        goto fail;
    for (int64_t i = 0; i < stages; i++)
        if (unpack_stage (&reader, spec, err) < 0)
            goto fail;
    *ret_spec = spec;
    return 0;
fail:
    spec_destroy (spec);
    return -1;
}
