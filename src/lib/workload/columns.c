#include "columns.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cutter.h"

/* Names in the order of preference. `tori help files` lists them. */
static const struct {
    const char *what;
    const char *name[ROLE_NAMES];
} roles[ROLES] = {
    [ROLE_ID] = {"a number", {"jobidraw", "jobid", "id", "job", "jobnumber"}},
    [ROLE_SUBMIT] = {"the time of submission",
                     {"submit", "submittime", "submissiontime", "submitted",
                      "arrival", "arrivaltime", "eligible"}},
    [ROLE_START] = {"the start", {"start", "starttime", "startingtime"}},
    [ROLE_END] = {"the end", {"end", "endtime", "finish", "finishtime"}},
    [ROLE_RUNTIME] = {"the run time",
                      {"elapsedraw", "elapsed", "runtime", "duration",
                       "executiontime"}},
    [ROLE_ESTIMATE] = {"the estimate",
                       {"timelimit", "estimate", "requestedtime",
                        "askedtime", "walltime"}},
    [ROLE_MINUTES] = {"the estimate", {"timelimitraw"}},
    [ROLE_NODES] = {"the size",
                    {"nnodes", "allocnodes", "reqnodes", "nodes", "count",
                     "requestednumberofresources"}},
    [ROLE_PROCS] = {"the size",
                    {"ncpus", "alloccpus", "reqcpus", "procs", "processors",
                     "cpus", "cores"}},
    [ROLE_SHAPE] = {"the shape", {"shape"}},
    [ROLE_WIRING] = {"the wiring", {"wiring"}},
    [ROLE_STATE] = {"the state", {"state"}},
    [ROLE_USER] = {"the user", {"user", "username", "uid", "userid"}},
    [ROLE_GROUP] = {"the group",
                    {"group", "groupname", "gid", "groupid", "account"}},
    [ROLE_APP] = {"the program",
                  {"executable", "application", "app", "jobname", "name",
                   "profile"}},
    [ROLE_QUEUE] = {"the queue", {"queue", "qos", "partition"}},
    [ROLE_PARTITION] = {"the partition", {"partition"}},
};

/* ---- names ---- */

