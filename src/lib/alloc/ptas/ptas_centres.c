/* ptas_centres.c - the scheme of strips, around one centre after the other.
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
 * In a best set no other point x is nearer to the rest than j. One of the
 * k + 1 nearest to c is not in the set, at a distance e at most, so x has at
 * most r - D + (k - 1) e from the rest, and j at least (k - 1) D - (r - D). So
 * (k + 1) D <= 2 r + (k - 1) e, which leaves out most points that are far
 * away.
 *
 * All this holds as well if c is not in the set, but the place that has in
 * every dimension the least sum of distances to the set: its middle. If the
 * points fill much of a grid, as the nodes of a machine do, its places are
 * taken as centres. For then at most half of the set is beyond each of the cuts
 * next to c (search_keep_nearer). That rules out far more than one chosen point
 * does, and sets that are only moved are not looked at again.
 *
 * There is a set to begin with, of sum b. With s the greatest whole number
 * below b / (1 + epsilon), the search of exact.h goes through the ways to cut
 * the points near c into strips (strips.h), and leaves out those that cost
 * more than s. A set of sum s or less takes the place of the one to begin
 * with, and s is lowered. Afterwards no best set with this centre has s or
 * less: the centre is settled. When all centres are settled, every best set
 * has s + 1 or more, which is at least b / (1 + epsilon): so the set at hand
 * is within 1 + epsilon.
 *
 * The search takes fewer nodes than twice the ways to cut, which are counted
 * for all centres before it begins. Few points are near a centre, and a gap of
 * epsilon rules out most ways, so it mostly takes far fewer. Fewer still are
 * mostly enough if ranges are split anywhere, as exact does, but that has no
 * bound; so it is tried first, for a fixed time. If the ways are too many, only
 * that is tried.
 *
 * Two searches come before the centres, each for a fixed time. One is made
 * around a node of the grid that the points lie on, as if all its nodes were
 * free and its lines had no ends (lattice.h). If nothing there is as good as s,
 * nothing is anywhere, and the machine may be busy. If something is, the same
 * is done for each place that the middle may have between the ends. That
 * settles machines, where a set can lie in many places. The other cuts all
 * points into strips at once, without a centre. That settles scattered points:
 * a set near several centres is looked at only once.
 *
 * If nobody set a limit, these two go on in turns after the centres, each time
 * for twice as long. The one by strips ends at last, so there is an answer.
 *
 * A best set may be taken to have the first of points at one place, so the
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
enum { MOST_LATTICE = 1 << 13 };

/* Places of a grid are looked at if they are no more than so many for every
 * point. */
enum { MOST_PLACES = 4 };

/* The rough cost of a descent for every point, in additions. */
enum { DESCENT = 256 };

/* The most additions for descents, for the lattice, for all points at once, for
 * a centre by exact, and for all centres by exact; and for a way that may be
 * tried, if that is less. */
static const uint64_t DESCENTS_LIMIT = UINT64_C (1) << 29;
static const uint64_t LATTICE_LIMIT = UINT64_C (1) << 29;
static const uint64_t WHOLE_LIMIT = UINT64_C (1) << 28;
static const uint64_t CENTRE_LIMIT = UINT64_C (1) << 27;
static const uint64_t CENTRES_LIMIT = UINT64_C (1) << 31;
enum { ADDITIONS_A_WAY = 16 };

/* A search of all points is tried if its limit is enough for so many rounds. */
enum { LEAST_ROUNDS = 16 };

/* The parts of a search that are counted for its progress. */
static const uint64_t PROGRESS = UINT64_C (1) << 40;

struct ptas_centre {
    size_t place;
    wide star;  /* its distances to its k nearest, itself among them */
    wide inner; /* to the k - 1 nearest */
    wide next;  /* to the next one after these k; ~0: there is none */
    wide reach; /* the range of points of sets within the goal */
    double ways; /* to cut the points near it; 0: it is settled */
};

struct proof {
    const struct cloud *cloud;
    const struct cloud *places; /* where centres may be */
    const size_t *point;        /* the point at each, SIZE_MAX for none; NULL:
                                   the places are the points */
    bool middles;               /* the places are a grid's, and a centre need
                                   not be in the set */
    size_t k;
    double epsilon;
    const tori_alloc_config *options;
    const struct strips *strips;
    uint64_t most_ways;
    bool endless;   /* there is no limit: the proof goes on until it is found */
    uint64_t steps; /* additions so far */
    double ways, tried; /* of all centres, and of those that are settled */
    const struct search *whole; /* the search of all points; or NULL */
    uint64_t shown;             /* the progress so far */

