#include "sibling.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "syserror.h"

extern char **environ;

int sibling_path (const char *name, char ret_path[PATH_MAX], tori_error *err)
{
    ssize_t n = readlink ("/proc/self/exe", ret_path, PATH_MAX - 64);
    char *slash;
    if (n < 0)
        return system_error ("cannot find the tori executable", errno, err);
    ret_path[n] = 0;
    slash = strrchr (ret_path, '/');
    snprintf (slash + 1, PATH_MAX - (size_t)(slash + 1 - ret_path), "%s",
              name);
    return 0;
}

int sibling_become (const char *name, char *words[], const char *lacking,
                    tori_error *err)
{
    char path[PATH_MAX];
    if (sibling_path (name, path, err) < 0)
        return -1;
    words[0] = path;
    execv (path, words);
    if (errno == ENOENT)
        return tori_error_set (err, TORI_FAILED, "%s (no %s)", lacking, name);
    return system_error (path, errno, err);
}

/* ---- the package ---- */

static int find_package (char ret_folder[PATH_MAX], tori_error *err)
{
    if (sibling_path ("python/tori/lab", ret_folder, err) < 0)
        return -1;
    if (access (ret_folder, X_OK) == 0)
        *strstr (ret_folder, "/tori/lab") = '\0';
    else
        snprintf (ret_folder, PATH_MAX, "%s", PYTHON_FOLDER);
    return 0;
}

/* The folder goes before those that the user has set. */
static int set_search_path (const char *folder, tori_error *err)
{
    const char *given = getenv ("PYTHONPATH");
    char *path;
    int status;
    if (asprintf (&path, "%s%s%s", folder, given ? ":" : "",
                  given ? given : "")
        < 0)
        return tori_error_nomem (err);
    status = setenv ("PYTHONPATH", path, 1);
    free (path);
    return status < 0 ? tori_error_nomem (err) : 0;
}

static int prepare_package (char *module, char *words[], tori_error *err)
{
    static char python[] = PYTHON, safe_path[] = "-P", as_script[] = "-c";
    /* As `python3 -m` does, but what is missing is said in one line. */
    static char script[]
        = "import runpy, sys\n"
          "try:\n"
          "    runpy.run_module(sys.argv.pop(1), run_name='__main__')\n"
          "except ImportError as missing:\n"
          "    sys.exit(f'tori: {missing}')\n";
    char folder[PATH_MAX], lab[PATH_MAX];
    if (find_package (folder, err) < 0)
        return -1;
    snprintf (lab, sizeof lab, "%.4000s/tori/lab", folder);
    if (access (lab, X_OK) < 0)
        return tori_error_set (err, TORI_FAILED,
                               "tori was installed without its Python package "
                               "(no %.200s)",
                               folder);
    memcpy (words, (char *[]){python, safe_path, as_script, script, module},
            PACKAGE_WORDS * sizeof *words);
    return set_search_path (folder, err);
}

int package_become (char *module, char *words[], tori_error *err)
{
    if (prepare_package (module, words, err) < 0)
        return -1;
    execv (words[0], words);
    return system_error (words[0], errno, err);
}

/* ---- the output of a program ---- */

/* What it has to complain about is not shown. */
static int spawn_to (int fd, const char *path, char *words[], pid_t *ret_pid)
{
    posix_spawn_file_actions_t actions;
    int status;
    if (posix_spawn_file_actions_init (&actions) != 0)
        return -1;
    status = posix_spawn_file_actions_adddup2 (&actions, fd, STDOUT_FILENO);
    if (status == 0)
        status = posix_spawn_file_actions_addopen (&actions, STDERR_FILENO,
                                                   "/dev/null", O_WRONLY, 0);
    if (status == 0)
        status = posix_spawn (ret_pid, path, &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy (&actions);
    return status == 0 ? 0 : -1;
}

static int open_output (struct sibling *sibling, const char *path,
                        char *words[])
{
    int fd[2], status;
    if (pipe2 (fd, O_CLOEXEC) < 0)
        return -1;
    status = spawn_to (fd[1], path, words, &sibling->pid);
    close (fd[1]);
    sibling->out = status == 0 ? fdopen (fd[0], "r") : NULL;
    if (sibling->out)
        return 0;
    close (fd[0]);
    return -1;
}

int sibling_open (struct sibling *sibling, const char *name, char *word)
{
    char path[PATH_MAX], tori[] = "tori";
    char *words[] = {tori, word, NULL};
    return sibling_path (name, path, NULL) < 0
               ? -1
               : open_output (sibling, path, words);
}

int package_open (struct sibling *sibling, char *module, char *words[])
{
    return prepare_package (module, words, NULL) < 0
               ? -1
               : open_output (sibling, words[0], words);
}

void sibling_close (struct sibling *sibling)
{
    fclose (sibling->out);
    while (waitpid (sibling->pid, NULL, 0) < 0 && errno == EINTR)
        ;
}
