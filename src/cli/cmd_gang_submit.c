/* tori gang submit and tori gang pipe - a job for a run that listens. They are
 * one command with two names: a pipe is a job of several stages, and only
 * there a bar is more than a word. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client.h"
#include "commands.h"
#include "gangjobs.h"

struct values {
    const char *socket;
    int64_t own_status;
    struct strings words;
};

#define AT(member) offsetof (struct values, member)

#define OWN_STATUS                                                            \
    {"own-status", OPTION_INTEGER, AT (own_status), "N", .min = 1,            \
     .max = 255,                                                              \
     .help = "return N where this command itself would return 1, 2 or 4, to " \
             "tell that from the job's own status; 125 is customary"}

static const struct option submit_options[] = {
    GANGJOBS_SOCKET (struct values),
    OWN_STATUS,
    {"job", OPTION_STRINGS, AT (words), "JOB", .operand = true,
     .required = true,
     .help = "[-n COUNT] [-t SECONDS] [--] PROGRAM [ARGUMENT...]; COUNT "
             "processes, 1 if not given, that come in SECONDS, at once if not "
             "given"},
    {.name = NULL},
};

static const struct option pipe_options[] = {
    GANGJOBS_SOCKET (struct values),
    OWN_STATUS,
    {"job", OPTION_STRINGS, AT (words), "JOB", .operand = true,
     .required = true,
     .help = "[-n COUNT] [-t SECONDS] [--] PROGRAM [ARGUMENT...] '|' [-n "
             "COUNT] PROGRAM ...; as for submit"},
    {.name = NULL},
};

/* Where we are, for the job to be there, too. A directory that was removed has
 * no name that the job could go by. */
static int set_directory (struct spec *spec, tori_error *err)
{
    spec->cwd = getcwd (NULL, 0);
    return spec->cwd
               ? 0
               : tori_error_set (err, TORI_FAILED,
                                 "the present directory, where the job is to "
                                 "run: %s",
                                 strerror (errno));
}

static int submit (const struct values *v, const char *const words[],
                   tori_error *err)
{
    struct spec *spec = NULL;
    const char *path;
    int status;
    if (spec_parse (words, v->words.n, &spec, err) < 0)
        return -1;
    spec->input = client_has_input ();
    status = set_directory (spec, err);
    if (status == 0)
        status = spec_set_env (spec, environ, err);
    if (status == 0)
        status = gangjobs_socket (v->socket, &path, err);
    if (status == 0)
        status = client_submit (path, spec, err);
    spec_destroy (spec);
    return status;
}

static int ending (const struct values *v, int status, tori_error *err)
{
    if (status < 0 && v->own_status)
        err->status = (tori_status)v->own_status;
    return status;
}

static int run_submit (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    return ending (v, submit (v, v->words.item, err), err);
}

static int run_pipe (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    const char **words = calloc (v->words.n + 1, sizeof *words);
    int status;
    if (!words)
        return ending (v, tori_error_nomem (err), err);
    memcpy (words, v->words.item, v->words.n * sizeof *words);
    spec_find_bars (words, v->words.n);
    status = ending (v, submit (v, words, err), err);
    free (words);
    return status;
}

#define STATUS                                                               \
    .status = {"the job ended with 0; any status may be the job's own",      \
               "nobody listens, the run takes no jobs or has died",          \
               NULL, NULL, "larger than the machine, or what is left of it"}

const struct command command_gang_submit = {
    .name = "submit",
    .summary = "Have a job run by a run that listens",
    .notes = "Prints what the job prints and returns its exit status: the "
             "first that is not 0, 128 and the signal for a process that was "
             "killed. What it reads goes to the job's first process. The job "
             "runs in the present directory and environment. Interrupting it "
             "kills the job. Of a job 126 is a program that cannot be run, "
             "127 one that is not found, 128 and n a process killed by signal "
             "n; 137 also if the run was stopped or lost a rank of the job. "
             "If a status is this command's own, standard error says why in a "
             "line that begins with 'tori: ', or see --own-status (bad "
             "options are 2 in any case).",
    .options = submit_options,
    .size = sizeof (struct values),
    .verbatim = true,
    .examples = "tori gang submit --socket gang.sock -n 4 -- ./program 100",
    STATUS,
    .run = run_submit,
};

const struct command command_gang_pipe = {
    .name = "pipe",
    .summary = "Have piped programs run side by side",
    .notes = "The programs are one job: they share a partition, each in a "
             "part of its own, and all run at the same time. What the "
             "processes of a program print goes, line by line, into the first "
             "process of the next; what this command reads, into that of the "
             "first. A bar that a program is to have as a word is '\\|', "
             "as this command gets it: of words that are backslashes and a "
             "bar, one backslash is taken away. Exit statuses are as of "
             "submit.",
    .options = pipe_options,
    .size = sizeof (struct values),
    .verbatim = true,
    .examples = "tori gang pipe --socket gang.sock -n 4 ./produce \\| -n 2 "
                "./consume",
    STATUS,
    .run = run_pipe,
};
