/* http.c - requests and answers. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "array.h"
#include "number.h"
#include "signin.h"
#include "torid.h"

/* What the header of a request may hold; the server itself, whose refusals are
 * not ours, gives up at more than that. */
enum { HEADER_MOST = 16 << 10, MEMORY = 32 << 10 };

/* ---- answers ---- */

/* Frees the bytes if it must. */
static enum MHD_Result send_bytes (struct request *request, const char *type,
                                   const void *bytes, size_t n,
                                   enum MHD_ResponseMemoryMode mode)
{
    struct MHD_Response *response = MHD_create_response_from_buffer (
        n, (void *)(uintptr_t)bytes, mode);
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

static enum MHD_Result send_text (struct request *request, const char *type,
                                  char *text)
{
    return send_bytes (request, type, text, strlen (text),
                       MHD_RESPMEM_MUST_FREE);
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
    if (request->bytes)
        return send_bytes (request, request->type, request->bytes,
                           request->nbytes, MHD_RESPMEM_PERSISTENT);
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
    if (request->n + n
        > (size_t)request->torid->setup.values.body << 20)
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

/* ---- who may ---- */

static struct guest *guest_of (const struct request *request)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info (
        request->connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

static const char *header_of (const struct request *request, const char *name)
{
    return MHD_lookup_connection_value (request->connection, MHD_HEADER_KIND,
                                        name);
}

/* From a header; or what a browser was given (signin.h). */
static const char *token_of (const struct request *request)
{
    const char *text = header_of (request, "Authorization");
    if (!text)
        return MHD_lookup_connection_value (request->connection,
                                            MHD_COOKIE_KIND, SIGNIN_COOKIE);
    return strncasecmp (text, "Bearer ", 7) ? NULL : text + 7;
}

/* By a token. */
static void find_bearer (struct request *request, struct peer *peer)
{
    struct torid *torid = request->torid;
    const char *text = token_of (request);
    const struct token *token;
    tori_error err = {0};
    int status = tokens_read (&torid->tokens, torid->state, &err);
    if (status != 0)
        torid_log (torid, status < 0 ? LEVEL_ERROR : LEVEL_INFO,
                   status < 0 ? "bad-tokens" : "tokens-read",
                   status < 0 ? "{s:s}" : NULL, "why", err.text);
    token = text ? tokens_find (&torid->tokens, text) : NULL;
    if (!token && torid->setup.values.guests) {
        peer->role = ROLE_READER;
        snprintf (peer->name, sizeof peer->name, "guest");
    }
    if (!token)
        return;
    peer->role = token->role;
    snprintf (peer->name, sizeof peer->name, "%s", token->user);
}

/* Who it is is found once for all requests of a connection, and again if the
 * settings change: names are in a file, or farther away. */
static const struct peer *peer_of (struct request *request,
                                   struct guest *guest)
{
    struct torid *torid = request->torid;
    if (!request->door->local) {
        guest->peer.role = ROLE_NONE;
        find_bearer (request, &guest->peer);
    } else if (guest->era != torid->era) {
        peer_find (guest->fd, &torid->setup.values.operators, &guest->peer);
        guest->era = torid->era;
    }
    return &guest->peer;
}

static void add_header (struct request *request, const char *name,
                        const char *value)
{
    struct header *header = &request->headers[request->nheaders++];
    header->name = name;
    snprintf (header->value, sizeof header->value, "%s", value);
}

static bool refuse (struct request *request, int code, const char *name,
                    const char *fmt, ...)
    __attribute__ ((format (printf, 4, 5)));

static bool refuse (struct request *request, int code, const char *name,
                    const char *fmt, ...)
{
    char text[256];
    va_list args;
    va_start (args, fmt);
    vsnprintf (text, sizeof text, fmt, args);
    va_end (args);
    request->reply
        = (struct reply){code, json_pack ("{s:{s:s, s:s}}", "error", "code",
                                          name, "message", text)};
    return true;
}

/* At most once in a second: whoever tries tokens does not fill the log. */
static void log_refused (struct torid *torid)
{
    uint64_t now = uv_now (&torid->loop);
    torid->refused++;
    if (torid->refused_at && now - torid->refused_at < 1000)
        return;
    torid_log (torid, LEVEL_WARNING, "token-refused", "{s:I}", "times",
               (json_int_t)torid->refused);
    torid->refused = 0;
    torid->refused_at = now;
}

static bool refuse_stranger (struct request *request)
{
    bool wrong = token_of (request) != NULL;
    if (request->door->local)
        return refuse (request, 401, "unknown",
                       "torid cannot tell which user you are");
    add_header (request, "WWW-Authenticate",
                wrong ? "Bearer realm=\"torid\", error=\"invalid_token\""
                      : "Bearer realm=\"torid\"");
    if (wrong)
        log_refused (request->torid);
    return refuse (request, 401, wrong ? "bad-token" : "no-token",
                   wrong ? "this token is not known"
                         : "a header is needed: Authorization: Bearer TOKEN");
}

static size_t header_size (const struct request *request)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info (
        request->connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info ? info->header_size : 0;
}

static bool only_looks (const char *method)
{
    return !strcmp (method, "GET") || !strcmp (method, "HEAD");
}

/* A look at the page, by somebody who comes with a browser. */
static bool is_visit (const struct request *request, const char *method,
                      const char *path)
{
    return !request->door->local && !strcmp (path, "/")
           && only_looks (method);
}

/* Whether it is refused before anybody reads what it says; each refusal says
 * what is allowed. */
static bool is_refused (struct request *request, const struct peer *peer,
                        const char *method)
{
    struct torid *torid = request->torid;
    const struct settings *v = &torid->setup.values;
    if (header_size (request) > HEADER_MOST)
        return refuse (request, 431, "header-too-large",
                       "a header has at most %d KiB", HEADER_MOST >> 10);
    if (request->overlong)
        return refuse (request, 413, "too-large",
                       "a body has at most %lld MiB", (long long)v->body);
    if (peer->role == ROLE_NONE)
        return refuse_stranger (request);
    if (peer->role == ROLE_READER && !only_looks (method))
        return refuse (request, 403, "readers-look",
                       "this token is a reader's, which allows GET only");
    if (peer->role < ROLE_OPERATOR
        && !rate_take (&torid->rates, peer->name, v->requests,
                       uv_now (&torid->loop))) {
        add_header (request, "Retry-After", "1");
        return refuse (request, 429, "too-many-requests",
                       "a user may make at most %lld requests per second",
                       (long long)v->requests);
    }
    return false;
}

/* Streams must not take the room of those who ask. */
static void count_stream (struct request *request)
{
    struct torid *torid = request->torid;
    int64_t most = torid->setup.values.streams;
    if ((int64_t)torid->streams < most) {
        torid->streams++;
        request->streams = true;
        return;
    }
    request->watching = false;
    add_header (request, "Retry-After", "60");
    refuse (request, 503, "too-many-streams",
            "there may be at most %lld streams of events at "
            "once", (long long)most);
}

static enum MHD_Result answer (struct request *request, const char *method,
                               const char *path)
{
    struct guest *guest = guest_of (request);
    const struct peer *peer;
    if (!guest)
        return MHD_NO;
    guest_asks (&request->door->guests, guest);
    peer = peer_of (request, guest);
    if (is_visit (request, method, path)
        && signin_answer (request, peer->role != ROLE_NONE))
        return send_reply (request);
    if (!is_refused (request, peer, method)
        && !api_answer (request->torid, request, method, path, peer->name,
                        peer->role == ROLE_OPERATOR)) {
        if (!request->looking) {
            request->next = request->torid->waiting;
            request->torid->waiting = request;
        }
        MHD_suspend_connection (request->connection);
        return MHD_YES;
    }
    if (request->watching)
        count_stream (request);
    return send_reply (request);
}

/* Whether it wants to know before it sends a body that is too large. Others
 * are heard to the end, as an answer in the middle may never arrive. */
static bool asks_too_much (struct request *request)
{
    const char *length = header_of (request, "Content-Length");
    uint64_t most = (uint64_t)request->torid->setup.values.body << 20, n;
    if (length && !(number_scan (&length, most, &n) && !*length))
        request->overlong = true;
    return request->overlong && header_of (request, "Expect");
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
        request->door = arg;
        request->torid = request->door->torid;
        request->connection = connection;
        return asks_too_much (request) ? answer (request, method, path)
                                       : MHD_YES;
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
    struct guest *guest = request ? guest_of (request) : NULL;
    if (!request)
        return;
    if (guest)
        guest_waits (&request->door->guests, guest,
                     uv_now (&request->torid->loop));
    if (request->streams)
        request->torid->streams--;
    json_decref (request->reply.body);
    free (request->body);
    free (request->text);
    free (request);
    *own = NULL;
}

static void on_connection (void *arg, struct MHD_Connection *connection,
                           void **own,
                           enum MHD_ConnectionNotificationCode what)
{
    struct door *door = arg;
    const union MHD_ConnectionInfo *info = MHD_get_connection_info (
        connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    struct guest *guest = *own;
    if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
        if (guest)
            guest_go (&door->guests, guest);
        free (guest);
        return;
    }
    *own = guest = info ? calloc (1, sizeof *guest) : NULL;
    if (!guest)
        return;
    guest->fd = info->connect_fd;
    guest_come (&door->guests, guest, uv_now (&door->torid->loop));
}

/* ---- the loop ---- */

static void run (struct door *door);

static void on_timer (uv_timer_t *timer)
{
    run (timer->data);
}

static void run (struct door *door)
{
    MHD_UNSIGNED_LONG_LONG wait;
    MHD_run (door->http);
    if (MHD_get_timeout (door->http, &wait) == MHD_YES)
        uv_timer_start (&door->timer, on_timer, wait, 0);
}

static void on_poll (uv_poll_t *poll, int status, int events)
{
    run (poll->data);
}

void http_run (struct torid *torid)
{
    for (size_t i = 0; i < torid->ndoors; i++)
        run (&torid->doors[i]);
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
    http_run (torid);
}

void http_dismiss (struct torid *torid, const char *code, const char *text)
{
    for (struct request *r = torid->waiting; r; r = r->next) {
        json_decref (r->reply.body);
        r->nheaders = 0;
        refuse (r, 503, code, "%s", text);
    }
    http_resume (torid);
}

void http_ready (struct request *request)
{
    MHD_resume_connection (request->connection);
    run (request->door);
}

static void on_sweep (uv_timer_t *timer)
{
    struct torid *torid = timer->data;
    for (size_t i = 0; i < torid->ndoors; i++)
        guests_sweep (&torid->doors[i].guests, uv_now (&torid->loop),
                      (uint64_t)torid->setup.values.patience / 1000);
}

/* ---- the server ---- */

/* Each connection is an open file. What is started from here gets the limit
 * that was: see link.c. */
static size_t room_for (struct torid *torid, int64_t wanted)
{
    enum { OTHERS = 128 };
    struct rlimit files;
    size_t room;
    if (getrlimit (RLIMIT_NOFILE, &files) < 0)
        return (size_t)wanted;
    torid->files = files.rlim_cur;
    files.rlim_cur = files.rlim_max;
    if (setrlimit (RLIMIT_NOFILE, &files) < 0)
        files.rlim_cur = torid->files;
    room = files.rlim_cur > 2 * OTHERS ? files.rlim_cur - OTHERS : OTHERS;
    room /= torid->ndoors;
    return room < (size_t)wanted ? room : (size_t)wanted;
}

static int start (struct door *door, size_t most, tori_error *err)
{
    enum { SPARE = 64 };
    struct torid *torid = door->torid;
    const struct settings *v = &torid->setup.values;
    const union MHD_DaemonInfo *info;
    door->guests.most = most;
    door->http = MHD_start_daemon (
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, on_request,
        door, MHD_OPTION_LISTEN_SOCKET, door->fd, MHD_OPTION_NOTIFY_COMPLETED,
        on_completed, NULL, MHD_OPTION_NOTIFY_CONNECTION, on_connection, door,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)(most + SPARE),
        MHD_OPTION_PER_IP_CONNECTION_LIMIT,
        door->local ? 0 : (unsigned)v->per_address,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)(v->patience / 1000000 + 1),
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MEMORY, MHD_OPTION_END);
    info = door->http ? MHD_get_daemon_info (door->http,
                                             MHD_DAEMON_INFO_EPOLL_FD)
                      : NULL;
    if (!info)
        return tori_error_set (err, TORI_FAILED, "no server can be started");
    uv_timer_init (&torid->loop, &door->timer);
    uv_poll_init (&torid->loop, &door->poll, info->epoll_fd);
    door->poll.data = door->timer.data = door;
    uv_poll_start (&door->poll, UV_READABLE, on_poll);
    return 0;
}

static void tell_where (const struct door *door)
{
    char name[256];
    door_name (door, name, sizeof name);
    torid_log (door->torid, LEVEL_INFO, "listening", "{s:s, s:I}",
               door->local ? "socket" : "address", name, "connections",
               (json_int_t)door->guests.most);
}

int http_open (struct torid *torid, tori_error *err)
{
    const struct settings *v = &torid->setup.values;
    size_t most;
    if (doors_open (torid->doors, &torid->ndoors, torid->socket, v, err) < 0)
        return -1;
    most = room_for (torid, v->connections);
    torid->era = 1;
    for (size_t i = 0; i < torid->ndoors; i++) {
        torid->doors[i].torid = torid;
        if (start (&torid->doors[i], most, err) < 0)
            return -1;
        tell_where (&torid->doors[i]);
    }
    uv_timer_init (&torid->loop, &torid->sweep);
    torid->sweep.data = torid;
    uv_timer_start (&torid->sweep, on_sweep, 1000, 1000);
    return 0;
}

void http_close (struct torid *torid)
{
    http_dismiss (torid, "ending", "torid is ending");
    for (size_t i = 0; i < torid->ndoors; i++)
        if (torid->doors[i].http)
            MHD_stop_daemon (torid->doors[i].http);
    doors_close (torid->doors, torid->ndoors);
    tokens_free (&torid->tokens);
    free (torid->rates.items);
}
