#include "options.h"

#include <stdlib.h>
#include <string.h>

#include "choice.h"
#include "duration.h"
#include "files.h"
#include "misspelt.h"
#include "number.h"

/* A table is never longer. */
enum { MAX_OPTIONS = 128 };

/* A parse under way: the table, the place for values and the rest of argv. */
struct parse {
    const struct command *command;
    const char *path;
    char *values;
    char *const *argv;
    int argc;
    int at;
    const struct option *operand; /* the next one to fill, or NULL */
    bool given[MAX_OPTIONS];      /* by their place in the table */
    bool help;
    tori_error *err;
};

/* ---- a value for an option ---- */

static void *value_slot (const struct option *option, void *values)
{
    return (char *)values + option->offset;
}

/* How an option is named in messages: --count, or WHAT for an operand. */
struct label {
    char text[64];
};

static struct label label_of (const struct option *option)
{
    struct label label;
    if (option->operand)
        snprintf (label.text, sizeof label.text, "%s", option->value);
    else
        snprintf (label.text, sizeof label.text, "--%s", option->name);
    return label;
}

/* Parse by the function of the row, whose errors do not name the option. */
static int parse_as (const struct option *option, const char *text, void *to,
                     tori_error *err)
{
    struct label label = label_of (option);
    tori_error why = {0};
    if (option->parse (text, to, &why) == 0)
        return 0;
    return tori_error_set (err, why.status, "%s: %.400s", label.text,
                           why.text);
}

static int set_string (const struct option *option, const char *text, void *to,
                       tori_error *err)
{
    if (option->parse && parse_as (option, text, NULL, err) < 0)
        return -1;
    *(const char **)to = text;
    return 0;
}

static int set_strings (const struct option *option, const char *text,
                        void *to, tori_error *err)
{
    struct strings *list = to;
    const char **grown =
        realloc (list->item, (list->n + 1) * sizeof *list->item);
    if (!grown)
        return tori_error_nomem (err);
    list->item = grown;
    list->item[list->n++] = text;
    return 0;
}

static int set_integer (const struct option *option, const char *text,
                        void *to, tori_error *err)
{
    struct label label = label_of (option);
    return number_parse (text, label.text, option->min, option->max, to, err);
}

/* Whether f <= limit, for f not negative, without a product that overflows. */
static bool at_most (struct fraction f, int64_t limit)
{
    int64_t whole = f.num / f.den;
    return whole < limit || (whole == limit && f.num % f.den == 0);
}

static int set_fraction (const struct option *option, const char *text,
                         void *to, tori_error *err)
{
    struct label label = label_of (option);
    struct fraction f;
    if (option->none && !strcmp (text, "none")) {
        *(struct fraction *)to = (struct fraction){1, 0};
        return 0;
    }
    if (option->unit
            ? duration_fraction (text, label.text, option->unit, &f, err) < 0
            : fraction_parse (text, label.text, &f, err) < 0)
        return -1;
    if (f.num < 0 || (option->positive && f.num == 0))
        return tori_error_set (err, TORI_INVALID, "%s: '%.60s' is not %s",
                               label.text, text,
                               option->positive ? "above 0" : "0 or above");
    if (option->max && !at_most (f, option->max))
        return tori_error_set (err, TORI_INVALID, "%s: '%.60s' is above %lld",
                               label.text, text, (long long)option->max);
    *(struct fraction *)to = f;
    return 0;
}

static int set_choice (const struct option *option, const char *text, void *to,
                       tori_error *err)
{
    struct label label = label_of (option);
    return choice_parse (label.text, text, option->choices, to, err);
}

static int set_parsed (const struct option *option, const char *text, void *to,
                       tori_error *err)
{
    return parse_as (option, text, to, err);
}

/* A typed flag has no text; a flag from a file has one. */
static int set_flag (const struct option *option, const char *text, void *to,
                     tori_error *err)
{
    bool on = !strcmp (text, "true");
    if (!on && strcmp (text, "false"))
        return tori_error_set (err, TORI_INVALID,
                               "--%s: '%.60s' is neither true nor false",
                               option->name, text);
    *(bool *)to = on;
    return 0;
}

