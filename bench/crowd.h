/* crowd.h - many HTTP clients on one Unix socket, in one loop.
 *
 * Small on purpose: it shares two cores with what it measures. A client has
 * one request under way at a time, or reads a stream of events.
 */
#ifndef TORI_BENCH_CROWD_H
#define TORI_BENCH_CROWD_H

#include <stdbool.h>
#include <stddef.h>

struct crowd;

struct client {
    struct crowd *crowd;
    int fd;
    bool streams; /* lines, as they come, rather than answers */
    bool busy;    /* an answer is awaited */
    char *in;
    size_t n, room;
    double due;   /* when the request was to be sent */
    size_t events;
};

/* An answer, or a line of a stream: its text ends with a zero. */
typedef void answer_fn (struct client *client, int status, const char *text,
                        void *arg);

struct crowd {
    int epoll;
    struct client *clients;
    size_t n;
    answer_fn *answer;
    void *arg;
};

/* `n` clients that are connected to the socket at `path`. Ends the program on
 * failure, as everything here does. */
void crowd_open (struct crowd *crowd, const char *path, size_t n,
                 answer_fn *answer, void *arg);
void crowd_close (struct crowd *crowd);

/* Whether somebody listens there. */
bool crowd_reaches (const char *path);

/* Send a request, made by crowd_request or by hand. */
void crowd_send (struct client *client, const char *text, size_t n);

/* A request with a body, which may be NULL; the caller frees it. */
char *crowd_request (const char *method, const char *path, const char *body);

/* Take what comes within so many seconds. */
void crowd_turn (struct crowd *crowd, double seconds);

/* One request and its answer, by the first client; the status. The text of
 * the body is freed by the caller unless `ret_text` is NULL. */
int crowd_ask (const char *path, const char *request, char **ret_text);

#endif
