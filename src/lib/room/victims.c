/* victims.c - the jobs to end so that a request fits.
 *
 * For a box the jobs in the way of a place have to go, and no others, so the
 * least over all places is the answer. For a count it is the cheapest set that
 * gives enough nodes back, which is a knapsack: the cheapest for every number
 * of nodes, job by job. */
#include <stdlib.h>

#include "ask.h"
#include "bits.h"
#include "occupancy.h"
#include "marks.h"
#include "placement.h"
#include "podroom.h"

enum { NODES_A_STEP = 64 };

struct choosing {
    struct occupancy ground;
    tori_room_config config;
    const tori_request *request;
    uint64_t spent;
    bool all; /* every place was looked at */
    bool found;
    struct toll least;
    tori_box box;   /* the place of a box */
    uint32_t *who;  /* least.jobs of them */
};

static bool is_cheaper (const struct toll *a, const struct toll *b)
{
    return a->weight != b->weight ? a->weight < b->weight : a->jobs < b->jobs;
}

/* ---- a box ---- */

static bool is_better (const struct choosing *c, const tori_box *box,
                       const struct toll *toll)
{
    if (!c->found || is_cheaper (toll, &c->least))
        return true;
    return !is_cheaper (&c->least, toll)
           && tori_machine_id (c->ground.machine, box->origin)
                  < tori_machine_id (c->ground.machine, c->box.origin);
}

static bool weigh_box (void *arg, const tori_box *box)
{
    struct choosing *c = arg;
    uint64_t most = c->found ? c->least.weight : UINT64_MAX;
    struct toll toll;
    c->all = c->spent < c->config.steps;
    c->spent += 1 + tori_shape_volume (&box->shape) / NODES_A_STEP;
    if (c->all
        && occupancy_toll (&c->ground, box, c->request->wiring, most, &toll)
        && is_better (c, box, &toll)) {
        c->found = true;
        c->least = toll;
        c->box = *box;
    }
    return !c->all;
}

static int choose_for_box (struct choosing *c, tori_error *err)
{
    struct toll toll;
    int status;
    (void)occupancy_lift (&c->ground, UINT64_MAX);
    status = occupancy_each (&c->ground, c->request, weigh_box, c, err);
    if (occupancy_lower (&c->ground, UINT64_MAX, err) < 0 || status < 0)
        return -1;
    if (c->found)
        (void)occupancy_toll (&c->ground, &c->box, c->request->wiring,
                              UINT64_MAX, &toll);
    for (uint32_t i = 0; c->found && i < toll.jobs; i++)
        c->who[i] = c->ground.found[i];
    return 0;
}

/* ---- a count ---- */

/* The cheapest sets that give back so many nodes or more, and by job a bit per
 * number: whether the job is in that set. */
struct knapsack {
    uint32_t need;
    struct toll *least; /* by nodes, 0 to need */
    uint64_t *taken;
    size_t words; /* per job */
};

static const struct toll impossible = {UINT64_MAX, UINT32_MAX};

static uint32_t count_returning (const struct occupancy *ground, uint32_t job)
{
    return placement_returning (ground->job[job].place, ground->state);
}

static struct toll add_job (const struct toll *toll, uint64_t weight)
{
    struct toll sum = {0, toll->jobs + 1};
    if (toll->jobs == UINT32_MAX)
        return impossible;
    if (__builtin_add_overflow (toll->weight, weight, &sum.weight))
        sum.weight = UINT64_MAX;
    return sum;
}

/* From many nodes to few, so that the sets before this job are still there. */
static void pack_job (struct knapsack *sack, uint32_t job, uint32_t nodes,
                      uint64_t weight)
{
    uint64_t *taken = sack->taken + job * sack->words;
    for (uint32_t need = sack->need; need > 0; need--) {
        uint32_t rest = need > nodes ? need - nodes : 0;
        struct toll toll = add_job (&sack->least[rest], weight);
        if (is_cheaper (&toll, &sack->least[need])) {
            sack->least[need] = toll;
            bits_set (taken, need);
        }
    }
}

static void unpack_jobs (struct choosing *c, const struct knapsack *sack)
{
    uint32_t need = sack->need, n = 0;
    for (uint32_t j = c->ground.n; j-- > 0 && need > 0;) {
        uint32_t nodes = count_returning (&c->ground, j);
        if (!bits_test (sack->taken + j * sack->words, need))
            continue;
        c->who[n++] = j;
        need = need > nodes ? need - nodes : 0;
    }
    c->least = sack->least[sack->need];
    c->found = true;
}

static int fill_sack (struct choosing *c, struct knapsack *sack,
                      tori_error *err)
{
    sack->words = bits_words ((uint64_t)sack->need + 1);
    sack->least = malloc ((sack->need + (size_t)1) * sizeof *sack->least);
    sack->taken = calloc (c->ground.n * sack->words + 1, sizeof *sack->taken);
    if (!sack->least || !sack->taken)
        return tori_error_nomem (err);
    sack->least[0] = (struct toll){0};
    for (uint32_t i = 1; i <= sack->need; i++)
        sack->least[i] = impossible;
    for (uint32_t j = 0; j < c->ground.n; j++)
        if (!c->ground.stays[j])
            pack_job (sack, j, count_returning (&c->ground, j),
                      c->ground.weight[j]);
    return 0;
}

