#include "rankshare.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "array.h"
#include "hosting.h"
#include "keeper.h"
#include "layout.h"
#include "program.h"
#include "sink.h"

/* How much of a stream goes into a message, and how far one may be ahead of
 * its reader. */
enum { CHUNK = 4096, WINDOW = 64 * 1024 };
enum { KILLED = 128 + SIGKILL };

struct stream {
    struct share *share;
    uint32_t number; /* 1 or 2 */
    int fd;          /* -1 at the end */
    uint64_t owed;   /* bytes on their way */
    struct bytes kept;
};

struct share {
    struct rank *rank;
    struct task *task;
    uint32_t index; /* of all processes of the job */
    size_t stage;
    uint32_t in_stage;
    uint32_t node; /* the partition of the stage */
    int control;
    pid_t warden; /* 0: it has not said */
    struct stream out, err;
    uint32_t target;     /* the rank where standard output goes */
    struct sink input;   /* fd -1: none */
    uint32_t writers;    /* processes that still write to it */
    struct bytes events; /* of the warden, as far as they have come */
    struct {
        int64_t agreed, local;
    } edge;     /* the end of its last turn */
    bool rests; /* as the host of the job's node was told */
    bool ended, told;
    int status;
    int64_t used; /* processor time, in nanoseconds */
};

/* ---- starting ---- */

static int add_box (const struct share *share, const char *name, uint32_t node,
                    struct bytes *bytes, tori_error *err)
{
    char box[TORI_TEXT_MAX], line[TORI_TEXT_MAX + 32];
    tori_gang_place place;
    tori_gang_tree_place (share->rank->tree, node, &place);
    tori_box_format (&place.box, box);
    snprintf (line, sizeof line, "%s=%s", name, box);
    return bytes_add_text (bytes, line, err);
}

static int add_meet (const struct share *share, struct bytes *bytes,
                     tori_error *err)
{
    const struct rank *rank = share->rank;
    char address[LINK_ADDRESS], meet[MEET_TEXT], line[MEET_TEXT + 16];
    link_address (rank->link, rank->host[share->task->node], address);
    meet_format (&share->task->meet, address, meet);
    snprintf (line, sizeof line, "TORI_MEET=%s", meet);
    return bytes_add_text (bytes, line, err);
}

/* What a program is told about itself. */
static int add_variables (const struct share *share, struct bytes *bytes,
                          uint32_t *ret_n, tori_error *err)
{
    const struct spec *spec = share->task->spec;
    char line[64];
    const struct {
        const char *name;
        uint64_t value;
    } numbers[] = {
        {"TORI_JOB", share->task->id & UINT32_MAX},
        {"TORI_RANK", share->in_stage},
        {"TORI_SIZE", spec->stage[share->stage].count},
        {"TORI_STAGE", share->stage},
        {"TORI_STAGES", spec->stages},
        {"TORI_PROCESSOR", share->rank->self},
        {"TORI_RESTART", (share->task->id >> 32) - 1},
    };
    enum { N = sizeof numbers / sizeof numbers[0] };
    for (size_t i = 0; i < N; i++) {
        snprintf (line, sizeof line, "%s=%llu", numbers[i].name,
                  (unsigned long long)numbers[i].value);
        if (bytes_add_text (bytes, line, err) < 0)
            return -1;
    }
    *ret_n = N + 2;
    if (share->task->mpi != MPI_KIND_NONE) {
        if (add_meet (share, bytes, err) < 0)
            return -1;
        ++*ret_n;
    }
    if (add_box (share, "TORI_PARTITION", share->node, bytes, err) < 0)
        return -1;
    return add_box (share, "TORI_JOB_PARTITION", share->task->node, bytes,
                    err);
}

