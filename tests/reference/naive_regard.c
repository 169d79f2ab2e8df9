#include "naive_regard.h"

#include <stdlib.h>
#include <string.h>

/* J in fortieths. */
struct weights {
    uint64_t close, rest, edge;
};

struct regarded {
    uint32_t n, k;
    bool *free;
    uint32_t *apart; /* n x n */
    struct weights weights;
    uint64_t limit; /* of w */
};

static uint32_t apart (const struct regarded *it, uint32_t a, uint32_t b)
{
    return it->apart[a * it->n + b];
}

static void *copy_of (const bool *set, uint32_t n)
{
    bool *copy = make_array (n, sizeof *copy);
    memcpy (copy, set, n * sizeof *copy);
    return copy;
}

/* The pairs of free nodes that are both taken, or both not. */
static uint64_t pairs (const struct regarded *it, const bool *taken, bool both)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < it->n; i++)
        for (uint32_t j = 0; j < i; j++)
            if (it->free[i] && it->free[j] && taken[i] == both
                && taken[j] == both)
                sum += apart (it, i, j);
    return sum;
}

static uint64_t edges (const struct regarded *it, const bool *taken)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < it->n; i++)
        for (uint32_t j = 0; j < it->n; j++)
            sum += it->free[i] && it->free[j] && taken[i] && !taken[j]
                   && apart (it, i, j) == 1;
    return sum;
}

static uint64_t cost (const struct regarded *it, const bool *taken)
{
    return it->weights.close * pairs (it, taken, true)
           + it->weights.rest * pairs (it, taken, false)
           + it->weights.edge * edges (it, taken);
}

/* ---- swaps ---- */

/* The best swap, if one helps. */
static bool swap_once (const struct regarded *it, bool *taken)
{
    uint64_t least = cost (it, taken);
    bool *best = copy_of (taken, it->n), found = false;
    for (uint32_t out = 0; out < it->n; out++)
        for (uint32_t in = 0; in < it->n && taken[out]; in++) {
            bool *other;
            if (!it->free[in] || taken[in])
                continue;
            other = copy_of (taken, it->n);
            other[out] = false;
            other[in] = true;
            if (cost (it, other) < least
                && pairs (it, other, true) <= it->limit) {
                least = cost (it, other);
                memcpy (best, other, it->n * sizeof *best);
                found = true;
            }
            free (other);
        }
    memcpy (taken, best, it->n * sizeof *best);
    free (best);
    return found;
}

/* ---- the nearest nodes ---- */

static bool *nearest (const struct regarded *it, uint32_t centre)
{
    bool *taken = make_array (it->n, sizeof *taken);
    for (uint32_t k = 0; k < it->k; k++) {
        uint32_t best = UINT32_MAX;
        for (uint32_t i = 0; i < it->n; i++)
            if (it->free[i] && !taken[i]
                && (best == UINT32_MAX
                    || apart (it, centre, i) < apart (it, centre, best)))
                best = i;
        taken[best] = true;
    }
    return taken;
}

/* Whether all coordinates of a node are those of free nodes. */
static bool is_centre (const struct naive *naive, uint32_t node)
{
    uint32_t x[TORI_MAX_DIMS], y[TORI_MAX_DIMS];
    int ndims = tori_machine_ndims (naive->machine);
    bool all = true;
    tori_machine_coords (naive->machine, node, x);
    for (int d = 0; d < ndims; d++) {
        bool some = false;
        for (uint32_t i = 0; i < naive->n; i++) {
            tori_machine_coords (naive->machine, i, y);
            some |= naive_is_free (naive, i) && y[d] == x[d];
        }
        all &= some;
    }
    return all;
}

/* MM+Inc. */
static bool *closest (const struct naive *naive, const struct regarded *it)
{
    struct regarded only = *it;
    bool *best = NULL;
    for (uint32_t c = 0; c < it->n; c++) {
        bool *taken;
        if (!is_centre (naive, c))
            continue;
        taken = nearest (it, c);
        if (!best || pairs (it, taken, true) < pairs (it, best, true)) {
            free (best);
            best = taken;
        } else {
            free (taken);
        }
    }
    only.weights = (struct weights){1, 0, 0};
    only.limit = UINT64_MAX;
    while (swap_once (&only, best))
        ;
    return best;
}

/* ---- regard ---- */

static int longer_dims (const tori_machine *machine)
{
    int n = 0;
    for (int d = 0; d < tori_machine_ndims (machine); d++)
        n += tori_machine_size (machine, d) > 1;
    return n;
}

/* 8 N / 8^(d - 1). */
static uint64_t edge_weight (const tori_machine *machine)
{
    uint64_t weight = 40 * 8 * (uint64_t)tori_machine_nodes (machine);
    for (int d = longer_dims (machine); d > 1; d--)
        weight /= 8;
    return weight;
}

static struct regarded regarded_of (const struct naive *naive, uint32_t k)
{
    struct regarded it = {.n = naive->n, .k = k};
    it.free = make_array (it.n, sizeof *it.free);
    it.apart = make_array ((size_t)it.n * it.n, sizeof *it.apart);
    for (uint32_t i = 0; i < it.n; i++) {
        it.free[i] = naive_is_free (naive, i);
        for (uint32_t j = 0; j < it.n; j++)
            it.apart[i * it.n + j]
                = tori_machine_distance (naive->machine, i, j);
    }
    it.weights = (struct weights){40, 12, edge_weight (naive->machine)};
    return it;
}

/* The first candidate whose J is the lowest above that of the one before. */
static bool *next_start (const struct regarded *it, bool **candidates,
                         uint32_t n, const bool *before)
{
    bool *best = NULL;
    for (uint32_t c = 0; c < n; c++)
        if (pairs (it, candidates[c], true) <= it->limit
            && (!before || cost (it, candidates[c]) > cost (it, before))
            && (!best || cost (it, candidates[c]) < cost (it, best)))
            best = candidates[c];
    return best;
}

/* The best of what swaps make of the four lowest. */
static bool *best_of_four (const struct regarded *it, bool **candidates,
                           uint32_t n)
{
    bool *from = NULL, *best = NULL;
    for (int i = 0; i < 4; i++) {
        bool *taken;
        from = next_start (it, candidates, n, from);
        if (!from)
            break;
        taken = copy_of (from, it->n);
        while (swap_once (it, taken))
            ;
        if (best && cost (it, taken) >= cost (it, best)) {
            free (taken);
            continue;
        }
        free (best);
        best = taken;
    }
    return best;
}

bool naive_regard (const struct naive *naive, const tori_request *request,
                   bool unused, tori_placement *ret_place)
{
    struct regarded it;
    bool **candidates, *best;
    uint32_t n = 0;
    if (request->count > naive_free_count (naive))
        return false;
    it = regarded_of (naive, request->count);
    candidates = make_array (it.n + 1, sizeof *candidates);
    candidates[n++] = closest (naive, &it);
    it.limit = pairs (&it, candidates[0], true) * 23 / 20;
    for (uint32_t c = 0; c < it.n && longer_dims (naive->machine) > 1; c++)
        candidates[n++] = nearest (&it, c);
    best = best_of_four (&it, candidates, n);
    *ret_place = (tori_placement){
        .nodes = make_array (it.k, sizeof *ret_place->nodes)};
    for (uint32_t i = 0; i < it.n; i++)
        if (best[i])
            ret_place->nodes[ret_place->count++] = i;
    for (uint32_t c = 0; c < n; c++)
        free (candidates[c]);
    free (candidates);
    free (best);
    free (it.free);
    free (it.apart);
    return true;
}
