/* tori help - about a command, about all of them, about a topic. */
#include <string.h>

#include "commands.h"
#include "manuals.h"
#include "outfile.h"
#include "terminal.h"
#include "topics.h"

struct values {
    struct strings words;
    bool man;
    const char *manuals;
};

/* Commands, then topics. */
static const char *list_names (size_t i)
{
    size_t n = 0;
    while (command_tori.commands[n])
        n++;
    if (i < n)
        return command_tori.commands[i]->name;
    return topic_list (i - n) ? topic_list (i - n)->name : NULL;
}

static const struct option options[] = {
    {"command", OPTION_STRINGS, offsetof (struct values, words), "COMMAND",
     .choices = list_names, .operand = true,
     .help = "a command or a topic; all of tori if not given"},
    {"man", OPTION_FLAG, offsetof (struct values, man), .without = "manuals",
     .help = "print the page as a manual page, in mdoc"},
    {"manuals", OPTION_STRING, offsetof (struct values, manuals), "DIR",
     .without = "command",
     .help = "write all manual pages below DIR, in man1 and man5"},
    {.name = NULL},
};

/* ---- one page ---- */

static int find_command (const struct strings *words,
                         const struct command **command, char path[PATH_TEXT],
                         tori_error *err)
{
    char longer[PATH_TEXT];
    for (size_t i = 0; i < words->n; i++) {
        const struct command *child = command_find (*command, words->item[i]);
        if (!child && !(*command)->commands)
            return tori_error_set (err, TORI_INVALID,
                                   "'%s' has no command '%.60s'", path,
                                   words->item[i]);
        if (!child)
            return command_unknown (*command, path, words->item[i], err);
        *command = child;
        path_join (longer, path, child->name);
        memcpy (path, longer, sizeof longer);
    }
    return 0;
}

static int print_page (const struct values *v, FILE *out, tori_error *err)
{
    struct page page = v->man ? page_as_manual (out)
                              : page_as_text (out, terminal_bold ());
    const struct command *command = &command_tori;
    const struct topic *topic
        = v->words.n == 1 ? topic_find (v->words.item[0]) : NULL;
    char path[PATH_TEXT] = "tori";
    if (topic) {
        topic_page (&page, topic);
        return 0;
    }
    if (find_command (&v->words, &command, path, err) < 0)
        return -1;
    command_page (&page, command, path);
    return 0;
}

/* ---- all manual pages ---- */

static int write_topic (const struct topic *topic, const char *dir,
                        tori_error *err)
{
    char name[64];
    struct outfile *file;
    struct page page;
    snprintf (name, sizeof name, "tori %s", topic->name);
    if (manual_begin (dir, name, 5, &file, err) < 0)
        return -1;
    page = page_as_manual (outfile_stream (file));
    topic_page (&page, topic);
    return outfile_end (file, 0, err);
}

static int write_manuals (const char *dir, tori_error *err)
{
    for (size_t i = 0; topic_list (i); i++)
        if (write_topic (topic_list (i), dir, err) < 0)
            return -1;
    return manuals_write (&command_tori, dir, err);
}

static int run_help (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    return v->manuals ? write_manuals (v->manuals, err)
                      : print_page (v, out, err);
}

const struct command command_help = {
    .name = "help",
    .summary = "Show help on a command or a topic",
    .notes = "There are topics beside the commands: 'tori help machines' "
             "explains how machines, nodes, shapes and links are written, "
             "'tori help times' how durations and points in time are, "
             "'tori help files' the formats of files, and 'tori help json' "
             "the fields of JSON answers.",
    .options = options,
    .size = sizeof (struct values),
    .examples = "tori help place\ntori help files\ntori help --man place",
    .run = run_help,
};