/* The program of an MPI job is started by the MPI that it was built with. */
static int add_launcher (const struct share *share, struct bytes *bytes,
                         tori_error *err)
{
    char self[PATH_MAX];
    ssize_t n = readlink ("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = 0;
    return bytes_add_text (bytes, self, err) < 0
                   || bytes_add_text (bytes, "--share", err) < 0
               ? -1
               : bytes_add_text (bytes, mpi_kind_name (share->task->mpi), err);
}

/* Which of the ranks on this host this is, from 1. */
static uint32_t place_on_host (const struct rank *rank)
{
    uint32_t n = 1;
    for (uint32_t i = 0; i < rank->self; i++)
        n += !strcmp (rank->card[i].host, rank->card[rank->self].host);
    return n;
}

static int write_all (int fd, const void *data, size_t n)
{
    const char *at = data;
    while (n > 0) {
        ssize_t done = send (fd, at, n, MSG_NOSIGNAL);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return -1;
        at += done;
        n -= (size_t)done;
    }
    return 0;
}

/* A warden that is gone will be noticed when it is listened to. */
static int send_start (const struct share *share, tori_error *err)
{
    const struct spec *spec = share->task->spec;
    const struct config *config = share->rank->config;
    bool watched = config->turns != TURNS_NONE
                   && config->sleepers == SLEEPERS_LEAVE;
    struct warden_start start = {.slot = watched ? config->slot : 0};
    struct bytes bytes = {0};
    int status = bytes_add_text (&bytes, spec->cwd ? spec->cwd : "", err);
    if (status == 0 && share->task->mpi != MPI_KIND_NONE) {
        status = add_launcher (share, &bytes, err);
        start.args = 3;
    }
    for (char **arg = spec->stage[share->stage].argv; status == 0 && *arg;
         arg++) {
        status = bytes_add_text (&bytes, *arg, err);
        start.args++;
    }
    if (status == 0)
        status = add_variables (share, &bytes, &start.told, err);
    start.core = spec->pin ? place_on_host (share->rank) : 0;
    start.bare = spec->env != NULL;
    for (char **var = spec->env; status == 0 && var && *var; var++) {
        status = bytes_add_text (&bytes, *var, err);
        start.vars++;
    }
    start.bytes = (uint32_t)bytes.n;
    if (status == 0 && write_all (share->control, &start, sizeof start) == 0)
        write_all (share->control, bytes.data, bytes.n);
    bytes_clear (&bytes);
    return status;
}

/* Both ends of a pipe, ours first. */
static int make_pipe (bool we_read, int *ret_ours, int *ret_theirs)
{
    int ends[2];
    if (pipe2 (ends, O_CLOEXEC) < 0)
        return -1;
    *ret_ours = ends[we_read ? 0 : 1];
    *ret_theirs = ends[we_read ? 1 : 0];
    return fcntl (*ret_ours, F_SETFL, we_read ? O_NONBLOCK : 0);
}

static void close_files (const struct warden_files *files)
{
    const int fds[] = {files->control, files->in, files->out, files->err,
                       files->door};
    for (size_t i = 0; i < sizeof fds / sizeof fds[0]; i++)
        if (fds[i] >= 0)
            close (fds[i]);
}

static void set_size (int terminal, int64_t size)
{
    const struct winsize window = {.ws_row = (unsigned short)(size >> 16),
                                   .ws_col = (unsigned short)size};
    ioctl (terminal, TIOCSWINSZ, &window);
}

static int copy_of (int fd)
{
    return fd < 0 ? -1 : fcntl (fd, F_DUPFD_CLOEXEC, 0);
}

/* Standard input, output and error are one terminal, and we have the other end
 * of it. */
static int make_terminal (struct share *share, struct warden_files *files)
{
    enum { HOW = O_RDWR | O_NOCTTY | O_CLOEXEC };
    char name[64];
    int ours = posix_openpt (HOW | O_NONBLOCK);
    share->out.fd = ours;
    if (ours < 0 || grantpt (ours) < 0 || unlockpt (ours) < 0
        || ptsname_r (ours, name, sizeof name) != 0)
        return -1;
    set_size (ours, share->task->spec->pty);
    share->input.fd = copy_of (ours);
    files->in = open (name, HOW);
    files->out = copy_of (files->in);
    files->err = copy_of (files->out);
    return share->input.fd < 0 || files->err < 0 ? -1 : 0;
}

static int make_files (struct share *share, struct warden_files *files)
{
    int pair[2];
    if (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return -1;
    share->control = pair[0];
    files->control = pair[1];
    if (!rank_has_room (pair[1], 0)) {
        errno = EMFILE;
        return -1;
    }
    if (share->task->spec->pty)
        return make_terminal (share, files);
    if (share->writers > 0) {
        if (make_pipe (false, &share->input.fd, &files->in) < 0)
            return -1;
    } else {
        files->in = open ("/dev/null", O_RDONLY | O_CLOEXEC);
    }
    return files->in < 0
                   || make_pipe (true, &share->out.fd, &files->out) < 0
                   || make_pipe (true, &share->err.fd, &files->err) < 0
               ? -1
               : 0;
}

static int hand_over (const struct rank *rank,
                      const struct warden_files *files)
{
    const int fds[KEEPER_FILES] = {files->control, files->in, files->out,
                                   files->err, files->door};
    struct keeper_message message
        = {.kind = KEEPER_SPAWN,
           .cage = (enum cage_kind)rank->config->cage};
    return keeper_tell (rank->keeper, &message, fds,
                        files->door >= 0 ? KEEPER_FILES : KEEPER_FILES - 1);
}

static int fail_to_start (struct share *share, int why, tori_error *err);

static int spawn (struct share *share, tori_error *err)
{
    struct warden_files files = {-1, -1, -1, -1, -1};
    int status;
    if (share->index == 0) {
        files.door = share->task->door;
        share->task->door = -1;
    }
    if (make_files (share, &files) < 0 || hand_over (share->rank, &files) < 0)
        status = fail_to_start (share, errno, err);
    else
        status = send_start (share, err);
    close_files (&files);
    return status;
}

static void send_window (const struct share *share, int64_t from,
                         int64_t until)
{
    struct warden_order order = {.from = from, .until = until};
    write_all (share->control, &order, sizeof order);
}

/* The rank that has it may not know yet where the process is. */
static int ask_for_input (const struct share *share, tori_error *err)
{
    struct wire wire = {.kind = WIRE_CREDIT, .task = share->task->id};
    return rank_send (share->rank, 0, &wire, NULL, err);
}

static int start (struct rank *rank, struct task *task, uint32_t index,
                  const struct layout *layout, tori_error *err)
{
    struct share *share = calloc (1, sizeof *share);
    const struct spec *spec = task->spec;
    if (!share)
        return tori_error_nomem (err);
    *share = (struct share){.rank = rank, .task = task, .index = index};
    share->stage = spec_stage_of (spec, index, &share->in_stage);
    share->node = layout->node[share->stage];
    share->control = share->input.fd = -1;
    share->out = (struct stream){.share = share, .number = 1, .fd = -1};
    share->err = (struct stream){.share = share, .number = 2, .fd = -1};
    if (share->in_stage == 0)
        share->writers = share->stage > 0 ? spec->stage[share->stage - 1].count
                                          : spec->input;
    if (share->stage + 1 < spec->stages)
        share->target
            = layout->processor[spec_first (spec, share->stage + 1)];
    task->share = share;
    task->had_share = true;
    if (spawn (share, err) < 0)
        return -1;
    if (share->stage == 0 && share->writers > 0
        && ask_for_input (share, err) < 0)
        return -1;
    if (rank->config->turns == TURNS_NONE)
        send_window (share, clock_now (), INT64_MAX);
    return 0;
}

static int take_early (struct rank *rank, uint64_t task, tori_error *err);

static int launch_here (struct rank *rank, struct task *task, tori_error *err)
{
    uint32_t count = spec_count (task->spec), i = 0;
    struct layout layout;
    int status = 0;
    if (layout_make (rank->tree, task->spec, task->node, &layout, err) < 0)
        return -1;
    while (i < count && layout.processor[i] != rank->self)
        i++;
    if (i < count && !task->had_share)
        status = start (rank, task, i, &layout, err);
    layout_clear (&layout);
    return status == 0 && task->share ? take_early (rank, task->id, err)
                                      : status;
}

int task_launch (struct rank *rank, struct task *task, tori_error *err)
{
    struct wire wire = {.kind = WIRE_LAUNCH,
                        .task = task->id,
                        .node = task->node,
                        .relay = task->node,
                        .status = task->mpi,
                        .stream = task->meet.port};
    struct bytes bytes = {0};
    int status = spec_pack (task->spec, &bytes, err);
    wire.bytes = (uint32_t)bytes.n;
    memcpy (wire.time, task->meet.key, sizeof task->meet.key);
    if (status == 0)
        status = hosting_relay (rank, &wire, bytes.data, err);
    bytes_clear (&bytes);
    return status;
}

/* ---- orders ---- */

static void end (struct share *share)
{
    struct warden_order order = {.end = true};
    write_all (share->control, &order, sizeof order);
}

static void let_go (struct share *share)
{
    struct warden_order order = {.sleep = true};
    write_all (share->control, &order, sizeof order);
}

/* Where processors have turns of their own the slots are as long, and begin
 * one after another. Turns that touch do so by the local clock as well. */
static void take_turn (struct share *share, int64_t from, int64_t until)
{
    struct rank *rank = share->rank;
    int64_t begin;
    int64_t later = rank->config->turns == TURNS_LOCAL
                        ? rank->config->slot / rank->size * rank->self
                        : 0;
    from += later;
    until += later;
    if (rank->config->turns == TURNS_NONE || until <= rank_now (rank))
        return;
    begin = from == share->edge.agreed ? share->edge.local
                                       : runclock_local (&rank->clock, from);
    share->edge.agreed = until;
    share->edge.local = runclock_local (&rank->clock, until);
    send_window (share, begin, share->edge.local);
}

int share_order (struct rank *rank, const struct wire *wire, const char *data,
                 tori_error *err)
{
    struct task *task = task_find (rank, wire->task);
    if (wire->kind == WIRE_LAUNCH) {
        if (!task
            && task_add (rank, wire->task, data, wire->bytes, &task, err) < 0)
            return -1;
        task->node = wire->node;
        task->mpi = (enum mpi_kind)wire->status;
        task->meet.port = (uint16_t)wire->stream;
        memcpy (task->meet.key, wire->time, sizeof task->meet.key);
        return launch_here (rank, task, err);
    }
    if (!task)
        return 0;
    if (wire->kind == WIRE_FORGET)
        task_remove (rank, task);
    else if (!task->share)
        return 0;
    else if (wire->kind == WIRE_END)
        end (task->share);
    else if (wire->kind == WIRE_SLEEP)
        let_go (task->share);
    else if (wire->kind == WIRE_AWAKE)
        send_window (task->share, 0, 0);
    else
        take_turn (task->share, wire->time[0], wire->time[1]);
    return 0;
}

void shares_stop (struct rank *rank)
{
    for (size_t i = 0; i < rank->tasks; i++) {
        struct task *task = rank->task[i];
        task->asleep = false;
        task->resting = 0;
        if (!task->share)
            continue;
        task->share->rests = false;
        if (rank->config->turns != TURNS_NONE)
            send_window (task->share, 0, 0);
    }
}

static void close_fd (int *fd)
{
    if (*fd >= 0)
        close (*fd);
    *fd = -1;
}

/* A warden that is left alone kills its charges. */
void share_destroy (struct rank *rank, struct share *share)
{
    if (!share)
        return;
    close_fd (&share->control);
    close_fd (&share->out.fd);
    close_fd (&share->err.fd);
    sink_close (rank, &share->input, NULL);
    bytes_clear (&share->out.kept);
    bytes_clear (&share->err.kept);
    bytes_clear (&share->events);
    free (share);
}

/* ---- sleep ---- */

/* Between eras nobody counts; the next turn tells again. */
static int tell_rest (struct share *share, bool rests, tori_error *err)
{
    struct rank *rank = share->rank;
    struct wire wire = {.kind = WIRE_REST,
                        .task = share->task->id,
                        .status = rests};
    uint32_t owner = rank->host[share->task->node];
    if (share->rests == rests || rank->halted || owner == TORI_GANG_NONE)
        return 0;
    share->rests = rests;
    return rank_send (rank, owner, &wire, NULL, err);
}

/* ---- the end ---- */

/* The end is told when all output is where it belongs, so that nothing comes
 * behind it. It says whether the share was resting: one message, so that
 * others that rest go on resting. */
static int tell_end (struct share *share, tori_error *err)
{
    struct rank *rank = share->rank;
    struct wire wire = {.kind = WIRE_EXIT,
                        .era = rank->era,
                        .task = share->task->id,
                        .index = share->index,
                        .stream = share->rests,
                        .status = share->status,
                        .time = {share->used}};
    uint32_t owner = rank->host[share->task->node];
    if (!share->ended || share->told || share->out.fd >= 0
        || share->err.fd >= 0 || share->out.owed || share->err.owed)
        return 0;
    share->told = true;
    return owner == TORI_GANG_NONE ? 0
                                   : rank_send (rank, owner, &wire, NULL, err);
}

/* ---- streams ---- */

static int send_stream (struct stream *stream, size_t n, tori_error *err)
{
    struct share *share = stream->share;
    bool piped = stream->number == 1
                 && share->stage + 1 < share->task->spec->stages;
    struct wire wire = {.kind = piped ? WIRE_INPUT : WIRE_OUTPUT,
                        .task = share->task->id,
                        .index = share->index,
                        .stream = stream->number,
                        .status = stream->fd < 0 && n == stream->kept.n,
                        .bytes = (uint32_t)n};
    if (n == 0 && !piped)
        return 0;
    if (rank_send (share->rank, piped ? share->target : 0, &wire,
                   stream->kept.data, err)
        < 0)
        return -1;
    stream->owed += n;
    if (n > 0)
        bytes_drop (&stream->kept, n);
    return 0;
}

/* Whole lines, or as much as goes into a message if there is none; at the end,
 * or on a terminal, a line needs no newline. Of a line that goes on something is always left, so
 * that there is a message for its end. */
static int send_lines (struct stream *stream, bool all, tori_error *err)
{
    while (stream->kept.n > 0) {
        size_t most = stream->kept.n < CHUNK ? stream->kept.n : CHUNK;
        const char *newline = memrchr (stream->kept.data, '\n', most);
        size_t n = newline ? (size_t)(newline + 1 - stream->kept.data) : most;
        if (!newline && !all && stream->kept.n <= CHUNK)
            return 0;
        if (send_stream (stream, n, err) < 0)
            return -1;
    }
    return 0;
}

static int end_stream (struct stream *stream, tori_error *err)
{
    close_fd (&stream->fd);
    if (send_lines (stream, true, err) < 0 || send_stream (stream, 0, err) < 0)
        return -1;
    return tell_end (stream->share, err);
}

static int read_stream (struct rank *rank, void *arg, short events,
                        tori_error *err)
{
    struct stream *stream = arg;
    char part[CHUNK];
    ssize_t n;
    if (stream->fd < 0)
        return 0;
    n = read (stream->fd, part, sizeof part);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (n > 0)
        return bytes_add (&stream->kept, part, (size_t)n, err) < 0
                   ? -1
                   : send_lines (stream, stream->share->task->spec->pty, err);
    return end_stream (stream, err);
}

int share_credit (struct rank *rank, const struct wire *wire, const char *data,
                  tori_error *err)
{
    struct task *task = task_find (rank, wire->task);
    struct share *share = task ? task->share : NULL;
    struct stream *stream;
    if (!share || share->index != wire->index)
        return 0;
    stream = wire->stream == 1 ? &share->out : &share->err;
    if (wire->status >= 0) {
        uint64_t through = (uint64_t)wire->status;
        stream->owed -= through < stream->owed ? through : stream->owed;
    } else {
        close_fd (&stream->fd);
        stream->owed = 0;
        stream->kept.n = 0;
    }
    return tell_end (share, err);
}

/* An order to start goes down the tree, and what another process wrote comes
 * straight; it may be first. It comes here only if the process does, too, or
 * did until its job was lost with a rank. What a client gives to read comes
 * when it was asked for: there the process has gone. */
static int keep_early (struct rank *rank, const struct wire *wire,
                       const char *data, tori_error *err)
{
    struct note note = {.wire = *wire, .data = malloc (wire->bytes + 1)};
    struct note *more = array_room (rank->early, &rank->early_room,
                                    rank->earlies + 1, sizeof *more);
    if (more)
        rank->early = more;
    if (!more || !note.data) {
        free (note.data);
        return tori_error_nomem (err);
    }
    note.wire.era = rank->era;
    if (wire->bytes > 0)
        memcpy (note.data, data, wire->bytes);
    more[rank->earlies++] = note;
    return 0;
}

/* The only writer here need not write whole lines. */
static int put_input (struct rank *rank, struct share *share,
                      const struct wire *wire, const char *data,
                      tori_error *err)
{
    const struct spec *spec = share->task->spec;
    struct source source = {wire->from, wire->task, wire->index, wire->stream,
                            wire->bytes};
    bool alone = share->stage == 0
                 || spec->stage[share->stage - 1].count == 1;
    struct bytes text = {0};
    int status = sink_take (rank, &share->input, &source, data,
                            wire->status || alone, &text, err);
    if (status > 0)
        status = sink_put (&share->input, &source, NULL, 0, text.data, text.n,
                           err);
    bytes_clear (&text);
    return status;
}

int share_input (struct rank *rank, const struct wire *wire, const char *data,
                 tori_error *err)
{
    struct task *task = task_find (rank, wire->task);
    struct share *share = task ? task->share : NULL;
    struct sink *sink;
    if (!share)
        return wire->stream ? keep_early (rank, wire, data, err) : 0;
    if (wire->bytes > 0 && put_input (rank, share, wire, data, err) < 0)
        return -1;
    sink = &share->input;
    if (wire->bytes == 0 && --share->writers == 0)
        sink->ends = true;
    return sink_flush (rank, sink, err);
}

int share_size (struct rank *rank, const struct wire *wire, const char *data,
                tori_error *err)
{
    struct task *task = task_find (rank, wire->task);
    if (task && task->share && task->share->input.fd >= 0)
        set_size (task->share->input.fd, wire->status);
    return 0;
}

/* What has come for a process before it. */
static int take_early (struct rank *rank, uint64_t task, tori_error *err)
{
    size_t kept = 0;
    int status = 0;
    for (size_t i = 0; i < rank->earlies; i++) {
        struct note note = rank->early[i];
        if (note.wire.task != task) {
            rank->early[kept++] = note;
            continue;
        }
        if (status == 0)
            status = share_input (rank, &note.wire, note.data, err);
        free (note.data);
    }
    rank->earlies = kept;
    return status;
}

void shares_forget_early (struct rank *rank)
{
    size_t kept = 0;
    for (size_t i = 0; i < rank->earlies; i++)
        if (rank->early[i].wire.era + 1 < rank->era)
            free (rank->early[i].data);
        else
            rank->early[kept++] = rank->early[i];
    rank->earlies = kept;
}

/* ---- what the warden says ---- */

static int tell_switch (struct share *share, const struct warden_event *event,
                        tori_error *err)
{
    const struct runclock *clock = &share->rank->clock;
    struct wire wire = {.kind = WIRE_SWITCH,
                        .task = share->task->id,
                        .index = share->index,
                        .stream = event->foreseen,
                        .status = event->kind,
                        .time = {runclock_agreed (clock, event->due),
                                 runclock_agreed (clock, event->begin),
                                 runclock_agreed (clock, event->end)}};
    return *share->rank->config->report
               ? rank_send (share->rank, 0, &wire, NULL, err)
               : 0;
}

static int take_news (struct share *share, const struct warden_event *event,
                      tori_error *err)
{
    if (event->kind == WARDEN_BEGAN) {
        share->warden = event->status;
        return 0;
    }
    if (event->kind == WARDEN_RESTS || event->kind == WARDEN_STIRS)
        return tell_rest (share, event->kind == WARDEN_RESTS, err);
    return tell_switch (share, event, err);
}

int64_t share_used (const struct share *share)
{
    if (!share || share->told)
        return 0;
    return share->ended || !share->warden ? share->used
                                          : cage_used (share->warden);
}

static int finish (struct share *share, int status, tori_error *err)
{
    share->ended = true;
    share->status = status;
    close_fd (&share->control);
    if (sink_close (share->rank, &share->input, err) < 0)
        return -1;
    return tell_end (share, err);
}

/* A process for which there is none, or no descriptors: its job fails by
 * itself, and is told in place of the program. */
static int fail_to_start (struct share *share, int why, tori_error *err)
{
    const char *name = share->task->spec->stage[share->stage].argv[0];
    char line[512];
    int n = snprintf (line, sizeof line, "tori: %.300s: %s\n", name,
                      strerror (why));
    if (bytes_add (&share->err.kept, line, (size_t)n, err) < 0
        || end_stream (&share->out, err) < 0
        || end_stream (&share->err, err) < 0)
        return -1;
    return finish (share, NOT_RUNNABLE, err);
}

/* A warden that goes without a word was killed. */
static int listen_to_warden (struct rank *rank, void *arg, short events,
                             tori_error *err)
{
    struct share *share = arg;
    char part[CHUNK];
    ssize_t n = recv (share->control, part, sizeof part, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (n <= 0)
        return finish (share, KILLED, err);
    if (bytes_add (&share->events, part, (size_t)n, err) < 0)
        return -1;
    while (share->events.n >= sizeof (struct warden_event)) {
        struct warden_event event;
        memcpy (&event, share->events.data, sizeof event);
        bytes_drop (&share->events, sizeof event);
        if (event.kind == WARDEN_ENDED) {
            share->used = event.used;
            if (event.why)
                return fail_to_start (share, event.why, err);
            return finish (share, event.status, err);
        }
        if (take_news (share, &event, err) < 0)
            return -1;
    }
    return 0;
}

/* ---- descriptors ---- */

static int watch_stream (struct rank *rank, struct stream *stream,
                         tori_error *err)
{
    if (stream->fd < 0 || stream->owed + stream->kept.n >= WINDOW)
        return 0;
    return rank_watch (rank, stream->fd, POLLIN, read_stream, stream, err);
}

int shares_watch (struct rank *rank, tori_error *err)
{
    for (size_t i = 0; i < rank->tasks; i++) {
        struct share *share = rank->task[i]->share;
        if (!share)
            continue;
        if ((share->control >= 0
             && rank_watch (rank, share->control, POLLIN, listen_to_warden,
                            share, err)
                    < 0)
            || watch_stream (rank, &share->out, err) < 0
            || watch_stream (rank, &share->err, err) < 0
            || sink_watch (rank, &share->input, err) < 0)
            return -1;
    }
    return 0;
}
