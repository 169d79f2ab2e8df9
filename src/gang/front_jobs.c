#include "front_parts.h"

#include <string.h>
#include <unistd.h>

#include "layout.h"

/* ---- whether it can run ---- */

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

int job_check_size (const struct rank *rank, const struct spec *spec,
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

/* ---- its life ---- */

/* Send the job into the root of the tree, which this rank hosts. */
void job_start (struct rank *rank, struct job *job)
{
    struct wire wire = {.kind = WIRE_TREE};
    struct bytes bytes = {0};
    uint32_t need =
        layout_need (rank->tree, job->spec, rank->most[0], &rank->err);
    job->attempts++;
    job->task = (uint64_t)job->attempts << 32 | job->number;
    job->node = TORI_GANG_NONE;
    if (job->client)
        job->client->wanted = false;
    if (spec_pack (job->spec, &bytes, &rank->err) == 0)
        task_add (rank, job->task, bytes.data, bytes.n);
    bytes_clear (&bytes);
    wire.tree = (tori_gang_message){.kind = TORI_GANG_ADD_TASK,
                                    .from = TORI_GANG_HOST,
                                    .task = job->task,
                                    .shares = (uint32_t)job->spec->shares,
                                    .need = {.count = need}};
    rank_send (rank, rank->self, &wire, NULL);
}

void jobs_begin_due (struct rank *rank, int64_t *ret_next)
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
        } else if (job_check_size (rank, job->spec, &why) < 0) {
            job_end (rank, job, TORI_NEVER, why.text);
        } else if (job_open_output (rank, job, &why) < 0) {
            job_end (rank, job, TORI_FAILED, why.text);
        } else {
            job_start (rank, job);
        }
    }
}

void job_cancel (struct rank *rank, struct job *job, const char *why)
{
    struct wire wire = {.kind = WIRE_CANCEL, .task = job->task};
    job->cancelled = why;
    if (job->attempts == 0)
        job_end (rank, job, KILLED, "");
    else if (job->node != TORI_GANG_NONE
             && rank->host[job->node] != TORI_GANG_NONE)
        rank_send (rank, rank->host[job->node], &wire, NULL);
    /* else when it is placed, or found lost */
}

static const char *name_of (const struct job *job)
{
    return job->spec->stage[0].argv[0];
}

void job_end (struct rank *rank, struct job *job, int status, const char *why)
{
    struct front *front = rank->front;
    if (job->ended)
        return;
    job_close_output (rank, job);
    job->ended = true;
    job->status = status;
    if (*why && !(job->why = strdup (why)))
        tori_error_nomem (&rank->err);
    job->finish = clock_now ();
    front->open--;
    clients_answer_end (rank, job);
    front->failed |= status != 0 && !job->submitted;
    if (status != 0 && !job->submitted && !job->stopped)
        dprintf (STDERR_FILENO, "tori: job %u (%s): %s%sstatus %d\n",
                 job->number, name_of (job), why, *why ? ", " : "", status);
}

/* ---- news ---- */

void front_placed (struct rank *rank, const struct wire *wire,
                   const char *data)
{
    struct job *job = job_find (rank, wire->task);
    if (!job)
        return;
    job->node = wire->node;
    job->start = wire->time[0];
    if (job->cancelled)
        job_cancel (rank, job, job->cancelled);
    else if (job->client)
        client_feed (rank, job->client);
}

void front_asleep (struct rank *rank, const struct wire *wire,
                   const char *data)
{
    struct job *job = job_find (rank, wire->task);
    if (job)
        job->sleeps++;
}

void front_ended (struct rank *rank, const struct wire *wire, const char *data)
{
    struct job *job = job_find (rank, wire->task);
    if (!job)
        return;
    job->counted = true;
    job->first_turn = wire->time[0];
    job->turns = wire->time[1];
    job->used = wire->time[2];
    job_end (rank, job, (int)wire->status, "");
}

/* ---- stopping ---- */

static void say_stopped (size_t killed, size_t waiting)
{
    if (killed + waiting > 0)
        dprintf (STDERR_FILENO,
                 "tori: stopped: %zu job%s killed, %zu never began\n", killed,
                 killed == 1 ? "" : "s", waiting);
}

void front_stop (struct rank *rank, bool now)
{
    struct front *front = rank->front;
    size_t killed = 0, waiting = 0;
    if (front->stop == STOP_NOT)
        front->stop = STOP_DRAIN;
    if (!now || front->stop == STOP_NOW)
        return;
    front->stop = STOP_NOW;
    for (size_t i = 0; i < front->jobs; i++) {
        struct job *job = front->job[i];
        bool began = job->attempts > 0;
        if (job->ended)
            continue;
        job->stopped = true;
        *(began ? &killed : &waiting) += 1;
        job_cancel (rank, job, "the run is being stopped");
    }
    say_stopped (killed, waiting);
}
