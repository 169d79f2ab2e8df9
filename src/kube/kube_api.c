#include "kube_api.h"

#include <curl/curl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "array.h"
#include "syserror.h"

enum {
    TOKEN_MOST = 64 << 10,
    TOKEN_SECONDS = 10,    /* from one reading of its file to the next */
    REQUEST_SECONDS = 20,  /* within which an answer has to be there */
    CONNECT_SECONDS = 5,
    IDLE_SECONDS = 30,     /* after which a silent connection is tested */
    HEADER_SECONDS = 10,   /* within which a stream has to begin */
    SILENT_SECONDS = 150,  /* after which a stream without news ends: a server
                              sends bookmarks every minute */
    LINE_MOST_BYTES = 64 << 20
};

struct request {
    CURL *curl;
    struct curl_slist *headers;
    char *method, *url, *sent;
    enum api_body kind;
    char *data; /* received */
    size_t n, room, seen;
    char why[CURL_ERROR_SIZE];
    bool stream;
    double began;
    api_line_fn *line;
    api_done_fn *done;
    void *arg;
    struct request *next; /* in the queue, or of those under way */
};

struct api {
    struct api_config config;
    CURLM *multi;
    struct request *first, **last; /* queued */
    struct request *active;
    size_t nactive, nqueued, nstreams;
    char token[TOKEN_MOST]; /* "Authorization: Bearer ..." or empty */
    double token_read;      /* when it was; 0: not yet */
};

