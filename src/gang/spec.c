#include "spec.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tori/gang.h>

#include "array.h"
#include "duration.h"
#include "mpikind.h"
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
    free (spec->output);
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
    if (duration_fraction (text, "-t", 1, &f, err) < 0)
        return -1;
    if (f.num < 0 || f.num / f.den >= MAX_SECONDS)
        return tori_error_set (err, TORI_INVALID,
                               "-t: '%.40s' is not from 0 to %d seconds", text,
                               MAX_SECONDS);
    spec->start = time_of (f, 1000000000);
    return 0;
}

/* The options of a whole job. Numbers and flags are an int64_t of the spec,
 * texts a char *. */
static const struct job_option {
    const char *name;
    enum { FLAG, NUMBER, TEXT, KIND } kind;
    size_t offset;
    int64_t least, most;
} job_options[] = {
    {"detach", FLAG, offsetof (struct spec, detach), 0, 1},
    {"mpi", KIND, offsetof (struct spec, mpi), 0, MPI_KINDS},
    {"pin", FLAG, offsetof (struct spec, pin), 0, 1},
    {"pty", FLAG, offsetof (struct spec, pty), 0, INT64_MAX},
    {"restart", NUMBER, offsetof (struct spec, restart), 0, 1000},
    {"shares", NUMBER, offsetof (struct spec, shares), 1,
     TORI_GANG_MAX_SHARES},
    {"output", TEXT, offsetof (struct spec, output), 0, 0},
};

enum { JOB_OPTIONS = sizeof job_options / sizeof job_options[0] };

static const struct job_option *find_option (const char *name, size_t length)
{
    for (size_t i = 0; i < JOB_OPTIONS; i++)
        if (strlen (job_options[i].name) == length
            && !memcmp (job_options[i].name, name, length))
            return &job_options[i];
    return NULL;
}

static int64_t *number_at (const struct spec *spec, const struct job_option *o)
{
    return (int64_t *)((uintptr_t)spec + o->offset);
}

static char **text_at (const struct spec *spec, const struct job_option *o)
{
    return (char **)((uintptr_t)spec + o->offset);
}

/* A % that means nothing here is a mistake, or means something elsewhere. */
static int check_pattern (const char *label, const char *pattern,
                          tori_error *err)
{
    for (const char *p = pattern; (p = strchr (p, '%')); p += 2)
        if (!p[1] || !strchr ("jrt%", p[1]))
            return tori_error_set (err, TORI_INVALID,
                                   "%s: '%.200s': only j, r, t or %% may "
                                   "follow a %%",
                                   label, pattern);
    return 0;
}

static int set_text (struct spec *spec, const struct job_option *o,
                     const char *value, tori_error *err)
{
    char **text = text_at (spec, o);
    free (*text);
    *text = strdup (value);
    return *text ? 0 : tori_error_nomem (err);
}

static int set_kind (struct spec *spec, const char *value, tori_error *err)
{
    for (size_t i = 0; i < MPI_KINDS; i++)
        if (!strcmp (value, mpi_kind_name (i))) {
            spec->mpi = (int64_t)i + 1;
            return 0;
        }
    return tori_error_set (err, TORI_INVALID,
                           "--mpi: '%.40s' is not mpich, openmpi or none",
                           value);
}

static int set_option (struct spec *spec, const struct job_option *o,
                       const char *value, tori_error *err)
{
    char label[32];
    snprintf (label, sizeof label, "--%s", o->name);
    if (o->kind == NUMBER)
        return number_parse (value, label, o->least, o->most,
                             number_at (spec, o), err);
    if (o->kind == TEXT && !*value)
        return tori_error_set (err, TORI_INVALID, "%s needs a value", label);
    if (o->kind == TEXT)
        return check_pattern (label, value, err) < 0
                   ? -1
                   : set_text (spec, o, value, err);
    if (o->kind == KIND)
        return set_kind (spec, value, err);
    *number_at (spec, o) = 1;
    return 0;
}

