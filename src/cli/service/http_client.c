#include "http_client.h"

#include <ctype.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "jobs.h"
#include "terminal.h"

tori_time time_since_boot (void)
{
    struct timespec time;
    clock_gettime (CLOCK_BOOTTIME, &time);
    return time.tv_sec * TORI_SECOND + time.tv_nsec / 1000;
}

int answer_print (const struct asked *asked, json_t *body, FILE *out,
                  tori_error *err)
{
    struct emit e = emit_to (out);
    const char *key;
    json_t *value;
    asked_open (&e, asked->command, asked->values);
    json_object_foreach (body, key, value)
        emit_value (&e, key, json_incref (value));
    emit_close (&e, '}');
    return emit_end (&e, err);
}

int member_print (const struct asked *asked, const char *key, json_t *value,
                  FILE *out, tori_error *err)
{
    json_t *body = json_pack ("{s:O}", key, value);
    int status = body ? answer_print (asked, body, out, err)
                      : tori_error_nomem (err);
    json_decref (body);
    return status;
}

int call_pages (const char *socket, const char *path, const char *key,
                json_t *list, tori_error *err)
{
    char url[1024];
    snprintf (url, sizeof url, "%s", path);
    for (;;) {
        json_t *page = NULL, *next;
        if (call (socket, "GET", url, NULL, &page, err) < 0)
            return -1;
        json_array_extend (list, json_object_get (page, key));
        next = json_object_get (page, "next");
        snprintf (url, sizeof url, "%s&after=%lld", path,
                  (long long)json_integer_value (next));
        json_decref (page);
        if (!next)
            return 0;
    }
}

void url_escape (const char *text, char *to, size_t size)
{
    size_t n = 0;
    for (; *text && n + 4 <= size; text++)
        n += (size_t)snprintf (to + n, size - n,
                               isalnum ((unsigned char)*text) ? "%c"
                                                              : "%%%02X",
                               (unsigned char)*text);
    to[n] = '\0';
}

int why_query (const char *why, char query[WHY_QUERY], tori_error *err)
{
    query[0] = '\0';
    if (!why)
        return 0;
    if (strlen (why) > WHY_MOST)
        return tori_error_set (err, TORI_INVALID,
                               "--why: expected at most %d bytes", WHY_MOST);
    snprintf (query, WHY_QUERY, "?why=");
    url_escape (why, query + strlen (query), WHY_QUERY - strlen (query));
    return 0;
}

#ifdef HAVE_CURL
#include "curls.h"

static const struct curls *its; /* the functions of libcurl, once they are
                                   loaded */

static int load_curl (tori_error *err)
{
    its = curls_load (err);
    return its ? 0 : -1;
}

struct text {
    char *data;
    size_t n;
};

static size_t on_data (char *data, size_t size, size_t n, void *arg)
{
    struct text *text = arg;
    char *more = realloc (text->data, text->n + size * n + 1);
    if (!more)
        return 0;
    text->data = more;
    memcpy (more + text->n, data, size * n);
    text->n += size * n;
    more[text->n] = 0;
    return size * n;
}

/* Set the error to torid's message about a refusal. */
static int set_refusal (long code, const json_t *answer, tori_error *err)
{
    const json_t *error = json_object_get (answer, "error");
    const char *message
        = json_string_value (json_object_get (error, "message"));
    const char *name = json_string_value (json_object_get (error, "code"));
    tori_status status = name && !strcmp (name, "never") ? TORI_NEVER
                         : code >= 500                   ? TORI_FAILED
                                                         : TORI_INVALID;
    /* a command sends one job only */
    if (message && !strncmp (message, "jobs[0].", 8))
        message += 8;
    tori_error_set (err, status, "%.400s",
                    message ? message : "torid refuses");
    if (err)
        text_clean (err->text);
    return -1;
}

static int take_answer (CURL *curl, const struct text *text,
                        json_t **ret_answer, tori_error *err)
{
    json_t *answer = json_loadb (text->data ? text->data : "", text->n,
                                 JSON_DECODE_ANY, NULL);
    long code = 0;
    its->easy_getinfo (curl, CURLINFO_RESPONSE_CODE, &code);
    if (code < 200 || code >= 300) {
        set_refusal (code, answer, err);
        json_decref (answer);
        return -1;
    }
    if (!answer)
        return tori_error_set (err, TORI_FAILED,
                               "the answer of torid is not JSON");
    *ret_answer = answer;
    return 0;
}

