/* dependents.c - jobs that wait for other jobs: dependencies and arrays. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "holds.h"
#include "service_internal.h"

int hold_review (struct service *service, struct service_job *job,
                 tori_error *err)
{
    service->unsettled = true;
    service_touch (service, job);
    if (job->state != JOB_QUEUED)
        return 0;
    return usage_review (service, job, err) < 0
               ? -1
               : core_set_hold (service, job, job_hold (job), err);
}

/* ---- waiting jobs ---- */

/* All jobs of an array wait for the same, so they share one list; and each job
 * that is waited for knows the lists that it is in. */

static void drop_waiters (struct service_job *awaited)
{
    for (size_t i = 0; i < awaited->nwaiters; i++)
        after_drop (awaited->waiters[i]);
    free (awaited->waiters);
    awaited->waiters = NULL;
    awaited->nwaiters = awaited->waiters_room = awaited->gone = 0;
}

/* Lists are by the ids of their jobs (next_waiter), so a new one comes last,
 * unless the list of an older job was changed. */
static int add_waiter (struct service_job *awaited, struct after_list *list,
                       tori_error *err)
{
    size_t n = awaited->nwaiters, at = n;
    struct after_list **more
        = array_room (awaited->waiters, &awaited->waiters_room, n + 1,
                      sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    awaited->waiters = more;
    while (at > 0 && more[at - 1]->first > list->first)
        at--;
    if (at > 0 && more[at - 1] == list)
        return 0;
    memmove (more + at + 1, more + at, (n - at) * sizeof *more);
    more[at] = list;
    awaited->nwaiters++;
    list->refs++;
    return 0;
}

/* Forget lists that no job uses any more, when they are over half of all. */
static void tidy_waiters (struct service_job *awaited)
{
    size_t kept = 0;
    if (2 * ++awaited->gone <= awaited->nwaiters)
        return;
    for (size_t i = 0; i < awaited->nwaiters; i++)
        if (awaited->waiters[i]->jobs > 0)
            awaited->waiters[kept++] = awaited->waiters[i];
        else
            after_drop (awaited->waiters[i]);
    awaited->nwaiters = kept;
    awaited->gone = 0;
}

/* No job uses this list any more. The list of the latest submission is at the
 * end, and goes at once. */
static void remove_waiter (struct service_job *awaited,
                           struct after_list *list)
{
    size_t n = awaited->nwaiters;
    if (n == 0 || awaited->waiters[n - 1] != list) {
        tidy_waiters (awaited);
        return;
    }
    awaited->nwaiters--;
    after_drop (list);
}

/* A list that was saved may name jobs that have ended since. */
static int add_list (struct service *service, struct after_list *list,
                     tori_error *err)
{
    for (size_t i = 0; i < list->n; i++) {
        struct service_job *awaited =
            job_table_find (&service->jobs, list->all[i].id);
        if (awaited && (awaited->state != JOB_ENDED || awaited->releasing)
            && add_waiter (awaited, list, err) < 0)
            return -1;
    }
    return 0;
}

static bool is_first (const struct after_list *list, size_t i)
{
    return i == 0 || list->all[i].id != list->all[i - 1].id;
}

int dependents_add (struct service *service, struct service_job *job,
                    tori_error *err)
{
    struct after_list *list = job->after;
    if (!list)
        return 0;
    if (list->first == 0) {
        list->first = job->id;
        if (add_list (service, list, err) < 0)
            return -1;
    }
    list->last = job->id;
    list->jobs++;
    return 0;
}

void dependents_remove (struct service *service, struct service_job *job)
{
    struct after_list *list = job->after;
    job->after = NULL;
    job->nafter = 0;
    if (!list)
        return;
    list->jobs--;
    for (size_t i = 0; list->jobs == 0 && i < list->n; i++) {
        struct service_job *awaited =
            is_first (list, i)
                ? job_table_find (&service->jobs, list->all[i].id)
                : NULL;
        if (awaited && awaited->nwaiters > 0)
            remove_waiter (awaited, list);
    }
    after_drop (list);
}

/* ---- dependencies ---- */

static bool ended_well (const struct service_job *job)
{
    return job->status == 0 && job->signal < 0;
}

static bool is_in_doubt (tori_after_kind kind, const struct service_job *ended)
{
    return kind != TORI_AFTER_ANY && ended->unknown;
}

static bool meets_condition (tori_after_kind kind,
                             const struct service_job *ended)
{
    return kind == TORI_AFTER_ANY || (kind == TORI_AFTER_OK) == ended_well (ended);
}

/* Read one dependency: 0, or 1 and a reply. A job that has already ended as
 * required is left out. */
static int add_after (const struct service *service, const json_t *word,
                      struct after_list *list, struct reply *reply)
{
    const char *text = json_string_value (word);
    tori_after after = {0};
    const struct service_job *other;
    if (!text || !after_parse (text, &after))
        return refuse (reply, 400, "bad-request",
                       "after: expected \"ok:ID\", \"failed:ID\" or "
                       "\"any:ID\"");
    other = job_table_find (&service->jobs, after.tag);
    if (!other)
        return refuse (reply, 422, "no-such-job",
                       after.tag == 0 || after.tag >= service->next_id
                           ? "after: there is no job %llu"
                           : "after: job %llu ended too long ago to be "
                             "waited for",
                       (unsigned long long)after.tag);
    if (other->state != JOB_ENDED)
        list->all[list->n++] = (struct after){after.tag, after.kind};
    else if (is_in_doubt (after.kind, other))
        return refuse (reply, 422, "never",
                       "after: the outcome of job %llu is unknown",
                       (unsigned long long)after.tag);
    else if (!meets_condition (after.kind, other))
        return refuse (reply, 422, "never",
                       "after: job %llu has ended otherwise",
                       (unsigned long long)after.tag);
    return 0;
}

int after_read (const struct service *service, const json_t *words,
                struct after_list **ret_list, struct reply *reply,
                tori_error *err)
{
    size_t n = json_is_array (words) ? json_array_size (words)
                                     : words != NULL;
    struct after_list *list = after_make (n);
    int status = list ? 0 : tori_error_nomem (err);
    for (size_t i = 0; status == 0 && i < n; i++)
        status = add_after (
            service, json_is_array (words) ? json_array_get (words, i) : words,
            list, reply);
    if (status != 0 || list->n == 0) {
        after_drop (list);
        return status;
    }
    after_sort (list);
    *ret_list = list;
    return 0;
}

/* The choice is an operator's, or that of the owner of the job. */
static int hold_in_doubt (struct service *service, struct service_job *job,
                          const struct service_job *ended, tori_error *err)
{
    char why[160];
    snprintf (why, sizeof why,
              "the outcome of job %llu is unknown: release this job if job "
              "%llu ended as it has to, or cancel it",
              (unsigned long long)ended->id, (unsigned long long)ended->id);
    job->held = true;
    return job_say_why (job, why, err) < 0 ? -1
                                           : hold_review (service, job, err);
}

static int settle_dependency (struct service *service, struct service_job *job,
                              const struct service_job *ended, tori_error *err)
{
    const struct after_list *list = job->after;
    bool never = false, doubt = false;
    size_t at = list ? after_find (list, ended->id) : 0, before = at;
    for (; list && at < list->n && list->all[at].id == ended->id; at++) {
        never |= !meets_condition (list->all[at].kind, ended);
        doubt |= is_in_doubt (list->all[at].kind, ended);
    }
    if (at == before)
        return 0;
    job->nafter -= at - before < job->nafter ? at - before : job->nafter;
    if (job->nafter == 0)
        dependents_remove (service, job);
    if (doubt)
        return hold_in_doubt (service, job, ended, err);
    if (!never)
        return hold_review (service, job, err);
    if (core_cancel (service, job, err) < 0)
        return -1;
    return service_end (service, job, -1, -1,
                        "a job that it depends on ended otherwise", err);
}

/* ---- arrays ---- */

/* The next of an array may go. They were let go in the order of their ids. */
static int advance_array (struct service *service,
                          const struct service_job *ended, tori_error *err)
{
    size_t at = job_table_from (&service->jobs, ended->id);
    if (!ended->array || !ended->array_limit)
        return 0;
    for (; at < service->jobs.n; at++) {
        struct service_job *job = service->jobs.all[at];
        if (job->array != ended->array)
            return 0;
        if (!job->waits_for_array || job->state != JOB_QUEUED)
            continue;
        job->waits_for_array = false;
        return hold_review (service, job, err);
    }
    return 0;
}

/* ---- releases ---- */

/* The first job with at least this id that has this list. */
static struct service_job *next_of (const struct job_table *jobs,
                                    const struct after_list *list, uint64_t id)
{
    size_t at = job_table_from (jobs, id > list->first ? id : list->first);
    for (; list->jobs > 0 && at < jobs->n && jobs->all[at]->id <= list->last;
         at++)
        if (jobs->all[at]->after == list)
            return jobs->all[at];
    return NULL;
}

/* The first job with at least this id that waits for `ended`; NULL if there is
 * none. Lists that are no longer used do not count: after a restart they are
 * not there. */
static struct service_job *next_waiter (const struct service *service,
                                        const struct service_job *ended,
                                        uint64_t id)
{
    size_t low = 0, high = ended->nwaiters;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ended->waiters[middle]->last < id)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < ended->nwaiters; low++) {
        struct service_job *job =
            next_of (&service->jobs, ended->waiters[low], id);
        if (job)
            return job;
    }
    return NULL;
}

