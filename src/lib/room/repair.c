/* repair.c - a new place for a job whose nodes or links have failed.
 *
 * A box goes to the free place that has the most nodes in common with the old
 * one; ties go to the lowest origin, then to the first rotation.
 *
 * A list keeps its nodes that are up. The other nodes are found by branch and
 * bound over the free nodes, nearest to the kept ones first. A set of r more
 * nodes adds at least the r least distances to those that are there, and one
 * hop for each pair of its own. The first set is the greedy one, each node the
 * one that adds least; so there is always an answer, and if the search ends it
 * is the least. */
#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "boxscan.h"
#include "occupancy.h"
#include "marks.h"
#include "placement.h"
#include "podroom.h"

/* ---- a box ---- */

struct shifting {
    const tori_machine *machine;
    const tori_box *old;
    bool found;
    uint64_t common;
    tori_box box;
};

/* How many coordinates of a dimension two boxes share. */
static uint32_t shared_side (const tori_machine *machine, const tori_box *a,
                             const tori_box *b, int d)
{
    uint32_t S = machine->shape.size[d], n = 0;
    for (uint32_t i = 0; i < b->shape.size[d]; i++)
        n += (b->origin[d] + i + S - a->origin[d]) % S < a->shape.size[d];
    return n;
}

static uint64_t shared_nodes (const tori_machine *machine, const tori_box *a,
                              const tori_box *b)
{
    uint64_t n = 1;
    for (int d = 0; d < a->shape.ndims && n > 0; d++)
        n *= shared_side (machine, a, b, d);
    return n;
}

static bool compare_box (void *arg, const tori_box *box)
{
    struct shifting *s = arg;
    uint64_t common = shared_nodes (s->machine, s->old, box);
    if (s->found
        && (common < s->common
            || (common == s->common
                && tori_machine_id (s->machine, box->origin)
                       >= tori_machine_id (s->machine, s->box.origin))))
        return false;
    s->found = true;
    s->common = common;
    s->box = *box;
    return false;
}

static int shift_box (struct occupancy *ground, tori_room *room,
                      tori_error *err)
{
    const tori_placement *place = ground->job[0].place;
    tori_request request = occupancy_request (ground, 0);
    struct shifting s = {.machine = ground->machine, .old = &place->box};
    occupancy_take_off (ground, 0);
    if (occupancy_bar (ground, ground->job[0].barred, err) < 0)
        return -1;
    boxscan_by_rule (ground->scan, false);
    if (occupancy_each (ground, &request, compare_box, &s, err) < 0)
        return -1;
    room->least = true;
    room->found = s.found;
    if (s.found) {
        room->place = placement_of_box (&s.box, place->wiring);
        room->nodes = place->count - s.common;
        return tori_placement_wire (&room->place, ground->state, err);
    }
    return 0;
}

/* ---- a list ---- */

struct patching {
    const tori_machine *machine;
    uint32_t *node; /* the kept ones, then those that are added */
    uint32_t kept, missing;
    uint32_t *spare; /* free nodes, by distance to the kept ones, then by id */
    uint32_t spares;
    uint64_t *far; /* by depth and spare: distance to all nodes of the list */
    uint32_t *best;
    uint64_t least;
    uint64_t spent, limit;
};

static uint64_t *row_of (const struct patching *p, uint32_t depth)
{
    return p->far + (size_t)depth * p->spares;
}

/* The distances after one more node was added. */
static void add_node (struct patching *p, uint32_t depth, uint32_t spare)
{
    for (uint32_t i = 0; i < p->spares; i++)
        row_of (p, depth + 1)[i] =
            row_of (p, depth)[i]
            + tori_machine_distance (p->machine, p->spare[i], p->spare[spare]);
}

static int by_distance (const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    if (x[0] != y[0])
        return x[0] < y[0] ? -1 : 1;
    return (x[1] > y[1]) - (x[1] < y[1]);
}

/* The kept nodes by coordinate in a dimension: held[x], and their number below
 * x. */
struct coordinates {
    uint32_t size;
    bool ring;
    uint64_t *held, *below, *sum;
};

/* How many of n coordinates from the first on, round the ring, are held. */
static uint64_t held_from (const struct coordinates *c, uint32_t first,
                           uint32_t n)
{
    uint32_t from = first % c->size, rest = c->size - from;
    return n <= rest ? c->below[from + n] - c->below[from]
                     : c->below[c->size] - c->below[from]
                           + c->below[n - rest];
}

/* A step from x to the next coordinate brings those ahead nearer, up to half
 * of a ring away, and takes the others farther off; on an odd ring those
 * opposite stay as they are. */
