/* folded.c - where each node of a job is whose rings may be folded. */
#include <stdlib.h>

#include "inside.h"

/* Of all that it asks for, the first that its place is one of. */
static bool map_any (const struct service *service,
                     const struct ticket *ticket, const tori_job_spec *spec,
                     uint32_t nodes[])
{
    for (size_t i = 0; i <= spec->nalternatives; i++) {
        const tori_request *request
            = i ? &spec->alternatives[i - 1] : &spec->request;
        if ((request->flags & TORI_REQUEST_FOLD)
            && tori_shape_volume (&request->shape) == ticket->place.count
            && tori_placement_map (&ticket->place, service->machine, request,
                                   nodes, NULL)
                   == 0)
            return true;
    }
    return false;
}

static json_t *coords_json (const tori_machine *machine, uint32_t node)
{
    uint32_t coords[TORI_MAX_DIMS];
    json_t *to = json_array ();
    tori_machine_coords (machine, node, coords);
    for (int d = 0; d < tori_machine_ndims (machine); d++)
        json_array_append_new (to, json_integer (coords[d]));
    return to;
}

json_t *folded_map (const struct service *service,
                    const struct ticket *ticket, bool coords)
{
    tori_job_spec spec = {.size = sizeof spec};
    uint32_t *nodes;
    json_t *map = NULL;
    if (ticket->state != TICKET_RUNNING || !ticket->place.nboxes
        || !tori_sched_spec (service->sched, ticket->number, &spec))
        return NULL;
    nodes = malloc (ticket->place.count * sizeof *nodes);
    if (nodes && map_any (service, ticket, &spec, nodes))
        map = json_array ();
    for (uint32_t i = 0; map && i < ticket->place.count; i++)
        json_array_append_new (map,
                               coords
                                   ? coords_json (service->machine, nodes[i])
                                   : json_integer (nodes[i]));
    free (nodes);
    return map;
}
