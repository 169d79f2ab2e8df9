/* whyshapes.c - the shapes that an explanation asks for.
 *
 * On a small machine these are all there are. A larger one has too many: their
 * sides are its longest side and parts of that, several between one power of
 * two of it and the next, so that one is close to any shape. The largest free
 * box is always among them. */
#include <stdlib.h>

#include "build.h"
#include "whywork.h"

/* A search for each takes some microseconds, and each job may ask for all. */
enum { MOST = 1024 };

/* ---- sides ---- */

struct side_list {
    uint32_t at[MOST];
    size_t n;
};

/* Sides from the longest down to 1: all, or so many parts from each power of
 * two to the next. False if there are too many. */
static bool pick_sides (uint32_t longest, unsigned parts, struct side_list *ret)
{
    uint64_t side = longest;
    ret->n = 0;
    for (unsigned i = 0; side >= 1 && ret->n < MOST;) {
        ret->at[ret->n++] = (uint32_t)side;
        if (side == 1)
            return true;
        if (parts == 0) {
            side--;
            continue;
        }
        do {
            i++;
            side = ((uint64_t)longest * (2 * parts - i % parts)
                    >> (i / parts))
                   / (2 * parts);
        } while (side >= ret->at[ret->n - 1]);
        if (side == 0)
            side = 1;
    }
    return false;
}

/* How many shapes have sides among so many, or MOST and one more. */
static size_t count_shapes (size_t nsides, int ndims)
{
    uint64_t n = 1;
    for (int d = 1; d <= ndims && n <= MOST; d++)
        n = n * (nsides - 1 + (size_t)d) / (size_t)d;
    return n <= MOST ? (size_t)n : MOST + 1;
}

/* All sides if that is possible, or as many as are. */
static bool choose_sides (uint32_t longest, int ndims, struct side_list *ret)
{
    static const unsigned parts[] = {0, 16, 8, 4, 2, 1};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (pick_sides (longest, parts[i], ret)
            && count_shapes (ret->n, ndims) <= MOST)
            return parts[i] == 0;
    *ret = (struct side_list){{longest, (longest + 1) / 2, 1}, 3};
    return false;
}

/* ---- shapes ---- */

static int compare_shapes (const void *a, const void *b)
{
    const tori_shape *x = a, *y = b;
    uint64_t p = tori_shape_volume (x), q = tori_shape_volume (y);
    if (p != q)
        return p > q ? -1 : 1;
    for (int d = x->ndims - 1; d >= 0; d--)
        if (x->size[d] != y->size[d])
            return x->size[d] < y->size[d] ? -1 : 1;
    return 0;
}

/* Sides go up, so their indexes go down. */
static void add_shapes (struct whywork *work, const struct side_list *sides,
                        tori_shape *shape, int dim, size_t first)
{
    if (dim == shape->ndims) {
        if (work->nshapes < MOST)
            work->shapes[work->nshapes++] = *shape;
        return;
    }
    for (size_t i = first + 1; i-- > 0;) {
        shape->size[dim] = sides->at[i];
        add_shapes (work, sides, shape, dim + 1, i);
    }
}

static void add_largest (struct whywork *work, int ndims)
{
    tori_shape shape = work->largest.shape;
    if (shape.ndims != ndims || tori_machine_is_pod (work->machine))
        return;
    tori_shape_sort (&shape);
    for (size_t i = 0; i < work->nshapes; i++)
        if (tori_shape_equal (&shape, &work->shapes[i]))
            return;
    work->shapes[work->nshapes++] = shape;
}

int shapes_list (struct whywork *work, tori_error *err)
{
    const tori_shape whole = longest_sides (work->machine);
    tori_shape shape = {.ndims = whole.ndims};
    uint32_t longest = 0;
    struct side_list sides;
    for (int d = 0; d < whole.ndims; d++)
        longest = whole.size[d] > longest ? whole.size[d] : longest;
    work->all_shapes = choose_sides (longest, whole.ndims, &sides);
    work->shapes = calloc (MOST + 1, sizeof *work->shapes);
    if (!work->shapes)
        return tori_error_nomem (err);
    add_shapes (work, &sides, &shape, 0, sides.n - 1);
    if (!work->all_shapes)
        add_largest (work, whole.ndims);
    qsort (work->shapes, work->nshapes, sizeof shape, compare_shapes);
    work->fits = calloc (16 * work->nshapes, sizeof *work->fits);
    return work->fits ? 0 : tori_error_nomem (err);
}
