#include "front_parts.h"

#include <string.h>

#include "frame.h"

/* How many bytes a client's input may be ahead of the process that reads
 * it. */
enum { WINDOW = 64 * 1024 };

/* ---- answers ---- */

void client_put (struct rank *rank, struct client *client,
                 enum frame_kind kind, const char *data, size_t n)
{
    struct frame frame = {kind, (uint32_t)n};
    sink_put (rank, &client->sink, NULL, (const char *)&frame, sizeof frame,
              data, n);
}

/* Tell a client that its job has ended, or why it cannot run. */
void client_answer (struct rank *rank, struct client *client,
                    enum frame_kind kind, int64_t status, const char *text)
{
    struct bytes bytes = {0};
    bytes_add_number (&bytes, status, &rank->err);
    bytes_add_text (&bytes, text, &rank->err);
    client_put (rank, client, kind, bytes.data, bytes.n);
    client->sink.ends = true;
    bytes_clear (&bytes);
}

/* A job that never began was refused, not killed. */
void client_answer_end (struct rank *rank, struct client *client,
                        const struct job *job)
{
    const char *why = job->why ? job->why : "";
    enum frame_kind kind = FRAME_STATUS;
    int status = job->status;
    if (job->stopped && job->attempts == 0) {
        kind = FRAME_REFUSED;
        status = TORI_FAILED;
        why = "the run was stopped before the job began";
    } else if (*why && status == TORI_NEVER) {
        kind = FRAME_REFUSED;
    } else if (job->cancelled && status == KILLED) {
        why = job->stopped ? "the run was stopped, and the job killed"
                           : job->cancelled;
    }
    client_answer (rank, client, kind, status, why);
}

void clients_answer_end (struct rank *rank, struct job *job)
{
    const struct front *front = rank->front;
    for (size_t i = 0; i < front->clients; i++) {
        struct client *client = front->client[i];
        if (client->job != job && client->awaited != job)
            continue;
        client->job = NULL;
        client->awaited = NULL;
        if (!client->gone)
            client_answer_end (rank, client, job);
    }
    job->client = NULL;
}

/* ---- input ---- */

/* A client's input stays in the socket until a process wants it. So a client
 * that writes faster than the job reads has to wait. */
bool client_may_hear (const struct client *client)
{
    return !client->heard
           || (client->job && client->feeds && client->wanted
               && client->job->node != TORI_GANG_NONE
               && client->owed < WINDOW);
}

/* Pass on the frames that are whole. Some may have come with the job. */
void client_feed (struct rank *rank, struct client *client)
{
    struct frame frame;
    while (client_may_hear (client) && client->in.n >= sizeof frame) {
        const char *data = client->in.data + sizeof frame;
        struct wire wire = {.kind = WIRE_INPUT, .task = client->job->task};
        memcpy (&frame, client->in.data, sizeof frame);
        if ((frame.kind != FRAME_IN && frame.kind != FRAME_SIZE)
            || frame.bytes > FRAME_IN_MAX) {
            sink_close (rank, &client->sink);
            return;
        }
        if (client->in.n < sizeof frame + frame.bytes)
            return;
        if (frame.kind == FRAME_SIZE) {
            struct reader reader = {data, frame.bytes};
            wire.kind = WIRE_SIZE;
            reader_number (&reader, &wire.status);
        } else {
            wire.bytes = frame.bytes;
        }
        rank_send (rank, client->reader, &wire, data);
        bytes_drop (&client->in, sizeof frame + frame.bytes);
        client->owed += wire.bytes;
        client->feeds = frame.bytes > 0;
    }
}

void front_credit (struct rank *rank, const struct wire *wire,
                   const char *data)
{
    struct job *job = job_find (rank, wire->task);
    struct client *client = job ? job->client : NULL;
    uint64_t through = wire->status > 0 ? (uint64_t)wire->status : 0;
    if (!client)
        return;
    client->wanted = true;
    client->reader = wire->from;
    client->owed -= through < client->owed ? through : client->owed;
    if (wire->status < 0)
        client->feeds = false;
    client_feed (rank, client);
}
