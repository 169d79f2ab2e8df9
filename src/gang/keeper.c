#include "keeper.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "array.h"
#include "family.h"
#include "program.h"

/* How long a rank that was asked to end may take, in nanoseconds. It gives up
 * on its jobs before that. */
#define PATIENCE (INT64_C (10) * 1000000000)

struct keeper {
    int socket;  /* to the rank; -1 when it is gone */
    int signals; /* a signalfd */
    pid_t rank;
    pid_t *warden;
    size_t wardens, room;
    int standin; /* ends with it; -1: it is gone */
    bool met, done;
    int status;
    int64_t patience; /* when the rank is killed; 0: never */
};

/* ---- messages with descriptors ---- */

union ancillary {
    char room[CMSG_SPACE (WARDEN_FILES * sizeof (int))];
    struct cmsghdr align;
};

int keeper_tell (int fd, const struct keeper_message *message,
                 const int files[], size_t n)
{
    struct keeper_message copy = *message;
    struct iovec io = {&copy, sizeof copy};
    union ancillary extra = {{0}};
    struct msghdr header = {.msg_iov = &io, .msg_iovlen = 1};
    ssize_t sent;
    if (n > 0) {
        struct cmsghdr *c;
        header.msg_control = extra.room;
        header.msg_controllen = CMSG_SPACE (n * sizeof (int));
        c = CMSG_FIRSTHDR (&header);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN (n * sizeof (int));
        memcpy (CMSG_DATA (c), files, n * sizeof (int));
    }
    do
        sent = sendmsg (fd, &header, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)sizeof copy ? 0 : -1;
}

/* The next message, and its descriptors, -1 where none came. False at the end.
 */
static bool keeper_hear (int fd, struct keeper_message *message,
                         int files[WARDEN_FILES])
{
    struct iovec io = {message, sizeof *message};
    union ancillary extra;
    struct msghdr header = {.msg_iov = &io,
                            .msg_iovlen = 1,
                            .msg_control = extra.room,
                            .msg_controllen = sizeof extra.room};
    ssize_t got = recvmsg (fd, &header, MSG_CMSG_CLOEXEC);
    struct cmsghdr *c = CMSG_FIRSTHDR (&header);
    for (int i = 0; i < WARDEN_FILES; i++)
        files[i] = -1;
    if (got == (ssize_t)sizeof *message && c && c->cmsg_type == SCM_RIGHTS)
        memcpy (files, CMSG_DATA (c), c->cmsg_len - CMSG_LEN (0));
    return got == (ssize_t)sizeof *message;
}

/* ---- wardens ---- */

/* The warden keeps only its own descriptors open. */
static _Noreturn void become_warden (const int files[WARDEN_FILES],
                                     enum cage_kind kind)
{
    close_all_but (files, WARDEN_FILES, STDERR_FILENO + 1);
    warden_run (files, kind);
}

/* Report the end for a warden that could not be started. */
static void speak_for_warden (int control, int why)
{
    struct warden_event event
        = {.kind = WARDEN_ENDED, .status = NOT_RUNNABLE, .why = why};
    send (control, &event, sizeof event, MSG_NOSIGNAL);
}

static void spawn_warden (struct keeper *k,
                          const struct keeper_message *message,
                          const int files[WARDEN_FILES])
{
    pid_t *more = array_room (k->warden, &k->room, k->wardens + 1,
                              sizeof *more);
    pid_t pid;
    if (files[WARDEN_CONTROL] < 0)
        return;
    if (more)
        k->warden = more;
    pid = more ? fork () : -1;
    if (pid == 0)
        become_warden (files, message->cage);
    if (pid > 0)
        k->warden[k->wardens++] = pid;
    else
        speak_for_warden (files[WARDEN_CONTROL], errno);
}

static void forget_child (struct keeper *k, pid_t pid)
{
    if (pid == k->rank) {
        k->rank = 0;
        return;
    }
    for (size_t i = 0; i < k->wardens; i++)
        if (k->warden[i] == pid) {
            k->warden[i] = k->warden[--k->wardens];
            return;
        }
}

/* Kill the processes that a killed warden has left behind. They are children
 * of this process now: those that are neither the rank nor a warden. */
static void end_strays (const struct keeper *k)
{
    struct kin known = {0};
    kin_add (&known, (struct relative){.pid = k->rank});
    for (size_t i = 0; i < k->wardens; i++)
        kin_add (&known, (struct relative){.pid = k->warden[i]});
    family_end_strays (&known);
    free (known.one);
}

/* mpirun, or a user, wants the rank to end. A rank ends in order, with all the
 * others; a rank that does not is killed. */
static void ask_for_end (struct keeper *k)
{
    if (k->rank <= 0)
        return;
    kill (k->rank, SIGTERM);
    if (!k->patience)
        k->patience = clock_now () + PATIENCE;
}

/* Milliseconds to wait, for poll. */
static int until_impatient (const struct keeper *k)
{
    int64_t left = k->patience - clock_now ();
    if (!k->patience)
        return -1;
    return left > 0 ? (int)(left / 1000000) + 1 : 0;
}

