/* api.c - what can be asked of torid over HTTP. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tori/forecast.h>
#include <tori/snapshot.h>

#include "number.h"
#include "ticket.h"
#include "torid.h"

/* Who asks what. */
struct asking {
    struct torid *torid;
    struct request *request;
    const char *method, *path, *user;
    bool is_operator;
    uint64_t id; /* of the path */
};

static void reply (struct asking *a, int code, json_t *body)
{
    a->request->reply = (struct reply){
        code, body ? body : json_pack ("{s:{s:s, s:s}}", "error", "code",
                                       "failed", "message",
                                       "out of memory")};
}

static void refuse_with (struct asking *a, int code, const char *name,
                         const char *message)
{
    reply (a, code, json_pack ("{s:{s:s, s:s}}", "error", "code", name,
                               "message", message));
}

static const char *query (const struct asking *a, const char *key)
{
    return MHD_lookup_connection_value (a->request->connection,
                                        MHD_GET_ARGUMENT_KIND, key);
}

static uint64_t query_number (const struct asking *a, const char *key,
                              uint64_t otherwise)
{
    const char *text = query (a, key);
    uint64_t value;
    return text && number_scan (&text, INT64_MAX, &value) && !*text
               ? value
               : otherwise;
}

/* ---- changes ---- */

/* The body as JSON; NULL, and an answer, if it is not. */
static json_t *read_body (struct asking *a)
{
    json_error_t why;
    json_t *body = json_loadb (a->request->body ? a->request->body : "",
                               a->request->n, JSON_REJECT_DUPLICATES, &why);
    char text[256];
    if (body)
        return body;
    snprintf (text, sizeof text, "line %d, column %d: %s", why.line,
              why.column, why.text);
    refuse_with (a, 400, "not-json", text);
    return NULL;
}

/* Tell the service; takes over the input. What it refuses is answered at once,
 * and so is everything while the disk is stuck. */
static bool tell (struct asking *a, const char *in, json_t *input)
{
    tori_error err = {0};
    if (a->torid->stuck) {
        json_decref (input);
        refuse_with (a, 503, "no-disk", a->torid->trouble);
        return true;
    }
    json_object_set_new (input, "in", json_string (in));
    json_object_set_new (input, "user", json_string (a->user));
    if (a->is_operator)
        json_object_set_new (input, "root", json_true ());
    if (service_do (a->torid->service, torid_now (), input,
                    &a->request->reply, &err)
        < 0) {
        torid_log (a->torid, LEVEL_ERROR, "service-failed", "{s:s}", "why",
                   err.text);
        exit (1);
    }
    json_decref (input);
    torid_stir (a->torid);
    return a->request->reply.code >= 300;
}

static bool post_jobs (struct asking *a)
{
    json_t *body = read_body (a), *input;
    const char *key = MHD_lookup_connection_value (
        a->request->connection, MHD_HEADER_KIND, "Idempotency-Key");
    if (!body)
        return true;
    input = json_is_array (body) ? json_pack ("{s:o}", "jobs", body)
                                 : json_pack ("{s:[o]}", "jobs", body);
    if (key)
        json_object_set_new (input, "key", json_string (key));
    return tell (a, "submit", input);
}

static bool patch_job (struct asking *a)
{
    json_t *body = read_body (a);
    if (!body)
        return true;
    if (!json_is_object (body)) {
        json_decref (body);
        refuse_with (a, 400, "bad-request", "expected an object");
        return true;
    }
    json_object_set_new (body, "id", json_integer ((json_int_t)a->id));
    return tell (a, "change", body);
}

static bool delete_job (struct asking *a)
{
    return tell (a, "cancel",
                 json_pack ("{s:I}", "id", (json_int_t)a->id));
}

/* The node is the rest of the path: "1,2,3", or a box. */
static bool patch_node (struct asking *a)
{
    json_t *body = read_body (a);
    if (!body)
        return true;
    json_object_set_new (body, "node",
                         json_string (a->path + strlen ("/v1/nodes/")));
    return tell (a, "node", body);
}

/* ---- looks ---- */

static bool get_jobs (struct asking *a)
{
    enum { USUAL = 100, MOST = 1000 };
    uint64_t limit = query_number (a, "limit", USUAL);
    bool more;
    json_t *jobs = service_jobs (a->torid->service, query (a, "state"),
                                 query (a, "user"),
                                 query_number (a, "after", 0),
                                 limit < MOST ? limit : MOST, &more);
    const json_t *last
        = json_array_get (jobs, json_array_size (jobs) - 1);
    json_t *body = json_pack ("{s:o}", "jobs", jobs);
    if (more)
        json_object_set (body, "next", json_object_get (last, "id"));
    reply (a, 200, body);
    return true;
}

static int on_past_job (void *arg, const struct journal_job *job)
{
    json_t **found = arg;
    *found = json_loadb (job->text, job->n, 0, NULL);
    return 0;
}

static bool get_job (struct asking *a)
{
    json_t *job = service_job (a->torid->service, a->id);
    if (!job)
        journal_find (a->torid->journal, a->id, on_past_job, &job, NULL);
    if (job)
        reply (a, 200, job);
    else
        refuse_with (a, 404, "no-such-job", "there is no such job");
    return true;
}

static json_t *snapshot_json (struct asking *a)
{
    json_t *saved = service_save (a->torid->service);
    json_t *core = json_incref (json_object_get (saved, "core"));
    json_decref (saved);
    return core;
}