    size_t *set;  /* the best so far, in ascending order; NULL: none is
                     wanted */
    amount sum;   /* twice its sum */
    amount goal;  /* sets with twice a sum of at most this are looked for */
    amount proved; /* twice a lower bound of every sum */

    struct ptas_centre *centres; /* by star */
    size_t ncentres;
    bool twins;   /* some points are at one place */
    size_t *near; /* the points near a centre, in ascending order; SIZE_MAX for
                     a place next to it without one */
    size_t nnear;
    int64_t *coords; /* of these */
    wide *away;      /* room for n distances, and for a heap of k */
    wide *heap;
};

/* ---- centres ---- */

/* From a place to a point. */
static wide distance_of (const struct proof *p, size_t place, size_t point)
{
    return cloud_distance (p->cloud, cloud_point (p->places, place),
                           cloud_point (p->cloud, point));
}

static int compare_centres (const void *a, const void *b)
{
    const struct ptas_centre *x = a, *y = b;
    if (x->star != y->star)
        return x->star < y->star ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static void add_centre (struct proof *p, size_t place)
{
    struct ptas_centre *centre = &p->centres[p->ncentres++];
    size_t n = p->cloud->n;
    for (size_t i = 0; i < n; i++)
        p->away[i] = distance_of (p, place, i);
    p->steps += n;
    *centre = (struct ptas_centre){
        .place = place, .next = ~(wide)0,
        .star = stars_least (p->away, n, p->k, p->heap)};
    centre->inner = centre->star - p->heap[0]; /* the top is the farthest */
    if (p->k < n) {
        stars_least (p->away, n, p->k + 1, p->heap);
        centre->next = p->heap[0];
    }
}

/* The first point at every place, or all places of a grid. */
static void find_centres (struct proof *p)
{
    for (size_t i = 0; i < p->places->n; i++) {
        size_t first = 0;
        while (!p->middles && distance_of (p, i, first) > 0)
            first++;
        if (p->middles || first == i)
            add_centre (p, i);
        else
            p->twins = true;
    }
    qsort (p->centres, p->ncentres, sizeof *p->centres, compare_centres);
}

/* The range of points of sets within the goal. False if there are none. */
static bool find_reach (const struct proof *p, struct ptas_centre *centre)
{
    wide goal = (wide)p->goal, k = p->k, far, most = ~(wide)0;
    if (p->goal < 0 || centre->star * k > goal)
        return false;
    centre->reach = goal / k - centre->inner;
    far = (goal - (k - 2) * centre->inner) / (2 * k - 2);
    if (far < centre->reach)
        centre->reach = far;
    if (centre->next < most / k)
        most = (2 * (goal / k) + (k - 1) * centre->next) / (k + 1);
    if (most < centre->reach)
        centre->reach = most;
    return true;
}

static void find_near (struct proof *p, const struct ptas_centre *centre)
{
    const int64_t *middle = cloud_point (p->places, centre->place);
    size_t ndims = (size_t)p->cloud->ndims;
    p->nnear = 0;
    for (size_t i = 0; i < p->places->n; i++) {
        const int64_t *at = cloud_point (p->places, i);
        size_t point = p->point ? p->point[i] : i;
        wide away = cloud_distance (p->cloud, middle, at);
        if (away > (point == SIZE_MAX ? 1 : centre->reach))
            continue;
        memcpy (p->coords + p->nnear * ndims, at, ndims * sizeof *at);
        p->near[p->nnear++] = point;
    }
    p->steps += p->places->n;
}

/* A limit of additions, or what so many ways allow if that is less. */
static uint64_t limit_additions (const struct proof *p, uint64_t limit)
{
    return p->most_ways < limit / ADDITIONS_A_WAY
               ? p->most_ways * ADDITIONS_A_WAY
               : limit;
}

/* ---- the search around one ---- */

static amount lesser_of (amount a, amount b)
{
    return a < b ? a : b;
}

/* A coordinate, on a ring counted from the middle, or from opposite it. */
static int64_t turn_from (const struct cloud *cloud, size_t dim, int64_t at,
                          int64_t middle, bool opposite)
{
    uint64_t ring = cloud->ring[dim], half = opposite ? ring / 2 : 0;
    wide turned = (wide)ring + (uint64_t)at - (uint64_t)middle + half;
    return ring ? (int64_t)(turned % ring) : at;
}

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
    struct proof *p = arg;
    double part = p->whole ? p->whole->settled : p->tried / p->ways;
    uint64_t now = (uint64_t)(part * (double)PROGRESS);
    (void)steps;
    if (p->shown < now)
        p->shown = now;
    cloud_progress (p->options, p->shown, PROGRESS);
}

