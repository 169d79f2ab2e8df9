#include "orders.h"

/* Step along the last dimension that is not at an end; those after it turn
 * round. */
int order_snake (const tori_shape *shape, uint32_t ids[], tori_error *err)
{
    uint32_t stride[TORI_MAX_DIMS], step[TORI_MAX_DIMS] = {0};
    bool down[TORI_MAX_DIMS] = {false};
    uint32_t id = 0, n = 0;
    int d = shape->ndims;
    for (uint32_t volume = 1; d-- > 0; volume *= shape->size[d])
        stride[d] = volume;
    do {
        ids[n++] = id;
        for (d = shape->ndims - 1; d >= 0; d--) {
            if (++step[d] < shape->size[d])
                break;
            step[d] = 0;
            down[d] = !down[d];
        }
        if (d >= 0)
            id = down[d] ? id - stride[d] : id + stride[d];
    } while (d >= 0);
    return 0;
}
