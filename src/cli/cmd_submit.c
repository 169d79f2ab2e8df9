/* tori submit - a job for a running torid; and tori wait, until jobs end. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tori/machine.h>

#include "caller.h"
#include "commands.h"
#include "duration.h"
#include "fields.h"
#include "jobs.h"
#include "number.h"

struct values {
    const char *socket, *shape, *wiring, *time, *name, *array, *output;
    const char *error, *directory, *on_failure;
    int64_t count, priority;
    struct strings after, command;
    bool hold, wait, json;
};

#define AT(member) offsetof (struct values, member)

static const struct option options[] = {
    {"shape", OPTION_STRING, AT (shape), "SHAPE",
     .help = "a box of nodes, such as 4x4x2"},
    {"count", OPTION_INTEGER, AT (count), "N", .min = 1,
     .max = TORI_MAX_NODES, .without = "shape",
     .help = "this many nodes, anywhere, instead of a shape"},
    {"wiring", OPTION_STRING, AT (wiring), "WIRING", .with = "shape",
     .help = "how the box is wired: none, mesh or torus"},
    {"time", OPTION_STRING, AT (time), "TIME", .required = true,
     .help = "how long it may run: seconds, 1h20m, or 1:20 and 1:20:30 in "
             "hours, minutes and seconds"},
    {"name", OPTION_STRING, AT (name), "NAME", .help = "a name for people"},
    {"priority", OPTION_INTEGER, AT (priority), "N", .min = INT32_MIN,
     .max = INT32_MAX, .fallback = "0", .help = "a higher one goes first"},
    {"hold", OPTION_FLAG, AT (hold),
     .help = "let it wait until 'tori release'"},
    {"after", OPTION_STRINGS, AT (after), "HOW:ID",
     .help = "start after another job has ended: ok:ID if it must have ended "
             "well, failed:ID or any:ID"},
    {"array", OPTION_STRING, AT (array), "A-B[%N]",
     .help = "one job for each number from A to B, at most N of them at "
             "once; TORI_ARRAY_INDEX tells a job its number"},
    {"directory", OPTION_STRING, AT (directory), "DIR",
     .help = "where it runs; if not given, here"},
    {"output", OPTION_STRING, AT (output), "PATH",
     .help = "where its output goes; if not given, nowhere"},
    {"error", OPTION_STRING, AT (error), "PATH",
     .help = "where its errors go; if not given, to its output"},
    {"on-failure", OPTION_STRING, AT (on_failure), "WHAT",
     .help = "what becomes of it if a node fails: requeue (if not given) or "
             "kill"},
    {"wait", OPTION_FLAG, AT (wait),
     .help = "wait until it has ended, and return its status"},
    OPTION_ROW_SOCKET (struct values),
    OPTION_ROW_JSON (struct values),
    {"command", OPTION_STRINGS, AT (command), "PROGRAM", .operand = true,
     .required = true, .help = "the program and its arguments"},
    {.name = NULL},
};

static void set_text (json_t *job, const char *key, const char *value)
{
    if (value)
        json_object_set_new (job, key, json_string (value));
}

static json_t *list_of (const struct strings *words, size_t from)
{
    json_t *list = json_array ();
    for (size_t i = from; i < words->n; i++)
        json_array_append_new (list, json_string (words->item[i]));
    return list;
}

/* The variables of this shell go with the job. */
static json_t *environment_json (void)
{
    json_t *all = json_object ();
    for (char **variable = environ; *variable; variable++) {
        const char *is = strchr (*variable, '=');
        char *name = is ? strndup (*variable, (size_t)(is - *variable)) : NULL;
        if (name && *name)
            json_object_set_new (all, name, json_string (is + 1));
        free (name);
    }
    return all;
}

/* "--" may stand in front of the program. */
static json_t *job_json (const struct values *v, double seconds)
{
    size_t skipped = v->command.n > 1 && !strcmp (v->command.item[0], "--");
    json_t *job = json_pack ("{s:f, s:o, s:o}", "estimate", seconds,
                             "command", list_of (&v->command, skipped),
                             "environment", environment_json ());
    char *here = v->directory ? NULL : getcwd (NULL, 0);
    set_text (job, "directory", v->directory ? v->directory : here);
    free (here);
    set_text (job, "shape", v->shape);
    set_text (job, "wiring", v->wiring);
    set_text (job, "name", v->name);
    set_text (job, "array", v->array);
    set_text (job, "output", v->output);
    set_text (job, "error", v->error);
    set_text (job, "on_failure", v->on_failure);
    if (v->count)
        json_object_set_new (job, "count", json_integer (v->count));
    if (v->priority)
        json_object_set_new (job, "priority", json_integer (v->priority));
    if (v->hold)
        json_object_set_new (job, "hold", json_true ());
    if (v->after.n)
        json_object_set_new (job, "after", list_of (&v->after, 0));
    return job;
}

