#include "warden.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bytes.h"
#include "mpishare.h"
#include "program.h"
#include "scratch.h"

struct window {
    int64_t from, until; /* empty if equal */
    bool foreseen;
};

/* Checks whether a process runs, by two looks or more. The program itself is
 * checked first, by one call; the others only if the program did nothing in
 * the turn before. */
struct watch {
    int64_t next;       /* when to look, INT64_MAX for never */
    int64_t not_before; /* a look at many processes takes its time */
    bool begun;         /* the first look was taken, */
    bool whole;         /* at all processes */
    bool calm;          /* the program did nothing in the turn before */
    bool said;          /* WARDEN_STIRS was sent */
    int64_t used;       /* by the program, at the first look */
    struct look first, now;
};

struct warden {
    const int *files; /* WARDEN_FILES */
    struct cage cage;
    char scratch[SCRATCH_PATH]; /* "": none */
    int signals; /* a signalfd */
    pid_t child;
    bool running;
    bool asleep; /* processes run outside a turn, if they can */
    struct window now, next;
    struct watch watch;
    char *text; /* what to run */
    struct warden_start start;
};

int64_t clock_now (void)
{
    struct timespec t;
    clock_gettime (CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- the program ---- */

static bool read_start (struct warden *w)
{
    if (receive_all (w->files[WARDEN_CONTROL], &w->start, sizeof w->start) < 0)
        return false;
    w->text = malloc (w->start.bytes + 1);
    return w->text
           && receive_all (w->files[WARDEN_CONTROL], w->text, w->start.bytes)
                  == 0;
}

/* mpirun's variables for the ranks would mislead a program that uses MPI, or
 * is mpirun itself: it does not belong to their MPI job. */
static bool is_of_mpirun (const char *variable)
{
    static const char *const names[]
        = {"PMI_", "HYDI_", "MPI_LOCAL", "MPIR_CVAR_CH3_INTERFACE_HOSTNAME=",
           "GFORTRAN_UNBUFFERED_PRECONNECTED="};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strncmp (variable, names[i], strlen (names[i])))
            return true;
    return false;
}

static bool is_told (const char *variable, char *const told[], size_t n)
{
    size_t name = strcspn (variable, "=") + 1;
    for (size_t i = 0; i < n; i++)
        if (!strncmp (told[i], variable, name))
            return true;
    return false;
}

/* False without memory. */
static bool set_environment (const struct warden *w, struct reader *reader)
{
    const struct warden_start *start = &w->start;
    size_t own = 0, n = start->told;
    char **env;
    while (!start->bare && environ[own])
        own++;
    env = calloc (own + start->vars + start->told + 1, sizeof *env);
    if (!env)
        return false;
    for (size_t i = 0; i < start->told; i++)
        env[i] = (char *)(uintptr_t)reader_text (reader);
    for (size_t i = 0; i < own + start->vars; i++) {
        char *variable = i < own ? environ[i]
                                 : (char *)(uintptr_t)reader_text (reader);
        if (!is_of_mpirun (variable) && !is_told (variable, env, start->told))
            env[n++] = variable;
    }
    environ = env;
    return !*w->scratch || setenv ("TORI_SCRATCH", w->scratch, 1) == 0;
}

static void pin_to_core (uint32_t core)
{
    cpu_set_t all, one;
    uint32_t n;
    if (core == 0 || sched_getaffinity (0, sizeof all, &all) < 0)
        return;
    n = (core - 1) % (uint32_t)CPU_COUNT (&all);
    CPU_ZERO (&one);
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET (i, &all) && n-- == 0)
            CPU_SET (i, &one);
    sched_setaffinity (0, sizeof one, &one);
}

static _Noreturn void become_program (const struct warden *w, pid_t warden)
{
    struct reader reader = {w->text, w->start.bytes};
    const char *dir = reader_text (&reader), *what;
    char **argv = calloc (w->start.args + 1, sizeof *argv);
    int why, door = w->files[WARDEN_DOOR];
    if (!dir || !argv)
        _exit (NOT_RUNNABLE);
    for (uint32_t i = 0; i < w->start.args; i++)
        argv[i] = (char *)(uintptr_t)reader_text (&reader);
    program_reset (warden);
    if (!set_environment (w, &reader))
        _exit (NOT_RUNNABLE);
    program_files (w->files[WARDEN_IN], w->files[WARDEN_OUT],
                   w->files[WARDEN_ERR]);
    ioctl (STDIN_FILENO, TIOCSCTTY, 0); /* if it is a terminal */
    if (door >= 0)
        dup2 (door, MEET_FD);
    pin_to_core (w->start.core);
    if (!cage_enter (&w->cage)) {
        dprintf (STDERR_FILENO, "tori: control group: %s\n",
                 strerror (errno));
        _exit (NOT_RUNNABLE);
    }
    why = program_become (dir, argv, door >= 0 ? MEET_FD + 1 : MEET_FD, &what);
    dprintf (STDERR_FILENO, "tori: %s: %s\n", what, strerror (why));
    _exit (what != dir && why == ENOENT ? NOT_FOUND : NOT_RUNNABLE);
}

