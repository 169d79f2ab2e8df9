/* tori change, cancel, hold, release, suspend, requeue, drain and resume -
 * changes to the jobs and nodes of a running torid. */
#include <string.h>

#include "http_client.h"
#include "clock.h"
#include "commands.h"
#include "duration.h"
#include "fieldrows.h"
#include "jobmembers.h"
#include "livefields.h"
#include "jobs.h"
#include "number.h"

/* ---- jobs ---- */

struct job_values {
    const char *socket, *why;
    struct strings ids;
    bool json, unknown;
};

static const struct option cancel_options[] = {
    OPTION_ROW_SOCKET (struct job_values),
    OPTION_ROW_JSON (struct job_values),
    {"unknown", OPTION_FLAG, offsetof (struct job_values, unknown),
     .help = "end processes of jobs that torid knows nothing of, as after a "
             "restored backup; 'tori nodes' tells where they run"},
    OPTION_ROW_WHY (struct job_values),
    OPTION_ROW_IDS (struct job_values),
    {.name = NULL},
};

static const struct option job_options[] = {
    OPTION_ROW_WHY (struct job_values),
    OPTION_ROW_SOCKET (struct job_values),
    OPTION_ROW_JSON (struct job_values),
    OPTION_ROW_IDS (struct job_values),
    {.name = NULL},
};

/* A change of jobs: the request, the changed jobs, and the last refusal. */
struct change {
    const struct job_values *v;
    const char *method, *what;
    json_t *body;
    json_t *changed;
    tori_error refusal;
    char query[WHY_QUERY]; /* the reason, if there is no body */
};

static void print_refusal (const struct change *change)
{
    if (change->refusal.status)
        fprintf (stderr, "tori: %s\n", change->refusal.text);
}

/* All jobs are tried. A refusal is printed when the next one comes; the caller
 * reports the last one. */
static void on_answer (void *arg, json_int_t id, const tori_error *why)
{
    struct change *change = arg;
    if (!why) {
        json_array_append_new (change->changed, json_integer (id));
        return;
    }
    print_refusal (change);
    change->refusal = *why;
}

/* Find, among many jobs such as an array, those that have not ended. */
static int find_unended (const char *socket, const json_t *ids,
                         json_t **ret_left, tori_error *err)
{
    json_int_t first = json_integer_value (json_array_get (ids, 0));
    json_int_t last = first + (json_int_t)json_array_size (ids) - 1;
    json_t *jobs = json_array (), *left = json_array ();
    int status = jobs_fetch (socket, "running", NULL, jobs, err);
    if (status == 0)
        status = jobs_fetch (socket, "queued", NULL, jobs, err);
    for (size_t i = 0; i < json_array_size (jobs); i++) {
        json_int_t id = job_number (json_array_get (jobs, i), "id");
        if (id >= first && id <= last)
            json_array_append_new (left, json_integer (id));
    }
    json_decref (jobs);
    if (status == 0 && json_array_size (left) == 0)
        status = tori_error_set (err, TORI_INVALID,
                                 "no job of %lld-%lld runs or waits",
                                 (long long)first, (long long)last);
    if (status == 0)
        *ret_left = json_incref (left);
    json_decref (left);
    return status;
}

static int change_some (struct change *change, const char *word,
                        tori_error *err)
{
    const struct strings one = {&word, 1};
    const char *path = change->v->unknown ? "/v1/unknown" : "/v1/jobs";
    json_t *ids, *left = NULL;
    int status = job_ids_read (change->v->socket, &one, &ids, err);
    if (status < 0)
        return -1;
    if (json_array_size (ids) > 1 && !change->v->unknown)
        status = find_unended (change->v->socket, ids, &left, err);
    if (status == 0)
        status = call_each (&(struct calls){change->v->socket, change->method,
                                            path, change->what,
                                            change->query, change->body,
                                            left ? left : ids, on_answer,
                                            change},
                            err);
    json_decref (left);
    json_decref (ids);
    return status;
}

/* Make the same request for each job, on ID or on ID/WHAT; takes over the
 * body. */
