#include "counts.h"

#include <uv.h>

const double quick_bounds[BUCKETS]
    = {1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1, 3};

double seconds_since (uint64_t before)
{
    return (double)(uv_hrtime () - before) / 1e9;
}

void count_answer (struct counts *counts, int code)
{
    if (code > 0 && code < CODES)
        counts->codes[code]++;
}
