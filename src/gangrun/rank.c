#include "rank_parts.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "array.h"
#include "front.h"
#include "hosting.h"
#include "keeper.h"
#include "rankshare.h"

/* ---- descriptors ---- */

/* Each job takes some, and there is one limit for all of them. What jobs run
 * keeps the limit that the run was started with: the keeper starts it. */
static void raise_limit (void)
{
    struct rlimit files;
    if (getrlimit (RLIMIT_NOFILE, &files) < 0)
        return;
    files.rlim_cur = files.rlim_max;
    setrlimit (RLIMIT_NOFILE, &files);
}

bool rank_has_room (int fd, int more)
{
    enum { KEPT = 16 };
    struct rlimit files;
    return getrlimit (RLIMIT_NOFILE, &files) < 0
           || (rlim_t)(fd + more + KEPT) < files.rlim_cur;
}

/* ---- waiting ---- */

int rank_watch (struct rank *rank, int fd, short events,
                int (*ready) (struct rank *rank, void *arg, short events,
                              tori_error *err),
                void *arg, tori_error *err)
{
    struct watch *watch = &rank->watch;
    struct pollfd *fds = array_room (watch->fd, &watch->room, watch->n + 1,
                                     sizeof *fds);
    struct watcher *watchers;
    if (fds)
        watch->fd = fds;
    watchers = array_room (watch->watcher, &watch->watcher_room, watch->n + 1,
                           sizeof *watchers);
    if (watchers)
        watch->watcher = watchers;
    if (!fds || !watchers)
        return tori_error_nomem (err);
    fds[watch->n] = (struct pollfd){fd, events, 0};
    watchers[watch->n++] = (struct watcher){ready, arg};
    return 0;
}

static int on_bell (struct rank *rank, void *arg, short events,
                    tori_error *err)
{
    link_silence (rank->link);
    return 0;
}

/* Whichever rank is interrupted, the run is; mpirun interrupts them all. */
static int on_signal (struct rank *rank, void *arg, short events,
                      tori_error *err)
{
    struct wire wire = {.kind = WIRE_STOP};
    struct signalfd_siginfo info;
    while (read (rank->signals, &info, sizeof info) == (ssize_t)sizeof info)
        if (rank_send (rank, 0, &wire, NULL, err) < 0)
            return -1;
    return 0;
}

