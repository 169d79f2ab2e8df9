/* past.c - forgets jobs that ended long ago. The history, which is kept with
 * the journal, still has them, and needs nothing that this file forgets.
 *
 * Jobs are forgotten at the whole minutes of the clock, so that a replay of
 * the journal leads to the same state. */
#include <stdlib.h>

#include "compare.h"
#include "service_internal.h"

/* A job can be waited for, and a request repeated, for so long; less if more
 * jobs than this end in that time. */
#define KEPT_FOR (24 * 60 * EPOCH)
enum { KEPT = 10000 };

static size_t collect_ends (const struct job_table *jobs, tori_time ends[])
{
    size_t n = 0;
    for (size_t i = 0; i < jobs->n; i++)
        if (jobs->all[i]->state == JOB_ENDED)
            ends[n++] = jobs->all[i]->end;
    return n;
}

/* The first of the last KEPT ends, or `otherwise` if there are fewer. */
static int first_kept (const struct job_table *jobs, tori_time otherwise,
                       tori_time *ret, tori_error *err)
{
    tori_time *ends = calloc (jobs->n + 1, sizeof *ends);
    size_t n;
    if (!ends)
        return tori_error_nomem (err);
    n = collect_ends (jobs, ends);
    *ret = otherwise;
    if (n > KEPT) {
        qsort (ends, n, sizeof *ends, compare_coords);
        if (ends[n - KEPT] > otherwise)
            *ret = ends[n - KEPT];
    }
    free (ends);
    return 0;
}

/* Whether one of the jobs of a key is still there. */
static bool is_known (const struct service *service, const json_t *ids)
{
    for (size_t i = json_array_size (ids); i-- > 0;) {
        json_int_t id = json_integer_value (json_array_get (ids, i));
        if (job_table_find (&service->jobs, (uint64_t)id))
            return true;
    }
    return false;
}

static void forget_keys (struct service *service)
{
    const char *key;
    json_t *ids;
    void *next;
    json_object_foreach_safe (service->keys, next, key, ids)
        if (!is_known (service, ids)) {
            json_object_del (service->asked, key);
            json_object_del (service->keys, key);
        }
}

int past_leave (struct service *service, tori_error *err)
{
    size_t n = service->jobs.n;
    tori_time before = service->now / EPOCH * EPOCH - KEPT_FOR;
    if (first_kept (&service->jobs, before, &before, err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (job_is_past (service->jobs.all[i], before))
            service->hash -= service->jobs.all[i]->mark;
    job_table_prune (&service->jobs, before);
    if (service->jobs.n < n)
        forget_keys (service);
    return 0;
}
