#include "front_parts.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hosting.h"
#include "inquiry.h"

/* After the end of mpirun: how long the processes of a host may take to die
 * together, and the longest time until a dead host is noticed, in
 * nanoseconds. */
#define TOGETHER INT64_C (1000000000)
#define NOTICED (2 * PEERS_SILENCE * INT64_C (1000000000))

/* Whether all ranks of a host are dead. */
static bool lost_host (const struct rank *rank)
{
    for (uint32_t i = 0; i < rank->size; i++) {
        bool whole = rank->dead[i];
        for (uint32_t j = 0; whole && j < rank->size; j++)
            whole = rank->dead[j]
                    || strcmp (rank->card[i].net, rank->card[j].net);
        if (whole)
            return true;
    }
    return false;
}

/* mpirun, which prints for the run, ends when it notices the lost host. So the
 * run prints to a file from now on. */
static void go_apart (struct front *front)
{
    int fd = open (FRONT_APART, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
                   0666);
    dprintf (STDERR_FILENO,
             fd < 0 ? "tori: a host is lost; %s, for what is printed from now "
                      "on, cannot be written\n"
                    : "tori: a host is lost, and mpirun may go; what is "
                      "printed from now on is in %s\n",
             FRONT_APART);
    front->out.patient = front->err.patient = false;
    if (fd < 0)
        return;
    dup2 (fd, STDOUT_FILENO);
    dup2 (fd, STDERR_FILENO);
    close (fd);
    front->apart = true;
    front->out.broken = front->err.broken = 0;
}

void front_lost (struct rank *rank, uint32_t dead)
{
    struct wire wire = {
        .kind = WIRE_ERA, .era = ++rank->front->era, .bytes = rank->size};
    char *bytes = malloc (rank->size);
    if (!bytes) {
        tori_error_nomem (&rank->err);
        return;
    }
    dprintf (STDERR_FILENO, "tori: rank %u has died, and its jobs with it\n",
             dead);
    rank->dead[dead] = true;
    if (rank->front->out.patient && lost_host (rank))
        go_apart (rank->front);
    peers_lost (rank->peers, dead);
    for (size_t i = 0; i < rank->front->clients; i++)
        if (rank->front->client[i]->inquiry)
            inquiry_lost (rank->front->client[i]->inquiry, dead);
    if (rank->front->roll)
        inquiry_lost (rank->front->roll, dead);
    rank->front->waiting = 0;
    for (uint32_t i = 0; i < rank->size; i++)
        bytes[i] = rank->dead[i];
    for (uint32_t i = 0; i < rank->size; i++)
        if (!rank->dead[i]) {
            rank->front->waiting++;
            rank_send (rank, i, &wire, bytes);
        }
    free (bytes);
}

void front_alone (struct rank *rank, const struct wire *wire, const char *data)
{
    struct front *front = rank->front;
    if (front && !front->alone && !front->survived)
        front->alone = clock_now ();
}

/* The reader of the output is gone, as when mpirun is. The output waits until
 * it is known whether a host was lost. */
static void look_at_output (struct rank *rank, struct sink *sink,
                            int64_t *ret_next)
{
    int64_t until = sink->broken + TOGETHER + NOTICED;
    if (!sink->broken)
        return;
    if (clock_now () < until && rank->front->stop != STOP_NOW) {
        *ret_next = until < *ret_next ? until : *ret_next;
        return;
    }
    sink->patient = false;
    sink->broken = 0;
    sink_flush (rank, sink);
}

/* mpirun ends when it loses a host, before or after this rank notices.
 * Otherwise a user has killed mpirun, and wants the run to end. That is known
 * when all ranks answer: a host that is gone does not, and is lost sooner or
 * later. */
void front_look_for_mpirun (struct rank *rank, int64_t *ret_next)
{
    struct front *front = rank->front;
    int64_t now = clock_now (), next;
    look_at_output (rank, &front->out, ret_next);
    look_at_output (rank, &front->err, ret_next);
    if (!front->alone)
        return;
    front->survived = lost_host (rank);
    if (!front->survived && !front->roll && now >= front->alone + TOGETHER)
        front->roll = inquiry_create (rank, ++front->inquiries);
    next = front->alone + (front->roll ? NOTICED : TOGETHER);
    if (front->survived || now >= next
        || (front->roll && front->roll->left == 0)) {
        front->alone = 0;
        if (!front->survived)
            front_stop (rank, true);
    } else if (next < *ret_next) {
        *ret_next = next;
    }
}

static void mark_alive (struct rank *rank, const char *data, size_t n)
{
    uint64_t id;
    for (size_t i = 0; packed_get (data, n, PACKED_TASK, i, &id); i++) {
        struct job *job = job_find (rank, id);
        if (job)
            job->alive = true;
    }
}

/* All ranks have listed the jobs whose node they host. A job that no rank
 * lists was lost with its node, and begins again if its restarts allow; or was
 * on its way to a node, and begins again; or its end is on its way here. */
static void sort_out (struct rank *rank, struct job *job)
{
    if (job->ended || job->attempts == 0)
        return;
    if (job->node == TORI_GANG_NONE) {
        job->again |= !job->alive;
    } else if (hosting_lost (rank, job->spec, job->node)) {
        if (job->cancelled || job->restarts == job->spec->restart) {
            job_end (rank, job, KILLED, "lost with a rank");
        } else {
            job->restarts++;
            job->again = true;
        }
    }
}

static void begin_again (struct rank *rank, struct job *job)
{
    tori_error why;
    if (!job->again)
        return;
    job->again = false;
    if (job->cancelled)
        job_end (rank, job, KILLED, "");
    else if (job_check_size (rank, job->spec, &why) < 0)
        job_end (rank, job, TORI_NEVER, why.text);
    else
        job_start (rank, job);
}

void front_ready (struct rank *rank, const struct wire *wire, const char *data)
{
    struct front *front = rank->front;
    struct wire go = {.kind = WIRE_GO, .era = front->era};
    if (wire->era != front->era || front->waiting == 0)
        return;
    mark_alive (rank, data, wire->bytes);
    if (--front->waiting > 0)
        return;
    for (size_t i = 0; i < front->jobs; i++)
        sort_out (rank, front->job[i]);
    for (uint32_t i = 0; i < rank->size; i++)
        if (!rank->dead[i])
            rank_send (rank, i, &go, NULL);
    for (size_t i = 0; i < front->jobs; i++) {
        front->job[i]->alive = false;
        begin_again (rank, front->job[i]);
    }
}
