#include "front.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "array.h"
#include "client.h"
#include "frame.h"
#include "hosting.h"
#include "inquiry.h"
#include "layout.h"
#include "listener.h"
#include "outfile.h"
#include "record.h"
#include "sink.h"

enum { KILLED = 128 + SIGKILL };

/* Whether the run goes on: for ever, until the last job has ended, or until
 * they have been killed. */
enum stop { STOP_NOT, STOP_DRAIN, STOP_NOW };

/* How long jobs that are killed may take, and how long clients may take to
 * hear of it, in nanoseconds. Then they are left to the wardens. */
#define LAST_WAIT (INT64_C (5) * 1000000000)

/* How far what a client gives to read may be ahead of the process that reads
 * it. */
enum { WINDOW = 64 * 1024 };

struct client {
    int fd;
    struct bytes in;
    struct sink sink;
    struct job *job;
    bool heard;      /* what it wants has come */
    bool feeds;      /* there is more for the job to read */
    bool wanted;     /* by a process on rank `reader` */
    uint32_t reader;
    uint64_t owed;   /* bytes on their way to it */
    bool waits;      /* for the end of the run */
    struct inquiry *inquiry; /* it asks how the run is; NULL: it does not */
    bool gone;
};

struct front {
    struct job **job;
    size_t jobs, job_room;
    size_t open; /* that have not ended */
    struct client **client;
    size_t clients, client_room;
    struct listener listener;
    struct outfile *report; /* NULL: none */
    struct sink out, err;
    struct records records;
    uint32_t era;     /* the last one called for */
    uint32_t waiting; /* ranks that are not ready for it */
    bool failed;
    enum stop stop;
    uint64_t inquiries; /* so far */
    int64_t give_up; /* when nobody is waited for any more; 0: not yet */
};

static const char *name_of (const struct job *job)
{
    return job->spec->stage[0].argv[0];
}

/* ---- jobs ---- */

static int add_job (struct rank *rank, struct spec *spec, int64_t line,
                    struct job **ret_job, tori_error *err)
{
    struct front *front = rank->front;
    struct job *job = calloc (1, sizeof *job);
    struct job **more = array_room (front->job, &front->job_room,
                                    front->jobs + 1, sizeof *more);
    if (more)
        front->job = more;
    if (!more || !job) {
        free (job);
        return tori_error_nomem (err);
    }
    *job = (struct job){.number = (uint32_t)front->jobs + 1,
                        .spec = spec,
                        .line = line,
                        .node = TORI_GANG_NONE,
                        .submit = rank->epoch + spec->start};
    front->job[front->jobs++] = job;
    front->open++;
    *ret_job = job;
    return 0;
}

static struct job *find_job (const struct rank *rank, uint64_t task)
{
    uint64_t number = task & UINT32_MAX;
    struct job *job = number > 0 && number <= rank->front->jobs
                          ? rank->front->job[number - 1]
                          : NULL;
    return job && job->task == task ? job : NULL;
}

/* "rank 3 is", "ranks 1, 3 are"; the first few of many. */
static void list_dead (const struct rank *rank, char *text, size_t size)
{
    enum { MOST = 8 };
    uint32_t dead = 0;
    size_t used;
    for (uint32_t i = 0; i < rank->size; i++)
        dead += rank->dead[i];
    used = (size_t)snprintf (text, size, dead == 1 ? "rank" : "ranks");
    for (uint32_t i = 0, n = 0; i < rank->size && n < MOST; i++)
        if (rank->dead[i])
            used += (size_t)snprintf (text + used, size - used, "%s%u",
                                      n++ ? ", " : " ", i);
    snprintf (text + used, size - used, "%s %s", dead > MOST ? " ..." : "",
              dead == 1 ? "is" : "are");
}

