/* mm.c - MM and Gen-Alg by definition, on any points.
 *
 * The points are first put into ranks: which of the distinct coordinates of
 * its dimension a point has. A centre then costs a table of distances and a
 * histogram a dimension, and the search for the distance of the k-th nearest.
 * What is fast is elsewhere: mm_line.c in one dimension, sweep.c on small
 * grids, mm_boxes.c in up to four dimensions, mm_sets.c in more.
 */
#include "mm.h"

#include <stdlib.h>
#include <string.h>

#include "balls.h"
#include "bits.h"
#include "centres.h"
#include "marks.h"
#include "mm_boxes.h"
#include "mm_sets.h"
#include "nearest.h"
#include "onedim.h"
#include "pairs.h"
#include "policy.h"
#include "ranking.h"
#include "sweep.h"

/* ---- one centre ---- */

struct trial {
    struct ranking ranking;
    size_t k;
    uint64_t *hops;     /* from the centre, a value */
    size_t *histogram;  /* of the nearest, a value */
    wide *distances;    /* from the centre, a point */
    wide *room;         /* for as many and one more */
    size_t *nearest;    /* the k of this centre */
    size_t *best;       /* of the best so far */
    wide least;
    bool any;
};

static void trial_clear (struct trial *trial)
{
    ranking_clear (&trial->ranking);
    free (trial->hops);
    free (trial->histogram);
    free (trial->distances);
    free (trial->room);
    free (trial->nearest);
    free (trial->best);
}

static int trial_init (struct trial *trial, const struct cloud *cloud,
                       size_t k, tori_error *err)
{
    *trial = (struct trial){.k = k};
    if (ranking_init (&trial->ranking, cloud, err) < 0)
        return -1;
    trial->hops = malloc (trial->ranking.total * sizeof *trial->hops);
    trial->histogram = malloc (trial->ranking.total
                               * sizeof *trial->histogram);
    trial->distances = malloc (cloud->n * sizeof *trial->distances);
    trial->room = malloc ((cloud->n + 1) * sizeof *trial->room);
    trial->nearest = malloc (k * sizeof *trial->nearest);
    trial->best = malloc (k * sizeof *trial->best);
    if (trial->hops && trial->histogram && trial->distances && trial->room
        && trial->nearest && trial->best)
        return 0;
    trial_clear (trial);
    return tori_error_nomem (err);
}

/* The distances of all points from the centre of these ranks; the greatest
 * of them. */
static wide measure (struct trial *trial, const size_t centre[])
{
    const struct ranking *ranking = &trial->ranking;
    const struct cloud *cloud = ranking->cloud;
    const size_t *ranks = ranking->ranks;
    wide greatest = 0;
    for (int d = 0; d < cloud->ndims; d++)
        for (size_t i = 0; i < ranking->count[d]; i++)
            trial->hops[ranking->first[d] + i] = cloud_apart (
                cloud, d, ranking->values[centre[d]],
                ranking->values[ranking->first[d] + i]);
    for (size_t i = 0; i < cloud->n; i++) {
        wide sum = 0;
        for (int d = 0; d < cloud->ndims; d++)
            sum += trial->hops[*ranks++];
        trial->distances[i] = sum;
        greatest = sum > greatest ? sum : greatest;
    }
    return greatest;
}

static size_t count_upto (const wide *distances, size_t n, wide limit)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += distances[i] <= limit;
    return count;
}

/* Keep those of n distances that are from `low` to `high`. */
static size_t keep_between (const wide *from, size_t n, wide low, wide high,
                            wide *to)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        to[kept] = from[i];
        kept += from[i] >= low && from[i] <= high;
    }
    return kept;
}

/* The least distance within which there are k points. Halving the range needs
 * no luck with pivots, and with what is out of the range dropped each time
 * mostly costs a pass or two. `room` is for n distances and one more. */
static wide find_radius (const wide *distances, size_t n, size_t k, wide high,
                         wide *room)
{
    wide low = 0;
    size_t kept = n;
    memcpy (room, distances, n * sizeof *room);
    while (low < high) {
        wide middle = low + (high - low) / 2;
        size_t within = count_upto (room, kept, middle);
        if (within >= k) {
            high = middle;
        } else {
            low = middle + 1;
            k -= within;
        }
        kept = keep_between (room, kept, low, high, room);
    }
    return low;
}

