#include "ticks.h"

#include <stdlib.h>

#include "sorted.h"

/* `room` is for as many numbers as there are points. */
static void find_ticks (struct ticks *ticks, const struct cloud *cloud,
                        int dim, uint64_t *room)
{
    uint64_t *at = ticks->at[dim];
    size_t kept = 1;
    cloud_span (cloud, dim, &ticks->least[dim]);
    for (size_t i = 0; i < cloud->n; i++)
        at[i] = (uint64_t)cloud_point (cloud, i)[dim]
                - (uint64_t)ticks->least[dim];
    sort_numbers (at, cloud->n, room);
    for (size_t i = 1; i < cloud->n; i++)
        if (at[i] != at[kept - 1])
            at[kept++] = at[i];
    ticks->count[dim] = kept;
}

void ticks_clear (struct ticks *ticks)
{
    free (ticks->at[0]);
}

int ticks_init (struct ticks *ticks, const struct cloud *cloud,
                tori_error *err)
{
    size_t n = cloud->n, ndims = (size_t)cloud->ndims;
    uint64_t *all = malloc (n * ndims * sizeof *all);
    uint64_t *room = malloc (n * sizeof *room);
    *ticks = (struct ticks){.at[0] = all};
    if (!all || !room) {
        ticks_clear (ticks);
        free (room);
        return tori_error_nomem (err);
    }
    for (size_t d = 0; d < ndims; d++) {
        ticks->at[d] = all + d * n;
        find_ticks (ticks, cloud, (int)d, room);
    }
    free (room);
    return 0;
}

wide ticks_centres (const struct ticks *ticks, int ndims)
{
    wide centres = 1;
    for (int d = 0; d < ndims; d++)
        if (centres >> 64 == 0)
            centres *= ticks->count[d];
    return centres;
}