static int check_size (const struct rank *rank, const struct spec *spec,
                       tori_error *err)
{
    uint32_t count = spec_count (spec), most = rank->most[0];
    char dead[128];
    if (count <= most)
        return 0;
    if (most == rank->size)
        return tori_error_set (err, TORI_NEVER,
                               "a job of %u processes is larger than the "
                               "machine, which has %u processor%s",
                               count, most, most == 1 ? "" : "s");
    list_dead (rank, dead, sizeof dead);
    return tori_error_set (err, TORI_NEVER,
                           "a job of %u processes is too large: %s dead, and "
                           "the largest partition without a dead processor "
                           "has %u",
                           count, dead, most);
}

/* ---- output ---- */

/* Where what a job prints goes; NULL: nowhere. */
static struct sink *sink_of (const struct rank *rank, const struct job *job,
                             uint32_t stream)
{
    struct front *front = rank->front;
    struct client *client = job ? job->client : NULL;
    if (client || !job || job->submitted)
        return client && !client->gone ? &client->sink : NULL;
    return stream == 1 ? &front->out : &front->err;
}

/* Whole lines, into the sink of the job. */
static int put_text (struct rank *rank, const struct job *job,
                     struct sink *sink, const struct source *source,
                     const struct bytes *text, tori_error *err)
{
    struct frame frame = {source->stream == 1 ? FRAME_OUT : FRAME_ERR,
                          (uint32_t)text->n};
    char label[64];
    int n = 0;
    if (!job || job->submitted)
        return sink_put (sink, source, (const char *)&frame, sizeof frame,
                         text->data, text->n, err);
    if (rank->config->label)
        n = snprintf (label, sizeof label, "%u.%u: ", job->number,
                      source->index);
    return sink_put_lines (sink, source, label, (size_t)n, text->data,
                           text->n, err);
}

/* A process that has the client to itself disturbs nobody. */
int front_output (struct rank *rank, const struct wire *wire, const char *data,
                  tori_error *err)
{
    struct job *job = find_job (rank, wire->task);
    struct source source = {wire->from, wire->task, wire->index, wire->stream,
                            wire->bytes};
    struct sink nobody = {.fd = -1}, *sink = sink_of (rank, job, wire->stream);
    struct bytes text = {0};
    bool alone = job && job->submitted && spec_count (job->spec) == 1;
    int status;
    if (!sink)
        sink = &nobody;
    status = sink_take (rank, sink, &source, data, wire->status || alone,
                        &text, err);
    if (status > 0)
        status = put_text (rank, job, sink, &source, &text, err);
    bytes_clear (&text);
    return status < 0 ? -1 : sink_flush (rank, sink, err);
}

/* What a job was about to say when it was lost. */
static int put_last_words (struct rank *rank, const struct job *job,
                           tori_error *err)
{
    struct line line;
    int status = 0;
    for (uint32_t stream = 1; stream <= 2; stream++) {
        struct sink *sink = sink_of (rank, job, stream);
        while (sink && sink_left (sink, job->task, &line)) {
            line.source.credit = 0;
            if (status == 0)
                status = put_text (rank, job, sink, &line.source, &line.bytes,
                                   err);
            bytes_clear (&line.bytes);
        }
    }
    return status;
}

/* ---- the end of a job ---- */

/* Tell a client that its job has ended, or why it cannot run. */
static int answer (struct client *client, enum frame_kind kind,
                   int64_t status, const char *text, tori_error *err)
{
    struct bytes bytes = {0};
    struct frame frame = {.kind = kind};
    int done = bytes_add_number (&bytes, status, err);
    if (done == 0)
        done = bytes_add_text (&bytes, text, err);
    frame.bytes = (uint32_t)bytes.n;
    if (done == 0)
        done = sink_put (&client->sink, NULL, (const char *)&frame,
                         sizeof frame, bytes.data, bytes.n, err);
    client->sink.ends = true;
    bytes_clear (&bytes);
    return done;
}