/* All points nearer than the radius, then the first of those at it. */
static void take_nearest (struct trial *trial, wide radius)
{
    const wide *distances = trial->distances;
    size_t n = trial->ranking.cloud->n, at = 0, rest = trial->k;
    if (radius > 0)
        rest -= count_upto (distances, n, radius - 1);
    for (size_t i = 0; i < n; i++) {
        bool take = distances[i] < radius;
        if (distances[i] == radius && rest > 0) {
            take = true;
            rest--;
        }
        if (take)
            trial->nearest[at++] = i;
    }
}

/* ---- the pairwise sum from histograms ---- */

/* Every gap is crossed by (points before) x (points behind) pairs. */
static wide line_sum (const int64_t *values, const size_t *histogram,
                      size_t count, size_t k)
{
    wide sum = 0;
    size_t below = 0;
    for (size_t i = 0; i + 1 < count; i++) {
        below += histogram[i];
        sum += (wide)((uint64_t)values[i + 1] - (uint64_t)values[i]) * below
               * (k - below);
    }
    return sum;
}

/* Round a ring of S, the points before one at c are |c - x| away up to half
 * way and S - |c - x| beyond: two running sums. */
static wide ring_sum (const int64_t *values, const size_t *histogram,
                      size_t count, uint64_t ring)
{
    wide sum = 0, near = 0, far = 0, near_sum = 0, far_sum = 0;
    for (size_t i = 0, tail = 0; i < count; i++) {
        uint64_t at = (uint64_t)values[i];
        for (; at - (uint64_t)values[tail] > ring / 2; tail++) {
            wide moved = (wide)values[tail] * histogram[tail];
            near -= histogram[tail];
            far += histogram[tail];
            near_sum -= moved;
            far_sum += moved;
        }
        sum += histogram[i] * (near * at - near_sum + far * ring
                               + far_sum - far * at);
        near += histogram[i];
        near_sum += (wide)at * histogram[i];
    }
    return sum;
}

static wide pairwise (struct trial *trial)
{
    const struct ranking *ranking = &trial->ranking;
    size_t ndims = (size_t)ranking->cloud->ndims, *histogram;
    wide sum = 0;
    memset (trial->histogram, 0, ranking->total * sizeof *trial->histogram);
    for (size_t i = 0; i < trial->k; i++)
        for (size_t d = 0; d < ndims; d++)
            trial->histogram[ranking->ranks[trial->nearest[i] * ndims + d]]++;
    for (size_t d = 0; d < ndims; d++) {
        const int64_t *values = ranking->values + ranking->first[d];
        uint64_t ring = ranking->cloud->ring[d];
        histogram = trial->histogram + ranking->first[d];
        sum += ring ? ring_sum (values, histogram, ranking->count[d], ring)
                    : line_sum (values, histogram, ranking->count[d],
                                trial->k);
    }
    return sum;
}

/* ---- all centres ---- */

static void try_centre (struct trial *trial, const size_t centre[])
{
    size_t *nearest = trial->nearest;
    wide high = measure (trial, centre), sum;
    take_nearest (trial, find_radius (trial->distances,
                                      trial->ranking.cloud->n, trial->k,
                                      high, trial->room));
    sum = pairwise (trial);
    if (trial->any && sum >= trial->least)
        return;
    trial->any = true;
    trial->least = sum;
    trial->nearest = trial->best;
    trial->best = nearest;
}

static int check_centres (wide centres, unsigned bits, tori_error *err)
{
    if (centres > (wide)1 << bits)
        return tori_error_set (err, TORI_INVALID,
                               "the coordinates of these points span a grid "
                               "of more than 2^%u centres",
                               bits);
    return 0;
}

/* On to the next centre of the grid; false behind the last. */
static bool next_centre (const struct ranking *ranking, size_t centre[])
{
    for (int d = ranking->cloud->ndims; d-- > 0;) {
        if (++centre[d] < ranking->first[d] + ranking->count[d])
            return true;
        centre[d] = ranking->first[d];
    }
    return false;
}

