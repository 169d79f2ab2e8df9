/* http.c - requests and answers. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "admit.h"
#include "pagedata.h"
#include "receive.h"
#include "signin.h"
#include "torid.h"

/* Memory of the server for a connection: more than a header may hold, so that
 * torid refuses a long header, not the server. */
enum { MEMORY = 32 << 10 };

/* When a turn has taken this long, in ns, heavy requests wait for another one,
 * and nothing is received. All clients wait for the end of a turn, and what is
 * decided and brought to the disk takes its time as well. */
enum { HEAVY_MOST = 15000000, RECEIVE_MOST = 30000000 };

/* How often the last use of tokens is saved. */
enum { USED_MS = 60000 };

/* ---- answers ---- */

/* An answer is held until it is read in full. That may take `patience`, and a
 * second more for each of these. */
enum { READ_PER_SECOND = 1 << 20 };

static void count_unread (struct request *request, size_t n)
{
    struct torid *torid = request->torid;
    if (!request->quota || n == 0)
        return;
    request->unread = n;
    request->quota->answers += n;
    torid->quotas.answers += n;
    quota_answer (request->quota, n);
    request->until = uv_now (&torid->loop)
                     + (uint64_t)torid->setup.values.patience / 1000
                     + n / (READ_PER_SECOND / 1000);
    request->after = torid->answered;
    if (request->after)
        request->after->before = request;
    torid->answered = request;
}

static void forget_unread (struct request *request)
{
    struct torid *torid = request->torid;
    if (request->unread == 0)
        return;
    request->quota->answers -= request->unread;
    torid->quotas.answers -= request->unread;
    if (request->before)
        request->before->after = request->after;
    else
        torid->answered = request->after;
    if (request->after)
        request->after->before = request->before;
}

/* Cut off whoever has not read an answer in time. */
static void sweep_unread (struct torid *torid)
{
    uint64_t now = uv_now (&torid->loop);
    for (struct request *it = torid->answered; it; it = it->after) {
        struct connection *client = connection_of (it);
        if (client && now >= it->until)
            connection_cut (client);
    }
}

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
    if (request->torid->leaves) /* the next one asks its successor */
        MHD_add_response_header (response, "Connection", "close");
    count_answer (&request->torid->counts, request->reply.code);
    result = MHD_queue_response (request->connection,
                                 (unsigned)request->reply.code, response);
    MHD_destroy_response (response);
    return result;
}

static enum MHD_Result send_text (struct request *request, const char *type,
                                  char *text)
{
    size_t n = strlen (text);
    count_unread (request, n);
    return send_bytes (request, type, text, n, MHD_RESPMEM_MUST_FREE);
}

