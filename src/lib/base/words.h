/* words.h - a line as words, as a shell splits them: with quotes and
 * backslashes; no variables and no patterns. */
#ifndef TORI_BASE_WORDS_H
#define TORI_BASE_WORDS_H

#include <stddef.h>

#include <tori/error.h>

struct wordlist {
    const char **item;
    size_t n, room;
    char *text; /* they are cut from */
};

/* The words of a line. One that is nothing but `bar` and is not quoted is
 * NULL. TORI_INVALID for a quote that is not closed; clear them in any case.
 */
int words_split (const char *line, char bar, struct wordlist *ret_words,
                 tori_error *err);
void words_clear (struct wordlist *words);

#endif
