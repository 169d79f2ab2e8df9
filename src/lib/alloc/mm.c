/* mm.c - MM and Gen-Alg on machines; those on points are in clouds/. */
#include "mm.h"

#include <stdlib.h>
#include <string.h>

#include "balls.h"
#include "bits.h"
#include "marks.h"
#include "nearest.h"
#include "policy.h"

/* The grid spanned by the coordinates of the free nodes, or the free nodes. */
uint64_t *mm_centres (const tori_state *state, bool grid)
{
    const tori_machine *machine = state->machine;
    uint64_t *centres = malloc (state->words * sizeof *centres);
    if (!centres)
        return NULL;
    memcpy (centres, state->free, state->words * sizeof *centres);
    if (grid)
        bits_set_range (centres, 0, machine->nodes);
    for (int d = 0; grid && d < machine->shape.ndims; d++) {
        tori_box slice = {.shape = machine->shape};
        slice.shape.size[d] = 1;
        for (; slice.origin[d] < machine->shape.size[d]; slice.origin[d]++)
            if (!grid_any (machine, &slice, state->free))
                grid_clear (machine, &slice, centres);
    }
    return centres;
}

static uint32_t first_of (const uint64_t *set)
{
    uint32_t word = 0;
    while (!set[word])
        word++;
    return 64 * word + (uint32_t)__builtin_ctzll (set[word]);
}

/* ---- a few nodes ---- */

/* The least sums of any k nodes of a mesh of one, two or three dimensions. Up
 * to this k, the k nodes nearest to a free centre mostly attain it. */
enum { FEW = 8 };
static const uint8_t least_sums[3][FEW] = {
    {0, 0, 1, 4, 10, 20, 35, 56},
    {0, 0, 1, 4, 8, 16, 25, 38},
    {0, 0, 1, 4, 8, 16, 25, 36},
};

/* Nodes of sum P have one among them from which all others are 2 P / k hops
 * away in sum, so if half of a ring is twice as long they are as far apart as
 * on a line. */
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

static uint64_t few_pairwise (const tori_machine *machine,
                              const uint32_t nodes[], uint32_t k)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < k; i++)
        for (uint32_t j = 0; j < i; j++)
            sum += tori_machine_distance (machine, nodes[i], nodes[j]);
    return sum;
}

/* The first centre of the least possible sum wins, and for a few nodes it is
 * mostly among the first centres. Tries so few that failing costs little. */
static bool settle_few (const struct balls *balls, const tori_state *state,
                        uint32_t k, const uint64_t *centres,
                        uint32_t ret_nodes[])
{
    const tori_machine *machine = state->machine;
    uint64_t least = mm_least_sum (machine, k);
    uint32_t end = least ? machine->nodes / 16 : 0;
    for (uint32_t node = 0; node < end; node++) {
        if (!bits_test (centres, node))
            continue;
        balls_take (balls, state, k, node, ret_nodes);
        if (few_pairwise (machine, ret_nodes, k) <= least)
            return true;
    }
    return false;
}

/* ---- by points ---- */

/* The free nodes are points like any others. On a line that is the best way,
 * and if rows would take too much memory, boxes of centres among points take
 * none; but they distinguish few dimensions. */
static int find_by_points (const tori_state *state, uint32_t k, bool grid,
                           uint32_t ret_nodes[], tori_error *err)
{
    tori_request request = {.count = k};
    tori_placement place = {0};
    if (cloud_place (grid ? mm_choose : gen_alg_choose, NULL, state,
                     &request, &place, err)
        < 0)
        return -1;
    memcpy (ret_nodes, place.nodes, k * sizeof *ret_nodes);
    tori_placement_clear (&place);
    return 0;
}

/* ---- one line ---- */

/* On one line or ring only windows of k neighbours matter. */
static bool is_line (const tori_machine *machine)
{
    int longer = 0;
    for (int d = 0; d < machine->shape.ndims; d++)
        longer += machine->shape.size[d] > 1;
    return longer <= 1;
}

/* No sum is less than that of k nodes in a row. A centre has them around it
 * only if it is among them, or in the same row; at the beginning of a row, the
 * first such centre has none before them. So a line need not be searched any
 * further. Round a ring the first centre may have them on both sides. */
static bool settle_run (const tori_state *state, uint32_t k,
                        uint32_t ret_nodes[])
{
    const tori_machine *machine = state->machine;
    uint32_t from;
    for (int d = 0; d < machine->shape.ndims; d++)
        if (machine->shape.size[d] > 1 && tori_machine_wraps (machine, d))
            return false;
    from = (uint32_t)bits_find_run (state->free, machine->nodes, k);
    for (uint32_t i = 0; i < k && from < machine->nodes; i++)
        ret_nodes[i] = from + i;
    return from < machine->nodes;
}

static int find_on_line (const tori_state *state, uint32_t k, bool grid,
                         uint32_t ret_nodes[], tori_error *err)
{
    return settle_run (state, k, ret_nodes)
               ? 0
               : find_by_points (state, k, grid, ret_nodes, err);
}

/* ---- a request ---- */

/* The k nearest of the best centre. A single node sums up to 0 around any, and
 * all free nodes to the same: there the first centre wins. */
static int find_nodes (struct balls *balls, const tori_state *state,
                       uint32_t k, bool grid, const uint64_t *centres,
                       uint32_t ret_nodes[], tori_error *err)
{
    int done;
    if (k == 1 || k == state->free_count) {
        balls_take (balls, state, k, first_of (centres), ret_nodes);
        return 0;
    }
    if (settle_few (balls, state, k, centres, ret_nodes))
        return 0;
    done = balls_find (balls, state, k, centres, ret_nodes, err);
    return done ? (done < 0 ? -1 : 0)
                : find_by_points (state, k, grid, ret_nodes, err);
}

int mm_nodes (void *data, const tori_state *state, uint32_t k, bool grid,
              uint32_t ret_nodes[], tori_error *err)
{
    uint64_t *centres;
    int status;
    if (is_line (state->machine))
        return find_on_line (state, k, grid, ret_nodes, err);
    centres = mm_centres (state, grid);
    if (!centres)
        return tori_error_nomem (err);
    status = find_nodes (data, state, k, grid, centres, ret_nodes, err);
    free (centres);
    return status;
}

int mm_create (const tori_machine *machine, void **ret_data, tori_error *err)
{
    struct balls *balls;
    if (is_line (machine)) {
        *ret_data = NULL;
        return 0;
    }
    if (balls_create (machine, &balls, err) < 0)
        return -1;
    *ret_data = balls;
    return 0;
}

void mm_destroy (void *data)
{
    balls_destroy (data);
}

static int place_nearest (void *data, const tori_state *state,
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
    return place_nearest (data, state, request, true, ret_place, err);
}

static int gen_alg_place (void *data, const tori_state *state,
                          const tori_request *request,
                          tori_placement *ret_place, tori_error *err)
{
    return place_nearest (data, state, request, false, ret_place, err);
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
