#include "program.h"

#include <errno.h>
#include <limits.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

void program_reset (pid_t parent)
{
    sigset_t none;
    prctl (PR_SET_PDEATHSIG, SIGKILL);
    if (getppid () != parent)
        _exit (SIGNALLED + SIGKILL);
    setsid ();
    for (int i = 1; i < NSIG; i++)
        signal (i, SIG_DFL);
    sigemptyset (&none);
    sigprocmask (SIG_SETMASK, &none, NULL);
}

void program_files (int in, int out, int err)
{
    dup2 (in, STDIN_FILENO);
    dup2 (out, STDOUT_FILENO);
    dup2 (err, STDERR_FILENO);
}

/* Whether a shell would find it, and where. A name without a slash that is no
 * file in any folder of PATH is not there, whatever kept folders from being
 * looked into. */
static bool find_program (const char *name, char path[PATH_MAX])
{
    const char *folder = getenv ("PATH");
    struct stat st;
    snprintf (path, PATH_MAX, "%s", name);
    if (strchr (name, '/') || !folder)
        return true;
    for (size_t n;; folder += n + 1) {
        n = strcspn (folder, ":");
        snprintf (path, PATH_MAX, "%.*s/%s", n ? (int)n : 1,
                  n ? folder : ".", name);
        if (stat (path, &st) == 0 && S_ISREG (st.st_mode))
            return true;
        if (!folder[n])
            return false;
    }
}

int program_become (const char *dir, char *const argv[], unsigned files,
                    const char **ret_what)
{
    char path[PATH_MAX];
    int why;
    *ret_what = dir;
    if (dir && *dir && chdir (dir) < 0)
        return errno;
    close_range (files, ~0U, CLOSE_RANGE_CLOEXEC);
    *ret_what = argv[0];
    execvp (argv[0], argv);
    why = errno;
    return find_program (argv[0], path) ? why : ENOENT;
}

bool program_lacks (const char *name, char interpreter[PROGRAM_LINE])
{
    char path[PATH_MAX], line[PROGRAM_LINE] = "", *word = line + 2;
    FILE *file = find_program (name, path) ? fopen (path, "re") : NULL;
    bool script = file && fgets (line, sizeof line, file)
                  && !strncmp (line, "#!", 2);
    if (file)
        fclose (file);
    if (!script)
        return false;
    word += strspn (word, " \t");
    word[strcspn (word, " \t\n")] = 0;
    snprintf (interpreter, PROGRAM_LINE, "%s", word);
    return *word && access (word, F_OK) < 0;
}

void close_all_but (const int keep[], size_t n, int first)
{
    for (;;) {
        int next = INT_MAX;
        for (size_t i = 0; i < n; i++)
            if (keep[i] >= first && keep[i] < next)
                next = keep[i];
        if (next > first)
            close_range ((unsigned)first,
                         next == INT_MAX ? ~0U : (unsigned)next - 1, 0);
        if (next == INT_MAX)
            return;
        first = next + 1;
    }
}