static int change_jobs (const void *values, const struct command *command,
                        const char *method, const char *what, json_t *body,
                        FILE *out, tori_error *err)
{
    const struct job_values *v = values;
    struct change change = {v, method, what, body, json_array (), {0}, ""};
    int status = asked_check_texts (command, v, err);
    if (status == 0 && body && v->why)
        json_object_set_new (body, "why", json_string (v->why));
    else if (status == 0)
        status = why_query (v->why, change.query, err);
    for (size_t i = 0; i < v->ids.n && status == 0; i++)
        status = change_some (&change, v->ids.item[i], err);
    if (status == 0 && v->json)
        status = member_print (&(struct asked){command, v}, "jobs",
                               change.changed, out, err);
    json_decref (body);
    json_decref (change.changed);
    if (status < 0)
        print_refusal (&change);
    else if (change.refusal.status) {
        *err = change.refusal;
        status = -1;
    }
    return status;
}

static int run_cancel (const void *values, FILE *out, tori_error *err)
{
    return change_jobs (values, &command_cancel, "DELETE", NULL, NULL, out, err);
}

static int run_hold (const void *values, FILE *out, tori_error *err)
{
    return change_jobs (values, &command_hold, "PATCH", NULL,
                        json_pack ("{s:b}", "hold", 1), out, err);
}

static int run_release (const void *values, FILE *out, tori_error *err)
{
    return change_jobs (values, &command_release, "PATCH", NULL,
                        json_pack ("{s:b}", "hold", 0), out, err);
}

#define SEVERAL                                                               \
    "In a range such as 17-26, jobs that have ended are skipped. If one "     \
    "job cannot be changed, the others still are."

const struct command command_cancel = {
    .name = "cancel",
    .summary = "End jobs of a running torid, or take them out of its queue",
    .notes = SEVERAL,
    .options = cancel_options,
    .size = sizeof (struct job_values),
    .answer = &answer_changed,
    .examples = "tori cancel 17\ntori cancel 20-119",
    .run = run_cancel,
};

const struct command command_hold = {
    .name = "hold",
    .summary = "Hold jobs of a running torid until they are released",
    .notes = SEVERAL,
    .options = job_options,
    .size = sizeof (struct job_values),
    .answer = &answer_changed,
    .examples = "tori hold 17",
    .run = run_hold,
};

const struct command command_release = {
    .name = "release",
    .summary = "Release jobs that are held, or let suspended ones continue",
    .notes = SEVERAL,
    .options = job_options,
    .size = sizeof (struct job_values),
    .answer = &answer_changed,
    .examples = "tori release 17",
    .run = run_release,
};

static int run_suspend (const void *values, FILE *out, tori_error *err)
{
    return change_jobs (values, &command_suspend, "POST", "suspend",
                        json_object (), out, err);
}

const struct command command_suspend = {
    .name = "suspend",
    .summary = "Stop running jobs of a running torid until they are released",
    .notes = "All processes of a suspended job stand still, and so does its "
             "time limit. Other jobs get its nodes, but its memory stays "
             "there. After 'tori release' the job continues on the same nodes "
             "as soon as they are free. Its user and operators may do both. "
             SEVERAL,
    .options = job_options,
    .size = sizeof (struct job_values),
    .answer = &answer_changed,
    .examples = "tori suspend 17\ntori release 17",
    .run = run_suspend,
};

static const struct option requeue_options[] = {
    {"why", OPTION_STRING, offsetof (struct job_values, why), "TEXT",
     .old = "reason",
     .help = "the reason, which 'tori show' and 'tori history --changes' "
             "show"},
    OPTION_ROW_SOCKET (struct job_values),
    OPTION_ROW_JSON (struct job_values),
    OPTION_ROW_IDS (struct job_values),
    {.name = NULL},
};

static int run_requeue (const void *values, FILE *out, tori_error *err)
{
    return change_jobs (values, &command_requeue, "POST", "requeue",
                        json_object (), out, err);
}

const struct command command_requeue = {
    .name = "requeue",
    .summary = "End running jobs of a running torid, and let them wait again",
    .notes = "The job gets SIGTERM, and SIGKILL after 30 seconds. It keeps "
             "its number and its place in the order, and starts again from "
             "its last checkpoint, if it makes any. Its user and operators "
             "may requeue it. " SEVERAL,
    .options = requeue_options,
    .size = sizeof (struct job_values),
    .answer = &answer_changed,
    .examples = "tori requeue 17 --why 'wrong input file'",
    .run = run_requeue,
};

/* ---- what jobs ask for ---- */

/* All options are texts, so that 0 differs from nothing. */
struct ask_values {
    struct job_values jobs; /* comes first */
    const char *name, *shape, *count, *wiring, *queue, *time, *begin;
    const char *priority, *before;
    struct strings after;
};

