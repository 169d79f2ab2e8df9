#include "strips.h"

#include <stdlib.h>

/* ---- ends ---- */

/* Room for rounding errors here and in search_goal. */
static const double MARGIN = 1e-11;

/* Whether n (k - n) is at most 1 + epsilon times the chord from a to b. */
static bool is_near_at (double k, double epsilon, double a, double b, double n)
{
    return n * (k - n) * (1 + MARGIN)
           <= (1 + epsilon) * (n * (k - a - b) + a * b);
}

/* The same for all whole n between a and b. The difference of both sides is
 * concave in n, so it is enough to look where it is greatest. */
static bool is_near (uint32_t k, double epsilon, uint32_t a, uint32_t b)
{
    double slope = (double)k - a - b;
    double top = ((1 + MARGIN) * k - (1 + epsilon) * slope)
                 / (2 * (1 + MARGIN));
    uint32_t n;
    if (b - a < 2)
        return true;
    n = top <= a + 1.0 ? a + 1 : top >= b - 1.0 ? b - 1 : (uint32_t)top;
    return is_near_at (k, epsilon, a, b, n)
           && (n + 1 == b || is_near_at (k, epsilon, a, b, n + 1.0));
}

/* The farthest end of a strip from a. A part of a strip that is near is near,
 * too, so halving finds it. */
static uint32_t find_end (uint32_t k, double epsilon, uint32_t a)
{
    uint32_t low = a + 1, high = k;
    while (low < high) {
        uint32_t middle = high - (high - low) / 2;
        if (is_near (k, epsilon, a, middle))
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

int strips_create (uint32_t k, double epsilon, struct strips *ret_strips,
                   tori_error *err)
{
    struct strips strips = {.ends = malloc ((k + 1) * sizeof *strips.ends)};
    if (!strips.ends)
        return tori_error_nomem (err);
    strips.ends[0] = 0;
    for (uint32_t end = 0; end < k; strips.ends[++strips.count] = end)
        end = find_end (k, epsilon, end);
    *ret_strips = strips;
    return 0;
}

void strips_clear (struct strips *strips)
{
    free (strips->ends);
}

static uint32_t distance_to (uint32_t a, uint32_t b)
{
    return a < b ? b - a : a - b;
}

uint32_t strips_end_near (const struct strips *strips, uint32_t low,
                          uint32_t high, uint32_t n)
{
    uint32_t near = 0;
    for (uint32_t j = 1; j < strips->count; j++) {
        uint32_t end = strips->ends[j];
        if (end > low && end < high
            && (near == 0 || distance_to (end, n) < distance_to (near, n)))
            near = end;
    }
    return near;
}

/* ---- ways ---- */

/* The numbers of a range that are in strip j: its upper end belongs to it, its
 * lower end to the strip below. */
struct strip_part {
    int64_t low, high;
};

static struct strip_part part_of (const struct strips *strips, uint32_t j,
                                  uint32_t low, uint32_t high)
{
    struct strip_part part
        = {j > 0 ? strips->ends[j] + 1 : 0, strips->ends[j + 1]};
    if (part.low < low)
        part.low = low;
    if (part.high > high)
        part.high = high;
    return part;
}

/* The ways that lead to a part, from all parts of the cut before it. */
static double sum_ways (const struct strip_part *from, const double *ways,
                        uint32_t count, struct strip_part to, uint32_t fall,
                        uint32_t rise)
{
    double sum = 0;
    for (uint32_t j = 0; j < count && to.low <= to.high; j++)
        if (from[j].low <= from[j].high && to.low <= from[j].high + rise
            && to.high >= from[j].low - (int64_t)fall)
            sum += ways[j];
    return sum;
}

/* The parts and ways of the last cut are in `from` and `ways`; those of the
 * next one go after them, and take their place. */
static void follow_ways (const struct strips *strips, struct strip_part *from,
                         double *ways, uint32_t low, uint32_t high,
                         uint32_t fall, uint32_t rise)
{
    uint32_t m = strips->count;
    for (uint32_t j = 0; j < m; j++) {
        from[m + j] = part_of (strips, j, low, high);
        ways[m + j] = sum_ways (from, ways, m, from[m + j], fall, rise);
    }
    for (uint32_t j = 0; j < m; j++) {
        from[j] = from[m + j];
        ways[j] = ways[m + j];
    }
}

int strips_ways (const struct strips *strips, uint32_t ncuts,
                 const uint32_t low[], const uint32_t high[],
                 const uint32_t fall[], const uint32_t rise[],
                 double *ret_ways, tori_error *err)
{
    uint32_t m = strips->count;
    struct strip_part *parts = malloc (2 * m * sizeof *parts);
    double *ways = malloc (2 * m * sizeof *ways), sum = 0;
    int status = parts && ways ? 0 : tori_error_nomem (err);
    for (uint32_t j = 0; status == 0 && j < m; j++) {
        parts[j] = part_of (strips, j, low[0], high[0]);
        ways[j] = parts[j].low <= parts[j].high;
    }
    for (uint32_t c = 1; status == 0 && c < ncuts; c++)
        follow_ways (strips, parts, ways, low[c], high[c], fall[c], rise[c]);
    for (uint32_t j = 0; status == 0 && j < m; j++)
        sum += ways[j];
    if (status == 0)
        *ret_ways = sum;
    free (parts);
    free (ways);
    return status;
}