/* A job that has never begun was not killed, but refused. */
static int answer_end (struct client *client, const struct job *job,
                       const char *why, tori_error *err)
{
    if (job->stopped && job->attempts == 0)
        return answer (client, FRAME_REFUSED, TORI_FAILED,
                       "the run was stopped before the job began", err);
    if (*why && job->status == TORI_NEVER)
        return answer (client, FRAME_REFUSED, TORI_NEVER, why, err);
    return answer (client, FRAME_STATUS, job->status,
                   job->stopped && job->status == KILLED
                       ? "the run was stopped, and the job killed"
                       : why,
                   err);
}

/* `why` is empty if the status says it all. */
static int end_job (struct rank *rank, struct job *job, int status,
                    const char *why, tori_error *err)
{
    struct front *front = rank->front;
    if (job->ended)
        return 0;
    if (put_last_words (rank, job, err) < 0)
        return -1;
    job->ended = true;
    job->status = status;
    job->finish = clock_now ();
    front->open--;
    if (job->client) {
        struct client *client = job->client;
        client->job = NULL;
        job->client = NULL;
        return client->gone ? 0 : answer_end (client, job, why, err);
    }
    front->failed |= status != 0 && !job->submitted;
    if (status != 0 && !job->submitted && !job->stopped)
        dprintf (STDERR_FILENO, "tori: job %u (%s): %s%sstatus %d\n",
                 job->number, name_of (job), why, *why ? ", " : "", status);
    return 0;
}

/* Into the root, whose host we are. */
static int start_job (struct rank *rank, struct job *job, tori_error *err)
{
    struct wire wire = {.kind = WIRE_TREE};
    struct task *task;
    struct bytes bytes = {0};
    uint32_t need = layout_need (rank->tree, job->spec, rank->most[0], err);
    int status = need ? spec_pack (job->spec, &bytes, err) : -1;
    job->attempts++;
    job->task = (uint64_t)job->attempts << 32 | job->number;
    job->node = TORI_GANG_NONE;
    if (job->client)
        job->client->wanted = false;
    if (status == 0)
        status = task_add (rank, job->task, bytes.data, bytes.n, &task, err);
    bytes_clear (&bytes);
    wire.tree = (tori_gang_message){.kind = TORI_GANG_ADD_TASK,
                                    .from = TORI_GANG_HOST,
                                    .task = job->task,
                                    .need = {.count = need}};
    return status < 0 ? -1
                      : rank_send (rank, rank->self, &wire, NULL, err);
}

/* Whether nothing more can come. */
static bool goes_out (const struct front *front)
{
    return front->stop != STOP_NOT || front->listener.fd < 0;
}

/* Whether everybody has heard everything. */
static bool all_heard (const struct front *front)
{
    for (size_t i = 0; i < front->clients; i++)
        if (!front->client[i]->gone && front->client[i]->sink.n > 0)
            return false;
    return front->out.n == 0 && front->err.n == 0;
}

/* The run ends when all has ended and been heard; if it was stopped, or only
 * clients are waited for, not later than some seconds from now. What still
 * runs then is lost to us, and killed. */
static void look_for_end (struct rank *rank, int64_t *ret_next)
{
    struct front *front = rank->front;
    bool own = front->out.n > 0 || front->err.n > 0;
    int64_t now = clock_now ();
    if (front->open == 0 && all_heard (front))
        rank->quit = true;
    if (!front->give_up && (front->stop == STOP_NOW || !own))
        front->give_up = now + LAST_WAIT;
    if (!front->give_up)
        return;
    if (now >= front->give_up)
        rank->quit = true;
    if (front->give_up < *ret_next)
        *ret_next = front->give_up;
}

/* Begin the jobs whose time has come; *ret_next is when the next one's has. */
static int begin_due (struct rank *rank, int64_t *ret_next, tori_error *err)
{
    struct front *front = rank->front;
    int64_t now = clock_now ();
    for (size_t i = 0; i < front->jobs; i++) {
        struct job *job = front->job[i];
        tori_error why;
        if (job->ended || job->attempts > 0)
            continue;
        if (job->submit > now) {
            *ret_next = job->submit < *ret_next ? job->submit : *ret_next;
        } else if (check_size (rank, job->spec, &why) < 0) {
            if (end_job (rank, job, TORI_NEVER, why.text, err) < 0)
                return -1;
        } else if (start_job (rank, job, err) < 0) {
            return -1;
        }
    }
    return 0;
}

