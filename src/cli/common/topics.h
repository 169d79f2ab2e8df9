/* topics.h - explanations that several commands share: how machines are named,
 * how files look. `tori help machines` prints such a page, and it is a manual
 * page of section 5. */
#ifndef TORI_CLI_TOPICS_H
#define TORI_CLI_TOPICS_H

#include "page.h"

struct topic_part {
    const char *heading;
    const char *text;  /* paragraphs, parted by newlines */
    const char *lines; /* an example; may be NULL */
};

struct topic {
    const char *name;    /* as in `tori help NAME` */
    const char *summary; /* one sentence, no full stop */
    const char *text;
    const struct topic_part *part;
    size_t parts;
    void (*write) (struct page *page); /* writes the text after the parts; or
                                          NULL */
};

/* The i-th topic, or NULL past the end; the one of this name, or NULL. */
const struct topic *topic_list (size_t i);
const struct topic *topic_find (const char *name);

/* Its page, tori-NAME(5). */
void topic_page (struct page *page, const struct topic *topic);

/* The fields of all JSON answers, a section for each command that answers in
 * JSON and each paper (answers.c). */
void answers_write (struct page *page);

#endif