static int try_grid (struct trial *trial, tori_error *err)
{
    const struct ranking *ranking = &trial->ranking;
    size_t centre[TORI_MAX_DIMS];
    if (check_centres (ranking_centres (ranking), 40, err) < 0)
        return -1;
    for (int d = 0; d < ranking->cloud->ndims; d++)
        centre[d] = ranking->first[d];
    do
        try_centre (trial, centre);
    while (next_centre (ranking, centre));
    return 0;
}

static int try_points (struct trial *trial, tori_error *err)
{
    const struct cloud *cloud = trial->ranking.cloud;
    for (size_t i = 0; i < cloud->n; i++)
        try_centre (trial, trial->ranking.ranks + i * (size_t)cloud->ndims);
    return 0;
}

static int choose (const struct cloud *cloud, size_t k,
                   int (*try_all) (struct trial *, tori_error *),
                   size_t *ret_chosen, tori_error *err)
{
    struct trial trial;
    int status;
    if (trial_init (&trial, cloud, k, err) < 0)
        return -1;
    status = try_all (&trial, err);
    if (status == 0)
        memcpy (ret_chosen, trial.best, k * sizeof *ret_chosen);
    trial_clear (&trial);
    return status;
}

int mm_choose_plain (const struct cloud *cloud, size_t k,
                     const tori_alloc_options *options, size_t *ret_chosen,
                     tori_error *err)
{
    return choose (cloud, k, try_grid, ret_chosen, err);
}

/* ---- which way ---- */

/* Steps before a search is given up: points that boxes see, and additions for
 * sets. */
static const uint64_t BOX_STEPS = UINT64_C (1) << 30;
static const uint64_t SET_STEPS = UINT64_C (1) << 31;

/* Whether rows of the grid are swept: if there are no more centres times
 * points. */
static bool sweeps (const struct cloud *cloud, size_t k, wide centres,
                    wide most)
{
    return centres <= most / cloud->n && sweep_serves (cloud, k);
}

/* 1, or 0 if it takes too long. Small grids are swept, which has little to set
 * up. Boxes tell directions in up to four dimensions only; in more, sets are
 * better. */
static int choose_grid (const struct cloud *cloud, size_t k, wide centres,
                        size_t *ret_chosen, tori_error *err)
{
    const wide FEW = (wide)1 << 20, SOME = (wide)1 << 26;
    const wide MANY = (wide)1 << 30;
    bool flat = cloud->ndims <= NEAREST_SIGNS;
    int status = 0;
    if (sweeps (cloud, k, centres, flat ? FEW : SOME))
        return sweep_choose (cloud, k, ret_chosen, err) < 0 ? -1 : 1;
    if (flat && centres >> 62 == 0 && nearest_serves (cloud, k))
        status = mm_choose_boxes (cloud, k, true, BOX_STEPS, ret_chosen, err);
    if (status == 0 && mm_sets_serves (cloud))
        status = mm_choose_sets (cloud, k, SET_STEPS, ret_chosen, err);
    if (status == 0 && sweeps (cloud, k, centres, MANY))
        return sweep_choose (cloud, k, ret_chosen, err) < 0 ? -1 : 1;
    if (status == 0 && centres <= MANY / cloud->n)
        return mm_choose_plain (cloud, k, NULL, ret_chosen, err) < 0 ? -1 : 1;
    return status;
}

/* What Gen-Alg finds is known at least. `room` is for k. */
static int keep_known (const struct cloud *cloud, size_t k,
                       const tori_alloc_options *options, size_t *room,
                       tori_error *err)
{
    wide sum;
    if (!options || !options->search)
        return 0;
    if (gen_alg_choose (cloud, k, options, room, err) < 0
        || cloud_pairwise (cloud, room, k, &sum, err) < 0)
        return -1;
    cloud_keep (options, room, k, (double)sum, 0);
    return 0;
}

