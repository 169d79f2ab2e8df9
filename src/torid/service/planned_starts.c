/* planned_starts.c - starts that backfilling has planned for waiting jobs.
 * They are recorded like decisions, so that they survive a crash. */
#include "array.h"
#include "service_internal.h"
#include "placement.h"

static bool is_so (const struct ticket *ticket, tori_time at,
                   const tori_placement *place)
{
    return ticket->promised && ticket->promised_at == at
           && (place ? placement_equal (&ticket->promised_place, place)
                     : ticket->promised_place.count == 0);
}

static int set (struct service *service, struct ticket *ticket, tori_time at,
                const tori_placement *place, tori_error *err)
{
    tori_placement copy = {0};
    if (place && tori_placement_copy (&copy, place, err) < 0)
        return -1;
    tori_placement_clear (&ticket->promised_place);
    ticket->promised_place = copy;
    ticket->promised_at = at;
    ticket->promised = true;
    service_touch (service, ticket);
    return 0;
}

void promise_void (struct ticket *ticket)
{
    ticket->promised = false;
    ticket->promised_at = 0;
    tori_placement_clear (&ticket->promised_place);
}

static int add_id (struct service *service, uint64_t id, tori_error *err)
{
    uint64_t *more
        = array_room (service->promised, &service->promised_room,
                      service->npromised + 1, sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    service->promised = more;
    service->promised[service->npromised++] = id;
    return 0;
}

/* ---- new ones ---- */

static json_t *promise_json (const struct service *service,
                             const struct ticket *ticket)
{
    json_t *it = json_pack ("{s:I}", "id", (json_int_t)ticket->id);
    if (!ticket->promised)
        return it;
    json_object_set_new (it, "at",
                         json_integer ((json_int_t)ticket->promised_at));
    if (ticket->promised_place.count > 0)
        json_object_set_new (
            it, "place",
            place_save (service->machine, &ticket->promised_place));
    return it;
}

/* Note the planned starts that are new or changed. */
static int note_held (struct service *service, json_t *changes,
                      tori_error *err)
{
    const tori_placement *place;
    tori_time at;
    tori_job job;
    for (size_t i = 0;
         tori_sched_promised (service->sched, i, &job, &at, &place); i++) {
        tori_job_info info = {.size = sizeof info};
        struct ticket *ticket;
        tori_sched_look (service->sched, job, &info);
        ticket = tickets_find (&service->tickets, info.tag);
        if (!ticket)
            continue;
        ticket->seen = service->round;
        if (is_so (ticket, at, place))
            continue;
        if ((!ticket->promised && add_id (service, ticket->id, err) < 0)
            || set (service, ticket, at, place, err) < 0)
            return -1;
        json_array_append_new (changes, promise_json (service, ticket));
    }
    return 0;
}

/* Drop the planned starts that the scheduler does not have any more. */
static void drop_void (struct service *service, json_t *changes)
{
    size_t kept = 0;
    for (size_t i = 0; i < service->npromised; i++) {
        uint64_t id = service->promised[i];
        struct ticket *ticket = tickets_find (&service->tickets, id);
        if (!ticket || !ticket->promised)
            continue;
        if (ticket->seen == service->round) {
            service->promised[kept++] = id;
            continue;
        }
        promise_void (ticket);
        service_touch (service, ticket);
        json_array_append_new (changes, promise_json (service, ticket));
    }
    service->npromised = kept;
}

json_t *promises_review (struct service *service, tori_error *err)
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
    drop_void (service, changes);
    return changes;
}

/* ---- old ones ---- */

static int follow_one (struct service *service, const json_t *it,
                       tori_error *err)
{
    const json_t *at = json_object_get (it, "at");
    const json_t *where = json_object_get (it, "place");
    struct ticket *ticket = tickets_find (
        &service->tickets,
        (uint64_t)json_integer_value (json_object_get (it, "id")));
    tori_placement place = {0};
    int status = 0;
    if (!ticket || ticket->state != TICKET_QUEUED)
        return tori_error_set (err, TORI_INVALID,
                               "a planned start of a job that does not wait");
    if (where)
        status = place_load (where, service->machine, &place, err);
    promise_void (ticket);
    service_touch (service, ticket);
    if (status == 0 && at)
        status = set (service, ticket, json_integer_value (at),
                      where ? &place : NULL, err);
    tori_placement_clear (&place);
    return status;
}

int promises_follow (struct service *service, const json_t *changes,
                     tori_error *err)
{
    for (size_t i = 0; i < json_array_size (changes); i++)
        if (follow_one (service, json_array_get (changes, i), err) < 0)
            return -1;
    return 0;
}

/* The scheduler may refuse the planned start, as under another policy. Then
 * the next review drops it. */
static int tell_one (struct service *service, const struct ticket *ticket,
                     tori_error *err)
{
    const tori_placement *place = &ticket->promised_place;
    tori_error why = {0};
    if (tori_sched_reserve (service->sched, ticket->number,
                            ticket->promised_at, place->count ? place : NULL,
                            &why)
            < 0
        && why.status != TORI_INVALID)
        return tori_error_set (err, why.status, "%s", why.text);
    return 0;
}

int promises_tell (struct service *service, tori_error *err)
{
    service->npromised = 0;
    for (size_t i = 0; i < service->tickets.n; i++) {
        const struct ticket *ticket = service->tickets.all[i];
        if (ticket->promised
            && (add_id (service, ticket->id, err) < 0
                || tell_one (service, ticket, err) < 0))
            return -1;
    }
    return 0;
}
