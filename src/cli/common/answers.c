/* The fields of JSON answers, from the descriptions that the answers are made
 * of (sheet.h). */
#include "topics.h"

#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "lab_command.h"
#include "paper_command.h"
#include "sheet.h"
#include "sibling.h"

enum { INDENT = 34 };

static void put_field (void *page, const char *name, const char *text)
{
    page_item (page, name, text);
}

static int put_command (const struct command *command, const char *path,
                        void *page)
{
    if (!command->answer)
        return 0;
    page_heading (page, path);
    page_list (page, INDENT);
    sheet_each_field (command->answer, put_field, page);
    page_list_end (page);
    return 0;
}

/* What a program prints: a line for a command, then one for each field. */
static void put_output (struct page *page, struct sibling *program)
{
    char *line = NULL;
    size_t room = 0;
    bool list = false;
    while (getline (&line, &room, program->out) > 0) {
        char *tab = strchr (line, '\t');
        line[strcspn (line, "\n")] = '\0';
        if (tab) {
            *tab = '\0';
            page_item (page, line, tab + 1);
            continue;
        }
        if (list)
            page_list_end (page);
        page_heading (page, line);
        page_list (page, INDENT);
        list = true;
    }
    if (list)
        page_list_end (page);
    free (line);
    sibling_close (program);
}

/* Papers are in a program of their own and in the package, which print the
 * fields of their answers. */
static void put_papers (struct page *page)
{
    struct sibling papers;
    char word[] = PAPER_FIELDS, module[] = "tori.lab.papers";
    char *words[PACKAGE_WORDS + 2] = {NULL};
    if (sibling_open (&papers, "tori-paper", word) == 0)
        put_output (page, &papers);
    words[PACKAGE_WORDS] = word;
    if (package_open (&papers, module, words) == 0)
        put_output (page, &papers);
}

void answers_write (struct page *page)
{
    struct sibling commands;
    (void)command_each (&command_tori, command_tori.name, put_command, page);
    if (lab_fields_open (&commands) == 0)
        put_output (page, &commands);
    put_papers (page);
}
