/* consecutive.h - runs in a list of ids.
 *
 * The nodes of a job are listed in ascending order, each once, and most of
 * them come in long runs. Handling a whole run at once is far cheaper than
 * node by node.
 */
#ifndef TORI_BASE_CONSECUTIVE_H
#define TORI_BASE_CONSECUTIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether the first n ids are consecutive: they are if the last is as far from
 * the first as a number as it is in the list. */
static inline bool are_consecutive (const uint32_t ids[], size_t n)
{
    return ids[n - 1] - ids[0] == n - 1;
}

/* With how many consecutive ids a list of n of them begins, n at least 1.
 * Short runs are found soonest one by one. */
static inline size_t consecutive (const uint32_t ids[], size_t n)
{
    size_t known = 1, step = 8;
    while (known < n && ids[known] - ids[0] == known)
        if (++known == step)
            break;
    if (known < step || known == n)
        return known;
    while (step <= n - known && are_consecutive (ids, known + step)) {
        known += step;
        step *= 2;
    }
    for (; step > 0; step /= 2)
        if (step <= n - known && are_consecutive (ids, known + step))
            known += step;
    return known;
}

#endif
