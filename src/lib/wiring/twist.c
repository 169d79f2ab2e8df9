#include "twist.h"

uint32_t twist_side (const tori_shape *shape)
{
    uint32_t shortest = UINT32_MAX;
    int longer = 0;
    for (int d = 0; d < shape->ndims; d++)
        if (shape->size[d] < shortest)
            shortest = shape->size[d];
    for (int d = 0; d < shape->ndims; d++) {
        if (shape->size[d] % shortest || shape->size[d] / shortest > 2)
            return 0;
        longer += shape->size[d] > shortest;
    }
    return shortest >= 2 && longer > 0 ? shortest : 0;
}

static uint32_t least (uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Along a ring. */
static uint32_t distance_around (uint32_t size, uint32_t step)
{
    return least (step, size - step);
}

static uint32_t straight_distance (const tori_shape *shape,
                                   const uint32_t steps[])
{
    uint32_t sum = 0;
    for (int d = 0; d < shape->ndims; d++)
        sum += distance_around (shape->size[d], steps[d]);
    return sum;
}

/* Each short side is crossed one way or the other. In the long ones it
 * counts whether an odd number of them was crossed over its end. */
static uint32_t twisted_distance (const tori_shape *shape, uint32_t k,
                                  const uint32_t steps[])
{
    uint32_t even = 0, odd = UINT32_MAX / 2;
    for (int d = 0; d < shape->ndims; d++)
        if (shape->size[d] == k) {
            uint32_t in = steps[d], over = k - steps[d];
            uint32_t was = even;
            even = least (even + in, odd + over);
            odd = least (odd + in, was + over);
        }
    for (int d = 0; d < shape->ndims; d++)
        if (shape->size[d] != k) {
            even += distance_around (2 * k, steps[d]);
            odd += distance_around (2 * k, (steps[d] + k) % (2 * k));
        }
    return least (even, odd);
}

uint32_t twist_distance (const tori_shape *shape, uint32_t k,
                         const uint32_t a[], const uint32_t b[])
{
    uint32_t steps[TORI_MAX_DIMS];
    for (int d = 0; d < shape->ndims; d++)
        steps[d] = b[d] > a[d] ? b[d] - a[d] : a[d] - b[d];
    return k ? twisted_distance (shape, k, steps)
             : straight_distance (shape, steps);
}

/* ---- halves ---- */

/* Planes through the nodes are numbered around a ring of m, and a step along
 * dimension d leads step[d] planes further. So many links lead from one half
 * of the ring to the other. */
static uint64_t count_across (const tori_shape *shape, uint32_t m,
                              const uint32_t step[])
{
    uint64_t planes = 0;
    for (int d = 0; d < shape->ndims; d++)
        planes += step[d];
    return 2 * tori_shape_volume (shape) / m * planes;
}

/* Planes across one side. */
static uint64_t straight_halves (const tori_shape *shape)
{
    uint64_t fewest = 0;
    for (int d = 0; d < shape->ndims; d++) {
        uint32_t step[TORI_MAX_DIMS] = {0};
        uint64_t links;
        step[d] = 1;
        links = count_across (shape, shape->size[d], step);
        if (shape->size[d] % 2 == 0 && (!fewest || links < fewest))
            fewest = links;
    }
    return fewest;
}

/* With a ring of 2k planes, a wrap of a short side must lead once round it or
 * not at all: the steps of that side and of all long ones are even together.
 * So the planes cross all short sides and one long one, or two long ones; or,
 * with a ring of k planes, which needs an even k, one short side alone. */
static uint64_t twisted_halves (const tori_shape *shape, uint32_t k)
{
    uint64_t volume = tori_shape_volume (shape), fewest;
    int longer = 0, shorter;
    for (int d = 0; d < shape->ndims; d++)
        longer += shape->size[d] != k;
    shorter = shape->ndims - longer;
    fewest = volume / k * (uint64_t)(shorter + 1); /* all short, one long */
    if (longer > 1 && 2 * volume / k < fewest)     /* two long */
        fewest = 2 * volume / k;
    if (k % 2 == 0 && 2 * volume / k < fewest)
        fewest = 2 * volume / k;
    return fewest;
}

uint64_t twist_bisection (const tori_shape *shape, uint32_t k)
{
    return k ? twisted_halves (shape, k) : straight_halves (shape);
}

/* ---- all of it ---- */

struct twist_measures twist_measure (const tori_shape *shape, uint32_t k)
{
    struct twist_measures is = {.bisection = twist_bisection (shape, k)};
    const uint32_t origin[TORI_MAX_DIMS] = {0};
    uint32_t at[TORI_MAX_DIMS] = {0};
    uint64_t volume = tori_shape_volume (shape);
    for (uint64_t i = 0; i < volume; i++) {
        uint32_t hops = twist_distance (shape, k, origin, at);
        int d = shape->ndims - 1;
        is.sum += hops;
        is.diameter = hops > is.diameter ? hops : is.diameter;
        while (d >= 0 && ++at[d] == shape->size[d])
            at[d--] = 0;
    }
    if (volume > 1)
        is.average = (double)is.sum / (double)(volume - 1);
    return is;
}
