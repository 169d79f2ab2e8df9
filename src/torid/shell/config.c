/* config.c - the configuration file, as libconfuse reads it. Each key is a row
 * of the table of settings, and takes its value as if it had been typed, so
 * that a file and a command line mean the same and are refused in the same
 * words. */
#include <confuse.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "page.h"
#include "settings.h"

struct problem {
    int line; /* 0: none */
    size_t number;
    char text[TORI_ERROR_TEXT];
};

struct reading {
    const char *path;
    struct setup *setup;
    struct problem *problems;
    size_t n, room;
    bool nomem;
    struct problem stopped; /* the one that libconfuse gave up at */
};

/* A key of the file. libconfuse hands it back with every value, because it is
 * where the value is to be stored; so no global has to say who reads. */
struct key {
    void *stored; /* not used */
    const struct option *row;
    struct reading *reading;
    int line;       /* where it was given last, */
    char title[64]; /* and in which queue */
};

static struct key *key_of (const cfg_opt_t *opt)
{
    return (struct key *)opt->simple_value.ptr;
}

static void add_problem (struct reading *reading, int line, const char *text)
{
    struct problem *more = array_room (reading->problems, &reading->room,
                                       reading->n + 1, sizeof *more);
    if (!more) {
        reading->nomem = true;
        return;
    }
    reading->problems = more;
    more += reading->n;
    *more = (struct problem){line, reading->n++, ""};
    snprintf (more->text, sizeof more->text, "%s", text);
}

static int compare_problems (const void *a, const void *b)
{
    const struct problem *x = a, *y = b;
    return x->line != y->line ? (x->line > y->line) - (x->line < y->line)
                              : (x->number > y->number) - (x->number < y->number);
}

static void tell_one (const struct reading *reading,
                      const struct problem *one, problem_fn *problem,
                      void *arg)
{
    char all[TORI_ERROR_TEXT + 4096], at[16] = "";
    if (one->line > 0)
        snprintf (at, sizeof at, ":%d", one->line);
    snprintf (all, sizeof all, "%s%s: %s", reading->path, at, one->text);
    for (char *c = all; (c = strpbrk (c, "\n\r")) != NULL;)
        *c = ' '; /* one line, whatever is quoted */
    problem (arg, all);
}

/* Tell them by their lines, and how many there are. */
static size_t tell_problems (struct reading *reading, problem_fn *problem,
                             void *arg)
{
    if (reading->nomem)
        tell_one (reading, &(struct problem){.text = "out of memory"}, problem,
                  arg);
    if (reading->n > 0)
        qsort (reading->problems, reading->n, sizeof *reading->problems,
               compare_problems);
    for (size_t i = 0; i < reading->n; i++)
        tell_one (reading, &reading->problems[i], problem, arg);
    free (reading->problems);
    return reading->n + reading->nomem;
}

/* ---- values ---- */

/* A copy that lives as long as the settings. */
static const char *keep_text (struct setup *setup, const char *text)
{
    char **more = array_room (setup->texts, &setup->text_room,
                              setup->ntexts + 1, sizeof *more);
    if (!more)
        return NULL;
    setup->texts = more;
    more[setup->ntexts] = strdup (text);
    return more[setup->ntexts] ? more[setup->ntexts++] : NULL;
}

/* The queue of this name, which may be a new one. */
static struct service_queue *find_queue (struct setup *setup,
                                         const char *name)
{
    struct service_queue *more;
    tori_error err;
    for (size_t i = 0; i < setup->nqueues; i++)
        if (!strcmp (setup->queues[i].name, name))
            return &setup->queues[i];
    more = array_room (setup->queues, &setup->queue_room, setup->nqueues + 1,
                       sizeof *more);
    if (!more)
        return NULL;
    setup->queues = more;
    more += setup->nqueues;
    if (options_begin (&settings_queue, more, &err) < 0)
        return NULL;
    more->name = keep_text (setup, name);
    setup->nqueues += more->name != NULL;
    return more->name ? more : NULL;
}

