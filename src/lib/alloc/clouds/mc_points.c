/* mc_points.c - shells around a point: mc among points; see mc.c.
 *
 * The shells around one centre bound those around the next. If that is m away
 * in the dimension where it is farthest, no point's shell changes by more than
 * m. So
 *
 *   the sum of k shells is at most k m lower: if that is not good enough, the
 *     centre need not be looked at;
 *   the last shell is at most m lower or higher: only points within that much
 *     are looked up in a tree (kdtree.h), and only those of the few shells
 *     that may be the last have to be put in order.
 *
 * Centres go in the order of the tree, so that m is small. One costs about as
 * much as k points; none, at the place of the one before.
 */
#include <stdlib.h>

#include "cloud.h"
#include "kdtree.h"

/* A core in one dimension: from `before` before its centre to `behind` after
 * it. */
struct side {
    int64_t centre;
    uint64_t before, behind;
    uint64_t ring; /* 0: a line */
};

/* The core around a point. */
static void find_sides (const struct cloud *cloud, const tori_shape *core,
                        const int64_t *centre, struct side *ret_sides)
{
    for (int d = 0; d < cloud->ndims; d++) {
        uint64_t before = (core->size[d] - 1) / 2;
        ret_sides[d] = (struct side){centre[d], before,
                                     core->size[d] - 1 - before,
                                     cloud->ring[d]};
    }
}

/* How far a coordinate is from the nearest of the core's. */
static inline uint64_t away_from (const struct side *side, int64_t at)
{
    bool below = at < side->centre;
    uint64_t apart = below ? (uint64_t)side->centre - (uint64_t)at
                           : (uint64_t)at - (uint64_t)side->centre;
    uint64_t reach = below ? side->before : side->behind;
    uint64_t away = apart > reach ? apart - reach : 0, other;
    if (!side->ring)
        return away;
    reach = below ? side->behind : side->before;
    apart = side->ring - apart;
    other = apart > reach ? apart - reach : 0;
    return other < away ? other : away;
}

static inline uint64_t shell_of (const struct side *sides, int ndims,
                                 const int64_t *point)
{
    uint64_t shell = 0;
    for (int d = 0; d < ndims; d++) {
        uint64_t away = away_from (&sides[d], point[d]);
        shell = away > shell ? away : shell;
    }
    return shell;
}

/* ---- some shells ---- */

static uint64_t greatest_shell (const uint64_t *shells, size_t n)
{
    uint64_t last = 0;
    for (size_t i = 0; i < n; i++)
        last = shells[i] > last ? shells[i] : last;
    return last;
}

static size_t count_upto (const uint64_t *shells, size_t n, uint64_t shell)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += shells[i] <= shell;
    return count;
}

/* The lowest shell, from `low` on, that with those below it holds k points.
 * Halving needs no memory and no luck with pivots. */