static int cancel (struct rank *rank, struct job *job, tori_error *err)
{
    struct wire wire = {.kind = WIRE_CANCEL, .task = job->task};
    job->cancelled = true;
    if (job->node == TORI_GANG_NONE)
        return 0; /* when it is placed */
    return rank_send (rank, rank->host[job->node], &wire, NULL, err);
}

/* ---- input ---- */

static int drop_client (struct rank *rank, struct client *client,
                        tori_error *err)
{
    client->gone = true;
    if (sink_close (rank, &client->sink, err) < 0)
        return -1;
    if (client->job) {
        client->job->client = NULL;
        if (cancel (rank, client->job, err) < 0)
            return -1;
        client->job = NULL;
    }
    return 0;
}

/* What the client has for the job stays in the socket until a process wants
 * it; so who writes faster than the job reads has to wait. */
static bool may_hear (const struct client *client)
{
    return !client->heard
           || (client->job && client->feeds && client->wanted
               && client->job->node != TORI_GANG_NONE
               && client->owed < WINDOW);
}

/* Pass on the frames that are whole. Some may have come with the job. */
static int feed (struct rank *rank, struct client *client, tori_error *err)
{
    struct frame frame;
    while (may_hear (client) && client->in.n >= sizeof frame) {
        struct wire wire = {.kind = WIRE_INPUT, .task = client->job->task};
        memcpy (&frame, client->in.data, sizeof frame);
        if (frame.kind != FRAME_IN || frame.bytes > FRAME_IN_MAX)
            return drop_client (rank, client, err);
        if (client->in.n < sizeof frame + frame.bytes)
            return 0;
        wire.bytes = frame.bytes;
        if (rank_send (rank, client->reader, &wire,
                       client->in.data + sizeof frame, err)
            < 0)
            return -1;
        bytes_drop (&client->in, sizeof frame + frame.bytes);
        client->owed += frame.bytes;
        client->feeds = frame.bytes > 0;
    }
    return 0;
}

int front_credit (struct rank *rank, const struct wire *wire, tori_error *err)
{
    struct job *job = find_job (rank, wire->task);
    struct client *client = job ? job->client : NULL;
    uint64_t through = wire->status > 0 ? (uint64_t)wire->status : 0;
    if (!client)
        return 0;
    client->wanted = true;
    client->reader = wire->from;
    client->owed -= through < client->owed ? through : client->owed;
    if (wire->status < 0)
        client->feeds = false;
    return feed (rank, client, err);
}

/* ---- news of jobs ---- */

int front_placed (struct rank *rank, const struct wire *wire, tori_error *err)
{
    struct job *job = find_job (rank, wire->task);
    if (!job)
        return 0;
    job->node = wire->node;
    job->start = wire->time[0];
    if (job->cancelled)
        return cancel (rank, job, err);
    return job->client ? feed (rank, job->client, err) : 0;
}

int front_asleep (struct rank *rank, const struct wire *wire)
{
    struct job *job = find_job (rank, wire->task);
    if (job)
        job->sleeps++;
    return 0;
}

int front_ended (struct rank *rank, const struct wire *wire, tori_error *err)
{
    struct job *job = find_job (rank, wire->task);
    if (!job)
        return 0;
    job->counted = true;
    job->first_turn = wire->time[0];
    job->turns = wire->time[1];
    job->used = wire->time[2];
    return end_job (rank, job, (int)wire->status, "", err);
}

int front_switch (struct rank *rank, const struct wire *wire, tori_error *err)
{
    return records_add (&rank->front->records, wire, err);
}

/* ---- stopping ---- */

static void say_stopped (size_t killed, size_t waiting)
{
    if (killed + waiting > 0)
        dprintf (STDERR_FILENO,
                 "tori: stopped: %zu job%s killed, %zu never began\n", killed,
                 killed == 1 ? "" : "s", waiting);
}

