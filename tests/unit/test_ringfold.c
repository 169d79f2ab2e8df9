/* Tori and meshes folded into boxes, neighbours one hop apart: every map that
 * there is up to a size, checked edge by edge, and compared with a search that
 * tries all maps. */
#include <string.h>

#include "support.h"

#include "ringfold.h"

enum { MOST = 512 }; /* nodes */

/* ---- graphs, by their definition ---- */

/* A product of lines, of which some are rings. */
struct grid_graph {
    uint32_t nodes;
    int degree[MOST];
    uint32_t next[MOST][2 * TORI_MAX_DIMS];
};

static uint32_t id_of (const tori_shape *shape, const uint32_t coords[])
{
    uint32_t id = 0;
    for (int d = 0; d < shape->ndims; d++)
        id = id * shape->size[d] + coords[d];
    return id;
}

static void coords_of (const tori_shape *shape, uint32_t id, uint32_t coords[])
{
    for (int d = shape->ndims - 1; d >= 0; d--) {
        coords[d] = id % shape->size[d];
        id /= shape->size[d];
    }
}

static bool joined (const struct grid_graph *graph, uint32_t a, uint32_t b)
{
    for (int i = 0; i < graph->degree[a]; i++)
        if (graph->next[a][i] == b)
            return true;
    return false;
}

static void join (struct grid_graph *graph, uint32_t a, uint32_t b)
{
    if (a != b && !joined (graph, a, b))
        graph->next[a][graph->degree[a]++] = b;
}

static void draw (struct grid_graph *graph, const tori_shape *shape,
                  uint32_t rings)
{
    uint32_t coords[TORI_MAX_DIMS];
    graph->nodes = (uint32_t)tori_shape_volume (shape);
    memset (graph->degree, 0, sizeof graph->degree);
    for (uint32_t i = 0; i < graph->nodes; i++)
        for (int d = 0; d < shape->ndims; d++)
            for (int step = -1; step <= 1; step += 2) {
                uint32_t size = shape->size[d], to;
                coords_of (shape, i, coords);
                to = coords[d] + (uint32_t)step;
                if (to >= size && !(rings >> d & 1))
                    continue;
                coords[d] = (coords[d] + size + (uint32_t)step) % size;
                join (graph, i, id_of (shape, coords));
            }
}

/* ---- a map is what it should be ---- */

static void assert_carries (const tori_shape *job, const tori_shape *box,
                            const struct ringfold *fold)
{
    static struct grid_graph of_job, of_box;
    uint32_t map[MOST], coords[TORI_MAX_DIMS], to[TORI_MAX_DIMS];
    bool taken[MOST] = {false};
    draw (&of_job, job, fold->lines ? 0 : UINT32_MAX);
    draw (&of_box, box, fold->closed);
    for (uint32_t i = 0; i < of_job.nodes; i++) {
        coords_of (job, i, coords);
        ringfold_coords (fold, coords, to);
        for (int d = 0; d < box->ndims; d++)
            assert_true (to[d] < box->size[d]);
        map[i] = id_of (box, to);
        assert_false (taken[map[i]]);
        taken[map[i]] = true;
    }
    for (uint32_t i = 0; i < of_job.nodes; i++)
        for (int k = 0; k < of_job.degree[i]; k++)
            assert_true (joined (&of_box, map[i], map[of_job.next[i][k]]));
}

/* ---- all maps ---- */

struct embedding {
    struct grid_graph job, box;
    uint32_t order[MOST], place[MOST];
    bool used[MOST], placed[MOST];
};

/* Nodes of the job, each next to one before it. */
static void order_nodes (struct embedding *e)
{
    bool seen[MOST] = {true};
    uint32_t n = 1;
    e->order[0] = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t node = e->order[i];
        for (int k = 0; k < e->job.degree[node]; k++) {
            uint32_t next = e->job.next[node][k];
            if (!seen[next])
                e->order[n++] = next;
            seen[next] = true;
        }
    }
}

