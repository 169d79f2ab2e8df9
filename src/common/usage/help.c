/* The help of options.h: a page made of a table. */
#include <string.h>

#include "options.h"
#include "page.h"

/* The column where the text of an option starts, of a command, of a status. */
enum { OPTION_INDENT = 26, COMMAND_INDENT = 14, STATUS_INDENT = 5 };

static bool has_options (const struct option *options, bool operand)
{
    for (const struct option *o = options; o && o->name; o++)
        if (o->operand == operand)
            return true;
    return false;
}

/* Words of a usage, which grow. */
struct words {
    char text[512];
    size_t used;
};

static void add_words (struct words *words, const char *before,
                       const char *text, const char *after)
{
    size_t left = sizeof words->text - words->used;
    int n = snprintf (words->text + words->used, left, "%s%s%s%s",
                      words->used ? " " : "", before, text, after);
    words->used += (size_t)n < left ? (size_t)n : left - 1;
}

static void add_required (struct words *words, const struct command *command)
{
    for (const struct option *o = command->options; o && o->name; o++)
        if (o->required && !o->operand) {
            add_words (words, "--", o->name, "");
            add_words (words, "", o->value, "");
        }
}

static bool has_optional (const struct command *command)
{
    for (const struct option *o = command->options; o && o->name; o++)
        if (!o->required && !o->operand)
            return true;
    return false;
}

static void add_operands (struct words *words, const struct command *command)
{
    for (const struct option *o = command->options; o && o->name; o++) {
        bool many = o->kind == OPTION_STRINGS;
        if (o->operand)
            add_words (words, o->required ? "" : "[", o->value,
                       o->required ? (many ? "..." : "")
                                   : (many ? "]..." : "]"));
    }
}

/* The required options are not required if a command of its own follows. A
 * command that reads its words again also does something without one. */
static void put_usage (struct page *page, const struct command *command,
                       const char *path)
{
    struct words words = {.used = 0};
    bool apart;
    add_required (&words, command);
    apart = words.used > 0 || command->run_words;
    if (has_optional (command))
        add_words (&words, "", "[OPTION]...", "");
    add_operands (&words, command);
    if (command->commands && !apart)
        add_words (&words, "", "COMMAND...", "");
    page_usage (page, path, words.text);
    if (command->commands && apart)
        page_usage (page, path, "COMMAND...");
}

/* The text of an option: its help, then its choices, then its default. */
static void describe_option (const struct option *o, char *text, size_t size)
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

void option_describe (struct page *page, const char *name,
                      const struct option *option)
{
    char text[1024];
    describe_option (option, text, sizeof text);
    page_item (page, name, text);
}

static void option_item (struct page *page, const struct option *o)
{
    char name[64], letter[8] = "";
    if (o->letter)
        snprintf (letter, sizeof letter, "-%c, ", o->letter);
    if (o->operand)
        snprintf (name, sizeof name, "%s", o->value);
    else
        snprintf (name, sizeof name, "%s--%s%s%s", letter, o->name,
                  o->value ? " " : "", o->value ? o->value : "");
    option_describe (page, name, o);
}

static void option_items (struct page *page, const struct command *command,
                          bool operand)
{
    for (const struct option *o = command->options; o && o->name; o++)
        if (o->operand == operand)
            option_item (page, o);
}

static void options_section (struct page *page, const struct command *command)
{
    if (has_options (command->options, true)) {
        page_heading (page, "Operands");
        page_list (page, OPTION_INDENT);
        option_items (page, command, true);
        page_list_end (page);
    }
    page_heading (page, "Options");
    page_list (page, OPTION_INDENT);
    option_items (page, command, false);
    page_item (page, "-h, --help", "print this help");
    page_list_end (page);
}

static void begin_commands (struct page *page, const char *title)
{
    if (title)
        page_subheading (page, title);
    page_list (page, COMMAND_INDENT);
}

static void commands_section (struct page *page, const struct command *command)
{
    const struct command_group *group = command->groups;
    if (!command->commands)
        return;
    page_heading (page, "Commands");
    begin_commands (page, group ? group->title : NULL);
    for (size_t i = 0; command->commands[i]; i++) {
        if (group && group[1].title
            && group[1].first == command->commands[i]) {
            group++;
            page_list_end (page);
            begin_commands (page, group->title);
        }
        page_item (page, command->commands[i]->name,
                   command->commands[i]->summary);
    }
    page_list_end (page);
}

static void status_section (struct page *page, const struct command *command)
{
    static const char *const usual[] = {
        "done",
        "failure: a file cannot be read or written, or out of memory",
        "bad usage or bad input",
        NULL,
        NULL,
    };
    page_heading (page, "Exit status");
    page_list (page, STATUS_INDENT);
    for (int i = 0; i < 5; i++) {
        const char *text = command->status[i] ? command->status[i] : usual[i];
        const char number[2] = {(char)('0' + i), 0};
        if (text)
            page_item (page, number, text);
    }
    page_list_end (page);
}

/* The pages of the command above it and of its own commands, and of file
 * formats. */
static void see_also (struct page *page, const struct command *command,
                      const char *path)
{
    enum { MOST = 64 };
    char names[MOST][PATH_TEXT];
    struct page_ref refs[MOST + 3];
    const char *last = strrchr (path, ' ');
    size_t n = 0;
    if (last) {
        snprintf (names[n], PATH_TEXT, "%.*s", (int)(last - path), path);
        refs[n] = (struct page_ref){names[n], command_section (command)};
        n++;
    }
    for (size_t i = 0; command->commands && command->commands[i] && n < MOST;
         i++, n++) {
        path_join (names[n], path, command->commands[i]->name);
        refs[n] = (struct page_ref){names[n], command_section (command)};
    }
    for (size_t i = 0; command->also && command->also[i].name && n < MOST; i++)
        refs[n++] = command->also[i];
    refs[n++] = (struct page_ref){"tori machines", 5};
    refs[n++] = (struct page_ref){"tori times", 5};
    refs[n++] = (struct page_ref){"tori files", 5};
    page_see_also (page, refs, n);
}

void command_page (struct page *page, const struct command *command,
                   const char *path)
{
    page_begin (page, path, command_section (command), command->summary);
    put_usage (page, command, path);
    page_about (page, command->summary, command->notes);
    commands_section (page, command);
    options_section (page, command);
    status_section (page, command);
    if (command->examples) {
        page_heading (page, "Examples");
        page_lines (page, command->examples);
    }
    see_also (page, command, path);
}

void options_help (const struct command *command, const char *path, bool bold,
                   FILE *out)
{
    struct page page = page_as_text (out, bold);
    command_page (&page, command, path);
}