static int give_up (const struct ranking *ranking, size_t k,
                    const tori_alloc_options *options, size_t *room,
                    tori_error *err)
{
    double centres = 1;
    for (int d = 0; d < ranking->cloud->ndims; d++)
        centres *= (double)ranking->count[d];
    if (keep_known (ranking->cloud, k, options, room, err) < 0)
        return -1;
    return tori_error_set (
        err, TORI_GAVE_UP,
        "mm is too long for the best %zu of %zu points in %d dimensions, "
        "whose coordinates span a grid of %.2g centres: feasible are mostly "
        "some 50 points in many dimensions, a few of up to %d, and thousands "
        "in two or three; gen-alg and mc1x1 always answer",
        k, ranking->cloud->n, ranking->cloud->ndims, centres, PAIRS_MOST);
}

int mm_choose (const struct cloud *cloud, size_t k,
               const tori_alloc_options *options, size_t *ret_chosen,
               tori_error *err)
{
    int dim = onedim_find (cloud), status;
    struct ranking ranking;
    wide centres;
    if (dim >= 0)
        return mm_choose_line (cloud, dim, k, false, ret_chosen, err);
    if (ranking_init (&ranking, cloud, err) < 0)
        return -1;
    centres = ranking_centres (&ranking);
    status = choose_grid (cloud, k, centres, ret_chosen, err);
    if (status == 0)
        status = give_up (&ranking, k, options, ret_chosen, err);
    ranking_clear (&ranking);
    return status < 0 ? -1 : 0;
}

int gen_alg_choose_plain (const struct cloud *cloud, size_t k,
                          const tori_alloc_options *options,
                          size_t *ret_chosen, tori_error *err)
{
    return choose (cloud, k, try_points, ret_chosen, err);
}

int gen_alg_choose (const struct cloud *cloud, size_t k,
                    const tori_alloc_options *options, size_t *ret_chosen,
                    tori_error *err)
{
    int dim = onedim_find (cloud);
    if (dim >= 0)
        return mm_choose_line (cloud, dim, k, true, ret_chosen, err);
    if (cloud->ndims < NEAREST_SIGNS && nearest_serves (cloud, k))
        return mm_choose_boxes (cloud, k, false, UINT64_MAX, ret_chosen, err)
                       < 0
                   ? -1
                   : 0;
    return gen_alg_choose_plain (cloud, k, options, ret_chosen, err);
}

/* ---- on machines ---- */

/* Which coordinates of each dimension occur among the free nodes, one behind
 * the other. */
static bool *find_occurring (const tori_state *state)
{
    const tori_machine *machine = state->machine;
    size_t total = 0;
    bool *occurs, *at;
    for (int d = 0; d < machine->shape.ndims; d++)
        total += machine->shape.size[d];
    at = occurs = calloc (total, sizeof *occurs);
    if (!occurs)
        return NULL;
    for (int d = 0; d < machine->shape.ndims; d++) {
        tori_box slice = {.shape = machine->shape};
        slice.shape.size[d] = 1;
        for (; slice.origin[d] < machine->shape.size[d]; slice.origin[d]++)
            *at++ = grid_any (machine, &slice, state->free);
    }
    return occurs;
}

struct mm {
    struct centres *centres; /* for up to three dimensions */
    struct balls *balls;     /* for any */
};

/* The first centre of the least sum; all free nodes, or of the grid unless
 * `occurs` is NULL. */
static uint32_t best_centre (struct balls *balls, const tori_state *state,
                             const bool *occurs)
{
    const tori_machine *machine = state->machine;
    uint64_t least = UINT64_MAX;
    uint32_t best = 0;
    for (uint32_t node = 0; node < machine->nodes; node++) {
        uint64_t sum;
        if (occurs ? !centres_has (machine, occurs, node)
                   : !bits_test (state->free, node))
            continue;
        sum = balls_pairwise (balls, node);
        if (sum < least) {
            least = sum;
            best = node;
        }
    }
    return best;
}

/* The first centre of all. */
static uint32_t first_centre (const tori_state *state, const bool *occurs)
{
    const tori_machine *machine = state->machine;
    uint32_t node = 0;
    while (!occurs && !bits_test (state->free, node))
        node++;
    for (int d = 0; occurs && d < machine->shape.ndims; d++) {
        uint32_t at = 0;
        while (!occurs[at])
            at++;
        node += at * machine->stride[d];
        occurs += machine->shape.size[d];
    }
    return node;
}

