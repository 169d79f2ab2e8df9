/* ptas_scheme.c - the scheme as a whole: what it needs, and how long it is.
 *
 * Sets up the courses and the memory, counts the ways to cut before any is
 * tried, so that what would never end is not begun, and tells what became of
 * the search.
 */
#include "ptas_scheme.h"

#include <stdlib.h>
#include <string.h>

#include "ptas.h"
#include "stars.h"

/* Cuttings that we are ready for. */
static const double MOST_CUTTINGS = 1e18;

/* What a user can do about it. */
#define INSTEAD                                                               \
    "; a larger epsilon, fewer points or more steps may do, and gen-alg "      \
    "always answers"

/* So many nearest points are known of every point. */
enum { MOST_NEAREST = 64 };

/* ---- setting up ---- */

static int compare_order (const void *a, const void *b, void *arg)
{
    const struct course *course = arg;
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    if (course->at[x] != course->at[y])
        return course->at[x] < course->at[y] ? -1 : 1;
    return (x > y) - (x < y);
}

/* On a line the order is that of the coordinates, and all points enter. */
static void find_order (struct ptas *p, struct course *course)
{
    for (size_t i = 0; i < p->n; i++) {
        amount twice = 2 * (amount)cloud_point (p->cloud, i)[course->dim];
        course->upper[i] = course->half > 0 && twice >= course->half;
        course->at[i] = course->upper[i] ? twice - course->half : twice;
        course->order[i] = i;
        course->part[i] = NOWHERE;
    }
    qsort_r (course->order, p->n, sizeof *course->order, compare_order,
             course);
    for (size_t i = 0; i < p->n; i++) {
        course->turned[i] = course->order[i];
        course->along[i] = course->at[i];
        course->enters[i] = true;
    }
}

static int course_create (struct ptas *p, struct course *course,
                          tori_error *err)
{
    size_t n = p->n;
    course->order = malloc (n * sizeof *course->order);
    course->at = malloc (n * sizeof *course->at);
    course->upper = malloc (n * sizeof *course->upper);
    course->turned = malloc (n * sizeof *course->turned);
    course->along = malloc (n * sizeof *course->along);
    course->enters = malloc (n * sizeof *course->enters);
    course->part = malloc (n * sizeof *course->part);
    course->parts = calloc (2 * p->k, sizeof *course->parts);
    if (!course->order || !course->at || !course->upper || !course->turned
        || !course->along || !course->enters || !course->part
        || !course->parts)
        return tori_error_nomem (err);
    find_order (p, course);
    return 0;
}

static void course_clear (struct course *course)
{
    free (course->order);
    free (course->at);
    free (course->upper);
    free (course->turned);
    free (course->along);
    free (course->enters);
    free (course->part);
    free (course->parts);
}

static int compare_wides (const void *a, const void *b)
{
    wide x = *(const wide *)a, y = *(const wide *)b;
    return (x > y) - (x < y);
}

/* Of every point, the sums of its distances to itself and its nearest. */
static void find_nearest (struct ptas *p)
{
    size_t m = p->nnearest;
    for (size_t i = 0; i < p->n; i++) {
        wide *row = p->nearest + i * m;
        for (size_t j = 0; j < p->n; j++)
            p->costs[j] = ptas_distance (p, i, j);
        stars_least (p->costs, p->n, m, row);
        qsort (row, m, sizeof *row, compare_wides);
        for (size_t j = 1; j < m; j++)
            row[j] += row[j - 1];
    }
}

static int ptas_create (struct ptas *p, tori_error *err)
{
    size_t n = p->n, k = p->k;
    p->nnearest = k < MOST_NEAREST ? k : MOST_NEAREST;
    p->is_known = calloc (n, sizeof *p->is_known);
    p->away = calloc (n, sizeof *p->away);
    p->nearest = malloc (n * p->nnearest * sizeof *p->nearest);
    p->costs = malloc (n * sizeof *p->costs);
    p->heap = malloc (k * sizeof *p->heap);
    p->order = malloc (n * sizeof *p->order);
    p->cost = malloc (n * sizeof *p->cost);
    p->cells = calloc (n + 1, sizeof *p->cells);
    p->chosen = malloc (k * sizeof *p->chosen);
    p->best = malloc (k * sizeof *p->best);
    if (!p->is_known || !p->away || !p->nearest || !p->costs || !p->heap
        || !p->order || !p->cost || !p->cells || !p->chosen || !p->best)
        return tori_error_nomem (err);
    for (int c = 0; c < p->ncourses; c++)
        if (course_create (p, &p->courses[c], err) < 0)
            return -1;
    find_nearest (p);
    return 0;
}

static void ptas_clear (struct ptas *p)
{
    for (int c = 0; c < p->ncourses; c++)
        course_clear (&p->courses[c]);
    free (p->is_known);
    free (p->away);
    free (p->nearest);
    free (p->costs);
    free (p->heap);
    free (p->order);
    free (p->cost);
    free (p->cells);
    free (p->chosen);
    free (p->best);
}

/* Where all points are at one coordinate there is nothing to cut. */
static bool is_flat (const struct cloud *cloud, int dim)
{
    size_t i = 1;
    while (i < cloud->n
           && cloud_point (cloud, i)[dim] == cloud_point (cloud, 0)[dim])
        i++;
    return i == cloud->n;
}