static int choose_exactly (struct choosing *c, uint32_t need, tori_error *err)
{
    struct knapsack sack = {.need = need};
    int status = fill_sack (c, &sack, err);
    c->spent += (uint64_t)c->ground.n * need;
    if (status == 0 && sack.least[need].jobs <= c->ground.n)
        unpack_jobs (c, &sack);
    free (sack.least);
    free (sack.taken);
    return status;
}

__extension__ typedef unsigned __int128 wide;

/* The remaining job with the least work for every node that it gives back;
 * ties go to the first. */
static uint32_t cheapest_job (const struct choosing *c)
{
    uint32_t best = NO_OWNER, nodes = 0;
    for (uint32_t j = 0; j < c->ground.n; j++) {
        uint32_t own = count_returning (&c->ground, j);
        if (c->ground.stays[j] || c->ground.off[j] || own == 0)
            continue;
        if (best == NO_OWNER
            || (wide)c->ground.weight[j] * nodes
                   < (wide)c->ground.weight[best] * own) {
            best = j;
            nodes = own;
        }
    }
    return best;
}

/* If the knapsack is too large: one job after another. */
static void choose_roughly (struct choosing *c, uint32_t need)
{
    uint32_t back = 0, n = 0;
    while (back < need) {
        uint32_t job = cheapest_job (c);
        if (job == NO_OWNER)
            return;
        back += count_returning (&c->ground, job);
        c->ground.off[job] = true;
        c->least = add_job (&c->least, c->ground.weight[job]);
        c->who[n++] = job;
    }
    c->found = true;
}

static int choose_for_count (struct choosing *c, tori_error *err)
{
    uint32_t free_now = tori_state_free_count (c->ground.state), need;
    c->all = true;
    if (c->request->count <= free_now) {
        c->found = true;
        return 0;
    }
    need = c->request->count - free_now;
    if ((uint64_t)c->ground.n * need <= c->config.steps)
        return choose_exactly (c, need, err);
    c->all = false;
    choose_roughly (c, need);
    return 0;
}

/* ---- the answer ---- */

static int by_number (const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The place of a count when the victims are gone. */
static int place_count (struct choosing *c, tori_placement *ret_place,
                        tori_error *err)
{
    tori_alloc *alloc;
    int placed;
    if (tori_alloc_create (c->ground.machine, TORI_ALLOC ("mm"), &alloc, err)
        < 0)
        return -1;
    for (uint32_t i = 0; i < c->least.jobs; i++)
        occupancy_take_off (&c->ground, c->who[i]);
    placed = alloc_try_once (alloc, c->ground.state, c->request, ret_place,
                             err);
    tori_alloc_destroy (alloc);
    return placed < 0 ? -1 : 0;
}

static int conclude_answer (struct choosing *c, tori_room *ret_room,
                            tori_error *err)
{
    tori_room room = {.found = c->found, .least = c->all, .steps = c->spent};
    if (c->found) {
        room.moves = calloc (c->least.jobs + (size_t)1, sizeof *room.moves);
        if (!room.moves)
            return tori_error_nomem (err);
        qsort (c->who, c->least.jobs, sizeof *c->who, by_number);
        for (; room.n < c->least.jobs; room.n++)
            room.moves[room.n].job = c->who[room.n];
        room.nodes = c->least.weight;
        room.bound = c->all ? room.nodes : 0;
        if (c->request->shape.ndims)
            room.place = placement_of_box (&c->box, c->request->wiring);
        else if (place_count (c, &room.place, err) < 0) {
            tori_room_clear (&room);
            return -1;
        }
    }
    *ret_room = room;
    return 0;
}

static int choose_victims (struct choosing *c, tori_room *ret_room,
                           tori_error *err)
{
    c->who = calloc (c->ground.n + (size_t)1, sizeof *c->who);
    if (!c->who)
        return tori_error_nomem (err);
    for (uint32_t j = 0; j < c->ground.n; j++)
        c->ground.weight[j] = c->ground.job[j].work;
    if (occupancy_bar (&c->ground, c->config.barred, err) < 0)
        return -1;
    if ((c->request->shape.ndims ? choose_for_box (c, err)
                                 : choose_for_count (c, err))
        < 0)
        return -1;
    return conclude_answer (c, ret_room, err);
}

int tori_room_victims (const tori_state *state, const tori_room_job jobs[],
                       size_t n, const tori_request *request,
                       const tori_room_config *config, tori_room *ret_room,
                       tori_error *err)
{
    const tori_machine *machine = tori_state_machine (state);
    tori_request own;
    struct choosing c = {.request = &own, .all = true};
    int status;
    if (machine->apart)
        return podroom_victims (state, jobs, n, request, config, ret_room,
                                err);
    if (room_configure (config, &c.config, err) < 0)
        return -1;
    status = room_check (machine, request, &c.config, &own, err);
    if (status < 0)
        return -1;
    if (status > 0) {
        *ret_room = (tori_room){0};
        return 0;
    }
    status = occupancy_open (&c.ground, state, jobs, n, err);
    if (status == 0)
        status = choose_victims (&c, ret_room, err);
    free (c.who);
    occupancy_close (&c.ground);
    return status;
}
