/* tori queue, tori show and tori nodes - what a running torid has. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "caller.h"
#include "commands.h"
#include "fields.h"
#include "number.h"
#include "table.h"
#include "terminal.h"

struct values {
    const char *socket, *id, *user;
    bool all, json;
};

#define AT(member) offsetof (struct values, member)

static const char *text_of (const json_t *job, const char *key)
{
    const char *text = json_string_value (json_object_get (job, key));
    return text ? text : "";
}

/* Print a value of torid's as a member of the answer. */
static int print_json (const struct asked *asked, const char *key,
                       json_t *value, FILE *out, tori_error *err)
{
    json_t *body = json_pack ("{s:O}", key, value);
    int status = body ? answer_print (asked, body, out, err)
                      : tori_error_nomem (err);
    json_decref (body);
    return status;
}

/* ---- tori queue ---- */

static const struct option queue_options[] = {
    {"all", OPTION_FLAG, AT (all), .help = "jobs that have ended as well"},
    {"user", OPTION_STRING, AT (user), "USER", .help = "only this user's"},
    OPTION_ROW_SOCKET (struct values),
    OPTION_ROW_JSON (struct values),
    {.name = NULL},
};

/* All pages of the list, one after another. */
static int fetch_jobs (const struct values *v, json_t **ret_jobs,
                       tori_error *err)
{
    json_t *jobs = json_array ();
    json_int_t after = 0;
    char path[512];
    for (;;) {
        json_t *page = NULL, *next;
        snprintf (path, sizeof path, "/v1/jobs?limit=1000&after=%lld%s%.200s",
                  (long long)after, v->user ? "&user=" : "",
                  v->user ? v->user : "");
        if (call (v->socket, "GET", path, NULL, &page, err) < 0) {
            json_decref (jobs);
            return -1;
        }
        json_array_extend (jobs, json_object_get (page, "jobs"));
        next = json_object_get (page, "next");
        after = json_integer_value (next);
        json_decref (page);
        if (!next)
            break;
    }
    *ret_jobs = jobs;
    return 0;
}

static void count_text (size_t n, char *text, size_t size)
{
    snprintf (text, size, "%zu node%s", n, n == 1 ? "" : "s");
}

static void request_text (const json_t *job, char *text, size_t size)
{
    if (json_object_get (job, "shape"))
        snprintf (text, size, "%.80s%s%.20s", text_of (job, "shape"),
                  *text_of (job, "wiring") ? " " : "",
                  text_of (job, "wiring"));
    else
        count_text ((size_t)json_integer_value (
                        json_object_get (job, "count")),
                    text, size);
}

/* What there is to say of it: where it runs, why it waits, how it ended. */
static void remark_text (const json_t *job, char *text, size_t size)
{
    const json_t *place = json_object_get (job, "place");
    const char *state = text_of (job, "state");
    if (!strcmp (state, "queued"))
        snprintf (text, size, "%.60s", text_of (job, "reason"));
    else if (!strcmp (state, "running") && json_object_get (place, "box"))
        snprintf (text, size, "%.80s", text_of (place, "box"));
    else if (!strcmp (state, "running"))
        count_text (json_array_size (json_object_get (place, "nodes")), text,
                    size);
    else if (*text_of (job, "why"))
        snprintf (text, size, "%.80s", text_of (job, "why"));
    else
        snprintf (text, size, "status %lld",
                  (long long)json_integer_value (
                      json_object_get (job, "status")));
}

static int print_jobs (const json_t *jobs, bool all, FILE *out,
                       tori_error *err)
{
    static const struct table_column columns[] = {
        {"job", TABLE_NUMBER}, {"user", TABLE_TEXT}, {"state", TABLE_TEXT},
        {"asks for", TABLE_TEXT}, {"time, s", TABLE_NUMBER},
        {"", TABLE_TEXT}, {"name", TABLE_TEXT},
    };
    struct table *table = table_create (columns, 7);
    int status;
    for (size_t i = 0; i < json_array_size (jobs); i++) {
        const json_t *job = json_array_get (jobs, i);
        char request[128], remark[128];
        if (!all && !strcmp (text_of (job, "state"), "ended"))
            continue;
        request_text (job, request, sizeof request);
        remark_text (job, remark, sizeof remark);
        table_cell (table, "%lld",
                    (long long)json_integer_value (
                        json_object_get (job, "id")));
        table_cell (table, "%s", text_of (job, "user"));
        table_cell (table, "%s", text_of (job, "state"));
        table_cell (table, "%s", request);
        table_cell (table, "%g",
                    json_number_value (json_object_get (job, "estimate")));
        table_cell (table, "%s", remark);
        table_cell (table, "%s", text_of (job, "name"));
    }
    status = table_print (table, out, terminal_bold (), err);
    table_destroy (table);
    return status;
}

