#include "admit.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "number.h"
#include "receive.h"
#include "signin.h"
#include "utf8.h"

/* How much of a body is dropped before a client that sends it all the same is
 * cut off. */
enum { DROP_STRANGER = 1 << 20, DROP_USER = 16 << 20 };

/* The most of the body of a change, which never needs as much as a submission:
 * to read it takes time of all others. */
enum { CHANGE_MOST = 1 << 20 };

/* ---- refusals ---- */

void add_header (struct request *request, const char *name,
                 const char *value)
{
    struct header *header = &request->headers[request->nheaders];
    if (request->nheaders == sizeof request->headers / sizeof *header)
        return;
    request->nheaders++;
    header->name = name;
    snprintf (header->value, sizeof header->value, "%s", value);
}

void turn_away (struct request *request, int code, const char *name,
             const char *fmt, ...)
{
    char text[256];
    va_list args;
    va_start (args, fmt);
    vsnprintf (text, sizeof text, fmt, args);
    va_end (args);
    json_decref (request->reply.body);
    request->reply
        = (struct reply){code, json_pack ("{s:{s:s, s:s}}", "error", "code",
                                          name, "message", text)};
}

/* ---- who asks ---- */

struct connection *connection_of (const struct request *request)
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

static const char *cookie_of (const struct request *request)
{
    return MHD_lookup_connection_value (request->connection, MHD_COOKIE_KIND,
                                        SIGNIN_COOKIE);
}

void admit_read_tokens (struct torid *torid)
{
    tori_error err = {0};
    int status = tokens_read (&torid->tokens, torid->state, &err);
    if (status != 0)
        torid_log (torid, status < 0 ? LEVEL_ERROR : LEVEL_INFO,
                   status < 0 ? "bad-tokens" : "tokens-read",
                   status < 0 ? "{s:s}" : NULL, "why", err.text);
}

/* By a header; or by the session of a browser (signin.h), unless the page of
 * another site uses it. */
static const struct token *find_token (struct request *request, bool looks)
{
    struct torid *torid = request->torid;
    const char *text = header_of (request, "Authorization");
    const char *cookie = text ? NULL : cookie_of (request);
    const struct token *token;
    if (text)
        return strncasecmp (text, "Bearer ", 7)
                   ? NULL
                   : tokens_find (&torid->tokens, text + 7);
    token = cookie ? signin_token (torid, cookie) : NULL;
    if (token)
        request->wrong_site = signin_wrong_site (request, looks);
    return token;
}

/* By a token. */
static void find_bearer (struct request *request, bool looks,
                         struct peer *peer)
{
    struct torid *torid = request->torid;
    const struct token *token;
    admit_read_tokens (torid);
    token = find_token (request, looks);
    peer->has_token = token != NULL;
    if (!token && torid->setup.values.guests) {
        peer->role = ROLE_READER;
        snprintf (peer->name, sizeof peer->name, "guest");
    }
    if (!token)
        return;
    peer->role = token->role;
    memcpy (peer->token, token->hash, TOKEN_HASH);
    snprintf (peer->name, sizeof peer->name, "%s", token->user);
}

bool admit_counts_groups (const struct torid *torid)
{
    char *reserved = service_reserved_groups (torid->service);
    bool any = settings_name_groups (&torid->setup.values)
               || !reserved || *reserved;
    free (reserved);
    return any;
}

/* The user of a Unix socket is looked up once per connection, and again if the
 * settings change: names are in a file, or farther away. */
static const struct peer *peer_of (struct request *request,
                                   struct connection *client, bool looks)
{
    struct torid *torid = request->torid;
    if (!request->listener->local) {
        client->peer.role = ROLE_NONE;
        find_bearer (request, looks, &client->peer);
        if (client->peer.role == ROLE_USER && !looks
            && admit_counts_groups (torid)
            && !names_find_groups (request, &client->peer))
            return NULL;
    } else if (client->era != torid->era) {
        if (!names_find (request, client->fd, &client->peer))
            return NULL;
        client->era = torid->era;
    }
    return &client->peer;
}

