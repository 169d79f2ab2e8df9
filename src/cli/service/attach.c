#include "attach.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "clock.h"
#include "http_client.h"
#include "jobmembers.h"
#include "jobs.h"
#include "jobwait.h"
#include "syserror.h"

#define NAME_VARIABLE "TORI_RUN"

enum { STREAMS = 3, NAME_SIZE = 48 };

/* The first message to the job; without a terminal of its own, the three
 * files come with it. */
struct greeting {
    bool pty;
    struct winsize size;
};

/* ---- the socket ---- */

/* It is abstract: a file might be in a folder that the job does not see. */
static socklen_t name_address (const char *name, struct sockaddr_un *ret)
{
    *ret = (struct sockaddr_un){.sun_family = AF_UNIX};
    snprintf (ret->sun_path + 1, sizeof ret->sun_path - 1, "%s", name);
    return (socklen_t)(offsetof (struct sockaddr_un, sun_path) + 1
                       + strlen (ret->sun_path + 1));
}

/* Nobody else can take the files, or give others. */
static bool is_own_user (int fd)
{
    struct ucred peer;
    socklen_t n = sizeof peer;
    return getsockopt (fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) == 0
           && peer.uid == geteuid ();
}

static int make_name (char name[NAME_SIZE], tori_error *err)
{
    unsigned char bytes[16];
    size_t n = (size_t)snprintf (name, NAME_SIZE, "tori-run-");
    if (getrandom (bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return system_error ("random numbers", errno, err);
    for (size_t i = 0; i < sizeof bytes; i++)
        n += (size_t)snprintf (name + n, NAME_SIZE - n, "%02x", bytes[i]);
    return 0;
}

static int listen_as (const char *name, int *ret_fd, tori_error *err)
{
    struct sockaddr_un address;
    socklen_t n = name_address (name, &address);
    int fd = socket (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind (fd, (struct sockaddr *)&address, n) < 0
        || listen (fd, 1) < 0) {
        system_error ("a socket for the job", errno, err);
        if (fd >= 0)
            close (fd);
        return -1;
    }
    *ret_fd = fd;
    return 0;
}

/* Send and receive bytes and, if there are any, descriptors. */
static bool send_files (int fd, void *data, size_t size, const int files[],
                        size_t n)
{
    char room[CMSG_SPACE (STREAMS * sizeof (int))] = {0};
    struct iovec bytes = {data, size};
    struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1};
    if (n > 0) {
        struct cmsghdr *head;
        message.msg_control = room;
        message.msg_controllen = CMSG_SPACE (n * sizeof (int));
        head = CMSG_FIRSTHDR (&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN (n * sizeof (int));
        memcpy (CMSG_DATA (head), files, n * sizeof (int));
    }
    return sendmsg (fd, &message, MSG_NOSIGNAL) == (ssize_t)size;
}

static bool receive_files (int fd, void *data, size_t size, int files[],
                           size_t n)
{
    char room[CMSG_SPACE (STREAMS * sizeof (int))];
    struct iovec bytes = {data, size};
    struct msghdr message = {.msg_iov = &bytes,
                             .msg_iovlen = 1,
                             .msg_control = room,
                             .msg_controllen = sizeof room};
    const struct cmsghdr *head;
    ssize_t got;
    do
        got = recvmsg (fd, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    head = got == (ssize_t)size ? CMSG_FIRSTHDR (&message) : NULL;
    if (n == 0 || !head)
        return got == (ssize_t)size && n == 0;
    if (head->cmsg_type != SCM_RIGHTS
        || head->cmsg_len != CMSG_LEN (n * sizeof (int)))
        return false;
    memcpy (files, CMSG_DATA (head), n * sizeof (int));
    return true;
}

/* ---- here ---- */

/* The job begins as this program. */
static int lead_here (json_t *job, const char *name, tori_error *err)
{
    char path[4096];
    ssize_t n = readlink ("/proc/self/exe", path, sizeof path - 1);
    json_t *words = json_array ();
    if (n <= 0) {
        json_decref (words);
        return system_error ("/proc/self/exe", errno, err);
    }
    path[n] = '\0';
    json_array_append_new (words, json_string (path));
    json_array_append_new (words, json_string ("run"));
    json_array_append_new (words, json_string ("--"));
    json_array_extend (words, json_object_get (job, JOB_KEY (command)));
    json_object_set_new (job, JOB_KEY (command), words);
    json_object_set_new (json_object_get (job, JOB_KEY (environment)),
                         NAME_VARIABLE, json_string (name));
    return 0;
}

static int watch_signals (void)
{
    sigset_t set;
    sigemptyset (&set);
    sigaddset (&set, SIGINT);
    sigaddset (&set, SIGTERM);
    sigaddset (&set, SIGHUP);
    sigaddset (&set, SIGWINCH);
    sigprocmask (SIG_BLOCK, &set, NULL);
    return signalfd (-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int attach_open (json_t *job, struct attach_ends *ret_ends, tori_error *err)
{
    struct attach_ends ends;
    char name[NAME_SIZE];
    if (make_name (name, err) < 0 || lead_here (job, name, err) < 0
        || listen_as (name, &ends.listener, err) < 0)
        return -1;
    ends.signals = watch_signals ();
    *ret_ends = ends;
    return 0;
}

void attach_close (struct attach_ends ends)
{
    close (ends.listener);
    close (ends.signals);
}

struct attach {
    const char *socket;
    json_int_t id;
    struct attach_ends ends;
    int job;    /* a connection to it, or -1 */
    int master; /* of its terminal, or -1 */
    bool pty;
    bool reached;   /* it has been connected */
    bool told;      /* that it waits */
    int cancelled;  /* by this signal, or 0 */
    tori_time heard; /* when torid last answered */
    unsigned beat;  /* milliseconds until torid is asked again */
    struct termios usual; /* of this terminal */
};

static void set_raw (const struct attach *a)
{
    struct termios raw = a->usual;
    cfmakeraw (&raw);
    tcsetattr (STDIN_FILENO, TCSADRAIN, &raw);
}

static void copy_size (const struct attach *a)
{
    struct winsize size;
    if (a->master >= 0 && ioctl (STDIN_FILENO, TIOCGWINSZ, &size) == 0)
        ioctl (a->master, TIOCSWINSZ, &size);
}

/* The job has begun: give it the files, or take its terminal. */
static void greet_job (struct attach *a)
{
    static const int files[STREAMS]
        = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
    struct greeting greeting = {.pty = a->pty};
    char mark = 0;
    int fd = accept4 (a->ends.listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0)
        return;
    if (a->pty)
        ioctl (STDIN_FILENO, TIOCGWINSZ, &greeting.size);
    if (a->job >= 0 || !is_own_user (fd)
        || !send_files (fd, &greeting, sizeof greeting, files,
                        a->pty ? 0 : STREAMS)
        || (a->pty
            && !receive_files (fd, &mark, sizeof mark, &a->master, 1))) {
        close (fd);
        return;
    }
    a->job = fd;
    a->reached = true;
    if (a->pty)
        set_raw (a);
}

/* Copy what there is. False at the end. */
static bool copy_bytes (int from, int to)
{
    char text[4096];
    ssize_t n = read (from, text, sizeof text);
    for (ssize_t done = 0; done < n;) {
        ssize_t more = write (to, text + done, (size_t)(n - done));
        if (more < 0 && errno != EINTR)
            return false;
        done += more > 0 ? more : 0;
    }
    return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

/* The job has ended, or begins again elsewhere: print the rest. */
static void leave_job (struct attach *a)
{
    struct pollfd rest = {a->master, POLLIN, 0};
    while (a->master >= 0 && poll (&rest, 1, 0) > 0
           && copy_bytes (a->master, STDOUT_FILENO))
        ;
    if (a->master >= 0) {
        close (a->master);
        tcsetattr (STDIN_FILENO, TCSADRAIN, &a->usual);
    }
    close (a->job);
    a->job = a->master = -1;
    a->beat = 0;
}

/* Cancel the job; when it is asked a second time, go. */
static int obey_signal (struct attach *a, tori_error *err)
{
    struct signalfd_siginfo info;
    json_t *answer = NULL;
    tori_error why;
    char path[64];
    if (read (a->ends.signals, &info, sizeof info) != (ssize_t)sizeof info)
        return 0;
    if (info.ssi_signo == SIGWINCH) {
        copy_size (a);
        return 0;
    }
    if (a->cancelled)
        return tori_error_set (err, TORI_FAILED,
                               "job %lld is being cancelled, and has not "
                               "ended yet",
                               (long long)a->id);
    a->cancelled = (int)info.ssi_signo;
    snprintf (path, sizeof path, "/v1/jobs/%lld", (long long)a->id);
    (void)call (a->socket, "DELETE", path, NULL, &answer, &why);
    json_decref (answer);
    return 0;
}

static void tell_wait (struct attach *a, const json_t *job)
{
    char remark[JOB_TEXT_MAX];
    enum { SOON = 300 };
    if (a->told || a->beat < SOON || !job_is (job, "queued"))
        return;
    a->told = true;
    job_remark (job, remark);
    fprintf (stderr, "tori: job %lld waits: %s\n", (long long)a->id, remark);
}

/* Whether the job has ended: 1, 0, or -1. torid may be away for a while. */
static int ask_torid (struct attach *a, tori_error *err)
{
    json_t *job = NULL;
    int over;
    if (job_fetch (a->socket, a->id, &job, err) < 0)
        return err->status != TORI_FAILED
                       || clock_now () - a->heard > USUAL_PATIENCE
                   ? -1
                   : 0;
    a->heard = clock_now ();
    tell_wait (a, job);
    over = job_is (job, "ended");
    json_decref (job);
    return over;
}

static int attend_job (struct attach *a, tori_error *err)
{
    enum { BEAT = 20, BEAT_MOST = 1000 };
    bool typed = a->master >= 0;
    struct pollfd fds[] = {{a->ends.signals, POLLIN, 0},
                           {a->ends.listener, POLLIN, 0},
                           {a->job, POLLIN, 0},
                           {a->master, POLLIN, 0},
                           {typed ? STDIN_FILENO : -1, POLLIN, 0}};
    a->beat = a->beat == 0                 ? BEAT
              : a->beat * 2 > BEAT_MOST ? BEAT_MOST
                                        : a->beat * 2;
    if (poll (fds, sizeof fds / sizeof fds[0],
              a->job >= 0 ? -1 : (int)a->beat)
        < 0)
        return errno == EINTR ? 0 : system_error ("poll", errno, err);
    if (fds[3].revents)
        copy_bytes (a->master, STDOUT_FILENO);
    if (fds[4].revents && !copy_bytes (STDIN_FILENO, a->master))
        return tori_error_set (err, TORI_FAILED, "the terminal is gone");
    if (fds[2].revents)
        leave_job (a);
    if (fds[1].revents)
        greet_job (a);
    return fds[0].revents ? obey_signal (a, err) : 0;
}

static int report_end (const struct attach *a, tori_error *err)
{
    json_t *ids = json_pack ("[I]", a->id);
    int status = wait_for_all (a->socket, USUAL_PATIENCE, ids, NULL, err);
    json_decref (ids);
    if (status >= 0 && a->cancelled)
        return 128 + a->cancelled;
    if (status < 0 || a->reached)
        return status;
    fprintf (stderr,
             "tori: job %lld ended before it reached this terminal; 'tori "
             "run' needs an executor that runs jobs on this host, such as "
             "torid-local\n",
             (long long)a->id);
    return status > 0 ? status : 1;
}

int attach_wait (const char *socket, json_int_t id, struct attach_ends ends,
                 bool pty, tori_error *err)
{
    struct attach a = {.socket = socket,
                       .id = id,
                       .ends = ends,
                       .job = -1,
                       .master = -1,
                       .pty = pty,
                       .heard = clock_now ()};
    int over = 0;
    if (pty && tcgetattr (STDIN_FILENO, &a.usual) < 0)
        over = system_error ("the terminal", errno, err);
    while (over == 0) {
        over = attend_job (&a, err);
        if (over == 0 && a.job < 0)
            over = ask_torid (&a, err);
    }
    if (a.job >= 0)
        leave_job (&a);
    return over < 0 ? -1 : report_end (&a, err);
}

/* ---- there ---- */

bool attach_is_job (void)
{
    return getenv (NAME_VARIABLE) != NULL;
}

static int connect_to (const char *name, int *ret_fd, tori_error *err)
{
    struct sockaddr_un address;
    socklen_t n = name_address (name, &address);
    int fd = socket (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect (fd, (struct sockaddr *)&address, n) < 0
        || !is_own_user (fd)) {
        tori_error_set (err, TORI_FAILED,
                        "'tori run' is not there any more, or not on this "
                        "host");
        if (fd >= 0)
            close (fd);
        return -1;
    }
    *ret_fd = fd;
    return 0;
}

enum { PTY_NAME = 128 };

/* Make a terminal, and hand its other end over. */
static int make_terminal (int fd, const struct winsize *size,
                          char name[PTY_NAME], tori_error *err)
{
    int master = posix_openpt (O_RDWR | O_NOCTTY | O_CLOEXEC), status = 0;
    char mark = 't';
    if (master < 0 || grantpt (master) < 0 || unlockpt (master) < 0
        || ptsname_r (master, name, PTY_NAME) != 0)
        status = system_error ("a terminal", errno, err);
    if (status == 0) {
        ioctl (master, TIOCSWINSZ, size);
        if (!send_files (fd, &mark, sizeof mark, &master, 1))
            status = system_error ("'tori run'", errno, err);
    }
    if (master >= 0)
        close (master);
    return status;
}

static void take_terminal (const char *name)
{
    int fd;
    setsid ();
    fd = open (name, O_RDWR); /* it is the session's then */
    ioctl (fd, TIOCSCTTY, 0);
    for (int i = 0; i < STREAMS; i++)
        dup2 (fd, i);
    if (fd >= STREAMS)
        close (fd);
}

static _Noreturn void become_program (const int files[STREAMS],
                                      const char *terminal,
                                      char *const argv[])
{
    sigset_t none;
    int why;
    prctl (PR_SET_PDEATHSIG, SIGKILL);
    if (*terminal)
        take_terminal (terminal);
    else {
        setpgid (0, 0);
        for (int i = 0; i < STREAMS; i++)
            dup2 (files[i], i);
    }
    unsetenv (NAME_VARIABLE);
    sigemptyset (&none);
    sigprocmask (SIG_SETMASK, &none, NULL);
    execvp (argv[0], argv);
    why = errno;
    dprintf (STDERR_FILENO, "tori: %s: %s\n", argv[0], strerror (why));
    _exit (why == ENOENT ? 127 : 126);
}

static void send_signal (pid_t child, int number)
{
    if (kill (-child, number) < 0)
        kill (child, number);
}

/* End as the program did. */
static int end_likewise (int status)
{
    sigset_t one;
    int number = WTERMSIG (status);
    if (WIFEXITED (status))
        return WEXITSTATUS (status);
    signal (number, SIG_DFL);
    sigemptyset (&one);
    sigaddset (&one, number);
    raise (number);
    sigprocmask (SIG_UNBLOCK, &one, NULL);
    return 128 + number;
}

/* Pass signals on to the program. When 'tori run' is gone, the program has to
 * go, too. */
static int keep_program (pid_t child, int client, int signals)
{
    enum { GRACE = 10000 };
    struct signalfd_siginfo info;
    bool gone = false;
    int status = 0;
    while (waitpid (child, &status, WNOHANG) == 0) {
        struct pollfd fds[]
            = {{signals, POLLIN, 0}, {gone ? -1 : client, POLLIN, 0}};
        int n = poll (fds, 2, gone ? GRACE : -1);
        if (n == 0)
            send_signal (child, SIGKILL);
        if (n > 0 && fds[1].revents) {
            gone = true;
            send_signal (child, SIGHUP);
        }
        if (n > 0 && fds[0].revents
            && read (signals, &info, sizeof info) == (ssize_t)sizeof info
            && info.ssi_signo != SIGCHLD && info.ssi_signo != SIGCONT)
            send_signal (child, (int)info.ssi_signo);
    }
    return end_likewise (status);
}

static int start_program (int client, const int files[STREAMS],
                          const char *terminal, char *const argv[],
                          tori_error *err)
{
    sigset_t all;
    pid_t child;
    int signals;
    sigfillset (&all);
    sigprocmask (SIG_BLOCK, &all, NULL);
    signals = signalfd (-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
    child = signals < 0 ? -1 : fork ();
    if (child < 0)
        return system_error ("a process", errno, err);
    if (child == 0)
        become_program (files, terminal, argv);
    for (int i = 0; i < STREAMS && !*terminal; i++)
        close (files[i]);
    return keep_program (child, client, signals);
}

int attach_run (const char *const words[], size_t n, tori_error *err)
{
    char terminal[PTY_NAME] = "", **argv = calloc (n + 1, sizeof *argv);
    struct greeting greeting = {0};
    int fd = -1, files[STREAMS] = {-1, -1, -1}, status = -1;
    if (!argv)
        return tori_error_nomem (err);
    for (size_t i = 0; i < n; i++)
        argv[i] = (char *)(uintptr_t)words[i];
    if (connect_to (getenv (NAME_VARIABLE), &fd, err) < 0) {
        free (argv);
        return -1;
    }
    if (recv (fd, &greeting, sizeof greeting, MSG_PEEK)
        != (ssize_t)sizeof greeting)
        system_error ("'tori run'", errno, err);
    else if (!receive_files (fd, &greeting, sizeof greeting, files,
                             greeting.pty ? 0 : STREAMS))
        system_error ("'tori run'", errno, err);
    else if (!greeting.pty
             || make_terminal (fd, &greeting.size, terminal, err) == 0)
        status = start_program (fd, files, terminal, argv, err);
    close (fd);
    free (argv);
    return status;
}
