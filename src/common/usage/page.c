/* The two forms of page.h. */
#include "page.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct page_form {
    void (*begin) (struct page *page, const char *name, int section,
                   const char *summary);
    void (*usage) (struct page *page, const char *path, const char *rest);
    void (*about) (struct page *page, const char *summary, const char *text);
    void (*heading) (struct page *page, const char *text);
    void (*subheading) (struct page *page, const char *text);
    void (*text) (struct page *page, const char *text);
    void (*list) (struct page *page);
    void (*item) (struct page *page, const char *name, const char *text);
    void (*list_end) (struct page *page);
    void (*lines) (struct page *page, const char *lines);
    void (*see_also) (struct page *page, struct page_ref refs[], size_t n);
};

/* Paragraphs, one at a time; the rest of the text is returned. */
enum { PARAGRAPH = 4096 };

static const char *split_paragraph (const char *text, char one[PARAGRAPH])
{
    size_t length = strcspn (text, "\n");
    snprintf (one, PARAGRAPH, "%.*s", (int)length, text);
    return text + length + (text[length] == '\n');
}

/* ---- plain text ---- */

static void plain_begin (struct page *page, const char *name, int section,
                         const char *summary)
{
}

static void plain_usage (struct page *page, const char *path,
                         const char *rest)
{
    fprintf (page->out, "%s%s%s%s\n", page->usages ? "   or: " : "Usage: ",
             path, *rest ? " " : "", rest);
}

static void plain_text (struct page *page, const char *text)
{
    char one[PARAGRAPH];
    while (*text) {
        text = split_paragraph (text, one);
        if (page->text)
            fputc ('\n', page->out);
        wrap_text (page->out, one, 0, 0);
        page->text = true;
    }
}

static void plain_about (struct page *page, const char *summary,
                         const char *text)
{
    if (summary)
        fprintf (page->out, "%s%s.\n", page->usages ? "\n" : "", summary);
    page->text = summary != NULL;
    if (text)
        plain_text (page, text);
}

static void plain_heading (struct page *page, const char *text)
{
    fprintf (page->out, page->bold ? "\n\033[1m%s:\033[m\n" : "\n%s:\n",
             text);
    page->text = page->items = false;
}

static void plain_subheading (struct page *page, const char *text)
{
    fprintf (page->out, "%s %s\n", page->items ? "\n" : "", text);
}

static void plain_list (struct page *page)
{
    page->items = true;
}

static void plain_item (struct page *page, const char *name, const char *text)
{
    size_t length = strlen (name) + 2;
    fprintf (page->out, "  %s", name);
    if (length + 2 > page->indent)
        fprintf (page->out, "\n%*s", (int)page->indent, "");
    else
        fprintf (page->out, "%*s", (int)(page->indent - length), "");
    wrap_text (page->out, text, page->indent, page->indent);
}

static void plain_lines (struct page *page, const char *lines)
{
    char one[PARAGRAPH];
    if (page->text)
        fputc ('\n', page->out);
    while (*lines) {
        lines = split_paragraph (lines, one);
        fprintf (page->out, *one ? "  %s\n" : "%s\n", one);
    }
}

static void plain_see_also (struct page *page, struct page_ref refs[],
                            size_t n)
{
}

static const struct page_form plain = {
    .begin = plain_begin,
    .usage = plain_usage,
    .about = plain_about,
    .heading = plain_heading,
    .subheading = plain_subheading,
    .text = plain_text,
    .list = plain_list,
    .item = plain_item,
    .list_end = plain_list,
    .lines = plain_lines,
    .see_also = plain_see_also,
};

/* ---- mdoc ---- */

/* A word, escaped so that all of it is text. */
static void put_word (FILE *out, const char *word, size_t length, bool first)
{
    if (first && length && (*word == '.' || *word == '\''))
        fputs ("\\&", out);
    for (size_t i = 0; i < length; i++)
        if (word[i] == '\\')
            fputs ("\\e", out);
        else if (word[i] == '-')
            fputs ("\\-", out);
        else if (word[i] == '"')
            fputs ("\\(dq", out);
        else
            fputc (word[i], out);
}

/* "end." and "(end.)", but not "e.g.x". */
static bool ends_sentence (const char *word, size_t length)
{
    while (length > 1 && strchr (")\"'", word[length - 1]))
        length--;
    return length && strchr (".!?", word[length - 1]);
}

/* Lines stay short, even though some characters become longer. */
static void put_text (FILE *out, const char *text)
{
    enum { MOST = 60 };
    size_t column = 0;
    while (*text) {
        size_t word = strcspn (text, " ");
        if (column && column + word > MOST) {
            fputc ('\n', out);
            column = 0;
        }
        if (column)
            fputc (' ', out);
        put_word (out, text, word, column == 0);
        column += word + 1;
        if (ends_sentence (text, word)) {
            fputc ('\n', out);
            column = 0;
        }
        text += word + strspn (text + word, " ");
    }
    if (column)
        fputc ('\n', out);
}

static void put_upper (FILE *out, const char *text, char blank)
{
    for (; *text; text++)
        fputc (*text == ' ' ? blank : toupper ((unsigned char)*text), out);
}

static void put_name (FILE *out, const char *name)
{
    for (; *name; name++)
        fputc (*name == ' ' ? '-' : *name, out);
}

