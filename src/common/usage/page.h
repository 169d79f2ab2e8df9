/* page.h - a page of help, as plain text or as a manual page.
 *
 * `tori help` and `man` show the same page in two forms, so they cannot
 * differ. The writer of a page adds its parts in order:
 *
 *     page_begin (&page, "tori place", 1, "Find a place for one request");
 *     page_usage (&page, "tori place", "[OPTION]...");
 *     page_about (&page, "Find a place", "The machine is idle but for ...");
 *     page_heading (&page, "Options");
 *     page_list (&page, 26);
 *     page_item (&page, "--count N", "ask for this many nodes");
 *     page_list_end (&page);
 *
 * The manual is mdoc(7). It is written with one sentence on each line, and
 * `mandoc -T lint` accepts it.
 */
#ifndef TORI_USAGE_PAGE_H
#define TORI_USAGE_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct page {
    const struct page_form *form;
    FILE *out;
    bool bold;     /* text form: bold headings for a terminal */
    size_t indent; /* text form: the column where the words of an item start */
    size_t usages; /* so far */
    bool text;     /* text form: a paragraph comes before */
    bool items;    /* text form: a list comes before, below the same heading */
};

struct page page_as_text (FILE *out, bool bold);
struct page page_as_manual (FILE *out);

/* The name as it is typed, the section of the manual, one sentence. */
void page_begin (struct page *page, const char *name, int section,
                 const char *summary);

/* A way to call it: the words that are typed, then the rest. */
void page_usage (struct page *page, const char *path, const char *rest);

/* The description: a summary without a full stop, then paragraphs, separated
 * by newlines. Either may be NULL. */
void page_about (struct page *page, const char *summary, const char *text);

void page_heading (struct page *page, const char *text);
void page_subheading (struct page *page, const char *text);
void page_text (struct page *page, const char *text);

/* Items, a name and its description, which starts at column `indent`. */
void page_list (struct page *page, size_t indent);
void page_item (struct page *page, const char *name, const char *text);
void page_list_end (struct page *page);

/* Lines, unchanged. */
void page_lines (struct page *page, const char *lines);

/* Other pages, which are sorted. Shown in the manual alone. */
struct page_ref {
    const char *name; /* as it is typed: "tori place" */
    int section;
};
void page_see_also (struct page *page, struct page_ref refs[], size_t n);

enum { PAGE_WIDTH = 79 };

/* Print words so that no line passes PAGE_WIDTH, and end the line; later lines
 * start at `indent`. `column` is where the first word goes. */
void wrap_text (FILE *out, const char *text, size_t column, size_t indent);

#endif