static void sum_distances (struct coordinates *c)
{
    uint32_t S = c->size, half = c->ring ? S / 2 : S;
    c->sum[0] = c->below[0] = 0;
    for (uint32_t x = 0; x < S; x++) {
        uint32_t far = c->ring && x > S - x ? S - x : x;
        c->sum[0] += c->held[x] * far;
        c->below[x + 1] = c->below[x] + c->held[x];
    }
    for (uint32_t x = 0; x + 1 < S; x++) {
        uint32_t ahead = c->ring ? half : S - x - 1;
        uint64_t nearer = held_from (c, x + 1, ahead);
        uint64_t same = c->ring && S % 2 ? c->held[(x + half + 1) % S] : 0;
        c->sum[x + 1] = c->sum[x] + c->below[S] - same - 2 * nearer;
    }
}

/* Add to the distances of spares those to the kept nodes in one dimension: by
 * coordinate, because many nodes share it. */
static void add_dimension (const struct patching *p, int d, uint64_t *work,
                           uint64_t (*key)[2])
{
    uint32_t S = p->machine->shape.size[d];
    struct coordinates c = {S, tori_machine_wraps (p->machine, d), work,
                            work + S, work + 2 * (size_t)S + 1};
    memset (c.held, 0, S * sizeof *c.held);
    for (uint32_t k = 0; k < p->kept; k++)
        c.held[grid_coord (p->machine, p->node[k], d)]++;
    sum_distances (&c);
    for (uint32_t i = 0; i < p->spares; i++)
        key[i][0] += c.sum[grid_coord (p->machine, p->spare[i], d)];
}

/* Distances to the kept nodes, and the spares in their order. */
static int sort_spares (struct patching *p, tori_error *err)
{
    uint64_t (*key)[2] = calloc (p->spares + (size_t)1, sizeof *key);
    uint64_t *work = calloc (3 * (size_t)p->machine->nodes + 1,
                             sizeof *work);
    int status = key && work ? 0 : tori_error_nomem (err);
    for (uint32_t i = 0; i < p->spares && status == 0; i++)
        key[i][1] = p->spare[i];
    for (int d = 0; d < p->machine->shape.ndims && status == 0; d++)
        add_dimension (p, d, work, key);
    if (status == 0)
        qsort (key, p->spares, sizeof *key, by_distance);
    for (uint32_t i = 0; i < p->spares && status == 0; i++) {
        p->spare[i] = (uint32_t)key[i][1];
        row_of (p, 0)[i] = key[i][0];
    }
    free (key);
    free (work);
    return status;
}

static bool is_chosen (const uint32_t chosen[], uint32_t n, uint32_t spare)
{
    for (uint32_t i = 0; i < n; i++)
        if (chosen[i] == spare)
            return true;
    return false;
}

/* Add one node after another, each the one that adds least. */
static void patch_greedily (struct patching *p)
{
    p->least = 0;
    for (uint32_t n = 0; n < p->missing; n++) {
        uint32_t best = UINT32_MAX;
        for (uint32_t i = 0; i < p->spares; i++)
            if (!is_chosen (p->best, n, i)
                && (best == UINT32_MAX
                    || row_of (p, n)[i] < row_of (p, n)[best]))
                best = i;
        p->least += row_of (p, n)[best];
        p->best[n] = best;
        if (n + 1 < p->missing)
            add_node (p, n, best);
    }
}

