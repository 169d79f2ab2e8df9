/* api.c - finding the route of a request, and what all answers share. */
#include "api.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "admit.h"
#include "duration.h"
#include "number.h"
#include "questions.h"
#include "shortage.h"

/* ---- answers ---- */

static json_t *error_json (const char *code, const char *message)
{
    return json_pack ("{s:{s:s, s:s}}", "error", "code", code, "message",
                      message);
}

void reply (struct asking *a, int code, json_t *body)
{
    json_decref (a->request->reply.body);
    a->request->reply
        = body ? (struct reply){code, body}
               : (struct reply){500, error_json ("failed", "out of memory")};
}

void reply_text (struct asking *a, int code, const char *type, char *text)
{
    if (!text) {
        reply (a, code, NULL);
        return;
    }
    a->request->reply.code = code;
    a->request->text = text;
    a->request->type = type;
}

void refuse_with (struct asking *a, int code, const char *name,
                  const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start (args, fmt);
    vsnprintf (text, sizeof text, fmt, args);
    va_end (args);
    reply (a, code, error_json (name, text));
}

void reply_header (struct asking *a, const char *name, const char *fmt, ...)
{
    struct request *request = a->request;
    struct header *header = &request->headers[request->nheaders];
    va_list args;
    if (request->nheaders == sizeof request->headers / sizeof *header)
        return;
    va_start (args, fmt);
    vsnprintf (header->value, sizeof header->value, fmt, args);
    va_end (args);
    header->name = name;
    request->nheaders++;
}

/* ---- questions ---- */

const char *query (const struct asking *a, const char *key)
{
    return MHD_lookup_connection_value (a->request->connection,
                                        MHD_GET_ARGUMENT_KIND, key);
}

uint64_t query_number (const struct asking *a, const char *key,
                       uint64_t otherwise)
{
    const char *text = query (a, key);
    uint64_t value;
    return text && number_scan (&text, INT64_MAX, &value) && !*text
               ? value
               : otherwise;
}

tori_time query_since (const struct asking *a, const char *key)
{
    const char *text = query (a, key);
    uint64_t seconds = query_number (a, key, UINT64_MAX);
    tori_time now = torid_now (a->torid), ago;
    if (seconds != UINT64_MAX)
        return (tori_time)seconds * TORI_SECOND;
    return text && limit_parse (text, &ago, NULL) == 0 && ago < now ? now - ago
                                                                     : 0;
}

const char *header (const struct asking *a, const char *name)
{
    return MHD_lookup_connection_value (a->request->connection,
                                        MHD_HEADER_KIND, name);
}

/* About as many values as a text of JSON has: each but the first follows a
 * bracket, a comma or a colon outside of strings. */
static size_t count_values (const char *text, size_t n)
{
    size_t values = 1;
    bool quoted = false;
    for (size_t i = 0; i < n; i++)
        if (text[i] == '"')
            quoted = !quoted;
        else if (quoted)
            i += text[i] == '\\';
        else
            values += text[i] == ',' || text[i] == ':' || text[i] == '['
                      || text[i] == '{';
    return values;
}

/* Numbers take as little as two bytes each, and a hundred nanoseconds, members
 * of large objects a microsecond: a body of nothing else would keep everybody
 * waiting, and so would many at once. 1,001 jobs with twenty members each have
 * fewer. */
json_t *read_body (struct asking *a)
{
    enum { MOST_VALUES = 50000, UNIT = 250 };
    const char *text = a->request->body ? a->request->body : "";
    size_t n = count_values (text, a->request->n);
    json_error_t why;
    json_t *body;
    if (n > MOST_VALUES) {
        refuse_with (a, 413, "too-large",
                     "a body holds at most %d values of JSON, and this one "
                     "has %zu",
                     MOST_VALUES, n);
        return NULL;
    }
    if (asks_too_much (a->request, n / UNIT))
        return NULL;
    body = json_loadb (text, a->request->n, JSON_REJECT_DUPLICATES, &why);
    if (!body)
        refuse_with (a, 400, "not-json", "line %d, column %d: %s", why.line,
                     why.column, why.text);
    return body;
}

json_t *read_object (struct asking *a)
{
    json_t *body = read_body (a);
    if (body && !json_is_object (body)) {
        json_decref (body);
        refuse_with (a, 400, "bad-request", "expected an object");
        return NULL;
    }
    return body;
}

json_t *read_members (struct asking *a, const struct sheet *known)
{
    json_t *body = read_body (a);
    tori_error err = {0};
    if (body && members_check (body, known, &err) < 0) {
        json_decref (body);
        refuse_with (a, 400, "bad-request", "%s", err.text);
        return NULL;
    }
    return body;
}