/* Look only for sets that are nowhere nearer than to a place of a grid. */
static void keep_around (const struct cloud *cloud, const int64_t *middle,
                         struct search *search)
{
    uint32_t first = 0;
    while (cloud_distance (cloud, cloud_point (cloud, first), middle) > 0)
        first++;
    for (uint32_t i = 0; i < cloud->n; i++)
        if (cloud_distance (cloud, cloud_point (cloud, i), middle) == 1)
            search_keep_nearer (search, first, i);
}

/* Turn the points near a place, and the place. */
static void turn_near (struct proof *p, int64_t *middle, bool opposite)
{
    size_t ndims = (size_t)p->cloud->ndims;
    for (size_t i = 0; i < p->nnear * ndims; i++)
        p->coords[i] = turn_from (p->cloud, i % ndims, p->coords[i],
                                  middle[i % ndims], opposite);
    for (size_t d = 0; d < ndims; d++)
        middle[d] = turn_from (p->cloud, d, middle[d], middle[d], opposite);
}

/* Let a search look for sets within the goal. */
static void aim_search (struct proof *p, const struct strips *strips,
                        uint64_t budget, struct search *search)
{
    search->epsilon = p->epsilon;
    search->strips = strips;
    search->improving = p->set != NULL;
    search->found_sum = p->sum;
    search->limit = p->goal;
    search->budget = budget;
    search->on_node = on_node;
    search->arg = p;
}

/* Prepare a search of the points near a centre, for sets that contain it, or
 * on a grid for sets that are nowhere nearer: by strips, or with a limit as
 * exact does, up to so many additions. By strips, coordinates of a ring are
 * counted from opposite the centre: points near it are then as on a line.
 * `marks` have room for these points. -1 without memory. */
static int search_near (struct proof *p, const struct ptas_centre *centre,
                        uint64_t limit, struct search *search, uint8_t *marks,
                        tori_error *err)
{
    int64_t middle[TORI_MAX_DIMS];
    struct cloud part = *p->cloud;
    part.n = p->nnear;
    part.coords = p->coords;
    memcpy (middle, cloud_point (p->places, centre->place),
            (size_t)part.ndims * sizeof *middle);
    turn_near (p, middle, limit == 0);
    for (size_t i = 0; i < p->nnear; i++)
        marks[i] = p->near[i] == SIZE_MAX                         ? LEFT
                   : !p->middles && p->near[i] == centre->place ? CHOSEN
                                                                : OPEN;
    if (search_create (&part, (uint32_t)p->k, search, err) < 0)
        return -1;
    if (p->middles)
        keep_around (&part, middle, search);
    aim_search (p, limit ? NULL : p->strips, limit ? limit : UINT64_MAX,
                search);
    search->on_node = p->ways > 0 ? on_node : NULL;
    return 0;
}

/* Count the ways to cut the points near a centre. */
static int count_near (struct proof *p, struct search *search,
                       const uint8_t *marks, struct ptas_centre *centre,
                       tori_error *err)
{
    if (search_count_ways (search, marks, &centre->ways, err) < 0)
        return -1;
    p->ways += centre->ways;
    if (centre->ways > 0)
        p->proved = lesser_of (p->proved, search->bound);
    return 0;
}

/* 1 if there is no best set of the points near a centre within the goal; 0 if
 * that is not proved. */
static int look_near (const struct proof *p, struct search *search,
                      const uint8_t *marks, tori_error *err)
{
    if (search_explore (search, marks, err) < 0)
        return -1;
    return search->steps <= search->budget
           && (p->set || search->found_sum > p->goal);
}

/* Let all points be near. */
static void find_whole (struct proof *p)
{
    p->nnear = p->cloud->n;
    for (size_t i = 0; i < p->nnear; i++)
        p->near[i] = i;
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
    for (size_t i = 0;
         i < p->ncentres && p->steps < limit_additions (p, DESCENTS_LIMIT);
         i++) {
        size_t place = p->centres[i].place;
        size_t point = p->point ? p->point[place] : place;
        if (point == SIZE_MAX)
            continue;
        search_descend (&search, p->cloud, (uint32_t)point, marks);
        p->steps += DESCENT * n;
    }
    find_whole (p);
    status = search.found_sum < p->sum ? take_found (p, &search, err) : 0;
    search_clear (&search);
done:
    free (marks);
    return status;
}

