/* place_job.c - what the answers of `tori place` say of the place that was
 * found. */
#include <stdlib.h>

#include <tori/cubes.h>

#include "fold.h"
#include "folding.h"
#include "place.h"
#include "place_answer.h"
#include "plugin.h"

const tori_alloc_info *place_alloc (const struct place_values *v)
{
    const tori_alloc_info *info = NULL;
    if (v->alloc)
        plugin_find (v->alloc, "--alloc", &info, NULL);
    return info;
}

bool place_folds (const struct place_values *v)
{
    return place_alloc (v) && place_alloc (v)->flags & TORI_ALLOC_FOLDS;
}

/* Map one segment after another. */
static int map_rings (struct place_job *job, tori_error *err)
{
    uint32_t *next = job->map;
    for (size_t i = 0; i < job->segments; next += job->segment[i].count, i++)
        if (tori_placement_map (&job->segment[i], job->site.machine,
                                &job->request, next, err)
            < 0)
            return -1;
    return 0;
}

static int make_map (struct place_job *job, tori_error *err)
{
    const tori_shape *shape = &job->request.shape;
    if (!place_folds (job->values) && !job->values->fold)
        return 0;
    job->map = malloc (job->place.count * sizeof *job->map);
    if (!job->map)
        return tori_error_nomem (err);
    if (job->values->fold)
        return map_rings (job, err);
    if (tori_fold_map (job->site.machine, shape,
                       tuning_of (&job->values->tuning, NULL).noncubic,
                       &job->place, job->map, err)
        < 0)
        return -1;
    tori_fold_steps (job->site.machine, shape, job->map, &job->longest,
                     &job->steps);
    return 0;
}

tori_box place_subcube (const struct place_job *job)
{
    return fold_subcube (job->site.machine, &job->place.box);
}

bool place_is_folded (const struct place_job *job,
                      const tori_placement *segment)
{
    tori_shape box;
    return job->map && !place_folds (job->values)
           && tori_placement_shape (segment, job->site.machine, &box)
           && !folding_rotated (&job->request.shape, &box);
}

/* The number of nodes asked for; some allocators give more. */
static uint64_t asked_for (const struct place_job *job)
{
    if (job->values->count)
        return (uint64_t)job->values->count;
    return tori_request_nodes (&job->request)
           * (job->values->segments ? (uint64_t)job->values->segments : 1);
}

bool place_ignores_links (const struct place_job *job)
{
    return job->values->site.down_links
           && job->request.wiring == TORI_WIRE_NONE;
}

/* In a slice of a pod, hops are counted within the slice, not between nodes of
 * the pod. */
static int count_within (struct place_job *job, const tori_placement *segment,
                         tori_error *err)
{
    const tori_machine *machine = job->site.machine;
    uint32_t *ids = malloc (segment->count * sizeof *ids);
    uint64_t nodes = 0, slice = 0;
    int status = ids ? 0 : tori_error_nomem (err);
    if (status == 0) {
        tori_placement_nodes (segment, machine, ids);
        status =
            tori_nodes_pairwise (machine, ids, segment->count, &nodes, err);
    }
    if (status == 0)
        status = tori_placement_pairwise (segment, machine, &slice, err);
    job->pairwise += slice - nodes;
    free (ids);
    return status;
}

static int count_hops (struct place_job *job, tori_error *err)
{
    const tori_machine *machine = job->site.machine;
    int status =
        tori_placement_pairwise (&job->place, machine, &job->pairwise, err);
    for (size_t i = 0; status == 0 && i < job->segments && job->segments > 1
                       && tori_machine_is_pod (machine);
         i++)
        status = count_within (job, &job->segment[i], err);
    return status;
}

/* Ranks follow the map of rings, which may be folded. */
static int make_exports (struct place_job *job, tori_error *err)
{
    const struct place_values *values = job->values;
    struct exports_job own = {job->segment, job->segments, &job->request.shape,
                              values->fold ? job->map : NULL};
    return exports_make (&values->exports, &own, job->site.machine, job->graph,
                         values->mesh_graph, &job->exports, err);
}

int place_complete (struct place_job *job, tori_error *err)
{
    size_t n = job->place.count;
    job->ids = malloc (n * sizeof *job->ids);
    if (!job->ids)
        return tori_error_nomem (err);
    tori_placement_nodes (&job->place, job->site.machine, job->ids);
    if (count_hops (job, err) < 0 || make_map (job, err) < 0
        || make_exports (job, err) < 0)
        return -1;
    job->placed = true;
    job->surplus = n > asked_for (job) ? asked_for (job) : 0;
    job->average = place_average (job->pairwise, (double)n);
    pointset_format (job->pairwise, false, 0, job->sum);
    return 0;
}
