#include "front_parts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "inquiry.h"
#include "outfile.h"

/* How long jobs that are killed may take, and how long clients may take to
 * read their answers, in nanoseconds. Then they are left to the wardens. */
#define LAST_WAIT (INT64_C (5) * 1000000000)

/* ---- opening ---- */

static int take_list (struct rank *rank, struct joblist *list)
{
    for (size_t i = 0; i < list->n; i++) {
        tori_error why;
        if (job_check_size (rank, list->item[i].spec, &why) < 0)
            return tori_error_set (&rank->err, why.status,
                                   "%.200s:%lld: %.200s", list->path,
                                   (long long)list->item[i].line, why.text);
    }
    for (size_t i = 0; i < list->n; i++) {
        if (!job_add (rank, list->item[i].spec, list->item[i].line))
            return -1;
        list->item[i].spec = NULL;
    }
    return 0;
}

static int read_jobs (struct rank *rank)
{
    struct joblist list = {0};
    int status = 0;
    if (rank->config->jobs >= 0)
        status = joblist_read ((int)rank->config->jobs, &list, &rank->err);
    if (status == 0)
        status = take_list (rank, &list);
    joblist_clear (&list);
    return status;
}

/* Everything that can fail is tried before the first job begins. The report of
 * an earlier run is removed last: until this run ends there is none. */
static int open_ways_out (struct rank *rank)
{
    tori_error *err = &rank->err;
    const struct config *config = rank->config;
    struct front *front = rank->front;
    tori_error why;
    if (config->cage == CAGE_CGROUP && cage_try (&why) < 0)
        return tori_error_set (err, why.status, "--freeze cgroup: %s",
                               why.text);
    if (*config->listen
        && listener_open (&front->listener, config->listen, err) < 0)
        return -1;
    if (!*config->report)
        return 0;
    if (outfile_create (config->report, &front->report, err) < 0)
        return -1;
    return outfile_clear (front->report, err);
}

int front_open (struct rank *rank)
{
    struct front *front = rank->front = calloc (1, sizeof *front);
    if (front)
        front->clock = calloc (rank->size, sizeof *front->clock);
    if (!front || !front->clock)
        return tori_error_nomem (&rank->err);
    front->listener.fd = -1;
    front->out.fd = STDOUT_FILENO;
    front->err.fd = STDERR_FILENO;
    for (uint32_t i = 1; rank->config->jobs >= 0 && i < rank->size; i++)
        front->out.patient |= strcmp (rank->card[0].net, rank->card[i].net);
    front->err.patient = front->out.patient;
    if (read_jobs (rank) < 0 || open_ways_out (rank) < 0)
        return -1;
    cages_sweep ();
    return 0;
}

/* ---- running ---- */

void front_watch (struct rank *rank)
{
    struct front *front = rank->front;
    clients_watch (rank);
    sink_watch (rank, &front->out);
    sink_watch (rank, &front->err);
}

/* Whether nothing more can come. */
static bool goes_out (const struct front *front)
{
    return front->stop != STOP_NOT || front->listener.fd < 0;
}

/* The run ends when all jobs have ended and all clients have their answers. A
 * run that was stopped, or only waits for clients, ends some seconds from now
 * at the latest, and kills what still runs. */
static void look_for_end (struct rank *rank, int64_t *ret_next)
{
    struct front *front = rank->front;
    bool own = front->out.n > 0 || front->err.n > 0;
    int64_t now = clock_now ();
    if (front->open == 0 && !own && clients_heard (front))
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

int64_t front_step (struct rank *rank)
{
    struct front *front = rank->front;
    int64_t next = INT64_MAX;
    if (front->waiting == 0)
        jobs_begin_due (rank, &next);
    clients_tell (rank, &next);
    front_look_for_mpirun (rank, &next);
    if (front->stop == STOP_NOW || (front->open == 0 && goes_out (front)))
        look_for_end (rank, &next);
    rank->status = front->failed ? TORI_FAILED : TORI_OK;
    return next;
}

/* ---- closing ---- */

/* A run that has lost a host prints its results itself: mpirun's own messages
 * do not have them. */
static void tell_results (const struct rank *rank)
{
    const struct front *front = rank->front;
    for (size_t i = 0; i < front->jobs; i++)
        if (front->job[i]->ended)
            dprintf (STDERR_FILENO, "tori: job %u (%s): status %d\n",
                     front->job[i]->number,
                     front->job[i]->spec->stage[0].argv[0],
                     front->job[i]->status);
    dprintf (STDERR_FILENO, "tori: the run has ended with status %d\n",
             rank->status);
}

int front_finish (struct rank *rank, tori_error *err)
{
    struct front *front = rank->front;
    int status = 0;
    listener_close (&front->listener);
    if (front->report)
        status = records_write (&front->records, rank, front->job, front->jobs,
                                front->report, err);
    outfile_destroy (front->report);
    front->report = NULL;
    if (front->apart)
        tell_results (rank);
    clients_tell_end (rank);
    return status;
}

void front_close (struct rank *rank)
{
    struct front *front = rank->front;
    if (!front)
        return;
    clients_destroy (rank);
    for (size_t i = 0; i < front->jobs; i++) {
        job_close_output (rank, front->job[i]);
        spec_destroy (front->job[i]->spec);
        free (front->job[i]->why);
        free (front->job[i]);
    }
    listener_close (&front->listener);
    outfile_destroy (front->report);
    sink_close (rank, &front->out);
    sink_close (rank, &front->err);
    inquiry_destroy (front->roll);
    records_clear (&front->records);
    free (front->clock);
    free (front->job);
    free (front);
    rank->front = NULL;
}
