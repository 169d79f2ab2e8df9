#include "rankshare.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "layout.h"
#include "program.h"
#include "shareproc.h"

/* How much is read at once, how far a stream may be ahead of its reader, and
 * the length above which a line is split. */
enum { CHUNK = 4096, WINDOW = 64 * 1024, LINE = 1 << 20 };
enum { KILLED = 128 + SIGKILL };

/* ---- starting ---- */

static void give_window (const struct share *share, int64_t from,
                         int64_t until)
{
    share_order (share,
                 &(struct warden_order){.from = from, .until = until});
}

/* The rank that has the input may not know yet where the process is. */
static void ask_for_input (const struct share *share)
{
    struct wire wire = {.kind = WIRE_CREDIT, .task = share->task->id};
    rank_send (share->rank, 0, &wire, NULL);
}

static void fail_to_start (struct share *share, int why);

static void start_share (struct rank *rank, struct task *task, uint32_t index,
                         const struct layout *layout)
{
    struct share *share = calloc (1, sizeof *share);
    const struct spec *spec = task->spec;
    int why;
    if (!share) {
        tori_error_nomem (&rank->err);
        return;
    }
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
    why = share_spawn (share, layout);
    if (why) {
        fail_to_start (share, why);
        return;
    }
    if (share->stage == 0 && share->writers > 0)
        ask_for_input (share);
    if (rank->config->turns == TURNS_NONE)
        give_window (share, clock_now (), INT64_MAX);
}

static void launch_here (struct rank *rank, struct task *task)
{
    uint32_t count = spec_count (task->spec), i = 0;
    struct layout layout;
    if (layout_make (rank->tree, task->spec, task->node, &layout, &rank->err)
        < 0)
        return;
    while (i < count && layout.processor[i] != rank->self)
        i++;
    if (i < count && !task->had_share)
        start_share (rank, task, i, &layout);
    layout_clear (&layout);
    shares_hear_early (rank);
}

/* ---- orders ---- */

/* If processors have turns of their own, the slots are as long, and begin one
 * after another. Turns that touch do so by the local clock as well. */
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
    give_window (share, begin, share->edge.local);
}

static void follow_order (struct rank *rank, const struct wire *wire,
                          const char *data)
{
    struct task *task = task_find (rank, wire->task);
    if (wire->kind == WIRE_LAUNCH) {
        if (!task)
            task = task_add (rank, wire->task, data, wire->bytes);
        if (!task)
            return;
        task->node = wire->node;
        task->mpi = (enum mpi_kind)wire->status;
        task->port = (uint16_t)wire->stream;
        launch_here (rank, task);
    } else if (!task)
        return;
    else if (wire->kind == WIRE_FORGET)
        task_remove (rank, task);
    else if (!task->share)
        return;
    else if (wire->kind == WIRE_END)
        share_order (task->share, &(struct warden_order){.end = true});
    else if (wire->kind == WIRE_SLEEP)
        share_order (task->share, &(struct warden_order){.sleep = true});
    else if (wire->kind == WIRE_AWAKE)
        give_window (task->share, 0, 0);
    else
        take_turn (task->share, wire->time[0], wire->time[1]);
}

void shares_order (struct rank *rank, const struct wire *wire,
                   const char *data)
{
    tori_gang_place place;
    struct wire down = *wire;
    tori_gang_tree_place (rank->tree, wire->relay, &place);
    if (place.children == 0)
        follow_order (rank, wire, data);
    for (uint32_t i = 0; i < place.children; i++) {
        uint32_t host = rank->host[place.first + i];
        down.relay = place.first + i;
        if (host == rank->self)
            shares_order (rank, &down, data);
        else if (host != TORI_GANG_NONE)
            rank_send (rank, host, &down, data);
    }
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
            give_window (task->share, 0, 0);
    }
}

/* ---- sleep ---- */

/* Between eras the reports are not counted; the next turn reports again. */
static void tell_rest (struct share *share, bool rests)
{
    struct rank *rank = share->rank;
    struct wire wire = {.kind = WIRE_REST,
                        .task = share->task->id,
                        .status = rests};
    uint32_t owner = rank->host[share->task->node];
    if (share->rests == rests || rank->halted || owner == TORI_GANG_NONE)
        return;
    share->rests = rests;
    rank_send (rank, owner, &wire, NULL);
}

