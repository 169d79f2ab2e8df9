#include "stars.h"

#include <stdlib.h>

/* Put a value in place of the top of a heap, the greatest. */
static void replace_top (wide *heap, size_t n, wide value)
{
    size_t at = 0, child;
    while ((child = 2 * at + 1) < n) {
        if (child + 1 < n && heap[child] < heap[child + 1])
            child++;
        if (heap[child] <= value)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = value;
}

wide stars_least (const wide *values, size_t n, size_t k, wide *heap)
{
    wide sum = 0;
    for (size_t i = 0; i < k; i++)
        heap[i] = ~(wide)0;
    for (size_t i = 0; i < n && k > 0; i++)
        if (values[i] < heap[0])
            replace_top (heap, k, values[i]);
    for (size_t i = 0; i < k; i++)
        sum += heap[i];
    return sum;
}

int stars_bound (const struct cloud *cloud, size_t k, wide *ret_bound,
                 tori_error *err)
{
    size_t n = cloud->n;
    wide *room = malloc ((2 * n + k) * sizeof *room);
    wide *distances = room, *stars = room + n;
    if (!room)
        return tori_error_nomem (err);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            distances[j] = cloud_distance (cloud, cloud_point (cloud, i),
                                           cloud_point (cloud, j));
        stars[i] = stars_least (distances, n, k, room + 2 * n);
    }
    *ret_bound = stars_least (stars, n, k, room + 2 * n);
    free (room);
    return 0;
}
