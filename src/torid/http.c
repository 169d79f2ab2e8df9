/* http.c - requests and answers, over a Unix socket. */
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "array.h"
#include "torid.h"

enum { BODY_MOST = 64 << 20, CONNECTIONS = 20000, IDLE_SECONDS = 60 };

/* ---- who asks ---- */

/* The user at the other end of the socket. The user that torid runs as and
 * root are operators. */
struct peer {
    bool known, is_operator;
    char name[256];
};

static void find_peer (int fd, struct peer *peer)
{
    struct ucred who;
    socklen_t length = sizeof who;
    const struct passwd *entry;
    if (getsockopt (fd, SOL_SOCKET, SO_PEERCRED, &who, &length) < 0)
        return;
    entry = getpwuid (who.uid);
    if (entry)
        snprintf (peer->name, sizeof peer->name, "%s", entry->pw_name);
    else
        snprintf (peer->name, sizeof peer->name, "%lu",
                  (unsigned long)who.uid);
    peer->is_operator = who.uid == 0 || who.uid == geteuid ();
    peer->known = true;
}

/* Who it is is found once for all requests of a connection: names are in a
 * file, or farther away. */
static void on_connection (void *arg, struct MHD_Connection *connection,
                           void **own,
                           enum MHD_ConnectionNotificationCode what)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info (
        connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (what == MHD_CONNECTION_NOTIFY_CLOSED)
        free (*own);
    else if (info && (*own = calloc (1, sizeof (struct peer))))
        find_peer (info->connect_fd, *own);
}

