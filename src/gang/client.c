#include "client.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

#include "syserror.h"

int client_address (const char *path, struct sockaddr_un *ret_address,
                    tori_error *err)
{
    size_t n = strlen (path);
    if (n == 0 || n >= sizeof ret_address->sun_path)
        return tori_error_set (err, TORI_INVALID,
                               "'%.60s' cannot be the path of a socket: it "
                               "must have 1 to %zu characters",
                               path, sizeof ret_address->sun_path - 1);
    *ret_address = (struct sockaddr_un){.sun_family = AF_UNIX};
    memcpy (ret_address->sun_path, path, n);
    return 0;
}

static int report_lost_run (const char *path, tori_error *err)
{
    return tori_error_set (err, TORI_FAILED, "%s: the run has died", path);
}

/* Another process that shares the file may have made it non-blocking. */
static bool must_wait (int to)
{
    struct pollfd room = {to, POLLOUT, 0};
    if (errno == EAGAIN)
        poll (&room, 1, -1);
    return errno == EAGAIN || errno == EINTR;
}

static int pass_on (int from, int to, size_t n, tori_error *err)
{
    char part[4096];
    while (n > 0) {
        size_t most = n < sizeof part ? n : sizeof part, done = 0;
        if (receive_all (from, part, most) < 0)
            return tori_error_set (err, TORI_FAILED, "the run has ended");
        while (done < most) {
            ssize_t more = write (to, part + done, most - done);
            if (more < 0 && !must_wait (to))
                return system_error ("standard output", errno, err);
            done += more > 0 ? (size_t)more : 0;
        }
        n -= most;
    }
    return 0;
}

/* The last frame: the status of the job, or -1 with why it was refused. */
static int read_end (int fd, const struct frame *frame, const char *path,
                     tori_error *err)
{
    char text[TORI_ERROR_TEXT + 32];
    struct reader reader = {text, frame->bytes};
    const char *why;
    int64_t status;
    if (frame->bytes > sizeof text || receive_all (fd, text, frame->bytes) < 0
        || reader_number (&reader, &status) < 0)
        return report_lost_run (path, err);
    why = reader_text (&reader);
    if (frame->kind == FRAME_STATUS) {
        if (why && *why)
            dprintf (STDERR_FILENO, "tori: %s\n", why);
        return (int)(status & 0xff);
    }
    return tori_error_set (err, (tori_status)status, "%s", why ? why : "");
}

/* ---- input ---- */

/* Input that was read and is not sent yet, as a frame. */
struct feed {
    bool open; /* there is more to read */
    int signals; /* a signalfd; -1: there is no terminal to pass on */
    struct termios before;
    struct {
        struct frame frame;
        char data[FRAME_IN_MAX];
    } out;
    size_t n, done;
};

bool client_has_input (void)
{
    struct stat now, null;
    if (fstat (STDIN_FILENO, &now) < 0)
        return false;
    return !S_ISCHR (now.st_mode) || stat ("/dev/null", &null) < 0
           || now.st_rdev != null.st_rdev;
}

/* A process that reads a terminal in the background is stopped. */
static bool in_background (void)
{
    pid_t group = isatty (STDIN_FILENO) ? tcgetpgrp (STDIN_FILENO) : -1;
    return group >= 0 && group != getpgrp ();
}

int64_t client_terminal (void)
{
    struct winsize size;
    if (!isatty (STDIN_FILENO) || ioctl (STDIN_FILENO, TIOCGWINSZ, &size) < 0)
        return 0;
    return INT64_C (1) << 32 | (int64_t)size.ws_row << 16 | size.ws_col;
}

/* From now on every key goes to the job, even one that would interrupt this
 * process. */