/* ---- a few nodes ---- */

/* The least that any k nodes of a mesh of one, two or three dimensions sum up
 * to. Where k nodes lie round a free centre as near as can be, they mostly
 * attain it; not so more than this. */
enum { FEW = 8 };
static const uint8_t least_sums[3][FEW] = {
    {0, 0, 1, 4, 10, 20, 35, 56},
    {0, 0, 1, 4, 8, 16, 25, 38},
    {0, 0, 1, 4, 8, 16, 25, 36},
};

/* Nodes of sum P have one among them from which all others are 2 P / k hops
 * away in sum, so where half of a ring is twice as long they are as far apart
 * as on a line. */
uint64_t mm_least_sum (const tori_machine *machine, uint32_t k)
{
    uint64_t least;
    int ndims = 0;
    for (int d = 0; d < machine->shape.ndims; d++)
        ndims += machine->shape.size[d] > 1;
    if (k >= FEW || ndims < 1 || ndims > 3)
        return 0;
    least = least_sums[ndims - 1][k];
    for (int d = 0; d < machine->shape.ndims; d++)
        if (tori_machine_wraps (machine, d)
            && machine->shape.size[d] < 4 * (2 * least / k))
            return 0;
    return least;
}

/* The first centre of a sum than which there is no less wins, and for a few
 * nodes it is mostly among the first centres at all. Looks at so many that it
 * costs little if not. */
static bool settle_few (struct mm *mm, const tori_state *state, uint32_t k,
                        const bool *occurs, uint32_t *ret_centre)
{
    const tori_machine *machine = state->machine;
    uint64_t least = mm_least_sum (machine, k);
    uint32_t end = machine->nodes / 16;
    if (least == 0)
        return false;
    for (uint32_t node = *ret_centre; node < end; node++) {
        if (occurs ? !centres_has (machine, occurs, node)
                   : !bits_test (state->free, node))
            continue;
        if (balls_pairwise (mm->balls, node) > least)
            continue;
        *ret_centre = node;
        return true;
    }
    return false;
}

/* ---- what does not fit tables ---- */

static int choose_grid_boxes (const struct cloud *cloud, size_t k,
                              const tori_alloc_options *options,
                              size_t *ret_chosen, tori_error *err)
{
    int dim = onedim_find (cloud);
    if (dim >= 0)
        return mm_choose_line (cloud, dim, k, false, ret_chosen, err);
    return mm_choose_boxes (cloud, k, true, UINT64_MAX, ret_chosen, err) < 0
               ? -1
               : 0;
}

/* The free nodes are points like any others, and boxes of centres among these
 * take no table of the machine; but they tell few dimensions apart. */
static int find_by_boxes (const tori_state *state, uint32_t k, bool grid,
                          uint32_t ret_nodes[], tori_error *err)
{
    tori_request request = {.count = k};
    tori_placement place = {0};
    if (cloud_place (grid ? choose_grid_boxes : gen_alg_choose, NULL, state,
                     &request, &place, err)
        < 0)
        return -1;
    memcpy (ret_nodes, place.nodes, k * sizeof *ret_nodes);
    tori_placement_clear (&place);
    return 0;
}

/* Boxes take half a KiB and more of a free node, so there must not be too many,
 * and as long as walking through some 2^14 nodes. Balls walked one after the
 * other take no memory; each is as many nodes as have k free ones on average. */
static bool boxes_serve (const tori_state *state, uint32_t k)
{
    enum { MOST_NODES = 1 << 20, A_BOX = 1 << 14 };
    const tori_machine *machine = state->machine;
    wide nodes = machine->nodes, free_nodes = state->free_count;
    return machine->shape.ndims < NEAREST_SIGNS && free_nodes <= MOST_NODES
           && nodes * nodes * k > A_BOX * free_nodes * free_nodes;
}

