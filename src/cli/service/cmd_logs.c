/* tori logs - the output of a job of a running torid. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "http_client.h"
#include "commands.h"
#include "fieldrows.h"
#include "jobs.h"
#include "jobwait.h"
#include "tail.h"

struct values {
    const char *socket, *id;
    tori_time patience;
    bool follow, json;
};

static const struct option options[] = {
    {"follow", OPTION_FLAG, offsetof (struct values, follow), .letter = 'f',
     .help = "wait for more until the job has ended"},
    OPTION_ROW_SOCKET (struct values),
    OPTION_ROW_PATIENCE (struct values),
    {"json", OPTION_FLAG, offsetof (struct values, json), .aside = true,
     .without = "follow", .help = "print JSON"},
    {"id", OPTION_STRING, offsetof (struct values, id), "ID",
     .operand = true, .required = true, .asks = "all-jobs",
     .help = "the number of a job, or its name elsewhere, such as "
             "slurm:19"},
    {.name = NULL},
};

/* Relative paths start at the job's directory. */
static char *path_of (const json_t *job, const char *key)
{
    const char *name = job_text (job, key);
    char *path = NULL;
    if (!*name)
        return NULL;
    if (*name == '/')
        return strdup (name);
    return asprintf (&path, "%s/%s", job_text (job, "directory"), name) < 0
               ? NULL
               : path;
}

static int drain_both (struct tail streams[2], bool ended, tori_error *err)
{
    return tail_drain (&streams[0], ended, err) < 0
                   || tail_drain (&streams[1], ended, err) < 0
               ? -1
               : 0;
}

/* Follow until the job has ended, and read once more after its end. */
static int follow_job (const struct values *v, json_int_t id, json_t *job,
                       struct tail streams[2], tori_error *err)
{
    unsigned pause = 0;
    int status = 0;
    bool over = false;
    json_incref (job);
    while (status == 0 && !over) {
        over = job_is (job, "ended");
        streams[0].moved = streams[1].moved = false;
        status = drain_both (streams, over, err);
        if (status < 0 || over)
            break;
        if (streams[0].moved || streams[1].moved)
            pause = 0;
        pause_longer (&pause);
        json_decref (job);
        job = NULL;
        status = job_fetch_patiently (v->socket, v->patience, id, &job, err);
    }
    json_decref (job);
    return status;
}

static int check_streams (const struct values *v, const json_t *job,
                          const struct tail streams[2], tori_error *err)
{
    long long id = job_number (job, "id");
    if (!streams[0].path && !streams[1].path)
        return tori_error_set (err, TORI_INVALID,
                               "job %lld has no file for its output: see "
                               "--output of 'tori submit'",
                               id);
    if (!json_object_get (job, "start") && !v->follow)
        return tori_error_set (err,
                               job_is (job, "ended") ? TORI_INVALID
                                                     : TORI_NOT_NOW,
                               job_is (job, "ended")
                                   ? "job %lld has never run"
                                   : "job %lld has not started",
                               id);
    return 0;
}

/* ---- as JSON ---- */

/* NULL: it has no such file. */
struct logs {
    char *output, *error;
};

static const struct field logs_fields[] = {
    {"output", FIELD_TEXT, FIELD_AT (struct logs, output),
     "what it has written", .when = field_has_text},
    {"error", FIELD_TEXT, FIELD_AT (struct logs, error),
     "the same, to standard error, if that has another file",
     .when = field_has_text},
};
static ANSWER (logs);

static int read_stream (struct tail *stream, char **ret_text, tori_error *err)
{
    size_t size;
    int status;
    if (!stream->path)
        return 0;
    stream->to = open_memstream (ret_text, &size);
    if (!stream->to)
        return tori_error_nomem (err);
    status = tail_drain (stream, false, err);
    fclose (stream->to);
    return status;
}

static int print_json (const struct values *v, struct tail streams[2],
                       FILE *out, tori_error *err)
{
    struct logs logs = {0};
    int status = read_stream (&streams[0], &logs.output, err) < 0
                         || read_stream (&streams[1], &logs.error, err) < 0
                     ? -1
                     : asked_emit (&command_logs, v, &logs, out, err);
    free (logs.output);
    free (logs.error);
    return status;
}

static int show_logs (const struct values *v, json_int_t id, json_t *job,
                      FILE *out, tori_error *err)
{
    struct tail streams[2] = {{path_of (job, "output"), -1, out, false},
                                {path_of (job, "error"), -1, stderr, false}};
    int status = check_streams (v, job, streams, err);
    if (status == 0)
        status = v->json ? print_json (v, streams, out, err)
                 : v->follow
                     ? follow_job (v, id, job, streams, err)
                     : drain_both (streams, job_is (job, "ended"), err);
    for (int i = 0; i < 2; i++)
        tail_clear (&streams[i]);
    return status;
}

static int run_logs (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    json_t *job = NULL;
    int64_t id;
    int status;
    if (job_find (v->socket, v->id, &id, err) < 0
        || job_fetch_patiently (v->socket, v->follow ? v->patience : 0, id,
                                &job, err)
               < 0)
        return -1;
    status = show_logs (v, id, job, out, err);
    json_decref (job);
    return status;
}

const struct command command_logs = {
    .name = "logs",
    .summary = "Show what a job of a running torid has written",
    .notes = "The files are read here, with the rights of the user who asks: "
             "what went to --output of 'tori submit' is written to standard "
             "output, and what went to --error to standard error. With -f, "
             "this command waits for a job that has not started, and for a "
             "torid that is restarted as long as --patience says.",
    .options = options,
    .size = sizeof (struct values),
    .status = {[3] = "the job has not started"},
    .answer = &answer_logs,
    .examples = "tori logs -f 17",
    .run = run_logs,
};