/* ---- the end ---- */

/* The end is reported when all output has arrived, so that no output comes
 * after it. The same message says whether the share was resting, so that the
 * others that rest go on resting. */
static void tell_end (struct share *share)
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
        return;
    share->told = true;
    if (owner != TORI_GANG_NONE)
        rank_send (rank, owner, &wire, NULL);
}

/* ---- streams ---- */

static bool is_piped (const struct stream *stream)
{
    const struct share *share = stream->share;
    return stream->number == 1 && share->stage + 1 < share->task->spec->stages;
}

/* Whether no other process writes to the same pipe or terminal. */
static bool is_alone (const struct stream *stream)
{
    const struct share *share = stream->share;
    const struct spec *spec = share->task->spec;
    return spec->pty
           || (is_piped (stream) && spec->stage[share->stage].count == 1);
}

static void send_stream (struct stream *stream, size_t n)
{
    struct share *share = stream->share;
    bool piped = is_piped (stream);
    struct wire wire = {.kind = piped ? WIRE_INPUT : WIRE_OUTPUT,
                        .task = share->task->id,
                        .index = share->index,
                        .stream = stream->number,
                        .bytes = (uint32_t)n};
    if (n == 0 && !piped)
        return;
    rank_send (share->rank, piped ? share->target : 0, &wire,
               stream->kept.data);
    stream->owed += n;
    if (n > 0)
        bytes_drop (&stream->kept, n);
}

/* Send whole lines, so that lines of different processes do not mix; or
 * `all`. */
static void send_lines (struct stream *stream, bool all)
{
    while (stream->kept.n > 0) {
        size_t most = stream->kept.n < LINE ? stream->kept.n : LINE;
        const char *newline = memrchr (stream->kept.data, '\n', most);
        size_t n = newline ? (size_t)(newline + 1 - stream->kept.data) : most;
        if (!newline && !all && n < LINE)
            return;
        send_stream (stream, n);
    }
}

static void end_stream (struct stream *stream)
{
    share_close (&stream->fd);
    send_lines (stream, true);
    send_stream (stream, 0);
    tell_end (stream->share);
}

static void read_stream (struct rank *rank, void *arg, short events)
{
    struct stream *stream = arg;
    char part[CHUNK];
    ssize_t n;
    if (stream->fd < 0)
        return;
    n = read (stream->fd, part, sizeof part);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        end_stream (stream);
        return;
    }
    bytes_add (&stream->kept, part, (size_t)n, &rank->err);
    if (is_alone (stream) || stream->kept.n >= LINE
        || memchr (part, '\n', (size_t)n))
        send_lines (stream, is_alone (stream));
}

void share_credit (struct rank *rank, const struct wire *wire,
                   const char *data)
{
    struct task *task = task_find (rank, wire->task);
    struct share *share = task ? task->share : NULL;
    struct stream *stream;
    if (!share || share->index != wire->index)
        return;
    stream = wire->stream == 1 ? &share->out : &share->err;
    if (wire->status >= 0) {
        uint64_t through = (uint64_t)wire->status;
        stream->owed -= through < stream->owed ? through : stream->owed;
    } else {
        share_close (&stream->fd);
        stream->owed = 0;
        stream->kept.n = 0;
    }
    tell_end (share);
}

/* An order to start goes down the tree, while output of another process comes
 * straight and may be first. It comes here only if the process does, too, or
 * did until its job was lost with a rank: it waits until the era after next.
 * Input from a client comes only when a process has asked for it; if that is
 * missing, it has ended. */
static void keep_early (struct rank *rank, const struct wire *wire,
                        const char *data)
{
    struct wire copy = *wire;
    if (copy.era == 0)
        copy.era = rank->era + 1;
    if (copy.era < rank->era)
        return;
    bytes_add (&rank->early, &copy, sizeof copy, &rank->err);
    bytes_add (&rank->early, data, copy.bytes, &rank->err);
}