int front_stop (struct rank *rank, bool now, tori_error *err)
{
    struct front *front = rank->front;
    size_t killed = 0, waiting = 0;
    if (front->stop == STOP_NOT)
        front->stop = STOP_DRAIN;
    if (!now || front->stop == STOP_NOW)
        return 0;
    front->stop = STOP_NOW;
    for (size_t i = 0; i < front->jobs; i++) {
        struct job *job = front->job[i];
        bool began = job->attempts > 0;
        if (job->ended)
            continue;
        job->stopped = true;
        *(began ? &killed : &waiting) += 1;
        if ((began ? cancel (rank, job, err)
                   : end_job (rank, job, KILLED, "", err))
            < 0)
            return -1;
    }
    say_stopped (killed, waiting);
    return 0;
}

/* ---- what clients want ---- */

static int take_job (struct rank *rank, struct client *client, size_t n,
                     tori_error *err)
{
    tori_error why;
    struct spec *spec;
    struct job *job;
    if (spec_unpack (client->in.data + sizeof (struct frame), n, &spec, &why)
        < 0)
        return answer (client, FRAME_REFUSED, why.status, why.text, err);
    if ((rank->front->stop != STOP_NOT
         && tori_error_set (&why, TORI_FAILED,
                            "the run is being stopped, and takes no jobs"))
        || check_size (rank, spec, &why) < 0) {
        spec_destroy (spec);
        return answer (client, FRAME_REFUSED, why.status, why.text, err);
    }
    spec->start += clock_now () - rank->epoch;
    if (add_job (rank, spec, 0, &job, err) < 0)
        return -1;
    job->submitted = true;
    job->client = client;
    client->job = job;
    client->feeds = spec->input;
    return 0;
}

static int take_stop (struct rank *rank, struct client *client, size_t n,
                      tori_error *err)
{
    struct reader reader = {client->in.data + sizeof (struct frame), n};
    int64_t now;
    if (reader_number (&reader, &now) < 0)
        return drop_client (rank, client, err);
    client->waits = true;
    return front_stop (rank, now, err);
}

/* ---- how the run is ---- */

static int take_question (struct rank *rank, struct client *client, size_t n,
                          tori_error *err)
{
    return inquiry_create (rank, ++rank->front->inquiries, &client->inquiry,
                           err);
}

int front_told (struct rank *rank, const struct wire *wire, const char *data,
                tori_error *err)
{
    struct front *front = rank->front;
    for (size_t i = 0; i < front->clients; i++) {
        struct inquiry *inquiry = front->client[i]->inquiry;
        if (inquiry && inquiry->number == wire->task)
            return inquiry_told (inquiry, wire, data, err);
    }
    return 0;
}

static int tell_client (struct rank *rank, struct client *client,
                        tori_error *err)
{
    static const char *const stops[] = {"no", "drain", "now"};
    const struct front *front = rank->front;
    const struct overview overview = {.job = front->job,
                                      .jobs = front->jobs,
                                      .open = front->open,
                                      .begins_anew = front->waiting > 0,
                                      .stop = stops[front->stop]};
    struct bytes text = {0};
    int status = inquiry_write (client->inquiry, rank, &overview, &text, err);
    struct frame frame = {FRAME_TOLD, (uint32_t)text.n};
    if (status == 0)
        status = sink_put (&client->sink, NULL, (const char *)&frame,
                           sizeof frame, text.data, text.n, err);
    client->sink.ends = true;
    bytes_clear (&text);
    inquiry_destroy (client->inquiry);
    client->inquiry = NULL;
    return status;
}

