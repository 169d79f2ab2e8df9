#include "front_parts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hosting.h"
#include "inquiry.h"

/* When mpirun is gone: how long processes of a host may take to die with each
 * other, and until when a host that has died is noticed at the latest, in
 * nanoseconds. */
#define TOGETHER INT64_C (1000000000)
#define NOTICED (2 * LINK_SILENCE * INT64_C (1000000000))

int front_lost (struct rank *rank, uint32_t dead, tori_error *err)
{
    struct wire wire = {
        .kind = WIRE_ERA, .era = ++rank->front->era, .bytes = rank->size};
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
    if (rank->front->roll)
        inquiry_lost (rank->front->roll, dead);
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

int front_alone (struct rank *rank, const struct wire *wire, const char *data,
                 tori_error *err)
{
    struct front *front = rank->front;
    if (front && !front->alone && !front->survived)
        front->alone = clock_now ();
    return 0;
}

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

/* mpirun goes when a host does, before or after this is noticed here. Otherwise
 * somebody has killed it, and wants the run to end. That is known when all
 * ranks answer: a host that is gone does not, and is lost sooner or later. */
int front_look_for_mpirun (struct rank *rank, int64_t *ret_next,
                           tori_error *err)
{
    struct front *front = rank->front;
    int64_t now = clock_now (), next;
    if (!front->alone)
        return 0;
    front->survived = lost_host (rank);
    if (!front->survived && !front->roll && now >= front->alone + TOGETHER
        && inquiry_create (rank, ++front->inquiries, &front->roll, err) < 0)
        return -1;
    next = front->alone + (front->roll ? NOTICED : TOGETHER);
    if (front->survived || now >= next
        || (front->roll && front->roll->left == 0)) {
        front->alone = 0;
        return front->survived ? 0 : front_stop (rank, true, err);
    }
    *ret_next = next < *ret_next ? next : *ret_next;
    return 0;
}

static void mark_alive (struct rank *rank, const char *data, size_t n)
{
    for (size_t i = 0; i + sizeof (uint64_t) <= n; i += sizeof (uint64_t)) {
        uint64_t id;
        struct job *job;
        memcpy (&id, data + i, sizeof id);
        job = job_find (rank, id);
        if (job)
            job->alive = true;
    }
}

/* All have said which jobs have their node with them. A job that nobody has
 * was lost with its node, and begins again if it asked for that; or was on its
 * way to one and begins again; or its end is on its way here. */
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
    if (uses && (job->cancelled || job->restarts == job->spec->restart))
        return job_end (rank, job, KILLED, "lost with a rank", err);
    if (uses) {
        job->restarts++;
        job->again = true;
        return 0;
    }
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
        return job_end (rank, job, KILLED, "", err);
    if (job_check_size (rank, job->spec, &why) < 0)
        return job_end (rank, job, TORI_NEVER, why.text, err);
    return job_start (rank, job, err);
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
