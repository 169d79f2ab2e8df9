/* The fields of JSON answers, from the descriptions that the answers are made
 * of (sheet.h). */
#include "answers.h"

#include "commands.h"
#include "paper.h"
#include "sheet.h"

enum { INDENT = 34, NAME = 128 };

/* "time that jobs waited, in s". */
static void put_field (struct page *page, const struct field *field,
                       const char *name)
{
    char text[512];
    snprintf (text, sizeof text, "%s%s%s", field->about,
              field->unit ? ", in " : "", field->unit ? field->unit : "");
    page_item (page, name, text);
}

static void put_fields (struct page *page, const struct sheet *sheet,
                        const char *before);

static void put_within (struct page *page, const struct field *field,
                        const char *name)
{
    char inside[NAME + 1];
    snprintf (inside, sizeof inside, "%s.", name);
    put_fields (page, field->group, inside);
}

static void put_fields (struct page *page, const struct sheet *sheet,
                        const char *before)
{
    for (size_t i = 0; i < sheet->n; i++) {
        const struct field *field = &sheet->field[i];
        char name[NAME];
        if (field->kind == FIELD_BESIDE) {
            put_fields (page, field->group, before);
            continue;
        }
        snprintf (name, sizeof name, "%s%s%s", before, field->name,
                  field->kind == FIELD_LIST || field->kind == FIELD_NAMES
                      ? "[]"
                      : "");
        put_field (page, field, name);
        if (field->group)
            put_within (page, field, name);
    }
}

static void put_answer (struct page *page, const char *words,
                        const struct sheet *sheet)
{
    page_heading (page, words);
    page_list (page, INDENT);
    put_fields (page, sheet, "");
    page_list_end (page);
}

static int put_command (const struct command *command, const char *path,
                        void *page)
{
    if (command->answer)
        put_answer (page, path, command->answer);
    return 0;
}

void answers_write (struct page *page)
{
    const struct paper *paper;
    (void)command_each (&command_tori, command_tori.name, put_command, page);
    for (size_t i = 0; (paper = paper_list (i)); i++) {
        char words[NAME];
        snprintf (words, sizeof words, "tori paper %s", paper->name);
        if (paper->answer)
            put_answer (page, words, paper->answer);
    }
}
