/* kube_api.h - requests to a Kubernetes API server, many at a time.
 *
 * Nothing here blocks: requests are queued, and their answers come while
 * api_turn waits. The token file is read again every few seconds and after a
 * refusal, because service account tokens rotate. */
#ifndef TORI_KUBE_API_H
#define TORI_KUBE_API_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>
#include <tori/error.h>

struct api_config {
    const char *server;     /* https://HOST:PORT */
    const char *ca;         /* certificates that may sign the server's; NULL:
                               those of the system */
    const char *token_file; /* NULL: none */
    const char *cert, *key; /* of a client; NULL: none */
    size_t connections;     /* at most so many requests at once */
};

struct api;

/* The texts of the configuration must outlive it. Requests that are under way
 * when it is destroyed end without an answer. */
int api_create (const struct api_config *config, struct api **ret_api,
                tori_error *err);
void api_destroy (struct api *api);

/* The answer to a request: the status of HTTP, 0 if there was no answer; the
 * body, NULL if it is not JSON; and the reason, for people. */
struct api_answer {
    long code;
    json_t *body;
    const char *why;
};
typedef void api_done_fn (void *arg, const struct api_answer *answer);

enum api_body {
    BODY_JSON,
    BODY_MERGE_PATCH,
    BODY_STRATEGIC_PATCH,
    BODY_APPLY /* the members that are ours; the server keeps the others */
};

/* Queue a request. `body` may be NULL, and is released. `done` is called once,
 * from api_turn; never if this returns -1, for lack of memory. */
int api_send (struct api *api, const char *method, const char *path,
              enum api_body kind, json_t *body, api_done_fn *done, void *arg);

/* Begin to read an endless answer, whose lines are JSON objects: `line` is
 * called for each, and `done` at its end. An object is released after the
 * call. */
typedef void api_line_fn (void *arg, json_t *line);
int api_stream (struct api *api, const char *path, api_line_fn *line,
                api_done_fn *done, void *arg);

/* Wait for at most so many milliseconds for answers and for input on a file
 * descriptor; then handle the answers. True if there is input. */
bool api_turn (struct api *api, int input, int milliseconds);

/* Requests that are queued or under way, streams not counted. */
size_t api_open (const struct api *api);

/* Seconds of a clock that never goes back. */
double api_clock (void);

#endif
