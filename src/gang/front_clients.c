#include "front_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "array.h"
#include "client.h"
#include "frame.h"
#include "inquiry.h"
#include "syserror.h"

static void drop_client (struct rank *rank, struct client *client)
{
    client->gone = true;
    sink_close (rank, &client->sink);
    if (client->job) {
        client->job->client = NULL;
        job_cancel (rank, client->job,
                    "the client that submitted it has gone");
        client->job = NULL;
    }
}

/* ---- requests ---- */

static void refuse_client (struct rank *rank, struct client *client,
                           const tori_error *why)
{
    client_answer (rank, client, FRAME_REFUSED, why->status, why->text);
}

/* Whether the run takes any job now. */
static int check_door (const struct rank *rank, const struct client *client,
                       tori_error *err)
{
    enum { NEEDS = 8 }; /* to start a process here */
    if (rank->front->stop != STOP_NOT)
        return tori_error_set (err, TORI_FAILED,
                               "the run is being stopped, and takes no jobs");
    if (!rank_has_room (client->fd, NEEDS))
        return system_error ("the run has too many jobs now", EMFILE, err);
    return 0;
}

/* A client does not wait for a detached job: it gets the job's number, and its
 * connection ends. */
static void detach_client (struct rank *rank, struct client *client,
                           const struct job *job)
{
    char text[16];
    int n = snprintf (text, sizeof text, "%u\n", job->number);
    client_put (rank, client, FRAME_OUT, text, (size_t)n);
    client_answer (rank, client, FRAME_STATUS, 0, "");
}

static void take_job (struct rank *rank, struct client *client, size_t n)
{
    tori_error why;
    struct spec *spec;
    struct job *job;
    if (spec_unpack (client->in.data + sizeof (struct frame), n, &spec, &why)
        < 0) {
        refuse_client (rank, client, &why);
        return;
    }
    spec->start += clock_now () - rank->epoch;
    if (check_door (rank, client, &why) < 0
        || job_check_size (rank, spec, &why) < 0) {
        refuse_client (rank, client, &why);
        spec_destroy (spec);
        return;
    }
    job = job_add (rank, spec, 0);
    if (!job)
        return;
    job->submitted = true;
    if (job_open_output (rank, job, &why) < 0) {
        job_end (rank, job, TORI_FAILED, why.text);
        refuse_client (rank, client, &why);
    } else if (spec->detach) {
        detach_client (rank, client, job);
    } else {
        job->client = client;
        client->job = job;
        client->feeds = spec->input;
    }
}

/* The job whose number a client has sent; NULL, after a refusal, if there is
 * no such job. */
static struct job *named_job (struct rank *rank, struct client *client,
                              size_t n)
{
    struct reader reader = {client->in.data + sizeof (struct frame), n};
    struct front *front = rank->front;
    tori_error why;
    int64_t number = 0;
    reader_number (&reader, &number);
    if (number > 0 && (uint64_t)number <= front->jobs)
        return front->job[number - 1];
    tori_error_set (&why, TORI_INVALID, "there is no job %lld",
                    (long long)number);
    refuse_client (rank, client, &why);
    return NULL;
}

static void take_cancel (struct rank *rank, struct client *client, size_t n)
{
    struct job *job = named_job (rank, client, n);
    tori_error why;
    if (!job)
        return;
    if (job->ended) {
        tori_error_set (&why, TORI_FAILED, "job %u has ended already",
                        job->number);
        refuse_client (rank, client, &why);
        return;
    }
    job_cancel (rank, job, "the job was cancelled");
    client_answer (rank, client, FRAME_STATUS, 0, "");
}

static void take_wait (struct rank *rank, struct client *client, size_t n)
{
    const struct job *job = named_job (rank, client, n);
    client->awaited = job && !job->ended ? job : NULL;
    if (job && job->ended)
        client_answer_end (rank, client, job);
}

static void take_logs (struct rank *rank, struct client *client, size_t n)
{
    const struct job *job = named_job (rank, client, n);
    struct bytes bytes = {0};
    char path[PATH_MAX];
    if (!job)
        return;
    bytes_add_number (&bytes, job->ended, &rank->err);
    bytes_add_number (&bytes, spec_count (job->spec), &rank->err);
    for (uint32_t i = 0; i < job->files; i++)
        if (job_output_path (job, i, path, NULL) == 0)
            bytes_add_text (&bytes, path, &rank->err);
    client_put (rank, client, FRAME_TOLD, bytes.data, bytes.n);
    client->sink.ends = true;
    bytes_clear (&bytes);
}

static void take_stop (struct rank *rank, struct client *client, size_t n)
{
    struct reader reader = {client->in.data + sizeof (struct frame), n};
    int64_t now;
    if (reader_number (&reader, &now) < 0) {
        drop_client (rank, client);
        return;
    }
    client->waits = true;
    front_stop (rank, now);
}

static void take_question (struct rank *rank, struct client *client, size_t n)
{
    struct reader reader = {client->in.data + sizeof (struct frame), n};
    int64_t all = 0;
    reader_number (&reader, &all);
    client->all = all;
    client->inquiry = inquiry_create (rank, ++rank->front->inquiries);
}

/* The requests of clients, by the kind of their first frame. */
static void (*const requests[]) (struct rank *rank, struct client *client,
                               size_t n) = {
    [FRAME_JOB] = take_job,
    [FRAME_STOP] = take_stop,
    [FRAME_ASK] = take_question,
    [FRAME_CANCEL] = take_cancel,
    [FRAME_WAIT] = take_wait,
    [FRAME_LOGS] = take_logs,
};

enum { REQUESTS = sizeof requests / sizeof requests[0] };

