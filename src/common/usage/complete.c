/* Completion for shells, written from the option tables. A script finds the
 * command by walking the words typed so far, then offers the values of the
 * option before the cursor, or else the command's own words. If the table does
 * not list the values of an option, file names are offered, which is right for
 * FILE.
 *
 * All three scripts are made of the same visits. bash and zsh are so alike
 * that one walk serves both; fish has one line for each thing to offer.
 */
#include <string.h>

#include "options.h"

/* ---- bash and zsh ---- */

static int put_step (const struct command *command, const char *path,
                     void *out)
{
    for (size_t i = 0; command->commands && command->commands[i]; i++)
        fprintf (out, "        \"%s %s\") path_=\"%s %s\" ;;\n", path,
                 command->commands[i]->name, path, command->commands[i]->name);
    return 0;
}

static void put_choices (const struct option *option, FILE *out)
{
    for (size_t i = 0; option->choices && option->choices (i); i++)
        fprintf (out, "%s%s", i ? " " : "", option->choices (i));
}

/* The option before the cursor wants a value: one of a list, or one that the
 * table does not know. */
static int put_values (const struct command *command, const char *path,
                       void *out)
{
    for (const struct option *o = command->options; o && o->name; o++) {
        if (o->operand || o->kind == OPTION_FLAG)
            continue;
        fprintf (out, "    \"%s --%s\")", path, o->name);
        if (o->choices) {
            fputs (" offer=\"", out);
            put_choices (o, out);
            fputs ("\" ;;\n", out);
        } else {
            fprintf (out, " offer=%s%s ;;\n", o->asks ? " asks=" : "",
                     o->asks ? o->asks : "");
        }
    }
    return 0;
}

static int put_words (const struct command *command, const char *path,
                      void *out)
{
    fprintf (out, "        \"%s\") offer=\"", path);
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
    fputs ("--help\"", out);
    for (const struct option *o = command->options; o && o->name; o++)
        if (o->operand && o->asks)
            fprintf (out, " asks=%s", o->asks);
    fputs (" ;;\n", out);
    return 0;
}

/* The part that both shells have between the typed words and the offer. */
static void put_walk (const struct command *root, const char *words,
                      FILE *out)
{
    fprintf (out,
             "    for word in %s; do\n"
             "        case \"$path_ $word\" in\n",
             words);
    command_each (root, root->name, put_step, out);
    fputs ("        esac\n    done\n    case \"$path_ $prev\" in\n", out);
    command_each (root, root->name, put_values, out);
    fputs ("    *)\n        case \"$path_\" in\n", out);
    command_each (root, root->name, put_words, out);
    fputs ("        esac ;;\n    esac\n", out);
}

/* Values that only the running service knows; options are known without it. */
static void put_asking (const char *typed, const char *program, FILE *out)
{
    fprintf (out,
             "    if [[ -n $asks && $%s != -* ]]; then\n"
             "        offer+=\" $(%s completion $asks 2>/dev/null)\"\n"
             "    fi\n",
             typed, program);
}

static void put_bash (const struct command *root, FILE *out)
{
    const char *name = root->name;
    fprintf (out,
             "# Completion of %s for bash: source it, or install it as\n"
             "# share/bash-completion/completions/%s.\n"
             "_%s ()\n{\n"
             "    local word offer asks path_=%s\n"
             "    local cur=${COMP_WORDS[COMP_CWORD]}\n"
             "    local prev=${COMP_WORDS[COMP_CWORD-1]}\n"
             "    if [[ $cur == = ]]; then\n"
             "        cur=\n"
             "    elif [[ $prev == = ]]; then\n"
             "        prev=${COMP_WORDS[COMP_CWORD-2]}\n"
             "    fi\n",
             name, name, name, name);
    put_walk (root, "\"${COMP_WORDS[@]:1:COMP_CWORD-1}\"", out);
    put_asking ("cur", "\"${COMP_WORDS[0]}\"", out);
    fprintf (out,
             "    COMPREPLY=($(compgen -W \"$offer\" -- \"$cur\"))\n}\n"
             "complete -o default -F _%s %s\n",
             name, name);
}