/* Refuse a key that is given twice, unless it is a list. */
static int check_again (struct key *key, const cfg_t *cfg, tori_error *err)
{
    const char *title = cfg->title ? cfg->title : "";
    bool again = key->line && !strcmp (key->title, title)
                 && key->row->kind != OPTION_STRINGS;
    int before = key->line;
    key->line = cfg->line;
    snprintf (key->title, sizeof key->title, "%s", title);
    if (again)
        return tori_error_set (err, TORI_INVALID,
                               "'%s' is given twice, first in line %d",
                               key->row->name, before);
    return 0;
}

static int on_value (cfg_t *cfg, cfg_opt_t *opt, const char *text, void *to)
{
    struct key *key = key_of (opt);
    struct setup *setup = key->reading->setup;
    void *values = cfg->title ? (void *)find_queue (setup, cfg->title)
                              : &setup->values;
    const char *kept = keep_text (setup, text);
    tori_error err = {0};
    *(void **)to = NULL;
    if (!values || !kept)
        tori_error_nomem (&err);
    else if (check_again (key, cfg, &err) == 0)
        options_set (key->row, kept, values, &err);
    if (*err.text)
        add_problem (key->reading, cfg->line, err.text);
    return 0;
}

/* ---- the file ---- */

/* The first key of a section leads to who reads. */
__attribute__ ((format (printf, 2, 0)))
static void on_error (cfg_t *cfg, const char *fmt, va_list args)
{
    struct problem *stopped = &key_of (&cfg->opts[0])->reading->stopped;
    stopped->line = cfg->line;
    vsnprintf (stopped->text, sizeof stopped->text, fmt, args);
}

/* An option that is not a key of the file says what to do now. */
static bool is_key (const struct option *row)
{
    return !row->aside;
}

enum { KEYS = 64 };

struct keys {
    struct key key[KEYS];
    cfg_opt_t opt[KEYS + 2];
    size_t n;
};

static void add_keys (struct keys *keys, const struct option *row,
                      struct reading *reading, bool (*wanted) (
                          const struct option *row))
{
    for (; row->name && keys->n + 1 < KEYS; row++) {
        struct key *key = &keys->key[keys->n];
        const char *const names[] = {row->name, row->old};
        if (wanted && !wanted (row))
            continue;
        *key = (struct key){.row = row, .reading = reading};
        for (size_t i = 0; i < 2 && names[i]; i++)
            keys->opt[keys->n++]
                = (cfg_opt_t){.name = names[i],
                              .type = CFGT_PTR,
                              .simple_value.ptr = &key->stored,
                              .parsecb = on_value};
    }
}

/* Comments are made blank: libconfuse 3.3 counts their lines twice, so that
 * it tells wrong lines of errors. */
static void drop_comments (char *text)
{
    char quote = 0;
    while (*text) {
        size_t n = *text == '#' && !quote ? strcspn (text, "\n") : 0;
        memset (text, ' ', n);
        if (quote && *text == '\\' && text[1])
            n = 2;
        else if (quote)
            quote = *text == quote ? 0 : quote;
        else if (*text == '"' || *text == '\'')
            quote = *text;
        text += n ? n : 1;
    }
}

static char *load_text (const char *path)
{
    FILE *from = fopen (path, "re");
    char *text = NULL;
    size_t room = 0;
    if (!from)
        return NULL;
    if (getdelim (&text, &room, 0, from) < 0 && !ferror (from)) {
        free (text);
        text = strdup ("");
    } else if (ferror (from)) {
        free (text);
        text = NULL;
    }
    fclose (from);
    return text;
}

/* Queues keep the order of the file, also those without settings: the first is
 * for jobs that name no queue. */
static void order_queues (struct reading *reading, cfg_t *cfg)
{
    for (unsigned i = 0; i < cfg_size (cfg, "queue"); i++) {
        struct service_queue *queue = find_queue (
            reading->setup, cfg_title (cfg_getnsec (cfg, "queue", i)));
        struct service_queue *place = &reading->setup->queues[i], other;
        if (!queue) {
            reading->nomem = true;
            return;
        }
        other = *place;
        *place = *queue;
        *queue = other;
    }
}

/* ---- what libconfuse gives up at ---- */

/* libconfuse stops at a key that it does not know and at whatever it does not
 * understand. That part is made blank, and the file is read again, so that the
 * errors after it are told as well. */

