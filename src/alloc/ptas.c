/* ptas.c - within 1 + epsilon of the best, by strips and cells.
 *
 * The scheme of section 4 of Bender et al., "Communication-Aware Processor
 * Allocation for Supercomputers", 2005. In every dimension a best set falls
 * into strips of so many points each. All ways to cut the points into strips
 * are tried, and all ways to distribute k points over the cells where strips
 * cross; from a cell come those points that are farthest in the direction of
 * the majority, which is best for all distances but those within a strip.
 *
 * Strips. With L points before a strip of s points and R behind it, distances
 * within the strip are at most s^2/4 times its width, while L R pairs span
 * that width. Within an outermost strip they are at most s - 1 times the
 * distances of its points from the strip's edge, which all k - s others are
 * beyond. So all distances within strips are at most the fraction
 *
 *     a = max over inner strips of floor (s^2/4) / (L R)
 *         + sum over the two outermost of (s - 1) / (k - s)
 *
 * of the sum, and the rest is at most the best sum: the answer is within
 * 1 / (1 - a) of it. For equal strips this is the paper's lemma 3 (there with
 * s^2 for s^2/4) and lemma 4. It holds for strips of any sizes, so k need not
 * be a multiple of anything: we take sizes with the fewest strips for which
 * a is small enough: 6 for an epsilon of a half, where equal strips need 8,
 * and 11 by the paper's constants.
 *
 * Be warned that this is polynomial in n, not fast: with m strips a dimension
 * there are (n - k + m - 1 over m - 1) ways to cut each of the d dimensions.
 * The best set is among those whose strips end with a point of it, so every
 * end makes one more point known; a cutting is given up when the known points
 * are too far apart for any set better than the best so far. That changes
 * nothing in the bound.
 *
 * So cuttings are the last resort. First comes a set by Gen-Alg, improved by
 * swaps. It is the answer if it is known to be good enough:
 *
 *   - twice the least sum is at least the sum, over the k points where it is
 *     least, of the distances to their k nearest: on lines, on rings, in any
 *     metric;
 *   - Gen-Alg is within 2 - 2/k of the best, in any metric (Krumke et al.),
 *     and MM within 2 - 1/(2d) on lines (Bender et al., theorem 2), which is
 *     then asked, too.
 *
 * Otherwise it is what the cuttings have to beat. Their bound is for lines: on
 * rings it is kept where all points lie within half the ring, and otherwise
 * there is no answer.
 */
#include "ptas.h"

#include <stdlib.h>
#include <string.h>

#include "cuts.h"
#include "mm.h"
#include "policy.h"

/* Cuttings, steps in trying them, and points that we are ready for. */
static const double MOST_CUTTINGS = 1e18;
static const uint64_t MOST_STEPS = UINT64_C (1) << 29;
enum { MOST_POINTS = 4096 };

/* ---- strips ---- */

/* The largest inner strip behind `before` points of k, at most `most` of
 * them, for which the fraction is no more than `inner`. */
static size_t widest_strip (size_t k, size_t before, size_t most,
                            double inner)
{
    size_t s = 1;
    while (s < most) {
        size_t next = s + 1, behind = k - before - next;
        if ((double)(next * next / 4)
            > inner * (double)before * (double)behind)
            break;
        s = next;
    }
    return s;
}

/* Strips with `outer` points in the first and the last. */
static size_t fill_strips (size_t k, size_t outer, double inner,
                           size_t *sizes)
{
    size_t m = 0, at = outer;
    sizes[m++] = outer;
    while (at < k - outer) {
        sizes[m] = widest_strip (k, at, k - outer - at, inner);
        at += sizes[m++];
    }
    sizes[m++] = outer;
    return m;
}