static int find_by_centres (struct mm *mm, const tori_state *state,
                            uint32_t k, const bool *occurs,
                            uint32_t ret_nodes[], tori_error *err)
{
    int tabled = balls_start (mm->balls, state, k, err);
    if (tabled < 0)
        return -1;
    if (!tabled && boxes_serve (state, k))
        return find_by_boxes (state, k, occurs, ret_nodes, err);
    return balls_take (mm->balls, best_centre (mm->balls, state, occurs),
                       ret_nodes, err);
}

/* The k nearest of the best centre. A single node sums up to 0 around any, and
 * all free nodes to the same: there the first centre wins. */
static int find_nodes (struct mm *mm, const tori_state *state, uint32_t k,
                       const bool *occurs, uint32_t ret_nodes[],
                       tori_error *err)
{
    uint32_t centre = first_centre (state, occurs);
    int found = 1;
    balls_set (mm->balls, state, k);
    if (k > 1 && k < state->free_count
        && !settle_few (mm, state, k, occurs, &centre))
        found = centres_find (mm->centres, state, k, occurs, mm->balls,
                              &centre, err);
    if (found < 0)
        return -1;
    if (!found)
        return find_by_centres (mm, state, k, occurs, ret_nodes, err);
    return balls_take (mm->balls, centre, ret_nodes, err);
}

/* On one line or ring windows of k neighbours are all there is to look at. */
static bool is_line (const tori_machine *machine)
{
    int longer = 0;
    for (int d = 0; d < machine->shape.ndims; d++)
        longer += machine->shape.size[d] > 1;
    return longer <= 1;
}

int mm_nodes (void *data, const tori_state *state, uint32_t k, bool grid,
              uint32_t ret_nodes[], tori_error *err)
{
    bool *occurs;
    int status;
    if (is_line (state->machine))
        return find_by_boxes (state, k, grid, ret_nodes, err);
    occurs = grid ? find_occurring (state) : NULL;
    if (grid && !occurs)
        return tori_error_nomem (err);
    status = find_nodes (data, state, k, occurs, ret_nodes, err);
    free (occurs);
    return status;
}

void mm_destroy (void *data)
{
    struct mm *mm = data;
    if (!mm)
        return;
    centres_destroy (mm->centres);
    balls_destroy (mm->balls);
    free (mm);
}

int mm_create (const tori_machine *machine, void **ret_data, tori_error *err)
{
    struct mm *mm = calloc (1, sizeof *mm);
    if (!mm)
        return tori_error_nomem (err);
    if (centres_create (machine, &mm->centres, err) < 0
        || balls_create (machine, &mm->balls, err) < 0) {
        mm_destroy (mm);
        return -1;
    }
    *ret_data = mm;
    return 0;
}

static int place (void *data, const tori_state *state,
                  const tori_request *request, bool grid,
                  tori_placement *ret_place, tori_error *err)
{
    uint32_t k = request->count, *nodes = malloc (k * sizeof *nodes);
    if (!nodes)
        return tori_error_nomem (err);
    if (mm_nodes (data, state, k, grid, nodes, err) < 0) {
        free (nodes);
        return -1;
    }
    *ret_place = (tori_placement){.count = k, .nodes = nodes};
    return 1;
}

static int mm_place (void *data, const tori_state *state,
                     const tori_request *request, tori_placement *ret_place,
                     tori_error *err)
{
    return place (data, state, request, true, ret_place, err);
}

static int gen_alg_place (void *data, const tori_state *state,
                          const tori_request *request,
                          tori_placement *ret_place, tori_error *err)
{
    return place (data, state, request, false, ret_place, err);
}

const struct alloc_ops mm_ops = {
    .info = {.name = "mm",
             .summary = "the nearest nodes of the best centre (Manhattan "
                        "median)",
             .takes = TORI_BY_COUNT,
             .points = true},
    .create = mm_create,
    .destroy = mm_destroy,
    .choose = mm_choose,
    .place = mm_place,
};

const struct alloc_ops gen_alg_ops = {
    .info = {.name = "gen-alg",
             .summary = "the nearest nodes of the best free node",
             .takes = TORI_BY_COUNT,
             .points = true},
    .create = mm_create,
    .destroy = mm_destroy,
    .choose = gen_alg_choose,
    .place = gen_alg_place,
};
