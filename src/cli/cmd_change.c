/* tori cancel, hold, release, drain and resume - changes to what a running
 * torid has: jobs, and nodes. */
#include <inttypes.h>

#include "caller.h"
#include "commands.h"
#include "number.h"

struct values {
    const char *socket;
    struct strings what;
};

static const struct option job_options[] = {
    OPTION_ROW_SOCKET (struct values),
    {"id", OPTION_STRINGS, offsetof (struct values, what), "ID",
     .operand = true, .required = true, .help = "the numbers of jobs"},
    {.name = NULL},
};

static const struct option node_options[] = {
    OPTION_ROW_SOCKET (struct values),
    {"node", OPTION_STRINGS, offsetof (struct values, what), "NODE",
     .operand = true, .required = true,
     .help = "nodes, such as 1,2,3, or boxes, such as 0,0,0/4x4x2"},
    {.name = NULL},
};

/* Send the same to each; takes over the body. */
static int change_jobs (const struct values *v, const char *method,
                        json_t *body, tori_error *err)
{
    int status = 0;
    for (size_t i = 0; i < v->what.n && status == 0; i++) {
        json_t *answer = NULL;
        char path[64];
        int64_t id;
        status = number_parse (v->what.item[i], "ID", 1, INT64_MAX, &id, err);
        if (status < 0)
            break;
        snprintf (path, sizeof path, "/v1/jobs/%" PRId64, id);
        status = call (v->socket, method, path, body, &answer, err);
        json_decref (answer);
    }
    json_decref (body);
    return status;
}

static int run_cancel (const void *values, FILE *out, tori_error *err)
{
    return change_jobs (values, "DELETE", NULL, err);
}

static int run_hold (const void *values, FILE *out, tori_error *err)
{
    return change_jobs (values, "PATCH", json_pack ("{s:b}", "hold", 1), err);
}

static int run_release (const void *values, FILE *out, tori_error *err)
{
    return change_jobs (values, "PATCH", json_pack ("{s:b}", "hold", 0), err);
}

static int change_nodes (const struct values *v, const char *state,
                         tori_error *err)
{
    json_t *body = json_pack ("{s:s}", "state", state);
    int status = 0;
    for (size_t i = 0; i < v->what.n && status == 0; i++) {
        json_t *answer = NULL;
        char path[256];
        snprintf (path, sizeof path, "/v1/nodes/%.200s", v->what.item[i]);
        status = call (v->socket, "PATCH", path, body, &answer, err);
        json_decref (answer);
    }
    json_decref (body);
    return status;
}

static int run_drain (const void *values, FILE *out, tori_error *err)
{
    return change_nodes (values, "drain", err);
}

static int run_resume (const void *values, FILE *out, tori_error *err)
{
    return change_nodes (values, "resume", err);
}

const struct command command_cancel = {
    .name = "cancel",
    .summary = "End jobs of a running torid, or take them out of its queue",
    .options = job_options,
    .size = sizeof (struct values),
    .examples = "tori cancel 17",
    .run = run_cancel,
};

const struct command command_hold = {
    .name = "hold",
    .summary = "Let jobs of a running torid wait until they are released",
    .options = job_options,
    .size = sizeof (struct values),
    .examples = "tori hold 17",
    .run = run_hold,
};

const struct command command_release = {
    .name = "release",
    .summary = "Let jobs that were held start again",
    .options = job_options,
    .size = sizeof (struct values),
    .examples = "tori release 17",
    .run = run_release,
};

const struct command command_drain = {
    .name = "drain",
    .summary = "Let no further job start on nodes of a running torid",
    .options = node_options,
    .size = sizeof (struct values),
    .examples = "tori drain 0,0,0/4x4x2",
    .run = run_drain,
};

const struct command command_resume = {
    .name = "resume",
    .summary = "Let jobs start on drained nodes again",
    .options = node_options,
    .size = sizeof (struct values),
    .examples = "tori resume 0,0,0/4x4x2",
    .run = run_resume,
};
