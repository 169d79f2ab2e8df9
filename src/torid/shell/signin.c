/* signin.c - coming in with a browser. */
#include "signin.h"

#include <errno.h>
#include <fcntl.h>
#include <nettle/base16.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "admit.h"
#include "api.h"
#include "syserror.h"

/* All members are bytes, so that the structure has no padding. */
struct session {
    unsigned char chance[16];
    unsigned char until[8]; /* seconds since 1970, the highest byte first */
    unsigned char token[TOKEN_HASH];
    unsigned char mark[SHA256_DIGEST_SIZE]; /* of all before it */
};

enum { SESSION_TEXT = 2 * sizeof (struct session) };

/* ---- the key ---- */

static int make_key (struct torid *torid, const char *path, tori_error *err)
{
    unsigned char *key = torid->session_key;
    ssize_t size = sizeof torid->session_key;
    int fd = open (path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool good = fd >= 0 && getrandom (key, (size_t)size, 0) == size
                && write (fd, key, (size_t)size) == size && fsync (fd) == 0;
    if (!good)
        system_error (path, errno, err);
    if (fd >= 0)
        close (fd);
    if (fd >= 0 && !good)
        unlink (path);
    return good ? 0 : -1;
}

int signin_open (struct torid *torid, tori_error *err)
{
    ssize_t size = sizeof torid->session_key, n;
    char path[4096];
    int fd;
    snprintf (path, sizeof path, "%s/session-key", torid->state);
    fd = open (path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? make_key (torid, path, err)
                               : system_error (path, errno, err);
    n = read (fd, torid->session_key, (size_t)size);
    close (fd);
    if (n == size)
        return 0;
    return tori_error_set (err, TORI_FAILED,
                           "%s: too short; remove it, and sessions end",
                           path);
}

/* ---- sessions ---- */

static void mark_session (const struct torid *torid,
                          const struct session *session,
                          unsigned char to[SHA256_DIGEST_SIZE])
{
    struct hmac_sha256_ctx context;
    hmac_sha256_set_key (&context, sizeof torid->session_key,
                         torid->session_key);
    hmac_sha256_update (&context, offsetof (struct session, mark),
                        (const uint8_t *)session);
    hmac_sha256_digest (&context, SHA256_DIGEST_SIZE, to);
}

static bool read_session (const char *text, struct session *to)
{
    struct base16_decode_ctx context;
    size_t n = sizeof *to;
    base16_decode_init (&context);
    return strlen (text) == SESSION_TEXT
           && base16_decode_update (&context, &n, (uint8_t *)to, SESSION_TEXT,
                                    text)
           && base16_decode_final (&context) && n == sizeof *to;
}

const struct token *signin_token (struct torid *torid, const char *cookie)
{
    unsigned char mark[SHA256_DIGEST_SIZE];
    struct session session;
    uint64_t until = 0;
    if (!read_session (cookie, &session))
        return NULL;
    mark_session (torid, &session, mark);
    for (size_t i = 0; i < sizeof session.until; i++)
        until = until << 8 | session.until[i];
    if (!memeql_sec (mark, session.mark, sizeof mark)
        || until <= (uint64_t)time (NULL))
        return NULL;
    return tokens_find_hash (&torid->tokens, session.token);
}

static const char *header_of (const struct request *request, const char *name)
{
    return MHD_lookup_connection_value (request->connection, MHD_HEADER_KIND,
                                        name);
}

/* A proxy that speaks TLS says so; this only makes the cookie safer. */
static void give_cookie (struct request *request, const char *text,
                         int64_t lasts)
{
    const char *outside = header_of (request, "X-Forwarded-Proto");
    char cookie[sizeof request->headers->value];
    snprintf (cookie, sizeof cookie,
              SIGNIN_COOKIE "=%s; Path=/; Max-Age=%lld; HttpOnly; "
                            "SameSite=Strict%s",
              text, (long long)lasts,
              outside && !strcasecmp (outside, "https") ? "; Secure" : "");
    add_header (request, "Set-Cookie", cookie);
    add_header (request, "Cache-Control", "no-store");
}

static json_t *describe_user (const char *name, enum role role)
{
    return json_pack ("{s:s, s:s}", "user", name, "role",
                      role_name ((size_t)role - 1));
}

bool get_whoami (struct asking *a)
{
    const struct peer *peer = a->request->peer;
    reply (a, 200, describe_user (peer->name, peer->role));
    return true;
}

static void give_session (struct request *request, const struct token *token)
{
    struct torid *torid = request->torid;
    int64_t lasts = torid->setup.values.session_time / TORI_SECOND;
    uint64_t until = (uint64_t)(time (NULL) + lasts);
    struct session session;
    char text[SESSION_TEXT + 1];
    if (getrandom (session.chance, sizeof session.chance, 0)
        != (ssize_t)sizeof session.chance) {
        turn_away (request, 500, "failed", "no random numbers");
        return;
    }
    for (size_t i = 0; i < sizeof session.until; i++)
        session.until[i] = (unsigned char)(until >> (56 - 8 * i));
    memcpy (session.token, token->hash, TOKEN_HASH);
    mark_session (torid, &session, session.mark);
    base16_encode_update (text, sizeof session, (const uint8_t *)&session);
    text[SESSION_TEXT] = '\0';
    give_cookie (request, text, lasts);
    request->reply
        = (struct reply){200, describe_user (token->user, token->role)};
}

/* ---- who made the page ---- */

/* Origin is SCHEME://HOST, as in the address of the page. */
static bool is_own_origin (const struct request *request, const char *origin)
{
    const char *host = header_of (request, "Host");
    const char *at = strstr (origin, "://");
    return host && at && !strcasecmp (at + 3, host);
}

static bool is_json (const struct request *request)
{
    const char *type = header_of (request, "Content-Type");
    return type && !strncasecmp (type, "application/json", 16);
}

static bool has_body (const struct request *request)
{
    const char *length = header_of (request, "Content-Length");
    return header_of (request, "Transfer-Encoding")
           || (length && strcmp (length, "0"));
}

/* Browsers say it by Sec-Fetch-Site, unless the page came without TLS from
 * another host; if not, by Origin when something is to change. */
const char *signin_wrong_site (const struct request *request, bool looks)
{
    const char *site = header_of (request, "Sec-Fetch-Site");
    const char *mode = header_of (request, "Sec-Fetch-Mode");
    const char *origin = header_of (request, "Origin");
    bool own = looks;
    if (looks && mode && !strcmp (mode, "navigate"))
        return NULL;
    if (site)
        own = !strcmp (site, "same-origin") || !strcmp (site, "none");
    else if (origin)
        own = is_own_origin (request, origin);
    if (!own)
        return "a session is good only for torid's own page";
    if (!looks && has_body (request) && !is_json (request))
        return "expected Content-Type: application/json";
    return NULL;
}

/* ---- signing in and out ---- */

bool signin_asked (const struct request *request, const char *method,
                   const char *path)
{
    return !request->listener->local && !strcmp (method, "POST")
           && (!strcmp (path, SIGNIN_PATH) || !strcmp (path, SIGNOUT_PATH));
}

/* Programs have no page, and need not say where they come from. */
static const char *refuse_page (const struct request *request)
{
    if (header_of (request, "Origin") || header_of (request, "Sec-Fetch-Site"))
        return signin_wrong_site (request, false);
    return !has_body (request) || is_json (request)
               ? NULL
               : "expected Content-Type: application/json";
}

static const struct token *find_token (struct torid *torid,
                                       const json_t *body)
{
    const char *text = json_string_value (json_object_get (body, "token"));
    const char *code = json_string_value (json_object_get (body, "code"));
    const struct token *found;
    if (text)
        return tokens_find (&torid->tokens, text);
    found = code ? tokens_find_code (&torid->tokens, code) : NULL;
    if (found) /* it stays used after a crash as well */
        (void)tokens_write_used (&torid->tokens, torid->state, NULL);
    return found;
}

/* Whether a request is refused, with its answer. */
static bool is_refused (struct request *request)
{
    const char *wrong = refuse_page (request);
    if (wrong)
        turn_away (request, 403, "other-site", "%s", wrong);
    return wrong;
}

/* Who signs in uses what that user may ask, and all who fail share the rest:
 * so failures, which nobody can be blamed for, keep no user out. They find
 * nothing by trying, because tokens cannot be guessed. A code works once. */
static bool signs_too_often (struct request *request,
                             const struct token *token, bool by_code)
{
    struct torid *torid = request->torid;
    int64_t most = torid->setup.values.requests;
    struct quota *quota
        = token ? quota_of (&torid->quotas, token->user) : request->quota;
    if ((token && (by_code || token->role == ROLE_OPERATOR))
        || (quota && quota_ask (quota, most, 1, uv_now (&torid->loop))))
        return false;
    add_header (request, "Retry-After", "1");
    turn_away (request, 429, "too-many-requests",
               "%s at most %lld requests per second",
               token ? "a user may make" : "of those that fail to sign in,",
               (long long)most);
    return true;
}

static void answer_signin (struct request *request, const json_t *body)
{
    const struct token *token = find_token (request->torid, body);
    if (signs_too_often (request, token, !json_object_get (body, "token")))
        return;
    if (token)
        give_session (request, token);
    else if (json_object_get (body, "token")
             || json_object_get (body, "code"))
        turn_away (request, 401, "bad-token",
                   "this token or code is not known, or is no longer good");
    else
        turn_away (request, 400, "bad-request",
                   "expected {\"token\": TEXT} or {\"code\": TEXT}");
}

bool post_signin (struct asking *a)
{
    struct request *request = a->request;
    json_t *body;
    if (request->listener->local)
        turn_away (request, 404, "no-such-path",
                   "who comes to this socket is known already");
    else if (!is_refused (request)) {
        body = json_loadb (request->body ? request->body : "", request->n,
                           JSON_REJECT_DUPLICATES, NULL);
        answer_signin (request, body);
        json_decref (body);
    }
    return true;
}

/* A copied session lasts until its end, or as long as its token: torid keeps
 * no list of sessions. */
bool post_signout (struct asking *a)
{
    if (is_refused (a->request))
        return true;
    give_cookie (a->request, "", 0);
    a->request->reply
        = (struct reply){200, json_pack ("{s:b}", "signed_out", 1)};
    return true;
}
