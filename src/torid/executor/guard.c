#include "guard.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "badge.h"
#include "cage.h"
#include "number.h"
#include "program.h"
#include "syserror.h"
#include "utf8.h"

/* The parts of a number that a signal carries. */
enum { SIGNAL_BITS = 8, GRACE_MAX = (1 << 22) - 1 };

/* Why it could not begin. */
struct failure {
    int why;   /* an error number; 0: `what` says it all */
    bool host; /* the host's fault: the job may begin elsewhere */
    char what[256];
};

struct guard {
    struct order *order;
    int dir, lock;
    int signals; /* a signalfd */
    int news;    /* to the executor */
    struct cage cage;
    pid_t child;
    double start; /* of the program; later by the time it was suspended */
    double warn, limit, kill; /* when, or infinity */
    double suspended;         /* since when, or 0 */
    double began;             /* by the clock on the wall */
    const char *why;          /* the reason of its end */
    bool born;                /* the child is the program; before that,
                                 requests wait: */
    bool halted, paused;
    int halt_signal;
    double halt_grace;
};

static double read_clock (clockid_t clock)
{
    struct timespec t;
    clock_gettime (clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Seconds, for poll. */
static int wait_time (double left)
{
    return (int)number_clamp (left * 1000 + 1, 0, 3600 * 1000);
}

/* ---- the program ---- */

static bool become_user (const struct order *order)
{
    return !order->other
           || (initgroups (order->user, order->gid) == 0
               && setgid (order->gid) == 0 && setuid (order->uid) == 0);
}

/* Open a file without waiting for another process at the other end. -1 with
 * errno. */
static int open_file (const char *path, int flags)
{
    int fd = open (path, flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
    if (fd >= 0 && fcntl (fd, F_SETFL, flags & O_APPEND) < 0) {
        close (fd);
        return -1;
    }
    return fd;
}

/* A pipe ends when its last writer goes, which may be at once or never. So the
 * input of a job is a file, or a device such as /dev/null. */
static int open_input (const char *path)
{
    struct stat st;
    int fd = open_file (path, O_RDONLY);
    if (fd < 0)
        return -1;
    if (fstat (fd, &st) == 0 && (S_ISREG (st.st_mode) || S_ISCHR (st.st_mode)))
        return fd;
    close (fd);
    errno = S_ISDIR (st.st_mode) ? EISDIR : ESPIPE;
    return -1;
}

/* Files are opened by the user, in the user's directory, so a job can write
 * only files that its user may write. */
static bool open_files (const struct order *order, const char **ret_what)
{
    const int flags = O_WRONLY | O_CREAT | O_APPEND;
    int in, out, err;
    *ret_what = order->in ? order->in : "/dev/null";
    in = open_input (*ret_what);
    if (in < 0)
        return false;
    *ret_what = order->out ? order->out : "/dev/null";
    out = open_file (*ret_what, flags);
    if (out < 0)
        return false;
    err = out;
    if (order->err) {
        *ret_what = order->err;
        err = open_file (*ret_what, flags);
    }
    if (err < 0)
        return false;
    program_files (in, out, err);
    return true;
}

/* The executor may have more files open than some programs can handle. */
static void limit_files (const struct order *order)
{
    struct rlimit limit;
    if (order->files == 0 || getrlimit (RLIMIT_NOFILE, &limit) < 0)
        return;
    limit.rlim_cur = order->files;
    setrlimit (RLIMIT_NOFILE, &limit);
}

/* The step that failed, with errno; or NULL. */
static const char *prepare_program (const struct order *order, pid_t guard)
{
    const char *what;
    /* Another user's process does not die with its parent any more. */
    program_reset (guard);
    if (chdir (order->dir) < 0)
        return order->dir;
    return open_files (order, &what) ? NULL : what;
}

/* A script belongs to its user, and only this user can read it. */
static int leave_script (const struct guard *g)
{
    const struct order *order = g->order;
    size_t n = order->script ? strlen (order->script) : 0, done = 0;
    int fd, bad;
    if (!order->script)
        return 0;
    fd = openat (g->dir, "script", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                 0700);
    bad = fd < 0 || (order->other && fchown (fd, order->uid, order->gid) < 0);
    while (!bad && done < n) {
        ssize_t more = write (fd, order->script + done, n - done);
        bad = more < 0 && errno != EINTR;
        done += more > 0 ? (size_t)more : 0;
    }
    if (fd >= 0 && close (fd) < 0)
        bad = 1;
    return bad ? -1 : 0;
}

/* Find the user, and do the steps that need root. */
static bool settle_order (const struct guard *g, struct failure *failure)
{
    tori_error err = {0};
    if (order_settle (g->order, &err) < 0) {
        failure->host = err.status != TORI_INVALID;
        snprintf (failure->what, sizeof failure->what, "%.250s", err.text);
        return false;
    }
    snprintf (failure->what, sizeof failure->what, "script");
    if (leave_script (g) == 0)
        return true;
    failure->why = errno;
    return false;
}

static _Noreturn void say_failure (int told, struct failure *failure)
{
    utf8_mend (failure->what); /* it may be cut within a character */
    if (write (told, failure, sizeof *failure) < 0)
        _exit (NOT_RUNNABLE);
    _exit (failure->why == ENOENT ? NOT_FOUND : NOT_RUNNABLE);
}

/* Which file it is about. The system does not say whether the program or its
 * interpreter is missing. */
static void name_failure (const struct order *order, const char *what,
                          struct failure *failure)
{
    char interpreter[PROGRAM_LINE];
    if (failure->why == ESPIPE) {
        snprintf (failure->what, sizeof failure->what,
                  "%.200s: the input is neither a file nor a device", what);
        failure->why = 0;
    } else if (failure->why == ENOENT && what == order->argv[0]
               && program_lacks (what, interpreter)) {
        snprintf (failure->what, sizeof failure->what,
                  "%.120s, the interpreter of %.100s", interpreter,
                  order->script ? "the script" : what);
    } else {
        snprintf (failure->what, sizeof failure->what, "%s", what);
    }
}

/* A cage of signals is entered by stopping, when all is ready. */
static _Noreturn void become_program (const struct guard *g, pid_t guard,
                                      int told)
{
    static const char cage[] = "control group";
    struct failure failure = {.host = true};
    const char *what = cage;
    close (g->lock); /* the guard alone has it */
    limit_files (g->order);
    if (!g->cage.cgroup || cage_enter (&g->cage)) {
        if (!settle_order (g, &failure))
            say_failure (told, &failure);
        what = g->order->user ? g->order->user : "user";
    }
    if (what != cage && become_user (g->order)) {
        failure.host = false; /* the rest is the user's */
        what = prepare_program (g->order, guard);
    }
    failure.why = errno;
    if (!what) {
        if (!g->cage.cgroup)
            cage_enter (&g->cage);
        environ = g->order->environ;
        failure.why = program_become (NULL, g->order->argv, 3, &what);
    }
    name_failure (g->order, what, &failure);
    say_failure (told, &failure);
}

/* ---- the last word ---- */

static json_t *make_ending (const struct guard *g, int status)
{
    json_t *value = json_object ();
    json_object_set_new (value, "status",
                         WIFEXITED (status)
                             ? json_integer (WEXITSTATUS (status))
                             : json_null ());
    json_object_set_new (value, "signal",
                         WIFSIGNALED (status)
                             ? json_integer (WTERMSIG (status))
                             : json_null ());
    json_object_set_new (value, "began", json_real (g->began));
    json_object_set_new (value, "at", json_real (read_clock (CLOCK_REALTIME)));
    if (g->why)
        json_object_set_new (value, "why", json_string (g->why));
    return value;
}

static void leave_word (const struct guard *g, json_t *value, int64_t used)
{
    struct stat st;
    char *text;
    json_object_set_new (value, "used", json_real ((double)used / 1e9));
    text = json_dumps (value, JSON_COMPACT | JSON_REAL_PRECISION (15));
    /* A full disk may have room later; a job that is over can wait. But a
     * directory that was removed does not come back. */
    while (text && attempt_write (g->dir, "ended", text, NULL) < 0
           && fstat (g->dir, &st) == 0 && st.st_nlink > 0)
        sleep (1);
    json_decref (value);
    free (text);
}

static json_t *failure_json (const struct failure *failure)
{
    json_t *value = json_pack (
        "{s:o}", "failed",
        failure->why ? json_sprintf ("%s: %s", failure->what,
                                     strerror (failure->why))
                     : json_string (failure->what));
    if (failure->host) {
        json_object_set_new (value, "retry", json_true ());
        json_object_set_new (value, "host", json_true ());
    }
    return value;
}

/* The reason may be a full disk. An attempt without an end, and without a
 * number, counts as one that never began; so the job need not wait for the
 * disk. */
static void leave_host_failure (struct guard *g, const struct failure *failure)
{
    json_t *value = failure_json (failure);
    char *text = json_dumps (value, JSON_COMPACT);
    if (!text || attempt_write (g->dir, "ended", text, NULL) < 0)
        unlinkat (g->dir, "guard", 0);
    free (text);
    json_decref (value);
}

static _Noreturn void leave_failure (struct guard *g,
                                     const struct failure *failure)
{
    int64_t used = cage_end (&g->cage);
    if (failure->host)
        leave_host_failure (g, failure);
    else
        leave_word (g, failure_json (failure), used);
    _exit (0);
}

/* ---- requests ---- */

static void resume_program (struct guard *g)
{
    double passed = read_clock (CLOCK_MONOTONIC) - g->suspended;
    if (g->suspended <= 0)
        return;
    g->suspended = 0;
    g->start += passed;
    g->warn += passed;
    g->limit += passed;
    cage_continue (&g->cage);
}

static void suspend_program (struct guard *g)
{
    if (g->suspended > 0)
        return;
    g->suspended = read_clock (CLOCK_MONOTONIC);
    cage_stop (&g->cage);
}

/* The first request counts; a later one can only shorten the grace. */
static void stop_program (struct guard *g, int signal, double grace,
                          const char *why)
{
    double until = read_clock (CLOCK_MONOTONIC) + grace;
    resume_program (g);
    if (!g->why)
        g->why = why;
    if (until < g->kill)
        g->kill = until;
    g->limit = g->warn = INFINITY;
    kill (-g->child, signal);
}

static void schedule_limits (struct guard *g)
{
    const struct order *order = g->order;
    g->limit = order->limit > 0 ? g->start + order->limit : INFINITY;
    g->warn = order->warn > 0 ? g->limit - order->warn : INFINITY;
}

static uint32_t whole_seconds (double seconds)
{
    return (uint32_t)number_clamp (ceil (seconds), 0, UINT32_MAX);
}

/* The same limit may come again, and must not bring another warning. A program
 * that is being ended gets no more time. */
static void change_limit (struct guard *g, uint32_t seconds)
{
    if (seconds == whole_seconds (g->order->limit))
        return;
    g->order->limit = seconds;
    if (g->born && !g->why)
        schedule_limits (g);
}

static void note_wish (struct guard *g, int wish, int signal, double grace)
{
    if (wish == GUARD_STOP) {
        g->halted = true;
        g->halt_signal = signal;
        g->halt_grace = grace;
    } else if (wish == GUARD_SUSPEND || wish == GUARD_RESUME) {
        g->paused = wish == GUARD_SUSPEND;
    }
}

static void hear_requests (struct guard *g)
{
    struct signalfd_siginfo info;
    while (read (g->signals, &info, sizeof info) == (ssize_t)sizeof info) {
        int wish = (int)info.ssi_signo - SIGRTMIN;
        uint32_t value = (uint32_t)info.ssi_int;
        int signal = (int)(value & ((1U << SIGNAL_BITS) - 1));
        if (wish == GUARD_LIMIT)
            change_limit (g, value);
        else if (!g->born)
            note_wish (g, wish, signal ? signal : SIGTERM,
                       value >> SIGNAL_BITS);
        else if (wish == GUARD_STOP)
            stop_program (g, signal ? signal : SIGTERM, value >> SIGNAL_BITS,
                          "stopped");
        else if (wish == GUARD_SUSPEND)
            suspend_program (g);
        else if (wish == GUARD_RESUME)
            resume_program (g);
    }
}

/* ---- the start ---- */

/* A cage of signals is open once the child has stopped in it. */
static bool open_cage (struct guard *g)
{
    siginfo_t info = {0};
    if (!g->cage.cgroup
        && (waitid (P_PID, (id_t)g->child, &info,
                    WSTOPPED | WEXITED | WNOWAIT | WNOHANG)
                < 0
            || info.si_pid == 0))
        return false;
    cage_continue (&g->cage);
    return true;
}

/* The child has not become the program in time, or must not any more. */
static _Noreturn void end_birth (struct guard *g)
{
    struct failure failure = {0};
    if (g->halted)
        snprintf (failure.what, sizeof failure.what,
                  "stopped before it began");
    else
        snprintf (failure.what, sizeof failure.what,
                  "it did not begin within %.0f s: its directory, a file or "
                  "the program does not answer",
                  g->order->patience);
    kill (g->child, SIGKILL);
    leave_failure (g, &failure);
}

/* Wait until the child has sent something or closed its end, which happens
 * when it becomes the program. The directory and the files are the user's, and
 * opening them may take for ever. */
static void await_child (struct guard *g, int told)
{
    double until = read_clock (CLOCK_MONOTONIC)
                   + (g->order->patience > 0 ? g->order->patience : INFINITY);
    bool open = false;
    for (;;) {
        struct pollfd fds[] = {{told, POLLIN, 0}, {g->signals, POLLIN, 0}};
        double left = until - read_clock (CLOCK_MONOTONIC);
        open = open || open_cage (g); /* SIGCHLD says when it stops */
        if (poll (fds, 2, wait_time (left)) > 0 && fds[0].revents)
            return;
        hear_requests (g);
        if (g->halted || read_clock (CLOCK_MONOTONIC) >= until)
            end_birth (g);
    }
}

/* Handle the requests that came before the child was the program. */
static void catch_up (struct guard *g)
{
    g->born = true;
    if (g->paused)
        suspend_program (g);
    if (g->halted)
        stop_program (g, g->halt_signal, g->halt_grace, "stopped");
}

/* Wait until the child is the program, or has sent the reason why not. */
static void watch_birth (struct guard *g, int told)
{
    struct failure failure = {0};
    ssize_t got;
    await_child (g, told);
    do
        got = read (told, &failure, sizeof failure);
    while (got < 0 && errno == EINTR);
    close (told);
    if (got == (ssize_t)sizeof failure)
        leave_failure (g, &failure);
    g->began = read_clock (CLOCK_REALTIME);
    g->start = read_clock (CLOCK_MONOTONIC);
    g->kill = INFINITY;
    schedule_limits (g);
    catch_up (g);
}

static void begin_program (struct guard *g)
{
    struct failure failure = {.host = true, .what = "it cannot be prepared"};
    pid_t self = getpid ();
    char text[32];
    int pair[2];
    cage_open (&g->cage, CAGE_AUTO);
    snprintf (text, sizeof text, "%ld", (long)self);
    if (attempt_write (g->dir, "guard", text, NULL) < 0
        || attempt_write (g->dir, "hosts", g->order->hosts, NULL) < 0
        || pipe2 (pair, O_CLOEXEC) < 0 || (g->child = fork ()) < 0) {
        failure.why = errno;
        leave_failure (g, &failure);
    }
    if (g->child == 0)
        become_program (g, self, pair[1]);
    g->cage.group = g->child;
    close (pair[1]);
    watch_birth (g, pair[0]);
    attempt_write (g->dir, "began", "", NULL);
    if (write (g->news, "b", 1) < 0)
        close (g->news); /* the executor is gone, which is no reason to end */
}

/* ---- its time ---- */

/* Do what is due; returns the seconds until the next time. While the job is
 * suspended, only a requested end comes nearer. */
static double pass_time (struct guard *g)
{
    double t = read_clock (CLOCK_MONOTONIC);
    double next = g->kill;
    if (t >= g->kill) {
        kill (-g->child, SIGKILL);
        g->kill = INFINITY;
    }
    if (g->suspended > 0)
        return next - t;
    if (t >= g->warn) {
        kill (-g->child, g->order->warning);
        g->warn = INFINITY;
    }
    if (t >= g->limit)
        stop_program (g, SIGTERM, g->order->grace, "time limit");
    return fmin (g->kill, fmin (g->warn, g->limit)) - t;
}

/* ---- its life ---- */

/* Adopted processes are reaped as they end; only the program's own status
 * counts. */
static bool reap_children (struct guard *g, int *ret_status)
{
    int status;
    pid_t pid;
    while ((pid = waitpid (-1, &status, WNOHANG)) > 0)
        if (pid == g->child) {
            *ret_status = status;
            return true;
        }
    return false;
}

static int keep_job (struct guard *g)
{
    int status;
    while (!reap_children (g, &status)) {
        struct pollfd fd = {g->signals, POLLIN, 0};
        poll (&fd, 1, wait_time (pass_time (g)));
        hear_requests (g);
    }
    return status;
}

static int watch_signals (void)
{
    sigset_t set;
    signal (SIGCHLD, SIG_DFL);
    sigemptyset (&set);
    sigaddset (&set, SIGCHLD);
    for (int wish = 0; wish < GUARD_WISHES; wish++)
        sigaddset (&set, SIGRTMIN + wish);
    return signalfd (-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Standard streams are not used here, but their numbers must be taken, or
 * files of the job would get them. */
static void hold_streams (void)
{
    int null = open ("/dev/null", O_RDWR);
    while (null >= 0 && null < STDERR_FILENO)
        null = dup (null);
}

static _Noreturn void guard_run (struct order *order, int dir, int lock,
                                 int news)
{
    struct guard g
        = {.order = order, .dir = dir, .lock = lock, .news = news};
    const int open_files[] = {dir, lock, news};
    int64_t used;
    int status;
    setsid ();
    prctl (PR_SET_CHILD_SUBREAPER, 1);
    prctl (PR_SET_NAME, "torid-guard");
    /* The executor's ends of pipes must not stay open here: others wait for
     * them to be closed. */
    close_all_but (open_files, 3, 0);
    hold_streams ();
    badge_wear (order->badge, dir);
    g.signals = watch_signals ();
    begin_program (&g);
    status = keep_job (&g);
    used = cage_end (&g.cage);
    leave_word (&g, make_ending (&g, status), used);
    _exit (0);
}

/* Requests in the meantime wait: the signals are blocked from the start. */
static pid_t fork_guard (struct order *order, int dir, int lock,
                         int news)
{
    sigset_t all, before;
    pid_t pid;
    sigfillset (&all);
    sigprocmask (SIG_BLOCK, &all, &before);
    pid = fork ();
    if (pid == 0)
        guard_run (order, dir, lock, news);
    sigprocmask (SIG_SETMASK, &before, NULL);
    return pid;
}

pid_t guard_start (struct order *order, int dir, int lock,
                   int *ret_news, tori_error *err)
{
    int pair[2] = {-1, -1};
    pid_t pid = -1;
    if (pipe2 (pair, O_CLOEXEC) == 0)
        pid = fork_guard (order, dir, lock, pair[1]);
    if (pid < 0)
        system_error ("no process can be started", errno, err);
    close (pair[1]);
    close (lock);
    if (pid < 0)
        close (pair[0]);
    else
        *ret_news = pair[0];
    return pid;
}

static uint32_t pack_request (struct guard_request request)
{
    if (request.wish == GUARD_LIMIT)
        return whole_seconds (request.seconds);
    return (uint32_t)number_clamp (request.seconds, 0, GRACE_MAX)
               << SIGNAL_BITS
           | ((uint32_t)request.signal & ((1U << SIGNAL_BITS) - 1));
}

bool guard_tell (int guard, struct guard_request request)
{
    siginfo_t info = {.si_signo = SIGRTMIN + (int)request.wish,
                      .si_code = SI_QUEUE};
    info.si_pid = getpid ();
    info.si_uid = getuid ();
    info.si_value.sival_int = (int)pack_request (request);
    return syscall (SYS_pidfd_send_signal, guard, info.si_signo, &info, 0)
           == 0;
}