/* How each kind stores a text. */
static int (*const setters[]) (const struct option *option, const char *text,
                               void *to, tori_error *err) = {
    [OPTION_STRING] = set_string,     [OPTION_INTEGER] = set_integer,
    [OPTION_FRACTION] = set_fraction, [OPTION_CHOICE] = set_choice,
    [OPTION_STRINGS] = set_strings,   [OPTION_PARSED] = set_parsed,
    [OPTION_FLAG] = set_flag,
};

int options_set (const struct option *option, const char *text, void *values,
                 tori_error *err)
{
    return setters[option->kind](option, text, value_slot (option, values),
                                 err);
}

/* The values before any word is read. Everything else is zero. */
int options_begin (const struct command *command, void *values,
                   tori_error *err)
{
    memset (values, 0, command->size);
    for (const struct option *o = command->options; o && o->name; o++) {
        if (o->kind == OPTION_CHOICE)
            *(int *)value_slot (o, values) = -1;
        if (o->fallback && options_set (o, o->fallback, values, err) < 0)
            return -1;
    }
    return 0;
}

/* ---- the same value ---- */

static bool same_text (const char *a, const char *b)
{
    return a && b ? !strcmp (a, b) : a == b;
}

static bool same_strings (const struct strings *a, const struct strings *b)
{
    if (a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (strcmp (a->item[i], b->item[i]))
            return false;
    return true;
}

bool options_equal (const struct option *option, const void *a, const void *b)
{
    const void *one = (const char *)a + option->offset;
    const void *two = (const char *)b + option->offset;
    switch (option->kind) {
    case OPTION_STRING:
        return same_text (*(const char *const *)one,
                          *(const char *const *)two);
    case OPTION_STRINGS:
        return same_strings (one, two);
    case OPTION_FLAG:
        return *(const bool *)one == *(const bool *)two;
    case OPTION_CHOICE:
        return *(const int *)one == *(const int *)two;
    case OPTION_FRACTION:
        return !memcmp (one, two, sizeof (struct fraction));
    default:
        return !memcmp (one, two, sizeof (int64_t));
    }
}

static bool *given_mark (struct parse *p, const struct option *option)
{
    return &p->given[option - p->command->options];
}

static int store_value (struct parse *p, const struct option *option,
                        const char *text)
{
    return options_set (option, text, p->values, p->err);
}

int options_check (const struct option_rule rules[], size_t n, tori_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (rules[i].broken)
            return tori_error_set (err, TORI_INVALID, "%s", rules[i].why);
    return 0;
}

/* Whether the option has no value at all. Only kinds whose empty value is
 * a NULL, a -1 or no string may be required. */
static bool is_missing (const struct option *option, const void *values)
{
    const void *at = (const char *)values + option->offset;
    if (option->kind == OPTION_STRING)
        return !*(const char *const *)at;
    if (option->kind == OPTION_CHOICE)
        return *(const int *)at < 0;
    if (option->kind == OPTION_STRINGS)
        return ((const struct strings *)at)->n == 0;
    return false;
}

/* Whether the option has a value other than the empty one. */
static bool is_there (const struct option *option, const void *values)
{
    const void *at = (const char *)values + option->offset;
    if (option->kind == OPTION_FLAG)
        return *(const bool *)at;
    if (option->kind == OPTION_INTEGER)
        return *(const int64_t *)at != 0;
    if (option->kind == OPTION_FRACTION)
        return ((const struct fraction *)at)->num != 0
               || ((const struct fraction *)at)->den != 0;
    return !is_missing (option, values);
}

void options_inherit (const struct command *command, void *values,
                      const void *others)
{
    static const size_t sizes[]
        = {[OPTION_FLAG] = sizeof (bool),
           [OPTION_STRING] = sizeof (const char *),
           [OPTION_INTEGER] = sizeof (int64_t),
           [OPTION_FRACTION] = sizeof (struct fraction),
           [OPTION_CHOICE] = sizeof (int),
           [OPTION_STRINGS] = sizeof (struct strings)};
    for (const struct option *o = command->options; o && o->name; o++)
        if (!is_there (o, values) && is_there (o, others))
            memcpy (value_slot (o, values), (const char *)others + o->offset,
                    sizes[o->kind]);
}

void options_free (const struct command *command, void *values)
{
    for (const struct option *o = command->options; o && o->name; o++)
        if (o->kind == OPTION_STRINGS) {
            struct strings *list = value_slot (o, values);
            free (list->item);
            *list = (struct strings){0};
        }
}

/* ---- names ---- */

/* The i-th option that has dashes. */
static const char *option_name (const void *arg, size_t i)
{
    const struct command *command = arg;
    for (const struct option *o = command->options; o && o->name; o++)
        if (!o->operand && i-- == 0)
            return o->name;
    return i == 0 ? "help" : NULL;
}

static const char *command_name (const void *arg, size_t i)
{
    const struct command *command = arg;
    return command->commands[i] ? command->commands[i]->name : NULL;
}

void path_join (char to[PATH_TEXT], const char *path, const char *name)
{
    snprintf (to, PATH_TEXT, "%.80s %.40s", path, name);
}

const struct command *command_find (const struct command *command,
                                    const char *name)
{
    for (size_t i = 0; command->commands && command->commands[i]; i++)
        if (!strcmp (command->commands[i]->name, name))
            return command->commands[i];
    return NULL;
}

int command_each (const struct command *root, const char *path,
                  command_visit_fn *visit, void *arg)
{
    int status = visit (root, path, arg);
    for (size_t i = 0; status >= 0 && root->commands && root->commands[i];
         i++) {
        char longer[PATH_TEXT];
        path_join (longer, path, root->commands[i]->name);
        status = command_each (root->commands[i], longer, visit, arg);
    }
    return status;
}

/* The error for an unknown name of an option or a command, with the nearest
 * known name. Returns -1. */
static int unknown_word (const char *what, const char *dashes,
                         const char *name, const char *path,
                         const char *(*known) (const void *arg, size_t i),
                         const void *arg, tori_error *err)
{
    const char *near = nearest_name (name, known, arg);
    char hint[64] = "";
    if (near)
        snprintf (hint, sizeof hint, " did you mean '%s%s'?", dashes, near);
    return tori_error_set (err, TORI_INVALID,
                           "unknown %s '%s%.60s';%s see '%s --help'", what,
                           dashes, name, hint, path);
}

int command_unknown (const struct command *command, const char *path,
                     const char *name, tori_error *err)
{
    return unknown_word ("command", "", name, path, command_name, command,
                         err);
}

/* A list of names, for functions that take an argument. */
struct choices {
    const char *(*name) (size_t i);
};

static const char *choice_name (const void *arg, size_t i)
{
    return ((const struct choices *)arg)->name (i);
}

int choice_parse (const char *what, const char *text,
                  const char *(*choices) (size_t i), int *ret_index,
                  tori_error *err)
{
    struct choices known = {choices};
    char hint[64] = "";
    const char *near;
    for (int i = 0; choices ((size_t)i); i++)
        if (!strcmp (choices ((size_t)i), text)) {
            *ret_index = i;
            return 0;
        }
    near = nearest_name (text, choice_name, &known);
    if (near)
        snprintf (hint, sizeof hint, " (did you mean '%s'?)", near);
    tori_error_set (err, TORI_INVALID, "%s: '%.60s'%s is not one of ", what,
                    text, hint);
    return choice_list (choices, ", ", err);
}

static bool is_name (const char *name, const char *text, size_t length)
{
    return name && strlen (name) == length && !memcmp (name, text, length);
}

static const struct option *find_long (const struct command *command,
                                       const char *name, size_t length)
{
    for (const struct option *o = command->options; o && o->name; o++)
        if (!o->operand
            && (is_name (o->name, name, length)
                || is_name (o->old, name, length)))
            return o;
    return NULL;
}

static const struct option *find_letter (const struct command *command,
                                         char letter)
{
    for (const struct option *o = command->options; o && o->name; o++)
        if (!o->operand && o->letter && o->letter == letter)
            return o;
    return NULL;
}

static const struct option *next_operand (const struct option *o)
{
    while (o && o->name && !o->operand)
        o++;
    return o && o->name ? o : NULL;
}

/* ---- the words of the command line ---- */

/* An option was named; `text` is the rest of the same word, or NULL. */
static int take_option (struct parse *p, const struct option *option,
                        const char *text)
{
    bool again = *given_mark (p, option);
    *given_mark (p, option) = true;
    if (option->kind == OPTION_FLAG && text)
        return tori_error_set (p->err, TORI_INVALID,
                               "option '--%s' takes no value", option->name);
    if (option->kind == OPTION_FLAG)
        return store_value (p, option, "true");
    if (again && option->kind != OPTION_STRINGS)
        return tori_error_set (p->err, TORI_INVALID,
                               "option '--%s' is given twice",
                               option->name);
    if (!text && p->at == p->argc)
        return tori_error_set (p->err, TORI_INVALID,
                               "option '--%s' needs a value: %s", option->name,
                               option->value);
    return store_value (p, option, text ? text : p->argv[p->at++]);
}

static int take_long (struct parse *p, const char *word)
{
    const char *name = word + 2, *equals = strchr (name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen (name);
    const struct option *option = find_long (p->command, name, length);
    char typed[64];
    if (option)
        return take_option (p, option, equals ? equals + 1 : NULL);
    if (!strcmp (name, "help")) {
        p->help = true;
        return 0;
    }
    snprintf (typed, sizeof typed, "%.*s", length < 60 ? (int)length : 60,
              name);
    return unknown_word ("option", "--", typed, p->path, option_name,
                         p->command, p->err);
}

static int take_short (struct parse *p, const char *word)
{
    const struct option *option = find_letter (p->command, word[1]);
    bool flag = option && option->kind == OPTION_FLAG;
    if (!strcmp (word, "-h")) {
        p->help = true;
        return 0;
    }
    if (!option || (flag && word[2]))
        return tori_error_set (p->err, TORI_INVALID,
                               "unknown option '%.60s'; see '%s --help'", word,
                               p->path);
    return take_option (p, option, word[2] ? word + 2 : NULL);
}

static int take_operand (struct parse *p, const char *word)
{
    const struct option *option = p->operand;
    if (!option)
        return tori_error_set (p->err, TORI_INVALID,
                               "unexpected '%.60s'; see '%s --help'", word,
                               p->path);
    if (option->kind != OPTION_STRINGS)
        p->operand = next_operand (option + 1);
    return store_value (p, option, word);
}

static bool is_option (const char *word)
{
    return word[0] == '-' && word[1];
}

/* Whether a word with dashes is not an option of this command. */
static bool is_foreign (const struct parse *p, const char *word)
{
    if (word[1] != '-')
        return !find_letter (p->command, word[1]);
    return p->command->passes && strcmp (word, "--help")
           && !find_long (p->command, word + 2, strcspn (word + 2, "="));
}

/* Whether a word is the first one for another command. */
static bool ends_options (const struct parse *p, const char *word)
{
    return p->command->verbatim && strcmp (word, "-h")
           && (!is_option (word) || !strcmp (word, "--")
               || is_foreign (p, word));
}

static int take_words (struct parse *p)
{
    bool ended = false;
    while (p->at < p->argc && !p->help) {
        const char *word = p->argv[p->at];
        bool option;
        ended = ended || ends_options (p, word);
        option = !ended && is_option (word);
        int status;
        if (!option && p->command->commands)
            return 0;
        p->at++;
        if (!option)
            status = take_operand (p, word);
        else if (!strcmp (word, "--"))
            status = 0, ended = true;
        else
            status =
                word[1] == '-' ? take_long (p, word) : take_short (p, word);
        if (status < 0)
            return -1;
    }
    return 0;
}

static int check_required (struct parse *p)
{
    for (const struct option *o = p->command->options; o && o->name; o++) {
        struct label label = label_of (o);
        if (o->required && is_missing (o, p->values))
            return tori_error_set (p->err, TORI_INVALID,
                                   "%s%s%s is missing; see '%s --help'",
                                   label.text, o->operand ? "" : " ",
                                   o->operand ? "" : o->value, p->path);
    }
    return 0;
}

/* The first of the named options that was given, or NULL. */
static const struct option *first_given (struct parse *p, const char *names)
{
    for (size_t n; names && *names; names += n + (names[n] == ' ')) {
        const struct option *o;
        n = strcspn (names, " ");
        o = find_long (p->command, names, n);
        if (o && *given_mark (p, o))
            return o;
    }
    return NULL;
}

/* "--steps or --improve" of "steps improve". */
static struct label labels_of (const char *names)
{
    struct label label = {""};
    for (size_t used = 0, n; *names; names += n + (names[n] == ' ')) {
        n = strcspn (names, " ");
        used += (size_t)snprintf (label.text + used, sizeof label.text - used,
                                  "%s--%.*s", used ? " or " : "", (int)n,
                                  names);
    }
    return label;
}

/* An option without effect is an error: the user expects one. */
static int check_effects (struct parse *p)
{
    for (const struct option *o = p->command->options; o && o->name; o++) {
        const struct option *other = first_given (p, o->without);
        if (!*given_mark (p, o))
            continue;
        if (other)
            return tori_error_set (p->err, TORI_INVALID,
                                   "--%s cannot be used with --%s", o->name,
                                   other->name);
        if (o->with && !first_given (p, o->with))
            return tori_error_set (p->err, TORI_INVALID,
                                   "--%s has no effect without %s", o->name,
                                   labels_of (o->with).text);
    }
    return 0;
}

const char *find_time_end (const char *text)
{
    const char *colon = strchr (text, ':');
    size_t n = strspn (text, "0123456789.:-dhmsu");
    for (size_t i = 0; i < n; i++)
        if (text[i] == ':')
            colon = text + i;
    return colon;
}

/* The file that an option names, or NULL. */
static const char *path_of (const struct parse *p, const struct option *o)
{
    const char *path =
        o->file ? *(const char **)value_slot (o, p->values) : NULL;
    if (path && o->file == FILE_WRITTEN_AT)
        path = find_time_end (path) ? find_time_end (path) + 1 : NULL;
    return path && *path ? path : NULL;
}

/* Check the files that were named. Only the first rank writes, and it checks
 * by itself whether it can. */
static int check_files (struct parse *p)
{
    struct label labels[MAX_OPTIONS];
    struct named_file files[MAX_OPTIONS];
    size_t n = 0;
    for (const struct option *o = p->command->options; o && o->name; o++) {
        const char *path = path_of (p, o);
        if (!path)
            continue;
        labels[n] = label_of (o);
        files[n] = (struct named_file){labels[n].text, path,
                                       o->file != FILE_READ};
        n++;
    }
    if (files_check (files, n, p->err) < 0)
        return -1;
    return p->command->ranks ? 0 : files_probe (files, n, p->err);
}

int options_words (const struct command *command, const char *path, int argc,
                   char *const argv[], void *values, bool *ret_help,
                   tori_error *err)
{
    struct parse p = {.command = command,
                      .path = path,
                      .values = values,
                      .argv = argv,
                      .argc = argc,
                      .operand = next_operand (command->options),
                      .err = err};
    if (take_words (&p) < 0)
        return -1;
    /* Words that are left name a command, with options of its own. */
    if (!p.help && p.at == argc
        && (check_required (&p) < 0 || check_effects (&p) < 0
            || check_files (&p) < 0))
        return -1;
    *ret_help = p.help;
    return p.at;
}

int options_parse (const struct command *command, const char *path, int argc,
                   char *const argv[], void *values, bool *ret_help,
                   tori_error *err)
{
    if (options_begin (command, values, err) < 0)
        return -1;
    return options_words (command, path, argc, argv, values, ret_help, err);
}
