/* tori gang submit and tori gang pipe - a job for a listening run. They are
 * one command with two names: a pipe is a job of several stages, and only in a
 * pipe does a bar separate stages. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client.h"
#include "commands.h"
#include "gangjobs.h"
#include "syserror.h"

struct values {
    const char *socket;
    int64_t own_status;
    struct strings words;
    /* options of the job, by their names in a spec: */
    bool detach, pin, pty;
    const char *output, *shares, *restart, *mpi;
};

#define AT(member) offsetof (struct values, member)

#define OWN_STATUS                                                            \
    {"own-status", OPTION_INTEGER, AT (own_status), "N", .min = 1,            \
     .max = 255,                                                              \
     .help = "return N where this command itself would return 1, 2 or 4, to " \
             "tell that from the job's own status; 125 is customary"}

/* These options may also follow -n, and stand in a job file. */
#define JOB_OPTIONS                                                           \
    {"detach", OPTION_FLAG, AT (detach),                                        \
     .help = "print the job's number and return; the job prints to "          \
             "tori-gang-%j.out unless --output says otherwise"},              \
    {"output", OPTION_STRING, AT (output), "PATTERN",                         \
     .help = "print to a file, not here; %j is the number of the job, %r "    \
             "that of the process, each of which then has a file of its "     \
             "own, %% a percent sign; a directory is the same as "            \
             "DIRECTORY/%j.%r"},                                              \
    {"shares", OPTION_STRING, AT (shares), "N",                               \
     .help = "give the job N turns for each turn of a job without this "      \
             "option; 1 if not given"},                                       \
    {"restart", OPTION_STRING, AT (restart), "N",                             \
     .help = "if a rank of the run dies, start the job again elsewhere, up "  \
             "to N times; a job with this option has empty input"},           \
    {"pin", OPTION_FLAG, AT (pin),                                            \
     .help = "each process stays on one core, the first rank of a host on "   \
             "the first core that it may use, and so on"},                    \
    {"mpi", OPTION_STRING, AT (mpi), "KIND",                                  \
     .help = "what the program was built with, mpich, openmpi or none, if "   \
             "it does not show that itself, as a script does not; an MPI "    \
             "program that a script starts without this option runs as "      \
             "processes that do not know of each other"}

static const struct option submit_options[] = {
    GANGJOBS_SOCKET (struct values),
    OWN_STATUS,
    JOB_OPTIONS,
    {"pty", OPTION_FLAG, AT (pty),
     .help = "a terminal for an interactive program of one process; every "
             "key is passed on, Ctrl-C as well; not with --detach, --output "
             "or --restart"},
    {"job", OPTION_STRINGS, AT (words), "JOB", .operand = true,
     .required = true,
     .help = "[-n COUNT] [-t DURATION] [OPTION]... [--] PROGRAM "
             "[ARGUMENT...]; COUNT processes (1 if not given), submitted "
             "after DURATION (0 if not given); options of the job may stand "
             "here, too"},
    {.name = NULL},
};

static const struct option pipe_options[] = {
    GANGJOBS_SOCKET (struct values),
    OWN_STATUS,
    JOB_OPTIONS,
    {"job", OPTION_STRINGS, AT (words), "JOB", .operand = true,
     .required = true,
     .help = "[-n COUNT] [-t DURATION] [--] PROGRAM [ARGUMENT...] '|' [-n "
             "COUNT] PROGRAM ...; as for submit"},
    {.name = NULL},
};

/* The job runs in the current directory. If that directory was removed, it has
 * no name that could be given to the run. */
static int set_directory (struct spec *spec, tori_error *err)
{
    spec->cwd = getcwd (NULL, 0);
    return spec->cwd ? 0
                     : system_error (
                         "the current directory, where the job is to run",
                         errno, err);
}

static int set_terminal (struct spec *spec, tori_error *err)
{
    const struct option_rule rules[] = {
        {spec_count (spec) > 1, "--pty is for one process"},
        {spec->detach, "--pty cannot be used with --detach"},
        {spec->output, "--pty cannot be used with --output"},
        {spec->restart, "--pty cannot be used with --restart"},
        {!client_terminal (), "--pty: standard input is not a terminal"},
    };
    spec->pty = client_terminal ();
    return options_check (rules, sizeof rules / sizeof rules[0], err);
}

