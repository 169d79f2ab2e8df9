#include "gauges.h"

#include <string.h>

#include "missing.h"

enum { BOX_MOST = 1 << 17 };

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
    uint32_t nodes = tori_machine_nodes (tori_state_machine (state));
    struct missing missing;
    tori_box box;
    *ret_known = nodes <= BOX_MOST;
    *ret_largest = 0;
    if (!*ret_known)
        return 0;
    if (missing_create (state, &missing, err) < 0)
        return -1;
    if (missing_largest (&missing, &box))
        *ret_largest = tori_shape_volume (&box.shape);
    missing_clear (&missing);
    return 0;
}