/* In a cage of signals the child stops itself; a switch must not come before
 * that, or it would sleep through its first turn. */
static bool start_program (struct warden *w)
{
    pid_t self = getpid ();
    w->child = fork ();
    if (w->child < 0)
        return false;
    if (w->child == 0)
        become_program (w, self);
    w->cage.group = w->child;
    for (int i = WARDEN_IN; i < WARDEN_FILES; i++)
        close (w->files[i]);
    if (!w->cage.cgroup) {
        siginfo_t info;
        waitid (P_PID, (id_t)w->child, &info, WSTOPPED | WEXITED | WNOWAIT);
    }
    return true;
}

/* ---- events ---- */

static void send_event (const struct warden *w,
                        const struct warden_event *event)
{
    ssize_t sent;
    do
        sent = send (w->files[WARDEN_CONTROL], event, sizeof *event,
                     MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
}

/* ---- sleep ---- */

/* Processes that do nothing need at most one look per slot. */
static int64_t pause_of (const struct warden *w)
{
    enum { LEAST = 10000000, MOST = 1000000000 };
    int64_t slot = w->start.slot;
    return slot < LEAST ? LEAST : slot > MOST ? MOST : slot;
}

static void look_around (struct warden *w, struct look *look)
{
    /* at most this fraction of the time goes into looks */
    enum { SHARE = 32 };
    int64_t begin = clock_now (), cost;
    look_over (getpid (), look);
    cost = clock_now () - begin;
    w->watch.not_before = begin + SHARE * cost;
}

/* Stopping and continuing makes processes run for a moment, so the first look
 * comes later. */
static void begin_watch (struct warden *w, int64_t length)
{
    w->watch.begun = false;
    w->watch.next
        = w->start.slot ? clock_now () + length / 4 : INT64_MAX;
}

static void first_look (struct warden *w)
{
    struct watch *watch = &w->watch;
    watch->begun = true;
    watch->used = look_used (w->child);
    watch->whole = w->asleep
                   || (watch->calm && clock_now () >= watch->not_before);
    if (watch->whole)
        look_around (w, &watch->first);
}

/* Whether a process ran since the first look, or can run now. */
static bool has_run (struct warden *w)
{
    struct watch *watch = &w->watch;
    watch->calm = look_used (w->child) == watch->used;
    if (!watch->calm || !watch->whole || !watch->first.still)
        return true;
    look_around (w, &watch->now);
    return !watch->now.still || watch->now.mark != watch->first.mark;
}

static void report_rest (struct warden *w, bool rests)
{
    struct warden_event event = {.kind = rests ? WARDEN_RESTS : WARDEN_STIRS};
    if (rests || !w->watch.said)
        send_event (w, &event);
    w->watch.said = !rests;
}

/* Stop the processes; the next order decides whether they run again. */
static void stop_sleepers (struct warden *w)
{
    cage_stop (&w->cage);
    w->asleep = false;
    w->watch.next = INT64_MAX;
}

static void fall_asleep (struct warden *w)
{
    w->now = w->next = (struct window){0};
    w->asleep = true;
    w->watch.said = false;
    if (!w->running)
        cage_continue (&w->cage);
    w->running = false;
    begin_watch (w, pause_of (w));
}

static void watch_sleepers (struct warden *w, int64_t now)
{
    struct watch *watch = &w->watch;
    int64_t next = now + pause_of (w);
    bool ran;
    if (watch->begun) {
        ran = has_run (w);
    } else {
        first_look (w);
        ran = !watch->first.still;
    }
    watch->next = next < watch->not_before ? watch->not_before : next;
    if (ran) {
        stop_sleepers (w);
        report_rest (w, false);
    }
}

/* The last look comes before the end of the turn, which must not be late. In a
 * turn of several slots it is the first look of the next slot. */
static void watch_turn (struct warden *w, int64_t now)
{
    struct watch *watch = &w->watch;
    int64_t last = w->now.until - w->start.slot / 8;
    if (!watch->begun) {
        watch->next = last > now ? last : now;
        first_look (w);
        return;
    }
    report_rest (w, !has_run (w));
    first_look (w);
    watch->next = now + w->start.slot;
}

/* Look if it is time; returns when the next look is due. */
static int64_t keep_watch (struct warden *w)
{
    int64_t now = clock_now ();
    if (now >= w->watch.next) {
        if (w->asleep)
            watch_sleepers (w, now);
        else if (w->running)
            watch_turn (w, now);
        else
            w->watch.next = INT64_MAX;
    }
    return w->watch.next;
}

/* ---- windows ---- */

static void switch_program (struct warden *w, bool run, int64_t due)
{
    struct warden_event event
        = {.kind = run ? WARDEN_CONTINUED : WARDEN_STOPPED,
           .foreseen = w->now.foreseen && due > 0,
           .due = due};
    event.begin = clock_now ();
    if (run)
        cage_continue (&w->cage);
    else
        cage_stop (&w->cage);
    event.end = clock_now ();
    w->running = run;
    send_event (w, &event);
    if (run)
        begin_watch (w, w->start.slot);
    else
        w->watch.next = INT64_MAX;
}

/* Do what is due, and return when the next action is, or INT64_MAX. */
static int64_t keep_windows (struct warden *w)
{
    int64_t now = clock_now ();
    if (w->running && now >= w->now.until) {
        switch_program (w, false, w->now.until);
        w->now = w->next;
        w->next = (struct window){0};
    }
    if (!w->running && now >= w->now.from && now < w->now.until)
        switch_program (w, true, w->now.from);
    if (w->running)
        return w->now.until;
    return now < w->now.from ? w->now.from : INT64_MAX;
}

/* A window that touches the present one makes it longer; any other waits. */
static void take_window (struct warden *w, struct window window)
{
    bool present = w->now.from < w->now.until && clock_now () < w->now.until;
    if (window.from == window.until) {
        w->next = (struct window){0};
        w->now.until = w->running ? 0 : w->now.from;
    } else if (!present && !w->running) {
        w->now = window;
    } else if (window.from <= w->now.until) {
        if (window.until > w->now.until)
            w->now.until = window.until;
    } else {
        w->next = window;
    }
}

/* ---- its life ---- */

static int status_of (int status)
{
    return WIFEXITED (status) ? WEXITSTATUS (status)
                              : SIGNALLED + WTERMSIG (status);
}

static _Noreturn void finish_warden (struct warden *w, int status, int why)
{
    struct warden_event event
        = {.kind = WARDEN_ENDED, .status = status, .why = why};
    event.used = cage_end (&w->cage);
    if (*w->scratch)
        scratch_remove (w->scratch);
    send_event (w, &event);
    _exit (0);
}

/* Processes that the program has left are children of the warden, too. */
static void reap_children (struct warden *w)
{
    struct signalfd_siginfo info;
    int status;
    pid_t pid;
    if (read (w->signals, &info, sizeof info) < 0 && errno != EAGAIN)
        return;
    while ((pid = waitpid (-1, &status, WNOHANG)) > 0)
        if (pid == w->child)
            finish_warden (w, status_of (status), 0);
}

static void take_order (struct warden *w)
{
    struct warden_order order;
    if (receive_all (w->files[WARDEN_CONTROL], &order, sizeof order) < 0
        || order.end)
        finish_warden (w, SIGNALLED + SIGKILL, 0);
    if (order.sleep) {
        fall_asleep (w);
        return;
    }
    if (w->asleep)
        stop_sleepers (w);
    take_window (w, (struct window){order.from, order.until,
                                    clock_now () < order.from});
}

static void watch_children (struct warden *w)
{
    struct sigaction action = {.sa_handler = SIG_DFL,
                               .sa_flags = SA_NOCLDSTOP};
    sigset_t set;
    sigaction (SIGCHLD, &action, NULL);
    sigemptyset (&set);
    sigaddset (&set, SIGCHLD);
    sigprocmask (SIG_BLOCK, &set, NULL);
    w->signals = signalfd (-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* A switch should not wait for the processes that it stops. The program has
 * been started before, so it keeps the priority that the run was started
 * with. */
static void be_quick (void)
{
    struct sched_param first = {.sched_priority = 1};
    if (sched_setscheduler (0, SCHED_RR, &first) < 0)
        setpriority (PRIO_PROCESS, 0, -20);
}

void warden_close (const int files[WARDEN_FILES])
{
    for (int i = 0; i < WARDEN_FILES; i++)
        if (files[i] >= 0)
            close (files[i]);
}

_Noreturn void warden_run (const int files[WARDEN_FILES], enum cage_kind kind)
{
    struct warden w = {.files = files, .watch.next = INT64_MAX};
    setsid ();
    prctl (PR_SET_CHILD_SUBREAPER, 1);
    prctl (PR_SET_NAME, "tori-warden");
    for (int i = 1; i < NSIG; i++)
        signal (i, i == SIGCHLD ? SIG_DFL : SIG_IGN);
    watch_children (&w);
    if (!read_start (&w))
        _exit (1);
    if (cage_open (&w.cage, kind) < 0) {
        dprintf (w.files[WARDEN_ERR], "tori: no control group can be created "
                                      "here\n");
        finish_warden (&w, NOT_RUNNABLE, 0);
    }
    if ((w.start.scratch && scratch_make (w.scratch) < 0)
        || !start_program (&w))
        finish_warden (&w, NOT_RUNNABLE, errno);
    be_quick ();
    send_event (
        &w, &(struct warden_event){.kind = WARDEN_BEGAN, .status = getpid ()});
    for (;;) {
        int64_t window = keep_windows (&w), look = keep_watch (&w);
        int64_t due = window < look ? window : look;
        int64_t left = due - clock_now ();
        struct pollfd fds[] = {{w.files[WARDEN_CONTROL], POLLIN, 0},
                               {w.signals, POLLIN, 0}};
        struct timespec wait = {0};
        if (due != INT64_MAX && left > 0)
            wait = (struct timespec){left / 1000000000, left % 1000000000};
        if (ppoll (fds, 2, due == INT64_MAX ? NULL : &wait, NULL) <= 0)
            continue;
        if (fds[1].revents)
            reap_children (&w);
        if (fds[0].revents)
            take_order (&w);
    }
}