static int by_number (const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* A lower bound of what r spares from `first` on add. */
static uint64_t bound_rest (const struct patching *p, uint32_t depth,
                            uint32_t first, uint32_t r, uint64_t *work)
{
    uint64_t sum = (uint64_t)r * (r - 1) / 2;
    uint32_t n = p->spares - first;
    memcpy (work, row_of (p, depth) + first, n * sizeof *work);
    qsort (work, n, sizeof *work, by_number);
    for (uint32_t i = 0; i < r; i++)
        sum += work[i];
    return sum;
}

static void patch_deeper (struct patching *p, uint32_t depth, uint32_t first,
                          uint64_t sum, uint32_t chosen[], uint64_t *work)
{
    uint32_t r = p->missing - depth;
    if (r == 0) {
        p->least = sum;
        memcpy (p->best, chosen, p->missing * sizeof *chosen);
        return;
    }
    for (uint32_t i = first; i + r <= p->spares; i++) {
        p->spent += 1 + (p->spares - i) / 16;
        if (p->spent >= p->limit
            || sum + bound_rest (p, depth, i, r, work) >= p->least)
            return;
        if (sum + row_of (p, depth)[i] + (uint64_t)r * (r - 1) / 2 >= p->least)
            continue;
        chosen[depth] = i;
        if (r > 1)
            add_node (p, depth, i);
        patch_deeper (p, depth + 1, i + 1, sum + row_of (p, depth)[i], chosen,
                      work);
    }
}

static int search_patch (struct patching *p, tori_error *err)
{
    uint64_t *work = malloc ((p->spares + (size_t)1) * sizeof *work);
    uint32_t *chosen = calloc (p->missing + (size_t)1, sizeof *chosen);
    int status = work && chosen ? 0 : tori_error_nomem (err);
    if (status == 0)
        patch_deeper (p, 0, 0, 0, chosen, work);
    free (work);
    free (chosen);
    return status;
}

static int by_id (const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static int find_patch (struct patching *p, tori_error *err)
{
    if (sort_spares (p, err) < 0)
        return -1;
    patch_greedily (p);
    if (search_patch (p, err) < 0)
        return -1;
    for (uint32_t i = 0; i < p->missing; i++)
        p->node[p->kept + i] = p->spare[p->best[i]];
    qsort (p->node, p->kept + p->missing, sizeof *p->node, by_id);
    return 0;
}

/* Split the nodes into those that the list keeps, and the free ones. */
static void split_nodes (struct patching *p, const tori_placement *place,
                         const tori_state *state)
{
    for (uint32_t i = 0; i < place->count; i++)
        if (tori_state_node (state, place->nodes[i]) != TORI_NODE_DOWN)
            p->node[p->kept++] = place->nodes[i];
    p->missing = place->count - p->kept;
    for (uint32_t i = 0; i < p->machine->nodes; i++)
        if (bits_test (state->free, i))
            p->spare[p->spares++] = i;
}

static int patch_list (struct patching *p, tori_room *room, tori_error *err)
{
    p->far = calloc (((size_t)p->missing + 1) * (p->spares + (size_t)1),
                     sizeof *p->far);
    p->best = calloc (p->missing + (size_t)1, sizeof *p->best);
    if (!p->far || !p->best)
        return tori_error_nomem (err);
    if (p->missing > p->spares) {
        room->least = true;
        return 0;
    }
    if (find_patch (p, err) < 0)
        return -1;
    room->found = true;
    room->least = p->spent < p->limit;
    room->nodes = p->missing;
    room->steps = p->spent;
    return 0;
}

static int mend_list (struct occupancy *ground, const tori_room_config *config,
                      tori_room *room, tori_error *err)
{
    const tori_placement *place = ground->job[0].place;
    struct patching p = {.machine = ground->machine, .limit = config->steps};
    int status = -1;
    p.node = malloc ((place->count + (size_t)1) * sizeof *p.node);
    p.spare = malloc (ground->machine->nodes * sizeof *p.spare);
    if (p.node && p.spare) {
        status = occupancy_bar (ground, ground->job[0].barred, err);
        split_nodes (&p, place, ground->state);
        if (status == 0)
            status = patch_list (&p, room, err);
    } else {
        (void)tori_error_nomem (err);
    }
    if (status == 0 && room->found) {
        room->place = (tori_placement){.count = place->count, .nodes = p.node};
        p.node = NULL;
    }
    free (p.node);
    free (p.spare);
    free (p.far);
    free (p.best);
    return status;
}

/* ---- a box or a list ---- */

/* Whether nothing of the job is down. */
static bool is_whole (const struct occupancy *ground)
{
    const tori_placement *place = ground->job[0].place;
    for (uint32_t i = 0; i < ground->machine->nodes; i++)
        if (ground->owner[i] == 0
            && tori_state_node (ground->state, i) == TORI_NODE_DOWN)
            return false;
    return placement_links_up (place, ground->state);
}

static int mend_job (struct occupancy *ground, const tori_room_config *config,
                     tori_room *ret_room, tori_error *err)
{
    const tori_placement *place = ground->job[0].place;
    tori_room room = {0};
    int status;
    if (is_whole (ground)) {
        room.found = room.least = true;
        status = tori_placement_copy (&room.place, place, err);
    } else if (ground->machine->apart && place->nboxes) {
        status = podroom_mend (ground, config, &room, err);
    } else if (place->nboxes > 1) {
        status = 0; /* nothing was found */
    } else {
        status = place->nboxes ? shift_box (ground, &room, err)
                               : mend_list (ground, config, &room, err);
    }
    if (status < 0)
        return -1;
    room.bound = room.least ? room.nodes : 0;
    *ret_room = room;
    return 0;
}

int tori_room_repair (const tori_state *state, const tori_room_job *job,
                      const tori_room_config *config, tori_room *ret_room,
                      tori_error *err)
{
    struct occupancy ground;
    tori_room_config own;
    int status;
    if (room_configure (config, &own, err) < 0)
        return -1;
    status = occupancy_open (&ground, state, job, 1, err);
    if (status == 0)
        status = mend_job (&ground, &own, ret_room, err);
    occupancy_close (&ground);
    return status;
}
