/* folded.c - the place of each node of a job whose rings may be folded. */
#include <stdlib.h>

#include "service_internal.h"
#include "jobread.h"

/* Map the nodes by the first request of the job that fits its place. */
static bool map_any (const tori_machine *machine, const tori_placement *place,
                     const tori_job_spec *spec, uint32_t nodes[])
{
    for (size_t i = 0; i <= spec->nalternatives; i++) {
        const tori_request *request
            = i ? &spec->alternatives[i - 1] : &spec->request;
        if ((request->flags & TORI_REQUEST_FOLD)
            && tori_shape_volume (&request->shape) == place->count
            && tori_placement_map (place, machine, request, nodes, NULL) == 0)
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

static json_t *nodes_listed (const tori_machine *machine,
                             const uint32_t nodes[], uint32_t n, bool coords)
{
    json_t *list = json_array ();
    for (uint32_t i = 0; i < n; i++)
        json_array_append_new (list, coords ? coords_json (machine, nodes[i])
                                            : json_integer (nodes[i]));
    return list;
}

json_t *folded_map (const struct service *service, const tori_job_spec *spec,
                    const tori_placement *place, bool coords, tori_error *err)
{
    uint32_t *nodes;
    json_t *map = NULL;
    if (!place->nboxes || !spec_folds (spec))
        return NULL;
    nodes = malloc (place->count * sizeof *nodes);
    if (!nodes)
        tori_error_nomem (err);
    if (nodes && map_any (service->machine, place, spec, nodes))
        map = nodes_listed (service->machine, nodes, place->count, coords);
    free (nodes);
    return map;
}

/* All that it takes is in what everybody sees of the job, so nothing is kept
 * for it. */
void service_set_map (const struct service *service, json_t *job)
{
    const struct member_of of = {.object = job, .list = "jobs"};
    const struct job_reading how = {.machine = service->machine};
    const json_t *at = json_object_get (job, "place");
    tori_snapshot_job it = {0};
    tori_placement place = {0};
    uint64_t given;
    json_t *map = NULL;
    if (at && place_load (at, service->machine, &place, NULL) == 0
        && job_read (&of, &how, &it, &given, NULL) == 0)
        map = folded_map (service, &it.spec, &place, true, NULL);
    if (map)
        json_object_set_new (job, "map", map);
    tori_placement_clear (&place);
    job_clear (&it);
}