static bool get_snapshot (struct asking *a)
{
    reply (a, 200, snapshot_json (a));
    return true;
}

struct forecasts {
    json_t *jobs;
    const tori_machine *machine;
};

static void on_forecast (void *arg, const tori_forecast *it)
{
    struct forecasts *all = arg;
    json_t *place = place_json (all->machine, it->place);
    json_t *row = json_pack ("{s:I, s:o}", "id", (json_int_t)it->tag, "start",
                             seconds_json (it->start));
    json_object_set_new (row, "place", place);
    json_array_append_new (all->jobs, row);
}

static bool get_forecast (struct asking *a)
{
    struct forecasts all = {json_array (), a->torid->machine};
    tori_forecast_each (service_sched (a->torid->service), on_forecast, &all,
                        NULL);
    reply (a, 200, json_pack ("{s:o}", "jobs", all.jobs));
    return true;
}

static bool get_nodes (struct asking *a)
{
    static const char *const names[] = {[TORI_NODE_FREE] = "free",
                                        [TORI_NODE_BUSY] = "busy",
                                        [TORI_NODE_DOWN] = "down",
                                        [TORI_NODE_DRAINED] = "drained"};
    const tori_state *state
        = tori_sched_state (service_sched (a->torid->service));
    json_t *nodes = json_array ();
    char text[TORI_TEXT_MAX];
    for (uint32_t i = 0; i < tori_machine_nodes (a->torid->machine); i++) {
        tori_node_format (a->torid->machine, i, text);
        json_array_append_new (
            nodes, json_pack ("{s:I, s:s, s:s}", "id", (json_int_t)i, "node",
                              text, "state",
                              names[tori_state_node (state, i)]));
    }
    reply (a, 200, json_pack ("{s:o}", "nodes", nodes));
    return true;
}

static bool get_machine (struct asking *a)
{
    const tori_state *state
        = tori_sched_state (service_sched (a->torid->service));
    char text[TORI_TEXT_MAX];
    tori_machine_format (a->torid->machine, text);
    reply (a, 200,
           json_pack ("{s:s, s:I, s:I}", "machine", text, "nodes",
                      (json_int_t)tori_machine_nodes (a->torid->machine),
                      "free", (json_int_t)tori_state_free_count (state)));
    return true;
}

static bool get_health (struct asking *a)
{
    if (a->torid->stuck)
        refuse_with (a, 503, "no-disk", a->torid->trouble);
    else
        reply (a, 200,
               json_pack ("{s:s, s:b}", "status", "ok", "executor",
                          a->torid->ready));
    return true;
}

static bool get_metrics (struct asking *a)
{
    const tori_state *state
        = tori_sched_state (service_sched (a->torid->service));
    size_t counts[3];
    json_t *body;
    service_count (a->torid->service, counts);
    body = json_sprintf (
        "# TYPE tori_jobs gauge\n"
        "tori_jobs{state=\"queued\"} %zu\n"
        "tori_jobs{state=\"running\"} %zu\n"
        "# TYPE tori_nodes gauge\n"
        "tori_nodes{state=\"all\"} %u\n"
        "tori_nodes{state=\"free\"} %u\n"
        "# TYPE tori_commits counter\n"
        "tori_commits_total %llu\n"
        "# TYPE tori_commit_seconds counter\n"
        "tori_commit_seconds_total %.6f\n"
        "# EOF\n",
        counts[0], counts[1], tori_machine_nodes (a->torid->machine),
        tori_state_free_count (state),
        (unsigned long long)a->torid->commits, a->torid->fsync_sum);
    reply (a, 200, body);
    return true;
}

/* ---- routes ---- */

static const struct route {
    const char *method, *path; /* "#" stands for a number, "*" for the rest */
    bool (*answer) (struct asking *);
} routes[] = {
    {"POST", "/v1/jobs", post_jobs},
    {"GET", "/v1/jobs", get_jobs},
    {"GET", "/v1/jobs/#", get_job},
    {"PATCH", "/v1/jobs/#", patch_job},
    {"DELETE", "/v1/jobs/#", delete_job},
    {"GET", "/v1/forecast", get_forecast},
    {"GET", "/v1/nodes", get_nodes},
    {"PATCH", "/v1/nodes/*", patch_node},
    {"GET", "/v1/machine", get_machine},
    {"GET", "/v1/snapshot", get_snapshot},
    {"GET", "/healthz", get_health},
    {"GET", "/metrics", get_metrics},
};

static bool matches (const char *pattern, const char *path, uint64_t *ret_id)
{
    for (; *pattern && *pattern == *path; pattern++)
        path++;
    if (*pattern == '#')
        return number_scan (&path, INT64_MAX, ret_id) && !*path;
    return *pattern == '*' ? *path != 0 : !*pattern && !*path;
}

bool api_answer (struct torid *torid, struct request *request,
                 const char *method, const char *path, const char *user,
                 bool is_operator)
{
    struct asking a = {torid, request, method, path, user, is_operator, 0};
    bool known = false;
    for (size_t i = 0; i < sizeof routes / sizeof routes[0]; i++) {
        if (!matches (routes[i].path, path, &a.id))
            continue;
        known = true;
        if (!strcmp (routes[i].method, method))
            return routes[i].answer (&a);
    }
    if (known)
        refuse_with (&a, 405, "no-such-method",
                     "this cannot be asked of it");
    else
        refuse_with (&a, 404, "no-such-path", "there is nothing here");
    return true;
}