static int take_terminal (struct feed *feed, tori_error *err)
{
    static const int heeded[] = {SIGWINCH, SIGINT, SIGQUIT, SIGTERM, SIGHUP};
    struct termios raw;
    sigset_t set;
    sigemptyset (&set);
    for (size_t i = 0; i < sizeof heeded / sizeof heeded[0]; i++)
        sigaddset (&set, heeded[i]);
    sigprocmask (SIG_BLOCK, &set, NULL);
    feed->signals = signalfd (-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (feed->signals < 0 || tcgetattr (STDIN_FILENO, &feed->before) < 0)
        return system_error ("the terminal", errno, err);
    raw = feed->before;
    cfmakeraw (&raw);
    tcsetattr (STDIN_FILENO, TCSADRAIN, &raw);
    return 0;
}

static void leave_terminal (const struct feed *feed)
{
    if (feed->signals >= 0)
        tcsetattr (STDIN_FILENO, TCSADRAIN, &feed->before);
}

static void set_frame (struct feed *feed, enum frame_kind kind, size_t n)
{
    feed->out.frame = (struct frame){kind, (uint32_t)n};
    feed->n = sizeof feed->out.frame + n;
    feed->done = 0;
}

/* A new size is passed on. A signal that ends this process first restores the
 * terminal. */
static void take_signal (struct feed *feed)
{
    struct signalfd_siginfo info;
    int64_t size = client_terminal ();
    sigset_t all;
    int n;
    if (read (feed->signals, &info, sizeof info) != (ssize_t)sizeof info)
        return;
    if (info.ssi_signo != SIGWINCH) {
        leave_terminal (feed);
        sigfillset (&all);
        raise ((int)info.ssi_signo);
        sigprocmask (SIG_UNBLOCK, &all, NULL);
    }
    n = snprintf (feed->out.data, sizeof feed->out.data, "%lld",
                  (long long)size);
    set_frame (feed, FRAME_SIZE, (size_t)n + 1);
}

static void read_input (struct feed *feed)
{
    ssize_t n = read (STDIN_FILENO, feed->out.data, sizeof feed->out.data);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    n = n < 0 ? 0 : n;
    set_frame (feed, FRAME_IN, (size_t)n);
    feed->open = n > 0;
}

/* A run that does not read any more may still send something. */
static void send_input (int fd, struct feed *feed)
{
    const char *data = (const char *)&feed->out;
    ssize_t n = send (fd, data + feed->done, feed->n - feed->done,
                      MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (n < 0) {
        feed->open = false;
        feed->n = feed->done = 0;
        return;
    }
    feed->done += (size_t)n;
}

/* Feed the job until it sends something. */
static void feed_until_heard (int fd, struct feed *feed)
{
    /* milliseconds, to see which process group is in the foreground */
    enum { AGAIN = 500 };
    for (;;) {
        bool full = feed->done < feed->n;
        bool wants = feed->open && !full && !in_background ();
        bool behind = feed->open && !full && !wants;
        struct pollfd fds[]
            = {{fd, (short)(full ? POLLIN | POLLOUT : POLLIN), 0},
               {wants ? STDIN_FILENO : -1, POLLIN, 0},
               {full ? -1 : feed->signals, POLLIN, 0}};
        if (poll (fds, 3, behind ? AGAIN : -1) <= 0)
            continue;
        if (fds[0].revents & ~POLLOUT)
            return;
        if (fds[0].revents)
            send_input (fd, feed);
        if (fds[2].revents)
            take_signal (feed);
        else if (fds[1].revents)
            read_input (feed);
    }
}

/* Pass on the job's output; *ret_last is the first frame of another kind. */
static int pass_on_all (int fd, struct feed *feed, const char *path,
                        struct frame *ret_last, tori_error *err)
{
    for (;;) {
        feed_until_heard (fd, feed);
        if (receive_all (fd, ret_last, sizeof *ret_last) < 0)
            return report_lost_run (path, err);
        if (ret_last->kind != FRAME_OUT && ret_last->kind != FRAME_ERR)
            return 0;
        if (pass_on (fd, ret_last->kind == FRAME_OUT ? STDOUT_FILENO
                                                     : STDERR_FILENO,
                     ret_last->bytes, err)
            < 0)
            return -1;
    }
}

/* Follow the run to its last frame. `spec` is the job's, or NULL. */
static int follow_run (int fd, const struct spec *spec, const char *path,
                       tori_error *err)
{
    struct feed feed = {.open = spec && spec->input, .signals = -1};
    struct frame last;
    int status = spec && spec->pty ? take_terminal (&feed, err) : 0;
    if (status == 0)
        status = pass_on_all (fd, &feed, path, &last, err);
    leave_terminal (&feed);
    return status == 0 ? read_end (fd, &last, path, err) : -1;
}

/* The client sends its whole environment, and anybody may have put a socket at
 * a path. So the listener has to be this user, or root, who could read the
 * environment anyway. */
static int check_listener (int fd, const char *path, tori_error *err)
{
    struct ucred who;
    socklen_t n = sizeof who;
    if (getsockopt (fd, SOL_SOCKET, SO_PEERCRED, &who, &n) < 0)
        return system_error (path, errno, err);
    if (who.uid == geteuid () || who.uid == 0)
        return 0;
    return tori_error_set (err, TORI_FAILED,
                           "%s: another user (%ld) listens there; nothing was "
                           "sent",
                           path, (long)who.uid);
}

/* A socket to the run, or -1. */
static int connect_to_run (const char *path, tori_error *err)
{
    struct sockaddr_un address;
    int fd;
    if (client_address (path, &address, err) < 0)
        return -1;
    fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0
        || connect (fd, (struct sockaddr *)&address, sizeof address) < 0)
        system_error (path, errno, err);
    else if (check_listener (fd, path, err) == 0)
        return fd;
    if (fd >= 0)
        close (fd);
    return -1;
}

/* Send a frame to the run; returns the socket where it answers, or -1. */
static int send_frame (const char *path, enum frame_kind kind,
                       const struct bytes *bytes, tori_error *err)
{
    struct frame frame = {.kind = kind, .bytes = (uint32_t)bytes->n};
    int fd = connect_to_run (path, err);
    if (fd < 0)
        return -1;
    if (send_all (fd, &frame, sizeof frame) == 0
        && send_all (fd, bytes->data, bytes->n) == 0)
        return fd;
    report_lost_run (path, err);
    close (fd);
    return -1;
}

/* Send a frame to the run, then a job's input if it has any, and follow the
 * answers to the end. */
static int send_and_follow (const char *path, enum frame_kind kind,
                            const struct bytes *bytes, const struct spec *spec,
                            tori_error *err)
{
    int fd = send_frame (path, kind, bytes, err), status;
    if (fd < 0)
        return -1;
    status = follow_run (fd, spec, path, err);
    close (fd);
    return status;
}

int client_submit (const char *path, const struct spec *spec, tori_error *err)
{
    struct bytes bytes = {0};
    int status = spec_pack (spec, &bytes, err);
    if (status == 0 && bytes.n > SPEC_MAX_BYTES)
        status = tori_error_set (err, TORI_INVALID,
                                 "words and environment are %zu bytes, of "
                                 "which a job has at most %d",
                                 bytes.n, SPEC_MAX_BYTES);
    if (status == 0)
        status = send_and_follow (path, FRAME_JOB, &bytes, spec, err);
    bytes_clear (&bytes);
    return status;
}

int client_tell (const char *path, enum frame_kind kind, int64_t number,
                 tori_error *err)
{
    struct bytes bytes = {0};
    int status = bytes_add_number (&bytes, number, err);
    if (status == 0)
        status = send_and_follow (path, kind, &bytes, NULL, err);
    bytes_clear (&bytes);
    return status;
}

static int read_answer (int fd, const char *path, struct bytes *ret_text,
                        tori_error *err)
{
    struct frame frame;
    char part[4096];
    errno = 0;
    if (receive_all (fd, &frame, sizeof frame) < 0)
        goto silence;
    if (frame.kind == FRAME_REFUSED)
        return read_end (fd, &frame, path, err);
    for (uint32_t left = frame.bytes, n; left > 0; left -= n) {
        n = left < sizeof part ? left : (uint32_t)sizeof part;
        if (receive_all (fd, part, n) < 0)
            goto silence;
        if (bytes_add (ret_text, part, n, err) < 0)
            return -1;
    }
    return 0;
silence:
    return tori_error_set (err, TORI_FAILED,
                           errno == EAGAIN ? "%s: the run does not answer"
                                           : "%s: the run has ended",
                           path);
}

/* The run waits less long than this for the answers of its ranks. */
int client_ask (const char *path, enum frame_kind kind, int64_t number,
                struct bytes *ret_text, tori_error *err)
{
    const struct timeval patience = {.tv_sec = 10};
    struct bytes bytes = {0};
    int status = bytes_add_number (&bytes, number, err);
    int fd = status == 0 ? send_frame (path, kind, &bytes, err) : -1;
    bytes_clear (&bytes);
    if (fd < 0)
        return -1;
    setsockopt (fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    status = read_answer (fd, path, ret_text, err);
    close (fd);
    return status;
}