static void reap_children (struct keeper *k)
{
    struct signalfd_siginfo info;
    bool killed = false;
    int status;
    pid_t pid;
    while (read (k->signals, &info, sizeof info) == (ssize_t)sizeof info)
        if (info.ssi_signo != SIGCHLD)
            ask_for_end (k);
    while ((pid = waitpid (-1, &status, WNOHANG)) > 0) {
        killed |= WIFSIGNALED (status);
        forget_child (k, pid);
    }
    if (killed) {
        end_strays (k);
        cages_sweep ();
    }
}

static void miss_standin (struct keeper *k)
{
    close (k->standin);
    k->standin = -1;
    if (k->rank > 0)
        kill (k->rank, k->met ? SIGHUP : SIGKILL);
}

/* ---- the end ---- */

/* A descriptor to hold is left open until this process ends. */
static void listen_to_rank (struct keeper *k)
{
    struct keeper_message message;
    int fds[WARDEN_FILES];
    if (!keeper_hear (k->socket, &message, fds)) {
        close (k->socket);
        k->socket = -1;
    } else if (message.kind == KEEPER_SPAWN) {
        spawn_warden (k, &message, fds);
        warden_close (fds);
    } else if (message.kind == KEEPER_LEADER) {
        keeper_tell (k->standin, &message, fds, 1);
        close (fds[0]);
    } else if (message.kind == KEEPER_MET) {
        k->met = true;
    } else if (message.kind == KEEPER_DONE) {
        k->done = true;
        k->status = message.status;
    }
}

static int finish_keeping (struct keeper *k)
{
    struct keeper_message last = {.kind = KEEPER_DONE};
    if (k->rank > 0)
        kill (k->rank, SIGKILL);
    while (k->socket >= 0)
        listen_to_rank (k);
    while (k->wardens > 0 || k->rank > 0) {
        struct pollfd fd = {k->signals, POLLIN, 0};
        poll (&fd, 1, 100);
        reap_children (k);
    }
    family_end ();
    /* Another keeper may have been killed together with its wardens. */
    cages_sweep ();
    free (k->warden);
    last.status = k->status;
    if (k->done)
        keeper_tell (k->standin, &last, NULL, 0);
    return k->done ? k->status : TORI_FAILED;
}

static void serve_rank (struct keeper *k)
{
    while (k->socket >= 0 && k->rank > 0) {
        struct pollfd fds[] = {{k->socket, POLLIN, 0},
                               {k->signals, POLLIN, 0},
                               {k->standin, POLLIN, 0}};
        if (poll (fds, 3, until_impatient (k)) < 0 && errno != EINTR)
            return;
        if (k->patience && clock_now () >= k->patience)
            return;
        if (fds[0].revents)
            listen_to_rank (k);
        if (fds[1].revents)
            reap_children (k);
        if (fds[2].revents)
            miss_standin (k);
    }
}

/* ---- what mpirun knows ---- */

static sigset_t list_signals (void)
{
    sigset_t set;
    sigemptyset (&set);
    sigaddset (&set, SIGCHLD);
    sigaddset (&set, SIGINT);
    sigaddset (&set, SIGTERM);
    sigaddset (&set, SIGHUP);
    return set;
}

/* The exit status that the keeper has sent last. If it sent none, the keeper
 * or its rank has died, and the run may go on without them: wait for the end
 * of the run. */
static int read_outcome (int keeper)
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

/* mpirun kills all its processes as soon as one of its hosts is gone, and a
 * run should go on with the others. So the process that mpirun has started
 * stays as a stand-in, and a child in a session of its own does the work: the
 * keeper. The stand-in passes signals on, and ends as the keeper does. If the
 * keeper or its rank has died, it stays until the run has ended, so that
 * mpirun does not see it.
 *
 * Standard output and error belong to the child alone. A stand-in that held
 * them open would keep their readers waiting.
 */
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
    _exit (read_outcome (keeper));
}

/* A socket that takes messages and ends when the stand-in is gone; -1 if there
 * cannot be one, and this process goes on as it was. */
static int leave_standin (void)
{
    sigset_t set = list_signals (), before;
    int ends[2];
    pid_t child;
    if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
        return -1;
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

int keeper_run (int (*rank) (int keeper, void *arg), void *arg)
{
    struct keeper k = {.standin = leave_standin ()};
    sigset_t set = list_signals ();
    int pair[2];
    pid_t self = getpid ();
    if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return TORI_FAILED;
    prctl (PR_SET_CHILD_SUBREAPER, 1);
    prctl (PR_SET_NAME, "tori-keeper");
    /* The rank has them blocked, too, from the start. */
    sigprocmask (SIG_BLOCK, &set, NULL);
    k.signals = signalfd (-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    k.rank = fork ();
    if (k.rank == 0) {
        prctl (PR_SET_PDEATHSIG, SIGKILL);
        prctl (PR_SET_NAME, "tori-rank");
        close (pair[0]);
        if (k.standin >= 0)
            close (k.standin);
        _exit (getppid () == self ? rank (pair[1], arg) : TORI_FAILED);
    }
    close (pair[1]);
    k.socket = pair[0];
    serve_rank (&k);
    return finish_keeping (&k);
}
