/* tori gang stop - the end of a run that listens. */
#include "client.h"
#include "commands.h"
#include "gangjobs.h"

struct values {
    const char *socket;
    bool now;
};

#define AT(member) offsetof (struct values, member)

static const struct option options[] = {
    GANGJOBS_SOCKET (struct values),
    {"now", OPTION_FLAG, AT (now),
     .help = "kill the jobs instead of waiting for them"},
    {.name = NULL},
};

static int run (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    const char *path;
    if (gangjobs_socket (v->socket, &path, err) < 0)
        return -1;
    return client_stop (path, v->now, err);
}

const struct command command_gang_stop = {
    .name = "stop",
    .summary = "End a listening run",
    .notes = "The run accepts no more jobs and ends after the last one it "
             "has, including those that -t delays. This command returns "
             "when the run has ended: its socket is gone and its report is "
             "written. If this command is interrupted, the run goes on "
             "stopping; a second one with --now kills the jobs.",
    .options = options,
    .size = sizeof (struct values),
    .examples = "tori gang stop --socket gang.sock\n"
                "tori gang stop --socket gang.sock --now",
    .status = {"the run has ended", "no run listens there, or it was killed"},
    .run = run,
};