/* Log at most once a second, so that guessed tokens do not fill the log. */
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

void refuse_stranger (struct request *request)
{
    const char *text = header_of (request, "Authorization");
    bool session = !text && cookie_of (request);
    bool wrong = (text && !strncasecmp (text, "Bearer ", 7)) || session;
    if (request->listener->local) {
        turn_away (request, 401, "unknown",
                "torid cannot tell which user you are");
        return;
    }
    add_header (request, "WWW-Authenticate",
                wrong ? "Bearer realm=\"torid\", error=\"invalid_token\""
                      : "Bearer realm=\"torid\"");
    if (wrong)
        log_refused (request->torid);
    turn_away (request, 401, wrong ? "bad-token" : "no-token",
            session ? "this session has ended; sign in again"
            : wrong && tokens_is_expired (&request->torid->tokens, text + 7)
                ? "this token has expired"
            : wrong ? "this token is not known"
                    : "a header is needed: Authorization: Bearer TOKEN");
}

/* ---- how much ---- */

/* The length that the header names; SIZE_MAX if it is not a number that can
 * be, 0 if there is none. */
static size_t length_of (const struct request *request)
{
    const char *text = header_of (request, "Content-Length");
    uint64_t n = 0;
    if (!text)
        return 0;
    return number_scan (&text, SIZE_MAX - 1, &n) && !*text ? (size_t)n
                                                           : SIZE_MAX;
}

static void refuse_size (struct request *request, size_t most)
{
    turn_away (request, 413, "too-large", "a body%s has at most %zu MiB",
               most < (size_t)request->torid->setup.values.body << 20
                   ? " that changes something"
                   : "",
               most >> 20);
}

/* Whether so many more bytes may be held; it is refused if not. */
static bool has_room (struct request *request, size_t n)
{
    const struct quotas *all = &request->torid->quotas;
    const struct settings *v = &request->torid->setup.values;
    bool is_operator = request->peer->role == ROLE_OPERATOR;
    if (!is_operator
        && n + request->quota->bodies > (size_t)v->user_bodies << 20) {
        add_header (request, "Retry-After", "1");
        turn_away (request, 429, "too-many-bodies",
                "the requests of a user hold at most %lld MiB at once",
                (long long)v->user_bodies);
        return false;
    }
    if (n + all->bodies > (size_t)v->bodies << 20) {
        add_header (request, "Retry-After", "1");
        turn_away (request, 503, "too-many-bodies",
                "all requests hold at most %lld MiB at once",
                (long long)v->bodies);
        return false;
    }
    return true;
}

void admit_forget (struct request *request)
{
    if (request->quota)
        request->quota->bodies -= request->room;
    request->torid->quotas.bodies -= request->room;
    free (request->body);
    request->body = NULL;
    request->n = request->room = 0;
}

/* Drop what has come of the body, and all that still comes. */
static void drop_body (struct request *request)
{
    admit_forget (request);
    request->body_most = 0;
}

/* At least twice as much room as before, but never more than may come. */
static bool make_room (struct request *request, size_t need)
{
    size_t room = 2 * request->room > need ? 2 * request->room : need;
    size_t more;
    char *body;
    if (room > request->body_most)
        room = request->body_most;
    more = room - request->room;
    if (!has_room (request, more)) {
        drop_body (request);
        return true;
    }
    body = realloc (request->body, room);
    if (!body)
        return false;
    request->body = body;
    request->room = room;
    request->quota->bodies += more;
    request->torid->quotas.bodies += more;
    return true;
}

