/* answers.h - the page of all fields of all JSON answers. */
#ifndef TORI_CLI_ANSWERS_H
#define TORI_CLI_ANSWERS_H

#include "page.h"

/* A section for each command that answers in JSON, and each paper. */
void answers_write (struct page *page);

#endif