/* Count the ways to cut the points near a centre, or settle it: 1, or 0 if the
 * limit is reached first. */
static int visit_centre (struct proof *p, struct ptas_centre *centre,
                         bool counting, uint64_t limit, tori_error *err)
{
    struct search search;
    uint8_t *marks;
    int status;
    find_near (p, centre);
    marks = malloc (p->nnear);
    if (!marks)
        return tori_error_nomem (err);
    status = search_near (p, centre, limit, &search, marks, err);
    if (status == 0) {
        status = counting ? count_near (p, &search, marks, centre, err)
                          : look_near (p, &search, marks, err);
        p->steps += search.steps;
        if (status >= 0 && p->set && search.found_sum < p->sum
            && take_found (p, &search, err) < 0)
            status = -1;
        search_clear (&search);
    }
    free (marks);
    return status;
}

/* ---- all of them ---- */

static int proof_create (struct proof *p, tori_error *err)
{
    size_t n = p->cloud->n, places = p->places->n;
    p->centres = malloc (places * sizeof *p->centres);
    p->near = malloc (places * sizeof *p->near);
    p->coords = malloc (places * (size_t)p->cloud->ndims * sizeof *p->coords);
    p->away = malloc (n * sizeof *p->away);
    p->heap = malloc ((p->k + 1) * sizeof *p->heap);
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

/* Count the ways of all centres. */
static int count_all (struct proof *p, tori_error *err)
{
    p->proved = AMOUNT_MAX;
    for (size_t i = 0; i < p->ncentres; i++) {
        struct ptas_centre *centre = &p->centres[i];
        if (!find_reach (p, centre))
            break; /* by star, so no later one is within reach, either */
        if (visit_centre (p, centre, true, 0, err) < 0)
            return -1;
    }
    p->proved = lesser_of (p->proved, p->goal + 2);
    return 0;
}

/* Settle a centre: soon, or else by strips, unless there are too many ways: 1,
 * or 0. */
static int settle_centre (struct proof *p, struct ptas_centre *centre,
                          tori_error *err)
{
    uint64_t all = limit_additions (p, CENTRES_LIMIT), limit = all;
    bool bounded = p->ways <= (double)p->most_ways;
    int status = 0;
    if (bounded)
        limit = limit_additions (p, CENTRE_LIMIT);
    else if (p->steps < all)
        limit = all - p->steps;
    if (p->steps < all)
        status = visit_centre (p, centre, false, limit, err);
    return status || !bounded ? status
                              : visit_centre (p, centre, false, 0, err);
}

/* Settle all centres: 1, or 0 if there are too many ways for that. */
static int settle_all (struct proof *p, tori_error *err)
{
    for (size_t i = 0; i < p->ncentres; i++) {
        struct ptas_centre *centre = &p->centres[i];
        int status;
        if (centre->ways == 0)
            continue;
        if (!find_reach (p, centre))
            break;
        status = settle_centre (p, centre, err);
        if (status <= 0)
            return status;
        p->tried += centre->ways;
    }
    return 1;
}

/* Whether there is no set within the goal around a node of the lattice, even
 * if all nodes were free: 1, or 0 if that is not known. There is a free node
 * beside any k within the distance *next of the node, and at a place of a line
 * this is found out. */
static int settle_middle (struct proof *p, const uint32_t *middle, wide *next,
                          uint64_t limit, tori_error *err)
{
    struct proof around = {.k = p->k, .middles = true, .epsilon = p->epsilon,
                           .options = p->options, .sum = p->sum,
                           .goal = p->goal};
    struct lattice lattice;
    int status = lattice_create (p->cloud, middle, p->k, MOST_LATTICE,
                                 &lattice, err);
    if (status <= 0)
        return status;
    around.cloud = around.places = &lattice.cloud;
    status = proof_create (&around, err);
    if (status == 0) {
        add_centre (&around, 0);
        if (middle)
            *next = around.centres->next;
        around.centres->next = *next;
        if (!find_reach (&around, around.centres))
            status = 1;
        else if (around.centres->reach <= lattice.reach && limit > 0)
            status = visit_centre (&around, around.centres, false, limit, err);
    }
    p->steps += around.steps;
    proof_clear (&around);
    lattice_clear (&lattice);
    return status;
}

/* The same wherever the middle is: on lines without ends, or else at each
 * place. A line looks the same from both of its ends. Nowhere is a free node
 * farther than from the ends of all lines. */
static int settle_lattice (struct proof *p, uint64_t limit, tori_error *err)
{
    uint64_t before;
    uint32_t middle[TORI_MAX_DIMS] = {0};
    wide next = ~(wide)0;
    int64_t least;
    int status, d = 0;
    if (p->twins)
        return 0;
    status = settle_middle (p, middle, &next, 0, err);
    if (status >= 0)
        status = settle_middle (p, NULL, &next, limit, err);
    before = p->steps;
    while (status == 0 && d < p->cloud->ndims && p->steps - before < limit) {
        status = settle_middle (p, middle, &next, limit, err);
        if (status <= 0)
            return status;
        for (d = 0; d < p->cloud->ndims; middle[d++] = 0)
            if (!p->cloud->ring[d]
                && 2 * ++middle[d] <= cloud_span (p->cloud, d, &least))
                break;
        status = d == p->cloud->ndims;
    }
    return status;
}

/* Cut all points into strips at once: 1 if no best set is within the goal, or 0
 * if the limit is reached first. */
static int settle_whole (struct proof *p, uint64_t limit, tori_error *err)
{
    struct search search;
    uint8_t *marks = malloc (p->cloud->n);
    int status = -1;
    if (!marks)
        return tori_error_nomem (err);
    if (search_create (p->cloud, (uint32_t)p->k, &search, err) < 0)
        goto done;
    aim_search (p, p->strips, limit, &search);
    search_open (&search, marks);
    find_whole (p);
    p->whole = &search;
    status = search_round (&search) <= limit / LEAST_ROUNDS
                 ? look_near (p, &search, marks, err)
                 : 0;
    p->whole = NULL;
    if (status >= 0 && search.found_sum < p->sum
        && take_found (p, &search, err) < 0)
        status = -1;
    search_clear (&search);
done:
    free (marks);
    return status;
}

/* Look at the lattice and at all points in turns, each time for twice as long,
 * until one of them settles it. */
static int settle_at_last (struct proof *p, tori_error *err)
{
    int status = 0;
    for (uint64_t limit = 2 * LATTICE_LIMIT; status == 0;
         limit = limit < UINT64_MAX / 2 ? 2 * limit : UINT64_MAX) {
        status = settle_lattice (p, limit, err);
        if (status == 0)
            status = settle_whole (p, limit, err);
    }
    return status;
}

/* 1 if the set is proved, 0 if there are too many ways to cut. */
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
    status = settle_lattice (p, limit_additions (p, LATTICE_LIMIT), err);
    if (status == 0)
        status = settle_whole (p, limit_additions (p, WHOLE_LIMIT), err);
    if (status == 0)
        status = count_all (p, err) < 0 ? -1 : settle_all (p, err);
    return status == 0 && p->endless ? settle_at_last (p, err) : status;
}

