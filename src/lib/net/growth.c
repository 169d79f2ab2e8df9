#include "growth.h"

/* The square of the standard error of a mean. */
static double error_of (const struct growth_half *half, double mean)
{
    double n = (double)half->n;
    double variance = (half->squares - mean * half->sum) / (n - 1);
    return variance > 0 ? variance / n : 0;
}

bool growth_is_real (const struct growth *growth, uint32_t flits,
                     uint64_t cycles)
{
    const struct growth_half *half = growth->half;
    double before, after, by, error, enough = (double)cycles / 200;
    if (half[0].n < 2 || half[1].n < 2)
        return false;
    before = half[0].sum / (double)half[0].n;
    after = half[1].sum / (double)half[1].n;
    by = after - before;
    error = error_of (&half[0], before) + error_of (&half[1], after);
    if (enough > before / 4)
        enough = before / 4;
    return by > flits && by > enough && by * by > 9 * error;
}