size_t ptas_strips (size_t k, double epsilon, size_t *ret_sizes)
{
    double whole = epsilon / (1 + epsilon);
    size_t best = 0, best_outer = 1;
    if (k == 1) {
        ret_sizes[0] = 1;
        return 1;
    }
    for (size_t outer = 1; 2 * outer <= k; outer++) {
        double inner = whole
                       - 2 * ((double)outer - 1) / ((double)k - (double)outer);
        size_t m = inner < 0 ? 0 : fill_strips (k, outer, inner, ret_sizes);
        if (m > 0 && (best == 0 || m < best)) {
            best = m;
            best_outer = outer;
        }
    }
    return fill_strips (k, best_outer,
                        whole
                            - 2 * ((double)best_outer - 1)
                                  / ((double)k - (double)best_outer),
                        ret_sizes);
}

/* n over m. */
static double choose_of (size_t n, size_t m)
{
    double ways = 1;
    for (size_t i = 1; i <= m; i++)
        ways = ways * (double)(n - m + i) / (double)i;
    return ways;
}

/* ---- the search ---- */

struct cell {
    size_t first, count; /* in `order` */
    size_t strips[TORI_MAX_DIMS];
};

struct ptas {
    const struct cloud *cloud;
    int64_t *coords;  /* of the cloud, rings unrolled */
    size_t n, k, m;
    int ndims;
    size_t *sizes;    /* of the m strips */
    size_t *before;   /* points in the strips before */
    size_t *sorted;   /* the points by each coordinate: n a dimension */
    size_t *strip;    /* of every point: n a dimension */
    size_t *ends;     /* of the strips in `sorted`: m a dimension */
    size_t *missing;  /* points to choose in a strip: m a dimension */
    size_t *room;     /* points of later cells in a strip: m a dimension */
    size_t *full;     /* known points in a strip: m a dimension */
    bool *is_known;   /* points that the best set has, where strips end */
    size_t nknown;
    wide known_sum;
    wide *away;       /* of every point, its distances from the known */
    wide *near;       /* the least of them */
    size_t *order;    /* the points by cell, then by the cell's direction */
    amount *along;    /* how far a point is in that direction */
    struct cell *cells;
    size_t ncells;
    size_t *chosen;
    size_t nchosen;
    size_t *best;
    wide best_sum;
    bool found;
    double cuttings; /* there are at most so many */
    uint64_t steps;
};

static int64_t coord (const struct ptas *p, int dim, size_t point)
{
    return p->coords[point * (size_t)p->ndims + (size_t)dim];
}

static wide apart (int64_t a, int64_t b)
{
    return a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b;
}

static wide distance (const struct ptas *p, size_t a, size_t b)
{
    wide sum = 0;
    for (int d = 0; d < p->ndims; d++)
        sum += apart (coord (p, d, a), coord (p, d, b));
    return sum;
}

static bool worse (const struct ptas *p, wide sum)
{
    return p->found && sum >= p->best_sum;
}

/* ---- points into cells ---- */

/* Points of which more lie before the strip than behind pull back, so the
 * choice is by the sum of (L - R) x. */
static void find_directions (struct ptas *p)
{
    for (size_t i = 0; i < p->n; i++) {
        p->along[i] = 0;
        p->order[i] = i;
        for (int d = 0; d < p->ndims; d++) {
            size_t s = p->strip[(size_t)d * p->n + i];
            amount left = (amount)p->before[s];
            amount right = (amount)(p->k - p->before[s] - p->sizes[s]);
            p->along[i] += (left - right) * coord (p, d, i);
        }
    }
}