#define ASK(member) offsetof (struct ask_values, member)

static const struct option ask_options[] = {
    {"priority", OPTION_STRING, ASK (priority), "N",
     .help = "a higher one goes first; only operators raise it above 0"},
    {"before", OPTION_STRING, ASK (before), "ID", .without = "priority",
     .asks = "jobs",
     .help = "give it the priority by which it goes ahead of this job, and of "
             "others with that priority, if that is higher than its own"},
    {"time", OPTION_STRING, ASK (time), "DURATION",
     .help = "how long it may run, also while it runs"},
    {"name", OPTION_STRING, ASK (name), "NAME", .help = "a name for people"},
    {"queue", OPTION_STRING, ASK (queue), "QUEUE",
     .help = "the queue that it waits in"},
    {"shape", OPTION_STRING, ASK (shape), "SHAPE", .without = "count",
     .help = "another box of nodes, such as 4x4x2, while it waits"},
    {"count", OPTION_STRING, ASK (count), "N",
     .help = "or this many nodes, anywhere"},
    {"wiring", OPTION_STRING, ASK (wiring), "WIRING", .without = "count",
     .help = "how the box is wired"},
    {"begin", OPTION_STRING, ASK (begin), "WHEN",
     .help = "do not start before: +1h20m, 18:00, 'Mon 18:00' or "
             "'2026-11-16 18:00'; "
             "'now' if it need not wait"},
    {"after", OPTION_STRINGS, ASK (after), "HOW:ID",
     .help = "start after another job has ended: ok:ID, failed:ID or any:ID; "
             "'none' if it need not wait"},
    OPTION_ROW_WHY (struct job_values), /* which comes first */
    OPTION_ROW_SOCKET (struct job_values),
    OPTION_ROW_JSON (struct job_values),
    OPTION_ROW_IDS (struct job_values),
    {.name = NULL},
};

static json_t *text_json (const char *text, tori_error *err)
{
    return json_string (text);
}

static json_t *number_json (const char *text, tori_error *err)
{
    int64_t value;
    return number_parse (text, "a number", INT64_MIN, INT64_MAX, &value, err)
                   == 0
               ? json_integer ((json_int_t)value)
               : NULL;
}

static json_t *time_json (const char *text, tori_error *err)
{
    tori_time time;
    return limit_parse (text, &time, err) == 0
               ? json_real ((double)time / TORI_SECOND)
               : NULL;
}

static json_t *moment_json (const char *text, tori_error *err)
{
    tori_time time = 0;
    return !strcmp (text, "now") || clock_parse (text, clock_now (), &time, err) == 0
               ? json_integer (time / TORI_SECOND)
               : NULL;
}

static json_t *after_json (const struct strings *words)
{
    json_t *list = json_array ();
    for (size_t i = 0; i < words->n; i++)
        if (strcmp (words->item[i], "none"))
            json_array_append_new (list, json_string (words->item[i]));
    return list;
}

/* The body of the request; NULL and an error if an option makes no sense. */
static json_t *ask_json (const struct ask_values *v, tori_error *err)
{
    const struct {
        const char *key, *text;
        json_t *(*convert) (const char *, tori_error *);
    } all[] = {{JOB_KEY (priority), v->priority, number_json},
               {JOB_KEY (time_limit), v->time, time_json},
               {JOB_KEY (name), v->name, text_json},
               {JOB_KEY (queue), v->queue, text_json},
               {JOB_KEY (shape), v->shape, text_json},
               {JOB_KEY (count), v->count, number_json},
               {JOB_KEY (wiring), v->wiring, text_json},
               {JOB_KEY (begin), v->begin, moment_json}};
    json_t *body = json_object ();
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        json_t *value = all[i].text ? all[i].convert (all[i].text, err) : NULL;
        if (all[i].text && json_object_set_new (body, all[i].key, value) < 0) {
            json_decref (body);
            return NULL;
        }
    }
    if (v->after.n > 0)
        json_object_set_new (body, JOB_KEY (after), after_json (&v->after));
    return body;
}

/* The other job may have a name of another system. */
static int set_before (const struct ask_values *v, json_t *body,
                       tori_error *err)
{
    int64_t id;
    if (!v->before)
        return 0;
    if (job_find (v->jobs.socket, v->before, &id, err) < 0)
        return -1;
    return json_object_set_new (body, "before", json_integer (id)) < 0
               ? tori_error_nomem (err)
               : 0;
}