static bool keep_body (struct request *request, const char *data, size_t n)
{
    if (n > request->body_most - request->n) {
        refuse_size (request, request->body_most);
        drop_body (request);
        return true;
    }
    if (request->n + n > request->room
        && !make_room (request, request->n + n))
        return false;
    if (request->body_most == 0)
        return true;
    memcpy (request->body + request->n, data, n);
    request->n += n;
    return true;
}

static size_t drop_most (const struct request *request)
{
    return request->quota ? DROP_USER : DROP_STRANGER;
}

bool admit_body (struct request *request, const char *data, size_t n)
{
    if (request->body_most > 0)
        return keep_body (request, data, n);
    request->dropped += n;
    return request->dropped <= drop_most (request);
}

/* ---- whether it can be read ---- */

static bool is_long (const char *key)
{
    enum { KEY_MOST = 255 };
    return key && strlen (key) > KEY_MOST;
}

static bool is_text (const char *text)
{
    while (text && *text) {
        size_t n = utf8_length (text);
        if (n == 0)
            return false;
        text += n;
    }
    return true;
}

static enum MHD_Result on_argument (void *arg, enum MHD_ValueKind kind,
                                    const char *key, const char *value)
{
    bool *good = arg;
    *good = is_text (key) && is_text (value);
    return *good ? MHD_YES : MHD_NO;
}

/* Texts in JSON are UTF-8, so the address and the headers must be, too. */
static void check_texts (struct request *request, const char *path)
{
    bool good = true;
    MHD_get_connection_values (request->connection, MHD_GET_ARGUMENT_KIND,
                               on_argument, &good);
    if (request->odd_address)
        turn_away (request, 400, "bad-address",
                   "the address has a control character, or %%00");
    else if (!is_text (path) || !good)
        turn_away (request, 400, "bad-address",
                   "the address is not UTF-8 in its %s",
                   is_text (path) ? "query" : "path");
    else if (!is_text (header_of (request, "Idempotency-Key")))
        turn_away (request, 400, "bad-header",
                   "Idempotency-Key: expected a text in UTF-8");
    else if (is_long (header_of (request, "Idempotency-Key")))
        turn_away (request, 400, "bad-header",
                   "Idempotency-Key: expected at most 255 bytes");
}

struct framing {
    size_t lengths, codings, tokens, keys;
    bool chunked, odd_name, control;
};

static enum MHD_Result on_framing (void *arg, enum MHD_ValueKind kind,
                                   const char *key, const char *value)
{
    struct framing *it = arg;
    it->lengths += !strcasecmp (key, "Content-Length");
    it->tokens += !strcasecmp (key, "Authorization");
    it->keys += !strcasecmp (key, "Idempotency-Key");
    it->odd_name |= strpbrk (key, " \t") != NULL;
    it->control |= has_control (key) || has_control (value);
    if (!strcasecmp (key, "Transfer-Encoding")) {
        it->codings++;
        it->chunked = value && !strcasecmp (value, "chunked");
    }
    return MHD_YES;
}

/* Others between here and the client may find another end of a request that
 * says two things about it. */
static void check_framing (struct request *request, const char *version)
{
    struct framing it = {0};
    bool old = !strcmp (version, "HTTP/1.0");
    MHD_get_connection_values (request->connection, MHD_HEADER_KIND,
                               on_framing, &it);
    request->unclear = it.lengths + it.codings > 1 || it.odd_name || it.control
                       || (it.codings == 1 && (old || !it.chunked));
    if (it.control)
        turn_away (request, 400, "bad-header",
                   "a header has a control character");
    else if (it.odd_name)
        turn_away (request, 400, "bad-header",
                   "the name of a header has a blank before its colon");
    else if (it.tokens > 1 || it.keys > 1)
        turn_away (request, 400, "bad-header", "expected one %s",
                   it.tokens > 1 ? "Authorization" : "Idempotency-Key");
    else if (it.lengths + it.codings > 1)
        turn_away (request, 400, "bad-length",
                   "expected one Content-Length, or Transfer-Encoding: "
                   "chunked, and not both");
    else if (request->unclear)
        turn_away (request, 400, "bad-length",
                   old ? "Transfer-Encoding: expected HTTP/1.1"
                       : "Transfer-Encoding: expected chunked");
}

