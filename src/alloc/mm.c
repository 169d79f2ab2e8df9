/* mm.c - MM and Gen-Alg on machines; those on points are in clouds/. */
#include "mm.h"

#include <stdlib.h>
#include <string.h>

#include "balls.h"
#include "bits.h"
#include "centres.h"
#include "marks.h"
#include "mm_boxes.h"
#include "nearest.h"
#include "row.h"
#include "policy.h"

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
                              const tori_alloc_config *options,
                              size_t *ret_chosen, tori_error *err)
{
    int dim = row_find (cloud);
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
             .flags = TORI_ALLOC_POINTS},
    .create = mm_create,
    .destroy = mm_destroy,
    .choose = mm_choose,
    .place = mm_place,
};

const struct alloc_ops gen_alg_ops = {
    .info = {.name = "gen-alg",
             .summary = "the nearest nodes of the best free node",
             .takes = TORI_BY_COUNT,
             .flags = TORI_ALLOC_POINTS},
    .create = mm_create,
    .destroy = mm_destroy,
    .choose = gen_alg_choose,
    .place = gen_alg_place,
};
