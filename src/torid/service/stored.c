/* stored.c - the memory that submissions take: how much a user has of it, and
 * what is dropped when a job ends.
 *
 * The jobs of an array share their submission. It is counted once, until the
 * last of them has ended. None of this is in the hash of the state. */
#include <stdlib.h>
#include <string.h>

#include "service_internal.h"

struct stored {
    size_t refs; /* jobs that have not ended */
    int64_t bytes;
};

/* ---- how much it is ---- */

/* Each value takes about so much beside its text, and each name, too. */
enum { VALUE = 64 };

int64_t stored_bytes (const json_t *value)
{
    int64_t n = VALUE + (int64_t)json_string_length (value);
    for (size_t i = 0; i < json_array_size (value); i++)
        n += stored_bytes (json_array_get (value, i));
    for (void *at = json_object_iter ((json_t *)(uintptr_t)value); at;
         at = json_object_iter_next ((json_t *)(uintptr_t)value, at))
        n += VALUE + (int64_t)strlen (json_object_iter_key (at))
             + stored_bytes (json_object_iter_value (at));
    return n;
}

/* A submission is an entry in some tables as well, and may have a key, which
 * is kept with the answer. */
int64_t submission_bytes (const struct job_ask *ask)
{
    enum { ENTRY = 1024 };
    return ENTRY + stored_bytes (ask->members);
}

/* Whether a value takes more than that, which is all that is looked at. */
static bool is_longer (const json_t *value, int64_t *left)
{
    *left -= VALUE + (int64_t)json_string_length (value);
    for (size_t i = 0; *left >= 0 && i < json_array_size (value); i++)
        is_longer (json_array_get (value, i), left);
    for (void *at = json_object_iter ((json_t *)(uintptr_t)value);
         *left >= 0 && at;
         at = json_object_iter_next ((json_t *)(uintptr_t)value, at)) {
        *left -= VALUE + (int64_t)strlen (json_object_iter_key (at));
        is_longer (json_object_iter_value (at), left);
    }
    return *left < 0;
}

void service_leave_out (json_t *job)
{
    enum { LISTED_MOST = 128 << 10 };
    json_t *names = NULL;
    for (size_t i = 0; i < JOB_MEMBERS; i++) {
        const char *name = job_members[i].name;
        int64_t left = LISTED_MOST;
        if (!(job_members[i].flags & JOB_IS_SHOWN)
            || !is_longer (json_object_get (job, name), &left))
            continue;
        json_object_del (job, name);
        if (!names)
            names = json_array ();
        json_array_append_new (names, json_string (name));
    }
    if (names)
        json_object_set_new (job, "left_out", names);
}

/* That of another job of its array, or NULL. The ids of an array follow one
 * another. */
static struct stored *find_shared (const struct job_table *jobs,
                                   const struct service_job *job)
{
    size_t i = job_table_from (jobs, job->id);
    while (job->array && i-- > 0 && jobs->all[i]->array == job->array)
        if (jobs->all[i]->stored)
            return jobs->all[i]->stored;
    return NULL;
}

static struct stored *make_stored (struct service *service,
                                   const struct service_job *job)
{
    struct account *user = account_get (&service->users, job->user);
    struct stored *stored = user ? calloc (1, sizeof *stored) : NULL;
    if (!stored)
        return NULL;
    stored->bytes = submission_bytes (job->ask);
    user->stored += stored->bytes;
    return stored;
}

static void begin_counting (struct service *service, struct service_job *job)
{
    struct stored *stored = find_shared (&service->jobs, job);
    if (!stored)
        stored = make_stored (service, job);
    if (!stored) {
        service->nomem = true;
        return;
    }
    stored->refs++;
    job->stored = stored;
}

/* A job of an array that is changed has a submission of its own then. */
static bool shares (const struct service_job *job)
{
    return job->stored && job->stored->refs > 1;
}

int64_t stored_growth (const struct service_job *job,
                       const struct job_ask *then)
{
    return submission_bytes (then)
           - (job->stored && !shares (job) ? job->stored->bytes : 0);
}

