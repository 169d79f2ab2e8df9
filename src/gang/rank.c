#include "rank_parts.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "front.h"
#include "hosting.h"
#include "keeper.h"
#include "meeting.h"
#include "rankshare.h"
#include "syserror.h"

/* ---- waiting ---- */

/* Each job takes some descriptors, and there is one limit for all of them. The
 * jobs themselves keep the limit that the run was started with: the keeper
 * starts them. */
static void raise_limit (void)
{
    struct rlimit files;
    if (getrlimit (RLIMIT_NOFILE, &files) < 0)
        return;
    files.rlim_cur = files.rlim_max;
    setrlimit (RLIMIT_NOFILE, &files);
}

/* Messages that have come are handled by the next step. */
static void on_bell (struct rank *rank, void *arg, short events)
{
}

/* A signal to any rank is for the whole run; mpirun interrupts them all. With
 * a hangup the keeper reports that mpirun is gone. */
static void on_signal (struct rank *rank, void *arg, short events)
{
    struct signalfd_siginfo info;
    while (read (rank->signals, &info, sizeof info) == (ssize_t)sizeof info) {
        struct wire wire = {.kind = info.ssi_signo == SIGHUP ? WIRE_ALONE
                                                             : WIRE_STOP};
        rank_send (rank, 0, &wire, NULL);
    }
}