static bool is_letter (char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_space (char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Whether a text is that name, which is in small letters. */
static bool is_name (const char *text, const char *name)
{
    for (; *text; text++)
        if (*text != '_' && *text != '-' && *text != ' '
            && (*text | (is_letter (*text) ? 0x20 : 0)) != *name++)
            return false;
    return !*name;
}

/* Some programs begin a text with a mark of its encoding. */
static const char *skip_mark (const char *line)
{
    return strncmp (line, "\xef\xbb\xbf", 3) == 0 ? line + 3 : line;
}

bool columns_begin (const char *line)
{
    line = skip_mark (line);
    return is_letter (*line) || *line == '"' || *line == '#' || *line == '_'
           || strpbrk (line, "|,");
}

/* ---- fields ---- */

/* Cut a field that begins with a quote out of the text: its end, or NULL if
 * there is no other quote or something follows that. */
static char *cut_quoted (char *from, char separator)
{
    char *to = from, *at = from + 1;
    while (*at && (*at != '"' || at[1] == '"')) {
        at += *at == '"';
        *to++ = *at++;
    }
    if (!*at++)
        return NULL;
    while (is_space (*at) && *at != separator)
        at++;
    *to = '\0';
    return *at && *at != separator ? NULL : at;
}

static char *cut_plain (char *from, char separator)
{
    char *at = from, *end;
    while (*at && *at != separator)
        at++;
    for (end = at; end > from && is_space (end[-1]); end--)
        continue;
    if (separator != '|' && memchr (from, '"', (size_t)(end - from)))
        return NULL;
    if (end < at)
        *end = '\0';
    return at;
}

/* Split a line and return the number of fields. */
static int split_line (const struct columns *c, char *line, char **field,
                       size_t most, size_t *ret_n, tori_error *err)
{
    size_t n = 0;
    bool more = true;
    for (char *at = line; more; n++) {
        char *begin = at;
        while (is_space (*begin) && *begin != c->separator)
            begin++;
        at = *begin == '"' && c->separator != '|'
                 ? cut_quoted (begin, c->separator)
                 : cut_plain (begin, c->separator);
        if (!at)
            return cutter_fail (c->lines, err,
                                "field %zu: expected quotes around all of a "
                                "field, and \"\" for one within",
                                n + 1);
        more = *at;
        *at++ = '\0';
        if (n < most)
            field[n] = begin;
    }
    *ret_n = n;
    return 0;
}

/* ---- the line of names ---- */

static int no_table (const struct columns *c, tori_error *err)
{
    return cutter_fail (c->lines, err,
                        "expected a record of the Standard Workload Format or "
                        "names of columns with | or , between them");
}

static char find_separator (const char *line)
{
    static const char all[] = "|,;\t";
    const char *is = all;
    while (*is && !strchr (line, *is))
        is++;
    return *is;
}

static size_t find_column (const struct columns *c, const char *name)
{
    for (size_t i = 0; i < c->n; i++)
        if (is_name (c->name[i], name))
            return i + 1;
    return 0;
}

/* The number of columns with a meaning. */
static size_t find_roles (struct columns *c)
{
    size_t found = 0;
    for (size_t r = 0; r < ROLES; r++)
        for (size_t i = 0, n = 0; i < ROLE_NAMES && roles[r].name[i]; i++) {
            size_t at = find_column (c, roles[r].name[i]);
            if (at)
                c->at[r][n++] = at;
            found += at > 0;
        }
    return found;
}

static int check_twice (const struct columns *c, tori_error *err)
{
    for (size_t r = 0; r < ROLES; r++)
        for (size_t i = 0; i < ROLE_NAMES && c->at[r][i]; i++)
            for (size_t j = c->at[r][i]; j < c->n; j++)
                if (!strcasecmp (c->name[j], c->name[c->at[r][i] - 1]))
                    return cutter_fail (c->lines, err,
                                        "two columns are called '%.60s'",
                                        c->name[j]);
    return 0;
}

static bool is_known (const struct columns *c, size_t column)
{
    for (size_t r = 0; r < ROLES; r++)
        for (size_t i = 0; i < ROLE_NAMES; i++)
            if (c->at[r][i] == column + 1)
                return true;
    return !*c->name[column];
}

static int check_strict (const struct columns *c, tori_error *err)
{
    for (size_t i = 0; i < c->n; i++)
        if (!is_known (c, i))
            return cutter_fail (c->lines, err,
                                "unknown column '%.60s'; see 'tori help "
                                "files'",
                                c->name[i]);
    return 0;
}

static int report_missing (const struct columns *c, enum role role,
                           const char *more, tori_error *err)
{
    return cutter_fail (c->lines, err,
                        "no column for %s: expected %s; see 'tori help files'",
                        roles[role].what, more);
}

static int check_roles (const struct columns *c, tori_error *err)
{
    if (!columns_has (c, ROLE_SUBMIT))
        return report_missing (c, ROLE_SUBMIT,
                               "'submit' or another name of it", err);
    if (!columns_has (c, ROLE_RUNTIME)
        && !(columns_has (c, ROLE_START) && columns_has (c, ROLE_END)))
        return report_missing (c, ROLE_RUNTIME,
                               "'runtime', or 'start' and 'end'", err);
    if (!c->sized && !columns_has (c, ROLE_NODES) && !columns_has (c, ROLE_PROCS)
        && !columns_has (c, ROLE_SHAPE))
        return report_missing (c, ROLE_NODES, "'nodes', 'procs' or 'shape'",
                               err);
    return c->strict && !c->slurm ? check_strict (c, err) : 0;
}

static size_t count_chars (const char *text, char c)
{
    size_t n = 0;
    for (; *text; text++)
        n += *text == c;
    return n;
}

static int read_names (struct columns *c, tori_error *err)
{
    const char *line = skip_mark (c->lines->line);
    size_t most;
    c->separator = find_separator (line);
    if (!c->separator)
        return no_table (c, err);
    most = count_chars (line, c->separator) + 1;
    c->names = strdup (line);
    c->name = calloc (most, sizeof *c->name);
    c->field = calloc (most, sizeof *c->field);
    if (!c->names || !c->name || !c->field)
        return tori_error_nomem (err);
    return split_line (c, c->names, c->name, most, &c->n, err);
}

/* The next line that is neither empty nor a remark. */
static int next_line (struct columns *c, tori_error *err)
{
    int status;
    while ((status = cutter_next (c->lines, err)) > 0) {
        const char *line = c->lines->line;
        if (cutter_check_nul (c->lines, err) < 0)
            return -1;
        if (line[strspn (line, " \t\r")] && *line != '#')
            break;
    }
    return status;
}

int columns_open (struct columns *c, struct cutter *lines, tori_error *err)
{
    int status = 1;
    c->lines = lines;
    if (cutter_check_nul (lines, err) < 0)
        return -1;
    if (*lines->line == '#')
        status = next_line (c, err);
    if (status <= 0)
        return status < 0 ? -1 : no_table (c, err);
    if (read_names (c, err) < 0)
        return -1;
    if (find_roles (c) == 0)
        return no_table (c, err);
    lines->quoted = c->separator != '|';
    for (size_t i = 0; i < c->n; i++)
        c->slurm |= !strcmp (c->name[i], "JobID")
                    || !strcmp (c->name[i], "JobIDRaw");
    return check_twice (c, err) < 0 ? -1 : check_roles (c, err);
}

void columns_close (struct columns *c)
{
    free (c->names);
    free (c->name);
    free (c->field);
}

/* ---- rows ---- */

int columns_next (struct columns *c, tori_error *err)
{
    size_t n;
    int status = next_line (c, err);
    if (status <= 0)
        return status;
    if (split_line (c, c->lines->line, c->field, c->n, &n, err) < 0)
        return -1;
    if (n != c->n)
        return cutter_fail (c->lines, err, "expected %zu fields, found %zu%s",
                            c->n, n,
                            c->separator == '|' && n > c->n
                                ? " (a | in a name is not quoted)"
                                : "");
    return 1;
}

bool columns_has (const struct columns *c, enum role role)
{
    return c->at[role][0] > 0;
}

static bool is_one_of (const char *text, const char *const words[])
{
    while (*words && strcasecmp (text, *words) != 0)
        words++;
    return *words != NULL;
}

/* A cell without a value. Programs that lost a value write the words of
 * `lost`, so a strict reader takes them for values, and the columns of numbers
 * and times refuse them. `tori help files` lists the words. */
static bool is_empty (const struct columns *c, const char *text)
{
    static const char *const empty[]
        = {"", "-1", "Unknown", "None", "N/A", "UNLIMITED",
           "Partition_Limit", "INVALID", NULL};
    static const char *const lost[] = {"NaN", "null", NULL};
    return is_one_of (text, empty) || (!c->strict && is_one_of (text, lost));
}

/* The column of a role that has a value, or NULL: `none` is a wiring. */
static const size_t *column_of (const struct columns *c, enum role role)
{
    for (size_t i = 0; i < ROLE_NAMES && c->at[role][i]; i++) {
        const char *text = c->field[c->at[role][i] - 1];
        if (role == ROLE_WIRING ? *text != '\0' : !is_empty (c, text))
            return &c->at[role][i];
    }
    return NULL;
}

const char *columns_text (const struct columns *c, enum role role)
{
    const size_t *column = column_of (c, role);
    return column ? c->field[*column - 1] : NULL;
}

int columns_blame (const struct columns *c, enum role role,
                   const tori_error *why, tori_error *err)
{
    return cutter_fail (c->lines, err, "%.40s: %.190s",
                        c->name[*column_of (c, role) - 1], why->text);
}

int columns_fail (const struct columns *c, enum role role,
                  const char *expected, tori_error *err)
{
    size_t column = *column_of (c, role) - 1;
    return cutter_fail (c->lines, err, "%.40s: expected %s, found '%.60s'",
                        c->name[column], expected, c->field[column]);
}
