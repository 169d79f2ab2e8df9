/* Completion for bash, written from the option tables. The script finds the
 * command by walking the words typed so far, then offers the values of the
 * option in front of the cursor, or else the command's own words. Where it
 * offers nothing bash falls back on file names, which is right for FILE. */
#include <stdlib.h>
#include <string.h>

#include "options.h"

typedef void visit_fn (const struct command *command, const char *path,
                       FILE *out);

/* Visit a command and all below it, with the words that lead there. */
static void each_command (const struct command *command, const char *path,
                          visit_fn *visit, FILE *out)
{
    visit (command, path, out);
    for (size_t i = 0; command->commands && command->commands[i]; i++) {
        char longer[PATH_TEXT];
        path_join (longer, path, command->commands[i]->name);
        each_command (command->commands[i], longer, visit, out);
    }
}

static void put_step (const struct command *command, const char *path,
                      FILE *out)
{
    for (size_t i = 0; command->commands && command->commands[i]; i++)
        fprintf (out, "        \"%s %s\") path=\"%s %s\" ;;\n", path,
                 command->commands[i]->name, path, command->commands[i]->name);
}

static void put_choices (const struct option *option, FILE *out)
{
    for (size_t i = 0; option->choices && option->choices (i); i++)
        fprintf (out, "%s%s", i ? " " : "", option->choices (i));
}

/* The option in front of the cursor wants a value: one of a list, or
 * something that the table does not know, and then the script returns. */
static void put_values (const struct command *command, const char *path,
                        FILE *out)
{
    for (const struct option *o = command->options; o && o->name; o++) {
        if (o->operand || o->kind == OPTION_FLAG)
            continue;
        fprintf (out, "    \"%s --%s\")", path, o->name);
        if (o->choices) {
            fputs (" words=\"", out);
            put_choices (o, out);
            fputs ("\" ;;\n", out);
        } else {
            fputs (" return ;;\n", out);
        }
    }
}

static void put_words (const struct command *command, const char *path,
                       FILE *out)
{
    fprintf (out, "        \"%s\") words=\"", path);
    for (size_t i = 0; command->commands && command->commands[i]; i++)
        fprintf (out, "%s ", command->commands[i]->name);
    for (const struct option *o = command->options; o && o->name; o++) {
        if (o->operand && o->choices) {
            put_choices (o, out);
            fputc (' ', out);
        }
        if (!o->operand)
            fprintf (out, "--%s ", o->name);
    }
    fputs ("--help\" ;;\n", out);
}

void options_complete (const struct command *root, FILE *out)
{
    const char *name = root->name;
    fprintf (out,
             "# Completion of %s for bash: source it, or install it as\n"
             "# share/bash-completion/completions/%s.\n"
             "_%s ()\n{\n"
             "    local word words path=%s\n"
             "    local cur=${COMP_WORDS[COMP_CWORD]}\n"
             "    local prev=${COMP_WORDS[COMP_CWORD-1]}\n"
             "    if [[ $cur == = ]]; then\n"
             "        cur=\n"
             "    elif [[ $prev == = ]]; then\n"
             "        prev=${COMP_WORDS[COMP_CWORD-2]}\n"
             "    fi\n"
             "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
             "        case \"$path $word\" in\n",
             name, name, name, name);
    each_command (root, name, put_step, out);
    fputs ("        esac\n    done\n    case \"$path $prev\" in\n", out);
    each_command (root, name, put_values, out);
    fputs ("    *)\n        case \"$path\" in\n", out);
    each_command (root, name, put_words, out);
    fprintf (out,
             "        esac ;;\n    esac\n"
             "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n}\n"
             "complete -o default -F _%s %s\n",
             name, name);
}
