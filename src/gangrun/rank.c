#include "rank.h"

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
#include "inquiry.h"
#include "keeper.h"
#include "rankshare.h"

/* ---- jobs ---- */

struct task *task_find (const struct rank *rank, uint64_t id)
{
    for (size_t i = 0; i < rank->tasks; i++)
        if (rank->task[i]->id == id)
            return rank->task[i];
    return NULL;
}

int task_add (struct rank *rank, uint64_t id, const void *spec, size_t n,
              struct task **ret_task, tori_error *err)
{
    struct task *task = calloc (1, sizeof *task);
    struct task **more = array_room (rank->task, &rank->task_room,
                                     rank->tasks + 1, sizeof *more);
    if (more)
        rank->task = more;
    if (!task || !more) {
        free (task);
        return tori_error_nomem (err);
    }
    *task = (struct task){.id = id, .node = TORI_GANG_NONE};
    if (spec_unpack (spec, n, &task->spec, err) < 0) {
        free (task);
        return -1;
    }
    more[rank->tasks++] = task;
    *ret_task = task;
    return 0;
}

void task_remove (struct rank *rank, struct task *task)
{
    for (size_t i = 0; i < rank->tasks; i++)
        if (rank->task[i] == task) {
            rank->task[i] = rank->task[--rank->tasks];
            break;
        }
    share_destroy (rank, task->share);
    spec_destroy (task->spec);
    free (task);
}

void task_changed (struct task *task)
{
    struct span *turn = &task->turn;
    task->since = clock_now ();
    if (turn->until > task->since)
        turn->until = task->since;
    if (turn->from > task->since)
        *turn = task->before;
}

/* ---- messages out ---- */

static int keep_note (struct rank *rank, const struct wire *wire,
                      const void *data, tori_error *err)
{
    struct note note = {.wire = *wire, .data = malloc (wire->bytes + 1)};
    struct note *more = array_room (rank->note, &rank->note_room,
                                    rank->notes + 1, sizeof *more);
    if (more)
        rank->note = more;
    if (!more || !note.data) {
        free (note.data);
        return tori_error_nomem (err);
    }
    note.wire.from = rank->self;
    if (data && wire->bytes > 0)
        memcpy (note.data, data, wire->bytes);
    more[rank->notes++] = note;
    return 0;
}

static bool is_of_era (enum wire_kind kind)
{
    return kind < WIRE_EXIT;
}

int rank_send (struct rank *rank, uint32_t to, const struct wire *wire,
               const void *data, tori_error *err)
{
    struct wire copy = *wire;
    if (is_of_era (wire->kind))
        copy.era = rank->era;
    return to == rank->self ? keep_note (rank, &copy, data, err)
                            : link_send (rank->link, to, &copy, data, err);
}

/* ---- the owner of a job ---- */

/* An earlier stage whose reader has gone did nothing wrong. */
static int status_that_counts (const struct task *task,
                               const struct wire *wire)
{
    uint32_t in_stage;
    size_t stage = spec_stage_of (task->spec, wire->index, &in_stage);
    bool harmless = wire->status == 128 + SIGPIPE
                    && stage + 1 < task->spec->stages;
    return harmless ? 0 : (int)wire->status;
}

static int relay_end (struct rank *rank, struct task *task, tori_error *err)
{
    struct wire wire
        = {.kind = WIRE_END, .task = task->id, .relay = task->node};
    return hosting_relay (rank, &wire, NULL, err);
}

static int end_task (struct rank *rank, struct task *task, tori_error *err)
{
    if (task->ending)
        return 0;
    task->ending = true;
    task_changed (task);
    return relay_end (rank, task, err);
}

/* To the node of the job, which is here. */
static int tell_node (struct rank *rank, const struct task *task,
                      tori_gang_kind kind, tori_error *err)
{
    struct wire wire = {.kind = WIRE_TREE};
    wire.tree = (tori_gang_message){.kind = kind,
                                    .from = TORI_GANG_HOST,
                                    .to = task->node,
                                    .task = task->id};
    return rank_send (rank, rank->self, &wire, NULL, err);
}

/* All of its processes rest: the job leaves the queue. One does not: it comes
 * back. The order follows the message to the node, so that the turn that the
 * node gave before comes before it, too, and the next one behind it. */
static int sleep_or_wake (struct rank *rank, struct task *task,
                          tori_error *err)
{
    bool asleep = task->resting == task->left && !task->ending;
    struct wire order = {.kind = asleep ? WIRE_SLEEP : WIRE_AWAKE,
                         .task = task->id,
                         .relay = task->node};
    struct wire news = {.kind = WIRE_ASLEEP, .task = task->id};
    if (task->asleep == asleep)
        return 0;
    task->asleep = asleep;
    task_changed (task);
    if (tell_node (rank, task, asleep ? TORI_GANG_SUSPEND : TORI_GANG_RESUME,
                   err)
            < 0
        || rank_send (rank, rank->self, &order, NULL, err) < 0)
        return -1;
    return asleep && *rank->config->report
               ? rank_send (rank, 0, &news, NULL, err)
               : 0;
}

