/* check_host.c - what torid needs of its host: operators, folders and an
 * executor. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <libgen.h>
#include <limits.h>
#include <pwd.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "syserror.h"
#include "torid.h"

/* ---- operators ---- */

/* NAME or @GROUP. One that is not there does no harm, but may be mistyped. */
static bool check_name (const char *what, const char *name, FILE *out)
{
    bool group = *name == '@';
    if (group ? getgrnam (name + 1) != NULL : getpwnam (name) != NULL)
        return true;
    fprintf (out, "%s %s: there is no such %s on this host\n", what, name,
             group ? "group" : "user");
    return false;
}

static void check_operators (const struct strings *operators, FILE *out)
{
    bool good = true;
    for (size_t i = 0; i < operators->n; i++)
        good &= check_name ("operator", operators->item[i], out);
    if (!good)
        return;
    fputs ("the operators are good: root", out);
    for (size_t i = 0; i < operators->n; i++)
        fprintf (out, ", %s", operators->item[i]);
    fputs ("\n", out);
}

/* ---- queues ---- */

static void check_words (const char *queue, const char *setting,
                         const char *words, FILE *out)
{
    size_t n;
    for (; words && *(words += strspn (words, " ")); words += n) {
        char what[256], name[256];
        n = strcspn (words, " ");
        snprintf (what, sizeof what, "queue %.100s: %s", queue, setting);
        snprintf (name, sizeof name, "%.*s", (int)n, words);
        (void)check_name (what, name, out);
    }
}

static void check_queues (const struct service_policy *policy, FILE *out)
{
    for (size_t i = 0; i < policy->nqueues; i++) {
        const struct service_queue *queue = &policy->queues[i];
        check_words (queue->name, "allow", queue->allow, out);
        check_words (queue->name, "deny", queue->deny, out);
    }
}

/* ---- folders ---- */

/* A folder that can be written: 1; 0 if it does not exist; or -1. */
static int check_folder (const char *path, tori_error *err)
{
    struct stat st;
    if (stat (path, &st) < 0)
        return errno == ENOENT ? 0 : system_error (path, errno, err);
    if (!S_ISDIR (st.st_mode)) {
        errno = ENOTDIR;
        return system_error (path, errno, err);
    }
    return access (path, W_OK | X_OK) == 0 ? 1 : system_error (path, errno, err);
}

/* The folder that a path is in has to exist. */
static int check_parent (const char *path, tori_error *err)
{
    char copy[PATH_MAX];
    const char *parent;
    int found;
    snprintf (copy, sizeof copy, "%s", path);
    parent = dirname (copy);
    found = check_folder (parent, err);
    if (found == 0) {
        errno = ENOENT;
        return system_error (parent, errno, err);
    }
    return found < 0 ? -1 : 0;
}

/* systemd makes the folder of the socket, and may not have done so yet. */
static int check_socket (const char *path, FILE *out, tori_error *err)
{
    char copy[PATH_MAX];
    const char *parent;
    int found;
    snprintf (copy, sizeof copy, "%s", path);
    parent = dirname (copy);
    found = check_folder (parent, err);
    if (found == 0)
        fprintf (out, "the folder of the socket is not there yet: %s\n",
                 parent);
    return found < 0 ? -1 : 0;
}

static int check_folders (const struct settings *v, FILE *out,
                          tori_error *err)
{
    char jobs[PATH_MAX];
    int found = check_folder (v->state, err);
    snprintf (jobs, sizeof jobs, "%s/jobs", v->state);
    if (found < 0 || (found == 0 && check_parent (v->state, err) < 0)
        || (!v->executor && check_folder (jobs, err) < 0)
        || (v->socket && check_socket (v->socket, out, err) < 0))
        return -1;
    fprintf (out, "the folders are good: %s%s\n", v->state,
             found ? "" : " will be created");
    return 0;
}

/* ---- the executor ---- */

/* The first word of a command: what it runs. False if only a shell could
 * tell. */
static bool read_program (const char *command, char program[PATH_MAX])
{
    size_t n;
    command += strspn (command, " \t");
    if (!strncmp (command, "exec ", 5))
        command += 5 + strspn (command + 5, " \t");
    n = strcspn (command, " \t");
    if (n == 0 || n >= PATH_MAX)
        return false;
    memcpy (program, command, n);
    program[n] = '\0';
    return !strpbrk (program, "\"'\\$`=;|&<>(){}*?[");
}

/* Run words without a sound: the exit status; -1 if they could not be run. */
static int run_silently (char *const words[])
{
    posix_spawn_file_actions_t files;
    int status = -1;
    pid_t pid;
    if (posix_spawn_file_actions_init (&files) != 0)
        return -1;
    for (int fd = 0; fd < 3; fd++)
        posix_spawn_file_actions_addopen (&files, fd, "/dev/null",
                                          fd ? O_WRONLY : O_RDONLY, 0);
    if (posix_spawnp (&pid, words[0], &files, NULL, words, environ) == 0)
        while (waitpid (pid, &status, 0) < 0 && errno == EINTR)
            ;
    posix_spawn_file_actions_destroy (&files);
    return WIFEXITED (status) ? WEXITSTATUS (status) : -1;
}

/* Executors of tori tell their version. Those of others may do anything when
 * they are run. */
static bool is_ours (const char *program)
{
    static const char *const names[]
        = {"torid-local", "torid-rehearse", "torid-follow", "tori-slurm"};
    const char *name = strrchr (program, '/');
    name = name ? name + 1 : program;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp (name, names[i]))
            return true;
    return false;
}

static int try_program (char *program, FILE *out, tori_error *err)
{
    char shell[] = "/bin/sh", flag[] = "-c", version[] = "--version";
    char find[] = "command -v -- \"$0\"";
    char *where[] = {shell, flag, find, program, NULL};
    char *words[] = {program, version, NULL};
    int status;
    if (run_silently (where) != 0)
        return tori_error_set (err, TORI_FAILED,
                               "the executor: %.400s: not found, or not a "
                               "program",
                               program);
    if (!is_ours (program)) {
        fprintf (out, "the executor is there: %s\n", program);
        return 0;
    }
    status = run_silently (words);
    if (status != 0)
        return tori_error_set (err, TORI_FAILED,
                               "the executor: %.400s: does not run", program);
    fprintf (out, "the executor is good: %s\n", program);
    return 0;
}

static int check_executor (const struct settings *v, FILE *out,
                           tori_error *err)
{
    const char *command = settings_executor (v);
    char program[PATH_MAX], home[PATH_MAX];
    if (!command) {
        fputs ("there is no executor: jobs are only placed, and nothing "
               "runs\n",
               out);
        return 0;
    }
    if (!v->executor) {
        executor_home (home);
        snprintf (program, sizeof program, "%.4000s/torid-local", home);
    } else if (!read_program (command, program)) {
        fputs ("the executor is a command of the shell, and was not tried\n",
               out);
        return 0;
    }
    return try_program (program, out, err);
}

int check_host (const struct settings *v, FILE *out, tori_error *err)
{
    check_operators (&v->operators, out);
    check_queues (&v->policy, out);
    return check_folders (v, out, err) < 0 || check_executor (v, out, err) < 0
               ? -1
               : 0;
}
