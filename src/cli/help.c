/* The help of options.h: a page made of a table. */
#include <string.h>

#include "options.h"
#include "wrap.h"

/* Where the text of an option starts. */
enum { INDENT = 26 };

struct page {
    FILE *out;
    bool bold;
};

static void heading (const struct page *page, const char *text)
{
    fprintf (page->out, page->bold ? "\n\033[1m%s\033[m\n" : "\n%s\n", text);
}

static bool takes (const struct option *options, bool operand)
{
    for (const struct option *o = options; o && o->name; o++)
        if (o->operand == operand)
            return true;
    return false;
}

static void usage (const struct command *command, const char *path, FILE *out)
{
    bool optional = false, required = false;
    fprintf (out, "Usage: %s", path);
    for (const struct option *o = command->options; o && o->name; o++) {
        optional |= !o->required && !o->operand;
        if (o->required && !o->operand) {
            fprintf (out, " --%s %s", o->name, o->value);
            required = true;
        }
    }
    if (optional)
        fputs (" [OPTION]...", out);
    for (const struct option *o = command->options; o && o->name; o++)
        if (o->operand)
            fprintf (out, o->required ? " %s%s" : " [%s]%s", o->value,
                     o->kind == OPTION_STRINGS ? "..." : "");
    /* What it requires it does not if a command of its own follows. */
    if (command->commands && required)
        fprintf (out, "\n   or: %s COMMAND...", path);
    else if (command->commands)
        fputs (" COMMAND...", out);
    fputc ('\n', out);
}

/* The text of an option: what it is, then what it may be, then what it is
 * when it is not given. */
static void describe (const struct option *o, char *text, size_t size)
{
    size_t used = (size_t)snprintf (text, size, "%s", o->help);
    for (size_t i = 0; o->choices && o->choices (i) && used < size; i++)
        used += (size_t)snprintf (text + used, size - used, "%s%s",
                                  i ? ", " : ": ", o->choices (i));
    if (o->fallback && used < size)
        used += (size_t)snprintf (text + used, size - used, " (default %s)",
                                  o->fallback);
    if (o->kind == OPTION_STRINGS && !o->operand && used < size)
        snprintf (text + used, size - used, " (may be repeated)");
}

static void row (const char *name, const char *text, FILE *out)
{
    size_t length = strlen (name);
    fputs (name, out);
    if (length + 2 > INDENT)
        fprintf (out, "\n%*s", INDENT, "");
    else
        fprintf (out, "%*s", INDENT - (int)length, "");
    wrap_text (out, text, INDENT, INDENT);
}

static void option_row (const struct option *o, FILE *out)
{
    char name[64], text[1024], letter[8] = "";
    describe (o, text, sizeof text);
    if (o->letter)
        snprintf (letter, sizeof letter, "-%c, ", o->letter);
    if (o->operand)
        snprintf (name, sizeof name, "  %s", o->value);
    else
        snprintf (name, sizeof name, "  %s--%s%s%s", letter, o->name,
                  o->value ? " " : "", o->value ? o->value : "");
    row (name, text, out);
}

static void options_section (const struct page *page,
                             const struct command *command)
{
    if (takes (command->options, true)) {
        heading (page, "Operands:");
        for (const struct option *o = command->options; o->name; o++)
            if (o->operand)
                option_row (o, page->out);
    }
    heading (page, "Options:");
    for (const struct option *o = command->options; o && o->name; o++)
        if (!o->operand)
            option_row (o, page->out);
    row ("  -h, --help", "print this help", page->out);
}

static void commands_section (const struct page *page,
                              const struct command *command)
{
    if (!command->commands)
        return;
    heading (page, "Commands:");
    for (size_t i = 0; command->commands[i]; i++) {
        const struct command *c = command->commands[i];
        fprintf (page->out, "  %-12s", c->name);
        wrap_text (page->out, c->summary, 14, 14);
    }
}

/* Indent a text of lines by two, as they are. */
static void lines (const char *text, FILE *out)
{
    while (*text) {
        size_t length = strcspn (text, "\n");
        fprintf (out, "  %.*s\n", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

static void status_section (const struct page *page,
                            const struct command *command)
{
    static const char *const usual[] = {
        "done",
        "a failure: a file that cannot be read or written, no memory",
        "bad usage or bad input",
        NULL,
        NULL,
    };
    heading (page, "Exit status:");
    for (int i = 0; i < 5; i++) {
        const char *text = command->status[i] ? command->status[i] : usual[i];
        if (text)
            fprintf (page->out, "  %d  %s\n", i, text);
    }
}

void options_help (const struct command *command, const char *path, bool bold,
                   FILE *out)
{
    struct page page = {out, bold};
    usage (command, path, out);
    fprintf (out, "\n%s.\n", command->summary);
    if (command->notes) {
        fputc ('\n', out);
        wrap_text (out, command->notes, 0, 0);
    }
    commands_section (&page, command);
    options_section (&page, command);
    if (command->examples) {
        heading (&page, "Examples:");
        lines (command->examples, out);
    }
    status_section (&page, command);
}
