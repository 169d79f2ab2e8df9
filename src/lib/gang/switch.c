/* switch.c - the network's part of the cost of a switch.
 *
 * A drain is begun on an idle network and released at once: its report has the
 * longest time that it may take, which depends on the partition and not on its
 * messages. */
#include <tori/gang.h>

#include <stdlib.h>
#include <string.h>

#include "sized.h"

static int cycles_of_box (tori_net *net, const tori_box *box,
                          const tori_drain_config *drain,
                          uint64_t *ret_cycles, tori_error *err)
{
    tori_drain_config config = *drain;
    tori_drain_report report;
    tori_drain *begun;
    config.origin = 0;
    if (tori_drain_start (net, box, &config, &begun, err) < 0)
        return -1;
    tori_drain_report_now (begun, &report);
    tori_drain_release (begun);
    *ret_cycles = report.bound + 2 * report.save_cycles;
    return 0;
}

/* The cost of a drain depends on the shape of the partition alone, and those
 * of a level differ by a row at most: few are drained. */
static int cycles_of_node (tori_net *net, const tori_gang_tree *tree,
                           uint32_t node, const tori_drain_config *drain,
                           uint64_t cycles[], tori_error *err)
{
    tori_gang_place place, other;
    tori_gang_tree_place (tree, node, &place);
    for (uint32_t i = node; i-- > 0;) {
        tori_gang_tree_place (tree, i, &other);
        if (other.level != place.level)
            break;
        if (tori_shape_equal (&other.box.shape, &place.box.shape)) {
            cycles[node] = cycles[i];
            return 0;
        }
    }
    return cycles_of_box (net, &place.box, drain, &cycles[node], err);
}

int tori_gang_switch_cycles (const tori_gang_tree *tree,
                             const tori_net_config *net,
                             const tori_drain_config *drain,
                             uint64_t ret_cycles[], tori_error *err)
{
    tori_drain_config own = {.size = sizeof own};
    uint32_t nodes = tori_gang_tree_nodes (tree);
    uint64_t *cycles = malloc (nodes * sizeof *cycles);
    tori_net *made = NULL;
    int status = -1;
    if (drain && SIZED_COPY (tori_drain_config, &own, drain, err) < 0)
        goto done;
    if (!cycles)
        return tori_error_nomem (err);
    if (tori_net_create (tori_gang_tree_machine (tree), net, &made, err) < 0)
        goto done;
    for (uint32_t i = 0; i < nodes; i++)
        if (cycles_of_node (made, tree, i, &own, cycles, err)
            < 0)
            goto done;
    memcpy (ret_cycles, cycles, nodes * sizeof *cycles);
    status = 0;
done:
    tori_net_destroy (made);
    free (cycles);
    return status;
}