static void put_zsh (const struct command *root, FILE *out)
{
    const char *name = root->name;
    fprintf (out,
             "#compdef %s\n"
             "# Completion of %s for zsh: install it as\n"
             "# share/zsh/site-functions/_%s.\n"
             "_%s ()\n{\n"
             "    local word offer asks path_=%s\n"
             "    local prev=${words[CURRENT-1]}\n"
             "    if [[ $PREFIX == --*=* ]]; then\n"
             "        prev=${PREFIX%%%%=*}\n"
             "        compset -P '*='\n"
             "    fi\n",
             name, name, name, name, name);
    put_walk (root, "${words[2,CURRENT-1]}", out);
    put_asking ("PREFIX", "${words[1]}", out);
    fprintf (out,
             "    if [[ -n $offer ]]; then\n"
             "        compadd -- ${=offer}\n"
             "    else\n"
             "        _files\n"
             "    fi\n}\n"
             "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n"
             "    _%s \"$@\"\n"
             "else\n"
             "    compdef _%s %s\n"
             "fi\n",
             name, name, name);
}

/* ---- fish ---- */

/* In single quotes. */
static void put_quoted (const char *text, FILE *out)
{
    fputc ('\'', out);
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\')
            fputc ('\\', out);
        fputc (*text, out);
    }
    fputc ('\'', out);
}

static int put_fish_step (const struct command *command, const char *path,
                          void *out)
{
    for (size_t i = 0; command->commands && command->commands[i]; i++)
        fprintf (out,
                 "            case '%s %s'\n"
                 "                set path_ '%s %s'\n",
                 path, command->commands[i]->name, path,
                 command->commands[i]->name);
    return 0;
}

/* Begin a line that applies after these typed words; the first of them is the
 * program. */
static void put_fish_at (const char *path, FILE *out)
{
    int n = (int)strcspn (path, " ");
    fprintf (out, "complete -c %.*s -n '__%.*s_at \"%s\"'", n, path, n, path,
             path);
}

static void put_fish_line (const char *path, const char *rest,
                           const char *word, const char *help, FILE *out)
{
    put_fish_at (path, out);
    fprintf (out, " %s%s -d ", rest, word);
    put_quoted (help, out);
}

static void put_fish_option (const struct option *o, const char *path,
                             FILE *out)
{
    if (o->operand && !o->choices && !o->asks)
        return;
    if (o->operand)
        put_fish_at (path, out);
    else
        put_fish_line (path, "-l ", o->name, o->help, out);
    if (o->letter)
        fprintf (out, " -s %c", o->letter);
    if (o->kind != OPTION_FLAG && !o->operand)
        fputs (o->choices || o->asks ? " -x" : " -r -F", out);
    if (o->asks)
        fprintf (out, " -a '(%.*s completion %s 2>/dev/null)'",
                 (int)strcspn (path, " "), path, o->asks);
    if (o->choices) {
        fputs (" -a '", out);
        put_choices (o, out);
        fputc ('\'', out);
    }
    fputc ('\n', out);
}

static int put_fish_words (const struct command *command, const char *path,
                           void *out)
{
    for (size_t i = 0; command->commands && command->commands[i]; i++) {
        put_fish_line (path, "-a ", command->commands[i]->name,
                       command->commands[i]->summary, out);
        fputc ('\n', out);
    }
    for (const struct option *o = command->options; o && o->name; o++)
        put_fish_option (o, path, out);
    put_fish_line (path, "-s h -l ", "help", "print help", out);
    fputc ('\n', out);
    return 0;
}

static void put_fish (const struct command *root, FILE *out)
{
    fprintf (out,
             "# Completion of %s for fish: install it as\n"
             "# share/fish/vendor_completions.d/%s.fish.\n"
             "function __%s_at\n"
             "    set -l path_ %s\n"
             "    for word in (commandline -opc)[2..]\n"
             "        switch \"$path_ $word\"\n",
             root->name, root->name, root->name, root->name);
    command_each (root, root->name, put_fish_step, out);
    fprintf (out,
             "        end\n    end\n    test \"$path_\" = $argv[1]\nend\n"
             "complete -c %s -f\n",
             root->name);
    command_each (root, root->name, put_fish_words, out);
}

/* ---- either ---- */

static const struct {
    const char *name;
    void (*put) (const struct command *root, FILE *out);
} shells[] = {{"bash", put_bash}, {"zsh", put_zsh}, {"fish", put_fish}};

const char *complete_shells (size_t i)
{
    return i < sizeof shells / sizeof *shells ? shells[i].name : NULL;
}

void options_complete (const struct command *root, int shell, FILE *out)
{
    shells[shell].put (root, out);
}