/* Lines first: they have fewer cuttings. */
static void find_courses (struct ptas *p)
{
    for (int rings = 0; rings < 2; rings++)
        for (int d = 0; d < p->cloud->ndims; d++)
            if ((p->cloud->ring[d] > 0) == rings && !is_flat (p->cloud, d))
                p->courses[p->ncourses++]
                    = (struct course){.dim = d, .half = p->cloud->ring[d]};
}

/* ---- how many cuttings ---- */

/* n over m. */
static double choose_of (size_t n, size_t m)
{
    double ways = 1;
    for (size_t i = 1; i <= m; i++)
        ways = ways * (double)(n - m + i) / (double)i;
    return ways;
}

/* The ways to cut a dimension, about: on a ring also where to begin, with how
 * many ahead, and what enters of each strip. */
static double count_ways (struct ptas *p, bool ring, size_t *sizes)
{
    size_t n = p->n, k = p->k;
    size_t m = ring ? strips_ring (k, p->epsilon, sizes)
                    : strips_line (k, p->epsilon, sizes);
    double ways = choose_of (n - k + m - 1, m - 1);
    if (m > p->most_strips)
        p->most_strips = m;
    if (!ring)
        return ways;
    for (size_t i = 0; i < m; i++)
        ways *= (double)(sizes[i] + 1);
    return ways * (double)n * (double)((k + 1) / 2);
}

static int count_cuttings (struct ptas *p, tori_error *err)
{
    size_t *sizes = malloc (p->k * sizeof *sizes);
    if (!sizes)
        return tori_error_nomem (err);
    p->cuttings = 1;
    for (int c = 0; c < p->ncourses; c++)
        p->cuttings *= count_ways (p, p->courses[c].half > 0, sizes);
    free (sizes);
    p->sets = choose_of (p->n, p->k);
    return 0;
}

/* With as many strips as points it is the sets that are tried, so there may
 * be as many cuttings as there are. */
static bool too_many (const struct ptas *p)
{
    return p->cuttings > MOST_CUTTINGS && p->sets > MOST_CUTTINGS;
}

static int refuse (const struct ptas *p, tori_error *err)
{
    return tori_error_set (err, TORI_GAVE_UP,
                           "ptas gave up after %.2g steps around centres; "
                           "ways to cut are not tried where there are more "
                           "than %.2g of them and as many sets; here %zu "
                           "points can be cut into up to %zu strips a "
                           "dimension in %.2g ways and have %.2g sets of "
                           "%zu" INSTEAD,
                           (double)p->steps, MOST_CUTTINGS, p->n,
                           p->most_strips, p->cuttings, p->sets, p->k);
}

int ptas_cut_few (const struct cloud *cloud, size_t k, double epsilon,
                  tori_error *err)
{
    struct ptas p = {.cloud = cloud, .n = cloud->n, .k = k,
                     .epsilon = epsilon};
    find_courses (&p);
    return count_cuttings (&p, err) < 0 ? -1 : !too_many (&p);
}

/* ---- all of them ---- */

static int compare_sizes (const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}
static void tell (const struct ptas *p, const tori_alloc_config *options)
{
    if (options->search)
        options->search->estimate = p->cuttings;
    cloud_spend (options, p->steps, p->limit);
}

/* Of what is proved, others knew better. */
static int give_up (const struct ptas *p, const tori_alloc_config *options,
                    tori_error *err)
{
    if (p->found && options->search)
        cloud_keep (options, p->best, p->k, (double)p->best_sum,
                    options->search->at_least);
    return tori_error_set (err, TORI_GAVE_UP,
                           "ptas gave up after %.2g steps, its limit, in the "
                           "midst of %.2g ways to cut %zu points into up to "
                           "%zu strips a dimension, which have %.2g sets of "
                           "%zu" INSTEAD,
                           (double)p->limit, p->cuttings, p->n,
                           p->most_strips, p->sets, p->k);
}

static int try_all (struct ptas *p, const tori_alloc_config *options,
                    size_t *ret_chosen, tori_error *err)
{
    ptas_cut_all (p);
    if (p->steps > p->limit)
        return give_up (p, options, err);
    qsort (p->best, p->k, sizeof *p->best, compare_sizes);
    memcpy (ret_chosen, p->best, p->k * sizeof *p->best);
    return 0;
}

/* Begin with a set, if there is one. */
static int begin (struct ptas *p, const size_t *start, tori_error *err)
{
    if (ptas_create (p, err) < 0)
        return -1;
    if (!start)
        return 0;
    memcpy (p->best, start, p->k * sizeof *p->best);
    p->found = true;
    return cloud_pairwise (p->cloud, start, p->k, &p->best_sum, err);
}

int ptas_cut (const struct cloud *cloud, size_t k,
              const tori_alloc_config *options, uint64_t spent,
              const size_t *start, size_t *ret_chosen, tori_error *err)
{
    struct ptas p = {.cloud = cloud, .n = cloud->n, .k = k,
                     .epsilon = options->epsilon, .steps = spent,
                     .told = spent, .options = options};
    int status = -1;
    p.limit = options->steps ? options->steps : PTAS_STEPS;
    find_courses (&p);
    if (count_cuttings (&p, err) == 0) {
        if (too_many (&p))
            refuse (&p, err);
        else if (begin (&p, start, err) == 0)
            status = try_all (&p, options, ret_chosen, err);
    }
    tell (&p, options);
    ptas_clear (&p);
    return status;
}
