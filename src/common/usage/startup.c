#include "startup.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tori/version.h>

#include "manuals.h"
#include "outfile.h"
#include "terminal.h"

static int run_command (const struct command *command, const char *path,
                        int argc, char **argv, FILE *out, bool speaks,
                        tori_error *err);

/* The first of the words after the options of a command that has commands
 * names one of these, which checks the other words itself. */
static int run_child (const struct command *command, const char *path,
                      int argc, char **argv, FILE *out, bool speaks,
                      tori_error *err)
{
    const struct command *child = command_find (command, argv[0]);
    char longer[PATH_TEXT];
    path_join (longer, path, child->name);
    return run_command (child, longer, argc - 1, argv + 1, out, speaks, err);
}

static int run_command (const struct command *command, const char *path,
                        int argc, char **argv, FILE *out, bool speaks,
                        tori_error *err)
{
    void *values = calloc (1, command->size + 1);
    bool help = false, mute = command->ranks && !speaks;
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
        status = run_child (command, path, argc - used, argv + used, out,
                            speaks, err);
    } else if (used < argc) {
        status = command_unknown (command, path, argv[used], err);
    } else if (command->run_words) {
        status = command->run_words (argc, argv, values, out, err);
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

/* A closed standard descriptor would go to the next file opened, which would
 * then be read as input or receive output. Fill the gap with a descriptor that
 * cannot be read, or written, so that an attempt fails with a message. */
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

/* Remove temporary files, and end by the signal. */
static void on_signal (int number)
{
    outfile_remove_all ();
    (void)raise (number);
}

/* A signal that is ignored, as by nohup, stays ignored. */
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

/* Exit statuses are fixed, and none is reserved for a search that gave up. */
static int exit_status (tori_status status)
{
    return status == TORI_GAVE_UP ? TORI_INVALID : (int)status;
}

/* Names and lines of files may be in the error, so control characters are not
 * printed. */
static void print_error (const char *name, tori_error *err)
{
    text_clean (err->text);
    fprintf (stderr, "%s: %s\n", name, err->text);
}

int startup (const struct command *root, bool (*speaks) (void), int argc,
             char **argv)
{
    tori_error err = {.status = TORI_FAILED}, late;
    struct outfile *out;
    int status;
    fill_standard_streams ();
    watch_signals ();
    if (outfile_create ("-", &out, &err) < 0) {
        print_error (root->name, &err);
        return err.status;
    }
    status = run_command (root, root->name, argc - 1, argv + 1,
                          outfile_stream (out), !speaks || speaks (), &err);
    if (outfile_commit (out, &late) < 0 && status >= 0) {
        status = -1;
        err = late;
    }
    outfile_destroy (out);
    if (status < 0 && err.text[0])
        print_error (root->name, &err);
    return status < 0 ? exit_status (err.status) : status;
}

bool about_done (const struct about *about, const struct command *root,
                 FILE *out, int *ret_status, tori_error *err)
{
    *ret_status = 0;
    if (about->version)
        fprintf (out, "%s %s\n", root->name, tori_version ());
    else if (about->completion >= 0)
        options_complete (root, about->completion, out);
    else if (about->manuals)
        *ret_status = manuals_write (root, about->manuals, err);
    else
        return false;
    return true;
}
