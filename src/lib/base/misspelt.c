#include "misspelt.h"

#include <string.h>

/* Longer words are not options of ours. */
enum { LONGEST = 40 };

static size_t least (size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Optimal string alignment: the usual table of prefixes, whole, as names are
 * short. */
static size_t slips (const char *a, size_t n, const char *b, size_t m)
{
    unsigned char cost[LONGEST + 1][LONGEST + 1];
    for (size_t i = 0; i <= n; i++)
        cost[i][0] = (unsigned char)i;
    for (size_t j = 0; j <= m; j++)
        cost[0][j] = (unsigned char)j;
    for (size_t i = 1; i <= n; i++)
        for (size_t j = 1; j <= m; j++) {
            size_t best = cost[i - 1][j - 1] + (size_t)(a[i - 1] != b[j - 1]);
            best = least (best, cost[i - 1][j] + 1u);
            best = least (best, cost[i][j - 1] + 1u);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                best = least (best, cost[i - 2][j - 2] + 1u);
            cost[i][j] = (unsigned char)best;
        }
    return cost[n][m];
}

const char *nearest_name (const char *name,
                          const char *(*known) (const void *arg, size_t i),
                          const void *arg)
{
    const char *best = NULL, *candidate;
    size_t n = strlen (name), fewest = 1 + (n + 1) / 3;
    if (n > LONGEST)
        return NULL;
    for (size_t i = 0; (candidate = known (arg, i)); i++) {
        size_t m = strlen (candidate);
        size_t cost = m > LONGEST ? fewest : slips (name, n, candidate, m);
        if (cost < fewest) {
            fewest = cost;
            best = candidate;
        }
    }
    return best;
}
