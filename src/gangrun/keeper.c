#include "keeper.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "array.h"
#include "family.h"
#include "number.h"
#include "program.h"

/* How long a rank that was asked to end may take, in nanoseconds. It gives up
 * on its jobs before that. */
#define PATIENCE (INT64_C (10) * 1000000000)

enum { FILES = sizeof (struct warden_files) / sizeof (int) };

struct keeper {
    int socket;  /* to the rank; -1 when it is gone */
    int signals; /* a signalfd */
    int leader;  /* a pidfd, or -1 */
    pid_t rank;
    pid_t *warden;
    size_t wardens, room;
    bool done, finalized;
    int status;
    int64_t patience; /* when the rank is killed; 0: never */
};

/* ---- messages with descriptors ---- */

union ancillary {
    char room[CMSG_SPACE (sizeof (struct warden_files))];
    struct cmsghdr align;
};

int keeper_tell (int fd, const struct keeper_message *message,
                 const struct warden_files *files)
{
    struct keeper_message copy = *message;
    struct iovec io = {&copy, sizeof copy};
    union ancillary extra = {{0}};
    struct msghdr header = {.msg_iov = &io, .msg_iovlen = 1};
    ssize_t sent;
    if (files) {
        struct cmsghdr *c;
        header.msg_control = extra.room;
        header.msg_controllen = sizeof extra.room;
        c = CMSG_FIRSTHDR (&header);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN (sizeof *files);
        memcpy (CMSG_DATA (c), files, sizeof *files);
    }
    do
        sent = sendmsg (fd, &header, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)sizeof copy ? 0 : -1;
}

static bool hear (int fd, struct keeper_message *message,
                  struct warden_files *files)
{
    struct iovec io = {message, sizeof *message};
    union ancillary extra;
    struct msghdr header = {.msg_iov = &io,
                            .msg_iovlen = 1,
                            .msg_control = extra.room,
                            .msg_controllen = sizeof extra.room};
    ssize_t got = recvmsg (fd, &header, MSG_CMSG_CLOEXEC);
    struct cmsghdr *c = CMSG_FIRSTHDR (&header);
    *files = (struct warden_files){-1, -1, -1, -1};
    if (got == (ssize_t)sizeof *message && c
        && c->cmsg_type == SCM_RIGHTS
        && c->cmsg_len == CMSG_LEN (sizeof *files))
        memcpy (files, CMSG_DATA (c), sizeof *files);
    return got == (ssize_t)sizeof *message;
}

/* ---- wardens ---- */

static void close_files (const struct warden_files *files)
{
    close (files->control);
    close (files->in);
    close (files->out);
    close (files->err);
}

/* The warden keeps nothing that is open here but its own. */
static _Noreturn void become_warden (const struct warden_files *files,
                                     enum cage_kind kind)
{
    const int fds[FILES]
        = {files->control, files->in, files->out, files->err};
    close_all_but (fds, FILES, STDERR_FILENO + 1);
    warden_run (files, kind);
}

/* What a warden would say that cannot be. */
static void speak_for_warden (const struct warden_files *files, int why)
{
    struct warden_event event
        = {.kind = WARDEN_ENDED, .status = NOT_RUNNABLE, .why = why};
    send (files->control, &event, sizeof event, MSG_NOSIGNAL);
}

static void spawn (struct keeper *k, const struct keeper_message *message,
                   const struct warden_files *files)
{
    pid_t *more = array_room (k->warden, &k->room, k->wardens + 1,
                              sizeof *more);
    pid_t pid;
    if (files->control < 0)
        return;
    if (more)
        k->warden = more;
    pid = more ? fork () : -1;
    if (pid == 0)
        become_warden (files, message->cage);
    if (pid > 0)
        k->warden[k->wardens++] = pid;
    else
        speak_for_warden (files, errno);
}

/* What a warden has not ended itself is ours now, together with anybody that
 * had been its charge. */
static void reaped (struct keeper *k, pid_t pid, int status)
{
    if (pid == k->rank) {
        k->rank = 0;
        return;
    }
    for (size_t i = 0; i < k->wardens; i++)
        if (k->warden[i] == pid) {
            k->warden[i] = k->warden[--k->wardens];
            if (WIFSIGNALED (status))
                cages_sweep ();
            return;
        }
}

static bool is_known (const struct keeper *k, pid_t pid)
{
    if (pid == k->rank)
        return true;
    for (size_t i = 0; i < k->wardens; i++)
        if (k->warden[i] == pid)
            return true;
    return false;
}

/* A child that is neither the rank nor a warden was left by a warden that was
 * killed. waitid tells of it only when it is dead, so /proc is read. */
