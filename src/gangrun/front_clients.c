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

static int drop_client (struct rank *rank, struct client *client,
                        tori_error *err)
{
    client->gone = true;
    if (sink_close (rank, &client->sink, err) < 0)
        return -1;
    if (client->job) {
        client->job->client = NULL;
        if (job_cancel (rank, client->job,
                        "the client that submitted it has gone", err)
            < 0)
            return -1;
        client->job = NULL;
    }
    return 0;
}

/* ---- wishes ---- */

/* Whether a job is taken at all. */
static int check_door (const struct rank *rank, const struct client *client,
                       tori_error *err)
{
    enum { NEEDS = 8 }; /* to start a process here */
    if (rank->front->stop != STOP_NOT)
        return tori_error_set (err, TORI_FAILED,
                               "the run is being stopped, and takes no jobs");
    if (!rank_has_room (client->fd, NEEDS))
        return tori_error_set (err, TORI_FAILED,
                               "the run has too many jobs now: %s",
                               strerror (EMFILE));
    return 0;
}

/* A job that nobody waits for: its number is all there is to say. */
static int detach (struct client *client, const struct job *job,
                   tori_error *err)
{
    char text[16];
    int n = snprintf (text, sizeof text, "%u\n", job->number);
    return client_put (client, FRAME_OUT, text, (size_t)n, err) < 0
               ? -1
               : client_answer (client, FRAME_STATUS, 0, "", err);
}

static int take_job (struct rank *rank, struct client *client, size_t n,
                     tori_error *err)
{
    tori_error why;
    struct spec *spec;
    struct job *job;
    if (spec_unpack (client->in.data + sizeof (struct frame), n, &spec, &why)
        < 0)
        return client_answer (client, FRAME_REFUSED, why.status, why.text, err);
    if (check_door (rank, client, &why) < 0
        || job_check_size (rank, spec, &why) < 0) {
        spec_destroy (spec);
        return client_answer (client, FRAME_REFUSED, why.status, why.text, err);
    }
    spec->start += clock_now () - rank->epoch;
    if (job_add (rank, spec, 0, &job, err) < 0)
        return -1;
    job->submitted = true;
    if (job_open_output (rank, job, &why) < 0) {
        if (job_end (rank, job, TORI_FAILED, why.text, err) < 0)
            return -1;
        return client_answer (client, FRAME_REFUSED, why.status, why.text, err);
    }
    if (spec->detach)
        return detach (client, job, err);
    job->client = client;
    client->job = job;
    client->feeds = spec->input;
    return 0;
}

/* The job whose number a client has sent; NULL if there is none, and the client
 * has been told so. */
static struct job *named_job (struct rank *rank, struct client *client,
                              size_t n, tori_error *err)
{
    struct reader reader = {client->in.data + sizeof (struct frame), n};
    struct front *front = rank->front;
    char why[64];
    int64_t number = 0;
    reader_number (&reader, &number);
    if (number > 0 && (uint64_t)number <= front->jobs)
        return front->job[number - 1];
    snprintf (why, sizeof why, "there is no job %lld", (long long)number);
    client_answer (client, FRAME_REFUSED, TORI_INVALID, why, err);
    return NULL;
}

static int take_cancel (struct rank *rank, struct client *client, size_t n,
                        tori_error *err)
{
    struct job *job = named_job (rank, client, n, err);
    char why[64];
    if (!job)
        return 0;
    snprintf (why, sizeof why, "job %u has ended already", job->number);
    if (job->ended)
        return client_answer (client, FRAME_REFUSED, TORI_FAILED, why, err);
    return job_cancel (rank, job, "the job was cancelled", err) < 0
               ? -1
               : client_answer (client, FRAME_STATUS, 0, "", err);
}

static int take_wait (struct rank *rank, struct client *client, size_t n,
                      tori_error *err)
{
    const struct job *job = named_job (rank, client, n, err);
    client->awaited = job && !job->ended ? job : NULL;
    return job && job->ended ? client_answer_end (client, job, "", err) : 0;
}

