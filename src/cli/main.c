/* tori - the command. A row of the table below is a subcommand; each has a
 * file of its own. Everything else here is what they have in common: finding
 * the subcommand, its help, the one line of an error, and standard output,
 * whose failure is a failure like any other. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tori/version.h>

#include "commands.h"
#include "config.h"
#include "outfile.h"
#include "terminal.h"

/* In the order of the help. */
static const struct command *const commands[] = {
    &command_place,
    &command_wire,
    &command_sim,
    &command_map,
    &command_why,
    &command_forecast,
    &command_what_if,
    &command_defrag,
    &command_submit,
    &command_queue,
    &command_show,
    &command_wait,
    &command_cancel,
    &command_hold,
    &command_release,
    &command_nodes,
    &command_drain,
    &command_resume,
    &command_decide,
    &command_plan,
    &command_net,
    &command_gang,
    &command_demo,
    &command_paper,
    &command_list,
    &command_help,
    &command_completion,
    NULL,
};

struct values {
    bool version;
};

static const struct option options[] = {
    {"version", OPTION_FLAG, offsetof (struct values, version),
     .help = "print the version"},
    {.name = NULL},
};

static int run (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    if (!v->version)
        return tori_error_set (err, TORI_INVALID,
                               "no command given; see 'tori --help'");
    fprintf (out, "tori %s\n", tori_version ());
    return 0;
}

const struct command command_tori = {
    .name = "tori",
    .summary = "Place and schedule jobs on mesh, torus and multi-torus "
               "machines",
    .notes = "'tori help COMMAND' explains a command, 'tori help machines' "
             "how machines and nodes are written, 'tori help files' the "
             "formats of files, and 'tori help json' the fields of JSON "
             "answers.",
    .options = options,
    .size = sizeof (struct values),
    .commands = commands,
    .status = {[3] = "not now: it does not fit, or misses the deadline",
               [4] = "never on this machine"},
    .ranks = true,
    .examples = "tori place --machine torus:8x8x8 --shape 4x4x2\n"
                "tori sim --machine multitorus:8x8x8 --wiring torus",
    .run = run,
};

static int dispatch (const struct command *command, const char *path, int argc,
                     char **argv, FILE *out, tori_error *err);

/* Words are left behind the options of a command that has commands, and the
 * first is one of them, which says itself what is wrong with the others. */
static int descend (const struct command *command, const char *path, int argc,
                    char **argv, FILE *out, tori_error *err)
{
    const struct command *child = command_find (command, argv[0]);
    char longer[PATH_TEXT];
    path_join (longer, path, child->name);
    return dispatch (child, longer, argc - 1, argv + 1, out, err);
}

static int dispatch (const struct command *command, const char *path, int argc,
                     char **argv, FILE *out, tori_error *err)
{
    void *values = calloc (1, command->size + 1);
    bool help = false, mute = command->ranks && !launched_first ();
    int status = -1, used;
    if (!values)
        return tori_error_nomem (err);
    used = options_parse (command, path, argc, argv, values, &help, err);
    if (used < 0)
        goto done;
    if (help) {
        if (!mute)
            options_help (command, path, terminal_bold (), out);
        status = 0;
    } else if (used < argc && command_find (command, argv[used])) {
        mute = false;
        status = descend (command, path, argc - used, argv + used, out, err);
    } else if (used < argc) {
        status = command_unknown (command, path, argv[used], err);
    } else if (command->run) {
        status = command->run (values, out, err);
    } else {
        tori_error_set (err, TORI_INVALID,
                        "%s: no command given; see '%s --help'", command->name,
                        path);
    }
done:
    if (mute)
        err->text[0] = 0;
    options_free (command, values);
    free (values);
    return status;
}

/* A descriptor that is closed would go to the next file opened, which would
 * then be our input or receive our output: fill the gap with one that cannot
 * be read, or written, so that an attempt fails with a message. */
static void fill_standard_streams (void)
{
    int fd = STDIN_FILENO;
    if (fcntl (fd, F_GETFD) < 0)
        fd = open ("/dev/null", O_WRONLY);
    while (fd >= 0 && fd <= STDERR_FILENO)
        fd = open ("/dev/null", O_RDONLY);
    if (fd >= 0)
        close (fd);
}

/* Leave no temporary files behind, and end as the signal would have it. */
static void on_signal (int number)
{
    outfile_remove_all ();
    (void)raise (number);
}

/* What is ignored, as by nohup, stays so. */
static void watch_signals (void)
{
    static const int numbers[] = {SIGHUP, SIGINT, SIGTERM, SIGPIPE, SIGXCPU};
    struct sigaction action = {.sa_handler = on_signal,
                               .sa_flags = (int)SA_RESETHAND};
    struct sigaction before;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (sigaction (numbers[i], NULL, &before) == 0
            && before.sa_handler == SIG_DFL)
            (void)sigaction (numbers[i], &action, NULL);
}

/* Statuses are fixed, and none is a search's that gave up. */
static int exit_status (tori_status status)
{
    return status == TORI_GAVE_UP ? TORI_INVALID : (int)status;
}

/* How many bytes make a character of UTF-8 that is to be seen, or 0. */
static size_t shown_length (const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t length = *p < 0x80 ? 1 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4;
    if (*p < ' ' || *p == 0x7f || (*p >= 0x80 && *p < 0xc2) || *p > 0xf4
        || (*p == 0xc2 && p[1] < 0xa0))
        return 0;
    for (size_t i = 1; i < length; i++)
        if (p[i] >> 6 != 2)
            return 0;
    return length;
}

/* Names and lines of files are in it: nothing that a terminal would take as
 * more than text. */
static void print_error (tori_error *err)
{
    for (char *p = err->text; *p;) {
        size_t length = shown_length (p);
        if (length == 0)
            *p = '?';
        p += length ? length : 1;
    }
    fprintf (stderr, "tori: %s\n", err->text);
}

int main (int argc, char **argv)
{
    tori_error err = {.status = TORI_FAILED}, late;
    struct outfile *out;
    int status;
    fill_standard_streams ();
    watch_signals ();
    if (outfile_create ("-", &out, &err) < 0) {
        print_error (&err);
        return err.status;
    }
    status = dispatch (&command_tori, "tori", argc - 1, argv + 1,
                       outfile_stream (out), &err);
    if (outfile_commit (out, &late) < 0 && status >= 0) {
        status = -1;
        err = late;
    }
    outfile_destroy (out);
    if (status < 0 && err.text[0])
        print_error (&err);
    return status < 0 ? exit_status (err.status) : status;
}
