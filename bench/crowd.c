#include "crowd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static _Noreturn void fail (const char *what)
{
    fprintf (stderr, "%s: %s\n", what, strerror (errno));
    exit (1);
}

static int connect_to (const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf (address.sun_path, sizeof address.sun_path, "%s", path);
    if (fd < 0
        || connect (fd, (struct sockaddr *)&address, sizeof address) < 0) {
        if (fd >= 0)
            close (fd);
        return -1;
    }
    return fd;
}

bool crowd_reaches (const char *path)
{
    int fd = connect_to (path);
    if (fd >= 0)
        close (fd);
    return fd >= 0;
}

void crowd_open (struct crowd *crowd, const char *path, size_t n,
                 answer_fn *answer, void *arg)
{
    *crowd = (struct crowd){epoll_create1 (EPOLL_CLOEXEC),
                            calloc (n, sizeof *crowd->clients), n, answer,
                            arg};
    if (crowd->epoll < 0 || !crowd->clients)
        fail ("epoll");
    for (size_t i = 0; i < n; i++) {
        struct client *client = &crowd->clients[i];
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = client};
        client->crowd = crowd;
        client->fd = connect_to (path);
        if (client->fd < 0
            || epoll_ctl (crowd->epoll, EPOLL_CTL_ADD, client->fd, &event) < 0)
            fail (path);
    }
}

void crowd_close (struct crowd *crowd)
{
    for (size_t i = 0; i < crowd->n; i++) {
        close (crowd->clients[i].fd);
        free (crowd->clients[i].in);
    }
    close (crowd->epoll);
    free (crowd->clients);
}

char *crowd_request (const char *method, const char *path, const char *body)
{
    char *text = NULL;
    if (asprintf (&text,
                  "%s %s HTTP/1.1\r\nHost: torid\r\n"
                  "Content-Length: %zu\r\n\r\n%s",
                  method, path, body ? strlen (body) : 0, body ? body : "")
        < 0)
        fail ("memory");
    return text;
}

void crowd_send (struct client *client, const char *text, size_t n)
{
    client->busy = true;
    while (n > 0) {
        ssize_t sent = send (client->fd, text, n, MSG_NOSIGNAL);
        if (sent < 0)
            fail ("send");
        text += sent;
        n -= (size_t)sent;
    }
}

/* ---- what comes ---- */

static void give (struct client *client, int status, char *text, size_t n)
{
    char kept = text[n];
    text[n] = 0;
    client->crowd->answer (client, status, text, client->crowd->arg);
    text[n] = kept;
}

static void drop (struct client *client, size_t n)
{
    client->n -= n;
    memmove (client->in, client->in + n, client->n);
}

static void take_lines (struct client *client)
{
    size_t from = 0;
    char *end;
    while ((end = memchr (client->in + from, '\n', client->n - from))) {
        char *line = client->in + from;
        from = (size_t)(end - client->in) + 1;
        give (client, 0, line, (size_t)(end - line));
    }
    drop (client, from);
}

static void take_answer (struct client *client)
{
    char *body, *length;
    size_t head, n;
    client->in[client->n] = 0;
    body = strstr (client->in, "\r\n\r\n");
    length = body ? strcasestr (client->in, "\r\nContent-Length:") : NULL;
    if (!length)
        return;
    head = (size_t)(body + 4 - client->in);
    n = strtoul (length + strlen ("\r\nContent-Length:"), NULL, 10);
    if (client->n < head + n)
        return;
    client->busy = false;
    client->n = 0; /* the answer may send the next request, no more */
    give (client, (int)strtol (client->in + strlen ("HTTP/1.1 "), NULL, 10),
          body + 4, n);
}

static void take (struct client *client)
{
    enum { PART = 16384 };
    ssize_t n;
    if (client->room < client->n + PART + 1) {
        client->room = 2 * client->n + PART + 1;
        client->in = realloc (client->in, client->room);
        if (!client->in)
            fail ("memory");
    }
    n = recv (client->fd, client->in + client->n,
              client->room - client->n - 1, 0);
    if (n <= 0) {
        fprintf (stderr, "torid has closed a connection\n");
        exit (1);
    }
    client->n += (size_t)n;
    if (client->streams)
        take_lines (client);
    else
        take_answer (client);
    if (client->streams && client->n == 0) {
        free (client->in);
        client->in = NULL;
        client->room = 0;
    }
}

/* Sleeps for microseconds, too: a loop that spins takes a processor from what
 * is measured. */
void crowd_turn (struct crowd *crowd, double seconds)
{
    struct epoll_event events[256];
    struct timespec wait = {(time_t)seconds, 0};
    int n;
    wait.tv_nsec = (long)(1e9 * (seconds - (double)wait.tv_sec));
    n = epoll_pwait2 (crowd->epoll, events, 256, &wait, NULL);
    for (int i = 0; i < n; i++)
        take (events[i].data.ptr);
}

/* ---- one ---- */

struct told {
    int status;
    char *text;
};

static void on_told (struct client *client, int status, const char *text,
                     void *arg)
{
    *(struct told *)arg = (struct told){status, strdup (text)};
}

int crowd_ask (const char *path, const char *request, char **ret_text)
{
    struct told told = {0};
    struct crowd crowd;
    crowd_open (&crowd, path, 1, on_told, &told);
    crowd_send (&crowd.clients[0], request, strlen (request));
    while (crowd.clients[0].busy)
        crowd_turn (&crowd, 1);
    crowd_close (&crowd);
    if (ret_text)
        *ret_text = told.text;
    else
        free (told.text);
    return told.status;
}
