#include "words.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

static bool is_blank (char c)
{
    return c == ' ' || c == '\t';
}

/* Cut the next word out: from *p, whose zero or blank it leaves behind, to
 * *to. False if a quote is open at the end. */
static bool cut_word (const char **p, char **to)
{
    char quote = 0;
    for (; **p && (quote || !is_blank (**p)); (*p)++) {
        char c = **p;
        if (quote ? c == quote : c == '\'' || c == '"') {
            quote = quote ? 0 : c;
        } else {
            if (c == '\\' && quote != '\'' && (*p)[1])
                (*p)++;
            *(*to)++ = **p;
        }
    }
    *(*to)++ = 0;
    return !quote;
}

int words_split (const char *line, char bar, struct wordlist *words,
                 tori_error *err)
{
    char *to = words->text = malloc (strlen (line) + 2);
    if (!to)
        return tori_error_nomem (err);
    for (const char *p = line;;) {
        const char **more, *from;
        p += strspn (p, " \t");
        if (!*p)
            return 0;
        more = array_room (words->item, &words->room, words->n + 1,
                           sizeof *more);
        if (!more)
            return tori_error_nomem (err);
        words->item = more;
        more[words->n++] = to;
        from = p;
        if (!cut_word (&p, &to))
            return tori_error_set (err, TORI_INVALID,
                                   "a quote that is not closed");
        if (bar && *from == bar && p == from + 1)
            more[words->n - 1] = NULL;
    }
}

void words_clear (struct wordlist *words)
{
    free (words->item);
    free (words->text);
    *words = (struct wordlist){0};
}