bool tell (struct asking *a, const char *in, json_t *input)
{
    if (a->torid->stuck) {
        json_decref (input);
        refuse_with (a, 503, "no-disk", "%s", a->torid->trouble);
        return true;
    }
    json_object_set_new (input, "in", json_string (in));
    json_object_set_new (input, "user", json_string (a->user));
    /* Whatever the body says of these. */
    json_object_del (input, "groups");
    if (*a->request->peer->groups)
        json_object_set_new (input, "groups",
                             json_string (a->request->peer->groups));
    json_object_set_new (input, "root", json_boolean (a->is_operator));
    torid_tell (a->torid, input, &a->request->reply);
    json_decref (input);
    return a->request->reply.code >= 300;
}

bool tell_id (struct asking *a, const char *in)
{
    return tell (a, in,
                 json_pack ("{s:I, s:s*}", "id", (json_int_t)a->id, "why",
                            query (a, "why")));
}

void reply_next (struct asking *a, json_int_t after)
{
    static const char *const kept[]
        = {"state", "user", "alias", "job", "since", "limit"};
    char text[sizeof a->request->headers->value];
    size_t n = (size_t)snprintf (text, sizeof text, "<%s?after=%lld",
                                 a->path, (long long)after);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        const char *value = query (a, kept[i]);
        if (value && n < sizeof text)
            n += (size_t)snprintf (text + n, sizeof text - n, "&%s=%s",
                                   kept[i], value);
    }
    if (n + sizeof ">; rel=next" <= sizeof text)
        reply_header (a, "Link", "%s>; rel=next", text);
}

/* Write the members of a list that fit on a page, but at least one. *ret_n is
 * how many. */
static bool write_rows (const json_t *list, FILE *to, size_t *ret_n)
{
    size_t i = 0, bytes = 0;
    for (; i < json_array_size (list); i++) {
        char *text = json_dumps (json_array_get (list, i), ANSWER_FLAGS);
        size_t n = text ? strlen (text) : 0;
        bool fits = text && (i == 0 || bytes + n <= PAGE_MOST);
        if (fits)
            fprintf (to, "%s%s", i ? "," : "", text);
        free (text);
        if (!text)
            return false;
        if (!fits)
            break;
        bytes += n;
    }
    *ret_n = i;
    return true;
}

void reply_page (struct asking *a, const char *name, json_t *list,
                 const char *key, bool more)
{
    char *text = NULL;
    size_t n = 0, size;
    FILE *to = list ? open_memstream (&text, &size) : NULL;
    bool good = to && fprintf (to, "{\"%s\":[", name) > 0
                && write_rows (list, to, &n);
    json_int_t last = json_integer_value (
        json_object_get (json_array_get (list, n - 1), key));
    more |= n < json_array_size (list);
    if (good && more) {
        fprintf (to, "],\"next\":%" JSON_INTEGER_FORMAT "}", last);
        reply_next (a, last);
    } else if (good) {
        fputs ("]}", to);
    }
    json_decref (list);
    if (to && (fclose (to) != 0 || !good)) {
        free (text);
        text = NULL;
    }
    reply_text (a, 200, "application/json", text);
}

/* ---- what the query says ---- */

/* The names of all parameters, or all values of one, with commas. */
static void list_params (const struct param *all, char *text, size_t size)
{
    size_t n = 0;
    *text = '\0';
    for (const struct param *p = all; p && p->name && n < size; p++)
        n += (size_t)snprintf (text + n, size - n, "%s%s", n ? ", " : "",
                               p->name);
}

static void list_values (const char *const *values, char *text, size_t size)
{
    size_t n = 0;
    for (; *values && n < size; values++)
        n += (size_t)snprintf (text + n, size - n, "%s%s", n ? ", " : "",
                               *values);
}

static bool is_one_of (const char *const *values, const char *text)
{
    for (; *values; values++)
        if (!strcmp (*values, text))
            return true;
    return false;
}

static void check_value (struct asking *a, const struct param *param,
                         const char *value)
{
    char text[200];
    int64_t number;
    tori_error err;
    if (param->ago && limit_parse (value, &number, NULL) == 0)
        return;
    if (param->max > 0
        && number_parse (value, param->name, param->min, param->max, &number,
                         &err)
               < 0)
        refuse_with (a, 400, "bad-query",
                     "%s: expected a whole number from %lld to %lld%s",
                     param->name, (long long)param->min,
                     (long long)param->max,
                     param->ago ? ", or a duration such as 12h" : "");
    if (!param->values || is_one_of (param->values, value))
        return;
    list_values (param->values, text, sizeof text);
    refuse_with (a, 400, "bad-query", "%s: expected one of %s", param->name,
                 text);
}