/* ---- whether it may ---- */

static size_t header_size (const struct request *request)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info (
        request->connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info ? info->header_size : 0;
}

/* Whether a method only reads. */
static bool only_looks (const char *method)
{
    return !strcmp (method, "GET") || !strcmp (method, "HEAD");
}

bool is_visit (const struct request *request, const char *method,
               const char *path)
{
    return !request->listener->local && !strcmp (path, "/")
           && only_looks (method);
}

bool asks_too_much (struct request *request, size_t n)
{
    struct torid *torid = request->torid;
    int64_t most = torid->setup.values.requests;
    if (request->peer->role == ROLE_OPERATOR
        || quota_ask (request->quota, most, n, uv_now (&torid->loop)))
        return false;
    add_header (request, "Retry-After", "1");
    turn_away (request, 429, "too-many-requests",
            "a user may make at most %lld requests per second",
            (long long)most);
    return true;
}

/* A user who signs in is not known yet, so only a small body is kept. */
static void admit_signin (struct request *request)
{
    request->quota = quota_of (&request->torid->quotas, "sign in");
    if (!request->quota)
        turn_away (request, 500, "failed", "out of memory");
    else if (length_of (request) > SIGNIN_BODY)
        turn_away (request, 413, "too-large", "a body has at most %d bytes",
                   SIGNIN_BODY);
    else
        request->body_most = SIGNIN_BODY;
}

/* Refuse a body before it comes if it is too large, or if there is no room for
 * it now. */
static void admit_length (struct request *request, const char *method)
{
    size_t most = (size_t)request->torid->setup.values.body << 20;
    size_t length = length_of (request);
    if (!strcmp (method, "PATCH") && most > CHANGE_MOST)
        most = CHANGE_MOST;
    if (length > most)
        refuse_size (request, most);
    else if (has_room (request, length))
        request->body_most = most;
}

/* Each refusal says what is allowed. */
static void admit_user (struct request *request, const char *method,
                        const char *path)
{
    request->quota
        = quota_of (&request->torid->quotas, request->peer->name);
    if (!request->quota)
        turn_away (request, 500, "failed", "out of memory");
    else if (request->peer->role == ROLE_READER && !only_looks (method)
             && !api_only_asks (method, path))
        turn_away (request, 403, "readers-look",
                "this token is a reader's, which allows GET and questions "
                "only");
    else if (!asks_too_much (request, 1) && !only_looks (method))
        admit_length (request, method);
}

bool admit (struct request *request, const char *method, const char *path,
            const char *version)
{
    struct connection *client = connection_of (request);
    if (!client)
        return false;
    request->peer = peer_of (request, client, only_looks (method));
    if (!request->peer && !request->reply.code)
        return true;
    request->begun = true;
    check_texts (request, path);
    check_framing (request, version);
    if (request->reply.code)
        return true;
    if (header_size (request) > HEADER_MOST)
        turn_away (request, 431, "header-too-large",
                "a header has at most %d KiB", HEADER_MOST >> 10);
    else if (signin_asked (request, method, path))
        admit_signin (request);
    else if (request->wrong_site)
        turn_away (request, 403, "other-site", "%s", request->wrong_site);
    else if (request->peer->role != ROLE_NONE)
        admit_user (request, method, path);
    else if (!is_visit (request, method, path))
        refuse_stranger (request);
    return true;
}

bool admit_hurries (const struct request *request)
{
    return request->unclear || header_of (request, "Expect");
}

bool admit_is_long (const struct request *request)
{
    size_t most = (size_t)request->torid->setup.values.body << 20;
    return length_of (request) > (request->quota ? most : DROP_STRANGER);
}