/* The first frame, when it is whole. */
static void hear_request (struct rank *rank, struct client *client)
{
    struct frame frame;
    if (client->in.n < sizeof frame)
        return;
    memcpy (&frame, client->in.data, sizeof frame);
    if (frame.kind >= REQUESTS || !requests[frame.kind]
        || frame.bytes > SPEC_MAX_BYTES) {
        drop_client (rank, client);
        return;
    }
    if (client->in.n < sizeof frame + frame.bytes)
        return;
    client->heard = true;
    requests[frame.kind](rank, client, frame.bytes);
    bytes_drop (&client->in, sizeof frame + frame.bytes);
}

/* ---- how the run is, and its end ---- */

void front_told (struct rank *rank, const struct wire *wire, const char *data)
{
    struct front *front = rank->front;
    for (size_t i = 0; i <= front->clients; i++) {
        struct inquiry *inquiry = i < front->clients
                                      ? front->client[i]->inquiry
                                      : front->roll;
        if (inquiry && inquiry->number == wire->task)
            inquiry_told (rank, inquiry, wire, data);
    }
}

static void tell_client (struct rank *rank, struct client *client)
{
    size_t n = 0;
    char *text = inquiry_write (client->inquiry, rank, client->all, &n);
    client_put (rank, client, FRAME_TOLD, text, n);
    client->sink.ends = true;
    free (text);
    inquiry_destroy (client->inquiry);
    client->inquiry = NULL;
}

void clients_tell (struct rank *rank, int64_t *ret_next)
{
    struct front *front = rank->front;
    for (size_t i = 0; i < front->clients; i++) {
        struct client *client = front->client[i];
        const struct inquiry *inquiry = client->inquiry;
        if (!inquiry || client->gone)
            continue;
        if (inquiry->left > 0 && clock_now () < inquiry->until)
            *ret_next =
                inquiry->until < *ret_next ? inquiry->until : *ret_next;
        else
            tell_client (rank, client);
    }
}

bool clients_heard (const struct front *front)
{
    for (size_t i = 0; i < front->clients; i++)
        if (!front->client[i]->gone && front->client[i]->sink.n > 0)
            return false;
    return true;
}

void clients_tell_end (struct rank *rank)
{
    struct front *front = rank->front;
    for (size_t i = 0; i < front->clients; i++) {
        struct client *client = front->client[i];
        if (!client->waits || client->gone)
            continue;
        client_answer (rank, client, FRAME_STATUS, 0, "");
        sink_flush (rank, &client->sink);
    }
}

/* ---- coming and going ---- */

static void hear_client (struct rank *rank, void *arg, short events)
{
    struct client *client = arg;
    char part[FRAME_IN_MAX];
    ssize_t n;
    bool wanted = client_may_hear (client);
    if (events & POLLOUT)
        sink_flush (rank, &client->sink);
    if (client->gone || client->sink.fd < 0
        || (!wanted && !(events & (POLLHUP | POLLERR))))
        return;
    n = wanted ? recv (client->fd, part, sizeof part, MSG_DONTWAIT) : 0;
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        drop_client (rank, client);
        return;
    }
    bytes_add (&client->in, part, (size_t)n, &rank->err);
    if (client->heard)
        client_feed (rank, client);
    else
        hear_request (rank, client);
}

static void accept_client (struct rank *rank, void *arg, short events)
{
    struct front *front = rank->front;
    struct client *client, **more;
    int fd = accept4 (front->listener.fd, NULL, NULL, SOCK_CLOEXEC);
    front->crowded = fd < 0;
    if (fd < 0)
        return;
    client = calloc (1, sizeof *client);
    more = array_room (front->client, &front->client_room, front->clients + 1,
                       sizeof *more);
    if (more)
        front->client = more;
    if (!client || !more) {
        close (fd);
        free (client);
        tori_error_nomem (&rank->err);
        return;
    }
    client->fd = client->sink.fd = fd;
    client->sink.socket = true;
    front->client[front->clients++] = client;
}

static void free_client (struct rank *rank, struct client *client)
{
    sink_close (rank, &client->sink);
    bytes_clear (&client->in);
    inquiry_destroy (client->inquiry);
    free (client);
}

/* Free the clients whose socket is closed and is not watched any more. */
static void sweep_clients (struct rank *rank)
{
    struct front *front = rank->front;
    size_t kept = 0;
    for (size_t i = 0; i < front->clients; i++) {
        struct client *client = front->client[i];
        if (client->sink.fd < 0 && !client->gone)
            drop_client (rank, client);
        if (client->gone)
            free_client (rank, client);
        else
            front->client[kept++] = client;
    }
    front->clients = kept;
}

/* A client that may not be heard now is watched for going away. Each is
 * watched once, so watches are no more than descriptors. */
static void watch_client (struct rank *rank, struct client *client)
{
    short events = client_may_hear (client) ? POLLIN : 0;
    if (sink_waits (&client->sink))
        events |= POLLOUT;
    rank_watch (rank, client->fd, events, hear_client, client);
}

void clients_watch (struct rank *rank)
{
    struct front *front = rank->front;
    sweep_clients (rank);
    if (front->listener.fd >= 0 && !front->crowded)
        rank_watch (rank, front->listener.fd, POLLIN, accept_client, NULL);
    front->crowded = false;
    for (size_t i = 0; i < front->clients; i++)
        watch_client (rank, front->client[i]);
}

void clients_destroy (struct rank *rank)
{
    struct front *front = rank->front;
    for (size_t i = 0; i < front->clients; i++)
        free_client (rank, front->client[i]);
    free (front->client);
}