static bool extend (struct embedding *e, uint32_t i);

static bool try_at (struct embedding *e, uint32_t i, uint32_t at)
{
    uint32_t node = e->order[i];
    bool found = !e->used[at];
    for (int k = 0; found && k < e->job.degree[node]; k++) {
        uint32_t next = e->job.next[node][k];
        found = !e->placed[next] || joined (&e->box, at, e->place[next]);
    }
    if (!found)
        return false;
    e->used[at] = e->placed[node] = true;
    e->place[node] = at;
    found = extend (e, i + 1);
    e->used[at] = e->placed[node] = false;
    return found;
}

/* Beside the place of a neighbour that has one. */
static bool extend (struct embedding *e, uint32_t i)
{
    uint32_t node, from;
    int k = 0;
    if (i == e->job.nodes)
        return true;
    node = e->order[i];
    while (!e->placed[e->job.next[node][k]])
        k++;
    from = e->place[e->job.next[node][k]];
    for (k = 0; k < e->box.degree[from]; k++)
        if (try_at (e, i, e->box.next[from][k]))
            return true;
    return false;
}

/* No node of the job has fewer neighbours than the first. */
static bool exists (const tori_shape *job, bool lines, const tori_shape *box,
                    uint32_t rings)
{
    static struct embedding e;
    memset (e.used, 0, sizeof e.used);
    memset (e.placed, 0, sizeof e.placed);
    draw (&e.job, job, lines ? 0 : UINT32_MAX);
    draw (&e.box, box, rings);
    if (e.job.nodes == 1)
        return true;
    for (uint32_t i = 0; i < e.box.nodes; i++)
        if (e.box.degree[i] < e.job.degree[0])
            return false;
    order_nodes (&e);
    for (uint32_t i = 0; i < e.box.nodes; i++)
        if (try_at (&e, 0, i))
            return true;
    return false;
}

/* ---- every job, every box ---- */

typedef void pair_fn (const tori_shape *job, const tori_shape *box);

/* Shapes of `ndims` sides with this volume, one after the other. */
static bool next_shape (tori_shape *shape, uint32_t volume)
{
    for (;;) {
        int d = shape->ndims - 1;
        while (d >= 0 && shape->size[d] == volume)
            shape->size[d--] = 1;
        if (d < 0)
            return false;
        shape->size[d]++;
        if (tori_shape_volume (shape) == volume)
            return true;
    }
}

static tori_shape ones (int ndims)
{
    tori_shape shape = {.ndims = ndims};
    for (int d = 0; d < ndims; d++)
        shape.size[d] = 1;
    return shape;
}

/* Jobs in all rotations, too. */
static void each_pair (uint32_t volume, int ndims, pair_fn *visit)
{
    tori_shape job = ones (ndims);
    while (next_shape (&job, volume)) {
        tori_shape box = ones (ndims);
        while (next_shape (&box, volume))
            visit (&job, &box);
    }
}

static size_t maps;

static bool find (const tori_shape *job, bool lines, const tori_shape *box,
                  uint32_t closable, struct ringfold *ret_fold)
{
    return (lines ? ringfold_find_lines : ringfold_find) (job, box, closable,
                                                          ret_fold);
}

/* The closed rings do not depend on the order of the job's sides. */
static uint32_t closed_sorted (const tori_shape *job, bool lines,
                               const tori_shape *box, uint32_t closable)
{
    tori_shape sorted = *job;
    struct ringfold fold;
    tori_shape_sort (&sorted);
    assert_true (find (&sorted, lines, box, closable, &fold));
    return fold.closed;
}