void share_input (struct rank *rank, const struct wire *wire, const char *data)
{
    struct task *task = task_find (rank, wire->task);
    struct share *share = task ? task->share : NULL;
    struct source source = {wire->from, wire->task, wire->index, wire->stream,
                            wire->bytes};
    if (!share) {
        if (wire->stream)
            keep_early (rank, wire, data);
        return;
    }
    sink_put (rank, &share->input, &source, NULL, 0, data, wire->bytes);
    if (wire->bytes == 0 && --share->writers == 0)
        share->input.ends = true;
    sink_flush (rank, &share->input);
}

void share_size (struct rank *rank, const struct wire *wire, const char *data)
{
    struct task *task = task_find (rank, wire->task);
    if (task && task->share && task->share->input.fd >= 0)
        share_resize (task->share->input.fd, wire->status);
}

/* Input whose process is still missing is kept again. */
void shares_hear_early (struct rank *rank)
{
    struct bytes all = rank->early;
    struct wire wire;
    rank->early = (struct bytes){0};
    for (size_t at = 0; !rank_failed (rank) && at < all.n;
         at += sizeof wire + wire.bytes) {
        memcpy (&wire, all.data + at, sizeof wire);
        share_input (rank, &wire, all.data + at + sizeof wire);
    }
    bytes_clear (&all);
}

/* ---- what the warden says ---- */

static void tell_switch (struct share *share, const struct warden_event *event)
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
    if (*share->rank->config->report)
        rank_send (share->rank, 0, &wire, NULL);
}

int64_t share_used (const struct share *share)
{
    if (!share || share->told)
        return 0;
    return share->ended || !share->warden ? share->used
                                          : cage_used (share->warden);
}

static void finish_share (struct share *share, int status)
{
    share->ended = true;
    share->status = status;
    share_close (&share->control);
    sink_close (share->rank, &share->input);
    tell_end (share);
}

/* When the kernel has no process or descriptor left, only this job fails. Its
 * reason comes in place of the program. */
static void fail_to_start (struct share *share, int why)
{
    const char *name = share->task->spec->stage[share->stage].argv[0];
    char line[512];
    int n = snprintf (line, sizeof line, "tori: %.300s: %s\n", name,
                      strerror (why));
    bytes_add (&share->err.kept, line, (size_t)n, &share->rank->err);
    end_stream (&share->out);
    end_stream (&share->err);
    finish_share (share, NOT_RUNNABLE);
}

static void take_news (struct share *share, const struct warden_event *event)
{
    if (event->kind == WARDEN_BEGAN)
        share->warden = event->status;
    else if (event->kind == WARDEN_ENDED) {
        share->used = event->used;
        if (event->why)
            fail_to_start (share, event->why);
        else
            finish_share (share, event->status);
    } else if (event->kind == WARDEN_RESTS || event->kind == WARDEN_STIRS)
        tell_rest (share, event->kind == WARDEN_RESTS);
    else
        tell_switch (share, event);
}

/* A warden that ends without a report was killed. */
static void listen_to_warden (struct rank *rank, void *arg, short events)
{
    struct share *share = arg;
    char part[CHUNK];
    ssize_t n = recv (share->control, part, sizeof part, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        finish_share (share, KILLED);
        return;
    }
    bytes_add (&share->events, part, (size_t)n, &rank->err);
    while (share->events.n >= sizeof (struct warden_event)) {
        struct warden_event event;
        memcpy (&event, share->events.data, sizeof event);
        bytes_drop (&share->events, sizeof event);
        take_news (share, &event);
    }
}

/* ---- descriptors ---- */

static void watch_stream (struct rank *rank, struct stream *stream)
{
    if (stream->fd >= 0 && stream->owed < WINDOW)
        rank_watch (rank, stream->fd, POLLIN, read_stream, stream);
}

void shares_watch (struct rank *rank)
{
    for (size_t i = 0; i < rank->tasks; i++) {
        struct share *share = rank->task[i]->share;
        if (!share)
            continue;
        if (share->control >= 0)
            rank_watch (rank, share->control, POLLIN, listen_to_warden, share);
        watch_stream (rank, &share->out);
        watch_stream (rank, &share->err);
        sink_watch (rank, &share->input);
    }
}
