/* linger.c - jobs that are taken off their nodes while their processes may
 * still run: until the executor has said that one is over, nothing else is
 * started there. The scheduler does not know of this: it gives the nodes to
 * others at once, and the order to start those is withheld. */
#include <signal.h>
#include <stdlib.h>

#include "inside.h"

/* Links are not looked at one by one: it is only for a moment. */
static bool meet (const struct service *service, const struct ticket *a,
                  const struct ticket *b, const uint32_t nodes[])
{
    if (a->place.wiring != TORI_WIRE_NONE
        && b->place.wiring != TORI_WIRE_NONE)
        return true;
    for (uint32_t i = 0; i < b->place.count; i++)
        if (tori_placement_contains (&a->place, service->machine, nodes[i]))
            return true;
    return false;
}

/* Whether somebody lingers where it should start: 0 or 1, or -1. */
static int is_in_the_way (const struct service *service,
                          const struct ticket *ticket, tori_error *err)
{
    uint32_t *nodes;
    int found = 0;
    if (service->lingering == 0)
        return 0;
    nodes = malloc ((ticket->place.count + 1) * sizeof *nodes);
    if (!nodes)
        return tori_error_nomem (err);
    tori_placement_nodes (&ticket->place, service->machine, nodes);
    for (size_t i = 0; !found && i < service->tickets.n; i++) {
        const struct ticket *other = service->tickets.all[i];
        found = other != ticket && other->lingers
                && meet (service, other, ticket, nodes);
    }
    free (nodes);
    return found;
}

void linger_begin (struct service *service, struct ticket *ticket)
{
    if (!ticket->withheld) {
        order_stop (service, ticket, SIGKILL, 0);
        service->lingering += !ticket->lingers;
        ticket->lingers = true;
    }
    ticket->withheld = false;
}

int linger_start (struct service *service, struct ticket *ticket,
                  tori_error *err)
{
    int status = is_in_the_way (service, ticket, err);
    if (status < 0)
        return -1;
    ticket->withheld = status > 0;
    if (status == 0)
        order_start (service, ticket);
    service_touch (service, ticket);
    return 0;
}

int linger_end (struct service *service, struct ticket *ticket,
                tori_error *err)
{
    service->lingering -= ticket->lingers;
    ticket->lingers = false;
    if (hold_review (service, ticket, err) < 0)
        return -1;
    for (size_t i = 0; i < service->tickets.n; i++) {
        struct ticket *other = service->tickets.all[i];
        if (other->withheld && linger_start (service, other, err) < 0)
            return -1;
    }
    return 0;
}
