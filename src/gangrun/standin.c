#include "standin.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "keeper.h"

static void gather_signals (sigset_t *set)
{
    sigemptyset (set);
    sigaddset (set, SIGCHLD);
    sigaddset (set, SIGINT);
    sigaddset (set, SIGTERM);
    sigaddset (set, SIGHUP);
}

/* What the keeper has left as its last words, if it had any. Otherwise it, or
 * its rank, has died: the run may go on without. */
static int outcome (int keeper)
{
    struct keeper_message message;
    int fds[WARDEN_FILES], leader = -1;
    while (keeper_hear (keeper, &message, fds)) {
        if (message.kind == KEEPER_DONE)
            return message.status;
        if (message.kind == KEEPER_LEADER)
            leader = fds[0];
    }
    if (leader < 0)
        return TORI_FAILED;
    while (poll (&(struct pollfd){leader, POLLIN, 0}, 1, -1) < 0
           && errno == EINTR)
        ;
    return TORI_OK;
}

/* Standard output and error are the child's alone: who reads them would wait
 * for us as well. */
static _Noreturn void stand_in (pid_t child, int keeper, const sigset_t *set)
{
    pid_t gone = 0;
    prctl (PR_SET_NAME, "tori-standin");
    close (STDIN_FILENO);
    close (STDOUT_FILENO);
    close (STDERR_FILENO);
    while (gone == 0) {
        int signal = sigwaitinfo (set, NULL);
        if (signal > 0 && signal != SIGCHLD)
            kill (child, signal);
        gone = waitpid (child, NULL, WNOHANG);
    }
    _exit (outcome (keeper));
}

int standin_leave (void)
{
    sigset_t set, before;
    int ends[2];
    pid_t child;
    if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
        return -1;
    gather_signals (&set);
    sigprocmask (SIG_BLOCK, &set, &before);
    child = fork ();
    if (child > 0) {
        close (ends[0]);
        stand_in (child, ends[1], &set);
    }
    close (ends[1]);
    sigprocmask (SIG_SETMASK, &before, NULL);
    if (child == 0) {
        setsid ();
        return ends[0];
    }
    close (ends[0]);
    return -1;
}