/* Options given before the job or its first word. */
static int set_options (struct spec *spec, const struct values *v,
                        tori_error *err)
{
    for (const struct option *o = submit_options; o->name; o++) {
        const void *at = (const char *)v + o->offset;
        const char *text = NULL;
        if (o->offset <= AT (words))
            continue;
        if (o->kind == OPTION_STRING)
            text = *(const char *const *)at;
        else if (*(const bool *)at)
            text = "";
        if (text && spec_set (spec, o->name, text, err) < 0)
            return -1;
    }
    if (spec->pty && set_terminal (spec, err) < 0)
        return -1;
    if (spec->detach && !spec->output)
        return spec_set (spec, "output", "tori-gang-%j.out", err);
    return 0;
}

static int submit_job (const struct values *v, const char *const words[],
                       tori_error *err)
{
    struct spec *spec = NULL;
    const char *path;
    int status;
    if (spec_parse (words, v->words.n, &spec, err) < 0)
        return -1;
    status = set_options (spec, v, err);
    spec->input
        = !spec->detach && !spec->restart && client_has_input ();
    if (status == 0)
        status = set_directory (spec, err);
    if (status == 0)
        status = gangjobs_check_mpi (spec, err);
    if (status == 0)
        unsetenv ("TORI_TOKEN"); /* a secret of torid's clients */
    if (status == 0)
        status = spec_set_env (spec, environ, err);
    if (status == 0)
        status = gangjobs_socket (v->socket, &path, err);
    if (status == 0)
        status = client_submit (path, spec, err);
    spec_destroy (spec);
    return status;
}

static int set_own_status (const struct values *v, int status, tori_error *err)
{
    if (status < 0 && v->own_status)
        err->status = (tori_status)v->own_status;
    return status;
}

static int run_submit (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    return set_own_status (v, submit_job (v, v->words.item, err), err);
}

static int run_pipe (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    const char **words = calloc (v->words.n + 1, sizeof *words);
    int status;
    if (!words)
        return set_own_status (v, tori_error_nomem (err), err);
    memcpy (words, v->words.item, v->words.n * sizeof *words);
    spec_find_bars (words, v->words.n);
    status = set_own_status (v, submit_job (v, words, err), err);
    free (words);
    return status;
}

#define STATUS                                                               \
    .status = {"the job ended with 0; any status may be the job's own",      \
               "no run listens there, or it accepts no jobs or has died",     \
               NULL, NULL, "larger than the machine, or what is left of it"}

const struct command command_gang_submit = {
    .name = "submit",
    .summary = "Submit a job to a listening run",
    .notes = "Prints what the job prints and returns its exit status: the "
             "first that is not 0. Standard input goes to the job's first "
             "process. The job runs in the current directory and "
             "environment. Interrupting this command kills the job. Status "
             "126 is a program that cannot be run, 127 one that is not "
             "found, 128+n a process killed by signal n; 137 also means "
             "that the run was stopped or lost a rank of the job. If the "
             "status is this command's own, standard error tells why in a "
             "line that begins with 'tori: '. See also --own-status (bad "
             "options are always 2).",
    .options = submit_options,
    .size = sizeof (struct values),
    .verbatim = true,
    .examples = "tori gang submit --socket gang.sock -n 4 -- ./program 100\n"
                "tori gang submit --socket gang.sock --pty -- bash",
    STATUS,
    .run = run_submit,
};

const struct command command_gang_pipe = {
    .name = "pipe",
    .summary = "Submit programs connected by pipes",
    .notes = "The programs are one job: they share a partition, each in a "
             "part of its own, and all run at the same time. The output of "
             "a program goes, line by line, to the first process of the "
             "next program; standard input goes to the first process of the "
             "first. To pass a bar to a program as a word, write '\\|': "
             "this command removes one backslash from a word of backslashes "
             "and a bar. Exit statuses are those of submit.",
    .options = pipe_options,
    .size = sizeof (struct values),
    .verbatim = true,
    .examples = "tori gang pipe --socket gang.sock -n 4 ./produce \\| -n 2 "
                "./consume",
    STATUS,
    .run = run_pipe,
};