static int compare_cells (const struct ptas *p, size_t a, size_t b)
{
    for (int d = 0; d < p->ndims; d++) {
        size_t x = p->strip[(size_t)d * p->n + a];
        size_t y = p->strip[(size_t)d * p->n + b];
        if (x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}

static int compare_points (const void *a, const void *b, void *arg)
{
    const struct ptas *p = arg;
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    int cells = compare_cells (p, x, y);
    if (cells)
        return cells;
    if (p->along[x] != p->along[y])
        return p->along[x] < p->along[y] ? -1 : 1;
    return (x > y) - (x < y);
}

static void find_cells (struct ptas *p)
{
    find_directions (p);
    qsort_r (p->order, p->n, sizeof *p->order, compare_points, p);
    p->ncells = 0;
    for (size_t i = 0; i < p->n; i++) {
        struct cell *cell;
        if (i == 0 || compare_cells (p, p->order[i], p->order[i - 1])) {
            p->cells[p->ncells++] = (struct cell){.first = i};
            for (int d = 0; d < p->ndims; d++)
                p->cells[p->ncells - 1].strips[d]
                    = p->strip[(size_t)d * p->n + p->order[i]];
        }
        cell = &p->cells[p->ncells - 1];
        cell->count++;
    }
}

/* ---- counts of cells ---- */

/* Move the missing points of a cell's strips, or their room. */
static void add_to_strips (const struct ptas *p, const struct cell *cell,
                           size_t *table, size_t by)
{
    for (int d = 0; d < p->ndims; d++)
        table[(size_t)d * p->m + cell->strips[d]] += by;
}

/* The least and the most points to take from a cell: as few as later cells
 * can make up for in each of its strips, as many as are missing there. */
static bool find_range (const struct ptas *p, const struct cell *cell,
                        size_t *low, size_t *high)
{
    *low = 0;
    *high = cell->count;
    for (int d = 0; d < p->ndims; d++) {
        size_t at = (size_t)d * p->m + cell->strips[d];
        size_t missing = p->missing[at], room = p->room[at];
        if (missing < *high)
            *high = missing;
        if (missing > room && missing - room > *low)
            *low = missing - room;
    }
    return *low <= *high;
}

static void keep_best (struct ptas *p, wide sum)
{
    p->found = true;
    p->best_sum = sum;
    memcpy (p->best, p->chosen, p->k * sizeof *p->best);
}

/* Take the next point of a cell: the sum with it. */
static wide take (struct ptas *p, size_t point, wide sum)
{
    for (size_t i = 0; i < p->nchosen; i++)
        sum += distance (p, p->chosen[i], point);
    p->steps += p->nchosen;
    p->chosen[p->nchosen++] = point;
    return sum;
}

static void fill_cells (struct ptas *p, size_t at, wide sum)
{
    const struct cell *cell = &p->cells[at];
    size_t low, high, taken = 0, before = p->nchosen;
    if (worse (p, sum) || p->steps++ > MOST_STEPS)
        return;
    if (at == p->ncells) {
        keep_best (p, sum);
        return;
    }
    add_to_strips (p, cell, p->room, 0 - cell->count);
    if (find_range (p, cell, &low, &high))
        for (;;) {
            if (taken >= low) {
                add_to_strips (p, cell, p->missing, 0 - taken);
                fill_cells (p, at + 1, sum);
                add_to_strips (p, cell, p->missing, taken);
            }
            if (taken == high)
                break;
            sum = take (p, p->order[cell->first + taken++], sum);
        }
    p->nchosen = before;
    add_to_strips (p, cell, p->room, cell->count);
}

static void try_cutting (struct ptas *p)
{
    p->steps += p->n;
    find_cells (p);
    memset (p->room, 0, (size_t)p->ndims * p->m * sizeof *p->room);
    for (size_t c = 0; c < p->ncells; c++)
        add_to_strips (p, &p->cells[c], p->room, p->cells[c].count);
    for (int d = 0; d < p->ndims; d++)
        memcpy (p->missing + (size_t)d * p->m, p->sizes,
                p->m * sizeof *p->sizes);
    fill_cells (p, 0, 0);
}

/* ---- cuttings ---- */

/* Points in different strips are at least so far apart in a dimension as the
 * nearest edges of the strips: over pairs, the new strip and those before. */
static wide across (const struct ptas *p, int dim, size_t s)
{
    const size_t *sorted = p->sorted + (size_t)dim * p->n;
    const size_t *ends = p->ends + (size_t)dim * p->m;
    int64_t edge = coord (p, dim, sorted[ends[s - 1]]);
    wide sum = 0;
    for (size_t i = 0; i < s; i++)
        sum += apart (coord (p, dim, sorted[ends[i] - 1]), edge) * p->sizes[i]
               * p->sizes[s];
    return sum;
}

/* Know of a point that it is in the best set, unless that was known. Its
 * strips must have room for it. */
static bool know (struct ptas *p, int dims, size_t point)
{
    bool fits = p->nknown < p->k;
    for (int d = 0; d < dims; d++) {
        size_t s = p->strip[(size_t)d * p->n + point];
        fits = ++p->full[(size_t)d * p->m + s] <= p->sizes[s] && fits;
    }
    p->steps += p->n;
    p->known_sum += p->away[point];
    p->is_known[point] = true;
    p->nknown++;
    for (size_t i = 0; i < p->n; i++)
        p->away[i] += distance (p, i, point);
    return fits;
}

static void forget (struct ptas *p, int dims, size_t point)
{
    for (size_t i = 0; i < p->n; i++)
        p->away[i] -= distance (p, i, point);
    p->is_known[point] = false;
    p->nknown--;
    p->known_sum -= p->away[point];
    for (int d = 0; d < dims; d++)
        p->full[(size_t)d * p->m + p->strip[(size_t)d * p->n + point]]--;
}

/* The known points, and as many others as are missing, those nearest to the
 * known ones: their distances from these, and none among themselves. */
static wide known_bound (struct ptas *p)
{
    size_t missing = p->k - p->nknown, nearest = 0;
    wide sum = p->known_sum;
    for (size_t i = 0; i < p->n; i++) {
        size_t at = nearest;
        if (p->is_known[i])
            continue;
        for (; at > 0 && p->near[at - 1] > p->away[i]; at--)
            if (at < missing)
                p->near[at] = p->near[at - 1];
        if (at < missing)
            p->near[at] = p->away[i];
        nearest += nearest < missing;
    }
    for (size_t i = 0; i < missing; i++)
        sum += p->near[i];
    return sum;
}

/* Put the points from `first` to `end` of a dimension into strip s. Returns
 * whether there is room for those that are known. */
static bool fill_strip (struct ptas *p, int dim, size_t s, size_t first,
                        size_t end)
{
    size_t *full = &p->full[(size_t)dim * p->m + s];
    *full = 0;
    for (size_t i = first; i < end; i++) {
        size_t point = p->sorted[(size_t)dim * p->n + i];
        p->strip[(size_t)dim * p->n + point] = s;
        *full += p->is_known[point];
    }
    return *full <= p->sizes[s];
}

static void cut_strips (struct ptas *p, int dim, size_t s, wide sum);

static void go_on (struct ptas *p, int dim, size_t s, wide sum)
{
    if (s + 1 < p->m)
        cut_strips (p, dim, s + 1, sum);
    else if (dim + 1 < p->ndims)
        cut_strips (p, dim + 1, 0, sum);
    else
        try_cutting (p);
}

/* Let the strip end here, with a point of the best set unless it is the last
 * strip; go on with the next, or the next dimension. */
static void end_strip (struct ptas *p, int dim, size_t s, size_t end,
                       wide sum)
{
    size_t *ends = p->ends + (size_t)dim * p->m;
    size_t last = p->sorted[(size_t)dim * p->n + end - 1];
    bool fits = fill_strip (p, dim, s, s > 0 ? ends[s - 1] : 0, end);
    ends[s] = end;
    if (!fits)
        return;
    if (s + 1 == p->m || p->is_known[last]) {
        go_on (p, dim, s, sum);
        return;
    }
    if (know (p, dim + 1, last) && !worse (p, known_bound (p)))
        go_on (p, dim, s, sum);
    forget (p, dim + 1, last);
}

/* Every end of strip s that leaves it and those behind it enough points. */
static void cut_strips (struct ptas *p, int dim, size_t s, wide sum)
{
    size_t first = s > 0 ? p->ends[(size_t)dim * p->m + s - 1] : 0;
    size_t behind = p->k - p->before[s] - p->sizes[s];
    if (s > 0)
        sum += across (p, dim, s);
    if (worse (p, sum) || p->steps++ > MOST_STEPS)
        return;
    if (s + 1 == p->m) {
        end_strip (p, dim, s, p->n, sum);
        return;
    }
    for (size_t end = first + p->sizes[s]; end + behind <= p->n; end++)
        end_strip (p, dim, s, end, sum);
}

/* ---- setting up ---- */

struct sorting {
    const struct ptas *p;
    int dim;
};

static int compare_coords (const void *a, const void *b, void *arg)
{
    const struct sorting *sorting = arg;
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    int64_t at_x = coord (sorting->p, sorting->dim, x);
    int64_t at_y = coord (sorting->p, sorting->dim, y);
    if (at_x != at_y)
        return at_x < at_y ? -1 : 1;
    return (x > y) - (x < y);
}

static void sort_points (struct ptas *p)
{
    for (int d = 0; d < p->ndims; d++) {
        struct sorting sorting = {p, d};
        size_t *sorted = p->sorted + (size_t)d * p->n;
        for (size_t i = 0; i < p->n; i++)
            sorted[i] = i;
        qsort_r (sorted, p->n, sizeof *sorted, compare_coords, &sorting);
    }
}

static int ptas_create (struct ptas *p, tori_error *err)
{
    size_t nd = p->n * (size_t)p->ndims, md = p->m * (size_t)p->ndims;
    p->before = calloc (p->m, sizeof *p->before);
    p->sorted = malloc (nd * sizeof *p->sorted);
    p->strip = calloc (nd, sizeof *p->strip);
    p->ends = calloc (md, sizeof *p->ends);
    p->missing = calloc (md, sizeof *p->missing);
    p->room = calloc (md, sizeof *p->room);
    p->full = calloc (md, sizeof *p->full);
    p->is_known = calloc (p->n, sizeof *p->is_known);
    p->away = calloc (p->n, sizeof *p->away);
    p->near = calloc (p->k, sizeof *p->near);
    p->order = malloc (p->n * sizeof *p->order);
    p->along = malloc (p->n * sizeof *p->along);
    p->cells = calloc (p->n + 1, sizeof *p->cells);
    p->chosen = malloc (p->k * sizeof *p->chosen);
    p->best = malloc (p->k * sizeof *p->best);
    if (!p->before || !p->sorted || !p->strip || !p->ends || !p->missing
        || !p->room || !p->full || !p->is_known || !p->away || !p->near
        || !p->order || !p->along || !p->cells || !p->chosen
        || !p->best)
        return tori_error_nomem (err);
    for (size_t s = 1; s < p->m; s++)
        p->before[s] = p->before[s - 1] + p->sizes[s - 1];
    sort_points (p);
    return 0;
}

static void ptas_clear (struct ptas *p)
{
    free (p->coords);
    free (p->sizes);
    free (p->before);
    free (p->sorted);
    free (p->strip);
    free (p->ends);
    free (p->missing);
    free (p->room);
    free (p->full);
    free (p->is_known);
    free (p->away);
    free (p->near);
    free (p->order);
    free (p->along);
    free (p->cells);
    free (p->chosen);
    free (p->best);
}

/* How far up the ring from `from`. */
static uint64_t up_ring (uint64_t ring, int64_t from, int64_t to)
{
    return to < from ? ring - ((uint64_t)from - (uint64_t)to)
                     : (uint64_t)to - (uint64_t)from;
}

/* Count the coordinates of a ring from one of them on, such that all are
 * within half the ring; -1 if there is none. */
static int unroll (struct ptas *p, int dim)
{
    uint64_t ring = p->cloud->ring[dim];
    for (size_t from = 0; ring && from < p->n; from++) {
        int64_t start = cloud_point (p->cloud, from)[dim];
        bool within = true;
        for (size_t i = 0; i < p->n && within; i++) {
            uint64_t up = up_ring (ring, start,
                                   cloud_point (p->cloud, i)[dim]);
            p->coords[i * (size_t)p->ndims + (size_t)dim] = (int64_t)up;
            within = up <= ring / 2;
        }
        if (within)
            return 0;
    }
    return ring ? -1 : 0;
}

static int copy_coords (struct ptas *p, tori_error *err)
{
    size_t n = p->n * (size_t)p->ndims;
    p->coords = malloc (n * sizeof *p->coords);
    if (!p->coords)
        return tori_error_nomem (err);
    memcpy (p->coords, p->cloud->coords, n * sizeof *p->coords);
    for (int d = 0; d < p->ndims; d++)
        if (unroll (p, d) < 0)
            return tori_error_set (err, TORI_INVALID,
                                   "ptas finds no set that it knows to be "
                                   "within this epsilon: its cuttings are "
                                   "for lines, and the points lie round "
                                   "dimension %d",
                                   d);
    return 0;
}

/* ---- the cuttings ---- */

static int plan_strips (struct ptas *p, double epsilon, tori_error *err)
{
    p->sizes = malloc ((p->k + 2) * sizeof *p->sizes);
    if (!p->sizes)
        return tori_error_nomem (err);
    p->m = ptas_strips (p->k, epsilon, p->sizes);
    p->cuttings = 1;
    for (int d = 0; d < p->ndims; d++)
        p->cuttings *= choose_of (p->n - p->k + p->m - 1, p->m - 1);
    if (p->cuttings > MOST_CUTTINGS)
        return tori_error_set (err, TORI_INVALID,
                               "ptas is for small instances: there are %.2g "
                               "ways to cut %zu points into %zu strips a "
                               "dimension, and it is not tried with more "
                               "than %.2g",
                               p->cuttings, p->n, p->m, MOST_CUTTINGS);
    return 0;
}

static int compare_sizes (const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

static int try_all (struct ptas *p, size_t *ret_chosen, tori_error *err)
{
    cut_strips (p, 0, 0, 0);
    if (p->steps > MOST_STEPS)
        return tori_error_set (err, TORI_INVALID,
                               "ptas gave up after %.2g steps, its limit: "
                               "there are %.2g ways to cut %zu points into "
                               "%zu strips a dimension",
                               (double)MOST_STEPS, p->cuttings, p->n, p->m);
    qsort (p->best, p->k, sizeof *p->best, compare_sizes);
    memcpy (ret_chosen, p->best, p->k * sizeof *p->best);
    return 0;
}

int ptas_cut (const struct cloud *cloud, size_t k, double epsilon,
              const size_t *start, size_t *ret_chosen, tori_error *err)
{
    struct ptas p = {.cloud = cloud, .n = cloud->n, .k = k,
                     .ndims = cloud->ndims, .found = start != NULL};
    int status = -1;
    if (copy_coords (&p, err) == 0 && plan_strips (&p, epsilon, err) == 0
        && ptas_create (&p, err) == 0
        && (!start || cloud_pairwise (cloud, start, k, &p.best_sum, err) == 0)) {
        if (start)
            memcpy (p.best, start, k * sizeof *p.best);
        status = try_all (&p, ret_chosen, err);
    }
    ptas_clear (&p);
    return status;
}

/* ---- what is good enough at once ---- */

/* Put a value in place of the top of a heap, the greatest. */
static void replace_top (wide *heap, size_t n, wide value)
{
    size_t at = 0, child;
    while ((child = 2 * at + 1) < n) {
        if (child + 1 < n && heap[child] < heap[child + 1])
            child++;
        if (heap[child] <= value)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = value;
}

/* The sum of the k least of n values. */
static wide sum_of_least (const wide *values, size_t n, size_t k, wide *heap)
{
    wide sum = 0;
    for (size_t i = 0; i < k; i++)
        heap[i] = ~(wide)0;
    for (size_t i = 0; i < n; i++)
        if (values[i] < heap[0])
            replace_top (heap, k, values[i]);
    for (size_t i = 0; i < k; i++)
        sum += heap[i];
    return sum;
}

/* So much is twice the sum of any k points at least. -1 without memory. */
static int star_bound (const struct cloud *cloud, size_t k, wide *ret_bound,
                       tori_error *err)
{
    size_t n = cloud->n;
    wide *room = malloc ((2 * n + k) * sizeof *room);
    wide *distances = room, *stars = room + n;
    if (!room)
        return tori_error_nomem (err);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            distances[j] = cloud_distance (cloud, cloud_point (cloud, i),
                                           cloud_point (cloud, j));
        stars[i] = sum_of_least (distances, n, k, room + 2 * n);
    }
    *ret_bound = sum_of_least (stars, n, k, room + 2 * n);
    free (room);
    return 0;
}

static bool on_lines (const struct cloud *cloud)
{
    for (int d = 0; d < cloud->ndims; d++)
        if (cloud->ring[d])
            return false;
    return true;
}

/* A set that is within 1 + epsilon for one of the reasons above: 1 if it is,
 * 0 if that is not known. */
static int good_enough (const struct cloud *cloud, size_t k, double epsilon,
                        size_t *ret_chosen, tori_error *err)
{
    tori_alloc_options none = {0};
    double d = cloud->ndims;
    wide sum = 0, bound = 0;
    if (on_lines (cloud) && epsilon >= 1 - 1 / (2 * d)
        && epsilon < 1 - 2 / (double)k)
        return mm_choose (cloud, k, &none, ret_chosen, err) < 0
                       || mm_improve (cloud, k, ret_chosen, err) < 0
                   ? -1
                   : 1;
    if (gen_alg_choose (cloud, k, &none, ret_chosen, err) < 0
        || mm_improve (cloud, k, ret_chosen, err) < 0
        || cloud_pairwise (cloud, ret_chosen, k, &sum, err) < 0
        || star_bound (cloud, k, &bound, err) < 0)
        return -1;
    return k == cloud->n || epsilon >= 1 - 2 / (double)k
           || (double)(2 * sum) * (1 + 1e-12)
                  <= (1 + epsilon) * (double)bound;
}

/* ---- the allocator ---- */

static int choose (const struct cloud *cloud, size_t k,
                   const tori_alloc_options *options, size_t *ret_chosen,
                   tori_error *err)
{
    double epsilon = options->epsilon == 0 ? 0.5 : options->epsilon;
    size_t *start;
    int status;
    if (!(epsilon > 0))
        return tori_error_set (err, TORI_INVALID,
                               "epsilon must be above 0");
    if (cloud->n > MOST_POINTS)
        return tori_error_set (err, TORI_INVALID,
                               "ptas is for up to %d points, not for %zu",
                               MOST_POINTS, cloud->n);
    start = malloc (k * sizeof *start);
    if (!start)
        return tori_error_nomem (err);
    status = good_enough (cloud, k, epsilon, start, err);
    if (status > 0)
        memcpy (ret_chosen, start, k * sizeof *start);
    else if (status == 0)
        status = ptas_cut (cloud, k, epsilon, start, ret_chosen, err);
    free (start);
    return status < 0 ? -1 : 0;
}

const struct alloc_ops ptas_ops = {
    .info = {
        .name = "ptas",
        .summary = "within 1 + epsilon of the least sum; for tiny requests",
        .takes = TORI_BY_COUNT,
        .points = true,
        .small = true,
        .epsilon = true,
    },
    .choose = choose,
};
