/* queues.c - named queues. */
#include <string.h>

#include "inside.h"

static const struct service_queue usual = {.name = "default"};

const char *ticket_queue (const struct ticket *ticket)
{
    const char *name
        = json_string_value (json_object_get (ticket->ask, "queue"));
    return name ? name : usual.name;
}

const struct service_queue *policy_queue (const struct service *service,
                                        const char *name)
{
    const struct service_policy *policy = &service->policy;
    for (size_t i = 0; i < policy->nqueues; i++)
        if (!strcmp (policy->queues[i].name, name))
            return &policy->queues[i];
    return strcmp (name, usual.name) ? NULL : &usual;
}
