#include "gaps.h"

/* Only additions and multiplications, so that it is the same everywhere. */
void gaps_prepare (struct gaps *gaps, double q)
{
    double fails = 1;
    unsigned i = 0;
    for (unsigned k = 0; k < GAPS; k++) {
        fails *= 1 - q;
        gaps->below[k] = UINT64_MAX;
        if (1 - fails < 1)
            gaps->below[k] = (uint64_t)((1 - fails) * 0x1p64);
    }
    for (unsigned top = 0; top < GAPS; top++) {
        while (i < GAPS - 1 && gaps->below[i] <= (uint64_t)top << 56)
            i++;
        gaps->first[top] = (uint8_t)i;
    }
}
