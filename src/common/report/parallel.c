#include "parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

struct crew {
    const struct parallel *task;
    pthread_mutex_t lock; /* over all below */
    size_t next;          /* piece to hand out */
    size_t done;
    bool failed;
    size_t failure; /* the first piece that failed */
    tori_error error;
};

/* The next piece, if there is one left to do. */
static bool take (struct crew *crew, size_t *ret_piece)
{
    bool more;
    pthread_mutex_lock (&crew->lock);
    more = crew->next < crew->task->n && !crew->failed;
    if (more)
        *ret_piece = crew->next++;
    pthread_mutex_unlock (&crew->lock);
    return more;
}

/* Pieces are handed out in order, so all that come before one that failed
 * will be heard of too: which failure is the first is no matter of timing. */
static void settle (struct crew *crew, size_t piece, int status,
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

static void *labour (void *arg)
{
    struct crew *crew = arg;
    size_t piece;
    while (take (crew, &piece)) {
        tori_error error = {.status = TORI_FAILED};
        int status = crew->task->work (crew->task->arg, piece, &error);
        settle (crew, piece, status, &error);
    }
    return NULL;
}

static size_t processors (void)
{
    cpu_set_t set;
    if (sched_getaffinity (0, sizeof set, &set) < 0)
        return 1;
    return (size_t)CPU_COUNT (&set);
}

/* Threads beside the caller's: no more than there are pieces for. */
static size_t helpers_for (const struct parallel *task)
{
    size_t workers = task->workers ? task->workers : processors ();
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
           && pthread_create (&thread[n], NULL, labour, &crew) == 0)
        n++;
    labour (&crew);
    while (n > 0)
        pthread_join (thread[--n], NULL);
    pthread_mutex_destroy (&crew.lock);
    free (thread);
    if (!crew.failed)
        return 0;
    return tori_error_set (err, crew.error.status, "%s", crew.error.text);
}
