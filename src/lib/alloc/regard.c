/* regard.c - close together, with regard to the jobs to come.
 *
 * MM+Inc makes the best of every single decision, and leaves what is free in
 * pieces. So what remains counts here, too: with F the free nodes and S those
 * taken of them, w the sum of distances over pairs, and E the number of
 * neighbours of which one is taken and the other remains,
 *
 *     J(S) = w(S) + B w(F - S) + A E(S, F - S).
 *
 * Let R be the answer of MM+Inc. The candidates are R and the k nearest free
 * nodes of every node, in this order, as long as w(S) is at most 1.15 w(R); on
 * a line, R alone. From those of the four lowest J, the first of equals, the
 * best swaps under J are made within the same limit until none helps. The
 * first of the lowest J then wins.
 */
#include <stdlib.h>
#include <string.h>

#include "ballface.h"
#include "balls.h"
#include "barter.h"
#include "bits.h"
#include "marks.h"
#include "mm.h"
#include "policy.h"

enum { STARTS = 4 };

/* J is counted in fortieths: B is 12 of them. */
enum { WHOLE = 40, REST = 12 };

struct regard_start {
    wide cost;
    uint32_t *nodes; /* k */
};

struct regard {
    void *mm; /* struct balls, or NULL on a line */
    struct barter *barter;
    struct barter_terms terms;
    struct ball_space space;
    const uint64_t *prices[TORI_MAX_DIMS];
    uint64_t *everywhere; /* all nodes, as centres */

    /* The present request. */
    const tori_state *state;
    uint32_t k;
    wide limit;
    struct regard_start starts[STARTS + 1]; /* by cost; then the next one */
    int n;
};

/* ---- create and destroy ---- */

static void destroy_regard (void *data)
{
    struct regard *regard = data;
    mm_destroy (regard->mm);
    barter_destroy (regard->barter);
    free (regard->everywhere);
    free (regard);
}

/* A is N in two dimensions, N/8 in three, and so on. */
static uint64_t edge_weight (const tori_machine *machine, int ndims)
{
    uint64_t weight = (uint64_t)machine->nodes * 8 * WHOLE;
    for (; ndims > 1; ndims--)
        weight /= 8;
    return weight;
}

static int create_regard (const tori_machine *machine, void **ret_data,
                          tori_error *err)
{
    struct regard *regard = calloc (1, sizeof *regard);
    if (!regard)
        return tori_error_nomem (err);
    regard->space = ball_space_of (machine);
    regard->terms = (struct barter_terms){
        WHOLE, REST, edge_weight (machine, regard->space.n)};
    regard->everywhere = calloc (bits_words (machine->nodes),
                                 sizeof *regard->everywhere);
    if (!regard->everywhere)
        tori_error_nomem (err);
    if (!regard->everywhere || mm_create (machine, &regard->mm, err) < 0
        || barter_create (machine, &regard->barter, err) < 0) {
        destroy_regard (regard);
        return -1;
    }
    bits_set_range (regard->everywhere, 0, machine->nodes);
    *ret_data = regard;
    return 0;
}

/* ---- candidates ---- */

static bool is_low (const struct regard *regard, wide cost)
{
    return regard->n < STARTS || cost < regard->starts[STARTS - 1].cost;
}

static bool is_known (const struct regard *regard, wide cost)
{
    for (int i = 0; i < regard->n; i++)
        if (regard->starts[i].cost == cost)
            return true;
    return false;
}

/* Keep the present candidate in place of the highest. */
static void keep_start (struct regard *regard)
{
    struct regard_start one = regard->starts[STARTS];
    int at = regard->n < STARTS ? regard->n++ : STARTS - 1;
    regard->starts[STARTS] = regard->starts[at];
    for (; at > 0 && one.cost < regard->starts[at - 1].cost; at--)
        regard->starts[at] = regard->starts[at - 1];
    regard->starts[at] = one;
}

static wide cost_of (const struct regard *regard,
                     const struct ball_weight *weight, uint64_t edges)
{
    return barter_cost (regard->barter, &regard->terms, weight->sum,
                        weight->price, edges);
}