static void manual_begin (struct page *page, const char *name, int section,
                          const char *summary)
{
    FILE *out = page->out;
    fprintf (out, ".Dd %s\n.Dt ", TORI_RELEASED);
    put_upper (out, name, '-');
    fprintf (out, " %d\n.Os\n.Sh NAME\n.Nm ", section);
    put_name (out, name);
    fprintf (out, "\n.Nd %c", tolower ((unsigned char)*summary));
    put_word (out, summary + 1, strlen (summary + 1), false);
    fputc ('\n', out);
}

static void manual_usage (struct page *page, const char *path,
                          const char *rest)
{
    if (!page->usages)
        fputs (".Sh SYNOPSIS\n", page->out);
    fprintf (page->out, ".Nm %s\n", path);
    if (*rest)
        put_text (page->out, rest);
}

static void manual_text (struct page *page, const char *text)
{
    char one[PARAGRAPH];
    while (*text) {
        text = split_paragraph (text, one);
        put_text (page->out, one);
        if (*text)
            fputs (".Pp\n", page->out);
    }
}

static void manual_about (struct page *page, const char *summary,
                          const char *text)
{
    char sentence[PARAGRAPH];
    fputs (".Sh DESCRIPTION\n", page->out);
    if (summary) {
        snprintf (sentence, sizeof sentence, "%s.", summary);
        put_text (page->out, sentence);
    }
    if (summary && text)
        fputs (".Pp\n", page->out);
    if (text)
        manual_text (page, text);
}

static void manual_heading (struct page *page, const char *text)
{
    fputs (".Sh ", page->out);
    put_upper (page->out, text, ' ');
    fputc ('\n', page->out);
}

static void manual_subheading (struct page *page, const char *text)
{
    fprintf (page->out, ".Ss %s\n", text);
}

static void manual_list (struct page *page)
{
    fputs (".Bl -tag -width Ds\n", page->out);
}

static void manual_item (struct page *page, const char *name,
                         const char *text)
{
    fputs (".It Sy \"", page->out);
    put_word (page->out, name, strlen (name), false);
    fputs ("\"\n", page->out);
    put_text (page->out, text);
}

static void manual_list_end (struct page *page)
{
    fputs (".El\n", page->out);
}

static void manual_lines (struct page *page, const char *lines)
{
    char one[PARAGRAPH];
    fputs (".Bd -literal\n", page->out);
    while (*lines) {
        lines = split_paragraph (lines, one);
        put_word (page->out, one, strlen (one), true);
        fputc ('\n', page->out);
    }
    fputs (".Ed\n", page->out);
}

/* In the order of the names, with dashes for blanks. */
static int by_section_and_name (const void *a, const void *b)
{
    const struct page_ref *x = a, *y = b;
    const char *p = x->name, *q = y->name;
    if (x->section != y->section)
        return x->section - y->section;
    for (; *p && (*p == ' ' ? '-' : *p) == (*q == ' ' ? '-' : *q); p++)
        q++;
    return (*p == ' ' ? '-' : *p) - (*q == ' ' ? '-' : *q);
}

static void manual_see_also (struct page *page, struct page_ref refs[],
                             size_t n)
{
    fputs (".Sh SEE ALSO\n", page->out);
    qsort (refs, n, sizeof *refs, by_section_and_name);
    for (size_t i = 0; i < n; i++) {
        fputs (".Xr ", page->out);
        put_name (page->out, refs[i].name);
        fprintf (page->out, " %d%s\n", refs[i].section,
                 i + 1 < n ? " ," : "");
    }
}

static const struct page_form manual = {
    .begin = manual_begin,
    .usage = manual_usage,
    .about = manual_about,
    .heading = manual_heading,
    .subheading = manual_subheading,
    .text = manual_text,
    .list = manual_list,
    .item = manual_item,
    .list_end = manual_list_end,
    .lines = manual_lines,
    .see_also = manual_see_also,
};

/* ---- either ---- */

struct page page_as_text (FILE *out, bool bold)
{
    return (struct page){.form = &plain, .out = out, .bold = bold};
}

struct page page_as_manual (FILE *out)
{
    return (struct page){.form = &manual, .out = out};
}

void page_begin (struct page *page, const char *name, int section,
                 const char *summary)
{
    page->form->begin (page, name, section, summary);
}

void page_usage (struct page *page, const char *path, const char *rest)
{
    page->form->usage (page, path, rest);
    page->usages++;
}

void page_about (struct page *page, const char *summary, const char *text)
{
    page->form->about (page, summary, text);
}

void page_heading (struct page *page, const char *text)
{
    page->form->heading (page, text);
}

void page_subheading (struct page *page, const char *text)
{
    page->form->subheading (page, text);
}

void page_text (struct page *page, const char *text)
{
    page->form->text (page, text);
}

void page_list (struct page *page, size_t indent)
{
    page->indent = indent;
    page->form->list (page);
}

void page_item (struct page *page, const char *name, const char *text)
{
    page->form->item (page, name, text);
}

void page_list_end (struct page *page)
{
    page->form->list_end (page);
}

void page_lines (struct page *page, const char *lines)
{
    page->form->lines (page, lines);
}

void page_see_also (struct page *page, struct page_ref refs[], size_t n)
{
    if (n)
        page->form->see_also (page, refs, n);
}

/* ---- lines ---- */

void wrap_text (FILE *out, const char *text, size_t column, size_t indent)
{
    while (*text) {
        size_t word = strcspn (text, " ");
        if (column > indent && column + 1 + word > PAGE_WIDTH) {
            fprintf (out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            fputc (' ', out);
            column++;
        }
        fwrite (text, 1, word, out);
        column += word;
        text += word + strspn (text + word, " ");
    }
    fputc ('\n', out);
}