void stored_change (struct service *service, struct service_job *job)
{
    struct account *user = account_find (&service->users, job->user);
    struct stored *stored;
    if (!job->stored || !user)
        return;
    if (!shares (job)) {
        int64_t more = stored_growth (job, job->ask);
        job->stored->bytes += more;
        user->stored += more;
        return;
    }
    stored = make_stored (service, job);
    if (!stored) {
        service->nomem = true;
        return;
    }
    job->stored->refs--;
    stored->refs = 1;
    job->stored = stored;
}

bool stored_drop (struct stored *stored)
{
    if (!stored || --stored->refs > 0)
        return false;
    free (stored);
    return true;
}

bool stored_leave (struct service *service, struct service_job *job)
{
    struct account *user = account_find (&service->users, job->user);
    int64_t bytes = job->stored ? job->stored->bytes : 0;
    bool last = stored_drop (job->stored);
    job->stored = NULL;
    if (last && user)
        user->stored -= bytes;
    return last;
}

/* ---- after the end ---- */

/* An ended job keeps at most so much of its submission. */
enum { ENDED_MOST = 8 << 10 };

static json_t *copy_shown (const struct job_ask *ask)
{
    json_t *rest = json_object (), *value;
    const struct job_member *member;
    for (size_t i = 0; (member = job_ask_next (ask, JOB_IS_SHOWN, &i, &value));)
        json_object_set (rest, member->name, value);
    return rest;
}

/* The name of the first of the largest, and how large all are together. */
static const char *find_largest (const json_t *job, int64_t *ret_all)
{
    const char *largest = NULL;
    int64_t most = 0;
    *ret_all = VALUE;
    for (size_t i = 0; i < JOB_MEMBERS; i++) {
        const char *name = job_members[i].name;
        const json_t *value = job_members[i].flags & JOB_IS_SHOWN
                                  ? json_object_get (job, name)
                                  : NULL;
        int64_t bytes = value ? stored_bytes (value) : 0;
        *ret_all += value ? VALUE + (int64_t)strlen (name) + bytes : 0;
        if (bytes > most) {
            most = bytes;
            largest = name;
        }
    }
    return largest;
}

void service_trim (json_t *job, int64_t most)
{
    const char *largest;
    int64_t all;
    while ((largest = find_largest (job, &all)) && all > most)
        json_object_del (job, largest);
}

/* Copy the members of a submission that are shown, without the largest ones if
 * it is too large. A new reference; without memory, to the whole of it. */
static struct job_ask *trim_ask (struct service *service, struct job_ask *ask)
{
    const struct job_reading how
        = {.machine = service->machine, .lenient = true};
    struct member_of of = {.list = "jobs"};
    struct job_ask *trimmed = NULL;
    json_t *rest = copy_shown (ask);
    service_trim (rest, ENDED_MOST);
    of.object = rest;
    if (rest && job_ask_read (&of, &how, &trimmed, NULL) == 0)
        job_ask_forget_nodes (trimmed);
    json_decref (rest);
    service->nomem |= !trimmed;
    return trimmed ? trimmed : job_ask_keep (ask);
}

/* Trim the submission of a job, or of all jobs of its array, which also share
 * the trimmed one. */
static void trim_submission (struct service *service,
                             const struct service_job *job)
{
    const struct job_table *jobs = &service->jobs;
    size_t i = job_table_from (jobs, job->array ? job->array : job->id);
    struct job_ask *whole = NULL, *rest = NULL;
    for (; i < jobs->n; i++) {
        struct service_job *one = jobs->all[i];
        if (one != job && (!job->array || one->array != job->array))
            break;
        if (one->ask != whole) {
            job_ask_drop (whole);
            job_ask_drop (rest);
            whole = job_ask_keep (one->ask);
            rest = trim_ask (service, whole);
        }
        job_ask_drop (one->ask);
        one->ask = job_ask_keep (rest);
    }
    job_ask_drop (whole);
    job_ask_drop (rest);
}

void stored_follow (struct service *service, struct service_job *job)
{
    if (job->state != JOB_ENDED && !job->stored)
        begin_counting (service, job);
    else if (job->state == JOB_ENDED && stored_leave (service, job))
        trim_submission (service, job);
}
