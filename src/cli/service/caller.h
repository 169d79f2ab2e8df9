/* caller.h - asking a running torid, over its socket. */
#ifndef TORI_CLI_CALLER_H
#define TORI_CLI_CALLER_H

#include <jansson.h>

#include <tori/error.h>

#include "asked.h"

/* Ask, and wait for the answer. `body` may be NULL; it is not released. A
 * refusal is TORI_INVALID with the words of torid, TORI_NEVER if the machine
 * can never hold the job; and it is TORI_FAILED if nobody answers. */
int call (const char *socket, const char *method, const char *path,
          const json_t *body, json_t **ret_answer, tori_error *err);

/* Ask the same of many, several at once: `method` on UNDER/ID. `on_answer` is
 * told how it went with each, in the order of the ids: NULL, or why torid
 * refuses. It ends with the first that gets no answer, which is the error. */
struct calls {
    const char *socket, *method, *under;
    const json_t *body, *ids;
    void (*on_answer) (void *arg, json_int_t id, const tori_error *why);
    void *arg;
};
int call_each (const struct calls *calls, tori_error *err);

/* Ask for a long list, all pages of it: `path` has a query, to which the page
 * is added, and the members of the list `key` are appended to `list`. */
int call_pages (const char *socket, const char *path, const char *key,
                json_t *list, tori_error *err);

/* Those who watch what happens: wait for an event, or for something to read on
 * standard input or another descriptor. A stream that ends is asked for again
 * after a second. NULL without memory. */
struct watch;
struct watch *watch_open (const char *socket);
void watch_close (struct watch *watch);

enum watch_news {
    WATCH_EVENT = 1, /* something has happened */
    WATCH_INPUT = 2, /* standard input can be read */
    WATCH_GONE = 4   /* ... and is at its end */
};

/* What there is after so many milliseconds at most. */
enum watch_news watch_wait (struct watch *watch, int other, int patience);

/* A text as part of a query: what is not a letter or a digit is escaped, and
 * what does not fit is left out. */
void url_escape (const char *text, char *to, size_t size);

/* Print what torid has answered as the answer of a command: the members of an
 * object, which is not released. */
int answer_print (const struct asked *asked, json_t *body, FILE *out,
                  tori_error *err);

/* The same of a single value, as the member of this name. */
int member_print (const struct asked *asked, const char *key, json_t *value,
                  FILE *out, tori_error *err);

#endif