static int refuse_option (const char *word, tori_error *err)
{
    return tori_error_set (err, TORI_INVALID,
                           "unknown option '%.40s' of a job; see 'tori help "
                           "gang submit'",
                           word);
}

int spec_set (struct spec *spec, const char *name, const char *value,
              tori_error *err)
{
    const struct job_option *o = find_option (name, strlen (name));
    return o ? set_option (spec, o, value, err) : refuse_option (name, err);
}

/* Words in front of a program, of which some are taken. */
struct ahead {
    const char *const *word;
    size_t n, at;
};

/* The text attached to an option, or the next word. */
static const char *value_of (struct ahead *words, const char *attached,
                             const char *option, tori_error *err)
{
    if (attached || words->at < words->n)
        return attached ? attached : words->word[words->at++];
    tori_error_set (err, TORI_INVALID, "%.40s needs a value", option);
    return NULL;
}

static int read_long (struct spec *spec, struct ahead *words, const char *word,
                      tori_error *err)
{
    size_t length = strcspn (word, "=");
    const struct job_option *o = find_option (word + 2, length - 2);
    const char *value = word[length] ? word + length + 1 : NULL;
    if (!o || (value && o->kind == FLAG))
        return refuse_option (word, err);
    if (spec->stages > 1)
        return tori_error_set (err, TORI_INVALID,
                               "--%s belongs in front of the first program",
                               o->name);
    if (o->kind == FLAG)
        value = "";
    else
        value = value_of (words, value, word, err);
    return value ? set_option (spec, o, value, err) : -1;
}

static int read_short (struct spec *spec, struct spec_stage *stage,
                       struct ahead *words, const char *word, tori_error *err)
{
    const char option[] = {'-', word[1], 0}, *value;
    int64_t count;
    if (word[1] != 'n' && word[1] != 't')
        return refuse_option (word, err);
    value = value_of (words, word[2] ? word + 2 : NULL, option, err);
    if (!value)
        return -1;
    if (word[1] == 't')
        return set_start (spec, value, err);
    if (number_parse (value, "-n", 1, MAX_COUNT, &count, err) < 0)
        return -1;
    stage->count = (uint32_t)count;
    return 0;
}

