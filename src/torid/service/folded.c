/* folded.c - where each node of a job is whose rings may be folded. */
#include <stdlib.h>

#include "inside.h"
#include "jobread.h"

/* Of all that it asks for, the first that its place is one of. */
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

json_t *folded_map (const struct service *service, const json_t *ask,
                    const tori_placement *place, bool coords, tori_error *err)
{
    const struct member_of of = {.object = ask, .list = "jobs"};
    const struct job_reading how = {.machine = service->machine};
    tori_snapshot_job job = {0};
    uint32_t *nodes;
    json_t *map = NULL;
    if (!place->nboxes || !ask_folds (ask))
        return NULL;
    nodes = malloc (place->count * sizeof *nodes);
    if (!nodes)
        tori_error_nomem (err);
    if (nodes && job_read (&of, &how, &job, err) == 0
        && job_read_wish (&of, &job, err) == 0
        && map_any (service->machine, place, &job.spec, nodes))
        map = nodes_listed (service->machine, nodes, place->count, coords);
    job_clear (&job);
    free (nodes);
    return map;
}

/* All that it takes is in what everybody sees of the job, so nothing is kept
 * for it. */
void service_set_map (const struct service *service, json_t *job)
{
    const json_t *at = json_object_get (job, "place");
    tori_placement place = {0};
    json_t *map = at && place_load (at, service->machine, &place, NULL) == 0
                      ? folded_map (service, job, &place, true, NULL)
                      : NULL;
    if (map)
        json_object_set_new (job, "map", map);
    tori_placement_clear (&place);
}
