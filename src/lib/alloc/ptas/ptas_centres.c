/* ptas_centres.c - that no set is much better, centre by centre.
 *
 * The centre of a set is that of its points whose distances to the set have
 * the least sum, the first of several. If the set has k points and a sum over
 * pairs of s, its centre has at most the k-th part of 2 s. So of all sets with
 * a sum of at most s, those with centre c lie near c: a point j of them has
 *
 *     (distances of c to its k - 1 nearest) + (distance of c and j) <= 2 s / k
 *
 * and if not even the k nearest of c are within 2 s / k, there is none. Also,
 * with r the distances of c to the set and D its distance from j: any i is at
 * least D - d(c, i) from j, so j has k D - r at least, and the k - 1 others r
 * or more each. So (k - 2) r + k D <= 2 s, and r is no less than the left side
 * above.
 *
 * There is a set to begin with, of sum b. With s the greatest whole number
 * below b / (1 + epsilon), branch and bound (exact.h) looks for a best set
 * among the points near c that has c. Three things may happen. If it finds a
 * set of sum s or less, that takes the place of the one to begin with, and s
 * is lowered. If it proves that there is no best set of s or less with this
 * centre, the centre is settled. If its steps are spent, nothing is proved.
 * When all centres are settled, every best set has s + 1 or more, which is at
 * least b / (1 + epsilon): so the set at hand is within 1 + epsilon.
 *
 * What makes this short is that few points are near a centre, and that a gap
 * of epsilon rules out most of what exact has to look into.
 *
 * Before them all, one search is made around a node of the torus that the
 * points lie on, as if all its nodes were free (lattice.h). If nothing there is
 * as good as s, nothing is anywhere, and the machine may be busy.
 *
 * Of points at one place a best set may be taken to have the first, so the
 * first is the centre.
 */
#include "ptas.h"

#include <stdlib.h>
#include <string.h>

#include "exact.h"
#include "lattice.h"
#include "mm.h"
#include "stars.h"

/* Nodes of a lattice to look at. */
enum { MOST_LATTICE = 2048 };

/* The rough cost of a descent for every point, in additions. */
enum { DESCENT = 256 };

/* Descents may take a sixteenth of all additions, and the lattice a third. */
enum { DESCENT_SHARE = 16, LATTICE_SHARE = 3 };

struct ptas_centre {
    size_t point;
    wide star;  /* its distances to its k nearest, itself among them */
    wide inner; /* to the k - 1 nearest */
    wide reach; /* the range of points of sets within the goal */
};

struct proof {
    const struct cloud *cloud;
    size_t k;
    double epsilon;
    const tori_alloc_config *options;
    uint64_t steps, limit;

    size_t *set;  /* the best so far, in ascending order; NULL: none is
                     wanted */
    amount sum;   /* twice its sum */
    amount goal;  /* sets with twice a sum of at most this are looked for */
    amount proved; /* twice a lower bound of every sum */

    struct ptas_centre *centres; /* by star */
    size_t ncentres;
    bool twins;   /* some points are at one place */
    size_t *near; /* the points near a centre, in ascending order */
    size_t nnear;
    int64_t *coords; /* of these */
    wide *away;      /* room for n distances, and for a heap of k */
    wide *heap;
};

/* ---- centres ---- */

static wide distance_of (const struct proof *p, size_t a, size_t b)
{
    return cloud_distance (p->cloud, cloud_point (p->cloud, a),
                           cloud_point (p->cloud, b));
}

static int compare_centres (const void *a, const void *b)
{
    const struct ptas_centre *x = a, *y = b;
    if (x->star != y->star)
        return x->star < y->star ? -1 : 1;
    return (x->point > y->point) - (x->point < y->point);
}

static void add_centre (struct proof *p, size_t point)
{
    struct ptas_centre *centre = &p->centres[p->ncentres++];
    size_t n = p->cloud->n;
    for (size_t i = 0; i < n; i++)
        p->away[i] = distance_of (p, point, i);
    p->steps += n;
    *centre = (struct ptas_centre){
        .point = point, .star = stars_least (p->away, n, p->k, p->heap)};
    centre->inner = centre->star - p->heap[0]; /* the top is the farthest */
}