/* Those whom all have answered, or who have waited long enough. */
static int tell_clients (struct rank *rank, int64_t *ret_next,
                         tori_error *err)
{
    struct front *front = rank->front;
    for (size_t i = 0; i < front->clients; i++) {
        struct client *client = front->client[i];
        const struct inquiry *inquiry = client->inquiry;
        if (!inquiry || client->gone)
            continue;
        if (inquiry->left > 0 && clock_now () < inquiry->until)
            *ret_next = inquiry->until < *ret_next ? inquiry->until
                                                   : *ret_next;
        else if (tell_client (rank, client, err) < 0)
            return -1;
    }
    return 0;
}

/* ---- clients ---- */

/* What a client may want. */
static int (*const wishes[]) (struct rank *rank, struct client *client,
                              size_t n, tori_error *err) = {
    [FRAME_JOB] = take_job,
    [FRAME_STOP] = take_stop,
    [FRAME_ASK] = take_question,
};

enum { WISHES = sizeof wishes / sizeof wishes[0] };

/* The first frame, when it is whole. */
static int hear_wish (struct rank *rank, struct client *client,
                      tori_error *err)
{
    struct frame frame;
    int status;
    if (client->in.n < sizeof frame)
        return 0;
    memcpy (&frame, client->in.data, sizeof frame);
    if (frame.kind >= WISHES || !wishes[frame.kind]
        || frame.bytes > SPEC_MAX_BYTES)
        return drop_client (rank, client, err);
    if (client->in.n < sizeof frame + frame.bytes)
        return 0;
    client->heard = true;
    status = wishes[frame.kind](rank, client, frame.bytes, err);
    bytes_drop (&client->in, sizeof frame + frame.bytes);
    return status;
}

