#include "gauges.h"

#include <string.h>

void gauge_nodes (const tori_state *state, uint32_t n[4])
{
    uint32_t nodes = tori_machine_nodes (tori_state_machine (state));
    memset (n, 0, 4 * sizeof *n);
    for (uint32_t i = 0; i < nodes; i++)
        n[tori_state_node (state, i)]++;
}

int gauge_largest (const tori_state *state, bool *ret_known,
                   uint64_t *ret_largest, tori_error *err)
{
    tori_box box;
    int found = tori_state_largest_box (state, false, &box, err);
    *ret_known = found > 0 || tori_state_free_count (state) == 0;
    *ret_largest = found > 0 ? tori_shape_volume (&box.shape) : 0;
    return found < 0 ? -1 : 0;
}
