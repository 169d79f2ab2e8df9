#include "network.h"

#include <stdlib.h>
#include <string.h>

#include <tori/fluid.h>

#include "array.h"

/* A job from its start until it is told of. */
struct network_entry {
    tori_sim_job job;
    tori_placement place;
    uint64_t what;
    bool ended;
};

struct network {
    const tori_machine *machine;
    tori_sim_network config;
    tori_fluid *fluid;
    struct network_entry *entries; /* from `told` on, in start order */
    size_t n, told, room;
    uint64_t gone; /* entries that were before the first */
    tori_placement last; /* of the job told of last */
    uint32_t *nodes;
    size_t node_room;
};

int network_create (const tori_machine *machine,
                    const tori_sim_network *config,
                    struct network **ret_network, tori_error *err)
{
    tori_fluid_config how = {.link = config->link, .node = config->node};
    struct network *network = calloc (1, sizeof *network);
    if (!network)
        return tori_error_nomem (err);
    network->machine = machine;
    network->config = *config;
    if (tori_fluid_create (machine, &how, &network->fluid, err) < 0) {
        free (network);
        return -1;
    }
    *ret_network = network;
    return 0;
}

void network_destroy (struct network *network)
{
    if (!network)
        return;
    for (size_t i = network->told; i < network->n; i++)
        tori_placement_clear (&network->entries[i].place);
    tori_placement_clear (&network->last);
    tori_fluid_destroy (network->fluid);
    free (network->entries);
    free (network->nodes);
    free (network);
}

/* Room for one more entry; those that were told of make it first. */
static int make_room (struct network *network, tori_error *err)
{
    struct network_entry *more;
    if (network->n == network->room && network->told > network->n / 2) {
        memmove (network->entries, network->entries + network->told,
                 (network->n - network->told) * sizeof *network->entries);
        network->gone += network->told;
        network->n -= network->told;
        network->told = 0;
    }
    more = array_room (network->entries, &network->room, network->n + 1,
                       sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    network->entries = more;
    return 0;
}

static int start_flows (struct network *network, const tori_sim_job *job,
                        tori_error *err)
{
    uint64_t number = network->gone + network->n;
    uint32_t n = job->place->count;
    uint32_t *nodes = array_room (network->nodes, &network->node_room, n,
                                  sizeof *nodes);
    tori_fluid_job flows = {
        .nodes = nodes,
        .n = n,
        .pattern = network->config.pattern,
        .rounds = network->config.rounds,
        .seed = network->config.seed + number,
        .time = job->work->runtime,
    };
    if (!nodes)
        return tori_error_nomem (err);
    network->nodes = nodes;
    tori_placement_nodes (job->place, network->machine, nodes);
    return tori_fluid_start (network->fluid, &flows, number, err);
}

int network_start (struct network *network, const tori_sim_job *job,
                   uint64_t what, tori_error *err)
{
    struct network_entry *entry;
    tori_placement place = {0};
    if (make_room (network, err) < 0
        || tori_placement_copy (&place, job->place, err) < 0)
        return -1;
    if (start_flows (network, job, err) < 0) {
        tori_placement_clear (&place);
        return -1;
    }
    entry = &network->entries[network->n++];
    *entry = (struct network_entry){.job = *job, .place = place, .what = what};
    return 0;
}

int network_run (struct network *network, tori_time *time, uint64_t *ret_what,
                 tori_error *err)
{
    struct network_entry *entry;
    uint64_t number;
    int ended = tori_fluid_run (network->fluid, *time, &number, err);
    if (ended <= 0)
        return ended;
    entry = &network->entries[number - network->gone];
    *time = tori_fluid_time (network->fluid);
    entry->ended = true;
    entry->job.finish = *time;
    *ret_what = entry->what;
    return 1;
}

bool network_report (struct network *network, tori_sim_job *ret_job)
{
    struct network_entry *entry = &network->entries[network->told];
    if (network->told == network->n || !entry->ended)
        return false;
    tori_placement_clear (&network->last);
    network->last = entry->place;
    network->told++;
    *ret_job = entry->job;
    ret_job->place = &network->last;
    return true;
}

uint64_t network_messages (const struct network *network)
{
    return tori_fluid_events (network->fluid) / 2;
}
