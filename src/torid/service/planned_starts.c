/* planned_starts.c - starts that backfilling has planned for waiting jobs.
 * They are recorded like decisions, so that they survive a crash. */
#include "array.h"
#include "service_internal.h"
#include "placement.h"

static bool has_start (const struct service_job *job, tori_time at,
                       const tori_placement *place)
{
    return job->planned && job->planned_at == at
           && (place ? placement_equal (&job->planned_place, place)
                     : job->planned_place.count == 0);
}

static int set_start (struct service *service, struct service_job *job,
                      tori_time at, const tori_placement *place,
                      tori_error *err)
{
    tori_placement copy = {0};
    if (place && tori_placement_copy (&copy, place, err) < 0)
        return -1;
    tori_placement_clear (&job->planned_place);
    job->planned_place = copy;
    job->planned_at = at;
    job->planned = true;
    service_touch (service, job);
    return 0;
}

void planned_start_void (struct service_job *job)
{
    job->planned = false;
    job->planned_at = 0;
    tori_placement_clear (&job->planned_place);
}

static int add_id (struct service *service, uint64_t id, tori_error *err)
{
    uint64_t *more = array_room (service->planned, &service->planned_room,
                                 service->nplanned + 1, sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    service->planned = more;
    service->planned[service->nplanned++] = id;
    return 0;
}

/* ---- new ones ---- */

static json_t *planned_start_json (const struct service *service,
                                   const struct service_job *job)
{
    json_t *it = json_pack ("{s:I}", "id", (json_int_t)job->id);
    if (!job->planned)
        return it;
    json_object_set_new (it, "at", json_integer ((json_int_t)job->planned_at));
    if (job->planned_place.count > 0)
        json_object_set_new (
            it, "place", place_save (service->machine, &job->planned_place));
    return it;
}

/* Note the planned starts that are new or changed. */
static int note_held (struct service *service, json_t *changes,
                      tori_error *err)
{
    const tori_placement *place;
    tori_time at;
    tori_job number;
    for (size_t i = 0;
         tori_sched_promised (service->sched, i, &number, &at, &place); i++) {
        tori_job_info info = {.size = sizeof info};
        struct service_job *job;
        tori_sched_look (service->sched, number, &info);
        job = job_table_find (&service->jobs, info.tag);
        if (!job)
            continue;
        job->seen = service->round;
        if (has_start (job, at, place))
            continue;
        if ((!job->planned && add_id (service, job->id, err) < 0)
            || set_start (service, job, at, place, err) < 0)
            return -1;
        json_array_append_new (changes, planned_start_json (service, job));
    }
    return 0;
}

/* Drop the planned starts that the scheduler does not have any more. */
static void drop_void_starts (struct service *service, json_t *changes)
{
    size_t kept = 0;
    for (size_t i = 0; i < service->nplanned; i++) {
        uint64_t id = service->planned[i];
        struct service_job *job = job_table_find (&service->jobs, id);
        if (!job || !job->planned)
            continue;
        if (job->seen == service->round) {
            service->planned[kept++] = id;
            continue;
        }
        planned_start_void (job);
        service_touch (service, job);
        json_array_append_new (changes, planned_start_json (service, job));
    }
    service->nplanned = kept;
}

json_t *planned_starts_review (struct service *service, tori_error *err)
{
    json_t *changes = json_array ();
    service->round++;
    if (!changes) {
        tori_error_nomem (err);
        return NULL;
    }
    if (note_held (service, changes, err) < 0) {
        json_decref (changes);
        return NULL;
    }
    drop_void_starts (service, changes);
    return changes;
}

/* ---- old ones ---- */

static int follow_one (struct service *service, const json_t *it,
                       tori_error *err)
{
    const json_t *at = json_object_get (it, "at");
    const json_t *where = json_object_get (it, "place");
    struct service_job *job = job_table_find (
        &service->jobs,
        (uint64_t)json_integer_value (json_object_get (it, "id")));
    tori_placement place = {0};
    int status = 0;
    if (!job || job->state != JOB_QUEUED)
        return tori_error_set (err, TORI_INVALID,
                               "a planned start of a job that does not wait");
    if (where)
        status = place_load (where, service->machine, &place, err);
    planned_start_void (job);
    service_touch (service, job);
    if (status == 0 && at)
        status = set_start (service, job, json_integer_value (at),
                            where ? &place : NULL, err);
    tori_placement_clear (&place);
    return status;
}

int planned_starts_follow (struct service *service, const json_t *changes,
                           tori_error *err)
{
    for (size_t i = 0; i < json_array_size (changes); i++)
        if (follow_one (service, json_array_get (changes, i), err) < 0)
            return -1;
    return 0;
}

/* The scheduler may refuse the planned start, as under another policy. Then
 * the next review drops it. */
static int tell_one (struct service *service, const struct service_job *job,
                     tori_error *err)
{
    const tori_placement *place = &job->planned_place;
    tori_error why = {0};
    if (tori_sched_reserve (service->sched, job->number, job->planned_at,
                            place->count ? place : NULL, &why)
            < 0
        && why.status != TORI_INVALID)
        return tori_error_set (err, why.status, "%s", why.text);
    return 0;
}

int planned_starts_tell (struct service *service, tori_error *err)
{
    service->nplanned = 0;
    for (size_t i = 0; i < service->jobs.n; i++) {
        const struct service_job *job = service->jobs.all[i];
        if (job->planned
            && (add_id (service, job->id, err) < 0
                || tell_one (service, job, err) < 0))
            return -1;
    }
    return 0;
}
