#include "place.h"

int place_parse_shape (const char *text, const struct place_space *space,
                       uint64_t count, tori_shape *ret_shape, tori_error *err)
{
    tori_shape shape;
    if (tori_shape_parse (text, &shape, err) < 0)
        return -1;
    /* 4x4 is a plane of a machine with more dimensions. */
    while (shape.ndims < space->ndims && space->planes)
        shape.size[shape.ndims++] = 1;
    if (shape.ndims != space->ndims && !space->folds)
        return tori_error_set (err, TORI_INVALID,
                               "--shape: '%.60s' has %d dimensions, the %s %d",
                               text, shape.ndims, space->name, space->ndims);
    if (count > tori_shape_volume (&shape))
        return tori_error_set (err, TORI_INVALID,
                               "--count: a box of %.60s has fewer than %llu "
                               "nodes",
                               text, (unsigned long long)count);
    *ret_shape = shape;
    return 0;
}

void place_progress (void *arg, uint64_t steps, uint64_t limit)
{
    progress_update (arg, (size_t)steps, (size_t)limit, "steps");
}