/* Report what is known of a set that is not proved. */
static void report_proof (const struct proof *p)
{
    double least = (double)((p->proved + 1) / 2);
    if (!p->options->search)
        return;
    if (least < p->options->search->at_least)
        least = p->options->search->at_least;
    cloud_keep (p->options, p->set, p->k, (double)(p->sum / 2), least);
}

/* Prove a set from points as centres, or from the nodes of their grid. */
static int prove_from (struct proof *p, tori_error *err)
{
    struct lattice_grid grid;
    size_t most = MOST_PLACES * p->cloud->n;
    int status = lattice_fill (p->cloud, most, &grid, err);
    if (status < 0)
        return -1;
    p->places = status ? &grid.cloud : p->cloud;
    p->point = status ? grid.point : NULL;
    p->middles = status;
    status = proof_create (p, err) < 0 ? -1 : prove_set (p, err);
    if (status == 0)
        report_proof (p);
    proof_clear (p);
    if (p->middles)
        lattice_grid_clear (&grid);
    return status;
}

int ptas_centres (const struct cloud *cloud, size_t k,
                  const tori_alloc_config *options, uint64_t most_ways,
                  bool endless, size_t *set, double *ret_ways,
                  tori_error *err)
{
    struct strips strips;
    struct proof p = {.cloud = cloud, .k = k, .epsilon = options->epsilon,
                      .options = options, .strips = &strips,
                      .most_ways = most_ways, .endless = endless,
                      .set = set};
    int status;
    if (strips_create ((uint32_t)k, options->epsilon, &strips, err) < 0)
        return -1;
    status = prove_from (&p, err);
    *ret_ways = p.ways;
    strips_clear (&strips);
    return status;
}