static enum MHD_Result send_events (struct request *request)
{
    struct MHD_Response *response = watch_begin (
        request->torid, request->connection, request->peer,
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
    text = json_dumps (request->reply.body, ANSWER_FLAGS);
    json_decref (request->reply.body);
    request->reply.body = NULL;
    return text ? send_text (request, "application/json", text) : MHD_NO;
}

/* ---- answers past the server ---- */

/* Write an answer with its header; the caller frees it. NULL without memory.
 */
static char *write_whole (const struct reply *reply,
                          const struct header *headers, size_t n)
{
    char *body = json_dumps (reply->body, ANSWER_FLAGS), *text = NULL;
    size_t size;
    FILE *to = body ? open_memstream (&text, &size) : NULL;
    if (to) {
        fprintf (to,
                 "HTTP/1.1 %d %s\r\nConnection: close\r\n"
                 "Content-Type: application/json\r\nContent-Length: %zu\r\n",
                 reply->code,
                 MHD_get_reason_phrase_for ((unsigned)reply->code),
                 strlen (body));
        for (size_t i = 0; i < n; i++)
            fprintf (to, "%s: %s\r\n", headers[i].name, headers[i].value);
        fprintf (to, "\r\n%s", body);
        if (fclose (to) != 0) {
            free (text);
            text = NULL;
        }
    }
    free (body);
    return text;
}

/* Send a refusal while the server still reads the body: it cannot. */
static void tell_early (struct request *request)
{
    char *text = write_whole (&request->reply, request->headers,
                              request->nheaders);
    const struct connection *client = connection_of (request);
    request->told = true;
    if (text && client)
        receive_tell (client->fd, text, strlen (text));
    count_answer (&request->torid->counts, request->reply.code);
    free (text);
}

/* Refuse what the server cannot read, before it does so by a page of HTML. */
static void refuse_broken (struct torid *torid, unsigned code,
                           const char *page)
{
    struct request it = {.torid = torid};
    char *text;
    if (code == MHD_HTTP_CONTENT_TOO_LARGE)
        turn_away (&it, 413, "too-large", "the body is too long");
    else if (code == MHD_HTTP_URI_TOO_LONG
             || code == MHD_HTTP_REQUEST_HEADER_FIELDS_TOO_LARGE)
        turn_away (&it, (int)code, "header-too-large",
                   "a header has at most %d KiB", HEADER_MOST >> 10);
    else if (code == MHD_HTTP_HTTP_VERSION_NOT_SUPPORTED)
        turn_away (&it, (int)code, "bad-version", "expected HTTP/1.1");
    else if (strstr (page, "Content-Length"))
        turn_away (&it, (int)code, "bad-length",
                   "Content-Length: expected a number");
    else if (strstr (page, "chunk"))
        turn_away (&it, (int)code, "bad-length",
                   "the chunks of the body cannot be read");
    else
        turn_away (&it, (int)code, "bad-header",
                   "the first line or a header cannot be read");
    text = write_whole (&it.reply, NULL, 0);
    if (text)
        receive_tell (receive_current (), text, strlen (text));
    count_answer (&torid->counts, it.reply.code);
    json_decref (it.reply.body);
    free (text);
}

/* A line of the server's log. */
static void on_log (void *arg, const char *fmt, va_list args)
{
    static const char refusal[] = "Error processing request";
    struct listener *listener = arg;
    unsigned code;
    if (strncmp (fmt, refusal, sizeof refusal - 1) || receive_current () < 0)
        return;
    code = va_arg (args, unsigned);
    refuse_broken (listener->torid, code, va_arg (args, const char *));
}

static void note_connection (const struct request *request)
{
    const struct connection *client = connection_of (request);
    receive_note (client ? client->fd : -1);
}

/* ---- requests ---- */

static void refuse_stream (struct request *request, int code, size_t most,
                           const char *whose)
{
    request->watching = false;
    add_header (request, "Retry-After", "60");
    turn_away (request, code, "too-many-streams",
               "%s may have at most %zu streams of events at once", whose,
               most);
}

/* Streams must leave descriptors for other requests, and the streams of one
 * user must leave room for other users. */
static void count_stream (struct request *request)
{
    struct torid *torid = request->torid;
    const struct settings *v = &torid->setup.values;
    size_t most = request->listener->clients.most / 5 * 4;
    if (request->peer->role != ROLE_OPERATOR
        && request->quota->streams >= (size_t)v->user_streams) {
        refuse_stream (request, 429, (size_t)v->user_streams, "a user");
    } else if (torid->streams >= (size_t)v->streams) {
        refuse_stream (request, 503, (size_t)v->streams, "all users");
    } else if (request->listener->streams >= most) {
        refuse_stream (request, 503, most, "all users");
    } else {
        torid->streams++;
        request->listener->streams++;
        request->quota->streams++;
        request->streams = true;
    }
}

static enum MHD_Result answer_request (struct request *request,
                                       const char *method, const char *path)
{
    const struct peer *peer = request->peer;
    bool known = peer->role != ROLE_NONE, done;
    done = !known && is_visit (request, method, path)
           && page_answer (request);
    if (!done && !known && !signin_asked (request, method, path)) {
        refuse_stranger (request);
        done = true;
    }
    if (!done)
        done = api_answer (request->torid, request, method, path, peer->name,
                           peer->role == ROLE_OPERATOR);
    if (done || !request->looking)
        admit_forget (request);
    if (!done) {
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

/* Its header has come. */
static enum MHD_Result begin_request (struct request *request,
                                      const char *method, const char *path,
                                      const char *version)
{
    if (!admit (request, method, path, version))
        return MHD_NO;
    if (!request->begun) { /* it begins again when it is known who asks */
        MHD_suspend_connection (request->connection);
        return MHD_YES;
    }
    if (request->reply.code && admit_hurries (request))
        return send_reply (request);
    if (request->reply.code && admit_is_long (request))
        tell_early (request);
    return MHD_YES;
}

/* Whether a request waits for another turn, because it is large, or its user
 * has answers to read or took much of the last seconds, and this turn has taken
 * long already, or others wait. Those of others do not wait. */
static bool must_defer (const struct request *request)
{
    enum { USER_MOST = 5000000, SMALL = 16 << 10 };
    struct torid *torid = request->torid;
    struct quota *quota = request->quota;
    bool heavy = quota
                 && (request->n > SMALL || quota->answers > SMALL
                     || quota_spend (quota, 0, uv_now (&torid->loop))
                            > USER_MOST);
    return heavy && !request->due && !torid->ending
           && (torid->deferred || turns_spent (torid) >= HEAVY_MOST);
}

static void defer_request (struct request *request)
{
    struct torid *torid = request->torid;
    struct quota *quota = request->quota;
    request->next = NULL;
    if (quota->deferred) {
        quota->last_deferred->next = request;
    } else {
        quota->deferred = request;
        quota->next_deferred = torid->deferred;
        torid->deferred = quota;
    }
    quota->last_deferred = request;
    MHD_suspend_connection (request->connection);
}

/* The first one of the user who took least has its turn. */
static void resume_deferred (struct torid *torid)
{
    struct quota **best = &torid->deferred, *quota;
    struct request *request;
    for (struct quota **at = best; *at; at = &(*at)->next_deferred)
        if (quota_spend (*at, 0, uv_now (&torid->loop)) < (*best)->spent)
            best = at;
    quota = *best;
    request = quota->deferred;
    quota->deferred = request->next;
    if (!quota->deferred)
        *best = quota->next_deferred;
    request->due = true;
    http_ready (request);
}

/* At least one goes on in each turn. */
static void on_again (uv_timer_t *timer)
{
    struct torid *torid = timer->data;
    if (torid->deferred)
        resume_deferred (torid);
    while (torid->deferred && turns_spent (torid) < HEAVY_MOST)
        resume_deferred (torid);
}

static enum MHD_Result answer_timed (struct request *request,
                                     const char *method, const char *path)
{
    struct torid *torid = request->torid;
    uint64_t begun = uv_hrtime ();
    enum MHD_Result result = answer_request (request, method, path);
    uint64_t took = uv_hrtime () - begun;
    if (request->quota)
        quota_spend (request->quota, took, uv_now (&torid->loop));
    turns_request (torid, method, path, request->peer->name, took);
    return result;
}

/* Answer a request that has come completely. */
static enum MHD_Result finish_request (struct request *request,
                                       const char *method, const char *path)
{
    struct connection *client = connection_of (request);
    if (request->told)
        return MHD_NO;
    if (client)
        connection_asks (&request->listener->clients, client);
    /* There is a reply if it was refused, and once more after it has waited
     * for the disk. */
    if (request->reply.code)
        return send_reply (request);
    if (!must_defer (request))
        return answer_timed (request, method, path);
    defer_request (request);
    return MHD_YES;
}

/* Its first line has come: a request begins. */
static void *on_address (void *arg, const char *address,
                         struct MHD_Connection *connection)
{
    struct request *request = calloc (1, sizeof *request);
    if (!request)
        return NULL;
    request->listener = arg;
    request->torid = request->listener->torid;
    request->torid->requests++;
    request->connection = connection;
    request->odd_address
        = address && (has_control (address) || strstr (address, "%00"));
    note_connection (request);
    return request;
}

static enum MHD_Result on_request (void *arg,
                                   struct MHD_Connection *connection,
                                   const char *path, const char *method,
                                   const char *version, const char *data,
                                   size_t *n, void **own)
{
    struct request *request = *own;
    if (!request)
        return MHD_NO;
    note_connection (request);
    if (!request->begun)
        return begin_request (request, method, path, version);
    if (*n > 0) {
        bool good = admit_body (request, data, *n);
        *n = 0;
        if (good && request->reply.code == MHD_HTTP_CONTENT_TOO_LARGE
            && request->dropped > 0 && !request->told)
            tell_early (request);
        return good ? MHD_YES : MHD_NO;
    }
    return finish_request (request, method, path);
}

static void on_completed (void *arg, struct MHD_Connection *connection,
                          void **own, enum MHD_RequestTerminationCode why)
{
    struct request *request = *own;
    struct connection *client = request ? connection_of (request) : NULL;
    if (!request)
        return;
    request->torid->requests--;
    note_connection (request);
    if (client)
        connection_waits (&request->listener->clients, client,
                          uv_now (&request->torid->loop));
    if (request->streams) {
        request->torid->streams--;
        request->listener->streams--;
        request->quota->streams--;
    }
    if (request->looking)
        look_over (request);
    forget_unread (request);
    json_decref (request->reply.body);
    admit_forget (request);
    json_decref (request->roster);
    free (request->text);
    free (request);
    *own = NULL;
}

static void on_connection (void *arg, struct MHD_Connection *connection,
                           void **own,
                           enum MHD_ConnectionNotificationCode what)
{
    struct listener *listener = arg;
    const union MHD_ConnectionInfo *info = MHD_get_connection_info (
        connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    struct connection *client = *own;
    if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
        if (client)
            connection_close (&listener->clients, client);
        free (client);
        return;
    }
    *own = client = info ? calloc (1, sizeof *client) : NULL;
    if (!client)
        return;
    client->fd = info->connect_fd;
    connection_open (&listener->clients, client,
                     uv_now (&listener->torid->loop));
}

/* ---- the loop ---- */

static void run_daemon (struct listener *listener);

static void on_timer (uv_timer_t *timer)
{
    run_daemon (timer->data);
}

/* Nothing more is received when the turn has taken long, whoever sends. What the
 * server has not come to yet has another turn. */
static void run_daemon (struct listener *listener)
{
    enum { LEAST = 1000000 };
    MHD_UNSIGNED_LONG_LONG wait;
    uint64_t spent = turns_spent (listener->torid);
    uint64_t left = spent + LEAST < RECEIVE_MOST ? RECEIVE_MOST - spent : LEAST;
    receive_until (listener->quiet ? UINT64_MAX : uv_hrtime () + left);
    MHD_run (listener->http);
    receive_until (UINT64_MAX);
    if (MHD_get_timeout (listener->http, &wait) != MHD_YES)
        return;
    if (wait > 0)
        uv_timer_start (&listener->timer, on_timer, wait, 0);
    listener->more |= wait == 0;
}

static void on_poll (uv_poll_t *poll, int status, int events)
{
    run_daemon (poll->data);
}

void http_turn (struct torid *torid)
{
    if (looks_turn (torid) || torid->deferred)
        uv_timer_start (&torid->again, on_again, 0, 0);
    for (size_t i = 0; i < torid->nlisteners; i++) {
        struct listener *listener = &torid->listeners[i];
        if (listener->more)
            uv_timer_start (&listener->timer, on_timer, 0, 0);
        listener->more = false;
    }
}

void http_run (struct torid *torid)
{
    for (size_t i = 0; i < torid->nlisteners; i++)
        run_daemon (&torid->listeners[i]);
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
        r->nheaders = 0;
        turn_away (r, 503, code, "%s", text);
    }
    http_resume (torid);
}

void http_ready (struct request *request)
{
    MHD_resume_connection (request->connection);
    run_daemon (request->listener);
}

static void write_used (struct torid *torid)
{
    torid->used_at = uv_now (&torid->loop);
    (void)tokens_write_used (&torid->tokens, torid->state, NULL);
}

static void on_sweep (uv_timer_t *timer)
{
    struct torid *torid = timer->data;
    for (size_t i = 0; i < torid->nlisteners; i++)
        connections_sweep (&torid->listeners[i].clients, uv_now (&torid->loop),
                           (uint64_t)torid->setup.values.patience / 1000);
    sweep_unread (torid);
    looks_sweep (torid);
    names_sweep (torid);
    admit_read_tokens (torid);
    watch_check (torid);
    if (torid->tokens.first
        || (torid->tokens.used
            && uv_now (&torid->loop) - torid->used_at >= USED_MS))
        write_used (torid);
}

/* ---- the server ---- */

/* Each connection is an open file, so raise the limit. The executor gets the
 * old limit: see executor_pipe.c. */
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
    room /= torid->nlisteners;
    return room < (size_t)wanted ? room : (size_t)wanted;
}

static int start_daemon (struct listener *listener, size_t most,
                         tori_error *err)
{
    enum { SPARE = 64 };
    struct torid *torid = listener->torid;
    const struct settings *v = &torid->setup.values;
    const union MHD_DaemonInfo *info;
    listener->clients.most = most;
    listener->http = MHD_start_daemon (
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0, NULL,
        NULL, on_request, listener, MHD_OPTION_EXTERNAL_LOGGER, on_log,
        listener, MHD_OPTION_LISTEN_SOCKET, listener->fd,
        MHD_OPTION_URI_LOG_CALLBACK, on_address, listener,
        MHD_OPTION_NOTIFY_COMPLETED, on_completed, NULL,
        MHD_OPTION_NOTIFY_CONNECTION, on_connection, listener,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)(most + SPARE),
        MHD_OPTION_PER_IP_CONNECTION_LIMIT,
        listener->local ? 0 : (unsigned)v->per_address,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)(v->patience / 1000000 + 1),
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MEMORY, MHD_OPTION_END);
    info = listener->http
               ? MHD_get_daemon_info (listener->http, MHD_DAEMON_INFO_EPOLL_FD)
               : NULL;
    if (!info)
        return tori_error_set (err, TORI_FAILED, "no server can be started");
    uv_timer_init (&torid->loop, &listener->timer);
    uv_poll_init (&torid->loop, &listener->poll, info->epoll_fd);
    listener->poll.data = listener->timer.data = listener;
    uv_poll_start (&listener->poll, UV_READABLE, on_poll);
    return 0;
}

