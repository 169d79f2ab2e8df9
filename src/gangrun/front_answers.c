#include "front_parts.h"

#include <string.h>

#include "frame.h"

/* How far what a client gives to read may be ahead of the process that reads
 * it. */
enum { WINDOW = 64 * 1024 };

/* ---- answers ---- */

int client_put (struct client *client, enum frame_kind kind,
                      const char *data, size_t n, tori_error *err)
{
    struct frame frame = {kind, (uint32_t)n};
    return sink_put (&client->sink, NULL, (const char *)&frame, sizeof frame,
                     data, n, err);
}

/* Tell a client that its job has ended, or why it cannot run. */
int client_answer (struct client *client, enum frame_kind kind, int64_t status,
                   const char *text, tori_error *err)
{
    struct bytes bytes = {0};
    int done = bytes_add_number (&bytes, status, err);
    if (done == 0)
        done = bytes_add_text (&bytes, text, err);
    if (done == 0)
        done = client_put (client, kind, bytes.data, bytes.n, err);
    client->sink.ends = true;
    bytes_clear (&bytes);
    return done;
}

/* A job that has never begun was not killed, but refused. */
int client_answer_end (struct client *client, const struct job *job,
                       const char *why, tori_error *err)
{
    if (job->stopped && job->attempts == 0)
        return client_answer (client, FRAME_REFUSED, TORI_FAILED,
                       "the run was stopped before the job began", err);
    if (*why && job->status == TORI_NEVER)
        return client_answer (client, FRAME_REFUSED, TORI_NEVER, why, err);
    if (job->cancelled && job->status == KILLED)
        why = job->stopped ? "the run was stopped, and the job killed"
                           : job->cancelled;
    return client_answer (client, FRAME_STATUS, job->status, why, err);
}

int clients_answer_end (const struct front *front, struct job *job,
                        const char *why, tori_error *err)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < front->clients; i++) {
        struct client *client = front->client[i];
        if (client->job != job && client->awaited != job)
            continue;
        client->job = NULL;
        client->awaited = NULL;
        if (!client->gone)
            status = client_answer_end (client, job, why, err);
    }
    job->client = NULL;
    return status;
}

/* ---- input ---- */

/* What the client has for the job stays in the socket until a process wants
 * it; so who writes faster than the job reads has to wait. */
bool client_may_hear (const struct client *client)
{
    return !client->heard
           || (client->job && client->feeds && client->wanted
               && client->job->node != TORI_GANG_NONE
               && client->owed < WINDOW);
}

/* Pass on the frames that are whole. Some may have come with the job. */
int client_feed (struct rank *rank, struct client *client, tori_error *err)
{
    struct frame frame;
    while (client_may_hear (client) && client->in.n >= sizeof frame) {
        const char *data = client->in.data + sizeof frame;
        struct wire wire = {.kind = WIRE_INPUT, .task = client->job->task};
        struct reader reader;
        memcpy (&frame, client->in.data, sizeof frame);
        if ((frame.kind != FRAME_IN && frame.kind != FRAME_SIZE)
            || frame.bytes > FRAME_IN_MAX)
            return sink_close (rank, &client->sink, err);
        if (client->in.n < sizeof frame + frame.bytes)
            return 0;
        reader = (struct reader){data, frame.bytes};
        if (frame.kind == FRAME_SIZE)
            wire.kind = WIRE_SIZE;
        else
            wire.bytes = frame.bytes;
        if (frame.kind == FRAME_SIZE)
            reader_number (&reader, &wire.status);
        if (rank_send (rank, client->reader, &wire, data, err) < 0)
            return -1;
        bytes_drop (&client->in, sizeof frame + frame.bytes);
        client->owed += wire.bytes;
        client->feeds = frame.bytes > 0;
    }
    return 0;
}

int front_credit (struct rank *rank, const struct wire *wire, const char *data,
                  tori_error *err)
{
    struct job *job = job_find (rank, wire->task);
    struct client *client = job ? job->client : NULL;
    uint64_t through = wire->status > 0 ? (uint64_t)wire->status : 0;
    if (!client)
        return 0;
    client->wanted = true;
    client->reader = wire->from;
    client->owed -= through < client->owed ? through : client->owed;
    if (wire->status < 0)
        client->feeds = false;
    return client_feed (rank, client, err);
}
