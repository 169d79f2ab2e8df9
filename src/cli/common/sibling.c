#include "sibling.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "syserror.h"

extern char **environ;

static int find_sibling (const char *name, char path[PATH_MAX],
                         tori_error *err)
{
    ssize_t n = readlink ("/proc/self/exe", path, PATH_MAX - 32);
    char *slash;
    if (n < 0)
        return system_error ("cannot find the tori executable", errno, err);
    path[n] = 0;
    slash = strrchr (path, '/');
    snprintf (slash + 1, PATH_MAX - (size_t)(slash + 1 - path), "%s", name);
    return 0;
}

int sibling_become (const char *name, char *words[], const char *lacking,
                    tori_error *err)
{
    char path[PATH_MAX];
    if (find_sibling (name, path, err) < 0)
        return -1;
    words[0] = path;
    execv (path, words);
    if (errno == ENOENT)
        return tori_error_set (err, TORI_FAILED, "%s (no %s)", lacking, name);
    return system_error (path, errno, err);
}

/* ---- the output of a program ---- */

static int spawn_to (int fd, const char *path, char *word, pid_t *ret_pid)
{
    char name[] = "tori";
    char *words[] = {name, word, NULL};
    posix_spawn_file_actions_t actions;
    int status;
    if (posix_spawn_file_actions_init (&actions) != 0)
        return -1;
    status = posix_spawn_file_actions_adddup2 (&actions, fd, STDOUT_FILENO);
    if (status == 0)
        status = posix_spawn (ret_pid, path, &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy (&actions);
    return status == 0 ? 0 : -1;
}

int sibling_open (struct sibling *sibling, const char *name, char *word)
{
    char path[PATH_MAX];
    int fd[2], status;
    if (find_sibling (name, path, NULL) < 0 || pipe2 (fd, O_CLOEXEC) < 0)
        return -1;
    status = spawn_to (fd[1], path, word, &sibling->pid);
    close (fd[1]);
    sibling->out = status == 0 ? fdopen (fd[0], "r") : NULL;
    if (sibling->out)
        return 0;
    close (fd[0]);
    return -1;
}

void sibling_close (struct sibling *sibling)
{
    fclose (sibling->out);
    while (waitpid (sibling->pid, NULL, 0) < 0 && errno == EINTR)
        ;
}