static int on_rest (struct rank *rank, const struct wire *wire,
                    const char *data, tori_error *err)
{
    struct task *task = task_find (rank, wire->task);
    if (!task || !task->owned || task->left == 0)
        return 0;
    if (wire->status)
        task->resting++;
    else if (task->resting > 0)
        task->resting--;
    return sleep_or_wake (rank, task, err);
}

static int task_done (struct rank *rank, struct task *task, tori_error *err)
{
    struct wire ended
        = {.kind = WIRE_ENDED,
           .task = task->id,
           .status = task->status,
           .time = {task->first_turn, task->turns, task->used}};
    struct wire forget
        = {.kind = WIRE_FORGET, .task = task->id, .relay = task->node};
    if (tell_node (rank, task, TORI_GANG_DONE, err) < 0
        || rank_send (rank, 0, &ended, NULL, err) < 0)
        return -1;
    return rank_send (rank, rank->self, &forget, NULL, err);
}

/* The first failure ends the job. */
static int on_exit_of (struct rank *rank, const struct wire *wire,
                       const char *data, tori_error *err)
{
    struct task *task = task_find (rank, wire->task);
    int status;
    if (!task || !task->owned || task->left == 0)
        return 0;
    task->used += wire->time[0];
    status = status_that_counts (task, wire);
    if (status != 0 && !task->ending) {
        task->status = status;
        if (task->left > 1 && end_task (rank, task, err) < 0)
            return -1;
    }
    return --task->left == 0 ? task_done (rank, task, err)
                             : sleep_or_wake (rank, task, err);
}

static int on_cancel (struct rank *rank, const struct wire *wire,
                      const char *data, tori_error *err)
{
    struct task *task = task_find (rank, wire->task);
    if (!task || !task->owned || task->ending)
        return 0;
    task->status = 128 + SIGKILL;
    return end_task (rank, task, err);
}

/* ---- eras ---- */

/* Drop a job that had a process on a dead rank. */
static int drop_lost (struct rank *rank, tori_error *err)
{
    for (size_t i = rank->tasks; i-- > 0;) {
        struct task *task = rank->task[i];
        int uses = task->node == TORI_GANG_NONE; /* begins again at rank 0 */
        for (uint32_t r = 0; r < rank->size && uses == 0; r++)
            if (rank->dead[r])
                uses = hosting_uses (rank, task, r, err);
        if (uses < 0)
            return -1;
        if (uses)
            task_remove (rank, task);
    }
    return 0;
}

static int say_ready (struct rank *rank, tori_error *err)
{
    struct wire wire = {.kind = WIRE_READY, .era = rank->era};
    struct bytes bytes = {0};
    int status = 0;
    for (size_t i = 0; status == 0 && i < rank->tasks; i++)
        if (rank->task[i]->owned)
            status = bytes_add (&bytes, &rank->task[i]->id, sizeof (uint64_t),
                                err);
    wire.bytes = (uint32_t)bytes.n;
    if (status == 0)
        status = rank_send (rank, 0, &wire, bytes.data, err);
    bytes_clear (&bytes);
    return status;
}

static int on_era (struct rank *rank, const struct wire *wire,
                   const char *data, tori_error *err)
{
    rank->era = wire->era;
    rank->halted = true;
    for (uint32_t i = 0; i < rank->size; i++)
        if (data[i]) {
            rank->dead[i] = true;
            link_lost (rank->link, i);
        }
    shares_stop (rank);
    for (size_t i = 0; i < rank->tasks; i++)
        task_changed (rank->task[i]);
    shares_forget_early (rank);
    if (drop_lost (rank, err) < 0 || hosting_begin (rank, err) < 0)
        return -1;
    return say_ready (rank, err);
}

static int begin (struct rank *rank, tori_error *err)
{
    struct wire wire = {.kind = WIRE_TREE};
    wire.tree = (tori_gang_message){.kind = TORI_GANG_ACTIVATE,
                                    .from = TORI_GANG_HOST,
                                    .end = TORI_GANG_FOREVER};
    return rank->self == 0 ? rank_send (rank, 0, &wire, NULL, err) : 0;
}

/* The jobs that are left come back into their queues. Some processors may not
 * have heard of them before the era, or that they are to end; the others know
 * already. */