double api_clock (void)
{
    struct timespec now;
    clock_gettime (CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* ---- the token ---- */

/* A file that cannot be read for a moment leaves the old token in use. */
static void read_token (struct api *api)
{
    char text[TOKEN_MOST - 64];
    FILE *file;
    size_t n;
    api->token_read = api_clock ();
    if (!api->config.token_file)
        return;
    file = fopen (api->config.token_file, "re");
    n = file ? fread (text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose (file);
    text[n] = 0;
    text[strcspn (text, " \t\r\n")] = 0;
    if (*text)
        snprintf (api->token, sizeof api->token, "Authorization: Bearer %s",
                  text);
}

/* ---- a request ---- */

static void request_destroy (struct request *request)
{
    if (request->curl)
        curl_easy_cleanup (request->curl);
    curl_slist_free_all (request->headers);
    free (request->method);
    free (request->url);
    free (request->sent);
    free (request->data);
    free (request);
}

/* Hand over the lines that are complete; those that are not JSON are passed
 * over. */
static void take_lines (struct request *request)
{
    size_t from = 0;
    char *end;
    while ((end = memchr (request->data + request->seen, '\n',
                          request->n - request->seen))) {
        json_t *line = json_loadb (request->data + from,
                                   (size_t)(end - request->data) - from, 0,
                                   NULL);
        if (line)
            request->line (request->arg, line);
        json_decref (line);
        from = request->seen = (size_t)(end - request->data) + 1;
    }
    request->n -= from;
    memmove (request->data, request->data + from, request->n);
    request->seen = request->n;
}

static size_t on_data (char *data, size_t size, size_t n, void *arg)
{
    struct request *request = arg;
    long code = 0;
    char *more = array_room (request->data, &request->room,
                             request->n + size * n + 1, 1);
    if (!more)
        return 0;
    request->data = more;
    memcpy (more + request->n, data, size * n);
    request->n += size * n;
    curl_easy_getinfo (request->curl, CURLINFO_RESPONSE_CODE, &code);
    if (request->stream && code == 200)
        take_lines (request);
    return request->n > LINE_MOST_BYTES && request->stream ? 0 : size * n;
}

static const char *content_type (enum api_body kind)
{
    switch (kind) {
    case BODY_MERGE_PATCH:
        return "Content-Type: application/merge-patch+json";
    case BODY_STRATEGIC_PATCH:
        return "Content-Type: application/strategic-merge-patch+json";
    case BODY_APPLY:
        return "Content-Type: application/apply-patch+yaml";
    default:
        return "Content-Type: application/json";
    }
}

static bool add_header (struct request *request, const char *text)
{
    struct curl_slist *more = curl_slist_append (request->headers, text);
    if (more)
        request->headers = more;
    return more != NULL;
}

static void set_trust (const struct api *api, CURL *curl)
{
    curl_easy_setopt (curl, CURLOPT_SSL_VERIFYPEER, 1L);
    curl_easy_setopt (curl, CURLOPT_SSL_VERIFYHOST, 2L);
    if (api->config.ca)
        curl_easy_setopt (curl, CURLOPT_CAINFO, api->config.ca);
    if (api->config.cert)
        curl_easy_setopt (curl, CURLOPT_SSLCERT, api->config.cert);
    if (api->config.key)
        curl_easy_setopt (curl, CURLOPT_SSLKEY, api->config.key);
}

static void set_patience (const struct request *request, CURL *curl)
{
    curl_easy_setopt (curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_SECONDS);
    if (!request->stream)
        curl_easy_setopt (curl, CURLOPT_TIMEOUT, (long)REQUEST_SECONDS);
    curl_easy_setopt (curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt (curl, CURLOPT_LOW_SPEED_TIME, (long)SILENT_SECONDS);
    curl_easy_setopt (curl, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt (curl, CURLOPT_TCP_KEEPIDLE, (long)IDLE_SECONDS);
    curl_easy_setopt (curl, CURLOPT_TCP_KEEPINTVL, (long)CONNECT_SECONDS);
}

/* The headers are made when the request is sent, so that it has the token of
 * that moment. */
static bool prepare_request (struct api *api, struct request *request)
{
    CURL *curl = request->curl = curl_easy_init ();
    if (!curl || !add_header (request, "Accept: application/json")
        || !add_header (request, "Expect:")
        || (*api->token && !add_header (request, api->token))
        || (request->sent
            && !add_header (request, content_type (request->kind))))
        return false;
    set_trust (api, curl);
    set_patience (request, curl);
    curl_easy_setopt (curl, CURLOPT_URL, request->url);
    curl_easy_setopt (curl, CURLOPT_CUSTOMREQUEST, request->method);
    curl_easy_setopt (curl, CURLOPT_HTTPHEADER, request->headers);
    curl_easy_setopt (curl, CURLOPT_WRITEFUNCTION, on_data);
    curl_easy_setopt (curl, CURLOPT_WRITEDATA, request);
    curl_easy_setopt (curl, CURLOPT_ERRORBUFFER, request->why);
    curl_easy_setopt (curl, CURLOPT_PRIVATE, request);
    curl_easy_setopt (curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt (curl, CURLOPT_ACCEPT_ENCODING, "");
    curl_easy_setopt (curl, CURLOPT_USERAGENT, "tori-kube");
    curl_easy_setopt (curl, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
    if (request->sent) {
        curl_easy_setopt (curl, CURLOPT_POSTFIELDS, request->sent);
        curl_easy_setopt (curl, CURLOPT_POSTFIELDSIZE,
                          (long)strlen (request->sent));
    }
    return true;
}

/* ---- the queue ---- */

static void finish_request (struct api *api, struct request *request,
                            CURLcode code)
{
    struct api_answer answer = {0};
    const json_t *message;
    if (request->curl)
        curl_easy_getinfo (request->curl, CURLINFO_RESPONSE_CODE,
                           &answer.code);
    if (request->stream ? answer.code != 200 : code == CURLE_OK)
        answer.body = json_loadb (request->data ? request->data : "",
                                  request->n, 0, NULL);
    if (code != CURLE_OK && !request->stream)
        answer.code = 0;
    message = json_object_get (answer.body, "message");
    answer.why = *request->why               ? request->why
                 : code != CURLE_OK          ? curl_easy_strerror (code)
                 : json_string_value (message) ? json_string_value (message)
                                               : "";
    if (answer.code == 401)
        read_token (api);
    request->done (request->arg, &answer);
    json_decref (answer.body);
    request_destroy (request);
}

static void start_request (struct api *api, struct request *request)
{
    if (!prepare_request (api, request)
        || curl_multi_add_handle (api->multi, request->curl) != CURLM_OK) {
        finish_request (api, request, CURLE_OUT_OF_MEMORY);
        return;
    }
    request->next = api->active;
    api->active = request;
    request->began = api_clock ();
    if (request->stream)
        api->nstreams++;
    else
        api->nactive++;
}

static void start_queued (struct api *api)
{
    double now = api_clock ();
    if (api->first
        && (api->token_read <= 0 || now - api->token_read > TOKEN_SECONDS))
        read_token (api);
    while (api->first
           && (api->first->stream || api->nactive < api->config.connections)) {
        struct request *request = api->first;
        api->first = request->next;
        if (!api->first)
            api->last = &api->first;
        api->nqueued--;
        start_request (api, request);
    }
}

static int queue_request (struct api *api, const char *path,
                          struct request *request)
{
    if (asprintf (&request->url, "%s%s", api->config.server, path) < 0)
        request->url = NULL;
    if (!request->url || !request->method) {
        request_destroy (request);
        return -1;
    }
    *api->last = request;
    api->last = &request->next;
    api->nqueued++;
    return 0;
}

int api_send (struct api *api, const char *method, const char *path,
              enum api_body kind, json_t *body, api_done_fn *done, void *arg)
{
    struct request *request = calloc (1, sizeof *request);
    if (!request) {
        json_decref (body);
        return -1;
    }
    request->method = strdup (method);
    request->kind = kind;
    request->done = done;
    request->arg = arg;
    if (body) {
        request->sent = json_dumps (body, JSON_COMPACT);
        json_decref (body);
        if (!request->sent) {
            request_destroy (request);
            return -1;
        }
    }
    return queue_request (api, path, request);
}

/* A stream waits for no other request: it goes to the front of the queue. */
int api_stream (struct api *api, const char *path, api_line_fn *line,
                api_done_fn *done, void *arg)
{
    struct request *request = calloc (1, sizeof *request);
    if (!request)
        return -1;
    request->method = strdup ("GET");
    request->stream = true;
    request->line = line;
    request->done = done;
    request->arg = arg;
    if (queue_request (api, path, request) < 0)
        return -1;
    if (api->first != request) {
        struct request *before = api->first;
        while (before->next != request)
            before = before->next;
        before->next = NULL;
        api->last = &before->next;
        request->next = api->first;
        api->first = request;
    }
    return 0;
}

static void leave_active (struct api *api, struct request *request)
{
    struct request **at = &api->active;
    while (*at && *at != request)
        at = &(*at)->next;
    if (*at)
        *at = request->next;
    if (request->stream)
        api->nstreams--;
    else
        api->nactive--;
}

static void take_finished (struct api *api)
{
    CURLMsg *message;
    int left;
    while ((message = curl_multi_info_read (api->multi, &left))) {
        struct request *request = NULL;
        CURLcode code = message->data.result;
        if (message->msg != CURLMSG_DONE)
            continue;
        curl_easy_getinfo (message->easy_handle, CURLINFO_PRIVATE, &request);
        curl_multi_remove_handle (api->multi, request->curl);
        leave_active (api, request);
        finish_request (api, request, code);
    }
}

/* A server that is just starting may take a request and never answer it. */
static void end_unanswered (struct api *api)
{
    struct request *request = api->active, *next;
    for (; request; request = next) {
        long code = 0;
        next = request->next;
        curl_easy_getinfo (request->curl, CURLINFO_RESPONSE_CODE, &code);
        if (!request->stream || code > 0
            || api_clock () - request->began < HEADER_SECONDS)
            continue;
        curl_multi_remove_handle (api->multi, request->curl);
        leave_active (api, request);
        finish_request (api, request, CURLE_OPERATION_TIMEDOUT);
    }
}

bool api_turn (struct api *api, int input, int milliseconds)
{
    struct curl_waitfd wait = {.fd = input, .events = CURL_WAIT_POLLIN};
    struct pollfd now = {.fd = input, .events = POLLIN};
    int running;
    start_queued (api);
    curl_multi_perform (api->multi, &running);
    curl_multi_poll (api->multi, &wait, 1, milliseconds, NULL);
    curl_multi_perform (api->multi, &running);
    take_finished (api);
    end_unanswered (api);
    start_queued (api);
    return poll (&now, 1, 0) > 0;
}

size_t api_open (const struct api *api)
{
    return api->nqueued + api->nactive;
}

int api_create (const struct api_config *config, struct api **ret_api,
                tori_error *err)
{
    struct api *api = calloc (1, sizeof *api);
    if (!api)
        return tori_error_nomem (err);
    api->config = *config;
    api->last = &api->first;
    if (curl_global_init (CURL_GLOBAL_DEFAULT) == CURLE_OK)
        api->multi = curl_multi_init ();
    if (!api->multi) {
        free (api);
        return tori_error_nomem (err);
    }
    curl_multi_setopt (api->multi, CURLMOPT_MAXCONNECTS,
                       (long)config->connections + 8);
    *ret_api = api;
    return 0;
}

void api_destroy (struct api *api)
{
    struct request *request;
    if (!api)
        return;
    while ((request = api->active)) {
        api->active = request->next;
        curl_multi_remove_handle (api->multi, request->curl);
        finish_request (api, request, CURLE_ABORTED_BY_CALLBACK);
    }
    while ((request = api->first)) {
        api->first = request->next;
        finish_request (api, request, CURLE_ABORTED_BY_CALLBACK);
    }
    curl_multi_cleanup (api->multi);
    curl_global_cleanup ();
    free (api);
}