static int add_release (struct service *service, struct release release,
                        tori_error *err)
{
    struct release *more
        = array_room (service->releases, &service->releases_room,
                      service->nreleases + 1, sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    service->releases = more;
    more[service->nreleases++] = release;
    return 0;
}

static void drop_release (struct service *service)
{
    struct release *all = service->releases;
    size_t n = service->nreleases - ++service->released;
    if (service->released < n)
        return;
    memmove (all, all + service->released, n * sizeof *all);
    service->nreleases = n;
    service->released = 0;
}

bool releases_wait (const struct service *service)
{
    return service->released < service->nreleases;
}

/* Release the next job that waits for an end; if none is left, drop the
 * release. */
static int release_one (struct service *service, tori_error *err)
{
    struct release *release = &service->releases[service->released];
    struct service_job *ended = job_table_find (&service->jobs, release->id);
    struct service_job *job =
        ended ? next_waiter (service, ended, release->next) : NULL;
    if (job) {
        release->next = job->id + 1;
        return settle_dependency (service, job, ended, err);
    }
    drop_release (service);
    if (ended) {
        drop_waiters (ended);
        ended->releasing = false;
        service_touch (service, ended);
    }
    return 0;
}

int releases_go (struct service *service, size_t most, size_t *ret_n,
                 tori_error *err)
{
    size_t n = 0;
    for (; n < most && releases_wait (service); n++)
        if (release_one (service, err) < 0)
            return -1;
    *ret_n = n;
    return 0;
}

int releases_follow (struct service *service, const json_t *record,
                     tori_error *err)
{
    const json_t *steps = json_object_get (record, "released");
    json_int_t n = json_integer_value (steps);
    size_t most = !steps ? SIZE_MAX : n > 0 ? (size_t)n : 0, done;
    return releases_go (service, most, &done, err);
}

int dependents_release (struct service *service, struct service_job *ended,
                        tori_error *err)
{
    if (!ended->waits_for_array && advance_array (service, ended, err) < 0)
        return -1;
    if (!next_waiter (service, ended, 0)) {
        drop_waiters (ended);
        return 0;
    }
    ended->releasing = true;
    service_touch (service, ended);
    return add_release (service, (struct release){ended->id, 0}, err);
}

/* ---- kept ---- */

json_t *releases_save (const struct service *service)
{
    json_t *list = releases_wait (service) ? json_array () : NULL;
    for (size_t i = service->released; i < service->nreleases; i++)
        json_array_append_new (
            list, json_pack ("[I, I]", (json_int_t)service->releases[i].id,
                             (json_int_t)service->releases[i].next));
    return list;
}

int releases_load (struct service *service, const json_t *list,
                   tori_error *err)
{
    for (size_t i = 0; i < json_array_size (list); i++) {
        const json_t *pair = json_array_get (list, i);
        struct release release
            = {(uint64_t)json_integer_value (json_array_get (pair, 0)),
               (uint64_t)json_integer_value (json_array_get (pair, 1))};
        if (add_release (service, release, err) < 0)
            return -1;
    }
    return 0;
}