static int take_logs (struct rank *rank, struct client *client, size_t n,
                      tori_error *err)
{
    const struct job *job = named_job (rank, client, n, err);
    struct bytes bytes = {0};
    char path[PATH_MAX];
    int status = job ? bytes_add_number (&bytes, job->ended, err) : 0;
    for (uint32_t i = 0; job && status == 0 && i < job->files; i++) {
        status = job_output_path (job, i, path, err);
        if (status == 0)
            status = bytes_add_text (&bytes, path, err);
    }
    if (job && status == 0)
        status = client_put (client, FRAME_TOLD, bytes.data, bytes.n, err);
    client->sink.ends = true;
    bytes_clear (&bytes);
    return status;
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

static int take_question (struct rank *rank, struct client *client, size_t n,
                          tori_error *err)
{
    struct reader reader = {client->in.data + sizeof (struct frame), n};
    int64_t all = 0;
    reader_number (&reader, &all);
    client->all = all;
    return inquiry_create (rank, ++rank->front->inquiries, &client->inquiry,
                           err);
}

/* What a client may want. */
static int (*const wishes[]) (struct rank *rank, struct client *client,
                              size_t n, tori_error *err) = {
    [FRAME_JOB] = take_job,
    [FRAME_STOP] = take_stop,
    [FRAME_ASK] = take_question,
    [FRAME_CANCEL] = take_cancel,
    [FRAME_WAIT] = take_wait,
    [FRAME_LOGS] = take_logs,
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

/* ---- how the run is, and its end ---- */

int front_told (struct rank *rank, const struct wire *wire, const char *data,
                tori_error *err)
{
    struct front *front = rank->front;
    for (size_t i = 0; i <= front->clients; i++) {
        struct inquiry *inquiry = i < front->clients
                                      ? front->client[i]->inquiry
                                      : front->roll;
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
                                      .all = client->all,
                                      .begins_anew = front->waiting > 0,
                                      .stop = stops[front->stop]};
    struct bytes text = {0};
    int status = inquiry_write (client->inquiry, rank, &overview, &text, err);
    if (status == 0)
        status = client_put (client, FRAME_TOLD, text.data, text.n, err);
    client->sink.ends = true;
    bytes_clear (&text);
    inquiry_destroy (client->inquiry);
    client->inquiry = NULL;
    return status;
}

int clients_tell (struct rank *rank, int64_t *ret_next, tori_error *err)
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
        else if (tell_client (rank, client, err) < 0)
            return -1;
    }
    return 0;
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
        if (client->waits && !client->gone
            && client_answer (client, FRAME_STATUS, 0, "", NULL) == 0)
            sink_flush (rank, &client->sink, NULL);
    }
}

/* ---- coming and going ---- */

static int hear_client (struct rank *rank, void *arg, short events,
                        tori_error *err)
{
    struct client *client = arg;
    char part[FRAME_IN_MAX];
    ssize_t n;
    if (events & POLLOUT && sink_flush (rank, &client->sink, err) < 0)
        return -1;
    if (client->gone || client->sink.fd < 0)
        return 0;
    if (!client_may_hear (client))
        return events & (POLLHUP | POLLERR) ? drop_client (rank, client, err)
                                            : 0;
    n = recv (client->fd, part, sizeof part, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (n <= 0)
        return drop_client (rank, client, err);
    if (bytes_add (&client->in, part, (size_t)n, err) < 0)
        return -1;
    return client->heard ? client_feed (rank, client, err)
                         : hear_wish (rank, client, err);
}

static int accept_client (struct rank *rank, void *arg, short events,
                          tori_error *err)
{
    struct front *front = rank->front;
    struct client *client, **more;
    int fd = accept4 (front->listener.fd, NULL, NULL, SOCK_CLOEXEC);
    front->crowded = fd < 0;
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

/* One that may not be heard now is watched for going away. Each is watched
 * once: no more can be than there may be descriptors. */
static int watch_client (struct rank *rank, struct client *client,
                         tori_error *err)
{
    short events = client_may_hear (client) ? POLLIN : 0;
    if (sink_waits (&client->sink))
        events |= POLLOUT;
    return rank_watch (rank, client->fd, events, hear_client, client, err);
}

int clients_watch (struct rank *rank, tori_error *err)
{
    struct front *front = rank->front;
    if (sweep_clients (rank, err) < 0)
        return -1;
    if (front->listener.fd >= 0 && !front->crowded
        && rank_watch (rank, front->listener.fd, POLLIN, accept_client, NULL,
                       err)
               < 0)
        return -1;
    front->crowded = false;
    for (size_t i = 0; i < front->clients; i++)
        if (watch_client (rank, front->client[i], err) < 0)
            return -1;
    return 0;
}

void clients_destroy (struct rank *rank)
{
    struct front *front = rank->front;
    for (size_t i = 0; i < front->clients; i++)
        free_client (rank, front->client[i]);
    free (front->client);
}