static char *skip_blanks (char *at)
{
    return at + strspn (at, " \t\r\n");
}

/* The end of a word or a quoted text. */
static char *skip_word (char *at)
{
    char quote = *at;
    if (quote != '"' && quote != '\'')
        return at + strcspn (at, " \t\r\n\"'#={}(),+");
    for (at++; *at && *at != quote; at++)
        at += *at == '\\' && at[1];
    return at + (*at == quote);
}

/* The end of a section or a list, from its first brace on. */
static char *skip_braces (char *at)
{
    int depth = 0;
    do {
        depth += (*at == '{') - (*at == '}');
        at = *at == '"' || *at == '\'' ? skip_word (at) : at + 1;
    } while (*at && depth > 0);
    return at;
}

/* The end of KEY = VALUE, KEY { ... } or KEY NAME { ... }; of a word that is
 * nothing of these, its own. */
static char *skip_setting (char *at)
{
    char *end = skip_word (at), *next = skip_blanks (end);
    bool given = *next == '=' || (*next == '+' && next[1] == '=');
    if (given)
        next = skip_blanks (next + 1 + (*next == '+'));
    else if (*next != '{')
        next = skip_blanks (skip_word (next));
    if (*next == '{')
        return skip_braces (next);
    return given ? skip_word (next) : end;
}

static void blank_text (char *from, const char *to)
{
    for (; from < to; from++)
        if (*from != '\n')
            *from = ' ';
}

static char *find_line (char *text, int line)
{
    while (text && --line > 0)
        text = strchr (text, '\n') ? strchr (text, '\n') + 1 : NULL;
    return text;
}

/* The place of a key in a line; NULL if it is not there. */
static char *find_word (char *line, const char *word)
{
    char *end = line + strcspn (line, "\n");
    size_t n = strlen (word);
    for (char *at = line; at < end;) {
        char *next = skip_word (at);
        if ((size_t)(next - at) == n && !strncmp (at, word, n))
            return at;
        at = next > at ? next : at + 1;
    }
    return NULL;
}

/* Whether a line can go without changing what the others belong to. */
static bool is_whole (const char *line)
{
    int depth = 0;
    for (; *line && *line != '\n'; line++) {
        depth += (*line == '{') - (*line == '}');
        if (depth < 0 || *line == '"' || *line == '\'')
            return false;
    }
    return depth == 0;
}

/* Make blank what libconfuse has stopped at: false if that is not found. */
static bool drop_stopped (const struct problem *stopped, char *text)
{
    char word[100] = "", *line = find_line (text, stopped->line), *at;
    if (!line)
        return false;
    if (sscanf (stopped->text, "no such option '%99[^']'", word) == 1
        && (at = find_word (line, word))) {
        blank_text (at, skip_setting (at));
        return true;
    }
    if (!is_whole (line) || !line[strspn (line, " \t\r")]
        || line[strspn (line, " \t\r")] == '\n')
        return false;
    blank_text (line, line + strcspn (line, "\n"));
    return true;
}

/* ---- the whole ---- */

/* The problems of values are those of the last time. */
static bool parse_once (struct reading *reading, cfg_opt_t *options,
                        const char *text)
{
    cfg_t *cfg = cfg_init (options, CFGF_NONE);
    bool understood;
    if (!cfg) {
        reading->nomem = true;
        return true;
    }
    reading->stopped = (struct problem){0};
    cfg_set_error_function (cfg, on_error);
    understood = cfg_parse_buf (cfg, text) == CFG_SUCCESS;
    if (!understood && !*reading->stopped.text) {
        reading->stopped.line = cfg->line;
        snprintf (reading->stopped.text, sizeof reading->stopped.text,
                  "this cannot be understood");
    }
    if (understood)
        order_queues (reading, cfg);
    cfg_free (cfg);
    return understood;
}

