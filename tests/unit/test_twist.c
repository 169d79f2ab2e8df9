/* Twisted tori, against their links: every distance by a search, and the
 * fewest links between halves by trying all halves. */
#include <string.h>

#include "support.h"

#include "twist.h"

enum { MOST = 1024 };

struct wires {
    uint32_t n;
    int degree[MOST];
    uint32_t next[MOST][8];
};

static uint32_t number (const tori_shape *shape, const uint32_t at[])
{
    uint32_t id = 0;
    for (int d = 0; d < shape->ndims; d++)
        id = id * shape->size[d] + at[d];
    return id;
}

/* A link from every node along every dimension; a twisted wrap leads k
 * further in the long ones. */
static void lay (struct wires *wires, const tori_shape *shape, uint32_t k)
{
    uint32_t at[TORI_MAX_DIMS] = {0};
    memset (wires->degree, 0, sizeof wires->degree);
    wires->n = 0;
    do {
        for (int d = 0; d < shape->ndims; d++) {
            uint32_t to[TORI_MAX_DIMS], a = number (shape, at), b;
            memcpy (to, at, sizeof to);
            to[d] = (at[d] + 1) % shape->size[d];
            for (int e = 0; e < shape->ndims; e++)
                if (k && to[d] == 0 && shape->size[d] == k
                    && shape->size[e] != k)
                    to[e] = (to[e] + k) % shape->size[e];
            b = number (shape, to);
            wires->next[a][wires->degree[a]++] = b;
            wires->next[b][wires->degree[b]++] = a;
        }
        wires->n++;
    } while (count_up (at, shape->size, shape->ndims));
}

/* Hops from one node to all. */
static void search (const struct wires *wires, uint32_t from, uint32_t hops[])
{
    uint32_t line[MOST], n = 1;
    memset (hops, 0xff, wires->n * sizeof *hops);
    hops[from] = 0;
    line[0] = from;
    for (uint32_t i = 0; i < n; i++)
        for (int j = 0; j < wires->degree[line[i]]; j++) {
            uint32_t to = wires->next[line[i]][j];
            if (hops[to] == UINT32_MAX) {
                hops[to] = hops[line[i]] + 1;
                line[n++] = to;
            }
        }
}

static void check (const char *text, bool twisted)
{
    static struct wires wires;
    tori_shape shape = make_shape (text);
    uint32_t k = twisted ? twist_side (&shape) : 0, hops[MOST];
    uint32_t a[TORI_MAX_DIMS] = {0}, diameter = 0;
    struct twist_measures is = twist_measure (&shape, k);
    uint64_t sum = 0;
    lay (&wires, &shape, k);
    do {
        uint32_t b[TORI_MAX_DIMS] = {0};
        search (&wires, number (&shape, a), hops);
        do {
            uint32_t to = hops[number (&shape, b)];
            assert_int_equal (twist_distance (&shape, k, a, b), to);
            sum += to;
            diameter = to > diameter ? to : diameter;
        } while (count_up (b, shape.size, shape.ndims));
    } while (count_up (a, shape.size, shape.ndims));
    assert_int_equal (is.diameter, diameter);
    assert_true (is.average * wires.n * (wires.n - 1) - (double)sum < 1e-3);
    assert_true ((double)sum - is.average * wires.n * (wires.n - 1) < 1e-3);
}

static const char *const shapes[] = {"2x4",   "6x3",   "4x8",   "2x2x4",
                                     "2x4x4", "3x3x6", "6x3x6", "4x8x4",
                                     "4x8x8"};

TEST (distances)
{
    for (size_t i = 0; i < LENGTH (shapes); i++) {
        check (shapes[i], false);
        check (shapes[i], true);
    }
}

TEST (which)
{
    static const char *const none[] = {"1x2", "4x4", "4x4x4", "4x6", "4x16",
                                       "1x1x2", "4", "2x4x8"};
    for (size_t i = 0; i < LENGTH (none); i++) {
        tori_shape shape = make_shape (none[i]);
        assert_int_equal (twist_side (&shape), 0);
    }
}

/* ---- halves ---- */

struct halving {
    const struct wires *wires;
    int side[MOST]; /* -1, 1; 0: not yet */
    uint32_t count[2];
    uint64_t best;
};

/* Links that will be cut whatever happens: of a node without a side, the
 * fewer of those to the two sides. */
static uint64_t at_least (const struct halving *h, uint64_t cut)
{
    for (uint32_t i = 0; i < h->wires->n; i++) {
        int to[2] = {0, 0};
        for (int j = 0; h->side[i] == 0 && j < h->wires->degree[i]; j++) {
            int side = h->side[h->wires->next[i][j]];
            if (side)
                to[side > 0]++;
        }
        cut += (uint64_t)(to[0] < to[1] ? to[0] : to[1]);
    }
    return cut;
}

static void halve (struct halving *h, const uint32_t order[], uint32_t i,
                   uint64_t cut)
{
    uint32_t node = order[i];
    if (at_least (h, cut) >= h->best)
        return;
    if (i == h->wires->n) {
        h->best = cut;
        return;
    }
    for (int side = -1; side <= (i == 0 ? -1 : 1); side += 2) {
        uint64_t more = 0;
        if (2 * h->count[side > 0] == h->wires->n)
            continue;
        for (int j = 0; j < h->wires->degree[node]; j++)
            more += h->side[h->wires->next[node][j]] == -side;
        h->side[node] = side;
        h->count[side > 0]++;
        halve (h, order, i + 1, cut + more);
        h->count[side > 0]--;
        h->side[node] = 0;
    }
}

/* In the order of distance from node 0. */
static uint64_t fewest (const struct wires *wires)
{
    struct halving h = {.wires = wires, .best = UINT64_MAX};
    uint32_t hops[MOST], order[MOST + 1] = {0}, n = 0;
    search (wires, 0, hops);
    for (uint32_t far = 0; n < wires->n; far++)
        for (uint32_t i = 0; i < wires->n; i++)
            if (hops[i] == far)
                order[n++] = i;
    halve (&h, order, 0, 0);
    return h.best;
}

TEST (halves)
{
    static const char *const small[] = {"2x4", "6x3", "4x8", "2x2x4",
                                        "2x4x4"};
    static struct wires wires;
    for (size_t i = 0; i < LENGTH (small); i++)
        for (int twisted = 0; twisted < 2; twisted++) {
            tori_shape shape = make_shape (small[i]);
            uint32_t k = twisted ? twist_side (&shape) : 0;
            lay (&wires, &shape, k);
            assert_int_equal (twist_bisection (&shape, k), fewest (&wires));
        }
}
