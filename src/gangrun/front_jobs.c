#include "front_parts.h"

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

/* Into the root, whose host we are. */
int job_start (struct rank *rank, struct job *job, tori_error *err)
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
                                    .shares = (uint32_t)job->spec->shares,
                                    .need = {.count = need}};
    return status < 0 ? -1 : rank_send (rank, rank->self, &wire, NULL, err);
}

int jobs_begin_due (struct rank *rank, int64_t *ret_next, tori_error *err)
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
            if (job_end (rank, job, TORI_NEVER, why.text, err) < 0)
                return -1;
        } else if (job_open_output (rank, job, &why) < 0) {
            if (job_end (rank, job, TORI_FAILED, why.text, err) < 0)
                return -1;
        } else if (job_start (rank, job, err) < 0) {
            return -1;
        }
    }
    return 0;
}

int job_cancel (struct rank *rank, struct job *job, const char *why,
                tori_error *err)
{
    struct wire wire = {.kind = WIRE_CANCEL, .task = job->task};
    job->cancelled = why;
    if (job->attempts == 0)
        return job_end (rank, job, KILLED, "", err);
    if (job->node == TORI_GANG_NONE || rank->host[job->node] == TORI_GANG_NONE)
        return 0; /* when it is placed, or found lost */
    return rank_send (rank, rank->host[job->node], &wire, NULL, err);
}

static const char *name_of (const struct job *job)
{
    return job->spec->stage[0].argv[0];
}

int job_end (struct rank *rank, struct job *job, int status, const char *why,
             tori_error *err)
{
    struct front *front = rank->front;
    if (job->ended)
        return 0;
    job_close_output (rank, job);
    job->ended = true;
    job->status = status;
    job->finish = clock_now ();
    front->open--;
    if (clients_answer_end (front, job, why, err) < 0)
        return -1;
    front->failed |= status != 0 && !job->submitted;
    if (status != 0 && !job->submitted && !job->stopped)
        dprintf (STDERR_FILENO, "tori: job %u (%s): %s%sstatus %d\n",
                 job->number, name_of (job), why, *why ? ", " : "", status);
    return 0;
}

/* ---- news ---- */

int front_placed (struct rank *rank, const struct wire *wire, const char *data,
                  tori_error *err)
{
    struct job *job = job_find (rank, wire->task);
    if (!job)
        return 0;
    job->node = wire->node;
    job->start = wire->time[0];
    if (job->cancelled)
        return job_cancel (rank, job, job->cancelled, err);
    return job->client ? client_feed (rank, job->client, err) : 0;
}

int front_asleep (struct rank *rank, const struct wire *wire, const char *data,
                  tori_error *err)
{
    struct job *job = job_find (rank, wire->task);
    if (job)
        job->sleeps++;
    return 0;
}

int front_ended (struct rank *rank, const struct wire *wire, const char *data,
                 tori_error *err)
{
    struct job *job = job_find (rank, wire->task);
    if (!job)
        return 0;
    job->counted = true;
    job->first_turn = wire->time[0];
    job->turns = wire->time[1];
    job->used = wire->time[2];
    return job_end (rank, job, (int)wire->status, "", err);
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
        if (job_cancel (rank, job, "the run is being stopped", err) < 0)
            return -1;
    }
    say_stopped (killed, waiting);
    return 0;
}
