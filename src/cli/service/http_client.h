/* http_client.h - requests to a running torid, over its socket. */
#ifndef TORI_CLI_HTTP_CLIENT_H
#define TORI_CLI_HTTP_CLIENT_H

#include <jansson.h>

#include <tori/error.h>
#include <tori/workload.h>

#include "asked.h"

/* A clock that no administrator sets. */
tori_time time_since_boot (void);

/* Send a request and wait for the answer. `body` may be NULL; it is not
 * released. Fails with TORI_INVALID and torid's message if torid refuses,
 * TORI_NEVER if the machine can never hold the job, and TORI_FAILED if there
 * is no answer: at once without a torid, after a minute if it is silent. A
 * line on standard error says so after a few seconds, unless a watch is
 * open. */
int call (const char *socket, const char *method, const char *path,
          const json_t *body, json_t **ret_answer, tori_error *err);

/* Send the same request for many ids, several at once: `method` on UNDER/ID, or
 * on UNDER/ID/WHAT, and the query, such as ?a=b, or NULL.
 * `on_answer` gets the result for each, in the order of the ids: NULL, or
 * torid's refusal. The first request without an answer ends the call with an
 * error. */
struct calls {
    const char *socket, *method, *under, *what;
    const char *query;
    const json_t *body, *ids;
    void (*on_answer) (void *arg, json_int_t id, const tori_error *why);
    void *arg;
};
int call_each (const struct calls *calls, tori_error *err);

/* Fetch all pages of a long list: the page is added to the query in `path`,
 * and the members of the list `key` are appended to `list`. */
int call_pages (const char *socket, const char *path, const char *key,
                json_t *list, tori_error *err);

/* A watch waits for an event of torid, or for input on standard input or
 * another descriptor. A stream that ends is requested again after a second.
 * NULL without memory. */
struct sim_watch;
struct sim_watch *watch_open (const char *socket);
void watch_close (struct sim_watch *watch);

enum watch_news {
    WATCH_EVENT = 1, /* torid has reported an event */
    WATCH_INPUT = 2, /* standard input can be read */
    WATCH_GONE = 4   /* ... and is at its end */
};

/* Wait at most `patience` milliseconds; returns the news. */
enum watch_news watch_wait (struct sim_watch *watch, int other, int patience);

/* A text as part of a query: characters other than letters and digits are
 * escaped, and a text that is too long is cut. */
void url_escape (const char *text, char *to, size_t size);

/* The query of a reason, ?why=..., empty if there is none. */
enum { WHY_MOST = 500, WHY_QUERY = 3 * WHY_MOST + 8 };
int why_query (const char *why, char query[WHY_QUERY], tori_error *err);

/* Print torid's answer as the answer of a command: the members of an object,
 * which is not released. */
int answer_print (const struct asked *asked, json_t *body, FILE *out,
                  tori_error *err);

/* The same for a single value, as the member of this name. */
int member_print (const struct asked *asked, const char *key, json_t *value,
                  FILE *out, tori_error *err);

#endif