static int on_go (struct rank *rank, const struct wire *wire, const char *data,
                  tori_error *err)
{
    if (wire->era != rank->era)
        return 0;
    rank->halted = false;
    for (size_t i = 0; i < rank->tasks; i++) {
        struct task *task = rank->task[i];
        if (!task->owned || task->left == 0)
            continue;
        if (tell_node (rank, task, TORI_GANG_RESUME, err) < 0
            || task_launch (rank, task, err) < 0
            || (task->ending && relay_end (rank, task, err) < 0))
            return -1;
    }
    return begin (rank, err);
}

/* ---- messages in ---- */

static int on_tree (struct rank *rank, const struct wire *wire,
                    const char *data, tori_error *err)
{
    struct task *task = NULL;
    if (wire->tree.kind == TORI_GANG_ADD_TASK && wire->bytes > 0
        && task_add (rank, wire->tree.task, data, wire->bytes, &task, err) < 0)
        return -1;
    return hosting_deliver (rank, &wire->tree, err);
}

static int on_relayed (struct rank *rank, const struct wire *wire,
                       const char *data, tori_error *err)
{
    return hosting_relay (rank, wire, data, err);
}

static int on_quit (struct rank *rank, const struct wire *wire,
                    const char *data, tori_error *err)
{
    rank->quit = true;
    rank->status = (int)wire->status;
    return 0;
}

static int on_stop (struct rank *rank, const struct wire *wire,
                    const char *data, tori_error *err)
{
    return front_stop (rank, true, err);
}

static int on_credit (struct rank *rank, const struct wire *wire,
                      const char *data, tori_error *err)
{
    if (wire->stream == 0)
        return rank->front ? front_credit (rank, wire, err) : 0;
    return share_credit (rank, wire, err);
}

static int on_placed (struct rank *rank, const struct wire *wire,
                      const char *data, tori_error *err)
{
    return front_placed (rank, wire, err);
}

static int on_asleep (struct rank *rank, const struct wire *wire,
                      const char *data, tori_error *err)
{
    return front_asleep (rank, wire);
}

static int on_ended (struct rank *rank, const struct wire *wire,
                     const char *data, tori_error *err)
{
    return front_ended (rank, wire, err);
}

static int on_ask (struct rank *rank, const struct wire *wire,
                   const char *data, tori_error *err)
{
    return inquiry_answer (rank, wire, err);
}

static int on_switch (struct rank *rank, const struct wire *wire,
                      const char *data, tori_error *err)
{
    return front_switch (rank, wire, err);
}

static int (*const handlers[WIRE_KINDS]) (struct rank *rank,
                                          const struct wire *wire,
                                          const char *data, tori_error *err)
    = {
        [WIRE_TREE] = on_tree,       [WIRE_LAUNCH] = on_relayed,
        [WIRE_TURN] = on_relayed,    [WIRE_END] = on_relayed,
        [WIRE_FORGET] = on_relayed,  [WIRE_SLEEP] = on_relayed,
        [WIRE_AWAKE] = on_relayed,   [WIRE_REST] = on_rest,
        [WIRE_ASLEEP] = on_asleep,   [WIRE_EXIT] = on_exit_of,
        [WIRE_PLACED] = on_placed,   [WIRE_ENDED] = on_ended,
        [WIRE_CANCEL] = on_cancel,   [WIRE_OUTPUT] = front_output,
        [WIRE_INPUT] = share_input,  [WIRE_CREDIT] = on_credit,
        [WIRE_SWITCH] = on_switch,   [WIRE_ERA] = on_era,
        [WIRE_READY] = front_ready,  [WIRE_GO] = on_go,
        [WIRE_QUIT] = on_quit,       [WIRE_STOP] = on_stop,
        [WIRE_ASK] = on_ask,         [WIRE_TOLD] = front_told,
};

static int handle (struct rank *rank, const struct wire *wire,
                   const char *data, tori_error *err)
{
    if ((unsigned)wire->kind >= WIRE_KINDS
        || (is_of_era (wire->kind) && wire->era != rank->era))
        return 0;
    return handlers[wire->kind](rank, wire, data, err);
}

static int handle_notes (struct rank *rank, tori_error *err)
{
    int status = 0;
    for (size_t i = 0; i < rank->notes; i++) {
        struct note note = rank->note[i];
        if (status == 0)
            status = handle (rank, &note.wire, note.data, err);
        free (note.data);
    }
    rank->notes = 0;
    return status;
}

static int handle_all (struct rank *rank, struct bytes *bytes, tori_error *err)
{
    struct wire wire;
    int more;
    if (handle_notes (rank, err) < 0)
        return -1;
    while ((more = link_receive (rank->link, &wire, bytes, err)) > 0)
        if (handle (rank, &wire, bytes->data, err) < 0
            || handle_notes (rank, err) < 0)
            return -1;
    return more;
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
    if (handle_all (rank, bytes, err) < 0
        || hosting_wake (rank, &wake, err) < 0
        || handle_notes (rank, err) < 0)
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
                         && begin (rank, err) == 0
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
