#include "quota.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

/* The index of a name, or the one at which it would be inserted. */
static size_t find_place (const struct quotas *quotas, const char *name)
{
    size_t from = 0, to = quotas->n;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (strcmp (quotas->items[middle]->name, name) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

struct quota *quota_of (struct quotas *quotas, const char *name)
{
    size_t at = find_place (quotas, name);
    struct quota **more, *one;
    if (at < quotas->n && !strcmp (quotas->items[at]->name, name))
        return quotas->items[at];
    more = array_room (quotas->items, &quotas->room, quotas->n + 1,
                       sizeof *more);
    if (!more)
        return NULL;
    quotas->items = more;
    one = calloc (1, sizeof *one);
    if (!one)
        return NULL;
    snprintf (one->name, sizeof one->name, "%s", name);
    memmove (more + at + 1, more + at, (quotas->n - at) * sizeof *more);
    more[at] = one;
    quotas->n++;
    return one;
}

bool quota_ask (struct quota *quota, int64_t per_second, size_t n,
                uint64_t now)
{
    double half = per_second > 1 ? (double)per_second / 2 : 1;
    double need = (double)n < half ? (double)n : half;
    if (per_second <= 0)
        return true;
    quota->left += (double)(now - quota->at) / 1e3 * (double)per_second;
    quota->at = now;
    if (quota->left > (double)per_second)
        quota->left = (double)per_second;
    if (quota->left < need)
        return false;
    quota->left -= (double)n;
    return true;
}

/* Making this many bytes takes about a millisecond, and a client that asks
 * for one page after another does not get more of them per second. */
void quota_answer (struct quota *quota, size_t n)
{
    enum { UNIT = 64 << 10 };
    quota->left -= (double)(n / UNIT);
}

uint64_t quota_spend (struct quota *quota, uint64_t took, uint64_t now)
{
    uint64_t seconds = now / 1000 - quota->spent_at;
    quota->spent_at = now / 1000;
    quota->spent = (seconds < 64 ? quota->spent >> seconds : 0) + took;
    return quota->spent;
}

void quotas_free (struct quotas *quotas)
{
    for (size_t i = 0; i < quotas->n; i++)
        free (quotas->items[i]);
    free (quotas->items);
    *quotas = (struct quotas){0};
}