static void check_maps (const tori_shape *job, const tori_shape *box)
{
    for (uint32_t i = 0; i < 2U << box->ndims; i++) {
        struct ringfold fold;
        uint32_t closable = i / 2;
        bool lines = i % 2;
        if (!find (job, lines, box, closable, &fold))
            continue;
        assert_int_equal (fold.closed & ~closable, 0);
        assert_int_equal (fold.closed,
                          closed_sorted (job, lines, box, closable));
        assert_carries (job, box, &fold);
        maps++;
    }
}

TEST (maps)
{
    maps = 0;
    for (uint32_t volume = 2; volume <= 48; volume++)
        each_pair (volume, 3, check_maps);
    each_pair (16, 4, check_maps);
    each_pair (24, 4, check_maps);
    print_message ("# %zu maps\n", maps);
    assert_true (maps > 1000);
}

static void check_mesh (const char *job, const char *box, uint32_t closable,
                        uint32_t closed)
{
    tori_shape a = make_shape (job), b = make_shape (box);
    struct ringfold fold;
    assert_true (ringfold_find_lines (&a, &b, closable, &fold));
    assert_int_equal (fold.closed, closed);
    assert_carries (&a, &b, &fold);
    assert_false (closed && ringfold_find_lines (&a, &b, 0, &fold));
}

static void check_larger (const char *job, const char *box, uint32_t closable,
                          uint32_t closed)
{
    tori_shape a = make_shape (job), b = make_shape (box);
    struct ringfold fold;
    assert_true (ringfold_find (&a, &b, closable, &fold));
    assert_int_equal (fold.closed, closed);
    assert_carries (&a, &b, &fold);
}

/* The folds that people ask for by name. */
TEST (named)
{
    check_larger ("64", "4x4x4", 0, 0);
    check_larger ("16x8", "8x8x2", 2, 2); /* A/2 x B x 2 */
    check_larger ("32x8", "8x8x4", 2, 2); /* A/4 x B x 4 */
    check_larger ("16x16", "8x8x4", 4, 4); /* A/2 x B/2 x 4 */
    check_larger ("2x8x8", "4x4x8", 5, 5); /* 4 x b/2 x c */
    check_larger ("2x2x2", "2x2x2", 7, 0);
    check_larger ("8x4x2", "4x4x4", 7, 5);
    check_larger ("27", "3x3x3", 2, 2);
    check_larger ("45x4", "3x15x4", 7, 5);
    check_mesh ("2x6x10", "4x6x5", 7, 1);
    check_mesh ("2x6x10", "4x3x10", 1, 1);
    check_mesh ("6x10", "3x2x10", 0, 0);
    check_mesh ("9x7", "3x7x3", 0, 0);
}

/* The fewest closed dimensions with which there is a map, or -1. */
static int least_closed (const tori_shape *job, bool lines,
                         const tori_shape *box, uint32_t closable)
{
    int least = -1;
    for (uint32_t rings = 0; rings < 1U << box->ndims; rings++) {
        int n = __builtin_popcount (rings);
        if (!(rings & ~closable) && (least < 0 || n < least)
            && exists (job, lines, box, rings))
            least = n;
    }
    return least;
}

static void check_each (const tori_shape *job, bool lines,
                        const tori_shape *box)
{
    for (uint32_t closable = 0; closable < 1U << box->ndims; closable++) {
        struct ringfold fold;
        int least = least_closed (job, lines, box, closable);
        bool found = find (job, lines, box, closable, &fold);
        assert_int_equal (found ? __builtin_popcount (fold.closed) : -1,
                          least);
    }
}

static void check_all (const tori_shape *job, const tori_shape *box)
{
    check_each (job, false, box);
}

static void check_all_lines (const tori_shape *job, const tori_shape *box)
{
    check_each (job, true, box);
}

/* None is missed, and none closes more than it must. */
TEST (none_missed)
{
    for (uint32_t volume = 2; volume <= 20; volume++)
        each_pair (volume, 3, check_all);
    each_pair (16, 4, check_all);
    for (uint32_t volume = 2; volume <= 12; volume++)
        each_pair (volume, 3, check_all_lines);
}