struct checking {
    struct asking *a;
    const struct param *params;
};

static enum MHD_Result on_argument (void *arg, enum MHD_ValueKind kind,
                                    const char *key, const char *value)
{
    struct checking *it = arg;
    const struct param *p = it->params;
    char text[200];
    while (p && p->name && strcmp (p->name, key))
        p++;
    if (p && p->name) {
        check_value (it->a, p, value ? value : "");
    } else {
        list_params (it->params, text, sizeof text);
        refuse_with (it->a, 400, "bad-query", "%.40s: expected %s", key,
                     *text ? text : "nothing after the question mark");
    }
    return it->a->request->reply.code ? MHD_NO : MHD_YES;
}

/* ---- routes ---- */

/* Compare the path with a pattern, and keep the values of {id} and {node}. */
static bool matches_path (struct asking *a, const char *pattern)
{
    const char *path = a->path;
    while (*pattern) {
        if (!strncmp (pattern, "{id}", 4)) {
            if (!number_scan (&path, INT64_MAX, &a->id))
                return false;
            pattern += 4;
        } else if (*pattern == '{') {
            a->rest = path;
            return *path != '\0';
        } else if (*pattern++ != *path++) {
            return false;
        }
    }
    return !*path;
}

/* An answer for which there was not enough memory may be wrong: a job that is
 * there seems not to be. */
static void check_shortage (struct asking *a, unsigned long before)
{
    if (shortage_count () == before)
        return;
    free (a->request->text);
    a->request->text = NULL;
    reply (a, 500, NULL);
}

/* Refuse more answers while too many have not been read. This comes before any
 * work, so a change that was made is never refused. */
static void check_unread (struct asking *a)
{
    const struct settings *v = &a->torid->setup.values;
    bool own = !a->is_operator
               && a->request->quota->answers
                      >= (size_t)v->user_answers << 20;
    if (!own && a->torid->quotas.answers < (size_t)v->answers << 20)
        return;
    reply_header (a, "Retry-After", "1");
    refuse_with (a, own ? 429 : 503, "too-many-answers",
                 "answers that %s not read in full hold at most %lld MiB",
                 own ? "a user has" : "all users have",
                 (long long)(own ? v->user_answers : v->answers));
}

static bool take_route (struct asking *a, const struct route *route)
{
    struct checking checking = {a, route->params};
    unsigned long shortages = shortage_count ();
    bool now;
    if (route->answer != get_health)
        check_unread (a);
    if (a->request->reply.code)
        return true;
    MHD_get_connection_values (a->request->connection, MHD_GET_ARGUMENT_KIND,
                               on_argument, &checking);
    now = a->request->reply.code ? true : route->answer (a);
    if (now)
        check_shortage (a, shortages);
    return now;
}

bool api_only_asks (const char *method, const char *path)
{
    for (const struct route *route = routes; route->path; route++)
        if (route->asks && !strcmp (route->method, method)
            && !strcmp (route->path, path))
            return true;
    return false;
}

/* List the methods of this path, with commas: "" if there is no such path. */
static void find_methods (struct asking *a, char *text, size_t size)
{
    size_t n = 0;
    *text = '\0';
    for (const struct route *r = routes; r->path; r++)
        if (matches_path (a, r->path))
            n += (size_t)snprintf (text + n, size - n, "%s%s%s",
                                   n ? ", " : "", r->method,
                                   strcmp (r->method, "GET") ? "" : ", HEAD");
    if (n > 0)
        snprintf (text + n, size - n, ", OPTIONS");
}

static bool answer_options (struct asking *a)
{
    char methods[100];
    find_methods (a, methods, sizeof methods);
    if (!*methods) {
        refuse_with (a, 404, "no-such-path", "there is nothing here");
        return true;
    }
    reply_header (a, "Allow", "%s", methods);
    if (!strcmp (a->method, "OPTIONS"))
        reply_text (a, 204, NULL, strdup (""));
    else
        refuse_with (a, 405, "no-such-method", "expected %s", methods);
    return true;
}

bool api_answer (struct torid *torid, struct request *request,
                 const char *method, const char *path, const char *user,
                 bool is_operator)
{
    struct asking a = {torid, request, method, path, user, is_operator, 0};
    const char *like = strcmp (method, "HEAD") ? method : "GET";
    if (torid->ending) {
        refuse_with (&a, 503, "ending", "torid is ending");
        return true;
    }
    for (const struct route *r = routes; r->path; r++)
        if (!strcmp (r->method, like) && matches_path (&a, r->path))
            return take_route (&a, r);
    return answer_options (&a);
}
