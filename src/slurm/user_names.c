/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "user_names.h"

#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "standby.h"

/* Seconds that a name is remembered, that a look-up may take, and from one
 * without an answer to the next; how many run at once; and milliseconds that
 * those of one look at Slurm may be waited for. */
enum { KEPT = 60, DEADLINE = 10, PAUSE = 1, AT_ONCE = 64, MOMENT = 200 };

enum { NAME_SIZE = 256 };

struct name {
    struct name *next;
    uid_t uid;
    char text[NAME_SIZE]; /* empty: not known */
    double until;         /* it need not be looked up before this time */
    pid_t pid; /* of its look-up, until that has died; 0: there is none */
    int fd;    /* its answer; -1: none is waited for */
    double since;
};

struct user_names {
    struct name *first;
    double moment; /* what is left of it, in milliseconds */
};

struct user_names *user_names_create (void)
{
    return calloc (1, sizeof (struct user_names));
}

/* One that does not die keeps its number, so that it has no successor. */
static void reap (struct name *name)
{
    if (name->pid > 0 && waitpid (name->pid, NULL, WNOHANG) != 0)
        name->pid = 0;
}

void user_names_turn (struct user_names *names)
{
    names->moment = MOMENT;
    for (struct name *name = names->first; name; name = name->next)
        if (name->fd < 0)
            reap (name);
}

/* ---- look-ups ---- */

/* A process that hangs must hold nothing that others wait for. */
static _Noreturn void look_up (uid_t uid, pid_t parent, int fd)
{
    const struct passwd *user;
    char text[NAME_SIZE];
    prctl (PR_SET_PDEATHSIG, SIGKILL);
    if (getppid () != parent || dup2 (fd, STDIN_FILENO) < 0
        || dup2 (STDERR_FILENO, STDOUT_FILENO) < 0)
        _exit (1);
    close_range (STDERR_FILENO + 1, ~0U, 0);
    user = getpwuid (uid);
    if (user)
        snprintf (text, sizeof text, "%s", user->pw_name);
    else
        snprintf (text, sizeof text, "%u", (unsigned)uid);
    _exit (write (STDIN_FILENO, text, strlen (text)) < 0);
}

static void begin_look (struct name *name)
{
    pid_t parent = getpid ();
    int fds[2];
    name->since = standby_clock ();
    name->until = name->since + PAUSE;
    if (pipe2 (fds, O_CLOEXEC) < 0)
        return;
    name->pid = fork ();
    if (name->pid == 0)
        look_up (name->uid, parent, fds[1]);
    close (fds[1]);
    if (name->pid > 0) {
        name->fd = fds[0];
        return;
    }
    name->pid = 0;
    close (fds[0]);
}

/* An answer that is short comes in one piece. */
static void end_look (struct name *name)
{
    char text[NAME_SIZE] = "";
    ssize_t n = read (name->fd, text, sizeof text - 1);
    close (name->fd);
    name->fd = -1;
    name->until = standby_clock () + (n > 0 ? KEPT : PAUSE);
    if (n > 0)
        snprintf (name->text, sizeof name->text, "%s", text);
    reap (name);
}

static void give_up (struct name *name)
{
    fprintf (stderr,
             "tori-slurm: the name of user %u does not come; the user's jobs "
             "wait for it\n",
             (unsigned)name->uid);
    kill (name->pid, SIGKILL);
    close (name->fd);
    name->fd = -1;
    name->until = standby_clock () + PAUSE;
}

static void await_answer (struct user_names *names, struct name *name,
                          bool begins)
{
    struct pollfd answer = {name->fd, POLLIN, 0};
    double before = standby_clock ();
    bool came = poll (&answer, 1, begins ? (int)names->moment : 0) > 0;
    names->moment -= (standby_clock () - before) * 1000;
    if (names->moment < 0)
        names->moment = 0;
    if (came)
        end_look (name);
    else if (standby_clock () - name->since > DEADLINE)
        give_up (name);
}

/* ---- names ---- */

void user_names_destroy (struct user_names *names)
{
    while (names && names->first) {
        struct name *name = names->first;
        names->first = name->next;
        if (name->fd >= 0) {
            kill (name->pid, SIGKILL);
            close (name->fd);
        }
        free (name);
    }
    free (names);
}

static struct name *name_of (struct user_names *names, uid_t uid,
                             size_t *ret_busy)
{
    struct name *found = NULL;
    *ret_busy = 0;
    for (struct name *name = names->first; name; name = name->next) {
        *ret_busy += name->fd >= 0;
        if (name->uid == uid)
            found = name;
    }
    if (found || !(found = calloc (1, sizeof *found)))
        return found;
    *found = (struct name){.next = names->first, .uid = uid, .fd = -1};
    names->first = found;
    return found;
}

const char *user_name (struct user_names *names, uid_t uid)
{
    size_t busy;
    struct name *name = name_of (names, uid, &busy);
    bool begins;
    if (!name)
        return NULL;
    begins = name->pid == 0 && busy < AT_ONCE
             && standby_clock () >= name->until;
    if (begins)
        begin_look (name);
    if (name->fd >= 0)
        await_answer (names, name, begins);
    return *name->text ? name->text : NULL;
}