static uint64_t find_last (const uint64_t *shells, size_t n, size_t k,
                           uint64_t low)
{
    uint64_t high = greatest_shell (shells, n);
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (count_upto (shells, n, middle) >= k)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The sum of the k lowest shells, `last` being the greatest of them. */
static wide cost_of (const uint64_t *shells, size_t n, size_t k, uint64_t last)
{
    wide sum = 0;
    size_t below = 0;
    for (size_t i = 0; i < n; i++)
        if (shells[i] < last) {
            sum += shells[i];
            below++;
        }
    return sum + (wide)last * (k - below);
}

/* The points of the k lowest shells, of the last those of the lowest
 * indexes. */
static void collect_points (const uint64_t *shells, size_t n, size_t k,
                            uint64_t last, size_t *ret_chosen)
{
    size_t rest = k, at = 0;
    for (size_t i = 0; i < n; i++)
        rest -= shells[i] < last;
    for (size_t i = 0; i < n; i++) {
        if (shells[i] > last || (shells[i] == last && rest == 0))
            continue;
        rest -= shells[i] == last;
        ret_chosen[at++] = i;
    }
}

/* The best so far: the lowest sum of shells, of equals the first centre, there
 * the first core. */
struct mc_best {
    wide cost;
    size_t centre; /* SIZE_MAX: none */
    tori_shape core;
};

static void consider_cost (struct mc_best *best, wide cost, size_t centre,
                           const tori_shape *core)
{
    if (best->centre == SIZE_MAX || cost < best->cost
        || (cost == best->cost && centre < best->centre))
        *best = (struct mc_best){cost, centre, *core};
}

/* ---- the search ---- */

/* The centre looked at last, and what is looked at now. */
struct mc_search {
    const struct cloud *cloud;
    struct kdtree tree;
    size_t k;
    const int64_t *centre; /* NULL: none yet */
    uint64_t last;         /* its last shell */
    wide cost;
    uint64_t low, high; /* the last shell is one of these */
    size_t below;       /* points of lower shells, and the sum of these */
    wide sum;
    uint64_t *edge; /* shells from low to high */
    size_t nedge;
};

/* A lower bound of the shells of the node's points. Unless the centre lies
 * between them, one of the two ends is nearest to it, on a ring as well. */
static uint64_t node_shell (const struct kdtree *tree,
                            const struct side *sides, size_t node)
{
    const int64_t *low = kdtree_low (tree, node);
    const int64_t *high = kdtree_high (tree, node);
    uint64_t shell = 0;
    for (int d = 0; d < tree->ndims; d++) {
        uint64_t from_low, from_high;
        if (low[d] <= sides[d].centre && sides[d].centre <= high[d])
            continue;
        from_low = away_from (&sides[d], low[d]);
        from_high = away_from (&sides[d], high[d]);
        from_low = from_low < from_high ? from_low : from_high;
        shell = from_low > shell ? from_low : shell;
    }
    return shell;
}

static void add_points (struct mc_search *search, const struct side *sides,
                        const struct kd_node *node)
{
    int ndims = search->tree.ndims;
    const int64_t *point = kdtree_point (&search->tree, node->first);
    for (size_t i = 0; i < node->count; i++, point += ndims) {
        uint64_t shell = shell_of (sides, ndims, point);
        if (shell < search->low) {
            search->sum += shell;
            search->below++;
        } else if (shell <= search->high) {
            search->edge[search->nedge++] = shell;
        }
    }
}

/* The points of shells up to `high`. */
static void gather_points (struct mc_search *search, const struct side *sides)
{
    const struct kdtree *tree = &search->tree;
    search->below = search->nedge = 0;
    search->sum = 0;
    for (size_t i = 0; i < tree->nnodes;) {
        const struct kd_node *node = &tree->nodes[i];
        if (node_shell (tree, sides, i) > search->high) {
            i = node->next;
            continue;
        }
        if (node->leaf)
            add_points (search, sides, node);
        i++;
    }
}

/* Look at a centre that is `moved` away from the one before. */
static void look_around (struct mc_search *search, const tori_shape *core,
                         const int64_t *centre, uint64_t moved)
{
    struct side sides[TORI_MAX_DIMS];
    uint64_t last = search->last;
    size_t rest;
    search->low = last > moved ? last - moved : 0;
    search->high = last < UINT64_MAX - moved ? last + moved : UINT64_MAX;
    find_sides (search->cloud, core, centre, sides);
    gather_points (search, sides);
    rest = search->k - search->below;
    search->last = find_last (search->edge, search->nedge, rest, search->low);
    search->cost = search->sum + cost_of (search->edge, search->nedge, rest,
                                          search->last);
    search->centre = centre;
}

/* How far apart two points are in the dimension where they are farthest. */
static uint64_t farthest_apart (const struct cloud *cloud, const int64_t *a,
                                const int64_t *b)
{
    uint64_t most = 0;
    for (int d = 0; d < cloud->ndims; d++) {
        uint64_t apart = cloud_apart (cloud, d, a[d], b[d]);
        most = apart > most ? apart : most;
    }
    return most;
}

/* Whether some centre so far away may be as good as the best. */
static bool may_do (const struct mc_search *search, uint64_t moved,
                    const struct mc_best *best)
{
    wide lower = (wide)search->k * moved;
    return best->centre == SIZE_MAX || search->cost <= lower
           || search->cost - lower <= best->cost;
}

static void try_tree (struct mc_search *search, const tori_shape *core,
                      struct mc_best *best)
{
    const struct kdtree *tree = &search->tree;
    search->centre = NULL;
    search->last = 0;
    for (size_t i = 0; i < tree->n; i++) {
        const int64_t *centre = kdtree_point (tree, i);
        uint64_t moved = UINT64_MAX;
        if (search->centre) {
            moved = farthest_apart (search->cloud, search->centre, centre);
            if (!may_do (search, moved, best))
                continue;
        }
        if (moved > 0)
            look_around (search, core, centre, moved);
        consider_cost (best, search->cost, tree->index[i], core);
    }
}

static void take_points (const struct cloud *cloud, size_t k,
                         const struct mc_best *best, uint64_t *shells,
                         size_t *ret_chosen)
{
    struct side sides[TORI_MAX_DIMS];
    find_sides (cloud, &best->core, cloud_point (cloud, best->centre), sides);
    for (size_t i = 0; i < cloud->n; i++)
        shells[i] = shell_of (sides, cloud->ndims, cloud_point (cloud, i));
    collect_points (shells, cloud->n, k, find_last (shells, cloud->n, k, 0),
                    ret_chosen);
}

int mc_choose_box (const struct cloud *cloud, size_t k,
                   const tori_shape *shape, bool fixed, size_t *ret_chosen,
                   tori_error *err)
{
    struct mc_search search = {.cloud = cloud, .k = k};
    struct mc_best best = {.centre = SIZE_MAX};
    tori_shape core = *shape;
    search.edge = malloc (cloud->n * sizeof *search.edge);
    if (!search.edge)
        return tori_error_nomem (err);
    if (kdtree_init (&search.tree, cloud, err) < 0) {
        free (search.edge);
        return -1;
    }
    if (!fixed)
        tori_shape_sort (&core);
    do
        try_tree (&search, &core, &best);
    while (!fixed && tori_shape_next_rotation (&core));
    take_points (cloud, k, &best, search.edge, ret_chosen);
    kdtree_clear (&search.tree);
    free (search.edge);
    return 0;
}