static const struct peer *peer_of (struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info (
        connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    const struct peer *peer = info ? info->socket_context : NULL;
    return peer && peer->known ? peer : NULL;
}

/* ---- answers ---- */

/* Frees the text. */
static enum MHD_Result send_text (struct request *request, const char *type,
                                  char *text)
{
    struct MHD_Response *response = MHD_create_response_from_buffer (
        strlen (text), text, MHD_RESPMEM_MUST_FREE);
    enum MHD_Result result;
    if (!response)
        return MHD_NO;
    if (type)
        MHD_add_response_header (response, "Content-Type", type);
    for (size_t i = 0; i < request->nheaders; i++)
        MHD_add_response_header (response, request->headers[i].name,
                                 request->headers[i].value);
    count_answer (&request->torid->counts, request->reply.code);
    result = MHD_queue_response (request->connection,
                                 (unsigned)request->reply.code, response);
    MHD_destroy_response (response);
    return result;
}

static enum MHD_Result send_events (struct request *request)
{
    struct MHD_Response *response = watch_begin (
        request->torid, request->connection,
        MHD_lookup_connection_value (request->connection, MHD_HEADER_KIND,
                                     "Last-Event-ID"));
    enum MHD_Result result;
    if (!response)
        return MHD_NO;
    count_answer (&request->torid->counts, MHD_HTTP_OK);
    result = MHD_queue_response (request->connection, MHD_HTTP_OK, response);
    MHD_destroy_response (response);
    return result;
}

static enum MHD_Result send_reply (struct request *request)
{
    char *text = request->text;
    if (request->watching)
        return send_events (request);
    if (text) {
        request->text = NULL;
        return send_text (request, request->type, text);
    }
    text = json_dumps (request->reply.body,
                       JSON_COMPACT | JSON_REAL_PRECISION (16));
    return text ? send_text (request, "application/json", text) : MHD_NO;
}

/* ---- requests ---- */

static bool take_body (struct request *request, const char *data, size_t n)
{
    char *more;
    if (request->n + n > BODY_MOST)
        request->overlong = true;
    if (request->overlong)
        return true;
    more = array_room (request->body, &request->room, request->n + n, 1);
    if (!more)
        return false;
    request->body = more;
    memcpy (more + request->n, data, n);
    request->n += n;
    return true;
}

static json_t *error_json (const char *code, const char *message)
{
    return json_pack ("{s:{s:s, s:s}}", "error", "code", code, "message",
                      message);
}

static enum MHD_Result answer (struct request *request, const char *method,
                               const char *path)
{
    const struct peer *peer = peer_of (request->connection);
    if (request->overlong)
        request->reply = (struct reply){
            413, error_json ("too-large", "a body has at most 64 MiB")};
    else if (!peer)
        request->reply = (struct reply){
            401, error_json ("unknown", "nobody knows who you are")};
    else if (!api_answer (request->torid, request, method, path, peer->name,
                          peer->is_operator)) {
        if (!request->looking) {
            request->next = request->torid->waiting;
            request->torid->waiting = request;
        }
        MHD_suspend_connection (request->connection);
        return MHD_YES;
    }
    return send_reply (request);
}

static enum MHD_Result on_request (void *arg,
                                   struct MHD_Connection *connection,
                                   const char *path, const char *method,
                                   const char *version, const char *data,
                                   size_t *n, void **own)
{
    struct request *request = *own;
    if (!request) {
        *own = request = calloc (1, sizeof *request);
        if (!request)
            return MHD_NO;
        request->torid = arg;
        request->connection = connection;
        return MHD_YES;
    }
    if (*n > 0) {
        bool good = take_body (request, data, *n);
        *n = 0;
        return good ? MHD_YES : MHD_NO;
    }
    /* Once more after it has waited for the disk. */
    return request->reply.code ? send_reply (request)
                               : answer (request, method, path);
}

static void on_completed (void *arg, struct MHD_Connection *connection,
                          void **own, enum MHD_RequestTerminationCode why)
{
    struct request *request = *own;
    if (!request)
        return;
    json_decref (request->reply.body);
    free (request->body);
    free (request->text);
    free (request);
    *own = NULL;
}

/* ---- the loop ---- */

static void run (struct torid *torid);

static void on_timer (uv_timer_t *timer)
{
    run (timer->data);
}

static void run (struct torid *torid)
{
    MHD_UNSIGNED_LONG_LONG wait;
    MHD_run (torid->http);
    if (MHD_get_timeout (torid->http, &wait) == MHD_YES)
        uv_timer_start (&torid->http_timer, on_timer, wait, 0);
}

static void on_poll (uv_poll_t *poll, int status, int events)
{
    run (poll->data);
}

void http_resume (struct torid *torid)
{
    struct request *request = torid->waiting;
    torid->waiting = NULL;
    while (request) {
        struct request *next = request->next;
        MHD_resume_connection (request->connection);
        request = next;
    }
    run (torid);
}

void http_ready (struct request *request)
{
    MHD_resume_connection (request->connection);
    run (request->torid);
}

/* ---- the socket ---- */

/* A socket that nobody listens to is left from one that was killed. */
static int bind_socket (int fd, const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct stat st;
    snprintf (address.sun_path, sizeof address.sun_path, "%s", path);
    if (lstat (path, &st) == 0 && S_ISSOCK (st.st_mode))
        unlink (path);
    return bind (fd, (struct sockaddr *)&address, sizeof address);
}

static int listen_at (struct torid *torid, tori_error *err)
{
    struct sockaddr_un address;
    int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (strlen (torid->socket) >= sizeof address.sun_path) {
        close (fd);
        return tori_error_set (err, TORI_INVALID,
                               "%s: too long for a socket", torid->socket);
    }
    if (fd < 0 || bind_socket (fd, torid->socket) < 0
        || chmod (torid->socket, 0666) < 0 || listen (fd, SOMAXCONN) < 0) {
        tori_error_set (err, TORI_FAILED, "%s: %s", torid->socket,
                        strerror (errno));
        if (fd >= 0)
            close (fd);
        return -1;
    }
    torid->listener = fd;
    return 0;
}

int http_open (struct torid *torid, tori_error *err)
{
    const union MHD_DaemonInfo *info;
    if (listen_at (torid, err) < 0)
        return -1;
    torid->counts.begun = torid_now ();
    torid->http = MHD_start_daemon (
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, on_request,
        torid, MHD_OPTION_LISTEN_SOCKET, torid->listener,
        MHD_OPTION_NOTIFY_COMPLETED, on_completed, NULL,
        MHD_OPTION_NOTIFY_CONNECTION, on_connection, NULL,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)32768, MHD_OPTION_END);
    info = torid->http ? MHD_get_daemon_info (torid->http,
                                              MHD_DAEMON_INFO_EPOLL_FD)
                       : NULL;
    if (!info)
        return tori_error_set (err, TORI_FAILED, "no server can be started");
    uv_poll_init (&torid->loop, &torid->http_poll, info->epoll_fd);
    torid->http_poll.data = torid->http_timer.data = torid;
    uv_poll_start (&torid->http_poll, UV_READABLE, on_poll);
    return 0;
}

/* What waits for a disk that has failed is not known to be kept. */
static void dismiss_waiting (struct torid *torid)
{
    for (struct request *r = torid->waiting; r; r = r->next) {
        json_decref (r->reply.body);
        r->reply = (struct reply){503, error_json ("ending",
                                                   "torid is ending")};
    }
    http_resume (torid);
}

void http_close (struct torid *torid)
{
    if (torid->http)
        dismiss_waiting (torid);
    if (torid->http)
        MHD_stop_daemon (torid->http);
    if (torid->socket)
        unlink (torid->socket);
}
