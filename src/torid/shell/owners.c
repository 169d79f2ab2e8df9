#include "owners.h"

#include <stdlib.h>

static void mark (const struct torid *torid, tori_job job, uint32_t *ids,
                  uint64_t *owners)
{
    tori_job_info info = {.size = sizeof info};
    if (!tori_sched_look (service_sched (torid->service), job, &info)
        || !info.place)
        return;
    tori_placement_nodes (info.place, torid->machine, ids);
    for (uint32_t i = 0; i < info.place->count; i++)
        owners[ids[i]] = info.tag;
}

uint64_t *owners_make (const struct torid *torid)
{
    const tori_sched *sched = service_sched (torid->service);
    size_t n = tori_machine_nodes (torid->machine);
    size_t running = tori_sched_running (sched);
    uint64_t *owners = calloc (n, sizeof *owners);
    uint32_t *ids = calloc (n, sizeof *ids);
    tori_job *jobs = calloc (running + 1, sizeof *jobs);
    if (owners && ids && jobs) {
        tori_sched_running_jobs (sched, jobs);
        for (size_t i = 0; i < running; i++)
            mark (torid, jobs[i], ids, owners);
    } else {
        free (owners);
        owners = NULL;
    }
    free (ids);
    free (jobs);
    return owners;
}

const char *node_state_name (const struct torid *torid, uint32_t node)
{
    static const char *const names[] = {[TORI_NODE_FREE] = "free",
                                        [TORI_NODE_BUSY] = "busy",
                                        [TORI_NODE_DOWN] = "down",
                                        [TORI_NODE_DRAINED] = "drained"};
    return names[tori_state_node (
        tori_sched_state (service_sched (torid->service)), node)];
}
