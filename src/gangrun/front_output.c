#include "front_parts.h"

#include "frame.h"

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
    return sink_put_lines (sink, source, label, (size_t)n, text->data, text->n,
                           err);
}

/* A process that has the client to itself disturbs nobody. */
int front_output (struct rank *rank, const struct wire *wire, const char *data,
                  tori_error *err)
{
    struct job *job = job_find (rank, wire->task);
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

int job_last_words (struct rank *rank, const struct job *job, tori_error *err)
{
    struct line line;
    int status = 0;
    for (uint32_t stream = 1; stream <= 2; stream++) {
        struct sink *sink = sink_of (rank, job, stream);
        while (sink && sink_left (sink, job->task, &line)) {
            line.source.credit = 0;
            if (status == 0)
                status =
                    put_text (rank, job, sink, &line.source, &line.bytes, err);
            bytes_clear (&line.bytes);
        }
    }
    return status;
}
