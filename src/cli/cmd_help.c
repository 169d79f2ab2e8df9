/* tori help - about a command, and about all of them. */
#include <string.h>

#include "commands.h"
#include "terminal.h"

struct values {
    struct strings words;
};

static const char *names (size_t i)
{
    const struct command *command = command_tori.commands[i];
    return command ? command->name : NULL;
}

static const struct option options[] = {
    {"command", OPTION_STRINGS, offsetof (struct values, words), "COMMAND",
     .choices = names, .operand = true,
     .help = "what to tell about, the whole if not given"},
    {.name = NULL},
};

static int run (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    const struct command *command = &command_tori;
    char path[PATH_TEXT] = "tori", longer[PATH_TEXT];
    for (size_t i = 0; i < v->words.n; i++) {
        const struct command *child = command_find (command, v->words.item[i]);
        if (!child && !command->commands)
            return tori_error_set (err, TORI_INVALID,
                                   "'%s' has no command '%.60s'", path,
                                   v->words.item[i]);
        if (!child)
            return command_unknown (command, path, v->words.item[i], err);
        command = child;
        path_join (longer, path, child->name);
        memcpy (path, longer, sizeof path);
    }
    options_help (command, path, terminal_bold (), out);
    return 0;
}

const struct command command_help = {
    .name = "help",
    .summary = "Tell what a command does and takes",
    .options = options,
    .size = sizeof (struct values),
    .examples = "tori help place",
    .run = run,
};