static int heed_signals (struct rank *rank, tori_error *err)
{
    sigset_t set;
    sigemptyset (&set);
    sigaddset (&set, SIGINT);
    sigaddset (&set, SIGTERM);
    sigaddset (&set, SIGHUP);
    rank->signals = signalfd (-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return rank->signals >= 0
               ? 0
               : tori_error_set (err, TORI_FAILED, "signals: %s",
                                 strerror (errno));
}

/* Sleep until something happens or it is time, and take care of it. */
static int wait_and_work (struct rank *rank, int64_t until, tori_error *err)
{
    int64_t left = until - clock_now (), most = link_patience (rank->link);
    struct timespec wait = {0};
    struct watch *watch = &rank->watch;
    left = left < most ? left : most;
    if (left > 0)
        wait = (struct timespec){left / 1000000000, left % 1000000000};
    if (ppoll (watch->fd, watch->n, &wait, NULL) < 0)
        return errno == EINTR ? 0
                              : tori_error_set (err, TORI_FAILED, "poll: %s",
                                                strerror (errno));
    for (size_t i = 0; i < watch->n; i++)
        if (watch->fd[i].revents
            && watch->watcher[i].ready (rank, watch->watcher[i].arg,
                                        watch->fd[i].revents, err)
                   < 0)
            return -1;
    return 0;
}

/* ---- others that die ---- */

struct pulse {
    uint32_t rank;
    int fd; /* a pidfd, -1 when it is dead */
};

static int lose (struct rank *rank, uint32_t dead, tori_error *err)
{
    if (rank->quit)
        return 0;
    if (rank->self == 0)
        return front_lost (rank, dead, err);
    rank->orphan = clock_now ();
    return 0;
}

static int on_death (struct rank *rank, void *arg, short events,
                     tori_error *err)
{
    struct pulse *pulse = arg;
    close (pulse->fd);
    pulse->fd = -1;
    return lose (rank, pulse->rank, err);
}

/* The first looks after all, and all look after the first. */
static bool looks_after (const struct rank *rank, uint32_t other)
{
    return other != rank->self && (rank->self == 0 || other == 0);
}

static struct pulse *feel_pulses (const struct rank *rank, tori_error *err)
{
    struct pulse *pulse = calloc (rank->size, sizeof *pulse);
    if (!pulse)
        tori_error_nomem (err);
    for (uint32_t i = 0; pulse && i < rank->size; i++) {
        pulse[i] = (struct pulse){i, -1};
        if (looks_after (rank, i))
            pulse[i].fd = (int)syscall (SYS_pidfd_open,
                                        link_pid (rank->link, i), 0);
    }
    return pulse;
}

/* Those who died before they were looked after. */
static int miss_dead (struct rank *rank, const struct pulse *pulse,
                      tori_error *err)
{
    for (uint32_t i = 0; i < rank->size; i++)
        if (looks_after (rank, i) && pulse[i].fd < 0
            && lose (rank, i, err) < 0)
            return -1;
    return 0;
}

static int watch_all (struct rank *rank, struct pulse *pulse, tori_error *err)
{
    rank->watch.n = 0;
    if (rank_watch (rank, link_bell (rank->link), POLLIN, on_bell, NULL, err)
            < 0
        || rank_watch (rank, rank->signals, POLLIN, on_signal, NULL, err) < 0)
        return -1;
    for (uint32_t i = 0; i < rank->size; i++)
        if (pulse[i].fd >= 0
            && rank_watch (rank, pulse[i].fd, POLLIN, on_death, &pulse[i],
                           err)
                   < 0)
            return -1;
    if (rank->front && front_watch (rank, err) < 0)
        return -1;
    return shares_watch (rank, err);
}

/* ---- a life ---- */

/* How long to listen for the last word of a first rank that has died, which
 * may have been that all is over: a message may show only at a later look. */
enum { LAST_WORD = 200000000 };

static int step (struct rank *rank, struct pulse *pulse, struct bytes *bytes,
                 tori_error *err)
{
    int64_t wake, job = INT64_MAX, last_word = rank->orphan + LAST_WORD;
    if (rank_handle_all (rank, bytes, err) < 0
        || hosting_wake (rank, &wake, err) < 0
        || rank_handle_notes (rank, err) < 0)
        return -1;
    if (rank->orphan && !rank->quit && clock_now () > last_word)
        return tori_error_set (err, TORI_FAILED, "the first rank has died");
    if (rank->orphan && last_word < wake)
        wake = last_word;
    if (rank->front && front_step (rank, &job, err) < 0)
        return -1;
    if (rank->notes > 0)
        return 0;
    if (watch_all (rank, pulse, err) < 0)
        return -1;
    return rank->quit
               ? 0
               : wait_and_work (rank, wake < job ? wake : job, err);
}

static int live (struct rank *rank, tori_error *err)
{
    struct pulse *pulse = feel_pulses (rank, err);
    struct bytes bytes = {0};
    int status = pulse && heed_signals (rank, err) == 0
                         && rank_activate (rank, err) == 0
                     ? miss_dead (rank, pulse, err)
                     : -1;
    while (status == 0 && !rank->quit)
        status = step (rank, pulse, &bytes, err);
    for (uint32_t i = 0; pulse && i < rank->size; i++)
        if (pulse[i].fd >= 0)
            close (pulse[i].fd);
    if (rank->signals >= 0)
        close (rank->signals);
    free (pulse);
    bytes_clear (&bytes);
    return status;
}

static void tell_all_to_quit (struct rank *rank)
{
    struct wire wire = {.kind = WIRE_QUIT, .status = rank->status};
    for (uint32_t i = 1; i < rank->size; i++)
        link_send (rank->link, i, &wire, NULL, NULL);
}

static void tell_keeper_of_leader (const struct rank *rank)
{
    struct keeper_message message
        = {.kind = KEEPER_LEADER, .pid = link_parent (rank->link, 0)};
    if (rank->self != 0)
        keeper_tell (rank->keeper, &message, NULL);
}

static int64_t lead_of (const struct config *config)
{
    enum { MOST = 10000000 };
    return config->slot / 4 < MOST ? config->slot / 4 : MOST;
}

static void clear (struct rank *rank)
{
    while (rank->tasks > 0)
        task_remove (rank, rank->task[0]);
    front_close (rank);
    hosting_close (rank);
    for (size_t i = 0; i < rank->notes; i++)
        free (rank->note[i].data);
    for (size_t i = 0; i < rank->earlies; i++)
        free (rank->early[i].data);
    free (rank->early);
    free (rank->note);
    free (rank->task);
    free (rank->watch.fd);
    free (rank->watch.watcher);
}

static void finish_front (struct rank *rank)
{
    tori_error err;
    if (!rank->front || front_finish (rank, &err) == 0)
        return;
    dprintf (STDERR_FILENO, "tori: %s\n", err.text);
    if (rank->status == TORI_OK)
        rank->status = (int)err.status;
}

/* Come to an end with the others. Leaving MPI waits for all; if one has been
 * killed meanwhile it never ends, and the keeper takes leave instead. */
static int leave (struct rank *rank)
{
    enum { PATIENCE = 5 };
    struct keeper_message done = {.kind = KEEPER_DONE};
    if (rank->self == 0) {
        finish_front (rank);
        tell_all_to_quit (rank);
    }
    clear (rank);
    done.status = rank->status;
    keeper_tell (rank->keeper, &done, NULL);
    signal (SIGALRM, SIG_DFL);
    alarm (PATIENCE);
    done.finalized = link_close (rank->link);
    keeper_tell (rank->keeper, &done, NULL);
    return rank->status;
}

static int open_all (struct rank *rank, tori_error *err)
{
    if (hosting_open (rank, err) < 0)
        return -1;
    return rank->self == 0 ? front_open (rank, err) : 0;
}

/* The keeper is told before the first rank goes on, and jobs are taken: a rank
 * may be killed at any time from then on, and its keeper must know whom to
 * wait for, or mpirun would see it fail. */
static int enter (struct rank *rank, tori_error *err)
{
    if (link_open (&rank->link, err) < 0)
        return -1;
    rank->self = link_rank (rank->link);
    rank->size = link_size (rank->link);
    rank->lead = lead_of (rank->config);
    tell_keeper_of_leader (rank);
    if (link_agree (rank->link, &rank->epoch, err) == 0)
        return 0;
    link_close (rank->link);
    return -1;
}

/* A rank that fails alone is as good as dead: the first takes note. */
int rank_run (int keeper, void *config)
{
    struct rank rank = {.config = config, .keeper = keeper,
                        .signals = -1};
    tori_error err;
    bool opened;
    signal (SIGPIPE, SIG_IGN);
    raise_limit ();
    if (enter (&rank, &err) < 0) {
        if (launched_first ())
            dprintf (STDERR_FILENO, "tori: %s\n", err.text);
        return (int)err.status;
    }
    setpriority (PRIO_PROCESS, 0, -20);
    opened = open_all (&rank, &err) == 0;
    if (opened && live (&rank, &err) == 0)
        return leave (&rank);
    if (rank.self == 0 || opened)
        dprintf (STDERR_FILENO, "tori: %s\n", err.text);
    if (rank.self != 0 && opened)
        return (int)err.status;
    rank.status = (int)err.status;
    return leave (&rank);
}
