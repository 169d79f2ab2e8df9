/* stored.c - the memory that submissions take: how much a user has of it, and
 * what is dropped when a job ends.
 *
 * The jobs of an array share their submission. It is counted once, until the
 * last of them has ended. None of this is in the hash of the state. */
#include <stdlib.h>
#include <string.h>

#include "inside.h"

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

/* That of another job of its array, or NULL. The ids of an array follow one
 * another. */
static struct stored *find_shared (const struct tickets *tickets,
                                   const struct ticket *ticket)
{
    size_t i = tickets_from (tickets, ticket->id);
    while (ticket->array && i-- > 0
           && tickets->all[i]->array == ticket->array)
        if (tickets->all[i]->stored)
            return tickets->all[i]->stored;
    return NULL;
}

static struct stored *make_stored (struct service *service,
                                   const struct ticket *ticket)
{
    struct account *user = account_get (&service->users, ticket->user);
    struct stored *stored = user ? calloc (1, sizeof *stored) : NULL;
    if (!stored)
        return NULL;
    stored->bytes = stored_bytes (ticket->ask);
    user->stored += stored->bytes;
    return stored;
}

static void begin (struct service *service, struct ticket *ticket)
{
    struct stored *stored = find_shared (&service->tickets, ticket);
    if (!stored)
        stored = make_stored (service, ticket);
    if (!stored) {
        service->nomem = true;
        return;
    }
    stored->refs++;
    ticket->stored = stored;
}

bool stored_drop (struct stored *stored)
{
    if (!stored || --stored->refs > 0)
        return false;
    free (stored);
    return true;
}

bool stored_leave (struct service *service, struct ticket *ticket)
{
    struct account *user = account_find (&service->users, ticket->user);
    int64_t bytes = ticket->stored ? ticket->stored->bytes : 0;
    bool last = stored_drop (ticket->stored);
    ticket->stored = NULL;
    if (last && user)
        user->stored -= bytes;
    return last;
}

/* ---- after the end ---- */

/* An ended job keeps at most so much of its submission. */
enum { ENDED_MOST = 8 << 10 };

static json_t *copy_shown (const json_t *ask)
{
    json_t *rest = json_object ();
    json_object_set (rest, "alias", json_object_get (ask, "alias"));
    for (size_t i = 0; ticket_shown (i); i++)
        json_object_set (rest, ticket_shown (i),
                         json_object_get (ask, ticket_shown (i)));
    return rest;
}

/* The first of the largest, in the order of ticket_shown. */
static const char *find_largest (const json_t *ask)
{
    const char *largest = "alias";
    int64_t most = 0;
    for (size_t i = 0; ticket_shown (i); i++) {
        const json_t *value = json_object_get (ask, ticket_shown (i));
        if (value && stored_bytes (value) > most) {
            most = stored_bytes (value);
            largest = ticket_shown (i);
        }
    }
    return largest;
}

/* What is shown of a submission, without its largest members if it is too
 * large; a new reference, without memory to the whole of it. */
static json_t *trim_ask (json_t *ask)
{
    json_t *rest = copy_shown (ask);
    while (stored_bytes (rest) > ENDED_MOST && json_object_size (rest) > 0)
        json_object_del (rest, find_largest (rest));
    return rest ? rest : json_incref (ask);
}

/* Of a job, or of all jobs of its array, which share the rest as well. */
static void trim (struct tickets *tickets, const struct ticket *ticket)
{
    size_t i = tickets_from (tickets,
                             ticket->array ? ticket->array : ticket->id);
    json_t *whole = NULL, *rest = NULL;
    for (; i < tickets->n; i++) {
        struct ticket *one = tickets->all[i];
        if (one != ticket && (!ticket->array || one->array != ticket->array))
            break;
        if (one->ask != whole) {
            json_decref (whole);
            json_decref (rest);
            whole = json_incref (one->ask);
            rest = trim_ask (whole);
        }
        json_decref (one->ask);
        one->ask = json_incref (rest);
    }
    json_decref (whole);
    json_decref (rest);
}

void stored_follow (struct service *service, struct ticket *ticket)
{
    if (ticket->state != TICKET_ENDED && !ticket->stored)
        begin (service, ticket);
    else if (ticket->state == TICKET_ENDED && stored_leave (service, ticket))
        trim (&service->tickets, ticket);
}