static void heed_signals (struct rank *rank)
{
    sigset_t set;
    sigemptyset (&set);
    sigaddset (&set, SIGINT);
    sigaddset (&set, SIGTERM);
    sigaddset (&set, SIGHUP);
    rank->signals = signalfd (-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (rank->signals < 0)
        system_error ("signals", errno, &rank->err);
}

/* Sleep until something happens or it is time, and handle it. */
static void wait_and_work (struct rank *rank, int64_t until)
{
    enum { MOST = 1000000000 };
    int64_t left = until - rank_now (rank);
    struct timespec wait = {0};
    struct watch *watch = &rank->watch;
    left = left < MOST ? left : MOST;
    if (left > 0)
        wait = (struct timespec){left / 1000000000, left % 1000000000};
    if (ppoll (watch->fd, watch->n, &wait, NULL) < 0) {
        if (errno != EINTR)
            system_error ("poll", errno, &rank->err);
        return;
    }
    for (size_t i = 0; i < watch->n; i++)
        if (watch->fd[i].revents)
            watch->watcher[i].ready (rank, watch->watcher[i].arg,
                                     watch->fd[i].revents);
}

/* ---- others that die ---- */

static void lose_fallen (struct rank *rank)
{
    uint32_t fallen;
    while (peers_fallen (rank->peers, &fallen))
        rank_lose (rank, fallen);
}

static void watch_all (struct rank *rank)
{
    rank->watch.n = 0;
    rank_watch (rank, peers_bell (rank->peers), POLLIN, on_bell, NULL);
    rank_watch (rank, rank->signals, POLLIN, on_signal, NULL);
    if (rank->front)
        front_watch (rank);
    shares_watch (rank);
}

/* ---- a life ---- */

static int64_t sooner_time (int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void take_step (struct rank *rank, struct bytes *bytes)
{
    int64_t next;
    rank_handle_all (rank, bytes);
    lose_fallen (rank);
    next = sooner_time (clock_step (rank), hosting_wake (rank));
    if (rank->front)
        next = sooner_time (next, front_step (rank));
    if (peers_waits (rank->peers))
        return;
    watch_all (rank);
    if (!rank->quit && !rank_failed (rank))
        wait_and_work (rank, next);
}

static void run_steps (struct rank *rank)
{
    struct bytes bytes = {0};
    heed_signals (rank);
    rank_activate (rank);
    while (!rank->quit && !rank_failed (rank))
        take_step (rank, &bytes);
    if (rank->signals >= 0)
        close (rank->signals);
    bytes_clear (&bytes);
}

static void tell_all_to_quit (struct rank *rank)
{
    struct wire wire = {.kind = WIRE_QUIT, .status = rank->status};
    for (uint32_t i = 1; i < rank->size; i++)
        peers_send (rank->peers, i, &wire, NULL, NULL);
}

static int give_to_keeper (const struct rank *rank, enum keeper_kind kind,
                           uint32_t other, tori_error *err)
{
    struct keeper_message message = {.kind = kind};
    int fd = peers_leash (rank->peers, other);
    int status = keeper_tell (rank->keeper, &message, &fd, 1);
    close (fd);
    return status == 0 ? 0 : system_error ("keeper", errno, err);
}

/* The keepers have to learn when the run ends, even if ranks die. */
static int tie_keepers (const struct rank *rank, tori_error *err)
{
    if (rank->self != 0)
        return give_to_keeper (rank, KEEPER_LEADER, 0, err);
    for (uint32_t i = 1; i < rank->size; i++)
        if (give_to_keeper (rank, KEEPER_HOLD, i, err) < 0)
            return -1;
    return 0;
}

static int64_t lead_of (const struct config *config)
{
    enum { MOST = 10000000 };
    return config->slot / 4 < MOST ? config->slot / 4 : MOST;
}

static void clear_rank (struct rank *rank)
{
    while (rank->tasks > 0)
        task_remove (rank, rank->task[0]);
    front_close (rank);
    hosting_close (rank);
    bytes_clear (&rank->early);
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

/* End together with the others, but do not wait for them for long. */
static int leave_run (struct rank *rank)
{
    enum { PATIENCE = 5 };
    struct keeper_message done = {.kind = KEEPER_DONE};
    if (rank->self == 0) {
        finish_front (rank);
        tell_all_to_quit (rank);
    }
    clear_rank (rank);
    done.status = rank->status;
    keeper_tell (rank->keeper, &done, NULL, 0);
    signal (SIGALRM, SIG_DFL);
    alarm (PATIENCE);
    peers_close (rank->peers);
    free (rank->card);
    return rank->status;
}

static int find_others (struct rank *rank, const struct meeting *meeting,
                        tori_error *err)
{
    if (peers_open (rank->self, rank->size, rank->card, &meeting->key,
                    meeting->door, &rank->peers, err)
        < 0)
        return -1;
    return tie_keepers (rank, err);
}

/* The keeper learns of the others before the first rank goes on and takes
 * jobs. From then on a rank may be killed at any time, and its keeper must
 * know whose end to wait for, or mpirun would see it fail. */
static int enter_run (struct rank *rank, tori_error *err)
{
    struct keeper_message met = {.kind = KEEPER_MET};
    struct meeting meeting;
    tori_error why;
    bool found;
    if (meeting_begin (&meeting, err) < 0)
        return -1;
    rank->self = meeting.self;
    rank->size = meeting.size;
    rank->card = meeting.card;
    rank->key = meeting.key;
    rank->lead = lead_of (rank->config);
    found = find_others (rank, &meeting, &why) == 0;
    if (meeting_end (&meeting, found ? NULL : &why, &rank->clock,
                     &rank->epoch, err)
        < 0)
        return -1;
    keeper_tell (rank->keeper, &met, NULL, 0);
    return 0;
}

/* The wardens will find the same. The first rank of a host reports it for
 * all. */
static void look_for_groups (struct rank *rank)
{
    const struct card *card = rank->card;
    tori_error why;
    rank->by_signals = rank->config->cage == CAGE_SIGNAL;
    if (rank->config->cage != CAGE_AUTO || cage_try (&why) == 0)
        return;
    rank->by_signals = true;
    for (uint32_t i = 0; i < rank->self; i++)
        if (!strcmp (card[i].net, card[rank->self].net))
            return;
    dprintf (STDERR_FILENO,
             "tori: %s: processes are stopped by signals: %s\n",
             card[rank->self].host, why.text);
}

/* A rank that fails alone is as good as dead: the first rank notices. */
int rank_run (int keeper, void *config)
{
    struct rank rank = {.config = config, .keeper = keeper,
                        .signals = -1};
    tori_error *err = &rank.err;
    bool opened;
    signal (SIGPIPE, SIG_IGN);
    raise_limit ();
    if (enter_run (&rank, err) < 0) {
        struct keeper_message done = {.kind = KEEPER_DONE};
        if (launched_first ())
            dprintf (STDERR_FILENO, "tori: %s\n", err->text);
        done.status = (int)err->status;
        keeper_tell (keeper, &done, NULL, 0);
        return (int)err->status;
    }
    setpriority (PRIO_PROCESS, 0, -20);
    opened = hosting_open (&rank) == 0
             && (rank.self > 0 || front_open (&rank) == 0);
    if (opened) {
        look_for_groups (&rank);
        run_steps (&rank);
    }
    if (!rank_failed (&rank))
        return leave_run (&rank);
    if (rank.self == 0 || opened)
        dprintf (STDERR_FILENO, "tori: %s\n", err->text);
    if (rank.self != 0 && opened)
        return (int)err->status;
    rank.status = (int)err->status;
    return leave_run (&rank);
}