static void tell_where (const struct listener *listener)
{
    char name[256];
    listener_name (listener, name, sizeof name);
    torid_log (listener->torid, LEVEL_INFO, "listening", "{s:s, s:I, s:b}",
               listener->local ? "socket" : "address", name, "connections",
               (json_int_t)listener->clients.most, "dashboard", page_size > 0);
}

int http_open (struct torid *torid, tori_error *err)
{
    const struct settings *v = &torid->setup.values;
    size_t most;
    if (signin_open (torid, err) < 0
        || listeners_open (torid->listeners, &torid->nlisteners, torid->socket,
                           v, err)
               < 0)
        return -1;
    most = room_for (torid, v->connections);
    torid->era = 1;
    for (size_t i = 0; i < torid->nlisteners; i++) {
        torid->listeners[i].torid = torid;
        if (start_daemon (&torid->listeners[i], most, err) < 0)
            return -1;
        tell_where (&torid->listeners[i]);
    }
    admit_read_tokens (torid);
    tokens_read_used (&torid->tokens, torid->state);
    uv_timer_init (&torid->loop, &torid->again);
    uv_timer_init (&torid->loop, &torid->sweep);
    torid->again.data = torid->sweep.data = torid;
    uv_timer_start (&torid->sweep, on_sweep, 1000, 1000);
    return 0;
}