static int run_change (const void *values, FILE *out, tori_error *err)
{
    json_t *body;
    if (asked_check_texts (&command_change, values, err) < 0)
        return -1;
    body = ask_json (values, err);
    if (!body || set_before (values, body, err) < 0) {
        json_decref (body);
        return -1;
    }
    if (json_object_size (body) == 0) {
        json_decref (body);
        return tori_error_set (err, TORI_INVALID,
                               "expected what to change, such as --time 2h");
    }
    return change_jobs (values, &command_change, "PATCH", NULL, body, out,
                        err);
}

const struct command command_change = {
    .name = "change",
    .summary = "Change what jobs of a running torid ask for",
    .notes = "All options take effect together, or none does. A job that runs "
             "takes a new name and a new time limit; everything else is for "
             "jobs that wait. A new shape or count replaces the whole request "
             "for nodes. Where usage lowers priorities, the order may change again. "
             "In another queue, the job has the tier and the "
             "preemption rule of that queue. " SEVERAL,
    .options = ask_options,
    .size = sizeof (struct ask_values),
    .answer = &answer_changed,
    .examples = "tori change 17 --time 2h\n"
                "tori change 17 --priority 5 --queue urgent\n"
                "tori change 17 --before 12 --why 'the deadline is tonight'\n"
                "tori change 20-29 --after none",
    .run = run_change,
};

/* ---- nodes ---- */

struct node_values {
    const char *socket, *why;
    struct strings nodes;
    bool down, up, json;
};

/* `flag` allows links, too. */
#define NODE_ROW(flag)                                                        \
    {                                                                         \
        "node", OPTION_STRINGS, offsetof (struct node_values, nodes),         \
            "NODE|BOX|LINK", .operand = true, .required = true,               \
            .asks = "nodes",                                                  \
            .help = "nodes, such as 1,2,3, or boxes, such as 0,0,0/4x4x2; "   \
                    "with " flag " also links, such as 0,0,1-0,0,2, or "      \
                    "'1,3,0,0 +1' on a pod"                                   \
    }

static const struct option drain_options[] = {
    {"why", OPTION_STRING, offsetof (struct node_values, why), "TEXT",
     .help = "the reason, which 'tori nodes' shows"},
    {"down", OPTION_FLAG, offsetof (struct node_values, down),
     .help = "take them down: jobs that run there end, or continue elsewhere"},
    OPTION_ROW_SOCKET (struct node_values),
    OPTION_ROW_JSON (struct node_values),
    NODE_ROW ("--down"),
    {.name = NULL},
};

static const struct option resume_options[] = {
    {"up", OPTION_FLAG, offsetof (struct node_values, up),
     .help = "also those that are down"},
    OPTION_ROW_WHY (struct node_values),
    OPTION_ROW_SOCKET (struct node_values),
    OPTION_ROW_JSON (struct node_values),
    NODE_ROW ("--up"),
    {.name = NULL},
};

/* Two nodes, or a port of a switch. */
static bool is_link (const char *text)
{
    return *text >= '0' && *text <= '9' && strpbrk (text, "- ");
}

static void node_path (const char *node, char path[512])
{
    char name[400];
    url_escape (node, name, sizeof name);
    snprintf (path, 512, "/v1/%s/%s", is_link (node) ? "links" : "nodes",
              name);
}

struct changed {
    json_int_t nodes, links;
};

static const struct field changed_fields[] = {
    {"nodes", FIELD_WHOLE, FIELD_AT (struct changed, nodes),
     "how many nodes were named"},
    {"links", FIELD_WHOLE, FIELD_AT (struct changed, links),
     "how many links"},
};
SHEET (changed);

static int set_one (const struct node_values *v, const char *node,
                    const char *state, struct changed *n, tori_error *err)
{
    json_t *body
        = json_pack ("{s:s, s:s*}", "state", state, "why", v->why);
    json_t *answer = NULL;
    char path[512];
    int status;
    node_path (node, path);
    status = call (v->socket, "PATCH", path, body, &answer, err);
    n->nodes += job_number (answer, "nodes");
    n->links += status == 0 && is_link (node);
    json_decref (answer);
    json_decref (body);
    return status;
}

