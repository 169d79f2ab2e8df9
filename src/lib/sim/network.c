#include "network.h"

#include <stdlib.h>

#include <tori/fluid.h>

#include "array.h"

struct network {
    const tori_machine *machine;
    tori_sim_network config;
    tori_fluid *fluid;
    uint64_t started; /* jobs so far */
    uint32_t *nodes;
    size_t node_room;
};

int network_create (const tori_machine *machine,
                    const tori_sim_network *config,
                    struct network **ret_network, tori_error *err)
{
    tori_fluid_config how = {.size = sizeof how, .link = config->link, .node = config->node};
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
    tori_fluid_destroy (network->fluid);
    free (network->nodes);
    free (network);
}

int network_start (struct network *network, tori_time runtime,
                   const tori_placement *place, uint64_t what,
                   tori_error *err)
{
    uint32_t *nodes = array_room (network->nodes, &network->node_room,
                                  place->count, sizeof *nodes);
    tori_fluid_job flows = {
        .nodes = nodes,
        .n = place->count,
        .pattern = network->config.pattern,
        .rounds = network->config.rounds,
        .seed = network->config.seed + network->started,
        .time = runtime,
    };
    if (!nodes)
        return tori_error_nomem (err);
    network->nodes = nodes;
    tori_placement_nodes (place, network->machine, nodes);
    network->started++;
    return tori_fluid_start (network->fluid, &flows, what, err);
}

int network_run (struct network *network, tori_time *time, uint64_t *ret_what,
                 tori_error *err)
{
    int ended = tori_fluid_run (network->fluid, *time, ret_what, err);
    if (ended > 0)
        *time = tori_fluid_time (network->fluid);
    return ended;
}

uint64_t network_messages (const struct network *network)
{
    return tori_fluid_events (network->fluid) / 2;
}