/* The options in front of a program: how many words they are, or -1. */
static int read_options (struct spec *spec, struct spec_stage *stage,
                         const char *const words[], size_t n, tori_error *err)
{
    struct ahead ahead = {words, n, 0};
    while (ahead.at < n && words[ahead.at][0] == '-') {
        const char *word = words[ahead.at++];
        int status;
        if (!strcmp (word, "--"))
            break;
        status = word[1] == '-' ? read_long (spec, &ahead, word, err)
                                : read_short (spec, stage, &ahead, word, err);
        if (status < 0)
            return -1;
    }
    return (int)ahead.at;
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

/* The members that are not options, then the environment, and the words of the
 * job, as they are read from a command line. A bar follows every program, and
 * a second bar the last one, so that a truncated job is never valid. */
enum { START, CWD, INPUT, PTY, VARIABLES, TEXTS };

static int pack_texts (char *const texts[], struct bytes *bytes,
                       tori_error *err)
{
    int status = 0;
    for (; texts && *texts; texts++)
        status |= bytes_add_text (bytes, *texts, err);
    return status;
}

/* A word that could be taken for a bar is escaped, see spec_find_bars. */
static int pack_words (char *const words[], struct bytes *bytes,
                       tori_error *err)
{
    int status = 0;
    for (; *words; words++) {
        bool bar = !strcmp (*words + strspn (*words, "\\"), "|");
        status |= bytes_add (bytes, "\\", bar, err);
        status |= bytes_add_text (bytes, *words, err);
    }
    return status;
}

static int pack_option (const struct spec *spec, const struct job_option *o,
                        struct bytes *bytes, tori_error *err)
{
    int64_t number = o->kind == TEXT ? 0 : *number_at (spec, o);
    const char *text = o->kind == TEXT ? *text_at (spec, o) : NULL;
    int status;
    if ((!number && !text) || number_at (spec, o) == &spec->pty)
        return 0;
    if (o->kind == KIND)
        text = mpi_kind_name ((size_t)number - 1);
    status = bytes_add (bytes, "--", 2, err);
    status |= bytes_add (bytes, o->name, strlen (o->name), err);
    status |= bytes_add (bytes, "=", o->kind != FLAG, err);
    if (o->kind == NUMBER)
        return status | bytes_add_number (bytes, number, err);
    return status | bytes_add_text (bytes, text ? text : "", err);
}

int spec_pack (const struct spec *spec, struct bytes *bytes, tori_error *err)
{
    int status = bytes_add_number (bytes, spec->start, err);
    status |= bytes_add_text (bytes, spec->cwd ? spec->cwd : "", err);
    status |= bytes_add_number (bytes, spec->input, err);
    status |= bytes_add_number (bytes, spec->pty, err);
    status |= bytes_add_number (
        bytes, spec->env ? (int64_t)count_texts (spec->env) : -1, err);
    status |= pack_texts (spec->env, bytes, err);
    status |= bytes_add_text (bytes, "", err); /* ends the environment */
    for (size_t i = 0; i < JOB_OPTIONS; i++)
        status |= pack_option (spec, &job_options[i], bytes, err);
    for (size_t i = 0; i < spec->stages; i++) {
        status |= bytes_add_text (bytes, "-n", err);
        status |= bytes_add_number (bytes, spec->stage[i].count, err);
        status |= bytes_add_text (bytes, "--", err);
        status |= pack_words (spec->stage[i].argv, bytes, err);
        status |= bytes_add_text (bytes, "|", err);
    }
    return status | bytes_add_text (bytes, "|", err);
}

static int refuse_truncated (tori_error *err)
{
    return tori_error_set (err, TORI_INVALID, "a job that is cut");
}

static bool read_number (const char *text, int64_t least, int64_t most,
                         int64_t *ret)
{
    return number_parse (text, "number", least, most, ret, NULL) == 0;
}

static int unpack_texts (const char *text[], size_t n, struct spec **ret_spec,
                         tori_error *err)
{
    const int64_t latest = INT64_C (1000000000) * MAX_SECONDS;
    int64_t start, input, pty, variables;
    size_t first;
    struct spec *spec;
    if (n < TEXTS || !read_number (text[START], 0, latest, &start)
        || !read_number (text[INPUT], 0, 1, &input)
        || !read_number (text[PTY], 0, INT64_MAX, &pty)
        || !read_number (text[VARIABLES], -1, (int64_t)n, &variables))
        return refuse_truncated (err);
    first = TEXTS + (size_t)(variables < 0 ? 0 : variables) + 1;
    if (first + 2 > n)
        return refuse_truncated (err);
    spec_find_bars (text + first, n - first);
    if (text[n - 1] || text[n - 2])
        return refuse_truncated (err);
    if (spec_parse (text + first, n - first - 2, &spec, err) < 0)
        return -1;
    text[first - 1] = NULL;
    spec->start = start;
    spec->input = input;
    spec->pty = pty;
    if ((*text[CWD] && !(spec->cwd = strdup (text[CWD])))
        || (variables >= 0
            && spec_set_env (spec, (char **)(uintptr_t)(text + TEXTS), err)
                   < 0)) {
        spec_destroy (spec);
        return tori_error_nomem (err);
    }
    *ret_spec = spec;
    return 0;
}

int spec_unpack (const void *data, size_t n, struct spec **ret_spec,
                 tori_error *err)
{
    struct reader reader = {data, n};
    const char **text = calloc (n + 1, sizeof *text);
    size_t texts = 0;
    int status;
    if (!text)
        return tori_error_nomem (err);
    while ((text[texts] = reader_text (&reader)))
        texts++;
    status = reader.left ? refuse_truncated (err)
                         : unpack_texts (text, texts, ret_spec, err);
    free (text);
    return status;
}
