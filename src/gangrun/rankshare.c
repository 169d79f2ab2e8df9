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

/* How much is read at once, how far a stream may be ahead of its reader, and what
 * is split if it is longer. */
enum { CHUNK = 4096, WINDOW = 64 * 1024, LINE = 1 << 20 };
enum { KILLED = 128 + SIGKILL };

/* ---- starting ---- */

static void give_window (const struct share *share, int64_t from,
                         int64_t until)
{
    share_order (share,
                 &(struct warden_order){.from = from, .until = until});
}

/* The rank that has it may not know yet where the process is. */
static int ask_for_input (const struct share *share, tori_error *err)
{
    struct wire wire = {.kind = WIRE_CREDIT, .task = share->task->id};
    return rank_send (share->rank, 0, &wire, NULL, err);
}

static int fail_to_start (struct share *share, int why, tori_error *err);

static int start (struct rank *rank, struct task *task, uint32_t index,
                  const struct layout *layout, tori_error *err)
{
    struct share *share = calloc (1, sizeof *share);
    const struct spec *spec = task->spec;
    int why;
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
    if (share_spawn (share, &why, err) < 0)
        return -1;
    if (why)
        return fail_to_start (share, why, err);
    if (share->stage == 0 && share->writers > 0
        && ask_for_input (share, err) < 0)
        return -1;
    if (rank->config->turns == TURNS_NONE)
        give_window (share, clock_now (), INT64_MAX);
    return 0;
}

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
    return status == 0 ? shares_hear_early (rank, err) : -1;
}

/* ---- orders ---- */

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
    give_window (share, begin, share->edge.local);
}

static int follow (struct rank *rank, const struct wire *wire,
                   const char *data, tori_error *err)
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
        share_order (task->share, &(struct warden_order){.end = true});
    else if (wire->kind == WIRE_SLEEP)
        share_order (task->share, &(struct warden_order){.sleep = true});
    else if (wire->kind == WIRE_AWAKE)
        give_window (task->share, 0, 0);
    else
        take_turn (task->share, wire->time[0], wire->time[1]);
    return 0;
}

int shares_order (struct rank *rank, const struct wire *wire, const char *data,
                  tori_error *err)
{
    tori_gang_place place;
    struct wire down = *wire;
    tori_gang_tree_place (rank->tree, wire->relay, &place);
    if (place.children == 0)
        return follow (rank, wire, data, err);
    for (uint32_t i = 0; i < place.children; i++) {
        uint32_t host = rank->host[place.first + i];
        int status = 0;
        down.relay = place.first + i;
        if (host == rank->self)
            status = shares_order (rank, &down, data, err);
        else if (host != TORI_GANG_NONE)
            status = rank_send (rank, host, &down, data, err);
        if (status < 0)
            return -1;
    }
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
            give_window (task->share, 0, 0);
    }
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

static bool is_piped (const struct stream *stream)
{
    const struct share *share = stream->share;
    return stream->number == 1 && share->stage + 1 < share->task->spec->stages;
}

/* Whether nobody else writes to the same pipe or terminal. */
static bool is_alone (const struct stream *stream)
{
    const struct share *share = stream->share;
    const struct spec *spec = share->task->spec;
    return spec->pty
           || (is_piped (stream) && spec->stage[share->stage].count == 1);
}

static int send_stream (struct stream *stream, size_t n, tori_error *err)
{
    struct share *share = stream->share;
    bool piped = is_piped (stream);
    struct wire wire = {.kind = piped ? WIRE_INPUT : WIRE_OUTPUT,
                        .task = share->task->id,
                        .index = share->index,
                        .stream = stream->number,
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

/* Whole lines, so that none gets into one of another process; or `all`. */
static int send_lines (struct stream *stream, bool all, tori_error *err)
{
    while (stream->kept.n > 0) {
        size_t most = stream->kept.n < LINE ? stream->kept.n : LINE;
        const char *newline = memrchr (stream->kept.data, '\n', most);
        size_t n = newline ? (size_t)(newline + 1 - stream->kept.data) : most;
        if (!newline && !all && n < LINE)
            return 0;
        if (send_stream (stream, n, err) < 0)
            return -1;
    }
    return 0;
}

static int end_stream (struct stream *stream, tori_error *err)
{
    share_close (&stream->fd);
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
    if (n <= 0)
        return end_stream (stream, err);
    if (bytes_add (&stream->kept, part, (size_t)n, err) < 0)
        return -1;
    return is_alone (stream) || stream->kept.n >= LINE
                   || memchr (part, '\n', (size_t)n)
               ? send_lines (stream, is_alone (stream), err)
               : 0;
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
        share_close (&stream->fd);
        stream->owed = 0;
        stream->kept.n = 0;
    }
    return tell_end (share, err);
}

/* An order to start goes down the tree, and what another process wrote comes
 * straight; it may be first. It comes here only if the process does, too, or
 * did until its job was lost with a rank: it waits until the era after next.
 * What a client gives to read comes when it was asked for: there the process
 * has gone. */
static int keep_early (struct rank *rank, const struct wire *wire,
                       const char *data, tori_error *err)
{
    struct wire copy = *wire;
    if (copy.era == 0)
        copy.era = rank->era + 1;
    if (copy.era < rank->era)
        return 0;
    return bytes_add (&rank->early, &copy, sizeof copy, err) < 0
               ? -1
               : bytes_add (&rank->early, data, copy.bytes, err);
}

int share_input (struct rank *rank, const struct wire *wire, const char *data,
                 tori_error *err)
{
    struct task *task = task_find (rank, wire->task);
    struct share *share = task ? task->share : NULL;
    struct source source = {wire->from, wire->task, wire->index, wire->stream,
                            wire->bytes};
    if (!share)
        return wire->stream ? keep_early (rank, wire, data, err) : 0;
    if (sink_put (&share->input, &source, NULL, 0, data, wire->bytes, err) < 0)
        return -1;
    if (wire->bytes == 0 && --share->writers == 0)
        share->input.ends = true;
    return sink_flush (rank, &share->input, err);
}

int share_size (struct rank *rank, const struct wire *wire, const char *data,
                tori_error *err)
{
    struct task *task = task_find (rank, wire->task);
    if (task && task->share && task->share->input.fd >= 0)
        share_resize (task->share->input.fd, wire->status);
    return 0;
}

/* What still is for nobody is kept again. */
int shares_hear_early (struct rank *rank, tori_error *err)
{
    struct bytes all = rank->early;
    struct wire wire;
    int status = 0;
    rank->early = (struct bytes){0};
    for (size_t at = 0; status == 0 && at < all.n;
         at += sizeof wire + wire.bytes) {
        memcpy (&wire, all.data + at, sizeof wire);
        status = share_input (rank, &wire, all.data + at + sizeof wire, err);
    }
    bytes_clear (&all);
    return status;
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
    share_close (&share->control);
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
    if (stream->fd < 0 || stream->owed >= WINDOW)
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
