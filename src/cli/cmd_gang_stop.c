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
    .summary = "End a run that listens",
    .notes = "The run takes no more jobs and ends with the last that it has, "
             "those included that are yet to come by their -t. This command "
             "returns when it has ended: its socket is gone and its report "
             "written. Interrupting this command leaves the run stopping; a "
             "second one with --now does not wait for the jobs any longer.",
    .options = options,
    .size = sizeof (struct values),
    .examples = "tori gang stop --socket gang.sock\n"
                "tori gang stop --socket gang.sock --now",
    .status = {"the run has ended", "nobody listens, or the run was killed"},
    .run = run,
};