/* Consider the nearest nodes of a centre. Edges only add to the cost. */
static void consider_centre (struct regard *regard, uint32_t centre)
{
    struct ball_weight weight = balls_weight (regard->mm, centre);
    struct regard_start *one = &regard->starts[STARTS];
    uint64_t edges;
    if (weight.sum > regard->limit
        || !is_low (regard, cost_of (regard, &weight, 0)))
        return;
    edges = ball_face_edges (&regard->space, barter_beside (regard->barter),
                             centre, weight.radius, weight.rest);
    one->cost = cost_of (regard, &weight, edges);
    if (!is_low (regard, one->cost) || is_known (regard, one->cost))
        return;
    balls_nearest (regard->mm, regard->state, centre, one->nodes);
    keep_start (regard);
}

/* R, and the limit for candidates. */
static void consider_first (struct regard *regard)
{
    static const struct barter_terms only_close = {.close = 1};
    struct regard_start *one = &regard->starts[STARTS];
    wide sum = barter_improve (regard->barter, &only_close, regard->k,
                               BARTER_ANY, one->nodes).sum;
    one->cost = barter_weigh (regard->barter, &regard->terms, regard->k,
                              one->nodes).cost;
    regard->limit = 23 * sum / 20;
    keep_start (regard);
}

/* All centres weighed, the answer of MM is the best of its own. 1, 0 if they
 * cannot be weighed, -1 without memory. */
static int weigh_centres (struct regard *regard, tori_error *err)
{
    uint64_t *centres;
    int done;
    for (int a = 0; a < regard->space.n; a++)
        regard->prices[a] = barter_prices (regard->barter, a);
    done = balls_weigh (regard->mm, regard->state, regard->k,
                        regard->everywhere, regard->prices, err);
    if (done <= 0)
        return done;
    centres = mm_centres (regard->state, true);
    if (!centres)
        return tori_error_nomem (err);
    balls_nearest (regard->mm, regard->state,
                   balls_best (regard->mm, centres),
                   regard->starts[STARTS].nodes);
    free (centres);
    return 1;
}

static int find_starts (struct regard *regard, tori_error *err)
{
    uint32_t nodes = regard->state->machine->nodes;
    int done = 0;
    if (barter_start (regard->barter, regard->state, err) < 0)
        return -1;
    if (regard->space.n > 1)
        done = weigh_centres (regard, err);
    if (done < 0)
        return -1;
    if (done == 0
        && mm_nodes (regard->mm, regard->state, regard->k, true,
                     regard->starts[STARTS].nodes, err)
               < 0)
        return -1;
    consider_first (regard);
    for (uint32_t i = 0; i < nodes && done; i++)
        consider_centre (regard, i);
    return 0;
}

/* ---- a request ---- */

static struct regard_start *improve_starts (struct regard *regard)
{
    struct regard_start *best = NULL;
    for (int i = 0; i < regard->n; i++) {
        struct regard_start *one = &regard->starts[i];
        one->cost = barter_improve (regard->barter, &regard->terms, regard->k,
                                    regard->limit, one->nodes).cost;
        if (!best || one->cost < best->cost)
            best = one;
    }
    return best;
}

static int place_regard (void *data, const tori_state *state,
                         const tori_request *request,
                         tori_placement *ret_place, tori_error *err)
{
    struct regard *regard = data;
    uint32_t k = request->count, *nodes = malloc (k * sizeof *nodes);
    uint32_t *room = malloc ((STARTS + 1) * (size_t)k * sizeof *room);
    int status = nodes && room ? 0 : tori_error_nomem (err);
    regard->state = state;
    regard->k = k;
    regard->n = 0;
    for (int i = 0; status == 0 && i <= STARTS; i++)
        regard->starts[i].nodes = room + (size_t)i * k;
    if (status == 0)
        status = find_starts (regard, err);
    if (status == 0) {
        memcpy (nodes, improve_starts (regard)->nodes, k * sizeof *nodes);
        *ret_place = (tori_placement){.count = k, .nodes = nodes};
        nodes = NULL;
    }
    free (room);
    free (nodes);
    return status == 0 ? 1 : -1;
}

const struct alloc_ops regard_ops = {
    .info = {.name = "regard",
             .summary = "close together, and what remains free as well",
             .takes = TORI_BY_COUNT},
    .create = create_regard,
    .destroy = destroy_regard,
    .place = place_regard,
};