static void end_strays (const struct keeper *k)
{
    pid_t children[256];
    int n = family_children (getpid (), children, 256);
    for (int i = 0; i < n; i++)
        if (!is_known (k, children[i])) {
            kill (children[i], SIGSTOP);
            family_signal (children[i], SIGKILL);
            kill (children[i], SIGKILL);
        }
}

/* mpirun, or somebody else, wants an end. A rank ends in order, with all the
 * others; one that does not is killed. */
static void ask_for_end (struct keeper *k)
{
    if (k->rank <= 0)
        return;
    kill (k->rank, SIGTERM);
    if (!k->patience)
        k->patience = clock_now () + PATIENCE;
}

/* Milliseconds to wait, as poll has them. */
static int until_impatient (const struct keeper *k)
{
    int64_t left = k->patience - clock_now ();
    if (!k->patience)
        return -1;
    return left > 0 ? (int)(left / 1000000) + 1 : 0;
}

static void reap (struct keeper *k)
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
        reaped (k, pid, status);
    }
    if (killed)
        end_strays (k);
}

/* ---- the end ---- */

/* A rank that could not leave MPI as it should, because another one is dead,
 * has not taken leave of mpirun: that is one line of its protocol. */
static void take_leave (void)
{
    const char *text = getenv ("PMI_FD");
    static const char leave[] = "cmd=finalize\n";
    struct pollfd answer = {.events = POLLIN};
    char line[256];
    int64_t fd;
    if (!text || number_parse (text, "PMI_FD", 0, INT32_MAX, &fd, NULL) < 0)
        return;
    answer.fd = (int)fd;
    if (write ((int)fd, leave, sizeof leave - 1) < 0)
        return;
    while (poll (&answer, 1, 1000) > 0)
        if (read ((int)fd, line, sizeof line) <= 0
            || memmem (line, sizeof line, "finalize_ack", 12))
            return;
}

static void wait_for_leader (const struct keeper *k)
{
    struct pollfd fd = {k->leader, POLLIN, 0};
    while (k->leader >= 0 && poll (&fd, 1, -1) < 0 && errno == EINTR)
        ;
}

static void listen_to_rank (struct keeper *k)
{
    struct keeper_message message;
    struct warden_files files;
    if (!hear (k->socket, &message, &files)) {
        close (k->socket);
        k->socket = -1;
    } else if (message.kind == KEEPER_SPAWN) {
        spawn (k, &message, &files);
        close_files (&files);
    } else if (message.kind == KEEPER_LEADER) {
        k->leader = (int)syscall (SYS_pidfd_open, (pid_t)message.pid, 0);
    } else {
        k->done = true;
        k->status = message.status;
        k->finalized = message.finalized;
    }
}

static int finish (struct keeper *k)
{
    if (k->rank > 0)
        kill (k->rank, SIGKILL);
    while (k->socket >= 0)
        listen_to_rank (k);
    while (k->wardens > 0 || k->rank > 0) {
        struct pollfd fd = {k->signals, POLLIN, 0};
        poll (&fd, 1, 100);
        reap (k);
    }
    family_end ();
    /* Another keeper may have been killed together with its wardens. */
    cages_sweep ();
    if (!k->done)
        wait_for_leader (k);
    if (!k->finalized)
        take_leave ();
    free (k->warden);
    return k->done ? k->status : k->leader < 0;
}

static int watch_signals (void)
{
    sigset_t set;
    sigemptyset (&set);
    sigaddset (&set, SIGCHLD);
    sigaddset (&set, SIGTERM);
    sigaddset (&set, SIGINT);
    sigaddset (&set, SIGHUP);
    sigprocmask (SIG_BLOCK, &set, NULL);
    return signalfd (-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int keeper_run (int (*rank) (int keeper, void *arg), void *arg)
{
    struct keeper k = {.leader = -1};
    int pair[2];
    pid_t self = getpid ();
    if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return TORI_FAILED;
    prctl (PR_SET_CHILD_SUBREAPER, 1);
    prctl (PR_SET_NAME, "tori-keeper");
    /* The rank has them blocked, too, from the start. */
    k.signals = watch_signals ();
    k.rank = fork ();
    if (k.rank == 0) {
        prctl (PR_SET_PDEATHSIG, SIGKILL);
        prctl (PR_SET_NAME, "tori-rank");
        close (pair[0]);
        _exit (getppid () == self ? rank (pair[1], arg) : TORI_FAILED);
    }
    close (pair[1]);
    k.socket = pair[0];
    while (k.socket >= 0 && k.rank > 0) {
        struct pollfd fds[] = {{k.socket, POLLIN, 0}, {k.signals, POLLIN, 0}};
        if (poll (fds, 2, until_impatient (&k)) < 0 && errno != EINTR)
            break;
        if (k.patience && clock_now () >= k.patience)
            break;
        if (fds[0].revents)
            listen_to_rank (&k);
        if (fds[1].revents)
            reap (&k);
    }
    return finish (&k);
}