static bool is_url (const char *socket)
{
    return !strncmp (socket, "http://", 7) || !strncmp (socket, "https://", 8);
}

/* Use a socket; or an address, with a token that identifies the user. */
static void set_address (CURL *curl, const char *socket, const char *path)
{
    const char *token = getenv ("TORI_TOKEN");
    const char *trusted = getenv ("SSL_CERT_FILE");
    char url[2048];
    bool far = is_url (socket);
    size_t n = strlen (socket);
    while (far && n > 0 && socket[n - 1] == '/')
        n--;
    snprintf (url, sizeof url, "%.*s%s", far ? (int)n : 12,
              far ? socket : "http://torid", path);
    its->easy_setopt (curl, CURLOPT_URL, url);
    if (!far)
        its->easy_setopt (curl, CURLOPT_UNIX_SOCKET_PATH, socket);
    if (far && trusted && *trusted)
        its->easy_setopt (curl, CURLOPT_CAINFO, trusted);
    if (far && token && *token) {
        its->easy_setopt (curl, CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
        its->easy_setopt (curl, CURLOPT_XOAUTH2_BEARER, token);
    }
}

/* A request under way. */
struct request {
    CURL *curl;
    struct text text;
    char why[CURL_ERROR_SIZE];
    CURLcode code;
    const char *socket;
    tori_time heard; /* when it began, or when something came last */
    curl_off_t came; /* bytes until then */
    bool noted;
};

/* A socket takes requests also while its torid is stopped. After so many
 * seconds of silence, a line says so, and after more the request ends; under a
 * screen, there is no line, and the request ends earlier. */
enum { SILENCE_NOTED = 5, SILENCE_MOST = 60, SILENCE_SCREEN = 10 };
static bool has_screen;

static int on_progress (void *arg, curl_off_t all, curl_off_t came,
                        curl_off_t all_sent, curl_off_t sent)
{
    struct request *request = arg;
    tori_time now = time_since_boot ();
    tori_time silence = (now - request->heard) / TORI_SECOND;
    if (came + sent != request->came) {
        request->came = came + sent;
        request->heard = now;
        return 0;
    }
    if (silence >= SILENCE_NOTED && !request->noted && !has_screen) {
        request->noted = true;
        fprintf (stderr,
                 "tori: %s: torid has not answered for %d s: it is busy, or "
                 "stopped; still waiting\n",
                 request->socket, SILENCE_NOTED);
    }
    return silence >= (has_screen ? SILENCE_SCREEN : SILENCE_MOST);
}

static int prepare_request (struct request *request, const char *socket,
                            const char *method, const char *path,
                            const char *body)
{
    CURL *curl = its->easy_init ();
    *request = (struct request){.curl = curl,
                                .code = CURLE_GOT_NOTHING,
                                .socket = socket,
                                .heard = time_since_boot ()};
    if (!curl)
        return -1;
    set_address (curl, socket, path);
    its->easy_setopt (curl, CURLOPT_CUSTOMREQUEST, method);
    its->easy_setopt (curl, CURLOPT_WRITEFUNCTION, on_data);
    its->easy_setopt (curl, CURLOPT_WRITEDATA, &request->text);
    its->easy_setopt (curl, CURLOPT_ERRORBUFFER, request->why);
    its->easy_setopt (curl, CURLOPT_PRIVATE, request);
    its->easy_setopt (curl, CURLOPT_XFERINFOFUNCTION, on_progress);
    its->easy_setopt (curl, CURLOPT_XFERINFODATA, request);
    its->easy_setopt (curl, CURLOPT_NOPROGRESS, 0L);
    if (body) {
        its->easy_setopt (curl, CURLOPT_POSTFIELDS, body);
        its->easy_setopt (curl, CURLOPT_POSTFIELDSIZE, (long)strlen (body));
    }
    return 0;
}

static int conclude_request (const struct request *request, const char *socket,
                             json_t **ret_answer, tori_error *err)
{
    if (request->code == CURLE_OK)
        return take_answer (request->curl, &request->text, ret_answer, err);
    if (request->code == CURLE_ABORTED_BY_CALLBACK)
        return tori_error_set (err, TORI_FAILED,
                               "%s: torid has not answered for %d s; if it is "
                               "stopped, let it continue (kill -CONT) or "
                               "restart it",
                               socket,
                               has_screen ? SILENCE_SCREEN : SILENCE_MOST);
    return tori_error_set (err, TORI_FAILED,
                           request->code == CURLE_COULDNT_CONNECT
                               ? "%s: cannot connect; is torid running?"
                               : "%s: torid does not answer (%.200s)",
                           socket,
                           *request->why
                               ? request->why
                               : its->easy_strerror (request->code));
}

static void clear_request (struct request *request)
{
    its->easy_cleanup (request->curl);
    free (request->text.data);
}

/* The socket to use: the given one, else that of the user if it exists, else
 * that of the system. */
enum { SOCKET_TEXT = 256 };
static const char *find_socket (const char *socket, char text[SOCKET_TEXT])
{
    const char *dir = getenv ("XDG_RUNTIME_DIR");
    if (!socket)
        socket = getenv ("TORI_SOCKET");
    if (socket && *socket)
        return socket;
    snprintf (text, SOCKET_TEXT, "%.200s/tori/socket", dir ? dir : "");
    return dir && *dir == '/' && access (text, F_OK) == 0
               ? text
               : "/run/tori/socket";
}

/* ---- watching ---- */

struct sim_watch {
    CURLM *multi;
    CURL *stream;
    bool under_way;
    bool told; /* an event has come */
    time_t tried;
};

static size_t on_event (char *data, size_t size, size_t n, void *arg)
{
    struct sim_watch *watch = arg;
    watch->told = true;
    return size * n;
}

struct sim_watch *watch_open (const char *socket)
{
    struct sim_watch *watch;
    char text[SOCKET_TEXT];
    if (load_curl (NULL) < 0)
        return NULL;
    watch = calloc (1, sizeof *watch);
    if (!watch)
        return NULL;
    has_screen = true;
    watch->multi = its->multi_init ();
    watch->stream = its->easy_init ();
    if (!watch->multi || !watch->stream) {
        watch_close (watch);
        return NULL;
    }
    set_address (watch->stream, find_socket (socket, text), "/v1/events");
    its->easy_setopt (watch->stream, CURLOPT_WRITEFUNCTION, on_event);
    its->easy_setopt (watch->stream, CURLOPT_WRITEDATA, watch);
    return watch;
}

void watch_close (struct sim_watch *watch)
{
    if (!watch)
        return;
    if (watch->under_way)
        its->multi_remove_handle (watch->multi, watch->stream);
    its->easy_cleanup (watch->stream);
    its->multi_cleanup (watch->multi);
    free (watch);
}

/* Restart an ended stream. A restart counts as an event, because events may
 * have been missed. */
static void keep_listening (struct sim_watch *watch)
{
    int running = 0, left;
    if (!watch->under_way && time (NULL) > watch->tried) {
        watch->tried = time (NULL);
        watch->told = true;
        watch->under_way
            = its->multi_add_handle (watch->multi, watch->stream) == CURLM_OK;
    }
    if (!watch->under_way)
        return;
    its->multi_perform (watch->multi, &running);
    if (running == 0) {
        while (its->multi_info_read (watch->multi, &left))
            ;
        its->multi_remove_handle (watch->multi, watch->stream);
        watch->under_way = false;
    }
}

enum watch_news watch_wait (struct sim_watch *watch, int other, int patience)
{
    struct curl_waitfd extra[] = {{STDIN_FILENO, CURL_WAIT_POLLIN, 0},
                                  {other, CURL_WAIT_POLLIN, 0}};
    struct pollfd input = {STDIN_FILENO, POLLIN, 0};
    int news = 0;
    keep_listening (watch);
    if (!watch->told)
        its->multi_poll (watch->multi, extra, 2, patience, NULL);
    keep_listening (watch);
    if (watch->told)
        news |= WATCH_EVENT;
    watch->told = false;
    if (poll (&input, 1, 0) > 0)
        news |= input.revents & POLLIN ? WATCH_INPUT : WATCH_GONE;
    return (enum watch_news)news;
}

int call (const char *socket, const char *method, const char *path,
          const json_t *body, json_t **ret_answer, tori_error *err)
{
    struct request request = {0};
    char text[SOCKET_TEXT], *sent;
    int status = -1;
    if (load_curl (err) < 0)
        return -1;
    sent = body ? json_dumps (body, JSON_COMPACT) : NULL;
    socket = find_socket (socket, text);
    if ((body && !sent)
        || prepare_request (&request, socket, method, path, sent) < 0)
        tori_error_nomem (err);
    else {
        request.code = its->easy_perform (request.curl);
        status = conclude_request (&request, socket, ret_answer, err);
    }
    clear_request (&request);
    free (sent);
    return status;
}

/* ---- several at once ---- */

enum { AT_ONCE = 64 };

static void note_done (CURLM *multi)
{
    struct request *request;
    const CURLMsg *message;
    int left;
    while ((message = its->multi_info_read (multi, &left)))
        if (its->easy_getinfo (message->easy_handle, CURLINFO_PRIVATE,
                               &request)
            == CURLE_OK)
            request->code = message->data.result;
}

static void perform_requests (CURLM *multi)
{
    int running = 0;
    while (its->multi_perform (multi, &running) == CURLM_OK && running > 0
           && its->multi_poll (multi, NULL, 0, 1000, NULL) == CURLM_OK)
        ;
    note_done (multi);
}

static int report_one (const struct request *request,
                       const struct calls *calls, size_t i, tori_error *err)
{
    json_int_t id = json_integer_value (json_array_get (calls->ids, i));
    json_t *answer = NULL;
    tori_error why = {0};
    bool good = conclude_request (request, calls->socket, &answer, &why) == 0;
    json_decref (answer);
    if (!good && why.status == TORI_FAILED) {
        *err = why;
        return -1;
    }
    calls->on_answer (calls->arg, id, good ? NULL : &why);
    return 0;
}

static int begin_one (CURLM *multi, const struct calls *calls, size_t i,
                      const char *body, struct request *request,
                      tori_error *err)
{
    char path[256 + WHY_QUERY];
    snprintf (path, sizeof path, "%s/%lld%s%s%s", calls->under,
              (long long)json_integer_value (json_array_get (calls->ids, i)),
              calls->what ? "/" : "", calls->what ? calls->what : "",
              calls->query ? calls->query : "");
    if (prepare_request (request, calls->socket, calls->method, path, body) < 0
        || its->multi_add_handle (multi, request->curl) != CURLM_OK)
        return tori_error_nomem (err);
    return 0;
}

/* Make the next `n` requests, from `first` on. */
static int call_some (CURLM *multi, const struct calls *calls,
                      const char *body, size_t first, size_t n,
                      tori_error *err)
{
    struct request requests[AT_ONCE] = {0};
    int status = 0;
    for (size_t i = 0; i < n && status == 0; i++)
        status = begin_one (multi, calls, first + i, body, &requests[i], err);
    if (status == 0)
        perform_requests (multi);
    for (size_t i = 0; i < n; i++) {
        if (status == 0)
            status = report_one (&requests[i], calls, first + i, err);
        if (requests[i].curl)
            its->multi_remove_handle (multi, requests[i].curl);
        clear_request (&requests[i]);
    }
    return status;
}

int call_each (const struct calls *calls, tori_error *err)
{
    size_t all = json_array_size (calls->ids), n;
    struct calls found = *calls;
    char text[SOCKET_TEXT], *body;
    int status = 0;
    CURLM *multi;
    if (load_curl (err) < 0)
        return -1;
    body = calls->body ? json_dumps (calls->body, JSON_COMPACT) : NULL;
    multi = its->multi_init ();
    found.socket = find_socket (calls->socket, text);
    if (!multi || (calls->body && !body))
        status = tori_error_nomem (err);
    for (size_t i = 0; i < all && status == 0; i += n) {
        n = all - i < AT_ONCE ? all - i : AT_ONCE;
        status = call_some (multi, &found, body, i, n, err);
    }
    its->multi_cleanup (multi);
    free (body);
    return status;
}

#else

struct sim_watch *watch_open (const char *socket)
{
    return NULL;
}

void watch_close (struct sim_watch *watch)
{
}

enum watch_news watch_wait (struct sim_watch *watch, int other, int patience)
{
    return WATCH_GONE;
}

static int refuse_call (tori_error *err)
{
    return tori_error_set (err, TORI_FAILED,
                           "this tori was built without libcurl, which it "
                           "needs to ask torid");
}

int call (const char *socket, const char *method, const char *path,
          const json_t *body, json_t **ret_answer, tori_error *err)
{
    return refuse_call (err);
}

int call_each (const struct calls *calls, tori_error *err)
{
    return refuse_call (err);
}

#endif
