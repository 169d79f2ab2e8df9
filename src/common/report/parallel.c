#include "parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

struct crew {
    const struct parallel *task;
    pthread_mutex_t lock; /* protects all below */
    size_t next;          /* piece to hand out */
    size_t done;
    bool failed;
    size_t failure; /* the first piece that failed */
    tori_error error;
};

/* The next piece, if there is one left to do. */
static bool take_piece (struct crew *crew, size_t *ret_piece)
{
    bool more;
    pthread_mutex_lock (&crew->lock);
    more = crew->next < crew->task->n && !crew->failed;
    if (more)
        *ret_piece = crew->next++;
    pthread_mutex_unlock (&crew->lock);
    return more;
}

/* Pieces are handed out in order, so all pieces before one that failed will
 * report, too: the first failure does not depend on timing. */
static void settle_piece (struct crew *crew, size_t piece, int status,
                          const tori_error *error)
{
    const struct parallel *task = crew->task;
    pthread_mutex_lock (&crew->lock);
    if (status < 0 && (!crew->failed || piece < crew->failure)) {
        crew->failed = true;
        crew->failure = piece;
        crew->error = *error;
    }
    crew->done++;
    if (task->on_done)
        task->on_done (task->arg, crew->done);
    pthread_mutex_unlock (&crew->lock);
}

static void *run_worker (void *arg)
{
    struct crew *crew = arg;
    size_t piece;
    while (take_piece (crew, &piece)) {
        tori_error error = {.status = TORI_FAILED};
        int status = crew->task->work (crew->task->arg, piece, &error);
        settle_piece (crew, piece, status, &error);
    }
    return NULL;
}

static size_t count_processors (void)
{
    cpu_set_t set;
    if (sched_getaffinity (0, sizeof set, &set) < 0)
        return 1;
    return (size_t)CPU_COUNT (&set);
}

/* Threads beside the caller's: no more than there are pieces for. */
static size_t helpers_for (const struct parallel *task)
{
    size_t workers = task->workers ? task->workers : count_processors ();
    workers = workers < task->n ? workers : task->n;
    return workers > 0 ? workers - 1 : 0;
}

int parallel_run (const struct parallel *parallel, tori_error *err)
{
    struct crew crew = {.task = parallel};
    size_t wanted = helpers_for (parallel), n = 0;
    pthread_t *thread = calloc (wanted + 1, sizeof *thread);
    pthread_mutex_init (&crew.lock, NULL);
    while (thread && n < wanted
           && pthread_create (&thread[n], NULL, run_worker, &crew) == 0)
        n++;
    run_worker (&crew);
    while (n > 0)
        pthread_join (thread[--n], NULL);
    pthread_mutex_destroy (&crew.lock);
    free (thread);
    if (!crew.failed)
        return 0;
    return tori_error_set (err, crew.error.status, "%s", crew.error.text);
}