/* The first point of every place. */
static void find_centres (struct proof *p)
{
    for (size_t i = 0; i < p->cloud->n; i++) {
        size_t first = 0;
        while (distance_of (p, i, first) > 0)
            first++;
        if (first == i)
            add_centre (p, i);
        else
            p->twins = true;
    }
    qsort (p->centres, p->ncentres, sizeof *p->centres, compare_centres);
}

/* The range of points of sets within the goal. False if there are none. */
static bool find_reach (const struct proof *p, struct ptas_centre *centre)
{
    wide goal = (wide)p->goal, k = p->k, far;
    if (p->goal < 0 || centre->star * k > goal)
        return false;
    centre->reach = goal / k - centre->inner;
    far = (goal - (k - 2) * centre->inner) / (2 * k - 2);
    if (far < centre->reach)
        centre->reach = far;
    return true;
}

static void find_near (struct proof *p, const struct ptas_centre *centre)
{
    p->nnear = 0;
    for (size_t i = 0; i < p->cloud->n; i++)
        if (distance_of (p, centre->point, i) <= centre->reach)
            p->near[p->nnear++] = i;
    p->steps += p->cloud->n;
}

/* ---- the search around one ---- */

/* Take the set that was found, improved by swaps. */
static int take_found (struct proof *p, const struct search *search,
                       tori_error *err)
{
    wide sum;
    for (size_t i = 0, at = 0; i < p->nnear; i++)
        if (search->found[i] == CHOSEN)
            p->set[at++] = p->near[i];
    if (mm_improve (p->cloud, p->k, p->set, err) < 0
        || cloud_pairwise (p->cloud, p->set, p->k, &sum, err) < 0)
        return -1;
    p->sum = 2 * (amount)sum;
    p->goal = search_goal (search, p->sum);
    return 0;
}

static void on_node (void *arg, uint64_t steps)
{
    const struct proof *p = arg;
    cloud_progress (p->options, (p->steps + steps) / PTAS_ADDITIONS,
                    p->options->steps ? p->options->steps : PTAS_STEPS);
}

/* Search for sets of the points near a centre that contain it. 1 if there is
 * no best set among them within the goal; 0 if that is not proved. */
static int look_near (struct proof *p, struct search *search,
                      const uint8_t *marks, tori_error *err)
{
    search->epsilon = p->epsilon;
    search->improving = p->set != NULL;
    search->found_sum = p->sum;
    search->limit = p->goal;
    search->budget = p->limit - p->steps;
    search->on_node = on_node;
    search->arg = p;
    if (search_explore (search, marks, err) < 0)
        return -1;
    p->steps += search->steps;
    if (search->found_sum < p->sum && p->set
        && take_found (p, search, err) < 0)
        return -1;
    return p->steps <= p->limit && (p->set || search->found_sum > p->goal);
}

/* Better sets, from points with the least stars. */
static int descend_from_stars (struct proof *p, tori_error *err)
{
    size_t n = p->cloud->n;
    struct search search;
    uint8_t *marks = malloc (n);
    int status = -1;
    if (!marks)
        return tori_error_nomem (err);
    if (search_create (p->cloud, (uint32_t)p->k, &search, err) < 0)
        goto done;
    search.epsilon = p->epsilon;
    search.found_sum = p->sum;
    for (size_t i = 0; i < p->ncentres && p->steps < p->limit / DESCENT_SHARE;
         i++) {
        search_descend (&search, p->cloud, (uint32_t)p->centres[i].point,
                        marks);
        p->steps += DESCENT * n;
    }
    p->nnear = n;
    for (size_t i = 0; i < n; i++)
        p->near[i] = i;
    status = search.found_sum < p->sum ? take_found (p, &search, err) : 0;
    search_clear (&search);
done:
    free (marks);
    return status;
}

static int settle_centre (struct proof *p, const struct ptas_centre *centre,
                          tori_error *err)
{
    int ndims = p->cloud->ndims, status = -1;
    struct cloud part = *p->cloud;
    struct search search;
    uint8_t *marks = malloc (p->nnear);
    part.n = p->nnear;
    part.coords = p->coords;
    if (!marks)
        return tori_error_nomem (err);
    memset (marks, OPEN, p->nnear);
    for (size_t i = 0; i < p->nnear; i++) {
        memcpy (p->coords + i * (size_t)ndims,
                cloud_point (p->cloud, p->near[i]),
                (size_t)ndims * sizeof *p->coords);
        if (p->near[i] == centre->point)
            marks[i] = CHOSEN;
    }
    if (search_create (&part, (uint32_t)p->k, &search, err) == 0) {
        status = look_near (p, &search, marks, err);
        search_clear (&search);
    }
    free (marks);
    return status;
}

