/* dependents.c - who waits for whom: dependencies and arrays. */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "inside.h"
#include "number.h"

int hold_review (struct service *service, struct ticket *ticket,
                 tori_error *err)
{
    service->unsettled = true;
    service_touch (service, ticket);
    if (ticket->state != TICKET_QUEUED)
        return 0;
    return usage_review (service, ticket, err) < 0
               ? -1
               : core_set_hold (service, ticket, ticket_hold (ticket), err);
}

/* ---- who waits for whom ---- */

static bool comes_before (struct wait a, struct wait b)
{
    return a.awaited != b.awaited ? a.awaited < b.awaited
                                  : a.dependent < b.dependent;
}

/* The position of the first that does not come before this one. */
static size_t find_wait (const struct service *service, struct wait wait)
{
    size_t low = 0, high = service->nwaits;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (comes_before (service->waits[middle], wait))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_wait (const struct service *service, size_t at,
                     struct wait wait)
{
    return at < service->nwaits
           && !comes_before (wait, service->waits[at]);
}

static void drop_wait (struct service *service, size_t at)
{
    struct wait *from = &service->waits[at];
    service->nwaits--;
    memmove (from, from + 1, (service->nwaits - at) * sizeof *from);
}

int dependents_add (struct service *service, const struct ticket *ticket,
                    tori_error *err)
{
    for (size_t i = 0; i < ticket->nafter; i++) {
        struct wait wait = {ticket->after[i].id, ticket->id};
        size_t at = find_wait (service, wait);
        struct wait *all = array_room (service->waits, &service->waits_room,
                                       service->nwaits + 1, sizeof *all);
        if (!all)
            return tori_error_nomem (err);
        service->waits = all;
        if (is_wait (service, at, wait))
            continue;
        memmove (all + at + 1, all + at,
                 (service->nwaits++ - at) * sizeof *all);
        all[at] = wait;
    }
    return 0;
}

void dependents_remove (struct service *service, const struct ticket *ticket)
{
    for (size_t i = 0; i < ticket->nafter; i++) {
        struct wait wait = {ticket->after[i].id, ticket->id};
        size_t at = find_wait (service, wait);
        if (is_wait (service, at, wait))
            drop_wait (service, at);
    }
}

/* ---- dependencies ---- */

static bool ended_well (const struct ticket *ticket)
{
    return ticket->status == 0 && ticket->signal < 0;
}

static bool serves (enum after_kind kind, const struct ticket *ended)
{
    return kind == AFTER_ANY || (kind == AFTER_OK) == ended_well (ended);
}

/* "ok:17", "failed:17", "any:17". */
static bool parse_after (const char *text, struct after *ret)
{
    static const char *const kinds[] = {"ok:", "failed:", "any:"};
    for (int kind = AFTER_OK; kind <= AFTER_ANY; kind++) {
        size_t n = strlen (kinds[kind]);
        const char *at = text + n;
        if (strncmp (text, kinds[kind], n))
            continue;
        ret->kind = (enum after_kind)kind;
        return number_scan (&at, INT64_MAX, &ret->id) && !*at;
    }
    return false;
}

/* One dependency: 0, 1 and a reply, or -1. What has ended as it should is not
 * waited for. */
static int add_after (struct service *service, const json_t *word,
                      struct ticket *ticket, struct reply *reply)
{
    const char *text = json_string_value (word);
    struct after after = {0};
    const struct ticket *other;
    if (!text || !parse_after (text, &after))
        return refuse (reply, 400, "bad-request",
                       "after: expected \"ok:ID\", \"failed:ID\" or "
                       "\"any:ID\"");
    other = tickets_find (&service->tickets, after.id);
    if (!other)
        return refuse (reply, 422, "no-such-job",
                       after.id == 0 || after.id >= service->next_id
                           ? "after: there is no job %llu"
                           : "after: job %llu ended too long ago to be "
                             "waited for",
                       (unsigned long long)after.id);
    if (other->state != TICKET_ENDED)
        ticket->after[ticket->nafter++] = after;
    else if (!serves (after.kind, other))
        return refuse (reply, 422, "never",
                       "after: job %llu has ended otherwise",
                       (unsigned long long)after.id);
    return 0;
}

int after_read (struct service *service, const json_t *ask,
                struct ticket *ticket, struct reply *reply, tori_error *err)
{
    const json_t *list = json_object_get (ask, "after");
    size_t n = json_is_array (list) ? json_array_size (list) : list != NULL;
    ticket->after = calloc (n + 1, sizeof *ticket->after);
    if (!ticket->after)
        return tori_error_nomem (err);
    for (size_t i = 0; i < n; i++) {
        int status = add_after (
            service, json_is_array (list) ? json_array_get (list, i) : list,
            ticket, reply);
        if (status)
            return status;
    }
    return 0;
}

static int settle (struct service *service, struct ticket *ticket,
                   const struct ticket *ended, tori_error *err)
{
    size_t kept = 0;
    bool never = false;
    for (size_t i = 0; i < ticket->nafter; i++) {
        if (ticket->after[i].id != ended->id)
            ticket->after[kept++] = ticket->after[i];
        else
            never |= !serves (ticket->after[i].kind, ended);
    }
    if (kept == ticket->nafter)
        return 0;
    ticket->nafter = kept;
    if (!never)
        return hold_review (service, ticket, err);
    if (core_cancel (service, ticket, err) < 0)
        return -1;
    return service_end (service, ticket, -1, -1,
                        "a job that it depends on ended otherwise", err);
}

/* ---- arrays ---- */

/* The next of an array may go. They were let go in the order of their ids. */
static int advance_array (struct service *service, const struct ticket *ended,
                          tori_error *err)
{
    size_t at = tickets_from (&service->tickets, ended->id);
    if (!ended->array || !ended->abreast)
        return 0;
    for (; at < service->tickets.n; at++) {
        struct ticket *ticket = service->tickets.all[at];
        if (ticket->array != ended->array)
            return 0;
        if (!ticket->in_line || ticket->state != TICKET_QUEUED)
            continue;
        ticket->in_line = false;
        return hold_review (service, ticket, err);
    }
    return 0;
}

int dependents_release (struct service *service, const struct ticket *ended,
                        tori_error *err)
{
    size_t at;
    if (!ended->in_line && advance_array (service, ended, err) < 0)
        return -1;
    while (at = find_wait (service, (struct wait){ended->id, 0}),
           at < service->nwaits && service->waits[at].awaited == ended->id) {
        struct ticket *ticket = tickets_find (&service->tickets,
                                              service->waits[at].dependent);
        drop_wait (service, at);
        if (ticket && settle (service, ticket, ended, err) < 0)
            return -1;
    }
    return 0;
}
