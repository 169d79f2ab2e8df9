#include <tori/plan.h>

int tori_preemptive_side (const tori_machine *machine, uint32_t *ret_side,
                          tori_error *err)
{
    int ndims = tori_machine_ndims (machine);
    uint32_t side = UINT32_MAX;
    if (ndims < 2)
        return tori_error_set (err, TORI_NEVER,
                               "a single ring has no link-disjoint subtori: "
                               "the machine needs 2 dimensions or more");
    for (int d = 0; d < ndims; d++) {
        uint32_t size = tori_machine_size (machine, d);
        if (tori_machine_kind (machine, d) != TORI_TORUS)
            return tori_error_set (err, TORI_NEVER,
                                   "dimension %d of the machine is no torus, "
                                   "so it has no subtori",
                                   d);
        if (size < side)
            side = size;
    }
    *ret_side = side;
    return 0;
}