/* The keys of a file, and those of a queue. */
static void make_keys (struct keys all[2], struct reading *reading)
{
    memset (all, 0, 2 * sizeof *all);
    add_keys (&all[0], settings_options, reading, is_key);
    add_keys (&all[1], settings_queue.options, reading, NULL);
    all[1].opt[all[1].n] = (cfg_opt_t)CFG_END ();
    all[0].opt[all[0].n] = (cfg_opt_t)CFG_SEC (
        "queue", all[1].opt, CFGF_MULTI | CFGF_TITLE | CFGF_NO_TITLE_DUPES);
    all[0].opt[all[0].n + 1] = (cfg_opt_t)CFG_END ();
}

/* An error that comes again, in another line, follows from the one before. A
 * file with this many errors is no configuration. */
static void parse_text (struct reading *reading, struct keys all[2],
                        char *text)
{
    enum { STOPS = 100 };
    struct reading stops = {0};
    bool again = true;
    drop_comments (text);
    while (again) {
        const struct problem *stopped = &reading->stopped;
        make_keys (all, reading);
        reading->n = 0;
        if (parse_once (reading, all[0].opt, text))
            break;
        again = stops.n == 0
                || strcmp (stops.problems[stops.n - 1].text, stopped->text)
                || !strncmp (stopped->text, "no such option", 14);
        if (again)
            add_problem (&stops, stopped->line, stopped->text);
        again = again && stops.n < STOPS && drop_stopped (stopped, text);
    }
    for (size_t i = 0; i < stops.n; i++)
        add_problem (reading, stops.problems[i].line, stops.problems[i].text);
    reading->nomem |= stops.nomem;
    free (stops.problems);
}

size_t config_read (const char *path, struct setup *setup,
                    problem_fn *problem, void *arg)
{
    struct reading reading = {.path = path, .setup = setup};
    struct keys *all = calloc (2, sizeof *all);
    char *text = all ? load_text (path) : NULL;
    if (text)
        parse_text (&reading, all, text);
    else if (all)
        add_problem (&reading, 0, strerror (errno));
    else
        reading.nomem = true;
    free (text);
    free (all);
    return tell_problems (&reading, problem, arg);
}

/* ---- the page ---- */

static void keys_section (struct page *page, const char *heading,
                          const struct option *row,
                          bool (*wanted) (const struct option *row))
{
    page_heading (page, heading);
    page_list (page, 26);
    for (; row->name; row++) {
        char name[64];
        snprintf (name, sizeof name, "%s = %s", row->name,
                  row->value ? row->value : "true");
        if (!wanted || wanted (row))
            option_describe (page, name, row);
    }
    page_list_end (page);
}

static bool is_live (const struct option *row)
{
    return is_key (row) && row->live;
}

static bool is_fixed (const struct option *row)
{
    return is_key (row) && !row->live;
}

void config_page (struct page *page)
{
    struct page_ref refs[] = {{"torid", 8}};
    page_begin (page, "torid.conf", 5, "The configuration of torid");
    page_about (page, "The configuration of torid",
                "'torid --config FILE' reads it. A line is KEY = VALUE, with "
                "quotation marks around a value that has blanks or characters "
                "other than letters, digits and dots. The rest of a line "
                "after # is a comment. Options on the command line override "
                "it. 'torid --check --config FILE' tells what is wrong with "
                "it, one line for each error.\n"
                "On SIGHUP torid reads it again. If there is an error in it, "
                "nothing changes.");
    keys_section (page, "Keys that take effect at once", settings_options,
                  is_live);
    keys_section (page, "Keys that need a restart", settings_options,
                  is_fixed);
    page_heading (page, "Queues");
    page_text (page,
               "A queue is a section, queue NAME { KEY = VALUE ... }. Jobs "
               "that name no queue go to the first. Without any, there is one "
               "queue, default. Queues take effect at once.");
    keys_section (page, "Keys of a queue", settings_queue.options, NULL);
    page_heading (page, "Examples");
    page_lines (page, "machine = \"torus:8x8x8\"\n"
                      "state = /var/lib/tori\n"
                      "executor = \"torid-local --jobs /var/lib/tori/jobs\"\n"
                      "operator = \"@admin\"\n"
                      "half-life = 7d\n"
                      "usage-weight = 1000\n"
                      "queue short { max-time = 30m  priority = 100 }\n"
                      "queue long { max-running = 20 }");
    page_see_also (page, refs, 1);
}
