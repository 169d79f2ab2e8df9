/* tori gang stop, tori gang cancel and tori gang wait - the end of a listening
 * run, and of one of its jobs. */
#include "client.h"
#include "commands.h"
#include "gangjobs.h"

struct values {
    const char *socket;
    bool now;
    const char *id;
};

#define AT(member) offsetof (struct values, member)

static const struct option stop_options[] = {
    GANGJOBS_SOCKET (struct values),
    {"now", OPTION_FLAG, AT (now),
     .help = "kill the jobs instead of waiting for them"},
    {.name = NULL},
};

static const struct option job_options[] = {
    GANGJOBS_SOCKET (struct values),
    GANGJOBS_ID (struct values),
    {.name = NULL},
};

static int run_stop (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    const char *path;
    if (gangjobs_socket (v->socket, &path, err) < 0)
        return -1;
    return client_tell (path, FRAME_STOP, v->now, err);
}

static int send_order (const struct values *v, enum frame_kind kind,
                       tori_error *err)
{
    const char *path;
    int64_t id;
    if (gangjobs_name (v->socket, v->id, &path, &id, err) < 0)
        return -1;
    return client_tell (path, kind, id, err);
}

static int run_cancel (const void *values, FILE *out, tori_error *err)
{
    return send_order (values, FRAME_CANCEL, err);
}

static int run_wait (const void *values, FILE *out, tori_error *err)
{
    return send_order (values, FRAME_WAIT, err);
}

const struct command command_gang_stop = {
    .name = "stop",
    .summary = "End a listening run",
    .notes = "The run accepts no more jobs and ends after the last one it "
             "has, including those that -t delays. This command returns "
             "when the run has ended: its socket is gone and its report is "
             "written. If this command is interrupted, the run goes on "
             "stopping; a second one with --now kills the jobs.",
    .options = stop_options,
    .size = sizeof (struct values),
    .examples = "tori gang stop --socket gang.sock\n"
                "tori gang stop --socket gang.sock --now",
    .status = {"the run has ended", "no run listens there, or it was killed"},
    .run = run_stop,
};

const struct command command_gang_cancel = {
    .name = "cancel",
    .summary = "Kill a job of a listening run",
    .notes = "All its processes are killed, wherever they are. If somebody "
             "waits for the job in 'tori gang submit', that returns 137.",
    .options = job_options,
    .size = sizeof (struct values),
    .examples = "tori gang cancel --socket gang.sock 3",
    .status = {"the job is being killed",
               "no run listens there, or the job has ended",
               "bad usage, or there is no such job"},
    .run = run_cancel,
};

const struct command command_gang_wait = {
    .name = "wait",
    .summary = "Wait for a job of a listening run",
    .notes = "Returns the job's exit status, as 'tori gang submit' does, also "
             "if the job has ended already. If the status is this command's "
             "own, standard error tells why in a line that begins with "
             "'tori: '.",
    .options = job_options,
    .size = sizeof (struct values),
    .examples = "tori gang wait --socket gang.sock 3",
    .status = {"the job ended with 0; any status may be the job's own",
               "no run listens there, or it has died",
               "bad usage, or there is no such job", NULL,
               "too large for what is left of the machine"},
    .run = run_wait,
};