/* Make the same change to all nodes and links, and count them. Links are only
 * down or up; the other states are for nodes. */
static int set_nodes (const struct node_values *v, const char *state,
                      struct changed *ret_n, tori_error *err)
{
    struct changed n = {0};
    bool links = !strcmp (state, "down") || !strcmp (state, "up");
    int status = 0;
    for (size_t i = 0; i < v->nodes.n && status == 0; i++)
        if (links || !is_link (v->nodes.item[i]))
            status = set_one (v, v->nodes.item[i], state, &n, err);
    *ret_n = n;
    return status;
}

static int check_links (const struct node_values *v, const char *option,
                        tori_error *err)
{
    for (size_t i = 0; i < v->nodes.n; i++)
        if (is_link (v->nodes.item[i]))
            return tori_error_set (err, TORI_INVALID,
                                   "'%.60s': a link needs %s",
                                   v->nodes.item[i], option);
    return 0;
}

static int print_changed (const struct node_values *v,
                          const struct command *command, struct changed n,
                          const char *how, FILE *out, tori_error *err)
{
    if (v->json)
        return asked_emit (command, v, &n, out, err);
    if (n.nodes > 0 || n.links == 0)
        fprintf (out, "%lld node%s %s\n", (long long)n.nodes,
                 n.nodes == 1 ? "" : "s", how);
    if (n.links > 0)
        fprintf (out, "%lld link%s %s\n", (long long)n.links,
                 n.links == 1 ? "" : "s", how);
    return 0;
}

/* How many nodes of a node or a box are down. */
static size_t count_down (const struct node_values *v, const char *node)
{
    json_t *answer = NULL;
    const json_t *list;
    char path[512];
    size_t n = 0;
    node_path (node, path);
    if (call (v->socket, "GET", path, NULL, &answer, NULL) < 0)
        return 0;
    list = json_object_get (answer, "nodes");
    for (size_t i = 0; i < json_array_size (list); i++)
        n += job_is (json_array_get (list, i), "down");
    n += job_is (answer, "down");
    json_decref (answer);
    return n;
}

static void warn_of_down (const struct node_values *v)
{
    size_t n = 0;
    for (size_t i = 0; i < v->nodes.n; i++)
        if (!is_link (v->nodes.item[i]))
            n += count_down (v, v->nodes.item[i]);
    if (n > 0)
        fprintf (stderr,
                 "tori: %zu of them %s still down; an operator brings them up "
                 "with 'tori resume --up'\n",
                 n, n == 1 ? "is" : "are");
}

static int run_drain (const void *values, FILE *out, tori_error *err)
{
    const struct node_values *v = values;
    struct changed n;
    if (asked_check_texts (&command_drain, v, err) < 0
        || (!v->down && check_links (v, "--down", err) < 0)
        || set_nodes (v, v->down ? "down" : "drain", &n, err) < 0)
        return -1;
    return print_changed (v, &command_drain, n,
                          v->down ? "taken down" : "drained", out, err);
}

static int run_resume (const void *values, FILE *out, tori_error *err)
{
    const struct node_values *v = values;
    struct changed n;
    if (asked_check_texts (&command_resume, v, err) < 0
        || (!v->up && check_links (v, "--up", err) < 0)
        || set_nodes (v, "resume", &n, err) < 0
        || (v->up && set_nodes (v, "up", &n, err) < 0)
        || print_changed (v, &command_resume, n, "resumed", out, err) < 0)
        return -1;
    warn_of_down (v);
    return 0;
}

const struct command command_drain = {
    .name = "drain",
    .summary = "Keep new jobs off nodes of a running torid",
    .options = drain_options,
    .size = sizeof (struct node_values),
    .answer = &changed_sheet,
    .examples = "tori drain 0,0,0/4x4x2 --why 'new cables'\n"
                "tori drain --down 1,2,3 --why 'no power'\n"
                "tori drain --down 0,0,1-0,0,2",
    .run = run_drain,
};

const struct command command_resume = {
    .name = "resume",
    .summary = "Let jobs start on drained nodes again",
    .notes = "A node that is down stays down, unless --up says that it works "
             "again. Jobs that are suspended continue by 'tori release'.",
    .options = resume_options,
    .size = sizeof (struct node_values),
    .answer = &changed_sheet,
    .examples = "tori resume 0,0,0/4x4x2\ntori resume --up 1,2,3",
    .run = run_resume,
};