/* ---- all of them ---- */

static int proof_create (struct proof *p, tori_error *err)
{
    size_t n = p->cloud->n;
    p->centres = malloc (n * sizeof *p->centres);
    p->near = malloc (n * sizeof *p->near);
    p->coords = malloc (n * (size_t)p->cloud->ndims * sizeof *p->coords);
    p->away = malloc (n * sizeof *p->away);
    p->heap = malloc (p->k * sizeof *p->heap);
    return p->centres && p->near && p->coords && p->away && p->heap
               ? 0
               : tori_error_nomem (err);
}

static void proof_clear (struct proof *p)
{
    free (p->centres);
    free (p->near);
    free (p->coords);
    free (p->away);
    free (p->heap);
}

static amount lesser_of (amount a, amount b)
{
    return a < b ? a : b;
}

/* Centre by centre. 1 if all are settled, 0 if the steps are spent first. */
static int settle_all (struct proof *p, tori_error *err)
{
    for (size_t i = 0; i < p->ncentres; i++) {
        struct ptas_centre centre = p->centres[i];
        int status;
        if (!find_reach (p, &centre))
            break; /* by star, so no later one is, either */
        find_near (p, &centre);
        p->proved = lesser_of (p->goal + 2, (amount)(centre.star * p->k));
        status = p->steps > p->limit ? 0 : settle_centre (p, &centre, err);
        if (status <= 0)
            return status;
    }
    return 1;
}

/* Whether there is no set within the goal even if all nodes around a centre
 * were free: 1, or 0 if that is not known. */
static int settle_lattice (struct proof *p, tori_error *err)
{
    struct proof around = {.k = p->k, .epsilon = p->epsilon,
                           .options = p->options, .sum = p->sum,
                           .goal = p->goal, .limit = p->limit / LATTICE_SHARE};
    struct lattice lattice;
    int status;
    if (p->twins)
        return 0;
    status = lattice_create (p->cloud, p->k, MOST_LATTICE, &lattice, err);
    if (status <= 0)
        return status;
    around.cloud = &lattice.cloud;
    status = proof_create (&around, err);
    if (status == 0) {
        add_centre (&around, 0);
        if (!find_reach (&around, around.centres))
            status = 1;
        else if (around.centres->reach <= lattice.reach)
            status = settle_all (&around, err);
    }
    p->steps += around.steps;
    proof_clear (&around);
    lattice_clear (&lattice);
    return status;
}

static int prove_set (struct proof *p, tori_error *err)
{
    struct search search = {.epsilon = p->epsilon};
    wide sum;
    int status;
    if (cloud_pairwise (p->cloud, p->set, p->k, &sum, err) < 0)
        return -1;
    p->sum = 2 * (amount)sum;
    p->goal = search_goal (&search, p->sum);
    find_centres (p);
    if (descend_from_stars (p, err) < 0)
        return -1;
    status = settle_lattice (p, err);
    return status ? status : settle_all (p, err);
}

/* Report the result after the steps were spent. */
static void report_proof (const struct proof *p,
                          const tori_alloc_config *options)
{
    double least = (double)((p->proved + 1) / 2);
    if (!options->search)
        return;
    if (least < options->search->at_least)
        least = options->search->at_least;
    cloud_keep (options, p->set, p->k, (double)(p->sum / 2), least);
}

int ptas_centres (const struct cloud *cloud, size_t k,
                  const tori_alloc_config *options, uint64_t limit,
                  size_t *set, uint64_t *ret_additions, tori_error *err)
{
    struct proof p = {.cloud = cloud, .k = k, .epsilon = options->epsilon,
                      .options = options, .limit = limit, .set = set};
    int status = proof_create (&p, err);
    if (status == 0)
        status = prove_set (&p, err);
    if (status == 0)
        report_proof (&p, options);
    *ret_additions = p.steps;
    proof_clear (&p);
    return status;
}