static void quiesce (struct torid *torid)
{
    for (size_t i = 0; i < torid->nlisteners; i++)
        if (torid->listeners[i].http
            && MHD_quiesce_daemon (torid->listeners[i].http)
                   != MHD_INVALID_SOCKET)
            torid->listeners[i].quiet = true;
}

/* Who has connected already is accepted first, a few each time. */
void http_quiet (struct torid *torid)
{
    for (size_t i = 0; i < torid->nlisteners; i++) {
        struct listener *listener = &torid->listeners[i];
        struct pollfd it = {.fd = listener->fd, .events = POLLIN};
        for (int k = 0; k < 1000 && !listener->quiet && poll (&it, 1, 0) > 0;
             k++)
            run_daemon (listener);
    }
    quiesce (torid);
}

bool http_is_idle (const struct torid *torid, uint64_t since)
{
    if (torid->requests > torid->streams)
        return false;
    for (size_t i = 0; i < torid->nlisteners; i++)
        if (connections_expect (&torid->listeners[i].clients, since))
            return false;
    return true;
}

void http_close (struct torid *torid)
{
    quiesce (torid);
    names_end (torid);
    while (torid->deferred)
        resume_deferred (torid);
    http_dismiss (torid, "ending", "torid is ending");
    for (size_t i = 0; i < torid->nlisteners; i++)
        if (torid->listeners[i].http)
            MHD_stop_daemon (torid->listeners[i].http);
    listeners_close (torid->listeners, torid->nlisteners);
    if (torid->tokens.used)
        write_used (torid);
    tokens_free (&torid->tokens);
}