/* ---- waiting ---- */

/* The status of a job when it has ended, or -1. */
static int wait_for (const char *socket, json_int_t id, tori_error *err)
{
    enum { SOON = 50000, LATE = 1000000 }; /* microseconds */
    char path[64];
    snprintf (path, sizeof path, "/v1/jobs/%lld", (long long)id);
    for (useconds_t pause = SOON;; pause = pause < LATE ? 2 * pause : LATE) {
        json_t *job = NULL;
        const char *state;
        int status;
        if (call (socket, "GET", path, NULL, &job, err) < 0)
            return -1;
        state = json_string_value (json_object_get (job, "state"));
        status = state && !strcmp (state, "ended") ? job_status (job) : -1;
        json_decref (job);
        if (status >= 0)
            return status;
        usleep (pause);
    }
}

static int wait_for_all (const char *socket, const json_t *ids,
                         tori_error *err)
{
    int worst = 0;
    for (size_t i = 0; i < json_array_size (ids); i++) {
        int status = wait_for (
            socket, json_integer_value (json_array_get (ids, i)), err);
        if (status < 0)
            return -1;
        if (status > worst)
            worst = status;
    }
    return worst;
}

static void print_ids (const json_t *ids, FILE *out)
{
    size_t n = json_array_size (ids);
    json_int_t first = json_integer_value (json_array_get (ids, 0));
    fprintf (out, "%lld", (long long)first);
    if (n > 1)
        fprintf (out, "-%lld", (long long)(first + (json_int_t)n - 1));
    fputs ("\n", out);
    fflush (out);
}

static int run (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    json_t *job, *answer = NULL;
    tori_time time = 0;
    int status;
    if (!v->shape && !v->count)
        return tori_error_set (err, TORI_INVALID,
                               "expected --shape SHAPE or --count N");
    if (duration_parse (v->time, &time, err) < 0)
        return -1;
    job = job_json (v, (double)time / TORI_SECOND);
    status = call (v->socket, "POST", "/v1/jobs", job, &answer, err);
    json_decref (job);
    if (status < 0)
        return -1;
    if (v->json)
        status = answer_print (
            &(struct asked){"submit", &command_submit, v}, answer, out, err);
    else
        print_ids (json_object_get (answer, "ids"), out);
    if (status == 0 && v->wait)
        status = wait_for_all (v->socket, json_object_get (answer, "ids"),
                               err);
    json_decref (answer);
    return status;
}

const struct command command_submit = {
    .name = "submit",
    .summary = "Give a job to a running torid",
    .notes = "The number of the job is printed, or the first and the last "
             "number of an array. It runs in this directory, with these "
             "variables, when there is a place for it.",
    .options = options,
    .size = sizeof (struct values),
    .verbatim = true,
    .answer = &answer_submit,
    .examples = "tori submit --shape 4x4x2 --wiring torus --time 1:00:00 -- "
                "./program",
    .run = run,
};

/* ---- tori wait ---- */

struct wait_values {
    const char *socket;
    struct strings ids;
};

static const struct option wait_options[] = {
    OPTION_ROW_SOCKET (struct wait_values),
    {"id", OPTION_STRINGS, offsetof (struct wait_values, ids), "ID",
     .operand = true, .required = true, .help = "the numbers of jobs"},
    {.name = NULL},
};

static int run_wait (const void *values, FILE *out, tori_error *err)
{
    const struct wait_values *v = values;
    json_t *ids = json_array ();
    int status = 0;
    for (size_t i = 0; i < v->ids.n && status == 0; i++) {
        int64_t id;
        status = number_parse (v->ids.item[i], "ID", 1, INT64_MAX, &id, err);
        if (status == 0)
            json_array_append_new (ids, json_integer (id));
    }
    if (status == 0)
        status = wait_for_all (v->socket, ids, err);
    json_decref (ids);
    return status;
}

const struct command command_wait = {
    .name = "wait",
    .summary = "Wait until jobs of a running torid have ended",
    .notes = "The highest status of the jobs is returned, 128 and the signal "
             "for one that was killed.",
    .options = wait_options,
    .size = sizeof (struct wait_values),
    .examples = "tori wait 17",
    .run = run_wait,
};