static int hear_client (struct rank *rank, void *arg, short events,
                        tori_error *err)
{
    struct client *client = arg;
    char part[FRAME_IN_MAX];
    ssize_t n;
    if (client->gone || client->sink.fd < 0)
        return 0;
    if (!may_hear (client))
        return events & (POLLHUP | POLLERR) ? drop_client (rank, client, err)
                                            : 0;
    n = recv (client->fd, part, sizeof part, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (n <= 0)
        return drop_client (rank, client, err);
    if (bytes_add (&client->in, part, (size_t)n, err) < 0)
        return -1;
    return client->heard ? feed (rank, client, err)
                         : hear_wish (rank, client, err);
}

static int accept_client (struct rank *rank, void *arg, short events,
                          tori_error *err)
{
    struct front *front = rank->front;
    struct client *client, **more;
    int fd = accept4 (front->listener.fd, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0)
        return 0;
    client = calloc (1, sizeof *client);
    more = array_room (front->client, &front->client_room, front->clients + 1,
                       sizeof *more);
    if (more)
        front->client = more;
    if (!client || !more) {
        close (fd);
        free (client);
        return tori_error_nomem (err);
    }
    client->fd = client->sink.fd = fd;
    client->sink.socket = true;
    front->client[front->clients++] = client;
    return 0;
}

static void free_client (struct rank *rank, struct client *client)
{
    sink_close (rank, &client->sink, NULL);
    bytes_clear (&client->in);
    inquiry_destroy (client->inquiry);
    free (client);
}

/* Those whose socket is closed; nobody watches them now. */
static int sweep_clients (struct rank *rank, tori_error *err)
{
    struct front *front = rank->front;
    size_t kept = 0;
    for (size_t i = 0; i < front->clients; i++) {
        struct client *client = front->client[i];
        if (client->sink.fd < 0 && !client->gone
            && drop_client (rank, client, err) < 0)
            return -1;
        if (client->gone)
            free_client (rank, client);
        else
            front->client[kept++] = client;
    }
    front->clients = kept;
    return 0;
}

/* One that may not be heard now is watched for going away. */
static int watch_client (struct rank *rank, struct client *client,
                         tori_error *err)
{
    if (rank_watch (rank, client->fd, may_hear (client) ? POLLIN : 0,
                    hear_client, client, err)
        < 0)
        return -1;
    return sink_watch (rank, &client->sink, err);
}

int front_watch (struct rank *rank, tori_error *err)
{
    struct front *front = rank->front;
    if (sweep_clients (rank, err) < 0)
        return -1;
    if (front->listener.fd >= 0
        && rank_watch (rank, front->listener.fd, POLLIN, accept_client, NULL,
                       err)
               < 0)
        return -1;
    for (size_t i = 0; i < front->clients; i++)
        if (watch_client (rank, front->client[i], err) < 0)
            return -1;
    return sink_watch (rank, &front->out, err) < 0
                   || sink_watch (rank, &front->err, err) < 0
               ? -1
               : 0;
}

int front_step (struct rank *rank, int64_t *ret_next, tori_error *err)
{
    struct front *front = rank->front;
    *ret_next = INT64_MAX;
    if (front->waiting == 0 && begin_due (rank, ret_next, err) < 0)
        return -1;
    if (tell_clients (rank, ret_next, err) < 0)
        return -1;
    if (front->stop == STOP_NOW || (front->open == 0 && goes_out (front)))
        look_for_end (rank, ret_next);
    rank->status = front->failed ? TORI_FAILED : TORI_OK;
    return 0;
}

/* ---- a rank dies ---- */

int front_lost (struct rank *rank, uint32_t dead, tori_error *err)
{
    struct wire wire = {.kind = WIRE_ERA,
                        .era = ++rank->front->era,
                        .bytes = rank->size};
    char *bytes = malloc (rank->size);
    int status = 0;
    if (!bytes)
        return tori_error_nomem (err);
    dprintf (STDERR_FILENO, "tori: rank %u has died, and its jobs with it\n",
             dead);
    rank->dead[dead] = true;
    link_lost (rank->link, dead);
    for (size_t i = 0; i < rank->front->clients; i++)
        if (rank->front->client[i]->inquiry)
            inquiry_lost (rank->front->client[i]->inquiry, dead);
    rank->front->waiting = 0;
    for (uint32_t i = 0; i < rank->size; i++)
        bytes[i] = rank->dead[i];
    for (uint32_t i = 0; status == 0 && i < rank->size; i++)
        if (!rank->dead[i]) {
            rank->front->waiting++;
            status = rank_send (rank, i, &wire, bytes, err);
        }
    free (bytes);
    return status;
}

static void mark_alive (struct rank *rank, const char *data, size_t n)
{
    for (size_t i = 0; i + sizeof (uint64_t) <= n; i += sizeof (uint64_t)) {
        uint64_t id;
        struct job *job;
        memcpy (&id, data + i, sizeof id);
        job = find_job (rank, id);
        if (job)
            job->alive = true;
    }
}

/* All have said which jobs have their node with them. A job that nobody has
 * was lost with its node, or was on its way to one and begins again; or its
 * end is on its way here. */
static int sort_out (struct rank *rank, struct job *job, tori_error *err)
{
    struct task task = {.node = job->node, .spec = job->spec};
    int uses = 0;
    if (job->ended || job->attempts == 0)
        return 0;
    for (uint32_t i = 0; i < rank->size && uses == 0; i++)
        if (rank->dead[i])
            uses = hosting_uses (rank, &task, i, err);
    if (uses < 0)
        return -1;
    if (uses)
        return end_job (rank, job, KILLED, "lost with a rank", err);
    if (job->node == TORI_GANG_NONE && !job->alive)
        job->again = true;
    return 0;
}

static int begin_again (struct rank *rank, struct job *job, tori_error *err)
{
    tori_error why;
    if (!job->again)
        return 0;
    job->again = false;
    if (job->cancelled)
        return end_job (rank, job, KILLED, "", err);
    if (check_size (rank, job->spec, &why) < 0)
        return end_job (rank, job, TORI_NEVER, why.text, err);
    return start_job (rank, job, err);
}

int front_ready (struct rank *rank, const struct wire *wire, const char *data,
                 tori_error *err)
{
    struct front *front = rank->front;
    struct wire go = {.kind = WIRE_GO, .era = front->era};
    if (wire->era != front->era || front->waiting == 0)
        return 0;
    mark_alive (rank, data, wire->bytes);
    if (--front->waiting > 0)
        return 0;
    for (size_t i = 0; i < front->jobs; i++)
        if (sort_out (rank, front->job[i], err) < 0)
            return -1;
    for (uint32_t i = 0; i < rank->size; i++)
        if (!rank->dead[i] && rank_send (rank, i, &go, NULL, err) < 0)
            return -1;
    for (size_t i = 0; i < front->jobs; i++) {
        front->job[i]->alive = false;
        if (begin_again (rank, front->job[i], err) < 0)
            return -1;
    }
    return 0;
}

/* ---- opening and closing ---- */

static int take_list (struct rank *rank, struct joblist *list, tori_error *err)
{
    for (size_t i = 0; i < list->n; i++) {
        tori_error why;
        if (check_size (rank, list->item[i].spec, &why) < 0)
            return tori_error_set (err, why.status, "%.200s:%lld: %.200s",
                                   list->path, (long long)list->item[i].line,
                                   why.text);
    }
    for (size_t i = 0; i < list->n; i++) {
        struct job *job;
        if (add_job (rank, list->item[i].spec, list->item[i].line, &job, err)
            < 0)
            return -1;
        list->item[i].spec = NULL;
    }
    return 0;
}

static int read_jobs (struct rank *rank, tori_error *err)
{
    struct joblist list = {0};
    int status = 0;
    if (rank->config->jobs >= 0)
        status = joblist_read ((int)rank->config->jobs, &list, err);
    if (status == 0)
        status = take_list (rank, &list, err);
    joblist_clear (&list);
    return status;
}

/* All that can fail is tried before the first job begins. A report of an
 * earlier run goes last: until this one ends there is none. */
static int open_ways_out (struct rank *rank, tori_error *err)
{
    const struct config *config = rank->config;
    struct front *front = rank->front;
    if (config->cage == CAGE_CGROUP && cage_try (err) < 0)
        return -1;
    if (*config->listen
        && listener_open (&front->listener, config->listen, err) < 0)
        return -1;
    if (!*config->report)
        return 0;
    if (outfile_create (config->report, &front->report, err) < 0)
        return -1;
    return outfile_clear (front->report, err);
}

int front_open (struct rank *rank, tori_error *err)
{
    struct front *front = rank->front = calloc (1, sizeof *front);
    if (!front)
        return tori_error_nomem (err);
    front->listener.fd = -1;
    front->out.fd = STDOUT_FILENO;
    front->err.fd = STDERR_FILENO;
    if (read_jobs (rank, err) < 0 || open_ways_out (rank, err) < 0)
        return -1;
    cages_sweep ();
    return 0;
}

/* Those who wait for the end of the run. */
static void tell_waiting (struct rank *rank)
{
    struct front *front = rank->front;
    for (size_t i = 0; i < front->clients; i++) {
        struct client *client = front->client[i];
        if (client->waits && !client->gone
            && answer (client, FRAME_STATUS, 0, "", NULL) == 0)
            sink_flush (rank, &client->sink, NULL);
    }
}

int front_finish (struct rank *rank, tori_error *err)
{
    struct front *front = rank->front;
    int status = 0;
    listener_close (&front->listener);
    if (front->report)
        status = records_write (&front->records, rank, front->job,
                                front->jobs, front->report, err);
    outfile_destroy (front->report);
    front->report = NULL;
    tell_waiting (rank);
    return status;
}

void front_close (struct rank *rank)
{
    struct front *front = rank->front;
    if (!front)
        return;
    for (size_t i = 0; i < front->clients; i++)
        free_client (rank, front->client[i]);
    for (size_t i = 0; i < front->jobs; i++) {
        spec_destroy (front->job[i]->spec);
        free (front->job[i]);
    }
    listener_close (&front->listener);
    outfile_destroy (front->report);
    sink_close (rank, &front->out, NULL);
    sink_close (rank, &front->err, NULL);
    records_clear (&front->records);
    free (front->client);
    free (front->job);
    free (front);
    rank->front = NULL;
}