static int run_queue (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    json_t *jobs = NULL;
    int status;
    if (fetch_jobs (v, &jobs, err) < 0)
        return -1;
    status = v->json
                 ? print_json (&(struct asked){"queue", &command_queue, v},
                               "jobs", jobs, out, err)
                 : print_jobs (jobs, v->all, out, err);
    json_decref (jobs);
    return status;
}

const struct command command_queue = {
    .name = "queue",
    .summary = "List the jobs of a running torid",
    .notes = "A job that waits is listed with the reason; 'tori why' says "
             "more.",
    .options = queue_options,
    .size = sizeof (struct values),
    .answer = &answer_queue,
    .examples = "tori queue",
    .run = run_queue,
};

/* ---- tori show ---- */

static const struct option show_options[] = {
    OPTION_ROW_SOCKET (struct values),
    OPTION_ROW_JSON (struct values),
    {"id", OPTION_STRING, AT (id), "ID", .operand = true, .required = true,
     .help = "the number of a job"},
    {.name = NULL},
};

static void print_members (json_t *job, FILE *out)
{
    const char *key;
    json_t *value;
    json_object_foreach (job, key, value)
    {
        char *text = json_is_string (value)
                         ? strdup (json_string_value (value))
                         : json_dumps (value, JSON_ENCODE_ANY
                                                  | JSON_REAL_PRECISION (16));
        fprintf (out, "%-10s %s\n", key, text ? text : "");
        free (text);
    }
}

static int run_show (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    json_t *job = NULL;
    char path[64];
    int64_t id;
    int status = 0;
    if (number_parse (v->id, "ID", 1, INT64_MAX, &id, err) < 0)
        return -1;
    snprintf (path, sizeof path, "/v1/jobs/%" PRId64, id);
    if (call (v->socket, "GET", path, NULL, &job, err) < 0)
        return -1;
    if (v->json)
        status = print_json (&(struct asked){"show", &command_show, v}, "job",
                             job, out, err);
    else
        print_members (job, out);
    json_decref (job);
    return status;
}

const struct command command_show = {
    .name = "show",
    .summary = "Show one job of a running torid in full",
    .options = show_options,
    .size = sizeof (struct values),
    .answer = &answer_show,
    .examples = "tori show 17",
    .run = run_show,
};

/* ---- tori nodes ---- */

static const struct option nodes_options[] = {
    {"all", OPTION_FLAG, AT (all), .help = "nodes that are free as well"},
    OPTION_ROW_SOCKET (struct values),
    OPTION_ROW_JSON (struct values),
    {.name = NULL},
};

static void print_nodes (const json_t *nodes, bool all, FILE *out)
{
    size_t n = json_array_size (nodes), usual = 0;
    for (size_t i = 0; i < n; i++) {
        const json_t *node = json_array_get (nodes, i);
        const char *state = text_of (node, "state");
        if (!all && (!strcmp (state, "free") || !strcmp (state, "busy")))
            usual++;
        else
            fprintf (out, "%s %s\n", text_of (node, "node"), state);
    }
    if (!all)
        fprintf (out, "%zu of %zu nodes are in service\n", usual, n);
}

static int run_nodes (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    json_t *answer = NULL;
    int status = 0;
    if (call (v->socket, "GET", "/v1/nodes", NULL, &answer, err) < 0)
        return -1;
    if (v->json)
        status = answer_print (&(struct asked){"nodes", &command_nodes, v},
                               answer, out, err);
    else
        print_nodes (json_object_get (answer, "nodes"), v->all, out);
    json_decref (answer);
    return status;
}

const struct command command_nodes = {
    .name = "nodes",
    .summary = "List nodes of a running torid that are down or drained",
    .options = nodes_options,
    .size = sizeof (struct values),
    .answer = &answer_nodes,
    .examples = "tori nodes",
    .run = run_nodes,
};
